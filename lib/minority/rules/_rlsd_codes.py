"""From values to codes, and from rules over codes to the rows that they cover.

The intervals of a column are given by their lower bounds, in ascending order from -inf: a value
belongs to the last interval whose bound it reaches. Those of all columns stand in one array,
`lower`, and column `c` has the part from ``first[c]`` to ``first[c + 1]``.
"""

from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numba import njit, types
from numba.extending import intrinsic

#: Code of what no condition holds for: a missing value, or a category that no rule can ask for.
#: In a rule, the code of an attribute without a condition.
NONE = 255
BLOCK = 1 << 16  # rows whose codes and bits are held at a time, at most
_BITS = 1 << 25  # of all conditions together, at most
# What stays in the cache: of rows, while column after column is read; of words of the bits of all
# conditions, while rule after rule is matched.
_ROWS, _WORDS = 1024, 64
_CELLS = 8  # for each interval of a column, see `_make_cells`
_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)


class Coder(NamedTuple):
    """How values become codes.

    Parameters
    ----------
    columns : int64 ndarray of shape (n_columns,)
        The columns that are coded.
    lower : float64 ndarray of shape (n_intervals,)
    first : int64 ndarray of shape (n_columns + 1,)
    codes : uint8 ndarray of shape (n_intervals,)
        The code of each interval.
    """

    columns: np.ndarray
    lower: np.ndarray
    first: np.ndarray
    codes: np.ndarray


def starts_of(parts):
    """Where each part starts if they stand one after the other, and where the last one ends."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)])


def join(parts):
    """Arrays in one, and where each of them starts, see `starts_of`."""
    return np.concatenate([np.empty(0), *parts]), starts_of(parts)


def make_coder(attributes):
    """The coder of some columns: of each its position, its lower bounds and their codes first."""
    lower, first = join([attribute[1] for attribute in attributes])
    codes = join([attribute[2] for attribute in attributes])[0]
    columns = np.array([attribute[0] for attribute in attributes], dtype=np.int64)
    return Coder(columns, lower, first, codes.astype(np.uint8))


def first_conditions(attributes):
    """Where the conditions of each attribute start if those of all are counted through."""
    return starts_of([attribute.conditions for attribute in attributes])


def encode(coder, X, n_jobs=None):
    """Codes of the rows of X: uint8 ndarray of shape (n_columns, n_samples)."""
    out = np.empty((len(coder.columns), len(X)), dtype=np.uint8)
    n_jobs = effective_n_jobs(n_jobs)
    ends = np.linspace(0, len(X), n_jobs + 1).astype(int).tolist()
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_encode)(X[a:b], *coder, out[:, a:b]) for a, b in pairwise(ends)
    )
    return out


# A search in a thousand bounds has ten steps. Cells of equal width between the first and the last
# bound leave it nearly none: only the bounds in the cell of a value are asked. As a cell follows
# from a value by operations that keep the order, a bound in a later cell is above the value, and
# one in an earlier cell below, however the operations round.


@njit(cache=True, nogil=True)
def _cell_of(value, offset, scale, n_cells):
    place = (value - offset) * scale
    place = place if place > -1.0 else -1.0  # a missing value too
    last = np.float64(n_cells - 2)
    place = place if place < last else last
    return np.int32(place) + np.int32(1)


@njit(cache=True, nogil=True)
def _make_cells(lower, first):
    """Cells of each column: their offset and scale, and where the bounds of each of them start.

    The bounds in cell `k` of column `c` are those behind interval ``starts[where[c] + k]``, up to
    interval ``starts[where[c] + k + 1]``.
    """
    n_columns = len(first) - 1
    offset, scale = np.zeros(n_columns), np.zeros(n_columns)
    where = np.zeros(n_columns + 1, dtype=np.int64)
    for c in range(n_columns):
        where[c + 1] = where[c] + _CELLS * (first[c + 1] - first[c]) + 3
    starts = np.zeros(where[-1], dtype=np.int32)
    for c in range(n_columns):
        of_column = starts[where[c] : where[c + 1]]
        n_cells = len(of_column) - 1
        bounds = lower[first[c] + 1 : first[c + 1]]
        width = bounds[-1] - bounds[0] if len(bounds) > 0 else 0.0
        if 0 < width < np.inf:  # else all are in one cell
            offset[c], scale[c] = bounds[0], (n_cells - 2) / width
        of_column[0] = first[c]
        for bound in bounds:
            of_column[_cell_of(bound, offset[c], scale[c], n_cells) + 1] += 1
        for k in range(n_cells):
            of_column[k + 1] += of_column[k]
    return offset, scale, starts, where


@njit(cache=True, nogil=True)
def _find_intervals(column, lower, offset, scale, starts, values, intervals):
    """Write down some values of a column, and in which interval each of them is.

    What is said of a missing value means nothing.
    """
    for i in range(len(column)):
        values[i] = column[i]
    for i in range(len(column)):
        intervals[i] = _cell_of(values[i], offset, scale, len(starts) - 1)
    for i in range(len(column)):
        start, stop = starts[intervals[i]], starts[intervals[i] + 1]
        size = stop - start + 1
        while size > 1:
            half = size >> 1
            start += half * (lower[start + half] <= values[i])  # quicker than a branch
            size -= half
        intervals[i] = start


@njit(cache=True, nogil=True)
def _encode(X, columns, lower, first, codes, out):
    offset, scale, starts, where = _make_cells(lower, first)
    values, intervals = np.empty(_ROWS), np.empty(_ROWS, dtype=np.int32)
    for begin in range(0, len(X), _ROWS):
        end = min(begin + _ROWS, len(X))
        for c in range(len(columns)):
            column, cells = X[begin:end, columns[c]], starts[where[c] : where[c + 1]]
            _find_intervals(column, lower, offset[c], scale[c], cells, values, intervals)
            for i in range(end - begin):
                out[c, begin + i] = NONE if np.isnan(values[i]) else codes[intervals[i]]


@njit(cache=True, nogil=True)
def count_rows(X, is_positive, columns, lower, first):
    """Rows in each interval.

    Returns
    -------
    counts : int64 ndarray of shape (2, n_intervals)
        Of negatives and of positives. Missing values are in no interval.
    """
    counts = np.zeros((2, len(lower)), dtype=np.int64)
    offset, scale, starts, where = _make_cells(lower, first)
    values, intervals = np.empty(_ROWS), np.empty(_ROWS, dtype=np.int32)
    for begin in range(0, len(X), _ROWS):
        end = min(begin + _ROWS, len(X))
        for c in range(len(columns)):
            column, cells = X[begin:end, columns[c]], starts[where[c] : where[c + 1]]
            _find_intervals(column, lower, offset[c], scale[c], cells, values, intervals)
            for i in range(end - begin):
                if not np.isnan(values[i]):
                    counts[np.int64(is_positive[begin + i]), intervals[i]] += 1
    return counts


@njit(cache=True, nogil=True)
def find_extremes(X, columns, lower, first):
    """The least and the largest value in each interval; inf and -inf where there is none.

    Returns
    -------
    extremes : float64 ndarray of shape (2, n_intervals)
    """
    extremes = np.empty((2, len(lower)))
    extremes[0], extremes[1] = np.inf, -np.inf
    offset, scale, starts, where = _make_cells(lower, first)
    values, intervals = np.empty(_ROWS), np.empty(_ROWS, dtype=np.int32)
    for begin in range(0, len(X), _ROWS):
        end = min(begin + _ROWS, len(X))
        for c in range(len(columns)):
            column, cells = X[begin:end, columns[c]], starts[where[c] : where[c + 1]]
            _find_intervals(column, lower, offset[c], scale[c], cells, values, intervals)
            for i in range(end - begin):
                value, k = values[i], intervals[i]
                if not np.isnan(value):
                    extremes[0, k] = min(extremes[0, k], value)
                    extremes[1, k] = max(extremes[1, k], value)
    return extremes


@njit(cache=True, nogil=True)
def chi_square(positives, negatives, i, j):
    """Chi-square of two intervals and two classes; cells with expectation 0 count as 0."""
    first, second = positives[i] + negatives[i], positives[j] + negatives[j]
    positive, negative = positives[i] + positives[j], negatives[i] + negatives[j]
    margins = float(first) * second * positive * negative
    if margins == 0:
        return 0.0
    difference = float(positives[i]) * negatives[j] - float(positives[j]) * negatives[i]
    # One division of whole numbers: equal chi-squares are equal floats as long as counts are small.
    return float(first + second) * difference * difference / margins


@njit(cache=True, nogil=True)
def likelihood_ratio(positives, negatives, i, j):
    """Likelihood ratio (G) of two intervals and two classes.

    It has the distribution of a chi-square, and keeps to it in the tail where counts are so small
    that the chi-square of `chi_square` does not.
    """
    rows, columns = np.empty(2), np.empty(2)
    rows[0], rows[1] = positives[i] + negatives[i], positives[j] + negatives[j]
    columns[0], columns[1] = positives[i] + positives[j], negatives[i] + negatives[j]
    counts = ((positives[i], negatives[i]), (positives[j], negatives[j]))
    total = 0.0
    for r in range(2):
        for c in range(2):
            if counts[r][c] > 0:
                expected = rows[r] * columns[c]
                total += counts[r][c] * np.log(counts[r][c] * (rows[0] + rows[1]) / expected)
    return round(max(2 * total, 0.0), 9)  # so that equal ratios are equal floats


@njit(cache=True, nogil=True)
def _difference(positives, negatives, i, j, use_likelihood):
    if use_likelihood:
        return likelihood_ratio(positives, negatives, i, j)
    return chi_square(positives, negatives, i, j)


@njit(cache=True, nogil=True)
def merge_intervals(positives, negatives, threshold, max_intervals, use_likelihood=False):
    """Merge the neighbours with the least chi-square until all exceed the threshold.

    Parameters
    ----------
    positives, negatives : int64 ndarray of shape (n_intervals,)
        Rows of either class in each interval.
    threshold : float
    max_intervals : int
        Merging goes on, whatever the chi-square, while there are more.
    use_likelihood : bool, default=False
        Whether `likelihood_ratio` takes the place of the chi-square.

    Returns
    -------
    starts : int64 ndarray
        For each interval that remains, the first of those it was merged from.

    Notes
    -----
    Of equal chi-squares the lowest pair is merged first. The heap holds pairs by their lower
    interval; what it says is out of date if `chi` says something else.
    """
    n = n_left = len(positives)
    positives, negatives = positives.copy(), negatives.copy()
    following, previous = np.arange(1, n + 1), np.arange(-1, n - 1)
    chi = np.full(n, np.inf)  # of an interval and the next; infinite for the last, -1 once merged
    for i in range(n - 1):
        chi[i] = _difference(positives, negatives, i, i + 1, use_likelihood)
    heap = [(chi[i], i) for i in range(n - 1)]
    heapify(heap)
    while len(heap) > 0:
        least, i = heappop(heap)
        if least != chi[i]:
            continue
        if least > threshold and n_left <= max_intervals:
            break
        j = following[i]
        positives[i] += positives[j]
        negatives[i] += negatives[j]
        chi[j] = -1.0
        n_left -= 1
        following[i] = following[j]
        if following[i] < n:
            previous[following[i]] = i
            chi[i] = _difference(positives, negatives, i, following[i], use_likelihood)
            heappush(heap, (chi[i], i))
        else:
            chi[i] = np.inf
        before = previous[i]
        if before >= 0:
            chi[before] = _difference(positives, negatives, before, i, use_likelihood)
            heappush(heap, (chi[before], before))
    return np.flatnonzero(chi != -1.0)


# ---------------------------------------------------------------------------------------------
# Matching: a condition is the set of rows for which it holds, as bits


@intrinsic
def _count_bits(typing_context, word):
    """Number of bits that are set."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def _pack(codes, first, bits):
    n_rows = codes.shape[1]
    # Two sets of words, taken in turn, so that a row need not wait for the one before it.
    even, odd = np.zeros(NONE + 1, dtype=np.uint64), np.zeros(NONE + 1, dtype=np.uint64)
    for c in range(len(codes)):
        for w in range(bits.shape[1]):
            begin = w << 6
            size = min(64, n_rows - begin)
            for i in range(0, size - 1, 2):
                even[codes[c, begin + i]] |= _ONE << np.uint64(i)
                odd[codes[c, begin + i + 1]] |= _ONE << np.uint64(i + 1)
            if size & 1:
                even[codes[c, begin + size - 1]] |= _ONE << np.uint64(size - 1)
            for k in range(first[c + 1] - first[c]):
                bits[first[c] + k, w] = even[k] | odd[k]
                even[k] = odd[k] = _ZERO


def pack(codes, first):
    """Bits of every condition.

    Parameters
    ----------
    codes : uint8 ndarray of shape (n_attributes, n_samples)
    first : int64 ndarray of shape (n_attributes + 1,)
        Condition "attribute `a` has code `c`" is row ``first[a] + c`` of the bits.

    Returns
    -------
    bits : uint64 ndarray of shape (n_conditions, n_words)
    """
    bits = np.empty((first[-1], -(-codes.shape[1] // 64)), dtype=np.uint64)
    _pack(codes, first, bits)
    return bits


def conditions_of(rules, first, order):
    """Conditions of all rules in one array, those of a rule as in `order`, and where each starts.

    Parameters
    ----------
    rules : uint8 ndarray of shape (n_rules, n_attributes)
    first : int64 ndarray of shape (n_attributes + 1,)
    order : int64 ndarray of shape (n_conditions,)
    """
    rule, attribute = np.nonzero(rules != NONE)
    rank = np.argsort(order)[first[attribute] + rules[rule, attribute]]
    ranked = np.sort(rule * len(order) + rank)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rule, minlength=len(rules)))])
    return order[ranked % max(len(order), 1)], starts


@njit(cache=True, nogil=True)
def cover(bits, conditions, starts):
    """Rows that each rule covers, as bits: uint64 ndarray of shape (n_rules, n_words)."""
    covered = np.empty((len(starts) - 1, bits.shape[1]), dtype=np.uint64)
    for r in range(len(covered)):
        covered[r] = bits[conditions[starts[r]]]
        for k in range(starts[r] + 1, starts[r + 1]):
            covered[r] &= bits[conditions[k]]
    return covered


@njit(cache=True, nogil=True)
def _narrow(rows, bits, conditions, begin):
    """Leave of `rows`, words from `begin` on, those that fulfil the conditions; any left?"""
    for condition in conditions:
        fulfilled = bits[condition, begin : begin + len(rows)]
        some = _ZERO
        for w in range(len(rows)):
            rows[w] &= fulfilled[w]
            some |= rows[w]
        if some == 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _count(bits, conditions, starts, limits, counts, alive):
    """Add the rows that the rules in `alive` cover; return which are still within their limits."""
    alive = alive.copy()
    n_alive = len(alive)
    for begin in range(0, bits.shape[1], _WORDS):
        rows = np.empty(min(_WORDS, bits.shape[1] - begin), dtype=np.uint64)
        n_kept = 0
        for a in range(n_alive):
            r = alive[a]
            rows[:] = _ALL
            if _narrow(rows, bits, conditions[starts[r] : starts[r + 1]], begin):
                n = _ZERO
                for word in rows:
                    n += _count_bits(word)
                counts[r] += np.int64(n)
            if counts[r] <= limits[r]:
                alive[n_kept] = r
                n_kept += 1
        n_alive = n_kept
    return alive[:n_alive]


@njit(cache=True, nogil=True)
def _match(bits, conditions, starts, matches):
    for begin in range(0, bits.shape[1], _WORDS):
        unmatched = np.full(min(_WORDS, bits.shape[1] - begin), _ALL)
        rows = np.empty_like(unmatched)
        for r in range(len(starts) - 1):
            if not unmatched.any():
                break
            rows[:] = unmatched
            if not _narrow(rows, bits, conditions[starts[r] : starts[r + 1]], begin):
                continue
            for w in range(len(rows)):
                word = rows[w]
                unmatched[w] &= ~word
                while word != 0:
                    lowest = word & (~word + _ONE)
                    matches[((begin + w) << 6) + np.int64(_count_bits(lowest - _ONE))] = r
                    word ^= lowest


def _rarest_first(bits):
    """The conditions by how many rows fulfil them: the rarest leave few rows for the others."""
    return np.argsort(np.bitwise_count(bits).sum(axis=1), kind="stable")


def _blocks(n_rows, first):
    """Slices of rows: the more conditions there are, the fewer rows are held at a time."""
    fit = _BITS // max(int(first[-1]), 1) // (64 * _WORDS) * 64 * _WORDS
    step = min(max(fit, 64 * _WORDS), BLOCK)
    return (slice(begin, min(begin + step, n_rows)) for begin in range(0, n_rows, step))


def blocks_of(codes, first, chosen=slice(None)):
    """Codes of some rows at a time, of chosen attributes, whose conditions `first` counts."""
    for rows in _blocks(codes.shape[1], first):
        yield np.ascontiguousarray(codes[chosen, rows])


def encoded_blocks(coder, X, first):
    """The same from values, which are coded as they are needed."""
    for rows in _blocks(len(X), first):
        yield encode(coder, X[rows])


def first_match(rules, blocks, first):
    """For each row the index of the first rule that covers it, -1 if none does.

    The parameters are those of `count_matches`.
    """
    matches = [np.empty(0, dtype=np.int32)]
    conditions = None
    for codes in blocks:
        bits = pack(codes, first)
        if conditions is None:
            conditions, starts = conditions_of(rules, first, _rarest_first(bits))
        matches.append(np.full(codes.shape[1], -1, dtype=np.int32))
        _match(bits, conditions, starts, matches[-1])
    return np.concatenate(matches)


def first_that_holds(holds, rules):
    """For each row the first rule of which all conditions hold, -1 if there is none.

    Parameters
    ----------
    holds : bool ndarray of shape (n_conditions, n_samples)
        Which rows fulfil each condition.
    rules : sequence of sequences of int
        The conditions of each rule, at least one.
    """
    n_rows = holds.shape[1]
    padded = np.pad(holds, ((0, 0), (0, -n_rows % 64)))
    bits = np.packbits(padded, axis=1, bitorder="little").view("<u8")
    conditions = np.array([c for rule in rules for c in rule], dtype=np.int64)
    matches = np.full(n_rows, -1, dtype=np.int32)
    _match(bits, conditions, starts_of(rules), matches)
    return matches


def count_matches(rules, blocks, rows, first, limits, n_jobs=None):
    """Number of rows that each rule covers, but no more than it needs.

    Parameters
    ----------
    rules : uint8 ndarray of shape (n_rules, n_attributes)
        With at least one condition each.
    blocks : iterable of uint8 ndarray of shape (n_attributes, some of the rows)
        Codes of the rows, see `blocks_of`.
    rows : bool ndarray of shape (n_samples,)
        The rows that count.
    first : int64 ndarray of shape (n_attributes + 1,)
    limits : int64 ndarray of shape (n_rules,)
        A rule is given up once it covers more.
    n_jobs : int, default=None

    Returns
    -------
    counts : int64 ndarray of shape (n_rules,)
        Exact where it does not exceed the limit.
    """
    counts = np.zeros(len(rules), dtype=np.int64)
    alive = np.arange(len(rules))
    conditions = None
    n_jobs = effective_n_jobs(n_jobs)
    with Parallel(n_jobs=n_jobs, require="sharedmem") as parallel:
        end = 0
        for codes in blocks:
            if not len(alive):
                break
            begin, end = end, end + codes.shape[1]
            bits = pack(codes, first)
            bits &= _bits_of(rows[begin:end])
            if conditions is None:
                conditions, starts = conditions_of(rules, first, _rarest_first(bits))
            alive = np.concatenate(
                parallel(
                    delayed(_count)(bits, conditions, starts, limits, counts, some)
                    for some in np.array_split(alive, n_jobs)
                )
            )
    return counts


def _bits_of(rows):
    padded = np.zeros(-(-len(rows) // 64) * 64, dtype=bool)
    padded[: len(rows)] = rows
    return np.packbits(padded, bitorder="little").view("<u8")
