"""Published numbers against ours: one by one, and the share that agrees within noise."""

import math

import pandas as pd

from minority_reports.report.claims import Number

#: What a paper's ``numbers`` has to say of each published number.
COLUMNS = ("where", "item", "published", "ours", "sd", "not_compared")


def with_agreement(numbers: pd.DataFrame) -> pd.DataFrame:
    """Published numbers with a column ``agrees``: within noise, or NaN where they are not compared.

    Within two standard errors of the difference where a spread is known, else within 5 %.
    """
    if missing := [name for name in COLUMNS if name not in numbers]:
        raise ValueError(f"published numbers need columns {', '.join(missing)}.")
    if numbers.duplicated(["where", "item"]).any():
        again = numbers.loc[numbers.duplicated(["where", "item"]), "item"].iloc[0]
        raise ValueError(f"the published number {again!r} is there twice.")
    agrees = [
        float(Number(row.item, row.ours, row.published, row.sd).agrees)
        if is_compared(row)
        else math.nan
        for row in numbers.itertuples()
    ]
    return numbers.assign(agrees=agrees)


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
