"""The rules of a model, and how they do on rows that they were not learned from.

A model that was learned from all rows leaves none to test its rules on. So each of its rules is
looked for among those of the models of the folds, and what is found again is measured on the rows
held out there.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.tree import DecisionTreeClassifier

from minority.rules import Interval, Rule, RuleSet
from minority_reports.papers.showdown.own.words import Words
from minority_reports.papers.showdown.packages import Imported, OptimalTreeClassifier

#: Two rules are the same if at least this share of the rows that one of them covers is covered by
#: both.
SAME = 0.5
#: Rules that are shown; nobody reads hundreds.
MOST_RULES = 15
#: Rules of a model that are looked at, those for the other class among them.
MOST_KEPT = 200


@dataclass(frozen=True)
class Rules:
    """The rules of a fitted pipeline that find positives: their texts, and the rows they cover.

    The rows are kept as bits: a fold's rules are sent from the process that learned them.
    """

    texts: list[str]
    bits: np.ndarray
    n: int

    @classmethod
    def of(cls, texts: list[str], covers: np.ndarray) -> "Rules":
        """From a bool array of shape (rules, rows)."""
        return cls(texts, np.packbits(covers, axis=1), covers.shape[1])

    @property
    def covers(self) -> np.ndarray:
        """bool, of shape (rules, rows)."""
        return np.unpackbits(self.bits, axis=1, count=self.n).astype(bool)


def rules_of(model, X: pd.DataFrame) -> Rules | None:
    """The rules for the positive class; None if a model has none, or more than anybody reads."""
    coded = X if len(model) == 1 else model[:-1].transform(X)
    rules = _rule_set(model[-1], coded)
    if rules is None or len(rules) > MOST_KEPT:
        return None
    found = [rule for rule in rules if rule.prediction == 1]
    found = RuleSet(found, 0, rules.feature_names)
    words = Words(model, X)
    texts = [rule.conditions_text(write=words) for rule in found]
    return Rules.of(texts, found.covers_each(coded))


def _rule_set(learner, coded: pd.DataFrame) -> RuleSet | None:
    if isinstance(learner, TunedThresholdClassifierCV):
        inner, threshold = learner.estimator_, learner.best_threshold_
        is_tree = isinstance(inner, DecisionTreeClassifier)
        return _of_tree(inner, coded, threshold) if is_tree else None
    if isinstance(learner, DecisionTreeClassifier):
        return _of_tree(learner, coded, None)
    if isinstance(learner, OptimalTreeClassifier):
        return _of_optimal_tree(learner, coded)
    return learner.to_rules() if hasattr(learner, "to_rules") else None


def _of_optimal_tree(learner: OptimalTreeClassifier, coded: pd.DataFrame) -> RuleSet:
    """The leaves of pystreed's tree, whose features are columns of 0 and 1 and cuts of others."""
    cutter, names = learner.estimator_.binarizer_, list(coded.columns)
    cuts = [(names[k], 0.5, False) for k in cutter.binary_columns]
    numbers = getattr(cutter.continuous_binarizer, "thresholds_", [])
    for k, bounds in zip(cutter.continuous_columns, numbers, strict=True):
        cuts += [(names[k], bound, True) for bound in bounds]
    labels = learner.predict(coded)
    rules = []

    def walk(node, conditions: tuple) -> None:
        if node.is_leaf_node():
            there = Rule(conditions, 0).covers(coded)
            rules.append(Rule(conditions, int(there.any() and labels[there.argmax()])))
            return
        name, bound, below = cuts[node.feature]
        sides = Interval(name, upper=bound), Interval(name, lower=bound, closed="neither")
        holds, fails = sides if below else sides[::-1]
        walk(node.right_child, (*conditions, holds))
        walk(node.left_child, (*conditions, fails))

    walk(learner.estimator_.get_tree(), ())
    return RuleSet(rules, 0, names, exclusive=True).shorten(coded)


def _of_tree(tree, coded: pd.DataFrame, threshold: float | None) -> RuleSet:
    """The leaves of scikit-learn's tree, with the shortest numbers that divide the rows alike."""
    tree, names = tree.tree_, list(coded.columns)
    rules = []

    def walk(node: int, conditions: tuple) -> None:
        if tree.children_left[node] < 0:
            negative, positive = tree.value[node][0] / tree.value[node][0].sum()
            found = positive > negative if threshold is None else positive >= threshold
            rules.append(Rule(conditions, int(found)))
            return
        name, bound = names[tree.feature[node]], tree.threshold[node]
        walk(tree.children_left[node], (*conditions, Interval(name, upper=bound)))
        above = Interval(name, lower=bound, closed="neither")
        walk(tree.children_right[node], (*conditions, above))

    walk(0, ())
    # scikit-learn compares numbers that are rounded to float32
    return RuleSet(rules, 0, names, exclusive=True).shorten(coded.astype(np.float32))


def text_of(model) -> str:
    """What a model prints of itself, with the names of columns; "" for most kinds."""
    learner = model[-1]
    if not isinstance(learner, Imported) or not learner.kind.startswith("imodels."):
        return ""
    names = model[:-1].get_feature_names_out()
    return re.sub(r"\bX(\d+)\b", lambda found: names[int(found[1])], str(learner.estimator_))


def weights_of(model) -> pd.Series | None:
    """The weights of a linear model by column, the largest first; None for other models."""
    inner = getattr(model[-1], "estimator_", model[-1])
    if not hasattr(inner, "coef_"):
        return None
    names = model[:-1].get_feature_names_out() if len(model) > 1 else inner.feature_names_in_
    weights = pd.Series(np.ravel(inner.coef_), names, name="weight")
    return weights[weights.abs().sort_values(ascending=False).index]


def on_held_out(
    rules: Rules, of_folds: Iterable[tuple[Rules, np.ndarray]], y: np.ndarray
) -> pd.DataFrame:
    """How rules do on held-out rows.

    Parameters
    ----------
    rules : Rules
        Of the model that is shown.
    of_folds : iterable of (Rules, ndarray)
        Of the models of the folds, over the same rows, and which rows were held out.
    y : ndarray
        The target of all rows.

    Returns
    -------
    frame : DataFrame
        A row for each rule: ``found again`` (folds whose model has the rule, too), and over the
        held-out rows of these ``support`` (the share of rows that it covers), ``precision``,
        ``recall`` and ``lift``; missing if no fold has it.
    """
    lines = []
    others = [(other.covers, test) for other, test in of_folds]
    for text, covered in zip(rules.texts, rules.covers, strict=True):
        rows = hits = tested = positives = again = 0
        for covers, test in others:
            match = most_alike(covered, covers)
            if match is None:
                continue
            again += 1
            held_out = covers[match][test]
            rows, tested = rows + int(held_out.sum()), tested + len(test)
            hits, positives = hits + int(y[test][held_out].sum()), positives + int(y[test].sum())
        precision = hits / rows if rows else np.nan
        lines.append(
            {
                "rule": text,
                "found again": f"{again} of {len(others)}",
                "support": rows / tested if tested else np.nan,
                "precision": precision,
                "recall": hits / positives if positives else np.nan,
                "lift": precision / (positives / tested) if positives else np.nan,
            }
        )
    columns = ["rule", "found again", "support", "precision", "recall", "lift"]
    frame = pd.DataFrame(lines, columns=columns)
    return frame.set_axis(pd.RangeIndex(1, len(frame) + 1))


def most_alike(covered: np.ndarray, others: np.ndarray) -> int | None:
    """Which of other rules covers the same rows as one does, by `SAME`; None if none does."""
    if not len(others):
        return None
    both = (others & covered).sum(axis=1)
    either = (others | covered).sum(axis=1)
    overlap = both / np.maximum(either, 1)
    best = int(overlap.argmax())
    return best if overlap[best] >= SAME else None


def stability(frame: pd.DataFrame) -> Mapping[str, int]:
    """How many rules there are, and how many most folds find again."""
    again = frame["found again"].str.split(" of ", expand=True).astype(int)
    return {"rules": len(frame), "stable": int((again[0] * 2 > again[1]).sum())}
