"""AdaCost, SMOTEBoost and DataBoost-IM against their papers' formulas, written out plainly."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from minority.ensembles import (
    AdaCostClassifier,
    BoostingSVMClassifier,
    DataBoostIMClassifier,
    SMOTEBoostClassifier,
)
from minority.ensembles._databoost import add_synthetic, choose_seeds, make_like
from minority.ensembles._voting import split_rows
from minority.sampling._smote import nearest_neighbours, smote
from minority_reports import datasets

STUMP = DecisionTreeClassifier(max_depth=1)
RIVALS = [AdaCostClassifier, SMOTEBoostClassifier, DataBoostIMClassifier]


def rare(n=200, positives=0.15, seed=0):
    return make_classification(
        n, n_features=5, weights=[1 - positives], flip_y=0.05, class_sep=0.8, random_state=seed
    )


def watch(monkeypatch, kind):
    """A list that fills with what the classifiers of a kind are trained with."""
    seen, learn = [], kind._learn

    def keep_and_learn(self, X, is_positive, weight, rng):
        seen.append((X, is_positive, weight.copy()))
        return learn(self, X, is_positive, weight, rng)

    monkeypatch.setattr(kind, "_learn", keep_and_learn)
    return seen


# ---------------------------------------------------------------------------------------------
# AdaCost


@pytest.mark.parametrize("cost", [1.0, 0.3])
def test_adacost_weights_by_loops(monkeypatch, cost):
    X, y = rare()
    seen = watch(monkeypatch, AdaCostClassifier)
    model = AdaCostClassifier(
        DecisionTreeClassifier(max_depth=3), cost=cost, n_estimators=8, validation_fraction=None
    ).fit(X, y)
    n, n_positive = len(y), int(y.sum())
    c = [cost if label else cost * n_positive / (n - n_positive) for label in y]
    weight = [value / sum(c) for value in c]
    assert len(model.alphas_) > 2
    for t, (tree, alpha) in enumerate(zip(model.estimators_, model.alphas_, strict=True)):
        np.testing.assert_allclose(seen[t][2], weight)
        agreement = [1 if p == label else -1 for p, label in zip(tree.predict(X), y, strict=True)]
        beta = [
            0.5 - 0.5 * cost_i if a == 1 else 0.5 + 0.5 * cost_i
            for a, cost_i in zip(agreement, c, strict=True)
        ]
        r = sum(d * a * b for d, a, b in zip(weight, agreement, beta, strict=True))
        assert alpha == pytest.approx(0.5 * log((1 + r) / (1 - r)))
        weight = [d * exp(-alpha * a * b) for d, a, b in zip(weight, agreement, beta, strict=True)]
        weight = [d / sum(weight) for d in weight]


def test_adacost_stops_where_the_edge_is_below_the_mean_cost():
    """Equal classes and cost 1: every right answer has the factor 0, so no round passes."""
    X, y = make_classification(100, flip_y=0.2, random_state=0)
    y[:] = np.arange(100) % 2
    options = {"validation_fraction": None, "n_estimators": 5}
    model = AdaCostClassifier(STUMP, cost=1.0, **options).fit(X, y)
    assert model.alphas_.tolist() == [1]
    milder = AdaCostClassifier(STUMP, cost=0.01, **options).fit(X, y)
    assert len(milder.alphas_) > 1


def test_adacost_chooses_its_cost_on_validation():
    X, y = rare(n=400)
    costs = [1.0, 0.5, 0.1]
    model = AdaCostClassifier(STUMP, cost=costs, n_estimators=10, random_state=0).fit(X, y)
    alone = [clone(model).set_params(cost=c).fit(X, y).validation_scores_.max() for c in costs]
    assert len(set(alone)) > 1 and model.cost_ == costs[int(np.argmax(alone))]


# ---------------------------------------------------------------------------------------------
# SMOTEBoost


@pytest.mark.parametrize("base", [DecisionTreeClassifier(max_depth=2), LinearSVC(C=0.1)])
def test_smote_boost_follows_adaboost_m2(monkeypatch, base):
    """With the distribution over the mislabelled pairs of AdaBoost.M2, one for each example."""
    X, y = rare()
    seen = watch(monkeypatch, SMOTEBoostClassifier)
    model = SMOTEBoostClassifier(
        base, n_estimators=5, oversampling=300, validation_fraction=None, random_state=0
    ).fit(X, y)
    n = len(y)
    n_new = 3 * int(y.sum())
    weight = np.full(n, 1 / n)
    assert len(model.alphas_) > 1
    for t, estimator in enumerate(model.estimators_):
        rows, target, row_weight = seen[t]
        assert len(rows) == n + n_new and target[n:].all()
        np.testing.assert_allclose(row_weight, np.append(weight, np.full(n_new, 1 / n)))
        if hasattr(estimator, "predict_proba"):
            h = estimator.predict_proba(X)
        else:
            h = np.eye(2)[estimator.predict(X)]
        loss = factor = ()
        for i in range(n):
            right, wrong = h[i, y[i]], h[i, 1 - y[i]]
            loss += (weight[i] * (1 - right + wrong) / 2,)
            factor += ((1 - wrong + right) / 2,)
        error = sum(loss)
        beta = error / (1 - error)
        assert model.errors_[t] == pytest.approx(error)
        assert model.alphas_[t] == pytest.approx(log(1 / beta))
        weight = weight * beta ** np.array(factor)
        weight /= weight.sum()
    assert any((a[0][n:] != b[0][n:]).any() for a, b in pairwise(seen))


def test_smote_boost_finds_rare_positives_by_default():
    """Where a linear SVM without costs predicts none."""
    data = datasets.load("glass2")
    model = SMOTEBoostClassifier(n_estimators=10, random_state=0).fit(data.X, data.y)
    assert model.predict(data.X)[data.y == 1].mean() > 0.5
    assert {tree.max_depth for tree in model.estimators_} == {3}


def test_synthetic_points_lie_between_neighbours():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    neighbours = nearest_neighbours(X, 4)
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_array_equal(np.sort(neighbours), np.sort(distance.argsort()[:, 1:5]))
    points = smote(X, neighbours, 30, rng)
    for number, point in enumerate(points):
        start = number % 12
        ends = X[neighbours[start]]
        gaps = ((point - X[start]) * (ends - X[start])).sum(axis=1)
        gaps /= ((ends - X[start]) ** 2).sum(axis=1)
        on_the_way = X[start] + gaps[:, None] * (ends - X[start])
        is_on = np.isclose(on_the_way, point).all(axis=1)
        assert (is_on & (gaps >= 0) & (gaps <= 1)).any()


def test_few_positives_have_few_neighbours():
    X = np.array([[0.0], [1], [5]])
    assert sorted(nearest_neighbours(X, 5)[0]) == [1, 2]
    alone = X[:1]
    assert (
        smote(alone, nearest_neighbours(alone, 5), 4, np.random.default_rng(0)).tolist()
        == [[0.0]] * 4
    )


# ---------------------------------------------------------------------------------------------
# DataBoost-IM


def test_seeds_are_the_heaviest_examples():
    """Ten examples, two of them of the smaller class; the six heaviest are hard."""
    is_minor = np.arange(10) < 2
    weight = np.array([9, 1, 8, 7, 6, 5, 4, 3, 2, 0.5])
    major, minor = choose_seeds(is_minor, weight, 0.6)
    assert major.tolist() == [2, 3, 4, 5]  # min(8 / 2, 5)
    assert minor.tolist() == [0]  # min(8 * 4 / 2, 1)
    major, minor = choose_seeds(is_minor, weight, 0.1)
    assert major.tolist() == [] and minor.tolist() == []  # M_S is 0 if M_L is


@pytest.mark.parametrize("max_synthetic", [None, 20, 0])
@pytest.mark.parametrize("swapped", [False, True])
def test_synthetic_examples_share_the_weight_of_their_seed(max_synthetic, swapped):
    rng = np.random.default_rng(0)
    X, is_minor = rng.normal(size=(10, 2)), np.arange(10) < 2
    weight = np.array([9, 1, 8, 7, 6, 5, 4, 3, 2, 0.5]) / 45.5
    rows, target, row_weight = add_synthetic(
        X, is_minor ^ swapped, weight, 0.6, max_synthetic, np.random.default_rng(0)
    )
    target = target ^ swapped
    per_seed = {None: (8, 2), 20: (4, 1), 0: (0, 0)}[max_synthetic]  # 34 are wanted
    assert (~target[10:]).sum() == 4 * per_seed[0] and target[10:].sum() == per_seed[1]
    np.testing.assert_array_equal(rows[:10], X)
    assert row_weight[target].sum() == pytest.approx(row_weight[~target].sum())
    if max_synthetic != 0:
        first = row_weight[10:][~target[10:]][: per_seed[0]]
        assert first.sum() == pytest.approx(row_weight[2])
    for is_class in (target, ~target):
        made = rows[10:][is_class[10:]]
        for column in range(2):
            assert np.isin(made[:, column], X[is_class[:10], column]).all()


def test_columns_are_drawn_on_their_own():
    X = np.array([[0.0, 0], [1, 1]])
    made = make_like(X, 200, np.random.default_rng(0))
    assert len(np.unique(made, axis=0)) == 4


def test_databoost_rounds_by_loops(monkeypatch):
    X, y = rare()
    seen = watch(monkeypatch, DataBoostIMClassifier)
    model = DataBoostIMClassifier(
        DecisionTreeClassifier(max_depth=3), n_estimators=5, validation_fraction=None
    ).fit(X, y)
    n = len(y)
    assert len(seen[0][0]) == n and np.ptp(seen[0][2]) == 0
    assert len(model.alphas_) > 2 and any(len(rows) > n for rows, _, _ in seen)
    for t, tree in enumerate(model.estimators_):
        rows, target, weight = seen[t]
        wrong = tree.predict(rows) != target
        error = weight[wrong].sum() / weight.sum()
        assert model.errors_[t] == pytest.approx(error)
        assert model.alphas_[t] == pytest.approx(log((1 - error) / error))
        if t + 1 < len(seen):
            following = seen[t + 1][2][:n]
            updated = np.where(wrong[:n], weight[:n], weight[:n] * error / (1 - error))
            for label in (0, 1):  # the two classes are scaled, each by one factor
                assert np.ptp((following / updated)[y == label]) == pytest.approx(0, abs=1e-9)


# ---------------------------------------------------------------------------------------------
# All of them


@pytest.mark.parametrize("kind", RIVALS)
def test_default_learner_and_any_weighted_classifier_will_do(kind):
    X, y = rare()
    default = DecisionTreeClassifier if kind is SMOTEBoostClassifier else LinearSVC
    model = kind(n_estimators=3, random_state=0).fit(X, y)
    assert all(isinstance(learner, default) for learner in model.estimators_)
    trees = kind(STUMP, n_estimators=3, random_state=0).fit(X, y)
    assert all(tree.max_depth == 1 for tree in trees.estimators_)
    assert len({tree.random_state for tree in trees.estimators_}) == len(trees.estimators_)
    with pytest.raises(ValueError, match="sample_weight"):
        kind(KNeighborsClassifier()).fit(X, y)


@pytest.mark.parametrize("kind", RIVALS)
def test_validation_chooses_the_round(kind):
    X, y = rare(n=400, seed=kind is SMOTEBoostClassifier)
    depth = 2 if kind is AdaCostClassifier else 3
    model = kind(DecisionTreeClassifier(max_depth=depth), n_estimators=12, random_state=2)
    model.fit(X[:250], y[:250], X_val=X[250:], y_val=y[250:])
    scores = []
    for predicted in model.staged_predict(X[250:]):
        sensitivity = predicted[y[250:] == 1].mean()
        scores.append(np.sqrt(sensitivity * (1 - predicted[y[250:] == 0].mean())))
    np.testing.assert_allclose(model.validation_scores_, scores)
    assert model.n_rounds_ == 1 + int(np.argmax(scores)) and len(set(scores)) > 1
    all_rounds = clone(model).set_params(validation_fraction=None).fit(X, y)
    assert all_rounds.n_rounds_ == len(all_rounds.alphas_) and not len(
        all_rounds.validation_scores_
    )


@pytest.mark.parametrize("kind", RIVALS)
def test_probabilities_are_shares_of_the_votes(kind):
    X, y = rare()
    words = np.where(y == 1, "a", "b")  # so the positive class comes first
    tree = DecisionTreeClassifier(max_depth=2)
    model = kind(tree, n_estimators=6, validation_fraction=None, random_state=0).fit(X, words)
    alphas = model.alphas_ / model.alphas_.sum()
    assert len(alphas) > 1
    if kind is SMOTEBoostClassifier:
        votes = [tree.predict_proba(X)[:, 1] for tree in model.estimators_]
    else:
        votes = [tree.predict(X) == 1 for tree in model.estimators_]
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares[:, 0], alphas @ votes, atol=1e-11)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))


WITHOUT_SYNTHETIC = [
    BoostingSVMClassifier(kernel="rbf", gamma=0.2, delta=0.5, n_estimators=6),
    AdaCostClassifier(DecisionTreeClassifier(max_depth=3), cost=0.3, n_estimators=6),
    SMOTEBoostClassifier(DecisionTreeClassifier(max_depth=2), oversampling=0, n_estimators=6),
    DataBoostIMClassifier(DecisionTreeClassifier(max_depth=2), max_synthetic=0, n_estimators=6),
]


@pytest.mark.parametrize("model", WITHOUT_SYNTHETIC, ids=lambda model: type(model).__name__)
def test_whole_weights_are_repeated_rows(model):
    X, y = rare()
    weight = np.random.default_rng(0).integers(4, size=len(y))
    X_val, y_val = rare(seed=1)
    validation = {"X_val": X_val, "y_val": y_val}
    weighted = clone(model).fit(X, y, weight, **validation)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight), **validation)
    plain = clone(model).fit(X, y, **validation)
    # The solver of kernel machines ends within its tolerance of the optimum.
    np.testing.assert_allclose(weighted.alphas_, repeated.alphas_)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))
    assert len(weighted.alphas_) > 1 and (weighted.predict_proba(X) != plain.predict_proba(X)).any()


@pytest.mark.parametrize("kind", RIVALS)
def test_weights_of_rows_that_are_held_out(kind):
    """Errors there cost as much as the rows weigh."""
    X, y = rare()
    weight = np.random.default_rng(0).random(len(y))
    model = kind(STUMP, validation_fraction=0.4, n_estimators=1, random_state=0)
    model.fit(X, y, weight)
    rng = np.random.default_rng(np.random.RandomState(0).randint(2**31))
    held_out = split_rows(y == 1, 0.4, rng)
    right = (model.predict(X) == y) * weight
    rates = [
        right[rows].sum() / weight[rows].sum()
        for rows in (held_out & (y == 1), held_out & (y == 0))
    ]
    assert model.validation_scores_ == pytest.approx(np.sqrt(np.prod(rates)))


def test_synthetic_rows_weigh_as_the_positives_they_start_from(monkeypatch):
    X, y = rare()
    weight = np.random.default_rng(0).random(len(y))
    seen = watch(monkeypatch, SMOTEBoostClassifier)
    SMOTEBoostClassifier(n_estimators=2, oversampling=300, validation_fraction=None).fit(
        X, y, weight
    )
    for _, _, row_weight in seen:
        expected = np.tile(weight[y == 1] / weight.sum(), 3)
        np.testing.assert_allclose(row_weight[len(y) :], expected)


@pytest.mark.parametrize("kind", RIVALS)
def test_perfect_and_useless_classifiers(kind):
    X, y = rare()
    perfect = kind(DecisionTreeClassifier(), validation_fraction=None, random_state=0).fit(X, y)
    assert perfect.score(X, y) == 1 and 0 in perfect.errors_ and len(perfect.alphas_) <= 2
    useless = DummyClassifier(strategy="constant", constant=1)
    model = kind(useless, validation_fraction=None).fit(X, y)
    assert model.alphas_.tolist() == [1] and (model.predict(X) == 1).all()
