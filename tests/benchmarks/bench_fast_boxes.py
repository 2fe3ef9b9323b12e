"""Seconds and memory of a path of 10 weights, against rows, features and boxes.

    python tests/benchmarks/bench_fast_boxes.py

Every line is measured in a process of its own, because the peak of memory never goes down. "beyond
data" is that peak less the memory before the call, which already holds the data.
"""

import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter

import numpy as np

from minority.boxes import fast_boxes_path

WEIGHTS = np.arange(1, 11) / 10
SIZES = [10_000 * 2**i for i in range(7)] + [1_000_000]
CASES = [(n, 30, 5) for n in SIZES]
CASES += [(200_000, d, 5) for d in (15, 30, 60, 120)]
CASES += [(200_000, 30, k) for k in (1, 2, 4, 8, 16)]


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux


def measure(n_samples, n_features, n_clusters):
    """Seconds of the path and of prediction, and megabytes of the data and beyond it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features))
    y = np.zeros(n_samples, dtype=bool)
    y[: n_samples // 100] = True  # 1 % positives, in n_clusters groups
    X[y] = rng.uniform(-2, 2, size=(n_clusters, n_features))[np.arange(y.sum()) % n_clusters]
    X[y] += 0.3 * rng.standard_normal((y.sum(), n_features))
    before = peak_mb()
    start = perf_counter()
    path = fast_boxes_path(X, y, majority_weights=WEIGHTS, n_clusters=n_clusters, random_state=0)
    fitted = perf_counter()
    path[-1].covers(X)
    covered = perf_counter()
    return fitted - start, covered - fitted, X.nbytes / 2**20, peak_mb() - before


def main():
    print("      rows features boxes  path_s  ratio  covers_s  data_mb  beyond_data_mb")
    previous = None
    for n, d, k in CASES:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            path_s, covers_s, data_mb, extra_mb = pool.submit(measure, n, d, k).result()
        # The ratio is shown where exactly one of the three sizes has doubled.
        doubled = previous and 2 * np.prod(previous[:3]) == n * d * k
        ratio = f"{path_s / previous[3]:.2f}" if doubled else ""
        print(
            f"{n:>10} {d:>8} {k:>5} {path_s:>7.3f} {ratio:>6} {covers_s:>9.3f} "
            f"{data_mb:>8.0f} {extra_mb:>15.0f}"
        )
        previous = (n, d, k, path_s)


if __name__ == "__main__":
    main()
