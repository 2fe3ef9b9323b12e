"""The exact search: what one node of it can still gain, and what must hold in it.

A node has, for each open box, an inner box that must be contained, an outer box that may not be
exceeded and positives that must stay outside; and positives that may not be in boxes opened later.
Its bound lets every free positive be gained and charges for it: the negatives that it brings into
each box that may take it are reserved for it, each negative's cost at most once (`reserve`).
Whatever would cost more than the distance of the bound from the best known value is ruled out
(`_exact_tighten`), until nothing changes.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import (
    ONE,
    has,
    in_box,
    in_hull,
    lowest_bit,
    meet,
    put,
    total,
    total_to,
)

PRUNED, OPEN_NEW, JOIN, FACE = 0, 1, 2, 3
_MANY = np.int64(2**62)


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
    some_p: np.ndarray
    some_n: np.ndarray
    with_i: np.ndarray  # uint64 (P, K, words of P): positives in k when i joins it
    added: np.ndarray  # uint64 (P, K, words of N): unpaid negatives that i brings into k
    cost: np.ndarray  # int64 (P, K): what they cost
    may_join: np.ndarray  # bool (P, K)
    may_open: np.ndarray  # bool (P,)
    credit: np.ndarray  # int64 (P, K): reserved for i among those that it brings into k
    charge: np.ndarray  # int64 (P,): what i costs at least
    left: np.ndarray  # int64 (P,): gain of i that is not charged yet
    spare: np.ndarray  # int64 (N,): cost that is not reserved yet
    taken: np.ndarray  # int64 (N,)
    loss_out: np.ndarray  # int64 (P, K): what is lost if i stays out of k
    by_rank: np.ndarray  # int64 (ranks,)
    others: np.ndarray  # uint64 (d, words of N): unpaid negatives that other features let in
    group: np.ndarray  # int64 (K + 1,)
    choice: np.ndarray  # int64 (5,): kind of branch, positive or feature, box, rank or side, order


@njit(cache=True, nogil=True)
def fill_inner(t, node, work):
    """Find what the inner boxes cover; False if one of them breaks a rule."""
    work.covered[:] = 0
    work.paid[:] = 0
    for k in range(node.n_open[0]):
        for f in range(node.low.shape[1]):
            if node.low[k, f] < node.outer_low[k, f] or node.high[k, f] > node.outer_high[k, f]:
                return False
        in_box(node.low[k], node.high[k], t.p_at_least, t.p_at_most, work.some_p)
        if meet(work.some_p, node.excluded[k]):
            return False
        work.covered[:] |= work.some_p
        in_box(node.low[k], node.high[k], t.n_at_least, t.n_at_most, work.some_n)
        work.paid[:] |= work.some_n
    return True


@njit(cache=True, nogil=True)
def _in_outer(t, node, i, k):
    for f in range(node.low.shape[1]):
        rank = t.positives[i, f]
        if rank < node.outer_low[k, f] or rank > node.outer_high[k, f]:
            return False
    return True


@njit(cache=True, nogil=True)
def find_options(t, node, work, base, floor, grown):
    """Which boxes each free positive may join; the bound that charges nothing.

    Unless the inner boxes have `grown`, what i brings into k is known from the last time.
    """
    n_open = node.n_open[0]
    upper = base
    for i in range(len(t.gains)):
        work.charge[i] = 0
        work.may_open[i] = False
        if grown:
            work.may_join[i] = not has(work.covered, i)
        if has(work.covered, i):
            continue
        work.may_open[i] = n_open < t.max_boxes and not has(node.no_new, i)
        options = 1 if work.may_open[i] else 0
        for k in range(n_open):
            work.credit[i, k] = 0
            if not work.may_join[i, k]:
                continue
            work.may_join[i, k] = False
            if has(node.excluded[k], i) or not _in_outer(t, node, i, k):
                continue
            point, with_i = t.positives[i], work.with_i[i, k]
            if grown:
                in_hull(node.low[k], node.high[k], point, t.p_at_least, t.p_at_most, with_i)
            if meet(with_i, node.excluded[k]):
                put(node.excluded[k], i)
                continue
            if grown:
                added = work.added[i, k]
                in_hull(node.low[k], node.high[k], point, t.n_at_least, t.n_at_most, added)
                for w in range(len(added)):
                    added[w] &= ~work.paid[w]
                work.cost[i, k] = total(added, t.costs)
            work.may_join[i, k] = True
            options += 1
        if options > 0:
            upper += t.gains[i]
    changed = True
    while changed and upper >= floor:
        changed = False
        for i in range(len(t.gains)):
            options = 1 if work.may_open[i] else 0
            removed = False
            for k in range(n_open):
                if work.may_join[i, k] and upper - work.cost[i, k] < floor:
                    work.may_join[i, k] = False
                    put(node.excluded[k], i)
                    removed = True
                options += work.may_join[i, k]
            if removed and options == 0:
                upper -= t.gains[i]
                changed = True
    return upper


@njit(cache=True, nogil=True)
def _take(words, spare, need):
    """Reserve up to `need` in a set; returns what could not be had."""
    for w in range(len(words)):
        word = words[w]
        while word != 0 and need > 0:
            j = (w << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            part = min(spare[j], need)
            spare[j] -= part
            need -= part
        if need == 0:
            break
    return need


@njit(cache=True, nogil=True)
def reserve(t, node, work):
    """Charge the positives that can only join open boxes; returns the sum of the charges."""
    n_open = node.n_open[0]
    n_positives = len(t.gains)
    cheapest = np.full(n_positives, _MANY)
    for i in range(n_positives):
        if not work.may_open[i]:
            for k in range(n_open):
                if work.may_join[i, k]:
                    cheapest[i] = min(cheapest[i], work.cost[i, k])
    charged = np.int64(0)
    for i in np.argsort(cheapest, kind="mergesort"):
        if cheapest[i] == _MANY:
            break
        charge = t.gains[i]
        work.some_n[:] = ~np.uint64(0)
        for k in range(n_open):
            if work.may_join[i, k]:
                charge = total_to(work.added[i, k], work.spare, charge)
                work.some_n[:] &= work.added[i, k]
        if charge == 0:
            continue
        # what all boxes share pays for all of them
        shared = charge - _take(work.some_n, work.spare, charge)
        for k in range(n_open):
            if work.may_join[i, k]:
                work.credit[i, k] = shared
        for k in range(n_open):
            if work.may_join[i, k] and work.credit[i, k] < charge:
                _reserve_rest(work, i, k, n_open, charge - work.credit[i, k])
        work.charge[i] = charge
        charged += charge
    return charged


@njit(cache=True, nogil=True)
def _reserve_rest(work, i, k, n_open, need):
    added = work.added[i, k]
    for w in range(len(added)):
        word = added[w]
        while word != 0 and need > 0:
            j = (w << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            part = min(work.spare[j], need)
            if part == 0:
                continue
            work.spare[j] -= part
            need -= part
            for other in range(n_open):
                if work.may_join[i, other] and has(work.added[i, other], j):
                    work.credit[i, other] += part
        if need == 0:
            break


@njit(cache=True, nogil=True)
def _pair_set(t, work, i, other):
    """The unpaid negatives of the smallest box around two positives, in `some_n`."""
    if len(t.pairs):
        for w in range(len(work.some_n)):
            work.some_n[w] = t.pairs[i, other, w] & ~work.paid[w]
        return
    a, b = t.positives[i], t.positives[other]
    in_hull(a, a, b, t.n_at_least, t.n_at_most, work.some_n)
    for w in range(len(work.some_n)):
        work.some_n[w] &= ~work.paid[w]


@njit(cache=True, nogil=True)
def _alone(t, node, work, i):
    """What it costs at least that i is missed or joins an open box."""
    cost = work.left[i]
    for k in range(node.n_open[0]):
        if work.may_join[i, k] and cost > 0:
            cost = total_to(work.added[i, k], work.spare, cost)
    return cost


@njit(cache=True, nogil=True)
def _reserve_group(t, node, work, size, cap, tries):
    """Of `size` positives one is missed, joins an open box, shares a new box with another, or
    as many new boxes are opened; charge the least of these (the last is at least `cap`)."""
    group = work.group
    for chosen in range(size):
        best, best_charge = -1, np.int64(0)
        tried = 0
        for i in t.central[::-1]:
            if not work.may_open[i] or work.left[i] == 0 or tried == tries:
                continue
            charge = min(cap, _alone(t, node, work, i))
            for member in range(chosen):
                if group[member] == i:
                    charge = np.int64(0)
                if charge <= best_charge:
                    break
                _pair_set(t, work, group[member], i)
                charge = total_to(work.some_n, work.spare, charge)
            tried += 1
            if charge > best_charge:
                best, best_charge = i, charge
        if best < 0:
            return np.int64(0)
        group[chosen] = best
        cap = best_charge
    # reserve it in every set that one of the possibilities would have to pay
    work.taken[:] = 0
    for a in range(size):
        i = group[a]
        work.left[i] -= cap
        for k in range(node.n_open[0]):
            if work.may_join[i, k]:
                _reserve_once(work, work.added[i, k], cap)
        for b in range(a):
            _pair_set(t, work, i, group[b])
            _reserve_once(work, work.some_n, cap)
    return cap


@njit(cache=True, nogil=True)
def _reserve_once(work, words, charge):
    """Reserve `charge` in a set, counting what the same group has reserved in it already."""
    need = charge - total_to(words, work.taken, charge)
    for w in range(len(words)):
        word = words[w]
        while word != 0 and need > 0:
            j = (w << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            part = min(work.spare[j], need)
            work.spare[j] -= part
            work.taken[j] += part
            need -= part


@njit(cache=True, nogil=True)
def reserve_new(t, node, work):
    """Charge the positives that may open a box, by the pigeonhole principle."""
    room = t.max_boxes - node.n_open[0]
    work.left[:] = t.gains
    charged = np.int64(0)
    if t.box_cost > 0:
        for size in range(1, room + 1):
            charged += _reserve_group(t, node, work, size, np.int64(t.box_cost), 100)
    while True:
        charge = _reserve_group(t, node, work, room + 1, _MANY, 100)
        if charge == 0:
            return charged
        charged += charge
