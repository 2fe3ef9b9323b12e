"""When to use an estimator: what docstrings say, and what the table says, against what happens."""

import doctest
import inspect
import re

import imblearn.ensemble
import imblearn.over_sampling
import imblearn.under_sampling
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils import all_estimators

from minority import BoostingSVMClassifier, C45Classifier, PRIMClassifier, RIPPERClassifier
from minority_reports.report.api import MODULES
from minority_reports.report.choosing import (
    COSTS,
    DEPENDS,
    NO,
    NOT_ASKED,
    QUESTIONS,
    YES,
    abilities,
    estimators,
    guidance,
    home,
)
from minority_reports.report.docstrings import split_docstring

ESTIMATORS = estimators()
every_estimator = pytest.mark.parametrize("name", ESTIMATORS)


@every_estimator
def test_the_docstring_says_when_to_use_it_and_when_not(name):
    told = guidance(ESTIMATORS[name])
    assert re.fullmatch(r"\S.*\.", told.summary), "one sentence"
    assert told.use.endswith("."), "a paragraph that begins with 'Use it when'"
    assert told.avoid.endswith("."), "a paragraph that begins with 'Not for'"
    assert "rows" in told.data or "fit" in told.data, "how much data, at the end of the first"
    assert 20 < len(told.purpose) < 170, "the table has the first sentence"
    for text in (told.use, told.avoid):
        assert 80 < len(text) < 700
    assert "Use it when" not in told.about
    assert "Not for" not in told.about


@every_estimator
def test_what_is_advised_instead_exists(name):
    told = guidance(ESTIMATORS[name])
    scikit_learns = {other for other, _ in all_estimators()} | {"FrozenEstimator"}
    imblearns = [imblearn.ensemble, imblearn.over_sampling, imblearn.under_sampling]
    known = scikit_learns.union(ESTIMATORS, *map(dir, imblearns))
    named = re.findall(r"`([A-Z]\w+)`", f"{told.use} {told.avoid}")
    assert set(named) <= known
    assert name not in named
    own = re.findall(r"`([a-z_]+)[`=]", f"{told.use} {told.avoid}")
    members = {*inspect.signature(ESTIMATORS[name]).parameters, *dir(ESTIMATORS[name])}
    documented = split_docstring(inspect.getdoc(ESTIMATORS[name]))[1]["Attributes"]
    for attribute in own:
        assert attribute in members or f"{attribute} :" in documented


@every_estimator
def test_the_example_is_one_that_a_person_would_run(name):
    _, sections = split_docstring(inspect.getdoc(ESTIMATORS[name]))
    source = sections["Examples"]
    steps = doctest.DocTestParser().get_examples(source)
    code = "".join(step.source for step in steps)
    assert any(step.want for step in steps)
    assert re.search(rf"^from minority import .*\b{name}\b", code, re.MULTILINE)
    assert "X_test" in code, "a measure on rows that were held out"
    assert "DataFrame" in code or "as_frame=True" in code, "columns with names"
    assert len(source.splitlines()) <= 40


def test_a_docstring_without_advice_has_none():
    class Silent:
        """Do.

        Somehow.
        """

    class Talking:
        """Do.

        Use it when you want
        two. It is fast. Data: any rows.

        Not for three: use `C45Classifier`.

        Somehow.

        Parameters
        ----------
        x : int
            Not for anything else.
        """

    assert guidance(Silent) == ("Do.", "Somehow.", "", "", "")
    told = guidance(Talking)
    assert told == (
        *("Do.", "Somehow.", "Use it when you want two. It is fast.", "any rows"),
        "Not for three: use `C45Classifier`.",
    )
    assert told.purpose == "you want two"


def test_estimators_are_those_of_the_library():
    import minority

    assert set(ESTIMATORS) == set(minority.__all__) - {"__version__"}
    assert all(home(estimator) in MODULES for estimator in ESTIMATORS.values())
    assert home(PRIMClassifier) == "minority.boxes"


# The table against what happens when an estimator is given such data.


def make(name, inner=None):
    """A quick instance, around another estimator or not."""
    estimator = ESTIMATORS[name]
    quick = {"n_estimators": 2, "cv": 2, "max_boxes": 1, "min_recall": 0.2}
    known = inspect.signature(estimator).parameters
    chosen = {key: value for key, value in quick.items() if key in known}
    if inner is not None:
        chosen["estimator"] = inner
    return estimator(**chosen)


def numbers(n_classes=2):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), [60, 30, 30][:n_classes])
    columns = {"a": y + rng.normal(0, 0.3, len(y)), "b": rng.normal(size=len(y))}
    return pd.DataFrame(columns), y


def missing():
    X, y = numbers()
    return X.mask(np.arange(len(X))[:, None] % 9 == np.arange(2)), y


def categories():
    X, y = numbers()
    return X.assign(c=np.where(np.arange(len(X)) % 3, "one", "two")), y


def works(model, X, y, **params):
    fit = model.fit_resample if hasattr(model, "fit_resample") else model.fit
    try:
        with np.errstate(all="ignore"):
            fit(X, y, **params)
            if hasattr(model, "predict"):
                model.predict(X)
    except (ValueError, TypeError):
        return False
    return True


DATA = {
    "missing values": (missing, C45Classifier(), LogisticRegression()),
    "categories": (categories, C45Classifier(), LogisticRegression()),
    "multiclass": (lambda: numbers(3), C45Classifier(), BoostingSVMClassifier(n_estimators=2)),
}


@pytest.mark.parametrize("question", DATA)
@every_estimator
def test_the_table_agrees_with_what_happens_to_such_data(name, question):
    data, able, unable = DATA[question]
    answer = abilities(ESTIMATORS[name])[question]
    if answer == DEPENDS:
        assert works(make(name, able), *data())
        assert not works(make(name, unable), *data())
    else:
        assert works(make(name), *data()) == (answer == YES)


@every_estimator
def test_the_table_agrees_with_what_classifiers_have(name):
    found = abilities(ESTIMATORS[name])
    assert tuple(found) == QUESTIONS
    if not sklearn.base.is_classifier(make(name)):
        assert found["probabilities"] == found["sample weights"] == found["costs"] == NOT_ASKED
        return
    X, y = numbers()
    if found["probabilities"] == DEPENDS:
        assert hasattr(make(name, C45Classifier()).fit(X, y), "predict_proba")
        assert not hasattr(make(name, LinearSVC()).fit(X, y), "predict_proba")
    else:
        assert hasattr(make(name).fit(X, y), "predict_proba") == (found["probabilities"] == YES)
    assert works(make(name), X, y, sample_weight=np.ones(len(y))) == (
        found["sample weights"] == YES
    )
    named = re.findall(r"`(\w+)`", found["costs"])
    assert set(named) == set(COSTS) & set(make(name).get_params(deep=False))


@every_estimator
def test_what_is_readable_prints_itself(name):
    readable = abilities(ESTIMATORS[name])["readable"]
    X, y = numbers()
    model = make(name, RIPPERClassifier() if readable == DEPENDS else None)
    if readable in (NO, NOT_ASKED):
        assert not hasattr(model, "to_text")
    else:
        assert re.search(r"\b[ab]\b", model.fit(X, y).to_text()), "the names of columns"


def test_the_table_knows_what_some_of_them_can():
    tree, relabelled = abilities(C45Classifier), abilities(ESTIMATORS["MetaCostClassifier"])
    assert tree == dict.fromkeys(QUESTIONS, YES) | {"costs": "`class_weight`, `costs`"}
    assert relabelled["multiclass"] == relabelled["readable"] == DEPENDS
    assert abilities(BoostingSVMClassifier)["missing values"] == NO
