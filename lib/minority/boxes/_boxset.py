"""A union of axis-parallel boxes: the model that every box learner returns."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from minority._columns import as_pandas
from minority._condition import (
    OR_MISSING,
    Interval,
    NoneOf,
    OneOf,
    OrMissing,
    as_floats,
    format_number,
    format_word,
    mask_quotes,
    parse_condition,
    query_name,
    split_text,
)
from minority.boxes._fast_kernels import nearest_beyond

# Rows are handled in blocks of about this many (box, row) pairs: temporaries stay in the cache.
_BLOCK_PAIRS = 2**18
_BLOCK_ROWS = 2**14
_EMPTY = re.compile(r"no row \((.*) is empty\)")
_LONGEST_LIST = 100  # characters of the names of unused features, beyond which they are counted


def _column_blocks(X, n_boxes):
    """Yield (rows, X[rows].T) with each feature contiguous."""
    step = min(_BLOCK_ROWS, max(1, _BLOCK_PAIRS // max(1, n_boxes)))
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        yield rows, np.ascontiguousarray(X[rows].T)


def _covers_each(columns, lower, upper):
    """Membership of shape (..., n_boxes, n_samples) for bounds of (..., n_boxes, n_features)."""
    inside = np.ones((*lower.shape[:-1], columns.shape[1]), dtype=bool)
    for j, column in enumerate(columns):
        if np.isfinite(lower[..., j]).any():
            inside &= lower[..., j, None] <= column
        if np.isfinite(upper[..., j]).any():
            inside &= upper[..., j, None] >= column
    return inside


def covers_union(X, lower, upper):
    """Which rows lie in at least one box, for one union of boxes or for an array of unions.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    lower, upper : ndarray of shape (..., n_boxes, n_features)

    Returns
    -------
    covered : bool ndarray of shape (..., n_samples)
    """
    covered = np.empty((*lower.shape[:-2], len(X)), dtype=bool)
    n_boxes = np.prod(lower.shape[:-1], dtype=int)
    for rows, columns in _column_blocks(X, n_boxes):
        covered[..., rows] = _covers_each(columns, lower, upper).any(axis=-2)
    return covered


def _is_number(categories):
    return len(categories) == 1 and type(categories[0]) in (int, float)


def _condition_text(condition, digits):
    """A condition as text: ``= 3`` is an interval of one value, ``in {3}`` a category."""
    name = format_word(condition.feature)
    if isinstance(condition, OrMissing) and not condition.is_alone:
        return _condition_text(condition.condition, digits) + OR_MISSING
    if isinstance(condition, Interval) and condition.lower == condition.upper:
        return f"{name} = {format_number(condition.lower, digits)}"
    if isinstance(condition, OneOf) and _is_number(condition.categories):
        return f"{name} in {{{format_word(condition.categories[0])}}}"
    return condition.to_text(digits)


def _parse_condition(text):
    """The condition that a text from `_condition_text` says."""
    if mask_quotes(text).endswith(OR_MISSING):
        return OrMissing(_parse_condition(text.removesuffix(OR_MISSING)))
    condition = parse_condition(text)
    is_value = isinstance(condition, OneOf) and _is_number(condition.categories)
    if is_value and not text.endswith("}"):
        return Interval(condition.feature, *condition.categories * 2)
    return condition


@dataclass(frozen=True, eq=False)
class BoxSet:
    """A union of closed axis-parallel boxes.

    A row is covered if it lies in at least one box; a row on a face lies in the box. No box at
    all is a legal model that covers nothing, and so is a box whose lower bound exceeds its upper.

    Parameters
    ----------
    lower, upper : array-like of shape (n_boxes, n_features)
        Boundaries; ``-inf`` and ``inf`` stand for boundaries that do not exist.

    feature_names : sequence of str, default=None
        Names used in text; ``x0, x1, ...`` by default.

    neighbours : ndarray of shape (2, 2, n_boxes, n_features), default=None
        Set by `shorten`: for lower and upper faces the values next to them, below and above.

    subsets : mapping of (box, feature) to OneOf or NoneOf, default=None
        Conditions on categories, by the positions of box and feature, which have no boundaries
        then.

    gaps : bool ndarray of shape (n_boxes, n_features), default=None
        Whether the condition of a box on a feature holds where the value is missing; by default it
        does not. See `from_conditions`.

    Examples
    --------
    >>> import numpy as np
    >>> from minority.boxes import BoxSet
    >>> boxes = BoxSet([[0, -np.inf]], [[1, 5]], feature_names=["width", "height"])
    >>> boxes.covers([[1, -3], [1, 6]])
    array([ True, False])
    >>> print(boxes)
    positive if 0 <= width <= 1 and height <= 5
    >>> boxes.to_query()
    '(`width` >= 0.0 and `width` <= 1.0 and `height` <= 5.0)'
    """

    lower: np.ndarray
    upper: np.ndarray
    feature_names: tuple[str, ...] | None = None
    neighbours: np.ndarray | None = field(default=None, repr=False)
    subsets: Mapping | None = field(default=None, repr=False)
    gaps: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self):
        lower, upper = (np.array(bound, dtype=np.float64) for bound in (self.lower, self.upper))
        if lower.ndim != 2 or lower.shape != upper.shape or lower.shape[1] == 0:
            raise ValueError(
                "lower and upper must have the same shape (n_boxes, n_features), got "
                f"{lower.shape} and {upper.shape}."
            )
        if np.isnan(lower).any() or np.isnan(upper).any():
            raise ValueError("A boundary is NaN; a boundary that does not exist is infinite.")
        names = self.feature_names
        names = [f"x{j}" for j in range(lower.shape[1])] if names is None else names
        if len(names) != lower.shape[1]:
            raise ValueError(f"{len(names)} feature names for {lower.shape[1]} features.")
        lower.flags.writeable = upper.flags.writeable = False
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "feature_names", tuple(map(str, names)))
        subsets = {} if self.subsets is None else dict(self.subsets)
        restricted = np.isfinite(lower) | np.isfinite(upper)
        for place, condition in subsets.items():
            if restricted[place] or (restricted[:, place[1]].any() and condition.categories):
                raise ValueError(
                    f"Feature {condition.feature!r} has conditions on numbers and on categories."
                )
        for place in subsets:
            restricted[place] = True
        gaps = ~restricted if self.gaps is None else ~restricted | np.asarray(self.gaps, dtype=bool)
        gaps.flags.writeable = restricted.flags.writeable = False
        object.__setattr__(self, "subsets", subsets)
        object.__setattr__(self, "gaps", gaps)
        object.__setattr__(self, "_restricted", restricted)

    @classmethod
    def from_conditions(cls, boxes, feature_names):
        """The boxes in which all of some conditions hold.

        Parameters
        ----------
        boxes : sequence of sequences of conditions
            For each box at most one condition for each feature, of `minority.rules`: `Interval`
            (closed), `OneOf`, `NoneOf`, or one of these in `OrMissing`.
        feature_names : sequence of str

        Returns
        -------
        boxes : BoxSet

        Examples
        --------
        >>> from minority.boxes import BoxSet
        >>> from minority.rules import Interval, NoneOf, OrMissing
        >>> conditions = [OrMissing(Interval("age", lower=60)), NoneOf("country", ["FR"])]
        >>> print(BoxSet.from_conditions([conditions], ["age", "country"]))
        positive if age >= 60 (or missing) and country != FR
        """
        position = {str(name): j for j, name in enumerate(feature_names)}
        lower = np.full((len(boxes), len(feature_names)), -np.inf)
        upper, gaps, subsets = -lower, np.zeros(lower.shape, dtype=bool), {}
        for k, box in enumerate(boxes):
            for condition in box:
                j = position[condition.feature]
                gaps[k, j] = isinstance(condition, OrMissing)
                inside = condition.condition if gaps[k, j] else condition
                if isinstance(inside, Interval):
                    lower[k, j], upper[k, j] = inside.lower, inside.upper
                else:
                    subsets[k, j] = inside
        return cls(lower, upper, feature_names, subsets=subsets, gaps=gaps)

    def __len__(self):
        return len(self.lower)

    def __eq__(self, other):
        if not isinstance(other, BoxSet):
            return NotImplemented
        return (
            self.feature_names == other.feature_names
            and np.array_equal(self.lower, other.lower)
            and np.array_equal(self.upper, other.upper)
            and np.array_equal(self.gaps, other.gaps)
            and self.subsets == other.subsets
        )

    def __str__(self):
        return self.to_text()

    @cached_property
    def _categories(self):
        """The categories that conditions name, by the position of a feature without boundaries."""
        named, numeric = {}, self._bounded()
        for (_, j), condition in self.subsets.items():
            if not numeric[j]:
                named.setdefault(j, {}).update(dict.fromkeys(condition.categories))
        return {j: pd.Index(list(names), dtype=object) for j, names in named.items()}

    def _as_array(self, X):
        """Float rows; the columns of a frame by name where it has them all, else by position.

        Categories as their positions in `_categories`, others as the number of these.
        """
        X = as_pandas(X)
        if hasattr(X, "columns") and set(self.feature_names) <= set(X.columns):
            X = X[list(self.feature_names)]
        is_frame = isinstance(X, pd.DataFrame)
        if not is_frame:
            X = np.asarray(X) if self._categories else np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.lower.shape[1]:
            raise ValueError(
                f"Expected rows of {self.lower.shape[1]} features, got an array of shape {X.shape}."
            )
        if not is_frame and not self._categories:
            return X
        array = np.zeros(X.shape)
        for j in np.flatnonzero(self._used()):
            column = X.iloc[:, j] if is_frame else pd.Series(X[:, j])
            if j in self._categories:
                codes = self._categories[j].get_indexer(pd.Index(column, dtype=object))
                codes = np.where(codes < 0, len(self._categories[j]), codes)
                array[:, j] = np.where(column.isna(), np.nan, codes)
            else:
                array[:, j] = as_floats(column)
        return array

    def _fulfils(self, k, j, column):
        """Which values of a column from `_as_array`, if not missing, fulfil `subsets[k, j]`."""
        condition = self.subsets[k, j]
        known = self._categories.get(j, pd.Index([], dtype=object))
        listed = np.append(known.isin(condition.categories), False)
        codes = np.nan_to_num(column).astype(np.intp) if j in self._categories else 0
        return (~listed if isinstance(condition, NoneOf) else listed)[codes]

    def _inside_each(self, columns):
        """Membership of shape (n_boxes, n_samples)."""
        if not self.subsets and not np.isnan(columns).any():
            return _covers_each(columns, self.lower, self.upper)
        inside = np.ones((len(self), columns.shape[1]), dtype=bool)
        for j in np.flatnonzero(self._used()):
            one = slice(j, j + 1)
            own = _covers_each(columns[one], self.lower[:, one], self.upper[:, one])
            for k in (k for k, feature in self.subsets if feature == j):
                own[k] = self._fulfils(k, j, columns[j])
            inside &= np.where(np.isnan(columns[j]), self.gaps[:, j, None], own)
        return inside

    def covers(self, X):
        """Which rows lie in at least one box: bool ndarray of shape (n_samples,)."""
        X = self._as_array(X)
        covered = np.empty(len(X), dtype=bool)
        for rows, columns in _column_blocks(X, len(self)):
            covered[rows] = self._inside_each(columns).any(axis=0)
        return covered

    def covers_each(self, X):
        """Which rows lie in each box: bool ndarray of shape (n_boxes, n_samples)."""
        X = self._as_array(X)
        covered = np.empty((len(self), len(X)), dtype=bool)
        for rows, columns in _column_blocks(X, len(self)):
            covered[:, rows] = self._inside_each(columns)
        return covered

    def margin(self, X, scale=1.0, limit=2.0):
        """How deep each row lies in its best box; negative outside of all boxes.

        The depth of a row in a box is its smallest signed distance from a finite boundary, divided
        by the `scale` of that feature. Where a category or a missing value decides it is 1 or -1,
        as if there were a boundary in the middle between 0 and 1, scaled to [-1, 1].

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        scale : float or array-like of shape (n_features,), default=1.0
            Unit of each feature.
        limit : float, default=2.0
            Largest margin, also that of a box without boundaries.

        Returns
        -------
        margin : ndarray of shape (n_samples,)
            Finite, never zero, and positive exactly where `covers` is true.
        """
        X = self._as_array(X)
        scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), X.shape[1:])
        margin, covered = np.empty(len(X)), np.empty(len(X), dtype=bool)
        for rows, columns in _column_blocks(X, len(self)):
            depth = np.full((len(self), columns.shape[1]), np.inf)
            # Distances may exceed the largest float. A row at infinity is NaN away from a boundary
            # that does not exist, as is any row that misses the value, which fmin passes over.
            with np.errstate(over="ignore", invalid="ignore"):
                for j, column in enumerate(columns):
                    if np.isfinite(self.lower[:, j]).any():
                        np.fmin(depth, (column - self.lower[:, j, None]) / scale[j], out=depth)
                    if np.isfinite(self.upper[:, j]).any():
                        np.fmin(depth, (self.upper[:, j, None] - column) / scale[j], out=depth)
                    self._approach(depth, j, column)
            margin[rows] = depth.max(axis=0, initial=-np.inf)
            covered[rows] = self._inside_each(columns).any(axis=0)
        info = np.finfo(np.float64)
        np.clip(margin, info.min, limit, out=margin)
        # Boxes are closed: a row on a face is inside, although its distance is zero.
        return np.where(covered, np.maximum(margin, info.tiny), np.minimum(margin, -info.tiny))

    def _approach(self, depth, j, column):
        """Lower the depth of rows to what categories and missing values of a feature make it."""
        for k in (k for k, feature in self.subsets if feature == j):
            depth[k] = np.minimum(depth[k], np.where(self._fulfils(k, j, column), 1, -1))
        missing, restricted = np.isnan(column), self._restricted[:, j]
        if missing.any():
            rows = np.ix_(restricted, missing)
            gap = np.where(self.gaps[restricted, j, None], 1, -1)
            depth[rows] = np.minimum(depth[rows], gap)

    def shorten(self, X):
        """The same boxes, printed with the shortest numbers that cover the same rows of `X`."""
        return self.with_neighbours(*self.nearest_to_faces(X))

    def nearest_to_faces(self, X):
        """The values of rows next to the faces, below and above, for `with_neighbours`."""
        X = self._as_array(X)
        # A value on a face is inside: above a lower one, below an upper one.
        return nearest_beyond(
            X,
            np.ones(len(X), dtype=bool),
            np.vstack([self.lower, np.nextafter(self.upper, np.inf)]),
            np.vstack([np.nextafter(self.lower, -np.inf), self.upper]),
        )

    def with_neighbours(self, below, above):
        """What `shorten` gives for rows with these values next to the faces."""
        near = np.stack([below, above]).reshape(2, 2, *self.lower.shape).swapaxes(0, 1)
        return replace(self, neighbours=near)

    def categories_of(self, feature):
        """The categories that conditions on a feature, by its position, name: a list."""
        return list(self._categories.get(feature, ()))

    def empty(self):
        """Which boxes no row can lie in: bool ndarray of shape (n_boxes,)."""
        return np.array([any(c.is_empty for c in box) for box in self.conditions()], dtype=bool)

    def _bounded(self):
        """Which features have a boundary."""
        return (np.isfinite(self.lower) | np.isfinite(self.upper)).any(axis=0)

    def _used(self):
        """Which features have a condition."""
        return self._restricted.any(axis=0)

    def conditions(self):
        """For each box its conditions: a list of lists, of conditions of `minority.rules`."""
        boxes = []
        for k, faces in enumerate(np.stack([self.lower, self.upper], axis=1)):
            conditions = []
            for j in np.flatnonzero(self._restricted[k]):
                condition = self.subsets.get((k, j))
                if condition is None:
                    is_face, near = np.isfinite(faces[:, j]), None
                    if self.neighbours is not None and faces[0, j] < faces[1, j]:
                        pairs = self.neighbours[:, :, k, j][is_face]
                        near = tuple(map(tuple, pairs.tolist()))
                    condition = Interval(self.feature_names[j], *faces[:, j], neighbours=near)
                conditions.append(OrMissing(condition) if self.gaps[k, j] else condition)
            boxes.append(conditions)
        return boxes

    def _texts(self, digits, write=None):
        """One sentence part per box."""
        texts = []
        for conditions in self.conditions():
            parts = [_condition_text(condition, digits) for condition in conditions]
            text = (write(conditions) if write else " and ".join(parts)) or "every row"
            is_empty = any(condition.is_empty for condition in conditions)
            texts.append(f"no row ({text} is empty)" if is_empty else text)
        return texts

    def to_text(self, digits=None, positive="positive", write=None):
        """The model as sentences.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which `parse` gives boxes that cover the same rows:
            those given to `shorten`, else all that there can be. A number of significant digits
            (more where two bounds would look the same) is for reading only: the text may cover
            other rows than the boxes.
        positive : str, int, float or bool, default="positive"
            The class that the boxes describe.
        write : callable, default=None
            From a sequence of conditions to their text, "" if they hold everywhere; for other
            words than the conditions' own.

        Returns
        -------
        text : str
            Boundaries that do not exist are not printed. Features without any condition are
            named in the last line, or counted if they are many.
        """
        texts, positive = self._texts(digits, write), format_word(positive)
        if len(texts) == 0:
            lines = [f"{positive}: never"]
        elif len(texts) == 1:
            lines = [f"{positive}{':' if texts == ['every row'] else ' if'} {texts[0]}"]
        else:
            lines = [f"{positive} if at least one of these holds:"]
            lines += [f"  {k}. {text}" for k, text in enumerate(texts, start=1)]
        unused = [
            format_word(name)
            for name, is_used in zip(self.feature_names, self._used(), strict=True)
            if not is_used
        ]
        if unused and not write:  # other words may be about other features
            names = ", ".join(unused)
            count = f"{len(unused)} of {len(self.feature_names)} features"
            lines.append(f"Not used: {names if len(names) <= _LONGEST_LIST else count}")
        return "\n".join(lines)

    @classmethod
    def parse(cls, text, feature_names=None):
        """The boxes that a text from `to_text` says.

        Parameters
        ----------
        text : str
        feature_names : sequence of str, default=None
            Of all features; by default those that have a condition, in order of appearance.

        Returns
        -------
        boxes : BoxSet
        """
        head, *lines = text.splitlines()
        masked = mask_quotes(head)
        if masked.endswith(": never"):
            texts = []
        elif masked.endswith(": every row"):
            texts = ["every row"]
        elif masked.endswith(" if at least one of these holds:"):
            texts = [re.sub(r"^  \d+\. ", "", line) for line in lines if line.startswith("  ")]
        elif " if " in masked:
            texts = [head[masked.index(" if ") + len(" if ") :]]
        else:
            raise ValueError(f"Not a union of boxes: {head!r}")
        boxes = []
        for part in texts:
            empty = _EMPTY.fullmatch(part)
            part = empty[1] if empty else part
            found = [] if part == "every row" else map(_parse_condition, split_text(part, " and "))
            boxes.append(list(found))
        if feature_names is None:
            feature_names = list(dict.fromkeys(c.feature for box in boxes for c in box))
        if not len(feature_names):
            raise ValueError("The text names no feature: pass feature_names.")
        return cls.from_conditions(boxes, feature_names)

    def to_query(self):
        """The model as an expression for `pandas.DataFrame.query`.

        Bounds are written in full precision: the query selects exactly the covered rows.
        """
        first = query_name(self.feature_names[0])
        # query() takes no constants, so "every row" is said by way of a column.
        queries = [
            " and ".join(condition.to_query() for condition in box) or f"{first} not in []"
            for box in self.conditions()
        ]
        return " or ".join(f"({query})" for query in queries) or f"{first} in []"

    def to_sql(self):
        """The model as a condition for SQL's WHERE that selects exactly the covered rows."""
        boxes = [" AND ".join(c.to_sql() for c in box) or "1 = 1" for box in self.conditions()]
        return " OR ".join(f"({box})" for box in boxes) or "1 = 0"

    def frame(self, X=None, y_positive=None, digits=None):
        """The boxes as a table, one row per box.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows to count.
        y_positive : array-like of bool of shape (n_samples,), default=None
            Which of the rows are positive.
        digits : int or None, default=None
            Of the numbers in the conditions, as in `to_text`.

        Returns
        -------
        frame : pandas.DataFrame
            Column `conditions`; with `X` also `support` (rows in the box); with both also
            `precision` (share of positives in the box, NaN if it is empty), `recall` (share of
            the positives that are in the box) and `lift` (precision over the share of positives
            in the data). Indexed by box, from 1.
        """
        index = pd.RangeIndex(1, len(self) + 1, name="box")
        frame = pd.DataFrame({"conditions": pd.Series(self._texts(digits), index, dtype=str)})
        if X is None:
            if y_positive is not None:
                raise ValueError("y_positive was given without the rows X that it belongs to.")
            return frame
        covered = self.covers_each(X)
        support = covered.sum(axis=1)
        frame["support"] = support
        if y_positive is None:
            return frame
        y_positive = np.asarray(y_positive)
        if y_positive.shape != covered.shape[1:] or y_positive.dtype != bool:
            raise ValueError(
                f"y_positive must be a boolean array of length {covered.shape[1]}, got "
                f"{y_positive.dtype} of shape {y_positive.shape}."
            )
        hits = covered[:, y_positive].sum(axis=1)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, as documented
            frame["precision"] = hits / support
            frame["recall"] = hits / np.float64(y_positive.sum())
            frame["lift"] = frame["precision"] / y_positive.mean()
        return frame
