"""Small studies on made-up data: computed once, stored as text, computed again where they lack.

Unlike an experiment a study has no data sets, folds or methods: it is a function of the name of a
case. Its numbers follow from fixed seeds.
"""

import json
from collections.abc import Callable, Mapping

import pandas as pd

from minority_reports import paths
from minority_reports.files import read_entries, replace_file


def stored_study(name: str, cases: Mapping[str, Callable[[], dict]]) -> pd.DataFrame:
    """The rows of a study, one for each case, from ``studies/<name>.json`` among the results.

    Parameters
    ----------
    name : str
        Of the study; change it when its results change.
    cases : mapping of str to callable
        Computes the row of each case, a dict of numbers and words.

    Returns
    -------
    rows : DataFrame
        In the order of the cases. Those that were not there have been computed and are stored.
    """
    path = paths.results() / "studies" / f"{name}.json"
    known = read_entries(path)
    missing = [case for case in cases if case not in known]
    if missing:
        known |= {case: cases[case]() for case in missing}
        lines = (f"{json.dumps(case)}: {json.dumps(row)}" for case, row in known.items())
        replace_file(path, "{\n" + ",\n".join(lines) + "\n}\n")
    return pd.DataFrame([known[case] for case in cases])
