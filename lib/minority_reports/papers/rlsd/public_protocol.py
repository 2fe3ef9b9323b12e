"""RLSD on public data: pairs of parts of which the earlier trains, and inspection beside others.

The paper's data is not available. Two public data sets resemble its pairs of months: credit-card
transactions of two days, of which the first trains and the second tests (281 and 211 frauds; the
paper's fourth set has 232 and 266), and proteins, whose rows stand in blocks, so that the second
half is about other proteins than the first. On them run the grid of Table 3, and C4.5 with costs
and on an undersampled majority as the paper ran C5.0.

What depends on how rare the positives are is carried over: minimum precisions by the ratio of their
odds to those of all training examples, costs by their ratio to negatives per positive.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from minority.rules import RIPPERClassifier, RLSDClassifier
from minority.trees import C45Classifier
from minority_reports.datasets.transactions import PAIRS
from minority_reports.experiments import (
    Experiment,
    Fold,
    Method,
    OnChangedFolds,
    stratified_splits,
    with_random_state,
)
from minority_reports.papers.fixed import fixed
from minority_reports.papers.rlsd.protocol import (
    BUDGETS,
    COST_MEASURES,
    COST_SETTINGS,
    CUT_SETTINGS,
    FLAGS,
    GRID,
    REAL,
    REAL_EVENTS,
    RLSD,
    TABLE3,
    CostOfRatio,
    FitOnFold,
    OnCutMajority,
    fit_quietly,
    recall_within,
    table3_row,
    unvaried,
    weighted_rules,
)

#: The rows that train, of all rows, which are in the order of time or of blocks: those of the
#: first day, and the first half.
PUBLIC_PAIRS = {"creditcard": (144_786, 284_807), "protein_homo": (72_875, 145_751)}
#: The column that tells the days apart, which is no attribute: every later row is beyond all cuts.
CLOCK = "Time"
_EXAMPLES, _BAD = np.sum([training for _, training, _ in PAIRS.values()], axis=0)
#: Share of bad examples in the paper's training sets (Table 2), and good ones for a bad one.
PAPER_SHARE = float(_BAD / _EXAMPLES)
PAPER_RATIO = 1 / PAPER_SHARE - 1
#: Minimum precisions from the smallest of Table 3 to nearly 1, in place of its five.
WIDE = dict(zip((0.005, 0.01, 0.02, 0.03, 0.04), (0.005, 0.04, 0.25, 0.7, 0.95), strict=True))
#: Shares of the examples that are inspected, by the measures of what is found among them.
INSPECTED = {
    "recall_01": 0.001,
    "recall_02": 0.002,
    **BUDGETS,
    "recall_5": 0.05,
    "recall_10": 0.1,
    "recall_20": 0.2,
}


def public_split(y: np.ndarray, folds: int, random_state: int) -> list[tuple]:
    """The one split of a public pair, which is known by its number of rows."""
    for first, n in PUBLIC_PAIRS.values():
        if len(y) == n:
            return [(np.arange(first), np.arange(first, n))]
    raise ValueError(f"no public pair has {len(y)} rows: {', '.join(PUBLIC_PAIRS)} can be split")


def without_clock(fold: Fold, setting: str = "") -> Fold:
    """A fold without the column that tells the days apart."""
    parts = {
        name: getattr(fold, name).drop(columns=CLOCK, errors="ignore")
        for name in ("X_train", "X_test")
    }
    return replace(fold, **parts)


# Minimum precisions on data with another share of positives


def at_same_odds(precision: float, share: float) -> float:
    """As many times the odds of all training examples as the paper's on its own data."""
    ratio = precision / (1 - precision) / (PAPER_SHARE / (1 - PAPER_SHARE))
    return ratio * share / (1 + (ratio - 1) * share)


def as_printed(precision: float, share: float) -> float:
    """The paper's number."""
    return precision


def over_whole_range(precision: float, share: float) -> float:
    """Spread over the precisions that there are, at the same odds."""
    return at_same_odds(WIDE[precision], share)


# How a pair is run


def public_row(model: RLSDClassifier, fold: Fold) -> dict:
    """The columns of Table 3, and the number of rules that find no positive of the test part."""
    tested = model.rules_.covers_each(fold.X_test)
    idle = sum(not flagged[fold.y_test == 1].any() for flagged in tested)
    return table3_row(model, fold) | {"idle": idle}


@dataclass(frozen=True)
class GridOnPair:
    """RLSD with the minima of Table 3; ``least(precision, share)`` is what one stands for here."""

    estimator: object = RLSD
    least: Callable[[float, float], float] = at_same_odds

    def __call__(self, fold: Fold) -> dict:
        fold, share = without_clock(fold), float(np.mean(fold.y_train == 1))

        def measured(min_recall, precision):
            least = {"min_recall": min_recall, "min_precision": self.least(precision, share)}
            model = with_random_state(self.estimator, fold.random_state, **least)
            return public_row(fit_quietly(model, fold.X_train, fold.y_train), fold)

        return {setting: measured(*GRID[setting]) for setting in fold.settings}


def rules_by_costs(model: CostOfRatio, fold: Fold) -> dict:
    """What C4.5's rules flag, and what they have for the minority."""
    return weighted_rules(model.model_, fold)


def multiple_of(setting: str) -> dict:
    """A cost of the paper as a multiple of its negatives per positive."""
    return {"multiple": COST_SETTINGS[setting] / PAPER_RATIO}


def inspected(model, fold: Fold) -> dict:
    """Average precision, and recall among the rows of the highest scores, by budget."""
    from sklearn.metrics import average_precision_score

    score = model.predict_proba(fold.X_test)[:, 1].round(12)  # as in `ranking_measures`
    found = {name: recall_within(fold.y_test, score, share) for name, share in INSPECTED.items()}
    return {"ap": float(average_precision_score(fold.y_test, score)), **found}


def boosted_trees(class_weight):
    """scikit-learn's gradient boosting with its defaults, but for early stopping."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        loss="log_loss",
        learning_rate=0.1,
        max_iter=100,
        max_leaf_nodes=31,
        max_depth=None,
        min_samples_leaf=20,
        l2_regularization=0.0,
        max_features=1.0,
        max_bins=255,
        categorical_features="from_dtype",
        monotonic_cst=None,
        interaction_cst=None,
        warm_start=False,
        early_stopping=False,
        scoring="loss",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        verbose=0,
        random_state=None,
        class_weight=class_weight,
    )


@dataclass(frozen=True)
class BoostedTrees:
    """Gradient boosting on a fold; scikit-learn's module is loaded when it runs."""

    class_weight: str | None = None

    def __call__(self, fold: Fold) -> Mapping[str, Mapping]:
        model = with_random_state(boosted_trees(self.class_weight), fold.random_state)
        measured = inspected(model.fit(fold.X_train, fold.y_train), fold)
        return dict.fromkeys(fold.settings, measured)


_BASELINES = {
    "c4.5": Method("C4.5", FitOnFold(fixed(C45Classifier), inspected, unvaried), about="no costs"),
    "c4.5-cost": Method(
        "C4.5, cost",
        FitOnFold(CostOfRatio(fixed(C45Classifier)), inspected, unvaried),
        about="missing a positive costs negatives/positives",
    ),
    "ripper": Method("RIPPER", FitOnFold(fixed(RIPPERClassifier), inspected, unvaried)),
    "boosting": Method(
        "Gradient boosting", BoostedTrees(), about="scikit-learn's, 100 trees, no weights"
    ),
    "boosting-balanced": Method(
        "Gradient boosting, balanced",
        BoostedTrees("balanced"),
        about="scikit-learn's, 100 trees, balanced class weights",
    ),
}
_INSPECTORS = {
    "rlsd": Method(
        "RLSD",
        FitOnFold(REAL_EVENTS.methods["rlsd"].estimator, inspected, unvaried),
        about="as on real rare events: both minima chosen by inner CV on average precision",
    ),
    "rlsd-defaults": Method(
        "RLSD, defaults",
        FitOnFold(
            fixed(
                RLSDClassifier,
                pos_label=1,
                significance="corrected",
                scored_by="qualified",
                join=True,
            ),
            inspected,
            unvaried,
        ),
        about="the estimator's defaults: corrected level, scores by all qualified rules",
    ),
    **_BASELINES,
}
_ON_PAIRS = {"datasets": tuple(PUBLIC_PAIRS), "folds": 1, "split": public_split}

#: The grid of Table 3.
PUBLIC = Experiment(
    name="rlsd-public",
    methods={
        "rlsd": Method(
            "RLSD",
            GridOnPair(),
            about="as in Table 3; minimum precisions at the same ratio of odds",
        )
    },
    settings=tuple(GRID),
    measures=(*TABLE3.measures, "idle"),
    paired="rlsd-public",
    **_ON_PAIRS,
)

PUBLIC_COSTS = Experiment(
    name="rlsd-public-costs",
    methods={
        "c5.0": Method(
            "C5.0 (C4.5 rules)",
            OnChangedFolds(
                FitOnFold(
                    CostOfRatio(fixed(C45Classifier, ruleset=True)), rules_by_costs, multiple_of
                ),
                without_clock,
            ),
            about="examples weighted by their cost, at the same ratio to negatives per positive",
        )
    },
    settings=tuple(COST_SETTINGS),
    measures=(*FLAGS, "size", *COST_MEASURES),
    **_ON_PAIRS,
)

PUBLIC_CUT = Experiment(
    name="rlsd-public-cut",
    methods={
        "c5.0": Method(
            "C5.0 (C4.5 rules)",
            OnChangedFolds(OnCutMajority(fixed(C45Classifier, ruleset=True)), without_clock),
        ),
        "ripper": Method(
            "RIPPER", OnChangedFolds(OnCutMajority(fixed(RIPPERClassifier)), without_clock)
        ),
    },
    settings=tuple(CUT_SETTINGS),
    measures=(*FLAGS, "size"),
    repeats=5,
    **_ON_PAIRS,
)

PUBLIC_INSPECTION = Experiment(
    name="rlsd-public-inspection",
    methods={
        name: replace(method, run=OnChangedFolds(method.run, without_clock))
        for name, method in _INSPECTORS.items()
    },
    settings=("default",),
    measures=("ap", *INSPECTED),
    **_ON_PAIRS,
)

#: The baselines on the splits of real rare events; RLSD's rows are those of its steps.
INSPECTION = Experiment(
    name="rlsd-inspection",
    datasets=REAL,
    methods=_BASELINES,
    settings=("default",),
    measures=("ap", *INSPECTED),
    folds=5,
    split=stratified_splits,
)

PUBLIC_EXPERIMENTS = {
    "public": PUBLIC,
    "public-costs": PUBLIC_COSTS,
    "public-cut": PUBLIC_CUT,
    "public-inspection": PUBLIC_INSPECTION,
    "inspection": INSPECTION,
}
