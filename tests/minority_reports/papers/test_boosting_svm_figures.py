"""Figures of Boosting-SVM, and the studies that they draw."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from boosting_svm_worlds import without_rows, world_of

from minority.ensembles import BoostingSVMClassifier
from minority_reports.papers.boosting_svm import figures, studies


@pytest.fixture(scope="module")
def claimed():
    return world_of("claimed")


@pytest.fixture(scope="module")
def nothing():
    return without_rows()


def test_figures(claimed, nothing):
    for picture in (figures.slack_picture, figures.vote_picture, figures.weights_picture):
        _, data = picture()
        assert len(data)
    figure, data = figures.costs_picture(claimed["costs"])
    assert len(data) == len(claimed["costs"].rows) / 10
    assert figure.axes[0].get_xscale() == "log"
    figures.costs_picture(nothing["costs"])
    plt.close("all")


def test_slacks_and_weights_of_the_pictures():
    _, data = figures.slack_picture()
    assert (data["slack"] >= 0).all() and (data["slack"] > 1).any()
    X, y = studies.two_dimensions()
    model = BoostingSVMClassifier(
        n_estimators=4, delta=0.5, validation_fraction=None, random_state=0
    ).fit(X, y)
    weights = studies.weights_by_round(model, X, y)
    assert (weights[0] == 1).all()
    for m, machine in enumerate(model.estimators_):
        wrong = machine.predict(X) != y
        error = weights[m, wrong].sum() / weights[m].sum()
        assert model.errors_[m] == pytest.approx(error)
        grown = weights[m] * np.where(wrong, np.exp(model.alphas_[m]), 1)
        np.testing.assert_allclose(weights[m + 1], grown)
    plt.close("all")


def test_rounds_study():
    study = studies.round_study("glass7")
    assert set(study["part"]) == {"training", "validation", "test"}
    for _, part in study[study["part"] == "validation"].groupby("delta"):
        chosen = part[part["chosen"]]
        assert len(chosen) == 1
        assert chosen["g_mean"].iloc[0] == part["g_mean"].max()
