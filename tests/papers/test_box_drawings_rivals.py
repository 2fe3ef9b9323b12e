"""The rivals of Box Drawings: what the weight does in each, and that nothing else moves them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from minority import datasets
from minority.experiments import Fold, Settings, Task, run
from minority.papers import box_drawings as paper
from minority.papers.box_drawings import _rivals as rivals
from minority.papers.box_drawings._protocol import REAL, TABLE5
from minority.papers.box_drawings._rivals import RIVALS, sigest
from minority.trees import C45Classifier

WEIGHTED = [name for name in RIVALS if name != "c45"]


def overlapping(n=300, seed=0):
    """Two classes that no rival separates, the positives fewer."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.25).astype(np.int8)
    X = pd.DataFrame(rng.normal(size=(n, 2)) + 1.2 * y[:, None], columns=["a", "b"])
    return X, y


@pytest.fixture(scope="module")
def fold():
    X, y = overlapping(600)
    return Fold(X[:300], y[:300], X[300:], y[300:], TABLE5.settings, random_state=1)


@pytest.fixture(scope="module")
def measured(fold):
    return {name: pd.DataFrame(method.run(fold)).T for name, method in RIVALS.items()}


@given(st.integers(2, 30), st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_sigest_directly(n, d, seed, coarse):
    X = np.random.default_rng(0).normal(size=(n, d))
    X = X.round() if coarse else X  # pairs of distance zero
    pairs = np.random.default_rng(seed).integers(n, size=(2, n // 2)).T
    distances = sorted(sum((X[i, k] - X[j, k]) ** 2 for k in range(d)) for i, j in pairs)
    distances = [distance for distance in distances if distance > 0]

    def quantile(q):
        place = q * (len(distances) - 1)
        low = int(place)
        high = min(low + 1, len(distances) - 1)
        return distances[low] + (place - low) * (distances[high] - distances[low])

    expected = [1 / quantile(q) for q in (0.9, 0.5, 0.1)] if distances else [1, 1, 1]
    assert sigest(X, seed) == pytest.approx(expected)


def test_sigest_approaches_the_median_of_all_pairs():
    """Squared distances of normal pairs are twice a chi-square of d degrees of freedom."""
    X = np.random.default_rng(0).normal(size=(40_000, 2))
    assert 1 / sigest(X, 0)[1] == pytest.approx(4 * np.log(2), rel=0.03)


def test_svm_takes_the_inverse_median():
    X, y = overlapping()
    standardised = ((X - X.mean()) / X.std(ddof=0)).to_numpy()
    model = rivals._svm(X, y, 0.3, random_state=5)[-1]
    assert model.gamma == pytest.approx(sigest(standardised, 5)[1])
    assert (model.C, model.kernel, model.class_weight) == (1.0, "rbf", {0: 0.3, 1: 1.0})


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_cheaper_majority_means_more_positives(measured, name):
    predicted = measured[name]["tp"] + measured[name]["fp"]
    assert predicted["c=0.1"] > predicted["c=1"]


def test_c45_is_trained_once(fold, monkeypatch):
    weights = []
    method = RIVALS["c45"].run

    def train(X, y, weight, random_state):
        weights.append(weight)
        return rivals._c45(X, y, weight, random_state)

    monkeypatch.setattr(method, "train", train)
    rows = pd.DataFrame(method(fold)).T
    assert list(rows.index) == list(TABLE5.settings)
    assert weights == [1.0]
    assert len(rows.drop_duplicates()) == 1
    predicted = C45Classifier().fit(fold.X_train, fold.y_train).predict(fold.X_test)
    assert rows["tp"].iloc[0] == (predicted[fold.y_test == 1] == 1).sum()


def test_c50_weighs_cases_by_the_costs_of_their_errors():
    X, y = overlapping()
    model = rivals._c50(X, y, 0.2, random_state=0)
    weight = np.where(y == 1, 1.0, 0.2)
    same = C45Classifier(ruleset=True).fit(X, y, sample_weight=weight * len(y) / weight.sum())
    assert model.to_text() == same.to_text()


def test_adaboost_starts_from_the_weights():
    X, y = overlapping()
    model = rivals._adaboost(X, y, 0.2, random_state=0)
    tree = DecisionTreeClassifier(**model.estimators_[0].get_params())
    tree.fit(X, y, sample_weight=np.where(y == 1, 1.0, 0.2))
    assert (model.estimators_[0].predict(X.to_numpy()) == tree.predict(X)).all()
    assert len(model.estimators_) == 50


def test_weights_do_not_change_the_splits_of_hddt(measured):
    assert len(set(measured["hddt"]["size"])) == 1
    X, y = overlapping()
    trees = [rivals._hddt(X, y, weight, 0).tree_ for weight in (0.1, 1.0)]
    assert (trees[0].feature == trees[1].feature).all()
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


@pytest.mark.parametrize("weight", [0.1, 0.5, 1.0])
def test_boxes_of_prim_outweigh_the_negatives_in_them(weight):
    X, y = overlapping()
    model = rivals._prim(X, y, weight, random_state=0)
    left = np.ones(len(y), dtype=bool)
    assert len(model.boxes_)
    for inside in model.boxes_.covers_each(X.to_numpy()):
        new = inside & left
        assert y[new].sum() > weight * (1 - y[new]).sum()
        left &= ~inside


@pytest.mark.parametrize("name", RIVALS)
def test_randomness_comes_from_the_seed_alone(fold, name):
    def scores(seed):
        model = RIVALS[name].run.train(fold.X_train, fold.y_train, 0.5, seed)
        by_score = hasattr(model, "decision_function")
        return (
            model.decision_function(fold.X_test) if by_score else model.predict_proba(fold.X_test)
        )

    assert (scores(1) == scores(1)).all()
    is_random = name in ("svm-rbf", "random-forest")
    assert (scores(1) != scores(2)).any() == is_random


@pytest.mark.parametrize("name", ["logistic-regression", "cart"])
def test_committed_rows_come_out_again(name):
    settings = Settings(paper.PAPER, datasets="glass2", methods=name, compute="none")
    stored = run(TABLE5, settings).rows.set_index(["fold", "setting"])
    data = datasets.load("glass2")
    for number in range(TABLE5.folds):
        fold = TABLE5.fold_of(Task("glass2", name, 0, number, 0), data.X, data.y)
        for setting, counts in RIVALS[name].run(fold).items():
            assert stored.loc[(number, setting), list(counts)].to_dict() == counts


def test_real_sets_have_a_positive_for_each_fold():
    facts = datasets.describe().set_index("name").loc[list(REAL)]
    assert len(set(REAL)) == len(REAL) >= 36
    assert (facts["positives"] >= TABLE5.folds).all()
    assert not facts["simulated"].any()
