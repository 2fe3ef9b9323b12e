"""Verdicts come from complete cells of the whole protocol, of the methods that claims name."""

import re
from dataclasses import replace

import pandas as pd
import pytest

import toy
from minority_reports.experiments import Results, Settings, run
from minority_reports.papers import papers
from minority_reports.report import (
    ALWAYS,
    Cases,
    Effect,
    Need,
    Rule,
    Verdicts,
    judge,
    unfinished,
    unfinished_note,
)


@pytest.fixture
def paper(monkeypatch):
    claim = {"id": "toy-01", "claim": "about the rows", "section": "1", "kind": "number"}
    known = {"short": "Toy", "claims": [claim]}
    monkeypatch.setattr("minority_reports.report.claims.published", lambda name: known)
    return replace(toy.paper(), main="table1")


def stored(paper, **selection):
    settings = Settings(paper, compute="missing", n_jobs=1, **selection)
    return {name: run(e, settings) for name, e in paper.experiments.items()}


def counting(seen):
    def measure(table1):
        seen.append(len(table1.rows))
        return Cases([True], "{count}", Effect("difference", 1, 0, 2))

    return {"toy-01": Rule("rows", ALWAYS, measure, (Need("table1"),))}


@pytest.mark.parametrize(
    "selection", [{"datasets": "iris0"}, {"methods": "count"}, {"folds": 2}, {"repeats": 1}]
)
def test_a_selection_judges_nothing_and_says_so(results, paper, selection):
    seen = []
    paper = replace(paper, rules=counting(seen))
    verdicts = Verdicts(paper, stored(paper, **selection))
    assert verdicts.claims.empty and seen == []
    for table in (verdicts.table(), verdicts.investigated(), verdicts.sensitivity()):
        assert table.frame.empty
        assert "Verdicts are about the whole protocol" in table.caption
        assert table.to_html()


def test_the_whole_protocol_is_judged_with_any_seed(results, paper):
    for seed in (0, 1):
        assert len(judge("toy", counting([]), stored(paper, seed=seed))) == 1


def test_rules_see_complete_cells_only(results, paper):
    whole, seen = stored(paper), []
    rows = whole["table1"].rows
    part = {"table1": replace(whole["table1"], rows=rows.iloc[1:], _kept={})}
    judge("toy", counting(seen), whole)
    judge("toy", counting(seen), part)
    assert seen == [len(rows), len(rows) // 2], "the data set of the missing row is left out"


def test_incomplete_cells_are_marked(results, paper):
    whole = stored(paper)["table1"]
    assert not unfinished(whole).to_numpy().any()
    assert unfinished_note(unfinished(whole)) == ""
    first = whole.rows.iloc[0]
    part = replace(whole, rows=whole.rows.iloc[1:], _kept={})
    marks = unfinished(part)
    assert marks.loc[first["dataset"], first["method"]] == "(5 of 6)"
    assert (marks != "").to_numpy().sum() == 1
    both = unfinished(part, {"mean of both": ("count", "slow")})
    assert both.loc[first["dataset"], "mean of both"] == "(5 of 6)"
    assert list(unfinished(part, ["slow"], ["a mean", "iris0"]).index) == ["a mean", "iris0"]
    gone = part.rows[part.rows["method"] != first["method"]]
    assert not unfinished(replace(whole, rows=gone, _kept={})).to_numpy().any(), "a gap"
    assert "(k of n)" in unfinished_note(marks)


def with_added(results: Results) -> Results:
    """The same with one more method that is perfect on two data sets and has no other rows."""
    plan, rows = results.experiment, results.rows
    if rows.empty:
        return results
    copied = next(iter(plan.methods))
    experiment = plan.with_method("added", plan.methods[copied])
    mine = rows[(rows["method"] == copied) & rows["dataset"].isin(plan.datasets[:2])]
    measures = {name: 1.0 for name in plan.measures if pd.api.types.is_float_dtype(rows[name])}
    mine = mine.assign(method="added", **measures)
    return Results(
        experiment,
        pd.concat([rows, mine], ignore_index=True),
        planned=experiment.n_keys,
        timings=results.timings,
    )


@pytest.mark.parametrize("name", [name for name, paper in papers().items() if paper.rules])
def test_an_added_method_with_few_rows_changes_no_verdict(judged, name):
    case = judged[name]
    added = {key: with_added(part) for key, part in case.results.items()}
    claims = judge(name, case.paper.rules, added)
    assert list(claims["verdict"]) == list(case.claims["verdict"])
    for claim, evidence in claims["evidence"].items():
        assert counted(evidence) == counted(case.claims.loc[claim, "evidence"]), claim


def counted(evidence: str) -> str:
    """Evidence without the number of keys, which an added method raises."""
    return re.sub(r"([\d,]+ of|all) [\d,]+ runs", "runs", evidence)
