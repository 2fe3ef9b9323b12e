"""Exact Boxes with several boxes, by the dual of a linear program over all boxes.

Dual values reward each positive and share each negative's cost among the positives:

    ``sum lam + sum_j (sum_i v_ij - n_j)+ + K (best price - c_E)+``

with ``0 <= lam_i <= p_i`` and ``v_ij >= 0`` is an upper bound, where a box B is priced at the sum
over its positives of ``(p_i - lam_i - sum over the negatives j of B of v_ij)+``. The bound is
tight, within a percent on most data. Steps along subgradients of the bound over the boxes found so
far take the place of a linear program, `BestBox` finds more. When few boxes could still be part of
a better solution they are listed, and the best choice among them is found by `choose`.
"""

import time

import numpy as np
from numba import njit

from minority.boxes._exact_best_box import BestBox, widen
from minority.boxes._exact_bits import ALL
from minority.boxes._exact_combine import Listed, choose
from minority.boxes._exact_problem import BoxProblem, closures
from minority.boxes._exact_search import Outcome, make_tables
from minority.boxes._exact_start import cover, settle

_LARGEST = 2**22  # pairs of a positive and a negative, or of two positives, that are kept
_STEPS = 20  # along subgradients between two searches for boxes
_FEW_NODES, _MANY_NODES = 2_000, 200_000
_PATIENCE = 6  # rounds without progress after which steps become shorter
_PROGRESS = 0.03  # of the bound's distance to the target
_LIST_AGAIN = 0.85  # when the distance has fallen to this share
_LISTED_BOXES = 20_000
_LISTED_NODES = 150_000
_COMBINE_WORK = 50_000_000  # members of boxes to look at
_DECIDE_WORK = 500_000_000  # the same among all boxes that are left: its answer is the proof
_SHORT = 0.1  # share of the distance that is not worth more steps
_LAST = 10  # how much longer the list may be when there are no more steps to take
_SAFETY = 1e-6  # bounds from floating point are raised by this share


@njit(cache=True, nogil=True)
def _project(row, most):
    """Move to the nearest point that is nowhere below 0 and sums to at most `most`."""
    total, size = 0.0, 0
    for i in range(len(row)):
        row[i] = max(row[i], 0.0)
        if row[i] > 0:
            total += row[i]
            size += 1
    if total <= most:
        return
    excess = (total - most) / size
    while True:
        total, left = 0.0, 0
        for i in range(len(row)):
            if row[i] > excess:
                total += row[i]
                left += 1
        if left == 0 or left >= size:
            break
        size, excess = left, (total - most) / left
    for i in range(len(row)):
        row[i] = max(row[i] - excess, 0.0)


@njit(cache=True, nogil=True)
def _price(first_p, member, first_n, negative, reward, v, part, prices):
    """What each member of each box counts, and prices of boxes."""
    for b in range(len(prices)):
        start, stop = first_p[b], first_p[b + 1]
        for m in range(start, stop):
            part[m] = reward[member[m]]
        for entry in range(first_n[b], first_n[b + 1]):
            row = v[negative[entry]]
            for m in range(start, stop):
                part[m] -= row[member[m]]
        prices[b] = 0.0
        for m in range(start, stop):
            prices[b] += max(part[m], 0.0)


@njit(cache=True, nogil=True)
def _step(
    gains, costs, most_boxes, box_cost, lam, v, first_p, member, first_n, negative, n_steps, level
):
    """Take steps that are to lower the bound over the given boxes to `level`.

    The maximum over boxes is smoothed for it. Returns the largest price in the end.
    """
    n_boxes = len(first_p) - 1
    part, prices, weight = np.zeros(len(member)), np.zeros(n_boxes), np.zeros(n_boxes)
    d_lam, d_v = np.zeros(len(lam)), np.zeros_like(v)
    step = 0
    while True:
        _price(first_p, member, first_n, negative, gains - lam, v, part, prices)
        top = max(box_cost, prices.max())
        bound = most_boxes * (top - box_cost)
        for i in range(len(lam)):
            bound += lam[i]
        if step == n_steps:
            return top
        step += 1
        gap = max(bound - level, 0.02)
        width = max(gap / (8 * most_boxes), 0.01)
        total = np.exp((box_cost - top) / width)
        for b in range(n_boxes):
            weight[b] = np.exp((prices[b] - top) / width)
            total += weight[b]
        d_lam[:] = -1.0
        d_v[:] = 0.0
        for b in range(n_boxes):
            x = most_boxes * weight[b] / total
            if x < 1e-7:
                continue
            for m in range(first_p[b], first_p[b + 1]):
                if part[m] > 0:
                    d_lam[member[m]] += x
            for entry in range(first_n[b], first_n[b + 1]):
                row = d_v[negative[entry]]
                for m in range(first_p[b], first_p[b + 1]):
                    if part[m] > 0:
                        row[member[m]] += x
        norm = 0.0
        for i in range(len(lam)):
            if d_lam[i] > 0 or lam[i] > 0:
                norm += d_lam[i] ** 2
        for j in range(len(costs)):
            # where all is shared out only shares can change, not their sum
            shared, size, total, squares = 0.0, 0, 0.0, 0.0
            for i in range(len(lam)):
                shared += v[j, i]
                if v[j, i] > 0 or d_v[j, i] > 0:
                    size += 1
                    total += d_v[j, i]
                    squares += d_v[j, i] ** 2
            if size and shared >= costs[j] - 1e-9:
                squares = max(squares - total**2 / size, 0.0)
            norm += squares
        length = gap / max(norm, 1e-12)
        for i in range(len(lam)):
            lam[i] = min(max(lam[i] + length * d_lam[i], 0.0), gains[i])
        for j in range(len(costs)):
            moved = False
            for i in range(len(lam)):
                if d_v[j, i] != 0:
                    moved = True
                    v[j, i] += length * d_v[j, i]
            if moved:
                _project(v[j], costs[j])


def _indices(sets, size: int):
    """Sets as (first, element): where the elements of each begin, and the elements."""
    inside = np.unpackbits(sets.view(np.uint8), axis=-1, bitorder="little")[:, :size]
    row, element = np.nonzero(inside)
    return np.searchsorted(row, np.arange(len(sets) + 1)), element


def fits(problem: BoxProblem) -> bool:
    """Whether the dual values of a problem are few enough to be kept."""
    size = len(problem.gains)
    return size * max(size, len(problem.costs)) <= _LARGEST


class Relaxation:
    """The engine, which can be interrupted and continued.

    Work is counted so that a turn ends at the same place on any machine: a node of the search for
    boxes counts as many units as there are positives; some ten million units take a second.

    Parameters
    ----------
    problem : BoxProblem
        With at least one box that may be used.
    low, high : ndarray of shape (n_boxes, d)
        The best boxes known so far.
    """

    def __init__(self, problem: BoxProblem, low, high):
        self.problem, self.low, self.high = problem, low, high
        self.value = problem.value(low, high)
        self.work = 0
        self.converged = False  # whether more steps lead nowhere
        self._bound = max(0, int(problem.gains.sum()) - problem.box_cost)
        self._tables = t = make_tables(problem, low, high)
        self._best_box = BestBox(t)
        self._gains, self._costs = t.gains / problem.unit, t.costs / problem.unit
        self._box_cost = problem.box_cost / problem.unit
        self._duals = np.zeros(len(t.gains)), self._shares()
        self._best = self._duals  # those of the least bound
        self._least = np.inf  # that bound
        self._most = np.inf  # what a box adds to it at most
        self._delta = np.inf  # by how much at most the next steps try to lower the bound
        self._since, self._before = 0, np.inf
        self._tried = np.inf  # distance at which boxes were listed the last time
        self._nodes = _FEW_NODES
        self._pool = np.zeros((2, 0, problem.positives.shape[1]), np.int32)
        self._known = set()
        self._add(np.stack([problem.positives, problem.positives]))
        self._add(np.stack([low, high]))

    def _shares(self):
        """Costs of negatives shared among the positives near them: (N, P)."""
        t = self._tables
        n_ranks, n = t.n_at_least.shape[1], len(t.costs)
        distance = np.zeros((n, len(t.gains)))
        for f in range(t.positives.shape[1]):
            below, above = (
                np.unpackbits(sets[f].view(np.uint8), axis=-1, bitorder="little")[:, :n].sum(axis=0)
                for sets in (t.n_at_least, t.n_at_most)
            )
            middle = (below.astype(float) - 1 + n_ranks - above) / 2
            scale = max(1, int(t.positives[:, f].max()))
            distance += np.abs(t.positives[:, f] - middle[:, None]) / scale
        if n == 0:
            return distance
        near = -8 * distance / max(distance.mean(), 1e-12)
        near = np.exp(near - near.max(axis=1, keepdims=True))
        return self._costs[:, None] * near / near.sum(axis=1, keepdims=True)

    @property
    def _target(self) -> int:
        return self.value + self.problem.step

    @property
    def proven(self) -> bool:
        """Whether no boxes are better."""
        return self._bound < self._target

    @property
    def bound(self) -> int:
        """No solution is worth more."""
        return max(self.value, self._bound)

    @property
    def _limit(self) -> int:
        """What the negatives of a box of a better solution cost at most."""
        return int(self.problem.gains.sum()) - self.problem.box_cost - self._target

    @property
    def _max_boxes(self) -> int:
        """How many boxes a better solution has at most."""
        most = min(self.problem.max_boxes, len(self._gains))
        if self.problem.box_cost > 0:
            spare = int(self.problem.gains.sum()) - self._target
            most = min(most, max(0, spare) // self.problem.box_cost)
        return most

    def improve(self, low, high):
        """Tell the engine about better boxes that were found elsewhere."""
        value = self.problem.value(low, high)
        if value > self.value:
            self.value, self.low, self.high = value, low, high
            self._add(np.stack([low, high]))
            self._tried, self.converged = np.inf, False

    def _add(self, boxes) -> bool:
        """Add boxes to those that steps know; returns whether any is new."""
        boxes = np.ascontiguousarray(boxes, np.int32)
        new = []
        for b in range(boxes.shape[1]):
            name = boxes[:, b].tobytes()
            if name not in self._known:
                self._known.add(name)
                new.append(b)
        if new:
            self._pool = np.concatenate([self._pool, boxes[:, new]], axis=1)
            self._members = self._members_of(*self._pool)
        return bool(new)

    def _members_of(self, low, high):
        """Positives and negatives of boxes, as `_step` wants them, and the negatives as bits."""
        t = self._tables
        sets = []
        for at_least, at_most in ((t.p_at_least, t.p_at_most), (t.n_at_least, t.n_at_most)):
            bits = np.full((len(low), at_least.shape[2]), ALL)
            for f in range(low.shape[1]):
                bits &= at_least[f, low[:, f]] & at_most[f, high[:, f]]
            sets.append(bits)
        positive, negative = _indices(sets[0], len(t.gains)), _indices(sets[1], len(t.costs))
        return *positive, *negative, sets[1]

    def run(self, *, deadline: float, work: float) -> Outcome:
        """Go on until the proof, the deadline, so much more work or the end of all progress."""
        last = self.work + work

        def late():
            return time.perf_counter() >= deadline

        while not (self.proven or self.converged or self.work >= last or late()):
            if self._max_boxes == 0 or self._limit < 0:
                self._bound = min(self._bound, self.value)
                break
            self._round(late)
        return Outcome(self.low, self.high, self.bound, self.proven)

    def _round(self, late):
        """Take some steps, look for boxes, and list all of them if they may be few."""
        problem, most = self.problem, self._max_boxes
        target = self._target / problem.unit
        lam, v = self._duals
        top = _step(
            self._gains,
            self._costs,
            most,
            self._box_cost,
            lam,
            v,
            *self._members[:4],
            _STEPS,
            max(target, min(self._least, 1e300) - self._delta),
        )
        reward, by_positive = self._gains - lam, np.ascontiguousarray(v.T)
        found = self._best_box.search(
            reward,
            by_positive,
            limit=self._limit,
            cutoff=top,
            max_nodes=self._nodes,
            late=late,
        )
        self._count(found.nodes)
        new = self._add(np.stack([found.low, found.high]))
        fruitless = not new and not found.over
        self._nodes = min(_MANY_NODES, 8 * self._nodes) if fruitless else _FEW_NODES
        fixed = self._fixed(lam, v)
        bound = fixed + most * max(found.bound - self._box_cost, 0.0)
        if bound < self._least:
            self._least, self._best = bound, (lam.copy(), v.copy())
            self._most = max(found.bound - self._box_cost, 0.0)
            self._cut(bound)
        if self._least < self._before - _PROGRESS * (self._before - target):
            self._before, self._since = self._least, 0
        else:
            self._since += 1
        distance = max(self._least - target, 0.0)  # a bound just below the target proves nothing
        if distance < _LIST_AGAIN * self._tried and not self.proven:
            self._tried = distance
            self._combine_known()
            self._list(late)
        elif self._since >= _PATIENCE:
            if found.over and self._delta <= _SHORT * distance:
                self._list(late, _LAST)
                self.converged = True
            self._delta = min(self._delta, distance) / 2
            self._duals = tuple(part.copy() for part in self._best)
            self._since, self._before = 0, self._least
            self._combine_known()

    def _count(self, nodes):
        self.work += (nodes + len(self._gains)) * len(self._gains)

    def _fixed(self, lam, v) -> float:
        """The bound without its part for boxes."""
        return float(lam.sum() + np.maximum(v.sum(axis=1) - self._costs, 0.0).sum())

    def _cut(self, bound: float):
        """Take a bound in units of a positive's weight."""
        raised = (bound + _SAFETY * max(1.0, abs(bound))) * self.problem.unit
        step = self.problem.step
        self._bound = min(self._bound, int(raised // step) * step)

    def _listed(self, low, high):
        """Boxes with what their members count at the best dual values."""
        lam, v = self._best
        first, member, first_n, negative, bits = self._members_of(low, high)
        part, prices = np.zeros(len(member)), np.zeros(len(low))
        _price(first, member, first_n, negative, self._gains - lam, v, part, prices)
        order = np.argsort(-prices, kind="stable")
        size = np.diff(first)[order]
        start = np.concatenate([[0], np.cumsum(size)])
        entries = np.arange(len(member)) - np.repeat(start[:-1] - first[:-1][order], size)
        return order, Listed(start, member[entries], part[entries], bits[order])

    def _choose(self, low, high, work: int) -> bool:
        """Look for a better solution among some boxes; returns whether there is no other."""
        order, listed = self._listed(low, high)
        lam, v = self._best
        choice = choose(
            self._tables,
            listed,
            lam,
            np.ascontiguousarray(v.T),
            max_boxes=self._max_boxes,
            box_cost=self._box_cost,
            fixed=self._fixed(lam, v) + _SAFETY,
            unit=self.problem.unit,
            target=self._target,
            max_work=work,
        )
        self.work += choice.work // 8
        boxes = order[choice.boxes]
        self._offer(low[boxes], high[boxes])
        return choice.over

    def _offer(self, low, high):
        """Take a solution if it is better, the boxes around what it covers."""
        boxes = closures(self.problem, self.problem.inside(low, high)[0])
        if self.problem.value(*boxes) > self.value:
            self.value = self.problem.value(*boxes)
            self.low, self.high = boxes

    def _combine_known(self):
        """Look for a better solution among the boxes found so far, and improve it."""
        before = self.value
        self._choose(*self._pool, _COMBINE_WORK)
        if self.value > before:
            better = cover(self.problem, self.low, self.high, self._pool)
            self._offer(*settle(self.problem, *better))
            self._add(np.stack([self.low, self.high]))

    def _list(self, late, times: int = 1):
        """List all boxes that can be part of a better solution, and choose among them."""
        lam, v = self._best
        most, fixed = self._max_boxes, self._fixed(lam, v)
        target = self._target / self.problem.unit
        others = (most - 1) * self._most
        least = target - fixed - others + self._box_cost - _SAFETY * max(1.0, fixed)
        if least <= 0:
            return
        found = self._best_box.search(
            self._gains - lam,
            np.ascontiguousarray(v.T),
            limit=self._limit,
            cutoff=least,
            max_nodes=times * _LISTED_NODES,
            late=late,
            all_boxes=True,
            room=times * _LISTED_BOXES,
        )
        self._count(found.nodes)
        if not found.over:
            return
        low, high = found.low.copy(), found.high.copy()
        # a box with the same negatives and more positives is never worse
        widen(self._tables, low, high)
        both = np.unique(np.stack([low, high]), axis=1)
        if self._choose(*both, _DECIDE_WORK):
            self._bound = min(self._bound, self.value)
        else:  # fewer boxes are needed than fit on the list
            self._tried *= _LIST_AGAIN
