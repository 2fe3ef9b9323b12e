"""Processor seconds of Boosting-SVM: a round against one weighted SVM, and solvers compared.

    python tests/benchmarks/bench_boosting_svm.py rounds [--dataset letter] [--rounds 40]
    python tests/benchmarks/bench_boosting_svm.py solvers [--dataset letter]

"rounds" fits the model with one delta on 90 % of the rows, of which 2/9 validate, and compares with
the same machines trained alone on the same weights. "solvers" trains one machine on the costs of
the classes, and on those with the errors of a first machine raised; the objective is that of the
hinge loss without a penalty on the intercept. Features are standardised, categories one-hot
coded; all run in one thread if OMP_NUM_THREADS=1.
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


class Watched(BoostingSVMClassifier):
    """Counts the seconds that the machines take."""

    def _learn(self, *args):
        taken, svm = timed(lambda: super(Watched, self)._learn(*args))
        self.seconds.append(taken)
        return svm


def bench_rounds(args, data):
    X, y = standardised(data)
    rows = np.random.default_rng(0).permutation(len(y))[: round(0.9 * len(y))]
    for delta in args.deltas:
        model = Watched(delta=delta, n_estimators=args.rounds, random_state=0)
        model.seconds = []
        taken, _ = timed(lambda model=model: model.fit(X[rows], y[rows]))
        machines = sum(model.seconds)
        print(
            f"{args.dataset}, {len(rows)} x {X.shape[1]}, delta {delta:g}: {len(model.alphas_)} "
            f"rounds in {taken:.1f} s, {model.n_rounds_} vote; the {len(model.seconds)} machines "
            f"alone {machines:.1f} s, the rest {taken / machines - 1:+.1%}; "
            f"{model.n_unconverged_} not converged",
            flush=True,
        )


def objective(model, X, y, price):
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ model.coef_[0] + model.intercept_))
    return model.coef_[0] @ model.coef_[0] / 2 + price @ slack


def bench_solvers(args, data):
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
        for name, solver in solvers.items():
            if name == "SVC" and n > args.largest_svc:
                continue
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                taken, model = timed(lambda s=solver, p=prices: s.fit(X, y, sample_weight=p))
            state = "not converged" if caught else "converged"
            found = objective(model, X, y, prices)
            print(f"{label:<14} {name:<19} {taken:7.3f} s, hinge objective {found:.4f}, {state}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    benches = {"rounds": bench_rounds, "solvers": bench_solvers}
    parser.add_argument("which", choices=benches)
    parser.add_argument("--dataset", default="letter")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--deltas", type=float, nargs="+", default=[0.1])
    parser.add_argument("--largest-svc", type=int, default=6000)
    args = parser.parse_args()
    for _, data in load_available([args.dataset]):
        benches[args.which](args, data)


if __name__ == "__main__":
    main()
