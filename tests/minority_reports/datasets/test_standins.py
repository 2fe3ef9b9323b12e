"""The stand-ins for proprietary data: whole-number arithmetic, and neither trivial nor hopeless."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from minority_reports import datasets
from minority_reports.datasets.standins import STANDINS, stand_in

SMALL = [name for name in STANDINS if name != "simulated-pct"]


def test_every_stand_in_is_registered():
    assert set(datasets.names(source="stand-in")) == set(STANDINS)


@pytest.mark.parametrize("name", SMALL)
def test_overlap_is_moderate(name):
    data = datasets.load(name)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
    auroc = cross_val_score(model, data.X, data.y, cv=5, scoring="roc_auc").mean()
    assert 0.74 < auroc < 0.86


@pytest.mark.parametrize("name", SMALL)
def test_columns(name):
    X, y = stand_in(name)
    again, y_again = stand_in(name)
    pd.testing.assert_frame_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    np.testing.assert_array_equal(X.round(2), X)
    kinds = X.nunique()
    assert (kinds == 2).sum() == X.shape[1] // 5  # binary
    assert ((kinds > 2) & (kinds <= 5)).sum() == (X.shape[1] + 1) // 5  # ordinal
    correlation = X.corr().abs().to_numpy()
    assert (np.triu(correlation, 1) > 0.2).sum() > X.shape[1]


def test_compustat_has_its_training_rows_first():
    _, y = stand_in("simulated-compustat")
    assert (y[:10_358].sum(), y[10_358:].sum()) == (414, 130)
    assert 0 < y[:5_000].sum() < 414
