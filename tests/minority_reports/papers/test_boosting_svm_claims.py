"""Claims of Boosting-SVM: verdicts follow the rows."""

import numpy as np
import pandas as pd
import pytest
from boosting_svm_worlds import (
    results_of,
    with_added,
    with_rows,
    without_rows,
    world_of,
)
from sklearn.svm import SVC

from minority.ensembles import linear_svm
from minority_reports import paths
from minority_reports.papers.boosting_svm import PAPER, claims, studies, tables
from minority_reports.papers.boosting_svm.protocol import PUBLIC, STAND_INS
from minority_reports.report import ByConstruction, NotTestable, judge, published
from minority_reports.report.claims import rule_history

RULES = PAPER.rules
EMPIRICAL = [c for c, r in RULES.items() if not isinstance(r, ByConstruction | NotTestable)]
#: Judged on a study, not on rows.
ON_ROWS = [claim for claim in EMPIRICAL if RULES[claim].experiments]
#: Each rule, and each half of one that has two.
HALVES = {
    f"{claim}, half {i}": half
    for claim in ON_ROWS
    for i, half in enumerate(getattr(RULES[claim], "rules", [RULES[claim]]), start=1)
}


@pytest.fixture(scope="module")
def claimed():
    return world_of("claimed")


@pytest.fixture(scope="module")
def contrary():
    return world_of("contrary")


def judged(results):
    return judge("boosting_svm", RULES, results)


def test_every_claim_has_a_rule_and_a_history():
    assert list(RULES) == [claim["id"] for claim in published("boosting_svm")["claims"]]
    assert len(EMPIRICAL) == 25
    history = rule_history("boosting_svm")
    assert history["rows_seen"] and set(history["changed"]) <= set(EMPIRICAL)


@pytest.mark.parametrize("claim", [c for c, r in RULES.items() if isinstance(r, ByConstruction)])
def test_what_holds_by_construction_names_a_test(claim):
    file, _, name = RULES[claim].test.partition("::")
    assert f"def {name}(" in (paths.root() / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("half", HALVES)
def test_rules_follow_the_rows(claimed, contrary, half):
    """Where the rows say what the paper says each half holds; with other rows none does."""
    for results, grade in ((claimed, "reproduced"), (contrary, "not reproduced")):
        verdict = HALVES[half](results)
        assert verdict.grade == grade, verdict.evidence
        assert verdict.effect is not None


@pytest.mark.parametrize(
    ("near", "grade"),
    [
        ([0.9, 0.7, 0.6, 0.8], "reproduced"),
        ([0.9, 0.7, 0.6, 0.4], "reproduced"),
        ([0.9, 0.7, 0.4, 0.4], "partly"),
        ([0.4, 0.3, 0.2, 0.4], "not reproduced"),
    ],
)
def test_support_vectors(monkeypatch, near, grade):
    study = pd.DataFrame({"negative": [0.9] * 4, "negative_near": near})
    monkeypatch.setattr(claims, "support_study", lambda: study)
    assert RULES["boosting_svm-10"]({}).grade == grade


@pytest.mark.parametrize(
    ("fails", "grade"),
    [
        ("svm", "not reproduced"),
        ("c4.5", "reproduced"),
        ("all", "not reproduced"),
        ("", "reproduced"),
    ],
)
def test_a_learner_that_fails_on_the_sets_themselves_is_not_robust(fails, grade):
    """Its sets count, and against it; where all fail the SVM loses no less than the others."""

    def value_of(key, rng):
        fallen = fails in (key.method, "all")
        few = key.setting != "kept=100%"
        return {"g_mean": 0.2 if fallen else 0.9 - few * (0.1 if key.method == "svm" else 0.4)}

    verdict = RULES["boosting_svm-02"]({"imbalance": results_of("imbalance", value_of)})
    assert verdict.grade == grade and "6 data sets" in verdict.evidence


def test_without_rows_nothing_is_testable():
    found = judged(without_rows())["verdict"]
    assert (found[[*ON_ROWS, "boosting_svm-20"]] == "not testable").all()


def test_incomplete_data_sets_are_left_out_and_counted(claimed):
    rows = claimed["main"].rows
    lost = (rows["method"] == "b-svm") & (rows["fold"] == 2)
    one = with_rows(claimed["main"], rows[~(lost & (rows["dataset"] == "letter"))])
    verdict = RULES["boosting_svm-28"]({"main": one})
    assert verdict.grade == "reproduced" and "On all 8 data sets" in verdict.evidence
    assert verdict.evidence.endswith("; incomplete data sets left out: 1")
    few = with_rows(claimed["main"], rows[~(lost & rows["dataset"].isin(PUBLIC[:5]))])
    assert RULES["boosting_svm-28"]({"main": few}).grade == "not testable"


def test_claims_need_no_stand_in_and_no_other_reading(claimed):
    """Without them all verdicts are the same; without a method of the paper they are not."""
    rows = claimed["main"].rows
    readings = [m for c in tables.FURTHER_COLUMNS if "," in c for m in tables.FURTHER_COLUMNS[c]]
    needed = rows[~rows["method"].isin(readings) & rows["dataset"].isin(PUBLIC)]
    main = with_rows(claimed["main"], needed)
    pd.testing.assert_frame_equal(judged(claimed | {"main": main}), judged(claimed))
    fewer = with_rows(claimed["main"], needed[needed["method"] != "copies-500"])
    assert RULES["boosting_svm-04"](claimed | {"main": fewer}).grade == "not testable"


def test_stand_ins_count_nowhere(claimed):
    """Stand-ins that say the contrary change neither a verdict nor its evidence."""
    rows = claimed["main"].rows
    spoilt = rows.copy()
    simulated = rows["dataset"].isin(STAND_INS) & (rows["method"] == "b-svm")
    spoilt.loc[simulated, ["g_mean", "sensitivity", "specificity", "train_error"]] = 0.01
    main = with_rows(claimed["main"], spoilt)
    pd.testing.assert_frame_equal(judged(claimed | {"main": main}), judged(claimed))
    assert tables.survivors(main).frame.equals(tables.survivors(claimed["main"]).frame)


@pytest.mark.parametrize(("lost", "grade"), [(1, "partly"), (4, "partly"), (5, "mostly not")])
def test_always_above_vii(claimed, lost, grade):
    """Some lost data sets, and gains on the others that keep the opposite from being clear."""
    rows = claimed["main"].rows.copy()
    boosted = rows["method"] == "b-svm"
    rows.loc[boosted & rows["dataset"].isin(PUBLIC[:lost]), "g_mean"] = 0.7
    rows.loc[boosted & ~rows["dataset"].isin(PUBLIC[:lost]), "g_mean"] = 0.9
    verdict = RULES["boosting_svm-28"]({"main": with_rows(claimed["main"], rows)})
    assert verdict.grade == grade and f"{9 - lost} of 9" in verdict.evidence


def test_second_places_are_shared_by_all_that_are_level():
    table = pd.DataFrame({"a": [3.0, 2, 1], "b": [2.0, 2, 3], "c": [2.0, 1, 2]})
    expected = [[False, True, True], [False, False, True], [False, False, True]]
    assert claims.second_places(table).to_numpy().tolist() == expected


def test_left_out_errors_against_refitting():
    rng = np.random.default_rng(0)
    facts, values = rng.normal(size=(12, 2)), rng.normal(size=12)
    terms = np.column_stack([np.ones(12), facts])
    expected = []
    for i in range(12):
        kept = np.arange(12) != i
        fitted, *_ = np.linalg.lstsq(terms[kept], values[kept], rcond=None)
        expected.append(abs(values[i] - terms[i] @ fitted))
    np.testing.assert_allclose(claims._left_out_errors(facts, values), expected)


def test_support_study_against_a_loop():
    study = studies.support_study(("glass7",))
    parts = studies.parts_of(studies.fold_of("glass7"))
    svm = linear_svm(random_state=0).fit(parts.X, parts.y)
    score = svm.decision_function(parts.X)
    support = [i for i in range(len(score)) if (2 * parts.y[i] - 1) * score[i] <= 1.001]
    closest = np.argsort(np.abs(svm.decision_function(parts.X_test)), kind="stable")[:2]
    near = []
    for row in parts.X_test[closest]:
        order = sorted(support, key=lambda i, row=row: np.linalg.norm(parts.X[i] - row))[:5]
        near += [parts.y[i] == 0 for i in order]
    assert study.loc["glass7", "negative_near"] == pytest.approx(np.mean(near))
    assert study.loc["glass7", "negative"] == np.mean([parts.y[i] == 0 for i in support])


def test_costs_are_upper_bounds_only():
    """Claim 13: where no multiplier is at its bound, a higher cost changes nothing."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 8])
    X = rng.normal(size=(48, 2)) + 8 * y[:, None]
    machines = [
        SVC(kernel="linear", C=10, class_weight={1: cost}, tol=1e-8).fit(X, y) for cost in (1, 100)
    ]
    assert np.abs(machines[0].dual_coef_).max() < 10
    np.testing.assert_allclose(machines[0].dual_coef_, machines[1].dual_coef_, rtol=1e-5)
    positive = y[machines[0].support_] == 1
    assert machines[0].dual_coef_[0, positive].sum() == pytest.approx(
        -machines[0].dual_coef_[0, ~positive].sum()
    )


@pytest.mark.parametrize("sets", [PUBLIC, PUBLIC[:1]], ids=["all sets", "one set"])
def test_an_added_method_changes_no_verdict_and_no_finding(contrary, sets):
    added = contrary | {
        name: with_added(contrary[name], sets) for name in ("main", "more", "imbalance")
    }
    pd.testing.assert_frame_equal(judged(added), judged(contrary))
    for look_into in PAPER.investigations.values():
        assert look_into(added) == look_into(contrary)


@pytest.mark.parametrize("claim", PAPER.investigations)
def test_findings_are_short_and_about_claims_on_rows(contrary, claim):
    assert claim in ON_ROWS
    assert len(PAPER.investigations[claim](contrary).text) <= 700
