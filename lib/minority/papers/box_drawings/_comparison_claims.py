"""Claims of Box Drawings that compare methods: on the rows of Tables 3, 4 and 5.

Variants of Fast Boxes do not compete: Fast Boxes is ranked among the paper's nine rivals.
"""

import numpy as np
import pandas as pd

from minority.papers.box_drawings._exact_tables import (
    LABELS,
    PLAIN,
    STATED_FACES,
    WITH_MARGIN,
    exact_auh,
    proofs,
    table4,
)
from minority.papers.box_drawings._rivals import RIVALS
from minority.papers.box_drawings._tables import (
    auh_by_fold,
    best_methods,
    fold_matrix,
    imbalance,
    mean_auh,
    table5,
    trivial_shares,
)
from minority.report import (
    NOT_REPRODUCED,
    OPEN,
    PARTLY,
    REPRODUCED,
    VERDICTS,
    Verdict,
    share,
)
from minority.statistics import pairwise_wilcoxon

#: Fast Boxes and the paper's rivals.
COMPETITORS = ("fast-boxes", *RIVALS)
#: AUH that Exact Boxes has to gain on a set for a substantial improvement.
SUBSTANTIAL = 0.05
_FAST = "Fast Boxes"
_NO_ROWS = Verdict(OPEN, "no rows yet")


def _ready(results, *names) -> bool:
    return all(len(results[name].rows) for name in names)


def _ranks(results) -> tuple[pd.Series, pd.Series]:
    """Rank of Fast Boxes among all methods (1 is best) and imbalance, per data set."""
    scores = mean_auh(results["table5"], COMPETITORS)
    ranks = scores.round(12).rank(axis=1, ascending=False)["fast-boxes"]
    return ranks, imbalance(results["table5"])[ranks.index]


def _trivial_models_with_imbalance(results):
    from scipy.stats import spearmanr

    if not _ready(results, "table5"):
        return _NO_ROWS
    shares = trivial_shares(results["table5"])
    shares = shares[[m for m in RIVALS if m in shares]].mean(axis=1)
    ratio = imbalance(results["table5"])[shares.index]
    test = spearmanr(ratio, shares)
    held = test.statistic > 0 and test.pvalue < 0.05
    rare = ratio > 9
    return Verdict(
        REPRODUCED if held else NOT_REPRODUCED,
        f"Spearman's correlation of imbalance with the rivals' mean share of trivial models is "
        f"{test.statistic:.2f} (p = {test.pvalue:.1g}, {len(shares)} data sets); the mean share is "
        f"{shares[rare].mean():.2f} above 9 negatives a positive, {shares[~rare].mean():.2f} below",
    )


def _rank_falls_with_imbalance(results):
    from scipy.stats import spearmanr

    if not _ready(results, "table5"):
        return _NO_ROWS
    ranks, ratio = _ranks(results)
    real = ratio.index[~ratio.index.isin(_simulated(results))]
    test, of_real = spearmanr(ratio, ranks), spearmanr(ratio[real], ranks[real])
    held = test.statistic < 0 and test.pvalue < 0.05
    strong = of_real.statistic < 0 and of_real.pvalue < 0.05
    return Verdict(
        REPRODUCED if held and strong else PARTLY if held or strong else NOT_REPRODUCED,
        f"Spearman's correlation of Fast Boxes' rank with imbalance: {test.statistic:.2f} "
        f"(p = {test.pvalue:.1g}) on {len(ranks)} data sets, {of_real.statistic:.2f} "
        f"(p = {of_real.pvalue:.1g}) on the {len(real)} real ones",
    )


def _simulated(results) -> list[str]:
    from minority.datasets import entry

    return [n for n in results["table5"].experiment.datasets if entry(n).simulated]


def _worst_when_balanced_best_when_not(results):
    if not _ready(results, "table5"):
        return _NO_ROWS
    ranks, ratio = _ranks(results)
    third = len(ranks) // 3
    order = ratio.sort_values(kind="stable").index
    low, high = ranks[order[:third]].mean(), ranks[order[-third:]].mean()
    n_methods = len(COMPETITORS)
    worst, best = low > 2 / 3 * (n_methods + 1), high < 1 / 3 * (n_methods + 1)
    return Verdict(
        (NOT_REPRODUCED, PARTLY, REPRODUCED)[int(worst) + int(best)],
        f"mean rank of Fast Boxes among {n_methods} methods: {low:.1f} on the third of the data "
        f"sets with the least imbalance (up to {ratio[order[third - 1]]:.1f}), {high:.1f} on the "
        f"third with the most (from {ratio[order[-third]]:.1f}); worst and best third of the ranks "
        "are asked for",
    )


def _among_the_best(results, at_least: float, at_most: float = 1.0):
    """Fast Boxes is best or not different from the best on this share of the data sets."""
    if not _ready(results, "table5"):
        return _NO_ROWS
    bold = table5(results["table5"], COMPETITORS).bold
    counts = bold.sum()
    held = counts[_FAST] / len(bold)
    status = REPRODUCED if at_least <= held <= at_most else PARTLY if held > 0 else NOT_REPRODUCED
    others = ", ".join(f"{name} {count}" for name, count in counts.drop(_FAST).items())
    return Verdict(
        status,
        f"Fast Boxes is best or not different from the best on {counts[_FAST]} of {len(bold)} data "
        f"sets (asked for: {at_least:.0%} to {at_most:.0%}); the others: {others}",
    )


def _top_level(results):
    return _among_the_best(results, 2 / 3)


def _often_not_always(results):
    return _among_the_best(results, 1 / 2, 0.99)


def _matches_the_best(results):
    if not _ready(results, "table5"):
        return _NO_ROWS
    scores = mean_auh(results["table5"], COMPETITORS)
    ranks = scores.round(12).rank(axis=1, ascending=False).mean().sort_values()
    best = ranks.drop("fast-boxes").index[0]
    pairs = pairwise_wilcoxon(scores)
    pair = pairs[
        pairs["first"].isin(["fast-boxes", best]) & pairs["second"].isin(["fast-boxes", best])
    ].iloc[0]
    level = pair["p_holm"] >= 0.05 or ranks["fast-boxes"] < ranks[best]
    return Verdict(
        REPRODUCED if level else NOT_REPRODUCED,
        f"mean rank of Fast Boxes {ranks['fast-boxes']:.2f}, of the best rival "
        f"({RIVALS[best].label}) {ranks[best]:.2f} over {len(scores)} data sets; Wilcoxon's test "
        f"of the two, corrected by Holm for all pairs: p = {pair['p_holm']:.2g}",
    )


def _trees_are_trivial(results):
    if not _ready(results, "table5"):
        return _NO_ROWS
    shares = trivial_shares(results["table5"])
    trees = [m for m in ("cart", "c45", "c50") if m in shares]
    high = shares.loc[imbalance(results["table5"])[shares.index] > 9, trees]
    often = (high > 0.5).sum()
    text = ", ".join(f"{RIVALS[m].label} on {often[m]}" for m in trees)
    return share(
        int((often > 0).sum()),
        len(trees),
        f"tree learners with more than half of their models trivial on some of the {len(high)} "
        f"data sets above 9 negatives a positive: {text}",
    )


def seconds_by_set(results) -> pd.DataFrame:
    """Mean seconds of a fold with all its weights: data sets x methods of the paper."""
    timings = results["table5"].timings
    seconds = timings.pivot_table(index="dataset", columns="method", values="seconds")
    return seconds[[m for m in COMPETITORS if m in seconds]].dropna()


def _prim_is_slow(results):
    seconds = seconds_by_set(results) if len(results["table5"].timings) else pd.DataFrame()
    if not {"prim", "cart", "random-forest"} <= set(seconds) or seconds.empty:
        return Verdict(OPEN, "no set has timings of all methods")
    slowest = (seconds.idxmax(axis=1) == "prim").sum()
    ratio = seconds["prim"].sum() / seconds.drop(columns="prim").sum()
    return share(
        int(slowest),
        len(seconds),
        f"data sets on which PRIM takes longest. Its total is {ratio['cart']:.1f} times CART's and "
        f"{ratio['random-forest']:.2f} times the random forest's; ours peels on sorted columns, "
        "the paper's is not known",
    )


def _better(first: Verdict, second: Verdict) -> Verdict:
    """The verdict more in favour of the paper, with the evidence of both."""
    best = min(first, second, key=lambda verdict: VERDICTS.index(verdict.status))
    return Verdict(best.status, f"{first.evidence}. With a margin of 0.05: {second.evidence}")


def _exact_above_fast(results):
    if not _ready(results, "table4"):
        return _NO_ROWS

    def judged(method):
        table = proofs(results["table4"], method)
        gain = table["test AUH, gain"]
        return share(
            int((gain > 0).sum()),
            len(table),
            "data sets where the test AUH of Exact Boxes (faces in mid-gap) is above that of Fast "
            f"Boxes; {gain.mean():+.3f} on average; interval above 0 on {(table['low'] > 0).sum()}",
        )

    return _better(judged(PLAIN), judged(WITH_MARGIN))


def _exact_gains_substantially(results):
    if not _ready(results, "table4"):
        return _NO_ROWS

    def judged(method):
        table = proofs(results["table4"], method)
        large = table[(table["test AUH, gain"] >= SUBSTANTIAL) & (table["low"] > 0)]
        names = ", ".join(f"{n} ({g:+.2f})" for n, g in large["test AUH, gain"].items()) or "none"
        return Verdict(
            REPRODUCED if len(large) else NOT_REPRODUCED,
            f"data sets with at least {SUBSTANTIAL:g} more test AUH than Fast Boxes and an "
            f"interval above 0: {names} of {len(table)}",
        )

    return _better(judged(PLAIN), judged(WITH_MARGIN))


def _exact_is_the_optimum(results):
    if not _ready(results, "table4"):
        return _NO_ROWS
    rows = results["table4"].rows
    held = rows["objective"] >= rows["fast_objective"] - 1e-9
    gain = (rows["objective"] - rows["fast_objective"]).mean()
    return share(
        int(held.sum()),
        len(rows),
        f"solves with a training objective at least that of Fast Boxes, by {gain:.1f} on average",
    )


def _small_sets_are_solved(results):
    if not _ready(results, "table4"):
        return _NO_ROWS
    rows = results["table4"].rows
    solved = rows["status"] == "ok"
    held = solved.groupby(rows["dataset"]).mean() >= 0.9
    return share(
        int(held.sum()),
        len(held),
        f"data sets with at least 9 of 10 solves proven optimal within the limit; {solved.sum():,} "
        f"of {len(rows):,} in all",
    )


def _exact_among_the_best(results):
    if not _ready(results, "table4", "table5"):
        return _NO_ROWS
    bold = table4(results["table4"], results["table5"], COMPETITORS).bold

    def judged(name):
        held = int(bold[LABELS[name]].sum()) if LABELS[name] in bold else 0
        return Verdict(
            REPRODUCED if held >= 5 / 8 * len(bold) else PARTLY if held else NOT_REPRODUCED,
            f"{held} of {len(bold)} data sets with Exact Boxes best or not different from the best "
            "(5 of 8 in the paper)",
        )

    return _better(judged(STATED_FACES), judged("margin"))


def _boxes_do_not_hurt(results):
    """The better box learner of each set is not different from the best of all methods."""
    if not _ready(results, "table5"):
        return _NO_ROWS
    matrix = fold_matrix(auh_by_fold(results["table5"]))
    matrix = matrix[[m for m in COMPETITORS if m in matrix]]
    if len(results["table4"].rows):
        matrix = matrix.join(exact_auh(results["table4"])[STATED_FACES])
    boxes = {"fast-boxes", STATED_FACES}
    held = []
    for _, folds in matrix.groupby(level="dataset", sort=False):
        level = best_methods(folds.dropna(axis=1, how="all").dropna(), 0.05)
        held.append(bool(np.any([level.get(name, False) for name in boxes])))
    return Verdict(
        REPRODUCED if np.mean(held) > 0.5 else NOT_REPRODUCED,
        f"{sum(held)} of {len(held)} data sets where Fast or Exact Boxes is best or not different "
        "from the best; more than half are asked for",
    )


RULES = {
    "box_drawings-01": _trivial_models_with_imbalance,
    "box_drawings-02": _rank_falls_with_imbalance,
    "box_drawings-03": _top_level,
    "box_drawings-04": _exact_above_fast,
    "box_drawings-08": _prim_is_slow,
    "box_drawings-12": _small_sets_are_solved,
    "box_drawings-13": _exact_is_the_optimum,
    "box_drawings-26": _often_not_always,
    "box_drawings-27": _rank_falls_with_imbalance,
    "box_drawings-28": _worst_when_balanced_best_when_not,
    "box_drawings-33": _trees_are_trivial,
    "box_drawings-35": _exact_among_the_best,
    "box_drawings-36": _exact_gains_substantially,
    "box_drawings-37": _boxes_do_not_hurt,
    "box_drawings-43": _matches_the_best,
}
