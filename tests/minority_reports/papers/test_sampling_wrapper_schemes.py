"""The schemes of the sampling wrapper's main experiment: sharing, costs and measures."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from minority.costs import MetaCostClassifier
from minority.sampling import SamplingWrapperClassifier
from minority.trees import C45Classifier
from minority_reports.experiments import Fold
from minority_reports.papers.sampling_wrapper import schemes
from minority_reports.papers.sampling_wrapper.protocol import LEARNERS, MAIN


@functools.cache
def toy(n=400, seed=0):
    """Positives are rare and overlap with the others; `b` tells nothing."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 8 == 0).astype(np.int8)
    columns = {"a": rng.normal(1.5 * y, 1), "b": rng.normal(5, 30, n), "c": rng.normal(-y, 1)}
    return pd.DataFrame(columns), y


@functools.cache
def toy_fold():
    X, y = toy()
    train = np.arange(len(y)) < 300
    return Fold(
        X[train].reset_index(drop=True),
        y[train],
        X[~train].reset_index(drop=True),
        y[~train],
        settings=MAIN.settings,
        random_state=7,
    )


@functools.cache
def toy_rows(learner="c45"):
    return MAIN.methods[learner].run(toy_fold())


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_setting_has_its_measures(learner):
    rows = toy_rows(learner)
    assert set(rows) == set(MAIN.settings)
    y = toy_fold().y_test
    for scheme, row in rows.items():
        assert set(row) <= set(MAIN.measures)
        levels = {name for name in MAIN.measures if name.startswith(("kept", "smote", "n_fits"))}
        expected = set(MAIN.measures) - levels
        if scheme in schemes.WITH_COSTS:
            expected |= levels
        elif scheme in schemes.COST_FREE:
            expected |= {"kept_1", "smote_1", "n_fits"}
        assert set(row) == expected
        assert (row["positives"], row["negatives"]) == (y.sum(), len(y) - y.sum())
        for ratio in schemes.RATIOS:
            assert 0 <= row[f"fn_{ratio}"] <= row["positives"]
            assert 0 <= row[f"fp_{ratio}"] <= row["negatives"]
        assert 0 <= row["auroc"] <= 1


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("criterion", ["f1", "auroc", "cost", "fbeta"])
def test_rows_are_those_of_the_estimator(learner, criterion):
    """What shares inner models gives what the classifier by itself gives."""
    fold, ratio = toy_fold(), 10
    X, y, X_test, y_test = schemes.parts_of(fold)
    model = SamplingWrapperClassifier(
        LEARNERS[learner],
        criterion=criterion,
        costs=ratio,
        minority=1,
        random_state=fold.random_state,
    ).fit(X, y)
    (scheme,) = [s for s, c in (schemes.COST_FREE | schemes.WITH_COSTS).items() if c == criterion]
    row = toy_rows(learner)[scheme]
    end = "_1" if scheme in schemes.COST_FREE else f"_{ratio}"
    assert (row[f"kept{end}"], row[f"smote{end}"]) == (model.undersampling_[0], model.smote_[1])
    if scheme in schemes.COST_FREE:
        found = model.predict_proba(X_test)[:, 1] > 1 / (1 + ratio) + 1e-9
    else:
        found = model.predict(X_test) == 1
    truth = y_test == 1
    assert row[f"fn_{ratio}"] == (truth & ~found).sum()
    assert row[f"fp_{ratio}"] == (~truth & found).sum()


def test_searches_share_their_models():
    rows = toy_rows()
    (shared,) = {row["n_shared"] for row in rows.values()}
    alone = sum(row.get("n_fits", 0) for row in rows.values())
    assert shared % schemes.INNER_FOLDS == 0
    assert alone > 5 * shared


def test_metacost_relabels_as_the_estimator_does(monkeypatch):
    fold = toy_fold()
    X, y, _, _ = schemes.parts_of(fold)
    given = []

    def remember(estimator, X, labels, rng):
        given.append(labels)
        return fit(estimator, X, labels, rng)

    fit = schemes.fit_or_constant
    monkeypatch.setattr(schemes, "fit_or_constant", remember)
    models = schemes.metacost_models(C45Classifier(), X, y, 3)
    assert list(models) == list(schemes.RATIOS)
    for ratio, labels in zip(schemes.RATIOS, given, strict=True):
        model = MetaCostClassifier(C45Classifier(), costs=ratio, pos_label=1, random_state=3)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*the model is a constant")
            model.fit(X, y)
        np.testing.assert_array_equal(labels, model.relabelled_)
    assert given[0].sum() < given[3].sum()


def test_costs_reach_all_that_train_with_them():
    """At 100:1 everything that minds costs misses fewer positives than at 1:1."""
    rows = toy_rows()
    for scheme in schemes.SCHEMES:
        assert rows[scheme]["fn_100"] < rows[scheme]["fn_1"], scheme


def test_weights_have_mean_one():
    seen = []

    class Spy(C45Classifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    X, y, _, _ = schemes.parts_of(toy_fold())
    schemes.weighted_by_cost(Spy(), X, y, 0)
    for ratio, weights in zip(schemes.RATIOS, seen, strict=True):
        assert weights.mean() == pytest.approx(1)
        assert weights[y == 1].mean() / weights[y == 0].mean() == pytest.approx(ratio)


def test_weights_reach_the_end_of_a_pipeline():
    X, y, _, _ = schemes.parts_of(toy_fold())
    alone = LogisticRegression()
    weighted = schemes.weighted_by_cost(alone, X, y, 0)
    in_pipeline = schemes.weighted_by_cost(make_pipeline(StandardScaler(), alone), X, y, 0)
    for models in (weighted, in_pipeline):
        assert models[100].predict(X).sum() > models[1].predict(X).sum()


class NoWeights(C45Classifier):
    def fit(self, X, y):
        return super().fit(X, y)


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearSVC(), NoWeights()])
def test_any_classifier_takes_the_place_of_the_learner(estimator):
    """With or without probabilities, weights and a random state; categories and gaps are coded."""
    fold = toy_fold()
    kind = pd.Series(np.where(fold.X_train["a"] > 1, "high", "low"))
    other = pd.Series(np.where(fold.X_test["a"] > 1, "high", "low"))
    mixed = replace(
        fold,
        X_train=fold.X_train.assign(kind=kind, b=fold.X_train["b"].where(fold.X_train["b"] > 0)),
        X_test=fold.X_test.assign(kind=other),
        settings=("base", "weighting", "metacost"),
    )
    run = MAIN.adapt(estimator)
    assert run.estimator is estimator
    rows = run(mixed)
    assert set(rows) == set(mixed.settings) and run(mixed) == rows
    assert rows["base"]["auroc"] > 0.6
    for row in rows.values():
        assert set(row) <= set(MAIN.measures)


def test_a_tie_at_the_threshold_is_negative():
    """p > p* (section 2.6); 1/3 at 2:1 is what a leaf with one negative has."""
    answers = schemes.Answers(np.array([False, False]), np.array([1 / 3, 0.3334]))
    assert answers.cut(2).tolist() == [False, True]
    for ratio in schemes.RATIOS:
        assert not schemes.Answers(None, np.array([1 / (1 + ratio)])).cut(ratio).any()


def test_counts_by_hand():
    truth, found = np.array([True, True, False, False, False]), np.array([1, 0, 1, 1, 0]) == 1
    assert schemes.error_counts(truth, found, "_5") == {"fn_5": 1, "fp_5": 2}
    row = schemes.model_measures(truth, schemes.Answers(found, np.array([0.9, 0.4, 0.8, 0.6, 0.1])))
    assert row["f1"] == pytest.approx(0.4)
    assert row["auroc"] == pytest.approx(4 / 6)
    assert row["brier"] == pytest.approx((0.01 + 0.36 + 0.64 + 0.36 + 0.01) / 5)


def test_test_rows_are_not_seen():
    """Other test rows: the same levels and the same number of inner models."""
    fold = toy_fold()
    other = replace(fold, X_test=fold.X_test + 1000, y_test=fold.y_test[::-1].copy())
    rows, again = toy_rows(), MAIN.methods["c45"].run(other)
    for scheme, row in rows.items():
        for name in (n for n in row if n.startswith(("kept", "smote", "n_"))):
            assert row[name] == again[scheme][name]


def test_categories_reach_the_learner():
    fold = toy_fold()
    kind = pd.Categorical(np.where(fold.y_train == 1, "red", "blue"), categories=["blue", "red"])
    others = pd.Categorical(np.where(fold.y_test == 1, "red", "blue"), categories=["blue", "red"])
    mixed = replace(
        fold, X_train=fold.X_train.assign(kind=kind), X_test=fold.X_test.assign(kind=others)
    )
    assert isinstance(schemes.parts_of(mixed)[0], pd.DataFrame)
    model = schemes.trained_at(C45Classifier(), mixed.X_train, mixed.y_train, 50, 100, 0)
    assert (model.predict(mixed.X_test) == mixed.y_test).all()
