"""Small studies: computed once, stored as text, computed again where they lack.

Unlike an experiment a study has no folds or methods. Its numbers follow from fixed seeds, but for
seconds, which are those of the machine that computed it.
"""

import functools
import json
from collections.abc import Callable, Mapping

import pandas as pd

from minority_reports import paths
from minority_reports.files import read_entries, replace_file


def stored_study(name: str, cases: Mapping[str, Callable[[], dict]]) -> pd.DataFrame:
    """The rows of a study, one for each case, from ``studies/<name>.json`` among the results.

    Parameters
    ----------
    name : str
        Of the study; change it when its results change.
    cases : mapping of str to callable
        Computes the row of each case, a dict of numbers and words.

    Returns
    -------
    rows : DataFrame
        In the order of the cases. Those that were not there have been computed and are stored.
    """
    path = paths.results() / "studies" / f"{name}.json"
    known = read_entries(path)
    missing = [case for case in cases if case not in known]
    if missing:
        known |= {case: cases[case]() for case in missing}
        write_entries(path, known)
    return pd.DataFrame([known[case] for case in cases])


#: Between the levels of a column's name in a file.
_LEVELS = " | "


def stored(name: str):
    """Store what a function returns without arguments, a frame or series, under this name.

    With arguments it is computed. Change the name when its results change.
    """

    def decorate(compute: Callable[..., pd.DataFrame | pd.Series]):
        @functools.wraps(compute)
        def study(*arguments, **options):
            if arguments or options:
                return compute(*arguments, **options)
            path = paths.results() / "studies" / f"{name}.json"
            if not path.exists():
                write_entries(path, _entries(compute()))
            return _frame(read_entries(path))

        return study

    return decorate


def _entries(found: pd.DataFrame | pd.Series) -> dict:
    """A row for each line, and what the index is called."""
    frame = found.to_frame() if isinstance(found, pd.Series) else found
    flat = frame.set_axis([_LEVELS.join(_parts(c)) for c in frame.columns], axis="columns")
    index = [name for name in flat.index.names if name is not None]
    rows = flat.reset_index(drop=not index).astype(object)
    rows = rows.where(rows.notna(), None).to_dict("records")
    about = {"index": index, "is_series": isinstance(found, pd.Series)}
    return {"about": about} | {f"row {i}": row for i, row in enumerate(rows)}


def _parts(column) -> tuple[str, ...]:
    return column if isinstance(column, tuple) else (column,)


def _frame(entries: Mapping[str, dict]) -> pd.DataFrame | pd.Series:
    """What :func:`_entries` was given."""
    about, *rows = entries.values()
    frame = pd.DataFrame(rows)
    if about["index"]:
        frame = frame.set_index(about["index"])
    if any(_LEVELS in column for column in frame):
        frame.columns = pd.MultiIndex.from_tuples(c.split(_LEVELS) for c in frame)
    return frame.iloc[:, 0] if about["is_series"] else frame


def write_entries(path, entries: Mapping[str, dict]) -> None:
    """Write named entries to a file of theirs, a line for each."""

    def as_text(entry) -> str:
        return json.dumps(entry, default=lambda number: number.item(), ensure_ascii=False)

    lines = (f"{json.dumps(name)}: {as_text(entry)}" for name, entry in entries.items())
    replace_file(path, "{\n" + ",\n".join(lines) + "\n}\n")
