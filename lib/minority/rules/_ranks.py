"""From columns of floats to ranks."""

import numpy as np


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
