"""The command line."""

import json

import nbformat
import pytest
from click.testing import CliRunner

import minority_reports.papers
import toy
from minority_reports.cli import main
from minority_reports.experiments import Settings, run


@pytest.fixture
def cli():
    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setattr("minority_reports.paths.runs", lambda: tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def toy_only(monkeypatch):
    monkeypatch.setattr(minority_reports.papers, "papers", lambda: {"toy": toy.paper()})


def test_datasets(cli):
    answer = cli("datasets", "--source", "simulated")
    assert answer.exit_code == 0
    assert "diamond3D" in answer.output
    assert "glass2" not in answer.output
    assert "10 of 10 can be loaded here." in answer.output
    assert "214" in cli("datasets", "glass2").output


def test_help_of_a_command_is_not_an_error(cli):
    answer = cli("datasets", "--help")
    assert answer.exit_code == 0
    assert "Error" not in answer.output


def test_unknown_names_are_one_line_with_near_matches(cli):
    answer = cli("datasets", "glas2")
    assert answer.exit_code == 1
    assert "glass2" in answer.output
    assert "Traceback" not in answer.output
    assert "'box_drawings'" in cli("run", "box_drawing").output
    assert "'box_drawings'" in cli("verify", "box_drawing").output


def test_unknown_parameters_are_refused_before_anything_runs(cli, runs):
    answer = cli("run", "01", "-p", "dataset", "glass2")
    assert answer.exit_code != 0
    assert "'datasets'" in answer.output


def test_run_executes_notebooks_over_data_sets_in_one_call(cli, runs):
    answer = cli("run", "01", "--datasets", "glass2,iris0", "--each-dataset", "--compute", "none")
    assert answer.exit_code == 0, answer.output
    for name in ("glass2", "iris0"):
        notebook = nbformat.read(runs / f"01_box_drawings__{name}.ipynb", as_version=4)
        assert notebook.metadata.papermill.parameters.datasets == name


def test_a_failing_notebook_is_named_and_the_others_run(cli, runs):
    answer = cli("run", "00", "01", "-p", "papers", "box_drawings")
    assert answer.exit_code != 0  # 01 has no parameter `papers`
    assert "papers" in answer.output


def test_errors_inside_a_notebook_are_reported(cli, runs):
    answer = cli("run", "01", "--datasets", "glas2")
    assert answer.exit_code == 1
    assert "UnknownDatasetError" in answer.output
    assert "glass2" in answer.output


def test_verify_reports_and_fails_on_a_changed_row(cli, results, runs, toy_only):
    paper = toy.paper()
    run(paper.experiments["table1"], Settings(paper, compute="missing", n_jobs=1))
    answer = cli("verify", "--n-jobs", "1")
    assert answer.exit_code == 0, answer.output
    assert "toy-table1: 4 of 4 rows agree, 4 identical" in answer.output
    assert json.loads((runs / "agreement.json").read_text()) == [
        "toy-table1: 4 of 4 rows agree, 4 identical"
    ]
    path = results / "toy-table1.csv"
    header, *lines = path.read_text().splitlines()
    fields = [line.split(",") for line in lines]
    column = header.split(",").index("mean")
    for line in fields:
        line[column] = "0"
    path.write_text("\n".join([header, *(",".join(line) for line in fields)]) + "\n")
    answer = cli("verify", "--n-jobs", "1")
    assert answer.exit_code == 1
    assert "0 of 4 rows agree" in answer.output
    assert "iris0" in answer.output


def test_a_damaged_file_is_one_line_that_names_it(cli, results, runs, toy_only):
    paper = toy.paper()
    run(paper.experiments["table1"], Settings(paper, compute="quick", n_jobs=1))
    path = results / "toy-table1.csv"
    path.write_text(path.read_text().replace(",ok,", ",", 1))
    answer = cli("verify", "--n-jobs", "1")
    assert answer.exit_code == 1
    (line,) = answer.output.splitlines()
    assert line.startswith(f"Error: {path}, line 2: 12 fields where the first line has 13. ")
    assert line.endswith("or delete it to have its content computed again.")


def test_a_damaged_file_stops_a_notebook_with_its_message(cli, results, runs):
    results.mkdir()
    damaged = results / "box_drawings-table4.csv"
    damaged.write_text("<<<<<<< HEAD\n")
    answer = cli("run", "01", "--datasets", "glass2", "--compute", "none")
    assert answer.exit_code == 1
    assert f"failed: DamagedFileError: {damaged}, line 1: a merge conflict" in answer.output
    assert damaged.read_text() == "<<<<<<< HEAD\n"


def test_no_process_at_all_is_refused(cli, runs, toy_only, results):
    answer = cli("verify", "--n-jobs", "0")
    assert answer.exit_code == 1
    assert "n_jobs must not be 0: 1 for one process, -1 for one a core." in answer.output


def test_verify_draws_a_sample_of_short_tasks(cli, results, runs, toy_only):
    paper = toy.paper()
    run(paper.experiments["table1"], Settings(paper, compute="missing", n_jobs=1))
    answer = cli("verify", "--n-jobs", "1", "--sample", "3", "--at-most", "60", "--seed", "1")
    assert answer.output.strip() == "toy-table1: 6 of 6 rows agree, 6 identical"
    answer = cli("verify", "--n-jobs", "1", "--sample", "3", "--at-most", "0")
    assert answer.output.strip() == "Nothing compared of toy-table1 (24 tasks are too long)."


def test_report_needs_executed_notebooks(cli, runs):
    answer = cli("report")
    assert answer.exit_code == 1
    assert "minority run" in answer.output
