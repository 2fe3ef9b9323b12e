"""The figures of Box Drawings: what is drawn where."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from minority.boxes import BoxSet
from minority_reports import datasets
from minority_reports.experiments import Settings, run
from minority_reports.papers.box_drawings import PAPER, figures, tables
from minority_reports.papers.box_drawings.protocol import TABLE5


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def stored():
    settings = Settings(PAPER, compute="none")
    return {name: run(e, settings) for name, e in PAPER.experiments.items()}


def test_figure_6_counts_the_misses_that_it_draws():
    figure, data = figures.expansion_picture(TABLE5)
    drawn = data[["SepalLength", "PetalWidth"]]
    train, test = ((data["part"] == part) & (data["positive"] == 1) for part in ("train", "test"))
    low, high = drawn[train].min(), drawn[train].max()
    missed = ((drawn[test] < low) | (drawn[test] > high)).any(axis=1).sum()
    assert missed > 0
    title = figure.axes[0].get_title()
    assert f"{missed} of {test.sum()} test positives missed" in title


def test_gains_are_drawn_where_both_methods_are_complete(stored):
    rows = stored["table5"].rows
    lost = {"random-forest": "pima", "cart": "glass2"}
    for method, name in lost.items():
        of_cell = (rows["method"] == method) & (rows["dataset"] == name)
        rows = rows[~(of_cell & (rows["fold"] == 0))]
    part = replace(stored["table5"], rows=rows, _kept={})
    figure, data = figures.gains(part, {"random-forest": "Random Forest", "cart": "CART"})
    sets = set(stored["table5"].datasets)
    for rival, name in lost.items():
        assert set(data.loc[data["rival"] == rival, "data set"]) == sets - {name}
    names = [label.get_text().split()[0] for label in figure.axes[0].get_yticklabels()]
    assert set(names) == sets
    for axes, count in zip(figure.axes, [len(sets) - 1] * 2, strict=True):
        assert (
            sum(len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o") == count
        )
    height = {
        names[round(y)]: x
        for line in figure.axes[1].lines
        if line.get_marker() == "o"
        for x, y in line.get_xydata()
    }
    wanted = data[data["rival"] == "cart"].set_index("data set")["difference"]
    assert height == pytest.approx(wanted.to_dict())


def test_weight_story_measures_its_panels():
    weights = (0.1, 0.4, 1.0)
    exact = {1.0: BoxSet([[10, 20]], [[18, 25]]), 0.4: BoxSet(np.empty((0, 2)), np.empty((0, 2)))}
    figure, frame = figures.weight_story(weights=weights, exact=exact)
    data = datasets.load("flooded")
    for (_, c), part in frame.dropna().groupby(["model", "c"]):
        boxes = BoxSet(
            part[["lower x1", "lower x2"]].to_numpy(), part[["upper x1", "upper x2"]].to_numpy()
        )
        covered, positive = boxes.covers(data.X), data.y == 1
        assert part["recall"].eq(covered[positive].mean()).all(), c
        assert part["precision"].to_numpy() == pytest.approx(positive[covered].mean())
    fast = frame[frame["model"] == "Fast Boxes"].groupby("c")["precision"].first()
    assert fast.is_monotonic_increasing and fast.iloc[0] < fast.iloc[-1]
    assert frame[frame["model"] == "Exact Boxes"].groupby("c")["recall"].first().tolist() == [
        0,
        0.24,
    ]
    assert sum(axes.axison for axes in figure.axes) == 5  # no exact model for c = 0.1
    assert "precision –\nrecall 0.00" in figure.axes[4].get_title()
    assert len(figures.weight_story(weights=weights)[0].axes) == 3


def test_boxes_in_3d_says_how_k_was_chosen():
    figure, frame = figures.boxes_in_3d(n_clusters=3)
    assert "K = 3 given" in figure.axes[0].get_title()
    assert "recall 1.00" in figure.axes[0].get_title()
    assert frame["positive"].sum() == 29 == frame.query("positive == 1")["covered"].sum()


def test_rank_by_imbalance():
    rng = np.random.default_rng(0)
    names = [f"set {i}" for i in range(12)]
    auh = pd.DataFrame(rng.random((12, 3)), index=names, columns=["fast-boxes", "cart", "svm"])
    auh.loc["set 0"] = 0.5  # all level: the mean of ranks 1 to 3
    auh.loc["set 11", "svm"] = np.nan
    imbalance = pd.Series(np.geomspace(1, 100, 12), index=names)
    figure, frame = figures.rank_by_imbalance(auh, imbalance)
    ranks = frame.set_index("dataset")["rank"]
    assert ranks["set 0"] == 2
    for name in names[1:11]:
        assert ranks[name] == 1 + (auh.loc[name] > auh.loc[name, "fast-boxes"]).sum()
    assert "set 11" not in ranks
    title = figure.axes[0].get_title()
    assert "11 data sets, 1 with gaps left out" in title
    test = spearmanr(imbalance.iloc[:11], ranks.loc[names[:11]])
    assert f"{test.statistic:.2f}" in title and f"{test.pvalue:.2g}" in title


def test_equal_ranks_are_in_one_order_whatever_that_of_the_scores():
    auh = pd.DataFrame({"fast-boxes": 0.9, "cart": 0.5}, index=["b", "a", "c"])
    imbalance = pd.Series(2.0, index=auh.index)
    _, frame = figures.rank_by_imbalance(auh, imbalance)
    assert frame["dataset"].tolist() == ["a", "b", "c"]


def test_names_of_points_never_overlap():
    rng = np.random.default_rng(1)
    names = [f"a data set {i}" for i in range(60)]
    auh = pd.DataFrame(rng.random((60, 4)), index=names, columns=["fast-boxes", "a", "b", "c"])
    imbalance = pd.Series(rng.uniform(1, 100, 60), index=names)
    figure, _ = figures.rank_by_imbalance(auh, imbalance)
    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    assert 20 < len(texts) < 60  # too many to name all
    boxes = [text.get_window_extent() for text in texts]
    for i, box in enumerate(boxes):
        assert box.count_overlaps(boxes[:i]) == 0


def test_boxes_to_play_with_change_with_every_control():
    _, usual = figures.boxes_at()
    for change in ({"c": 0.1}, {"K": 3}, {"beta": 0}, {"data_set": "diamond"}):
        assert set(change) < set(figures.BOX_CHOICES)
        figure, frame = figures.boxes_at(**change)
        assert not frame.filter(regex="er x").equals(usual.filter(regex="er x")), change
        assert len(frame) == change.get("K", 5)
        first = frame.iloc[0]
        title = figure.axes[0].get_title()
        assert f"precision {first['precision']:.2f}, AUH {first['auh']:.2f}" in title
        assert first["recall"] == 1


def test_the_picture_in_print_shows_both_ends_of_each_control():
    figure, frame = figures.box_settings()
    assert len(figure.axes) == 6
    for name, part in frame.groupby("changed"):
        choices = figures.BOX_CHOICES[name]
        assert set(part[name]) == {min(choices), max(choices)}
    lines = frame.groupby(["changed", "c", "K", "beta"])["precision"].first()
    assert all(f"precision {value:.2f}" in frame.attrs["caption"] for value in lines)
    first, last = (frame[frame["changed"] == "K"].iloc[i] for i in (0, -1))
    best = figures.boxes_at()[1].iloc[0]
    # what the text of the notebook says of too few and of too many clusters
    assert first["precision"] < best["precision"] < last["precision"]
    assert max(first["auh"], last["auh"]) < best["auh"]


def test_the_picture_shows_what_there_is(stored):
    simulated = pd.DataFrame(
        {"features": d, "arrangement": kind, "draw": draw, "fast-boxes": 0.8, "cart": 0.9}
        for d in (2, 5)
        for kind in ("1", "4", "ring")
        for draw in range(3)
    )
    real = tables.real_clustering(stored["table5"], stored["clusters"])
    for part in (real, real[:1], real[:0]):
        figure, data = figures.cluster_picture(simulated, part)
        assert (data["panel"] == "real").sum() == len(part)
        assert (data["panel"] == "simulated").sum() == len(simulated)
        plt.close(figure)
