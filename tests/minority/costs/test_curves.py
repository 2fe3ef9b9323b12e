"""Cost curves against lines worked out by hand and against the best line at many points."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.costs import cost_curve, cost_envelope, plot_cost_curve, probability_cost
from minority.metrics import roc_convex_hull

rates = st.floats(0, 1, allow_subnormal=False)
coarse = st.integers(0, 4).map(lambda x: x / 4)  # many ties and collinear points
points = st.one_of(
    st.lists(st.tuples(rates, rates), min_size=1, max_size=10),
    st.lists(st.tuples(coarse, coarse), min_size=1, max_size=10),
)
GRID = np.linspace(0, 1, 101)


def line(fpr, tpr, pcf):
    """Equation 11."""
    return (1 - tpr - fpr) * pcf + fpr


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_worked_envelope():
    """Two classifiers, (0.1, 0.6) and (0.4, 0.9); the third is never the best."""
    curve = cost_envelope([0.4, 0.3, 0.1], [0.9, 0.6, 0.6])
    # Lines x, 0.1 + 0.3 x, 0.4 - 0.3 x, 1 - x cross at 1/7, 1/2 and 6/7.
    np.testing.assert_allclose(curve.pcf, [0, 1 / 7, 1 / 2, 6 / 7, 1], atol=1e-12)
    np.testing.assert_allclose(curve.cost, [0, 1 / 7, 1 / 4, 1 / 7, 0], atol=1e-12)
    np.testing.assert_allclose(curve.fpr, [0, 0.1, 0.4, 1])
    np.testing.assert_allclose(curve.tpr, [0, 0.6, 0.9, 1])
    triangle, trapezoid = 1 / 7 * 1 / 7 / 2, (1 / 2 - 1 / 7) * (1 / 7 + 1 / 4) / 2
    assert curve.area == pytest.approx(2 * (triangle + trapezoid))
    assert curve.at(0.3) == pytest.approx(0.1 + 0.3 * 0.3)


def test_worked_envelope_without_trivial_classifiers():
    curve = cost_envelope([0.4, 0.3, 0.1], [0.9, 0.6, 0.6], trivial=False)
    np.testing.assert_allclose(curve.pcf, [0, 1 / 2, 1])
    np.testing.assert_allclose(curve.cost, [0.1, 0.25, 0.1])
    one = cost_envelope([0.4], [0.3], trivial=False)  # a line, though it is below the diagonal
    np.testing.assert_allclose(one.pcf, [0, 1])
    np.testing.assert_allclose(one.cost, [0.4, 0.7])


def test_perfect_and_useless():
    assert cost_envelope([0.0], [1.0]).area == 0
    assert cost_envelope([], []).area == pytest.approx(0.25)
    assert cost_envelope([0.5], [0.5]).area == pytest.approx(0.25)
    with pytest.raises(ValueError, match="no point"):
        cost_envelope([], [], trivial=False)


@settings(deadline=None, max_examples=200)
@given(points, st.booleans())
def test_envelope_is_the_cheapest_line_everywhere(pairs, trivial):
    fpr, tpr = np.transpose(pairs)
    curve = cost_envelope(fpr, tpr, trivial=trivial)
    candidates = [*pairs, (0, 0), (1, 1)] if trivial else pairs
    cheapest = np.min([line(*pair, GRID) for pair in candidates], axis=0)
    np.testing.assert_allclose(curve.at(GRID), cheapest, atol=1e-9)
    assert curve.pcf[0] == 0 and curve.pcf[-1] == 1 and (np.diff(curve.pcf) >= -1e-12).all()
    # Classifier k is the cheapest one on its range.
    for k, (low, high) in enumerate(zip(curve.pcf[:-1], curve.pcf[1:], strict=True)):
        middle = (low + high) / 2
        assert line(curve.fpr[k], curve.tpr[k], middle) == pytest.approx(curve.at(middle), abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(points)
def test_hull_without_trivial_points_has_given_points_as_corners(pairs):
    fpr, tpr = roc_convex_hull(*np.transpose(pairs), trivial=False)
    assert set(zip(fpr.tolist(), tpr.tolist(), strict=True)) <= set(pairs)
    assert (np.diff(fpr) > 0).all() and (np.diff(tpr) > 0).all()


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=20))
def test_curve_of_scores_is_the_best_threshold(pairs):
    y, scores = np.array(pairs).T
    if y.all() or not y.any():
        return
    curve = cost_curve(y, scores, pos_label=1)
    rows = []
    for threshold in range(7):
        positive = scores >= threshold
        rows.append(line(positive[y == 0].mean(), positive[y == 1].mean(), GRID))
    np.testing.assert_allclose(curve.at(GRID), np.min(rows, axis=0), atol=1e-9)


def test_positive_is_the_rarer_class():
    y, scores = ["b", "b", "b", "a"], [0.1, 0.2, 0.5, 0.4]
    expected = cost_curve([0, 0, 0, 1], scores)
    np.testing.assert_array_equal(cost_curve(y, scores).cost, expected.cost)
    assert cost_curve(y, scores, pos_label="b").area != pytest.approx(expected.area)
    with pytest.raises(ValueError, match="two classes"):
        cost_curve([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="pos_label='z'"):
        cost_curve(y, scores, pos_label="z")


def test_probability_cost():
    # 2 % positives that are 49 times as expensive: as if there were as many.
    assert probability_cost(0.02, 49) == pytest.approx(0.5)
    np.testing.assert_allclose(probability_cost(0.5, [0, 1, 3]), [0, 0.5, 0.75])
    for prior, ratio in [(-0.1, 1), (1.1, 1), (0.5, -1), (0.5, np.inf), (1, 0)]:
        with pytest.raises(ValueError, match=r"share of positives|cost ratio"):
            probability_cost(prior, ratio)


def test_expected_cost_is_the_curve_scaled():
    """Eq. 11 times the largest cost per example is the mean cost per example."""
    prior, ratio, fpr, tpr = 0.1, 20, 0.3, 0.8
    mean = prior * (1 - tpr) * ratio + (1 - prior) * fpr
    largest = prior * ratio + (1 - prior)
    assert line(fpr, tpr, probability_cost(prior, ratio)) == pytest.approx(mean / largest)


def test_plot_draws_envelopes_lines_and_the_triangle():
    curves = {"a": cost_envelope([0.2], [0.7]), "b": cost_envelope([0.1, 0.6], [0.5, 1.0])}
    axes = plot_cost_curve(curves)
    drawn = {drawn.get_label(): drawn.get_xydata() for drawn in axes.lines}
    np.testing.assert_array_equal(drawn["trivial"], [[0, 0], [0.5, 0.5], [1, 0]])
    for name, curve in curves.items():
        np.testing.assert_array_equal(drawn[name], np.column_stack([curve.pcf, curve.cost]))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["trivial", "a", "b"]


def test_plot_of_one_curve_on_given_axes_with_its_lines():
    curve = cost_envelope([0.2], [0.7], trivial=False)
    given = plt.subplots()[1]
    axes = plot_cost_curve(curve, given, lines=True)
    assert axes is given and len(axes.lines) == 3
    np.testing.assert_allclose(axes.lines[1].get_xydata(), [[0, 0.2], [1, 0.3]])


def test_plot_keeps_a_bad_curve_in_view():
    axes = plot_cost_curve(cost_envelope([0.9], [0.2], trivial=False))
    assert axes.get_ylim()[1] >= 0.9
