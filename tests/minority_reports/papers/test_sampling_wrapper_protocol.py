"""The protocol of the sampling wrapper: its experiments, and what the studies around it run."""

import functools
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sampling_wrapper_rows import toy_fold

from minority.costs import cost_threshold
from minority.rules import RIPPERClassifier
from minority.trees import C45Classifier
from minority_reports import datasets
from minority_reports.datasets import KDDCUP99_COSTS, KDDCup99
from minority_reports.experiments import Task, with_random_state
from minority_reports.papers.sampling_wrapper import protocol, schemes
from minority_reports.papers.sampling_wrapper.protocol import (
    EXPERIMENTS,
    KDD,
    LEARNERS,
    LEVELS,
    MAIN,
    MARGIN,
    OIL,
    RIVAL_SEARCHES,
    SMOTE_VARIANTS,
    STABILITY,
    TIMING,
    Prepared,
    without_first_column,
)
from minority_reports.report import protocol_table


@functools.cache
def rows_of(key, method):
    experiment = EXPERIMENTS[key]
    return experiment.methods[method].run(toy_fold(experiment))


def test_names_and_data_sets():
    for key, experiment in EXPERIMENTS.items():
        assert experiment.name == f"sampling_wrapper-{key}"
        assert set(experiment.quick) <= set(experiment.datasets)
        assert all(method.about for method in experiment.methods.values())
    facts = datasets.describe().set_index("name")
    assert not facts.loc[list(MAIN.datasets), "simulated"].any()
    assert facts.loc[list(MAIN.datasets), "d"].tolist() == [5, 19, 12, 10, 36, 49, 6]
    used = set(facts.index[facts["papers"].str.contains("sampling_wrapper")])
    others = {"phoneme_hddt", "kddcup99_10", "kddcup99_corrected", "simulated-compustat"}
    assert used == {*MAIN.datasets, *others}


def test_protocol_of_the_paper():
    """Five runs of ten folds, five inner folds, thirteen cost ratios, seven schemes."""
    for experiment in (MAIN, OIL):
        assert (experiment.repeats, experiment.folds) == (5, 10)
    assert schemes.INNER_FOLDS == 5
    assert (1, 2, 5, *range(10, 101, 10)) == schemes.RATIOS
    assert len(schemes.RATIOS) * len(list(schemes.SCHEMES)[:7]) == 91
    assert isinstance(LEARNERS["c45"], C45Classifier)
    assert isinstance(LEARNERS["ripper"], RIPPERClassifier)
    assert LEARNERS["c45"].laplace


def test_methods_and_experiments_share_the_random_numbers_of_a_fold():
    X, y = toy_fold(MAIN).X_train, toy_fold(MAIN).y_train
    states = {
        experiment.fold_of(Task("oil", method, 1, 2, 0), X, y).random_state
        for experiment in (MAIN, OIL)
        for method in experiment.methods
    }
    assert len(states) == 1
    assert MAIN.fold_of(Task("oil", "c45", 1, 3, 0), X, y).random_state not in states


def test_oil_without_the_patch_number():
    run = Prepared(lambda fold: {"train": fold.X_train, "test": fold.X_test}, without_first_column)
    seen = run(toy_fold(MAIN))
    assert list(seen["train"]) == list(seen["test"]) == ["b"]
    assert all(m.run.prepare is without_first_column for m in OIL.methods.values())


def test_methods_can_be_sent_to_workers():
    for experiment in EXPERIMENTS.values():
        for method in experiment.methods.values():
            pickle.loads(pickle.dumps(method.run))


def test_the_protocol_says_what_is_fitted():
    for experiment in EXPERIMENTS.values():
        for method in experiment.methods.values():
            assert hasattr(method.estimator, "fit"), (experiment.name, method.label)
    texts = protocol_table(MAIN).frame["what it is"]
    assert texts["method", "C4.5"].startswith("C45Classifier(): pruned")
    assert "gap='attribute'" in protocol_table(SMOTE_VARIANTS).frame["what it is"].str.cat()


@pytest.mark.parametrize(
    ("key", "method"),
    [
        (k, m)
        for k in ("rivals", "margin", "timing", "smote", "stability")
        for m in EXPERIMENTS[k].methods
    ],
)
def test_every_setting_has_its_measures(key, method):
    experiment, rows = EXPERIMENTS[key], rows_of(key, method)
    assert set(rows) == set(experiment.settings)
    for row in rows.values():
        assert set(experiment.measures) - set(row) <= {"threshold"}
        assert set(row) <= set(experiment.measures)
        assert 0 <= row["fn"] <= 13


@pytest.mark.parametrize("method", ["ripper", "c45"])
def test_same_fold_same_rows(method):
    fold = toy_fold(STABILITY)
    assert STABILITY.methods[method].run(fold) == rows_of("stability", method)


def test_wrapper_and_margin_of_5_percent_are_those_of_the_main_experiment():
    main = MAIN.methods["c45"].run(replace(toy_fold(MARGIN), settings=MAIN.settings))
    margin, timing = rows_of("margin", "c45"), rows_of("timing", "c45")
    for scheme, criterion in schemes.COST_FREE.items():
        row = margin[f"{criterion},5%"]
        assert row["auroc"] == main[scheme]["auroc"]
        assert (row["kept"], row["smote"]) == (main[scheme]["kept_1"], main[scheme]["smote_1"])
        found = rows_of("rivals", "wrapper")[criterion]
        assert (found["kept"], found["smote"]) == (row["kept"], row["smote"])
        assert found["auroc"] == row["auroc"]
    assert timing["auroc"] == margin["auroc,5%"]
    for ratio in schemes.COST_RATIOS:
        found = rows_of("rivals", "wrapper")[f"rates={ratio}"]
        assert found["kept"] == main["wrapper-cost"][f"kept_{ratio}"]
        assert found["fn"] == main["wrapper-cost"][f"fn_{ratio}"]
        cut = rows_of("rivals", "wrapper-auroc")[f"counts={ratio}"]
        assert cut["fn"] == main["wrapper-auroc"][f"fn_{ratio}"]
        assert rows_of("rivals", "base")[f"counts={ratio}"]["fp"] == main["base"][f"fp_{ratio}"]


def test_a_smaller_margin_lets_smote_go_further():
    for criterion in ("f1", "auroc"):
        rows = [rows_of("margin", "ripper")[f"{criterion},{m}%"] for m in (5, 2, 1, 0)]
        assert rows[0]["n_fits"] <= rows[-1]["n_fits"] or rows[0]["kept"] != rows[-1]["kept"]
    assert protocol.MARGINS["f1,0%"] == ("f1", 0)


def test_grid_finds_what_its_inner_models_say_is_best():
    fold = toy_fold(RIVAL_SEARCHES)
    inner = schemes.inner_models(C45Classifier(), fold)
    for setting in ("auroc", "rates=10", "counts=10"):
        row = rows_of("rivals", "grid")[setting]
        criterion, costs = protocol.criterion_of(setting)
        values = {
            (kept, smote): inner.values(criterion, {0: kept}, {1: smote}, costs=costs)[1]
            for kept, smote in protocol.GRID
        }
        assert values[row["kept"], row["smote"]] == max(values.values())
    assert row["n_fits"] == 550


def test_costs_by_rates_are_costs_by_counts_at_another_ratio():
    y = np.repeat([0, 1], [90, 10])
    assert protocol.count_ratio("counts=5", y) == 5
    assert protocol.count_ratio("rates=5", y) == 45
    row = rows_of("rivals", "base")["counts=20"]
    assert row["threshold"] == pytest.approx(cost_threshold(20))


def test_tuned_threshold_minds_the_costs():
    rows = rows_of("rivals", "tuned-threshold")
    assert rows["counts=20"]["threshold"] < rows["counts=2"]["threshold"]
    assert rows["counts=20"]["fn"] <= rows["counts=2"]["fn"]
    assert rows["auroc"]["auroc"] == rows_of("rivals", "base")["auroc"]["auroc"]


def test_a_constant_tree_is_cut_at_the_theoretical_threshold():
    """On E-State C4.5 is often a single leaf, for which scikit-learn tunes no threshold."""
    fold = toy_fold(RIVAL_SEARCHES)
    noise = replace(fold, X_train=fold.X_train * 0, X_test=fold.X_test * 0)
    rows = RIVAL_SEARCHES.methods["tuned-threshold"].run(noise)
    assert rows["counts=2"]["threshold"] == pytest.approx(cost_threshold(2))
    assert rows["counts=2"]["fp"] == 0
    assert rows["counts=20"]["fn"] == 0
    assert rows["f1"]["f1"] == 0


def test_cost_scorer_by_hand():
    class Always:
        def predict(self, X):
            return np.array([1, 1, 0, 0])

    y = np.array([1, 0, 1, 0])
    assert protocol.CountCost(7)(Always(), None, y) == -8
    assert protocol.minus_cost(y, np.array([1, 1, 0, 0]), 7) == -8


def test_default_sampling_balances():
    row = rows_of("rivals", "default")["f1"]
    y = toy_fold(RIVAL_SEARCHES).y_train
    assert (1 + row["smote"] / 100) * y.sum() == pytest.approx((y == 0).sum())


def sampler_of(run, setting):
    return with_random_state(run.estimator, 0, **run.varied(setting)).steps[0][1]


def test_smote_variants_make_as_many_points():
    fold = toy_fold(SMOTE_VARIANTS)
    X, y, _, _ = schemes.parts_of(fold)
    sizes = {
        name: len(sampler_of(method.run, "smote=300").fit_resample(X, y)[1])
        for name, method in SMOTE_VARIANTS.methods.items()
    }
    assert set(sizes.values()) == {len(y) + 3 * y.sum()}


def test_stable_learners_agree_more():
    tree, line = (
        rows_of("stability", m)["ratio=10"]["disagreement"] for m in ("tree", "logistic-regression")
    )
    assert 0 < line < tree < 1
    rows = rows_of("stability", "c45")
    assert rows["ratio=20"]["relabelled"] > rows["ratio=2"]["relabelled"]


def test_timing_takes_the_first_of_the_same_folds():
    y = toy_fold(TIMING).y_train
    for few, all_of_them in zip(TIMING.split(y, 3, 5), MAIN.split(y, 10, 5)[:3], strict=True):
        np.testing.assert_array_equal(few[1], all_of_them[1])


def test_kdd_rows(monkeypatch):
    """Five classes in small: rows, levels of the classes named, costs by the matrix."""
    rng = np.random.default_rng(0)
    y = np.repeat(list(protocol.CLASSES), [60, 12, 20, 30, 70])
    place = {name: 3.0 * i for i, name in enumerate(protocol.CLASSES)}
    X = pd.DataFrame(
        {"a": [rng.normal(place[name], 1) for name in y], "b": pd.Categorical(y).codes % 2}
    )
    counts = pd.DataFrame()
    monkeypatch.setattr(
        protocol, "load_kddcup99", lambda training: KDDCup99(X, y, X[::2], y[::2], counts)
    )
    fold = replace(toy_fold(MAIN), settings=KDD.settings[:4])
    rows = KDD.methods["c45"].run(fold)
    assert set(rows) == set(fold.settings)
    for setting, row in rows.items():
        assert set(row) <= set(KDD.measures)
        confusion = np.array(
            [[row[f"{true}_as_{name}"] for name in protocol.CLASSES] for true in protocol.CLASSES]
        )
        assert confusion.sum() == row["n_test"] == len(y[::2])
        cost = (confusion * KDDCUP99_COSTS.to_numpy()).sum() / confusion.sum()
        assert row["cost"] == pytest.approx(cost)
        levels = {name for name in row if name.startswith(("kept_", "smote_"))}
        expected = {"kept_dos", "kept_probe", "kept_normal", "smote_u2r", "smote_r2l"}
        assert levels == (set() if setting.endswith("base") else expected)


def test_published_levels_are_those_of_the_tables():
    assert protocol.published_levels("c45", "mammography", "wrapper-auroc") == (86, 720)
    assert protocol.published_levels("ripper", "page", "wrapper-f") == (95, 190)


def test_learners_are_trained_at_the_published_levels(monkeypatch):
    monkeypatch.setattr(protocol, "published_levels", lambda *names: (50, 300))
    X, y = toy_fold(LEVELS).X_train, toy_fold(LEVELS).y_train
    fold = LEVELS.fold_of(Task("oil", "c45", 0, 0, 0), X, y)
    assert fold.dataset == "oil"
    rows = LEVELS.methods["c45"].run(fold)
    assert set(rows) == set(LEVELS.settings)
    margin = MARGIN.methods["c45"].run(replace(toy_fold(MARGIN), **parts_like(fold)))
    for setting, (scheme, how) in protocol.LEVEL_SETTINGS.items():
        row = rows[setting]
        assert set(row) == set(LEVELS.measures)
        if how == "published":
            assert (row["kept"], row["smote"]) == (50, 300)
            model = schemes.trained_at(
                C45Classifier(),
                *schemes.parts_of(fold)[:2],
                50,
                300,
                schemes.inner_models(C45Classifier(), fold).seed,
            )
            found = model.predict(schemes.parts_of(fold)[2]) == 1
            assert row["fp"] == ((fold.y_test == 0) & found).sum()
        else:
            same = margin[f"{schemes.COST_FREE[scheme]},0%"]
            assert all(row[name] == same[name] for name in ("kept", "smote", "auroc", "f1"))


def parts_like(fold):
    names = ("X_train", "y_train", "X_test", "y_test", "random_state")
    return {name: getattr(fold, name) for name in names}
