"""Boxes made larger: faces move outwards until a negative example is in the way."""

import numpy as np
from numba import njit

from minority.boxes._exact_problem import ROUNDING


def grow_faces(X, negative, lower, upper, unit, order=None, *, margin=0.0):
    """Move the faces of boxes outwards as far as no further negative is covered.

    A negative is in the way of a face if it lies beyond it and inside of the box in all other
    features. The face with the most room, in units of the feature, moves first: half way to the
    nearest negative in its way, or to infinity where none is. Faces that have gone make others
    meet more negatives, so room is measured again after each move; every face moves once. In the
    end each face that is left has a negative in its way.

    Boxes grow independently of each other. What one of them covers already is in no other's way.

    Parameters
    ----------
    X : float ndarray of shape (n_samples, n_features)
    negative : bool ndarray of shape (n_samples,)
        Which rows may be in the way.
    lower, upper : ndarray of shape (n_boxes, n_features)
        Infinite where there is no face.
    unit : ndarray of shape (n_features,)
    order : sequence of int, default=None
        Move the faces in this order instead: `j` is the lower face of feature j and
        ``n_features + j`` the upper one.
    margin : float, default=0.0
        Rows that are outside of all boxes by the margin, in units of the features, stay so.
        Those within the margin stay outside.

    Returns
    -------
    lower, upper : ndarray of shape (n_boxes, n_features)

    Notes
    -----
    A negative is in the way of some face once it misses the box in a single feature, so it is
    enough to count for each row the features in which it misses: O(n_samples * n_features) for
    each box. Among faces with equal room (within rounding, so that units do not matter), the one
    that keeps the fewest rows out moves first: it brings the fewest rows into the way of others.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    # Upper faces are lower faces of the mirrored data.
    faces = np.hstack([lower, -np.asarray(upper)]).astype(np.float64)
    unit = np.tile(np.broadcast_to(np.asarray(unit, np.float64), X.shape[1]), 2)
    reach, slack = margin * unit, min(ROUNDING, margin) * unit
    order = np.empty(0, np.intp) if order is None else np.asarray(order, np.intp)
    rows, clear = _outside(X, np.flatnonzero(negative), faces, reach, slack)
    for box in faces:
        _grow(X, rows, clear, box, unit, reach, slack, order)
    lower, upper = np.split(faces, 2, axis=1)
    return lower, -upper


@njit(cache=True, nogil=True)
def _value(X, row, face):
    d = X.shape[1]
    return X[row, face] if face < d else -X[row, face - d]


@njit(cache=True, nogil=True)
def _misses(value, face, clear, reach, slack):
    """Whether a value is beyond a face, by the margin if it has to keep it."""
    return value < face and (not clear or value + (reach - slack) <= face)


@njit(cache=True, nogil=True)
def _outside(X, rows, faces, reach, slack):
    """The rows that no box covers, and whether they are clear of all boxes by the margin."""
    outside = np.empty(len(rows), np.intp)
    clear = np.empty(len(rows), np.bool_)
    n = 0
    for row in rows:
        in_none = all_clear = True
        for box in faces:
            is_out = is_clear = False
            for f in range(len(box)):
                value = _value(X, row, f)
                if _misses(value, box[f], True, reach[f], slack[f]):
                    is_out = is_clear = True
                    break
                is_out |= value < box[f]
            in_none &= is_out
            all_clear &= is_clear
        if in_none:
            outside[n], clear[n] = row, all_clear
            n += 1
    return outside[:n], clear[:n]


@njit(cache=True, nogil=True)
def _grow(X, rows, clear, faces, unit, reach, slack, order):
    """Grow one box, in place; all `rows` lie outside of it."""
    missed = np.zeros(len(rows), np.int64)  # faces beyond which the row lies
    kept_out = np.zeros(len(faces), np.int64)  # rows beyond the face
    nearest = np.full(len(faces), -np.inf)  # value of a row in the way of the face
    stop = np.full(len(faces), -np.inf)  # where the face has to stop for them
    for i, row in enumerate(rows):
        last = 0
        for f in range(len(faces)):
            if _misses(_value(X, row, f), faces[f], clear[i], reach[f], slack[f]):
                missed[i] += 1
                kept_out[f] += 1
                last = f
        if missed[i] == 1:
            _put_in_the_way(_value(X, row, last), clear[i], last, reach, nearest, stop)

    waiting = faces > -np.inf
    for step in range(len(order) if len(order) else waiting.sum()):
        f = order[step] if len(order) else _roomiest(faces, nearest, unit, kept_out, waiting)
        if not waiting[f]:
            continue
        waiting[f] = False
        before = faces[f]
        if nearest[f] == -np.inf:
            faces[f] = -np.inf
        else:
            half_way = before - 0.5 * (before - nearest[f])
            least = max(stop[f], np.nextafter(nearest[f], before))
            faces[f] = min(before, max(half_way, least))
        for i, row in enumerate(rows):
            value = _value(X, row, f)
            if not _misses(value, before, clear[i], reach[f], slack[f]):
                continue
            if _misses(value, faces[f], clear[i], reach[f], slack[f]):
                continue
            missed[i] -= 1
            if missed[i] == 1:
                last = 0
                value = _value(X, row, last)
                while not _misses(value, faces[last], clear[i], reach[last], slack[last]):
                    last += 1
                    value = _value(X, row, last)
                _put_in_the_way(value, clear[i], last, reach, nearest, stop)


@njit(cache=True, nogil=True)
def _put_in_the_way(value, clear, face, reach, nearest, stop):
    nearest[face] = max(nearest[face], value)
    stop[face] = max(stop[face], value + reach[face] if clear else value)


@njit(cache=True, nogil=True)
def _roomiest(faces, nearest, unit, kept_out, waiting):
    """The face with the most room, and among these the one that keeps the fewest rows out."""
    best, most = -1, -np.inf
    for f in range(len(faces)):
        if waiting[f]:
            room = (faces[f] - nearest[f]) / unit[f]
            equal = room >= most - ROUNDING and not room > most + ROUNDING
            if best < 0 or room > most + ROUNDING or (equal and kept_out[f] < kept_out[best]):
                best, most = f, room
    return best
