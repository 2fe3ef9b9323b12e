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
    weigh,
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
    some_p: np.ndarray
    some_n: np.ndarray
    known_low: np.ndarray  # int32 (K, d): the inner boxes that the next five belong to
    known_high: np.ndarray
    inner_p: np.ndarray  # uint64 (K, words of P): positives in k
    inner_n: np.ndarray  # uint64 (K, words of N): negatives in k
    known: np.ndarray  # int8 (P, K): how many of the next two are known
    with_i: np.ndarray  # uint64 (P, K, words of P): positives in k when i joins it
    hull: np.ndarray  # uint64 (P, K, words of N): negatives in k when i joins it
    added: np.ndarray  # uint64 (P, K, words of N): unpaid negatives that i brings into k
    cost: np.ndarray  # int64 (P, K): what they cost
    may_join: np.ndarray  # bool (P, K)
    may_open: np.ndarray  # bool (P,)
    credit: np.ndarray  # int64 (P, K): reserved for i among those that it brings into k
    charge: np.ndarray  # int64 (P,): what i costs at least
    left: np.ndarray  # int64 (P,): gain of i that is not charged yet
    spare: np.ndarray  # int64 (N,): cost that is not reserved yet
    unreserved: np.ndarray  # uint64 (words of N,): negatives with a cost to spare
    order: np.ndarray  # int64 (P,): positives as they were charged the last time
    cheapest: np.ndarray  # int64 (P,): least cost of joining an open box
    alone: np.ndarray  # int64 (P,): no less than what it costs to miss or join i
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
            low, high, point = node.low[k], node.high[k], t.positives[i]
            if work.known[i, k] == 0:
                in_hull(low, high, point, t.p_at_least, t.p_at_most, work.with_i[i, k])
                work.known[i, k] = 1
            if meet(work.with_i[i, k], node.excluded[k]):
                put(node.excluded[k], i)
                continue
            if work.known[i, k] == 1:
                in_hull(low, high, point, t.n_at_least, t.n_at_most, work.hull[i, k])
                work.known[i, k] = 2
            if grown:
                for w in range(len(work.paid)):
                    work.added[i, k, w] = work.hull[i, k, w] & ~work.paid[w]
                work.cost[i, k] = weigh(work.added[i, k], t.digits, t.unit)
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
def _take(words, spare, unreserved, need):
    """Reserve up to `need` in a set; returns what could not be had."""
    for w in range(len(words)):
        word = words[w] & unreserved[w]
        while word != 0:
            if need == 0:
                return need
            j = (w << 6) + np.int64(lowest_bit(word))
            part = min(spare[j], need)
            spare[j] -= part
            need -= part
            if spare[j] == 0:
                unreserved[w] ^= word & (~word + ONE)
            word &= word - ONE
    return need


@njit(cache=True, nogil=True)
def _sort_joiners(t, node, work):
    """Put the positives that can only join first in `order`, by cost; returns their number.

    The order changes little from one time to the next.
    """
    order, cheapest = work.order, work.cheapest
    size = 0
    for place in range(len(order)):
        i = order[place]
        cost = _MANY
        if not work.may_open[i]:
            for k in range(node.n_open[0]):
                if work.may_join[i, k]:
                    cost = min(cost, work.cost[i, k])
        if cost == _MANY:
            continue
        cheapest[i] = cost
        order[place] = order[size]
        hole = size
        while hole > 0:
            before = order[hole - 1]
            if cheapest[before] < cost or (cheapest[before] == cost and before < i):
                break
            order[hole] = before
            hole -= 1
        order[hole] = i
        size += 1
    return size


@njit(cache=True, nogil=True)
def reserve(t, node, work):
    """Charge the positives that can only join open boxes; returns the sum of the charges."""
    n_open = node.n_open[0]
    spare, unreserved = work.spare, work.unreserved
    charged = np.int64(0)
    for place in range(_sort_joiners(t, node, work)):
        i = work.order[place]
        charge = t.gains[i]
        work.some_n[:] = unreserved
        for k in range(n_open):
            if work.may_join[i, k]:
                charge = total_to(work.added[i, k], unreserved, spare, charge)
                for w in range(len(work.some_n)):
                    work.some_n[w] &= work.added[i, k, w]
        if charge == 0:
            continue
        # what all boxes share pays for all of them
        shared = charge - _take(work.some_n, spare, unreserved, charge)
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
    for w in range(len(work.unreserved)):
        word = work.added[i, k, w] & work.unreserved[w]
        while word != 0:
            if need == 0:
                return
            j = (w << 6) + np.int64(lowest_bit(word))
            bit = word & (~word + ONE)
            word ^= bit
            part = min(work.spare[j], need)
            work.spare[j] -= part
            need -= part
            if work.spare[j] == 0:
                work.unreserved[w] ^= bit
            for other in range(n_open):
                if work.may_join[i, other] and work.added[i, other, w] & bit != 0:
                    work.credit[i, other] += part


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
def _alone(node, work, i):
    """What it costs at least that i is missed or joins an open box."""
    cost = work.left[i]
    for k in range(node.n_open[0]):
        if work.may_join[i, k] and cost > 0:
            cost = total_to(work.added[i, k], work.unreserved, work.spare, cost)
    return cost


@njit(cache=True, nogil=True)
def _reserve_group(t, node, work, size, cap, tries):
    """Of `size` positives one is missed, joins an open box, shares a new box with another, or
    as many new boxes are opened; charge the least of these (the last is at least `cap`)."""
    group = work.group
    for chosen in range(size):
        best, best_charge = -1, np.int64(0)
        tried = 0
        for place in range(len(t.central) - 1, -1, -1):
            i = t.central[place]
            if not work.may_open[i] or work.left[i] == 0:
                continue
            if tried == tries:
                break
            tried += 1
            # costs to spare only fall, so that old values say who cannot be the best
            if min(cap, work.alone[i]) <= best_charge:
                continue
            work.alone[i] = _alone(node, work, i)
            charge = min(cap, work.alone[i])
            for member in range(chosen):
                if group[member] == i:
                    charge = np.int64(0)
                if charge <= best_charge:
                    break
                _pair_set(t, work, group[member], i)
                charge = total_to(work.some_n, work.unreserved, work.spare, charge)
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
    need = charge - total_to(words, words, work.taken, charge)
    for w in range(len(words)):
        word = words[w] & work.unreserved[w]
        while word != 0 and need > 0:
            j = (w << 6) + np.int64(lowest_bit(word))
            part = min(work.spare[j], need)
            work.spare[j] -= part
            work.taken[j] += part
            need -= part
            if work.spare[j] == 0:
                work.unreserved[w] ^= word & (~word + ONE)
            word &= word - ONE


@njit(cache=True, nogil=True)
def reserve_new(t, node, work):
    """Charge the positives that may open a box, by the pigeonhole principle."""
    room = t.max_boxes - node.n_open[0]
    work.left[:] = t.gains
    work.alone[:] = t.gains
    charged = np.int64(0)
    if t.box_cost > 0:
        for size in range(1, room + 1):
            charged += _reserve_group(t, node, work, size, np.int64(t.box_cost), 100)
    while True:
        charge = _reserve_group(t, node, work, room + 1, _MANY, 100)
        if charge == 0:
            return charged
        charged += charge
