"""RIPPER's kernels against brute force and hand counts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.rules._mdl import data_bits, drop_rules, subset_bits, theory_bits
from minority.rules._ranks import rank_columns
from minority.rules._ripper_kernels import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    Table,
    _below,
    best_condition,
    grow,
    prune,
    seeded,
    split,
)


def make_table(X, y, weight=None, nominal=None):
    X = np.asarray(X, dtype=float)
    nominal = np.zeros(X.shape[1], dtype=bool) if nominal is None else np.asarray(nominal)
    codes, order, values = rank_columns(X, nominal)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    n_missing = np.isnan(X).sum(axis=0)
    table = Table(codes, order, n_missing, nominal, np.asarray(y, dtype=np.int64), weight)
    return table, np.where(table.y == 0, weight, 0.0), values


def brute_gain(true, false, all_true, all_false):
    before = math.log2((all_true + 1) / (all_true + all_false + 1))
    return true * (math.log2((true + 1) / (true + false + 1)) - before)


def brute_conditions(column, is_nominal):
    for value in np.unique(column[~np.isnan(column)]):
        if is_nominal:
            yield EQUAL, value, column == value
        else:
            yield AT_MOST, value, column <= value
            yield AT_LEAST, value, column >= value


small_columns = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]),
        st.integers(0, 1),
        st.sampled_from([0.5, 1.0, 2.0]),
    ),
    min_size=1,
    max_size=14,
)


@settings(deadline=None, max_examples=150)
@given(small_columns, st.booleans())
def test_best_condition_is_the_best_of_all(rows, is_nominal):
    column, y, weight = (np.array(part) for part in zip(*rows, strict=True))
    table, positive, values = make_table(column[:, None], y, weight, [is_nominal])
    all_true, all_false = weight[y == 0].sum(), weight[y == 1].sum()
    log_rate = math.log2((all_true + 1) / (all_true + all_false + 1))
    present = table.order[0, table.n_missing[0] :]
    sums = positive[present].sum(), weight[present].sum()
    gain, operator, code, true, total = best_condition(
        present, table.codes[0], is_nominal, positive, weight, sums, log_rate
    )
    found = {
        (op, value): (
            brute_gain(weight[m & (y == 0)].sum(), weight[m & (y == 1)].sum(), all_true, all_false),
            weight[m & (y == 0)].sum(),
            weight[m & (y == 1)].sum(),
        )
        for op, value, m in brute_conditions(column, is_nominal)
    }
    best = max([0.0, *(entry[0] for entry in found.values())])
    assert gain == pytest.approx(best, abs=1e-5)
    if gain > 0:
        value = float(code) if is_nominal else values[0][code]
        assert found[operator, value] == pytest.approx((gain, true, total - true))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.booleans())
def test_growing_is_greedy(seed, few):
    """Every condition is the best on the rows left; growing ends for one of the stated reasons."""
    rng = np.random.default_rng(seed)
    n = 600 if few else 30  # few members of many rows are sorted by themselves
    X = rng.integers(0, 4, (n, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, n)
    nominal = np.array([False, True, False])
    table, positive, values = make_table(X, y, nominal=nominal)
    rows = rng.permutation(n)[:18]
    rule = grow(
        np.empty((0, 3), dtype=np.int32), rows, table, positive, 2.0, np.zeros(n, dtype=bool)
    )
    left, used = np.isin(np.arange(n), rows), set()
    for feature, operator, code in [*rule.tolist(), (None, None, None)]:
        true, false = np.sum(left & (y == 0)), np.sum(left & (y == 1))
        gains = {
            (j, op, value): (
                brute_gain(np.sum(left & m & (y == 0)), np.sum(left & m & (y == 1)), true, false),
                np.sum(left & m & (y == 0)),
                left & m,
            )
            for j in range(3)
            if j not in used
            for op, value, m in brute_conditions(np.where(left, X[:, j], np.nan), nominal[j])
        }
        best = max((entry[0] for entry in gains.values()), default=0)
        if feature is None:
            weak = [positives < 2 for gain, positives, _ in gains.values() if gain > best - 1e-5]
            assert (len(rule) and false == 0) or best < 1e-5 or any(weak)
            break
        value = float(code) if nominal[feature] else values[feature][code]
        gain, _, left = gains[feature, operator, value]
        assert gain == pytest.approx(best, abs=1e-5)
        if nominal[feature]:
            used.add(feature)


def test_pruning_by_hand():
    """Five positives (class 0) and five negatives; conditions x0 >= 1, x1 >= 1, x2 >= 1."""
    X = [[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]]  # positives
    X += [[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]]  # negatives
    table, positive, _ = make_table(X, [0] * 5 + [1] * 5)
    rule = np.array([[j, AT_LEAST, 1] for j in range(3)], dtype=np.int32)
    rows = np.arange(10)
    # Precision (p + 1) / (t + 2) of 0, 1, 2, 3 conditions: 6/12, 5/9, 4/6, 2/3: the shorter.
    assert len(prune(rule, rows, table, positive, False)) == 2
    # Accuracy: 6/12 of the empty rule, then (4 + 2)/10, (3 + 4)/10, (1 + 5)/10.
    assert len(prune(rule, rows, table, positive, True)) == 2
    # On negatives only the empty rule is worth 1/7, the others 1/6, 1/4, 1/3.
    assert len(prune(rule, rows[5:], table, positive, False)) == 3
    # A rule that does worse than no rule is cut to nothing.
    assert len(prune(rule[::-1].copy(), np.array([0, 1, 2, 8]), table, positive, False)) == 0
    assert len(prune(rule, rows[:0], table, positive, False)) == 3


def test_description_lengths_by_hand():
    log2 = math.log2
    assert subset_bits(8.0, 2.0, 0.25) == pytest.approx(2 * 2 + 6 * -log2(0.75))
    assert subset_bits(8.0, 0.0, 0.0) == 0
    assert theory_bits(0, 10.0) == 0
    assert theory_bits(1, 10.0) == pytest.approx(0.5 * (log2(10) - 9 * log2(0.9)))
    # log2(2) + 2 log2(log2(2)) = 1 bit for the number of conditions
    assert theory_bits(2, 8.0) == pytest.approx(0.5 * (1 + 2 * 2 - 6 * log2(0.75)))
    # 100 rows, none covered, 10 errors, all missed: 0.9 * 10 errors expected among them
    assert data_bits(0.1, 0.0, 100.0, 0.0, 10.0) == pytest.approx(
        log2(101) - 10 * log2(0.09) - 90 * log2(0.91)
    )
    # 20 covered with 4 errors, 80 not covered with 6
    assert data_bits(0.1, 20.0, 80.0, 4.0, 6.0) == pytest.approx(
        log2(101)
        + (-4 * log2(0.2) - 16 * log2(0.8))
        + (-6 * log2(0.9 * 10 / 80) - 74 * log2(1 - 0.9 * 10 / 80))
    )
    # most rows covered: there the expected share of the errors counts
    assert data_bits(0.6, 80.0, 20.0, 6.0, 4.0) == pytest.approx(
        log2(101)
        + (-6 * log2(0.6 * 10 / 80) - 74 * log2(1 - 0.6 * 10 / 80))
        + (-4 * log2(0.2) - 16 * log2(0.8))
    )


def test_dropping_rules_by_hand():
    """The useful rule stays, the useless and the wrong one go, and the bits say so."""
    true, false = np.array([20.0, 0.0, 2.0]), np.array([1.0, 3.0, 2.0])
    theory = np.array([5.0, 5.0, 0.0])
    dropped, saved, bits = drop_rules(true, false, theory, 0, (30.0, 170.0), 0.15, True, -1)
    assert dropped.tolist() == [False, True, True]
    assert bits == pytest.approx(data_bits(0.15, 21.0, 179.0, 1.0, 10.0))
    all_bits = data_bits(0.15, 28.0, 172.0, 6.0, 8.0)
    assert saved == pytest.approx(all_bits + 5.0 - bits)
    assert drop_rules(true, false, theory, 3, (30.0, 170.0), 0.15, True, 1)[1] == 0


def test_split_is_stratified_and_javas():
    """Numbers from java.util.Random(42): nextInt(10) gives 0, 3, 8, 4, 0; nextInt(8) gives 5."""
    state = seeded(42)
    assert [_below(state, 10) for _ in range(5)] == [0, 3, 8, 4, 0]
    assert _below(seeded(42), 8) == 5
    y = np.array([0] * 6 + [1] * 9)
    dealt, n_grow = split(np.arange(15), y, 2, 3, state)
    assert sorted(dealt) == list(range(15)) and n_grow == 10
    assert np.bincount(y[dealt[n_grow:]]).tolist() == [2, 3]
