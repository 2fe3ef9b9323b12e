"""Hellinger distance trees: splits by brute force, and what class sizes do to them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minority.trees import HellingerTreeClassifier


def distance(parts, y):
    shares = [[(y[part] == c).sum() / (y == c).sum() for c in (0, 1)] for part in parts]
    return np.sqrt(sum((np.sqrt(a) - np.sqrt(b)) ** 2 for a, b in shares))


def naive_root(X, y, min_leaf):
    best, chosen = 1e-6, None
    for j in range(X.shape[1]):
        for value in np.unique(X[:, j])[:-1]:
            left = X[:, j] <= value
            if min(left.sum(), (~left).sum()) >= min_leaf:
                found = distance([left, ~left], y)
                if found > best + 1e-12:
                    best, chosen = found, (j, value)
    return chosen, best


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(float, st.tuples(st.integers(4, 25), st.integers(1, 3)), elements=st.integers(0, 9)),
    st.integers(0, 1000),
    st.sampled_from([1, 2, 4]),
)
def test_first_split_is_the_best_by_brute_force(X, seed, min_leaf):
    y = np.random.default_rng(seed).integers(0, 2, len(X))
    y[:2] = 0, 1
    tree = HellingerTreeClassifier(min_samples_leaf=min_leaf).fit(X, y).tree_
    chosen, best = naive_root(X, y, min_leaf)
    if chosen is None:
        assert tree.feature[0] == -1
    else:  # of equal splits either may be found first
        left = X[:, tree.feature[0]] <= tree.threshold[0]
        assert distance([left, ~left], y) == pytest.approx(best)


def example(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + 0.5 * rng.normal(size=n) > 1).astype(int)
    return X, y


def test_class_weights_act_on_the_leaves_only():
    X, y = example()
    plain = HellingerTreeClassifier().fit(X, y)
    weighted = HellingerTreeClassifier(class_weight={0: 1, 1: 7}).fit(X, y)
    np.testing.assert_array_equal(plain.tree_.feature, weighted.tree_.feature)
    np.testing.assert_array_equal(plain.tree_.threshold, weighted.tree_.threshold)
    np.testing.assert_allclose(plain.tree_.counts * [1, 7], weighted.tree_.counts)
    assert weighted.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


def test_first_split_does_not_mind_the_class_sizes():
    X, y = example()
    first = HellingerTreeClassifier().fit(X, y).tree_
    rows = np.r_[np.arange(len(y)), np.repeat(np.flatnonzero(y == 0), 9)]
    more = HellingerTreeClassifier().fit(X[rows], y[rows]).tree_
    assert (first.feature[0], first.threshold[0]) == (more.feature[0], more.threshold[0])


def test_nominal_columns_and_names():
    X = pd.DataFrame({"shape": [*"aabbcc"], "size": [1.0, 2, 1, 2, 1, 2]})
    y = [0, 0, 1, 1, 0, 1]
    model = HellingerTreeClassifier().fit(X, y)
    text = "shape = a: 0 (2)\nshape = b: 1 (2)\nshape = c: 0 (2/1)"
    assert model.to_text() == text
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], [0.25, 0.25, 0.75, 0.75, 0.5, 0.5])


def test_three_classes_are_rejected_and_one_gives_a_leaf():
    with pytest.raises(ValueError, match="Only binary classification"):
        HellingerTreeClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    assert HellingerTreeClassifier().fit([[1.0], [2.0]], [5, 5]).predict([[9.0]]).tolist() == [5]
