"""The exact search: rule out by reduced costs, choose the branch, and run through the tree."""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import (
    ALL,
    ONE,
    first_of,
    has,
    has_in,
    in_box,
    lowest_bit,
    put,
    total,
    total_to,
    weigh,
)
from minority.boxes._exact_bound import FACE, JOIN, OPEN_NEW, PRUNED, fill_inner, find_options
from minority.boxes._exact_charge import find_boxes, reserve, reserve_new


class Stack(NamedTuple):
    """Open nodes: the fields of `Node` with a leading axis, and the bounds of their parents."""

    low: np.ndarray
    high: np.ndarray
    outer_low: np.ndarray
    outer_high: np.ndarray
    excluded: np.ndarray
    no_new: np.ndarray
    n_open: np.ndarray
    bound: np.ndarray


class Best(NamedTuple):
    value: np.ndarray  # int64 (1,)
    low: np.ndarray  # int32 (K, d)
    high: np.ndarray
    n_boxes: np.ndarray  # int64 (1,)


@njit(cache=True, nogil=True)
def _enough(gap):
    """A loss of which no more need be known."""
    return gap + (gap >> 1) + 1


@njit(cache=True, nogil=True)
def _score(first, second, gap):
    """How much a branch raises the bounds of its two sides; the weaker side counts most."""
    most = _enough(gap)
    first, second = min(first, most), min(second, most)
    return 3 * min(first, second) + max(first, second)


@njit(cache=True, nogil=True)
def _choose(choice, kind, what, k, rank, reach_first):
    choice[0], choice[1], choice[2], choice[3], choice[4] = kind, what, k, rank, reach_first


@njit(cache=True, nogil=True)
def _tighten_members(t, node, work, gap):
    """Positives that must or cannot be in a box. Returns what changed and a score."""
    changed, grown = False, False
    best, farthest = np.int64(-1), np.int64(-1)
    n_open, most = node.n_open[0], _enough(gap)
    for v in range(len(work.free)):
        word = work.free[v]
        while word != 0:
            i = (v << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            nearest, nearest_box = np.int64(-1), -1
            n_options = find_boxes(work.joins, n_open, i, work.boxes)
            for option in range(n_options):
                k = work.boxes[option]
                loss_in = work.credit[i, k] - work.charge[i]
                enough = max(most - loss_in, 0)
                loss_in += total_to(work.added, i, k, work.unreserved, work.spare, enough)
                loss_out = np.int64(0)
                if not has(work.opens, i):
                    loss_out = t.gains[i]
                    for other in range(n_options):
                        if other != option:
                            loss_out = min(loss_out, work.credit[i, work.boxes[other]])
                    loss_out -= work.charge[i]
                work.loss_out[i, k] = loss_out
                if loss_in > gap:
                    put(node.excluded[k], i)
                    changed = True
                elif loss_out > gap:
                    for f in range(node.low.shape[1]):
                        node.low[k, f] = min(node.low[k, f], t.positives[i, f])
                        node.high[k, f] = max(node.high[k, f], t.positives[i, f])
                    grown = True
                else:
                    if nearest < 0 or loss_in < nearest:
                        nearest, nearest_box = loss_in, k
                    score = _score(loss_in, loss_out, gap)
                    if score > best and min(loss_in, loss_out) > 0:
                        best = score
                        _choose(work.choice, JOIN, i, k, 0, 1 if loss_in <= loss_out else 0)
            if best < 0 and nearest > farthest:
                farthest = nearest
                _choose(work.choice, JOIN, i, nearest_box, 0, 1)
    return changed, grown, best


@njit(cache=True, nogil=True)
def _let_in_by_others(t, node, work, k):
    """The unreserved negatives that an inner box leaves out in one feature alone, or in none."""
    low, high, others = node.low[k], node.high[k], work.others
    d, words = len(low), len(work.paid)
    for w in range(words):
        before = work.unreserved[w]
        for f in range(d):  # the features before f, then those after it
            others[f, w] = before
            before &= t.n_at_least[f, low[f], w] & t.n_at_most[f, high[f], w]
        after = ALL
        for f in range(d - 1, -1, -1):
            others[f, w] &= after
            after &= t.n_at_least[f, low[f], w] & t.n_at_most[f, high[f], w]


@njit(cache=True, nogil=True, inline="always")
def _tighten_face(t, node, work, k, f, side, gap, best):
    """How far a face must and may go: side 0 is the lower face, 1 the upper."""
    changed, grown = False, False
    inner = node.low[k, f] if side == 0 else node.high[k, f]
    outer = node.outer_low[k, f] if side == 0 else node.outer_high[k, f]
    inwards = 1 if side == 0 else -1
    if inner == outer:
        return changed, grown, best
    by_rank = work.by_rank
    by_rank[:] = -1
    outermost, any_beyond = inner, False
    reached = t.p_at_least[f, inner] if side == 0 else t.p_at_most[f, inner]
    for v in range(len(reached)):
        word = work.joins[k, v] & ~reached[v]
        while word != 0:
            i = (v << 6) + np.int64(lowest_bit(word))
            word &= word - ONE
            rank = t.positives[i, f]
            by_rank[rank] = max(by_rank[rank], 0) + work.loss_out[i, k]
            any_beyond = True
            if (outermost - rank) * inwards > 0:
                outermost = rank
    if outermost != outer:  # nobody asks for more
        outer = outermost
        if side == 0:
            node.outer_low[k, f] = outer
        else:
            node.outer_high[k, f] = outer
    if not any_beyond:
        return changed, grown, best
    # from the outside in: all who lie at or beyond a rank are lost if the box does not reach it
    lost = np.int64(0)
    rank = outer
    while rank != inner:
        if by_rank[rank] >= 0:
            lost += by_rank[rank]
            if lost > gap:
                if side == 0:
                    node.low[k, f] = rank
                else:
                    node.high[k, f] = rank
                inner = rank
                grown = True
                break
        rank += inwards
    # from the inside out: the negatives that reaching a rank brings in
    here = t.n_at_least[f] if side == 0 else t.n_at_most[f]
    opposite = t.n_at_most[f, node.high[k, f]] if side == 0 else t.n_at_least[f, node.low[k, f]]
    remaining = work.some_n[0, 0]
    for w in range(len(remaining)):
        remaining[w] = work.others[f, w] & opposite[w]
    lost_total = lost
    rank = inner - inwards
    inside_lost, paid = np.int64(0), np.int64(0)
    while (rank - outer) * inwards >= 0:
        if by_rank[rank] >= 0:
            for w in range(len(remaining)):
                word = remaining[w] & here[rank, w]
                remaining[w] ^= word
                while word != 0:
                    paid += work.spare[first_of(w, word)]
                    word &= word - ONE
            if paid > gap:
                if side == 0:
                    node.outer_low[k, f] = rank + 1
                else:
                    node.outer_high[k, f] = rank - 1
                return True, grown, best
            if not grown:
                score = _score(paid, lost_total - inside_lost, gap)
                if score > best and min(paid, lost_total - inside_lost) > 0:
                    best = score
                    reach_first = 1 if paid <= lost_total - inside_lost else 0
                    _choose(work.choice, FACE, f, k, 2 * rank + side, reach_first)
            inside_lost += by_rank[rank]
        rank -= inwards
    return changed, grown, best


@njit(cache=True, nogil=True)
def _choose_opener(t, node, work):
    """The positive to branch on that may open a box: the farthest from those open, or -1."""
    farthest, distance = -1, np.int64(-1)
    size = len(t.central)
    for place in range(size):
        i = t.central[place] if node.n_open[0] == 0 else t.central[size - 1 - place]
        if not has(work.opens, i):
            continue
        nearest = np.int64(2**62)
        for k in range(node.n_open[0]):
            if has_in(work.joins, k, i):
                nearest = min(nearest, work.cost[i, k])
        if nearest > distance:
            farthest, distance = i, nearest
    return farthest


@njit(cache=True, nogil=True)
def refine(t, node, work, best):
    """Bound a node and tighten it until nothing changes.

    Improves `best` by the node's inner boxes. Returns the bound; ``work.choice[0]`` says whether
    the node is pruned, or else how to branch.
    """
    grown = True
    while True:
        work.choice[0] = PRUNED
        if grown and not fill_inner(t, node, work):
            return best.value[0]
        n_open = node.n_open[0]
        base = (
            total(work.covered, t.gains) - weigh(work.paid, t.digits, t.unit) - t.box_cost * n_open
        )
        if base > best.value[0]:
            best.value[0] = base
            best.n_boxes[0] = n_open
            best.low[:n_open] = node.low[:n_open]
            best.high[:n_open] = node.high[:n_open]
        floor = best.value[0] + t.step
        upper = find_options(t, node, work, base, floor, grown)
        if upper < floor:
            return upper
        work.spare[:] = t.costs
        for w in range(len(work.paid)):
            work.unreserved[w] = ~work.paid[w]
        upper -= reserve(t, node, work, upper - floor)
        if upper >= floor and n_open < t.max_boxes:
            upper -= reserve_new(t, node, work, upper - floor)
        if upper < floor:
            return upper
        gap = upper - floor
        changed, grown, score = _tighten_members(t, node, work, gap)
        if changed or grown:
            continue
        for k in range(n_open):
            _let_in_by_others(t, node, work, k)
            for f in range(node.low.shape[1]):
                for side in range(2):
                    stopped, reached, score = _tighten_face(t, node, work, k, f, side, gap, score)
                    changed |= stopped
                    grown |= reached
        if changed or grown:
            continue
        opener = _choose_opener(t, node, work)
        if opener >= 0:
            # what a new box costs by itself is charged already
            point, alone = t.positives[opener], work.some_n
            in_box(point, point, t.n_at_least, t.n_at_most, alone)
            if total_to(alone, 0, 0, work.unreserved, work.spare, gap + 1) > gap:
                put(node.no_new, opener)
                continue
            _choose(work.choice, OPEN_NEW, opener, 0, 0, 0)
        return upper


@njit(cache=True, nogil=True)
def _copy(node, stack, place):
    stack.low[place] = node.low
    stack.high[place] = node.high
    stack.outer_low[place] = node.outer_low
    stack.outer_high[place] = node.outer_high
    stack.excluded[place] = node.excluded
    stack.no_new[place] = node.no_new
    stack.n_open[place] = node.n_open[0]


@njit(cache=True, nogil=True)
def _load(stack, place, node):
    node.low[:] = stack.low[place]
    node.high[:] = stack.high[place]
    node.outer_low[:] = stack.outer_low[place]
    node.outer_high[:] = stack.outer_high[place]
    node.excluded[:] = stack.excluded[place]
    node.no_new[:] = stack.no_new[place]
    node.n_open[0] = stack.n_open[place]


@njit(cache=True, nogil=True)
def _join(t, stack, place, i, k):
    for f in range(stack.low.shape[2]):
        stack.low[place, k, f] = min(stack.low[place, k, f], t.positives[i, f])
        stack.high[place, k, f] = max(stack.high[place, k, f], t.positives[i, f])


@njit(cache=True, nogil=True)
def _push_opener(t, stack, top, node, work, upper, inherited):
    """Children: the positive is missed, in the first open box that has it, or in a new box.

    `left` belongs to the charges behind `upper`, not to the bound inherited from the parent.
    """
    missed = min(upper - work.left[work.choice[1]], inherited)
    upper = min(upper, inherited)
    i = work.choice[1]
    n_open = node.n_open[0]
    for k in range(n_open):
        if has_in(work.joins, k, i):
            _copy(node, stack, top)
            _join(t, stack, top, i, k)
            stack.bound[top] = upper
            top += 1
        put(node.excluded[k], i)
    _copy(node, stack, top)
    stack.bound[top] = missed
    put(stack.no_new[top], i)
    top += 1
    _copy(node, stack, top)
    stack.low[top, n_open] = t.positives[i]
    stack.high[top, n_open] = t.positives[i]
    stack.outer_low[top, n_open] = 0
    stack.outer_high[top, n_open] = t.p_at_least.shape[1] - 1
    stack.excluded[top, n_open] = node.no_new
    stack.n_open[top] = n_open + 1
    stack.bound[top] = upper
    return top + 1


@njit(cache=True, nogil=True)
def _push_pair(t, stack, top, node, work, upper):
    """Children: in or out of a box, by a member or by how far a face reaches."""
    kind, what, k = work.choice[0], work.choice[1], work.choice[2]
    for side_of_branch in range(2):
        reach = side_of_branch == work.choice[4]
        _copy(node, stack, top)
        stack.bound[top] = upper
        if kind == JOIN:
            if reach:
                _join(t, stack, top, what, k)
            else:
                put(stack.excluded[top, k], what)
        else:
            rank, upper_face = work.choice[3] >> 1, work.choice[3] & 1
            if reach and upper_face:
                stack.high[top, k, what] = rank
            elif reach:
                stack.low[top, k, what] = rank
            elif upper_face:
                stack.outer_high[top, k, what] = rank - 1
            else:
                stack.outer_low[top, k, what] = rank + 1
        top += 1
    return top


@njit(cache=True, nogil=True)
def explore(t, stack, top, node, work, best, max_nodes):
    """Go on with a depth-first search for at most `max_nodes` nodes.

    Returns the number of nodes left on the stack and of nodes visited.
    """
    visited = 0
    room = t.max_boxes + 2
    while top > 0 and visited < max_nodes and top + room < len(stack.bound):
        top -= 1
        if stack.bound[top] < best.value[0] + t.step:
            continue
        _load(stack, top, node)
        visited += 1
        inherited = stack.bound[top]
        upper = refine(t, node, work, best)
        kind = work.choice[0]
        if kind == PRUNED:
            continue
        if kind == OPEN_NEW:
            top = _push_opener(t, stack, top, node, work, upper, inherited)
        else:
            top = _push_pair(t, stack, top, node, work, min(upper, inherited))
    return top, visited
