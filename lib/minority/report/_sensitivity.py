"""How firm the verdicts on a main table are: other seeds, and what the paper leaves unsaid."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from minority.experiments import Paper, Results, Settings, run
from minority.report._claims import NOT_TESTABLE, OPEN, Rule
from minority.report._tables import Table, show

Reading = Callable[[Mapping[str, Results]], Mapping[str, Results]]

#: The seeds of the splits and of all methods; tables are of the first one.
SEEDS = (0, 1, 2)


class _Watched(Mapping):
    """Results that remember which of them were asked for."""

    def __init__(self, results: Mapping[str, Results]):
        self.results, self.seen = results, set()

    def __getitem__(self, name):
        self.seen.add(name)
        return self.results[name]

    def __iter__(self):
        return iter(self.results)

    def __len__(self):
        return len(self.results)


def instead(main: str, methods: Mapping[str, str], source: str = "") -> Reading:
    """A reading: other methods, of the main experiment or of `source`, in the place of some.

    Data sets on which one of the others is not complete are left out.
    """

    def reading(results):
        plan, rows = results[main].experiment, results[main].rows
        other = results[source or main].rows
        sets, parts = set(plan.datasets), [rows[~rows["method"].isin(list(methods))]]
        for method, name in methods.items():
            part = other[other["method"] == name]
            counts = part.groupby("dataset").size()
            sets &= set(counts.index[counts == len(plan.settings) * plan.repeats * plan.folds])
            parts.append(part.assign(method=method)[rows.columns])
        joined = replace(results[main], rows=pd.concat(parts, ignore_index=True))
        return {**results, main: narrowed(joined, [n for n in plan.datasets if n in sets])}

    return reading


def narrowed(results: Results, datasets, methods=None) -> Results:
    """The results of some data sets and methods, as if the protocol had no others."""
    plan = results.experiment
    methods = {n: m for n, m in plan.methods.items() if methods is None or n in methods}
    plan = replace(plan, datasets=tuple(datasets), methods=methods)
    rows = results.rows
    rows = rows[rows["dataset"].isin(plan.datasets) & rows["method"].isin(list(methods))]
    return replace(
        results, experiment=plan, rows=rows.reset_index(drop=True), planned=plan.n_keys, _kept={}
    )


def over_seeds(paper: Paper) -> dict[int, Results]:
    """The main results by seed, on the data sets and methods that every seed has complete.

    A method that is not complete with every seed on any set is left out, and then every set that
    lacks one of the others.
    """
    plan = paper.experiments[paper.main]
    found = {s: run(plan, Settings(paper, seed=s, compute="none")) for s in SEEDS}
    rows = pd.concat([r.rows for r in found.values()], ignore_index=True)
    counts = rows.pivot_table(index="dataset", columns="method", values="seed", aggfunc="count")
    whole = counts == len(SEEDS) * len(plan.settings) * plan.repeats * plan.folds
    whole = whole.loc[:, whole.any()]
    sets = [name for name in plan.datasets if name in whole.index and whole.loc[name].all()]
    return {seed: narrowed(result, sets, whole.columns) for seed, result in found.items()}


def _judged(rules: Mapping[str, Rule], results: Mapping, main: str) -> dict[str, str]:
    """The verdicts of the rules that look at the main table; none without rows."""
    verdicts = {}
    for claim, rule in rules.items() if len(results[main].rows) else ():
        watched = _Watched(results)
        verdict = rule(watched)
        if main in watched.seen and verdict.status != NOT_TESTABLE:
            verdicts[claim] = verdict.status
    return verdicts


def sensitivity(
    paper: Paper, results: Mapping[str, Results], rules: Mapping[str, Rule] | None = None
) -> Table:
    """The verdicts on the main table with other seeds and other readings of the paper.

    Seeds are compared on the data sets that all of them have; a reading is judged on the rows of
    the first seed, on the data sets that it has. Verdicts other than the one that they are
    compared with are bold: for a seed that is the first one, for a reading the one on all rows.
    The rules are the paper's if no others are given.
    """
    seeds = over_seeds(paper)
    parts = {f"seed {s}": {**results, paper.main: result} for s, result in seeds.items()}
    parts |= {label: reading(results) for label, reading in paper.readings.items()}
    verdicts = {"all rows": _judged(rules or paper.rules, results, paper.main)}
    rules = {c: rule for c, rule in (rules or paper.rules).items() if c in verdicts["all rows"]}
    verdicts |= {label: _judged(rules, part, paper.main) for label, part in parts.items()}
    frame = pd.DataFrame(verdicts, index=sorted(rules)).fillna(OPEN)
    with_seed = [f"seed {s}" for s in seeds]
    bold = pd.DataFrame(
        {
            label: frame[label] != frame[with_seed[0] if label in with_seed else "all rows"]
            for label in frame
        }
    )
    of_all = len(paper.experiments[paper.main].datasets)
    caption = (
        f"Verdicts on the main table. With another seed {int(bold[with_seed].any(axis=1).sum())} "
        f"of {len(frame)} change (seeds are compared on the "
        f"{len(seeds[SEEDS[0]].experiment.datasets)} of {of_all} data sets that all have)"
    )
    for label in paper.readings:
        caption += f"; with {label} {int(bold[label].sum())}"
    return show(frame, caption=f"{caption}.", bold=bold)
