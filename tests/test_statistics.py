"""Tests and intervals for overlapping splits."""

import numpy as np
import pytest
from scipy import stats

from minority.statistics import corrected_interval, sign_test


def test_sign_test_by_hand():
    # 9 wins of 10: P(9 or more) + P(1 or fewer) = 2 * 11 / 1024
    assert sign_test(np.arange(10) + np.r_[-1, [1] * 9], np.arange(10)) == pytest.approx(22 / 1024)


def test_sign_test_ignores_ties_and_is_symmetric():
    a, b = [1, 2, 3, 4, 9, 9], [0, 1, 2, 5, 9, 9]
    assert sign_test(a, b) == sign_test(b, a) == sign_test(a[:4], b[:4])
    assert sign_test([1, 1], [1, 1]) == 1


def test_corrected_interval_by_hand():
    differences = np.array([0.1, 0.3, 0.2, 0.2])
    mean, low, high = corrected_interval(differences, test_share=0.25)
    half = stats.t.ppf(0.975, 3) * np.sqrt((1 / 4 + 1 / 3) * differences.var(ddof=1))
    assert (mean, low, high) == pytest.approx((0.2, 0.2 - half, 0.2 + half))


def test_corrected_interval_is_wider_than_the_naive_one():
    differences = np.random.default_rng(0).normal(size=30)
    _, low, high = corrected_interval(differences, test_share=0.1)
    naive = stats.t.interval(0.95, 29, differences.mean(), stats.sem(differences))
    assert low < naive[0] < naive[1] < high


def test_a_single_difference_has_no_interval():
    mean, low, high = corrected_interval([0.5], test_share=0.1)
    assert mean == 0.5
    assert np.isnan([low, high]).all()
