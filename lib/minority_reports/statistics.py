"""Tests and intervals for repeated, overlapping splits, and the same over many data sets."""

from functools import cache, lru_cache
from itertools import combinations

import numpy as np


def sign_test(first, second) -> float:
    """Two-sided matched-pairs sign test: the p-value of ``first`` and ``second`` being level.

    Pairs that tie say nothing and are left out; if all tie the p-value is 1. A pair of which a
    side is missing is an error: what is missing is not equal to anything.

    >>> sign_test([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5])
    0.03125
    """
    difference = np.asarray(first, float) - np.asarray(second, float)
    if not difference.size or np.isnan(difference).any():
        raise ValueError("Pairs are missing; compare only what both sides have.")
    return _sign_p_value(int((difference > 0).sum()), int((difference < 0).sum()))


@cache
def _sign_p_value(wins: int, losses: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def corrected_interval(
    differences, *, test_share: float, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Mean of paired differences over overlapping splits, with its corrected t interval.

    Training parts of repeated splits overlap, so the differences are correlated and the naive
    variance is too small. Nadeau and Bengio (2003) replace ``1/k`` by ``1/k + test/train``.

    Parameters
    ----------
    differences : array-like of shape (k,)
        One paired difference per split.
    test_share : float
        Share of the rows in the test part, 0.1 for ten folds.
    confidence : float, default=0.95
        Probability that the interval is to cover.

    Returns
    -------
    mean, low, high : float
        NaN bounds if there are fewer than two differences.
    """
    from scipy.stats import t

    differences = np.asarray(differences, float)
    k = len(differences)
    mean = float(differences.mean()) if k else float("nan")
    if k < 2:
        return mean, float("nan"), float("nan")
    scale = np.sqrt((1 / k + test_share / (1 - test_share)) * differences.var(ddof=1))
    half = float(t.ppf((1 + confidence) / 2, k - 1) * scale)
    return mean, mean - half, mean + half


def excludes_zero(intervals):
    """Which intervals, from `low` to `high` in the columns of a frame, do not contain zero."""
    return (intervals["low"] > 0) | (intervals["high"] < 0)


def bootstrap_means(values, *, n_resamples: int = 10_000, random_state: int = 0) -> np.ndarray:
    """Means over rows drawn with replacement: one number per resample, or one for each column."""
    values = np.asarray(values, float)
    rng = np.random.default_rng(random_state)
    return values[rng.integers(len(values), size=(n_resamples, len(values)))].mean(axis=1)


def bootstrap_interval(
    differences, *, confidence: float = 0.95, n_resamples: int = 10_000, random_state: int = 0
) -> tuple[float, float, float]:
    """Mean of differences, one per data set, with its percentile bootstrap interval.

    It tells what another draw of such data sets would change. With few sets it is too short.

    Parameters
    ----------
    differences : array-like of shape (n_sets,)
        One difference per data set.
    confidence : float, default=0.95
        Probability that the interval is to cover.
    n_resamples : int, default=10_000
        Draws of as many data sets, with replacement.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    mean, low, high : float
        NaN bounds if there are fewer than two differences.
    """
    differences = np.asarray(differences, float)
    mean = float(differences.mean()) if len(differences) else float("nan")
    if len(differences) < 2:
        return mean, float("nan"), float("nan")
    means = bootstrap_means(differences, n_resamples=n_resamples, random_state=random_state)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return mean, float(low), float(high)


def _rank_methods(scores):
    """Ranks within each data set, 1 for the highest score, ties averaged.

    Rounded first: whether two methods tie must not depend on the order of a sum.
    """
    if scores.empty:
        raise ValueError("There are no scores to compare.")
    if scores.isna().to_numpy().any():
        raise ValueError("Scores are missing; leave these data sets out before comparing.")
    return scores.round(12).rank(axis=1, ascending=False)


def friedman(scores):
    """Friedman's test of all methods being level, corrected for ties.

    Parameters
    ----------
    scores : DataFrame of shape (n_sets, n_methods)
        One score for each data set and method, higher is better; at least three methods.

    Returns
    -------
    p_value : float
    mean_ranks : Series
        By method; 1 is the best rank, ties share the mean of theirs.
    """
    from scipy.stats import friedmanchisquare

    ranks = _rank_methods(scores)
    level = ranks.nunique(axis=1).eq(1).all()  # the statistic is 0 / 0 then
    p_value = 1.0 if level else float(friedmanchisquare(*ranks.to_numpy().T).pvalue)
    return p_value, ranks.mean()


def holm(p_values) -> np.ndarray:
    """P-values adjusted for their number by Holm's step-down method, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted


def pairwise_wilcoxon(scores, against=None):
    """Wilcoxon's signed-rank test over data sets for pairs of methods, with Holm's correction.

    Data sets on which a pair ties say nothing about it and are left out; a pair that ties on all
    of them has the p-value 1.

    Parameters
    ----------
    scores : DataFrame of shape (n_sets, n_methods)
        One score for each data set and method, higher is better.
    against : str, default=None
        Compare this method with each of the others, instead of all pairs.

    Returns
    -------
    frame : DataFrame
        A row for each pair: `first`, `second`, `difference` (mean, first minus second), `wins`,
        `losses` (of the first), `p_value` and `p_holm`, corrected for the number of rows.
    """
    import pandas as pd
    from scipy.stats import wilcoxon

    _rank_methods(scores)  # refuses gaps
    if against is None:
        pairs = list(combinations(scores.columns, 2))
    else:
        pairs = [(against, other) for other in scores.columns if other != against]
    rows = []
    for first, second in pairs:
        gaps = (scores[first] - scores[second]).round(12)
        wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
        p_value = float(wilcoxon(gaps[gaps != 0]).pvalue) if wins + losses else 1.0
        rows.append((first, second, gaps.mean(), wins, losses, p_value))
    columns = ["first", "second", "difference", "wins", "losses", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(p_holm=holm(frame["p_value"]))


def nemenyi_distance(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference: mean ranks further apart than this differ at `alpha`.

    >>> round(nemenyi_distance(4, 14), 2)  # Demsar (2006), section 3.2.4
    1.25
    """
    from scipy.stats import studentized_range

    quantile = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


#: Weight of the prior of :func:`bayesian_signed_rank`, as in `baycomp`: half a data set.
_PRIOR = 0.5


@lru_cache(4)
def _posterior_weights(n_sets: int, n_samples: int, random_state: int) -> np.ndarray:
    """Draws of the weights of the prior and of each difference."""
    rng = np.random.default_rng(random_state)
    return rng.dirichlet(np.r_[_PRIOR, np.ones(n_sets)], n_samples)


def bayesian_signed_rank(
    differences, *, equivalent: float, n_samples: int = 20_000, random_state: int = 0
) -> tuple[float, float, float]:
    """Bayesian signed-rank test with a region of practical equivalence.

    The posterior of Benavoli et al. (2014) is a Dirichlet process over the differences, with a
    prior of no difference that weighs half a data set. Of each draw of weights the more probable of
    three counts: that the mean of two differences, drawn by these weights, lies below the region,
    in it or above it.

    Parameters
    ----------
    differences : array-like of shape (n_sets,)
        One difference a data set.
    equivalent : float
        Differences of at most this size mean nothing in practice.
    n_samples : int, default=20_000
        Draws from the posterior: a probability is sure to about 0.01.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    lower, same, higher : float
        The probabilities that the first is worse, practically equivalent and better.

    Examples
    --------
    >>> bayesian_signed_rank([0.0, 0.001, -0.002, 0.0, 0.003], equivalent=0.01)
    (0.0, 1.0, 0.0)
    """
    if not equivalent > 0:
        raise ValueError(f"equivalent must be above 0, not {equivalent!r}.")
    differences = np.asarray(differences, float)
    if np.isnan(differences).any():
        raise ValueError("Differences are missing; compare only what both sides have.")
    values = np.r_[0.0, differences]
    means = ((values[:, None] + values) / 2).round(12)  # what is on the edge is not rounded off it
    weights = _posterior_weights(len(differences), n_samples, random_state)

    def share(sides):
        """The probability, for each draw of weights, of a mean on these sides of an edge."""
        return np.einsum("ij,ij->i", weights @ sides, weights)

    # what lies on an edge counts half on either side
    lower, higher = (share((np.sign(s * means - equivalent) + 1) / 2) for s in (-1, 1))
    regions = np.column_stack([lower, 1 - lower - higher, higher])
    shares = np.bincount(regions.argmax(axis=1), minlength=3) / n_samples
    return tuple(shares.tolist())
