"""The showdown: which data sets, which methods, how they are tuned, what is measured.

None of the papers compares itself with another one. Here all learn from the same 2 x 5 stratified
folds, with their defaults and after tuning with the same budget inside of the training part.
Everything about a method was fixed before a row of it was stored, but for the most rows that
Boosting-SVM learns from, which were lowered after timing it on a made-up table and touch only the
larger sets.

Every method is a pipeline that takes a table with categories and gaps. Those that learn from
numbers get them from :func:`minority_reports.experiments.numeric_coder`. Boxes and RLSD take part
twice: as published, with which the showdown began, and at their best, with what their estimators do
by default now. These defaults were found after rows of the former had been seen, on a third of
these data sets. All parameters of the five systems are written out, so that rows stay what they are
when a default changes. Those of the baselines are what a user gets who sets nothing, except for
what makes a baseline one for imbalanced data: class weights, and for gradient boosting the
threshold. Each method has a space of parameters for tuning, of at least twenty points, but for
those that choose among such points by cross-validation themselves.
"""

import functools
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from imblearn.ensemble import (
    BalancedRandomForestClassifier,
    EasyEnsembleClassifier,
    RUSBoostClassifier,
)
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from minority import (
    BoostingSVMClassifier,
    C45Classifier,
    DAMVIClassifier,
    ExactBoxesClassifier,
    ExactBoxesClassifierCV,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    RIPPERClassifier,
    RLSDClassifier,
    SamplingWrapperClassifier,
)
from minority._seeding import seeded
from minority_reports.experiments import (
    Experiment,
    Fold,
    Method,
    Outcome,
    in_own_process,
    numeric_coder,
    stratified_folds,
)
from minority_reports.papers.fixed import fixed
from minority_reports.papers.showdown.packages import Imported, OptimalTreeClassifier

#: Seconds for everything that a contestant does with a fold.
TIME_LIMIT = 900.0

#: KEEL's imbalanced sets with at least 20 positives. Several are made from one source with the same
#: positives: of those with equally many only the one with most rows (of equals the first by name).
KEEL = (
    *("glass1", "wisconsin", "pima", "iris0", "glass0", "yeast1", "haberman", "vehicle2"),
    *("vehicle1", "vehicle3", "glass-0-1-2-3_vs_4-5-6", "vehicle0", "ecoli1", "new-thyroid1"),
    *("ecoli2", "segment0", "glass6", "yeast3", "ecoli3", "page-blocks0", "yeast-0-3-5-9_vs_7-8"),
    *("yeast-0-2-5-6_vs_3-7-8-9", "ecoli-0-1_vs_2-3-5", "ecoli-0-2-6-7_vs_3-5", "vowel0"),
    *("ecoli-0-1-4-7_vs_2-3-5-6", "led7digit-0-2-4-5-6-7-8-9_vs_1", "ecoli-0-1-4-7_vs_5-6"),
    *("shuttle-c0-vs-c4", "ecoli4", "page-blocks-1-3_vs_4", "abalone9-18", "dermatology-6"),
    *("yeast-2_vs_8", "flare-F", "car-good", "car-vgood", "kr-vs-k-zero-one_vs_draw"),
    *("kr-vs-k-one_vs_fifteen", "yeast4", "winequality-red-4", "kddcup-guess_passwd_vs_satan"),
    *("yeast-1-2-8-9_vs_7", "yeast5", "kr-vs-k-three_vs_eleven", "abalone-17_vs_7-8-9-10"),
    *("yeast6", "winequality-white-3_vs_7", "winequality-white-3-9_vs_5", "shuttle-2_vs_5"),
    *("abalone-20_vs_8-9-10", "kddcup-buffer_overflow_vs_back", "kddcup-land_vs_satan"),
    *("kr-vs-k-zero_vs_fifteen", "poker-8-9_vs_5", "kddcup-rootkit-imap_vs_back", "abalone19"),
)
#: Larger sets; all but the first must be fetched or lie in a mirror.
LARGE = (
    *("satimage", "phoneme", "mammography", "letter", "scania_aps_partial", "webpage"),
    *("protein_homo", "creditcard"),
)

#: Measures of quality and how people call them. All but Brier's score are better if higher.
METRICS = {
    "g_mean": "G-mean",
    "f1": "F1",
    "average_precision": "average precision",
    "auroc": "AUROC",
    "balanced_accuracy": "balanced accuracy",
    "brier": "Brier score",
}

# The methods.

#: Seconds after which Exact Boxes returns its best boxes so far; while tuning a tenth of it.
EXACT_SECONDS = 10.0


@dataclass(frozen=True)
class Contestant:
    """A learner: its pipeline, what may be tuned, and whether its model prints itself."""

    label: str
    #: Unfitted; what is before its last step only codes columns.
    pipeline: Pipeline | None
    #: Values by the name of a parameter of the last step; none for who chooses them by itself.
    space: Mapping[str, Sequence]
    about: str
    #: Whether its model prints itself as rules; how much there is to read is `model_size`.
    readable: bool = False
    #: Rows to learn from at the most; beyond them a sample is drawn. 0 for no limit.
    max_rows: int = 0
    #: Parameters that make a fit cheaper while configurations race against each other.
    racing: Mapping[str, object] = field(default_factory=dict)
    #: That of its methods.
    version: int = 1
    #: Package of the extra `showdown` without which it cannot learn.
    needs: str = ""

    def make(self) -> Pipeline:
        """A copy of the pipeline."""
        return clone(self.pipeline)


def numeric_pipeline(model, *, scale: bool = False, fill: bool = True):
    """A model behind the steps that turn a table into numbers, with the columns' names kept."""
    steps = [numeric_coder(fill=fill), *([StandardScaler()] if scale else []), model]
    return make_pipeline(*steps).set_output(transform="pandas")


def _with_threshold(model):
    """A model of boosted trees, which take gaps as they are, with a threshold by five folds."""
    # balanced accuracy and the G-mean are highest at nearly the same threshold
    return numeric_pipeline(
        TunedThresholdClassifierCV(model, scoring="balanced_accuracy"), fill=False
    )


_SHARED_WRAPPER = {
    "criterion": ("auroc", "f1"),
    "min_increment": (0.01, 0.05),
    "k_neighbors": (3, 5, 7),
}

PAPERS = {
    "fast-boxes": Contestant(
        "Fast Boxes",
        numeric_pipeline(fixed(FastBoxesClassifier)),
        {
            "n_clusters": (1, 2, 3, 4, 5, 6),
            "expansion": (0, 1, 3, 10, 30, 100),
            "majority_weight": (0.05, 0.1, 0.2, 0.5, 1.0),
            "expand": (True, False),
        },
        about="one box, c = 0.5, beta = 1; expanded to the next negative",
        readable=True,
    ),
    "exact-boxes": Contestant(
        "Exact Boxes",
        numeric_pipeline(fixed(ExactBoxesClassifier, time_limit=EXACT_SECONDS)),
        {
            "max_boxes": (1, 2, 3, 5),
            "majority_weight": (0.05, 0.1, 0.2, 0.5, 1.0),
            "box_cost": (0.1, 0.5, 1.0, 2.0),
            "faces": ("tight", "midgap", "expand"),
        },
        about=f"at most 3 boxes, c = 0.5, faces in mid-gap, {EXACT_SECONDS:g} s a solve",
        readable=True,
        max_rows=5_000,
        racing={"time_limit": EXACT_SECONDS / 10},
    ),
    "fast-boxes-cv": Contestant(
        "Fast Boxes CV",
        numeric_pipeline(fixed(FastBoxesClassifierCV)),
        {},
        about="K, beta and the weight of the majority by 5 folds; largest faces",
        readable=True,
    ),
    "exact-boxes-cv": Contestant(
        "Exact Boxes CV",
        numeric_pipeline(fixed(ExactBoxesClassifierCV, tolerance=0.02)),
        {},
        about="the price of a condition by 5 folds, balanced weight, largest faces; 200 nodes a "
        "solve",
        readable=True,
        max_rows=5_000,
    ),
    "damvi": Contestant(
        "DAMVI",
        numeric_pipeline(fixed(DAMVIClassifier)),
        {
            "n_estimators": (50, 100, 200),
            "max_samples": (0.05, 0.1, 0.2, 0.5, 1.0),
            "reweighting": ("vote", "sign", None),
            "bootstrap": (True, False),
        },
        about="100 trees on bootstraps of 20 %, weighted by the C-bound",
    ),
    "rlsd": Contestant(
        "RLSD",
        make_pipeline(fixed(RLSDClassifier)),
        {
            "min_recall": (0.02, 0.05, 0.1, 0.2),
            "beta": (0.5, 1.0, 2.0, 4.0),
            "significance": (0.001, 0.01, 0.05, 0.1),
            "max_rules": (2_000, 10_000, 50_000),
        },
        about="minimum recall 5 %, beta = 2, each cut at 5 %",
        readable=True,
    ),
    "rlsd-all-rules": Contestant(
        "RLSD, all rules",
        make_pipeline(
            fixed(RLSDClassifier, scored_by="qualified", join=True, significance="corrected")
        ),
        {
            "min_recall": (0.02, 0.05, 0.1, 0.2),
            "beta": (0.5, 1.0, 2.0, 4.0),
            "significance": (0.001, 0.01, 0.05, "corrected"),
            "max_rules": (2_000, 10_000, 50_000),
        },
        about="rows are scored by all rules that qualify; equal rules joined, cuts at a corrected "
        "5 %",
        readable=True,
    ),
    "b-svm": Contestant(
        "Boosting-SVM",
        numeric_pipeline(fixed(BoostingSVMClassifier), scale=True),
        {
            "C": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
            "delta": (0.1, 0.2, 0.5, 1.0),
            "n_estimators": (10, 40),
            "loss": ("hinge", "squared_hinge"),
        },
        about="40 rounds, C = 1, features standardised",
        max_rows=5_000,
        version=2,
    ),
    "wrapper-c45": Contestant(
        "Wrapper, C4.5",
        make_pipeline(fixed(SamplingWrapperClassifier, estimator=fixed(C45Classifier))),
        {
            **_SHARED_WRAPPER,
            "estimator__confidence_factor": (0.05, 0.1, 0.25, 0.5),
            "estimator__min_samples_leaf": (1, 2, 5, 10),
        },
        about="levels by AUROC, inner 5 folds",
        readable=True,
        max_rows=20_000,
    ),
    "wrapper-ripper": Contestant(
        "Wrapper, RIPPER",
        make_pipeline(fixed(SamplingWrapperClassifier, estimator=fixed(RIPPERClassifier))),
        {
            **_SHARED_WRAPPER,
            "estimator__n_optimizations": (0, 1, 2),
            "estimator__min_weight": (1.0, 2.0, 5.0),
        },
        about="levels by AUROC, inner 5 folds",
        readable=True,
        max_rows=20_000,
    ),
}

#: Models with few conditions that a practitioner would try instead.
READABLE_BASELINES = {
    "cart-3": Contestant(
        "CART of depth 3",
        numeric_pipeline(DecisionTreeClassifier(max_depth=3, class_weight="balanced")),
        {
            "max_leaf_nodes": (2, 3, 4, 5, 6, 8),
            "min_samples_leaf": (1, 2, 5, 10),
            "criterion": ("gini", "entropy"),
        },
        about="scikit-learn's, balanced class weights",
    ),
    "optimal-tree": Contestant(
        "Optimal tree",
        numeric_pipeline(OptimalTreeClassifier()),
        {
            "max_depth": (2, 3),
            "n_thresholds": (5, 10, 20),
            "min_samples_leaf": (1, 5, 10, 20),
        },
        about="pystreed: lowest balanced error of all trees of depth 3, number of nodes by 5 folds",
        needs="pystreed",
    ),
    "c45": Contestant(
        "C4.5",
        make_pipeline(fixed(C45Classifier)),
        {
            "confidence_factor": (0.01, 0.05, 0.1, 0.25, 0.5),
            "min_samples_leaf": (1, 2, 5, 10, 20),
        },
        about="alone, without weights",
        readable=True,
    ),
    "ripper": Contestant(
        "RIPPER",
        make_pipeline(fixed(RIPPERClassifier)),
        {
            "n_optimizations": (0, 1, 2, 3),
            "min_weight": (1.0, 2.0, 5.0, 10.0),
            "check_error_rate": (True, False),
        },
        about="alone, without weights",
        readable=True,
    ),
    "figs": Contestant(
        "FIGS",
        numeric_pipeline(
            Imported(
                "imodels.FIGSClassifier",
                class_weight="balanced",
                max_rules=12,
                max_trees=None,
                max_depth=None,
            )
        ),
        {
            "max_rules": (3, 6, 12, 24),
            "max_trees": (1, 2, None),
            "max_depth": (1, 3, None),
        },
        about="imodels: a sum of small trees, 12 splits in all, balanced class weights",
        needs="imodels",
    ),
    "ebm": Contestant(
        "EBM",
        numeric_pipeline(
            Imported(
                "interpret.glassbox.ExplainableBoostingClassifier",
                weights="balanced",
                interactions=0,
                learning_rate=0.015,
                max_leaves=2,
                smoothing_rounds=75,
                n_jobs=1,
            )
        ),
        {
            "learning_rate": (0.005, 0.015, 0.05),
            "max_leaves": (2, 3, 4),
            "smoothing_rounds": (0, 75, 200),
        },
        about="interpret: a curve for each feature, no interactions, balanced weights",
        needs="interpret",
    ),
}

#: Other baselines: most of them are stronger, and none is as short.
RIVALS = {
    "logistic": Contestant(
        "Logistic regression",
        numeric_pipeline(LogisticRegression(class_weight="balanced", max_iter=1000), scale=True),
        {"C": tuple(10.0 ** (k / 2) for k in range(-8, 9)), "fit_intercept": (True, False)},
        about="balanced class weights, C = 1, features standardised",
    ),
    "balanced-forest": Contestant(
        "Balanced random forest",
        numeric_pipeline(BalancedRandomForestClassifier()),
        {
            "n_estimators": (50, 100, 200),
            "max_features": ("sqrt", 0.5, 1.0),
            "min_samples_leaf": (1, 2, 5, 10),
            "max_depth": (None, 5, 10),
        },
        about="imbalanced-learn's defaults: 100 trees, both classes drawn with replacement",
    ),
    "rusboost": Contestant(
        "RUSBoost",
        # the default's stumps, written out so that their depth can be tuned
        numeric_pipeline(RUSBoostClassifier(DecisionTreeClassifier(max_depth=1))),
        {
            "n_estimators": (25, 50, 100),
            "learning_rate": (0.1, 0.3, 1.0),
            "estimator__max_depth": (1, 2, 3, 5),
        },
        about="imbalanced-learn's defaults: 50 stumps",
    ),
    "easy-ensemble": Contestant(
        "Easy Ensemble",
        numeric_pipeline(
            EasyEnsembleClassifier(
                estimator=AdaBoostClassifier(DecisionTreeClassifier(max_depth=1))
            )
        ),
        {
            "n_estimators": (5, 10, 20),
            "estimator__n_estimators": (10, 25, 50),
            "estimator__learning_rate": (0.3, 1.0),
            "estimator__estimator__max_depth": (1, 2, 3),
        },
        about="imbalanced-learn's defaults: 10 times AdaBoost with 50 stumps",
    ),
    "gradient-boosting": Contestant(
        "Gradient boosting",
        _with_threshold(HistGradientBoostingClassifier(class_weight="balanced")),
        {
            "estimator__learning_rate": (0.03, 0.1, 0.3),
            "estimator__max_leaf_nodes": (4, 8, 16, 31),
            "estimator__min_samples_leaf": (5, 20, 50),
            "estimator__l2_regularization": (0.0, 1.0, 10.0),
        },
        about="histograms, balanced class weights, threshold by 5 folds on balanced accuracy",
        racing={"cv": 2},
    ),
    "lightgbm": Contestant(
        "LightGBM",
        _with_threshold(
            Imported(
                "lightgbm.LGBMClassifier",
                class_weight="balanced",
                learning_rate=0.1,
                num_leaves=31,
                min_child_samples=20,
                reg_lambda=0.0,
                n_jobs=1,
                verbose=-1,
            )
        ),
        {
            "estimator__learning_rate": (0.03, 0.1, 0.3),
            "estimator__num_leaves": (4, 8, 16, 31),
            "estimator__min_child_samples": (5, 20, 50),
            "estimator__reg_lambda": (0.0, 1.0, 10.0),
        },
        about="balanced class weights, threshold by 5 folds on balanced accuracy",
        racing={"cv": 2},
        needs="lightgbm",
    ),
    "xgboost": Contestant(
        "XGBoost",
        _with_threshold(
            Imported(
                "xgboost.XGBClassifier",
                weights="balanced",
                learning_rate=0.3,
                max_depth=6,
                min_child_weight=1.0,
                reg_lambda=1.0,
                n_jobs=1,
            )
        ),
        {
            "estimator__learning_rate": (0.03, 0.1, 0.3),
            "estimator__max_depth": (2, 4, 6),
            "estimator__min_child_weight": (1.0, 5.0, 20.0),
            "estimator__reg_lambda": (0.0, 1.0, 10.0),
        },
        about="balanced weights, threshold by 5 folds on balanced accuracy",
        racing={"cv": 2},
        needs="xgboost",
    ),
    "catboost": Contestant(
        "CatBoost",
        _with_threshold(
            Imported(
                "catboost.CatBoostClassifier",
                auto_class_weights="Balanced",
                iterations=300,
                learning_rate=None,
                depth=6,
                l2_leaf_reg=3.0,
                thread_count=1,
                verbose=False,
                allow_writing_files=False,
            )
        ),
        {
            "estimator__learning_rate": (None, 0.03, 0.1, 0.3),
            "estimator__depth": (2, 4, 6),
            "estimator__l2_leaf_reg": (1.0, 3.0, 10.0),
        },
        about="300 trees in place of 1,000 (its step size adapts), balanced class weights, "
        "threshold by 5 folds on balanced accuracy",
        racing={"cv": 2},
        needs="catboost",
    ),
}

CONTESTANTS = {**PAPERS, **READABLE_BASELINES, **RIVALS}


# Tuning with the same budget for all: configurations race over inner folds.

#: Configurations tried, the defaults first among them.
CONFIGURATIONS = 20
INNER_FOLDS = 3
#: Rows that configurations race on at the most; the winner learns from all.
RACE_ROWS = 4_000
#: Positives that a sample of the rows keeps, even if that changes their share, to one half at most.
KEPT_POSITIVES = 100


def configurations(space: Mapping[str, Sequence], random_state: int) -> list[dict]:
    """The defaults, as nothing, and nineteen different points of a space drawn at random."""
    from sklearn.model_selection import ParameterSampler

    drawn = ParameterSampler(space, CONFIGURATIONS - 1, random_state=random_state)
    return [{}, *drawn]


def sample_rows(y: np.ndarray, most: int, random_state: int) -> np.ndarray:
    """At most ``most`` rows, in order: with the same share of positives unless they become few."""
    if not most or len(y) <= most:
        return np.arange(len(y))
    rng = np.random.default_rng(random_state)
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y != 1)
    share = round(most * len(positives) / len(y))
    n_positives = min(len(positives), max(share, min(KEPT_POSITIVES, most // 2)))
    kept = rng.choice(positives, n_positives, replace=False)
    others = rng.choice(negatives, min(len(negatives), most - n_positives), replace=False)
    return np.sort(np.concatenate([kept, others]))


def race(n_configurations: int, y: np.ndarray, score: Callable, random_state: int):
    """The number of the best configuration and its mean score.

    All are scored on the first inner fold, the better half goes on to the second, and the better
    half of those to the third. ``score(number, train, test)`` is higher for better ones. Of equals
    the first counts, so that the defaults are left only for something better.
    """
    folds = stratified_folds(y, INNER_FOLDS, random_state)
    running, scores = list(range(n_configurations)), {}
    for place, (train, test) in enumerate(folds):
        for number in running:
            scores.setdefault(number, []).append(score(number, train, test))
        running.sort(key=lambda number: (-np.mean(scores[number]), number))
        if place + 1 < len(folds):
            running = running[: math.ceil(len(running) / 2)]
    return running[0], float(np.mean(scores[running[0]]))


# A method on a fold.


def guarded(contestant: Contestant, measure: Callable[[Fold], dict], fold: Fold) -> dict:
    """What a contestant's measurement on a fold says, for each setting, within its time limit.

    Who cannot learn from a fold predicts the majority there, as a user would have to.
    """
    load_code(contestant.needs)
    limit = fold.time_limit or TIME_LIMIT
    outcome = in_own_process(lambda: measure(fold), limit)
    return dict.fromkeys(fold.settings, measures_of(outcome, fold.y_test, limit))


def measures_of(outcome: Outcome, y_test: np.ndarray, limit: float) -> dict:
    """The measures of a fold, or what stands for them if its time was over or it failed."""
    known = {"time_limit": limit}
    if outcome.timed_out:
        return known | {"status": "time limit", "message": f"stopped after {limit:g} s"}
    if outcome.error:
        nothing = np.zeros(len(y_test))
        measured = quality(y_test, nothing, nothing, None)
        return known | measured | {"failed": 1, "message": outcome.error, "train_rows": 0}
    return known | outcome.result | {"failed": 0, "fit_mb": round(outcome.peak_mb, 1)}


@dataclass(frozen=True)
class Entrant:
    """A contestant in the experiments: learns from a fold and is measured on its test part."""

    contestant: Contestant
    tuned: bool = False

    @property
    def estimator(self):
        """The last step of the pipeline, unfitted."""
        return self.contestant.pipeline[-1]

    def __call__(self, fold: Fold) -> dict:
        return guarded(self.contestant, self.measure, fold)

    def measure(self, fold: Fold) -> dict:
        """Learn, predict and measure; raises what the learner raises."""
        return self.held_out(fold).measures

    def held_out(self, fold: Fold) -> "HeldOut":
        """Learn from a fold's training part; what its test part says."""
        started = perf_counter()
        rows = sample_rows(fold.y_train, self.contestant.max_rows, fold.random_state)
        X, y = fold.X_train.iloc[rows], fold.y_train[rows]
        choice = self.tune(X, y, fold.random_state) if self.tuned else Choice({})
        model = self.model(choice.parameters, fold.random_state).fit(X, y)
        fitted = perf_counter()
        predicted, (score, probability) = (
            model.predict(fold.X_test),
            model_scores(model, fold.X_test),
        )
        done = perf_counter()
        rules, conditions = model_size(model)
        measures = quality(fold.y_test, predicted, score, probability) | {
            "rules": rules,
            "conditions": conditions,
            "train_rows": len(y),
            "inner_score": choice.score,
            "configuration": describe(choice.parameters) if self.tuned else "",
            "fit_s": round(fitted - started, 4),
            "predict_s": round(done - fitted, 4),
            **_proof(model[-1], choice.was_cut_off),
        }
        return HeldOut(measures, model, predicted, score)

    def tune(self, X, y, random_state: int) -> "Choice":
        """The best of the configurations in a race."""
        rows = sample_rows(y, RACE_ROWS, random_state)
        X, y = X.iloc[rows], y[rows]
        tried = configurations(self.contestant.space, random_state)
        was_cut_off = False

        def score(number, train, test):
            nonlocal was_cut_off
            model = self.model(tried[number] | self.contestant.racing, random_state)
            try:
                predicted = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
            except ValueError:  # a configuration that does not suit the data has lost
                return -1.0
            was_cut_off |= getattr(model[-1], "status_", "optimal") == "time_limit"
            return g_mean(y[test], predicted)

        best, inner_score = race(len(tried), y, score, random_state)
        return Choice(tried[best], inner_score, was_cut_off)

    def model(self, parameters: dict, random_state: int):
        """An unfitted pipeline whose last step has these parameters."""
        model = seeded(self.contestant.make(), random_state)
        model[-1].set_params(**parameters)
        return model


@dataclass(frozen=True)
class HeldOut:
    """A model learned from a fold's training part: measured on its test part, with what it says."""

    measures: dict
    model: object
    #: Of each test row: its class, and how positive it is found.
    predicted: np.ndarray
    score: np.ndarray


@dataclass(frozen=True)
class Choice:
    """The configuration that tuning chose, its score, and whether a time limit had a say."""

    parameters: dict
    score: float | None = None
    was_cut_off: bool = False


def describe(parameters: dict) -> str:
    """A configuration in words; the defaults are called so."""
    return ", ".join(f"{k}={v!r}" for k, v in sorted(parameters.items())) or "defaults"


@functools.cache
def load_code(package: str = "") -> None:
    """Load all code before the process forks, or every fork would load it again."""
    if package:
        importlib.import_module(package)
        return load_code()
    from sklearn import metrics  # noqa: F401

    from minority._warm import warm

    warm()


def _proof(model, was_cut_off: bool) -> dict:
    """What Exact Boxes knows of the best boxes; nothing if time limits chose its configuration."""
    if was_cut_off:
        return {"status": "time limit", "message": "solves were cut off while tuning"}
    cut_off = getattr(model, "status_", "") == "time_limit"
    status = {"status": "time limit"} if cut_off else {}
    solved = getattr(model, "best_estimator_", model)
    if not hasattr(solved, "bound_"):
        return status
    return {"objective": round(solved.objective_, 6), "bound": round(solved.bound_, 6)} | status


def model_scores(model, X) -> tuple[np.ndarray, np.ndarray | None]:
    """How positive a model finds each row, and its probabilities if it has any.

    One that only predicts classes is scored by these. The shares of votes of DAMVI and Boosting-SVM
    are no probabilities, and boxes are scored by the depth of a row in them. Scores are rounded to
    12 decimals: ties that only the last bits decide would move a ranking.
    """
    last = model[-1] if hasattr(model, "steps") else model
    is_vote = isinstance(last, DAMVIClassifier | BoostingSVMClassifier)
    is_depth = isinstance(
        last,
        FastBoxesClassifier | ExactBoxesClassifier | FastBoxesClassifierCV | ExactBoxesClassifierCV,
    )
    if hasattr(model, "predict_proba") and not (is_vote or is_depth):
        probability = model.predict_proba(X)[:, 1]
        return probability.round(12), probability
    if hasattr(model, "decision_function"):
        return model.decision_function(X).round(12), None
    return np.asarray(model.predict(X), dtype=float), None


def g_mean(y_true, predicted) -> float:
    """The geometric mean of sensitivity and specificity."""
    positive = y_true == 1
    return math.sqrt((predicted[positive] == 1).mean() * (predicted[~positive] != 1).mean())


def quality(y_true, predicted, score, probability) -> dict:
    """The measures of the showdown on a test part with both classes."""
    from sklearn.metrics import (
        average_precision_score,
        balanced_accuracy_score,
        brier_score_loss,
        f1_score,
        roc_auc_score,
    )

    return {
        "g_mean": g_mean(y_true, predicted),
        "f1": float(f1_score(y_true, predicted, zero_division=0)),
        "average_precision": float(average_precision_score(y_true, score)),
        "auroc": float(roc_auc_score(y_true, score)),
        "balanced_accuracy": float(balanced_accuracy_score(y_true, predicted)),
        "brier": None if probability is None else float(brier_score_loss(y_true, probability)),
    }


def model_size(model) -> tuple[float, float]:
    """Rules and conditions of a fitted model.

    A box or a leaf is a rule; a side of a box, a comparison in a rule, a split of a tree or a
    coefficient that is not zero is a condition, and so is a step of a curve of EBM. Boxes that only
    rank rows count as well; of an ensemble all members that vote are counted. Models of other
    kinds, which only users add, have no such size: it is missing.
    """
    if hasattr(model, "steps"):  # a pipeline; what is before the model only codes columns
        return model_size(model[-1])
    if hasattr(model, "boxes_"):
        return _total(map(_box_size, [model.boxes_, *getattr(model, "path_", [])]))
    if hasattr(model, "rules_"):
        return len(model.rules_), sum(len(rule) for rule in model.rules_)
    if hasattr(model, "_predictors"):  # histogram gradient boosting has no public list of trees
        leaves = [tree.get_n_leaf_nodes() for trees in model._predictors for tree in trees]
        return sum(leaves), sum(leaves) - len(leaves)
    if isinstance(model, Imported):
        return _package_size(model.estimator_)
    if isinstance(model, OptimalTreeClassifier):
        return model.get_n_leaves(), model.get_n_leaves() - 1
    if hasattr(model, "tree_"):
        return _tree_size(model.tree_)
    if hasattr(model, "trees_"):
        return _total(map(_tree_size, model.trees_))
    if hasattr(model, "voters_"):  # DAMVI: voters without weight are never asked
        trees = zip(model.voters_.trees_, model.weights_, strict=True)
        return _total(_tree_size(tree) for tree, weight in trees if weight > 0)
    if hasattr(model, "n_rounds_"):
        return _total(map(model_size, model.estimators_[: model.n_rounds_]))
    if hasattr(model, "estimators_"):
        return _total(map(model_size, model.estimators_))
    if hasattr(model, "estimator_"):
        return model_size(model.estimator_)
    if hasattr(model, "coef_"):
        return 1, int(np.count_nonzero(model.coef_))
    return np.nan, np.nan


def _package_size(model) -> tuple[float, float]:
    """Leaves and splits of trees; of EBM its curves and their steps."""
    if hasattr(model, "term_scores_"):  # the first and last score are for gaps and the unknown
        steps = sum(np.count_nonzero(np.diff(scores[1:-1])) for scores in model.term_scores_)
        return len(model.term_scores_), int(steps)
    if hasattr(model, "booster_"):
        leaves = [tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"]]
    elif hasattr(model, "get_booster"):
        nodes = model.get_booster().trees_to_dataframe()
        leaves = nodes["Feature"].eq("Leaf").groupby(nodes["Tree"]).sum()
    elif hasattr(model, "get_tree_leaf_counts"):
        leaves = model.get_tree_leaf_counts()
    elif hasattr(model, "complexity_"):  # FIGS
        return model.complexity_ + len(model.trees_), model.complexity_
    else:
        return np.nan, np.nan
    return int(sum(leaves)), int(sum(leaves) - len(leaves))


def _box_size(boxes) -> tuple[int, int]:
    return len(boxes), int(np.isfinite(boxes.lower).sum() + np.isfinite(boxes.upper).sum())


def _tree_size(tree) -> tuple[int, int]:
    leaves = int((np.asarray(tree.feature) < 0).sum())
    return leaves, len(tree.feature) - leaves


def _total(sizes) -> tuple[float, float]:
    rules, conditions = zip(*sizes, strict=True)
    return sum(rules), sum(conditions)


# The experiments.


def untuned(estimator) -> Entrant:
    """A classifier of a user's own as one more method: it learns from coded columns, untuned."""
    return Entrant(
        Contestant(
            type(estimator).__name__,
            numeric_pipeline(estimator),
            space={},
            about="",
            readable=hasattr(estimator, "to_text"),
        )
    )


def contestant_of(method: Method) -> Contestant:
    """The contestant behind a method; of a `Method` that a user wrote nothing else is known."""
    unknown = Contestant(method.label, pipeline=None, space={}, about=method.about)
    return getattr(method.run, "contestant", unknown)


def _experiment(setting: str, *, tuned: bool) -> Experiment:
    return Experiment(
        name=f"showdown-{setting}",
        datasets=KEEL + LARGE,
        methods={
            name: Method(
                who.label, Entrant(who, tuned), who.version, about=who.about, needs=who.needs
            )
            for name, who in CONTESTANTS.items()
            if who.space or not tuned
        },
        settings=(setting,),
        measures=(
            *METRICS,
            *("rules", "conditions", "train_rows", "inner_score", "configuration"),
            *("objective", "bound", "failed", "time_limit"),
        ),
        costs=("fit_s", "predict_s", "fit_mb"),
        text=("configuration",),
        repeats=2,
        folds=5,
        quick=("glass6",),
        any_dataset=True,
        interval=("objective", "bound"),
        paired="showdown",
        adapt=None if tuned else untuned,  # what to tune an estimator says nowhere
    )


EXPERIMENTS = {
    "defaults": _experiment("defaults", tuned=False),
    "tuned": _experiment("tuned", tuned=True),
}
