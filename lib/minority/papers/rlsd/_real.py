"""RLSD and rivals as rankers of real rare events."""

import warnings
from itertools import product

import numpy as np

from minority.experiments import Fold, Method
from minority.papers.rlsd._rivals import f_measure
from minority.rules import RIPPERClassifier, RLSDClassifier
from minority.trees import C45Classifier

#: Share of the examples that can be inspected (section 2).
BUDGET = 0.02
#: Least recall, and how many times the odds of being positive must be those of all examples.
GRID = tuple(product((0.05, 0.1, 0.2), (2, 5, 20, 100)))

REAL_MEASURES = ("ap", "best_f2", "recall_2", "n_rules", "min_recall", "odds_ratio")


def recall_within(y_true: np.ndarray, score: np.ndarray, budget: float = BUDGET) -> float:
    """Recall among the rows of the highest scores, as many as the budget allows.

    Of rows with equal scores at the limit, the share that still fits is found: the mean over all
    their orders.
    """
    positive = y_true == 1
    n_rows = int(round(budget * len(score), 9))  # 0.29 * 100 is a little below 29
    if n_rows == 0:
        return 0.0
    limit = np.sort(score)[-n_rows]
    above, tied = score > limit, score == limit
    found = positive[above].sum() + positive[tied].mean() * (n_rows - above.sum())
    return float(found / positive.sum())


def ranking_measures(y_true: np.ndarray, score: np.ndarray) -> dict:
    """Average precision, recall within the budget, and the best F2 of any threshold.

    The threshold of ``best_f2`` is chosen on the same rows, so it is optimistic, for all methods
    alike. Scores are rounded to 12 decimals: ties that only the last bits decide would move them.
    """
    from sklearn.metrics import average_precision_score, precision_recall_curve

    score = score.round(12)
    precision, recall, _ = precision_recall_curve(y_true, score)
    return {
        "ap": float(average_precision_score(y_true, score)),
        "best_f2": float(f_measure(recall, precision).max()),
        "recall_2": recall_within(y_true, score),
    }


def fit_rlsd(X, y, min_recall, odds_ratio, random_state):
    """RLSD with the least precision at which the odds of being positive are so many times more."""
    share = float(np.mean(y == 1))
    least = odds_ratio * share / (1 + (odds_ratio - 1) * share)
    model = RLSDClassifier(
        min_recall=min_recall, min_precision=least, pos_label=1, random_state=random_state
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No rule reaches")
        return model.fit(X, y)


def choose_rlsd(X, y, random_state, grid=GRID):
    """The pair of `grid` with the largest average precision in 3-fold cross-validation."""
    from sklearn.metrics import average_precision_score
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(min(3, int((y == 1).sum())), shuffle=True, random_state=random_state)
    scores = np.zeros(len(grid))
    for train, test in folds.split(X, y):
        for number, pair in enumerate(grid):
            model = fit_rlsd(X.iloc[train], y[train], *pair, random_state)
            score = model.predict_proba(X.iloc[test])[:, 1]
            scores[number] += average_precision_score(y[test], score)
    return grid[int(scores.round(12).argmax())]


def _rlsd(fold: Fold) -> dict:
    X, y = fold.X_train, fold.y_train
    min_recall, odds_ratio = choose_rlsd(X, y, fold.random_state)
    model = fit_rlsd(X, y, min_recall, odds_ratio, fold.random_state)
    chosen = {"min_recall": min_recall, "odds_ratio": odds_ratio}
    return _measure(fold, model, len(model.rules_)) | chosen


def _c45(fold: Fold) -> dict:
    ratio = float((fold.y_train != 1).sum() / (fold.y_train == 1).sum())
    model = C45Classifier(costs={0: 1, 1: ratio}).fit(fold.X_train, fold.y_train)
    return _measure(fold, model, len(model.to_rules()))


def _ripper(fold: Fold) -> dict:
    model = RIPPERClassifier(random_state=fold.random_state).fit(fold.X_train, fold.y_train)
    return _measure(fold, model, len(model.rules_))


def _measure(fold, model, n_rules):
    score = model.predict_proba(fold.X_test)[:, 1]
    return ranking_measures(fold.y_test, score) | {"n_rules": n_rules}


class Ranker:
    """A method that is trained once on a fold."""

    def __init__(self, measure):
        self.measure = measure

    def __call__(self, fold: Fold) -> dict:
        return dict.fromkeys(fold.settings, self.measure(fold))


RANKERS = {
    "rlsd": Method(
        "RLSD",
        Ranker(_rlsd),
        about="least recall 0.05, 0.1, 0.2 and least precision at 2, 5, 20, 100 times the odds, "
        "chosen by inner 3-fold CV on average precision; score is the best rule's precision",
    ),
    "c4.5": Method(
        "C4.5, cost", Ranker(_c45), about="missing a positive costs negatives/positives"
    ),
    "ripper": Method("RIPPER", Ranker(_ripper), about="as Cohen's, no weights"),
}
