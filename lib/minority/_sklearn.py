"""The parts of scikit-learn that are not public API, imported in one place.

A release that moves them breaks this file and no other.
"""

import sys

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import compute_class_weight, validation
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

#: Upper end of parameters that kernels take as floats: Python's integers know no bounds.
LARGEST = sys.float_info.max

__all__ = [
    "LARGEST",
    "Interval",
    "StrOptions",
    "_check_sample_weight",
    "_fit_context",
    "check_is_fitted",
    "class_weights",
    "validate_data",
]


def class_weights(class_weight, classes, y, sample_weight):
    """scikit-learn's `compute_class_weight`, which takes the rows' weights only since 1.7."""
    if not (isinstance(class_weight, str) and class_weight == "balanced"):
        return compute_class_weight(class_weight, classes=classes, y=y)
    codes = np.searchsorted(classes, y)
    totals = np.bincount(codes, weights=sample_weight, minlength=len(classes))
    return totals.sum() / (len(classes) * totals)


def validate_data(estimator, *args, **kwargs):
    """scikit-learn's `validate_data`; an integer that no float can hold is a ValueError too."""
    try:
        return validation.validate_data(estimator, *args, **kwargs)
    except OverflowError as error:
        raise ValueError("Input X contains a number too large for float64.") from error
