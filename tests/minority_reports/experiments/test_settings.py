"""Parameters as papermill delivers them."""

import pytest

import toy
from minority_reports.datasets import UnknownDatasetError
from minority_reports.experiments import Paper, Settings


def test_everything_means_no_restriction():
    settings = Settings.from_notebook(toy.paper(), {"datasets": "all", "methods": "all", "x": 1})
    assert settings.datasets == settings.methods == ()
    assert settings.is_complete


def test_lists_are_comma_separated_and_may_have_blanks():
    settings = Settings(toy.paper(), datasets=" glass2 , iris0,", methods="slow")
    assert settings.datasets == ("glass2", "iris0")
    assert settings.methods == ("slow",)
    assert not settings.is_complete


def test_numbers_may_arrive_as_text_or_float():
    settings = Settings(toy.paper(), seed="3", folds=2.0, repeats="1")
    assert (settings.seed, settings.folds, settings.repeats) == (3, 2, 1)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"compute": "quik"}, "'quick'"),
        ({"methods": "slwo"}, "'slow'"),
        ({"folds": -1}, "at least 0"),
        ({"seed": "many"}, "whole number"),
        ({"time_limit": "soon"}, "number of seconds"),
        ({"time_limit": -1}, "number of seconds"),
        ({"seed": 1.5}, "whole number"),
        ({"seed": 2**63}, "at most"),
        ({"n_jobs": 0}, "must not be 0: 1 for one process"),
        ({"n_jobs": "0"}, "must not be 0"),
        ({"datasets": "my.csv"}, "target"),
        ({"width": "3.3 inches"}, "number of inches, or such as '84mm'"),
        ({"width": "wide"}, "number of inches"),
        ({"width": "1in"}, "between 2.5 and 20 inches"),
        ({"formats": "pfd"}, "Did you mean 'pdf'"),
        ({"style": "no_such.mplstyle"}, "not a file"),
    ],
)
def test_bad_values_say_what_was_meant(bad, message):
    with pytest.raises(ValueError, match=message):
        Settings(toy.paper(), **bad)


@pytest.mark.parametrize("given", ["glas2", "iris0,glas2", "GLAS2,iris0", ["iris0", "Glas2"]])
def test_unknown_data_sets_are_named_with_near_matches(given):
    with pytest.raises(UnknownDatasetError, match=r"(?i)'glas2'; did you mean glass2"):
        Settings(toy.paper(), datasets=given)


@pytest.mark.parametrize(
    ("given", "inches"),
    [("", None), ("3.3in", 3.3), ("84mm", 84 / 25.4), ("8.4 cm", 8.4 / 2.54), (7, 7.0)],
)
def test_widths_are_inches(given, inches):
    width = Settings(toy.paper(), width=given).width
    assert width == (inches if inches is None else pytest.approx(inches))


@pytest.mark.parametrize("n_jobs", [1, 4, -1, -2])
def test_processes_are_counted_as_joblib_does(n_jobs):
    assert Settings(toy.paper(), n_jobs=n_jobs).n_jobs == n_jobs


def test_a_papers_name_for_a_data_set_is_understood():
    assert Settings(toy.paper(), datasets="Breast").datasets == ("wisconsin",)


@pytest.mark.parametrize("name, most", [("folds", 3), ("repeats", 2)])
def test_more_splits_than_the_protocol_has_are_an_error(name, most):
    Settings(toy.paper(), **{name: most})
    with pytest.raises(ValueError, match=f"at most {most} {name}, which is part of the protocol"):
        Settings(toy.paper(), **{name: most + 1})


def test_an_experiment_with_fewer_splits_takes_part_with_all_of_them():
    single = toy.experiment(name="toy-single", folds=1, repeats=1)
    paper = Paper("toy", "A toy paper", "99_toy", {"main": toy.experiment(), "single": single})
    settings = Settings(paper, folds=2, repeats=2)
    assert settings.splits_for(toy.experiment()) == {"repeats": 2, "folds": 2}
    assert settings.splits_for(single) == {"repeats": 1, "folds": 1}
    assert Settings(paper).splits_for(toy.experiment()) == {"repeats": 2, "folds": 3}


def test_a_fixed_experiment_takes_only_its_own_data_sets():
    settings = Settings(toy.paper(), datasets="iris0,pima")
    assert settings.datasets_for(toy.experiment(any_dataset=False)) == ("iris0",)
    assert settings.datasets_for(toy.experiment()) == ("iris0", "pima")
