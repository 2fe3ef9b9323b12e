"""The dual of the program over boxes, its search for boxes and their choice, by enumeration."""

from itertools import combinations, product

import numpy as np
import pytest
from brute import all_values, check_outcome, no_boxes, tight_boxes
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.boxes import _exact_relaxation as engine
from minority.boxes import _exact_solve as exact
from minority.boxes._exact_best_box import BestBox, widen
from minority.boxes._exact_combine import Listed, choose
from minority.boxes._exact_problem import make_problem
from minority.boxes._exact_relaxation import Relaxation
from minority.boxes._exact_search import make_tables

MAJORITY_WEIGHTS = (0.1, 0.3, 0.5, 1.0, 2.0, 1 / 3)
BOX_COSTS = (0.0, 0.1, 1.0)
SEEDS = st.integers(0, 2**32 - 1)
MANY = 10**9


@st.composite
def problems(draw, max_boxes=4):
    """Points on a small grid with duplicates, of both classes too, and weights for some."""
    d, n_positives, n_negatives = (draw(st.integers(*ends)) for ends in ((1, 3), (1, 5), (0, 8)))
    n, side = n_positives + n_negatives, draw(st.integers(1, 5))
    cells = draw(st.lists(st.integers(0, side), min_size=n * d, max_size=n * d))
    repeats = draw(st.lists(st.sampled_from([1, 1, 2, 6]), min_size=n, max_size=n))
    weights = draw(st.sampled_from([[1], [1], [1, 2, 0.5], [0.25, 3, 1 / 3]]))
    weight = np.array(draw(st.lists(st.sampled_from(weights), min_size=n, max_size=n)), float)
    return make_problem(
        np.repeat(np.array(cells, float).reshape(n, d), repeats, axis=0),
        np.repeat(np.arange(n) < n_positives, repeats),
        majority_weight=draw(st.sampled_from(MAJORITY_WEIGHTS)),
        box_cost=draw(st.sampled_from(BOX_COSTS)),
        max_boxes=draw(st.integers(1, max_boxes)),
        sample_weight=np.repeat(weight, repeats),
    )


def drawn_problem(rng, max_boxes=(1, 2, 3, 4)):
    """As `problems`, at a hundredth of the time."""
    d, n_positives, n_negatives = rng.integers(1, 4), rng.integers(1, 6), rng.integers(0, 9)
    n = n_positives + n_negatives
    X = rng.integers(0, rng.integers(2, 6), (n, d)).astype(float)
    repeats = rng.integers(1, rng.choice([2, 3, 7]), n)
    return make_problem(
        np.repeat(X, repeats, axis=0),
        np.repeat(np.arange(n) < n_positives, repeats),
        majority_weight=rng.choice(MAJORITY_WEIGHTS),
        box_cost=rng.choice(BOX_COSTS),
        max_boxes=int(rng.choice(max_boxes)),
    )


def random_duals(tables, unit, rng):
    """Any values of lam and of v, of shape (N, P); negatives are mostly shared out in full."""
    n, size = len(tables.costs), len(tables.gains)
    lam = rng.random(size) * rng.choice([0, 0.3, 1]) * tables.gains / unit
    v = rng.random((n, size)) ** rng.choice([1, 8]) * (rng.random((n, size)) < 0.7)
    if rng.random() < 0.8:
        v *= (tables.costs / unit / np.maximum(v.sum(axis=1), 1e-12))[:, None]
    return lam, v


def all_prices(problem, tables, reward, v, limit):
    """The price of every smallest box around positives whose negatives cost at most `limit`."""
    prices = {}
    for low, high in zip(*tight_boxes(problem), strict=True):
        positive = ((tables.positives >= low) & (tables.positives <= high)).all(axis=1)
        negative = np.ones(len(tables.costs), bool)
        for f, (a, b) in enumerate(zip(low, high, strict=True)):
            sets = tables.n_at_least[f, a] & tables.n_at_most[f, b]
            negative &= np.unpackbits(sets.view(np.uint8), bitorder="little")[: len(negative)] > 0
        if tables.costs[negative].sum() <= limit:
            worth = reward - v[negative].sum(axis=0)
            prices[(*low.tolist(), *high.tolist())] = np.maximum(worth, 0)[positive].sum()
    return prices


def check_best_boxes(problem, rng):
    tables = make_tables(problem, *no_boxes(problem))
    lam, v = random_duals(tables, problem.unit, rng)
    reward, by_positive = tables.gains / problem.unit - lam, np.ascontiguousarray(v.T)
    limit = int(rng.choice([0.3, 1]) * tables.costs.sum())
    prices = all_prices(problem, tables, reward, v, limit)
    best_box, never = BestBox(tables), lambda: False
    cutoff = rng.choice([0.0, 0.5, 2.0])
    options = {"limit": limit, "cutoff": cutoff, "late": never}

    found = best_box.search(reward, by_positive, **options, max_nodes=MANY)
    assert found.over
    assert found.bound == pytest.approx(max([cutoff, *prices.values()]), abs=1e-6)
    boxes = np.hstack([found.low, found.high]).tolist()
    if found.bound > cutoff + 1e-6:
        assert prices[tuple(boxes[-1])] == pytest.approx(found.bound, abs=1e-6)

    listed = best_box.search(reward, by_positive, **options, max_nodes=MANY, all_boxes=True)
    assert listed.over
    boxes = [tuple(box) for box in np.hstack([listed.low, listed.high]).tolist()]
    assert len(set(boxes)) == len(boxes)
    assert {box for box, price in prices.items() if price > cutoff + 1e-6} <= set(boxes)
    assert set(boxes) <= prices.keys()

    options |= {"max_nodes": int(rng.integers(0, 8)), "room": int(rng.integers(1, 4))}
    found = best_box.search(reward, by_positive, **options)
    assert found.bound >= max([cutoff, *prices.values()]) - 1e-9
    listed = best_box.search(reward, by_positive, **options, all_boxes=True)
    boxes = {tuple(box) for box in np.hstack([listed.low, listed.high]).tolist()}
    others = [price for box, price in prices.items() if box not in boxes]
    assert listed.bound >= max([cutoff, *others]) - 1e-6


@settings(max_examples=100, deadline=None)
@given(problems(), SEEDS)
def test_best_box_and_list_of_boxes(problem, seed):
    check_best_boxes(problem, np.random.default_rng(seed))


def test_best_box_and_list_of_boxes_on_many_problems():
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        check_best_boxes(drawn_problem(rng), rng)


def test_wider_boxes_let_in_no_negative_and_no_positive_can_be_added():
    for seed in range(300):
        problem = drawn_problem(np.random.default_rng(seed))
        tables = make_tables(problem, *no_boxes(problem))
        low, high = tight_boxes(problem)
        before = problem.inside(low, high)
        wider_low, wider_high = low.copy(), high.copy()
        widen(tables, wider_low, wider_high)
        after = problem.inside(wider_low, wider_high)
        np.testing.assert_array_equal(before[1], after[1])
        assert (after[0] >= before[0]).all()
        for k, i in product(range(len(low)), range(len(problem.gains))):
            point = problem.positives[i]
            hull = np.minimum(wider_low[k], point), np.maximum(wider_high[k], point)
            same = (problem.inside(*(part[None] for part in hull))[1] == after[1][k]).all()
            assert after[0][k, i] or not same


def chosen_from(problem, low, high, duals, target, max_work=MANY):
    """What `choose` makes of some boxes at given dual values, in any order of the boxes."""
    run = Relaxation(problem, *no_boxes(problem))
    run._best = duals
    order, listed = run._listed(low, high)
    choice = choose(
        run._tables,
        listed,
        duals[0],
        np.ascontiguousarray(duals[1].T),
        max_boxes=problem.max_boxes,
        box_cost=problem.box_cost / problem.unit,
        fixed=run._fixed(*duals) + 1e-6,
        unit=problem.unit,
        target=target,
        max_work=max_work,
    )
    return choice, order[choice.boxes]


def check_choice(problem, rng):
    low, high = tight_boxes(problem)
    if rng.random() < 0.5:
        widen(make_tables(problem, *no_boxes(problem)), low := low.copy(), high := high.copy())
    some = rng.permutation(len(low))[:8]
    low, high = np.ascontiguousarray(low[some]), np.ascontiguousarray(high[some])
    values = [
        problem.value(low[list(part)], high[list(part)])
        for size in range(1, problem.max_boxes + 1)
        for part in combinations(range(len(low)), size)
    ]
    best = max(values)
    duals = random_duals(make_tables(problem, *no_boxes(problem)), problem.unit, rng)
    target = best + int(rng.integers(-3, 2)) * problem.step
    choice, boxes = chosen_from(problem, low, high, duals, target)
    assert choice.over
    if target <= best:
        assert choice.value == best == problem.value(low[boxes], high[boxes])
        assert len(boxes) <= problem.max_boxes
    else:
        assert len(boxes) == 0
    stopped, boxes = chosen_from(problem, low, high, duals, target, max_work=rng.integers(0, 30))
    assert not stopped.over or stopped.value == choice.value
    assert len(boxes) == 0 or target <= problem.value(low[boxes], high[boxes]) <= best


@settings(max_examples=100, deadline=None)
@given(problems(), SEEDS)
def test_choice_among_boxes(problem, seed):
    check_choice(problem, np.random.default_rng(seed))


def test_choice_among_boxes_of_many_problems():
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        check_choice(drawn_problem(rng), rng)


@pytest.mark.parametrize("target", [1, 6, 7])
def test_a_positive_that_costs_two_boxes_something_is_counted_once(target):
    """Each box adds 1 as the first, but 6 after the other, which has the dear positive already."""
    X = np.array([0.0] * 6 + [2.0] + [4.0] * 6 + [2.0] * 6)[:, None]
    problem = make_problem(X, np.arange(19) < 13, majority_weight=1.0, box_cost=0.0, max_boxes=2)
    low, high = np.array([[0], [1]], np.int32), np.array([[1], [2]], np.int32)
    duals = np.zeros(3), np.array([[0.0, 6.0, 0.0]])
    choice, boxes = chosen_from(problem, low, high, duals, target)
    assert choice.value == problem.value(low, high) == 7
    assert len(boxes) == 2


def test_no_boxes_to_choose_from():
    problem = drawn_problem(np.random.default_rng(0))
    tables = make_tables(problem, *no_boxes(problem))
    nothing = Listed(
        np.zeros(1, np.intp), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 4), np.uint64)
    )
    choice = choose(
        tables,
        nothing,
        np.zeros(len(tables.gains)),
        np.zeros((len(tables.gains), len(tables.costs))),
        max_boxes=2,
        box_cost=0.0,
        fixed=0.0,
        unit=problem.unit,
        target=5,
        max_work=MANY,
    )
    assert choice.over and len(choice.boxes) == 0


@settings(max_examples=100, deadline=None)
@given(problems(), SEEDS)
def test_bound_holds_at_any_dual_values(problem, seed):
    """Values that steps could never reach, those of negatives beyond their cost included."""
    rng = np.random.default_rng(seed)
    run = Relaxation(problem, *no_boxes(problem))
    lam, v = random_duals(run._tables, problem.unit, rng)
    run._duals = lam, v * rng.choice([0, 0.5, 1, 3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_STEPS", 0)
        patch.setattr(Relaxation, "_list", lambda run, late, times=1: None)
        run._round(lambda: False)
    best = max(all_values(problem))
    assert run.value <= best <= run.bound
    assert run._least >= best / problem.unit - 1e-9


@settings(max_examples=150, deadline=None)
@given(problems())
def test_finds_and_proves_the_best_boxes(problem):
    run = Relaxation(problem, *no_boxes(problem))
    outcome = run.run(deadline=np.inf, work=MANY)
    assert check_outcome(problem, outcome) == max(all_values(problem)) == outcome.bound
    assert outcome.proven


def test_finds_and_proves_the_best_boxes_of_many_problems():
    """Among them three whose bound ends just below the target, which is no proof yet."""
    for seed in range(500):
        problem = drawn_problem(np.random.default_rng(seed))
        outcome = Relaxation(problem, *no_boxes(problem)).run(deadline=np.inf, work=MANY)
        best = max(all_values(problem))
        assert check_outcome(problem, outcome) == best == outcome.bound, seed


LIMITS = (
    "_LISTED_BOXES",
    "_LISTED_NODES",
    "_COMBINE_WORK",
    "_DECIDE_WORK",
    "_MANY_NODES",
    "_FEW_NODES",
)


@settings(max_examples=100, deadline=None)
@given(problems(), st.sampled_from(LIMITS), st.integers(1, 6), st.integers(0, 2000), st.data())
def test_interrupted_runs_leave_a_valid_bound(problem, limit, size, work, data):
    """With little work, with short lists and searches, and from any boxes."""
    low, high = tight_boxes(problem)
    some = data.draw(st.lists(st.integers(0, len(low) - 1), max_size=problem.max_boxes))
    start = (low[some], high[some]) if problem.value(low[some], high[some]) > 0 else (low[:0],) * 2
    best = max(all_values(problem))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, limit, size)
        run = Relaxation(problem, *start)
        for _ in range(4):
            value = run.value
            outcome = run.run(deadline=np.inf, work=work)
            assert value <= check_outcome(problem, outcome) <= best <= outcome.bound
            run.improve(low[some], high[some])
    if limit not in ("_COMBINE_WORK", "_DECIDE_WORK") and work > 1000:
        assert outcome.proven


@settings(max_examples=100, deadline=None)
@given(problems(), SEEDS)
def test_projection_on_shares_of_a_cost(problem, seed):
    """Against the threshold among the sorted values, and no other point of the set is nearer."""
    rng = np.random.default_rng(seed)
    row, most = rng.normal(0, 2, rng.integers(1, 9)), rng.choice([0.0, 0.3, 2.0, 100.0])
    found = row.copy()
    engine._project(found, most)
    assert (found >= 0).all() and found.sum() <= most + 1e-9
    others = rng.dirichlet(np.ones(len(row)), 50) * most * rng.random((50, 1))
    nearest = np.linalg.norm(found - row)
    assert (np.linalg.norm(others - row, axis=1) >= nearest - 1e-9).all()


def scattered(seed=0, n=160, n_positives=30, max_boxes=3):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    X[:n_positives] *= 0.8
    positive = np.arange(n) < n_positives
    return make_problem(X, positive, majority_weight=0.5, box_cost=0.1, max_boxes=max_boxes)


def test_repeated_and_interrupted_runs_agree():
    """Steps end at the same place whenever they are interrupted."""
    problem = scattered()
    whole, again, pieces = (Relaxation(problem, *no_boxes(problem)) for _ in range(3))
    outcome = whole.run(deadline=np.inf, work=10**8)
    assert outcome.proven
    repeated = again.run(deadline=np.inf, work=10**8)
    while not pieces.proven:
        part = pieces.run(deadline=np.inf, work=1)
    for other in (repeated, part):
        np.testing.assert_array_equal((outcome.low, outcome.high), (other.low, other.high))
        assert outcome[2:] == other[2:]
    assert whole.work == again.work == pieces.work


def test_late_runs_return_their_start():
    problem = scattered()
    outcome = Relaxation(problem, *no_boxes(problem)).run(deadline=-np.inf, work=MANY)
    assert check_outcome(problem, outcome) == 0 and not outcome.proven


def test_agrees_with_the_search():
    for seed in range(4):
        problem = scattered(seed, n=120, n_positives=20)
        outcome = Relaxation(problem, *no_boxes(problem)).run(deadline=np.inf, work=MANY)
        found = exact.Search(problem, *no_boxes(problem)).run(deadline=np.inf)
        assert outcome.proven and found.proven
        assert check_outcome(problem, outcome) == check_outcome(problem, found)


def test_weights_that_are_no_simple_fractions():
    """They become multiples of 1e-9, more than a float bound can tell apart."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    problem = make_problem(
        X, np.arange(30) < 5, majority_weight=np.pi / 10, box_cost=np.e / 30, max_boxes=3
    )
    outcome = Relaxation(problem, *no_boxes(problem)).run(deadline=np.inf, work=MANY)
    assert check_outcome(problem, outcome) == max(all_values(problem)) == outcome.bound


def test_engines_in_turn_find_and_prove_the_best_boxes(monkeypatch):
    """Where the first turns of the branch and bound end at once, the others are needed."""
    turns, run = [], exact.Search.run

    class Counted(Relaxation):
        def run(self, **limits):
            turns.append(limits)
            return super().run(**limits)

    def short(self, *, deadline, max_nodes=np.inf, **others):
        nodes = max_nodes if max_nodes > exact._OWN_NODES else 0
        return run(self, deadline=deadline, max_nodes=nodes, **others)

    monkeypatch.setattr(exact, "Relaxation", Counted)
    monkeypatch.setattr(exact, "_FEW_POSITIVES", 0)
    monkeypatch.setattr(exact.Search, "run", short)
    monkeypatch.setattr(exact, "better_boxes", lambda problem, low, high, deadline: (low, high))
    for seed in range(400):
        problem = drawn_problem(np.random.default_rng(seed), max_boxes=(3, 4))
        found = exact.search(problem, deadline=np.inf)
        assert check_outcome(problem, found) == max(all_values(problem)), seed
        assert found.proven
    assert len(turns) > 100  # else only the other engines were tested


def test_boxes_of_the_branch_and_bound_are_taken_of_equally_good_ones(monkeypatch):
    """With its next turns or without them the same boxes are found, if they are found in time."""
    monkeypatch.setattr(exact, "better_boxes", lambda problem, low, high, deadline: (low, high))
    monkeypatch.setattr(exact, "_EASY_NODES", 1)
    monkeypatch.setattr(exact, "_FIRST_NODES", 1)
    monkeypatch.setattr(exact, "_MORE_NODES", 10**9)
    monkeypatch.setattr(exact, "_FEW_POSITIVES", 0)
    n_better = 0
    for seed in range(6):
        problem = scattered(seed, n=120, n_positives=20)
        with monkeypatch.context() as patch:
            patch.setattr(exact, "fits", lambda problem: False)
            alone = exact.search(problem, deadline=np.inf)
        better = []

        class Watched(Relaxation):
            def run(self, better=better, **limits):
                before = self.value
                outcome = super().run(**limits)
                better.append(self.value > before)
                return outcome

        with monkeypatch.context() as patch:
            patch.setattr(exact, "Relaxation", Watched)
            found = exact.search(problem, deadline=np.inf)
        assert alone.proven and found.proven and better
        np.testing.assert_array_equal((found.low, found.high), (alone.low, alone.high))
        n_better += any(better)
    assert n_better > 0
