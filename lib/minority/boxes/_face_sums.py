"""Sums over rows for each face of a box, free of rounding.

A float64 is a whole multiple of the smallest one above zero. So sums of them are whole numbers,
kept here in limbs of 52 bits each: in any order, in any batches and by any number of threads the
same sum comes out, rounded once, when all terms are in.
"""

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True, error_model="numpy")

_BITS = 52  # of a limb: a float64 fits into two, and an int64 takes hundreds of terms on top
_ALL_ONES = (1 << _BITS) - 1
# Zeros below the smallest float64, so that exp(1) down to exp(-33) are in the same two limbs.
_PADDING = 14
_N_LIMBS = (2046 + _PADDING) // _BITS + 3  # two for the largest float64 and one for what is carried
# Rows between two carries, whose temporaries stay in the cache.
_TILE = 512
_LARGEST = np.finfo(np.float64).max


class FaceSums:
    """Sums of the lower and of the upper faces of boxes.

    Parameters
    ----------
    low, high : ndarray of shape (n_boxes, n_features)
        The boxes, scaled.
    """

    def __init__(self, low, high):
        self._boxes = np.ascontiguousarray(low), np.ascontiguousarray(high)
        # Limbs that no term is in are never touched, and so take no memory if they are long.
        self._limbs = np.zeros((len(low), _N_LIMBS, 2, low.shape[1]), np.int64)
        self._used = np.array([_N_LIMBS, -1])  # first and last limb with terms

    def add_members(self, Z, owner, weight):
        """Add the terms of R+ (eq. 24 rewritten).

        Parameters
        ----------
        Z : ndarray of shape (n_features, n_rows)
            Scaled columns.
        owner : ndarray of shape (n_rows,)
            The box of each row.
        weight : ndarray of shape (n_rows,)
        """
        _add_members(self._limbs, self._used, Z, owner, weight, *self._boxes)

    def add_others(self, Z, owner, weight):
        """Add the terms of R- (eq. 24 rewritten); `owner` is -1 for rows that are of no box."""
        _add_others(self._limbs, self._used, Z, owner, weight, *self._boxes)

    def merge(self, other):
        """Add the sums of other rows for the same boxes."""
        self._used[:] = (
            min(self._used[0], other._used[0]),
            max(self._used[1], other._used[1]),
        )
        first, last = self._used.tolist()
        self._limbs[:, first : last + 2] += other._limbs[:, first : last + 2]
        _carry(self._limbs, self._used)

    def __add__(self, other):
        """The sums of the rows of both, which stay as they are."""
        total = FaceSums(*self._boxes)
        total.merge(self)
        total.merge(other)
        return total

    def totals(self):
        """The sums, correctly rounded.

        Returns
        -------
        lower, upper : ndarray of shape (n_boxes, n_features)
        """
        first, last = self._used.tolist()
        limbs = self._limbs[:, first : last + 2]
        sums = np.zeros((2, *self._boxes[0].shape))
        for k, side, j in np.ndindex(len(limbs), *limbs.shape[2:]):
            total = 0
            for limb in limbs[k, ::-1, side, j].tolist():
                total = (total << _BITS) + limb
            sums[side, k, j] = _as_float(total, first * _BITS - _PADDING - 1074)
        return sums[0], sums[1]


def _as_float(whole, exponent):
    """whole * 2**exponent, rounded to the nearest float64."""
    try:
        return whole / (1 << -exponent) if exponent < 0 else float(whole << exponent)
    except OverflowError:
        return np.inf


@_compiled
def _limbs_of(bits):
    """The lower of two limbs that a positive float64 is in, and its parts in both of them."""
    exponent, digits = bits >> 52, bits & ((1 << 52) - 1)
    if exponent > 0:  # not subnormal
        exponent, digits = exponent - 1, digits | (1 << 52)
    place = exponent + _PADDING
    limb = place // _BITS
    shift = place - limb * _BITS
    return limb, (digits << shift) & _ALL_ONES, digits >> (_BITS - shift)


@_compiled
def _add(limbs, used, k, side, j, bits):
    if bits == 0:
        return
    limb, lower, upper = _limbs_of(bits)
    limbs[k, limb, side, j] += lower
    limbs[k, limb + 1, side, j] += upper
    used[0], used[1] = min(used[0], limb), max(used[1], limb + 1)


@_compiled
def _carry(limbs, used):
    for k in range(len(limbs)):
        for limb in range(used[0], used[1] + 1):
            for side in range(2):
                for j in range(limbs.shape[3]):
                    limbs[k, limb + 1, side, j] += limbs[k, limb, side, j] >> _BITS
                    limbs[k, limb, side, j] &= _ALL_ONES


@_compiled
def _add_members(limbs, used, Z, owner, weight, low, high):
    term = np.empty(1)
    bits = term.view(np.int64)
    for i in range(Z.shape[1]):
        k = owner[i]
        for j in range(len(Z)):
            middle = (low[k, j] + high[k, j]) / 2
            if Z[j, i] <= middle:
                term[0] = min(weight[i] * np.exp(low[k, j] - Z[j, i] - 1), _LARGEST)
                _add(limbs, used, k, 0, j, bits[0])
            if Z[j, i] >= middle:
                term[0] = min(weight[i] * np.exp(Z[j, i] - high[k, j] - 1), _LARGEST)
                _add(limbs, used, k, 1, j, bits[0])
        if i % _TILE == _TILE - 1:
            _carry(limbs, used)
    _carry(limbs, used)


@_compiled
def _add_others(limbs, used, Z, owner, weight, low, high):
    tile = min(_TILE, Z.shape[1])
    term, inside = np.empty(tile), np.empty(1)
    bits, bits_inside = term.view(np.int64), inside.view(np.int64)
    place = np.empty(tile, np.int64)
    parts = np.empty((2, tile), np.int64)
    part = np.empty(tile, np.int64)
    for start in range(0, Z.shape[1], _TILE):
        n = min(_TILE, Z.shape[1] - start)
        for k in range(len(low)):
            term[:n] = 0.0  # first the distance from the box
            for j in range(len(Z)):
                below, above, z = low[k, j], high[k, j], Z[j, start : start + n]
                for i in range(n):
                    under, over = below - z[i], z[i] - above
                    beyond = under if under > over else over
                    term[i] += beyond if beyond > 0 else 0.0
            first, last = _N_LIMBS, -1
            for i in range(n):
                if term[i] > 0:
                    term[i] = min(weight[start + i] * np.exp(1 - term[i]), _LARGEST)
                    place[i], parts[0, i], parts[1, i] = _limbs_of(bits[i])
                    if bits[i]:
                        first, last = min(first, place[i]), max(last, place[i] + 1)
                    continue
                place[i] = _N_LIMBS
                # Members of the cluster are inside by construction; they count in R+ instead.
                if owner[start + i] == k:
                    continue
                w = weight[start + i]
                for j in range(len(Z)):
                    z, middle = Z[j, start + i], (low[k, j] + high[k, j]) / 2
                    if z <= middle:
                        inside[0] = min(w * np.exp(z - low[k, j] + 1), _LARGEST)
                        _add(limbs, used, k, 0, j, bits_inside[0])
                    if z >= middle:
                        inside[0] = min(w * np.exp(high[k, j] - z + 1), _LARGEST)
                        _add(limbs, used, k, 1, j, bits_inside[0])
            if first < last:
                used[0], used[1] = min(used[0], first), max(used[1], last)
            # The term of a row is the same for every face that it lies beyond, so each limb of
            # all rows is cut out once. Sums of whole numbers are free to take several at a time.
            for limb in range(first, last + 1):
                for i in range(n):
                    side = limb - place[i]
                    part[i] = parts[side, i] if 0 <= side < 2 else 0
                for j in range(len(Z)):
                    below, above, z = low[k, j], high[k, j], Z[j, start : start + n]
                    under = over = 0
                    for i in range(n):
                        under += part[i] if z[i] < below else 0
                        over += part[i] if z[i] > above else 0
                    limbs[k, limb, 0, j] += under
                    limbs[k, limb, 1, j] += over
        _carry(limbs, used)


@_compiled
def move_nearest(below, above, columns, eligible, lower, upper):
    """Move `below` and `above` to eligible values of the columns that are nearer to the faces."""
    for start in range(0, columns.shape[1], _TILE):
        stop = min(start + _TILE, columns.shape[1])
        for j in range(len(columns)):
            values = columns[j, start:stop]
            for k in range(len(lower)):
                low, high, under, over = lower[k, j], upper[k, j], below[k, j], above[k, j]
                nearer = 0  # soon there are none; to count them takes no jump
                for x in values:
                    nearer += ((under < x) & (x < low)) | ((high < x) & (x < over))
                if not nearer:
                    continue
                for i in range(stop - start):
                    x = values[i]
                    if under < x < low and eligible[start + i]:
                        under = x
                    if high < x < over and eligible[start + i]:
                        over = x
                below[k, j], above[k, j] = under, over
