"""The claims of RLSD, judged on made-up rows."""

import numpy as np
import pandas as pd
import pytest
from rlsd_rows import EXPERIMENTS, everything, kept, nothing, ranked, results_of

from minority_reports.papers import rlsd as paper
from minority_reports.papers.rlsd import claims, studies, tables
from minority_reports.papers.rlsd.claims import Steps, Trend, count_steps
from minority_reports.papers.rlsd.protocol import GRID
from minority_reports.report import judge

BY_CONSTRUCTION = ("04", "07", "08", "10", "11")
NOT_TESTABLE = ("02", "03", *(f"{n}" for n in range(13, 33)))


def status_of(number, results):
    return paper.PAPER.rules[f"rlsd-{number}"](results).status


def verdicts(results):
    return judge("rlsd", paper.PAPER.rules, results)["verdict"]


def test_every_claim_has_a_rule():
    assert len(paper.PAPER.rules) == 33


def test_simulated_rows_reproduce_nothing_of_the_law_enforcement_data():
    for results in (everything(), nothing()):
        found = verdicts(results)
        assert (found[[f"rlsd-{n}" for n in NOT_TESTABLE]] == "not testable").all()
        assert (found[[f"rlsd-{n}" for n in BY_CONSTRUCTION]] == "reproduced").all()


def test_claims_without_rows_are_open():
    table = judge("rlsd", paper.PAPER.rules, nothing())
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


def steps_on(n, n_minority):
    """Steps of the versions of ChiMerge on different values, the minority's spread among them."""
    column = np.random.default_rng(0).permutation(n).astype(float)
    return studies.count_chimerge(column, column % (n // n_minority) == 0)


def test_speed_is_judged_by_the_steps_that_are_counted():
    assert claims.faster(steps_on(500, 250), 500, 250).status == "not reproduced"
    assert claims.faster(steps_on(8_000, 4), 8_000, 4).status == "partly", "the textbook's only"
    slow = {"textbook": 10**7, "classic": 10**6, "minority": 10**3}
    assert claims.faster(slow, 1, 1).status == "reproduced"


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
    assert count_steps([grid], Trend("recall", "precision", -1, claims.SMALL)) == (1, 0, 5)
    assert count_steps([grid], Trend("recall", "recall", 1, claims.LARGE)) == (1, 1, 3)
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
    np.testing.assert_allclose(claims.matrix(grid, "gap")[1], 0.9 - np.arange(5, 10) / 40)


def test_one_peak_within_the_range():
    lines = [[1, 2, 3, 2, 1], [3, 2, 2, 1, 0], [1, 3, 2, 3, 0], [1, 1, 2, 3, 4]]
    grid = grid_of(n_rules=np.array(lines, dtype=float))
    assert claims._rises_then_falls(grid).tolist() == [True, False, False, False]


def test_range_along_the_two_minima():
    values = np.repeat([[4.0], [3.0], [2.0], [np.nan]], 5, axis=1)
    assert claims._range_is_smaller(grid_of(best_precision=values)).tolist() == [True]
    values[:3] = [0, 9, 0, 9, 0]
    assert claims._range_is_smaller(grid_of(best_precision=values)).tolist() == [False]


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
    rules = paper.PAPER.rules
    assert "11.5 times the random 0.0042" in rules["rlsd-27"](nothing()).evidence
    assert "4.3 times" in rules["rlsd-23"](everything()).evidence
    simulated = rules["rlsd-14"](everything()).evidence.split("simulated")[1]
    assert "(80 of 80 keys): 14 steps as claimed, 0 against" in simulated
    assert "4 of the 4 cells" in rules["rlsd-16"](everything()).evidence
    assert "RLSD 0.01" in rules["rlsd-31"](everything()).evidence
    assert "32 of the 80 bad examples" in rules["rlsd-29"](everything()).evidence
