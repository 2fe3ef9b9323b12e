"""From tables with numbers and categories to floats, and from floats to ranks."""

from numbers import Integral

import numpy as np
import pandas as pd


def nominal_columns(X, categorical_features):
    """Which columns are nominal.

    Parameters
    ----------
    X : DataFrame or array-like
    categorical_features : "from_dtype", None or array-like of bool, int or str

    Returns
    -------
    nominal : bool ndarray of shape (n_features,) or None
        None if no column is.
    """
    is_frame = isinstance(X, pd.DataFrame)
    if categorical_features is None:
        return None
    if isinstance(categorical_features, str):  # "from_dtype"
        if not is_frame:
            return None
        nominal = np.array([not pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes])
        return nominal if nominal.any() else None
    chosen = np.asarray(categorical_features)
    n_features = np.shape(X)[1] if np.ndim(X) == 2 else 0
    if chosen.dtype == bool:
        if chosen.shape != (n_features,):
            raise ValueError(f"categorical_features has {len(chosen)} values, X {n_features}.")
        return chosen.copy() if chosen.any() else None
    nominal = np.zeros(n_features, dtype=bool)
    for feature in chosen.tolist():
        if isinstance(feature, Integral) and -n_features <= feature < n_features:
            nominal[feature] = True
        elif is_frame and isinstance(feature, str) and feature in X.columns:
            nominal[X.columns.get_loc(feature)] = True
        else:
            raise ValueError(f"categorical_features names {feature!r}, which X does not have.")
    return nominal if nominal.any() else None


def _column(X, j):
    return X.iloc[:, j] if isinstance(X, pd.DataFrame) else pd.Series(X[:, j])


def find_categories(X, nominal):
    """Categories of each nominal column (all that a categorical dtype declares), else None."""
    X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    categories = []
    for j, is_nominal in enumerate(nominal):
        column = _column(X, j) if is_nominal else None
        if column is None:
            categories.append(None)
        elif isinstance(column.dtype, pd.CategoricalDtype):
            categories.append(column.cat.categories)
        else:
            categories.append(pd.Index(pd.Categorical(column).categories))
    return categories


def encode(X, categories):
    """Replace categories by their positions; missing and unknown ones by NaN.

    A frame stays a frame with the same columns, an array stays an array.
    """
    if np.ndim(X) != 2 or np.shape(X)[1] != len(categories):
        return X  # scikit-learn says what is wrong with it
    is_frame = isinstance(X, pd.DataFrame)
    encoded = X.copy(deep=False) if is_frame else np.array(X, dtype=object)
    for j, known in enumerate(categories):
        if known is not None:
            column = _column(encoded, j)
            is_coded = isinstance(column.dtype, pd.CategoricalDtype)
            if is_coded and column.cat.categories is known:
                codes = column.cat.codes.to_numpy(dtype=np.float64)
            else:
                codes = known.get_indexer(pd.Index(column)).astype(np.float64)
            codes[codes < 0] = np.nan
            if is_frame:
                encoded.isetitem(j, codes)
            else:
                encoded[:, j] = codes
    return encoded


def rank_columns(X, nominal):
    """Codes of the values of each column.

    Parameters
    ----------
    X : float64 ndarray of shape (n_samples, n_features)
        NaN is missing.
    nominal : bool ndarray of shape (n_features,)
        Columns whose values are codes already.

    Returns
    -------
    codes : int32 ndarray of shape (n_features, n_samples)
        Rank among the distinct values of the column, from 0; -1 where missing.
    order : uint32 ndarray of shape (n_features, n_samples)
        Rows by ascending code; unsigned, because such indices are quicker in numba.
    values : list of ndarray
        The value of each code.
    """
    n_samples, n_features = X.shape
    codes = np.empty((n_features, n_samples), dtype=np.int32)
    order = np.empty((n_features, n_samples), dtype=np.uint32)
    values = []
    for j in range(n_features):
        column = np.ascontiguousarray(X[:, j])
        missing = np.isnan(column)
        n_missing = np.count_nonzero(missing)
        by_value = np.argsort(column)  # NaN last
        by_value = np.roll(by_value, n_missing) if n_missing else by_value
        present = column[by_value[n_missing:]]
        is_new = np.empty(len(present), dtype=bool)
        is_new[:1] = True
        np.not_equal(present[1:], present[:-1], out=is_new[1:])
        ranks = present if nominal[j] else np.cumsum(is_new) - 1
        codes[j, by_value[:n_missing]] = -1
        codes[j, by_value[n_missing:]] = ranks
        order[j] = by_value
        values.append(present[is_new])
    return codes, order, values
