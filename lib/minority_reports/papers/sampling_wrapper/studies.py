"""Why the learners alone have another AUROC here than in the paper: what was tried, stored."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
from sklearn.base import clone

from minority_reports.datasets import load
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

#: Parameters of C4.5 that differ from those here, and the number of folds. Half of a data set is
#: what the costs of Tables 2 and 3 look like.
_MODELS = {
    "as here": ({}, 10),
    "without Laplace": ({"laplace": False}, 10),
    "unpruned": ({"pruning": None}, 10),
    "unpruned, without Laplace": ({"pruning": None, "laplace": False}, 10),
    "without subtree raising": ({"subtree_raising": False}, 10),
    "trained on half": ({}, 2),
}
#: Ways to measure the AUROC of the models as they are here.
_MEASURES = {
    "ties count as errors": lambda y, answers: _auroc(y, answers.score, ties=0.0),
    "13 thresholds": lambda y, answers: _auroc(y, _between_thresholds(answers.score)),
    "one threshold": lambda y, answers: _auroc(y, answers.found),
}
#: What is tried with each learner: RIPPER has none of the parameters of C4.5.
TRIED = {"c45": (*_MODELS, *_MEASURES), "ripper": ("as here", "trained on half", *_MEASURES)}


def _between_thresholds(score: np.ndarray) -> np.ndarray:
    """Between which thresholds p* of the 13 cost ratios a score lies; at one counts as below it."""
    return np.digitize(score, sorted(1 / (1 + ratio) for ratio in RATIOS), right=True)


def _auroc(y: np.ndarray, score: np.ndarray, ties: float = 0.5) -> float:
    """The share of pairs in the right order; pairs with equal scores count as `ties`."""
    score = np.asarray(score, dtype=float).round(12)
    others = np.sort(score[y == 0])
    below, up_to = (np.searchsorted(others, score[y == 1], side) for side in ("left", "right"))
    return float((below + ties * (up_to - below)).mean() / len(others))


@cache
def _answers(learner: str, dataset: str, model: str) -> list[tuple[np.ndarray, Answers]]:
    """Labels of the test rows and what the learner alone says about them, in ten folds.

    As here, these are the models of the base's rows in the first run.
    """
    data, estimator = load(dataset), LEARNERS[learner]
    parameters, folds = _MODELS[model]
    plan, found = replace(MAIN, folds=folds, repeats=10 // folds), []
    for task in plan.tasks(datasets=[dataset], methods=[learner]):
        fold = plan.fold_of(task, data.X, data.y)
        X, y, X_test, y_test = parts_of(fold)
        seed = inner_models(estimator, fold).seed
        tried = clone(estimator).set_params(**parameters)
        found.append((y_test, Answers.of(trained_at(tried, X, y, 100, 0, seed), X_test)))
    return found


def _tried(learner: str, dataset: str, what: str) -> dict:
    """Mean AUROC over ten folds."""
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


def base_auroc_table(study: pd.DataFrame) -> Table:
    """What was tried against the difference in the learners' own AUROC, beside the published."""
    lines = {}
    for (learner, dataset), part in study.groupby(["learner", "dataset"], sort=False):
        printed = published_table(LEVEL_TABLES[learner])["AUROC"]
        lines[f"{LABELS[learner]}, {NAMES[dataset]}"] = {
            "published": float(printed[f"{NAMES[dataset]} / Base"]),
            **part.set_index("what")["auroc"],
        }
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float)
    frame = frame[["published", *TRIED["c45"]]]
    distance = frame.drop(columns="published").sub(frame["published"], axis=0).abs()
    nearest = distance.eq(distance.min(axis="columns"), axis=0).assign(published=False)
    caption = (
        "AUROC of the learners without sampling in ten folds, with what was tried against its "
        "difference from the published one; bold is the nearest."
    )
    return show(frame, caption=caption, bold=nearest[frame.columns])
