"""Weights of votes: the C-bound, its minimum, and the weights of the rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning

from minority.ensembles import _cbound, weigh_votes
from minority.ensembles._cbound import (
    best_weights,
    c_bound,
    class_shares,
    mean_rights,
    moments,
    nnls_weights,
    row_weights,
    slsqp_weights,
)


@st.composite
def ballots(draw, n_classes=2, most_voters=6):
    """Votes of voters that are right more often than not, and the labels."""
    n, k = draw(st.integers(3, 25)), draw(st.integers(1, most_voters))
    y = draw(hnp.arrays(np.int8, n, elements=st.integers(0, n_classes - 1)))
    errors = draw(hnp.arrays(np.int8, (n, k), elements=st.sampled_from([0, 0, 0, *range(3)])))
    return (y[:, None] + errors) % n_classes, y


def moments_by_loops(votes, y, weight):
    n, k = votes.shape
    right = [[1 if votes[i, a] == y[i] else -1 for a in range(k)] for i in range(n)]
    first = [sum(weight[i] * right[i][a] for i in range(n)) for a in range(k)]
    second = [
        [sum(weight[i] * right[i][a] * right[i][b] for i in range(n)) for b in range(k)]
        for a in range(k)
    ]
    return np.array(first), np.array(second)


def moments_of(votes, y, weight):
    return moments(votes, y, weight, mean_rights(votes, y))


def bound_by_definition(votes, y, weight, q):
    """Eq. 3 from the Gibbs risk and the disagreement about being right, pair by pair."""
    wrong = votes != y[:, None]
    gibbs = weight @ wrong @ q
    pairs = wrong[:, :, None] != wrong[:, None, :]
    disagreement = weight @ (pairs @ q @ q)
    return 1 - (1 - 2 * gibbs) ** 2 / (1 - 2 * disagreement), gibbs, disagreement


def random_weights(seed, n):
    return np.random.default_rng(seed).dirichlet(np.ones(n))


@given(ballots(n_classes=3), st.integers(0, 99), st.integers(1, 7))
def test_moments_by_blocks_are_those_of_loops(ballot, seed, block):
    votes, y = ballot
    weight = random_weights(seed, len(y))
    before = _cbound._BLOCK
    _cbound._BLOCK = block
    try:
        mean_right = mean_rights(votes, y)
        first, second = moments(votes, y, weight, mean_right)
        shares = class_shares(votes, np.ones(votes.shape[1]), 3)
    finally:
        _cbound._BLOCK = before
    expected = moments_by_loops(votes, y, weight)
    np.testing.assert_allclose(first, expected[0], atol=1e-12)
    np.testing.assert_allclose(second, expected[1], atol=1e-12)
    np.testing.assert_allclose(mean_right, np.where(votes == y[:, None], 1, -1).mean(axis=1))
    np.testing.assert_array_equal(
        shares, [[np.sum(row == label) for label in range(3)] for row in votes]
    )


def test_row_weights_by_hand():
    # Four voters: mean votes y h of 1, 0.5, -1 and 0, and of -1 in the majority.
    mean_right = np.array([1, 0.5, -1, 0, -1])
    is_minority = np.array([True, True, True, True, False])
    e = np.e
    expected = np.array([1 / e, e**-0.5, e, 1, 1])
    found = row_weights(mean_right, is_minority, "vote")
    np.testing.assert_allclose(found, expected / expected.sum())
    expected = np.array([1 / e, 1 / e, e, 1, 1])
    found = row_weights(mean_right, is_minority, "sign")
    np.testing.assert_allclose(found, expected / expected.sum())
    np.testing.assert_allclose(row_weights(mean_right, is_minority, None), 0.2)


def test_two_voters_by_hand():
    """Of ten rows the voters get 8 and 7 right, 6 together: m = (.6, .4), G_12 = .4."""
    y = np.ones(10)
    votes = np.ones((10, 2))
    votes[[6, 7], 1] = -1
    votes[8, 0] = -1
    votes[9] = -1
    found = weigh_votes(votes, y, reweighting=None)
    # G^-1 m is proportional to (m_1 - G_12 m_2, m_2 - G_12 m_1) = (.44, .16).
    np.testing.assert_allclose(found.weights, [0.44 / 0.6, 0.16 / 0.6])
    assert found.c_bound == pytest.approx(1 - (0.6 * 0.44 + 0.4 * 0.16) / (1 - 0.4**2))
    assert found.gibbs_risk == pytest.approx((0.44 * 0.2 + 0.16 * 0.3) / 0.6)
    assert found.disagreement == pytest.approx(2 * 0.44 * 0.16 / 0.6**2 * 0.3)


def test_of_two_voters_one_may_do_better_alone():
    y = np.ones(10)
    votes = np.ones((10, 2))
    votes[0] = -1
    votes[1:4, 1] = -1  # wrong wherever the other is, and more often
    found = weigh_votes(votes, y, reweighting=None)
    np.testing.assert_array_equal(found.weights, [1, 0])
    assert found.c_bound == pytest.approx(1 - 0.8**2)


@given(ballots(n_classes=3), st.integers(0, 99))
def test_bound_is_that_of_the_definition(ballot, seed):
    votes, y = ballot
    weight, q = random_weights(seed, len(y)), random_weights(seed, votes.shape[1])
    first, second = moments_of(votes, y, weight)
    assume(first @ q > 1e-3)
    expected = bound_by_definition(votes, y, weight, q)[0]
    assert c_bound(first, second, q) == pytest.approx(expected, abs=1e-9)


@given(ballots(n_classes=4))
def test_parts_of_the_bound_and_the_error_below_it(ballot):
    """Also with more than two classes, whatever class wins."""
    votes, y = ballot
    weight = row_weights(mean_rights(votes, y), np.ones(len(y), dtype=bool), "vote")
    first, _ = moments_of(votes, y, weight)
    assume(first.max() > 1e-3)
    found = weigh_votes(votes, y, is_minority=np.ones(len(y), dtype=bool))
    bound, gibbs, disagreement = bound_by_definition(votes, y, weight, found.weights)
    assert found.c_bound == pytest.approx(bound, abs=1e-9)
    assert found.gibbs_risk == pytest.approx(gibbs, abs=1e-9)
    assert found.disagreement == pytest.approx(disagreement, abs=1e-9)
    winner = class_shares(votes, found.weights, 4).argmax(axis=1)
    assert weight @ (winner != y) <= found.c_bound + 1e-9


@given(ballots(), st.integers(0, 99))
def test_error_of_a_vote_is_below_its_bounds(ballot, seed):
    """Of any votes with any weights: twice the Gibbs risk and, where this is below 1/2, Eq. 3."""
    votes, y = ballot
    weight, q = random_weights(seed, len(y)), random_weights(seed, votes.shape[1])
    error = weight @ (np.where(votes == y[:, None], 1, -1) @ q <= 0)
    bound, gibbs, _ = bound_by_definition(votes, y, weight, q)
    assert error <= 2 * gibbs + 1e-9
    if gibbs < 0.5:
        assert error <= bound + 1e-9


@given(ballots(), st.integers(0, 99))
def test_disagreement_is_at_most_a_half(ballot, seed):
    votes, y = ballot
    weight, q = random_weights(seed, len(y)), random_weights(seed, votes.shape[1])
    assert -1e-12 <= bound_by_definition(votes, y, weight, q)[2] <= 0.5 + 1e-12


@settings(max_examples=200)
@given(ballots(n_classes=3, most_voters=8))
def test_minimum_is_not_above_slsqp_nor_any_other_weights(ballot):
    votes, y = ballot
    first, second = moments_of(votes, y, np.full(len(y), 1 / len(y)))
    assume(first.max() > 1e-3)
    best = c_bound(first, second, best_weights(first, second, "nnls"))
    others = np.random.default_rng(0).dirichlet(np.full(len(first), 0.3), size=200)
    others = np.vstack([others, np.eye(len(first))])
    assert all(best <= c_bound(first, second, q) + 1e-9 for q in others)
    local = slsqp_weights(first, second)
    local /= local.sum()
    assert best <= c_bound(first, second, local) + 1e-9


@settings(max_examples=200)
@given(ballots(n_classes=3, most_voters=12), st.integers(0, 99))
def test_conditions_of_karush_kuhn_and_tucker(ballot, seed):
    votes, y = ballot
    first, second = moments_of(votes, y, random_weights(seed, len(y)))
    q = nnls_weights(first, second)
    slope = second @ q - first
    assert (q >= 0).all() and (slope > -1e-8).all()
    np.testing.assert_allclose(slope[q > 0], 0, atol=1e-8)


def bagged_votes(n, k, seed=0):
    """Voters with errors of their own, more of them on hard rows."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.1, 1, -1).astype(np.int8)
    hardness = rng.random(n) * np.where(y == 1, 0.7, 0.1)
    skill = rng.uniform(0.5, 1.5, k)
    wrong = rng.random((n, k)) < np.outer(hardness, skill)
    return np.where(wrong, -y[:, None], y[:, None]), y


@pytest.mark.parametrize("reweighting", ["vote", "sign", None])
@pytest.mark.parametrize("seed", range(3))
def test_solvers_agree(reweighting, seed):
    votes, y = bagged_votes(2000, 40, seed)
    ours = weigh_votes(votes, y, reweighting=reweighting)
    theirs = weigh_votes(votes, y, reweighting=reweighting, solver="slsqp")
    assert ours.c_bound <= theirs.c_bound + 1e-12
    assert theirs.c_bound == pytest.approx(ours.c_bound, abs=1e-7)
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-3)
    assert 0 < (ours.weights == 0).sum() < 40


def test_copies_of_a_voter_share_its_weight():
    votes, y = bagged_votes(500, 10)
    found = weigh_votes(votes, y, reweighting=None)
    heavy = found.weights.argmax()
    copies = np.column_stack([votes, *[votes[:, heavy]] * 3, -votes[:, heavy]])
    again = weigh_votes(copies, y, reweighting=None)
    np.testing.assert_allclose(
        again.weights[[heavy, 10, 11, 12]].sum(), found.weights[heavy], atol=1e-9
    )
    rest = np.arange(10) != heavy
    np.testing.assert_allclose(again.weights[:10][rest], found.weights[rest], atol=1e-9)
    assert again.c_bound == pytest.approx(found.c_bound, abs=1e-12)
    assert again.weights[13] == 0


def test_what_does_not_change_the_weights():
    votes, y = bagged_votes(300, 8)
    is_minority = y == 1
    found = weigh_votes(votes, y).weights
    flipped = weigh_votes(-votes, -y, is_minority=is_minority)
    np.testing.assert_allclose(flipped.weights, found, atol=1e-9)
    renamed = weigh_votes(np.where(votes > 0, "yes", "no"), np.where(y > 0, "yes", "no"))
    np.testing.assert_allclose(renamed.weights, found, atol=1e-9)
    doubled = weigh_votes(np.repeat(votes, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(doubled.weights, found, atol=1e-9)
    order = np.random.default_rng(0).permutation(8)
    np.testing.assert_allclose(weigh_votes(votes[:, order], y).weights, found[order], atol=1e-9)
    # Turning one voter round does change them: weights are never negative.
    votes[:, found.argmax()] *= -1
    assert abs(weigh_votes(votes, y).weights - found).max() > 0.01


@settings(max_examples=50)
@given(ballots(n_classes=2, most_voters=12), st.integers(0, 99))
def test_rounding_errors_do_not_choose_among_equally_good_weights(ballot, seed):
    votes, y = ballot
    votes = np.column_stack([votes, votes, -votes])  # copies and opposites: never unique
    first, second = moments_of(votes, y, random_weights(seed, len(y)))
    noise = 1e-15 * np.random.default_rng(seed).standard_normal(second.shape)
    found = nnls_weights(first, second)
    again = nnls_weights(first + noise[0], second + (noise + noise.T))
    np.testing.assert_allclose(again, found, atol=1e-9)
    k = len(first) // 3
    np.testing.assert_array_equal(found[:k], found[k : 2 * k])


@pytest.mark.parametrize("solver", ["nnls", "slsqp"])
def test_singular_gram_matrix(solver):
    votes, y = bagged_votes(6, 30, seed=1)  # rank 6 at most
    found = weigh_votes(votes, y, solver=solver)
    assert found.weights.sum() == pytest.approx(1) and found.c_bound < 0.05
    perfect = weigh_votes(np.repeat(y[:, None], 4, axis=1), y, solver=solver)
    assert perfect.c_bound == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("solver", ["nnls", "slsqp"])
def test_voters_worse_than_a_coin_get_equal_weights_and_a_warning(solver):
    votes, y = bagged_votes(300, 5)
    with pytest.warns(UserWarning, match="Gibbs risk"):
        found = weigh_votes(-votes, y, reweighting=None, solver=solver)
    np.testing.assert_allclose(found.weights, 0.2)
    assert found.c_bound == 1 and found.gibbs_risk > 0.5
    # Opposite voters: every margin is zero, and so is the denominator of the bound.
    y = np.array([1, -1, 1, -1])
    with pytest.warns(UserWarning, match="Gibbs risk"):
        found = weigh_votes(np.outer([1, 1, -1, -1], [1, -1]), y, solver=solver)
    assert found == (pytest.approx([0.5, 0.5]), 1, pytest.approx(0.5), pytest.approx(0.5))


def test_one_good_voter_among_bad_ones_is_found():
    """The local search starts where the Gibbs risk is above 1/2; least squares does not care."""
    votes, y = bagged_votes(300, 5)
    votes[:, 1:] *= -1
    found = weigh_votes(votes, y, reweighting=None)
    np.testing.assert_array_equal(found.weights, [1, 0, 0, 0, 0])


def test_minority_is_all_but_the_most_frequent_class():
    votes, y = np.array([[0, 1], [0, 0], [1, 2], [0, 1]]), np.array([0, 0, 1, 2])
    default = weigh_votes(votes, y)
    named = weigh_votes(votes, y, is_minority=[False, False, True, True])
    other = weigh_votes(votes, y, is_minority=[True, True, False, False])
    assert default.gibbs_risk == named.gibbs_risk != other.gibbs_risk


@pytest.mark.parametrize(
    ("votes", "y", "options", "message"),
    [
        ([[1, -1]], [1, 1], {}, "shapes"),
        ([1, -1], [1, 1], {}, "shapes"),
        (np.empty((2, 0)), [1, -1], {}, "shapes"),
        ([[1], [1]], [1, -1], {"is_minority": [True]}, "is_minority"),
        ([[1], [1]], [1, -1], {"solver": "best"}, "solver='best'"),
        ([[1], [1]], [1, -1], {"reweighting": "twice"}, "reweighting='twice'"),
    ],
)
def test_errors(votes, y, options, message):
    with pytest.raises(ValueError, match=message):
        weigh_votes(votes, y, **options)


def test_a_local_search_that_is_cut_off_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=200)
    votes = np.where(rng.random((200, 8)) < np.linspace(0.1, 0.4, 8), -y[:, None], y[:, None])
    monkeypatch.setattr(_cbound, "_SLSQP_STEPS", 2)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 steps"):
        weigh_votes(votes, y, solver="slsqp")
