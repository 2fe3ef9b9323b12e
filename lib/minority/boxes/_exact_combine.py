"""Choose among listed boxes: depth first, bounded by what each adds at given dual values.

A choice is worth no more than the sum of ``lam`` and of what each of its boxes adds: the parts of
the positives that no box before it covers, where a part is the reward less the payments for the
negatives of the box. What the chosen boxes are really worth gives a second bound: it counts their
negatives in full, so that boxes after them need not pay for these again.

Parts may be below 0. The box that is chosen next adds all of its parts, but those after it may find
such positives covered already: of them only the parts above 0 are counted.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.boxes._exact_bits import ONE, first_of, weigh
from minority.boxes._exact_bound import Tables

_MANY = 1e300


class Listed(NamedTuple):
    """Boxes, those of the highest price first, with what each of their positives counts."""

    first: np.ndarray  # intp (boxes + 1,): where the members of each box begin
    member: np.ndarray  # int64 (members,): positives
    part: np.ndarray  # float (members,): reward less payments, also below 0
    negative: np.ndarray  # uint64 (boxes, words of N)


class Choice(NamedTuple):
    boxes: np.ndarray  # intp: the best choice of at least the target, if there is one
    value: int
    over: bool  # whether there is none better
    work: int


class _Level(NamedTuple):
    """The state with as many boxes chosen as the row says."""

    candidates: np.ndarray  # int64 (K + 1, boxes)
    adds: np.ndarray  # float (K + 1, boxes): what each adds to the first bound, if it is next
    adds_true: np.ndarray  # float (K + 1, boxes): and to the second
    upper: np.ndarray  # float (K + 1, boxes): what each adds to the first bound at most, if later
    upper_true: np.ndarray  # float (K + 1, boxes): and to the second
    count: np.ndarray  # int64 (K + 1,)
    place: np.ndarray  # int64 (K + 1,): the candidate that is next
    most: np.ndarray  # float (K + 1,): what a candidate adds at most, if later
    most_true: np.ndarray
    chosen: np.ndarray  # int64 (K + 1,)
    bound: np.ndarray  # float (K + 1,): the first bound without further boxes
    bound_true: np.ndarray
    value: np.ndarray  # int64 (K + 1,): what the chosen boxes are worth
    paid: np.ndarray  # uint64 (K + 1, words of N): their negatives
    free: np.ndarray  # float (K + 1, P): what positives need not pay any more


@njit(cache=True, nogil=True)
def _open(listed, reward, times, level, row, goal, rest, box_cost):
    """What the candidates of a row add, of those that may add enough.

    Returns how many members of boxes were looked at.
    """
    most, work, kept = 0.0, 0, 0
    for place in range(level.count[row]):
        most = max(most, level.upper[row, place])
    enough = goal - level.bound[row] - rest * max(most - box_cost, 0.0)
    most, most_true = 0.0, 0.0
    for place in range(level.count[row]):
        if level.upper[row, place] < enough:
            continue
        b = level.candidates[row, place]
        again = False
        for w in range(level.paid.shape[1]):
            again |= listed.negative[b, w] & level.paid[row, w] != 0
        adds, refunds, upper, upper_true = 0.0, 0.0, 0.0, 0.0
        for entry in range(listed.first[b], listed.first[b + 1]):
            i = listed.member[entry]
            if times[i] == 0:
                part, refund = listed.part[entry], 0.0
                if again:
                    refund = min(level.free[row, i], reward[i] - part)
                adds += part
                refunds += refund
                upper += max(part, 0.0)
                upper_true += max(part + refund, 0.0)
        level.candidates[row, kept] = b
        level.adds[row, kept], level.adds_true[row, kept] = adds, adds + refunds
        level.upper[row, kept], level.upper_true[row, kept] = upper, upper_true
        kept += 1
        most, most_true = max(most, upper), max(most_true, upper_true)
        work += listed.first[b + 1] - listed.first[b]
    level.count[row] = kept
    level.most[row], level.most_true[row] = most, most_true
    return work


@njit(cache=True, nogil=True)
def _keep(level, row, least, least_true):
    """Drop candidates that add too little, now and later."""
    kept = 0
    for place in range(level.count[row]):
        if level.upper[row, place] >= least and level.upper_true[row, place] >= least_true:
            level.candidates[row, kept] = level.candidates[row, place]
            level.adds[row, kept] = level.adds[row, place]
            level.adds_true[row, kept] = level.adds_true[row, place]
            level.upper[row, kept] = level.upper[row, place]
            level.upper_true[row, kept] = level.upper_true[row, place]
            kept += 1
    level.count[row] = kept


@njit(cache=True, nogil=True)
def _choose(t, listed, lam, reward, v, most_boxes, box_cost, fixed, unit, target, max_work, level):
    n_boxes, n_words = listed.negative.shape
    times = np.zeros(len(lam), np.int64)  # how many chosen boxes cover each positive
    best, best_size, best_value = level.chosen.copy(), 0, target - t.step
    level.candidates[0] = np.arange(n_boxes)
    level.upper[0] = _MANY
    level.count[0] = n_boxes
    level.bound[0] = level.bound_true[0] = fixed
    work, row, opened = 0, 0, True
    while row >= 0 and work < max_work:
        rest = most_boxes - row - 1
        # what a candidate must add so that, with others after it, the choice can be better
        goal = (best_value + t.step) / unit + box_cost
        if opened:
            work += _open(listed, reward, times, level, row, goal, rest, box_cost)
            level.place[row] = 0
        least = goal - level.bound[row] - rest * max(level.most[row] - box_cost, 0.0)
        least_true = goal - level.bound_true[row] - rest * max(level.most_true[row] - box_cost, 0.0)
        if opened:
            _keep(level, row, least, least_true)
            opened = False
        if level.place[row] == level.count[row]:
            row -= 1
            if row >= 0:
                b = level.chosen[row]
                for entry in range(listed.first[b], listed.first[b + 1]):
                    times[listed.member[entry]] -= 1
            continue
        here = level.place[row]
        level.place[row] += 1
        if level.adds[row, here] < least or level.adds_true[row, here] < least_true:
            continue
        b = level.candidates[row, here]
        value, missed = level.value[row] - t.box_cost, 0.0
        for entry in range(listed.first[b], listed.first[b + 1]):
            i = listed.member[entry]
            if times[i] == 0:
                value += t.gains[i]
                missed += lam[i]
        new = level.paid[row + 1]
        for w in range(n_words):
            new[w] = listed.negative[b, w] & ~level.paid[row, w]
        value -= weigh(new, t.digits, t.unit)
        level.chosen[row] = b
        if value > best_value:
            best_value, best_size = value, row + 1
            best[:] = level.chosen
        if rest == 0:
            continue
        level.value[row + 1] = value
        level.bound[row + 1] = level.bound[row] + level.adds[row, here] - box_cost
        before = level.bound_true[row] - level.value[row] / unit
        level.bound_true[row + 1] = before - missed + value / unit
        for entry in range(listed.first[b], listed.first[b + 1]):
            times[listed.member[entry]] += 1
        for i in range(len(lam)):
            level.free[row + 1, i] = level.free[row, i]
            if times[i] == 0:
                for w in range(n_words):
                    word = new[w]
                    while word != 0:
                        level.free[row + 1, i] += v[i, first_of(w, word)]
                        word &= word - ONE
        for w in range(n_words):
            new[w] |= level.paid[row, w]
        left = level.count[row] - level.place[row]
        for place in range(left):
            level.candidates[row + 1, place] = level.candidates[row, level.place[row] + place]
            level.upper[row + 1, place] = level.upper[row, level.place[row] + place]
        level.count[row + 1] = left
        work += left // 8
        row += 1
        opened = True
    return best[:best_size], best_value, row < 0, work


def choose(
    tables: Tables,
    listed: Listed,
    lam,
    v,
    *,
    max_boxes: int,
    box_cost: float,
    fixed: float,
    unit: int,
    target: int,
    max_work: int,
) -> Choice:
    """The best choice of at most `max_boxes` of the listed boxes.

    Parameters
    ----------
    tables : Tables
    listed : Listed
        Priced at `lam` and `v`.
    lam : ndarray of shape (P,)
    v : ndarray of shape (P, N)
    max_boxes : int
    box_cost : float
        In units of a positive's weight, as `fixed`.
    fixed : float
        The part of the upper bound that does not depend on boxes.
    unit : int
        Whole units of a positive's weight.
    target : int
        Only choices of at least this value are looked for.
    max_work : int
        The choice is given up after so many members of boxes were looked at.

    Returns
    -------
    choice : Choice
    """
    n_boxes, n_words = listed.negative.shape
    most = min(max_boxes, n_boxes)
    rows = most + 1
    level = _Level(
        *(np.zeros((rows, n_boxes), kind) for kind in (np.int64, float, float, float, float)),
        *(np.zeros(rows, kind) for kind in (np.int64, np.int64, float, float, np.int64)),
        *(np.zeros(rows, kind) for kind in (float, float, np.int64)),
        np.zeros((rows, n_words), np.uint64),
        np.zeros((rows, len(lam))),
    )
    if most == 0:
        return Choice(np.zeros(0, np.int64), target - tables.step, True, 0)
    reward = tables.gains / unit - lam
    return Choice(
        *_choose(
            tables,
            listed,
            lam,
            reward,
            v,
            most,
            box_cost,
            fixed,
            unit,
            target,
            max_work,
            level,
        )
    )
