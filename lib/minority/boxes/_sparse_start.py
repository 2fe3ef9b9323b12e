"""Good sparse boxes found quickly: one face at a time, from many starts."""

import numpy as np
from numba import njit

from minority.boxes._sparse_problem import SparseProblem

_CENTRES = 20  # positives around which boxes are started
_SIZES = 4  # neighbourhoods of this many sizes around each


@njit(cache=True, nogil=True)
def _recount(levels, s, threshold, sign, outside, missed):
    """Add or take away one side's part of what leaves each example out."""
    for i in range(len(levels)):
        if levels[i, s] < threshold:
            outside[i] += sign
            missed[i] += sign * s


@njit(cache=True, nogil=True)
def _collect(levels, weights, outside, missed, by_level):
    """Add, for each side, the weights of what the other sides let in, by level."""
    for i in range(len(levels)):
        if outside[i] == 0:
            for s in range(len(by_level)):
                by_level[s, levels[i, s]] += weights[i]
        elif outside[i] == 1:
            by_level[missed[i], levels[i, missed[i]]] += weights[i]


@njit(cache=True, nogil=True)
def ascend(positives, negatives, gains, losses, face_cost, box):
    """Improve a box, the side that helps most first, until none helps; returns its value.

    `losses` are the costs with a minus sign. The box is changed in place.
    """
    # how many sides leave each example out, and the sum of these: the side, if there is one
    p_outside, n_outside = np.zeros(len(gains), np.int64), np.zeros(len(losses), np.int64)
    p_missed, n_missed = np.zeros(len(gains), np.int64), np.zeros(len(losses), np.int64)
    for s in range(len(box)):
        _recount(positives, s, box[s], 1, p_outside, p_missed)
        _recount(negatives, s, box[s], 1, n_outside, n_missed)
    n_levels = 1 + max(positives.max(), negatives.max() if len(losses) else 0)
    by_level = np.zeros((len(box), n_levels), np.int64)
    while True:
        best_gain, best_side, best_level, here = np.int64(0), -1, 0, np.int64(0)
        by_level[:] = 0
        _collect(positives, gains, p_outside, p_missed, by_level)
        _collect(negatives, losses, n_outside, n_missed, by_level)
        for s in range(len(box)):
            here = by_level[s, box[s] :].sum() - face_cost * (box[s] > 0)
            inside = np.int64(0)
            for level in range(n_levels - 1, -1, -1):
                inside += by_level[s, level]
                gain = inside - face_cost * (level > 0) - here
                if gain > best_gain or (gain == best_gain > 0 and s == best_side):
                    best_gain, best_side, best_level = gain, s, level  # of equals the widest
        if best_side < 0:
            # the other sides' faces are not in what the last side has counted
            return here - face_cost * np.count_nonzero(box[:-1])
        s = best_side
        _recount(positives, s, box[s], -1, p_outside, p_missed)
        _recount(negatives, s, box[s], -1, n_outside, n_missed)
        box[s] = best_level
        _recount(positives, s, box[s], 1, p_outside, p_missed)
        _recount(negatives, s, box[s], 1, n_outside, n_missed)


@njit(cache=True, nogil=True)
def _best_of(positives, negatives, gains, losses, face_cost, starts):
    best, best_box = np.int64(-(2**62)), starts[0].copy()
    for start in starts:
        box = start.copy()
        value = ascend(positives, negatives, gains, losses, face_cost, box)
        if value > best:
            best, best_box = value, box
    return best_box


def _starts(problem: SparseProblem) -> np.ndarray:
    """No faces; the best first face of each side; boxes around positives and their neighbours."""
    levels = problem.positives
    n_sides, size = len(problem.sides), len(levels)
    free = np.zeros((1, n_sides), np.int32)
    medians = np.diag(np.quantile(levels, 0.25, axis=0, method="higher")).astype(np.int32)
    scaled = levels / np.maximum(levels.max(axis=0), 1)
    hulls = []
    for i in np.unique(np.linspace(0, size - 1, min(size, _CENTRES)).astype(int)):
        nearest = np.argsort(np.abs(scaled - scaled[i]).sum(axis=1), kind="stable")
        for count in np.unique(np.geomspace(min(2, size), size, _SIZES).astype(int)):
            hulls.append(levels[nearest[:count]].min(axis=0))
    return np.vstack([free, medians, np.unique(np.array(hulls, np.int32), axis=0)])


def greedy_box(problem: SparseProblem, known=()) -> np.ndarray:
    """A good box, int32 of shape (sides,), which may be worth less than none.

    Parameters
    ----------
    problem : SparseProblem
    known : int ndarray of shape (n_boxes, sides), default=()
        Boxes to start from as well.
    """
    starts = _starts(problem)
    if len(known):
        starts = np.vstack([np.asarray(known, np.int32), starts])
    return problem.tight(_best_from(problem, starts)[None])[0]


def _best_from(problem: SparseProblem, starts) -> np.ndarray:
    return _best_of(
        problem.positives,
        problem.negatives,
        problem.gains,
        -problem.costs,
        problem.face_cost,
        np.minimum(starts, problem.positives.max(axis=0)).astype(np.int32),
    )


def settle(problem: SparseProblem, boxes) -> np.ndarray:
    """Let each box ascend in turn with the others fixed; drop those that are not worth their cost.

    Parameters
    ----------
    problem : SparseProblem
    boxes : int ndarray of shape (n_boxes, sides)

    Returns
    -------
    boxes : int32 ndarray of shape (n_boxes, sides)
        Worth no less.
    """
    value, improves = problem.value(boxes), True
    while improves:
        improves = False
        for k in range(len(boxes) - 1, -1, -1):
            others = np.delete(boxes, k, axis=0)
            candidates = [others]
            rest = problem.without(others)
            if len(rest.gains):
                box = rest.tight(_best_from(rest, boxes[[k]])[None])
                candidates.append(np.insert(others, k, box, axis=0))
            for candidate in candidates:
                worth = problem.value(candidate)
                if worth > value or (worth == value and len(candidate) < len(boxes)):
                    boxes, value, improves = candidate, worth, True
                    break
    return boxes
