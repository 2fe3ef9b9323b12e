"""Sampling wrapper: which data sets, which methods, how they are split, what is measured.

Protocol of the paper (sections 2.1 and 3): five times ten stratified folds, and five inner folds
for the search. Of its eight data sets Compustat is proprietary; the other seven are public.
Everything here was fixed before results were seen.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from minority.experiments import (
    Experiment,
    Fold,
    Method,
    distinct_rows,
    stratified_folds,
)
from minority.papers.sampling_wrapper._kdd import KDD_MEASURES, SEARCHES, KDDCup, no_split
from minority.papers.sampling_wrapper._levels import (
    LEVEL_MEASURES,
    LEVEL_SETTINGS,
    AtLevels,
)
from minority.papers.sampling_wrapper._rivals import OBJECTIVES, RIVAL_MEASURES, RIVALS
from minority.papers.sampling_wrapper._schemes import MEASURES, SCHEMES, AllSchemes
from minority.papers.sampling_wrapper._variants import (
    FURTHER_LEARNERS,
    MARGIN_MEASURES,
    MARGINS,
    SMOTE_LEVELS,
    SMOTE_MEASURES,
    SMOTE_METHODS,
    STABILITY_MEASURES,
    STABILITY_RATIOS,
    Searched,
    Stability,
)
from minority.rules import RIPPERClassifier
from minority.trees import C45Classifier

#: In the order of Table 1, by increasing imbalance; Compustat is missing.
DATASETS = ("phoneme", "segment", "estate", "page", "satimage", "oil", "mammography")

LEARNERS: dict[str, Callable] = {"c45": C45Classifier, "ripper": RIPPERClassifier}
LABELS = {"c45": "C4.5", "ripper": "RIPPER"}
ABOUT = {
    "c45": "pruned with confidence 0.25, at least 2 rows in two branches, Laplace in the leaves",
    "ripper": "two optimisation runs, three folds for pruning, Laplace in the rules",
}


class WithoutFirstColumn:
    """A method on a fold without its first column, of Oil the number of the image patch."""

    def __init__(self, run: Callable):
        self.run = run

    def __call__(self, fold: Fold) -> dict:
        X_train, X_test = fold.X_train.iloc[:, 1:], fold.X_test.iloc[:, 1:]
        return self.run(replace(fold, X_train=X_train, X_test=X_test))


class WithDistinctRows:
    """A method on a fold of which each row is there once."""

    def __init__(self, run: Callable):
        self.run = run

    def __call__(self, fold: Fold) -> dict:
        return self.run(distinct_rows(fold))


def _with_learners(method: Callable) -> dict[str, Method]:
    """A method with each of the paper's learners: ``method(make)`` returns its run."""
    return {
        name: Method(LABELS[name], method(make), about=ABOUT[name])
        for name, make in LEARNERS.items()
    }


def three_folds(y: np.ndarray, folds: int, random_state: int) -> list[tuple]:
    """The first folds of the same ten: seconds vary less than scores."""
    return stratified_folds(y, 10, random_state)[:folds]


_METHODS = _with_learners(AllSchemes)
#: In all experiments the same rows are in the same inner folds, and samples at the same levels are
#: equal.
_PAIRED = "sampling_wrapper"

MAIN = Experiment(
    name="sampling_wrapper-main",
    paired=_PAIRED,
    datasets=DATASETS,
    methods=_METHODS,
    settings=tuple(SCHEMES),
    measures=MEASURES,
    repeats=5,
    folds=10,
    quick=("segment",),
    any_dataset=True,
)

#: The same if any gain is enough for more SMOTE; one of the five repeats.
ANY_GAIN = replace(
    MAIN,
    name="sampling_wrapper-any-gain",
    methods=_with_learners(lambda make: AllSchemes(make, margin=0.0)),
    repeats=1,
    any_dataset=False,
)

#: Mammography, where 3,334 of 11,183 rows repeat another one, with each of them once.
DISTINCT = replace(
    MAIN,
    name="sampling_wrapper-distinct",
    datasets=("mammography",),
    methods={
        name: replace(method, run=WithDistinctRows(method.run)) for name, method in _METHODS.items()
    },
    quick=(),
    any_dataset=False,
)

OIL = Experiment(
    name="sampling_wrapper-oil",
    paired=_PAIRED,
    datasets=("oil",),
    methods={
        name: replace(method, run=WithoutFirstColumn(method.run))
        for name, method in _METHODS.items()
    },
    settings=tuple(SCHEMES),
    measures=MEASURES,
    repeats=5,
    folds=10,
)

RIVAL_SEARCHES = Experiment(
    name="sampling_wrapper-rivals",
    paired=_PAIRED,
    datasets=DATASETS,
    methods=RIVALS,
    settings=tuple(OBJECTIVES),
    measures=RIVAL_MEASURES,
    quick=("segment",),
)

MARGIN = Experiment(
    name="sampling_wrapper-margin",
    paired=_PAIRED,
    datasets=DATASETS,
    methods=_with_learners(lambda make: Searched(make, MARGINS)),
    settings=tuple(MARGINS),
    measures=MARGIN_MEASURES,
    quick=("segment",),
)

#: Added after the first run of the main experiment had been seen; counts in no verdict.
LEVELS = Experiment(
    name="sampling_wrapper-levels",
    paired=_PAIRED,
    datasets=DATASETS,
    methods={
        name: Method(LABELS[name], AtLevels(make, name), about=ABOUT[name])
        for name, make in LEARNERS.items()
    },
    settings=tuple(LEVEL_SETTINGS),
    measures=LEVEL_MEASURES,
    quick=("segment",),
)

#: The wrapper of Table 4 by itself, for its seconds.
TIMING = Experiment(
    name="sampling_wrapper-timing",
    paired=_PAIRED,
    datasets=DATASETS,
    methods=_with_learners(lambda make: Searched(make, {"auroc": ("auroc", 0.05)})),
    settings=("auroc",),
    measures=MARGIN_MEASURES,
    folds=3,
    split=three_folds,
)

SMOTE = Experiment(
    name="sampling_wrapper-smote",
    paired=_PAIRED,
    datasets=DATASETS,
    methods=SMOTE_METHODS,
    settings=tuple(SMOTE_LEVELS),
    measures=SMOTE_MEASURES,
    quick=("segment",),
)

STABILITY = Experiment(
    name="sampling_wrapper-stability",
    paired=_PAIRED,
    datasets=DATASETS,
    methods=_with_learners(Stability) | FURTHER_LEARNERS,
    settings=tuple(STABILITY_RATIOS),
    measures=STABILITY_MEASURES,
    quick=("segment",),
)

#: Training files of which the test rows are in a file of their own.
KDD = Experiment(
    name="sampling_wrapper-kdd",
    paired=_PAIRED,
    datasets=("kddcup99_10",),
    methods=_with_learners(KDDCup),
    settings=tuple(SEARCHES),
    measures=KDD_MEASURES,
    folds=1,
    split=no_split,
)

EXPERIMENTS: dict[str, Experiment] = {
    "main": MAIN,
    "any-gain": ANY_GAIN,
    "oil": OIL,
    "distinct": DISTINCT,
    "rivals": RIVAL_SEARCHES,
    "margin": MARGIN,
    "levels": LEVELS,
    "timing": TIMING,
    "smote": SMOTE,
    "stability": STABILITY,
    "kdd": KDD,
}
