"""Generators of simulated data sets, equal on every machine.

They draw integers and compare, nothing else: coordinates are whole numbers of 1/10,000, so no
result depends on how a machine rounds.
"""

import numpy as np
import pandas as pd

GRID = 10_000  # steps to a unit

GENERATORS = {}


def _generator(function):
    GENERATORS[function.__name__] = function
    return function


def _draw(rng, n, low, high, d, keep):
    """Draw n points, uniform on the part of the cube [low, high]^d where `keep` holds."""
    kept = np.empty((0, d))
    while len(kept) < n:
        points = rng.integers(low * GRID, high * GRID, size=(n, d), endpoint=True) / GRID
        kept = np.concatenate([kept, points[keep(points)]])
    return kept[:n]


def _scene(seed, d, inside, *, flooded=0):
    """A cube of negatives with positives inside a shape, in random row order.

    Two dimensions: 10,000 points on [0, 100]^2, 100 of them positive. Three: 1,000 points on
    [-50, 50]^3, 29 positive. `flooded` of the negatives lie inside the shape too. The shapes have
    the size at which the points are about uniform on the cube, as in the authors' samples.
    """
    n, positives, low, high = (10_000, 100, 0, 100) if d == 2 else (1_000, 29, -50, 50)
    rng = np.random.default_rng(seed)
    X = np.concatenate(
        [
            _draw(rng, positives + flooded, low, high, d, inside),
            _draw(rng, n - positives - flooded, low, high, d, lambda points: ~inside(points)),
        ]
    )
    y = np.arange(n) < positives
    order = rng.permutation(n)
    return pd.DataFrame(X[order], columns=[f"x{j}" for j in range(1, d + 1)]), y[order]


def _boxes(*boxes):
    """Membership in a union of boxes, each given as ((low, high), ...) per coordinate."""

    def inside(points):
        return np.any(
            [
                np.all([(a <= x) & (x <= b) for x, (a, b) in zip(points.T, box, strict=True)], 0)
                for box in boxes
            ],
            axis=0,
        )

    return inside


def _diamonds(radius, *centres):
    """Membership in a union of L1 balls."""

    def inside(points):
        return np.any([np.abs(points - c).sum(axis=1) <= radius for c in centres], axis=0)

    return inside


@_generator
def corner():
    """The triangle x + y >= 180 at a corner, 100 of its 214 points positive.

    Re-created to match the authors' surviving sample (`boxdraw_corner`).
    """
    return _scene(1, 2, lambda points: points.sum(axis=1) >= 180, flooded=114)


@_generator
def diamond():
    """Two diamonds (L1 balls) of radius 5 at (25, 25) and (75, 75), pure.

    The plane's analogue of diamond3D; re-created from its name, not the authors' data.
    """
    return _scene(2, 2, _diamonds(5, 25, 75))


@_generator
def square():
    """One square, [45, 55]^2, pure; re-created from its name, not the authors' data."""
    return _scene(3, 2, _boxes([(45, 55)] * 2))


@_generator
def castle():
    """A wall of 14 by 5 with three merlons of 2 by 5 on top, pure.

    Re-created from its name, not the authors' data.
    """
    wall = ((43, 57), (43, 48))
    merlons = [((x, x + 2), (48, 53)) for x in (43, 49, 55)]
    return _scene(4, 2, _boxes(wall, *merlons))


@_generator
def flooded():
    """Five islands of 8 by 5, half flooded: 100 negatives lie among the 100 positives.

    Re-created from its name, not the authors' data.
    """
    corners = [(10, 20), (30, 70), (50, 40), (70, 80), (80, 15)]
    islands = [((x, x + 8), (y, y + 5)) for x, y in corners]
    return _scene(5, 2, _boxes(*islands), flooded=100)


@_generator
def corner3D():
    """The tetrahedron x + y + z >= 80 at a vertex, 29 of its 58 points positive.

    Re-created from its name, not the authors' data.
    """
    return _scene(6, 3, lambda points: points.sum(axis=1) >= 80, flooded=29)


@_generator
def diamond3D():
    """Two diamonds (L1 balls) of radius 20 at (25, 25, 25) and (-25, -25, -25), pure.

    Re-created to match the authors' surviving sample (`boxdraw_diamond3D`).
    """
    return _scene(7, 3, _diamonds(20, 25, -25))


@_generator
def square3D():
    """One cube, [-15, 15]^3, pure; re-created from its name, not the authors' data.

    The paper lists flooded3D twice; a square3D, as in the plane, is our reading of the second.
    """
    return _scene(8, 3, _boxes([(-15, 15)] * 3))


@_generator
def castle3D():
    """A wall of 60 by 10 by 30 with three merlons of 12 by 10 by 30 on top, pure.

    Re-created from its name, not the authors' data.
    """
    wall = ((-30, 30), (-5, 5), (-30, 0))
    merlons = [((x, x + 12), (-5, 5), (0, 30)) for x in (-30, -6, 18)]
    return _scene(9, 3, _boxes(wall, *merlons))


@_generator
def flooded3D():
    """Four islands of side 24, half flooded: 29 negatives lie among the 29 positives.

    Re-created from its name, not the authors' data.
    """
    corners = [(-40, -40, -40), (15, -35, 10), (-35, 15, 5), (10, 20, -45)]
    islands = [[(a, a + 24) for a in corner] for corner in corners]
    return _scene(10, 3, _boxes(*islands), flooded=29)


def example_table():
    """The table in data/bundled/example_imbalanced.csv: invented customers, a few of whom leave.

    Those who leave are mostly young customers with a high bill on the basic plan.
    """
    rng = np.random.default_rng(11)
    n = 300
    age = rng.integers(18, 80, size=n)
    bill = rng.integers(500, 12_000, size=n) / 100
    plan = np.array(["basic", "plus", "premium"])[rng.integers(0, 3, size=n)]
    at_risk = (age < 40) & (bill > 50) & (plan == "basic")
    leaves = rng.random(n) < np.where(at_risk, 0.8, 0.03)
    table = pd.DataFrame({"age": age, "monthly_bill": bill, "plan": plan})
    for column in table:
        table[column] = table[column].where(rng.random(n) > 0.04)
    # Nullable integers: a missing age must not turn the others into 26.0.
    return table.convert_dtypes().assign(outcome=np.where(leaves, "yes", "no"))
