"""A paper's claims judged, and how far the verdicts carry: why some fail, and how firm they are."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.report.claims import NOT_TESTABLE, PART, Rule, claims_table, is_whole, judge
from minority_reports.report.investigations import investigate
from minority_reports.report.sensitivity import narrowed, over_seeds
from minority_reports.report.tables import Table, show


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
        self.seen: dict[str, set] = {}
        self.claims = judge(paper.name, self._watched(paper.rules), self.results)

    def _watched(self, rules: Mapping[str, Rule]) -> dict[str, Rule]:
        """The same rules; what they look at is noted."""

        def watched(claim, rule):
            def judged(results):
                watch = _Watched(results)
                verdict = rule(watch)
                self.seen[claim] = watch.seen
                return verdict

            return judged

        return {claim: watched(claim, rule) for claim, rule in rules.items()}

    def table(self) -> Table:
        """All claims, by verdict."""
        return claims_table(self.paper.name, self.claims)

    def investigated(self) -> Table:
        """The claims that were not reproduced, each with the likeliest cause."""
        return investigate(self.paper, self.claims, self.results)

    def sensitivity(self, rules: Mapping[str, Rule] | None = None) -> Table:
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
        main = self.paper.main
        if not is_whole(self.results):
            return show(pd.DataFrame(), caption=f"Verdicts on the main table. {PART}")
        results = {name: part.complete() for name, part in self.results.items()}
        if rules is None:
            rules = self.paper.rules
            first = self.claims["verdict"].to_dict()
            counts = {c for c, status in first.items() if status != NOT_TESTABLE}
            rules = {c: rule for c, rule in rules.items() if main in self.seen[c] and c in counts}
        else:
            first = self._statuses(rules, results)
        seeds = over_seeds(self.paper)
        parts = {f"seed {seed}": {**results, main: part} for seed, part in seeds.items()}
        with_seed = [label for label, part in parts.items() if len(part[main].rows)]
        parts |= {label: reading(results) for label, reading in self.paper.readings.items()}
        statuses = {
            label: self._statuses(rules, part)
            for label, part in parts.items()
            if len(part[main].rows)
        }
        frame = pd.DataFrame({"all rows": first} | statuses, index=sorted(rules))
        against = {name: frame[with_seed[0] if name in with_seed else "all rows"] for name in frame}
        sets = {label: len(parts[label][main].experiment.datasets) for label in statuses}
        of_all = len(self.paper.experiments[main].datasets)
        for label in self.paper.readings:
            if sets.get(label, of_all) < of_all:
                # fewer data sets alone can change a verdict: that is not the reading's doing
                same = narrowed(results[main], parts[label][main].experiment.datasets)
                judged = self._statuses(rules, {**results, main: same})
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
            if label in statuses:
                caption += f"; with {label} {int(bold[label].sum())} (on {sets[label]})"
        frame.insert(0, "claim", self.claims["claim"].reindex(frame.index))
        return show(frame, caption=f"{caption}.", bold=bold)

    def _statuses(self, rules, results) -> dict[str, str]:
        """The verdicts by some rules."""
        return {claim: rule(results).status for claim, rule in rules.items()}
