"""Fast Boxes against the formulas of the paper, written out plainly."""

from itertools import pairwise
from math import exp, fsum

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_iris, make_blobs
from sklearn.model_selection import StratifiedKFold

from minority.boxes import BoxSet, FastBoxesClassifier, fast_boxes_path, select_fast_boxes
from minority.boxes import _fast_kernels as kernels
from minority.boxes._face_sums import FaceSums
from minority.boxes._fast_path import characterise, path_of
from minority.metrics import area_under_hull

WEIGHTS = np.arange(1, 11) / 10


def blobs(n=200, n_features=3, n_positives=20, seed=0):
    """Noise with two groups of positives in it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    X[: n_positives // 2] = 1.5 + rng.normal(size=(n_positives // 2, n_features)) / 3
    X[n_positives // 2 : n_positives] = -1.5 + rng.normal(size=(n_positives // 2, n_features)) / 3
    return X, np.arange(n) < n_positives


@st.composite
def clustered_points(draw):
    """Points in [-1, 1]^d, some with a cluster, others negative (-1)."""
    n_features = draw(st.integers(1, 3))
    n_clusters = draw(st.integers(1, 2))
    n = draw(st.integers(n_clusters + 1, 12))
    # A grid of 1/8 makes ties with faces and middles frequent; the others are generic.
    grid = draw(st.booleans())
    value = st.integers(-8, 8).map(lambda v: v / 8) if grid else st.floats(-1, 1)
    cells = draw(st.lists(value, min_size=n * n_features, max_size=n * n_features))
    owner = draw(st.lists(st.integers(-1, n_clusters - 1), min_size=n, max_size=n))
    owner[:n_clusters] = range(n_clusters)
    return np.array(cells, dtype=float).reshape(n, n_features), np.array(owner)


# ---------------------------------------------------------------------------------------------
# Eq. 24 by loops: no shared distances, no closed forms.


def start_box(Z, owner, k):
    members = [z for z, o in zip(Z, owner, strict=True) if o == k]
    d = Z.shape[1]
    return [min(m[j] for m in members) for j in range(d)], [
        max(m[j] for m in members) for j in range(d)
    ]


def local_examples(Z, owner, k, j, side):
    """Of one face, the coordinates of S+ and the pairs (coordinate, d_j) of S- (eqs 22-23)."""
    low, high = start_box(Z, owner, k)
    d = Z.shape[1]
    plus, minus = [], []
    for z, o in zip(Z, owner, strict=True):
        in_box = all(low[p] <= z[p] <= high[p] for p in range(d))
        middle = (low[j] + high[j]) / 2
        if side == "lower":
            local = z[j] < low[j] or (in_box and z[j] <= middle)
        else:
            local = z[j] > high[j] or (in_box and z[j] >= middle)
        if not local:
            continue
        diagonal = sum(max(low[p] - z[p], 0) + max(z[p] - high[p], 0) for p in range(d) if p != j)
        if o == k:
            plus.append(z[j])
        else:
            minus.append((z[j], diagonal))
    return plus, minus


def loss(position, plus, minus, c, beta, side):
    s = 1 if side == "lower" else -1
    return (
        sum(exp(-s * (x - position)) for x in plus)
        + c * sum(exp(s * (x - position) - diagonal) for x, diagonal in minus)
        + s * beta * position
    )


def kernel_sums(Z, owner, weight=None):
    boxes = [start_box(Z, owner, k) for k in range(owner.max() + 1)]
    low, high = np.array([b[0] for b in boxes]), np.array([b[1] for b in boxes])
    positive = owner >= 0
    origin, unit = np.zeros(Z.shape[1]), np.ones(Z.shape[1])
    weight = np.ones(len(Z)) if weight is None else weight
    plus = kernels.minority_sums(Z[positive], owner[positive], weight[positive], low, high)
    minus = kernels.majority_sums(Z, owner, weight, origin, unit, low, high).totals()
    return low, high, plus, minus


@settings(deadline=None, max_examples=80)
@given(clustered_points(), st.integers(1, 6))
def test_sums_by_brute_force(case, block):
    Z, owner = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_BLOCK_CELLS", block * Z.shape[1])
        low, high, all_plus, all_minus = kernel_sums(Z, owner)
    for i, side in enumerate(["lower", "upper"]):
        s = 1 if side == "lower" else -1
        for k, j in np.ndindex(low.shape):
            plus, minus = local_examples(Z, owner, k, j, side)
            start = (low, high)[i][k, j]
            expected = sum(exp(s * (start - x) - 1) for x in plus)
            assert all_plus[i][k, j] == pytest.approx(expected, rel=1e-12)
            assert all_plus[i][k, j] >= exp(-1) * (1 - 1e-12)
            expected = sum(exp(s * (x - start) + 1 - diagonal) for x, diagonal in minus)
            assert all_minus[i][k, j] == pytest.approx(expected, rel=1e-12, abs=1e-300)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.floats(5e-324, 1e308, exclude_max=True) | st.sampled_from([5e-324, 2.0**-1022, 1.0]),
        min_size=1,
        max_size=40,
    ),
    st.data(),
)
def test_sums_are_rounded_once(weights, data):
    """A row at distance 1 counts by its weight alone, so that sums of any numbers can be asked."""
    n_features = 2
    low, high = -np.ones((1, n_features)), np.ones((1, n_features))
    weights = np.array(weights) / len(weights)
    weights = weights[weights > 0]
    beyond = data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(weights)))[: len(weights)]
    Z = np.zeros((n_features, len(weights)))
    Z[beyond, np.arange(len(weights))] = -2.0
    sums = FaceSums(low, high)
    sums.add_others(Z, np.full(len(weights), -1), weights)
    (lower,), (upper,) = sums.totals()
    assert lower.tolist() == [fsum(weights[np.array(beyond) == j]) for j in range(n_features)]
    assert upper.tolist() == [0.0] * n_features


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(0, 2**32 - 1), st.booleans())
def test_sums_do_not_depend_on_batches_order_or_threads(data, seed, wild):
    """Neither do their last bits; more rows than the compiled code takes at a time."""
    rng = np.random.default_rng(seed)
    n, n_features, n_boxes = data.draw(st.integers(1, 1400)), data.draw(st.integers(1, 4)), 2
    X = rng.normal(size=(n, n_features)).round(data.draw(st.sampled_from([0, 1, 15])))
    owner = rng.integers(-1, n_boxes, n)
    weight = np.exp(rng.uniform(-700, 700, n) if wild else rng.normal(size=n))
    origin, unit = rng.normal(size=n_features), rng.uniform(0.2, 2, n_features)
    low, high = np.sort(rng.normal(size=(2, n_boxes, n_features)), axis=0)
    Z = np.ascontiguousarray(((X - origin) / unit).T)
    expected = kernels.majority_sums(X, owner, weight, origin, unit, low, high).totals()
    members = np.flatnonzero(owner >= 0)
    expected += kernels.minority_sums(Z[:, members].T, owner[members], weight[members], low, high)

    order = rng.permutation(n) if data.draw(st.booleans()) else np.arange(n)
    cuts = data.draw(st.lists(st.integers(0, n), max_size=5).map(sorted))
    others, plus = FaceSums(low, high), FaceSums(low, high)
    for rows in np.split(order, cuts):
        batch = FaceSums(low, high) if data.draw(st.booleans()) else others
        batch.add_others(np.ascontiguousarray(Z[:, rows]), owner[rows], weight[rows])
        if batch is not others:
            others.merge(batch)
        rows = rows[owner[rows] >= 0]
        plus.add_members(np.ascontiguousarray(Z[:, rows]), owner[rows], weight[rows])
    for found, wanted in zip((*others.totals(), *plus.totals()), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_BLOCK_CELLS", data.draw(st.integers(1, 100)) * n_features)
        n_jobs = data.draw(st.integers(1, 4))
        found = kernels.majority_sums(
            np.asfortranarray(X[order]),
            owner[order],
            weight[order],
            origin,
            unit,
            low,
            high,
            n_jobs,
        )
    np.testing.assert_array_equal(found.totals(), expected[:2])


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_nearest_by_brute_force(data, seed, n_jobs):
    rng = np.random.default_rng(seed)
    n, n_features = data.draw(st.integers(1, 1200)), data.draw(st.integers(1, 3))
    X = rng.normal(size=(n, n_features)).round(data.draw(st.sampled_from([0, 1, 15])))
    if data.draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    eligible = rng.random(n) < data.draw(st.sampled_from([0.01, 0.5, 1.0]))
    lower, upper = np.sort(rng.normal(size=(2, 3, n_features)).round(1), axis=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_BLOCK_CELLS", data.draw(st.sampled_from([1, 300, 2**16])))
        below, above = kernels.nearest_beyond(X, eligible, lower, upper, n_jobs)
        minimum, maximum = kernels.feature_ranges(np.nan_to_num(X), n_jobs)
    for k, j in np.ndindex(lower.shape):
        values = X[eligible, j]
        assert below[k, j] == max(values[values < lower[k, j]], default=-np.inf)
        assert above[k, j] == min(values[values > upper[k, j]], default=np.inf)
    np.testing.assert_array_equal(minimum, np.nan_to_num(X).min(axis=0))
    np.testing.assert_array_equal(maximum, np.nan_to_num(X).max(axis=0))


@settings(deadline=None, max_examples=60)
@given(clustered_points(), st.floats(0.1, 2), st.sampled_from([0, 0.1, 1, 10]))
def test_closed_forms_minimise_the_loss(case, c, beta):
    """Propositions 1 and 2."""
    Z, owner = case
    low, high, all_plus, all_minus = kernel_sums(Z, owner)
    for i, side in enumerate(["lower", "upper"]):
        shift = kernels.outward_shift(all_plus[i], all_minus[i], c, beta)
        for k, j in np.ndindex(low.shape):
            plus, minus = local_examples(Z, owner, k, j, side)
            if not minus:  # nothing stops the face
                assert shift[k, j] == np.inf
                continue
            position = low[k, j] - shift[k, j] if side == "lower" else high[k, j] + shift[k, j]
            best = minimize_scalar(
                loss,
                args=(plus, minus, c, beta, side),
                bounds=(position - 3.3, position + 2.9),
                method="bounded",
                options={"xatol": 1e-10},
            )
            assert position == pytest.approx(best.x, abs=1e-6)


def test_stable_where_the_printed_form_cancels():
    """-beta + sqrt(beta^2 + tiny) is 0 in floats; the face is still finite."""
    shift = kernels.outward_shift(1.0, 1e-12, 1.0, 100.0)
    # First-order: root - beta = 2 c R+ R- / beta, so l_s - l_r = 1 - ln(c R- / beta).
    assert shift == pytest.approx(1 - np.log(1e-12 / 100), rel=1e-9)
    assert kernels.outward_shift(1.0, 0.0, 1.0, 0.0) == np.inf
    assert np.isfinite(kernels.outward_shift(1.0, 1.0, 1.0, 1e300))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("c", [5e-324, 1e-300, 1e300, np.finfo(float).max])
def test_shift_where_products_leave_the_range_of_floats(c):
    # Without expansion l_s - l_r = 1 - ln(c R- / R+) / 2, with a large one 1 - ln(c R- / beta).
    plus, minus = np.array([0.5, 40.0]), np.array([1e-10, 2e6])
    logs = np.log(c) + np.log(minus)
    found = kernels.outward_shift(plus, minus, c, 0.0)
    np.testing.assert_allclose(found, 1 - (logs - np.log(plus)) / 2, rtol=1e-12)
    found = kernels.outward_shift(1e-300, minus, c, 1e307)
    np.testing.assert_allclose(found, 1 - (logs - np.log(1e307)), rtol=1e-12)


@settings(deadline=None, max_examples=40)
@given(clustered_points(), st.floats(0.1, 1))
def test_expansion_pushes_faces_outwards(case, c):
    _, _, all_plus, all_minus = kernel_sums(*case)
    for plus, minus in zip(all_plus, all_minus, strict=True):
        shifts = [kernels.outward_shift(plus, minus, c, beta) for beta in (0, 0.1, 1, 10, 100)]
        for smaller, larger in pairwise(shifts):
            assert (larger >= smaller - 1e-12).all()


# ---------------------------------------------------------------------------------------------
# From sums to boxes.


@pytest.mark.parametrize("nearest", ["negative", "any"])
def test_final_adjustment_by_hand(nearest):
    """A strong majority leaves every face 1 % of the gap short of the nearest example."""
    x = np.array([0.0, 2.0, 5.0, 6.0, 8.0, 12.0, 40.0])
    positive = np.array([False, False, True, True, False, False, True])
    (boxes,) = fast_boxes_path(
        x[:, None],
        positive,
        majority_weights=[1e6],
        n_clusters=2,
        expansion=0,
        nearest=nearest,
        random_state=0,
    )
    order = np.argsort(boxes.upper[:, 0])
    np.testing.assert_allclose(boxes.lower[order, 0], [2 + 0.01 * 3, 12 + 0.01 * 28])
    np.testing.assert_allclose(boxes.upper[order, 0], [8 - 0.01 * 2, np.inf])


def test_nearest_any_stops_at_other_clusters():
    x = np.array([0.0, 5.0, 6.0, 20.0, 21.0])
    positive = np.array([False, True, True, True, True])
    tops = {}
    for nearest in ["negative", "any"]:
        (boxes,) = fast_boxes_path(
            x[:, None],
            positive,
            majority_weights=[1e6],
            n_clusters=2,
            expansion=0,
            nearest=nearest,
            random_state=0,
        )
        tops[nearest] = sorted(boxes.upper[:, 0])
    assert tops["negative"] == [np.inf, np.inf]  # no negative lies above
    np.testing.assert_allclose(tops["any"], [20 - 0.01 * 14, np.inf])


def test_adjacent_floats_stay_outside():
    """Where 1 % of the gap is below the resolution, the negative example is still left out."""
    x = np.array([0.0, 1.0, np.nextafter(1.0, 2), 2.0])
    positive = np.array([False, False, True, False])
    (boxes,) = fast_boxes_path(x[:, None], positive, majority_weights=[1e6], expansion=0)
    assert boxes.covers(x[:, None]).tolist() == positive.tolist()


@pytest.mark.parametrize("scaling", ["minmax", "maxabs"])
@pytest.mark.parametrize("expansion", [0, 1, 10])
@pytest.mark.parametrize("expand", [True, "largest"])
def test_expanded_boxes_never_shrink(scaling, expansion, expand):
    X, y = blobs()
    model = FastBoxesClassifier(
        n_clusters=2,
        majority_weight=1.0,
        expansion=expansion,
        scaling=scaling,
        expand=expand,
        random_state=0,
    ).fit(X, y)
    each = model.boxes_.covers_each(X[y])
    assert each[model.labels_, np.arange(y.sum())].all()
    assert (model.boxes_.lower <= model.start_boxes_.lower).all()
    assert (model.boxes_.upper >= model.start_boxes_.upper).all()


@pytest.mark.parametrize("expand", [True, False, "largest"])
def test_faces_beyond_the_data_vanish(expand):
    X, y = blobs()
    n_finite = []
    for expansion in (0, 1, 10, 100):
        for boxes in fast_boxes_path(
            X, y, majority_weights=WEIGHTS, expansion=expansion, expand=expand
        ):
            has_lower, has_upper = np.isfinite(boxes.lower), np.isfinite(boxes.upper)
            assert (boxes.lower > X.min(axis=0))[has_lower].all()
            assert (boxes.upper < X.max(axis=0))[has_upper].all()
            n_finite.append(has_lower.sum() + has_upper.sum())
    assert min(n_finite) == 0 < max(n_finite)


def test_without_expansion_the_faces_are_the_minimisers():
    X, y = blobs()
    model = FastBoxesClassifier(majority_weight=0.3, expand=False, expansion=0.2).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    Z = 2 * (X - low) / (high - low) - 1
    start_low, start_high, plus, minus = kernel_sums(Z, np.where(y, 0, -1))
    lower = start_low - kernels.outward_shift(plus[0], minus[0], 0.3, 0.2)
    upper = start_high + kernels.outward_shift(plus[1], minus[1], 0.3, 0.2)
    lower = np.where(lower <= -1, -np.inf, low + (lower + 1) / 2 * (high - low))
    upper = np.where(upper >= 1, np.inf, low + (upper + 1) / 2 * (high - low))
    np.testing.assert_allclose(model.boxes_.lower, lower)
    np.testing.assert_allclose(model.boxes_.upper, upper)
    assert np.isfinite(lower).any()


def test_an_empty_box_covers_nothing():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2000, 1))
    y = np.abs(X[:, 0]) < 0.02
    model = FastBoxesClassifier(majority_weight=1.0, expansion=0, expand=False).fit(X, y)
    assert (model.boxes_.lower > model.boxes_.upper).all()
    assert not model.predict(X).any()
    assert "is empty" in model.to_text()


@st.composite
def grown_boxes(draw):
    """A table on a grid, and models whose faces only do not shrink and whose boxes are largest."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    cells = draw(st.lists(st.integers(0, 8), min_size=n * d, max_size=n * d))
    X, y = np.array(cells, float).reshape(n, d), np.arange(n) < draw(st.integers(1, n - 1))
    nearest = draw(st.sampled_from(["negative", "any"]))
    data = characterise(
        X,
        y,
        n_clusters=draw(st.integers(1, min(3, y.sum()))),
        scaling="minmax",
        expand="largest",
        nearest=nearest,
        n_init=1,
        random_state=0,
    )
    weight, expansion = draw(st.sampled_from([0.1, 1.0])), draw(st.sampled_from([0, 1, 10]))
    before, after = (
        path_of(part, [weight], expansion, None)[0] for part in (data._replace(growth=None), data)
    )
    return X, ~y if nearest == "negative" else np.ones(n, bool), data, before, after


@settings(deadline=None, max_examples=80)
@given(grown_boxes())
def test_the_largest_boxes_cover_no_further_row(case):
    """So what they predict for negatives, and with "any" for all rows, is what it was."""
    X, stops, data, before, after = case
    assert (after.lower <= before.lower).all() and (after.upper >= before.upper).all()
    assert (before.lower <= data.lower).all() and (before.upper >= data.upper).all()
    np.testing.assert_array_equal(after.covers(X[stops]), before.covers(X[stops]))


@settings(deadline=None, max_examples=80)
@given(grown_boxes())
def test_no_face_of_the_largest_boxes_can_go(case):
    """Without it the box covers a row that no box has covered."""
    X, stops, _, before, after = case
    outside = X[stops & ~before.covers(X)]
    for k, j in np.ndindex(after.lower.shape):
        for bound, gone in (("lower", -np.inf), ("upper", np.inf)):
            if np.isfinite(getattr(after, bound)[k, j]):
                faces = {"lower": after.lower.copy(), "upper": after.upper.copy()}
                faces[bound][k, j] = gone
                assert BoxSet(**faces).covers(outside).any()


def test_where_the_faces_of_the_largest_boxes_stop():
    """A negative that another face keeps out is passed by; one that is inside otherwise is not."""
    X = np.array([[2.0, 2.0], [3.0, 3.0], [5.0, 3.0], [9.0, 9.0], [0.0, 8.0]])
    y = np.array([1, 1, 0, 0, 0])
    options = {"majority_weight": 100.0, "expansion": 0}
    grown = FastBoxesClassifier(expand="largest", **options).fit(X, y).boxes_
    np.testing.assert_allclose(grown.upper, [[4.0, 5.5]])
    assert (grown.lower == -np.inf).all()
    stopped = FastBoxesClassifier(**options).fit(X, y).boxes_
    np.testing.assert_allclose(stopped.upper, [[4.98, 7.95]])
    assert stopped.lower[0, 0] == pytest.approx(0.02)


def test_probabilities_are_smoothed_shares():
    X = np.array([[1.0], [2.0], [3.0], [11.0], [12.0], [2.5], [20.0], [21.0], [30.0], [31.0]])
    y = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    rows = [[2.0], [11.0], [40.0]]
    model = FastBoxesClassifier(n_clusters=2, pos_label=1, random_state=0).fit(X, y)
    model.boxes_ = BoxSet([[0], [10]], [[5], [13]])
    model._count(X, y == 1, np.ones(10))
    probability = model.predict_proba(rows)
    expected = [(3 + 1) / (4 + 2), (2 + 1) / (2 + 2), (0 + 1) / (4 + 2)]
    np.testing.assert_allclose(probability[:, 1], expected)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    plain, mirrored = (
        FastBoxesClassifier(pos_label=label).fit(X, classes).predict_proba(rows)
        for label, classes in ((1, y), (0, 1 - y))
    )
    np.testing.assert_array_equal(plain, mirrored[:, ::-1])
    # of boxes that overlap, the one with the largest share
    model.boxes_ = BoxSet([[0], [2]], [[5], [40]])
    model._count(X, y == 1, np.ones(10))
    shares = [(3 + 1) / (4 + 2), (4 + 1) / (9 + 2), (1 - 1 + 1) / (0 + 2)]
    found = model.predict_proba([[1.0], [2.0], [30.0], [50.0]])[:, 1]
    np.testing.assert_allclose(found, [shares[0], shares[0], shares[1], shares[2]])


def test_probabilities_count_weights_and_there_may_be_no_box():
    X, y = blobs()
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = FastBoxesClassifier().fit(X, y, weight)
    repeated = FastBoxesClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))
    weighted.boxes_ = BoxSet(np.zeros((0, 3)), np.zeros((0, 3)))
    weighted._count(X, y, np.ones(len(X)))
    np.testing.assert_allclose(weighted.predict_proba(X)[:, 1], y.mean())


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 10_000),
    st.lists(st.floats(0.01, 100), min_size=3, max_size=3),
    st.lists(st.floats(-1000, 1000), min_size=3, max_size=3),
    st.integers(1, 2),
    st.booleans(),
)
def test_boxes_move_with_the_data(seed, slope, offset, n_clusters, expand):
    X, y = blobs(n=60, seed=seed)
    slope, offset = np.array(slope), np.array(offset)
    params = {"n_clusters": n_clusters, "expand": expand, "n_init": 2, "random_state": 0}
    plain = FastBoxesClassifier(**params).fit(X, y)
    moved = FastBoxesClassifier(**params).fit(slope * X + offset, y)
    tolerance = {"rtol": 1e-7, "atol": 1e-7 * (slope.max() + np.abs(offset).max())}
    np.testing.assert_allclose(moved.boxes_.lower, slope * plain.boxes_.lower + offset, **tolerance)
    np.testing.assert_allclose(moved.boxes_.upper, slope * plain.boxes_.upper + offset, **tolerance)
    clear = np.abs(plain.decision_function(X)) > 1e-6  # not on a face, up to rounding
    np.testing.assert_array_equal(plain.predict(X)[clear], moved.predict(slope * X + offset)[clear])


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.booleans())
def test_order_of_rows_and_columns_does_not_matter(seed, expand):
    X, y = blobs(n=60, seed=seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    plain = FastBoxesClassifier(expand=expand).fit(X, y).boxes_
    by_rows = FastBoxesClassifier(expand=expand).fit(X[rows], y[rows]).boxes_
    by_columns = FastBoxesClassifier(expand=expand).fit(X[:, columns], y).boxes_
    assert by_rows == plain
    for side in ["lower", "upper"]:
        np.testing.assert_allclose(getattr(by_columns, side), getattr(plain, side)[:, columns])


# ---------------------------------------------------------------------------------------------
# Path and selection.


def test_path_equals_separate_fits():
    X, y = blobs()
    params = {"n_clusters": 3, "expansion": 0.5, "random_state": 7, "nearest": "any"}
    path = fast_boxes_path(X, y, majority_weights=WEIGHTS, **params)
    assert len(path) == len(WEIGHTS)
    for weight, boxes in zip(WEIGHTS, path, strict=True):
        model = FastBoxesClassifier(majority_weight=weight, **params).fit(X, y)
        assert model.boxes_ == boxes
    assert path[0] != path[-1]


@pytest.mark.parametrize("layout", ["C", "F"])
def test_threads_and_layout_change_no_bit(layout, monkeypatch):
    X, y = blobs()
    parameters = {"n_clusters": 3, "random_state": 0}
    expected = FastBoxesClassifier(**parameters).fit(X, y).boxes_
    X = np.array(X, order=layout)
    X.flags.writeable = False
    monkeypatch.setattr(kernels, "_BLOCK_CELLS", 50)
    for n_jobs in (2, -1):
        found = FastBoxesClassifier(n_jobs=n_jobs, **parameters).fit(X, y).boxes_
        np.testing.assert_array_equal(found.lower, expected.lower)
        np.testing.assert_array_equal(found.upper, expected.upper)


def test_only_positives_are_clustered(monkeypatch):
    """The first step sees the minority class alone, however large the majority is."""
    from minority.boxes import _fast_path

    seen = []

    class Watched(_fast_path.KMeans):
        def fit(self, X, *args, **kwargs):
            seen.append(len(X))
            return super().fit(X, *args, **kwargs)

    monkeypatch.setattr(_fast_path, "KMeans", Watched)
    X, y = blobs(n=500, n_positives=20)
    FastBoxesClassifier(n_clusters=2, random_state=0).fit(X, y)
    assert seen == [20]


def test_boxes_do_not_depend_on_each_other():
    """After the clustering every box, and every face of it, can be computed by itself."""
    X, _ = blobs()
    owner = np.full(len(X), -1)
    owner[:20] = np.arange(20) // 10
    low, high = kernels.start_boxes(X[:20], owner[:20], 2)
    unit = np.ones(3)
    weight, origin = np.ones(len(X)), 0 * unit
    together = kernels.majority_sums(X, owner, weight, origin, unit, low, high).totals()
    for k in range(2):
        mine = np.where(owner == k, 0, -1)
        alone = kernels.majority_sums(X, mine, weight, origin, unit, low[[k]], high[[k]])
        for one, both in zip(alone.totals(), together, strict=True):
            np.testing.assert_allclose(one[0], both[k])


@pytest.mark.parametrize("expand", [True, False, "largest"])
def test_selection_equals_a_plain_loop(expand):
    X, y = blobs(n=90, n_positives=8, seed=3)
    weights = WEIGHTS[::3]
    grid = {"n_clusters": [1, 2, 30], "expansions": [0, 1, 10]}
    best_k, best_beta, scores = select_fast_boxes(
        X, y, majority_weights=weights, **grid, cv=3, expand=expand, n_init=3, random_state=5
    )
    folds = list(StratifiedKFold(3, shuffle=True, random_state=5).split(X, y))
    rows = []
    for k in [1, 2, 5]:  # the smallest training fold has 5 positives
        for beta in grid["expansions"]:
            areas = []
            for train, test in folds:
                fpr, tpr = [], []
                for weight in weights:
                    model = FastBoxesClassifier(
                        n_clusters=k,
                        expansion=beta,
                        majority_weight=weight,
                        expand=expand,
                        n_init=3,
                        random_state=5,
                    ).fit(X[train], y[train])
                    predicted = model.predict(X[test])
                    fpr.append(predicted[~y[test]].mean())
                    tpr.append(predicted[y[test]].mean())
                areas.append(area_under_hull(fpr, tpr))
            rows.append((k, beta, np.mean(areas), np.std(areas)))
    expected = pd.DataFrame(rows, columns=["n_clusters", "expansion", "mean_auh", "std_auh"])
    pd.testing.assert_frame_equal(scores, expected, check_dtype=False)
    assert scores["mean_auh"].nunique() > 3  # the comparison can fail
    winner = max(rows, key=lambda row: (round(row[2], 12), -row[0], -row[1]))
    assert (best_k, best_beta) == winner[:2]


def test_selection_breaks_ties_towards_small_models():
    X, y = make_blobs([60, 6], centers=[[0, 0], [100, 100]], random_state=0)
    k, beta, scores = select_fast_boxes(
        X,
        y == 1,
        majority_weights=WEIGHTS,
        n_clusters=[3, 2, 1],
        expansions=[0.1, 0],
        random_state=0,
    )
    assert scores["mean_auh"].eq(1).sum() > 1
    assert (k, beta) == (1, 0)


def test_selection_with_few_positives():
    X, y = blobs(n=40, n_positives=2)
    k, beta, scores = select_fast_boxes(X, y, majority_weights=WEIGHTS, random_state=0)
    assert k == 1
    assert set(scores["n_clusters"]) == {1}  # two folds, one positive to train on in each
    y[0] = False
    k, beta, scores = select_fast_boxes(X, y, majority_weights=WEIGHTS, random_state=0)
    assert (k, beta) == (1, 0)
    assert scores.empty


def test_selection_is_reproducible_from_a_random_state():
    X, y = blobs(n=90)
    first, second = (
        select_fast_boxes(
            X,
            y,
            majority_weights=WEIGHTS,
            n_clusters=[1, 3],
            random_state=np.random.RandomState(3),
        )[2]
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([False] * 4, "no positive examples"),
        ([0, 0, 1, 1], "boolean"),
        ([True, False], "inconsistent numbers of samples"),
    ],
)
def test_path_rejects_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        fast_boxes_path(np.arange(4.0)[:, None], y, majority_weights=[0.5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"majority_weights": [0.0]}, "above 0"),
        ({"majority_weights": [-1.0]}, "above 0"),
        ({"majority_weights": [np.nan]}, "majority weights must be finite"),
        ({"majority_weights": [None]}, "majority weights must be finite"),
        ({"majority_weights": 0.5}, "a list of numbers"),
        ({"expansion": -1}, "at least 0"),
        ({"expansion": np.inf}, "expansions must be finite"),
        ({"expansion": 10**400}, "integer that is too large"),
        ({"scaling": "min-max"}, "scaling must be one of"),
        ({"nearest": "positive"}, "nearest must be one of"),
        ({"expand": "smallest"}, "expand must be one of"),
    ],
)
def test_path_and_selection_reject_bad_options(options, message):
    X, y = blobs()
    options = {"majority_weights": [0.5]} | options
    with pytest.raises(ValueError, match=message):
        fast_boxes_path(X, y, **options)
    if "expansion" in options:
        options["expansions"] = [options.pop("expansion")]
    with pytest.raises(ValueError, match=message):
        select_fast_boxes(X, y, n_clusters=[1], **options)


@pytest.mark.parametrize("candidates", [{"n_clusters": [0, 1]}, {"n_clusters": []}])
def test_selection_needs_candidates(candidates):
    with pytest.raises(ValueError, match="number of clusters"):
        select_fast_boxes([[0.0], [1.0]], [True, False], majority_weights=[1.0], **candidates)
    with pytest.raises(ValueError, match="At least one expansion"):
        select_fast_boxes([[0.0], [1.0]], [True, False], majority_weights=[1.0], expansions=[])


# ---------------------------------------------------------------------------------------------
# The classifier.


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        (("no", "yes"), None, "yes"),
        (("zebra", "ant"), None, "ant"),  # the minority comes first in the alphabet
        (("no", "yes"), "no", "no"),
        ((0, 1), None, 1),
    ],
)
def test_labels(labels, pos_label, expected):
    X, positive = blobs()
    y = np.where(positive, labels[1], labels[0])
    model = FastBoxesClassifier(pos_label=pos_label, majority_weight=1e3).fit(X, y)
    assert model.pos_label_ == expected
    covered = model.boxes_.covers(X)
    np.testing.assert_array_equal(model.predict(X) == expected, covered)
    assert covered[y == expected].all()
    score = model.decision_function(X)
    np.testing.assert_array_equal(score > 0, model.predict(X) == model.classes_[1])
    assert model.to_text().startswith(f"{expected} ")
    assert len(set(model.predict(X))) == 2


def test_tie_goes_to_the_second_class():
    model = FastBoxesClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    assert model.pos_label_ == "b"


def test_scores_are_finite_far_away():
    X, y = blobs()
    score = FastBoxesClassifier(majority_weight=1.0).fit(X, y).decision_function(X * 1e6)
    assert np.isfinite(score).all()
    assert score.max() <= 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scaling", ["minmax", "maxabs"])
@pytest.mark.parametrize("expand", [True, False, "largest"])
def test_the_widest_ranges_and_weights(scaling, expand):
    largest = np.finfo(float).max
    X = np.array([[-largest], [-1e300], [0.0], [1e300], [largest]])
    y = np.array([0, 0, 1, 0, 0])
    for weight in (5e-324, 0.5, largest):
        for expansion in (0, 1, largest):
            model = FastBoxesClassifier(
                scaling=scaling, expand=expand, majority_weight=weight, expansion=expansion
            ).fit(X, y)
            assert np.isfinite(model.decision_function(X)).all()
            assert isinstance(model.to_text(), str)


def test_integer_beyond_the_floats():
    with pytest.raises(ValueError, match="integer that is too large"):
        FastBoxesClassifier(expansion=10**400).fit([[0.0], [1.0]], [0, 1])


def test_training_faces_are_inside():
    """With no room beyond, the faces stay on positive examples, which are covered nevertheless."""
    X = np.array([[1.0], [2.0], [2.0], [3.0], [3.0], [4.0]])
    y = np.array([0, 0, 1, 1, 0, 0])
    model = FastBoxesClassifier(majority_weight=1e6, expansion=0).fit(X, y)
    score = model.decision_function(model.boxes_.lower)
    assert (score > 0).all()
    assert model.predict(X)[y == 1].all()


def test_printed_rules_use_column_names():
    iris = load_iris(as_frame=True)
    y = iris.target == 1
    model = FastBoxesClassifier(majority_weight=1.0, expansion=0).fit(iris.data, y)
    text = model.to_text(digits=4)
    for j, name in enumerate(iris.data.columns):
        assert name in text
        for bound in (model.boxes_.lower[0, j], model.boxes_.upper[0, j]):
            assert (f"{bound:.4g}" in text) == np.isfinite(bound)
    assert "inf" not in text
    selected = iris.data.query(model.boxes_.to_query()).index
    np.testing.assert_array_equal(selected, np.flatnonzero(model.predict(iris.data)))
    assert "x0" in FastBoxesClassifier().fit(iris.data.to_numpy(), y).to_text()


def test_rules_frame_and_plot():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, positive = blobs()
    y = np.where(positive, "rare", "usual")
    model = FastBoxesClassifier(n_clusters=2, majority_weight=1.0, random_state=0).fit(X, y)
    frame = model.rules_frame(X, y)
    covered = model.boxes_.covers_each(X)
    outside = ~covered.any(axis=0)
    assert frame["support"].tolist() == [*covered.sum(axis=1), outside.sum()]
    precision = [*(positive[rows].mean() for rows in covered), 1 - positive[outside].mean()]
    np.testing.assert_allclose(frame["precision"], precision)
    ax = model.plot(X, y, features=(0, 2))
    assert ax.get_ylabel() == "x2"
    assert len(ax.patches) == 2
    plt.close(ax.figure)


def test_wrong_feature_names_are_rejected():
    iris = load_iris(as_frame=True)
    model = FastBoxesClassifier().fit(iris.data, iris.target == 1)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(iris.data[iris.data.columns[::-1]])


def test_more_clusters_than_positives():
    X, y = blobs(n_positives=4)
    with pytest.raises(ValueError, match=r"n_clusters=5 .* 4\. Set n_clusters to at most 4"):
        FastBoxesClassifier(n_clusters=5).fit(X, y)


@pytest.mark.filterwarnings("error")
def test_repeated_positives_leave_fewer_boxes():
    X = np.array([[0.0, 0.0]] * 5 + [[9.0, 9.0]] * 5 + [[4.0, 5.0], [3.0, 4.0]] * 10)
    y = np.arange(len(X)) < 10
    model = FastBoxesClassifier(n_clusters=4, random_state=0).fit(X, y)
    assert len(model.boxes_) == len(model.start_boxes_) == 2
    assert sorted(set(model.labels_)) == [0, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scaling", ["minmax", "maxabs"])
@pytest.mark.parametrize("expand", [True, False, "largest"])
@pytest.mark.parametrize("constant", [0.0, -7.0])
def test_constant_feature_has_no_faces(scaling, expand, constant):
    X, y = blobs()
    X[:, 1] = constant
    model = FastBoxesClassifier(
        scaling=scaling, expand=expand, majority_weight=1.0, expansion=0
    ).fit(X, y)
    assert np.isinf(model.boxes_.lower[:, 1]).all()
    assert np.isinf(model.boxes_.upper[:, 1]).all()
    assert np.isfinite(model.boxes_.lower).any()
    assert "Not used: x1" in model.to_text()


@pytest.mark.filterwarnings("error")
def test_same_rows_with_both_labels():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 4, axis=0)
    y = np.array([0, 0, 0, 1, 0, 0, 0, 1])
    model = FastBoxesClassifier(majority_weight=1.0, expansion=0).fit(X, y)
    assert model.predict(X).all()  # with `expand` no positive is ever lost
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.filterwarnings("error")
def test_one_positive():
    X, _ = blobs()
    y = np.arange(len(X)) == 50
    model = FastBoxesClassifier(majority_weight=1.0, expansion=0).fit(X, y)
    np.testing.assert_array_equal(model.start_boxes_.lower, X[[50]])
    assert model.predict(X)[50]


def test_float32_is_fitted_in_double_precision():
    X, y = blobs()
    X = X.astype(np.float32)
    model = FastBoxesClassifier().fit(X, y)
    assert model.boxes_ == FastBoxesClassifier().fit(X.astype(np.float64), y).boxes_
    np.testing.assert_array_equal(model.predict(X), model.predict(X.astype(np.float64)))


@pytest.mark.parametrize(
    ("params", "y", "message"),
    [
        ({}, [0, 1, 2, 1], "Only binary classification"),
        ({}, [1, 1, 1, 1], "only one class"),
        ({"pos_label": "b"}, [0, 1, 1, 0], "pos_label='b' is not among the classes"),
        ({"majority_weight": 0}, [0, 1, 1, 0], "majority_weight"),
        ({"expansion": -1}, [0, 1, 1, 0], "expansion"),
    ],
)
def test_bad_input(params, y, message):
    with pytest.raises(ValueError, match=message):
        FastBoxesClassifier(**params).fit(np.arange(4.0)[:, None], y)


# ---------------------------------------------------------------------------------------------
# Weights of examples


@st.composite
def weighted_tables(draw):
    """Rows of both classes on a grid with whole weights, at least one of each class not zero."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    cells = draw(st.lists(st.integers(0, 6), min_size=n * d, max_size=n * d))
    weight = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    y = np.arange(n) < draw(st.integers(1, n - 1))
    weight = np.maximum(weight, np.r_[1, np.zeros(n - 2, int), 1])
    return np.array(cells, float).reshape(n, d), y, weight


@settings(deadline=None, max_examples=60)
@given(
    weighted_tables(),
    st.sampled_from(["balanced", 0.3]),
    st.sampled_from([True, False, "largest"]),
    st.sampled_from([0, 1, 10]),
)
def test_whole_weights_are_repeated_rows(table, majority_weight, expand, expansion):
    X, y, weight = table
    parameters = {
        "majority_weight": majority_weight,
        "expand": expand,
        "expansion": expansion,
        "pos_label": True,
    }
    weighted = FastBoxesClassifier(**parameters).fit(X, y, weight)
    repeated = FastBoxesClassifier(**parameters).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    for bound in ("lower", "upper"):
        np.testing.assert_allclose(
            getattr(weighted.boxes_, bound), getattr(repeated.boxes_, bound), rtol=1e-9, atol=1e-9
        )


def test_equal_weights_are_no_weights():
    X, y = blobs()
    parameters = {"n_clusters": 3, "majority_weight": 0.5, "random_state": 0}
    plain, weighted = (
        FastBoxesClassifier(**parameters).fit(X, y, weight) for weight in (None, np.ones(len(X)))
    )
    assert plain.boxes_ == weighted.boxes_
    gone = np.r_[np.ones(len(X)), np.zeros(7)]
    padded = np.vstack([X, 100 + X[:7]]), np.r_[y, y[:7]]
    assert FastBoxesClassifier(**parameters).fit(*padded, gone).boxes_ == plain.boxes_


def test_heavy_examples_draw_the_clusters():
    X = np.array([[0.0], [4.0], [5.0], [9.0], [20.0]])
    y = np.array([1, 1, 1, 1, 0])
    model = FastBoxesClassifier(n_clusters=2, pos_label=1, random_state=0)
    for weight, labels in (([9, 1, 1, 1, 1], [0, 1, 1, 1]), ([1, 1, 1, 9, 1], [0, 0, 0, 1])):
        found = model.fit(X, y, weight).labels_
        assert (found == found[0]).tolist() == (np.array(labels) == labels[0]).tolist()


def test_balanced_gives_both_classes_the_same_total():
    X, y = blobs()
    weight = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    for given_weight in (None, weight):
        counted = np.ones(len(X)) if given_weight is None else weight
        share = counted[y == 1].sum() / counted[y == 0].sum()
        boxes = FastBoxesClassifier().fit(X, y, given_weight).boxes_
        same = FastBoxesClassifier(majority_weight=share).fit(X, y, given_weight).boxes_
        assert boxes == same
