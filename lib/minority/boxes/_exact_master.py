"""The two programs of the column generation, both solved by HiGHS.

A column is a set S of positives together with its smallest box B. The linear program chooses
columns x and pays for negatives w:

    maximise    sum (p(S) - c_E) x - sum n_j w_j
    subject to  each positive in at most one chosen column (dual values lam),
                at most K columns (mu),
                sum of x over the columns with i in S and j in B <= w_j for pairs (i, j) (v_ij).

Rows of pairs are added when they are violated. The integer program chooses among given boxes and
says which positive counts for which box.
"""

from time import perf_counter
from typing import NamedTuple

import highspy
import numpy as np
from scipy import sparse

from minority.boxes._exact_pricing import Prices, make_prices
from minority.boxes._exact_problem import BoxProblem, closures

# Violations and reduced costs below this are noise.
NOISE = 1e-7
# The integer program is given up after so many nodes.
_PROGRAM_NODES = 100


class Budget:
    """Tells when to stop: at the deadline or after so much work.

    A node of the pricing search counts as many units as there are positives and an iteration of
    the simplex method as many as there are rows and columns, which take about equally long: some
    ten million a second. A run that ends by its work is repeatable.
    """

    def __init__(self, deadline: float, work: int):
        self.deadline, self.work = deadline, work

    def over(self) -> bool:
        return self.work <= 0 or self.late()

    def late(self) -> bool:
        return perf_counter() >= self.deadline

    def left(self) -> float:
        """Seconds to the deadline."""
        return max(0.0, self.deadline - perf_counter())


class Duals(NamedTuple):
    """Dual values of the linear program."""

    lam: np.ndarray  # (P,)
    v: np.ndarray  # one per row of pairs
    mu: float


def _silent_solver():
    solver = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
        solver.setOptionValue(option, value)
    return solver


class Master:
    """The linear program, in units of a positive's weight."""

    def __init__(self, problem: BoxProblem, max_boxes: int):
        self.problem = problem
        self.costs = problem.costs / problem.unit
        self.gains = problem.gains / problem.unit
        self.box_cost = problem.box_cost / problem.unit
        P, N = len(problem.gains), len(problem.costs)
        self.pair_positive = np.zeros(0, dtype=np.intp)
        self.pair_negative = np.zeros(0, dtype=np.intp)
        self._payment = np.full(N, -1)  # column of w_j in the solver
        self._column = np.zeros(0, dtype=np.int32)  # column of x in the solver
        self.chosen = np.zeros((0, P), dtype=bool)
        self.negative = np.zeros((0, N), dtype=bool)
        self._seen = set()
        self._solver = _silent_solver()
        for limit in (*np.ones(P), max_boxes):
            self._solver.addRow(-highspy.kHighsInf, float(limit), 0, [], [])

    def add_columns(self, chosen) -> bool:
        """Add columns by their positives; returns whether any was new."""
        new = [s for s in chosen if s.tobytes() not in self._seen]
        if not new:
            return False
        self._seen.update(s.tobytes() for s in new)
        new = np.array(new)
        negative = self.problem.inside(*closures(self.problem, new))[1]
        P = len(self.gains)
        first = self._solver.getNumCol()
        for s, b in zip(new, negative, strict=True):
            pairs = np.flatnonzero(s[self.pair_positive] & b[self.pair_negative])
            rows = np.concatenate([np.flatnonzero(s), [P], P + 1 + pairs]).astype(np.int32)
            worth = self.gains[s].sum() - self.box_cost
            self._solver.addCol(
                -float(worth), 0.0, highspy.kHighsInf, len(rows), rows, np.ones(len(rows))
            )
        added = np.arange(first, first + len(new), dtype=np.int32)
        self._column = np.concatenate([self._column, added])
        self.chosen = np.vstack([self.chosen, new])
        self.negative = np.vstack([self.negative, negative])
        return True

    def restrict(self, limit: int, max_boxes: int):
        """Take only boxes whose negatives cost at most `limit`, and at most `max_boxes`."""
        dear = self.negative @ self.problem.costs.astype(float) > limit
        for column in self._column[dear]:
            self._solver.changeColBounds(int(column), 0.0, 0.0)
        self._solver.changeRowBounds(len(self.gains), -highspy.kHighsInf, float(max_boxes))

    def solve(self, budget: Budget):
        """Solve with the rows that matter; returns (x, duals, value), None if out of time."""
        while True:
            # HiGHS counts the time of all runs together
            limit = self._solver.getRunTime() + budget.left()
            self._solver.setOptionValue("time_limit", limit)
            self._solver.run()
            iterations = max(1, self._solver.getInfo().simplex_iteration_count)
            budget.work -= iterations * (self._solver.getNumRow() + self._solver.getNumCol())
            if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return None
            solution = self._solver.getSolution()
            values = np.array(solution.col_value)
            x = values[self._column]
            if not self._add_violated(values, x):
                break
            if budget.over():
                return None
        P = len(self.gains)
        dual = np.maximum(-np.array(solution.row_dual), 0.0)
        value = -self._solver.getInfo().objective_function_value
        return x, Duals(dual[:P], dual[P + 1 :], float(dual[P])), value

    def _add_violated(self, values, x) -> bool:
        """Add for each negative the row that its columns violate most."""
        used = np.flatnonzero(x > NOISE)
        reached = np.flatnonzero(self.negative[used].any(axis=0))
        if len(reached) == 0:
            return False
        load = (self.chosen[used] * x[used, None]).T @ self.negative[np.ix_(used, reached)]
        paid = np.where(self._payment[reached] >= 0, values[self._payment[reached]], 0.0)
        worst = load.argmax(axis=0)
        violated = np.flatnonzero(load.max(axis=0) > paid + NOISE * 10)
        for k in violated:
            i, j = worst[k], reached[k]
            if self._payment[j] < 0:
                self._payment[j] = self._solver.getNumCol()
                self._solver.addCol(float(self.costs[j]), 0.0, 1.0, 0, [], [])
            columns = self._column[self.chosen[:, i] & self.negative[:, j]]
            index = np.append(columns, self._payment[j]).astype(np.int32)
            value = np.append(np.ones(len(columns)), -1.0)
            self._solver.addRow(-highspy.kHighsInf, 0.0, len(index), index, value)
        self.pair_positive = np.append(self.pair_positive, worst[violated])
        self.pair_negative = np.append(self.pair_negative, reached[violated])
        return len(violated) > 0

    def prices(self, duals: Duals) -> Prices:
        """What the pricing search is given."""
        return make_prices(self.gains - duals.lam, self.pair_positive, self.pair_negative, duals.v)

    def fixed_part(self, duals: Duals) -> float:
        """The upper bound without the term of the columns."""
        v = np.bincount(self.pair_negative, duals.v, len(self.costs))
        return duals.lam.sum() + np.maximum(v - self.costs, 0.0).sum()

    def contributions(self, negative, duals: Duals) -> np.ndarray:
        """What each positive adds to the price of boxes, given the negatives in them."""
        P = len(self.gains)
        paid = [
            np.bincount(self.pair_positive, duals.v * b[self.pair_negative], P) for b in negative
        ]
        return self.gains - duals.lam - np.array(paid).reshape(-1, P)

    def padded(self, duals: Duals) -> Duals:
        """Duals from before some rows were added."""
        v = np.zeros(len(self.pair_positive))
        v[: len(duals.v)] = duals.v
        return duals._replace(v=v)


def choose_boxes(problem: BoxProblem, boxes, max_boxes: int, target: int, budget: Budget):
    """Integer program over given boxes: x of boxes, y of positives in them, w of negatives.

    Parameters
    ----------
    problem : BoxProblem
    boxes : (low, high)
    max_boxes : int
    target : int
        Only solutions of at least this value are looked for.
    budget : Budget

    Returns
    -------
    chosen : ndarray of int
        The boxes of the best solution found.
    bound : float or None
        No choice of at least `target` is worth more, in units of a positive's weight; None if the
        program was not solved.
    """
    unit = problem.unit
    positive, negative = problem.inside(*boxes)
    reached = negative.any(axis=0)
    # negatives that are in the same boxes are paid for together
    negative, group = np.unique(negative[:, reached], axis=1, return_inverse=True)
    costs = np.bincount(group.ravel(), problem.costs[reached], negative.shape[1]) / unit
    n_x, n_w = len(positive), negative.shape[1]
    b, i = np.nonzero(positive)
    n_y = len(b)
    n = n_x + n_y + n_w
    x, y, w = np.split(np.arange(n), [n_x, n_x + n_y])
    cost = np.concatenate([np.full(n_x, problem.box_cost / unit), -problem.gains[i] / unit, costs])
    entry, j = np.nonzero(negative[b])
    pairs, pair = np.unique(i[entry] * n_w + j, return_inverse=True)
    in_box, in_negative = np.nonzero(negative)

    def rows(*parts):
        """Rows from (row, column, value) triples."""
        row, column, value = (
            np.concatenate(part)
            for part in zip(*(np.broadcast_arrays(*p) for p in parts), strict=True)
        )
        return sparse.csr_array((value, (row, column)), shape=(row.max(initial=-1) + 1, n))

    at_most = [
        (rows((0, x, 1.0)), max_boxes),
        (rows((i, y, 1.0)), 1.0),
        (rows((y - n_x, y, 1.0), (y - n_x, b, -1.0)), 0.0),  # y_ib <= x_b
        # the sum of y_ib over the boxes with i and j <= w_j
        (rows((pair, y[entry], 1.0), (np.arange(len(pairs)), w[pairs % n_w], -1.0)), 0.0),
        # implied, but a stronger start: each box has all of its negatives paid for
        (rows((x, x, negative.sum(axis=1) * 1.0), (in_box, w[in_negative], -1.0)), 0.0),
        (rows((0, np.arange(n), cost)), -(target - problem.step / 2) / unit),
    ]
    matrix = sparse.vstack([part for part, _ in at_most], format="csr")
    upper = np.concatenate([np.full(part.shape[0], float(limit)) for part, limit in at_most])
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n, len(upper)
    program.col_cost_ = cost
    program.col_lower_, program.col_upper_ = np.zeros(n), np.ones(n)
    program.row_lower_, program.row_upper_ = np.full(len(upper), -highspy.kHighsInf), upper
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    kind = highspy.HighsVarType
    program.integrality_ = [kind.kInteger] * n_x + [kind.kContinuous] * (n_y + n_w)
    solver = _silent_solver()
    for option, value in (
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", problem.step / unit / 2),
        ("mip_max_nodes", _PROGRAM_NODES),
        ("time_limit", budget.left()),
    ):
        solver.setOptionValue(option, value)
    for event in (solver.cbMipInterrupt, solver.cbSimplexInterrupt):
        event.subscribe(lambda event: event.interrupt(budget.late()))
    solver.passModel(program)
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return np.zeros(0, dtype=int), (target - problem.step) / unit
    info = solver.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(solver.getSolution().col_value)
    chosen = np.flatnonzero(values[:n_x] > 0.5) if found else np.zeros(0, dtype=int)
    solved = status == highspy.HighsModelStatus.kOptimal
    return chosen, -info.mip_dual_bound if solved else None
