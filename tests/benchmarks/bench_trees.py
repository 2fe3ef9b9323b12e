"""Seconds of C4.5 against the number of rows, and of bagged trees that share one sort.

    python tests/benchmarks/bench_trees.py [rows|bags]

Compiled code is loaded before anything is measured. "beyond data" is the peak of memory less the
memory before the call, in a process of its own, because the peak never goes down.
"""

import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from minority.trees import BaggedTreesClassifier, C45Classifier

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


def alone(function, *args):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def main():
    chosen = sys.argv[1:] or ["rows", "bags"]
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
    if "bags" in chosen:
        ours, theirs, voting, data_mb, extra_mb = alone(measure_bags)
        print(f"{N_TREES} trees on {SHARE:.0%} of {BAG_SHAPE[0]} x {BAG_SHAPE[1]}, one thread:")
        print(f"  {ours:.1f} s; scikit-learn, tree by tree, {theirs:.1f} s: {theirs / ours:.1f} x")
        print(f"  votes {voting:.2f} s; data {data_mb:.0f} MB, beyond {extra_mb:.0f} MB")


if __name__ == "__main__":
    main()
