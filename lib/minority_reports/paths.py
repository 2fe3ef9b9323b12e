"""Every folder of the project, found from this file and never from the working directory.

JupyterLab and nbval run a notebook in its own folder, papermill in the folder it was launched
from; nothing may depend on which. ``data/``, ``notebooks/`` and ``figures/`` belong to a checkout
of the repository, not to an installed wheel: asking for them without one is an error that says so.
"""

import os
import tempfile
from pathlib import Path


class CheckoutNotFoundError(FileNotFoundError):
    """Raised when something needs the repository and only the installed package is there."""


def root() -> Path:
    """The checkout's top folder: ``MINORITY_HOME`` if set, else the parent of ``lib/``."""
    home = os.environ.get("MINORITY_HOME")
    candidate = Path(home).expanduser().resolve() if home else Path(__file__).resolve().parents[2]
    if not (candidate / "data" / "registry.csv").is_file():
        raise CheckoutNotFoundError(
            f"no checkout of the repository at {candidate}. The installed package holds the "
            "estimators; data sets, notebooks and results live in the repository. Clone it and "
            "install with `pip install -e .`, or set MINORITY_HOME to its folder."
        )
    return candidate


def registry_file() -> Path:
    """The table of all data sets."""
    return root() / "data" / "registry.csv"


def bundled() -> Path:
    """Small data files that ship with the repository."""
    return root() / "data" / "bundled"


def published() -> Path:
    """The papers' numbers and claims, one JSON file per paper."""
    return root() / "data" / "published"


def results() -> Path:
    """Our result rows: ``MINORITY_RESULTS`` if set, else the committed ``data/results``."""
    override = os.environ.get("MINORITY_RESULTS")
    return Path(override).expanduser().resolve() if override else committed_results()


def committed_results() -> Path:
    """The rows that belong to the repository, wherever others are written."""
    return root() / "data" / "results"


def own_results() -> Path:
    """Rows of users' own files: ``own`` in ``MINORITY_RESULTS`` if set, else in the cache."""
    override = os.environ.get("MINORITY_RESULTS")
    return results() / "own" if override else cache() / "own_results"


def cache() -> Path:
    """Files that can be made again: downloads, rows of users' own data. Never committed."""
    return root() / "data" / "cache"


def runs() -> Path:
    """Executed copies of the notebooks: ``MINORITY_RUNS`` if set, else ``data/runs``."""
    override = os.environ.get("MINORITY_RUNS")
    return Path(override).expanduser().resolve() if override else root() / "data" / "runs"


def report() -> Path:
    """The HTML report. Never committed."""
    return root() / "data" / "report"


def notebooks() -> Path:
    """The notebooks themselves."""
    return root() / "notebooks"


def figures() -> Path:
    """Every figure and table: ``MINORITY_FIGURES`` if set, else the committed ``figures``."""
    override = os.environ.get("MINORITY_FIGURES")
    return Path(override).expanduser().resolve() if override else root() / "figures"


def mirror() -> Path | None:
    """A folder of data files named by ``MINORITY_DATA``, or None."""
    folder = os.environ.get("MINORITY_DATA")
    return Path(folder).expanduser().resolve() if folder else None


def writable(folder: Path, way_out: str) -> Path:
    """The folder, made if need be; an error that names the cause and the way out if it cannot be.

    Called before work begins, so that none is lost to a read-only folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RuntimeError(f"cannot write to {folder}: {error.strerror}. {way_out}") from error
    return folder
