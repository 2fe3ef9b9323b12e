"""The same plan on a real Slurm: identical rows, whatever is killed meanwhile. Run by `make slurm`.

What was compared is written to data/results/slurm_comparison.csv if every comparison was made.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import slurm_here
import toy
from minority import RLSDClassifier
from minority_reports import paths
from minority_reports.experiments import ClusterError, Settings, run

pytestmark = pytest.mark.slurm
jobqueue = pytest.importorskip("dask_jobqueue", reason="needs the package dask-jobqueue")
if slurm_here.absent():
    pytest.skip(
        f"not installed: {', '.join(slurm_here.absent())} (Debian: {slurm_here.INSTALL})",
        allow_module_level=True,
    )

import distributed  # noqa: E402

WORKERS = 2
CASES = 5
TOY_ROWS = 48
#: Rows of a real protocol that are computed again, by how their lines begin.
DATASETS = ("glass2", "ecoli4")
DROPPED = tuple(f"{d},{m},".encode() for d in DATASETS for m in ("fast-boxes", "cart", "c45"))


@pytest.fixture(scope="module")
def slurm():
    with slurm_here.SlurmHere() as slurm:
        yield slurm


@pytest.fixture(scope="module")
def log():
    """What was compared, written when all of it was."""
    cases = []
    yield cases
    if len(cases) == CASES:
        versions = {
            "slurm": slurm_here.version(),
            "dask": distributed.__version__,
            "dask_jobqueue": jobqueue.__version__,
        }
        table = pd.DataFrame(cases).assign(**versions).sort_values("case")
        file = paths.root() / "data" / "results" / "slurm_comparison.csv"
        table.to_csv(file, index=False, lineterminator="\n")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The rows of the toy paper, computed here without a cluster."""
    folder = tmp_path_factory.mktemp("expected")
    run_toy(folder)
    return (folder / "toy-table1.csv").read_bytes()


@pytest.fixture
def start_cluster(slurm, tmp_path, monkeypatch):
    """A function that starts a Dask scheduler here and workers as jobs of Slurm."""
    monkeypatch.setenv("TOY_SECONDS", "1")
    path = [str(Path(toy.__file__).parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
    started = []

    def start():
        cluster = jobqueue.SLURMCluster(
            cores=1,
            memory="1GB",
            walltime="00:20:00",
            log_directory=str(tmp_path),
            local_directory=str(tmp_path),
            interface="lo",  # one machine: nothing leaves it
            scheduler_options={"dashboard_address": None},
        )
        started.append(cluster)
        cluster.scale(jobs=WORKERS)
        slurm_here.wait_until(lambda: len(cluster.scheduler.workers) == WORKERS, "workers", 120)
        return cluster

    yield start
    for cluster in started:
        cluster.close()
    slurm_here.wait_until(lambda: not slurm.jobs(), "no jobs left", 60)


def run_toy(folder, cluster=""):
    paper = toy.paper()
    settings = Settings(paper, compute="missing", n_jobs=1, cluster=cluster)
    return run(paper.experiments["table1"], settings, folder=folder)


def in_the_middle(path, action):
    """Do something once some rows are on disk; how many were missing before and after it."""
    missing = []

    def wait():
        slurm_here.wait_until(lambda: path.exists() and _rows(path.read_bytes()) >= 8, "rows", 120)
        missing.append(TOY_ROWS - _rows(path.read_bytes()))
        action()
        missing.append(TOY_ROWS - _rows(path.read_bytes()))

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread, missing


def _rows(content: bytes) -> int:
    return content.count(b"\n") - 1


def note(log, case, ours: bytes, theirs: bytes, computed=TOY_ROWS):
    """Compare two files of rows byte by byte, and keep what came out."""
    same = len(set(ours.splitlines()) & set(theirs.splitlines())) - 1
    counts = {"computed": computed, "rows": _rows(theirs), "identical": same}
    log.append({"case": case, **counts, "same_file": ours == theirs})
    assert ours == theirs


def test_rows_are_identical(slurm, start_cluster, tmp_path, expected, log):
    cluster = start_cluster()
    assert len(slurm.jobs()) == WORKERS
    assert run_toy(tmp_path, cluster.scheduler_address).computed == 24
    with distributed.Client(cluster) as client:
        done = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(done.values()) == 24 and min(done.values()) > 0, "nothing was computed elsewhere"
    note(log, "undisturbed", (tmp_path / "toy-table1.csv").read_bytes(), expected)


def test_a_killed_job_costs_nothing(slurm, start_cluster, tmp_path, expected, log):
    path = tmp_path / "toy-table1.csv"
    cluster = start_cluster()
    victim = slurm.jobs()[0]
    thread, missing = in_the_middle(path, lambda: slurm.kill_job(victim))
    run_toy(tmp_path, cluster.scheduler_address)
    thread.join()
    assert min(missing) > 0 and victim not in slurm.jobs()
    note(log, "a worker's job killed", path.read_bytes(), expected)


def test_a_killed_controller_costs_nothing(slurm, start_cluster, tmp_path, expected, log):
    path = tmp_path / "toy-table1.csv"
    cluster = start_cluster()
    jobs = slurm.jobs()

    def restart():
        slurm.kill_controller()
        time.sleep(1)
        slurm.start_controller()

    thread, missing = in_the_middle(path, restart)
    run_toy(tmp_path, cluster.scheduler_address)
    thread.join()
    assert min(missing) > 0 and slurm.jobs() == jobs
    note(log, "slurmctld killed and restarted", path.read_bytes(), expected)


def test_a_lost_dask_scheduler_costs_what_was_in_flight(start_cluster, tmp_path, expected, log):
    path = tmp_path / "toy-table1.csv"
    lost = start_cluster()
    thread, missing = in_the_middle(path, lambda: lost.sync(lost.scheduler.close))
    with pytest.raises(ClusterError, match="run again to go on"):
        run_toy(tmp_path, lost.scheduler_address)
    thread.join()
    survived = _rows(path.read_bytes())
    assert min(missing) > 0 and 8 <= survived < TOY_ROWS
    lost.close()
    again = run_toy(tmp_path, start_cluster().scheduler_address)
    assert again.computed == 24 - survived // 2
    note(log, "Dask scheduler lost, run again", path.read_bytes(), expected)


def test_a_killed_job_changes_no_model_of_a_table(slurm, start_cluster, tmp_path):
    """Two workers read a table in passes, and the job of one is killed in the middle of them."""
    dataframes = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": rng.normal(size=400).round(1), "hour": rng.integers(0, 9, 400)})
    frame["fraud"] = (frame["amount"] > 0.8).astype(int)
    reads, read_before, n_parts, n_passes = tmp_path / "reads", [], 8, 5
    reads.mkdir()

    def read(part):
        (reads / f"{part}-{time.time_ns()}").touch()
        time.sleep(0.3)
        return frame.iloc[50 * part : 50 * part + 50]

    def kill():
        slurm_here.wait_until(lambda: len(list(reads.iterdir())) > 1.5 * n_parts, "a pass", 120)
        slurm.kill_job(victim)
        read_before.append(len(list(reads.iterdir())))

    cluster = start_cluster()
    victim = slurm.jobs()[0]
    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    with distributed.Client(cluster):
        table = dataframes.from_map(read, range(n_parts), meta=frame.iloc[:0])
        model = RLSDClassifier(random_state=0).fit(table, "fraud")
    thread.join()
    assert read_before[0] < n_passes * n_parts <= len(list(reads.iterdir()))
    expected = RLSDClassifier(random_state=0).fit(frame.drop(columns="fraud"), frame["fraud"])
    assert model.to_text() == expected.to_text()


def test_the_commands_in_the_readme_give_the_committed_rows(slurm, tmp_path, log, monkeypatch):
    """Some committed rows are dropped; what Slurm computes in their place makes the same file."""
    results = shutil.copytree(paths.root() / "data" / "results", tmp_path / "results")
    monkeypatch.setenv("MINORITY_RESULTS", str(results))
    path = results / "box_drawings-table5.csv"
    committed = path.read_bytes()
    lines = committed.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(DROPPED)]
    path.write_bytes(b"".join(kept))

    readme = (paths.root() / "README.md").read_text()
    port = str(slurm_here.free_ports(1)[0])
    script = next(b for b in re.findall(r"```python\n(.*?)```", readme, re.S) if "SLURM" in b)
    command = re.search(r"^minority (run .* -p cluster .*)$", readme, re.M)[1].replace("8786", port)
    python = {"cwd": tmp_path, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    workers = subprocess.Popen(
        [sys.executable, "-c", script.replace("8786", port)], stdin=subprocess.PIPE, **python
    )
    try:
        chosen = ["--datasets", ",".join(DATASETS), "--output", str(tmp_path)]
        batch = subprocess.run(
            [sys.executable, "-m", "minority_reports", *command.split(), *chosen],
            timeout=600,
            **python,
        )
    finally:
        said, _ = workers.communicate("\n", timeout=120)
    assert batch.returncode == 0, batch.stdout
    assert workers.returncode == 0, said
    assert list(tmp_path.glob("data/runs/slurm/dask-worker-*.err")), "a job did the work"
    slurm_here.wait_until(lambda: not slurm.jobs(), "no jobs left", 60)
    now = path.read_bytes()
    note(log, "committed rows of Box Drawings", now, committed, len(lines) - len(kept))
