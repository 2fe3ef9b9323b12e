"""From columns of floats to ranks."""

import numpy as np
from numba import njit


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
    columns = np.array(X.T, order="C")
    codes = np.empty(columns.shape, dtype=np.int32)
    order = np.empty(columns.shape, dtype=np.uint32)
    n_distinct = _rank(columns, np.argsort(columns, axis=1), nominal, codes, order)
    return codes, order, [column[:n] for column, n in zip(columns, n_distinct, strict=True)]


@njit(cache=True)
def _rank(columns, by_value, nominal, codes, order):
    """Fill `codes` and `order`; the distinct values take the place of the columns."""
    n_samples = columns.shape[1]
    n_distinct = np.zeros(len(columns), dtype=np.int64)
    ordered = np.empty(n_samples)
    for j in range(len(columns)):
        n_present = n_samples
        while n_present and np.isnan(columns[j, by_value[j, n_present - 1]]):
            n_present -= 1
        n_missing = n_samples - n_present
        for i in range(n_missing):
            row = by_value[j, n_present + i]
            codes[j, row], order[j, i] = -1, row
        for i in range(n_present):
            ordered[i] = columns[j, by_value[j, i]]
        n = 0
        for i in range(n_present):
            row = by_value[j, i]
            if i == 0 or ordered[i] != ordered[i - 1]:
                columns[j, n] = ordered[i]
                n += 1
            order[j, n_missing + i] = row
            codes[j, row] = ordered[i] if nominal[j] else n - 1
        n_distinct[j] = n
    return n_distinct
