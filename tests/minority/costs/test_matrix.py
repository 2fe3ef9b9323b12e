"""Cost matrices, thresholds, and what predictions cost."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.costs import (
    cheapest_class,
    check_costs,
    cost_threshold,
    expected_cost,
    total_cost,
)
from minority.costs._matrix import cost_of_missing


def test_all_ways_to_write_the_same_costs():
    expected = [[0, 1], [7, 0]]
    frame = pd.DataFrame([[0, 7], [1, 0]], index=["y", "n"], columns=["y", "n"])
    for costs in (7, {"n": 1, "y": 7}, frame, expected, np.array(expected)):
        np.testing.assert_array_equal(check_costs(costs, ["n", "y"], "y"), expected)
    np.testing.assert_array_equal(check_costs(7, ["n", "y"], "n"), [[0, 7], [1, 0]])
    np.testing.assert_array_equal(check_costs(None, list("abc")), 1 - np.eye(3))


def test_rows_of_a_frame_are_true_classes():
    frame = pd.DataFrame([[0, 1, 2], [3, 0, 4], [5, 6, 0]], list("abc"), list("abc"))
    assert total_cost(["a"], ["c"], frame) == 2
    assert total_cost(["c"], ["a"], frame) == 5
    # A frame may know more classes, and its columns may be in another order.
    assert total_cost(["b", "b"], ["c", "a"], frame[["c", "a", "b"]]) == 4 + 3


def test_given_costs_are_not_changed():
    given = np.array([[0.0, 1.0], [2.0, 0.0]])
    check_costs(given, [0, 1])[0, 0] = 9
    assert given[0, 0] == 0


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (-1, "not negative"),
        (np.inf, "finite"),
        (np.nan, "finite"),
        ([[0, -1], [1, 0]], "not negative"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], r"shape \(3, 3\), but there are 2 classes"),
        ([0, 1], r"shape \(2,\)"),
        ({"n": 1}, r"do not name the classes \['y'\]"),
        (pd.DataFrame([[0, 1], [1, 0]], ["n", "y"], ["n", "z"]), "columns for each of the"),
        (pd.DataFrame([[0] * 3] * 3, ["n", "y", "y"], ["n", "y", "y"]), "one of their rows"),
        ([[0, 0], [0, 0]], "nothing to choose by"),
        ([[5, 0], [0, 5]], "nothing to choose by"),
        ({"n": 0, "y": 0}, "nothing to choose by"),
    ],
)
def test_bad_costs(costs, message):
    with pytest.raises(ValueError, match=message):
        check_costs(costs, ["n", "y"], "y")


def test_a_ratio_is_for_two_classes():
    with pytest.raises(ValueError, match=r"two classes, but there are 3"):
        check_costs(5, ["a", "b", "c"], "a")
    with pytest.raises(ValueError, match="pos_label='z' is not among"):
        check_costs(5, ["a", "b"], "z")


def test_threshold():
    assert cost_threshold(1) == 0.5
    assert cost_threshold(19) == pytest.approx(0.05)
    assert cost_threshold(0) == 1  # a missed positive costs nothing: never worth an alarm
    for ratio in (-1, np.inf, np.nan):
        with pytest.raises(ValueError, match="finite and not negative"):
            cost_threshold(ratio)


@settings(deadline=None, max_examples=100)
@given(st.floats(0, 1), st.integers(0, 100))
def test_cheapest_of_two_is_the_threshold(p, ratio):
    chosen = cheapest_class([[1 - p, p]], [[0, 1], [ratio, 0]], preference=[2, 1])[0]
    if abs(p - cost_threshold(ratio)) > 1e-9:
        assert chosen == (p > cost_threshold(ratio))


@pytest.mark.parametrize("ratio", range(1, 101))
def test_ties_go_to_the_preferred_class(ratio):
    """At p*, whatever the rounding: negative, as in the paper."""
    p = 1 / (1 + ratio)
    costs = [[0, 1], [ratio, 0]]
    assert cheapest_class([[1 - p, p]], costs, [10, 3])[0] == 0
    assert cheapest_class([[1 - p, p]], costs, [3, 10])[0] == 1
    assert cheapest_class([[1 - p, p]], costs)[0] == 0


def test_cheapest_of_three_by_hand():
    costs = [[0, 1, 1], [1, 0, 1], [10, 4, 0]]
    # Expected costs 0.3 + 10 * 0.1, 0.6 + 4 * 0.1, 0.6 + 0.3.
    assert cheapest_class([[0.6, 0.3, 0.1]], costs)[0] == 2
    # 0.05 + 0.2, 0.93 + 0.08, 0.93 + 0.05.
    assert cheapest_class([[0.93, 0.05, 0.02]], costs)[0] == 0


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_total_is_the_sum_over_examples(pairs):
    matrix = np.array([[0, 1, 2], [3, 0.5, 4], [5, 6, 0]])
    true, predicted = zip(*pairs, strict=True)
    by_hand = sum(matrix[i, j] for i, j in pairs)
    assert total_cost(true, predicted, matrix, labels=[0, 1, 2]) == pytest.approx(by_hand)
    mean = expected_cost(true, predicted, matrix, labels=[0, 1, 2])
    assert mean == pytest.approx(by_hand / len(pairs))


def test_positive_is_the_rarer_class_of_the_truth():
    # The predictions have class 0 as the rarer one.
    assert total_cost([0, 0, 0, 1], [1, 1, 1, 0], 10) == 3 + 10
    assert total_cost([0, 0, 0, 1], [1, 1, 1, 0], 10, pos_label=0) == 30 + 1
    assert total_cost([0, 1], [1, 1], 10) == 1  # equally frequent: the last is positive
    assert total_cost([0, 0], [0, 0], 10, labels=[0, 1]) == 0


def test_bad_labels():
    with pytest.raises(ValueError, match=r"do not name the classes \[2\]"):
        total_cost([0, 2], [1, 0], labels=[0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        total_cost([0, 1], [1])
    with pytest.raises(ValueError, match="two classes, but there are 1"):
        total_cost([0, 0], [0, 0], 10)


def test_cost_of_missing():
    # Means over the wrong classes, less what a right prediction costs.
    missing = cost_of_missing(np.array([[0.0, 1, 3], [4, 1, 4], [6, 8, 0]]))
    np.testing.assert_allclose(missing, [2, 3, 7])
    with pytest.raises(ValueError, match="may cost more where it is predicted rightly"):
        cost_of_missing(np.array([[2.0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="one must cost less"):
        cost_of_missing(np.array([[1.0, 1], [2, 2]]))
