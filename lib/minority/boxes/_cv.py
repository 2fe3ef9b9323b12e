"""Box classifiers that choose their parameters by cross-validation.

A setting is a value for each parameter that is to be chosen. What is held out from its models is
pooled: with few positives a fold has two or three of them, and a measure of these says little.
"""

import inspect
import time
import warnings
from itertools import product
from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from minority._sklearn import LARGEST, Interval, StrOptions, _fit_context
from minority.boxes._base import BaseBoxClassifier
from minority.boxes._boxset import BoxSet
from minority.boxes._fast_path import areas_under_hull

FEW_POSITIVES = 100  # with fewer, cross-validation is repeated


class Examples(NamedTuple):
    X: np.ndarray
    positive: np.ndarray
    weight: np.ndarray

    def part(self, rows):
        return Examples(self.X[rows], self.positive[rows], self.weight[rows])


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


class BaseBoxesCV(BaseBoxClassifier):
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
        "tolerance": [Interval(Real, 0, LARGEST, closed="left")],
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
        data = Examples(*self._examples(X, y, sample_weight))
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
        """All combinations; of those within the tolerance of the best the first is chosen."""
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
            row = [_HeldOut([fitted[f][k] for f in unit], parts) for k in range(n_tried)]
            if len(np.unique(_pooled(row[0]).positive)) < 2:
                raise ValueError(
                    "The examples that are scored together are of one class only: use stratified "
                    "folds, or pool=True."
                )
            asked.append(row)
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
        known = np.where(np.isnan(mean), -np.inf, mean)
        self._highest = settings[int(np.argmax(known))]
        simplest = np.argmax(known >= known.max() - self.tolerance)  # the first of them
        best = int(np.lexsort((-second.round(12), known != known[simplest]))[0])
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
        conditions[:n_tried] = np.mean([[n_faces(m.boxes_) for m in f] for f in fitted], axis=0)
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
    return Examples(*map(np.concatenate, zip(*(test for _, test in one.parts), strict=True)))


def n_faces(boxes: BoxSet):
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
            scores[k, places] = areas_under_hull(predicted, positive, weights)[0]
    return scores
