"""Seconds of one box of PRIM, with and without cross-validation, against rows and features.

    python tests/benchmarks/bench_prim.py

Compilation is excluded by a first fit on little data. The "rounded" lines have ten values per
column, so that whole groups of equal values are peeled.
"""

from time import perf_counter

import numpy as np

from minority.boxes import PRIMClassifier

CASES = [(5_000, 20), (10_000, 30), (20_000, 30), (50_000, 30), (100_000, 30), (200_000, 30)]
CASES += [(100_000, d) for d in (15, 60)]


def sample(n_samples, n_features, rounded=False):
    """Noise with 1 % of positives in a box over four features, half of them elsewhere."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_samples, n_features))
    y = np.zeros(n_samples, dtype=bool)
    y[: n_samples // 100] = True
    X[: n_samples // 200, :4] = 0.3 + 0.2 * X[: n_samples // 200, :4]
    return (np.round(X, 1) if rounded else X), y


def seconds(X, y, **params):
    start = perf_counter()
    PRIMClassifier(max_boxes=1, min_support=0.01, **params).fit(X, y)
    return perf_counter() - start


def main():
    seconds(*sample(1_000, 3))
    print("    rows features    values  cv=None_s   cv=3_s")
    for n, d in CASES:
        for rounded in (False, True):
            X, y = sample(n, d, rounded)
            kind = "rounded" if rounded else "distinct"
            print(f"{n:>8} {d:>8} {kind:>9} {seconds(X, y, cv=None):>10.3f} {seconds(X, y):>8.3f}")


if __name__ == "__main__":
    main()
