"""One learner on one fold: alone, in the wrappers, and in the cost-sensitive learners.

Section 4.3 of the paper: the base classifier, wrapper-f and wrapper-AUROC know no costs in
training, and their probabilities are cut at p* (eq. 10) for each cost ratio. The others are
trained for each ratio and not cut. What the paper leaves open is decided here, before any result
was seen: all schemes of a fold have their random numbers from the fold, all searches share the
inner models, and all ratios of MetaCost share the bootstrap samples, which no cost enters.
"""

import warnings
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority._seeding import seeded
from minority.costs import (
    CostProportionateClassifier,
    MetaCostClassifier,
    cheapest_class,
    check_costs,
)
from minority.costs._base import class_probabilities, fit_or_constant
from minority.sampling import InnerModels, PercentSampler
from minority_reports.experiments import Fold, derive_seed
from minority_reports.papers.fixed import fixed

#: C(-|+) for C(+|-) = 1, of Figures 8 and 9.
RATIOS = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
#: Those of Figures 6 and 7.
COST_RATIOS = (2, 5, 10, 20)
#: Of the cross-validation that judges levels.
INNER_FOLDS = 5
#: Samples of Zadrozny et al.'s costing.
N_SAMPLES = 10

#: The seven of the paper, then two other readings of its cost-sensitive classifier (CSC).
SCHEMES = {
    "base": "Base",
    "wrapper-f": "Wrapper-f",
    "wrapper-auroc": "Wrapper-AUROC",
    "wrapper-cost": "Wrapper-cost",
    "wrapper-beta": "Wrapper-β",
    "metacost": "MetaCost",
    "csc": "CSC",
    "costing": "Costing",
    "weighting": "Weighting",
}
#: Searches that know no costs: one model for all ratios, cut at p*.
COST_FREE = {"wrapper-f": "f1", "wrapper-auroc": "auroc"}
#: Searches by a criterion with costs: one model for each ratio.
WITH_COSTS = {"wrapper-cost": "cost", "wrapper-beta": "fbeta"}

#: Of the model for 1:1 by its own predictions, uncut: AUROC, F, Brier score, log loss, false
#: negatives and positives. Then, at each ratio, the false negatives and positives, and what the
#: search left of the negatives and added to the positives, in per cent (of searches without costs
#: under 1:1). `n_fits` are the inner models that the searches of the scheme need each alone, and
#: `n_shared` those that all searches of the fold needed together.
MEASURES = (
    *("positives", "negatives", "auroc", "f1", "brier", "log_loss", "fn", "fp"),
    *(f"{kind}_{ratio}" for ratio in RATIOS for kind in ("fn", "fp")),
    *(f"{kind}_{ratio}" for ratio in RATIOS for kind in ("kept", "smote")),
    *("n_fits", "n_shared"),
)


class Answers(NamedTuple):
    """What a model says about the test rows."""

    found: np.ndarray  # predicted positive
    score: np.ndarray  # probability of being positive

    @classmethod
    def of(cls, model, X) -> "Answers":
        """Ask a fitted classifier of the classes 0 and 1."""
        proba = class_probabilities(model, X, np.array([0, 1]))
        return cls(model.predict(X) == 1, proba[:, 1])

    def cut(self, ratio: float) -> np.ndarray:
        """Which rows are positive if missing one costs `ratio`: those with p > p*."""
        # 1 / (1 + ratio) is what small leaves often have, and a tie must not hang on rounding
        return self.score * (1 + ratio) > 1 + 1e-9


def parts_of(fold: Fold) -> tuple:
    """A fold's ``X_train, y_train, X_test, y_test``; numbers as arrays, which is faster."""
    X_train, X_test = fold.X_train, fold.X_test
    if all(pd.api.types.is_numeric_dtype(dtype) for dtype in X_train.dtypes):
        X_train, X_test = (X.to_numpy(dtype=float) for X in (X_train, X_test))
    return X_train, fold.y_train, X_test, fold.y_test


def inner_models(estimator, fold: Fold) -> InnerModels:
    """The inner models of a fold, the same in all experiments of this paper."""
    X, y, _, _ = parts_of(fold)
    return InnerModels(estimator, X, y, minority=1, cv=INNER_FOLDS, random_state=fold.random_state)


def trained_at(estimator, X, y, kept: float, smote: float, seed: int):
    """A model of the whole training part at some levels, as `SamplingWrapperClassifier` has it."""
    sampler = fixed(PercentSampler, undersampling={0: kept}, smote={1: smote}, random_state=seed)
    return seeded(estimator, [seed, 0]).fit(*sampler.fit_resample(X, y))


def metacost_bags(estimator, X, y, random_state: int) -> MetaCostClassifier:
    """MetaCost's 10 bootstrap samples, into which no costs enter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that at 1:1 it is a constant
        model = fixed(
            MetaCostClassifier, estimator=estimator, pos_label=1, random_state=random_state
        )
        return model.fit(X, y)


def metacost_model(bags: MetaCostClassifier, X, y, ratio: float):
    """A model of the labels that cost least by the bags' probabilities."""
    costs = check_costs(ratio, [0, 1], pos_label=1)
    labels = cheapest_class(bags.probabilities_, costs, np.bincount(y))
    rng = np.random.default_rng([bags.random_state, ratio])
    return fit_or_constant(bags.estimator, X, labels, rng)


def metacost_models(estimator, X, y, random_state: int) -> dict:
    """MetaCost's model for each ratio."""
    bags = metacost_bags(estimator, X, y, random_state)
    return {ratio: metacost_model(bags, X, y, ratio) for ratio in RATIOS}


def sampled_by_cost(estimator, X, y, random_state: int, n_estimators: int) -> dict:
    """A model for each ratio of rows that were kept in proportion to their costs."""
    return {
        ratio: fixed(
            CostProportionateClassifier,
            estimator=estimator,
            costs=ratio,
            n_estimators=n_estimators,
            pos_label=1,
            random_state=derive_seed(random_state, ratio),
        ).fit(X, y)
        for ratio in RATIOS
    }


def weighted_by_cost(estimator, X, y, random_state: int) -> dict:
    """A model for each ratio of rows that weigh what they cost, all together as many as they are.

    This is what Weka's `CostSensitiveClassifier` does with learners that take weights. One that
    takes none is trained without.
    """
    name = _weight_parameter(estimator)
    models = {}
    for ratio in RATIOS:
        weights = np.where(y == 1, float(ratio), 1.0)
        given = {name: weights / weights.mean()} if name else {}
        models[ratio] = seeded(estimator, [random_state, ratio]).fit(X, y, **given)
    return models


def _weight_parameter(estimator) -> str:
    """What the weights of rows are called in `fit`; nothing if it takes none."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    prefix = ""
    if isinstance(estimator, Pipeline):
        step, estimator = estimator.steps[-1]
        prefix = f"{step}__"
    return f"{prefix}sample_weight" if has_fit_parameter(estimator, "sample_weight") else ""


def error_counts(y: np.ndarray, found: np.ndarray, end: str = "") -> dict:
    """False negatives and false positives."""
    return {f"fn{end}": int((y & ~found).sum()), f"fp{end}": int((~y & found).sum())}


def model_measures(y: np.ndarray, answers: Answers) -> dict:
    """What is measured of the model for 1:1."""
    from sklearn.metrics import brier_score_loss, f1_score, log_loss, roc_auc_score

    found, score = answers.found, answers.score.round(12)
    return {
        "positives": int(y.sum()),
        "negatives": int((~y).sum()),
        "auroc": float(roc_auc_score(y, score)),
        "f1": float(f1_score(y, found, zero_division=0)),
        "brier": float(brier_score_loss(y, score)),
        "log_loss": float(log_loss(y, score, labels=[False, True])),
    } | error_counts(y, found)


def cut_row(truth: np.ndarray, answers: Answers) -> dict:
    """Measures of one model for all ratios, cut at p*."""
    row = model_measures(truth, answers)
    for ratio in RATIOS:
        row |= error_counts(truth, answers.cut(ratio), f"_{ratio}")
    return row


def uncut_row(truth: np.ndarray, answers: dict) -> dict:
    """Measures of a model for each ratio, by their own predictions."""
    row = model_measures(truth, answers[1])
    for ratio in RATIOS:
        row |= error_counts(truth, answers[ratio].found, f"_{ratio}")
    return row


def path_fits(path: pd.DataFrame) -> int:
    """Inner models that a search needs by itself: five for each level that it tried."""
    levels = path[["kept 0", "smote 1"]].drop_duplicates()
    return INNER_FOLDS * len(levels)


def found_levels(inner: InnerModels, criterion, **options) -> dict:
    """What a search leaves of the negatives and adds to the positives, and its inner models."""
    found = inner.search(criterion, **options)
    return {
        "kept": found.undersampling[0],
        "smote": found.smote[1],
        "n_fits": path_fits(found.path),
    }


@dataclass(frozen=True)
class AllSchemes:
    """All schemes with one learner.

    The searches go on with SMOTE as long as it gains at least the share `margin`.
    """

    estimator: object
    margin: float = 0.05

    def __call__(self, fold: Fold) -> dict:
        X, y, X_test, y_test = parts_of(fold)
        estimator, truth = self.estimator, y_test == 1
        inner = inner_models(estimator, fold)

        @cache
        def at(kept, smote):
            return Answers.of(trained_at(estimator, X, y, kept, smote, inner.seed), X_test)

        rows = {"base": cut_row(truth, at(100, 0))}
        for scheme, criterion in COST_FREE.items():
            (levels,), n_fits = self._search(inner, criterion, [1])
            rows[scheme] = cut_row(truth, at(*levels)) | {
                "kept_1": levels[0],
                "smote_1": levels[1],
                "n_fits": n_fits,
            }
        for scheme, criterion in WITH_COSTS.items():
            found, n_fits = self._search(inner, criterion, RATIOS)
            by_ratio = dict(zip(RATIOS, found, strict=True))
            row = uncut_row(truth, {ratio: at(*by_ratio[ratio]) for ratio in RATIOS})
            for ratio, (kept, smote) in by_ratio.items():
                row |= {f"kept_{ratio}": kept, f"smote_{ratio}": smote}
            rows[scheme] = row | {"n_fits": n_fits}
        seed = fold.random_state
        trained = {
            "metacost": metacost_models(estimator, X, y, seed),
            "csc": sampled_by_cost(estimator, X, y, seed, 1),
            "costing": sampled_by_cost(estimator, X, y, seed, N_SAMPLES),
            "weighting": weighted_by_cost(estimator, X, y, seed),
        }
        for scheme, models in trained.items():
            answers = {ratio: Answers.of(model, X_test) for ratio, model in models.items()}
            rows[scheme] = uncut_row(truth, answers)
        return {setting: rows[setting] | {"n_shared": inner.n_fits_} for setting in fold.settings}

    def _search(self, inner, criterion, ratios):
        """Levels at each ratio, and the number of inner models that it takes without sharing."""
        options = {"min_increment": self.margin}
        found = [found_levels(inner, criterion, costs=ratio, **options) for ratio in ratios]
        n_fits = sum(levels["n_fits"] for levels in found)
        return [(levels["kept"], levels["smote"]) for levels in found], n_fits
