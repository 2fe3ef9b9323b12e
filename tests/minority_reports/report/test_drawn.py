"""Figures at both widths: no letters that are too small, clipped or on top of one another."""

from itertools import chain

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import faults

from minority_reports.papers.box_drawings import figures as box_drawings
from minority_reports.papers.box_drawings import studies, tables
from minority_reports.papers.box_drawings.protocol import PAPER_METHODS
from minority_reports.papers.damvi import figures as damvi
from minority_reports.papers.damvi import tables as damvi_tables
from minority_reports.report import claims_figure, critical_difference, published_figure
from minority_reports.report.specification import specification_curve
from minority_reports.report.style import COLUMN, FULL, canvas, use_style

BASELINES = {"random-forest": "Random Forest", "cart": "CART"}
VOTES = ("uniform", "r-bg", "brf", "bb", "gradient-boosting")


def _box_figures(rows):
    table5 = rows["table5"]
    auh, labels = tables.mean_auh(table5), table5.labels
    yield box_drawings.local_data()
    yield box_drawings.box_drawing()
    yield box_drawings.boxes_in_3d(n_clusters=2)
    yield box_drawings.weight_story("diamond", (0.1, 0.4, 1.0), n_clusters=3)
    yield box_drawings.gains(table5, BASELINES)
    yield critical_difference(auh, labels, "Table 5: mean ranks by AUH")
    of_paper = tables.mean_auh(table5, PAPER_METHODS)
    yield box_drawings.rank_by_imbalance(of_paper, tables.imbalance(table5))
    real = tables.real_clustering(table5, rows["clusters"])
    yield box_drawings.cluster_picture(studies.cluster_study(), real)
    yield box_drawings.parameter_study(rows["fig4"], "clusters", "number of clusters K")
    yield box_drawings.parameter_study(rows["fig5"], "expansion", "expansion β", log=True)
    yield box_drawings.expansion_picture(table5.experiment)
    yield box_drawings.steps_picture(rows["steps"])


def _damvi_figures(rows):
    labels = rows["table23"].labels
    yield damvi.three_voters()
    yield damvi.gains(rows["repeats"], {name: labels[name] for name in VOTES})
    yield damvi.figure1(rows["fig1"])
    yield damvi.bound_and_error(rows["ablation"])
    yield damvi.voter_weights("yeast5")
    scores = damvi_tables.mean_scores(rows["table23"], "f1", damvi_tables.COMPETITORS)
    yield critical_difference(scores, labels, "Table II: mean ranks by F1", test="nemenyi")


def _shared_figures(judged):
    yield claims_figure({name: case.claims for name, case in judged.items()})
    cases = {name: judged[name] for name in ("box_drawings", "damvi")}
    papers = {name: case.paper for name, case in cases.items()}
    yield published_figure(papers, {name: case.results for name, case in cases.items()})
    for case in cases.values():
        yield specification_curve(case.paper, case.paper.readings.claims[0])


@pytest.mark.parametrize("width", [COLUMN, FULL])
def test_figures_can_be_read_and_nothing_is_clipped_or_covered(judged, width):
    with plt.rc_context():
        use_style(width)
        drawn = chain(
            _box_figures(judged["box_drawings"].results),
            _damvi_figures(judged["damvi"].results),
            _shared_figures(judged),
        )
        found = {}
        for number, (figure, _) in enumerate(drawn):
            assert figure.get_figwidth() <= width
            if wrong := faults(figure):
                found[number, figure.axes[0].get_title()] = wrong
            plt.close(figure)
    assert found == {}


def test_faults_are_found():
    with plt.rc_context():
        use_style(COLUMN)
        figure, axes = canvas()
        axes.set_title("a title that is much too long for a column of a paper of two columns")
        axes.text(0.5, 0.5, "one")
        axes.text(0.5, 0.51, "another")
        axes.text(0.1, 0.1, "small", fontsize=5)
        axes.set_xticks(np.linspace(0, 1, 30))
        wrong = " ".join(faults(figure))
        plt.close(figure)
    for part in ("is clipped", "'one' and 'another' overlap", "'small' has letters of 5.0 pt"):
        assert part in wrong
