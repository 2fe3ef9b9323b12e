"""Whether committed rows come out again when they are recomputed."""

import math
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from minority_reports import paths
from minority_reports.experiments.jobs import compute, jobs_of
from minority_reports.experiments.plan import Paper
from minority_reports.experiments.runner import _missing, _reachable, compare
from minority_reports.experiments.settings import Settings
from minority_reports.experiments.store import TASK, Store


@dataclass(frozen=True)
class Agreement:
    """The comparison of recomputed rows with stored ones, for one experiment."""

    experiment: str
    rows: pd.DataFrame
    unavailable: tuple[str, ...] = ()
    #: Number of stored tasks that were not considered because they take too long.
    left_out: int = 0
    #: Why methods were not considered: packages that are not installed.
    not_installed: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """Number of rows recomputed."""
        return len(self.rows)

    @property
    def identical(self) -> int:
        """Number of rows equal to the last stored digit."""
        return int(self.rows["identical"].sum())

    @property
    def agreeing(self) -> int:
        """Number of rows equal within the tolerance stated for other machines."""
        return int(self.rows["agrees"].sum())

    def counted(self) -> dict:
        """The numbers of rows, and all of it as text, for a file."""
        counts = {name: getattr(self, name) for name in ("compared", "agreeing", "identical")}
        return counts | {"text": str(self)}

    def __str__(self) -> str:
        text = f"{self.experiment}: nothing compared"
        if self.compared:
            text = f"{self.experiment}: {self.agreeing} of {self.compared} rows agree"
            text += f", {self.identical} identical"
        if self.left_out:
            text += f" (left out as too long: {self.left_out:,} tasks)"
        if self.not_installed:
            text += f" (not computed here: {'; '.join(self.not_installed)})"
        if self.unavailable:
            text += f" (data not reachable here: {', '.join(self.unavailable)})"
        return text


def verify(
    paper: Paper,
    *,
    sample: int | None = None,
    at_most: float | None = None,
    seed: int = 0,
    n_jobs: int = -1,
    folder: Path | None = None,
    progress: bool = True,
) -> list[Agreement]:
    """Recompute stored rows of every experiment of a paper and compare; nothing is written.

    ``sample`` tasks are drawn at random (with ``seed``) from all that are stored, whatever the
    seed of their splits; without it the
    quick selection is recomputed, which is the same on every machine. Tasks that took more than
    ``at_most`` seconds when they were stored are left out, and counted.
    """
    settings = Settings(paper, n_jobs=n_jobs)
    agreements = []
    for experiment in paper.experiments.values():
        store = Store.of(experiment, folder or paths.results())
        stored, timings = store.rows(), store.timings()
        sources = {name: settings.source(name) for name in experiment.datasets}
        hashes, unavailable = _reachable(experiment.datasets, settings)
        seeds = [0] if sample is None else sorted({0, *stored["seed"]})
        tasks = [task for s in seeds for task in experiment.tasks(seed=s)]
        if sample is None:
            tasks = [t for t in tasks if experiment.is_quick(t)]
        missing = set(_missing(tasks, experiment.keys(tasks, hashes.get), stored))
        tasks = [t for t in tasks if t not in missing and t.dataset not in unavailable]
        absent = {t.method: experiment.methods[t.method].not_installed for t in tasks}
        tasks = [t for t in tasks if not absent[t.method]]
        considered = len(tasks)
        if at_most is not None:
            took = timings.set_index(list(TASK))["seconds"].to_dict()
            tasks = [t for t in tasks if took.get(astuple(t), math.inf) <= at_most]
        left_out = considered - len(tasks)
        if sample is not None:
            chosen = np.random.default_rng(seed).permutation(len(tasks))[:sample]
            tasks = [tasks[i] for i in sorted(chosen)]
        jobs = jobs_of(experiment, tasks, sources, timings)
        rows = [
            row
            for _, rows, _ in compute(jobs, n_jobs=settings.n_jobs, progress=progress)
            for row in rows
        ]
        again = store.as_stored(rows)
        agreements.append(
            Agreement(
                experiment.name,
                compare(stored, again, experiment),
                tuple(unavailable),
                left_out,
                tuple(filter(None, absent.values())),
            )
        )
    return agreements
