"""KDD Cup 1999: five classes of connections to a network, prepared as Chawla et al. (2008) did."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports.datasets.readers import ATTACK_CATEGORY
from minority_reports.datasets.registry import _find, _read_from

#: What is thinned out in each of the paper's two training sets.
_THINNED = {1: ("normal",), 2: ("normal", "neptune")}

#: Table 5: the cost of taking a row's class for a column's, as the competition scored entries.
KDDCUP99_COSTS = pd.DataFrame(
    [[0, 2, 2, 1, 2], [2, 0, 2, 2, 3], [2, 2, 0, 2, 4], [2, 2, 2, 0, 1], [2, 2, 2, 1, 0]],
    index=pd.Index(["dos", "u2r", "r2l", "probe", "normal"], name="actual"),
    columns=pd.Index(["dos", "u2r", "r2l", "probe", "normal"], name="predicted"),
)


class KDDCup99(NamedTuple):
    """Training and test rows with their classes: dos, normal, probe, r2l or u2r."""

    X_train: pd.DataFrame
    y_train: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    counts: pd.DataFrame  # rows of each class: in the training file, distinct, training, test


def load_kddcup99(training=1, *, full=False):
    """Load one of the two training sets of Table 6 and the corrected test set.

    Rows that repeat an earlier one, name of the attack included, are removed. Then those that were
    there only once are removed too: from the normal connections (Training Data 1), or from these
    and the attack called neptune (Training Data 2). The test rows stay as they are.

    Parameters
    ----------
    training : {1, 2}, default=1
        Training Data 1 or 2.
    full : bool, default=False
        Whether to start from the full training file of 4,898,431 rows, as the paper does, and not
        from the file with a tenth of them. Of the latter nearly all normal rows are there only
        once, so few are left, and results are not comparable with the paper's.

    Returns
    -------
    KDDCup99
        A named tuple of `X_train`, `y_train`, `X_test`, `y_test` and `counts`. Categories that no
        training row has are missing in the test rows.

    Raises
    ------
    DatasetUnavailableError
        If a file is not available; the message says what to do. Nothing takes its place.
    """
    if training not in _THINNED:
        raise ValueError(f"training must be 1 or 2, got {training!r}.")
    X, attacks = _read_attacks("kddcup99" if full else "kddcup99_10")
    rows = X.assign(attack=attacks)
    distinct = ~rows.duplicated().to_numpy()
    once = ~rows.duplicated(keep=False).to_numpy()
    kept = distinct & ~(once & np.isin(attacks, _THINNED[training]))
    X_test, test_attacks = _read_attacks("kddcup99_corrected")
    parts = {
        "in the file": attacks,
        "distinct": attacks[distinct],
        "training": attacks[kept],
        "test": test_attacks,
    }
    classes = {name: _categories(part) for name, part in parts.items()}
    X_train = X[kept].reset_index(drop=True)
    for name in X_train.select_dtypes("category"):
        X_train[name] = X_train[name].cat.remove_unused_categories()
        X_test[name] = X_test[name].cat.set_categories(X_train[name].cat.categories)
    counts = {name: pd.Series(part).value_counts() for name, part in classes.items()}
    counts = pd.DataFrame(counts).reindex(KDDCUP99_COSTS.index).fillna(0).astype(int)
    return KDDCup99(
        X_train, classes["training"], X_test, classes["test"], counts.rename_axis("class")
    )


def _categories(attacks):
    return pd.Series(attacks).map(ATTACK_CATEGORY).to_numpy().astype(str)


def _read_attacks(name):
    """A registered file with the names of attacks, still checked against the registry.

    The registry's 0/1 target, which is part of its hash, is one of the categories: the same rows
    are found by the names of its attacks.
    """
    entry, places = _find(name)
    attacks = [attack for attack, kind in ATTACK_CATEGORY.items() if kind == entry.positive]
    by_name = replace(
        entry, steps=("attack-names",), target=f"{entry.target_column}={'|'.join(attacks)}"
    )
    data = _read_from(by_name, [replace(place, entry=by_name) for place in places])
    return data.X, data.classes
