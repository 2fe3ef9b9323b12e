"""The exact search: a deterministic parallel branch and bound.

The open nodes are spread over a fixed number of lanes. Each round every lane goes on with its own
part of the tree for a fixed number of nodes and knows only the best value of the round before, so
the outcome does not depend on how many threads run the lanes or how fast they are.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import ONE, in_hull, lowest_bit, pack, planes, total
from minority.boxes._exact_bound import Node, Tables, Work
from minority.boxes._exact_problem import BoxProblem
from minority.boxes._exact_tighten import Best, Stack, explore

_LANES = 4
_FIRST_ROUND = 64  # nodes of a lane in the first round; doubled up to the longest
_LONGEST_ROUND = 1024
_PAIR_WORDS = 2**23  # sets of more words, 64 MB, are not kept for all pairs of positives


class Outcome(NamedTuple):
    """What a solver found: boxes, a bound on the best value, and whether they are proven best."""

    low: np.ndarray
    high: np.ndarray
    bound: int
    proven: bool


@njit(cache=True, nogil=True)
def _fill_pairs(positives, at_least, at_most, pairs):
    size, words = len(positives), at_least.shape[2]
    for i in range(size):
        point = positives[i]
        for other in range(size):
            start = (i * size + other) * words
            in_hull(point, point, positives, other, at_least, at_most, pairs, start)


@njit(cache=True, nogil=True)
def _pair_costs(positives, costs, at_least, at_most):
    """Cost of the smallest box around each pair of positives; how many enclose each negative."""
    size = len(positives)
    pair_cost = np.zeros((size, size), np.int64)
    enclosing = np.zeros(len(costs), np.int64)
    words = np.zeros(at_least.shape[2], np.uint64)
    for i in range(size):
        for other in range(i):
            in_hull(positives[i], positives[i], positives, other, at_least, at_most, words, 0)
            pair_cost[i, other] = pair_cost[other, i] = total(words, costs)
            for w in range(len(words)):
                word = words[w]
                while word != 0:
                    enclosing[(w << 6) + np.int64(lowest_bit(word))] += 1
                    word &= word - ONE
    return pair_cost, enclosing


def face_sets(below, above, n_ranks):
    """Sets that a lower and an upper face at each rank let in: two (features, ranks, words)."""
    ranks = np.arange(n_ranks)
    at_least = below.T[:, None, :] >= ranks[:, None]
    at_most = above.T[:, None, :] <= ranks[:, None]
    return pack(at_least), pack(at_most)


def make_tables(problem: BoxProblem, low, high) -> Tables:
    """Prepare a search; negatives and positives are ordered so that it goes well."""
    positives, n_ranks = problem.positives, int(problem.ranks.max())
    p_at_least, p_at_most = face_sets(positives, positives, n_ranks)
    below, above, costs = problem.below, problem.above, problem.costs
    pair_cost, enclosing = _pair_costs(positives, costs, *face_sets(below, above, n_ranks))
    # Negatives that few pairs enclose are reserved first: nobody else needs them.
    order = np.argsort(enclosing, kind="stable")
    # Positives that are cheap to join with most others are likely to be in good boxes; those of
    # the largest known box come first.
    far = np.minimum(pair_cost, problem.gains.sum()).sum(axis=1)
    inside = np.zeros(len(positives), dtype=bool)
    if len(low):
        members = problem.inside(low, high)[0]
        inside = members[np.argmax(members @ problem.gains)]
    central = np.lexsort((np.arange(len(far)), far, ~inside))
    n_at_least, n_at_most = face_sets(below[order], above[order], n_ranks)
    size = len(positives) if len(positives) ** 2 * n_at_least.shape[2] <= _PAIR_WORDS else 0
    pairs = np.zeros((size, size, n_at_least.shape[2]), np.uint64)
    _fill_pairs(positives[:size], n_at_least, n_at_most, pairs)
    return Tables(
        positives,
        problem.gains,
        np.ascontiguousarray(costs[order]),
        problem.box_cost,
        problem.step,
        max(1, problem.max_boxes),
        p_at_least,
        p_at_most,
        n_at_least,
        n_at_most,
        *planes(costs[order]),
        central,
        pairs,
    )


class _Lane:
    """A part of the tree with its own stack, workspace and best solution."""

    def __init__(self, t: Tables, capacity: int = 256):
        n_positives, d = t.positives.shape
        boxes, p_words, words = t.max_boxes, t.p_at_least.shape[2], t.n_at_least.shape[2]
        n_negatives, ranks = len(t.costs), t.p_at_least.shape[1]
        self.tables, self.top = t, 0
        self.stack = self._make_stack(capacity)
        self.node = Node(
            *(np.zeros((boxes, d), np.int32) for _ in range(4)),
            np.zeros((boxes, p_words), np.uint64),
            np.zeros(p_words, np.uint64),
            np.zeros(1, np.int64),
        )
        self.work = Work(
            covered=np.zeros(p_words, np.uint64),
            paid=np.zeros(words, np.uint64),
            some_n=np.zeros((1, 1, words), np.uint64),
            known_low=np.full((boxes, d), -1, np.int32),
            known_high=np.full((boxes, d), -1, np.int32),
            inner_p=np.zeros((boxes, p_words), np.uint64),
            inner_n=np.zeros((boxes, words), np.uint64),
            known=np.zeros((n_positives, boxes), np.int8),
            with_i=np.zeros((n_positives, boxes, p_words), np.uint64),
            hull=np.zeros((n_positives, boxes, words), np.uint64),
            added=np.zeros((n_positives, boxes, words), np.uint64),
            cost=np.zeros((n_positives, boxes), np.int64),
            joins=np.zeros((boxes, p_words), np.uint64),
            opens=np.zeros(p_words, np.uint64),
            free=np.zeros(p_words, np.uint64),
            credit=np.zeros((n_positives, boxes), np.int64),
            charge=np.zeros(n_positives, np.int64),
            left=np.zeros(n_positives, np.int64),
            spare=np.zeros(n_negatives, np.int64),
            unreserved=np.zeros(words, np.uint64),
            order=np.arange(n_positives),
            cheapest=np.zeros(n_positives, np.int64),
            alone=np.zeros(n_positives, np.int64),
            taken=np.zeros(n_negatives, np.int64),
            touched=np.zeros(words, np.uint64),
            loss_out=np.zeros((n_positives, boxes), np.int64),
            by_rank=np.zeros(ranks, np.int64),
            others=np.zeros((d, words), np.uint64),
            boxes=np.zeros(boxes, np.int64),
            openers=np.zeros(n_positives, np.int64),
            group=np.zeros(boxes + 1, np.int64),
            choice=np.zeros(5, np.int64),
        )
        self.best = Best(
            np.zeros(1, np.int64),
            np.zeros((boxes, d), np.int32),
            np.zeros((boxes, d), np.int32),
            np.zeros(1, np.int64),
        )

    def _make_stack(self, capacity):
        t = self.tables
        boxes, d, p_words = t.max_boxes, t.positives.shape[1], t.p_at_least.shape[2]
        return Stack(
            *(np.zeros((capacity, boxes, d), np.int32) for _ in range(4)),
            np.zeros((capacity, boxes, p_words), np.uint64),
            np.zeros((capacity, p_words), np.uint64),
            np.zeros(capacity, np.int64),
            np.zeros(capacity, np.int64),
        )

    def reserve(self, more):
        """Make room on the stack."""
        needed = self.top + more
        if needed > len(self.stack.bound):
            larger = self._make_stack(2 * needed)
            for old, new in zip(self.stack, larger, strict=True):
                new[: self.top] = old[: self.top]
            self.stack = larger

    def give(self, other: "_Lane"):
        """Hand every second open node, the widest among them, to an idle lane."""
        moved, kept = np.arange(0, self.top, 2), np.arange(1, self.top, 2)
        other.reserve(len(moved))
        for mine, theirs in zip(self.stack, other.stack, strict=True):
            theirs[other.top : other.top + len(moved)] = mine[moved]
            mine[: len(kept)] = mine[kept]
        other.top += len(moved)
        self.top = len(kept)

    def run(self, max_nodes):
        """Visit so many nodes, or all that are left; returns how many."""
        visited = 0
        while self.top and visited < max_nodes:
            self.reserve(self.tables.max_boxes + 4)
            self.top, new = explore(
                self.tables,
                self.stack,
                self.top,
                self.node,
                self.work,
                self.best,
                max_nodes - visited,
            )
            visited += new
        return visited


class Search:
    """A branch and bound that can be interrupted and continued.

    Parameters
    ----------
    problem : BoxProblem
    low, high : ndarray of shape (n_boxes, d)
        The best boxes known so far.
    n_jobs : int, default=1
        Threads; they do not change the outcome.
    """

    def __init__(self, problem: BoxProblem, low, high, n_jobs: int = 1):
        self.problem, self.n_jobs = problem, n_jobs
        self.low, self.high = low, high
        self.value = problem.value(low, high)
        self.nodes = 0
        tables = make_tables(problem, low, high)
        self.lanes = [_Lane(tables) for _ in range(_LANES)]
        root = self.lanes[0]
        root.top = 1  # no box is open, nothing is excluded
        root.stack.bound[0] = int(problem.gains.sum())
        self._round = _FIRST_ROUND
        self._share()

    def improve(self, low, high):
        """Tell the search about better boxes that were found elsewhere."""
        value = self.problem.value(low, high)
        if value > self.value:
            self.value, self.low, self.high = value, low, high
            self._share()

    def _share(self):
        for lane in self.lanes:
            n = int(lane.best.n_boxes[0])
            if lane.best.value[0] > self.value:
                self.value = int(lane.best.value[0])
                self.low, self.high = lane.best.low[:n].copy(), lane.best.high[:n].copy()
        for lane in self.lanes:
            lane.best.value[0] = self.value

    @property
    def done(self) -> bool:
        """Whether no node is open."""
        return all(lane.top == 0 for lane in self.lanes)

    @property
    def bound(self) -> int:
        """No solution is worth more."""
        open_bounds = [int(lane.stack.bound[: lane.top].max()) for lane in self.lanes if lane.top]
        step = self.problem.step
        return max([self.value, *(bound // step * step for bound in open_bounds)])

    def run(self, *, deadline: float, max_nodes: float = np.inf, enough: float = np.inf) -> Outcome:
        """Go on until the proof, the deadline, `max_nodes` more nodes or a value that is enough."""
        last = self.nodes + max_nodes
        with ThreadPoolExecutor(self.n_jobs) as threads:
            each = threads.map if self.n_jobs > 1 else map  # to start a thread takes a while
            while not self.done and self.nodes < last and self.value < enough:
                if time.perf_counter() >= deadline:
                    break
                for idle in (lane for lane in self.lanes if not lane.top):
                    busiest = max(self.lanes, key=lambda lane: lane.top)
                    if busiest.top > 1:
                        busiest.give(idle)
                busy = [lane for lane in self.lanes if lane.top]
                self.nodes += sum(each(lambda lane: lane.run(self._round), busy))
                self._round = min(2 * self._round, _LONGEST_ROUND)
                self._share()
        bound = self.bound
        return Outcome(self.low, self.high, bound, bound < self.value + self.problem.step)
