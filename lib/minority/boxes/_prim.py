"""PRIM, the patient rule induction method, as a classifier."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.model_selection import check_cv

from minority._extras import optional
from minority._sklearn import (
    Interval,
    StrOptions,
    _check_sample_weight,
    _fit_context,
    check_is_fitted,
    class_weights,
)
from minority.boxes._base import BaseBoxClassifier
from minority.boxes._coding import make_coding


class PRIMClassifier(BaseBoxClassifier):
    r"""Find boxes in which one class is frequent, by patient peeling.

    From the box of all examples, one thin strip after another is peeled off, always the one that
    leaves the highest mean (share of positives); then the box is expanded as long as the mean does
    not fall. Of all boxes on this way, cross-validation chooses one. Its examples are set aside and
    the search is repeated. An example in at least one box is predicted positive.

    Use it when you look for groups in which a class is much more frequent than elsewhere, such as
    patients at risk or customers to call, rather than a label for every row. `trajectories_` shows
    how the share of positives rises as the group becomes smaller. Data: hundreds to hundreds of
    thousands of rows, with a few dozen positives per group.

    Not for classes rarer than `min_support`, unless you set that below their frequency. As a
    classifier it is less accurate than trees with class weights, because it misses the positives
    outside of its boxes; and if no box beats `threshold`, there is none at all. To cover the whole
    class use `RIPPERClassifier` or `FastBoxesClassifier`, for very rare positives `RLSDClassifier`.

    Parameters
    ----------
    peel_alpha : float, default=0.05
        Share of the weight in the box that a peel may remove (the paper's :math:`\alpha`). Examples
        of equal value are peeled together, and at least those of one value.

    paste_alpha : float or None, default=0.01
        Share of the weight in the box that a pasting step may add. None: no pasting.

    min_support : float, default=0.05
        Least share of all training weight in a box (the paper's :math:`\beta_0`): no peel goes
        below. Rare classes need less than their frequency.

    criterion : {"mean", "gain"}, default="mean"
        What a peel maximises: the mean of what remains, or the gain in that mean per weight
        removed. The latter is the paper's alternative for features with many equal values,
        where one peel removes much more than another.

    max_boxes : int or None, default=5
        Largest number of boxes. None: until no further box is good enough.

    threshold : float or None, default=None
        A box is good enough if its mean is higher than this, on training data and, with `cv`, on
        held-out data. None: the mean of all training data.

    cv : int, cross-validation generator, iterable or None, default=3
        How the box on a trajectory is chosen: by the mean on held-out data, or, with None, on the
        training data. An int means stratified folds in the order of the data, at most as many as
        the rarer class has examples; with a single example, as None.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    pos_label : object, default=None
        The class to describe. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which act like repeating their examples, see Notes.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The class that the boxes describe.

    boxes_ : BoxSet
        The model, in the units of the data and in the order in which the boxes were found.

    box_means_ : ndarray of shape (n_boxes,)
        Weighted share of positives among the training examples that belong to each box: those
        that it covers and no earlier box does.

    box_supports_ : ndarray of shape (n_boxes,)
        Share of all training weight that belongs to each box.

    threshold_ : float
        The mean that a box has to exceed.

    trajectories_ : list of DataFrame
        The search for each box, and the last one that found none good enough, if any. One row per
        box on the way: `phase` ("peel" or "paste"), `support`, `mean`, `n_conditions` (number of
        boundaries), `cv_mean` (on held-out data, NaN without `cv`), and whether it was `chosen`.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    minority.boxes.FastBoxesClassifier : Boxes around clusters of the positives.

    Notes
    -----
    A peel leaves the box of the highest mean among those without one of the two outermost strips of
    a feature. The new boundary is the outermost value that stays. Of equal means the larger box is
    taken, then the feature that comes first, then its lower face. Peeling ends where any strip
    would leave less than `min_support`; there pasting starts, and stops before the mean would fall.
    A boundary that excludes none of the examples left to the search is infinite.

    With `cv`, a trajectory is also grown in the training part of each fold. A box is judged by the
    pooled mean, on the held-out parts, of the boxes of nearest support, one per fold. The highest
    mean wins, of equals the largest box.

    With the weight :math:`c` on the negative class, a box whose share of positives is :math:`p` has
    the mean :math:`p / (p + c (1 - p))`. This grows with :math:`p`, so no weight changes which of
    two boxes has the higher mean, nor which boxes beat the overall mean. What the weight changes
    is the size of a step and the least size of a box, because shares are shares of weight: the
    smaller :math:`c`, the fewer negatives a box of `min_support` needs. Against a fixed
    threshold :math:`t` it also acts as a cost: a box is good enough if
    :math:`p / (1 - p) > c\, t / (1 - t)`. Means, supports and probabilities are weighted.

    Categories and missing values need no preparation. A condition on a nominal feature reads
    ``country in {DE, FR}`` or ``country not in {IT}``, whichever list is shorter (of equals the
    first), so a category that training did not have counts as most of the others do. A missing
    value of a feature that has some in training is inside of a box or outside: ``x >= 3 (or
    missing)``, ``x >= 3``, ``x is missing``. One that has none in training fulfils no condition.
    Text, query and SQL of `boxes_` say the same.

    Inside, a nominal feature is a column of 0 and 1 for each category and for missing values, so
    a peel leaves out one category or all but one. A numeric feature with missing values is three
    columns: one for them, and two in which they have the largest and the smallest value.

    References
    ----------
    .. [1] J. H. Friedman and N. I. Fisher, "Bump hunting in high-dimensional data", Statistics and
       Computing 9, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import PRIMClassifier
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> X, y = X[["age", "bmi", "bp", "s5"]], (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = PRIMClassifier(min_support=0.1, max_boxes=1).fit(X, y)
    >>> print(model.to_text())
    fast if 43 <= age <= 69 and 29.6 <= bmi <= 38.2 and bp >= 81 and 4.64 <= s5 <= 5.78

    >>> held_out = model.rules_frame(X_test, y_test).drop(columns="conditions")
    >>> print(held_out.round(2).to_string(index=False))
    prediction  support  precision  recall  lift  decided
          fast        6       0.67    0.25  4.62        6
          slow      105       0.89    0.98  1.03      105
    """

    _parameter_constraints: ClassVar[dict] = {
        "peel_alpha": [Interval(Real, 0, 1, closed="left")],
        "paste_alpha": [Interval(Real, 0, 1, closed="left"), None],
        "min_support": [Interval(Real, 0, 1, closed="left")],
        "criterion": [StrOptions({"mean", "gain"})],
        "max_boxes": [Interval(Integral, 1, None, closed="left"), None],
        "threshold": [Interval(Real, 0, 1, closed="left"), None],
        "cv": ["cv_object"],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "pos_label": "no_validation",
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        *,
        peel_alpha=0.05,
        paste_alpha=0.01,
        min_support=0.05,
        criterion="mean",
        max_boxes=5,
        threshold=None,
        cv=3,
        categorical_features="from_dtype",
        pos_label=None,
        class_weight=None,
    ):
        self.peel_alpha = peel_alpha
        self.paste_alpha = paste_alpha
        self.min_support = min_support
        self.criterion = criterion
        self.max_boxes = max_boxes
        self.threshold = threshold
        self.cv = cv
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find the boxes.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Training examples. NaN is missing.
        y : array-like of shape (n_samples,)
            Their classes, of which there must be two.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, 1 by default. Weight 2 is the same as repeating an example, and weight
            0 as leaving it out, if `cv` keeps repeated examples in one fold.

        Returns
        -------
        self : PRIMClassifier
        """
        # Importing numba takes time, and a fitted model does not need it.
        from minority.boxes._prim_kernels import cover

        X, y = self._validate_examples(X, y)
        weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        is_positive = self._find_positive(y, weight)
        class_weight = class_weights(self.class_weight, self.classes_, y, weight)
        if not (class_weight > 0).all():
            raise ValueError(f"Class weights must be positive, got {class_weight.tolist()}.")
        weight = weight * class_weight[np.searchsorted(self.classes_, y)]
        self._coding = make_coding(X[weight > 0], self._categories)
        X = self._code(X)
        positive, negative = weight * is_positive, weight * ~is_positive
        overall_mean = positive.sum() / weight.sum()
        self.threshold_ = overall_mean if self.threshold is None else self.threshold
        lower, upper, self._weights, self.trajectories_ = cover(
            np.ascontiguousarray(X.T),
            positive,
            negative,
            folds=self._folds(X, y, weight > 0),
            min_support=self.min_support,
            max_boxes=self.max_boxes,
            threshold=self.threshold_,
            peel_alpha=self.peel_alpha,
            paste_alpha=self.paste_alpha,
            per_weight=self.criterion == "gain",
        )
        self.boxes_ = self._box_set(lower, upper, X)
        self.box_means_ = self._weights[:-1, 0] / self._weights[:-1, 1]
        self.box_supports_ = self._weights[:-1, 1] / weight.sum()
        return self

    def _folds(self, X, y, is_used):
        """Masks of the training and the held-out rows of each fold; none without cv."""
        cv = self.cv
        if isinstance(cv, Integral):
            fewest = np.unique(y[is_used], return_counts=True)[1].min()
            cv = min(cv, fewest) if fewest > 1 else None
        if cv is None:
            return []
        rows = np.arange(len(X))
        splits = check_cv(cv, y, classifier=True).split(X, y)
        return [tuple(np.isin(rows, part) for part in split) for split in splits]

    def _box_of(self, X):
        """Position of the first box that covers each row, `n_boxes` where none does."""
        X = self._table(X)
        covered = self.boxes_.covers_each(X)
        return np.vstack([covered, np.ones(len(X), dtype=bool)]).argmax(axis=0)

    def decision_function(self, X):
        """Mean of the first box that covers an example, less the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,)
            Positive where ``classes_[1]`` is predicted; never zero. Examples in no box get the mean
            of the training examples in no box.
        """
        box = self._box_of(X)
        positive, total = self._weights[-1]
        outside = positive / total - self.threshold_ if total > 0 else -self.threshold_
        # Without any box this is zero, and a threshold below the overall mean makes it positive.
        outside = min(outside, -np.finfo(np.float64).tiny)
        score = np.append(self.box_means_ - self.threshold_, outside)[box]
        return score if self.pos_label_ == self.classes_[1] else -score

    def predict_proba(self, X):
        """Mean of the first box that covers an example, with Laplace's correction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probability : ndarray of shape (n_samples, 2)
            In the order of `classes_`: (positive weight + 1) / (weight + 2) of the training
            examples that belong to the same box, or to none. As `predict` compares means with
            `threshold_`, the positive class may be predicted at less than 1/2.
        """
        box = self._box_of(X)
        return self._decisions()[1][box]

    def _decisions(self):
        """The boxes as rules, and the probabilities of what each of them decides."""
        positive, total = self._weights.T
        probability = (positive + 1) / (total + 2)
        both = np.column_stack([1 - probability, probability])
        return self.to_rules(), both if self.pos_label_ == self.classes_[1] else both[:, ::-1]

    def plot_trajectory(self, ax=None):
        """Draw the mean against the support of the boxes on each trajectory.

        Means on held-out data are dashed, and circles mark the boxes of the model.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        plt = optional("matplotlib.pyplot", "plot")

        ax = plt.subplots()[1] if ax is None else ax
        for number, frame in enumerate(self.trajectories_, start=1):
            (line,) = ax.plot(frame["support"], frame["mean"], label=f"search {number}")
            ax.plot(frame["support"], frame["cv_mean"], "--", color=line.get_color())
            chosen = frame[frame["chosen"]]
            ax.plot(chosen["support"], chosen["mean"], "o", color=line.get_color())
        ax.axhline(self.threshold_, color="grey", linewidth=0.8, label="threshold")
        ax.set(xlabel="support", ylabel=f"mean (share of {self.pos_label_})")
        ax.legend()
        return ax
