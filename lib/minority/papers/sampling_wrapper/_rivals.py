"""What the paper does not compare with: a grid search over the levels, and thresholds.

All of them with C4.5, for the same objectives, on the first run of ten folds. The objectives are
AUROC, F, and costs: by rates, as the wrapper's own criterion has them (eq. 1), and by counts, as
the paper's tables have them.
"""

import numpy as np

from minority.experiments import Fold, Method
from minority.papers.sampling_wrapper._schemes import (
    INNER_FOLDS,
    Answers,
    error_counts,
    inner_models,
    model_measures,
    parts_of,
    path_fits,
    trained_at,
)
from minority.trees import C45Classifier

COST_RATIOS = (2, 5, 10, 20)
#: What is to be optimised: criterion and cost ratio.
OBJECTIVES = {
    "auroc": ("auroc", 1),
    "f1": ("f1", 1),
    **{f"rates={ratio}": ("rates", ratio) for ratio in COST_RATIOS},
    **{f"counts={ratio}": ("counts", ratio) for ratio in COST_RATIOS},
}
#: Ten levels of undersampling and eleven of SMOTE. The paper's largest mean is 1,030 %.
KEPT_LEVELS = tuple(range(100, 0, -10))
SMOTE_LEVELS = tuple(range(0, 1001, 100))

RIVAL_MEASURES = (
    *("positives", "negatives", "auroc", "f1", "fn", "fp"),
    *("kept", "smote", "threshold", "n_fits"),
)


class CountCost:
    """Scorer: minus the costs of the errors, by counts."""

    def __init__(self, ratio: float):
        self.ratio = ratio

    def __call__(self, model, X, y) -> float:
        found, truth = model.predict(X) == 1, y == 1
        return -float(self.ratio * (truth & ~found).sum() + (~truth & found).sum())


def criterion_of(setting: str) -> tuple:
    """What `InnerModels` calls an objective: its criterion and costs."""
    kind, ratio = OBJECTIVES[setting]
    return {"rates": "cost", "counts": CountCost(ratio)}.get(kind, kind), ratio


def count_ratio(setting: str, y: np.ndarray) -> float:
    """The cost ratio of an objective by counts; 1 where no costs are given."""
    kind, ratio = OBJECTIVES[setting]
    return ratio * (y == 0).sum() / (y == 1).sum() if kind == "rates" else ratio


def _row(truth, answers, found=None, **further):
    measured = model_measures(truth, answers)
    if found is not None:
        measured |= error_counts(truth, found)
        hits = measured["positives"] - measured["fn"]
        measured["f1"] = 2 * hits / (2 * hits + measured["fn"] + measured["fp"])
    return {name: measured[name] for name in RIVAL_MEASURES[:6]} | further


def _cut(fold, setting, answers, **further):
    """A row of a model that is cut at p* where the objective is a cost."""
    truth = fold.y_test == 1
    ratio = count_ratio(setting, fold.y_train)
    if setting in ("auroc", "f1"):
        return _row(truth, answers, **further)
    return _row(truth, answers, answers.cut(ratio), threshold=1 / (1 + ratio), **further)


def _trained(fold, kept, smote, seed):
    X, y, X_test, _ = parts_of(fold)
    return Answers.of(trained_at(C45Classifier(), X, y, kept, smote, seed), X_test)


def base_cut(fold: Fold) -> dict:
    """C4.5 alone, cut at p*."""
    answers = _trained(fold, 100, 0, fold.random_state)
    return {s: _cut(fold, s, answers, kept=100, smote=0, n_fits=0) for s in fold.settings}


def default_sampling(fold: Fold) -> dict:
    """As many positives as negatives by SMOTE, without a search; cut at p*."""
    y = fold.y_train
    smote = 100 * ((y == 0).sum() / (y == 1).sum() - 1)
    answers = _trained(fold, 100, smote, fold.random_state)
    return {s: _cut(fold, s, answers, kept=100, smote=smote, n_fits=0) for s in fold.settings}


def wrapper_cut(fold: Fold) -> dict:
    """Levels by AUROC, then cut at p*: what the paper recommends."""
    inner = inner_models(C45Classifier(), fold)
    levels = inner.search("auroc")
    kept, smote = levels.undersampling[0], levels.smote[1]
    answers = _trained(fold, kept, smote, inner.seed)
    further = {"kept": kept, "smote": smote, "n_fits": path_fits(levels.path)}
    return {s: _cut(fold, s, answers, **further) for s in fold.settings}


def wrapper(fold: Fold) -> dict:
    """Levels by the objective itself, uncut."""
    inner = inner_models(C45Classifier(), fold)
    rows = {}
    for setting in fold.settings:
        criterion, costs = criterion_of(setting)
        levels = inner.search(criterion, costs=costs)
        kept, smote = levels.undersampling[0], levels.smote[1]
        answers = _trained(fold, kept, smote, inner.seed)
        further = {"kept": kept, "smote": smote, "n_fits": path_fits(levels.path)}
        rows[setting] = _row(fold.y_test == 1, answers, **further)
    return rows


def grid(fold: Fold) -> dict:
    """The best of all levels of a grid by the same inner models, uncut.

    Judged by the value of the positives, as the search for SMOTE is; of equals the first, which
    samples least.
    """
    inner = inner_models(C45Classifier(), fold)
    levels = [(kept, smote) for kept in KEPT_LEVELS for smote in SMOTE_LEVELS]
    rows = {}
    for setting in fold.settings:
        criterion, costs = criterion_of(setting)
        values = [inner.values(criterion, {0: k}, {1: s}, costs=costs)[1] for k, s in levels]
        kept, smote = levels[int(np.argmax(values))]
        answers = _trained(fold, kept, smote, inner.seed)
        further = {"kept": kept, "smote": smote, "n_fits": INNER_FOLDS * len(levels)}
        rows[setting] = _row(fold.y_test == 1, answers, **further)
    return rows


def tuned_threshold(fold: Fold) -> dict:
    """C4.5 alone, cut where five inner folds say: scikit-learn's `TunedThresholdClassifierCV`.

    It is given the cost by counts; a cost by rates is one by counts at another ratio. No cut
    changes the AUROC. Where an inner tree is a single leaf there is nothing to tune, and
    scikit-learn refuses: then p* is the threshold.
    """
    from sklearn.metrics import f1_score, make_scorer
    from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

    X, y, X_test, y_test = parts_of(fold)
    answers = _trained(fold, 100, 0, fold.random_state)
    rows = {}
    for setting in fold.settings:
        ratio = count_ratio(setting, y)
        if setting == "auroc":
            rows[setting] = _row(y_test == 1, answers, kept=100, smote=0, n_fits=0)
            continue
        if setting == "f1":
            scoring = make_scorer(f1_score, zero_division=0)
        else:
            scoring = make_scorer(_minus_cost, ratio=ratio)
        folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=fold.random_state)
        model = TunedThresholdClassifierCV(C45Classifier(), scoring=scoring, cv=folds)
        try:
            found = model.fit(X, y).predict(X_test) == 1
            threshold = float(model.best_threshold_)
        except ValueError as error:
            if "constant predictions" not in str(error):
                raise
            threshold = 1 / (1 + ratio)
            found = answers.found if setting == "f1" else answers.cut(ratio)
        further = {"kept": 100, "smote": 0, "threshold": threshold, "n_fits": INNER_FOLDS}
        rows[setting] = _row(y_test == 1, answers, found, **further)
    return rows


def _minus_cost(y_true, y_pred, ratio):
    found, truth = y_pred == 1, y_true == 1
    return -float(ratio * (truth & ~found).sum() + (~truth & found).sum())


RIVALS = {
    "base": Method("C4.5 at p*", base_cut, about="no sampling, no search"),
    "tuned-threshold": Method(
        "Tuned threshold",
        tuned_threshold,
        about="no sampling; of 100 thresholds the best by five inner folds, or p* where an inner "
        "tree is a single leaf",
    ),
    "default": Method(
        "Balanced by SMOTE, at p*",
        default_sampling,
        about="as many positives as negatives, no search",
    ),
    "wrapper-auroc": Method(
        "Wrapper-AUROC at p*", wrapper_cut, about="levels by AUROC whatever the objective"
    ),
    "wrapper": Method(
        "Wrapper by the objective", wrapper, about="levels by the objective; the threshold is 0.5"
    ),
    "grid": Method(
        "Grid search by the objective",
        grid,
        about="10 levels of undersampling, 11 of SMOTE up to 1,000 %; the threshold is 0.5",
    ),
}
