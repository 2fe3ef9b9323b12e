"""RIPPER on integer codes: growing, pruning and optimising the rules of all classes.

Every value of a feature is replaced by its rank among the distinct training values (the code of its
category if the feature is nominal, -1 if it is missing). A rule is an int32 array of shape
(n_conditions, 3) with columns feature, operator, code.

The published descriptions leave many details open (what is shuffled when, how ties are broken,
what is added to the counts). Here they are those of Weka's JRip: given the same random splits,
the rules are the same.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.rules._mdl import TOLERANCE

AT_MOST, AT_LEAST, EQUAL = 0, 1, 2
# The 48-bit linear congruential generator of POSIX drand48 and of Java.
_MULTIPLIER, _INCREMENT, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1
_LN2 = np.log(2)


class Table(NamedTuple):
    """Training data.

    Parameters
    ----------
    codes : int32 ndarray of shape (n_features, n_samples)
    order : uint32 ndarray of shape (n_features, n_samples)
        Rows by ascending code; those with a missing value come first.
    n_missing : int64 ndarray of shape (n_features,)
    nominal : bool ndarray of shape (n_features,)
    y : int64 ndarray of shape (n_samples,)
        Classes, numbered from the rarest.
    weight : float64 ndarray of shape (n_samples,)
    """

    codes: np.ndarray
    order: np.ndarray
    n_missing: np.ndarray
    nominal: np.ndarray
    y: np.ndarray
    weight: np.ndarray


class Options(NamedTuple):
    """What `learn` needs to know beside the data."""

    n_classes: int
    n_folds: int
    n_optimizations: int
    min_weight: float
    check_error: bool
    n_possible: float  # number of conditions that could be written down


@njit(cache=True)
def seeded(seed):
    """State of the generator, an array of one number."""
    return np.array([(seed ^ _MULTIPLIER) & _MASK], dtype=np.int64)


@njit(cache=True)
def _below(state, bound):
    """A random number from 0 to bound - 1."""
    while True:
        state[0] = (state[0] * _MULTIPLIER + _INCREMENT) & _MASK
        bits = state[0] >> 17
        if bound & (bound - 1) == 0:
            return (bound * bits) >> 31
        value = bits % bound
        if bits - value + bound <= 1 << 31:  # else this value would be drawn too often
            return value


@njit(cache=True)
def split(rows, y, n_classes, n_folds, state):
    """Shuffle within classes, deal into folds; all but the last are for growing."""
    start = np.zeros(n_classes + 1, dtype=np.int64)
    for row in rows:
        start[y[row] + 1] += 1
    start = np.cumsum(start)
    bags = np.empty_like(rows)
    end = start[:-1].copy()
    for row in rows:
        bags[end[y[row]]] = row
        end[y[row]] += 1
    for c in range(n_classes):
        low = start[c]
        for i in range(start[c + 1] - low - 1, 0, -1):
            j = _below(state, i + 1)
            bags[low + i], bags[low + j] = bags[low + j], bags[low + i]
    dealt = np.empty_like(rows)
    filled = 0
    for fold in range(n_folds):
        for i in range(fold, len(rows), n_folds):
            dealt[filled] = bags[i]
            filled += 1
    return dealt, len(rows) * (n_folds - 1) // n_folds


@njit(cache=True)
def _holds(code, operator, bound):
    if operator == AT_MOST:
        return 0 <= code <= bound
    if operator == AT_LEAST:
        return code >= bound
    return code == bound


@njit(cache=True)
def _n_holding(rule, codes, row):
    """Number of conditions up to the first that does not hold."""
    k = 0
    while k < len(rule) and _holds(codes[rule[k, 0], row], rule[k, 1], rule[k, 2]):
        k += 1
    return k


@njit(cache=True)
def covers(rule, codes, row):
    return _n_holding(rule, codes, row) == len(rule)


@njit(cache=True)
def foil_gain(true, total, log_rate):
    """Positives times the bits saved on each, relative to the log2 of the rate before.

    One is added to both counts: a rate is never zero, and the purer of two equally large sets wins.
    """
    return true * (np.log2((true + 1) / (total + 1)) - log_rate)


@njit(cache=True)
def best_condition(rows, codes, nominal, positive, weight, sums, log_rate):
    """The condition on one feature with the largest gain.

    Parameters
    ----------
    rows : uint32 ndarray
        Rows by ascending code, without missing values.
    codes : int32 ndarray of shape (n_samples,)
        Codes of the feature.
    positive, weight : float64 ndarray of shape (n_samples,)
        Weight of a row if it is of the class to be described, else 0; weight of any row.
    sums : tuple of two floats
        Sums of `positive` and of `weight` over the rows.
    log_rate : float
        Log2 of the rate of positives that the gain starts from.

    Returns
    -------
    gain, operator, code, true, total
        The gain is 0 if no condition helps. Of equal gains the first counts, in ascending order of
        the codes, and at one code "at least" before "at most".
    """
    best = (0.0, AT_MOST, 0, 0.0, 0.0)
    # A logarithm lies below its tangents. The one at the best rate so far shows for most sets that
    # they cannot be better, at the price of a division.
    threshold, log_touch, slope = TOLERANCE, log_rate, 2.0**-log_rate / _LN2
    below_true = below = 0.0
    above_true, above = sums
    start = 0
    while start < len(rows):
        code = codes[rows[start]]
        true = total = 0.0
        stop = start
        while stop < len(rows) and codes[rows[stop]] == code:
            true += positive[rows[stop]]
            total += weight[rows[stop]]
            stop += 1
        start = stop
        below_true += true
        below += total
        if true > 0:  # else the neighbouring code gives a purer set with as many positives
            if nominal:
                upper, lower = 0.0, _tangent_gain(true, total, log_touch, slope, log_rate)
            else:
                upper = _tangent_gain(below_true, below, log_touch, slope, log_rate)
                lower = _tangent_gain(above_true, above, log_touch, slope, log_rate)
            if max(upper, lower) > threshold:
                if nominal:
                    new = (foil_gain(true, total, log_rate), EQUAL, code, true, total)
                else:
                    new = (
                        foil_gain(above_true, above, log_rate),
                        AT_LEAST,
                        code,
                        above_true,
                        above,
                    )
                    gain = foil_gain(below_true, below, log_rate)
                    if gain > new[0]:
                        new = (gain, AT_MOST, code, below_true, below)
                if new[0] > threshold:
                    best = new
                    threshold = new[0] + TOLERANCE
                    rate = (new[3] + 1) / (new[4] + 1)
                    log_touch, slope = np.log2(rate), 1 / (rate * _LN2)
        above_true -= true
        above -= total
    return best


@njit(cache=True)
def _tangent_gain(true, total, log_touch, slope, log_rate):
    """An upper bound of `foil_gain`: its logarithm replaced by the tangent where it is log_touch.

    The tangent of log2 at r is log2(r) + (x - r) / (r ln 2), so `slope` is 1 / (r ln 2).
    """
    return true * (log_touch - 1 / _LN2 + (true + 1) / (total + 1) * slope - log_rate)


@njit(cache=True)
def _sorted_members(rows, table, member):
    """The rows by ascending code of each feature, and how many are not missing there."""
    n_features, n_samples = table.codes.shape
    # One place more than rows: a row is written before it is known whether it stays.
    lists = np.empty((n_features, len(rows) + 1), dtype=np.uint32)
    lengths = np.zeros(n_features, dtype=np.int64)
    few = len(rows) * 32 < n_samples
    if not few:
        member[rows] = True
    for j in range(n_features):
        n = 0
        if few:  # sorting them is cheaper than looking at every row
            for row in rows:
                lists[j, n] = row
                n += table.codes[j, row] >= 0
            present = lists[j, :n].copy()
            lists[j, :n] = present[np.argsort(table.codes[j][present])]
        else:
            for row in table.order[j, table.n_missing[j] :]:
                lists[j, n] = row
                n += member[row]
        lengths[j] = n
    if not few:
        member[rows] = False
    return lists, lengths


@njit(cache=True)
def sums_of(rows, positive, weight):
    """Weight of the positive rows, and of all."""
    true = total = 0.0
    for row in rows:
        true += positive[row]
        total += weight[row]
    return true, total


@njit(cache=True)
def grow(rule, rows, table, positive, min_weight, member):
    """Add conditions until the rule is pure on `rows`, which it must cover.

    `member` is a scratch array of bool, all false before and after.
    """
    true, total = sums_of(rows, positive, table.weight)
    if true <= 0:
        return rule
    n_features = len(table.nominal)
    lists, lengths = _sorted_members(rows, table, member)
    n_left = len(rows)
    used = np.zeros(n_features, dtype=np.bool_)
    for feature in rule[:, 0]:
        used[feature] = table.nominal[feature]
    while total - true > 0 or len(rule) == 0:
        log_rate = np.log2((true + 1) / (total + 1))
        best, best_feature = (0.0, AT_MOST, 0, 0.0, 0.0), -1
        for j in range(n_features):
            if not used[j]:
                present = lists[j, : lengths[j]]
                sums = (true, total)
                if len(present) < n_left:
                    sums = sums_of(present, positive, table.weight)
                found = best_condition(
                    present,
                    table.codes[j],
                    table.nominal[j],
                    positive,
                    table.weight,
                    sums,
                    log_rate,
                )
                if found[0] > best[0] + TOLERANCE:
                    best, best_feature = found, j
        _, operator, code, true, total = best
        if best_feature < 0 or true < min_weight - TOLERANCE:
            break
        condition = np.array([[best_feature, operator, code]], dtype=np.int32)
        rule = np.concatenate((rule, condition))
        used[best_feature] = table.nominal[best_feature]
        if total - true <= 0:
            break
        kept = lists[best_feature, : lengths[best_feature]].copy()
        n_left = 0
        for row in kept:
            member[row] = _holds(table.codes[best_feature, row], operator, code)
            n_left += member[row]
        for j in range(n_features):
            n = 0
            for i in range(lengths[j]):
                lists[j, n] = lists[j, i]
                n += member[lists[j, i]]
            lengths[j] = n
        member[kept] = False
    return rule


@njit(cache=True)
def prune(rule, rows, table, positive, whole):
    """Cut off the last conditions so that the rule is as accurate as possible on `rows`.

    The worth of a rule is its precision with Laplace's correction, or, with `whole`, its accuracy
    (true positives and true negatives) on all rows. Of equal worths the shorter rule wins.
    """
    n_conditions = len(rule)
    kept = np.zeros(n_conditions + 1)  # weights of the rows that first fail at a condition
    kept_true = np.zeros(n_conditions + 1)
    for row in rows:
        length = _n_holding(rule, table.codes, row)
        kept[length] += table.weight[row]
        kept_true[length] += positive[row]
    # From here on index k stands for the rule of the first k conditions.
    kept = np.cumsum(kept[::-1])[::-1]
    kept_true = np.cumsum(kept_true[::-1])[::-1]
    total, all_true = kept[0], kept_true[0]
    if total <= 0:
        return rule
    best, best_length = (all_true + 1) / (total + 2), 0
    for k in range(1, n_conditions + 1):
        if whole:
            true_negative = (total - all_true) - (kept[k] - kept_true[k])
            worth = (kept_true[k] + true_negative) / total
        else:
            worth = (kept_true[k] + 1) / (kept[k] + 2)
        if worth > best:
            best, best_length = worth, k
    return rule[:best_length].copy()
