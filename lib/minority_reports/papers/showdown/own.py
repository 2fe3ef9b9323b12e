"""The showdown on a user's own file.

What is run on it and what looks wrong in it, all entrants in one ranking, the best rules in words,
and code for the winner.
"""

import ast
import copy
from collections.abc import Iterable, Mapping
from itertools import takewhile
from textwrap import fill, indent

import numpy as np
import pandas as pd

from minority._condition import format_word, plain_scalar
from minority_reports.datasets import Dataset, examine
from minority_reports.datasets.own import reading_code
from minority_reports.experiments import Experiment, Results, Settings
from minority_reports.experiments.prepare import category_name
from minority_reports.papers.showdown.protocol import (
    CONFIGURATIONS,
    CONTESTANTS,
    EXPERIMENTS,
    LARGE,
    METRICS,
    RACE_ROWS,
    TIME_LIMIT,
    Contestant,
    contestant_of,
    sample_rows,
)
from minority_reports.papers.showdown.tables import count, fold_rows
from minority_reports.report import Table, show
from minority_reports.statistics import corrected_interval

# What is run, and the data.

#: Beyond so many rows a test part is large and minutes count: a second cut into folds would take as
#: long as the first.
ONE_REPEAT_ROWS = 10_000
#: Beyond so many rows three folds do: each test part has more than 10,000 rows.
THREE_FOLDS_ROWS = 50_000
#: Seconds for a contestant and a fold. Of 100,000 rows and 30 columns a core that is not shared
#: needs at most 50 s for a fold, except with Boosting-SVM and tuned gradient boosting: those are
#: stopped on some folds or all, so that three folds of everyone take less than 15 minutes on two
#: cores.
OWN_TIME_LIMIT = 60.0
#: With fewer rows of the minority a test part has one or two of them.
FEW_POSITIVES = 10
#: Different values beyond which the rarest of a category are coded together (`numeric_coder`).
MANY_CATEGORIES = 50
#: Share of repeated rows beyond which they are worth a word.
MANY_REPEATED = 0.01

#: The data set that stands in for a user's own: anyone has it, and its columns have names.
SHOWN = "car-vgood"

_WHAT_IT_IS = ("number", "date", "category", "id", "constant", "copy of the target")


def own_settings(settings: Settings, *, tuned: bool = True) -> tuple[Settings, list[str]]:
    """Settings under which own files are done in minutes, and in words what they leave out.

    Values that the user gave are kept, and so are settings without own files. Raises a ValueError
    for a file with too few rows of a class for the folds.
    """
    if not settings.own:
        return settings, []
    sets = {name: source.load() for name, source in settings.own.items()}
    experiment = EXPERIMENTS["defaults"]
    for data in sets.values():
        _check_folds(data, experiment.folds)
        _check_finite(data)
        _check_names(data)
    planned, left_out = copy.copy(settings), []
    largest = max(sets.values(), key=lambda data: data.n)
    if largest.n > ONE_REPEAT_ROWS and not settings.repeats:
        _put(planned, repeats=1)
        left_out.append(
            f"One repeat of the folds instead of {experiment.repeats}, because {largest.name} has "
            f"more than {ONE_REPEAT_ROWS:,} rows."
        )
    if largest.n > THREE_FOLDS_ROWS and not settings.folds:
        _put(planned, folds=3)
        left_out.append(
            f"The first 3 of {experiment.folds} folds, because {largest.name} has more than "
            f"{THREE_FOLDS_ROWS:,} rows."
        )
    for name, data in sets.items():
        left_out += _sampled(
            name, data.n, settings.methods_for(experiment), experiment.folds, tuned
        )
    if not settings.time_limit:
        _put(planned, time_limit=OWN_TIME_LIMIT)
        left_out.append(
            f"Who needs more than {OWN_TIME_LIMIT:g} s for a fold is stopped and has no result "
            f"there (the showdown's own limit is {TIME_LIMIT:g} s): a longer time limit computes "
            "only those again."
        )
    return planned, left_out


def _put(settings: Settings, **values) -> None:
    # checked values of a copy; making new settings would look for the files again
    for name, value in values.items():
        object.__setattr__(settings, name, value)


def _check_folds(data: Dataset, folds: int) -> None:
    fewest = min(data.positives, data.n - data.positives)
    if fewest < folds:
        raise ValueError(
            f"{data.facts.file} has {count(fewest, 'row')} of one class ({data.facts.target}: "
            f"{data.positives} of {data.n:,} rows) and the showdown needs at least {folds}: one in "
            f"the test part of each of its {folds} folds. Collect more such rows, or choose a "
            "target that is less rare."
        )


def _check_finite(data: Dataset) -> None:
    infinite = np.isinf(data.X.select_dtypes("number")).any()
    if infinite.any():
        names = ", ".join(map(repr, infinite.index[infinite]))
        raise ValueError(
            f"{data.facts.file} has infinite values, which most contestants refuse: {names}. Leave "
            "those cells empty (gaps in numbers are filled in), or write a large number."
        )


def _check_names(data: Dataset) -> None:
    """Categories become columns, whose names must be left for them."""
    for feature, column in data.X.select_dtypes("category").items():
        for label in column.cat.categories:
            if (name := category_name(feature, label)) in data.X:
                raise ValueError(
                    f"{data.facts.file} has a column {name!r}, as the category {label!r} of "
                    f"{feature!r} is called where it is coded as a column. Rename the column."
                )


def _sampled(name: str, n: int, methods: Iterable[str], folds: int, tuned: bool) -> list[str]:
    training = n - n // folds
    limits = {CONTESTANTS[method].label: CONTESTANTS[method].max_rows for method in methods}
    few = [f"{label} {most:,}" for label, most in limits.items() if 0 < most < training]
    texts = []
    if few:
        texts.append(
            f"Of the {training:,} rows in a training part of {name} some learn from a sample: "
            f"{', '.join(few)}."
        )
    if tuned and training > RACE_ROWS:
        texts.append(
            f"Configurations race on a sample of {RACE_ROWS:,} rows of {name}; the one chosen "
            "learns from all rows, or from the contestant's sample."
        )
    return texts


def spotlight(settings: Settings) -> tuple[str, Dataset]:
    """The data set that the last part of the notebook is about: the first selected, or one."""
    name = next(iter((*settings.own, *settings.datasets, SHOWN)))
    return name, settings.source(name).load()


def plan(settings: Settings, experiments: Mapping[str, Experiment]) -> str:
    """What will be run, and how long it can take, in a sentence or two."""
    from joblib import effective_n_jobs

    first = next(iter(experiments.values()))
    who = settings.methods_for(first)
    repeats, folds = settings.splits_for(first).values()
    names = settings.datasets_for(first)
    tasks = len(who) * repeats * folds * len(experiments) * len(names)
    limit = settings.time_limit or TIME_LIMIT
    jobs = effective_n_jobs(settings.n_jobs)
    budget = f" ({CONFIGURATIONS} configurations each)" if "tuned" in experiments else ""
    return (
        f"{count(len(who), 'contestant')}, {' and '.join(experiments)}{budget}, on "
        f"{repeats} x {folds} of {first.folds} stratified folds: {count(tasks, 'task')} of at most "
        f"{limit:g} s in {'one process' if jobs == 1 else f'{jobs} processes'}. That is "
        f"{tasks * limit / jobs / 60:.0f} minutes if all took as long as they may; most need "
        "seconds. Rows that are there already are not computed again."
    )


def data_check(data: Dataset) -> Table:
    """What is in a data set: rows, classes, columns by kind, gaps."""
    columns = examine(data)
    gaps = data.X.isna().to_numpy()
    n_kinds = columns["kind"].value_counts()
    values = {
        "rows": f"{data.n:,}",
        f"positives ({data.facts.target})": f"{data.positives:,} ({data.positives / data.n:.2%})",
        "negatives for one positive": f"{data.facts.imbalance:.1f}",
        "rows that repeat an earlier one": f"{data.facts.repeated_rows:,}",
        "columns": f"{data.d:,}",
        **{f"… {kind}": f"{n_kinds[kind]:,}" for kind in _WHAT_IT_IS if kind in n_kinds},
        "columns with missing values": f"{gaps.any(axis=0).sum():,}",
        "values missing": f"{gaps.mean():.2%}",
    }
    return show(
        pd.DataFrame({"value": values}), caption=f"{data.facts.file or data.name}: the data"
    )


def remarks(data: Dataset) -> list[str]:
    """What a user should look at before believing any result; nothing is dropped."""
    columns = examine(data)
    texts = [*_on_rows(data)]
    for name, column in columns.iterrows():
        if text := _on_column(column):
            texts.append(f"{'WARNING: ' if 'target' in text else ''}Column {name!r} {text}")
        if column["note"]:
            texts.append(f"Column {name!r}: {column['note']}.")
    constant = [repr(name) for name in columns.index[columns["kind"] == "constant"]]
    if constant:
        texts.append(
            f"{_plural('Column', constant)} the same everywhere or empty: {', '.join(constant)}. "
            "Nothing can be learned from that; it does no harm."
        )
    return texts


def _plural(what: str, names: list) -> str:
    return f"{what}s that are" if len(names) > 1 else f"{what} that is"


def _on_rows(data: Dataset) -> Iterable[str]:
    folds = EXPERIMENTS["defaults"].folds
    if data.positives < folds:
        yield (
            f"WARNING: only {data.positives} rows of {data.facts.target}. The showdown cannot be "
            f"run: it needs at least {folds}, one in every test part."
        )
    elif data.positives < FEW_POSITIVES:
        most = -(-data.positives // folds)
        yield (
            f"WARNING: only {data.positives} rows of {data.facts.target}, so a test part has "
            f"{'one' if most == 1 else f'at most {most}'} of them and a single row decides whether "
            "a fold looks perfect or useless. Take ranks and means as hints; look at the intervals "
            "and at the rules, and collect more such rows before relying on any of it."
        )
    if data.facts.imbalance < 1:
        yield (
            f"{data.facts.target} is the more frequent class here. The learners are made for rare "
            "positives: check that it is the label you mean."
        )
    repeated = data.facts.repeated_rows
    if repeated > MANY_REPEATED * data.n:
        yield (
            f"{repeated:,} rows ({repeated / data.n:.0%}) repeat an earlier one. If they are "
            "copies and not different cases, results look better than they are, as a row can be "
            "in training and test part alike: drop the copies."
        )


def _on_column(column: pd.Series) -> str:
    remark = column["remark"]
    if "target" in remark:
        return (
            f"gives the target away ({remark.removesuffix(' (a copy)')}). If it is known only with "
            "or after the outcome, every result below is too good to be true: drop it and run "
            "again."
        )
    if column["kind"] == "id":
        return f"{remark}. What is learned from it does not carry over to new rows: drop it."
    if "infinite" in remark:
        return f"{remark}: most learners refuse these. Replace them by gaps or large numbers."
    if column["kind"] == "date":
        return (
            "holds dates, read as days since 1970-01-01. Folds are drawn at random: if later rows "
            "are to be predicted from earlier ones, results below are too good. Keep the latest "
            "rows for a test of your own."
        )
    is_text = column["kind"] == "category" and not column["note"]
    if is_text and column["distinct"] > MANY_CATEGORIES:
        return (
            f"has {column['distinct']:,} different texts. Most learners see the "
            f"{MANY_CATEGORIES - 1} most frequent and one value for all others: if it is free "
            "text, drop it or make columns of what matters in it."
        )
    return f"has {remark}." if "missing" in remark and column["kind"] != "constant" else ""


# The ranking.

#: Characters in a line of a terminal.
WIDTH = 99


def standings(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """Every entrant on a data set by mean G-mean, the best first: one row each.

    Those without a result on some folds come after the others: a mean over other folds would not
    compare. ``difference``, ``low`` and ``high`` are G-mean less that of the first, where both
    have all folds.
    """
    rows = entrant_rows(results, dataset)
    if rows.empty:
        return pd.DataFrame()
    folds = rows[["repeat", "fold"]].drop_duplicates()
    lines = [
        _entrant(results[setting], method, part, len(folds), rows["train_rows"].max())
        for (setting, method), part in rows.groupby(["setting", "method"], sort=False)
    ]
    frame = pd.DataFrame(lines)
    frame = frame.assign(complete=frame["folds"] == len(folds), key=frame["g_mean"].round(12))
    frame = frame.sort_values(["complete", "key"], ascending=False, kind="stable")
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="rank")
    scores = rows.set_index(["repeat", "fold"]).groupby(["method", "setting"])["g_mean"]
    scores = {entrant: part.dropna() for entrant, part in scores}
    best = scores[tuple(frame[["method", "setting"]].iloc[0])]
    share = next(iter(results.values())).experiment.test_share
    intervals = [
        corrected_interval((scores[entrant] - best).dropna(), test_share=share)
        for entrant in frame[["method", "setting"]].itertuples(index=False, name=None)
    ]
    # G-means are from 0 to 1; few folds make intervals that reach beyond
    frame[["difference", "low", "high"]] = np.clip(intervals, -1, 1)
    is_compared = frame["complete"] & frame["complete"].iloc[0]
    frame.loc[~is_compared, ["difference", "low", "high"]] = np.nan
    return frame.drop(columns=["complete", "key"])


def entrant_rows(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """Every fold of every entrant on a data set: what was measured, or why nothing was."""
    parts = []
    for setting, result in results.items():
        failures = result.failures
        if len(failures):  # also those of methods that were added and left out again
            failures = failures[failures["method"].isin(result.experiment.methods)]
        parts += [fold_rows(results, setting, large=dataset in LARGE), failures]
    parts = [part[part["dataset"] == dataset] for part in parts if len(part)]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _entrant(result: Results, method: str, rows: pd.DataFrame, n_folds: int, most: float) -> dict:
    contestant = contestant_of(result.experiment.methods[method])
    chosen = rows["configuration"].dropna()
    chosen = chosen[chosen != ""]
    return {
        "method": method,
        "setting": rows["setting"].iloc[0],
        "learner": result.labels[method],
        **{metric: rows[metric].mean() for metric in METRICS},
        "g_mean sd": rows["g_mean"].std(),
        "fit_s": rows["fit_s"].mean(),
        "rules": rows["rules"].median(),
        "conditions": rows["conditions"].median(),
        "readable": contestant.readable,
        "folds": int(rows["g_mean"].notna().sum()),
        # who failed everywhere has the scores of the majority but no model
        "learned": bool((rows["g_mean"].notna() & ~rows["failed"].eq(1)).any()),
        # the one that most folds chose, of equals the first by name
        "configuration": chosen.mode().iloc[0] if len(chosen) else "",
        "note": "; ".join(_notes(contestant, rows, n_folds, most)),
    }


def _notes(contestant: Contestant, rows: pd.DataFrame, n_folds: int, most: float) -> Iterable[str]:
    def of_folds(chosen) -> str:
        return f"{int(chosen.sum())} of {n_folds} folds"

    learned = rows["train_rows"].max()
    if contestant.max_rows and learned == contestant.max_rows:
        of = f"of {most:,.0f} rows" if most > learned else "rows at most"
        yield f"learned from {learned:,.0f} {of}"
    absent = rows["g_mean"].isna()
    stopped = absent & rows["status"].eq("time limit")
    if stopped.any():
        yield f"stopped after {rows['time_limit'].max():g} s on {of_folds(stopped)}"
    cut_off = ~absent & rows["status"].eq("time limit")
    if cut_off.any():
        yield f"best found in its time on {of_folds(cut_off)}"
    for failed, text in [(rows["failed"].eq(1), "failed"), (rows["status"].eq("error"), "no row")]:
        if failed.any():
            yield f"{text} on {of_folds(failed)}: {rows.loc[failed, 'message'].iloc[0]}"
    if len(rows) < n_folds:
        yield f"{len(rows)} of {n_folds} folds"


def interval_text(entrant: pd.Series) -> str:
    """How far an entrant is behind the first, such as ``-0.034 [-0.060, -0.008]``."""
    if pd.isna(entrant["difference"]):
        return "–"
    text = f"{entrant['difference']:+.3f}"
    return (
        text
        if pd.isna(entrant["low"])
        else f"{text} [{entrant['low']:+.3f}, {entrant['high']:+.3f}]"
    )


def ranked_table(results: Mapping[str, Results], dataset: str) -> Table:
    """All entrants on a data set, defaults and tuned, by mean G-mean."""
    frame = standings(results, dataset)
    if frame.empty:
        return show(pd.DataFrame(), caption=f"{dataset}: nothing has been computed.")
    shown = frame[["learner", "setting", *METRICS]].rename(columns=METRICS)
    shown["less the first"] = ["–", *(interval_text(row) for _, row in frame.iloc[1:].iterrows())]
    shown["fit, s"] = frame["fit_s"]
    for size in ("rules", "conditions"):
        shown[size] = frame[size].astype(float).round().astype("Int64")
    shown["readable"] = frame["readable"]
    shown["note"] = frame["note"]
    bold = pd.DataFrame(False, index=shown.index, columns=shown.columns)
    bold["G-mean"] = ~(frame["high"] < 0) & frame["difference"].notna()
    caption = (
        f"{dataset}: everyone by mean G-mean over folds (± its standard deviation), those without "
        "a result on some folds last. Behind it the difference to the first with its 95 % "
        "interval where both have all folds, corrected for training parts that overlap but not for "
        "the number of rivals; "
        "bold are the first and those that it cannot be told from. "
        + ", ".join(f"{setting} {result.coverage()}" for setting, result in results.items())
        + "."
    )
    spread = frame[["g_mean sd"]].set_axis(["G-mean"], axis="columns")
    return show(shown, caption=caption, spread=spread, bold=bold)


def terminal_table(results: Mapping[str, Results], dataset: str) -> str:
    """The ranked table for a terminal, notes below."""
    frame = standings(results, dataset)
    if frame.empty:
        return f"{dataset}: nothing has been computed."
    table = ranked_table(results, dataset).formatted()
    marked = np.where(frame["readable"], table["learner"] + " *", table["learner"])
    shown = table[
        ["setting", "G-mean", "F1", "average precision", "AUROC", "less the first", "rules"]
    ]
    shown.insert(0, "learner", marked)
    shown = shown.rename(columns={"average precision": "AP"})
    lines = [shown.rename_axis(None).to_string(), "* can be read as rules"]
    notes = frame.loc[frame["note"] != "", "note"]
    lines += [
        fill(f"{rank}. {note}", WIDTH, subsequent_indent="   ") for rank, note in notes.items()
    ]
    return "\n".join(lines)


# Models.

#: Lines of a model that are printed; nobody reads a tree of hundreds.
MOST_LINES = 60


def parse_configuration(text: str) -> dict:
    """The parameters of a configuration that was stored as text: the inverse of ``describe``."""
    if text in ("", "defaults"):
        return {}
    call = ast.parse(f"dict({text})", mode="eval").body
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}


def best_readable(results: Mapping[str, Results], dataset: str, data: Dataset) -> str:
    """The best readable method of the protocol, learned from all rows: its rules, how well it did.

    Models that users add need not be able to print themselves as the table has it.
    """
    results = {setting: result.of_protocol() for setting, result in results.items()}
    frame = standings(results, dataset)
    readable = frame[frame["readable"] & frame["learned"]] if len(frame) else frame
    if readable.empty:
        return "No readable contestant has a result."
    entrant = readable.iloc[0]
    contestant = CONTESTANTS[entrant["method"]]
    rows = sample_rows(data.y, contestant.max_rows, _seed(results))
    X, y = data.X.iloc[rows], data.y[rows]
    model = _model(contestant, entrant["configuration"], _seed(results)).fit(X, y)
    learned = f"all {data.n:,} rows" if len(y) == data.n else f"{len(y):,} of {data.n:,} rows"
    parts = [
        fill(_how_well(entrant, frame), WIDTH),
        fill(
            f"Learned from {learned} with {_parameters(entrant)} (1 stands for "
            f"{data.facts.target}):",
            WIDTH,
        ),
        _at_most_lines(_in_words(model, X)),
        f"Its rules on {'these' if len(y) < data.n else 'all'} rows:",
        _rules(model, X, y),
    ]
    return "\n\n".join(parts)


def _how_well(entrant: pd.Series, frame: pd.DataFrame) -> str:
    first = frame.iloc[0]
    text = (
        f"{_called(entrant)} is the best of those that can be read: G-mean "
        f"{_mean(entrant)} over {count(entrant['folds'], 'fold')}, rank {entrant.name} of "
        f"{len(frame)}."
    )
    if entrant.name == first.name:
        return text + " It is the winner."
    text += f" The winner, {_called(first)}, has {_mean(first)}; "
    if pd.isna(entrant["difference"]):
        return text + "they are not compared, for results are missing on some folds."
    text += f"the difference is {interval_text(entrant)}"
    if pd.isna(entrant["low"]):
        return text + "."
    return text + (
        ", so the price of being readable is more than chance."
        if entrant["high"] < 0
        else ", which may be chance."
    )


def _called(entrant: pd.Series) -> str:
    return f"{entrant['learner']} ({entrant['setting']})"


def _mean(entrant: pd.Series) -> str:
    spread = entrant["g_mean sd"]
    return f"{entrant['g_mean']:.3f}" + ("" if pd.isna(spread) else f" ± {spread:.3f}")


def _parameters(entrant: pd.Series) -> str:
    if not parse_configuration(entrant["configuration"]):
        return "its defaults"
    return f"the parameters that most folds chose: {entrant['configuration']}"


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


def _in_words(model, X: pd.DataFrame) -> str:
    """The model behind a pipeline as text, with conditions as they are in the user's table."""
    return model[-1].to_text(write=Words(model, X))


def _rules(model, X: pd.DataFrame, y) -> str:
    """Support, precision, recall and lift of the rules of a fitted pipeline."""
    learner = getattr(model[-1], "estimator_", model[-1])  # the wrapper's learner has the rules
    frame = learner.rules_frame(model[:-1].transform(X) if len(model) > 1 else X, y)
    if hasattr(learner, "tree_"):  # rules were printed with their numbers, a tree has none
        texts = [rule.conditions_text(write=Words(model, X)) for rule in learner.to_rules()]
        frame["conditions"] = [*texts, *frame["conditions"].iloc[len(texts) :]]
    else:
        frame = frame.drop(columns="conditions")
    return _at_most_lines(frame.round(3).rename_axis(None).to_string())


def _at_most_lines(text: str) -> str:
    lines = text.splitlines()
    rest = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"... and {count(rest, 'line')} more"] * (rest > 0))])


def _model(contestant: Contestant, configuration: str, seed: int):
    """The unfitted pipeline that the snippet spells out, with one seed wherever one is taken."""
    model = contestant.make()
    model[-1].set_params(**parse_configuration(configuration))
    names = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def _seed(results: Mapping[str, Results]) -> int:
    """The seed of the rows."""
    return int(pd.concat([result.rows["seed"] for result in results.values()]).iloc[0])


def snippet(results: Mapping[str, Results], dataset: str, settings: Settings) -> str:
    """Python code that learns the winner from the same data, ready to run.

    The winner among the methods of the protocol: a user's own are code already.
    """
    results = {setting: result.of_protocol() for setting, result in results.items()}
    frame = standings(results, dataset)
    if frame.empty or not frame["learned"].iloc[0]:
        return "# No contestant has a result.\n"
    first = frame.iloc[0]
    contestant = CONTESTANTS[first["method"]]
    model = _model(contestant, first["configuration"], settings.seed)
    data = settings.source(dataset).load()
    classes = {("sklearn.pipeline", "make_pipeline"), *_classes(model)}
    steps = [_code(step) for step in model]
    if dataset in settings.own:
        load = settings.own[dataset].load
        lines = reading_code(*load.args, **load.keywords).splitlines()
        # so that the model takes any table with these columns, and reads it as this one was read
        classes |= {("", "pandas as pd"), ("minority_reports.datasets", "ColumnTypes")}
        steps.insert(0, "ColumnTypes()")
        others = "or another table with the same columns, labelled or not, as pandas reads it"
    else:
        classes.add(("minority_reports.datasets", "load"))
        lines = [f"data = load({dataset!r})", "X, y = data.X, data.y"]
        others = "or other rows with the same columns"
    lines += [
        "model = make_pipeline(",
        *(indent(f"{step},", "    ") for step in steps),
        f"){_PANDAS if len(model) > 1 else ''}",
    ]
    if 0 < contestant.max_rows < data.n:
        classes.add(("minority_reports.papers.showdown", "sample_rows"))
        lines += [
            "# all rows would take long: it learns from a sample, as in the comparison",
            f"rows = sample_rows(y, {contestant.max_rows}, random_state={settings.seed})",
        ]
        if dataset in settings.own:  # what columns hold is found from all rows, as there
            lines += [
                "typed = model[0].fit_transform(X)",
                "model[1:].fit(typed.iloc[rows], y.iloc[rows])",
            ]
        else:
            lines.append("model.fit(X.iloc[rows], y[rows])")
    else:
        lines.append("model.fit(X, y)")
    lines += [
        "",
        f"# {others}",
        "predicted = model.predict(X)",
        f"print(predicted.sum(), 'of', len(predicted), 'rows predicted:', {data.facts.target!r})",
        *(["print(model[-1].to_text())"] if contestant.readable else []),
    ]
    title = f"# {_called(first)}: first of {len(frame)} on {dataset}, G-mean {_mean(first)}"
    return "\n".join([_one_line(title), *_imports(classes), "", *lines]) + "\n"


def _one_line(comment: str) -> str:
    """A comment that stays one whatever a file is called."""
    return " ".join(comment.split())


_PANDAS = '.set_output(transform="pandas")'


def _is_coder(step) -> bool:
    return type(step).__name__ == "ColumnTransformer"


def _code(step) -> str:
    """The expression that makes a step of a pipeline."""
    if _is_coder(step):
        return "numeric_coder(fill=False)" if step.remainder == "passthrough" else "numeric_coder()"
    return step.__repr__(N_CHAR_MAX=10_000)  # the default leaves out the middle of long ones


def _classes(model) -> set[tuple[str, str]]:
    """Module and name of everything in the code of a pipeline."""
    found = set()
    for step in model:
        if _is_coder(step):
            found.add(("minority_reports.experiments", "numeric_coder"))
            continue
        for value in (step, *step.get_params().values()):
            if hasattr(value, "get_params"):
                parts = type(value).__module__.split(".")
                public = ".".join(takewhile(lambda part: not part.startswith("_"), parts))
                module = "minority" if parts[0] == "minority" else public
                found.add((module, type(value).__name__))
    return found


def _imports(classes: set[tuple[str, str]]) -> list[str]:
    """Import statements, those of this package behind a blank line."""
    names = {}
    for module, name in sorted(classes):
        names.setdefault(module, []).append(name)
    lines = {
        module: f"from {module} import {', '.join(found)}" if module else f"import {found[0]}"
        for module, found in names.items()
    }
    ours = [line for module, line in lines.items() if module.startswith("minority")]
    return [*(line for line in lines.values() if line not in ours), "", *ours]
