"""Cost matrices, and what predictions cost by them.

Everywhere ``C[i, j]`` is the cost of predicting class j where class i is true: rows are true
classes. The paper writes it :math:`C(j|i)`, so that :math:`C(-|+)` is the cost of a missed
positive.
"""

from numbers import Real

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length, column_or_1d

#: Sums of costs must be finite.
LARGEST_COST = 1e100


def check_costs(costs, classes, pos_label=None):
    """The matrix of costs of some classes.

    Parameters
    ----------
    costs : None, number, dict, DataFrame or array-like of shape (n_classes, n_classes)
        None: each error costs 1. A number, for two classes: the cost ratio
        :math:`C(-|+) / C(+|-)`, how many false alarms a missed positive is worth. A dict: {class:
        cost of missing it}. A frame has true classes as rows and predicted ones as columns, by
        their labels, in any order; it may know more classes. An array has them in the order of
        `classes`.
    classes : array-like of shape (n_classes,)
        The labels.
    pos_label : object, default=None
        The positive class; a number needs it.

    Returns
    -------
    matrix : ndarray of shape (n_classes, n_classes)
        From 0 to 1e100. Some costs may be zero, but not all of those of errors: then there
        would be nothing to choose by.

    Examples
    --------
    >>> from minority.costs import check_costs
    >>> check_costs(5, ["no", "yes"], pos_label="yes")
    array([[0., 1.],
           [5., 0.]])
    >>> check_costs({"a": 1, "b": 2, "c": 3}, ["a", "b", "c"])
    array([[0., 1., 1.],
           [2., 0., 2.],
           [3., 3., 0.]])
    """
    labels = np.asarray(classes).tolist()
    n_classes = len(labels)
    if costs is None:
        of_missing = np.ones(n_classes)
    elif isinstance(costs, Real):
        of_missing = _from_ratio(costs, labels, pos_label)
    elif isinstance(costs, dict):
        lacking = [label for label in labels if label not in costs]
        if lacking:
            raise ValueError(f"costs do not name the classes {lacking}.")
        of_missing = np.array([costs[label] for label in labels], dtype=np.float64)
    else:
        of_missing = None
        matrix = _from_table(costs, labels)
    if of_missing is not None:
        matrix = np.tile(of_missing[:, None], n_classes)
        np.fill_diagonal(matrix, 0)
    if not ((matrix >= 0) & (matrix <= LARGEST_COST)).all():
        raise ValueError(
            f"costs must be finite, not negative and at most {LARGEST_COST:g}, got "
            f"{matrix.tolist()}."
        )
    if not matrix[~np.eye(n_classes, dtype=bool)].any():
        raise ValueError("All costs of errors are zero: there is nothing to choose by.")
    return matrix


def _from_ratio(ratio, labels, pos_label):
    if len(labels) != 2:
        raise ValueError(
            f"costs={ratio!r}, a cost ratio, is for two classes, but there are {len(labels)}: give "
            "a matrix."
        )
    if pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes {labels}.")
    return np.where([label == pos_label for label in labels], float(ratio), 1.0)


def _from_table(costs, labels):
    if isinstance(costs, pd.DataFrame):
        for axis, known in [("rows", costs.index), ("columns", costs.columns)]:
            lacking = [label for label in labels if label not in known]
            if lacking or known.has_duplicates:
                raise ValueError(
                    f"costs must have one of their {axis} for each of the classes {labels}, but "
                    f"has {known.tolist()}."
                )
        costs = costs.loc[labels, labels]
    try:
        matrix = np.array(costs, dtype=np.float64)
    except OverflowError as error:
        raise ValueError(f"costs must be at most {LARGEST_COST:g}.") from error
    if matrix.shape != (len(labels), len(labels)):
        raise ValueError(
            f"costs have the shape {matrix.shape}, but there are {len(labels)} classes: {labels}."
        )
    return matrix


def cost_threshold(ratio):
    r"""Probability of the positive class above which predicting it is cheaper (eq. 10).

    .. math:: p^* = \frac{C(+|-)}{C(+|-) + C(-|+)}

    Parameters
    ----------
    ratio : float
        The cost ratio :math:`C(-|+) / C(+|-)`.

    Returns
    -------
    threshold : float
        From 0 to 1. At the threshold itself both cost the same; the paper predicts negative there,
        scikit-learn's `FixedThresholdClassifier` positive.

    Examples
    --------
    >>> from minority.costs import cost_threshold
    >>> cost_threshold(4)
    0.2
    """
    if not 0 <= ratio < np.inf:
        raise ValueError(f"A cost ratio is finite and not negative, got {ratio}.")
    return 1 / (1 + ratio)


def cheapest_class(proba, costs, preference=None):
    r"""Position of the class with the least expected cost, :math:`\sum_i P(i|x) C_{ij}`, per row.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Probabilities of the classes.
    costs : array-like of shape (n_classes, n_classes)
        True classes as rows.
    preference : array-like of shape (n_classes,), default=None
        Of classes that cost the same, up to rounding, the one with the largest number here is
        taken, and of those the first. The classifiers take the most frequent class: with two
        classes and the rarer one positive, this is the paper's :math:`p > p^*`.

    Returns
    -------
    position : ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> from minority.costs import cheapest_class
    >>> cheapest_class([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], [[0, 1], [4, 0]])
    array([0, 0, 1])
    """
    costs = np.asarray(costs, dtype=np.float64)
    expected = (np.asarray(proba, dtype=np.float64) @ (costs / costs.max())).round(12)
    if preference is None:
        return expected.argmin(axis=1)
    order = np.argsort(-np.asarray(preference), kind="stable")
    return order[expected[:, order].argmin(axis=1)]


def total_cost(y_true, y_pred, costs=None, *, labels=None, pos_label=None):
    """Sum of what predictions cost.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    costs : None, number, dict, DataFrame or array-like of shape (n_classes, n_classes)
        See `check_costs`.
    labels : array-like of shape (n_classes,), default=None
        The classes, in the order of an array's rows. By default those that occur, sorted.
    pos_label : object, default=None
        The positive class, if the costs are a number. By default the rarer one in `y_true`, of
        equally frequent ones the last.

    Returns
    -------
    cost : float

    Examples
    --------
    >>> from minority.costs import total_cost
    >>> total_cost([0, 0, 0, 1, 1], [0, 1, 0, 0, 0], 10)
    21.0
    """
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    found, codes = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)
    if labels is None:
        classes = found
    else:
        classes = np.asarray(labels)
        order = pd.Index(classes).get_indexer(found)
        if (order < 0).any():
            raise ValueError(f"labels do not name the classes {found[order < 0].tolist()}.")
        codes = order[codes]
    true, predicted = np.split(codes, 2)
    if isinstance(costs, Real) and pos_label is None and len(classes) == 2:
        n_first, n_second = np.bincount(true, minlength=2)
        pos_label = classes.tolist()[0 if n_first < n_second else 1]
    return float(check_costs(costs, classes, pos_label)[true, predicted].sum())


def expected_cost(y_true, y_pred, costs=None, *, labels=None, pos_label=None):
    """Mean cost of a prediction.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    costs : None, number, dict, DataFrame or array-like of shape (n_classes, n_classes)
        See `check_costs`.
    labels : array-like of shape (n_classes,), default=None
        The classes, in the order of an array's rows. By default those that occur, sorted.
    pos_label : object, default=None
        The positive class, if the costs are a number. By default the rarer one in `y_true`, of
        equally frequent ones the last.

    Returns
    -------
    cost : float

    Examples
    --------
    >>> from minority.costs import expected_cost
    >>> expected_cost([0, 0, 0, 1, 1], [0, 1, 0, 0, 0], 10)
    4.2
    """
    return total_cost(y_true, y_pred, costs, labels=labels, pos_label=pos_label) / len(y_true)


def cost_of_missing(matrix):
    """What it costs on average to get each class wrong, beyond the cost of getting it right."""
    n_classes = len(matrix)
    right = matrix.diagonal()
    missing = (matrix.sum(axis=1) - right) / (n_classes - 1) - right
    if (missing < 0).any() or not missing.any():
        raise ValueError(
            "No class may cost more where it is predicted rightly than where it is missed, and one "
            f"must cost less; the differences are {missing.tolist()}."
        )
    return missing
