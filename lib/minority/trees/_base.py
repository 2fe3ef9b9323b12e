"""What the tree classifiers share: input, prediction, size, text."""

from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from minority._columns import encode, find_categories, nominal_columns
from minority._positive import rarer
from minority._readable import RulesMixin
from minority._sklearn import (
    _check_sample_weight,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)
from minority.trees._grower import sorted_orders, spread_rows, threshold_neighbours
from minority.trees._text import (
    Path,
    Words,
    leaf_paths,
    recount,
    rule_set,
    tree_text,
    walk,
)


class BaseTreeClassifier(RulesMixin, ClassifierMixin, BaseEstimator):
    """A tree over numeric and nominal columns with missing values."""

    @abstractmethod
    def fit(self, X, y, sample_weight=None):
        """Grow the tree."""

    def _validate_fit(self, X, y, sample_weight):
        """Columns of the rows with weight, their class numbers and their weights."""
        nominal = nominal_columns(X, self.categorical_features)
        known = [] if nominal is None else find_categories(X, nominal)
        self.categories_ = {j: index for j, index in enumerate(known) if index is not None}
        X, y = self._validate_rows(X, y, reset=True)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        X, y, weight = self._with_weight(X, y, weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._rarer_code = rarer(np.bincount(codes, weight))
        X, codes, weight = self._with_weight(X, codes, self._reweight(y, codes, weight))
        # Copies: compiled code for arrays that are read-only would be compiled once more.
        return np.array(X.T, order="C"), codes.astype(np.int32), weight.copy(), self._sizes()

    def _sizes(self):
        """Number of categories of each column, 0 for numeric ones."""
        n_categories = np.zeros(self.n_features_in_, dtype=np.int64)
        for j, index in self.categories_.items():
            n_categories[j] = max(1, len(index))
        return n_categories

    def _validate_rows(self, X, y="no_validation", *, reset):
        """`X`, and `y` if given, as arrays of floats."""
        if self.categories_:
            n_features = np.shape(X)[1] if reset else self.n_features_in_
            X = encode(X, [self.categories_.get(j) for j in range(n_features)])
        return validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset
        )

    @staticmethod
    def _with_weight(X, y, weight):
        """The rows that count."""
        kept = weight > 0
        if not kept.any():
            raise ValueError("All weights are zero.")
        return (X, y, weight) if kept.all() else (X[kept], y[kept], weight[kept])

    def _reweight(self, y, codes, weight):
        """The weights with those of the classes."""
        return weight

    def _validate_predict(self, X):
        check_is_fitted(self)
        X = self._validate_rows(X, reset=False)
        return np.require(X, requirements=["C", "W"])  # for the same reason

    def _leaf_values(self):
        """Probabilities of the classes in each node; an empty leaf has those of its parent."""
        tree, counts = self.tree_, self.tree_.counts.copy()
        # Children are numbered in the order of their parents.
        inner = np.flatnonzero(tree.feature >= 0)
        parent = np.r_[0, np.repeat(inner, tree.n_children[inner])]
        empty = counts.sum(axis=1) == 0
        counts[empty] = counts[parent[empty]]
        if self.laplace:
            counts += 1
        return counts / counts.sum(axis=1, keepdims=True)

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            The shares of the classes in the leaf of each row, Laplace-smoothed if `laplace`. A row
            that misses a value, or has a category never seen, takes every branch of that split
            in proportion to its training cases.
        """
        X = self._validate_predict(X)
        proba = np.zeros((len(X), len(self.classes_)))
        spread_rows(self.tree_, self._leaf_values(), X, proba)
        return proba

    def predict(self, X):
        """Predict the most probable class; the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._labels_of(self.predict_proba(X))

    def _labels_of(self, proba):
        return self.classes_[self._most_probable(proba)]

    @staticmethod
    def _most_probable(proba):
        """The class numbers of rows, leaves or rules."""
        return proba.round(12).argmax(axis=1)  # shares that differ in their last bits are equal

    def get_n_leaves(self):
        """Number of leaves, with those that no training row reaches."""
        check_is_fitted(self)
        return int((self.tree_.feature < 0).sum())

    def get_depth(self):
        """Number of splits on the longest path."""
        check_is_fitted(self)
        depth = np.zeros(len(self.tree_.feature), dtype=int)
        for node in np.flatnonzero(self.tree_.feature >= 0):  # parents come first
            first, k = self.tree_.first_child[node], self.tree_.n_children[node]
            depth[first : first + k] = depth[node] + 1
        return int(depth.max())

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _words(self):
        splits = zip(self.tree_.feature.tolist(), self.tree_.threshold.tolist(), strict=True)
        neighbours = dict(zip(splits, map(tuple, self._near.tolist()), strict=True))
        return Words(self._names(), self.categories_, self.classes_, neighbours)

    def _tell(self, columns, orders, n_categories):
        """Have the text hold for the coded rows that the tree was grown on."""
        self._near = threshold_neighbours(self.tree_, columns, orders, n_categories)
        self._shown_counts = self.tree_.counts

    def _retell(self, X, y):
        """Have the text hold for other rows, and count them."""
        coded = self._validate_rows(X, reset=False)
        columns, n_categories = np.array(coded.T, order="C"), self._sizes()
        orders = sorted_orders(columns, n_categories)
        self._near = threshold_neighbours(self.tree_, columns, orders, n_categories)
        known = np.isin(y, self.classes_)
        codes = np.searchsorted(self.classes_, np.asarray(y)[known])
        self._shown_counts = recount(self.tree_, coded[known], codes)

    def to_rules(self):
        """The paths to the leaves as rules over the names of the features.

        Returns
        -------
        rules : RuleSet
            Exactly one rule covers a row without missing values; the default, the most frequent
            class, is for the others.
        """
        check_is_fitted(self)
        labels = self._most_probable(self._leaf_values())
        paths = leaf_paths(self.tree_, self._shown_counts, labels)
        default = Path((), labels[0], self._shown_counts[0])
        paths = [path for path in paths if path.conditions]
        return rule_set(paths, default, self._words(), exclusive=True)

    def _decisions(self):
        """The rules, and the probabilities of what each of them decides."""
        nodes = [
            node for node, path, _ in walk(self.tree_) if path and self.tree_.feature[node] < 0
        ]
        return self.to_rules(), self._leaf_values()[[*nodes, 0]]

    def _class_totals(self):
        return dict(zip(self.classes_.tolist(), self._shown_counts[0].tolist(), strict=True))

    def to_text(self, digits=None, write=None):
        """The model as text over the names of the features.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by `parse_tree`, predicts
            every training example without missing values as the model does. A number of
            significant digits is for reading only.
        write : callable, default=None
            See `Rule.to_text`.

        Returns
        -------
        text : str
            One line per branch. A leaf is followed by the weight of its training cases and, behind
            a slash, the weight of those of other classes.
        """
        check_is_fitted(self)
        labels = self._most_probable(self._leaf_values())
        return tree_text(self.tree_, self._shown_counts, labels, self._words(), digits, write)

    def rules_frame(self, X, y):
        """The rules as a table with their support, precision, recall and lift.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        frame : pandas.DataFrame
            See `RuleSet.frame`. A missing value meets no condition.
        """
        self._validate_predict(X)
        return super().rules_frame(X, y)

    def to_query(self, label=None):
        """An expression for `pandas.DataFrame.query` that selects the rows predicted as a class.

        Parameters
        ----------
        label : object, default=None
            The class. None: the rarer one of two in training (of equals ``classes_[1]``).

        Returns
        -------
        query : str
            It takes a row that misses the value of a split for one of the most frequent class,
            as `to_rules` does. The tree spreads such a row over the branches.
        """
        return super().to_query(label)

    def to_sql(self):
        """The predicted class as an expression of SQL, see `RuleSet.to_sql`.

        Returns
        -------
        sql : str
            A CASE expression. It takes a row that misses the value of a split for one of the most
            frequent class, as `to_rules` does. The tree spreads such a row over the branches.
        """
        return super().to_sql()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
