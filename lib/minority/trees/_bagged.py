"""Bagged trees that share one sort of the columns, or one division of them into bins."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from minority._sklearn import (
    LARGEST,
    Interval,
    StrOptions,
    _fit_context,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)
from minority.trees._binned import MOST_BINS, bins_of, grow_binned
from minority.trees._grower import grow, sorted_orders
from minority.trees._splits import CRITERIA, compiled, xlogx_table

# Draws of a sample that are tried until every class is in it.
_MOST_DRAWS = 1000
# Rows beyond which columns are put into bins by default.
_MOST_EXACT_ROWS = 10_000


@compiled
def _sample_of(columns, orders, y, counts, features):
    """Chosen columns, sorted orders, classes and weights of the rows with counts, renumbered."""
    n_rows = np.count_nonzero(counts)
    number = np.full(len(counts), -1, np.int32)
    kept = np.empty(n_rows, np.uint32)
    place = 0
    for row in range(len(counts)):
        if counts[row]:
            number[row] = place
            kept[place] = row
            place += 1
    new_orders = np.empty((1 + len(features), n_rows), np.uint32)
    new_orders[0] = np.arange(n_rows)
    new_columns = np.empty((len(features), n_rows), columns.dtype)
    order = np.empty(n_rows + 1, np.uint32)
    for j in range(len(features)):
        place = 0
        for row in orders[1 + features[j]]:
            order[place] = number[row]  # without a jump: what is not kept is written over
            place += number[row] >= 0
        new_orders[1 + j] = order[:n_rows]
        for i in range(n_rows):
            new_columns[j, i] = columns[features[j], kept[i]]
    return new_columns, new_orders, y[kept], counts[kept].astype(np.float64)


@compiled
def _step(node, feature, threshold, child, row):
    return child[node] + np.uint32(row[feature[node]] > threshold[node])


@compiled
def _find_leaves(tree, X, out):
    """The leaf of each row, for trees with numeric splits only."""
    # A leaf leads to itself, so four rows go down together without a branch between them, and
    # unsigned positions need no test of their sign.
    child, feature = tree.first_child.astype(np.uint32), tree.feature.astype(np.uint32)
    threshold = tree.threshold.copy()
    for node in range(len(child)):
        if tree.feature[node] < 0:
            child[node], feature[node], threshold[node] = node, 0, np.inf
    last = len(X) - 1
    for i in range(0, len(X), 4):
        # Beyond the end the last row is repeated.
        j, k, m = min(i + 1, last), min(i + 2, last), min(i + 3, last)
        a = b = c = d = np.uint32(0)
        while True:
            a_next = _step(a, feature, threshold, child, X[i])
            b_next = _step(b, feature, threshold, child, X[j])
            c_next = _step(c, feature, threshold, child, X[k])
            d_next = _step(d, feature, threshold, child, X[m])
            if a == a_next and b == b_next and c == c_next and d == d_next:
                break
            a, b, c, d = a_next, b_next, c_next, d_next
        out[i], out[j], out[k], out[m] = a, b, c, d


def draw_counts(codes, n_draws, bootstrap, rng):
    """How often each row is in a sample; drawn again until the sample has every class."""
    n_samples, n_classes = len(codes), codes.max() + 1
    for _ in range(_MOST_DRAWS):
        if bootstrap:
            counts = np.bincount(rng.integers(n_samples, size=n_draws), minlength=n_samples)
        else:
            counts = np.zeros(n_samples, dtype=np.int64)
            counts[rng.choice(n_samples, size=n_draws, replace=False)] = 1
        if np.bincount(codes[counts > 0], minlength=n_classes).all():
            return counts
    raise ValueError(
        f"{_MOST_DRAWS} samples of {n_draws} rows lacked a class each: max_samples is too small."
    )


class BaggedTreesClassifier(ClassifierMixin, BaseEstimator):
    """Unpruned trees on random samples of the rows, with their votes at hand.

    The columns are sorted once for all trees, or on large data divided into bins; each tree then
    only picks its rows. Without bins, the trees are those that would be grown on each sample by
    itself.

    Use it when you need bagged trees quickly, with the vote of each tree at hand: many trees on
    small samples are cheap. Data: hundreds to millions of rows.

    Not for imbalance by itself: its samples keep the class sizes, and the rare class is often
    outvoted. `DAMVIClassifier` weights the votes of these trees, and imbalanced-learn's
    `BalancedRandomForestClassifier` balances their samples. It has no class weights. For one tree
    that can be read use `C45Classifier`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.

    max_samples : int or float, default=0.2
        Draws per tree: a number, or a share of the rows.

    bootstrap : bool, default=True
        Whether rows are drawn with replacement. A sample without all classes is drawn again.

    criterion : {"gini", "entropy"}, default="gini"
        What a split reduces.

    min_samples_leaf : float, default=1
        Smallest weight of cases in both sides of a split.

    max_bins : int, None or "auto", default="auto"
        Into how many bins of about equal numbers of rows the values of a feature are put at most,
        from 2 to 256: splits then lie between bins, and trees grow many times as fast. A feature
        with no more values than that has a bin for each, and nothing changes. None: all splits are
        compared. "auto": None up to 10,000 rows, and 256 beyond.

    random_state : int, RandomState instance or None, default=None
        Randomness of the samples and of ties.

    n_jobs : int or None, default=None
        Number of threads. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    trees_ : list of Tree
        The trees as arrays: `feature` (-1 in leaves), `threshold`, `first_child`, `n_children`
        and `counts`, the numbers of cases of the classes.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    Notes
    -----
    Splits are binary, midway between two values. Among equally good ones the first feature wins, in
    an order that is drawn for each tree, and its lowest threshold: on small samples ties are
    frequent, and if the same feature won them in all trees, these would differ less than they
    could. Missing values are rejected.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import BaggedTreesClassifier
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> y = (y == 8).map({True: "eight", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = BaggedTreesClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> scores = model.predict_proba(X_test)[:, 0]
    >>> round(average_precision_score(y_test == "eight", scores), 2)
    0.85
    >>> model.votes(X_test).shape
    (450, 50)
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "bootstrap": ["boolean"],
        "criterion": [StrOptions({"gini", "entropy"})],
        "min_samples_leaf": [Interval(Real, 0, LARGEST, closed="right")],
        "max_bins": [
            Interval(Integral, 2, MOST_BINS, closed="both"),
            StrOptions({"auto"}),
            None,
        ],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        n_estimators=100,
        max_samples=0.2,
        bootstrap=True,
        criterion="gini",
        min_samples_leaf=1,
        max_bins="auto",
        random_state=None,
        n_jobs=None,
    ):
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : BaggedTreesClassifier
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        codes = codes.astype(np.int32)
        n_samples = len(y)
        n_draws = self.max_samples
        if not isinstance(n_draws, Integral):
            n_draws = max(1, round(n_draws * n_samples))
        if n_draws > n_samples and not self.bootstrap:
            raise ValueError(f"max_samples={n_draws} of {n_samples} rows needs bootstrap=True.")
        n_draws = max(n_draws, len(self.classes_))

        max_bins = self.max_bins
        if max_bins == "auto":
            max_bins = MOST_BINS if n_samples > _MOST_EXACT_ROWS else None
        # Threads: the compiled code releases the lock, and nothing is copied.
        parallel = Parallel(n_jobs=self.n_jobs, require="sharedmem")
        if max_bins is None:
            grow_on = self._exact_grower(X, codes, n_draws)
        else:
            grow_on = self._binned_grower(X, codes, n_draws, max_bins, parallel)
        seeds = check_random_state(self.random_state).randint(2**32, size=self.n_estimators)

        def one_tree(seed):
            rng = np.random.default_rng(seed)
            counts = draw_counts(codes, n_draws, self.bootstrap, rng)
            return grow_on(counts, rng.permutation(X.shape[1]))

        self.trees_ = parallel(delayed(one_tree)(seed) for seed in seeds)
        return self

    def _exact_grower(self, X, codes, n_draws):
        """A function from the counts of a sample and the order of the features to a tree."""
        columns = np.array(X.T, order="C")
        n_categories = np.zeros(len(columns), dtype=np.int64)
        orders = sorted_orders(columns, n_categories)
        table = xlogx_table(n_draws)

        def grow_on(counts, features):
            tree = grow(
                *_sample_of(columns, orders, codes, counts.astype(np.int32), features),
                len(self.classes_),
                n_categories,
                CRITERIA[self.criterion],
                float(self.min_samples_leaf),
                0.0,
                table,
            )
            inner = tree.feature >= 0
            tree.feature[inner] = features[tree.feature[inner]]
            return tree

        return grow_on

    def _binned_grower(self, X, codes, n_draws, max_bins, parallel):
        """The same with columns in bins."""
        bins = np.empty(X.shape, dtype=np.uint8)
        low, high = np.full((2, X.shape[1], max_bins), np.nan)

        def divide(j):
            bins[:, j], lowest, highest = bins_of(X[:, j], max_bins)
            low[j, : len(lowest)], high[j, : len(lowest)] = lowest, highest
            return len(lowest)

        most = max(parallel(delayed(divide)(j) for j in range(X.shape[1])))
        low, high = low[:, :most].copy(), high[:, :most].copy()
        codes, table = codes.astype(np.uint32), xlogx_table(n_draws)

        def grow_on(counts, features):
            rows = np.flatnonzero(counts)
            return grow_binned(
                bins[rows],
                low,
                high,
                codes[rows],
                counts[rows].astype(np.uint32),
                features,
                len(self.classes_),
                CRITERIA[self.criterion],
                float(self.min_samples_leaf),
                table,
            )

        return grow_on

    def _leaves(self, X):
        """Yield the leaf of each row, tree by tree."""
        check_is_fitted(self)
        X = np.require(
            validate_data(self, X, dtype=np.float64, reset=False), requirements=["C", "W"]
        )
        leaves = np.empty(len(X), dtype=np.int32)
        for tree in self.trees_:
            _find_leaves(tree, X, leaves)
            yield tree, leaves

    def votes(self, X):
        """What each tree predicts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        votes : ndarray of shape (n_samples, n_estimators)
            Of type int8, unless there are more than 128 classes.
            With two classes, 1 for ``classes_[1]`` and -1 for the other; with more, the position
            of the class in `classes_`.
        """
        columns, dtype = [], np.min_scalar_type(-len(self.classes_))
        for tree, leaves in self._leaves(X):
            labels = tree.counts.argmax(axis=1).astype(dtype)
            columns.append((2 * labels - 1 if len(self.classes_) == 2 else labels)[leaves])
        return np.array(columns).T

    def predict_proba(self, X):
        """Mean over the trees of the shares of the classes in the leaf of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        total = 0.0
        for tree, leaves in self._leaves(X):
            total = total + (tree.counts / tree.counts.sum(axis=1, keepdims=True))[leaves]
        return total / len(self.trees_)

    def predict(self, X):
        """Predict the most probable class; the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        proba = self.predict_proba(X).round(12)  # shares that differ in their last bits are equal
        return self.classes_[proba.argmax(axis=1)]
