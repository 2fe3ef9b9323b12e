"""The other readings of Box Drawings."""

import pytest

from minority_reports.experiments import Settings, run
from minority_reports.papers.box_drawings import PAPER, tables
from minority_reports.papers.box_drawings.protocol import PAPER_METHODS
from minority_reports.report import under_reading


@pytest.mark.parametrize(
    ("reading", "variant"),
    [
        ("first grid", "fast-boxes-first-grid"),
        ("released", "fast-boxes-released"),
    ],
)
def test_a_reading_changes_fast_boxes_alone(reading, variant):
    settings = Settings(PAPER, compute="none")
    table5 = run(PAPER.experiments["table5"], settings)
    read = under_reading(PAPER, {"table5": table5}, {"Fast Boxes": reading})["table5"]
    means, others = tables.mean_auh(table5, [*PAPER_METHODS, variant]), tables.mean_auh(read)
    assert others.index.equals(means.index) and len(means)
    assert (others["fast-boxes"] == means[variant]).all()
    assert (others["fast-boxes"] != means["fast-boxes"]).any()
    rest = list(PAPER_METHODS[1:])
    assert others[rest].equals(means[rest])
