"""The parts of scikit-learn that are not public API, imported in one place.

A release that moves them breaks this file and no other.
"""

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["Interval", "StrOptions", "_fit_context", "check_is_fitted", "validate_data"]
