"""The two-page summary of a paper follows from its rows."""

import damvi_rows
import pytest

from minority_reports.papers import papers
from minority_reports.report import in_short, summarise


@pytest.fixture(scope="module")
def summaries():
    paper = papers()["damvi"]
    worlds = {"right": damvi_rows.favourable(), "wrong": damvi_rows.adverse()}
    return {name: (rows, summarise(paper, rows)) for name, rows in worlds.items()}


def test_what_came_out_is_that_of_the_rows(summaries):
    (_, right), (_, wrong) = summaries.values()
    assert right.counts["reproduced"] > wrong.counts.get("reproduced", 0)
    assert right.sentences != wrong.sentences
    assert set(right.causes.index) != set(wrong.causes.index)


@pytest.mark.parametrize("world", ["right", "wrong"])
def test_what_was_done_and_claimed(summaries, world):
    rows, summary = summaries[world]
    paper = papers()["damvi"]
    assert summary.sentences == tuple(in_short(paper, rows))
    computed = sum(len(part.rows) for part in rows.values())
    assert summary.done["runs"].startswith(f"{computed:,} ")
    assert f"in {len(rows)} experiments" in summary.done["runs"]
    assert summary.done["methods"].startswith("DAMVI; ")
    assert set(paper.headline.claims) <= set(summary.main) <= set(summary.claims.index)
    assert len(summary.left_open) == len(paper.readings.choices)
    failed = summary.claims.index[summary.claims["verdict"] == "not reproduced"]
    assert set(failed) <= set(summary.causes.index)
