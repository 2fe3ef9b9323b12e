"""Which cells are complete: all folds and settings of the selection, and nothing less."""

from dataclasses import replace

import pandas as pd
import pytest

import toy
from minority_reports.experiments import Settings, kept, run


@pytest.fixture
def whole(results):
    """The toy experiment: two data sets, two methods, two settings, two repeats of three folds."""
    return stored()


def stored(**selection):
    paper = toy.paper()
    return run(
        paper.experiments["table1"], Settings(paper, compute="missing", n_jobs=1, **selection)
    )


def without(results, dataset, method, fold=0, setting=None):
    """The same without a fold of a cell, or without one setting of it."""
    rows = results.rows
    lost = (rows["dataset"] == dataset) & (rows["method"] == method) & (rows["fold"] == fold)
    lost &= rows["repeat"] == 0
    if setting:
        lost &= rows["setting"] == setting
    return replace(results, rows=rows[~lost], _kept={})


def test_a_whole_protocol_is_complete(whole):
    cells = whole.cells()
    assert (cells["there"] == 6).all() and (cells["of"] == 6).all()
    assert len(cells) == len(whole.experiment.datasets) * len(whole.experiment.methods)
    assert whole.complete().rows.equals(whole.rows)
    assert whole.selected is None


@pytest.mark.parametrize("setting", [None, 0])
def test_a_cell_that_lacks_a_row_is_left_out_whole(whole, setting):
    name, method = whole.experiment.datasets[0], next(iter(whole.experiment.methods))
    setting = None if setting is None else whole.experiment.settings[setting]
    part = without(whole, name, method, setting=setting)
    assert part.cells().loc[(name, method)].tolist() == [5, 6]
    left = part.complete().rows
    assert not ((left["dataset"] == name) & (left["method"] == method)).any()
    assert len(left) == len(whole.rows) - 6 * len(whole.experiment.settings)


def test_with_methods_a_set_counts_only_if_all_of_them_are_complete(whole):
    first, other = whole.experiment.datasets
    one, *others = whole.experiment.methods
    part = without(whole, first, one)
    assert set(part.complete(whole.experiment.methods).rows["dataset"]) == {other}
    assert set(part.complete(others).rows["dataset"]) == {first, other}
    assert set(part.complete(others).rows["method"]) == set(others)
    assert part.complete(["who is that", *others]).rows.empty


def test_complete_is_relative_to_the_selection(results):
    part = stored(folds=2, repeats=1)
    assert (part.cells()["of"] == 2).all()
    assert len(part.complete().rows) == len(part.rows) > 0
    assert part.selected is not None


def test_another_seed_is_no_selection(results):
    assert stored(seed=1).selected is None


def test_other_data_sets_are_a_selection_even_if_as_many(results):
    part = stored(datasets="haberman, ecoli4")
    assert part.selected is not None
    assert set(part.cells().index.get_level_values("dataset")) == {"haberman", "ecoli4"}


def test_the_first_folds_are_a_selection_of_their_own(whole):
    part = without(whole, whole.experiment.datasets[0], next(iter(whole.experiment.methods)), 2)
    assert (part.first(2).cells()["of"] == 2).all()
    assert len(part.first(2).complete().rows) == len(part.first(2).rows)


def test_a_further_method_joins_a_comparison_that_it_loses_no_set_to(whole):
    first, _ = whole.experiment.datasets
    one, other = whole.experiment.methods
    assert whole.comparable([one], [other]) == [one, other]
    assert whole.comparable([one, other], [other]) == [one, other]
    assert whole.comparable([one]) == [one]  # nothing was added to the protocol
    lacking = without(whole, first, other)
    assert lacking.comparable([one], [other]) == [one]
    assert lacking.comparable([other], [one]) == [other, one]


def test_rows_are_found_by_the_names_of_what_they_are_of(whole):
    one, _ = whole.experiment.methods
    assert set(whole.rows_of(method=one)["method"]) == {one}
    cell = whole.rows_of(dataset="iris0", method=one, setting="a=1")
    assert len(cell) == 6 and cell.equals(whole.rows.loc[cell.index])


def test_the_numbers_of_settings(whole):
    assert set(whole.setting_numbers()) == {1.0, 2.0}
    assert (whole.rows["setting"] == "a=2").equals(whole.setting_numbers() == 2)


def test_means_by_method_and_setting_are_over_the_sets_that_all_have(whole):
    first, other = whole.experiment.datasets
    one, two = whole.experiment.methods
    part = without(whole, first, one)
    means = part.setting_means(["mean", "share"])
    assert means.index.tolist() == [(m, s) for m in (one, two) for s in ("a=1", "a=2")]
    expected = whole.rows_of(dataset=other, method=two, setting="a=1")["mean"].mean()
    assert means.loc[(two, "a=1"), "mean"] == pytest.approx(expected)
    assert part.setting_means(["mean"], [two]).loc[(two, "a=1"), "mean"] != expected
    nothing = without(part, other, one).setting_means(["mean"])
    assert len(nothing) == 4 and nothing.isna().all(axis=None)


@pytest.mark.parametrize("setting", [None, 0])
def test_a_matrix_is_the_pivot_of_the_rows(whole, setting):
    setting = None if setting is None else whole.experiment.settings[setting]
    measure = whole.experiment.measures[0]
    one, *_ = whole.experiment.methods
    for found in (whole, without(whole, whole.experiment.datasets[0], one)):
        rows = found.rows if setting is None else found.rows_of(setting=setting)
        index = ["dataset", "repeat", "fold"]
        pivot = rows.pivot_table(index=index, columns="method", values=measure, sort=False)
        matrix = found.matrix(measure, setting=setting)
        pd.testing.assert_frame_equal(matrix, pivot[matrix.columns], check_exact=True)


def test_classes_are_counted_in_the_test_parts(whole):
    counts = {"tp": 1, "fn": 2, "fp": 3, "tn": 4}
    found = replace(whole, rows=whole.rows.assign(**counts), _kept={}).class_counts()
    rows = whole.rows.groupby("dataset", sort=False).size()
    expected = pd.DataFrame({"positives": 3 * rows, "negatives": 7 * rows})
    pd.testing.assert_frame_equal(found, expected)


def test_cells_of_a_part_are_those_of_its_rows(whole):
    first, other = whole.experiment.datasets
    part = without(whole, first, next(iter(whole.experiment.methods)))
    for narrower in (part.complete(), part.on_datasets([first]), stored(folds=2).complete()):
        counted = replace(narrower, _kept={}).cells()
        pd.testing.assert_frame_equal(narrower.cells(), counted)
    assert part.on_datasets([other]).datasets == [other]
    assert part.on_datasets([other]).planned == whole.planned / 2


def test_what_is_kept_is_computed_once_for_the_same_results_and_arguments(whole):
    asked = []

    @kept
    def share(results, part, *, of=2):
        """How much."""
        asked.append((part, of))
        return part / of

    assert share.__name__ == "share" and share.__doc__ == "How much."
    assert [share(whole, 1), share(whole, 1), share(whole, 1, of=4)] == [0.5, 0.5, 0.25]
    assert asked == [(1, 2), (1, 4)]
    share(without(whole, *whole.experiment.datasets[:1], "knn"), 1)
    assert len(asked) == 3, "other results have numbers of their own"
