"""Cells of a table that are not complete: how many of their folds are there, behind the value."""

from collections.abc import Iterable, Mapping

import pandas as pd

from minority_reports.experiments import Results


def unfinished(
    results: Results, columns: Iterable[str] | None = None, names: Iterable[str] | None = None
) -> pd.DataFrame:
    """Marks such as ``"(2 of 10)"`` for cells with some of their folds: data sets x columns.

    Parameters
    ----------
    results : Results
    columns : iterable of str, or mapping of str to methods, default=None
        Methods, or columns that are means over several of them; all methods by default. A column
        of several has the mark of the one with the fewest folds.
    names : iterable of str, default=None
        The rows, data sets or others, which have no marks; all data sets by default.
    """
    columns = list(results.experiment.methods) if columns is None else columns
    methods = columns if isinstance(columns, Mapping) else {name: (name,) for name in columns}
    by = {"index": "dataset", "columns": "method", "sort": False}
    there, of = (results.cells().pivot_table(**by, values=name) for name in ("there", "of"))
    found = {}
    for column, of_column in methods.items():
        present = [name for name in of_column if name in there]
        fewest, planned = there[present].min(axis=1), of[present].max(axis=1)
        some = (there[present].max(axis=1) > 0) & (fewest < planned)
        texts = [f"({a:.0f} of {b:.0f})" for a, b in zip(fewest, planned, strict=True)]
        found[column] = pd.Series(texts, index=there.index, dtype=object).where(some, "")
    marks = pd.DataFrame(found, index=there.index, columns=list(methods))
    return marks if names is None else marks.reindex(list(names), fill_value="")


def unfinished_note(marks: pd.DataFrame) -> str:
    """What the marks mean, for the end of a caption; nothing if there are none."""
    if not marks.to_numpy().any():
        return ""
    return " (k of n): only k of its n folds are computed; it counts in no comparison."
