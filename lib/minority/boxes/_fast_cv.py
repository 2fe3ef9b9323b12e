"""Fast Boxes with parameters chosen by cross-validation."""

from itertools import groupby
from operator import itemgetter
from typing import ClassVar

from minority.boxes import _fast_path as fast
from minority.boxes._cv import BaseBoxesCV
from minority.boxes._fast import FastBoxesClassifier


class FastBoxesClassifierCV(BaseBoxesCV):
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

    tolerance : float, default=0.0
        Of the settings whose mean score is at most this much below the highest, the first in
        `cv_results_` is chosen: the fewest clusters, and then in the order in which the other
        values are given.

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
        Seconds for the comparison: a safety net, as what it cuts off differs from machine to
        machine. What is compared is then as with `max_fits`.

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

    n_jobs : int or None, default=None
        Number of threads of the passes over the data. The model does not depend on it.

    Attributes
    ----------
    best_params_ : dict
        The best setting, as parameters of `FastBoxesClassifier`. See `tolerance`.

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
    prediction  support  precision  recall  lift  decided
       Barbera       10        1.0    0.83  3.75       10
       Barbera        7        1.0    0.58  3.75        2
         other       33        1.0    1.00  1.36       33
    """

    _searched: ClassVar[dict] = {
        "n_clusters": "n_clusters",
        "expansions": "expansion",
        "majority_weights": "majority_weight",
    }
    _parameter_constraints: ClassVar[dict] = {
        **BaseBoxesCV._parameter_constraints,
        "n_clusters": "no_validation",
        "expansions": "no_validation",
        "majority_weights": "no_validation",
        **{
            name: FastBoxesClassifier._parameter_constraints[name]
            for name in ("scaling", "expand", "nearest", "n_init", "n_jobs")
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
        tolerance=0.0,
        scaling="minmax",
        expand="largest",
        nearest="negative",
        max_fits=None,
        time_limit=600.0,
        categorical_features="from_dtype",
        pos_label=None,
        n_init=10,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.expansions = expansions
        self.majority_weights = majority_weights
        self.scoring = scoring
        self.cv = cv
        self.n_repeats = n_repeats
        self.pool = pool
        self.tolerance = tolerance
        self.scaling = scaling
        self.expand = expand
        self.nearest = nearest
        self.max_fits = max_fits
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _model(self, setting):
        return FastBoxesClassifier(
            scaling=self.scaling,
            expand=self.expand,
            nearest=self.nearest,
            n_init=self.n_init,
            categorical_features=self.categorical_features,
            random_state=self._seed,
            n_jobs=self.n_jobs,
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
                        n_jobs=self.n_jobs,
                    )
                model = self._model(setting)
                weight = model._weight_of_majority(train.positive, train.weight)
                (model.boxes_,) = fast.path_of(data, [weight], setting["expansion"], None)
                model._unit = data.unit
                yield model
