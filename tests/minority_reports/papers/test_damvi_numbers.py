"""The published numbers of DAMVI beside ours."""

import damvi_rows
import numpy as np
import pandas as pd
import pytest

from minority_reports.experiments import Results
from minority_reports.papers.damvi import PAPER, tables
from minority_reports.papers.damvi.numbers import published_numbers
from minority_reports.report import published


@pytest.fixture(scope="module")
def favourable():
    return damvi_rows.favourable()


def test_every_number_of_the_tables_is_there_once(favourable):
    numbers = published_numbers(favourable)
    printed = [cell["value"] for t in published("damvi")["tables"] for cell in t["cells"]]
    assert sorted(numbers["published"]) == sorted(printed)
    assert not numbers.duplicated(["where", "item"]).any()
    counts = numbers.groupby("where")["not_compared"].agg(lambda reasons: (reasons == "").sum())
    # four of six sets, and of Scania the number of attributes
    assert counts.to_dict() == {"Table I": 13, "Table II": 40, "Table III": 40}


def test_a_number_has_the_standard_error_of_its_difference(favourable):
    rows = favourable["table23"].rows
    splits = rows[(rows["dataset"] == "webpage") & (rows["method"] == "ee")]["ap"]
    line = (
        published_numbers(favourable).set_index(["where", "item"]).loc["Table III", "EE, Webpage"]
    )
    assert line["published"] == 0.6969
    assert line["ours"] == pytest.approx(splits.mean())
    assert line["sd"] == pytest.approx(np.sqrt(splits.var() / 5 + 0.038**2 / 5))


def test_what_cannot_be_compared_says_why(favourable):
    rows = favourable["table23"].rows
    lacks = (rows["dataset"] == "webpage") & (rows["method"] == "ee") & (rows["fold"] == 2)
    part = Results(favourable["table23"].experiment, rows[~lacks], len(rows))
    numbers = published_numbers({"table23": part}).set_index(["where", "item"])["not_compared"]
    assert numbers["Table II", "EE, Webpage"] == "rows are missing"
    assert numbers["Table II", "BB, Webpage"] == ""
    assert "13,274 of 60,000" in numbers["Table III", "BB, Scania"]
    assert "13,274 of 60,000" in numbers["Table I", "examples, Scania"]
    assert numbers["Table I", "attributes, Scania"] == ""
    assert "proprietary" in numbers["Table I", "attributes, PCT Data"]


def test_numbers_without_rows():
    numbers = published_numbers(damvi_rows.nothing())
    scores = numbers[numbers["where"] != "Table I"]
    assert scores["ours"].isna().all() and (scores["not_compared"] != "").all()


def test_numbers_are_those_of_the_paper():
    assert PAPER.numbers is published_numbers


def test_tables_under_another_reading(favourable):
    table23 = favourable["table23"]
    lifted = table23.rows["f1"].where(table23.rows["method"] != "ee", 0.4678)
    read = Results(table23.experiment, table23.rows.assign(f1=lifted), table23.planned)
    table = tables.with_reading(table23, read, "EE = other")
    line = table.frame.loc["Webpage, EE", "F1"]
    assert line["published"] == line["EE = other"] == pytest.approx(0.4678)
    assert line["EE = other, difference"] == pytest.approx(0)
    assert line["as printed, difference"] == pytest.approx(line["as printed"] - 0.4678)
    assert table.bold.loc["Webpage, EE", ("F1", "EE = other, difference")]
    same = table.frame.index != "Webpage, EE"
    ap = table.frame["AP"]
    pd.testing.assert_series_equal(
        ap.loc[same, "as printed"], ap.loc[same, "EE = other"], check_names=False
    )
    assert len(table.frame) == 50  # the five real sets
    assert "EE = other" in table.caption
    assert table.to_html()
