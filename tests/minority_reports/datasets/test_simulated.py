"""The generators: counts, geometry, and the authors' samples where they can be had."""

import numpy as np
import pandas as pd
import pytest

from minority_reports import datasets, paths
from minority_reports.datasets.simulated import GENERATORS, example_table

PLANE = ["castle", "corner", "diamond", "flooded", "square"]
SPACE = [f"{name}3D" for name in PLANE]


def test_every_generator_is_registered():
    assert set(datasets.names(source="simulated")) == set(GENERATORS) == {*PLANE, *SPACE}


@pytest.mark.parametrize("name", PLANE + SPACE)
def test_counts_and_ranges(name):
    data = datasets.load(name)
    shape, low, high = ((10_000, 2, 100), 0, 100) if name in PLANE else ((1000, 3, 29), -50, 50)
    assert (data.n, data.d, data.positives) == shape
    assert data.facts.simulated
    assert (data.X.min() >= low).all() and (data.X.max() <= high).all()
    assert (data.X.min() < low + 1).all() and (data.X.max() > high - 1).all()
    # Whole steps of 1/10,000: the same doubles on every machine.
    np.testing.assert_array_equal(data.X.round(4), data.X)
    # Mixed rows, so that a split without shuffling has both classes.
    assert 0 < data.y[: data.n // 2].sum() < data.positives


@pytest.mark.parametrize("name", PLANE + SPACE)
def test_generators_repeat_themselves(name):
    (X, y), (X_again, y_again) = GENERATORS[name](), GENERATORS[name]()
    pd.testing.assert_frame_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)


def parts(name):
    data = datasets.load(name)
    X = data.X.to_numpy()
    return X[data.y == 1], X[data.y == 0]


def in_diamonds(X, radius, centres):
    return np.min([np.abs(X - c).sum(axis=1) for c in centres], axis=0) <= radius


# The authors' samples obey the same facts as ours, and are tested by the same lines.
@pytest.mark.parametrize("name", ["corner", "boxdraw_corner"])
def test_corner(name):
    skip_if_unavailable(name)
    positive, negative = parts(name)
    assert (positive.sum(axis=1) >= 180).all() and (positive > 80).all()
    assert (negative.sum(axis=1) >= 180).sum() == 114
    assert (negative.sum(axis=1) < 180).sum() == 9_786
    # Uniform: each of 25 cells holds 400 points, give or take five standard deviations.
    counts = np.histogram2d(*np.concatenate([positive, negative]).T, bins=5)[0]
    assert np.abs(counts - 400).max() < 5 * np.sqrt(400)


@pytest.mark.parametrize("name", ["diamond3D", "boxdraw_diamond3D"])
def test_diamond3D(name):
    skip_if_unavailable(name)
    positive, negative = parts(name)
    assert in_diamonds(positive, 20, (25, -25)).all()
    assert not in_diamonds(negative, 20, (25, -25)).any()
    assert 8 <= in_diamonds(positive, 20, (25,)).sum() <= 21  # both diamonds are filled


def skip_if_unavailable(name):
    if not datasets.available(name):
        pytest.skip(f"{name} is not in the folder MINORITY_DATA names: {paths.mirror()}")


def test_diamond():
    positive, negative = parts("diamond")
    assert in_diamonds(positive, 5, (25, 75)).all()
    assert not in_diamonds(negative, 5, (25, 75)).any()


@pytest.mark.parametrize(("name", "middle", "half"), [("square", 50, 5), ("square3D", 0, 15)])
def test_squares(name, middle, half):
    positive, negative = (np.abs(part - middle).max(axis=1) for part in parts(name))
    assert positive.max() <= half < negative.min()


@pytest.mark.parametrize(("name", "wall_top"), [("castle", 48), ("castle3D", 0)])
def test_castles_have_three_merlons(name, wall_top):
    positive, _ = parts(name)
    on_top = np.sort(positive[positive[:, -1] > wall_top, 0])
    width = np.ptp(positive[:, 0])
    assert (np.diff(on_top) > width / 6).sum() == 2  # two gaps between three merlons
    below = np.sort(positive[positive[:, -1] < wall_top, 0])
    assert np.diff(below).max() < width / 4  # and none in the wall


@pytest.mark.parametrize(("name", "islands", "reach"), [("flooded", 5, 5), ("flooded3D", 4, 20)])
def test_islands_are_half_flooded(name, islands, reach):
    positive, negative = parts(name)
    # Points nearer than the islands' gaps belong together.
    rest, lows, highs = positive, [], []
    while len(rest):
        members = rest[:1]
        for _ in range(len(rest)):
            gaps = np.abs(rest[:, None] - members).max(axis=2).min(axis=1)
            grown = rest[gaps <= reach]
            if len(grown) == len(members):
                break
            members = grown
        lows.append(members.min(axis=0))
        highs.append(members.max(axis=0))
        rest = rest[gaps > reach]
    assert len(lows) == islands
    water = sum(
        ((negative >= low) & (negative <= high)).all(axis=1).sum()
        for low, high in zip(lows, highs, strict=True)
    )
    assert 0.35 * len(positive) < water <= len(positive)


def test_corner3D():
    positive, negative = parts("corner3D")
    assert (positive.sum(axis=1) >= 80).all()
    assert (negative.sum(axis=1) >= 80).sum() == 29


def test_bundled_table_is_the_generated_one(tmp_path):
    example_table().to_csv(tmp_path / "again.csv", index=False, lineterminator="\n")
    shipped = paths.bundled() / "example_imbalanced.csv"
    assert (tmp_path / "again.csv").read_bytes() == shipped.read_bytes()


def test_bundled_table_shows_every_kind_of_column():
    data = datasets.load("example_imbalanced")
    assert [str(dtype) for dtype in data.X.dtypes] == ["float64", "float64", "category"]
    assert data.X.isna().any().all()
    assert 0.06 < data.positives / data.n < 0.1
