"""The value of a split: one pass over a sorted column, or one table of a nominal column.

Weights are numbers of cases, so a row of weight 2 counts as two rows.
"""

import numpy as np
from numba import njit

# Division by zero follows IEEE 754 instead of being looked for.
compiled = njit(cache=True, nogil=True, error_model="numpy")

GAIN_RATIO, HELLINGER, GINI, ENTROPY = range(4)
CRITERIA = {"gain_ratio": GAIN_RATIO, "hellinger": HELLINGER, "gini": GINI, "entropy": ENTROPY}
# C4.5 takes values within this distance for equal, so that the last bits of a sum decide nothing.
EPS = 1e-6
# The same for the other criteria, where a difference of one case among many must be seen.
TIE = 1e-12
# A numeric split of C4.5 leaves a tenth of the mean class size, though no more than this, a side.
_MOST_CASES_PER_SIDE = 25
# Unsigned: compiled code need not ask whether an index counts from the end.
_ONE = np.uint32(1)


def xlogx_table(n):
    """x log2 x of 0..n: weights are mostly whole numbers, and logarithms are slow."""
    x = np.arange(n + 1, dtype=np.float64)
    x[1:] *= np.log2(x[1:])
    return x


@compiled
def xlogx(x, table):
    whole = np.int64(x)
    if whole == x and whole < len(table):
        return table[whole]
    return x * np.log2(x) if x > EPS else 0.0


@compiled
def split_purity(criterion, left, totals, n_left, n_right, table):
    """Value of a binary split up to terms that are the same for all splits of the same cases."""
    value = 0.0
    if criterion == GINI:
        for c in range(len(left)):
            rest = totals[c] - left[c]
            value += left[c] * left[c] / n_left + rest * rest / n_right
    elif criterion == HELLINGER:
        negative, positive = left[0] / totals[0], left[1] / totals[1]
        a = np.sqrt(positive) - np.sqrt(negative)
        b = np.sqrt(max(0.0, 1 - positive)) - np.sqrt(max(0.0, 1 - negative))
        value = np.sqrt(a * a + b * b)
    else:  # minus the entropy within the two sides, in bits over all cases
        for c in range(len(left)):
            value += xlogx(left[c], table) + xlogx(totals[c] - left[c], table)
        value -= xlogx(n_left, table) + xlogx(n_right, table)
    return value


@compiled
def numeric_split(x, words, shift, y, w, counts, criterion, min_leaf, tol, table, left, totals):
    """Best threshold of one column.

    Parameters
    ----------
    x : the column
    words : the node's rows by ascending value, missing values last; shifted by `shift` bits
    y, w : classes and weights of all rows
    counts : weights of the node's classes
    min_leaf : smallest weight of a side
    tol : values at most this far apart are not separated
    left, totals : scratch, one number per class

    Returns
    -------
    score : gain in bits, Hellinger distance or decrease of impurity; -1 without a split
    ratio : gain ratio, else the score
    threshold : midway between two values
    """
    n_known = len(words)
    if n_known and np.isnan(x[words[n_known - 1] >> shift]):
        low = 0
        while low < n_known:  # the first missing value, by bisection
            middle = (low + n_known) // 2
            if np.isnan(x[words[middle] >> shift]):
                n_known = middle
            else:
                low = middle + 1
    n_classes = len(counts)
    for c in range(n_classes):
        left[c] = 0
        totals[c] = counts[c]
    total, missing = totals.sum(), 0 * totals[0]
    for i in range(n_known, len(words)):
        totals[y[words[i] >> shift]] -= w[words[i] >> shift]
        missing += w[words[i] >> shift]
    known = total - missing
    if n_known < 2 or (criterion == HELLINGER and min(totals[0], totals[1]) <= EPS):
        return -1.0, 0.0, 0.0

    side = min_leaf
    if criterion == GAIN_RATIO:
        side = max(min_leaf, min(0.1 * known / n_classes, _MOST_CASES_PER_SIDE))
    # Purity of the undivided node, and what turns a difference of purities into a score.
    base, unit = 0.0, 1.0
    if criterion == GINI:
        for c in range(n_classes):
            base += totals[c] * totals[c] / known
        unit = 1 / total
    elif criterion == HELLINGER:
        unit = known / total
    else:
        for c in range(n_classes):
            base += xlogx(totals[c], table)
        base -= xlogx(known, table)
        unit = 1 / total

    best, step = (0.0, EPS) if criterion == GAIN_RATIO else (-1.0, TIE)
    threshold, best_left, n_tries = 0.0, 0 * known, 0
    n_left = 0 * known  # an integer if the weights are
    value, kind, uniform = x[words[0] >> shift], y[words[0] >> shift], True
    for i in range(n_known - 1):
        row = words[i] >> shift
        weight = w[row]
        left[y[row]] += weight
        n_left += weight
        uniform &= y[row] == kind
        following = x[words[i + 1] >> shift]
        if value + tol < following:
            n_right = known - n_left
            if n_right < side - EPS:
                break
            if n_left >= side - EPS:
                n_tries += 1
                # Inside a run of one class no criterion has its maximum, unless the run goes on
                # to where the other side becomes too small.
                inside = uniform and n_tries > 1
                ahead, group = i + 1, 0 * known
                end = following
                while inside and ahead < n_known and x[words[ahead] >> shift] <= end + tol:
                    end = x[words[ahead] >> shift]
                    inside = y[words[ahead] >> shift] == kind
                    group += w[words[ahead] >> shift]
                    ahead += 1
                if not inside or n_right - group < side - EPS:
                    purity = split_purity(criterion, left, totals, n_left, n_right, table)
                    score = unit * (purity - base)
                    if score > best + step:
                        best, best_left = score, n_left
                        threshold = value / 2 + following / 2
                        if not value <= threshold < following:
                            threshold = value
            kind, uniform = y[words[i + 1] >> shift], True
        value = following
    if best_left == 0:
        return -1.0, 0.0, 0.0
    if criterion != GAIN_RATIO:
        return best, best, threshold
    # Release 8: the choice among the thresholds that were tried costs bits too.
    best -= np.log2(n_tries) / total
    if best <= EPS:
        return -1.0, 0.0, 0.0
    spread = xlogx(total, table) - xlogx(best_left, table) - xlogx(known - best_left, table)
    spread -= xlogx(missing, table)
    return best, best * total / spread, threshold


@compiled
def binary_split(x, words, n_positive, min_leaf, tol, table):
    """`numeric_split` by gain ratio for two classes, no missing value and no weights.

    A word is twice the row, plus its class. Counts are then all that there is to a split, so that
    nothing is read but the words, the column and the table.
    """
    n = len(words)
    if not x[words[0] >> _ONE] + tol < x[words[n - 1] >> _ONE]:
        return -1.0, 0.0, 0.0
    n_negative = n - n_positive
    side = max(min_leaf, min(0.1 * n / 2, _MOST_CASES_PER_SIDE)) - EPS
    least = np.int64(np.ceil(side))
    base = table[n_negative] + table[n_positive] - table[n]
    unit = 1 / np.float64(n)
    best, best_left, threshold, n_tries = 0.0, 0, 0.0, 0
    positive = 0
    word = words[0]
    value, kind, uniform = x[word >> _ONE], np.int64(word & _ONE), True
    for n_left in range(1, min(n - 1, n - least) + 1):
        found = np.int64(word & _ONE)
        positive += found
        uniform &= found == kind
        word = words[n_left]
        following = x[word >> _ONE]
        if value + tol < following:
            if n_left >= least:
                n_tries += 1
                inside = uniform and n_tries > 1
                ahead, end = n_left, following
                while inside and ahead < n and x[words[ahead] >> _ONE] <= end + tol:
                    end = x[words[ahead] >> _ONE]
                    inside = np.int64(words[ahead] & _ONE) == kind
                    ahead += 1
                if not inside or n - ahead < side:
                    negative, n_right = n_left - positive, n - n_left
                    purity = table[negative] + table[n_negative - negative]
                    purity += table[positive] + table[n_positive - positive]
                    purity -= table[n_left] + table[n_right]
                    score = unit * (purity - base)
                    if score > best + EPS:
                        best, best_left = score, n_left
                        threshold = value / 2 + following / 2
                        if not value <= threshold < following:
                            threshold = value
            kind, uniform = np.int64(word & _ONE), True
        value = following
    if best_left == 0:
        return -1.0, 0.0, 0.0
    best -= np.log2(n_tries) / n
    if best <= EPS:
        return -1.0, 0.0, 0.0
    spread = table[n] - table[best_left] - table[n - best_left]
    return best, best * n / spread, threshold


@compiled
def nominal_split(x, words, shift, y, w, counts, criterion, min_leaf, table, bags):
    """Value of the split into all categories; see `numeric_split`.

    `bags` of shape (n_categories, n_classes) is scratch. At least two categories must have
    `min_leaf` cases.
    """
    bags[:] = 0.0
    total, known = counts.sum(), 0.0
    for word in words:
        row = word >> shift
        if not np.isnan(x[row]):
            bags[np.int64(x[row]), y[row]] += w[row]
            known += w[row]
    sides = 0
    before, after, spread, distance = -xlogx(known, table), 0.0, 0.0, 0.0
    classes = np.zeros(len(counts))
    for k in range(len(bags)):
        size = bags[k].sum()
        sides += size >= min_leaf - EPS and size > 0
        spread -= xlogx(size, table)
        after -= xlogx(size, table)
        for c in range(len(counts)):
            after += xlogx(bags[k, c], table)
            classes[c] += bags[k, c]
    if sides < 2:
        return -1.0, 0.0
    if criterion == HELLINGER:
        if min(classes[0], classes[1]) <= EPS:
            return -1.0, 0.0
        for k in range(len(bags)):
            gap = np.sqrt(bags[k, 1] / classes[1]) - np.sqrt(bags[k, 0] / classes[0])
            distance += gap * gap
        distance = np.sqrt(distance) * known / total
        return distance, distance
    for c in range(len(counts)):
        before += xlogx(classes[c], table)
    gain = (after - before) / total
    spread += xlogx(total, table) - xlogx(total - known, table)
    return gain, gain * total / spread if spread > EPS else 0.0
