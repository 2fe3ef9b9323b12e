"""The protocol of Boosting-SVM: data sets, the rows that validate, rivals and measures."""

import functools
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from minority.ensembles import linear_svm
from minority_reports import datasets
from minority_reports.experiments import Fold, Task, with_random_state
from minority_reports.papers.boosting_svm import protocol
from minority_reports.papers.boosting_svm.protocol import (
    DIFFERENT_COSTS,
    EXPERIMENTS,
    IMBALANCE,
    MAIN,
    MORE,
    MORE_SETS,
    OTHER_KERNELS,
    PUBLIC,
    STAND_INS,
)


@functools.cache
def toy(n=260, seed=0):
    """Positives are rare and overlap with the others; `kind` tells a little, `b` nothing."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 10 == 0).astype(np.int8)
    X = pd.DataFrame(
        {
            "a": rng.normal(1.5 * y, 1),
            "b": rng.normal(5, 30, n),
            "c": rng.normal(-y, 2),
            "kind": pd.Categorical(np.where(rng.random(n) < 0.3 + 0.3 * y, "red", "blue")),
        }
    )
    return X, y


def toy_fold(experiment=MAIN, chosen=None):
    X, y = toy()
    train = np.arange(len(y)) < 200
    return Fold(
        X[train].reset_index(drop=True),
        y[train],
        X[~train].reset_index(drop=True),
        y[~train],
        settings=chosen or experiment.settings,
        random_state=7,
    )


def test_names_and_data_sets():
    for key, experiment in EXPERIMENTS.items():
        assert experiment.name == f"boosting_svm-{key}"
        assert set(experiment.quick) <= set(experiment.datasets)
        assert experiment.folds == 10
        assert all(method.about for method in experiment.methods.values())
    facts = datasets.describe().set_index("name")
    assert facts.loc[list(STAND_INS), "simulated"].all()
    assert not facts.loc[[*PUBLIC, *MORE], "simulated"].any()
    used = facts.index[facts["papers"].str.contains("boosting_svm")]
    assert set(used) == {*PUBLIC, *STAND_INS} == set(MAIN.datasets)
    assert MORE_SETS.methods == MAIN.methods
    large = facts.loc[list(PUBLIC), "positives"]
    assert set(IMBALANCE.datasets) == set(large.index[large >= 50]) - {"letter"}


def test_further_sets_follow_their_rule():
    facts = datasets.describe()
    facts = facts[(facts["source"] == "keel") & (facts["positives"] >= 20)]
    facts = facts[facts["imbalance"].between(5, 130)]
    source = facts["name"].str.extract(r"^(kr-vs-k|new-thyroid|page-blocks|[a-z]+)")[0]
    of_the_paper = {re.match("[a-z]+", name)[0] for name in PUBLIC}
    facts = facts.assign(source=source)[~source.isin(of_the_paper)]
    facts = facts.sort_values(["positives", "name"], ascending=[False, True])
    assert tuple(facts.drop_duplicates("source")["name"][:10]) == MORE


def test_methods_of_the_paper():
    labels = [re.sub(r", \d00 %", "", method.label) for method in protocol.RIVALS.values()]
    assert list(dict.fromkeys(labels)) == [
        "AdaCost",
        "SMOTEBoost",
        "Weighted random forest",
        "DataBoost-IM",
        "Undersampling + SVM",
        "SMOTE + SVM",
        "Asymmetric-cost SVM",
        "SMOTE + asymmetric cost",
    ]
    assert len(protocol.COSTS) == len(protocol.DELTAS)


def test_settings_that_the_paper_states():
    """Ten folds, at most 40 rounds, SMOTE with 5 neighbours at 200 to 500 %, a linear kernel."""
    assert MAIN.folds == 10 and protocol.LEVELS == (200, 300, 400, 500)
    runs = {name: method.run for name, method in MAIN.methods.items()}
    for name in ("b-svm", "adacost", "smoteboost-200", "databoost-im"):
        assert runs[name].estimator.get_params()["n_estimators"] == 40
    assert runs["smoteboost-200"].estimator.get_params()["k_neighbors"] == 5
    for level in protocol.LEVELS:
        sampler = runs[f"smote-{level}"].estimator[0]
        assert (sampler.percent, sampler.k_neighbors) == (level, 5)
    model, parts = runs["b-svm"].fit(toy_fold())
    assert all(machine.coef_.shape == (1, parts.X.shape[1]) for machine in model.estimators_)
    # 70 and 20 of the 90 % that are not for testing
    assert len(parts.y_val) == pytest.approx(len(toy_fold().y_train) * 2 / 9, abs=1)


def test_the_same_rows_validate_for_all_methods_and_experiments():
    data = datasets.load("glass7")
    masks = []
    for experiment, method in ((MAIN, "b-svm"), (MAIN, "adacost"), (OTHER_KERNELS, "rbf")):
        fold = experiment.fold_of(Task("glass7", method, 0, 3, 0), data.X, data.y)
        masks.append(protocol.validation_rows(fold))
    assert (masks[0] == masks[1]).all() and (masks[0] == masks[2]).all()
    n, n_val = len(data.y), masks[0].sum()
    assert abs(n_val - 0.2 * n) < 2 and abs(len(masks[0]) - n_val - 0.7 * n) < 2
    assert abs(fold.y_train[masks[0]].sum() - 0.2 * data.y.sum()) < 1
    other = MAIN.fold_of(Task("glass7", "b-svm", 0, 4, 0), data.X, data.y)
    assert (protocol.validation_rows(other)[:100] != masks[0][:100]).any()


def test_parts():
    fold = toy_fold()
    held_out = protocol.validation_rows(fold)
    parts = protocol.parts_of(fold, held_out)
    np.testing.assert_allclose(parts.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(parts.X.std(axis=0), 1)
    assert parts.X.shape[1] == 4
    assert len(parts.y) == 200 - held_out.sum() and len(parts.y_val) == held_out.sum()
    np.testing.assert_array_equal(parts.y_val, fold.y_train[held_out])
    # Back to the numbers of the fold, whose training rows alone set the scale.
    a = fold.X_train["a"][~held_out]
    np.testing.assert_allclose(parts.X_test[:, 1] * a.std(ddof=0) + a.mean(), fold.X_test["a"])
    assert len(protocol.parts_of(fold).y_val) == 0


@pytest.mark.parametrize("name", ["b-svm", "adacost", "wrf", "smote-asymmetric-300"])
def test_no_test_row_is_learnt_from(name):
    """Other test rows change nothing but what is measured on them."""
    fold = toy_fold()
    other = replace(fold, X_test=fold.X_test.iloc[:30], y_test=fold.y_test[:30])
    for row, again in zip(
        MAIN.methods[name].run(fold).values(), MAIN.methods[name].run(other).values(), strict=True
    ):
        assert row["train_error"] == again["train_error"]
        assert row.get("n_rounds") == again.get("n_rounds")
        assert row["tp"] + row["fn"] == 2 * (again["tp"] + again["fn"])


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9), st.integers(1, 9))
def test_class_measures(tp, fp, fn, tn):
    y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    measured = protocol.class_measures(y, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn]))
    assert [measured[name] for name in ("tp", "fp", "fn", "tn")] == [tp, fp, fn, tn]
    assert measured["g_mean"] == pytest.approx(np.sqrt(tp / (tp + fn) * tn / (tn + fp)))
    assert (measured["sensitivity"], measured["specificity"]) == (tp / (tp + fn), tn / (tn + fp))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MAIN.methods)
def test_main_methods(name):
    method, fold = MAIN.methods[name], toy_fold()
    rows = pickle.loads(pickle.dumps(method)).run(fold)
    assert list(rows) == list(protocol.SHARES)
    assert rows == method.run(fold)
    for row in rows.values():
        assert set(row) <= set(protocol.MEASURES)
        assert row["n_unconverged"] == 0
        assert row["tp"] + row["fn"] == fold.y_test.sum()
    as_published, same_rows = rows.values()
    boosted = isinstance(method.run, protocol.Boosted)
    assert ("n_rounds" in as_published) == boosted
    assert (as_published == same_rows) == boosted


def test_what_methods_train_on():
    seen = []

    class Seeing(DummyClassifier):
        def fit(self, X, y):
            seen.append((len(X), y.sum()))
            return super().fit(X, y)

    fold = toy_fold()
    protocol.Trained(Seeing())(fold)
    held_out = protocol.validation_rows(fold)
    few = (int((~held_out).sum()), fold.y_train[~held_out].sum())
    assert seen == [(200, 20), few] and few[0] < 160


def test_measures_of_boosting_against_the_model():
    fold = toy_fold()
    boosted = protocol.Boosted(protocol.boosting_svm(), tuned="delta_")
    model, parts = boosted.fit(fold)
    row = boosted(fold)["others=90%"]
    assert row["train_error"] == (model.predict(parts.X) != parts.y).mean()
    errors = [(c.predict(parts.X) != parts.y).mean() for c in model.estimators_]
    assert row["component_error"] == min(errors[: model.n_rounds_])
    assert (row["n_rounds"], row["chosen"]) == (model.n_rounds_, model.delta_)
    assert (
        row["g_mean"] == protocol.class_measures(fold.y_test, model.predict(parts.X_test))["g_mean"]
    )


def test_smote_uses_every_positive_in_turn():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), (np.arange(60) < 8).astype(int)
    rows, target = protocol.ChawlaSMOTE(200, 5, random_state=0).fit_resample(X, y)
    assert len(rows) == 60 + 16 and target[60:].all()
    np.testing.assert_array_equal(rows[:60], X)
    for place, new in enumerate(rows[60:]):
        start = X[place % 8]
        nearest = np.argsort(np.linalg.norm(X[:8] - start, axis=1))[1:6]
        gaps = [np.linalg.norm(np.cross(new - start, X[k] - start)) for k in nearest]
        assert min(gaps) < 1e-12  # on the line to one of its five neighbours


def test_copies_are_copies():
    parts = protocol.parts_of(toy_fold())
    copied = np.repeat(np.arange(len(parts.y)), np.where(parts.y == 1, 4, 1))
    expected = linear_svm(tol=1e-8, random_state=0).fit(parts.X[copied], parts.y[copied])
    found = with_random_state(MAIN.methods["copies-300"].estimator, 0).fit(parts.X, parts.y)
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=2e-2)


def test_undersampling_balances():
    parts = protocol.parts_of(toy_fold())
    model = with_random_state(MAIN.methods["undersampling"].estimator, 3).fit(parts.X, parts.y)
    assert np.bincount(parts.y[model[0].sample_indices_]).tolist() == [20, 20]


def test_weighted_forest_against_its_definition():
    """Votes weigh the mean weight of the drawn rows in a leaf."""
    parts = protocol.parts_of(toy_fold())
    forest = protocol.WeightedForest(5, 4.0, random_state=3).fit(parts.X, parts.y)
    rng = np.random.default_rng(3)
    total, unseen = np.zeros(len(parts.X_test)), np.zeros(len(parts.y))
    for tree in forest.trees_:
        draws = np.bincount(rng.integers(len(parts.y), size=len(parts.y)), minlength=len(parts.y))
        rng.integers(2**31)
        leaves = tree.apply(parts.X)
        votes = {}
        for leaf in np.unique(leaves[draws > 0]):
            counts = [draws[(leaves == leaf) & (parts.y == label)].sum() for label in (0, 1)]
            mean = (counts[0] + 4 * counts[1]) / sum(counts)
            votes[leaf] = mean if 4 * counts[1] > counts[0] else -mean
        total += [votes[leaf] for leaf in tree.apply(parts.X_test)]
        unseen += np.where(draws == 0, [votes.get(leaf, 0) for leaf in leaves], 0)
    np.testing.assert_array_equal(forest.predict(parts.X_test), total > 0)
    np.testing.assert_array_equal(forest.oob_score_ > 0, unseen > 0)


def test_weight_of_the_forest_is_chosen_out_of_the_bags():
    parts = protocol.parts_of(toy_fold())
    best = protocol.WeightedForestOutOfBag(40, (0, 1), random_state=0).fit(parts.X, parts.y)
    plain, weighted = (protocol.WeightedForest(40, w, 0).fit(parts.X, parts.y) for w in (1.0, 9.0))
    scores = [
        protocol.class_measures(parts.y, forest.oob_score_ > 0)["g_mean"]
        for forest in (plain, weighted)
    ]
    assert scores[0] < scores[1] and best.chosen_ == 9
    np.testing.assert_array_equal(best.predict(parts.X_test), weighted.predict(parts.X_test))
    assert weighted.predict(parts.X_test).sum() > plain.predict(parts.X_test).sum()


def test_leaf_size_is_chosen_out_of_the_bags():
    parts = protocol.parts_of(toy_fold())
    best = protocol.RandomForestOutOfBag(40, (1, 20), random_state=0).fit(parts.X, parts.y)
    assert best.chosen_ == best.model_.min_samples_leaf == 20


def test_delta_1_is_adaboost():
    """Lowering the weights of the right ones is, once scaled, raising those of the errors."""
    model, parts = protocol.Boosted(protocol.boosting_svm(delta=1.0)).fit(toy_fold())
    is_positive = parts.y == 1
    cost = np.where(is_positive, 1 / is_positive.sum(), 1 / (~is_positive).sum())
    weight = np.ones(len(parts.y)) / len(parts.y)
    assert len(model.alphas_) >= 3
    for machine, alpha in zip(model.estimators_, model.alphas_, strict=True):
        price = weight * cost / np.mean(weight * cost)
        again = linear_svm(random_state=machine.random_state)
        right = again.fit(parts.X, parts.y, sample_weight=price).predict(parts.X) == parts.y
        error = weight[~right].sum()
        assert alpha == pytest.approx(np.log((1 - error) / error))
        weight[right] *= np.exp(-alpha)
        weight /= weight.sum()


@pytest.mark.parametrize("name", OTHER_KERNELS.methods)
def test_kernels_against_their_first_machine(name):
    fold = toy_fold(OTHER_KERNELS)
    rows = OTHER_KERNELS.methods[name].run(fold)
    assert list(rows) == list(OTHER_KERNELS.settings)
    assert all(set(row) <= set(OTHER_KERNELS.measures) for row in rows.values())
    if name == "linear":
        alone = MAIN.methods["asymmetric"].run(toy_fold())["others=70%"]
        assert rows["machines=first"]["train_error"] == alone["train_error"]


def test_steps():
    fold = toy_fold(EXPERIMENTS["steps"])
    frame = pd.DataFrame(EXPERIMENTS["steps"].methods["b-svm"].run(fold)).T
    assert set(frame) == set(EXPERIMENTS["steps"].measures)
    assert len(set(frame["first_g_mean"])) == 1  # all begin with the same machine
    assert frame["n_all_rounds"].is_monotonic_decreasing
    tuned = MAIN.methods["b-svm"].run(toy_fold())["others=90%"]
    assert tuned["g_mean"] == frame.loc[f"delta={tuned['chosen']:g}", "g_mean"]


def test_costs():
    fold = toy_fold(DIFFERENT_COSTS)
    rows = DIFFERENT_COSTS.methods["l1"].run(fold)
    assert set(rows["ratio=1"]) == set(DIFFERENT_COSTS.measures)
    assert (
        rows["ratio=1"]["g_mean"]
        == MAIN.methods["asymmetric"].run(toy_fold())["others=90%"]["g_mean"]
    )
    for name in DIFFERENT_COSTS.methods:
        found = [
            row["train_sensitivity"] for row in DIFFERENT_COSTS.methods[name].run(fold).values()
        ]
        assert found == sorted(found) and found[0] < found[-1]


@pytest.mark.parametrize("setting", protocol.KEPT)
def test_thinned_parts_are_nested(setting):
    fold = toy_fold()
    small = protocol.with_fewer_positives(fold, setting)
    assert small.y_train.sum() == round(20 * protocol.KEPT[setting] / 100)
    assert (small.y_train == 0).sum() == 180
    larger = protocol.with_fewer_positives(fold, "kept=100%")
    kept = set(small.X_train["a"][small.y_train == 1])
    assert kept <= set(larger.X_train["a"][larger.y_train == 1])


@pytest.mark.parametrize("name", IMBALANCE.methods)
def test_fewer_positives(name):
    rows = IMBALANCE.methods[name].run(toy_fold(IMBALANCE))
    assert list(rows) == list(protocol.KEPT)
    assert all(set(row) <= set(IMBALANCE.measures) for row in rows.values())
    assert rows["kept=10%"]["tp"] + rows["kept=10%"]["fn"] == toy_fold().y_test.sum()


@pytest.mark.parametrize("name", EXPERIMENTS["trees"].methods)
def test_trees(name):
    fold = toy_fold(EXPERIMENTS["trees"])
    row = EXPERIMENTS["trees"].methods[name].run(fold)["default"]
    assert set(row) <= set(protocol.MEASURES) and row["n_rounds"] <= 40


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_method_names_the_estimator_that_it_fits(experiment):
    for method in experiment.methods.values():
        assert not hasattr(method.estimator, "classes_") and "random_state=" not in repr(
            method.estimator
        )


@pytest.mark.parametrize("name", ["main", "more", "imbalance"])
def test_any_classifier_becomes_a_method(name):
    """The same rows, settings and measures as for the methods of the paper."""
    experiment = EXPERIMENTS[name]
    fold = toy_fold(experiment)
    rows = pickle.loads(pickle.dumps(experiment.adapt(linear_svm())))(fold)
    assert rows == experiment.methods["svm"].run(fold)
    assert list(rows) == list(experiment.settings)
