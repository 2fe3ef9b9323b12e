"""Tables of numbers and categories, and samples of them at any levels."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array

from minority._columns import encode, find_categories, nominal_columns
from minority.sampling._smote import (
    distance_space,
    draw_pairs,
    nearest_neighbours,
    neighbours_mode,
)

_ORDER = 1  # what random numbers are for; the rounds of SMOTE follow


class Table:
    """Rows as floats, with categories as their positions, and the way back.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
    categorical_features : "from_dtype", None or array-like of bool, int or str
    **checks
        Passed to scikit-learn's `check_array`.
    """

    def __init__(self, X, categorical_features="from_dtype", **checks):
        self._frame = X.iloc[:0] if isinstance(X, pd.DataFrame) else None
        nominal = nominal_columns(X, categorical_features)
        self._categories = [] if nominal is None else find_categories(X, nominal)
        found = check_array(
            X if nominal is None else encode(X, self._categories),
            dtype=(np.float64, np.float32),
            ensure_all_finite=False,
            input_name="X",
            **checks,
        )
        self._dtype = found.dtype
        self.values = found.astype(np.float64, copy=False)
        self.nominal = np.zeros(found.shape[1], dtype=bool) if nominal is None else nominal

    @property
    def is_plain(self):
        """Whether rows like those given are finite numbers of 64 bits."""
        given_as_is = self._frame is not None or self._dtype == np.float64
        return given_as_is and not self.nominal.any() and np.isfinite(self.values).all()

    def rows(self, values):
        """Rows of floats as rows like those given, frames with their names and categories."""
        if self._frame is None and not self._categories:
            return values.astype(self._dtype, copy=False)
        if self._frame is None:
            words = [c for c in self._categories if c is not None and c.dtype.kind not in "biuf"]
            rows = values.astype(object if words else np.float64)
            for j in np.flatnonzero(self.nominal):
                rows[:, j] = self._decode(j, values[:, j])
            return rows
        rows = pd.DataFrame(values, columns=self._frame.columns)
        for j in np.flatnonzero(self.nominal):
            rows.isetitem(j, self._decode(j, values[:, j]))
        return rows

    def _decode(self, j, codes):
        codes = np.nan_to_num(codes, nan=-1).astype(np.intp)
        dtype = None if self._frame is None else self._frame.dtypes.iloc[j]
        if isinstance(dtype, pd.CategoricalDtype):
            return pd.Categorical.from_codes(codes, dtype=dtype)
        return pd.Series(self._categories[j]).reindex(codes).array


def find_minority(counts, classes, minority=None):
    """Positions of the minority classes.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Rows of each class.
    classes : list
        The labels.
    minority : label, list of labels or None
        None: the rarer of two classes, the second of equals; of more, those with fewer rows
        than the average.

    Returns
    -------
    positions : list of int
    """
    if minority is None:
        if len(classes) == 2:
            return [0 if counts[0] < counts[1] else 1]
        return np.flatnonzero(counts < counts.mean()).tolist()
    labels = np.ravel(minority).tolist() if isinstance(minority, np.ndarray) else minority
    labels = list(labels) if isinstance(labels, (list, tuple, set)) else [labels]
    if not labels:
        raise ValueError("minority names no class.")
    return sorted({class_position(label, classes, "minority") for label in labels})


def class_position(label, classes, parameter):
    """Position of a label among the classes."""
    if label not in classes:
        raise ValueError(f"{parameter} names {label!r}, which is not among the classes {classes}.")
    return classes.index(label)


class Pool:
    """The rows of a training set, from which samples at any levels are drawn.

    Each class is put into a random order once. Undersampling keeps the first rows of that order,
    so that the 80 % sample contains the 70 % sample. Every round of SMOTE makes one point from each
    row in that order and has random numbers of its own, so that the 300 % sample contains the
    200 % sample, and what is over or below 100 % comes from a random part of the rows.

    Parameters
    ----------
    values : float ndarray of shape (n_samples, n_features)
    codes : int ndarray of shape (n_samples,)
        Positions of the classes.
    nominal : bool ndarray of shape (n_features,)
    k_neighbors : int
    gap : {"point", "attribute"}
    seed : list of int
        What the random numbers depend on.
    """

    def __init__(self, values, codes, nominal, *, k_neighbors=5, gap="point", seed):
        self.values, self.codes, self.nominal = values, codes, nominal
        self.seed, self._k_neighbors, self._gap = seed, k_neighbors, gap
        self._counts = np.bincount(codes).tolist()
        self._orders, self._neighbours, self._rounds = {}, {}, {}

    def _rng(self, code, purpose):
        return np.random.default_rng([*self.seed, code, purpose])

    def _order(self, code):
        if code not in self._orders:
            rows = np.flatnonzero(self.codes == code)
            self._orders[code] = self._rng(code, _ORDER).permutation(rows)
        return self._orders[code]

    def sizes(self, undersampling, smote):
        """Rows kept and points added at these levels: equal sizes are equal samples.

        Parameters
        ----------
        undersampling, smote : dict of {int: float}
            Per cent, by the position of the class.

        Returns
        -------
        sizes : tuple of int
        """
        kept = [max(1, self._share(code, percent)) for code, percent in undersampling.items()]
        return *kept, *(self._share(code, percent) for code, percent in smote.items())

    def _share(self, code, percent):
        return round(percent * self._counts[code] / 100)

    def kept(self, undersampling):
        """Positions of the rows that stay, in their order.

        Parameters
        ----------
        undersampling : dict of {int: float}
            Per cent of the rows to keep, by the position of the class; at least one row stays.

        Returns
        -------
        rows : int ndarray
        """
        stays = np.ones(len(self.codes), dtype=bool)
        for code, n_kept in zip(undersampling, self.sizes(undersampling, {}), strict=True):
            stays[self._order(code)[n_kept:]] = False
        return np.flatnonzero(stays)

    def _pairs(self, code):
        """Rows of the class in their random order, their neighbours and their neighbours' modes."""
        if code not in self._neighbours:
            X = self.values[self._order(code)]
            neighbours = nearest_neighbours(distance_space(X, self.nominal), self._k_neighbors)
            modes = [neighbours_mode(c, neighbours) for c in X[:, self.nominal].T]
            self._neighbours[code] = X, neighbours, np.array(modes).T
        return self._neighbours[code]

    def round(self, code, number):
        """One synthetic point from each row of the class."""
        if (code, number) not in self._rounds:
            X, neighbours, modes = self._pairs(code)
            rng = self._rng(code, _ORDER + number)
            start, end = (X[rows] for rows in draw_pairs(neighbours, len(X), rng))
            gap = rng.random((len(X), 1 if self._gap == "point" else X.shape[1]))
            with np.errstate(invalid="ignore"):  # of infinite values the estimator complains
                points = (1 - gap) * start + gap * end
                # Rounding must not lead outside, least of all where both ends are equal.
                np.clip(points, np.minimum(start, end), np.maximum(start, end), out=points)
            if self.nominal.any():
                points[:, self.nominal] = modes
            self._rounds[code, number] = points
        return self._rounds[code, number]

    def rounds(self, code, percent):
        """The rounds of SMOTE that a level takes, from 1, and how many points of each.

        Parameters
        ----------
        code : int
        percent : float

        Returns
        -------
        rounds : list of (int, int)
        """
        n, n_new = self._counts[code], self._share(code, percent)
        return [(1 + k, min(n, n_new - k * n)) for k in range(-(-n_new // n))]

    def synthetic(self, code, percent):
        """Synthetic points of a class, `percent` of the number of its rows.

        Parameters
        ----------
        code : int
        percent : float

        Returns
        -------
        points : float ndarray of shape (n_new, n_features)
        """
        rounds = [self.round(code, number)[:n] for number, n in self.rounds(code, percent)]
        return np.concatenate([self.values[:0], *rounds])

    def sample(self, undersampling, smote):
        """The sample at these levels: rows that stay, then synthetic ones.

        Parameters
        ----------
        undersampling, smote : dict of {int: float}
            Per cent kept, and synthetic points in per cent, by the position of the class.

        Returns
        -------
        values : float ndarray of shape (n_sampled, n_features)
        codes : int ndarray of shape (n_sampled,)
        """
        rows = self.kept(undersampling)
        points = {code: self.synthetic(code, percent) for code, percent in smote.items()}
        added = np.repeat(list(points), [len(new) for new in points.values()]).astype(rows.dtype)
        return (
            np.concatenate([self.values[rows], *points.values()]),
            np.concatenate([self.codes[rows], added]),
        )
