"""The published numbers of RLSD, and why nearly none of them can be compared."""

import math
from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.rlsd.tables import published_table
from minority_reports.report import Table, show
from minority_reports.report.claims import published
from minority_reports.report.numbers import with_agreement
from minority_reports.report.printed import number_of

#: Why the numbers of a table have none of ours beside them.
NOT_COMPARED = {
    "Table 2": "counts of data that are not available; the simulated sets were given these counts",
    "Table 3": "measured on data that are not available; other data have other numbers",
}
_NO_C50 = "measured with C5.0 on data that are not available"


def _derived() -> dict[str, tuple[float, float]]:
    """What the text derives from the paper's own tables: as printed, and computed from them."""
    counts, grid = published_table("Table 2"), published_table("Table 3")
    tests = counts[counts.index.str.endswith("Test")].sum()
    random = tests["bad_examples"] / tests.sum()
    rules, best = (grid[f"test_precision_{kind}"].max() for kind in ("all_rules", "best_rule"))
    quoted = {
        entry["what"]: float(str(entry["ratio_quoted"]).removeprefix("about "))
        for entry in published("rlsd")["numbers"]
        if "ratio_quoted" in entry
    }
    names = {"best all-rules precision": rules, "best single-rule precision": best}
    return (
        {"random-selection precision": (number_of("rlsd", "random-selection precision"), random)}
        | {what: (number_of("rlsd", what), value) for what, value in names.items()}
        | {
            f"{what} against random": (quoted[what], value / random)
            for what, value in names.items()
        }
    )


def published_numbers(results: Mapping[str, Results]) -> pd.DataFrame:
    """Every published number, beside it ours or the reason why there is none.

    Only what the text derives from its own tables can be computed again: that is about the paper's
    arithmetic, and not about RLSD, so the results decide nothing.
    """
    rows = [
        ("section 4", f"{item}, from Tables 2 and 3", printed, ours, math.nan, "")
        for item, (printed, ours) in _derived().items()
    ]
    for label, reason in NOT_COMPARED.items():
        cells = published_table(label)
        for row, values in cells.iterrows():
            rows += [
                (label, f"{row}, {column}", value, math.nan, math.nan, reason)
                for column, value in values.dropna().items()
            ]
    rows += [
        ("section 4", f"recall of C5.0 at cost {cost}", recall, math.nan, math.nan, _NO_C50)
        for cost, recall in {100: 0.0, 400: 1.0}.items()
    ]
    columns = ["where", "item", "published", "ours", "sd", "not_compared"]
    return pd.DataFrame(rows, columns=columns)


def numbers_table(results: Mapping[str, Results]) -> Table:
    """The numbers that can be compared, and how many cannot, with the reasons."""
    numbers = with_agreement(published_numbers(results))
    compared = numbers[numbers["agrees"].notna()].set_index("item")
    frame = compared[["published", "ours"]].assign(
        **{"within 5 %": compared["agrees"].map({1.0: "yes", 0.0: "no"})}
    )
    left_out = numbers.loc[numbers["agrees"].isna(), "not_compared"].value_counts()
    reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.items())
    caption = (
        "Published numbers that follow from the paper's own tables, computed again: about its "
        f"arithmetic, not about RLSD. Not compared are {left_out.sum()}: {reasons}."
    )
    return show(frame, caption=caption, digits=4)
