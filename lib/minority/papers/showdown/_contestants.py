"""Who takes part: the five papers' systems and simple rivals, as pipelines from raw tables.

Every contestant takes a table with categories and gaps. Those that learn from numbers get them
from :func:`minority.experiments.numeric_coder`. The defaults are those that a user gets who sets
nothing, except for what makes a rival one for imbalanced data: class weights, and the threshold
of gradient boosting. Each has a space of parameters for tuning, of at least twenty points.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from minority.experiments import numeric_coder

#: Seconds after which Exact Boxes returns its best boxes so far; while tuning a tenth of it.
EXACT_SECONDS = 10.0


@dataclass(frozen=True)
class Contestant:
    """A learner: how to make it, what may be tuned, and whether its model can be read."""

    label: str
    make: Callable[[], object]
    #: Values by the name of a parameter of the last step.
    space: Mapping[str, Sequence]
    about: str
    readable: bool = False
    #: Rows to learn from at the most; beyond them a sample is drawn. 0 for no limit.
    max_rows: int = 0
    #: Parameters that make a fit cheaper while configurations race against each other.
    racing: Mapping[str, object] = field(default_factory=dict)


def _pipeline(model, *, scale: bool = False, fill: bool = True):
    """A model behind the steps that turn a table into numbers, with the columns' names kept."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = [numeric_coder(fill=fill), *([StandardScaler()] if scale else []), model]
    return make_pipeline(*steps).set_output(transform="pandas")


def _fast_boxes():
    from minority import FastBoxesClassifier

    return _pipeline(FastBoxesClassifier())


def _exact_boxes():
    from minority import ExactBoxesClassifier

    return _pipeline(ExactBoxesClassifier(time_limit=EXACT_SECONDS))


def _damvi():
    from minority import DAMVIClassifier

    return _pipeline(DAMVIClassifier())


def _rlsd():
    from sklearn.pipeline import make_pipeline

    from minority import RLSDClassifier

    return make_pipeline(RLSDClassifier())


def _boosting_svm():
    from minority import BoostingSVMClassifier

    return _pipeline(BoostingSVMClassifier(), scale=True)


def _wrapper_c45():
    from sklearn.pipeline import make_pipeline

    from minority import C45Classifier, SamplingWrapperClassifier

    return make_pipeline(SamplingWrapperClassifier(C45Classifier()))


def _wrapper_ripper():
    from sklearn.pipeline import make_pipeline

    from minority import RIPPERClassifier, SamplingWrapperClassifier

    return make_pipeline(SamplingWrapperClassifier(RIPPERClassifier()))


def _logistic():
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    return _pipeline(model, scale=True)


def _balanced_forest():
    from imblearn.ensemble import BalancedRandomForestClassifier

    return _pipeline(BalancedRandomForestClassifier())


def _rusboost():
    from imblearn.ensemble import RUSBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    # the default's stumps, written out so that their depth can be tuned
    return _pipeline(RUSBoostClassifier(DecisionTreeClassifier(max_depth=1)))


def _easy_ensemble():
    from imblearn.ensemble import EasyEnsembleClassifier
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    boosted_stumps = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1))
    return _pipeline(EasyEnsembleClassifier(estimator=boosted_stumps))


def _gradient_boosting():
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import TunedThresholdClassifierCV

    model = HistGradientBoostingClassifier(class_weight="balanced")
    # balanced accuracy and the G-mean are highest at nearly the same threshold
    threshold = TunedThresholdClassifierCV(model, scoring="balanced_accuracy")
    return _pipeline(threshold, fill=False)


_SHARED_WRAPPER = {
    "criterion": ("auroc", "f1"),
    "min_increment": (0.01, 0.05),
    "k_neighbors": (3, 5, 7),
}

PAPERS = {
    "fast-boxes": Contestant(
        "Fast Boxes",
        _fast_boxes,
        {
            "n_clusters": (1, 2, 3, 4, 5, 6),
            "expansion": (0, 1, 3, 10, 30, 100),
            "majority_weight": (0.05, 0.1, 0.2, 0.5, 1.0),
            "expand": (True, False),
        },
        about="one box, c = 0.5, beta = 1",
        readable=True,
    ),
    "exact-boxes": Contestant(
        "Exact Boxes",
        _exact_boxes,
        {
            "max_boxes": (1, 2, 3, 5),
            "majority_weight": (0.05, 0.1, 0.2, 0.5, 1.0),
            "box_cost": (0.1, 0.5, 1.0, 2.0),
            "faces": ("tight", "midgap", "expand"),
        },
        about=f"at most 3 boxes, c = 0.5, {EXACT_SECONDS:g} s a solve",
        readable=True,
        max_rows=5_000,
        racing={"time_limit": EXACT_SECONDS / 10},
    ),
    "damvi": Contestant(
        "DAMVI",
        _damvi,
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
        _rlsd,
        {
            "min_recall": (0.02, 0.05, 0.1, 0.2),
            "beta": (0.5, 1.0, 2.0, 4.0),
            "significance": (0.001, 0.01, 0.05, 0.1),
            "max_rules": (2_000, 10_000, 50_000),
        },
        about="minimum recall 5 %, beta = 2",
        readable=True,
    ),
    "b-svm": Contestant(
        "Boosting-SVM",
        _boosting_svm,
        {
            "C": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
            "delta": (0.1, 0.2, 0.5, 1.0),
            "n_estimators": (10, 40),
            "loss": ("hinge", "squared_hinge"),
        },
        about="40 rounds, C = 1, features standardised",
        max_rows=5_000,
    ),
    "wrapper-c45": Contestant(
        "Wrapper, C4.5",
        _wrapper_c45,
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
        _wrapper_ripper,
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

RIVALS = {
    "logistic": Contestant(
        "Logistic regression",
        _logistic,
        {"C": tuple(10.0 ** (k / 2) for k in range(-8, 9)), "fit_intercept": (True, False)},
        about="balanced class weights, C = 1, features standardised",
    ),
    "balanced-forest": Contestant(
        "Balanced random forest",
        _balanced_forest,
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
        _rusboost,
        {
            "n_estimators": (25, 50, 100),
            "learning_rate": (0.1, 0.3, 1.0),
            "estimator__max_depth": (1, 2, 3, 5),
        },
        about="imbalanced-learn's defaults: 50 stumps",
    ),
    "easy-ensemble": Contestant(
        "Easy Ensemble",
        _easy_ensemble,
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
        _gradient_boosting,
        {
            "estimator__learning_rate": (0.03, 0.1, 0.3),
            "estimator__max_leaf_nodes": (4, 8, 16, 31),
            "estimator__min_samples_leaf": (5, 20, 50),
            "estimator__l2_regularization": (0.0, 1.0, 10.0),
        },
        about="histograms, balanced class weights, threshold by 5 folds on balanced accuracy",
        racing={"cv": 2},
    ),
}

CONTESTANTS = {**PAPERS, **RIVALS}
