"""The figures of DAMVI draw what they say."""

import damvi_rows
import matplotlib.pyplot as plt
import pytest

from minority_reports.papers.damvi import figures


@pytest.fixture(scope="module")
def favourable():
    return damvi_rows.favourable()


@pytest.fixture(scope="module")
def nothing():
    return damvi_rows.nothing()


def test_figures_draw_what_they_say(favourable):
    figure, data = figures.gains(favourable["repeats"], {"uniform": "equal", "r-bg": "R-BG"})
    assert len(figure.axes) == 2
    assert len(data) == 2 * 2 * 13
    figure, data = figures.figure1(favourable["fig1"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["F1", "AP"]
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()][:3] == ["0.2", "0.5", "1"]
    assert len(data) == 10 * 9
    _, data = figures.bound_and_error(favourable["ablation"])
    assert len(data) == 13 * 40
    plt.close("all")


def test_three_voters_by_hand():
    """With all weight on the first: error 2/10 = Gibbs risk, no disagreement, bound 1 - 0.6^2."""
    figure, data = figures.three_voters()
    alone = data.iloc[-1]
    assert alone["gibbs_risk"] == pytest.approx(0.2) == alone["weighted_risk"]
    assert alone["disagreement"] == pytest.approx(0)
    assert alone["c_bound"] == pytest.approx(1 - 0.6**2)
    sharper = data["c_bound"] < 2 * data["gibbs_risk"]
    assert sharper.any()
    assert (sharper == (data["disagreement"] > data["gibbs_risk"] + 1e-12)).all()
    plt.close(figure)


def test_voter_weights_are_those_of_the_model():
    figure, data = figures.voter_weights("yeast5")
    assert data["weight"].sum() == pytest.approx(1)
    assert len(data) == 100
    assert data["own_error"].between(0, 0.5).all()
    # Two voters disagree at most where one of them is wrong.
    assert (data["mean_disagreement"] <= data["own_error"] + data["own_error"].max()).all()
    plt.close(figure)


def test_figures_are_empty_without_rows(nothing):
    for figure, data in (
        figures.gains(nothing["repeats"], {"uniform": "equal"}),
        figures.figure1(nothing["fig1"]),
        figures.bound_and_error(nothing["ablation"]),
    ):
        assert data.empty
        plt.close(figure)
