"""Sparse boxes as a problem on levels: boxes whose every face costs something.

A face is a condition on one feature from one side, so a box is a choice of thresholds, one for each
side of each feature. Seen from its side every threshold is a lower one: level 0 is no face at all,
higher levels leave out more. A face is worth placing only at a value of a positive with a negative
just beyond it, so there are few levels, and examples with the same levels are one.
"""

from dataclasses import dataclass, replace

import numpy as np

from minority.boxes._exact_problem import ROUNDING, totals, weigh_examples
from minority.boxes._fast_kernels import feature_units


@dataclass(frozen=True)
class SparseProblem:
    """Choose thresholds; maximise gains less costs less `face_cost` a face less `box_cost`.

    A box covers an example if all of the example's levels are at least its thresholds.
    """

    positives: np.ndarray  # int32 (P, sides): the highest threshold that lets each in
    negatives: np.ndarray  # int32 (N, sides)
    gains: np.ndarray  # int64 (P,): what covering a positive gains
    costs: np.ndarray  # int64 (N,): what covering a negative costs
    face_cost: int
    box_cost: int
    step: int  # all values of the objective are multiples of it
    unit: int  # weights per unit of the objective, in which a positive counts 1
    baseline: int  # the objective of no box at all: all negatives right
    sides: np.ndarray  # intp (sides,): twice the feature, and one more for its upper side
    positive_of: np.ndarray  # intp (n_positives,): the merged positive of each positive example

    def inside(self, boxes) -> tuple[np.ndarray, np.ndarray]:
        """Which positives and negatives each box covers: (boxes, P) and (boxes, N)."""
        boxes = np.asarray(boxes)
        covers = np.ones((len(boxes), len(self.gains)), bool)
        lets_in = np.ones((len(boxes), len(self.costs)), bool)
        for s in range(len(self.sides)):
            if boxes[:, s].any():
                covers &= self.positives[:, s] >= boxes[:, s, None]
                lets_in &= self.negatives[:, s] >= boxes[:, s, None]
        return covers, lets_in

    def value(self, boxes) -> int:
        """What a set of boxes, int of shape (n_boxes, sides), is worth beyond `baseline`."""
        covers, lets_in = self.inside(boxes)
        return int(
            self.gains[covers.any(axis=0)].sum()
            - self.costs[lets_in.any(axis=0)].sum()
            - self.face_cost * np.count_nonzero(boxes)
            - self.box_cost * len(boxes)
        )

    def objective(self, value: float) -> float:
        """A value in the units of the paper."""
        return (self.baseline + value) / self.unit

    def without(self, boxes) -> "SparseProblem":
        """What is left to gain and to pay when some boxes are fixed."""
        covers, lets_in = (inside.any(axis=0) for inside in self.inside(boxes))
        positives, negatives = self.positives[~covers], self.negatives[~lets_in]
        if len(positives):  # thresholds beyond the positives that are left do not exist any more
            negatives = np.minimum(negatives, positives.max(axis=0))
        return replace(
            self,
            positives=positives,
            negatives=negatives,
            gains=self.gains[~covers],
            costs=self.costs[~lets_in],
        )

    def tight(self, boxes) -> np.ndarray:
        """Boxes with their faces moved inwards to the positives that they cover."""
        boxes = np.array(boxes, np.int32).reshape(-1, len(self.sides))
        for box, members in zip(boxes, self.inside(boxes)[0], strict=True):
            if members.any():
                box[box > 0] = self.positives[members].min(axis=0)[box > 0]
        return boxes


def _levels(inner, outer, gap, side):
    """Levels of positives and negatives from one side, on which higher values are further in.

    The levels are those of `inner` with some of `outer` just below: from elsewhere a face would
    leave out fewer negatives or more positives.
    """
    values, ranks = np.unique(inner, return_inverse=True)
    outer_ranks = np.searchsorted(values - gap, outer, side) - 1
    useful = np.unique(outer_ranks) + 1  # a face at rank r leaves out what has a rank below r
    useful = useful[useful < len(values)]
    return (
        np.searchsorted(useful, ranks, "right"),
        np.searchsorted(useful, outer_ranks, "right"),
    )


def make_sparse_problem(
    X,
    positive,
    *,
    majority_weight,
    box_cost,
    condition_cost,
    margin=0.0,
    feature_unit=1.0,
    sample_weight=None,
) -> SparseProblem:
    """State sparse boxes for a training set.

    Parameters
    ----------
    X : float ndarray of shape (n_samples, n_features)
    positive : bool ndarray of shape (n_samples,)
    majority_weight, box_cost : float
        :math:`c` and :math:`c_E` of the paper.
    condition_cost : float
        What a face costs, as a share of the positives' weight.
    margin, feature_unit, sample_weight
        See `make_problem`.

    Returns
    -------
    problem : SparseProblem
    """
    n_positives = int(positive.sum())
    (_, _, per_box, share), gains, costs, unit, step = weigh_examples(
        [1, majority_weight, box_cost, condition_cost], positive, sample_weight, 2 * len(X)
    )
    weight = n_positives if sample_weight is None else float(sample_weight[positive].sum())
    Z = X
    if margin:
        origin, _ = feature_units(X.min(axis=0), X.max(axis=0), "minmax")
        Z = (X - origin) / feature_unit
    gap, side = (2 * margin - min(ROUNDING, margin), "left") if margin else (0.0, "right")
    inner, outer, sides = [], [], []
    for j in range(X.shape[1]):
        for upper, sign in enumerate((1, -1)):
            own, others = _levels(sign * Z[positive, j], sign * Z[~positive, j], gap, side)
            if own.any():
                inner.append(own)
                outer.append(others)
                sides.append(2 * j + upper)
    if not sides:  # no face leaves out negatives only
        inner, outer, sides = [np.zeros(n_positives)], [np.zeros(len(X) - n_positives)], [0]
    inner, outer = (np.stack(part, axis=1).astype(np.int32) for part in (inner, outer))
    positives, positive_of = np.unique(inner, axis=0, return_inverse=True)
    negatives, negative_of = np.unique(outer, axis=0, return_inverse=True)
    return SparseProblem(
        positives=positives,
        negatives=negatives,
        gains=totals(positive_of.reshape(-1), gains, len(positives)),
        costs=totals(negative_of.reshape(-1), costs, len(negatives)),
        face_cost=round(share * weight),
        box_cost=per_box,
        step=step,
        unit=unit,
        baseline=int(costs.sum()),
        sides=np.array(sides),
        positive_of=positive_of.reshape(-1),
    )
