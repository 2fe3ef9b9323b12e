"""What RLSD leaves open: names say what is fitted, and the rows take the place of the text's."""

from dataclasses import replace

import pandas as pd
import pytest
from rlsd_rows import everything, on_grid, ranked, results_of, with_idle

from minority_reports.papers.rlsd import PAPER
from minority_reports.papers.rlsd.protocol import REAL_EVENTS, RLSD
from minority_reports.papers.rlsd.public_protocol import PUBLIC, as_printed, over_whole_range
from minority_reports.papers.rlsd.readings_protocol import READINGS_PUBLIC, READINGS_REAL
from minority_reports.report import REPRODUCED, under_reading
from minority_reports.report.readings import check, variants_of
from minority_reports.report.specification import Contest

READINGS = PAPER.readings
PARAMETERS = {
    "significance": "significance",
    "edges": "edges",
    "scoring": "scored_by",
    "M": "max_rules",
    "intervals": "max_intervals",
}


def test_readings_fit_the_experiments():
    assert check(PAPER) is READINGS
    variants = variants_of(READINGS, PAPER.experiments)
    assert {variant.target for variant in variants} == {"real", "public"}
    assert {variant.base for variant in variants} == {"rlsd"}


def test_the_levels_of_the_text_are_those_of_the_protocol():
    of_text = RLSD.get_params()
    for choice in READINGS.choices:
        if choice.name in PARAMETERS:
            assert choice.levels[0].name == str(of_text[PARAMETERS[choice.name]])


@pytest.mark.parametrize("plan", [READINGS_REAL, READINGS_PUBLIC], ids=lambda plan: plan.name)
def test_names_say_what_is_fitted(plan):
    for name, method in plan.methods.items():
        _, levels = READINGS.parsed(name)
        model = method.run.estimator
        fitted = getattr(model, "estimator", model).get_params()
        changed = {PARAMETERS[c]: level for c, level in levels.items() if c in PARAMETERS}
        for parameter, value in RLSD.get_params().items():
            assert str(fitted[parameter]) == str(changed.get(parameter, value)), (name, parameter)
    assert len({method.label for method in plan.methods.values()}) == len(plan.methods)


def test_the_minima_are_the_grids():
    least = {name: method.run.least for name, method in READINGS_PUBLIC.methods.items()}
    assert least.pop("rlsd:minima=printed") is as_printed
    assert least.pop("rlsd:minima=wide") is over_whole_range
    assert set(least.values()) == {PUBLIC.methods["rlsd"].run.least}


def test_folds_and_random_numbers_are_those_of_the_text():
    assert READINGS_REAL.paired == (REAL_EVENTS.name, "rlsd")
    assert READINGS_PUBLIC.paired == PUBLIC.paired == PUBLIC.name


def test_a_reading_takes_the_rows_of_its_level():
    def by_level(key, rng):
        return with_idle(on_grid)(key, rng) | {"n_rules": len(key.method)}

    results = everything() | {
        "readings-public": results_of("readings-public", by_level),
        "readings-real": results_of("readings-real", ranked(0.5)),
    }
    levels = {"edges": "values", "scoring": "qualified"}
    rows = under_reading(PAPER, results, levels)["public"].rows
    assert set(rows["method"]) == {"rlsd"} and len(rows) == len(results["public"].rows)
    # how rows are ranked is no question of the grid
    assert set(rows["n_rules"]) == {len("rlsd:edges=values")}


def test_a_grade_on_public_data_is_no_verdict_over_readings_either():
    about = pd.Series({"verdict": REPRODUCED})
    contest = Contest(PAPER, "rlsd-20", pd.DataFrame(), pd.DataFrame(), about)
    assert contest.verdict == "not testable; on public data: reproduced"
    assert replace(contest, claim="rlsd-33").verdict == REPRODUCED
