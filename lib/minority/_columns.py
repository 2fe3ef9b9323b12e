"""From tables with numbers and categories to floats."""

import sys
from numbers import Integral, Real

import numpy as np
import pandas as pd


def as_pandas(X):
    """A table or column of polars as one of pandas; anything else as it is.

    By way of NumPy, because the methods of polars and pandas for this need pyarrow.
    """
    polars = sys.modules.get("polars")
    if polars is None:
        return X
    if isinstance(X, polars.LazyFrame):
        raise TypeError("X is a LazyFrame of polars, which has no rows yet: give X.collect().")
    if isinstance(X, polars.DataFrame):
        return pd.DataFrame({name: X[name].to_numpy() for name in X.columns})
    return pd.Series(X.to_numpy(), name=X.name) if isinstance(X, polars.Series) else X


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
    X = as_pandas(X)
    is_frame = isinstance(X, pd.DataFrame)
    if categorical_features is None:
        return None
    if isinstance(categorical_features, str):  # "from_dtype"
        if not is_frame:
            return None
        dtypes = X.dtypes.tolist()
        texts = {dtype for dtype in set(dtypes) if not pd.api.types.is_numeric_dtype(dtype)}
        return np.array([dtype in texts for dtype in dtypes]) if texts else None
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


def _columns_of(X):
    """The columns of a frame or of an array, one after the other."""
    if isinstance(X, pd.DataFrame):
        return (column for _, column in X.items())
    return (pd.Series(X[:, j]) for j in range(X.shape[1]))


def find_categories(X, nominal):
    """Categories of each nominal column (all that a categorical dtype declares), else None.

    They are texts, numbers or booleans: what can be printed in a rule and read back.
    """
    X = as_pandas(X)
    X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    categories = []
    for column, is_nominal in zip(_columns_of(X), nominal, strict=True):
        if not is_nominal:
            categories.append(None)
            continue
        is_coded = isinstance(column.dtype, pd.CategoricalDtype)
        categories.append(column.dtype.categories if is_coded else _distinct(column))
        check_categories(column.name, categories[-1].tolist())
    return categories


def check_categories(name, values):
    """Raise an error for a value that cannot be printed in a rule and read back."""
    for value in values:
        if not isinstance(value, str | Real):
            raise ValueError(
                f"Column {name!r} has {value!r}, which is no category: make text or "
                "numbers of such values, of dates days since the first one, say."
            )


def _distinct(column):
    return pd.Index(pd.Categorical(column).categories)


def encode(X, categories):
    """Replace categories by their positions; missing and unknown ones by NaN.

    A frame stays a frame with the same columns, an array stays an array.
    """
    if np.ndim(X) != 2 or np.shape(X)[1] != len(categories):
        return X  # scikit-learn says what is wrong with it
    X = as_pandas(X)
    is_frame = isinstance(X, pd.DataFrame)
    X = X if is_frame else np.array(X, dtype=object)
    if is_frame and all(map(_is_plain, X.dtypes, categories)):
        # A column of pandas costs as much to set as a whole frame to make.
        values = np.empty(X.shape[::-1])
        for row, column, known in zip(values, _columns_of(X), categories, strict=True):
            row[:] = column.to_numpy() if known is None else _codes(column, known)
        return pd.DataFrame(values.T, index=X.index, columns=X.columns, copy=False)
    encoded = X.copy(deep=False) if is_frame else X
    for j, (column, known) in enumerate(zip(_columns_of(X), categories, strict=True)):
        if known is not None and is_frame:
            encoded.isetitem(j, _codes(column, known))
        elif known is not None:
            encoded[:, j] = _codes(column, known)
    return encoded


def _is_plain(dtype, known):
    """Whether a column is nominal or of numbers that NumPy knows."""
    return known is not None or (isinstance(dtype, np.dtype) and dtype.kind in "fiu")


def _codes(column, known):
    """Positions of the categories of a column as floats; NaN where there is none."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.categories is known:
        codes = column.array.codes.astype(np.float64)
    else:
        codes = known.get_indexer(pd.Index(column)).astype(np.float64)
    codes[codes < 0] = np.nan
    return codes
