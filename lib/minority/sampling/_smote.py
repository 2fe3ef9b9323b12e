"""SMOTE as published: every point in turn, and what it needs where attributes are nominal."""

import numpy as np
from scipy.stats import mode
from sklearn.neighbors import NearestNeighbors

from minority._threads import one_thread


def nearest_neighbours(X, k):
    """Positions of the k nearest other rows of each row, or all others if there are fewer."""
    k = min(k, len(X) - 1)
    if k == 0:
        return np.zeros((1, 1), dtype=int)  # a single row is its own neighbour
    # Which of equally near rows comes first must not depend on the number of threads.
    with one_thread():
        near = NearestNeighbors(n_neighbors=k).fit(_squarable(X))
        return near.kneighbors(return_distance=False)


def _squarable(X):
    """Rows whose squared distances are finite: huge ones by a power of two smaller."""
    largest = np.abs(X).max(initial=0)
    return np.ldexp(X, -int(np.frexp(largest)[1])) if largest > 1e150 else X


def draw_pairs(neighbours, n_new, rng):
    """Rows, taken in turn, and a random one of the neighbours of each."""
    start = np.arange(n_new) % len(neighbours)
    return start, neighbours[start, rng.integers(neighbours.shape[1], size=n_new)]


def smote(X, neighbours, n_new, rng):
    """Points between the rows, taken in turn, and one of their neighbours each."""
    start, end = draw_pairs(neighbours, n_new, rng)
    gap = rng.random((n_new, 1))
    return (1 - gap) * X[start] + gap * X[end]


def distance_space(X, nominal):
    """The rows as points whose Euclidean distance is that of SMOTE-NC.

    A nominal attribute that differs counts as the median of the standard deviations of the
    numeric ones, or 1 without any; missing numbers count as the mean, missing categories as a
    category of their own.
    """
    numbers = X[:, ~nominal]
    missing = np.isnan(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        if missing.any():
            known = np.maximum((~missing).sum(axis=0), 1)
            mean = np.where(missing, 0, numbers).sum(axis=0) / known
            numbers = np.where(missing, np.nan_to_num(mean), numbers)
        if not nominal.any():
            return numbers
        typical = np.median(numbers.std(axis=0)) if numbers.shape[1] else 1.0
    if not np.isfinite(typical):
        typical = 1.0
    # Two of the indicators differ between two categories, hence the root.
    columns = [numbers]
    for codes in np.nan_to_num(X[:, nominal], nan=-1).T:
        columns.append((codes[:, None] == np.unique(codes)) * (typical / np.sqrt(2)))
    return np.hstack(columns)


def neighbours_mode(codes, neighbours):
    """The most frequent category among the neighbours of each row; the first of equals."""
    filled = np.nan_to_num(codes, nan=-1)
    found = mode(filled[neighbours], axis=1).mode
    return np.where(found < 0, np.nan, found)
