"""Why a claim was not reproduced: what was looked into, and what it showed."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.report.claims import MOSTLY_NOT, NOT_REPRODUCED, PART, is_whole
from minority_reports.report.tables import Table, show

#: What can keep a claim from being reproduced. The last one says that none of the others was found.
CAUSES = ("data", "unstated setting", "noise", "the paper's error", "unexplained")


@dataclass(frozen=True)
class Finding:
    """The likeliest cause, and the numbers that speak for it."""

    cause: str
    text: str

    def __post_init__(self):
        if self.cause not in CAUSES:
            raise ValueError(f"unknown cause {self.cause!r}; one of {', '.join(CAUSES)}")


def investigate(paper: Paper, claims: pd.DataFrame, results: Mapping[str, Results]) -> Table:
    """The claims that were not reproduced, each with the likeliest cause.

    Those graded "mostly not" are among them if they were looked into. Numbers are computed from
    complete cells. On a part of the protocol a claim may fail for no other reason than that, so
    nothing is looked into then.
    """
    looked_into = claims.index.isin(list(paper.investigations))
    failed = claims[
        (claims["verdict"] == NOT_REPRODUCED) | (claims["verdict"] == MOSTLY_NOT) & looked_into
    ]
    caption = f"Claims that were not reproduced, looked into: {len(failed)} of {len(claims)}"
    if not is_whole(results):
        failed, caption = failed.iloc[:0], f"Claims that were not reproduced. {PART}"
    results = {name: part.complete() for name, part in results.items()}
    findings = [
        paper.investigations[claim](results)
        if claim in paper.investigations
        else Finding("unexplained", "not looked into")
        for claim in failed.index
    ]
    frame = pd.DataFrame(
        {
            "claim": failed["claim"],
            "likeliest cause": [finding.cause for finding in findings],
            "what was found": [finding.text for finding in findings],
        }
    )
    return show(frame, caption=caption)
