"""Why a claim was not reproduced: what its readings or other analyses show."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.report.claims import MOSTLY_NOT, NOT_REPRODUCED, PART, is_whole
from minority_reports.report.specification import Contest
from minority_reports.report.tables import Table, show

#: What can keep a claim from being reproduced. The last one says that none of the others was found.
CAUSES = ("data", "unstated setting", "noise", "the paper's error", "unexplained")


@dataclass(frozen=True)
class Finding:
    """A possible cause, and the numbers that support it."""

    cause: str
    text: str

    def __post_init__(self):
        if self.cause not in CAUSES:
            raise ValueError(f"unknown cause {self.cause!r}; one of {', '.join(CAUSES)}")


def from_readings(contest: Contest) -> Finding:
    """Why a headline claim fails, as far as its readings tell.

    A reading that turns it comes first, then another seed. It is compared on the data sets that
    all readings have.
    """
    effects = contest.readings
    n, name = len(effects), contest.about["effect"]
    tried = f"no other of {n} readings turns it" if n > 1 else "no other reading has rows"
    if contest.turning:
        best = contest.turning[0]
        before, after = (_with_interval(effects.loc[label]) for label in ("", best))
        return Finding(
            "unstated setting",
            f"reproduced if {contest.said(contest.turning)}: with {contest.words(best)} {name} "
            f"goes from {before} to {after}; {int(contest.holds.sum())} of {n} readings hold.",
        )
    if seeds := contest.turning_seeds:
        numbers = " and ".join(map(str, seeds))
        return Finding("noise", f"reproduced with seed {numbers}; {tried}.")
    if n < 2:
        return Finding("unexplained", f"{tried} (1 of {contest.about['planned']}).")
    value = effects["value"]
    return Finding("unexplained", f"{tried}: {name} from {value.min():.3g} to {value.max():.3g}.")


def _with_interval(verdict: pd.Series) -> str:
    return f"{verdict['value']:.3g} [{verdict['low']:.3g}, {verdict['high']:.3g}]"


def investigate(
    paper: Paper,
    claims: pd.DataFrame,
    results: Mapping[str, Results],
    contests: Mapping[str, Contest] | None = None,
) -> Table:
    """The claims that were not reproduced, each with a possible cause.

    That of a headline claim follows from its readings, which are among `contests`. Those graded
    "mostly not" are among them if they were investigated. Numbers are computed from complete cells.
    On a part of the protocol a claim may fail for no other reason than that, so nothing is looked
    into then.
    """
    headlines = () if paper.readings is None else paper.readings.claims
    computed = {claim: one for claim, one in (contests or {}).items() if claim in headlines}
    looked_into = claims.index.isin([*paper.investigations, *computed])
    failed = claims[
        (claims["verdict"] == NOT_REPRODUCED) | (claims["verdict"] == MOSTLY_NOT) & looked_into
    ]
    caption = f"Possible causes of the {len(failed)} claims that were not reproduced"
    if not is_whole(results):
        failed, caption = failed.iloc[:0], f"Claims that were not reproduced. {PART}"
    results = {name: part.complete() for name, part in results.items()}
    findings = [
        from_readings(computed[claim])
        if claim in computed
        else paper.investigations[claim](results)
        if claim in paper.investigations
        else Finding("unexplained", "not investigated")
        for claim in failed.index
    ]
    frame = pd.DataFrame(
        {
            "claim": failed["claim"],
            "possible cause": [finding.cause for finding in findings],
            "evidence": [finding.text for finding in findings],
        }
    )
    return show(frame, caption=caption)
