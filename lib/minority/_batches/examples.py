"""Tables in batches as examples that learners pass over."""

import operator
from functools import partial

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import type_of_target

from minority._batches.rows import Batch
from minority._batches.tables import check_memory
from minority._columns import _codes, check_categories, nominal_columns
from minority._condition import as_floats
from minority._positive import not_binary

_MOST_CATEGORIES = 100_000  # of a column


class BatchedRows:
    """Examples in a table, with the attributes and methods of `minority._batches.rows.Rows`."""

    def __init__(self, table, features, target, read, n_rows, minority, extremes):
        self._table, self._columns, self._read = table, (features, target), read
        self.n_rows, self.minority, self.extremes = n_rows, minority, extremes

    @property
    def by_class(self):
        n_positives = len(self.minority.X)
        return np.array([True, False]), np.array([n_positives, self.n_rows - n_positives], float)

    def map(self, function):
        features, target = self._columns
        extremes = Batch(self.extremes, np.zeros(len(self.extremes), dtype=bool))
        return BatchedRows(
            self._table,
            features,
            target,
            partial(_then, self._read, function),
            self.n_rows,
            function(self.minority),
            function(extremes).X,
        )

    def total(self, function, *merges, told):
        read = partial(_then, self._read, function)
        return self._table.total(read, merges, *self._columns, told=told, n_rows=self.n_rows)


def _then(read, function, frame, target):
    return function(read(frame, target))


def read_rows(estimator, table, target, *, categorical_features=None, keep_float32=True):
    """Read what learners need of a table before their own passes, in two passes.

    The first one counts the classes. The second keeps the positive examples, and finds for each
    column its range, its categories, and whether values are missing.

    Parameters
    ----------
    estimator : PositiveClassMixin
        Gets its attributes of features and classes.
    table : table
        See `minority._batches.rows.table_of`.
    target : str
        The column with the classes.
    categorical_features : "from_dtype", None or array-like, default=None
        See `FastBoxesClassifier`.
    keep_float32 : bool, default=True
        Whether a table of float32 stays so.

    Returns
    -------
    rows : BatchedRows
    categories : list of Index or None
        See `minority._columns.find_categories`.
    """
    if not isinstance(target, str):
        raise ValueError(
            "X is a table in batches, so y has to be the name of the column with the classes, got "
            f"{type(target).__name__}."
        )
    table.check_columns([target])
    features = [name for name in table.names if name != target]
    if not features:
        raise ValueError(f"{table} has no column but {target!r}.")
    empty = table.empty[features]
    nominal = nominal_columns(empty, categorical_features)
    texts = nominal_columns(empty, "from_dtype")
    if texts is not None:
        others = texts if nominal is None else texts & ~nominal
        for name in empty.columns[others]:
            raise ValueError(
                f"Column {name!r} has values of type {empty[name].dtype}, which are no numbers: "
                "leave it out, or let the learner have categories."
            )
    found = table.total(
        partial(_count_classes, name=target),
        (partial(_merge_classes, name=target),),
        [],
        target,
        told="classes",
    )
    ((classes, totals),) = found
    kind = type_of_target(classes, input_name="y")
    if kind != "binary":
        raise not_binary(kind)
    try:
        code = estimator._choose_positive(classes, totals)
    except ValueError as error:
        raise ValueError(f"{table}, column {target!r}: {error}") from None
    check_memory(int(totals[code]), len(features))
    estimator.n_features_in_ = len(features)
    estimator.feature_names_in_ = np.array(features, dtype=object)

    is_nominal = np.zeros(len(features), dtype=bool) if nominal is None else nominal
    low, high, gaps, values, minority = table.total(
        partial(_survey, nominal=is_nominal, positive=classes[code]),
        (np.fmin, np.fmax, np.logical_or, partial(_merge_values, names=features), operator.add),
        features,
        target,
        told="minority and ranges",
        n_rows=int(totals.sum()),
    )
    categories = None
    if nominal is not None:
        pairs = zip(features, is_nominal, values, gaps, strict=True)
        categories = [
            _categories_of(empty[name], found, has_gaps) if is_one else None
            for name, is_one, found, has_gaps in pairs
        ]
    dtype = np.float64
    if keep_float32 and nominal is None and np.result_type(*map(_plain, empty.dtypes)) == "float32":
        dtype = np.float32
    minority = [numbers(frame, categories, dtype) for frame in minority]
    minority = np.asfortranarray(np.concatenate(minority))  # as batches are
    positive = np.ones(len(minority), dtype=bool)
    extremes = [
        [low[j], high[j]]
        if categories is None or categories[j] is None
        else categories[j].get_indexer(list(values[j]))
        for j in range(len(features))
    ]
    read = partial(_read, categories=categories, dtype=dtype, positive=classes[code])
    rows = BatchedRows(
        table,
        features,
        target,
        read,
        int(totals.sum()),
        Batch(minority, positive, np.ones(len(minority))),
        _extreme_rows(extremes, gaps, dtype),
    )
    return rows, categories


def _count_classes(frame, target, *, name):
    if target.isna().any():
        raise ValueError(f"{target.isna().sum()} rows miss a value of the target {name!r}.")
    found = np.unique(np.asarray(target), return_counts=True)
    return (_at_most_two(*found, name),)


def _at_most_two(classes, counts, name):
    if len(classes) > 2:
        shown = ", ".join(repr(value) for value in classes[:3].tolist())
        raise ValueError(
            f"The target {name!r} has more than two values: {shown}. "
            "Make two classes of it, such as y == label or y > limit."
        )
    return classes, counts


def _merge_classes(one, other, *, name):
    """Classes and their numbers of rows, from those of two parts."""
    classes, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.concatenate([one[1], other[1]])
    return _at_most_two(classes, np.bincount(place, counts).astype(np.int64), name)


def _plain(dtype):
    """The type of NumPy of a numeric column."""
    return dtype if isinstance(dtype, np.dtype) else np.dtype(np.float64)


def _survey(frame, target, *, nominal, positive):
    """Least and largest values, whether some are missing, categories, and the positive rows."""
    low, high = (np.full(len(nominal), np.nan) for _ in range(2))
    gaps = frame.isna().to_numpy().any(axis=0)
    X = numbers(frame.loc[:, ~nominal], None, np.float64)
    if X.shape[1]:
        low[~nominal], high[~nominal] = np.fmin.reduce(X), np.fmax.reduce(X)
    infinite = np.isinf(low) | np.isinf(high)
    if infinite.any():
        name = frame.columns[infinite.argmax()]
        raise ValueError(f"Column {name!r} has an infinite value: leave it missing instead.")
    values = [
        _values_of(frame.iloc[:, j]) if is_nominal else None for j, is_nominal in enumerate(nominal)
    ]
    return low, high, gaps, values, [frame[np.asarray(target) == positive]]


def _values_of(column):
    """The set of the values of a nominal column."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = np.unique(column.cat.codes)
        values = column.cat.categories[codes[codes >= 0]].tolist()
    else:
        values = column.dropna().unique().tolist()
    check_categories(column.name, values)
    return frozenset(values)


def _merge_values(one, other, *, names):
    merged = [a if a is None else a | b for a, b in zip(one, other, strict=True)]
    for name, values in zip(names, merged, strict=True):
        if values is not None and len(values) > _MOST_CATEGORIES:
            raise ValueError(
                f"Column {name!r} has more than {_MOST_CATEGORIES:,} categories: leave it out, or "
                "group the rare ones."
            )
    return merged


def _categories_of(column, values, has_gaps):
    """The categories of a column, of which all batches have these values."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) and values <= set(dtype.categories):
        return dtype.categories  # that are declared, as in memory
    values = sorted(values, key=lambda value: (isinstance(value, str), value))
    if has_gaps and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        values = list(map(float, values))  # as which whole numbers with gaps are read
    return pd.Index(values)


def _extreme_rows(values, gaps, dtype):
    columns = [[*column] + [np.nan] * bool(gap) for column, gap in zip(values, gaps, strict=True)]
    longest = max(map(len, columns))
    return np.array([np.resize(np.array(c or [np.nan], dtype), longest) for c in columns]).T


def _read(frame, target, *, categories, dtype, positive):
    """A batch of a frame and its target."""
    is_positive = np.asarray(target) == positive
    return Batch(numbers(frame, categories, dtype), is_positive, np.ones(len(frame)))


def numbers(frame, categories, dtype):
    """A frame as floats, categories by their positions, each column in one piece."""
    is_plain = [isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in set(frame.dtypes)]
    if categories is None and all(is_plain):
        # As other batches are: compiled code would be compiled once more.
        return np.require(frame.to_numpy(dtype=dtype), requirements=["F", "W"])
    values = np.empty(frame.shape[::-1], dtype)
    known = [None] * frame.shape[1] if categories is None else categories
    for row, (_, column), own in zip(values, frame.items(), known, strict=True):
        row[:] = as_floats(column) if own is None else _codes(column, own)
    return values.T
