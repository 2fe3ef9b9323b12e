"""Tables, figures and advice of the showdown, on rows made up so that the answers are known."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from scipy import stats

from minority import datasets
from minority.experiments import Results, Settings
from minority.papers.showdown import PAPER
from minority.papers.showdown import _figures as figures
from minority.papers.showdown import _tables as tables
from minority.papers.showdown import _trade_offs as trade_offs
from minority.papers.showdown._advice import advice, source_of
from minority.papers.showdown._contestants import CONTESTANTS
from minority.papers.showdown._protocol import EXPERIMENTS, KEEL, LARGE, METRICS

#: Balanced and rare ones, enough of both for advice: with at most 13 the signed-rank test tries out
#: all signs if there are ties, which takes long.
SETS = (*KEEL[:14], *KEEL[-14:])
FACTS = datasets.describe().set_index("name")
LABELS = {name: who.label for name, who in CONTESTANTS.items()}
WITHOUT_PROBABILITIES = ("fast-boxes", "exact-boxes", "damvi", "b-svm")


def order_with(*first):
    """Contestants from the best to the worst."""
    return [*first, *(name for name in CONTESTANTS if name not in first)]


def made(order=None, setting="defaults", sets=SETS, methods=None, folds=(0, 1), lift=None):
    """Results in which contestants follow an order on every data set, 0.02 of all apart."""
    experiment = EXPERIMENTS[setting]
    order = order or order_with("gradient-boosting", "wrapper-c45", "logistic")
    tasks = experiment.tasks(datasets=sets, methods=methods, repeats=1)
    keys = experiment.keys([t for t in tasks if t.fold in folds], lambda _: "")
    place = keys["method"].map({name: i for i, name in enumerate(order)})
    number = keys["dataset"].map({name: i for i, name in enumerate(sets)})
    level = 0.9 - 0.02 * place - 0.002 * (number % 7) + 0.01 * keys["fold"]
    level += keys["method"].map(lift or {}).fillna(0)
    brier = (1 - level).mask(keys["method"].isin(WITHOUT_PROBABILITIES))
    rows = keys.assign(
        **dict.fromkeys(METRICS, level) | {"brier": brier},
        rules=10.0 + place,
        conditions=20.0 * (1 + place),
        train_rows=1000.0,
        configuration="" if setting == "defaults" else "C=1",
        objective=np.nan,
        bound=np.nan,
        failed=0.0,
        status="ok",
        message="",
    )
    timings = keys[["dataset", "method", "repeat", "fold", "seed"]].assign(
        fit_s=1.0 / (1 + place), predict_s=0.01, fit_mb=5.0 + place
    )
    return Results(experiment, rows, planned=2 * len(keys), timings=timings)


def with_rows(result, rows):
    return Results(result.experiment, rows, planned=result.planned, timings=result.timings)


def nothing(setting):
    empty = made(setting=setting)
    return Results(empty.experiment, empty.rows.iloc[:0], planned=len(empty.rows))


@pytest.fixture(scope="module")
def both():
    return {"defaults": made(), "tuned": made(setting="tuned", folds=(1,))}


@pytest.fixture(scope="module")
def untuned():
    return {"defaults": made(), "tuned": nothing("tuned")}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def changed(results, chosen, setting="defaults", **values):
    """Results with other values in the rows that ``chosen(rows)`` picks."""
    rows = results[setting].rows.copy()
    where = chosen(rows)
    assert where.any()
    for column, value in values.items():
        rows[column] = rows[column].astype(object).mask(where, value).infer_objects()
    return dict(results) | {setting: with_rows(results[setting], rows)}


def without(results, chosen, setting="defaults"):
    rows = results[setting].rows
    assert chosen(rows).any()
    return dict(results) | {setting: with_rows(results[setting], rows[~chosen(rows)])}


def test_coverage_counts_sets_folds_and_keys():
    results = {
        "defaults": made(sets=(*KEEL[:3], LARGE[0]), folds=(0, 1)),
        "tuned": made(setting="tuned", sets=KEEL[:2], methods=["rlsd"], folds=(0,)),
    }
    frame = tables.coverage_table(results, Settings(PAPER)).frame
    n = len(CONTESTANTS)
    assert frame.to_dict("split")["data"] == [
        [len(KEEL), 3, 10, 0, 2, len(KEEL) * 10 * n, 3 * 2 * n],
        [len(LARGE), 1, 10, 0, 2, len(LARGE) * 10 * n, 2 * n],
        [len(KEEL), 2, 10, 0, 1, len(KEEL) * 10 * n, 2],
        [len(LARGE), 0, 10, 0, 0, len(LARGE) * 10 * n, 0],
    ]
    asked = Settings(PAPER, datasets=",".join(KEEL[:2]), methods="rlsd", repeats=1, folds=2)
    frame = tables.coverage_table(results, asked).frame
    assert list(frame.index) == ["KEEL's and own sets, defaults", "KEEL's and own sets, tuned"]
    assert frame.loc["KEEL's and own sets, tuned"].tolist() == [2, 2, 2, 1, 1, 4, 2]


def test_scores_are_means_over_folds_that_all_have(untuned):
    part = without(
        untuned,
        lambda r: (
            (r["dataset"].eq("pima") & r["method"].eq("rlsd") & r["fold"].eq(0))
            | (r["dataset"].eq("iris0") & r["method"].eq("damvi"))
        ),
    )
    found = tables.scores(part, "defaults")
    assert list(found) == list(LABELS.values())
    assert list(found.index) == [name for name in SETS if name != "iris0"]
    rows = part["defaults"].rows.set_index(["dataset", "method", "fold"])["g_mean"]
    for method, label in LABELS.items():
        assert found.loc["pima", label] == rows["pima", method, 1]
        mean = np.mean([rows["glass1", method, fold] for fold in (0, 1)])
        assert found.loc["glass1", label] == pytest.approx(mean)
    text = tables.basis(part, "defaults")
    assert text.startswith("27 data sets, 53 folds that all contestants have, 1 set without")
    assert text.endswith("669 of 1,344 keys")


def test_a_fold_stopped_without_result_counts_for_nobody(untuned):
    part = changed(
        untuned,
        lambda r: r["dataset"].eq("pima") & r["method"].eq("exact-boxes") & r["fold"].eq(1),
        **{"g_mean": np.nan, "status": "time limit"},
    )
    rows = part["defaults"].rows.set_index(["dataset", "method", "fold"])["g_mean"]
    assert tables.scores(part, "defaults").loc["pima", "RLSD"] == rows["pima", "rlsd", 0]
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
    assert frame["readable"].sum() == sum(who.readable for who in CONTESTANTS.values())
    for text in METRICS.values():
        assert table.bold.index[table.bold[text]].tolist() == ["Gradient boosting"]
    assert "28 data sets, 56 folds" in table.caption and "672 of 1,344 keys" in table.caption


def test_costs_of_other_keys_do_not_count(untuned):
    """Timings hold what other seeds and selections cost as well."""
    result = untuned["defaults"]
    other = result.timings.assign(seed=7, fit_s=1e6)
    timings = pd.concat([result.timings, other], ignore_index=True)
    more = Results(result.experiment, result.rows, planned=result.planned, timings=timings)
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
    assert table.frame["folds"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 1]
    assert pd.isna(table.frame.loc["phoneme", "RLSD"])
    rows = part["defaults"].rows.set_index(["dataset", "method", "fold"])["g_mean"]
    assert table.frame.loc["phoneme", "RUSBoost"] == rows["phoneme", "rusboost", 1]
    shown = table.formatted()
    assert shown.loc["phoneme", "Exact Boxes"].endswith(" (5,000)")
    assert "(" not in shown.loc["phoneme", "RUSBoost"]
    assert "(" not in shown.loc["satimage, tuned", "Exact Boxes"]
    assert table.bold.loc["letter"].sum() == 0 and table.bold.loc["phoneme", "Gradient boosting"]


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
    assert f"{len(SETS)} data sets" in table.caption and "336 of 672 keys" in table.caption
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


def test_trade_off_of_both_settings_is_on_the_same_folds(both):
    _, data = trade_offs.readability_figure(both)
    assert set(data["folds"]) == {len(SETS)} and len(data) == 24
    by = data.set_index(["setting", "contestant"])
    assert by.loc[("defaults", "DAMVI"), "g_mean"] == by.loc[("tuned", "DAMVI"), "g_mean"]
    rows = both["defaults"].rows
    second = rows[(rows["method"] == "damvi") & (rows["fold"] == 1)]["g_mean"]
    assert by.loc[("defaults", "DAMVI"), "g_mean"] == pytest.approx(second.mean())
    # the best is also the smallest here, and as good in both settings
    assert set(data.loc[data["on_front"], "contestant"]) == {"Gradient boosting"}
    assert by.loc[("tuned", "Wrapper, C4.5"), "conditions"] == 40
    _, data = trade_offs.readability_figure(both, "defaults")
    assert set(data["folds"]) == {2 * len(SETS)} and set(data["setting"]) == {"defaults"}
    _, data = trade_offs.time_figure(both, "defaults")
    # who is better takes longer: all are on the front
    assert data["on_front"].all()
    assert data.set_index("contestant").loc["Wrapper, C4.5", "fit_s"] == 0.5


def test_labels_cover_neither_each_other_nor_the_edge(both):
    rows = both["defaults"].rows.copy()
    far = rows["method"].eq("fast-boxes")  # one far away presses the others together
    rows["g_mean"] = (0.8 + 0.05 * rows["g_mean"]).mask(far, 0.1)
    rows["conditions"] = (20 + 0.02 * rows["conditions"]).mask(far, 2000)
    crowd = both | {"defaults": with_rows(both["defaults"], rows)}
    for figure, _ in (
        trade_offs.readability_figure(both),
        trade_offs.readability_figure(crowd, "defaults"),
    ):
        figure.canvas.draw()
        axes = figure.axes[0]
        # of the words alone: that of an annotation has its line in it
        boxes = [Text.get_window_extent(t) for t in axes.texts if t.get_gid() == "label"]
        assert len(boxes) == 12
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        frame = axes.get_window_extent()
        assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 for b in boxes)
        assert all(frame.y0 <= b.y0 and b.y1 <= frame.y1 for b in boxes)


def test_a_model_without_conditions_is_drawn(untuned):
    results = changed(untuned, lambda r: r["method"].eq("wrapper-ripper"), conditions=0.0)
    figure, data = trade_offs.readability_figure(results)
    assert data.set_index("contestant").loc["Wrapper, RIPPER", "conditions"] == 0
    drawn = np.concatenate([line.get_xdata() for line in figure.axes[0].lines])
    assert min(drawn) == 1


def test_wins_and_ranks(untuned):
    _, data = figures.wins_matrix(untuned, "defaults")
    by = data.set_index(["contestant", "against"])
    assert len(by) == 12 * 11 and (by.sum(axis=1) == len(SETS)).all()
    assert by.loc[("Wrapper, C4.5", "Gradient boosting")].tolist() == [0, 0, len(SETS)]
    assert by.loc[("Wrapper, C4.5", "RLSD")].tolist() == [len(SETS), 0, 0]
    _, data = figures.ranks_heatmap(untuned)
    ranks = data.set_index(["setting", "metric", "contestant"])["mean rank"]
    assert set(data["setting"]) == {"defaults"} and len(ranks) == len(METRICS) * 12
    assert ranks["defaults", "f1", "Logistic regression"] == 3
    assert np.isnan(ranks["defaults", "brier", "DAMVI"])
    assert ranks["defaults", "brier", "RLSD"] == 4  # of those that have probabilities


def test_landscape(untuned):
    """Who gains with imbalance is shown so."""
    rows = untuned["defaults"].rows.copy()
    imbalance = rows["dataset"].map(FACTS["imbalance"]).astype(float)
    rows["g_mean"] += 0.02 * np.log(imbalance) * rows["method"].eq("rlsd")
    results = untuned | {"defaults": with_rows(untuned["defaults"], rows)}
    figure, data = figures.landscape_figure(results, "defaults")
    assert len(data) == 12 * len(SETS)
    assert data.groupby("dataset")["advantage"].sum().to_numpy() == pytest.approx(0, abs=1e-12)
    of = data[data["contestant"] == "RLSD"]
    expected = stats.spearmanr(of["advantage"], of["imbalance"]).statistic
    assert expected > 0.99
    cells = {text.get_text() for text in figure.axes[0].texts}
    assert f"{expected:+.2f}" in cells
    legends = [axes.get_legend().get_texts()[0].get_text() for axes in figure.axes[1:]]
    assert legends[0] == "RLSD"


def everything(results):
    shown = [
        tables.standings_table(results, "defaults"),
        tables.standings_table(results, "tuned"),
        tables.costs_table(results, "defaults"),
        tables.large_table(results),
        tables.tuning_table(results),
        tables.exact_boxes_table(results),
    ]
    drawn = [figures.ranks_heatmap(results)]
    for setting in results:
        drawn += [
            trade_offs.readability_figure(results, setting),
            trade_offs.time_figure(results, setting),
        ]
        for metric in ("g_mean", "brier"):
            shown += [
                tables.sets_table(results, setting, metric),
                tables.differences_table(results, setting, metric),
            ]
            drawn += [
                figures.rank_diagram(results, setting, metric),
                figures.wins_matrix(results, setting, metric),
                figures.landscape_figure(results, setting, metric),
            ]
    drawn += [trade_offs.readability_figure(results), trade_offs.time_figure(results)]
    return shown, drawn


@pytest.mark.parametrize(
    ("selection", "is_tuned"),
    [
        ({"sets": ("glass6",), "folds": (0,)}, True),
        ({"sets": ("mine",)}, False),
        ({"sets": SETS, "methods": ["damvi", "rlsd", "rusboost"]}, True),
        ({"sets": SETS[:3], "methods": ["fast-boxes"]}, True),
        ({"sets": ("satimage",)}, True),
        ({"sets": SETS[:2], "methods": ["fast-boxes", "damvi"]}, False),
    ],
    ids=["one fold", "own set", "three contestants", "one contestant", "a larger set", "two"],
)
def test_every_selection_is_shown(selection, is_tuned):
    tuned = made(setting="tuned", **selection) if is_tuned else nothing("tuned")
    results = {"defaults": made(**selection), "tuned": tuned}
    shown, drawn = everything(results)
    for table in shown:
        assert "<table" in table.to_html() and " of " in table.caption
    for figure, data in drawn:
        assert isinstance(data, pd.DataFrame) and figure.axes
    assert isinstance(advice(results), str)


def test_without_rows_all_is_said_in_words():
    results = {"defaults": nothing("defaults"), "tuned": nothing("tuned")}
    shown, drawn = everything(results)
    for table in shown:
        assert "<table" in table.to_html() and "0 of " in table.caption
    for figure, data in drawn:
        assert data.empty
        assert "need" in figure.axes[0].texts[0].get_text()
    assert "Too few rows" in advice(results) and "0 such data sets" in advice(results)


def test_advice_follows_the_rows(untuned):
    text = advice(untuned)
    assert "| G-mean | **Gradient boosting** | 1.0 of 12 | nobody |" in text
    assert "| Brier score | **Gradient boosting** | 1.0 of 8 | nobody |" in text
    assert "must be read: **Wrapper, C4.5** (40 conditions" in text
    assert "a loss (-0.020, 95 % interval -0.020 to -0.020)" in text
    assert "If time counts: **Wrapper, C4.5** (0.5 s" in text  # just within what may be lost
    assert "Whether tuning pays is open: 0 data sets" in text
    assert "come from" in text and "28 data sets" in text
    other = advice({**untuned, "defaults": made(order_with("exact-boxes", "b-svm", "rusboost"))})
    assert "| G-mean | **Exact Boxes** |" in other and "**Gradient boosting**" not in other
    assert "can also be read: **Exact Boxes**" in other
    assert "| Brier score | **RUSBoost** |" in other


def test_advice_names_those_that_may_be_as_good(untuned):
    rows = untuned["defaults"].rows.copy()
    even = rows["dataset"].isin(SETS[::2]) & rows["method"].eq("logistic")
    rows.loc[even, "g_mean"] += 0.08
    text = advice(untuned | {"defaults": with_rows(untuned["defaults"], rows)})
    line = next(line for line in text.splitlines() if line.startswith("| G-mean"))
    assert "Logistic regression" in line and "Gradient boosting" in line and "RLSD" not in line


def test_advice_on_rare_positives(untuned):
    rows = untuned["defaults"].rows.copy()
    rare = rows["dataset"].map(FACTS["imbalance"]).astype(float) > 20
    assert rows.loc[rare, "dataset"].nunique() == 14
    rows.loc[rare & rows["method"].eq("rlsd"), "g_mean"] += 0.3
    text = advice(untuned | {"defaults": with_rows(untuned["defaults"], rows)})
    assert "above 20, 14 sets): **RLSD** (mean rank 1.0 of 12, not shown to differ: nobody)" in text
    assert "at most 20, 14 sets): **Gradient boosting**" in text
    half = untuned | {"defaults": made(sets=SETS[:14])}
    assert "above 20, 0 sets): too few sets to say" in advice(half)


def test_advice_on_tuning(both):
    assert "shown to pay in G-mean for none of 12." in advice(both)
    lifted = made(setting="tuned", folds=(1,), lift={"fast-boxes": 0.3, "rlsd": -0.05})
    text = advice(both | {"tuned": lifted})
    assert "it paid in G-mean for 1 of 12, most for **Fast Boxes** (+0.300" in text
    assert "did harm to RLSD." in text
    assert "After it the best in G-mean is **Fast Boxes** (mean rank 1.0 of 12" in text


def test_advice_without_timings(untuned):
    result = untuned["defaults"]
    bare = Results(result.experiment, result.rows, planned=result.planned)
    assert "there are no timings" in advice(untuned | {"defaults": bare})


def test_sources_of_the_sets():
    assert source_of("ecoli-0-1_vs_2-3-5") == source_of("ecoli1") == "ecoli"
    assert source_of("winequality-red-4") == source_of("winequality-white-3_vs_7")
    assert source_of("2020") == "2020"
    assert len({source_of(name) for name in KEEL}) == 22
