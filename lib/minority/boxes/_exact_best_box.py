"""The best box at given dual values, or all good ones: a branch and bound for one box.

Covering positive i is rewarded with ``reward[i]``, and it pays ``v[i, j]`` for each negative j of
the box that covers it; it would rather count nothing than less. A box is priced at the sum over
its positives. A node has an inner box that must be contained, an outer box that may not be exceeded
and positives that must stay outside. Its bound counts each free positive as if it alone joined the
inner box, and charges it for what those inside lose by the negatives it brings in. Whatever would
cost more than the distance of the bound from the cutoff is ruled out.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import (
    ONE,
    count_bits,
    first_of,
    in_box,
    in_hull,
    lowest_bit,
    meet,
    put,
    weigh,
)
from minority.boxes._exact_bound import Tables
from minority.boxes._exact_charge import _pair_set

_PRUNED = -np.inf
_TOLERANCE = 1e-9  # prices closer than this are taken as equal
_EXTRA = 4  # a stack has room for two nodes per positive and these


class _Nodes(NamedTuple):
    low: np.ndarray  # int32 (nodes, d): inner boxes
    high: np.ndarray
    outer_low: np.ndarray
    outer_high: np.ndarray
    excluded: np.ndarray  # uint64 (nodes, words of P)
    bound: np.ndarray  # float (nodes,)


class _Work(NamedTuple):
    covered: np.ndarray  # uint64 (words of P,): positives in the inner box
    inner: np.ndarray  # uint64 (words of N,): negatives in it
    further: np.ndarray  # uint64 (words of N,): negatives that only the outer box contains
    joins: np.ndarray  # uint64 (words of P,): positives that may join
    with_i: np.ndarray  # uint64 (P, 1, words of P): positives in the box when i joins it
    added: np.ndarray  # uint64 (P, 1, words of N): negatives that i brings in
    worth: np.ndarray  # float (P,): what i counts inside or when it joins
    rest: np.ndarray  # float (P,): what of it is not charged
    spare: np.ndarray  # float (N,): what those inside lose by j, if it is not charged yet
    key: np.ndarray  # float (P,)
    order: np.ndarray  # int64 (P,): positives that may join, the cheapest first
    pair: np.ndarray  # uint64 (1, 1, words of N)
    gain: np.ndarray  # float (P, P): what k counts in the smallest box around i and k


class Found(NamedTuple):
    low: np.ndarray
    high: np.ndarray
    bound: float  # no box has a larger price; of all boxes, none that is not among them
    nodes: int
    over: bool  # whether the search came to its end


@njit(cache=True, nogil=True, inline="always")
def _paid(v, i, sets, a):
    total = 0.0
    for w in range(sets.shape[2]):
        word = sets[a, 0, w]
        while word != 0:
            total += v[i, first_of(w, word)]
            word &= word - ONE
    return total


@njit(cache=True, nogil=True, inline="always")
def _cost_up_to(t, sets, a, b, limit):
    """Whether the cost of a set is at most `limit`."""
    cost = np.int64(0)
    for digit in range(len(t.digits)):
        for w in range(sets.shape[2]):
            cost += np.int64(count_bits(sets[a, b, w] & t.digits[digit, w])) << digit
    return cost * t.unit <= limit


@njit(cache=True, nogil=True)
def _fill_inner(t, reward, v, limit, low, high, excluded, work):
    """Price the inner box; -inf if it is not allowed."""
    in_box(low, high, t.p_at_least, t.p_at_most, work.covered)
    if meet(work.covered, excluded):
        return _PRUNED
    in_box(low, high, t.n_at_least, t.n_at_most, work.inner)
    if weigh(work.inner, t.digits, t.unit) > limit:
        return _PRUNED
    base = 0.0
    for w in range(len(work.covered)):
        word = work.covered[w]
        while word != 0:
            i = (w << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            worth = reward[i]
            for u in range(len(work.inner)):
                rest = work.inner[u]
                while rest != 0:
                    worth -= v[i, first_of(u, rest)]
                    rest &= rest - ONE
            work.worth[i] = max(worth, 0.0)
            base += work.worth[i]
    return base


@njit(cache=True, nogil=True)
def _find_joins(t, reward, v, limit, all_boxes, low, high, outer_low, outer_high, excluded, work):
    """Positives that may join in `order`, and what they count then; returns their number and sum.

    Those that would count nothing are of interest only if all boxes are to be found.
    """
    joins, with_i, added = work.joins, work.with_i, work.added
    p_words, n_words = len(joins), len(work.inner)
    in_box(outer_low, outer_high, t.p_at_least, t.p_at_most, joins)
    size, total = 0, 0.0
    for w in range(p_words):
        word = joins[w] & ~(work.covered[w] | excluded[w])
        joins[w] = word
        while word != 0:
            i = (w << 6) + np.int64(lowest_bit(word))
            bit = word & (~word + ONE)
            word ^= bit
            in_hull(low, high, t.positives, i, t.p_at_least, t.p_at_most, with_i, i * p_words)
            barred = np.uint64(0)
            for u in range(p_words):
                barred |= with_i[i, 0, u] & excluded[u]
            if barred == 0:
                in_hull(low, high, t.positives, i, t.n_at_least, t.n_at_most, added, i * n_words)
            if barred != 0 or not _cost_up_to(t, added, i, 0, limit):
                excluded[w] |= bit
                joins[w] ^= bit
                continue
            worth = reward[i] - _paid(v, i, added, i)
            if worth <= 0:
                worth = 0.0
                if not all_boxes:
                    joins[w] ^= bit
                    continue
            work.worth[i] = worth
            total += worth
            work.order[size] = i
            size += 1
    return size, total


@njit(cache=True, nogil=True)
def _find_losses(v, work):
    """What the positives inside lose by each further negative, at least.

    None loses more than it counts, so that its payments are scaled down if they are more.
    """
    work.spare[:] = 0.0
    for w in range(len(work.covered)):
        word = work.covered[w]
        while word != 0:
            i = (w << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            if work.worth[i] <= 0:
                continue
            total = 0.0
            for u in range(len(work.further)):
                rest = work.further[u]
                while rest != 0:
                    total += v[i, first_of(u, rest)]
                    rest &= rest - ONE
            if total <= 0:
                continue
            share = min(1.0, work.worth[i] / total)
            for u in range(len(work.further)):
                rest = work.further[u]
                while rest != 0:
                    j = first_of(u, rest)
                    work.spare[j] += share * v[i, j]
                    rest &= rest - ONE


@njit(cache=True, nogil=True)
def _charge(work, size):
    """Charge those that may join, the cheapest first; returns the sum of the charges."""
    order, spare = work.order, work.spare
    for place in range(size):
        i = order[place]
        cost = 0.0
        for u in range(len(work.inner)):
            work.added[i, 0, u] &= ~work.inner[u]
            rest = work.added[i, 0, u]
            while rest != 0:
                cost += spare[first_of(u, rest)]
                rest &= rest - ONE
        work.key[i] = cost
        hole = place
        while hole > 0 and work.key[order[hole - 1]] > cost:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = i
    charged = 0.0
    for place in range(size):
        i = order[place]
        need = work.worth[i]
        for u in range(len(work.inner)):
            rest = work.added[i, 0, u]
            while rest != 0 and need > 0:
                j = first_of(u, rest)
                part = min(spare[j], need)
                spare[j] -= part
                need -= part
                rest &= rest - ONE
        work.rest[i] = need
        charged += work.worth[i] - need
    return charged


@njit(cache=True, nogil=True)
def _loss_in(v, work, size, i, enough):
    """What is lost at least if i joins: by those inside, and by others that join too."""
    loss = 0.0
    for u in range(len(work.inner)):
        rest = work.added[i, 0, u]
        while rest != 0:
            loss += work.spare[first_of(u, rest)]
            rest &= rest - ONE
    for place in range(size):
        k = work.order[place]
        if k == i or work.rest[k] <= 0:
            continue
        if loss > enough:
            break
        lost = 0.0
        for u in range(len(work.inner)):
            rest = work.added[i, 0, u] & ~work.added[k, 0, u]
            while rest != 0:
                lost += v[k, first_of(u, rest)]
                rest &= rest - ONE
        loss += min(lost, work.rest[k])
    return loss


@njit(cache=True, nogil=True)
def _refine(
    t, reward, v, limit, all_boxes, low, high, outer_low, outer_high, excluded, cutoff, work
):
    """Bound a node and tighten it until nothing changes.

    Returns the bound, -inf if there is no box, the positive to branch on, -1 if there is none left,
    and the price of the inner box.
    """
    d = len(low)
    while True:
        for f in range(d):
            if low[f] < outer_low[f] or high[f] > outer_high[f]:
                return _PRUNED, -1, 0.0
        base = _fill_inner(t, reward, v, limit, low, high, excluded, work)
        if base == _PRUNED:
            return _PRUNED, -1, 0.0
        size, total = _find_joins(
            t, reward, v, limit, all_boxes, low, high, outer_low, outer_high, excluded, work
        )
        bound = base + total
        if bound <= cutoff or size == 0:
            return bound, -1, base
        for f in range(d):  # nobody asks for more
            bottom, top = low[f], high[f]
            for place in range(size):
                rank = t.positives[work.order[place], f]
                bottom, top = min(bottom, rank), max(top, rank)
            outer_low[f], outer_high[f] = bottom, top
        in_box(outer_low, outer_high, t.n_at_least, t.n_at_most, work.further)
        for u in range(len(work.inner)):
            work.further[u] &= ~work.inner[u]
        _find_losses(v, work)
        bound -= _charge(work, size)
        if bound <= cutoff:
            return bound, -1, base
        gap = bound - cutoff
        # what is lost without i: whoever cannot join without it
        loss_out = work.key
        for place in range(size):
            loss_out[work.order[place]] = 0.0
        for place in range(size):
            k = work.order[place]
            if work.rest[k] <= 0:
                continue
            for w in range(len(work.joins)):
                word = work.with_i[k, 0, w] & work.joins[w]
                while word != 0:
                    loss_out[first_of(w, word)] += work.rest[k]
                    word &= word - ONE
        changed, grown = False, False
        chosen, best = -1, -1.0
        enough = 1.5 * gap + _TOLERANCE
        for place in range(size):
            i = work.order[place]
            if loss_out[i] > gap:
                for f in range(d):
                    low[f] = min(low[f], t.positives[i, f])
                    high[f] = max(high[f], t.positives[i, f])
                grown = True
                break
            loss_in = _loss_in(v, work, size, i, enough)
            if loss_in > gap:
                put(excluded, i)
                changed = True
                continue
            less, more = min(loss_in, loss_out[i]), max(loss_in, loss_out[i])
            score = 3 * less + min(more, enough)
            if score > best:
                chosen, best = i, score
        if not (grown or changed):
            return bound, chosen, base


@njit(cache=True, nogil=True)
def _start(t, reward, v, limit, all_boxes, nodes, cutoff, work):
    """Put a node for each positive on the stack; returns their number.

    A box belongs to the first positive that it contains, where the one of the least bound among
    those that are left comes first.
    """
    size = len(t.positives)
    gain, bound = work.gain, work.key
    alive = np.zeros(size, np.bool_)
    excluded = np.zeros_like(nodes.excluded[0])
    for i in range(size):
        for k in range(size):
            sets, a, b = _pair_set(t, work.pair, i, k)
            gain[i, k] = 0.0
            if _cost_up_to(t, sets, a, b, limit):
                worth = reward[k]
                for w in range(sets.shape[2]):
                    word = sets[a, b, w]
                    while word != 0:
                        worth -= v[k, first_of(w, word)]
                        word &= word - ONE
                gain[i, k] = max(worth, 0.0)
                if i == k:
                    alive[i] = all_boxes or worth > 0
            elif i == k:
                put(excluded, i)
    for i in range(size):
        bound[i] = 0.0
        for k in range(size):
            if alive[k]:
                bound[i] += gain[i, k]
    top = 0
    while True:
        first = -1
        for i in range(size):
            if alive[i] and (first < 0 or bound[i] < bound[first]):
                first = i
        if first < 0:
            return top
        alive[first] = False
        for i in range(size):
            bound[i] -= gain[i, first]
        bound[first] += gain[first, first] + _TOLERANCE
        if bound[first] > cutoff:
            nodes.low[top] = t.positives[first]
            nodes.high[top] = t.positives[first]
            nodes.outer_low[top] = 0
            nodes.outer_high[top] = t.p_at_least.shape[1] - 1
            nodes.excluded[top] = excluded
            nodes.bound[top] = bound[first]
            top += 1
        put(excluded, first)


@njit(cache=True, nogil=True)
def _explore(t, reward, v, limit, all_boxes, nodes, top, cutoff, most, work, low, high, found):
    """Go on depth first for at most `most` nodes or until there is no room for another box.

    Returns the number of nodes left and visited, of boxes found, and the cutoff.
    """
    d = t.positives.shape[1]
    own_low, own_high = np.empty(d, np.int32), np.empty(d, np.int32)
    outer_low, outer_high = np.empty(d, np.int32), np.empty(d, np.int32)
    excluded = np.empty_like(nodes.excluded[0])
    visited = 0
    while top > 0 and visited < most and found < len(low):
        top -= 1
        inherited = nodes.bound[top]
        if inherited <= cutoff:
            continue
        own_low[:], own_high[:] = nodes.low[top], nodes.high[top]
        outer_low[:], outer_high[:] = nodes.outer_low[top], nodes.outer_high[top]
        excluded[:] = nodes.excluded[top]
        visited += 1
        bound, i, base = _refine(
            t,
            reward,
            v,
            limit,
            all_boxes,
            own_low,
            own_high,
            outer_low,
            outer_high,
            excluded,
            cutoff,
            work,
        )
        bound = min(bound, inherited)
        if bound <= cutoff:
            continue
        if (i < 0) if all_boxes else (base > cutoff):
            low[found], high[found] = own_low, own_high
            found += 1
            if not all_boxes:
                cutoff = base + _TOLERANCE
        if i < 0 or bound <= cutoff:
            continue
        for side in range(2):
            nodes.low[top], nodes.high[top] = own_low, own_high
            nodes.outer_low[top], nodes.outer_high[top] = outer_low, outer_high
            nodes.excluded[top] = excluded
            nodes.bound[top] = bound
            if side == 0:
                put(nodes.excluded[top], i)
            else:
                for f in range(d):
                    nodes.low[top, f] = min(own_low[f], t.positives[i, f])
                    nodes.high[top, f] = max(own_high[f], t.positives[i, f])
            top += 1
    return top, visited, found, cutoff


class BestBox:
    """Searches for boxes of one problem at changing dual values."""

    def __init__(self, tables: Tables):
        self.tables = t = tables
        size, d = t.positives.shape
        p_words, n_words = t.p_at_least.shape[2], t.n_at_least.shape[2]
        room = 2 * size + _EXTRA
        self._nodes = _Nodes(
            *(np.zeros((room, d), np.int32) for _ in range(4)),
            np.zeros((room, p_words), np.uint64),
            np.zeros(room),
        )
        self._work = _Work(
            covered=np.zeros(p_words, np.uint64),
            inner=np.zeros(n_words, np.uint64),
            further=np.zeros(n_words, np.uint64),
            joins=np.zeros(p_words, np.uint64),
            with_i=np.zeros((size, 1, p_words), np.uint64),
            added=np.zeros((size, 1, n_words), np.uint64),
            worth=np.zeros(size),
            rest=np.zeros(size),
            spare=np.zeros(len(t.costs)),
            key=np.zeros(size),
            order=np.zeros(size, np.int64),
            pair=np.zeros((1, 1, n_words), np.uint64),
            gain=np.zeros((size, size)),
        )

    def search(
        self,
        reward,
        v,
        *,
        limit: int,
        cutoff: float,
        max_nodes: int,
        late,
        all_boxes: bool = False,
        room: int = 256,
    ) -> Found:
        """Look for boxes whose price is above `cutoff` and whose negatives cost at most `limit`.

        Parameters
        ----------
        reward : float ndarray of shape (P,)
        v : float ndarray of shape (P, N)
            Not negative.
        limit : int
        cutoff : float
            At least 0.
        max_nodes : int
        late : callable
            Tells whether to stop, asked every thousands of nodes.
        all_boxes : bool, default=False
            By default each box that is found is better than those before. Otherwise the search,
            if it comes to its end, has found all smallest boxes around positives above `cutoff`.
        room : int, default=256
            For so many boxes; the search ends before its end when they are found.

        Returns
        -------
        found : Found
        """
        t, nodes = self.tables, self._nodes
        low = np.zeros((room, t.positives.shape[1]), np.int32)
        high, found, visited = low.copy(), 0, 0
        top = _start(t, reward, v, limit, all_boxes, nodes, cutoff, self._work)
        while top > 0 and visited < max_nodes and found < room and not late():
            top, new, found, cutoff = _explore(
                t,
                reward,
                v,
                limit,
                all_boxes,
                nodes,
                top,
                cutoff,
                min(_SLICE, max_nodes - visited),
                self._work,
                low,
                high,
                found,
            )
            visited += new
        bound = max(cutoff, nodes.bound[:top].max(initial=cutoff))
        return Found(low[:found], high[:found], bound, visited, top == 0)


_SLICE = 4_096  # nodes between two looks at the clock


@njit(cache=True, nogil=True)
def widen(t, low, high):
    """Grow boxes in place by positives that bring in no negative."""
    n_words = t.n_at_least.shape[2]
    own, wider = np.zeros(n_words, np.uint64), np.zeros((1, 1, n_words), np.uint64)
    for b in range(len(low)):
        in_box(low[b], high[b], t.n_at_least, t.n_at_most, own)
        for i in range(len(t.positives)):
            in_hull(low[b], high[b], t.positives, i, t.n_at_least, t.n_at_most, wider, 0)
            same = True
            for w in range(n_words):
                same &= wider[0, 0, w] == own[w]
            if same:
                for f in range(low.shape[1]):
                    low[b, f] = min(low[b, f], t.positives[i, f])
                    high[b, f] = max(high[b, f], t.positives[i, f])
