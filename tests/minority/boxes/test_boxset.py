"""Unions of boxes: membership, margins, text, queries, tables."""

import pickle
import sqlite3

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.boxes import BoxSet, _boxset, plot_boxes

NAMES = ("petal length (cm)", "weight", "class")
values = st.integers(-3, 3).map(lambda v: v * 0.1)  # a coarse grid: many rows on a face
lowers = st.one_of(values, st.just(-np.inf))
uppers = st.one_of(values, st.just(np.inf))


def matrix(elements, n_columns, max_rows):
    row = st.lists(elements, min_size=n_columns, max_size=n_columns)
    return st.lists(row, max_size=max_rows).map(lambda m: np.reshape(m, (-1, n_columns)))


@st.composite
def boxes_and_rows(draw):
    n_boxes = draw(st.integers(0, 4))
    lower, upper = (
        np.array(draw(st.lists(bound, min_size=3 * n_boxes, max_size=3 * n_boxes))).reshape(-1, 3)
        for bound in (lowers, uppers)
    )
    return BoxSet(lower, upper, NAMES), draw(matrix(values, 3, 20)).astype(float)


def inside(box_lower, box_upper, row):
    return all(a <= x <= b for a, x, b in zip(box_lower, row, box_upper, strict=True))


@settings(deadline=None, max_examples=150)
@given(boxes_and_rows(), st.integers(1, 5))
def test_membership_by_brute_force(case, block):
    boxes, X = case
    each = [
        [inside(low, high, row) for row in X]
        for low, high in zip(boxes.lower, boxes.upper, strict=True)
    ]
    each = np.array(each, dtype=bool).reshape(len(boxes), len(X))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_boxset, "_BLOCK_ROWS", block)  # several blocks, a partial one too
        np.testing.assert_array_equal(boxes.covers_each(X), each)
        np.testing.assert_array_equal(boxes.covers(X), each.any(axis=0))
        margin = boxes.margin(X, scale=[0.5, 2.0, 1.0])
    np.testing.assert_array_equal(margin > 0, each.any(axis=0))
    assert np.isfinite(margin).all()
    assert (margin != 0).all()


@settings(deadline=None, max_examples=100)
@given(boxes_and_rows())
def test_query_selects_the_covered_rows(case):
    boxes, X = case
    frame = pd.DataFrame(X, columns=list(NAMES))
    selected = frame.query(boxes.to_query()).index
    np.testing.assert_array_equal(selected, np.flatnonzero(boxes.covers(X)))


def test_query_keeps_every_digit():
    low = 0.1 + 0.2  # 0.30000000000000004
    boxes = BoxSet([[low]], [[np.inf]], ["a"])
    frame = pd.DataFrame({"a": [0.3, low, np.nextafter(low, 1)]})
    assert frame.query(boxes.to_query()).index.tolist() == [1, 2]


@settings(deadline=None, max_examples=60)
@given(boxes_and_rows(), st.randoms(use_true_random=False))
def test_frame_counts_by_brute_force(case, random):
    boxes, X = case
    y = np.array([random.random() < 0.4 for _ in X], dtype=bool)
    if not y.any():
        return
    frame = boxes.frame(X, y)
    assert len(frame) == len(boxes)
    for k, row in enumerate(frame.itertuples()):
        covered = [bool(inside(boxes.lower[k], boxes.upper[k], x)) for x in X]
        hits = sum(c and p for c, p in zip(covered, y, strict=True))
        assert row.support == sum(covered)
        assert row.recall == pytest.approx(hits / sum(y))
        if sum(covered):
            assert row.precision == pytest.approx(hits / sum(covered))
            assert row.lift == pytest.approx(hits / sum(covered) / (sum(y) / len(y)))
        else:
            assert np.isnan(row.precision)


def test_frame_needs_what_it_counts():
    boxes = BoxSet([[0.0]], [[1.0]], ["a"])
    assert boxes.frame().columns.tolist() == ["conditions"]
    assert boxes.frame([[0.5], [2.0]])["support"].tolist() == [1]
    with pytest.raises(ValueError, match="without the rows"):
        boxes.frame(y_positive=[True])
    with pytest.raises(ValueError, match="boolean array of length 2"):
        boxes.frame([[0.5], [2.0]], [1, 0])


def test_text():
    inf = np.inf
    lower = [[-inf, 12345.678, -inf], [1.5, 2, -inf], [-inf] * 3, [5, -inf, -inf]]
    upper = [[0.123456, inf, inf], [2.5, 2, inf], [inf] * 3, [4, inf, inf]]
    boxes = BoxSet(lower, upper, "abc")
    assert boxes.to_text(digits=4, positive="fraud").splitlines() == [
        "fraud if at least one of these holds:",
        "  1. a <= 0.1235 and b >= 12346",
        "  2. 1.5 <= a <= 2.5 and b = 2",
        "  3. every row",
        "  4. no row (5 <= a <= 4 is empty)",
        "Not used: c",
    ]
    assert "  1. a <= 0.123456 and b >= 12345.678\n" in boxes.to_text()
    rows = np.array([[0.1, 12000.0, 0], [0.2, 13000, 0], [2, 2, 0]])
    assert "  1. a <= 0.1 and b >= 13000\n" in boxes.shorten(rows).to_text()
    assert boxes.shorten(rows).frame()["conditions"].tolist() == [
        line[5:] for line in boxes.shorten(rows).to_text().splitlines()[1:-1]
    ]


def test_text_of_models_without_conditions():
    never = BoxSet(np.empty((0, 2)), np.empty((0, 2)))
    assert len(never) == 0
    assert str(never) == "positive: never\nNot used: x0, x1"
    always = BoxSet([[-np.inf]], [[np.inf]])
    assert str(always) == "positive: every row\nNot used: x0"
    many = BoxSet([[-np.inf] * 60], [[1.0] + [np.inf] * 59])
    assert str(many) == "positive if x0 <= 1\nNot used: 59 of 60 features"
    with pytest.raises(ValueError, match="pass feature_names"):
        BoxSet.parse(str(never))
    with pytest.raises(ValueError, match="Not a union of boxes"):
        BoxSet.parse("nonsense")


def test_names_are_quoted_as_in_rules():
    boxes = BoxSet([[0, 1]], [[1, 2]], ["a and b", "c"])
    assert boxes.to_text(positive="no if") == '"no if" if 0 <= "a and b" <= 1 and 1 <= c <= 2'
    assert BoxSet.parse(str(boxes)) == boxes
    boxes = BoxSet([[-np.inf]], [[1]], ["no row (a"])
    assert BoxSet.parse(str(boxes)) == boxes, "only a whole sentence says that a box is empty"


@settings(deadline=None, max_examples=150)
@given(boxes_and_rows(), st.integers(1, 1000), st.sampled_from(["positive", 1, "a: never", "or"]))
def test_text_is_read_back(case, factor, positive):
    boxes, X = case
    boxes, X = BoxSet(boxes.lower / factor, boxes.upper / factor, NAMES), X / factor
    parsed = BoxSet.parse(boxes.to_text(positive=positive), NAMES)
    np.testing.assert_array_equal(parsed.lower, boxes.lower)
    np.testing.assert_array_equal(parsed.upper, boxes.upper)
    shorter = boxes.shorten(X)
    assert shorter == boxes and len(shorter.to_text()) <= len(boxes.to_text())
    parsed = BoxSet.parse(shorter.to_text(positive=positive), NAMES)
    np.testing.assert_array_equal(parsed.covers_each(X), boxes.covers_each(X))


@settings(deadline=None, max_examples=40)
@given(boxes_and_rows(), st.sampled_from(["float64", "float32"]))
def test_query_and_sql_select_the_covered_rows_of_any_format(case, dtype):
    boxes, X = case
    frame = pd.DataFrame(X, columns=list(NAMES)).astype(dtype)
    covered = np.flatnonzero(boxes.covers(frame)).tolist()
    assert frame.query(boxes.to_query()).index.tolist() == covered
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("t", connection, index_label="row")
        found = connection.execute(f"SELECT row FROM t WHERE {boxes.to_sql()}").fetchall()
    connection.close()
    assert sorted(row for (row,) in found) == covered


def test_different_bounds_look_different():
    text = BoxSet([[1.00001]], [[1.00002]], ["a"]).to_text(digits=3)
    assert text == "positive if 1.00001 <= a <= 1.00002"
    low = 1 / 3
    for digits in (None, 4):
        text = BoxSet([[low]], [[np.nextafter(low, 1)]], ["a"]).to_text(digits)
        first, last = text.removeprefix("positive if ").split(" <= a <= ")
        assert first != last


def test_margin_is_the_scaled_distance_from_the_nearest_face():
    boxes = BoxSet([[0, 0], [10, -np.inf]], [[4, 8], [np.inf, np.inf]])
    X = [[1, 4], [2, 7], [-3, 4], [9, 4], [50, 0]]
    np.testing.assert_allclose(boxes.margin(X, scale=[2, 4]), [0.5, 0.25, -1.5, -0.5, 2.0])
    assert boxes.margin([[0, 0]])[0] > 0  # a corner belongs to the box


def test_margin_sign_survives_underflow():
    boxes = BoxSet([[1e-320]], [[1.0]])
    assert boxes.margin([[0.0]], scale=1e300)[0] < 0 < boxes.margin([[1e-320]], scale=1e300)[0]


@pytest.mark.filterwarnings("error")
def test_margin_of_rows_at_the_end_of_the_floats():
    largest = np.finfo(float).max
    boxes = BoxSet([[0.0, -largest], [-np.inf, 0]], [[np.inf, largest], [0.0, np.inf]])
    X = np.array([[np.inf, 0], [largest, largest], [-largest, -largest], [-np.inf, np.inf]])
    margin = boxes.margin(X, scale=[1e-300, 1.0])
    assert np.isfinite(margin).all()
    np.testing.assert_array_equal(margin > 0, boxes.covers(X))
    assert margin[0] == margin[3] == 2  # a boundary that does not exist is not near


def test_columns_of_a_frame_are_found_by_name():
    boxes = BoxSet([[0, -np.inf]], [[1, np.inf]], ["a", "b"])
    frame = pd.DataFrame({"b": [5.0, 0.5], "a": [0.5, 5.0]})
    assert boxes.covers(frame).tolist() == [True, False]


def test_value_semantics():
    boxes = BoxSet([[0.0]], [[1.0]], ["a"])
    assert boxes == BoxSet([[0]], [[1]], ("a",))
    assert boxes != BoxSet([[0]], [[1]], ("b",))
    assert boxes != BoxSet([[0]], [[2]], ("a",))
    assert pickle.loads(pickle.dumps(boxes)) == boxes
    with pytest.raises(ValueError, match="read-only"):
        boxes.lower[0] = 3
    with pytest.raises(AttributeError):
        boxes.lower = np.zeros((1, 1))


@pytest.mark.parametrize(
    ("lower", "upper", "names", "message"),
    [
        ([0.0], [1.0], None, "same shape"),
        ([[0.0, 1.0]], [[1.0]], None, "same shape"),
        ([[np.nan]], [[1.0]], None, "NaN"),
        ([[0.0]], [[1.0]], ["a", "b"], "2 feature names for 1 features"),
    ],
)
def test_bad_boxes(lower, upper, names, message):
    with pytest.raises(ValueError, match=message):
        BoxSet(lower, upper, names)


def test_bad_rows_and_names():
    with pytest.raises(ValueError, match="rows of 1 features"):
        BoxSet([[0.0]], [[1.0]]).covers([[1.0, 2.0]])
    with pytest.raises(ValueError, match="backtick"):
        BoxSet([[0.0]], [[1.0]], ["a`b"]).to_query()


def test_plot_projects_and_clips():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    inf = np.inf
    boxes = BoxSet([[0, 2, -inf], [5, 0, 0]], [[1, 3, 4], [4, 1, 1]], ["a", "b", "c"])
    X = np.array([[0, 0, 0], [1, 5, 10], [0.5, 2.5, 3]])
    ax = plot_boxes(boxes, X, np.array([False, False, True]), features=("a", 2))
    (rectangle,) = ax.patches  # the second box is empty
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "c")
    (x0, y0), (x1, y1) = rectangle.get_bbox().get_points()
    assert (x0, x1, y1) == pytest.approx((0, 1, 4))
    assert y0 == pytest.approx(ax.get_ylim()[0])  # no lower boundary: the edge of the axes
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["negative", "positive", "box"]
    plt.close(ax.figure)
