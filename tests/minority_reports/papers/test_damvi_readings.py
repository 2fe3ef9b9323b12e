"""The readings of DAMVI put rows by level in the place of the text's."""

import damvi_rows
import pytest

from minority_reports.experiments import derive_seed
from minority_reports.papers.damvi import PAPER, tables
from minority_reports.papers.damvi.tables import COMPETITORS
from minority_reports.report import under_reading
from minority_reports.report.readings import check, variants_of

LARGE = ("webpage", "mammography", "protein_homo")


def score_of(key):
    """A score that only this method and setting have on this fold."""
    return derive_seed(key.method, key.setting, key.dataset, key.fold) / 2**32


def told_apart(key, rng):
    score = score_of(key)
    return {"f1": score, "ap": 1 - score, "auroc": 0.5, "n_voters": 9} | dict.fromkeys(
        ("tp", "fp", "fn", "tn"), 1
    )


@pytest.fixture(scope="module")
def results():
    sources = {*PAPER.readings.sources, *PAPER.readings.sources.values()}
    return {
        name: damvi_rows.results_of(
            name, told_apart, [d for d in PAPER.experiments[name].datasets if d in LARGE]
        )
        for name in sources
    }


def replaced(results, levels, target):
    """By method, under a reading: the method and setting whose rows are there, on fold 0."""
    source_of = {
        score_of(key): (key.method, key.setting)
        for part in results.values()
        for key in part.rows.itertuples()
    }
    rows = under_reading(PAPER, results, levels)[target].rows
    rows = rows[(rows["dataset"] == "mammography") & (rows["fold"] == 0)]
    found = {}
    for row in rows.itertuples():
        method, setting = source_of[row.f1]
        assert setting.partition(":")[0] == row.setting
        found.setdefault(row.method, set()).add(method + setting.partition(":")[1])
    return {m: names for m, names in found.items() if names != {m} and m in COMPETITORS}


def test_each_choice_replaces_the_methods_that_it_is_about(results):
    bagged = ("r-bg", "s-bg", "a-bg")
    oversampled = {name: {f"{name}:bags=oversampled"} for name in bagged}
    for target in ("table23", "fig1"):
        assert replaced(results, {}, target) == {}
        assert replaced(results, {"bags": "oversampled"}, target) == oversampled
        assert replaced(results, {"forest": "2020"}, target) == {"brf": {"brf:forest=2020"}}
        assert replaced(results, {"boosting": "samme-r"}, target) == {"ee": {"ee:boosting=samme-r"}}
    assert replaced(results, {"code": "released"}, "table23") == {"damvi": {"released"}}
    full = {name: {f"{name}:bags=full"} for name in bagged}
    assert replaced(results, {"bags": "full"}, "fig1") == full
    assert replaced(results, {"bags": "full"}, "table23") == full | {"r-bg": {"r-bg-full"}}


def test_thinning_concerns_all_methods_of_figure_1_alone(results):
    before = replaced(results, {"thinning": "before", "code": "released"}, "fig1")
    expected = {name: {f"{name}:"} for name in tables.RIVALS}
    assert before == expected | {"damvi": {"damvi:code=released:"}}
    assert replaced(results, {"thinning": "before"}, "table23") == {}


def test_where_a_reading_has_no_rows_there_are_none(results):
    """Full bags of S-BG are not planned on the larger sets."""
    read = under_reading(PAPER, results, {"bags": "full"})["table23"].rows
    assert set(read[read["method"] == "s-bg"]["dataset"]) == {"mammography"}
    assert set(read[read["method"] == "r-bg"]["dataset"]) == set(LARGE)


def test_all_combinations_are_planned_with_five_headline_claims():
    readings = check(PAPER)
    assert len(readings.combinations) == 3 * 2 * 2 * 2 * 2 - 1
    assert len(readings.claims) == 5
    assert {v.target for v in variants_of(readings, PAPER.experiments)} == {"table23", "fig1"}
