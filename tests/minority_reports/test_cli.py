"""The command line."""

import json
from dataclasses import replace

import nbformat
import pytest
from click.testing import CliRunner

import minority_reports.papers
import toy
from minority_reports.cli import main
from minority_reports.experiments import Settings, run
from minority_reports.report import Choice, Level, Readings, one_at_a_time


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


@pytest.fixture
def notebooks(tmp_path, monkeypatch):
    """A folder of two small notebooks in place of the papers': the first one fails if told to."""
    monkeypatch.setattr("minority_reports.paths.notebooks", lambda: tmp_path / "notebooks")
    (tmp_path / "notebooks").mkdir()
    parameters = 'datasets: str = "all"  # names\ncompute: str = "quick"  # what\n'
    for name, code in {
        "00_first": "if datasets == 'none':\n    raise ValueError('nothing to show')",
        "01_second": "print(datasets, compute)",
    }.items():
        first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = nbformat.v4.new_notebook(
            cells=[first, nbformat.v4.new_code_cell(code)], metadata={"kernelspec": kernel}
        )
        nbformat.write(notebook, tmp_path / "notebooks" / f"{name}.ipynb")


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
    answer = cli("run", "00", "01", "-p", "papers", "box_drawings")
    assert answer.exit_code != 0
    assert "01_box_drawings has no parameter 'papers'" in answer.output
    assert list(runs.iterdir()) == []


def printed(file):
    return nbformat.read(file, as_version=4).cells[-1].outputs[0]["text"]


def test_run_executes_notebooks_over_data_sets_in_one_call(cli, runs, notebooks):
    answer = cli("run", "01", "--datasets", "glass2,iris0", "--each-dataset", "--compute", "none")
    assert answer.exit_code == 0, answer.output
    for name in ("glass2", "iris0"):
        notebook = nbformat.read(runs / f"01_second__{name}.ipynb", as_version=4)
        assert notebook.metadata.papermill.parameters.datasets == name
        assert printed(runs / f"01_second__{name}.ipynb") == f"{name} none\n"


@pytest.mark.parametrize("compute", ["quick", "missing"], ids=["at once", "one by one"])
def test_a_failing_notebook_is_named_and_the_others_run(cli, runs, notebooks, compute, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    answer = cli("run", "--datasets", "none", "--compute", compute)
    assert answer.exit_code == 1
    assert "  failed: ValueError: nothing to show\n  01_second  done in" in answer.output
    assert "1 failed: 00_first.ipynb." in answer.output
    assert printed(runs / "01_second.ipynb") == f"none {compute}\n"


@pytest.fixture
def drawing_notebook(notebooks, tmp_path):
    """A notebook with a figure and a table by the names of those of a paper."""
    parameters = (
        'width: str = ""  # .\nstyle: str = ""  # .\nformats: str = ""  # .\nonly: str = ""'
    )
    code = """
import matplotlib.pyplot as plt, pandas as pd
from minority_reports.experiments import Settings
from minority_reports.papers.box_drawings import PAPER
from minority_reports.report import Report, show
from minority_reports.report.style import canvas
report = Report.of(Settings.from_notebook(PAPER, globals()))
data = pd.DataFrame({"x": [1, 2]})
report.figure(canvas()[0], "fig3_rank_by_imbalance", data, "Ranks")
report.table(show(data, caption="AUH"), "table5_auh")
"""
    cells = [
        nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(code),
    ]
    for file in (tmp_path / "notebooks").iterdir():
        file.unlink()
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata=toy_kernel()),
        tmp_path / "notebooks" / "01_box_drawings.ipynb",
    )


def toy_kernel():
    return {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def test_figures_are_written_for_another_paper(cli, runs, drawing_notebook, tmp_path):
    sheet = tmp_path / "my.mplstyle"
    sheet.write_text("font.size: 6\n")
    answer = cli("figures", "--only", "fig3", "--style", str(sheet), "--width", "84mm")
    assert answer.exit_code == 0, answer.output
    written = runs / "figures"
    assert f"3 files in {written}" in answer.output
    stem = "box_drawings_fig3_rank_by_imbalance"
    assert sorted(p.name for p in written.iterdir()) == [
        f"{stem}.{e}" for e in ("csv", "pdf", "tex")
    ]
    assert rb"/MediaBox [ 0 0 238.110236" in (written / f"{stem}.pdf").read_bytes()
    answer = cli("figures", "--format", "tex", "--output", str(tmp_path / "mine"))
    assert answer.exit_code == 0, answer.output
    names = sorted(p.name for p in (tmp_path / "mine").iterdir())
    assert names == [f"{stem}.tex", "box_drawings_table5_auh.tex"]


def test_unknown_figures_and_looks_are_one_line_before_anything_runs(cli, runs):
    for given, message in {
        ("--only", "tabel5"): "no figure or table 'tabel5'. Did you mean 'table5_auh'",
        ("--width", "wide"): "such as '84mm'",
        ("--format", "pfd"): "Did you mean 'pdf'",
        ("--style", "no.mplstyle"): "'no.mplstyle'",
    }.items():
        answer = cli("figures", "box_drawings", *given)
        assert answer.exit_code != 0
        assert message in " ".join(answer.output.split()), answer.output
        assert "Traceback" not in answer.output


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
    assert json.loads((runs / "recomputed.json").read_text()) == [
        {
            **dict.fromkeys(("compared", "agreeing", "identical"), 4),
            "text": "toy-table1: 4 of 4 rows agree, 4 identical",
        }
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
    damaged = results / "damvi-table23.csv"
    damaged.write_text("<<<<<<< HEAD\n")
    answer = cli("run", "02", "--datasets", "yeast4", "--compute", "none")
    assert answer.exit_code == 1
    assert f"failed: DamagedFileError: {damaged}, line 1: a merge conflict" in answer.output
    assert damaged.read_text() == "<<<<<<< HEAD\n"


def test_no_process_at_all_is_refused(cli, runs, toy_only, results):
    answer = cli("verify", "--n-jobs", "0")
    assert answer.exit_code == 1
    assert "n_jobs must not be 0: 1 for one process, -1 for one per core." in answer.output


def test_verify_draws_a_sample_of_short_tasks(cli, results, runs, toy_only):
    paper = toy.paper()
    run(paper.experiments["table1"], Settings(paper, compute="missing", n_jobs=1))
    answer = cli("verify", "--n-jobs", "1", "--sample", "3", "--at-most", "60", "--seed", "1")
    assert answer.output.strip() == "toy-table1: 6 of 6 rows agree, 6 identical"
    answer = cli("verify", "--n-jobs", "1", "--sample", "3", "--at-most", "0")
    assert answer.output.strip() == "Nothing compared of toy-table1 (24 tasks are too long)."


def test_readings_are_judged_and_stored(cli, results, monkeypatch):
    choice = Choice("a", "Which?", (Level("1", "§ 1"), Level("2", "§ 2")))
    renamed = {"table1": {"slow": "count:a=2"}}
    readings = Readings((choice,), (), {"table1": "table1"}, one_at_a_time([choice]), renamed)
    paper = replace(toy.paper(), readings=readings, main="table1")
    known = {"toy": paper, "other": toy.paper()}
    monkeypatch.setattr(minority_reports.papers, "papers", lambda: known)
    run(paper.experiments["table1"], Settings(paper, compute="missing", n_jobs=1))
    answer = cli("readings", "--n-jobs", "1")
    file = results / "studies" / "toy-readings.json"
    assert answer.output.strip() == str(file), "a paper without readings has no study"
    study = json.loads(file.read_text())
    assert study["reading a=2"] == {"sets": {"table1": 2}}
    assert "unknown paper 'toi'. Did you mean 'toy'" in cli("readings", "toi").output
    assert "there are no readings of other" in cli("readings", "other").output


def test_report_needs_executed_notebooks(cli, runs):
    answer = cli("report")
    assert answer.exit_code == 1
    assert "minority run" in answer.output
