"""Fast Boxes as a classifier."""

from functools import partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from minority._batches.rows import Batch, InspectionMixin, Rows, table_of
from minority._sklearn import Interval, StrOptions, _fit_context, check_is_fitted
from minority.boxes._base import BaseBoxClassifier, count_covered
from minority.boxes._coding import make_coding
from minority.boxes._fast_path import characterise_rows, path_of


class FastBoxesClassifier(InspectionMixin, BaseBoxClassifier):
    r"""Describe the minority class by boxes around its clusters.

    The positive examples are clustered, the smallest box around each cluster is drawn, and each
    face of a box is moved to where it separates the cluster best from everything else. An example
    in at least one box is predicted positive. The model is a handful of readable conditions, and
    training takes one pass over the majority class.

    Use it when the rare class lies in a few compact groups and you want each described by an
    interval per feature. A fit is a single pass over the majority class, so many settings can be
    compared: choose `n_clusters` and `expansion` by cross-validation, and try several weights.
    Data: up to millions of rows, from about ten positives.

    Not for the highest accuracy: a balanced random forest, or logistic regression with balanced
    class weights, has a higher G-mean on most data. Boxes become too wide or too tight where the
    positives form no groups, where the boundary runs across several features, and with many
    irrelevant features. With few positives, `ExactBoxesClassifier` finds the best boxes; for
    several conditions on different features see `RIPPERClassifier`. Compare with a decision tree of
    depth 3 with balanced class weights.

    Parameters
    ----------
    n_clusters : int, default=1
        Number of clusters and thus of boxes (the paper's :math:`K`).

    expansion : float, default=1.0
        Strength of the force that pushes the faces outwards (:math:`\beta` in eq. 24).

    majority_weight : float or str, default="balanced"
        Weight of the examples outside of a cluster against those in it (:math:`c` in eq. 24).
        "balanced" gives both classes the same total: positives divided by negatives, each counted
        by `sample_weight`; "0.5*balanced" is half of that. The paper uses 0.1 to 1.

    scaling : {"minmax", "maxabs"}, default="minmax"
        How features are brought to [-1, 1] inside: by their training range, or divided by their
        largest absolute value.

    expand : bool or "largest", default=True
        Whether to apply the final adjustment (eqs 31-32): a box never shrinks, and grows up
        to the nearest example beyond each face, wherever that lies in the other features, less 1 %
        of the gap. Without it a box may end up empty. "largest" passes by examples that other faces
        keep out: a box never shrinks, and then, the face with the most room first, each face moves
        half way to the nearest example beyond it that lies inside of the box in all other
        features. Faces without such an example vanish.

    nearest : {"negative", "any"}, default="negative"
        Which examples stop that growth: negative ones, or all outside of the cluster. With
        "largest", those that a box covers before it grows stop none.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    pos_label : object, default=None
        The class to describe. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    n_init : int, default=10
        Number of starts of k-means.

    random_state : int, RandomState instance or None, default=None
        Randomness of k-means. Irrelevant with one cluster.

    n_jobs : int or None, default=None
        Number of threads of the passes over the data. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The class that the boxes describe.

    boxes_ : BoxSet
        The model, in the units of the data.

    start_boxes_ : BoxSet
        The smallest boxes around the clusters, before the faces move.

    labels_ : ndarray of shape (n_positives,)
        Cluster of each positive training example with a weight above zero. Clusters that are left
        empty, because examples are repeated, are dropped.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    fast_boxes_path : Models for several weights at the price of one.
    select_fast_boxes : Choose `n_clusters` and `expansion` by cross-validation.

    Notes
    -----
    Let :math:`l_j, u_j` be the faces of the start box of cluster :math:`k`, with features scaled to
    [-1, 1]. The revised lower face minimises (eq. 24)

    .. math::
        \sum_{x \in S_+} e^{-(x_j - l)} + c \sum_{x \in S_-} e^{x_j - l - d_j(x)} + \beta l

    over the members :math:`S_+` of the cluster and all other examples :math:`S_-` that lie beyond
    the face or in that half of the start box; :math:`d_j(x)` is the distance of the example from
    the box in the other features, which discounts examples that lie diagonally. The solution is
    (Proposition 1, eq. 27)

    .. math::
        l = l_j - 1 + \ln \frac{-\beta + \sqrt{\beta^2 + 4 c R_+ R_-}}{2 R_+},
        \quad R_+ = \sum_{S_+} e^{l_j - x_j - 1},
        \quad R_- = \sum_{S_-} e^{x_j - l_j + 1 - d_j(x)},

    and upper faces are mirrored (Proposition 2). All sums of a box take one pass, so fitting costs
    :math:`O(n d K)` beside the clustering of the positives.

    A face vanishes from the model if it ends up at or beyond the extreme training value of its
    feature, where it excludes nothing. So do the faces of constant features. With `expand`, a face
    also vanishes if no example that could stop it lies beyond.

    Categories and missing values need no preparation. A condition on a nominal feature reads
    ``country in {DE, FR}`` or ``country not in {IT}``, whichever list is shorter (of equals the
    first), so a category that training did not have counts as most of the others do. A missing
    value of a feature that has some in training is inside of a box or outside: ``x >= 3 (or
    missing)``, ``x >= 3``, ``x is missing``. One that has none in training fulfils no condition.
    Text, query and SQL of `boxes_` say the same.

    Inside, a nominal feature is a column of 0 and 1 for each category and for missing values (of
    two a single one), scaled like any other: examples of different categories are as
    far apart as the ends of a numeric feature, in two columns. A numeric feature with missing
    values is two columns, in which these have the largest and the smallest value, and one of 0
    and 1 for them, so it counts twice in distances. Each category is a column: group rare ones
    if there are hundreds.

    A table in batches is read in four passes: the target, then the positive examples with the
    ranges of all columns, the sums, and what lies in the boxes. Only positive examples are kept,
    and the model is the one that all rows in memory have, however they are cut into files,
    batches or partitions, and on any number of workers. Several clusters, or ``expand="largest"``,
    which needs all rows in memory, aside, it does not depend on the order of the rows either.
    Methods that take rows take tables too, and give an iterator of arrays, one for each batch, or
    an array of Dask.

    References
    ----------
    .. [1] S. T. Goh and C. Rudin, "Box drawings for learning with imbalanced data", Proceedings of
       the 20th ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import FastBoxesClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> X = X[["alcohol", "color_intensity", "flavanoids", "hue"]]
    >>> y = y.eq(2).map({True: "Barbera", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = FastBoxesClassifier().fit(X, y)
    >>> print(model.to_text())
    Barbera if color_intensity >= 2.2 and flavanoids <= 1.58 and hue <= 0.96
    Not used: alcohol

    >>> held_out = model.rules_frame(X_test, y_test).drop(columns="conditions")
    >>> print(held_out.round(2).to_string(index=False))
    prediction  support  precision  recall  lift  decided
       Barbera       12        1.0     1.0  3.75       12
         other       33        1.0     1.0  1.36       33
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "expansion": [Interval(Real, 0, None, closed="left")],
        "majority_weight": [Interval(Real, 0, None, closed="neither"), str],
        "scaling": [StrOptions({"minmax", "maxabs"})],
        "expand": ["boolean", StrOptions({"largest"})],
        "nearest": [StrOptions({"negative", "any"})],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "pos_label": "no_validation",
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        n_clusters=1,
        expansion=1.0,
        majority_weight="balanced",
        scaling="minmax",
        expand=True,
        nearest="negative",
        categorical_features="from_dtype",
        pos_label=None,
        n_init=10,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.expansion = expansion
        self.majority_weight = majority_weight
        self.scaling = scaling
        self.expand = expand
        self.nearest = nearest
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Draw the boxes.

        Parameters
        ----------
        X : DataFrame, array-like of shape (n_samples, n_features) or table
            Training examples. NaN is missing. A table is a dataset of pyarrow or a data frame of
            Dask, see the notes.
        y : array-like of shape (n_samples,), or str for a table
            Their classes, of which there must be two; of a table the column that has them. All its
            other columns are features.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, 1 by default. With one cluster, weight 2 is the same as repeating an
            example (the start of k-means depends on the number of rows), and weight 0 is always
            the same as leaving it out. Not for tables.

        Returns
        -------
        self : FastBoxesClassifier
            The fitted classifier.
        """
        rows = self._rows(X, y, sample_weight)
        data = characterise_rows(
            rows,
            n_clusters=self.n_clusters,
            scaling=self.scaling,
            expand=self.expand,
            nearest=self.nearest,
            n_init=self.n_init,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        majority_weight = self._weight_of_majority(*rows.by_class)
        (boxes,) = path_of(data, [majority_weight], self.expansion, None)
        self.labels_ = data.labels
        self._unit = data.unit
        self._tell(rows, (boxes.lower, boxes.upper), (data.lower, data.upper))
        return self

    def _rows(self, X, y, sample_weight):
        """The examples, coded, in memory or in batches."""
        table = table_of(X)
        if table is None:
            X, positive, weight = self._examples(X, y, sample_weight)
            # Writeable: compiled code for arrays that are read-only would be compiled once more.
            return Rows(Batch(X, positive, np.require(weight, requirements="W")))
        from minority._batches.examples import read_rows

        if sample_weight is not None or self.expand == "largest":
            what = "expand='largest'" if sample_weight is None else "sample_weight"
            raise ValueError(f"{what} needs all rows in memory, but X is a table in batches.")
        rows, self._categories = read_rows(
            self,
            table,
            y,
            categorical_features=self.categorical_features,
            keep_float32=False,
        )
        self._coding = make_coding(rows.extremes, self._categories)
        return rows if self._coding is None else rows.map(partial(_coded, self._coding))

    def _tell(self, rows, faces, start_faces):
        """Set the boxes, with texts that hold for coded rows, and what is counted in them."""
        boxes, start_boxes = self._decode_boxes(*faces), self._decode_boxes(*start_faces)
        look = partial(_look_at_boxes, coding=self._coding, boxes=boxes, start_boxes=start_boxes)
        merges = (np.maximum, np.minimum) * 2 + (np.add,)
        *near, counts = rows.total(look, *merges, told="counting rows in boxes")
        self.boxes_ = boxes.with_neighbours(*near[:2])
        self.start_boxes_ = start_boxes.with_neighbours(*near[2:])
        self._set_shares(counts)

    def _scored(self, X):
        """The share of positives in the best box of each row, and its number; -1 if none."""
        check_is_fitted(self)
        covered = self.boxes_.covers_each(self._table(X))
        share = np.where(covered, self._shares[:-1, None], 0)
        best = np.where(covered.any(axis=0), share.argmax(axis=0), -1)
        return np.append(self._shares[:-1], 0.0)[best], best

    def _scoring_rules(self):
        """The rules that score, best first: a rule, its score, and its number in `inspect`."""
        rules, shares = self.to_rules().rules, self._shares[:-1]
        best_first = np.argsort(-shares, kind="stable").tolist()
        return [(rules[k], float(shares[k]), k) for k in best_first]

    def _reason_text(self, number):
        return self.boxes_.frame()["conditions"].iloc[number]


def _coded(coding, batch):
    return batch._replace(X=coding.encode(batch.X))


def _look_at_boxes(batch, *, coding, boxes, start_boxes):
    """The values of a batch next to the faces of two sets of boxes, and counts in the first."""
    X = batch.X if coding is None else coding.decode(batch.X)
    near = [*boxes.nearest_to_faces(X), *start_boxes.nearest_to_faces(X)]
    return (*near, count_covered(boxes, X, batch.positive, batch.weight))
