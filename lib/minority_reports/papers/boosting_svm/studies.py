"""What is small enough to be computed where it is shown; everything follows from a fixed seed."""

from functools import cache

import numpy as np
import pandas as pd

from minority.ensembles import BoostingSVMClassifier, linear_svm
from minority_reports import datasets
from minority_reports.experiments import Task
from minority_reports.papers.boosting_svm.protocol import (
    DELTAS,
    MAIN,
    Boosted,
    Parts,
    boosting_svm,
    class_measures,
    parts_of,
)

#: The public sets that are on every machine, so that a verdict is the same on all.
OFFLINE = ("abalone19_uci", "car-good", "glass7", "segment", "yeast_me2")


def fold_of(name: str, number: int = 0):
    """A fold of a data set as in the main comparison."""
    data = datasets.load(name)
    return MAIN.fold_of(Task(name, "b-svm", 0, number, 0), data.X, data.y)


@cache
def support_study(names=OFFLINE, n_near=5, share=0.1) -> pd.DataFrame:
    """Which support vectors are near the boundary of a linear SVM without costs.

    On the first fold of each set: the shares of negatives among all support vectors (``negative``)
    and among the `n_near` nearest to each of the `share` of the test rows that are closest to the
    boundary (``negative_near``), and the ``ratio`` n- / n+.
    """
    from sklearn.neighbors import NearestNeighbors

    rows = {}
    for name in names:
        parts = parts_of(fold_of(name))
        svm = linear_svm(random_state=0).fit(parts.X, parts.y)
        margin = np.where(parts.y == 1, 1, -1) * svm.decision_function(parts.X)
        support = margin <= 1 + 1e-3
        distance = np.abs(svm.decision_function(parts.X_test))
        closest = np.argsort(distance, kind="stable")[: max(1, round(share * len(distance)))]
        finder = NearestNeighbors(n_neighbors=min(n_near, int(support.sum())))
        near = finder.fit(parts.X[support]).kneighbors(parts.X_test[closest])[1]
        negative = parts.y[support] != 1
        rows[name] = {
            "negative": negative.mean(),
            "negative_near": negative[near].mean(),
            "ratio": (parts.y != 1).sum() / (parts.y == 1).sum(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")


@cache
def round_study(name: str = "yeast_me2", number: int = 0) -> pd.DataFrame:
    """G-mean of the vote after each round on all three parts of a fold, for each delta.

    Columns ``delta``, ``round``, ``part``, ``g_mean`` and ``chosen`` (the round that validation
    takes).
    """
    rows = []
    for delta in DELTAS:
        model, parts = Boosted(boosting_svm(delta=delta)).fit(fold_of(name, number))
        for part, X, y in _parts_by_name(parts):
            for m, predicted in enumerate(model.staged_predict(X), start=1):
                score = class_measures(y, predicted)["g_mean"]
                rows.append((delta, m, part, score, m == model.n_rounds_))
    return pd.DataFrame(rows, columns=["delta", "round", "part", "g_mean", "chosen"])


def _parts_by_name(parts: Parts):
    return (
        ("training", parts.X, parts.y),
        ("validation", parts.X_val, parts.y_val),
        ("test", parts.X_test, parts.y_test),
    )


def weights_by_round(model: BoostingSVMClassifier, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights of training rows before each round of a fitted model, and after the last."""
    wrong = np.array([machine.predict(X) != (y == 1) for machine in model.estimators_])
    grown = np.cumsum(model.alphas_[:, None] * wrong, axis=0)
    return np.exp(np.vstack([np.zeros(len(y)), grown]))


def two_dimensions(n: int = 240, n_positive: int = 30, seed: int = 1) -> tuple:
    """Two features: rare positives in a corner, blurred, that no line cuts off from the others."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(6 * n, 2))
    in_corner = (X + 0.15 * rng.normal(size=X.shape) > 0.5).all(axis=1)
    X = np.vstack([X[in_corner][:n_positive], X[~in_corner][: n - n_positive]])
    return X, (np.arange(n) < n_positive).astype(int)
