"""What a run was made with: versions, commit, machine."""

import datetime
import fcntl
import hashlib
import importlib.metadata
import json
import platform
import subprocess
from pathlib import Path

from minority_reports import paths
from minority_reports.files import StoreWriteError, read_entries, replace_file

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "imbalanced-learn", "matplotlib")


def _git(*arguments: str) -> str:
    try:
        answer = subprocess.run(
            ["git", *arguments], cwd=paths.root(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


def _lock() -> str:
    """Which of the pinned environments the checkout has, whether or not it is the one in use."""
    try:
        pins = (paths.root() / "requirements.lock").read_bytes()
    except OSError:
        return "none"
    return f"sha256 {hashlib.sha256(pins).hexdigest()[:12]}"


def _blas() -> str:
    """The libraries of linear algebra that are loaded, and for which processor they chose code."""
    import scipy.linalg  # noqa: F401 (has one of its own)
    from threadpoolctl import threadpool_info

    loaded = [library for library in threadpool_info() if library["user_api"] == "blas"]
    names = (
        " ".join(filter(None, (found["internal_api"], found["version"], found.get("architecture"))))
        for found in loaded
    )
    return ", ".join(sorted(set(names))) or "unknown"


def provenance() -> dict[str, str]:
    """Versions, commit and kind of machine, as text.

    The last digits of results come from the linear algebra, so its libraries are among them.
    """
    commit = _git("rev-parse", "--short=12", "HEAD") or "not a git checkout"
    if commit and _git("status", "--porcelain", "--", "lib"):
        commit += " with changes in lib"
    return {
        "commit": commit,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
        "requirements.lock": _lock(),
        "BLAS": _blas(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def read_provenance(folder: Path) -> dict[str, dict]:
    """The runs that computed the rows of a folder, by the name that the timings give them."""
    return read_entries(folder / "provenance.json")


def record_run(folder: Path) -> str:
    """Note in ``provenance.json`` what a run is made with, and return the run's name.

    Runs of one day by the same code, versions and kind of machine have the same name, so that a
    run that was killed and resumed is one. The name begins with the commit.
    """
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    note = {"computed": today, **provenance()}
    digest = hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()
    name = f"{note['commit'].split()[0][:7]}-{digest[:6]}"
    try:
        with open(folder / ".provenance.lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # other runs write here, too
            known = read_provenance(folder)
            if known.get(name) != note:
                text = json.dumps(known | {name: note}, indent=1, sort_keys=True) + "\n"
                replace_file(folder / "provenance.json", text)
    except OSError as error:
        raise StoreWriteError(folder, error) from error
    return name
