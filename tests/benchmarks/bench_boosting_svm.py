"""Processor seconds of Boosting-SVM: a chain of machines against each anew, rounds, solvers.

    python tests/benchmarks/bench_boosting_svm.py chain [--datasets letter segment yeast_me2]
    python tests/benchmarks/bench_boosting_svm.py rounds [--datasets letter] [--rounds 40]
    python tests/benchmarks/bench_boosting_svm.py solvers [--datasets letter]

"chain" fits the model and trains each of its machines a second time, with LinearSVC on the same
prices, the first one once for each delta; it says by how much the objectives differ. "rounds" fits
the model with one delta on 90 % of the rows, of which 2/9 validate, and compares with the same
machines trained alone on the same weights. "solvers" trains one machine on the costs of the
classes, and on those with the errors of a first machine raised; the objective is that of the hinge
loss without a penalty on the intercept. Features are standardised, categories one-hot coded; all
run in one thread if OMP_NUM_THREADS=1.
"""

import argparse
import warnings
from time import process_time

import numpy as np
import pandas as pd
from available import load_available
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from minority.ensembles import BoostingSVMClassifier, linear_svm


def standardised(data):
    X = pd.get_dummies(data.X)
    return StandardScaler().fit_transform(X.fillna(X.median())), data.y


def timed(action):
    start = process_time()
    result = action()
    return process_time() - start, result


def objective(svm, X, is_positive, price):
    """What LinearSVC minimises: with a penalty on the intercept."""
    slack = np.maximum(0, 1 - np.where(is_positive, 1, -1) * svm.decision_function(X))
    length = svm.coef_[0] @ svm.coef_[0] + svm.intercept_[0] ** 2
    return length / 2 + price @ slack


class TwiceTrained(BoostingSVMClassifier):
    """Trains each machine with LinearSVC, too, and notes the seconds and objectives of both."""

    def _learn(self, X, is_positive, weight, rng, chain):
        learn = super()._learn
        ours, svm = timed(lambda: learn(X, is_positive, weight, rng, chain))
        price = self._scaled(weight)
        other = linear_svm(self.C, random_state=svm.random_state)
        theirs, _ = timed(lambda: other.fit(X, is_positive.astype(int), sample_weight=price))
        reached = [objective(machine, X, is_positive, price) for machine in (svm, other)]
        n_times = 1 if self.seen else len(self.delta)  # the first machine: for each delta
        self.seen.append((ours, n_times * theirs, n_times, reached[0] / reached[1] - 1))
        return svm


def bench_chain(args, name, data):
    X, y = standardised(data)
    rows = np.random.default_rng(0).permutation(len(y))[: round(0.9 * len(y))]
    model = TwiceTrained(n_estimators=args.rounds, random_state=0)
    for part in (rows[:500], rows):  # a small one first, which compiles
        model.seen = []
        model.fit(X[part], y[part])
    ours, theirs, numbers, differences = np.array(model.seen).T
    print(
        f"{name}, {len(rows)} x {X.shape[1]}: {numbers.sum():.0f} machines anew {theirs.sum():.2f} "
        f"s, {len(ours)} in chains {ours.sum():.2f} s, ratio {theirs.sum() / ours.sum():.1f}; "
        f"objectives differ by {differences.min():+.1e} to {differences.max():+.1e}",
        flush=True,
    )


class Watched(BoostingSVMClassifier):
    """Counts the seconds that the machines take."""

    def _learn(self, *args):
        taken, svm = timed(lambda: super(Watched, self)._learn(*args))
        self.seconds.append(taken)
        return svm


def bench_rounds(args, name, data):
    X, y = standardised(data)
    rows = np.random.default_rng(0).permutation(len(y))[: round(0.9 * len(y))]
    for delta in args.deltas:
        model = Watched(delta=delta, n_estimators=args.rounds, random_state=0)
        model.seconds = []
        taken, _ = timed(lambda model=model: model.fit(X[rows], y[rows]))
        machines = sum(model.seconds)
        print(
            f"{name}, {len(rows)} x {X.shape[1]}, delta {delta:g}: {len(model.alphas_)} "
            f"rounds in {taken:.1f} s, {model.n_rounds_} vote; the {len(model.seconds)} machines "
            f"alone {machines:.1f} s, the rest {taken / machines - 1:+.1%}; "
            f"{model.n_unconverged_} not converged",
            flush=True,
        )


def hinge_objective(model, X, y, price):
    """Without a penalty on the intercept."""
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ model.coef_[0] + model.intercept_))
    return model.coef_[0] @ model.coef_[0] / 2 + price @ slack


def bench_solvers(args, name, data):
    X, y = standardised(data)
    n, n_positive = len(y), y.sum()
    price = np.where(y == 1, n / (2 * n_positive), n / (2 * (n - n_positive)))
    wrong = linear_svm(random_state=0).fit(X, y, sample_weight=price).predict(X) != y
    raised = price * np.where(wrong, np.sqrt((~wrong).sum() / max(1, wrong.sum())), 1)
    solvers = {
        "linear_svm": linear_svm(random_state=0),
        "LinearSVC, default": LinearSVC(loss="hinge", random_state=0),
        "squared hinge": linear_svm(loss="squared_hinge"),
        "SGD": SGDClassifier(alpha=1 / n, tol=1e-5, random_state=0),
        "SVC": SVC(kernel="linear", cache_size=500),
    }
    for label, prices in (("costs", price), ("errors raised", raised / raised.mean())):
        for kind, solver in solvers.items():
            if kind == "SVC" and n > args.largest_svc:
                continue
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                taken, model = timed(lambda s=solver, p=prices: s.fit(X, y, sample_weight=p))
            state = "not converged" if caught else "converged"
            found = hinge_objective(model, X, y, prices)
            facts = f"{taken:7.3f} s, hinge objective {found:.4f}, {state}"
            print(f"{name}, {label:<14} {kind:<19} {facts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    benches = {"chain": bench_chain, "rounds": bench_rounds, "solvers": bench_solvers}
    parser.add_argument("which", choices=benches)
    parser.add_argument("--datasets", nargs="+", default=["letter", "segment", "yeast_me2"])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--deltas", type=float, nargs="+", default=[0.1])
    parser.add_argument("--largest-svc", type=int, default=6000)
    args = parser.parse_args()
    for name, data in load_available(args.datasets):
        benches[args.which](args, name, data)


if __name__ == "__main__":
    main()
