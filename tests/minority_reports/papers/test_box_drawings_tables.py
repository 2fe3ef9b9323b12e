"""The tables of Box Drawings."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from minority_reports.experiments import Results, Settings, run
from minority_reports.papers.box_drawings import PAPER, protocol, tables
from minority_reports.papers.box_drawings.protocol import PRUNING, TABLE5, WEIGHTS
from minority_reports.papers.box_drawings.tables import auh, pruning_effect
from minority_reports.report import critical_difference


@pytest.fixture(scope="module")
def stored():
    settings = Settings(PAPER, compute="none")
    return {name: run(e, settings) for name, e in PAPER.experiments.items()}


def test_auh_is_the_hull_of_the_ten_points():
    rows = pd.DataFrame(
        {
            "dataset": "d",
            "method": "cart",
            "repeat": 0,
            "fold": 0,
            "setting": TABLE5.settings,
            "tp": [3] * 5 + [4] * 5,
            "fn": [1] * 5 + [0] * 5,
            "fp": [1] * 5 + [2] * 5,
            "tn": [3] * 5 + [2] * 5,
        }
    )
    found = auh(Results(TABLE5, rows, planned=10)).rows
    # hull through (0, 0), (1/4, 3/4), (1/2, 1), (1, 1)
    assert found["auh"].item() == pytest.approx(0.25 * 0.375 + 0.25 * 0.875 + 0.5)
    assert auh(Results(TABLE5, rows[:9], planned=10)).rows.empty


def test_table5_marks_the_best(stored):
    table = tables.table5(stored["table5"])
    best = table.frame.idxmax(axis=1)
    for name, method in best.items():
        if table.frame.loc[name].round(12).eq(table.frame.loc[name].max().round(12)).sum() == 1:
            assert table.bold.loc[name, method], name
    assert not table.bold.loc["page-blocks0", "Fast Boxes"]


def test_a_method_without_rows_is_not_level_with_the_best(stored):
    """Table 4: no bold at a gap or at a mean over some of the folds, which is marked."""
    table = tables.table4(stored["table4"], stored["table5"])
    assert not table.bold.to_numpy()[table.frame.isna().to_numpy()].any()
    assert not table.bold.to_numpy()[(table.marks != "").to_numpy()].any()
    exact = ["Exact, tight faces", "Exact, faces in mid-gap", "Exact, expanded faces"]
    assert table.marks.loc["abalone9-18", exact].tolist() == ["(2 of 10)"] * 3
    assert np.isnan(table.frame.loc["vowel0", "Exact, margin 0.05"])
    assert (table.marks.loc["glass2"] == "").all()
    assert "(k of n)" in table.caption
    # the others are means over all folds, as in Table 5
    others = tables.table5(stored["table5"]).frame
    shown = table.frame[others.columns]
    assert np.allclose(shown, others.loc[shown.index])


def printed_bounds_met(model):
    ours, theirs = tables.glass2_bounds(model)
    return int(((ours - theirs).abs() < 5.1e-5).to_numpy().sum())


def test_the_printed_glass2_model_comes_out_again():
    """Section 4.6: every possible bound to four decimals, and the same two unused features."""
    model, X, _ = tables.glass2_model()
    ours, theirs = tables.glass2_bounds(model)
    assert theirs.loc["Ca"].tolist() == [8.3101, 2.3741]
    assert theirs.notna().to_numpy().sum() == 8
    assert printed_bounds_met(model) == 7
    assert "Not used: Na, Fe" in model.to_text()
    assert ours.index.tolist() == list(X.columns)
    verdict = PAPER.rules["box_drawings-39"]({})
    assert verdict.grade == "partly" and "Ca at most" in verdict.evidence


def test_no_other_setting_gives_the_printed_glass2_model():
    printed, X, y = tables.glass2_model()
    settings = itertools.product(("minmax", "maxabs"), WEIGHTS, (0, 1, 3, 10, 30, 100, 300, 1000))
    for scaling, weight, expansion in settings:
        model = clone(printed).set_params(
            scaling=scaling, majority_weight=weight, expansion=expansion
        )
        if (scaling, weight, expansion) != ("maxabs", 1.0, 30):
            assert printed_bounds_met(model.fit(X, y)) < 7


def test_effect_of_pruning_counts_sets():
    rows = pd.DataFrame(
        {
            "dataset": f"set{i}",
            "method": "cart",
            "setting": setting,
            "repeat": 0,
            "fold": fold,
            "recall": 0.5 + 0.001 * fold + 0.1 * (setting == "pruned=no"),
            **dict.fromkeys(["specificity", "auh", "size"], 0.7),
        }
        for i in range(12)
        for setting in PRUNING.settings
        for fold in range(10)
    )
    plan = replace(PRUNING, datasets=tuple(rows["dataset"].unique()))
    effect = pruning_effect(Results(plan, rows, 0)).loc[("CART", "recall")]
    assert effect["difference"] == pytest.approx(0.1)
    assert (effect["higher"], effect["lower"]) == (12, 0)
    assert effect["p"] == pytest.approx(2 / 2**12)
    assert (effect["clearly higher"], effect["clearly lower"]) == (12, 0)


@pytest.fixture(scope="module")
def added(stored):
    """Table 5 with a perfect method of a user's own on two data sets and one fold of a third."""
    table5 = stored["table5"]
    mine = table5.rows[table5.rows["method"] == "cart"].assign(method="mine")
    mine = mine.assign(tp=mine["tp"] + mine["fn"], tn=mine["tn"] + mine["fp"], fp=0, fn=0)
    one = (mine["dataset"] == "iris0") & (mine["fold"] == 0)
    mine = mine[mine["dataset"].isin(["glass2", "haberman"]) | one]
    plan = TABLE5.with_method("mine", replace(TABLE5.methods["cart"], label="Mine"))
    rows = pd.concat([table5.rows, mine], ignore_index=True)
    return replace(table5, experiment=plan, rows=rows, n_extra=len(mine), _kept={})


def test_a_method_of_ones_own_is_last_in_the_tables(stored, added):
    for table in (
        tables.table3(added),
        tables.table4(stored["table4"], added),
        tables.table5(added),
    ):
        assert table.frame.columns[-1] == "Mine"
        there = table.frame.index.intersection(["iris0", "glass2", "haberman"])
        assert set(table.frame["Mine"].dropna().index) == set(there) >= {"iris0", "glass2"}
        assert table.marks.loc["iris0", "Mine"] == "(1 of 10)"
    best = tables.table5(added)
    assert best.frame.loc["glass2", "Mine"] == 1
    assert best.bold["Mine"].sum() == 2 and not best.bold.loc["iris0", "Mine"]
    assert tables.imbalance(added).equals(tables.imbalance(stored["table5"]))
    assert tables.summary_of_table5(added) == tables.summary_of_table5(stored["table5"])


def test_a_method_of_ones_own_is_ranked_once_it_has_all_sets(stored, added):
    ranked = tables.mean_auh(stored["table5"])
    assert list(tables.mean_auh(added)) == list(ranked) == list(protocol.PAPER_METHODS)
    mine = stored["table5"].rows.query("method == 'prim'").assign(method="mine")
    rows = pd.concat([stored["table5"].rows, mine], ignore_index=True)
    scores = tables.mean_auh(replace(added, rows=rows, _kept={}))
    assert scores.iloc[:, :-1].equals(ranked)
    assert scores["mine"].equals(ranked["prim"].rename("mine"))
    _, ranks = critical_difference(scores, added.labels)
    assert "Mine" in set(ranks["label"])
