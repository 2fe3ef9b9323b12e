"""Processor seconds of DAMVI: the weights of the votes, the fit, and a plain version of the paper.

    python tests/benchmarks/bench_damvi.py weights [--rows 200000] [--voters 100]
    python tests/benchmarks/bench_damvi.py fit [--rows 100000] [--features 30] [--voters 100]
    python tests/benchmarks/bench_damvi.py whole [--rows 285000] [--features 30] [--voters 100]
        [--data creditcard] [--splits 1]

"weights" starts from the votes, of trees and of made-up voters with independent errors, and
compares with SLSQP on a loss that is summed over the rows, with its exact gradient, at scipy's
default tolerance and at that of solver="slsqp". "fit" compares DAMVI with the bagged trees alone.
"whole" compares fit and prediction with scikit-learn's bagging and the same SLSQP, on made-up data
or on a data set of which 30 % are put aside. Compiled code is loaded before anything is measured;
all run in one thread if OMP_NUM_THREADS=1.
"""

import argparse
from functools import partial
from time import process_time

import numpy as np
from available import load_available
from scipy.optimize import minimize
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import train_test_split

from minority.ensembles import DAMVIClassifier, weigh_votes
from minority.trees import BaggedTreesClassifier
from minority_reports.statistics import corrected_interval


def simulated(n_samples, n_features, positives=0.002, seed=0):
    """A rare class that differs from the rest in a third of the features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    y = (rng.random(n_samples) < positives).astype(int)
    X[y == 1, : n_features // 3] += 1.5
    return X, y


def votes_of_trees(n_samples, n_voters):
    X, y = simulated(n_samples, 10)
    bag = BaggedTreesClassifier(n_estimators=n_voters, random_state=0).fit(X, y)
    return bag.votes(X), (2 * y - 1).astype(np.int8)


def independent_votes(n_samples, n_voters):
    """Voters of different skill with errors of their own, more of them on hard rows."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n_samples) < 0.02, 1, -1).astype(np.int8)
    hardness = (rng.random(n_samples) * np.where(y == 1, 0.7, 0.02)).astype(np.float32)
    votes = np.empty((n_voters, n_samples), dtype=np.int8)
    for k, skill in enumerate(rng.uniform(0.5, 1.5, n_voters)):
        votes[k] = np.where(rng.random(n_samples, np.float32) < hardness * skill, -y, y)
    return votes.T, y


def summed_slsqp(votes, y, tolerance=1e-6):
    """The paper's step 7 and 8 as they are written: every evaluation sums over the rows."""
    right = np.ascontiguousarray(votes * y[:, None], dtype=np.float64)
    weight = np.where(y == 1, np.exp(-right.mean(axis=1)), 1)
    weight /= weight.sum()

    def loss(q):
        margin = right @ q
        first, second = weight @ margin, weight @ margin**2
        ratio = first / second
        return -first * ratio, -2 * ratio * ((weight * (1 - ratio * margin)) @ right)

    n_voters = votes.shape[1]
    sums_to_one = {
        "type": "eq",
        "fun": lambda q: q.sum() - 1,
        "jac": lambda q: np.ones(n_voters),
    }
    found = minimize(
        loss,
        np.full(n_voters, 1 / n_voters),
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * n_voters,
        constraints=sums_to_one,
        options={"ftol": tolerance, "maxiter": 1000},
    )
    return found.x, 1 + found.fun


def seconds(action, repeats=1):
    best = np.inf
    for _ in range(repeats):
        start = process_time()
        result = action()
        best = min(best, process_time() - start)
    return best, result


def bench_weights(args):
    for make in (votes_of_trees, independent_votes):
        votes, y = make(args.rows or 200_000, args.voters)
        print(f"{make.__name__}, {votes.shape[1]} voters on {len(y)} rows:")
        ours = {}
        for solver in ("nnls", "slsqp"):
            taken, found = seconds(partial(weigh_votes, votes, y, solver=solver), 5)
            ours[solver] = taken
            print(f"  {solver:<19} {taken:.3f} s, C-bound {found.c_bound:.9f}")
        for tolerance in (1e-6, 1e-10):
            taken, (_, bound) = seconds(partial(summed_slsqp, votes, y, tolerance), 2)
            print(
                f"  summed loss, {tolerance:.0e}  {taken:.3f} s, C-bound {bound:.9f}; nnls is "
                f"{taken / ours['nnls']:.0f} times as fast"
            )


def bench_fit(args):
    X, y = simulated(args.rows or 100_000, args.features)
    options = {"n_estimators": args.voters, "random_state": 0}
    bag, model = BaggedTreesClassifier(**options), DAMVIClassifier(**options)
    alone = damvi = np.inf
    for _ in range(3):  # in turns, because a busy machine slows both
        alone = min(alone, seconds(lambda: bag.fit(X, y))[0])
        damvi = min(damvi, seconds(lambda: model.fit(X, y))[0])
    voting, _ = seconds(lambda: bag.votes(X), 3)
    print(
        f"{args.voters} trees on {X.shape[0]} x {X.shape[1]}: alone {alone:.2f} s, DAMVI "
        f"{damvi:.2f} s, {damvi / alone - 1:+.1%}; the votes take {voting:.2f} s; "
        f"{(model.weights_ > 0).sum()} voters with weight"
    )


def bench_whole(args):
    gaps = []
    loaded = dict(load_available([args.data] if args.data else []))
    if args.data and not loaded:
        return
    for split in range(args.splits):
        if args.data:
            data = loaded[args.data]
            X, X_new, y, y_new = train_test_split(
                data.X.to_numpy(float), data.y, test_size=0.3, stratify=data.y, random_state=split
            )
        else:
            n, d = args.rows or 285_000, args.features
            X, y = simulated(n, d, seed=2 * split)
            X_new, y_new = simulated(n // 2, d, seed=2 * split + 1)
        gaps.append(compare_whole(X, y, X_new, y_new, args.voters, split))
    if args.splits > 1:
        for name, differences in zip(("F1", "average precision"), np.transpose(gaps), strict=True):
            mean, low, high = corrected_interval(differences, test_share=0.3)
            print(f"{name}, ours less plain: {mean:+.4f}, 95 % from {low:+.4f} to {high:+.4f}")


def compare_whole(X, y, X_new, y_new, voters, seed):
    """Print seconds and quality of both ways; return by how much ours is better."""

    def ours():
        model = DAMVIClassifier(n_estimators=voters, random_state=seed).fit(X, y)
        return model.decision_function(X_new)

    def theirs():
        bag = BaggingClassifier(n_estimators=voters, max_samples=0.2, random_state=seed)
        bag.fit(X, y)

        def votes(rows):
            rows = rows.astype(np.float32)
            labels = [tree.predict(rows, check_input=False) for tree in bag.estimators_]
            return np.array([2 * label - 1 for label in labels], dtype=np.int8).T

        q, _ = summed_slsqp(votes(X), (2 * y - 1).astype(np.int8))
        return (votes(X_new) @ q).round(12)

    size = f"{X.shape[0]} x {X.shape[1]}"
    print(f"fit on {size} and score {len(X_new)} rows, {voters} voters:", flush=True)
    qualities = []
    for name, action in (("ours", ours), ("plain", theirs)):
        taken, score = seconds(action)
        f1, ap = f1_score(y_new, score > 0), average_precision_score(y_new, score)
        print(f"  {name:<5} {taken:7.1f} s, F1 {f1:.4f}, average precision {ap:.4f}", flush=True)
        qualities.append((f1, ap))
    return np.subtract(*qualities)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    benches = {"weights": bench_weights, "fit": bench_fit, "whole": bench_whole}
    parser.add_argument("which", choices=benches)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--features", type=int, default=30)
    parser.add_argument("--voters", type=int, default=100)
    parser.add_argument("--data", help="name of a numeric data set, for whole")
    parser.add_argument("--splits", type=int, default=1, help="repetitions, for whole")
    args = parser.parse_args()
    DAMVIClassifier(n_estimators=2).fit(*simulated(300, 4, positives=0.3))  # compile
    benches[args.which](args)


if __name__ == "__main__":
    main()
