"""The published numbers of Box Drawings that survive, beside ours.

The text lost its tables and the values of its figures. What is left are the bounds of a printed
model and a count in the prose.
"""

import math
from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.box_drawings.protocol import PAPER_METHODS
from minority_reports.papers.box_drawings.tables import (
    PLAIN,
    bold_cells,
    glass2_bounds,
    glass2_model,
    with_exact,
)
from minority_reports.report.printed import number_of

_COLUMNS = ["where", "item", "published", "ours", "sd", "not_compared"]
_LOST = "lost with the table in the text that survives"


def published_numbers(results: Mapping[str, Results]) -> pd.DataFrame:
    """Every published number that survives, with ours; tables that are lost by their names."""
    rows = [*_glass2(), _among_the_best(results), *_lost()]
    return pd.DataFrame(rows, columns=_COLUMNS)


@cache
def _glass2() -> list[tuple]:
    """Bounds with four decimals: the spread is that of rounding."""
    rows = []
    ours, theirs = glass2_bounds(glass2_model()[0])
    for feature, bounds in theirs.iterrows():
        for side, value in bounds.dropna().items():
            found = ours.loc[feature, side]
            why = "the printed interval is empty" if bounds["at least"] > bounds["at most"] else ""
            row = "section 4.6", f"{feature} {side}", value, found, 1e-4 / math.sqrt(12), why
            rows.append(row)
    return rows


def _among_the_best(results):
    """On which share of its data sets Exact Boxes is not different from the best of eleven.

    The spread is that of two shares of independent data sets.
    """
    best, _, sets = str(number_of("box_drawings", "Exact among top")).split()[:3]
    published, n = int(best) / int(sets), int(sets)
    table4, table5 = results["table4"].complete([PLAIN]), results["table5"].complete(PAPER_METHODS)
    folds = with_exact(table4, table5)
    ours, spread = math.nan, math.nan
    if len(folds):
        bold = bold_cells(folds, list(folds))[PLAIN]
        ours = bold.mean()
        shares = np.array([published, ours])
        spread = math.sqrt((shares * (1 - shares) / [n, len(bold)]).sum())
    item = "share of data sets with Exact Boxes among the best"
    return "Table 4", item, published, ours, spread, ""


def _lost():
    for table in ("Table 2", "Table 3", "Table 4", "Table 5", "Figures 3 to 6"):
        yield table, "all values", math.nan, math.nan, math.nan, _LOST
