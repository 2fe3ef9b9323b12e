"""Tests and intervals for overlapping splits; tests over data sets and their diagram."""

from itertools import combinations

import baycomp
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from minority_reports.report import critical_difference
from minority_reports.statistics import (
    bayesian_signed_rank,
    bootstrap_interval,
    bootstrap_means,
    corrected_interval,
    excludes_zero,
    friedman,
    holm,
    nemenyi_distance,
    pairwise_wilcoxon,
    sign_test,
)


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


def test_bootstrap_interval_against_scipy():
    differences = np.random.default_rng(3).normal(0.02, 0.05, size=40)
    mean, low, high = bootstrap_interval(differences)
    theirs = stats.bootstrap(
        (differences,), np.mean, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert mean == pytest.approx(differences.mean())
    np.testing.assert_allclose([low, high], [theirs.low, theirs.high], atol=1e-3)
    _, lower, higher = bootstrap_interval(differences, confidence=0.99)
    assert lower < low < high < higher
    assert np.isnan(bootstrap_interval([0.1])[1]) and np.isnan(bootstrap_interval([]))[0]


def test_columns_are_drawn_together():
    values = np.random.default_rng(4).normal(size=(6, 2))
    means = bootstrap_means(np.column_stack([values, values[:, 0] + 1]), n_resamples=50)
    assert means.shape == (50, 3)
    np.testing.assert_allclose(means[:, 2], means[:, 0] + 1)
    np.testing.assert_array_equal(means[:, 0], bootstrap_means(values[:, 0], n_resamples=50))


#: Table 6 of Demsar (2006): AUC of C4.5 with and without two kinds of pruning. On the last set but
#: one, 0.975 is printed for both +cf and +m+cf, but the printed ranks have no tie there.
DEMSAR = pd.DataFrame(
    {
        "C4.5": [763, 599, 954, 628, 882, 936, 661, 583, 775, 1000, 940, 619, 972, 957],
        "+m": [768, 591, 971, 661, 888, 931, 668, 583, 838, 1000, 962, 666, 981, 978],
        "+cf": [771, 590, 968, 654, 886, 916, 609, 563, 866, 1000, 965, 614, 975.01, 946],
        "+m+cf": [798, 569, 967, 657, 898, 931, 685, 625, 875, 1000, 962, 669, 975, 970],
    }
).div(1000)


def uncorrected_chi2(mean_ranks, n_sets):
    """Friedman's statistic without the correction for ties, as Demsar prints it."""
    k = len(mean_ranks)
    return 12 * n_sets / (k * (k + 1)) * ((mean_ranks**2).sum() - k * (k + 1) ** 2 / 4)


def test_friedman_on_demsars_example():
    p_value, ranks = friedman(DEMSAR)
    assert ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    chi2 = uncorrected_chi2(ranks, len(DEMSAR))
    assert chi2 == pytest.approx(9.28, abs=0.005)
    # ties: three pairs and one group of four, t^3 - t = 6 and 60, of 14 sets with k^3 - k = 60
    ties = 1 - (3 * 6 + 60) / (14 * 60)
    assert p_value == pytest.approx(stats.chi2.sf(chi2 / ties, 3))


def test_nemenyi_distance_on_demsars_example():
    assert nemenyi_distance(4, 14) == pytest.approx(1.25, abs=0.005)
    assert nemenyi_distance(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        rng.normal(loc=[0, 0.3, 0.6, 0.9, 1.5], size=(20, 5)), columns=list("abcde")
    )


def square(frame, column):
    """The pairs of a frame as a symmetric matrix."""
    matrix = pd.DataFrame(1.0, index=list("abcde"), columns=list("abcde"))
    for first, second, value in frame[["first", "second", column]].itertuples(index=False):
        matrix.loc[first, second] = matrix.loc[second, first] = value
    return matrix


def test_pairs_as_in_scikit_posthocs(scores):
    posthocs = pytest.importorskip("scikit_posthocs")
    long = scores.melt(var_name="method", value_name="score")
    for column, adjust in [("p_value", None), ("p_holm", "holm")]:
        theirs = posthocs.posthoc_wilcoxon(
            long, val_col="score", group_col="method", p_adjust=adjust
        )
        np.testing.assert_allclose(square(pairwise_wilcoxon(scores), column), theirs, rtol=1e-10)


def test_nemenyi_as_in_scikit_posthocs(scores):
    posthocs = pytest.importorskip("scikit_posthocs")
    theirs = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    ranks = friedman(scores)[1].to_numpy()
    apart = np.abs(ranks[:, None] - ranks)
    for alpha in (0.01, 0.05, 0.1, 0.3):
        distance = nemenyi_distance(5, 20, alpha)
        np.testing.assert_array_equal(apart > distance, theirs < alpha)
    assert 0 < (apart > nemenyi_distance(5, 20)).sum() < 20


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_by_its_definition(p_values):
    adjusted = holm(p_values)
    m = len(p_values)
    order = sorted(range(m), key=p_values.__getitem__)
    for place, i in enumerate(order):
        expected = max(min(1, (m - j) * p_values[order[j]]) for j in range(place + 1))
        assert adjusted[i] == expected


def test_one_method_against_the_others(scores):
    frame = pairwise_wilcoxon(scores, against="e")
    assert frame["first"].eq("e").all()
    assert frame["second"].tolist() == list("abcd")
    all_pairs = square(pairwise_wilcoxon(scores), "p_value")
    np.testing.assert_array_equal(frame["p_value"], all_pairs.loc["e", list("abcd")])
    np.testing.assert_array_equal(frame["p_holm"], holm(frame["p_value"]))
    assert (frame["wins"] + frame["losses"]).eq(20).all()
    assert frame.loc[0, "difference"] == pytest.approx((scores["e"] - scores["a"]).mean())


def test_ties_do_not_depend_on_rounding():
    level = pd.DataFrame({"a": [0.3, 0.7], "b": [0.1 + 0.2, 0.7], "c": [0.3, 0.7 + 1e-15]})
    p_value, ranks = friedman(level)
    assert p_value == 1
    assert ranks.tolist() == [2, 2, 2]
    assert pairwise_wilcoxon(level)["p_value"].tolist() == [1, 1, 1]


def test_gaps_are_refused(scores):
    gap = scores.mask(scores == scores.loc[0, "a"])
    for compare in (friedman, pairwise_wilcoxon):
        with pytest.raises(ValueError, match="missing"):
            compare(gap)


def drawn_bars(figure):
    """The bars of a diagram as (left, right) ranks."""
    lines = [line for line in figure.axes[0].get_lines() if line.get_gid() == "bar"]
    return sorted(tuple(sorted(line.get_xdata())) for line in lines)


def test_bars_join_what_does_not_differ(scores):
    figure, frame = critical_difference(scores, test="nemenyi")
    ranks = frame.set_index("method")["mean rank"]
    assert ranks.is_monotonic_increasing
    assert ranks.to_dict() == pytest.approx(friedman(scores)[1].to_dict())
    distance = nemenyi_distance(5, 20)
    expected = set()
    for low in ranks:
        high = ranks[ranks - low <= distance].max()
        # a group that lies within another has no bar of its own
        inside = any(a <= low and high <= b and (a, b) != (low, high) for a, b in expected)
        if high > low and not inside:
            expected.add((low, high))
    bars = drawn_bars(figure)
    assert 0 < len(bars) < 5
    margin = 0.1
    assert len(bars) == len(expected)
    for (left, right), (low, high) in zip(bars, sorted(expected), strict=True):
        assert low - margin <= left <= low and high <= right <= high + margin
    plt.close(figure)


@pytest.mark.parametrize("test", ["wilcoxon", "nemenyi"])
def test_no_bar_joins_a_pair_that_differs(scores, test):
    figure, frame = critical_difference(scores, test=test)
    ranks = frame.set_index("method")["mean rank"]
    if test == "wilcoxon":
        differ = pairwise_wilcoxon(scores).query("p_holm < 0.05")[["first", "second"]].to_numpy()
    else:
        gap = nemenyi_distance(5, 20)
        differ = [(a, b) for a, b in combinations(ranks.index, 2) if ranks[b] - ranks[a] > gap]
    assert len(differ)
    for left, right in drawn_bars(figure):
        for a, b in differ:
            assert not (left <= min(ranks[a], ranks[b]) and max(ranks[a], ranks[b]) <= right)
    plt.close(figure)


def test_gaps_are_left_out_and_counted(scores):
    gap = scores.mask(scores == scores.loc[3, "b"])
    figure, frame = critical_difference(gap, labels={"a": "Method A"})
    title = figure.axes[0].get_title(loc="left")
    assert "19 data sets" in title and "1 with gaps left out" in title
    assert frame.set_index("method").loc["a", "label"] == "Method A"
    expected = friedman(scores.drop(index=3))[1]
    assert frame.set_index("method")["mean rank"].to_dict() == pytest.approx(expected.to_dict())
    assert "Friedman" in frame.attrs["caption"]
    plt.close(figure)


def test_without_a_difference_one_bar_joins_all():
    rng = np.random.default_rng(1)
    figure, frame = critical_difference(pd.DataFrame(rng.random((8, 4)), columns=list("abcd")))
    assert len(drawn_bars(figure)) == 1
    assert "no difference" in frame.attrs["caption"]
    plt.close(figure)


def test_two_methods_make_no_diagram(scores):
    figure, frame = critical_difference(scores[["a", "b"]])
    assert frame.empty
    assert "three methods" in figure.axes[0].texts[0].get_text()
    plt.close(figure)


def test_labels_of_many_methods_do_not_overlap():
    rng = np.random.default_rng(2)
    names = [f"a method with a long name {i}" for i in range(14)]
    scores = pd.DataFrame(rng.normal(size=(30, 14)) + np.linspace(0, 2, 14), columns=names)
    figure, _ = critical_difference(scores)
    figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in figure.axes[0].texts if t.get_gid() == "label"]
    assert len(boxes) == 14
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    plt.close(figure)


@pytest.mark.parametrize("pairs", [([np.nan] * 3, [1, 2, 3]), ([1, 2], [1, np.nan]), ([], [])])
def test_missing_pairs_are_level_with_nothing(pairs):
    with pytest.raises(ValueError, match="Pairs are missing"):
        sign_test(*pairs)
    assert sign_test([1, 1], [1, 1]) == 1, "ties are pairs"


@pytest.mark.parametrize("test", [friedman, pairwise_wilcoxon])
def test_no_data_sets_show_nothing(test):
    with pytest.raises(ValueError, match="no scores to compare"):
        test(pd.DataFrame(columns=["a", "b", "c"], dtype=float))


def test_an_interval_excludes_zero_on_either_side_of_it():
    bounds = pd.DataFrame({"low": [0.1, -0.2, -0.1, 0.0, np.nan], "high": [0.2, -0.1, 0.1, 1, 1]})
    assert excludes_zero(bounds).tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("mean", [-0.03, 0.0, 0.008, 0.015])
def test_bayesian_signed_rank_is_baycomps(mean):
    differences = np.random.default_rng(1).normal(mean, 0.03, 25)
    found = bayesian_signed_rank(differences, equivalent=0.01)
    known = baycomp.SignedRankTest.probs(
        np.zeros(25), differences, 0.01, nsamples=4_000, random_state=0
    )
    # both are drawn: four standard deviations of the smaller sample
    np.testing.assert_allclose(found, known, atol=4 * np.sqrt(0.25 / 4_000))


def test_bayesian_signed_rank_counts_the_edge_half():
    # one set at twice the edge: a pair with the prior lies on it, one with itself above
    *_, higher = bayesian_signed_rank([0.02], equivalent=0.01)
    weight = stats.beta(1, 0.5)  # of the set beside the prior's
    # above counts w^2 + w (1 - w) = w, so it is the more probable one where w > 1/2
    assert higher == pytest.approx(weight.sf(0.5), abs=0.01)


@given(st.lists(st.floats(-0.1, 0.1), min_size=1, max_size=12))
def test_bayesian_signed_rank_is_symmetric(differences):
    options = {"equivalent": 0.01, "n_samples": 2_000}
    found = bayesian_signed_rank(differences, **options)
    turned = bayesian_signed_rank(-np.array(differences), **options)
    assert sum(found) == pytest.approx(1)
    # ties between regions, which have no probability unless all lies on an edge, go one way
    np.testing.assert_allclose(found, turned[::-1], atol=1e-3)


def test_bayesian_signed_rank_refuses_gaps():
    with pytest.raises(ValueError, match="missing"):
        bayesian_signed_rank([0.1, np.nan], equivalent=0.01)
    with pytest.raises(ValueError, match="above 0"):
        bayesian_signed_rank([0.1], equivalent=0)
