"""Does resampling raise AUROC, or does it only move the threshold? And what of calibration?

Four learners on the KEEL sets, each as it is, with balanced class weights, with one class drawn
down or up to the size of the other, and with SMOTE. All else is equal: the folds, the seeds, and
the threshold, which is one half and, beside it, where the G-mean is highest on rows of the training
part that were not learned from. What is resampled are training rows alone, inner ones included.
"""

from dataclasses import dataclass

import numpy as np
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from minority._seeding import seeded
from minority_reports.experiments import Experiment, Fold, Method, numeric_coder, stratified_folds
from minority_reports.papers.showdown.protocol import KEEL, g_mean, quality
from minority_reports.papers.showdown.thresholds import (
    INNER_FOLDS,
    best_threshold,
    calibration_error,
)

#: What becomes of the training rows, by the name of the setting. Weights are the learner's.
SAMPLERS = {
    "none": None,
    "weights": None,
    "under": RandomUnderSampler(),
    "over": RandomOverSampler(),
    "smote": SMOTE(),
}
SCHEMES = {
    "none": "none",
    "weights": "class weights",
    "under": "random undersampling",
    "over": "random oversampling",
    "smote": "SMOTE",
}

LEARNERS = {
    "logistic": ("Logistic regression", LogisticRegression(max_iter=1000), "C = 1"),
    "cart": (
        "CART",
        DecisionTreeClassifier(min_samples_leaf=5),
        "at least 5 rows in a leaf, or its probabilities would be 0 and 1",
    ),
    "boosting": (
        "Gradient boosting",
        HistGradientBoostingClassifier(early_stopping=False),
        "histograms, scikit-learn's defaults, 100 trees",
    ),
    "forest": ("Random forest", RandomForestClassifier(), "scikit-learn's defaults, 100 trees"),
}


@dataclass(frozen=True)
class Resampled:
    """A learner that learns from a fold as each setting resamples it."""

    estimator: object
    independent_settings = True

    def __call__(self, fold: Fold) -> dict:
        return {scheme: self.measure(fold, scheme) for scheme in fold.settings}

    def model(self, scheme: str, random_state: int):
        """An unfitted pipeline: code the columns, standardise, resample, learn."""
        sampler = SAMPLERS[scheme]
        steps = [numeric_coder(), StandardScaler(), *([] if sampler is None else [sampler])]
        learner = clone(self.estimator)
        if scheme == "weights":
            learner.set_params(class_weight="balanced")
        return seeded(make_pipeline(*steps, learner), random_state)

    def measure(self, fold: Fold, scheme: str) -> dict:
        """The quality of one half as a threshold, and the G-mean at the one chosen."""
        model = self.model(scheme, fold.random_state)
        X, y = fold.X_train, fold.y_train
        held_out = np.empty(len(y))
        for train, held in stratified_folds(y, INNER_FOLDS, fold.random_state):
            inner = clone(model).fit(X.iloc[train], y[train])
            held_out[held] = inner.predict_proba(X.iloc[held])[:, 1].round(12)
        threshold = best_threshold(y, held_out)
        probability = model.fit(X, y).predict_proba(fold.X_test)[:, 1]
        score = probability.round(12)
        measured = quality(fold.y_test, (score > 0.5).astype(int), score, probability)
        return measured | {
            "calibration_error": calibration_error(fold.y_test, probability),
            "mean_probability": float(probability.mean()),
            "threshold": threshold,
            "g_mean_tuned": g_mean(fold.y_test, (score >= threshold).astype(int)),
        }


RESAMPLING = Experiment(
    name="showdown-resampling",
    datasets=KEEL,
    methods={
        name: Method(label, Resampled(learner), about=about)
        for name, (label, learner, about) in LEARNERS.items()
    },
    settings=tuple(SCHEMES),
    measures=(
        *("g_mean", "g_mean_tuned", "f1", "average_precision", "auroc", "balanced_accuracy"),
        *("brier", "calibration_error", "mean_probability", "threshold"),
    ),
    repeats=1,
    folds=5,
    quick=("glass6",),
    paired="showdown",
)
