"""The protocol of DAMVI: splits, rivals, what settings change, what is measured."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import FixedThresholdClassifier

from minority.ensembles import DAMVIClassifier
from minority_reports import datasets, paths
from minority_reports.experiments import Fold, Task, with_random_state
from minority_reports.papers.damvi import PAPER, protocol
from minority_reports.papers.damvi.protocol import (
    ABLATION,
    ABLATION_MEASURES,
    DISTINCT,
    FIG1,
    OFFLINE,
    OTHER_LEARNERS,
    REPEATS,
    TABLE23,
    random_splits,
    stratified_splits,
    thinned_rows,
    vote_measures,
    with_imbalance,
    without_repeats,
)

EXPERIMENTS = PAPER.experiments


def overlapping(n=400, share=0.1, seed=0):
    """Two classes that no rival separates, the positives fewer."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int8)
    X = pd.DataFrame(rng.normal(size=(n, 3)) + 1.2 * y[:, None], columns=["a", "b", "c"])
    return X, y


def fold_of(experiment, method="damvi", number=0, n=400):
    return experiment.fold_of(Task("toy", method, 0, number, 0), *overlapping(n))


def run_of(name):
    """Easy Ensemble with 4 bags instead of 100: each holds 50 stumps, and all take 9 s."""
    run = TABLE23.methods[name].run
    if name == "ee":
        run = replace(run, estimator=clone(run.estimator).set_params(n_estimators=4))
    return run


def model_of(name, X, y, random_state):
    return with_random_state(run_of(name).estimator, random_state).fit(X, y)


@pytest.fixture(scope="module")
def measured():
    """Every method of Tables II and III on the same fold."""
    return {name: run_of(name)(fold_of(TABLE23, name))["default"] for name in TABLE23.methods}


def test_protocol():
    """5 random splits, 30 % for testing, 100 learners, 20 % in a bag, k = 5 (section IV.B)."""
    assert (TABLE23.folds, TABLE23.split) == (5, random_splits)
    assert (REPEATS.folds, REPEATS.split) == (40, stratified_splits)
    assert TABLE23.test_share == REPEATS.test_share == 0.3
    assert (protocol.N_LEARNERS, protocol.BAG_SHARE, protocol.N_NEIGHBOURS) == (100, 0.2, 5)
    for key, experiment in EXPERIMENTS.items():
        assert experiment.name == f"damvi-{key}"
        assert set(experiment.quick) <= set(experiment.datasets)
        for method in experiment.methods.values():
            assert method.about and method.version == 1
            assert method.estimator is not None


def test_labels_are_those_of_the_published_tables():
    published = json.loads((paths.published() / "damvi.json").read_text(encoding="utf-8"))
    labels = {name: TABLE23.methods[name].label for name in ("damvi", *protocol.RIVALS)}
    assert {name: label.lower() for name, label in labels.items()} == {
        name: name for name in labels
    }
    for table in published["tables"][1:]:
        rows = list(dict.fromkeys(cell["row"] for cell in table["cells"]))
        assert [*list(labels.values())[1:], "DAMVI"] == rows


def test_offline_sets_are_real_and_have_positives():
    facts = datasets.describe().set_index("name").loc[list(OFFLINE)]
    assert (facts["positives"] >= 20).all()
    assert not facts["simulated"].any()
    assert facts["available"].all()
    assert ((facts["positives"] / facts["n"]) < 0.04).sum() == len(OFFLINE) - 1


@given(st.integers(10, 80), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_random_splits(n, positives, seed):
    y = (np.arange(n) < positives).astype(np.int8)
    splits = random_splits(y, 5, seed)
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(n))
        assert len(test) == np.ceil(0.3 * n)
        assert 0 < y[train].sum() < len(train)
        assert 0 < y[test].sum() < len(test)
    assert len(splits) == 5
    # the first ones of a longer list, so that fewer folds are a selection
    for (train, _), (again, _) in zip(splits, random_splits(y, 9, seed), strict=False):
        np.testing.assert_array_equal(train, again)


def test_random_splits_are_not_stratified():
    y = (np.arange(300) < 30).astype(np.int8)
    assert len({y[test].sum() for _, test in random_splits(y, 40, 0)}) > 3
    assert {y[test].sum() for _, test in stratified_splits(y, 40, 0)} == {9}
    assert {len(test) for _, test in stratified_splits(y, 40, 0)} == {90}


def test_one_positive_cannot_be_split():
    with pytest.raises(ValueError, match="too few positives"):
        random_splits(np.array([1, *[0] * 20]), 5, 0)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_methods_share_folds_and_random_state(name):
    experiment = EXPERIMENTS[name]
    first, last = fold_of(experiment, "damvi"), fold_of(experiment, "another")
    assert first.X_train.equals(last.X_train) and first.X_test.equals(last.X_test)
    assert first.random_state == last.random_state
    assert first.random_state != fold_of(experiment, number=1).random_state


def test_uniform_weights_are_on_the_trees_of_damvi(measured):
    fold = fold_of(TABLE23)
    X_train, y_train, X_test, y_test = protocol.arrays(fold)
    model = model_of("damvi", X_train, y_train, fold.random_state)
    bag = model_of("uniform", X_train, y_train, fold_of(TABLE23, "uniform").random_state)
    votes = bag.votes(X_test)
    np.testing.assert_array_equal(votes, model.voters_.votes(X_test))
    assert measured["uniform"]["tp"] == (votes.sum(axis=1) > 0)[y_test == 1].sum()
    assert measured["damvi"]["n_voters"] == np.count_nonzero(model.weights_) < 100
    assert measured["damvi"]["ap"] != measured["uniform"]["ap"]


@pytest.mark.parametrize("name", TABLE23.methods)
def test_measures_are_those_of_the_models_own_predictions(measured, name):
    fold = fold_of(TABLE23, name)
    X_train, y_train, X_test, y_test = protocol.arrays(fold)
    model = model_of(name, X_train, y_train, fold.random_state)
    score = protocol.positive_score(model, X_test)
    predicted = model.predict(X_test)
    np.testing.assert_array_equal(score.round(12), score)
    np.testing.assert_array_equal(predicted == 1, score > 0)
    assert measured[name]["f1"] == pytest.approx(f1_score(y_test, predicted))
    assert measured[name]["ap"] == pytest.approx(average_precision_score(y_test, score))


def test_scores_that_differ_in_their_last_bits_are_ties():
    class Model:
        def predict_proba(self, X):
            score = 0.8 + np.array([0.0, 1e-16, -1e-16, 2e-16])
            return np.column_stack([1 - score, score])

    assert len(set(protocol.positive_score(Model(), np.zeros((4, 1))))) == 1


def test_measures_by_hand():
    found = protocol.score_measures(
        np.array([1, 1, 0, 0, 0]), np.array([0.5, -0.5, 0.2, 0.0, -1.0])
    )
    assert (found["tp"], found["fp"], found["fn"], found["tn"]) == (1, 1, 1, 2)
    assert found["f1"] == 0.5
    # the positives are first and fourth: (1/1 + 2/4) / 2
    assert found["ap"] == 0.75
    assert found["auroc"] == pytest.approx(4 / 6)


@pytest.mark.parametrize("kind", ["random", "smote", "adasyn"])
def test_oversamplers_balance_and_keep_the_rows(kind):
    X, y = overlapping()
    X = X.to_numpy()
    X_more, y_more = protocol.oversample(kind, X, y, 0)
    np.testing.assert_array_equal(X_more[: len(X)], X)
    assert (y_more[len(X) :] == 1).all()
    negatives = (y == 0).sum()
    # ADASYN rounds the number of new rows for each positive
    assert abs(y_more.sum() - negatives) <= (y.sum() / 2 if kind == "adasyn" else 0)
    copies = {tuple(row) for row in X[y == 1]}
    is_copy = [tuple(row) in copies for row in X_more[len(X) :]]
    assert all(is_copy) if kind == "random" else not all(is_copy)


@pytest.mark.parametrize("kind", ["smote", "adasyn"])
def test_fewer_positives_mean_fewer_neighbours(kind):
    X, y = overlapping(60)
    y = np.where(np.arange(60) < 3, 1, 0)
    assert protocol.oversample(kind, X.to_numpy(), y, 0)[1].sum() > 40


def test_adasyn_falls_back_to_smote():
    """No positive has a negative neighbour, where imbalanced-learn's ADASYN gives up."""
    X = np.r_[np.arange(40.0), 1000 + np.arange(10.0)][:, None]
    y = np.r_[np.zeros(40, int), np.ones(10, int)]
    expected = protocol.oversample("smote", X, y, 3)
    for found, wanted in zip(protocol.oversample("adasyn", X, y, 3), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_other_errors_of_adasyn_are_not_hidden():
    with pytest.raises(ValueError, match="NaN"):
        protocol.oversample("adasyn", np.full((30, 1), np.nan), np.r_[np.zeros(20), np.ones(10)], 0)


@pytest.mark.parametrize("name", ["damvi", "uniform", "r-bg", "s-bg", "a-bg"])
def test_bags_have_a_fifth_of_the_original_size(name):
    X, y = overlapping(300)
    model = model_of(name, X.to_numpy(), y, 0)
    model = getattr(model, "model_", model)  # behind an oversampling
    trees = getattr(model, "voters_", model).trees_
    assert {tree.counts[0].sum() for tree in trees} == {60}
    assert len(trees) == 100
    share = np.mean([tree.counts[0, 1] / 60 for tree in trees])
    assert share == pytest.approx(y.mean() if name in ("damvi", "uniform") else 0.5, abs=0.03)


@pytest.mark.parametrize("name", ["bb", "brf", "ee"])
def test_settings_of_the_undersampling_rivals(name):
    X, y = overlapping(200)
    assert TABLE23.methods[name].estimator.n_estimators == protocol.N_LEARNERS
    model = model_of(name, X.to_numpy(), y, 0)
    assert len(model.estimators_) == (4 if name == "ee" else 100)
    if name == "brf":
        strategy = model.sampling_strategy, model.replacement, model.bootstrap
        assert strategy == ("all", True, False)
        assert model.estimators_[0].tree_.weighted_n_node_samples[0] == 2 * y.sum()
    if name == "ee":
        assert len(model.estimators_[0][-1].estimators_) == 50


def test_methods_take_categories_and_gaps():
    X, y = overlapping(150, share=0.3)
    X["d"] = pd.Categorical(np.random.default_rng(0).choice(["x", "y", "z"], 150))
    X.loc[::9, "a"] = np.nan
    fold = Fold(X[:100], y[:100], X[100:], y[100:], ("default",), 0)
    for name in TABLE23.methods:
        assert run_of(name)(fold)["default"]["ap"] > fold.y_test.mean()


def test_ablation_agrees_with_separate_models():
    fold = fold_of(ABLATION)
    rows = ABLATION.methods["damvi"].run(fold)
    assert list(rows) == list(ABLATION.settings)
    variants = {
        "reweighting=vote": {},
        "reweighting=sign": {"reweighting": "sign"},
        "reweighting=none": {"reweighting": None},
        "bootstrap=no": {"bootstrap": False},
    }
    X_train, y_train, X_test, y_test = protocol.arrays(fold)
    for setting, options in variants.items():
        model = DAMVIClassifier(random_state=fold.random_state, **options).fit(X_train, y_train)
        row = rows[setting]
        assert set(row) == set(ABLATION_MEASURES)
        for measure in ("c_bound", "gibbs_risk", "disagreement"):
            assert row[measure] == pytest.approx(getattr(model, f"{measure}_"))
        assert row["f1"] == pytest.approx(f1_score(y_test, model.predict(X_test)))
        score = model.decision_function(X_test)
        assert row["ap"] == pytest.approx(average_precision_score(y_test, score))
        assert row["test_risk"] == pytest.approx((model.predict(X_test) != y_test).mean())
        assert row["train_risk"] == pytest.approx((model.predict(X_train) != y_train).mean())
        assert row["n_voters"] == np.count_nonzero(model.weights_)
    bag = model_of("uniform", X_train, y_train, fold.random_state)
    uniform = average_precision_score(y_test, protocol.positive_score(bag, X_test))
    assert rows["weights=uniform"]["ap"] == pytest.approx(uniform)
    assert rows["weights=uniform"]["c_bound"] > rows["reweighting=vote"]["c_bound"]
    assert rows["weights=uniform"]["n_voters"] == 100


def random_votes(seed, n=12, n_voters=4):
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], n).astype(np.int8)
    votes = np.where(rng.random((n, n_voters)) < 0.7, signs[:, None], -signs[:, None])
    return votes.astype(np.int8), signs, rng.dirichlet(np.ones(n_voters))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["vote", "sign", None]))
@settings(deadline=None)
def test_vote_measures_by_brute_force(seed, reweighting):
    votes, signs, q = random_votes(seed)
    n, n_voters = votes.shape
    D, before = np.ones(n), []
    for i in range(n):
        before.append(sum(int(signs[i]) * int(vote) for vote in votes[i]) / n_voters)
        if signs[i] == 1 and reweighting:
            D[i] = np.exp(-before[i] if reweighting == "vote" else -np.sign(before[i]))
    D /= D.sum()

    def risk_and_disagreement(weight, q):
        risk = apart = 0
        for i, k in np.ndindex(n, n_voters):
            risk += weight[i] * q[k] * (votes[i, k] != signs[i])
            for other in range(n_voters):
                apart += weight[i] * q[k] * q[other] * (votes[i, k] != votes[i, other])
        return risk, apart

    found = vote_measures(votes, signs, q, reweighting)
    risk, apart = risk_and_disagreement(D, q)
    assert found["gibbs_risk"] == pytest.approx(risk)
    assert found["disagreement"] == pytest.approx(apart)
    bound = 1 - (1 - 2 * risk) ** 2 / (1 - 2 * apart) if risk < 0.5 else 1
    assert found["c_bound"] == pytest.approx(bound)
    assert found["weighted_risk"] <= min(found["c_bound"], 2 * risk) + 1e-9
    wrong = [(sum(q * votes[i]) > 0) != (signs[i] == 1) for i in range(n)]
    assert found["train_risk"] == pytest.approx(np.mean(wrong))
    hard = np.array([signs[i] == 1 and before[i] <= 0 for i in range(n)])
    assert found["hard_positives"] == hard.sum()
    for suffix, weights in (("_before", np.full(n_voters, 1 / n_voters)), ("", q)):
        if hard.any():
            risk, apart = risk_and_disagreement(hard / hard.sum(), weights)
            assert found[f"hard_gibbs_risk{suffix}"] == pytest.approx(risk)
            assert found[f"hard_disagreement{suffix}"] == pytest.approx(apart)
        else:
            assert np.isnan(found[f"hard_gibbs_risk{suffix}"])


@given(st.integers(20, 60), st.integers(400, 900), st.floats(0.002, 0.3), st.integers(0, 99))
@settings(deadline=None)
def test_thinning_leaves_one_class_as_it_is(positives, negatives, share, seed):
    y = np.random.default_rng(seed).permutation(np.repeat([1, 0], [positives, negatives]))
    rows = thinned_rows(y, share, np.random.default_rng(seed))
    assert (np.diff(rows) > 0).all()
    left = y[rows].sum(), len(rows) - y[rows].sum()
    assert left[0] == positives or left[1] == negatives
    assert abs(left[0] - share / (1 - share) * left[1]) <= max(0.5, share)  # to the nearest row


def test_rates_of_figure_1():
    """Both parts have the percentage; who is left out depends on split and setting only."""
    X, y = overlapping(6000, share=0.0232)
    fold = FIG1.fold_of(Task("toy", "damvi", 0, 0, 0), X, y)
    other = FIG1.fold_of(Task("toy", "ee", 0, 0, 0), X, y)
    assert len(FIG1.settings) == 9
    for setting in FIG1.settings:
        percent = float(setting.removeprefix("imbalance="))
        thin = with_imbalance(fold, setting)
        for part in (thin.y_train, thin.y_test):
            assert abs(part.sum() - percent / 100 * len(part)) <= 0.5
        natural = y.mean() * 100
        kept = thin.y_train == (0 if percent < natural else 1)
        assert kept.sum() == (fold.y_train == (0 if percent < natural else 1)).sum()
        assert thin.X_train.equals(with_imbalance(other, setting).X_train)
    row = FIG1.methods["damvi"].run(replace(fold, settings=("imbalance=10",)))
    alone = TABLE23.methods["damvi"].run(
        replace(with_imbalance(fold, "imbalance=10"), settings=("default",))
    )
    assert row["imbalance=10"] == alone["default"]


def test_without_repeats():
    X = pd.DataFrame({"a": [1, 1, 2, 3, 1, 2, 4, 4], "b": list("xxyzxyww")})
    y = np.array([0, 0, 1, 0, 1, 1, 0, 0])
    fold = Fold(X[:4], y[:4], X[4:], y[4:], DISTINCT.settings, 0)
    assert without_repeats(fold, "rows=all") is fold
    found = without_repeats(fold, "rows=distinct")
    assert found.X_train["a"].tolist() == [1, 2, 3]
    assert found.y_train.tolist() == [0, 1, 0]
    assert found.X_test["a"].tolist() == [1, 4]  # the 1 has another class than in training
    assert found.y_test.tolist() == [1, 0]


def test_distinct_rows_change_nothing_where_there_are_no_repeats():
    rows = DISTINCT.methods["r-bg"].run(fold_of(DISTINCT, "r-bg"))
    assert rows["rows=all"] == rows["rows=distinct"]


@pytest.mark.parametrize("name", ["shallow-tree", "naive-bayes"])
def test_other_learners_share_their_voters(name):
    fold = fold_of(OTHER_LEARNERS, name)
    method = OTHER_LEARNERS.methods[name].run
    rows = method(fold)
    X_train, y_train, X_test, y_test = protocol.arrays(fold)
    voter = method.estimator.estimator
    model = DAMVIClassifier(voter, random_state=fold.random_state).fit(X_train, y_train)
    assert rows["weights=damvi"]["f1"] == pytest.approx(f1_score(y_test, model.predict(X_test)))
    assert rows["weights=damvi"]["c_bound"] == model.c_bound_
    model.weights_ = np.full(100, 0.01)
    score = model.decision_function(X_test)
    assert rows["weights=uniform"]["ap"] == pytest.approx(average_precision_score(y_test, score))


class Alarm(ClassifierMixin, BaseEstimator):
    """Says 1 where the first column is above a level; it has no scores."""

    def __init__(self, level=1.0):
        self.level = level

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > self.level, 1, 0)


@pytest.mark.parametrize("experiment", [TABLE23, REPEATS], ids=["table23", "repeats"])
@pytest.mark.parametrize(
    "estimator",
    [
        Alarm(),
        LogisticRegression(),
        FixedThresholdClassifier(LogisticRegression(), threshold=0.1),
    ],
    ids=["predicts only", "probabilities", "threshold of its own"],
)
def test_a_classifier_of_a_users_own_is_measured_by_what_it_predicts(experiment, estimator):
    fold = fold_of(experiment)
    (row,) = experiment.adapt(estimator)(fold).values()
    X_train, y_train, X_test, y_test = protocol.arrays(fold)
    model = clone(estimator).fit(X_train, y_train)
    predicted = model.predict(X_test)
    assert 0 < predicted.sum() < len(predicted)
    assert row["f1"] == pytest.approx(f1_score(y_test, predicted))
    assert row["tp"] + row["fp"] == predicted.sum()
    has_scores = hasattr(model, "predict_proba")
    score = model.predict_proba(X_test)[:, 1] if has_scores else predicted
    assert row["ap"] == pytest.approx(average_precision_score(y_test, score))


def test_only_the_tables_take_added_methods():
    assert [key for key, e in EXPERIMENTS.items() if e.adapt] == ["table23", "repeats"]
