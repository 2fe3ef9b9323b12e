"""Notebooks: hygienic, parameterised, and runnable from anywhere."""

import ast
import re
import subprocess
import sys

import nbformat
import papermill
import pytest

from minority_reports import paths
from minority_reports.papers import papers

NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))
PAPER_PARAMETERS = [
    "datasets",
    "target",
    "positive",
    "methods",
    "repeats",
    "folds",
    "seed",
    "time_limit",
    "n_jobs",
    "cluster",
    "compute",
    "extra_methods",
    "width",
    "style",
    "formats",
    "only",
]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def cells(path):
    return nbformat.read(path, as_version=4).cells


def code_cells(cells):
    return [cell for cell in cells if cell.cell_type == "code"]


def parameters_cell(cells):
    (cell,) = [c for c in cells if "parameters" in c.metadata.get("tags", [])]
    return cell


def test_every_parameter_is_visible_to_papermill(path, cells):
    tree = ast.parse(parameters_cell(cells).source)
    declared = [node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)]
    assert len(declared) == len(tree.body), "parameters are annotated, one a line"
    seen = papermill.inspect_notebook(path)
    assert list(seen) == declared
    assert all(parameter["help"] for parameter in seen.values())


@pytest.mark.parametrize("paper", papers().values(), ids=lambda paper: paper.name)
def test_every_paper_has_a_notebook_with_the_same_parameters(paper):
    notebook = paths.notebooks() / f"{paper.notebook}.ipynb"
    assert list(papermill.inspect_notebook(notebook)) == PAPER_PARAMETERS


def test_hygiene(path, cells):
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata.kernelspec.name == "python3"
    assert "papermill" not in notebook.metadata
    for cell in code_cells(cells):
        assert cell.execution_count, "saved without having run"
        assert all(output.output_type != "error" for output in cell.outputs)
        assert not any(output.get("name") == "stderr" for output in cell.outputs)
        assert "papermill" not in cell.metadata
        assert len(cell.source.splitlines()) <= 20
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, ast.FunctionDef | ast.ClassDef), cell.source


def test_notebooks_are_thin(cells):
    """Besides the parameters, of which there is one a line."""
    lines = [len(cell.source.splitlines()) for cell in code_cells(cells)]
    assert sum(lines) - len(parameters_cell(cells).source.splitlines()) <= 108


def pictures_of(cell):
    """The pictures that a cell shows, open or folded."""
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            yield data["image/png"].strip()
        else:
            yield from re.findall(r'src="data:image/png;base64,([^"]+)', data.get("text/html", ""))


#: Calls that draw more than one figure, or may.
DRAW = ("for ", "show_readings(")


def test_figures_are_drawn_once(cells):
    for cell in code_cells(cells):
        if any(call in cell.source for call in ("report.figure(", "show_result(", *DRAW[1:])):
            pictures = list(pictures_of(cell))
            assert len(pictures) == len(set(pictures)) > 0, "each is drawn once"
            loops = any(call in cell.source for call in DRAW)
            assert len(pictures) == 1 or loops, "a cell without a loop draws one"


@pytest.mark.parametrize("path", NOTEBOOKS[:6], ids=lambda path: path.stem)
def test_notebooks_begin_with_the_result(path):
    """Title, folded parameters and set-up, then at once the result, before any heading."""
    cells = nbformat.read(path, as_version=4).cells
    assert [cell.cell_type for cell in cells[:4]] == ["markdown", "code", "code", "code"]
    for cell in code_cells(cells)[:3]:
        assert cell.metadata.jupyter.source_hidden
    result = cells[3].source
    assert "show_result(" in result or "first_sentences(" in result
    assert "**What is here.**" in next(c.source for c in cells[4:] if c.cell_type == "markdown")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("a folder with blanks")


def test_papermill_from_any_folder(elsewhere):
    """The README's papermill command, on one data set, without touching the repository."""
    before = {p: p.stat().st_mtime_ns for p in paths.figures().iterdir()}
    notebook = paths.notebooks() / "01_box_drawings.ipynb"
    command = [sys.executable, "-m", "papermill", str(notebook), "out.ipynb", "-p", "datasets"]
    answer = subprocess.run(
        [*command, "glass2", "-k", "python3"], cwd=elsewhere, capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    executed = nbformat.read(elsewhere / "out.ipynb", as_version=4)
    texts = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for cell in code_cells(executed.cells)
        for output in cell.outputs
    ]
    # the protocol is that of the paper, whatever is selected
    text = "".join(part for part in texts if "The protocol of" not in part)
    assert "table5: all 1,300 runs" in text
    assert "haberman" not in text.split("Claims")[0]
    assert before == {p: p.stat().st_mtime_ns for p in paths.figures().iterdir()}


def test_help_notebook_shows_every_parameter():
    notebook = paths.notebooks() / "01_box_drawings.ipynb"
    answer = subprocess.run(
        [sys.executable, "-m", "papermill", "--help-notebook", str(notebook)],
        capture_output=True,
        text=True,
    )
    for name in PAPER_PARAMETERS:
        assert f"  {name}:" in answer.stdout
