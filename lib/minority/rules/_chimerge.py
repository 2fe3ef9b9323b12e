"""ChiMerge: from numbers to intervals that differ in their shares of two classes."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.stats import chi2
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import ClassifierTags

from minority import _condition as condition
from minority._batches.rows import Batch, Rows, table_of, takes_tables
from minority._positive import PositiveClassMixin
from minority._sklearn import Interval, StrOptions, _fit_context, check_is_fitted, validate_data

MOST_CODES = 255  # of a byte, with one left for what has no code
LEVEL = 0.05  # of which significance="corrected" takes a part for each cut that could be made


def _distinct(column):
    """The distinct values, ascending, without missing ones."""
    return np.unique(column[~np.isnan(column)])


def _lower_bounds(values, edges):
    """Lower bounds of one interval per distinct value: -inf, then as `edges` says."""
    if edges == "values":
        return np.concatenate([[-np.inf], values[1:].astype(np.float64)])
    below, above = values[:-1], values[1:]
    # In the precision of the data, so that bounds mean the same wherever the rules are used.
    middle = below / 2 + above / 2
    middle = np.where((below < middle) & (middle <= above), middle, above)
    return np.concatenate([[-np.inf], middle.astype(np.float64)])


def _intervals(cut_points):
    """Lower bounds and codes of the intervals between cut points."""
    return np.concatenate([[-np.inf], cut_points]), np.arange(len(cut_points) + 1)


def _classic_counts(column, is_positive):
    """All distinct values, and their counts (of negatives, of positives)."""
    present = ~np.isnan(column)
    values, interval = np.unique(column[present], return_inverse=True)
    is_positive = is_positive[present]
    negatives, positives = (
        np.bincount(interval[rows], minlength=len(values)) for rows in (~is_positive, is_positive)
    )
    return values, np.array([negatives, positives])


def find_cut_points(
    rows, columns, *, nominal=(), method, significance, max_intervals, edges, n_jobs=None
):
    """Cut points of some columns.

    Parameters
    ----------
    rows : Rows
        Of float32 or float64; NaN is missing.
    columns : int64 ndarray
    nominal : sequence of int, default=()
        Other columns, of positions of categories.
    method, significance, max_intervals, edges, n_jobs
        See `ChiMerge`.

    Returns
    -------
    cut_points : list of float64 ndarray
    distinct : list of ndarray
        Of each nominal column the positions that occur.
    """
    from minority.rules._rlsd_codes import join, merge_intervals

    corrected = significance == "corrected"
    n_jobs = effective_n_jobs(n_jobs)

    def cut(lower, counts):
        level = LEVEL / max(len(lower) - 1, 1) if corrected else significance
        threshold = chi2.isf(level, df=1)
        return lower[merge_intervals(counts[1], counts[0], threshold, max_intervals, corrected)][1:]

    if method == "classic":
        count = partial(_count_values, columns=columns, nominal=nominal)
        # Only in memory, so there is nothing to merge.
        counted, distinct = rows.total(count, None, _all_distinct, told="counting values")
        parts = [(_lower_bounds(values, edges), counts) for values, counts in counted]
    else:
        minority = rows.minority.X
        bounds = [_lower_bounds(_distinct(minority[:, j]), edges) for j in columns]
        lower, first = join(bounds)
        count = partial(
            _count_intervals,
            columns=columns,
            nominal=nominal,
            lower=lower,
            first=first,
            n_jobs=n_jobs,
        )
        counts, distinct = rows.total(count, np.add, _all_distinct, told="counting rows")
        parts = [
            (own, counts[:, a:b])
            for own, (a, b) in zip(bounds, pairwise(first.tolist()), strict=True)
        ]
    cut_points = Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(cut)(*p) for p in parts)
    return cut_points, distinct


def _count_intervals(batch, *, columns, nominal, lower, first, n_jobs):
    """Negative and positive rows in each interval of some columns, and categories of others."""
    from minority.rules._rlsd_codes import count_rows

    X, positive = batch.X, batch.positive
    ends = np.linspace(0, len(X), n_jobs + 1).astype(int)
    counts = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(count_rows)(X[a:b], positive[a:b], columns, lower, first)
        for a, b in pairwise(ends.tolist())
    )
    return sum(counts), [_distinct(X[:, j]) for j in nominal]


def _count_values(batch, *, columns, nominal):
    """The same for each distinct value of a column instead of intervals."""
    counted = [_classic_counts(batch.X[:, j], batch.positive) for j in columns]
    return counted, [_distinct(batch.X[:, j]) for j in nominal]


def _all_distinct(one, other):
    return [np.union1d(*pair) for pair in zip(one, other, strict=True)]


class Attribute(NamedTuple):
    """A feature as rules see it.

    Parameters
    ----------
    column : int
        Its position.
    lower : float64 ndarray
        Where its intervals start, from -inf.
    codes : ndarray
        The code of each interval; 255 is none.
    conditions : list of Interval or OneOf
        What each code says.
    """

    column: int
    lower: np.ndarray
    codes: np.ndarray
    conditions: list


def numeric_attribute(column, name, cut_points):
    """A numeric feature with at least one cut point."""
    conditions = [
        condition.Interval(name, upper=cut_points[0], closed="neither"),
        *(condition.Interval(name, a, b, closed="left") for a, b in pairwise(cut_points)),
        condition.Interval(name, lower=cut_points[-1]),
    ]
    return Attribute(column, *_intervals(cut_points), conditions)


def nominal_attribute(column, name, categories, positions):
    """A nominal feature; `positions` are those of the categories that positive examples have."""
    found, counts = np.unique(positions[~np.isnan(positions)], return_counts=True)
    found = np.sort(found[np.argsort(-counts, kind="stable")[:MOST_CODES]]).astype(np.float64)
    # Positions are whole numbers: each is an interval of its own, with a gap behind it.
    lower = np.concatenate([[-np.inf], np.column_stack([found, found + 0.5]).ravel()])
    codes = np.full(len(lower), MOST_CODES)
    codes[1::2] = np.arange(len(found))
    conditions = [condition.OneOf(name, (categories[int(position)],)) for position in found]
    return Attribute(column, lower, codes, conditions)


def numeric_intervals(attributes):
    """The numeric ones of some attributes, and their columns and intervals for `find_extremes`."""
    from minority.rules._rlsd_codes import join

    numeric = [a for a in attributes if isinstance(a.conditions[0], condition.Interval)]
    columns = np.array([attribute.column for attribute in numeric], dtype=np.int64)
    return numeric, (columns, *join([attribute.lower for attribute in numeric]))


def shorten_conditions(attributes, least, largest):
    """The same attributes; numbers in conditions are printed as short as some rows allow.

    Parameters
    ----------
    attributes : list of Attribute
    least, largest : ndarray of shape (n_intervals,)
        Values of the rows, of `find_extremes` for `numeric_intervals`.
    """
    numeric, (_, _, first) = numeric_intervals(attributes)
    shortened = {}
    for attribute, (start, stop) in zip(numeric, pairwise(first.tolist()), strict=True):
        below = np.maximum.accumulate(largest[start:stop])[:-1].tolist()
        above = np.minimum.accumulate(least[start:stop][::-1])[::-1][1:].tolist()
        near = [None, *zip(below, above, strict=True), None]  # of the bounds of each interval
        conditions = [
            replace(interval, neighbours=tuple(pair for pair in pairs if pair))
            for interval, pairs in zip(attribute.conditions, pairwise(near), strict=True)
        ]
        shortened[attribute.column] = attribute._replace(conditions=conditions)
    return [shortened.get(attribute.column, attribute) for attribute in attributes]


def conditions_of(rule, attributes):
    """What the codes of a rule say; it has a sequence of them for each attribute."""
    pairs = zip(rule, attributes, strict=True)
    return [
        _any_of([attribute.conditions[code] for code in codes])
        for codes, attribute in pairs
        if codes
    ]


def _any_of(conditions):
    """The condition that holds where one of some conditions on neighbouring codes holds."""
    first, last = conditions[0], conditions[-1]
    if len(conditions) == 1:
        return first
    if isinstance(first, condition.OneOf):
        categories = tuple(category for c in conditions for category in c.categories)
        return replace(first, categories=categories)
    if np.isinf(first.lower):
        return replace(first, upper=last.upper, neighbours=last.neighbours[-1:])
    if np.isinf(last.upper):
        return replace(last, lower=first.lower, neighbours=first.neighbours[:1])
    neighbours = (first.neighbours[0], last.neighbours[1])
    return replace(first, upper=last.upper, neighbours=neighbours)


def find_attributes(rows, names, categories, **options):
    """The features that tell anything of the class: list of Attribute.

    Numbers with one interval and nominal features with one category are left out.

    Parameters
    ----------
    rows, options
        See `find_cut_points`. Nominal features are positions of categories.
    names : sequence of str
    categories : sequence
        Categories of each nominal feature, None for a number.
    """
    numeric = np.array([j for j, known in enumerate(categories) if known is None], dtype=np.int64)
    nominal = [j for j, known in enumerate(categories) if known is not None]
    cut_points, distinct = find_cut_points(rows, numeric, nominal=nominal, **options)
    cut_points = dict(zip(numeric.tolist(), cut_points, strict=True))
    n_distinct = dict(zip(nominal, map(len, distinct), strict=True))
    attributes = []
    for j, (name, known) in enumerate(zip(names, categories, strict=True)):
        if known is None and len(cut_points[j]):
            attributes.append(numeric_attribute(j, name, cut_points[j]))
        elif known is not None and n_distinct[j] > 1:
            attributes.append(nominal_attribute(j, name, known, rows.minority.X[:, j]))
    return attributes


def check_method(method):
    """Raise an error for a version that a table in batches cannot have."""
    if method == "classic":
        raise ValueError(
            "The classic version of ChiMerge sorts the values of all rows, which have to be in "
            "memory, but X is a table in batches: use the minority version."
        )


class ChiMerge(PositiveClassMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Replace numbers by codes of intervals in which two classes have different shares.

    Neighbouring intervals are merged, always those with the least chi-square, until all
    neighbours differ significantly. The minority version [1]_ starts from one interval per value of
    the minority class and counts the majority into them, without sorting it; the classic [2]_
    starts from one interval per value.

    Use it when a learner needs categories instead of numbers, or to see which features separate the
    rare class, and where. A feature left with one interval says nothing by itself and can be
    dropped. Data: up to millions of rows; the more positives, the finer the intervals.

    Not for learners that find thresholds themselves, such as trees, rules and boxes, and not for
    more than two classes. Each feature is judged alone, so interactions are lost. With many values,
    some cuts at the level 0.05 are due to chance: lower `significance`. For intervals of equal
    width or frequency use scikit-learn's `KBinsDiscretizer`.

    Parameters
    ----------
    method : {"minority", "classic"}, default="minority"
        The version.

    significance : float or "corrected", default="corrected"
        Neighbours are merged unless their chi-square exceeds the quantile of this upper tail (one
        degree of freedom). A number is the level of each single comparison, as in the papers;
        "corrected" is a level of 0.05 for a feature as a whole, see the notes.

    max_intervals : int, default=255
        Merging goes on while there are more. 255 is what the codes can hold.

    edges : {"midway", "values"}, default="midway"
        Where intervals start: midway between neighbouring values, or at the values themselves.

    pos_label : object, default=None
        The minority class. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    n_jobs : int or None, default=None
        Threads. None means 1, -1 all processors.

    Attributes
    ----------
    cut_points_ : list of ndarray
        For each feature where its second, third, ... interval starts; empty if all values are
        alike to the classes.

    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The minority class.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    RLSDClassifier : Rules over such intervals.

    Notes
    -----
    Intervals are half-open, :math:`a \le x < b`, cut between values of the minority, or of all
    examples, and open at both ends of the range. Cells of the chi-square table with expectation 0
    count as 0; of equal chi-squares the lowest pair is merged first. Missing values take no part.
    Data in float32 is not copied to float64.

    With :math:`k` intervals to begin with, :math:`k - 1` cuts can be made, and at a level for each
    of them some are made by chance in nearly every feature. ``significance="corrected"`` divides
    0.05 by :math:`k - 1` (Bonferroni), and compares neighbours by the likelihood ratio

    .. math:: G = 2 \sum_{ij} O_{ij} \log (O_{ij} / E_{ij})

    instead of :math:`\sum_{ij} (O_{ij} - E_{ij})^2 / E_{ij}`, which, with a rare class, exceeds its
    quantiles far too often where an interval is expected to hold less than one positive. A feature
    that does not depend on the class is then left in one interval in about 95 % of all cases.

    References
    ----------
    .. [1] J. Zhang, E. Bloedorn, L. Rosen and D. Venese, "Learning rules from highly unbalanced
       data sets", Proceedings of the 4th IEEE International Conference on Data Mining, 2004.
    .. [2] R. Kerber, "ChiMerge: discretization of numeric attributes", Proceedings of the 10th
       National Conference on Artificial Intelligence, 1992.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import CategoricalNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from minority import ChiMerge
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = make_pipeline(ChiMerge(significance=0.001), CategoricalNB()).fit(X, y)
    >>> cuts = dict(zip(X.columns, model[0].cut_points_))
    >>> print(cuts["worst area"], cuts["symmetry error"])
    [733.8  934.25] []

    >>> round(model.score(X_test, y_test), 2)
    0.92
    """

    _parameter_constraints: ClassVar[dict] = {
        "method": [StrOptions({"minority", "classic"})],
        "significance": [Interval(Real, 0, 1, closed="right"), StrOptions({"corrected"})],
        "max_intervals": [Interval(Integral, 1, MOST_CODES, closed="both")],
        "edges": [StrOptions({"midway", "values"})],
        "pos_label": "no_validation",
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        method="minority",
        significance="corrected",
        max_intervals=MOST_CODES,
        edges="midway",
        pos_label=None,
        n_jobs=None,
    ):
        self.method = method
        self.significance = significance
        self.max_intervals = max_intervals
        self.edges = edges
        self.pos_label = pos_label
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the cut points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or table
            NaN is missing. A table is a dataset of pyarrow or a data frame of Dask, which is read
            in three passes: the target, the positive examples, the counts.
        y : array-like of shape (n_samples,), or str for a table
            Their classes, of which there must be two; of a table the column that has them.

        Returns
        -------
        self : ChiMerge
        """
        table = table_of(X)
        if table is None:
            X, y = validate_data(
                self, X, y, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
            )
            rows = Rows(Batch(X, self._find_positive(y)))
        else:
            from minority._batches.examples import read_rows

            check_method(self.method)
            rows, _ = read_rows(self, table, y)
        self.cut_points_, _ = find_cut_points(
            rows,
            np.arange(self.n_features_in_),
            method=self.method,
            significance=self.significance,
            max_intervals=self.max_intervals,
            edges=self.edges,
            n_jobs=self.n_jobs,
        )
        return self

    @takes_tables
    def transform(self, X):
        """Codes of the intervals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        codes : uint8 ndarray of shape (n_samples, n_features)
            From 0 in each feature; 255 where the value is missing.
        """
        from minority.rules._rlsd_codes import encode, make_coder

        check_is_fitted(self)
        X = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", reset=False
        )
        coder = make_coder([(j, *_intervals(cuts)) for j, cuts in enumerate(self.cut_points_)])
        return np.ascontiguousarray(encode(coder, X).T)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
