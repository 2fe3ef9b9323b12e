"""Boxes made larger, against the same written out plainly."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from largest import largest_faces

from minority.boxes._boxset import covers_union
from minority.boxes._faces import grow_faces

INF = np.inf


@st.composite
def boxed_tables(draw):
    """Rows on a grid, boxes around some of them, of which a few have lost faces."""
    d, n = draw(st.integers(1, 3)), draw(st.integers(1, 14))
    cells = draw(st.lists(st.integers(0, 8), min_size=n * d, max_size=n * d))
    X = np.array(cells, float).reshape(n, d)
    negative = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    boxes = []
    for _ in range(draw(st.integers(1, 3))):
        members = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3))
        boxes.append((X[members].min(axis=0), X[members].max(axis=0)))
    lower, upper = np.swapaxes(boxes, 0, 1)
    lost = draw(st.lists(st.integers(0, 5), min_size=lower.size, max_size=lower.size))
    lost = np.reshape(lost, lower.shape)
    unit = draw(st.lists(st.sampled_from([0.5, 1.0, 4.0]), min_size=d, max_size=d))
    return (
        X,
        negative,
        np.where(lost == 1, -INF, lower),
        np.where(lost == 2, INF, upper),
        np.array(unit),
    )


def in_the_way(X, rows, box, face):
    """Values, mirrored for upper faces, of the rows beyond a face and inside of all others."""
    d = X.shape[1]
    values = np.hstack([X, -X])[rows]
    others = np.arange(2 * d) != face
    inside = (values[:, others] >= box[others]).all(axis=1)
    return values[inside & (values[:, face] < box[face]), face]


def grow_plainly(X, rows, box, unit, order=None):
    """One box as the faces [lower, -upper]; the room of every face is measured again each time."""
    box, d = box.copy(), X.shape[1]
    waiting = list(np.flatnonzero(np.isfinite(box))) if order is None else list(order)
    kept_out = (np.hstack([X, -X])[rows] < box).sum(axis=0)
    while waiting:
        stops = [in_the_way(X, rows, box, f).max(initial=-INF) for f in waiting]
        rooms = [(box[f] - stop) / unit[f % d] for f, stop in zip(waiting, stops, strict=True)]
        ranked = [(-room, kept_out[f], f) for room, f in zip(rooms, waiting, strict=True)]
        at = 0 if order is not None else ranked.index(min(ranked))
        face, stop = waiting.pop(at), stops[at]
        box[face] = (box[face] + stop) / 2
    return box


@settings(deadline=None)
@given(boxed_tables())
def test_as_written_out_plainly(table):
    X, negative, lower, upper, unit = table
    rows = np.flatnonzero(negative & ~covers_union(X, lower, upper))
    grown = np.hstack([grow_faces(*table)[0], -grow_faces(*table)[1]])
    for box, found in zip(np.hstack([lower, -upper]), grown, strict=True):
        np.testing.assert_array_equal(found, grow_plainly(X, rows, box, unit))


@settings(deadline=None, max_examples=50)
@given(boxed_tables())
def test_in_a_given_order(table):
    X, negative, lower, upper, unit = (part[:, :2] if part.ndim == 2 else part for part in table)
    table = X, negative, lower[:1], upper[:1], unit[:2]
    rows = np.flatnonzero(negative & ~covers_union(*table[:1], *table[2:4]))
    box = np.hstack([lower[0], -upper[0]])
    for order in permutations(range(len(box))):
        low, high = grow_faces(*table, order)
        expected = grow_plainly(X, rows, box, unit, [f for f in order if np.isfinite(box[f])])
        np.testing.assert_array_equal(np.hstack([low[0], -high[0]]), expected)


@settings(deadline=None)
@given(boxed_tables())
def test_nothing_that_counts_changes_and_no_face_can_go_further(table):
    X, negative, lower, upper, _ = table
    low, high = grow_faces(*table)
    assert (low <= lower).all() and (high >= upper).all()
    before, after = covers_union(X, lower, upper), covers_union(X, low, high)
    np.testing.assert_array_equal(after[negative], before[negative])
    assert after[before].all()
    rows = np.flatnonzero(negative & ~before)
    for box in np.hstack([low, -high]):
        for face in np.flatnonzero(np.isfinite(box)):
            assert in_the_way(X, rows, box, face).size


@settings(deadline=None)
@given(boxed_tables(), st.sampled_from([10.0, 0.1, 1 / 3, 2.0**40]), st.floats(-9, 9))
def test_units_and_the_order_of_rows_do_not_matter(table, factor, shift):
    X, negative, lower, upper, unit = table
    moved = [factor * (part + shift) for part in (X, lower, upper)]
    grown = grow_faces(moved[0][::-1], negative[::-1], *moved[1:], factor * unit)
    for bound, other in zip(grow_faces(*table), grown, strict=True):
        np.testing.assert_allclose(factor * (bound + shift), other, rtol=1e-6, atol=1e-6 * factor)


@settings(deadline=None)
@given(boxed_tables(), st.sampled_from([0.25, 0.3, 0.5, 1.0]))
def test_what_is_apart_by_the_margin_stays_so(table, margin):
    X, negative, lower, upper, unit = table
    low, high = grow_faces(*table, margin=margin)
    assert (low <= lower).all() and (high >= upper).all()

    def apart(lower, upper):
        beyond = np.maximum(lower[:, None] - X, X - upper[:, None]) / unit
        return (beyond.max(axis=2) >= margin - 1e-9).all(axis=0)

    before, after = (apart(*bounds)[negative] for bounds in ((lower, upper), (low, high)))
    assert after[before].all()
    before, after = (covers_union(X, *bounds) for bounds in ((lower, upper), (low, high)))
    np.testing.assert_array_equal(after[negative], before[negative])


def test_where_faces_stop():
    """The face with the most room goes first and takes it from the other."""
    X = np.array([[4.0, 4.0], [5.0, 5.0], [9.0, 7.0]])
    negative = np.array([False, False, True])
    box = X[:1], X[1:2]
    low, high = grow_faces(X, negative, *box, [1.0, 1.0])
    assert low.tolist() == [[-INF, -INF]]
    # Both upper faces have nothing in their way and keep one row out: the first one goes.
    assert high.tolist() == [[INF, 6.0]]
    low, high = grow_faces(X, negative, *box, [1.0, 1.0], [3, 2, 1, 0])
    assert high.tolist() == [[7.0, INF]]


@pytest.mark.parametrize("margin, upper", [(0.0, 6.5), (2.0, 6.0), (2.6, 5.4), (5.0, 6.5)])
def test_a_margin_holds_a_face_back(margin, upper):
    """But not for a row that is nearer than the margin from the start."""
    X = np.array([[4.0], [5.0], [8.0]])
    _, high = grow_faces(X, X[:, 0] == 8, [[4.0]], [[5.0]], [1.0], margin=margin)
    np.testing.assert_allclose(high, [[upper]])


def test_values_at_the_ends_of_the_range_of_floats():
    huge = np.finfo(float).max
    X = np.array([[-huge], [huge], [huge / 2]])
    low, high = grow_faces(X, np.array([True, False, False]), [[huge / 2]], [[huge]], [1.0])
    assert low[0, 0] == np.nextafter(-huge, 0) and high[0, 0] == INF


def test_no_box_and_no_negative():
    X = np.zeros((3, 2))
    none = np.zeros(3, bool)
    assert [b.shape for b in grow_faces(X, ~none, X[:0], X[:0], [1, 1])] == [(0, 2), (0, 2)]
    low, high = grow_faces(X, none, X[:1], X[:1], [1, 1])
    assert (low == -INF).all() and (high == INF).all()


@settings(deadline=None, max_examples=60)
@given(boxed_tables())
def test_the_exactly_largest_box_is_that_of_all_stops(table):
    """What `bench_faces.py` compares with: each face gone or at a row that lies beyond it."""
    X, negative, lower, upper, unit = (part[:, :2] if part.ndim == 2 else part for part in table)
    lower, upper, unit = lower[:1], upper[:1], np.tile(unit[:2], 2)
    rows = np.flatnonzero(negative & ~covers_union(X, lower, upper))
    faces, both = np.hstack([lower[0], -upper[0]]), np.hstack([X, -X])
    box, most, proven = largest_faces(X, rows, faces, unit[: len(faces) // 2])
    assert proven and not (both[rows] >= box).all(axis=1).any()
    places = [
        [-INF, *np.unique(values[values < face])] if np.isfinite(face) else [-INF]
        for face, values in zip(faces, both[rows].T, strict=True)
    ]
    stops = np.array(list(product(*places)))
    beyond = (both[rows] < faces) & (both[rows] <= stops[:, None])
    leaves_out = beyond.any(axis=2).all(axis=1)
    ends = np.minimum(both.min(axis=0), np.where(np.isfinite(faces), faces, 0))
    room = np.where(np.isfinite(faces), (faces - np.maximum(stops, ends)) / unit[: len(faces)], 0)
    assert most == pytest.approx(room.sum(axis=1)[leaves_out].max())
