"""What the search maximises: values of each class, from predictions for rows not trained on."""

from functools import cached_property
from numbers import Real

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from minority.costs import check_costs

CRITERIA = ("auroc", "f1", "cost", "fbeta")


def cost_matrix(costs, classes, is_minority):
    """The costs of errors, checked; a ratio is for the minority classes.

    Parameters
    ----------
    costs : float or array-like of shape (n_classes, n_classes)
        A ratio: what it costs to miss an example of a minority class, where every other error
        costs 1. Or a matrix with true classes as rows and predicted ones as columns.
    classes : list
    is_minority : bool ndarray of shape (n_classes,)

    Returns
    -------
    matrix : float ndarray of shape (n_classes, n_classes)
    """
    if isinstance(costs, Real):
        costs = {c: costs if rare else 1 for c, rare in zip(classes, is_minority, strict=True)}
    matrix = check_costs(costs, classes)
    if matrix.diagonal().any():
        raise ValueError("costs must be zero on the diagonal: the criteria count errors only.")
    return matrix


def _divide(a, b):
    """a / b, and 0 where b is 0."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    return np.divide(a, b, out=np.zeros(shape), where=b != 0)


def f_measure(confusion, weight=0.5):
    r"""F of each class.

    Parameters
    ----------
    confusion : ndarray of shape (..., n_classes, n_classes)
        Numbers of rows, by true and by predicted class.
    weight : float or ndarray of shape (n_classes,), default=0.5
        Of precision (:math:`\beta^2 / (1 + \beta^2)` with the paper's :math:`\beta`, which is 1
        over the usual one).

    Returns
    -------
    f : ndarray of shape (..., n_classes)
        :math:`(1 + \beta^2) P R / (\beta^2 R + P)`, and 0 where nothing is found.
    """
    return _f_of(*_precision_and_recall(confusion), weight)


def _precision_and_recall(confusion):
    hits = np.diagonal(confusion, axis1=-2, axis2=-1).astype(float)
    return _divide(hits, confusion.sum(axis=-2)), _divide(hits, confusion.sum(axis=-1))


def _f_of(precision, recall, weight):
    return _divide(precision * recall, weight * recall + (1 - weight) * precision)


def precision_weight(matrix):
    """Weight of precision in F for each class, from the costs of its false alarms and misses."""
    misses, alarms = matrix.sum(axis=1), matrix.sum(axis=0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        weight = 1 / (1 + (misses / alarms) ** 2)
    return np.nan_to_num(weight, nan=0.5)  # errors that cost nothing: the plain F


def error_cost(confusion, matrix):
    """Cost of the misses and of the false alarms of each class, by rates (eq. 1).

    Parameters
    ----------
    confusion : ndarray of shape (..., n_classes, n_classes)
    matrix : ndarray of shape (n_classes, n_classes)

    Returns
    -------
    cost : ndarray of shape (..., n_classes)
        With two classes it is the same for both.
    """
    return _cost_of(_rates(confusion), matrix)


def _rates(confusion):
    return _divide(confusion, confusion.sum(axis=-1, keepdims=True))


def _cost_of(rates, matrix):
    costs = rates * matrix
    return costs.sum(axis=-1) + costs.sum(axis=-2)


def one_against_rest(truth, scores):
    """AUROC of each class by ranks; NaN without rows of the class or without others.

    Parameters
    ----------
    truth : int ndarray of shape (n_samples,)
    scores : ndarray of shape (n_samples, n_classes)

    Returns
    -------
    auroc : ndarray of shape (n_classes,)
    """
    n_classes = scores.shape[1]
    counts = np.bincount(truth, minlength=n_classes)
    if n_classes == 2:
        scores = scores[:, 1:]
    ranks = rankdata(scores.round(12), axis=0)
    area = np.full(n_classes, np.nan)
    for code in range(n_classes)[-scores.shape[1] :]:
        n, others = counts[code], len(truth) - counts[code]
        if n and others:
            total = ranks[truth == code, code - n_classes].sum()
            area[code] = (total - n * (n + 1) / 2) / (n * others)
    return area[[1, 1]] if n_classes == 2 else area


class Remembered(ClassifierMixin, BaseEstimator):
    """A model of which only its answers for some rows are left; scorers ask it about these."""

    def __init__(self, classes, predicted, scores, method):
        self.classes, self.predicted, self.scores, self.method = classes, predicted, scores, method

    @property
    def classes_(self):
        return self.classes

    def predict(self, X):
        return self.predicted

    @available_if(lambda self: self.method == "predict_proba")
    def predict_proba(self, X):
        return self.scores

    @available_if(lambda self: self.method == "decision_function")
    def decision_function(self, X):
        return self.scores[:, 1] if len(self.classes) == 2 else self.scores

    def __sklearn_is_fitted__(self):
        return True


class Validation:
    """What the models of one level say about the rows that they were not trained on.

    Parameters
    ----------
    truth, predicted : list of int ndarray
        Positions of the classes, by fold.
    scores : list of ndarray of shape (n_rows, n_classes)
        Probabilities or decision values, by fold.
    method : str or None
        Where they come from; None if the models have neither.
    classes : ndarray
    """

    def __init__(self, truth, predicted, scores, method, classes):
        self.truth, self.predicted, self.scores = truth, predicted, scores
        self.method, self.classes = method, classes

    @cached_property
    def confusion(self):
        """Rows by true and predicted class in each fold."""
        n = len(self.classes)
        pairs = zip(self.truth, self.predicted, strict=True)
        return np.array([np.bincount(t * n + p, minlength=n * n).reshape(n, n) for t, p in pairs])

    @cached_property
    def _precision_and_recall(self):
        return _precision_and_recall(self.confusion)

    @cached_property
    def _rates(self):
        return _rates(self.confusion)

    @cached_property
    def _has_rows(self):
        return self.confusion.sum(axis=2) > 0

    @cached_property
    def auroc(self):
        """AUROC of each class in each fold."""
        if self.method is None:
            raise ValueError(
                "criterion='auroc' needs an estimator with predict_proba or decision_function; "
                "'f1', 'cost' and 'fbeta' do with predictions."
            )
        pairs = zip(self.truth, self.scores, strict=True)
        return np.array([one_against_rest(truth, scores) for truth, scores in pairs])

    def _scored(self, scorer, folds):
        values = []
        answers = zip(self.truth, self.predicted, self.scores, folds, strict=True)
        for truth, predicted, scores, X in answers:
            model = Remembered(self.classes, self.classes[predicted], scores, self.method)
            values.append([float(scorer(model, X, self.classes[truth]))] * len(self.classes))
        return np.array(values)

    def values(self, criterion, matrix, folds):
        """Value of each class, greater is better: the mean over the folds that have its rows.

        Parameters
        ----------
        criterion : {"auroc", "f1", "cost", "fbeta"} or callable
        matrix : ndarray of shape (n_classes, n_classes)
            The costs.
        folds : list
            Rows that were predicted, for a scorer.

        Returns
        -------
        values : ndarray of shape (n_classes,)
        """
        if callable(criterion):
            values = self._scored(criterion, folds)
        elif criterion == "auroc":
            values = self.auroc
        elif criterion == "cost":
            values = -_cost_of(self._rates, matrix)
        else:
            weight = 0.5 if criterion == "f1" else precision_weight(matrix)
            values = _f_of(*self._precision_and_recall, weight)
        known = self._has_rows & ~np.isnan(values)
        total = np.where(known, values, 0).sum(axis=0)
        return _divide(total, known.sum(axis=0)).round(12)
