"""Shared by the tests of the report."""

from typing import NamedTuple

import pandas as pd
import pytest

from minority_reports.experiments import Paper, Results, Settings, run
from minority_reports.papers import papers
from minority_reports.report import judge, published_papers


class Judged(NamedTuple):
    """A paper, its stored rows and its claims judged on them."""

    paper: Paper
    results: dict[str, Results]
    claims: pd.DataFrame


@pytest.fixture(scope="session")
def judged() -> dict[str, Judged]:
    """All papers, judged once: it takes half a minute."""
    found = {}
    for name in published_papers():
        paper = papers()[name]
        settings = Settings(paper, compute="none")
        results = {key: run(e, settings) for key, e in paper.experiments.items()}
        found[name] = Judged(paper, results, judge(name, paper.rules, results))
    return found
