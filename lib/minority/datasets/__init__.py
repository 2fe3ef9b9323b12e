"""Data sets by name, with a 0/1 target where 1 is the minority, and from the user's own files."""

from ._dataset import (
    Dataset,
    DatasetChangedError,
    DatasetUnavailableError,
    Entry,
    Facts,
    UnknownDatasetError,
    content_hash,
)
from ._kddcup import KDDCUP99_COSTS, KDDCup99, load_kddcup99
from ._own import examine, file_name, load_file
from ._registry import (
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
