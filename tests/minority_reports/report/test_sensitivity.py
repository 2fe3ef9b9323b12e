"""How firm verdicts are: other seeds and readings, judged by the same rules on the same sets."""

import pytest

import toy
from minority_reports.experiments import Method, Settings, run
from minority_reports.report import (
    NOT_REPRODUCED,
    REPRODUCED,
    SOME,
    Cases,
    Effect,
    Need,
    Rule,
    Verdicts,
    instead,
    over_seeds,
)


def counted(table1):
    """What tells the data sets and the method's rows apart."""
    rows = table1.rows
    share = rows.loc[rows["method"] == "count", "share"].mean()
    held = share > 0.2 and len(table1.experiment.datasets) == 2
    return Cases([held], "{count}", Effect("share", share, 0, 1))


def constant():
    return Cases([True], "{count}", Effect("nothing", 0, 0, 0))


def half(fold):
    return {s: {k: v / 2 for k, v in row.items()} for s, row in toy.count_rows(fold).items()}


@pytest.fixture
def paper(monkeypatch):
    claims = [
        {"id": f"toy-0{i}", "claim": text, "section": "1", "kind": "number"}
        for i, text in enumerate(["about the rows", "about nothing"])
    ]
    known = {"short": "Toy", "claims": claims}
    monkeypatch.setattr("minority_reports.report.claims.published", lambda name: known)
    methods = {"count": toy.METHODS["count"], "half": Method("Half", half)}
    paper = toy.paper(methods=methods)
    return paper.__class__(
        **paper.__dict__
        | {
            "rules": {
                "toy-00": Rule("rows", SOME, counted, (Need("table1", ("count",)),)),
                "toy-01": Rule("whatever the rows are", SOME, constant),
            },
            "main": "table1",
            "readings": {"half": instead("table1", {"count": "half"})},
        }
    )


def stored(paper, seed=0, **selection):
    settings = Settings(paper, seed=seed, compute="missing", n_jobs=1, **selection)
    return {name: run(e, settings) for name, e in paper.experiments.items()}


def test_seeds_and_readings_are_judged_by_the_same_rules(results, paper):
    first = stored(paper)
    for seed in (1, 2):
        stored(paper, seed)
    table = Verdicts(paper, first).sensitivity()
    assert list(table.frame.index) == ["toy-00"], "the other claim does not look at the rows"
    assert list(table.frame) == ["claim", "all rows", "seed 0", "seed 1", "seed 2", "half"]
    assert table.frame.loc["toy-00"].tolist()[1:] == [REPRODUCED] * 4 + [NOT_REPRODUCED]
    assert table.bold.loc["toy-00"].tolist() == [False] * 4 + [True]
    assert "With another seed 0 of 1 change (on the 2 of 2 data sets" in table.caption
    assert "with half 1 (on 2)" in table.caption


def test_only_sets_that_all_seeds_have_are_compared(results, paper):
    first = stored(paper)
    stored(paper, 1)
    assert list(Verdicts(paper, first).sensitivity().frame) == ["claim", "all rows", "half"]
    stored(paper, 2, datasets="iris0")
    narrow = over_seeds(paper)
    assert {r.experiment.datasets for r in narrow.values()} == {("iris0",)}
    assert {len(r.rows) for r in narrow.values()} == {24}
    table = Verdicts(paper, first).sensitivity()
    assert table.frame.loc["toy-00"].tolist()[1:5] == [REPRODUCED] + [NOT_REPRODUCED] * 3
    assert not table.bold[["seed 0", "seed 1", "seed 2"]].to_numpy().any(), "as with seed 0"
    assert "on the 1 of 2 data sets" in table.caption


def test_a_reading_leaves_out_sets_where_it_is_not_complete(results, paper):
    stored(paper, methods="count")
    stored(paper, methods="half", datasets="glass2")
    whole = {n: run(e, Settings(paper, compute="none")) for n, e in paper.experiments.items()}
    read = paper.readings["half"](whole)["table1"]
    assert read.experiment.datasets == ("glass2",)
    count = read.rows[read.rows["method"] == "count"]
    assert count["draw"].tolist() == read.rows.loc[read.rows["method"] == "half", "draw"].tolist()


def test_a_part_of_the_protocol_says_nothing(results, paper):
    table = Verdicts(paper, stored(paper, datasets="iris0")).sensitivity()
    assert table.frame.empty
    assert "only a part of it is selected" in table.caption


def test_a_reading_is_compared_on_its_own_sets(results, paper):
    stored(paper, methods="count")
    stored(paper, methods="half", datasets="glass2")
    whole = {n: run(e, Settings(paper, compute="none")) for n, e in paper.experiments.items()}
    table = Verdicts(paper, whole).sensitivity()
    assert table.frame.loc["toy-00"].tolist()[1:] == [REPRODUCED, NOT_REPRODUCED]
    assert not table.bold.loc["toy-00", "half"], "one data set fewer, not the reading, changed it"
    assert "with half 0 (on 1)" in table.caption
