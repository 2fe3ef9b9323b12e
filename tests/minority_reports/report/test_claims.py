"""The language of claims: what each criterion grades, and which rows a rule may see."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toy
from minority_reports.experiments import Settings, corrected_gaps, run
from minority_reports.report import (
    ALWAYS,
    BY_CONSTRUCTION,
    GENERALLY,
    GRADES,
    MATCHES,
    MOSTLY_NOT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OFTEN,
    PARTLY,
    REPRODUCED,
    SOME,
    AsGoodAs,
    Both,
    ByConstruction,
    Cases,
    Effect,
    Exceeds,
    Measured,
    Need,
    NoDifferent,
    NotTestable,
    Number,
    Numbers,
    Rule,
    Verdict,
    correlation_effect,
    mean_effect,
    rule,
    split_effect,
)
from minority_reports.report.claims import counts_in_verdicts

LEVEL = Effect("difference", 0.0, -1.0, 1.0)


def graded(criterion, held, cases, effect=LEVEL):
    return criterion.grade(Cases([True] * held + [False] * (cases - held), "", effect))


@pytest.mark.parametrize(
    ("criterion", "by_held"),
    [
        (ALWAYS, [NOT_REPRODUCED] + [MOSTLY_NOT] * 3 + [PARTLY] * 4 + [REPRODUCED]),
        (GENERALLY, [NOT_REPRODUCED] + [MOSTLY_NOT] * 2 + [PARTLY] * 3 + [REPRODUCED] * 3),
        (OFTEN, [NOT_REPRODUCED, MOSTLY_NOT] + [PARTLY] * 2 + [REPRODUCED] * 5),
        (SOME, [NOT_REPRODUCED] + [REPRODUCED] * 8),
    ],
)
def test_a_quantifier_means_the_same_everywhere(criterion, by_held):
    assert [graded(criterion, held, 8) for held in range(9)] == by_held


@pytest.mark.parametrize("criterion", [ALWAYS, GENERALLY, OFTEN])
def test_a_significant_opposite_is_not_reproduced_however_often_it_held(criterion):
    opposite = Effect("difference", -0.2, -0.3, -0.1)
    assert graded(criterion, 8, 8, opposite) == NOT_REPRODUCED
    assert graded(SOME, 1, 8, opposite) == REPRODUCED, "none is the opposite of some"


@given(st.integers(1, 60), st.data())
def test_more_cases_that_hold_never_grade_worse(cases, data):
    held = data.draw(st.integers(0, cases - 1))
    for criterion in (ALWAYS, GENERALLY, OFTEN, SOME):
        less, more = (GRADES.index(graded(criterion, n, cases)) for n in (held, held + 1))
        assert more <= less


def test_single_effects_are_graded_by_their_intervals():
    clear, small, unsure = Effect("", 0.2, 0.1, 0.3), Effect("", 0.2, 0.01, 0.3), LEVEL
    assert [Exceeds().grade(Measured(e)) for e in (clear, unsure)] == [REPRODUCED, NOT_REPRODUCED]
    assert Exceeds(0.3).grade(Measured(clear)) == NOT_REPRODUCED
    assert Exceeds().grade(Measured(Effect("", 0.2, math.nan, math.nan))) == NOT_REPRODUCED
    behind = Effect("", -0.01, -0.02, 0.01)
    assert AsGoodAs(0.03).grade(Measured(behind)) == REPRODUCED
    assert AsGoodAs(0.01).grade(Measured(behind)) == NOT_REPRODUCED
    assert AsGoodAs(0.03).grade(Measured(unsure)) == NOT_REPRODUCED, "a wide interval shows nothing"
    assert NoDifferent(0.03).grade(Measured(behind)) == REPRODUCED
    assert NoDifferent(0.03).grade(Measured(small)) == NOT_REPRODUCED


def test_numbers_agree_within_their_noise_else_within_five_per_cent():
    assert Number("F1", 0.62, 0.60, sd=0.011).agrees
    assert not Number("F1", 0.62, 0.60, sd=0.009).agrees
    assert Number("F1", 0.62, 0.60).agrees and not Number("F1", 0.64, 0.60).agrees
    numbers = [Number(f"n{i}", 1.0 + 0.2 * (i > 1), 1.0) for i in range(4)]
    assert MATCHES.grade(Numbers(numbers[:2])) == REPRODUCED
    assert MATCHES.grade(Numbers(numbers)) == PARTLY
    assert MATCHES.grade(Numbers(numbers[1:])) == MOSTLY_NOT
    assert MATCHES.grade(Numbers(numbers[2:])) == NOT_REPRODUCED
    assert "n2 1.200 (published 1.000)" in Numbers(numbers).sentence


def test_evidence_is_a_sentence():
    effect = mean_effect("AUH, first minus second", [-0.1, 0.1, -0.3])
    assert Cases([False] * 3, "It is ahead on {count} data sets", effect).sentence == (
        "It is ahead on none of 3 data sets (AUH, first minus second −0.100 [−0.300, +0.100])"
    )
    assert "all 2 data sets" in Cases([1, 1], "on {count} data sets", effect).sentence
    assert str(Effect("gain", 1.0, math.nan, math.nan, 1)) == "gain +1.0"


def test_a_correlation_has_an_interval_and_the_sign_of_the_claim():
    x = np.arange(30.0)
    falling = correlation_effect("", x, -x, sign=-1)
    assert falling.value == pytest.approx(1) and falling.low > 0.9
    noise = correlation_effect("", x, np.random.default_rng(0).normal(size=30))
    assert noise.low < 0 < noise.high
    assert math.isnan(correlation_effect("", x, np.ones(30)).low)


def stored(paper):
    settings = Settings(paper, compute="missing", n_jobs=1)
    return {name: run(e, settings) for name, e in paper.experiments.items()}


def counting(found):
    return Cases([True] * len(found.rows), "{count} rows", LEVEL)


def test_a_rule_sees_complete_cells_and_counts_the_others(results):
    whole = stored(toy.paper())
    rule = Rule("rows", ALWAYS, counting, (Need("table1", ("count",)),))
    n = len(whole["table1"].rows) // 2
    assert rule(whole).evidence.startswith(f"all {n} rows")
    rows = whole["table1"].rows
    first = rows[(rows["method"] == "count")].index[0]
    part = {"table1": replace(whole["table1"], rows=rows.drop(index=first), _kept={})}
    assert rule(part).evidence.startswith(f"all {n // 2} rows")
    assert rule(part).evidence.endswith("; incomplete data sets left out: 1")
    both = Rule("rows", ALWAYS, counting, (Need("table1", ("count",), sets=2),))
    assert both(whole).grade == REPRODUCED
    assert both(part).grade == NOT_TESTABLE
    assert "1 of 2 data sets are complete" in both(part).evidence
    one = Rule("rows", ALWAYS, counting, (Need("table1", datasets=("iris0",)),))
    assert one(whole).evidence.startswith(f"all {n} rows")


def test_no_case_is_not_testable_rather_than_held():
    rule = Rule("nothing", ALWAYS, lambda: Cases([], "{count}", LEVEL))
    assert rule({}).grade == NOT_TESTABLE


def test_the_worse_half_grades_a_claim():
    def constant(grade_held):
        return Rule("half", ALWAYS, lambda: Cases(grade_held, "{count}", LEVEL))

    both = Both(constant([True]), constant([True, False]))
    assert both({}).grade == PARTLY
    assert "(reproduced)" in both({}).evidence and "(partly)" in both({}).evidence
    untested = Rule("half", ALWAYS, lambda: Cases([], "{count}", LEVEL))
    assert Both(constant([True]), untested)({}).grade == NOT_TESTABLE
    assert Both(untested, constant([False]))({}).grade == NOT_REPRODUCED, (
        "a part that fails decides"
    )
    assert both.text == "half — always (all); and half — always (all)"


def test_what_cannot_fail_is_not_reproduced():
    shown = ByConstruction("tests/test_it.py::test_algebra")({})
    assert shown == Verdict(BY_CONSTRUCTION, "unit test test_algebra in tests/test_it.py")
    why = NotTestable("the data is lost", lambda results: "on public data it holds")
    assert why({}).evidence == "the data is lost; on public data it holds"


@pytest.mark.parametrize(("held", "grade"), [([True], REPRODUCED), ([False], NOT_REPRODUCED)])
def test_a_grade_on_public_data_stands_beside_and_decides_nothing(held, grade):
    beside = Rule("half", ALWAYS, lambda: Cases(held, "{count}", LEVEL), shown="toy")
    claim = NotTestable("the data is lost", on_public=beside)
    found = claim({})
    assert (found.grade, found.on_public) == (NOT_TESTABLE, grade)
    assert found.evidence.startswith(f"the data is lost; on public data: {grade}, ")
    assert claim.text == f"not testable here; on public data: {beside.text}"
    assert claim.shown == "toy" and not claim.experiments
    assert NotTestable("lost", shown="other", on_public=beside).shown == "other"
    assert not NotTestable("lost")({}).on_public


def test_stand_ins_and_sets_made_from_a_name_count_nowhere():
    assert not counts_in_verdicts("simulated-pct")
    assert not counts_in_verdicts("castle3D")
    assert counts_in_verdicts("boxdraw_diamond3D"), "the authors' own sample"
    assert counts_in_verdicts("glass2")


def test_grades_are_of_the_known_kinds():
    with pytest.raises(ValueError, match="unknown grade 'confirmed'; one of reproduced"):
        Verdict("confirmed", "")
    with pytest.raises(ValueError, match="unknown grade 'confirmed'"):
        Verdict(NOT_TESTABLE, "", on_public="confirmed")


def test_a_rule_stands_above_the_function_that_measures():
    need = Need("table1")

    def gains(part):
        return Measured(LEVEL)

    assert rule("It gains", ALWAYS, (need,), "toy")(gains) == Rule(
        "It gains", ALWAYS, gains, (need,), "toy"
    )
    assert rule("It gains", ALWAYS)(gains) == Rule("It gains", ALWAYS, gains)


def test_an_effect_over_splits_has_the_interval_of_the_gaps_of_a_data_set():
    index = pd.MultiIndex.from_product([["a"], [0], range(3)], names=["dataset", "repeat", "fold"])
    differences = pd.Series([0.1, 0.3, 0.2], index=index)
    effect = split_effect("gain", differences, toy.experiment(), digits=1)
    gap = corrected_gaps(differences, toy.experiment()).loc["a"]
    assert effect == Effect("gain", *gap[["difference", "low", "high"]], 1)
    assert effect.low < 0.2 < effect.high
