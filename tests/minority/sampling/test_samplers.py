"""SMOTE and undersampling in per cent: which rows, how many, where the new points lie."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imblearn.pipeline import make_pipeline
from imblearn.utils.estimator_checks import estimator_checks_generator
from sklearn.tree import DecisionTreeClassifier

from minority.sampling import PercentSampler, PercentSMOTE, PercentUnderSampler
from minority.sampling._pool import Pool, find_minority
from minority.sampling._smote import distance_space, nearest_neighbours, neighbours_mode

SAMPLERS = [
    PercentSMOTE(random_state=0),
    PercentUnderSampler(random_state=0),
    PercentSampler(50, 150, gap="attribute", random_state=0),
]


@pytest.mark.parametrize(
    ("estimator", "check"),
    # Its own decorator passes a generator, which pytest is about to refuse.
    [pair for sampler in SAMPLERS for pair in estimator_checks_generator(sampler)],
    ids=lambda part: getattr(getattr(part, "func", part), "__name__", type(part).__name__),
)
def test_contract_of_imbalanced_learn(estimator, check):
    check(estimator)


def identity_rows(n_minority, n_majority=20):
    """Each minority row is a unit vector, so that a synthetic point names its two parents."""
    X = np.zeros((n_minority + n_majority, n_minority + 1))
    X[:n_minority, :n_minority] = np.eye(n_minority)
    X[n_minority:, -1] = np.arange(1, n_majority + 1)
    return X, np.repeat([1, 0], [n_minority, n_majority])


def parents(points):
    """The rows that each synthetic point lies between, by its positive coordinates."""
    found = [np.flatnonzero(point > 1e-12).tolist() for point in points[:, :-1]]
    assert all(1 <= len(rows) <= 2 for rows in found)
    return found


# ---------------------------------------------------------------------------------------------
# SMOTE


@pytest.mark.parametrize("gap", ["point", "attribute"])
@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31), st.integers(3, 30), st.integers(1, 6), st.integers(1, 4))
def test_points_lie_between_a_row_and_one_of_its_neighbours(gap, seed, n, k, rounds):
    X = np.random.default_rng(seed).normal(size=(n + 3, 3))
    y = np.repeat([1, 0], [n, 3])
    sampler = PercentSMOTE({1: 100 * rounds}, k_neighbors=k, gap=gap, random_state=seed)
    found, labels = sampler.fit_resample(X, y)
    new = found[n + 3 :]
    assert (labels[n + 3 :] == 1).all() and len(new) == rounds * n
    distance = np.linalg.norm(X[:n, None] - X[:n], axis=2)
    k = min(k, n - 1)
    nearest = distance.argsort(axis=1)[:, 1 : k + 1]
    # Every pair of a row and a neighbour that the point may lie between.
    low, high = (f(X[:n, None], X[nearest]) for f in (np.minimum, np.maximum))
    for point in new:
        if gap == "attribute":
            assert ((low <= point) & (point <= high)).all(axis=2).any()
            continue
        way = X[nearest] - X[:n, None]
        share = ((point - X[:n, None]) * way).sum(axis=2) / (way**2).sum(axis=2)
        on_the_way = X[:n, None] + share[..., None] * way
        is_on = np.isclose(on_the_way, point).all(axis=2)
        assert (is_on & (share >= 0) & (share <= 1)).any()


@pytest.mark.parametrize("percent", [100, 200, 500])
def test_every_minority_row_is_used_equally(percent):
    """With a neighbourhood of one, the parents of a point tell which row it was made from."""
    rng = np.random.default_rng(0)
    # Pairs of close rows: each is the only neighbour of the other.
    X = np.repeat(rng.normal(size=(10, 2)) * 100, 2, axis=0) + rng.normal(size=(20, 2))
    y = np.repeat([1, 0], [20, 21])
    X = np.vstack([X, rng.normal(size=(21, 2))])
    for gap in ("point", "attribute"):
        found, _ = PercentSMOTE(percent, k_neighbors=1, gap=gap, random_state=0).fit_resample(X, y)
        pair = np.linalg.norm(found[41:, None] - X[:20], axis=2).argmin(axis=1) // 2
        assert np.bincount(pair).tolist() == [2 * percent // 100] * 10


def test_base_points_of_each_round():
    """A gap of zero would return the base points: they are every row, once in each round."""
    X, y = identity_rows(12)
    pool = Pool(X, y, np.zeros(13, dtype=bool), k_neighbors=5, gap="point", seed=[3, 0])
    X_class, neighbours, _ = pool._pairs(1)
    order = pool._order(1)
    for number in (1, 2, 3):
        for base, point in enumerate(pool.round(1, number)):
            rows = parents(point[None])[0]
            assert order[base] in rows
            others = set(rows) - {order[base]}
            assert others <= {int(order[j]) for j in neighbours[base]}
    np.testing.assert_array_equal(X_class, X[order])


@pytest.mark.parametrize(("percent", "expected"), [(0, 0), (30, 6), (50, 10), (99, 20), (250, 50)])
def test_percents_between_the_hundreds(percent, expected):
    X, y = identity_rows(20, 30)
    sampler = PercentSMOTE(percent, random_state=0)
    found, labels = sampler.fit_resample(X, y)
    assert len(found) == 50 + expected == len(labels)
    np.testing.assert_array_equal(found[:50], X)
    assert sampler.sampling_strategy_ == {0: 30, 1: 20 + expected}


def test_below_hundred_a_random_subset_is_used():
    """Isolated pairs, so that a point names its base up to its twin."""
    X = np.repeat(np.arange(20.0) * 100, 2)[:, None] + np.tile([0, 1], 20)[:, None]
    X, y = np.vstack([X, -np.arange(50.0)[:, None]]), np.repeat([1, 0], [40, 50])
    used = []
    for seed in range(30):
        found, _ = PercentSMOTE(25, k_neighbors=1, random_state=seed).fit_resample(X, y)
        pairs = Counter((found[90:, 0] // 100).astype(int).tolist())
        assert sum(pairs.values()) == 10 and max(pairs.values()) <= 2
        used.append(set(pairs))
    assert len(set.union(*used)) == 20, "every row has its chance"
    assert len({tuple(sorted(rows)) for rows in used}) > 10


def test_smaller_samples_are_part_of_larger_ones():
    X, y = identity_rows(15, 40)
    of = {
        (kept, added): PercentSampler(kept, added, random_state=5).fit_resample(X, y)[0]
        for kept in (30, 70, 100)
        for added in (0, 150, 300)
    }
    rows = {level: {tuple(row) for row in found} for level, found in of.items()}
    for kept, added in rows:
        for more, further in rows:
            if kept <= more and added <= further:
                assert rows[kept, added] <= rows[more, further]
    assert len(of[30, 300]) == 12 + 15 + 45


def test_equal_attributes_stay_equal():
    """(1 - gap) * x + gap * x is not always x."""
    rng = np.random.default_rng(0)
    constants = rng.random(20)
    X, y = np.tile(constants, (40, 1)), np.repeat([1, 0], [15, 25])
    found, _ = PercentSMOTE(1000, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(found, np.tile(constants, (190, 1)))


def test_few_rows():
    """Fewer than neighbours: all others are; a single row is copied."""
    X, y = identity_rows(3)
    found, _ = PercentSMOTE(400, k_neighbors=5, random_state=0).fit_resample(X, y)
    pairs = {tuple(rows) for rows in parents(found[23:])}
    assert pairs == {(0, 1), (0, 2), (1, 2)}
    X, y = identity_rows(1)
    found, _ = PercentSMOTE(300, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(found[21:], X[[0, 0, 0]])


# ---------------------------------------------------------------------------------------------
# Nominal attributes, missing values, frames


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**31), st.integers(2, 12), st.integers(0, 3))
def test_distances_of_smote_nc(seed, n, n_numeric):
    """Squared differences, and the squared median deviation for a category that differs."""
    rng = np.random.default_rng(seed)
    nominal = rng.permutation([False] * n_numeric + [True] * 2)
    X = rng.normal(size=(n, n_numeric + 2))
    X[:, nominal] = rng.integers(3, size=(n, 2))
    median = np.median(X[:, ~nominal].std(axis=0)) if n_numeric else 1
    points = distance_space(X, nominal)
    for a in range(n):
        for b in range(n):
            square = sum(
                median**2 * (X[a, j] != X[b, j]) if nominal[j] else (X[a, j] - X[b, j]) ** 2
                for j in range(n_numeric + 2)
            )
            assert ((points[a] - points[b]) ** 2).sum() == pytest.approx(square)


def test_mode_of_the_neighbours():
    codes = np.array([0, 1, 1, 2, np.nan, np.nan])
    neighbours = np.array([[1, 2, 3], [0, 3, 1], [4, 5, 0]])
    np.testing.assert_array_equal(neighbours_mode(codes, neighbours), [1, 0, np.nan])


def mixed_frame(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "count": rng.integers(5, size=n),
            "colour": pd.Categorical(rng.choice(["red", "blue"], n), ["red", "blue", "green"]),
            "shape": rng.choice(["round", "square"], n),
        },
        index=range(100, 100 + n),
    )
    return X, pd.Series(np.where(np.arange(n) < n // 4, "yes", "no"), name="bought")


def test_frames_keep_names_and_categories():
    X, y = mixed_frame()
    found, labels = PercentSMOTE(200, random_state=0).fit_resample(X, y)
    assert found.columns.tolist() == X.columns.tolist() and labels.name == "bought"
    assert found.dtypes["colour"] == X.dtypes["colour"]
    assert found.dtypes["shape"] == X.dtypes["shape"]
    assert set(found["shape"]) == {"round", "square"}
    assert labels.value_counts().to_dict() == {"yes": 45, "no": 45}
    # Whole numbers are between whole numbers, too; imbalanced-learn would cut the fraction off.
    assert (found["count"] % 1 != 0).any()
    pd.testing.assert_frame_equal(
        found.iloc[:60], X.reset_index(drop=True).astype({"count": float}), check_dtype=True
    )


def test_categories_of_new_points_are_the_most_frequent_among_neighbours():
    """Two far clusters, each with one odd row: five neighbours outvote it."""
    X = pd.DataFrame(
        {
            "x": np.r_[np.arange(8) * 0.1, 100 + np.arange(8) * 0.1, np.zeros(20)],
            "c": pd.Categorical(["a"] * 7 + ["b"] + ["b"] * 7 + ["a"] + ["a"] * 20),
        }
    )
    found, _ = PercentSMOTE(300, random_state=0).fit_resample(X, np.repeat([1, 0], [16, 20]))
    new = found[36:]
    assert set(new["c"][new["x"] < 50]) == {"a"} and set(new["c"][new["x"] > 50]) == {"b"}


def test_categories_in_arrays():
    rng = np.random.default_rng(0)
    words = np.array([[x, rng.choice(["a", "b"])] for x in rng.normal(size=30)], dtype=object)
    y = np.repeat([1, 0], [10, 20])
    found, _ = PercentSMOTE(categorical_features=[1], random_state=0).fit_resample(words, y)
    assert found.dtype == object and set(found[:, 1]) == {"a", "b"} and len(found) == 40
    codes = np.column_stack([rng.normal(size=30), rng.integers(2, size=30) * 7 + 3])
    found, _ = PercentSMOTE(categorical_features=[1], random_state=0).fit_resample(codes, y)
    assert found.dtype == float and set(found[:, 1]) == {3, 10}


def test_missing_values():
    X, y = mixed_frame()
    X.loc[X.index[:4], "size"] = np.nan
    X.loc[X.index[2:6], "colour"] = np.nan
    found, _ = PercentSMOTE(400, random_state=0).fit_resample(X, y)
    new = found[60:]
    assert new["size"].isna().any() and new["size"].notna().any()
    assert new["size"].dropna().between(X["size"].min(), X["size"].max()).all()
    alone = np.where(np.arange(40)[:, None] < 30, np.nan, 1.0)  # a column without any value
    PercentSMOTE(random_state=0).fit_resample(alone, np.repeat([1, 0], [15, 25]))


# ---------------------------------------------------------------------------------------------
# Undersampling, levels, pipelines


@pytest.mark.parametrize(("percent", "expected"), [(100, 30), (70, 21), (10, 3), (0.01, 1)])
def test_percent_is_what_is_kept(percent, expected):
    X, y = identity_rows(10, 30)
    sampler = PercentUnderSampler(percent, random_state=0)
    found, labels = sampler.fit_resample(X, y)
    assert Counter(labels.tolist()) == {1: 10, 0: expected}
    assert (np.diff(sampler.sample_indices_) > 0).all()
    np.testing.assert_array_equal(found, X[sampler.sample_indices_])
    np.testing.assert_array_equal(labels, y[sampler.sample_indices_])


def test_undersampling_is_random():
    X, y = identity_rows(2, 30)
    kept = [
        tuple(PercentUnderSampler(50, random_state=seed).fit_resample(X, y)[0][2:, -1])
        for seed in range(20)
    ]
    assert len(set(kept)) == 20
    counts = Counter(value for rows in kept for value in rows)
    assert len(counts) == 30 and 2 <= min(counts.values()) <= max(counts.values()) <= 18


def test_levels_by_class():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.repeat(["a", "b", "c"], [30, 20, 10])
    counts = Counter(PercentSampler({"a": 50}, {"b": 100, "c": 250}).fit_resample(X, y)[1])
    assert counts == {"a": 15, "b": 40, "c": 35}
    # A number is for the classes below the average, and for the others.
    assert Counter(PercentSampler(50, 100).fit_resample(X, y)[1]) == {"a": 15, "b": 10, "c": 20}


def test_which_classes_are_the_minority():
    assert find_minority(np.array([5, 9]), ["a", "b"]) == [0]
    assert find_minority(np.array([9, 5]), ["a", "b"]) == [1]
    assert find_minority(np.array([5, 5]), ["a", "b"]) == [1]
    assert find_minority(np.array([5, 20, 3]), ["a", "b", "c"]) == [0, 2]
    assert find_minority(np.array([5, 5, 5]), ["a", "b", "c"]) == []
    assert find_minority(np.array([5, 5]), ["a", "b"], "a") == [0]
    assert find_minority(np.array([5, 5, 5]), [1, 2, 3], np.array([3, 1])) == [0, 2]
    with pytest.raises(ValueError, match="not among the classes"):
        find_minority(np.array([5, 5]), ["a", "b"], ["z"])
    with pytest.raises(ValueError, match="names no class"):
        find_minority(np.array([5, 5]), ["a", "b"], [])


@pytest.mark.parametrize(
    ("sampler", "message"),
    [
        (PercentUnderSampler({0: 0}), "percent must be per cent in"),
        (PercentUnderSampler({0: 101}), "percent must be per cent in"),
        (PercentUnderSampler({7: 50}), "names 7, which is not among the classes"),
        (PercentSMOTE({1: -1}), "percent must be per cent in"),
        (PercentSMOTE({1: "many"}), "percent must be per cent in"),
        (PercentSMOTE(gap="row"), "'gap' parameter"),
        (PercentUnderSampler(0), "'percent' parameter"),
    ],
)
def test_levels_that_cannot_be(sampler, message):
    with pytest.raises(ValueError, match=message):
        sampler.fit_resample(*identity_rows(10))


def test_in_a_pipeline():
    X, y = mixed_frame()
    numbers = X[["size", "count"]]
    model = make_pipeline(
        PercentUnderSampler(50, random_state=0),
        PercentSMOTE(300, random_state=0),
        DecisionTreeClassifier(random_state=0),
    ).fit(numbers, y)
    assert model[-1].tree_.n_node_samples[0] == 22 + 60  # round(22.5) is even
    assert len(model.predict(numbers)) == 60


def test_neighbours_do_not_depend_on_the_unit_up_to_the_largest_numbers():
    X = np.random.default_rng(0).normal(size=(12, 3))
    huge = X * (np.finfo(float).max / 2 / np.abs(X).max())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = nearest_neighbours(huge, 4)
    np.testing.assert_array_equal(found, nearest_neighbours(X, 4))
