"""Published numbers against ours: one by one, and the share that agrees within noise."""

import math

import numpy as np
import pandas as pd

from minority_reports.report.claims import Number

#: What a paper's ``numbers`` has to say of each published number.
COLUMNS = ("where", "item", "published", "ours", "sd", "not_compared")


def with_agreement(numbers: pd.DataFrame) -> pd.DataFrame:
    """Published numbers with two columns more, NaN where they are not compared.

    ``agrees`` is 1 within noise: two standard errors of the difference where a spread is known,
    else 5 %. ``difference`` is ours minus the published one in units of that.
    """
    if missing := [name for name in COLUMNS if name not in numbers]:
        raise ValueError(f"published numbers need columns {', '.join(missing)}.")
    if numbers.duplicated(["where", "item"]).any():
        again = numbers.loc[numbers.duplicated(["where", "item"]), "item"].iloc[0]
        raise ValueError(f"the published number {again!r} is there twice.")
    compared = [is_compared(row) for row in numbers.itertuples()]
    ours = [Number(r.item, r.ours, r.published, r.sd) for r in numbers.itertuples()]
    pairs = list(zip(ours, compared, strict=True))
    gaps = [n.ours - n.published if is_there else math.nan for n, is_there in pairs]
    agrees = [float(n.agrees) if is_there else math.nan for n, is_there in pairs]
    tolerances = [n.tolerance for n in ours]
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = np.divide(gaps, tolerances)
    return numbers.assign(agrees=agrees, difference=np.where(np.equal(gaps, 0), 0.0, difference))


def is_compared(row) -> bool:
    """Whether a published number has one of ours beside it, and no reason against that."""
    reason = row.not_compared
    return (pd.isna(reason) or not reason) and pd.notna(row.ours) and pd.notna(row.published)


def in_place_of(numbers: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """The numbers under a reading, with those of the text where the reading has none."""
    place = ["where", "item"]
    ours = numbers.set_index(place)[["ours", "sd"]]
    found = ours.reindex(pd.MultiIndex.from_frame(text[place])).reset_index(drop=True)
    missing = found["ours"].isna().to_numpy()
    merged = text.reset_index(drop=True).copy()
    for name in ("ours", "sd"):
        merged[name] = merged[name].where(missing, found[name])
    return merged
