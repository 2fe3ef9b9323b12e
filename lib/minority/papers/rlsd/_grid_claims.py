"""Claims that the paper reads off its Table 3, which is about data that only its authors have.

None of them can be reproduced. What can be said is said: whether the published table shows it,
what the simulated sets show, and a second verdict on public data.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority.datasets._transactions import PAIRS
from minority.experiments import Results
from minority.papers.rlsd._protocol import GRID
from minority.papers.rlsd._studies import public_grid
from minority.papers.rlsd._tables import published_grid, published_table, simulated_grid
from minority.report import NOT_REPRODUCED, NOT_TESTABLE, PARTLY, REPRODUCED, Verdict, share

UNAVAILABLE = "the law-enforcement data is not available"
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

RULES = {claim: _trends(*trends) for claim, trends in TRENDS.items()} | {
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


def _on_simulated(trends):
    def rule(results):
        steps = count_steps([simulated_grid(results["table3"])], *trends)
        return Verdict(steps.status, str(steps))

    return rule


#: What the simulated sets alone would say; counts nowhere.
SIMULATED_RULES = {claim: _on_simulated(trends) for claim, trends in TRENDS.items()}
