"""Examples in batches: in memory there is one batch, a table of any size has many.

Learners whose fit needs the positive examples and sums over the others are written as passes over
batches. What a pass makes of a batch is merged with what it makes of the next, and no merging
depends on where batches begin: so the model is the same however the rows are cut.
"""

import sys
from functools import cached_property, partial, wraps
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority._sklearn import check_is_fitted


class Batch(NamedTuple):
    """Some examples.

    Parameters
    ----------
    X : float ndarray of shape (n_rows, n_features)
        Categories by their positions; NaN is missing.
    positive : bool ndarray of shape (n_rows,)
    weight : ndarray of shape (n_rows,), None
        None where a learner takes no weights.
    codes : uint8 ndarray of shape (n_attributes, n_rows), None
        Of the intervals that the values are in.
    """

    X: np.ndarray
    positive: np.ndarray
    weight: np.ndarray | None = None
    codes: np.ndarray | None = None

    def only(self, rows):
        """The batch of the rows that a mask chooses."""
        weight = None if self.weight is None else self.weight[rows]
        codes = None if self.codes is None else self.codes[:, rows]
        return Batch(self.X[rows], self.positive[rows], weight, codes)


class Rows:
    """Examples in memory.

    Parameters
    ----------
    batch : Batch
        All of them.
    """

    def __init__(self, batch):
        self._batch = batch

    @property
    def n_rows(self):
        return len(self._batch.X)

    @cached_property
    def minority(self):
        """The batch of the positive examples."""
        return self._batch.only(self._batch.positive)

    @property
    def extremes(self):
        """Rows with the same ranges, categories and gaps in each column as all rows have."""
        return self._batch.X

    @property
    def by_class(self):
        """Which examples are positive, and weights that have the same sum in each class."""
        return self._batch.positive, self._batch.weight

    def map(self, function):
        """The rows of which each batch is what a function makes of the batch here."""
        return Rows(function(self._batch))

    def total(self, function, *merges, told):
        """One pass: what a function makes of each batch, merged.

        Parameters
        ----------
        function : callable
            From a batch to a tuple. It may travel to another process, so it is a function of a
            module, with what else it needs bound by `functools.partial`.
        merges : callable
            For each item of the tuple what makes one of two of them, in the order of the rows. It
            changes neither.
        told : str
            What the pass does, for the progress bar of long ones.

        Returns
        -------
        totals : tuple
        """
        return function(self._batch)


def table_of(X):
    """The table in batches that X is, None if it is in memory."""
    datasets, frames = sys.modules.get("pyarrow.dataset"), sys.modules.get("dask.dataframe")
    if datasets is not None and isinstance(X, datasets.Dataset):
        from minority._batches.tables import ArrowTable

        return ArrowTable(X)
    if frames is not None and isinstance(X, frames.DataFrame):
        from minority._batches.tables import DaskTable

        return DaskTable(X)
    return None


def takes_tables(method):
    """Let a method that gives an array for rows take a table in batches too.

    It gives an iterator of arrays then, one for each batch, or an array of Dask.
    """

    @wraps(method)
    def in_batches(self, X):
        table = table_of(X)
        if table is None:
            return method(self, X)
        check_is_fitted(self)
        return table.each(features_of(self, table), partial(_call, self, method.__name__))

    return in_batches


def _call(model, method, frame):
    return getattr(model, method)(frame)


def features_of(estimator, table):
    """The columns of a table that a fitted estimator wants, by name if it knows names."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        table.check_columns(names.tolist())
        return names.tolist()
    if len(table.names) != estimator.n_features_in_:
        raise ValueError(
            f"The table has {len(table.names)} columns, but the model, which knows no names, was "
            f"fitted on {estimator.n_features_in_}."
        )
    return table.names


class InspectionMixin:
    """For models that say of each row how suspicious it is, and why.

    A subclass has `_scored`, from rows to their scores and the numbers of the rules that gave them,
    -1 for none, and `_reason_text`, from such a number to the text of the rule.
    """

    def inspect(self, X, budget=0.02):
        """The examples to look at first, and why.

        Parameters
        ----------
        X : DataFrame, array-like of shape (n_samples, n_features) or table
            A table is a dataset of pyarrow or a data frame of Dask, and is read in batches.
        budget : float, default=0.02
            Largest share of the examples that can be looked at.

        Returns
        -------
        frame : pandas.DataFrame
            One row per example, by descending score: `score` (that of `predict_proba`), `rule`
            (the number of the rule that gave it) and `conditions` (its text). Indexed as X, or by
            the positions of its rows if it has no index. Examples that no rule covers are left
            out; of equal scores the earlier examples come first, also where the budget cuts.
        """
        if not 0 < budget <= 1:
            raise ValueError(f"budget must be a share of the examples above 0, got {budget!r}.")
        table = table_of(X)
        if table is None:
            index = X.index if isinstance(X, pd.DataFrame) else None
            score, number = self._scored(X)
            index = pd.RangeIndex(len(score)) if index is None else index
            found = _first_rows(score, number, index, rows_in(budget, len(score)))
        else:
            check_is_fitted(self)
            n_rows = rows_in(budget, table.count_rows())
            (found,) = table.total(
                partial(_first_of, model=self, n_rows=n_rows),
                (partial(_merge_first, n_rows=n_rows),),
                features_of(self, table),
                told="looking for hits",
            )
        texts = {k: self._reason_text(k) for k in np.unique(found["number"]).tolist()}
        return pd.DataFrame(
            {
                "score": found["score"],
                "rule": found["number"] + 1,
                "conditions": [texts[k] for k in found["number"].tolist()],
            }
        )


def rows_in(budget, n_rows):
    """How many rows a share of them is; 0.29 * 100 is a little below 29."""
    return int(round(budget * n_rows, 9))


def _first_rows(score, number, index, n_rows):
    rows = np.argsort(-score, kind="stable")[:n_rows]
    rows = rows[number[rows] >= 0]
    return pd.DataFrame({"score": score[rows], "number": number[rows]}, index=index[rows])


def _first_of(frame, target, *, model, n_rows):
    return (_first_rows(*model._scored(frame), frame.index, n_rows),)


def _merge_first(one, other, *, n_rows):
    both = pd.concat([one, other])
    return both.iloc[np.argsort(-both["score"].to_numpy(), kind="stable")[:n_rows]]
