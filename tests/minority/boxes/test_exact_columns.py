"""Column generation for Exact Boxes against all choices of boxes on small problems."""

from itertools import chain, combinations, count

import numpy as np
import pytest
from brute import all_values, check_outcome, closure, no_boxes, tight_boxes
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.boxes import _exact_columns as columns
from minority.boxes import _exact_master as master
from minority.boxes import _exact_pricing as pricing
from minority.boxes._exact_columns import solve_columns
from minority.boxes._exact_problem import make_problem


@st.composite
def small_problems(draw):
    """Points on a small grid, so that ties, duplicates and points of both classes are frequent."""
    d = draw(st.integers(1, 3))
    n_positives, n_negatives = draw(st.integers(1, 6)), draw(st.integers(0, 8))
    n = n_positives + n_negatives
    cells = draw(st.lists(st.integers(0, draw(st.integers(1, 5))), min_size=n * d, max_size=n * d))
    X = np.array(cells, dtype=float).reshape(n, d)
    repeats = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return make_problem(
        np.repeat(X, repeats, axis=0),
        np.repeat(np.arange(n) < n_positives, repeats),
        majority_weight=draw(st.sampled_from([0.1, 0.3, 0.5, 1.0, 2.0, 1 / 3])),
        box_cost=draw(st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])),
        max_boxes=draw(st.integers(1, 3)),
    )


@settings(max_examples=300, deadline=None)
@given(small_problems())
def test_finds_and_proves_the_best_choice(problem):
    outcome = solve_columns(problem, *no_boxes(problem), deadline=np.inf)
    value = check_outcome(problem, outcome)
    assert value == max(all_values(problem))
    assert outcome.proven
    assert outcome.bound == value


@settings(max_examples=100, deadline=None)
@given(small_problems(), st.data())
def test_early_stops_leave_a_valid_bound(problem, data):
    """Stop at each place where the clock is read, also before anything was done."""
    low, high = tight_boxes(problem)
    some = data.draw(st.lists(st.integers(0, len(low) - 1), max_size=problem.max_boxes))
    start = problem.value(low[some], high[some])
    best = max(all_values(problem))

    looks = count(-data.draw(st.integers(0, 12)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(master, "perf_counter", lambda: 0.0 if next(looks) < 0 else np.inf)
        outcome = solve_columns(problem, low[some], high[some], deadline=100.0)
    value = check_outcome(problem, outcome)
    assert start <= value <= best <= outcome.bound


@settings(max_examples=50, deadline=None)
@given(small_problems(), st.sampled_from(["work", "_LISTED_BOXES", "_MEMBERS"]), st.integers(0, 99))
def test_limits_on_work_leave_a_valid_bound(problem, limit, size):
    work = size if limit == "work" else columns.WORK
    with pytest.MonkeyPatch.context() as patch:
        if limit != "work":
            patch.setattr(columns, limit, size)
        first, second = (
            solve_columns(problem, *no_boxes(problem), deadline=np.inf, work=work) for _ in range(2)
        )
    assert check_outcome(problem, first) <= max(all_values(problem)) <= first.bound
    np.testing.assert_array_equal((first.low, first.high), (second.low, second.high))
    assert first[2:] == second[2:]


@settings(max_examples=100, deadline=None)
@given(small_problems())
def test_integer_program_alone_finds_and_proves_the_best_choice(problem):
    """Without bounds from pricing everything is left to the listing and the integer program."""
    best = max(all_values(problem))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns._Generation, "complete", lambda run, part: False)
        patch.setattr(columns._Generation, "cut_bound", weak_bound)
        outcome = solve_columns(problem, *no_boxes(problem), deadline=np.inf)
    assert check_outcome(problem, outcome) == best
    assert outcome.bound == best


def weak_bound(run, bound):
    """Take only bounds that leave nothing open, which are those of the integer program."""
    bound = int((bound + 1e-6) * run.problem.unit // run.problem.step) * run.problem.step
    if bound <= run.value:
        run.bound = run.value


def random_duals(problem, seed):
    rng = np.random.default_rng(seed)
    P, N = len(problem.gains), len(problem.costs)
    positive, negative = np.nonzero(rng.random((P, N)) < 0.4)
    reward = rng.normal(1, 1, P)
    v = rng.exponential(0.5, len(positive))
    dense = np.zeros((P, N))
    dense[positive, negative] = v
    return pricing.make_prices(reward, positive, negative, v), reward, dense


def boxes_up_to(limit, tables):
    P = range(len(tables.positives))
    return pricing.make_allowed(np.array([pricing.pair_costs(tables, i) for i in P]), limit)


def set_prices(problem, reward, v, limit):
    """Box -> best price over the sets whose smallest box it is, among boxes of limited cost."""
    prices = {}
    P = range(len(problem.gains))
    for s in chain.from_iterable(combinations(P, size) for size in range(1, len(P) + 1)):
        s = list(s)
        low, high = closure(problem, s)
        inside = problem.inside(low[None], high[None])[1][0]
        if problem.costs[inside].sum() <= limit:
            box = (*low.tolist(), *high.tolist())
            price = (reward[s] - v[s][:, inside].sum(axis=1)).sum()
            prices[box] = max(price, prices.get(box, -np.inf))
    return prices


@settings(max_examples=200, deadline=None)
@given(small_problems(), st.integers(0, 2**32 - 1), st.floats(0.1, 1.0))
def test_search_against_all_sets_of_positives(problem, seed, share):
    tables = pricing.make_tables(problem)
    prices, reward, v = random_duals(problem, seed)
    limit = int(share * problem.costs.sum())
    allowed = boxes_up_to(limit, tables)
    expected = set_prices(problem, reward, v, limit)

    search = pricing.start_search(tables, prices, allowed, 0.0, 64)
    pricing.advance(tables, prices, allowed, search, 10**6)
    assert search.over
    assert search.bound == pytest.approx(max([0.0, *expected.values()]), abs=1e-6)

    least = 0.3
    listing = pricing.start_search(tables, prices, allowed, least, 4096, all_boxes=True)
    pricing.advance(tables, prices, allowed, listing, 10**6)
    assert listing.over
    listed = {tuple(box) for box in np.hstack(listing.boxes).tolist()}
    assert listed >= {box for box, price in expected.items() if price > least}
    # a positive that turned to lower the price after it was chosen need not be paid for
    assert listed <= {box for box in expected if free_price(problem, reward, v, box) > least}


def free_price(problem, reward, v, box):
    """Price of a box by the positives in it that raise it."""
    low, high = np.split(np.array(box), 2)
    positive, negative = (inside[0] for inside in problem.inside(low[None], high[None]))
    return np.maximum(reward - v[:, negative].sum(axis=1), 0)[positive].sum()


@settings(max_examples=50, deadline=None)
@given(small_problems(), st.integers(0, 2**32 - 1), st.integers(0, 6))
def test_unfinished_search_bounds_all_prices(problem, seed, nodes):
    tables = pricing.make_tables(problem)
    prices, reward, v = random_duals(problem, seed)
    limit = int(problem.costs.sum())
    allowed = boxes_up_to(limit, tables)
    search = pricing.start_search(tables, prices, allowed, 0.0, 64)
    pricing.advance(tables, prices, allowed, search, nodes)
    best = max([0.0, *set_prices(problem, reward, v, limit).values()])
    assert search.bound >= best - 1e-9


def scattered(seed=0, n=160, n_positives=14):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:n_positives] *= 0.7
    return make_problem(
        X, np.arange(n) < n_positives, majority_weight=0.3, box_cost=0.1, max_boxes=4
    )


def test_repeated_runs_agree():
    problem = scattered()
    first, second = (solve_columns(problem, *no_boxes(problem), deadline=np.inf) for _ in range(2))
    np.testing.assert_array_equal(first.low, second.low)
    np.testing.assert_array_equal(first.high, second.high)
    assert first[2:] == second[2:]
    assert first.proven


def test_stops_when_late():
    problem = scattered()
    outcome = solve_columns(problem, *no_boxes(problem), deadline=-np.inf)
    check_outcome(problem, outcome)
    assert not outcome.proven


def test_gives_up_after_its_work():
    """What cannot be proven with little work is left to the other engine long before the end."""
    problem = scattered(n=300, n_positives=40)
    outcome = solve_columns(problem, *no_boxes(problem), deadline=np.inf, work=100_000)
    check_outcome(problem, outcome)
    assert not outcome.proven


def test_weights_that_are_no_simple_fractions():
    """Weights become multiples of 1e-9, more than a float bound can tell apart."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    problem = make_problem(
        X, np.arange(30) < 6, majority_weight=np.pi / 10, box_cost=np.e / 30, max_boxes=2
    )
    outcome = solve_columns(problem, *no_boxes(problem), deadline=np.inf)
    value = check_outcome(problem, outcome)
    assert value == max(all_values(problem)) <= outcome.bound
    assert outcome.bound - value <= 1e-5 * problem.unit
