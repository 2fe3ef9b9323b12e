"""Trees as text, and their paths as rules."""

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from minority._condition import (
    OPERATOR,
    format_word,
    mask_quotes,
    parse_condition,
    parse_word,
    plain_scalar,
    split_text,
)
from minority.rules import Interval, OneOf, Rule, RuleSet
from minority.rules._rule import write_conditions

_INDENT = "|   "
_LEAF = re.compile(r" \(([^\s()/]+)(?:/([^\s()/]+))?\)$")


class Condition(NamedTuple):
    """A test of one feature: ``<=`` or ``>`` a threshold, or ``=`` the number of a category."""

    feature: int
    operator: str
    value: float

    def holds(self, X):
        """Where the condition is met; never by a missing value."""
        column = X[:, self.feature]
        if self.operator == "<=":
            return column <= self.value
        return column > self.value if self.operator == ">" else column == self.value


class Words(NamedTuple):
    """What the numbers in a tree stand for."""

    names: list  # of the features
    categories: dict  # of nominal features, by position
    classes: np.ndarray
    neighbours: dict  # values next to a threshold, by feature and threshold

    def conditions(self, coded):
        """Coded conditions over the caller's columns; those on one feature together."""
        bounds, found = {}, []
        for feature, operator, value in coded:
            if operator == "=":
                category = self.categories[feature][int(value)]
                found.append(OneOf(self.names[feature], [category]))
            else:
                bounds.setdefault(feature, {})["upper" if operator == "<=" else "lower"] = value
        for feature, sides in bounds.items():
            near = [self.neighbours.get((feature, sides.get(side))) for side in ("lower", "upper")]
            near = tuple(filter(None, near))
            interval = Interval(self.names[feature], closed="right", **sides)
            found.append(replace(interval, neighbours=near) if near else interval)
        return found


class Path(NamedTuple):
    """Conditions on coded columns that together speak for a class."""

    conditions: tuple[Condition, ...]
    label: int  # number of the class
    counts: np.ndarray  # weight of each class among the training rows that it covers

    def covers(self, X):
        covered = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            covered &= condition.holds(X)
        return covered


def recount(tree, X, codes):
    """How many rows of each class reach each node, shared out as in training."""
    counts = np.zeros_like(tree.counts)
    stack = [(0, np.arange(len(X)), np.ones(len(X)))]
    while stack:
        node, rows, share = stack.pop()
        counts[node] = np.bincount(codes[rows], share, counts.shape[1])
        if tree.feature[node] < 0:
            continue
        first, total = tree.first_child[node], tree.counts[node].sum()
        missing = np.isnan(X[rows, tree.feature[node]])
        for b in range(tree.n_children[node]):
            part = tree.counts[first + b].sum() / total
            taken = branch_condition(tree, node, b).holds(X[rows]) | missing
            weight = np.where(missing, share * part, share)[taken]
            stack.append((int(first) + b, rows[taken][weight > 0], weight[weight > 0]))
    return counts


def branch_condition(tree, node, branch):
    """The test that leads from a node to one of its children."""
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if np.isnan(threshold):
        return Condition(feature, "=", float(branch))
    return Condition(feature, ("<=", ">")[branch], threshold)


def simplified(conditions):
    """The conditions without thresholds that a later one on the same path makes superfluous."""
    kept = {}
    for condition in conditions:
        kept.pop(condition[:2], None)
        kept[condition[:2]] = condition
    return tuple(kept.values())


def walk(tree):
    """Yield (node, path, label of the leaf or of the parent if it is empty), depth first."""
    stack = [(0, (), int(tree.counts[0].argmax()))]
    while stack:
        node, path, label = stack.pop()
        if tree.counts[node].sum() > 0:
            label = int(tree.counts[node].argmax())
        yield node, path, label
        if tree.feature[node] >= 0:
            for b in reversed(range(tree.n_children[node])):
                step = branch_condition(tree, node, b)
                stack.append((int(tree.first_child[node]) + b, (*path, step), label))


def leaf_paths(tree, counts=None, labels=None):
    """One path per leaf, with the weights and labels of the training rows or with others."""
    counts = tree.counts if counts is None else counts
    return [
        Path(simplified(path), label if labels is None else labels[node], counts[node])
        for node, path, label in walk(tree)
        if tree.feature[node] < 0
    ]


def _leaf_text(counts, label, classes):
    others = counts.sum() - counts[label]
    return f"{format_word(plain_scalar(classes[label]))} ({_weight(counts.sum())}" + (
        f"/{_weight(others)})" if others > 1e-6 else ")"
    )


def _weight(value):
    # Sums of shares differ in their last bits with the order of rows: 0.125 is written in one way.
    return f"{round(value, 9):.2f}".rstrip("0").rstrip(".")


def tree_text(tree, counts, labels, words, digits=None, write=None):
    """One line per branch, deeper ones indented, with the weights and labels of nodes to show."""
    lines = []
    for node, path, _ in walk(tree):
        is_leaf = tree.feature[node] < 0
        leaf = _leaf_text(counts[node], labels[node], words.classes) if is_leaf else ""
        if path:
            test = write_conditions(words.conditions(path[-1:]), digits, write)
            lines.append(_INDENT * (len(path) - 1) + test + (f": {leaf}" if leaf else ""))
        elif leaf:
            lines.append(leaf)
    return "\n".join(lines)


def parse_tree(text, feature_names=None):
    """The paths of a tree that was printed by `to_text`, as rules.

    Parameters
    ----------
    text : str
    feature_names : sequence of str, default=None
        Names of the columns of arrays; ``x0, x1, ...`` by default.

    Returns
    -------
    rules : RuleSet
        One rule per leaf. They predict what the tree does for every row without missing values;
        the default, the most frequent class, is for the others. What stands above an empty line,
        as wrappers write it, is passed over.

    Examples
    --------
    >>> from minority.trees import parse_tree
    >>> print(parse_tree("size <= 3: small (7)\\nsize > 3: large (5/1)"))
    1. small if size <= 3  [7 of 7]
    2. large if size > 3  [4 of 5]
    otherwise small  [7 of 12]
    """
    rules, path, weights = [], [], {}
    for line in text.rpartition("\n\n")[2].splitlines():
        depth = 0
        while line.startswith(_INDENT):
            depth, line = depth + 1, line.removeprefix(_INDENT)
        test, *leaf = split_text(line, ": ")
        if not OPERATOR.search(mask_quotes(test)):  # a tree without any test
            test, leaf = "", [test]
        path = [*path[:depth], *([parse_condition(test)] if test else [])]
        if leaf:
            found = _LEAF.search(leaf[0])
            if not found:
                raise ValueError(f"Not a leaf: {leaf[0]!r}")
            label, total, wrong = parse_word(leaf[0][: found.start()]), found[1], found[2] or 0
            rules.append(Rule(path, label, float(total), float(total) - float(wrong)))
            weights[label] = weights.get(label, 0) + rules[-1].correct
    most = max(weights, key=weights.get)
    default = Rule((), most, sum(rule.support for rule in rules), weights[most])
    rules = [rule for rule in rules if rule.conditions]
    return RuleSet(rules, default, feature_names, exclusive=True)


def rule_set(paths, default, words, **options):
    """Paths over the caller's columns and classes, with `default` the path of all other rows."""
    rules = [
        Rule(words.conditions(conditions), words.classes[label], counts.sum(), counts[label])
        for conditions, label, counts in [*paths, default]
    ]
    return RuleSet(rules[:-1], rules[-1], words.names, **options)
