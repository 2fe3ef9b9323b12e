"""scikit-learn's contract for every public estimator."""

from estimators import FAST_INSTANCES
from sklearn.utils.estimator_checks import parametrize_with_checks

# Class name -> {check name: reason}. Every exception needs a reason.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {}


def _expected_failures(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


@parametrize_with_checks(
    FAST_INSTANCES, expected_failed_checks=_expected_failures, xfail_strict=True
)
def test_sklearn_contract(estimator, check):
    check(estimator)
