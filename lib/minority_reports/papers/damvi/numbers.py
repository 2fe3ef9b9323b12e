"""The published numbers of DAMVI's tables beside ours."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.damvi.tables import (
    MEASURES,
    PAPER_SETS,
    PUBLISHED,
    against_published,
    in_cells,
    published_table,
)
from minority_reports.report.tables import facts

#: Where the data are not the paper's. What these have in common with it is compared.
_NOT_COMPARED = {
    "PCT Data": "the PCT data are proprietary",
    "Scania": "of Scania 13,274 of 60,000 rows are available",
}
_FACTS = {"attributes": "d", "examples": "n", "IR_percent_positive": "percent"}


def published_numbers(results: Mapping[str, Results]) -> pd.DataFrame:
    """Every number of Tables I to III beside ours.

    A line for each, with `where` it is, the `item`, `published`, `ours`, `sd`, the standard error
    of their difference, and `not_compared`, the reason where there is no comparison.
    """
    parts = {"Table I": _of_table_1()}
    for measure in MEASURES:
        where = PUBLISHED[measure].replace("TABLE", "Table")
        parts[where] = against_published(results["table23"], measure)
    numbers = pd.concat(parts, names=["where", "data set", "of"]).reset_index()
    reasons = numbers["data set"].map(_NOT_COMPARED).fillna("")
    is_same = numbers["data set"].eq("Scania") & numbers["of"].eq("attributes")
    numbers["not_compared"] = reasons.mask(is_same, "")
    lacks = numbers["ours"].isna() & (numbers["not_compared"] == "")
    numbers.loc[lacks, "not_compared"] = "rows are missing"
    numbers["item"] = numbers["of"] + ", " + numbers["data set"]
    return numbers[["where", "item", "published", "ours", "sd", "not_compared"]]


def _of_table_1() -> pd.DataFrame:
    ours = facts(PAPER_SETS.values())[list(_FACTS.values())]
    ours = ours.set_axis(list(PAPER_SETS)).set_axis(list(_FACTS), axis="columns")
    published = in_cells(published_table("TABLE I").T)
    cells = pd.DataFrame({"published": published, "ours": in_cells(ours.T), "sd": np.nan})
    return cells.rename(index=lambda name: name.replace("IR_percent_positive", "% positives"))
