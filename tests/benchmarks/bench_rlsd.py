"""Seconds and memory of ChiMerge and RLSDClassifier.

    python tests/benchmarks/bench_rlsd.py discretise|rules|growth|large [--rows N] [--n-jobs 2]
    python tests/benchmarks/bench_rlsd.py against --other path/to/another/lib [--rows N]

`discretise` puts both versions beside the textbook one, which computes all chi-squares again after
each merge, on one feature of fewer rows; `rules` generates and evaluates 100,000 rules; `growth`
doubles rows, features and max_rules one at a time; `large` fits float32 data of --rows rows, by
default 6,000,000. `against` fits and predicts with this version and another one in turn, on 500,000
rows by default, prints the ratios of the processor's seconds and says whether the models are equal,
bit by bit; another version is had by `git archive 5544600 lib | tar x -C folder`.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.stats import chi2

from minority.rules import ChiMerge, RLSDClassifier

ROWS, FEATURES, POSITIVES = 69_261, 70, 273  # the paper's first training set


def make_data(n_rows=ROWS, n_features=FEATURES, n_positives=POSITIVES, seed=0):
    """Noise in float32, where each positive is shifted in one of five groups of four features."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, n_features), dtype=np.float32)
    for start in range(0, n_rows, 100_000):
        rng.standard_normal(out=X[start : start + 100_000], dtype=np.float32)
    y = np.zeros(n_rows, dtype=np.int8)
    positives = rng.choice(n_rows, n_positives, replace=False)
    y[positives] = 1
    group = rng.integers(0, 5, n_positives)
    for offset in range(4):
        X[positives, (4 * group + offset) % n_features] += 1.5
    return X, y


def seconds_of(function):
    start = perf_counter()
    function()
    return perf_counter() - start


def textbook_chimerge(column, y, significance=0.05):
    """Lower bounds of the intervals: all chi-squares again after each merge, no heap."""
    values, interval = np.unique(column, return_inverse=True)
    counts = np.array([np.bincount(interval, weights=y == c) for c in (0, 1)])
    lower, threshold = values, chi2.isf(significance, df=1)
    while len(lower) > 1:
        rows, classes = counts.sum(axis=0), counts[:, :-1] + counts[:, 1:]
        margins = rows[:-1] * rows[1:] * classes[0] * classes[1]
        cross = counts[0, :-1] * counts[1, 1:] - counts[1, :-1] * counts[0, 1:]
        total = rows[:-1] + rows[1:]
        chi = np.divide(total * cross**2, margins, out=np.zeros(len(margins)), where=margins > 0)
        least = int(chi.argmin())
        if chi[least] > threshold:
            break
        counts[:, least] += counts[:, least + 1]
        counts = np.delete(counts, least + 1, axis=1)
        lower = np.delete(lower, least + 1)
    return lower


def discretise(args):
    X, y = make_data()
    fit_s = {}
    for method in ("minority", "classic"):
        model = ChiMerge(method=method, n_jobs=args.n_jobs)
        model.fit(X[:200], np.arange(200) % 2)  # compile
        fit_s[method] = seconds_of(lambda model=model: model.fit(X, y))
        n_cuts = sum(map(len, model.cut_points_))
        print(f"{method:<9} {ROWS} x {FEATURES}: {fit_s[method]:.3f} s, {n_cuts} cuts")
    print(f"classic with a heap / minority: {fit_s['classic'] / fit_s['minority']:.1f}")
    print("   rows  textbook_s  classic_s  minority_s   (one feature)")
    textbook_s = 0.0
    for n in (4_000, 8_000, 16_000):
        previous = textbook_s
        rows = np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[: n - POSITIVES]]
        column, labels = X[rows, :1], y[rows]
        textbook_s = seconds_of(lambda c=column, v=labels: textbook_chimerge(c[:, 0], v))
        both = [
            seconds_of(lambda m=m, c=column, v=labels: ChiMerge(method=m).fit(c, v))
            for m in ("classic", "minority")
        ]
        print(f"{n:>7} {textbook_s:>11.3f} {both[0]:>10.4f} {both[1]:>11.4f}")
    exponent = np.log2(textbook_s / previous)  # it tends to 2 from below
    per_feature = textbook_s * (ROWS / n) ** exponent
    estimate = per_feature * FEATURES / fit_s["minority"]
    print(f"textbook at {ROWS} rows, extrapolated by the last doubling (rows^{exponent:.2f}):")
    print(f"{per_feature:.0f} s per feature, {estimate:,.0f} times the minority version")


def report(model, X, y, label):
    fit_s = seconds_of(lambda: model.fit(X, y))
    print(
        f"{label:<28} {fit_s:>8.2f} s  {model.n_generated_:>7} generated "
        f"{model.n_qualified_:>7} qualified {len(model.rules_):>5} selected",
        flush=True,
    )
    return fit_s


def make_model(args, **options):
    options = {"max_rules": 100_000, "random_state": 0, "n_jobs": args.n_jobs, **options}
    return RLSDClassifier(**options)


def compile_all(args):
    X, y = make_data(2_000, 8, 20)
    make_model(args, max_rules=100).fit(X, y).predict(X)


def rules(args):
    compile_all(args)
    X, y = make_data()
    for min_precision in (0.01, 0.0):  # without a least precision nothing is given up early
        model = make_model(args, min_recall=0.01, min_precision=min_precision)
        report(model, X, y, f"100,000 rules, precision {min_precision}")
        print(f"predict: {seconds_of(lambda model=model: model.predict(X)):.2f} s")


def growth(args):
    compile_all(args)
    small = {"n_rows": 20_000, "n_features": 20, "n_positives": 200}
    for name, sizes in (
        ("n_rows", (20_000, 40_000, 80_000, 160_000, 320_000)),
        ("n_features", (20, 40, 80, 160)),
        ("n_positives", (200, 400, 800)),
    ):
        for size in sizes:
            X, y = make_data(**{**small, name: size})
            report(make_model(args, max_rules=10_000), X, y, f"{name} {size}")
    X, y = make_data(**{**small, "n_features": 40})  # with 20 there are not that many rules
    for max_rules in (5_000, 10_000, 20_000, 40_000, 80_000):
        report(make_model(args, max_rules=max_rules), X, y, f"max_rules {max_rules}")


def large(args):
    compile_all(args)
    X, y = make_data(args.rows, n_positives=args.rows * POSITIVES // ROWS)
    # The share of positives that a rule of two examples must cover falls as they get more.
    model = make_model(args, min_recall=0.001, min_precision=0.005)
    report(model, X, y, f"{args.rows} x {FEATURES} float32")
    print(f"predict: {seconds_of(lambda: model.predict(X)):.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory {peak:.2f} GB, of which data {X.nbytes / 2**30:.2f} GB")


#: The paper's version and the defaults, where the other version knows them.
VERSIONS = {
    "as published": {"significance": 0.05, "scored_by": "selected", "join": False},
    "defaults": {},
}


def one_version(args):
    """Processor's seconds of this process's version, best of three, and digests of its models."""
    compile_all(args)
    X, y = make_data(args.rows, n_positives=args.positives)
    known, found = RLSDClassifier().get_params(), {}
    for name, options in VERSIONS.items():
        options = {k: v for k, v in options.items() if k in known}
        model = make_model(args, min_recall=0.01, max_rules=10_000, **options)
        seconds = {"fit": [], "predict_proba": []}
        for _ in range(3):
            for part, function in (
                ("fit", lambda model=model: model.fit(X, y)),
                ("predict_proba", lambda model=model: model.predict_proba(X)),
            ):
                start = process_time()
                function()
                seconds[part].append(process_time() - start)
        text = f"{model.to_text()}{model.rule_table_.to_csv()}"
        digest = sha256(text.encode() + model.predict_proba(X).tobytes()).hexdigest()
        best = {part: min(values) for part, values in seconds.items()}
        found[name] = {"digest": digest, "qualified": model.n_qualified_, **best}
    print(json.dumps(found))


def against(args):
    args.rows = min(args.rows, 500_000)
    here = Path(__file__).resolve()
    found = {}
    for text, lib in (("other", args.other), ("this", here.parents[2] / "lib")):
        command = [sys.executable, str(here), "one_version", "--rows", str(args.rows)]
        command += ["--n-jobs", str(args.n_jobs), "--positives", str(args.positives)]
        paths = os.environ | {"PYTHONPATH": str(Path(lib).resolve())}
        answer = subprocess.run(command, env=paths, check=True, capture_output=True, text=True)
        found[text] = json.loads(answer.stdout.splitlines()[-1])
    for name in VERSIONS:
        other, this = (found[text][name] for text in ("other", "this"))
        ratios = [
            f"{part} {other[part]:.2f} / {this[part]:.2f} s = {other[part] / this[part]:.1f}"
            for part in ("fit", "predict_proba")
        ]
        equal = "equal" if other["digest"] == this["digest"] else "different"
        print(f"{name:<13} {', '.join(ratios)}; models are {equal}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = {f.__name__: f for f in (discretise, rules, growth, large, against, one_version)}
    parser.add_argument("part", choices=parts)
    parser.add_argument("--rows", type=int, default=6_000_000)
    parser.add_argument("--positives", type=int, default=500)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--other", help="folder with the packages of another version")
    args = parser.parse_args()
    parts[args.part](args)
