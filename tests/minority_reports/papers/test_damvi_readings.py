"""The readings of DAMVI put other methods in the place of the paper's."""

import damvi_rows
import pandas as pd
import pytest

from minority_reports.papers.damvi import PAPER, tables
from minority_reports.report import under_reading


@pytest.fixture(scope="module")
def results():
    return damvi_rows.favourable() | {
        "released": damvi_rows.results_of("released", damvi_rows.scores("released"))
    }


@pytest.mark.parametrize(
    ("reading", "replaced", "source", "method"),
    [
        ({"DAMVI": "as released"}, "damvi", "released", "released"),
        ({"bags": "full"}, "r-bg", "table23", "r-bg-full"),
    ],
)
def test_a_reading_changes_one_method(results, reading, replaced, source, method):
    read = under_reading(PAPER, results, reading)["table23"]
    keys = ["dataset", "repeat", "fold"]

    def scores(part, name):
        return part.rows[part.rows["method"] == name].set_index(keys)["f1"].sort_index()

    pd.testing.assert_series_equal(scores(read, replaced), scores(results[source], method))
    for name in set(tables.COMPETITORS) - {replaced}:
        pd.testing.assert_series_equal(scores(read, name), scores(results["table23"], name))
