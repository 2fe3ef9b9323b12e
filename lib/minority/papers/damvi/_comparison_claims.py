"""Claims of DAMVI that compare methods: on the rows of Tables II and III and of 40 splits.

Only the paper's methods compete; equal weights, full bags and gradient boosting are ours.
"""

from itertools import combinations

import pandas as pd

from minority import datasets
from minority.papers.damvi._rivals import RIVALS
from minority.papers.damvi._tables import (
    COMPETITORS,
    MEASURES,
    PAPER_SETS,
    ablation_means,
    differences,
    mean_scores,
    rank_sum_marks,
    splits_by_methods,
)
from minority.report import NOT_REPRODUCED, OPEN, PARTLY, REPRODUCED, Verdict, share
from minority.statistics import pairwise_wilcoxon

#: The paper's sets of which the data, or for Scania a part of it, is real.
REAL = tuple(name for name in PAPER_SETS.values() if not datasets.entry(name).simulated)
#: The share of positives below which the paper claims to do well.
RARE = 0.04
#: Claims over many sets wait for this many: no signed-rank test of fewer is significant at 0.05.
FEWEST_SETS = 6
_ALPHA = 0.05


def at_least(needed: int, held: int, cases: int, planned: int, evidence: str) -> Verdict:
    """Whether a claim held as often as needed; open if cases still missing could decide."""
    text = f"{held} of {cases}: {evidence}"
    if cases < planned:
        text += f" ({planned - cases} of {planned} are not computed yet)"
    if held >= needed:
        return Verdict(REPRODUCED, text)
    if held + planned - cases >= needed or (not held and cases < planned):
        return Verdict(OPEN, text if cases else "no rows yet")
    return Verdict(PARTLY if held else NOT_REPRODUCED, text)


def _of_checks(checks: list[bool], evidence: str) -> Verdict:
    return Verdict(share(sum(checks), len(checks), "").status, evidence)


def rare_sets(names) -> list[str]:
    """The registered, real data sets among these with less than 4 % positives."""
    facts = datasets.describe().set_index("name")
    facts = facts.loc[[n for n in names if n in facts.index and not is_stand_in(n)]]
    positives, n = facts["positives"].astype(float), facts["n"].astype(float)
    return list(facts.index[positives / n < RARE])


def is_stand_in(name: str) -> bool:
    """Whether a set of Table I is simulated."""
    return name in PAPER_SETS.values() and name not in REAL


def _real(results) -> list[str]:
    """The paper's real sets among those of the main table."""
    return [name for name in REAL if name in results["table23"].experiment.datasets]


def complete_splits(results, measure, names) -> dict[str, pd.DataFrame]:
    """The splits of those data sets on which all ten methods have every split."""
    whole = mean_scores(results, measure, COMPETITORS).index.intersection(list(names), sort=False)
    splits = splits_by_methods(results, measure)
    return {name: splits.xs(name, level="dataset")[list(COMPETITORS)] for name in whole}


def _too_few(scores: pd.DataFrame) -> Verdict | None:
    if len(scores) >= FEWEST_SETS:
        return None
    return Verdict(OPEN, f"complete data sets: {len(scores)}, needed: {FEWEST_SETS}")


def _counted(scores: pd.DataFrame, planned) -> str:
    return f"over {len(scores)} of {len(planned)} real sets"


def _stable_where_rare(results):
    checks, texts = [], []
    rare = rare_sets(results["table23"].experiment.datasets)
    for measure, label in MEASURES.items():
        splits = complete_splits(results["table23"], measure, rare)
        spread = pd.DataFrame({name: part.std() for name, part in splits.items()}).T
        means = pd.DataFrame({name: part.mean() for name, part in splits.items()}).T
        if (few := _too_few(means)) is not None:
            return few
        worst = means.round(12).rank(axis=1, ascending=False).max()
        for values, text in ((spread.mean(), "mean sd"), (worst, "worst rank")):
            place = int(values.rank(method="min")["damvi"])
            checks.append(place == 1)
            least = values.drop("damvi")
            texts.append(
                f"{label}: {text} {values['damvi']:.3g}, place {place} of {len(values)} "
                f"(least of the rivals: {RIVALS[least.idxmin()].label} {least.min():.3g})"
            )
    return _of_checks(checks, f"{_counted(means, rare)} below 4 % positives. " + "; ".join(texts))


def pair_differences(results, measure) -> pd.DataFrame:
    """Differences of all pairs of methods with their intervals, a row a pair and data set."""
    splits = splits_by_methods(results, measure)
    pairs = combinations(splits, 2)
    return pd.concat({pair: differences(splits, *pair) for pair in pairs})


def is_clear(intervals: pd.DataFrame) -> pd.Series:
    """Whether an interval excludes 0."""
    return (intervals["low"] > 0) | (intervals["high"] < 0)


def _ap_tells_more_apart(results):
    if (few := _too_few(mean_scores(results["repeats"], "ap"))) is not None:
        return few
    by_ap, by_roc = (is_clear(pair_differences(results["repeats"], m)) for m in ("ap", "auroc"))
    return Verdict(
        REPRODUCED if by_ap.sum() > by_roc.sum() else NOT_REPRODUCED,
        f"of {len(by_ap)} pairs of methods on a set, the corrected interval of the difference "
        f"excludes 0 for {by_ap.sum()} by AP and for {by_roc.sum()} by the area under the ROC "
        "curve",
    )


def _best(results, measure, needed):
    """DAMVI has the best mean of the ten methods on so many of the paper's real sets."""
    splits = complete_splits(results["table23"], measure, _real(results))
    winners = {name: part.mean().round(12).idxmax() for name, part in splits.items()}
    held = [name for name, winner in winners.items() if winner == "damvi"]
    others = ", ".join(f"{RIVALS[w].label} on {n}" for n, w in winners.items() if w != "damvi")
    return at_least(
        needed,
        len(held),
        len(winners),
        len(_real(results)),
        f"real sets of the paper where DAMVI has the best mean {MEASURES[measure]} of the ten "
        f"methods{f' (the best is {others})' if others else ''}; Scania counts with its part",
    )


def _best_f1(results):
    return _best(results, "f1", len(_real(results)))


def _best_ap(results):
    return _best(results, "ap", len(_real(results)) - 1)


def _mostly_significant(results):
    worse = better = cases = 0
    for measure in MEASURES:
        for part in complete_splits(results["table23"], measure, _real(results)).values():
            marks = rank_sum_marks(part, _ALPHA).drop("damvi")
            worse, better, cases = (
                worse + int((marks == "↓").sum()),
                better + int((marks == "↑").sum()),
                cases + len(marks),
            )
    planned = len(_real(results)) * len(RIVALS) * len(MEASURES)
    return at_least(
        planned // 2 + 1,
        worse,
        cases,
        planned,
        f"rivals on real sets in F1 and AP that are worse than DAMVI by the rank-sum test; {better}"
        " are better; more than half are asked for",
    )


def _steadier_than_rbg(results):
    steadier, texts = [], []
    for measure, label in MEASURES.items():
        parts = complete_splits(results["table23"], measure, _real(results)).values()
        steadier += [part["damvi"].std() < part["r-bg"].std() for part in parts]
        longer = splits_by_methods(results["repeats"], measure).reindex(columns=["damvi", "r-bg"])
        deviations = longer.dropna().groupby(level="dataset").std()
        texts.append(
            f"{label} {(deviations['damvi'] < deviations['r-bg']).sum()} of {len(deviations)}"
        )
    planned = len(_real(results)) * len(MEASURES)
    return at_least(
        planned // 2 + 1,
        sum(map(int, steadier)),
        len(steadier),
        planned,
        "standard deviations over five splits, F1 and AP on real sets, that are smaller than those "
        f"of R-BG (8 of 12 in the paper); sets over 40 splits: {', '.join(texts)}",
    )


def _rbg_is_second(results):
    first, texts = [], []
    for measure, label in MEASURES.items():
        means = mean_scores(results["table23"], measure, COMPETITORS)
        means = means.loc[means.index.intersection(_real(results))]
        if len(means) < len(_real(results)):
            return Verdict(OPEN, f"{len(means)} of {len(_real(results))} real sets are complete")
        ranks = means[list(RIVALS)].round(12).rank(axis=1, ascending=False).mean()
        first.append(ranks.idxmin() == "r-bg")
        texts.append(
            f"{label}: R-BG {ranks['r-bg']:.1f}, best {RIVALS[ranks.idxmin()].label} "
            f"{ranks.min():.1f}"
        )
    return _of_checks(first, f"mean rank among the nine rivals, {'; '.join(texts)}")


def _ahead(scores_of, first, second):
    """Whether one method is ahead of another over data sets, in F1 and in AP."""
    checks, texts = [], []
    for measure, label in MEASURES.items():
        scores = scores_of(measure)
        if (few := _too_few(scores)) is not None:
            return few
        (pair,) = pairwise_wilcoxon(scores[[first, second]]).itertuples()
        checks.append(pair.difference > 0 and pair.p_value < _ALPHA)
        texts.append(
            f"{label} {pair.difference:+.3f} on average, ahead on {pair.wins} and behind on "
            f"{pair.losses} of {len(scores)} sets, p = {pair.p_value:.2g}"
        )
    return _of_checks(checks, "; ".join(texts))


def _weights_lift(results):
    verdict = _ahead(
        lambda measure: mean_scores(results["repeats"], measure, ["damvi", "uniform"]),
        "damvi",
        "uniform",
    )
    return Verdict(verdict.status, f"DAMVI less equal weights of its trees: {verdict.evidence}")


def _diversity_helps_where_rare(results):
    means = ablation_means(results["ablation"])
    rare = rare_sets(means.index.get_level_values("dataset").unique())
    settings = ["reweighting=vote", "weights=uniform"]

    def scores_of(measure):
        by_set = means.pivot_table(index="dataset", columns="setting", values=measure, sort=False)
        return by_set.reindex(index=rare, columns=settings).dropna()

    verdict = _ahead(scores_of, *settings)
    return Verdict(
        verdict.status,
        f"weights by the C-bound less equal ones, sets below 4 % positives: {verdict.evidence}",
    )


def _beats_all_rivals(results):
    checks, texts = [], []
    for measure, label in MEASURES.items():
        scores = mean_scores(results["table23"], measure, COMPETITORS)
        if (few := _too_few(scores)) is not None:
            return few
        pairs = pairwise_wilcoxon(scores, against="damvi").set_index("second")
        beaten = (pairs["difference"] > 0) & (pairs["p_holm"] < _ALPHA)
        checks += beaten.tolist()
        others = ", ".join(RIVALS[name].label for name in pairs.index[~beaten]) or "none"
        place = scores.round(12).rank(axis=1, ascending=False).mean().rank()["damvi"]
        texts.append(
            f"{label}: mean rank in place {place:g} of {scores.shape[1]}, not shown to be ahead of "
            f"{others}"
        )
    planned = [n for n in results["table23"].experiment.datasets if not is_stand_in(n)]
    text = f"comparisons with a rival won {_counted(scores, planned)}. {'; '.join(texts)}"
    return share(sum(checks), len(checks), text)


RULES = {
    "damvi-01": _stable_where_rare,
    "damvi-11": _ap_tells_more_apart,
    "damvi-12": _best_f1,
    "damvi-13": _best_ap,
    "damvi-15": _mostly_significant,
    "damvi-16": _steadier_than_rbg,
    "damvi-17": _rbg_is_second,
    "damvi-18": _weights_lift,
    "damvi-19": _diversity_helps_where_rare,
    "damvi-26": _beats_all_rivals,
}
