"""Studies beside the protocol: clusters, fit times, rankings by trees.

Everything but seconds follows from a fixed seed.
"""

import time
from functools import cache, partial
from itertools import product

import numpy as np
import pandas as pd

from minority.boxes import FastBoxesClassifier
from minority.metrics import area_under_hull
from minority_reports import datasets
from minority_reports.experiments import Fold, derive_seed, numeric_parts
from minority_reports.experiments.studies import stored, stored_study
from minority_reports.papers.box_drawings.protocol import REAL, TABLE5, clustering, rates
from minority_reports.papers.fixed import fixed

#: Compact clusters, up to the ten boxes of the grid and beyond it, and two regions without any.
CLUSTERED, MORE_THAN_BOXES, UNCLUSTERED = (1, 2, 4, 8), (16,), ("ring", "checkerboard")
_SIDE, _PLACES = 0.1, 5  # of a cluster, and along each feature
_RADIUS, _WIDTH, _CELLS = 0.4, 0.05, 8  # of the ring, and of the checkerboard
#: Rows of each class in a simulated training part and test part.
_TRAIN, _TEST = (128, 1_152), (2_000, 8_000)


def scene(arrangement, d: int, counts: tuple[int, int], rng) -> tuple[np.ndarray, np.ndarray]:
    """Positives, evenly in a region of the unit cube, and negatives, evenly in the rest of it.

    `arrangement` is a number of cubes, or names a region of the first two of the `d` features;
    `counts` are the numbers of positives and of negatives.
    """
    n_positives, n_negatives = counts
    if arrangement in UNCLUSTERED:
        inside = {"ring": _in_ring, "checkerboard": _on_black}[arrangement]
        positives = _evenly(n_positives, d, rng, inside)
    else:
        cells = rng.choice(_PLACES**d, arrangement, replace=False)
        centres = (np.column_stack(np.unravel_index(cells, (_PLACES,) * d)) + 0.5) / _PLACES
        offsets = rng.uniform(-_SIDE / 2, _SIDE / 2, (n_positives, d))
        positives = centres[np.arange(n_positives) % arrangement] + offsets

        def inside(X):
            return (abs(X[:, None] - centres) <= _SIDE / 2).all(axis=2).any(axis=1)

    return positives, _evenly(n_negatives, d, rng, lambda X: ~inside(X))


def _in_ring(X):
    return abs(np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) - _RADIUS) <= _WIDTH / 2


def _on_black(X):
    return (_CELLS * X[:, :2]).astype(int).sum(axis=1) % 2 == 0


def _evenly(n, d, rng, inside):
    found = np.empty((0, d))
    while len(found) < n:
        drawn = rng.random((4 * n, d))
        found = np.vstack([found, drawn[inside(drawn)]])
    return found[:n]


@cache
def cluster_study(dimensions=(2, 5), draws=3, seed=0) -> pd.DataFrame:
    """Fast Boxes and CART, as in Table 5, on positives in clusters and without any.

    For each ``arrangement``, number of ``features`` and ``draw``, which has a training part and a
    test part of its own: the AUH of both, and ``clustering`` in the training part.
    """
    kinds = CLUSTERED + MORE_THAN_BOXES + UNCLUSTERED
    cases = {
        f"{d} features, {arrangement}, draw {draw}, seed {seed}": partial(
            scene_scores, arrangement, d, draw, seed
        )
        for d, arrangement, draw in product(dimensions, kinds, range(draws))
    }
    return stored_study("box_drawings-clusters-made-up", cases)


def scene_scores(arrangement, d: int, draw: int, seed: int) -> dict:
    """One row of `cluster_study`."""
    random_state = derive_seed(seed, arrangement, d, draw)
    rng = np.random.default_rng(random_state)
    total = np.add(_TRAIN, _TEST)
    classes = scene(arrangement, d, total, rng)
    train = np.vstack([X[:n] for X, n in zip(classes, _TRAIN, strict=True)])
    test = np.vstack([X[n:] for X, n in zip(classes, _TRAIN, strict=True)])
    y_train, y_test = (np.repeat([1, 0], counts) for counts in (_TRAIN, _TEST))
    parts = pd.DataFrame(train), y_train, pd.DataFrame(test), y_test
    fold = Fold(*parts, TABLE5.settings, random_state)
    return (
        {"features": d, "arrangement": str(arrangement), "draw": draw}
        | {method: float(_auh(method, fold)) for method in ("fast-boxes", "cart")}
        | {"clustering": float(clustering(train, y_train == 1))}
    )


def _auh(method, fold):
    return area_under_hull(*rates(list(TABLE5.methods[method].run(fold).values())))


@stored("box_drawings-growth")
def growth_study(
    sizes=(1_000, 3_000, 10_000, 30_000, 100_000),
    dimensions=(2, 4, 8, 16, 32, 64),
    *,
    size=10_000,
    dimension=8,
    seed=0,
) -> pd.DataFrame:
    """How the work of Fast Boxes and of two trees grows with the rows n and with the features d.

    One row in a hundred is positive, in two clusters of the first two features; the other features
    tell nothing. Fast Boxes has K = 2; the trees are grown without pruning. For what ``grows``,
    ``"n"`` or ``"d"``, and its value: of each learner the milliseconds of processor time for a fit,
    best of two, and the number of steps in millions: values looked at, and comparisons for sorting.
    """
    cases = [("n", n, n, dimension) for n in sizes] + [("d", d, size, d) for d in dimensions]
    rows = {}
    for grows, value, n, d in cases:
        rng = np.random.default_rng(derive_seed(seed, n, d))
        X, y = rng.random((n, d)), np.arange(n) < n // 100
        X[y, :2] = rng.choice([0.3, 0.7], (y.sum(), 1)) + rng.normal(0, 0.05, (y.sum(), 2))
        milliseconds, steps = {}, {}
        for label, (model, count) in _LEARNERS.items():
            model = model()
            seconds = [_processor_seconds(model.fit, X, y) for _ in range(2)]
            milliseconds["ms", label] = 1000 * min(seconds)
            steps["million steps", label] = count(model, n, d) / 1e6
        rows[grows, value] = milliseconds | steps
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    return frame.rename_axis(["grows", "value"])


@stored("box_drawings-ranking")
def ranking_study(most_rows=1_000, folds=2) -> pd.DataFrame:
    """Area under the ROC curve of C4.5's leaf probabilities, unpruned and pruned, by data set.

    With Laplace's correction, on the first folds of Table 5 and its sets of at most `most_rows`
    rows that come with an installed package.
    """
    from sklearn.metrics import roc_auc_score

    from minority.trees import C45Classifier

    facts = datasets.describe().set_index("name").loc[list(REAL)]
    names = facts.index[(facts["source"] == "keel") & (facts["n"].astype(int) <= most_rows)]
    rows = []
    for name in names:
        data = datasets.load(name)
        for task in TABLE5.tasks(datasets=[name], methods=["c45"], folds=folds):
            X_train, y_train, X_test, y_test = numeric_parts(TABLE5.fold_of(task, data.X, data.y))
            for tree, pruning in (("unpruned", None), ("pruned", "error")):
                model = C45Classifier(pruning=pruning).fit(X_train, y_train)
                area = roc_auc_score(y_test, model.predict_proba(X_test)[:, 1])
                rows.append((name, tree, area))
    frame = pd.DataFrame(rows, columns=["dataset", "tree", "area"])
    return frame.pivot_table(index="dataset", columns="tree", values="area", sort=False)


def _processor_seconds(fit, X, y):
    started = time.process_time()
    fit(X, y)
    return time.process_time() - started


def _fast_boxes():
    return fixed(FastBoxesClassifier, n_clusters=2, expansion=10, random_state=0)


def _tree():
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


def _c45():
    from minority.trees import C45Classifier

    return C45Classifier(pruning=None)


def _steps_of_boxes(model, n, d, rounds=10):
    """One pass over all rows for each box, and k-means on the positives, taken as ten rounds."""
    return model.n_clusters * d * (n + model.n_init * rounds * len(model.labels_))


def _steps_of_tree(model, n, d):
    """Every split sorts its rows by every feature."""
    at_split = model.tree_.n_node_samples[model.tree_.children_left >= 0]
    return float(d * (at_split * np.log2(at_split)).sum())


def _steps_of_c45(model, n, d):
    """All features are sorted once, and every split passes over its rows."""
    at_split = model.tree_.counts.sum(axis=1)[model.tree_.feature >= 0]
    return float(d * (n * np.log2(n) + at_split.sum()))


_LEARNERS = {
    "Fast Boxes": (_fast_boxes, _steps_of_boxes),
    "scikit-learn's tree": (_tree, _steps_of_tree),
    "C4.5": (_c45, _steps_of_c45),
}


def slopes(study: pd.DataFrame) -> pd.DataFrame:
    """Exponents of growth: the slopes of least-squares lines through the logarithms."""
    found = {}
    for grows, part in study.groupby(level="grows", sort=False):
        values = np.log(part.index.get_level_values("value"))
        found[grows] = {column: np.polyfit(values, np.log(part[column]), 1)[0] for column in part}
    return pd.DataFrame.from_dict(found, orient="index", columns=study.columns)


def local_slopes(steps: pd.DataFrame) -> pd.DataFrame:
    """Exponents of growth between each size and the next, by what ``grows``."""
    found = {}
    for grows, part in steps.groupby(level="grows", sort=False):
        values = np.log(part.index.get_level_values("value"))
        exponents = np.diff(np.log(part.to_numpy()), axis=0) / np.diff(values)[:, None]
        found[grows] = pd.DataFrame(exponents, columns=part.columns)
    return pd.concat(found, names=["grows", "step"])
