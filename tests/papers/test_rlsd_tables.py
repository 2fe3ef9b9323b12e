"""Tables, figures and claims of RLSD, on rows that are made up so that the answers are known."""

from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from minority import datasets
from minority.datasets._transactions import PAIRS
from minority.experiments import Results, Settings, run
from minority.papers import rlsd as paper
from minority.papers.rlsd import _claims as claims
from minority.papers.rlsd import _figures as figures
from minority.papers.rlsd import _grid_claims as grid_claims
from minority.papers.rlsd import _studies as studies
from minority.papers.rlsd import _tables as tables
from minority.papers.rlsd._grid_claims import Steps, Trend, count_steps
from minority.papers.rlsd._protocol import GRID
from minority.report import judge
from minority.rules import ChiMerge, RLSDClassifier

EXPERIMENTS = paper.PAPER.experiments
BY_CONSTRUCTION = ("04", "07", "08", "10", "11")
NOT_TESTABLE = ("02", "03", *(f"{n}" for n in range(13, 33)))


def results_of(name, value_of, sets=None):
    """All keys of an experiment; ``value_of(key, rng)`` gives the measures of one."""
    experiment = EXPERIMENTS[name]
    rng = np.random.default_rng(0)
    keys = experiment.keys(experiment.tasks(datasets=sets), lambda _: "")
    values = pd.DataFrame([value_of(key, rng) for key in keys.itertuples()])
    planned = len(experiment.keys(experiment.tasks(), lambda _: ""))
    return Results(experiment, pd.concat([keys, values], axis="columns"), planned=planned)


def on_grid(key, rng):
    """Every trend of the paper holds; no rule where the paper found none."""
    least_recall, least_precision = GRID[key.setting]
    if least_recall * least_precision > 0.0031:
        gone = dict.fromkeys(EXPERIMENTS["table3"].measures, np.nan)
        return gone | {"n_rules": 0, "train_recall": 0.0, "recall": 0.0}
    return {
        "n_rules": 10,
        "train_recall": 1 - 10 * least_precision,
        "recall": 0.8 - 10 * least_precision + least_recall / 10,
        "precision": least_precision / 4,
        "best_recall": least_recall,
        "best_precision": 0.05 - least_recall / 10,
        "trained_recall": least_recall / 2,
        "trained_precision": 0.01,
    }


def kept(unrelated):
    return lambda key, rng: {"unrelated_kept": unrelated, "related_kept": 50, "intervals": 4.0}


def ranked(ap, rules=7):
    def value_of(key, rng):
        score = ap if key.method == "rlsd" else 0.4
        score += rng.normal(scale=1e-4)
        return {"ap": score, "best_f2": score, "recall_2": score, "n_rules": rules}

    return value_of


def flagged(recall, precision):
    return lambda key, rng: {"recall": recall, "precision": precision, "size": 5.0}


def with_costs(key, rng):
    counts = {"tp": 10, "minority_rules": 3, "single_rules": 2, "minority_default": 1}
    return flagged(0.5, 0.006)(key, rng) | counts | {"tp_by_rules": 4}


@pytest.fixture(scope="module")
def everything():
    return {
        "table3": results_of("table3", on_grid),
        "c50": results_of("c50", with_costs),
        "cut": results_of("cut", flagged(0.6, 0.008)),
        "real": results_of("real", ranked(0.9)),
        "significance": results_of("significance", kept(0)),
    }


@pytest.fixture(scope="module")
def nothing():
    chosen = Settings(paper.PAPER, compute="none", seed=987654)
    return {name: run(experiment, chosen) for name, experiment in EXPERIMENTS.items()}


def status_of(number, results):
    return paper.PAPER.rules[f"rlsd-{number}"](results).status


def verdicts(results):
    return judge("rlsd", paper.PAPER.rules, results)["verdict"]


def test_every_claim_has_a_rule():
    assert len(paper.PAPER.rules) == 33


def test_simulated_rows_reproduce_nothing_of_the_law_enforcement_data(everything, nothing):
    for results in (everything, nothing):
        found = verdicts(results)
        assert (found[[f"rlsd-{n}" for n in NOT_TESTABLE]] == "not testable").all()
        assert (found[[f"rlsd-{n}" for n in BY_CONSTRUCTION]] == "reproduced").all()


def test_claims_without_rows_are_open(nothing):
    table = judge("rlsd", paper.PAPER.rules, nothing)
    assert table.index[table["verdict"] == "open"].tolist() == ["rlsd-06", "rlsd-33"]
    assert "no rows yet" in table.loc["rlsd-14", "evidence"]


@pytest.mark.parametrize(("unrelated", "status"), [(0, "reproduced"), (5, "partly")])
def test_noise_that_drops_out(unrelated, status):
    found = claims.RULES["rlsd-06"]({"significance": results_of("significance", kept(unrelated))})
    assert found.status == status
    assert f"{56 - 4 * unrelated} of 56" in found.evidence
    part = results_of("significance", kept(unrelated), sets=["simulated-law-1"])
    assert status_of("06", {"significance": part}) == "open"


@pytest.mark.parametrize(
    ("ap", "status"), [(0.9, "reproduced"), (0.0, "not reproduced"), (0.02, "partly")]
)
def test_transfer_is_judged_against_a_random_order(ap, status):
    assert status_of("33", {"real": results_of("real", ranked(ap))}) == status


def test_transfer_waits_for_enough_sets():
    part = results_of("real", ranked(0.9), sets=EXPERIMENTS["real"].datasets[:5])
    assert status_of("33", {"real": part}) == "open"


def test_speed_is_judged_by_both_versions():
    assert claims.faster(69_261, 273).status == "partly"
    assert claims.faster(500, 250).status == "not reproduced"
    assert claims.faster(10**90, 2).status == "reproduced"


@pytest.mark.parametrize(("f", "status"), [(0.5, "reproduced"), (0.1, "not reproduced")])
def test_random_dropping(monkeypatch, f, status):
    index = pd.MultiIndex.from_tuples([("a", 100), ("a", 1000)], names=["dataset", "limit"])
    study = pd.DataFrame({"generated": [100.0, 700.0], "f": [f, 0.5]}, index=index)
    monkeypatch.setattr(claims, "limit_study", lambda: study)
    assert status_of("09", {}) == status


@pytest.mark.parametrize(("counts", "status"), [([5, 9], "reproduced"), ([5, 10_000], "partly")])
def test_exhaustive_search(monkeypatch, counts, status):
    found = pd.Series(counts, index=["a", "b"])
    monkeypatch.setattr(claims, "search_study", lambda limit: found)
    assert status_of("01", {}) == status


def grid_of(**columns):
    index = pd.MultiIndex.from_tuples(GRID.values(), names=["min_recall", "min_precision"])
    return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()}, index=index)


def test_steps_by_hand():
    values = np.zeros((4, 5))
    values[0] = [3, 2, 2, np.nan, 1]
    values[3, 4] = 4
    grid = grid_of(recall=values)
    assert count_steps([grid], Trend("recall", "precision", -1)) == Steps(1, 1, 12)
    assert count_steps([grid], Trend("recall", "precision", -1, grid_claims.SMALL)) == (1, 0, 5)
    assert count_steps([grid], Trend("recall", "recall", 1, grid_claims.LARGE)) == (1, 1, 3)
    twice = count_steps([grid, grid], *[Trend("recall", "precision", -1)] * 2)
    assert twice == Steps(4, 4, 48)


@pytest.mark.parametrize(
    ("steps", "status"),
    [((3, 0, 1), "reproduced"), ((3, 1, 0), "partly"), ((1, 1, 9), "not reproduced")],
)
def test_status_of_steps(steps, status):
    assert Steps(*steps).status == status


def test_gap_is_between_training_and_test():
    grid = grid_of(train_recall=np.full(20, 0.9), recall=np.arange(20) / 40)
    np.testing.assert_allclose(grid_claims.matrix(grid, "gap")[1], 0.9 - np.arange(5, 10) / 40)


def test_one_peak_within_the_range():
    lines = [[1, 2, 3, 2, 1], [3, 2, 2, 1, 0], [1, 3, 2, 3, 0], [1, 1, 2, 3, 4]]
    grid = grid_of(n_rules=np.array(lines, dtype=float))
    assert grid_claims._rises_then_falls(grid).tolist() == [True, False, False, False]


def test_range_along_the_two_minima():
    values = np.repeat([[4.0], [3.0], [2.0], [np.nan]], 5, axis=1)
    assert grid_claims._range_is_smaller(grid_of(best_precision=values)).tolist() == [True]
    values[:3] = [0, 9, 0, 9, 0]
    assert grid_claims._range_is_smaller(grid_of(best_precision=values)).tolist() == [False]


def test_published_table_shows_what_its_notes_say():
    grid = [tables.published_grid()]
    assert count_steps(grid, Trend("train_recall", "precision", -1)).against == 0
    assert count_steps(grid, Trend("n_rules", "recall", -1)).against == 0
    trends = Trend("recall", "precision", -1), Trend("precision", "precision", 1)
    assert count_steps(grid, *trends).against == 0
    small = Trend("recall", "recall", 1, slice(0, 2)), Trend("precision", "recall", -1, slice(0, 2))
    assert count_steps(grid, *small).against == 2  # .72 -> .70 and .0087 -> .0093
    assert grid_claims._rises_then_falls(grid[0]).all()


def test_evidence_says_what_published_and_simulated_rows_show(everything, nothing):
    rules = paper.PAPER.rules
    assert "11.5 times the random 0.0042" in rules["rlsd-27"](nothing).evidence
    assert "4.3 times" in rules["rlsd-23"](everything).evidence
    simulated = rules["rlsd-14"](everything).evidence.split("simulated")[1]
    assert "(80 of 80 keys): 14 steps as claimed, 0 against" in simulated
    assert "4 of the 4 cells" in rules["rlsd-16"](everything).evidence
    assert "RLSD 0.01" in rules["rlsd-31"](everything).evidence
    assert "32 of the 80 bad examples" in rules["rlsd-29"](everything).evidence


def test_table2_counts_both_parts(monkeypatch):
    def load(name):
        _, (n_train, bad_train), (n_test, bad_test) = PAIRS[name]
        bad_test += name == "simulated-law-3"  # one more than published
        y = np.repeat([1, 0, 1, 0], [bad_train, n_train - bad_train, bad_test, n_test - bad_test])
        return SimpleNamespace(y=y)

    monkeypatch.setattr(tables.datasets, "load", load)
    table = paper.table2()
    bad = table.frame["bad examples", "difference"]
    assert len(bad) == 8 and bad[bad != 0].to_dict() == {"Data Set 3 Test": 1}
    assert table.frame["good examples", "difference"].loc["Data Set 3 Test"] == -1
    assert "SIMULATED" in table.caption


def test_table3_beside_the_published(everything, nothing):
    frame = paper.table3(everything["table3"]).frame
    assert len(frame) == 20
    row = frame.loc["0.05, 0.04"]
    assert row["test precision, %", "ours"] == pytest.approx(1)
    assert row["test precision, %", "published"] == pytest.approx(1.8)
    assert row["test precision, %", "difference"] == pytest.approx(-0.8)
    assert frame["rules", "published"].isna().sum() == 4
    assert frame.loc["0.2, 0.04", ("rules", "ours")] == 0
    best = paper.table3(everything["table3"], best_rule=True).frame
    assert best.loc["0.01, 0.005", ("test recall, %", "published")] == pytest.approx(6.2)
    chosen = best["best in training: test recall, %", "ours"]
    assert chosen.loc["0.1, 0.01"] == pytest.approx(5)
    empty = paper.table3(nothing["table3"])
    assert empty.frame["rules", "ours"].isna().all() and "0 of 80 keys" in empty.caption


def test_real_table_marks_the_best(everything):
    table = paper.real_table(everything["real"])
    assert table.bold["AP", "RLSD"].all() and not table.bold["AP", "RIPPER"].any()
    assert (table.frame["rules", "RLSD"] == 7).all()
    shares = table.frame["positives, %", ""]
    assert all(a <= b for a, b in pairwise(shares))
    verdict = paper.real_verdicts(everything["real"]).frame
    assert (verdict["sets won"] == 13).all() and (verdict["mean difference"] > 0.4).all()


def test_incomplete_real_sets_are_left_out_of_comparisons(everything):
    rows = everything["real"].rows.iloc[1:]
    part = Results(EXPERIMENTS["real"], rows, planned=195)
    assert len(paper.real_scores(part, "ap")) == 12
    assert "over 12 complete real sets (194 of 195 keys)" in paper.real_verdicts(part).caption


def test_curves_are_compared_on_the_same_sets(everything, nothing):
    cut = results_of("cut", flagged(0.6, 0.008), sets=["simulated-law-2"])
    shared = tables.on_shared_sets(everything["table3"], nothing["c50"], cut)
    assert [part.rows["dataset"].nunique() for part in shared] == [1, 0, 1]
    figure, _ = paper.figure1(everything["table3"], nothing["c50"], cut)
    assert "means over 1 of 4 sets" in figure.axes[1].get_title()
    plt.close(figure)


@pytest.mark.parametrize("name", ["everything", "nothing"])
def test_tables_and_figures_of_any_rows(name, request):
    results = request.getfixturevalue(name)
    for table in (
        paper.costs_table(results["c50"]),
        paper.significance_table(results["significance"]),
        paper.real_table(results["real"]),
        paper.real_verdicts(results["real"]),
    ):
        assert "keys" in table.caption and table.to_html()
    figure, data = paper.figure1(results["table3"], results["c50"], results["cut"])
    assert (data["source"] == "published").sum() == 16
    n_cut = (data["method"] == "RIPPER, cut majority").sum()
    assert n_cut == (6 if name == "everything" else 0)
    plt.close(figure)


@pytest.fixture(scope="module")
def toy_parts():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 100, size=(4000, 3)), columns=["a", "b", "unrelated_1"])
    y = (rng.random(4000) < np.where((X["a"] > 80) & (X["b"] > 60), 0.4, 0.005)).astype(np.int8)
    return X.iloc[:3000], y[:3000], X.iloc[3000:], y[3000:]


def test_discretisation_counts_every_example(toy_parts):
    figure, data = paper.discretisation(toy_parts, ("a", "unrelated_1"))
    _, y, _, _ = toy_parts
    totals = data.groupby(["attribute", "stage"])[["good", "bad"]].sum()
    assert len(totals) == 6
    assert (totals["bad"] == y.sum()).all() and (totals["good"] == (y == 0).sum()).all()
    n_intervals = data.groupby(["attribute", "stage"]).size()
    assert n_intervals["a", "before"] > n_intervals["a", "0.05"] >= n_intervals["a", "0.001"] > 1
    plt.close(figure)


def test_inspection(toy_parts):
    model = paper.shown_model(toy_parts, 0.05, 0.05)
    _, _, X, y = toy_parts
    figure, data = paper.inspection(toy_parts, {"0.05, 0.05": model})
    plt.close(figure)
    score = model.predict_proba(X)[:, 1]
    for _, share, found in data.itertuples(index=False):
        chosen = np.argsort(-score, kind="stable")[: round(share * len(y))]
        assert found == pytest.approx(y[chosen].sum() / y.sum())
    assert data.iloc[-1, 1:].tolist() == [1, 1]
    table = paper.inspection_table(model, toy_parts, budget=0.1)
    listed = model.inspect(X, budget=0.1)
    assert table.frame["looked at"].sum() == len(listed)
    assert table.frame["bad"].sum() == y[listed.index - 3000].sum() > 0


def test_best_rules_are_counted_on_both_parts(toy_parts):
    model = paper.shown_model(toy_parts, 0.05, 0.02)
    frame = paper.best_rules(model, toy_parts, number=3).frame
    X, _, X_test, y_test = toy_parts
    assert frame["training", "lift"].is_monotonic_decreasing
    for number, row in frame.iterrows():
        rule = model.rules_.rules[number - 1]
        assert row["training", "covers"] == rule.covers(X).sum()
        assert row["test", "bad"] == y_test[rule.covers(X_test)].sum()


def test_noise_in_rules(toy_parts):
    study = paper.noise_in_rules(toy_parts, levels=(0.2, 0.0001), least=(0.05, 0.02))
    model = paper.shown_model(toy_parts, 0.05, 0.02, significance=0.2)
    features = [c.feature for rule in model.rules_ for c in rule.conditions]
    assert study.loc[0.2, "unrelated"] == features.count("unrelated_1") / len(features)
    assert study.loc[0.0001, "unrelated"] == 0
    assert "SIMULATED" in paper.noise_table(study).caption


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.05, 0.001]))
@settings(max_examples=30, deadline=None)
def test_textbook_gives_the_intervals_of_the_heap(seed, significance):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, 30, size=200).astype(float)
    y = (rng.random(200) < np.where(column > 20, 0.6, 0.2)).astype(np.int8)
    y[:2] = 0, 1
    lower = studies.textbook_chimerge(column, y, chi2.isf(significance, df=1))
    model = ChiMerge(method="classic", significance=significance, pos_label=1)
    codes = model.fit_transform(column[:, None], y)[:, 0]
    np.testing.assert_array_equal(np.searchsorted(lower, column, side="right") - 1, codes)


def test_speed_study_leaves_out_the_textbook_where_it_is_slow():
    study = paper.speed_study(sizes=(200, 500), textbook_up_to=200)
    assert study["textbook, ms"].notna().tolist() == [True, False]
    assert (study[["classic, ms", "minority, ms"]] > 0).all(axis=None)
    assert paper.speed_table(study).frame.index.tolist() == ["200", "500"]


def test_public_sets_are_all_that_meet_their_rule():
    facts = datasets.describe().set_index("name")
    positives, n = facts["positives"].astype(float), facts["n"].astype(float)
    names = facts.index[(facts["source"] == "keel") & (positives >= 40) & (positives < 0.05 * n)]
    numeric = [datasets.load(name).X.dtypes.map(pd.api.types.is_numeric_dtype) for name in names]
    chosen = [name for name, kinds in zip(names, numeric, strict=True) if kinds.mean() > 0.5]
    assert chosen == list(studies.PUBLIC)


def test_public_grid_against_the_classifier():
    grid = studies.public_grid(("yeast5",), splits=1)
    assert grid.shape == (20, 7)
    row = grid.loc["yeast5", 0.05, 3]
    data = datasets.load("yeast5")
    ((train, test),) = studies.stratified_splits(data.y, 1, studies.derive_seed(0, "yeast5"))
    share = data.y[train].mean()
    model = RLSDClassifier(
        min_recall=0.05, min_precision=3 * share / (1 + 2 * share), pos_label=1, random_state=0
    ).fit(data.X.iloc[train], data.y[train])
    assert row["n_rules"] == len(model.rules_)
    predicted = model.predict(data.X.iloc[test]) == 1
    assert row["recall"] == predicted[data.y[test] == 1].mean()
    assert row["precision"] == data.y[test][predicted].mean()
    covered = model.rules_.covers_each(data.X.iloc[test])
    assert row["idle"] == np.mean([data.y[test][c].sum() == 0 for c in covered])


def test_limit_study_and_its_table(toy_parts):
    study = studies.limit_study(("yeast5",), limits=(40, 10_000), splits=1)
    assert study.loc["yeast5", 40]["generated"] == 40
    assert 40 < study.loc["yeast5", 10_000]["generated"] < 10_000
    simulated = paper.limits_on_simulated(toy_parts, limits=(100, 200))
    frame = paper.limit_table(simulated).frame
    assert frame.index[:2].tolist() == [f"{figures.SHOWN}, M = {m}" for m in (100, 200)]


def test_search_study_counts_up_to_the_limit():
    counts = studies.search_study(("yeast5", "shuttle-2_vs_5"), limit=100)
    assert counts.tolist() == [100, 80]
