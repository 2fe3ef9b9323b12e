"""Whether committed rows come out again when they are recomputed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from minority import paths
from minority.experiments._plan import Paper
from minority.experiments._run import _missing, _reachable, compare, compute
from minority.experiments._settings import Settings
from minority.experiments._store import Store


@dataclass(frozen=True)
class Agreement:
    """The comparison of recomputed rows with stored ones, for one experiment."""

    experiment: str
    rows: pd.DataFrame
    unavailable: tuple[str, ...] = ()

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

    def __str__(self) -> str:
        text = f"{self.experiment}: {self.agreeing} of {self.compared} rows agree"
        if self.compared:
            text += f", {self.identical} identical"
        if self.unavailable:
            text += f" (data not reachable here: {', '.join(self.unavailable)})"
        return text


def verify(
    paper: Paper,
    *,
    sample: int | None = None,
    seed: int = 0,
    n_jobs: int = -1,
    folder: Path | None = None,
    progress: bool = True,
) -> list[Agreement]:
    """Recompute stored rows of every experiment of a paper and compare; nothing is written.

    ``sample`` tasks are drawn at random (with ``seed``) from all that are stored; without it the
    quick selection is recomputed, which is the same on every machine.
    """
    settings = Settings(paper)
    agreements = []
    for experiment in paper.experiments.values():
        store = Store.of(experiment, folder or paths.results())
        stored = store.rows()
        sources = {name: settings.source(name) for name in experiment.datasets}
        hashes, unavailable = _reachable(experiment.datasets, settings)
        tasks = experiment.tasks()
        missing = set(_missing(tasks, experiment.keys(tasks, hashes.get), stored))
        tasks = [t for t in tasks if t not in missing and t.dataset not in unavailable]
        if sample is None:
            tasks = [t for t in tasks if experiment.is_quick(t)]
        else:
            chosen = np.random.default_rng(seed).permutation(len(tasks))[:sample]
            tasks = [tasks[i] for i in sorted(chosen)]
        rows = [
            row
            for rows, _ in compute(experiment, tasks, sources, n_jobs=n_jobs, progress=progress)
            for row in rows
        ]
        again = store.as_stored(rows)
        agreements.append(
            Agreement(
                experiment.name,
                compare(stored, again, experiment),
                tuple(unavailable),
            )
        )
    return agreements
