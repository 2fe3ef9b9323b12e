"""The numbers that a paper prints, from ``data/published``."""

import pandas as pd

from minority_reports.report.claims import published


def table_of(paper: str, label: str, what: str = "value") -> pd.DataFrame:
    """The cells of a published table, rows and columns by their names there.

    `what` is their values, or ``"std"``, their standard deviations.
    """
    (table,) = [t for t in published(paper)["tables"] if t["label"] == label]
    cells = pd.DataFrame(table["cells"])
    return cells.pivot_table(index="row", columns="col", values=what, aggfunc="first", sort=False)


def number_of(paper: str, what: str):
    """A number of a paper's text."""
    (found,) = [n["value"] for n in published(paper)["numbers"] if n["what"] == what]
    return found
