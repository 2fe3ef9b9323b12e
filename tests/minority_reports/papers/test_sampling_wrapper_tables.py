"""Tables of the sampling wrapper, on made-up rows with known answers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sampling_wrapper_rows import (
    EXPERIMENTS,
    everything,
    nothing,
    whole_main,
    with_own_learner,
)

from minority_reports.papers.sampling_wrapper import tables


def test_costs_by_hand():
    frame = tables.costs(whole_main(), 10)
    assert frame.loc[("c45", "oil"), "wrapper-auroc"] == 10 * (10 * 1 + 10)
    assert frame.loc[("ripper", "oil"), "base"] == 10 * (10 * 4.25 + 10)
    uncut = tables.costs(whole_main(), 10, cut=False)
    assert uncut.loc[("c45", "oil"), "base"] == 10 * (10 * 5 + 3)
    assert list(frame) == list(EXPERIMENTS["main"].settings)


def test_envelope_by_hand():
    curve = tables.envelopes(whole_main())["c45", "oil", "base"]
    # one point, (0.1, 0.8), and the trivial ones
    np.testing.assert_allclose(curve.fpr, [0, 0.1, 1])
    np.testing.assert_allclose(curve.tpr, [0, 0.8, 1])
    assert curve.at(0.5) == pytest.approx(0.15)


def test_table1_has_a_gap_for_compustat():
    frame = tables.table1().frame
    assert pd.isna(frame.loc["Compustat", ("examples", "ours")])
    assert frame.loc["Compustat", ("examples", "published")] == 13616
    assert frame.loc["Phoneme", ("class balance", "ours")] == "71:29"
    assert frame.loc["E-State", ("minority", "ours")] == 636
    assert len(frame) == 8


@pytest.mark.parametrize("learner", ["c45", "ripper"])
def test_tables_2_and_3(learner):
    table = tables.table23(whole_main(), learner)
    assert len(table.frame) == 21
    line = table.frame.loc["Mammo. / AUROC"]
    known = {"c45": (720, 0.619, 0.907), "ripper": (240, 0.675, 0.874)}[learner]
    columns = [("SMOTE, %", "published"), ("F", "published"), ("AUROC", "published")]
    assert tuple(line[columns]) == known
    assert line["errors of 50 folds / 10", "ours"] == pytest.approx((9 + 3) * 5)
    assert "?" in table.formatted().loc["Oil / AUROC", ("removed, %", "published")]
    assert pd.isna(table.frame.loc["Oil / Base", ("SMOTE, %", "ours")])


def test_table_a1_adds_up_five_passes():
    frame = tables.table_a1(whole_main()).frame
    assert len(frame) == 32
    assert frame.loc["Oil / AUROC thresholded", ("20:1", "ours")] == 5 * 10 * (20 * 1 + 10)
    assert frame.loc["Page / AUROC unthresholded", ("20:1", "ours")] == 5 * 10 * (20 * 9 + 3)
    assert frame.loc["Compu. / AUROC thresholded", ("20:1", "published")] == 6025
    assert pd.isna(frame.loc["Compu. / AUROC thresholded", ("20:1", "ours")])


def test_tables_of_kdd():
    table = tables.table6(everything()["kdd"])
    assert len(table.frame) == 8 + 12
    assert "NOT comparable" in table.caption
    assert table.frame.loc["RIPPER, Training Data 2, wrapper-f", "SMOTE, %"] == "u2r 100, r2l 0"
    assert "25 of 25" in tables.table5().caption
    confusion = tables.kdd_confusion(everything()["kdd"], "c45", "training=1,f1").frame
    assert confusion.to_numpy().sum() == 5 * 10 + 20


def test_timing_table():
    results = everything()
    frame = tables.timing_table(results["timing"], results["main"]).frame
    assert frame.loc["Oil", ("C4.5", "ours")] == pytest.approx(0.41)
    assert frame.loc["Oil", ("C4.5", "ours, all schemes")] == 2
    assert frame.loc["Average", ("C4.5", "published")] == pytest.approx(1214.25)
    assert pd.isna(frame.loc["Compustat", ("RIPPER", "ours")])


def test_study_tables():
    results = everything()
    rivals = tables.rivals_table(results["rivals"]).frame
    assert rivals.loc["Wrapper-AUROC at p*", "cost at 10:1"] == pytest.approx(31 / 51)
    assert rivals.loc["C4.5 at p*", "cost at 2:1"] == 1
    assert tables.margin_table(results["margin"]).frame["SMOTE, %"].iloc[0] == 200
    assert tables.oil_table(results["main"], results["oil"]).frame.shape == (20, 5)
    assert tables.smote_table(results["smote"]).frame.shape == (7, 6)
    saved = tables.stability(results["stability"])
    assert saved.loc[("c45", "oil"), "saving_cut"] == pytest.approx(1 - 1 / 3)
    assert saved.loc[("c45", "oil"), "saving"] == pytest.approx(0.75)
    assert len(tables.stability_table(results["stability"]).frame) == 5


def test_tables_of_levels():
    results = everything()
    frame = tables.levels_table(results["levels"], results["main"], "c45").frame
    line = frame.loc["Mammo. / AUROC"]
    assert line["SMOTE, %"].tolist() == [200, 400, 720]
    assert line["F"].tolist() == pytest.approx([0.475, 0.7, 0.7, 0.619])
    frame = tables.level_costs(results["levels"], results["main"], "c45").frame
    assert frame.loc["MetaCost", "10:1"] == pytest.approx((3.5 * 10 + 10) / (4 * 10 + 10))
    assert frame.loc["Wrapper-f, any gain", "10:1"] == pytest.approx(22 / 50)


def test_findings_come_from_the_published_numbers():
    text = tables.findings().frame["but"]
    assert "71:29" in text["Table 1, Phoneme"]
    assert "13 of 16" in text["Table A1 at 1:1"]
    assert text["Tables 2 and A1"].endswith("Phoneme and Satimage")
    assert "Satimage (C4.5)" in text["Base has the lowest cost at 1:1"]
    assert "32.75" in text["Table 4, RIPPER distributed"]
    impossible = tables.impossible_levels()
    assert any(line.startswith("Segment f-meas (C4.5") for line in impossible)
    assert any(line.startswith("Page AUROC (C4.5") for line in impossible)
    assert not any(line.startswith(("Oil", "E-State")) for line in impossible)


def test_all_learners_in_all_schemes():
    table = tables.schemes_table(whole_main())
    assert list(table.frame.index.levels[0]) == ["C4.5", "RIPPER"]
    assert len(table.frame) == 2 * 9
    line = table.frame.loc["C4.5", "Wrapper-AUROC"]
    assert line["AUROC"] == pytest.approx(0.86)
    assert line["cost at 10:1"] == pytest.approx((10 * 1 + 10) / (10 * 4 + 10))
    assert "7 of 7 data sets" in table.caption and "of both learners" in table.caption
    assert tables.schemes_table(nothing()["main"]).frame.empty


def test_a_learner_of_ones_own_is_in_the_table_of_learners():
    table = tables.schemes_table(with_own_learner())
    assert list(dict.fromkeys(table.frame.index.get_level_values(0))) == ["C4.5", "RIPPER", "Mine"]
    assert table.frame.loc[("Mine", "Base"), "AUROC"] == pytest.approx(0.99)
    assert "2 of 7 data sets" in table.caption and "of all learners" in table.caption
    # one without rows takes none from the others
    results = with_own_learner()
    of_paper = results.rows[results.rows["method"] != "mine"]
    table = tables.schemes_table(replace(results, rows=of_paper, _kept={}))
    assert table.frame.equals(tables.schemes_table(whole_main()).frame)


@pytest.mark.parametrize("learner", ["c45", "ripper"])
def test_the_papers_tables_have_a_learner_of_ones_own_beside_theirs(learner):
    added = with_own_learner()
    frame = tables.table23(added, learner).frame
    is_mine = frame.columns.get_level_values(1) == "Mine"
    assert frame.loc[:, ~is_mine].equals(tables.table23(whole_main(), learner).frame)
    assert frame.loc["Page / Base", ("AUROC", "Mine")] == pytest.approx(0.99)
    assert frame.loc["Segment / Base", is_mine].isna().all()
    assert "Mine" not in str(tables.oil_table(added, everything()["oil"]).frame)
    table = tables.cost_table(added, "mine", 10)
    assert list(table.frame.index) == ["Page", "Oil"]
    assert "with Mine" in table.caption


def test_cluster_table_compares_with_the_first_line():
    index = pd.Index(["in turn", "Dask, 2 workers"], name="way")
    study = pd.DataFrame({"seconds": [6.0, 4.0], "dataset": "segment", "tasks": 20}, index=index)
    table = tables.cluster_table(study)
    assert table.frame["times faster"].tolist() == [1.0, 1.5]
    assert table.caption.startswith("20 folds of wrapper-AUROC on segment, measured once")


def test_costs_are_computed_once():
    results = whole_main()
    assert tables.costs(results, 10) is tables.costs(results, 10)
