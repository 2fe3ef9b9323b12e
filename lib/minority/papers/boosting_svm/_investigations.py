"""Why claims of Boosting-SVM were not reproduced. All intervals are of 95 %."""

import numpy as np
import pandas as pd

from minority.papers.boosting_svm._claims import on_all, on_public, second_places
from minority.papers.boosting_svm._protocol import PUBLIC, STAND_INS
from minority.papers.boosting_svm._rivals import SHARES
from minority.papers.boosting_svm._side_tables import TREE_COLUMNS
from minority.papers.boosting_svm._tables import (
    COLUMNS,
    LABELS,
    by_fold,
    number,
    pooled_scores,
    scores,
)
from minority.report import Finding
from minority.statistics import bootstrap_interval, corrected_interval

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


def _smote_against_copies(results):
    table = on_all(results)
    gaps = table["VI"] - table["copies"]
    largest = gaps.abs().idxmax()
    _, _, high = interval = bootstrap_interval(gaps)
    return Finding(
        "noise",
        f"Over {len(gaps)} sets SMOTE minus copies is {_points(interval)}; without {largest} "
        f"({gaps[largest]:+.2f}) it is {_points(bootstrap_interval(gaps.drop(largest)))}. The "
        "paper cites this and does not test it; the study that it cites tested trees and rules. "
        "With a linear machine the sign is open, and a mean advantage of more than "
        f"{high:.1f} points is unlikely.",
    )


def _highest_mean(results):
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


def _second_places(results):
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


def _heart(results):
    folds = 100 * by_fold(results["main"], "g_mean").xs(_HEART, level="dataset")
    folds = pd.DataFrame({c: folds[list(of)].mean(axis=1) for c, of in COLUMNS.items()})
    leads = folds.rsub(folds["B-SVM"], axis=0).drop(columns="B-SVM")
    best = leads.mean().idxmin()
    intervals = {c: corrected_interval(leads[c], test_share=0.1) for c in leads}
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
    "boosting_svm-05": _smote_against_copies,
    "boosting_svm-21": _highest_mean,
    "boosting_svm-23": _second_places,
    "boosting_svm-24": _heart,
}
