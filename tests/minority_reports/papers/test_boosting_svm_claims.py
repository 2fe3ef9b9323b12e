"""Claims of Boosting-SVM: verdicts follow the rows."""

import numpy as np
import pandas as pd
import pytest
from boosting_svm_worlds import (
    EXPERIMENTS,
    compared,
    results_of,
    with_added,
    without_rows,
    world_of,
)
from sklearn.svm import SVC

from minority.ensembles import linear_svm
from minority_reports.experiments import Results
from minority_reports.papers import boosting_svm as paper
from minority_reports.papers.boosting_svm import claims, studies, tables
from minority_reports.papers.boosting_svm.protocol import PUBLIC, STAND_INS
from minority_reports.report import judge

BY_CONSTRUCTION = ("07", "10", "11", "15", "19")
#: Judged on computed studies, by tests or not at all; all others by rows.
ELSEWHERE = (*BY_CONSTRUCTION, "20")


@pytest.fixture(scope="module")
def claimed():
    return world_of("claimed")


@pytest.fixture(scope="module")
def contrary():
    return world_of("contrary")


@pytest.fixture(scope="module")
def nothing():
    return without_rows()


def judged(results):
    table = judge("boosting_svm", paper.PAPER.rules, results)
    return table.set_axis(table.index.str.rpartition("-").get_level_values(2))


@pytest.mark.parametrize(
    ("fails", "status"),
    [("svm", "not reproduced"), ("c4.5", "reproduced"), ("all", "open"), ("", "reproduced")],
)
def test_a_learner_that_fails_on_the_sets_themselves_is_not_robust(claimed, fails, status):
    """Its sets count, and against it; only sets on which all fail have nothing to lose."""

    def value_of(key, rng):
        fallen = fails in (key.method, "all")
        few = key.setting != "kept=100%"
        return {"g_mean": 0.2 if fallen else 0.9 - few * (0.1 if key.method == "svm" else 0.4)}

    changed = claimed | {"imbalance": results_of("imbalance", value_of)}
    assert judged(changed).loc["02", "verdict"] == status


def test_every_claim_has_a_rule():
    assert len(paper.PAPER.rules) == 30


def test_rules_follow_the_rows(claimed, contrary):
    """Where the rows say what the paper says all claims hold; with other rows none does."""
    held, failed = judged(claimed), judged(contrary)
    by_rows = held.index.difference(ELSEWHERE)
    assert len(by_rows) == 24
    wrong = held.loc[by_rows][held.loc[by_rows, "verdict"] != "reproduced"]
    assert wrong.empty, wrong["evidence"].to_dict()
    expected = pd.Series("not reproduced", index=by_rows)
    expected["13"] = "partly"  # half of it is shown by a test
    found = failed.loc[by_rows, "verdict"]
    assert found[found != expected].empty, failed.loc[found[found != expected].index].to_dict()


def test_claims_without_rows_are_open(nothing):
    found = judged(nothing)["verdict"]
    assert (found.drop(list(ELSEWHERE)) == "open").all()
    assert found["20"] == "not testable"
    assert (found[["07", "11", "15", "19"]] == "reproduced").all()


def test_claims_wait_for_every_public_set_and_for_no_stand_in(claimed):
    some = results_of("main", compared("claimed"), sets=PUBLIC[1:])
    assert judged(claimed | {"main": some}).loc["28", "verdict"] == "open"
    public = results_of("main", compared("claimed"), sets=PUBLIC)
    assert judged(claimed | {"main": public}).loc["28", "verdict"] == "reproduced"


def test_claims_wait_for_no_other_reading(claimed):
    """Without the other readings all verdicts are the same; without a method of the paper not."""
    rows = claimed["main"].rows
    of_claims = rows[~rows["method"].isin(tables.OTHER_READINGS)]
    main = Results(EXPERIMENTS["main"], of_claims, planned=len(rows))
    pd.testing.assert_frame_equal(judged(claimed | {"main": main}), judged(claimed))
    fewer = of_claims[of_claims["method"] != "copies-500"]
    main = Results(EXPERIMENTS["main"], fewer, planned=len(rows))
    assert judged(claimed | {"main": main}).loc["04", "verdict"] == "open"


def test_stand_ins_count_nowhere(claimed):
    """Stand-ins that say the contrary change neither a verdict nor its evidence."""
    rows = claimed["main"].rows
    spoilt = rows.copy()
    simulated = rows["dataset"].isin(STAND_INS) & (rows["method"] == "b-svm")
    spoilt.loc[simulated, ["g_mean", "sensitivity", "specificity", "train_error"]] = 0.01
    main = Results(EXPERIMENTS["main"], spoilt, planned=len(rows))
    pd.testing.assert_frame_equal(judged(claimed | {"main": main}), judged(claimed))
    assert tables.survivors(main).frame.equals(tables.survivors(claimed["main"]).frame)


def test_one_lost_set_is_partly(claimed):
    rows = claimed["main"].rows.copy()
    chosen = (rows["dataset"] == "glass7") & (rows["method"] == "b-svm")
    rows.loc[chosen, "g_mean"] = 0.5
    main = Results(EXPERIMENTS["main"], rows, planned=len(rows))
    found = judged(claimed | {"main": main}).loc["28"]
    assert found["verdict"] == "partly" and "8 of 9" in found["evidence"]


def test_support_vectors(monkeypatch, nothing):
    study = pd.DataFrame({"negative": [0.9, 0.8], "negative_near": [0.7, 0.4]})
    monkeypatch.setattr(claims, "support_study", lambda: study)
    assert judged(nothing).loc["10", "verdict"] == "partly"


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
    for look_into in paper.PAPER.investigations.values():
        assert look_into(added) == look_into(contrary)
