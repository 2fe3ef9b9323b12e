"""Trees as text, and their paths as rules."""

from typing import NamedTuple

import numpy as np

from minority.rules import Interval, OneOf, Rule, RuleSet


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

    def text(self, names, categories, digits=4):
        name = names[self.feature]
        if self.operator == "=":
            return f"{name} = {categories[self.feature][int(self.value)]}"
        return f"{name} {self.operator} {_number(self.value, digits)}"


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


def _number(value, digits):
    """`digits` significant digits, but never a rounded integer part."""
    if 1 <= abs(value) < 1e15:
        digits = max(digits, int(np.log10(abs(value))) + 1)
    return f"{value:.{digits}g}"


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


def leaf_paths(tree):
    """One path per leaf."""
    return [
        Path(simplified(path), label, tree.counts[node])
        for node, path, label in walk(tree)
        if tree.feature[node] < 0
    ]


def _leaf_text(counts, label, classes):
    others = counts.sum() - counts[label]
    return f"{classes[label]} ({_weight(counts.sum())}" + (
        f"/{_weight(others)})" if others > 1e-6 else ")"
    )


def _weight(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def tree_text(tree, names, categories, classes, digits):
    """One line per branch, deeper ones indented."""
    lines = []
    for node, path, label in walk(tree):
        leaf = _leaf_text(tree.counts[node], label, classes) if tree.feature[node] < 0 else ""
        if path:
            test = path[-1].text(names, categories, digits)
            lines.append("|   " * (len(path) - 1) + test + (f": {leaf}" if leaf else ""))
        elif leaf:
            lines.append(leaf)
    return "\n".join(lines)


def rule_set(paths, default, names, categories, classes):
    """Paths over the caller's columns and classes, with `default` the counts of all other rows."""
    return RuleSet(
        [
            _rule(path.conditions, path.label, path.counts, names, categories, classes)
            for path in paths
        ],
        _rule((), int(default.argmax()), default, names, categories, classes),
        names,
    )


def _rule(conditions, label, counts, names, categories, classes):
    bounds, parts = {}, []
    for feature, operator, value in conditions:
        if operator == "=":
            parts.append(OneOf(names[feature], [categories[feature][int(value)]]))
        else:
            side = "upper" if operator == "<=" else "lower"
            bounds.setdefault(names[feature], {})[side] = value
    parts += [Interval(name, closed="right", **sides) for name, sides in bounds.items()]
    return Rule(parts, classes[label], counts.sum(), counts[label])
