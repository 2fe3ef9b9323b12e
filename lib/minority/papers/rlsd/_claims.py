"""How the claims of RLSD are judged: a number on the rows, a count, or the test that shows it.

The law-enforcement data is not available. Claims about it are not testable; they are listed with
what the simulated sets show, which counts in no verdict, and with a second one on public data. The
one verdict from simulated rows is that on feature selection, which needs attributes of which it is
known that they tell nothing.
"""

import numpy as np
import pandas as pd

from minority import datasets
from minority.datasets._transactions import PAIRS, UNRELATED
from minority.experiments import TEST_SHARE
from minority.papers.rlsd._grid_claims import RULES as GRID_RULES
from minority.papers.rlsd._grid_claims import UNAVAILABLE, Steps
from minority.papers.rlsd._protocol import LEVELS
from minority.papers.rlsd._real import BUDGET
from minority.papers.rlsd._rivals import COST_SETTINGS, f_measure
from minority.papers.rlsd._studies import limit_study, search_study, steps_of_chimerge
from minority.papers.rlsd._tables import cut_points, on_shared_sets, real_scores, simulated_grid
from minority.report import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OPEN,
    PARTLY,
    REPRODUCED,
    Verdict,
    cannot_be_tested,
    instead,
    share,
    shown_by,
)
from minority.statistics import corrected_interval

_CHIMERGE = "tests/rules/test_chimerge.py::"
_RLSD = "tests/rules/test_rlsd.py::"
_LIMIT = 10_000
#: Real sets that a verdict over them waits for.
FEWEST_SETS = 6


def _all_patterns(results):
    shown = shown_by(_RLSD + "test_without_missing_values_all_intersections_are_found")(results)
    return Verdict(shown.status, f"as long as the limit M is not reached: {shown.evidence}")


def _search_is_exhaustive(results):
    counts = search_study(limit=_LIMIT)
    whole = counts[counts < _LIMIT]
    rest = ", ".join(counts.index[counts >= _LIMIT])
    return share(
        len(whole),
        len(counts),
        f"real sets where all rules of the positives fit below M = {_LIMIT:,} ({whole.min()} to "
        f"{whole.max():,} rules); with many attributes they do not ({rest}), nor on the simulated "
        "sets",
    )


def faster(n_rows: int, n_minority: int) -> Verdict:
    """Whether the minority version takes thousands of times fewer steps than the classic."""
    steps = steps_of_chimerge(n_rows, n_minority)
    ratios = {name: steps[name] / steps["minority"] for name in ("textbook", "classic")}
    held = sum(ratio >= 1000 for ratio in ratios.values())
    return Verdict(
        (NOT_REPRODUCED, PARTLY, REPRODUCED)[held],
        f"counted in steps for {n_rows:,} different values with {n_minority} of the minority "
        f"(Table 2): {ratios['textbook']:,.0f} times fewer than the textbook, which computes all "
        f"chi-squares anew after each merge, but {ratios['classic']:.0f} times fewer than the same "
        "with a heap; the notebook times them",
    )


def _thousands_of_times_faster(results):
    _, (n_rows, n_minority), _ = PAIRS["simulated-law-1"]
    return faster(n_rows, n_minority)


def _noise_drops_out(results):
    rows = results["significance"].rows
    if len(rows) < results["significance"].planned or rows.empty:
        return Verdict(OPEN, f"{results['significance'].coverage()}")
    kept = rows.groupby("setting")["unrelated_kept"].sum().reindex(list(LEVELS))
    cases = len(UNRELATED) * rows["dataset"].nunique()
    others = ", ".join(
        f"{cases - kept[s]:.0f} at {level:g}" for s, level in LEVELS.items() if level != 0.05
    )
    return share(
        int(cases - kept["level=0.05"]),
        cases,
        "unrelated attributes of the simulated sets left with one interval at level 0.05 "
        f"({others}); the level holds for one comparison, not for the largest of many",
    )


def _random_dropping_works(results):
    study = limit_study().reset_index()
    largest = study["limit"].max()
    reference = study[study["limit"] == largest].set_index("dataset")["f"]
    dropped = study[(study["generated"] >= study["limit"]) & (study["limit"] < largest)]
    ratio = dropped["f"] / dropped["dataset"].map(reference)
    worst = dropped.loc[ratio.idxmin()]
    best = reference[worst["dataset"]]
    return share(
        int((ratio >= 0.95).sum()),
        len(dropped),
        "cases on real sets where F on the test part stays above 95 % of what it is with "
        f"M = {largest:,}; the worst is {worst['f']:.2f} instead of {best:.2f} "
        f"({worst['dataset']}, M = {worst['limit']})",
    )


def _recalls(c50):
    means = c50.rows.pivot_table(index="method", columns="setting", values="recall")
    means = means.reindex(index=list(c50.experiment.methods), columns=list(COST_SETTINGS))
    return "; ".join(
        f"{c50.experiment.methods[m].label}: " + ", ".join(f"{r:.2f}" for r in row)
        for m, row in means.dropna().iterrows()
    )


def _costs_collapse(results):
    c50 = results["c50"]
    return Verdict(
        NOT_TESTABLE,
        f"{UNAVAILABLE}, nor is C5.0; simulated ({c50.coverage()}), recall at costs 100 to 400: "
        f"{_recalls(c50) or 'no rows yet'}. That it jumps from 0 to 1 without any signal is shown "
        "by test_least_cost_collapses_from_none_to_all in tests/papers/test_rlsd_protocol.py",
    )


def _only_the_default_fires(results):
    rows = results["c50"].rows
    rows = rows[(rows["method"] == "c5.0") & rows["setting"].isin(["cost=200", "cost=300"])]
    text = "no rows yet"
    if len(rows):
        text = (
            f"C4.5's rules find {rows['tp_by_rules'].sum():.0f} of the {rows['tp'].sum():.0f} bad "
            "examples that are found at costs 200 and 300, the default the others"
        )
    where = f"simulated ({results['c50'].coverage()})"
    return Verdict(NOT_TESTABLE, f"{UNAVAILABLE}, nor is C5.0; {where}: {text}")


def _cutting_trades(results):
    points = cut_points(results["cut"])[["recall", "precision"]]
    texts = []
    for method, part in points.dropna().groupby(level="method", sort=False):
        moves = (part.diff().iloc[1:] * [1, -1]).to_numpy().ravel()
        steps = Steps(*(int(c.sum()) for c in (moves > 0, moves < 0, moves == 0)))
        texts.append(f"{results['cut'].experiment.methods[method].label} {steps}")
    where = f"simulated ({results['cut'].coverage()})"
    return Verdict(
        NOT_TESTABLE, f"{UNAVAILABLE}, nor is C5.0; {where}: {'; '.join(texts) or 'no rows yet'}"
    )


def best_f(results) -> dict[str, float]:
    """The largest F over the points of each curve of Figure 1, on the sets that all have."""
    table3, rivals = on_shared_sets(results["table3"], results["cut"])
    grid = simulated_grid(table3)
    curves = {f"RLSD {least:g}": grid.loc[least] for least in (0.01, 0.05, 0.1, 0.2)}
    methods = rivals.experiment.methods
    cut = cut_points(rivals).groupby(level="method", sort=False)
    curves |= {f"{methods[name].label} on a cut majority": part for name, part in cut}
    curves = {name: c[["recall", "precision"]].dropna() for name, c in curves.items()}
    return {
        name: float(f_measure(c["recall"], c["precision"]).max())
        for name, c in curves.items()
        if len(c)
    }


def _curves(remark):
    def rule(results):
        found = ", ".join(f"{name} {value:.3f}" for name, value in best_f(results).items())
        keys = " and ".join(f"{results[name].coverage()} of {name}" for name in ("table3", "cut"))
        return Verdict(
            NOT_TESTABLE,
            f"{remark}; simulated ({keys}), largest F (beta = 2) of each curve: "
            f"{found or 'no rows yet'}",
        )

    return rule


def _transfers(results):
    real = results["real"]
    facts = datasets.describe().set_index("name")
    scores = real_scores(real, "ap")
    scores = scores[scores.index.isin(facts.index)]
    if len(scores) < FEWEST_SETS:
        return Verdict(OPEN, f"complete data sets: {len(scores)}, needed: {FEWEST_SETS}")
    random = facts["positives"].astype(float) / facts["n"].astype(float)
    splits = real.rows[real.rows["method"] == "rlsd"].groupby("dataset")["ap"]
    low = pd.Series(
        {n: corrected_interval(splits.get_group(n), test_share=TEST_SHARE)[1] for n in scores.index}
    )
    recall = real_scores(real, "recall_2").loc[scores.index, "rlsd"]
    ranks = scores.round(12).rank(axis=1, ascending=False).mean()
    places = ", ".join(f"{real.experiment.methods[m].label} {r:.1f}" for m, r in ranks.items())
    return share(
        int((low > random.reindex(low.index)).sum()),
        len(scores),
        "real sets where AP is above that of random order (lower end of the corrected interval); "
        f"{np.mean(recall):.0%} of the positives are within {BUDGET:.0%} inspected on average. "
        f"Mean rank by AP: {places}",
    )


RULES = GRID_RULES | {
    "rlsd-01": _search_is_exhaustive,
    "rlsd-02": cannot_be_tested(
        "a fact of data that only the authors have; of the inspected transactions of Table 2 it is "
        "0.2 to 0.7 %"
    ),
    "rlsd-03": cannot_be_tested("a judgement of inspectors"),
    "rlsd-04": shown_by(_CHIMERGE + "test_only_the_minority_makes_intervals"),
    "rlsd-05": _thousands_of_times_faster,
    "rlsd-06": _noise_drops_out,
    "rlsd-07": shown_by(_RLSD + "test_a_rule_is_the_most_specific_that_covers_its_examples"),
    "rlsd-08": _all_patterns,
    "rlsd-09": _random_dropping_works,
    "rlsd-10": shown_by(_RLSD + "test_counts_are_exact_within_the_limits"),
    "rlsd-11": shown_by(_RLSD + "test_selection_by_the_f_measure"),
    "rlsd-28": _costs_collapse,
    "rlsd-29": _only_the_default_fires,
    "rlsd-30": _cutting_trades,
    "rlsd-31": _curves(
        f"{UNAVAILABLE}, nor is C5.0, and the simulation was made about as hard for C4.5 on a cut "
        "majority as the paper says it was for C5.0"
    ),
    "rlsd-32": _curves(f"{UNAVAILABLE}, the points of C5.0 are lost, and no verdict is drawn"),
    "rlsd-33": _transfers,
}

#: The threshold of ChiMerge, which the paper does not state.
READINGS = {
    f"level {level:g}": instead("table3", {"rlsd": name}, source="table3-levels")
    for name, level in LEVELS.items()
    if level != 0.05
}
