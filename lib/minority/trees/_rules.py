"""A tree as an ordered list of generalised rules.

After chapter 5 of "C4.5: Programs for Machine Learning": conditions are dropped from each path
while the pessimistic share of errors does not rise. The rules are then ranked by that share, where
C4.5 selects them by description length and C5.0 lets all that apply vote.
"""

import numpy as np

from minority.trees._pruning import extra_errors
from minority.trees._text import Path, leaf_paths


def _pessimistic_share(n, errors, confidence_factor, z):
    return (errors + extra_errors(n, errors, confidence_factor, z)) / n if n > 0 else 1.0


def generalise(rule, X, of_class, weight, confidence_factor, z):
    """Drop conditions one by one, always the one whose loss hurts least, while it does not hurt."""
    conditions = list(rule.conditions)
    holds = np.array([c.holds(X) for c in conditions]).reshape(len(conditions), len(X))
    n_failed = (~holds).sum(axis=0)

    def share(rows):
        n, right = weight[rows].sum(), weight[rows & of_class].sum()
        return _pessimistic_share(n, n - right, confidence_factor, z)

    best = share(n_failed == 0)
    while conditions:
        # Without a condition, the rows that fail nothing else are covered too.
        shares = [share(n_failed == ~held) for held in holds]
        drop = int(np.argmin(shares))
        if shares[drop] > best:
            break
        best = shares[drop]
        n_failed = n_failed - ~holds[drop]
        holds = np.delete(holds, drop, axis=0)
        del conditions[drop]
    return tuple(conditions), best


def rule_list(tree, X, codes, weight, min_leaf, confidence_factor, z):
    """Rules in the order in which they are asked, and the classes that no rule covers."""
    n_classes = tree.counts.shape[1]
    found = {}
    for rule in leaf_paths(tree):
        if rule.conditions and rule.counts.sum() > 0:
            conditions, share = generalise(
                rule, X, codes == rule.label, weight, confidence_factor, z
            )
            found[frozenset(conditions), rule.label] = share, conditions
    ranked = sorted((share, i) for i, (share, _) in enumerate(found.values()))
    entries = list(found.items())

    rules, errors = [], []
    left, wrong = np.ones(len(X), dtype=bool), 0.0
    for _, i in ranked:
        (_, label), (_, conditions) = entries[i]
        rule = Path(conditions, label, np.zeros(n_classes))
        covered = rule.covers(X)
        counts = np.bincount(codes[covered], weight[covered], n_classes)
        new = covered & left
        # A rule has to decide some rows, and to speak for the class that its rows have.
        if weight[new & (codes == label)].sum() < min_leaf or counts.argmax() != label:
            continue
        rules.append(rule._replace(counts=counts))
        left &= ~covered
        wrong += weight[new & (codes != label)].sum()
        rest = np.bincount(codes[left], weight[left], n_classes)
        errors.append(wrong + rest.sum() - rest.max())
    # Rules at the end that do not reduce the errors are cut off.
    everything = np.bincount(codes, weight, n_classes)
    errors = np.array([everything.sum() - everything.max(), *errors])
    rules = rules[: int(errors.argmin())]
    left = ~np.any([np.zeros(len(X), dtype=bool), *(rule.covers(X) for rule in rules)], axis=0)
    rest = np.bincount(codes[left], weight[left], n_classes)
    return rules, rest if rest.sum() > 0 else everything
