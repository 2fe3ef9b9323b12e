"""How the claims of Boosting-SVM are judged, and why some were not reproduced.

A rule is a number on the rows, a count, or a test; all were written before the rows were there.
Claims about the data from health care are not testable, and stand-ins for it count nowhere. Where
the paper speaks of its twelve sets, ours are the nine public ones; claims about methods in general
are judged on ten more sets, too. All intervals are of 95 %.
"""

from functools import wraps

import numpy as np
import pandas as pd

from minority_reports import datasets
from minority_reports.experiments import corrected_gaps
from minority_reports.papers.boosting_svm.protocol import MORE, PUBLIC, SHARES, STAND_INS
from minority_reports.papers.boosting_svm.studies import support_study
from minority_reports.papers.boosting_svm.tables import (
    COLUMNS,
    FURTHER_COLUMNS,
    LABELS,
    OTHER_READINGS,
    TREE_COLUMNS,
    at_levels,
    by_fold,
    disparity,
    number,
    pooled_scores,
    scores,
    step_means,
)
from minority_reports.report import (
    NOT_REPRODUCED,
    OPEN,
    PARTLY,
    REPRODUCED,
    Finding,
    Verdict,
    cannot_be_tested,
    share,
    shown_by,
)
from minority_reports.statistics import (
    bootstrap_interval,
    corrected_interval,
    pairwise_wilcoxon,
)

_PROTOCOL = "tests/minority_reports/papers/test_boosting_svm_protocol.py::"
_SVM = "tests/minority/ensembles/test_boosting_svm.py::"
_ALPHA = 0.05
#: A fluctuation in points that still counts as small.
SMALL = 5
#: A measure that moves by so many points while the costs grow a hundredfold is controlled by them.
CONTROLLED = 5
#: The G-mean, in per cent, below which a learner is said to fail.
SOUND = 50
_ALL = COLUMNS | FURTHER_COLUMNS
_COMPARED = tuple(name for names in _ALL.values() for name in names if name not in OTHER_READINGS)
#: The methods that claims are about, by experiment, whatever others have rows.
NEEDED = {
    "main": _COMPARED,
    "more": _COMPARED,
    "imbalance": ("svm", "c4.5", "network"),
    "costs": ("l1", "l2"),
    "steps": ("b-svm",),
}


def public_sets(results) -> list[str]:
    """The public sets of the paper among those of an experiment."""
    return [name for name in PUBLIC if name in results.experiment.datasets]


def is_complete(results, methods) -> bool:
    """Whether all sets that claims are about are complete: not the stand-ins."""
    counted = {n for n in results.experiment.datasets if not n.startswith("simulated-")}
    return counted <= set(results.complete(methods).rows["dataset"])


def waits_for(*names):
    """A rule that is open until these experiments are complete on the sets that count."""

    def decorate(rule):
        @wraps(rule)
        def judged(results):
            waiting = [n for n in names if not is_complete(results[n], NEEDED[n])]
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
    gaps = corrected_gaps(falls, results.experiment).loc[public_sets(results)]
    return gaps.rename(columns={"difference": "mean"})


def on_public(results, measure="g_mean", setting=SHARES[0]) -> pd.DataFrame:
    """A measure of all methods on the public sets of the paper, in per cent."""
    return scores(results["main"], measure, setting, _ALL).loc[public_sets(results["main"])]


def on_all(results, setting=SHARES[0]) -> pd.DataFrame:
    """G-means of all methods on the public sets of the paper and the ten further ones."""
    further = scores(results["more"], "g_mean", setting, _ALL).loc[list(MORE)]
    return pd.concat([on_public(results, setting=setting), further])


def _compare(table, first, second) -> str:
    """Mean difference and sets won and lost, in words."""
    gaps = (table[first] - table[second]).round(9)
    return (
        f"{first} against {second}: {gaps.mean():+.2f} points, {int((gaps > 0).sum())} sets won, "
        f"{int((gaps < 0).sum())} lost"
    )


def _p_value(table, first, second) -> float:
    return float(pairwise_wilcoxon(table[[first, second]])["p_value"].iloc[0])


def _many(held: int, cases: int, evidence: str) -> Verdict:
    """Reproduced if a claim that speaks of many cases held in at least half of them."""
    status = REPRODUCED if 2 * held >= cases else PARTLY if held else NOT_REPRODUCED
    return Verdict(status, f"{held} of {cases}: {evidence}")


@waits_for("main")
def _both_classes(results):
    sensitivity, specificity = (on_public(results, m) for m in ("sensitivity", "specificity"))
    gains = pd.DataFrame(
        {"sensitivity": sensitivity["B-SVM"] - sensitivity["VII"]}
        | {"specificity": specificity["B-SVM"] - specificity["VII"]}
    ).round(9)
    means = ", ".join(f"{name} {gain:+.2f}" for name, gain in gains.mean().items())
    return share(
        int((gains > 0).all(axis=1).sum()),
        len(gains),
        "public sets where sensitivity and specificity of B-SVM are both above those of VII; mean "
        f"differences in points: {means}",
    )


@waits_for("main", "more")
def _undersampling(results):
    table = on_all(results)
    return _many(
        int((table["V"] > table["copies"]).sum()),
        len(table),
        "sets where undersampling is better than copies of the positives, by G-mean; "
        f"{_compare(table, 'V', 'VI')}",
    )


@waits_for("main", "more")
def _smote_against_copies(results):
    table = on_all(results)
    p = _p_value(table, "VI", "copies")
    gaps = (table["VI"] - table["copies"]).round(9)
    ahead = (gaps > 0).sum() > (gaps < 0).sum()
    status = REPRODUCED if ahead and p < _ALPHA else PARTLY if ahead else NOT_REPRODUCED
    return Verdict(status, f"{_compare(table, 'VI', 'copies')}; p = {p:.2g} by signed ranks")


@waits_for("main")
def _solve_but_overfit(results):
    table = on_public(results)
    above = int((table["VII"] > table["SVM"]).sum())
    gaps = gap_intervals(results["main"], "asymmetric")
    clear = int((gaps["low"] > 0).sum())
    return of_checks(
        [above == len(table), clear > 0],
        f"VII above the SVM without costs on {above} of {len(table)} public sets; G-mean in "
        f"training clearly above that in the test on {clear} (mean gap {gaps['mean'].mean():.2f} "
        "points)",
    )


@waits_for("main")
def _trade_off(results):
    sensitivity, specificity = (on_public(results, m) for m in ("sensitivity", "specificity"))
    traded = sum(
        int(((sensitivity[c] > sensitivity["SVM"]) & (specificity[c] < specificity["SVM"])).sum())
        for c in ("VII", "VIII")
    )
    gaps = disparity(results["main"], _ALL).loc[public_sets(results["main"])].mean()
    means = ", ".join(f"{c} {gaps[c]:.1f}" for c in ("SVM", "VII", "VIII", "B-SVM"))
    return share(
        traded,
        2 * len(sensitivity),
        "cases (VII and VIII on the public sets) with more sensitivity and less specificity than "
        f"the SVM without costs; mean |specificity - sensitivity|: {means}",
    )


@waits_for("main")
def _bagging(results):
    table = on_public(results, setting=SHARES[1])
    boosted, bagged = (table[c] - table["VII"] for c in ("B-SVM", "bagged"))
    return share(
        int((boosted > bagged).sum()),
        len(table),
        "public sets where boosting VII gains more than bagging it, all on the same 70 %; mean "
        f"gains over VII: {boosted.mean():+.2f} and {bagged.mean():+.2f} points",
    )


@waits_for("main")
def _training_error(results):
    main = results["main"]
    error = by_fold(main, "train_error", SHARES[1])
    least = by_fold(main, "component_error", SHARES[1])["b-svm"]
    frame = pd.DataFrame(
        {
            "vote": error["b-svm"],
            "component": least,
            "VII": error["asymmetric"],
            "SVM": error["svm"],
        }
    )
    frame = 100 * frame.groupby(level="dataset").mean().loc[public_sets(main)].round(9)
    lower = frame["vote"] < frame[["component", "VII"]].min(axis=1)
    means = ", ".join(f"{name} {value:.2f}" for name, value in frame.mean().items())
    return share(
        int(lower.sum()),
        len(frame),
        "public sets where the vote's training error is, on average over folds, below that of its "
        f"best component and of VII on the same rows; mean errors in per cent: {means}",
    )


@waits_for("main")
def _levels_fluctuate(results):
    means = 100 * by_fold(results["main"], "g_mean").groupby(level="dataset").mean()
    ranges, held = [], 0
    for name in ("smoteboost", "smote", "smote-asymmetric"):
        part = means.loc[public_sets(results["main"]), list(at_levels(name))].round(9)
        steps = part.diff(axis=1).iloc[:, 1:]
        rises = (steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)
        ranges.append(part.max(axis=1) - part.min(axis=1))
        held += int((~rises & (ranges[-1] < SMALL)).sum())
    ranges = pd.concat(ranges)
    return share(
        held,
        len(ranges),
        f"cases (II, VI and VIII on the public sets) where G-mean changes by less than {SMALL} "
        "points from 200 to 500 % and neither only rises nor only falls; range "
        f"{ranges.median():.1f} points in the median, {ranges.max():.1f} at most",
    )


@waits_for("main")
def _highest_mean(results):
    table = on_public(results)[list(COLUMNS)]
    means = table.mean()
    rivals = means.drop("B-SVM")
    lead = means["B-SVM"] - rivals.max()
    claimed = number("mean G-mean B-SVM") - number("mean G-mean of the eight others, range")[1]
    status = REPRODUCED if lead >= claimed / 2 else PARTLY if lead > 0 else NOT_REPRODUCED
    return Verdict(
        status,
        f"mean G-mean over {len(table)} public sets: B-SVM {means['B-SVM']:.2f}, others "
        f"{rivals.min():.2f} to {rivals.max():.2f} ({rivals.idxmax()}); lead {lead:+.2f} points, "
        f"published {claimed:.2f}, of which half was asked for",
    )


@waits_for("main")
def _mostly_best(results):
    table = on_public(results)[list(COLUMNS)].round(9)
    rivals = table.drop(columns="B-SVM")
    best = int((table["B-SVM"] > rivals.max(axis=1)).sum())
    winners = table.idxmax(axis=1)
    status = REPRODUCED if best >= 0.75 * len(table) else PARTLY if best else NOT_REPRODUCED
    return Verdict(
        status,
        f"B-SVM is best on {best} of {len(table)} public sets (published: 6 of 8 of them); on "
        f"Glass {winners.get('glass7')} (published I), on Segment {winners.get('segment')} (IV)",
    )


def second_places(table: pd.DataFrame) -> pd.Series:
    """On how many data sets each method is second; all that are level count."""
    table = table.round(9)
    ranks = table.rank(axis=1, ascending=False, method="min")
    return table.where(ranks > 1).rank(axis=1, ascending=False, method="min").eq(1).sum()


@waits_for("main")
def _second_places(results):
    second = second_places(on_public(results)[list(COLUMNS)])
    held, cases = int(second[["IV", "VII"]].sum()), int(second.sum())
    counts = ", ".join(f"{name} {count}" for name, count in second[second > 0].items())
    status = REPRODUCED if 2 * held > cases else PARTLY if held else NOT_REPRODUCED
    return Verdict(status, f"{held} of {cases} second places on the public sets: {counts}")


@waits_for("main")
def _heart(results):
    table = on_public(results)[list(COLUMNS)]
    leads = table["B-SVM"] - table.drop(columns="B-SVM").max(axis=1)
    lead = leads["heart_cleveland1"]
    status = REPRODUCED if lead > 5 else PARTLY if lead > 0 else NOT_REPRODUCED
    return Verdict(
        status,
        f"on Heart B-SVM leads the best rival by {lead:+.2f} points, its largest lead is "
        f"{leads.max():+.2f} ({leads.idxmax()}); Lupus is not public",
    )


@waits_for("main", "more")
def _gain_unexplained(results):
    from scipy.stats import spearmanr

    table = on_all(results)[list(COLUMNS)]
    gain = table["B-SVM"] - table.drop(columns="B-SVM").max(axis=1)
    facts = datasets.describe().set_index("name").loc[gain.index]
    found = {
        text: spearmanr(gain, facts[column].astype(float))
        for text, column in (("features", "d"), ("imbalance", "imbalance"))
    }
    return of_checks(
        [result.pvalue >= _ALPHA for result in found.values()],
        f"rank correlation of the lead over the best rival, {len(gain)} sets: "
        + "; ".join(
            f"with {text} {result.statistic:+.2f} (p = {result.pvalue:.2g})"
            for text, result in found.items()
        )
        + ". That nothing is found is weak evidence",
    )


def _larger_gaps(results):
    gaps = disparity(results["main"]).loc[public_sets(results["main"])].round(9)
    larger = {c: int((gaps[c] > gaps["B-SVM"]).sum()) for c in ("IV", "VII")}
    return gaps[["IV", "VII", "B-SVM"]].mean(), larger


@waits_for("main")
def _generally_larger(results):
    _, larger = _larger_gaps(results)
    cases = len(public_sets(results["main"]))
    return of_checks(
        [2 * count > cases for count in larger.values()],
        "|specificity - sensitivity| is larger than B-SVM's on "
        + " and ".join(f"{count} of {cases} public sets for {c}" for c, count in larger.items()),
    )


@waits_for("main")
def _gap_numbers(results):
    means, larger = _larger_gaps(results)
    claimed, cases = {"IV": 10 / 12, "VII": 9 / 12}, len(public_sets(results["main"]))
    checks = [larger[c] >= least * cases for c, least in claimed.items()]
    checks.append(means["IV"] > means["VII"] > means["B-SVM"])
    return of_checks(
        checks,
        "mean |specificity - sensitivity| of IV, VII, B-SVM: "
        + ", ".join(f"{value:.2f}" for value in means)
        + " (published 21.6, 14.5, 12.53); larger than B-SVM's on "
        + " and ".join(f"{count} of {cases}" for count in larger.values())
        + " public sets (published 10 and 9 of 12)",
    )


@waits_for("main", "more")
def _above_component(results):
    table = on_public(results)
    return share(
        int((table["B-SVM"] > table["VII"]).sum()),
        len(table),
        "public sets where B-SVM is above VII. On ten further sets and these, "
        f"{_compare(on_all(results), 'B-SVM', 'VII')}; with VII on the same 70 %, "
        f"{_compare(on_all(results, SHARES[1]), 'B-SVM', 'VII')}",
    )


@waits_for("main")
def _less_overfitting(results):
    sensitivity, specificity = (on_public(results, m) for m in ("sensitivity", "specificity"))
    gains = np.array([(t["B-SVM"] - t["VII"]).round(9) for t in (sensitivity, specificity)])
    both = (gains >= 0).all(axis=0) & (gains > 0).any(axis=0)
    gaps = [gap_intervals(results["main"], m)["mean"] for m in ("b-svm", "asymmetric")]
    smaller = (gaps[0] < gaps[1]).to_numpy()
    return share(
        int((both & smaller).sum()),
        len(both),
        "public sets where B-SVM is not below VII in either measure, above in one, and its G-mean "
        f"falls less from training to test ({int(both.sum())} and {int(smaller.sum())} of them "
        f"alone); mean fall {gaps[0].mean():.2f} and {gaps[1].mean():.2f} points",
    )


@waits_for("main", "more")
def _better_than_svm(results):
    table = on_all(results)
    checks, texts = [], []
    for rival in ("SVM", "VII"):
        p = _p_value(table, "B-SVM", rival)
        checks.append(p < _ALPHA and (table["B-SVM"] - table[rival]).mean() > 0)
        texts.append(f"{_compare(table, 'B-SVM', rival)}, p = {p:.2g}")
    return of_checks(checks, f"over {len(table)} sets, by G-mean: {'; '.join(texts)}")


@waits_for("imbalance")
def _robust(results):
    rows = results["imbalance"].complete(NEEDED["imbalance"]).rows
    means = 100 * rows.pivot_table(index="dataset", columns=["method", "setting"], values="g_mean")
    full, few = (
        means.xs(f"kept={share}%", axis="columns", level=1)[list(NEEDED["imbalance"])]
        for share in (100, 10)
    )
    some = full.max(axis=1) >= SOUND
    full, few = full[some], few[some]
    # who fails on the imbalance of the set itself has lost all before positives are taken away
    fails = full < SOUND
    loss = (1 - few / full).where(~fails, 1.0)
    texts = ", ".join(f"{name} {value:.0%}" for name, value in loss.mean().items())
    failed = ", ".join(f"{name} {count}" for name, count in fails.sum().items())
    return share(
        int((loss["svm"] < loss.drop(columns="svm").min(axis=1)).sum()),
        len(loss),
        f"public sets, of those where one of three learners reaches a G-mean of {SOUND} %, where "
        "the SVM loses least if training keeps a tenth of the positives; who does not reach it "
        f"with all of them has lost everything ({failed} sets); mean loss: {texts}",
    )


@waits_for("steps")
def _without_overfitting(results):
    first, last, first_train, last_train = (
        100 * step_means(results["steps"], measure).to_numpy()
        for measure in ("first_g_mean", "last_g_mean", "first_train_g_mean", "last_train_g_mean")
    )
    raised = last.round(9) > first.round(9)
    kept = (last_train - last) - (first_train - first) < 1
    return _many(
        int((raised & kept).sum()),
        first.size,
        "cases (public sets and four steps) where all rounds together have a higher test G-mean "
        "than the first machine, and the gap to training grows by less than a point "
        f"({int(raised.sum())} and {int(kept.sum())} of them alone)",
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
    rows = results["costs"].complete([method]).rows
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
        "test_costs_are_upper_bounds_only in "
        "tests/minority_reports/papers/test_boosting_svm_claims.py; that their "
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
    "boosting_svm-01": _both_classes,
    "boosting_svm-02": _robust,
    "boosting_svm-03": _without_overfitting,
    "boosting_svm-04": _undersampling,
    "boosting_svm-05": _smote_against_copies,
    "boosting_svm-06": _solve_but_overfit,
    "boosting_svm-07": shown_by(_PROTOCOL + "test_class_measures"),
    "boosting_svm-08": _trade_off,
    "boosting_svm-09": _bagging,
    "boosting_svm-10": _support_vectors,
    "boosting_svm-11": shown_by(_SVM + "test_costs_make_up_for_the_sizes_of_the_classes"),
    "boosting_svm-12": _no_control,
    "boosting_svm-13": _nullified,
    "boosting_svm-14": _l2_controls,
    "boosting_svm-15": shown_by(_SVM + "test_weights_follow_algorithm_1"),
    "boosting_svm-16": _adaboost_not_viable,
    "boosting_svm-17": _training_error,
    "boosting_svm-18": _levels_fluctuate,
    "boosting_svm-19": shown_by(
        _PROTOCOL + "test_the_same_rows_validate_for_all_methods_and_experiments"
    ),
    "boosting_svm-20": cannot_be_tested(
        "the health data is not public; the printed counts add up, and the stand-ins have them"
    ),
    "boosting_svm-21": _highest_mean,
    "boosting_svm-22": _mostly_best,
    "boosting_svm-23": _second_places,
    "boosting_svm-24": _heart,
    "boosting_svm-25": _gain_unexplained,
    "boosting_svm-26": _generally_larger,
    "boosting_svm-27": _gap_numbers,
    "boosting_svm-28": _above_component,
    "boosting_svm-29": _less_overfitting,
    "boosting_svm-30": _better_than_svm,
}

#: I, II and IV boost what the paper calls "the same component classifier for all methods".
_BOOSTING_RIVALS = ("I", "II", "IV")
_HEART = "heart_cleveland1"
#: Points by which B-SVM is said to lead there.
_CLAIMED = 5
_DRAWS = 10_000


def _points(interval) -> str:
    mean, low, high = interval
    return f"{mean:+.2f} points (95 % interval {low:+.2f} to {high:+.2f})"


def _lead(table: pd.DataFrame) -> float:
    """Mean of B-SVM minus the highest mean of a rival."""
    means = table[list(COLUMNS)].mean()
    return means["B-SVM"] - means.drop("B-SVM").max()


def _why_highest_mean(results):
    table, main = on_public(results)[list(COLUMNS)], results["main"]
    leads = table.rsub(table["B-SVM"], axis=0).drop(columns="B-SVM")
    best = leads.mean().idxmin()
    intervals = {c: bootstrap_interval(leads[c]) for c in (best, "VII")}
    trees = scores(results["trees"], setting="default", columns=TREE_COLUMNS)
    with_trees = table.assign(**{c: trees[f"{c}, C4.5"] for c in _BOOSTING_RIVALS})
    claimed = number("mean G-mean B-SVM") - number("mean G-mean of the eight others, range")[1]
    # the lead that the lost sets need, if the paper's eight public sets have that of our nine
    lost, public = len(STAND_INS), len(number("UCI sets"))
    needed = ((lost + public) * claimed - public * _lead(table)) / lost
    return Finding(
        "unexplained",
        f"Over the public sets B-SVM minus {LABELS[best]} is {_points(intervals[best])}, minus "
        f"{LABELS['VII']} {_points(intervals['VII'])}; the published lead of {claimed:.2f} is "
        "above both. Other readings give a lead over the best rival of "
        f"{_lead(pooled_scores(main).loc[list(PUBLIC)]):+.2f} (G-mean pooled over folds), "
        f"{_lead(on_public(results, setting=SHARES[1])):+.2f} (all on the same 70 %) and "
        f"{_lead(with_trees):+.2f} (I, II and IV on C4.5). The {lost} health sets, not public, "
        f"would have to bring {needed:.0f} points on average; over the next best the text has more "
        "than 7 on Lupus-I and little on Stroke. None of this explains it. C and the scaling, "
        "which the paper does not state, were not varied.",
    )


def _on_asymmetric(results) -> pd.DataFrame:
    """G-means with I, II and IV on the asymmetric SVM, on the sets where all of these were run."""
    table = on_public(results)
    read = table.assign(**{c: table[f"{c}, asymmetric"] for c in _BOOSTING_RIVALS})
    return read[list(COLUMNS)].dropna()


def _leading_rivals(table: pd.DataFrame) -> tuple[float, str, int]:
    """IV's mean rank; second places of IV and VII; sets where one of them is the best rival."""
    table, names = table.round(9), ["IV", "VII"]
    second, rivals = second_places(table), table.drop(columns="B-SVM")
    best = int((rivals[names].max(axis=1) >= rivals.max(axis=1)).sum())
    rank = table.rank(axis=1, ascending=False)["IV"].mean()
    return rank, f"{second[names].sum()} of {second.sum()}", best


def _redrawn_seconds(results) -> tuple[float, float]:
    """How often IV and VII have some second place, and most, if folds are drawn anew."""
    folds = by_fold(results["main"], "g_mean").loc[list(PUBLIC)]
    folds = pd.DataFrame({c: folds[list(of)].mean(axis=1) for c, of in COLUMNS.items()})
    rng = np.random.default_rng(0)
    held, places = 0, 0
    for _, part in folds.groupby(level="dataset", sort=False):
        drawn = rng.integers(len(part), size=(_DRAWS, len(part)))
        means = part.to_numpy()[drawn].mean(axis=1).round(9)
        below = np.where(means < means.max(axis=1, keepdims=True), means, -1)
        second = below == below.max(axis=1, keepdims=True)
        held = held + second[:, folds.columns.isin(["IV", "VII"])].sum(axis=1)
        places = places + second.sum(axis=1)
    return float((held > 0).mean()), float((2 * held > places).mean())


def _why_second_places(results):
    asymmetric = _on_asymmetric(results)
    plain = on_public(results).loc[asymmetric.index, list(COLUMNS)]
    rank, places, best = _leading_rivals(plain)
    other_rank, other_places, other_best = _leading_rivals(asymmetric)
    some, most = _redrawn_seconds(results)
    return Finding(
        "unstated setting",
        f"IV boosts a plain SVM here and has a mean rank of {rank:.1f} of {len(COLUMNS)} on the "
        f"{len(plain)} public sets where the other reading was run; on the asymmetric SVM, which "
        f'"the same component classifier for all methods" may mean as well, {other_rank:.1f}. IV '
        f"and VII then have {other_places} second places instead of {places}, and, B-SVM aside, "
        f"one of them is best on {other_best} sets instead of {best}. With folds drawn anew they "
        f"have some second place in {100 * some:.0f} % of {_DRAWS:,} draws and most of them in "
        f"{100 * most:.0f} %. Chance alone does not explain it; the component, which the paper "
        "leaves open, explains IV's place, but not the whole claim.",
    )


def _why_heart(results):
    folds = 100 * by_fold(results["main"], "g_mean").xs(_HEART, level="dataset")
    folds = pd.DataFrame({c: folds[list(of)].mean(axis=1) for c, of in COLUMNS.items()})
    leads = folds.rsub(folds["B-SVM"], axis=0).drop(columns="B-SVM")
    part = results["main"].experiment.test_share
    best = leads.mean().idxmin()
    intervals = {c: corrected_interval(leads[c], test_share=part) for c in leads}
    within = sum(low < _CLAIMED < high for _, low, high in intervals.values())
    positives = sum(
        by_fold(results["main"], measure).xs(_HEART, level="dataset")["b-svm"]
        for measure in ("tp", "fn")
    )
    missed = int((folds["B-SVM"] == 0).sum())
    pooled = _lead(pooled_scores(results["main"]).loc[[_HEART]])
    return Finding(
        "noise",
        f"Over {len(folds)} folds, each with {positives.min():.0f} or {positives.max():.0f} of "
        f"{positives.sum():.0f} positives, B-SVM minus the best rival ({LABELS[best]}) is "
        f"{_points(intervals[best])}; the intervals against {within} of {len(intervals)} rivals "
        f"contain a lead of {_CLAIMED:.0f}. In {missed} fold B-SVM finds no positive, which counts "
        f"as 0; with the counts of all folds pooled its lead is {pooled:+.2f}. Which of UCI's "
        "heart sets was taken is not known either (Table 1 is lost; here Cleveland, class 1). So "
        f"few positives can neither show nor rule out {_CLAIMED:.0f} points.",
    )


INVESTIGATIONS = {
    "boosting_svm-21": _why_highest_mean,
    "boosting_svm-23": _why_second_places,
    "boosting_svm-24": _why_heart,
}
