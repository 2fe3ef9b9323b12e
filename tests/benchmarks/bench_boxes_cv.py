"""Boxes whose parameters are chosen by cross-validation against a balanced tree of depth 3.

    python tests/benchmarks/bench_boxes_cv.py design [--repeats 1 --folds 2]
    python tests/benchmarks/bench_boxes_cv.py confirmation

On the showdown's folds of KEEL's sets, whose columns are coded as there. A set belongs to the
design if the SHA-256 of its name is divisible by 3: defaults were chosen on these, and the others
confirm. The tables show means over data sets, and how often a method is above the tree. Conditions
that only rank examples are counted apart. Seconds are the processor's: set OMP_NUM_THREADS=1.
"""

import argparse
import hashlib
from time import process_time

import numpy as np
import pandas as pd
from available import load_available
from joblib import Parallel, delayed
from scipy.stats import wilcoxon
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from minority import ExactBoxesClassifier, ExactBoxesClassifierCV, FastBoxesClassifierCV
from minority_reports.experiments import numeric_coder, with_random_state
from minority_reports.papers.showdown.protocol import EXPERIMENTS, KEEL, model_size, quality

TREE = "CART, depth 3, balanced"
METHODS = {
    "Exact Boxes CV": ExactBoxesClassifierCV(ranking="path"),
    "Exact Boxes, price 0.05": ExactBoxesClassifier(condition_cost=0.05),
    "Fast Boxes CV": FastBoxesClassifierCV(),
    TREE: DecisionTreeClassifier(max_depth=3, class_weight="balanced"),
}
COLUMNS = ["g_mean", "average_precision", "f1", "conditions", "to_rank", "seconds", "per_1000"]


def is_design(name):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


def folds_of(name, data, repeats, folds):
    experiment = EXPERIMENTS["defaults"]
    method = next(iter(experiment.methods))
    for task in experiment.tasks(datasets=[name], methods=[method], repeats=repeats, folds=folds):
        fold = experiment.fold_of(task, data.X, data.y)
        coder = numeric_coder().fit(fold.X_train)
        yield task, fold, coder.transform(fold.X_train), coder.transform(fold.X_test)


def measure(label, estimator, fold, X, X_test):
    """One row; two if the model has a path, which ranks what the same boxes predict."""
    model = with_random_state(clone(estimator), fold.random_state)
    start = process_time()
    model.fit(X, fold.y_train)
    seconds = process_time() - start
    row = {"method": label, "seconds": seconds, "per_1000": 1000 * seconds / len(X)}
    row |= {"conditions": model_size(model)[1], "status": getattr(model, "status_", "")}
    predicted = model.predict(X_test)
    if not hasattr(model, "decision_function"):
        return [row | quality(fold.y_test, predicted, model.predict_proba(X_test)[:, 1], None)]
    rows = [row | quality(fold.y_test, predicted, model.decision_function(X_test).round(12), None)]
    if getattr(model, "path_", None):
        rows[0] |= {"method": f"{label}, path", "to_rank": model.n_path_conditions_}
        depth = model.set_params(ranking="depth").decision_function(X_test).round(12)
        rows.append(row | quality(fold.y_test, predicted, depth, None))
        rows[1]["method"] = f"{label}, depth"  # its seconds are those of both
    return rows


def bench_set(name, data, methods, repeats, folds):
    rows = []
    for task, fold, X, X_test in folds_of(name, data, repeats, folds):
        for label, estimator in methods.items():
            found = measure(label, estimator, fold, X, X_test)
            rows += [{"set": name, "repeat": task.repeat, "fold": task.fold} | row for row in found]
    parts = pd.DataFrame(rows).groupby("method", sort=False)
    print(
        f"{name}: "
        + ", ".join(
            f"{label} {part['g_mean'].mean():.3f} in {part['seconds'].mean():.2f} s"
            for label, part in parts
        ),
        flush=True,
    )
    return rows


def bench(names, methods, repeats, folds, jobs=1):
    """One row per method, data set and fold."""
    found = Parallel(jobs)(
        delayed(bench_set)(name, data, methods, repeats, folds)
        for name, data in load_available(names)
    )
    frame = pd.DataFrame([row for rows in found for row in rows])
    return frame.reindex(columns=frame.columns.union(["to_rank"])).fillna({"to_rank": 0})


def summarise(rows):
    """Means over data sets, and on how many a method is above and below the tree."""
    means = rows.groupby(["method", "set"], sort=False)[COLUMNS].mean()
    table = means.groupby("method", sort=False).mean()
    for measure in ("g_mean", "average_precision", "f1"):
        by_set = means.pivot_table(measure, "set", "method").round(6)
        for label in table.index.drop(TREE, errors="ignore"):
            if TREE not in by_set:
                break
            gap = by_set[label] - by_set[TREE]
            p = wilcoxon(gap).pvalue if gap.any() else 1.0
            won = f"{(gap > 0).sum()}:{(gap < 0).sum()} p={p:.2g}"
            table.loc[label, f"{measure} vs tree"] = won
    return table.round(dict.fromkeys(COLUMNS, 3)).fillna("")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["design", "confirmation"])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    names = [name for name in KEEL if is_design(name) == (args.which == "design")]
    names = [name for name in names if not args.datasets or name in args.datasets]
    rows = bench(names, METHODS, args.repeats, args.folds, args.jobs)
    with pd.option_context("display.width", 250, "display.max_columns", None):
        print(summarise(rows))
    print("slowest per 1,000 rows:")
    slow = rows.groupby(["method", "set"])["per_1000"].mean().sort_values(ascending=False)
    print(slow.head(10).round(2).to_string())
    statuses = rows.groupby("method")["status"].value_counts()
    print(statuses[statuses.index.get_level_values(1) != ""].to_string())


if __name__ == "__main__":
    np.seterr(all="warn")
    main()
