"""Classifiers of packages that need not be installed: the extra `showdown` of this project.

They are named here and imported when they learn, so that protocols, tables and stored rows are the
same whatever is installed.
"""

import contextlib
import importlib

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted


@contextlib.contextmanager
def _seeded_globally(seed: int):
    """Seed numpy's global generator, which FIGS draws ties from whatever its `random_state`."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


class Imported(ClassifierMixin, BaseEstimator):
    """A classifier of another package, by its name.

    It learns from arrays: some of these packages refuse the names that columns of categories have.

    Parameters
    ----------
    kind : str
        The module and the class, such as "lightgbm.LGBMClassifier".
    weights : {None, "balanced"}, default=None
        Weights of the rows, for those classes that know no balanced weights themselves.
    random_state : int, default=None
        Seed.
    **parameters
        Those of the class.
    """

    def __init__(self, kind, *, weights=None, random_state=None, **parameters):
        self.kind = kind
        self.weights = weights
        self.random_state = random_state
        for name, value in parameters.items():
            setattr(self, name, value)
        self._names = tuple(parameters)

    def get_params(self, deep=True):
        """The parameters, those of the class among them."""
        names = ("kind", "weights", "random_state", *self._names)
        return {name: getattr(self, name) for name in names}

    def unfitted(self):
        """An instance of the class itself, with these parameters."""
        module, _, name = self.kind.rpartition(".")
        given = {parameter: getattr(self, parameter) for parameter in self._names}
        kind = getattr(importlib.import_module(module), name)
        return kind(random_state=self.random_state, **given)

    def fit(self, X, y):
        """Import the class and learn."""
        self.classes_ = np.unique(y)
        weights = {}
        if self.weights is not None:
            weights["sample_weight"] = compute_sample_weight(self.weights, y)
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        with _seeded_globally(self.random_state):
            self.estimator_ = self.unfitted().fit(X, y, **weights)
        return self

    def predict(self, X):
        """The class of each row."""
        check_is_fitted(self)
        # CatBoost's come in a column
        return np.asarray(self.estimator_.predict(np.asarray(X, dtype=float))).ravel()

    def predict_proba(self, X):
        """The probabilities of both classes."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(np.asarray(X, dtype=float))


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):
    """The tree of at most some depth with the lowest balanced error, found by `pystreed`.

    Features are cut at quantiles first; the tree is optimal among those with these cuts. How many
    nodes it has is chosen by the package's own five-fold validation. Classes weigh alike, and a
    row's probability is the weighted share of its leaf, as in scikit-learn's balanced trees.

    Parameters
    ----------
    max_depth : int, default=3
        Depth at the most.
    n_thresholds : int, default=10
        Cuts of a feature at the most.
    min_samples_leaf : int, default=1
        Rows in a leaf at the least.
    random_state : int, default=None
        Seed of the folds.
    """

    def __init__(self, max_depth=3, n_thresholds=10, min_samples_leaf=1, random_state=None):
        self.max_depth = max_depth
        self.n_thresholds = n_thresholds
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X, y):
        """Learn from a table of numbers and two classes."""
        from pystreed import STreeDInstanceCostSensitiveClassifier

        X = np.asarray(X, dtype=float)
        self.classes_, coded = np.unique(y, return_inverse=True)
        weights = compute_sample_weight("balanced", coded)
        costs = np.column_stack([weights * (coded == 1), weights * (coded == 0)])
        self.estimator_ = STreeDInstanceCostSensitiveClassifier(
            max_depth=self.max_depth,
            n_thresholds=self.n_thresholds,
            min_leaf_node_size=self.min_samples_leaf,
            hyper_tune=True,
            random_seed=0 if self.random_state is None else self.random_state,
        ).fit(X, costs)
        leaves = self._leaves(X)
        total = np.bincount(leaves, weights)
        positive = np.bincount(leaves, weights * (coded == 1))
        self.shares_ = np.divide(positive, total, out=np.zeros_like(total), where=total > 0)
        return self

    def _leaves(self, X) -> np.ndarray:
        """The number of the leaf that each row falls into."""
        binary = np.asarray(self.estimator_.binarizer_.transform(X)).astype(bool)
        leaves = np.zeros(len(binary), int)
        count = 0
        reached = [(self.estimator_.get_tree(), np.arange(len(binary)))]
        while reached:
            node, rows = reached.pop()
            if node.is_leaf_node():
                leaves[rows] = count
                count += 1
                continue
            holds = binary[rows, node.feature]
            reached += [(node.right_child, rows[holds]), (node.left_child, rows[~holds])]
        return leaves

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        check_is_fitted(self)
        return self.estimator_.get_n_leaves()

    def predict_proba(self, X):
        """The weighted shares of the classes in a row's leaf."""
        check_is_fitted(self)
        share = self.shares_[self._leaves(np.asarray(X, dtype=float))]
        return np.column_stack([1 - share, share])

    def predict(self, X):
        """The class of each row."""
        check_is_fitted(self)
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]
