"""The search for sampling levels (Figures 1 to 3 of the paper)."""

from typing import NamedTuple

import numpy as np
import pandas as pd

_NOISE = 1e-12  # values that differ by less are equal


class Levels(NamedTuple):
    """What a search found.

    Parameters
    ----------
    undersampling : dict
        Majority class -> per cent of its rows kept.
    smote : dict
        Minority class -> synthetic points in per cent of its rows.
    path : pandas.DataFrame
        One row per level tried.
    """

    undersampling: dict
    smote: dict
    path: pd.DataFrame


def search_levels(
    score,
    majority,
    minority,
    *,
    decrement=10,
    increment=100,
    min_increment=0.05,
    look_ahead=3,
    min_kept=None,
    max_smote=5000,
):
    r"""Undersample while it does not hurt, then add synthetic points while it helps.

    Parameters
    ----------
    score : callable
        ``score(undersampling, smote)`` takes {majority class: per cent kept} and {minority class:
        per cent added} and returns the values of the minority classes and those of the majority
        classes, in the order of the lists. Greater is better; a cost is given with its sign turned.

    majority, minority : list
        The labels. Either list may be empty.

    decrement : float, default=10
        Step of undersampling (the paper's SampleDecrement).

    increment : float, default=100
        Step of SMOTE (SampleIncrement).

    min_increment : float, default=0.05
        Share by which a majority class may fall in a step of undersampling, and by which a
        minority class must rise for SMOTE to go on (IncrementMin).

    look_ahead : int, default=3
        Levels of SMOTE without success after which the search ends (LookupAheadValue): the one
        that failed and two more.

    min_kept : float, default=None
        Undersampling keeps at least so many per cent; by default one step.

    max_smote : float, default=5000
        SMOTE adds at most so many per cent.

    Returns
    -------
    levels : Levels
        Its path has the columns `stage` ("start", "undersampling" or "smote"), `class` (whose
        level was moved, as text), `kept <class>`, `smote <class>` and `score <class>` for every
        class, and `accepted`.

    Notes
    -----
    Let :math:`b` be the best value of a class, that is, its value at the last accepted level. A
    step of undersampling is accepted if no minority class falls below :math:`b` and no majority
    class below :math:`b - 0.05 |b|`. A step of SMOTE is accepted if the value of the class itself
    reaches :math:`b + 0.05 |b|` and is above :math:`b`. For values above zero that is
    the paper's 0.95 b and 1.05 b; for a cost :math:`-b` it is the same rule with the inequality
    turned, 1.05 and 0.95 times the cost. After an accepted step the new values of all classes are
    the best ones, also if a majority class fell a little.

    The classes of a list take turns, and each goes on until it is stopped; the others are tried
    with the look-ahead levels of a class in place, as in Figure 3. Two slips of the figures are
    put right: a refused step of undersampling adds the decrement back, and the loops run until
    all classes are stopped, not the first. Figure 3 leaves open which class's value decides about
    a step of SMOTE: here that of the class whose level moves. It has no limits; `min_kept` and
    `max_smote` are ours, and so is the demand that a best value of zero be exceeded, without which
    SMOTE would go on for ever where nothing is ever found.

    Examples
    --------
    >>> from minority.sampling import search_levels
    >>> def score(undersampling, smote):
    ...     return [0.5 + 0.01 * (100 - undersampling["no"])], [undersampling["no"] / 100]
    >>> levels = search_levels(score, ["no"], ["yes"])
    >>> levels.undersampling, levels.smote
    ({'no': 100}, {'yes': 0})
    """
    lowest = decrement if min_kept is None else max(min_kept, decrement)
    kept, added = dict.fromkeys(majority, 100), dict.fromkeys(minority, 0)
    path = []

    def attempt(stage, label=""):
        minor, major = (np.asarray(part, dtype=float) for part in score(dict(kept), dict(added)))
        path.append(
            {"stage": stage, "class": str(label)}
            | {f"kept {name}": level for name, level in kept.items()}
            | {f"smote {name}": level for name, level in added.items()}
            | {f"score {name}": value for name, value in zip(minority, minor, strict=True)}
            | {f"score {name}": value for name, value in zip(majority, major, strict=True)}
            | {"accepted": True}
        )
        return minor, major

    best_minor, best_major = attempt("start")

    running = list(majority)
    while running:
        for label in tuple(running):
            level = kept[label]
            if level - decrement < lowest - _NOISE:
                running.remove(label)
                continue
            kept[label] = level - decrement
            minor, major = attempt("undersampling", label)
            allowed = best_major - min_increment * np.abs(best_major)
            if (minor < best_minor - _NOISE).any() or (major < allowed - _NOISE).any():
                path[-1]["accepted"] = False
                kept[label] = level
                running.remove(label)
            else:
                best_minor, best_major = minor, major

    running, failures = list(minority), dict.fromkeys(minority, 0)
    while running:
        for label in tuple(running):
            if added[label] + increment <= max_smote + _NOISE:
                added[label] += increment
                minor, _ = attempt("smote", label)
                value, best = minor[minority.index(label)], best_minor[minority.index(label)]
                if value > best + _NOISE and value >= best + min_increment * abs(best) - _NOISE:
                    best_minor, failures[label] = minor, 0
                    continue
                path[-1]["accepted"] = False
                failures[label] += 1
                if failures[label] < look_ahead:
                    continue
            added[label] -= failures[label] * increment
            running.remove(label)

    # From columns, which takes pandas half the time that it takes from rows.
    columns = {name: [step[name] for step in path] for name in path[0]}
    return Levels(kept, added, pd.DataFrame(columns))
