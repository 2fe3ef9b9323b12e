r"""Weights of voters that minimise the C-bound on the error of their majority vote.

All that is asked of a vote is whether it is right: :math:`r_{ik}` is 1 if voter k is right about
row i, otherwise -1. With two classes coded as -1 and 1 that is :math:`y_i h_k(x_i)`.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, nnls
from sklearn.exceptions import ConvergenceWarning

from minority._sklearn import _check_sample_weight
from minority._threads import one_thread

# Rows of votes that are turned into floats at a time.
_BLOCK = 4096

# Weights below this share of the largest one and mean margins below this are rounding errors.
_NOTHING = 1e-12

# Where the best weights are not unique: how much a step costs, and how many are made at most.
_STEP, _MOST_STEPS = 1e-3, 200

# After so many steps the paper's local search is stopped.
_SLSQP_STEPS = 1000


class VoteWeights(NamedTuple):
    r"""Weights of voters, and what the C-bound is made of.

    Everything refers to the weights :math:`D_i` of the rows.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        Weights of the voters (the paper's :math:`Q`): none negative, their sum is 1.
    c_bound : float
        Upper bound on the weight of the rows that the weighted vote gets wrong (eq. 3); 1, which
        says nothing, if `gibbs_risk` is 1/2 or more.
    gibbs_risk : float
        Mean error of the voters, :math:`(1 - m \cdot q) / 2` (eq. 6).
    disagreement : float
        Probability that of two voters one is right and one wrong, :math:`(1 - q^T G q) / 2`
        (eq. 7). With two classes these are the votes that differ.
    """

    weights: np.ndarray
    c_bound: float
    gibbs_risk: float
    disagreement: float


def _blocks(n_rows):
    return (slice(start, start + _BLOCK) for start in range(0, n_rows, _BLOCK))


def mean_rights(votes, y):
    """Mean over the voters of 1 for right and -1 for wrong, for each row."""
    n_voters = votes.shape[1]
    n_right = np.empty(len(votes), dtype=np.int64)
    for rows in _blocks(len(votes)):
        # Voter by row, which is how votes usually lie in memory.
        n_right[rows] = (votes.T[:, rows] == y[rows]).sum(axis=0, dtype=np.int32)
    return (2 * n_right - n_voters) / n_voters


def row_weights(mean_right, is_minority, reweighting, sample_weight=1.0):
    """Step 7 of Algorithm 1: the weights D of the rows; hard rows of the minority get more."""
    exponent = np.zeros(len(mean_right))
    if reweighting is not None:
        hard = mean_right if reweighting == "vote" else np.sign(mean_right)
        exponent[is_minority] = -hard[is_minority]
    weight = sample_weight * np.exp(exponent)
    return weight / weight.sum()


def moments(votes, y, row_weight, mean_right):
    r""":math:`m_k = \sum_i D_i r_{ik}` and :math:`G = r^T \mathrm{diag}(D) r`."""
    n_voters = votes.shape[1]
    # Most rows of imbalanced data are easy: where all voters agree, all products are 1.
    split = np.flatnonzero(abs(mean_right) < 1)
    unanimous = np.where(abs(mean_right) < 1, 0, row_weight)
    first = np.full(n_voters, unanimous @ mean_right)
    second = np.full((n_voters, n_voters), unanimous.sum())
    root = np.sqrt(row_weight)
    for block in _blocks(len(split)):
        rows = split[block]
        right = np.take(votes.T, rows, axis=1) == y[rows]
        scaled = np.where(right, root[rows], -root[rows])
        first += scaled @ root[rows]
        second += scaled @ scaled.T
    return first, second


def c_bound(first, second, weights):
    """Eq. 3 for weights with sum 1; 1 where the Gibbs risk is not below 1/2."""
    gain, spread = first @ weights, weights @ second @ weights
    # The ratio is at most 1 (Jensen), but for rounding errors.
    return max(0.0, 1 - gain**2 / spread) if gain > _NOTHING else 1.0


def nnls_weights(first, second):
    r"""Minimise the C-bound by non-negative least squares.

    The bound does not depend on the scale of q, so where :math:`m \cdot q > 0` its minimum is that
    of :math:`q^T G q - 2 m \cdot q = \|F q - F^{-T} m\|^2 + const` for any factor
    :math:`G = F^T F`. The factor is made of eigenvalues, because voters that depend on each other
    make G singular; those that are zero are left out, and m has no part in their directions.

    Then many weights have the same bound on these rows, but not the same votes on others, and a
    rounding error, which differs between machines, must not choose among them. Voters that are
    equal share their weight, and otherwise weights are sought from zero in steps that are short
    (proximal points), which ends near the smallest of the best ones.
    """
    like = (second > second[0, 0] * (1 - _NOTHING)).argmax(axis=1)  # the first voter that is equal
    one_of_each, copy_of, n_copies = np.unique(like, return_inverse=True, return_counts=True)
    first, second = first[one_of_each], second[np.ix_(one_of_each, one_of_each)]

    values, vectors = np.linalg.eigh(second)
    kept = values > len(values) * np.finfo(float).eps * values[-1]
    root, vectors = np.sqrt(values[kept]), vectors[:, kept]
    factor, target = root[:, None] * vectors.T, vectors.T @ first / root
    if kept.all():
        weights = _nnls(factor, target)
    else:
        step = np.sqrt(_STEP * second[0, 0])
        factor = np.vstack([factor, step * np.eye(len(first))])
        weights = np.zeros(len(first))
        for _ in range(_MOST_STEPS):
            before = weights
            weights = _nnls(factor, np.concatenate([target, step * before]))
            if abs(weights - before).max() <= _NOTHING * weights.max():
                break
    return (weights / n_copies)[copy_of]


def _nnls(factor, target):
    return nnls(factor, target, maxiter=100 * factor.shape[1])[0]


def slsqp_weights(first, second):
    """Minimise the C-bound as the paper does, from uniform weights: a local search."""

    def loss(q):
        along = second @ q
        ratio = first @ q / max(q @ along, np.finfo(float).tiny)
        return -ratio * (first @ q), -2 * ratio * (first - ratio * along)

    n_voters = len(first)
    found = minimize(
        loss,
        np.full(n_voters, 1 / n_voters),
        jac=True,
        method="SLSQP",
        bounds=[(0, None)] * n_voters,
        constraints={
            "type": "eq",
            "fun": lambda q: q.sum() - 1,
            "jac": lambda q: np.ones(n_voters),
        },
        options={"ftol": 1e-10, "maxiter": _SLSQP_STEPS},
    )
    if found.nit >= _SLSQP_STEPS:
        warnings.warn(
            f"SLSQP was stopped after {_SLSQP_STEPS} steps: its weights may not be the best it "
            'can find. solver="nnls" has no such limit.',
            ConvergenceWarning,
            stacklevel=4,
        )
    return found.x.clip(min=0)


def best_weights(first, second, solver):
    """Weights with the least C-bound, with sum 1; uniform ones if no vote beats a coin."""
    solve = nnls_weights if solver == "nnls" else slsqp_weights
    weights = solve(first, second)
    weights[weights < _NOTHING * weights.max()] = 0
    if not first @ weights > _NOTHING * weights.sum():
        warnings.warn(
            "The voters are wrong at least as often as right (Gibbs risk of 1/2 or more), where "
            "the C-bound does not hold: all voters get the same weight.",
            stacklevel=3,
        )
        weights = np.ones(len(first))
    return weights / weights.sum()


def class_shares(votes, weights, n_classes):
    """Total weight of the voters for each class; votes are positions of classes."""
    shares = np.empty((len(votes), n_classes))
    for rows in _blocks(len(votes)):
        for label in range(n_classes):
            shares[rows, label] = (votes[rows] == label) @ weights
    return shares


def weigh_votes(
    votes, y, sample_weight=None, *, is_minority=None, reweighting="vote", solver="nnls"
):
    r"""Weigh votes that are already cast (steps 5 to 8 of Algorithm 1).

    Parameters
    ----------
    votes : array-like of shape (n_samples, n_voters)
        What each voter predicts for each row, in the coding of `y`; int8 takes least memory.

    y : array-like of shape (n_samples,)
        The classes of the rows, two or more.

    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, 1 by default.

    is_minority : bool array-like of shape (n_samples,), default=None
        Rows that `reweighting` applies to. By default those of all classes but the most frequent;
        the first of equals.

    reweighting : {"vote", "sign"} or None, default="vote"
        Factor on the weights of the minority's rows: :math:`e^{-y_i \bar h(x_i)}` with the mean
        vote (the paper), with its sign (the authors' released code), or none.

    solver : {"nnls", "slsqp"}, default="nnls"
        Non-negative least squares, which finds the minimum, or the paper's local search.

    Returns
    -------
    found : VoteWeights
        The weights, the C-bound and its parts.

    Warns
    -----
    UserWarning
        If no weights with a Gibbs risk below 1/2 were found. Then all weights are equal.
    ConvergenceWarning
        If SLSQP reached its limit of steps.

    See Also
    --------
    DAMVIClassifier : Trains the voters too.

    Examples
    --------
    >>> from minority.ensembles import weigh_votes
    >>> y = [1, 1, -1, -1, -1]
    >>> votes = [[1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, -1], [-1, -1, 1]]
    >>> found = weigh_votes(votes, y)
    >>> found.weights.round(2)
    array([0.36, 0.36, 0.28])
    >>> round(found.c_bound, 2)
    0.21
    """
    votes, y = np.asarray(votes), np.asarray(y)
    if votes.ndim != 2 or y.shape != votes.shape[:1] or not votes.size:
        raise ValueError(
            "votes must have a row per label and at least one column, but the shapes are "
            f"{votes.shape} and {y.shape}."
        )
    for name, value, legal in (
        ("reweighting", reweighting, ("vote", "sign", None)),
        ("solver", solver, ("nnls", "slsqp")),
    ):
        if value not in legal:
            raise ValueError(f"{name}={value!r} is not among {legal}.")
    sample_weight = _check_sample_weight(
        sample_weight, votes, dtype=np.float64, ensure_non_negative=True
    )
    if not sample_weight.any():
        raise ValueError("All sample weights are zero.")
    if is_minority is None:
        codes = np.unique(y, return_inverse=True)[1]
        is_minority = codes != np.bincount(codes, sample_weight).argmax()
    is_minority = np.asarray(is_minority, dtype=bool)
    if is_minority.shape != y.shape:
        raise ValueError(f"is_minority has the shape {is_minority.shape}, but y {y.shape}.")
    # One thread: with more of them sums come out in another order, and between voters that are
    # equal on these rows, not on others, the last bit decides.
    with one_thread():
        mean_right = mean_rights(votes, y)
        weight = row_weights(mean_right, is_minority, reweighting, sample_weight)
        first, second = moments(votes, y, weight, mean_right)
        weights = best_weights(first, second, solver)
    return VoteWeights(
        weights,
        float(c_bound(first, second, weights)),
        float(1 - first @ weights) / 2,
        float(1 - weights @ second @ weights) / 2,
    )
