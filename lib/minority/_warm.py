"""Compile every numba kernel once and build matplotlib's font list: ``python -m minority._warm``.

What numba compiles is kept beside the modules, so that the first model of a user comes at once.
"""

import numpy as np
import pandas as pd


def warm() -> None:
    """Fit each compiled estimator on a few rows."""
    import matplotlib.pyplot  # noqa: F401

    from minority.rules import PRIMClassifier, RIPPERClassifier
    from minority.trees import BaggedTreesClassifier, C45Classifier, HellingerTreeClassifier

    x = np.arange(60.0)
    X = pd.DataFrame({"x": x, "z": x % 7, "c": pd.Categorical(["a", "b"] * 30)})
    y = (x % 4 == 0).astype(int)
    models = [C45Classifier(), HellingerTreeClassifier(), RIPPERClassifier(random_state=0)]
    for model in models:
        model.fit(X, y).predict(X)
    for model in (PRIMClassifier(), BaggedTreesClassifier(n_estimators=2)):
        model.fit(X[["x", "z"]], y).predict(X[["x", "z"]])


if __name__ == "__main__":
    warm()
