"""Seconds of C4.5 against the number of rows, and of bagged trees that share one sort.

    python tests/benchmarks/bench_trees.py [rows|bags|small]

"small" puts processor seconds of C4.5 on the folds of weka_trees.py beside the J48 seconds stored
in data/results/weka_j48.csv, scaled by what scikit-learn's tree takes now and took then.

Compiled code is loaded before anything is measured. "beyond data" is the peak of memory less the
memory before the call, in a process of its own, because the peak never goes down.
"""

import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter, thread_time

import numpy as np
import pandas as pd
import weka_trees
from available import load_available
from sklearn.tree import DecisionTreeClassifier

from minority.trees import BaggedTreesClassifier, C45Classifier
from minority_reports import paths

SIZES = [15_625 * 2**i for i in range(7)]  # up to 1,000,000
BAG_SHAPE, N_TREES, SHARE = (285_000, 30), 100, 0.2


def simulated(n_samples, n_features, positives=0.002):
    """A rare class that differs from the rest in a third of the features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features))
    y = (rng.random(n_samples) < positives).astype(int)
    X[y == 1, : n_features // 3] += 1.5
    return X, y


def seconds(action):
    start = perf_counter()
    result = action()
    return perf_counter() - start, result


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux


def warm_up():
    X, y = simulated(300, 10, positives=0.3)
    C45Classifier().fit(X, y)
    BaggedTreesClassifier(n_estimators=1).fit(X, y)


def measure_rows(n_samples):
    warm_up()
    X, y = simulated(n_samples, 10, positives=0.02)
    before = peak_mb()
    ours, model = seconds(lambda: C45Classifier().fit(X, y))
    beyond = peak_mb() - before
    entropy = DecisionTreeClassifier(criterion="entropy", random_state=0)
    theirs, _ = seconds(lambda: entropy.fit(X, y))
    return ours, theirs, model.get_n_leaves(), X.nbytes / 2**20, beyond


def measure_bags(n_measured=10):
    """All trees of ours, and some of scikit-learn's on bootstraps of the same size."""
    warm_up()
    X, y = simulated(*BAG_SHAPE)
    before = peak_mb()
    model = BaggedTreesClassifier(n_estimators=N_TREES, max_samples=SHARE, random_state=0)
    ours, _ = seconds(lambda: model.fit(X, y))
    beyond = peak_mb() - before
    voting, _ = seconds(lambda: model.votes(X))
    rng = np.random.default_rng(0)
    theirs = 0.0
    for _ in range(n_measured):
        rows = rng.integers(len(X), size=round(SHARE * len(X)))
        tree = DecisionTreeClassifier(random_state=0)
        theirs += seconds(lambda tree=tree, rows=rows: tree.fit(X[rows], y[rows]))[0]
    return ours, theirs * N_TREES / n_measured, voting, X.nbytes / 2**20, beyond


def least(action, repeats=15):
    """Processor seconds of the fastest of some runs: those of other programs do not count."""
    taken = []
    for _ in range(repeats):
        start = thread_time()
        action()
        taken.append(thread_time() - start)
    return min(taken)


def measure_small():
    """One line per data set: milliseconds of the first fold, and J48's time in ours."""
    stored = pd.read_csv(paths.results() / "weka_j48.csv").query("fold == 0").set_index("dataset")
    available = dict(load_available(n for n in stored.index if not n.endswith(weka_trees.MISSING)))
    lines = []
    for name, fold, X, y, X_test, _ in weka_trees.folds(available):
        if fold:
            continue
        coded = X.apply(lambda c: c.cat.codes if c.dtype == "category" else c).to_numpy(float)
        model = C45Classifier(laplace=False).fit(X, y)
        model.predict(X_test)  # compiled, if it was not
        arrays = model._validate_fit(X, y, None)
        row = {
            "fit": least(lambda m=model, X=X, y=y: m.fit(X, y)),
            "build": least(lambda m=model, arrays=arrays: m._build(*arrays)),
            "predict": least(lambda m=model, X=X_test: m.predict(X)),
            "sklearn": least(lambda X=coded, y=y: weka_trees.ENTROPY_TREE.fit(X, y)),
        }
        j48 = stored["fit_j48_s"][name] * row["sklearn"] / stored["fit_sklearn_entropy_s"][name]
        lines.append({"dataset": name, "rows": len(X), **row, "j48": j48})
    frame = pd.DataFrame(lines).set_index("dataset")
    milliseconds = frame.drop(columns="rows") * 1000
    table = milliseconds.assign(rows=frame["rows"])
    table["J48 / fit"] = frame["j48"] / frame["fit"]
    table["J48 / build"] = frame["j48"] / frame["build"]
    print(table.round(3).to_string())
    for ratio in ("J48 / fit", "J48 / build"):
        print(f"{ratio}: geometric mean {np.exp(np.log(table[ratio]).mean()):.2f}")


def alone(function, *args):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def main():
    chosen = sys.argv[1:] or ["rows", "bags", "small"]
    if "rows" in chosen:
        print("     rows  fit_s  ratio  sklearn_s  leaves  data_mb  beyond_data_mb")
        previous = None
        for n in SIZES:
            ours, theirs, leaves, data_mb, extra_mb = alone(measure_rows, n)
            ratio = f"{ours / previous:.2f}" if previous else ""
            print(
                f"{n:>9} {ours:>6.3f} {ratio:>6} {theirs:>10.3f} {leaves:>7} {data_mb:>8.0f} "
                f"{extra_mb:>15.0f}",
                flush=True,
            )
            previous = ours
    if "small" in chosen:
        measure_small()
    if "bags" in chosen:
        ours, theirs, voting, data_mb, extra_mb = alone(measure_bags)
        print(f"{N_TREES} trees on {SHARE:.0%} of {BAG_SHAPE[0]} x {BAG_SHAPE[1]}, one thread:")
        print(f"  {ours:.1f} s; scikit-learn, tree by tree, {theirs:.1f} s: {theirs / ours:.1f} x")
        print(f"  votes {voting:.2f} s; data {data_mb:.0f} MB, beyond {extra_mb:.0f} MB")


if __name__ == "__main__":
    main()
