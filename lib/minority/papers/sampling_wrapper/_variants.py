"""What is varied around the main comparison: the margin of the search, SMOTE, MetaCost's learner.

The search asks for a gain of 5 % before SMOTE goes on. From an AUROC above 0.952 no such gain is
possible, and yet the paper reports large amounts of SMOTE there; smaller margins show what its
program may have done.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from minority._seeding import seeded
from minority.experiments import Fold, Method
from minority.papers.sampling_wrapper._schemes import (
    Answers,
    error_counts,
    inner_models,
    metacost_bags,
    metacost_model,
    model_measures,
    parts_of,
    path_fits,
    trained_at,
)
from minority.sampling import PercentSMOTE
from minority.trees import C45Classifier

#: Criterion and margin, the paper's IncrementMin.
MARGINS = {
    f"{criterion},{100 * margin:g}%": (criterion, margin)
    for criterion in ("f1", "auroc")
    for margin in (0.05, 0.02, 0.01, 0.0)
}
MARGIN_MEASURES = ("auroc", "f1", "fn", "fp", "kept", "smote", "n_fits")
SMOTE_LEVELS = {f"smote={level}": level for level in (100, 200, 300, 400, 500)}
SMOTE_MEASURES = ("auroc", "f1", "fn", "fp")
STABILITY_RATIOS = {f"ratio={ratio}": ratio for ratio in (2, 5, 10, 20)}
STABILITY_MEASURES = (
    *("positives", "negatives", "fn", "fp", "fn_cut", "fp_cut", "fn_metacost", "fp_metacost"),
    *("relabelled", "disagreement"),
)


class Searched:
    """The wrapper with one learner at several margins; ``make()`` returns an unfitted one."""

    def __init__(self, make: Callable, searches: dict):
        self.make, self.searches = make, searches

    def __call__(self, fold: Fold) -> dict:
        X, y, X_test, y_test = parts_of(fold)
        inner = inner_models(self.make(), fold)
        rows = {}
        for setting in fold.settings:
            criterion, margin = self.searches[setting]
            levels = inner.search(criterion, min_increment=margin)
            kept, smote = levels.undersampling[0], levels.smote[1]
            model = trained_at(self.make(), X, y, kept, smote, inner.seed)
            measured = model_measures(y_test == 1, Answers.of(model, X_test))
            rows[setting] = {name: measured[name] for name in SMOTE_MEASURES} | {
                "kept": kept,
                "smote": smote,
                "n_fits": path_fits(levels.path),
            }
        return rows


class WithSMOTE:
    """C4.5 on a training part with SMOTE; ``make(level, n_positives, random_state)``."""

    def __init__(self, make: Callable):
        self.make = make

    def __call__(self, fold: Fold) -> dict:
        X, y, X_test, y_test = parts_of(fold)
        rows = {}
        for setting in fold.settings:
            sampler = self.make(SMOTE_LEVELS[setting], int((y == 1).sum()), fold.random_state)
            model = C45Classifier().fit(*sampler.fit_resample(X, y))
            measured = model_measures(y_test == 1, Answers.of(model, X_test))
            rows[setting] = {name: measured[name] for name in SMOTE_MEASURES}
        return rows


def _original(level, n_positives, random_state):
    return PercentSMOTE({1: level}, random_state=random_state)


def _by_attribute(level, n_positives, random_state):
    return PercentSMOTE({1: level}, gap="attribute", random_state=random_state)


def _imbalanced_learn(level, n_positives, random_state):
    from imblearn.over_sampling import SMOTE

    wanted = n_positives + round(level / 100 * n_positives)
    return SMOTE(sampling_strategy={1: wanted}, k_neighbors=5, random_state=random_state)


SMOTE_METHODS = {
    "original": Method(
        "As published", WithSMOTE(_original), about="every positive in turn, one gap per point"
    ),
    "attribute": Method(
        "One gap per attribute", WithSMOTE(_by_attribute), about="every positive in turn"
    ),
    "imbalanced-learn": Method(
        "imbalanced-learn", WithSMOTE(_imbalanced_learn), about="positives drawn at random"
    ),
}


class Stability:
    """MetaCost with a learner, beside the learner alone, cut at p* or not.

    `disagreement` is the share of pairs of MetaCost's ten bagged models that differ in their
    prediction, averaged over the test rows: how unstable the learner is.
    """

    def __init__(self, make: Callable):
        self.make = make

    def __call__(self, fold: Fold) -> dict:
        X, y, X_test, y_test = parts_of(fold)
        truth = y_test == 1
        alone = Answers.of(seeded(self.make(), [fold.random_state, 0]).fit(X, y), X_test)
        bags = metacost_bags(self.make(), X, y, fold.random_state)
        votes = [model.predict(X_test) for model in bags.estimators_]
        disagreement = float(np.mean([(a != b).mean() for a, b in combinations(votes, 2)]))
        rows = {}
        for setting in fold.settings:
            ratio = STABILITY_RATIOS[setting]
            model = metacost_model(bags, X, y, ratio)
            rows[setting] = {
                "positives": int(truth.sum()),
                "negatives": int((~truth).sum()),
                **error_counts(truth, alone.found),
                **error_counts(truth, alone.cut(ratio), "_cut"),
                **error_counts(truth, model.predict(X_test) == 1, "_metacost"),
                "relabelled": float((bags.probabilities_[:, 1] * (1 + ratio) > 1 + 1e-9).mean()),
                "disagreement": disagreement,
            }
        return rows


def _unpruned_tree():
    return C45Classifier(pruning=None)


def _naive_bayes():
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _logistic_regression():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


FURTHER_LEARNERS = {
    "tree": Method("C4.5, unpruned", Stability(_unpruned_tree), about="the least stable"),
    "naive-bayes": Method("Naive Bayes", Stability(_naive_bayes), about="Gaussian"),
    "logistic-regression": Method(
        "Logistic regression", Stability(_logistic_regression), about="standardised, C = 1"
    ),
}
