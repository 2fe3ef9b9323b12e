"""Where the paper's numbers do not agree with each other or with its rules, computed from them."""

import pandas as pd

from minority.papers.sampling_wrapper._numbers import published_table
from minority.report import Table, published, show

_MARGIN = 1.05
_LINES = {"f-meas": "f_measure", "AUROC": "AUROC"}


def _base_is_not_cheapest():
    found = []
    for label, learner in (("Table 2", "C4.5"), ("Table 3", "RIPPER")):
        cost = published_table(label)["cost_1to1"]
        names = dict.fromkeys(name.partition(" / ")[0] for name in cost.index)
        found += [
            f"{name} ({learner})"
            for name in names
            if cost[f"{name} / Base"] > min(cost[f"{name} / {line}"] for line in _LINES)
        ]
    return found


def impossible_levels() -> list[str]:
    """Lines of Tables 2 and 3 with SMOTE though 1.05 times the base's own value is above 1."""
    found = []
    for label, learner in (("Table 2", "C4.5"), ("Table 3", "RIPPER")):
        table = published_table(label)
        for row, line in table.iterrows():
            name, _, wrapper = row.partition(" / ")
            if wrapper not in _LINES or not line["SMOTE_percent"] > 0:
                continue
            if _MARGIN * table.loc[f"{name} / Base", _LINES[wrapper]] > 1:
                found.append(f"{name} {wrapper} ({learner}: {line['SMOTE_percent']:.0f} %)")
    return found


def _cuts_that_should_coincide():
    costs = published_table("Table A1")["1:1"]
    first = costs[costs.index.str.endswith(" thresholded")]
    second = costs[first.index.str.replace(" thresholded", " unthresholded")]
    return int((first.to_numpy() != second.to_numpy()).sum()), len(first)


def _tables_that_should_agree():
    costs, a1 = published_table("Table 2")["cost_1to1"], published_table("Table A1")["1:1"]
    names = {"f-meas": "f-measure", "AUROC": "AUROC"}
    differ = {
        row.partition(" / ")[0]
        for row, cost in costs.items()
        for dataset, _, line in [row.partition(" / ")]
        if line in names and abs(10 * cost - a1[f"{dataset} / {names[line]} thresholded"]) > 5
    }
    return sorted(differ)


def findings() -> Table:
    """The inconsistencies, each with what shows it."""
    counts = {item["what"]: item["value"] for item in published("sampling_wrapper")["numbers"]}[
        "data-set counts"
    ]["Phoneme"]
    balance = published_table("Table 1").loc["Phoneme", "class_balance"]
    impossible, (differ, pairs) = impossible_levels(), _cuts_that_should_coincide()
    seconds = published_table("Table 4")["DIST_Ripper"].astype(float)
    cheaper, other = _base_is_not_cheapest(), _tables_that_should_agree()
    lines = {
        "Amounts of SMOTE": (
            "a level is accepted if it reaches 1.05 times the last accepted value",
            f"from the base's value that is above 1, so out of reach, in {len(impossible)} lines "
            f"that have SMOTE all the same: {', '.join(impossible)}",
        ),
        "Costs of Tables 2 and 3": (
            "total number of errors, averaged over 50 folds",
            "a tenth of Table A1's totals, which are of five passes: half of one pass",
        ),
        "Tables 2 and A1": (
            "the same models at 1:1",
            f"ten times the first is not the second for {' and '.join(other)}",
        ),
        "Base has the lowest cost at 1:1": (
            "as expected",
            f"not by its own tables for {', '.join(cheaper)}",
        ),
        "Table A1 at 1:1": (
            "p* is 0.5 there, so cut and uncut costs are the same",
            f"they differ in {differ} of {pairs} lines",
        ),
        "Table 1, Phoneme": (
            f"class balance {balance}",
            f"{counts[0]:,} and {counts[1]:,} rows are "
            f"{100 * counts[0] / sum(counts):.0f}:{100 * counts[1] / sum(counts):.0f}",
        ),
        "Table 4, RIPPER distributed": (
            f"average {seconds['Average']:.0f}",
            f"the mean of its column is {seconds.drop('Average').mean():.2f}",
        ),
        "Segment": ("six classes of equal size", "330 of 2,310 rows are one of seven"),
        "Figure 3": (
            "until at least one class has stopped",
            "Table 6 has u2r 200 and r2l 300: one class went on after the other had stopped",
        ),
        "Figure 2": ("a refused step is subtracted once more", "it must be added back"),
    }
    frame = pd.DataFrame.from_dict(lines, orient="index", columns=["the paper says", "but"])
    return show(frame, caption="Where the paper disagrees with itself, from its own numbers.")
