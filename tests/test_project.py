"""The repository as a whole: files that must agree, commands that must exist, layers that hold."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml

from minority import paths

ROOT = paths.root()
LIB = ROOT / "lib" / "minority"


def requirements(lines):
    """name -> bounds of requirement lines."""
    split = [re.match(r"([A-Za-z0-9_.-]+)(.*)", line).groups() for line in lines]
    return {name.lower(): ",".join(sorted(bounds.split(","))) for name, bounds in split}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def wanted():
    """All requirements but those of `make browser`, which installs its driver itself."""
    extras = project()["optional-dependencies"]
    return project()["dependencies"] + [r for e in extras if e != "browser" for r in extras[e]]


def test_environment_yml_agrees_with_pyproject():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pip = listed.pop()["pip"]
    assert pip[-1] == "-e ."
    conda = [line for line in listed if not re.match(r"(python|pip)\b(?!-)", line)]
    assert requirements(conda + pip[:-1]) == requirements(wanted())
    assert f"python{project()['requires-python']}" in listed


def test_lock_pins_every_dependency_and_names_no_host():
    text = (ROOT / "requirements.lock").read_text()
    pins = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[\w.+!]+", line) for line in pins)
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in pins}
    assert set(requirements(wanted())) <= pinned
    assert "setuptools" in pinned, "the package is installed without build isolation"


def test_lib_is_not_ignored():
    answer = subprocess.run(
        ["git", "check-ignore", "lib/minority/paths.py"], cwd=ROOT, capture_output=True
    )
    if answer.returncode == 128:
        pytest.skip("not a git checkout")
    assert answer.returncode == 1


def python_files():
    return [*LIB.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]


def test_the_only_import_is_minority():
    for file in python_files():
        assert not re.search(r"^\s*(from|import) lib\b", file.read_text(), re.MULTILINE), file


#: Lower layers never import higher ones.
LAYERS = [
    "paths",
    "metrics",
    "statistics",
    "boxes",
    "rules",
    "trees",
    "ensembles",
    "costs",
    "sampling",
    "svm",
    "datasets",
    "experiments",
    "report",
    "papers",
]


def imported_parts(file):
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "minority" and len(parts) > 1 and parts[1] in LAYERS:
                yield parts[1]


@pytest.mark.parametrize("layer", LAYERS)
def test_lower_layers_never_import_higher_ones(layer):
    files = [LIB / f"{layer}.py"] if (LIB / f"{layer}.py").exists() else (LIB / layer).rglob("*.py")
    for file in files:
        for part in imported_parts(file):
            assert LAYERS.index(part) <= LAYERS.index(layer), f"{file} imports {part}"


def test_files_stay_small():
    long = {f.name: n for f in LIB.rglob("*.py") if (n := len(f.read_text().splitlines())) > 400}
    assert not long


def test_import_is_quick_and_light():
    code = "import sys, minority; print(sorted({'sklearn', 'pandas', 'scipy'} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def make_targets():
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_readme_commands_exist():
    readme = (ROOT / "README.md").read_text()
    named = set(re.findall(r"(?:^|`)make ([a-z]+)\b", readme, re.MULTILINE))
    assert {"reproduce", "test", "paper", "lab", "clean"} <= named <= make_targets()
    from minority.cli import main

    used = set(re.findall(r"^minority ([a-z]+)", readme, re.MULTILINE))
    assert used and used <= set(main.commands)


def test_readme_tells_the_growth_of_the_table():
    table = pd.read_csv(ROOT / "data" / "results" / "cluster_growth.csv")
    readme = " ".join((ROOT / "README.md").read_text().split())
    many = table[table["part"] == "on paper"]
    assert f"{many['speed_up'].min():.0f} to {many['speed_up'].max():.0f} times" in readme
    assert (many["seconds"] >= many["bound_s"]).all()


def test_ci_runs_make_test():
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def readme_python():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return next(block for block in blocks if "FastBoxesClassifier" in block)


def test_the_wheel_runs_the_readme_example_outside_the_checkout(tmp_path):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run(["cp", "-r", str(ROOT / "lib"), str(source)], check=True)
    subprocess.run([*build, "-w", str(tmp_path), str(source)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(installed), str(wheel)], check=True, capture_output=True)
    script = readme_python() + (
        "\nimport minority.datasets as d, minority\n"
        "print(minority.__file__)\n"
        "try:\n    d.load('glass2')\nexcept FileNotFoundError as error:\n    print(error)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    assert str(installed) in answer.stdout
    assert "no checkout of the repository" in answer.stdout
    expected = re.search(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    assert expected.strip() in answer.stdout, "the README shows what its example prints"


def tracked_files():
    answer = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if answer.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in answer.stdout.splitlines() if (ROOT / line).is_file()]


def test_no_absolute_paths_of_a_machine():
    home = re.compile(r"/(?:home|root|Users|tmp)/[A-Za-z0-9_.-]+/")
    for file in tracked_files():
        if file.suffix not in (".png", ".lock") and file != Path(__file__):
            assert not home.search(file.read_text(encoding="utf-8")), file


def risky_calls(source):
    """Calls and imports that may run code which came with data."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            if {"pickle", "cloudpickle", "dill", "marshal", "shelve"} & set(names):
                yield names
        elif isinstance(node, ast.Call):
            called, given = ast.unparse(node.func), {k.arg: k.value for k in node.keywords}
            if (
                called in ("eval", "exec", "os.system", "joblib.load", "joblib.Memory")
                or called.endswith("read_pickle")
                or "shell" in given
            ):
                yield called
            elif called in ("np.load", "numpy.load"):
                allowed = given.get("allow_pickle")
                if not (isinstance(allowed, ast.Constant) and allowed.value is False):
                    yield called


def test_data_and_cache_are_never_run_as_code():
    for file in LIB.rglob("*.py"):
        assert list(risky_calls(file.read_text())) == [], file
    for source in (
        "import pickle",
        "from joblib import load, Memory; joblib.load(f)",
        "np.load(f)",
        "np.load(f, allow_pickle=True)",
        "pd.read_pickle(f)",
        "eval(x)",
        "subprocess.run(c, shell=True)",
    ):
        assert list(risky_calls(source)), source


def test_the_lab_is_for_this_machine_only():
    makefile = (ROOT / "Makefile").read_text()
    (command,) = re.findall(r"jupyter lab.*", makefile)
    assert "--ip=127.0.0.1" in command
    assert "token" not in command, "a random one, Jupyter's default, protects it"
