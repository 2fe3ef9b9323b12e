"""Claims of the sampling wrapper, on made-up rows with known answers."""

import functools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sampling_wrapper_rows import (
    COST_SENSITIVE,
    everything,
    main_row,
    nothing,
    results_of,
    with_own_learner,
)
from sklearn.metrics import roc_auc_score

from minority.sampling._criteria import f_measure, precision_weight
from minority_reports import datasets, paths
from minority_reports.papers.sampling_wrapper import PAPER
from minority_reports.papers.sampling_wrapper.schemes import COST_FREE, RATIOS, SCHEMES, WITH_COSTS
from minority_reports.report import (
    BY_CONSTRUCTION,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    Both,
    ByConstruction,
    NotTestable,
    Rule,
    Verdicts,
    judge,
    published,
)
from minority_reports.report.claims import rule_history

WRAPPERS = (*COST_FREE, *WITH_COSTS)


def parts():
    """Every rule about rows by a short name: that of its claim, and of its half if it has two."""
    found = {}
    for claim, rule in PAPER.rules.items():
        if isinstance(rule, (Rule, Both)):
            halves = rule.rules if isinstance(rule, Both) else (rule,)
            names = [f"{claim[-2:]}{letter}" for letter in "abcdef"[: len(halves)]]
            found |= dict(zip(names, halves, strict=True))
    return found


PARTS = parts()


# Worlds in which the claims are wrong: as they should be, but for what is exchanged.


def with_main(value_of):
    return everything() | {"main": results_of("main", value_of)}


def in_place(schemes):
    """Schemes that do as others do; amounts that these do not have stay their own."""
    return with_main(lambda key: main_row(key) | main_row(key, schemes.get(key.setting)))


@functools.cache
def learners_exchanged():
    other = {"c45": "ripper", "ripper": "c45"}
    timing = everything()["timing"]
    timings = timing.timings.assign(method=timing.timings["method"].map(other))
    return with_main(lambda key: main_row(key, learner=other[key.method])) | {
        "timing": replace(timing, timings=timings, _kept={})
    }


@functools.cache
def searches_exchanged():
    return in_place({"wrapper-f": "wrapper-auroc", "wrapper-auroc": "wrapper-f"})


@functools.cache
def base_exchanged():
    """The base is as good as the best wrapper, everything else as bad as the base."""
    return in_place(dict.fromkeys(SCHEMES, "base") | {"base": "wrapper-auroc"})


@functools.cache
def cost_sensitive_exchanged():
    return in_place(
        dict.fromkeys(WRAPPERS, "metacost") | dict.fromkeys(COST_SENSITIVE, "wrapper-auroc")
    )


@functools.cache
def criteria_exchanged():
    """The searches with costs do as those without, and the other way round."""
    return in_place(
        dict.fromkeys(WITH_COSTS, "wrapper-auroc") | dict.fromkeys(COST_FREE, "wrapper-cost")
    )


@functools.cache
def one_kind_of_cost_exchanged():
    return in_place({"metacost": "csc", "csc": "metacost", "weighting": "wrapper-auroc"})


def main_with(values, dataset=None):
    """Some values in the rows of the searches without costs."""

    def value_of(key):
        row = main_row(key)
        is_changed = key.setting in COST_FREE and dataset in (None, key.dataset)
        return row | values if is_changed else row

    return with_main(value_of)


@functools.cache
def amounts_are_the_same():
    return main_with({"kept_1": 90, "smote_1": 100})


@functools.cache
def f_always_rises():
    return main_with({"f1": 0.6})


@functools.cache
def cutting_is_bad():
    cut = {f"fn_{ratio}": 30 for ratio in RATIOS}
    return main_with(cut | {"fn": 9, "fp": 3})


@functools.cache
def cutting_is_always_good():
    cut = {f"{kind}_{ratio}": 0 for ratio in RATIOS for kind in ("fn", "fp")}
    return main_with(cut)


@functools.cache
def positives_need_less_time():
    timing = everything()["timing"]
    seconds = 1 / timing.timings["seconds"]
    timings = timing.timings.assign(seconds=seconds)
    return everything() | {"timing": replace(timing, timings=timings, _kept={})}


@functools.cache
def smote_finds_less():
    less = results_of("smote", lambda key: {"fn": 9, "fp": 0, "auroc": 0.9, "f1": 0.6})
    return everything() | {"smote": less}


@functools.cache
def search_is_dear():
    def value_of(key):
        row = {"fn": 6 if key.method == "wrapper-auroc" else 3, "fp": 1, "auroc": 0.9, "f1": 0.6}
        return row | {"kept": 90, "smote": 100, "n_fits": 30, "positives": 20, "negatives": 80}

    return everything() | {"rivals": results_of("rivals", value_of)}


@functools.cache
def stable_learners_save_more():
    part = everything()["stability"]
    rows = part.rows.assign(disagreement=0.5 - part.rows["disagreement"])
    return everything() | {"stability": replace(part, rows=rows, _kept={})}


#: For each rule the world in which it must not hold.
ADVERSE = {
    "01a": cost_sensitive_exchanged,
    "04a": smote_finds_less,
    "13a": base_exchanged,
    "14a": learners_exchanged,
    "15a": base_exchanged,
    "16a": base_exchanged,
    "16b": f_always_rises,
    "17a": f_always_rises,
    "17b": f_always_rises,
    "18a": searches_exchanged,
    "19a": searches_exchanged,
    "20a": searches_exchanged,
    "20b": searches_exchanged,
    "21a": amounts_are_the_same,
    "21b": amounts_are_the_same,
    "22a": amounts_are_the_same,
    "23a": base_exchanged,
    "25a": learners_exchanged,
    "25b": learners_exchanged,
    "26a": positives_need_less_time,
    "27a": one_kind_of_cost_exchanged,
    "28a": cost_sensitive_exchanged,
    "29a": cost_sensitive_exchanged,
    "30a": cost_sensitive_exchanged,
    **dict.fromkeys([f"31{letter}" for letter in "abcdef"], cost_sensitive_exchanged),
    "32a": base_exchanged,
    "32b": criteria_exchanged,
    "33a": base_exchanged,
    "34a": learners_exchanged,
    "35a": base_exchanged,
    "36a": search_is_dear,
    "40a": cost_sensitive_exchanged,
    "40b": cost_sensitive_exchanged,
    "41a": cost_sensitive_exchanged,
    "42a": searches_exchanged,
    "43a": one_kind_of_cost_exchanged,
    "43b": one_kind_of_cost_exchanged,
    "44a": stable_learners_save_more,
    "47a": cutting_is_bad,
    "47b": cutting_is_bad,
    "48a": criteria_exchanged,
    "49a": cutting_is_bad,
    "49b": cutting_is_always_good,
}


def test_every_claim_has_a_rule():
    assert set(PAPER.rules) == {claim["id"] for claim in published("sampling_wrapper")["claims"]}


@pytest.mark.parametrize("part", PARTS)
def test_rows_that_fit_a_claim_reproduce_it(part):
    verdict = PARTS[part](everything())
    assert verdict.grade == REPRODUCED, verdict.evidence


@pytest.mark.parametrize("part", sorted(set(PARTS) - {"12a"}))
def test_other_rows_turn_every_rule(part):
    verdict = PARTS[part](ADVERSE[part]())
    assert verdict.grade == NOT_REPRODUCED, verdict.evidence


def test_another_count_of_the_data_turns_the_accuracy(monkeypatch):
    """Which is a fact of the data set, and of no rows."""
    facts = datasets.describe()
    once = facts.assign(n=facts["n"].where(facts["name"] != "mammography", 7_849))
    monkeypatch.setattr(datasets, "describe", lambda: once)
    assert PARTS["12a"]({}).grade == NOT_REPRODUCED


@pytest.mark.parametrize("part", PARTS)
def test_every_rule_has_an_effect_and_says_how_many(part):
    verdict = PARTS[part](everything())
    assert np.isfinite([verdict.effect.value, verdict.effect.low, verdict.effect.high]).all()
    assert "{count}" not in verdict.evidence and "nan" not in verdict.evidence


def test_the_rest_is_by_construction_or_cannot_be_tested():
    for claim, rule in PAPER.rules.items():
        if isinstance(rule, ByConstruction):
            file, _, name = rule.test.partition("::")
            assert f"def {name}(" in (paths.root() / file).read_text(encoding="utf-8"), claim
        elif isinstance(rule, NotTestable):
            assert rule(everything()).grade == NOT_TESTABLE
            assert rule(nothing()).grade == NOT_TESTABLE


def test_without_rows_nothing_is_judged_but_what_is_counted():
    found = judge("sampling_wrapper", PAPER.rules, nothing())["verdict"]
    counted = "sampling_wrapper-12"
    assert found[counted] == REPRODUCED
    assert set(found.drop(counted)) == {NOT_TESTABLE, BY_CONSTRUCTION}


def without_a_fold(results, dataset, learner):
    rows = results.rows
    of_cell = rows[(rows["dataset"] == dataset) & (rows["method"] == learner)]
    one = of_cell[(of_cell["repeat"] == 4) & (of_cell["fold"] == 9)]
    return replace(results, rows=rows.drop(index=one.index).reset_index(drop=True), _kept={})


def test_what_is_not_complete_is_left_out_and_counted():
    part = everything() | {"main": without_a_fold(everything()["main"], "oil", "ripper")}
    assert "all 24 cases" in PARTS["15a"](part).evidence
    assert PARTS["15a"](part).evidence.endswith("incomplete data sets left out: 1")
    # with C4.5 Oil is complete
    assert "6 of 7 data sets" not in PARTS["19a"](part).evidence
    assert "left out" not in PARTS["19a"](part).evidence
    gone = everything() | {"main": without_a_fold(everything()["main"], "mammography", "c45")}
    assert PARTS["17a"](gone).grade == NOT_TESTABLE
    assert PARTS["22a"](gone).grade == REPRODUCED
    gone = everything() | {"main": without_a_fold(everything()["main"], "estate", "c45")}
    assert PARTS["22a"](gone).grade == NOT_TESTABLE


def test_seconds_that_were_not_stored_judge_nothing():
    timing = replace(everything()["timing"], timings=pd.DataFrame(), _kept={})
    for part in ("25a", "26a"):
        assert PARTS[part](everything() | {"timing": timing}).grade == NOT_TESTABLE


def test_one_case_is_some():
    """Whatever the mean over the others: the effect counts data sets without any case as 0."""
    verdict = PARTS["49b"](everything())
    assert verdict.grade == REPRODUCED and "3 of 28" in verdict.evidence
    assert verdict.effect.low == 0 < verdict.effect.value


def test_the_history_names_claims_of_the_paper():
    history = rule_history("sampling_wrapper")
    assert history["rows_seen"] and set(history["changed"]) <= set(PAPER.rules)


def test_as_beta_falls_precision_matters_less():
    """Eqs. 5 and 6: at 1:1 the plain F, and in the limit recall; not the usual F-beta."""
    confusion = np.array([[80, 20], [5, 5]])  # recall 0.5, precision 0.2
    by_ratio = {}
    for ratio in (1, 2, 10, 1000):
        matrix = np.array([[0, 1], [ratio, 0]], dtype=float)
        beta = 1 / ratio
        by_ratio[ratio] = f_measure(confusion, precision_weight(matrix))[1]
        by_hand = (1 + beta**2) * 0.2 * 0.5 / (beta**2 * 0.5 + 0.2)
        assert by_ratio[ratio] == pytest.approx(by_hand)
    assert by_ratio[1] == pytest.approx(2 * 0.2 * 0.5 / 0.7)
    assert list(by_ratio.values()) == sorted(by_ratio.values())
    assert by_ratio[1000] == pytest.approx(0.5, abs=1e-5)


def test_an_auroc_of_a_half_is_the_diagonal():
    """As many true as false positives, by rates: the curve is the diagonal, its area a half."""
    y = np.tile([0, 1], 50)
    assert roc_auc_score(y, np.repeat(np.arange(50), 2)) == 0.5
    assert roc_auc_score(y, y) == 1


@functools.cache
def verdicts():
    return judge("sampling_wrapper", PAPER.rules, everything())


def test_a_learner_of_ones_own_changes_no_verdict():
    added = everything() | {"main": with_own_learner()}
    assert judge("sampling_wrapper", PAPER.rules, added).equals(verdicts())


def test_a_learner_of_ones_own_changes_no_investigation():
    """Of what goes wrong for the wrappers alone; a good learner beside them says nothing."""
    results = cost_sensitive_exchanged()
    added = with_own_learner()
    mine = added.rows[added.rows["method"] == "mine"]
    rows = pd.concat([results["main"].rows, mine], ignore_index=True)
    told = [
        Verdicts(PAPER, part).investigated().frame
        for part in (results, results | {"main": replace(added, rows=rows, _kept={})})
    ]
    assert len(told[0]) and told[0].equals(told[1])


def test_every_investigation_finds_a_cause_in_few_words():
    results = {name: part.complete() for name, part in everything().items()}
    for claim, investigation in PAPER.investigations.items():
        assert len(investigation(results).text) <= 700, claim
