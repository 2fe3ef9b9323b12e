"""RLSD on public data: the pairs, minima and costs on them, grades beside the verdicts, tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from rlsd_rows import (
    against_grid,
    everything,
    falling,
    flagged,
    nothing,
    on_grid,
    results_of,
    trading,
    with_costs,
    with_idle,
)
from sklearn.base import clone
from test_rlsd_protocol import toy_fold

from minority_reports import datasets
from minority_reports.papers.rlsd import PAPER, claims, public
from minority_reports.papers.rlsd import public_protocol as protocol
from minority_reports.papers.rlsd.numbers import numbers_table
from minority_reports.papers.rlsd.protocol import GRID, RLSD
from minority_reports.report import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    NotTestable,
    judge,
)
from minority_reports.report.claims import claims_table
from minority_reports.report.overview import results_markdown

RULES = {c: r.on_public for c, r in PAPER.rules.items() if isinstance(r, NotTestable)}
ON_PAIRS = {claim: rule for claim, rule in RULES.items() if rule}


@pytest.mark.parametrize("name", protocol.PUBLIC_PAIRS)
def test_a_pair_is_split_where_the_table_says(name):
    first, n = protocol.PUBLIC_PAIRS[name]
    assert datasets.entry(name).n == n
    ((train, test),) = protocol.public_split(np.zeros(n), 1, 0)
    np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(n))
    assert len(train) == first
    with pytest.raises(ValueError, match="no public pair has 100 rows"):
        protocol.public_split(np.zeros(100), 1, 0)


@pytest.mark.skipif(not datasets.available("creditcard"), reason="creditcard is not here")
def test_the_first_day_trains():
    data = datasets.load("creditcard")
    first, _ = protocol.PUBLIC_PAIRS["creditcard"]
    day = data.X[protocol.CLOCK].to_numpy() // 86_400
    assert day[:first].max() == 0 and day[first:].min() == 1
    assert (data.y[:first].sum(), data.y[first:].sum()) == (281, 211)


def test_least_precisions_on_other_data():
    for precision in protocol.WIDE:
        same = protocol.at_same_odds(precision, protocol.PAPER_SHARE)
        assert same == pytest.approx(precision), "on the paper's own share nothing changes"
        assert protocol.as_printed(precision, 0.1) == precision
    # odds of 1 to 9 are 2 times those of 1 to 18, whatever the paper's
    odds = protocol.PAPER_SHARE / (1 - protocol.PAPER_SHARE)
    assert protocol.at_same_odds(2 * odds / (1 + 2 * odds), 1 / 19) == pytest.approx(0.1)
    assert protocol.over_whole_range(0.04, protocol.PAPER_SHARE) == pytest.approx(0.95)
    assert round(protocol.PAPER_RATIO * 962) == 278_092


def test_grid_on_a_pair_is_that_of_the_classifier():
    setting = "minR=0.05,minP=0.04"
    fold = toy_fold(protocol.PUBLIC, (setting,))
    fold.X_train[protocol.CLOCK] = fold.y_train  # would tell everything
    fold.X_test[protocol.CLOCK] = 0
    (row,) = protocol.PUBLIC.methods["rlsd"].run(fold).values()
    assert set(row) == set(protocol.PUBLIC.measures)
    X, X_test = (part.drop(columns=protocol.CLOCK) for part in (fold.X_train, fold.X_test))
    least = protocol.at_same_odds(0.04, fold.y_train.mean())
    model = clone(RLSD).set_params(random_state=7, min_recall=0.05, min_precision=least)
    model.fit(X, fold.y_train)
    assert row["recall"] == (model.predict(X_test) == 1)[fold.y_test == 1].mean()
    hits = [flags[fold.y_test == 1].sum() for flags in model.rules_.covers_each(X_test)]
    assert (row["n_rules"], row["idle"]) == (len(hits), hits.count(0))


def test_costs_keep_their_ratio_to_the_imbalance():
    fold = toy_fold(protocol.PUBLIC_COSTS, ("cost=300",))
    run = protocol.PUBLIC_COSTS.methods["c5.0"].run.run
    model = clone(run.estimator).set_params(**run.varied("cost=300"))
    model.fit(fold.X_train, fold.y_train)
    ratio = (fold.y_train == 0).sum() / fold.y_train.sum()
    assert model.model_.costs == {0: 1, 1: pytest.approx(300 / protocol.PAPER_RATIO * ratio)}


@pytest.mark.parametrize(
    "plan", [protocol.PUBLIC_INSPECTION, protocol.INSPECTION], ids=lambda plan: plan.name
)
def test_inspection_measures_every_budget(plan):
    fold = toy_fold(plan, n=1000)
    for name in ("c4.5", "boosting"):
        (row,) = plan.methods[name].run(fold).values()
        assert set(row) == set(plan.measures)
        found = [row[m] for m, _ in sorted(protocol.INSPECTED.items(), key=lambda pair: pair[1])]
        assert found == sorted(found) and found[-1] > 0.5


def test_sixteen_claims_have_a_grade_on_public_data():
    assert {int(claim[-2:]) for claim in ON_PAIRS} == {
        *(13, 14, 15, 17, 18, 19, 20, 21, 22, 24, 25, 26),
        *(28, 29, 30, 31),
    }
    assert {claim for claim, rule in RULES.items() if not rule} == {
        f"rlsd-{n:02}" for n in (2, 3, 5, 16, 23, 27, 32)
    }


@pytest.mark.parametrize("claim", sorted(claims.TRENDS))
def test_rows_of_the_pairs_turn_the_trends_either_way(claim):
    rule = ON_PAIRS[claim]
    assert rule({"public": results_of("public", with_idle(on_grid))}).grade == REPRODUCED
    assert rule({"public": results_of("public", with_idle(against_grid))}).grade == NOT_REPRODUCED
    assert rule(nothing()).grade == NOT_TESTABLE


def changed(**columns):
    """The grid with columns by setting: ``value(least recall, least precision)``."""

    def value_of(key, rng):
        given = {name: value(*GRID[key.setting]) for name, value in columns.items()}
        return with_idle(on_grid)(key, rng) | given

    return {"public": results_of("public", value_of)}


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("rlsd-13", {"train_recall": lambda r, p: 1}, {"train_recall": lambda r, p: 0.9}),
        (
            "rlsd-19",
            {"n_rules": lambda r, p: 9 - abs(p - 0.02) * 100},
            {"n_rules": lambda r, p: 9 - 100 * p},
        ),
        (
            "rlsd-24",
            {"n_rules": lambda r, p: 8, "idle": lambda r, p: 4},
            {"n_rules": lambda r, p: 8, "idle": lambda r, p: 0},
        ),
        (
            "rlsd-26",
            {"best_precision": lambda r, p: r},
            {"best_precision": lambda r, p: p},
        ),
    ],
)
def test_rows_of_the_pairs_turn_the_other_rules(claim, good, bad):
    assert ON_PAIRS[claim](changed(**good)).grade == REPRODUCED
    assert ON_PAIRS[claim](changed(**bad)).grade == NOT_REPRODUCED


def collapsing(key, rng):
    """From nothing to everything, with rules for single examples between."""
    counts = {"cost=100": (0, 0), "cost=200": (5, 50), "cost=300": (5, 50), "cost=400": (9, 90)}
    tp, fp = counts[key.setting]
    rules = {"minority_rules": 3, "single_rules": 3, "minority_default": 1, "tp_by_rules": 0}
    return {"tp": tp, "fp": fp, "fn": 9 - tp, "tn": 90 - fp, "recall": tp / 9} | rules


def test_costs_turn_the_rules():
    as_said = {"public-costs": results_of("public-costs", collapsing)}
    other = {"public-costs": results_of("public-costs", with_costs)}
    for claim in ("rlsd-28", "rlsd-29"):
        assert ON_PAIRS[claim](as_said).grade == REPRODUCED
        assert ON_PAIRS[claim](other).grade == NOT_REPRODUCED


def test_a_cut_majority_turns_the_rules():
    rising = results_of("public-cut", trading(lambda kept: kept / 100, falling))
    assert ON_PAIRS["rlsd-30"](everything()).grade == REPRODUCED
    assert ON_PAIRS["rlsd-30"]({"public-cut": rising}).grade == NOT_REPRODUCED
    grid = {"public": everything()["public"]}
    good, bad = (results_of("public-cut", flagged(*point)) for point in ((0.9, 0.5), (0.01, 1e-4)))
    assert ON_PAIRS["rlsd-31"](grid | {"public-cut": good}).grade == REPRODUCED
    assert ON_PAIRS["rlsd-31"](grid | {"public-cut": bad}).grade == NOT_REPRODUCED


def test_grades_on_public_data_stand_beside_and_count_apart():
    judged = judge("rlsd", PAPER.rules, everything())
    row = judged.loc["rlsd-14"]
    assert (row["verdict"], row["on public data"]) == (NOT_TESTABLE, REPRODUCED)
    assert "on public data: reproduced, Training recall falls" in row["evidence"]
    assert not judged.loc["rlsd-33", "on public data"]
    caption = claims_table("rlsd", judged).caption
    n_reproduced = (judged["on public data"] == REPRODUCED).sum()
    assert f"16 of those not testable on public data in general form: {n_reproduced} " in caption


def test_tables_show_pairs_beside_the_published():
    table = public.public_table(everything()["public"])
    assert list(table.frame.columns.unique(0)) == ["published", *public.PAIRS_IN_WORDS.values()]
    assert table.frame.loc["0.01, 0.005", ("published", "rules")] == 48.75
    assert table.frame["published"].loc["0.2, 0.02"].isna().all()
    ours = table.frame.loc["0.01, 0.005", "creditcard by day"]
    assert ours["training recall, %"] == pytest.approx(100 * (1 - 0.05 - 0.0002))
    best = public.public_table(everything()["public"], best_rule=True)
    assert best.frame.loc["0.05, 0.01", ("published", "test precision, %")] == pytest.approx(3.7)


def test_curves_have_every_point_and_its_f():
    data = public.public_curves(everything()["public"], everything()["public-cut"])
    assert data.groupby(["dataset", "curve"]).size().to_dict() == {
        (name, curve): 6 if curve in ("C5.0 (C4.5 rules)", "RIPPER") else 5
        for name in protocol.PUBLIC_PAIRS
        for curve in data["curve"].unique()
    }
    point = data.iloc[0]
    expected = 5 / (4 / point["recall"] + 1 / point["precision"])
    assert point["f"] == pytest.approx(expected)


def test_steps_of_the_pairs_stand_beside_the_published():
    frame = claims.trends_table(everything()["public"]).frame
    line = frame[frame.index.str.startswith("rlsd-14")].iloc[0]
    assert line["published"].tolist() == [14, 0, 2]
    assert line["creditcard by day"].tolist() == [14, 0, 2]


def test_costs_on_each_pair():
    frame = public.costs_on_pairs(everything()["public-costs"]).frame
    assert len(frame) == 8 and frame.loc["creditcard by day, cost=300", "recall, %"] == 50


def test_inspection_in_words():
    (first, _) = public.inspection_in_words(everything()["public-inspection"]).sentences
    assert "best of 7 are, by AP Gradient boosting, balanced, 0.170" in first
    assert "RLSD has ranks 5, 5, 5, 5" in first or "RLSD has ranks 6, 6, 6, 6" in first


def test_inspection_tables():
    frame = public.inspection_table(everything()["public-inspection"]).frame
    assert frame.loc["RIPPER", ("creditcard by day", "recall at 2.0%")] == pytest.approx(0.03)
    table = public.real_inspection_table(everything()["inspection"], everything()["steps"])
    assert {"RLSD, as published", "RLSD, defaults", "Gradient boosting"} <= set(table.frame.index)
    assert table.frame.loc["RIPPER", ("mean of 13 sets", "AP")] == pytest.approx(0.06)


@pytest.mark.parametrize("results", [everything, nothing])
def test_figures_are_drawn_with_and_without_rows(results):
    found = results()
    drawn = (
        public.shape(found["public"]),
        public.precision_recall(found["public"], found["public-cut"]),
        public.inspection_curves(found["public-inspection"]),
    )
    for figure, data in drawn:
        assert isinstance(data, pd.DataFrame) and figure.axes
        plt.close(figure)
    for table in (
        public.inspection_table(found["public-inspection"]),
        public.real_inspection_table(found["inspection"], found["steps"]),
        public.public_table(found["public"]),
        public.costs_on_pairs(found["public-costs"]),
        claims.trends_table(found["public"]),
    ):
        assert table.to_html()


def test_numbers_are_derived_or_say_why_not():
    numbers = PAPER.numbers({})
    compared = numbers[numbers["not_compared"] == ""].set_index("item")
    assert numbers.loc[numbers["not_compared"] != "", "ours"].isna().all()
    (ratio,) = compared.index[compared["published"] == 4.5]
    assert compared.loc[ratio, "ours"] == pytest.approx(0.018 / (483 / 115_523))
    assert (numbers["where"] == "Table 3").sum() == 16 * 6
    table = numbers_table({})
    assert len(table.frame) == len(compared)
    assert f"Not compared are {len(numbers) - len(compared)}: 96 measured on data" in table.caption


def test_the_overview_counts_grades_on_public_data_apart():
    judged = judge("rlsd", PAPER.rules, everything())
    keys = pd.DataFrame({"runs completed": [1], "runs planned": [2]}, index=["toy"])
    table, _, beside, _, _ = results_markdown({"rlsd": judged}, keys).rsplit("\n", 4)
    assert f"| {(judged['verdict'] == NOT_TESTABLE).sum()} |" in table
    assert beside.startswith("RLSD: 16 claims that are not testable are judged in general form")
