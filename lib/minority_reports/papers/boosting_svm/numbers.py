"""The published numbers of Boosting-SVM that survive, beside ours on the public data sets."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.boosting_svm.protocol import PUBLIC, STAND_INS
from minority_reports.papers.boosting_svm.tables import (
    COLUMNS,
    DOMAINS,
    LABELS,
    PAPER_NAMES,
    disparity,
    number,
    scores,
)
from minority_reports.report import Need

_RESULTS = "Section 6.3"
_NOT_PUBLIC = "the data is not public"
_BOUND = "a lower bound, not a value"


def sd_of_means(values: pd.Series) -> float:
    """Standard error of a mean over our data sets minus one over the paper's.

    The data sets of both are taken for draws from the same population.
    """
    n = len(values)
    return values.std(ddof=1) * np.sqrt(1 / n + 1 / DOMAINS) if n else math.nan


def sd_of_shares(published: float, n: int) -> float:
    """The same of a share of `n` data sets, with the spread of the published share."""
    return np.sqrt(published * (1 - published) * (1 / n + 1 / DOMAINS)) if n else math.nan


def published_share(text: str) -> float:
    """The share that "10 of 12" says."""
    return int(text.split()[0]) / DOMAINS


def published_numbers(results: Mapping[str, Results]) -> pd.DataFrame:
    """Every number of section 6.3 beside ours, and those of the data that is not public.

    A line for each, with `where` it is, the `item`, `published`, `ours`, `sd`, the standard error
    of their difference, and `not_compared`, the reason where there is no comparison. Published
    means and shares are over twelve data sets, ours over the public ones that are complete.
    """
    methods = [method for of in COLUMNS.values() for method in of]
    part = Need("main", tuple(methods), datasets=PUBLIC).of(results)
    found = [*_g_means(part), *_disparities(part), *_not_compared()]
    columns = ["where", "item", "published", "ours", "sd", "not_compared"]
    frame = pd.DataFrame(found, columns=columns)
    frame.loc[frame["ours"].isna() & (frame["not_compared"] == ""), "not_compared"] = (
        "rows are missing"
    )
    return frame


def _g_means(part: Results):
    table = scores(part).round(9)
    others = table.drop(columns="B-SVM")
    means = others.mean()
    ends = (means.idxmin(), means.idxmax()) if len(table) else others.columns[:2]
    theirs = number("mean G-mean of the eight others, range")
    yield _mean("mean G-mean, B-SVM", table["B-SVM"], number("mean G-mean B-SVM"))
    for which, column, published in zip(("lowest", "highest"), ends, theirs, strict=True):
        yield _mean(f"mean G-mean, {which} of the others", others[column], published)
    best = table["B-SVM"] > others.max(axis=1)
    yield _share("data sets where B-SVM is best", best, number("domains where B-SVM is best"))


def _disparities(part: Results):
    gaps = disparity(part).round(9)
    theirs = number("mean |spec-sens| IV, VII, B-SVM")
    for column, published in zip(("IV", "VII", "B-SVM"), theirs, strict=True):
        label = LABELS.get(column, column)
        yield _mean(f"mean |specificity - sensitivity|, {label}", gaps[column], published)
    for column, text in number("domains with larger gap than B-SVM").items():
        larger = gaps[column] > gaps["B-SVM"]
        yield _share(f"data sets with a larger one than B-SVM, {LABELS[column]}", larger, text)


def _mean(item: str, values: pd.Series, published: float) -> tuple:
    return _RESULTS, item, published, values.mean(), sd_of_means(values), ""


def _share(item: str, held: pd.Series, text: str) -> tuple:
    published = published_share(text)
    sd = sd_of_shares(published, len(held))
    return _RESULTS, f"share of {item}", published, held.mean(), sd, ""


def _not_compared():
    for what, reason in (("Lupus-I", _NOT_PUBLIC), ("Heart", _BOUND)):
        text = number(f"{what} margin over every classifier")
        least = float(text.strip(">points "))
        yield _RESULTS, f"lead of B-SVM on {what}", least, math.nan, math.nan, reason
    words = {"n": "rows", "d": "features", "pos": "positives", "neg": "negatives"}
    for name in STAND_INS:
        for key, value in number(PAPER_NAMES[name]).items():
            item = f"{words[key]}, {PAPER_NAMES[name]}"
            yield "Section 6.2", item, value, math.nan, math.nan, _NOT_PUBLIC
