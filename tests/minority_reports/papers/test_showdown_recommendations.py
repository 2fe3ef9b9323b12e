"""The advice of the showdown follows from the rows."""

from dataclasses import replace

import pandas as pd
import pytest
import showdown_rows
from showdown_rows import FACTS, SETS, made, order_with, with_rows

from minority_reports.papers.showdown.protocol import KEEL
from minority_reports.papers.showdown.recommendations import advice, source_of


@pytest.fixture(scope="module")
def both():
    return showdown_rows.both()


@pytest.fixture(scope="module")
def untuned():
    return showdown_rows.untuned()


def test_advice_follows_the_rows(untuned):
    text = advice(untuned)
    assert "| G-mean | **Gradient boosting** | 1.0 of 12 | none | none |" in text
    assert "| Brier score | **Gradient boosting** | 1.0 of 8 | none | none |" in text
    # the best is the shortest, too, and the others are faster: none of them is recommended
    assert "best by mean rank in G-mean is **Gradient boosting** (20 conditions" in text
    assert "also the best with at most 20 conditions: that costs nothing" in text
    assert "no method within 0.02 of the highest mean G-mean is faster than **Grad" in text
    assert "Whether tuning pays is open: 0 data sets" in text
    assert "come from" in text and "28 data sets" in text
    other = advice({**untuned, "defaults": made(order_with("exact-boxes", "b-svm", "rusboost"))})
    assert "| G-mean | **Exact Boxes** |" in other and "**Gradient boosting**" not in other
    assert "best by mean rank in G-mean is **Exact Boxes**" in other
    assert "| Brier score | **RUSBoost** |" in other


def test_advice_names_those_that_may_be_as_good(untuned):
    rows = untuned["defaults"].rows.copy()
    even = rows["dataset"].isin(SETS[::2]) & rows["method"].eq("logistic")
    rows.loc[even, "g_mean"] += 0.08
    text = advice(untuned | {"defaults": with_rows(untuned["defaults"], rows)})
    line = next(line for line in text.splitlines() if line.startswith("| G-mean"))
    assert "Logistic regression" in line and "Gradient boosting" in line and "RLSD" not in line


def test_advice_says_with_what_probability_methods_are_equivalent(untuned):
    rows = untuned["defaults"].rows.copy()
    near = rows["method"].eq("logistic")  # 0.04 below the best otherwise
    rows.loc[near, "g_mean"] += 0.035
    text = advice(untuned | {"defaults": with_rows(untuned["defaults"], rows)})
    line = next(line for line in text.splitlines() if line.startswith("| G-mean"))
    assert line.endswith("| none | Logistic regression (1.00) |")  # they differ, and by little


def test_a_smaller_model_is_recommended_with_what_it_costs(untuned):
    rows = untuned["defaults"].rows.copy()
    rows["conditions"] = rows["method"].map({"logistic": 9.0, "rlsd": 4.0}).fillna(900.0)
    few = untuned | {"defaults": with_rows(untuned["defaults"], rows)}
    text = advice(few)
    assert (
        "With at most 10 conditions it is **Logistic regression** (9 in the median): -0.040" in text
    )
    assert "worse with probability 1.00" in text
    assert "With at most 5 conditions it is **RLSD** (4 in the median)" in text
    # what is beaten by something shorter is not recommended for its speed either
    slow = with_rows(
        few["defaults"],
        rows.assign(g_mean=rows["g_mean"].where(~rows["method"].eq("logistic"), 0.99)),
    )
    assert "faster than **Logistic regression**" in advice(untuned | {"defaults": slow})
    # one model in two is short: that is not most of them
    rows.loc[rows["method"].eq("logistic") & rows["fold"].eq(0), "conditions"] = 30.0
    text = advice(untuned | {"defaults": with_rows(untuned["defaults"], rows)})
    assert "With at most 50 conditions it is **Logistic regression**" in text


def test_advice_on_rare_positives(untuned):
    rows = untuned["defaults"].rows.copy()
    rare = rows["dataset"].map(FACTS["imbalance"]).astype(float) > 20
    assert rows.loc[rare, "dataset"].nunique() == 14
    rows.loc[rare & rows["method"].eq("rlsd"), "g_mean"] += 0.3
    text = advice(untuned | {"defaults": with_rows(untuned["defaults"], rows)})
    assert (
        "above 20, 14 sets): **RLSD** (mean rank 1.0 of 12; not significantly different: none; "
        "practically equivalent with probability: none)"
    ) in text
    assert "at most 20, 14 sets): **Gradient boosting**" in text
    half = untuned | {"defaults": made(sets=SETS[:14])}
    assert "above 20, 0 sets): too few sets to say" in advice(half)


def test_advice_on_tuning(both):
    assert "shown to pay in G-mean for none of 12." in advice(both)
    lifted = made(setting="tuned", folds=(1,), lift={"fast-boxes": 0.3, "rlsd": -0.05})
    text = advice(both | {"tuned": lifted})
    assert "it paid in G-mean for 1 of 12, most for **Fast Boxes** (+0.300" in text
    assert "did harm to RLSD." in text
    assert "After it the best in G-mean is **Fast Boxes** (mean rank 1.0 of 12" in text


def test_advice_without_timings(untuned):
    bare = replace(untuned["defaults"], timings=pd.DataFrame(), _kept={})
    assert "there are no timings" in advice(untuned | {"defaults": bare})


def test_sources_of_the_sets():
    assert source_of("ecoli-0-1_vs_2-3-5") == source_of("ecoli1") == "ecoli"
    assert source_of("winequality-red-4") == source_of("winequality-white-3_vs_7")
    assert source_of("2020") == "2020"
    assert len({source_of(name) for name in KEEL}) == 22
