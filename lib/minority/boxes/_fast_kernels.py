"""Array functions of Fast Boxes: everything after the clustering.

Symbols of the paper: a start box has the faces ``l_s`` and ``u_s``; moving a face to where the
exponential loss is least gives ``l_r`` and ``u_r``; the final adjustment gives ``l_f`` and ``u_f``.
All features are measured in a unit of their own, see `feature_units`.
"""

import numpy as np

# Cells per block of rows: temporaries of (n_features, n_rows) stay in the cache.
_BLOCK_CELLS = 2**17
# The final adjustment stops at this share of the gap before the nearest example.
GAP_SHARE = 0.01


def _row_blocks(X):
    step = max(1, _BLOCK_CELLS // X.shape[1])
    return [slice(start, start + step) for start in range(0, len(X), step)]


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
    lower, upper = np.empty_like(low), np.empty_like(high)
    middle = (low + high) / 2
    for k in range(len(low)):
        members, own = Z_positive[labels == k], weight[labels == k][:, None]
        under, over = np.exp(low[k] - members - 1), np.exp(members - high[k] - 1)
        lower[k] = np.where(members <= middle[k], own * under, 0).sum(axis=0)
        upper[k] = np.where(members >= middle[k], own * over, 0).sum(axis=0)
    return lower, upper


def majority_sums(X, owner, weight, origin, unit, low, high):
    r"""R- of the lower and of the upper faces (eq. 24 rewritten).

    With :math:`o_p = \max(l_p - x_p, x_p - u_p, 0)` and :math:`D = \sum_p o_p`, an example beyond
    the lower face j has :math:`x_j - l_j - d_j(x) = -D`. Its term :math:`\exp(1 - D)` is thus the
    same for every face that it lies beyond, and one exponential per example and box is enough.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        All examples, unscaled; they are scaled block by block.
    owner : ndarray of shape (n_samples,)
        Cluster of each positive example, -1 for the negative ones.
    weight : ndarray of shape (n_samples,)
    origin, unit : ndarray of shape (n_features,)
    low, high : ndarray of shape (n_boxes, n_features)
        Start boxes, scaled.

    Returns
    -------
    lower, upper : ndarray of shape (n_boxes, n_features)
    """
    lower, upper = np.zeros_like(low), np.zeros_like(high)
    middle = (low + high) / 2
    for rows in _row_blocks(X):
        Z = np.ascontiguousarray(((X[rows] - origin) / unit).T)
        under, over = np.empty_like(Z), np.empty_like(Z)
        for k in range(len(low)):
            lo, mid, hi = (bound[k][:, None] for bound in (low, middle, high))
            np.maximum(np.subtract(lo, Z, out=under), 0, out=under)
            np.maximum(np.subtract(Z, hi, out=over), 0, out=over)
            distance = under.sum(axis=0) + over.sum(axis=0)
            term = weight[rows] * np.exp(1 - distance)
            # Not by BLAS: its threads wait for each other on a busy machine, and the sums must not
            # depend on their number.
            lower[k] += np.einsum("ji,i->j", np.sign(under, out=under), term)
            upper[k] += np.einsum("ji,i->j", np.sign(over, out=over), term)
            # Members of the cluster are inside by construction; they count in R+ instead.
            inside = np.flatnonzero((distance == 0) & (owner[rows] != k))
            if inside.size:
                Z_in, own = Z[:, inside], weight[rows][inside]
                lower[k] += np.where(Z_in <= mid, own * np.exp(Z_in - lo + 1), 0).sum(axis=1)
                upper[k] += np.where(Z_in >= mid, own * np.exp(hi - Z_in + 1), 0).sum(axis=1)
    return lower, upper


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


def nearest_beyond(X, eligible, lower, upper):
    """Per box and feature, the nearest value strictly below `lower` and strictly above `upper`.

    Only the rows that are `eligible` count; infinite where there are none.
    """
    below, above = np.full_like(lower, -np.inf), np.full_like(upper, np.inf)
    for rows in _row_blocks(X):
        block = np.ascontiguousarray(X[rows][eligible[rows]].T)
        for k in range(len(lower)):
            beyond = np.where(block < lower[k][:, None], block, -np.inf)
            np.maximum(below[k], beyond.max(axis=1, initial=-np.inf), out=below[k])
            beyond = np.where(block > upper[k][:, None], block, np.inf)
            np.minimum(above[k], beyond.min(axis=1, initial=np.inf), out=above[k])
    return below, above


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
