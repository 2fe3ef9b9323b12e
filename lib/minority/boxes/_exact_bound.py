"""The exact search: what one node of it can still gain, and what must hold in it.

A node has, for each open box, an inner box that must be contained, an outer box that may not be
exceeded and positives that must stay outside; and positives that may not be in boxes opened later.
Its bound lets every free positive be gained and charges for it: the negatives that it brings into
each box that may take it are reserved for it, each negative's cost at most once (`_exact_charge`).
Whatever would cost more than the distance of the bound from the best known value is ruled out
(`_exact_tighten`), until nothing changes.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import (
    NONE,
    ONE,
    count_bits,
    in_box,
    in_hull,
    lowest_bit,
    meet,
    total,
)

PRUNED, OPEN_NEW, JOIN, FACE = 0, 1, 2, 3


class Tables(NamedTuple):
    """The problem, with the examples that a face at each rank lets in."""

    positives: np.ndarray  # int32 (P, d)
    gains: np.ndarray  # int64 (P,)
    costs: np.ndarray  # int64 (N,)
    box_cost: int
    step: int
    max_boxes: int
    p_at_least: np.ndarray  # uint64 (d, ranks, words)
    p_at_most: np.ndarray
    n_at_least: np.ndarray
    n_at_most: np.ndarray
    digits: np.ndarray  # uint64 (digits, words): `planes` of the costs
    unit: int
    central: np.ndarray  # int64 (P,): positives, those likely to be in good boxes first
    pairs: np.ndarray  # uint64 (P, P, words): negatives that two positives enclose; () if too large


class Node(NamedTuple):
    low: np.ndarray  # int32 (K, d): inner boxes
    high: np.ndarray
    outer_low: np.ndarray
    outer_high: np.ndarray
    excluded: np.ndarray  # uint64 (K, words): positives that must stay outside of each box
    no_new: np.ndarray  # uint64 (words,): positives that no new box may contain
    n_open: np.ndarray  # int64 (1,)


class Work(NamedTuple):
    """Space for computations, and the choice of the branch."""

    covered: np.ndarray  # uint64 (words of P,)
    paid: np.ndarray  # uint64 (words of N,)
    some_n: np.ndarray  # uint64 (1, 1, words of N)
    known_low: np.ndarray  # int32 (K, d): the inner boxes that the next five belong to
    known_high: np.ndarray
    inner_p: np.ndarray  # uint64 (K, words of P): positives in k
    inner_n: np.ndarray  # uint64 (K, words of N): negatives in k
    known: np.ndarray  # int8 (P, K): how many of the next two are known
    with_i: np.ndarray  # uint64 (P, K, words of P): positives in k when i joins it
    hull: np.ndarray  # uint64 (P, K, words of N): negatives in k when i joins it
    added: np.ndarray  # uint64 (P, K, words of N): unpaid negatives that i brings into k
    cost: np.ndarray  # int64 (P, K): what they cost
    joins: np.ndarray  # uint64 (K, words of P): positives that may join each open box
    opens: np.ndarray  # uint64 (words of P,): positives that may open a box
    free: np.ndarray  # uint64 (words of P,): positives that may do either
    credit: np.ndarray  # int64 (P, K): reserved for i among those that it brings into k
    charge: np.ndarray  # int64 (P,): what i costs at least
    left: np.ndarray  # int64 (P,): gain of i that is not charged yet
    spare: np.ndarray  # int64 (N,): cost that is not reserved yet
    unreserved: np.ndarray  # uint64 (words of N,): unpaid negatives with a cost to spare
    order: np.ndarray  # int64 (P,): positives as they were charged the last time
    cheapest: np.ndarray  # int64 (P,): least cost of joining an open box
    alone: np.ndarray  # int64 (P,): no less than what it costs to miss or join i
    taken: np.ndarray  # int64 (N,): cost that the same group has reserved
    touched: np.ndarray  # uint64 (words of N,): where that is not 0
    loss_out: np.ndarray  # int64 (P, K): what is lost if i stays out of k
    by_rank: np.ndarray  # int64 (ranks,)
    others: np.ndarray  # uint64 (d, words of N): unreserved negatives that other features let in
    boxes: np.ndarray  # int64 (K,): open boxes that a positive may join
    openers: np.ndarray  # int64 (P,): positives that may open a box and are not fully charged
    group: np.ndarray  # int64 (K + 1,)
    choice: np.ndarray  # int64 (5,): kind of branch, positive or feature, box, rank or side, order


@njit(cache=True, nogil=True)
def fill_inner(t, node, work):
    """Find what the inner boxes cover; False if one of them breaks a rule."""
    work.covered[:] = 0
    work.paid[:] = 0
    for k in range(node.n_open[0]):
        low, high = node.low[k], node.high[k]
        same = True
        for f in range(len(low)):
            if low[f] < node.outer_low[k, f] or high[f] > node.outer_high[k, f]:
                return False
            same &= low[f] == work.known_low[k, f] and high[f] == work.known_high[k, f]
        if not same:
            work.known_low[k] = low
            work.known_high[k] = high
            work.known[:, k] = 0
            in_box(low, high, t.p_at_least, t.p_at_most, work.inner_p[k])
            in_box(low, high, t.n_at_least, t.n_at_most, work.inner_n[k])
        if meet(work.inner_p[k], node.excluded[k]):
            return False
        for w in range(len(work.covered)):
            work.covered[w] |= work.inner_p[k, w]
        for w in range(len(work.paid)):
            work.paid[w] |= work.inner_n[k, w]
    return True


@njit(cache=True, nogil=True)
def _find_joins(t, node, work, k, grown):
    """Which positives may join an open box, and what they bring into it."""
    low, high, joins, excluded = node.low[k], node.high[k], work.joins[k], node.excluded[k]
    known, with_i, hull, added = work.known, work.with_i, work.hull, work.added
    p_words, n_words, digits = len(joins), len(work.paid), t.digits
    in_box(node.outer_low[k], node.outer_high[k], t.p_at_least, t.p_at_most, joins)
    for v in range(p_words):
        word = joins[v] & ~(work.covered[v] | excluded[v])
        while word != 0:
            i = (v << 6) + np.int64(lowest_bit(word))
            bit = word & (~word + ONE)
            word ^= bit
            row = i * t.max_boxes + k
            if known[i, k] == 0:
                start = row * p_words
                in_hull(low, high, t.positives, i, t.p_at_least, t.p_at_most, with_i, start)
                known[i, k] = 1
            barred = NONE
            for w in range(p_words):
                barred |= with_i[i, k, w] & excluded[w]
            if barred != 0:
                excluded[v] |= bit
                continue
            if known[i, k] == 1:
                start = row * n_words
                in_hull(low, high, t.positives, i, t.n_at_least, t.n_at_most, hull, start)
                known[i, k] = 2
            if grown:
                cost = np.int64(0)
                for w in range(n_words):
                    new = hull[i, k, w] & ~work.paid[w]
                    added[i, k, w] = new
                    for b in range(len(digits)):
                        cost += np.int64(count_bits(new & digits[b, w])) << b
                work.cost[i, k] = cost * t.unit
            work.credit[i, k] = 0
        joins[v] &= ~(work.covered[v] | excluded[v])


@njit(cache=True, nogil=True)
def find_options(t, node, work, base, floor, grown):
    """Which boxes each free positive may join; the bound that charges nothing.

    Unless the inner boxes have `grown`, what i brings into k is known from the last time.
    """
    n_open = node.n_open[0]
    for k in range(n_open):
        _find_joins(t, node, work, k, grown)
    everyone = t.p_at_least[0, 0]
    for v in range(len(work.free)):
        work.opens[v] = NONE
        if n_open < t.max_boxes:
            work.opens[v] = everyone[v] & ~(work.covered[v] | node.no_new[v])
        work.free[v] = work.opens[v]
        for k in range(n_open):
            work.free[v] |= work.joins[k, v]
    upper = base + total(work.free, t.gains)
    changed = True
    while changed and upper >= floor:
        changed = False
        for v in range(len(work.free)):
            word = work.free[v]
            while word != 0:
                i = (v << 6) + np.int64(lowest_bit(word))
                bit = word & (~word + ONE)
                word ^= bit
                for k in range(n_open):
                    if work.joins[k, v] & bit != 0 and upper - work.cost[i, k] < floor:
                        work.joins[k, v] ^= bit
                        node.excluded[k, v] |= bit
                left = work.opens[v]
                for k in range(n_open):
                    left |= work.joins[k, v]
                if left & bit == 0:
                    work.free[v] ^= bit
                    upper -= t.gains[i]
                    changed = True
    return upper
