"""Sparse boxes from examples to boxes: every condition has its price.

A single box is found greedily and then proven best, or improved, by `SparseSearch`. Several are
found one after another, each on the examples that the ones before do not cover.
"""

import time
from dataclasses import dataclass

import numpy as np

from minority.boxes._exact_solve import DECOMPOSED, OPTIMAL, Solution, stopped_by
from minority.boxes._sparse_problem import SparseProblem, make_sparse_problem
from minority.boxes._sparse_search import SparseSearch
from minority.boxes._sparse_start import greedy_box, settle


@dataclass(frozen=True)
class SparseSolution(Solution):
    """Boxes as the positives that each covers and the faces that it has."""

    used: np.ndarray  # bool (n_boxes, 2, n_features): lower and upper faces
    n_nodes: int


def cover(problem: SparseProblem, *, max_boxes, max_nodes=np.inf, deadline=np.inf, known=()):
    """One best box after another, as long as one is worth its cost.

    Parameters
    ----------
    problem : SparseProblem
    max_boxes : int
    max_nodes : int, default=inf
        Nodes of all searches together.
    deadline : float, default=inf
        Value of `time.perf_counter` at which to stop searching.
    known : int ndarray of shape (n_boxes, sides), default=()
        Boxes to start from.

    Returns
    -------
    boxes : int32 ndarray of shape (n_boxes, sides)
    bound : int
        No `max_boxes` boxes are worth more.
    proven : bool
        Whether each box was best when it was found.
    n_nodes : int
    """
    boxes, n_nodes, proven = np.zeros((0, len(problem.sides)), np.int32), 0, True
    rest, bound = problem, 0
    while len(boxes) < max_boxes and len(rest.gains):
        search = SparseSearch(rest, greedy_box(rest, known))
        search.run(deadline=deadline, max_nodes=max_nodes - n_nodes)
        n_nodes += search.nodes
        proven &= search.proven
        if not len(boxes):
            bound = search.bound
        if not len(search.boxes):
            break
        boxes = np.vstack([boxes, search.boxes])
        rest = problem.without(boxes)
    if max_boxes > 1:
        boxes = settle(problem, boxes)
        # a box without any face covers what others cover, so each of several has one
        several = int(problem.gains.sum()) - 2 * (problem.face_cost + problem.box_cost)
        bound = max(bound, several // problem.step * problem.step)
    return boxes, bound, proven, n_nodes


def solve_sparse(
    X, positive, *, known=(), max_boxes, max_nodes=None, time_limit, **statement
) -> SparseSolution:
    """Solve Exact Boxes with a price for each box and each condition.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    positive : bool ndarray of shape (n_samples,)
    known : sequence of (members, used)
        Boxes to start from, as in `SparseSolution`.
    max_boxes, max_nodes, time_limit
        As in `ExactBoxesClassifier`.
    **statement
        What `make_sparse_problem` takes beside the examples.
    """
    deadline = time.perf_counter() + time_limit
    problem = make_sparse_problem(X, positive, **statement)
    boxes, bound, proven, n_nodes = cover(
        problem,
        max_boxes=max_boxes,
        max_nodes=np.inf if max_nodes is None else max_nodes,
        deadline=deadline,
        known=np.vstack([_boxes_of(problem, *solution) for solution in known]) if known else (),
    )
    value = problem.value(boxes)
    if bound < value + problem.step:
        status = OPTIMAL
    elif proven:
        status = DECOMPOSED
    else:
        status = stopped_by(deadline)
    used = np.zeros((len(boxes), X.shape[1], 2), bool)
    used[:, problem.sides // 2, problem.sides % 2] = boxes > 0
    return SparseSolution(
        members=problem.inside(boxes)[0][:, problem.positive_of],
        objective=problem.objective(value),
        bound=problem.objective(bound),
        status=status,
        used=used.transpose(0, 2, 1),
        n_nodes=n_nodes,
    )


def _boxes_of(problem: SparseProblem, members, used) -> np.ndarray:
    """The boxes around sets of positive examples with faces on some sides, as thresholds."""
    own = used[:, problem.sides % 2, problem.sides // 2]
    boxes = np.zeros(own.shape, np.int32)
    for box, row, has_face in zip(boxes, members, own, strict=True):
        if row.any():
            levels = problem.positives[problem.positive_of[row]]
            box[has_face] = levels.min(axis=0)[has_face]
    return boxes
