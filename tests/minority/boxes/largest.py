"""The largest of all boxes that leave the same rows out, by branch and bound."""

import numpy as np


def largest_faces(X, rows, faces, unit, *, per_face=0.0, max_nodes=20_000):
    """Faces of one box with the greatest sum of their rooms, in units of the features.

    The room of a face is the distance from where it is to the row in its way, or to the end of
    the data if it vanishes. All faces start out gone; a row that would be inside has to be kept
    out by one of the faces that it lies beyond.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    rows : int ndarray
        Those to be left out; the box as given leaves them out.
    faces : ndarray of shape (2 * n_features,)
        Lower faces and upper faces, the latter negated.
    unit : ndarray of shape (n_features,)
    per_face : float, default=0.0
        What a face that does not vanish costs beside the room that it gives up.
    max_nodes : int

    Returns
    -------
    faces : ndarray of shape (2 * n_features,)
        Half way to the row in the way of each.
    value : float
        Its room less what its faces cost.
    proven : bool
        Whether no other faces have a higher value.
    """
    both = np.hstack([X, -X])
    unit = np.tile(unit, 2)
    ends = np.minimum(both.min(axis=0), np.where(np.isfinite(faces), faces, 0))
    values = np.unique(both[rows], axis=0)
    # Room lost if the face stops at the row; infinite if the row does not lie beyond the face.
    lost = np.where(values < faces, (values - ends) / unit + per_face, np.inf)
    usable = np.isfinite(lost)
    best, most, nodes = None, -np.inf, 0
    whole = ((faces - ends) / unit)[np.isfinite(faces)].sum()
    pending = [(np.full(len(faces), -np.inf), usable)]
    while pending and nodes < max_nodes:
        nodes += 1
        stops, usable = pending.pop()
        spent = np.where(np.isfinite(stops), (stops - ends) / unit + per_face, 0)
        inside = ~((values < faces) & (values <= stops)).any(axis=1)
        more = np.where(usable[inside], np.maximum(lost[inside] - spent, 0), np.inf)
        least = more.min(axis=1, initial=np.inf)
        value = whole - spent.sum()
        if value - least.max(initial=0) <= most + 1e-9:
            continue
        if not inside.any():
            best, most = stops, value
            continue
        hardest = least.argmax()
        row = np.flatnonzero(inside)[hardest]
        children, allowed = [], usable
        for face in np.argsort(more[hardest]):
            if not usable[row, face]:
                break
            child = stops.copy()
            child[face] = values[row, face]
            children.append((child, allowed))
            # Elsewhere this face does not keep the row out, nor one that lies farther out.
            allowed = allowed.copy()
            allowed[:, face] &= values[:, face] < values[row, face]
        pending.extend(reversed(children))
    moved = np.where(np.isfinite(best), (faces + best) / 2, -np.inf)
    return moved, most, not pending


def room(X, rows, before, after, unit):
    """Sum of the distances that the faces of one box moved, up to what stops them."""
    both, unit = np.hstack([X, -X]), np.tile(unit, 2)
    total = 0.0
    for f in np.flatnonzero(np.isfinite(before)):
        others = np.arange(len(before)) != f
        in_the_way = (both[rows][:, others] >= after[others]).all(axis=1)
        values = both[rows[in_the_way], f]
        stop = values[values < after[f]].max(initial=min(both[:, f].min(), before[f]))
        total += (before[f] - stop) / unit[f]
    return total
