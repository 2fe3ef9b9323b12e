"""Compile every numba kernel once: ``python -m minority._warm``.

What numba compiles is kept beside the modules, so that the first model of a user comes at once.
"""

import numpy as np
import pandas as pd


def warm() -> None:
    """Fit each compiled estimator on a few rows."""
    from minority.boxes import FastBoxesClassifier, PRIMClassifier
    from minority.ensembles import BoostingSVMClassifier
    from minority.rules import RIPPERClassifier, RLSDClassifier
    from minority.trees import BaggedTreesClassifier, C45Classifier, HellingerTreeClassifier

    x = np.arange(60.0)
    X = pd.DataFrame({"x": x, "z": x % 7, "c": pd.Categorical(["a", "b"] * 30)})
    y = (x % 4 == 0).astype(int)
    for model in (C45Classifier(), HellingerTreeClassifier(), RIPPERClassifier(random_state=0)):
        model.fit(X, y).predict(X)
    numbers = X[["x", "z"]]
    bags = [BaggedTreesClassifier(n_estimators=2, max_bins=bins) for bins in (None, 8)]
    svms = BoostingSVMClassifier(n_estimators=2)
    for model in (FastBoxesClassifier(), PRIMClassifier(), svms, *bags):
        model.fit(numbers, y).predict(numbers)
    # Batches of tables are arrays whose columns are in one piece.
    batches = [np.asfortranarray(numbers, dtype=dtype) for dtype in (np.float32, np.float64)]
    for frame in (X, numbers.astype(np.float32), *batches):
        RLSDClassifier().fit(frame, x > 40).predict(frame)
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


if __name__ == "__main__":
    warm()
