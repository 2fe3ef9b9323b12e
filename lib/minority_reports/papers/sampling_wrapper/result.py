"""What the result of the sampling wrapper is about: costs, and AUROC beside the base learner."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.sampling_wrapper.claims import BOTH, cost_pairs
from minority_reports.papers.sampling_wrapper.protocol import COST_RATIOS, SCHEMES
from minority_reports.report import Headline, Verdict, outcome, with_interval

_COST, _AUROC, _CUT = "sampling_wrapper-01", "sampling_wrapper-15", "sampling_wrapper-47"
_OURS = "wrapper-auroc"
_OTHERS = [name for name in list(SCHEMES)[:7] if name != _OURS]  # of the paper


def _differences(main: Results, methods: list[str]) -> pd.DataFrame:
    savings = cost_pairs(main, (_OURS,), _OTHERS, COST_RATIOS)
    by_other = savings.T.groupby(level=-1, sort=False).mean().T
    return by_other.groupby(level="dataset", sort=False).mean().rename(columns=SCHEMES)


def _sentences(verdicts: Mapping[str, Verdict], gaps: pd.DataFrame) -> list[str]:
    cost, auroc, cut = (verdicts[claim] for claim in (_COST, _AUROC, _CUT))
    saved = cut.parts[0]
    low, high = COST_RATIOS[0], COST_RATIOS[-1]
    return [
        "The recommended wrapper, which searches by AUROC, costs less than MetaCost or CSC in "
        f"{cost.count} comparisons at cost ratios from {low}:1 to {high}:1 (relative saving "
        f"{with_interval(cost.effect)}; {outcome(cost)}).",
        f"The searches raise AUROC above that of the base learner in {auroc.count} cases "
        f"({with_interval(auroc.effect)}; {outcome(auroc)}), and a decision threshold set by the "
        f"costs lowers the cost in {saved.count} (relative saving {with_interval(saved.effect)}; "
        f"{outcome(cut)}).",
    ]


HEADLINE = Headline(
    method="Wrapper-AUROC",
    difference="relative saving in cost",
    experiment="main",
    methods=BOTH,
    differences=_differences,
    sentences=_sentences,
    claims=(_COST, _AUROC, _CUT),
)
