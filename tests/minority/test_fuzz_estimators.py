"""Whatever is thrown at an estimator: a model that works, or an error that says what is wrong.

MINORITY_FUZZ_EXAMPLES sets the number of examples.
"""

import os
import signal
import warnings
from contextlib import contextmanager
from numbers import Integral

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import clone

from estimators import FAST_INSTANCES
from minority._sklearn import Interval, StrOptions
from minority.boxes import BoxSet, fast_boxes_path, select_fast_boxes
from minority.metrics import area_under_hull, roc_convex_hull

EXAMPLES = int(os.environ.get("MINORITY_FUZZ_EXAMPLES", 200))
SECONDS = 300  # for one example: only a hang takes as long, however busy the machine is
MOST_WARNINGS = 3  # of a fit, of a prediction
LONGEST_TEXT = 50_000

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,  # `guarded` ends what hangs, and a busy machine is no failure
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
light = settings(fuzz, max_examples=max(1, EXAMPLES // 4))


@contextmanager
def guarded():
    """Fail on a hang and on a flood of warnings."""

    def give_up(*_):
        raise TimeoutError(f"not finished after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert len(caught) <= MOST_WARNINGS, [str(w.message) for w in caught]


def attempt(action, *args, **kwargs):
    """The result, or None after an error that is of the right kind and says something."""
    with guarded():
        try:
            return action(*args, **kwargs)
        except (ValueError, TypeError) as error:
            assert str(error).strip()
            event(f"{type(error).__name__}: {str(error)[:45]}")
    return None


# Numbers. Each table is filled from one palette, so that plain ones occur often enough.

mostly = st.sampled_from([True] * 5 + [False])  # sound more often than not: models are wanted too
EXTREMES = [0.0, -0.0, 1.0, -1.0, 1 + 2**-52, 0.1, 5e-324, -5e-324, 2.3e-308, 1e-300, 1e16]
EXTREMES += [sign * value for sign in (1, -1) for value in (1e300, 1e308, np.finfo(float).max)]
repeated = st.integers(-2, 2).map(float)
finite = st.one_of(
    repeated,
    st.sampled_from(EXTREMES),
    st.floats(allow_nan=False, allow_infinity=False),
)
anything = finite | st.sampled_from([np.nan, np.inf, -np.inf])
palettes = st.sampled_from(
    [repeated, st.floats(-1, 1), st.sampled_from(EXTREMES), finite, st.just(7.0)]
)
names = st.text(max_size=5) | st.sampled_from(["a", "b", "class", "`x`", "a\nb", "{0}", "%s"])
DTYPES = ["f2", "f4", ">f8", "i1", "i8", "u8", "b", "c16", "O", "U3", "S3", "M8[D]", "m8[s]"]
cells = st.sampled_from([None, "a", "1.5", 2, [1], True, 1j, np.nan, pd.NA, 10**300, 10**400])


@st.composite
def tables(draw):
    """A table of finite numbers in one of many forms, or something else."""
    if not draw(mostly):
        return draw(odd_tables())
    n_columns = draw(st.integers(1, 4))
    shape = (draw(st.integers(2, 12) | st.integers(1, 30)), n_columns)
    array = draw(hnp.arrays("f8", shape, elements=draw(palettes), fill=st.nothing()))
    if draw(st.booleans()):  # whole rows repeated
        array = array[draw(st.lists(st.integers(0, len(array) - 1), min_size=1, max_size=30))]
    form = draw(st.sampled_from(["array"] * 4 + ["float32", "int64", "frame", "frame", "list"]))
    if form == "frame":
        columns = st.lists(names, min_size=n_columns, max_size=n_columns, unique=True)
        return pd.DataFrame(array, columns=draw(columns))
    if form == "list":
        return array.tolist()
    if form != "array":
        array = np.clip(array, -(2.0**62), 2.0**62).astype(form)
    array.flags.writeable = draw(st.booleans())
    return np.asfortranarray(array) if draw(st.booleans()) else array


@st.composite
def odd_tables(draw):
    """Not finite, not numbers, not two-dimensional, without rows or columns, with odd names."""
    shape = (draw(st.integers(0, 6)), draw(st.integers(0, 3)))
    form = draw(st.sampled_from(["holes", "dtype", "shape", "frame", "sparse"]))
    if form == "dtype":
        dtype = draw(st.sampled_from(DTYPES))
        return draw(hnp.arrays(dtype, shape, elements=cells if dtype == "O" else None))
    if form == "shape":
        shape = draw(st.sampled_from([(), shape[:1], (*shape, 2), (0, 0, 0)]))
    array = draw(hnp.arrays("f8", shape, elements=anything))
    if form == "frame":
        columns = st.lists(names | st.integers(0, 3), min_size=shape[1], max_size=shape[1])
        frame = pd.DataFrame(array, columns=draw(columns))
        kinds = [True, "text", None, pd.Timestamp(0), pd.NA, 1.5]
        frame.insert(0, "extra", draw(st.sampled_from(kinds)), allow_duplicates=True)
        return frame
    return sp.csr_array(array) if form == "sparse" else array


LABELS = [(0, 1), (-1, 1), ("a", "b"), (False, True), (0.0, 1.0), (2**62, -(2**62)), ("", " ")]
ODD_LABELS = [(0,), (0, 1, 2), (0.5, 1.5), (np.nan, 1.0), (None, "a"), (1, "a"), (None,)]
ODD_LABELS += [(b"a", b"b"), (np.inf, 0.0), (1j, 2j), ([1], [2]), ((1,), (2,)), (pd.NaT, 1)]
ODD_LABELS += [(pd.NA, 1), (10**400, 1), (pd.Timestamp(0), pd.Timestamp(1)), (object(), object())]
CONTAINERS = {
    "array": np.array,
    "series": pd.Series,
    "category": lambda labels: pd.Series(labels).astype("category"),
    "object": lambda labels: pd.Series(labels, dtype=object).to_numpy(),
    "list": list,
    "column": lambda labels: np.array(labels)[:, None],
    "nullable": lambda labels: pd.Series(labels).convert_dtypes(),
}


@st.composite
def targets(draw, n):
    """Labels of two classes, or something else."""
    sound = draw(mostly)
    pool = draw(st.sampled_from(LABELS if sound else ODD_LABELS))
    n += 0 if sound else draw(st.sampled_from([0, 0, 0, 1, -1]))
    labels = draw(st.lists(st.sampled_from(pool), min_size=max(n, 0), max_size=max(n, 0)))
    if sound and n > 1:
        labels[:2] = pool
    make = CONTAINERS[draw(st.sampled_from(["array"] * 4 + list(CONTAINERS)))]
    try:
        return make(labels)
    except (ValueError, TypeError, OverflowError):  # not everything fits into every container
        return labels


def row_count(X):
    return np.shape(X)[0] if np.ndim(X) else 0


# Parameters, from what each estimator says about its own.


def values_of(constraint):
    """Legal values at the edges."""
    if isinstance(constraint, Interval):
        low = -1000 if constraint.left is None else constraint.left
        if constraint.type is Integral:
            return st.sampled_from([low, low, low + 1, low + 2, low + 30])
        high = [1e300, 10**400] if constraint.right is None else [constraint.right]
        edges = [low, low + 5e-324, low + 1e-300, low + 0.5, low + 1, low + 30.0, *high]
        return st.sampled_from([v for v in edges if v in constraint])
    if isinstance(constraint, StrOptions):
        return st.sampled_from(sorted(constraint.options))
    if constraint == "boolean":
        return st.booleans()
    if constraint == "random_state":
        return st.integers(0, 2)
    return st.just(constraint)  # such as None


WRONG = [None, -1, 0, np.nan, np.inf, -np.inf, "", "minmax", [], 1j, np.array([0, 1])]


ANY_LABEL = st.sampled_from([None, None, 0, 1, "a", True])


@st.composite
def estimators(draw):
    """An instance with some of its parameters at their edges, now and then an illegal one."""
    estimator = clone(draw(st.sampled_from(FAST_INSTANCES)))
    constraints = type(estimator)._parameter_constraints
    for name in draw(st.lists(st.sampled_from(sorted(constraints)), unique=True)):
        legal = constraints[name]
        values = ANY_LABEL if legal == "no_validation" else st.one_of(*map(values_of, legal))
        estimator.set_params(**{name: draw(values)})
    if not draw(mostly):
        name = draw(st.sampled_from(sorted(constraints)))
        estimator.set_params(**{name: draw(st.sampled_from(WRONG))})
    return estimator


def check_model(model, X):
    """Predictions on known and on unknown rows, and the model as text."""
    names = getattr(model, "feature_names_in_", None)
    largest = np.finfo(float).max
    far = np.outer([0, 1e-300, 1, -1, largest, -largest], np.ones(model.n_features_in_))
    for rows in (X, far if names is None else pd.DataFrame(far, columns=names)):
        with guarded():
            predicted = model.predict(rows)
        assert predicted.shape == (len(rows),)
        assert np.isin(predicted, model.classes_).all()
        for name in ("decision_function", "predict_proba"):
            if hasattr(model, name):
                with guarded():
                    scores = getattr(model, name)(rows)
                assert np.isfinite(scores).all() and len(scores) == len(rows)
    if hasattr(model, "to_text"):
        with guarded():
            text = model.to_text()
        assert isinstance(text, str) and 0 < len(text) < LONGEST_TEXT


@fuzz
@given(st.data(), estimators(), tables())
def test_estimators(data, estimator, X):
    y = data.draw(targets(row_count(X)), label="y")
    model = attempt(estimator.fit, X, y)
    if model is not None:
        event("fitted")
        check_model(model, X)


@light
@given(estimators(), tables(), tables())
def test_other_rows_than_those_fitted(estimator, X, other):
    n = row_count(X)
    model = attempt(estimator.fit, X, np.arange(n) % 3 == 0)
    if model is not None:
        predicted = attempt(model.predict, other)
        assert predicted is None or np.isin(predicted, model.classes_).all()


weights = st.one_of(st.floats(1e-3, 10), anything, st.sampled_from([0, None, "a"]))


@light
@given(tables(), st.lists(weights, max_size=3), weights, st.integers(-1, 4), st.booleans())
def test_path_and_selection(X, majority_weights, expansion, n_clusters, expand):
    y_positive = np.arange(row_count(X)) % 3 == 0
    options = {"majority_weights": majority_weights, "expand": expand, "n_init": 1}
    path = attempt(
        fast_boxes_path, X, y_positive, n_clusters=n_clusters, expansion=expansion, **options
    )
    assert path is None or [type(boxes) for boxes in path] == [BoxSet] * len(majority_weights)
    chosen = attempt(
        select_fast_boxes,
        X,
        y_positive,
        n_clusters=[n_clusters, 2],
        expansions=[expansion, 1],
        random_state=0,
        **options,
    )
    assert chosen is None or (chosen[0] >= 1 and chosen[1] >= 0)


@light
@given(st.data(), st.integers(0, 4), st.integers(0, 3), tables())
def test_boxes(data, n_boxes, n_features, X):
    shape = (n_boxes, n_features)
    lower, upper = (data.draw(hnp.arrays("f8", shape, elements=anything)) for _ in "lu")
    feature_names = data.draw(st.none() | st.lists(names, max_size=4))
    boxes = attempt(BoxSet, lower, upper, feature_names)
    if boxes is None:
        return
    with guarded():
        assert 0 < len(boxes.to_text(digits=data.draw(st.integers(1, 17)))) < LONGEST_TEXT
        assert len(boxes.frame()) == n_boxes
    attempt(boxes.to_query)
    covered = attempt(boxes.covers, X)
    if covered is not None:
        margin = attempt(boxes.margin, X)
        frame = attempt(boxes.frame, X, np.arange(len(covered)) % 2 == 0)
        assert np.isfinite(margin).all()
        np.testing.assert_array_equal(margin > 0, covered)
        assert (frame["support"] <= len(covered)).all()


rates = st.lists(st.sampled_from([0.0, 0.5, 1.0, 5e-324]) | st.floats(0, 1), max_size=4)


@light
@given(rates | odd_tables(), rates | odd_tables())
def test_area_under_hull(fpr, tpr):
    area = attempt(area_under_hull, fpr, tpr)
    assert area is None or 0.5 <= area <= 1
    hull = attempt(roc_convex_hull, fpr, tpr)
    assert (area is None) == (hull is None)
