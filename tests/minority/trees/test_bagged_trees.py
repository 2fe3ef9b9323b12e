"""Bagged trees: each is the tree that its sample alone would give."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from minority.trees import BaggedTreesClassifier
from minority.trees._bagged import draw_counts
from minority.trees._binned import bins_of


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


@st.composite
def bags(draw):
    """Rows with ties and bagged trees for them, without bins."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_features = draw(st.integers(10, 500)), draw(st.integers(1, 4))
    n_classes, n_values = draw(st.integers(2, 4)), draw(st.integers(1, 60))
    X = rng.normal(size=n_values)[rng.integers(0, n_values, (n, n_features))]
    noise = rng.integers(0, draw(st.sampled_from([1, 2, 50])), n)
    y = ((10 * X[:, 0]).astype(int) * (noise == 0) + noise) % n_classes
    y[:n_classes] = np.arange(n_classes)
    model = BaggedTreesClassifier(
        n_estimators=3,
        max_samples=draw(st.sampled_from([0.5, 1.0])),
        criterion=draw(st.sampled_from(["gini", "entropy"])),
        min_samples_leaf=draw(st.sampled_from([1, 2.5, 10])),
        max_bins=None,
        random_state=0,
    )
    return X, y, model


def assert_same_trees(found, expected, but=()):
    for one, other in zip(found.trees_, expected.trees_, strict=True):
        for name, mine, theirs in zip(one._fields, one, other, strict=True):
            if name not in but:
                np.testing.assert_array_equal(mine, theirs, err_msg=name)


@settings(deadline=None, max_examples=60)
@given(bags(), st.sampled_from([60, 256]))
def test_a_bin_for_each_value_changes_nothing(bag, max_bins):
    X, y, model = bag
    exact = clone(model).fit(X, y)
    binned = model.set_params(max_bins=max_bins).fit(X, y)
    assert_same_trees(binned, exact)


@settings(deadline=None, max_examples=60)
@given(bags(), st.integers(2, 12))
def test_trees_on_bins_are_those_on_their_numbers(bag, max_bins):
    """All rows are in the samples, as others may lie in bins that a node has no rows of."""
    X, y, model = bag
    model.set_params(max_samples=1.0, bootstrap=False)
    divided = [bins_of(column, max_bins) for column in X.T]
    numbers = np.array([codes for codes, _, _ in divided], dtype=float).T
    exact = clone(model).fit(numbers, y)
    binned = model.set_params(max_bins=max_bins).fit(X, y)
    assert_same_trees(binned, exact, but={"threshold"})
    np.testing.assert_array_equal(binned.votes(X), exact.votes(numbers))


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.integers(0, 40).map(lambda v: v / 3) | st.floats(-1e9, 1e9), min_size=1),
    st.integers(2, 256),
)
def test_bins(values, max_bins):
    values = np.array(values)
    codes, low, high = bins_of(values, max_bins)
    n_bins, n_values = len(low), len(np.unique(values))
    assert n_bins <= max_bins and (n_values > max_bins or n_bins == n_values)
    assert set(codes) == set(range(n_bins))
    assert (low <= high).all() and (high[:-1] < low[1:]).all()
    for b in range(n_bins):
        inside = values[codes == b]
        assert (inside.min(), inside.max()) == (low[b], high[b])


def test_bins_have_about_the_same_number_of_rows():
    rng = np.random.default_rng(0)
    even = np.bincount(bins_of(rng.normal(size=10_000), 100)[0])
    assert even.min() >= 95 and even.max() <= 105
    # A frequent value has a bin of its own, and the others share the rest.
    values = np.where(rng.random(10_000) < 0.9, 0.0, rng.exponential(size=10_000))
    codes, low, _ = bins_of(values, 100)
    sizes = np.bincount(codes)
    assert (low[0], sizes[0]) == (0.0, (values == 0).sum())
    assert len(sizes) == 100 and sizes[1:].max() <= 15


def test_large_data_are_put_into_bins_by_default():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_001, 2))
    y = X.sum(axis=1) > 1
    parameters = {"n_estimators": 2, "random_state": 0}
    for rows, same in ((10_001, 256), (10_000, None)):
        default = BaggedTreesClassifier(**parameters).fit(X[:rows], y[:rows])
        named, other = (
            BaggedTreesClassifier(max_bins=bins, **parameters).fit(X[:rows], y[:rows])
            for bins in (same, 256 if same is None else None)
        )
        assert_same_trees(default, named)
        assert any(
            len(a.feature) != len(b.feature) or (a.threshold != b.threshold).any()
            for a, b in zip(default.trees_, other.trees_, strict=True)
        )
