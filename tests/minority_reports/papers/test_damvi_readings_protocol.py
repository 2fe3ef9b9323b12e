"""Variants of DAMVI's methods: AdaBoost by SAMME.R, sizes of bags, Figure 1 thinned first."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from test_damvi_protocol import overlapping

from minority_reports.experiments import Task, with_random_state
from minority_reports.papers.damvi import readings_protocol as protocol
from minority_reports.papers.damvi.protocol import FIG1, RIVALS, TABLE23, share_of, with_imbalance
from minority_reports.papers.damvi.readings_protocol import (
    FIGURE_1,
    FIGURE_1_BEFORE,
    RealAdaBoostClassifier,
    thinned_before,
)


def by_the_formula(X, y, X_test, n_estimators, rng):
    """SAMME.R as Zhu and others (2009) state it for K classes, algorithm 4, and their eq. (4)."""
    K, weight, f = 2, np.full(len(y), 1 / len(y)), np.zeros((len(X_test), 2))
    coding = np.where(np.arange(K) == y[:, None], 1, -1 / (K - 1))
    for _ in range(n_estimators):
        stump = DecisionTreeClassifier(max_depth=1, random_state=rng.randint(2**31 - 1))
        stump.fit(X, y, sample_weight=weight)
        log_p, test = (
            np.log(np.maximum(stump.predict_proba(part), np.finfo(float).eps))
            for part in (X, X_test)
        )
        f += (K - 1) * (test - test.mean(axis=1, keepdims=True))
        for i in range(len(y)):
            weight[i] *= np.exp(-(K - 1) / K * coding[i] @ log_p[i])
        weight /= weight.sum()
    f /= n_estimators
    return np.exp(f / (K - 1)) / np.exp(f / (K - 1)).sum(axis=1, keepdims=True)


def test_samme_r_is_that_of_the_paper_on_boosting():
    X, y = overlapping(300, share=0.4)
    X = X.to_numpy(np.float32)
    model = RealAdaBoostClassifier(20, random_state=5).fit(X[:200], y[:200])
    expected = by_the_formula(X[:200], y[:200], X[200:], 20, np.random.RandomState(5))
    np.testing.assert_allclose(model.predict_proba(X[200:]), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X[200:]), expected.argmax(axis=1))


def test_samme_r_ends_with_a_stump_without_errors():
    X, y = np.arange(10.0)[:, None], np.repeat(["no", "yes"], 5)
    model = RealAdaBoostClassifier(random_state=0).fit(X, y)
    assert len(model.stumps_) == 1
    assert (model.predict(X) == y).all()


def fitted(name, X, y):
    return with_random_state(protocol.VARIANTS[name].estimator, 0).fit(X, y)


@pytest.mark.parametrize("name", ["r-bg", "s-bg", "a-bg"])
def test_bags_of_the_oversampled_rows_are_larger(name):
    X, y = overlapping(300)
    oversampled = fitted(f"{name}:bags=oversampled", X.to_numpy(), y).model_
    (drawn,) = {tree.counts[0].sum() for tree in oversampled.trees_}
    assert drawn == pytest.approx(0.2 * 2 * (y == 0).sum(), abs=3)
    full = protocol.FULL_BAGS[f"{name}:bags=full"].estimator
    full = with_random_state(full, 0).fit(X.to_numpy(), y).model_
    assert {tree.counts[0].sum() for tree in full.trees_} == {300}
    # the protocol's own has not changed by that
    assert RIVALS[name].estimator.estimator.max_samples == 0.2


def test_balanced_random_forest_of_2020():
    X, y = overlapping(200)
    model = fitted("brf:forest=2020", X.to_numpy(), y)
    assert (model.sampling_strategy, model.replacement, model.bootstrap) == ("auto", False, True)
    tree = model.estimators_[0].tree_
    assert tree.weighted_n_node_samples[0] == 2 * y.sum()
    assert tree.n_node_samples[0] < 2 * y.sum()  # a bootstrap repeats some


def test_easy_ensemble_boosts_by_samme_r():
    fold = TABLE23.fold_of(Task("toy", "ee", 0, 0, 0), *overlapping(200))
    method = protocol.VARIANTS["ee:boosting=samme-r"].run
    small = replace(method, estimator=clone(method.estimator).set_params(n_estimators=4))
    assert small(fold)["default"]["ap"] > 2 * fold.y_test.mean()
    model = with_random_state(small.estimator, 0).fit(fold.X_train, fold.y_train)
    assert [type(step[-1]) for step in model.estimators_] == [RealAdaBoostClassifier] * 4


def test_thinned_first_whole_set_has_the_percentage():
    """Both parts together do; each of them only about, since the split is not stratified."""
    X, y = overlapping(6000, share=0.0232)
    X["row"] = np.arange(len(X))
    fold = FIGURE_1_BEFORE.fold_of(Task("toy", "damvi", 0, 0, 0), X, y)
    other = FIGURE_1_BEFORE.fold_of(Task("toy", "ee", 0, 0, 0), X, y)
    shares = set()
    for setting in FIGURE_1_BEFORE.settings:
        thin = thinned_before(fold, setting)
        rows = pd.concat([thin.X_train["row"], thin.X_test["row"]])
        assert rows.is_unique
        labels = np.concatenate([thin.y_train, thin.y_test])
        np.testing.assert_array_equal(labels, y[rows])
        assert abs(labels.sum() - share_of(setting) * len(labels)) <= 0.5
        assert len(thin.y_test) == np.ceil(0.3 * len(labels))
        assert thin.X_train.equals(thinned_before(other, setting).X_train)
        shares.add(round(thin.y_test.sum() - share_of(setting) * len(thin.y_test)))
    assert len(shares) > 1


def test_readings_of_figure_1_are_of_its_folds():
    assert FIGURE_1.settings == FIG1.settings
    assert [s.partition(":")[0] for s in FIGURE_1_BEFORE.settings] == list(FIG1.settings)
    assert set(FIG1.methods) | set(FIGURE_1.methods) == set(FIGURE_1_BEFORE.methods)
    X, y = overlapping(3000, share=0.05)
    task = Task("toy", "damvi:code=released", 0, 0, 0)
    assert FIGURE_1.fold_of(task, X, y).random_state == FIG1.fold_of(task, X, y).random_state
    fold = FIGURE_1.fold_of(task, X, y)
    setting = FIGURE_1.settings[-1]
    row = FIGURE_1.methods[task.method].run(replace(fold, settings=(setting,)))[setting]
    alone = protocol.AS_RELEASED.run(replace(with_imbalance(fold, setting), settings=("default",)))
    assert row == alone["default"]
