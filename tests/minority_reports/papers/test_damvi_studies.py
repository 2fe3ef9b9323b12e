"""The studies of DAMVI: few labels, more classes, two solvers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority_reports.papers.damvi import studies
from minority_reports.papers.damvi.studies import _kept_labels


@given(st.floats(0.01, 0.9), st.integers(0, 99))
@settings(deadline=None)
def test_labels_are_kept_in_each_class(share, seed):
    y = np.repeat([0, 1], [90, 20])
    known = _kept_labels(y, share, np.random.default_rng(seed))
    assert known[y == 0].sum() == max(2, round(share * 90))
    assert known[y == 1].sum() == max(2, round(share * 20))


def test_pseudo_label_study():
    study = studies.pseudo_label_study(["iris0"], shares=(0.2,), splits=2)
    assert study["trained_on"].tolist() == 2 * ["labelled rows", "pseudo-labels", "all labels"]
    # setosa is far from the others, so few labels are enough
    assert (study["f1"] > 0.9).all()
    pseudo = study[study["trained_on"] == "pseudo-labels"]
    assert (pseudo[["precision", "recall"]] > 0.9).all(axis=None)
    assert study[study["trained_on"] != "pseudo-labels"]["precision"].isna().all()
    assert study.equals(studies.pseudo_label_study(["iris0"], shares=(0.2,), splits=2))


def test_multiclass_study():
    study = studies.multiclass_study(["glass7"], splits=2).set_index(["split", "weights"])
    assert (study["classes"] == 5).all()  # class 6 has nine rows
    for split in range(2):
        assert study.loc[(split, "uniform"), "n_voters"] == 100
        assert study.loc[(split, "damvi"), "n_voters"] < 100
        assert study.loc[(split, "damvi"), "gibbs_risk"] < 0.5
    assert study["macro_f1"].between(0.3, 1).all()
    accuracy = study["accuracy"]
    assert (accuracy.xs("damvi", level="weights") != accuracy.xs("uniform", level="weights")).any()


def test_solvers_reach_the_same_bound():
    study = studies.solver_study("yeast5", n_voters=(5, 20))
    assert study.index.tolist() == [5, 20]
    assert study["C-bound, NNLS"].to_numpy() == pytest.approx(study["C-bound, SLSQP"], abs=1e-6)
    assert (study.filter(like=", s") > 0).all(axis=None)
