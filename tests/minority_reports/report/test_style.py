"""Sizes, colours and marks of figures."""

import re

import matplotlib.pyplot as plt
import pytest

from minority_reports import paths
from minority_reports.papers import papers
from minority_reports.report.style import (
    COLUMN,
    FULL,
    blank,
    canvas,
    legend_below,
    look,
    text_width,
    use_style,
)


@pytest.fixture(autouse=True)
def our_style():
    with plt.rc_context():
        use_style()
        yield
        plt.close("all")


@pytest.mark.parametrize("width", [FULL, COLUMN, 5.0])
def test_a_canvas_is_as_wide_as_the_text_and_in_proportion(width):
    use_style(width)
    assert text_width() == width
    figure, axes = canvas(2, 3, shape=0.5)
    assert axes.shape == (2, 3)
    assert figure.get_size_inches() == pytest.approx([width, 2 * 0.5 * width / 3])
    lines = blank(shape=0, lines=10).get_figheight() * 72 / plt.rcParams["font.size"]
    assert lines == pytest.approx(14)


def test_letters_are_smaller_in_a_column_and_those_of_a_sheet_of_ones_own_are_kept(tmp_path):
    usual = plt.rcParams["font.size"]
    use_style(COLUMN)
    assert plt.rcParams["font.size"] < usual
    sheet = tmp_path / "my.mplstyle"
    sheet.write_text("font.size: 11\naxes.grid: False\n")
    use_style(COLUMN, sheet)
    assert plt.rcParams["font.size"] == 11
    assert not plt.rcParams["axes.grid"]
    use_style()
    assert plt.rcParams["font.size"] == usual


def test_a_method_looks_the_same_by_key_and_label_in_all_papers():
    for paper in papers().values():
        for experiment in paper.experiments.values():
            for key, method in experiment.methods.items():
                if ":" not in key and key in _DRAWN:
                    assert look(key) == look(method.label), key
    assert look("smote-300") == look("smote-500") == look("SMOTE + SVM, 300 %")
    assert look("smoteboost-300") != look("smote-300")
    assert look("fast-boxes") != look("a fast-boxes of my own")


#: Methods that are compared with one another in one figure or another.
_TOGETHER = [
    "fast-boxes exact-boxes logistic-regression svm-rbf cart c45 random-forest adaboost c50 hddt",
    "damvi s-dt r-dt a-dt r-bg s-bg a-bg bb brf ee uniform gradient-boosting",
    "rlsd c5.0 ripper fast-boxes boosting",
    "b-svm adacost smoteboost-200 wrf databoost-im undersampling smote-200 asymmetric "
    "smote-asymmetric-200",
    "base wrapper-f wrapper-auroc wrapper-cost wrapper-beta metacost csc costing weighting",
    "fast-boxes exact-boxes damvi rlsd b-svm wrapper-c45 wrapper-ripper logistic balanced-forest "
    "rusboost easy-ensemble gradient-boosting",
]
_DRAWN = {name for group in _TOGETHER for name in group.split()}


@pytest.mark.parametrize("group", _TOGETHER, ids=lambda group: group.split()[0])
def test_methods_that_are_drawn_together_differ(group):
    looks = [look(name) for name in group.split()]
    assert len({tuple(one.values()) for one in looks}) == len(looks)
    colours = [one["color"] for one in looks]
    assert len(set(colours)) == len(colours)


def test_a_legend_below_has_as_many_columns_as_there_is_room_for():
    names = [f"a method with a long name {number}" for number in range(5)]
    found = []
    for width in (FULL, COLUMN):
        use_style(width)
        figure, axes = canvas(lines=6)
        for name in names:
            axes.plot([1, 2], label=name)
        legend_below(figure, axes)
        figure.draw_without_rendering()
        (legend,) = figure.legends
        found.append(legend._ncols)
        box = legend.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.x1
    assert found[0] > found[1]


def test_sizes_are_written_in_the_style_sheet_alone():
    folder = paths.root() / "lib" / "minority_reports"
    for file in folder.rglob("*.py"):
        if "showdown" in file.parts:  # what is shown of a file of one's own has a width of its own
            continue
        text = file.read_text(encoding="utf-8")
        assert file.name == "style.py" or "figsize" not in text, file
        assert re.search(r"(fontsize|labelsize)=\d", text) is None, file
