"""Data sets by name, with a 0/1 target where 1 is the minority, and from the user's own CSV."""

from ._csv import load_csv
from ._dataset import (
    Dataset,
    DatasetChangedError,
    DatasetUnavailableError,
    Entry,
    Facts,
    UnknownDatasetError,
    content_hash,
)
from ._registry import available, describe, entry, load, loader, names, register

__all__ = [
    "Dataset",
    "DatasetChangedError",
    "DatasetUnavailableError",
    "Entry",
    "Facts",
    "UnknownDatasetError",
    "available",
    "content_hash",
    "describe",
    "entry",
    "load",
    "load_csv",
    "loader",
    "names",
    "register",
]
