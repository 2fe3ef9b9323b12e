"""The papers' claims and what became of them here.

Each claim gets a verdict by a rule stated in the paper's module: a number on the result rows, or,
for what holds by construction, the test that shows it. Verdicts are computed, never typed.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd

from minority_reports import paths
from minority_reports.experiments import Paper, Results, Settings, run
from minority_reports.report.tables import Table, show

REPRODUCED = "reproduced"
PARTLY = "partly"
NOT_REPRODUCED = "not reproduced"
NOT_TESTABLE = "not testable"
OPEN = "open"
VERDICTS = (REPRODUCED, PARTLY, NOT_REPRODUCED, NOT_TESTABLE, OPEN)


@dataclass(frozen=True)
class Verdict:
    """What became of a claim, and the number or place that shows it."""

    status: str
    evidence: str

    def __post_init__(self):
        if self.status not in VERDICTS:
            raise ValueError(f"unknown verdict {self.status!r}; one of {', '.join(VERDICTS)}")


Rule = Callable[[Mapping[str, Results]], Verdict]


def shown_by(test: str) -> Rule:
    """A claim that holds by construction: the test ``file.py::name`` shows it."""
    file, _, name = test.partition("::")
    return lambda results: Verdict(REPRODUCED, f"shown by {name} in {file}")


def cannot_be_tested(why: str) -> Rule:
    """A claim that no run of ours can decide."""
    return lambda results: Verdict(NOT_TESTABLE, why)


def share(held: int, cases: int, evidence: str) -> Verdict:
    """Reproduced if a claim held in every case, partly if in some, not if in none."""
    if cases == 0:
        return Verdict(OPEN, "no rows yet")
    status = REPRODUCED if held == cases else PARTLY if held else NOT_REPRODUCED
    return Verdict(status, f"{held} of {cases}: {evidence}")


#: Said in place of verdicts on a selection.
PART = "Verdicts are about the whole protocol; only a part of it is selected, so none is given."


def is_whole(results: Mapping[str, Results]) -> bool:
    """Whether results are those of whole protocols and not of a selection."""
    return all(part.selected is None for part in results.values())


@cache
def published(paper: str) -> dict:
    """A paper's numbers and claims from ``data/published``."""
    return json.loads((paths.published() / f"{paper}.json").read_text(encoding="utf-8"))


def published_papers() -> list[str]:
    """The names of all papers with published numbers, in the order of the project."""
    order = ["box_drawings", "damvi", "rlsd", "boosting_svm", "sampling_wrapper"]
    found = {path.stem for path in paths.published().glob("*.json")} - {"schema"}
    return [name for name in order if name in found] + sorted(found - set(order))


def judge(paper: str, rules: Mapping[str, Rule], results: Mapping[str, Results]) -> pd.DataFrame:
    """Every claim of a paper with its verdict; a claim without a rule is open.

    Rules see complete cells only, see :meth:`Results.complete`. A selection of data sets, methods,
    repeats or folds judges nothing: there are no claims then.
    """
    claims = published(paper)["claims"]
    strangers = set(rules) - {claim["id"] for claim in claims}
    if strangers:
        raise ValueError(f"rules for claims that {paper} does not make: {sorted(strangers)}")
    claims = claims if is_whole(results) else []
    results = {name: part.of_protocol().complete() for name, part in results.items()}
    verdicts = [
        rules[claim["id"]](results) if claim["id"] in rules else Verdict(OPEN, "not judged yet")
        for claim in claims
    ]
    return pd.DataFrame(
        {
            "claim": [claim["claim"] for claim in claims],
            "section": [claim["section"] for claim in claims],
            "kind": [claim["kind"] for claim in claims],
            "verdict": [verdict.status for verdict in verdicts],
            "evidence": [verdict.evidence for verdict in verdicts],
        },
        index=pd.Index([claim["id"] for claim in claims], name="id"),
    )


def claims_table(paper: str, claims: pd.DataFrame) -> Table:
    """Judged claims by verdict, from reproduced to open."""
    if claims.empty:
        return show(claims, caption=f"Claims of {published(paper)['short']}. {PART}")
    counts = claims["verdict"].value_counts().items()
    caption = ", ".join(f"{count} {verdict}" for verdict, count in counts)
    order = claims["verdict"].map(VERDICTS.index).sort_values(kind="stable").index
    return show(claims.loc[order], caption=f"Claims of {published(paper)['short']}: {caption}")


def verdicts(paper: str, known: Mapping[str, Paper]) -> pd.DataFrame:
    """A paper's claims judged on the stored rows; one without a protocol here is all open."""
    if paper not in known:
        return judge(paper, {}, {})
    settings = Settings(known[paper], compute="none")
    results = {key: run(e, settings) for key, e in known[paper].experiments.items()}
    return judge(paper, known[paper].rules, results)


def judge_all(known: Mapping[str, Paper]) -> dict[str, pd.DataFrame]:
    """The claims of every paper, judged on the stored rows."""
    return {name: verdicts(name, known) for name in published_papers()}


def count_verdicts(judged: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many of the judged claims of each paper have which verdict."""
    counts = {
        published(name)["title"]: claims["verdict"]
        .value_counts()
        .reindex(list(VERDICTS), fill_value=0)
        for name, claims in judged.items()
    }
    table = pd.DataFrame(counts).T.astype(int)
    table.index.name = "paper"
    return table.assign(claims=table.sum(axis=1))
