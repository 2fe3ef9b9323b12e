"""The wrapper on a Dask cluster beside the same tasks in turn, measured now."""

import time
from dataclasses import replace

import pandas as pd

from minority.experiments import Settings, Task, compute, stratified_folds
from minority.papers.sampling_wrapper._protocol import TIMING
from minority.report import Table, show


def cluster_study(settings: Settings, name: str = "segment", n_workers: int = 2) -> Table:
    """Seconds for ten folds of wrapper-AUROC with both learners, in turn and on a local cluster.

    A task is a whole outer fold. The cluster is started and given a first task beforehand, so
    that loading programs does not count.
    """
    from distributed import LocalCluster

    experiment = replace(TIMING, folds=10, split=stratified_folds)
    tasks = experiment.tasks(datasets=[name])
    first = [Task(name, method, 0, 0, 0) for method in experiment.methods]
    sources = {name: settings.source(name)}

    def seconds(chosen, **where):
        started = time.perf_counter()
        done = list(compute(experiment, chosen, sources, progress=False, **where))
        failed = [row["message"] for rows, _ in done for row in rows if row["status"] != "ok"]
        if failed:
            raise RuntimeError(failed[0])
        return time.perf_counter() - started

    seconds(first)
    in_turn = seconds(tasks)
    with LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        seconds(first * n_workers, cluster=cluster.scheduler_address)
        spread = seconds(tasks, cluster=cluster.scheduler_address)
    lines = {"in turn": in_turn, f"Dask, {n_workers} workers": spread}
    frame = pd.DataFrame({"seconds": lines})
    frame["times faster"] = in_turn / frame["seconds"]
    caption = (
        f"{len(tasks)} folds of wrapper-AUROC on {name} (this machine, now). The paper's pool was "
        "about 30 times faster than one machine; how many it had is not said."
    )
    return show(frame, caption=caption, digits=2)
