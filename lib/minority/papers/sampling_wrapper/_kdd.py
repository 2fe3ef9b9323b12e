"""KDD Cup 1999: the wrapper with five classes on both training sets, and the competition's costs.

The minority classes are those for which the paper's Table 6 has amounts of SMOTE, u2r and r2l; the
other three are undersampled. The paper does not say by which criterion it searched: here by F of
each class, as in the workshop paper of 2005 from which its best result is, and by cost.
"""

from collections.abc import Callable

import numpy as np

from minority._seeding import seeded
from minority.costs import expected_cost
from minority.datasets import KDDCUP99_COSTS, load_kddcup99
from minority.experiments import Fold
from minority.sampling import SamplingWrapperClassifier

CLASSES = tuple(KDDCUP99_COSTS.index)
MINORITY = ("u2r", "r2l")
#: Training set and criterion of the search; None is the learner alone.
SEARCHES = {
    f"training={training},{name}": (training, criterion)
    for training in (1, 2)
    for name, criterion in {"base": None, "f1": "f1", "cost": "cost"}.items()
}
KDD_MEASURES = (
    *("n_train", "n_test", "cost", "n_levels"),
    *(f"kept_{name}" for name in CLASSES if name not in MINORITY),
    *(f"smote_{name}" for name in MINORITY),
    *(f"{true}_as_{predicted}" for true in CLASSES for predicted in CLASSES),
)


def no_split(y: np.ndarray, folds: int, random_state: int) -> list[tuple]:
    """One fold without rows: `load_kddcup99` reads the files, of which the test rows are one."""
    return [(np.arange(0), np.arange(0))]


class KDDCup:
    """All searches with one learner; ``make()`` returns an unfitted one."""

    def __init__(self, make: Callable):
        self.make = make

    def __call__(self, fold: Fold) -> dict:
        rows, loaded = {}, {}
        for setting in fold.settings:
            training, criterion = SEARCHES[setting]
            if training not in loaded:
                loaded = {training: load_kddcup99(training)}
            rows[setting] = self._row(loaded[training], criterion, fold.random_state)
        return rows

    def _row(self, data, criterion, random_state):
        row = {}
        if criterion is None:
            model = seeded(self.make(), [random_state, 0]).fit(data.X_train, data.y_train)
        else:
            labels = np.unique(data.y_train)
            model = SamplingWrapperClassifier(
                self.make(),
                criterion=criterion,
                costs=KDDCUP99_COSTS.loc[labels, labels].to_numpy(),
                minority=list(MINORITY),
                random_state=random_state,
            ).fit(data.X_train, data.y_train)
            row = {f"kept_{name}": level for name, level in model.undersampling_.items()}
            row |= {f"smote_{name}": level for name, level in model.smote_.items()}
            row["n_levels"] = len(model.search_path_)
        predicted = model.predict(data.X_test)
        row |= {"n_train": len(data.y_train), "n_test": len(data.y_test)}
        row["cost"] = expected_cost(data.y_test, predicted, KDDCUP99_COSTS, labels=CLASSES)
        for true in CLASSES:
            for name in CLASSES:
                row[f"{true}_as_{name}"] = int(((data.y_test == true) & (predicted == name)).sum())
        return row
