"""Keys per second with more workers, measured here and reckoned for a hundred.

    python tests/benchmarks/bench_cluster.py

One selection of a real protocol is computed with 1 and 2 processes and with 1 and 2 Dask workers,
in turns, and the best of the rounds counts. Then, from the seconds that all tasks of a paper took
(data/results/timings), what 100 workers would need for them: at least the total divided by 100 and
at least the longest task, and with the tasks handed out in the order of the plan, one experiment
after the other as the notebooks do, the time of list scheduling. Written to
data/results/cluster_growth.csv; if others use the machine meanwhile, the file says so.
"""

import heapq
import os
import tempfile
import time
from pathlib import Path

import pandas as pd
from distributed import LocalCluster

from minority_reports import paths
from minority_reports.experiments import Settings, Store, run
from minority_reports.papers import papers

PAPER, EXPERIMENT = "box_drawings", "table5"
DATASETS = "glass2,ecoli4,yeast3,abalone9-18"
METHODS = "fast-boxes,c45"
ROUNDS = 2
MANY = 100
#: More processes than this that want a core, besides ours, make the measurement a shared one.
QUIET = 0.5


def seconds_of(n_jobs: int = 1, cluster: str = "", **selection) -> tuple[float, int]:
    """Seconds for computing a selection into an empty folder, and its number of keys."""
    paper = papers()[PAPER]
    settings = Settings(
        paper, methods=METHODS, n_jobs=n_jobs, cluster=cluster, compute="missing", **selection
    )
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        results = run(paper.experiments[EXPERIMENT], settings, folder=Path(folder))
        return time.perf_counter() - start, len(results.rows)


def measured() -> list[dict]:
    """Keys per second of the selection on this machine."""
    load = os.getloadavg()[0]
    note = f"machine shared, load {load:.1f} before" if load > QUIET else "machine quiet before"
    best, n_keys = {}, 0
    for _ in range(ROUNDS):
        for workers in (1, 2):
            # the first call loads modules, kernels and data; joblib keeps its processes
            seconds_of(workers, datasets=DATASETS, folds=1)
            took, n_keys = seconds_of(workers, datasets=DATASETS)
            best["processes", workers] = min(took, best.get(("processes", workers), took))
            with LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            ) as cluster:
                address = cluster.scheduler_address
                seconds_of(cluster=address, datasets=DATASETS, folds=1)
                took, n_keys = seconds_of(cluster=address, datasets=DATASETS)
            best["Dask workers", workers] = min(took, best.get(("Dask workers", workers), took))
    what = f"{EXPERIMENT} of {PAPER}: {METHODS} on {DATASETS}".replace(",", " ")
    return [
        {
            "part": "measured",
            "what": what,
            "how": how,
            "workers": workers,
            "keys": n_keys,
            "seconds": took,
            "keys_per_s": n_keys / took,
            "speed_up": best["processes", 1] / took,
            "note": note,
        }
        for (how, workers), took in sorted(best.items())
    ]


def list_schedule(seconds: list[float], workers: int) -> float:
    """When all is done if each task in turn goes to the first worker that is free."""
    free = [0.0] * workers
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)


def on_paper(workers: int = MANY) -> list[dict]:
    """What many workers would need for all stored tasks of each paper."""
    table = []
    for paper in papers().values():
        keys, ends, tasks = 0, 0.0, []
        for experiment in paper.experiments.values():
            store = Store.of(experiment, paths.results())
            columns = ["dataset", "method", "repeat", "fold", "seed"]
            took = store.timings().set_index(columns)["seconds"].to_dict()
            plan = [
                ((t.dataset, t.method, t.repeat, t.fold, t.seed), experiment.name)
                for t in experiment.tasks()
            ]
            known = [(took[task], name, task) for task, name in plan if task in took]
            keys += len(known) * len(experiment.settings)
            ends += list_schedule([seconds for seconds, *_ in known], workers)
            tasks += known
        if not tasks:
            continue
        longest, name, (dataset, method, repeat, fold, _) = max(tasks)
        total = sum(seconds for seconds, *_ in tasks)
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
                "bound_s": max(total / workers, longest),
                "longest_s": longest,
                "longest_task": f"{name}: {method} on {dataset} repeat {repeat} fold {fold}",
                "note": f"{len(tasks)} tasks of {total:.0f} s in all",
            }
        )
    return table


if __name__ == "__main__":
    table = pd.DataFrame(measured() + on_paper())
    numbers = {"seconds": 1, "bound_s": 1, "longest_s": 1, "keys_per_s": 2, "speed_up": 2}
    table = table.round(numbers)
    file = paths.root() / "data" / "results" / "cluster_growth.csv"
    table.to_csv(file, index=False, lineterminator="\n")
    print(table.drop(columns=["what", "note"]).to_string(index=False))
