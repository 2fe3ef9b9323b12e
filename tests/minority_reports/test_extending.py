"""Adding a method, a data set, a claim or a paper takes a few lines in obvious places."""

import json
import shutil
import sys

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import toy
from minority_reports import papers as all_papers
from minority_reports import paths
from minority_reports.datasets import Entry, register
from minority_reports.experiments import Experiment, Method, Paper, Settings, run
from minority_reports.papers import box_drawings
from minority_reports.report import (
    ALWAYS,
    REPRODUCED,
    Cases,
    Need,
    Rule,
    judge,
    mean_effect,
    published,
    published_papers,
    show,
)


def test_a_method_is_one_entry(results):
    experiment = box_drawings.PAPER.experiments["table5"].with_method(
        "everything", Method("Everything is positive", everything_positive)
    )
    settings = Settings(
        Paper("mine", "Mine", "none", {"table5": experiment}),
        datasets="glass2",
        methods="everything",
        compute="missing",
        n_jobs=1,
    )
    table = box_drawings.tables.table5(run(experiment, settings))
    assert table.frame.loc["glass2", "Everything is positive"] == 0.5


def everything_positive(fold):
    positives, rows = int(fold.y_test.sum()), len(fold.y_test)
    counts = {"tp": positives, "fp": rows - positives, "fn": 0, "tn": 0, "size": 1}
    return dict.fromkeys(fold.settings, counts)


def test_a_method_of_ones_own_changes_nothing_here(results, tmp_path):
    file = tmp_path / "my.py"
    file.write_text(
        "from sklearn.tree import DecisionTreeClassifier\n"
        "METHODS = {'stump': DecisionTreeClassifier(max_depth=1)}\n"
    )
    settings = Settings(
        box_drawings.PAPER,
        datasets="glass2",
        methods="c45",
        folds=2,
        extra_methods=f"{file}:METHODS",
        compute="missing",
        n_jobs=1,
    )
    outcome = run(box_drawings.PAPER.experiments["table5"], settings)
    assert outcome.failures.empty and outcome.computed == 4
    assert list(box_drawings.tables.table5(outcome).frame.columns) == ["C4.5", "stump"]


@pytest.fixture
def published_folder(tmp_path, monkeypatch):
    """A folder of published numbers in place of the committed one."""
    schema = (paths.published() / "schema.json").read_text(encoding="utf-8")
    folder = tmp_path / "published"
    folder.mkdir()
    (folder / "schema.json").write_text(schema, encoding="utf-8")
    monkeypatch.setattr(paths, "published", lambda: folder)
    published.cache_clear()
    yield folder
    published.cache_clear()


def test_a_claim_is_its_words_and_a_rule(results, published_folder):
    first = {
        "id": "mine-01",
        "claim": "Every fold has a positive.",
        "section": "1",
        "kind": "empirical",
        "anchor": "every fold has a positive",
        "test": "share of positives in the test part above 0",
        "note": "",
    }
    facts = {"paper": "mine", "title": "My paper", "short": "Mine", "authors": "I", "venue": "Here"}
    empty = dict.fromkeys(("tables", "figures", "numbers", "lost", "slips"), ())
    words = facts | empty | {"claims": [first]}
    (published_folder / "mine.json").write_text(json.dumps(words), encoding="utf-8")
    paper = toy.paper()
    table1 = run(paper.experiments["table1"], Settings(paper, compute="missing", n_jobs=1))

    def every_fold(found):
        share = found.rows["share"]
        return Cases(share > 0, "{count} folds have a positive", mean_effect("share", share))

    rule = Rule("Every fold has a positive", ALWAYS, every_fold, (Need("table1"),))
    judged = judge("mine", {"mine-01": rule}, {"table1": table1})
    assert judged.loc["mine-01", "verdict"] == REPRODUCED
    schema = json.loads((published_folder / "schema.json").read_text(encoding="utf-8"))
    stored = json.loads((published_folder / "mine.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(stored)] == []


def test_a_data_set_is_one_call(results):
    def blobs():
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(90, 2)), rng.normal(4, 1, size=(10, 2))])
        return X, np.repeat([0, 1], [90, 10])

    register(Entry(name="my_blobs"), blobs)
    paper = toy.paper()
    settings = Settings(paper, datasets="my_blobs", compute="missing", n_jobs=2)
    assert len(run(paper.experiments["table1"], settings).rows) == 24


def test_a_data_set_is_one_line_of_the_registry(results, tmp_path, monkeypatch):
    here = paths.registry_file()
    shutil.copy(here.with_name("sources.csv"), tmp_path)
    text = here.read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("glass1,")]
    mine = line.replace("glass1,", "mine,", 1)
    (tmp_path / "registry.csv").write_text(f"{text}{mine}\n", encoding="utf-8")
    monkeypatch.setattr(paths, "registry_file", lambda: tmp_path / "registry.csv")
    paper = toy.paper()
    settings = Settings(paper, datasets="mine", compute="missing", n_jobs=1)
    assert len(run(paper.experiments["table1"], settings).rows) == 24


PAPER_FILE = """
import toy
from minority_reports.experiments import Paper

PAPER = Paper("mine", "My paper", "07_mine", {"table1": toy.experiment()})
"""


def test_a_paper_is_found_by_its_package_and_its_numbers(tmp_path, published_folder, monkeypatch):
    (tmp_path / "papers" / "mine").mkdir(parents=True)
    (tmp_path / "papers" / "mine" / "__init__.py").write_text(PAPER_FILE)
    monkeypatch.setattr(all_papers, "__path__", [*all_papers.__path__, str(tmp_path / "papers")])
    (published_folder / "mine.json").write_text("{}", encoding="utf-8")
    all_papers.papers.cache_clear()
    try:
        assert all_papers.select("mine")["mine"].notebook == "07_mine"
        assert list(all_papers.papers())[-1] == "mine", "in the order of the notebooks"
        assert published_papers() == ["mine"]
    finally:
        all_papers.papers.cache_clear()
        sys.modules.pop("minority_reports.papers.mine", None)
        vars(all_papers).pop("mine", None)


def test_a_paper_is_one_object(results):
    experiment = Experiment(
        name="mine-table1",
        datasets=("iris0",),
        methods={"count": Method("Counting", toy.count_rows)},
        settings=("once",),
        measures=("mean", "share", "draw"),
        folds=2,
    )
    paper = Paper("mine", "My paper", "07_mine", {"table1": experiment})
    outcome = run(experiment, Settings(paper, compute="missing", n_jobs=1))
    table = show(outcome.rows.groupby("dataset")[["share"]].mean(), caption=outcome.coverage())
    assert "all 2 runs" in repr(table)
