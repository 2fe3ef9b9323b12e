"""Exact Boxes with parameters chosen by cross-validation."""

import time
from typing import ClassVar

import numpy as np

from minority._sklearn import StrOptions
from minority.boxes._cv import BaseBoxesCV, n_faces
from minority.boxes._exact import LARGEST_WEIGHT, ExactBoxesClassifier

#: Weights of the majority for a ranking, as multiples of the one that the boxes are drawn for.
PATH = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40)


class ExactBoxesClassifierCV(BaseBoxesCV):
    r"""A few boxes of few conditions, whose price is chosen by cross-validation.

    Each condition must earn its price, a share of the positives; the best single box is found
    and, within `max_nodes`, proven best, and further boxes cover what is left. In a fold, prices
    are solved from high to low, each started from the boxes of those before. The best setting is
    fitted on all examples.

    Use it when you want a readable model of two to five conditions that is as good as a small tree:
    the rare class as a few boxes, and scores that rank the rows. Data: up to about ten thousand
    rows, from about twenty positives.

    Not for large data: `FastBoxesClassifierCV` takes one pass over the majority class. Classes
    whose boundary runs across many features need more than a few conditions: logistic regression
    with balanced class weights, or a balanced random forest, has a higher G-mean on most data.
    Compare with a decision tree of depth 3 with balanced class weights.

    Parameters
    ----------
    condition_costs : float or sequence of them, default=(0.01, 0.02, 0.03, 0.05, 0.08, 0.12)
        Prices of a condition, as shares of the positives. 0 is allowed: conditions are then free,
        which takes much longer.

    max_boxes : int or sequence of them, default=(3,)
        Largest numbers of boxes (the paper's :math:`K`).

    majority_weights : float or str or sequence of them, default=("balanced",)
        Weights of a negative example against a positive one (:math:`c`): numbers up to 1000, or
        "balanced" and its multiples such as "0.5*balanced".

    margins : float or sequence of them, default=(0.0,)
        Margins (:math:`v`), see `ExactBoxesClassifier`.

    box_cost : float, default=0.1
        What a box costs (:math:`c_E`), in positive examples.

    faces : {"tight", "midgap", "expand", "largest"}, default="largest"
        See `ExactBoxesClassifier`.

    ranking : {"depth", "path"}, default="depth"
        What `decision_function` is. "depth" is the depth in the deepest box. "path" ranks by more
        conditions than predict: the best single boxes for weights of the majority from a tenth to
        forty times the chosen one are drawn (`path_`), at the price with the highest score, and
        examples in and out of the boxes are each ranked by the mean of their depths in these. The
        boxes and `predict` are the same.

    scoring : str or callable, default="g_mean"
        What the best setting has most of on held-out examples: "g_mean", the geometric mean of
        sensitivity and specificity; "auh", the area under the convex hull of
        the ROC points of all weights, by which the rest of a setting is chosen, and then the weight
        by the G-mean; a name that
        scikit-learn knows; or a callable ``scorer(estimator, X, y)``. Scorers see the classes as 0
        and 1, where 1 is the class that the boxes describe, so that "f1" or "average_precision" are
        about that class. While settings are compared, scores are depths.

    cv : int, cross-validation generator or iterable, default=5
        An int means shuffled stratified folds. With fewer examples of a class than folds there are
        as many folds as these examples, and a warning says so; a class with a single example is an
        error.

    n_repeats : int, default=None
        How often the folds of an int `cv` are drawn. None: twice with fewer than 100 positives,
        else once.

    pool : bool, default=True
        Whether to score the held-out examples of all folds of a repeat together. With few positives
        a fold has two or three of them, whose score is mostly chance. False: the mean of the
        folds' scores.

    tolerance : float, default=0.02
        Of the settings whose mean score is at most this much below the highest, the one with the
        highest price is chosen, and of these the one with the fewest boxes.

    max_nodes : int, default=200
        Nodes of the search of each model. None for no limit.

    max_fits : int, default=None
        Models to fit for the comparison at most, a setting on a fold each. Folds that cannot be
        finished are left out; if it is not enough for the first one, only the first settings
        are compared, on that. The outcome is the same on any machine. None for no limit.

    time_limit : float, default=600.0
        Seconds for the comparison, as many again for the boxes of the best setting, and for the
        path: a safety net, as what it cuts off differs from machine to machine. What is compared is
        then as with `max_fits`.

    n_jobs : int, default=None
        Threads of a search without a price.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal, see `FastBoxesClassifier`.

    pos_label : object, default=None
        The class to describe. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    random_state : int, RandomState instance or None, default=None
        Randomness of the folds.

    Attributes
    ----------
    best_params_ : dict
        The best setting, as parameters of `ExactBoxesClassifier`. See `tolerance`.

    best_score_ : float
        Its mean score.

    best_index_ : int
        Its place in `cv_results_`.

    best_estimator_ : ExactBoxesClassifier
        Fitted with it on all examples.

    cv_results_ : dict of arrays
        As that of `GridSearchCV`: `params`, `param_<name>`, `split<k>_test_score` (of repeats, or
        of folds without `pool`), `mean_test_score`, `std_test_score`, `rank_test_score`; and
        `mean_n_conditions`, the mean number of faces of the models. Settings are in the order of
        preference; those that a limit left out have the score NaN.

    status_ : {"complete", "max_fits", "time_limit"}
        Whether all settings were compared on all folds, or what prevented that.

    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The class that the boxes describe.

    boxes_ : BoxSet
        The model, in the units of the data: that of `best_estimator_`.

    path_ : list of BoxSet
        The boxes that only rank examples, by the weight of the majority from low to high; empty
        with ``ranking="depth"``.

    n_path_conditions_ : int
        How many conditions, each a face of a box, these have together.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    ExactBoxesClassifier : One setting, and the method.
    FastBoxesClassifierCV : Boxes around clusters, for larger data.

    Notes
    -----
    Of settings with equal scores the one with the higher price is chosen, then the one with fewer
    boxes. `best_estimator_` has the bound and the gap of the search. Fits and scores use
    `sample_weight`. Categories and missing values are treated as by `ExactBoxesClassifier`.

    References
    ----------
    .. [1] S. T. Goh and C. Rudin, "Box drawings for learning with imbalanced data", Proceedings of
       the 20th ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import ExactBoxesClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X, y = X.filter(like="mean"), y.map({0: "malignant", 1: "benign"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = ExactBoxesClassifierCV(ranking="path", random_state=0).fit(X, y)
    >>> print(model.to_text(3))
    malignant if mean concave points >= 0.0489
    Not used: 9 of 10 features
    >>> print(f"price {model.best_params_['condition_cost']}, G-mean {model.best_score_:.2f}")
    price 0.12, G-mean 0.92

    >>> held_out = model.rules_frame(X_test, y_test).drop(columns="conditions")
    >>> print(held_out.round(2).to_string(index=False))
    prediction  support  precision  recall  lift  decided
     malignant       65       0.77    0.94  2.08       65
        benign       78       0.96    0.83  1.53       78
    >>> rank = average_precision_score(y_test == "malignant", model.decision_function(X_test))
    >>> print(f"average precision {rank:.2f} with {model.n_path_conditions_} more conditions")
    average precision 0.95 with 24 more conditions
    """

    _searched: ClassVar[dict] = {
        "condition_costs": "condition_cost",
        "max_boxes": "max_boxes",
        "majority_weights": "majority_weight",
        "margins": "margin",
    }
    _parameter_constraints: ClassVar[dict] = {
        **BaseBoxesCV._parameter_constraints,
        **dict.fromkeys(_searched, "no_validation"),
        **{
            name: ExactBoxesClassifier._parameter_constraints[name]
            for name in ("box_cost", "faces", "max_nodes", "n_jobs")
        },
        "ranking": [StrOptions({"depth", "path"})],
    }

    def __init__(
        self,
        *,
        condition_costs=(0.01, 0.02, 0.03, 0.05, 0.08, 0.12),
        max_boxes=(3,),
        majority_weights=("balanced",),
        margins=(0.0,),
        box_cost=0.1,
        faces="largest",
        ranking="depth",
        scoring="g_mean",
        cv=5,
        n_repeats=None,
        pool=True,
        tolerance=0.02,
        max_nodes=200,
        max_fits=None,
        time_limit=600.0,
        n_jobs=None,
        categorical_features="from_dtype",
        pos_label=None,
        random_state=None,
    ):
        self.condition_costs = condition_costs
        self.max_boxes = max_boxes
        self.majority_weights = majority_weights
        self.margins = margins
        self.box_cost = box_cost
        self.faces = faces
        self.ranking = ranking
        self.scoring = scoring
        self.cv = cv
        self.n_repeats = n_repeats
        self.pool = pool
        self.tolerance = tolerance
        self.max_nodes = max_nodes
        self.max_fits = max_fits
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

    def _model(self, setting):
        return ExactBoxesClassifier(
            box_cost=self.box_cost,
            faces=self.faces,
            max_nodes=self.max_nodes,
            time_limit=self.time_limit,
            n_jobs=self.n_jobs,
            categorical_features=self.categorical_features,
            random_state=self._seed,
            **setting,
        )

    def _settings(self, data, folds):
        settings = super()._settings(data, folds)
        return sorted(settings, key=lambda s: (-s["condition_cost"], s["max_boxes"]))

    def _fit_each(self, train, settings, budget):
        """From high prices to low ones, each started from those before it."""
        known = {}
        for setting in settings:
            if not budget.allows_one():
                return
            yield self._solve(setting, train, budget, known)

    def _solve(self, setting, train, budget, known):
        model = self._model(setting).set_params(time_limit=max(budget.seconds(), 1e-3))
        # boxes say nothing of others with another margin, nor of others without a price
        before = known.setdefault((setting["margin"], setting["condition_cost"] > 0), [])
        model._fit(*train, before)
        before.append(model)
        if model.status_ == "time_limit":
            budget.status = "time_limit"
        return model

    def _refit(self, X, y, sample_weight, data, budget):
        super()._refit(X, y, sample_weight, data, budget)
        if self.best_estimator_.status_ == "time_limit":
            budget.status = "time_limit"
        self.path_, self.n_path_conditions_ = [], 0
        if self.ranking == "path":
            weight = self.best_estimator_._weight_of_majority(data.positive, data.weight)
            budget.deadline = time.perf_counter() + self.time_limit
            known = {}
            for factor in PATH:
                setting = self._highest | {
                    "max_boxes": 1,
                    "majority_weight": min(factor * weight, LARGEST_WEIGHT),
                }
                model = self._solve(setting, data, budget, known)
                boxes = model.boxes_  # on coded rows
                self.path_.append(self._box_set(boxes.lower, boxes.upper, data.X))
                self.n_path_conditions_ += n_faces(boxes)

    def decision_function(self, X):
        """Depth in the deepest box, or with ``ranking="path"`` in those of the path as well.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,)
            Positive where ``classes_[1]`` is predicted; never zero. For the class that the boxes
            describe, the depth as for `ExactBoxesClassifier`; or 1 in the boxes and -1 elsewhere,
            plus the mean depth in the boxes of `path_`, each cut to [-1, 1] in units of the
            features scaled to [-1, 1].
        """
        return super().decision_function(X)

    def _score(self, X):
        if self.ranking == "depth":
            return super()._score(X)
        depth = [boxes.margin(X, self._units(), limit=1.0) for boxes in self.path_]
        depth = np.maximum(depth, -1).mean(axis=0)
        tiny = np.finfo(np.float64).tiny
        inside = self.boxes_.covers(X)
        return np.where(inside, np.maximum(depth + 1, tiny), np.minimum(depth - 1, -tiny))
