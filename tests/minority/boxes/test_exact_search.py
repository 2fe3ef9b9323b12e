"""The exact search, its start and the two engines in turn, against enumeration."""

from dataclasses import replace

import numpy as np
import pytest
from brute import best_objective, closure, right, small_tables
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.boxes import _exact_search as engine
from minority.boxes import _exact_solve as exact
from minority.boxes import _exact_start as start
from minority.boxes._exact_problem import make_problem
from minority.boxes._exact_search import Search
from minority.boxes._exact_start import better_boxes, first_boxes

statements = st.fixed_dictionaries(
    {
        "majority_weight": st.sampled_from([0.1, 2 / 7, 0.5, 1.0, 3.0]),
        "box_cost": st.sampled_from([0.0, 0.1, 0.5, 1.0]),
        "max_boxes": st.integers(1, 3),
        "margin": st.sampled_from([0.0, 0.3, 0.5]),
    }
)


@st.composite
def tables(draw):
    """Small tables with repeated rows, in which some features are constant."""
    X, positive = draw(small_tables(max_positives=6, max_negatives=8))
    X = X * draw(st.lists(st.sampled_from([1, 1, 1, 0]), min_size=X.shape[1], max_size=X.shape[1]))
    repeats = draw(st.lists(st.sampled_from([1, 1, 2]), min_size=len(X), max_size=len(X)))
    return np.repeat(X, repeats, axis=0), np.repeat(positive, repeats)


@st.composite
def box_sets(draw, problem, most):
    """Smallest boxes around some positives, as a solver may be given them."""
    some = st.sets(st.integers(0, len(problem.gains) - 1), min_size=1)
    groups = draw(st.lists(some, max_size=most))
    boxes = [closure(problem, sorted(group)) for group in groups]
    return tuple(
        np.array([box[side] for box in boxes], np.int32).reshape(-1, problem.positives.shape[1])
        for side in (0, 1)
    )


def no_boxes(problem):
    return np.zeros((2, 0, problem.positives.shape[1]), np.int32)


def optimum(problem, table, chosen):
    """The best value by enumeration, in the whole units of the problem."""
    value = best_objective(*table, **chosen) * problem.unit - problem.baseline
    assert value == pytest.approx(round(value), abs=1e-5)
    return round(value)


def check_tight(problem, low, high):
    for box in zip(low, high, strict=True):
        members = problem.inside(box[0][None], box[1][None])[0][0]
        np.testing.assert_array_equal(box, closure(problem, members))


def scattered(max_boxes, n=160, n_positives=24, seed=0):
    """A problem that takes the search some thousand nodes."""
    X = np.random.default_rng(seed).normal(size=(n, 3))
    X[:n_positives] *= 0.8
    positive = np.arange(n) < n_positives
    return make_problem(X, positive, majority_weight=0.5, box_cost=0.1, max_boxes=max_boxes)


@settings(deadline=None, max_examples=400)
@given(tables(), statements)
def test_search_finds_and_proves_the_best_boxes(table, chosen):
    problem = make_problem(*table, **chosen)
    expected = optimum(problem, table, chosen)
    search = Search(problem, *no_boxes(problem))
    found = search.run(deadline=np.inf)
    assert found.proven and search.done
    assert found.bound == search.value == problem.value(found.low, found.high) == expected
    assert len(found.low) <= chosen["max_boxes"]


@settings(deadline=None, max_examples=100)
@given(st.data(), tables(), statements)
def test_best_boxes_do_not_depend_on_the_start(data, table, chosen):
    problem = make_problem(*table, **chosen)
    known = data.draw(box_sets(problem, chosen["max_boxes"]))
    found = Search(problem, *known).run(deadline=np.inf)
    assert problem.value(found.low, found.high) == optimum(problem, table, chosen)


@settings(deadline=None, max_examples=100)
@given(st.data(), tables(), statements, st.integers(0, 20))
def test_bound_of_a_stopped_search_holds(data, table, chosen, nodes):
    problem = make_problem(*table, **chosen)
    expected = optimum(problem, table, chosen)
    known = data.draw(box_sets(problem, chosen["max_boxes"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_FIRST_ROUND", 1)
        patch.setattr(engine, "_LONGEST_ROUND", 1)
        search = Search(problem, *known)
        stopped = search.run(deadline=np.inf, max_nodes=nodes)
        assert search.nodes < nodes + engine._LANES
        value = problem.value(stopped.low, stopped.high)
        assert problem.value(*known) <= value <= expected <= stopped.bound
        assert stopped.bound <= problem.gains.sum()
        assert stopped.proven == (value == stopped.bound)
        assert stopped.proven or not search.done
        finished = search.run(deadline=np.inf)
    assert finished.proven
    assert expected == finished.bound == problem.value(finished.low, finished.high)


def test_stopped_search_leaves_something_open():
    problem = scattered(2)
    search = Search(problem, *no_boxes(problem))
    stopped = search.run(deadline=np.inf, max_nodes=100)
    assert not stopped.proven
    assert search.value < stopped.bound
    late = search.run(deadline=-np.inf)
    assert late.bound == stopped.bound and search.nodes < 1000
    finished = search.run(deadline=np.inf)
    assert search.value <= finished.bound <= stopped.bound
    assert finished.proven


@pytest.mark.parametrize("max_boxes", [1, 2, 3])
@pytest.mark.parametrize("max_nodes", [500, 3000])
def test_threads_do_not_change_the_outcome(max_boxes, max_nodes):
    problem = scattered(max_boxes)
    outcomes, nodes = [], []
    for n_jobs in (1, 2, 3):
        search = Search(problem, *no_boxes(problem), n_jobs=n_jobs)
        outcomes.append(search.run(deadline=np.inf, max_nodes=max_nodes))
        nodes.append(search.nodes)
    for other in outcomes[1:]:
        np.testing.assert_array_equal(outcomes[0].low, other.low)
        np.testing.assert_array_equal(outcomes[0].high, other.high)
        assert outcomes[0][2:] == other[2:]
    assert len(set(nodes)) == 1


@settings(deadline=None, max_examples=50)
@given(st.data(), tables(), statements)
def test_threads_do_not_change_small_outcomes(data, table, chosen):
    problem = make_problem(*table, **chosen)
    known = data.draw(box_sets(problem, chosen["max_boxes"]))
    one, two = (Search(problem, *known, n_jobs=jobs).run(deadline=np.inf) for jobs in (1, 2))
    np.testing.assert_array_equal(one.low, two.low)
    np.testing.assert_array_equal(one.high, two.high)
    assert one[2:] == two[2:]


@settings(deadline=None, max_examples=60)
@given(st.data(), tables(), statements)
def test_search_is_told_of_better_boxes(data, table, chosen):
    problem = make_problem(*table, **chosen)
    search = Search(problem, *data.draw(box_sets(problem, chosen["max_boxes"])))
    for _ in range(2):
        before, told = search.value, data.draw(box_sets(problem, chosen["max_boxes"]))
        search.improve(*told)
        assert search.value == max(before, problem.value(*told))
        assert search.value == problem.value(search.low, search.high)
    found = search.run(deadline=np.inf)
    expected = optimum(problem, table, chosen)
    assert problem.value(found.low, found.high) == found.bound == expected


def test_better_boxes_save_nodes():
    problem = scattered(2)
    best = Search(problem, *no_boxes(problem)).run(deadline=np.inf)
    nodes = []
    for told in (False, True):
        search = Search(problem, *no_boxes(problem))
        search.run(deadline=np.inf, max_nodes=64)
        if told:
            search.improve(best.low, best.high)
        found = search.run(deadline=np.inf)
        assert problem.value(found.low, found.high) == best.bound
        nodes.append(search.nodes)
    assert nodes[1] < nodes[0]


# ---------------------------------------------------------------------------------------------
# The start


@settings(deadline=None, max_examples=50)
@given(st.data(), tables(), statements)
def test_start_is_tight_and_no_worse_than_its_candidates(data, table, chosen):
    problem = make_problem(*table, **chosen)
    # other weights may have had more boxes
    candidates = data.draw(st.lists(box_sets(problem, 4), max_size=2))
    allowed = [c for c in candidates if len(c[0]) <= chosen["max_boxes"]]
    value = max([0, *(problem.value(*c) for c in allowed)])
    first = first_boxes(problem, candidates)
    for low, high in (first, better_boxes(problem, *first)):
        before, value = value, problem.value(low, high)
        assert before <= value <= optimum(problem, table, chosen)
        assert len(low) <= chosen["max_boxes"]
        check_tight(problem, low, high)


@settings(deadline=None, max_examples=100)
@given(st.data(), tables(), statements)
def test_no_interval_of_a_feature_improves_an_ascended_box(data, table, chosen):
    problem = make_problem(*table, **chosen | {"max_boxes": 1, "box_cost": 0.0})
    i = data.draw(st.integers(0, len(problem.gains) - 1))
    low, high = problem.positives[i].copy(), problem.positives[i].copy()
    examples = (problem.positives, problem.below, problem.above, problem.gains, problem.costs)
    first = problem.value(low[None], high[None])
    value = start.ascend(*examples, low, high, np.zeros(problem.ranks.max(), np.int64))
    if value < 0:
        assert first <= 0
        return
    assert value == problem.value(low[None], high[None]) >= first
    for f, ranks in enumerate(problem.ranks):
        for a in range(ranks):
            for b in range(a, ranks):
                other_low, other_high = low.copy(), high.copy()
                other_low[f], other_high[f] = a, b
                assert problem.value(other_low[None], other_high[None]) <= value


def test_boxes_are_not_lost_when_there_is_no_time_to_improve_them():
    problem = scattered(3)
    low, high = first_boxes(problem)
    same = better_boxes(problem, low, high, deadline=-np.inf)
    assert problem.value(*same) == problem.value(low, high) > 0


# ---------------------------------------------------------------------------------------------
# Both engines in turn


@settings(deadline=None, max_examples=50)
@given(st.data(), tables(), statements, st.sampled_from([1, exact._FIRST_NODES]))
def test_engines_in_turn_find_the_best_boxes(data, table, chosen, nodes):
    """With one node for the search to begin with, columns or a later turn have to do it."""
    problem = make_problem(*table, **chosen)
    known = data.draw(st.lists(box_sets(problem, 3), max_size=2))
    expected = optimum(problem, table, chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_EASY_NODES", 1)
        patch.setattr(exact, "_FIRST_NODES", nodes)
        patch.setattr(exact, "first_boxes", lambda *_: tuple(no_boxes(problem)))
        patch.setattr(exact, "better_boxes", lambda *_: tuple(no_boxes(problem)))
        from_nothing = exact.search(problem, known=known, deadline=np.inf)
    for found in (from_nothing, exact.search(problem, known=known, deadline=np.inf)):
        value = problem.value(found.low, found.high)
        assert found.proven
        assert value == found.bound == expected
        assert len(found.low) <= chosen["max_boxes"]


def test_second_turn_goes_on_from_unfinished_columns(monkeypatch):
    problem = scattered(2)
    best = Search(problem, *no_boxes(problem)).run(deadline=np.inf)
    told = []

    def unfinished(problem, low, high, *, deadline, work):
        told.append(problem.value(low, high))
        return engine.Outcome(best.low, best.high, best.bound + problem.step, False)

    monkeypatch.setattr(exact, "solve_columns", unfinished)
    monkeypatch.setattr(exact, "_EASY_NODES", 1)
    monkeypatch.setattr(exact, "_FIRST_NODES", 1)
    monkeypatch.setattr(exact, "first_boxes", lambda *_: tuple(no_boxes(problem)))
    monkeypatch.setattr(exact, "better_boxes", lambda *_: tuple(no_boxes(problem)))
    found = exact.search(problem, deadline=np.inf)
    assert told[0] < best.bound
    assert found.proven and found.bound == best.bound == problem.value(found.low, found.high)


def turns(problem, monkeypatch, few_positives):
    """Which engine was called when, where columns prove at once that `best` is the best."""
    best = Search(problem, *no_boxes(problem)).run(deadline=np.inf)
    calls = []

    class Recorded(Search):
        def run(self, **limits):
            calls.append("search")
            return super().run(**limits)

    def columns(problem, low, high, *, deadline, work):
        calls.append("columns")
        return best

    monkeypatch.setattr(exact, "Search", Recorded)
    monkeypatch.setattr(exact, "solve_columns", columns)
    monkeypatch.setattr(exact, "_EASY_NODES", 1)
    monkeypatch.setattr(exact, "_FIRST_NODES", 1)
    monkeypatch.setattr(exact, "_MORE_NODES", 1)
    monkeypatch.setattr(exact, "_FEW_POSITIVES", few_positives)
    monkeypatch.setattr(exact, "first_boxes", lambda *_: tuple(no_boxes(problem)))
    monkeypatch.setattr(exact, "better_boxes", lambda *_: tuple(no_boxes(problem)))
    found = exact.search(problem, deadline=np.inf)
    assert found.proven and found.bound == best.bound == problem.value(found.low, found.high)
    return calls


def test_nothing_is_searched_after_a_proof_by_columns(monkeypatch):
    problem = scattered(2)
    calls = turns(problem, monkeypatch, len(problem.gains))
    assert calls == ["search", "search", "columns"]


def test_columns_miss_their_first_turn_with_many_positives(monkeypatch):
    problem = scattered(2)
    calls = turns(problem, monkeypatch, len(problem.gains) - 1)
    assert calls == ["search", "search", "search", "columns"]


@pytest.mark.parametrize("max_boxes", [2, 3])
def test_pairs_that_are_not_kept_change_nothing(monkeypatch, max_boxes):
    problem = scattered(max_boxes)
    kept = Search(problem, *no_boxes(problem))
    monkeypatch.setattr(engine, "_PAIR_WORDS", 0)
    not_kept = Search(problem, *no_boxes(problem))
    outcomes = [search.run(deadline=np.inf) for search in (kept, not_kept)]
    assert len(kept.lanes[0].tables.pairs) > 0 == len(not_kept.lanes[0].tables.pairs)
    assert outcomes[0].proven and kept.nodes == not_kept.nodes
    for first, second in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(first, second)


@settings(deadline=None, max_examples=30)
@given(tables(), statements)
def test_no_time_at_all_leaves_a_valid_bound(table, chosen):
    problem = make_problem(*table, **chosen)
    found = exact.search(problem, deadline=-np.inf)
    value = problem.value(found.low, found.high)
    assert 0 <= value <= optimum(problem, table, chosen) <= found.bound
    assert found.proven == (value == found.bound)


def test_more_boxes_than_can_pay():
    """Two groups, no negative: the bound on the number of boxes does not cut off the best."""
    X = np.array([[0.0], [0.1], [5.0], [5.1], [2.0]])
    positive = np.array([True, True, True, True, False])
    for box_cost, boxes in ((0.4, 2), (0.6, 1), (4.0, 0)):
        problem = make_problem(X, positive, majority_weight=0.5, box_cost=box_cost, max_boxes=9)
        found = exact.search(problem, deadline=np.inf)
        assert found.proven and len(found.low) == boxes
        small = replace(problem, max_boxes=2)
        assert problem.value(found.low, found.high) == exact.search(small, deadline=np.inf).bound


def test_helper_counts_by_hand():
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    positive = np.array([True, False, True, False])
    whole = [(np.array([0.0]), np.array([2.0]))]
    assert right(X, positive, whole) == (2, 1)
    assert right(X, positive, [(np.array([-0.5]), np.array([2.5]))], margin=0.5) == (2, 1)
    assert right(X, positive, [(np.array([-1.0]), np.array([3.5]))], margin=1.0) == (2, 0)
    chosen = {"majority_weight": 1.0, "box_cost": 0.25}
    assert best_objective(X, positive, max_boxes=1, **chosen) == 2.75
    assert best_objective(X, positive, max_boxes=2, **chosen) == 3.5
