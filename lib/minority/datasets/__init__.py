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
    "Dataset",
    "DatasetChangedError",
    "DatasetUnavailableError",
    "Entry",
    "Facts",
    "Fetched",
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
    "loader",
    "names",
    "register",
]
