"""Why claims of Box Drawings were not reproduced: what was looked into, and what it showed."""

import numpy as np
import pandas as pd

from minority.experiments import Results
from minority.papers.box_drawings._comparison_claims import SUBSTANTIAL, seconds_by_set
from minority.papers.box_drawings._exact_tables import PLAIN, STATED_FACES, WITH_MARGIN, exact_auh
from minority.papers.box_drawings._rivals import RIVALS
from minority.papers.box_drawings._studies import ranking_study
from minority.papers.box_drawings._tables import auh_by_fold, fold_matrix
from minority.report import Finding
from minority.statistics import bootstrap_interval, corrected_interval

#: The trees of Table 5, which can be read as boxes can.
_READABLE = ("cart", "c45", "c50", "hddt")


def _over_sets(values, digits: int) -> str:
    """A mean over data sets with its interval."""
    return "{:+.{d}f} ({:+.{d}f} to {:+.{d}f})".format(*bootstrap_interval(values), d=digits)


def _prim_is_slow(results):
    from minority.rules import PRIMClassifier

    seconds = seconds_by_set(results)
    rivals = seconds.drop(columns="prim")

    def ratio(others, times=1):
        logarithms = np.log(times * seconds["prim"] / others)
        return "{:.{d}f} ({:.{d}f} to {:.{d}f})".format(
            *np.exp(bootstrap_interval(logarithms)), d=1 if times == 1 else 0
        )

    prim, cart = PRIMClassifier(), rivals["cart"]
    alpha, least = prim.peel_alpha, prim.min_support
    # The supports on the way, 1, 1 - alpha, (1 - alpha)^2 ... down to the least one, add up to it.
    passes = (1 - least) / alpha
    slowest = (passes * seconds["prim"] > rivals.max(axis=1)).sum()
    return Finding(
        "unstated setting",
        f"Our PRIM takes {ratio(rivals.median(axis=1))} times as long as the median rival and "
        f"{ratio(cart)} times as long as CART (geometric means over {len(seconds)} sets, 95 % "
        "intervals). The paper ran a program of its own, which it neither describes nor times. "
        "Ours sorts each column once; one that sorts what is left at each peel of "
        f"{100 * alpha:g} %, down to {100 * least:g} % of the rows, sorts {passes:.0f} times as "
        f"many rows. If all of its time grew {passes:.0f}-fold, PRIM would take "
        f"{ratio(cart, passes)} times as long as CART, but be the slowest on {slowest} of "
        f"{len(seconds)} sets only. So such a program is slow beside a tree; the method need not "
        "be.",
    )


def _unpruned_is_better(results):
    rows, texts = results["pruning"].rows, []
    for method, part in rows.groupby("method", sort=False):
        means = part.pivot_table(index="dataset", columns="setting", values=["recall", "auh"])
        recall, auh = (means[m, "pruned=no"] - means[m, "pruned=yes"] for m in ("recall", "auh"))
        label = results["pruning"].experiment.methods[method].label
        texts.append(f"{label}: recall {_over_sets(recall, 4)}, AUH {_over_sets(auh, 4)}")
    areas = ranking_study()
    return Finding(
        "unstated setting",
        f"Unpruned less pruned trees, means over {rows['dataset'].nunique()} sets with 95 % "
        f"intervals, {'; '.join(texts)}. So decisions gain next to nothing. But the cited studies "
        "ask how well leaves rank examples, and there unpruned C4.5 is ahead: area under the ROC "
        "curve, with Laplace's correction, "
        f"{_over_sets(areas['unpruned'] - areas['pruned'], 3)} on {len(areas)} small sets. So the "
        "cited finding holds for rankings, and does not carry over to the decisions measured here.",
    )


def _whole_sets(results: Results, method: str) -> pd.DataFrame:
    """AUH of the folds of those sets that have all of them."""
    auh = exact_auh(results, method)
    return auh[auh.groupby(level="dataset")["fast"].transform("size") == results.experiment.folds]


def _gains(exact: pd.Series, other: pd.Series, folds: int) -> pd.DataFrame:
    """Mean gain of each data set that both have, with its corrected interval."""
    found = {
        name: corrected_interval(part, test_share=1 / folds)
        for name, part in (exact - other).dropna().groupby(level="dataset", sort=False)
    }
    return pd.DataFrame.from_dict(found, orient="index", columns=["gain", "low", "high"])


def _exact_gains_substantially(results):
    rows, folds = results["table4"].rows, results["table4"].experiment.folds
    plain, margin = (_whole_sets(results["table4"], method) for method in (PLAIN, WITH_MARGIN))
    others = fold_matrix(auh_by_fold(results["table5"]))
    exact = plain[STATED_FACES]
    gains = _gains(exact, plain["fast"], folds)
    with_margin = _gains(margin[STATED_FACES], margin["fast"], folds)["gain"]
    first_grid = _gains(exact, others["fast-boxes-first-grid"], folds)["gain"]
    moved = _gains(margin[STATED_FACES], exact, folds)["gain"].abs().max()
    over = {name: _gains(exact, others[name], folds) for name in _READABLE}
    clear = ", ".join(
        f"{RIVALS[name].label} {((g['gain'] >= SUBSTANTIAL) & (g['low'] > 0)).sum()}"
        for name, g in over.items()
    )
    best = max(gains["gain"].max(), with_margin.max())
    width = ((gains["high"] - gains["low"]) / 2).median()
    ahead = (rows["objective"] > rows["fast_objective"] + 1e-9).mean()
    return Finding(
        "unstated setting",
        f"Not noise: on the {len(gains)} sets with all folds Exact less Fast Boxes is "
        f"{_over_sets(gains['gain'], 2)} in test AUH (95 % intervals over sets), "
        f"{_over_sets(first_grid, 2)} against Fast Boxes' first grid, {_over_sets(with_margin, 2)} "
        f"with the margin ({len(with_margin)} sets). The best set has {best:+.2f}; the interval of "
        f"one set is ±{width:.2f} in the median. In training Exact Boxes is ahead in "
        f"{100 * ahead:.0f} % of solves. The paper states neither c_E nor margin nor its 8 sets; "
        f"the margin alone moves a set by up to {moved:.2f}. Sets with a clear gain of "
        f"{SUBSTANTIAL:g} over readable rivals: {clear}. So not chance, but settings, sets or the "
        "rival that was meant.",
    )


INVESTIGATIONS = {
    "box_drawings-08": _prim_is_slow,
    "box_drawings-25": _unpruned_is_better,
    "box_drawings-36": _exact_gains_substantially,
}
