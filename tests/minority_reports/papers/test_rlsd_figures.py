"""The figures of RLSD, on made-up rows and data."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from rlsd_rows import everything, flagged, nothing, results_of, toy_parts

from minority_reports.papers.rlsd import figures, studies, tables


def test_curves_are_compared_on_the_same_sets():
    cut = results_of("cut", flagged(0.6, 0.008), sets=["simulated-law-2"])
    shared = tables.on_shared_sets(everything()["table3"], nothing()["c50"], cut)
    assert [part.rows["dataset"].nunique() for part in shared] == [1, 0, 1]
    figure, _ = figures.figure1(everything()["table3"], nothing()["c50"], cut)
    assert "means over 1 of 4 sets" in figure.axes[1].get_title()
    plt.close(figure)


def test_discretisation_counts_every_example():
    figure, data = figures.discretisation(toy_parts(), ("a", "unrelated_1"))
    _, y, _, _ = toy_parts()
    totals = data.groupby(["attribute", "stage"])[["good", "bad"]].sum()
    assert len(totals) == 6
    assert (totals["bad"] == y.sum()).all() and (totals["good"] == (y == 0).sum()).all()
    n_intervals = data.groupby(["attribute", "stage"]).size()
    assert n_intervals["a", "before"] > n_intervals["a", "0.05"] >= n_intervals["a", "0.001"] > 1
    plt.close(figure)


def test_inspection():
    model = studies.shown_model(toy_parts(), 0.05, 0.05)
    _, _, X, y = toy_parts()
    figure, data = figures.inspection(toy_parts(), {"0.05, 0.05": model})
    plt.close(figure)
    score = model.predict_proba(X)[:, 1]
    for _, share, found in data.itertuples(index=False):
        chosen = np.argsort(-score, kind="stable")[: round(share * len(y))]
        assert found == pytest.approx(y[chosen].sum() / y.sum())
    assert data.iloc[-1, 1:].tolist() == [1, 1]
    table = tables.inspection_table(model, toy_parts(), budget=0.1)
    listed = model.inspect(X, budget=0.1)
    assert table.frame["looked at"].sum() == len(listed)
    assert table.frame["bad"].sum() == y[listed.index - 3000].sum() > 0
