"""The wrapper: criteria against scikit-learn, inner models without leaks, the classifier."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imblearn.pipeline import make_pipeline as make_imbalanced_pipeline
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, get_scorer, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from minority.rules import RIPPERClassifier
from minority.sampling import (
    InnerModels,
    PercentSampler,
    SamplingWrapperClassifier,
    plot_search_path,
)
from minority.sampling._criteria import (
    cost_matrix,
    error_cost,
    f_measure,
    one_against_rest,
    precision_weight,
)
from minority.sampling._inner import deal_folds, seeded
from minority.trees import C45Classifier

TREE = DecisionTreeClassifier(max_depth=4)


def rare(n=300, positives=0.1, seed=0):
    return make_classification(
        n, n_features=5, weights=[1 - positives], flip_y=0.05, class_sep=0.7, random_state=seed
    )


def three_classes(seed=0):
    X, y = make_classification(
        400, n_informative=4, n_classes=3, weights=[0.75, 0.17, 0.08], flip_y=0.1, random_state=seed
    )
    return X, np.array(["common", "rare", "rarest"])[y]


# ---------------------------------------------------------------------------------------------
# Criteria


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31), st.integers(2, 4), st.integers(1, 5))
def test_auroc_by_ranks(seed, n_classes, levels):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.r_[np.arange(n_classes), rng.integers(n_classes, size=20)])
    scores = rng.integers(levels, size=(len(truth), n_classes)) / 7  # many ties
    if n_classes == 2:
        scores[:, 0] = 1 - scores[:, 1]
    area = one_against_rest(truth, scores)
    expected = [roc_auc_score(truth == c, scores[:, c]) for c in range(n_classes)]
    np.testing.assert_allclose(area, expected)


def test_auroc_without_a_class():
    assert np.isnan(one_against_rest(np.zeros(3, dtype=int), np.ones((3, 2)))).all()
    area = one_against_rest(np.array([0, 2, 2]), np.eye(3)[[0, 2, 0]])
    np.testing.assert_array_equal(area, [0.75, np.nan, 0.75])


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31), st.integers(2, 4), st.sampled_from([0.2, 1, 3, 50]))
def test_f_of_each_class(seed, n_classes, ratio):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(n_classes, size=(2, 25))
    confusion = np.zeros((n_classes, n_classes), dtype=int)
    np.add.at(confusion, (truth, predicted), 1)
    options = {"labels": range(n_classes), "average": None, "zero_division": 0}
    np.testing.assert_allclose(f_measure(confusion), f1_score(truth, predicted, **options))
    # The paper's beta is 1 / ratio, and the usual one is 1 over it.
    usual = fbeta_score(truth, predicted, beta=ratio, **options)
    weight = 1 / (1 + ratio**2)
    np.testing.assert_allclose(f_measure(confusion, weight), usual)


def test_beta_comes_from_the_costs():
    """Eq. 5 written out: P = 6/10, R = 6/8, beta = C(+|-) / C(-|+) = 1/4."""
    confusion = np.array([[30, 4], [2, 6]])
    weight = precision_weight(cost_matrix(4, [0, 1], np.array([False, True])))
    beta, p, r = 1 / 4, 6 / 10, 6 / 8
    f = (1 + beta**2) * p * r / (beta**2 * r + p)
    assert f_measure(confusion, weight)[1] == pytest.approx(f)
    # The majority's own misses are the false alarms of the other.
    beta, p, r = 4, 30 / 32, 30 / 34
    f = (1 + beta**2) * p * r / (beta**2 * r + p)
    assert f_measure(confusion, weight)[0] == pytest.approx(f)
    plain = precision_weight(cost_matrix(1, [0, 1], np.array([False, True])))
    np.testing.assert_allclose(f_measure(confusion, plain), f_measure(confusion))
    assert precision_weight(np.array([[0, 5.0], [0, 0]])).tolist() == [0, 1]
    assert precision_weight(np.array([[0, 0, 0], [0, 0, 1.0], [0, 2, 0]]))[0] == 0.5


def test_cost_by_rates():
    """Eq. 1: FN rate 2/8 at 10, FP rate 4/34 at 1, the same for both classes."""
    confusion = np.array([[30, 4], [2, 6]])
    matrix = cost_matrix(10, [0, 1], np.array([False, True]))
    np.testing.assert_allclose(error_cost(confusion, matrix), [2.5 + 4 / 34] * 2)


def test_cost_of_several_classes():
    """Misses in the row, false alarms in the column."""
    confusion = np.array([[8, 2, 0], [1, 3, 0], [0, 5, 5]])
    matrix = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    misses = [2 / 10 * 1, 1 / 4 * 3, 5 / 10 * 6]
    alarms = [1 / 4 * 3, 2 / 10 * 1 + 5 / 10 * 6, 0]
    np.testing.assert_allclose(error_cost(confusion, matrix), np.add(misses, alarms))


def test_cost_ratio_of_several_classes():
    matrix = cost_matrix(7, list("abc"), np.array([True, False, True]))
    assert matrix.tolist() == [[0, 7, 7], [1, 0, 1], [7, 7, 0]]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.nan, "finite"),
        (np.inf, "finite"),
        (np.zeros((2, 2)), "All costs of errors are zero"),
        ([[0, -1], [1, 0]], "not negative"),
        ([[0, 10**400], [1, 0]], "at most 1e"),
        ([[1, 1], [1, 0]], "zero on the diagonal"),
        ([[0, 1, 1]], "have the shape"),
    ],
)
def test_costs_that_cannot_be(costs, message):
    with pytest.raises(ValueError, match=message):
        cost_matrix(costs, [0, 1], np.array([False, True]))
    with pytest.raises(ValueError):
        SamplingWrapperClassifier(TREE, criterion="cost", costs=costs).fit(*rare())


def test_a_ratio_of_zero_is_refused():
    with pytest.raises(ValueError, match="costs"):
        SamplingWrapperClassifier(TREE, criterion="cost", costs=0).fit(*rare())


def test_one_cost_may_be_zero():
    """False alarms for nothing: the class that costs something is predicted everywhere or not."""
    X, y = rare()
    free = np.array([[0, 0], [1, 0]])
    for criterion in ("cost", "fbeta"):
        model = SamplingWrapperClassifier(TREE, criterion=criterion, costs=free, random_state=0)
        assert np.isfinite(model.fit(X, y).search_path_["score 1"]).all()


# ---------------------------------------------------------------------------------------------
# Inner models


class Spy(ClassifierMixin, BaseEstimator):
    """Writes down the rows that it sees."""

    seen = None  # a list, set by the test

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.mean_ = X[y == self.classes_[1]].mean(axis=0)
        type(self).seen.append(["fit", X])
        return self

    def predict_proba(self, X):
        type(self).seen.append(["predict", X])
        p = np.clip(X @ self.mean_, 0, 1)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture
def spy(monkeypatch):
    monkeypatch.setattr(Spy, "seen", [])
    return Spy


def traced(n=80, n_minority=20):
    """Row i has only feature i, so that anything made from it shows it."""
    rng = np.random.default_rng(0)
    return np.diag(rng.uniform(0.5, 1, n)), rng.permutation(np.arange(n) < n_minority).astype(int)


def sources(X):
    """The rows that a table is made of."""
    return set(np.flatnonzero((np.asarray(X) > 0).any(axis=0)).tolist())


def test_no_model_sees_the_rows_it_is_judged_by(spy):
    X, y = traced()
    inner = InnerModels(spy(), X, y, random_state=0)
    inner.validation({0: 50}, {1: 300})
    models = [[]]
    for kind, rows in spy.seen:
        if kind == "fit":
            models.append([rows])
        else:
            models[-1].append(rows)
    judged = []
    for fitted, *asked in models[1:]:
        assert len(fitted) == 24 + 4 * 16
        for rows in asked:
            assert not sources(fitted) & sources(rows)
        judged += sorted(sources(asked[0]))
    assert sorted(judged) == list(range(80)), "every row is judged once"


def test_no_outer_test_row_is_seen_inside(spy):
    X, y = traced()
    test = np.arange(0, 80, 10)
    train = np.setdiff1d(np.arange(80), test)
    model = SamplingWrapperClassifier(spy(), random_state=0).fit(X[train], y[train])
    assert len(model.search_path_) > 3
    assert set().union(*(sources(rows) for _, rows in spy.seen)) <= set(train.tolist())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 7))
def test_folds_have_equal_shares_of_each_class(codes, n_folds):
    codes = np.array(codes)
    folds = deal_folds(codes, n_folds, np.random.default_rng(0))
    for code in np.unique(codes):
        of_class = folds[codes == code]
        if len(of_class) == 1:
            assert of_class[0] == 0, "never judged"
            continue
        counts = np.bincount(of_class, minlength=n_folds + 1)[1:]
        assert counts.sum() == len(of_class) and counts.max() - counts.min() <= 1
        assert counts.max() < len(of_class), "some of it is in every training part"
    sizes = np.bincount(folds, minlength=n_folds + 1)[1:]
    assert sizes.max() - sizes.min() <= 1


CRITERIA = [("auroc", 1), ("f1", 1), ("cost", 1), ("cost", 10), ("fbeta", 10)]


def test_criteria_share_models_and_find_what_they_find_alone():
    X, y = rare()
    shared = InnerModels(TREE, X, y, random_state=3)
    n_alone = 0
    for criterion, costs in CRITERIA:
        alone = InnerModels(TREE, X, y, random_state=3)
        expected = alone.search(criterion, costs=costs)
        found = shared.search(criterion, costs=costs)
        pd.testing.assert_frame_equal(found.path, expected.path)
        n_alone += alone.n_fits_
        assert alone.n_fits_ == 5 * len(expected.path)
    assert shared.n_fits_ < n_alone
    before = shared.n_fits_
    shared.search("auroc")
    assert shared.n_fits_ == before


def test_models_are_trained_once_for_each_sample():
    """Levels that leave the same rows share their models, others do not."""
    X, y = np.random.default_rng(0).normal(size=(25, 2)), np.arange(25) % 5 == 0
    inner = InnerModels(GaussianNB(), X, y.astype(int), random_state=0)
    first = inner.validation({0: 50}, {1: 0})  # 8 of 16 negatives, 4 positives in each fold
    assert inner.validation({0: 51}, {1: 2}) is first
    others = [inner.validation({0: 50}, {1: 100}), inner.validation({0: 25}, {1: 0})]
    others += [inner.validation({0: 50}, {}), inner.validation({}, {1: 200})]  # 8 rows, 8 points
    assert len({id(found) for found in (first, *others)}) == 5
    assert inner.n_fits_ == 25


def test_values_are_means_over_the_folds():
    X, y = three_classes()
    inner = InnerModels(GaussianNB(), X, y, random_state=0)
    assert inner.minority_ == ["rare", "rarest"] and inner.majority_ == ["common"]
    levels = {"common": 60}, {"rare": 100, "rarest": 200}
    found = inner.validation(*levels)
    labels = inner.classes_
    for k, label in enumerate(labels):
        expected = [
            roc_auc_score(truth == k, scores[:, k])
            for truth, scores in zip(found.truth, found.scores, strict=True)
        ]
        assert inner.values("auroc", *levels)[label] == pytest.approx(np.mean(expected))
        expected = [
            f1_score(truth == k, predicted == k)
            for truth, predicted in zip(found.truth, found.predicted, strict=True)
        ]
        assert inner.values("f1", *levels)[label] == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("base", [GaussianNB(), LinearSVC(), C45Classifier()])
@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "average_precision", "balanced_accuracy"])
def test_scorers_get_what_the_models_said(base, name):
    """Against models fitted to the same folds by hand."""
    X, y = rare()
    inner = InnerModels(base, X, y, random_state=0)
    value = inner.values(get_scorer(name), {0: 100}, {1: 0})
    folds = deal_folds(y, 5, np.random.default_rng([inner.seed]))
    scores = []
    for k in range(1, 6):
        model = clone(base).fit(X[folds != k], y[folds != k])
        scores.append(get_scorer(name)(model, X[folds == k], y[folds == k]))
    assert value[0] == value[1] == pytest.approx(np.mean(scores), abs=1e-3)


class PlainTree(C45Classifier):
    """C4.5 as any other estimator: it gets a table for each sample and sorts it itself."""


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("as_frame", [False, True])
def test_trees_of_shared_sorts_are_those_of_each_sample(n_classes, as_frame):
    """At any levels, in any order; with ties, and also pruned by subtree raising."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(400, 4)).round(1)
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=400), [2.0, 3.0][: n_classes - 1])
    if as_frame:
        X = pd.DataFrame(X, columns=list("abcd"))
    shared, alone = (InnerModels(t, X, y, random_state=0) for t in (C45Classifier(), PlainTree()))
    levels = [(100, 0), (40, 0), (40, 250), (70, 1000), (70, 130)]
    for kept, added in levels:
        at = dict.fromkeys(shared.majority_, kept), dict.fromkeys(shared.minority_, added)
        one, other = shared.validation(*at), alone.validation(*at)
        for fold in range(5):
            np.testing.assert_array_equal(one.scores[fold], other.scores[fold])
            np.testing.assert_array_equal(one.predicted[fold], other.predicted[fold])


def test_parameters_of_trees_with_shared_sorts_are_checked():
    with pytest.raises(ValueError, match="min_samples_leaf"):
        InnerModels(C45Classifier(min_samples_leaf=-1), *rare()).search()


def test_inner_folds_in_parallel():
    X, y = three_classes()
    paths = [
        SamplingWrapperClassifier(TREE, n_jobs=n_jobs, random_state=0).fit(X, y).search_path_
        for n_jobs in (None, 2)
    ]
    pd.testing.assert_frame_equal(*paths)


# ---------------------------------------------------------------------------------------------
# The classifier


@parametrize_with_checks(
    [
        SamplingWrapperClassifier(DecisionTreeClassifier(), criterion="f1", cv=2),
        SamplingWrapperClassifier(LogisticRegression(), cv=2, gap="attribute", n_jobs=2),
    ]
)
def test_sklearn_contract_with_other_estimators(estimator, check):
    """Those with our own estimators are among the tests of all estimators."""
    check(estimator)


def test_the_estimator_is_trained_on_what_the_resampler_draws(spy):
    X, y = traced()
    model = SamplingWrapperClassifier(spy(), criterion="f1", random_state=0).fit(X, y)
    trained_on = [rows for kind, rows in spy.seen if kind == "fit"][-1]
    rows, labels = model.resampler_.fit_resample(X, y)
    np.testing.assert_array_equal(trained_on, rows)
    kept, added = model.undersampling_[0], model.smote_[1]
    assert np.bincount(labels).tolist() == [round(0.6 * kept), 20 + added // 5]


def test_the_wrapper_by_hand():
    """Inner models, levels, sampler and seeds: what experiments that share models rely on."""
    X, y = rare()
    base = DecisionTreeClassifier(max_features=1)
    inner = InnerModels(base, X, y, random_state=4)
    levels = inner.search("f1")
    sampler = PercentSampler(levels.undersampling, levels.smote, random_state=inner.seed)
    by_hand = seeded(base, [inner.seed, 0]).fit(*sampler.fit_resample(X, y))
    model = SamplingWrapperClassifier(base, criterion="f1", random_state=4).fit(X, y)
    pd.testing.assert_frame_equal(model.search_path_, levels.path)
    np.testing.assert_array_equal(model.predict_proba(X), by_hand.predict_proba(X))


def test_levels_are_those_of_the_search():
    X, y = rare(600)
    options = {"decrement": 20, "increment": 50, "min_increment": 0.01, "look_ahead": 2}
    model = SamplingWrapperClassifier(
        TREE, criterion="cost", costs=10, max_smote=400, random_state=1, **options
    ).fit(X, y)
    path = model.search_path_
    assert (path["kept 0"] % 20 == 0).all() and (path["smote 1"] % 50 == 0).all()
    accepted = path[path["accepted"]].iloc[-1]
    assert model.undersampling_ == {0: accepted["kept 0"]}
    assert model.smote_ == {1: accepted["smote 1"]}
    assert model.undersampling_ != {0: 100} or model.smote_ != {1: 0}


def test_sampling_helps_where_missing_is_dear():
    """Two clouds that overlap: the best boundary moves far into the common one."""
    rng = np.random.default_rng(0)
    y = (np.arange(2000) < 100).astype(int)
    X = rng.normal(size=(2000, 2)) + 1.5 * y[:, None]
    wrapper = SamplingWrapperClassifier(criterion="cost", costs=20, random_state=0)
    plain, sampled = (
        20 * ((predicted == 0) & (y == 1)).sum() + ((predicted == 1) & (y == 0)).sum()
        for predicted in (cross_val_predict(m, X, y, cv=3) for m in (C45Classifier(), wrapper))
    )
    assert sampled < plain


def test_classes_with_names_and_a_chosen_minority():
    X, y = three_classes()
    model = SamplingWrapperClassifier(TREE, minority=["rarest"], random_state=0).fit(X, y)
    assert set(model.smote_) == {"rarest"} and set(model.undersampling_) == {"common", "rare"}
    model = SamplingWrapperClassifier(TREE, minority="rare", random_state=0).fit(X, y)
    assert set(model.smote_) == {"rare"}
    assert set(model.predict(X)) <= {"common", "rare", "rarest"}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="minority names 'rara'"):
        SamplingWrapperClassifier(TREE, minority="rara").fit(X, y)


def test_all_classes_may_be_minorities():
    X, y = three_classes()
    model = SamplingWrapperClassifier(TREE, minority=list(np.unique(y)), random_state=0).fit(X, y)
    assert model.undersampling_ == {} and len(model.smote_) == 3


def mixed(n=300):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green"], n)
    size = rng.normal(size=n)
    y = np.where((size + (colour == "red") > 1.2) ^ (rng.random(n) < 0.05), "yes", "no")
    X = pd.DataFrame({"size": size, "count": rng.integers(9, size=n)})
    X["colour"] = pd.Categorical(colour)
    X["shape"] = rng.choice(["round", "square"], n)
    return X, y


@pytest.mark.parametrize(
    "base",
    [
        C45Classifier(),
        RIPPERClassifier(),
        make_pipeline(
            make_column_transformer(
                (OneHotEncoder(handle_unknown="ignore"), ["colour", "shape"]),
                remainder="passthrough",
            ),
            LogisticRegression(),
        ),
    ],
)
def test_frames_reach_the_estimator_as_they_are(base):
    X, y = mixed()
    model = SamplingWrapperClassifier(base, criterion="f1", cv=3, random_state=0).fit(X, y)
    assert model.feature_names_in_.tolist() == list(X)
    assert (model.predict(X) == y).mean() > 0.7


def test_text_tells_the_levels_and_the_model():
    X, y = mixed()
    model = SamplingWrapperClassifier(criterion="cost", costs=5, random_state=0).fit(X, y)
    first, empty, *rest = model.to_text(digits=2).splitlines()
    kept, added = model.undersampling_["no"], model.smote_["yes"]
    assert first == f"{kept} % of no kept, {added} % of yes added" and empty == ""
    assert "\n".join(rest) == model.estimator_.to_text(digits=2) and "size" in model.to_text()
    other = SamplingWrapperClassifier(GaussianNB(), random_state=0).fit(*rare())
    assert other.to_text().count("\n") == 0


def test_resampler_in_a_pipeline_of_imbalanced_learn():
    X, y = rare()
    model = SamplingWrapperClassifier(GaussianNB(), criterion="f1", random_state=0).fit(X, y)
    pipeline = make_imbalanced_pipeline(clone(model.resampler_), GaussianNB()).fit(X, y)
    np.testing.assert_allclose(pipeline.predict_proba(X), model.predict_proba(X))


def test_what_the_estimator_cannot_the_wrapper_cannot():
    X, y = rare()
    with pytest.raises(ValueError, match="predict_proba or decision_function"):
        SamplingWrapperClassifier(Plain()).fit(X, y)
    model = SamplingWrapperClassifier(Plain(), criterion="f1").fit(X, y)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "decision_function")
    model = SamplingWrapperClassifier(LinearSVC(), random_state=0).fit(X, y)
    assert not hasattr(model, "predict_proba") and model.decision_function(X).shape == (300,)
    for nothing in ("tree", DecisionTreeClassifier):
        with pytest.raises(TypeError, match="must be a classifier"):
            SamplingWrapperClassifier(nothing).fit(X, y)
    with pytest.raises(ValueError, match="criterion must be a scorer or one of"):
        InnerModels(TREE, X, y).search("gain")


class Plain(ClassifierMixin, BaseEstimator):
    """Predicts classes and nothing else."""

    def fit(self, X, y):
        self.classes_, self.mean_ = np.unique(y), X[:, 0].mean()
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > self.mean_).astype(int)]


# ---------------------------------------------------------------------------------------------
# Few rows


@pytest.mark.parametrize("n_minority", [2, 3, 4])
@pytest.mark.parametrize("criterion", ["auroc", "f1", "cost", "fbeta"])
def test_fewer_minority_rows_than_folds_and_neighbours(n_minority, criterion):
    """Every training part has the class; folds without it are left out of the averages."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), (np.arange(60) < n_minority).astype(int)
    X[:n_minority] += 2
    inner = InnerModels(GaussianNB(), X, y, random_state=0)
    assert sum((truth == 1).any() for truth in inner.validation({0: 100}, {1: 0}).truth) == (
        n_minority
    )
    model = SamplingWrapperClassifier(GaussianNB(), criterion=criterion, random_state=0).fit(X, y)
    assert np.isfinite(model.search_path_["score 1"]).all()
    assert model.classes_.tolist() == [0, 1] == model.estimator_.classes_.tolist()


def test_a_minority_class_with_one_row():
    """Nothing can be learnt about it: the model is trained on the data as they are."""
    X, y = np.random.default_rng(0).normal(size=(30, 2)), (np.arange(30) == 7).astype(int)
    model = SamplingWrapperClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert model.undersampling_ == model.smote_ == {} and len(model.search_path_) == 1
    assert model.to_text().startswith("no sampling")
    np.testing.assert_allclose(model.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


def test_a_class_with_one_row_among_several():
    X, y = three_classes()
    y = y.astype("U8")
    y[5] = "single"
    model = SamplingWrapperClassifier(TREE, random_state=0).fit(X, y)
    assert set(model.smote_) == {"rare", "rarest"} and set(model.undersampling_) == {"common"}
    assert "single" in model.estimator_.classes_


def test_equal_classes():
    """Of two the second is the minority; of more, none."""
    X, y = load_iris(return_X_y=True)
    model = SamplingWrapperClassifier(TREE, random_state=0).fit(X, y)
    assert model.smote_ == {} == model.undersampling_
    model = SamplingWrapperClassifier(TREE, random_state=0).fit(X[y < 2], y[y < 2])
    assert set(model.smote_) == {1}


def test_one_class():
    with pytest.raises(ValueError, match="one class"):
        SamplingWrapperClassifier(TREE).fit(np.zeros((5, 1)), np.zeros(5))


def test_a_model_that_never_finds_the_minority():
    """F is 0 at every level: the search ends, and nothing is sampled for nothing."""
    model = SamplingWrapperClassifier(
        DummyClassifier(strategy="constant", constant=0), criterion="f1", random_state=0
    ).fit(*rare())
    assert model.smote_ == {1: 0} and len(model.search_path_) <= 14


# ---------------------------------------------------------------------------------------------
# The picture


def colour_of(axes, name):
    return next(line.get_color() for line in axes.lines if line.get_label() == name)


def test_plot_of_the_path():
    X, y = three_classes()
    path = SamplingWrapperClassifier(TREE, criterion="f1", random_state=0).fit(X, y).search_path_
    axes = plot_search_path(path, ylabel="F")
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert len(ticks) == len(path) and ticks[0] == "start"
    assert "common: 90 %" in ticks and "rarest: +100 %" in ticks
    for name in ("rare", "rarest", "common"):
        drawn = {
            (x, y)
            for line in axes.lines
            if len(line.get_xdata()) and line.get_color() == colour_of(axes, name)
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        }
        assert drawn == set(enumerate(path[f"score {name}"]))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "rare",
        "rarest",
        "common",
    ]
    assert plot_search_path(path, axes) is axes
    plt.close("all")


def test_plot_of_a_path_with_one_score_for_all_classes():
    """No line is hidden under another one."""
    model = SamplingWrapperClassifier(TREE, criterion="cost", costs=5, random_state=0)
    axes = plot_search_path(model.fit(*rare()).search_path_)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["1 and 0"]
    plt.close("all")


def test_plot_of_a_path_names_classes_that_are_numbers():
    numbered = SamplingWrapperClassifier(TREE, random_state=0).fit(*rare()).search_path_
    ticks = [tick.get_text() for tick in plot_search_path(numbered).get_xticklabels()]
    assert "0: 90 %" in ticks and "1: +100 %" in ticks
    plt.close("all")
