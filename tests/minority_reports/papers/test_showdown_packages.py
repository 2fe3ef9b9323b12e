"""Classifiers of packages that need not be installed."""

import importlib.util

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from minority_reports.experiments import Settings, run, summary, verify
from minority_reports.experiments.store import Store
from minority_reports.papers.showdown import PAPER
from minority_reports.papers.showdown.packages import Imported, OptimalTreeClassifier
from minority_reports.papers.showdown.protocol import CONTESTANTS

LOGISTIC = "sklearn.linear_model.LogisticRegression"


def data(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < n // 5).astype(int)
    return pd.DataFrame({"x": rng.normal(size=n) + 2 * y, "z [1]": rng.normal(size=n)}), y


def test_an_imported_classifier_is_the_class_itself():
    X, y = data()
    model = Imported(LOGISTIC, C=0.3, max_iter=500, random_state=1).fit(X, y)
    known = LogisticRegression(C=0.3, max_iter=500, random_state=1).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(model.predict_proba(X), known.predict_proba(X.to_numpy()))
    np.testing.assert_array_equal(model.predict(X), known.predict(X.to_numpy()))
    weighted = Imported(LOGISTIC, weights="balanced").fit(X, y)
    balanced = LogisticRegression(class_weight="balanced").fit(X.to_numpy(), y)
    np.testing.assert_allclose(weighted.predict_proba(X), balanced.predict_proba(X.to_numpy()))


def test_an_imported_classifier_is_copied_and_set_by_its_parameters():
    model = Imported(LOGISTIC, C=0.3)
    assert clone(model).set_params(C=2.0, random_state=5).unfitted().C == 2.0
    assert model.C == 0.3 and "C=0.3" in repr(model)
    with pytest.raises(ValueError, match="Invalid parameter 'D'"):
        model.set_params(D=1)


def test_ties_are_drawn_from_the_seed_and_the_global_generator_is_left_alone():
    pytest.importorskip("imodels")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, size=(80, 6)))
    y = (X.sum(axis=1) + rng.normal(size=80) > 8).astype(int)
    model = Imported("imodels.FIGSClassifier", random_state=3)
    np.random.seed(1)  # noqa: NPY002
    first = clone(model).fit(X, y).predict_proba(X)
    after = np.random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert np.random.random() == after  # noqa: NPY002
    for _ in range(3):
        np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), first)


def test_the_optimal_tree_predicts_as_its_package_does():
    pytest.importorskip("pystreed")
    X, y = data()
    model = OptimalTreeClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X.to_numpy()))
    assert 2 <= model.get_n_leaves() <= 8


def test_the_optimal_tree_has_the_lowest_balanced_error():
    """Of all stumps at the cuts between values, which is all there is with few of them."""
    pytest.importorskip("pystreed")
    rng = np.random.default_rng(4)
    for _ in range(5):
        X = rng.integers(0, 4, size=(60, 2))
        y = (X[:, 0] + rng.normal(size=60) > 2.2).astype(int)
        found = OptimalTreeClassifier(max_depth=1, random_state=0).fit(X, y).predict(X)

        def error(predicted, y=y):
            return np.mean([np.mean(predicted[y == k] != k) for k in (0, 1)])

        stumps = [X[:, j] > cut for j in (0, 1) for cut in range(3)]
        best = min(error(np.asarray(s) ^ turned) for s in stumps for turned in (False, True))
        assert error(found) == pytest.approx(best)


def test_without_the_package_stored_rows_show_and_the_rest_says_how_to_get_it(
    monkeypatch, tmp_path
):
    defaults = PAPER.experiments["defaults"]
    asked = {"datasets": "glass6", "methods": "lightgbm,cart-3", "repeats": 1, "folds": 1}
    monkeypatch.setenv("MINORITY_RESULTS", str(tmp_path))
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda n: None if n == "lightgbm" else found(n))
    settings = Settings(PAPER, **asked, compute="missing", n_jobs=1)
    result = run(defaults, settings)
    assert set(result.rows["method"]) == {"cart-3"}
    line = 'LightGBM needs lightgbm: pip install -e ".[showdown]"'
    assert line in summary({"defaults": result})
    # what is stored is shown without the package, and nothing is said of it
    row = result.rows.iloc[0].to_dict() | {"method": "lightgbm"}
    store = Store.of(defaults, tmp_path)
    cost = {k: row[k] for k in ("dataset", "method", "repeat", "fold", "seed")} | {
        "seconds": 1.0,
        "peak_mb": 1.0,
        "machine": "",
    }
    with store.writing():
        store.add([{k: v for k, v in row.items() if v == v}], cost)
    result = run(defaults, settings)
    assert set(result.rows["method"]) == {"cart-3", "lightgbm"}
    assert "lightgbm" not in summary({"defaults": result})
    (agreement, *_) = verify(PAPER, folder=tmp_path, n_jobs=1, progress=False)
    assert agreement.compared == 1 and line in str(agreement)


def test_packages_are_named_as_they_are_imported():
    assert {who.needs for who in CONTESTANTS.values()} == {
        *("", "pystreed", "imodels", "interpret", "lightgbm", "xgboost", "catboost"),
    }
