"""What a run was made with: versions, commit, machine."""

import datetime
import importlib.metadata
import json
import platform
import subprocess
from pathlib import Path

from minority import paths

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "imbalanced-learn", "matplotlib")


def _git(*arguments: str) -> str:
    try:
        answer = subprocess.run(
            ["git", *arguments], cwd=paths.root(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


def provenance() -> dict[str, str]:
    """Versions, commit and kind of machine, as text."""
    commit = _git("rev-parse", "--short=12", "HEAD") or "not a git checkout"
    if commit and _git("status", "--porcelain", "--", "lib"):
        commit += " with changes in lib"
    return {
        "commit": commit,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
    }


def record_provenance(folder: Path, experiment: str) -> None:
    """Note in ``provenance.json`` what the last rows of an experiment were computed with."""
    path = folder / "provenance.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    known[experiment] = {"computed": today, **provenance()}
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    temporary.replace(path)
