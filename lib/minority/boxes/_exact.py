"""Exact Boxes as a classifier."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import effective_n_jobs

from minority._sklearn import LARGEST, Interval, StrOptions, _fit_context
from minority.boxes import _exact_solve as exact
from minority.boxes import _fast_kernels as kernels
from minority.boxes._base import BaseBoxClassifier
from minority.boxes._boxset import BoxSet
from minority.boxes._fast_path import check_examples, check_weights
from minority.boxes._sparse import solve_sparse

# Weights are counted in units of down to 1e-9 in 64 bits.
LARGEST_WEIGHT = 1000


class ExactBoxesClassifier(BaseBoxClassifier):
    r"""Describe the minority class by the best possible boxes.

    Among all unions of at most `max_boxes` axis-parallel boxes, find the one that classifies the
    training examples best, and prove that it is the best. The proof may take long, so there is a
    time limit; what was reached is always reported (`status_`, `gap_`, `bound_`).

    Use it when you want a few boxes around the rare class and a proof that no other boxes fit the
    training data better. `status_` says whether there is one, and `gap_` how much better other
    boxes could be. Data: up to a few thousand rows; a proof often takes seconds with up to 50
    positives, and minutes with more than 100.

    Not for large data: `FastBoxesClassifier` takes a fraction of the time. The best boxes on the
    training data need not be the best on new data, where Fast Boxes is often as good. With few
    positives and many features they overfit: select features, or lower `max_boxes`. If the model
    need not be readable, a balanced random forest has a higher G-mean on most data. Compare with a
    decision tree of depth 3 with balanced class weights.

    Parameters
    ----------
    max_boxes : int, default=3
        Largest number of boxes (the paper's :math:`K`). More boxes than positives are harmless:
        they stay unused.

    majority_weight : float or str, default="balanced"
        Weight of a negative example against a positive one (:math:`c`), at most 1000. "balanced"
        gives both classes the same total: positives divided by negatives, each counted by
        `sample_weight`; "0.5*balanced" is half of that. The paper uses 0.1 to 1.

    box_cost : float, default=0.1
        What a box costs (:math:`c_E`), in positive examples, at most 1000. The paper leaves its
        value open.

    condition_cost : float, default=0.0
        What a condition must earn, as a share of the positives, at most 1. A condition is one face
        of a box: two faces on one feature are two. With 0 (the paper) conditions are free. With a
        price the boxes have few conditions, and faces that earn less are left out; 0.02 to 0.1
        are useful values. The best single box is then found and proven best, mostly within a
        second; several boxes are found one after another.

    margin : float, default=0.0
        A positive counts only if it lies inside of a box by the margin, a negative only if it lies
        outside by the margin (:math:`v`), with features scaled to [-1, 1]. With more than 1 no
        box could leave a negative out.

    faces : {"tight", "midgap", "expand", "largest"}, default="largest"
        Many boxes are equally good on the training examples; this is the choice among them.
        "tight" is the smallest boxes. "midgap" moves each face half way to the nearest negative
        beyond it, wherever that lies in the other features, and "expand" to just before it, as
        the final step of Fast Boxes does (eqs 31-32). "largest" passes by negatives that other
        faces keep out: the face with the most room first, each face moves half way to the nearest
        negative beyond it that lies inside of the box in all other features. Faces without such
        a negative vanish.

    solver : {"search", "highs", "cbc"}, default="search"
        An exact search made for the problem, or the paper's mixed-integer program in HiGHS or CBC,
        started from Fast Boxes.

    formulation : {"reduced", "full"}, default="reduced"
        The program: only the implications that the objective does not enforce by itself, or all
        of the paper's variables and rows (eqs 5-21). The optimum is the same. The paper leaves
        its :math:`M` and :math:`\epsilon` open. Here :math:`M` is the range of the feature plus
        :math:`2 \epsilon`; boxes that are counted are placed on the ranks of merged examples,
        where :math:`\epsilon` is 1, and boxes with a reward for their sides on features scaled to
        [-1, 1], where it is 1e-5, as in the authors' released code.

    penalty : {"count", "size"}, default="count"
        Charge for each box (paper), or reward the sides of exactly `max_boxes` boxes with
        `box_cost` a unit of the scaled features, as the authors' released code does. "size" needs
        the solver "highs" or "cbc" and ignores `faces`; faces at or beyond the ends of the
        training data exclude nothing there and vanish.

    decomposition : {None, "neighbourhood", "clusters"}, default=None
        Two ways to larger data (section 6): solve with the negatives near the positives first and
        go on with all examples from there; or cluster the positives into `max_boxes`
        clusters and solve for one box each, which proves nothing about their union. For the search.

    n_neighbors : int, default=10
        Negatives kept for each positive by "neighbourhood".

    closeness : {"overall", "one_feature"}, default="overall"
        Which negatives are near a positive for "neighbourhood": those at the least Euclidean
        distance, or those with the nearest values of at least one feature, whatever the others
        are (the paper: "close to the positive points in at least one dimension"). The second keeps
        more: up to `n_neighbors` for each feature, and all that tie.

    time_limit : float, default=60.0
        Seconds after which the best boxes so far are returned. The search for first boxes is not
        cut off; with tens of thousands of rows it can take longer by itself.

    max_nodes : int, default=None
        Nodes of the search (with "clusters" for each cluster) after which it stops as well. Other
        than with `time_limit` the outcome is the same on any machine. None for no limit.

    n_jobs : int, default=None
        Threads of the search. They do not change the outcome unless time runs out.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    pos_label : object, default=None
        The class to describe. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    random_state : int, RandomState instance or None, default=None
        Randomness of the clusters that the solvers start from.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The class that the boxes describe.

    boxes_ : BoxSet
        The model, in the units of the data. No box at all if none is worth its cost.

    members_ : bool ndarray of shape (n_boxes, n_positives)
        Which positive training examples, of those with weights above zero, each box is drawn
        around. Faces that are not "tight"
        may let in more.

    objective_ : float
        The objective on the training examples.

    bound_ : float
        No boxes have a larger objective; infinite if the solver gave no bound.

    gap_ : float
        ``(bound_ - objective_) / abs(objective_)``; zero if proven.

    status_ : {"optimal", "time_limit", "node_limit", "decomposed"}
        "optimal" only with a proof. "decomposed" if the boxes were found one by one: with a
        `condition_cost` each is proven best for the examples that those before it do not cover,
        but their union is not.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    FastBoxesClassifier : The approximation, for data of any size.
    exact_boxes_path : Several weights, each started from the one before.

    Notes
    -----
    The objective (section 3.1) is

    .. math::
        \sum_{i \in S_+} z_i + c \sum_{i \in S_-} z_i - c_E \cdot \text{boxes used},

    where :math:`z_i` says that example i is classified rightly. Some best box is the smallest
    around the positives that it covers, so the search decides about positives: it branches on
    which box takes one, and bounds by what free positives can still gain less the negatives that
    they bring in, each negative charged once. With several boxes and few positives it continues
    with column generation, see `minority.boxes._exact_columns`.

    With a price :math:`\lambda` for conditions the objective is less
    :math:`\lambda |S_+| \cdot \text{conditions}`. A side without a condition lets in all
    negatives beyond it, so the best box need not be the smallest around its positives; it is a
    choice of thresholds, see `minority.boxes._sparse_search`.

    An example that occurs with both labels counts on both sides.

    Categories and missing values need no preparation. A condition on a nominal feature reads
    ``country in {DE, FR}`` or ``country not in {IT}``, whichever list is shorter (of equals the
    first), so a category that training did not have counts as most of the others do. A missing
    value of a feature that has some in training is inside of a box or outside: ``x >= 3 (or
    missing)``, ``x >= 3``, ``x is missing``. One that has none in training fulfils no condition.
    Text, query and SQL of `boxes_` say the same.

    The boxes are the best among all with such conditions, by way of columns of 0 and 1 for each
    category and for missing values, and of two columns for a numeric feature that misses some
    (in one these have the largest value, in the other the smallest). To leave out a category
    costs a condition, as does to ask for one. With a `margin` the columns are scaled as any
    other: a category lies 1 from a face in the middle.

    References
    ----------
    .. [1] S. T. Goh and C. Rudin, "Box drawings for learning with imbalanced data", Proceedings of
       the 20th ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import ExactBoxesClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> X, y = X[["alcohol", "flavanoids", "hue"]], y.eq(2).map({True: "Barbera", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = ExactBoxesClassifier().fit(X, y)
    >>> print(model.to_text())
    Barbera if at least one of these holds:
      1. flavanoids <= 0.97 and hue <= 0.93
      2. alcohol >= 12.8 and flavanoids <= 1.58 and hue <= 0.99
    >>> print(f"{model.status_}, gap {model.gap_:.0%}")
    optimal, gap 0%

    >>> held_out = model.rules_frame(X_test, y_test).drop(columns="conditions")
    >>> print(held_out.round(2).to_string(index=False))
    prediction  support  precision  recall  lift  decided
       Barbera        8       1.00    0.67  3.75        8
       Barbera        9       1.00    0.75  3.75        3
         other       34       0.97    1.00  1.32       34

    Categories and missing values are taken as they are:

    >>> import pandas as pd
    >>> country = ["DE", "FR", "DE", "FR", "IT", "ES", "IT", "FR"]
    >>> orders = pd.DataFrame({"country": country, "size": [30, 45, None, 60, 40, None, 70, 10]})
    >>> returned = ["yes", "yes", "yes", "yes", "no", "no", "no", "no"]
    >>> model = ExactBoxesClassifier(pos_label="yes").fit(orders, returned)
    >>> print(model.to_text())
    yes if country in {DE, FR} and size >= 20 (or missing)
    >>> print(model.boxes_.to_sql())
    ("country" IN ('DE', 'FR') AND ("size" >= 20.0 OR "size" IS NULL))
    """

    _parameter_constraints: ClassVar[dict] = {
        "max_boxes": [Interval(Integral, 1, None, closed="left")],
        "majority_weight": [Interval(Real, 0, LARGEST_WEIGHT, closed="right"), str],
        "box_cost": [Interval(Real, 0, LARGEST_WEIGHT, closed="both")],
        "condition_cost": [Interval(Real, 0, 1, closed="both")],
        "margin": [Interval(Real, 0, 1, closed="both")],
        "faces": [StrOptions({"tight", "midgap", "expand", "largest"})],
        "solver": [StrOptions({"search", "highs", "cbc"})],
        "formulation": [StrOptions({"reduced", "full"})],
        "penalty": [StrOptions({"count", "size"})],
        "decomposition": [StrOptions({"neighbourhood", "clusters"}), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "closeness": [StrOptions({"overall", "one_feature"})],
        "time_limit": [Interval(Real, 0, LARGEST, closed="right")],
        "max_nodes": [Interval(Integral, 0, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "pos_label": "no_validation",
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        max_boxes=3,
        majority_weight="balanced",
        box_cost=0.1,
        condition_cost=0.0,
        margin=0.0,
        faces="largest",
        solver="search",
        formulation="reduced",
        penalty="count",
        decomposition=None,
        n_neighbors=10,
        closeness="overall",
        time_limit=60.0,
        max_nodes=None,
        n_jobs=None,
        categorical_features="from_dtype",
        pos_label=None,
        random_state=None,
    ):
        self.max_boxes = max_boxes
        self.majority_weight = majority_weight
        self.box_cost = box_cost
        self.condition_cost = condition_cost
        self.margin = margin
        self.faces = faces
        self.solver = solver
        self.formulation = formulation
        self.penalty = penalty
        self.decomposition = decomposition
        self.n_neighbors = n_neighbors
        self.closeness = closeness
        self.time_limit = time_limit
        self.max_nodes = max_nodes
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

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
            Their weights, 1 by default. Weight 2 counts like repeating an example, and weight 0
            is the same as leaving it out. Weights that are no simple fractions are rounded to 1e-9.

        Returns
        -------
        self : ExactBoxesClassifier
            The fitted classifier.
        """
        return self._fit(*self._examples(X, y, sample_weight), [])

    @np.errstate(over="ignore")  # faces beyond the largest float vanish
    def _fit(self, X, positive, weight, known):
        """Fit on checked data; `known` are other models whose boxes may be good."""
        if self.solver == "search" and (self.penalty == "size" or self.formulation == "full"):
            raise ValueError(
                'penalty="size" and formulation="full" belong to the mixed-integer program: set '
                'solver="highs" or solver="cbc".'
            )
        if self.solver != "search" and self.decomposition is not None:
            raise ValueError('decomposition is for solver="search".')
        if self.solver != "search" and self.max_nodes is not None:
            raise ValueError('max_nodes is for solver="search": set it to None.')
        if self.condition_cost and (self.solver != "search" or self.decomposition is not None):
            raise ValueError('condition_cost needs solver="search" and decomposition=None.')
        origin, self._unit = kernels.feature_units(X.min(axis=0), X.max(axis=0), "minmax")
        self._used = None
        if self.penalty == "size":
            Z = (X - origin) / self._unit
            solution, lower, upper = self._solve_sized(Z, positive, weight)
            lower = np.where(lower <= Z.min(axis=0), -np.inf, lower * self._unit + origin)
            upper = np.where(upper >= Z.max(axis=0), np.inf, upper * self._unit + origin)
            self.boxes_ = self._box_set(lower, upper, X)
            self.members_ = solution.members
        else:
            solution = self._solve(X, positive, weight, known)
            self.members_ = solution.members
            if self.condition_cost:
                self._used = solution.used
            self.boxes_ = self._with_faces(self.faces, X, positive)
        self.objective_, self.bound_ = solution.objective, solution.bound
        self.gap_, self.status_ = solution.gap, solution.status
        self._count(X, positive, weight)
        return self

    def with_faces(self, faces, X, y_positive):
        """The fitted boxes with another choice of `faces`.

        Parameters
        ----------
        faces : {"tight", "midgap", "expand", "largest"}
        X : array-like of shape (n_samples, n_features)
            The training examples with weights above zero.
        y_positive : bool ndarray of shape (n_samples,)
            Which of them are positive.

        Returns
        -------
        boxes : BoxSet
        """
        X = self._code(self._validate_floats(X, reset=False))
        return self._with_faces(faces, X, y_positive)

    def _with_faces(self, faces, X, y_positive):
        bounds = exact.place_faces(
            X, y_positive, self.members_, faces, self.margin, self._unit, self._used
        )
        return self._box_set(*bounds, X)

    def _solve(self, X, positive, weight, known):
        limits = {"time_limit": self.time_limit, "max_nodes": self.max_nodes}
        statement = {
            "sample_weight": weight,
            "majority_weight": self._weight_of_majority(positive, weight, LARGEST_WEIGHT),
            "box_cost": self.box_cost,
            "max_boxes": self.max_boxes,
            "margin": self.margin,
            "feature_unit": self._unit,
        }
        if self.condition_cost:
            return solve_sparse(
                X,
                positive,
                known=[(model.members_, model._used) for model in known],
                condition_cost=self.condition_cost,
                **limits,
                **statement,
            )
        clusters = exact.clusters_of(
            X[positive], self._unit, self.max_boxes, self.random_state, weight[positive]
        )
        return exact.solve(
            X,
            positive,
            known=[clusters, *(model.members_ for model in known)],
            solver=self.solver,
            formulation=self.formulation,
            decomposition=self.decomposition,
            n_neighbors=self.n_neighbors,
            closeness=self.closeness,
            n_jobs=effective_n_jobs(self.n_jobs),
            **limits,
            **statement,
        )

    def _solve_sized(self, Z, positive, weight):
        from minority.boxes._exact_mip import solve_sized

        clusters = exact.clusters_of(
            Z[positive], 1.0, self.max_boxes, self.random_state, weight[positive]
        )
        found = solve_sized(
            Z,
            positive,
            majority_weight=self._weight_of_majority(positive, weight),
            size_reward=self.box_cost,
            n_boxes=self.max_boxes,
            sample_weight=weight,
            margin=self.margin,
            solver=self.solver,
            formulation=self.formulation,
            start=exact.place_faces(Z, positive, clusters, "tight", self.margin, 1.0),
            time_limit=self.time_limit,
        )
        members = BoxSet(found.low, found.high).covers_each(Z[positive])
        solution = exact.Solution(members, found.value, found.bound, found.status)
        return solution, found.low, found.high


def exact_boxes_path(X, y_positive, *, majority_weights, **parameters):
    """Exact Boxes for several weights of the majority class.

    Each weight starts from the boxes of the ones before, so that the path takes less time and is
    better than its models one by one where time runs out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, without missing values.
    y_positive : array-like of bool of shape (n_samples,)
        Which rows are positive.
    majority_weights : sequence of float
        The paper's c, one model for each.
    **parameters
        Of `ExactBoxesClassifier`; `time_limit` holds for each weight.

    Returns
    -------
    path : list of ExactBoxesClassifier
        Fitted, in the order of `majority_weights`; they predict True and False.

    Examples
    --------
    >>> from minority.boxes import exact_boxes_path
    >>> X = [[0.0], [1.0], [2.0], [3.0], [9.0]]
    >>> y_positive = [True, False, True, True, False]
    >>> for model in exact_boxes_path(X, y_positive, majority_weights=[0.1, 1.0], max_boxes=1):
    ...     print(model.boxes_)
    positive if x0 <= 6
    positive if 2 <= x0 <= 6
    """
    X, y_positive = check_examples(X, y_positive)
    weights, _ = check_weights(majority_weights, [0])
    path, known = [], []
    for weight in weights.tolist():
        model = ExactBoxesClassifier(majority_weight=weight, pos_label=True, **parameters)
        model._validate_params()
        model._find_positive(y_positive)
        model.n_features_in_ = X.shape[1]
        path.append(model._fit(X, y_positive, np.ones(len(X)), known))
        known.append(model)
    return path
