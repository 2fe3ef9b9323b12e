"""Exact Boxes by column generation.

The linear program of `_exact_master` is solved over the columns that the search of
`_exact_pricing` finds to pay. At any dual values
``sum lam + sum_j (sum_i v_ij - n_j)+ + K (best price - c_E)+`` is an upper bound. If the bound
stays above the best solution, all boxes that could still be part of a better one are listed and
the choice among them is left to an integer program.
"""

import numpy as np

from minority.boxes import _exact_pricing as pricing
from minority.boxes._exact_master import NOISE, Budget, Duals, Master, choose_boxes
from minority.boxes._exact_problem import BoxProblem, closures
from minority.boxes._exact_search import Outcome
from minority.boxes._exact_start import cover, settle

# All work of a run but the integer programs, see `Budget`: a few seconds.
WORK = 50_000_000
# More boxes than this, or boxes of more positives in total, make too large an integer program: its
# linear program alone would take longer than the branch and bound.
_LISTED_BOXES = 5_000
_MEMBERS = 3_000
# Columns are enough when the bound is nearer to its limit, by this factor, than that to the target.
_CLOSE = 0.1
# Columns of at least this x are worth completing to a solution.
_USED = 0.02
# Room for the boxes of one round of pricing.
_ROUND_BOXES = 256
# Nodes between two looks at the clock; a search of fewer is done in every round.
_SLICE = 10_000
# Weight of the best dual values so far in the ones that are priced.
_SMOOTHING = 0.5
# Bounds from floating point are raised by this share.
_SAFETY = 1e-6


class _Generation:
    """The state of one run of `solve_columns`."""

    def __init__(self, problem: BoxProblem, low, high, budget: Budget):
        self.problem, self.budget = problem, budget
        self.bound = max(0, int(problem.gains.sum()) - problem.box_cost)
        self.chosen = np.zeros((0, len(problem.gains)), dtype=bool)  # positives of each box
        self.value = 0
        self.offer(problem.inside(low, high)[0])

    def offer(self, chosen) -> bool:
        """Take a solution, as the positives of its boxes, if it is better."""
        chosen = chosen[chosen.any(axis=1)]
        value = self.problem.value(*closures(self.problem, chosen))
        if value <= self.value:
            return False
        self.chosen, self.value = chosen, value
        return True

    @property
    def target(self) -> int:
        """The least value that would be an improvement."""
        return self.value + self.problem.step

    @property
    def proven(self) -> bool:
        return self.bound < self.target

    def prepare(self) -> bool:
        """Tables and costs of pairs; returns whether there was time."""
        self.tables = pricing.make_tables(self.problem)
        costs = []
        for i in range(len(self.problem.gains)):
            if self.budget.over():
                return False
            costs.append(pricing.pair_costs(self.tables, i))
        self.pair_cost = np.array(costs)
        self.tighten()
        return True

    def tighten(self):
        """What the best solution says of the boxes of a better one: their cost and number."""
        problem, alone = self.problem, np.diag(self.pair_cost)
        limit = None
        inside = np.ones(len(alone), dtype=bool)
        while True:
            spare = int(problem.gains[inside].sum()) - self.target
            if limit == spare - problem.box_cost:
                break
            limit = spare - problem.box_cost
            inside = alone <= limit
        self.inside = inside
        self.allowed = pricing.make_allowed(self.pair_cost, limit)
        self.max_boxes = min(problem.max_boxes, int(inside.sum()))
        if problem.box_cost > 0:
            self.max_boxes = min(self.max_boxes, max(0, spare) // problem.box_cost)
        if self.max_boxes == 0 or limit < 0:
            self.bound = min(self.bound, self.value)

    def cut_bound(self, bound: float):
        """Take a bound on better solutions, in units of a positive's weight."""
        raised = (bound + _SAFETY * max(1.0, abs(bound))) * self.problem.unit
        step = self.problem.step
        self.bound = min(self.bound, max(self.value, int(raised // step) * step))

    def start_search(self, prices, least, capacity, all_boxes=False):
        return pricing.start_search(self.tables, prices, self.allowed, least, capacity, all_boxes)

    def run_search(self, search, prices, max_nodes=np.inf) -> int:
        """Search until it is over or full, or nodes or budget are spent; returns the nodes."""
        nodes = 0
        while not (search.over or nodes >= max_nodes or self.budget.over()):
            if search.all_boxes and search.full:
                break
            visited = pricing.advance(self.tables, prices, self.allowed, search, _SLICE)
            self.budget.work -= visited * len(self.problem.gains)
            nodes += visited
        return nodes

    def generate(self):
        """Generate columns until the linear program is solved or its bound suffices."""
        problem = self.problem
        master = self.master = Master(problem, self.max_boxes)
        master.add_columns(np.eye(len(problem.gains), dtype=bool)[self.inside])
        master.add_columns(self.chosen)
        self.best = None  # (bound, duals, fixed part, worth of the best column)
        self.cheap = True  # whether the exact search was short the last time
        while not (self.proven or self.budget.over()):
            solved = master.solve(self.budget)
            if solved is None:
                return
            x, duals, value = solved
            if self.round(x):
                self.tighten()
                master.restrict(self.allowed.limit, self.max_boxes)
            trials = [duals]
            if self.best is not None:
                # the bound can fall to the value at best, which would not be enough
                short = value - self.target / problem.unit
                if short >= 0 and self.best[0] - value <= _CLOSE * short + _SAFETY:
                    return
                old = master.padded(self.best[1])
                pairs = zip(old, duals, strict=True)
                mixed = (_SMOOTHING * o + (1 - _SMOOTHING) * n for o, n in pairs)
                trials.insert(0, Duals(*mixed))
            if not any(self.price(trial, duals) for trial in trials):
                return

    def price(self, trial, duals) -> bool:
        """Add columns found at `trial` that pay at `duals`; False if there are none.

        The exact search, which gives a bound, is left out while it is long and dives find columns.
        """
        master = self.master
        prices = master.prices(trial)
        least = master.box_cost + trial.mu + NOISE
        search = self.start_search(prices, least, _ROUND_BOXES)
        pricing.dive(self.tables, prices, self.allowed, search)
        added = self.add_found(search, trial, duals)
        if added and not self.cheap:
            return True
        search = self.start_search(prices, least, _ROUND_BOXES)
        nodes = self.run_search(search, prices, _SLICE if added else np.inf)
        self.cheap = nodes < _SLICE
        worth = search.bound - master.box_cost
        fixed = master.fixed_part(trial)
        bound = fixed + self.max_boxes * max(worth, 0.0)
        if self.best is None or bound < self.best[0]:
            self.best = bound, trial, fixed, worth
            self.cut_bound(bound)
        return self.add_found(search, trial, duals) or added or self.proven

    def add_found(self, search, trial, duals) -> bool:
        """Add the boxes found at `trial` that pay at `duals`; returns whether there were any."""
        master = self.master
        positive, negative = self.problem.inside(*search.boxes)
        chosen = positive & (master.contributions(negative, trial) > 0)
        chosen = np.unique(chosen[chosen.any(axis=1)], axis=0)
        negative = self.problem.inside(*closures(self.problem, chosen))[1]
        price = (chosen * master.contributions(negative, duals)).sum(axis=1)
        return master.add_columns(chosen[price > master.box_cost + duals.mu + NOISE])

    def round(self, x) -> bool:
        """Look for a better solution near the columns that the linear program uses."""
        order = np.argsort(-x, kind="stable")[: np.count_nonzero(x > _USED)]
        self.used = closures(self.problem, self.master.chosen[order])
        # the boxes most in use may get in each other's way, so start from none as well
        better = self.complete(slice(self.max_boxes))
        return self.complete(slice(0)) or better

    def complete(self, part: slice) -> bool:
        """Complete some of the boxes in use to a solution; returns whether it is better."""
        low, high = self.used
        boxes = settle(self.problem, *cover(self.problem, low[part], high[part], self.used))
        return self.offer(self.problem.inside(*boxes)[0])

    def finish(self):
        """List the boxes of better solutions and choose among them by an integer program."""
        # a better solution leaves fewer boxes to list
        for k in range(len(self.used[0])):
            if self.budget.late():
                return
            self.complete(slice(k, k + 1))
        self.tighten()
        if self.proven:
            return
        boxes = self.list_boxes()
        if boxes is None or self.budget.late():
            return
        if len(boxes[0]) == 0:
            self.bound = self.value
            return
        chosen, bound = choose_boxes(self.problem, boxes, self.max_boxes, self.target, self.budget)
        self.offer(self.problem.inside(boxes[0][chosen], boxes[1][chosen])[0])
        if bound is not None:
            self.cut_bound(bound)

    def list_boxes(self):
        """All boxes that could still pay; None if they are too many."""
        master = self.master
        _, duals, fixed, worth = self.best
        others = (self.max_boxes - 1) * max(worth, 0.0)
        least = master.box_cost + self.target / self.problem.unit - fixed - others
        least -= _SAFETY * max(1.0, fixed)
        prices = master.prices(master.padded(duals))
        search = self.start_search(prices, least, _LISTED_BOXES, all_boxes=True)
        self.run_search(search, prices)
        if not search.over:
            return None
        low, high = search.boxes
        # a box with the same negatives and more positives is never worse
        pricing.widen(self.tables, low, high)
        low, high = np.unique(np.stack([low, high]), axis=1)
        return (low, high) if self.problem.inside(low, high)[0].sum() <= _MEMBERS else None


def solve_columns(problem: BoxProblem, low, high, *, deadline: float, work: int = WORK) -> Outcome:
    """Solve Exact Boxes by column generation.

    Parameters
    ----------
    problem : BoxProblem
    low, high : int ndarray of shape (n_boxes, d)
        A solution to start from, possibly without boxes.
    deadline : float
        Value of `time.perf_counter` at which to stop.
    work : int
        Limit of the work, see `Budget`.

    Returns
    -------
    outcome : Outcome
        Never worse than the given solution.
    """
    run = _Generation(problem, low, high, Budget(deadline, work))
    if not run.proven and run.prepare() and not run.proven:
        run.generate()
        if not run.proven and run.best is not None:
            run.finish()
    return Outcome(*closures(problem, run.chosen), run.bound, run.proven)
