"""The paper's numbers beside ours, one by one."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.papers.sampling_wrapper.protocol import LEVEL_TABLES, NAMES, published_levels
from minority_reports.papers.sampling_wrapper.readings_protocol import (
    AHEAD,
    GAIN,
    MARGIN_OF,
    RESET,
    SEARCHES,
    level_of,
)
from minority_reports.papers.sampling_wrapper.schemes import COST_FREE
from minority_reports.papers.sampling_wrapper.tables import A1_SCHEMES, CUTS, LINES, levels
from minority_reports.report import Table, show, stored_readings
from minority_reports.report.claims import published
from minority_reports.report.multiverse import RowsByLevel
from minority_reports.report.specification import headline_contests
from minority_reports.report.tables import GAP

#: Folds over which the paper has its means and standard deviations.
_FOLDS = 50
#: Why the numbers of a table are not compared.
_NOT_COMPARED = {
    "Table 1": "describes the data, no result",
    "Table 4": "seconds of machines of 2008",
    "Table 5": "the costs of the competition, no result",
    "Table 6": "of all rows of KDD Cup 1999; only the 10 % file is available here",
}
#: Ours by the paper's names: data sets, the lines of Tables 2 and 3, and those of Table A1.
_DATASETS = {label: name for name, label in NAMES.items()}
_LEARNERS = {label: learner for learner, label in LEVEL_TABLES.items()}
_LINES = {line: scheme for scheme, line in LINES.items()}
_SCHEMES = {name: scheme for scheme, name in A1_SCHEMES.items()}
#: The measures of a fold's row behind the columns of Tables 2 and 3. A cost there is that of all
#: 50 folds divided by ten, which is the mean of a fold five times.
_COLUMNS = {
    "SMOTE_percent": lambda rows: rows["smote_1"],
    "undersample_percent": lambda rows: 100 - rows["kept_1"],
    "cost_1to1": lambda rows: _FOLDS / 10 * (rows["fn"] + rows["fp"]),
    "f_measure": lambda rows: rows["f1"],
    "AUROC": lambda rows: rows["auroc"],
}


def published_numbers(results: Mapping[str, Results]) -> pd.DataFrame:
    """Every number of the paper's tables whose place is certain, beside ours.

    Ours are of the first run of ten folds, which all readings have. The printed standard deviations
    of Tables 2 and 3 are over folds, and so are ours: the standard error of a difference has both,
    where both are known. The numbers of the text are those of tables.

    Returns
    -------
    numbers : DataFrame
        Columns `where`, `item`, `published`, `ours`, `sd` and `not_compared`.
    """
    main = results["main"].of_protocol()
    first = main.rows[main.rows["repeat"] == 0]
    rows = dict(list(first.groupby(["method", "dataset", "setting"], observed=True)))
    lines = []
    for table in published("sampling_wrapper")["tables"]:
        where = table["label"]
        for cell in table["cells"]:
            if cell["sure"] is not True:
                continue
            values, why = _values_of(where, cell, rows)
            spread = cell.get("std", np.nan) ** 2 / _FOLDS
            variances = [values.var() / max(1, len(values)), spread]
            known = [one for one in variances if one == one]
            lines.append(
                {
                    "where": where,
                    "item": f"{cell['row']}: {cell['col']}",
                    "published": pd.to_numeric(cell["value"], errors="coerce"),
                    "ours": values.mean(),
                    "sd": np.sqrt(sum(known)) if known and not why else np.nan,
                    "not_compared": why,
                }
            )
    return pd.DataFrame(lines)


def _values_of(where: str, cell: Mapping, rows: Mapping) -> tuple[pd.Series, str]:
    """Our numbers behind a published one, one for each fold, or why there are none."""
    name, _, line = cell["row"].partition(" / ")
    nothing = pd.Series(dtype=float)
    if where in _NOT_COMPARED:
        return nothing, _NOT_COMPARED[where]
    if name not in _DATASETS:
        return nothing, "Compustat is proprietary"
    if where == "Table A1":
        scheme, _, cut = line.partition(" ")
        found = rows.get(("c45", _DATASETS[name], _SCHEMES[scheme]))
        ratio = int(cell["col"].partition(":")[0])
        end = f"_{ratio}" if CUTS[cut] else ""
        if found is None:
            return nothing, "no rows"
        return _FOLDS * (found[f"fp{end}"] + ratio * found[f"fn{end}"]), ""
    found = rows.get((_LEARNERS[where], _DATASETS[name], _LINES[line]))
    return (nothing, "no rows") if found is None else (_COLUMNS[cell["col"]](found), "")


# The amounts of SMOTE under each reading of the search, against those of Tables 2 and 3.

#: The least mean of ten searches that is above 0, in per cent; logarithms need something.
_LEAST = 10.0
#: What the main experiment's own amounts are called.
_IN_50 = "as printed, 50 searches"
#: How far an amount may be from the published one to be called near.
_NEAR = 1.5


def smote_by_reading(paper: Paper, results: Mapping[str, Results]) -> pd.DataFrame:
    """Mean SMOTE of the searches by F and by AUROC: (learner, data set, search) x readings.

    Beside them is the `published` one. By the text as printed there is the mean over 50 searches
    too; all else is over ten. What is not complete is missing. Where a search goes back to follows
    from where it failed; with the printed look-ahead that is in the older rows by margin.
    """
    rows, readings = RowsByLevel(paper, results), paper.readings
    found = {"published": _published_smote()}
    found[_IN_50] = levels(results["main"].of_protocol().complete())["smote"]
    by_margin = _smote_by_margin(results["margin"])
    for reading in SEARCHES:
        gain, ahead, reset = (level_of(choice, reading) for choice in (GAIN, AHEAD, RESET))
        if ahead == level_of(AHEAD, {}):
            accepted = by_margin[gain]
        else:
            without = {name: level for name, level in reading.items() if name != RESET.name}
            accepted = levels(rows.under(without)["main"].complete())["smote"]
        steps = {"last": 0, "short": 1, "never": 1 + int(ahead)}[reset]
        found[readings.words(reading)] = accepted + 100 * steps
    return pd.DataFrame(found).reindex(found["published"].index)


def _smote_by_margin(results: Results) -> pd.DataFrame:
    """Mean SMOTE of the searches at several margins: (learner, data set, search) x gains."""
    settings = {
        f"{criterion},{100 * margin:g}%": (scheme, gain)
        for scheme, criterion in COST_FREE.items()
        for gain, margin in MARGIN_OF.items()
    }
    rows = results.of_protocol().complete().rows
    schemes, gains = zip(*rows["setting"].map(settings), strict=True) if len(rows) else ((), ())
    rows = rows.assign(setting=list(schemes), gain=list(gains))
    index = ["method", "dataset", "setting"]
    amounts = rows.pivot_table(index=index, columns="gain", values="smote", observed=True)
    return amounts.reindex(columns=list(MARGIN_OF))


def _published_smote() -> pd.Series:
    return pd.Series(
        {
            (learner, dataset, scheme): published_levels(learner, dataset, scheme)[1]
            for learner in LEVEL_TABLES
            for dataset in NAMES
            for scheme in COST_FREE
        }
    ).rename_axis(["method", "dataset", "setting"])


def smote_fit(amounts: pd.DataFrame) -> pd.DataFrame:
    """How near each column of `smote_by_reading` is to the published amounts, the nearest first.

    `factor` is by how much ours and the published amount typically differ, the geometric mean of
    the larger over the smaller one; a mean of 0 counts as 10 %.
    """
    published, ours = amounts["published"], amounts.drop(columns="published")
    logs = np.log(ours.clip(lower=_LEAST)).sub(np.log(published), axis=0).abs()
    fit = pd.DataFrame(
        {
            "amounts": ours.notna().sum(),
            "mean": ours.mean(),
            "smallest": ours.min(),
            "near": (logs <= np.log(_NEAR)).sum(),
            "factor": np.exp(logs.mean()),
        }
    )
    return fit[fit["amounts"] > 0].sort_values(["factor", "near"], kind="stable")


def smote_fit_table(paper: Paper, results: Mapping[str, Results], most: int = 10) -> Table:
    """The readings of the search by how near their amounts are to the published ones.

    They are ordered on the amounts that all of them have, and shown on all where they have these.
    The text's own are always among them, with how many headline claims hold, from the study.
    """
    amounts = smote_by_reading(paper, results)
    there = amounts.loc[:, amounts.notna().any()]
    common = there.dropna()
    fit, of_all = smote_fit(common), smote_fit(there)
    study, readings = stored_readings(paper), paper.readings
    held = {claim: one.holds for claim, one in headline_contests(paper, study).items()}
    labels = {readings.words(reading): readings.label(reading) for reading in SEARCHES}
    lines = {}
    for place, name in enumerate(fit.index):
        if place >= most and name not in (_IN_50, readings.words({})):
            continue
        whole = of_all.loc[name] if of_all.loc[name, "amounts"] == len(amounts) else None
        n_held = [one[labels[name]] for one in held.values() if labels.get(name) in one.index]
        lines[name] = {
            "place": place + 1,
            "typical factor": fit.loc[name, "factor"],
            f"within a factor of {_NEAR}": f"{fit.loc[name, 'near']} of {len(common)}",
            "the same of all": GAP if whole is None else f"{whole['near']:.0f} of {len(amounts)}",
            "mean of all, %": GAP if whole is None else round(whole["mean"]),
            "smallest of all, %": GAP if whole is None else round(whole["smallest"]),
            "headline claims that hold": f"{sum(n_held)} of {len(n_held)}" if n_held else GAP,
        }
    caption = (
        f"SMOTE found under {len(fit)} readings of the search (ten searches unless 50 are said), "
        f"by the distance from the published amounts, of which all readings have {len(common)} of "
        f"{len(amounts)} (mean of all {amounts['published'].mean():.0f} %, smallest "
        f"{amounts['published'].min():.0f} %)."
    )
    return show(pd.DataFrame.from_dict(lines, orient="index"), caption=caption, digits=2)
