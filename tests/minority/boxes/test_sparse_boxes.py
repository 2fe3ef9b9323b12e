"""Sparse boxes, where every face has its price, against enumeration."""

from dataclasses import replace

import numpy as np
import pytest
from brute import best_sparse_objective, right, small_tables, sparse_objective
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from minority.boxes import _sparse_start as start
from minority.boxes._exact_problem import make_problem
from minority.boxes._exact_search import Search
from minority.boxes._sparse import solve_sparse
from minority.boxes._sparse_problem import make_sparse_problem
from minority.boxes._sparse_search import SparseSearch

prices = st.fixed_dictionaries(
    {
        "majority_weight": st.sampled_from([0.1, 2 / 7, 0.5, 1.0, 3.0]),
        "box_cost": st.sampled_from([0.0, 0.1, 0.5]),
        "condition_cost": st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.25, 0.5]),
        "margin": st.sampled_from([0.0, 0.0, 0.3, 0.5]),
    }
)


@st.composite
def tables(draw, max_positives=6, max_negatives=8):
    """Small tables with repeated rows; with three features there are fewer rows to enumerate."""
    X, positive = draw(small_tables(max_positives, max_negatives))
    if X.shape[1] == 3:
        kept = np.flatnonzero(positive)[3:]
        X, positive = np.delete(X, kept, axis=0), np.delete(positive, kept)
    if not len(X) > positive.sum():
        X, positive = np.vstack([X, X[:1]]), np.append(positive, False)
    return X, positive


@st.composite
def problems(draw):
    """A problem and some boxes in it."""
    problem = make_sparse_problem(*draw(tables()), **draw(prices))
    top = problem.positives.max(axis=0).tolist()
    box = st.tuples(*(st.integers(0, level) for level in top))
    boxes = draw(st.lists(box, min_size=1, max_size=3))
    return problem, np.array(boxes, np.int32)


@settings(deadline=None, max_examples=150)
@given(tables(), prices, st.integers(0, 4))
def test_search_finds_and_proves_the_best_box(table, chosen, nodes):
    problem = make_sparse_problem(*table, **chosen)
    best = best_sparse_objective(*table, **chosen)
    search = SparseSearch(problem, np.zeros(len(problem.sides)))
    search.run(deadline=np.inf, max_nodes=nodes)
    assert search.nodes <= nodes
    assert problem.objective(search.value) <= best + 1e-6 <= problem.objective(search.bound) + 2e-6
    search.run(deadline=np.inf)
    assert search.proven
    assert problem.objective(search.value) == pytest.approx(best)
    assert problem.value(search.boxes) == search.value


@settings(deadline=None, max_examples=100)
@given(tables(8, 12), prices)
def test_without_a_price_the_best_box_is_that_of_exact_boxes(table, chosen):
    sparse = make_sparse_problem(*table, **chosen | {"condition_cost": 0.0})
    found = SparseSearch(sparse, np.zeros(len(sparse.sides))).run(deadline=np.inf)
    del chosen["condition_cost"]
    problem = make_problem(*table, **chosen, max_boxes=1)
    nothing = np.zeros((2, 0, problem.positives.shape[1]), np.int32)
    exact = Search(problem, *nothing).run(deadline=np.inf)
    value = problem.value(exact.low, exact.high)
    assert sparse.objective(found.value) == pytest.approx(problem.objective(value))


def test_a_larger_problem_is_proven_where_greedy_is_not_best():
    """Against the search from another start and under another price of negatives."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = make_sparse_problem(
        X[:, :10], y == 0, majority_weight=0.6, box_cost=0.0, condition_cost=0.02
    )
    nothing = SparseSearch(problem, np.zeros(len(problem.sides)))
    greedy = SparseSearch(problem, start.greedy_box(problem))
    before = greedy.value
    assert nothing.run(deadline=np.inf).proven
    assert greedy.run(deadline=np.inf).proven
    assert nothing.value == greedy.value >= before > 0


def test_stopped_search_goes_on_and_its_bound_falls():
    X = np.random.default_rng(0).normal(size=(200, 4))
    positive = np.arange(200) < 40
    X[:40] *= 0.8
    problem = make_sparse_problem(
        X, positive, majority_weight=0.25, box_cost=0.0, condition_cost=0.01
    )
    whole = SparseSearch(problem, np.zeros(len(problem.sides))).run(deadline=np.inf)
    parts = SparseSearch(problem, np.zeros(len(problem.sides)))
    assert whole.nodes > 100
    bounds = [parts.bound]
    while not parts.proven:
        bounds.append(parts.run(deadline=np.inf, max_nodes=50).bound)
    assert bounds == sorted(bounds, reverse=True)
    assert parts.value == whole.value == bounds[-1]
    assert parts.nodes == whole.nodes
    np.testing.assert_array_equal(parts.boxes, whole.boxes)
    assert not SparseSearch(problem, np.zeros(len(problem.sides))).run(deadline=0).proven


@settings(deadline=None)
@given(problems())
def test_ascending_says_what_the_box_is_worth(case):
    problem, boxes = case
    for box in boxes:
        before = problem.value(box[None])
        after = start.ascend(
            problem.positives,
            problem.negatives,
            problem.gains,
            -problem.costs,
            problem.face_cost,
            box,
        )
        assert after - problem.box_cost == problem.value(box[None]) >= before


@settings(deadline=None)
@given(problems())
def test_settling_tightening_and_fixing_lose_nothing(case):
    problem, boxes = case
    assert problem.value(problem.tight(boxes)) >= problem.value(boxes)
    settled = start.settle(problem, boxes)
    assert problem.value(settled) >= problem.value(boxes)
    assert len(settled) <= len(boxes)
    for k in range(len(settled)):  # none is better left away
        assert problem.value(np.delete(settled, k, axis=0)) < problem.value(settled)
    rest = problem.without(boxes[:1])
    if len(rest.gains):
        others = np.minimum(boxes[1:], rest.positives.max(axis=0))
        together = problem.value(np.vstack([boxes[:1], others]))
        assert together == problem.value(boxes[:1]) + rest.value(others)


@settings(deadline=None, max_examples=50)
@given(tables(max_positives=3, max_negatives=4), prices, st.integers(1, 2))
def test_solution_is_worth_what_it_says_and_no_more_than_the_best(table, chosen, max_boxes):
    X, positive = table[0][:, :1], table[1]
    solution = solve_sparse(X, positive, max_boxes=max_boxes, time_limit=60, **chosen)
    P, margin = X[positive], chosen["margin"]
    boxes = []
    for members, used in zip(solution.members, solution.used, strict=True):
        low, high = P[members].min(axis=0) - margin, P[members].max(axis=0) + margin
        boxes.append((np.where(used[0], low, -np.inf), np.where(used[1], high, np.inf)))
    assert sparse_objective(X, positive, boxes, **chosen) == pytest.approx(solution.objective)
    assert right(X, positive, boxes, margin)[0] == solution.members.any(axis=0).sum()
    best = best_sparse_objective(X, positive, max_boxes=max_boxes, **chosen)
    assert solution.objective <= best + 1e-6 <= solution.bound + 2e-6
    if solution.status == "optimal":
        assert solution.objective == pytest.approx(best)
    else:
        assert solution.status == "decomposed"
        assert max_boxes > 1
    again = solve_sparse(
        X,
        positive,
        max_boxes=max_boxes,
        time_limit=60,
        max_nodes=0,
        known=[(solution.members, solution.used)],
        **chosen,
    )
    if max_boxes == 1:
        assert again.objective == pytest.approx(solution.objective)
        assert again.n_nodes == 0


def test_a_dearer_condition_is_left_away():
    X, y = load_breast_cancer(return_X_y=True)
    faces = [
        solve_sparse(
            X[:, :10],
            y == 0,
            max_boxes=1,
            time_limit=60,
            majority_weight=0.6,
            box_cost=0.0,
            condition_cost=price,
        ).used.sum()
        for price in (0.005, 0.05, 0.3, 1.0)
    ]
    assert faces == sorted(faces, reverse=True)
    assert faces[0] > 2
    assert faces[-1] == 0


def test_levels_of_a_side():
    """A face is worth placing only at a positive with a negative just beyond it."""
    x = np.array([1.0, 2.0, 3.0, 4.0, 0.0, 2.5, 2.7, 4.0])
    positive = np.arange(8) < 4
    problem = make_sparse_problem(
        x[:, None], positive, majority_weight=1, box_cost=0, condition_cost=0.1
    )
    np.testing.assert_array_equal(problem.sides, [0, 1])
    lower, upper = problem.positives[problem.positive_of].T
    assert lower.tolist() == [1, 1, 2, 2]
    assert upper.tolist() == [2, 2, 1, 0]
    assert problem.positives[problem.positive_of][0].tolist() == [1, 2]
    assert problem.value([[1, 2]]) == problem.unit * 2 - problem.face_cost * 2
    assert replace(problem, box_cost=7).value([[0, 0]]) == -7
