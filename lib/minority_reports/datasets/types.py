"""What the columns of a table hold: found from one table, read the same way from any other."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from minority._sklearn import check_is_fitted

_FEW_DATES = 20  # up to so many different dates are categories, such as years or quarters
_MOST = 0.9  # share of a column's values that makes the others worth a word

_ISO = "ISO8601"
_ISO_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?"
#: Years have four digits: with two of them too much can be taken for a date. Where day and month
#: may stand for each other, the order that is usual with the sign comes first.
_DAYS = (
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%B %d, %Y",
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_FORMATS = (_ISO, *(day + time for day in _DAYS for time in _TIMES))
_LIKE_A_DATE = r"\d{1,4}([-/. ])\w+\1\d{1,4}(?!\d).*|[A-Z][a-z]+ \d{1,2}, \d{4}.*"

#: Texts that pandas reads as booleans where a column has no others.
_TRUTHS = dict.fromkeys(("True", "TRUE", "true"), True)
_TRUTHS |= dict.fromkeys(("False", "FALSE", "false"), False)

_SIGN = "[-+\N{MINUS SIGN}]?"
_UNIT = "[$€£¥₹₩₽%]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|kr"
_BLANK = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}'"


def _number_pattern(point, comma):
    groups = rf"[1-9]\d{{0,2}}(?:[{comma}{_BLANK}]\d{{3}})+"
    digits = rf"(?:{groups}|\d+)(?:[{point}]\d+)?"
    return rf"({_SIGN})\s*({_UNIT})?\s*({_SIGN})({digits})\s*({_UNIT})?"


#: Numbers as people write them, by what stands before the decimals.
_NUMBERS = {".": _number_pattern(".", ","), ",": _number_pattern(",", ".")}


def _is_text(column):
    return column.dtype == object or pd.api.types.is_string_dtype(column)


def _is_number(column):
    """Whether values are numbers already, spans of time included; booleans are not."""
    if pd.api.types.is_bool_dtype(column):
        return False
    return (
        pd.api.types.is_numeric_dtype(column)
        or pd.api.types.is_timedelta64_dtype(column)
        or pd.api.types.infer_dtype(column) == "decimal"
    )


def _as_text(present):
    return present.astype(str).str.strip()


def _refuse(present, parsed, what):
    """Raise for a value that could not be read."""
    odd = present[parsed.isna().to_numpy()]
    if len(odd):
        raise ValueError(f"has {str(odd.iloc[0])!r}, which is no {what}")


def _dates(text, form):
    """Dates in one form, NaT for those in another."""
    if form == _ISO:
        text = text.where(text.str.fullmatch(_ISO_DATE))
    return pd.to_datetime(text, format=form, errors="coerce", utc=True)


def _numbers(text, point):
    """Numbers with one decimal sign, NaN for other texts, all NaN for more than one unit."""
    found = text.str.extract(f"^{_NUMBERS[point]}$")
    sign, before, inner, digits, after = (found[k] for k in range(5))
    units = set(before.dropna()) | set(after.dropna())
    plain = digits.str.replace(f"[{_BLANK}{'.' if point == ',' else ','}]", "", regex=True)
    values = pd.to_numeric(plain.str.replace(point, "."), errors="coerce").astype("float64")
    negative = (sign + inner).str.contains("[-\N{MINUS SIGN}]", na=False)
    return values.where(~negative, -values) if len(units) <= 1 else values * np.nan


# A kind of column has a `note` on how it is read, `read(column)` for any table, and, unless it is a
# category, `code(expression, column)`: the same in Python for tables that pandas reads as it read
# the one with `column`, empty if nothing is to be done.


@dataclass(frozen=True)
class Empty:
    """A column without a value: whatever it has later was not learned from."""

    note = ""

    def read(self, column):
        return pd.Series(np.nan, column.index)

    def code(self, expression, column):
        return "float('nan')"


@dataclass(frozen=True)
class Number:
    """Numbers; with `point`, the decimal sign, also those that are written as text."""

    point: str = ""
    note: str = ""

    def read(self, column):
        if pd.api.types.is_timedelta64_dtype(column):
            return column / pd.Timedelta(days=1)
        if _is_text(column) and pd.api.types.infer_dtype(column) != "decimal":
            present = column.dropna()
            text = _as_text(present)
            if self.point:
                parsed = _numbers(text, self.point)
            else:
                parsed = pd.to_numeric(text, errors="coerce")
            _refuse(present, parsed, "number")
            return parsed.astype("float64").reindex(column.index)
        if pd.api.types.infer_dtype(column) == "decimal":
            return column.astype("float64")
        return column.astype("Float64").astype("float64")

    def code(self, expression, column):
        if pd.api.types.is_timedelta64_dtype(column):
            return f"{expression} / pd.Timedelta(days=1)"
        if not _is_text(column) or not self.point:
            return "" if column.dtype in (np.float64, np.int64) else f"{expression}.astype(float)"
        digits = f"{expression}.astype(str).str.replace('\N{MINUS SIGN}', '-')"
        digits += f".str.replace(r'[^-0-9{self.point}]', '', regex=True)"
        if self.point != ".":
            digits += f".str.replace({self.point!r}, '.')"
        return f"pd.to_numeric({digits}, errors='coerce')"


@dataclass(frozen=True)
class Date:
    """Days since 1970-01-01."""

    form: str
    note: str = ""

    def read(self, column):
        present = column.dropna()
        # dates that were parsed on reading print in ISO's form
        plain = all(isinstance(value, str) for value in present)
        dates = _dates(_as_text(present), self.form if plain else _ISO)
        _refuse(present, dates, "date" if self.form == _ISO else f"date in the form {self.form}")
        return ((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)).reindex(column.index)

    def code(self, expression, column):
        dates = f"pd.to_datetime({expression}, format={self.form!r}, utc=True)"
        return f"({dates} - pd.Timestamp(0, tz='UTC')) / pd.Timedelta(days=1)"


@dataclass(frozen=True)
class Category:
    """Texts, booleans and the like, called by their labels; unknown ones are kept."""

    labels: tuple[str, ...]
    note: str = ""
    _by_value: dict = field(init=False, repr=False, compare=False, default_factory=dict)
    _by_truth: dict = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self):
        # without the texts around them, pandas reads the codes of a column as numbers
        numbers = pd.to_numeric(pd.Series(self.labels, dtype=object), errors="coerce")
        for label, number in zip(self.labels, numbers, strict=True):
            self._by_value.setdefault(number, label)
            if label in _TRUTHS:
                self._by_truth.setdefault(_TRUTHS[label], label)

    def read(self, column):
        codes, values = pd.factorize(column)
        if _is_number(column):
            labels = [self._by_value.get(value, str(value)) for value in values]
        else:
            labels = [self._label(str(value)) for value in values]
        place = {label: k for k, label in enumerate(dict.fromkeys([*self.labels, *labels]))}
        places = np.array([*(place[label] for label in labels), -1])  # -1 is missing
        return pd.Series(pd.Categorical.from_codes(places[codes], list(place)), column.index)

    def _label(self, text):
        """A text as it was called, though pandas may have read one of the two as a boolean."""
        if text not in _TRUTHS or text in self.labels:
            return text
        return self._by_truth.get(_TRUTHS[text], text)


def find_kind(column):
    """What a column holds."""
    present = column.dropna()
    if present.empty:
        return Empty()
    if _is_number(column):
        return Number()
    labels = column.astype("category").cat.remove_unused_categories().cat.categories
    labels = tuple(dict.fromkeys(map(str, labels)))
    text = pd.Series(labels).str.strip()
    kind = _find_date(text)
    if kind is None and _is_text(column):
        kind = _find_number(text) or Category(labels, _nearly(text))
    return kind or Category(labels)


def _find_date(text):
    if not text.head(100).str.fullmatch(_LIKE_A_DATE).all():  # a quick look
        return None
    fitting = {}
    for form in _FORMATS:
        if _dates(text.head(100), form).notna().all():
            dates = _dates(text, form)
            if dates.notna().all() and not any(dates.equals(other) for other in fitting.values()):
                fitting[form] = dates
    if not fitting or next(iter(fitting.values())).nunique() <= _FEW_DATES:
        return None
    form, dates = next(iter(fitting.items()))
    if len(fitting) == 1:
        return Date(form, "" if form == _ISO else f"{text[0]!r} is read as {dates[0]:%Y-%m-%d}")
    others = list(fitting.values())[1]
    at = (dates != others).idxmax()
    return Date(
        form,
        f"{text[at]!r} is read as {dates[at]:%Y-%m-%d}, as it might be {others[at]:%Y-%m-%d} and "
        "no value of the column tells: if that is wrong, write the dates as in 2024-12-31",
    )


def _find_number(text):
    if pd.to_numeric(text, errors="coerce").notna().all():
        return None  # who keeps plain numbers as text means codes
    readings = {}
    for point in _NUMBERS:
        if _numbers(text.head(100), point).notna().all():  # a quick look
            numbers = _numbers(text, point)
            if numbers.notna().all():
                readings[point] = numbers
    if not readings:
        return None
    # Of two readings the one with larger numbers: what three digits follow in all values where it
    # stands is between thousands.
    point, numbers = max(readings.items(), key=lambda item: item[1].abs().sum())
    at = text.str.len().idxmax()
    note = f"{text[at]!r} is read as {numbers[at]:.12g}"
    others = [found[at] for found in readings.values() if found[at] != numbers[at]]
    if others:
        note += (
            f", as it might be {others[0]:.12g} and no value of the column tells: if that is "
            "wrong, write the numbers without signs between thousands"
        )
    return Number(point, note)


def _nearly(text):
    """A word on texts most of which are dates, or numbers, that could not be read for the rest."""
    head = text.head(100)
    ways = {"dates": (_dates, _FORMATS), "numbers": (_numbers, _NUMBERS)}
    for what, (parse, forms) in ways.items():
        if what == "dates" and head.str.fullmatch(_LIKE_A_DATE).mean() < _MOST:
            continue
        for form in forms:
            if parse(head, form).notna().mean() < _MOST:
                continue
            odd = text[parse(text, form).isna()]
            if 0 < len(odd) <= (1 - _MOST) * len(text):
                return (
                    f"it stays text, as {odd.iloc[0]!r} is not one of the {what} that most are: "
                    "leave such cells empty to have the others read"
                )
    return ""


class ColumnTypes(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Numbers and categories from a table as pandas reads it, for the front of a pipeline.

    The kind of each column is found in `fit` and kept, so that other rows, with labels or without,
    are read in the same way however pandas has read them.

    - Numbers become float64, also those that are written as text with signs between thousands, a
      decimal comma or one currency (``"$1,234.50"``, ``"1.234,50 €"``), and spans of time in days.
    - Dates in one form for the whole column (``2024-12-31``, ``2024/12/31``, ``31.12.2024``,
      ``12/31/2024``, ``31 Dec 2024``, each with or without a time) become days since 1970-01-01,
      or categories if there are at most 20 different ones.
    - All else becomes categories: texts, booleans, and columns that are not numbers or dates in
      every row. Missing values stay missing.

    Attributes
    ----------
    kinds_ : dict
        What each column holds, by its name.

    Examples
    --------
    >>> table = pd.DataFrame({"price": ["$1,200.00", "$80.50"], "paid": [True, False]})
    >>> ColumnTypes().fit_transform(table)
        price   paid
    0  1200.0   True
    1    80.5  False
    """

    def fit(self, X, y=None):
        """Find what the columns of a table hold.

        Parameters
        ----------
        X : pandas.DataFrame
        y : ignored

        Returns
        -------
        self
        """
        self.kinds_ = {}
        for name, column in self._columns(X):
            try:
                self.kinds_[name] = find_kind(column)
            except TypeError as error:  # such values cannot be hashed
                raise ValueError(
                    f"column {name!r} has values of a kind that cannot be used ({column.dtype}: "
                    f"{error}); keep numbers, text, booleans and dates"
                ) from error
        self.feature_names_in_ = np.array(list(self.kinds_), dtype=object)
        self.n_features_in_ = len(self.kinds_)
        return self

    def transform(self, X):
        """The columns that were there in `fit`, as numbers and categories; others are left out.

        Parameters
        ----------
        X : pandas.DataFrame

        Returns
        -------
        X : pandas.DataFrame
            The names of columns with dates are in its ``attrs["dates"]``.
        """
        check_is_fitted(self)
        given = dict(self._columns(X))
        absent = [name for name in self.kinds_ if name not in given]
        if absent:
            raise ValueError(f"the table has no column {', '.join(map(repr, absent))}")
        columns = {}
        for name, kind in self.kinds_.items():
            try:
                columns[name] = kind.read(given[name])
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"column {name!r} {error}, unlike the rows that its kind was found from; mend "
                    "it, or leave the cell empty"
                ) from error
        typed = pd.DataFrame(columns, index=X.index)
        typed.attrs["dates"] = [n for n, kind in self.kinds_.items() if isinstance(kind, Date)]
        return typed

    def _columns(self, X):
        if not isinstance(X, pd.DataFrame):
            raise TypeError(f"a pandas DataFrame is needed, not {type(X).__name__}")
        return [(str(name), column) for name, column in X.items()]
