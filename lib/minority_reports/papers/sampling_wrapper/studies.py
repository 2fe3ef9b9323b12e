"""Why the learners alone have another AUROC here than in the paper: what was tried, stored."""

from functools import cache, partial

import numpy as np
import pandas as pd

from minority_reports.datasets import load
from minority_reports.experiments import Task
from minority_reports.experiments.studies import stored_study
from minority_reports.papers.sampling_wrapper.protocol import (
    LABELS,
    LEARNERS,
    LEVEL_TABLES,
    MAIN,
    NAMES,
    published_table,
)
from minority_reports.papers.sampling_wrapper.schemes import (
    RATIOS,
    Answers,
    inner_models,
    parts_of,
    trained_at,
)
from minority_reports.report import Table, show
from minority_reports.report.tables import facts

#: Parameters of C4.5 that differ from those here.
_MODELS = {
    "as here": {},
    "without Laplace": {"laplace": False},
    "unpruned": {"pruning": None},
    "unpruned, without Laplace": {"pruning": None, "laplace": False},
    "without subtree raising": {"subtree_raising": False},
}
#: Ways to measure the AUROC of the models as they are here.
_MEASURES = {
    "ties count as errors": lambda y, answers: _auroc(y, answers.score, ties=0.0),
    "13 thresholds": lambda y, answers: _auroc(y, np.digitize(answers.score, _thresholds())),
    "one threshold": lambda y, answers: _auroc(y, answers.found),
}
#: What is tried with each learner: RIPPER has none of the parameters of C4.5.
TRIED = {"c45": (*_MODELS, *_MEASURES), "ripper": ("as here", *_MEASURES)}


def _thresholds() -> list[float]:
    """The thresholds p* of the 13 cost ratios, rising."""
    return sorted(1 / (1 + ratio) for ratio in RATIOS)


def _auroc(y: np.ndarray, score: np.ndarray, ties: float = 0.5) -> float:
    """The share of pairs in the right order; pairs with equal scores count as `ties`."""
    score = np.asarray(score, dtype=float).round(12)
    others = np.sort(score[y == 0])
    below, up_to = (np.searchsorted(others, score[y == 1], side) for side in ("left", "right"))
    return float((below + ties * (up_to - below)).mean() / len(others))


@cache
def _answers(learner: str, dataset: str, model: str) -> list[tuple[np.ndarray, Answers]]:
    """Labels of the test rows and what the learner alone says about them, in the first ten folds.

    As here, these are the models of the base's rows.
    """
    data, estimator = load(dataset), LEARNERS[learner]
    found = []
    for number in range(MAIN.folds):
        fold = MAIN.fold_of(Task(dataset, learner, 0, number, 0), data.X, data.y)
        X, y, X_test, y_test = parts_of(fold)
        seed = inner_models(estimator, fold).seed
        tried = estimator.__class__(**estimator.get_params() | _MODELS[model])
        found.append((y_test, Answers.of(trained_at(tried, X, y, 100, 0, seed), X_test)))
    return found


def _tried(learner: str, dataset: str, what: str) -> dict:
    """Mean AUROC over the first ten folds."""
    measure = _MEASURES.get(what, lambda y, answers: _auroc(y, answers.score))
    answers = _answers(learner, dataset, what if what in _MODELS else "as here")
    auroc = float(np.mean([measure(y, one) for y, one in answers]))
    return {"learner": learner, "dataset": dataset, "what": what, "auroc": auroc}


def base_auroc_study(datasets=tuple(NAMES)) -> pd.DataFrame:
    """AUROC of both learners without sampling, with what was tried against the difference."""
    cases = {
        f"{learner} {dataset} {what}": partial(_tried, learner, dataset, what)
        for dataset in datasets
        for learner, names in TRIED.items()
        for what in names
    }
    return stored_study("sampling_wrapper-base-auroc", cases)


def least_auroc(f: float, errors: float, positives: float, negatives: float) -> float:
    """The least AUROC of a classifier with this F and so many errors on so many rows.

    F and errors give the true and the false positives; no curve through that point of ROC space
    has a smaller area than the rectangle below and to the right of it.

    >>> least_auroc(0.8, 4, 10, 10)  # eight found, two false alarms
    0.64
    """
    hits = min(positives, f * errors / (2 * (1 - f))) if f < 1 else positives
    alarms = min(negatives, max(0.0, errors - (positives - hits)))
    return float(hits / positives * (1 - alarms / negatives))


def base_auroc_table(study: pd.DataFrame) -> Table:
    """What was tried against the difference in the learners' own AUROC, beside the published."""
    counts = facts(NAMES)[["n", "positives"]].astype(int)
    lines = {}
    for (learner, dataset), part in study.groupby(["learner", "dataset"], sort=False):
        printed = published_table(LEVEL_TABLES[learner]).loc[f"{NAMES[dataset]} / Base"]
        n, positives = counts.loc[dataset]
        numbers = (float(printed[name]) for name in ("f_measure", "cost_1to1"))
        lines[f"{LABELS[learner]}, {NAMES[dataset]}"] = {
            "published": float(printed["AUROC"]),
            "least by its F and errors": least_auroc(*numbers, positives / 2, (n - positives) / 2),
            **part.set_index("what")["auroc"],
        }
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float)
    frame = frame[["published", "least by its F and errors", *TRIED["c45"]]]
    impossible = frame["published"] < frame["least by its F and errors"].round(3)
    caption = (
        "AUROC of the learners without sampling in the first ten folds, with what was tried "
        f"against its difference from the published one, which is in {int(impossible.sum())} of "
        f"{len(frame)} lines (bold) below the least that the paper's own F and errors allow."
    )
    bold = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    bold["published"] = impossible
    return show(frame, caption=caption, bold=bold)
