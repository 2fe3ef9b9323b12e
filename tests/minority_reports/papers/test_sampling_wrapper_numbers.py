"""Published numbers beside ours, and what was tried for the learners' own AUROC."""

import numpy as np
import pandas as pd
import pytest
from sampling_wrapper_rows import everything, main_row, results_of

from minority_reports.papers.sampling_wrapper import PAPER, studies
from minority_reports.papers.sampling_wrapper.numbers import published_numbers
from minority_reports.papers.sampling_wrapper.schemes import Answers
from minority_reports.report.claims import published
from minority_reports.report.numbers import with_agreement


@pytest.fixture(scope="module")
def numbers():
    return published_numbers(everything()).set_index(["where", "item"])


def test_every_number_whose_place_is_certain_is_there_once(numbers):
    tables = published("sampling_wrapper")["tables"]
    sure = sum(cell["sure"] is True for table in tables for cell in table["cells"])
    assert len(numbers) == sure == 409
    assert numbers.index.is_unique
    compared = numbers["not_compared"] == ""
    assert compared.groupby(level="where").sum().to_dict() == {
        "Table 1": 0,
        "Table 2": 78,
        "Table 3": 77,
        "Table 4": 0,
        "Table 5": 0,
        "Table 6": 0,
        "Table A1": 140,
    }
    assert numbers.loc[compared, "ours"].notna().all()
    assert numbers.loc[~compared, "ours"].isna().all()


def test_costs_are_counted_as_the_paper_seems_to_count_them(numbers):
    """Five errors and three a fold: in 50 folds 400, of which Table 2 has a tenth."""
    assert numbers.loc[("Table 2", "Page / Base: cost_1to1"), "ours"] == 5 * (5 + 3)
    line = numbers.loc[("Table A1", "Page / AUROC unthresholded: 10:1"), "ours"]
    assert line == 50 * (3 + 10 * 9)
    cut = numbers.loc[("Table A1", "Page / AUROC thresholded: 10:1"), "ours"]
    assert cut == 50 * (10 + 10 * 1)


def test_the_spread_is_of_both_sides():
    def row(key):
        return main_row(key) | {"auroc": 0.8 + 0.01 * (key.fold % 2)}

    found = published_numbers({"main": results_of("main", row)}).set_index(["where", "item"])
    base = found.loc[("Table 2", "Phoneme / Base: AUROC")]
    ours = np.var([0.8, 0.81] * 5, ddof=1) / 10
    assert base["ours"] == pytest.approx(0.805)
    assert base["sd"] == pytest.approx((ours + 0.018**2 / 50) ** 0.5)


def test_only_the_first_run_counts():
    def row(key):
        return main_row(key) | {"auroc": 0.8 if key.repeat == 0 else 0.1}

    found = published_numbers({"main": results_of("main", row)}).set_index(["where", "item"])
    assert found.loc[("Table 2", "Phoneme / Base: AUROC"), "ours"] == pytest.approx(0.8)


def test_without_rows_a_number_is_not_compared():
    part = results_of("main", main_row, sets=["oil"])
    found = with_agreement(published_numbers({"main": part}))
    page = found[found["item"].str.startswith("Page") & (found["where"] == "Table 2")]
    assert set(page["not_compared"]) == {"no rows"}
    assert page["agrees"].isna().all()


def test_the_paper_has_them():
    assert PAPER.numbers is published_numbers


def test_auroc_by_pairs():
    y, score = np.array([1, 1, 0, 0]), np.array([0.9, 0.5, 0.5, 0.1])
    assert studies._auroc(y, score) == 7 / 8
    assert studies._auroc(y, score, ties=0) == 6 / 8
    answers = Answers(score > 0.5, score)
    assert studies._MEASURES["one threshold"](y, answers) == 3 / 4
    # 0.4 to 0.5 lie between the same two of the 13 thresholds, 1/3 and 1/2
    close = Answers(score > 0.5, np.array([0.45, 0.9, 0.4, 0.5]))
    assert studies._MEASURES["13 thresholds"](y, close) == (0.5 + 0.5 + 1 + 1) / 4


def test_the_study_of_the_base_has_the_models_of_the_main_experiment():
    found = studies.base_auroc_study().set_index(["learner", "dataset", "what"])["auroc"]
    rows = stored_main()
    for (learner, dataset), auroc in rows.items():
        assert found[learner, dataset, "as here"] == pytest.approx(auroc, abs=1e-6)


def stored_main() -> pd.Series:
    from minority_reports import paths

    rows = pd.read_csv(paths.committed_results() / "sampling_wrapper-main.csv")
    rows = rows.query("setting == 'base' and repeat == 0 and seed == 0")
    return rows.groupby(["method", "dataset"])["auroc"].mean()


def test_table_of_the_base():
    table = studies.base_auroc_table(studies.base_auroc_study())
    assert len(table.frame) == 14
    assert table.bold.sum(axis="columns").ge(1).all()
    assert not table.bold["published"].any()
    assert (
        table.frame.loc["RIPPER, Oil", "without Laplace"] != table.frame.loc["C4.5, Oil", "as here"]
    )
