"""The same plan on a Dask cluster: identical rows, and nothing lost with a worker or scheduler."""

import threading
import time

import pytest

import test_extra
import toy
from minority_reports.experiments import ClusterError, Settings, run

distributed = pytest.importorskip("distributed", reason="clusters need the package distributed")


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
