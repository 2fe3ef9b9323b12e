"""The claims of RLSD, judged on made-up rows and studies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rlsd_rows import EXPERIMENTS, against_grid, everything, nothing, on_grid, ranked, results_of

from minority_reports.experiments import Method
from minority_reports.papers.rlsd import PAPER, claims, studies, tables
from minority_reports.papers.rlsd.claims import Steps, Trend, count_steps, strength
from minority_reports.papers.rlsd.protocol import GRID
from minority_reports.report import (
    BY_CONSTRUCTION,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    PARTLY,
    REPRODUCED,
    Both,
    ByConstruction,
    NotTestable,
    Rule,
    judge,
)
from minority_reports.report.claims import published

RULES = PAPER.rules
EMPIRICAL = ("rlsd-01", "rlsd-06", "rlsd-09", "rlsd-12", "rlsd-33")


def test_every_claim_has_a_rule():
    assert sorted(RULES) == [claim["id"] for claim in published("rlsd")["claims"]]
    assert [claim for claim in sorted(RULES) if isinstance(RULES[claim], Rule | Both)] == list(
        EMPIRICAL
    )


def test_simulated_rows_decide_nothing():
    one, other = (judge("rlsd", RULES, rows) for rows in (everything(), nothing()))
    same = [claim for claim in one.index if claim != "rlsd-33"]
    pd.testing.assert_series_equal(one.loc[same, "verdict"], other.loc[same, "verdict"])
    for claim, rule in RULES.items():
        if isinstance(rule, NotTestable | ByConstruction):
            expected = NOT_TESTABLE if isinstance(rule, NotTestable) else BY_CONSTRUCTION
            assert one.loc[claim, "verdict"] == other.loc[claim, "verdict"] == expected
    assert other.loc["rlsd-33", "verdict"] == NOT_TESTABLE
    assert "simulated" not in other.loc["rlsd-14", "evidence"]


@pytest.mark.parametrize(
    "claim", [claim for claim, rule in RULES.items() if isinstance(rule, ByConstruction)]
)
def test_claims_by_construction_name_tests_that_exist(claim):
    file, _, name = RULES[claim].test.partition("::")
    root = Path(__file__).parents[3]
    assert f"def {name}(" in (root / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ap", "grade"), [(0.9, REPRODUCED), (0.0, NOT_REPRODUCED), (0.02, PARTLY)]
)
def test_transfer_is_judged_against_a_random_order(ap, grade):
    verdict = RULES["rlsd-33"]({"real": results_of("real", ranked(ap))})
    assert verdict.grade == grade
    assert verdict.effect.low <= verdict.effect.value <= verdict.effect.high


def test_transfer_needs_enough_complete_sets_and_counts_the_others():
    few = results_of("real", ranked(0.9), sets=EXPERIMENTS["real"].datasets[:5])
    assert RULES["rlsd-33"]({"real": few}).grade == NOT_TESTABLE
    whole = results_of("real", ranked(0.9))
    rows = whole.rows
    gone = rows[(rows["dataset"] == "creditcard") & (rows["method"] == "rlsd")].index[:1]
    part = replace(whole, rows=rows.drop(index=gone), _kept={})
    evidence = RULES["rlsd-33"]({"real": part}).evidence
    assert "on all 12 real sets" in evidence
    assert evidence.endswith("; incomplete data sets left out: 1")


def test_an_added_method_changes_nothing():
    whole = results_of("real", ranked(0.9))
    mine = Method("Mine", whole.experiment.methods["rlsd"].run)
    rows = whole.rows[whole.rows["method"] == "rlsd"].assign(method="mine", ap=1.0)
    added = replace(
        whole,
        experiment=whole.experiment.with_method("mine", mine),
        rows=pd.concat([whole.rows, rows], ignore_index=True),
        planned=whole.planned + len(rows),
        n_extra=len(rows),
        _kept={},
    )
    assert RULES["rlsd-33"]({"real": added}) == RULES["rlsd-33"]({"real": whole})


def test_the_speed_is_counted_and_no_verdict():
    column = np.random.default_rng(0).permutation(8_000).astype(float)
    steps = studies.count_chimerge(column, column % 2_000 == 0)
    assert steps["textbook"] > 1_000 * steps["minority"] > steps["classic"] / 1_000
    text = claims.steps_text({"textbook": 5_000, "classic": 30, "minority": 10}, 7, 3)
    assert "500 times fewer" in text and "3.0 times fewer" in text and "counted, not" in text
    assert RULES["rlsd-05"]({}).grade == NOT_TESTABLE


@pytest.mark.parametrize(
    ("intervals", "grade"),
    [([1, 1, 1, 1], REPRODUCED), ([1, 1, 2, 3], PARTLY), ([2, 2, 4, 2], NOT_REPRODUCED)],
)
def test_attributes_that_tell_nothing_drop_out(monkeypatch, intervals, grade):
    study = pd.DataFrame({"dataset": list("aabb"), "intervals": intervals})
    monkeypatch.setattr(claims, "shuffled_study", lambda: study)
    assert RULES["rlsd-06"]({}).grade == grade


@pytest.mark.parametrize(("f", "grade"), [(0.5, REPRODUCED), (0.1, NOT_REPRODUCED)])
def test_random_dropping(monkeypatch, f, grade):
    sets = [(name, limit) for name in "abc" for limit in (100, 1000)]
    index = pd.MultiIndex.from_tuples(sets, names=["dataset", "limit"])
    study = pd.DataFrame({"generated": [100.0, 700.0] * 3, "f": [f, 0.5] * 3}, index=index)
    monkeypatch.setattr(claims, "limit_study", lambda: study)
    assert RULES["rlsd-09"]({}).grade == grade


@pytest.mark.parametrize(
    ("counts", "grade"),
    [([5, 9, 5], REPRODUCED), ([5, 9, 10_000], PARTLY), ([10_000] * 3, NOT_REPRODUCED)],
)
def test_exhaustive_search(monkeypatch, counts, grade):
    found = pd.Series(counts, index=["a", "b", "c"])
    monkeypatch.setattr(claims, "search_study", lambda: found)
    assert RULES["rlsd-01"]({}).grade == grade


@pytest.mark.parametrize(("sign", "grade"), [(1, REPRODUCED), (-1, NOT_REPRODUCED)])
def test_the_minima_avoid_rules_that_fit_the_training_part_only(monkeypatch, sign, grade):
    lines = np.arange(4.0)[:, None] + np.zeros(5)
    grid = grid_of(
        train_recall=np.zeros(20), recall=sign * lines, precision=sign * np.tile(np.arange(5.0), 4)
    )
    monkeypatch.setattr(
        claims, "public_grid", lambda: pd.concat({"a": grid, "b": grid}, names=["dataset"])
    )
    verdict = RULES["rlsd-12"]({})
    assert verdict.grade == grade
    assert verdict.evidence.count(f"({grade})") == 2
    half = grid.assign(precision=-grid["precision"])
    monkeypatch.setattr(
        claims, "public_grid", lambda: pd.concat({"a": half, "b": half}, names=["dataset"])
    )
    assert RULES["rlsd-12"]({}).grade == NOT_REPRODUCED, "one half is not enough"


@pytest.mark.parametrize("claim", sorted(claims.TRENDS))
def test_rows_turn_the_rules_for_simulated_sets_either_way(claim):
    rule = claims.SIMULATED_RULES[claim]
    assert rule({"table3": results_of("table3", on_grid)}).grade == REPRODUCED
    assert rule({"table3": results_of("table3", against_grid)}).grade == NOT_REPRODUCED
    assert rule(nothing()).grade == NOT_TESTABLE


def test_shuffled_labels_leave_nothing_to_tell():
    study = studies.shuffled_study(("yeast5",), repeats=2)
    assert len(study) == 2 * study["attribute"].nunique()
    assert study["intervals"].min() == 1
    assert study.equals(studies.shuffled_study.__wrapped__(("yeast5",), repeats=2))


def grid_of(**columns):
    index = pd.MultiIndex.from_tuples(GRID.values(), names=["min_recall", "min_precision"])
    return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()}, index=index)


def test_steps_by_hand():
    values = np.zeros((4, 5))
    values[0] = [3, 2, 2, np.nan, 1]
    values[3, 4] = 4
    grid = grid_of(recall=values)
    assert count_steps([grid], Trend("recall", "precision", -1)) == Steps(1, 1, 12)
    assert count_steps([grid], Trend("recall", "precision", -1, claims.SMALL)) == (1, 0, 5)
    assert count_steps([grid], Trend("recall", "recall", 1, claims.LARGE)) == (1, 1, 3)
    twice = count_steps([grid, grid], *[Trend("recall", "precision", -1)] * 2)
    assert twice == Steps(4, 4, 48)


def test_strength_by_hand():
    values = np.zeros((4, 5))
    values[0] = [5, 4, 3, np.nan, 1]
    values[1] = [1, 2, 3, 4, 5]
    grid = grid_of(recall=values)
    down = Trend("recall", "precision", -1)
    assert strength(grid, down) == pytest.approx(0)  # 1, -1, and two lines that do not change
    assert strength(grid, down._replace(where=slice(0, 1))) == pytest.approx(1)
    assert np.isnan(strength(grid_of(recall=np.full(20, np.nan)), down))


def test_gap_is_between_training_and_test():
    grid = grid_of(train_recall=np.full(20, 0.9), recall=np.arange(20) / 40)
    np.testing.assert_allclose(claims.matrix(grid, "gap")[1], 0.9 - np.arange(5, 10) / 40)


def test_one_peak_within_the_range():
    lines = [[1, 2, 3, 2, 1], [3, 2, 2, 1, 0], [1, 3, 2, 3, 0], [1, 1, 2, 3, 4]]
    grid = grid_of(n_rules=np.array(lines, dtype=float))
    assert claims._rises_then_falls(grid).tolist() == [True, False, False, False]


def test_range_along_the_two_minima():
    values = np.repeat([[4.0], [3.0], [2.0], [np.nan]], 5, axis=1)
    held = [True, True, True, False]  # the last line has no rule
    assert claims._range_is_smaller(grid_of(best_precision=values)).tolist() == held
    values[:2] = [0, 9, 0, 9, 0]
    held = [False, False, True, False]
    assert claims._range_is_smaller(grid_of(best_precision=values)).tolist() == held


def test_published_table_shows_what_its_notes_say():
    grid = [tables.published_grid()]
    assert count_steps(grid, Trend("train_recall", "precision", -1)).against == 0
    assert count_steps(grid, Trend("n_rules", "recall", -1)).against == 0
    trends = Trend("recall", "precision", -1), Trend("precision", "precision", 1)
    assert count_steps(grid, *trends).against == 0
    small = Trend("recall", "recall", 1, slice(0, 2)), Trend("precision", "recall", -1, slice(0, 2))
    assert count_steps(grid, *small).against == 2  # .72 -> .70 and .0087 -> .0093
    assert claims._rises_then_falls(grid[0]).all()


def test_evidence_says_what_published_and_simulated_rows_show():
    assert "11.5 times the random 0.0042" in RULES["rlsd-27"](nothing()).evidence
    assert "4.3 times" in RULES["rlsd-23"](everything()).evidence
    evidence = RULES["rlsd-14"](everything()).evidence
    assert "published: 14 steps as claimed, 0 against" in evidence
    assert "simulated sets: 14 steps as claimed, 0 against" in evidence
    assert "KEEL sets: reproduced" in evidence
    assert "4 of the 4 cells" in RULES["rlsd-16"](everything()).evidence
    assert "RLSD 0.01" in RULES["rlsd-31"](everything()).evidence
    assert "32 of the 80 bad examples" in RULES["rlsd-29"](everything()).evidence
