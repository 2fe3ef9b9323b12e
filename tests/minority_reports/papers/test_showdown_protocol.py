"""The showdown's protocol: who takes part, how configurations race, what is measured."""

import math
import pickle

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imblearn.metrics import geometric_mean_score
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from minority.rules import RIPPERClassifier
from minority.trees import C45Classifier
from minority_reports import datasets, paths
from minority_reports.experiments import Fold, Method, stratified_folds
from minority_reports.papers.showdown import PAPER
from minority_reports.papers.showdown.protocol import (
    CONFIGURATIONS,
    CONTESTANTS,
    KEEL,
    KEPT_POSITIVES,
    LARGE,
    PAPERS,
    Contestant,
    Entrant,
    configurations,
    contestant_of,
    g_mean,
    model_scores,
    model_size,
    quality,
    race,
    sample_rows,
)
from minority_reports.report import protocol_table

READABLE = [name for name, who in CONTESTANTS.items() if who.readable]
TUNED = [name for name, who in CONTESTANTS.items() if who.space]


def small_fold(n=120, positives=24, seed=0, **changes):
    """A fold that every contestant can learn from, with a category and gaps."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(int)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n) + 3 * y,
            "z": rng.normal(size=n) - y,
            "kind": pd.Categorical(rng.choice(["a", "b"], n)),
        }
    )
    X.loc[::17, "z"] = np.nan
    train, test = stratified_folds(y, 3, seed)[0]
    parts = (X.iloc[train].reset_index(drop=True), y[train], X.iloc[test], y[test])
    return Fold(*parts, **{"settings": ("defaults",), "random_state": 1} | changes)


def contestant(name):
    """One that can learn here."""
    who = CONTESTANTS[name]
    if who.needs:
        pytest.importorskip(who.needs)
    return who


@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_contestant_learns_from_a_raw_table(name):
    contestant(name)
    measured = Entrant(CONTESTANTS[name])(small_fold())["defaults"]
    assert measured["failed"] == 0, measured.get("message")
    assert measured["g_mean"] > 0.5
    assert measured["auroc"] > 0.6
    assert measured["conditions"] >= 1
    assert measured["fit_s"] > 0


#: The parameters with which the first rows were computed; estimators have other defaults by now.
_WRAPPER = {
    "criterion": "auroc",
    "costs": 1,
    "minority": None,
    "cv": 5,
    "decrement": 10,
    "increment": 100,
    "min_increment": 0.05,
    "look_ahead": 3,
    "max_smote": 5000,
    "k_neighbors": 5,
    "gap": "point",
    "categorical_features": "from_dtype",
    "n_jobs": None,
    "random_state": None,
}
AS_STORED = {
    "fast-boxes": {
        "n_jobs": None,
        "n_clusters": 1,
        "expansion": 1.0,
        "majority_weight": 0.5,
        "scaling": "minmax",
        "expand": True,
        "nearest": "negative",
        "categorical_features": "from_dtype",
        "pos_label": None,
        "n_init": 10,
        "random_state": None,
    },
    "exact-boxes": {
        "closeness": "overall",
        "max_boxes": 3,
        "majority_weight": 0.5,
        "box_cost": 0.1,
        "condition_cost": 0.0,
        "margin": 0.0,
        "faces": "midgap",
        "solver": "search",
        "formulation": "reduced",
        "penalty": "count",
        "decomposition": None,
        "n_neighbors": 10,
        "categorical_features": "from_dtype",
        "time_limit": 10.0,
        "max_nodes": None,
        "n_jobs": None,
        "pos_label": None,
        "random_state": None,
    },
    "damvi": {
        "max_bins": None,
        "estimator": None,
        "n_estimators": 100,
        "max_samples": 0.2,
        "bootstrap": True,
        "reweighting": "vote",
        "solver": "nnls",
        "pos_label": None,
        "n_jobs": None,
        "random_state": None,
    },
    "rlsd": {
        "min_recall": 0.05,
        "min_precision": None,
        "beta": 2.0,
        "max_rules": 10_000,
        "significance": 0.05,
        "max_intervals": 255,
        "edges": "midway",
        "discretisation": "minority",
        "scored_by": "selected",
        "join": False,
        "categorical_features": "from_dtype",
        "pos_label": None,
        "n_jobs": None,
        "random_state": None,
    },
    "b-svm": {
        "n_estimators": 40,
        "delta": (0.1, 0.2, 0.5, 1.0),
        "C": 1.0,
        "kernel": "linear",
        "loss": "hinge",
        "gamma": "scale",
        "degree": 3,
        "validation_fraction": 2 / 9,
        "tol": 1e-3,
        "max_iter": 1_000_000,
        "pos_label": None,
        "random_state": None,
    },
    "wrapper-c45": {
        **_WRAPPER,
        "estimator__min_samples_leaf": 2,
        "estimator__pruning": "error",
        "estimator__confidence_factor": 0.25,
        "estimator__subtree_raising": True,
        "estimator__collapse": True,
        "estimator__laplace": True,
        "estimator__ruleset": False,
        "estimator__class_weight": None,
        "estimator__costs": None,
        "estimator__categorical_features": "from_dtype",
        "estimator__tol": 1e-5,
    },
    "wrapper-ripper": {
        **_WRAPPER,
        "estimator__n_folds": 3,
        "estimator__n_optimizations": 2,
        "estimator__min_weight": 2.0,
        "estimator__check_error_rate": True,
        "estimator__class_weight": None,
        "estimator__categorical_features": "from_dtype",
        "estimator__random_state": None,
    },
}
AS_STORED["rlsd-all-rules"] = AS_STORED["rlsd"] | {
    "scored_by": "qualified",
    "join": True,
    "significance": "corrected",
}
_CHOSEN = {
    "scoring": "g_mean",
    "cv": 5,
    "n_repeats": None,
    "pool": True,
    "max_fits": None,
    "time_limit": 600.0,
    "pos_label": None,
    "categorical_features": "from_dtype",
    "random_state": None,
    "n_jobs": None,
}
AS_STORED["fast-boxes-cv"] = _CHOSEN | {
    "n_clusters": (1, 2, 3, 4, 6),
    "expansions": (0, 1, 10, 100, 1000),
    "majority_weights": ("0.3*balanced", "balanced", "3*balanced"),
    "tolerance": 0.0,
    "scaling": "minmax",
    "expand": "largest",
    "nearest": "negative",
    "n_init": 10,
}
AS_STORED["exact-boxes-cv"] = _CHOSEN | {
    "condition_costs": (0.01, 0.02, 0.03, 0.05, 0.08, 0.12),
    "max_boxes": (3,),
    "majority_weights": ("balanced",),
    "margins": (0.0,),
    "box_cost": 0.1,
    "faces": "largest",
    "ranking": "depth",
    "max_nodes": 200,
    "tolerance": 0.02,
}


@pytest.mark.parametrize("name", PAPERS)
def test_the_five_systems_keep_their_parameters(name):
    """As their rows were computed, whatever an estimator does by default: all of them, by name."""
    parameters = PAPERS[name].make()[-1].get_params()
    if name.startswith("wrapper"):
        learner = {"wrapper-c45": C45Classifier, "wrapper-ripper": RIPPERClassifier}[name]
        assert type(parameters.pop("estimator")) is learner
    assert parameters == AS_STORED[name]


@pytest.mark.parametrize("name", ["logistic", "fast-boxes", "rlsd", "figs", "optimal-tree"])
def test_rows_are_the_same_again(name):
    contestant(name)
    first, second = (Entrant(CONTESTANTS[name], tuned=True).measure(small_fold()) for _ in "12")
    costs = ("fit_s", "predict_s")
    assert {k: v for k, v in first.items() if k not in costs} == {
        k: v for k, v in second.items() if k not in costs
    }


@pytest.mark.parametrize("name", TUNED)
def test_spaces_have_twenty_points_of_known_parameters(name):
    who = CONTESTANTS[name]
    assert math.prod(map(len, who.space.values())) >= CONFIGURATIONS - 1
    known = who.make()[-1].get_params()
    assert set(who.space) | set(who.racing) <= set(known)


@pytest.mark.parametrize("name", TUNED)
def test_the_defaults_race_first_and_no_point_twice(name):
    tried = configurations(CONTESTANTS[name].space, 0)
    assert tried[0] == {}
    assert len({str(sorted(point.items())) for point in tried}) == CONFIGURATIONS


@pytest.mark.parametrize("name", READABLE)
def test_readable_models_print_themselves(name):
    fold = small_fold()
    model = Entrant(CONTESTANTS[name]).model({}, 0).fit(fold.X_train, fold.y_train)
    assert "x" in model[-1].to_text()


def test_the_sets_are_those_of_the_stated_rule():
    """KEEL's with at least 20 positives; of one source and equally many positives the largest."""
    facts = datasets.describe().set_index("name")
    keel = facts[(facts["source"] == "keel") & (facts["positives"] >= 20)]
    source = keel.index.str.extract(r"^(kr-vs-k|[a-z]+(?:-(?:blocks|thyroid|red|white))?)")[0]
    by_size = (
        keel.reset_index()
        .assign(of=source.to_numpy())
        .sort_values(["n", "name"], ascending=[False, True])
    )
    assert set(KEEL) == set(by_size.drop_duplicates(["of", "positives"])["name"])
    assert len(KEEL) >= 40
    assert facts.loc[list(KEEL), "imbalance"].is_monotonic_increasing
    assert not set(KEEL) & set(LARGE)


def test_all_experiments_cut_and_draw_alike():
    data = datasets.load("glass6")
    task = PAPER.experiments["defaults"].tasks(datasets=["glass6"], methods=["rlsd"])[0]
    first, *others = (e.fold_of(task, data.X, data.y) for e in PAPER.experiments.values())
    assert len(others) == 3
    for other in others:
        pd.testing.assert_frame_equal(first.X_test, other.X_test)
        assert first.random_state == other.random_state


def test_who_chooses_its_parameters_itself_is_not_tuned_again():
    assert set(PAPER.experiments["tuned"].methods) == set(TUNED)
    assert {"fast-boxes-cv", "exact-boxes-cv"} == set(CONTESTANTS) - set(TUNED)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("fast-boxes-cv", "fast-weight"),
        ("exact-boxes-cv", "exact-simplest"),
        ("cart-3", "cart-3"),
    ],
)
def test_rows_agree_with_those_of_the_boxes_at_their_best(name, step):
    """The same estimators on the same folds with the same random numbers, computed apart."""
    key = ["dataset", "repeat", "fold", "seed", "data"]
    defaults, steps = (
        pd.read_csv(paths.committed_results() / f"{experiment}.csv")
        for experiment in ("showdown-defaults", "box_drawings-steps")
    )
    both = defaults[defaults["method"] == name].merge(
        steps[steps["method"] == step], on=key, suffixes=("", "_step")
    )
    assert len(both) == (defaults["method"] == name).sum()
    for measure in ("g_mean", "f1", "average_precision", "auroc", "rules", "conditions"):
        pd.testing.assert_series_equal(
            both[measure], both[f"{measure}_step"], check_names=False, check_dtype=False
        )


# the race


def test_a_race_halves_its_field_and_finds_the_best():
    asked = []

    def score(number, train, test):
        asked.append(number)
        assert not set(train) & set(test)
        return number / 64

    assert race(20, np.repeat([0, 1], 30), score, 0) == (19, 19 / 64)
    assert [len(set(asked[:20])), len(asked)] == [20, 20 + 10 + 5]


def test_of_equals_the_first_wins():
    assert race(20, np.repeat([0, 1], 30), lambda number, train, test: 0.5, 0) == (0, 0.5)


def test_a_configuration_that_fails_loses():
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    fold = small_fold()
    numbers = fold.X_train[["x"]]
    who = Contestant(
        "Tree",
        make_pipeline(DecisionTreeClassifier()),
        {"max_depth": (-1, *range(1, 20))},
        about="",
    )
    choice = Entrant(who, tuned=True).tune(numbers, fold.y_train, 0)
    assert choice.parameters.get("max_depth") != -1
    assert choice.score > 0.5


@given(
    n=st.integers(20, 400),
    share=st.floats(0.02, 0.5),
    most=st.integers(10, 500),
    seed=st.integers(0, 9),
)
def test_samples_keep_positives(n, share, most, seed):
    y = np.zeros(n, int)
    y[: max(1, int(share * n))] = 1
    rows = sample_rows(y, most, seed)
    assert len(set(rows)) == len(rows)
    assert (np.diff(rows) > 0).all()
    assert len(rows) == min(len(y), most)
    assert y[rows].sum() >= min(y.sum(), KEPT_POSITIVES, most // 2)


def test_no_test_row_has_a_say_in_tuning():
    fold = small_fold()
    turned = Fold(
        fold.X_train, fold.y_train, fold.X_test, 1 - fold.y_test, fold.settings, fold.random_state
    )
    chosen = [
        Entrant(CONTESTANTS["logistic"], tuned=True).measure(f)["configuration"]
        for f in (fold, turned)
    ]
    assert chosen[0] == chosen[1]


# what is measured


@settings(max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_g_mean_is_that_of_imbalanced_learn(pairs):
    y, predicted = np.array([(1, 0), (0, 1), *pairs], dtype=int).T
    expected = geometric_mean_score(y, predicted)
    assert g_mean(y, predicted) == pytest.approx(expected)


def test_quality_of_a_perfect_and_of_an_empty_answer():
    y = np.array([0, 0, 0, 1])
    perfect = quality(y, y, y.astype(float), y.astype(float))
    assert perfect == dict.fromkeys(perfect, 1.0) | {"brier": 0.0}
    nothing = quality(y, np.zeros(4), np.zeros(4), None)
    assert [nothing[k] for k in ("g_mean", "f1", "average_precision", "auroc")] == [0, 0, 0.25, 0.5]
    assert nothing["brier"] is None


def broken():
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.pipeline import make_pipeline

    class Broken(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            raise ValueError("worse than random")

    return make_pipeline(Broken())


def test_who_cannot_learn_counts_as_predicting_the_majority():
    measured = Entrant(Contestant("Broken", broken(), {}, about=""))(small_fold())["defaults"]
    assert measured["failed"] == 1
    assert measured["message"] == "ValueError: worse than random"
    assert (measured["g_mean"], measured["auroc"]) == (0, 0.5)


def endless():
    import time

    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    class Endless(DecisionTreeClassifier):
        def fit(self, X, y):
            time.sleep(3600)

    return make_pipeline(Endless())


def test_who_takes_too_long_is_cut_off_without_a_result():
    fold = small_fold(time_limit=0.5)
    measured = Entrant(Contestant("Endless", endless(), {}, about=""))(fold)["defaults"]
    assert measured["status"] == "time limit"
    assert "g_mean" not in measured


def test_exact_boxes_says_what_it_proved():
    measured = Entrant(CONTESTANTS["exact-boxes"])(small_fold())["defaults"]
    assert measured["bound"] == measured["objective"]
    assert "status" not in measured


# sizes


def fitted(name):
    contestant(name)
    fold = small_fold()
    return Entrant(CONTESTANTS[name]).model({}, 0).fit(fold.X_train, fold.y_train)


@pytest.mark.parametrize("name", ["damvi", "b-svm", "fast-boxes", "exact-boxes"])
def test_shares_of_votes_and_depths_are_no_probabilities(name, monkeypatch):
    """They have no Brier score, whether their classes offer probabilities or not."""
    X, model = small_fold().X_test, fitted(name)
    offered = lambda self, X: np.full((len(X), 2), 0.5)  # noqa: E731
    monkeypatch.setattr(type(model[-1]), "predict_proba", offered, raising=False)
    score, probability = model_scores(model, X)
    assert probability is None and hasattr(model, "predict_proba")
    np.testing.assert_array_equal(score, model.decision_function(X).round(12))


def test_sizes_of_rules_and_boxes():
    boxes = fitted("fast-boxes")[-1].boxes_
    finite = sum(np.isfinite(side).sum() for side in (boxes.lower, boxes.upper))
    assert model_size(fitted("fast-boxes")) == (len(boxes), finite)
    rules = fitted("rlsd")[-1].rules_
    assert model_size(fitted("rlsd")) == (len(rules), sum(map(len, rules)))
    tree = fitted("wrapper-c45")[-1].estimator_
    leaves = tree.get_n_leaves()
    assert model_size(fitted("wrapper-c45")) == (leaves, len(tree.tree_.feature) - leaves)


def test_sizes_of_ensembles_count_those_that_vote():
    forest = fitted("balanced-forest")[-1]
    leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)
    assert model_size(forest) == (leaves, leaves - len(forest.estimators_))
    damvi = fitted("damvi")[-1]
    voting = np.flatnonzero(damvi.weights_)
    assert 0 < len(voting) < len(damvi.weights_)
    leaves = sum((damvi.voters_.trees_[k].feature < 0).sum() for k in voting)
    assert model_size(damvi) == (leaves, leaves - len(voting))
    svm = fitted("b-svm")[-1]
    assert model_size(svm) == (svm.n_rounds_, svm.n_rounds_ * svm.n_features_in_)


def test_sizes_of_models_of_other_packages():
    X = small_fold().X_test
    tree = fitted("optimal-tree")
    leaves = len(np.unique(tree.predict_proba(X)[:, 1]))
    assert leaves <= model_size(tree)[0] <= 8 and model_size(tree)[1] == model_size(tree)[0] - 1
    figs = fitted("figs")[-1].estimator_
    assert model_size(fitted("figs")) == (figs.complexity_ + len(figs.trees_), figs.complexity_)
    curves = fitted("ebm")[-1].estimator_.term_scores_
    rules, steps = model_size(fitted("ebm"))
    assert rules == len(curves) == 3 and 3 <= steps < sum(map(len, curves))


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost"])
def test_sizes_of_boosted_trees_count_leaves(name):
    booster = fitted(name)[-1].estimator_.estimator_
    rules, conditions = model_size(fitted(name))
    trees = {
        "lightgbm": lambda: booster.booster_.num_trees(),
        "xgboost": lambda: booster.get_booster().num_boosted_rounds(),
        "catboost": lambda: booster.tree_count_,
    }[name]()
    assert rules - conditions == trees > 1 and conditions > trees / 2


def test_size_of_a_linear_model_is_its_coefficients():
    model = fitted("logistic")
    assert model_size(model) == (1, model[-1].coef_.size)


def test_sizes_of_other_models_are_missing():
    X, y = np.arange(8.0).reshape(-1, 1), np.repeat([0, 1], 4)
    nearest = KNeighborsClassifier(2)
    for model in (nearest, BaggingClassifier(nearest, 2), make_pipeline(nearest)):
        assert np.isnan(model_size(model.fit(X, y))).all()


# what a user adds


class Stump(ClassifierMixin, BaseEstimator):
    """Says only classes, as much as it needs to."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X["x"] > 1.5).astype(int)


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(3),
        make_pipeline(StandardScaler(), LinearSVC(random_state=None)),
        Stump(),
    ],
    ids=["nearest", "pipeline", "only classes"],
)
def test_an_estimator_of_a_user_is_one_more_method(estimator):
    fold = small_fold()
    run = PAPER.experiments["defaults"].adapt(estimator)
    measured = run(fold)["defaults"]
    assert measured["failed"] == 0, measured.get("message")
    assert measured["g_mean"] > 0.5 and measured["configuration"] == ""
    assert (measured["brier"] is None) != hasattr(estimator, "predict_proba")
    assert run.estimator is estimator
    pickle.loads(cloudpickle.dumps(run))
    if isinstance(estimator, Stump):
        known = g_mean(fold.y_test, estimator.predict(fold.X_test))
        assert measured["g_mean"] == known


def test_what_prints_itself_is_called_readable():
    adapt = PAPER.experiments["defaults"].adapt
    tree, nearest = adapt(C45Classifier()), adapt(KNeighborsClassifier())
    assert contestant_of(Method("Tree", tree)).readable
    assert not contestant_of(Method("Nearest", nearest)).readable
    assert not contestant_of(Method("By hand", lambda fold: {})).readable


def test_only_the_defaults_take_estimators():
    assert PAPER.experiments["tuned"].adapt is None


def test_the_protocol_names_what_is_fitted():
    frame = protocol_table(PAPER.experiments["defaults"]).frame["what it is"]
    for name, who in CONTESTANTS.items():
        text = frame["method", who.label]
        assert text.startswith(type(who.make()[-1]).__name__) and text.endswith(who.about), name
