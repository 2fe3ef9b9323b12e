"""Cost curves: the expected cost of classifiers at every class distribution and cost ratio."""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_curve
from sklearn.utils import column_or_1d

from minority.metrics import roc_convex_hull


class CostCurve(NamedTuple):
    """The lower envelope of the lines of some classifiers, piecewise linear.

    Classifier k of the envelope, with the rates ``fpr[k]`` and ``tpr[k]``, is the cheapest from
    ``pcf[k]`` to ``pcf[k + 1]``; the range of one that is so only at an end is empty.
    """

    pcf: np.ndarray  # PCF(+) where the envelope bends, from 0 to 1
    cost: np.ndarray  # normalised expected cost there
    fpr: np.ndarray
    tpr: np.ndarray

    @property
    def area(self):
        """Mean normalised expected cost if every PCF(+) is as likely as any other."""
        return float(np.trapezoid(self.cost, self.pcf))

    def at(self, pcf):
        """Normalised expected cost at some values of PCF(+)."""
        return np.interp(pcf, self.pcf, self.cost)


def probability_cost(prior, ratio):
    r"""Where a class distribution and a cost ratio lie on the horizontal axis (eq. 12).

    .. math:: PCF(+) = \frac{p(+) C(-|+)}{p(+) C(-|+) + p(-) C(+|-)}

    Parameters
    ----------
    prior : float or array-like
        Share of positives, :math:`p(+)`.
    ratio : float or array-like
        The cost ratio :math:`C(-|+) / C(+|-)`.

    Returns
    -------
    pcf : float or ndarray

    Examples
    --------
    >>> from minority.costs import probability_cost
    >>> probability_cost(0.2, 4)
    0.5
    """
    prior, ratio = np.asarray(prior, dtype=np.float64), np.asarray(ratio, dtype=np.float64)
    if not ((prior >= 0) & (prior <= 1)).all():
        raise ValueError(f"A share of positives is from 0 to 1, got {prior.tolist()}.")
    if not ((ratio >= 0) & np.isfinite(ratio)).all():
        raise ValueError(f"A cost ratio is finite and not negative, got {ratio.tolist()}.")
    positive, negative = prior * ratio, 1 - prior
    if not (positive + negative).all():
        raise ValueError("With positives only and a cost ratio of zero, nothing costs anything.")
    pcf = positive / (positive + negative)
    return pcf if pcf.ndim else float(pcf)


def cost_envelope(fpr, tpr, *, trivial=True):
    """Lower envelope of the lines of some classifiers in cost space.

    The line of a classifier is its normalised expected cost, (1 - TP - FP) PCF(+) + FP (eq. 11).
    The envelope is the dual of the convex hull in ROC space, so it is found exactly, without a
    grid.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_classifiers,)
        False and true positive rates, in any order.
    trivial : bool, default=True
        Whether the two classifiers that need no data, always negative and always positive, are
        among them. Then the envelope is nowhere above ``min(pcf, 1 - pcf)``.

    Returns
    -------
    CostCurve

    References
    ----------
    .. [1] C. Drummond and R. C. Holte, "Cost curves: an improved method for visualizing classifier
       performance", Machine Learning 65, 2006.

    Examples
    --------
    >>> from minority.costs import cost_envelope
    >>> curve = cost_envelope([0.25], [0.75])
    >>> curve.pcf.tolist(), curve.cost.tolist()
    ([0.0, 0.25, 0.75, 1.0], [0.0, 0.25, 0.25, 0.0])
    >>> curve.area
    0.1875
    """
    fpr, tpr = roc_convex_hull(fpr, tpr, trivial=trivial)
    right, up = np.diff(fpr), np.diff(tpr)
    # Neighbours on the hull cost the same where (1 - PCF) right = PCF up.
    pcf = np.r_[0.0, right / (right + up), 1.0]
    here = np.r_[0 : len(fpr), len(fpr) - 1]  # the classifier from each bend on
    return CostCurve(pcf, fpr[here] * (1 - pcf) + (1 - tpr[here]) * pcf, fpr, tpr)


def cost_curve(y_true, y_score, *, pos_label=None):
    """Cost curve of a ranking: the lower envelope over all its thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes, two of them.
    y_score : array-like of shape (n_samples,)
        The higher, the more likely positive.
    pos_label : object, default=None
        The positive class. By default the rarer one; if both are equally frequent, the last.

    Returns
    -------
    CostCurve
        The lowest and the highest threshold are the trivial classifiers.

    Examples
    --------
    >>> from minority.costs import cost_curve
    >>> cost_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).area
    0.125
    """
    y_true = column_or_1d(y_true)
    classes, counts = np.unique(y_true, return_counts=True)
    if len(classes) != 2:
        raise ValueError(f"A cost curve needs two classes, got {classes.tolist()}.")
    if pos_label is None:
        pos_label = classes[0 if counts[0] < counts[1] else 1]
    elif pos_label not in classes.tolist():
        raise ValueError(f"pos_label={pos_label!r} is not among {classes.tolist()}.")
    fpr, tpr, _ = roc_curve(y_true == pos_label, y_score)
    return cost_envelope(fpr, tpr)
