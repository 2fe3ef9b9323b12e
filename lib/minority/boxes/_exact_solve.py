"""Exact Boxes from examples to boxes: start, solve, place the faces.

Boxes are ranks while they are being solved for (`BoxProblem`), members while the problem changes
(another weight, another margin), and bounds in the units of the data in the end.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from minority.boxes import _fast_kernels as kernels
from minority.boxes._exact_columns import WORK, solve_columns
from minority.boxes._exact_problem import ROUNDING, BoxProblem, closures, make_problem
from minority.boxes._exact_relaxation import Relaxation, fits
from minority.boxes._exact_search import Outcome, Search
from minority.boxes._exact_start import better_boxes, first_boxes
from minority.boxes._faces import grow_faces
from minority.boxes._fast_path import cluster

OPTIMAL, TIME_LIMIT, NODE_LIMIT = "optimal", "time_limit", "node_limit"
DECOMPOSED = "decomposed"
# The engines take turns, each longer than the last: the search is quicker to start, columns are
# better with several boxes and few positives, the relaxation with three boxes or more. Turns are
# measured in work, not in seconds, so that the outcome does not depend on the machine unless time
# runs out.
_EASY_NODES, _FIRST_NODES, _MORE_NODES, _MORE_WORK = 2_000, 20_000, 100, 4
_MORE_RELAXED = 2  # work of the relaxation to that of columns
# With more merged positives columns rarely prove anything in their first turn, so they miss it.
_FEW_POSITIVES = 60
# With fewer boxes the search proves more in the time that the relaxation takes.
_SEVERAL_BOXES = 3
# Nodes in which the branch and bound looks for boxes as good as those of the relaxation.
_OWN_NODES = 150_000


@dataclass(frozen=True)
class Solution:
    """Boxes as the positives that each covers, with what is known about the best value."""

    members: np.ndarray  # bool (n_boxes, n_positives)
    objective: float
    bound: float
    status: str

    @property
    def gap(self) -> float:
        """How far the bound is above the objective, relative to the objective."""
        return (self.bound - self.objective) / max(abs(self.objective), 1e-9)


def stopped_by(deadline: float) -> str:
    """Why a search has ended without a proof."""
    return TIME_LIMIT if time.perf_counter() >= deadline else NODE_LIMIT


def members_of(problem: BoxProblem, low, high) -> np.ndarray:
    """Which positive examples each box covers."""
    return problem.inside(low, high)[0][:, problem.members]


def boxes_of(problem: BoxProblem, members: np.ndarray):
    """Smallest boxes, in ranks, around sets of positive examples."""
    merged = np.zeros((len(members), len(problem.gains)), dtype=bool)
    for box, row in zip(merged, members, strict=True):
        box[problem.members[row]] = True
    return closures(problem, merged)


def solution_of(problem: BoxProblem, low, high, bound: float, status: str) -> Solution:
    """What a solver found, in the terms of the examples."""
    return Solution(
        members_of(problem, low, high),
        problem.objective(problem.value(low, high)),
        problem.objective(bound),
        status,
    )


def search(
    problem: BoxProblem, *, known=(), deadline: float, max_nodes: float = np.inf, n_jobs: int = 1
) -> Outcome:
    """Solve by the exact engines in turn.

    Parameters
    ----------
    problem : BoxProblem
    known : sequence of (low, high)
        Sets of boxes to start from.
    deadline : float
        Value of `time.perf_counter` at which to stop with what there is.
    max_nodes : int, default=inf
        About how many nodes of the branch and bound to visit before stopping as well.
    n_jobs : int, default=1
        Threads of the branch and bound; the outcome does not depend on them.

    Returns
    -------
    outcome : Outcome
    """
    low, high = first_boxes(problem, known)
    # Easy problems are solved sooner than good boxes to start from are found.
    easy = _within(problem, low, high)
    tree = Search(easy, low, high, n_jobs)
    found = tree.run(deadline=deadline, max_nodes=min(_EASY_NODES, max_nodes))
    max_nodes -= tree.nodes
    if found.proven or max_nodes <= 0:
        return found
    low, high = better_boxes(problem, found.low, found.high, deadline)
    problem = _within(problem, low, high)
    tree = Search(problem, low, high, n_jobs)
    nodes, work, bound = _FIRST_NODES, WORK, found.bound
    by_columns = problem.max_boxes > 1 and len(problem.gains) <= _FEW_POSITIVES
    relaxation = None
    while True:
        turn = tree.run(deadline=deadline, max_nodes=min(nodes, max_nodes - tree.nodes))
        bound = min(bound, turn.bound)
        unproven = bound >= tree.value + problem.step
        if by_columns and unproven and time.perf_counter() < deadline:
            columns = solve_columns(problem, tree.low, tree.high, deadline=deadline, work=work)
            tree.improve(columns.low, columns.high)
            bound = min(bound, columns.bound)
        if problem.max_boxes >= _SEVERAL_BOXES and fits(problem):
            unproven = bound >= tree.value + problem.step
            if unproven and tree.nodes < max_nodes and time.perf_counter() < deadline:
                relaxation = relaxation or Relaxation(problem, tree.low, tree.high)
                relaxation.improve(tree.low, tree.high)
                relaxed = relaxation.run(deadline=deadline, work=_MORE_RELAXED * work)
                bound = min(bound, relaxed.bound)
                # Several solutions may be best. Its own, which the branch and bound mostly finds
                # soon, are taken, so that the relaxation seldom changes more than the seconds.
                value = problem.value(relaxed.low, relaxed.high)
                last = min(tree.nodes + _OWN_NODES, max_nodes)
                tree.run(deadline=deadline, max_nodes=last - tree.nodes, enough=value)
                tree.improve(relaxed.low, relaxed.high)
        proven = bound < tree.value + problem.step
        if proven or tree.nodes >= max_nodes or time.perf_counter() >= deadline:
            return Outcome(tree.low, tree.high, bound, proven)
        nodes, work = _MORE_NODES * nodes, _MORE_WORK * work
        by_columns = problem.max_boxes > 1


def _within(problem: BoxProblem, low, high) -> BoxProblem:
    """The same problem with no more boxes than can pay in a solution better than the given one."""
    most = min(problem.max_boxes, len(problem.gains))
    if problem.box_cost > 0:
        slack = int(problem.gains.sum()) - problem.value(low, high) - problem.step
        most = min(most, max(slack, 0) // problem.box_cost)
    return replace(problem, max_boxes=most)


def neighbourhood(X, positive, unit, n_neighbors: int, closeness: str) -> np.ndarray:
    """Which examples are positive or negatives close to a positive (section 6).

    "overall": among its `n_neighbors` nearest. "one_feature": among those with the `n_neighbors`
    nearest values of some feature, others with the same values included.
    """
    negatives = np.flatnonzero(~positive)
    count = min(n_neighbors, len(negatives))
    kept = positive.copy()
    if closeness == "overall":
        from sklearn.neighbors import NearestNeighbors

        index = NearestNeighbors(n_neighbors=count).fit(X[negatives] / unit)
        near = index.kneighbors(X[positive] / unit, return_distance=False)
        kept[negatives[np.unique(near)]] = True
    elif count:
        for values, others in zip(X[positive].T, X[negatives].T, strict=True):
            kept[negatives[_nearest_values(values, others, count)]] = True
    return kept


def _nearest_values(values, others, count: int) -> np.ndarray:
    """Which of the `others` are among the `count` nearest to one of the values, ties included."""
    ordered = np.sort(others)
    padded = np.concatenate([np.full(count, -np.inf), ordered, np.full(count, np.inf)])
    places = np.searchsorted(ordered, values)[:, None] + np.arange(2 * count)
    windows = padded[places]  # the nearest are as many below and above at most
    distances = np.abs(windows - values[:, None])
    near = distances <= np.sort(distances, axis=1)[:, [count - 1]]
    lowest = np.where(near, windows, np.inf).min(axis=1)
    highest = np.where(near, windows, -np.inf).max(axis=1)
    steps = np.zeros(len(ordered) + 1, dtype=int)
    np.add.at(steps, np.searchsorted(ordered, lowest, side="left"), 1)
    np.add.at(steps, np.searchsorted(ordered, highest, side="right"), -1)
    kept = ordered[steps.cumsum()[:-1] > 0]
    return np.isin(others, kept)


def place_faces(X, positive, members, faces: str, margin, unit, used=None):
    """Bounds of boxes in the units of the data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    positive : bool ndarray of shape (n_samples,)
    members : bool ndarray of shape (n_boxes, n_positives)
    faces : {"tight", "midgap", "expand", "largest"}
        The smallest box; half way to the nearest negative beyond each face; up to 1 % of that
        gap before it (eqs 31-32); or until a negative is in the way, see `grow_faces`. None covers
        a negative that the smallest boxes leave out.
    margin : float
        A value within rounding of where it puts a face is on the face, in any unit of the feature.
    unit : ndarray of shape (n_features,)
    used : bool ndarray of shape (n_boxes, 2, n_features), default=None
        Which lower and upper faces there are; all by default.

    Returns
    -------
    lower, upper : ndarray of shape (n_boxes, n_features)
    """
    chosen = [X[positive][row] for row in members]
    shape = (len(chosen), X.shape[1])
    lower = np.array([c.min(axis=0) for c in chosen]).reshape(shape) - margin * unit
    upper = np.array([c.max(axis=0) for c in chosen]).reshape(shape) + margin * unit
    if margin:
        below, above = kernels.nearest_beyond(X, np.ones_like(positive), lower, upper)
        with np.errstate(invalid="ignore"):  # faces and values beyond them that are both infinite
            lower = np.where(lower - below <= ROUNDING * unit, below, lower)
            upper = np.where(above - upper <= ROUNDING * unit, above, upper)
    if used is not None:
        lower, upper = np.where(used[:, 0], lower, -np.inf), np.where(used[:, 1], upper, np.inf)
    if faces == "tight" or not len(chosen):
        return lower, upper
    if faces == "largest":
        return grow_faces(X, ~positive, lower, upper, unit, margin=margin)
    below, above = kernels.nearest_beyond(X, ~positive, lower, upper)
    share = 0.5 if faces == "midgap" else 1 - kernels.GAP_SHARE
    return (
        _outwards(lower, below, share, margin * unit),
        -_outwards(-upper, -above, share, margin * unit),
    )


def _outwards(face, nearest, share, margin):
    """Move lower faces by a share of the gap, but not within the margin of the nearest value."""
    with np.errstate(invalid="ignore"):
        moved = face - share * (face - nearest)
        stop = np.maximum(nearest + margin, np.nextafter(nearest, face))
        moved = np.minimum(face, np.maximum(moved, stop))
    return np.where(np.isneginf(nearest), -np.inf, moved)


def clusters_of(X_positive, unit, n_clusters: int, random_state, weight=None) -> np.ndarray:
    """Sets of positives as Fast Boxes starts from them: (clusters, n_positives)."""
    n_clusters = min(n_clusters, len(X_positive))
    labels = cluster(X_positive / unit, n_clusters, 10, random_state, weight)
    return labels == np.arange(labels.max() + 1)[:, None]


def solve(
    X,
    positive,
    *,
    known=(),
    solver="search",
    formulation="reduced",
    decomposition=None,
    n_neighbors=10,
    closeness="overall",
    time_limit,
    max_nodes=None,
    n_jobs=1,
    sample_weight=None,
    **statement,
) -> Solution:
    """Solve Exact Boxes with a price for each box.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    positive : bool ndarray of shape (n_samples,)
    known : sequence of bool ndarray of shape (n_boxes, n_positives)
        Sets of members to start from; for "clusters" the first of them is the clustering.
    solver, formulation, decomposition, n_neighbors, closeness, time_limit, max_nodes, n_jobs
        As in `ExactBoxesClassifier`.
    sample_weight : ndarray of shape (n_samples,), default=None
    **statement
        What `make_problem` takes beside the examples.
    """
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    deadline = time.perf_counter() + time_limit
    limits = {"max_nodes": np.inf if max_nodes is None else max_nodes, "n_jobs": n_jobs}
    known = list(known)
    problem = make_problem(X, positive, sample_weight=weight, **statement)
    if decomposition == "clusters":
        return _solve_clusters(X, positive, weight, problem, known[0], deadline, limits, statement)
    if decomposition == "neighbourhood":
        kept = neighbourhood(X, positive, statement["feature_unit"], n_neighbors, closeness)
        part = make_problem(X[kept], positive[kept], sample_weight=weight[kept], **statement)
        found = search(
            part,
            known=[boxes_of(part, members) for members in known],
            deadline=time.perf_counter() + time_limit / 2,
            **limits,
        )
        known.append(members_of(part, found.low, found.high))
    starts = [boxes_of(problem, members) for members in known]
    if solver == "search":
        found = search(problem, known=starts, deadline=deadline, **limits)
        status = OPTIMAL if found.proven else stopped_by(deadline)
    else:
        from minority.boxes._exact_mip import solve_ranked

        start = max(starts, key=lambda boxes: problem.value(*boxes), default=None)
        found = solve_ranked(
            problem, solver=solver, formulation=formulation, start=start, time_limit=time_limit
        )
        status = found.status
    return solution_of(problem, found.low, found.high, found.bound, status)


def _solve_clusters(X, positive, weight, problem, clusters, deadline, limits, statement):
    """One box for each cluster by itself; only the search's first bound holds for the union."""
    members = np.zeros_like(clusters)
    rows = np.flatnonzero(positive)
    for k, own in enumerate(clusters):
        kept = ~positive
        kept[rows[own]] = True
        own_statement = statement | {"max_boxes": 1, "sample_weight": weight[kept]}
        part = make_problem(X[kept], positive[kept], **own_statement)
        share = (deadline - time.perf_counter()) / (len(clusters) - k)
        found = search(part, deadline=time.perf_counter() + share, **limits)
        if len(found.low):
            members[k, own] = members_of(part, found.low, found.high)[0]
    low, high = boxes_of(problem, members)
    first = Search(problem, low, high).run(deadline=np.inf, max_nodes=1)
    status = OPTIMAL if first.proven else DECOMPOSED
    return solution_of(problem, first.low, first.high, first.bound, status)
