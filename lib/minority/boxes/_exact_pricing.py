"""Depth-first search over tight boxes: the pricing problem of the column generation.

A box B with the positives S in it is priced at the sum of ``reward[i] - sum of v[i, j]`` over i in
S and the negatives j in B. The search grows a box from one positive after the other. What a
positive adds can only fall as the box grows, so that the sum over all positives that the box may
still reach is a bound. Sets of points are bitsets, with a row for each (feature, rank).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import ONE, has, in_box, lowest_bit, meet, pack, put
from minority.boxes._exact_problem import BoxProblem
from minority.boxes._exact_search import face_sets

# Prices closer than this are taken as equal.
_TOLERANCE = 1e-9
_NO_LIMIT = np.iinfo(np.int64).max


class Tables(NamedTuple):
    """A `BoxProblem` as bitsets; see `_exact_bits.in_box` for the last four."""

    positives: np.ndarray  # int32 (P, d)
    below: np.ndarray  # int32 (N, d)
    above: np.ndarray  # int32 (N, d)
    costs: np.ndarray  # int64 (N,)
    p_at_least: np.ndarray  # uint64 (d, ranks, words)
    p_at_most: np.ndarray
    n_at_least: np.ndarray
    n_at_most: np.ndarray


class Allowed(NamedTuple):
    """Which boxes are searched: those whose negatives cost at most `limit`."""

    limit: int
    clash: np.ndarray  # bits (P, words): positives that share no such box with each positive
    outside: np.ndarray  # bits (words,): positives in no such box


class Prices(NamedTuple):
    """Dual values: the reward of each positive, and v in compressed rows."""

    reward: np.ndarray  # float (P,)
    first: np.ndarray  # intp (P + 1,): where the entries of each positive begin
    negative: np.ndarray  # intp (entries,)
    v: np.ndarray  # float (entries,)


class Search(NamedTuple):
    """The state of a search, so that it can be stopped and taken up again; a row is a level."""

    all_boxes: bool
    low: np.ndarray
    high: np.ndarray
    outside: np.ndarray  # bits: positives that the box may not contain
    barred: np.ndarray  # bits: positives that are not chosen, but may be inside
    charged: np.ndarray  # bits: positives chosen although they lower the price
    order: np.ndarray  # candidates, best first
    gain: np.ndarray  # what each adds at most
    rest: np.ndarray  # sum of the positive gains from each candidate on
    base: np.ndarray  # price of the box itself
    count: np.ndarray
    next: np.ndarray
    level: np.ndarray  # (1,), -1 when the search is over
    least: np.ndarray  # (1,): prices up to here are of no interest
    found: np.ndarray  # (1,): how many boxes were recorded
    found_low: np.ndarray
    found_high: np.ndarray

    @property
    def over(self) -> bool:
        return self.level[0] < 0

    @property
    def full(self) -> bool:
        """Whether more boxes were found than there is room for."""
        return self.found[0] > len(self.found_low)

    @property
    def boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """The boxes that were recorded."""
        return self.found_low[: self.found[0]], self.found_high[: self.found[0]]

    @property
    def bound(self) -> float:
        """Largest price that the search, finished or not, leaves possible."""
        levels = np.arange(self.level[0] + 1)
        reach = self.base[levels] + self.rest[levels, self.next[levels]]
        return float(np.append(reach, self.least).max())


def make_tables(problem: BoxProblem) -> Tables:
    """The bitsets of a problem."""
    n_ranks = int(problem.ranks.max())
    return Tables(
        problem.positives,
        problem.below,
        problem.above,
        problem.costs,
        *face_sets(problem.positives, problem.positives, n_ranks),
        *face_sets(problem.below, problem.above, n_ranks),
    )


def make_allowed(pair_cost: np.ndarray, limit: int) -> Allowed:
    """Boxes of limited cost, by the cost of the smallest box around each pair of positives."""
    return Allowed(limit, pack(pair_cost > limit), pack(np.diag(pair_cost) > limit))


def make_prices(reward, positive, negative, v) -> Prices:
    """Dual values from the pairs (positive, negative) and their v."""
    order = np.argsort(positive, kind="stable")
    order = order[v[order] > 0]
    first = np.searchsorted(positive[order], np.arange(len(reward) + 1))
    return Prices(reward, first, negative[order], v[order])


def start_search(
    tables: Tables,
    prices: Prices,
    allowed: Allowed,
    least: float,
    capacity: int,
    all_boxes: bool = False,
) -> Search:
    """A search for prices above `least` with room for `capacity` boxes; see `advance`."""
    P, d = tables.positives.shape
    words = tables.p_at_least.shape[2]
    levels = P + 2
    search = Search(
        all_boxes=all_boxes,
        low=np.full((levels, d), np.iinfo(np.int32).max, dtype=np.int32),
        high=np.full((levels, d), -1, dtype=np.int32),
        outside=np.zeros((levels, words), dtype=np.uint64),
        barred=np.zeros((levels, words), dtype=np.uint64),
        charged=np.zeros((levels, words), dtype=np.uint64),
        order=np.zeros((levels, P), dtype=np.int32),
        gain=np.zeros((levels, P)),
        rest=np.zeros((levels, P + 1)),
        base=np.zeros(levels),
        count=np.zeros(levels, dtype=np.intp),
        next=np.zeros(levels, dtype=np.intp),
        level=np.zeros(1, dtype=np.intp),
        least=np.array([least], dtype=float),
        found=np.zeros(1, dtype=np.intp),
        found_low=np.zeros((capacity, d), dtype=np.int32),
        found_high=np.zeros((capacity, d), dtype=np.int32),
    )
    search.outside[0] = allowed.outside
    _open(tables, prices, search, 0)
    return search


@njit(cache=True, nogil=True)
def _box_cost(tables, low, high, limit):
    """Cost of the negatives in a box, or some number above `limit`."""
    total = np.int64(0)
    for w in range(tables.n_at_least.shape[2]):
        word = ~np.uint64(0)
        for f in range(len(low)):
            word &= tables.n_at_least[f, low[f], w] & tables.n_at_most[f, high[f], w]
            if word == 0:
                break
        while word != 0:
            total += tables.costs[(w << 6) + np.int64(lowest_bit(word))]
            word &= word - ONE
        if total > limit:
            break
    return total


@njit(cache=True, nogil=True)
def pair_costs(tables, i):
    """Cost of the smallest box around positive i and each positive."""
    result = np.empty(len(tables.positives), np.int64)
    for k in range(len(result)):
        low = np.minimum(tables.positives[i], tables.positives[k])
        high = np.maximum(tables.positives[i], tables.positives[k])
        result[k] = _box_cost(tables, low, high, _NO_LIMIT)
    return result


@njit(cache=True, nogil=True)
def _contribution(tables, prices, i, low, high):
    """What positive i adds to the price of a box."""
    value = prices.reward[i]
    for entry in range(prices.first[i], prices.first[i + 1]):
        j = prices.negative[entry]
        inside = True
        for f in range(len(low)):
            if tables.below[j, f] < low[f] or tables.above[j, f] > high[f]:
                inside = False
                break
        if inside:
            value -= prices.v[entry]
    return value


@njit(cache=True, nogil=True)
def _open(tables, prices, search, level):
    """Price the box of a level and list the positives that it may still take.

    With `all_boxes` positives that lower the price are listed too, while the box can pay for them.
    """
    P, d = tables.positives.shape
    box_low, box_high = search.low[level], search.high[level]
    outside, barred = search.outside[level], search.barred[level]
    order, gain = search.order[level], search.gain[level]
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    inside = np.empty(len(outside), np.uint64)
    base, count, total = 0.0, 0, 0.0
    for i in range(P):
        if has(outside, i):
            continue
        covered = True
        for f in range(d):
            x = tables.positives[i, f]
            low[f], high[f] = min(x, box_low[f]), max(x, box_high[f])
            covered &= low[f] == box_low[f] and high[f] == box_high[f]
        if covered:
            value = _contribution(tables, prices, i, low, high)
            if value > 0 or has(search.charged[level], i):
                base += value
            continue
        if not search.all_boxes and has(barred, i):
            continue
        in_box(low, high, tables.p_at_least, tables.p_at_most, inside)
        if meet(inside, outside):
            put(outside, i)
            continue
        if has(barred, i):
            continue
        value = _contribution(tables, prices, i, low, high)
        if value <= 0 and not search.all_boxes:
            put(barred, i)
            continue
        place = count
        while place > 0 and gain[place - 1] < value:
            gain[place], order[place] = gain[place - 1], order[place - 1]
            place -= 1
        gain[place], order[place] = value, i
        count += 1
        total += max(value, 0.0)
    while count > 0 and base + total + min(gain[count - 1], 0.0) <= search.least[0]:
        if gain[count - 1] > 0:
            count = 0  # nothing that the box may grow into is of interest
            break
        count -= 1
        put(barred, order[count])
    search.rest[level, count] = 0.0
    for place in range(count - 1, -1, -1):
        search.rest[level, place] = search.rest[level, place + 1] + max(gain[place], 0.0)
    search.base[level] = base
    search.count[level] = count
    search.next[level] = 0


@njit(cache=True, nogil=True)
def _enter(tables, allowed, search, level, i, gain):
    """Make the next level the one with positive i chosen; False if its box is not allowed."""
    child = level + 1
    low, high, outside = search.low[child], search.high[child], search.outside[child]
    for f in range(len(low)):
        low[f] = min(search.low[level, f], tables.positives[i, f])
        high[f] = max(search.high[level, f], tables.positives[i, f])
    outside[:] = search.outside[level] | allowed.clash[i]
    search.barred[child] = search.barred[level]
    search.charged[child] = search.charged[level]
    inside = np.empty(len(outside), np.uint64)
    in_box(low, high, tables.p_at_least, tables.p_at_most, inside)
    if meet(inside, outside):
        return False
    if gain <= 0:
        put(search.charged[child], i)
    return _box_cost(tables, low, high, allowed.limit) <= allowed.limit


@njit(cache=True, nogil=True)
def _record(search, level):
    if search.found[0] < len(search.found_low):
        search.found_low[search.found[0]] = search.low[level]
        search.found_high[search.found[0]] = search.high[level]
    search.found[0] += 1


@njit(cache=True, nogil=True)
def advance(tables, prices, allowed, search, max_nodes):
    """Search on for a number of nodes; returns how many were visited.

    Records each box that is better than all before it and raises `search.least` to its price. With
    `all_boxes` it records every box (S, closure of S) of a price above `search.least` instead, and
    some more: positives that lower the price are in S, and paid for, if the box grows to reach
    them, but not those that came to lower it later.
    """
    level, nodes = search.level[0], 0
    while level >= 0 and nodes < max_nodes:
        place = search.next[level]
        if place == search.count[level]:
            level -= 1
            continue
        gain = search.gain[level, place]
        reach = search.base[level] + search.rest[level, place] + min(gain, 0.0)
        if reach <= search.least[0]:
            level -= 1
            continue
        nodes += 1
        i = search.order[level, place]
        possible = _enter(tables, allowed, search, level, i, gain)
        search.next[level] += 1
        # later boxes of this level are those without i, or those that i is not chosen for
        put(search.outside[level] if gain > 0 else search.barred[level], i)
        if not possible:
            continue
        level += 1
        _open(tables, prices, search, level)
        if search.base[level] > search.least[0]:
            _record(search, level)
            if not search.all_boxes:
                search.least[0] = search.base[level] + _TOLERANCE
            elif search.found[0] > len(search.found_low):
                break
    search.level[0] = level
    return nodes


@njit(cache=True, nogil=True)
def dive(tables, prices, allowed, search):
    """From each positive follow the best candidate and record the best box on the way."""
    for seed in range(len(tables.positives)):
        if has(search.outside[0], seed) or prices.reward[seed] <= 0:
            continue
        level, i, best, price = 0, seed, -1, search.least[0]
        while _enter(tables, allowed, search, level, i, 1.0):
            level += 1
            _open(tables, prices, search, level)
            if search.base[level] > price:
                best, price = level, search.base[level]
            if search.count[level] == 0:
                break
            i = search.order[level, 0]
        if best > 0:
            _record(search, best)


@njit(cache=True, nogil=True)
def widen(tables, low, high):
    """Grow boxes in place by positives that bring in no negative."""
    for b in range(len(low)):
        own = _box_cost(tables, low[b], high[b], _NO_LIMIT)
        for i in range(len(tables.positives)):
            wider_low = np.minimum(low[b], tables.positives[i])
            wider_high = np.maximum(high[b], tables.positives[i])
            if _box_cost(tables, wider_low, wider_high, own) <= own:
                low[b] = wider_low
                high[b] = wider_high
