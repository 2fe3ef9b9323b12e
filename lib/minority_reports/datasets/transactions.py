"""Simulated transactions in place of RLSD's law-enforcement data, which only its authors have.

Nothing here is true but the shape: persons with time-stamped transactions of six features (amount,
kind, place, counterpart, channel and whether it is fraud), an example for each inspected one, 70
attributes, most of them computed from the person's past, and the paper's numbers of examples.

Fraud has six patterns, each a conjunction of two to four moderate deviations of which none is
rare by itself; the patterns overlap, and their thresholds and shares drift from month to month. Of
the frauds that follow a pattern some are never found and stay good examples; of the bad examples
some follow no pattern. Fourteen attributes have nothing to do with anything.

The difficulty was set by C4.5's rule sets alone, before RLSD ran on any of this: with the majority
cut to 5, 3, 1, 0.5, 0.3 and 0.1 %, recall on the test month was to rise from near 0 to about 0.8
and precision to fall from about 0.014 to 0.005, which is where Figure 1's axes and the text ("C5.0
performed reasonably well") leave room for C5.0's points, which are lost. What was chosen by this:
thresholds, the share of examples that each pattern covers, and `NO_PATTERN`. It came to recalls
of 0.02, 0.08, 0.36, 0.55, 0.63 and 0.85, precisions of 0.012, 0.014, 0.011, 0.008, 0.007 and 0.005.

All arithmetic that decides a value is on whole numbers, and no value reaches 2^24, so the data are
equal on every machine and exact in float32.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

HOUR, DAY = 60, 24 * 60  # in minutes, the unit of time stamps
MONTH = 30 * DAY
PRIOR = 2 * MONTH  # the history that each person has before the first month
SPAN = PRIOR + 4 * MONTH
WINDOWS = (7, 30, 60)  # days

KINDS, PLACES, COUNTERPARTS, CHANNELS = 6, 12, 1000, 4
PER_MONTH = 3  # transactions of a person, a little less than there are on average
MOST = 74  # transactions of a person
INSPECTED = 70  # per cent of the transactions in the month with most examples
BLOCK = 1 << 17  # most examples that are drawn at once

NOW = (
    *("amount", "kind", "place", "channel", "hour", "weekday", "known_days"),
    *("since_last", "since_counterpart", "last_amount", "hour_gap"),
    *("amount_to_last", "amount_to_mean", "amount_to_largest"),
)
PAST = (
    *("count", "sum", "mean", "largest", "night", "round", "new", "moves", "weekend", "online"),
    *("same_counterpart", "same_place", "same_kind", "same_channel"),
)
UNRELATED = tuple(f"unrelated_{j}" for j in range(1, 15))  # 7 of a person, 7 of a transaction
UNRELATED_RANGES = (2, 5, 10, 24, 50, 100, 1000)
ATTRIBUTES = (*NOW, *(f"{name}_{days}" for days in WINDOWS for name in PAST), *UNRELATED)
NOMINAL = ("kind", "place", "channel")


class Pattern(NamedTuple):
    """A conjunction that some frauds meet.

    A condition is (attribute, comparison, threshold, step); thresholds and the weight of the
    pattern among all move by their step each month.
    """

    weight: int
    step: int
    conditions: tuple


PATTERNS = {
    "burst": Pattern(
        22,
        -3,
        (("count_7", ">=", 5, 1), ("since_last", "<=", DAY, 0), ("moves_7", ">=", 2, 0)),
    ),
    "unusual amount": Pattern(
        20,
        -2,
        (
            ("amount_to_mean", ">=", 220, -15),
            ("count_30", ">=", 6, 0),
            ("hour", ">=", 12, 1),
        ),
    ),
    "new counterparts": Pattern(
        18,
        0,
        (
            ("new_30", ">=", 4, 0),
            ("since_counterpart", ">=", PRIOR, 0),
            ("mean_30", ">=", 150, 10),
        ),
    ),
    "night": Pattern(
        16,
        2,
        (
            ("night_30", ">=", 3, 0),
            ("hour", "<=", 8, -1),
            ("same_kind_30", "<=", 4, 0),
        ),
    ),
    "round sums": Pattern(14, 3, (("round_60", ">=", 6, 0), ("largest_60", ">=", 800, 50))),
    "elsewhere": Pattern(
        12,
        4,
        (
            ("moves_30", ">=", 5, 0),
            ("same_place_30", "<=", 1, 0),
            ("online_30", "<=", 3, 0),
            ("hour_gap", "<=", 8, 0),
        ),
    ),
}
NO_PATTERN = 20  # per cent of the bad examples
NOT_FOUND = 20  # per cent of the frauds that follow a pattern

COMPARE = {">=": np.greater_equal, "<=": np.less_equal}

# Seed, then examples and bad ones for training (months 0 to 2) and for testing (month 3): Table 2.
PAIRS = {
    "simulated-law-1": (201, (68_988 + 273, 273), (24_317 + 59, 59)),
    "simulated-law-2": (202, (73_421 + 220, 220), (26_169 + 84, 84)),
    "simulated-law-3": (203, (67_350 + 237, 237), (25_924 + 74, 74)),
    "simulated-law-4": (204, (68_333 + 232, 232), (38_630 + 266, 266)),
}


def transaction_pair(name):
    """The features and the 0/1 target of one of `PAIRS`, training examples first."""
    seed, train, test = PAIRS[name]
    values, y, _ = _block(np.random.default_rng(seed), [(*train, (0, 1, 2)), (*test, (3,))])
    X = pd.DataFrame(values.astype(np.float64), columns=ATTRIBUTES)
    for column in NOMINAL:
        X[column] = X[column].map("{:.0f}".format).astype("category")
    return X, y


def simulate_transactions(n_rows, n_positives, seed=0, *, months=(0, 1, 2)):
    """Draw any number of examples: one or two minutes and 2 GB for 6,000,000.

    Parameters
    ----------
    n_rows, n_positives : int
        Number of examples, and of bad ones among them.
    seed : int, default=0
    months : sequence of int, default=(0, 1, 2)
        From 0 to 3; what fraud looks like drifts with them. The paper trains on three and tests
        on the next.

    Returns
    -------
    X : ndarray of shape (n_rows, 70), dtype float32
        The `ATTRIBUTES`; nominal ones are numbered.
    y : ndarray of shape (n_rows,), dtype bool
        Whether an example is bad.
    """
    if not 0 <= n_positives <= n_rows or n_rows == 0:
        raise ValueError(f"{n_positives} of {n_rows} examples cannot be bad")
    if not set(months) <= {0, 1, 2, 3}:
        raise ValueError(f"months are from 0 to 3, got {months}")
    X, y = np.empty((n_rows, len(ATTRIBUTES)), dtype=np.float32), np.empty(n_rows, dtype=bool)
    n_blocks = -(-n_rows // BLOCK)
    rows, positives = (
        [total * block // n_blocks for block in range(n_blocks + 1)]
        for total in (n_rows, n_positives)
    )
    for block in range(n_blocks):
        part = rows[block + 1] - rows[block], positives[block + 1] - positives[block], months
        here = slice(rows[block], rows[block + 1])
        X[here], y[here], _ = _block(np.random.default_rng([seed, block]), [part])
    return X, y


def _block(rng, parts):
    """Draw persons and, for each part (examples, bad ones, months), examples in order of time.

    Returns the attributes as whole numbers, the labels, and the number of each bad example's
    pattern: `len(PATTERNS)` if it follows none, -1 for good examples.
    """
    busiest = max(-(-n_rows // len(months)) for n_rows, _, months in parts)
    history = draw_history(rng, 50 + busiest * 100 // (INSPECTED * PER_MONTH))
    month = (history["time"] - PRIOR) // MONTH
    of_person = rng.integers(0, UNRELATED_RANGES, size=(history["person"][-1] + 1, 7))
    values, labels, patterns = [], [], []
    for n_rows, n_positives, months in parts:
        candidates = np.flatnonzero(np.isin(month, months))
        if n_rows > len(candidates):
            raise ValueError(f"{n_rows} examples are wanted, {len(candidates)} transactions exist")
        rows = rng.permutation(candidates)[:n_rows]
        rows = rows[np.argsort(history["time"][rows], kind="stable")]
        related = attributes_of(history, rows)
        of_row = rng.integers(0, UNRELATED_RANGES, size=(2, n_rows, 7)).min(axis=0)
        values.append(np.column_stack([related, of_person[history["person"][rows]], of_row]))
        patterns.append(_draw_frauds(rng, values[-1], month[rows], n_positives))
        labels.append(patterns[-1] >= 0)
    return np.concatenate(values), np.concatenate(labels), np.concatenate(patterns)


def draw_history(rng, n_persons):
    """Draw all transactions, sorted by person and time: arrays by feature."""

    def trait(low, high):
        return rng.integers(low, high, size=n_persons, endpoint=True)

    # Few persons have many transactions: 2 to `MOST`, 20 on average.
    n_transactions = 2 + trait(0, 12) * trait(0, 12) // 2
    person = np.repeat(np.arange(n_persons), n_transactions)
    n = len(person)

    def happens(per_cent):
        return rng.integers(0, 100, size=n) < per_cent

    def usually(usual, often, number):
        """A code that is the usual one often, in per cent, and any otherwise."""
        return np.where(happens(often), usual[person], rng.integers(0, number, size=n))

    day = rng.integers(0, SPAN // DAY, size=n)
    busy_week = trait(0, SPAN // DAY - 7)
    day = np.where(happens(20), busy_week[person] + rng.integers(0, 7, size=n), day)
    by_night = happens(trait(0, 40)[person])
    minute = np.where(
        by_night, rng.integers(0, 6 * HOUR, size=n), rng.integers(6 * HOUR, DAY, size=n)
    )
    size = trait(3, 40) * trait(3, 40)
    amount = 1 + size[person] * np.prod(rng.integers(20, 221, size=(3, n)), axis=0) // 4_000_000
    amount *= np.where(happens(6), 4, 1)
    amount = np.where(happens(trait(0, 40)[person]), -(-amount // 50) * 50, amount)
    own = rng.integers(0, COUNTERPARTS, size=(n_persons, 8))
    known = own[person, rng.integers(0, trait(1, 8)[person])]
    history = {
        "person": person,
        "time": day * DAY + minute,
        "amount": amount,
        "kind": usually(trait(0, KINDS - 1), 60, KINDS),
        "place": usually(trait(0, PLACES - 1), 70, PLACES),
        "counterpart": np.where(happens(75), known, rng.integers(0, COUNTERPARTS, size=n)),
        "channel": usually(trait(0, CHANNELS - 1), 60, CHANNELS),
    }
    order = np.lexsort((history["time"], person))
    return {name: values[order] for name, values in history.items()}


def attributes_of(history, rows):
    """The attributes of some transactions but the unrelated ones, as whole numbers.

    The past of a transaction are those of the same person at an earlier minute, in a window those
    of the last days. Ratios are per cent, rounded down, and 0 where there is nothing to compare.
    """
    person, time, amount = (history[name] for name in ("person", "time", "amount"))
    n = len(person)
    key = person * SPAN + time
    now, when = key[rows], time[rows]
    end = np.searchsorted(key, now)  # one behind the past
    start = np.searchsorted(key, person[rows] * SPAN)
    last = np.maximum(end - 1, 0)
    has_past = end > start
    groups = {
        name: _Group(person * COUNTERPARTS + history[name], time)
        for name in ("counterpart", "place", "kind", "channel")
    }
    same_person = np.diff(person, prepend=-1) == 0
    counted = {
        "count": np.ones(n, dtype=np.int64),
        "sum": amount,
        "night": time % DAY < 6 * HOUR,
        "round": amount % 50 == 0,
        "new": groups["counterpart"].first,
        "moves": same_person & (np.diff(history["place"], prepend=0) != 0),
        "weekend": time // DAY % 7 >= 5,
        "online": history["channel"] == 0,
    }
    totals = {name: np.concatenate([[0], np.cumsum(part)]) for name, part in counted.items()}
    maxima = _range_maxima(amount)
    values = {
        "amount": amount[rows],
        **{name: history[name][rows] for name in NOMINAL},
        "hour": when % DAY // HOUR,
        "weekday": when // DAY % 7,
        "known_days": np.where(has_past, when - time[start], 0) // DAY,
        "since_last": np.where(has_past, np.minimum(when - time[last], PRIOR), PRIOR),
        "since_counterpart": groups["counterpart"].since(rows),
        "last_amount": np.where(has_past, amount[last], 0),
        "hour_gap": np.where(has_past, np.abs(when % DAY - time[last] % DAY), 0) // HOUR,
    }
    for days in WINDOWS:
        since = np.maximum(when - days * DAY, 0)
        begin = np.searchsorted(key, person[rows] * SPAN + since)
        for name, total in totals.items():
            values[f"{name}_{days}"] = total[end] - total[begin]
        values[f"mean_{days}"] = values[f"sum_{days}"] // np.maximum(values[f"count_{days}"], 1)
        values[f"largest_{days}"] = _largest(maxima, begin, end)
        for name, group in groups.items():
            values[f"same_{name}_{days}"] = group.count(rows, since)
    for name, other in [("last", "last_amount"), ("mean", "mean_60"), ("largest", "largest_60")]:
        ratio = 100 * values["amount"] // np.maximum(values[other], 1)
        values[f"amount_to_{name}"] = np.where(values[other] > 0, ratio, 0)
    return np.column_stack([values[name] for name in ATTRIBUTES if name not in UNRELATED])


class _Group:
    """Transactions of the same person with the same counterpart, place or so, in order of time."""

    def __init__(self, group, time):
        self.group, self.time = group, time
        key = group * SPAN + time
        order = np.argsort(key, kind="stable")
        self.key = key[order]
        self.first = np.empty(len(key), dtype=bool)
        self.first[order] = np.diff(group[order], prepend=-1) != 0

    def count(self, rows, since):
        """How many there are before each row, since a time."""
        base = self.group[rows] * SPAN
        return np.searchsorted(self.key, base + self.time[rows]) - np.searchsorted(
            self.key, base + since
        )

    def since(self, rows):
        """Minutes since the last one, at most the prior period."""
        base = self.group[rows] * SPAN
        last = np.searchsorted(self.key, base + self.time[rows]) - 1
        found = (last >= 0) & (self.key[last] >= base)
        return np.where(found, np.minimum(base + self.time[rows] - self.key[last], PRIOR), PRIOR)


def _range_maxima(values):
    """Maxima of 2^k values from each position on, for every k that a history needs."""
    levels = [values]
    while 2 ** len(levels) <= MOST:
        shift = 2 ** (len(levels) - 1)
        longer = levels[-1].copy()
        longer[:-shift] = np.maximum(longer[:-shift], levels[-1][shift:])
        levels.append(longer)
    return np.array(levels)


def _largest(maxima, begin, end):
    """The largest of the values from begin to end, 0 if there are none."""
    length = end - begin
    level = np.frexp(np.maximum(length, 1))[1] - 1
    first = maxima[level, np.minimum(begin, maxima.shape[1] - 1)]
    second = maxima[level, np.maximum(end - 2**level, 0)]
    return np.where(length > 0, np.maximum(first, second), 0)


def follows(pattern, values, month):
    """Which examples meet all conditions of a pattern in their month."""
    meets = np.ones(len(values), dtype=bool)
    for attribute, comparison, threshold, step in pattern.conditions:
        bound = threshold + step * month
        meets &= COMPARE[comparison](values[:, ATTRIBUTES.index(attribute)], bound)
    return meets


def _draw_frauds(rng, values, month, n_positives):
    """The number of the pattern of each bad example, -1 for good ones, see `_block`."""
    drawn = np.full(len(values), -1)
    n_none = n_positives * NO_PATTERN // 100
    n_found = n_positives - n_none
    n_frauds = n_found * 100 // (100 - NOT_FOUND)
    # Frauds fall on the months as the examples do, and on the patterns by their weights there.
    months = month[rng.integers(0, len(month), size=n_frauds)]
    for present in np.unique(month):
        weights = np.cumsum([p.weight + p.step * present for p in PATTERNS.values()])
        count = int((months == present).sum())
        kinds = np.searchsorted(weights, rng.integers(0, weights[-1], size=count), side="right")
        for number, pattern in enumerate(PATTERNS.values()):
            open_rows = (drawn < 0) & (month == present) & follows(pattern, values, month)
            chosen = rng.permutation(np.flatnonzero(open_rows))[: (kinds == number).sum()]
            drawn[chosen] = number
    frauds = rng.permutation(np.flatnonzero(drawn >= 0))
    drawn[frauds[n_found:]] = -1
    good = rng.permutation(np.flatnonzero(drawn < 0))
    drawn[good[: n_positives - min(n_found, len(frauds))]] = len(PATTERNS)
    return drawn
