"""How the claims of RLSD are judged: a number on the rows, a count, or the test that shows it.

The law-enforcement data is not available. Claims about it, most of them read off Table 3, are not
testable; they are listed with whether the published table shows it, with what the simulated sets
show, which counts in no verdict, and with a second verdict on public data. The one verdict from
simulated rows is that on feature selection, which needs attributes of which it is known that they
tell nothing.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports import datasets
from minority_reports.datasets.transactions import PAIRS, UNRELATED
from minority_reports.experiments import Results, corrected_gaps
from minority_reports.papers.rlsd.protocol import (
    BUDGET,
    COST_SETTINGS,
    GRID,
    LEVELS,
    f_measure,
)
from minority_reports.papers.rlsd.studies import (
    counted_on_simulated,
    limit_study,
    public_grid,
    search_study,
)
from minority_reports.papers.rlsd.tables import (
    cut_points,
    on_shared_sets,
    published_grid,
    published_table,
    real_scores,
    simulated_grid,
)
from minority_reports.report import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OPEN,
    PARTLY,
    REPRODUCED,
    Verdict,
    cannot_be_tested,
    share,
    shown_by,
)

UNAVAILABLE = "the law-enforcement data is not available"
_CHIMERGE = "tests/minority/rules/test_chimerge.py::"
_RLSD = "tests/minority/rules/test_rlsd.py::"
_LIMIT = 10_000
#: Who takes part in what is said of costs and of a cut majority, whatever else is run.
COST_METHODS, CUT_METHODS = ("c5.0", "c5.0-least-cost"), ("c5.0", "ripper", "fast-boxes")
#: Real sets that a verdict over them waits for.
FEWEST_SETS = 6
_SHAPE = len({r for r, _ in GRID.values()}), len({p for _, p in GRID.values()})
#: The two smallest and the two largest of the least precisions.
SMALL, LARGE = slice(0, 2), slice(-2, None)
EVERY = slice(None)


class Trend(NamedTuple):
    """A column of Table 3 that rises (sign 1) or falls (-1) as one of the two minima is raised.

    `where` are the values of the other minimum for which this is said.
    """

    column: str
    along: str
    sign: int
    where: slice = EVERY


class Steps(NamedTuple):
    """How many steps from one minimum to the next go as claimed, against it and neither way."""

    as_claimed: int
    against: int
    level: int

    def __str__(self):
        return f"{self.as_claimed} steps as claimed, {self.against} against, {self.level} level"

    @property
    def status(self) -> str:
        if self.as_claimed <= self.against:
            return NOT_REPRODUCED
        return PARTLY if self.against else REPRODUCED


def matrix(grid: pd.DataFrame, column: str) -> np.ndarray:
    """A column as an array, least recalls x least precisions.

    ``gap`` is the recall in training less that on the test part.
    """
    values = grid["train_recall"] - grid["recall"] if column == "gap" else grid[column]
    return values.to_numpy(dtype=float).reshape(_SHAPE)


def count_steps(grids, *trends: Trend) -> Steps:
    """Steps of all trends in all grids. A step from or to a cell without a number is left out."""
    moves = []
    for trend in trends:
        for grid in grids:
            values = matrix(grid, trend.column)
            values = values[trend.where] if trend.along == "precision" else values.T[trend.where]
            moves.append(trend.sign * np.diff(values, axis=1).ravel())
    moves = np.concatenate(moves).round(12)
    return Steps(*(int(c.sum()) for c in (moves > 0, moves < 0, moves == 0)))


def public_grids() -> list[pd.DataFrame]:
    """One grid for each public data set."""
    groups = public_grid().groupby(level="dataset", sort=False)
    return [grid.droplevel("dataset") for _, grid in groups]


def said(
    results: Mapping[str, Results], text_of, second: str = "", *, is_published: bool = True
) -> Verdict:
    """Not testable, with what ``text_of(grid)`` says of the published and the simulated grid."""
    parts = [UNAVAILABLE]
    if is_published:
        parts.append(f"as published: {text_of(published_grid())}")
    table3 = results["table3"]
    shown = text_of(simulated_grid(table3)) if len(table3.rows) else "no rows yet"
    parts.append(f"simulated ({table3.coverage()}): {shown}")
    return Verdict(NOT_TESTABLE, "; ".join([*parts, second] if second else parts))


def _trends(*trends):
    def rule(results):
        public = count_steps(public_grids(), *trends)
        second = f"on public data {public.status}, {public}"
        return said(results, lambda grid: str(count_steps([grid], *trends)), second)

    return rule


def _on_lines(holds, evidence):
    """A rule for what holds for a number of lines of a grid: ``holds(grid)`` is a bool array."""

    def rule(results):
        public = np.concatenate([holds(grid) for grid in public_grids()])
        verdict = share(int(public.sum()), len(public), evidence)

        def text_of(grid):
            return f"{holds(grid).sum()} of {len(holds(grid))}"

        return said(results, text_of, f"on public data {verdict.status}, {verdict.evidence}")

    return rule


def _all_found(grid):
    return matrix(grid, "train_recall")[:, 0] > 0.995  # printed as 1


def _rises_then_falls(grid):
    """For each least recall, whether the number of rules has one peak, within the range."""
    held = []
    for line in matrix(grid, "n_rules"):
        peak, moves = int(np.nan_to_num(line).argmax()), np.diff(line)
        inside = 0 < peak < len(line) - 1
        held.append(inside and (moves[:peak] >= 0).all() and (moves[peak:] <= 0).all())
    return np.array(held)


def _ranges(values):
    """Mean range of the rows that have two numbers or more."""
    rows = [row[~np.isnan(row)] for row in values]
    return float(np.mean([np.ptp(row) for row in rows if len(row) > 1] or [np.nan]))


def _range_is_smaller(grid):
    values = matrix(grid, "best_precision")
    return np.array([_ranges(values) < _ranges(values.T)])


def _empty_cells(results):
    empty = [setting for setting in GRID if setting not in published_table("Table 3").index]

    def text_of(grid):
        without = {s for s, n in zip(GRID, grid["n_rules"], strict=True) if n == 0}
        return (
            f"no rule in any set in {len(without & set(empty))} of the {len(empty)} cells that the "
            f"paper leaves out, and in {len(without - set(empty))} of the {len(GRID) - len(empty)} "
            "others"
        )

    return said(results, text_of, is_published=False)


def _highest(column, text, quoted):
    def rule(results):
        bad, total = (sum(test[i] for _, _, test in PAIRS.values()) for i in (1, 0))

        def text_of(grid):
            if grid[column].isna().all():
                return "no rule"
            least_recall, least_precision = grid[column].idxmax()
            return (
                f"{text} at most {grid[column].max():.3f}, at ({least_recall:g}, "
                f"{least_precision:g}), {grid[column].max() * total / bad:.1f} times the random "
                f"{bad / total:.4f}"
            )

        return said(results, text_of, f"the paper says {quoted} times")

    return rule


def _idle_rules(results):
    grid = public_grid()
    corner = grid.xs((0.01, 1.5), level=["min_recall", "min_precision"])["idle"]
    strict = grid.xs(0.2, level="min_recall")["idle"]
    status = REPRODUCED if corner.mean() > strict.mean() else NOT_REPRODUCED
    return Verdict(
        NOT_TESTABLE,
        f"{UNAVAILABLE}, and its table does not show it; on public data {status}: of the selected "
        f"rules {corner.mean():.0%} find no positive of the test part with the smallest minima, "
        f"{strict.mean():.0%} with least recall 0.2",
    )


def _avoids_overfitting(results):
    """The one general statement: judged on public data."""
    trends = Trend("gap", "recall", -1), Trend("precision", "precision", 1)
    steps = [count_steps(public_grids(), trend) for trend in trends]
    both = Steps(*(sum(part) for part in zip(*steps, strict=True)))
    return Verdict(
        both.status,
        f"on public data the gap between training and test recall falls as the least recall rises "
        f"({steps[0]}), and test precision rises with the least precision ({steps[1]})",
    )


#: What the text says of the columns of Table 3.
TRENDS = {
    "rlsd-14": (Trend("train_recall", "precision", -1),),
    "rlsd-15": (Trend("train_recall", "recall", -1),),
    "rlsd-17": (Trend("gap", "recall", -1, SMALL),),
    "rlsd-18": (Trend("n_rules", "recall", -1),),
    "rlsd-20": (
        Trend("recall", "precision", -1),
        Trend("precision", "precision", 1),
    ),
    "rlsd-21": (
        Trend("recall", "recall", 1, SMALL),
        Trend("precision", "recall", -1, SMALL),
    ),
    "rlsd-22": (
        Trend("recall", "recall", -1, LARGE),
        Trend("precision", "recall", 1, LARGE),
    ),
    "rlsd-25": (
        Trend("best_recall", "recall", 1),
        Trend("best_precision", "recall", -1),
    ),
}

TABLE3_RULES = {claim: _trends(*trends) for claim, trends in TRENDS.items()} | {
    "rlsd-12": _avoids_overfitting,
    "rlsd-13": _on_lines(_all_found, "least recalls with all training positives found"),
    "rlsd-16": _empty_cells,
    "rlsd-19": _on_lines(_rises_then_falls, "least recalls where it has one peak inside"),
    "rlsd-23": _highest("precision", "precision of all rules", 4.5),
    "rlsd-24": _idle_rules,
    "rlsd-26": _on_lines(
        _range_is_smaller, "grids where it ranges less along least precision than least recall"
    ),
    "rlsd-27": _highest("best_precision", "precision of the best rule", 12),
}


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


def faster(steps: dict[str, int], n_values: int, n_minority: int) -> Verdict:
    """Whether the minority version takes thousands of times fewer steps than both others."""
    ratios = {name: steps[name] / steps["minority"] for name in ("textbook", "classic")}
    held = sum(ratio >= 1000 for ratio in ratios.values())
    return Verdict(
        (NOT_REPRODUCED, PARTLY, REPRODUCED)[held],
        f"comparisons and chi-squares counted on an attribute of a simulated training set with "
        f"the counts of Table 2 ({n_values:,} different values, {n_minority} rows of the "
        f"minority): {ratios['textbook']:,.0f} times fewer than the textbook, which computes all "
        f"chi-squares anew after each merge, but {ratios['classic']:.1f} times fewer than the same "
        "with a heap; the notebook times them",
    )


def _thousands_of_times_faster(results):
    return faster(*counted_on_simulated())


def _noise_drops_out(results):
    rows = results["significance"].complete(["chimerge"]).rows
    if set(rows["dataset"]) != set(results["significance"].experiment.datasets):
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
    rows = c50.complete(COST_METHODS).rows
    means = rows.pivot_table(index="method", columns="setting", values="recall")
    means = means.reindex(index=list(COST_METHODS), columns=list(COST_SETTINGS))
    return "; ".join(
        f"{c50.labels[m]}: " + ", ".join(f"{r:.2f}" for r in row)
        for m, row in means.dropna().iterrows()
    )


def _costs_collapse(results):
    c50 = results["c50"]
    return Verdict(
        NOT_TESTABLE,
        f"{UNAVAILABLE}, nor is C5.0; simulated ({c50.coverage()}), recall at costs 100 to 400: "
        f"{_recalls(c50) or 'no rows yet'}. That it jumps from 0 to 1 without any signal is shown "
        "by test_least_cost_collapses_from_none_to_all in "
        "tests/minority_reports/papers/test_rlsd_protocol.py",
    )


def _only_the_default_fires(results):
    rows = results["c50"].complete(COST_METHODS).rows
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
    points = cut_points(results["cut"], CUT_METHODS)[["recall", "precision"]]
    texts = []
    for method, part in points.dropna().groupby(level="method", sort=False):
        moves = (part.diff().iloc[1:] * [1, -1]).to_numpy().ravel()
        steps = Steps(*(int(c.sum()) for c in (moves > 0, moves < 0, moves == 0)))
        texts.append(f"{results['cut'].labels[method]} {steps}")
    where = f"simulated ({results['cut'].coverage()})"
    return Verdict(
        NOT_TESTABLE, f"{UNAVAILABLE}, nor is C5.0; {where}: {'; '.join(texts) or 'no rows yet'}"
    )


def best_f(results) -> dict[str, float]:
    """The largest F over the points of each curve of Figure 1, on the sets that all have."""
    table3, rivals = on_shared_sets(results["table3"], results["cut"])
    grid = simulated_grid(table3)
    curves = {f"RLSD {least:g}": grid.loc[least] for least in (0.01, 0.05, 0.1, 0.2)}
    cut = cut_points(rivals, CUT_METHODS).groupby(level="method", sort=False)
    curves |= {f"{rivals.labels[name]} on a cut majority": part for name, part in cut}
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
    splits = real.complete(["rlsd"]).matrix("ap")["rlsd"]
    low = corrected_gaps(splits, real.experiment).loc[scores.index, "low"]
    recall = real_scores(real, "recall_2").loc[scores.index, "rlsd"]
    ranks = scores.round(12).rank(axis=1, ascending=False).mean()
    places = ", ".join(f"{real.labels[m]} {r:.1f}" for m, r in ranks.items())
    return share(
        int((low > random.reindex(low.index)).sum()),
        len(scores),
        "real sets where AP is above that of random order (lower end of the corrected interval); "
        f"{np.mean(recall):.0%} of the positives are within {BUDGET:.0%} inspected on average. "
        f"Mean rank by AP: {places}",
    )


RULES = TABLE3_RULES | {
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


def _on_simulated(trends):
    def rule(results):
        steps = count_steps([simulated_grid(results["table3"])], *trends)
        return Verdict(steps.status, str(steps))

    return rule


#: What the simulated sets alone would say; counts nowhere.
SIMULATED_RULES = {claim: _on_simulated(trends) for claim, trends in TRENDS.items()}
