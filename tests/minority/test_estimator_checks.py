"""scikit-learn's contract for every public estimator."""

import inspect

from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators import EXPECTED_FAILURES, FAST_INSTANCES

# Since scikit-learn 1.8 an exception that is no longer needed can be made an error.
_STRICT = {"xfail_strict"} & set(inspect.signature(parametrize_with_checks).parameters)


def _expected_failures(estimator):
    of_class = EXPECTED_FAILURES.get(type(estimator).__name__, {})
    return of_class | EXPECTED_FAILURES.get(str(estimator), {})


@parametrize_with_checks(
    FAST_INSTANCES,
    expected_failed_checks=_expected_failures,
    **dict.fromkeys(_STRICT, True),
)
def test_sklearn_contract(estimator, check):
    check(estimator)
