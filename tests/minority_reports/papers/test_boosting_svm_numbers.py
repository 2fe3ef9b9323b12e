"""The published numbers of Boosting-SVM beside ours."""

import numpy as np
import pandas as pd
import pytest
from boosting_svm_worlds import without_rows, world_of

from minority_reports.papers.boosting_svm import tables
from minority_reports.papers.boosting_svm.numbers import published_numbers, sd_of_means
from minority_reports.papers.boosting_svm.protocol import PUBLIC
from minority_reports.report.numbers import with_agreement


def test_numbers_are_those_of_the_tables_on_the_public_sets():
    claimed = world_of("claimed")
    numbers = published_numbers(claimed).set_index("item")
    table = tables.scores(claimed["main"]).loc[list(PUBLIC)]
    others = table.drop(columns="B-SVM")
    assert numbers.loc["mean G-mean, B-SVM", "published"] == 77.01
    assert numbers.loc["mean G-mean, B-SVM", "ours"] == pytest.approx(table["B-SVM"].mean())
    lowest = numbers.loc["mean G-mean, lowest of the others"]
    assert lowest["ours"] == pytest.approx(others.mean().min())
    assert lowest["sd"] == pytest.approx(
        others[others.mean().idxmin()].std() * np.sqrt(1 / len(PUBLIC) + 1 / 12)
    )
    best = (table["B-SVM"] > others.max(axis=1)).mean()
    share = numbers.loc["share of data sets where B-SVM is best"]
    assert (share["ours"], share["published"]) == (pytest.approx(best), pytest.approx(10 / 12))
    assert share["sd"] == pytest.approx(np.sqrt(10 / 12 * 2 / 12 * (1 / 9 + 1 / 12)))


def test_numbers_about_data_that_is_not_public_are_not_compared():
    numbers = with_agreement(published_numbers(world_of("claimed")))
    compared = numbers["agrees"].notna()
    assert compared.sum() == 9
    assert (numbers.loc[~compared, "not_compared"] != "").all()
    assert numbers.loc[~compared, "item"].str.contains("Lupus|Stroke|Heart").all()


def test_without_rows_nothing_is_compared():
    numbers = with_agreement(published_numbers(without_rows()))
    assert numbers["agrees"].isna().all()
    assert numbers["not_compared"].eq("rows are missing").sum() == 9


def test_the_spread_is_that_over_data_sets_of_both():
    assert sd_of_means(pd.Series([1.0, 3.0])) == pytest.approx(np.sqrt(2) * np.sqrt(1 / 2 + 1 / 12))
