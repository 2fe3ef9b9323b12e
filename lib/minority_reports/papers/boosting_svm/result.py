"""What the result of Boosting-SVM is about: the eight others, and the machine that it boosts."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.boosting_svm.tables import COLUMNS, LABELS, number, scores
from minority_reports.report import Headline, Verdict, minus_others, outcome, with_interval

_BEST, _GAIN, _BALANCE = "boosting_svm-22", "boosting_svm-28", "boosting_svm-26"


def _differences(main: Results, methods: list[str]) -> pd.DataFrame:
    columns = {name: of for name, of in COLUMNS.items() if set(of) <= set(methods)}
    return minus_others(scores(main, columns=columns), "B-SVM", LABELS)


def _sentences(verdicts: Mapping[str, Verdict], gaps: pd.DataFrame) -> list[str]:
    best, gain, balance = (verdicts[claim] for claim in (_BEST, _GAIN, _BALANCE))
    most, of_vii = best.parts[0], balance.parts[1]
    return [
        f"Boosting-SVM has the highest G-mean of nine methods on {most.count} public data sets "
        f"(published: {number('domains where B-SVM is best')}); the difference from the best of "
        f"the others is {with_interval(most.effect)} points ({outcome(best)}).",
        "Beside the asymmetric-cost SVM that it boosts, its G-mean is higher on "
        f"{gain.count} data sets ({with_interval(gain.effect)} points; {outcome(gain)}), and the "
        f"gap between sensitivity and specificity is smaller on {of_vii.count} (by "
        f"{with_interval(of_vii.effect)} points; {outcome(balance)}).",
    ]


HEADLINE = Headline(
    method="B-SVM",
    difference="difference in G-mean, in points",
    experiment="main",
    methods=tuple(name for of in COLUMNS.values() for name in of),
    differences=_differences,
    sentences=_sentences,
    claims=(_BEST, _GAIN, _BALANCE),
    digits=2,
)
