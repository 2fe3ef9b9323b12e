"""Seconds to the proven best boxes, beside the mixed-integer program in HiGHS and CBC.

    python tests/benchmarks/bench_exact_boxes.py [--parts few many hard] [--sets glass4 ...]
        [--boxes 1 3 ...] [--threads 2] [--no-mip] [--seconds 60] [--stretch SECONDS]

c = 0.5 and c_E = 0.1; categories are coded one column each and gaps filled by medians. Every solver
starts from the same clusters of Fast Boxes, with compiled kernels; the seconds are those of `fit`,
clustering and start included. In the part "few" all have one thread, in the others, where the
search is alone, it has `--threads`. The program is the reduced one, for 1 and 3 boxes of
the part "few". "ratio" is the seconds of HiGHS over those of the search, at least that (>) where
only HiGHS ran out of time. Wherever two solvers prove, their objectives must be equal, and no
objective may exceed a bound: the run ends with an error otherwise.
"""

import argparse
from time import perf_counter

import numpy as np
from available import load_available

from minority._warm import warm
from minority.boxes import ExactBoxesClassifier
from minority_reports.experiments import Fold, numeric_parts

FEW = ["glass2", "glass4", "glass5", "ecoli4", "yeast-2_vs_8"]
FEW += ["winequality-red-8_vs_6", "cleveland-0_vs_4", "abalone-21_vs_8"]  # at most 20 positives
PARTS = {
    "few": [(name, k) for name in FEW for k in range(1, 11)],
    "many": [(name, k) for name in ("yeast6", "abalone19", "vowel0") for k in (3, 10)],
    "hard": [
        *(("haberman", k) for k in (1, 2, 3)),
        *(("vehicle0", k) for k in (1, 2)),
        ("pima", 1),
    ],
}
STRETCH = [("yeast4", 3), ("wisconsin", 3), ("pima", 2)]
MIP_BOXES = (1, 3)


def numbers(data):
    """A whole data set, coded as the experiments code it."""
    X, y, *_ = numeric_parts(Fold(data.X, data.y, data.X, data.y, settings=(), random_state=0))
    return np.asarray(X, dtype=float), y


def fit(X, y, max_boxes, solver, seconds, threads=1):
    """A fitted model and its seconds."""
    model = ExactBoxesClassifier(
        max_boxes=max_boxes,
        majority_weight=0.5,
        box_cost=0.1,
        solver=solver,
        time_limit=seconds,
        n_jobs=threads,
        random_state=0,
    )
    start = perf_counter()
    model.fit(X, y)
    return model, perf_counter() - start


def check(name, max_boxes, models):
    """No objective exceeds a bound; an objective proven by two solvers is thus the same."""
    objectives, bounds = [m.objective_ for m in models], [m.bound_ for m in models]
    if max(objectives) > min(bounds) + 1e-6:
        raise SystemExit(f"{name}, {max_boxes} boxes: objectives {objectives}, bounds {bounds}")


def ratio(search, search_s, highs, highs_s):
    if search.status_ != "optimal":
        return ""
    return f"{'' if highs.status_ == 'optimal' else '>'}{highs_s / search_s:.1f}"


def run(cases, seconds, with_mip, threads):
    loaded = {name: numbers(data) for name, data in load_available(dict(cases))}
    for name, max_boxes in (case for case in cases if case[0] in loaded):
        X, y = loaded[name]
        model, model_s = fit(X, y, max_boxes, "search", seconds, 1 if name in FEW else threads)
        line = (
            f"{name:<23} {len(X):>5} {int((y == 1).sum()):>4} {max_boxes:>2} "
            f"{model.objective_:>9.2f} {model.bound_:>9.2f} {model.status_:<10} {model_s:>7.2f}"
        )
        models = [model]
        if with_mip and name in FEW and max_boxes in MIP_BOXES:
            for solver in ("highs", "cbc"):
                other, other_s = fit(X, y, max_boxes, solver, seconds)
                models.append(other)
                line += f" {other_s:>8.2f} {other.status_:<10}"
                if solver == "highs":
                    against = ratio(model, model_s, other, other_s)
            line += f" {against:>7}"
        print(line.rstrip(), flush=True)
        check(name, max_boxes, models)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--sets", nargs="*", help="only these data sets")
    parser.add_argument("--boxes", nargs="*", type=int, help="only these numbers of boxes")
    parser.add_argument("--threads", type=int, default=2, help="of the search on larger sets")
    parser.add_argument("--no-mip", action="store_true", help="only the search")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each fit")
    parser.add_argument("--stretch", type=float, help="try the open cases too, for so many seconds")
    arguments = parser.parse_args()

    def chosen(cases):
        return [
            (name, k)
            for name, k in cases
            if (not arguments.sets or name in arguments.sets)
            and (not arguments.boxes or k in arguments.boxes)
        ]

    warm()
    print(
        f"{'data set':<23} {'rows':>5} {'pos':>4} {'K':>2} {'objective':>9} {'bound':>9} "
        f"{'status':<10} {'s':>7} {'highs_s':>8} {'status':<10} {'cbc_s':>8} {'status':<10} "
        f"{'ratio':>7}"
    )
    for part in arguments.parts:
        cases = chosen(PARTS[part])
        run(cases, arguments.seconds, not arguments.no_mip, arguments.threads)
    if arguments.stretch:
        run(chosen(STRETCH), arguments.stretch, False, arguments.threads)


if __name__ == "__main__":
    main()
