"""RLSD: which data sets, which methods, how they are split, what is measured.

Protocol of the paper (section 4): four data sets, each trained on three months and tested on the
next. That data is not available, so the four are simulated, and no verdict counts them; real rare
events are run beside them.

The paper ran C5.0 in two ways, with costs and with fewer examples of the majority. C5.0 is another
program, and C4.5 stands in for it: as a rule set on examples that are weighted by their cost, and
as a tree whose leaves predict what costs least, which is closer to what C5.0 does with costs.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import numpy as np

from minority.boxes import FastBoxesClassifier, select_fast_boxes
from minority.rules import ChiMerge, RIPPERClassifier, RLSDClassifier, RuleSet
from minority.trees import C45Classifier
from minority_reports.datasets.transactions import PAIRS, UNRELATED
from minority_reports.experiments import (
    Experiment,
    Fit,
    Fold,
    Method,
    confusion_counts,
    derive_seed,
    numeric_parts,
    stratified_splits,
    with_random_state,
)
from minority_reports.papers.fixed import fixed
from minority_reports.papers.wrapping import FitsAnother

SIMULATED = tuple(PAIRS)
#: Of KDD Cup 1999 the rarest kind of attack; from KEEL what is cut from it and from poker hands.
REAL = (
    *("creditcard", "kddcup99_10", "mammography", "abalone19", "kddcup-guess_passwd_vs_satan"),
    *("kddcup-land_vs_portsweep", "kddcup-buffer_overflow_vs_back", "kddcup-land_vs_satan"),
    *("kddcup-rootkit-imap_vs_back", "poker-9_vs_7", "poker-8-9_vs_6"),
    *("poker-8-9_vs_5", "poker-8_vs_6"),
)

BETA = 2
#: Share of the examples that can be inspected (section 2).
BUDGET = 0.02
#: Minimum recall and precision of Table 3, by the names of its rows; the paper found no rule with
#: the four that it leaves out.
GRID = {
    f"minR={recall:g},minP={precision:g}": (recall, precision)
    for recall in (0.01, 0.05, 0.1, 0.2)
    for precision in (0.005, 0.01, 0.02, 0.03, 0.04)
}
LEVELS = {f"level={level:g}": level for level in (0.1, 0.05, 0.01, 0.001)}
COST_SETTINGS = {f"cost={cost}": cost for cost in (100, 200, 300, 400)}
#: Per cent of the majority that are kept.
CUT_SETTINGS = {f"kept={share:g}%": share for share in (5, 3, 1, 0.5, 0.3, 0.1)}

FLAGS = ("recall", "precision", "tp", "fp", "fn", "tn")
COST_MEASURES = ("minority_rules", "single_rules", "minority_default", "tp_by_rules")
REAL_MEASURES = ("ap", "best_f2", "recall_2", "n_rules", "min_recall", "odds_ratio")
#: Shares of the examples that are inspected, by the measures of what is found among them.
BUDGETS = {"recall_05": 0.005, "recall_1": 0.01, "recall_2": BUDGET}


def given_split(y: np.ndarray, folds: int, random_state: int) -> list[tuple]:
    """The one split of a simulated pair, which is known by its number of rows."""
    sizes = {train[0] + test[0]: train[0] for _, train, test in PAIRS.values()}
    if len(y) not in sizes:
        raise ValueError(f"no simulated pair has {len(y)} rows: {', '.join(PAIRS)} can be split")
    return [(np.arange(sizes[len(y)]), np.arange(sizes[len(y)], len(y)))]


# What is measured


def f_measure(recall: np.ndarray, precision: np.ndarray, beta: float = BETA) -> np.ndarray:
    """The paper's F, 0 where nothing is found."""
    recall, precision = np.asarray(recall, dtype=float), np.asarray(precision, dtype=float)
    below = beta**2 * precision + recall
    return np.divide(
        (beta**2 + 1) * recall * precision, below, out=np.zeros_like(below), where=below > 0
    )


def flag_measures(y_true: np.ndarray, flagged: np.ndarray) -> dict:
    """Recall, precision (NaN if nothing is flagged) and the four counts behind them."""
    counts = confusion_counts(y_true == 1, flagged)
    tp, n_flagged = counts["tp"], counts["tp"] + counts["fp"]
    return counts | {
        "recall": tp / (tp + counts["fn"]),
        "precision": tp / n_flagged if n_flagged else np.nan,
    }


def best_rule(tested: list[dict]) -> int:
    """Which of some rules, given by their `flag_measures`, has the highest F."""
    recalls, precisions = ([rule[name] for rule in tested] for name in ("recall", "precision"))
    return int(f_measure(recalls, np.nan_to_num(precisions)).argmax())


def n_rules(model) -> float:
    """How many rules or boxes a model has; NaN if it is made of neither."""
    model = getattr(model, "model_", model)
    for name in ("rules_", "boxes_"):
        if hasattr(model, name):
            return len(getattr(model, name))
    return len(model.to_rules()) if hasattr(model, "to_rules") else np.nan


def table3_row(model: RLSDClassifier, fold: Fold) -> dict:
    """All rules of RLSD, and its best one.

    The paper's best rule is that of the highest F on the test part, which is optimistic
    (``best_``); beside it stands the one of the highest F in training (``trained_``).
    """
    in_training = flag_measures(fold.y_train, model.predict(fold.X_train) == 1)
    row = {"n_rules": n_rules(model)} | flag_measures(fold.y_test, model.predict(fold.X_test) == 1)
    row |= {f"train_{name}": in_training[name] for name in ("recall", "precision")}
    tested = [
        flag_measures(fold.y_test, flagged) for flagged in model.rules_.covers_each(fold.X_test)
    ]
    chosen = {"best": {}, "trained": {}}
    if tested:
        table = model.rule_table_
        in_training = f_measure(table["recall"], table["precision"]).argmax()
        chosen = {"best": tested[best_rule(tested)], "trained": tested[int(in_training)]}
    for kind, rule in chosen.items():
        row |= {f"{kind}_{name}": rule.get(name, np.nan) for name in ("recall", "precision")}
    return row


def surviving_attributes(model: ChiMerge, X_test, y_test) -> dict:
    """How many numeric attributes the discretisation leaves with two intervals or more.

    Of the simulated ones those that tell nothing (``unrelated_kept``) and the others
    (``related_kept``); ``intervals`` is the mean number of intervals of those that are left.
    """
    unrelated = np.isin(model.feature_names_in_, UNRELATED)
    cuts = np.array([len(points) for points in model.cut_points_])
    return {
        "unrelated_kept": int((cuts[unrelated] > 0).sum()),
        "related_kept": int((cuts[~unrelated] > 0).sum()),
        "intervals": float(cuts[cuts > 0].mean() + 1) if cuts.any() else np.nan,
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


def weighted_rules(model: C45Classifier, fold: Fold) -> dict:
    """What an ordered list of rules flags, and what it has for the minority."""
    flags = flag_measures(fold.y_test, model.predict(fold.X_test) == 1)
    return flags | {"size": n_rules(model)} | minority_rules(model.rules_, fold)


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


def ranked(model, X_test, y_test) -> dict:
    """How a model ranks rare events, by its probabilities if it has any, and its size."""
    if hasattr(model, "predict_proba"):
        score = model.predict_proba(X_test)[:, 1]
    else:
        score = model.decision_function(X_test)
    return ranking_measures(y_test, score) | {"n_rules": n_rules(model)}


def ranked_and_counted(model: RLSDClassifier, fold: Fold) -> dict:
    """How RLSD ranks rare events within three budgets, its rules, and their conditions in all."""
    from sklearn.metrics import average_precision_score

    score = model.predict_proba(fold.X_test)[:, 1].round(12)  # as in `ranking_measures`
    found = {name: recall_within(fold.y_test, score, share) for name, share in BUDGETS.items()}
    return {"ap": float(average_precision_score(fold.y_test, score)), **found} | {
        "n_rules": n_rules(model),
        "conditions": sum(len(rule.conditions) for rule in model.rules_),
    }


def ranked_as_chosen(model: "ChosenRLSD", X_test, y_test) -> dict:
    """The same, with the minima that were chosen."""
    return ranked(model, X_test, y_test) | model.chosen_


# What is fitted

RLSD = fixed(RLSDClassifier, beta=BETA, pos_label=1)


def fit_quietly(model, X, y):
    """Fit RLSD; that no rule reaches the minima is a result here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No rule reaches")
        return model.fit(X, y)


def fit_by_odds(estimator, X, y, min_recall, odds_ratio, random_state):
    """RLSD with the minimum precision that multiplies the odds of being positive by a ratio."""
    share = float(np.mean(y == 1))
    least = odds_ratio * share / (1 + (odds_ratio - 1) * share)
    model = with_random_state(estimator, random_state, min_recall=min_recall, min_precision=least)
    return fit_quietly(model, X, y)


class ChosenRLSD(FitsAnother):
    """RLSD with the two minima of the largest average precision in stratified cross-validation.

    The minimum precision is given by how many times the odds of being positive must be those of all
    examples. Of equally good pairs the first is taken.
    """

    def __init__(self, estimator, min_recalls, odds_ratios, cv, random_state=None):
        self.estimator = estimator
        self.min_recalls = min_recalls
        self.odds_ratios = odds_ratios
        self.cv = cv
        self.random_state = random_state

    def fit(self, X, y):
        from sklearn.metrics import average_precision_score
        from sklearn.model_selection import StratifiedKFold

        pairs = list(product(self.min_recalls, self.odds_ratios))
        n_folds = min(self.cv, int((y == 1).sum()))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        scores = np.zeros(len(pairs))
        for train, test in folds.split(X, y):
            for number, pair in enumerate(pairs):
                model = self._fit_one(X.iloc[train], y[train], *pair)
                score = model.predict_proba(X.iloc[test])[:, 1]
                scores[number] += average_precision_score(y[test], score)
        best = pairs[int(scores.round(12).argmax())]
        self.chosen_ = dict(zip(("min_recall", "odds_ratio"), best, strict=True))
        self.model_ = self._fit_one(X, y, *best)
        return self

    def _fit_one(self, X, y, min_recall, odds_ratio):
        return fit_by_odds(self.estimator, X, y, min_recall, odds_ratio, self.random_state)


class CostOfRatio(FitsAnother):
    """A classifier to which missing a positive costs as many times more as there are negatives.

    Or a multiple of that.
    """

    def __init__(self, estimator, multiple=1):
        self.estimator = estimator
        self.multiple = multiple

    def fit(self, X, y):
        from sklearn.base import clone

        costs = {0: 1, 1: self.multiple * float((y != 1).sum() / (y == 1).sum())}
        self.model_ = clone(self.estimator).set_params(costs=costs).fit(X, y)
        return self


class ChosenFastBoxes(FitsAnother):
    """Fast Boxes with the K and beta that inner cross-validation on AUH chooses."""

    def __init__(self, estimator, random_state=None):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X, y):
        n_clusters, expansion, _ = fixed(
            select_fast_boxes,
            X.to_numpy(),
            y == 1,
            majority_weights=[self.estimator.majority_weight],
            random_state=self.random_state,
        )
        model = with_random_state(
            self.estimator, self.random_state, n_clusters=n_clusters, expansion=expansion
        )
        self.model_ = model.fit(X, y)
        return self


# How a fold is run


def as_it_is(fold: Fold) -> tuple:
    """The parts of a fold for methods that take nominal columns and gaps."""
    return fold.X_train, fold.y_train, fold.X_test, fold.y_test


def numeric_columns(fold: Fold) -> tuple:
    """The parts of a fold without nominal columns."""
    X_train, X_test = (X.select_dtypes("number") for X in (fold.X_train, fold.X_test))
    return X_train, fold.y_train, X_test, fold.y_test


@dataclass(frozen=True)
class FitOnFold:
    """As `Fit`, for what is measured on the training part too: ``measure(model, fold)``."""

    estimator: object
    measure: Callable[..., Mapping]
    varied: Callable[[str], Mapping]
    independent_settings: ClassVar[bool] = True

    def __call__(self, fold: Fold) -> dict:
        def measured(parameters):
            model = with_random_state(self.estimator, fold.random_state, **parameters)
            return self.measure(fit_quietly(model, fold.X_train, fold.y_train), fold)

        return {setting: measured(self.varied(setting)) for setting in fold.settings}


@dataclass(frozen=True)
class LeastCost:
    """A classifier, trained without costs, that predicts the class of the least expected cost."""

    estimator: object

    def __call__(self, fold: Fold) -> dict:
        model = with_random_state(self.estimator, fold.random_state)
        share = model.fit(fold.X_train, fold.y_train).predict_proba(fold.X_test)[:, 1]
        size = {"size": n_rules(model)}
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


@dataclass(frozen=True)
class OnCutMajority:
    """A classifier trained on a part of the majority, drawn anew for each setting."""

    estimator: object
    parts: Callable[[Fold], tuple] = as_it_is
    independent_settings: ClassVar[bool] = True

    def __call__(self, fold: Fold) -> dict:
        X_train, y_train, X_test, y_test = self.parts(fold)
        measured = {}
        for setting in fold.settings:
            random_state = derive_seed(fold.random_state, setting)
            rows = kept_rows(y_train, CUT_SETTINGS[setting], random_state)
            model = with_random_state(self.estimator, random_state)
            flagged = model.fit(X_train.iloc[rows], y_train[rows]).predict(X_test) == 1
            measured[setting] = flag_measures(y_test, flagged) | {"size": n_rules(model)}
        return measured


def unvaried(setting: str) -> dict:
    return {}


def least_of(setting: str) -> dict:
    return dict(zip(("min_recall", "min_precision"), GRID[setting], strict=True))


def level_of(setting: str) -> dict:
    return {"significance": LEVELS[setting]}


def costs_of(setting: str) -> dict:
    return {"costs": {0: 1, 1: COST_SETTINGS[setting]}}


def as_ranker(estimator) -> Fit:
    """Any classifier with probabilities or decision values as a ranker of real rare events."""
    return Fit(estimator, ranked, parts=numeric_parts)


_PAIRS = {"datasets": SIMULATED, "folds": 1, "split": given_split}

TABLE3 = Experiment(
    name="rlsd-table3",
    methods={
        "rlsd": Method(
            "RLSD",
            FitOnFold(RLSD, table3_row, least_of),
            about="at most 10,000 rules, significance level 0.05",
        )
    },
    settings=tuple(GRID),
    measures=(
        "n_rules",
        *("train_recall", "train_precision", *FLAGS),
        *("best_recall", "best_precision", "trained_recall", "trained_precision"),
    ),
    quick=("simulated-law-1",),
    **_PAIRS,
)

#: Table 3 at other levels of significance: the paper does not say which threshold it took.
TABLE3_LEVELS = replace(
    TABLE3,
    name="rlsd-table3-levels",
    methods={
        name: Method(
            f"RLSD, level {level:g}",
            FitOnFold(
                fixed(RLSDClassifier, beta=BETA, significance=level, pos_label=1),
                table3_row,
                least_of,
            ),
        )
        for name, level in LEVELS.items()
        if level != 0.05
    },
    quick=(),
)

C50 = Experiment(
    name="rlsd-c50",
    methods={
        "c5.0": Method(
            "C5.0 (C4.5 rules)",
            FitOnFold(fixed(C45Classifier, ruleset=True), weighted_rules, costs_of),
            about="examples weighted by their cost",
        ),
        "c5.0-least-cost": Method(
            "C5.0 (C4.5 tree, least cost)",
            LeastCost(fixed(C45Classifier)),
            about="grown without costs; predicts what costs least by the shares in a leaf",
        ),
    },
    settings=tuple(COST_SETTINGS),
    measures=(*FLAGS, "size", *COST_MEASURES),
    **_PAIRS,
)

#: Drawn five times: a test part has as few as 59 positives, and the cut is random.
CUT = Experiment(
    name="rlsd-cut",
    methods={
        "c5.0": Method("C5.0 (C4.5 rules)", OnCutMajority(fixed(C45Classifier, ruleset=True))),
        "ripper": Method("RIPPER", OnCutMajority(fixed(RIPPERClassifier))),
        "fast-boxes": Method(
            "Fast Boxes",
            OnCutMajority(
                ChosenFastBoxes(fixed(FastBoxesClassifier, majority_weight=1.0, pos_label=1)),
                numeric_parts,
            ),
            about="c = 1, as the cut balances the classes; K and beta by inner 3-fold CV on AUH",
        ),
    },
    settings=tuple(CUT_SETTINGS),
    measures=(*FLAGS, "size"),
    repeats=5,
    **_PAIRS,
)

REAL_EVENTS = Experiment(
    name="rlsd-real",
    datasets=REAL,
    methods={
        "rlsd": Method(
            "RLSD",
            Fit(
                ChosenRLSD(RLSD, min_recalls=(0.05, 0.1, 0.2), odds_ratios=(2, 5, 20, 100), cv=3),
                ranked_as_chosen,
                parts=as_it_is,
            ),
            about="minimum recall, and minimum precision by its ratio of odds, chosen by inner CV "
            "on average precision; score is the best rule's precision",
        ),
        "c4.5": Method(
            "C4.5, cost",
            Fit(CostOfRatio(fixed(C45Classifier)), ranked, parts=as_it_is),
            about="missing a positive costs negatives/positives",
        ),
        "ripper": Method(
            "RIPPER",
            Fit(fixed(RIPPERClassifier), ranked, parts=as_it_is),
            about="as Cohen's, no weights",
        ),
    },
    settings=("default",),
    measures=REAL_MEASURES,
    folds=5,
    split=stratified_splits,
    quick=("poker-8-9_vs_6",),
    any_dataset=True,
    adapt=as_ranker,
)

#: From the paper's version to the defaults of `RLSDClassifier`, and one step beyond: each method
#: differs from the one before it by these parameters. All were changed after results were seen.
STEPS = {
    "as-published": ("RLSD as published", {}),
    "corrected-level": ("+ corrected level", {"significance": "corrected"}),
    "qualified-scores": ("+ scores by all qualified rules", {"scored_by": "qualified"}),
    "joined": ("+ rules joined (defaults)", {"join": True}),
    "edges-values": ("+ edges at values", {"edges": "values"}),
}


def _step_methods() -> dict:
    """A method for each of the steps, with those before it."""
    methods, parameters = {}, {}
    for name, (label, changed) in STEPS.items():
        parameters = parameters | changed
        model = fixed(RLSDClassifier, beta=BETA, pos_label=1, **parameters)
        methods[name] = Method(label, FitOnFold(model, ranked_and_counted, unvaried))
    return methods


#: On the splits of the experiment on real rare events. Minima are not chosen but left as they are.
STEP_BY_STEP = Experiment(
    name="rlsd-steps",
    datasets=REAL,
    methods=_step_methods(),
    settings=("default",),
    measures=("ap", *BUDGETS, "n_rules", "conditions"),
    folds=5,
    split=stratified_splits,
    quick=("kddcup-rootkit-imap_vs_back",),
    any_dataset=True,
    paired="rlsd-steps",
)

SIGNIFICANCE = Experiment(
    name="rlsd-significance",
    methods={
        "chimerge": Method(
            "ChiMerge-RLSD",
            Fit(
                fixed(ChiMerge, pos_label=1),
                surviving_attributes,
                varied=level_of,
                parts=numeric_columns,
            ),
        )
    },
    settings=tuple(LEVELS),
    measures=("unrelated_kept", "related_kept", "intervals"),
    quick=("simulated-law-1",),
    **_PAIRS,
)

EXPERIMENTS = {
    "table3": TABLE3,
    "table3-levels": TABLE3_LEVELS,
    "c50": C50,
    "cut": CUT,
    "real": REAL_EVENTS,
    "steps": STEP_BY_STEP,
    "significance": SIGNIFICANCE,
}
