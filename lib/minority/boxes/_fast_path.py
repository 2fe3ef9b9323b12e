"""Fast Boxes: characterise the positives by clusters, then discriminate at each face of a box.

What depends on neither of the two weights, the clustering and the sums over the data, is done once
(`characterise`); the boxes of any number of weights follow from it in closed form
(`discriminate`). The classifier, the path and the selection are all built on these two.
"""

import operator
import warnings
from functools import partial
from numbers import Integral
from operator import index
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_array, check_consistent_length, check_random_state

from minority._batches.rows import Batch, Rows
from minority._threads import one_thread
from minority.boxes import _fast_kernels as kernels
from minority.boxes._boxset import BoxSet, covers_union
from minority.metrics import area_under_hull


class Characterised(NamedTuple):
    """What is known about the data before the weights are chosen."""

    labels: np.ndarray  # cluster of each positive example
    lower: np.ndarray  # start boxes, in the units of the data
    upper: np.ndarray
    minimum: np.ndarray  # of each feature
    maximum: np.ndarray
    unit: np.ndarray
    plus: tuple[np.ndarray, np.ndarray]  # R+ of the lower and of the upper faces
    minus: tuple[np.ndarray, np.ndarray]  # R-
    nearest: tuple  # values at which the faces stop, (None, None) without expansion
    growth: np.ndarray | None = None  # different rows that stop the faces of the largest boxes


def cluster(Z, n_clusters, n_init, random_state, weight=None):
    """Labels 0, 1, ... of k-means without gaps."""
    if n_clusters == 1:
        return np.zeros(len(Z), dtype=np.intp)
    kmeans = KMeans(n_clusters, n_init=n_init, random_state=random_state)
    # One thread: positives are few, waiting for a second thread on a busy machine takes far longer
    # than they do, and the labels must not depend on the number of threads.
    with one_thread(), warnings.catch_warnings():
        # Repeated examples may leave clusters empty; these are dropped, which needs no warning.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = kmeans.fit(Z, sample_weight=weight).labels_
    return np.unique(labels, return_inverse=True)[1]


def characterise(X, positive, weight=None, **options):
    """`characterise_rows` of examples in memory."""
    # Writeable: compiled code for arrays that are read-only would be compiled once more.
    weight = np.ones(len(X)) if weight is None else np.require(weight, requirements="W")
    return characterise_rows(Rows(Batch(X, positive, weight)), **options)


def characterise_rows(
    rows,
    *,
    n_clusters,
    scaling,
    expand,
    nearest,
    n_init,
    random_state,
    n_jobs=None,
):
    for name, value, known in (
        ("scaling", scaling, ("minmax", "maxabs")),
        ("nearest", nearest, ("negative", "any")),
        ("expand", expand, (False, True, "largest")),
    ):
        if value not in known:
            raise ValueError(f"{name} must be one of {known}, got {value!r}.")
    X_positive, _, weight, _ = rows.minority
    if n_clusters > len(X_positive):
        raise ValueError(
            f"n_clusters={n_clusters} is more than the number of positive examples, "
            f"{len(X_positive)}. Set n_clusters to at most {len(X_positive)}."
        )
    minimum, maximum = kernels.feature_ranges(rows.extremes, n_jobs)
    origin, unit = kernels.feature_units(minimum, maximum, scaling)
    Z_positive = (X_positive - origin) / unit
    labels = cluster(Z_positive, n_clusters, n_init, random_state, weight)
    lower, upper = kernels.start_boxes(X_positive, labels, labels.max() + 1)
    low, high = (lower - origin) / unit, (upper - origin) / unit

    one_pass = partial(
        _pass_over,
        start=(lower, upper),
        scale=(origin, unit, low, high),
        expand=expand,
        nearest=nearest,
        n_jobs=n_jobs,
    )
    merges = operator.add, np.maximum, np.minimum, _distinct_rows_of_both
    minus, below, above, growth = rows.total(one_pass, *merges, told="sums and stops of the faces")
    # A member of a cluster counts for the boxes of the other clusters.
    minus += kernels.majority_sums(X_positive, labels, weight, origin, unit, low, high, n_jobs)
    stops = (None, None)
    if isinstance(expand, str):
        stops = (lower, upper)  # no face moves inwards
    elif expand:
        stops = (below, above)
    return Characterised(
        labels,
        lower,
        upper,
        minimum,
        maximum,
        unit,
        kernels.minority_sums(Z_positive, labels, weight, low, high),
        minus.totals(),
        stops,
        growth if isinstance(expand, str) else None,
    )


def _pass_over(batch, *, start, scale, expand, nearest, n_jobs):
    """Of a batch the sums over the negative examples, and where they stop the start boxes."""
    X, positive, weight, _ = batch
    # No member of a cluster lies beyond its box, so "any" need not leave the members out.
    eligible = ~positive if nearest == "negative" else np.ones_like(positive)
    below, above = start
    growth = X[:0]
    if isinstance(expand, str):
        growth = np.unique(X[eligible], axis=0)  # how often a row is there makes no difference
    elif expand:
        below, above = kernels.nearest_beyond(X, eligible, *start, n_jobs)
    sums = kernels.majority_sums(X, None, weight, *scale, n_jobs, counted=~positive)
    return sums, below, above, growth


def _distinct_rows_of_both(one, other):
    return np.unique(np.concatenate([one, other]), axis=0)


def discriminate(data, majority_weights, expansions):
    """Final faces for all pairs of weights.

    Both results have the shape (n_expansions, n_majority_weights, n_boxes, n_features).
    """
    weights, expansions = check_weights(majority_weights, expansions)
    weights, expansions = weights[:, None, None], expansions[:, None, None, None]
    below, above = (
        kernels.outward_shift(plus, minus, weights, expansions)
        for plus, minus in zip(data.plus, data.minus, strict=True)
    )
    nearest_below, nearest_above = data.nearest
    lower = kernels.final_lower(data.lower, below, data.unit, data.minimum, nearest_below)
    mirrored = None if nearest_above is None else -nearest_above
    upper = -kernels.final_lower(-data.upper, above, data.unit, -data.maximum, mirrored)
    # A constant feature tells nothing, wherever the loss would put its faces.
    constant = data.minimum == data.maximum
    lower[..., constant], upper[..., constant] = -np.inf, np.inf
    if data.growth is not None:
        from minority.boxes._faces import grow_faces  # compiled: it takes time to import

        stop = np.ones(len(data.growth), bool)
        for place in np.ndindex(lower.shape[:2]):
            faces = lower[place], upper[place]
            lower[place], upper[place] = grow_faces(data.growth, stop, *faces, data.unit)
    return lower, upper


def check_examples(X, y_positive):
    X = check_array(X, dtype=np.float64)
    y_positive = np.asarray(y_positive)
    if y_positive.dtype != bool or y_positive.ndim != 1:
        raise ValueError(
            "y_positive must be a one-dimensional boolean array, got "
            f"{y_positive.dtype} of shape {y_positive.shape}."
        )
    check_consistent_length(X, y_positive)
    if not y_positive.any():
        raise ValueError("There are no positive examples to draw a box around.")
    return X, y_positive


def check_weights(majority_weights, expansions):
    """Both as arrays of finite numbers."""
    checked = []
    for name, values in (("majority weights", majority_weights), ("expansions", expansions)):
        try:
            values = np.asarray(values, dtype=np.float64)
        except OverflowError:  # integers know no bounds
            raise ValueError(f"The {name} include an integer that is too large.") from None
        if values.ndim != 1:
            raise ValueError(f"The {name} must be a list of numbers, got shape {values.shape}.")
        if not np.isfinite(values).all():
            raise ValueError(f"The {name} must be finite, got {values.tolist()}.")
        checked.append(values)
    weights, expansions = checked
    if (weights <= 0).any() or (expansions < 0).any():
        raise ValueError(
            "The majority weights must be above 0 and the expansions at least 0, got "
            f"{weights.tolist()} and {expansions.tolist()}."
        )
    return weights, expansions


def fast_boxes_path(
    X,
    y_positive,
    *,
    majority_weights,
    n_clusters=1,
    expansion=1.0,
    scaling="minmax",
    expand=True,
    nearest="negative",
    n_init=10,
    random_state=None,
    n_jobs=None,
    feature_names=None,
):
    """Fast Boxes for several weights of the majority class, from one clustering.

    Clustering and the pass over the data are shared, so that a path costs hardly more than a
    single model.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y_positive : array-like of bool of shape (n_samples,)
        Which rows are positive.
    majority_weights : sequence of float
        The paper's c, one model for each.
    n_clusters, expansion, scaling, expand, nearest, n_init, random_state, n_jobs
        As in `FastBoxesClassifier`.
    feature_names : sequence of str, default=None
        Names for the text of the models.

    Returns
    -------
    path : list of BoxSet
        In the order of `majority_weights`.

    Examples
    --------
    >>> from minority.boxes import fast_boxes_path
    >>> X = [[0.0], [1.0], [2.0], [3.0], [9.0]]
    >>> y_positive = [False, False, True, True, False]
    >>> for boxes in fast_boxes_path(X, y_positive, majority_weights=[0.1, 1.0], expansion=0.1):
    ...     print(boxes)
    positive: every row
    Not used: x0
    positive if 1.01 <= x0 <= 8.94
    """
    X, y_positive = check_examples(X, y_positive)
    data = characterise(
        X,
        y_positive,
        n_clusters=n_clusters,
        scaling=scaling,
        expand=expand,
        nearest=nearest,
        n_init=n_init,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return path_of(data, majority_weights, expansion, feature_names)


def path_of(data, majority_weights, expansion, feature_names):
    (lower,), (upper,) = discriminate(data, majority_weights, [expansion])
    return [BoxSet(low, high, feature_names) for low, high in zip(lower, upper, strict=True)]


def possible_clusters(n_clusters, y_positive, folds):
    """Ascending, those that exceed the positives of the smallest training part cut to these."""
    most = min(int(y_positive[train].sum()) for train, _ in folds)
    return sorted({min(index(k), most) for k in n_clusters})


def areas_under_hull(predicted, y_positive, sample_weight=None):
    """AUH of paths of predictions: bool ndarray of shape (n_paths, n_weights, n_samples)."""
    rates = []
    for rows in (~y_positive, y_positive):
        if sample_weight is None:
            rates.append(predicted[..., rows].mean(axis=-1))
        else:
            rates.append(np.average(predicted[..., rows], axis=-1, weights=sample_weight[rows]))
    return [area_under_hull(*points) for points in zip(*rates, strict=True)]


def select_fast_boxes(
    X,
    y_positive,
    *,
    majority_weights,
    n_clusters=range(1, 11),
    expansions=(0, 1, 3, 10, 30, 100, 300, 1000),
    cv=3,
    scaling="minmax",
    expand=True,
    nearest="negative",
    n_init=10,
    random_state=None,
    n_jobs=None,
):
    """Choose the number of clusters and the expansion by cross-validation.

    One pair is chosen for all majority weights: the one whose path has the largest area under the
    convex hull of its ROC points (AUH), averaged over stratified folds. Ties go to fewer clusters,
    then to the smaller expansion.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y_positive : array-like of bool of shape (n_samples,)
        Which rows are positive.
    majority_weights : sequence of float
        The paper's c, the points of the ROC curve.
    n_clusters : iterable of int, default=range(1, 11)
        Candidates for the paper's K. None exceeds the positives of the smallest training fold:
        larger ones are cut to that number.
    expansions : iterable of float, default=(0, 1, 3, 10, 30, 100, 300, 1000)
        Candidates for the paper's beta. The sums it is weighed against grow with the data, so
        large data sets need the large ones.
    cv : int, default=3
        Number of folds; fewer if a class has fewer examples. With a single example of a class
        there is nothing to compare, and the smallest candidates are returned.
    scaling, expand, nearest, n_init
        As in `FastBoxesClassifier`.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of every clustering.
    n_jobs : int or None, default=None
        As in `FastBoxesClassifier`.

    Returns
    -------
    n_clusters : int
    expansion : float
    scores : pandas.DataFrame
        Columns `n_clusters`, `expansion`, `mean_auh`, `std_auh`, one row per pair.
    """
    X, y_positive = check_examples(X, y_positive)
    n_positive = int(y_positive.sum())
    majority_weights, expansions = check_weights(majority_weights, list(expansions))
    # NumPy's scalars would end up in printed results.
    candidates = sorted({index(k) for k in n_clusters})
    expansions = sorted(set(expansions.tolist()))
    if not candidates or candidates[0] < 1 or not expansions:
        raise ValueError(
            "At least one expansion and one number of clusters are needed, all numbers at least "
            f"1, got {expansions} and {candidates}."
        )
    n_splits = min(cv, n_positive, len(X) - n_positive)
    if n_splits < 2:
        scores = pd.DataFrame(columns=["n_clusters", "expansion", "mean_auh", "std_auh"])
        return min(candidates[0], n_positive), expansions[0], scores

    if not isinstance(random_state, Integral):  # one seed, or each fold would cluster differently
        random_state = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=random_state)
    folds = list(folds.split(X, y_positive))
    candidates = possible_clusters(candidates, y_positive, folds)

    auh = np.empty((len(folds), len(candidates), len(expansions)))
    for fold, (train, test) in enumerate(folds):
        for i, k in enumerate(candidates):
            data = characterise(
                X[train],
                y_positive[train],
                n_clusters=k,
                scaling=scaling,
                expand=expand,
                nearest=nearest,
                n_init=n_init,
                random_state=random_state,
                n_jobs=n_jobs,
            )
            predicted = covers_union(X[test], *discriminate(data, majority_weights, expansions))
            auh[fold, i] = areas_under_hull(predicted, y_positive[test])

    pairs = pd.MultiIndex.from_product([candidates, expansions], names=["n_clusters", "expansion"])
    scores = pairs.to_frame(index=False)
    scores["mean_auh"] = auh.mean(axis=0).ravel()
    scores["std_auh"] = auh.std(axis=0).ravel()
    # Rounded, so that the order of a sum does not decide between equals; argmax takes the first.
    best = scores.loc[np.argmax(scores["mean_auh"].round(12))]
    return int(best["n_clusters"]), float(best["expansion"]), scores
