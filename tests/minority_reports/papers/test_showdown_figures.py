"""Figures of the showdown, and everything that is shown of any selection."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import showdown_rows
from matplotlib.text import Text
from scipy import stats
from showdown_rows import (
    FACTS,
    SETS,
    changed,
    made,
    nothing,
    with_rows,
)

from minority_reports.papers.showdown import figures, tables
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.recommendations import advice


@pytest.fixture(scope="module")
def both():
    return showdown_rows.both()


@pytest.fixture(scope="module")
def untuned():
    return showdown_rows.untuned()


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_trade_off_of_both_settings_is_on_the_same_folds(both):
    _, data = figures.readability_figure(both)
    assert set(data["folds"]) == {len(SETS)} and len(data) == 24
    by = data.set_index(["setting", "contestant"])
    assert by.loc[("defaults", "DAMVI"), "g_mean"] == by.loc[("tuned", "DAMVI"), "g_mean"]
    rows = both["defaults"].rows
    second = rows[(rows["method"] == "damvi") & (rows["fold"] == 1)]["g_mean"]
    assert by.loc[("defaults", "DAMVI"), "g_mean"] == pytest.approx(second.mean())
    # the best is also the smallest here, and as good in both settings
    assert set(data.loc[data["on_front"], "contestant"]) == {"Gradient boosting"}
    assert by.loc[("tuned", "Wrapper, C4.5"), "conditions"] == 40
    _, data = figures.readability_figure(both, "defaults")
    assert set(data["folds"]) == {2 * len(SETS)} and set(data["setting"]) == {"defaults"}
    _, data = figures.time_figure(both, "defaults")
    # who is better takes longer: all are on the front
    assert data["on_front"].all()
    assert data.set_index("contestant").loc["Wrapper, C4.5", "fit_s"] == 0.5


def test_labels_cover_neither_each_other_nor_the_edge(both):
    rows = both["defaults"].rows.copy()
    far = rows["method"].eq("fast-boxes")  # one far away presses the others together
    rows["g_mean"] = (0.8 + 0.05 * rows["g_mean"]).mask(far, 0.1)
    rows["conditions"] = (20 + 0.02 * rows["conditions"]).mask(far, 2000)
    crowd = both | {"defaults": with_rows(both["defaults"], rows)}
    for figure, _ in (
        figures.readability_figure(both),
        figures.readability_figure(crowd, "defaults"),
    ):
        figure.canvas.draw()
        axes = figure.axes[0]
        # of the words alone: that of an annotation has its line in it
        boxes = [Text.get_window_extent(t) for t in axes.texts if t.get_gid() == "label"]
        assert len(boxes) == 12
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        frame = axes.get_window_extent()
        assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 for b in boxes)
        assert all(frame.y0 <= b.y0 and b.y1 <= frame.y1 for b in boxes)


def test_a_model_without_conditions_is_drawn(untuned):
    results = changed(untuned, lambda r: r["method"].eq("wrapper-ripper"), conditions=0.0)
    figure, data = figures.readability_figure(results)
    assert data.set_index("contestant").loc["Wrapper, RIPPER", "conditions"] == 0
    drawn = np.concatenate([line.get_xdata() for line in figure.axes[0].lines])
    assert min(drawn) == 1


def test_wins_and_ranks(untuned):
    _, data = figures.wins_matrix(untuned, "defaults")
    by = data.set_index(["contestant", "against"])
    assert len(by) == 12 * 11 and (by.sum(axis=1) == len(SETS)).all()
    assert by.loc[("Wrapper, C4.5", "Gradient boosting")].tolist() == [0, 0, len(SETS)]
    assert by.loc[("Wrapper, C4.5", "RLSD")].tolist() == [len(SETS), 0, 0]
    _, data = figures.ranks_heatmap(untuned)
    ranks = data.set_index(["setting", "metric", "contestant"])["mean rank"]
    assert set(data["setting"]) == {"defaults"} and len(ranks) == len(METRICS) * 12
    assert ranks["defaults", "f1", "Logistic regression"] == 3
    assert np.isnan(ranks["defaults", "brier", "DAMVI"])
    assert ranks["defaults", "brier", "RLSD"] == 4  # of those that have probabilities


def test_landscape(untuned):
    """Who gains with imbalance is shown so."""
    rows = untuned["defaults"].rows.copy()
    imbalance = rows["dataset"].map(FACTS["imbalance"]).astype(float)
    rows["g_mean"] += 0.02 * np.log(imbalance) * rows["method"].eq("rlsd")
    results = untuned | {"defaults": with_rows(untuned["defaults"], rows)}
    figure, data = figures.landscape_figure(results, "defaults")
    assert len(data) == 12 * len(SETS)
    assert data.groupby("dataset")["advantage"].sum().to_numpy() == pytest.approx(0, abs=1e-12)
    of = data[data["contestant"] == "RLSD"]
    expected = stats.spearmanr(of["advantage"], of["imbalance"]).statistic
    assert expected > 0.99
    cells = {text.get_text() for text in figure.axes[0].texts}
    assert f"{expected:+.2f}" in cells
    legends = [axes.get_legend().get_texts()[0].get_text() for axes in figure.axes[1:]]
    assert legends[0] == "RLSD"


def everything(results):
    shown = [
        tables.standings_table(results, "defaults"),
        tables.standings_table(results, "tuned"),
        tables.costs_table(results, "defaults"),
        tables.large_table(results),
        tables.tuning_table(results),
        tables.exact_boxes_table(results),
    ]
    drawn = [figures.ranks_heatmap(results)]
    for setting in results:
        drawn += [
            figures.readability_figure(results, setting),
            figures.time_figure(results, setting),
        ]
        for metric in ("g_mean", "brier"):
            shown += [
                tables.sets_table(results, setting, metric),
                tables.differences_table(results, setting, metric),
            ]
            drawn += [
                figures.rank_diagram(results, setting, metric),
                figures.wins_matrix(results, setting, metric),
                figures.landscape_figure(results, setting, metric),
            ]
    drawn += [figures.readability_figure(results), figures.time_figure(results)]
    return shown, drawn


@pytest.mark.parametrize(
    ("selection", "is_tuned"),
    [
        ({"sets": ("glass6",), "folds": (0,)}, True),
        ({"sets": ("mine",)}, False),
        ({"sets": SETS, "methods": ["damvi", "rlsd", "rusboost"]}, True),
        ({"sets": SETS[:3], "methods": ["fast-boxes"]}, True),
        ({"sets": ("satimage",)}, True),
        ({"sets": SETS[:2], "methods": ["fast-boxes", "damvi"]}, False),
    ],
    ids=["one fold", "own set", "three contestants", "one contestant", "a larger set", "two"],
)
def test_every_selection_is_shown(selection, is_tuned):
    tuned = made(setting="tuned", **selection) if is_tuned else nothing("tuned")
    results = {"defaults": made(**selection), "tuned": tuned}
    shown, drawn = everything(results)
    for table in shown:
        assert "<table" in table.to_html() and " of " in table.caption
    for figure, data in drawn:
        assert isinstance(data, pd.DataFrame) and figure.axes
    assert isinstance(advice(results), str)


def test_without_rows_all_is_said_in_words():
    results = {"defaults": nothing("defaults"), "tuned": nothing("tuned")}
    shown, drawn = everything(results)
    for table in shown:
        assert "<table" in table.to_html() and "0 of " in table.caption
    for figure, data in drawn:
        assert data.empty
        assert "need" in figure.axes[0].texts[0].get_text()
    assert "Too few rows" in advice(results) and "0 such data sets" in advice(results)
