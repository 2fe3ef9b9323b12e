"""Good boxes to start the exact search from: the better they are, the more it can rule out."""

import time
from dataclasses import replace

import numpy as np
from numba import njit

from minority.boxes._exact_problem import BoxProblem, closures
from minority.boxes._exact_search import Search

_SIZES = 6  # neighbourhoods of this many sizes around each positive are tried
_MOST_STARTS = 240
_MOST_NODES = 400  # of the search for one box among fixed others
_ROUNDS = 6
_SHAKES = 150
_FEW_STARTS = 8


@njit(cache=True, nogil=True)
def _best_interval(ranks, below, above, gains, costs, p_outside, n_outside, f, low, high, ends):
    """The best interval of feature f for the points that the other features let in.

    `ends[b]` collects what a point adds to all intervals that end at b or later; the lower end goes
    down from the top.
    """
    n_ranks = len(ends)
    first_p = np.full(n_ranks, -1, np.int64)
    next_p = np.full(len(gains), -1, np.int64)
    for i in range(len(gains)):
        outside_here = ranks[i, f] < low[f] or ranks[i, f] > high[f]
        if p_outside[i] == outside_here:
            next_p[i] = first_p[ranks[i, f]]
            first_p[ranks[i, f]] = i
    first_n = np.full(n_ranks, -1, np.int64)
    next_n = np.full(len(costs), -1, np.int64)
    for j in range(len(costs)):
        outside_here = below[j, f] < low[f] or above[j, f] > high[f]
        if n_outside[j] == outside_here:
            next_n[j] = first_n[below[j, f]]
            first_n[below[j, f]] = j
    ends[:] = 0
    best, best_low, best_high = np.int64(0), np.int64(-1), np.int64(-1)
    for a in range(n_ranks - 1, -1, -1):
        j = first_n[a]
        while j >= 0:
            ends[max(above[j, f], a)] -= costs[j]
            j = next_n[j]
        i = first_p[a]
        if i < 0:
            continue
        while i >= 0:
            ends[a] += gains[i]
            i = next_p[i]
        value = np.int64(0)
        for b in range(a, n_ranks):
            value += ends[b]
            if value > best:
                best, best_low, best_high = value, a, b
    return best, best_low, best_high


@njit(cache=True, nogil=True)
def _recount(first, second, f, low, high, sign, outside):
    """Add or take away one feature's part of the number of features that leave each point out."""
    for i in range(len(outside)):
        if first[i, f] < low or second[i, f] > high:
            outside[i] += sign


@njit(cache=True, nogil=True)
def ascend(ranks, below, above, gains, costs, low, high, ends):
    """Improve one box, one feature at a time, until no feature helps; returns its value.

    `low` and `high` are changed in place; -1 if no interval is worth anything.
    """
    p_outside, n_outside = np.zeros(len(gains), np.int64), np.zeros(len(costs), np.int64)
    for f in range(len(low)):
        _recount(ranks, ranks, f, low[f], high[f], 1, p_outside)
        _recount(below, above, f, low[f], high[f], 1, n_outside)
    value = np.int64(-1)
    while True:
        before = value
        for f in range(len(low)):
            new, new_low, new_high = _best_interval(
                ranks, below, above, gains, costs, p_outside, n_outside, f, low, high, ends
            )
            if new_low < 0:
                return np.int64(-1)
            if new > value:
                value = new
                _recount(ranks, ranks, f, low[f], high[f], -1, p_outside)
                _recount(below, above, f, low[f], high[f], -1, n_outside)
                low[f], high[f] = new_low, new_high
                _recount(ranks, ranks, f, low[f], high[f], 1, p_outside)
                _recount(below, above, f, low[f], high[f], 1, n_outside)
        if value == before:
            return value


@njit(cache=True, nogil=True)
def _best_of(ranks, below, above, gains, costs, starts_low, starts_high, n_ranks):
    best = np.int64(0)
    best_low, best_high = starts_low[0].copy(), starts_high[0].copy()
    ends = np.zeros(n_ranks, np.int64)
    for s in range(len(starts_low)):
        low, high = starts_low[s].copy(), starts_high[s].copy()
        value = ascend(ranks, below, above, gains, costs, low, high, ends)
        if value > best:
            best, best_low, best_high = value, low, high
    return best, best_low, best_high


def _neighbourhoods(problem: BoxProblem) -> tuple[np.ndarray, np.ndarray]:
    """Smallest boxes around each positive and its nearest fellows, and around all positives."""
    ranks = problem.positives / np.maximum(problem.ranks - 1, 1)
    size = len(ranks)
    counts = np.unique(np.geomspace(min(2, size), size, _SIZES).astype(int))
    centres = np.arange(size)
    if size * len(counts) > _MOST_STARTS:
        centres = np.linspace(0, size - 1, max(1, _MOST_STARTS // len(counts))).astype(int)
    low, high = [problem.positives.min(axis=0)], [problem.positives.max(axis=0)]
    for i in centres:
        nearest = np.argsort(np.abs(ranks - ranks[i]).sum(axis=1), kind="stable")
        for count in counts:
            chosen = problem.positives[nearest[:count]]
            low.append(chosen.min(axis=0))
            high.append(chosen.max(axis=0))
    return np.array(low, np.int32), np.array(high, np.int32)


def _residual(problem: BoxProblem, low, high) -> BoxProblem | None:
    """What is left to gain and to pay when some boxes are fixed; None if nothing is."""
    gains, costs = np.ones(len(problem.gains), bool), np.ones(len(problem.costs), bool)
    if len(low):
        positive, negative = problem.inside(low, high)
        gains, costs = ~positive.any(axis=0), ~negative.any(axis=0)
    if not gains.any():
        return None
    positives = problem.positives[gains]
    least, most = positives.min(axis=0), positives.max(axis=0)
    costs &= ((problem.below >= least) & (problem.above <= most)).all(axis=1)
    return replace(
        problem,
        positives=positives,
        # ranks beyond the positives that are left do not exist any more
        below=np.minimum(problem.below[costs], most),
        above=problem.above[costs],
        gains=problem.gains[gains],
        costs=problem.costs[costs],
        max_boxes=1,
    )


def _one_box(problem: BoxProblem, starts_low, starts_high):
    """The best box from many starts: (value, low, high), value 0 if none pays."""
    # beyond the positives that are left there may be negatives that the problem does not know
    least, most = problem.positives.min(axis=0), problem.positives.max(axis=0)
    return _best_of(
        problem.positives,
        problem.below,
        problem.above,
        problem.gains,
        problem.costs,
        np.clip(starts_low, least, most),
        np.clip(starts_high, least, most),
        int(most.max()) + 1,
    )


def _tight(problem: BoxProblem, low, high):
    """Shrink boxes around the positives that they cover; boxes that cover none are dropped."""
    return closures(problem, problem.inside(low, high)[0])


def first_boxes(problem: BoxProblem, candidates=()):
    """Find boxes quickly: one after another, or by completing sets that are known already.

    Parameters
    ----------
    problem : BoxProblem
    candidates : sequence of (low, high)
        Sets of boxes that are known already, such as those of other weights.

    Returns
    -------
    low, high : int32 ndarray of shape (n_boxes, d)
        Smallest boxes around their positives; no box at all if none pays.
    """
    starts = _neighbourhoods(problem)
    nothing = np.zeros((0, problem.positives.shape[1]), np.int32)
    boxes = cover(problem, nothing, nothing, starts)
    for low, high in candidates:
        known = _tight(problem, np.asarray(low, np.int32), np.asarray(high, np.int32))
        known = cover(problem, *known, starts)
        boxes = max(boxes, known, key=lambda b: problem.value(*b))
    return boxes


def better_boxes(problem: BoxProblem, low, high, deadline: float = np.inf):
    """Improve boxes by changes at random, then one at a time exactly, until the deadline."""
    starts = _neighbourhoods(problem)
    boxes = _shake(problem, low, high, starts, deadline)
    return _polish(problem, *boxes, starts, deadline)


def cover(problem, low, high, starts):
    """Drop boxes that do not pay, then add one box after another while one pays."""
    while len(low):
        without = [np.delete(np.arange(len(low)), k) for k in range(len(low))]
        values = [problem.value(low[rest], high[rest]) for rest in without]
        k = int(np.argmax(values))
        if values[k] < problem.value(low, high) and len(low) <= problem.max_boxes:
            break
        low, high = low[without[k]], high[without[k]]
    while len(low) < problem.max_boxes:
        rest = _residual(problem, low, high)
        if rest is None:
            break
        value, new_low, new_high = _one_box(rest, *starts)
        if value <= problem.box_cost:
            break
        low, high = np.vstack([low, new_low]), np.vstack([high, new_high])
    return _tight(problem, low, high)


def settle(problem, low, high):
    """Let each box ascend in turn, with the others fixed, until none improves."""
    value, before = problem.value(low, high), -1
    while value > before:
        before = value
        for k in range(len(low)):
            others = np.delete(np.arange(len(low)), k)
            rest = _residual(problem, low[others], high[others])
            if rest is None:
                continue
            gained, new_low, new_high = _one_box(rest, low[[k]], high[[k]])
            if gained > 0:
                low, high = low.copy(), high.copy()
                low[k], high[k] = new_low, new_high
        value = problem.value(low, high)
    return low, high


def _shake(problem, low, high, starts, deadline):
    """Replace boxes at random by others from a few random starts, and keep what is no worse."""
    rng = np.random.default_rng(0)
    value = problem.value(low, high)
    for _ in range(_SHAKES):
        if time.perf_counter() > deadline:
            break
        kept = rng.permutation(len(low))[: max(0, len(low) - int(rng.integers(1, 3)))]
        few = rng.integers(len(starts[0]), size=_FEW_STARTS)
        drawn = problem.positives[rng.integers(len(problem.gains), size=(_FEW_STARTS, 3))]
        some = (
            np.vstack([starts[0][few], drawn.min(axis=1)]),
            np.vstack([starts[1][few], drawn.max(axis=1)]),
        )
        new = cover(problem, low[kept], high[kept], some)
        new = cover(problem, *settle(problem, *new), some)
        if problem.value(*new) >= value:
            (low, high), value = new, problem.value(*new)
    return low, high


def _polish(problem, low, high, starts, deadline):
    """Solve for one box at a time with the others fixed, as long as that helps."""
    for _ in range(_ROUNDS):
        before = problem.value(low, high)
        for k in range(len(low)):
            if k >= len(low) or time.perf_counter() > deadline:
                break
            others = np.delete(np.arange(len(low)), k)
            rest = _residual(problem, low[others], high[others])
            if rest is None:
                continue
            own = low[[k]], high[[k]]
            tried = tuple(np.vstack(pair) for pair in zip(own, starts, strict=True))
            value, new_low, new_high = _one_box(rest, *tried)
            known = (new_low[None], new_high[None]) if value > rest.box_cost else (own[0][:0],) * 2
            search = Search(rest, *known)
            found = search.run(deadline=deadline, max_nodes=_MOST_NODES)
            new = cover(
                problem,
                np.vstack([low[others], found.low]),
                np.vstack([high[others], found.high]),
                starts,
            )
            if problem.value(*new) > problem.value(low, high):
                low, high = new
        if problem.value(low, high) == before or time.perf_counter() > deadline:
            break
    return low, high
