"""Weighted random forests: Chen, Liaw and Breiman's, and the nearest that scikit-learn has."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier


class WeightedForest:
    r"""The weighted random forest of Chen, Liaw and Breiman (2004).

    The weights of the classes are those of their rows in the Gini index, in a leaf's majority, and
    in the forest's: a tree's vote weighs what the rows in its leaf weigh on average. In pure leaves
    a vote for the positive class thus counts for many against it.

    scikit-learn's forest differs: with ``class_weight="balanced"`` the weights are, since 1.9, the
    probabilities of the draws of the bootstraps, with ``"balanced_subsample"`` they are in the
    Gini index, but votes are the weighted shares in the leaves.

    Parameters
    ----------
    n_trees : int
        Unpruned trees of sqrt(d) features a split, each on a bootstrap.
    weight : float
        Weight of the positive class; that of the other is 1.
    random_state : int
        Forests that differ in their weights only have the same bootstraps.
    """

    def __init__(self, n_trees, weight, random_state):
        self.n_trees, self.weight, self.random_state = n_trees, weight, random_state

    def fit(self, X, y):
        """Grow the trees; ``oob_score_`` is the mean vote of those that have not seen a row."""
        rng = np.random.default_rng(self.random_state)
        row_weight = np.where(y == 1, self.weight, 1.0)
        self.trees_ = []
        total, seen = np.zeros(len(y)), np.zeros(len(y))
        for _ in range(self.n_trees):
            draws = np.bincount(rng.integers(len(y), size=len(y)), minlength=len(y))
            tree = DecisionTreeClassifier(
                max_features="sqrt", random_state=int(rng.integers(2**31))
            ).fit(X, y, sample_weight=draws * row_weight)
            self.trees_.append(tree)
            outside = draws == 0
            total[outside] += self._vote(tree, X[outside])
            seen += outside
        self.oob_score_ = total / np.maximum(seen, 1)
        return self

    def _vote(self, tree, X):
        share = tree.predict_proba(X)[:, 1]
        mean_weight = 1 / (1 - share + share / self.weight)
        return np.where(share > 0.5, mean_weight, -mean_weight)

    def predict(self, X):
        """1 where the weighted votes are for the positive class, 0 elsewhere."""
        return (sum(self._vote(tree, X) for tree in self.trees_) > 0).astype(int)


def g_mean(y, predicted):
    """Geometric mean of sensitivity and specificity."""
    return float(np.sqrt(predicted[y == 1].mean() * (1 - predicted[y != 1].mean())))


def fit_weighted_forest(X, y, random_state, n_trees=40, powers=(0, 1 / 3, 2 / 3, 1)):
    """A weighted forest, its weight chosen by the G-mean out of the bags, as its paper advises.

    Of equals the first of the powers of n- / n+ is taken, from no weight to that which makes up
    for the sizes of the classes.
    """
    ratio = (y != 1).sum() / (y == 1).sum()
    forests = [
        WeightedForest(n_trees, float(ratio**power), random_state).fit(X, y) for power in powers
    ]
    scores = [g_mean(y, forest.oob_score_ > 0) for forest in forests]
    return forests[int(np.argmax(np.round(scores, 12)))]


def fit_forest_by_leaf_size(X, y, random_state, n_trees=100, sizes=(1, 5, 10, 20)):
    """scikit-learn's forest, its leaf size chosen by the G-mean out of the bags."""
    from sklearn.ensemble import RandomForestClassifier

    forests = [
        RandomForestClassifier(
            n_trees,
            class_weight="balanced_subsample",
            min_samples_leaf=size,
            oob_score=True,
            n_jobs=1,
            random_state=random_state,
        ).fit(X, y)
        for size in sizes
    ]
    scores = [g_mean(y, forest.oob_decision_function_[:, 1] > 0.5) for forest in forests]
    return forests[int(np.argmax(np.round(scores, 12)))]
