"""The showdown on a user's own file: what is run on it, and what looks wrong in it."""

import copy
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from minority.datasets import Dataset, examine
from minority.experiments import Experiment, Settings
from minority.papers.showdown._contestants import CONTESTANTS
from minority.papers.showdown._protocol import EXPERIMENTS, TIME_LIMIT
from minority.papers.showdown._race import CONFIGURATIONS, RACE_ROWS
from minority.papers.showdown._tables import count
from minority.report import Table, show

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
#: With fewer rows of the minority a test part has one or two of them.
FEW_POSITIVES = 10
#: Different values beyond which the rarest of a category are coded together (`numeric_coder`).
MANY_CATEGORIES = 50
#: Share of repeated rows beyond which they are worth a word.
MANY_REPEATED = 0.01

#: The data set that stands in for a user's own: anyone has it, and its columns have names.
SHOWN = "car-vgood"

_WHAT_IT_IS = ("number", "category", "id", "constant", "copy of the target")


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
        _check_folds(data, experiment.folds)
        _check_finite(data)
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
            "those cells empty (gaps are filled in), or write a large number."
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


def plan(settings: Settings, experiments: Mapping[str, Experiment]) -> str:
    """What will be run, and how long it can take, in a sentence or two."""
    from joblib import effective_n_jobs

    first = next(iter(experiments.values()))
    who = settings.methods_for(first)
    repeats, folds = settings.repeats or first.repeats, settings.folds or first.folds
    names = settings.datasets_for(first)
    tasks = len(who) * repeats * folds * len(experiments) * len(names)
    limit = settings.time_limit or TIME_LIMIT
    jobs = effective_n_jobs(settings.n_jobs)
    budget = f" ({CONFIGURATIONS} configurations each)" if "tuned" in experiments else ""
    return (
        f"{count(len(who), 'contestant')}, {' and '.join(experiments)}{budget}, on "
        f"{repeats} x {folds} of {first.folds} stratified folds: {count(tasks, 'task')} of at most "
        f"{limit:g} s in {'one process' if jobs == 1 else f'{jobs} processes'}. That is "
        f"{tasks * limit / jobs / 60:.0f} minutes if all took as long as they may; most need "
        "seconds. Rows that are there already are not computed again."
    )


def data_check(data: Dataset) -> Table:
    """What is in a data set: rows, classes, columns by kind, gaps."""
    columns = examine(data)
    gaps = data.X.isna().to_numpy()
    n_kinds = columns["kind"].value_counts()
    values = {
        "rows": f"{data.n:,}",
        f"positives ({data.facts.target})": f"{data.positives:,} ({data.positives / data.n:.2%})",
        "negatives for one positive": f"{data.facts.imbalance:.1f}",
        "rows that repeat an earlier one": f"{data.facts.repeated_rows:,}",
        "columns": f"{data.d:,}",
        **{f"… {kind}": f"{n_kinds[kind]:,}" for kind in _WHAT_IT_IS if kind in n_kinds},
        "columns with missing values": f"{gaps.any(axis=0).sum():,}",
        "values missing": f"{gaps.mean():.2%}",
    }
    return show(
        pd.DataFrame({"value": values}), caption=f"{data.facts.file or data.name}: the data"
    )


def remarks(data: Dataset) -> list[str]:
    """What a user should look at before believing any result; nothing is dropped."""
    columns = examine(data)
    texts = [*_on_rows(data)]
    for name, column in columns.iterrows():
        if text := _on_column(column):
            texts.append(f"{'WARNING: ' if 'target' in text else ''}Column {name!r} {text}")
    constant = [repr(name) for name in columns.index[columns["kind"] == "constant"]]
    if constant:
        texts.append(
            f"{_plural('Column', constant)} the same everywhere or empty: {', '.join(constant)}. "
            "Nothing can be learned from that; it does no harm."
        )
    return texts


def _plural(what: str, names: list) -> str:
    return f"{what}s that are" if len(names) > 1 else f"{what} that is"


def _on_rows(data: Dataset) -> Iterable[str]:
    folds = EXPERIMENTS["defaults"].folds
    if data.positives < folds:
        yield (
            f"WARNING: only {data.positives} rows of {data.facts.target}. The showdown cannot be "
            f"run: it needs at least {folds}, one in every test part."
        )
    elif data.positives < FEW_POSITIVES:
        most = -(-data.positives // folds)
        yield (
            f"WARNING: only {data.positives} rows of {data.facts.target}, so a test part has "
            f"{'one' if most == 1 else f'at most {most}'} of them and a single row decides whether "
            "a fold looks perfect or useless. Take ranks and means as hints; look at the intervals "
            "and at the rules, and collect more such rows before relying on any of it."
        )
    if data.facts.imbalance < 1:
        yield (
            f"{data.facts.target} is the more frequent class here. The learners are made for rare "
            "positives: check that it is the label you mean."
        )
    repeated = data.facts.repeated_rows
    if repeated > MANY_REPEATED * data.n:
        yield (
            f"{repeated:,} rows ({repeated / data.n:.0%}) repeat an earlier one. If they are "
            "copies and not different cases, results look better than they are, as a row can be "
            "in training and test part alike: drop the copies."
        )


def _on_column(column: pd.Series) -> str:
    remark = column["remark"]
    if "target" in remark:
        return (
            f"gives the target away ({remark.removesuffix(' (a copy)')}). If it is known only with "
            "or after the outcome, every result below is too good to be true: drop it and run "
            "again."
        )
    if column["kind"] == "id":
        return f"{remark}. What is learned from it does not carry over to new rows: drop it."
    if "infinite" in remark:
        return f"{remark}: most learners refuse these. Replace them by gaps or large numbers."
    if "date" in remark:
        return (
            "holds dates, read as days since 1970-01-01. Folds are drawn at random: if later rows "
            "are to be predicted from earlier ones, results below are too good. Keep the latest "
            "rows for a test of your own."
        )
    if column["kind"] == "category" and column["distinct"] > MANY_CATEGORIES:
        return (
            f"has {column['distinct']:,} different texts. Most learners see the "
            f"{MANY_CATEGORIES - 1} most frequent and one value for all others: if it is free "
            "text, drop it or make columns of what matters in it."
        )
    return f"has {remark}." if "missing" in remark and column["kind"] != "constant" else ""
