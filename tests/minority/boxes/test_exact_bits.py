"""Sets of examples as bits, against boolean arrays."""

import numpy as np
import pytest

from minority.boxes._exact_bits import BLOCK, in_box, in_hull, pack, planes, total_to, weigh
from minority.boxes._exact_search import face_sets

SIZES = [1, 64, 65, 64 * BLOCK, 64 * BLOCK + 1, 700]  # up to three blocks


def unpack(words, size):
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:size].astype(bool)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("unit", [1, 5])
def test_weights_by_digits(size, unit):
    rng = np.random.default_rng(size)
    weights = unit * rng.integers(0, 40, size)
    digits, found_unit = planes(weights)
    for share in (0.0, 0.3, 1.0):
        chosen = rng.random(size) < share
        assert weigh(pack(chosen), digits, found_unit) == weights[chosen].sum()


def test_weights_that_are_all_zero():
    digits, unit = planes(np.zeros(3, np.int64))
    assert weigh(pack(np.ones(3, bool)), digits, unit) == 0


@pytest.mark.parametrize("size", SIZES)
def test_common_total_stops_at_its_limit(size):
    rng = np.random.default_rng(size)
    weights = rng.integers(0, 9, size)
    sets, among = rng.random((2, 3, size)) < 0.6, rng.random(size) < 0.6
    whole = weights[sets[1, 2] & among].sum()
    for limit in (0, whole // 2, whole, whole + 7):
        assert total_to(pack(sets), 1, 2, pack(among), weights, limit) == min(whole, limit)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("d", [1, 4])
def test_elements_of_boxes_and_hulls(size, d):
    rng = np.random.default_rng(size + d)
    ranks = rng.integers(0, 7, (size, d)).astype(np.int32)
    at_least, at_most = face_sets(ranks, ranks, 7)
    points = rng.integers(0, 7, (5, d)).astype(np.int32)
    low, high = np.sort(rng.integers(1, 6, (2, d)).astype(np.int32), axis=0)
    words = at_least.shape[2]
    out = np.zeros((5, words), np.uint64)
    in_box(low, high, at_least, at_most, out[0])
    expected = ((ranks >= low) & (ranks <= high)).all(axis=1)
    np.testing.assert_array_equal(unpack(out[0], size), expected)
    for i, point in enumerate(points):
        in_hull(low, high, points, i, at_least, at_most, out, i * words)
        bottom, top = np.minimum(low, point), np.maximum(high, point)
        expected = ((ranks >= bottom) & (ranks <= top)).all(axis=1)
        np.testing.assert_array_equal(unpack(out[i], size), expected)
    assert not unpack(out[-1], 64 * words)[size:].any()
