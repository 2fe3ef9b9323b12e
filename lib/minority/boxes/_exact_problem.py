"""Exact Boxes as a problem on ranks: what every solver of it is given and what it returns.

The objective counts positives in a box, negatives in no box and boxes. Some best solution is made
of smallest boxes around the positives that they cover, so faces need only be placed at values of
positives, and only the order of values matters. Weights are whole numbers of a common unit, so
that bounds are compared without rounding.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numba import njit

from minority.boxes._fast_kernels import feature_units

# Distances in scaled features that differ by less than this are equal, as 0.5 - 0.4 and 0.1 are:
# otherwise the outcome of a margin would depend on the units in which the features are given.
ROUNDING = 1e-9
# The unit of weights that are no simple fractions.
_FINEST = 10**9


@dataclass(frozen=True)
class BoxProblem:
    """Choose at most `max_boxes` boxes; maximise gains less costs less `box_cost` a box.

    A box is a pair of rank vectors ``low <= high``. It covers positive i where
    ``low <= positives[i] <= high`` in all features and negative j where ``low <= below[j]`` and
    ``above[j] <= high``. Equal points are merged, negatives that no box can reach are left out, and
    so are features in which all positives are equal.
    """

    positives: np.ndarray  # int32 (P, d): ranks among the values of positives
    below: np.ndarray  # int32 (N, d): the largest lower face that still lets the negative in
    above: np.ndarray  # int32 (N, d): the smallest upper face that does
    gains: np.ndarray  # int64 (P,): what covering a positive gains
    costs: np.ndarray  # int64 (N,): what covering a negative costs
    box_cost: int
    max_boxes: int
    step: int  # all values of the objective are multiples of it
    unit: int  # weights per unit of the objective, in which a positive counts 1
    baseline: int  # the objective of no box at all: all negatives right
    members: np.ndarray  # intp (n_positives,): merged positive of each positive example

    @property
    def ranks(self) -> np.ndarray:
        """Number of ranks of each feature."""
        return self.positives.max(axis=0) + 1

    def inside(self, low, high) -> tuple[np.ndarray, np.ndarray]:
        """Which merged positives and negatives each box covers: (boxes, P) and (boxes, N)."""
        low, high = np.asarray(low, np.int32), np.asarray(high, np.int32)
        return (
            _inside(low, high, self.positives, self.positives),
            _inside(low, high, self.below, self.above),
        )

    def value(self, low, high) -> int:
        """What a set of boxes is worth beyond `baseline`."""
        if len(low) == 0:
            return 0
        positive, negative = self.inside(low, high)
        return int(
            self.gains[positive.any(axis=0)].sum()
            - self.costs[negative.any(axis=0)].sum()
            - self.box_cost * len(low)
        )

    def objective(self, value: float) -> float:
        """A value in the units of the paper: weighted number of right predictions less boxes."""
        return (self.baseline + value) / self.unit


@njit(cache=True, nogil=True)
def _inside(low, high, below, above):
    result = np.ones((len(low), len(below)), np.bool_)
    for k in range(len(low)):
        for i in range(len(below)):
            for f in range(low.shape[1]):
                if low[k, f] > below[i, f] or above[i, f] > high[k, f]:
                    result[k, i] = False
                    break
    return result


def _fraction(number: float) -> Fraction:
    """The simple fraction that a float stands for, 1/10 for 0.1, or a multiple of 1e-9."""
    simple = Fraction(number).limit_denominator(10**6)
    return simple if float(simple) == number else Fraction(round(number * _FINEST), _FINEST)


def _whole_weights(weights, examples: int) -> tuple[list[int], int]:
    """Weights as whole numbers of 1/unit; units that could overflow are rounded to 1e-9."""
    fractions = [_fraction(float(w)) for w in weights]
    unit = lcm(*(f.denominator for f in fractions))
    if unit * max(1, *fractions) * examples >= 2**53:
        unit = _FINEST
    return [round(f * unit) for f in fractions], unit


def _divided(weights, unit: int, sample_weight) -> tuple[list[int], int, int]:
    """Weights, unit and step, of which the weight of each example is a whole multiple too.

    Weights of examples that are no simple fractions are rounded to 1e-9.
    """
    parts, step, total = 1, gcd(*weights), float(sample_weight.sum())
    for weight in np.unique(sample_weight).tolist():
        parts = lcm(parts, _fraction(weight).denominator)
        if parts >= 2**53:
            break
    if parts > 1:
        scale = Fraction(parts)
        if parts * max(weights) * total >= 2**53:
            scale, step = Fraction(_FINEST, unit), 1
        weights, unit = [round(w * scale) for w in weights], round(unit * scale)
    if max(weights) * total >= 2**62:
        raise ValueError("The examples weigh too much: divide sample_weight by a constant.")
    return weights, unit, step


def weigh_examples(prices, positive, sample_weight, most: int):
    """Prices, of which the first two are those of a positive and of a negative, as whole numbers.

    Parameters
    ----------
    prices : sequence of float
    positive : bool ndarray of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,) or None
    most : int
        How many of the dearest may be added up.

    Returns
    -------
    prices : list of int
    gains, costs : int64 ndarray
        Of each positive and of each negative.
    unit, step : int
        See `BoxProblem`.
    """
    prices, unit = _whole_weights(prices, most)
    weight = np.ones(len(positive)) if sample_weight is None else sample_weight
    prices, unit, step = _divided(prices, unit, weight)
    gains = np.maximum(np.rint(prices[0] * weight[positive]), 1).astype(np.int64)
    costs = np.rint(prices[1] * weight[~positive]).astype(np.int64)
    return prices, gains, costs, unit, step


def make_problem(
    X,
    positive,
    *,
    majority_weight,
    box_cost,
    max_boxes,
    margin=0.0,
    feature_unit=1.0,
    sample_weight=None,
) -> BoxProblem:
    """State Exact Boxes for a training set.

    Parameters
    ----------
    X : float ndarray of shape (n_samples, n_features)
    positive : bool ndarray of shape (n_samples,)
    majority_weight, box_cost : float
        :math:`c` and :math:`c_E` of the paper.
    max_boxes : int
    margin : float, default=0
        A positive counts if it is inside of a box by `margin`, a negative if it is outside of all
        boxes by `margin`, in multiples of `feature_unit`. Distances that differ by less than
        1e-9 of it are equal. Without a margin values are compared exactly.
    feature_unit : float or ndarray of shape (n_features,), default=1
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the examples, 1 by default.

    Returns
    -------
    problem : BoxProblem
    """
    (_, _, per_box), gains, costs, unit, step = weigh_examples(
        [1, majority_weight, box_cost], positive, sample_weight, len(X) + max_boxes
    )
    X_positive, X_negative = X[positive], X[~positive]
    # a negative on a face is inside; with a margin, one at twice its distance is not
    gap = 2 * margin - min(ROUNDING, margin)
    lower_side, upper_side = ("left", "right") if margin else ("right", "left")
    origin, _ = feature_units(X.min(axis=0), X.max(axis=0), "minmax")
    scale = np.broadcast_to(feature_unit, X.shape[1])
    columns, reachable = [], np.ones(len(X_negative), dtype=bool)
    for j in range(X.shape[1]):
        values, ranks = np.unique(X_positive[:, j], return_inverse=True)
        x, faces = X_negative[:, j], values
        if margin:
            x, faces = (x - origin[j]) / scale[j], (values - origin[j]) / scale[j]
        below = np.searchsorted(faces - gap, x, lower_side) - 1
        above = np.searchsorted(faces + gap, x, upper_side)
        reachable &= (below >= 0) & (above < len(values))
        if len(values) > 1:
            columns.append((ranks, below, above))
    if not columns:  # all positives are equal: one feature stands for the only possible box
        columns = [(np.zeros(len(X_positive), int), np.zeros(len(x), int), np.zeros(len(x), int))]
    ranks, below, above = (
        np.stack(part, axis=1).astype(np.int32) for part in zip(*columns, strict=True)
    )
    positives, members = np.unique(ranks, axis=0, return_inverse=True)
    both, merged = np.unique(np.hstack([below, above])[reachable], axis=0, return_inverse=True)
    members, merged = members.reshape(-1), merged.reshape(-1)
    d = ranks.shape[1]
    return BoxProblem(
        positives=positives,
        below=np.ascontiguousarray(both[:, :d]),
        above=np.ascontiguousarray(both[:, d:]),
        gains=totals(members, gains, len(positives)),
        costs=totals(merged, costs[reachable], len(both)),
        box_cost=per_box,
        max_boxes=max_boxes,
        step=step,
        unit=unit,
        baseline=int(costs.sum()),
        members=members,
    )


def totals(groups, weights, n_groups):
    """Sum of the weights of each group."""
    totals = np.zeros(n_groups, np.int64)
    np.add.at(totals, groups, weights)
    return totals


def closures(problem: BoxProblem, chosen) -> tuple[np.ndarray, np.ndarray]:
    """Smallest boxes around sets of merged positives, given as bool (boxes, P); none for no one."""
    sets = [problem.positives[members] for members in chosen if members.any()]
    shape = (len(sets), problem.positives.shape[1])
    return (
        np.array([s.min(axis=0) for s in sets], np.int32).reshape(shape),
        np.array([s.max(axis=0) for s in sets], np.int32).reshape(shape),
    )
