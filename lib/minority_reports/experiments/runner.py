"""From a plan to rows: computes what is missing, in parallel, one thread inside each task."""

import contextlib
import functools
import math
import operator
import os
import platform
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from minority_reports import datasets, paths
from minority_reports.datasets import Dataset, DatasetUnavailableError
from minority_reports.experiments.limit import peak_mb
from minority_reports.experiments.origin import read_provenance, record_provenance
from minority_reports.experiments.plan import Experiment, Task
from minority_reports.experiments.results import Results, without_seed
from minority_reports.experiments.settings import Settings, Source
from minority_reports.experiments.store import (
    CUT_OFF,
    ERROR,
    IDENTITY,
    KEY,
    OK,
    OUTCOME,
    STATUSES,
    TASK,
    Store,
    format_value,
    is_no_name,
)
from minority_reports.front_end import in_jupyterlab

#: Statuses that count as done. A failure is a row with a message, never a result.
DONE = (OK, CUT_OFF)

#: Two numbers agree across machines within this relative distance; on one machine they are equal.
TOLERANCE = 1e-6

#: Seconds to wait for the scheduler of a cluster.
CLUSTER_TIMEOUT = 20
#: Tasks handed to a cluster at a time: enough for some hundred workers.
IN_FLIGHT = 1000


#: A task as a tuple, in the columns of the store.
_of_task = operator.attrgetter(*TASK)


@functools.lru_cache(maxsize=4)
def _loaded(source: Source) -> Dataset:
    """Load a data set once a process, however many tasks need it."""
    return source.load()


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _check_measures(experiment: Experiment, measured: Mapping[str, Mapping]) -> None:
    """Refuse what could be written but not be read again."""
    for name in sorted({*experiment.measures, *experiment.costs} - {*experiment.text}):
        for setting in experiment.settings:
            text = format_value(measured[setting].get(name))
            if text and math.isnan(pd.to_numeric(text, errors="coerce")):
                raise TypeError(
                    f"the measure {name!r} is {text!r}, not a number: if it is meant to be words, "
                    "name it in `text` of the experiment"
                )
    for setting in experiment.settings:
        if (status := measured[setting].get("status", OK)) not in STATUSES:
            raise ValueError(f"the status {status!r} is none of {', '.join(STATUSES)}")


def _compute_task(
    experiment: Experiment, task: Task, source: Source, time_limit: float
) -> tuple[list, dict]:
    """Run one method on one fold. A failure becomes rows that say so; nothing is raised."""
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    method = experiment.methods[task.method]
    started = time.perf_counter()
    content = ""
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            data = _loaded(source)
            content = data.facts.sha256
            fold = experiment.fold_of(task, data.X, data.y, time_limit)
            # A task is the unit of work: on a cluster, joblib would send its parts away again.
            with parallel_config(backend="sequential"):
                measured = method.run(fold)
            absent = set(experiment.settings) - set(measured)
            if absent:
                raise RuntimeError(f"no result for {', '.join(sorted(absent))}")
            _check_measures(experiment, measured)
            status = OK
            message = f"{caught[0].category.__name__}: {caught[0].message}" if caught else ""
        except Exception as error:
            measured = {setting: {} for setting in experiment.settings}
            status, message = ERROR, f"{type(error).__name__}: {error}"
    key = asdict(task) | {"version": method.version, "data": content}
    rows = [
        {"status": status, "message": message} | measured[setting] | key | {"setting": setting}
        for setting in experiment.settings
    ]
    cost = asdict(task) | {
        "seconds": round(time.perf_counter() - started, 3),
        "peak_mb": round(peak_mb()),
        "machine": _machine(),
    }
    for name in experiment.costs:
        cost[name] = sum(measured[setting].get(name, math.nan) for setting in measured)
    return rows, cost


def _someone_watches() -> bool:
    """Whether a progress bar has a terminal or a JupyterLab to be drawn in.

    In a notebook executed without one, by papermill or nbval, every step of the bar would be
    saved as an output of its own.
    """
    return sys.stderr.isatty() or in_jupyterlab()


class ClusterError(RuntimeError):
    """Raised when a cluster cannot be reached or was lost on the way."""


def _dask_backend(client):
    """joblib's backend for a Dask cluster, for workers that join and leave during a run.

    joblib would share the tasks among the workers that are there when the run begins, compute
    them all here if that is only one, and give up if there is none after ten seconds: yet jobs may
    stand in a batch system's queue for hours. Dask keeps the tasks for those that come.
    """
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):
        def effective_n_jobs(self, n_jobs):
            return IN_FLIGHT

    return Backend(client=client)


@contextlib.contextmanager
def _workers(cluster: str):
    """Let joblib run tasks here, or on the Dask cluster at an address such as ``tcp://host:8786``.

    Dask itself moves the tasks of a worker that died to another one.
    """
    import joblib

    if not cluster:
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "a cluster needs the package distributed: `pip install distributed`."
        ) from None
    try:
        client = Client(cluster, timeout=CLUSTER_TIMEOUT)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {cluster} ({error}). Start one with `dask scheduler`, "
            "or leave the cluster empty to run on this machine."
        ) from error
    with client, joblib.parallel_config(backend=_dask_backend(client)):
        try:
            if not client.ncores():
                print(f"No worker at {cluster} yet: waiting for the first.", file=sys.stderr)
            yield
        except Exception as error:
            if type(error).__module__.split(".")[0] in ("distributed", "asyncio", "concurrent"):
                raise ClusterError(
                    f"the cluster at {cluster} was lost ({type(error).__name__}). Finished rows "
                    "are kept: run again to go on."
                ) from error
            raise


def compute(
    experiment: Experiment,
    tasks: Iterable[Task],
    sources: Mapping[str, Source],
    *,
    n_jobs: int = 1,
    cluster: str = "",
    time_limit: float = 0,
    progress: bool = True,
) -> Iterator[tuple[list[dict], dict]]:
    """Yield (rows, cost) of each task as it finishes, in whatever order that is."""
    import joblib
    from tqdm import tqdm

    tasks = list(tasks)
    # One task at a time on a cluster: a batch of them would be lost with its worker, and one that
    # holds several long tasks would be waited for when all else is done.
    sharing = (
        {"n_jobs": -1, "pre_dispatch": "n_jobs", "batch_size": 1} if cluster else {"n_jobs": n_jobs}
    )
    with _workers(cluster):
        finished = joblib.Parallel(**sharing, return_as="generator_unordered")(
            joblib.delayed(_compute_task)(experiment, task, sources[task.dataset], time_limit)
            for task in tasks
        )
        yield from tqdm(
            finished,
            total=len(tasks),
            desc=experiment.name,
            unit="task",
            disable=not (progress and tasks and _someone_watches()),
        )


def _reachable(names: Iterable[str], settings: Settings) -> tuple[dict[str, str], dict[str, str]]:
    """Content hashes of the data sets, and the reasons why some cannot be loaded here."""
    hashes, unavailable = {}, {}
    for name in names:
        known = None if name in settings.own else datasets.entry(name).sha256
        try:
            # the registry knows the hash of its own, so that nothing needs to be loaded for it
            if known is None or not datasets.available(name):
                known = _loaded(settings.source(name)).facts.sha256
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
    experiment = settings.extra.added_to(experiment)
    names = settings.datasets_for(experiment)
    sources = {name: settings.source(name) for name in names}
    methods, splits = settings.methods_for(experiment), settings.splits_for(experiment)
    tasks = experiment.tasks(datasets=names, methods=methods, **splits, seed=settings.seed)
    hashes, unavailable = _reachable(names, settings)
    keys = experiment.keys(tasks, hashes.get)
    _check_names(keys)
    own, extra = set(settings.own), set(experiment.extra)
    folders = {
        False: Path(folder) if folder else paths.results(),
        True: Path(folder) / "own" if folder else paths.own_results(),
    }
    parts = []
    for is_own, target in folders.items():
        if part := [t for t in tasks if (t.dataset in own or t.method in extra) == is_own]:
            store = Store.of(experiment, target)
            # all that is needed is read now: a damaged file is found before anything is computed
            parts.append((part, store, store.rows(), store.timings()))
            if settings.compute != "none":
                read_provenance(target)
    computed, found, costs, comparisons = 0, [], [], []
    for part, store, stored, timings in parts:
        todo = [t for t in part if t.dataset not in unavailable]
        if settings.compute == "none":
            todo = []
        elif settings.compute == "quick":
            todo = [t for t in todo if t.dataset in own or experiment.is_quick(t)]
        if settings.compute != "all":
            todo = _missing(todo, keys, _lasting(stored, settings.time_limit))
        if todo:
            with store.writing():
                # first, for a run that is killed after its last row has nothing left to do
                record_provenance(store.folder, experiment.name)
                finished = compute(
                    experiment,
                    todo,
                    sources,
                    n_jobs=settings.n_jobs,
                    cluster=settings.cluster,
                    time_limit=settings.time_limit,
                )
                for rows, cost in finished:
                    store.add(rows, cost)
            computed += len(todo)
        elif store.unfinished and settings.compute != "none":
            with store.writing():  # killed after its last row: only the order is missing
                pass
        after = store.rows() if todo else stored
        if settings.compute == "all":
            comparisons.append(compare(stored, after, experiment))
        found.append(after)
        costs.append(store.timings() if todo else timings)
    if not found:  # no data set of this experiment is selected
        found = [Store.of(experiment, folders[False]).as_stored([])]
    rows, failures = _select(pd.concat(found, ignore_index=True), keys)
    is_whole = (
        set(names) == set(experiment.datasets)
        and set(methods) | extra == set(experiment.methods)
        and splits == {"repeats": experiment.repeats, "folds": experiment.folds}
    )
    return Results(
        experiment=experiment,
        rows=rows,
        planned=len(keys),
        computed=computed,
        failures=failures,
        unavailable=unavailable,
        timings=_of_tasks(costs, tasks),
        comparison=pd.concat(comparisons, ignore_index=True) if comparisons else None,
        selected=None if is_whole else without_seed(tasks),
        n_extra=int(keys["method"].isin(extra).sum()),
    )


def summary(results: Mapping[str, Results]) -> str:
    """What a notebook's run found, computed and could not reach, in a few lines."""
    lines = [
        f"{name}: {result.coverage()}, {result.computed} tasks computed now"
        + (f", {len(result.failures)} keys failed" if len(result.failures) else "")
        for name, result in results.items()
    ]
    failures = {
        f"{r.method} on {r.dataset}: {r.message}"
        for result in results.values()
        for r in result.failures.itertuples()
    }
    lines += [f"failed: {text}" for text in sorted(failures)]
    absent = sum(r.planned - len(r.rows) - len(r.failures) for r in results.values())
    if absent > 0:
        lines.append(f'{absent:,} keys are not there; compute = "missing" would compute them.')
    reasons = {k: v for result in results.values() for k, v in result.unavailable.items()}
    lines += [f"stored rows only: {reason}" for reason in reasons.values()]
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
    chosen = pd.DataFrame(map(_of_task, tasks), columns=list(TASK))
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
    return [t for t in tasks if _of_task(t) in incomplete]


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
