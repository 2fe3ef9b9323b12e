"""The tables of RLSD, on made-up rows."""

from dataclasses import replace
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from rlsd_rows import EXPERIMENTS, everything, nothing, on_grid, results_of, toy_parts

from minority_reports.datasets.transactions import PAIRS
from minority_reports.experiments import Results
from minority_reports.papers.rlsd import PAPER, figures, studies, tables
from minority_reports.report import critical_difference, judge


def test_table2_counts_both_parts(monkeypatch):
    seed, training, (n_test, bad_test) = PAIRS["simulated-law-3"]
    changed = (seed, training, (n_test, bad_test + 1))  # one more than published
    monkeypatch.setattr(tables, "PAIRS", PAIRS | {"simulated-law-3": changed})
    table = tables.table2()
    bad = table.frame["bad examples", "difference"]
    assert len(bad) == 8 and bad[bad != 0].to_dict() == {"Data Set 3 Test": 1}
    assert table.frame["good examples", "difference"].loc["Data Set 3 Test"] == -1
    assert "SIMULATED" in table.caption


def test_table3_beside_the_published():
    frame = tables.table3(everything()["table3"]).frame
    assert len(frame) == 20
    row = frame.loc["0.05, 0.04"]
    assert row["test precision, %", "ours"] == pytest.approx(1.005)
    assert row["test precision, %", "published"] == pytest.approx(1.8)
    assert row["test precision, %", "difference"] == pytest.approx(-0.795)
    assert frame["rules", "published"].isna().sum() == 4
    assert frame.loc["0.2, 0.04", ("rules", "ours")] == 0
    best = tables.table3(everything()["table3"], best_rule=True).frame
    assert best.loc["0.01, 0.005", ("test recall, %", "published")] == pytest.approx(6.2)
    chosen = best["best in training: test recall, %", "ours"]
    assert chosen.loc["0.1, 0.01"] == pytest.approx(5)
    empty = tables.table3(nothing()["table3"])
    assert empty.frame["rules", "ours"].isna().all() and "0 of 80 runs" in empty.caption


def test_real_table_marks_the_best():
    table = tables.real_table(everything()["real"])
    assert table.bold["AP", "RLSD"].all() and not table.bold["AP", "RIPPER"].any()
    assert (table.frame["rules", "RLSD"] == 7).all()
    shares = table.frame["positives, %", ""]
    assert all(a <= b for a, b in pairwise(shares))
    verdict = tables.real_verdicts(everything()["real"]).frame
    assert (verdict["sets won"] == 13).all() and (verdict["mean difference"] > 0.4).all()


def test_incomplete_real_sets_are_left_out_of_comparisons():
    rows = everything()["real"].rows.iloc[1:]
    part = Results(EXPERIMENTS["real"], rows, planned=195)
    assert len(tables.real_scores(part, "ap")) == 12
    assert "over 12 complete real sets (194 of 195 runs)" in tables.real_verdicts(part).caption


@pytest.mark.parametrize("made", [everything, nothing])
def test_tables_and_figures_of_any_rows(made):
    results = made()
    for table in (
        tables.costs_table(results["c50"]),
        tables.significance_table(results["significance"]),
        tables.real_table(results["real"]),
        tables.real_verdicts(results["real"]),
        tables.steps_table(results["steps"], results["real"]),
        tables.levels_table(results["table3"], results["table3-levels"]),
    ):
        assert (made is everything or "0 of" in table.caption) and table.to_html()
    figure, data = figures.figure1(results["table3"], results["c50"], results["cut"])
    assert (data["source"] == "published").sum() == 16
    n_cut = (data["method"] == "RIPPER, cut majority").sum()
    assert n_cut == (6 if made is everything else 0)
    plt.close(figure)
    figure, data = figures.steps(results["steps"], results["real"])
    assert len(data) == (13 * 7 if made is everything else 0)
    plt.close(figure)


def test_steps_beside_the_baselines():
    results = everything()
    table = tables.steps_table(results["steps"], results["real"]).frame
    assert len(table) == 8 and "RLSD as published, minima chosen" in table.index
    published, corrected = table.loc["RLSD as published"], table.loc["+ corrected level"]
    assert published["AP", "creditcard"] == pytest.approx(0.4)
    assert corrected["AP", "creditcard"] == pytest.approx(0.15)
    mean = "mean of 13 sets"
    assert corrected[mean, "AP"] == pytest.approx((12 * 0.5 + 0.15) / 13)
    above = corrected["against the row above"]
    assert (above["sets higher"], above["sets lower"]) == (12, 1)
    assert above["AP"] == pytest.approx((12 * 0.1 - 0.25) / 13)
    assert published["against the row above"].isna().all()
    ripper = table.loc["RIPPER"]
    assert ripper[mean, "AP"] == pytest.approx(0.4, abs=1e-3)
    assert pd.isna(ripper[mean, "recall at 1 %"]) and ripper[mean, "rules"] == 7


def test_steps_in_words():
    results = everything()
    text = str(tables.steps_in_words(results["steps"], results["real"]))
    assert "AP rises on 12 of 13 sets and falls on 1; its mean goes from 0.400 to 0.673" in text
    assert "The largest loss is on creditcard: 0.400 to 0.350." in text
    assert "rules joined (defaults): mean AP +0.100" in text
    assert "8.0 rules with 16.0 conditions become 4.0 with 8.0" in text
    assert "the defaults on 12" in text
    # Sets that a baseline lacks are compared nowhere.
    part = results["real"]
    some = replace(part, rows=part.rows[part.rows["dataset"] != "creditcard"], _kept={})
    text = str(tables.steps_in_words(results["steps"], some))
    assert "AP rises on 12 of 12 sets and falls on 0" in text and "loss" not in text


def test_best_rules_are_counted_on_both_parts():
    model = studies.shown_model(toy_parts(), 0.05, 0.02)
    frame = tables.best_rules(model, toy_parts(), number=3).frame
    X, _, X_test, y_test = toy_parts()
    assert frame["training", "lift"].is_monotonic_decreasing
    for number, row in frame.iterrows():
        rule = model.rules_.rules[number - 1]
        assert row["training", "covers"] == rule.covers(X).sum()
        assert row["test", "bad"] == y_test[rule.covers(X_test)].sum()


def with_own(sets):
    """Results on real events with one more method, better than all others on some sets."""
    part = everything()["real"]
    experiment = part.experiment.with_method("mine", part.experiment.methods["ripper"])
    rows = part.rows[(part.rows["method"] == "ripper") & part.rows["dataset"].isin(sets)]
    mine = rows.assign(method="mine", ap=1.0, best_f2=1.0, recall_2=1.0, n_rules=np.nan)
    rows = pd.concat([part.rows, mine], ignore_index=True)
    return Results(experiment, rows, planned=len(rows), n_extra=len(mine))


def test_an_added_method_is_ranked_and_judges_nothing():
    before = everything()
    added = with_own(EXPERIMENTS["real"].datasets)
    scores = tables.real_scores(added, "ap")
    assert list(scores) == [*EXPERIMENTS["real"].methods, "mine"]
    pd.testing.assert_frame_equal(
        scores.drop(columns="mine"), tables.real_scores(before["real"], "ap"), check_names=False
    )
    _, ranks = critical_difference(scores, added.labels)
    assert ranks["method"].iloc[0] == "mine" and len(ranks) == 4
    after = tables.real_verdicts(added)
    assert after.to_html() == tables.real_verdicts(before["real"]).to_html()
    claims = [judge("rlsd", PAPER.rules, before | {"real": r}) for r in (added, before["real"])]
    pd.testing.assert_frame_equal(*claims)


def test_an_added_method_is_in_the_table_of_real_events():
    real = EXPERIMENTS["real"]
    own = real.with_method("mine", replace(real.methods["ripper"], label="Mine"))
    table = tables.real_table(replace(with_own(real.datasets), experiment=own, _kept={}))
    assert table.frame["AP"].columns.tolist() == ["RLSD", "C4.5, cost", "RIPPER", "Mine"]
    assert table.bold["AP", "Mine"].all() and not table.bold["AP", "RLSD"].any()
    assert table.frame["rules", "Mine"].isna().all() and table.to_html()


def test_an_added_method_takes_no_sets_away_from_the_others():
    few = with_own(EXPERIMENTS["real"].datasets[:2])
    expected = tables.real_scores(everything()["real"], "ap")
    pd.testing.assert_frame_equal(tables.real_scores(few, "ap"), expected)


def test_levels_are_compared_in_cells_where_all_have_rules():
    everywhere = everything()

    def without_rules(key, rng):
        found = on_grid(key, rng)
        if key.method == "level=0.1" and key.setting == "minR=0.01,minP=0.005":
            return found | {"precision": np.nan}
        return found

    fewer = results_of("table3-levels", without_rules)
    tables_of = [
        tables.levels_table(everywhere["table3"], levels)
        for levels in (everywhere["table3-levels"], fewer)
    ]
    counts = [int(table.caption.partition("over the ")[2].split()[0]) for table in tables_of]
    assert counts[0] - counts[1] == 1
    assert list(tables_of[0].frame.index) == ["0.1", "0.05", "0.01", "0.001"]
    assert tables_of[0].frame.nunique().eq(1).all(), "all levels have the same rows"


def test_measurements_of_large_tables_are_told(monkeypatch, tmp_path):
    monkeypatch.setattr(tables.paths, "committed_results", lambda: tmp_path)
    (missing,) = tables.large_measured()
    assert "bench_large.py all --save" in str(missing)
    columns = ["part", "method", "million_rows", "workers", "seconds", "peak_gb", "recall", "note"]
    busy = "machine shared, load 3.0 before"
    rows = [
        ("growth", "reading only", 5, None, 0.5, 0.9, None, busy),
        ("growth", "RLSD", 5, None, 10, 0.5, None, busy),
        ("on paper", "RLSD", 1000, 1, 7200, None, None, None),
        ("on paper", "RLSD", 1000, 10, 720, None, None, None),
        ("workers", "RLSD", 10, 1, 21, None, None, busy),
        ("workers", "RLSD", 10, 2, 12, None, None, busy),
        ("others", "RLSD", 4, None, 8, 0.5, 0.2, busy),
        ("others", "LightGBM", 4, None, 20, 0.9, 0.1, busy),
    ]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "large_tables.csv", index=False)
    growth, rivals, words = tables.large_measured()
    assert growth.frame.loc["5 million, RLSD"].tolist() == [10, 0.5, 0.5]
    assert rivals.frame["recall at 0.1 % inspected"].to_dict() == {"RLSD": 0.2, "LightGBM": 0.1}
    assert rivals.caption.startswith("4 million of these rows")
    assert all(busy in table.caption.replace("Machine", "machine") for table in (growth, rivals))
    assert "two Dask workers take 12.0 s for 10 million rows, one takes 21.0 s (1.75 times)" in str(
        words
    )
    assert "2 h on 1, 0.2 h on 10 such machines" in str(words)
