"""The rules that judge the claims of Box Drawings, and what the investigations rest on."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from box_drawings_rows import (
    COUNTED,
    always_best,
    auh_against,
    counts,
    growth,
    keys_of,
    results_of,
    scenes,
    table5,
    trivial_against,
    world,
)
from scipy import stats

from minority.boxes import PRIMClassifier
from minority_reports import paths
from minority_reports.experiments import Settings, run
from minority_reports.papers.box_drawings import PAPER, claims, studies, tables
from minority_reports.papers.box_drawings.protocol import PAPER_METHODS, SIMULATED, TABLE5
from minority_reports.report import (
    BY_CONSTRUCTION,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    Both,
    ByConstruction,
    NotTestable,
    Rule,
    judge,
    published,
)
from minority_reports.report.claims import rule_history
from minority_reports.statistics import bootstrap_interval

#: Every rule of one part by claim, and the parts of those of several.
PARTS = {
    f"{claim[-2:]}{'abc'[place]}": part
    for claim, rule in PAPER.rules.items()
    if isinstance(rule, Rule | Both)
    for place, part in enumerate(rule.rules if isinstance(rule, Both) else (rule,))
}
#: Those on a single data set.
SINGLE = {"29a", "29b", "30a", "30b", "31a", "31b", "32a"}
COMPARED = [name for name, part in PARTS.items() if "table5" in part.experiments]


@pytest.fixture
def favourable(monkeypatch):
    _, theirs = tables.glass2_bounds(tables.glass2_model()[0])
    monkeypatch.setattr(claims, "glass2_bounds", lambda model: (theirs, theirs))
    monkeypatch.setattr(claims, "cluster_study", lambda: scenes(-0.2))
    monkeypatch.setattr(claims, "growth_study", lambda: growth({"n": 1.5, "d": 1.5}))
    enough = pd.DataFrame({"printed": [3.0, 4.0], "class": [2.0, 4.0]})
    monkeypatch.setattr(claims, "counts_and_classes", lambda: enough)
    return world(True)


@pytest.fixture
def adverse(monkeypatch):
    _, theirs = tables.glass2_bounds(tables.glass2_model()[0])
    monkeypatch.setattr(claims, "glass2_bounds", lambda model: (theirs.fillna(1) * 2, theirs))
    monkeypatch.setattr(claims, "cluster_study", lambda: scenes(0.0))
    monkeypatch.setattr(claims, "growth_study", lambda: growth({"n": 1.0, "d": 0.9}, factor=0.1))
    few = pd.DataFrame({"printed": [1.0, 1.0], "class": [2.0, 4.0]})
    monkeypatch.setattr(claims, "counts_and_classes", lambda: few)
    beyond = pd.DataFrame({"share beyond": [0.2, 0.3, 0.4]})
    monkeypatch.setattr(claims, "coverage", lambda delta: beyond)
    return world(False)


@pytest.fixture(scope="module")
def stored():
    settings = Settings(PAPER, compute="none")
    return {name: run(e, settings) for name, e in PAPER.experiments.items()}


# Every rule, in both directions


@pytest.mark.parametrize("name", PARTS)
def test_rows_that_say_what_the_paper_says_reproduce_it(name, favourable):
    verdict = PARTS[name](favourable)
    assert verdict.grade == REPRODUCED, verdict.evidence
    assert np.isfinite(verdict.effect[1:4]).all(), verdict.effect
    assert not verdict.effect.is_opposite


@pytest.mark.parametrize("name", PARTS)
def test_other_rows_flip_every_rule(name, adverse):
    results = adverse | {"table5": always_best()} if name == "26b" else adverse
    verdict = PARTS[name](results)
    assert verdict.grade == NOT_REPRODUCED, verdict.evidence


def test_every_claim_has_a_rule_of_its_kind():
    assert list(PAPER.rules) == [claim["id"] for claim in published("box_drawings")["claims"]]
    assert set(rule_history("box_drawings")["changed"]) <= set(PAPER.rules)


def test_a_claim_by_construction_names_a_test(favourable):
    named = [rule for rule in PAPER.rules.values() if isinstance(rule, ByConstruction)]
    for rule in named:
        file, name = rule.test.split("::")
        source = (paths.root() / file).read_text(encoding="utf-8")
        assert f"def {name}(" in source, rule.test
        assert rule({}).grade == BY_CONSTRUCTION
    others = [rule for rule in PAPER.rules.values() if isinstance(rule, NotTestable)]
    assert {rule(favourable).grade for rule in others} == {NOT_TESTABLE}


# Which rows a rule sees


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if part.needs])
def test_incomplete_data_sets_are_left_out_and_counted(name, favourable):
    need = PARTS[name].needs[0]
    before = PARTS[name](favourable)
    gone = need.of(favourable).datasets[0]
    rows = favourable[need.experiment].rows
    own = (rows["dataset"] == gone) & rows["method"].isin(need.methods)
    part = replace(favourable[need.experiment], rows=rows.drop(index=rows.index[own][0]), _kept={})
    after = PARTS[name](favourable | {need.experiment: part})
    if name in SINGLE:
        assert after.grade == NOT_TESTABLE
    else:
        assert "incomplete data sets left out: 1" in after.evidence
        assert "incomplete" not in before.evidence


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if part.needs])
def test_without_rows_nothing_is_testable(name, favourable):
    empty = {
        key: replace(part, rows=part.rows.iloc[:0], timings=part.timings.iloc[:0], _kept={})
        for key, part in favourable.items()
    }
    assert PARTS[name](empty).grade == NOT_TESTABLE


@pytest.mark.parametrize("name", COMPARED)
def test_sets_made_from_a_name_do_not_count(name, favourable):
    rows = keys_of("table5", list(PAPER_METHODS), sets=SIMULATED)
    rows = counts(rows, np.where(rows["method"] == "fast-boxes", 0.5, 1.0))
    both = pd.concat([favourable["table5"].rows, rows], ignore_index=True)
    more = results_of("table5", both, {"prim": 10.0})
    assert PARTS[name](favourable | {"table5": more}) == PARTS[name](favourable)


def test_the_authors_own_sample_decides_figures_4_and_5(favourable):
    """Whatever the set says that is re-created from its name."""
    for name in ("fig4", "fig5"):
        own = favourable[name].rows
        other = own.assign(dataset="diamond3D", auh_test=0.5, auh_train=own["auh_train"][::-1])
        both = replace(favourable[name], rows=pd.concat([own, other]), _kept={})
        for claim in ("29", "30", "31"):
            rule = PAPER.rules[f"box_drawings-{claim}"]
            assert rule(favourable | {name: both}) == rule(favourable)


@pytest.mark.parametrize("name", ["04a", "35a", "36a", "37a"])
def test_the_margin_does_not_compete(name, adverse):
    rows = adverse["table4"].rows
    margin = rows["method"] == tables.WITH_MARGIN
    perfect = rows.assign(tp_midgap=rows["tp_midgap"].mask(margin, rows["positives"]))
    better = replace(adverse["table4"], rows=perfect, _kept={})
    assert PARTS[name](adverse | {"table4": better}) == PARTS[name](adverse)
    without = replace(adverse["table4"], rows=rows[~margin], _kept={})
    assert PARTS[name](adverse | {"table4": without}) == PARTS[name](adverse)


def test_an_added_method_changes_no_verdict(favourable):
    part = favourable["table5"]
    mine = part.rows[part.rows["method"] == "cart"].assign(method="mine")
    mine = mine.assign(tp=mine["tp"] + mine["fn"], fn=0)
    plan = TABLE5.with_method("mine", TABLE5.methods["cart"])
    rules = {claim: rule for claim, rule in PAPER.rules.items() if "table5" in rule.experiments}
    before = judge("box_drawings", rules, favourable)
    for rows in (mine[mine["dataset"].isin(["glass2", "iris0"])], mine):
        both = pd.concat([part.rows, rows], ignore_index=True)
        added = replace(part, experiment=plan, rows=both, n_extra=len(rows), _kept={})
        after = judge("box_drawings", rules, favourable | {"table5": added})
        pd.testing.assert_frame_equal(after, before)


# What single rules mean


def test_among_the_best_is_close_to_the_best():
    """A difference that ten folds do not show to be one is too large all the same."""
    folds = pd.MultiIndex.from_product([["d"], [0], range(10)], names=["dataset", "repeat", "fold"])
    best = np.full(10, 0.9)
    often_level = np.r_[np.full(7, 0.9), np.full(3, 0.7)]
    table = pd.DataFrame({"best": best, "near": best - 0.01, "far": often_level}, index=folds)
    assert tables.bold_cells(table, list(table))["far"].item()
    assert not tables.among_the_best(table)["far"].item()
    assert not tables.among_the_best(table)["near"].item(), "worse in every fold"
    table["near"] = best - 0.01 * np.tile([1, 0], 5)
    assert tables.among_the_best(table)["near"].item()


def test_a_peak_at_an_end_of_the_range_is_none(favourable):
    for place in ("first", "last"):
        fig4 = favourable["fig4"]
        numbers = fig4.rows["setting"].str[2:].astype(float)
        slope = -0.05 if place == "first" else 0.05
        rows = fig4.rows.assign(auh_test=0.5 + slope * (numbers - 10) + 0.0)
        parts = PAPER.rules["box_drawings-29"].rules
        changed = favourable | {"fig4": replace(fig4, rows=rows, _kept={})}
        grades = [part(changed).grade for part in parts]
        assert NOT_REPRODUCED in grades


def test_one_tree_that_is_not_better_grades_the_claim(favourable):
    rows = favourable["pruning"].rows
    same = rows.assign(recall=rows["recall"].mask(rows["method"] == "cart", 0.5))
    changed = favourable | {"pruning": replace(favourable["pruning"], rows=same, _kept={})}
    assert PAPER.rules["box_drawings-25"](changed).grade == NOT_REPRODUCED


def test_exponents_must_be_clearly_smaller_in_both_sizes(favourable, monkeypatch):
    for of_trees in ({"n": 1.5, "d": 1.05}, {"n": 1.05, "d": 1.5}):
        monkeypatch.setattr(claims, "growth_study", lambda of_trees=of_trees: growth(of_trees))
        assert PAPER.rules["box_drawings-07"](favourable).grade == NOT_REPRODUCED


def test_local_slopes_of_powers_are_their_exponents():
    slopes = studies.local_slopes(growth({"n": 1.5, "d": 2.0})["million steps"])
    assert np.allclose(slopes["Fast Boxes"], 1)
    assert np.allclose(slopes.loc["n", "C4.5"], 1.5) and np.allclose(slopes.loc["d", "C4.5"], 2)


def test_trivial_models_count_where_one_learner_often_gives_them():
    """Not three learners here and there."""
    third = {"cart": 0, "c45": 1, "c50": 2}

    def here_and_there(name, method, setting):
        return third.get(method) == COUNTED.index(name) % 3

    rows = table5(auh_against, here_and_there)
    verdict = PARTS["33a"](world(True) | {"table5": results_of("table5", rows)})
    assert verdict.grade == "partly", verdict.evidence
    rows = table5(auh_against, trivial_against)
    verdict = PARTS["33a"](world(True) | {"table5": results_of("table5", rows)})
    assert verdict.grade == NOT_REPRODUCED


# Investigations: on the stored rows


def text_of(stored, claim):
    """What is found on complete cells, which investigations see alone."""
    complete = {name: part.complete() for name, part in stored.items()}
    return PAPER.investigations[f"box_drawings-{claim}"](complete).text


@pytest.fixture
def small_growth(monkeypatch):
    """The study of growth takes half a minute; a small one says the same."""
    small = studies.growth_study((300, 1_000, 3_000), (2, 8, 32), size=1_000)
    monkeypatch.setattr(claims, "growth_study", lambda: small)


def test_what_is_not_reproduced_is_looked_into(stored, small_growth):
    found = judge("box_drawings", PAPER.rules, stored)["verdict"]
    by_readings = set(PAPER.readings.claims)
    assert set(found.index[found == NOT_REPRODUCED]) - by_readings == set(PAPER.investigations)
    for claim in PAPER.investigations:
        assert len(text_of(stored, claim[-2:])) <= 700


def test_prim_is_in_the_middle_and_peels_nineteen_times(stored):
    timings = stored["table5"].timings
    timings = timings[timings["dataset"].isin(COUNTED)]
    of_prim = timings[timings["method"] == "prim"].groupby("dataset")["seconds"].mean()
    of_cart = timings[timings["method"] == "cart"].groupby("dataset")["seconds"].mean()
    ratio = stats.gmean(of_prim / of_cart)
    assert f"{ratio:.1f} (" in text_of(stored, "08")
    assert f"{19 * ratio:.0f} (" in text_of(stored, "08")
    rng = np.random.default_rng(0)
    X, y = rng.random((2_000, 3)), np.arange(2_000) < 1_000
    (way,) = PRIMClassifier(max_boxes=1, cv=None, paste_alpha=None).fit(X, y).trajectories_
    assert way["support"].sum() == pytest.approx(19, abs=0.5)


def test_unpruned_trees_rank_better_but_do_not_find_more(stored):
    areas = studies.ranking_study()
    assert areas.shape[1] == 2 and len(areas) > 25
    _, low, _ = bootstrap_interval(areas["unpruned"] - areas["pruned"])
    assert low > 0
    rows = stored["pruning"].rows
    means = rows.pivot_table(index=["method", "dataset"], columns="setting", values="recall")
    for method in ("c45", "cart"):
        gaps = (means["pruned=no"] - means["pruned=yes"])[method]
        assert f"recall {gaps.mean():+.4f} (" in text_of(stored, "25")
        assert bootstrap_interval(gaps)[2] < 0.02, "no gain worth having"


def test_exact_boxes_are_behind_beyond_chance(stored):
    table = tables.proofs(stored["table4"])
    whole = table[(table["of"] == 100) & table.index.isin(COUNTED)]
    text = text_of(stored, "36")
    assert f"on the {len(whole)} complete sets" in text
    assert f"{whole['test AUH, gain'].mean():+.2f} (" in text
    assert stats.wilcoxon(whole["test AUH, gain"]).pvalue < 0.01
    assert (whole["test AUH, gain"] < 0.05).all()


def test_fast_boxes_are_behind_where_there_is_little_imbalance(stored):
    rows = stored["table5"].complete(PAPER_METHODS)
    means = tables.mean_auh(rows, PAPER_METHODS).loc[lambda frame: frame.index.isin(COUNTED)]
    gaps = means["fast-boxes"] - means[means.mean().drop("fast-boxes").idxmax()]
    high = tables.imbalance(rows)[gaps.index] > 9
    assert bootstrap_interval(gaps[~high])[2] < 0 < gaps[high].mean()
