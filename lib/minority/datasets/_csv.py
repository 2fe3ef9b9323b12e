"""A data set from the user's own CSV file."""

import difflib
from pathlib import Path

import pandas as pd

from ._dataset import Entry, build


def load_csv(path, target, positive=None):
    """Load a CSV file as a data set named after the file.

    Parameters
    ----------
    path : path-like
        A file that `pandas.read_csv` reads, with a header line.
    target : str
        The column to predict. It must have two values and no missing one.
    positive : label, default=None
        The value of the target that counts as the minority. By default the rarer one.

    Returns
    -------
    Dataset
        Numbers and booleans as float64, everything else as categories, nothing imputed.
    """
    path = Path(path)
    X, y, positive = read_csv(path, target, positive)
    entry = Entry(name=path.stem, source="csv", file=path.name, target=f"{target}={positive}")
    return build(entry, X, y, origin=path.name)


def read_csv(path, target, positive=None):
    """The features, the 0/1 target and the positive label of a CSV file."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"no file {path}")
    table = pd.read_csv(path)
    if target not in table.columns:
        near = difflib.get_close_matches(str(target), table.columns) or list(table.columns)
        raise ValueError(f"{path} has no column {target!r}; did you mean one of {near}?")
    if table.shape[1] == 1:
        raise ValueError(f"{path} has no column besides the target {target!r}")
    labels = table.pop(target)
    positive = _positive_label(labels, positive, where=f"column {target!r} of {path}")
    return table, (labels == positive).to_numpy(), positive


def _positive_label(labels, positive, where):
    if labels.isna().any():
        raise ValueError(f"{where} has {labels.isna().sum()} missing values; drop those rows first")
    counts = labels.value_counts()
    if len(counts) != 2:
        shown = ", ".join(map(repr, counts.index[:5])) + (", ..." if len(counts) > 5 else "")
        raise ValueError(f"{where} must have two values, it has {len(counts)}: {shown}")
    if positive is None:
        if counts.iloc[0] == counts.iloc[1]:
            raise ValueError(
                f"{where} has {counts.iloc[0]} rows of each value; say which is the minority with "
                f"positive={counts.index[0]!r} or positive={counts.index[1]!r}"
            )
        return counts.index[1]
    # A parameter may come from a command line, where 1 is "1".
    for label in counts.index:
        if label == positive or str(label) == str(positive):
            return label
    raise ValueError(
        f"{where} has no value {positive!r}, only {', '.join(map(repr, counts.index))}"
    )
