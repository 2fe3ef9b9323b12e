"""Tuning with the same budget for all: twenty configurations that race over three inner folds."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from minority.experiments import stratified_folds

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
