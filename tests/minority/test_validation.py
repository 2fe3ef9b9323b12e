"""The short way through validation ends where scikit-learn's does."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
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
        (part.dtype, part.shape, part.flags.c_contiguous, part.flags.writeable, part.tobytes())
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


class Array(np.ndarray):
    """As a library may hand it on."""


def unusual_tables():
    """Tables that are not plain, most of which are refused; each may be X."""
    X = np.arange(8.0).reshape(4, 2)
    stamps = pd.to_datetime(["2026-01-01"] * 4)
    unusual = {
        "nullable floats": pd.DataFrame({"a": pd.array([0.0, 1.0, 2.0, 3.0], dtype="Float64")}),
        "csr": sparse.csr_matrix(X),
        "csc array": sparse.csc_array(X),
        "frame of sparse columns": pd.DataFrame(X).astype(pd.SparseDtype("float64")),
        "row": X[0],
        "scalar": X[0, 0],
        "cube": X[None],
        "series": pd.Series(X[0], name="a"),
        "no rows": X[:0],
        "no columns": X[:, :0],
        "frame without rows": pd.DataFrame(X[:0], columns=["a", "b"]),
        "complex": X + 1j,
        "numbers as objects": X.astype(object),
        "texts of numbers": X.astype(str),
        "texts": np.full((4, 2), "a"),
        "objects": np.array([[1, "a"]] * 4, dtype=object),
        "dates": pd.DataFrame({"a": stamps, "b": 1.0}),
        "durations": np.zeros((4, 2), "timedelta64[s]"),
        "masked": np.ma.masked_array(X, X > 6),
        "subclass": X.view(Array),
        "long doubles": X.astype(np.longdouble),
        "large long doubles": np.full((4, 2), np.finfo(np.longdouble).max),
        "large integers": np.full((4, 2), 2**63 + 1, np.uint64),
        "records": np.zeros(4, [("a", float), ("b", float)]),
        "missing as None": pd.DataFrame({"a": [1.0, None] * 2, "b": 1}, dtype=object),
        "missing as NA": pd.DataFrame({"a": pd.array([1, None] * 2, "Int64"), "b": 1}),
        "names in two levels": pd.DataFrame(
            X, columns=pd.MultiIndex.from_tuples([("a", "x"), ("b", "x")])
        ),
        "names of NumPy": pd.DataFrame(X, columns=np.array(["a", "b"])),
        "nested list": [[1.0, 2.0], [3.0]] * 2,
        "None": None,
    }
    for name, number in {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}.items():
        wrong = X.copy()
        wrong[2, 1] = number
        unusual |= {name: wrong, f"{name} in a frame": pd.DataFrame(wrong, columns=["a", "b"])}
        unusual[f"{name} as float32"] = wrong.astype(np.float32)
    both = X.copy()
    both[0], both[3] = np.inf, -np.inf  # whose sum is no infinity
    return unusual | {"both infinities": both, "sum beyond floats": np.full((4, 2), 1e308)}


@pytest.mark.parametrize("finite", [True, "allow-nan", False])
@pytest.mark.parametrize("name", unusual_tables())
def test_what_is_not_plain_ends_as_with_scikit_learn(name, finite):
    X, y = unusual_tables()[name], np.array([0, 1, 0, 1])
    options = {"dtype": np.float64, "ensure_all_finite": finite}
    found = []
    for function in (_sklearn.validate_data, validation.validate_data):
        fitted = Empty()
        function(fitted, pd.DataFrame({"a": [1.0], "b": [2.0]}), [0], dtype=np.float64)
        found.append(
            [
                outcome(function, Empty(), X, y, **options),
                outcome(function, Empty(), X, **options),
                outcome(function, fitted, X, reset=False, **options),
            ]
        )
    for ours, theirs in zip(*found, strict=True):
        if ours != theirs:  # the same kind of refusal, in words of our own
            assert ours[0][0] == repr(ValueError) and ours[1:] == theirs[1:]
            assert theirs[0][0] in map(
                repr, (ValueError, TypeError, np.exceptions.DTypePromotionError)
            )


@pytest.mark.parametrize(
    "y",
    [
        np.array([0, 1, 0]),
        np.array([[0], [1], [0], [1]]),
        np.array([[0, 1]] * 4),
        np.array([0, 1, 0, np.nan]),
        np.array([0, 1, 0, np.inf]),
        np.array(["a", None, "b", "a"], dtype=object),
        np.array([0, 1, 0, 1j]),
        np.ma.masked_array([0, 1, 0, 1], [0, 0, 0, 1]),
        pd.Series([0, 1, None, 1], dtype="Int64"),
        pd.Series([0, 1, 0, 1], dtype="category"),
        sparse.csr_matrix([[0, 1, 0, 1]]),
        1,
        None,
    ],
    ids=repr,
)
def test_labels_that_are_not_plain_end_as_with_scikit_learn(y):
    both = [
        outcome(function, Empty(), np.arange(8.0).reshape(4, 2), y, dtype=np.float64)
        for function in (_sklearn.validate_data, validation.validate_data)
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
