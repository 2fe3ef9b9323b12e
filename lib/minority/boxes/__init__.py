"""Classifiers that describe the minority class by a few axis-parallel boxes."""

from minority.boxes._base import BaseBoxClassifier
from minority.boxes._boxset import BoxSet
from minority.boxes._fast import FastBoxesClassifier
from minority.boxes._fast_path import fast_boxes_path, select_fast_boxes
from minority.boxes._plot import plot_boxes

__all__ = [
    "BaseBoxClassifier",
    "BoxSet",
    "FastBoxesClassifier",
    "fast_boxes_path",
    "plot_boxes",
    "select_fast_boxes",
]
