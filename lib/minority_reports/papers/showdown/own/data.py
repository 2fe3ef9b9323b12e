"""What is in a user's own file, and what in it deserves a look before any result is believed."""

from collections.abc import Iterable

import pandas as pd

from minority_reports.datasets import Dataset, examine
from minority_reports.papers.showdown.protocol import EXPERIMENTS
from minority_reports.report import Table, show

#: With fewer rows of the minority a test part has one or two of them.
FEW_POSITIVES = 10
#: Different values beyond which the rarest of a category are coded together (`numeric_coder`).
MANY_CATEGORIES = 50
#: Share of repeated rows beyond which they are worth a word.
MANY_REPEATED = 0.01


_WHAT_IT_IS = ("number", "date", "category", "id", "constant", "copy of the target")


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
