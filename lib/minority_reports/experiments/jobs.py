"""Tasks as jobs: in what order they are computed, in how many parts, and the rows they become.

The longest jobs begin first, so that none of them is left for the end; one that takes long is
divided if its method says how: by settings, of which each can be computed alone, or into shares of
what all settings need, such as some trees of a forest. A job's rows are the same in one part and in
many.
"""

import functools
import math
import operator
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

from minority_reports.datasets import Dataset
from minority_reports.experiments.limit import peak_mb
from minority_reports.experiments.plan import Experiment, Method, Task
from minority_reports.experiments.settings import Source
from minority_reports.experiments.store import ERROR, OK, STATUSES, TASK, format_value
from minority_reports.experiments.workers import WorkersDiedError, finished
from minority_reports.front_end import in_jupyterlab

#: Jobs of at least so many seconds are divided, if they can be.
DIVIDED_FROM = 10.0
#: Jobs of less are left in the order of the plan, in which neighbours have the same data set.
ORDERED_FROM = 1.0

#: Data sets that a process keeps.
KEPT_MB = 500.0

#: A task as a tuple, in the columns of the store.
of_task = operator.attrgetter(*TASK)


@dataclass(frozen=True)
class Job:
    """A task of an experiment, where its data comes from and the seconds it will about take."""

    experiment: Experiment
    task: Task
    source: Source
    seconds: float = 0.0

    @property
    def method(self) -> Method:
        """What is run."""
        return self.experiment.methods[self.task.method]

    @property
    def whole(self) -> "Part":
        """The job in one part."""
        return Part(self.experiment.settings)

    @property
    def parts(self) -> "list[Part]":
        """The parts that are worth computing each on its own."""
        settings = self.experiment.settings
        if self.seconds >= DIVIDED_FROM and self.method.has_independent_settings:
            return [Part((setting,)) for setting in settings]
        if self.seconds >= DIVIDED_FROM and self.method.n_shares > 1:
            return [Part(settings, share) for share in range(self.method.n_shares)]
        return [self.whole]


@dataclass(frozen=True)
class Part:
    """What is computed of a task at a time: some of its settings, or a share of what all need."""

    settings: tuple[str, ...]
    share: int | None = None


def jobs_of(
    experiment: Experiment,
    tasks: Iterable[Task],
    sources: Mapping[str, Source],
    timings: pd.DataFrame | None = None,
) -> list[Job]:
    """A job for each of the tasks; `timings` are those of a `Store`."""
    tasks = list(tasks)
    seconds = [0.0] * len(tasks) if timings is None else expected_seconds(tasks, timings)
    return [
        Job(experiment, task, sources[task.dataset], expected)
        for task, expected in zip(tasks, seconds, strict=True)
    ]


def expected_seconds(tasks: Sequence[Task], timings: pd.DataFrame) -> list[float]:
    """The seconds that tasks took when they were stored, and a guess for the others.

    The guess is the median of the stored tasks of the same data set and method, else of the data
    set, else of the method; 0 if there are none.
    """
    frame = pd.DataFrame(map(of_task, tasks), columns=list(TASK))
    seconds = pd.Series(math.nan, index=frame.index)
    for alike in (TASK, ("dataset", "method"), ("dataset",), ("method",)):
        medians = timings.groupby(list(alike))["seconds"].median().rename("known")
        seconds = seconds.fillna(frame.merge(medians, "left", on=list(alike))["known"])
    return seconds.fillna(0.0).tolist()


def in_order(jobs: Sequence[Job], *, divided: bool) -> list[tuple[int, Part]]:
    """The parts of the jobs, with the jobs' numbers, in the order in which they should begin."""
    parts = []
    for number, job in enumerate(jobs):
        of_job = job.parts if divided else [job.whole]
        parts += [(job.seconds / len(of_job), number, part) for part in of_job]
    parts.sort(key=lambda each: -each[0] if each[0] >= ORDERED_FROM else 0.0)
    return [(number, part) for _, number, part in parts]


@dataclass(frozen=True)
class Computed:
    """What became of a part: measures by setting or a share, or why there are none."""

    result: object
    message: str = ""
    failed: bool = False
    #: Hash of the data; empty if that could not be loaded.
    data: str = ""
    seconds: float = math.nan
    peak_mb: float = math.nan
    machine: str = ""


def compute(
    jobs: Iterable[Job],
    *,
    n_jobs: int = 1,
    cluster: str = "",
    time_limit: float = 0,
    progress: bool = True,
    name: str = "",
) -> Iterator[tuple[int, list[dict], dict]]:
    """Yield the number of each job, its rows and cost as it finishes, in whatever order that is.

    `name` is what a progress bar calls them.
    """
    from tqdm import tqdm

    jobs = list(jobs)
    if not jobs:  # a cluster is not asked for nothing
        return
    parts = in_order(jobs, divided=bool(cluster) or n_jobs != 1)
    works, calls, done = {}, [], [{} for _ in jobs]
    for number, part in parts:
        job = jobs[number]
        work = works.setdefault(_same_work(job), (_with_one_method(job), job.source))
        calls.append((work, job.task, part, time_limit))
        done[number][part] = None
    is_watched = progress and _someone_watches()
    with tqdm(total=len(jobs), desc=name, unit="task", disable=not is_watched) as bar:
        for place, computed in finished(_compute_part, calls, n_jobs=n_jobs, cluster=cluster):
            number, part = parts[place]
            done[number][part] = computed
            if None not in done[number].values():
                yield number, *_joined(jobs[number], list(done[number].values()))
                done[number] = {}
                bar.update()


def _same_work(job: Job) -> tuple:
    return id(job.experiment), job.task.method, job.source.key


def _with_one_method(job: Job) -> Experiment:
    """The experiment as it travels to other processes, without what this job does not need."""
    return replace(job.experiment, methods={job.task.method: job.method})


def _compute_part(
    work: tuple[Experiment, Source], task: Task, part: Part, time_limit: float
) -> Computed:
    """Run a part of one method on one fold. A failure is told with the result, not raised."""
    experiment, source = work
    run = experiment.methods[task.method].run
    started = time.perf_counter()
    content = ""

    def measure():
        nonlocal content
        data = loaded(source)
        content = data.facts.sha256
        fold = experiment.fold_of(task, data.X, data.y, time_limit)
        fold = replace(fold, settings=part.settings)
        if part.share is not None:
            return run.of_share(fold, part.share)
        return _checked(experiment, part.settings, run(fold))

    result, message, failed = _tried(measure)
    seconds = time.perf_counter() - started
    return Computed(result, message, failed, content, seconds, round(peak_mb()), _machine())


def _tried(function: Callable[[], object]) -> tuple[object, str, bool]:
    """What a function returns, its first warning or error in words, and whether it failed."""
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            # On a cluster, joblib would send what a method does in parallel away again.
            with parallel_config(backend="sequential"):
                result = function()
        except Exception as error:
            return None, _message(error), True
    return result, _message(caught[0].message) if caught else "", False


def _message(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _joined(job: Job, parts: list[Computed | WorkersDiedError]) -> tuple[list[dict], dict]:
    """The rows of a job and what they cost, from its parts in their order.

    As in one part, a failure is that of all settings, and the first warning is told with each.
    """
    parts = [
        Computed(None, _message(part), failed=True) if isinstance(part, WorkersDiedError) else part
        for part in parts
    ]
    settings = job.experiment.settings
    failures = [part for part in parts if part.failed]
    told = [part.message for part in failures or parts if part.message]
    if failures:
        measured = None
    elif job.method.has_independent_settings or len(parts) == 1:
        measured = functools.reduce(operator.or_, [part.result for part in parts])
    else:
        measured, message, failed = _tried(lambda: _from_shares(job, parts))
        told = [message] if failed else [*told, message]
    first = {"status": OK if measured else ERROR, "message": told[0] if told else ""}
    measured = measured or {setting: {} for setting in settings}
    key = asdict(job.task) | {"version": job.method.version, "data": (failures or parts)[0].data}
    rows = [first | measured[setting] | key | {"setting": setting} for setting in settings]
    cost = asdict(job.task) | {
        "seconds": round(sum(part.seconds for part in parts), 3),
        "peak_mb": max(part.peak_mb for part in parts),
        "machine": parts[0].machine,
    }
    for name in job.experiment.costs:
        cost[name] = sum(measured[setting].get(name, math.nan) for setting in settings)
    return rows, cost


def _from_shares(job: Job, parts: list[Computed]) -> dict:
    settings = job.experiment.settings
    measured = job.method.run.from_shares(settings, [part.result for part in parts])
    return _checked(job.experiment, settings, measured)


def _checked(experiment: Experiment, settings: tuple[str, ...], measured: Mapping) -> dict:
    """What was measured for some settings; refused if it could not be read again from a file."""
    if absent := set(settings) - set(measured):
        raise RuntimeError(f"no result for {', '.join(sorted(absent))}")
    measured = {setting: measured[setting] for setting in settings}
    for name in sorted({*experiment.measures, *experiment.costs} - {*experiment.text}):
        for row in measured.values():
            text = format_value(row.get(name))
            if text and math.isnan(pd.to_numeric(text, errors="coerce")):
                raise TypeError(
                    f"the measure {name!r} is {text!r}, not a number: if it is meant to be words, "
                    "name it in `text` of the experiment"
                )
    for row in measured.values():
        if (status := row.get("status", OK)) not in STATUSES:
            raise ValueError(f"the status {status!r} is none of {', '.join(STATUSES)}")
    return measured


_kept: dict[Source, Dataset] = {}


def loaded(source: Source) -> Dataset:
    """A data set, loaded once for the tasks of a process that need it one after another.

    Long tasks come in the order of their length, so that several data sets are needed in turns:
    the last ones are kept, at most `KEPT_MB` of them.
    """
    data = _kept.pop(source, None) or source.load()
    _kept[source] = data
    while len(_kept) > 1 and sum(map(_size_mb, _kept.values())) > KEPT_MB:
        del _kept[next(iter(_kept))]
    return data


def _size_mb(data: Dataset) -> float:
    return data.X.memory_usage(index=False).sum() / 1e6


def _someone_watches() -> bool:
    """Whether a progress bar has a terminal or a JupyterLab to be drawn in.

    In a notebook executed without one, by papermill or nbval, every step of the bar would be
    saved as an output of its own.
    """
    return sys.stderr.isatty() or in_jupyterlab()
