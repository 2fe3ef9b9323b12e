"""Seconds of RIPPERClassifier against rows, and beside wittgenstein where that is installed.

    python tests/benchmarks/bench_ripper.py [--max-rows 1000000]

First it puts processor seconds on folds of weka_jrip.py beside those of JRip that are stored in
data/results/weka_jrip.csv, which were measured on a machine of their own.
wittgenstein 0.3.5 is no dependency: `pip install wittgenstein==0.3.5` into any environment that
also has minority. Weka's JRip is in weka_jrip.py.
"""

import argparse
import importlib.util
from time import perf_counter, thread_time

import numpy as np
import pandas as pd
from available import load_available
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from weka_jrip import N_FOLDS

from minority.rules import RIPPERClassifier
from minority_reports import paths

DATASETS = ["glass2", "haberman", "pima", "vehicle1", "yeast3", "segment0"]
SIZES = [15_625 * 2**i for i in range(7)]  # to a million


def seconds_of(function, repeats=1, clock=perf_counter):
    best = np.inf
    for _ in range(repeats):
        start = clock()
        function()
        best = min(best, clock() - start)
    return best


def beside_stored_jrip():
    """The first fold with the seeds of weka_jrip.py; arrays where there are only numbers."""
    stored = pd.read_csv(paths.results() / "weka_jrip.csv").query("fold == 0")
    jrip_s = stored.groupby("dataset", sort=False)["seconds_jrip"].mean()
    print("data set               rows  ours_ms  jrip_ms  faster")
    ratios = []
    for name, data in load_available(jrip_s.index):
        X, y = data.X, np.asarray(data.y)
        train = next(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y))[0]
        is_numeric = all(map(pd.api.types.is_numeric_dtype, X.dtypes))
        X, y = X.iloc[train], y[train]
        X = X.to_numpy() if is_numeric else X
        models = [RIPPERClassifier(random_state=N_FOLDS * seed) for seed in stored["seed"].unique()]
        models[0].fit(X, y)  # compile
        ours_s = np.mean(
            [seconds_of(lambda m=m, X=X, y=y: m.fit(X, y), 5, thread_time) for m in models]
        )
        ratios.append(jrip_s[name] / ours_s)
        print(
            f"{name:<20} {len(X):>6} {1000 * ours_s:>8.2f} {1000 * jrip_s[name]:>8.2f} "
            f"{ratios[-1]:>7.1f}"
        )
    print(f"geometric mean {np.exp(np.log(ratios).mean()):.2f}")


def beside_wittgenstein():
    import wittgenstein

    print("data set     rows  ours_s  wittgenstein_s  faster    f1  wittgenstein_f1")
    for name, data in load_available(DATASETS):
        X, X_test, y, y_test = train_test_split(
            data.X, np.asarray(data.y), stratify=data.y, random_state=0
        )
        ours = RIPPERClassifier(random_state=0)
        theirs = wittgenstein.RIPPER(k=2, random_state=0)
        ours.fit(X, y)  # compile
        ours_s = seconds_of(lambda ours=ours, X=X, y=y: ours.fit(X, y), repeats=5)
        theirs_s = seconds_of(lambda theirs=theirs, X=X, y=y: theirs.fit(X, y, pos_class=1))
        f1 = f1_score(y_test, ours.predict(X_test), zero_division=0)
        theirs_f1 = f1_score(y_test, theirs.predict(X_test), zero_division=0)
        print(
            f"{name:<10} {len(X):>6} {ours_s:>7.4f} {theirs_s:>15.3f} {theirs_s / ours_s:>7.0f} "
            f"{f1:>5.2f} {theirs_f1:>16.2f}"
        )


def make_data(n_samples, n_features=10):
    """2 % positives, most of them in three boxes, and as much noise in the labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_samples, n_features))
    centres = rng.uniform(0.2, 0.8, size=(3, 3))
    inside = [
        np.all(np.abs(X[:, 3 * k : 3 * k + 3] - centre) < 0.09, axis=1)
        for k, centre in enumerate(centres)
    ]
    y = np.any(inside, axis=0) ^ (rng.random(n_samples) < 0.003)
    return X, y.astype(int)


def growth(max_rows):
    print("     rows  fit_s  ratio  predict_s  rules")
    previous = None
    for n in (n for n in SIZES if n <= max_rows):
        X, y = make_data(n)
        model = RIPPERClassifier(random_state=0)
        model.fit(X[:100], np.arange(100) < 20)  # compile
        fit_s = seconds_of(lambda model=model, X=X, y=y: model.fit(X, y))
        predict_s = seconds_of(lambda model=model, X=X: model.predict(X))
        ratio = f"{fit_s / previous:.2f}" if previous else ""
        print(f"{n:>9} {fit_s:>6.2f} {ratio:>6} {predict_s:>10.3f} {len(model.rules_):>6}")
        previous = fit_s


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--max-rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    beside_stored_jrip()
    if importlib.util.find_spec("wittgenstein"):
        beside_wittgenstein()
    else:
        print("wittgenstein is not installed: left out.")
    growth(arguments.max_rows)


if __name__ == "__main__":
    main()
