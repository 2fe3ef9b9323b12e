"""How much faster more workers are, measured here and reckoned for a hundred.

    python tests/benchmarks/bench_cluster.py [measure]

Measured: tasks of about a second and tasks of a fraction of a second, computed with 1 and 2
processes and with 1 and 2 Dask workers, in turns; the median of the rounds' ratios counts. What
others do on the machine meanwhile is noted. Without `measure` only the reckoning is renewed.

Reckoned: from the seconds that all tasks of a paper took (data/results/timings), what 100 workers
would need for them by list scheduling, each task going to the first worker that is free. As the
runner has it, the tasks of all experiments are handed out together, the longest first, and long
ones are divided by their settings, where those are independent. Timings are those of tasks: a
setting is taken to be an equal share of its task, and beside it to be half of it (`uneven`).
Stored seconds are those of a machine that was busy with other things at times, and the first task
of a run compiles its kernels: a second reckoning has each task at the median of those of the same
method and data set. Written to data/results/cluster_growth.csv.
"""

import heapq
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import astuple, replace
from pathlib import Path

import pandas as pd
from distributed import LocalCluster

from minority_reports import paths
from minority_reports.experiments import Settings, Store, jobs_of, run
from minority_reports.experiments.jobs import in_order
from minority_reports.experiments.store import TASK
from minority_reports.papers import papers

PAPER, EXPERIMENT = "box_drawings", "table5"
#: What is measured, and how many of its folds.
SELECTIONS = {
    "about a second": ("adaboost", "glass2,ecoli4,yeast3,abalone9-18", 3),
    "a fraction of a second": ("fast-boxes,c45", "glass2,ecoli4,yeast3,abalone9-18", 10),
}
ROUNDS = 3
MANY = 100
#: More processes than this that want a core, besides ours, make the measurement a shared one.
QUIET = 0.5
FILE = paths.root() / "data" / "results" / "cluster_growth.csv"


def seconds_of(selection: tuple, folds: int = 0, **where) -> tuple[float, int]:
    """Seconds for computing a selection into an empty folder, and its number of keys."""
    paper = papers()[PAPER]
    methods, datasets, most = selection
    chosen = {"methods": methods, "datasets": datasets, "folds": folds or most}
    settings = Settings(paper, compute="missing", **chosen, **where)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        results = run(paper.experiments[EXPERIMENT], settings, folder=Path(folder))
        return time.perf_counter() - start, len(results.rows)


def measured() -> list[dict]:
    """Keys per second on this machine, and how many times one process."""
    load = os.getloadavg()[0]
    note = f"machine shared, load {load:.1f} before" if load > QUIET else "machine quiet before"
    took = {}
    with ExitStack() as held:
        ways = {("processes", n): {"n_jobs": n} for n in (1, 2)}
        for n in (1, 2):
            given = {"threads_per_worker": 1, "dashboard_address": None}
            cluster = held.enter_context(LocalCluster(n_workers=n, **given))
            ways["Dask workers", n] = {"cluster": cluster.scheduler_address}
        for where in ways.values():  # load modules, kernels and data; processes are kept
            for selection in SELECTIONS.values():
                seconds_of(selection, folds=1, **where)
        for _ in range(ROUNDS):
            for way, where in ways.items():
                for name, selection in SELECTIONS.items():
                    seconds, keys = seconds_of(selection, **where)
                    took.setdefault((name, *way), []).append(seconds)
                    took[name, "keys"] = keys
    rows = []
    for name, (methods, datasets, folds) in SELECTIONS.items():
        what = f"{name}: {EXPERIMENT} of {PAPER}, {methods} on {datasets}, {folds} folds"
        for how, workers in ways:
            ours, keys = took[name, how, workers], took[name, "keys"]
            by_one = zip(took[name, how, 1], ours, strict=True)
            by_process = zip(took[name, "processes", 1], ours, strict=True)
            rows.append(
                {
                    "part": "measured",
                    "what": what.replace(",", " "),
                    "how": how,
                    "workers": workers,
                    "keys": keys,
                    "seconds": min(ours),
                    "keys_per_s": keys / min(ours),
                    "speed_up": statistics.median(one / each for one, each in by_one),
                    "of_one_process": statistics.median(one / each for one, each in by_process),
                    "note": note,
                }
            )
    return rows


def list_schedule(seconds: list[float], workers: int) -> float:
    """When all is done if each task in turn goes to the first worker that is free."""
    free = [0.0] * workers
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)


def stored_jobs(paper, *, typical: bool) -> list:
    """The stored tasks of each experiment of a paper as jobs, at the seconds that they took.

    If `typical`, at the median of what is stored of the same method and data set.
    """
    found = []
    for experiment in paper.experiments.values():
        timings = Store.of(experiment, paths.results()).timings()
        took = timings.set_index(list(TASK))["seconds"].dropna().to_dict()
        tasks = [task for task in experiment.tasks() if astuple(task) in took]
        sources = dict.fromkeys(experiment.datasets)
        jobs = jobs_of(experiment, tasks, sources, timings)
        if typical:
            alike = timings.groupby(["dataset", "method"])["seconds"].median().to_dict()
            jobs = [replace(j, seconds=alike[j.task.dataset, j.task.method]) for j in jobs]
        found.append(jobs)
    return found


def of_parts(jobs: list, *, uneven: bool = False) -> list[float]:
    """Seconds of the parts in the order in which they begin: equal shares, or one of a half."""
    seconds, seen = [], set()
    for number, _ in in_order(jobs, divided=True):
        n_parts = len(jobs[number].parts)
        share = 1 / n_parts
        if uneven and n_parts > 1:
            share = 0.5 / (n_parts - 1) if number in seen else 0.5
        seen.add(number)
        seconds.append(jobs[number].seconds * share)
    return seconds


def on_paper(workers: int = MANY, *, typical: bool = False) -> list[dict]:
    """What many workers would need for all stored tasks of each paper."""
    table = []
    for paper in papers().values():
        by_experiment = stored_jobs(paper, typical=typical)
        jobs = [job for jobs in by_experiment for job in jobs]
        if not jobs:
            continue
        keys = sum(len(job.experiment.settings) for job in jobs)
        total = sum(job.seconds for job in jobs)
        parts = of_parts(jobs)
        longest = max(jobs, key=lambda job: job.seconds / len(job.parts))
        task = longest.task
        ends = list_schedule(parts, workers)
        one_by_one = sum(
            list_schedule([j.seconds for j in each], workers) for each in by_experiment
        )
        whole = list_schedule(sorted((job.seconds for job in jobs), reverse=True), workers)
        uneven = list_schedule(of_parts(jobs, uneven=True), workers)
        name = longest.experiment.name
        table.append(
            {
                "part": "on paper, typical seconds" if typical else "on paper",
                "what": f"all tasks of {paper.name}",
                "how": "workers",
                "workers": workers,
                "keys": keys,
                "seconds": ends,
                "keys_per_s": keys / ends,
                "speed_up": total / ends,
                "uneven": total / uneven,
                "undivided": total / whole,
                "one_by_one": total / one_by_one,
                "bound_s": max(total / workers, *parts),
                "longest_s": max(parts),
                "longest_task": f"{name}: {task.method} on {task.dataset} repeat {task.repeat} "
                f"fold {task.fold} in {len(longest.parts)} parts",
                "note": f"{len(jobs)} tasks of {total:.0f} s in all; {len(parts)} parts",
            }
        )
    return table


if __name__ == "__main__":
    old = pd.read_csv(FILE)
    kept = old[old["part"] == "measured"].to_dict("records")
    rows = measured() if "measure" in sys.argv[1:] else kept
    table = pd.DataFrame(rows + on_paper() + on_paper(typical=True))
    numbers = dict.fromkeys(("keys_per_s", "speed_up", "uneven", "undivided", "one_by_one"), 2)
    numbers |= {"seconds": 1, "bound_s": 1, "longest_s": 1, "of_one_process": 2}
    table = table.round(numbers)
    table.to_csv(FILE, index=False, lineterminator="\n")
    print(table.drop(columns=["what", "note", "how"]).to_string(index=False))
