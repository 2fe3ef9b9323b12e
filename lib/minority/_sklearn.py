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
from sklearn.utils.multiclass import check_classification_targets as _check_targets
from sklearn.utils.validation import _check_sample_weight as _check_weight
from sklearn.utils.validation import check_is_fitted

from minority._columns import as_pandas

#: Upper end of parameters that kernels take as floats: Python's integers know no bounds.
LARGEST = sys.float_info.max

__all__ = [
    "LARGEST",
    "Interval",
    "StrOptions",
    "_check_sample_weight",
    "_fit_context",
    "check_classification_targets",
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
    found = _validate_plain(estimator, X, *args, **kwargs)
    if found is not None:
        return found
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


def _validate_plain(
    estimator, X, y="no_validation", *, dtype=None, ensure_all_finite=True, reset=True, **others
):
    """What `validate_data` returns for plain numbers, None for anything else.

    On small tables scikit-learn's checks take longer than most models. Whatever it would not pass
    in silence is left to it.
    """
    has_labels = not isinstance(y, str)
    if others or dtype is not np.float64 or not (has_labels or y == "no_validation"):
        return None
    table = _plain_table(X)
    if table is None:
        return None
    values, names = table
    with np.errstate(all="ignore"):
        total = values.sum()
    if not np.isfinite(total) and (ensure_all_finite != "allow-nan" or np.isinf(values).any()):
        return None
    if has_labels:
        y = _plain_labels(y)
        if y is None or len(y) != len(values):
            return None
    if not reset:
        known = getattr(estimator, "feature_names_in_", None)
        known = None if known is None else known.tolist()
        if known != names or getattr(estimator, "n_features_in_", None) != values.shape[1]:
            return None
    else:
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        estimator.n_features_in_ = values.shape[1]
    return (values, y) if has_labels else values


def _plain_table(X):
    """The values of a table of numbers and the names of its columns, if there is nothing to it."""
    names = None
    if type(X) is pd.DataFrame:
        values = X.to_numpy()  # objects, if a column has anything but numbers
        if values.dtype.kind not in "fiu" or not all(isinstance(t, np.dtype) for t in X.dtypes):
            return None
        names = X.columns.tolist()
        if {*map(type, names)} != {str} or len(set(names)) < len(names):
            return None
    elif type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu":
        values = X
    else:
        return None
    with np.errstate(over="ignore"):  # infinities are seen to later
        values = values.astype(np.float64, copy=False)
    return (values, names) if values.size else None


def _plain_labels(y):
    """Labels that are numbers without a fraction or fixed-width texts, as an array."""
    if type(y) is pd.Series and isinstance(y.dtype, np.dtype):
        y = y.to_numpy()
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU":
        return np.ascontiguousarray(y)
    return None


def _check_sample_weight(sample_weight, X, **options):
    """scikit-learn's check, at once where there are no weights."""
    if sample_weight is None:
        return np.ones(len(X))
    return _check_weight(sample_weight, X, **options)


def check_classification_targets(y):
    """scikit-learn's check, without a look at all labels where few whole numbers are seen at once.

    It warns of many classes, so those are left to it.
    """
    if y.dtype.kind not in "biu" or len(y) < 4 or int(y.max()) - int(y.min()) > len(y) // 2 - 2:
        _check_targets(y)


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
