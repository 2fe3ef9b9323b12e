"""Pictures of boxes: what is drawn where."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from scipy.stats import spearmanr

from minority import datasets
from minority.boxes import BoxSet, plot_boxes
from minority.boxes._plot import _REGION, plot_boxes_3d
from minority.papers.box_drawings import _pictures as pictures
from minority.papers.box_drawings import _play as play


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 1, size=(60, 3)), rng.random(60) < 0.3


BOXES = BoxSet(
    [[-0.5, -0.4, -0.3], [0, -np.inf, 0.1], [1, 1, 1]], [[0.5, 0.4, 0.3], [0.9] * 3, [0] * 3]
)


def rectangles(axes):
    """Drawn rectangles as (left, bottom, right, top), tints and outlines apart."""
    tints, outlines = [], []
    for patch in axes.patches:
        kind = tints if patch.get_facecolor() == to_rgba(_REGION) else outlines
        kind.append(patch.get_bbox().extents.tolist())
    return tints, outlines


def test_tint_and_outline_of_each_box_that_covers_anything(points):
    X, positive = points
    axes = plot_boxes(BOXES, X, positive, features=(0, 1), region=True)
    tints, outlines = rectangles(axes)
    bottom = axes.get_ylim()[0]
    np.testing.assert_allclose(outlines, [[-0.5, -0.4, 0.5, 0.4], [0, bottom, 0.9, 0.9]])
    assert tints == outlines
    # below the points, or a tint would hide them
    assert max(p.zorder for p in axes.patches[::2]) < min(c.zorder for c in axes.collections)


def test_no_tint_unless_asked_for(points):
    tints, outlines = rectangles(plot_boxes(BOXES, *points))
    assert not tints and len(outlines) == 2


def drawn(axes, kind):
    return [c for c in axes.collections if type(c) is kind]


def test_boxes_in_space_have_six_faces_and_twelve_edges(points):
    X, positive = points
    axes = plot_boxes_3d(BOXES, X, positive)
    assert len(drawn(axes, Poly3DCollection)) == len(drawn(axes, Line3DCollection)) == 2
    edges = np.array(drawn(axes, Line3DCollection)[0]._segments3d)
    assert edges.shape == (12, 2, 3)
    # each edge runs along one axis, and no two are the same
    assert ((edges[:, 0] != edges[:, 1]).sum(axis=1) == 1).all()
    assert len(np.unique(edges.reshape(12, 6), axis=0)) == 12
    np.testing.assert_allclose(edges.min(axis=(0, 1)), BOXES.lower[0])
    np.testing.assert_allclose(edges.max(axis=(0, 1)), BOXES.upper[0])
    open_side = np.array(drawn(axes, Line3DCollection)[1]._segments3d)
    assert open_side[..., 1].min() == axes.get_ylim()[0]


def test_faces_are_walked_around(points):
    X, positive = points
    axes = plot_boxes_3d(BOXES, X, positive)
    axes.figure.draw_without_rendering()
    faces = np.array(drawn(axes, Poly3DCollection)[0]._faces)
    assert faces.shape == (6, 4, 3)
    steps = np.roll(faces, -1, axis=1) - faces
    assert ((steps != 0).sum(axis=2) == 1).all()  # along an edge, never across
    assert len({tuple(face.mean(axis=0).round(9)) for face in faces}) == 6


def test_many_negatives_are_thinned_the_same_way_every_time():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(5_010, 3)), np.arange(5_010) < 10
    first, second = (plot_boxes_3d(BOXES, X, positive) for _ in range(2))
    labels = first.get_legend_handles_labels()[1]
    assert labels == ["negative (1,000 of 5,000)", "positive", "box"]
    drawn_rows = [np.array(axes.collections[0]._offsets3d) for axes in (first, second)]
    np.testing.assert_array_equal(drawn_rows[0], X[10::5].T)
    np.testing.assert_array_equal(*drawn_rows)
    assert len(first.collections[1]._offsets3d[0]) == 10


def test_number_of_features_is_checked(points):
    with pytest.raises(ValueError, match="Three features"):
        plot_boxes_3d(BOXES, *points, features=(0, 1))
    with pytest.raises(ValueError, match="Two features"):
        plot_boxes(BOXES, *points, features=(0, 1, 2))


def test_weight_story_measures_its_panels():
    weights = (0.1, 0.4, 1.0)
    exact = {1.0: BoxSet([[10, 20]], [[18, 25]]), 0.4: BoxSet(np.empty((0, 2)), np.empty((0, 2)))}
    figure, frame = pictures.weight_story(weights=weights, exact=exact)
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
    assert "precision –, recall 0.00" in figure.axes[4].get_title()
    assert len(pictures.weight_story(weights=weights)[0].axes) == 3


def test_boxes_in_3d_says_how_k_was_chosen():
    figure, frame = pictures.boxes_in_3d(n_clusters=3)
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
    figure, frame = pictures.rank_by_imbalance(auh, imbalance)
    ranks = frame.set_index("dataset")["rank"]
    assert ranks["set 0"] == 2
    for name in names[1:11]:
        assert ranks[name] == 1 + (auh.loc[name] > auh.loc[name, "fast-boxes"]).sum()
    assert "set 11" not in ranks
    title = figure.axes[0].get_title()
    assert "11 data sets, 1 with gaps left out" in title
    test = spearmanr(imbalance.iloc[:11], ranks.loc[names[:11]])
    assert f"{test.statistic:.2f}" in title and f"{test.pvalue:.2g}" in title


def test_names_of_points_never_overlap():
    rng = np.random.default_rng(1)
    names = [f"a data set {i}" for i in range(60)]
    auh = pd.DataFrame(rng.random((60, 4)), index=names, columns=["fast-boxes", "a", "b", "c"])
    imbalance = pd.Series(rng.uniform(1, 100, 60), index=names)
    figure, _ = pictures.rank_by_imbalance(auh, imbalance)
    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    assert 20 < len(texts) < 60  # too many to name all
    boxes = [text.get_window_extent() for text in texts]
    for i, box in enumerate(boxes):
        assert box.count_overlaps(boxes[:i]) == 0


def test_boxes_to_play_with_change_with_every_control():
    _, usual = play.boxes_at()
    for change in ({"c": 0.1}, {"K": 3}, {"beta": 0}, {"data_set": "diamond"}):
        assert set(change) < set(play.BOX_CHOICES)
        figure, frame = play.boxes_at(**change)
        assert not frame.filter(regex="er x").equals(usual.filter(regex="er x")), change
        assert len(frame) == change.get("K", 5)
        first = frame.iloc[0]
        title = figure.axes[0].get_title()
        assert f"precision {first['precision']:.2f}, AUH {first['auh']:.2f}" in title
        assert first["recall"] == 1


def test_the_picture_in_print_shows_both_ends_of_each_control():
    figure, frame = play.box_settings()
    assert len(figure.axes) == 6
    for name, part in frame.groupby("changed"):
        choices = play.BOX_CHOICES[name]
        assert set(part[name]) == {min(choices), max(choices)}
    lines = frame.groupby(["changed", "c", "K", "beta"])["precision"].first()
    assert all(f"precision {value:.2f}" in frame.attrs["caption"] for value in lines)
    first, last = (frame[frame["changed"] == "K"].iloc[i] for i in (0, -1))
    best = play.boxes_at()[1].iloc[0]
    # what the text of the notebook says of too few and of too many clusters
    assert first["precision"] < best["precision"] < last["precision"]
    assert max(first["auh"], last["auh"]) < best["auh"]
