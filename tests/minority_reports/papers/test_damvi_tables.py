"""The tables of DAMVI, on rows that are made up so that the answers are known."""

import damvi_rows
import numpy as np
import pandas as pd
import pytest

from minority_reports.experiments import Results, Settings
from minority_reports.papers.damvi import PAPER, tables
from minority_reports.papers.damvi.protocol import OFFLINE, REPEATED
from minority_reports.report import critical_difference


@pytest.fixture(scope="module")
def favourable():
    return damvi_rows.favourable()


@pytest.fixture(scope="module")
def nothing():
    return damvi_rows.nothing()


def test_table1_is_beside_the_published_one():
    frame = tables.table1().frame
    assert frame.loc["Mammography", ("rows", "difference")] == 0
    assert frame.loc["Scania (part)", ("rows", "published")] == 60000
    assert frame.loc["Webpage", ("% positives", "difference")] == pytest.approx(-0.21, abs=0.005)
    assert "PCT Data (simulated)" in frame.index


def test_comparison_shows_means_marks_and_published_values(favourable):
    table = tables.comparison(favourable["table23"], "f1")
    rows = favourable["table23"].rows
    chosen = rows[(rows["dataset"] == "webpage") & (rows["method"] == "damvi")]["f1"]
    shown = table.frame.loc["DAMVI", "Webpage"]
    assert shown["ours"] == chosen.mean()
    assert table.spread.loc["DAMVI", ("Webpage", "ours")] == chosen.std()
    assert shown["published"] == 0.7996
    assert table.bold.loc["DAMVI", ("Webpage", "ours")]
    assert table.italic.loc["R-BG", ("Webpage", "ours")]
    assert table.marks.loc["EE", ("Webpage", "ours")] == "↓"
    assert table.rule_above == "Uniform weights"
    assert set(table.frame.columns.get_level_values(1)) == {"ours", "published"}
    assert "all 390 runs" in table.caption
    assert table.to_html().count("border-top") == 1


def test_methods_of_ours_are_never_marked_as_best():
    boosted = damvi_rows.results_of(
        "table23", damvi_rows.scores("gradient-boosting"), sets=("mammography",)
    )
    table = tables.comparison(boosted, "ap")
    ours = ("Mammography", "ours")
    assert not table.bold.loc["Gradient boosting", ours]
    assert table.marks.loc["Gradient boosting", ours] == "↑"
    assert table.bold[ours].sum() == 1


def test_rank_sum_by_hand():
    """Five values all below five others: p = 2/252; one exchanged: 4/252; ..."""
    splits = pd.DataFrame(
        {
            "damvi": [6.0, 7, 8, 9, 10],
            "below": [1.0, 2, 3, 4, 5],
            "above": [11.0, 12, 13, 14, 15],
            "mixed": [5.5, 6.5, 7.5, 8.5, 9.5],
            "gaps": [np.nan] * 5,
        }
    )
    marks = tables.rank_sum_marks(splits)
    assert marks.to_dict() == {"damvi": "", "below": "↓", "above": "↑", "mixed": "", "gaps": ""}
    assert tables.rank_sum_marks(splits, alpha=2 / 253).eq("").all()
    assert tables.rank_sum_marks(splits, alpha=2 / 251)["below"] == "↓"


def test_arrows_are_beside_the_published_ones(favourable):
    """All of ours are down; the paper prints 45 of 45 in F1 and 37 of 45 in AP on these sets."""
    table = tables.arrows(favourable["table23"])
    assert table.frame.shape == (9, 10)
    assert "45 of 45 in F1 and 37 of 45 in AP" in table.caption
    assert table.frame.loc["R-BG", ("F1", "Protein Homo")] == "↓ / ↓"
    assert table.frame.loc["R-BG", ("AP", "Protein Homo")] == "– / ↓"
    assert table.bold.loc["R-BG", ("AP", "Protein Homo")]
    assert table.bold.to_numpy().sum() == 8
    better = tables.arrows(damvi_rows.adverse()["table23"])
    assert better.frame.loc["R-BG", ("F1", "Webpage")] == "↓ / ↑"
    assert better.bold.loc["R-BG", ("F1", "Webpage")]


def test_gaps_are_shown_and_incomplete_sets_not_ranked(favourable):
    table23 = favourable["table23"]
    rows = table23.rows[~((table23.rows["dataset"] == "webpage") & (table23.rows["fold"] == 4))]
    rows = rows[rows["dataset"] != "creditcard"]
    partial = Results(table23.experiment, rows, table23.planned)
    table = tables.comparison(partial, "f1")
    assert table.formatted().loc["DAMVI", ("Credit Fraud", "ours")] == "–"
    assert f"{6 * 65 - 65 - 13} of 390 runs" in table.caption
    assert not {"webpage", "creditcard", "simulated-pct"} & set(
        tables.mean_scores(partial, "f1").index
    )
    assert "mammography" in tables.mean_scores(partial, "f1").index


def test_differences_are_corrected_for_overlap(favourable):
    repeats = favourable["repeats"]
    one = (repeats.rows["dataset"] == "yeast5") & (repeats.rows["method"] == "damvi")
    first = np.tile([0.6, 0.8], 20)
    rows = repeats.rows.assign(f1=0.5)
    rows.loc[one, "f1"] = first
    frame = Results(repeats.experiment, rows, repeats.planned).gaps("f1", "damvi", "uniform")
    half = 2.0227 * np.sqrt((1 / 40 + 0.3 / 0.7) * first.var(ddof=1))
    assert frame.loc["yeast5"].tolist() == pytest.approx(
        [0.2, 0.2 - half, 0.2 + half, 40], abs=1e-4
    )


def test_verdict_over_sets(favourable):
    frame = tables.verdict_over_sets(favourable["repeats"]).frame
    line = frame.loc["F1, Uniform weights"]
    assert line["sets won"] == 13 == line["interval above 0"]
    assert line["mean difference"] == pytest.approx(0.2, abs=0.01)
    assert line["p"] == pytest.approx(2 / 2**13)
    assert line["p (Holm)"] == pytest.approx(5 * line["p"])


def test_means_over_sets(favourable):
    table = tables.means_over_sets(favourable["repeats"])
    assert table.frame.loc["BB", "recall"] == pytest.approx(2 / 3)
    assert table.frame.loc["BB", "precision"] == pytest.approx(2 / 5)
    assert table.frame.loc["DAMVI", "F1"] == pytest.approx(0.7, abs=1e-3)
    assert "13 sets" in table.caption
    with_stand_in = tables.means_over_sets(favourable["table23"])
    assert "17 sets" in with_stand_in.caption


def test_ablation_table(favourable):
    frame = tables.ablation_table(favourable["ablation"]).frame
    assert frame.loc["reweighting=vote", "F1"] == pytest.approx(0.6, abs=1e-3)
    assert frame.loc["weights=uniform", "voters with weight"] == 100
    assert frame.loc["weights=uniform", "p, AP"] == pytest.approx(2 / 2**13)
    assert np.isnan(frame.loc["reweighting=vote", "p, F1"])


def test_distinct_and_learners_and_seconds(favourable):
    frame = tables.distinct_table(favourable["distinct"]).frame
    line = frame.loc["Mammography, DAMVI", "F1"]
    assert line["change"] == line["distinct rows"] - line["all rows"]
    assert list(frame.columns.get_level_values(0).unique()) == ["F1", "AP"]
    frame = tables.learners_table(favourable["learners"]).frame
    assert frame.loc["Stump", "F1, DAMVI"] == pytest.approx(0.6)
    assert frame.loc["Stump", "AP, equal weights"] == pytest.approx(0.5)
    assert frame.loc["Stump", "voters"] == 9
    seconds = tables.seconds_table(favourable["table23"]).frame
    assert seconds.shape == (18, 13)


def test_tables_of_the_studies():
    key = {"dataset": "d", "classes": 3, "split": [0, 0, 1, 1]}
    weights = ["damvi", "uniform"] * 2
    study = pd.DataFrame(key | {"weights": weights, "macro_f1": [0.2, 0.5, 0.4, 0.7]}).assign(
        balanced_accuracy=0.5, accuracy=0.5, c_bound=[0.1, np.nan] * 2, n_voters=[7, 100, 8, 100]
    )
    shown = tables.multiclass_table(study).formatted()
    assert shown.loc["d (3 classes), DAMVI", "macro F1"] == "0.300"
    assert shown.loc["d (3 classes), equal weights"].tolist()[-2:] == ["–", "100"]
    study = pd.DataFrame({"dataset": "d", "split": [0, 1], "share": 0.1, "trained_on": "rows"})
    study = study.assign(f1=[0.2, 0.4], ap=0.5, precision=0.3, recall=0.9)
    assert tables.pseudo_label_table(study).frame.loc["d, 10%: rows", "F1"] == pytest.approx(0.3)


def test_everything_is_shown_without_rows(nothing):
    for measure in ("f1", "ap"):
        assert "0 of 390 runs" in tables.comparison(nothing["table23"], measure).caption
        assert tables.comparison(nothing["table23"], measure, ["yeast5"]).to_html()
    assert "0 of 0 in F1" in tables.arrows(nothing["table23"]).caption
    assert tables.with_reading(nothing["table23"], nothing["table23"], "other").to_html()
    for table in (
        tables.verdict_over_sets(nothing["repeats"]),
        tables.means_over_sets(nothing["repeats"]),
        tables.ablation_table(nothing["ablation"]),
        tables.distinct_table(nothing["distinct"]),
        tables.learners_table(nothing["learners"]),
        tables.seconds_table(nothing["table23"]),
    ):
        assert "(0 of " in table.caption
        assert table.to_html()


def test_further_sets_of_a_selection():
    assert tables.further_sets(Settings(PAPER)) == list(OFFLINE)
    assert tables.further_sets(Settings(PAPER, datasets="glass2, webpage")) == ["glass2"]


def test_an_added_method_is_behind_those_of_the_paper(favourable):
    table23, repeats = (damvi_rows.with_mine(favourable[k]) for k in ("table23", "repeats"))
    for measure in ("f1", "ap"):
        table = tables.comparison(table23, measure)
        assert table.frame.index[-1] == "Mine"
        before = tables.comparison(favourable["table23"], measure)
        pd.testing.assert_frame_equal(table.frame.drop("Mine"), before.frame)
        assert not table.bold.loc["Mine"].any() and not table.italic.loc["Mine"].any()
        assert table.marks.loc["Mine", ("Webpage", "ours")] == "↑"
    assert list(tables.verdict_over_sets(repeats).frame.index)[5::6] == ["F1, Mine", "AP, Mine"]
    means = tables.means_over_sets(repeats).frame
    assert means.index[-1] == "Mine" and means.loc["Mine", "F1"] == pytest.approx(0.9, abs=1e-3)
    assert tables.seconds_table(table23).frame.columns[-1] == "Mine"
    ranked = table23.comparable(tables.COMPETITORS)
    assert ranked == [*tables.COMPETITORS, "mine"]
    _, ranks = critical_difference(tables.mean_scores(table23, "f1", ranked), table23.labels)
    assert ranks["label"].iloc[0] == "Mine"


def test_an_added_method_takes_no_data_sets_from_a_comparison(favourable):
    """With a fold missing it is shown in the table, and the others are compared without it."""
    mine = damvi_rows.with_mine(favourable["repeats"])
    lacks = (mine.rows["method"] == "mine") & (mine.rows["dataset"] == "yeast5")
    part = Results(mine.experiment, mine.rows[~(lacks & (mine.rows["fold"] == 3))], mine.planned)
    assert part.comparable(REPEATED) == list(REPEATED)
    assert "13 sets" in tables.means_over_sets(part).caption
    assert "13 real sets" in tables.verdict_over_sets(part).caption
