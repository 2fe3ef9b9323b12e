"""Tests and intervals for repeated, overlapping splits."""

import numpy as np


def sign_test(first, second) -> float:
    """Two-sided matched-pairs sign test: the p-value of ``first`` and ``second`` being level.

    Pairs that tie say nothing and are left out; without any other pair the p-value is 1.

    >>> sign_test([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5])
    0.03125
    """
    from scipy.stats import binomtest

    difference = np.asarray(first, float) - np.asarray(second, float)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    if wins + losses == 0:
        return 1.0
    return float(binomtest(wins, wins + losses).pvalue)


def corrected_interval(
    differences, *, test_share: float, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Mean of paired differences over overlapping splits, with its corrected t interval.

    Training parts of repeated splits overlap, so the differences are correlated and the naive
    variance is too small. Nadeau and Bengio (2003) replace ``1/k`` by ``1/k + test/train``.

    Parameters
    ----------
    differences : array-like of shape (k,)
        One paired difference a split.
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
