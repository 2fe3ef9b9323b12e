"""Array functions of PRIM: peeling, pasting, the choice of a box on the way, and covering.

Data are columns of shape (n_features, n_samples) with an `order` of shape (n_features, n_rows): the
rows in use, sorted by each column. It is sorted once; subsets are filtered from it. Every row has
a `positive` and a `negative` weight, of which one is zero.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numba import njit

# Means closer than this are equal: sums of weights that are no integers carry rounding errors.
_TIE = 1e-12
# A share of the weight may be exceeded by rounding, as 0.07 * 100 > 7.
_SLACK = 1e-9


@njit(cache=True)
def _strip(column, order, misses, level, start, step, positive, negative, budget):
    """Weights of the strip that `budget` allows, walking from `start` along one sorted column.

    Only rows with ``misses == level`` count. Rows of equal value go together: the strip consists of
    as many whole groups as the budget allows, but at least of one.

    Returns the two weights and the position of the last row taken, ``start - step`` if none.
    """
    taken_positive = taken_negative = group_positive = group_negative = 0.0
    last = here = start - step
    i = start
    while 0 <= i < order.size:
        row = order[i]
        if misses[row] == level:
            if here != start - step and column[row] != column[order[here]]:
                taken_positive += group_positive
                taken_negative += group_negative
                group_positive = group_negative = 0.0
                last = here
            group_positive += positive[row]
            group_negative += negative[row]
            here = i
            weight = taken_positive + taken_negative + group_positive + group_negative
            if last != start - step and weight > budget:
                return taken_positive, taken_negative, last
        i += step
    return taken_positive + group_positive, taken_negative + group_negative, here


@njit(cache=True)
def _is_better(score, weight, best_score, best_weight):
    """Whether the score is higher, or equal and the box larger."""
    tie = _TIE * max(1.0, abs(score))
    return score > best_score + tie or (
        score >= best_score - tie and weight > best_weight * (1 + _SLACK)
    )


@njit(cache=True)
def peel(columns, order, positive, negative, alpha, min_weight, per_weight):
    """Top-down peeling from the box of all rows in `order`.

    Every candidate strip is counted from an end of a sorted column. Rows that have left the box are
    dropped from the columns whenever they make up half of them, so that the counts of a whole
    trajectory cost as much as a few passes over the data.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
    order : int ndarray of shape (n_features, n_rows)
    positive, negative : ndarray of shape (n_samples,)
    alpha : float
        Largest share of the weight in the box that a strip may have.
    min_weight : float
        Least weight of a box.
    per_weight : bool
        Whether to maximise the gain in the mean per weight removed, and not the mean.

    Returns
    -------
    faces : int ndarray of shape (2, n_steps)
        Feature and side (1 for the upper) of the face that moves in each step.
    path : ndarray of shape (3, n_steps)
        Where it moves to, and the two weights in the box after the step.
    """
    n_features, n_inside = order.shape
    order = order.copy()
    length = n_inside
    misses = np.ones(columns.shape[1], dtype=np.int8)  # 0 in the box, 1 outside
    in_positive = in_negative = 0.0
    for row in order[0]:
        misses[row] = 0
        in_positive += positive[row]
        in_negative += negative[row]
    # Positions of the outermost rows of each column that are still in the box.
    first = np.zeros(n_features, dtype=np.int64)
    final = np.full(n_features, length - 1)
    faces = np.empty((2, n_inside), dtype=np.int64)
    path = np.empty((3, n_inside))
    n_steps = 0

    while True:
        weight = in_positive + in_negative
        budget = alpha * weight * (1 + _SLACK)
        best_score, best_rest, best_j, best_side, best_last = -np.inf, -np.inf, -1, 0, 0
        best_positive = best_negative = 0.0
        for j in range(n_features):
            while misses[order[j, first[j]]]:
                first[j] += 1
            while misses[order[j, final[j]]]:
                final[j] -= 1
            for side in range(2):
                start, end, step = (final[j], first[j], -1) if side else (first[j], final[j], 1)
                strip_positive, strip_negative, last = _strip(
                    columns[j],
                    order[j, :length],
                    misses,
                    0,
                    start,
                    step,
                    positive,
                    negative,
                    budget,
                )
                # Weights that are no integers may leave less than nothing.
                rest_positive = max(in_positive - strip_positive, 0.0)
                rest_negative = max(in_negative - strip_negative, 0.0)
                rest = rest_positive + rest_negative
                # The one strip of a column that is constant in the box is the box itself.
                if last == end or rest <= 0 or rest < min_weight * (1 - _SLACK):
                    continue
                score = rest_positive / rest
                if per_weight:
                    gain = score - in_positive / weight
                    score = gain * (weight / (strip_positive + strip_negative))
                if _is_better(score, rest, best_score, best_rest):
                    best_score, best_rest, best_j, best_side = score, rest, j, side
                    best_last, best_positive, best_negative = last, rest_positive, rest_negative
        if best_j < 0:
            break

        i, step = (final[best_j], -1) if best_side else (first[best_j], 1)
        while i != best_last + step:
            row = order[best_j, i]
            n_inside -= 1 - misses[row]
            misses[row] = 1
            i += step
        while misses[order[best_j, i]]:
            i += step
        in_positive, in_negative = best_positive, best_negative
        faces[:, n_steps] = best_j, best_side
        path[:, n_steps] = columns[best_j, order[best_j, i]], in_positive, in_negative
        n_steps += 1

        if 2 * n_inside < length:
            for j in range(n_features):
                k = 0
                for i in range(first[j], final[j] + 1):
                    if misses[order[j, i]] == 0:
                        order[j, k] = order[j, i]
                        k += 1
                first[j], final[j] = 0, n_inside - 1
            length = n_inside
    return faces[:, :n_steps], path[:, :n_steps]


@njit(cache=True)
def paste(columns, order, positive, negative, lower, upper, alpha):
    """Bottom-up pasting: expand one box, with bounds of shape (n_features,).

    Each step moves the face outwards that gives the highest mean, over a strip of at most the share
    `alpha` of the weight in the box, until the mean would fall. A face with no row beyond vanishes.

    Parameters and results are otherwise those of `peel`.
    """
    n_features, n_rows = order.shape
    # In how many features a row lies beyond the box. The strip outside of a face consists of the
    # rows that miss the box in this feature only.
    misses = np.zeros(columns.shape[1], dtype=np.int64)
    edge = np.empty((n_features, 2), dtype=np.int64)  # positions of the nearest rows beyond
    for j in range(n_features):
        edge[j] = -1, n_rows
        for i in range(n_rows):
            value = columns[j, order[j, i]]
            if value < lower[j]:
                misses[order[j, i]] += 1
                edge[j, 0] = i
            elif value > upper[j]:
                misses[order[j, i]] += 1
                edge[j, 1] = min(edge[j, 1], i)
    in_positive = in_negative = 0.0
    for row in order[0]:
        if misses[row] == 0:
            in_positive += positive[row]
            in_negative += negative[row]
    faces = np.empty((2, n_rows), dtype=np.int64)
    path = np.empty((3, n_rows))
    n_steps = 0

    while True:
        weight = in_positive + in_negative
        budget = alpha * weight * (1 + _SLACK)
        # Any box that is at least as good is better, because it is larger.
        best_score, best_whole, best_j, best_side, best_last = in_positive / weight, 0.0, -1, 0, 0
        best_positive = best_negative = 0.0
        for j in range(n_features):
            for side in range(2):
                start, step = edge[j, side], 1 if side else -1
                strip_positive, strip_negative, last = _strip(
                    columns[j], order[j], misses, 1, start, step, positive, negative, budget
                )
                if last == start - step:
                    continue
                whole = weight + strip_positive + strip_negative
                score = (in_positive + strip_positive) / whole
                if _is_better(score, whole, best_score, best_whole):
                    best_score, best_whole, best_j, best_side = score, whole, j, side
                    best_last, best_positive, best_negative = last, strip_positive, strip_negative
        if best_j < 0:
            break

        i, step = edge[best_j, best_side], 1 if best_side else -1
        face = columns[best_j, order[best_j, best_last]]
        # Rows that other faces keep out may share the value of the last row taken.
        while 0 <= i < n_rows and step * columns[best_j, order[best_j, i]] <= step * face:
            misses[order[best_j, i]] -= 1
            i += step
        edge[best_j, best_side] = i
        in_positive += best_positive
        in_negative += best_negative
        faces[:, n_steps] = best_j, best_side
        path[:, n_steps] = face if 0 <= i < n_rows else step * np.inf, in_positive, in_negative
        n_steps += 1
    return faces[:, :n_steps], path[:, :n_steps]


@njit(cache=True)
def weights_in_boxes(columns, rows, positive, negative, lower, upper):
    """Positive and negative weight of `rows` in each box, for bounds of (n_boxes, n_features)."""
    sums = np.zeros((2, len(lower)))
    for k in range(len(lower)):
        used = np.flatnonzero(np.isfinite(lower[k]) | np.isfinite(upper[k]))
        for row in rows:
            inside = True
            for j in used:
                inside = lower[k, j] <= columns[j, row] <= upper[k, j]
                if not inside:
                    break
            if inside:
                sums[0, k] += positive[row]
                sums[1, k] += negative[row]
    return sums


class Trajectory(NamedTuple):
    """Boxes from the whole space inwards, then those of pasting."""

    lower: np.ndarray  # (n_boxes, n_features)
    upper: np.ndarray
    positive: np.ndarray  # weights in the boxes
    negative: np.ndarray
    n_peeled: int  # number of boxes before those of pasting

    @property
    def weight(self):
        return self.positive + self.negative

    @property
    def mean(self):
        return self.positive / self.weight

    def frame(self, total, cv_mean, chosen):
        """One row per box; `chosen` is a position, or -1."""
        number = np.arange(len(cv_mean))
        return pd.DataFrame(
            {
                "phase": np.where(number < self.n_peeled, "peel", "paste"),
                "support": self.weight / total,
                "mean": self.mean,
                "n_conditions": np.isfinite(np.hstack([self.lower, self.upper])).sum(axis=1),
                "cv_mean": cv_mean,
                "chosen": number == chosen,
            }
        )


def restrict(order, keep):
    """The sorted rows for which the mask `keep` is true."""
    return order[keep[order]].reshape(len(order), -1)


def trajectory(data, *, peel_alpha, paste_alpha, min_weight, per_weight):
    """Peel, then paste unless `paste_alpha` is None; `data` are the first arguments of `peel`."""
    columns, order, positive, negative = data
    lower, upper = np.full((1, len(columns)), -np.inf), np.full((1, len(columns)), np.inf)
    weights = np.array([[positive[order[0]].sum()], [negative[order[0]].sum()]])

    def extended(faces, path):
        n_steps = faces.shape[1]
        lowers, uppers = (np.repeat(bound[-1:], n_steps, axis=0) for bound in (lower, upper))
        for t, (j, side) in enumerate(faces.T):
            (uppers if side else lowers)[t:, j] = path[0, t]
        return (
            np.vstack([lower, lowers]),
            np.vstack([upper, uppers]),
            np.hstack([weights, path[1:]]),
        )

    lower, upper, weights = extended(*peel(*data, peel_alpha, min_weight, per_weight))
    n_peeled = len(lower)
    if paste_alpha is not None:
        lower, upper, weights = extended(*paste(*data, lower[-1], upper[-1], paste_alpha))
    return Trajectory(lower, upper, *weights, n_peeled)


def _nearest(values, targets):
    """Position of the nearest of the ascending `values` for each target."""
    right = np.minimum(np.searchsorted(values, targets), len(values) - 1)
    left = np.maximum(right - 1, 0)
    return np.where(targets - values[left] <= values[right] - targets, left, right)


def _held_out_means(data, folds, whole, min_support, options):
    """Means of the boxes of the trajectory `whole` on rows that did not shape them.

    For each fold, a pair of masks, a trajectory is grown on the training rows, and the held-out
    rows are counted in its box of the nearest support: among the peeled boxes for a peeled box,
    among those of pasting, with the one they start from, for the others. The mean is NaN where no
    row is counted.
    """
    columns, order, positive, negative = data
    weight = positive + negative
    share = whole.weight / weight.sum()
    in_box = np.zeros((2, len(share)))
    for train, test in folds:
        rows = np.sort(order[0][test[order[0]]])
        part_data = (columns, restrict(order, train), positive, negative)
        if part_data[1].size == 0 or rows.size == 0:
            continue
        total = weight[train].sum()
        part = trajectory(part_data, min_weight=min_support * total, **options)
        part_share, last = part.weight / total, part.n_peeled - 1
        peeled = _nearest(-part_share[: last + 1], -share[: whole.n_peeled])
        pasted = last + _nearest(part_share[last:], share[whole.n_peeled :])
        counts = weights_in_boxes(columns, rows, positive, negative, part.lower, part.upper)
        in_box += counts[:, np.concatenate([peeled, pasted])]
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, as documented
        return in_box[0] / in_box.sum(axis=0)


def cover(columns, positive, negative, *, folds, min_support, max_boxes, threshold, **options):
    """Search boxes, one after another, each on the rows that the earlier ones leave.

    A box must have a mean above `threshold`, on the held-out rows of the `folds` too. `options` are
    those of `trajectory`.

    Returns
    -------
    lower, upper : ndarray of shape (n_boxes, n_features)
    weights : ndarray of shape (n_boxes + 1, 2)
        Positive and total weight of the rows in each box and no earlier one, and of those in none.
    frames : list of DataFrame
        The trajectories.
    """
    weight = positive + negative
    total = weight.sum()
    left = weight > 0
    order = restrict(columns.argsort(axis=1), left)
    boxes, weights, frames = [], [], []
    while (
        (max_boxes is None or len(boxes) < max_boxes)
        and positive[left].any()
        and weight[left].sum() >= min_support * total
    ):
        data = (columns, order, positive, negative)
        path = trajectory(data, min_weight=min_support * total, **options)
        cv_mean = _held_out_means(data, folds, path, min_support, options)
        score = path.mean if np.isnan(cv_mean).all() else np.nan_to_num(cv_mean, nan=-1.0)
        # Of equal means, the largest box.
        best = np.where(score >= score.max() - _TIE, path.weight, -np.inf).argmax()
        inside = left.copy()
        for column, low, high in zip(columns, path.lower[best], path.upper[best], strict=True):
            inside &= (low <= column) & (column <= high)
        box_weights = positive[inside].sum(), weight[inside].sum()
        is_good = min(score[best], box_weights[0] / box_weights[1]) > threshold + _TIE
        frames.append(path.frame(total, cv_mean, best if is_good else -1))
        if not is_good:
            break
        boxes.append((path.lower[best], path.upper[best]))
        weights.append(box_weights)
        left &= ~inside
        order = restrict(order, left)
    lower, upper = np.reshape(boxes, (len(boxes), 2, len(columns))).swapaxes(0, 1)
    return lower, upper, np.array([*weights, (positive[left].sum(), weight[left].sum())]), frames
