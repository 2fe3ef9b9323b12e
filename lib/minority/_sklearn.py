"""The parts of scikit-learn that are not public API, imported in one place.

A release that moves them breaks this file and no other.
"""

import sys
from datetime import date

import numpy as np
import pandas as pd
from sklearn.base import _fit_context
from sklearn.utils import compute_class_weight, validation
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from minority._columns import as_pandas

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


def validate_data(estimator, X="no_validation", *args, **kwargs):
    """scikit-learn's `validate_data`; what cannot become a float is a ValueError that says why."""
    X = as_pandas(X)
    try:
        return validation.validate_data(estimator, X, *args, **kwargs)
    except OverflowError as error:
        raise ValueError(
            "Input X contains a number too large for float64: divide that column by a constant."
        ) from error
    except (TypeError, ValueError) as error:
        found = _no_number(X)
        if found is None:
            raise
        value, where = found
        advice = "code such columns as numbers first, for instance with OneHotEncoder"
        if not isinstance(value, str):
            advice = "make numbers of dates, such as days since the first one"
        elif "categorical_features" in estimator.get_params(deep=False):
            advice = "name columns with categories in categorical_features"
        raise ValueError(f"Input X has {value!r} {where}, which is no number: {advice}.") from error


def _no_number(X):
    """The first text or date in a table that no float can be made of, and where; None without."""
    if not isinstance(X, pd.DataFrame):
        if not isinstance(X, np.ndarray | list | tuple):
            return None
        X = pd.DataFrame(np.asarray(X, dtype=object)) if np.ndim(X) == 2 else pd.DataFrame()
    for j, name in enumerate(X.columns):
        if pd.api.types.is_numeric_dtype(X.dtypes.iloc[j]):
            continue
        for value in X.iloc[:, j].dropna():
            if isinstance(value, str) and pd.isna(pd.to_numeric(value, errors="coerce")):
                return value, f"in column {name!r}"
            if isinstance(value, date | np.datetime64):
                return value, f"in column {name!r}"
    return None
