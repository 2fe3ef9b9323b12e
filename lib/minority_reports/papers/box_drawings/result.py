"""What the result of Box Drawings is about: imbalance, the best baseline, and Exact Boxes."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.box_drawings.protocol import PAPER_METHODS
from minority_reports.papers.box_drawings.tables import mean_auh
from minority_reports.report import (
    Headline,
    Verdict,
    direction,
    minus_others,
    outcome,
    strongest,
    with_interval,
)

_TREND, _MATCH, _EXACT = "box_drawings-02", "box_drawings-43", "box_drawings-04"


def _differences(table5: Results, methods: list[str]) -> pd.DataFrame:
    return minus_others(mean_auh(table5, methods), "fast-boxes", table5.labels)


def _sentences(verdicts: Mapping[str, Verdict], gaps: pd.DataFrame) -> list[str]:
    trend, match, exact = (verdicts[claim] for claim in (_TREND, _MATCH, _EXACT))
    rank = direction(trend.effect, "improves", "worsens", "does not change significantly")
    level = direction(match.effect, "above", "below", "not significantly different from")
    return [
        f"As imbalance grows, the rank of Fast Boxes among ten methods {rank} (Spearman's "
        f"correlation {with_interval(trend.effect)}; {outcome(trend)}); its mean AUH over "
        f"{len(gaps)} data sets is {level} that of the best baseline, {strongest(gaps)} "
        f"(difference {with_interval(match.effect)}; {outcome(match)}).",
        "Exact Boxes, which maximises the training objective itself, is significantly above Fast "
        f"Boxes in test AUH on {exact.count} data sets (mean difference "
        f"{with_interval(exact.effect)}; {outcome(exact)}).",
    ]


HEADLINE = Headline(
    method="Fast Boxes",
    difference="difference in AUH",
    experiment="table5",
    methods=PAPER_METHODS,
    differences=_differences,
    sentences=_sentences,
    claims=(_TREND, _MATCH, _EXACT),
)
