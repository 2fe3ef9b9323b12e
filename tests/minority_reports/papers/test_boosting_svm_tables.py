"""Tables of Boosting-SVM, on rows made up so that the answers are known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from boosting_svm_worlds import EXPERIMENTS, with_added, with_rows, without_rows, world_of

from minority_reports.experiments import Results
from minority_reports.papers.boosting_svm import tables
from minority_reports.papers.boosting_svm.protocol import MORE, PUBLIC, SHARES, STAND_INS
from minority_reports.report import critical_difference


@pytest.fixture(scope="module")
def claimed():
    return world_of("claimed")


@pytest.fixture(scope="module")
def nothing():
    return without_rows()


def test_scores_average_levels_and_leave_gaps(claimed):
    main = claimed["main"]
    rows = main.rows[main.rows["setting"] == SHARES[0]]
    of = rows[rows["method"].str.fullmatch(r"smote-\d+") & (rows["dataset"] == "letter")]
    found = tables.scores(main)
    assert found.loc["letter", "VI"] == pytest.approx(100 * of["g_mean"].mean())
    lost = (main.rows["method"] == "smote-300") & (main.rows["fold"] == 2)
    lost &= main.rows["dataset"] == "letter"
    part = Results(EXPERIMENTS["main"], main.rows[~lost], planned=main.planned)
    found = tables.scores(part)
    assert np.isnan(found.loc["letter", "VI"]) and found.loc["letter"].isna().sum() == 1
    assert tables.pooled_scores(part).loc["letter"].isna().sum() == 1


def test_nearness_is_counted_in_folds_of_the_public_sets(claimed):
    frame = tables.nearness_table(claimed["main"]).frame
    assert list(frame.index) == [tables.LABELS[c] for c in tables.COLUMNS if c != "B-SVM"]
    # B-SVM and AdaCost on the same rows: the one in the place of the other
    rows = claimed["main"].rows
    one = (rows["method"] == "b-svm") & (rows["dataset"] == "glass7") & (rows["fold"] < 4)
    other = rows[(rows["method"] == "adacost") & (rows["dataset"] == "glass7")]
    changed = rows.copy()
    changed.loc[one, "g_mean"] = other.loc[other["fold"] < 4, "g_mean"].to_numpy()
    found = tables.nearness_table(with_rows(claimed["main"], changed)).frame
    gained = found["folds with the same G-mean"] - frame["folds with the same G-mean"]
    assert gained["I AdaCost"] == 4 and gained.drop("I AdaCost").max() <= 0


def test_pooled_against_counts(claimed):
    main = claimed["main"]
    rows = main.rows[(main.rows["method"] == "b-svm") & (main.rows["setting"] == SHARES[0])]
    counts = rows[rows["dataset"] == "glass7"][["tp", "fp", "fn", "tn"]].sum()
    expected = np.sqrt(
        counts["tp"] / (counts["tp"] + counts["fn"]) * counts["tn"] / (counts["tn"] + counts["fp"])
    )
    found = tables.pooled_scores(main).loc["glass7", "B-SVM"]
    assert found == pytest.approx(100 * expected)


def test_tables_2_to_7(claimed):
    table = tables.gmean_table(claimed["main"], columns=tables.SVM_BASED, title="Table 3")
    assert list(table.frame) == ["V", "VI", "VII", "VIII", "B-SVM"]
    assert list(table.frame.index) == [*PUBLIC, *STAND_INS, tables.MEAN]
    # on Glass and Segment the best is in the other table
    assert table.bold.index[~table.bold["B-SVM"]].tolist() == ["glass7", "segment"]
    assert not table.bold["VII"].any()
    assert table.italic.loc["simulated-lupus-1", "V"] and not table.italic.loc["glass7", "V"]
    mean = table.frame.loc[list(PUBLIC), "VII"].mean()
    assert table.frame.loc[tables.MEAN, "VII"] == pytest.approx(mean)
    other = tables.gmean_table(claimed["main"], columns=tables.ENSEMBLES, title="Table 2")
    assert other.bold.loc["glass7", "I"] and other.bold.loc["segment", "IV"]
    assert other.bold.sum(axis=None) == 2


def test_table_1_and_8_show_what_survives(claimed):
    frame = tables.table1().frame
    lupus = frame.loc["simulated-lupus-1"]
    assert lupus["n", "ours"] == lupus["n", "published"] == 3839
    assert pd.isna(frame.loc["glass7", ("n", "published")])
    frame = tables.table8(claimed["main"]).frame
    assert frame.loc["published mean of 12"].tolist() == [21.6, 14.5, 12.53]
    assert frame.loc["simulated-lupus-1", "IV"] == pytest.approx(21.6)
    assert frame.loc["public sets, of 9, with more than B-SVM", "VII"] == 9
    text = tables.survivors(claimed["main"]).frame
    assert text.loc["mean G-mean of B-SVM", "published, 12"] == "77.01"
    assert text.loc["sets where B-SVM is best", "ours, 9 public"] == "7 of 9"


def all_tables(results):
    main, more = results["main"], results["more"]
    return [
        tables.gmean_table(main, title="Table 2"),
        tables.gmean_table(more, columns=tables.COLUMNS, names=MORE, title="More"),
        tables.gmean_table(main, columns=tables.FURTHER_COLUMNS, title="Further"),
        tables.table8(main),
        tables.survivors(main),
        tables.averaging_table(main),
        tables.nearness_table(main),
        tables.same_rows_table(main),
        tables.components_table(main, results["trees"]),
        tables.rivals_table(main, PUBLIC, title="Public sets"),
        tables.rounds_table(main),
        tables.kernels_table(results["kernels"]),
        tables.steps_table(results["steps"]),
        tables.imbalance_table(results["imbalance"]),
    ]


def test_tables_say_how_complete_they_are(claimed, nothing):
    assert "all 8,060 runs" in all_tables(claimed)[0].caption
    for full, empty in zip(all_tables(claimed), all_tables(nothing), strict=True):
        assert "<table" in full.to_html() and "<table" in empty.to_html()
        assert "0 of " in empty.caption
        numbers = empty.frame.drop(
            index=["published mean of 12", "published, of 12"], errors="ignore"
        )
        assert numbers.select_dtypes("number").isna().all(axis=None)


def test_rivals_table(claimed):
    frame = tables.rivals_table(claimed["main"], PUBLIC, title="Public sets").frame
    lost = frame["sets lost"]
    assert lost[lost > 0].to_dict() == {"I": 1, "IV": 1}  # on Glass and on Segment
    assert (frame["sets won"] + lost == 9).all()
    assert frame.loc["VII", "mean difference"] > 0
    # Of nine sets all won, p is 2 / 2^9; eight methods above the line, seven below it.
    np.testing.assert_allclose(frame["p (Holm)"], [8 / 256] * 8 + [7 / 256] * 7)


def test_rivals_table_leaves_out_readings_with_gaps_and_sets_without_a_rival(claimed):
    rows = claimed["main"].rows
    gap = (rows["method"] == "wrf-sklearn") & (rows["dataset"] == "letter")
    lost = (rows["method"] == "wrf") & (rows["dataset"] == "segment")
    main = Results(EXPERIMENTS["main"], rows[~gap & ~lost], planned=len(rows))
    frame = tables.rivals_table(main, PUBLIC, title="Public sets").frame
    assert (frame["sets won"] + frame["sets lost"] == 8).all()
    assert "III, scikit-learn" not in frame.index and "I, asymmetric" in frame.index


def test_an_added_method_is_in_the_main_tables_behind_those_of_the_paper(claimed):
    main = with_added(claimed["main"], PUBLIC)
    table = tables.gmean_table(main, columns=tables.SVM_BASED, title="Table 3")
    assert list(table.frame) == [*tables.SVM_BASED, "Mine"]
    assert (table.frame.loc[[*PUBLIC, tables.MEAN], "Mine"] == 100).all()
    of_paper = tables.gmean_table(claimed["main"], columns=tables.SVM_BASED, title="Table 3")
    assert not table.bold["Mine"].any()
    pd.testing.assert_frame_equal(table.bold[list(tables.SVM_BASED)], of_paper.bold)
    pd.testing.assert_frame_equal(table.frame[list(tables.SVM_BASED)], of_paper.frame)
    ensembles = tables.gmean_table(main, columns=tables.ENSEMBLES, title="Table 2")
    assert list(ensembles.frame) == list(tables.ENSEMBLES)
    assert tables.same_rows_table(main).frame.index[-1] == "Mine"
    frame = tables.rivals_table(main, PUBLIC, title="Public sets").frame
    assert frame.index[-1] == "Mine" and frame.loc["Mine", "sets lost"] == 9
    # alone in its family, and no other p value moves
    assert frame.loc["Mine", "p (Holm)"] == frame.loc["Mine", "p"]
    of_paper = tables.rivals_table(claimed["main"], PUBLIC, title="Public sets").frame
    pd.testing.assert_frame_equal(frame.iloc[:-1], of_paper)
    assert list(tables.imbalance_table(with_added(claimed["imbalance"], PUBLIC)).frame)[-1] == (
        "Mine",
        "10%",
    )


def test_an_added_method_is_ranked_where_it_is_complete(claimed):
    main, more = with_added(claimed["main"], PUBLIC), claimed["more"]
    _, ranks = critical_difference(tables.ranked((main, PUBLIC)), tables.LABELS)
    assert ranks["label"].iloc[0] == "Mine" and len(ranks) == 10
    assert list(tables.ranked((main, PUBLIC), (more, MORE))) == list(tables.COLUMNS)
    both = tables.ranked((main, PUBLIC), (with_added(more, MORE), MORE))
    assert list(both) == [*tables.COLUMNS, "Mine"] and len(both) == 19
    assert list(tables.ranked((with_added(claimed["main"], PUBLIC[1:]), PUBLIC))) == list(
        tables.COLUMNS
    )
    expected = tables.scores(claimed["main"]).reindex(PUBLIC)
    pd.testing.assert_frame_equal(tables.ranked((claimed["main"], PUBLIC)), expected)
    plt.close("all")


def test_an_added_method_hides_none_of_the_paper_and_is_in_no_sentence_about_it(claimed):
    named_alike = with_added(claimed["main"], PUBLIC, label="SVM")
    frame = tables.rivals_table(named_alike, PUBLIC, title="Public sets").frame
    assert frame.loc["SVM", "sets won"] == 9 and frame.loc["SVM (added)", "sets lost"] == 9
    main = with_added(claimed["main"], PUBLIC)
    assert tables.rounds_table(main).caption.endswith("did not converge: 0.")
    for table in (
        tables.survivors,
        tables.table8,
        tables.averaging_table,
        tables.nearness_table,
        tables.rounds_table,
    ):
        pd.testing.assert_frame_equal(table(main).frame, table(claimed["main"]).frame)
