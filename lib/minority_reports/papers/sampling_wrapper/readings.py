"""Other settings that the paper does not exclude, for the table of sensitivity."""

from dataclasses import replace

import pandas as pd


def _any_gain(results):
    return {**results, "main": results["any-gain"]}


def _with_sets_of(name: str):
    """A reading: the data sets of another experiment in the place of the same ones."""

    def reading(results):
        main, other = results["main"], results[name]
        kept = main.rows[~main.rows["dataset"].isin(other.experiment.datasets)]
        rows = pd.concat([kept, other.rows[main.rows.columns]], ignore_index=True)
        return {**results, "main": replace(main, rows=rows, _kept={})}

    return reading


#: The published amounts of SMOTE cannot come from the printed rule of 5 %. Then two things about
#: the data that the paper does not mention.
READINGS = {
    "any gain enough for more SMOTE": _any_gain,
    "Mammography's rows once": _with_sets_of("distinct"),
    "Oil without its patch number": _with_sets_of("oil"),
}
