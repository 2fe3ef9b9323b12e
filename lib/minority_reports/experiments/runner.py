"""From a plan to rows: computes what is missing, in parallel, one thread inside each task."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from minority_reports import datasets, paths
from minority_reports.datasets import DatasetUnavailableError
from minority_reports.experiments.jobs import Job, compute, jobs_of, loaded, of_task
from minority_reports.experiments.origin import read_provenance, record_run
from minority_reports.experiments.plan import Experiment, Task
from minority_reports.experiments.results import Results, without_seed
from minority_reports.experiments.settings import Settings
from minority_reports.experiments.store import (
    CUT_OFF,
    IDENTITY,
    KEY,
    OK,
    OUTCOME,
    TASK,
    Store,
    is_no_name,
)

#: Statuses that count as done. A failure is a row with a message, never a result.
DONE = (OK, CUT_OFF)

#: Two numbers agree across machines within this relative distance; on one machine they are equal.
TOLERANCE = 1e-6


def _reachable(names: Iterable[str], settings: Settings) -> tuple[dict[str, str], dict[str, str]]:
    """Content hashes of the data sets, and the reasons why some cannot be loaded here."""
    hashes, unavailable = {}, {}
    for name in names:
        known = None if name in settings.own else datasets.entry(name).sha256
        try:
            # the registry knows the hash of its own, so that nothing needs to be loaded for it
            if known is None or not datasets.available(name):
                known = loaded(settings.source(name)).facts.sha256
        except DatasetUnavailableError as error:
            unavailable[name] = str(error)
        hashes[name] = known or ""
    return hashes, unavailable


def _check_names(keys: pd.DataFrame) -> None:
    """Refuse names by which their rows would not be found again."""
    for column in ("dataset", "method", "setting"):
        for name in filter(is_no_name, keys[column].unique()):
            raise ValueError(
                f"{name!r} cannot be the name of a {column}: it is empty, or has line breaks or "
                "several blanks in a row. Give it another name."
            )


def run(experiment: Experiment, settings: Settings, *, folder: Path | None = None) -> Results:
    """Compute what ``settings.compute`` asks for, store it, and return all rows of the selection.

    Rows of users' own files and methods are kept in a folder of their own. Data sets that cannot
    be reached leave gaps unless their rows are stored already.
    """
    (results,) = run_all({experiment.name: experiment}, settings, folder=folder).values()
    return results


def run_all(
    experiments: Mapping[str, Experiment], settings: Settings, *, folder: Path | None = None
) -> dict[str, Results]:
    """The same for several experiments, by name, whose tasks are computed together.

    With many workers that takes less time than one experiment after the other, each of which
    would wait for its longest task.
    """
    # all that is needed is read now: a damaged file is found before anything is computed
    chosen = {name: _Selection(e, settings, folder) for name, e in experiments.items()}
    parts = [part for selection in chosen.values() for part in selection.parts]
    jobs = [job for part in parts for job in part.jobs]
    owners = [part for part in parts for _ in part.jobs]
    with contextlib.ExitStack() as held:
        for part in parts:
            if part.jobs:
                held.enter_context(part.store.writing())
                # first: no row that is stored may name a run that nobody noted
                part.run = record_run(part.store.folder)
            elif part.store.unfinished and settings.compute != "none":
                with part.store.writing():  # killed after its last row: only the order is missing
                    pass
        finished = compute(
            jobs,
            n_jobs=settings.n_jobs,
            cluster=settings.cluster,
            time_limit=settings.time_limit,
            name=settings.paper.name if len(chosen) > 1 else next(iter(chosen)),
        )
        held.enter_context(contextlib.closing(finished))  # whatever ends it: nobody computes on
        for number, rows, cost in finished:
            owners[number].store.add(rows, cost | {"run": owners[number].run})
    return {name: selection.results() for name, selection in chosen.items()}


@dataclass
class _Part:
    """The tasks of a selection whose rows are in one folder, what is stored, and what is to do."""

    tasks: list[Task]
    store: Store
    stored: pd.DataFrame
    timings: pd.DataFrame
    jobs: list[Job] = field(default_factory=list)
    run: str = ""


class _Selection:
    """What settings select of an experiment: read, and which of it is to be computed."""

    def __init__(self, experiment: Experiment, settings: Settings, folder: Path | None):
        self.settings = settings
        self.experiment = experiment = settings.extra.added_to(experiment)
        names, methods = settings.datasets_for(experiment), settings.methods_for(experiment)
        splits = settings.splits_for(experiment)
        self.tasks = experiment.tasks(datasets=names, methods=methods, **splits, seed=settings.seed)
        self.is_whole = (
            set(names) == set(experiment.datasets)
            and {*methods, *experiment.extra} == set(experiment.methods)
            and splits == {"repeats": experiment.repeats, "folds": experiment.folds}
        )
        hashes, self.unavailable = _reachable(names, settings)
        self.keys = experiment.keys(self.tasks, hashes.get)
        _check_names(self.keys)
        own, extra = set(settings.own), set(experiment.extra)
        folders = {
            False: Path(folder) if folder else paths.results(),
            True: Path(folder) / "own" if folder else paths.own_results(),
        }
        self._of_protocol = Store.of(experiment, folders[False])
        self.parts = []
        for is_own, target in folders.items():
            tasks = [t for t in self.tasks if (t.dataset in own or t.method in extra) == is_own]
            if tasks:
                store = Store.of(experiment, target)
                self.parts.append(_Part(tasks, store, store.rows(), store.timings()))
                if settings.compute != "none":
                    read_provenance(target)
        if settings.compute != "none":
            sources = {name: settings.source(name) for name in names}
            for part in self.parts:
                if todo := self._todo(part):
                    part.jobs = jobs_of(experiment, todo, sources, self._known_timings())

    def _todo(self, part: _Part) -> list[Task]:
        """The tasks of a part that the settings ask for."""
        tasks = [t for t in part.tasks if t.dataset not in self.unavailable]
        if self.settings.compute == "quick":
            own = self.settings.own
            tasks = [t for t in tasks if t.dataset in own or self.experiment.is_quick(t)]
        if self.settings.compute != "all":
            stored = _lasting(part.stored, self.settings.time_limit)
            tasks = _missing(tasks, self.keys, stored)
        absent = {
            name: reason
            for name in {task.method for task in tasks}
            if (reason := self.experiment.methods[name].not_installed)
        }
        self.unavailable |= absent
        return [task for task in tasks if task.method not in absent]

    def _known_timings(self) -> pd.DataFrame:
        """What tasks took: those of the project, and later ones of this folder."""
        committed = Store.of(self.experiment, paths.committed_results()).timings()
        known = pd.concat([committed, *(part.timings for part in self.parts)])
        return known.drop_duplicates(list(TASK), keep="last")

    def results(self) -> Results:
        """The rows, those just computed among them."""
        experiment, settings = self.experiment, self.settings
        found, costs, comparisons = [], [], []
        for part in self.parts:
            after = part.store.rows() if part.jobs else part.stored
            if settings.compute == "all":
                comparisons.append(compare(part.stored, after, experiment))
            found.append(after)
            costs.append(part.store.timings() if part.jobs else part.timings)
        if not found:  # no data set of this experiment is selected
            found = [self._of_protocol.as_stored([])]
        rows, failures = _select(pd.concat(found, ignore_index=True), self.keys)
        return Results(
            experiment=experiment,
            rows=rows,
            planned=len(self.keys),
            computed=sum(len(part.jobs) for part in self.parts),
            failures=failures,
            unavailable=self.unavailable,
            timings=_of_tasks(costs, self.tasks),
            comparison=pd.concat(comparisons, ignore_index=True) if comparisons else None,
            selected=None if self.is_whole else without_seed(self.tasks),
            n_extra=int(self.keys["method"].isin(experiment.extra).sum()),
        )


def summary(results: Mapping[str, Results]) -> str:
    """What a notebook's run found and computed, and which data was not available, in lines."""
    lines = [
        f"{name}: {result.coverage()}, {result.computed} tasks computed now"
        + (f", {len(result.failures)} runs failed" if len(result.failures) else "")
        for name, result in results.items()
        if result.planned
    ]
    failures = {
        f"{r.method} on {r.dataset}: {r.message}"
        for result in results.values()
        for r in result.failures.itertuples()
    }
    lines += [f"failed: {text}" for text in sorted(failures)]
    absent = sum(r.planned - len(r.rows) - len(r.failures) for r in results.values())
    if absent > 0:
        lines.append(f'{absent:,} runs are missing; compute = "missing" would compute them.')
    reasons = {
        (name, reason, name in result.experiment.methods)
        for result in results.values()
        for name, reason in result.unavailable.items()
    }
    lines += sorted({reason for _, reason, is_method in reasons if is_method})
    if names := sorted({name for name, _, is_method in reasons if not is_method}):
        lines.append(
            f"data not available here, so that stored rows are shown: {', '.join(names)} (for the "
            f"reasons: minority datasets {names[0]})"
        )
    return "\n".join(lines)


def _select(stored: pd.DataFrame, keys: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The stored rows of the given keys: those that are results, and those that failed."""
    done = stored["status"].isin(DONE)
    results = keys.merge(stored[done], on=list(KEY))
    # a failure may have come before the data was there, so its hash need not fit
    failures = keys[list(IDENTITY)].merge(stored[~done], on=list(IDENTITY))
    return results, failures


def _of_tasks(timings: list[pd.DataFrame], tasks: list[Task]) -> pd.DataFrame:
    """What the tasks of the selection cost; other seeds and folds are stored in the same file."""
    if not timings:
        return pd.DataFrame()
    chosen = pd.DataFrame(map(of_task, tasks), columns=list(TASK))
    return chosen.merge(pd.concat(timings, ignore_index=True), on=list(TASK))


def _lasting(stored: pd.DataFrame, time_limit: float) -> pd.DataFrame:
    """The rows that need not be computed again: not those cut off after less than the limit."""
    if not time_limit or "time_limit" not in stored:
        return stored
    return stored[(stored["status"] != CUT_OFF) | (stored["time_limit"] >= time_limit)]


def _missing(tasks: list[Task], keys: pd.DataFrame, stored: pd.DataFrame) -> list[Task]:
    """The tasks of which at least one key has no result."""
    # a quick selection is about few data sets: the many rows of the others are left alone
    keys = keys[keys["dataset"].isin({task.dataset for task in tasks})]
    if keys.empty:
        return []
    rows, _ = _select(stored, keys)
    columns = list(TASK)
    needed = keys.groupby(columns).size()
    present = rows.groupby(columns).size().reindex(needed.index, fill_value=0)
    incomplete = set(needed.index[present < needed])
    return [t for t in tasks if of_task(t) in incomplete]


def compare(before: pd.DataFrame, after: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Rows present in both, with ``identical`` and ``agrees`` (within :data:`TOLERANCE`).

    Where a time limit cut off a task, its rows depend on the machine: they agree if the intervals
    of what is known overlap.
    """
    both = before.merge(after, on=list(KEY), suffixes=("_before", "_after"))
    identical = np.ones(len(both), bool)
    agrees = np.ones(len(both), bool)
    for measure in (*experiment.measures, OUTCOME[0]):
        old, new = both[f"{measure}_before"], both[f"{measure}_after"]
        same = (old == new) | (old.isna() & new.isna())
        identical &= same.to_numpy()
        if pd.api.types.is_float_dtype(old) and pd.api.types.is_float_dtype(new):
            same |= np.isclose(old, new, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
        agrees &= same.to_numpy()
    if experiment.interval is not None:
        cut_off = (both["status_before"] == CUT_OFF) | (both["status_after"] == CUT_OFF)
        task = [both[column] for column in ("dataset", "method", "repeat", "fold", "seed")]
        touched = cut_off.groupby(task).transform("any").to_numpy(bool)
        low, high = experiment.interval
        least = both[[f"{low}_before", f"{low}_after"]].max(axis=1)
        most = both[[f"{high}_before", f"{high}_after"]].min(axis=1)
        # where a limit left nothing known there is nothing to contradict
        agrees = np.where(touched, ~(least > most + TOLERANCE), agrees)
    return both[list(KEY)].assign(identical=identical, agrees=agrees)
