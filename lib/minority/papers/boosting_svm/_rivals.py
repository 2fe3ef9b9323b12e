"""Boosting-SVM, its eight rivals and some more: what each is, with which settings.

The paper (section 6.1) states a linear kernel, at most 40 rounds, SMOTE with 5 neighbours at 200,
300, 400 and 500 %, and the same component classifier for all. Of the boosting schemes, 70 % of all
rows train and 20 % validate. What it leaves open is decided here, before any result was seen:
C = 1, features one-hot coded and standardised on the rows that train, and as many values of
AdaCost's cost to choose from as of Boosting-SVM's delta.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from minority.experiments import Fold, Method, derive_seed, numeric_parts
from minority.papers.boosting_svm._forest import fit_forest_by_leaf_size, fit_weighted_forest
from minority.sampling._smote import nearest_neighbours, smote
from minority.svm import (
    AdaCostClassifier,
    BoostingSVMClassifier,
    DataBoostIMClassifier,
    SMOTEBoostClassifier,
    linear_svm,
)
from minority.svm._voting import split_rows

MAX_ROUNDS = 40
N_NEIGHBOURS = 5
#: What Boosting-SVM chooses its step from, and AdaCost its cost.
DELTAS = (0.1, 0.2, 0.5, 1.0)
COSTS = (1.0, 0.5, 0.2, 0.1)
#: Synthetic positives, or copies, in per cent of the positives.
LEVELS = (200, 300, 400, 500)
#: Of the 90 % of a fold that are not for testing, 20 % validate.
VALIDATION_SHARE = 2 / 9
#: What the methods train on that need no validation part: the 90 %, as in the paper, or the same
#: rows as the boosting schemes, whose rows are equal in both settings.
SHARES = ("others=90%", "others=70%")

MEASURES = (
    "g_mean",
    *("sensitivity", "specificity", "tp", "fp", "fn", "tn"),
    *("train_sensitivity", "train_specificity", "train_error", "component_error"),
    *("n_rounds", "n_all_rounds", "chosen", "n_unconverged"),
)


class Parts(NamedTuple):
    """A fold as standardised numbers; without validation rows those arrays are empty."""

    X: np.ndarray
    y: np.ndarray
    X_val: np.ndarray
    y_val: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def validation_rows(fold: Fold) -> np.ndarray:
    """Mask of the training rows that validate, the same for all methods that share a fold."""
    rng = np.random.default_rng(derive_seed(fold.random_state, "validation"))
    return split_rows(fold.y_train == 1, VALIDATION_SHARE, rng)


def parts_of(fold: Fold, held_out: np.ndarray | None = None) -> Parts:
    """Code and standardise a fold by the training rows that are not held out."""
    from sklearn.preprocessing import StandardScaler

    if held_out is None:
        held_out = np.zeros(len(fold.y_train), dtype=bool)
    others = pd.concat([fold.X_train[held_out], fold.X_test], ignore_index=True)
    training = fold.X_train[~held_out].reset_index(drop=True), fold.y_train[~held_out]
    X, y, others, _ = numeric_parts(
        replace(fold, X_train=training[0], y_train=training[1], X_test=others)
    )
    scaler = StandardScaler().set_output(transform="default").fit(X)
    X, others = (np.ascontiguousarray(scaler.transform(part), dtype=float) for part in (X, others))
    n_val = int(held_out.sum())
    return Parts(X, y, others[:n_val], fold.y_train[held_out], others[n_val:], fold.y_test)


def class_measures(y_true: np.ndarray, predicted: np.ndarray) -> dict:
    """G-mean, sensitivity, specificity and the four counts behind them."""
    positive, found = y_true == 1, predicted == 1
    tp, fp = int((positive & found).sum()), int((~positive & found).sum())
    fn, tn = int(positive.sum()) - tp, int((~positive).sum()) - fp
    sensitivity, specificity = tp / (tp + fn), tn / (tn + fp)
    return {
        "g_mean": float(np.sqrt(sensitivity * specificity)),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": tn,
    }


def prediction_measures(model, parts: Parts) -> dict:
    """The measures of the test part, and those of the training part that tell of overfitting."""
    trained = model.predict(parts.X)
    in_training = class_measures(parts.y, trained)
    return class_measures(parts.y_test, model.predict(parts.X_test)) | {
        "train_sensitivity": in_training["sensitivity"],
        "train_specificity": in_training["specificity"],
        "train_error": float((trained != parts.y).mean()),
    }


class Boosted:
    """A boosting scheme: of the 90 %, 70 % train and 20 % choose its rounds.

    ``make(random_state=...)`` returns an unfitted classifier. `tuned` names the fitted attribute
    of what was chosen beside the rounds.
    """

    def __init__(self, make: Callable, tuned: str | None = None):
        self.make, self.tuned = make, tuned

    def fit(self, fold: Fold):
        """The fitted classifier, and the parts of the fold that it was given."""
        parts = parts_of(fold, validation_rows(fold))
        model = self.make(random_state=fold.random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # counted in a measure
            model.fit(parts.X, parts.y, X_val=parts.X_val, y_val=parts.y_val)
        return model, parts

    def measure(self, model, parts: Parts) -> dict:
        """What is measured of a fitted classifier."""
        components = model.estimators_[: model.n_rounds_]
        errors = [float((c.predict(parts.X) != parts.y).mean()) for c in components]
        measured = prediction_measures(model, parts) | {
            "component_error": min(errors),
            "n_rounds": model.n_rounds_,
            "n_all_rounds": len(model.alphas_),
            "n_unconverged": model.n_unconverged_,
        }
        if self.tuned:
            measured["chosen"] = getattr(model, self.tuned)
        return measured

    def __call__(self, fold: Fold) -> dict:
        return dict.fromkeys(fold.settings, self.measure(*self.fit(fold)))


class Trained:
    """A method without a validation part, on the 90 % or on the 70 % of the boosting schemes.

    ``train(X, y, random_state)`` returns a fitted classifier.
    """

    def __init__(self, train: Callable, tuned: str | None = None):
        self.train, self.tuned = train, tuned

    def __call__(self, fold: Fold) -> dict:
        held_out = {"others=90%": None, "others=70%": validation_rows(fold)}
        return {setting: self._row(fold, held_out[setting]) for setting in fold.settings}

    def _row(self, fold, held_out):
        parts = parts_of(fold, held_out)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", ConvergenceWarning)
            model = self.train(parts.X, parts.y, fold.random_state)
        measured = prediction_measures(model, parts) | {"n_unconverged": len(caught)}
        if self.tuned:
            measured["chosen"] = getattr(model, self.tuned)
        return measured


def asymmetric_svm(random_state=None):
    """The component classifier of Boosting-SVM: C+ / C- = n- / n+ (method VII)."""
    return linear_svm(class_weight="balanced", random_state=random_state)


def add_smote(X, y, per_cent, random_state):
    """Chawla's SMOTE: every positive in turn and one of its 5 nearest positives."""
    positives = X[y == 1]
    n_new = round(per_cent / 100 * len(positives))
    rng = np.random.default_rng(random_state)
    new = smote(positives, nearest_neighbours(positives, N_NEIGHBOURS), n_new, rng)
    return np.vstack([X, new]), np.append(y, np.ones(n_new, dtype=y.dtype))


def _undersampled(X, y, random_state):
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    sampler = RandomUnderSampler(random_state=random_state)
    return make_pipeline(sampler, linear_svm(random_state=random_state)).fit(X, y)


def _with_smote(X, y, random_state, *, per_cent, class_weight=None):
    from imblearn import FunctionSampler
    from imblearn.pipeline import make_pipeline

    options = {"per_cent": per_cent, "random_state": random_state}
    sampler = FunctionSampler(func=add_smote, kw_args=options, validate=False)
    svm = linear_svm(class_weight=class_weight, random_state=random_state)
    return make_pipeline(sampler, svm).fit(X, y)


def _with_copies(X, y, random_state, *, per_cent):
    weights = {0: 1, 1: 1 + per_cent / 100}  # a row that is there k times pays k times
    return linear_svm(class_weight=weights, random_state=random_state).fit(X, y)


def _svm(X, y, random_state):
    return linear_svm(random_state=random_state).fit(X, y)


def _asymmetric(X, y, random_state):
    return asymmetric_svm(random_state).fit(X, y)


def _bagged(X, y, random_state):
    from sklearn.ensemble import BaggingClassifier

    return BaggingClassifier(asymmetric_svm(), MAX_ROUNDS, random_state=random_state).fit(X, y)


def _levels(name: str, label: str, make: Callable, about: str) -> dict[str, Method]:
    """A method at each level of oversampling: ``make(per_cent)`` returns its run."""
    return {
        f"{name}-{level}": Method(f"{label}, {level} %", make(level), about=about)
        for level in LEVELS
    }


def _smoteboost(level, estimator=None):
    return Boosted(
        partial(
            SMOTEBoostClassifier,
            estimator,
            n_estimators=MAX_ROUNDS,
            oversampling=level,
            k_neighbors=N_NEIGHBOURS,
            pos_label=1,
        )
    )


def _adacost(estimator=None):
    make = partial(AdaCostClassifier, estimator, n_estimators=MAX_ROUNDS, cost=COSTS, pos_label=1)
    return Boosted(make, tuned="cost_")


def _databoost(estimator=None):
    return Boosted(partial(DataBoostIMClassifier, estimator, n_estimators=MAX_ROUNDS, pos_label=1))


def boosting_svm(**options):
    """Boosting-SVM as in the main tables, but for `options`."""
    options = {"delta": DELTAS} | options
    make = partial(BoostingSVMClassifier, n_estimators=MAX_ROUNDS, pos_label=1, **options)
    return Boosted(make, tuned="delta_")


B_SVM = Method(
    "B-SVM",
    boosting_svm(),
    about="linear SVM, hinge loss, C = 1, C+/C- = n-/n+; delta of 0.1, 0.2, 0.5, 1 and the round "
    "by validation G-mean",
)


def boosting_rivals(estimator=None, suffix: str = "", component: str = "linear SVM without costs"):
    """I, II and IV on a component classifier; without one, the linear SVM."""
    end = f", {component}" if suffix else ""
    return {
        f"adacost{suffix}": Method(
            f"AdaCost{end}",
            _adacost(estimator),
            about=f"{component}; cost of 1, 0.5, 0.2, 0.1 and the round by validation G-mean",
        ),
        **_levels(
            f"smoteboost{suffix}",
            f"SMOTEBoost{end}",
            partial(_smoteboost, estimator=estimator),
            f"{component}; 5 neighbours; the round by validation G-mean; levels are averaged",
        ),
        f"databoost-im{suffix}": Method(
            f"DataBoost-IM{end}",
            _databoost(estimator),
            about=f"{component}; at most 5,000 synthetic rows in a round, which weigh what all "
            "that the paper wants would; the round by validation G-mean",
        ),
    }


_BOOSTING_RIVALS = boosting_rivals()

#: I to VIII.
RIVALS = {
    **{name: method for name, method in _BOOSTING_RIVALS.items() if name != "databoost-im"},
    "wrf": Method(
        "Weighted random forest",
        Trained(fit_weighted_forest, tuned="weight"),
        about="Chen, Liaw and Breiman's: weights in the Gini index and in the votes; 40 unpruned "
        "trees, one for each round; weight n-/n+ to the power of 0, 1/3, 2/3 or 1, by the G-mean "
        "out of the bags",
    ),
    "databoost-im": _BOOSTING_RIVALS["databoost-im"],
    "undersampling": Method(
        "Undersampling + SVM",
        Trained(_undersampled),
        about="as many negatives as positives, drawn at random; linear SVM without costs",
    ),
    **_levels(
        "smote",
        "SMOTE + SVM",
        lambda level: Trained(partial(_with_smote, per_cent=level)),
        "linear SVM without costs; 5 neighbours, every positive in turn; levels are averaged",
    ),
    "asymmetric": Method(
        "Asymmetric-cost SVM", Trained(_asymmetric), about="linear SVM, C = 1, C+/C- = n-/n+"
    ),
    **_levels(
        "smote-asymmetric",
        "SMOTE + asymmetric cost",
        lambda level: Trained(partial(_with_smote, per_cent=level, class_weight="balanced")),
        "as SMOTE + SVM, with C+/C- = n-/n+ of the rows after SMOTE; levels are averaged",
    ),
}

#: What the paper has not, or not in its tables: other readings of the rivals, so that none is
#: weaker than it need be, and what claims in its text compare with.
FURTHER = {
    **boosting_rivals(asymmetric_svm(), "-asymmetric", "asymmetric-cost SVM"),
    "wrf-sklearn": Method(
        "Random forest of scikit-learn",
        Trained(fit_forest_by_leaf_size, tuned="min_samples_leaf"),
        about="100 trees, balanced weights in each bootstrap, votes by shares in leaves; at least "
        "1, 5, 10 or 20 rows in a leaf, by the G-mean out of the bags",
    ),
    "svm": Method("SVM", Trained(_svm), about="linear SVM without costs, C = 1"),
    **_levels(
        "copies",
        "Copies + SVM",
        lambda level: Trained(partial(_with_copies, per_cent=level)),
        "linear SVM without costs on all positives copied so often; levels are averaged",
    ),
    "bagged": Method(
        "Bagged asymmetric-cost SVMs",
        Trained(_bagged),
        about="40 of method VII on bootstraps, equal votes",
    ),
}
