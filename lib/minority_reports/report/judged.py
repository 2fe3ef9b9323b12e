"""A paper's claims judged, and how far the verdicts carry: why some fail, and how firm they are."""

from collections.abc import Mapping
from functools import cached_property

import pandas as pd

from minority_reports.experiments import Paper, Results, Settings, run
from minority_reports.report.claims import (
    BY_CONSTRUCTION,
    NOT_TESTABLE,
    PART,
    AnyRule,
    claims_table,
    is_whole,
    judge,
    published_papers,
)
from minority_reports.report.investigations import investigate
from minority_reports.report.sensitivity import SEEDS, over_seeds
from minority_reports.report.tables import Table, show


class Verdicts:
    """The claims of a paper judged on its results, once for all tables about them.

    Parameters
    ----------
    paper : Paper
    results : mapping of str to Results
        By the short names of the paper's experiments.

    Attributes
    ----------
    claims : DataFrame
        Every claim with its verdict, see :func:`judge`; none of a selection.
    """

    def __init__(self, paper: Paper, results: Mapping[str, Results]):
        # methods of a user's own are in tables and ranks, and in nothing that is said of a paper
        self.paper = paper
        self.results = {name: part.of_protocol() for name, part in results.items()}
        self.claims = judge(paper.name, paper.rules, self.results)

    def table(self) -> Table:
        """All claims, by verdict; those whose grade another seed or reading changes are marked."""
        return claims_table(self.paper.name, self.with_firmness())

    def with_firmness(self) -> pd.DataFrame:
        """The claims with a column that says whether another seed or reading changes the grade.

        It is empty where no other seed or reading decides.
        """
        if self.claims.empty:
            return self.claims
        table = self._sensitivity
        # the first seed is what the others are compared with; not testable says nothing
        others = table.frame.columns.drop(
            ["claim", "all rows", f"seed {SEEDS[0]}"], errors="ignore"
        )
        seen = (table.frame[others] != NOT_TESTABLE).any(axis=1)
        changed = table.bold.any(axis=1)
        firm = pd.Series("", index=self.claims.index)
        firm[seen.index[seen]] = "firm"
        firm[changed.index[changed]] = "fragile"
        place = self.claims.columns.get_loc("verdict") + 1
        claims = self.claims.copy()
        claims.insert(place, "firm", firm)
        return claims

    def investigated(self) -> Table:
        """The claims that were not reproduced, each with the likeliest cause."""
        return investigate(self.paper, self.claims, self.results)

    def sensitivity(self, rules: Mapping[str, AnyRule] | None = None) -> Table:
        """The verdicts on the main table with other seeds and other readings of the paper.

        Seeds are compared on the data sets that all of them have; a reading is judged on the rows
        of the first seed, on the data sets that it has. Bold is a verdict other than that of the
        first seed, or for a reading other than the paper's on the same data sets. The whole
        protocol has to be selected: a part of it says nothing about how firm its verdicts are.

        Parameters
        ----------
        rules : mapping of str to rule, optional
            Judge by these instead of the paper's.
        """
        return self._sensitivity if rules is None else self._compare(rules)

    @cached_property
    def _sensitivity(self) -> Table:
        """Of the paper's own rules that look at the main table and decide something."""
        says_nothing = self.claims["verdict"].isin([NOT_TESTABLE, BY_CONSTRUCTION])
        judged = set(self.claims.index[~says_nothing])
        main = self.paper.main
        rules = self.paper.rules.items()
        rules = {c: rule for c, rule in rules if c in judged and main in rule.experiments}
        return self._compare(rules, self.claims["verdict"].reindex(list(rules)).to_dict())

    def _compare(
        self, rules: Mapping[str, AnyRule], first: Mapping[str, str] | None = None
    ) -> Table:
        main = self.paper.main
        if not is_whole(self.results):
            return show(pd.DataFrame(), caption=f"Verdicts on the main table. {PART}")
        results = self.results
        first = _grades(rules, results) if first is None else first
        seeds = over_seeds(self.paper)
        parts = {f"seed {seed}": {**results, main: part} for seed, part in seeds.items()}
        with_seed = [label for label, part in parts.items() if len(part[main].rows)]
        parts |= {label: reading(results) for label, reading in self.paper.readings.items()}
        grades = {
            label: _grades(rules, part) for label, part in parts.items() if len(part[main].rows)
        }
        frame = pd.DataFrame({"all rows": first} | grades, index=sorted(rules))
        against = {name: frame[with_seed[0] if name in with_seed else "all rows"] for name in frame}
        sets = {label: len(parts[label][main].experiment.datasets) for label in grades}
        of_all = len(self.paper.experiments[main].datasets)
        for label in self.paper.readings:
            if sets.get(label, of_all) < of_all:
                # fewer data sets alone can change a verdict: that is not the reading's doing
                same = results[main].on_datasets(parts[label][main].experiment.datasets)
                judged = _grades(rules, {**results, main: same})
                against[label] = pd.Series(judged).reindex(frame.index)
        bold = pd.DataFrame({name: frame[name] != against[name] for name in frame})
        caption = "Verdicts on the main table"
        if with_seed:
            caption += (
                f". With another seed {int(bold[with_seed].any(axis=1).sum())} of {len(frame)} "
                f"change (on the {sets[with_seed[0]]} of "
                f"{of_all} data sets that all seeds have)"
            )
        for label in self.paper.readings:
            if label in grades:
                caption += f"; with {label} {int(bold[label].sum())} (on {sets[label]})"
        frame.insert(0, "claim", self.claims["claim"].reindex(frame.index))
        return show(frame, caption=f"{caption}.", bold=bold)


def _grades(rules: Mapping[str, AnyRule], results: Mapping[str, Results]) -> dict[str, str]:
    return {claim: rule(results).grade for claim, rule in rules.items()}


def stored_results(known: Mapping[str, Paper]) -> dict[str, dict[str, Results]]:
    """The stored rows of whole protocols: results of every paper by experiment."""
    return {
        name: {
            key: run(experiment, Settings(paper, compute="none"))
            for key, experiment in paper.experiments.items()
        }
        for name, paper in known.items()
    }


def judge_all(
    known: Mapping[str, Paper], results: Mapping[str, Mapping[str, Results]]
) -> dict[str, pd.DataFrame]:
    """The claims of every paper, judged on its results."""
    return {
        # of numbers without a protocol here nothing is testable
        name: Verdicts(known[name], results[name]).claims if name in known else judge(name, {}, {})
        for name in published_papers()
    }
