"""Methods from a file: beside those of the protocol, in no verdict, with rows of their own."""

import pytest
from sklearn.dummy import DummyClassifier

import toy
from minority_reports import paths
from minority_reports.experiments import Fit, Method, Settings, run
from minority_reports.experiments.results import protocol_tasks

FILE = """
from sklearn.base import BaseEstimator, ClassifierMixin
import numpy as np

class Everything(ClassifierMixin, BaseEstimator):
    def __init__(self, label=1):
        self.label = label
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), self.label)

METHODS = {"everything": Everything()}
"""

WRONG = """
from sklearn.linear_model import LinearRegression

class Plain:
    def fit(self, X, y):
        return self

NUMBER = {"five": 5}
CLASS = {"mine": Everything}
REGRESSION = {"mine": LinearRegression()}
PLAIN = {"mine": Plain()}
"""


def measured(model, X_test, y_test):
    return {"mean": float(model.predict(X_test).mean()), "share": 0.0, "draw": 0.0}


def adapt(estimator):
    return Fit(estimator, measured)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my.py"
    path.write_text(FILE)
    return path


def run_with(file, **given):
    paper = toy.paper(adapt=adapt)
    options = {"datasets": "iris0", "compute": "missing", "n_jobs": 1} | given
    settings = Settings(paper, extra_methods=f"{file}:METHODS", **options)
    return run(paper.experiments["table1"], settings)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_it_is_run_beside_the_others_and_kept_apart(file, results, n_jobs):
    outcome = run_with(file, n_jobs=n_jobs)
    mine = outcome.rows[outcome.rows["method"] == "everything"]
    assert len(mine) == 12 and (mine["mean"] == 1).all() and outcome.failures.empty
    assert outcome.experiment.extra == ("everything",)
    assert "everything" not in (results / "toy-table1.csv").read_text()
    assert "everything" in (paths.own_results() / "toy-table1.csv").read_text()


def test_it_is_no_part_of_the_protocol(file, results):
    outcome = run_with(file, datasets="all")
    assert outcome.selected is None, "the protocol is whole, whatever is added to it"
    plain = run(toy.experiment(), Settings(toy.paper(), compute="none"))
    judged = outcome.of_protocol()
    assert judged.rows.equals(plain.rows) and judged.planned == plain.planned
    assert judged.experiment.methods.keys() == plain.experiment.methods.keys()
    assert protocol_tasks(outcome.experiment) == protocol_tasks(plain.experiment)
    assert outcome.complete().matrix("mean").columns.tolist() == ["count", "slow", "everything"]


def test_a_changed_file_is_computed_again(file, results):
    assert run_with(file).computed == 18
    assert run_with(file).computed == 0
    file.write_text(FILE.replace("Everything()", "Everything(label=0)"))
    again = run_with(file)
    assert again.computed == 6
    assert (again.rows.loc[again.rows["method"] == "everything", "mean"] == 0).all()


def test_only_experiments_that_say_how_take_it(file, results):
    paper = toy.paper()
    settings = Settings(paper, extra_methods=f"{file}:METHODS", compute="none")
    assert run(paper.experiments["table1"], settings).experiment.extra == ()


def test_a_run_of_ones_own_is_taken_as_it_is(tmp_path, results):
    path = tmp_path / "own_run.py"
    path.write_text(
        "from minority_reports.experiments import Method\n"
        "def run(fold):\n"
        "    return {s: {'mean': 3.0, 'share': 0.0, 'draw': 0.0} for s in fold.settings}\n"
        "METHODS = {'three': Method('Three', run)}\n"
    )
    outcome = run_with(path)
    assert (outcome.rows.loc[outcome.rows["method"] == "three", "mean"] == 3).all()
    assert outcome.labels["three"] == "Three"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("my.py", "a file and a name"),
        ("nowhere.py:METHODS", "there is no file"),
        ("{file}:NOTHING", "no dictionary 'NOTHING'"),
        ("{file}:Everything", "no dictionary 'Everything'"),
        ("{file}:NUMBER", "'five' in my.py must be a name with a classifier .* not int"),
        ("{file}:CLASS", "not the class Everything"),
        ("{file}:REGRESSION", "not LinearRegression"),
        ("{file}:PLAIN", "not Plain"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(file, text, message):
    file.write_text(FILE + WRONG)
    with pytest.raises(ValueError, match=message):
        Settings(toy.paper(), extra_methods=text.format(file=file))


def test_a_name_that_is_taken_is_refused(file):
    file.write_text(FILE.replace('"everything"', '"count"'))
    with pytest.raises(ValueError, match="has a method 'count' already"):
        Settings(toy.paper(adapt=adapt), extra_methods=f"{file}:METHODS")
    with pytest.raises(ValueError, match="has a method 'count' already"):
        toy.experiment().with_method("count", Method("Mine", adapt(DummyClassifier())))


def test_a_label_that_is_taken_is_refused(file):
    """Two columns of a table would be called the same."""
    file.write_text(FILE.replace('"everything"', '"Counting"'))
    with pytest.raises(ValueError, match="has a method 'Counting' already"):
        Settings(toy.paper(adapt=adapt), extra_methods=f"{file}:METHODS")


def test_what_cannot_be_sent_to_other_processes_is_said_before_anything_runs(file, results):
    lock = "import threading\nMETHODS['locked'] = Everything(label=threading.Lock())\n"
    file.write_text(FILE + lock)
    for elsewhere in ({"n_jobs": 2}, {"n_jobs": 1, "cluster": "tcp://localhost:1"}):
        with pytest.raises(ValueError, match=r"'locked' cannot be sent .*n_jobs=1 and no cluster"):
            run_with(file, **elsewhere)
    assert not list(results.glob("*.csv"))
    run_with(file, n_jobs=2, compute="none")
    outcome = run_with(file)
    assert set(outcome.failures["method"]) == {"locked"}, "scikit-learn cannot copy it either"
    assert set(outcome.rows["method"]) == {"count", "slow", "everything"}


def test_a_method_that_fails_on_a_fold_keeps_what_the_others_have_computed(file, results):
    fails = "    def fit(self, X, y):\n        assert len(set(y)) * 0, 'bad,\\nluck'\n"
    file.write_text(FILE.replace("    def fit(self, X, y):\n", fails))
    outcome = run_with(file)
    assert set(outcome.rows["method"]) == {"count", "slow"}
    assert set(outcome.failures["message"]) == {"AssertionError: bad, luck"}
    assert run_with(file).computed == 6, "failures are tried again, and nothing else"


def test_a_file_with_an_error_shows_it(file):
    file.write_text("1 / 0")
    for _ in range(2):  # nothing half-made is kept
        with pytest.raises(ZeroDivisionError):
            Settings(toy.paper(), extra_methods=f"{file}:METHODS")


def test_a_notebook_with_it_is_not_the_published_one(file):
    assert not Settings(toy.paper(), extra_methods=f"{file}:METHODS").is_complete
    assert Settings(toy.paper()).is_complete
