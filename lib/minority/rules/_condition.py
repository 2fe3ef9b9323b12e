"""Conditions on one feature, and how they are written in text, pandas and SQL."""

import json
import math
import re
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
# A word that has one of these in it is quoted, because it could be taken for part of the sentence.
_SPECIAL = re.compile(r'["<>={}\[\],\n]|\b(?:and|if|in|for|of|otherwise|True|False)\b|\d+\. ')
_OPERATOR = re.compile(r" (<=|>=|<|>|=) | in \{")


def mask_quotes(text):
    """The text with everything in quotes blanked, for searching; positions stay the same."""
    return _QUOTED.sub(lambda match: "\0" * len(match[0]), text)


def split_text(text, separator):
    """Split at a separator outside of quotes."""
    parts, start = [], 0
    masked = mask_quotes(text)
    while (stop := masked.find(separator, start)) >= 0:
        parts.append(text[start:stop])
        start = stop + len(separator)
    return [*parts, text[start:]]


def format_number(value, digits):
    """`digits` significant digits, but never a rounded integer part; all if `digits` is None."""
    if digits is None:
        return repr(value)
    if 1 <= abs(value) < 1e15:
        digits = max(digits, int(math.log10(abs(value))) + 1)
    return f"{value:.{digits}g}"


def format_word(value):
    """A name, a label or a category, in quotes where it would not be read back as itself."""
    if not isinstance(value, str):
        return repr(value)
    plain = value == value.strip() != "" and value.isprintable() and not _SPECIAL.search(value)
    return value if plain and isinstance(parse_word(value), str) else json.dumps(value)


def parse_word(text):
    text = text.strip()
    if text.startswith('"'):
        return json.loads(text)
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def plain_scalar(value):
    """A label or category as a Python object."""
    return value.item() if isinstance(value, np.generic) else value


def sql_literal(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(int(value) if isinstance(value, bool) else value)


def sql_name(name):
    return '"' + name.replace('"', '""') + '"'


def _query_name(name):
    if "`" in name:
        raise ValueError("pandas cannot quote a column name that contains a backtick.")
    return f"`{name}`"


@dataclass(frozen=True)
class Interval:
    """A numeric feature lies in an interval.

    Parameters
    ----------
    feature : str
    lower, upper : float, default=-inf and inf
        At least one of them is finite.
    closed : {"both", "left", "right", "neither"}, default="both"
        Which of the bounds belong to the interval.

    Examples
    --------
    >>> from minority.rules import Interval
    >>> print(Interval("width", lower=2, upper=5, closed="left"))
    2 <= width < 5
    """

    feature: str
    lower: float = -math.inf
    upper: float = math.inf
    closed: str = "both"

    def __post_init__(self):
        lower, upper = float(self.lower), float(self.upper)
        if math.isnan(lower) or math.isnan(upper) or (math.isinf(lower) and math.isinf(upper)):
            raise ValueError(f"An interval needs a finite bound, got {lower} and {upper}.")
        if self.closed not in ("both", "left", "right", "neither"):
            raise ValueError(f"closed={self.closed!r} is not one of both, left, right, neither.")
        object.__setattr__(self, "feature", str(self.feature))
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def __str__(self):
        return self.to_text()

    def _bounds(self):
        """(operator, bound) of the finite bounds."""
        if math.isfinite(self.lower):
            yield ">=" if self.closed in ("both", "left") else ">", self.lower
        if math.isfinite(self.upper):
            yield "<=" if self.closed in ("both", "right") else "<", self.upper

    def covers(self, column):
        """Which values fulfil the condition; missing ones do not."""
        if isinstance(column, pd.Series):
            column = column.to_numpy(dtype=np.float64, na_value=np.nan)
        column = np.asarray(column, dtype=np.float64)
        covered = np.ones(len(column), dtype=bool)
        compare = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater}
        for operator, bound in self._bounds():
            covered &= compare[operator](column, bound)
        return covered

    def to_text(self, digits=4):
        name = format_word(self.feature)
        bounds = [(op, format_number(bound, digits)) for op, bound in self._bounds()]
        if len(bounds) == 1:
            return f"{name} {bounds[0][0]} {bounds[0][1]}"
        (low_op, low), (high_op, high) = bounds
        while low == high and self.lower != self.upper:  # ends at 17 digits, which tell all apart
            digits += 1
            low, high = format_number(self.lower, digits), format_number(self.upper, digits)
        return f"{low} {low_op.replace('>', '<')} {name} {high_op} {high}"

    def to_query(self):
        name = _query_name(self.feature)
        return " and ".join(f"{name} {op} {bound!r}" for op, bound in self._bounds())

    def to_sql(self):
        name = sql_name(self.feature)
        return " AND ".join(f"{name} {op} {bound!r}" for op, bound in self._bounds())

    def to_dict(self):
        bounds = {"lower": self.lower, "upper": self.upper}
        finite = {key: bound for key, bound in bounds.items() if math.isfinite(bound)}
        return {"feature": self.feature, **finite, "closed": self.closed}


@dataclass(frozen=True)
class OneOf:
    """A nominal feature has one of some categories.

    Parameters
    ----------
    feature : str
    categories : sequence of str, int, float or bool

    Examples
    --------
    >>> from minority.rules import OneOf
    >>> print(OneOf("colour", ["red", "dark green"]))
    colour in {red, dark green}
    """

    feature: str
    categories: tuple

    def __post_init__(self):
        categories = tuple(map(plain_scalar, self.categories))
        if any(not isinstance(value, str | Real) or value != value for value in categories):
            raise ValueError(f"Categories must be strings or numbers, got {categories}.")
        object.__setattr__(self, "feature", str(self.feature))
        object.__setattr__(self, "categories", categories)

    def __str__(self):
        return self.to_text()

    def covers(self, column):
        """Which values fulfil the condition; missing ones do not."""
        return pd.Series(column).isin(self.categories).to_numpy()

    def to_text(self, digits=4):
        name, values = format_word(self.feature), [format_word(value) for value in self.categories]
        return f"{name} = {values[0]}" if len(values) == 1 else f"{name} in {{{', '.join(values)}}}"

    def to_query(self):
        return f"{_query_name(self.feature)} in {list(self.categories)!r}"

    def to_sql(self):
        values = ", ".join(map(sql_literal, self.categories))
        return f"{sql_name(self.feature)} IN ({values})"

    def to_dict(self):
        return {"feature": self.feature, "categories": list(self.categories)}


def condition_from_dict(record):
    """The condition of which `record` is the `to_dict`."""
    return OneOf(**record) if "categories" in record else Interval(**record)


def parse_condition(text):
    """The condition that `text` says."""
    operators = list(_OPERATOR.finditer(mask_quotes(text)))
    parts, start = [], 0
    for match in operators:
        parts.append(text[start : match.start()])
        start = match.end()
    parts.append(text[start:])
    signs = [match[1] or "in" for match in operators]
    if signs == ["in"] and parts[1].endswith("}"):
        values = split_text(parts[1][:-1], ", ") if parts[1] != "}" else []
        return OneOf(_name(parts[0]), tuple(map(parse_word, values)))
    if signs == ["="]:
        return OneOf(_name(parts[0]), (parse_word(parts[1]),))
    if signs in (["<="], ["<"]):
        closed = "both" if signs == ["<="] else "neither"
        return Interval(_name(parts[0]), upper=float(parts[1]), closed=closed)
    if signs in ([">="], [">"]):
        closed = "both" if signs == [">="] else "neither"
        return Interval(_name(parts[0]), lower=float(parts[1]), closed=closed)
    if len(signs) == 2 and set(signs) <= {"<", "<="}:
        closed = {"<=<=": "both", "<=<": "left", "<<=": "right", "<<": "neither"}["".join(signs)]
        return Interval(_name(parts[1]), float(parts[0]), float(parts[2]), closed)
    raise ValueError(f"Not a condition: {text!r}")


def _name(text):
    """A feature name as written; only quotes are taken off."""
    text = text.strip()
    return json.loads(text) if text.startswith('"') else text
