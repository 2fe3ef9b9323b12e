"""The protocol of RLSD: the given split, the grid of Table 3, rivals and measures."""

import functools
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from minority.rules import RLSDClassifier, RuleSet
from minority.trees import C45Classifier
from minority_reports import datasets, paths
from minority_reports.experiments import Fold, Task
from minority_reports.papers.rlsd import protocol
from minority_reports.papers.rlsd.protocol import (
    C50,
    CUT,
    EXPERIMENTS,
    GRID,
    REAL,
    REAL_EVENTS,
    SIGNIFICANCE,
    SIMULATED,
    STEP_BY_STEP,
    STEPS,
    TABLE3,
    given_split,
    stratified_splits,
)
from minority_reports.report import protocol_table


@functools.cache
def toy(n=3000, seed=0):
    """Bad examples are rare, more frequent where a and b are large; c tells nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 100, size=(2 * n, 3)), columns=["a", "b", "unrelated_1"])
    X["kind"] = pd.Categorical(rng.choice(["red", "blue"], 2 * n))
    likely = (X["a"] > 80) & (X["b"] > 60)
    y = (rng.random(2 * n) < np.where(likely, 0.4, 0.005)).astype(np.int8)
    return X, y


def toy_fold(experiment, chosen=None, n=3000):
    X, y = toy(n)
    parts = X.iloc[:n], y[:n], X.iloc[n:].reset_index(drop=True), y[n:]
    return Fold(*parts, settings=chosen or experiment.settings, random_state=7)


def published_rows():
    published = json.loads((paths.published() / "rlsd.json").read_text(encoding="utf-8"))
    return {cell["row"] for cell in published["tables"][1]["cells"]}


def test_grid_is_that_of_table_3():
    assert published_rows() < set(TABLE3.settings) == set(GRID)
    assert len(GRID) == 20 and len(published_rows()) == 16


def test_names_and_data_sets():
    for key, experiment in EXPERIMENTS.items():
        assert experiment.name == f"rlsd-{key}"
        assert set(experiment.quick) <= set(experiment.datasets)
    facts = datasets.describe().set_index("name")
    assert facts.loc[list(SIMULATED), "simulated"].all()
    assert not facts.loc[list(REAL), "simulated"].any()
    for experiment in (TABLE3, C50, CUT, SIGNIFICANCE):
        assert experiment.datasets == SIMULATED
        assert (experiment.folds, experiment.split) == (1, given_split)
    for experiment in (REAL_EVENTS, STEP_BY_STEP):
        assert experiment.datasets == REAL
        assert (experiment.folds, experiment.split) == (5, stratified_splits)


@pytest.mark.parametrize("name", SIMULATED)
def test_given_split(name):
    entry = datasets.entry(name)
    ((train, test),) = given_split(np.zeros(entry.n), 1, 0)
    assert f"rows 1 to {len(train)} are for training" in entry.note
    np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(entry.n))


def test_given_split_knows_no_other_data():
    with pytest.raises(ValueError, match="no simulated pair has 100 rows"):
        given_split(np.zeros(100), 1, 0)


def test_stratified_splits():
    y = np.arange(200) < 20
    for train, test in stratified_splits(y, 5, 0):
        assert sorted([*train, *test]) == list(range(200))
        assert (len(test), y[test].sum()) == (60, 6)


def test_fold_of_a_pair():
    data = datasets.load("simulated-law-1")
    fold = TABLE3.fold_of(Task("simulated-law-1", "rlsd", 0, 0, 0), data.X, data.y)
    assert (len(fold.y_train), fold.y_train.sum(), fold.y_test.sum()) == (69_261, 273, 59)
    measured = SIGNIFICANCE.methods["chimerge"].run(replace(fold, settings=SIGNIFICANCE.settings))
    table = pd.DataFrame(measured).T
    assert (table["unrelated_kept"].diff().dropna() <= 0).all()
    # The stricter the level, the better are the two kinds told apart.
    assert table["related_kept"].iloc[-1] > 30 and table["unrelated_kept"].iloc[-1] < 7


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9), st.integers(0, 9))
def test_flag_measures_and_f(tp, fp, fn, tn):
    y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    flagged = np.repeat([True, True, False, False], [tp, fp, fn, tn])
    measured = protocol.flag_measures(y, flagged)
    assert [measured[name] for name in ("tp", "fp", "fn", "tn")] == [tp, fp, fn, tn]
    assert measured["recall"] == tp / (tp + fn)
    assert np.isnan(measured["precision"]) == (tp + fp == 0)
    if tp:
        expected = 5 / (4 / measured["recall"] + 1 / measured["precision"])
        found = protocol.f_measure(measured["recall"], measured["precision"])
        assert found == pytest.approx(expected)
    assert protocol.f_measure(0, 0) == 0


def test_table3_against_the_classifier():
    fold = toy_fold(TABLE3, ("minR=0.05,minP=0.04", "minR=0.2,minP=0.005"))
    measured = TABLE3.methods["rlsd"].run(fold)
    assert list(measured) == list(fold.settings)
    for setting, row in measured.items():
        assert set(row) == set(TABLE3.measures)
        min_recall, min_precision = GRID[setting]
        least = {"min_recall": min_recall, "min_precision": min_precision}
        model = clone(protocol.RLSD).set_params(random_state=fold.random_state, **least)
        model.fit(fold.X_train, fold.y_train)
        frame = model.rules_frame(fold.X_test, fold.y_test).iloc[: len(model.rules_)]
        scores = protocol.f_measure(frame["recall"], frame["precision"].fillna(0))
        best = frame.iloc[scores.argmax()]
        assert row["n_rules"] == len(frame) > 0
        assert (row["best_recall"], row["best_precision"]) == (best["recall"], best["precision"])
        trained = protocol.f_measure(model.rule_table_["recall"], model.rule_table_["precision"])
        assert row["trained_recall"] == frame["recall"].iloc[trained.argmax()]
        assert row["recall"] >= row["best_recall"]
        flagged = model.predict(fold.X_train) == 1
        assert row["train_recall"] == flagged[fold.y_train == 1].mean()


@pytest.mark.filterwarnings("error")
def test_table3_without_a_rule():
    fold = toy_fold(TABLE3, ("minR=0.2,minP=0.04",))
    noise = np.random.default_rng(0).permutation(fold.y_train)
    row = TABLE3.methods["rlsd"].run(replace(fold, y_train=noise))["minR=0.2,minP=0.04"]
    assert row["n_rules"] == row["recall"] == row["train_recall"] == 0
    assert np.isnan(row["precision"]) and np.isnan(row["best_recall"])


def test_rules_for_the_minority():
    text = "1. 1 if a > 90\n2. 0 if a > 50\n3. 1 if a > 40 and b > 50\notherwise 1"
    rules = RuleSet.parse(text, ["a", "b"])
    train = pd.DataFrame({"a": [95, 96, 60, 45, 10, 45], "b": [0, 0, 0, 60, 0, 70]})
    test = pd.DataFrame({"a": [99, 99, 55, 41, 5], "b": [0, 0, 0, 90, 0]})
    y_train, y_test = np.array([1, 1, 1, 1, 1, 0]), np.array([1, 0, 1, 1, 1])
    fold = Fold(train, y_train, test, y_test, settings=("cost=100",), random_state=0)
    assert protocol.minority_rules(rules, fold) == {
        "minority_rules": 2,
        "single_rules": 1,
        "minority_default": 1,
        "tp_by_rules": 2,
    }


def test_costs():
    fold = toy_fold(C50, ("cost=100", "cost=400"))
    found = {name: method.run(fold) for name, method in C50.methods.items()}
    for measured in found.values():
        for row in measured.values():
            assert set(row) <= set(C50.measures) and row["recall"] > 0.3
    assert set(found["c5.0"]["cost=100"]) == set(C50.measures)


def test_least_cost_collapses_from_none_to_all():
    """Without any signal the tree is a leaf, and 1/250 of its examples are bad (claim 28)."""
    n = 2500
    X = pd.DataFrame({"a": np.zeros(n)})
    y = (np.arange(n) < 10).astype(np.int8)
    fold = Fold(X, y, X, y, settings=C50.settings, random_state=0)
    recalls = [row["recall"] for row in C50.methods["c5.0-least-cost"].run(fold).values()]
    assert recalls == [0, 0, 1, 1]


@given(
    st.integers(1, 500), st.integers(1, 20), st.sampled_from(list(protocol.CUT_SETTINGS.values()))
)
@settings(max_examples=50)
def test_kept_rows(n_negatives, n_positives, per_cent):
    y = np.random.default_rng(0).permutation(np.arange(n_negatives + n_positives) < n_positives)
    rows = protocol.kept_rows(y, per_cent, 3)
    assert y[rows].sum() == n_positives and len(set(rows)) == len(rows)
    assert (~y[rows]).sum() == max(1, round(n_negatives * per_cent / 100))
    np.testing.assert_array_equal(rows, protocol.kept_rows(y, per_cent, 3))
    np.testing.assert_array_equal(rows, np.sort(rows))


@pytest.mark.parametrize("name", CUT.methods)
def test_cut(name):
    """Nominal columns included; the fewer negatives are kept, the more is flagged."""
    fold = toy_fold(CUT, ("kept=5%", "kept=1%"))
    measured = CUT.methods[name].run(fold)
    assert list(measured) == ["kept=5%", "kept=1%"]
    few, fewer = measured.values()
    assert set(few) == set(CUT.measures)
    assert few["tp"] + few["fp"] < fewer["tp"] + fewer["fp"]
    assert few["recall"] > 0.3
    assert measured == CUT.methods[name].run(fold)


def test_recall_within_the_budget():
    score = np.array([5, 4, 4, 4, 4, 1, 1, 1, 1, 1.0])
    y = np.array([1, 0, 1, 1, 0, 0, 0, 0, 0, 1])
    assert protocol.recall_within(y, score, 0.1) == 1 / 4
    assert (
        protocol.recall_within(y, score, 0.3) == (1 + 0.5 * 2) / 4
    )  # half of the tied are positive
    assert protocol.recall_within(y, score, 0.5) == 3 / 4
    assert protocol.recall_within(y, score, 1) == 1
    assert protocol.recall_within(y, score, 0.05) == 0  # not one row


def test_ranking_measures():
    y = np.array([1, 1, 0, 0, 0, 0])
    perfect = protocol.ranking_measures(y, np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0]))
    assert (perfect["ap"], perfect["best_f2"]) == (1, 1)
    useless = protocol.ranking_measures(y, np.zeros(6))
    assert useless["ap"] == pytest.approx(1 / 3)
    assert useless["best_f2"] == pytest.approx(5 / (4 + 3))


@pytest.mark.parametrize("name", REAL_EVENTS.methods)
def test_rankers(name):
    fold = toy_fold(REAL_EVENTS)
    row = REAL_EVENTS.methods[name].run(fold)["default"]
    assert set(row) == set(REAL_EVENTS.measures[: len(row)])
    assert row["ap"] > 4 * fold.y_test.mean()
    assert row["n_rules"] > 0
    if name == "rlsd":
        chosen = REAL_EVENTS.methods["rlsd"].estimator
        assert row["min_recall"] in chosen.min_recalls and row["odds_ratio"] in chosen.odds_ratios


def test_steps_lead_from_the_paper_to_the_defaults():
    estimators = {name: method.estimator for name, method in STEP_BY_STEP.methods.items()}
    parameters = {name: model.get_params() for name, model in estimators.items()}
    assert list(parameters) == list(STEPS)
    assert parameters["as-published"] == protocol.RLSD.get_params()
    assert parameters["joined"] == RLSDClassifier(pos_label=1).get_params()
    for before, name in pairwise(STEPS):
        changed = {k for k, v in parameters[name].items() if parameters[before][k] != v}
        assert changed == set(STEPS[name][1]) and len(changed) == 1


def test_steps_are_measured_on_the_splits_of_real_events():
    data = datasets.load("kddcup-rootkit-imap_vs_back")
    folds = [
        experiment.fold_of(Task(data.facts.name, method, 0, 1, 0), data.X, data.y)
        for experiment, method in (
            (REAL_EVENTS, "ripper"),
            *((STEP_BY_STEP, name) for name in STEPS),
        )
    ]
    for fold in folds[1:]:
        np.testing.assert_array_equal(fold.X_test, folds[0].X_test)
        assert fold.random_state == folds[1].random_state
    rows = {name: STEP_BY_STEP.methods[name].run(folds[1])["default"] for name in STEPS}
    for name, row in rows.items():
        assert set(row) == set(STEP_BY_STEP.measures)
        model = STEP_BY_STEP.methods[name].estimator
        model = clone(model).set_params(random_state=folds[1].random_state)
        model.fit(folds[1].X_train, folds[1].y_train)
        score = model.predict_proba(folds[1].X_test)[:, 1]
        found = protocol.ranking_measures(folds[1].y_test, score)
        assert (row["ap"], row["recall_2"]) == (found["ap"], found["recall_2"])
        assert row["recall_05"] <= row["recall_1"] <= row["recall_2"]
        assert row["n_rules"] == len(model.rules_) == len(RuleSet.parse(model.to_text()))
        assert row["conditions"] == str(model.rules_).count(" and ") + row["n_rules"]
    # Rules that are joined decide and rank as before.
    ranks = [{k: rows[name][k] for k in ("ap", "recall_1")} for name in list(STEPS)[2:4]]
    assert ranks[0] == ranks[1]


def test_choice_is_made_by_cross_validation():
    """A least precision that no rule has is not chosen."""
    X, y = toy()
    model = protocol.ChosenRLSD(protocol.RLSD, (0.9, 0.05, 0.95), (1000, 5), cv=3, random_state=0)
    assert model.fit(X, y).chosen_ == {"min_recall": 0.05, "odds_ratio": 5}
    same = protocol.fit_by_odds(protocol.RLSD, X, y, 0.05, 5, 0)
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    assert str(model.model_) == str(same)


def test_odds_ratio():
    X, y = toy()
    model = protocol.fit_by_odds(protocol.RLSD, X, y, 0.1, 5, 0)
    share = y.mean()
    least = model.min_precision_
    assert least / (1 - least) == pytest.approx(5 * share / (1 - share))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_method_says_what_it_fits(name):
    for method in EXPERIMENTS[name].methods.values():
        assert method.estimator is not None
    table = protocol_table(EXPERIMENTS[name])
    assert table.frame["what it is"].str.len().gt(0).all()


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(max_depth=3), LinearSVC(), C45Classifier(pruning=None)]
)
def test_any_classifier_can_be_run_on_real_events(estimator):
    """Nominal columns are coded; scores are probabilities or decision values."""
    fold = toy_fold(REAL_EVENTS)
    measured = REAL_EVENTS.adapt(estimator)(fold)
    assert list(measured) == list(REAL_EVENTS.settings)
    row = measured["default"]
    assert set(row) < set(REAL_EVENTS.measures)
    assert row["ap"] > 2 * fold.y_test.mean()
    assert np.isnan(row["n_rules"]) != isinstance(estimator, C45Classifier)


def test_missing_a_positive_costs_the_ratio_of_the_classes():
    X, y = toy()
    ratio = (y == 0).sum() / (y == 1).sum()
    model = protocol.CostOfRatio(C45Classifier()).fit(X, y)
    assert model.model_.costs == {0: 1, 1: ratio}
    assert (model.predict(X) == model.model_.predict(X)).all()
