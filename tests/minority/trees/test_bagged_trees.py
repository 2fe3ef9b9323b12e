"""Bagged trees: each is the tree that its sample alone would give."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from minority.trees import BaggedTreesClassifier
from minority.trees._bagged import draw_counts


def impurity(y, criterion):
    share = np.bincount(y) / len(y)
    if criterion == "gini":
        return 1 - (share**2).sum()
    share = share[share > 0]
    return -(share * np.log2(share)).sum()


def reference_tree(X, y, criterion, features):
    """Nested (feature, threshold, left, right), or the class counts; the first of equal splits."""
    best, chosen = -1.0, None
    if len(np.unique(y)) > 1:
        for j in features:
            values = np.unique(X[:, j])
            for low, high in pairwise(values):
                left = X[:, j] <= low
                after = left.mean() * impurity(y[left], criterion)
                after += (~left).mean() * impurity(y[~left], criterion)
                gain = impurity(y, criterion) - after
                if gain > best + 1e-10:
                    best, chosen = gain, (j, (low + high) / 2, left)
    if chosen is None:
        return sorted(y.tolist())
    j, threshold, left = chosen
    branches = [reference_tree(X[part], y[part], criterion, features) for part in (left, ~left)]
    return j, pytest.approx(threshold), *branches


def nested(tree, node=0):
    if tree.feature[node] < 0:
        counts = tree.counts[node].astype(int)
        return np.repeat(np.arange(len(counts)), counts).tolist()
    first = tree.first_child[node]
    below = (nested(tree, first), nested(tree, first + 1))
    return int(tree.feature[node]), float(tree.threshold[node]), *below


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_trees_are_those_of_a_plain_grower(criterion, bootstrap):
    X, y = load_iris(return_X_y=True)
    model = BaggedTreesClassifier(
        n_estimators=3, max_samples=0.4, bootstrap=bootstrap, criterion=criterion, random_state=1
    ).fit(X, y)
    seeds = np.random.RandomState(1).randint(2**32, size=3)
    for seed, tree in zip(seeds, model.trees_, strict=True):
        rng = np.random.default_rng(seed)
        counts = draw_counts(y, 60, bootstrap, rng)
        rows = np.repeat(np.arange(len(y)), counts)
        features = rng.permutation(X.shape[1])
        plain = reference_tree(X[rows], y[rows], criterion, features)
        assert nested(tree) == plain


def test_size_of_trees_and_accuracy_are_those_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    model = BaggedTreesClassifier(n_estimators=20, max_samples=1.0, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    leaves = []
    for _ in range(20):
        rows = rng.integers(len(y), size=len(y))
        leaves.append(DecisionTreeClassifier(random_state=0).fit(X[rows], y[rows]).get_n_leaves())
    ours = [(tree.feature < 0).sum() for tree in model.trees_]
    assert np.mean(ours) == pytest.approx(np.mean(leaves), rel=0.15)
    assert model.score(X, y) > 0.98


def test_same_seed_same_model_with_any_number_of_threads():
    X, y = load_breast_cancer(return_X_y=True)
    one = BaggedTreesClassifier(n_estimators=8, random_state=3).fit(X, y)
    two = BaggedTreesClassifier(n_estimators=8, random_state=3, n_jobs=2).fit(X, y)
    other = BaggedTreesClassifier(n_estimators=8, random_state=4).fit(X, y)
    np.testing.assert_array_equal(one.votes(X), two.votes(X))
    assert (one.votes(X) != other.votes(X)).any()


def test_ties_between_features_are_broken_at_random():
    X = np.repeat(np.arange(20.0)[:, None], 4, axis=1)
    model = BaggedTreesClassifier(n_estimators=40, random_state=0).fit(X, np.arange(20) > 9)
    used = [tree.feature[0] for tree in model.trees_]
    assert set(used) == {0, 1, 2, 3}


def test_votes_for_many_classes():
    y = np.repeat(np.arange(150), 3)
    model = BaggedTreesClassifier(n_estimators=2, max_samples=450, bootstrap=False)
    model.fit(y[:, None], y)
    np.testing.assert_array_equal(model.votes(y[:, None])[:, 0], y)


def test_votes():
    X, y = load_breast_cancer(return_X_y=True)
    model = BaggedTreesClassifier(n_estimators=5, random_state=0).fit(X, y)
    votes = model.votes(X)
    assert votes.dtype == np.int8 and votes.shape == (len(y), 5)
    assert set(np.unique(votes)) == {-1, 1}
    # Grown until the leaves are pure, the trees' probabilities are their votes.
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], (votes == 1).mean(axis=1))
    X, y = load_iris(return_X_y=True)
    votes = BaggedTreesClassifier(n_estimators=5, random_state=0).fit(X, y).votes(X)
    assert set(np.unique(votes)) == {0, 1, 2}


def test_a_sample_without_a_class_is_drawn_again():
    y = np.zeros(500, dtype=int)
    y[:2] = 1
    X = np.arange(500.0)[:, None]
    model = BaggedTreesClassifier(n_estimators=50, max_samples=0.05, random_state=0).fit(X, y)
    assert all((tree.counts[0] > 0).all() for tree in model.trees_)
    with pytest.raises(ValueError, match="max_samples is too small"):
        draw_counts(np.arange(50), 3, True, np.random.default_rng(0))


def test_more_draws_than_rows_need_replacement():
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    with pytest.raises(ValueError, match="needs bootstrap=True"):
        BaggedTreesClassifier(max_samples=9, bootstrap=False).fit(X, y)
    assert BaggedTreesClassifier(max_samples=9, random_state=0).fit(X, y).score(X, y) == 1
