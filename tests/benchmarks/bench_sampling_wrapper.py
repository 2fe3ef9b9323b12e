"""Processor seconds of the sampling wrapper: one outer fold, all criteria, shared and alone.

    python tests/benchmarks/bench_sampling_wrapper.py [--datasets phoneme satimage] [--alone]

The estimator is C4.5, or RIPPER with --ripper, on nine tenths of the rows with five inner folds.
"Together" searches by AUROC, F, and cost and beta-varied F at 13 cost ratios with one set of inner
models; "alone" gives each of the 28 searches inner models of its own and must find the same levels.
The last line compares ours with imbalanced-learn's SMOTE at 200 %: the share of minority rows that
no point is made from. All run in one thread if OMP_NUM_THREADS=1.
"""

import argparse
from time import process_time

import numpy as np
from available import load_available
from imblearn.over_sampling import SMOTE
from sklearn.model_selection import StratifiedKFold

from minority.rules import RIPPERClassifier
from minority.sampling import InnerModels, PercentSMOTE
from minority.trees import C45Classifier

RATIOS = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
SEARCHES = [("auroc", 1), ("f1", 1), *((c, r) for r in RATIOS for c in ("cost", "fbeta"))]
DATASETS = ("phoneme", "mammography", "segment", "page-blocks", "satimage")


def timed(action):
    start = process_time()
    result = action()
    return process_time() - start, result


def levels_of(found):
    return found.undersampling, found.smote


def bench_fold(estimator, X, y, alone):
    def inner():
        return InnerModels(estimator, X, y, random_state=0)

    def together():
        models = inner()
        return [models.search(name, costs=costs) for name, costs in SEARCHES], models.n_fits_

    taken, (found, n_fits) = timed(together)
    text = f"{taken:6.2f} s together ({n_fits} fits)"
    if alone:
        seconds = 0.0
        for (name, costs), expected in zip(SEARCHES, found, strict=True):
            one, result = timed(lambda n=name, c=costs: inner().search(n, costs=c))
            assert levels_of(result) == levels_of(expected), (name, costs)
            seconds += one
        text += f", {seconds:6.2f} s alone, {seconds / taken:.1f} times as long"
    return text


def unused_rows(sampler):
    """Share of rows that no point is made from, over 100 seeds.

    Row i is at 2^-i, so its nearest neighbour is the next row, and a point tells its row.
    """
    rows = 0.5 ** np.arange(40)
    X, y = np.append(rows, np.full(200, -1.0))[:, None], np.repeat([1, 0], [40, 200])
    shares = []
    for seed in range(100):
        points = sampler.set_params(random_state=seed).fit_resample(X, y)[0][240:, 0]
        made_from = np.floor(-np.log2(points)).astype(int)
        shares.append(1 - len(np.intersect1d(made_from, np.arange(38))) / 38)
    return np.mean(shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--alone", action="store_true", help="also each search alone")
    parser.add_argument("--ripper", action="store_true", help="RIPPER in place of C4.5")
    args = parser.parse_args()
    estimator = RIPPERClassifier(random_state=0) if args.ripper else C45Classifier()
    for name, data in load_available(args.datasets):
        folds = StratifiedKFold(10, shuffle=True, random_state=0)
        rows = next(folds.split(data.X, data.y))[0]
        X, y = data.X.iloc[rows], data.y[rows]
        estimator.fit(X, y).predict(X)  # compiled, if it was not
        print(f"{name:<12} {bench_fold(estimator, X, y, args.alone)}", flush=True)
    ours = unused_rows(PercentSMOTE(200, k_neighbors=1))
    theirs = unused_rows(SMOTE(sampling_strategy={1: 120}, k_neighbors=1))
    print(f"rows without a point at 200 %: ours {ours:.1%}, imbalanced-learn {theirs:.1%}")


if __name__ == "__main__":
    main()
