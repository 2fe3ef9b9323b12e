"""Exact Boxes as a mixed-integer program, solved by HiGHS or CBC.

All coordinates share one model. Positive i is in a box if ``l <= lower_at_most[i]`` and
``u >= upper_at_least[i]`` in all features; negative i is out of it if ``l >= lower_at_least[i]`` or
``u <= upper_at_most[i]`` in some. Of a solver's answer only the decisions are used.
"""

import math
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

import highspy
import numpy as np

from minority._extras import optional
from minority.boxes._exact_problem import ROUNDING, BoxProblem, closures

pulp = optional("pulp", "mip")

# The paper's epsilon, what a strict inequality is at least, in features scaled to [-1, 1]; the
# value is that of the authors' released code.
_STRICTNESS = 1e-5
# What HiGHS takes for equal; with 1e-9 it has missed a best box by half a point.
_TOLERANCE = 1e-8
# Solvers are right to about this share of an objective, and place faces to about this distance.
_ACCURACY = 1e-6


class MIPOutcome(NamedTuple):
    """What a solver returned."""

    low: np.ndarray  # (boxes used, d)
    high: np.ndarray
    value: float  # what they are worth
    bound: float  # no set of boxes is worth more
    status: str  # "optimal" or "time_limit"
    size: dict[str, int]  # rows, columns, binaries and nonzeros of the model


class _Conditions(NamedTuple):
    """Where faces have to be for an example to count, and what it counts."""

    lower_at_most: np.ndarray  # (P, d): positives
    upper_at_least: np.ndarray
    lower_at_least: np.ndarray  # (N, d): negatives
    upper_at_most: np.ndarray
    gains: np.ndarray  # (P,)
    costs: np.ndarray  # (N,)
    lowest: np.ndarray  # (d,): faces are never beyond these two
    highest: np.ndarray
    strictness: float = 1  # where "l <= a" is false, l is at least a + strictness

    def inside(self, low, high, rounding=0.0) -> tuple[np.ndarray, np.ndarray]:
        """Which positives each box counts as inside and which negatives it fails to leave out."""
        low, high = low[:, None], high[:, None]
        positive = (low <= self.lower_at_most + rounding) & (high >= self.upper_at_least - rounding)
        out = (low >= self.lower_at_least - rounding) | (high <= self.upper_at_most + rounding)
        return positive.all(axis=2), ~out.any(axis=2)


class _Found(NamedTuple):
    objective: float  # -inf: no solution
    bound: float
    status: str


def _variables(program, name, start, least=0, most=1, category=pulp.LpBinary):
    """Variables in an array of the shape of their start values."""
    start, least, most = np.broadcast_arrays(start, least, most)
    variables = np.empty(start.shape, dtype=object)
    for at in np.ndindex(start.shape):
        ends = float(least[at]), float(most[at])
        variables[at] = program.add_variable(f"{name}{at}", *ends, category)
        variables[at].setInitialValue(float(start[at]))
    return variables


def _require(program, smaller, larger, where=True):
    """Add rows ``smaller <= larger``, one per element."""
    difference = np.asarray(smaller, dtype=object) - larger
    for row in difference[np.broadcast_to(where, difference.shape)]:
        program += row <= 0


def _full_rows(program, conditions, lower, upper, start, counted):
    """All variables of the paper and both directions of every "iff" (eqs 5-21)."""
    (boxes, d), (low, high, used), strict = lower.shape, start, conditions.strictness
    # the paper's M, "a large positive constant": by feature, the smallest that is large enough
    big = conditions.highest - conditions.lowest + 2 * strict

    def indicator(name, sign, faces, positions, limit):
        e = _variables(program, name, sign * positions[:, None] <= sign * limit)
        face = sign * faces[:, None]
        _require(program, face + big * e, sign * limit + big)
        _require(program, sign * limit + strict, face + big * e)
        return e.sum(axis=2)

    covers, lets_in = conditions.inside(low, high)
    reached = indicator("pl", 1, lower, low, conditions.lower_at_most)
    reached += indicator("pu", -1, upper, high, conditions.upper_at_least)
    within = _variables(program, "pw", covers)
    _require(program, 2 * d * within, reached)
    _require(program, reached - within, 2 * d - 1)
    right = _variables(program, "pz", covers.any(axis=0))
    _require(program, right, within.sum(axis=0))
    _require(program, within.sum(axis=0), boxes * right)

    barred = indicator("nl", -1, lower, low, conditions.lower_at_least)
    barred += indicator("nu", 1, upper, high, conditions.upper_at_most)
    trapped = _variables(program, "nw", lets_in)
    _require(program, 1, barred + trapped)
    _require(program, barred + 2 * d * trapped, 2 * d)
    avoided = _variables(program, "nz", ~lets_in.any(axis=0))
    _require(program, 1, trapped.sum(axis=0) + avoided)
    _require(program, trapped.sum(axis=0) + boxes * avoided, boxes)

    gain = pulp.lpSum(conditions.gains * right) + pulp.lpSum(conditions.costs * avoided)
    if counted:
        used, examples = _variables(program, "y", used), np.hstack([within, trapped])
        _require(program, examples.sum(axis=1), examples.shape[1] * used)
    return within, gain, used


def _reduced_rows(program, conditions, lower, upper, start, counted):
    """Only what the objective does not enforce by itself, each with the smallest M.

    A positive counts in one box, which it names, so e and z of positives are not needed. Negatives
    that the same face leaves out share its e. Boxes are in the order of their first lower faces.
    """
    (boxes, d), (low, high, used) = lower.shape, start
    lowest, highest = conditions.lowest, conditions.highest
    covers, lets_in = conditions.inside(low, high)
    covers &= used[:, None] & (covers.cumsum(axis=0) == 1)
    avoids = ~(lets_in & used[:, None]).any(axis=0)
    used = _variables(program, "y", used) if counted else np.ones(boxes)

    within = _variables(program, "pw", covers)
    _require(program, within.sum(axis=0), 1)
    if counted:
        _require(program, within, used[:, None])
        _require(program, used[1:], used[:-1])
    room = highest - conditions.lower_at_most
    _require(program, lower[:, None] + room * within[..., None], highest, where=room > 0)
    room = conditions.upper_at_least - lowest
    _require(program, lowest + room * within[..., None], upper[:, None], where=room > 0)

    out = np.zeros(lets_in.shape, dtype=object)
    for sign, name, faces, positions, limits, near, far in (
        (1, "nl", lower, low, conditions.lower_at_least, lowest, highest),
        (-1, "nu", upper, high, conditions.upper_at_most, highest, lowest),
    ):
        for j in range(d):
            possible = sign * limits[:, j] <= sign * far[j]
            values, shared = np.unique(limits[possible, j], return_inverse=True)
            e = _variables(program, f"{name}_{j}", sign * positions[:, [j]] >= sign * values)
            _require(program, sign * (near[j] + (values - near[j]) * e), sign * faces[:, [j]])
            out[:, possible] += e[:, shared]
    avoided = _variables(program, "nz", avoids, category=pulp.LpContinuous)
    _require(program, avoided + used[:, None] - out, 1)
    _require(program, lower[:-1, 0], lower[1:, 0])
    gain = pulp.lpSum(conditions.gains * within) + pulp.lpSum(conditions.costs * avoided)
    return within, gain, used


def _build(conditions, start, n_boxes, formulation, penalty, weight):
    """State the program and return it with its variables l, u and, of positives, w.

    All variables have the values that the boxes of `start` give them. Penalty "count" subtracts
    `weight` for each box used, of at most `n_boxes`; "size" adds `weight` times the length of all
    sides of exactly `n_boxes`.
    """
    counted = penalty == "count"
    low, high = (np.asarray(faces) for faces in start)
    order, spare = np.argsort(low[:, 0], kind="stable"), n_boxes - len(low)
    if spare < 0:
        raise ValueError(f"start has {len(low)} boxes, more than {n_boxes}")
    # boxes not used lie where they cover nothing, which "full" needs room for
    beyond = conditions.highest + conditions.strictness * (counted and formulation == "full")
    unused = np.tile(beyond, (spare, 1))
    used = np.arange(n_boxes) < len(low)
    low, high = np.vstack([low[order], unused]), np.vstack([high[order], unused])

    # CBC takes the start of a maximum up with the wrong sign
    program = pulp.LpProblem("exact_boxes", pulp.LpMinimize)
    sides = conditions.lowest, beyond, pulp.LpContinuous
    lower = _variables(program, "l", low, *sides)
    upper = _variables(program, "u", high, *sides)
    add_rows = {"full": _full_rows, "reduced": _reduced_rows}[formulation]
    within, gain, used = add_rows(program, conditions, lower, upper, (low, high, used), counted)
    _require(program, lower, upper)
    total = -pulp.lpSum(used) if counted else pulp.lpSum(upper - lower)
    program.setObjective(-gain - weight * total)
    return program, lower, upper, within


def _size(program) -> dict[str, int]:
    rows, columns = program.constraints(), program.variables()
    binaries, nonzeros = sum(column.isInteger() for column in columns), sum(map(len, rows))
    return {"rows": len(rows), "columns": len(columns), "binaries": binaries, "nonzeros": nonzeros}


def _run_highs(program, time_limit, gap, presolve=True) -> _Found:
    """Solve with highspy, because PuLP passes no start to it."""
    tolerances = ("mip_feasibility_tolerance", "primal_feasibility_tolerance")
    options = {"threads": 1, "gapRel": 0.0, "gapAbs": gap, **dict.fromkeys(tolerances, _TOLERANCE)}
    options["presolve"] = "choose" if presolve else "off"
    interface = pulp.HiGHS(msg=False, timeLimit=time_limit, **options)
    interface.createAndConfigureSolver(program)
    interface.buildSolverModel(program)
    model, columns = program.solverModel, program.variables()
    start = highspy.HighsSolution()
    start.col_value = [column.value() for column in columns]
    model.setSolution(start)
    if model.run() == highspy.HighsStatus.kError:
        # other users of HiGHS in this process may have asked for another number of threads
        highspy.Highs.resetGlobalScheduler(True)
        model.run()
    known = {"Optimal": "optimal", "Time limit reached": "time_limit"}
    info, status = model.getInfo(), model.modelStatusToString(model.getModelStatus())
    if status not in known:
        raise RuntimeError(f"HiGHS stopped: {status}")
    objective = -math.inf
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        objective = -info.objective_function_value
        for column, value in zip(columns, model.getSolution().col_value, strict=True):
            column.varValue = value
    return _Found(objective, -info.mip_dual_bound, known[status])


def _run_cbc(program, time_limit, gap, presolve=True) -> _Found:
    """Solve with the CBC that comes with PuLP, whose bound is only in its log."""
    options = {"gapRel": 0.0, "gapAbs": gap, "timeMode": "elapsed", "timeLimit": time_limit}
    options["presolve"] = presolve
    options["options"] = [f"{name} {ROUNDING}" for name in ("primalTolerance", "integerTolerance")]
    path = pulp.PULP_CBC_CMD.pulp_cbc_path  # the class itself warns of its removal
    with TemporaryDirectory() as folder:
        log = Path(folder, "log")
        solver = pulp.COIN_CMD(path=path, msg=False, warmStart=True, logPath=str(log), **options)
        solver.tmpDir = folder
        began = perf_counter()
        # CBC 2.10 crashes, or finds no solution, if its time ends while it takes up a start
        try:
            program.solve(solver)
        except pulp.PulpSolverError:
            if perf_counter() - began < time_limit:
                raise
        if program.status == pulp.LpStatusInfeasible and perf_counter() - began < time_limit:
            raise RuntimeError("CBC stopped: Infeasible")
        bounds = re.findall(r"Cbc0005I .*best possible ([-+.\de]+)", log.read_text())
    objective = -math.inf
    if program.sol_status in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        objective = -pulp.value(program.objective)
    if program.sol_status == pulp.LpSolutionOptimal:
        return _Found(objective, objective + gap, "optimal")
    bound = -float(bounds[-1]) if bounds else math.inf
    bound = bound + 1e-7 * abs(bound) if bound < 1e49 else math.inf  # eight digits; 1e50: unknown
    return _Found(objective, bound, "time_limit")


_RUN = {"highs": _run_highs, "cbc": _run_cbc}
_values = np.vectorize(pulp.value, otypes=[float])


def _check_optimum(found, reported, reached, tolerance):
    if found.status == "optimal" and abs(reported - reached) > tolerance:
        raise RuntimeError(f"the reported optimum is {reported}, but boxes reach {reached}")


def solve_ranked(
    problem: BoxProblem, *, solver="highs", formulation="reduced", start=None, time_limit
) -> MIPOutcome:
    """Solve Exact Boxes with its penalty on the number of boxes, on ranks.

    Parameters
    ----------
    problem : BoxProblem
    solver : {"highs", "cbc"}, default="highs"
    formulation : {"reduced", "full"}, default="reduced"
        "full" has all variables and rows of the paper, "reduced" those that the optimum needs.
    start : pair of int ndarrays of shape (n_boxes, d) or None, default=None
        Boxes to start from. None: no box.
    time_limit : float
        Seconds for the solver.

    Returns
    -------
    outcome : MIPOutcome
        Smallest boxes around the positives that they cover, worth at least those of `start`. The
        bound is in the units of ``problem.value``. Where `step` is below 1e-6 of a positive, a
        solver cannot tell values that close apart and "optimal" means up to this difference.
    """
    d, unit, all_avoided = problem.positives.shape[1], problem.unit, int(problem.costs.sum())
    start = np.empty((2, 0, d), np.int32) if start is None else start
    conditions = _Conditions(
        lower_at_most=problem.positives,
        upper_at_least=problem.positives,
        lower_at_least=problem.below + 1,
        upper_at_most=problem.above - 1,
        gains=problem.gains / unit,
        costs=problem.costs / unit,
        lowest=np.zeros(d),
        highest=problem.ranks - 1,
    )
    most, weight = problem.max_boxes, problem.box_cost / unit
    program, _, _, within = _build(conditions, start, most, formulation, "count", weight)
    found = _RUN[solver](program, time_limit, max(0.9 * problem.step / unit, _ACCURACY))
    boxes = closures(problem, problem.inside(*start)[0])
    if found.objective > -math.inf:
        boxes = max(
            closures(problem, _values(within) > 0.5), boxes, key=lambda b: problem.value(*b)
        )
    value = problem.value(*boxes)
    tolerance = max(problem.step / 2, _ACCURACY * unit)
    _check_optimum(found, found.objective * unit - all_avoided, value, tolerance)
    bound = math.inf
    if found.bound < math.inf:
        steps = ((found.bound + _ACCURACY) * unit - all_avoided) / problem.step
        bound = max(value, math.floor(steps) * problem.step)
    return MIPOutcome(*boxes, value, bound, found.status, _size(program))


def _snap(variables, *limits) -> np.ndarray:
    """Faces, moved to the nearest limit of an example if it is within a solver's rounding."""
    faces, limits = _values(variables), np.vstack(limits)
    distance = np.abs(faces[:, None] - limits)
    nearest = np.take_along_axis(limits, distance.argmin(axis=1), axis=0)
    return np.where(distance.min(axis=1) <= _ACCURACY, nearest, faces)


def solve_sized(
    X_scaled,
    positive,
    *,
    majority_weight,
    size_reward,
    n_boxes,
    sample_weight=None,
    margin=0.0,
    solver="highs",
    formulation="reduced",
    start=None,
    time_limit,
) -> MIPOutcome:
    """Solve Exact Boxes for a fixed number of boxes and a reward for the length of their sides.

    Parameters
    ----------
    X_scaled : float ndarray of shape (n_samples, d)
        Features scaled to [-1, 1].
    positive : bool ndarray of shape (n_samples,)
    majority_weight, size_reward : float
        :math:`c` and :math:`c_E`: the objective is the number of positives that are right, plus
        :math:`c` times the negatives, plus :math:`c_E \\sum_{jk} (u_{jk} - l_{jk})`.
    n_boxes : int
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the examples in these sums, 1 by default.
    margin : float, default=0
        A positive is right if it is inside of a box by `margin`, a negative if it is outside of
        all boxes by `margin` and at least 1e-5. Faces are at most `margin` beyond the data.
    solver, formulation, time_limit
        As in `solve_ranked`.
    start : pair of float ndarrays of shape (n_boxes, d) or None, default=None
        Boxes to start from; if they are too few, they are repeated. None: around all data.

    Returns
    -------
    outcome : MIPOutcome
        With `n_boxes` boxes and a bound in the units of the objective.
    """
    weight = np.ones(len(X_scaled)) if sample_weight is None else sample_weight
    inner, outer, away = X_scaled[positive], X_scaled[~positive], max(margin, _STRICTNESS)
    conditions = _Conditions(
        lower_at_most=inner - margin,
        upper_at_least=inner + margin,
        lower_at_least=outer + away,
        upper_at_most=outer - away,
        gains=weight[positive],
        costs=majority_weight * weight[~positive],
        lowest=X_scaled.min(axis=0) - margin,
        highest=X_scaled.max(axis=0) + margin,
        strictness=_STRICTNESS,
    )
    if start is None or len(start[0]) == 0:
        start = conditions.lowest[None], conditions.highest[None]
    which = np.arange(max(n_boxes, len(start[0]))) % len(start[0])
    boxes = [np.clip(faces, conditions.lowest, conditions.highest)[which] for faces in start]
    program, lower, upper, _ = _build(conditions, boxes, n_boxes, formulation, "size", size_reward)

    def objective(boxes):
        covers, lets_in = conditions.inside(*boxes, ROUNDING)
        right = conditions.gains @ covers.any(axis=0) + conditions.costs @ ~lets_in.any(axis=0)
        return float(right + size_reward * (boxes[1] - boxes[0]).sum())

    # with presolve, HiGHS has called boxes optimal that were worse than the best by 0.001
    found = _RUN[solver](program, time_limit, _ACCURACY, presolve=False)
    if found.objective > -math.inf:
        low = _snap(lower, conditions.lower_at_most, conditions.lower_at_least, conditions.lowest)
        high = _snap(upper, conditions.upper_at_least, conditions.upper_at_most, conditions.highest)
        boxes = max([low, high], boxes, key=objective)
    value = objective(boxes)
    tolerance = _ACCURACY * max(1, value) + _STRICTNESS * size_reward * lower.size * 2
    _check_optimum(found, found.objective, value, tolerance)
    return MIPOutcome(*boxes, value, max(value, found.bound), found.status, _size(program))
