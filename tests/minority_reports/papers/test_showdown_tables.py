"""Tables of the showdown, on rows made up so that the answers are known."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import showdown_rows
from scipy import stats
from showdown_rows import (
    FACTS,
    LABELS,
    SETS,
    WITHOUT_PROBABILITIES,
    changed,
    made,
    nothing,
    without,
)
from sklearn.tree import DecisionTreeClassifier

from minority_reports.experiments import Method, Settings
from minority_reports.papers.showdown import PAPER, figures, tables
from minority_reports.papers.showdown.protocol import CONTESTANTS, KEEL, LARGE, METRICS
from minority_reports.papers.showdown.recommendations import advice


@pytest.fixture(scope="module")
def both():
    return showdown_rows.both()


@pytest.fixture(scope="module")
def untuned():
    return showdown_rows.untuned()


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_coverage_counts_sets_folds_and_keys():
    results = {
        "defaults": made(sets=(*KEEL[:3], LARGE[0]), folds=(0, 1)),
        "tuned": made(setting="tuned", sets=KEEL[:2], methods=["rlsd"], folds=(0,)),
    }
    frame = tables.coverage_table(results, Settings(PAPER)).frame
    n, tuned, made_up = len(CONTESTANTS), len(PAPER.experiments["tuned"].methods), len(LABELS)
    assert frame.to_dict("split")["data"] == [
        [len(KEEL), 3, 10, 0, 2, len(KEEL) * 10 * n, 3 * 2 * made_up],
        [len(LARGE), 1, 10, 0, 2, len(LARGE) * 10 * n, 2 * made_up],
        [len(KEEL), 2, 10, 0, 1, len(KEEL) * 10 * tuned, 2],
        [len(LARGE), 0, 10, 0, 0, len(LARGE) * 10 * tuned, 0],
    ]
    asked = Settings(PAPER, datasets=",".join(KEEL[:2]), methods="rlsd", repeats=1, folds=2)
    frame = tables.coverage_table(results, asked).frame
    assert list(frame.index) == ["KEEL's and own sets, defaults", "KEEL's and own sets, tuned"]
    assert frame.loc["KEEL's and own sets, tuned"].tolist() == [2, 2, 2, 1, 1, 4, 2]


def test_scores_are_means_over_sets_that_all_have_complete(untuned):
    part = without(
        untuned,
        lambda r: (
            (r["dataset"].eq("pima") & r["method"].eq("rlsd") & r["fold"].eq(0))
            | (r["dataset"].eq("iris0") & r["method"].eq("damvi"))
        ),
    )
    found = tables.scores(part, "defaults")
    assert list(found) == list(LABELS.values())
    assert list(found.index) == [name for name in SETS if name not in ("pima", "iris0")]
    rows = part["defaults"].rows.set_index(["dataset", "method", "fold"])["g_mean"]
    for method, label in LABELS.items():
        mean = np.mean([rows["glass1", method, fold] for fold in (0, 1)])
        assert found.loc["glass1", label] == pytest.approx(mean)
    text = tables.basis(part, "defaults")
    assert text.startswith(
        "26 data sets on which all methods are complete, 52 folds, 2 sets left out"
    )
    assert text.endswith("669 of 1,344 runs")


def test_a_set_with_a_fold_stopped_without_result_counts_for_nobody(untuned):
    part = changed(
        untuned,
        lambda r: r["dataset"].eq("pima") & r["method"].eq("exact-boxes") & r["fold"].eq(1),
        **{"g_mean": np.nan, "status": "time limit"},
    )
    found = tables.scores(part, "defaults")
    assert list(found.index) == [name for name in SETS if name != "pima"]
    assert list(found) == list(LABELS.values())
    assert tables.costs_table(part, "defaults").frame.loc["Exact Boxes", "folds cut off"] == 1


def test_larger_sets_are_apart_and_own_ones_are_not():
    results = {"defaults": made(sets=("glass1", "satimage", "mine")), "tuned": nothing("tuned")}
    assert list(tables.scores(results, "defaults").index) == ["glass1", "mine"]
    frame = tables.sets_table(results, "defaults").frame
    assert list(frame.index) == ["glass1", "mine", tables.MEAN]
    assert frame.loc["glass1", "positives"] == FACTS.loc["glass1", "positives"]
    assert pd.isna(frame.loc["mine", "positives"]) and pd.isna(frame.loc["mine", "imbalance"])
    assert frame.loc[tables.MEAN, "RLSD"] == pytest.approx(
        frame.loc[["glass1", "mine"], "RLSD"].mean()
    )
    large = tables.large_table(results).frame
    assert list(large.index) == list(LARGE)
    assert large["RLSD"].notna().tolist() == [name == "satimage" for name in LARGE]


def test_a_lower_brier_score_is_better(untuned):
    values = tables.scores(untuned, "defaults", "brier")
    assert not set(values) & {LABELS[name] for name in WITHOUT_PROBABILITIES}
    ranks = tables.mean_ranks(values, "brier")
    assert ranks.idxmin() == "Gradient boosting" == values.mean().idxmin()
    table = tables.sets_table(untuned, "defaults", "brier")
    assert table.bold["Gradient boosting"].all() and table.bold.sum(axis=None) == len(SETS) + 1
    standings = tables.standings_table(untuned, "defaults")
    assert standings.bold["Brier score"].idxmax() == "Gradient boosting"
    assert standings.formatted().loc["DAMVI", "Brier score"] == "–"
    frame = tables.differences_table(untuned, "defaults", "brier").frame
    assert frame.index[0] == "Gradient boosting" and (frame["difference"].iloc[1:] < 0).all()
    _, data = figures.rank_diagram(untuned, "defaults", "brier")
    assert data["label"].iloc[0] == "Gradient boosting"
    _, data = figures.wins_matrix(untuned, "defaults", "brier")
    assert (data.loc[data["contestant"] == "Gradient boosting", "wins"] == len(SETS)).all()


def test_standings(untuned):
    part = changed(
        untuned,
        lambda r: r["method"].eq("rusboost") & r["dataset"].isin(SETS[:3]) & r["fold"].eq(0),
        **dict.fromkeys(METRICS, 0.0) | {"failed": 1.0, "brier": np.nan},
    )
    table = tables.standings_table(part, "defaults")
    frame = table.frame
    assert list(frame.index[:3]) == ["Gradient boosting", "Wrapper, C4.5", "Logistic regression"]
    assert frame["mean rank"].is_monotonic_increasing and frame["mean rank"].iloc[0] == 1
    costs = tables.costs_table(part, "defaults").frame
    assert costs.loc["RUSBoost", "folds failed"] == 3 and costs["folds failed"].sum() == 3
    values = tables.scores(part, "defaults")["RUSBoost"]
    assert frame.loc["RUSBoost", "G-mean"] == pytest.approx(values.mean())
    whole = tables.scores(untuned, "defaults")["RUSBoost"]
    np.testing.assert_allclose((whole - values)[:3], (whole[:3] - 0.005) / 2)
    assert costs.loc["Wrapper, C4.5", ["fit, s", "fit, MB", "rules", "conditions"]].tolist() == [
        0.5,
        6,
        11,
        40,
    ]
    assert frame.loc["Wrapper, C4.5", "conditions"] == 40
    for text in METRICS.values():
        assert table.bold.index[table.bold[text]].tolist() == ["Gradient boosting"]
    assert "28 data sets on which all methods are complete, 56 folds" in table.caption
    assert "672 of 1,344 runs" in table.caption


def test_costs_of_other_keys_do_not_count(untuned):
    """Timings hold what other seeds and selections cost as well."""
    result = untuned["defaults"]
    other = result.timings.assign(seed=7, fit_s=1e6)
    timings = pd.concat([result.timings, other], ignore_index=True)
    more = replace(result, timings=timings, _kept={})
    found = tables.costs_table({"defaults": more}, "defaults").frame
    pd.testing.assert_frame_equal(found, tables.costs_table(untuned, "defaults").frame)


def test_large_table():
    results = {
        "defaults": made(sets=LARGE[:3]),
        "tuned": made(setting="tuned", sets=LARGE[:1], folds=(0,)),
    }
    stopped = changed(
        results, lambda r: r["method"].eq("rlsd") & r["dataset"].eq("phoneme"), g_mean=np.nan
    )
    part = without(stopped, lambda r: r["method"].eq("damvi") & r["fold"].eq(0))
    part = changed(part, lambda r: r["method"].eq("exact-boxes"), train_rows=5_000.0)
    table = tables.large_table(part)
    assert list(table.frame.index) == ["satimage, tuned" if n is None else n for n in LARGE] + [
        "satimage, tuned"
    ]
    assert pd.isna(table.frame.loc["phoneme", "RLSD"])
    rows = part["defaults"].rows.set_index(["dataset", "method", "fold"])["g_mean"]
    assert table.frame.loc["phoneme", "DAMVI"] == rows["phoneme", "damvi", 1]
    mean = np.mean([rows["phoneme", "rusboost", fold] for fold in (0, 1)])
    assert table.frame.loc["phoneme", "RUSBoost"] == pytest.approx(mean)
    shown = table.formatted()
    assert shown.loc["phoneme", "Exact Boxes"].endswith(" [5,000]")
    assert shown.loc["phoneme", "DAMVI"].endswith(" (1 of 2)")
    assert "[" not in shown.loc["phoneme", "RUSBoost"] + shown.loc["phoneme", "DAMVI"]
    assert "[" not in shown.loc["satimage, tuned", "Exact Boxes"]
    # without a fold of one of them nobody is the best of a set
    bold = table.bold.any(axis=1)
    assert list(bold.index[bold]) == ["satimage, tuned"]
    assert table.bold.loc["satimage, tuned", "Gradient boosting"]
    whole = tables.large_table(stopped).bold
    assert list(whole.index[whole["Gradient boosting"]]) == [*LARGE[:3], "satimage, tuned"]


def test_tuning(both):
    tuned = made(setting="tuned", folds=(1,), lift={"fast-boxes": 0.1, "rlsd": -0.05})
    results = both | {"tuned": tuned}
    results = changed(
        results,
        lambda r: r["method"].eq("damvi") & r["dataset"].isin(SETS[:5]),
        "tuned",
        configuration="defaults",
    )
    table = tables.tuning_table(results)
    frame = table.frame
    for metric in ("G-mean", "average precision"):
        gains = frame[metric]
        assert gains.loc["Fast Boxes", ["gain", "low", "high"]].tolist() == pytest.approx([0.1] * 3)
        assert gains.loc["Fast Boxes", ["sets better", "sets worse"]].tolist() == [len(SETS), 0]
        assert gains.loc["RLSD", ["sets better", "sets worse"]].tolist() == [0, len(SETS)]
        # on the second fold all are 0.01 better, with defaults too: only the same folds compare
        assert gains.loc["DAMVI", "gain"] == pytest.approx(0)
        assert gains.loc["DAMVI", ["sets better", "sets worse"]].tolist() == [0, 0]
    assert frame.index[0] == "Fast Boxes" and frame.index[-1] == "RLSD"
    kept = frame["race", "defaults kept, %"]
    assert kept["DAMVI"] == pytest.approx(100 * 5 / len(SETS)) and kept["RLSD"] == 0
    assert f"{len(SETS)} data sets" in table.caption and "336 of 672 runs" in table.caption
    _, data = figures.ranks_heatmap(results)
    ranks = data.set_index(["setting", "metric", "contestant"])["mean rank"]
    assert ranks["tuned", "g_mean", "Fast Boxes"] < ranks["defaults", "g_mean", "Fast Boxes"]


def test_tuned_failures_are_not_races(both):
    failed = changed(
        both, lambda r: r["method"].eq("rusboost") & r["fold"].eq(1), "tuned", configuration=""
    )
    kept = tables.tuning_table(failed).frame["race", "defaults kept, %"]
    assert np.isnan(kept["RUSBoost"]) and kept["DAMVI"] == 0


def test_differences(untuned):
    one = changed(
        untuned,
        lambda r: r["method"].eq("logistic") & r["dataset"].eq("glass1"),
        g_mean=0.99,
    )
    level = one["defaults"].rows.set_index(["dataset", "method", "fold"])["g_mean"]
    tied = changed(
        one,
        lambda r: r["method"].eq("logistic") & r["dataset"].eq("pima"),
        g_mean=np.mean([level["pima", "gradient-boosting", fold] for fold in (0, 1)]),
    )
    frame = tables.differences_table(tied, "defaults").frame
    assert frame.index[0] == "Gradient boosting" and pd.isna(frame["difference"].iloc[0])
    assert frame.loc["Logistic regression", ["wins", "ties", "losses"]].tolist() == [1, 1, 26]
    assert frame.loc["Wrapper, C4.5", ["wins", "ties", "losses"]].tolist() == [0, 0, 28]
    assert frame.loc["Wrapper, C4.5", "difference"] == pytest.approx(-0.02)
    # with equal differences the statistic is 0, and its normal approximation corrected for ties
    n = len(SETS)
    z = n * (n + 1) / 4 / np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - (n**3 - n) / 48)
    assert frame.loc["RLSD", "p (Holm)"] == pytest.approx(11 * 2 * stats.norm.sf(z), rel=1e-6)
    assert frame["p (Holm)"].iloc[1:].max() == frame.loc["Logistic regression", "p (Holm)"]


def test_exact_boxes():
    few, some, many = "abalone19", "glass0", "pima"  # 32, 70 and 268 positives
    assert FACTS.loc[[few, some, many], "positives"].tolist() == [32, 70, 268]
    results = {
        "defaults": made(sets=(few, some, many, "mine"), methods=["exact-boxes"]),
        "tuned": made(setting="tuned", sets=(many,), methods=["exact-boxes"]),
    }
    results = changed(results, lambda r: r["fold"] >= 0, objective=-50.0, bound=-50.0)
    results = changed(
        results,
        lambda r: r["dataset"].eq(many) | (r["dataset"].eq(some) & r["fold"].eq(1)),
        bound=-40.0,
        status="time limit",
    )
    results = changed(results, lambda r: r["dataset"].eq(many) & r["fold"].eq(0), bound=-30.0)
    results = changed(results, lambda r: r["fold"].eq(0), "tuned", status="time limit")
    frame = tables.exact_boxes_table(results).frame
    found = frame["defaults"]
    assert list(frame.index) == ["at most 50", "51 to 100", "more", "not known", "all"]
    assert found["sets"].tolist() == [1, 1, 1, 1, 4] and found["folds"].tolist() == [2, 2, 2, 2, 8]
    assert found["proved"].tolist() == [2, 1, 0, 2, 5]
    gaps = found[["median gap, %", "worst gap, %"]]
    assert gaps.loc["51 to 100"].tolist() == pytest.approx([20, 20])
    assert gaps.loc["more"].tolist() == pytest.approx([30, 40])
    assert gaps.loc["all"].tolist() == pytest.approx([20, 40])
    assert gaps.loc[["at most 50", "not known"]].isna().all(axis=None)
    assert frame.loc["all", ("tuned", "without a bound")] == 2
    assert frame.loc["all", ("tuned", "proved")] == 0


def test_pareto_front_against_brute_force():
    rng = np.random.default_rng(8)
    for _ in range(50):
        costs, gains = rng.integers(0, 6, size=(2, 9))
        expected = [
            not any(
                c <= cost and g >= gain and (c, g) != (cost, gain)
                for c, g in zip(costs, gains, strict=True)
            )
            for cost, gain in zip(costs, gains, strict=True)
        ]
        assert tables.pareto_front(costs, gains).tolist() == expected


def test_methods_of_a_user_are_in_the_tables_and_ranks_and_in_no_advice(untuned):
    experiment = PAPER.experiments["defaults"]
    own = Method("Mine", experiment.adapt(DecisionTreeClassifier()))
    more = made(experiment=experiment.with_method("mine", own), lift={"mine": 0.5})
    results = untuned | {"defaults": more}
    for table in (
        tables.standings_table(results, "defaults"),
        tables.costs_table(results, "defaults"),
        tables.differences_table(results, "defaults"),
    ):
        assert len(table.frame) == 13 and "Mine" in table.frame.index
    assert tables.standings_table(results, "defaults").frame["mean rank"].idxmin() == "Mine"
    for frame in (tables.sets_table(results, "defaults").frame, tables.large_table(results).frame):
        assert frame.columns[-1] == "Mine", "behind those of the protocol"
    _, data = figures.rank_diagram(results, "defaults")
    assert data["label"].iloc[0] == "Mine" and len(data) == 13
    _, data = figures.ranks_heatmap(results)
    assert "Mine" in set(data["contestant"])
    _, data = figures.readability_figure(results)
    assert "Mine" in set(data["contestant"])
    assert advice(results) == advice(untuned)


def test_a_method_of_a_user_with_few_rows_takes_no_set_from_the_others(untuned):
    experiment = PAPER.experiments["defaults"]
    own = Method("Mine", experiment.adapt(DecisionTreeClassifier()))
    more = made(experiment=experiment.with_method("mine", own))
    results = untuned | {"defaults": more}
    part = without(results, lambda r: r["method"].eq("mine") & r["dataset"].ne("pima"))
    pd.testing.assert_frame_equal(
        tables.scores(part, "defaults"), tables.scores(untuned, "defaults")
    )
    assert tables.standings_table(part, "defaults").formatted().loc["Mine", "G-mean"] == "–"
