"""MetaCost, cost-proportionate sampling and thresholds."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.svm import LinearSVC

from minority.costs import (
    CostProportionateClassifier,
    CostThresholdClassifier,
    MetaCostClassifier,
    cost_threshold,
    expected_cost,
)
from minority.costs._proportionate import rejection_sample
from minority.rules import RIPPERClassifier
from minority.trees import C45Classifier

ALL = [CostThresholdClassifier, MetaCostClassifier, CostProportionateClassifier]


class Scripted(ClassifierMixin, BaseEstimator):
    """The column of X is the probability of the last class; what it was taught is noted down."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.taught_ = np.column_stack([X[:, 0], y])
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0.5).astype(int)]


class VotesOnly(Scripted):
    predict_proba = None

    def __getattribute__(self, name):
        if name == "predict_proba":
            raise AttributeError(name)
        return super().__getattribute__(name)


P = np.array([0.05, 0.1, 0.2, 0.21, 0.4, 0.6, 0.9, 0.95])[:, None]
Y = np.array([0, 0, 0, 0, 0, 0, 1, 1])


@pytest.fixture(scope="module")
def mixed():
    """300 examples with a nominal column; 45 are positive."""
    rng = np.random.default_rng(0)
    y = (np.arange(300) < 45).astype(int)
    X = pd.DataFrame({"size": rng.normal(y * 1.2), "other": rng.normal(size=300)})
    kind = np.where(rng.random(300) < 0.3 + 0.4 * y, "odd", "usual")
    X["kind"] = pd.Categorical(kind)
    return X, np.where(y == 1, "bad", "good")


# --- thresholds


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (1, [0, 0, 0, 0, 0, 1, 1, 1]),
        (4, [0, 0, 0, 1, 1, 1, 1, 1]),  # p* = 0.2, where the paper stays negative
        (9.5, [0, 1, 1, 1, 1, 1, 1, 1]),
        (0, [0, 0, 0, 0, 0, 0, 0, 0]),  # a miss costs nothing
    ],
)
def test_threshold_by_hand(ratio, expected):
    model = CostThresholdClassifier(Scripted(), costs=ratio).fit(P, Y)
    assert model.predict(P).tolist() == expected


def test_threshold_with_the_other_class_positive():
    model = CostThresholdClassifier(Scripted(), costs=4, pos_label=0).fit(P, Y)
    # Class 0 is positive where its probability is above 0.2.
    assert model.predict(P).tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    assert model.pos_label_ == 0


def test_threshold_agrees_with_scikit_learn_on_two_classes(mixed):
    X, y = mixed
    X = X[["size", "other"]]
    model = CostThresholdClassifier(LogisticRegression(), costs=9).fit(X, y)
    fixed = FixedThresholdClassifier(
        LogisticRegression(),
        threshold=cost_threshold(9),
        pos_label="bad",
        response_method="predict_proba",
    ).fit(X, y)
    assert (model.predict(X) == fixed.predict(X)).all()
    assert (model.predict(X) != LogisticRegression().fit(X, y).predict(X)).any()


def test_threshold_needs_probabilities():
    with pytest.raises(TypeError, match="has no predict_proba"):
        CostThresholdClassifier(LinearSVC()).fit(P, Y)


def test_threshold_of_a_fitted_classifier_trains_nothing():
    fitted = Scripted().fit(P, Y)
    model = CostThresholdClassifier(FrozenEstimator(fitted), costs=4).fit(P[:7], Y[:7])
    assert len(model.estimator_.taught_) == 8


def test_threshold_is_the_least_expected_cost_of_several_classes():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, size=90)
    X = rng.normal(size=(90, 2)) + y[:, None]
    costs = np.array([[0, 1, 1], [2, 0, 2], [9, 5, 0]])
    model = CostThresholdClassifier(LogisticRegression(), costs=costs).fit(X, y)
    proba = LogisticRegression().fit(X, y).predict_proba(X)
    by_hand = [np.argmin([p @ costs[:, j] for j in range(3)]) for p in proba]
    assert model.predict(X).tolist() == by_hand
    assert (model.predict(X) != proba.argmax(axis=1)).any()
    np.testing.assert_array_equal(model.predict_proba(X), proba)


# --- MetaCost


def test_metacost_relabels_by_hand():
    """Every bag gives the same probabilities, so the labels follow from p > 1 / (1 + 4)."""
    model = MetaCostClassifier(Scripted(), costs=4, n_estimators=3, random_state=0).fit(P, Y)
    np.testing.assert_allclose(model.probabilities_[:, 1], P[:, 0])
    new = [0, 0, 0, 1, 1, 1, 1, 1]
    assert model.relabelled_.tolist() == new
    assert model.changes_.tolist() == [[3, 3], [0, 2]]
    # The final model learns all rows, with the new labels.
    np.testing.assert_array_equal(model.estimator_.taught_, np.column_stack([P[:, 0], new]))
    assert model.to_text().startswith("Of 8 examples relabelled: 3 from 0 to 1")


def test_metacost_with_votes():
    """A vote for class 0 counts as certainty, so no ratio moves these rows."""
    for estimator, voting in [(Scripted(), "hard"), (VotesOnly(), "soft")]:
        model = MetaCostClassifier(
            estimator, costs=4, n_estimators=2, voting=voting, random_state=0
        ).fit(P, Y)
        assert model.relabelled_.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert not hasattr(model, "predict_proba")
    assert model.predict(P).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


class Bags(Scripted):
    """Probability 1 for rows it was taught, 0 for others: rows are numbered by the column."""

    def predict_proba(self, X):
        p = np.isin(X[:, 0], self.taught_[:, 0]).astype(float)
        return np.column_stack([1 - p, p])


def test_metacost_out_of_bag():
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) < 15).astype(int)
    everyone = MetaCostClassifier(Bags(), n_estimators=20, random_state=3).fit(X, y)
    seen = np.mean([np.isin(X[:, 0], m.taught_[:, 0]) for m in everyone.estimators_], axis=0)
    np.testing.assert_allclose(everyone.probabilities_[:, 1], seen)
    with pytest.warns(UserWarning, match="relabelled 0"):
        others = MetaCostClassifier(Bags(), n_estimators=20, use_all=False, random_state=3)
        others.fit(X, y)
    assert (others.probabilities_[:, 1] == 0).all()


def test_metacost_out_of_bag_without_a_model_falls_back_to_all():
    X = np.arange(12.0)[:, None]
    y = (np.arange(12) < 5).astype(int)
    model = MetaCostClassifier(Bags(), n_estimators=1, use_all=False, random_state=0).fit(X, y)
    taught = np.isin(X[:, 0], model.estimators_[0].taught_[:, 0])
    assert taught.any() and not taught.all()
    np.testing.assert_array_equal(model.probabilities_[:, 1], taught)


@pytest.mark.parametrize(("max_samples", "size"), [(1.0, 80), (0.75, 60), (30, 30), (100, 100)])
def test_metacost_bags_are_bootstrap_samples_of_the_asked_size(max_samples, size):
    X, y = np.tile(P, (10, 1)), np.tile(Y, 10)
    model = MetaCostClassifier(
        Scripted(), n_estimators=2, max_samples=max_samples, random_state=0
    ).fit(X, y)
    assert [len(m.taught_) for m in model.estimators_] == [size, size]
    assert (model.estimators_[0].taught_ != model.estimators_[1].taught_).any()


def test_metacost_one_label_left():
    with pytest.warns(UserWarning, match="all examples are relabelled 1"):
        model = MetaCostClassifier(Scripted(), costs=1000, random_state=0).fit(P, Y)
    assert model.predict(P).tolist() == [1] * 8
    np.testing.assert_array_equal(model.predict_proba(P), [[0, 1]] * 8)
    assert model.classes_.tolist() == [0, 1]
    assert model.to_text() == "Of 8 examples relabelled: 6 from 0 to 1"


def test_metacost_lowers_the_cost(mixed):
    X, y = mixed
    plain = C45Classifier().fit(X, y).predict(X)
    model = MetaCostClassifier(costs=10, random_state=0).fit(X, y)
    assert expected_cost(y, model.predict(X), 10) < expected_cost(y, plain, 10)


# --- cost-proportionate sampling


def test_rejection_sample_keeps_in_proportion():
    codes = np.repeat([0, 1, 2], 20_000)
    rows = rejection_sample(codes, np.array([1.0, 4.0, 10.0]), np.random.default_rng(0))
    shares = np.bincount(codes[rows]) / 20_000
    # Three standard deviations of a share of 20,000 are at most 0.011.
    np.testing.assert_allclose(shares, [0.1, 0.4, 1.0], atol=0.011)
    assert (np.diff(rows) > 0).all()  # no row twice


def test_rejection_sample_is_drawn_again_and_then_completed():
    codes = np.array([0, 1, 1])
    for seed in range(20):  # the first class is kept once in three draws
        rows = rejection_sample(codes, np.array([1.0, 3.0]), np.random.default_rng(seed))
        assert rows.tolist() == [0, 1, 2]
        rows = rejection_sample(codes, np.array([1e-12, 3.0]), np.random.default_rng(seed))
        assert rows.tolist() == [0, 1, 2]


def test_equal_costs_keep_everything():
    model = CostProportionateClassifier(Scripted(), random_state=0).fit(P, Y)
    np.testing.assert_array_equal(model.estimators_[0].taught_, np.column_stack([P[:, 0], Y]))


def test_costing_averages_probabilities(mixed):
    X, y = mixed
    model = CostProportionateClassifier(costs=5, n_estimators=4, random_state=0).fit(X, y)
    assert len(set(model.sample_sizes_.tolist())) > 1
    assert (model.sample_sizes_ > 45).all() and (model.sample_sizes_ < 45 + 255 / 2).all()
    mean = np.mean([m.predict_proba(X) for m in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean)
    assert (model.predict(X) == model.classes_[mean.round(12).argmax(axis=1)]).all()
    text = model.to_text()
    assert text.startswith("Examples kept: ") and text.count("\n\n") == 4


def test_costing_by_votes(mixed):
    X, y = mixed
    numbers = X[["size", "other"]]
    model = CostProportionateClassifier(LinearSVC(), costs=5, n_estimators=3, random_state=0)
    proba = model.fit(numbers, y).predict_proba(numbers)
    assert set((3 * proba).round(9).ravel()) == {0, 1, 2, 3}


def test_a_class_that_costs_nothing_is_never_predicted(mixed):
    X, y = mixed
    model = CostProportionateClassifier(costs={"good": 1, "bad": 0}, random_state=0).fit(X, y)
    assert set(model.predict(X)) == {"good"} and model.sample_sizes_.tolist() == [255]
    np.testing.assert_array_equal(model.predict_proba(X), [[0, 1]] * 300)  # bad, good
    with pytest.warns(UserWarning, match="relabelled 'good'"):
        model = MetaCostClassifier(costs={"good": 1, "bad": 0}, random_state=0).fit(X, y)
    assert set(model.predict(X)) == {"good"}


# --- all of them


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("base", [C45Classifier(), RIPPERClassifier()])
def test_nominal_columns_reach_the_base_classifier(kind, base, mixed):
    X, y = mixed
    model = kind(base, costs=5).fit(X, y)
    assert set(model.predict(X)) == {"bad", "good"} and model.pos_label_ == "bad"
    assert model.costs_.tolist() == [[0, 5], [1, 0]]
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.predict_proba(X).shape == (300, 2)
    assert "size" in model.to_text()


@pytest.mark.parametrize("kind", ALL)
def test_a_class_with_one_row(kind):
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(40), np.ones(20), 2].astype(int)
    X = rng.normal(size=(61, 2)) + 3 * y[:, None]
    costs = {0: 1, 1: 1, 2: 30}
    settings = {} if kind is CostThresholdClassifier else {"random_state": 0}
    model = kind(C45Classifier(min_samples_leaf=1), costs=costs, **settings).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2] and model.pos_label_ is None
    proba = model.predict_proba(X)
    assert proba.shape == (61, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    two = kind(LogisticRegression(), costs=3, **settings).fit(X[40:], y[40:])
    assert two.pos_label_ == 2


def test_bags_without_a_class_count_it_as_impossible():
    X = np.arange(10.0)[:, None]
    y = (X[:, 0] == 9).astype(int)
    model = MetaCostClassifier(LogisticRegression(), n_estimators=20, costs=5, random_state=0).fit(
        X, y
    )
    constant = [len(m.classes_) == 1 for m in model.estimators_]
    assert any(constant) and not all(constant)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1)
    assert model.probabilities_[9, 1] <= 1 - np.mean(constant)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"costs": 5}, [0, 1, 2, 0, 1, 2, 0, 0], "two classes, but there are 3"),
        ({"costs": np.eye(3)}, Y, r"shape \(3, 3\)"),
        ({"costs": [[0, 0], [0, 0]]}, Y, "All costs of errors are zero"),
        ({"pos_label": 7}, Y, "pos_label=7 is not among"),
        ({}, [1] * 8, "one class"),
    ],
)
def test_bad_input(kind, settings, y, message):
    with pytest.raises(ValueError, match=message):
        kind(**settings).fit(P, y)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("estimator", [C45Classifier, "tree", object()])
def test_bad_estimators(kind, estimator):
    with pytest.raises(TypeError, match="estimator must be a classifier"):
        kind(estimator).fit(P, Y)


@pytest.mark.parametrize("kind", [MetaCostClassifier, CostProportionateClassifier])
def test_the_seed_decides_and_jobs_do_not(kind, mixed):
    X, y = mixed
    model = kind(RIPPERClassifier(), costs=4, n_estimators=3, random_state=1)
    first = model.fit(X, y).predict_proba(X)
    with parallel_config("threading"):
        again = clone(model).set_params(n_jobs=2).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(first, again)
    other = clone(model).set_params(random_state=2).fit(X, y).predict_proba(X)
    assert (first != other).any()


def test_models_print_themselves():
    model = CostThresholdClassifier(costs=4).fit(P, Y)
    assert model.to_text().startswith("1 if its probability is above 0.2\n\n")
    three = CostThresholdClassifier(costs={0: 1, 1: 2, 2: 3}).fit(P, [0, 1, 2, 0, 0, 0, 1, 2])
    assert "true classes as rows" in three.to_text() and "3.0" in three.to_text()
