"""Measures for imbalanced problems that scikit-learn and imbalanced-learn lack."""

import numpy as np

__all__ = ["area_under_hull", "roc_convex_hull"]


def _check_rates(fpr, tpr):
    """Two equally long 1-d float arrays of rates."""
    rates = {"fpr": fpr, "tpr": tpr}
    for name, values in rates.items():
        values = rates[name] = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if values.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {values.shape}.")
        if not ((values >= 0) & (values <= 1)).all():
            if np.isnan(values).any():
                raise ValueError(f"{name} contains NaN.")
            raise ValueError(
                f"{name} must lie in [0, 1], got values from {values.min():g} to {values.max():g}."
            )
    fpr, tpr = rates.values()
    if len(fpr) != len(tpr):
        raise ValueError(f"fpr and tpr differ in length: {len(fpr)} and {len(tpr)}.")
    return fpr, tpr


def roc_convex_hull(fpr, tpr, *, trivial=True):
    """Upper convex hull of points in ROC space.

    Every point of the hull can be reached by choosing between two of the classifiers at random.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_points,)
        False and true positive rates, in any order. May be empty, if `trivial`.
    trivial : bool, default=True
        Whether the two classifiers that need no data, (0, 0) and (1, 1), belong to the points.
        Then nothing below the diagonal is on the hull.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_hull,)
        Corners of the hull from (0, 0) to (1, 1); points on an edge between corners are left out.
        If not `trivial`, from the point with the least false positives to the one with the most
        true positives: those that are the best for some costs.

    Examples
    --------
    >>> from minority.metrics import roc_convex_hull
    >>> fpr, tpr = roc_convex_hull([0.5, 0.25, 0.5], [0.5, 0.75, 0.75])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.25, 1.0], [0.0, 0.75, 1.0])
    """
    fpr, tpr = _check_rates(fpr, tpr)
    if trivial:
        ends = {(0.0, 0.0), (1.0, 1.0)}
    elif not len(fpr):
        raise ValueError("There is no point, so there is no hull.")
    else:
        ends = set()
        # The others lie below the first corner or to the right of the last.
        lowest, furthest = tpr[fpr == fpr.min()].max(), fpr[tpr == tpr.max()].min()
        between = (tpr >= lowest) & (fpr <= furthest)
        fpr, tpr = fpr[between], tpr[between]

    # Andrew's monotone chain on the points from left to right. They are few, so that Python's own
    # numbers are several times as fast as arrays.
    hull = []
    for x, y in sorted(ends.union(zip(fpr.tolist(), tpr.tolist(), strict=True))):
        while len(hull) >= 2:
            (x0, y0), (x1, y1) = hull[-2:]
            if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0):  # a right turn: the corner stays
                break
            hull.pop()
        hull.append((x, y))
    return tuple(np.array(hull).T.copy())


def area_under_hull(fpr, tpr):
    """Area under the convex hull of points in ROC space (AUH).

    Each point is one classifier, for instance one setting of the cost of errors. The area is
    at least 0.5, the area under the diagonal, and 1 if a classifier makes no error.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_points,)
        False and true positive rates, in any order. May be empty.

    Returns
    -------
    area : float
        Between 0.5 and 1.

    See Also
    --------
    roc_convex_hull : The hull itself.
    sklearn.metrics.roc_auc_score : Area under the curve of one ranking, not of its hull.

    References
    ----------
    .. [1] F. Provost and T. Fawcett, "Robust classification for imprecise environments",
       Machine Learning 42, 2001.

    Examples
    --------
    >>> from minority.metrics import area_under_hull
    >>> area_under_hull([0.25, 0.5], [0.75, 0.75])
    0.75
    >>> area_under_hull([], [])
    0.5
    """
    x, y = roc_convex_hull(fpr, tpr)
    area = float(((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2).sum())
    return min(max(area, 0.5), 1.0)  # only rounding can leave this range
