"""What all classifiers have in common whose model is a union of boxes."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import type_of_target

from minority._sklearn import check_is_fitted, validate_data
from minority.boxes._plot import plot_boxes


class BaseBoxClassifier(ClassifierMixin, BaseEstimator):
    """Two classes, of which ``boxes_`` describes the one called ``pos_label_``.

    A subclass has the parameter `pos_label` and sets `boxes_` and `_unit`, that of each feature.
    """

    def _find_positive(self, y, weight=None):
        """Set `classes_` and `pos_label_`; return which examples are positive."""
        target = type_of_target(y, input_name="y", raise_unknown=True)
        if target != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {target}."
            )
        self.classes_, codes = np.unique(y, return_inverse=True)
        totals = np.bincount(codes, weight)
        labels = self.classes_.tolist()
        if len(labels) < 2 or (totals == 0).any():
            raise ValueError(
                "This classifier needs two classes with weights above zero, but the data have only "
                f"one class or less: {self.classes_[totals > 0].tolist()}."
            )
        if self.pos_label is not None and self.pos_label not in labels:
            raise ValueError(f"pos_label={self.pos_label!r} is not among the classes {labels}.")
        rarer = 0 if totals[0] < totals[1] else 1
        code = rarer if self.pos_label is None else labels.index(self.pos_label)
        self.pos_label_ = self.classes_[code]
        return codes == code

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

    def to_text(self, digits=4):
        """The model as sentences over the names of the features.

        Parameters
        ----------
        digits : int, default=4
            Significant digits.

        Returns
        -------
        text : str
        """
        check_is_fitted(self)
        return self.boxes_.to_text(digits, positive=str(self.pos_label_))

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
