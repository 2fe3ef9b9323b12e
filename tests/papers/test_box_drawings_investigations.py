"""What the investigations of Box Drawings conclude rests on facts of the rows, computed again."""

import numpy as np
import pytest
from scipy import stats

from minority.experiments import Settings, run
from minority.papers import box_drawings as paper
from minority.papers.box_drawings import _studies as studies
from minority.papers.box_drawings._exact_tables import proofs
from minority.rules import PRIMClassifier
from minority.statistics import bootstrap_interval


@pytest.fixture(scope="module")
def stored():
    settings = Settings(paper.PAPER, compute="none")
    return {name: run(e, settings) for name, e in paper.PAPER.experiments.items()}


def text_of(stored, claim):
    return paper.PAPER.investigations[f"box_drawings-{claim}"](stored).text


def test_prim_is_in_the_middle_and_peels_nineteen_times(stored):
    timings = stored["table5"].timings
    of_prim = timings[timings["method"] == "prim"].groupby("dataset")["seconds"].mean()
    of_cart = timings[timings["method"] == "cart"].groupby("dataset")["seconds"].mean()
    ratio = stats.gmean(of_prim / of_cart)
    assert f"{ratio:.1f} (" in text_of(stored, "08")
    assert f"{19 * ratio:.0f} (" in text_of(stored, "08")
    rng = np.random.default_rng(0)
    X, y = rng.random((2_000, 3)), np.arange(2_000) < 1_000
    (way,) = PRIMClassifier(max_boxes=1, cv=None, paste_alpha=None).fit(X, y).trajectories_
    assert way["support"].sum() == pytest.approx(19, abs=0.5)


def test_unpruned_trees_rank_better_but_do_not_find_more(stored):
    areas = studies.ranking_study()
    assert areas.shape[1] == 2 and len(areas) > 25
    _, low, _ = bootstrap_interval(areas["unpruned"] - areas["pruned"])
    assert low > 0
    rows = stored["pruning"].rows
    means = rows.groupby(["method", "setting", "dataset"])["recall"].mean().unstack("setting")
    for method in ("c45", "cart"):
        gaps = (means["pruned=no"] - means["pruned=yes"])[method]
        assert f"recall {gaps.mean():+.4f} (" in text_of(stored, "25")
        assert bootstrap_interval(gaps)[2] < 0.02, "no gain worth having"


def test_exact_boxes_are_behind_beyond_chance(stored):
    table = proofs(stored["table4"])
    whole = table[table["of"] == 100]
    text = text_of(stored, "36")
    assert f"on the {len(whole)} sets" in text
    assert f"{whole['test AUH, gain'].mean():+.2f} (" in text
    assert stats.wilcoxon(whole["test AUH, gain"]).pvalue < 0.01
    assert (whole["test AUH, gain"] < 0.05).all()
    assert f"±{((whole['high'] - whole['low']) / 2).median():.2f}" in text
