"""In what order tasks are computed and in how many parts; rows do not depend on either."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toy
from minority_reports.experiments import (
    Method,
    Settings,
    Store,
    compute,
    jobs_of,
    run,
    run_all,
)
from minority_reports.experiments.jobs import (
    DIVIDED_FROM,
    ORDERED_FROM,
    expected_seconds,
    in_order,
)
from minority_reports.experiments.store import TASK
from minority_reports.papers import papers

LONG = 10 * DIVIDED_FROM


class Independent:
    """The toy method, each setting of which can be computed alone."""

    independent_settings = True

    def __init__(self, run=toy.count_rows):
        self.run = run

    def __call__(self, fold):
        return self.run(fold)


METHODS = toy.METHODS | {"independent": Method("Independent", Independent())}


def toy_jobs(seconds=None, methods=METHODS):
    """Jobs of the toy experiment that are expected to take so many seconds each."""
    experiment = toy.experiment(methods=methods)
    tasks = experiment.tasks()
    sources = {name: Settings(toy.paper()).source(name) for name in experiment.datasets}
    jobs = jobs_of(experiment, tasks, sources)
    seconds = [0.0] * len(jobs) if seconds is None else seconds
    return [replace(job, seconds=each) for job, each in zip(jobs, seconds, strict=False)]


@given(st.lists(st.floats(0, 1000), max_size=36), st.booleans())
def test_the_longest_begin_first_and_nothing_is_lost(seconds, divided):
    jobs = toy_jobs(seconds)[: len(seconds)]
    parts = in_order(jobs, divided=divided)
    whole = {(n, s) for n, job in enumerate(jobs) for s in job.experiment.settings}
    assert sorted((n, s) for n, part in parts for s in part.settings) == sorted(whole)
    of = len(toy.experiment().settings)
    shares = [jobs[n].seconds * len(part.settings) / of for n, part in parts]
    long = [share for share in shares if share >= ORDERED_FROM]
    assert shares[: len(long)] == sorted(long, reverse=True)
    rest = [n for n, _ in parts[len(long) :]]
    assert rest == sorted(rest), "short ones in the order of the plan"


def test_only_long_tasks_of_methods_that_say_so_are_divided():
    jobs = toy_jobs([LONG] * 36) + toy_jobs([DIVIDED_FROM / 2] * 36)
    for job in jobs:
        is_divided = job.task.method == "independent" and job.seconds == LONG
        assert len(job.parts) == (2 if is_divided else 1)
    assert len(in_order(jobs, divided=False)) == len(jobs)


def test_seconds_are_those_stored_or_the_median_of_what_is_alike():
    tasks = toy.experiment().tasks(repeats=1)
    stored = [
        ("iris0", "count", 0, 0, 0, 5.0),
        ("iris0", "count", 0, 1, 0, 7.0),
        ("iris0", "count", 1, 1, 0, 30.0),
        ("iris0", "slow", 0, 1, 0, np.nan),  # it failed
    ]
    timings = pd.DataFrame(stored, columns=[*TASK, "seconds"])
    guessed = dict(zip(tasks, expected_seconds(tasks, timings), strict=True))
    for task, seconds in guessed.items():
        if task.dataset == "iris0":
            known = {("count", 0): 5.0, ("count", 1): 7.0}
            assert seconds == known.get((task.method, task.fold), 7.0)
        else:
            assert seconds == (7.0 if task.method == "count" else 0.0)
    assert expected_seconds(tasks, timings[:0]) == [0.0] * len(tasks)


def as_text(jobs, n_jobs):
    """The rows of some jobs as a file has them, and the tasks of their costs."""
    store = Store.of(jobs[0].experiment, ".")
    done = list(compute(jobs, n_jobs=n_jobs, progress=False))
    assert sorted(number for number, _, _ in done) == list(range(len(jobs)))
    assert all(
        [cost[c] for c in TASK] == [getattr(jobs[n].task, c) for c in TASK] for n, _, cost in done
    )
    rows = [row for _, rows, _ in done for row in rows]
    return store._rows.text_of(store.as_stored(rows).to_dict("records"))


def grumble(fold):
    """Warn of one setting, fail for another one of some folds."""
    if "a=2" in fold.settings:
        warnings.warn(f"about a=2 of fold {fold.random_state}", stacklevel=1)
    if "a=1" in fold.settings and fold.random_state % 2:
        raise ArithmeticError(f"a=1 of fold {fold.random_state}")
    return toy.count_rows(fold)


def test_rows_of_parts_are_those_of_the_whole_also_in_what_they_say():
    methods = METHODS | {"grumbling": Method("Grumbling", Independent(grumble))}
    jobs = toy_jobs([LONG] * 48, methods)
    whole = as_text(jobs, n_jobs=1)
    assert as_text(jobs, n_jobs=2) == whole
    assert "about a=2" in whole and "a=1 of fold" in whole


#: Methods whose tasks can be divided: paper, experiment, method, data set. One of each kind.
REAL = [
    ("box_drawings", "table5", "random-forest", "glass2"),
    ("box_drawings", "table5", "svm-rbf", "glass2"),
    ("box_drawings", "pruning", "cart", "glass2"),
    ("box_drawings", "fig5", "fast-boxes", "glass2"),
    ("rlsd", "table3", "rlsd", "simulated-law-4"),
    ("rlsd", "cut", "ripper", "simulated-law-4"),
    ("boosting_svm", "main", "undersampling", "glass2"),
    ("boosting_svm", "steps", "b-svm", "glass2"),
    ("boosting_svm", "costs", "l1", "glass2"),
    ("boosting_svm", "imbalance", "c4.5", "glass2"),
    ("damvi", "fig1", "brf", "ecoli4"),
    ("damvi", "table23", "uniform", "ecoli4"),
    ("damvi", "table23", "r-bg-full", "ecoli4"),
    ("damvi", "table23", "a-bg", "ecoli4"),
    ("damvi", "table23", "ee", "ecoli4"),
    ("sampling_wrapper", "smote", "original", "ecoli4"),
    ("showdown", "resampling", "cart", "glass6"),
]


@pytest.mark.parametrize(("paper", "name", "method", "dataset"), REAL)
def test_rows_of_a_divided_task_are_those_of_the_whole(paper, name, method, dataset, monkeypatch):
    paper = papers()[paper]
    experiment = paper.experiments[name]
    experiment = replace(experiment, settings=experiment.settings[-3:])
    tasks = experiment.tasks(datasets=[dataset], methods=[method], repeats=1, folds=1)
    (job,) = jobs_of(experiment, tasks, {dataset: Settings(paper).source(dataset)})
    (whole,) = compute([job], progress=False)
    calls = []

    def here(function, given, **_):
        calls.extend(given)
        return reversed(list(enumerate(function(*call) for call in given)))

    monkeypatch.setattr("minority_reports.experiments.jobs.finished", here)
    (divided,) = compute([replace(job, seconds=LONG)], n_jobs=2, progress=False)
    assert len(calls) == max(len(experiment.settings), job.method.n_shares) > 1
    assert divided[1] == whole[1]
    assert {row["status"] for row in whole[1]} == {"ok"}


def test_every_kind_of_method_that_is_divided_is_among_those_tested():
    kinds = {
        type(method.run)
        for paper in papers().values()
        for experiment in paper.experiments.values()
        for method in experiment.methods.values()
        if (method.has_independent_settings or method.n_shares > 1)
        and experiment.name != "sampling_wrapper-kdd"
    }
    tested = {type(papers()[p].experiments[e].methods[m].run) for p, e, m, _ in REAL}
    assert kinds == tested


def test_experiments_together_have_the_rows_that_each_has_alone(results, tmp_path):
    names = ("toy-table1", "toy-table2")
    experiments = {name: toy.experiment(name=name, methods=METHODS) for name in names}
    settings = Settings(toy.paper(), compute="missing", n_jobs=1)
    together = run_all(experiments, settings)
    for name, experiment in experiments.items():
        alone = run(experiment, settings, folder=tmp_path / "alone")
        pd.testing.assert_frame_equal(together[name].rows, alone.rows)
        assert together[name].computed == 36 and run(experiment, settings).computed == 0
        rows = [folder / f"{name}.csv" for folder in (results, tmp_path / "alone")]
        assert rows[0].read_bytes() == rows[1].read_bytes()


def test_what_was_stored_elsewhere_tells_what_takes_long(results, tmp_path, monkeypatch):
    experiment, settings = toy.experiment(), Settings(toy.paper(), compute="missing", n_jobs=1)
    store = Store.of(experiment, tmp_path)
    with store.writing():
        for name, seconds in (("iris0", 5.0), ("glass2", 50.0)):
            task = dict(zip(TASK, (name, "count", 1, 2, 0), strict=True))
            store.add([], task | {"seconds": seconds})
    monkeypatch.setattr("minority_reports.paths.committed_results", lambda: tmp_path)
    begun = []

    def note(jobs, **_):
        begun.extend(jobs[number].task for number, _ in in_order(jobs, divided=False))
        yield from ()

    monkeypatch.setattr("minority_reports.experiments.runner.compute", note)
    run(experiment, settings)
    assert [task.dataset for task in begun] == ["glass2"] * 12 + ["iris0"] * 12
