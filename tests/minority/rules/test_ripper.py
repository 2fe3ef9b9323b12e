"""RIPPER as an estimator: rules of JRip, and every kind of data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine, make_classification

from minority.rules import OneOf, RIPPERClassifier, RuleSet
from minority_reports import datasets

GLASS2_OF_JRIP = """\
1. 1 if Mg >= 3.34 and Ca >= 8.32 and RI <= 1.5167  [7.0 of 11.0]
2. 1 if Ca >= 8.79 and Mg >= 3.34 and RI <= 1.51832  [5.0 of 5.0]
otherwise 0  [193.0 of 198.0]"""
WINE_OF_JRIP = """\
1. 2 if flavanoids <= 1.36 and color_intensity >= 4.1  [44.0 of 44.0]
2. 2 if hue <= 0.61  [3.0 of 3.0]
3. 0 if proline >= 780.0 and alcohol >= 13.05  [54.0 of 54.0]
4. 0 if color_intensity >= 3.93 and proline >= 680.0  [5.0 of 5.0]
otherwise 1  [71.0 of 72.0]"""


GAPS_OF_JRIP = """\
1. 2 if od280/od315_of_diluted_wines <= 2.11 and malic_acid >= 1.68  [57.0 of 57.0]
2. 2 if flavanoids <= 1.28 and color_intensity >= 4.0  [39.0 of 39.0]
3. 0 if proline >= 770.0  [98.0 of 102.0]
4. 0 if alcohol >= 13.05 and magnesium >= 95.0  [19.0 of 22.0]
otherwise 1  [135.0 of 135.0]"""


def glass2():
    data = datasets.load("glass2")
    return data.X, data.y


def wine_with_gaps():
    """A seventh of the values missing, weights 1, 2, 3."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    i, j = np.indices(X.shape)
    return X.mask((13 * i + 5 * j) % 7 == 0), y, 1.0 + np.arange(len(X)) % 3


@pytest.mark.parametrize(
    ("data", "java_seed", "expected"),
    [
        (glass2, 75302154836074, GLASS2_OF_JRIP),
        (lambda: load_wine(return_X_y=True, as_frame=True), 240361266078915, WINE_OF_JRIP),
        (wine_with_gaps, 65783381468731, GAPS_OF_JRIP),
    ],
    ids=["two classes", "three classes", "missing values and weights"],
)
def test_rules_are_those_of_jrip(data, java_seed, expected, monkeypatch):
    """What Weka 3.6.14's JRip -S 1 prints for all rows, given the state of its generator."""
    monkeypatch.setattr(RIPPERClassifier, "_seed", lambda self: java_seed)
    X, *rest = data()
    assert RIPPERClassifier().fit(X, *rest).rules_ == RuleSet.parse(expected, X.columns)


def blobs(n_samples=300, **kwargs):
    X, y = make_classification(
        n_samples, n_features=6, weights=[0.85], class_sep=1.2, random_state=3, **kwargs
    )
    return X.round(2), y


def test_model_prints_names_and_agrees_with_its_rule_set():
    X, y = blobs()
    X = pd.DataFrame(X, columns=[f"feature {c}" for c in "abcdef"])
    y = np.array(["usual", "rare"])[y]
    model = RIPPERClassifier(random_state=1).fit(X, y)
    text = model.to_text()
    assert text.startswith("1. rare if feature ") and "otherwise usual" in text
    np.testing.assert_array_equal(model.rules_.predict(X), model.predict(X))
    parsed = RuleSet.parse(model.to_text(digits=None))
    np.testing.assert_array_equal(parsed.predict(X), model.predict(X))
    assert model.rules_.recount(X, y) == model.rules_
    frame = model.rules_frame(X, y)
    assert frame.decided.tolist() == model.class_weights_.sum(axis=1).tolist()
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    decider = model.rules_.decide(X)
    counts = np.array([[np.sum((decider == k) & (y == c)) for c in model.classes_] for k in (0, 1)])
    expected = (counts + 1) / (counts.sum(axis=1, keepdims=True) + 2)
    for k in range(min(2, len(model.rules_))):
        np.testing.assert_allclose(proba[decider == k][0], expected[k])


def test_several_classes_from_the_rarest():
    X, y = load_iris(return_X_y=True, as_frame=True)
    keep = (y != 2) | (np.arange(len(y)) < 120)
    model = RIPPERClassifier(random_state=0).fit(X[keep], y[keep])
    predictions = [rule.prediction for rule in model.rules_.rules]
    assert predictions[0] == 2  # 20 examples
    assert sorted(predictions, key=[2, 1, 0].index) == predictions
    assert model.score(X[keep], y[keep]) > 0.9
    assert model.class_weights_.shape == (len(model.rules_) + 1, 3)


def test_same_seed_same_rules_and_any_random_state():
    """Rules depend on the order of the rows, because the random splits do: not tested."""
    X, y = blobs(flip_y=0.2)
    first = RIPPERClassifier(random_state=5).fit(X, y).rules_
    assert RIPPERClassifier(random_state=5).fit(X, y).rules_ == first
    assert RIPPERClassifier(random_state=np.int64(5)).fit(X, y).rules_ == first
    others = [RIPPERClassifier(random_state=s).fit(X, y).rules_ for s in range(5)]
    assert any(other != first for other in others)
    RIPPERClassifier(random_state=np.random.RandomState(0)).fit(X, y)
    RIPPERClassifier().fit(X, y)


def test_weights():
    """Weights of 0 leave out, a class weight is the same as sample weights; 2 is not twice."""
    X, y = blobs(flip_y=0.1)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0, 1.0)
    model = RIPPERClassifier(random_state=0)
    some = model.fit(X, y, sample_weight=weight).rules_
    assert model.fit(X[weight > 0], y[weight > 0]).rules_ == some
    by_class = RIPPERClassifier(random_state=0, class_weight={1: 3.0}).fit(X, y).rules_
    assert model.fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0)).rules_ == by_class
    balanced = RIPPERClassifier(random_state=0, class_weight="balanced").fit(X, y)
    assert balanced.class_weights_.sum(axis=0) == pytest.approx([len(y) / 2] * 2)
    with pytest.raises(ValueError, match="at least one non-zero"):
        model.fit(X, y, sample_weight=np.zeros(len(y)))
    # Counts do agree with repeated rows, whatever the rules.
    model.fit(X, y, sample_weight=np.full(len(y), 2.0))
    twice = model.rules_.recount(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert twice == model.rules_


def nominal_frame(n_samples=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n_samples)),
            "size": rng.normal(size=n_samples),
            "shape": rng.choice(["round", "square"], n_samples),
        }
    )
    X.loc[::11, "colour"] = np.nan
    X.loc[::13, "size"] = np.nan
    y = ((X["colour"] == "red") & (X["shape"] == "round")).astype(int)
    return X, y


def test_categories_missing_values_and_unseen_ones():
    X, y = nominal_frame()
    model = RIPPERClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    (rule,) = model.rules_.rules
    assert set(rule.conditions) == {OneOf("colour", ["red"]), OneOf("shape", ["round"])}
    np.testing.assert_array_equal(model.rules_.predict(X), model.predict(X))
    new = pd.DataFrame({"colour": ["violet", None, "red"], "size": 0.0, "shape": "round"})
    assert model.predict(new).tolist() == [0, 0, 1]
    # The same as an array of objects, with the nominal columns named by position.
    by_position = RIPPERClassifier(random_state=0, categorical_features=[0, 2])
    by_position.fit(X.to_numpy(dtype=object), y)
    np.testing.assert_array_equal(by_position.predict(X.to_numpy(dtype=object)), y)
    assert by_position.to_text().startswith("1. 1 if ") and "x0 = red" in by_position.to_text()
    by_mask = RIPPERClassifier(random_state=0, categorical_features=[True, False, True]).fit(X, y)
    assert by_mask.rules_ == model.rules_
    by_name = RIPPERClassifier(random_state=0, categorical_features=["colour", "shape"]).fit(X, y)
    assert by_name.rules_ == model.rules_
    with pytest.raises(ValueError, match="'weight', which X does not have"):
        RIPPERClassifier(categorical_features=["weight"]).fit(X, y)
    with pytest.raises(ValueError, match="name columns with categories"):
        RIPPERClassifier(categorical_features=None).fit(X, y)


def test_numeric_categories_are_compared_by_equality():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (200, 2)).astype(float)
    y = (X[:, 0] == 2).astype(int)
    model = RIPPERClassifier(random_state=0, categorical_features=[0]).fit(X, y)
    assert model.to_text().startswith("1. 1 if x0 = 2.0  [")
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_array_equal(model.rules_.predict(X), y)


def test_missing_values_are_never_covered():
    X = np.r_[np.arange(20.0), np.full(10, np.nan)][:, None]
    y = np.r_[np.ones(8), np.zeros(22)].astype(int)
    model = RIPPERClassifier(random_state=0).fit(X, y)
    assert not model.predict(X[20:]).any() and model.predict(X[:5]).all()


def test_degenerate_data():
    constant = np.ones((30, 2))
    y = np.r_[np.ones(8), np.zeros(22)].astype(int)
    model = RIPPERClassifier(random_state=0).fit(constant, y)
    assert model.to_text() == "0 for every row  [22 of 30]"
    assert not model.predict(constant).any()
    np.testing.assert_allclose(model.predict_proba(constant)[0], [23 / 32, 9 / 32])
    assert len(model.rules_frame(constant, y)) == 1

    one_class = RIPPERClassifier(random_state=0).fit(constant, np.full(30, "a"))
    assert one_class.to_text() == "a for every row  [30 of 30]"
    assert (one_class.predict(constant) == "a").all()

    two_rows = RIPPERClassifier(random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    assert set(two_rows.predict([[0.0], [1.0]])) <= {"a", "b"}
    all_missing = RIPPERClassifier(random_state=0).fit(np.full((30, 2), np.nan), y)
    assert len(all_missing.rules_) == 0
    with pytest.raises(ValueError, match="infinity"):
        RIPPERClassifier().fit(np.where(constant == 1, np.inf, 0), y)


def test_ties_of_frequency_make_rules_for_the_last_class():
    X = np.arange(40.0)[:, None]
    model = RIPPERClassifier(random_state=0).fit(X, np.repeat([0, 1], 20))
    assert {rule.prediction for rule in model.rules_.rules} == {1}
    assert model.score(X, np.repeat([0, 1], 20)) > 0.9
