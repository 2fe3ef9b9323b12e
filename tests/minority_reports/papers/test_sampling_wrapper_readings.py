"""Readings of the sampling wrapper: other rows in the place of the main ones."""

import pytest
from sampling_wrapper_rows import everything, main_row, results_of

from minority_reports.papers.sampling_wrapper import PAPER
from minority_reports.report import judge, under_reading


def other(key):
    return main_row(key) | {"auroc": 0.123}


@pytest.mark.parametrize(
    ("reading", "experiment", "changed"),
    [
        ({"gain": "any"}, "any-gain", None),
        ({"Mammography": "distinct rows"}, "distinct", "mammography"),
        ({"Oil": "without patch number"}, "oil", "oil"),
    ],
)
def test_a_reading_puts_its_rows_in_the_place_of_the_main_ones(reading, experiment, changed):
    any_gain = {"any-gain": results_of("any-gain", main_row)}
    results = everything() | any_gain | {experiment: results_of(experiment, other)}
    main = under_reading(PAPER, results, reading)["main"]
    is_other = main.rows["auroc"] == 0.123
    assert is_other.all() if changed is None else is_other.equals(main.rows["dataset"] == changed)
    assert main.complete(["c45", "ripper"]).datasets, "its cells are complete"
    assert len(main.rows) == len(results["any-gain"].rows), "of the first repeat, as all sources"
    verdict = judge("sampling_wrapper", PAPER.rules, results | {"main": main})["verdict"]
    assert verdict["sampling_wrapper-15"] != "reproduced"
