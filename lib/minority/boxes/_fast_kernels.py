"""Array functions of Fast Boxes: everything after the clustering.

Symbols of the paper: a start box has the faces ``l_s`` and ``u_s``; moving a face to where the
exponential loss is least gives ``l_r`` and ``u_r``; the final adjustment gives ``l_f`` and ``u_f``.
All features are measured in a unit of their own, see `feature_units`.
"""

from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from minority.boxes._face_sums import FaceSums, move_nearest

# Cells per block of rows: temporaries of (n_features, n_rows) stay in the cache.
_BLOCK_CELLS = 2**16
# The final adjustment stops at this share of the gap before the nearest example.
GAP_SHARE = 0.01


def _over_rows(function, X, n_jobs):
    """What a function of blocks of rows, a list of slices, makes of each thread's share of them."""
    step = max(1, _BLOCK_CELLS // max(1, X.shape[1]))
    blocks = [slice(start, start + step) for start in range(0, len(X), step)]
    n_jobs = min(effective_n_jobs(n_jobs), len(blocks))
    if n_jobs <= 1:  # to start threads takes a while
        return [function(blocks)]
    ends = np.linspace(0, len(blocks), n_jobs + 1).astype(int).tolist()
    # Threads: the compiled code releases the lock, and nothing is copied.
    parallel = Parallel(n_jobs=n_jobs, require="sharedmem")
    return parallel(delayed(function)(blocks[a:b]) for a, b in pairwise(ends))


def feature_ranges(X, n_jobs=None):
    """Smallest and largest value of each feature: those nearest to the ends of the line."""
    ends = np.full((2, 1, X.shape[1]), [[[np.inf]], [[-np.inf]]])
    (maximum,), (minimum,) = nearest_beyond(X, np.ones(len(X), dtype=bool), *ends, n_jobs)
    return minimum, maximum


def feature_units(minimum, maximum, scaling):
    """Origin and unit of each feature: (x - origin) / unit lies in [-1, 1].

    A feature without spread gets the unit 1.
    """
    if scaling == "minmax":  # halved first, so that the widest range does not overflow
        origin, unit = minimum / 2 + maximum / 2, maximum / 2 - minimum / 2
    else:
        origin, unit = np.zeros_like(minimum), np.maximum(np.abs(minimum), np.abs(maximum))
    return origin, np.where(unit > 0, unit, 1.0)


def start_boxes(X_positive, labels, n_clusters):
    """Smallest enclosing box of each cluster."""
    members = [X_positive[labels == k] for k in range(n_clusters)]
    return np.array([m.min(axis=0) for m in members]), np.array([m.max(axis=0) for m in members])


def minority_sums(Z_positive, labels, weight, low, high):
    """R+ of the lower and of the upper faces (eq. 24 rewritten).

    Parameters
    ----------
    Z_positive : ndarray of shape (n_positives, n_features)
        Positive examples, scaled.
    labels : ndarray of shape (n_positives,)
        Their clusters.
    weight : ndarray of shape (n_positives,)
        Their weights, none of them zero.
    low, high : ndarray of shape (n_boxes, n_features)
        Start boxes, scaled.

    Returns
    -------
    lower, upper : ndarray of shape (n_boxes, n_features)
        At least exp(-1) times a weight: the example that lies on the face contributes as much.
    """
    sums = FaceSums(low, high)
    sums.add_members(np.ascontiguousarray(Z_positive.T), labels, weight)
    return sums.totals()


def majority_sums(X, owner, weight, origin, unit, low, high, n_jobs=None, *, counted=None):
    r"""R- of the lower and of the upper faces (eq. 24 rewritten).

    With :math:`o_p = \max(l_p - x_p, x_p - u_p, 0)` and :math:`D = \sum_p o_p`, an example beyond
    the lower face j has :math:`x_j - l_j - d_j(x) = -D`. Its term :math:`\exp(1 - D)` is thus the
    same for every face that it lies beyond, and one exponential per example and box is enough.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        All examples, unscaled; they are scaled block by block.
    owner : ndarray of shape (n_samples,) or None
        Cluster of each member of one, which counts for the boxes of the others, -1 for other rows.
        None: no row is a member of a cluster.
    weight : ndarray of shape (n_samples,)
    origin, unit : ndarray of shape (n_features,)
    low, high : ndarray of shape (n_boxes, n_features)
        Start boxes, scaled.
    n_jobs : int, default=None
        Number of threads. The sums do not depend on it, nor on the order of the rows.
    counted : bool ndarray of shape (n_samples,), default=None
        The rows that count; by default all.

    Returns
    -------
    sums : FaceSums
    """

    def sums_of(blocks):
        sums = FaceSums(low, high)
        for rows in blocks:
            Z = np.subtract(X[rows].T, origin[:, None], order="C")
            Z /= unit[:, None]
            # Made here, so that no more is held than a block needs.
            own = np.full(Z.shape[1], -1) if owner is None else owner[rows]
            terms = weight[rows] if counted is None else np.where(counted[rows], weight[rows], 0.0)
            sums.add_others(Z, own, terms)
        return sums

    sums, *others = _over_rows(sums_of, X, n_jobs)
    for other in others:
        sums.merge(other)
    return sums


def outward_shift(plus, minus, majority_weight, expansion):
    r"""How far a face moves outwards, in scaled units (Propositions 1 and 2).

    .. math::
        l_s - l_r = 1 - \ln \frac{2 c R_-}{\beta + \sqrt{\beta^2 + 4 c R_+ R_-}}

    and the same for :math:`u_r - u_s`. This form of the root does not cancel; the face moves to
    infinity where :math:`R_- = 0`. All arguments broadcast.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        root = np.hypot(expansion, 2 * np.sqrt(majority_weight * plus * minus))
        shift = 1 - np.log(2 * majority_weight * minus / (expansion + root))
        lost = ~np.isfinite(shift)
        if lost.any():  # products beyond the range of floats; their logarithms are not
            logs = np.log(majority_weight) + np.log(minus)
            root = np.logaddexp(2 * np.log(expansion), np.log(4 * plus) + logs) / 2
            shift = np.where(
                lost, 1 - np.log(2) - logs + np.logaddexp(np.log(expansion), root), shift
            )
    return np.where(minus > 0, shift, np.inf)


def nearest_beyond(X, eligible, lower, upper, n_jobs=None):
    """Per box and feature, the nearest value strictly below `lower` and strictly above `upper`.

    Only the rows that are `eligible` count; infinite where there are none. NaN is nowhere.
    """
    lower, upper = np.ascontiguousarray(lower), np.ascontiguousarray(upper)

    def nearest_of(blocks):
        below, above = np.full(lower.shape, -np.inf), np.full(upper.shape, np.inf)
        for rows in blocks:
            columns = np.array(X[rows].T, order="C")
            move_nearest(below, above, columns, eligible[rows], lower, upper)
        return below, above

    below, above = zip(*_over_rows(nearest_of, X, n_jobs), strict=True)
    return np.maximum.reduce(below), np.minimum.reduce(above)


def final_lower(start, shift, unit, minimum, nearest=None):
    """Lower faces in the units of the data (eq. 31); ``-inf`` for a face that vanishes.

    With `nearest`, the closest values beyond the start faces, the box expands to just before
    them and never shrinks. A face at or below the `minimum` of the training data excludes nothing
    there, so it vanishes. Upper faces (eq. 32) are lower faces of the mirrored data.
    """
    with np.errstate(over="ignore"):  # a range may be wider than the largest float
        final = start - unit * shift
        if nearest is not None:
            stop = start - (1 - GAP_SHARE) * (start - nearest)
            # The gap may be too small for its share to be seen; with no example beyond, the lowest
            # float is at or below the minimum, and the face vanishes.
            final = np.minimum(final, np.maximum(stop, np.nextafter(nearest, start)))
    return np.where(final <= minimum, -np.inf, final)
