"""Exact Boxes by enumeration, written out plainly: what its solvers are held against."""

from itertools import chain, combinations, product

import numpy as np
from hypothesis import strategies as st

_ROUNDING = 1e-9  # of sums such as 0.5 - 0.05


@st.composite
def small_tables(draw, max_positives=5, max_negatives=6, max_features=3):
    """Points on a coarse grid, so that equal points of both labels are frequent."""
    d = draw(st.integers(1, max_features))
    n_positives = draw(st.integers(1, max_positives))
    n = n_positives + draw(st.integers(0, max_negatives))
    cells = draw(st.lists(st.integers(0, 4), min_size=n * d, max_size=n * d))
    return np.array(cells, dtype=float).reshape(n, d), np.arange(n) < n_positives


def verdicts(X, positive, box, margin=0.0, strictness=0.0):
    """Which positives a box counts as inside, and which negatives it fails to leave out."""
    (low, high), inner, outer = box, X[positive], X[~positive]
    slack = _ROUNDING * np.any(margin > 0)
    inside = (inner - low >= margin - slack) & (high - inner >= margin - slack)
    away = np.maximum(margin, strictness)
    if np.any(away > 0):
        out = (low - outer >= away - _ROUNDING) | (outer - high >= away - _ROUNDING)
    else:
        out = (outer < low) | (outer > high)
    return inside.all(axis=1), ~out.any(axis=1)


def right(X, positive, boxes, margin=0.0, strictness=0.0):
    """How many positives are inside of a box and negatives outside of all, by the margin."""
    inside, let_in = np.zeros(positive.sum(), bool), np.zeros((~positive).sum(), bool)
    for box in boxes:
        covered, failed = verdicts(X, positive, box, margin, strictness)
        inside |= covered
        let_in |= failed
    return int(inside.sum()), int((~let_in).sum())


def best_objective(X, positive, *, majority_weight, box_cost, max_boxes, margin=0.0):
    """The best of all sets of smallest boxes around subsets of the positives."""
    P = X[positive]
    subsets = chain.from_iterable(combinations(P, size) for size in range(1, len(P) + 1))
    boxes = [(np.min(s, axis=0) - margin, np.max(s, axis=0) + margin) for s in subsets]
    both = np.unique([np.hstack(verdicts(X, positive, box, margin)) for box in boxes], axis=0)
    inside, let_in = np.split(both, [len(P)], axis=1)
    best = majority_weight * let_in.shape[1]  # no box at all
    for k in range(1, min(max_boxes, len(both)) + 1):
        chosen = np.array(list(combinations(range(len(both)), k)))
        positives = inside[chosen].any(axis=1).sum(axis=1)
        negatives = (~let_in[chosen].any(axis=1)).sum(axis=1)
        best = max(best, (positives + majority_weight * negatives).max() - box_cost * k)
    return best


def closure(problem, members):
    """The smallest box, in ranks, around some of a problem's positives."""
    chosen = problem.positives[members]
    return chosen.min(axis=0), chosen.max(axis=0)


def tight_boxes(problem):
    """All smallest boxes around some positives."""
    P = range(len(problem.gains))
    subsets = chain.from_iterable(combinations(P, size) for size in range(1, len(P) + 1))
    found = {tuple(np.concatenate(closure(problem, list(s)))) for s in subsets}
    both = np.array(sorted(found), dtype=np.int32)
    return np.split(both, 2, axis=1)


def all_values(problem):
    """Value of every set of at most `max_boxes` tight boxes."""
    low, high = tight_boxes(problem)
    positive, negative = problem.inside(low, high)
    values = [0]
    for size in range(1, min(problem.max_boxes, len(low)) + 1):
        sets = np.array(list(combinations(range(len(low)), size)))
        gain = positive[sets].any(axis=1) @ problem.gains
        cost = negative[sets].any(axis=1) @ problem.costs
        values.append(int((gain - cost).max()) - size * problem.box_cost)
    return values


def no_boxes(problem):
    return np.zeros((2, 0, problem.positives.shape[1]), dtype=np.int32)


def check_outcome(problem, outcome):
    assert len(outcome.low) == len(outcome.high) <= problem.max_boxes
    if len(outcome.low):
        positive = problem.inside(outcome.low, outcome.high)[0]
        for low, high, members in zip(outcome.low, outcome.high, positive, strict=True):
            np.testing.assert_array_equal((low, high), closure(problem, members))
    value = problem.value(outcome.low, outcome.high)
    assert isinstance(outcome.bound, int)
    assert outcome.proven == (outcome.bound < value + problem.step)
    return value


def sparse_objective(X, positive, boxes, *, majority_weight, box_cost, condition_cost, margin=0.0):
    """What a set of boxes is worth when each box and each face has its price."""
    covered, left_out = right(X, positive, boxes, margin)
    faces = sum(np.isfinite(box).sum() for box in boxes)
    earned = covered + majority_weight * left_out
    return earned - box_cost * len(boxes) - condition_cost * positive.sum() * faces


def best_sparse_objective(
    X, positive, *, majority_weight, box_cost, condition_cost, margin=0.0, max_boxes=1
):
    """The best of all sets of boxes whose faces are at values of positives or nowhere."""
    P = positive.sum()
    covered, faces = np.ones((1, len(X)), bool), np.zeros(1, int)
    for j in range(X.shape[1]):
        values = np.unique(X[positive, j])
        sides = product([-np.inf, *(values - margin)], [np.inf, *(values + margin)])
        sides = [np.array([[low], [high]]) for low, high in sides]
        here = [np.hstack(verdicts(X[:, [j]], positive, side, margin)) for side in sides]
        count = [np.isfinite(side).sum() for side in sides]
        covered = (covered[:, None] & np.array(here)).reshape(-1, len(X))
        faces = (faces[:, None] + count).reshape(-1)
        order = np.argsort(faces, kind="stable")  # of boxes that cover the same the simplest
        covered, first = np.unique(covered[order], axis=0, return_index=True)
        faces = faces[order][first]
    best = majority_weight * (~positive).sum()  # no box at all
    for k in range(1, min(max_boxes, len(covered)) + 1):
        chosen = np.array(list(combinations(range(len(covered)), k)))
        union = covered[chosen].any(axis=1)
        right = union[:, :P].sum(axis=1) + majority_weight * (~union[:, P:]).sum(axis=1)
        cost = box_cost * k + condition_cost * P * faces[chosen].sum(axis=1)
        best = max(best, (right - cost).max())
    return best
