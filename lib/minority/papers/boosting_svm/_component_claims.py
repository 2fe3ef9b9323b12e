"""Claims of Boosting-SVM about its parts: costs, norms, steps, support vectors, imbalance."""

from functools import wraps

import numpy as np
import pandas as pd

from minority.papers.boosting_svm._protocol import PUBLIC
from minority.papers.boosting_svm._rivals import SHARES
from minority.papers.boosting_svm._side_tables import step_means
from minority.papers.boosting_svm._studies import support_study
from minority.papers.boosting_svm._tables import OTHER_READINGS, by_fold
from minority.report import NOT_REPRODUCED, OPEN, PARTLY, REPRODUCED, Verdict, share
from minority.statistics import corrected_interval

#: A measure that moves by so many points while the costs grow a hundredfold is controlled by them.
CONTROLLED = 5
#: The G-mean, in per cent, from which on a learner is said to have something to lose.
SOUND = 50


def public_sets(results) -> list[str]:
    """The public sets of the paper among those of an experiment."""
    return [name for name in PUBLIC if name in results.experiment.datasets]


def is_complete(results) -> bool:
    """Whether all rows that claims are about are there: neither stand-ins nor other readings."""
    experiment = results.experiment
    counted = [name for name in experiment.datasets if not name.startswith("simulated-")]
    methods = [name for name in experiment.methods if name not in OTHER_READINGS]
    rows = results.rows[results.rows["dataset"].isin(counted)]
    keys = len(methods) * len(experiment.settings) * experiment.folds
    return int(rows["method"].isin(methods).sum()) >= len(counted) * keys


def waits_for(*names):
    """A rule that is open until these experiments are complete on the sets that count."""

    def decorate(rule):
        @wraps(rule)
        def judged(results):
            waiting = [n for n in names if not is_complete(results[n])]
            if waiting:
                texts = (f"{name} has {results[name].coverage()}" for name in waiting)
                return Verdict(OPEN, "; ".join(texts))
            return rule(results)

        return judged

    return decorate


def of_checks(checks: list[bool], evidence: str) -> Verdict:
    """Reproduced if all checks hold, partly if some do."""
    return Verdict(share(int(sum(checks)), len(checks), "").status, evidence)


def gap_intervals(results, method: str) -> pd.DataFrame:
    """How far G-mean falls from training to test, by public set: mean and corrected interval.

    In points. Boosting schemes and others alike are taken on the same 70 % of the rows.
    """
    test, *rates = (
        by_fold(results, measure, SHARES[1])[method]
        for measure in ("g_mean", "train_sensitivity", "train_specificity")
    )
    falls = 100 * (np.sqrt(rates[0] * rates[1]) - test)
    intervals = {
        name: corrected_interval(falls.xs(name, level="dataset"), test_share=0.1)
        for name in public_sets(results)
    }
    return pd.DataFrame.from_dict(intervals, orient="index", columns=["mean", "low", "high"])


@waits_for("imbalance")
def _robust(results):
    rows = results["imbalance"].rows
    means = 100 * rows.pivot_table(index="dataset", columns=["method", "setting"], values="g_mean")
    full, few = (means.xs(f"kept={share}%", axis="columns", level=1) for share in (100, 10))
    sound = full.min(axis=1) >= SOUND
    loss = (1 - few[sound] / full[sound])[["svm", "c4.5", "network"]]
    texts = ", ".join(f"{name} {value:.0%}" for name, value in loss.mean().items())
    return share(
        int((loss["svm"] < loss.drop(columns="svm").min(axis=1)).sum()),
        len(loss),
        f"public sets, of those where all three learners reach a G-mean of {SOUND} %, where the "
        f"SVM loses least if training keeps a tenth of the positives; mean loss: {texts}",
    )


@waits_for("steps")
def _without_overfitting(results):
    first, last, first_train, last_train = (
        100 * step_means(results["steps"], measure).to_numpy()
        for measure in ("first_g_mean", "last_g_mean", "first_train_g_mean", "last_train_g_mean")
    )
    raised = last.round(9) > first.round(9)
    kept = (last_train - last) - (first_train - first) < 1
    held = int((raised & kept).sum())
    status = REPRODUCED if 2 * held >= first.size else PARTLY if held else NOT_REPRODUCED
    return Verdict(
        status,
        f"{held} of {first.size}: cases (public sets and four steps) where all rounds together "
        "have a higher test G-mean than the first machine, and the gap to training grows by less "
        f"than a point ({int(raised.sum())} and {int(kept.sum())} of them alone)",
    )


def _support_vectors(results):
    study = support_study()
    return share(
        int((study["negative_near"] > 0.5).sum()),
        len(study),
        "public sets that are on every machine where most of the five support vectors nearest to "
        "test points at the boundary are negative, "
        f"{study['negative_near'].mean():.0%} on average; of all support vectors "
        f"{study['negative'].mean():.0%} are",
    )


def _ranges(results, method) -> pd.DataFrame:
    """How far sensitivity and specificity move while the ratio of costs grows, in points."""
    rows = results["costs"].rows
    rows = rows[rows["method"] == method]
    measures = ["sensitivity", "specificity", "train_sensitivity"]
    means = 100 * rows.groupby(["dataset", "setting"])[measures].mean()
    groups = means.groupby(level="dataset")
    return (groups.max() - groups.min()).loc[public_sets(results["costs"])]


def _moved(ranges) -> str:
    return " and ".join(f"{m} {ranges[m].mean():.1f}" for m in ("sensitivity", "specificity"))


@waits_for("costs", "main")
def _no_control(results):
    ranges = _ranges(results, "l1")
    stuck = (ranges[["sensitivity", "specificity"]] < CONTROLLED).any(axis=1)
    overfit = gap_intervals(results["main"], "asymmetric")["low"] > 0
    return share(
        int(stuck.sum()),
        len(stuck),
        f"public sets where one of the two moves by less than {CONTROLLED} points while C+/C- "
        f"grows a hundredfold (L1; mean moves: {_moved(ranges)} points); G-mean falls clearly from "
        f"training to test on {int(overfit.sum())}",
    )


@waits_for("costs")
def _nullified(results):
    moved = _ranges(results, "l1")["train_sensitivity"]
    held = int((moved < 1).sum())
    status = REPRODUCED if held == len(moved) else PARTLY
    return Verdict(
        status,
        "that the costs bound the multipliers from above only is shown by "
        "test_costs_are_upper_bounds_only in tests/papers/test_boosting_svm_tables.py; that their "
        f"effect is nullified holds on {held} of {len(moved)} public sets, where training "
        "sensitivity moves by less than a point while C+/C- grows a hundredfold (mean move "
        f"{moved.mean():.1f} points)",
    )


@waits_for("costs")
def _l2_controls(results):
    ranges = _ranges(results, "l2")
    held = (ranges["sensitivity"] >= CONTROLLED) & (ranges["specificity"] < CONTROLLED)
    return share(
        int(held.sum()),
        len(held),
        f"public sets where, with the L2 norm, sensitivity moves by {CONTROLLED} points or more "
        "and specificity by less while C+/C- grows a hundredfold (mean moves: "
        f"{_moved(ranges)} points; L1: {_moved(_ranges(results, 'l1'))})",
    )


@waits_for("steps")
def _adaboost_not_viable(results):
    steps = results["steps"]
    chosen, first = (100 * step_means(steps, m).round(9) for m in ("g_mean", "first_g_mean"))
    rounds = step_means(steps, "n_all_rounds").mean()
    held = (chosen["delta=1"] <= first["delta=1"]) & (chosen["delta=0.1"] > chosen["delta=1"])
    return share(
        int(held.sum()),
        len(held),
        "public sets where AdaBoost, which is delta = 1, is not above its first machine and the "
        f"smallest step is above AdaBoost; AdaBoost ends after {rounds['delta=1']:.1f} rounds on "
        f"average, delta = 0.1 after {rounds['delta=0.1']:.1f}; mean G-means "
        f"{chosen['delta=1'].mean():.2f} and {chosen['delta=0.1'].mean():.2f}, first machine "
        f"{first['delta=1'].mean():.2f}. Not lowering weights is no change: they are scaled",
    )


RULES = {
    "boosting_svm-02": _robust,
    "boosting_svm-03": _without_overfitting,
    "boosting_svm-10": _support_vectors,
    "boosting_svm-12": _no_control,
    "boosting_svm-13": _nullified,
    "boosting_svm-14": _l2_controls,
    "boosting_svm-16": _adaboost_not_viable,
}
