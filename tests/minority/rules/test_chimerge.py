"""ChiMerge against the textbook: every chi-square afresh after each merge, in exact fractions."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency
from sklearn.utils.estimator_checks import parametrize_with_checks

from minority.rules import ChiMerge
from minority.rules import _rlsd_codes as kernels


def plain_chi_square(first, second):
    """Sum of (observed - expected)^2 / expected over the cells; expectation 0 counts as 0."""
    total, result = sum(first) + sum(second), Fraction(0)
    for row in (first, second):
        for k in (0, 1):
            expected = Fraction(sum(row) * (first[k] + second[k]), total) if total else 0
            if expected:
                result += (row[k] - expected) ** 2 / expected
    return result


def plain_likelihood_ratio(first, second):
    """Twice the sum of observed * log(observed / expected); the same to 9 decimals is equal."""
    total, result = sum(first) + sum(second), 0.0
    for row in (first, second):
        for k in (0, 1):
            if row[k]:
                expected = Fraction(sum(row) * (first[k] + second[k]), total)
                result += 2 * row[k] * math.log(row[k] / expected)
    return round(result, 9)


def plain_merge(cells, threshold, max_intervals, difference=plain_chi_square):
    """Positions of the first of the merged intervals."""
    cells = [(i, tuple(cell)) for i, cell in enumerate(cells)]
    while len(cells) > 1:
        chi = [difference(a[1], b[1]) for a, b in pairwise(cells)]
        least = min(chi)
        if least > threshold and len(cells) <= max_intervals:
            break
        k = chi.index(least)
        (start, a), (_, b) = cells[k], cells[k + 1]
        cells[k : k + 2] = [(start, (a[0] + b[0], a[1] + b[1]))]
    return [start for start, _ in cells]


def plain_cut_points(column, is_positive, method, significance, max_intervals=255, edges="midway"):
    known = [(float(v), bool(p)) for v, p in zip(column, is_positive, strict=True) if v == v]
    values = sorted({v for v, p in known if p or method == "classic"})
    cuts = [(a + b) / 2 if edges == "midway" else b for a, b in pairwise(values)]
    cells = [[0, 0] for _ in values]
    for v, p in known:
        if values:
            cells[sum(cut <= v for cut in cuts)][p] += 1
    if significance == "corrected":
        threshold = chi2.isf(0.05 / max(len(cuts), 1), df=1)
        starts = plain_merge(cells, threshold, max_intervals, plain_likelihood_ratio)
    else:
        starts = plain_merge(cells, chi2.isf(significance, df=1), max_intervals)
    return [cuts[start - 1] for start in starts if start]


counts = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=14)


@given(counts, st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.84, 6.0]), st.integers(1, 14))
@settings(max_examples=200, deadline=None)
def test_merging_is_that_of_the_textbook(cells, threshold, max_intervals):
    negatives, positives = np.array(cells).T
    starts = kernels.merge_intervals(positives, negatives, threshold, max_intervals)
    assert starts.tolist() == plain_merge(cells, threshold, max_intervals)
    starts = kernels.merge_intervals(positives, negatives, threshold, max_intervals, True)
    expected = plain_merge(cells, threshold, max_intervals, plain_likelihood_ratio)
    assert starts.tolist() == expected


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_chi_square_of_two_intervals(cells):
    positives, negatives = np.array(cells[:2]), np.array(cells[2:])
    chi = kernels.chi_square(positives, negatives, 0, 1)
    table = np.array([negatives, positives]).T
    assert chi == pytest.approx(float(plain_chi_square(*table.tolist())))
    if table.sum(axis=0).all() and table.sum(axis=1).all():
        assert chi == pytest.approx(chi2_contingency(table, correction=False).statistic)
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        ratio = kernels.likelihood_ratio(positives, negatives, 0, 1)
        assert ratio == pytest.approx(expected, abs=1e-8)


@st.composite
def tables(draw):
    """Few rows of halves, so that ties are frequent, some missing, both classes there."""
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 3))
    cell = st.one_of(st.integers(-6, 6).map(lambda v: v / 2), st.just(np.nan))
    cells = draw(st.lists(cell, min_size=n * d, max_size=n * d))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    y[:2] = [True, False]
    return np.reshape(cells, (n, d)).astype(draw(st.sampled_from(["f4", "f8"]))), np.array(y)


@given(
    tables(),
    st.sampled_from(["minority", "classic"]),
    st.sampled_from(["corrected", 0.05, 0.3, 0.8]),
    st.sampled_from([1, 2, 3, 255]),
    st.sampled_from(["midway", "values"]),
)
@settings(max_examples=150, deadline=None)
def test_cut_points_and_codes(table, method, significance, max_intervals, edges):
    X, y = table
    model = ChiMerge(
        method=method,
        significance=significance,
        max_intervals=max_intervals,
        edges=edges,
        pos_label=True,
    ).fit(X, y)
    codes = model.transform(X)
    assert codes.dtype == np.uint8
    for j in range(X.shape[1]):
        expected = plain_cut_points(X[:, j], y, method, significance, max_intervals, edges)
        assert model.cut_points_[j].tolist() == expected
        for value, code in zip(X[:, j], codes[:, j], strict=True):
            known = value == value
            assert code == (sum(cut <= value for cut in expected) if known else 255)


finite = st.floats(allow_nan=False, allow_infinity=False)
near = st.floats(-3, 3) | st.integers(-5, 5).map(float) | st.floats(1e6, 1e6 + 1)


@st.composite
def columns_and_bounds(draw):
    """Values in and around intervals of any width, from the largest floats to the smallest."""
    columns, bounds = [], []
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.sampled_from([finite, near, st.floats(-1e-310, 1e-310)]))
        known = sorted(set(draw(st.lists(number, max_size=12))))
        asked = st.one_of(number, finite, st.just(np.nan))
        if known:
            side = st.sampled_from([-np.inf, 0.0, np.inf])
            asked |= st.tuples(st.sampled_from(known), side).map(
                lambda pair: math.nextafter(pair[0], pair[1]) if pair[1] else pair[0]
            )
        asked = asked.filter(lambda value: not np.isinf(value))
        columns.append(draw(st.lists(asked, min_size=20, max_size=20)))
        bounds.append(np.array([-np.inf, *known]))
    return np.array(columns).T, bounds


@given(columns_and_bounds())
@settings(max_examples=100, deadline=None)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_value_is_in_the_last_interval_whose_bound_it_reaches(dtype, case):
    X, bounds = case
    with np.errstate(over="ignore"):
        X = X.astype(dtype)
    X[np.isinf(X)] = np.nan
    is_positive = np.arange(len(X)) % 3 == 0
    lower, first = kernels.join(bounds)
    columns = np.arange(len(bounds))
    found = [np.searchsorted(b, X[:, j], side="right") - 1 for j, b in enumerate(bounds)]
    expected = np.array(found)
    expected[np.isnan(X.T)] = kernels.NONE
    coder = kernels.make_coder([(j, b, np.arange(len(b))) for j, b in enumerate(bounds)])
    for n_jobs in (None, 2):
        np.testing.assert_array_equal(kernels.encode(coder, X, n_jobs), expected)
    counts = kernels.count_rows(X, is_positive, columns, lower, first)
    least, largest = kernels.find_extremes(X, columns, lower, first)
    for j, codes in enumerate(expected):
        for k, at in enumerate(range(first[j], first[j + 1])):
            inside = X[codes == k, j]
            n_positives = is_positive[codes == k].sum()
            assert counts[:, at].tolist() == [len(inside) - n_positives, n_positives]
            assert least[at] == min(inside, default=np.inf)
            assert largest[at] == max(inside, default=-np.inf)


def test_threads_and_many_rows_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4)).astype(np.float32)
    y = rng.random(5000) < 0.02 + 0.1 * (X[:, 0] > 1)
    for method in ("minority", "classic"):
        one = ChiMerge(method=method).fit(X, y)
        three = ChiMerge(method=method, n_jobs=3).fit(np.asfortranarray(X), y)
        for a, b in zip(one.cut_points_, three.cut_points_, strict=True):
            np.testing.assert_array_equal(a, b)
    assert len(one.cut_points_[0])


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
def test_the_corrected_level_is_that_of_a_feature(share):
    """Of 300 features that tell nothing, about 5 % have a cut; and at 0.05 for each nearly all."""
    rng = np.random.default_rng(0)
    y = np.arange(round(80 / share)) < 80
    X = rng.normal(size=(len(y), 300))
    cut, plain = (
        sum(
            len(cuts) > 0
            for cuts in ChiMerge(significance=level, pos_label=True).fit(X, y).cut_points_
        )
        for level in ("corrected", 0.05)
    )
    assert cut < 0.09 * 300
    assert plain > 0.6 * 300
    X[y, 0] += 1
    assert len(ChiMerge(pos_label=True).fit(X, y).cut_points_[0])


def test_only_the_minority_makes_intervals():
    """Cuts lie midway between values of the minority, and the ends are open."""
    X = np.r_[np.zeros(20), np.full(20, 10.0), np.linspace(-50, 50, 400)].reshape(-1, 1)
    y = np.r_[np.ones(40), np.zeros(400)]
    model = ChiMerge(significance=1).fit(X, y)
    assert model.cut_points_[0].tolist() == [5.0]
    assert ChiMerge(significance=1, edges="values").fit(X, y).cut_points_[0].tolist() == [10.0]
    assert ChiMerge(method="classic", significance=0.05).fit(X, y).cut_points_[0].size > 1
    assert model.transform([[-1e9], [1e9]]).ravel().tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cuts_between_neighbouring_floats_tell_them_apart(dtype):
    below = dtype(1)
    above = np.nextafter(below, dtype(2))
    X = np.repeat([below, above], 20).reshape(-1, 1)
    y = np.repeat([0, 1], 20)
    model = ChiMerge(method="classic").fit(X, y)
    assert model.transform(X).ravel().tolist() == y.tolist()
    assert model.cut_points_[0].astype(dtype) == model.cut_points_[0]


def test_huge_values_do_not_overflow():
    X = np.repeat([-1.7e308, 1.6e308, 1.7e308], 20).reshape(-1, 1)
    model = ChiMerge(method="classic").fit(X, np.repeat([0, 1, 0], 20))
    assert np.isfinite(model.cut_points_[0]).all()
    assert np.unique(model.transform(X)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", ["minority", "classic"])
def test_a_feature_without_information_has_one_interval(method):
    X = np.column_stack([np.ones(40), np.full(40, np.nan), np.arange(40) % 2])
    y = np.arange(40) // 2 % 2
    model = ChiMerge(method=method).fit(X, y)
    assert [len(cuts) for cuts in model.cut_points_] == [0, 0, 0]
    assert np.unique(model.transform(X), axis=0).tolist() == [[0, 255, 0]]


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="Only binary"):
        ChiMerge().fit(np.arange(9).reshape(-1, 1), np.arange(9) % 3)


@parametrize_with_checks(
    [
        ChiMerge(),
        ChiMerge(method="classic", significance=0.05, max_intervals=3, edges="values", n_jobs=2),
    ]
)
def test_sklearn_contract(estimator, check):
    check(estimator)
