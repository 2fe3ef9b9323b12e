"""What the notebook runs on a user's own file, and what that leaves out."""

import copy
from collections.abc import Iterable

import numpy as np

from minority_reports.datasets import Dataset
from minority_reports.experiments import Settings
from minority_reports.experiments.prepare import category_name
from minority_reports.papers.showdown.protocol import (
    CONTESTANTS,
    EXPERIMENTS,
    RACE_ROWS,
    TIME_LIMIT,
)
from minority_reports.papers.showdown.tables import count

#: Beyond so many rows a test part is large and minutes count: a second cut into folds would take as
#: long as the first.
ONE_REPEAT_ROWS = 10_000
#: Beyond so many rows three folds do: each test part has more than 10,000 rows.
THREE_FOLDS_ROWS = 50_000
#: Seconds for a contestant and a fold. Of 100,000 rows and 30 columns a core that is not shared
#: needs at most 50 s for a fold, except with Boosting-SVM and tuned gradient boosting: those are
#: stopped on some folds or all, so that three folds of everyone take less than 15 minutes on two
#: cores.
OWN_TIME_LIMIT = 60.0


#: The data set that stands in for a user's own: anyone has it, and its columns have names.
SHOWN = "car-vgood"


def own_settings(settings: Settings, *, tuned: bool = True) -> tuple[Settings, list[str]]:
    """Settings under which own files are done in minutes, and in words what they leave out.

    Values that the user gave are kept, and so are settings without own files. Raises a ValueError
    for a file with too few rows of a class for the folds.
    """
    if not settings.own:
        return settings, []
    sets = {name: source.load() for name, source in settings.own.items()}
    experiment = EXPERIMENTS["defaults"]
    for data in sets.values():
        check_table(data, experiment.folds)
    planned, left_out = copy.copy(settings), []
    largest = max(sets.values(), key=lambda data: data.n)
    if largest.n > ONE_REPEAT_ROWS and not settings.repeats:
        _put(planned, repeats=1)
        left_out.append(
            f"One repeat of the folds instead of {experiment.repeats}, because {largest.name} has "
            f"more than {ONE_REPEAT_ROWS:,} rows."
        )
    if largest.n > THREE_FOLDS_ROWS and not settings.folds:
        _put(planned, folds=3)
        left_out.append(
            f"The first 3 of {experiment.folds} folds, because {largest.name} has more than "
            f"{THREE_FOLDS_ROWS:,} rows."
        )
    for name, data in sets.items():
        left_out += _sampled(
            name, data.n, settings.methods_for(experiment), experiment.folds, tuned
        )
    if not settings.time_limit:
        _put(planned, time_limit=OWN_TIME_LIMIT)
        left_out.append(
            f"Who needs more than {OWN_TIME_LIMIT:g} s for a fold is stopped and has no result "
            f"there (the showdown's own limit is {TIME_LIMIT:g} s): a longer time limit computes "
            "only those again."
        )
    return planned, left_out


def check_table(data: Dataset, folds: int) -> None:
    """Raise a ValueError for a table that cannot be compared on."""
    _check_folds(data, folds)
    _check_finite(data)
    _check_names(data)


def _put(settings: Settings, **values) -> None:
    # checked values of a copy; making new settings would look for the files again
    for name, value in values.items():
        object.__setattr__(settings, name, value)


def _check_folds(data: Dataset, folds: int) -> None:
    fewest = min(data.positives, data.n - data.positives)
    if fewest < folds:
        raise ValueError(
            f"{data.facts.file} has {count(fewest, 'row')} of one class ({data.facts.target}: "
            f"{data.positives} of {data.n:,} rows) and the showdown needs at least {folds}: one in "
            f"the test part of each of its {folds} folds. Collect more such rows, or choose a "
            "target that is less rare."
        )


def _check_finite(data: Dataset) -> None:
    infinite = np.isinf(data.X.select_dtypes("number")).any()
    if infinite.any():
        names = ", ".join(map(repr, infinite.index[infinite]))
        raise ValueError(
            f"{data.facts.file} has infinite values, which most contestants refuse: {names}. Leave "
            "those cells empty (gaps in numbers are filled in), or write a large number."
        )


def _check_names(data: Dataset) -> None:
    """Categories become columns, whose names must be left for them."""
    for feature, column in data.X.select_dtypes("category").items():
        for label in column.cat.categories:
            if (name := category_name(feature, label)) in data.X:
                raise ValueError(
                    f"{data.facts.file} has a column {name!r}, as the category {label!r} of "
                    f"{feature!r} is called where it is coded as a column. Rename the column."
                )


def _sampled(name: str, n: int, methods: Iterable[str], folds: int, tuned: bool) -> list[str]:
    training = n - n // folds
    limits = {CONTESTANTS[method].label: CONTESTANTS[method].max_rows for method in methods}
    few = [f"{label} {most:,}" for label, most in limits.items() if 0 < most < training]
    texts = []
    if few:
        texts.append(
            f"Of the {training:,} rows in a training part of {name} some learn from a sample: "
            f"{', '.join(few)}."
        )
    if tuned and training > RACE_ROWS:
        texts.append(
            f"Configurations race on a sample of {RACE_ROWS:,} rows of {name}; the one chosen "
            "learns from all rows, or from the contestant's sample."
        )
    return texts


def spotlight(settings: Settings) -> tuple[str, Dataset]:
    """The data set that the last part of the notebook is about: the first selected, or one."""
    name = next(iter((*settings.own, *settings.datasets, SHOWN)))
    return name, settings.source(name).load()
