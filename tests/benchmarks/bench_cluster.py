"""How much faster more workers are, measured here and reckoned for a hundred.

    python tests/benchmarks/bench_cluster.py [measure] [again]

Measured: tasks of about a second and tasks of a fraction of a second, computed with 1 and 2
processes and with 1 and 2 Dask workers, in turns; the median of the rounds' ratios counts. What
others do on the machine meanwhile is noted. Without `measure` only the reckoning is renewed.

Reckoned: from the seconds that all tasks of a paper took (data/results/timings), what 100 workers
would need for them by list scheduling, each task going to the first worker that is free. As the
runner has it, the tasks of all experiments are handed out together, the longest first, and long
ones are divided where their method says how. Timings are those of tasks: a part is taken to be an
equal share of its task; under `uneven` one part is half of it. Under `undivided` all is as it is
but for the division, under `one_by_one` the experiments come one after the other, in the order of
the plan.

Some stored seconds are those of a machine that did other things at the time, or of a task that
compiled its kernels. Those without which `WANTED` cannot be reached are measured with `again`, in
processor seconds, and kept in data/results/cluster_again.csv; the reckoning takes these. Under
`as_stored` it is without them, under `typical` each task takes the median of what is stored of its
method and data set. All else is written to data/results/cluster_growth.csv.
"""

import heapq
import os
import resource
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict, astuple, replace
from pathlib import Path

import pandas as pd
from distributed import LocalCluster

from minority_reports import paths
from minority_reports.experiments import Settings, Store, compare, compute, jobs_of, run
from minority_reports.experiments.jobs import in_order, loaded
from minority_reports.experiments.store import CUT_OFF, TASK
from minority_reports.papers import papers

PAPER, EXPERIMENT = "box_drawings", "table5"
#: What is measured, and how many of its folds.
SELECTIONS = {
    "about a second": ("adaboost", "glass2,ecoli4,yeast-2_vs_8", 6),
    "a fraction of a second": ("fast-boxes,c45", "glass2,ecoli4,yeast3,abalone9-18", 10),
}
ROUNDS = 3
MANY = 100
#: More processes than this that want a core, besides ours, make the measurement a shared one.
QUIET = 0.5
#: What many workers should bring, at least.
WANTED = 40
FILE = paths.root() / "data" / "results" / "cluster_growth.csv"
AGAIN = FILE.with_name("cluster_again.csv")


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


def again() -> dict[str, dict[tuple, float]]:
    """The seconds of the tasks that were measured again, by experiment and by task."""
    if not AGAIN.exists():
        return {}
    by_experiment = pd.read_csv(AGAIN).groupby("experiment")
    return {name: t.set_index(list(TASK))["again_s"].to_dict() for name, t in by_experiment}


def jobs_by_experiment(paper, kind: str = "again") -> list[list]:
    """The stored tasks of each experiment of a paper as jobs, at their seconds.

    Those that are "stored", "typical": the median of the same method and data set, or stored if
    they were not measured "again".
    """
    found, measured_again = [], again()
    for experiment in paper.experiments.values():
        timings = Store.of(experiment, paths.results()).timings()
        seconds = timings.set_index(list(TASK))["seconds"].dropna().to_dict()
        tasks = [task for task in experiment.tasks() if astuple(task) in seconds]
        if kind == "typical":
            alike = timings.groupby(["dataset", "method"])["seconds"].median().to_dict()
            seconds = {astuple(task): alike[task.dataset, task.method] for task in tasks}
        elif kind == "again":
            seconds |= measured_again.get(experiment.name, {})
        jobs = jobs_of(experiment, tasks, dict.fromkeys(experiment.datasets))
        found.append([replace(job, seconds=seconds[astuple(job.task)]) for job in jobs])
    return found


def processor_seconds() -> float:
    """Those of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure_again() -> None:
    """Measure the tasks that stand in the way, the longest first, unless a limit cut them off."""
    from minority._warm import warm

    warm()
    for paper in papers().values():
        while True:
            jobs = [job for jobs in jobs_by_experiment(paper) for job in jobs]
            most = sum(job.seconds for job in jobs) / WANTED
            long = [j for j in jobs if j.seconds / len(j.parts) > most and can_be_measured(j)]
            if not long:
                break
            job = max(long, key=lambda job: job.seconds / len(job.parts))
            job = replace(job, source=Settings(paper).source(job.task.dataset))
            loaded(job.source)
            before = processor_seconds()
            ((_, rows, _),) = compute([job], progress=False)
            took = processor_seconds() - before
            store = Store.of(job.experiment, paths.results())
            same = compare(store.rows(), store.as_stored(rows), job.experiment)["identical"]
            row = {"experiment": job.experiment.name} | asdict(job.task)
            row |= {"stored_s": job.seconds, "again_s": round(took, 1)}
            row |= {"identical_rows": int(same.sum()), "rows": len(rows)}
            old = pd.read_csv(AGAIN) if AGAIN.exists() else None
            table = pd.concat([old, pd.DataFrame([row])], ignore_index=True)
            table.to_csv(AGAIN, index=False, lineterminator="\n")
            print(row)


def can_be_measured(job) -> bool:
    """Whether a task was not measured again yet, and no time limit says what it takes."""
    rows = Store.of(job.experiment, paths.results()).rows()
    of_task = (rows[list(TASK)] == astuple(job.task)).all(axis=1)
    is_cut_off = (rows.loc[of_task, "status"] == CUT_OFF).any()
    return not is_cut_off and astuple(job.task) not in again().get(job.experiment.name, {})


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


def speed_up(by_experiment: list[list], workers: int) -> float:
    """How much faster all these jobs are done as the runner hands them out."""
    jobs = [job for jobs in by_experiment for job in jobs]
    return sum(job.seconds for job in jobs) / list_schedule(of_parts(jobs), workers)


def on_paper(workers: int = MANY) -> list[dict]:
    """What many workers would need for all stored tasks of each paper."""
    table = []
    for paper in papers().values():
        by_experiment = jobs_by_experiment(paper)
        jobs = [job for jobs in by_experiment for job in jobs]
        if not jobs:
            continue
        keys = sum(len(job.experiment.settings) for job in jobs)
        total = sum(job.seconds for job in jobs)
        parts = of_parts(jobs)
        longest = max(jobs, key=lambda job: job.seconds / len(job.parts))
        task = longest.task
        ends = list_schedule(parts, workers)
        in_turn = [list_schedule([job.seconds for job in each], workers) for each in by_experiment]
        whole = list_schedule(sorted((job.seconds for job in jobs), reverse=True), workers)
        table.append(
            {
                "part": "on paper",
                "what": f"all tasks of {paper.name}",
                "how": "workers",
                "workers": workers,
                "keys": keys,
                "seconds": ends,
                "keys_per_s": keys / ends,
                "speed_up": total / ends,
                "uneven": total / list_schedule(of_parts(jobs, uneven=True), workers),
                "undivided": total / whole,
                "one_by_one": total / sum(in_turn),
                "as_stored": speed_up(jobs_by_experiment(paper, "stored"), workers),
                "typical": speed_up(jobs_by_experiment(paper, "typical"), workers),
                "bound_s": max(total / workers, *parts),
                "longest_s": max(parts),
                "longest_task": f"{longest.experiment.name}: {task.method} on {task.dataset} "
                f"repeat {task.repeat} fold {task.fold}; parts: {len(longest.parts)}",
                "note": f"{len(jobs)} tasks of {total:.0f} s in all; {len(parts)} parts",
            }
        )
    return table


if __name__ == "__main__":
    if "again" in sys.argv[1:]:
        measure_again()
    old = pd.read_csv(FILE)
    kept = old[old["part"] == "measured"].to_dict("records")
    rows = measured() if "measure" in sys.argv[1:] else kept
    table = pd.DataFrame(rows + on_paper())
    ratios = ("keys_per_s", "speed_up", "of_one_process", "uneven", "undivided", "one_by_one")
    numbers = dict.fromkeys((*ratios, "as_stored", "typical"), 2)
    table = table.round(numbers | dict.fromkeys(("seconds", "bound_s", "longest_s"), 1))
    table.to_csv(FILE, index=False, lineterminator="\n")
    print(table.drop(columns=["what", "note", "how"]).to_string(index=False))
