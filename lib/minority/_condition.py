"""Conditions on one feature, and how they are written in text, pandas and SQL."""

import json
import math
import re
import unicodedata
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from numbers import Real

import numpy as np
import pandas as pd

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
# A word that has one of these in it is quoted, because it could be taken for part of the sentence.
_SPECIAL = re.compile(
    r'["<>={}\[\],\n]|\b(?:and|or|not|is|missing|if|in|for|of|otherwise|True|False)\b'
    r"|\d+\. |:(?: |$)|^\|"
)
_UNQUERYABLE = re.compile(r"[`\x00-\x1f\x7f-\x9f\u2028\u2029]|^[iI]nf$")
OPERATOR = re.compile(r" (<=|>=|<|>|=) | in \{")
_NOT = re.compile(r" != | not in \{")
OR_MISSING = " (or missing)"


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
        return repr(float(value)).removesuffix(".0")
    if 1 <= abs(value) < 1e15:
        digits = max(digits, int(math.log10(abs(value))) + 1)
    return f"{value:.{digits}g}"


def decimals(value):
    """Yield numbers next to `value` and their texts: the fewest digits first, itself last."""
    exact = Decimal(value)
    for digits in range(1, 17 if value else 1):
        unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        rounded = (exact.quantize(unit, direction) for direction in (ROUND_FLOOR, ROUND_CEILING))
        for number in map(float, sorted(rounded, key=lambda number: abs(number - exact))):
            if math.isfinite(number):  # the largest floats, rounded up, are not
                yield number, format_number(number, None)
    yield value, format_number(value, None)


def as_floats(column):
    """A column of numbers as float64, with NaN where it has gaps."""
    if isinstance(column, pd.Series):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(column, dtype=np.float64)


def sorted_values(column):
    """The values of a column in ascending order, from -inf to inf, without missing ones."""
    column = as_floats(column)
    return np.sort(np.concatenate([[-np.inf], column[~np.isnan(column)], [np.inf]]))


def neighbours_of(bounds, values, side):
    """The values next to each finite bound: the last one below it and the first one above.

    Parameters
    ----------
    bounds : float or ndarray
    values : ndarray
        From `sorted_values`.
    side : {"left", "right"}
        On which side of an equal value the bound lies: for ``>=`` and ``<`` left, so that the value
        is above; for ``>`` and ``<=`` right.

    Returns
    -------
    below, above : float or ndarray
    """
    place = values.searchsorted(bounds, side)
    return tuple(values.take(p, mode="clip") for p in (place - 1, place))


_SIDES = {">=": "left", "<": "left", ">": "right", "<=": "right"}


def _divides_alike(operator, bound, near):
    """Whether a bound leaves the values next to another one on the same sides as that one."""
    below, above = near
    return below < bound <= above if _SIDES[operator] == "left" else below <= bound < above


def format_word(value):
    """A name, a label or a category, in quotes where it would not be read back as itself."""
    if not isinstance(value, str):
        return repr(value)
    plain = value == value.strip() != "" and value.isprintable() and not _SPECIAL.search(value)
    if plain and isinstance(parse_word(value), str):
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())


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


def sql_number(value):
    """A number for columns of every type.

    DuckDB takes a text without an exponent for a decimal, and rounds that to compare it with a
    column of float32.
    """
    text = repr(value)
    with np.errstate(over="ignore"):
        is_exact = float(np.float32(value)) == value and len(text) < 16
    return text if is_exact or "e" in text else f"{text}e0"


def sql_literal(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).upper()
    return sql_number(value) if isinstance(value, float) else repr(value)


def sql_name(name):
    return '"' + name.replace('"', '""') + '"'


def query_name(name):
    # Python normalises the letters of a name that it reads, pandas those of no column; and the
    # tokenizer that pandas uses takes fewer letters than Python does.
    letters = "".join(char if f"_{char}".isidentifier() else " " for char in name)
    if (
        _UNQUERYABLE.search(name)
        or unicodedata.normalize("NFKC", letters) != letters
        or re.search(r"[^\w ]", letters)
    ):
        raise ValueError(
            "pandas cannot quote a column name that is 'inf' or has a backtick, a control "
            "character or letters that are unusual in names of Python or not normalised (NFKC) in "
            f"it, such as {name!a}: rename the column."
        )
    return f"`{name}`"


def query_literal(value):
    """A category for pandas, which takes a backslash before a quote for the quote's."""
    return repr(value).replace(r"\\", r"\x5c")


def query_bound(operator, bound):
    """The operator and the bound to write, for columns of float64 and of float32 alike.

    Against a column of float32, pandas rounds the number to float32. If it would jump over values
    that way, the next float64 is written instead: ``<= 0.1`` as ``< 0.10000000000000002``.
    """
    with np.errstate(over="ignore"):
        rounded = float(np.float32(bound))
    if rounded < bound and operator in (">=", "<"):
        return {">=": ">", "<": "<="}[operator], math.nextafter(bound, -math.inf)
    if rounded > bound and operator in ("<=", ">"):
        return {"<=": "<", ">": ">="}[operator], math.nextafter(bound, math.inf)
    return operator, bound


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
    neighbours : tuple of pairs of float, default=None
        Set by `shorten`: the values next to each finite bound, below and above.

    Examples
    --------
    >>> from minority.rules import Interval
    >>> print(Interval("width", lower=2, upper=5, closed="left"))
    2 <= width < 5
    >>> print(Interval("width", lower=3.14159).shorten([2.9, 3.3]))
    width >= 3
    """

    feature: str
    lower: float = -math.inf
    upper: float = math.inf
    closed: str = "both"
    neighbours: tuple | None = field(default=None, compare=False, repr=False)

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

    @property
    def is_empty(self):
        """Whether no value can fulfil the condition."""
        if math.isinf(self.lower) or math.isinf(self.upper):
            return False
        return self.lower > self.upper or (self.lower == self.upper and self.closed != "both")

    def _bounds(self):
        """(operator, bound) of the finite bounds."""
        if math.isfinite(self.lower):
            yield ">=" if self.closed in ("both", "left") else ">", self.lower
        if math.isfinite(self.upper):
            yield "<=" if self.closed in ("both", "right") else "<", self.upper

    def merge(self, other):
        """The interval of the values that lie in both."""
        sides = list(zip(*(interval._sides() for interval in (self, other)), strict=True))
        lower, is_closed_below, near_lower = max(sides[0], key=lambda side: (side[0], not side[1]))
        upper, is_closed_above, near_upper = min(sides[1], key=lambda side: side[:2])
        if math.isinf(lower):
            is_closed_below = is_closed_above
        if math.isinf(upper):
            is_closed_above = is_closed_below
        closed = {(1, 1): "both", (1, 0): "left", (0, 1): "right", (0, 0): "neither"}
        merged = Interval(self.feature, lower, upper, closed[is_closed_below, is_closed_above])
        near = [
            near
            for near, bound in ((near_lower, lower), (near_upper, upper))
            if math.isfinite(bound)
        ]
        # With shorter numbers, what is empty could look as if it were not.
        return (
            merged if None in near or merged.is_empty else replace(merged, neighbours=tuple(near))
        )

    def _sides(self):
        """(bound, whether it belongs to the interval, neighbours or None), below and above."""
        near = list(self.neighbours or [])
        lower = near.pop(0) if near and math.isfinite(self.lower) else None
        upper = near.pop(0) if near else None
        return (
            (self.lower, self.closed in ("both", "left"), lower),
            (self.upper, self.closed in ("both", "right"), upper),
        )

    def covers(self, column):
        """Which values fulfil the condition; missing ones do not."""
        column = as_floats(column)
        covered = np.ones(len(column), dtype=bool)
        compare = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater}
        for operator, bound in self._bounds():
            covered &= compare[operator](column, bound)
        return covered

    def shorten(self, column):
        """The same condition, printed with the shortest numbers that hold for the same values."""
        return self.shorten_sorted(sorted_values(column))

    def shorten_sorted(self, values):
        """What `shorten` does, for values from `sorted_values`."""
        near = [neighbours_of(bound, values, _SIDES[op]) for op, bound in self._bounds()]
        near = tuple((float(a), float(b)) for a, b in near)
        return Interval(self.feature, self.lower, self.upper, self.closed, near)

    def to_text(self, digits=None, forms=decimals):
        """The condition as text.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers that hold for the same values as the condition: for those
            given to `shorten`, else for all. A number of significant digits is for reading only:
            the text may hold for other values.
        forms : callable, default=decimals
            From a bound to pairs of number and text, the shortest first and the bound itself last.

        Returns
        -------
        text : str
        """
        name = format_word(self.feature)
        # Beyond, a whole number and the value of a column may be equal as floats alone.
        if self.lower == self.upper and not self.is_empty and abs(self.lower) < 2**53:
            return f"{name} = {format_number(self.lower + 0.0, digits)}"  # not -0
        operators = [operator for operator, _ in self._bounds()]
        texts = self._shortest(forms) if digits is None else self._rounded(digits)
        if len(texts) == 1:
            return f"{name} {operators[0]} {texts[0]}"
        return f"{texts[0]} {operators[0].replace('>', '<')} {name} {operators[1]} {texts[1]}"

    def _shortest(self, forms):
        """Texts of the finite bounds that hold for the same values."""
        bounds = list(self._bounds())
        options = [
            [
                (number, text)
                for number, text in forms(bound)
                if number == bound or (near and _divides_alike(operator, number, near))
            ]
            for (operator, bound), near in zip(
                bounds, self.neighbours or [None] * len(bounds), strict=True
            )
        ]
        longest = max(map(len, options))
        for k in range(longest):
            shown = [option[min(k, len(option) - 1)] for option in options]
            # An interval without any values must not look as if nothing could lie in it.
            if len(shown) == 1 or shown[0][0] < shown[1][0] or self.lower >= self.upper:
                break
        return [text for _, text in shown]

    def _rounded(self, digits):
        texts = [format_number(bound, digits) for _, bound in self._bounds()]
        while len(set(texts)) == 1 < len(texts) and self.lower != self.upper:
            digits += 1  # ends at 17 digits, which tell all apart
            texts = [format_number(bound, digits) for _, bound in self._bounds()]
        return texts

    def to_query(self):
        name = query_name(self.feature)
        bounds = [query_bound(op, bound) for op, bound in self._bounds()]
        return " and ".join(f"{name} {op} {bound!r}" for op, bound in bounds)

    def to_sql(self):
        name = sql_name(self.feature)
        parts = []
        for op, bound in self._bounds():
            # Databases compare large integers digit by digit, the model as floats; and some compare
            # no boolean with a number.
            is_cast = abs(bound) >= 2**53 or 0 <= bound <= 1
            if is_cast:
                parts.append(f"CAST({name} AS DOUBLE PRECISION) {op} {bound!r}")
            else:
                parts.append(f"{name} {op} {sql_number(bound)}")
        return " AND ".join(parts)

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

    @property
    def is_empty(self):
        """Whether no value can fulfil the condition."""
        return not self.categories

    def covers(self, column):
        """Which values fulfil the condition; missing ones do not."""
        return pd.Series(column).isin(self.categories).to_numpy()

    def to_text(self, digits=None):
        name, values = format_word(self.feature), [format_word(value) for value in self.categories]
        return f"{name} = {values[0]}" if len(values) == 1 else f"{name} in {{{', '.join(values)}}}"

    def to_query(self):
        return f"{query_name(self.feature)} in [{', '.join(map(query_literal, self.categories))}]"

    def to_sql(self):
        values = ", ".join(map(sql_literal, self.categories))
        return f"{sql_name(self.feature)} IN ({values})" if values else "1 = 0"

    def to_dict(self):
        return {"feature": self.feature, "categories": list(self.categories)}


@dataclass(frozen=True)
class NoneOf:
    """A feature has a value, and it is none of some categories.

    Parameters
    ----------
    feature : str
    categories : sequence of str, int, float or bool
        Without any the feature is just not missing.

    Examples
    --------
    >>> from minority.rules import NoneOf
    >>> print(NoneOf("colour", ["red", "dark green"]))
    colour not in {red, dark green}
    >>> print(NoneOf("colour", []))
    colour is not missing
    """

    feature: str
    categories: tuple
    is_empty = False  # categories that it does not name fulfil it

    def __post_init__(self):
        left_out = OneOf(self.feature, self.categories)  # which checks them
        object.__setattr__(self, "feature", left_out.feature)
        object.__setattr__(self, "categories", left_out.categories)

    def __str__(self):
        return self.to_text()

    def covers(self, column):
        """Which values fulfil the condition; missing ones do not."""
        column = pd.Series(column)
        return (column.notna() & ~column.isin(self.categories)).to_numpy(dtype=bool)

    def to_text(self, digits=None):
        name, values = format_word(self.feature), [format_word(value) for value in self.categories]
        if not values:
            return f"{name} is not missing"
        if len(values) == 1:
            return f"{name} != {values[0]}"
        return f"{name} not in {{{', '.join(values)}}}"

    def to_query(self):
        name, is_known = query_name(self.feature), f"{query_name(self.feature)}.notnull()"
        if not self.categories:
            return is_known
        return f"{name} not in [{', '.join(map(query_literal, self.categories))}] and {is_known}"

    def to_sql(self):
        name = sql_name(self.feature)
        if not self.categories:
            return f"{name} IS NOT NULL"
        return f"{name} NOT IN ({', '.join(map(sql_literal, self.categories))})"

    def to_dict(self):
        return {"feature": self.feature, "none_of": list(self.categories)}


@dataclass(frozen=True)
class OrMissing:
    """A feature fulfils a condition, or its value is missing.

    Parameters
    ----------
    condition : Interval, OneOf or NoneOf
        A `OneOf` without categories leaves only that the value is missing.

    Examples
    --------
    >>> from minority.rules import Interval, OneOf, OrMissing
    >>> print(OrMissing(Interval("age", lower=60)))
    age >= 60 (or missing)
    >>> print(OrMissing(OneOf("colour", [])))
    colour is missing
    """

    condition: Interval | OneOf | NoneOf
    is_empty = False

    def __str__(self):
        return self.to_text()

    @property
    def feature(self):
        return self.condition.feature

    @property
    def is_alone(self):
        """Whether missing values alone fulfil the condition."""
        return isinstance(self.condition, OneOf) and not self.condition.categories

    def covers(self, column):
        """Which values fulfil the condition, with the missing ones."""
        return self.condition.covers(column) | pd.isna(pd.Series(column)).to_numpy()

    def to_text(self, *args, **kwargs):
        """The condition as text; parameters as for the condition inside."""
        if self.is_alone:
            return f"{format_word(self.feature)} is missing"
        return self.condition.to_text(*args, **kwargs) + OR_MISSING

    def to_query(self):
        is_missing = f"{query_name(self.feature)}.isnull()"
        return is_missing if self.is_alone else f"({self.condition.to_query()} or {is_missing})"

    def to_sql(self):
        is_missing = f"{sql_name(self.feature)} IS NULL"
        return is_missing if self.is_alone else f"({self.condition.to_sql()} OR {is_missing})"

    def to_dict(self):
        return {"or_missing": self.condition.to_dict()}


def merge_conditions(conditions):
    """Conditions that hold together where the given ones do, with nothing said twice.

    Those that contradict each other in categories stay side by side.
    """
    merged = []
    for condition in conditions:
        for k, other in enumerate(merged):
            both = _both(other, condition) if other.feature == condition.feature else None
            if both is not None:
                merged[k] = both
                break
        else:
            merged.append(condition)
    return merged


def _both(one, other):
    """One condition that says what two on the same feature say, None if there is no such."""
    if not isinstance(one, Interval | OneOf) or not isinstance(other, Interval | OneOf):
        return None
    if isinstance(one, Interval) and isinstance(other, Interval):
        return one.merge(other)
    if isinstance(one, Interval):
        one, other = other, one
    if isinstance(other, OneOf):
        kept = [value for value in one.categories if value in other.categories]
    elif any(isinstance(value, str) for value in one.categories):
        return None
    else:
        kept = np.array(one.categories, dtype=object)[other.covers(one.categories)]
    return OneOf(one.feature, kept) if len(kept) else None


def is_contradiction(merged):
    """Whether no row can fulfil conditions from `merge_conditions`."""
    features = [c.feature for c in merged if isinstance(c, Interval | OneOf)]
    return len(set(features)) < len(features) or any(c.is_empty for c in merged)


def condition_from_dict(record):
    """The condition of which `record` is the `to_dict`."""
    if "or_missing" in record:
        return OrMissing(condition_from_dict(record["or_missing"]))
    if "none_of" in record:
        return NoneOf(record["feature"], record["none_of"])
    return OneOf(**record) if "categories" in record else Interval(**record)


def parse_condition(text):
    """The condition that `text` says."""
    masked = mask_quotes(text)
    if masked.endswith(OR_MISSING):
        return OrMissing(parse_condition(text.removesuffix(OR_MISSING)))
    for ending, missing in ((" is not missing", NoneOf), (" is missing", OneOf)):
        if masked.endswith(ending):
            condition = missing(_name(text.removesuffix(ending)), ())
            return condition if missing is NoneOf else OrMissing(condition)
    negation = _NOT.search(masked)
    if negation:
        rest = text[negation.end() :]
        values = split_text(rest.removesuffix("}"), ", ") if negation[0].endswith("{") else [rest]
        return NoneOf(_name(text[: negation.start()]), tuple(map(parse_word, values)))
    operators = list(OPERATOR.finditer(masked))
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
