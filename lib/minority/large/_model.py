"""Learned rules as a file that people can read and every program too: JSON."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd

from minority._batches.rows import InspectionMixin, takes_tables
from minority._condition import plain_scalar
from minority.rules import Rule, RuleSet
from minority.rules._rule import _column_of

_FORMAT = "rules of minority, version 1"


class ScoredRules(InspectionMixin):
    """Rules that say of each row how suspicious it is, and why: what is left of a fitted model.

    Parameters
    ----------
    rules : RuleSet
        The model, which predicts.
    scoring : sequence of (Rule, float, int)
        The rules that give scores, the best first, with their scores and numbers from 0.
    texts : dict of {int: str}
        What each number says.
    facts : dict, default=None
        What else the file says, such as the target's name.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    save_rules, load_rules
    """

    def __init__(self, rules, scoring, texts, facts=None):
        self.rules, self.facts = rules, facts or {}
        self._scoring, self._texts = list(scoring), dict(texts)
        self.feature_names_in_ = np.array(rules.feature_names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self._score = np.array([score for _, score, _ in self._scoring])
        self._number = np.array([number for _, _, number in self._scoring], dtype=np.int64)

    def __sklearn_is_fitted__(self):
        return True

    def __str__(self):
        return self.facts.get("text") or self.rules.to_text()

    def __eq__(self, other):
        return isinstance(other, ScoredRules) and self.to_dict() == other.to_dict()

    __hash__ = None

    @classmethod
    def of(cls, model, **facts):
        """The rules of a fitted `RLSDClassifier` or `FastBoxesClassifier`."""
        if not hasattr(model, "_scoring_rules"):
            raise TypeError(
                "Rules with scores are those of RLSDClassifier and FastBoxesClassifier, got "
                f"{type(model).__name__}."
            )
        rules = model.to_rules()
        if rules.feature_names is None:
            names = [f"x{j}" for j in range(model.n_features_in_)]
            rules = RuleSet(rules.rules, rules.default, names)
        scoring = list(model._scoring_rules())
        texts = {number: model._reason_text(number) for _, _, number in scoring}
        facts = {"learner": type(model).__name__, **facts}
        facts |= {"classes": [plain_scalar(label) for label in model.classes_]}
        facts |= {"positive": plain_scalar(model.pos_label_), "text": model.to_text()}
        return cls(rules, scoring, texts, facts)

    @takes_tables
    def predict(self, X):
        """The class that the model predicts for each row.

        Parameters
        ----------
        X : DataFrame, array-like of shape (n_samples, n_features) or table

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Of a table an iterator of arrays, or an array of Dask.
        """
        covered = self._first(X, self.rules.rules) >= 0
        labels = self.rules.rules[:1] or (self.rules.default,)
        return np.where(covered, labels[0].prediction, self.rules.default.prediction)

    def _first(self, X, rules):
        """The first of some rules that covers each row, -1 if none does."""
        from minority.rules._rlsd_codes import BLOCK, first_that_holds

        X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
        place = {}
        for rule in rules:
            for condition in rule.conditions:
                place.setdefault(condition, len(place))
        # The last one holds everywhere: a rule may have no condition.
        chosen = [[place[c] for c in rule.conditions] or [len(place)] for rule in rules]
        found = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(X), BLOCK):
            rows = X[start : start + BLOCK]
            column = _column_of(rows, self.rules.feature_names)
            holds = np.ones((len(place) + 1, len(rows)), dtype=bool)
            for condition, row in zip(place, holds, strict=False):
                row[:] = condition.covers(column(condition.feature))
            found.append(first_that_holds(holds, chosen))
        return np.concatenate(found)

    def level(self, X):
        """How many scores are above that of each row, -1 where no rule covers it."""
        levels = np.unique(-self._score, return_inverse=True)[1]
        return np.append(levels, -1)[self._best(X)]

    @property
    def n_levels(self):
        """The number of different scores."""
        return len(np.unique(self._score))

    def _best(self, X):
        return self._first(X, [rule for rule, _, _ in self._scoring])

    def _scored(self, X):
        best = self._best(X)
        return np.append(self._score, 0.0)[best], np.append(self._number, -1)[best]

    def _reason_text(self, number):
        return self._texts[number]

    def to_dict(self):
        """The rules as what JSON can hold."""
        scoring = [
            {"score": score, "rule": number + 1, "reason": self._texts[number]}
            | {"sql": rule.to_sql(), "conditions": rule.to_dict()["conditions"]}
            for rule, score, number in self._scoring
        ]
        facts = {"format": _FORMAT, **self.facts, "sql": self.rules.to_sql()}
        return facts | {"model": self.rules.to_dict(), "scores": scoring}

    @classmethod
    def from_dict(cls, record):
        """The rules of which `record` is the `to_dict`."""
        record = dict(record)
        if record.pop("format", None) != _FORMAT:
            raise ValueError(f"These are no {_FORMAT}.")
        rules, positive = RuleSet.from_dict(record.pop("model")), record["positive"]
        scoring, texts = [], {}
        for entry in record.pop("scores"):
            number = entry["rule"] - 1
            rule = Rule.from_dict({"conditions": entry["conditions"], "prediction": positive})
            scoring.append((rule, entry["score"], number))
            texts[number] = entry["reason"]
        record.pop("sql")
        return cls(rules, scoring, texts, record)


def save_rules(model, file, **facts):
    """Write the rules of a fitted model to a file of JSON, with their texts and SQL.

    Parameters
    ----------
    model : RLSDClassifier, FastBoxesClassifier or ScoredRules
    file : path-like
        Written at once or not at all.
    **facts : object
        What else the file is to say, such as ``target="fraud"``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from minority import FastBoxesClassifier
    >>> from minority.large import load_rules, save_rules
    >>> X = np.arange(20.0)[:, None]
    >>> model = FastBoxesClassifier(majority_weight=1.0).fit(X, X[:, 0] > 16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_rules(model, Path(folder) / "rules.json")
    ...     rules = load_rules(Path(folder) / "rules.json")
    >>> print(rules)
    True if x0 >= 17
    >>> rules.inspect(X, budget=0.05)["conditions"].tolist()
    ['x0 >= 17']
    """
    rules = model if isinstance(model, ScoredRules) else ScoredRules.of(model, **facts)
    text = _to_json(rules.to_dict()) + "\n"
    replace_file(file, lambda part: part.write_text(text, encoding="utf-8"))


def _to_json(value, depth=0):
    """JSON in which what fits on a line is on one."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(text) + depth <= 100 or not isinstance(value, dict | list):
        return text
    if isinstance(value, list):
        parts, brackets = [_to_json(part, depth + 1) for part in value], "[]"
    else:
        keys = {json.dumps(key, ensure_ascii=False): part for key, part in value.items()}
        parts = [f"{key}: {_to_json(part, depth + 1)}" for key, part in keys.items()]
        brackets = "{}"
    inside = ",\n".join(" " * (depth + 1) + part for part in parts)
    return f"{brackets[0]}\n{inside}\n{' ' * depth}{brackets[1]}"


def load_rules(file):
    """Read what `save_rules` wrote.

    Parameters
    ----------
    file : path-like

    Returns
    -------
    rules : ScoredRules
    """
    try:
        return ScoredRules.from_dict(json.loads(Path(file).read_text(encoding="utf-8")))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} holds no rules that can be read: {error}") from error


def replace_file(file, write):
    """Have a function write a file beside another one, and put it in its place once it is whole."""
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        write(part)
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
