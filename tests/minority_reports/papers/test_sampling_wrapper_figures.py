"""Figures of the sampling wrapper, on made-up rows with known answers."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from sampling_wrapper_rows import (
    EXPERIMENTS,
    MISSES,
    everything,
    nothing,
    whole_main,
    with_own_learner,
)

from minority_reports.experiments import Settings, run
from minority_reports.papers.sampling_wrapper import PAPER, figures, tables
from minority_reports.papers.sampling_wrapper.schemes import RATIOS, SCHEMES


def test_cost_trends_are_shares_of_the_highest():
    figure, data = figures.cost_trends(whole_main(), "c45")
    plt.close(figure)
    shares = data[list(figures._OF_THE_PAPER)]
    assert (shares.max(axis=1) == 1).all()
    row = data[(data["ratio"] == 20) & (data["dataset"] == "oil")].iloc[0]
    assert row["wrapper-auroc"] == pytest.approx((20 * 1 + 10) / (20 * 4 + 10))


def test_overviews():
    for draw, start in ((figures.figure4, "Data"), (figures.figure5, "Base")):
        figure, data = draw()
        plt.close(figure)
        assert start in set(data["from"])


def test_a_search_is_shown():
    model, figure, path = figures.shown_search("segment", "f1")
    plt.close(figure)
    assert path["accepted"].iloc[0]
    assert set(model.undersampling_) == {0}


def test_the_cheapest_scheme_at_a_ratio_is_marked():
    results = whole_main()
    for data_set in ("phoneme", "estate"):
        for ratio in RATIOS:
            pcf, cost, best = figures.cheapest(results, data_set, "c45", ratio)
            assert pcf == pytest.approx(20 * ratio / (20 * ratio + 100))
            curves = tables.envelopes(results)
            least = min(curves["c45", data_set, scheme].at(pcf) for scheme in MISSES)
            assert cost.iloc[0] == pytest.approx(least)
            assert cost.is_monotonic_increasing
            shown = {name for name, value in cost.items() if f"{value:.3f}" == f"{least:.3f}"}
            assert set(best) == (shown if f"{least:.3f}" < f"{min(pcf, 1 - pcf):.3f}" else set())
            figure, data = figures.costs_at(results, data_set, "c45", ratio)
            title = " ".join(figure.axes[0].get_title().split())
            names = ", ".join(SCHEMES[name] for name in best) or "always"
            assert f"{ratio}:1" in title and f"cheapest is {names}" in title
            assert f"{least:.3f}" in title
            thick = {line.get_label() for line in figure.axes[0].lines if line.get_linewidth() > 2}
            assert thick == {SCHEMES[name] for name in best}
            assert data["ratio"].eq(ratio).sum() == len(cost)
            plt.close(figure)


def test_where_no_scheme_is_cheaper_than_the_same_answer_for_all():
    """What the text beside the controls says, with both learners."""
    stored = run(EXPERIMENTS["main"], Settings(PAPER, compute="none"))
    for learner in ("c45", "ripper"):
        assert figures.cheapest(stored, "estate", learner, 1)[2] == []
        assert figures.cheapest(stored, "estate", learner, 100)[2] == []
    turns = [figures.cheapest(stored, "page", "c45", ratio)[2] for ratio in (1, 5, 20)]
    assert turns[0] != turns[1] != turns[2]


def test_what_can_be_chosen_has_rows():
    choices = figures.cost_choices(whole_main())
    assert list(choices["data_set"].values()) == list(EXPERIMENTS["main"].datasets)
    assert choices["learner"] == {"C4.5": "c45", "RIPPER": "ripper"}
    assert choices["ratio"]["10:1"] == 10
    choices = figures.cost_choices(nothing()["main"])
    assert choices["data_set"] == choices["learner"] == {}
    assert figures.cost_ratios(nothing()["main"])[1].attrs["caption"]
    figure, data = figures.cost_ratios(whole_main(), (1, 20))
    assert len(figure.axes) == 2
    assert "20:1" in data.attrs["caption"]


@pytest.mark.parametrize("of", [everything, nothing])
def test_everything_is_drawn_with_and_without_rows(of):
    results = of()
    for learner in ("c45", "ripper"):
        for draw in (figures.cost_trends, figures.cost_curves, figures.cost_by_ratio):
            figure, data = draw(results["main"], learner)
            assert isinstance(data, pd.DataFrame)
            plt.close(figure)
        assert tables.table23(results["main"], learner).to_html()
        assert tables.cost_table(results["main"], learner, 10).to_html()
    plt.close(figures.levels_by_skew(results["main"])[0])
    for table in (
        tables.table_a1(results["main"]),
        tables.timing_table(results["timing"], results["main"]),
        tables.table6(results["kdd"]),
        tables.kdd_confusion(results["kdd"], "c45", "training=1,f1"),
        tables.oil_table(results["main"], results["oil"]),
        tables.rivals_table(results["rivals"]),
        tables.margin_table(results["margin"]),
        tables.smote_table(results["smote"]),
        tables.stability_table(results["stability"]),
        tables.levels_table(results["levels"], results["main"], "c45"),
        tables.level_costs(results["levels"], results["main"], "ripper"),
    ):
        assert table.to_html()


def test_a_learner_of_ones_own_can_be_drawn_and_chosen():
    added = with_own_learner()
    assert figures.cost_choices(added)["learner"]["Mine"] == "mine"
    for draw in (figures.cost_trends, figures.cost_curves, figures.cost_by_ratio):
        figure, data = draw(added, "mine")
        assert len(data)
        plt.close(figure)
        for learner in ("c45", "ripper"):
            figure, data = draw(added, learner)
            plt.close(figure)
            figure, expected = draw(whole_main(), learner)
            plt.close(figure)
            assert data.equals(expected)
    figure, data = figures.levels_by_skew(added)
    plt.close(figure)
    assert set(data["method"]) == {"c45", "ripper"}
