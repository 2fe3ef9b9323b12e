"""The mixed-integer program of Exact Boxes against enumeration, written out plainly."""

from itertools import combinations, product
from math import inf
from pathlib import Path

import highspy
import numpy as np
import pulp
import pytest
from brute import best_objective, right, small_tables
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minority.boxes import _exact_mip as mip
from minority.boxes._exact_problem import make_problem

STRICTNESS = 1e-5
NO_LIMIT = 1e6  # seconds: no machine is too slow


count_settings = st.fixed_dictionaries(
    {
        "majority_weight": st.sampled_from([0.0, 0.1, 0.5, 0.3, 1.0]),
        "box_cost": st.sampled_from([0.0, 0.1, 0.25, 1.0]),
        "max_boxes": st.integers(1, 2),
        "margin": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    }
)


def check_ranked(solver, formulations, table, chosen):
    problem = make_problem(*table, **chosen)
    expected = best_objective(*table, **chosen)
    for formulation in formulations:
        outcome = mip.solve_ranked(
            problem, solver=solver, formulation=formulation, time_limit=NO_LIMIT
        )
        value = problem.value(outcome.low, outcome.high)
        assert problem.objective(value) == pytest.approx(expected, abs=1e-9)
        assert (outcome.status, outcome.bound) == ("optimal", value)
        assert len(outcome.low) <= chosen["max_boxes"]
        covered, _ = problem.inside(outcome.low, outcome.high)
        for low, high, members in zip(outcome.low, outcome.high, covered, strict=True):
            assert (low == problem.positives[members].min(axis=0)).all()
            assert (high == problem.positives[members].max(axis=0)).all()


@settings(deadline=None, max_examples=120)
@given(small_tables(), count_settings)
def test_highs_finds_the_best_boxes(table, chosen):
    check_ranked("highs", ["reduced", "full"], table, chosen)


@settings(deadline=None, max_examples=20)
@given(small_tables(4, 5, 2), count_settings)
def test_cbc_finds_the_best_boxes(table, chosen):
    check_ranked("cbc", ["reduced", "full"], table, chosen)


@settings(deadline=None, max_examples=200)
@given(small_tables(), count_settings, st.sampled_from(["reduced", "full"]), st.data())
def test_start_satisfies_the_model(table, chosen, formulation, data):
    """The values given to the solver obey all rows, and the objective is what boxes are worth."""
    problem = make_problem(*table, **chosen | {"max_boxes": 3})
    P = len(problem.positives)
    groups = data.draw(st.lists(st.sets(st.integers(0, P - 1), min_size=1), max_size=3))
    groups.reverse()  # simple draws come in the order that the model asks for
    start = mip.closures(
        problem, np.array([[i in g for i in range(P)] for g in groups], dtype=bool)
    )
    seen = {}

    def look(program, time_limit, gap):
        seen["valid"] = all(row.valid(1e-9) for row in program.constraints())
        seen["objective"] = -pulp.value(program.objective)
        return mip._Found(-inf, inf, "time_limit")

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(mip._RUN, "highs", look)
        outcome = mip.solve_ranked(problem, formulation=formulation, start=start, time_limit=1)
    value = problem.value(*start)
    assert seen["valid"]
    assert seen["objective"] * problem.unit - problem.costs.sum() == pytest.approx(value, abs=1e-6)
    assert problem.value(outcome.low, outcome.high) == value
    assert (outcome.bound, outcome.status) == (inf, "time_limit")


def hard_problem(max_boxes=2):
    rng = np.random.default_rng(1)
    X, positive = rng.normal(size=(150, 4)), np.arange(150) < 18
    return make_problem(X, positive, majority_weight=0.5, box_cost=0.1, max_boxes=max_boxes)


def good_start(problem):
    """The best smallest boxes around two pairs of positives."""
    P = len(problem.positives)
    pairs = [
        mip.closures(problem, np.isin(range(P), pair)[None]) for pair in combinations(range(P), 2)
    ]
    pairs.sort(key=lambda box: -problem.value(*box))
    return tuple(np.vstack(faces) for faces in zip(*pairs[:2], strict=True))


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_solver_takes_the_start_up(solver, monkeypatch):
    """A solver that is content with any solution reports one that is no worse than the start."""
    problem, reported = hard_problem(), []
    start = good_start(problem)

    def run(program, time_limit, gap, solve=mip._RUN[solver]):
        reported.append(solve(program, time_limit, 1e6))
        return reported[-1]

    monkeypatch.setitem(mip._RUN, solver, run)
    mip.solve_ranked(problem, solver=solver, start=start, time_limit=NO_LIMIT)
    assert problem.value(*start) > 0
    value = reported[0].objective * problem.unit - problem.costs.sum()
    assert value >= problem.value(*start) - 1e-6


@pytest.mark.parametrize("bound", [inf, 60.0])
def test_what_a_solver_knows_when_time_is_up_is_returned(bound, monkeypatch):
    problem = hard_problem()
    start = good_start(problem)
    monkeypatch.setitem(mip._RUN, "highs", lambda *_: mip._Found(-inf, bound, "time_limit"))
    outcome = mip.solve_ranked(problem, start=start, time_limit=1)
    assert problem.value(outcome.low, outcome.high) == problem.value(*start)
    assert outcome.status == "time_limit"
    expected = bound * problem.unit - problem.costs.sum()
    assert outcome.bound == pytest.approx(expected, abs=problem.step)


@pytest.mark.parametrize("log, bound", [("", inf), ("Cbc0005I Partial, best possible -60", 60)])
def test_cbc_that_finds_nothing_as_its_time_ends_leaves_the_start(log, bound, monkeypatch):
    problem = hard_problem()
    start = good_start(problem)

    def infeasible(program, solver):
        Path(solver.optionsDict["logPath"]).write_text(log)
        program.assignStatus(pulp.LpStatusInfeasible, pulp.LpSolutionInfeasible)

    monkeypatch.setattr(pulp.LpProblem, "solve", infeasible)
    clock = iter([0.0, 0.4])
    monkeypatch.setattr(mip, "perf_counter", lambda: next(clock))
    outcome = mip.solve_ranked(problem, solver="cbc", start=start, time_limit=0.3)
    assert problem.value(outcome.low, outcome.high) == problem.value(*start)
    assert outcome.status == "time_limit"
    expected = bound * problem.unit - problem.costs.sum()
    assert outcome.bound == pytest.approx(expected, abs=problem.step)

    clock = iter([0.0, 0.2])
    with pytest.raises(RuntimeError, match="Infeasible"):
        mip.solve_ranked(problem, solver="cbc", start=start, time_limit=0.3)


def test_cbc_may_crash_only_as_its_time_ends(monkeypatch):
    problem = hard_problem()

    def crash(program, solver):
        Path(solver.optionsDict["logPath"]).write_text("")
        raise pulp.PulpSolverError("crashed")

    monkeypatch.setattr(pulp.LpProblem, "solve", crash)
    clock = iter([0.0, 0.4])
    monkeypatch.setattr(mip, "perf_counter", lambda: next(clock))
    outcome = mip.solve_ranked(problem, solver="cbc", time_limit=0.3)
    assert (len(outcome.low), outcome.bound, outcome.status) == (0, inf, "time_limit")
    clock = iter([0.0, 0.2])
    with pytest.raises(pulp.PulpSolverError):
        mip.solve_ranked(problem, solver="cbc", time_limit=0.3)


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_no_time_returns_the_start_or_no_box(solver):
    problem = hard_problem()
    start = good_start(problem)
    kept = mip.solve_ranked(problem, solver=solver, start=start, time_limit=0.0)
    assert problem.value(kept.low, kept.high) >= problem.value(*start)
    assert kept.status == "time_limit"
    empty = mip.solve_ranked(problem, solver=solver, time_limit=0.0)
    assert problem.value(empty.low, empty.high) >= 0
    assert empty.bound >= problem.value(*start)


def test_other_users_of_highs_may_ask_for_other_threads():
    highspy.Highs.resetGlobalScheduler(True)
    other = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", 2)):
        other.setOptionValue(name, value)
    other.addVar(0, 1)
    assert other.run() == highspy.HighsStatus.kOk
    problem = make_problem(
        np.array([[0.0], [2.0], [1.0]]),
        np.array([True, True, False]),
        majority_weight=0.5,
        box_cost=0.1,
        max_boxes=2,
    )
    outcome = mip.solve_ranked(problem, time_limit=NO_LIMIT)
    assert problem.objective(problem.value(outcome.low, outcome.high)) == pytest.approx(2.3)


def test_an_optimum_that_boxes_do_not_reach_is_an_error(monkeypatch):
    problem = hard_problem()
    monkeypatch.setitem(mip._RUN, "highs", lambda *_: mip._Found(1000.0, 1000.0, "optimal"))
    with pytest.raises(RuntimeError, match="reported optimum"):
        mip.solve_ranked(problem, time_limit=1)


def test_start_with_too_many_boxes_is_refused():
    problem = hard_problem(max_boxes=1)
    with pytest.raises(ValueError, match="2 boxes, more than 1"):
        mip.solve_ranked(problem, start=good_start(problem), time_limit=1)


@pytest.mark.parametrize("m_positive, m_negative, n, K", [(3, 4, 1, 1), (4, 6, 2, 3), (5, 9, 3, 2)])
def test_size_of_the_full_model(m_positive, m_negative, n, K):
    """Claim 11: O(mnK) variables and rows, sparse; counting boxes adds K of both."""
    m = m_positive + m_negative
    X = np.random.default_rng(0).uniform(-1, 1, size=(m, n))
    positive = np.arange(m) < m_positive
    columns = 2 * n * K + 2 * m * n * K + m * K + m
    rows = 4 * m * n * K + 2 * m * K + 2 * m + n * K
    nonzeros = 8 * m * n * K + 2 * m * K * (2 * n + 1) + 2 * m * (K + 1) + 2 * n * K
    sized = mip.solve_sized(
        X,
        positive,
        majority_weight=0.5,
        size_reward=0.01,
        n_boxes=K,
        formulation="full",
        time_limit=0.0,
    )
    assert sized.size == {
        "rows": rows,
        "columns": columns,
        "binaries": columns - 2 * n * K,
        "nonzeros": nonzeros,
    }
    X[:2] = [[-1] * n, [1] * n]  # all negatives can be reached
    problem = make_problem(X, positive, majority_weight=0.5, box_cost=0.1, max_boxes=K)
    m = len(problem.positives) + len(problem.below)
    counted = mip.solve_ranked(problem, formulation="full", time_limit=0.0).size
    assert counted["columns"] == 2 * n * K + 2 * m * n * K + m * K + m + K
    assert counted["rows"] == 4 * m * n * K + 2 * m * K + 2 * m + n * K + K


# ---------------------------------------------------------------------------------------------
# The reward for size: a face is at the end of the data or keeps a negative out.


size_settings = st.fixed_dictionaries(
    {
        "majority_weight": st.sampled_from([0.1, 0.5, 1.0]),
        "size_reward": st.sampled_from([0.01, 0.1, 0.5]),
        "margin": st.sampled_from([0.0, 0.05, 0.25, 0.4]),
    }
)


def sized_objective(X, positive, boxes, majority_weight, size_reward, margin):
    positives, negatives = right(X, positive, boxes, margin, STRICTNESS)
    sides = sum((high - low).sum() for low, high in boxes)
    return positives + majority_weight * negatives + size_reward * sides


def best_sized(X, positive, n_boxes, **chosen):
    margin = chosen["margin"]
    away = max(margin, STRICTNESS)
    outer = X[~positive]
    sides = []
    for j in range(X.shape[1]):
        least, most = X[:, j].min() - margin, X[:, j].max() + margin
        lows, highs = {least, *(outer[:, j] + away)}, {most, *(outer[:, j] - away)}
        sides.append([(a, b) for a in lows for b in highs if least <= a <= b <= most])
    boxes = [tuple(np.array(faces) for faces in zip(*box, strict=True)) for box in product(*sides)]
    return max(
        sized_objective(X, positive, chosen_boxes, **chosen)
        for chosen_boxes in combinations(boxes * n_boxes, n_boxes)
    )


def check_sized(solver, table, chosen, n_boxes):
    X, positive = table[0] / 2 - 1, table[1]
    expected = best_sized(X, positive, n_boxes, **chosen)
    for formulation in ("reduced", "full"):
        outcome = mip.solve_sized(
            X,
            positive,
            n_boxes=n_boxes,
            solver=solver,
            formulation=formulation,
            time_limit=NO_LIMIT,
            **chosen,
        )
        assert outcome.status == "optimal"
        assert len(outcome.low) == n_boxes
        boxes = list(zip(outcome.low, outcome.high, strict=True))
        assert sized_objective(X, positive, boxes, **chosen) == pytest.approx(expected, abs=1e-4)
        assert outcome.bound == pytest.approx(expected, abs=1e-4)
        assert (outcome.low <= outcome.high).all()
        assert (outcome.low >= X.min(axis=0) - chosen["margin"] - 1e-9).all()
        assert (outcome.high <= X.max(axis=0) + chosen["margin"] + 1e-9).all()


# HiGHS's presolve cuts off the best box here.
PRESOLVED_AWAY = np.array([[0, 2], [3, 1], [0, 1], [3, 1], [1, 0], [3, 2]], dtype=float)


@example(
    (PRESOLVED_AWAY, np.arange(6) < 3),
    {"majority_weight": 0.5, "size_reward": 0.01, "margin": 0.05},
)
@example(  # with a tolerance of 1e-9 it prefers a worse one
    (np.array([[1.0], [0.0], [1.0], [1.0], [1.0]]), np.arange(5) < 1),
    {"majority_weight": 0.5, "size_reward": 0.01, "margin": 0.0},
)
@settings(deadline=None, max_examples=80)
@given(small_tables(4, 4, 2), size_settings)
def test_one_sized_box(table, chosen):
    check_sized("highs", table, chosen, n_boxes=1)


@settings(deadline=None, max_examples=40)
@given(small_tables(4, 3, 1), size_settings)
def test_two_sized_boxes(table, chosen):
    check_sized("highs", table, chosen, n_boxes=2)


@settings(deadline=None, max_examples=10)
@given(small_tables(4, 3, 1), size_settings)
def test_sized_boxes_by_cbc(table, chosen):
    check_sized("cbc", table, chosen, n_boxes=1)


@pytest.mark.parametrize("n_start", [1, 2])
def test_sized_start_is_kept_when_there_is_no_time(n_start):
    rng = np.random.default_rng(2)
    X, positive = rng.uniform(-1, 1, size=(60, 3)), np.arange(60) < 10
    chosen = {"majority_weight": 0.5, "size_reward": 0.01, "margin": 0.02}
    members = np.array_split(X[positive], n_start)
    start = tuple(
        np.array([end(group, axis=0) + by for group in members])
        for end, by in ((np.min, -0.02), (np.max, 0.02))
    )
    outcome = mip.solve_sized(X, positive, n_boxes=2, start=start, time_limit=0.0, **chosen)
    given_boxes = [(start[0][k % n_start], start[1][k % n_start]) for k in range(2)]
    boxes = list(zip(outcome.low, outcome.high, strict=True))
    assert outcome.status == "time_limit"
    assert sized_objective(X, positive, boxes, **chosen) >= sized_objective(
        X, positive, given_boxes, **chosen
    )
    around_all = mip.solve_sized(X, positive, n_boxes=1, time_limit=0.0, **chosen)
    assert right(X, positive, [(around_all.low[0], around_all.high[0])], 0.02)[0] == 10
