"""What all classifiers have in common whose model is a union of boxes."""

import re

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from minority._batches.rows import takes_tables
from minority._columns import as_pandas, encode, find_categories, nominal_columns
from minority._condition import plain_scalar
from minority._positive import PositiveClassMixin
from minority._readable import RulesMixin
from minority._sklearn import _check_sample_weight, check_is_fitted, validate_data
from minority.boxes._boxset import BoxSet
from minority.boxes._coding import make_coding
from minority.boxes._plot import plot_boxes
from minority.rules import Rule, RuleSet

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


def count_covered(boxes, X, positive, weight):
    """Weight of the rows and of the positive ones: in each box, in none, and everywhere.

    Returns
    -------
    counts : ndarray of shape (n_boxes + 2, 2)
    """
    covered = boxes.covers_each(X)
    covered = np.vstack([covered, ~covered.any(axis=0)])
    # Not by BLAS, which copies `covered` as floats and sums by the number of its threads.
    inside = [[weight[rows].sum(), weight[rows & positive].sum()] for rows in covered]
    return np.array([*inside, [weight.sum(), weight[positive].sum()]])


class BaseBoxClassifier(RulesMixin, PositiveClassMixin, ClassifierMixin, BaseEstimator):
    """Two classes, of which ``boxes_`` describes the one called ``pos_label_``.

    A subclass has the parameters `pos_label` and `categorical_features`, learns on rows from
    `_code`, sets `boxes_`, by `_box_set`, and `_unit`, that of each column of these rows, and calls
    `_count` with its training examples.
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
        return self._decode_boxes(lower, upper).shorten(self._decode(X))

    def _decode_boxes(self, lower, upper):
        """Boxes on coded rows as boxes over the features."""
        names = getattr(self, "feature_names_in_", None)
        if self._coding is None:
            return BoxSet(lower, upper, names)
        return self._coding.decode_boxes(lower, upper, names)

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

    @takes_tables
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
        score = self._score(self._table(X))
        return score if self.pos_label_ == self.classes_[1] else -score

    def _score(self, X):
        """How certainly checked rows are positive: above zero for those that are predicted so."""
        return self.boxes_.margin(X, self._units())

    def _units(self):
        """The unit of each feature."""
        return self._unit if self._coding is None else self._coding.of_features(self._unit)

    @takes_tables
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

    @takes_tables
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
        share = self._share(self._table(X))
        both = np.column_stack([1 - share, share])
        return both if self.pos_label_ == self.classes_[1] else both[:, ::-1]

    def _count(self, X, positive, weight):
        """Set the smoothed shares of positives in each box, and last in none, from coded rows."""
        self._set_shares(count_covered(self.boxes_, self._decode(X), positive, weight))

    def _set_shares(self, counts):
        """Set the shares from what `count_covered` gives."""
        *inside, everywhere = counts
        total, hits = np.array(inside).T
        prior = _PRIOR_WEIGHT * everywhere[1] / everywhere[0]
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
        self._table(X)  # checks it
        return super().rules_frame(as_pandas(X), y)

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
        if not isinstance(self.majority_weight, str):
            return self.majority_weight
        factor = balanced_factor(self.majority_weight)
        return min(factor * weight[positive].sum() / weight[~positive].sum(), largest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags
