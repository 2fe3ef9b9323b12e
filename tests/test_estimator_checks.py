"""scikit-learn's contract for every public estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from minority.boxes import FastBoxesClassifier

# One quick instance of each estimator, and one per option that takes another way through the code.
FAST_INSTANCES = [
    FastBoxesClassifier(),
    FastBoxesClassifier(n_clusters=2, n_init=2, scaling="maxabs", expand=False, expansion=10),
]

# Class name -> {check name: reason}. Every exception needs a reason.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {}


def _expected_failures(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


@parametrize_with_checks(
    FAST_INSTANCES, expected_failed_checks=_expected_failures, xfail_strict=True
)
def test_sklearn_contract(estimator, check):
    check(estimator)
