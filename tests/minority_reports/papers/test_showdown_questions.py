"""The two questions of the field: their tables, figures and sentences follow from the rows."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import showdown_rows
from showdown_rows import SETS, with_rows

from minority_reports.experiments import Results
from minority_reports.experiments.results import without_seed
from minority_reports.papers.showdown import PAPER, questions
from minority_reports.papers.showdown.resampling import LEARNERS, SCHEMES

MEASURES = ("g_mean", "g_mean_tuned", "auroc", "average_precision", "brier", "calibration_error")


def rows_of(name, values, methods=None, sets=SETS):
    """Rows of an experiment; `values(setting)` are the measures' means on every data set."""
    experiment = PAPER.experiments[name]
    tasks = experiment.tasks(datasets=sets, methods=methods)
    keys = experiment.keys(tasks, lambda _: "")
    number = keys["dataset"].map({name: i for i, name in enumerate(sets)})
    rows = keys.assign(
        **{
            measure: keys["setting"].map(lambda s, m=measure: values(s)[m]) + 0.002 * (number % 7)
            for measure in MEASURES
        },
        overlap=0.5,
        status="ok",
        message="",
    )
    return Results(experiment, rows, len(rows), selected=without_seed(tasks))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def resampled(auroc):
    """Balancing raises the G-mean at one half and the calibration error; AUROC as is said."""

    def values(setting):
        balanced = setting != "none"
        return dict.fromkeys(MEASURES, 0.8) | {
            "auroc": 0.9 + balanced * auroc,
            "g_mean": 0.6 + 0.2 * balanced,
            "calibration_error": 0.05 + 0.1 * balanced,
        }

    return rows_of("resampling", values)


def test_resampling_that_only_moves_the_threshold_is_called_so():
    text = questions.resampling_answer(resampled(auroc=0.001))
    n = len(LEARNERS) * 4
    assert f"in 0 of {n} cases, practically equivalent in {n} and lower in 0" in text
    assert f"the G-mean is higher in {n} of {n} (+0.200)" in text
    assert f"it is higher in 0, practically equivalent in {n}" in text
    assert f"higher by more than 0.01 in {n} of {n} and lower in 0 (+0.100)" in text
    text = questions.resampling_answer(resampled(auroc=0.05))
    assert f"in {n} of {n} cases, practically equivalent in 0 and lower in 0 (mean" in text
    assert "+0.050" in text


def test_resampling_table_and_figure():
    result = resampled(auroc=0.05)
    frame = questions.resampling_table(result).frame
    assert len(frame) == len(LEARNERS) * len(SCHEMES)
    line = frame.loc["CART", "SMOTE"]
    assert line["mean", "AUROC"] == pytest.approx(
        0.95 + 0.002 * np.mean([i % 7 for i in range(28)])
    )
    assert line["AUROC against none", "difference"] == pytest.approx(0.05)
    assert line["AUROC against none", "P(better)"] == 1
    assert frame.loc[("CART", "none"), "AUROC against none"].isna().all()
    _, data = questions.resampling_figure(result)
    of = data[(data["measure"] == "calibration_error") & (data["learner"] == "CART")]
    assert of[["difference", "low", "high"]].to_numpy() == pytest.approx(0.1)
    assert len(data) == 4 * 4 * len(LEARNERS)


def test_a_learner_that_is_not_complete_is_left_out():
    result = resampled(auroc=0.05)
    rows = result.rows
    part = with_rows(
        result, rows[~(rows["method"].eq("cart") & rows["dataset"].eq("pima") & rows["fold"].eq(2))]
    )
    table = questions.resampling_table(part)
    assert "CART" not in table.frame.index.get_level_values(0)
    assert "1 method not complete and left out" in table.caption


def thresholded(gain):
    def values(setting):
        return dict.fromkeys(MEASURES, 0.7) | {"g_mean": 0.7 + (setting == "tuned") * gain}

    return rows_of("thresholds", values, methods=["rlsd", "logistic", "damvi"])


def test_what_a_threshold_is_worth():
    table = questions.thresholds_table(thresholded(0.1))
    frame = table.frame
    assert set(frame.index) == {"RLSD", "Logistic regression", "DAMVI"}
    assert frame["gain", "mean"].to_numpy() == pytest.approx(0.1)
    assert (frame["gain", "P(better)"] == 1).all()
    assert frame["at any threshold", "overlap"].to_numpy() == pytest.approx(0.5)
    assert "raises the G-mean of 3 of 3 methods" in questions.thresholds_answer(thresholded(0.1))
    text = questions.thresholds_answer(thresholded(-0.1))
    assert "raises the G-mean of 0 of 3" in text and "lowers that of 3" in text
    assert "changes nothing in practice for 3" in questions.thresholds_answer(thresholded(0.001))
    _, data = questions.thresholds_figure(thresholded(0.1))
    assert data["chosen"].to_numpy() == pytest.approx(data["own"].to_numpy() + 0.1)


def test_nothing_is_claimed_without_rows():
    for name in ("resampling", "thresholds"):
        some = resampled(0.0) if name == "resampling" else thresholded(0.0)
        none = Results(some.experiment, some.rows.iloc[:0], 10, selected=some.selected)
        table, answer, figure = (
            getattr(questions, f"{name}_{what}") for what in ("table", "answer", "figure")
        )
        assert table(none).frame.empty
        assert answer(none).startswith("Too few")
        assert figure(none)[1].empty
    results = {"defaults": showdown_rows.nothing("defaults")}
    assert questions.readability_answer(results).startswith("Too few")
    assert questions.readability_table(results).frame.empty


def test_the_best_within_a_budget_is_beaten_by_nothing_that_keeps_to_it():
    result = showdown_rows.made()
    rng = np.random.default_rng(3)
    rows = result.rows
    size = dict(zip(rows["method"].unique(), rng.integers(2, 60, 12), strict=True))
    noisy = rows["g_mean"] + rng.normal(0, 0.05, len(rows))
    results = {
        "defaults": with_rows(
            result, rows.assign(g_mean=noisy, conditions=rows["method"].map(size).astype(float))
        )
    }
    frame = questions.best_within(results)
    from minority_reports.papers.showdown.tables import mean_ranks, scores, sizes

    ranks, conditions = (
        mean_ranks(scores(results, "defaults"), "g_mean"),
        sizes(results, "defaults"),
    )
    for allowed, line in frame.iterrows():
        most = np.inf if allowed == "any number" else int(allowed.split()[-1])
        assert conditions[line["method"]] <= most
        assert line["mean rank"] == ranks[conditions <= most].min()
    assert frame.iloc[-1][["difference", "P(worse)"]].isna().all()
    others = frame[frame["method"] != frame["method"].iloc[-1]]
    assert others[["P(worse)", "P(equivalent)", "P(better)"]].sum(axis=1).to_numpy() == (
        pytest.approx(1)
    )


def test_what_is_likely_is_said_with_its_probability():
    line = {"P(worse)": 0.1, "P(equivalent)": 0.88, "P(better)": 0.02}
    assert questions.likely(line) == "practically equivalent with probability 0.88"
    assert questions.likely(pd.Series(line) * [9, 0.1, 1]) == "worse with probability 0.90"
