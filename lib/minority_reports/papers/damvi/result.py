"""What the result of DAMVI is about: F1 beside that of nine baselines, and of equal weights."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.damvi.claims import REAL
from minority_reports.papers.damvi.protocol import TABLE23
from minority_reports.papers.damvi.tables import COMPETITORS, mean_scores
from minority_reports.report import (
    Headline,
    Verdict,
    mean_effect,
    minus_others,
    outcome,
    with_interval,
)

_BEST, _BETTER, _WEIGHTS = "damvi-12", "damvi-26", "damvi-18"
_EQUAL = "uniform"


def _differences(table23: Results, methods: list[str]) -> pd.DataFrame:
    return minus_others(mean_scores(table23, "f1", methods), "damvi", table23.labels)


def _sentences(verdicts: Mapping[str, Verdict], gaps: pd.DataFrame) -> list[str]:
    best, better, weights = (verdicts[claim] for claim in (_BEST, _BETTER, _WEIGHTS))
    f1, ap = weights.parts
    equal = TABLE23.methods[_EQUAL].label
    on_papers = mean_effect("difference", gaps.loc[gaps.index.isin(REAL), equal])
    return [
        f"DAMVI has the highest mean F1 of ten methods on {best.count} of the paper's data sets "
        f"that are available (DAMVI minus the best baseline {with_interval(best.effect)}; "
        f"{outcome(best)}); with further data sets its F1 or average precision is above that of a "
        f"baseline in {better.count} comparisons ({with_interval(better.effect)}; "
        f"{outcome(better)}).",
        "On the paper's data sets its F1 minus that of the same trees with equal weights is "
        f"{with_interval(on_papers)}; on further data sets its weights raise F1 on {f1.count} "
        f"({with_interval(f1.effect)}) and average precision on {ap.count} "
        f"({with_interval(ap.effect)}; {outcome(weights)}).",
    ]


HEADLINE = Headline(
    method="DAMVI",
    difference="difference in F1",
    experiment="table23",
    methods=(*COMPETITORS, _EQUAL),
    differences=_differences,
    sentences=_sentences,
    claims=(_BEST, _BETTER, _WEIGHTS),
)
