"""The exact search for one sparse box: a branch and bound on inner and outer boxes.

A node knows for each side the lowest and the highest threshold that the box may have, which give an
outer and an inner box, and positives that must stay outside. Its bound gains every positive of the
outer box and pays for every negative of the inner one and for every face that must be there. Then
it charges for what cannot all be had, each negative, positive and face at most once:

- a positive is missed, or the negatives that come with it and with the inner box are paid;
- a negative is paid, or one of the faces that could leave it out is there. A positive that must
  stay outside is a negative that cannot be paid.

What costs more than the distance of the bound from the best known value is ruled out, until nothing
changes. Only boxes are looked for whose faces touch a positive that they cover, and none of which
could be left away without a loss: some best box is such.
"""

import time
from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import (
    NONE,
    ONE,
    first_of,
    has,
    pack,
    planes,
    put,
    total,
    weigh,
)
from minority.boxes._sparse_problem import SparseProblem

_ROUND = 500  # nodes between two looks at the clock
_PRUNED, _MEMBER, _FACE = 0, 1, 2


class _Tables(NamedTuple):
    """The problem, with the examples that each threshold lets in."""

    positives: np.ndarray  # int32 (P, sides)
    negatives: np.ndarray  # int32 (N, sides)
    gains: np.ndarray  # int64 (P,)
    costs: np.ndarray  # int64 (N,)
    face_cost: int
    box_cost: int
    step: int
    p_sets: np.ndarray  # uint64 (sides, levels, words of P)
    n_sets: np.ndarray  # uint64 (sides, levels, words of N)
    digits: np.ndarray  # `planes` of the costs
    digit_unit: int
    central: np.ndarray  # int64 (P,): positives that are likely to be in good boxes first


class _Stack(NamedTuple):
    """Nodes that are open."""

    low: np.ndarray  # int32 (capacity, sides): lowest thresholds, the outer box
    high: np.ndarray  # int32 (capacity, sides): highest thresholds, the inner box
    excluded: np.ndarray  # uint64 (capacity, words of P)
    bound: np.ndarray  # int64 (capacity,)


class _Best(NamedTuple):
    value: np.ndarray  # int64 (1,)
    box: np.ndarray  # int32 (sides,)
    improved: np.ndarray  # bool (1,)


class _Work(NamedTuple):
    """The node at hand and space for computations."""

    low: np.ndarray  # int32 (sides,)
    high: np.ndarray
    excluded: np.ndarray  # uint64 (words of P,)
    outer_p: np.ndarray  # uint64 (words of P,): in the outer box and not excluded
    outer_n: np.ndarray  # uint64 (words of N,)
    inner_p: np.ndarray  # uint64 (words of P,)
    inner_n: np.ndarray  # uint64 (words of N,)
    joined: np.ndarray  # uint64 (words of P,): positives in the inner box and i
    added: np.ndarray  # uint64 (P, words of N): negatives that i brings into the inner box
    brings: np.ndarray  # int64 (P,): what they cost
    order: np.ndarray  # int64 (P,): free positives by what they bring
    left: np.ndarray  # int64 (P,): gain that is not charged yet
    spare: np.ndarray  # int64 (N,): cost that is not charged yet
    slack: np.ndarray  # int64 (sides,): cost of the face that is not charged yet
    wanted: np.ndarray  # int64 (sides,): cost of the negatives that a face could leave out
    by_size: np.ndarray  # int64 (sides + 1,): lists of negatives by how many faces could do so
    next_n: np.ndarray  # int64 (N,)
    by_level: np.ndarray  # int64 (levels,)
    alone: np.ndarray  # int64 (sides, levels): cost of negatives that one side alone leaves out
    choice: np.ndarray  # int64 (2,): kind of branch; positive or side


@njit(cache=True, nogil=True)
def _in_box(sets, thresholds, out):
    """The elements of a box."""
    for s in range(len(thresholds)):
        t = thresholds[s]
        if s == 0:
            for w in range(len(out)):
                out[w] = sets[s, t, w]
        elif t > 0:
            for w in range(len(out)):
                out[w] &= sets[s, t, w]


@njit(cache=True, nogil=True)
def _offer(t, work, best, box):
    """Take a box if it is better than the best one."""
    faces = 0
    for s in range(len(box)):
        faces += box[s] > 0
    _in_box(t.p_sets, box, work.joined)
    value = total(work.joined, t.gains) - t.face_cost * faces - t.box_cost
    if value <= best.value[0]:
        return
    _in_box(t.n_sets, box, work.added[0])
    value -= weigh(work.added[0], t.digits, t.digit_unit)
    if value > best.value[0]:
        best.value[0] = value
        best.box[:] = box
        best.improved[0] = True


@njit(cache=True, nogil=True)
def _tighten_thresholds(t, work):
    """Move thresholds to positives that may be covered; whether one moved, or -1 if none can."""
    changed = 0
    for s in range(len(work.low)):
        if work.high[s] == 0:
            continue
        least = np.int32(t.p_sets.shape[1])
        for v in range(len(work.outer_p)):
            word = work.outer_p[v]
            while word != 0:
                least = min(least, t.positives[first_of(v, word), s])
                word &= word - ONE
        if work.low[s] > 0:
            if least > work.high[s]:
                return -1
            if least > work.low[s]:
                work.low[s] = least
                changed = 1
        elif least > work.high[s]:
            work.high[s] = 0
            changed = 1
    return changed


@njit(cache=True, nogil=True)
def _charge_positives(t, work, n_free):
    """Charge free positives for the negatives that they bring; those that bring least first."""
    charged = np.int64(0)
    for place in range(n_free):
        i = work.order[place]
        rest = work.left[i]
        for w in range(len(work.outer_n)):
            word = work.added[i, w]
            while word != 0 and rest > 0:
                j = first_of(w, word)
                word &= word - ONE
                part = min(rest, work.spare[j])
                work.spare[j] -= part
                rest -= part
            if rest == 0:
                break
        charged += work.left[i] - rest
        work.left[i] = rest
    return charged


@njit(cache=True, nogil=True)
def _charge_excluded(t, work):
    """Charge faces for positives that must stay outside.

    Returns -1 if one cannot, -2 if one needs a face that was not there, or was too far outside.
    """
    charged, moved = np.int64(0), False
    for v in range(len(work.excluded)):
        word = work.excluded[v]
        while word != 0:
            x = first_of(v, word)
            word &= word - ONE
            least, count, only, done = t.face_cost, 0, 0, False
            for s in range(len(work.low)):
                level = t.positives[x, s]
                if level < work.low[s]:
                    done = True
                    break
                if level < work.high[s]:
                    count += 1
                    only = s
                    least = min(least, work.slack[s])
            if done:
                continue
            if count == 0:
                return np.int64(-1)
            if count == 1:
                work.low[only] = t.positives[x, only] + 1
                moved = True
            if least > 0:
                charged += least
                for s in range(len(work.low)):
                    if t.positives[x, s] < work.high[s]:
                        work.slack[s] -= least
    return np.int64(-2) if moved else charged


@njit(cache=True, nogil=True)
def _charge_faces(t, work):
    """Charge faces for negatives, those that few faces could leave out first."""
    sides = len(work.low)
    work.by_size[:] = -1
    work.wanted[:] = 0
    for w in range(len(work.outer_n)):
        word = work.outer_n[w] & ~work.inner_n[w]
        while word != 0:
            j = first_of(w, word)
            word &= word - ONE
            count = 0
            for s in range(sides):
                if t.negatives[j, s] < work.high[s]:
                    count += 1
                    work.wanted[s] += t.costs[j]
            if work.spare[j] > 0:
                work.next_n[j] = work.by_size[count]
                work.by_size[count] = j
    charged = np.int64(0)
    for size in range(1, sides + 1):
        j = work.by_size[size]
        while j >= 0:
            least, only = work.spare[j], 0
            for s in range(sides):
                if t.negatives[j, s] < work.high[s]:
                    least = min(least, work.slack[s])
                    only = s
            if least > 0:
                charged += least
                work.spare[j] -= least
                for s in range(sides):
                    if t.negatives[j, s] < work.high[s]:
                        work.slack[s] -= least
            if size == 1:
                work.alone[only, t.negatives[j, only]] += work.spare[j]
            j = work.next_n[j]
    return charged


@njit(cache=True, nogil=True)
def _tighten_side(t, work, s, gap):
    """Rule out thresholds of a side that cost more than the gap."""
    low, high = work.low[s], work.high[s]
    work.by_level[low : high + 1] = 0
    for v in range(len(work.outer_p)):
        word = work.outer_p[v] & ~work.inner_p[v]
        while word != 0:
            i = first_of(v, word)
            word &= word - ONE
            if t.positives[i, s] < high:
                work.by_level[t.positives[i, s]] += work.left[i]
    lost = work.slack[s]  # 0 where the face is there
    for level in range(low + 1, high + 1):
        lost += work.by_level[level - 1]
        if lost > gap:
            work.high[s] = level - 1
            break
    paid = np.int64(0)
    for level in range(high - 1, low - 1, -1):
        paid += work.alone[s, level]
        if paid > gap:
            work.low[s] = level + 1
            break
    return work.low[s] != low or work.high[s] != high


@njit(cache=True, nogil=True)
def _score(one, other, gap):
    """How good a branch is whose children lose so much."""
    most = gap + gap // 2
    one, other = min(one, most), min(other, most)
    return 3 * min(one, other) + max(one, other)


@njit(cache=True, nogil=True)
def _refine(t, work, best):
    """Bound the node at hand and tighten it until nothing changes.

    Returns the bound; ``work.choice[0]`` says whether the node is pruned, or else how to branch.
    """
    sides, low, high = len(work.low), work.low, work.high
    work.choice[0] = _PRUNED
    while True:
        for s in range(sides):
            if low[s] > high[s]:
                return best.value[0]
        _in_box(t.p_sets, low, work.outer_p)
        _in_box(t.n_sets, low, work.outer_n)
        _in_box(t.p_sets, high, work.inner_p)
        _in_box(t.n_sets, high, work.inner_n)
        for v in range(len(work.outer_p)):
            if work.inner_p[v] & work.excluded[v] != 0:
                return best.value[0]
            work.outer_p[v] &= ~work.excluded[v]
        moved = _tighten_thresholds(t, work)
        if moved < 0:
            return best.value[0]
        if moved > 0:
            continue
        _offer(t, work, best, low)
        _offer(t, work, best, high)
        upper = total(work.outer_p, t.gains) - weigh(work.inner_n, t.digits, t.digit_unit)
        upper -= t.box_cost
        for s in range(sides):
            upper -= t.face_cost * (low[s] > 0)
            work.slack[s] = t.face_cost * (low[s] == 0)
        floor = best.value[0] + t.step
        if upper < floor:
            return upper

        # what each free positive brings
        n_free, changed = 0, False
        for v in range(len(work.outer_p)):
            word = work.outer_p[v] & ~work.inner_p[v]
            while word != 0:
                i = np.int64(first_of(v, word))
                bit = word & (~word + ONE)
                word ^= bit
                barred, first = NONE, True
                for s in range(sides):
                    level = min(high[s], t.positives[i, s])
                    if level > 0 or s == 0:
                        for w in range(len(work.joined)):
                            inside = t.p_sets[s, level, w]
                            work.joined[w] = inside if first else work.joined[w] & inside
                        first = False
                for w in range(len(work.joined)):
                    barred |= work.joined[w] & work.excluded[w]
                brings = np.int64(0)
                if barred == 0:
                    first = True
                    for s in range(sides):
                        level = min(high[s], t.positives[i, s])
                        if level > 0 or s == 0:
                            for w in range(len(work.outer_n)):
                                inside = t.n_sets[s, level, w]
                                work.added[i, w] = inside if first else work.added[i, w] & inside
                            first = False
                    for w in range(len(work.outer_n)):
                        work.added[i, w] &= ~work.inner_n[w]
                    brings = weigh(work.added[i], t.digits, t.digit_unit)
                if barred != 0 or upper - brings < floor:
                    work.excluded[v] |= bit
                    upper -= t.gains[i]
                    changed = True
                    if upper < floor:
                        return upper
                    continue
                work.brings[i] = brings
                work.left[i] = t.gains[i]
                place = n_free
                while place > 0 and work.brings[work.order[place - 1]] > brings:
                    work.order[place] = work.order[place - 1]
                    place -= 1
                work.order[place] = i
                n_free += 1
        if changed:
            continue

        # what cannot all be had
        work.spare[:] = t.costs
        work.alone[:] = 0
        upper -= _charge_positives(t, work, n_free)
        if upper < floor:
            return upper
        charged = _charge_excluded(t, work)
        if charged == -1:
            return best.value[0]
        if charged == -2:
            continue
        upper -= charged
        if upper < floor:
            return upper
        upper -= _charge_faces(t, work)
        if upper < floor:
            return upper
        gap = upper - floor

        # what would cost too much
        for s in range(sides):
            if low[s] == 0 and high[s] > 0 and work.wanted[s] <= t.face_cost:
                high[s] = 0  # the face never pays
                changed = True
        for place in range(n_free):
            i = work.order[place]
            if work.left[i] > gap:
                for s in range(sides):
                    high[s] = min(high[s], t.positives[i, s])
                changed = True
        if changed:
            continue
        for s in range(sides):
            if low[s] < high[s]:
                changed |= _tighten_side(t, work, s, gap)
        if changed:
            continue

        # how to branch
        seeded = False
        for v in range(len(work.inner_p)):
            seeded |= work.inner_p[v] != 0
        if not seeded:
            for place in range(len(t.central)):
                i = t.central[place]
                if has(work.outer_p, i):
                    work.choice[0], work.choice[1] = _MEMBER, i
                    return upper
            return upper  # no positive is left: the empty box is known
        chosen = np.int64(0)
        for place in range(n_free):
            i = work.order[place]
            joins = total(work.added[i], work.spare)
            if joins > gap:
                put(work.excluded, i)
                changed = True
                continue
            score = 1 + _score(joins, work.left[i], gap)
            if score > chosen:
                chosen = score
                work.choice[0], work.choice[1] = _MEMBER, i
        if changed:
            work.choice[0] = _PRUNED
            continue
        for s in range(sides):
            if low[s] == 0 and high[s] > 0:
                freed = work.alone[s, : high[s]].sum()
                score = 1 + _score(work.slack[s], freed, gap)
                if score > chosen:
                    chosen = score
                    work.choice[0], work.choice[1] = _FACE, s
        return upper


@njit(cache=True, nogil=True)
def _push(t, stack, top, work, upper):
    """The two children of the node at hand; the one that is looked at first is on top."""
    for child in range(2):
        stack.low[top] = work.low
        stack.high[top] = work.high
        stack.excluded[top] = work.excluded
        stack.bound[top] = upper
        what = work.choice[1]
        if work.choice[0] == _MEMBER:
            if child == 0:
                put(stack.excluded[top], what)
            else:
                for s in range(len(work.low)):
                    stack.high[top, s] = min(work.high[s], t.positives[what, s])
        elif child == 0:
            stack.low[top, what] = 1
        else:
            stack.high[top, what] = 0
        top += 1
    return top


@njit(cache=True, nogil=True)
def _explore(t, stack, top, work, best, max_nodes):
    """Go on depth first; returns how many nodes are left and how many were visited."""
    visited = 0
    while top > 0 and visited < max_nodes and top + 2 <= len(stack.bound):
        top -= 1
        bound = stack.bound[top]
        if bound < best.value[0] + t.step:
            continue
        work.low[:] = stack.low[top]
        work.high[:] = stack.high[top]
        work.excluded[:] = stack.excluded[top]
        visited += 1
        upper = min(bound, _refine(t, work, best))
        if work.choice[0] != _PRUNED:
            top = _push(t, stack, top, work, upper)
    return top, visited


def _sets(levels, n_levels):
    """The examples that each threshold of each side lets in: (sides, levels, words)."""
    return pack(levels.T[:, None, :] >= np.arange(n_levels)[:, None])


def _make_tables(problem: SparseProblem, box) -> _Tables:
    n_levels = int(problem.positives.max()) + 1
    # Negatives that are far inside on all sides are charged first: few boxes can do without them.
    order = np.argsort(-(problem.negatives.astype(float)).sum(axis=1), kind="stable")
    negatives, costs = problem.negatives[order], problem.costs[order]
    # So are positives in the best known box before others.
    inside = problem.inside(box[None])[0][0]
    depth = problem.positives.astype(float).sum(axis=1)
    return _Tables(
        problem.positives,
        np.ascontiguousarray(negatives),
        problem.gains,
        np.ascontiguousarray(costs),
        problem.face_cost,
        problem.box_cost,
        problem.step,
        _sets(problem.positives, n_levels),
        _sets(negatives, n_levels),
        *planes(costs),
        np.lexsort((np.arange(len(depth)), -depth, ~inside)),
    )


class SparseSearch:
    """A branch and bound for the best sparse box that can be interrupted and continued.

    Parameters
    ----------
    problem : SparseProblem
    box : ndarray of shape (sides,)
        The best box known so far, which may be worth less than none.
    """

    def __init__(self, problem: SparseProblem, box):
        self.problem, self.nodes = problem, 0
        box = np.asarray(box, np.int32)
        self._tables = t = _make_tables(problem, box)
        n_positives, sides = t.positives.shape
        n_negatives, n_levels = len(t.negatives), t.p_sets.shape[1]
        p_words, n_words = t.p_sets.shape[2], t.n_sets.shape[2]
        value = problem.value(box[None])
        self._best = _Best(np.array([max(0, value)]), box.copy(), np.array([value > 0]))
        # a branch decides about a positive or a face, so the tree is not deeper than both
        capacity = n_positives + sides + 4
        self._stack = _Stack(
            np.zeros((capacity, sides), np.int32),
            np.zeros((capacity, sides), np.int32),
            np.zeros((capacity, p_words), np.uint64),
            np.zeros(capacity, np.int64),
        )
        self._stack.high[0] = t.positives.max(axis=0)
        self._stack.bound[0] = problem.gains.sum() - problem.box_cost
        self._top = 1
        self._work = _Work(
            low=np.zeros(sides, np.int32),
            high=np.zeros(sides, np.int32),
            excluded=np.zeros(p_words, np.uint64),
            outer_p=np.zeros(p_words, np.uint64),
            outer_n=np.zeros(n_words, np.uint64),
            inner_p=np.zeros(p_words, np.uint64),
            inner_n=np.zeros(n_words, np.uint64),
            joined=np.zeros(p_words, np.uint64),
            added=np.zeros((n_positives, n_words), np.uint64),
            brings=np.zeros(n_positives, np.int64),
            order=np.zeros(n_positives, np.int64),
            left=np.zeros(n_positives, np.int64),
            spare=np.zeros(n_negatives, np.int64),
            slack=np.zeros(sides, np.int64),
            wanted=np.zeros(sides, np.int64),
            by_size=np.zeros(sides + 1, np.int64),
            next_n=np.zeros(n_negatives, np.int64),
            by_level=np.zeros(n_levels, np.int64),
            alone=np.zeros((sides, n_levels), np.int64),
            choice=np.zeros(2, np.int64),
        )

    @property
    def boxes(self) -> np.ndarray:
        """The best box, of shape (1, sides), or none at all: (0, sides)."""
        return self._best.box[None][: int(self._best.improved[0])].copy()

    @property
    def value(self) -> int:
        """What the best box is worth."""
        return int(self._best.value[0])

    @property
    def bound(self) -> int:
        """No box is worth more."""
        step, open_bounds = self.problem.step, self._stack.bound[: self._top]
        return max(self.value, int(open_bounds.max(initial=0)) // step * step)

    @property
    def proven(self) -> bool:
        """Whether no box is better than the best one known."""
        return self.bound < self.value + self.problem.step

    def run(self, *, deadline: float, max_nodes: float = np.inf):
        """Go on until the proof, the deadline or `max_nodes` more nodes."""
        last = self.nodes + max_nodes
        while self._top and self.nodes < last and time.perf_counter() < deadline:
            n = int(min(_ROUND, last - self.nodes))
            self._top, visited = _explore(
                self._tables, self._stack, self._top, self._work, self._best, n
            )
            self.nodes += visited
        return self
