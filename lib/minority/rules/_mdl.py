"""Description length of a rule set, in bits.

A rule set is worth its own code (the theory) plus that of its errors on the data: which of the
covered rows are false positives and which of the others false negatives. The formulas are
Quinlan's (1995) in the form that Cohen (1995) uses them.

Counts are weights. ``true`` and ``false`` hold, per rule, the weights of the positive and of the
negative rows that the rule decides, that is covers after the rules before it.
"""

import numpy as np
from numba import njit

# Weights are sums of floats: differences below this are none.
TOLERANCE = 1e-6
# Conditions are not independent of one another, so the plain code of a rule is too long.
_REDUNDANCY = 0.5
_TINY = 1e-300


@njit(cache=True)
def subset_bits(total, size, probability):
    """Bits to name a subset of `size` out of `total`, each expected with `probability`."""
    bits = 0.0
    if probability > TOLERANCE:
        bits -= size * np.log2(probability)
    if total > size:
        bits -= (total - size) * np.log2(max(1 - probability, _TINY))
    return bits


@njit(cache=True)
def theory_bits(n_conditions, n_possible):
    """Bits of one rule with `n_conditions` out of `n_possible` conditions."""
    if n_conditions == 0:
        return 0.0
    bits = np.log2(n_conditions)
    if n_conditions > 1:
        bits += 2 * np.log2(bits)
    bits += subset_bits(n_possible, n_conditions, n_conditions / n_possible)
    return _REDUNDANCY * bits


@njit(cache=True)
def data_bits(prior, covered, uncovered, false_positive, false_negative):
    """Bits of the errors of a rule set.

    The larger of the two sides is charged by its expected share of the errors, of which a fraction
    `prior` (the share of the class) should be false positives; the other side by its true share.
    """
    bits = np.log2(covered + uncovered + 1)
    errors = false_positive + false_negative
    if covered - uncovered > TOLERANCE:
        bits += subset_bits(covered, false_positive, prior * errors / covered)
        if uncovered > TOLERANCE:
            bits += subset_bits(uncovered, false_negative, false_negative / uncovered)
    else:
        if covered > TOLERANCE:
            bits += subset_bits(covered, false_positive, false_positive / covered)
        if uncovered > TOLERANCE:
            bits += subset_bits(uncovered, false_negative, (1 - prior) * errors / uncovered)
    return bits


@njit(cache=True)
def is_wrong(true, false):
    """Whether a rule errs on at least half of what it decides."""
    return true + false > 0 and false / (true + false) > 0.5 - TOLERANCE


@njit(cache=True)
def drop_rules(true, false, theory, first, totals, prior, check_error, order):
    """Try to drop each rule from `first` on, one after the other.

    A rule goes if the code is no longer without it (its rows counted as uncovered) or if it errs
    on half of its rows.

    Parameters
    ----------
    totals : tuple of two floats
        Weights of the positives and negatives of the data.
    order : int
        1 goes from `first` to the last rule, -1 from the last back to `first`.

    Returns
    -------
    dropped : bool ndarray of shape (n_rules,)
    saved : float
        Bits saved by dropping them.
    bits : float
        Bits of the data with the rules that stay.
    """
    n_rules = len(true)
    dropped = np.zeros(n_rules, dtype=np.bool_)
    true_positive, false_positive = true.sum(), false.sum()
    n_positive = totals[0]
    total = totals[0] + totals[1]

    covered = true_positive + false_positive
    bits = data_bits(prior, covered, total - covered, false_positive, n_positive - true_positive)
    saved = 0.0
    for step in range(n_rules - first):
        k = first + step if order > 0 else n_rules - 1 - step
        fewer_true, fewer_false = true_positive - true[k], false_positive - false[k]
        covered = fewer_true + fewer_false
        without = data_bits(prior, covered, total - covered, fewer_false, n_positive - fewer_true)
        gain = bits + theory[k] - without
        if gain > -TOLERANCE or (check_error and is_wrong(true[k], false[k])):
            dropped[k] = True
            saved += gain
            bits, true_positive, false_positive = without, fewer_true, fewer_false
    return dropped, saved, bits
