"""A paper's claims judged, why some are not reproduced, and the sensitivity of the verdicts."""

from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Paper, Results, Settings, run
from minority_reports.report.claims import (
    BY_CONSTRUCTION,
    GRADES,
    NOT_TESTABLE,
    ON_PUBLIC,
    PART,
    claims_table,
    is_whole,
    judge,
    published_papers,
)
from minority_reports.report.investigations import investigate
from minority_reports.report.multiverse import SEEDS
from minority_reports.report.readings import one_at_a_time
from minority_reports.report.readings_study import stored_readings
from minority_reports.report.specification import contests
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
        Every claim with its verdict, see :func:`judge`; none of a selection. The evidence of one
        that is not reproduced says under which reading it is.
    contests : dict of str to Contest
        What became of claims over the paper's readings and seeds, from the stored study.
    """

    def __init__(self, paper: Paper, results: Mapping[str, Results]):
        # methods of a user's own are in tables and ranks, and in nothing that is said of a paper
        self.paper = paper
        self.results = {name: part.of_protocol() for name, part in results.items()}
        self.claims = judge(paper.name, paper.rules, self.results)
        self._study = stored_readings(paper)
        found = {} if self.claims.empty else contests(paper, self._study)
        self.contests = {claim: found[claim] for claim in self.claims.index if claim in found}
        if not self._study.note:
            more = {
                c: one.where_else(self.claims["verdict"][c]) for c, one in self.contests.items()
            }
            for claim, text in more.items():
                self.claims.loc[claim, "evidence"] += text

    def table(self) -> Table:
        """All claims, by verdict; those whose grade another seed or reading changes are marked."""
        table = claims_table(self.paper.name, self.with_firmness())
        table.caption = f"{table.caption} {self._study.note}".rstrip()
        return table

    def in_brief(self) -> Table:
        """A line for each empirical claim that was judged: its verdict and effect."""
        claims = self.with_firmness()
        if claims.empty:
            return show(claims, caption=f"Verdicts. {PART}")
        judged = ~claims["verdict"].isin([NOT_TESTABLE, BY_CONSTRUCTION]) | (
            claims[ON_PUBLIC] != ""
        )
        order = claims["verdict"].map(GRADES.index)[judged].sort_values(kind="stable").index
        beside = [ON_PUBLIC] if (claims[ON_PUBLIC] != "").any() else []
        rest = claims["verdict"][~judged].value_counts()
        more = " and ".join(f"{count} {grade}" for grade, count in rest.items())
        return show(
            claims.loc[order, ["claim", "verdict", *beside, "firm", "effect"]],
            caption=f"Verdicts on {len(order)} empirical claims, with effects and their 95 % "
            f"intervals; {more} are in the table below.",
            folded=False,
        )

    def with_firmness(self) -> pd.DataFrame:
        """The claims with a column that says whether another seed or reading changes the grade.

        It is empty where no other seed or reading decides.
        """
        if self.claims.empty:
            return self.claims
        words = {True: "fragile", False: "firm", None: ""}
        decided = self.claims.index[self.claims["verdict"] != NOT_TESTABLE]
        firm = {
            claim: words[one.is_fragile] for claim, one in self.contests.items() if claim in decided
        }
        place = self.claims.columns.get_loc("verdict") + 1
        claims = self.claims.copy()
        claims.insert(
            place, "firm", pd.Series(firm, dtype=object).reindex(claims.index, fill_value="")
        )
        return claims

    def investigated(self) -> Table:
        """The claims that were not reproduced, each with a possible cause."""
        return investigate(self.paper, self.claims, self.results, self.contests)

    def sensitivity(self) -> Table:
        """The verdicts with other seeds, and with each level of what the paper leaves open alone.

        They are of the stored study. Bold is a verdict other than that of the first seed, or for a
        level other than the text's on the same data sets. The whole protocol has to be selected: a
        part of it says nothing about their sensitivity.
        """
        caption = "Verdicts with other seeds and readings"
        if not is_whole(self.results):
            return show(pd.DataFrame(), caption=f"{caption}. {PART}")
        grades, changed = {}, {}
        for claim, one in sorted(self.contests.items()):
            alone = [label for label in one.readings.index if label and "," not in label]
            of_levels = {one.words(label): one.readings.loc[label, "grade"] for label in alone}
            of_seeds = {f"seed {seed}": grade for seed, grade in one.seeds["grade"].items()}
            grades[claim] = {"as printed": one.verdict} | of_seeds | of_levels
            changed[claim] = {name: grade != one.printed for name, grade in of_levels.items()}
            changed[claim] |= {name: of_seeds[name] != of_seeds["seed 0"] for name in of_seeds}
        readings = self.paper.readings
        alone = () if readings is None else map(readings.words, one_at_a_time(readings.choices))
        columns = ["as printed", *(f"seed {seed}" for seed in SEEDS), *alone]
        frame = pd.DataFrame.from_dict(grades, orient="index", columns=columns)
        frame = frame.dropna(axis="columns", how="all")
        bold = pd.DataFrame.from_dict(changed, orient="index").reindex_like(frame).eq(True)
        frame.insert(0, "claim", self.claims["claim"].reindex(frame.index))
        said = [
            f"{name} changes {int(bold[name].sum())} of {int(frame[name].notna().sum())}"
            for name in frame.columns[2:]
            if name != f"seed {SEEDS[0]}"
        ]
        caption = f"{caption}: {'; '.join(said)}. {self._study.note}" if said else caption
        return show(frame, caption=caption.rstrip(), bold=bold)


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
