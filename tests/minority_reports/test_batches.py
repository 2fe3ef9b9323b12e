"""Papermill batches as people run them: from anywhere, twice at once, stopped, on a full disk."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest

import toy
from minority_reports.cli import main
from minority_reports.experiments import Settings, run

_FIRST = 'datasets: str = "all"  # a comma list\ncompute: str = "missing"  # what to compute'
_REST = """\
import os
import resource
import toy
from minority_reports.experiments import Settings, run, summary
if limit := int(os.environ.get("MOST_BYTES", "0")):  # of a file, as if the disk were full
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
settings = Settings.from_notebook(toy.paper(), globals())
print(summary({"table1": run(toy.experiment(), settings)}))"""


@pytest.fixture
def folder(tmp_path):
    """An empty folder with a blank in its name, and beside it a notebook of the toy paper."""
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(_FIRST, metadata={"tags": ["parameters"]}),
            nbformat.v4.new_code_cell(_REST),
        ],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    nbformat.write(notebook, tmp_path / "99_toy.ipynb")
    (tmp_path / "an empty folder").mkdir()
    return tmp_path / "an empty folder"


def start(folder, *arguments, results="my rows", **env):
    """Papermill in that folder, with a relative folder for the rows."""
    known = os.environ.get("PYTHONPATH", "")
    env = {
        "PYTHONPATH": os.pathsep.join([str(Path(toy.__file__).parent), known]),
        "MINORITY_RESULTS": results,
        **env,
    }
    command = [sys.executable, "-m", "papermill", "../99_toy.ipynb", "out.ipynb", "-k", "python3"]
    return subprocess.Popen(
        [*command, *arguments],
        cwd=folder,
        env=os.environ | env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # a process started in the background may have been told to ignore the interrupt
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    )


PATIENCE = 600  # seconds after which something hangs, however busy the machine is


def finish(process) -> str:
    """What the batch says about an error; empty if there is none."""
    _, error = process.communicate(timeout=PATIENCE)
    return error if process.returncode else ""


def wait_for_rows(file, process, rows):
    for _ in range(PATIENCE * 20):
        if file.exists() and file.read_text().count("\n") > rows:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("no rows appeared")


@pytest.fixture
def expected(tmp_path):
    """The bytes that every batch has to end with."""
    paper = toy.paper()
    run(paper.experiments["table1"], Settings(paper, compute="missing"), folder=tmp_path / "whole")
    return (tmp_path / "whole" / "toy-table1.csv").read_bytes()


def test_a_relative_results_folder_is_where_the_batch_was_started(folder, expected):
    assert not finish(start(folder))
    assert (folder / "my rows" / "toy-table1.csv").read_bytes() == expected
    assert sorted(p.name for p in folder.iterdir()) == ["my rows", "out.ipynb"]


def test_a_parameter_that_the_notebook_has_not_is_refused_with_near_matches(folder):
    error = finish(start(folder, "-p", "dataset", "iris0"))
    assert "99_toy has no parameter 'dataset'. Did you mean 'datasets'" in error
    assert not (folder / "my rows").exists()


def test_parameters_are_text_that_is_never_run(folder):
    error = finish(start(folder, "-p", "datasets", "__import__('os').mkdir('harm')"))
    assert "UnknownDatasetError" in error
    assert not (folder / "harm").exists()


def test_of_two_batches_at_once_one_is_told_to_wait_and_nothing_is_lost(folder, expected):
    first = start(folder, TOY_SECONDS="0.5")
    rows = folder / "my rows" / "toy-table1.csv"
    wait_for_rows(rows, first, 2)
    # Its kernel is held, so that it has not ended, however slowly the other one starts.
    held = psutil.Process(first.pid).children(recursive=True)
    for child in held:
        child.suspend()
    error = finish(start(folder))
    for child in held:
        child.resume()
    assert "another run is writing the rows" in error
    assert "set MINORITY_RESULTS to another folder" in error
    assert not finish(first)
    assert rows.read_bytes() == expected


def test_a_full_disk_is_named_and_the_batch_can_go_on(folder, expected):
    error = finish(start(folder, MOST_BYTES="2500"))
    assert "Rows written before are kept; free some space" in error
    rows = folder / "my rows" / "toy-table1.csv"
    assert rows.read_bytes().count(b"\n") > 2
    assert not finish(start(folder))
    assert rows.read_bytes() == expected


def test_an_interrupted_batch_stops_cleanly_and_goes_on_later(folder, expected):
    process = start(folder, TOY_GATE=str(folder / "never"))
    rows = folder / "my rows" / "toy-table1.csv"
    wait_for_rows(rows, process, 2)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does, to all that the batch has started
    error = finish(process)
    # the kernel's word, or papermill's if the kernel had no time to answer
    assert "KeyboardInterrupt" in error or "Aborted!" in error
    lines = rows.read_text().splitlines()
    assert 2 < len(lines) < 49
    assert lines[1:] == sorted(lines[1:]), "and the file is left in order"
    assert not finish(start(folder))
    assert rows.read_bytes() == expected


def test_a_read_only_folder_is_found_out_before_anything_runs(tmp_path, monkeypatch):
    from click.testing import CliRunner

    def refuse(**_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    answer = CliRunner().invoke(main, ["run", "03", "--output", str(tmp_path)])
    assert answer.exit_code == 1
    assert "Read-only file system. Give another folder with --output." in answer.output
    assert not list(tmp_path.iterdir())
