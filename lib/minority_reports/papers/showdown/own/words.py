"""Conditions in the words of the user's own table."""

import numpy as np
import pandas as pd

from minority._condition import format_word, plain_scalar


class Words:
    """Writes conditions as they are in the user's table: for the `write` of `to_text`.

    Boxes see numbers only: a missing one is filled in, and each category (or a group of rare ones)
    has a column of 0 and 1. Which categories a condition on such columns allows is asked of the
    coder itself: it codes a row for each category of a feature, and the columns that differ between
    these rows belong to the feature.
    """

    def __init__(self, model, X: pd.DataFrame):
        dates = X[list(X.attrs.get("dates", ()))]
        self.forms = {  # of dates: with the time of day if any row has one
            name: _date_forms if (column.dropna() % 1 == 0).all() else _time_forms
            for name, column in dates.items()
        }
        self.values, self.coded = {}, {}  # of a feature: categories (None is missing), their codes
        self.owner = {}  # of a coded column: its feature
        self.silent = set()  # columns that are the same for every category restrict nothing
        if len(model) == 1:
            return
        for feature in X:
            values = self._values(X[feature])
            if len(values) == 0:
                continue
            rows = X.iloc[[0] * len(values)].reset_index(drop=True)
            rows[feature] = values
            coded = model[:-1].transform(rows)
            told = [None if pd.isna(value) else value for value in values]
            self.values[feature], self.coded[feature] = pd.Series(told, dtype=object), coded
            if not pd.api.types.is_numeric_dtype(X[feature]):
                differs = (coded != coded.iloc[0]).any()
                own = [name for name in coded if name not in X and differs[name]]
                self.owner |= dict.fromkeys(own, feature)
        self.silent = {*model[:-1].get_feature_names_out()} - {*self.owner} - {*X}

    @staticmethod
    def _values(column: pd.Series) -> pd.Series:
        """The categories of a nominal column; of any column one missing value if it has some."""
        gap = column[column.isna()].iloc[:1]
        if pd.api.types.is_numeric_dtype(column):
            return gap.reset_index(drop=True)
        return pd.concat([column.dropna().drop_duplicates(), gap], ignore_index=True)

    def __call__(self, conditions) -> str:
        by_feature = {}
        for condition in conditions:
            feature = self.owner.get(condition.feature, condition.feature)
            by_feature.setdefault(feature, []).append(condition)
        parts = []
        for feature, own in by_feature.items():
            if own[0].feature in self.owner:
                parts.append(self._categories(feature, own))
            elif feature not in self.silent:
                parts += map(self._condition, own)
        return " and ".join(filter(None, parts))

    def _condition(self, condition) -> str:
        name = condition.feature
        options = {"forms": self.forms[name]} if name in self.forms else {}
        # missing numbers are filled in, with what may fulfil the condition
        gap = self.coded[name][name] if name in self.coded else []
        or_missing = " (or missing)" if condition.covers(gap).any() else ""
        return condition.to_text(**options) + or_missing

    def _categories(self, feature: str, conditions) -> str:
        """``plan is basic or plus`` or ``plan is not basic``, "" if every category is allowed."""
        values, coded = self.values[feature], self.coded[feature]
        allowed = np.all([c.covers(coded[c.feature]) for c in conditions], axis=0)
        if allowed.all():
            return ""
        name = format_word(feature)
        if not allowed.any():
            return f"{name} is none of its categories"
        groups = coded[[n for n, f in self.owner.items() if f == feature]].apply(tuple, axis=1)
        told, untold = (_listed(values[rows], groups[rows]) for rows in (allowed, ~allowed))
        return min(f"{name} is {told}", f"{name} is not {untold}", key=len)


_DATE_FORMATS = {
    "D": "%Y-%m-%d",
    "min": "%Y-%m-%d %H:%M",
    "s": "%Y-%m-%d %H:%M:%S",
    "us": "%Y-%m-%d %H:%M:%S.%f",
}
#: Up to so many categories that share a column are listed; more are counted.
_FEW_RARE = 3


def _listed(values: pd.Series, groups: pd.Series) -> str:
    """Categories with an "or" between them; those that the coder does not tell apart counted."""
    is_known = values.notna()
    words = []
    for _, group in values[is_known].groupby(groups, sort=False):
        known = [format_word(plain_scalar(value)) for value in group]
        rare = [f"one of the {len(known)} rarer values"]
        words += rare if len(known) > _FEW_RARE else known
    return " or ".join([*words, *["missing"] * (not is_known.all())])


def _time_forms(days: float, units=("min", "s", "us")):
    """Yield numbers next to one of days since 1970 and their texts: the shortest first."""
    exact = pd.Timestamp(0) + pd.Timedelta(days=days)
    for unit in units:
        for date in sorted({exact.floor(unit), exact.ceil(unit)}, key=lambda d: abs(d - exact)):
            yield (date - pd.Timestamp(0)) / pd.Timedelta(days=1), f"{date:{_DATE_FORMATS[unit]}}"
    yield days, f"{exact}"


def _date_forms(days: float):
    return _time_forms(days, ("D", "min", "s", "us"))
