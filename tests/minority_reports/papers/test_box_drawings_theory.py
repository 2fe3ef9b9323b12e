"""Proposition 3 of Box Drawings: its formula, what it counts, and whether it holds."""

from itertools import combinations, combinations_with_replacement
from math import comb, factorial, log, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minority.boxes import BoxSet, fast_boxes_path
from minority_reports import datasets
from minority_reports.papers.box_drawings import theory


@given(
    n_boxes=st.integers(1, 8),
    values=st.lists(st.integers(3, 40), min_size=1, max_size=5),
    m=st.integers(1, 10_000),
    delta=st.floats(0.001, 0.5),
)
def test_the_gap_is_the_formula(n_boxes, values, m, delta):
    class_size = prod(M * (M - 1) // 2 for M in values) ** n_boxes / factorial(n_boxes)
    if class_size < 1:
        return
    expected = sqrt((log(class_size) + log(1 / delta)) / (2 * m))
    assert theory.generalisation_gap(n_boxes, values, m, delta) == pytest.approx(expected)


@given(st.integers(1, 12), st.lists(st.integers(1, 30), min_size=1, max_size=4))
def test_the_safe_count_is_that_of_multisets(n_boxes, values):
    boxes = prod(M * (M + 1) // 2 for M in values)
    expected = log(comb(boxes + n_boxes - 1, n_boxes))
    assert theory.log_class_size(n_boxes, values, count="safe") == pytest.approx(expected, abs=1e-9)


def test_classes_too_large_for_a_float_have_a_gap():
    for count in ("printed", "safe"):
        size = theory.log_class_size(10, [5_000] * 60, count=count)
        assert size == pytest.approx(10 * 60 * log(5_000**2 / 2) - log(factorial(10)), rel=1e-4)


@pytest.mark.parametrize("values", [(2,), (5,), (3, 4), (2, 3, 4)])
def test_one_box_is_counted_exactly(values):
    """The printed formula counts l < u; with l = u there are M (M + 1) / 2 for a feature."""
    for degenerate, count in [(False, "printed"), (True, "safe")]:
        size = theory.distinct_classifiers(values, 1, degenerate=degenerate)
        assert size == len(theory.all_boxes(values, degenerate=degenerate)[0])
        assert np.exp(theory.log_class_size(1, values, count=count)) == pytest.approx(size)
    strict = prod(M * (M - 1) // 2 for M in values)
    assert len(theory.all_boxes(values)[0]) == strict


@pytest.mark.parametrize(
    ("values", "n_boxes"), [((4,), 2), ((5,), 3), ((3, 3), 2), ((4, 4), 2), ((3, 3), 3)]
)
def test_both_counts_bound_the_class(values, n_boxes):
    for degenerate, count in [(False, "printed"), (True, "safe")]:
        size = theory.distinct_classifiers(values, n_boxes, degenerate=degenerate)
        assert log(size) <= theory.log_class_size(n_boxes, values, count=count)


@pytest.mark.parametrize(("values", "n_boxes"), [((4,), 3), ((3, 3), 2)])
def test_fewer_boxes_are_some_boxes_twice(values, n_boxes):
    """Every union of fewer boxes is one of exactly `n_boxes`, of which some are the same."""
    covers = BoxSet(*theory.all_boxes(values)).covers_each(
        np.stack(np.meshgrid(*(np.arange(2 * m - 1) / 2 for m in values)), -1).reshape(
            -1, len(values)
        )
    )

    def unions(k, choose):
        return {covers[list(some)].any(axis=0).tobytes() for some in choose(range(len(covers)), k)}

    exactly = unions(n_boxes, combinations_with_replacement)
    for fewer in range(1, n_boxes):
        assert unions(fewer, combinations) <= exactly
    assert not unions(1, combinations) <= unions(n_boxes, combinations), "all different: too few"


@pytest.mark.parametrize(("values", "n_boxes"), [((2,), 2), ((2, 2), 3), ((3,), 6), ((4,), 12)])
def test_the_printed_count_can_be_smaller_than_the_class(values, n_boxes):
    """Dividing by K! forgets that boxes may be repeated: it fails where K exceeds the boxes."""
    size = theory.distinct_classifiers(values, n_boxes)
    assert theory.log_class_size(n_boxes, values) < log(size)
    assert log(size) <= theory.log_class_size(n_boxes, values, count="safe")


def test_a_count_below_one_is_refused():
    with pytest.raises(ValueError, match="less than one"):
        theory.generalisation_gap(2, [2], 100)
    with pytest.raises(ValueError, match="less than one"):
        theory.generalisation_gap(1, [5, 1], 100)  # no pair l < u of one value
    assert theory.generalisation_gap(1, [5, 1], 100, count="safe") > 0
    with pytest.raises(ValueError, match="printed"):
        theory.log_class_size(1, [5], count="other")


def test_values_per_feature():
    X = [[0.29, 1.0], [0.31, 1.0], [0.29, 3.5]]
    assert theory.values_per_feature(X).tolist() == [2, 2]
    assert theory.values_per_feature(X, decimals=2).tolist() == [3, 251]  # 0.29, 0.30, 0.31
    assert theory.values_per_feature(X, decimals=0).tolist() == [0, 3]  # 1, 2, 3


@pytest.mark.parametrize("name", ["glass2", "iris0"])
def test_moving_faces_to_distinct_values_changes_nothing_on_the_data(name):
    data = datasets.load(name)
    X, positive = data.X.to_numpy(), data.y == 1
    path = fast_boxes_path(
        X, positive, majority_weights=[0.1, 1.0], n_clusters=3, expansion=1.0, random_state=0
    )
    for boxes in path:
        moved = theory.on_grid(boxes, X)
        np.testing.assert_array_equal(moved.covers(X), boxes.covers(X))
        for j, column in enumerate(X.T):
            assert np.isin(moved.lower[:, j], column).all()
            assert np.isin(moved.upper[:, j], column).all()
        coarse = theory.on_grid(boxes, X, decimals=1)
        for bound in (coarse.lower, coarse.upper):
            np.testing.assert_allclose(bound * 10, np.round(bound * 10), atol=1e-9)


def test_risk_by_hand():
    boxes = BoxSet([[0.0]], [[1.0]])
    X = np.array([[0.5], [1.0], [2.0], [0.2], [3.0]])
    positive = np.array([True, False, True, False, False])  # one missed, two false alarms
    assert theory.risk(boxes, X, positive, weight=0.25) == pytest.approx((1 + 0.25 * 2) / 5)


def test_the_bound_holds_as_often_as_it_says():
    frame = theory.coverage(sizes=(10, 40, 160), n_samples=3_000, delta=0.2)
    assert (frame["share beyond"] <= 0.2).all()
    # The union bound is loose, but of the right order: at most three times what is needed.
    assert (frame["gap"] < 3 * frame["80% quantile"]).all()
    assert (frame["80% quantile"] > frame["mean worst gap"]).all()
    assert frame["mean worst gap"].is_monotonic_decreasing


def test_worst_gap_by_brute_force():
    """One sample, all boxes and all cells in plain loops."""
    frame = theory.coverage(sizes=(12,), n_values=3, n_samples=1, weight=0.5, seed=4)
    rng = np.random.default_rng(4)
    mass = rng.dirichlet(np.ones(9))
    cells = [(i, j) for i in range(3) for j in range(3)]
    share = [0.6 if cell == (1, 1) else 0.05 for cell in cells]
    outcomes = [(c, 1, w * p) for c, w, p in zip(cells, mass, share, strict=True)]
    outcomes += [(c, 0, w * (1 - p)) for c, w, p in zip(cells, mass, share, strict=True)]
    counts = rng.multinomial(12, [p for *_, p in outcomes], size=1)[0]
    worst = -np.inf
    for low_i, low_j, high_i, high_j in np.ndindex(3, 3, 3, 3):
        if low_i < high_i and low_j < high_j:
            gap = 0.0
            for ((i, j), label, p), n in zip(outcomes, counts, strict=True):
                inside = low_i <= i <= high_i and low_j <= j <= high_j
                loss = float(not inside) if label else 0.5 * inside
                gap += loss * (p - n / 12)
            worst = max(worst, gap)
    assert frame["mean worst gap"].item() == pytest.approx(worst)


def test_bounds_add_up():
    frame = theory.bound_study(["iris0", "glass2"])
    assert frame["bound"].to_numpy() == pytest.approx(frame["empirical risk"] + frame["gap"])
    assert (frame["gap, safe count"] > frame["gap"]).all()
    row = frame.loc["iris0"]
    assert row["risk of no box"] == pytest.approx(50 / 150)
    values = theory.values_per_feature(datasets.load("iris0").X)
    assert row["gap"] == theory.generalisation_gap(row["K"], values, 150)
    assert not frame["vacuous"].any()
    assert theory.bound_study(["iris0"], delta=1e-130)["vacuous"].all()
