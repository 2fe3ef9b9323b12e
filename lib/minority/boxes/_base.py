"""What all classifiers have in common whose model is a union of boxes."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from minority._columns import as_pandas, encode, find_categories, nominal_columns
from minority._condition import plain_scalar
from minority._positive import PositiveClassMixin
from minority._sklearn import _check_sample_weight, check_is_fitted, validate_data
from minority.boxes._boxset import BoxSet
from minority.boxes._coding import make_coding
from minority.boxes._plot import plot_boxes


class BaseBoxClassifier(PositiveClassMixin, ClassifierMixin, BaseEstimator):
    """Two classes, of which ``boxes_`` describes the one called ``pos_label_``.

    A subclass has the parameters `pos_label` and `categorical_features`, learns on rows from
    `_code` and sets `boxes_`, by `_box_set`, and `_unit`, that of each column of these rows.
    """

    _categories = None  # of nominal features
    _coding = None  # of features as columns, if they are not columns of numbers without gaps

    def _examples(self, X, y, sample_weight):
        """Coded rows, which are positive, and their weights; without the rows of weight zero."""
        X, y = self._validate_examples(X, y)
        weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        positive = self._find_positive(y, weight)
        used = weight > 0
        if not used.all():
            X, positive, weight = X[used], positive[used], weight[used]
        self._coding = make_coding(X, self._categories)
        return self._code(X), positive, weight

    def _validate_examples(self, X, y):
        """Rows as floats, categories by their positions, and labels."""
        nominal = nominal_columns(X, self.categorical_features)
        self._categories = None if nominal is None else find_categories(X, nominal)
        return self._validate_floats(X, y)

    def _validate_floats(self, X, *y, reset=True):
        X = X if self._categories is None else encode(X, self._categories)
        return validate_data(
            self, X, *y, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset
        )

    def _code(self, X):
        """Rows from `_validate_floats` as rows that boxes are learned on."""
        return X if self._coding is None else self._coding.encode(X)

    def _decode(self, X):
        """Rows from `_code` as rows that `boxes_` take."""
        return X if self._coding is None else self._coding.decode(X)

    def _box_set(self, lower, upper, X):
        """Boxes learned on coded rows `X`, over the features, with a text that holds for them."""
        names = getattr(self, "feature_names_in_", None)
        if self._coding is None:
            boxes = BoxSet(lower, upper, names)
        else:
            boxes = self._coding.decode_boxes(lower, upper, names)
        return boxes.shorten(self._decode(X))

    def _table(self, X):
        """Checked rows as `boxes_` take them: numbers as floats, categories as they are."""
        check_is_fitted(self)
        numbers = self._validate_floats(X, reset=False)
        if self._categories is None:
            return numbers
        X = as_pandas(X)
        X = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X, dtype=object))
        pairs = enumerate(self._categories)
        return pd.DataFrame(
            {j: numbers[:, j] if known is None else X.iloc[:, j].array for j, known in pairs}
        )

    def decision_function(self, X):
        """Depth in the deepest box, in units of the scaled features.

        A category or a missing value that a condition of a box asks for, or keeps out, is 1 from
        its face: half the range of a scaled feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,)
            Positive where ``classes_[1]`` is predicted; never zero. For an example in a box its
            size is the distance from the nearest face, at most 2.
        """
        X = self._table(X)
        unit = self._unit if self._coding is None else self._coding.of_features(self._unit)
        margin = self.boxes_.margin(X, unit)
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
        X = self._table(X)
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
        X = self._table(X)
        return plot_boxes(self.boxes_, X, np.asarray(y) == self.pos_label_, features, ax)

    def _weight_of_majority(self, positive, weight, largest=np.inf):
        """`majority_weight` as a number."""
        if self.majority_weight != "balanced":
            return self.majority_weight
        return min(weight[positive].sum() / weight[~positive].sum(), largest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags
