"""Tables with nominal columns as arrays of floats."""

import numpy as np
import pandas as pd


def _nominal_positions(X, categorical_features):
    """Positions of the nominal columns, by dtype unless they are given."""
    if categorical_features is None:
        if not isinstance(X, pd.DataFrame):
            return []
        return [j for j, dtype in enumerate(X.dtypes) if not pd.api.types.is_numeric_dtype(dtype)]
    given = np.asarray(categorical_features)
    n_features = np.shape(X)[1] if np.ndim(X) == 2 else 0
    if given.dtype == bool:
        if len(given) != n_features:
            raise ValueError(
                f"categorical_features is a mask of length {len(given)} for {n_features} features."
            )
        return np.flatnonzero(given).tolist()
    names = list(X.columns) if isinstance(X, pd.DataFrame) else []
    positions = []
    for feature in given.tolist():
        if feature in names:
            positions.append(names.index(feature))
        elif isinstance(feature, int) and -n_features <= feature < n_features:
            positions.append(feature % n_features)
        else:
            raise ValueError(f"categorical_features: there is no feature {feature!r}.")
    return sorted(set(positions))


def _column(X, j):
    return X.iloc[:, j] if isinstance(X, pd.DataFrame) else pd.Series(X[:, j])


def learn_categories(X, categorical_features):
    """The categories of each nominal column, as {position: pandas.Index}.

    Those that a categorical dtype declares, present or not; else the sorted values.
    """
    positions = _nominal_positions(X, categorical_features)
    if positions and not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
    categories = {}
    for j in positions:
        column = _column(X, j)
        if isinstance(column.dtype, pd.CategoricalDtype):
            categories[j] = column.cat.categories
        else:
            values = column.dropna().unique().tolist()
            categories[j] = pd.Index(sorted(values, key=lambda v: (str(type(v)), v)))
    return categories


def encode(X, categories):
    """Rows of floats, categories as their numbers; NaN where one is missing or was never seen."""
    frame = isinstance(X, pd.DataFrame)
    if not (frame or categories):
        return X
    if frame and not categories:
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    X = X if frame else np.asarray(X)
    coded = np.empty(X.shape)
    for j in range(X.shape[1]):
        column = _column(X, j)
        if j not in categories:
            coded[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            continue
        if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.categories.equals(
            categories[j]
        ):
            coded[:, j] = column.cat.codes
        else:
            coded[:, j] = categories[j].get_indexer(column)
        coded[coded[:, j] < 0, j] = np.nan
    return coded
