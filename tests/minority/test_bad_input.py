"""Tables that no estimator can learn from: the error says what is wrong and what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from estimators import FAST_INSTANCES

N = 40
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 2))
Y = np.arange(N) % 4 == 0
DAYS = pd.date_range("2020-01-01", periods=N)


def array_with(value):
    X = NUMBERS.astype(object)
    X[3, 1] = value
    return X


TABLES = {
    "text": (array_with("abc"), "'abc' in column 1, which is no number: (code|name) "),
    "text in a list": ([["abc", 1.0]] * N, "'abc' in column 0, which is no number: (code|name) "),
    "date": (
        array_with(DAYS[0]),
        "Timestamp.* in column 1, which is no number: make .* days since",
    ),
    "dates": (pd.DataFrame({"seen": DAYS, "x": NUMBERS[:, 0]}), "olumn 'seen'.*days since"),
    "infinite": (array_with(np.inf), "infinity"),
    "huge": (array_with(10**400), "number too large for float64: divide"),
    "no rows": (NUMBERS[:0], "0 sample"),
}


@pytest.mark.parametrize("estimator", FAST_INSTANCES, ids=str)
@pytest.mark.parametrize("table", TABLES)
def test_the_error_says_what_to_do(estimator, table):
    X, message = TABLES[table]
    with pytest.raises((TypeError, ValueError), match=message):
        clone(estimator).fit(X, Y[: len(X)])


@pytest.mark.parametrize("estimator", FAST_INSTANCES, ids=str)
@pytest.mark.parametrize("labels", [np.zeros(N), np.arange(N) % 3, NUMBERS[:, 0]])
def test_labels_that_are_not_two_classes(estimator, labels):
    """Some learn several classes, and a constant is a model to some; all others say what to do."""
    try:
        clone(estimator).fit(NUMBERS, labels)
    except ValueError as error:
        assert any(advice in str(error) for advice in ("Make two", "Give rows", "discrete classes"))


@pytest.mark.parametrize("value", [pd.Timestamp("2020-01-01"), pd.Interval(0, 1), b"a"])
def test_categories_are_what_a_rule_can_print(value):
    X = pd.DataFrame({"kind": pd.Series([value, "a"] * (N // 2), dtype=object), "x": NUMBERS[:, 0]})
    for estimator in FAST_INSTANCES:
        if "categorical_features" in estimator.get_params(deep=False):
            with pytest.raises(ValueError, match=r"Column 'kind' has .* make text or numbers"):
                clone(estimator).fit(X, Y)
