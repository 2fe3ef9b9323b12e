"""Why claims were not reproduced: every such claim is looked into, and nothing else."""

import pytest

from minority_reports.experiments import Settings, run
from minority_reports.papers import papers
from minority_reports.report import (
    CAUSES,
    MOSTLY_NOT,
    NOT_REPRODUCED,
    Finding,
    Verdicts,
    investigate,
)


def stored(paper, **selection):
    settings = Settings(paper, compute="none", **selection)
    return {name: run(experiment, settings) for name, experiment in paper.experiments.items()}


@pytest.fixture(params=[name for name, paper in papers().items() if paper.rules])
def case(request, judged):
    return judged[request.param]


def headlines(paper):
    """The claims whose causes follow from readings."""
    return set() if paper.readings is None else set(paper.readings.claims)


def test_what_was_not_reproduced_is_looked_into_and_nothing_else(case):
    grades = case.claims["verdict"]
    failed = set(grades.index[grades == NOT_REPRODUCED])
    assert set(case.paper.investigations) >= failed - headlines(case.paper)
    failed = grades.index[grades.isin([MOSTLY_NOT, NOT_REPRODUCED])]
    assert set(case.paper.investigations) <= set(failed)


def test_findings_are_short_and_have_numbers(case):
    table = Verdicts(case.paper, case.results).investigated()
    assert list(table.frame.index) == [i for i in case.claims.index if i in table.frame.index]
    assert set(table.frame["possible cause"]) <= set(CAUSES)
    for claim, text in table.frame["evidence"].items():
        assert any(character.isdigit() for character in text), claim
        assert len(text) <= 700 and "nan" not in text, claim
        assert text.endswith(".") and "  " not in text, claim
    by_hand = set(case.paper.investigations) - headlines(case.paper)
    assert set(table.frame.index) - headlines(case.paper) == by_hand
    assert f"{len(table.frame)} of {len(case.claims)}" in table.caption


def test_a_part_of_the_protocol_is_not_looked_into(case):
    first = next(iter(case.paper.experiments.values())).datasets[0]
    table = investigate(case.paper, case.claims, stored(case.paper, datasets=first))
    assert table.frame.empty
    assert "only a part of it is selected" in table.caption


def test_a_finding_has_a_known_cause():
    with pytest.raises(ValueError, match="unknown cause 'weather'; one of data"):
        Finding("weather", "it rained")
