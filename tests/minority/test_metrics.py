"""Area under the convex hull in ROC space."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from minority.metrics import area_under_hull, roc_convex_hull

rates = st.floats(0, 1, allow_subnormal=False)
points = st.lists(st.tuples(rates, rates), max_size=12)
coarse = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12).map(
    lambda pairs: [(x / 4, y / 4) for x, y in pairs]  # many ties and collinear points
)


def split(pairs):
    return [x for x, _ in pairs], [y for _, y in pairs]


def height_by_mixtures(pairs, at):
    """Best true positive rate at a false positive rate, over random choices between two points."""
    pairs = [*pairs, (0.0, 0.0), (1.0, 1.0)]
    best = 0.0
    for x0, y0 in pairs:
        for x1, y1 in pairs:
            if x0 == at:
                best = max(best, y0)
            elif x0 < at < x1:
                best = max(best, y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    return best


def test_worked_hull():
    """Of five points two are corners of the hull."""
    fpr, tpr = [0.2, 0.6, 0.4, 0.3, 0.9], [0.6, 0.9, 0.7, 0.1, 0.9]
    hull = roc_convex_hull(fpr, tpr)
    np.testing.assert_array_equal(hull, [[0, 0.2, 0.6, 1], [0, 0.6, 0.9, 1]])
    # Trapezoids: 0.2 * 0.3, 0.4 * 0.75, 0.4 * 0.95.
    assert area_under_hull(fpr, tpr) == pytest.approx(0.06 + 0.30 + 0.38)


def test_order_and_repetition_do_not_matter():
    fpr, tpr = [0.2, 0.6, 0.4], [0.6, 0.9, 0.7]
    expected = roc_convex_hull(fpr, tpr)
    np.testing.assert_array_equal(roc_convex_hull(fpr[::-1] * 2, tpr[::-1] * 2), expected)


def test_perfect_and_useless():
    assert area_under_hull([0], [1]) == 1
    assert area_under_hull([0.3, 0.8, 1], [0.3, 0.1, 0]) == 0.5


@settings(deadline=None, max_examples=100)
@given(st.one_of(points, coarse))
def test_hull_is_the_best_mixture(pairs):
    fpr, tpr = roc_convex_hull(*split(pairs))
    for at in [x for x, _ in pairs] + [0.1, 0.5, 0.77]:
        # At a jump the upper end counts, so look the height up among the corners first.
        height = tpr[fpr == at].max() if (fpr == at).any() else np.interp(at, fpr, tpr)
        assert height == pytest.approx(height_by_mixtures(pairs, at), abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(st.one_of(points, coarse))
def test_area_agrees_with_qhull(pairs):
    """With (1, 0) added, the area of the whole hull is that under its upper part."""
    corners = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0)]
    above = [(x, y) for x, y in pairs if y > x]  # qhull would count what lies below as well
    expected = ConvexHull(np.array(corners + above)).volume
    area = area_under_hull(*split(pairs))
    assert area == pytest.approx(expected, abs=1e-9)
    assert 0.5 <= area <= 1


@pytest.mark.parametrize(
    ("fpr", "tpr", "message"),
    [
        ([0.1, np.nan], [0.2, 0.3], "fpr contains NaN"),
        ([0.1], [1.2], r"tpr must lie in \[0, 1\]"),
        ([-0.1], [0.2], r"fpr must lie in \[0, 1\]"),
        ([0.1, 0.2], [0.2], "differ in length: 2 and 1"),
        ([[0.1]], [[0.2]], "one-dimensional"),
    ],
)
def test_bad_rates(fpr, tpr, message):
    with pytest.raises(ValueError, match=message):
        area_under_hull(fpr, tpr)
