"""Undersampling and SMOTE at levels that are found by cross-validation."""

from minority.sampling._inner import InnerModels
from minority.sampling._plot import plot_search_path
from minority.sampling._samplers import PercentSampler, PercentSMOTE, PercentUnderSampler
from minority.sampling._search import Levels, search_levels
from minority.sampling._wrapper import SamplingWrapperClassifier

__all__ = [
    "InnerModels",
    "Levels",
    "PercentSMOTE",
    "PercentSampler",
    "PercentUnderSampler",
    "SamplingWrapperClassifier",
    "plot_search_path",
    "search_levels",
]
