"""The paper's numbers beside ours, one by one."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.sampling_wrapper.protocol import LEVEL_TABLES, NAMES
from minority_reports.papers.sampling_wrapper.tables import A1_SCHEMES, CUTS, LINES
from minority_reports.report.claims import published

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
