"""What all classifiers have in common whose model is a union of boxes."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from minority._condition import plain_scalar
from minority._positive import PositiveClassMixin
from minority._readable import RulesMixin
from minority._sklearn import _check_sample_weight, check_is_fitted, validate_data
from minority.boxes._plot import plot_boxes
from minority.rules import Rule, RuleSet


class BaseBoxClassifier(RulesMixin, PositiveClassMixin, ClassifierMixin, BaseEstimator):
    """Two classes, of which ``boxes_`` describes the one called ``pos_label_``.

    A subclass has the parameter `pos_label` and sets `boxes_` and `_unit`, that of each feature.
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
        margin = self.boxes_.margin(X, self._unit)
        return margin if self.pos_label_ == self.classes_[1] else -margin

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

    def to_rules(self):
        """The boxes as rules for the positive class.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        (other,) = self.classes_[self.classes_ != self.pos_label_]
        rules = [Rule(conditions, self.pos_label_) for conditions in self.boxes_.conditions()]
        return RuleSet(rules, other, self.boxes_.feature_names)

    def rules_frame(self, X, y):
        """The boxes as a table with their support, precision, recall and lift.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        frame : pandas.DataFrame
            See `RuleSet.frame`.
        """
        check_is_fitted(self)
        validate_data(self, X, dtype=np.float64, reset=False)
        return super().rules_frame(X, y)

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
        if self.majority_weight != "balanced":
            return self.majority_weight
        return min(weight[positive].sum() / weight[~positive].sum(), largest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
