"""The same plan on a Dask cluster: identical rows, and nothing lost with a worker or scheduler."""

import threading
import time
from dataclasses import replace

import pytest

import test_extra
import toy
from minority_reports.experiments import (
    ClusterError,
    Method,
    Settings,
    compute,
    jobs_of,
    run,
)

distributed = pytest.importorskip("distributed", reason="clusters need the package distributed")
dask = pytest.importorskip("dask")


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """A file that runs wait for before their last data set."""
    file = tmp_path / "gate"
    monkeypatch.setenv("TOY_GATE", str(file))
    return file


@pytest.fixture
def cluster(gate):
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


def run_toy(folder, cluster=""):
    paper = toy.paper()
    settings = Settings(paper, compute="missing", n_jobs=1, cluster=cluster)
    return run(paper.experiments["table1"], settings, folder=folder)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    run_toy(folder)
    return (folder / "toy-table1.csv").read_bytes()


def after_rows(path, rows, action):
    """Do something once a file has that many rows, in a thread of its own."""

    def wait():
        while not path.exists() or path.read_bytes().count(b"\n") <= rows:
            time.sleep(0.02)
        action()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_rows_are_identical(cluster, gate, tmp_path, expected):
    gate.touch()
    assert run_toy(tmp_path, cluster.scheduler_address).computed == 24
    assert (tmp_path / "toy-table1.csv").read_bytes() == expected


def test_a_method_from_a_file_goes_to_workers_that_have_not_the_file(cluster, tmp_path):
    file = tmp_path / "my.py"
    file.write_text(test_extra.FILE)
    paper = toy.paper(adapt=test_extra.adapt)
    given = {"datasets": "iris0", "extra_methods": f"{file}:METHODS", "compute": "missing"}
    there = Settings(paper, cluster=cluster.scheduler_address, **given)
    here = Settings(paper, n_jobs=1, **given)
    file.unlink()
    rows = []
    for name, settings in {"there": there, "here": here}.items():
        outcome = run(paper.experiments["table1"], settings, folder=tmp_path / name)
        assert outcome.failures.empty and outcome.computed == 18
        rows.append((tmp_path / name / "own" / "toy-table1.csv").read_bytes())
    assert rows[0] == rows[1] and rows[0].count(b"everything") == 12


def test_a_killed_worker_costs_nothing(cluster, gate, tmp_path, expected):
    path = tmp_path / "toy-table1.csv"
    victim = cluster.workers[0]

    def kill():
        victim.process.process._process.kill()
        gate.touch()

    thread = after_rows(path, 6, kill)
    run_toy(tmp_path, cluster.scheduler_address)
    thread.join()
    assert path.read_bytes() == expected


def test_a_lost_scheduler_costs_what_was_in_flight(cluster, gate, tmp_path, expected):
    path = tmp_path / "toy-table1.csv"
    thread = after_rows(path, 6, lambda: cluster.sync(cluster.scheduler.close))
    with pytest.raises(ClusterError, match="run again to go on"):
        run_toy(tmp_path, cluster.scheduler_address)
    thread.join()
    survived = path.read_bytes().count(b"\n") - 1
    assert 6 <= survived < 48
    gate.touch()
    assert run_toy(tmp_path).computed <= 24 - survived // 2
    assert path.read_bytes() == expected


def test_workers_may_come_late_and_find_work(gate, tmp_path, expected, capsys):
    waiting = []

    def look():
        waiting.append(len(cluster.scheduler.tasks))
        gate.touch()

    with distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        timer = threading.Timer(1, cluster.scale, [1])
        timer.start()
        thread = after_rows(tmp_path / "toy-table1.csv", 2, look)
        run_toy(tmp_path, cluster.scheduler_address)
        timer.join()
        thread.join()
    assert "waiting for the first" in capsys.readouterr().err
    assert waiting[0] > 10, "tasks for more workers than the one that was there"
    assert (tmp_path / "toy-table1.csv").read_bytes() == expected


def test_no_scheduler_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr("minority_reports.experiments.workers.CLUSTER_TIMEOUT", 0.5)
    with pytest.raises(ClusterError, match="no Dask scheduler answers at tcp"):
        run_toy(tmp_path, "tcp://127.0.0.1:9")


def test_what_kills_its_workers_is_a_failure_and_costs_the_others_nothing(gate, tmp_path):
    gate.touch()
    paper = toy.paper(methods=toy.METHODS | {"deadly": Method("Deadly", toy.deadly)})
    chosen = {"datasets": "iris0", "folds": 1, "repeats": 1, "compute": "missing", "n_jobs": 1}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),  # else 3 more have to die
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
    ):
        settings = Settings(paper, cluster=cluster.scheduler_address, **chosen)
        outcome = run(paper.experiments["table1"], settings, folder=tmp_path)
    assert len(outcome.rows) == 4 and outcome.computed == 3
    assert set(outcome.failures["method"]) == {"deadly"} and len(outcome.failures) == 2
    said = "WorkersDiedError: every worker that had it died, 1 in all: for want of memory?"
    assert set(outcome.failures["message"]) == {said}
    again = run(paper.experiments["table1"], Settings(paper, **chosen), folder=tmp_path)
    assert again.computed == 1 and again.failures.empty, "failures are tried again"


def test_parts_of_tasks_and_a_killed_worker_give_the_same_rows(cluster, gate, tmp_path):
    """Every task is divided; a worker that has some of the parts of several tasks is killed."""
    methods = toy.METHODS | {"divided": Method("Divided", toy.Divided())}
    experiment = toy.experiment(methods=methods)
    tasks = experiment.tasks(methods=["divided"])
    sources = {name: Settings(toy.paper()).source(name) for name in experiment.datasets}
    jobs = [replace(job, seconds=1e3) for job in jobs_of(experiment, tasks, sources)]
    gate.touch()
    whole = {number: rows for number, rows, _ in compute(jobs, progress=False)}
    gate.unlink()
    found = {}
    for number, rows, _ in compute(jobs, cluster=cluster.scheduler_address, progress=False):
        found[number] = rows
        if len(found) == 4:
            cluster.workers[0].process.process._process.kill()
            gate.touch()
    assert found == whole and len(whole) == 12


def test_the_longest_begin_first_also_on_a_worker_that_comes_late(gate):
    gate.touch()
    experiment = toy.experiment()
    sources = {name: Settings(toy.paper()).source(name) for name in experiment.datasets}
    jobs = jobs_of(experiment, experiment.tasks(methods=["slow"]), sources)
    seconds = (5, 0, 300, 2, 4, 1, 100, 0, 6, 20, 3, 0)
    jobs = [replace(job, seconds=float(each)) for job, each in zip(jobs, seconds, strict=True)]
    with distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        timer = threading.Timer(1, cluster.scale, [1])
        timer.start()
        done = compute(jobs, cluster=cluster.scheduler_address, progress=False)
        order = [seconds[number] for number, _, _ in done]
        timer.join()
    assert order == sorted(seconds, reverse=True)


def test_work_in_a_process_of_its_own_is_done_on_a_worker(cluster, tmp_path):
    """Workers are daemons, to which Python denies children."""
    with distributed.Client(cluster) as client:
        outcome = client.submit(toy.forked, pure=False).result()
    assert (outcome.result, outcome.error, outcome.timed_out) == (3, "", False)
