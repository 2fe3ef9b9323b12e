"""What the result of RLSD is about: real rare events, and what its two minima trade."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.rlsd.protocol import REAL_EVENTS
from minority_reports.report import (
    Headline,
    Verdict,
    mean_effect,
    minus_others,
    outcome,
    strongest,
    with_interval,
)
from minority_reports.report.tables import facts

_TRANSFER, _MINIMA = "rlsd-33", "rlsd-12"


def _differences(real: Results, methods: list[str]) -> pd.DataFrame:
    scores = real.means("ap", methods)
    known = facts(scores.index)
    if known["positives"].notna().all():  # not of a user's own file
        scores["a random order"] = known["positives"] / known["n"]
    return minus_others(scores, "rlsd", real.labels)


def _sentences(verdicts: Mapping[str, Verdict], gaps: pd.DataFrame) -> list[str]:
    transfer, minima = verdicts[_TRANSFER], verdicts[_MINIMA]
    overfit, accurate = minima.parts
    best = strongest(gaps)
    return [
        "On public data with rare events RLSD ranks the positives significantly better than a "
        f"random order on {transfer.count} data sets (average precision, difference "
        f"{with_interval(transfer.effect)}; {outcome(transfer)}); the paper's own data is not "
        "public.",
        f"The difference from the strongest baseline, {best}, is "
        f"{with_interval(mean_effect(best, gaps[best]))}; a higher minimum recall narrows the "
        f"gap between training and test recall (rank correlation {with_interval(overfit.effect)}), "
        "a higher minimum precision raises test precision (rank correlation "
        f"{with_interval(accurate.effect)}; {outcome(minima)}).",
    ]


HEADLINE = Headline(
    method="RLSD",
    difference="difference in average precision",
    experiment="real",
    methods=tuple(REAL_EVENTS.methods),
    differences=_differences,
    sentences=_sentences,
    claims=(_TRANSFER, _MINIMA),
)
