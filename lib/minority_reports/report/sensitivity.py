"""The main table with other seeds, and with what the paper leaves unsaid read otherwise."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from minority_reports.experiments import Paper, Results, Settings, run

Reading = Callable[[Mapping[str, Results]], Mapping[str, Results]]

#: The seeds of the splits and of all methods; tables are of the first one.
SEEDS = (0, 1, 2)


def instead(main: str, methods: Mapping[str, str], source: str = "") -> Reading:
    """A reading: other methods, of the main experiment or of `source`, in the place of some.

    Data sets on which one of the others is not complete are left out.
    """

    def reading(results):
        plan, rows = results[main].experiment, results[main].rows
        other = results[source or main].complete(methods.values()).rows
        parts = [rows[~rows["method"].isin(list(methods))]]
        for method, name in methods.items():
            parts.append(other[other["method"] == name].assign(method=method)[rows.columns])
        sets = set(other["dataset"])
        joined = replace(results[main], rows=pd.concat(parts, ignore_index=True), _kept={})
        return {**results, main: joined.on_datasets(n for n in plan.datasets if n in sets)}

    return reading


def over_seeds(paper: Paper) -> dict[int, Results]:
    """The main results by seed, on the data sets that every seed has complete.

    Complete is a set with all methods that some set has complete with every seed.
    """
    plan = paper.experiments[paper.main]
    found = {s: run(plan, Settings(paper, seed=s, compute="none")).complete() for s in SEEDS}
    rows = pd.concat([r.rows for r in found.values()], ignore_index=True)
    seeds = rows.drop_duplicates(["dataset", "method", "seed"])
    whole = seeds.pivot_table(index="dataset", columns="method", values="seed", aggfunc="count")
    whole = whole == len(SEEDS)
    whole = whole.loc[whole.any(axis=1), whole.any()]
    sets = [name for name in plan.datasets if name in whole.index and whole.loc[name].all()]
    return {seed: result.on_datasets(sets) for seed, result in found.items()}
