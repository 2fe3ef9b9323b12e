"""Figures to play with: controls in JupyterLab, nothing without it."""

import base64
import re
import sys

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from minority_reports import paths
from minority_reports.report import play
from minority_reports.report.convert import CONTROLS, notebook_body


@pytest.fixture
def lab(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "notebook.ipynb")


class Draw:
    """Notes what it was asked for, and draws it as a title."""

    def __init__(self):
        self.asked = []

    def __call__(self, given, data_set="oil", ratio=2):
        self.asked.append((given, data_set, ratio))
        if ratio == 3:
            raise ValueError("no <rows> at 3")
        figure, axes = plt.subplots(figsize=(3, 2))
        axes.set_title(f"{data_set} at {ratio}")
        return figure, pd.DataFrame()


def pixels(screen):
    return base64.b64decode(re.search(r"base64,([^\"]+)", screen.value)[1])


def test_without_jupyterlab_nothing_is_shown_or_drawn(monkeypatch, capsys):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    draw = Draw()
    assert play(draw, "rows", data_set=["oil", "page"], ratio=[1, 2]) is None
    assert draw.asked == []
    assert capsys.readouterr() == ("", "")


def test_controls_redraw(lab):
    draw = Draw()
    shown = play(draw, "rows", data_set={"Page": "page", "Oil": "oil"}, ratio=[1, 2])
    words, numbers, screen = shown.children
    assert (words.description, numbers.description) == ("data set", "ratio")
    assert (words.label, numbers.label) == ("Oil", "2"), "the defaults"
    assert draw.asked == [("rows", "oil", 2)]
    before = pixels(screen)
    assert before.startswith(b"\x89PNG")
    numbers.value = 1
    words.label = "Page"
    assert draw.asked[1:] == [("rows", "oil", 1), ("rows", "page", 1)]
    assert 'alt="page at 1"' in screen.value
    assert pixels(screen) != before
    assert plt.get_fignums() == [], "figures are closed"


def test_controls_start_at_the_first_value_where_the_default_is_none_of_them(lab):
    draw = Draw()
    play(draw, "rows", data_set=["page"], ratio=[10, 20])
    assert draw.asked == [("rows", "page", 10)]


def test_errors_are_shown_and_not_raised(lab):
    *_, numbers, screen = play(Draw(), "rows", data_set=["oil"], ratio=[1, 2, 3]).children
    numbers.value = 3
    assert screen.value == '<pre role="alert">ValueError: no &lt;rows&gt; at 3</pre>'
    numbers.value = 1
    assert screen.value.startswith("<img")


def test_nothing_to_choose_from(lab):
    assert play(Draw(), "rows", data_set=[], ratio=[1]) is None


def test_without_ipywidgets_the_notebook_goes_on(lab, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert play(Draw(), "rows", data_set=["oil"], ratio=[1]) is None
    assert "pip install ipywidgets" in capsys.readouterr().out


@pytest.mark.parametrize("stem", ["01_box_drawings", "05_sampling_wrapper"])
def test_saved_notebooks_show_a_picture_instead(stem):
    cells = nbformat.read(paths.notebooks() / f"{stem}.ipynb", as_version=4).cells
    (place,) = [i for i, cell in enumerate(cells) if cell.source.startswith("play(")]
    assert cells[place].outputs == []
    (output,) = cells[place - 1].outputs
    assert "image/png" in output.data


def test_a_notebook_saved_with_controls_makes_a_page_without_them(tmp_path):
    data = {CONTROLS: {"model_id": "1", "version_major": 2}, "text/plain": "VBox(children=())"}
    output = nbformat.v4.new_output("execute_result", data)
    cell = nbformat.v4.new_code_cell("play(draw)", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "saved.ipynb")
    page = notebook_body(tmp_path / "saved.ipynb")
    assert "VBox" not in page and "widget" not in page.lower()
