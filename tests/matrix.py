"""The wheel of `minority` alone under each supported scikit-learn: `make matrix`.

For each version: an environment of its own outside of the checkout, the wheel, the README's example
and the estimator checks. Environments are kept in the folder given (by default one in the system's
temporary folder) and made once.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: scikit-learn and the imbalanced-learn that goes with it.
VERSIONS = {"1.6.1": "0.13.0", "1.7.2": "0.14.2", "1.8.0": "0.14.2", "1.9.1": "0.14.2"}

#: What the checks need besides the wheel's own dependencies.
FOR_TESTS = ["pytest>=9.0", "hypothesis>=6.100"]


def run(command, **options):
    """Run a command and stop if it fails."""
    subprocess.run([str(part) for part in command], check=True, **options)


def build_wheel(folder: Path) -> Path:
    """The wheel of `lib`, built from a copy so that the checkout stays clean."""
    source = folder / "source"
    run(["cp", "-r", ROOT / "lib", source])
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source])
    (wheel,) = folder.glob("minority-*.whl")
    return wheel


def readme_example() -> str:
    """The first example of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return next(block for block in blocks if "FastBoxesClassifier" in block)


def check(version: str, wheel: Path, environments: Path) -> None:
    """Install the wheel beside one version of scikit-learn and try it."""
    folder = environments / f"scikit-learn-{version}"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pins = [f"scikit-learn=={version}", f"imbalanced-learn=={VERSIONS[version]}"]
    run([*pip, *pins, *FOR_TESTS, wheel])
    run([*pip, "--force-reinstall", "--no-deps", wheel])
    with tempfile.TemporaryDirectory() as empty:
        bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        run([python, "-c", readme_example()], cwd=empty, env=bare)
        checks = ROOT / "tests" / "minority" / "test_estimator_checks.py"
        options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", empty]
        run([python, "-m", "pytest", *options, checks], cwd=empty, env=bare)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(tempfile.gettempdir()) / "minority-matrix"
    parser.add_argument("versions", nargs="*", help=f"of {', '.join(VERSIONS)}; all by default")
    parser.add_argument("--folder", type=Path, default=default, help="where environments are kept")
    given = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(Path(folder))
        for version in given.versions or VERSIONS:
            print(f"scikit-learn {version}, imbalanced-learn {VERSIONS[version]}", flush=True)
            try:
                check(version, wheel, given.folder)
            except subprocess.CalledProcessError:
                failed.append(version)
    sys.exit(f"Failed with scikit-learn {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
