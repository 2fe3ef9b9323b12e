"""What a data set is: its registry entry, its content, the checks that tie the two together."""

import hashlib
import json
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd


class UnknownDatasetError(KeyError, ValueError):
    """Raised for a name that is not in the registry."""

    def __str__(self):
        return self.args[0]  # KeyError would print the message's repr


class DatasetUnavailableError(FileNotFoundError):
    """Raised when a registered data set cannot be reached on this machine."""


class DatasetChangedError(ValueError):
    """Raised when data differ from what the registry says about them."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the registry. ``None`` for n, d, positives or sha256 means: not checked."""

    name: str
    aliases: tuple[str, ...] = ()
    source: str = "registered"
    file: str = ""
    target: str = ""
    n: int | None = None
    d: int | None = None
    positives: int | None = None
    sha256: str | None = None
    licence: str = "none stated"
    papers: tuple[str, ...] = ()
    known_difference: str = ""
    simulated: bool = False
    note: str = ""
    columns: tuple[str, ...] = ()  # of a file without names, in its order; "-id" is left out
    steps: tuple[str, ...] = ()  # what is done to the values of a file, see `_readers.STEPS`
    ids: tuple[str, ...] = ()  # columns known to number rows or parts of them

    @property
    def positive(self):
        """The label that counts as the minority, from a target rule such as ``Class=positive``.

        Several labels are written ``2|3``.
        """
        return self.target.rpartition("=")[2]

    @property
    def target_column(self):
        """The column of a target rule such as ``Class=positive``."""
        return self.target.rpartition("=")[0]


@dataclass(frozen=True, kw_only=True)
class Facts(Entry):
    """The registry entry with what only the loaded data can tell."""

    imbalance: float  # negatives for one positive
    repeated_rows: int  # rows equal to an earlier row, target included
    id_columns: tuple[str, ...]  # those known, and those with another whole number or text per row
    constant_columns: tuple[str, ...]
    origin: str  # where the data came from this time


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A frame, a 0/1 target with 1 = minority, and the facts about them."""

    name: str
    X: pd.DataFrame  # float64 or categorical columns, missing = NaN
    y: np.ndarray  # int64: a sum of narrower integers, such as Python's sum(y), overflows
    facts: Facts
    classes: np.ndarray | None = None  # the labels as in the source, where it has any

    @property
    def n(self):
        """Number of rows."""
        return len(self.y)

    @property
    def d(self):
        """Number of features."""
        return self.X.shape[1]

    @property
    def positives(self):
        """Number of minority rows."""
        return int(self.y.sum())

    def __repr__(self):
        # A generator's source says it already; the authors' simulated samples come from elsewhere.
        made = self.facts.simulated and self.facts.source != "simulated"
        return (
            f"Dataset({self.name!r}: {self.n} rows, {self.d} features, {self.positives} positives, "
            f"1 to {self.facts.imbalance:.1f}, {self.facts.source}"
            f"{', simulated' if made else ''})"
        )


def build(entry, X, y, origin, classes=None):
    """Make a `Dataset`, checked against its registry entry."""
    X, y = tidy(X), np.asarray(y)
    if len(X) != len(y):
        raise ValueError(f"{entry.name}: {len(X)} rows but {len(y)} labels")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"{entry.name}: the target must be 0 or 1, with 1 for the minority")
    y = y.astype(np.int64)
    found = {
        "n": len(y),
        "d": X.shape[1],
        "positives": int(y.sum()),
        "sha256": content_hash(X, y),
    }
    differing = {
        key: f"{key} is {value}, registry says {getattr(entry, key)}"
        for key, value in found.items()
        if getattr(entry, key) not in (None, value)
    }
    if differing:
        raise DatasetChangedError(
            f"{entry.name} from {origin} is not the data set in the registry: "
            f"{'; '.join(differing.values())}"
        )
    if not 0 < found["positives"] < found["n"]:
        raise ValueError(f"{entry.name}: both classes are needed, one is empty")
    facts = Facts(
        **{**asdict(entry), **found},
        imbalance=found["n"] / found["positives"] - 1,
        repeated_rows=int(X.assign(**{_unused(X): y}).duplicated().sum()),
        id_columns=tuple(str(c) for c in X if c in entry.ids or _is_id(X[c])),
        constant_columns=tuple(str(c) for c in X if (X[c] == X[c].iloc[0]).all()),
        origin=origin,
    )
    return Dataset(entry.name, X, y, facts, classes)


def _is_id(column):
    if not isinstance(column.dtype, pd.CategoricalDtype) and (column % 1 != 0).any():
        return False  # not whole numbers, or missing ones
    return column.is_unique and not column.hasnans


def tidy(X):
    """Bring a table to the two kinds of columns we use: float64 and categorical."""
    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        X = pd.DataFrame(X, columns=[f"x{j}" for j in range(1, X.shape[1] + 1)])
    if X.columns.has_duplicates:
        raise ValueError(f"repeated column names: {list(X.columns[X.columns.duplicated()])}")
    columns = {name: _tidy_column(column) for name, column in X.items()}
    return pd.DataFrame(columns, index=X.index).reset_index(drop=True)


def _tidy_column(column):
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    if pd.api.types.is_numeric_dtype(column):  # booleans and nullable types included
        return column.astype("Float64").astype("float64")
    return column.map(str, na_action="ignore").astype("category")


def _unused(X):
    """A column name that is not taken."""
    name = "y"
    while name in X.columns:
        name += "_"
    return name


def content_hash(X, y):
    """The first 16 hex digits of the sha256 of a data set's content.

    The content is brought to bytes that are the same on every machine: for each column its name,
    its kind and its values, then the target. Numbers are little-endian float64 with a single NaN,
    categories are their labels as a JSON list with null for missing. Each part is preceded by its
    length, so that no two contents share their bytes. The order of rows and columns counts.

    A column with missing categories has a kind of its own, which says what these are: rows from
    when they were filled with another category are about other data.
    """
    digest = hashlib.sha256()

    def add(part):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)

    for name, column in X.items():
        add(str(name).encode())
        if isinstance(column.dtype, pd.CategoricalDtype):
            # written once a category, not once a row; -1, missing, takes the last
            labels = [*(json.dumps(str(label)) for label in column.cat.categories), "null"]
            labels = np.array(labels, dtype=object)[column.cat.codes]
            add(b"category, missing is one" if column.hasnans else b"category")
            add(f"[{', '.join(labels)}]".encode())
        else:
            numbers = column.to_numpy(dtype="<f8", copy=True)
            numbers[np.isnan(numbers)] = np.nan
            add(b"number")
            add(numbers.tobytes())
    add(np.asarray(y, dtype=np.int8).tobytes())
    return digest.hexdigest()[:16]
