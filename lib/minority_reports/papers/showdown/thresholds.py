"""Every method at the threshold that suits the G-mean, with what a threshold does not change.

A method that predicts at its own threshold, most of them where a probability is one half, may lose
by the threshold alone. Here its score is also cut where the G-mean is highest on rows of the
training part that it has not learned from, by three inner folds. The same inner models tell how
stable a method is, and probabilities are compared with frequencies.

The folds, the random numbers and the models are those of the defaults, the first repeat. Methods
that choose a threshold themselves take part without theirs.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline

from minority_reports.experiments import Experiment, Fold, Method, stratified_folds
from minority_reports.papers.showdown.protocol import (
    CONTESTANTS,
    KEEL,
    METRICS,
    Contestant,
    Entrant,
    guarded,
    model_scores,
    quality,
    sample_rows,
)

#: At the method's own threshold and at the one chosen.
SETTINGS = ("own", "tuned")
INNER_FOLDS = 3
BINS = 10


def best_threshold(y: np.ndarray, score: np.ndarray) -> float:
    """Where to cut a score so that the G-mean of `score >= threshold` is highest.

    Cuts lie midway between neighbouring scores; of equally good ones the lowest counts. If all
    rows have one score there is nothing to cut: it is the threshold.
    """
    order = np.argsort(score, kind="stable")
    values, positive = score[order], y[order] == 1
    ends = np.flatnonzero(np.diff(values) > 0) + 1  # rows below each cut
    if not len(ends):
        return float(values[0])
    sensitivity = 1 - np.cumsum(positive)[ends - 1] / positive.sum()
    specificity = np.cumsum(~positive)[ends - 1] / (~positive).sum()
    best = ends[np.argmax((sensitivity * specificity).round(12))]
    return float((values[best - 1] + values[best]) / 2)


def calibration_error(y: np.ndarray, probability: np.ndarray) -> float:
    """How far probabilities are from frequencies: the mean of both apart, over ten bins.

    The expected calibration error: bins are equally wide and weigh as many rows as they have.
    """
    places = np.minimum((probability * BINS).round(12).astype(int), BINS - 1)
    gaps = np.bincount(places, weights=probability - (y == 1), minlength=BINS)
    return float(np.abs(gaps).sum() / len(y))


def overlap(predictions) -> float:
    """How alike models predict the same rows: shared positives over all, the mean over pairs.

    A pair that predicts no positive at all is left out; without any other pair the overlap is
    missing.
    """
    shares = [
        (first & second).sum() / (first | second).sum()
        for first, second in combinations(predictions, 2)
        if (first | second).any()
    ]
    return float(np.mean(shares)) if shares else math.nan


def without_threshold(pipeline: Pipeline) -> Pipeline:
    """A pipeline whose last step does not choose its threshold."""
    last = pipeline[-1]
    if not isinstance(last, TunedThresholdClassifierCV):
        return pipeline
    name, _ = pipeline.steps[-1]
    return clone(pipeline).set_params(**{name: last.estimator})


@dataclass(frozen=True)
class AtThresholds:
    """A contestant that is measured at its own threshold and at a chosen one."""

    contestant: Contestant

    @property
    def estimator(self):
        """The last step of the pipeline, unfitted."""
        return without_threshold(self.contestant.pipeline)[-1]

    def __call__(self, fold: Fold) -> dict:
        measured = guarded(self.contestant, self.measure, fold)
        return {setting: of_setting(m, setting) for setting, m in measured.items()}

    def measure(self, fold: Fold) -> dict:
        """Learn from all rows and from all but each inner fold, predict and measure."""
        who = self.contestant
        rows = sample_rows(fold.y_train, who.max_rows, fold.random_state)
        X, y = fold.X_train.iloc[rows], fold.y_train[rows]
        plain = without_threshold(Entrant(who).model({}, fold.random_state))
        held_out, predictions = np.empty(len(y)), []
        for train, held in stratified_folds(y, INNER_FOLDS, fold.random_state):
            model = clone(plain).fit(X.iloc[train], y[train])
            held_out[held], _ = model_scores(model, X.iloc[held])
            predictions.append(model.predict(fold.X_test) == 1)
        threshold = best_threshold(y, held_out)
        model = plain.fit(X, y)
        score, probability = model_scores(model, fold.X_test)
        predicted = {"own": model.predict(fold.X_test), "tuned": (score >= threshold).astype(int)}
        known = {
            "calibration_error": None,
            "overlap": overlap(predictions),
            "train_rows": len(y),
        }
        if probability is not None:
            known["calibration_error"] = calibration_error(fold.y_test, probability)
        return {
            setting: quality(fold.y_test, predicted[setting], score, probability) | known
            for setting in SETTINGS
        } | {"threshold": threshold}


def of_setting(measured: dict, setting: str) -> dict:
    """What was measured in a setting; all of it where the work ended before any setting."""
    shared = {k: v for k, v in measured.items() if k not in SETTINGS}
    if setting == "own":
        shared.pop("threshold", None)
    return shared | measured.get(setting, {})


THRESHOLDS = Experiment(
    name="showdown-thresholds",
    datasets=KEEL,
    methods={
        name: Method(who.label, AtThresholds(who), who.version, about=who.about, needs=who.needs)
        for name, who in CONTESTANTS.items()
    },
    settings=SETTINGS,
    measures=(
        *METRICS,
        *("calibration_error", "overlap", "threshold", "train_rows", "failed", "time_limit"),
    ),
    costs=("fit_mb",),
    repeats=1,
    folds=5,
    quick=("glass6",),
    paired="showdown",
)
