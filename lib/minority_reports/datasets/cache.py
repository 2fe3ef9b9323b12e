"""The cache of fetched files: each with its checksum beside it, never used without it."""

import contextlib
import hashlib
import os
import shutil
import warnings
from pathlib import PurePosixPath, PureWindowsPath

from minority_reports import paths
from minority_reports.datasets.dataset import DatasetUnavailableError


def file_hash(path):
    """The sha256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def downloads():
    """The folder of fetched files."""
    return paths.cache() / "downloads"


def inside(folder, name):
    """A path inside a folder; a name that would leave it is an error."""
    for kind in (PurePosixPath, PureWindowsPath):  # an archive may come from any system
        parts = kind(name)
        if parts.is_absolute() or parts.drive or ".." in parts.parts:
            raise ValueError(
                f"{name!r} would be written outside {folder}: the archive is not to be trusted"
            )
    return folder / name


def _path(place):
    folder = inside(downloads(), place.name)
    return inside(folder, f"{place.source}-{PurePosixPath(place.file).name}")


def _checksum(path):
    return path.with_name(path.name + ".sha256")


def cached_file(place):
    """Where the file of an online place lies, if it was fetched."""
    path = _path(place)
    if not (path.is_file() and _checksum(path).is_file()):
        raise DatasetUnavailableError(
            f"tried fetched files, but there are none: run `minority fetch {place.name}`"
        )
    return path


def read_cached(place):
    """Read a fetched file, after comparing it with its checksum. A damaged one is deleted."""
    path = cached_file(place)
    found, expected = file_hash(path), place.sha256 or _checksum(path).read_text().strip()
    if found != expected:
        with contextlib.suppress(OSError):
            path.unlink()
        message = (
            f"the fetched file {path.name} was damaged and is deleted (its sha256 was "
            f"{found[:16]}..., not {expected[:16]}...): run `minority fetch {place.name}`"
        )
        warnings.warn(f"{place.name}: {message}", stacklevel=2)
        raise DatasetUnavailableError(message)
    return place.read_file(path)


def keep(place, file):
    """Move a checked file into the cache. At no moment is there half a file under its name."""
    path = _path(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    _checksum(file).write_text(file_hash(file) + "\n")
    os.replace(_checksum(file), _checksum(path))
    os.replace(file, path)


@contextlib.contextmanager
def workspace(name):
    """A folder for a download, on the same disk as the cache, that does not stay."""
    folder = downloads() / f".{name}-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatasetUnavailableError(
            f"cannot write to the cache {downloads()} ({error.strerror}): make it writable, or set "
            "MINORITY_HOME to a checkout that is"
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
