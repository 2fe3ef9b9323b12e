"""Boosting-SVM against Algorithm 1 of the paper, worked by hand and written out plainly."""

from math import exp, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imblearn.metrics import geometric_mean_score
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import make_circles, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from minority.ensembles import BoostingSVMClassifier, linear_svm


def rare(n=300, positives=0.15, seed=0):
    return make_classification(
        n, n_features=5, weights=[1 - positives], flip_y=0.1, class_sep=0.7, random_state=seed
    )


class Watched(BoostingSVMClassifier):
    """Keeps the prices that each machine is trained with."""

    def _learn(self, X, is_positive, weight, *others):
        self.seen_ = [*getattr(self, "seen_", []), (X, is_positive, weight)]
        return super()._learn(X, is_positive, weight, *others)


def test_two_rounds_by_hand_on_five_points():
    r"""The prices are 5/4 and 5/6, and the first machine is :math:`x / 3`.

    -3 and 3 lie on its margins, with multipliers 3/20 and 23/30 of their prices. The negative
    among the positives pays all of its price, the others pay nothing. So

    w = 5/4 * 23/30 * 3 + 5/6 * 3/20 * 3 - 5/6 * 7/2 = 1/3, and 5/4 * 23/30 = 5/6 * (3/20 + 1).
    """
    X, y = np.array([[-4], [-3], [3], [4], [3.5]]), np.array([0, 0, 1, 1, 0])
    model = Watched(n_estimators=2, delta=1.0, validation_fraction=None).fit(X, y)
    assert model.estimators_[0].coef_[0, 0] == pytest.approx(1 / 3, abs=1e-3)
    assert model.estimators_[0].intercept_[0] == pytest.approx(0, abs=1e-3)
    assert model.errors_[0] == pytest.approx(1 / 5)
    assert model.alphas_[0] == pytest.approx(log(4))
    first, second = (weight for _, _, weight in model.seen_)
    np.testing.assert_allclose(first / first.mean(), [5 / 6, 5 / 6, 5 / 4, 5 / 4, 5 / 6])
    np.testing.assert_allclose(second / first, [1, 1, 1, 1, 4])


@st.composite
def small_problems(draw):
    n = draw(st.integers(6, 14))
    cells = draw(st.lists(st.integers(-4, 4), min_size=2 * n, max_size=2 * n))
    labels = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(cells, dtype=float).reshape(n, 2), np.array([True, False, *labels[2:]])


@settings(max_examples=40, deadline=None)
@given(small_problems(), st.sampled_from([0.1, 0.5, 1.0]))
def test_weights_follow_algorithm_1(problem, delta):
    X, y = problem
    model = Watched(n_estimators=6, delta=delta, validation_fraction=None, pos_label=True)
    model.fit(X, y)
    n_positive = sum(y.tolist())
    cost = [1 / n_positive if positive else 1 / (len(y) - n_positive) for positive in y]
    weight = [1.0] * len(y)
    for m, svm in enumerate(model.estimators_):
        np.testing.assert_allclose(model.seen_[m][2], np.multiply(weight, cost))
        wrong = [guess != truth for guess, truth in zip(svm.predict(X), y, strict=True)]
        heavy = sum(w for w, is_wrong in zip(weight, wrong, strict=True) if is_wrong)
        error = heavy / sum(weight)
        assert model.errors_[m] == pytest.approx(error)
        if not 0 < error < 0.5 - 1e-12:  # only the last machine, or the only one
            assert m == len(model.alphas_) - 1
            assert model.alphas_[m] == pytest.approx(1 + (model.alphas_[:m].sum() if m else 0))
            break
        alpha = delta * log((1 - error) / error)
        assert model.alphas_[m] == pytest.approx(alpha)
        before = weight
        grown = [w * exp(alpha) for w in weight]
        weight = [g if is_wrong else w for g, w, is_wrong in zip(grown, weight, wrong, strict=True)]
        assert all(new >= old for new, old in zip(weight, before, strict=True))
        if delta == 1:
            assert np.dot(weight, wrong) == pytest.approx(sum(weight) / 2)


@settings(max_examples=30, deadline=None)
@given(small_problems())
def test_staged_predictions_are_signs_of_the_weighted_sums(problem):
    X, y = problem
    model = BoostingSVMClassifier(n_estimators=6, delta=0.5, validation_fraction=None).fit(X, y)
    votes = np.array([np.where(svm.predict(X) == 1, 1, -1) for svm in model.estimators_])
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.alphas_)
    for m, predicted in enumerate(stages, start=1):
        score = model.alphas_[:m] @ votes[:m]
        is_clear = np.abs(score) > 1e-9
        is_positive = predicted == model.pos_label_
        np.testing.assert_array_equal(is_positive[is_clear], (score > 0)[is_clear])
        assert not is_positive[~is_clear].any()
    np.testing.assert_array_equal(stages[model.n_rounds_ - 1], model.predict(X))


def test_the_chosen_round_and_step_maximise_the_validation_g_mean():
    X, y = rare(seed=5)
    X, X_val, y, y_val = X[:200], X[200:], y[:200], y[200:]
    deltas = [0.05, 0.3, 1.0]
    chosen = BoostingSVMClassifier(delta=deltas, random_state=0).fit(X, y, X_val=X_val, y_val=y_val)
    best = []
    for delta in deltas:
        model = clone(chosen).set_params(delta=delta).fit(X, y, X_val=X_val, y_val=y_val)
        scores = [geometric_mean_score(y_val, p) for p in model.staged_predict(X_val)]
        np.testing.assert_allclose(model.validation_scores_, scores)
        assert model.n_rounds_ == 1 + int(np.argmax(scores))
        best.append(max(scores))
    assert len(set(best)) > 1
    assert chosen.delta_ == deltas[int(np.argmax(best))]
    assert chosen.validation_scores_.max() == pytest.approx(max(best))
    assert 1 < chosen.n_rounds_ < len(chosen.alphas_)


def test_values_of_delta_share_the_first_machine():
    X, y = rare(seed=5)
    alone = [
        Watched(delta=delta, n_estimators=8, random_state=0).fit(X, y) for delta in (0.1, 0.3, 1.0)
    ]
    for model in alone:
        np.testing.assert_array_equal(model.estimators_[0].coef_, alone[0].estimators_[0].coef_)
    together = Watched(delta=[0.1, 0.3, 1.0], n_estimators=8, random_state=0).fit(X, y)
    n_rounds = [len(model.seen_) for model in alone]
    assert len(together.seen_) == sum(n_rounds) - 2 and min(n_rounds) > 2
    chosen = alone[[0.1, 0.3, 1.0].index(together.delta_)]
    for one, two in zip(chosen.estimators_, together.estimators_, strict=True):
        np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_machines_of_all_rounds_are_those_of_scikit_learn(C):
    X, y = rare(n=400)
    model = Watched(C=C, delta=0.1, n_estimators=12, random_state=0).fit(X, y)
    assert len(model.estimators_) > 2
    for svm, (X, is_positive, weight) in zip(model.estimators_, model.seen_, strict=False):
        price = C * weight / weight.mean()
        other = linear_svm(tol=1e-4, random_state=0).fit(X, is_positive, sample_weight=price)
        found, expected = (
            hinge_objective(machine, X, is_positive, price) + machine.intercept_[0] ** 2 / 2
            for machine in (svm, other)
        )
        assert found == pytest.approx(expected, rel=1e-3)


def test_rows_held_out_choose_but_do_not_train():
    X, y = rare(n=450)
    model = Watched(delta=0.2, n_estimators=10, random_state=3).fit(X, y)
    trained = model.seen_[0][0]
    assert len(trained) == pytest.approx(350, abs=1)
    is_trained = (X[:, None] == trained).all(axis=2).any(axis=1)
    assert y[is_trained].mean() == pytest.approx(y.mean(), abs=0.01)
    changed = X.copy()
    changed[~is_trained] = np.random.default_rng(0).normal(size=(sum(~is_trained), 5)) * 100
    other = clone(model).fit(changed, y)
    for one, two in zip(model.estimators_, other.estimators_, strict=True):
        np.testing.assert_array_equal(one.coef_, two.coef_)
    assert (model.validation_scores_ != other.validation_scores_).any()
    given_part = clone(model).fit(
        X[is_trained], y[is_trained], X_val=X[~is_trained], y_val=y[~is_trained]
    )
    np.testing.assert_allclose(given_part.validation_scores_, model.validation_scores_, atol=0.02)


def test_no_test_row_influences_the_selection():
    """Each fold's prediction is the one of a model that never saw the fold."""
    X, y = rare(n=150)
    model = make_pipeline(StandardScaler(), BoostingSVMClassifier(n_estimators=5, random_state=0))
    folds = [(np.arange(50, 150), np.arange(50)), (np.arange(50), np.arange(50, 150))]
    predicted = cross_val_predict(model, X, y, cv=folds)
    spoilt, flipped = X.copy(), y.copy()
    spoilt[50:], flipped[50:] = 1e6, 1 - y[50:]
    alone = clone(model).fit(spoilt[:50], flipped[:50])
    np.testing.assert_array_equal(alone.predict(X[50:]), predicted[50:])


def test_a_machine_without_errors_decides_alone():
    X = np.array([[-2.0], [-1.5], [-1], [1], [2]])
    model = BoostingSVMClassifier(validation_fraction=None, delta=0.5).fit(X, X[:, 0] > 0)
    assert len(model.estimators_) == model.n_rounds_ == 1
    assert model.errors_.tolist() == [0] and model.alphas_.tolist() == [1]
    assert model.score(X, X[:, 0] > 0) == 1


class Scripted(BoostingSVMClassifier):
    """Rounds with given weights of the votes; every machine votes as its number says."""

    script = ()

    def _rounds(self, *others):
        for number, alpha in self.script:
            yield number, alpha, 0.25

    def _vote(self, estimator, X):
        return np.full(len(X), float(estimator))


@pytest.mark.parametrize(
    ("script", "alphas", "is_positive"),
    [
        ([(1, 0.0), (-1, 1.0)], [1], True),  # error 1/2 at once: a model all the same
        ([(-1, -2.0), (1, 1.0)], [1], False),
        ([(-1, 2.0), (1, 0.5), (1, -0.1), (1, 9.0)], [2, 0.5], False),
        ([(-1, 2.0), (-1, 0.5), (1, np.inf), (-1, 9.0)], [2, 0.5, 3.5], True),
        ([(-1, 0.3), (1, 0.1), (1, 0.2)], [0.3, 0.1, 0.2], False),  # a tie, despite rounding
        ([(1, 0.3), (-1, 0.1), (-1, 0.2)], [0.3, 0.1, 0.2], False),
    ],
)
def test_where_rounds_end_and_ties_go(script, alphas, is_positive):
    X, y = np.arange(10.0)[:, None], np.array(["a", "b", "b", "b", "b"] * 2)
    for labels in (y, np.where(y == "a", "z", y)):
        model = Scripted(validation_fraction=None, delta=1.0)
        model.script = script
        model.fit(X, labels)
        np.testing.assert_allclose(model.alphas_, alphas)
        assert (model.predict(X) == model.pos_label_).all() == is_positive
        assert (model.decision_function(X) != 0).all()
        shares = model.predict_proba(X)
        assert (shares.sum(axis=1) == 1).all()
        for predicted in (shares.argmax(axis=1), shares[:, 1] > 0.5, shares[:, 1] >= 0.5):
            np.testing.assert_array_equal(model.classes_[predicted.astype(int)], model.predict(X))


def hinge_objective(model, X, y, price, power=1):
    """Without the penalty on the intercept."""
    w, slack = model.coef_[0], slacks(X, y, model.coef_[0], model.intercept_[0])
    return w @ w / 2 + price @ slack**power


def slacks(X, y, w, b):
    return np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ w + b))


@pytest.mark.parametrize("seed", range(4))
def test_linear_machine_reaches_the_optimum(seed):
    """The primal objective is the optimum of the dual, a box-constrained quadratic program."""
    X, y = rare(n=120, seed=seed)
    rng = np.random.default_rng(seed)
    price = rng.uniform(0.2, 5, len(y)) * np.where(y == 1, 5, 1)
    ours = linear_svm(random_state=0).fit(X, y, sample_weight=price)
    found = hinge_objective(ours, X, y, price) + ours.intercept_[0] ** 2 / 2
    signed = np.column_stack([X, np.ones(len(y))]) * np.where(y == 1, 1, -1)[:, None]
    dual = minimize(
        lambda a: ((a @ signed) @ (a @ signed) / 2 - a.sum(), signed @ (a @ signed) - 1),
        price / 2,
        jac=True,
        bounds=[(0, high) for high in price],
        options={"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-10},
    )
    assert found == pytest.approx(-dual.fun, rel=1e-4)
    unpenalised = SVC(kernel="linear", tol=1e-6).fit(X, y, sample_weight=price)
    best = hinge_objective(unpenalised, X, y, price)
    assert hinge_objective(ours, X, y, price) == pytest.approx(best, rel=1e-2)
    hasty = linear_svm(max_iter=3)
    with pytest.warns(ConvergenceWarning):
        hasty.fit(X, y, sample_weight=price)
    assert hinge_objective(hasty, X, y, price) > found * 1.002


def test_squared_hinge_reaches_the_optimum():
    X, y = rare(n=120)
    price = np.where(y == 1, 4.0, 0.5)
    ours = linear_svm(loss="squared_hinge").fit(X, y, sample_weight=price)
    found = hinge_objective(ours, X, y, price, power=2) + ours.intercept_[0] ** 2 / 2
    best = minimize(lambda p: p @ p / 2 + price @ slacks(X, y, p[:-1], p[-1]) ** 2, np.zeros(6)).fun
    assert found == pytest.approx(best, rel=1e-4)


def test_unfinished_solvers_are_reported_once():
    X, y = rare()
    model = BoostingSVMClassifier(max_iter=2, n_estimators=4, delta=0.5, random_state=0)
    with pytest.warns(ConvergenceWarning, match="did not converge") as caught:
        model.fit(X * 50, y)
    assert len(caught) == 1 and model.n_unconverged_ == len(model.alphas_) == 4
    assert clone(model).set_params(max_iter=10**6).fit(X, y).n_unconverged_ == 0


def test_costs_make_up_for_the_sizes_of_the_classes():
    X, y = rare(n=600, positives=0.05)
    model = BoostingSVMClassifier(n_estimators=1, delta=1.0, random_state=0).fit(X, y)
    plain = linear_svm().fit(X, y)
    assert model.predict(X)[y == 1].mean() > plain.predict(X)[y == 1].mean() + 0.2


def test_kernels_and_losses():
    X, y = make_circles(200, noise=0.1, factor=0.4, random_state=0)
    options = {"n_estimators": 3, "delta": 0.5, "random_state": 0}
    linear = BoostingSVMClassifier(**options).fit(X, y).score(X, y)
    for kernel in ("rbf", "poly"):
        model = BoostingSVMClassifier(kernel=kernel, degree=2, **options).fit(X, y)
        assert model.score(X, y) > 0.95 > linear + 0.2
        assert not hasattr(model, "feature_weights_") and kernel in model.to_text()
    other = BoostingSVMClassifier(loss="squared_hinge", **options).fit(X, y)
    assert other.estimators_[0].loss == "squared_hinge"
    with pytest.raises(ValueError, match="needs kernel='linear'"):
        BoostingSVMClassifier(kernel="rbf", loss="squared_hinge").fit(X, y)


def test_text_names_the_features_by_weight():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["dull", "up", "down"])
    y = np.where(X["up"] - 2 * X["down"] + rng.normal(size=200) / 2 > 2, "hit", "miss")
    model = BoostingSVMClassifier(n_estimators=5, random_state=0).fit(X, y)
    head, *features = model.to_text(max_features=2).splitlines()
    assert head.startswith("hit by the vote of ") and "validation G-mean" in head
    assert [line[0] + line.split()[1] for line in features] == ["-down", "+up"]
    assert len(model.to_text().splitlines()) == 4
    voting = model.estimators_[: model.n_rounds_]
    units = [svm.coef_[0] / np.linalg.norm(svm.coef_[0]) for svm in voting]
    expected = np.average(units, axis=0, weights=model.alphas_[: model.n_rounds_])
    np.testing.assert_allclose(model.feature_weights_, expected)


def test_any_labels_and_either_class():
    X, y = rare()
    numbers = BoostingSVMClassifier(n_estimators=5, random_state=0).fit(X, y)
    words = clone(numbers).fit(X, np.where(y == 1, "a", "b"))
    assert numbers.pos_label_ == 1 and words.pos_label_ == "a"
    np.testing.assert_array_equal(numbers.predict(X) == 1, words.predict(X) == "a")
    np.testing.assert_array_equal(numbers.decision_function(X), -words.decision_function(X))
    assert clone(numbers).set_params(pos_label=0).fit(X, y).pos_label_ == 0


def test_bad_input_is_refused():
    X, y = rare(n=60)
    model = BoostingSVMClassifier(n_estimators=2, random_state=0)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(NotFittedError):
        next(model.staged_predict(X))
    with pytest.raises(ValueError, match="G-mean needs examples of both classes"):
        model.fit(X, y, X_val=X[y == 0], y_val=y[y == 0])
    with pytest.raises(ValueError, match="of no other"):
        model.fit(X, y, X_val=X, y_val=y + 1)
    with pytest.raises(ValueError, match="together"):
        model.fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X, y, X_val=X, y_val=y[1:])
    with pytest.raises(ValueError, match="one example only"):
        model.fit(X, np.arange(60) == 0)
    with pytest.raises(ValueError, match="rows must validate"):
        clone(model).set_params(validation_fraction=None).fit(X, y)
    for delta in ([], [0.5, 0], [0.5, 2], ["a"], "abc", 0, 1.5, [[0.1]]):
        with pytest.raises((ValueError, TypeError), match="delta"):
            clone(model).set_params(delta=delta).fit(X, y)


def test_two_positives_are_enough():
    X, y = rare(n=60)
    few = (y == 0) | (np.cumsum(y) <= 2)
    model = BoostingSVMClassifier(n_estimators=3, random_state=0).fit(X[few], y[few])
    assert len(model.validation_scores_) == len(model.alphas_)
