"""C4.5 on samples of the same rows, whose columns are sorted once for all of them."""

import numpy as np
from sklearn.base import clone

from minority.trees import C45Classifier
from minority.trees._grower import merge_orders, orders_of, sorted_orders, spread_rows
from minority.trees._splits import xlogx_table


def is_sortable(estimator, table):
    """Whether an estimator is C4.5 on plain numbers, without anything that changes the rows.

    Parameters
    ----------
    estimator : classifier
    table : Table
    """
    return (
        type(estimator) is C45Classifier
        and not estimator.ruleset
        and estimator.class_weight is None
        and estimator.costs is None
        and (
            estimator.categorical_features is None or estimator.categorical_features == "from_dtype"
        )
        and table.is_plain
    )


class SortedTrees:
    """Trees of samples of a pool: what `C45Classifier` fits and predicts, without its checks.

    Parameters
    ----------
    estimator : C45Classifier
        One that `is_sortable`.
    pool : Pool
    """

    def __init__(self, estimator, pool):
        self._model, self._pool = clone(estimator), pool
        self._model._validate_params()
        self._n_categories = np.zeros(pool.values.shape[1], np.int64)
        self._columns, self._codes, self._orders = self._sorted(pool.values, pool.codes)
        self._n_classes = int(pool.codes.max()) + 1
        self._table = xlogx_table(len(self._codes))
        self._starts = {}  # of the rounds of SMOTE among the rows

    def _sorted(self, values, codes):
        columns = np.array(values.T, order="C")
        return columns, codes.astype(np.int32), sorted_orders(columns, self._n_categories)

    def _add(self, code, number):
        """Put a round of SMOTE behind the rows that are there."""
        points = self._pool.round(code, number)
        columns, codes, orders = self._sorted(points, np.full(len(points), code))
        start = self._starts[code, number] = len(self._codes)
        self._columns = np.concatenate([self._columns, columns], axis=1)
        self._codes = np.concatenate([self._codes, codes])
        self._table = xlogx_table(len(self._codes))
        self._orders = merge_orders(self._columns, self._orders, orders + np.uint32(start))

    def _chosen(self, undersampling, smote):
        """Which rows are in the sample at these levels."""
        parts = [
            (code, number, n)
            for code, percent in smote.items()
            for number, n in self._pool.rounds(code, percent)
        ]
        for code, number, _ in parts:
            if (code, number) not in self._starts:
                self._add(code, number)
        chosen = np.zeros(len(self._codes), np.uint8)
        chosen[self._pool.kept(undersampling)] = 1
        for code, number, n in parts:
            start = self._starts[code, number]
            chosen[start : start + n] = 1
        return chosen

    def predict_proba(self, undersampling, smote, X):
        """Probabilities by the tree of the sample at these levels.

        Parameters
        ----------
        undersampling, smote : dict of {int: float}
            See `Pool.sample`.
        X : float ndarray of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        chosen, model = self._chosen(undersampling, smote), self._model
        model._grow(
            self._columns,
            orders_of(self._orders, chosen),
            self._codes,
            np.ones(len(chosen)),
            self._n_classes,
            self._n_categories,
            self._table,
        )
        proba = np.zeros((len(X), self._n_classes))
        spread_rows(model.tree_, model._leaf_values(), X, proba)
        return proba
