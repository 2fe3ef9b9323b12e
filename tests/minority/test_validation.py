"""The short way through validation ends where scikit-learn's does."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, validation
from sklearn.utils.multiclass import check_classification_targets

from minority import _sklearn
from minority._seeding import seed_from

SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1e308, 5e-324)
TYPES = ("float64", "float32", "float16", "int64", "uint8", "bool", "Int64", "Float64", "category")
NAMES = (["a", "b", "c"], ["c", "b", "a"], ["a", "a", "b"], [0, 1, 2], ["a", 1, "b"])


@st.composite
def tables(draw):
    """Arrays and frames of all kinds, three columns wide or less."""
    n_rows, n_columns = draw(st.integers(0, 5)), draw(st.integers(0, 3))
    numbers = st.one_of(st.integers(0, 3).map(float), st.sampled_from(SPECIAL))
    rows = draw(
        st.lists(
            st.lists(numbers, min_size=n_columns, max_size=n_columns),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    X = np.array(rows, dtype=float).reshape(n_rows, n_columns)
    kind = draw(st.sampled_from(("array", "fortran", "ints", "list", "cube", "frame", "frame")))
    whole = np.floor(np.nan_to_num(X, nan=0, posinf=1, neginf=2) % 4)
    if kind == "fortran":
        return np.asfortranarray(X)
    if kind == "ints":
        return whole.astype(draw(st.sampled_from(("int64", "uint8", "bool", "float32", "O"))))
    if kind == "list":
        return X.tolist()
    if kind == "cube":
        return X[None]
    if kind == "array":
        return X
    names = draw(st.sampled_from(NAMES))[:n_columns]
    columns = []
    for j in range(n_columns):
        dtype = draw(st.sampled_from(TYPES[:4])) if j else draw(st.sampled_from(TYPES))
        values = X[:, j] if dtype in ("float64", "Float64") else whole[:, j]
        columns.append(pd.Series(values).astype(dtype))
    X = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(n_rows))
    return X.set_axis(names, axis=1)


@st.composite
def labels(draw, n):
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=int)
    kind = draw(
        st.sampled_from(("int", "bool", "str", "float", "column", "series", "text", "list"))
    )
    if kind == "column":
        return y[:, None]
    if kind == "series":
        return pd.Series(y)
    if kind == "text":
        return pd.Series(y).map({0: "a", 1: "b", 2: "c"})
    return y.tolist() if kind == "list" else y.astype(kind)


def outcome(function, estimator, *args, **options):
    """The result, the warnings and what is known of the features afterwards; or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(estimator, *args, **options)
        except (TypeError, ValueError) as error:
            found = type(error), str(error)
    found = [
        (part.dtype, part.shape, part.flags.c_contiguous, part.tobytes())
        if isinstance(part, np.ndarray) and part.dtype != object
        else repr(part)
        for part in (found if isinstance(found, tuple) else (found,))
    ]
    names = getattr(estimator, "feature_names_in_", None)
    known = None if names is None else (names.dtype, names.tolist())
    messages = [(w.category, str(w.message)) for w in caught]
    return found, messages, known, getattr(estimator, "n_features_in_", None)


class Empty(BaseEstimator):
    """Has no parameters."""


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from((True, False, "allow-nan")))
def test_plain_tables_are_validated_as_by_scikit_learn(data, finite):
    first, second = data.draw(tables()), data.draw(tables())
    wrong = data.draw(st.sampled_from((0, 0, 0, 1)))
    y = data.draw(labels(len(first) + wrong))
    options = {"dtype": np.float64, "ensure_all_finite": finite}
    ours, theirs = Empty(), Empty()
    for args, reset in (((first, y), True), ((second,), False), ((second,), True)):
        both = [
            outcome(function, estimator, *args, **options, reset=reset)
            for function, estimator in (
                (_sklearn.validate_data, ours),
                (validation.validate_data, theirs),
            )
        ]
        assert both[0] == both[1]


def test_most_tables_take_the_short_way(monkeypatch):
    """Otherwise the test above would compare scikit-learn with itself."""
    monkeypatch.setattr(validation, "validate_data", None)
    X, y = np.array([[1.0, np.nan], [3.0, 4.0]]), np.array([0, 1])
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan]})
    for table in (X, frame, X.astype(np.float32), frame[["b"]].to_numpy()):
        found = _sklearn.validate_data(
            Empty(), table, y, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        np.testing.assert_array_equal(found[0], np.asarray(table, dtype=float))
        assert found[1] is y


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-3, 30), max_size=40),
    st.sampled_from(("int64", "int8", "bool", "float64", "str")),
)
def test_targets_are_checked_as_by_scikit_learn(values, kind):
    y = np.array(values).astype(kind)
    both = [
        outcome(lambda _, y, check=check: check(y), Empty(), y)
        for check in (_sklearn.check_classification_targets, check_classification_targets)
    ]
    assert both[0] == both[1]


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, np.int64(7)])
def test_a_seed_is_drawn_as_by_a_new_generator(seed):
    assert seed_from(seed) == check_random_state(seed).randint(2**31 - 1)
    assert seed_from(seed) == seed_from(np.random.RandomState(seed))
