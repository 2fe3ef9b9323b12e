"""Pictures of boxes: what is drawn where."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

from minority.boxes import BoxSet, plot_boxes
from minority.boxes._plot import _REGION, plot_boxes_3d


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


@pytest.mark.parametrize(("draw", "features"), [(plot_boxes, (0, 1)), (plot_boxes_3d, (0, 1, 2))])
def test_names_are_no_formulas(points, draw, features):
    X, positive = points
    boxes = BoxSet(BOXES.lower, BOXES.upper, ["$^$", "US$ per AU$", "$x_"])
    axes = draw(boxes, X, positive, features)
    axes.figure.savefig(io.BytesIO())  # where a formula would be read
    assert axes.get_xlabel() == "$^$"
