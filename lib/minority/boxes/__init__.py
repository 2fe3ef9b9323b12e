"""Classifiers that describe the minority class by a few axis-parallel boxes."""

from minority.boxes._base import BaseBoxClassifier
from minority.boxes._boxset import BoxSet
from minority.boxes._exact import ExactBoxesClassifier, exact_boxes_path
from minority.boxes._exact_cv import ExactBoxesClassifierCV
from minority.boxes._fast import FastBoxesClassifier
from minority.boxes._fast_cv import FastBoxesClassifierCV
from minority.boxes._fast_path import fast_boxes_path, select_fast_boxes
from minority.boxes._plot import plot_boxes, plot_boxes_3d
from minority.boxes._prim import PRIMClassifier

__all__ = [
    "BaseBoxClassifier",
    "BoxSet",
    "ExactBoxesClassifier",
    "ExactBoxesClassifierCV",
    "FastBoxesClassifier",
    "FastBoxesClassifierCV",
    "PRIMClassifier",
    "exact_boxes_path",
    "fast_boxes_path",
    "plot_boxes",
    "plot_boxes_3d",
    "select_fast_boxes",
]
