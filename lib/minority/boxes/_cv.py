"""Box classifiers that choose their parameters by cross-validation.

A setting is a value for each parameter that is to be chosen. What is held out from its models is
pooled: with few positives a fold has two or three of them, and a measure of these says little.
"""

import inspect
import time
import warnings
from itertools import groupby, product
from numbers import Integral, Real
from operator import itemgetter
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from minority._sklearn import LARGEST, Interval, StrOptions, _fit_context
from minority.boxes import _fast_path as fast
from minority.boxes._base import BaseBoxClassifier
from minority.boxes._boxset import BoxSet
from minority.boxes._exact import ExactBoxesClassifier
from minority.boxes._fast import FastBoxesClassifier

FEW_POSITIVES = 100  # with fewer, cross-validation is repeated
#: Weights of the majority for a ranking, as multiples of the one that the boxes are drawn for.
PATH = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40)


class _Examples(NamedTuple):
    X: np.ndarray
    positive: np.ndarray
    weight: np.ndarray

    def part(self, rows):
        return _Examples(self.X[rows], self.positive[rows], self.weight[rows])


class _HeldOut(ClassifierMixin, BaseEstimator):
    """The models of a setting as one classifier of the rows that were held out from them.

    The classes are 0 and 1, the positive one.
    """

    classes_ = np.array([0, 1])

    def __init__(self, models, parts):
        self.models = models  # one for each part
        self.parts = parts  # its training and its held-out examples

    def _ask(self, question):
        answers = [
            question(model, train, test)
            for model, (train, test) in zip(self.models, self.parts, strict=True)
        ]
        return np.concatenate(answers)

    def predict(self, X):
        return self._ask(lambda model, _, test: model.boxes_.covers(test.X)).astype(int)

    def decision_function(self, X):
        return self._ask(lambda model, _, test: model._score(test.X))

    def predict_proba(self, X):
        def share(model, train, test):
            model._count(*train)
            return model._share(test.X)

        share = self._ask(share)
        return np.column_stack([1 - share, share])


def g_mean(estimator, X, y, sample_weight=None):
    """The geometric mean of sensitivity and specificity, as a scorer."""
    right = estimator.predict(X) == y
    rates = [
        np.average(right[y == k], weights=None if sample_weight is None else sample_weight[y == k])
        for k in (0, 1)
    ]
    return float(np.sqrt(rates[0] * rates[1]))


class _Budget:
    """How many more models may be fitted, and until when."""

    def __init__(self, max_fits, time_limit):
        self.left = np.inf if max_fits is None else max_fits
        self.used = 0
        self.deadline = time.perf_counter() + time_limit
        self.status = "complete"

    def seconds(self):
        return self.deadline - time.perf_counter()

    def allows_one(self):
        if self.left < 1:
            self.status = "max_fits"
        elif self.used and self.seconds() <= 0:  # one model there must be
            self.status = "time_limit"
        else:
            self.left -= 1
            self.used += 1
            return True
        return False


class _BoxesCV(BaseBoxClassifier):
    """What choosing among boxes has in common.

    A subclass has a class attribute `_searched`, the parameters of its estimator by the name of the
    sequence of their values, `_model` that makes the estimator, and `_fit_each`.
    """

    _searched: ClassVar[dict]
    _parameter_constraints: ClassVar[dict] = {
        "scoring": [StrOptions({"g_mean", "auh"}), str, callable],
        "cv": ["cv_object"],
        "n_repeats": [Interval(Integral, 1, None, closed="left"), None],
        "pool": ["boolean"],
        "max_fits": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, LARGEST, closed="right")],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "pos_label": "no_validation",
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Choose a setting and draw its boxes around all examples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes, of which there must be two.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, 1 by default, which count in scores as well if the scorer takes weights.
            Weight 0 is the same as leaving an example out.

        Returns
        -------
        self : estimator
            The fitted classifier.
        """
        data = _Examples(*self._examples(X, y, sample_weight))
        self._seed = self.random_state
        if not isinstance(self._seed, Integral):  # one seed, or each fold would cluster differently
            self._seed = check_random_state(self._seed).randint(np.iinfo(np.int32).max)
        repeats = self._splits(data, y, sample_weight)
        settings = self._settings(data, [fold for folds in repeats for fold in folds])
        weights = None if sample_weight is None else data.weight
        budget = _Budget(self.max_fits, self.time_limit)
        folds = [[data.part(rows) for rows in fold] for folds in repeats for fold in folds]
        fitted = self._fit_folds(folds, settings, budget)
        units, start = [], 0
        for repeat in repeats:  # of the folds that were reached
            reached = range(start, min(start + len(repeat), len(fitted)))
            start += len(repeat)
            units += [list(reached)] if self.pool else [[fold] for fold in reached]
        units = [unit for unit in units if unit]
        best = self._compare(units, folds, fitted, settings, weights is not None)
        self.best_params_ = settings[best]
        self._refit(X, y, sample_weight, data, budget)
        self.status_ = budget.status
        return self

    def _splits(self, data, y, sample_weight):
        """Repeats of folds of training and held-out rows."""
        cv = 5 if self.cv is None else self.cv
        if not isinstance(cv, Integral):
            used = np.ones(len(y), bool)
            if sample_weight is not None:
                used = np.asarray(sample_weight) > 0
            row = np.cumsum(used) - 1
            y = np.asarray(y)
            splits = check_cv(cv, y, classifier=True).split(np.zeros((len(y), 1)), y)
            folds = [tuple(row[part][used[part]] for part in split) for split in splits]
            for train, test in folds:
                if not len(test) or len(np.unique(data.positive[train])) < 2:
                    raise ValueError(
                        "cv makes a fold that holds no row out or trains on one class only: use "
                        "stratified folds."
                    )
            return [folds]
        rarer = int(min(data.positive.sum(), (~data.positive).sum()))
        if rarer < 2:
            raise ValueError(
                f"Cross-validation needs two examples of each class, and one class has {rarer}: "
                f"use {type(self).__name__.removesuffix('CV')}, which has nothing to choose."
            )
        if cv > rarer:
            warnings.warn(
                f"cv={cv} folds need as many examples of each class, and one class has {rarer}: "
                f"there are {rarer} folds.",
                stacklevel=3,
            )
        n_repeats = self.n_repeats
        if n_repeats is None:
            n_repeats = 2 if data.positive.sum() < FEW_POSITIVES else 1
        return [
            list(
                StratifiedKFold(
                    min(cv, rarer), shuffle=True, random_state=(self._seed + k) % 2**32
                ).split(data.X, data.positive)
            )
            for k in range(n_repeats)
        ]

    def _values(self, name):
        values = getattr(self, name)
        if isinstance(values, Real | str):
            values = [values]
        if not np.iterable(values) or not len(list(values)):
            raise ValueError(f"{name} must be values to choose from, or one value, got {values!r}.")
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        return list(dict.fromkeys(values))

    def _settings(self, data, folds):
        """All combinations; of equally good ones the first is chosen."""
        names = list(self._searched.values())
        values = [self._values(name) for name in self._searched]
        settings = [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]
        for setting in settings:
            self._model(setting)._validate_params()
        return settings

    def _fit_folds(self, folds, settings, budget):
        """For each fold its models; only the first may lack some."""
        fitted = []
        for train, _ in folds:
            models = list(self._fit_each(train, settings, budget))
            if len(models) == len(settings) or not fitted:
                fitted.append(models)
            if len(models) < len(settings):
                break
        return fitted

    def _compare(self, units, folds, fitted, settings, weighted):
        """Set `cv_results_` and `best_score_`; return the place of the best setting."""
        n_tried = len(fitted[0])
        asked = []  # for each unit and each setting, who answers
        for unit in units:
            parts = [folds[fold] for fold in unit]
            asked.append(
                [_HeldOut([fitted[f][k] for f in unit], parts) for k in range(n_tried)],
            )
        scores = np.full((len(units), len(settings)), np.nan)
        second = np.zeros(len(settings))
        if self.scoring == "auh":
            second[:n_tried] = self._score_each(g_mean, asked, weighted).mean(axis=0)
            scores[:, :n_tried] = _score_areas(asked, settings[:n_tried], weighted)
        else:
            scorer = g_mean if self.scoring == "g_mean" else get_scorer(self.scoring)
            scores[:, :n_tried] = self._score_each(scorer, asked, weighted)
        # Rounded, so that the order of a sum does not decide between equals.
        mean = scores.mean(axis=0).round(12)
        order = np.lexsort((-second.round(12), np.where(np.isnan(mean), np.inf, -mean)))
        best = int(order[0])
        self.cv_results_ = {"params": settings}
        for name in self._searched.values():
            values = [setting[name] for setting in settings]
            self.cv_results_[f"param_{name}"] = np.ma.array(values, dtype=object)
        for k, row in enumerate(scores):
            self.cv_results_[f"split{k}_test_score"] = row
        self.cv_results_["mean_test_score"] = scores.mean(axis=0)
        self.cv_results_["std_test_score"] = scores.std(axis=0)
        rank = np.where(np.isnan(mean), n_tried + 1, (mean[:, None] < mean).sum(axis=1) + 1)
        self.cv_results_["rank_test_score"] = rank.astype(np.int32)
        conditions = np.full(len(settings), np.nan)
        conditions[:n_tried] = np.mean([[_n_faces(m.boxes_) for m in f] for f in fitted], axis=0)
        self.cv_results_["mean_n_conditions"] = conditions
        self.best_index_, self.best_score_ = best, float(self.cv_results_["mean_test_score"][best])
        return best

    def _score_each(self, scorer, asked, weighted):
        takes_weight = weighted and "sample_weight" in inspect.signature(scorer).parameters
        scores = np.empty((len(asked), len(asked[0])))
        for k, row in enumerate(asked):
            X, positive, weight = _pooled(row[0])
            more = {"sample_weight": weight} if takes_weight else {}
            scores[k] = [scorer(one, X, positive.astype(int), **more) for one in row]
        return scores

    def _refit(self, X, y, sample_weight, data, budget):
        """Draw the boxes of the best setting around all examples."""
        model = self._model(self.best_params_).set_params(pos_label=self.pos_label_)
        self.best_estimator_ = model.fit(X, y, sample_weight)
        self.boxes_, self._unit, self._shares = model.boxes_, model._unit, model._shares


def _pooled(one):
    """The held-out examples of all parts."""
    return _Examples(*map(np.concatenate, zip(*(test for _, test in one.parts), strict=True)))


def _n_faces(boxes: BoxSet):
    return int(np.isfinite(boxes.lower).sum() + np.isfinite(boxes.upper).sum())


def _score_areas(asked, settings, weighted):
    """The area under the hull of all weights of the majority with the rest of the setting."""
    scores = np.empty((len(asked), len(settings)))
    groups = {}
    for place, setting in enumerate(settings):
        rest = tuple(v for name, v in setting.items() if name != "majority_weight")
        groups.setdefault(rest, []).append(place)
    for k, row in enumerate(asked):
        _, positive, weight = _pooled(row[0])
        for places in groups.values():
            predicted = np.array([[row[place].predict(None) for place in places]], dtype=bool)
            weights = weight if weighted else None
            scores[k, places] = fast.areas_under_hull(predicted, positive, weights)[0]
    return scores


class FastBoxesClassifierCV(_BoxesCV):
    r"""Fast Boxes with the number of boxes, the expansion and the weight by cross-validation.

    For each fold and number of clusters, the clustering and the pass over the majority class are
    shared by all expansions and weights. The best setting is fitted on all examples.

    Use it when the rare class lies in a few compact groups and you want each described by an
    interval per feature, without choosing parameters by hand. Data: up to hundreds of thousands of
    rows, from about twenty positives.

    Not for a model of few conditions: `ExactBoxesClassifierCV` gives a condition its price, and has
    fewer conditions and mostly a higher G-mean on up to some thousand rows. If the model need not
    be readable, a balanced random forest has a higher G-mean on most data. Compare with a decision
    tree of depth 3 with balanced class weights.

    Parameters
    ----------
    n_clusters : int or sequence of them, default=(1, 2, 3, 4, 6)
        Numbers of clusters and thus of boxes (the paper's :math:`K`). Those larger than the
        positives of the smallest training part are cut to that number.

    expansions : float or sequence of them, default=(0, 1, 10, 100, 1000)
        Strengths of the force that pushes the faces outwards (:math:`\beta`). The sums they are
        weighed against grow with the data, so large data sets need large ones.

    majority_weights : float or str or sequence of them, \
            default=("0.3*balanced", "balanced", "3*balanced")
        Weights of the examples outside of a cluster (:math:`c`): numbers, or "balanced" and its
        multiples for positives divided by negatives.

    scoring : str or callable, default="g_mean"
        What the best setting has most of on held-out examples: "g_mean", the geometric mean of
        sensitivity and specificity; "auh", the paper's choice, the area under the
        convex hull of the ROC points of all weights, by which the rest of a setting is chosen, and
        then the weight by the G-mean; a name that
        scikit-learn knows; or a callable ``scorer(estimator, X, y)``. Scorers see the classes as 0
        and 1, where 1 is the class that the boxes describe, so that "f1" or "average_precision" are
        about that class.

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

    scaling : {"minmax", "maxabs"}, default="minmax"
        See `FastBoxesClassifier`.

    expand : bool or "largest", default="largest"
        See `FastBoxesClassifier`. "largest" takes another pass over the data for each setting.

    nearest : {"negative", "any"}, default="negative"
        See `FastBoxesClassifier`.

    max_fits : int, default=None
        Models to fit for the comparison at most, a setting on a fold each. Folds that cannot be
        finished are left out; if it is not enough for the first one, only the first settings
        are compared, on that. The outcome is the same on any machine. None for no limit.

    time_limit : float, default=600.0
        Seconds for the comparison, and again for drawing the boxes of the best setting: a
        safety net, as what it cuts off differs from machine to machine. What is compared is then as
        with `max_fits`.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal, see `FastBoxesClassifier`.

    pos_label : object, default=None
        The class to describe. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    n_init : int, default=10
        Number of starts of k-means.

    random_state : int, RandomState instance or None, default=None
        Randomness of the folds and of k-means.

    Attributes
    ----------
    best_params_ : dict
        The best setting, as parameters of `FastBoxesClassifier`. Of equals the first in
        `cv_results_`.

    best_score_ : float
        Its mean score.

    best_index_ : int
        Its place in `cv_results_`.

    best_estimator_ : FastBoxesClassifier
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

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    FastBoxesClassifier : One setting, and the method.
    select_fast_boxes : The paper's choice of two parameters, for arrays.
    ExactBoxesClassifierCV : Few conditions, found by an exact search.

    Notes
    -----
    Fits and scores use `sample_weight`. Categories and missing values are treated as by
    `FastBoxesClassifier`.

    References
    ----------
    .. [1] S. T. Goh and C. Rudin, "Box drawings for learning with imbalanced data", Proceedings of
       the 20th ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import FastBoxesClassifierCV
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> X = X[["alcohol", "color_intensity", "flavanoids", "hue"]]
    >>> y = y.eq(2).map({True: "Barbera", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = FastBoxesClassifierCV(random_state=0).fit(X, y)
    >>> print(model.to_text())
    Barbera if at least one of these holds:
      1. color_intensity >= 3.7 and flavanoids <= 1.34
      2. color_intensity >= 5.55 and hue <= 0.8
    Not used: alcohol
    >>> print(f"K={model.best_params_['n_clusters']}, G-mean {model.best_score_:.2f}")
    K=2, G-mean 0.98

    >>> held_out = model.rules_frame(X_test, y_test).drop(columns="conditions")
    >>> print(held_out.round(2).to_string(index=False))
     support  precision  recall  lift
          10        1.0    0.83  3.75
           7        1.0    0.58  3.75
    """

    _searched: ClassVar[dict] = {
        "n_clusters": "n_clusters",
        "expansions": "expansion",
        "majority_weights": "majority_weight",
    }
    _parameter_constraints: ClassVar[dict] = {
        **_BoxesCV._parameter_constraints,
        "n_clusters": "no_validation",
        "expansions": "no_validation",
        "majority_weights": "no_validation",
        **{
            name: FastBoxesClassifier._parameter_constraints[name]
            for name in ("scaling", "expand", "nearest", "n_init")
        },
    }

    def __init__(
        self,
        *,
        n_clusters=(1, 2, 3, 4, 6),
        expansions=(0, 1, 10, 100, 1000),
        majority_weights=("0.3*balanced", "balanced", "3*balanced"),
        scoring="g_mean",
        cv=5,
        n_repeats=None,
        pool=True,
        scaling="minmax",
        expand="largest",
        nearest="negative",
        max_fits=None,
        time_limit=600.0,
        categorical_features="from_dtype",
        pos_label=None,
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.expansions = expansions
        self.majority_weights = majority_weights
        self.scoring = scoring
        self.cv = cv
        self.n_repeats = n_repeats
        self.pool = pool
        self.scaling = scaling
        self.expand = expand
        self.nearest = nearest
        self.max_fits = max_fits
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_init = n_init
        self.random_state = random_state

    def _model(self, setting):
        return FastBoxesClassifier(
            scaling=self.scaling,
            expand=self.expand,
            nearest=self.nearest,
            n_init=self.n_init,
            categorical_features=self.categorical_features,
            random_state=self._seed,
            **setting,
        )

    def _settings(self, data, folds):
        settings = super()._settings(data, folds)
        possible = fast.possible_clusters(self._values("n_clusters"), data.positive, folds)
        rest = [s for s in settings if s["n_clusters"] == settings[0]["n_clusters"]]
        return [s | {"n_clusters": k} for k in possible for s in rest]

    def _fit_each(self, train, settings, budget):
        """The clusters and the pass over the majority class are shared."""
        for k, same in groupby(settings, key=itemgetter("n_clusters")):
            data = None
            for setting in same:
                if not budget.allows_one():
                    return
                if data is None:
                    data = fast.characterise(
                        *train,
                        n_clusters=k,
                        scaling=self.scaling,
                        expand=self.expand,
                        nearest=self.nearest,
                        n_init=self.n_init,
                        random_state=self._seed,
                    )
                model = self._model(setting)
                weight = model._weight_of_majority(train.positive, train.weight)
                (model.boxes_,) = fast.path_of(data, [weight], setting["expansion"], None)
                model._unit = data.unit
                yield model


class ExactBoxesClassifierCV(_BoxesCV):
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
        forty times the chosen one are drawn (`path_`), and examples in and out of the boxes are
        each ranked by the mean of their depths in these. The boxes and `predict` are the same.

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

    max_nodes : int, default=200
        Nodes of the search of each model. None for no limit.

    max_fits : int, default=None
        Models to fit for the comparison at most, a setting on a fold each. Folds that cannot be
        finished are left out; if it is not enough for the first one, only the first settings
        are compared, on that. The outcome is the same on any machine. None for no limit.

    time_limit : float, default=600.0
        Seconds for the comparison, and again for drawing the boxes of the best setting: a
        safety net, as what it cuts off differs from machine to machine. What is compared is then as
        with `max_fits`.

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
        The best setting, as parameters of `ExactBoxesClassifier`. Of equals the first in
        `cv_results_`.

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
    malignant if at least one of these holds:
      1. mean concave points >= 0.0489
      2. mean area >= 696
    Not used: 8 of 10 features
    >>> print(f"price {model.best_params_['condition_cost']}, G-mean {model.best_score_:.2f}")
    price 0.02, G-mean 0.93

    >>> held_out = model.rules_frame(X_test, y_test).drop(columns="conditions")
    >>> print(held_out.round(2).to_string(index=False))
     support  precision  recall  lift
          65       0.77    0.94  2.08
          44       0.95    0.79  2.58
    >>> rank = average_precision_score(y_test == "malignant", model.decision_function(X_test))
    >>> print(f"average precision {rank:.2f} with {model.n_path_conditions_} more conditions")
    average precision 0.96 with 24 more conditions
    """

    _searched: ClassVar[dict] = {
        "condition_costs": "condition_cost",
        "max_boxes": "max_boxes",
        "majority_weights": "majority_weight",
        "margins": "margin",
    }
    _parameter_constraints: ClassVar[dict] = {
        **_BoxesCV._parameter_constraints,
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
                setting = self.best_params_ | {
                    "max_boxes": 1,
                    "majority_weight": min(factor * weight, 1000.0),
                }
                model = self._solve(setting, data, budget, known)
                boxes = model.boxes_  # on coded rows
                self.path_.append(self._box_set(boxes.lower, boxes.upper, data.X))
                self.n_path_conditions_ += _n_faces(boxes)

    def _score(self, X):
        if self.ranking == "depth":
            return super()._score(X)
        depth = [boxes.margin(X, self._units(), limit=1.0) for boxes in self.path_]
        depth = np.maximum(depth, -1).mean(axis=0)
        tiny = np.finfo(np.float64).tiny
        inside = self.boxes_.covers(X)
        return np.where(inside, np.maximum(depth + 1, tiny), np.minimum(depth - 1, -tiny))
