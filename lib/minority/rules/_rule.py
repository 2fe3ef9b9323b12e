"""Rules and ordered rule sets: the model that every rule learner returns."""

import re
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
import pandas as pd

from minority._condition import (
    Interval,
    OneOf,
    condition_from_dict,
    format_number,
    format_word,
    is_contradiction,
    mask_quotes,
    merge_conditions,
    parse_condition,
    parse_word,
    plain_scalar,
    sorted_values,
    split_text,
    sql_literal,
)

_COUNTS = re.compile(r"  \[(\S+) of (\S+)\]$")
_COUNT_DIGITS = 4  # of weights that are not whole
_NO_ROW, _IS_EMPTY = "no row (", " is empty)"
# query() takes no constants, and a missing value equals nothing but is in any column that has one.
_EVERY_ROW, _NO_ROW_AT_ALL = "index in index", "index not in index"
_MOST_TERMS = 50  # with an "or" between them: pandas goes one deeper for each


def _column_of(X, feature_names):
    """Function from the name of a feature to its column.

    Columns of a frame are found by name where it has them all, else by position, as in an array.
    """
    if isinstance(X, pd.DataFrame):
        if feature_names is None or set(feature_names) <= set(X.columns):
            return lambda name: X[name]
        X = np.asarray(X)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected a table of rows, got an array of shape {X.shape}.")
    names = [f"x{j}" for j in range(X.shape[1])] if feature_names is None else feature_names
    if len(names) != X.shape[1]:
        raise ValueError(f"Expected rows of {len(names)} features, got shape {X.shape}.")
    position = {name: j for j, name in enumerate(names)}
    return lambda name: X[:, position[name]]


def write_conditions(conditions, digits=None, write=None):
    """Conditions that all have to hold as one text, with nothing said twice."""
    merged = merge_conditions(conditions)
    text = write(merged) if write else " and ".join(c.to_text(digits) for c in merged)
    text = text or "every row"
    return f"{_NO_ROW}{text}{_IS_EMPTY}" if is_contradiction(merged) else text


@dataclass(frozen=True)
class Rule:
    """A class that is predicted if all conditions hold.

    A condition on a missing value does not hold. A rule without conditions covers every row.

    Parameters
    ----------
    conditions : sequence of Interval and OneOf
    prediction : str, int, float or bool
        The class.
    support, correct : float, default=None
        Weight of the training rows that the rule decided, and of those that it decided rightly.

    Examples
    --------
    >>> import pandas as pd
    >>> from minority.rules import Interval, OneOf, Rule
    >>> rule = Rule([Interval("age", lower=60), OneOf("sex", ["f"])], "ill", support=20, correct=19)
    >>> print(rule)
    ill if age >= 60 and sex = f  [19 of 20]
    >>> rule.covers(pd.DataFrame({"age": [60, 61, 59], "sex": ["f", "m", "f"]}))
    array([ True, False, False])
    >>> rule.to_sql()
    '"age" >= 60.0 AND "sex" IN (\\'f\\')'
    >>> Rule.parse(str(rule)) == rule
    True
    """

    conditions: tuple[Interval | OneOf, ...]
    prediction: object
    support: float | None = None
    correct: float | None = None

    def __post_init__(self):
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "prediction", plain_scalar(self.prediction))
        for name in ("support", "correct"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))

    def __len__(self):
        return len(self.conditions)

    def __str__(self):
        return self.to_text()

    def covers(self, X, feature_names=None):
        """Which rows fulfil all conditions.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
        feature_names : sequence of str, default=None
            Names of the columns of an array; ``x0, x1, ...`` by default.

        Returns
        -------
        covered : bool ndarray of shape (n_samples,)
        """
        column = _column_of(X, feature_names)
        covered = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            covered &= condition.covers(column(condition.feature))
        return covered

    def conditions_text(self, digits=None, write=None):
        """The conditions alone, "every row" if there is none; parameters as in `to_text`."""
        return write_conditions(self.conditions, digits, write)

    def counts_text(self):
        """Right decisions and all decisions, "" if they are not known; whole numbers are exact."""
        if self.support is None or self.correct is None:
            return ""
        correct, support = (format_number(n, _COUNT_DIGITS) for n in (self.correct, self.support))
        return f"  [{correct} of {support}]"

    def to_text(self, digits=None, write=None):
        """The rule as a sentence.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which `parse` gives a rule that covers the same rows,
            those of `RuleSet.shorten` if it was called, else all that there can be. A number of
            significant digits is for reading only: the text may cover other rows than the rule.
        write : callable, default=None
            From a sequence of conditions to their text, "" if they hold everywhere; for other
            words than the conditions' own.

        Returns
        -------
        text : str
        """
        link = "if" if self.conditions else "for"
        sentence = f"{format_word(self.prediction)} {link} {self.conditions_text(digits, write)}"
        return sentence + self.counts_text()

    @classmethod
    def parse(cls, text):
        """The rule that a text from `to_text` says."""
        counts = _COUNTS.search(mask_quotes(text))
        support = correct = None
        if counts:
            correct, support = float(counts[1]), float(counts[2])
            text = text[: counts.start()]
        if text.endswith(" for every row"):
            return cls((), parse_word(text.removesuffix(" for every row")), support, correct)
        prediction, *conditions = split_text(text, " if ")
        if len(conditions) != 1:
            raise ValueError(f"Not a rule: {text!r}")
        text = conditions[0]
        if text.startswith(_NO_ROW) and text.endswith(_IS_EMPTY):
            text = text.removeprefix(_NO_ROW).removesuffix(_IS_EMPTY)
        conditions = map(parse_condition, split_text(text, " and "))
        return cls(tuple(conditions), parse_word(prediction), support, correct)

    def to_query(self):
        """An expression for `pandas.DataFrame.query` that selects exactly the covered rows."""
        merged = merge_conditions(self.conditions)
        if is_contradiction(merged):
            return _NO_ROW_AT_ALL
        return " and ".join(c.to_query() for c in merged) or _EVERY_ROW

    def to_sql(self):
        """A condition for SQL's WHERE that selects exactly the covered rows; NULL is missing."""
        merged = merge_conditions(self.conditions)
        if is_contradiction(merged):
            return "1 = 0"
        return " AND ".join(c.to_sql() for c in merged) or "1 = 1"

    def to_dict(self):
        """The rule as what JSON can hold."""
        record = {
            "conditions": [condition.to_dict() for condition in self.conditions],
            "prediction": self.prediction,
        }
        counts = {"support": self.support, "correct": self.correct}
        return record | {key: count for key, count in counts.items() if count is not None}

    @classmethod
    def from_dict(cls, record):
        """The rule of which `record` is the `to_dict`."""
        conditions = tuple(map(condition_from_dict, record["conditions"]))
        return cls(**{**record, "conditions": conditions})


def _any_of(queries):
    """Queries of which one has to hold."""
    while len(queries) > _MOST_TERMS:
        parts = [queries[k : k + _MOST_TERMS] for k in range(0, len(queries), _MOST_TERMS)]
        queries = [f"({' or '.join(part)})" for part in parts]
    return " or ".join(queries)


def _query_of_first(groups):
    """A query of the rows that rules of some groups decide, if the first that covers a row does.

    Parameters
    ----------
    groups : sequence of (is_wanted, queries)

    Returns
    -------
    query : str
        "" if there are none. By halves, because pandas cannot go deep.
    """
    if len(groups) < 2:
        return _any_of(groups[0][1]) if groups and groups[0][0] else ""
    half = len(groups) // 2
    first, later = _query_of_first(groups[:half]), _query_of_first(groups[half:])
    if later:
        before = _any_of([query for _, queries in groups[:half] for query in queries])
        # Unlike "not", this takes a condition on a missing value of a nullable column for false.
        before = f"({before}) not in [True]"
        later = before if later == _EVERY_ROW else f"{before} and ({later})"
    return " or ".join(filter(None, [first, later]))


@dataclass(frozen=True)
class RuleSet:
    """Rules of which the first that covers a row decides; a default class decides the others.

    Parameters
    ----------
    rules : sequence of Rule
    default : str, int, float, bool or Rule
        Class of the rows that no rule covers, or a rule without conditions that predicts it.
    feature_names : sequence of str, default=None
        Names of the columns of arrays; ``x0, x1, ...`` by default.
    exclusive : bool, default=False
        Whether no row is covered by two rules, as in a tree, so that their order means nothing.
        Queries and SQL are shorter then.

    Examples
    --------
    >>> from minority.rules import Interval, Rule, RuleSet
    >>> model = RuleSet([Rule([Interval("x0", lower=3)], "high")], default="low")
    >>> print(model)
    1. high if x0 >= 3
    otherwise low
    >>> model.predict([[2.5], [3.5]])
    array(['low', 'high'], dtype='<U4')
    >>> model.to_sql()
    'CASE WHEN "x0" >= 3.0 THEN \\'high\\' ELSE \\'low\\' END'
    >>> model.to_query("high")
    '(`x0` >= 3.0)'
    """

    rules: tuple[Rule, ...]
    default: Rule
    feature_names: tuple[str, ...] | None = None
    exclusive: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self):
        default = self.default if isinstance(self.default, Rule) else Rule((), self.default)
        if default.conditions:
            raise ValueError("The default of a rule set has no conditions.")
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "default", default)
        if self.feature_names is not None:
            object.__setattr__(self, "feature_names", tuple(map(str, self.feature_names)))

    def __len__(self):
        return len(self.rules)

    def __iter__(self):
        return iter(self.rules)

    def __str__(self):
        return self.to_text()

    def covers_each(self, X):
        """Which rows each rule covers, on its own: bool ndarray of shape (n_rules, n_samples)."""
        covered = [rule.covers(X, self.feature_names) for rule in self.rules]
        return np.array(covered, dtype=bool).reshape(len(self), len(X))

    def decide(self, X):
        """Index of the rule that decides each row; that of the default is the number of rules."""
        covered = self.covers_each(X)
        everywhere = np.ones((1, covered.shape[1]), dtype=bool)
        return np.concatenate([covered, everywhere]).argmax(axis=0)

    def predict(self, X):
        """The predicted classes: ndarray of shape (n_samples,)."""
        labels = [rule.prediction for rule in (*self.rules, self.default)]
        return np.array(labels)[self.decide(X)]

    def shorten(self, X):
        """The same rules, printed with the shortest numbers that cover the same rows of `X`."""
        column, by_feature = _column_of(X, self.feature_names), {}
        for condition in (c for rule in self.rules for c in rule.conditions):
            if isinstance(condition, Interval):
                by_feature.setdefault(condition.feature, set()).add(condition)
        shortened = {}
        for feature, intervals in by_feature.items():
            values = sorted_values(column(feature))
            shortened |= {interval: interval.shorten_sorted(values) for interval in intervals}
        rules = []
        for rule in self.rules:  # by the constructor: `replace` takes several times as long
            conditions = [shortened.get(c, c) for c in rule.conditions]
            rules.append(Rule(conditions, rule.prediction, rule.support, rule.correct))
        return replace(self, rules=tuple(rules))

    def to_text(self, digits=None, write=None):
        """The model as sentences; parameters as in `Rule.to_text`."""
        if not self.rules:
            return self.default.to_text()
        lines = [f"{k}. {rule.to_text(digits, write)}" for k, rule in enumerate(self.rules, 1)]
        default = format_word(self.default.prediction) + self.default.counts_text()
        return "\n".join([*lines, f"otherwise {default}"])

    @classmethod
    def parse(cls, text, feature_names=None):
        """The rule set that a text from `to_text` says.

        What stands above an empty line, as wrappers write it, is passed over.
        """
        *lines, last = text.rpartition("\n\n")[2].splitlines()
        rules = tuple(Rule.parse(re.sub(r"^\d+\. ", "", line)) for line in lines)
        if last.startswith("otherwise "):
            counts = _COUNTS.search(last)
            label, rest = (last[: counts.start()], counts[0]) if counts else (last, "")
            last = label.removeprefix("otherwise ") + " for every row" + rest
        return cls(rules, Rule.parse(last), feature_names)

    def _needed(self):
        """The rules without which other classes would be predicted."""
        default = self.default.prediction
        if self.exclusive:
            return [rule for rule in self.rules if rule.prediction != default]
        rules = list(self.rules)
        while rules and rules[-1].prediction == default:
            rules.pop()
        return rules

    def to_query(self, label):
        """An expression for `pandas.DataFrame.query` that selects the rows predicted as a class.

        Parameters
        ----------
        label : str, int, float or bool
            The class.

        Returns
        -------
        query : str
        """
        rules, is_default = self._needed(), self.default.prediction == label
        if self.exclusive and not is_default:
            rules = [rule for rule in rules if rule.prediction == label]
        groups = [
            (is_label, [f"({rule.to_query()})" for rule in group])
            for is_label, group in groupby(rules, lambda rule: rule.prediction == label)
        ]
        if is_default:
            groups.append((True, [_EVERY_ROW]))
        return _query_of_first(groups) or _NO_ROW_AT_ALL

    def to_sql(self):
        """The predicted class as an expression of SQL, for SELECT or to compare in WHERE.

        It is written in standard SQL and tested with SQLite and DuckDB. NULL is a missing value;
        a NaN, which databases take for a large number, is to be NULL.
        """
        default = sql_literal(self.default.prediction)
        cases = [
            f"WHEN {rule.to_sql()} THEN {sql_literal(rule.prediction)}" for rule in self._needed()
        ]
        return f"CASE {' '.join(cases)} ELSE {default} END" if cases else default

    def to_dict(self):
        """The rule set as what JSON can hold."""
        names = None if self.feature_names is None else list(self.feature_names)
        rules = [rule.to_dict() for rule in self.rules]
        return {"rules": rules, "default": self.default.to_dict(), "feature_names": names}

    @classmethod
    def from_dict(cls, record):
        """The rule set of which `record` is the `to_dict`."""
        rules = tuple(map(Rule.from_dict, record["rules"]))
        return cls(rules, Rule.from_dict(record["default"]), record.get("feature_names"))

    def recount(self, X, y, sample_weight=None, *, overlap=False):
        """The same rules with `support` and `correct` counted on other rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        overlap : bool, default=False
            Whether a row counts for every rule that covers it, not for the first one alone.

        Returns
        -------
        rules : RuleSet
        """
        covered = self.covers_each(X)
        covered = np.concatenate([covered, ~covered.any(axis=0, keepdims=True)])
        if not overlap:
            covered &= np.cumsum(covered, axis=0) == 1
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        y = np.asarray(y)
        *rules, default = (
            replace(rule, support=weight[rows].sum(), correct=weight[rows & right].sum())
            for rule, rows in zip((*self.rules, self.default), covered, strict=True)
            for right in [y == rule.prediction]
        )
        return replace(self, rules=tuple(rules), default=default)

    def frame(self, X, y, digits=None):
        """The rules as a table, one row per rule and one for the default.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        digits : int or None, default=None
            Of the numbers in the conditions, as in `Rule.to_text`.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `conditions`, `prediction`, `support` (rows that the rule covers, whether or
            not an earlier rule decides them; for the default the rows that no rule covers),
            `precision` (share of the predicted class among them, NaN if there are none), `recall`
            (share of that class that they hold), `lift` (precision over the share of the class in
            the data) and `decided` (rows that the rule decides). Indexed by rule, from 1.
        """
        y = np.asarray(y)
        covered = self.covers_each(X)
        if y.shape != covered.shape[1:]:
            raise ValueError(f"{covered.shape[1]} rows, but y has the shape {y.shape}.")
        covered = np.concatenate([covered, ~covered.any(axis=0, keepdims=True)])
        rules = (*self.rules, self.default)
        texts = [rule.conditions_text(digits) for rule in self.rules]
        texts.append("otherwise" if self.rules else "every row")
        is_class = np.array([y == rule.prediction for rule in rules])
        support = covered.sum(axis=1)
        hits = (covered & is_class).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 is NaN, as documented
            precision = hits / support
            columns = {
                "conditions": texts,
                "prediction": [rule.prediction for rule in rules],
                "support": support,
                "precision": precision,
                "recall": hits / is_class.sum(axis=1),
                "lift": precision / is_class.mean(axis=1),
                "decided": np.bincount(covered.argmax(axis=0), minlength=len(rules)),
            }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, len(rules) + 1, name="rule"))
