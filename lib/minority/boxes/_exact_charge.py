"""The exact search: charge the free positives of a node for the negatives that they bring.

What is charged to a positive is reserved among the negatives that it brings into each box that may
take it; each negative's cost is reserved at most once.
"""

import numpy as np
from numba import njit

from minority.boxes._exact_bits import ONE, first_of, has, has_in, in_hull, total_to

_MANY = np.int64(2**62)
_TRIES = 100  # positives that are tried as the next of a group


@njit(cache=True, nogil=True)
def find_boxes(joins, n_open, i, boxes):
    """The open boxes that i may join; returns their number."""
    size = 0
    for k in range(n_open):
        boxes[size] = k
        size += has_in(joins, k, i)
    return size


@njit(cache=True, nogil=True, inline="always")
def _sort_joiners(t, node, work):
    """Put the positives that can only join first in `order`, by cost; returns their number.

    The order changes little from one time to the next.
    """
    order, cheapest = work.order, work.cheapest
    size = 0
    for place in range(len(order)):
        i = order[place]
        cost = _MANY
        if not has(work.opens, i):
            for k in range(node.n_open[0]):
                if has_in(work.joins, k, i):
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
def _take(words, spare, unreserved, need):
    """Reserve up to `need` in a set; returns what could not be had."""
    for w in range(len(words)):
        word = words[w] & unreserved[w]
        while word != 0:
            if need == 0:
                return need
            j = first_of(w, word)
            part = min(spare[j], need)
            spare[j] -= part
            need -= part
            if spare[j] == 0:
                unreserved[w] ^= word & (~word + ONE)
            word &= word - ONE
    return need


@njit(cache=True, nogil=True)
def reserve(t, node, work, enough):
    """Charge the positives that can only join open boxes; returns the sum of the charges.

    Ends as soon as that is above `enough`.
    """
    n_open = node.n_open[0]
    spare, unreserved, some_n = work.spare, work.unreserved, work.some_n[0, 0]
    work.charge[:] = 0
    charged = np.int64(0)
    for place in range(_sort_joiners(t, node, work)):
        i = work.order[place]
        n_options = find_boxes(work.joins, n_open, i, work.boxes)
        charge = t.gains[i]
        for option in range(n_options):
            charge = total_to(work.added, i, work.boxes[option], unreserved, spare, charge)
        if charge == 0:
            continue
        # what all boxes share pays for all of them
        for w in range(len(unreserved)):
            word = unreserved[w]
            for option in range(n_options):
                word &= work.added[i, work.boxes[option], w]
            some_n[w] = word
        shared = charge - _take(some_n, spare, unreserved, charge)
        for option in range(n_options):
            work.credit[i, work.boxes[option]] = shared
        for option in range(n_options):
            k = work.boxes[option]
            if work.credit[i, k] < charge:
                _reserve_rest(work, i, k, n_options, charge - work.credit[i, k])
        work.charge[i] = charge
        charged += charge
        if charged > enough:
            break
    return charged


@njit(cache=True, nogil=True, inline="always")
def _reserve_rest(work, i, k, n_options, need):
    for w in range(len(work.unreserved)):
        word = work.added[i, k, w] & work.unreserved[w]
        while word != 0:
            if need == 0:
                return
            j = first_of(w, word)
            bit = word & (~word + ONE)
            word ^= bit
            part = min(work.spare[j], need)
            work.spare[j] -= part
            need -= part
            if work.spare[j] == 0:
                work.unreserved[w] ^= bit
            for option in range(n_options):
                other = work.boxes[option]
                if work.added[i, other, w] & bit != 0:
                    work.credit[i, other] += part


@njit(cache=True, nogil=True)
def _pair_set(t, some_n, i, other):
    """Where the negatives of the smallest box around two positives are: sets and two places."""
    if len(t.pairs):
        return t.pairs, i, other
    a = t.positives[i]
    in_hull(a, a, t.positives, other, t.n_at_least, t.n_at_most, some_n, 0)
    return some_n, 0, 0


@njit(cache=True, nogil=True)
def _alone(node, work, i):
    """What it costs at least that i is missed or joins an open box."""
    cost = work.left[i]
    for k in range(node.n_open[0]):
        if has_in(work.joins, k, i) and cost > 0:
            cost = total_to(work.added, i, k, work.unreserved, work.spare, cost)
    return cost


@njit(cache=True, nogil=True)
def _reserve_group(t, node, work, n_openers, size, cap):
    """Of `size` positives one is missed, joins an open box, shares a new box with another, or
    as many new boxes are opened; charge the least of these (the last is at least `cap`)."""
    group = work.group
    for chosen in range(size):
        best, best_charge = -1, np.int64(0)
        for place in range(min(n_openers, _TRIES)):
            i = work.openers[place]
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
                sets, a, b = _pair_set(t, work.some_n, group[member], i)
                charge = total_to(sets, a, b, work.unreserved, work.spare, charge)
            if charge > best_charge:
                best, best_charge = i, charge
        if best < 0:
            return np.int64(0)
        group[chosen] = best
        cap = best_charge
    # reserve it in every set that one of the possibilities would have to pay
    work.taken[:] = 0
    work.touched[:] = 0
    for member in range(size):
        i = group[member]
        work.left[i] -= cap
        for k in range(node.n_open[0]):
            if has_in(work.joins, k, i):
                _reserve_once(work, work.added, i, k, cap)
        for other in range(member):
            sets, a, b = _pair_set(t, work.some_n, i, group[other])
            _reserve_once(work, sets, a, b, cap)
    return cap


@njit(cache=True, nogil=True)
def _reserve_once(work, sets, a, b, charge):
    """Reserve `charge` in a set, counting what the same group has reserved in it already."""
    need = charge - total_to(sets, a, b, work.touched, work.taken, charge)
    for w in range(len(work.unreserved)):
        word = sets[a, b, w] & work.unreserved[w]
        while word != 0 and need > 0:
            j = first_of(w, word)
            bit = word & (~word + ONE)
            word ^= bit
            part = min(work.spare[j], need)
            work.spare[j] -= part
            work.taken[j] += part
            work.touched[w] |= bit
            need -= part
            if work.spare[j] == 0:
                work.unreserved[w] ^= bit


@njit(cache=True, nogil=True)
def reserve_new(t, node, work, enough):
    """Charge the positives that may open a box, by the pigeonhole principle, up to `enough`."""
    room = t.max_boxes - node.n_open[0]
    work.left[:] = t.gains
    work.alone[:] = t.gains
    n_openers = 0
    for i in t.central[::-1]:
        if has(work.opens, i):
            work.openers[n_openers] = i
            n_openers += 1
    charged = np.int64(0)
    size, cap = room + 1, _MANY
    if t.box_cost > 0:
        size, cap = 1, np.int64(t.box_cost)
    while True:
        charge = _reserve_group(t, node, work, n_openers, size, cap)
        charged += charge
        if charged > enough:
            return charged
        if size <= room:
            size += 1
            cap = np.int64(t.box_cost) if size <= room else _MANY
        elif charge == 0:
            return charged
        kept = 0
        for place in range(n_openers):
            if work.left[work.openers[place]] > 0:
                work.openers[kept] = work.openers[place]
                kept += 1
        n_openers = kept
