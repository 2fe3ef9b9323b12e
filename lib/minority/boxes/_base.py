"""What all classifiers have in common whose model is a union of boxes."""

import re

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from minority._condition import plain_scalar
from minority._positive import PositiveClassMixin
from minority._sklearn import _check_sample_weight, check_is_fitted, validate_data
from minority.boxes._plot import plot_boxes

_PRIOR_WEIGHT = 2.0  # rows with the share of positives of all rows that smooth a probability
_MULTIPLE = re.compile(r"(?:(?P<factor>[^*\s]+)\s*\*\s*)?balanced")


def balanced_factor(text):
    """The number that "balanced" is multiplied by in a text such as "0.5*balanced"."""
    match = _MULTIPLE.fullmatch(text.strip())
    try:
        factor = float(match["factor"] or 1)
        if not 0 < factor < np.inf:
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(
            f"majority_weight must be a number, 'balanced' or a multiple such as '0.5*balanced', "
            f"got {text!r}."
        ) from None
    return factor


class BaseBoxClassifier(PositiveClassMixin, ClassifierMixin, BaseEstimator):
    """Two classes, of which ``boxes_`` describes the one called ``pos_label_``.

    A subclass has the parameter `pos_label`, sets `boxes_` and `_unit`, that of each feature, and
    calls `_count` with its training examples.
    """

    def _examples(self, X, y, sample_weight):
        """Checked rows, which are positive, and their weights; without the rows of weight zero."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        positive = self._find_positive(y, weight)
        used = weight > 0
        return (X, positive, weight) if used.all() else (X[used], positive[used], weight[used])

    def decision_function(self, X):
        """Depth in the deepest box, in units of the scaled features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,)
            Positive where ``classes_[1]`` is predicted; never zero. For an example in a box its
            size is the distance from the nearest face, at most 2.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        score = self._score(X)
        return score if self.pos_label_ == self.classes_[1] else -score

    def _score(self, X):
        """How certainly checked rows are positive: above zero for those that are predicted so."""
        return self.boxes_.margin(X, self._unit)

    def predict(self, X):
        """Predict the positive class for the examples in at least one box.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        score = self.decision_function(X)
        return self.classes_[(score > 0).astype(int)]

    def predict_proba(self, X):
        """Share of positives among the training examples in the same box, smoothed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probability : ndarray of shape (n_samples, 2)
            In the order of `classes_`. Of several boxes that cover an example the one with the
            largest share counts, and an example in no box gets the share among the training
            examples in no box. A share is (positives + 2 b) / (examples + 2), counted by
            `sample_weight`, with b the share of positives among all training examples. These are
            shares in the training data, so they are too far from b for new data. They are a few
            steps: rank and tune thresholds by `decision_function`. Boxes are drawn for the weight
            of the majority: `predict` does not compare a probability with 1/2.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        share = self._share(X)
        both = np.column_stack([1 - share, share])
        return both if self.pos_label_ == self.classes_[1] else both[:, ::-1]

    def _count(self, X, positive, weight):
        """Set the smoothed shares of positives in each box, and last in none."""
        covered = self.boxes_.covers_each(X)
        covered = np.vstack([covered, ~covered.any(axis=0)])
        total, hits = covered @ weight, covered[:, positive] @ weight[positive]
        prior = _PRIOR_WEIGHT * weight[positive].sum() / weight.sum()
        self._shares = (hits + prior) / (total + _PRIOR_WEIGHT)

    def _share(self, X):
        """The probabilities of the positive class for checked rows."""
        covered = self.boxes_.covers_each(X)
        share = np.where(covered, self._shares[:-1, None], 0).max(axis=0, initial=0)
        return np.where(covered.any(axis=0), share, self._shares[-1])

    def _retell(self, X, y):
        """Have the text hold for other rows."""
        self.boxes_ = self.boxes_.shorten(X)

    def to_text(self, digits=None, write=None):
        """The model as sentences over the names of the features.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by `BoxSet.parse`, predicts
            every training example as the model does. A number of significant digits is for
            reading only.
        write : callable, default=None
            See `BoxSet.to_text`.

        Returns
        -------
        text : str
        """
        check_is_fitted(self)
        return self.boxes_.to_text(digits, plain_scalar(self.pos_label_), write)

    def rules_frame(self, X, y):
        """The boxes as a table with their support, precision, recall and lift.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        frame : pandas.DataFrame
            See `BoxSet.frame`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.boxes_.frame(X, np.asarray(y) == self.pos_label_)

    def plot(self, X, y, features=(0, 1), ax=None):
        """Draw examples and boxes over two features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        features : pair of int or str, default=(0, 1)
        ax : matplotlib.axes.Axes, default=None

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return plot_boxes(self.boxes_, X, np.asarray(y) == self.pos_label_, features, ax)

    def _weight_of_majority(self, positive, weight, largest=np.inf):
        """`majority_weight` as a number."""
        if not isinstance(self.majority_weight, str):
            return self.majority_weight
        factor = balanced_factor(self.majority_weight)
        return min(factor * weight[positive].sum() / weight[~positive].sum(), largest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
