"""Adding a method, a data set or a paper takes a few lines in one obvious place."""

import numpy as np

import toy
from minority.datasets import Entry, register
from minority.experiments import Experiment, Method, Paper, Settings, run
from minority.papers import box_drawings
from minority.report import show


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
    table = box_drawings.table5(run(experiment, settings))
    assert table.frame.loc["glass2", "Everything is positive"] == 0.5


def everything_positive(fold):
    positives, rows = int(fold.y_test.sum()), len(fold.y_test)
    counts = {"tp": positives, "fp": rows - positives, "fn": 0, "tn": 0, "size": 1}
    return dict.fromkeys(fold.settings, counts)


def test_a_data_set_is_one_call(results):
    def blobs():
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(90, 2)), rng.normal(4, 1, size=(10, 2))])
        return X, np.repeat([0, 1], [90, 10])

    register(Entry(name="my_blobs"), blobs)
    paper = toy.paper()
    settings = Settings(paper, datasets="my_blobs", compute="missing", n_jobs=2)
    assert len(run(paper.experiments["table1"], settings).rows) == 24


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
    assert "2 of 2 keys" in repr(table)
