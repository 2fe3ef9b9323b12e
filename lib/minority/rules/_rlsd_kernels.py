"""RLSD on codes: generating rules and selecting some of them.

A rule is a row of codes, one per attribute, with `NONE` where it has no condition; the rule of an
example is the example itself. Eight codes at a time are handled as one word.
"""

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

from minority.rules._rlsd_codes import (
    NONE,
    blocks_of,
    conditions_of,
    count_matches,
    cover,
    merge_intervals,
    pack,
)

_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_HIGH, _LOW = np.uint64(0x8080808080808080), np.uint64(0x7F7F7F7F7F7F7F7F)
_SEVEN, _SHIFT, _BYTE = np.uint64(7), np.uint64(29), np.uint64(0xFF)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, bits well spread: 2^64 over the golden ratio
_SLOT = np.uint64((1 << 24) - 1)  # part of an entry of the table: slot + 1, 0 is empty
_HALF, _LOW_HALF = np.uint64(1 << 32), np.uint64((1 << 32) - 1)
_DRAWN = 4096  # raw random numbers at a time


# ---------------------------------------------------------------------------------------------
# Generation (Table 1 of the paper)


# Rules are looked up in an open hash table, whose entries hold the upper bits of a rule's hash
# beside its slot: nearly all others are told apart without a look at the rules.


@njit(cache=True, nogil=True)
def _share(rules, n_rules, current, shared, hashes):
    """Write down what each rule shares with the current one, and its hash; return how many.

    Rules that share no condition, or just those of either of both, are left out.
    """
    n_shared = 0
    for r in range(n_rules):
        differs_rule, differs_current, conditions, value = _ZERO, _ZERO, _ALL, _ONE
        for w in range(len(current)):
            rule = rules[r, w]
            unlike = rule ^ current[w]
            unlike = (((unlike & _LOW) + _LOW) | unlike) & _HIGH  # the high bit of each unlike byte
            word = rule | ((unlike >> _SEVEN) * _BYTE)
            shared[n_shared, w] = word
            conditions &= word
            differs_rule |= word ^ rule
            differs_current |= word ^ current[w]
            value = _mix(value, word)
        hashes[n_shared] = value
        # Counted on by a number: there is nothing to guess for the processor.
        n_shared += (differs_rule != 0) & (differs_current != 0) & (conditions != _ALL)
    return n_shared


@njit(cache=True, nogil=True, inline="always")
def _mix(value, word):
    value = (value ^ word) * _MIX
    return value ^ (value >> _SHIFT)


# The functions of the table are inlined: to hand over arrays takes longer than what they do.


@njit(cache=True, nogil=True, inline="always")
def _find(some, s, value, rules, table):
    """Position in the table: of rule `s` of some if it is there, else where it would be."""
    mask = np.uint64(len(table) - 1)
    at = value & mask
    while table[at] != 0:
        if (table[at] ^ value) <= _SLOT:
            slot = (table[at] & _SLOT) - _ONE
            unlike = _ZERO
            for w in range(rules.shape[1]):
                unlike |= some[s, w] ^ rules[slot, w]
            if unlike == 0:
                break
        at = (at + _ONE) & mask
    return at


@njit(cache=True, nogil=True, inline="always")
def _forget(slot, hashes, table):
    """Take a rule out of the table, and move up what stands behind it."""
    mask = np.uint64(len(table) - 1)
    at = hashes[slot] & mask
    while (table[at] & _SLOT) != np.uint64(slot + 1):
        at = (at + _ONE) & mask
    behind = (at + _ONE) & mask
    while table[behind] != 0:
        home = hashes[(table[behind] & _SLOT) - _ONE] & mask
        if ((behind - home) & mask) >= ((behind - at) & mask):
            table[at] = table[behind]
            at = behind
        behind = (behind + _ONE) & mask
    table[at] = _ZERO


@njit(cache=True, nogil=True, inline="always")
def _draw(n, raw, n_used, rng):
    """What ``rng.integers(n)`` is, by numbers of 32 bits that are drawn many at a time."""
    if n == 1:
        return 0, n_used
    n = np.uint64(n)
    while True:
        if n_used == len(raw):
            raw[:] = rng.integers(0, 1 << 32, size=len(raw))
            n_used = 0
        scaled = np.uint64(raw[n_used]) * n
        n_used += 1
        rest = scaled & _LOW_HALF
        # Those in a last part shorter than the others are drawn again (Lemire's method).
        if rest >= n or rest >= (_HALF - n) % n:
            return np.int64(scaled >> np.uint64(32)), n_used


@njit(cache=True, nogil=True)
def _generate(initial, rules, shared, hashes, merged, table, rng):
    n_rules = n_merged = 0
    new = np.empty(len(shared), dtype=np.uint64)  # hashes of what is shared
    raw = np.empty(_DRAWN, dtype=np.int64)
    n_used = _DRAWN
    for p in range(len(initial)):
        value = _ONE
        for w in range(initial.shape[1]):
            value = _mix(value, initial[p, w])
        at = _find(initial, p, value, rules, table)
        if table[at] != 0:
            # With missing values, an example can equal a merged rule, which is initial from now on.
            for m in range(n_merged):
                if np.uint64(merged[m] + 1) == table[at] & _SLOT:
                    n_merged -= 1
                    merged[m] = merged[n_merged]
                    break
            continue
        n_shared = _share(rules, n_rules, initial[p], shared, new)
        shared[n_shared], new[n_shared] = initial[p], value
        for s in range(n_shared + 1):  # AddRule for each of them, the example is the last
            is_initial = s == n_shared
            value = new[s]
            at = _find(shared, s, value, rules, table)
            if table[at] != 0:
                continue
            slot = n_rules
            if n_rules < len(rules):
                n_rules += 1
                if not is_initial:
                    merged[n_merged] = slot
                    n_merged += 1
            else:
                # One of the rules that are not initial goes, and the new one may be that itself.
                drawn, n_used = _draw(n_merged + (0 if is_initial else 1), raw, n_used, rng)
                if drawn == n_merged:
                    continue
                slot = merged[drawn]
                _forget(slot, hashes, table)
                at = value & np.uint64(len(table) - 1)
                while table[at] != 0:
                    at = (at + _ONE) & np.uint64(len(table) - 1)
                if is_initial:
                    n_merged -= 1
                    merged[drawn] = merged[n_merged]
            for w in range(rules.shape[1]):
                rules[slot, w] = shared[s, w]
            hashes[slot] = value
            table[at] = (value & ~_SLOT) | np.uint64(slot + 1)
    return n_rules


def generate_rules(examples, max_rules, rng):
    """RuleGeneration of the paper's Table 1, without counting.

    Parameters
    ----------
    examples : uint8 ndarray of shape (n_positives, n_attributes)
        Codes of the positive examples. Those without any code make no rule.
    max_rules : int
        The paper's M, not below the number of examples.
    rng : numpy.random.Generator
        Chooses the rules to drop.

    Returns
    -------
    rules : uint8 ndarray of shape (n_rules, n_attributes)
    """
    examples = examples[(examples != NONE).any(axis=1)]
    n, n_attributes = examples.shape
    n_words = -(-n_attributes // 8)
    padded = np.full((n, 8 * n_words), NONE, dtype=np.uint8)
    padded[:, :n_attributes] = examples
    # Room for all rules that may come: the system gives memory only to what is used.
    rules, shared = (np.empty((n, n_words), dtype=np.uint64) for n in (max_rules, max_rules + 1))
    hashes, merged = np.empty(max_rules, dtype=np.uint64), np.empty(max_rules, dtype=np.int64)
    table = np.zeros(2 << max_rules.bit_length(), dtype=np.uint64)
    n_rules = _generate(padded.view(np.uint64), rules, shared, hashes, merged, table, rng)
    return rules[:n_rules].view(np.uint8)[:, :n_attributes].copy()


# ---------------------------------------------------------------------------------------------
# Selection, and all phases after the discretisation


def select_rules(covered, negatives, n_positives, beta):
    """Greedy selection by the F-measure on the positives that remain.

    Parameters
    ----------
    covered : uint64 ndarray of shape (n_rules, n_words)
        Positives that each rule covers, as bits.
    negatives : int64 ndarray of shape (n_rules,)
        Number of negatives that it covers.
    n_positives : int
    beta : float

    Returns
    -------
    selected : list of int
        In the order of selection; of rules that are equally good, the first.
    """
    hits = np.bitwise_count(covered).sum(axis=1, dtype=np.int64)
    by_word = np.ascontiguousarray(covered.T)
    remaining = np.full(len(by_word), _ALL)
    selected = []
    while hits.any():
        score = (1 + beta**2) * hits / (beta**2 * n_positives + hits + negatives)
        best = int(score.argmax())
        selected.append(best)
        n_positives -= int(hits[best])
        newly = by_word[:, best] & remaining
        remaining ^= newly
        words = np.flatnonzero(newly)
        hits -= np.bitwise_count(by_word[words] & newly[words, None]).sum(axis=0, dtype=np.int64)
    return selected


def join_rules(rules, positives, negatives, first, is_nominal, threshold):
    """Join rules that are alike but for neighbouring codes of one attribute.

    Their precisions are merged as ChiMerge merges intervals, until all neighbours differ. Rules
    that are alike but for a code have no row in common, so their counts add up. All categories of
    a nominal attribute are neighbours, by their precisions.

    Parameters
    ----------
    rules : uint8 ndarray of shape (n_rules, n_attributes)
    positives, negatives : int64 ndarray of shape (n_rules,)
        How many rows of either class each of them covers.
    first : int64 ndarray of shape (n_attributes + 1,)
        See `pack`.
    is_nominal : sequence of bool
        Of each attribute.
    threshold : float
        Of the likelihood ratio, beyond which two precisions differ.

    Returns
    -------
    joined : dict of {tuple of tuple of int: list of int}
        For each rule its codes, of each attribute, and the positions of the rules that it was
        joined from. By the first of these.
    """
    n_codes = np.diff(first)
    joined = {
        tuple(() if code == NONE else (code,) for code in rule): [r]
        for r, rule in enumerate(rules.tolist())
    }
    n_before = np.inf
    while len(joined) < n_before:
        n_before = len(joined)
        for a in range(rules.shape[1]):
            alike = {}
            for rule in joined:
                if rule[a]:
                    alike.setdefault((rule[:a], rule[a + 1 :]), []).append(rule)
            for some in alike.values():
                counts = {
                    rule: (positives[joined[rule]].sum(), negatives[joined[rule]].sum())
                    for rule in some
                }
                for run in _neighbours(some, a, counts, is_nominal[a]):
                    table = np.array([counts[rule] for rule in run]).T
                    starts = merge_intervals(*table, threshold, len(run), True)
                    for begin, end in pairwise([*starts.tolist(), len(run)]):
                        codes = tuple(sorted(code for rule in run[begin:end] for code in rule[a]))
                        # Of a number, what holds for all codes is no interval.
                        if end - begin > 1 and (is_nominal[a] or len(codes) < n_codes[a]):
                            rule = (*run[begin][:a], codes, *run[begin][a + 1 :])
                            joined[rule] = sorted(
                                r for part in run[begin:end] for r in joined.pop(part)
                            )
    return dict(sorted(joined.items(), key=lambda item: item[1]))


def _neighbours(rules, a, counts, is_nominal):
    """Runs of rules of which each is a neighbour of the next by attribute `a`."""
    if is_nominal:
        return [sorted(rules, key=lambda rule: (counts[rule][0] / sum(counts[rule]), rule[a]))]
    rules = sorted(rules, key=lambda rule: rule[a])
    gaps = [k for k, (b, c) in enumerate(pairwise(rules), 1) if b[a][-1] + 1 < c[a][0]]
    return [rules[begin:end] for begin, end in pairwise([0, *gaps, len(rules)])]


@njit(cache=True, nogil=True)
def _undominated(conditions, starts, n_conditions):
    # Rules that stay are listed by the first of their conditions, which is the rarest.
    latest, following = np.full(n_conditions, -1), np.full(len(starts) - 1, -1)
    owner = np.full(n_conditions, -1)
    stays = np.ones(len(starts) - 1, dtype=np.bool_)
    for r in range(len(stays)):
        own = conditions[starts[r] : starts[r + 1]]
        owner[own] = r
        for condition in own:
            other = latest[condition]
            while other >= 0 and stays[r]:
                stays[r] = False
                for k in range(starts[other], starts[other + 1]):
                    if owner[conditions[k]] != r:
                        stays[r] = True
                        break
                other = following[other]
        if stays[r]:
            following[r] = latest[own[0]]
            latest[own[0]] = r
    return stays


def undominated(rules, first):
    """Which rules are not more specific than, or equal to, one before them: bool ndarray.

    Those can never be the first that covers a row. The parameters are those of `count_matches`.
    """
    attribute, code = np.nonzero(rules != NONE)[1], rules[rules != NONE]
    frequency = np.bincount(first[attribute] + code, minlength=first[-1])
    conditions, starts = conditions_of(rules, first, np.argsort(frequency, kind="stable"))
    return _undominated(conditions, starts, first[-1])


class Found(NamedTuple):
    """The qualified rules, as codes, and how many examples of either class they cover.

    Of equally good ones, those with fewer conditions come first. `selected` are positions, in the
    order of selection.
    """

    rules: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    selected: np.ndarray
    n_generated: int


def find_rules(rows, first, *, min_recall, min_precision, beta, max_rules, rng, n_jobs):
    """Generate, evaluate and select rules.

    Parameters
    ----------
    rows : Rows
        With codes.
    first : int64 ndarray of shape (n_attributes + 1,)
        See `pack`.
    min_recall, min_precision, beta, max_rules, rng, n_jobs
        See `RLSDClassifier`.
    """
    examples = rows.minority.codes
    n_positives, n = examples.shape[1], rows.n_rows
    rules = generate_rules(examples.T, max_rules, rng)
    n_generated = len(rules)
    covered = cover(pack(examples, first), *conditions_of(rules, first, np.arange(first[-1])))
    positives = np.bitwise_count(covered).sum(axis=1, dtype=np.int64)
    frequent = positives / n_positives >= min_recall
    rules, covered, positives = _keep(frequent, rules, covered, positives)

    # As many as the precision allows; one more, because the quotient may be rounded.
    limits = np.full(len(rules), n)
    if min_precision > 0:
        limits = np.minimum(positives / min_precision - positives + 1, n).astype(np.int64)
    count = partial(_count_negatives, rules=rules, first=first, limits=limits, n_jobs=n_jobs)
    (negatives,) = rows.total(count, np.add, told="counting matches of rules")
    precise = positives / (positives + negatives) >= min_precision
    rules, covered, positives, negatives = _keep(precise, rules, covered, positives, negatives)

    # An order that does not depend on how the rules came about decides between equally good ones.
    order = np.lexsort((*rules.T[::-1], (rules != NONE).sum(axis=1)))
    rules, covered, positives, negatives = _keep(order, rules, covered, positives, negatives)
    selected = np.array(select_rules(covered, negatives, n_positives, beta), dtype=np.int64)
    return Found(rules, positives, negatives, selected, n_generated)


def _count_negatives(batch, *, rules, first, limits, n_jobs):
    """The negative rows of a batch that each rule covers; what exceeds a limit still does."""
    blocks = blocks_of(batch.codes, first)
    return (count_matches(rules, blocks, ~batch.positive, first, limits, n_jobs),)


def _keep(rows, *arrays):
    return [array[rows] for array in arrays]
