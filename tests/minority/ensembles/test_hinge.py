"""The solver of linear machines against numeric optimisers, liblinear and the duality gap."""

from copy import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import make_classification

from minority.ensembles import linear_svm
from minority.ensembles._hinge import HingeChain, solve_hinge_dual


def signed(X, is_positive):
    return np.column_stack([X, np.ones(len(X))]) * np.where(is_positive, 1.0, -1.0)[:, None]


def primal(w, rows, price):
    return w @ w / 2 + price @ np.maximum(0, 1 - rows @ w)


def solve(rows, price, start=None, tol=1e-7, max_iter=1_000_000, seed=0):
    """The multipliers and what the solver returns; checks that these fit together."""
    multipliers = np.zeros(len(rows)) if start is None else start.copy()
    w, n_iter, converged = solve_hinge_dual(rows, price, multipliers, tol, max_iter, seed)
    assert (multipliers >= 0).all() and (multipliers <= price).all()
    np.testing.assert_allclose(w, multipliers @ rows, rtol=1e-7, atol=1e-7)
    assert 1 <= n_iter <= max_iter
    return multipliers, w, converged


def gap(multipliers, w, rows, price):
    """By how much the objective is above the optimum at the most."""
    return primal(w, rows, price) - (multipliers.sum() - w @ w / 2)


@st.composite
def problems(draw, prices=(0.05, 0.5, 1, 3, 20)):
    """Few rows of small integers, so that there are duplicates and columns that are constant."""
    n, d = draw(st.integers(3, 14)), draw(st.integers(1, 3))
    cells = draw(st.lists(st.integers(-3, 3), min_size=n * d, max_size=n * d))
    labels = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    if draw(st.booleans()):
        labels = [False] * n  # one positive row
    price = draw(st.lists(st.sampled_from(prices), min_size=n, max_size=n))
    X = np.array(cells, dtype=float).reshape(n, d)
    return X, np.array([True, False, *labels[2:]]), np.array(price, dtype=float)


@pytest.mark.filterwarnings("ignore:Liblinear failed")
@settings(max_examples=60, deadline=None)
@given(problems())
def test_optimum_of_a_numeric_optimiser_and_of_liblinear(problem):
    X, is_positive, price = problem
    rows = signed(X, is_positive)
    multipliers, w, converged = solve(rows, price)
    assert converged and gap(multipliers, w, rows, price) < 2e-7 * price.sum()
    dual = minimize(
        lambda a: ((a @ rows) @ (a @ rows) / 2 - a.sum(), rows @ (a @ rows) - 1),
        price / 2,
        jac=True,
        bounds=[(0, most) for most in price],
        method="SLSQP",
        options={"maxiter": 10_000, "ftol": 1e-12},
    )
    assert primal(w, rows, price) == pytest.approx(-dual.fun, rel=1e-5)
    svm = linear_svm(tol=1e-5, max_iter=10_000, random_state=0).fit(
        X, is_positive, sample_weight=price
    )
    theirs = primal(np.append(svm.coef_[0], svm.intercept_), rows, price)
    assert primal(w, rows, price) <= theirs + 2e-7 * price.sum()


@settings(max_examples=60, deadline=None)
@given(problems(prices=(0, 1e-9, 1e-6, 1e-3, 1, 1e3)))
def test_prices_that_differ_much_or_are_zero(problem):
    X, is_positive, price = problem
    rows = signed(X, is_positive)
    multipliers, w, converged = solve(rows, price, tol=1e-6)
    paid = price > 0
    assert converged and (multipliers[~paid] == 0).all()
    assert gap(multipliers, w, rows, price) < 2e-6 * price.sum() + 1e-9


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 2**31 - 1), st.lists(st.floats(0, 1), min_size=14, max_size=14))
def test_where_it_begins_does_not_matter(problem, seed, shares):
    X, is_positive, price = problem
    rows = signed(X, is_positive)
    _, cold, _ = solve(rows, price)
    start = price * shares[: len(price)]
    multipliers, warm, converged = solve(rows, price, start, seed=seed)
    assert converged and gap(multipliers, warm, rows, price) < 2e-7 * price.sum()
    assert primal(warm, rows, price) == pytest.approx(primal(cold, rows, price), rel=1e-5)
    again = solve(rows, price, start, seed=seed)
    np.testing.assert_array_equal(again[0], multipliers)


def test_prices_from_a_millionth_to_a_million():
    X, is_positive, _ = larger(100, seed=1)
    price = 10.0 ** np.random.default_rng(1).integers(-6, 7, size=100)
    rows = signed(X, is_positive)
    multipliers, w, converged = solve(rows, price, tol=1e-3, max_iter=100_000_000)
    assert converged and 0 <= gap(multipliers, w, rows, price) < 1e-3 * primal(w, rows, price)


def larger(n=2_000, seed=0):
    X, y = make_classification(
        n, n_features=12, n_informative=6, weights=[0.9], flip_y=0.05, random_state=seed
    )
    return X, y == 1, np.random.default_rng(seed).lognormal(size=n) * np.where(y == 1, 9, 1)


def test_rows_whose_gradients_are_equal():
    """The same row in both classes: all of its price is paid, though no gradient differs."""
    rows = np.array([[-1.0], [1.0]])
    multipliers, w, converged = solve(rows, np.array([30.0, 30.0]))
    assert converged and w == 0 and (multipliers == 30).all()


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-5])
def test_a_smaller_tolerance_is_a_smaller_gap(tol):
    """On many rows, most of which are set aside."""
    X, is_positive, price = larger()
    rows = signed(X, is_positive)
    multipliers, w, converged = solve(rows, price, tol=tol)
    assert converged and 0 <= gap(multipliers, w, rows, price) < tol * price.sum() / 10
    # no row that was set aside is on the wrong side of its bound
    slope = rows @ w - 1
    assert slope[multipliers == 0].min() > -3 * tol
    assert slope[multipliers == price].max() < 3 * tol
    assert np.abs(slope[(multipliers > 0) & (multipliers < price)]).max() < 3 * tol
    if tol == 1e-3:
        svm = linear_svm(tol=tol, random_state=0).fit(X, is_positive, sample_weight=price)
        theirs = primal(np.append(svm.coef_[0], svm.intercept_), rows, price)
        assert primal(w, rows, price) == pytest.approx(theirs, rel=1e-4)


def test_passes_may_run_out():
    X, is_positive, price = larger(300)
    rows = signed(X, is_positive)
    _, w, converged = solve(rows, price, max_iter=3)
    assert not converged
    assert primal(w, rows, price) > 1.001 * primal(solve(rows, price)[1], rows, price)


def test_numbers_near_the_largest_float_end_the_passes():
    """Their squares are infinite, so that no step is long enough: nothing moves."""
    rows = signed(np.array([[1e200], [-1e200], [2e200]]), np.array([True, False, False]))
    multipliers = np.zeros(3)
    _, n_iter, _ = solve_hinge_dual(rows, np.ones(3), multipliers, 1e-3, 10**9, 0)
    assert n_iter < 10 and np.isfinite(multipliers).all()


def test_chain_of_machines():
    """Each is the optimum at its prices; copies go on from the same place on their own."""
    X, is_positive, price = larger()
    rows = signed(X, is_positive)
    chain = HingeChain(np.asfortranarray(X), is_positive)
    fork, n_warm, n_cold = None, 0, 0
    rng = np.random.default_rng(1)
    for m in range(6):
        svm = linear_svm(random_state=m)
        assert chain.train(svm, price)
        alone = linear_svm(random_state=m)
        assert HingeChain(X, is_positive).train(alone, price)
        if m == 3:
            fork = copy(chain)
        best = primal(solve(rows, price, tol=1e-5)[1], rows, price)
        for machine in (svm, alone):
            found = primal(np.append(machine.coef_[0], machine.intercept_), rows, price)
            assert best * (1 - 1e-5) < found < best * (1 + 1e-4)
        if m:
            n_warm, n_cold = n_warm + svm.n_iter_, n_cold + alone.n_iter_
        last, price = price, price * np.where(rng.random(len(X)) < 0.1, 1.3, 1)
    assert n_warm < n_cold / 1.3
    again = linear_svm(random_state=9)
    assert fork.train(again, last)
    np.testing.assert_allclose(again.coef_, svm.coef_, atol=1e-2)


def test_a_machine_is_fitted_like_any_other():
    X, is_positive, price = larger(300)
    svm, other = linear_svm(random_state=3), linear_svm(random_state=3)
    HingeChain(X, is_positive).train(svm, price)
    other.fit(X, is_positive.astype(int), sample_weight=price)
    attributes = {name: np.shape(value) for name, value in vars(other).items()}
    assert {name: np.shape(value) for name, value in vars(svm).items()} == attributes
    np.testing.assert_array_equal(svm.classes_, other.classes_)
    np.testing.assert_allclose(svm.decision_function(X), other.decision_function(X), atol=1e-2)
    assert (svm.predict(X) == other.predict(X)).mean() > 0.99


def test_prices_that_vanish_and_return():
    X, is_positive, price = larger(300)
    chain = HingeChain(X, is_positive)
    for share in (1.0, 0.0, 1.0):
        svm = linear_svm(random_state=0)
        assert chain.train(svm, np.where(np.arange(300) < 100, share * price, price))
    fresh = linear_svm(random_state=0, tol=1e-5).fit(X, is_positive, sample_weight=price)
    np.testing.assert_allclose(svm.coef_, fresh.coef_, atol=1e-2)
