"""RLSD's rivals and what is measured of them.

The paper ran C5.0 in two ways, with costs and with fewer examples of the majority. C5.0 is another
program, and C4.5 stands in for it: as a rule set on examples that are weighted by their cost, and
as a tree whose leaves predict what costs least, which is closer to what C5.0 does with costs.
"""

from collections.abc import Callable

import numpy as np

from minority.boxes import FastBoxesClassifier, select_fast_boxes
from minority.experiments import Fold, Method, derive_seed, numeric_parts
from minority.rules import RIPPERClassifier, RuleSet
from minority.trees import C45Classifier

BETA = 2

COST_SETTINGS = {f"cost={cost}": cost for cost in (100, 200, 300, 400)}
#: Per cent of the majority that are kept.
CUT_SETTINGS = {f"kept={share:g}%": share for share in (5, 3, 1, 0.5, 0.3, 0.1)}

COST_MEASURES = ("minority_rules", "single_rules", "minority_default", "tp_by_rules")


def f_measure(recall: np.ndarray, precision: np.ndarray, beta: float = BETA) -> np.ndarray:
    """The paper's F, 0 where nothing is found."""
    recall, precision = np.asarray(recall, dtype=float), np.asarray(precision, dtype=float)
    below = beta**2 * precision + recall
    return np.divide(
        (beta**2 + 1) * recall * precision, below, out=np.zeros_like(below), where=below > 0
    )


def flag_measures(y_true: np.ndarray, flagged: np.ndarray) -> dict:
    """Recall, precision (NaN if nothing is flagged) and the four counts behind them."""
    positive = y_true == 1
    tp, fp = int((positive & flagged).sum()), int((~positive & flagged).sum())
    return {
        "recall": tp / int(positive.sum()),
        "precision": tp / (tp + fp) if tp + fp else np.nan,
        "tp": tp,
        "fp": fp,
        "fn": int(positive.sum()) - tp,
        "tn": int((~positive).sum()) - fp,
    }


def minority_rules(rules: RuleSet, fold: Fold) -> dict:
    """What an ordered list of rules has for the minority.

    The number of its rules for the minority (``minority_rules``), of those among them that decide
    a single positive of the training part (``single_rules``), whether the default is the minority
    (``minority_default``), and the positives of the test part that rules find, and not the default
    (``tp_by_rules``).
    """
    of_minority = np.array([rule.prediction == 1 for rule in rules] + [False])
    found = np.bincount(rules.decide(fold.X_train)[fold.y_train == 1], minlength=len(rules) + 1)
    return {
        "minority_rules": int(of_minority.sum()),
        "single_rules": int((of_minority & (found == 1)).sum()),
        "minority_default": int(rules.default.prediction == 1),
        "tp_by_rules": int(of_minority[rules.decide(fold.X_test)[fold.y_test == 1]].sum()),
    }


def weighted_rules(fold: Fold) -> dict:
    """C4.5's rule set on examples that are weighted by their cost."""
    measured = {}
    for setting in fold.settings:
        costs = {0: 1, 1: COST_SETTINGS[setting]}
        model = C45Classifier(ruleset=True, costs=costs).fit(fold.X_train, fold.y_train)
        measured[setting] = (
            flag_measures(fold.y_test, model.predict(fold.X_test) == 1)
            | {"size": len(model.rules_)}
            | minority_rules(model.rules_, fold)
        )
    return measured


def least_cost_tree(fold: Fold) -> dict:
    """C4.5's tree, grown without costs, which predicts the class of the least expected cost."""
    model = C45Classifier().fit(fold.X_train, fold.y_train)
    share = model.predict_proba(fold.X_test)[:, 1]
    size = {"size": len(model.to_rules())}
    return {
        setting: flag_measures(fold.y_test, COST_SETTINGS[setting] * share > 1 - share) | size
        for setting in fold.settings
    }


def kept_rows(y: np.ndarray, per_cent: float, random_state: int) -> np.ndarray:
    """All positives and a percentage of the negatives, drawn at random, in order; at least one."""
    negatives = np.flatnonzero(y != 1)
    number = max(1, round(len(negatives) * per_cent / 100))
    drawn = np.random.default_rng(random_state).choice(negatives, number, replace=False)
    return np.sort(np.concatenate([np.flatnonzero(y == 1), drawn]))


class OnCutMajority:
    """A rival trained on a part of the majority.

    ``train(X, y, random_state)`` returns a fitted classifier and its size. `numeric`: nominal
    columns are coded as numbers.
    """

    def __init__(self, train: Callable, *, numeric: bool = False):
        self.train, self.numeric = train, numeric

    def __call__(self, fold: Fold) -> dict:
        X_train, X_test = fold.X_train, fold.X_test
        if self.numeric:
            X_train, _, X_test, _ = numeric_parts(fold)
        measured = {}
        for setting in fold.settings:
            random_state = derive_seed(fold.random_state, setting)
            rows = kept_rows(fold.y_train, CUT_SETTINGS[setting], random_state)
            model, size = self.train(X_train.iloc[rows], fold.y_train[rows], random_state)
            flagged = model.predict(X_test) == 1
            measured[setting] = flag_measures(fold.y_test, flagged) | {"size": size}
        return measured


def _c50(X, y, random_state):
    model = C45Classifier(ruleset=True).fit(X, y)
    return model, len(model.rules_)


def _ripper(X, y, random_state):
    model = RIPPERClassifier(random_state=random_state).fit(X, y)
    return model, len(model.rules_)


def _fast_boxes(X, y, random_state):
    n_clusters, expansion, _ = select_fast_boxes(
        X.to_numpy(), y == 1, majority_weights=[1.0], random_state=random_state
    )
    model = FastBoxesClassifier(
        n_clusters=n_clusters,
        expansion=expansion,
        majority_weight=1.0,
        pos_label=1,
        random_state=random_state,
    ).fit(X, y)
    return model, len(model.boxes_)


WITH_COSTS = {
    "c5.0": Method("C5.0 (C4.5 rules)", weighted_rules, about="examples weighted by their cost"),
    "c5.0-least-cost": Method(
        "C5.0 (C4.5 tree, least cost)",
        least_cost_tree,
        about="grown without costs; predicts what costs least by the shares in a leaf",
    ),
}

WITH_CUT = {
    "c5.0": Method("C5.0 (C4.5 rules)", OnCutMajority(_c50)),
    "ripper": Method("RIPPER", OnCutMajority(_ripper)),
    "fast-boxes": Method(
        "Fast Boxes",
        OnCutMajority(_fast_boxes, numeric=True),
        about="c = 1, as the cut balances the classes; K and beta by inner 3-fold CV on AUH",
    ),
}
