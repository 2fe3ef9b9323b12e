"""An estimator as a method: copies, random states, settings."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from minority_reports.experiments import Fit, OnChangedFolds, only_rows, with_random_state
from minority_reports.experiments.plan import Fold


@pytest.fixture
def fold():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]), np.arange(60) % 3 == 0
    return Fold(X[:40], y[:40].astype(int), X[40:], y[40:].astype(int), ("d=1", "d=2"), 7)


def test_random_state_is_set_where_there_is_one_and_nothing_else_changes():
    tree = DecisionTreeClassifier(max_depth=2)
    copy = with_random_state(tree, 5, max_depth=3)
    assert (copy.random_state, copy.max_depth) == (5, 3)
    assert (tree.random_state, tree.max_depth) == (None, 2)
    steps = with_random_state(make_pipeline(StandardScaler(), LogisticRegression()), 5)
    assert steps[-1].random_state == 5


def test_one_model_stands_for_all_settings(fold):
    models = []

    def measure(model, X_test, y_test):
        models.append(model)
        return {"rows": len(X_test), "positives": int(y_test.sum())}

    measured = Fit(DecisionTreeClassifier(), measure)(fold)
    assert len(models) == 1 and models[0].random_state == 7
    assert measured == {s: {"rows": 20, "positives": 6} for s in fold.settings}


def test_settings_vary_parameters(fold):
    run = Fit(
        DecisionTreeClassifier(),
        lambda model, X_test, y_test: {"depth": model.get_depth()},
        varied=lambda setting: {"max_depth": int(setting[2:])},
    )
    assert run(fold) == {"d=1": {"depth": 1}, "d=2": {"depth": 2}}
    assert run.estimator.max_depth is None


def test_a_method_runs_on_the_fold_as_each_setting_changes_it(fold):
    def with_rows(fold, setting):
        return only_rows(fold, np.arange(10 * int(setting[2:])), np.arange(5))

    def measure(model, X_test, y_test):
        return {"leaves": model.get_n_leaves(), "rows": len(X_test)}

    tree = DecisionTreeClassifier()
    run = OnChangedFolds(Fit(tree, measure), with_rows)
    found = run(fold)
    assert list(found) == ["d=1", "d=2"] and all(row["rows"] == 5 for row in found.values())
    assert found["d=1"]["leaves"] < found["d=2"]["leaves"]
    assert run.estimator is tree
