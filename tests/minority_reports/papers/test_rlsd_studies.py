"""What RLSD's notebook computes where it shows it: public data, the limit M, the speed."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from rlsd_rows import toy_parts
from scipy.stats import chi2
from sklearn.base import clone

from minority.rules import ChiMerge
from minority_reports import datasets
from minority_reports.papers.rlsd import studies, tables
from minority_reports.papers.rlsd.protocol import RLSD


def test_steps_are_those_of_the_merges_that_are_made():
    column, nobody = np.arange(16.0), np.zeros(16, bool)
    steps = studies.count_chimerge(column, nobody)
    # sorted already: 15 comparisons; 15 chi-squares at first, then 14, 13, ... each with a search
    assert steps["textbook"] == 15 + 15 + 2 * sum(range(15))
    alternating = np.arange(16) % 2 == 0
    assert studies.count_chimerge(column, alternating)["minority"] < steps["textbook"]


def test_noise_in_rules():
    study = studies.noise_in_rules(toy_parts(), levels=(0.2, 0.0001), least=(0.05, 0.02))
    model = studies.shown_model(toy_parts(), 0.05, 0.02, significance=0.2)
    features = [c.feature for rule in model.rules_ for c in rule.conditions]
    assert study.loc[0.2, "unrelated"] == features.count("unrelated_1") / len(features)
    assert study.loc[0.0001, "unrelated"] == 0
    assert "SIMULATED" in tables.noise_table(study).caption


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.05, 0.001]))
@settings(max_examples=30, deadline=None)
def test_textbook_gives_the_intervals_of_the_heap(seed, significance):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, 30, size=200).astype(float)
    y = (rng.random(200) < np.where(column > 20, 0.6, 0.2)).astype(np.int8)
    y[:2] = 0, 1
    lower = studies.textbook_chimerge(column, y, chi2.isf(significance, df=1))
    model = ChiMerge(method="classic", significance=significance, pos_label=1)
    codes = model.fit_transform(column[:, None], y)[:, 0]
    np.testing.assert_array_equal(np.searchsorted(lower, column, side="right") - 1, codes)


def test_speed_study_leaves_out_the_textbook_where_it_is_slow():
    study = studies.speed_study(sizes=(200, 500), textbook_up_to=200)
    assert study["textbook, ms"].notna().tolist() == [True, False]
    assert (study[["classic, ms", "minority, ms"]] > 0).all(axis=None)
    assert tables.speed_table(study).frame.index.tolist() == ["200", "500"]


def test_hits_of_a_million_are_a_page():
    hits = studies.hits_of_a_million(20_000, 5_000, budget=0.01)
    assert 0 < len(hits) <= 50 and hits["score"].is_monotonic_decreasing
    assert hits["rule"].min() == 1
    reasons = hits[["score", "rule", "reason"]].drop_duplicates()
    assert reasons["rule"].is_unique
    assert hits["fraud"].mean() > 0.05  # 50 times as many as among all


def test_public_sets_are_all_that_meet_their_rule():
    facts = datasets.describe().set_index("name")
    positives, n = facts["positives"].astype(float), facts["n"].astype(float)
    names = facts.index[(facts["source"] == "keel") & (positives >= 40) & (positives < 0.05 * n)]
    numeric = [datasets.load(name).X.dtypes.map(pd.api.types.is_numeric_dtype) for name in names]
    chosen = [name for name, kinds in zip(names, numeric, strict=True) if kinds.mean() > 0.5]
    assert chosen == list(studies.PUBLIC)


def test_public_grid_against_the_classifier():
    grid = studies.public_grid(("yeast5",), splits=1)
    assert grid.shape == (20, 7)
    row = grid.loc["yeast5", 0.05, 3]
    data = datasets.load("yeast5")
    ((train, test),) = studies.stratified_splits(data.y, 1, studies.derive_seed(0, "yeast5"))
    share = data.y[train].mean()
    least = {"min_recall": 0.05, "min_precision": 3 * share / (1 + 2 * share)}
    model = clone(RLSD).set_params(random_state=0, **least)
    model.fit(data.X.iloc[train], data.y[train])
    assert row["n_rules"] == len(model.rules_)
    predicted = model.predict(data.X.iloc[test]) == 1
    assert row["recall"] == predicted[data.y[test] == 1].mean()
    assert row["precision"] == data.y[test][predicted].mean()
    covered = model.rules_.covers_each(data.X.iloc[test])
    assert row["idle"] == np.mean([data.y[test][c].sum() == 0 for c in covered])


def test_limit_study_and_its_table():
    study = studies.limit_study(("yeast5",), limits=(40, 10_000), splits=1)
    assert study.loc["yeast5", 40]["generated"] == 40
    assert 40 < study.loc["yeast5", 10_000]["generated"] < 10_000
    simulated = studies.limits_on_simulated(toy_parts(), limits=(100, 200))
    assert simulated.index.names == study.index.names  # stored, it would be lost without
    frame = tables.limit_table(simulated).frame
    assert frame.index[:2].tolist() == [f"{studies.SHOWN}, M = {m}" for m in (100, 200)]


def test_search_study_counts_up_to_the_limit():
    counts = studies.search_study(("yeast5", "shuttle-2_vs_5"), limit=100)
    assert counts.tolist() == [100, 80]
