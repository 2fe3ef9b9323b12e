"""Features with categories or gaps as columns of numbers, on which their conditions are intervals.

A box on the columns is a box on the features and the other way round: each feature has an interval
or a subset of categories, with or without missing values. The smallest box around some rows on the
columns is the smallest one on the features, so what is best there is best here.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from minority._condition import Interval, NoneOf, OneOf, OrMissing, plain_scalar
from minority.boxes._boxset import BoxSet


def make_coding(X, categories):
    """The coding of a training set; None if it is its own.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Categories by their positions; NaN is missing.
    categories : list of Index, None
        Of each feature, None for numeric ones; None if there are no others.

    Returns
    -------
    coding : Coding or None
    """
    if categories is None and not np.isnan(X).any():
        return None
    features = []
    for j, column in enumerate(X.T):
        known = column[~np.isnan(column)]
        has_gaps = len(known) < len(column)
        if categories is not None and categories[j] is not None:
            codes = np.unique(known)
            names = tuple(plain_scalar(categories[j][int(code)]) for code in codes)
            features.append(_Nominal(codes, names, has_gaps))
        elif not len(known):
            features.append(_Nominal(known, (), has_gaps))
        elif has_gaps:
            features.append(_WithGaps(known.min(), known.max()))
        else:
            features.append(_Number())
    return Coding(features)


def _holds(lower, value, upper):
    return (lower <= value) & (value <= upper)


class _Number:
    """A numeric feature without gaps: a column as it is."""

    width = 1

    def encode(self, column):
        return column[:, None]

    def decode(self, columns):
        return columns[:, 0]

    def condition(self, name, lower, upper):
        return _interval(name, lower[0], upper[0])


@dataclass(frozen=True)
class _WithGaps:
    """A numeric feature with gaps: three columns.

    Where a value is missing, the first has the largest value, which fulfils all lower bounds, the
    second the smallest, which fulfils all upper bounds, and the third has 1 instead of 0.
    """

    smallest: float
    largest: float

    width = 3

    def encode(self, column):
        gap = np.isnan(column)
        high, low = np.where(gap, self.largest, column), np.where(gap, self.smallest, column)
        return np.column_stack([high, low, gap])

    def decode(self, columns):
        return np.where(columns[:, 2] == 1, np.nan, columns[:, 0])

    def condition(self, name, lower, upper):
        missing = _holds(lower, [self.largest, self.smallest, 1], upper).all()
        if not _holds(lower[2], 0, upper[2]):
            none = OneOf(name, ())
            return OrMissing(none) if missing else none
        interval = _interval(name, lower[:2].max(), upper[:2].min())
        if missing:
            return None if interval is None else OrMissing(interval)
        return NoneOf(name, ()) if interval is None else interval


@dataclass(frozen=True)
class _Nominal:
    """A nominal feature: a column of 0 and 1 for each category, and for gaps if it has some.

    Of two the second one says all. What is always missing is the same whatever it were otherwise.
    """

    codes: np.ndarray
    names: tuple
    has_gaps: bool

    @property
    def _n_levels(self):
        return len(self.names) + self.has_gaps

    @property
    def width(self):
        return self._n_levels if self._n_levels > 2 else 1

    def encode(self, column):
        levels = [column == code for code in self.codes]
        if self.has_gaps:
            levels.append(np.isnan(column))
        return np.column_stack(levels).astype(np.float64)[:, -self.width :]

    def decode(self, columns):
        if self.width < self._n_levels:
            columns = np.column_stack([1 - columns, columns])
        codes = np.where(columns.any(axis=1), columns.argmax(axis=1), -1)
        return pd.Categorical.from_codes(
            np.where(codes < len(self.names), codes, -1), pd.Index(self.names, dtype=object)
        )

    def condition(self, name, lower, upper):
        rows = np.eye(self._n_levels)[:, -self.width :]
        kept = _holds(lower, rows, upper).all(axis=1)
        if kept.all():
            return None
        missing = self.has_gaps and kept[-1]
        inside = tuple(c for c, is_kept in zip(self.names, kept, strict=False) if is_kept)
        outside = tuple(c for c, is_kept in zip(self.names, kept, strict=False) if not is_kept)
        few = len(outside) < len(inside)
        condition = NoneOf(name, outside) if few else OneOf(name, inside)
        return OrMissing(condition) if missing else condition


def _interval(name, lower, upper):
    return Interval(name, lower, upper) if np.isfinite([lower, upper]).any() else None


class Coding:
    """How the features of a training set become columns, and boxes on the columns boxes again."""

    def __init__(self, features):
        self._features = features
        self._starts = np.cumsum([0, *(feature.width for feature in features)])

    def _columns(self):
        return map(slice, self._starts[:-1], self._starts[1:])

    def encode(self, X):
        """Rows of floats, categories by their positions, as rows of columns."""
        pairs = zip(self._features, X.T, strict=True)
        return np.column_stack([feature.encode(column) for feature, column in pairs])

    def decode(self, X):
        """Rows of columns as a table of numbers and categories."""
        pairs = enumerate(zip(self._features, self._columns(), strict=True))
        return pd.DataFrame({j: feature.decode(X[:, own]) for j, (feature, own) in pairs})

    def of_features(self, units):
        """A number of each column as one of each feature: that of its first column."""
        return units[self._starts[:-1]]

    def decode_boxes(self, lower, upper, names):
        """Boxes on columns as boxes on features.

        Parameters
        ----------
        lower, upper : ndarray of shape (n_boxes, n_columns)
        names : sequence of str or None
            Of the features.

        Returns
        -------
        boxes : BoxSet
        """
        names = [f"x{j}" for j in range(len(self._features))] if names is None else names
        parts = list(zip(names, self._features, self._columns(), strict=True))
        boxes = [
            [feature.condition(name, low[own], high[own]) for name, feature, own in parts]
            for low, high in zip(lower, upper, strict=True)
        ]
        boxes = [[condition for condition in box if condition is not None] for box in boxes]
        return BoxSet.from_conditions(boxes, names)
