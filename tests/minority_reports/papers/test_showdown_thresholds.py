"""Thresholds, calibration and overlap; resampling."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from test_showdown_protocol import small_fold

from minority_reports.papers.showdown import PAPER
from minority_reports.papers.showdown.protocol import CONTESTANTS, Entrant, g_mean
from minority_reports.papers.showdown.resampling import LEARNERS, SCHEMES, Resampled
from minority_reports.papers.showdown.thresholds import (
    SETTINGS,
    AtThresholds,
    best_threshold,
    calibration_error,
    overlap,
    without_threshold,
)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=25))
def test_no_threshold_has_a_higher_g_mean(pairs):
    y, score = np.array([(1, 3), (0, 2), *pairs]).T
    score = score / 7
    threshold = best_threshold(y, score)
    cuts = [*(score + 1e-9), *(score - 1e-9)]
    best = max(g_mean(y, (score >= cut).astype(int)) for cut in cuts)
    assert g_mean(y, (score >= threshold).astype(int)) == pytest.approx(best)


def test_thresholds_by_hand():
    assert best_threshold(np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.6, 0.9])) == 0.4
    assert best_threshold(np.array([0, 1]), np.array([0.3, 0.3])) == 0.3


def test_calibration_error_by_hand():
    y = np.array([0, 1, 0, 1])
    # one bin with 2 rows, 0.15 and 1/2; one with 1.0 and 1; one with 0.5 and 0
    probability = np.array([0.1, 0.19, 0.5, 1.0])
    expected = (abs(0.29 - 1) + 0.5 + 0) / 4
    assert calibration_error(y, probability) == pytest.approx(expected)
    assert calibration_error(y, y.astype(float)) == 0
    assert calibration_error(y, 1.0 - y) == 1


def test_overlap_by_hand():
    first, second = np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool)
    none = np.zeros(4, bool)
    assert overlap([first, first]) == 1
    assert overlap([first, second]) == pytest.approx(1 / 3)
    assert overlap([first, second, none]) == pytest.approx((1 / 3 + 0 + 0) / 3)
    assert math.isnan(overlap([none, none]))


def test_models_are_those_of_the_defaults_but_for_a_threshold_of_their_own():
    fold = small_fold(settings=SETTINGS)
    for name in ("logistic", "fast-boxes"):
        own = AtThresholds(CONTESTANTS[name])(fold)["own"]
        known = Entrant(CONTESTANTS[name])(fold)["own"]
        shared = ("g_mean", "auroc", "brier", "balanced_accuracy", "train_rows")
        assert {k: own[k] for k in shared} == {k: known[k] for k in shared}
    plain = without_threshold(CONTESTANTS["gradient-boosting"].pipeline)
    assert type(plain[-1]).__name__ == "HistGradientBoostingClassifier"
    assert without_threshold(CONTESTANTS["rlsd"].pipeline) is CONTESTANTS["rlsd"].pipeline


def test_both_thresholds_share_what_no_threshold_changes():
    rows = AtThresholds(CONTESTANTS["balanced-forest"])(small_fold(settings=SETTINGS))
    own, tuned = (rows[setting] for setting in SETTINGS)
    for measure in ("auroc", "average_precision", "brier", "calibration_error", "overlap"):
        assert own[measure] == tuned[measure]
    assert 0 < tuned["threshold"] < 1 and "threshold" not in own
    assert 0 < own["overlap"] <= 1 and 0 < own["calibration_error"] < 1


def test_who_cannot_learn_has_the_majority_at_both_thresholds():
    fold = small_fold(settings=SETTINGS)
    fold = type(fold)(
        fold.X_train, 0 * fold.y_train, fold.X_test, fold.y_test, SETTINGS, fold.random_state
    )
    rows = AtThresholds(CONTESTANTS["logistic"])(fold)
    assert all(rows[s]["failed"] == 1 and rows[s]["g_mean"] == 0 for s in SETTINGS)


def test_no_test_row_chooses_a_threshold():
    fold = small_fold(settings=SETTINGS)
    turned = type(fold)(
        fold.X_train, fold.y_train, fold.X_test, 1 - fold.y_test, SETTINGS, fold.random_state
    )
    first, second = (AtThresholds(CONTESTANTS["logistic"])(f) for f in (fold, turned))
    assert first["tuned"]["threshold"] == second["tuned"]["threshold"]


# resampling


def test_only_training_rows_are_resampled_and_to_equal_classes():
    fold = small_fold()
    for scheme in SCHEMES:
        model = Resampled(LogisticRegression()).model(scheme, 0)
        if scheme in ("none", "weights"):
            assert len(model.steps) == 3
            assert model[-1].class_weight == ("balanced" if scheme == "weights" else None)
            continue
        coded = model[:2].fit_transform(fold.X_train)
        _, y = model[2].fit_resample(coded, fold.y_train)
        few, many = np.bincount(fold.y_train)[[1, 0]]
        assert np.bincount(y).tolist() == [few, few] if scheme == "under" else [many, many]


def test_resampling_moves_probabilities_and_hardly_their_order():
    fold = small_fold(n=400, positives=40, settings=tuple(SCHEMES))
    rows = Resampled(LogisticRegression())(fold)
    assert set(rows) == set(SCHEMES)
    for scheme in ("weights", "under", "over", "smote"):
        assert rows[scheme]["mean_probability"] > rows["none"]["mean_probability"] + 0.02
        assert rows[scheme]["auroc"] == pytest.approx(rows["none"]["auroc"], abs=0.05)
    again = Resampled(LogisticRegression())(fold)
    assert rows == again


def test_resampling_has_every_learner_and_scheme():
    plan = PAPER.experiments["resampling"]
    assert set(plan.methods) == set(LEARNERS) and plan.settings == tuple(SCHEMES)
