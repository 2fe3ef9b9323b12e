r"""Proposition 3 of Box Drawings: how far the true risk can lie above the empirical risk.

For fixed values of each feature, M_j of them, and a fixed number of boxes K, with probability at
least 1 - delta over samples of m examples, for all box drawings f with faces at these values

.. math::

    R_{true}(f) \le R_{emp}(f)
        + \sqrt{\frac{K \sum_j \ln\frac{M_j (M_j - 1)}{2} - \ln K! + \ln\frac{1}{\delta}}{2m}}.

The risk is the share of examples that are missed positives plus c times that of false alarms, in
[0, 1] for c <= 1: Hoeffding's inequality and a union bound over the class.

The outline of the proof counts M (M - 1) / 2 pairs l < u for a feature. Boxes with l = u, which the
constraints of Exact Boxes allow, are left out; with them there are M (M + 1) / 2. It then divides
the B^K ordered choices of K boxes by K!, but a classifier with fewer boxes is counted as one with
repetitions, and the K! orders of a choice with repetitions are not all different: there are
B (B + 1) ... (B + K - 1) / K! choices. ``count="printed"`` is the formula above, ``count="safe"``
allows l = u and repetitions. For real data they are close.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
from scipy.special import gammaln

from minority.boxes import BoxSet, fast_boxes_path, select_fast_boxes
from minority_reports import datasets
from minority_reports.experiments import Fold, numeric_parts
from minority_reports.experiments.studies import stored
from minority_reports.papers.box_drawings.protocol import WEIGHTS
from minority_reports.report import Table, show

#: The c and the delta of the stored study.
WEIGHT, DELTA = 1.0, 0.05


def log_class_size(n_boxes: int, values_per_feature, *, count: str = "printed") -> float:
    """Logarithm of the number of box drawings, by one of the two counts above."""
    values = np.asarray(values_per_feature, float)
    if count == "printed":
        with np.errstate(divide="ignore"):  # a single value leaves no box at all
            return float(n_boxes * np.log(values * (values - 1) / 2).sum() - gammaln(n_boxes + 1))
    if count == "safe":
        log_boxes = np.log(values * (values + 1) / 2).sum()
        # ln(B + i), without B, which may exceed the largest float
        repeated = np.log1p(np.arange(n_boxes) * np.exp(-log_boxes)).sum()
        return float(n_boxes * log_boxes + repeated - gammaln(n_boxes + 1))
    raise ValueError(f"count must be 'printed' or 'safe', got {count!r}.")


def generalisation_gap(
    n_boxes: int, values_per_feature, m: int, delta: float = 0.05, *, count: str = "printed"
) -> float:
    """The root in Proposition 3: for K boxes, the M_j, m examples and either count of the class."""
    log_size = log_class_size(n_boxes, values_per_feature, count=count)
    if log_size < 0:
        raise ValueError(
            'The printed count is less than one classifier, which bounds nothing; use count="safe".'
        )
    return float(np.sqrt((log_size - np.log(delta)) / (2 * m)))


def values_per_feature(X, decimals: int | None = None) -> np.ndarray:
    """M_j: at how many values a face of a box may lie.

    By default these are the distinct values in the data, between which no face can change what a
    box covers of them. Strictly, the proposition wants values fixed before the data are seen; the
    paper's example is all numbers with so many `decimals` between the smallest and the largest
    possible value, for which the range in the data stands here.
    """
    X = np.asarray(X, float)
    if decimals is None:
        return np.array([len(np.unique(column)) for column in X.T])
    first, last = _decimal_range(X, decimals)
    return (last - first + 1).astype(int)


def _decimal_range(X, decimals):
    """First and last multiple of 10^-decimals within the range of each feature."""
    # rounded, or 0.29 * 100 = 28.999999999999996 would lose its own value
    ends = np.round(np.array([X.min(axis=0), X.max(axis=0)]) * 10.0**decimals, 6)
    return np.ceil(ends[0]), np.floor(ends[1])


def on_grid(boxes: BoxSet, X, decimals: int | None = None) -> BoxSet:
    """The model with its faces at the values that `values_per_feature` counts.

    On distinct values each face moves inwards to the next one, which changes nothing on these
    data; with `decimals` it moves to the nearest, which may.
    """
    X = np.asarray(X, float)
    if decimals is not None:
        first, last = _decimal_range(X, decimals)
        scale = 10.0**decimals
        faces = [
            np.clip(np.round(b * scale), first, last) / scale for b in (boxes.lower, boxes.upper)
        ]
        return BoxSet(*faces, boxes.feature_names)
    lower, upper = np.empty_like(boxes.lower), np.empty_like(boxes.upper)
    for j, column in enumerate(X.T):
        values = np.unique(column)
        lower[:, j] = values[np.searchsorted(values, boxes.lower[:, j], side="left")]
        upper[:, j] = values[np.searchsorted(values, boxes.upper[:, j], side="right") - 1]
    return BoxSet(lower, upper, boxes.feature_names)


def risk(boxes: BoxSet, X, positive, weight: float = 1.0) -> float:
    """Missed positives plus `weight` (c) times false alarms, as a share of the examples."""
    covered = boxes.covers(X)
    return float(
        ((positive & ~covered).sum() + weight * (covered & ~positive).sum()) / len(covered)
    )


@stored("box_drawings-bounds")
def bound_study(
    names: Iterable[str] = ("iris0", "glass2", "ecoli4", "yeast6", "abalone19", "pima"),
    *,
    weight: float = WEIGHT,
    delta: float = DELTA,
    seed: int = 0,
) -> pd.DataFrame:
    """Proposition 3 for Fast Boxes models of whole data sets, K and beta by cross validation.

    K is chosen on the same data, for which a strict bound would replace delta by delta / 10, one
    share for each candidate. A bound of 1 or more says nothing at all; one above the risk of
    drawing no box does not even show that the model is better than that.
    """
    rows = {}
    for name in names:
        data = datasets.load(name)
        whole = Fold(data.X, data.y, data.X, data.y, settings=(), random_state=seed)
        X, y, *_ = numeric_parts(whole)
        X, positive = X.loc[:, X.min() < X.max()], y == 1  # a constant feature bounds no box
        k, expansion, _ = select_fast_boxes(
            X, positive, majority_weights=WEIGHTS, random_state=seed
        )
        (boxes,) = fast_boxes_path(
            X,
            positive,
            majority_weights=[weight],
            n_clusters=k,
            expansion=expansion,
            random_state=seed,
        )
        boxes = on_grid(boxes, X)
        values, m = values_per_feature(X), len(X)
        empirical = risk(boxes, X.to_numpy(), positive, weight)
        gap = generalisation_gap(len(boxes), values, m, delta)
        safe = generalisation_gap(len(boxes), values, m, delta, count="safe")
        rows[name] = {
            "m": m,
            "features": X.shape[1],
            "K": len(boxes),
            "empirical risk": empirical,
            "gap": gap,
            "bound": empirical + gap,
            "vacuous": empirical + gap >= 1,
            "gap, safe count": safe,
            "risk of no box": float(positive.mean()),
            "below no box": empirical + gap < positive.mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("data set")


def bound_table(study: pd.DataFrame) -> Table:
    """What `bound_study` found."""
    caption = (
        f"Proposition 3 at delta = {DELTA:g}, c = {WEIGHT:g}; faces at distinct values. A bound of "
        "1 or more is vacuous"
    )
    return show(study, caption=caption)


def all_boxes(values_per_feature: Sequence[int], *, degenerate: bool = False):
    """Every box with faces at 0, 1, ..., M_j - 1: all lower and all upper ones, boxes x features.

    With `degenerate` also those with l = u.
    """
    sides = [np.stack(np.triu_indices(m, k=0 if degenerate else 1)) for m in values_per_feature]
    picks = np.indices([side.shape[1] for side in sides]).reshape(len(sides), -1)
    lower, upper = np.stack(
        [side[:, pick] for side, pick in zip(sides, picks, strict=True)], axis=-1
    )
    return lower, upper


def distinct_classifiers(
    values_per_feature: Sequence[int], n_boxes: int, *, degenerate: bool = False
) -> int:
    """How many different regions of space unions of at most `n_boxes` boxes make, by listing them.

    With `degenerate` boxes with l = u are among them.
    """
    lower, upper = all_boxes(values_per_feature, degenerate=degenerate)
    # between the values too, where [0, 1] with [2, 3] differs from [0, 3]
    halves = np.stack(np.meshgrid(*(np.arange(2 * m - 1) / 2 for m in values_per_feature)), -1)
    inside = BoxSet(lower, upper).covers_each(halves.reshape(-1, len(values_per_feature)))
    unions = {
        inside[list(chosen)].any(axis=0).tobytes()
        for chosen in combinations_with_replacement(range(len(inside)), n_boxes)
    }
    return len(unions)


def counts_and_classes(values=(2, 3, 4, 5), boxes=(1, 2, 3, 4)) -> pd.DataFrame:
    """The count in the outline of the proof beside the classes that it is to bound.

    For one feature with so many values, and so many boxes: `printed` is the logarithm of the
    count, `class` that of the number of different classifiers.
    """
    rows = {
        (m, k): (log_class_size(k, [m]), np.log(distinct_classifiers([m], k)))
        for m, k in product(values, boxes)
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["printed", "class"])
    return frame.set_index(pd.MultiIndex.from_tuples(list(rows), names=["values", "boxes"]))


def coverage(
    sizes: Sequence[int] = (25, 100, 400),
    n_values: int = 6,
    *,
    n_samples: int = 2_000,
    delta: float = 0.05,
    weight: float = 1.0,
    seed: int = 0,
) -> pd.DataFrame:
    """How often Proposition 3 fails for samples from a known distribution on a small grid.

    The worst gap R_true - R_emp of a sample is taken over all boxes on the grid, K = 1, so that no
    learner could do worse. The distribution has cells of unequal weight, `n_values` along each of
    two features, and positives that are frequent in a rectangle and rare elsewhere. For each size m
    of the samples: the `gap` of the proposition, the mean and the (1 - delta) quantile of the worst
    gap, and the `share beyond`, which the proposition holds to at most delta.
    """
    rng = np.random.default_rng(seed)
    lower, upper = all_boxes([n_values] * 2)
    cells = np.indices([n_values] * 2).reshape(2, -1).T
    inside = BoxSet(lower, upper).covers_each(cells)
    mass = rng.dirichlet(np.ones(len(cells)))
    rectangle = ((cells >= 1) & (cells <= n_values // 2)).all(axis=1)
    positive = np.where(rectangle, 0.6, 0.05)
    outcomes = np.concatenate([mass * positive, mass * (1 - positive)])
    losses = np.hstack([~inside, weight * inside])  # of each box on each outcome
    true = losses @ outcomes
    rows = []
    for m in sizes:
        counts = rng.multinomial(m, outcomes, size=n_samples)
        worst = (true - counts @ losses.T / m).max(axis=1)
        gap = generalisation_gap(1, [n_values] * 2, m, delta)
        rows.append((m, gap, worst.mean(), np.quantile(worst, 1 - delta), (worst > gap).mean()))
    columns = ["m", "gap", "mean worst gap", f"{1 - delta:.0%} quantile", "share beyond"]
    return pd.DataFrame(rows, columns=columns)
