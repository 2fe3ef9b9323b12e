"""What Boosting-SVM's paper leaves open, with what speaks for each way to read it."""

from minority_reports.papers.boosting_svm.protocol import LEVELS
from minority_reports.report import Choice, Level, Readings, one_at_a_time

CHOICES = (
    Choice(
        "boosted",
        "Which machine do the rivals boost?",
        (
            Level("without costs", "“the same component classifier”: the plain machine"),
            Level("with costs", "“the same component classifier” as Boosting-SVM's", seen=True),
        ),
    ),
)
_BOOSTING = {"adacost": "adacost-asymmetric", "databoost-im": "databoost-im-asymmetric"} | {
    f"smoteboost-{level}": f"smoteboost-asymmetric-{level}" for level in LEVELS
}

READINGS = Readings(
    choices=CHOICES,
    claims=(),
    sources={"main": "main"},
    combinations=one_at_a_time(CHOICES),
    renamed={"main": {there: f"{rival}:boosted=with costs" for rival, there in _BOOSTING.items()}},
)
