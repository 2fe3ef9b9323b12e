"""Data sets by name, with a 0/1 target where 1 is the minority, and from the user's own files."""

from minority_reports.datasets.dataset import (
    Dataset,
    DatasetChangedError,
    DatasetUnavailableError,
    Entry,
    Facts,
    UnknownDatasetError,
    content_hash,
)
from minority_reports.datasets.kddcup import KDDCUP99_COSTS, KDDCup99, load_kddcup99
from minority_reports.datasets.own import examine, file_name, load_file
from minority_reports.datasets.registry import (
    Fetched,
    available,
    describe,
    entry,
    fetch,
    load,
    loader,
    names,
    register,
)

__all__ = [
    "KDDCUP99_COSTS",
    "ColumnTypes",
    "Dataset",
    "DatasetChangedError",
    "DatasetUnavailableError",
    "Entry",
    "Facts",
    "Fetched",
    "KDDCup99",
    "UnknownDatasetError",
    "available",
    "content_hash",
    "describe",
    "entry",
    "examine",
    "fetch",
    "file_name",
    "load",
    "load_file",
    "load_kddcup99",
    "loader",
    "names",
    "register",
]


def __getattr__(name):
    if name == "ColumnTypes":  # scikit-learn is slow to import
        from minority_reports.datasets.types import ColumnTypes

        return ColumnTypes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
