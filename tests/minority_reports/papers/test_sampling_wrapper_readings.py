"""Readings of the sampling wrapper: other rows in the place of the main ones."""

from dataclasses import replace

import pandas as pd
import pytest
from sampling_wrapper_rows import (
    EXPERIMENTS,
    everything,
    main_row,
    read_row,
    results_of,
    toy_fold,
)

from minority.sampling import search_levels
from minority_reports.experiments import Settings, run
from minority_reports.papers.sampling_wrapper import PAPER
from minority_reports.papers.sampling_wrapper.numbers import (
    smote_by_reading,
    smote_fit,
    smote_fit_table,
)
from minority_reports.papers.sampling_wrapper.protocol import MARGIN
from minority_reports.papers.sampling_wrapper.readings_protocol import (
    READ_SEARCHES,
    SEARCHED,
    found_under,
)
from minority_reports.papers.sampling_wrapper.schemes import COST_FREE
from minority_reports.papers.sampling_wrapper.tables import levels
from minority_reports.report import judge, under_reading
from minority_reports.report.multiverse import RowsByLevel

KEY = ["dataset", "method", "setting", "repeat", "fold"]


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
    results = everything() | {experiment: results_of(experiment, other)}
    main = under_reading(PAPER, results, reading)["main"]
    is_other = main.rows["auroc"] == 0.123
    assert is_other.all() if changed is None else is_other.equals(main.rows["dataset"] == changed)
    assert main.complete(["c45", "ripper"]).datasets, "its cells are complete"
    assert len(main.rows) == len(results["any-gain"].rows), "of the first repeat, as all sources"
    verdict = judge("sampling_wrapper", PAPER.rules, results | {"main": main})["verdict"]
    assert verdict["sampling_wrapper-15"] != "reproduced"


def test_a_reading_of_the_search_leaves_other_schemes_and_costs_as_printed():
    results = everything() | {"readings": results_of("readings", changed_if_short)}
    main = under_reading(PAPER, results, {"gain": "2%", "reset": "short"})["main"]
    assert set(main.complete(["c45", "ripper"]).datasets) == set(main.experiment.datasets)
    changed = main.rows[main.rows["auroc"] == 0.123]
    assert set(changed["setting"]) == set(COST_FREE)
    assert len(changed) == len(main.rows) * 2 / 9
    text = under_reading(PAPER, results, {})["main"].rows.set_index(KEY).sort_index()
    kept = main.rows[~main.rows["setting"].isin(list(COST_FREE))].set_index(KEY)
    assert kept["fn_20"].eq(text.loc[kept.index, "fn_20"]).all()


def changed_if_short(key):
    row = read_row(key)
    return row | {"auroc": 0.123} if key.setting.endswith(":gain=2%,reset=short") else row


def test_where_a_reading_has_no_rows_its_cells_are_incomplete():
    results = everything()
    part = results["readings"]
    rows = part.rows[part.rows["dataset"] != "oil"].reset_index(drop=True)
    results = results | {"readings": replace(part, rows=rows, _kept={})}
    main = under_reading(PAPER, results, {"reset": "short"})["main"]
    assert "oil" not in main.complete(["c45"]).datasets
    assert "page" in main.complete(["c45"]).datasets


def test_searches_under_readings_are_those_of_older_experiments():
    """Any gain and the margins between, on the same fold with the same random numbers."""
    fold = toy_fold(READ_SEARCHES)
    for learner in ("c45", "ripper"):
        rows = READ_SEARCHES.methods[learner].run(fold)
        margins = MARGIN.methods[learner].run(replace(fold, settings=MARGIN.settings))
        for scheme, criterion in COST_FREE.items():
            for gain in ("2%", "1%"):
                row, older = rows[f"{scheme}:gain={gain}"], margins[f"{criterion},{gain}"]
                assert (row["kept_1"], row["smote_1"]) == (older["kept"], older["smote"])
                assert row["auroc"] == older["auroc"]


def test_where_the_search_goes_back_to():
    """Values by amount of SMOTE: the last gain is at 200 %, the next would be at 500 %."""
    inner = Scripted({0: 0.5, 100: 0.6, 200: 0.61, 300: 0.6, 400: 0.6, 500: 0.7})

    def smote(**levels):
        kept, found, _ = found_under(inner, "f1", levels)
        assert kept == 10, "undersampling changes nothing here"
        return found

    assert [smote(gain="any", reset=r) for r in ("last", "short", "never")] == [500, 600, 800]
    assert [smote(gain="any", ahead="0", reset=r) for r in ("last", "short", "never")] == [
        200,
        300,
        300,
    ]
    assert smote(gain="any", ahead="3", reset="never") == 900
    # 0.7 is 16.7 % above 0.6, the last value that was 5 % above another
    assert smote() == 100
    assert smote(ahead="3") == 500
    assert smote(gain="1%") == 500


class Scripted:
    """Inner models whose value depends on the amount of SMOTE alone; 0.6 where none is given."""

    def __init__(self, values):
        self.values = values

    def search(self, criterion, **options):
        def score(undersampling, smote):
            return [self.values.get(smote[1], 0.6)], [0.9]

        return search_levels(score, [0], [1], **options)


def test_amounts_nearest_to_the_published_come_first():
    index = pd.MultiIndex.from_product([["c45"], ["page", "oil"], ["wrapper-f"]])
    amounts = pd.DataFrame(
        {"published": [200, 400], "half": [100, 200], "near": [220, 300], "none": [0, 0]}, index
    )
    fit = smote_fit(amounts.assign(missing=float("nan")))
    assert list(fit.index) == ["near", "half", "none"]
    assert fit.loc["half", "factor"] == pytest.approx(2)
    assert fit.loc["none", "factor"] == pytest.approx(800**0.5), "counts as 10 %"
    assert fit["near"].tolist() == [2, 0, 0]


def test_the_table_of_amounts_has_the_text_with_10_and_50_searches():
    table = smote_fit_table(PAPER, everything())
    assert {"as printed", "as printed, 50 searches"} <= set(table.frame.index)
    assert "28 of 28 (mean of all 438 %, smallest 150 %)" in table.caption


def test_amounts_of_a_reset_follow_from_those_of_the_search():
    """In the rows that were computed: what a search keeps is so many steps above the accepted."""
    results = {key: run(e, Settings(PAPER, compute="none")) for key, e in EXPERIMENTS.items()}
    amounts = smote_by_reading(PAPER, results)
    rows = RowsByLevel(PAPER, results)
    compared = 0
    for reading in SEARCHED:
        found = levels(rows.under(reading)["main"].complete())["smote"].dropna()
        derived = amounts[PAPER.readings.words(reading)].reindex(found.index)
        assert derived.tolist() == pytest.approx(found.tolist()), reading
        compared += len(found)
    assert compared
