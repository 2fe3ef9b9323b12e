"""What the paper leaves to future work, unlabelled rows and more than two classes; and solvers.

Each follows from a fixed seed but for its seconds, and is stored.
"""

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

from minority.ensembles import DAMVIClassifier, pseudo_labels, weigh_votes
from minority.trees import BaggedTreesClassifier
from minority_reports import datasets
from minority_reports.experiments import derive_seed, stratified_splits
from minority_reports.experiments.studies import stored
from minority_reports.papers.damvi.protocol import BAG_SHARE, score_measures


@stored("damvi-pseudo-labels")
def pseudo_label_study(
    names=("yeast5", "page-blocks0"), *, shares=(0.1, 0.3), splits=5, n_clusters=5, seed=0
) -> pd.DataFrame:
    """DAMVI when most of the training rows have no label.

    Some `shares` of the training rows keep their label, drawn from each class by itself, at least
    two from each. For each data set, stratified 70/30 split, share and way of training
    (``trained_on``: the rows with a label, all rows with pseudo-labels for the others, by
    `n_clusters` centres for each class, or all rows with their true labels) ``f1`` and ``ap``, and
    ``precision`` and ``recall`` of the pseudo-labels, NaN where there are none.
    """
    rows = []
    for name, split, X, y, train, test in _numeric_splits(names, splits, seed):
        scale = X[train].std(axis=0)
        X_all, y_all = X[train] / np.where(scale > 0, scale, 1), y[train]
        X_test, y_test = X[test] / np.where(scale > 0, scale, 1), y[test]
        for share in shares:
            random_state = derive_seed(seed, name, split, share)
            known = _kept_labels(y_all, share, np.random.default_rng(random_state))
            guessed = y_all.copy()
            guessed[~known] = pseudo_labels(
                X_all[known],
                y_all[known],
                X_all[~known],
                n_clusters=n_clusters,
                random_state=random_state,
            )
            ways = {
                "labelled rows": (X_all[known], y_all[known]),
                "pseudo-labels": (X_all, guessed),
                "all labels": (X_all, y_all),
            }
            for trained_on, (X_part, y_part) in ways.items():
                # By its default the minority would be the rarer pseudo-label.
                model = DAMVIClassifier(
                    max_bins=None, pos_label=1, n_jobs=1, random_state=random_state
                )
                score = model.fit(X_part, y_part).decision_function(X_test)
                scored = score_measures(y_test, score)
                quality = {}
                if trained_on == "pseudo-labels":
                    right = (guessed[~known] == 1) & (y_all[~known] == 1)
                    quality["precision"] = right.sum() / max(1, (guessed[~known] == 1).sum())
                    quality["recall"] = right.sum() / max(1, (y_all[~known] == 1).sum())
                rows.append(
                    {"dataset": name, "split": split, "share": share, "trained_on": trained_on}
                    | {"f1": scored["f1"], "ap": scored["ap"]}
                    | quality
                )
    return pd.DataFrame(rows)


def _numeric_splits(names, splits, seed) -> Iterator[tuple]:
    for name in names:
        data = datasets.load(name)
        X = data.X.to_numpy(dtype=np.float64)
        cuts = stratified_splits(data.y, splits, derive_seed(seed, name))
        for split, (train, test) in enumerate(cuts):
            yield name, split, X, data.y, train, test


def _kept_labels(y, share, rng) -> np.ndarray:
    """Which rows keep their label."""
    known = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        known[rng.choice(rows, max(2, round(share * len(rows))), replace=False)] = True
    return known


@stored("damvi-multiclass")
def multiclass_study(
    names=("yeast_me2", "glass7", "satimage"), *, splits=5, fewest=10, seed=0
) -> pd.DataFrame:
    """DAMVI with the multiclass C-bound against equal weights of the same trees.

    On data sets of which the registry knows more than two classes; classes of fewer rows than
    `fewest` are left out. For each stratified 70/30 split and weights of the voters, ``"damvi"`` or
    ``"uniform"``: ``macro_f1``, ``balanced_accuracy``, ``accuracy`` and ``n_voters``; for DAMVI
    also ``c_bound`` and ``gibbs_risk`` on the training part.
    """
    from sklearn.metrics import balanced_accuracy_score, f1_score

    rows = []
    for name in names:
        data = datasets.load(name)
        labels, codes, counts = np.unique(data.classes, return_inverse=True, return_counts=True)
        kept = counts[codes] >= fewest
        X, y = data.X.to_numpy(dtype=np.float64)[kept], labels[codes[kept]]
        cuts = stratified_splits(y, splits, derive_seed(seed, name))
        for split, (train, test) in enumerate(cuts):
            model = DAMVIClassifier(
                max_bins=None, n_jobs=1, random_state=derive_seed(seed, name, split)
            )
            model.fit(X[train], y[train])
            votes = model.voters_.votes(X[test])
            counted = [(votes == label).sum(axis=1) for label in range(len(model.classes_))]
            ways = {
                "damvi": model.predict(X[test]),
                "uniform": model.classes_[np.argmax(counted, axis=0)],
            }
            found = {
                "damvi": {
                    "n_voters": np.count_nonzero(model.weights_),
                    "c_bound": model.c_bound_,
                    "gibbs_risk": model.gibbs_risk_,
                },
                "uniform": {"n_voters": len(model.weights_)},
            }
            for weights, predicted in ways.items():
                rows.append(
                    {"dataset": name, "classes": len(model.classes_), "split": split}
                    | {
                        "weights": weights,
                        "macro_f1": f1_score(y[test], predicted, average="macro"),
                        "balanced_accuracy": balanced_accuracy_score(y[test], predicted),
                        "accuracy": (predicted == y[test]).mean(),
                    }
                    | found[weights]
                )
    return pd.DataFrame(rows)


@stored("damvi-solvers")
def solver_study(name="page-blocks0", *, n_voters=(25, 50, 100, 200), seed=0) -> pd.DataFrame:
    """Non-negative least squares against the paper's SLSQP on the votes of K trees.

    For each K the seconds to grow the trees and to weigh their votes with either solver, the shared
    :math:`m` and :math:`G` included, and the C-bound that each reaches.
    """
    data = datasets.load(name)
    X, y = data.X.to_numpy(dtype=np.float64), data.y
    signs = (2 * y - 1).astype(np.int8)
    rows = {}
    for count in n_voters:
        bag = BaggedTreesClassifier(
            n_estimators=count, max_samples=BAG_SHARE, max_bins=None, n_jobs=1, random_state=seed
        )
        started = time.perf_counter()
        votes = bag.fit(X, y).votes(X)
        found = {"trees, s": time.perf_counter() - started}
        bounds = {}
        for solver, label in (("nnls", "NNLS"), ("slsqp", "SLSQP")):
            started = time.perf_counter()
            bounds[f"C-bound, {label}"] = weigh_votes(votes, signs, solver=solver).c_bound
            found[f"{label}, s"] = time.perf_counter() - started
        rows[count] = found | bounds
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("K")
