"""RIPPER's search for a rule set: building, optimising, deleting; class after class.

Stage names are Cohen's (1995). Rules are compared by the description length of the whole set that
results, see `minority.rules._mdl`.

Compiled functions are cached by numba, which looks at the file of the caller only: after a change
in `_mdl` or `_ripper_kernels`, delete the folder ``__pycache__``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from minority.rules._mdl import TOLERANCE, data_bits, drop_rules, is_wrong, theory_bits
from minority.rules._ripper_kernels import covers, grow, prune, seeded, split, sums_of

# Building stops when the code exceeds the shortest one met so far by more than this.
_SURPLUS_BITS = 64.0


class Task(NamedTuple):
    """One class to be told from those after it."""

    table: NamedTuple
    options: NamedTuple
    positive: np.ndarray  # weights of the rows of the class, 0 for others
    prior: float  # share of the class
    totals: tuple[float, float]  # weights of the class and of the others
    state: np.ndarray  # of the random numbers
    member: np.ndarray  # scratch space of `grow`


@njit(cache=True)
def _no_rule():
    return np.empty((0, 3), dtype=np.int32)


@njit(cache=True)
def _select(rule, rows, codes, covered):
    """The rows that the rule covers, or the others."""
    chosen = np.empty_like(rows)
    n = 0
    for row in rows:
        if covers(rule, codes, row) == covered:
            chosen[n] = row
            n += 1
    return chosen[:n].copy()


@njit(cache=True)
def _theory(rules, n_possible):
    return np.array([theory_bits(len(rule), n_possible) for rule in rules])


@njit(cache=True)
def _new_rule(rule, rows, task):
    return grow(rule, rows, task.table, task.positive, task.options.min_weight, task.member)


@njit(cache=True)
def _split(rows, task):
    return split(rows, task.table.y, task.options.n_classes, task.options.n_folds, task.state)


@njit(cache=True)
def _decided(rule, rows, task):
    """Weights of the rows of the class, and of others, that the rule covers."""
    true = total = 0.0
    for row in rows:
        if covers(rule, task.table.codes, row):
            true += task.positive[row]
            total += task.table.weight[row]
    return true, total - true


@njit(cache=True)
def _add_rules(rules, true, false, rows, pool, is_building, task):
    """Building stage: append rules for `rows`, which no rule covers yet, until they cost too much.

    The lists `rules`, `true` and `false` are extended in place.

    Parameters
    ----------
    pool : ndarray
        The same rows in the order in which they are shuffled first.
    is_building : bool
        Whether this is the first rule set. Then later shuffles start from the first one; that has
        no meaning, but it is the order of JRip.
    """
    options, prior = task.options, task.prior
    n_positive, n_negative = task.totals
    total = n_positive + n_negative
    bits = shortest = data_bits(prior, 0.0, total, 0.0, n_positive)
    left = sums_of(rows, task.positive, task.table.weight)[0]
    while left > TOLERANCE:
        dealt, n_grow = _split(pool, task)
        if is_building:
            rows, is_building = dealt, False
        rule = _new_rule(_no_rule(), dealt[:n_grow], task)
        rule = prune(rule, dealt[n_grow:], task.table, task.positive, False)
        rule_true, rule_false = _decided(rule, rows, task)

        others_true, others_false = sum(true), sum(false)
        covered = others_true + others_false
        missed = n_positive - others_true
        without = data_bits(prior, covered, total - covered, others_false, missed)
        covered += rule_true + rule_false
        all_false = others_false + rule_false
        bits += data_bits(prior, covered, total - covered, all_false, missed - rule_true) - without
        bits += theory_bits(len(rule), options.n_possible)
        shortest = min(shortest, bits)
        if (
            bits > shortest + _SURPLUS_BITS
            or rule_true <= TOLERANCE
            or (options.check_error and is_wrong(rule_true, rule_false))
        ):
            break
        rules.append(rule)
        true.append(rule_true)
        false.append(rule_false)
        rows = pool = _select(rule, rows, task.table.codes, False)
        left -= rule_true


@njit(cache=True)
def _extra_bits(variant, position, previous, theory, following, rows, task):
    """Bits that `variant` adds to the rule set when it stands at `position`.

    Both with it and without it, rules that follow are first dropped where that shortens the code.

    Parameters
    ----------
    previous : tuple of two ndarrays
        Weights that the rules before `position` decide, right and wrong.
    theory : ndarray of shape (n_rules,)
        Bits of each rule.
    following : ndarray of shape (n_samples,)
        First rule after `position` that covers a row.
    rows : ndarray
        Rows that no earlier rule covers.
    """
    table, n_rules = task.table, len(theory)
    true, false = np.zeros((2, n_rules)), np.zeros((2, n_rules))  # without the variant, with it
    for row in rows:
        decider = following[row]
        for k in range(2):
            if k == 1 and covers(variant, table.codes, row):
                decider = position
            if decider < n_rules:
                true[k, decider] += task.positive[row]
                false[k, decider] += table.weight[row] - task.positive[row]
    shortest = np.zeros(2)
    for k in range(2):
        true[k, :position] = previous[0]
        false[k, :position] = previous[1]
        _, saved, bits = drop_rules(
            true[k],
            false[k],
            theory,
            position + 1,
            task.totals,
            task.prior,
            task.options.check_error,
            1,
        )
        # What is saved counts twice, in these bits too: so it does in JRip.
        shortest[k] = bits - saved
    return shortest[1] - shortest[0] + theory_bits(len(variant), task.options.n_possible)


@njit(cache=True)
def _optimise(rules, data, task):
    """Reconsider each rule, cover what is left by new ones, delete what does not pay."""
    n_rules = len(rules)
    table, positive = task.table, task.positive
    theory = _theory(rules, task.options.n_possible)
    following = np.zeros(len(table.y), dtype=np.int32)
    kept = [_no_rule() for _ in range(0)]
    true, false = [0.0 for _ in range(0)], [0.0 for _ in range(0)]
    rows = pool = data
    left = task.totals[0]
    for position in range(n_rules):
        if left <= TOLERANCE:
            break  # the rules that remain cover no positive
        dealt, n_grow = _split(pool, task)
        best = rules[position]
        covered = _select(best, dealt[:n_grow], table.codes, True)
        if len(covered) == 0 and len(_select(best, dealt[n_grow:], table.codes, True)) == 0:
            kept.append(best)
            true.append(0.0)
            false.append(0.0)
            pool = dealt
            continue
        for row in rows:
            if following[row] <= position:
                k = position + 1
                while k < n_rules and not covers(rules[k], table.codes, row):
                    k += 1
                following[row] = k
        # Rows that later rules cover are theirs: the accuracy of the rule on the others is that of
        # the whole set.
        pruning = dealt[n_grow:]
        pruning = pruning[following[pruning] == n_rules]
        replacement = _new_rule(_no_rule(), dealt[:n_grow], task)
        replacement = prune(replacement, pruning, table, positive, True)
        revision = _new_rule(best, covered, task)
        revision = prune(revision, pruning, table, positive, True)

        fewest = np.inf
        previous = (np.array(true), np.array(false))
        for variant in (rules[position], revision, replacement):
            bits = _extra_bits(variant, position, previous, theory, following, rows, task)
            if bits < fewest:
                fewest, best = bits, variant
        rule_true, rule_false = _decided(best, rows, task)
        kept.append(best)
        true.append(rule_true)
        false.append(rule_false)
        rows = pool = _select(best, rows, table.codes, False)
        left -= rule_true
    _add_rules(kept, true, false, rows, pool, False, task)
    return _delete(kept, true, false, task)


@njit(cache=True)
def _delete(rules, true, false, task):
    """Rules without those that lengthen the code, tried from the last to the first."""
    theory = _theory(rules, task.options.n_possible)
    dropped, _, _ = drop_rules(
        np.array(true),
        np.array(false),
        theory,
        0,
        task.totals,
        task.prior,
        task.options.check_error,
        -1,
    )
    return [rules[k] for k in range(len(rules)) if not dropped[k]]


@njit(cache=True)
def _class_weights(rows, table, n_classes):
    weights = np.zeros(n_classes)
    for row in rows:
        weights[table.y[row]] += table.weight[row]
    return weights


@njit(cache=True)
def learn(table, options, seed):
    """The rules of every class but the most frequent one, in the order in which they apply.

    Returns
    -------
    conditions : int32 ndarray of shape (n_conditions, 3)
        Feature, operator and code of the conditions of all rules.
    lengths : int64 ndarray of shape (n_rules,)
        Number of conditions of each rule.
    weights : float64 ndarray of shape (n_rules + 1, n_classes)
        Weight of each class among the rows that each rule decides, and of the rows left to the
        default.
    """
    n_classes = options.n_classes
    state = seeded(seed)
    member = np.zeros(len(table.y), dtype=np.bool_)
    rows = np.arange(len(table.y)).astype(np.uint32)
    class_weights = _class_weights(rows, table, n_classes)
    found = [_no_rule() for _ in range(0)]
    weights = [class_weights for _ in range(0)]
    for target in range(n_classes - 1):
        positive = np.where(table.y == target, table.weight, 0.0)
        true, total = sums_of(rows, positive, table.weight)
        if true <= TOLERANCE:
            continue
        prior = class_weights[target] / class_weights[target:].sum()
        task = Task(table, options, positive, prior, (true, total - true), state, member)
        rules = [_no_rule() for _ in range(0)]
        decided_true, decided_false = [0.0 for _ in range(0)], [0.0 for _ in range(0)]
        _add_rules(rules, decided_true, decided_false, rows, rows, True, task)
        for _ in range(options.n_optimizations):
            rules = _optimise(rules, rows, task)
        if options.n_optimizations == 0:
            rules = _delete(rules, decided_true, decided_false, task)
        for rule in rules:
            found.append(rule)
            decided = _select(rule, rows, table.codes, True)
            weights.append(_class_weights(decided, table, n_classes))
            rows = _select(rule, rows, table.codes, False)
    weights.append(_class_weights(rows, table, n_classes))

    lengths = np.array([len(rule) for rule in found], dtype=np.int64)
    conditions = np.empty((lengths.sum(), 3), dtype=np.int32)
    end = 0
    for rule in found:
        conditions[end : end + len(rule)] = rule
        end += len(rule)
    stacked = np.empty((len(weights), n_classes))
    for k in range(len(weights)):
        stacked[k] = weights[k]
    return conditions, lengths, stacked
