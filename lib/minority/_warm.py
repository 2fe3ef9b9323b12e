"""Compile every numba kernel once: ``python -m minority._warm``.

What numba compiles is kept beside the modules, so that the first model of a user comes at once.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd


def warm() -> None:
    """Fit each compiled estimator on a few rows."""
    for part in PARTS:
        part()


def _rows():
    """A table with categories, and its classes."""
    x = np.arange(60.0)
    X = pd.DataFrame({"x": x, "z": x % 7, "c": pd.Categorical(["a", "b"] * 30)})
    return X, (x % 4 == 0).astype(int)


def _warm_trees():
    from minority.ensembles import BoostingSVMClassifier
    from minority.rules import RIPPERClassifier
    from minority.sampling import InnerModels
    from minority.trees import BaggedTreesClassifier, C45Classifier, HellingerTreeClassifier

    X, y = _rows()
    for model in (C45Classifier(), HellingerTreeClassifier(), RIPPERClassifier(random_state=0)):
        model.fit(X, y).predict(X)
    numbers = X[["x", "z"]]
    InnerModels(C45Classifier(), numbers, y, random_state=0).search()
    bags = [BaggedTreesClassifier(n_estimators=2, max_bins=bins) for bins in (None, 8)]
    for model in (BoostingSVMClassifier(n_estimators=2), *bags):
        model.fit(numbers, y).predict(numbers)


def _warm_rlsd():
    from minority.rules import RLSDClassifier

    X, _ = _rows()
    numbers = X[["x", "z"]]
    # Batches of tables are arrays whose columns are in one piece.
    batches = [np.asfortranarray(numbers, dtype=dtype) for dtype in (np.float32, np.float64)]
    for frame in (X, numbers.astype(np.float32), *batches):
        RLSDClassifier().fit(frame, X["x"] > 40).predict(frame)


def _warm_boxes():
    from minority.boxes import FastBoxesClassifier, PRIMClassifier

    X, y = _rows()
    numbers = X[["x", "z"]]
    for model in (FastBoxesClassifier(), PRIMClassifier()):
        model.fit(numbers, y).predict(numbers)
    _warm_exact_boxes()


def _warm_exact_boxes():
    """Run all engines: the search may finish before the others have their turn."""
    from minority.boxes import ExactBoxesClassifier
    from minority.boxes import _exact_solve as exact
    from minority.boxes._exact_columns import solve_columns
    from minority.boxes._exact_problem import make_problem
    from minority.boxes._exact_relaxation import Relaxation

    X, positive = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) < 12
    problem = make_problem(X, positive, majority_weight=0.5, box_cost=0.1, max_boxes=2)
    found = exact.search(problem, deadline=np.inf)
    solve_columns(problem, found.low[:0], found.high[:0], deadline=np.inf)
    Relaxation(problem, found.low[:0], found.high[:0]).run(deadline=np.inf, work=np.inf)
    ExactBoxesClassifier(condition_cost=0.01, max_boxes=2).fit(X, positive).predict(X)


#: Hardly any kernel is in two of these, so that they can be compiled at the same time.
PARTS = (_warm_boxes, _warm_trees, _warm_rlsd)


if __name__ == "__main__":
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for part in [pool.submit(part) for part in PARTS]:
            part.result()
