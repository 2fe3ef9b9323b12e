"""The repository as a whole: files that must agree, commands that must exist, layers that hold."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml
from matrix import build_wheel, readme_example

from minority_reports import paths
from minority_reports.papers import papers
from minority_reports.report import published, published_papers

ROOT = paths.root()
LIB = ROOT / "lib"
#: The algorithms and the laboratory.
PACKAGES = ("minority", "minority_reports")


def requirements(lines):
    """name -> bounds of requirement lines, whatever extras they ask for."""
    split = [re.match(r"([A-Za-z0-9_.-]+)(?:\[.*\])?(.*)", line).groups() for line in lines]
    return {name.lower(): ",".join(sorted(bounds.split(","))) for name, bounds in split}


def project(folder=ROOT):
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


#: Extras that are not installed with the others.
APART = ("browser", "showdown")


def wanted():
    """All requirements of both distributions but those of the extras that are apart."""
    lines = []
    for part in (project(LIB), project()):
        extras = part["optional-dependencies"]
        lines += part["dependencies"] + [r for e in extras if e not in APART for r in extras[e]]
    return [line for line in lines if not line.startswith("minority[")]


def test_environment_yml_agrees_with_pyproject():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pip = listed.pop()["pip"]
    assert pip[-2:] == ["-e ./lib", "-e ."]
    conda = [line for line in listed if not re.match(r"(python|pip)\b(?!-)", line)]
    assert requirements(conda + pip[:-2]) == requirements(wanted())
    assert f"python{project()['requires-python']}" in listed


def pinned_by(file):
    """The names in a lock file, each with an exact version."""
    pins = [line for line in (ROOT / file).read_text().splitlines() if line[:1] not in ("", "#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[\w.+!]+", line) for line in pins)
    return {line.split("==")[0].lower().replace("_", "-") for line in pins}


def test_locks_pin_every_dependency_and_name_no_host():
    pinned, added = pinned_by("requirements.lock"), pinned_by("requirements-showdown.lock")
    assert set(requirements(wanted())) <= pinned
    assert set(requirements(project()["optional-dependencies"]["showdown"])) <= added
    assert not pinned & added
    assert "setuptools" in pinned, "the package is installed without build isolation"


def test_lib_is_not_ignored():
    answer = subprocess.run(
        ["git", "check-ignore", "lib/minority_reports/paths.py"], cwd=ROOT, capture_output=True
    )
    if answer.returncode == 128:
        pytest.skip("not a git checkout")
    assert answer.returncode == 1


def python_files():
    return [*LIB.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]


def test_the_only_import_is_minority():
    for file in python_files():
        assert not re.search(r"^\s*(from|import) lib\b", file.read_text(), re.MULTILINE), file


#: Lower layers never import higher ones. The algorithms come first.
LAYERS = {
    "minority": [
        "metrics",
        "rules",
        "boxes",
        "trees",
        "costs",
        "sampling",
        "ensembles",
        "large",
    ],
    "minority_reports": [
        *("files", "paths", "statistics", "datasets", "experiments", "report", "papers", "cli"),
    ],
}


#: What imports a module by a string.
DYNAMIC = ("import_module", "__import__")


def imported_modules(source, package):
    """The dotted names that a module imports, relative ones resolved against its package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(DYNAMIC):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            yield from (a.value for a in given if isinstance(a, ast.Constant))


def package_of(file):
    return ".".join(file.relative_to(LIB).parent.parts)


@pytest.mark.parametrize(
    "source",
    [
        "import minority_reports",
        "def f():\n    from minority_reports.paths import root",
        "from ... import minority_reports",
        "from ...minority_reports import paths",
        "importlib.import_module('minority_reports.paths')",
        "importlib.import_module(name='minority_reports.paths')",
        "import_module('.paths', package='minority_reports')",
        "__import__('minority_reports')",
        "if TYPE_CHECKING:\n    from minority_reports.paths import root",
    ],
)
def test_every_way_to_import_is_seen(source):
    names = list(imported_modules(source, "lib.minority.boxes"))
    assert any("minority_reports" in name for name in names)


def test_the_algorithms_never_import_the_laboratory():
    for file in (LIB / "minority").rglob("*.py"):
        for name in imported_modules(file.read_text(), package_of(file)):
            assert "minority_reports" not in name.split("."), f"{file} imports {name}"
        # in whatever other way: __import__, runpy, a string that is put together
        assert "minority_reports" not in file.read_text(), file


@pytest.mark.parametrize(
    ("package", "layer"), [(p, layer) for p, layers in LAYERS.items() for layer in layers]
)
def test_lower_layers_never_import_higher_ones(package, layer):
    top, order = LIB / package, LAYERS[package]
    one = top / f"{layer}.py"
    for file in [one] if one.exists() else list((top / layer).rglob("*.py")):
        for name in imported_modules(file.read_text(), package_of(file)):
            parts = name.split(".")
            if parts[0] == package and len(parts) > 1 and parts[1] in order:
                assert order.index(parts[1]) <= order.index(layer), f"{file} imports {name}"


def test_the_algorithms_need_few_packages():
    needed = project(LIB)["dependencies"]
    assert len(needed) <= 10
    known = {re.match(r"[a-z-]+", line)[0] for line in needed}
    modules = {"sklearn": "scikit-learn", "imblearn": "imbalanced-learn", "llvmlite": "numba"}
    optional = {"matplotlib", "mpl_toolkits", "pyarrow", "dask"}
    for file in (LIB / "minority").rglob("*.py"):
        for name in imported_modules(file.read_text(), package_of(file)):
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in ("minority", *optional):
                assert modules.get(top, top) in known, f"{file} imports {name}"


def test_versions_agree():
    import minority
    import minority_reports

    assert minority.__version__ == minority_reports.__version__ == project()["version"]
    (needed,) = [line for line in project()["dependencies"] if line.startswith("minority[")]
    assert needed.endswith(f"=={minority.__version__}")


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
    from minority_reports.cli import main

    used = set(re.findall(r"^minority ([a-z]+)", readme, re.MULTILINE))
    assert used and used <= set(main.commands)


def test_readme_tells_the_growth_of_the_table():
    table = pd.read_csv(ROOT / "data" / "results" / "cluster_growth.csv")
    readme = " ".join((ROOT / "README.md").read_text().split())
    many = table[table["part"] == "on paper"]
    assert f"{many['speed_up'].min():.0f} to {many['speed_up'].max():.0f} times" in readme
    assert (many["seconds"] >= many["bound_s"]).all()


def test_readme_tells_the_measurements_of_large_tables():
    table = pd.read_csv(ROOT / "data" / "results" / "large_tables.csv")
    readme = " ".join((ROOT / "README.md").read_text().split())
    most = table[(table["part"] == "growth") & (table["million_rows"] == 50)].set_index("method")
    for name in ("RLSD", "Fast Boxes"):
        assert f"{name} {most.loc[name, 'seconds']:.0f} s" in readme
        assert most.loc[name, "peak_gb"] < 0.7


@pytest.fixture
def make_test(tmp_path):
    """Runs ``make test`` with commands that only say how they were called, or fail."""
    folder = tmp_path / "venv" / "bin"
    folder.mkdir(parents=True)
    (tmp_path / "venv" / ".ready").touch()

    def run(failing=""):
        for name in ("ruff", "python", "minority"):
            script = (
                f'#!/bin/sh\necho "{name} $*"\ncase "$*" in {failing or "nothing"}) exit 3;; esac\n'
            )
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
        surroundings = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(
            ["make", "test", f"VENV={tmp_path / 'venv'}"],
            cwd=ROOT,
            env=surroundings,
            capture_output=True,
            text=True,
        )

    return run


PARTS = ["ruff check", "ruff format", "pytest", "notebooks", "sample of rows"]
needs_make = pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")


@needs_make
def test_make_test_passes_if_all_parts_do(make_test):
    done = make_test()
    assert done.returncode == 0
    assert done.stdout.splitlines()[-5:] == [f"passed  {part}" for part in PARTS]


@needs_make
@pytest.mark.parametrize(
    ("failing", "part"),
    [
        ("check*", "ruff check"),
        ("format*", "ruff format"),
        ('"-m pytest -q -n auto --dist worksteal"', "pytest"),
        ("*--nbval*", "notebooks"),
        ("verify*", "sample of rows"),
    ],
)
def test_make_test_runs_all_parts_and_names_the_one_that_fails(make_test, failing, part):
    done = make_test(failing)
    assert done.returncode != 0
    said = done.stdout.splitlines()
    ended = [f"{'FAILED' if p == part else 'passed'}  {p}" for p in PARTS]
    assert said[-5:] == ended
    called = [line.split()[0] for line in said if line.split()[0] in ("ruff", "python", "minority")]
    assert called == ["ruff", "ruff", "python", "python", "minority"]


def test_ci_runs_make_test():
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_citation_names_every_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == project()["version"]
    cited = {reference["title"]: reference for reference in citation["references"]}
    assert len(cited) == len(published_papers())
    for name in published_papers():
        facts = published(name)
        reference = cited[re.sub(r" \([\w-]+\)$", "", facts["title"])]
        authors = [author["family-names"] for author in reference["authors"]]
        assert authors == re.split(r" & |, ", facts["authors"])
        assert str(reference["year"]) in facts["venue"]
        assert reference.get("doi", reference.get("url")) in (
            ROOT / "notebooks" / f"{papers()[name].notebook}.ipynb"
        ).read_text(encoding="utf-8")


def test_zenodo_says_what_the_citation_file_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    assert zenodo["creators"] == citation["authors"]
    assert zenodo["description"] == citation["abstract"]
    for name in ("title", "version", "keywords"):
        assert zenodo[name] == citation[name]
    assert zenodo["license"] == citation["license"].lower()
    assert [one["identifier"] for one in zenodo["related_identifiers"]] == [
        reference.get("doi") or reference["identifiers"][0]["value"]
        for reference in citation["references"]
    ]


#: Every module of the algorithms without what only extras bring; then features that need extras.
WITHOUT_EXTRAS = """
import importlib, pkgutil, sys
sys.modules |= dict.fromkeys(("matplotlib", "pulp", "minority_reports"))
for module in pkgutil.walk_packages(minority.__path__, "minority."):
    if module.name != "minority.boxes._exact_mip":
        importlib.import_module(module.name)
for solve in (minority.ExactBoxesClassifier(solver="cbc").fit, model.plot):
    try:
        solve(X, y)
    except ModuleNotFoundError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel of the algorithms has."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = build_wheel(folder)
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(folder / "lib"), str(wheel)], check=True, capture_output=True)
    return folder / "lib"


def alone(installed, folder, *arguments):
    """Python with the wheel and what it needs, outside the checkout."""
    return subprocess.run(
        # without the site module, which would add the checkout that is installed for development
        [sys.executable, "-S", *arguments],
        cwd=folder,
        env={"PYTHONPATH": f"{installed}:{sysconfig.get_path('purelib')}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )


def test_the_wheel_runs_the_readme_example_outside_the_checkout(installed, tmp_path):
    script = readme_example() + (
        "\nimport importlib.util, minority\n"
        "print(minority.__file__, importlib.util.find_spec('minority_reports'))\n"
    )
    script += WITHOUT_EXTRAS
    answer = alone(installed, tmp_path, "-c", script)
    assert answer.returncode == 0, answer.stderr
    assert f"{installed / 'minority' / '__init__.py'} None" in answer.stdout
    assert "this needs pulp, which is not installed" in answer.stdout
    assert "this needs matplotlib, which is not installed" in answer.stdout
    (licence,) = installed.glob("minority-*.dist-info/licenses/LICENSE")
    assert licence.read_text() == (ROOT / "LICENSE").read_text()
    assert not (installed / "bin").exists(), "a wheel without the laboratory has no command"
    expected = re.search(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    assert expected.strip() in answer.stdout, "the README shows what its example prints"


def test_the_wheel_learns_and_inspects_from_the_command_line(installed, tmp_path):
    pytest.importorskip("pyarrow")
    rows = pd.DataFrame({"amount": range(200), "hour": [4, 9] * 100})
    rows["fraud"] = (rows["amount"] >= 190) & (rows["hour"] < 6)
    (tmp_path / "rows").mkdir()
    rows.to_parquet(tmp_path / "rows" / "a.parquet")
    learn = ["learn", "rows", "--target", "fraud", "--model", "rules.json", "--learner", "boxes"]
    inspect = ["inspect", "rows", "--model", "rules.json", "--budget", "0.02", "--output", "hits"]
    for arguments in (learn, inspect):
        answer = alone(installed, tmp_path, "-m", "minority.large", *arguments)
        assert answer.returncode == 0, answer.stderr
    assert "4 of 200 rows to look at" in answer.stdout
    assert "True if " in json.loads((tmp_path / "rules.json").read_text())["text"]
    hits = pd.read_parquet(tmp_path / "hits" / "a.parquet")
    assert len(hits) == 4 and (hits["score"] > 0).all()
    assert hits["reason"].str.startswith("amount >= ").all()


def tracked_files():
    answer = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if answer.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in answer.stdout.splitlines() if (ROOT / line).is_file()]


def test_no_absolute_paths_of_a_machine():
    home = re.compile(r"/(?:home|root|Users|tmp)/[A-Za-z0-9_.-]+/")
    for file in tracked_files():
        if file.suffix not in (".png", ".pdf", ".woff", ".lock") and file != Path(__file__):
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
    # a user's own methods, and calls, are sent to other processes of the same run: never read back
    sent = {"extra.py": [["", "cloudpickle"]], "workers.py": [["", "pickle"], ["", "cloudpickle"]]}
    for file in LIB.rglob("*.py"):
        assert list(risky_calls(file.read_text())) == sent.get(file.name, []), file
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
