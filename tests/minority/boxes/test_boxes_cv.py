"""Boxes whose parameters are chosen by cross-validation."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedKFold, train_test_split

from minority.boxes import (
    ExactBoxesClassifier,
    ExactBoxesClassifierCV,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    select_fast_boxes,
)
from minority.metrics import area_under_hull

X, TARGET = make_classification(
    240, 5, n_informative=3, n_redundant=0, weights=[0.8], class_sep=0.8, random_state=3
)
Y = np.where(TARGET == 1, "a", "z")
POSITIVE = TARGET == 1
FOLDS = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, Y))
GRID = {"n_clusters": (1, 3), "expansions": (0, 10), "majority_weights": (0.1, "balanced")}
PRICES = {"condition_costs": (0.05, 0.1), "max_boxes": (1, 2)}
SMALL_FAST = FastBoxesClassifierCV(**GRID, cv=FOLDS, random_state=0)
SMALL_EXACT = ExactBoxesClassifierCV(**PRICES, cv=FOLDS, random_state=0)
BOTH = pytest.mark.parametrize("estimator", [SMALL_FAST, SMALL_EXACT], ids=["fast", "exact"])


def variant(estimator, **parameters):
    return type(estimator)(**estimator.get_params() | parameters)


def g_mean(y, predicted):
    return np.sqrt((predicted[y] == 1).mean() * (predicted[~y] == 0).mean())


SCORES = {
    "g_mean": lambda y, model, X: g_mean(y, model.predict(X) == "a"),
    "f1": lambda y, model, X: f1_score(y, model.predict(X) == "a"),
    "average_precision": lambda y, model, X: average_precision_score(
        y, -model.decision_function(X)
    ),
    "neg_log_loss": lambda y, model, X: -log_loss(y, model.predict_proba(X)[:, 0]),
}


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize("pool", [False, True])
def test_scores_are_those_of_models_fitted_one_by_one(scoring, pool):
    """`pool` asks all folds' models of what they have not seen and scores the answers once."""
    model = variant(SMALL_FAST, scoring=scoring, pool=pool).fit(X, Y)
    results = model.cv_results_
    assert len(results["params"]) == 8
    for place, setting in enumerate(results["params"]):
        one_each = [
            FastBoxesClassifier(**setting, expand="largest", random_state=0).fit(X[train], Y[train])
            for train, _ in FOLDS
        ]
        tests = [test for _, test in FOLDS]
        if pool:
            answers = _Answers(one_each, tests)
            expected = [SCORES[scoring](POSITIVE[np.concatenate(tests)], answers, None)]
        else:
            expected = [
                SCORES[scoring](POSITIVE[test], one, X[test])
                for one, test in zip(one_each, tests, strict=True)
            ]
        found = [results[f"split{k}_test_score"][place] for k in range(len(expected))]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert results["mean_test_score"][place] == pytest.approx(np.mean(expected))
        assert results["std_test_score"][place] == pytest.approx(np.std(expected))
        conditions = [np.isfinite([m.boxes_.lower, m.boxes_.upper]).sum() for m in one_each]
        assert results["mean_n_conditions"][place] == pytest.approx(np.mean(conditions))
        assert results["param_expansion"][place] == setting["expansion"]
    assert model.best_score_ == results["mean_test_score"].max()
    assert results["rank_test_score"][model.best_index_] == 1
    assert model.best_params_ == results["params"][model.best_index_]
    alone = FastBoxesClassifier(**model.best_params_, expand="largest", random_state=0).fit(X, Y)
    assert model.boxes_ == alone.boxes_
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    assert model.status_ == "complete"


class _Answers:
    """What models say of the rows held out from them."""

    def __init__(self, models, tests):
        for name in ("predict", "decision_function", "predict_proba"):
            parts = [getattr(m, name)(X[test]) for m, test in zip(models, tests, strict=True)]
            setattr(self, name, lambda _, parts=parts: np.concatenate(parts))


def test_exact_boxes_are_scored_on_what_they_have_not_seen():
    """A proof leaves no choice of the objective, so it is that of models fitted one by one."""
    asked = []

    def scorer(estimator, X, y):
        asked.append((X, y))
        return SCORES["g_mean"](y == 1, _named(estimator), X)

    model = variant(SMALL_EXACT, scoring=scorer).fit(X, Y)
    tests = np.concatenate([test for _, test in FOLDS])
    for rows, y in asked:
        np.testing.assert_array_equal(rows, X[tests])
        np.testing.assert_array_equal(y, POSITIVE[tests])
    assert len(asked) == 4
    again = variant(SMALL_EXACT, scoring="g_mean").fit(X, Y)
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"]
    )
    alone = ExactBoxesClassifier(**model.best_params_, max_nodes=200).fit(X, Y)
    assert model.boxes_ == alone.boxes_ and model.best_estimator_.bound_ == alone.bound_
    # the order of preference: high prices first, then few boxes
    prices = [(-s["condition_cost"], s["max_boxes"]) for s in model.cv_results_["params"]]
    assert prices == sorted(prices)
    conditions = model.cv_results_["mean_n_conditions"]
    assert conditions[0] <= conditions[-1]


def _named(estimator):
    class Named:
        def predict(self, X):
            return np.where(estimator.predict(X) == 1, "a", "z")

    return Named()


def test_of_equals_the_dearer_conditions():
    easy = np.r_[np.linspace(0, 1, 40), np.linspace(2, 3, 10)][:, None]
    model = ExactBoxesClassifierCV(condition_costs=(0.01, 0.1, 0.05)).fit(easy, easy[:, 0] > 1.5)
    assert model.best_score_ == 1
    assert model.best_params_["condition_cost"] == 0.1
    assert model.cv_results_["rank_test_score"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("expand", [True, "largest"])
def test_area_under_the_hull_chooses_as_the_paper_does(expand):
    weights = (0.05, 0.2, 1.0)
    k, beta, scores = select_fast_boxes(
        X,
        POSITIVE,
        majority_weights=weights,
        n_clusters=(1, 2, 4),
        expansions=(0, 3, 30),
        expand=expand,
        random_state=5,
    )
    model = FastBoxesClassifierCV(
        majority_weights=weights,
        n_clusters=(4, 1, 2),
        expansions=(0, 3, 30),
        scoring="auh",
        cv=3,
        n_repeats=1,
        pool=False,
        expand=expand,
        random_state=5,
    ).fit(X, Y)
    assert (model.best_params_["n_clusters"], model.best_params_["expansion"]) == (k, beta)
    found = model.cv_results_["mean_test_score"].reshape(9, 3)
    np.testing.assert_allclose(found, np.repeat(scores["mean_auh"].to_numpy()[:, None], 3, axis=1))
    assert len(set(scores["mean_auh"])) > 3


@pytest.mark.parametrize("tolerance", [0.0, 0.01, 0.03, 0.1, 1.0])
def test_the_dearest_conditions_within_the_tolerance(tolerance):
    prices = (0.3, 0.01, 0.15, 0.05, 0.02)
    model = variant(SMALL_EXACT, condition_costs=prices, max_boxes=2, tolerance=tolerance)
    results = model.fit(X, Y).cv_results_
    scores, prices = results["mean_test_score"], results["param_condition_cost"].astype(float)
    assert model.best_params_["condition_cost"] == prices[scores >= scores.max() - tolerance].max()
    assert model.best_score_ == scores[model.best_index_]
    assert model.best_estimator_.condition_cost == model.best_params_["condition_cost"]


def test_a_tolerance_gives_up_something():
    """Or the test before would not tell: dear conditions score less here."""
    scores = variant(SMALL_EXACT, condition_costs=(0.3, 0.05)).fit(X, Y).cv_results_
    assert np.ptp(scores["mean_test_score"]) > 0.01


def test_area_under_the_hull_then_the_g_mean():
    model = variant(SMALL_FAST, scoring="auh").fit(X, Y)
    by_g_mean = variant(SMALL_FAST, scoring="g_mean").fit(X, Y).cv_results_
    rest = ("n_clusters", "expansion")
    same = [
        place
        for place, setting in enumerate(by_g_mean["params"])
        if all(setting[name] == model.best_params_[name] for name in rest)
    ]
    best = max(same, key=lambda place: by_g_mean["mean_test_score"][place])
    assert by_g_mean["params"][best] == model.best_params_
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()
    exact = variant(SMALL_EXACT, scoring="auh", majority_weights=(0.1, "balanced")).fit(X, Y)
    assert exact.best_score_ > 0.5


@BOTH
def test_a_scorer_is_about_the_class_that_is_described(estimator):
    """Whatever its label, also for names that take 1 for the positive class."""
    plain = variant(estimator, scoring="f1").fit(X, POSITIVE.astype(int))
    for y in (Y, (~POSITIVE).astype(int), ~POSITIVE):
        other = variant(estimator, scoring="f1").fit(X, y)
        assert other.best_score_ == plain.best_score_
        assert other.boxes_ == plain.boxes_
        np.testing.assert_array_equal(other.predict(X) == other.pos_label_, plain.predict(X) == 1)


# Folds


def test_folds_are_drawn_twice_for_few_positives():
    few, y = X[:200], POSITIVE[:200]
    model = variant(SMALL_FAST, cv=3).fit(few, y)
    assert "split1_test_score" in model.cv_results_
    assert "split2_test_score" not in model.cv_results_
    assert "split5_test_score" in variant(SMALL_FAST, cv=3, pool=False).fit(few, y).cv_results_
    once = variant(SMALL_FAST, cv=3, n_repeats=1).fit(few, y)
    np.testing.assert_array_equal(
        once.cv_results_["split0_test_score"], model.cv_results_["split0_test_score"]
    )
    many = np.vstack([X] * 3), np.tile(POSITIVE, 3)
    assert "split1_test_score" not in variant(SMALL_FAST, cv=3).fit(*many).cv_results_


@BOTH
def test_fewer_positives_than_folds(estimator):
    rows = np.r_[np.flatnonzero(POSITIVE)[:3], np.flatnonzero(~POSITIVE)[:40]]
    with pytest.warns(UserWarning, match=r"cv=5 folds.*one class has 3: there are 3 folds"):
        model = variant(estimator, cv=5).fit(X[rows], Y[rows])
    assert model.status_ == "complete"
    with pytest.raises(ValueError, match=r"two examples of each class.*has 1: use \w+Classifier,"):
        variant(estimator, cv=5).fit(X[rows[2:]], Y[rows[2:]])
    with pytest.raises(ValueError, match="trains on one class only"):
        variant(estimator, cv=[(rows[3:], rows[:3])]).fit(X, Y)
    with pytest.raises(ValueError, match=r"of one class only.*pool=True"):
        variant(estimator, cv=[(rows, np.flatnonzero(~POSITIVE)[50:])]).fit(X, Y)


def test_more_clusters_than_positives():
    rows = np.r_[np.flatnonzero(POSITIVE)[:6], np.flatnonzero(~POSITIVE)[:40]]
    model = variant(SMALL_FAST, n_clusters=(2, 50, 3, 60), cv=3).fit(X[rows], Y[rows])
    assert set(model.cv_results_["param_n_clusters"]) == {2, 3, 4}


def test_forms_of_cv():
    given = SMALL_FAST.fit(X, Y)
    splitter = StratifiedKFold(3, shuffle=True, random_state=1)
    for cv in (splitter, iter(FOLDS)):
        same = variant(SMALL_FAST, cv=cv).fit(X, Y)
        np.testing.assert_array_equal(
            same.cv_results_["mean_test_score"], given.cv_results_["mean_test_score"]
        )
    with pytest.raises(ValueError, match="groups"):
        variant(SMALL_FAST, cv=GroupKFold(3)).fit(X, Y)


@BOTH
def test_weights_count_like_repeated_rows(estimator):
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    part = np.arange(len(X)) % 3
    cv = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(3)]
    repeated = np.repeat(np.arange(len(X)), weight)
    again = [
        (np.flatnonzero(part[repeated] != k), np.flatnonzero(part[repeated] == k)) for k in range(3)
    ]
    options = {"n_clusters": (1,)} if estimator is SMALL_FAST else {}
    for scoring in ("auh", "neg_log_loss"):
        options["scoring"] = scoring
        weighted = variant(estimator, cv=cv, **options).fit(X, Y, sample_weight=weight)
        plain = variant(estimator, cv=again, **options).fit(X[repeated], Y[repeated])
        np.testing.assert_allclose(
            weighted.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-6
        )
        np.testing.assert_array_equal(weighted.predict(X), plain.predict(X))
        np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X))

    def unweighted(estimator, X, y):
        return np.mean(estimator.predict(X) == y)

    variant(estimator, scoring=unweighted).fit(X, Y, sample_weight=weight)


# Limits


@BOTH
def test_a_limit_of_fits(estimator):
    estimator = variant(estimator, scoring="g_mean")
    whole = estimator.fit(X, Y)
    n = len(whole.cv_results_["params"])
    for max_fits, n_tried in ((1, 1), (n - 1, n - 1), (n, n), (2 * n - 1, n), (2 * n, n)):
        model = variant(estimator, max_fits=max_fits).fit(X, Y)
        assert model.status_ == "max_fits"
        scores = model.cv_results_["mean_test_score"]
        assert np.isfinite(scores[:n_tried]).all() and np.isnan(scores[n_tried:]).all()
        assert model.best_index_ == int(np.nanargmax(scores.round(12)))
        assert model.best_score_ == np.nanmax(scores)
        rank = model.cv_results_["rank_test_score"]
        assert rank.min() == 1 and (rank[n_tried:] == n_tried + 1).all()
        n_folds = max(1, max_fits // n)
        alone = variant(estimator, cv=FOLDS[:n_folds]).fit(X, Y)
        np.testing.assert_array_equal(
            alone.cv_results_["mean_test_score"][:n_tried], scores[:n_tried]
        )
    enough = variant(estimator, max_fits=3 * n).fit(X, Y)
    assert enough.status_ == "complete"
    assert enough.boxes_ == whole.boxes_


@BOTH
def test_no_time_at_all(estimator):
    model = variant(estimator, time_limit=1e-9).fit(X, Y)
    assert model.status_ == "time_limit"
    assert model.best_params_ == model.cv_results_["params"][0]
    assert np.isfinite(model.best_score_)


def test_a_solve_that_is_cut_off_is_reported():
    model = variant(SMALL_EXACT, max_nodes=0).fit(X, Y)
    assert model.status_ == "complete" and model.best_estimator_.status_ == "node_limit"


def test_a_fit_repeats():
    for estimator in (variant(SMALL_EXACT, cv=2, ranking="path"), SMALL_FAST):
        one, other = estimator.fit(X, Y).cv_results_, variant(estimator).fit(X, Y).cv_results_
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])


# Scores


def test_a_path_ranks_and_predicts_the_same():
    X_train, X_test, y, y_test = train_test_split(X, Y, stratify=Y, random_state=0)
    depth = variant(SMALL_EXACT, cv=3).fit(X_train, y)
    path = variant(SMALL_EXACT, cv=3, ranking="path").fit(X_train, y)
    assert depth.boxes_ == path.boxes_ and depth.best_params_ == path.best_params_
    assert depth.path_ == [] and depth.n_path_conditions_ == 0
    faces = [np.isfinite([boxes.lower, boxes.upper]).sum() for boxes in path.path_]
    assert path.n_path_conditions_ == sum(faces) > 0 and len(faces) == 9
    assert max(len(boxes) for boxes in path.path_) == 1
    np.testing.assert_array_equal(path.predict(X_test), depth.predict(X_test))
    score = -path.decision_function(X_test)  # the boxes describe classes_[0]
    inside = path.boxes_.covers(X_test)
    assert ((score > 0) == inside).all() and (score != 0).all()
    mean = np.mean(
        [np.clip(boxes.margin(X_test, path._unit), -1, 1) for boxes in path.path_], axis=0
    )
    np.testing.assert_allclose(score, np.where(inside, 1, -1) + mean, atol=1e-12)
    assert len(set(score)) > len(score) / 2
    assert roc_auc_score(y_test == "a", score) > 0.7


def test_a_path_goes_from_wide_boxes_to_pure_ones():
    model = variant(SMALL_EXACT, ranking="path").fit(X, Y)
    covered = np.array([boxes.covers(X[~POSITIVE]).sum() for boxes in model.path_])
    assert (np.diff(covered) <= 0).all() and covered[0] > covered[-1]
    far = np.full((1, 5), np.finfo(float).max)
    for rows in (far, -far):
        assert np.isfinite(model.decision_function(rows)).all()


# Candidates


@BOTH
def test_one_value_stands_for_itself(estimator):
    for weight in (0.1, "balanced"):
        one, same = (variant(estimator, majority_weights=w).fit(X, Y) for w in (weight, [weight]))
        assert one.cv_results_["params"] == same.cv_results_["params"]
    for nothing in ((), None):
        with pytest.raises(ValueError, match="majority_weights must be values to choose from"):
            variant(estimator, majority_weights=nothing).fit(X, Y)


@BOTH
@pytest.mark.parametrize("weight", [-1, 0, "0*balanced", "x*balanced", "minmax", None])
def test_weights_that_make_no_sense(estimator, weight):
    with pytest.raises(ValueError, match="majority_weight"):
        variant(estimator, majority_weights=(1.0, weight)).fit(X, Y)


def test_arrays_of_values():
    model = variant(SMALL_FAST, expansions=np.array([1.0, 1.0, 2.0]), n_clusters=range(1, 3))
    expected = list(itertools.product([1, 2], [1.0, 2.0], [0.1, "balanced"]))
    found = [tuple(setting.values()) for setting in model.fit(X, Y).cv_results_["params"]]
    assert found == expected
    assert {type(value) for values in found for value in values} == {int, float, str}
    assert len(pd.DataFrame(model.cv_results_)) == 8


@pytest.mark.parametrize("kind", [FastBoxesClassifier, ExactBoxesClassifier])
def test_multiples_of_the_balanced_weight(kind):
    balanced = POSITIVE.sum() / (~POSITIVE).sum()
    options = {} if kind is FastBoxesClassifier else {"condition_cost": 0.05}
    for text, factor in (("balanced", 1), ("0.5*balanced", 0.5), ("3 * balanced", 3)):
        named = kind(majority_weight=text, **options).fit(X, Y)
        assert named.boxes_ == kind(majority_weight=factor * balanced, **options).fit(X, Y).boxes_


def test_area_under_the_hull_of_one_weight():
    model = variant(SMALL_FAST, majority_weights=("balanced",), scoring="auh", pool=False).fit(X, Y)
    for place, setting in enumerate(model.cv_results_["params"]):
        areas = []
        for train, test in FOLDS:
            one = FastBoxesClassifier(**setting, expand="largest", random_state=0)
            hit = one.fit(X[train], Y[train]).predict(X[test]) == "a"
            rates = hit[~POSITIVE[test]].mean(), hit[POSITIVE[test]].mean()
            areas.append(area_under_hull(*([rate] for rate in rates)))
        assert model.cv_results_["mean_test_score"][place] == pytest.approx(np.mean(areas))
