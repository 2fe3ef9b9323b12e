"""Settings that the paper does not exclude, for the table of how firm the verdicts are."""

from minority_reports.papers.boosting_svm.protocol import LEVELS
from minority_reports.report import instead

#: "The same component classifier" may also be read as the machine that Boosting-SVM boosts.
READINGS = {
    "rivals that boost machines with costs": instead(
        "main",
        {name: f"{name}-asymmetric" for name in ("adacost", "databoost-im")}
        | {f"smoteboost-{level}": f"smoteboost-asymmetric-{level}" for level in LEVELS},
    )
}
