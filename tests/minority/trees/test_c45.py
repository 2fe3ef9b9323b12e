"""C4.5: splits by brute force, pruning and missing values by hand, trees as Weka's J48 has them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from minority.trees import C45Classifier
from minority.trees._pruning import confidence_limit, extra_errors
from minority.trees._splits import GAIN_RATIO, binary_split, numeric_split, xlogx_table
from minority_reports import datasets, paths

quick = settings(max_examples=60, deadline=None)


def entropy(counts):
    share = np.asarray(counts, float)
    share = share[share > 0] / share.sum()
    return -(share * np.log2(share)).sum()


def class_counts(y):
    return np.bincount(y, minlength=3)


def naive_numeric(x, y, min_leaf):
    """(gain less its cost, gain ratio, largest value on the left), or None."""
    known = ~np.isnan(x)
    n, x, y = len(x), x[known], y[known]
    side = max(min_leaf, min(0.1 * len(x) / len(np.unique(Y_ALL)), 25))
    best, tries, cut = 0.0, 0, None
    for value in np.unique(x)[:-1]:
        left = x <= value
        if min(left.sum(), (~left).sum()) < side - 1e-6:
            continue
        tries += 1
        after = sum(part.mean() * entropy(class_counts(y[part])) for part in (left, ~left))
        gain = len(x) / n * (entropy(class_counts(y)) - after)
        if gain > best + 1e-6:
            best, cut = gain, value
    if cut is None or best - np.log2(tries) / n <= 1e-6:
        return None
    best -= np.log2(tries) / n
    n_left = (x <= cut).sum()
    return best, best / entropy([n_left, len(x) - n_left, n - len(x)]), cut


Y_ALL = np.array([0, 1, 2])


def naive_root(X, y, min_leaf):
    """(feature, threshold) of the first split, or None."""
    found = {j: naive_numeric(X[:, j], y, min_leaf) for j in range(X.shape[1])}
    found = {j: split for j, split in found.items() if split}
    if not found or len(y) < 2 * min_leaf:
        return None
    mean = np.mean([gain for gain, _, _ in found.values()])
    best, chosen = 0.0, None
    for j, (gain, ratio, cut) in found.items():
        if gain >= mean - 1e-3 and ratio > best + 1e-6:
            best, chosen = ratio, (j, cut)
    return chosen


@st.composite
def tables(draw):
    n, d = draw(st.integers(6, 30)), draw(st.integers(1, 3))
    values = st.integers(0, draw(st.sampled_from([2, 6, 40]))).map(float)
    values = draw(st.sampled_from([values, st.one_of(values, st.just(np.nan))]))
    X = draw(hnp.arrays(float, (n, d), elements=values))
    y = draw(hnp.arrays(int, n, elements=st.integers(0, 2)))
    y[:3] = 0, 1, 2  # all classes, so that the naive search knows their number
    return X, y


@quick
@given(tables(), st.sampled_from([1, 2, 5]))
def test_first_split_is_the_best_by_brute_force(table, min_leaf):
    X, y = table
    tree = C45Classifier(pruning=None, min_samples_leaf=min_leaf).fit(X, y).tree_
    expected = naive_root(X, y, min_leaf)
    if expected is None:
        assert tree.feature[0] == -1
    else:
        assert (tree.feature[0], tree.threshold[0]) == expected


@quick
@given(tables(), st.integers(0, 3))
def test_weights_are_repetitions(table, seed):
    X, y = table
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    weight[:3] = 1
    weighted = C45Classifier().fit(X, y, sample_weight=weight).tree_
    repeated = C45Classifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).tree_
    for part in ("feature", "threshold", "first_child", "n_children"):
        np.testing.assert_array_equal(getattr(weighted, part), getattr(repeated, part))
    # not the text: rows with gaps count in parts, and which of two classes with equal counts
    # names a leaf is then decided by the last bits of sums in another order
    np.testing.assert_allclose(weighted.counts, repeated.counts, rtol=1e-9, atol=1e-9)


def mixed_table(seed, n=200):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "age": rng.integers(0, 50, n).astype(float),
        }
    )
    y = ((X["size"] > 0) & (X["colour"] != "red") | (X["age"] < 5)).to_numpy().astype(int)
    y ^= rng.random(n) < 0.1
    X = X.mask(rng.random(X.shape) < 0.1)
    X["colour"] = X["colour"].astype(pd.CategoricalDtype(["red", "green", "blue"]))
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_repetitions_with_categories_and_missing_values(seed):
    X, y = mixed_table(seed)
    weight = np.random.default_rng(seed).integers(0, 3, len(y))
    weighted = C45Classifier().fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = C45Classifier().fit(X.iloc[rows], y[rows])
    assert weighted.to_text() == repeated.to_text()
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_weights_survive_when_values_are_missing_further_down():
    """The first split has all values, so the second branch waits while rows are shared out."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.permutation(np.arange(200) % 2), rng.integers(0, 9, 200)].astype(float)
    y = np.where(X[:, 1] > 6, 1, X[:, 0]).astype(int) ^ (rng.random(200) < 0.05)
    X[rng.random(200) < 0.3, 1] = np.nan
    weight = rng.integers(1, 6, 200)
    options = {"pruning": None}
    weighted = C45Classifier(**options).fit(X, y, sample_weight=weight)
    repeated = C45Classifier(**options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.tree_.feature[0] == 0 and weighted.get_n_leaves() > 3
    assert weighted.to_text() == repeated.to_text()


@pytest.mark.parametrize("seed", range(3))
def test_order_of_the_rows_does_not_matter(seed):
    X, y = mixed_table(seed)
    shuffled = np.random.default_rng(seed).permutation(len(y))
    one, other = C45Classifier().fit(X, y), C45Classifier().fit(X.iloc[shuffled], y[shuffled])
    assert one.to_text() == other.to_text()


def test_whole_and_fractional_weights_take_the_same_way():
    X, y = load_iris(return_X_y=True)
    options = {"pruning": None, "min_samples_leaf": 2}
    whole = C45Classifier(**options).fit(X, y)
    almost = C45Classifier(**options).fit(X, y, sample_weight=np.full(len(y), 1 + 1e-12))
    assert whole.to_text() == almost.to_text()


def extra(n, errors):
    return extra_errors(float(n), float(errors), 0.25, confidence_limit(0.25))


def test_extra_errors_by_hand():
    # No error: n (1 - 0.25^(1/n)); the book (section 4.2) has U(0, 6) = .206 and U(0, 9) = .143.
    assert extra(6, 0) == pytest.approx(6 * 0.2063, abs=1e-3)
    assert extra(9, 0) == pytest.approx(9 * 0.1428, abs=1e-3)
    assert extra(1, 0) == pytest.approx(0.75)
    # One error in 16: z = .6745, f = 1.5 / 16 = .09375, so the limit is
    # (.09375 + .01422 + .6745 sqrt(.005859 - .000549 + .000444)) / 1.02843 = .1547.
    assert 1 + extra(16, 1) == pytest.approx(16 * 0.1547, abs=2e-3)
    # Between none and one error the value is interpolated, and n is never exceeded.
    assert extra(16, 0.5) == pytest.approx((extra(16, 0) + extra(16, 1)) / 2)
    assert extra(3, 2.8) == pytest.approx(0.2)


def test_pruning_example_of_the_book():
    """Section 4.2: branches of 6, 9 and 1 cases without error expect more errors than one leaf."""
    X = pd.DataFrame({"education spending": ["no"] * 6 + ["yes"] * 9 + ["unknown"]})
    y = ["democrat"] * 15 + ["republican"]
    assert 1 + extra(16, 1) < 6 * 0.206 + 9 * 0.143 + 0.75
    assert C45Classifier(pruning=None).fit(X, y).get_n_leaves() == 3
    assert C45Classifier().fit(X, y).to_text() == "democrat (16/1)"


def test_missing_values_by_hand():
    X, y = [[1.0], [1.0], [2.0], [2.0], [np.nan]], [0, 0, 1, 1, 1]
    model = C45Classifier(pruning=None, min_samples_leaf=1, laplace=False).fit(X, y)
    # The fifth case goes down both branches with half of its weight.
    np.testing.assert_allclose(model.tree_.counts, [[2, 3], [2, 0.5], [0, 2.5]])
    np.testing.assert_allclose(model.predict_proba([[1.0], [2.0]]), [[0.8, 0.2], [0, 1]])
    np.testing.assert_allclose(model.predict_proba([[np.nan]]), [[0.4, 0.6]])
    assert model.to_text() == "x0 <= 1: 0 (2.5/0.5)\nx0 > 1: 1 (2.5)"


def test_nominal_columns_split_by_category():
    levels = pd.CategoricalDtype(["a", "b", "c", "never"])
    X = pd.DataFrame({"kind": pd.Series([*"aaabbbccc"], dtype=levels)})
    y = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1])
    model = C45Classifier(pruning=None).fit(X, y)
    assert model.to_text() == (
        "kind = a: 0 (3)\nkind = b: 1 (3)\nkind = c: 0 (3/1)\nkind = never: 0 (0)"
    )
    assert (model.get_n_leaves(), model.get_depth()) == (4, 1)
    # An empty leaf has the classes of its parent; an unknown category is missing.
    new = pd.DataFrame({"kind": ["b", "never", "unseen", None]})
    expected = [[1 / 5, 4 / 5], [6 / 11, 5 / 11], *[[(4 / 5 + 1 / 5 + 3 / 5) / 3] * 2] * 2]
    proba = model.predict_proba(new)
    np.testing.assert_allclose(proba[:2], expected[:2])
    np.testing.assert_allclose(proba[2:, 0], expected[2][0])


def test_categorical_features_of_an_array():
    X = np.array([[7, 0], [7, 1], [8, 2], [8, 3], [9, 4], [9, 5]], dtype=float)
    y = [0, 0, 1, 1, 0, 0]
    for chosen in ([0], [True, False]):
        model = C45Classifier(categorical_features=chosen, pruning=None).fit(X, y)
        assert model.to_text() == "x0 = 7.0: 0 (2)\nx0 = 8.0: 1 (2)\nx0 = 9.0: 0 (2)"
        assert model.predict(X).tolist() == y
    with pytest.raises(ValueError, match="names 5, which X does not have"):
        C45Classifier(categorical_features=[5]).fit(X, y)


@pytest.mark.parametrize(
    "X, y",
    [
        ([[1.0], [2.0]], [0, 1]),
        ([[1.0], [2.0], [3.0]], [1, 1, 1]),
        ([[1.0], [1.0], [1.0]], [0, 1, 1]),
        ([[np.nan], [np.nan], [np.nan]], [0, 1, 1]),
    ],
)
def test_nothing_to_split_gives_one_leaf(X, y):
    model = C45Classifier().fit(X, y)
    assert (model.get_n_leaves(), model.get_depth()) == (1, 0)
    assert set(model.predict(X)) <= set(y)
    assert len(model.rules_frame(X, y)) == 1


def test_clear_errors():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="infinity"):
        C45Classifier().fit([[np.inf], *X[1:]], y)
    with pytest.raises(ValueError, match="at least one non-zero"):
        C45Classifier().fit(X, y, sample_weight=np.zeros(4))
    with pytest.raises(ValueError, match="two classes"):
        C45Classifier(costs={0: 1, 1: 2}).fit(X, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="zero diagonal"):
        C45Classifier(costs=[[1, 2], [3, 0]]).fit(X, y)
    with pytest.raises(ValueError, match="exactly the classes"):
        C45Classifier(costs={"a": 1}).fit(X, y)


def test_costs_shift_the_predictions_and_leave_the_total_weight():
    X, y = mixed_table(0)
    cheap = C45Classifier().fit(X, y)
    dear = C45Classifier(costs={0: 1, 1: 10}).fit(X, y)
    matrix = C45Classifier(costs=[[0, 1], [10, 0]]).fit(X, y)
    assert dear.predict(X).mean() > cheap.predict(X).mean()
    assert dear.to_text() == matrix.to_text()
    assert dear.tree_.counts[0].sum() == pytest.approx(len(y))


def test_thresholds_and_tol():
    X = np.array([[0.0], [1e-6], [2e-6], [3e-6]])
    y = [0, 0, 1, 1]
    assert C45Classifier(pruning=None).fit(X, y).get_n_leaves() == 1
    assert C45Classifier(pruning=None, tol=0).fit(X, y).tree_.threshold[0] == 1e-6


def test_text_and_table_use_the_names_of_the_columns():
    iris = load_iris(as_frame=True)
    y = iris.target_names[iris.target]
    model = C45Classifier().fit(iris.data, y)
    assert "petal width (cm) <= 0.6: setosa (50)" in model.to_text()
    frame = model.rules_frame(iris.data, y)
    assert len(frame) == model.get_n_leaves() + 1  # and the default, for missing values
    assert frame["support"].sum() == len(y) and frame["support"].iloc[-1] == 0
    first = frame.iloc[0]
    assert first["conditions"] == "petal width (cm) <= 0.6"
    assert (first["prediction"], first["precision"], first["recall"]) == ("setosa", 1, 1)
    assert first["lift"] == pytest.approx(3)


@pytest.mark.parametrize("seed", range(3))
def test_rule_list(seed):
    X, y = mixed_table(seed)
    tree, rules = C45Classifier().fit(X, y), C45Classifier(ruleset=True).fit(X, y)
    longest = max(len(rule) for rule in rules.rules_)
    assert len(rules.rules_) <= tree.get_n_leaves() and longest <= tree.get_depth()
    assert (rules.predict(X) == y).mean() > (tree.predict(X) == y).mean() - 0.05
    assert rules.to_text().splitlines()[-1].startswith("otherwise")
    assert len(rules.rules_frame(X, y)) == len(rules.rules_) + 1
    # away from missing values and ties, the rules say what the model says
    plain = ~X.isna().any(axis=1).to_numpy()
    sure = plain & (rules.predict_proba(X).max(axis=1) > 0.5)
    assert (rules.rules_.predict(X)[sure] == rules.predict(X)[sure]).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_rules_of_a_tree_predict_what_it_predicts(seed):
    X, y = mixed_table(seed)
    X = X.fillna(dict.fromkeys(X.select_dtypes("number"), 0)).dropna()
    y = np.asarray(y)[X.index]
    model = C45Classifier(laplace=False).fit(X, y)
    assert (model.to_rules().predict(X) == model.predict(X)).all()
    assert (model.to_rules().covers_each(X).sum(axis=0) == 1).all()


def test_a_constant_rule_list_has_only_a_default():
    model = C45Classifier(ruleset=True).fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert model.to_text() == "b for every row  [2 of 3]"
    assert model.predict([[5.0]]).tolist() == ["b"]


def test_numbers_of_leaves_are_those_of_j48():
    """Recorded by tests/benchmarks/weka_trees.py."""
    recorded = pd.read_csv(paths.root() / "data" / "results" / "weka_j48.csv")
    assert (recorded["leaves"] == recorded["leaves_j48"]).mean() >= 0.9
    assert np.average(recorded["agreement"], weights=recorded["test_rows"]) >= 0.99
    for name in ("glass2", "car-good", "haberman"):
        data = datasets.load(name)
        folds = StratifiedKFold(10, shuffle=True, random_state=0).split(data.X, data.y)
        leaves = [
            C45Classifier().fit(data.X.iloc[train], data.y[train]).get_n_leaves()
            for train, _ in folds
        ]
        assert leaves == recorded.query("dataset == @name")["leaves"].tolist()


@quick
@given(st.data())
def test_split_of_two_classes_without_weights(data):
    """`binary_split` is `numeric_split` on what it is for, bit by bit."""
    n = data.draw(st.integers(2, 60))
    step = data.draw(st.sampled_from([1.0, 0.3, 1e-6]))  # the last one is below `tol`
    values = st.integers(0, data.draw(st.integers(1, 40)))
    x = step * np.array(data.draw(st.lists(values, min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.int32)
    min_leaf = data.draw(st.sampled_from([0.0, 1.0, 2.0, 3.5]))
    words = (2 * np.argsort(x) + y[np.argsort(x)]).astype(np.uint32)
    counts, table = np.bincount(y, minlength=2).astype(float), xlogx_table(n)
    if n < 2 * min_leaf:
        return
    cases, scratch = np.ones(n, np.int64), np.zeros((2, 2), np.int64)
    expected = numeric_split(
        x, words, np.uint32(1), y, cases, counts, GAIN_RATIO, min_leaf, 1e-5, table, *scratch
    )
    assert binary_split(x, words, int(y.sum()), min_leaf, 1e-5, table) == expected
