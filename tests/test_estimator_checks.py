"""scikit-learn's contract for every public estimator."""

from estimators import EXPECTED_FAILURES, FAST_INSTANCES
from sklearn.utils.estimator_checks import parametrize_with_checks


def _expected_failures(estimator):
    of_class = EXPECTED_FAILURES.get(type(estimator).__name__, {})
    return of_class | EXPECTED_FAILURES.get(str(estimator), {})


@parametrize_with_checks(
    FAST_INSTANCES, expected_failed_checks=_expected_failures, xfail_strict=True
)
def test_sklearn_contract(estimator, check):
    check(estimator)
