"""`minority showdown` end to end: awkward tables, errors, what a terminal and the page say."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from minority_reports import paths
from minority_reports.cli import main
from minority_reports.papers.showdown.own import comparison

QUICK = ("--methods", "cart-3,rlsd", "--n-jobs", "1", "--folds", "2", "--no-tuning")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def command(*arguments):
    return CliRunner().invoke(main, ["showdown", *map(str, arguments)])


def table(n=60, positives=12, **columns):
    rng = np.random.default_rng(0)
    y = np.arange(n) < positives
    x = rng.normal(size=n) + 2 * y
    return pd.DataFrame({"x": x, **columns, "label": np.where(y, "yes", "no")})


def n_times(values, n=60):
    return [values[k % len(values)] for k in range(n)]


def many_columns():
    wide = np.random.default_rng(1).normal(size=(60, 150))
    return table(**{f"c{j}": wide[:, j] for j in range(150)})


STRANGE = 'é "quoted" <b>, 100 % $a$'

AWKWARD = {
    "one feature": lambda: table(),
    "constant columns": lambda: table(same=1, empty=np.nan, word="w"),
    "all categories": lambda: table(
        kind=["a", "b"] * 6 + n_times("cdd", 48), other=n_times("uvw")
    ).drop(columns="x"),
    "gaps": lambda: table(
        gap=[None, 1.5, 2.5] * 20, kind=n_times(["a", None, "b"]), mostly=[3.0] + [None] * 59
    ),
    "dates": lambda: table(day=pd.date_range("2024-01-01", periods=60).astype(str)),
    "ids": lambda: table(id=range(60), code=[f"u{k}" for k in range(60)]),
    "tiny minority": lambda: table(positives=2),
    "repeated rows": lambda: pd.concat([table()] * 2),
    "three classes": lambda: table().assign(label=["yes"] * 12 + ["no", "maybe"] * 24),
    "names": lambda: table(**{STRANGE: n_times(["ü", "a or b", "<i>"]), "and": range(60)}),
    "booleans": lambda: table(flag=n_times([True, False]), maybe=n_times([True, None, False])),
    "wide": many_columns,
}
SAYS = {
    "constant columns": "Columns that are the same everywhere or empty: 'same', 'empty', 'word'",
    "dates": "Column 'day' holds dates",
    "ids": "Column 'id' looks like an id",
    "tiny minority": "WARNING: only 2 rows of label=yes",
    "repeated rows": "60 rows (50%) repeat an earlier one",
    "three classes": "positives (label=yes) 12 (20.00%)",
    "wide": "columns 151",
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tables_end_to_end(tmp_path, name):
    AWKWARD[name]().to_csv(tmp_path / "my.csv", index=False)
    answer = command(
        *(tmp_path / "my.csv", "--target", "label", "--positive", "yes"),
        *(*QUICK, "--output", tmp_path / "page"),
    )
    assert answer.exit_code == 0, answer.output
    told = " ".join(answer.output.split())
    assert SAYS.get(name, "") in told
    assert re.search(r"Use .*|No method is clearly better than guessing", told)
    assert "failed" not in told
    page = (tmp_path / "page" / "showdown__my.html").read_text()
    headline = unescape(re.search(r"<h1>(.*?)</h1>", page)[1])
    assert headline in told, "the page says the same"
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page), "nothing is loaded"
    if name == "names":
        assert "<b>, 100" not in page and "<i>" not in page


def test_the_bundled_example(tmp_path):
    file = paths.bundled() / "example_imbalanced.csv"
    options = ("--metric", "average_precision", "--conditions", 4, "--output", tmp_path)
    answer = command(file, "--target", "outcome", *QUICK, *options)
    assert answer.exit_code == 0, answer.output
    told = " ".join(answer.output.split())
    assert "highest average precision" in told and "has the highest G-mean" not in told
    assert "2 methods with default parameters on 2 x 2 stratified folds" in told
    page = (tmp_path / "showdown__example_imbalanced.csv.html").read_text()
    for part in ("lift and costs", "Which threshold", "All methods", "The data", "Code"):
        assert part in page
    assert page.count("<svg") >= 3
    assert "minority_reports" not in page.replace(str(paths.bundled()), "")


def test_ctrl_c_shows_what_is_there(tmp_path, monkeypatch):
    table().to_csv(tmp_path / "my.csv", index=False)

    def interrupted(run):
        if len(run.rows) == 3:
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr(comparison._Run, "_progress", interrupted)
    answer = command(tmp_path / "my.csv", "--target", "label", *QUICK, "--output", tmp_path)
    assert answer.exit_code == 0, answer.output
    told = " ".join(answer.output.split())
    assert "It was interrupted before everything was computed. The comparison rests on 1 of" in told
    assert "3 of 4 folds of CART of depth 3 (defaults); 2 of 4 folds of RLSD (defaults)" in told


def test_a_budget_bounds_the_whole_command(tmp_path, monkeypatch):
    table().to_csv(tmp_path / "my.csv", index=False)
    left = []
    real = comparison.compare

    def compare(plan, tell):
        left.append((plan.budget, plan.reserve, plan.left))
        return real(plan, tell)

    monkeypatch.setattr("minority_reports.papers.showdown.own.command.compare", compare)
    options = ("--target", "label", *QUICK, "--output", tmp_path)
    answer = command(tmp_path / "my.csv", *options, "--budget", "5m")
    assert answer.exit_code == 0, answer.output
    ((budget, reserve, rest),) = left
    assert (budget, reserve) == (300, 45) and rest < 255, "reading the file counts as well"
    answer = command(tmp_path / "my.csv", *options, "--budget", "1e-6", "--folds", "3")
    assert answer.exit_code == 0, answer.output
    assert "Nothing can be recommended yet: no method has a result." in answer.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "labl"), "did you mean one of ['label']"),
        (("--target", "label", "--methods", "logistics"), "Did you mean 'logistic'"),
        (("--target", "label"), "has 4 rows of one class"),
        (("--target", "label", "--positive", "maybe"), "no value 'maybe'"),
        (("--target", "kind"), "has 3 classes: 'a' (20 rows), 'b' (20 rows), 'c' (20 rows); say"),
        (("--target", "label", "--metric", "auc"), "unknown metric 'auc'. Did you mean 'auroc'?"),
        (("--target", "label", "--folds", "1"), "--folds takes at least 2"),
        (("--target", "label", "--budget", "soon"), "a budget is a number with s, m or h"),
    ],
)
def test_errors_are_one_line(tmp_path, own_cache, options, message):
    table(positives=4, kind=n_times("abc")).to_csv(tmp_path / "my.csv", index=False)
    answer = command(tmp_path / "my.csv", *options, "--output", tmp_path)
    assert answer.exit_code == 1
    assert message in answer.output.splitlines()[-1]
    assert "Traceback" not in answer.output
    assert not own_cache.exists(), "nothing was run"


def test_files_that_are_not_tables(tmp_path):
    output = ("--output", tmp_path)
    assert "no file" in command(tmp_path / "none.csv", "--target", "y", *output).output
    (tmp_path / "notes.txt").write_text("hello")
    assert "does not end in" in command(tmp_path / "notes.txt", "--target", "y", *output).output


def test_methods_of_a_user_take_part(tmp_path):
    table().to_csv(tmp_path / "my.csv", index=False)
    (tmp_path / "my.py").write_text(
        "from sklearn.dummy import DummyClassifier\nMETHODS = {'dummy': DummyClassifier()}\n"
    )
    answer = command(
        *(tmp_path / "my.csv", "--target", "label", *QUICK, "--output", tmp_path),
        *("--extra-methods", f"{tmp_path / 'my.py'}:METHODS"),
    )
    assert answer.exit_code == 0, answer.output
    assert "DummyClassifier" in answer.output or "dummy" in answer.output
