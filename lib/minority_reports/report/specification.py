"""Readings shown: choices as a table, headline claims in a line each, specification curves."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from minority_reports.experiments import Paper
from minority_reports.report.claims import (
    GRADE_COLOURS,
    GRADES,
    MOSTLY_NOT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    ON_PUBLIC,
    PARTLY,
    REPRODUCED,
    published,
)
from minority_reports.report.readings import SEEN, SEEN_NOTE
from minority_reports.report.readings_study import Study, stored_readings
from minority_reports.report.style import canvas, empty_figure, filled, legend_below
from minority_reports.report.tables import Table, show

#: Grades of what was tested and does not hold as claimed.
FAILING = (PARTLY, MOSTLY_NOT, NOT_REPRODUCED)
#: Of several changes that do the same, how many are said.
_MOST_NAMED = 3
#: With fewer readings at a level nothing is said of it in the mean.
_FEWEST = 3


@dataclass(frozen=True)
class Contest:
    """What became of a claim over the readings of its paper, from the stored study.

    Attributes
    ----------
    readings, seeds : DataFrame
        The verdicts by label; of seeds by number, the first of them on the same data sets.
    about : Series
        The claim's own entry in the study.
    """

    paper: Paper
    claim: str
    readings: pd.DataFrame
    seeds: pd.DataFrame
    about: pd.Series

    @property
    def verdict(self) -> str:
        """The verdict; of one that is not testable on the paper's data, beside it that on others.

        What stands beside it is no verdict, see `Readings.rules`.
        """
        if self.claim in self.paper.readings.rules:
            return f"{NOT_TESTABLE}; {ON_PUBLIC}: {self.about['verdict']}"
        return self.about["verdict"]

    @property
    def printed(self) -> str:
        """The grade by the text as printed, on the data sets that all readings have."""
        return self.readings.loc["", "grade"]

    @property
    def holds(self) -> pd.Series:
        """Which readings the claim holds in."""
        return self.readings["grade"] == REPRODUCED

    def levels(self, label: str) -> dict[str, str]:
        """A reading's levels from its label."""
        return self.paper.readings.parsed(f":{label}")[1] if label else {}

    def words(self, label: str) -> str:
        """A reading in words, marked if it was named after results had been seen."""
        return self.paper.readings.words(self.levels(label))

    @property
    def turning(self) -> list[str]:
        """The readings with the fewest changes in which a claim that holds fails, or vice versa."""
        turned = self.readings.index[self.holds != self.holds[""]]
        turned = [label for label in turned if self.readings.loc[label, "grade"] != NOT_TESTABLE]
        changes = {label: len(self.levels(label)) for label in turned}
        return [label for label in turned if changes[label] == min(changes.values())]

    @property
    def turning_seeds(self) -> list[int]:
        """The seeds with which a claim that holds with the first one fails, or vice versa."""
        if self.seeds.empty or NOT_TESTABLE in set(self.seeds["grade"]):
            return []
        holds = self.seeds["grade"] == REPRODUCED
        return [seed for seed in self.seeds.index if holds[seed] != holds[0]]

    @property
    def is_fragile(self) -> bool | None:
        """Whether another seed or reading changes the grade; None if none decides."""
        others = [*self.readings["grade"][1:], *self.seeds["grade"][1:]]
        first = [self.printed] * (len(self.readings) - 1)
        first += [*self.seeds["grade"][:1]] * max(0, len(self.seeds) - 1)
        pairs = [(a, b) for a, b in zip(others, first, strict=True) if a != NOT_TESTABLE]
        return any(a != b for a, b in pairs) if pairs else None

    def where_else(self, verdict: str) -> str:
        """Of a verdict that is none of the best: the least that has to be read otherwise.

        Nothing if there is no such reading, or if only the data sets that it lacks decide.
        """
        fails = verdict in FAILING and self.printed in FAILING
        if not fails or not self.turning:
            return ""
        n, of = self.about["sets"], self.about["of"]
        where = "" if n == of else f" on {n} of {of} data sets"
        changes = self.said(self.turning).replace(SEEN, "(named after results had been seen)")
        holds = f"in {int(self.holds.sum())} of {len(self.readings)} readings{where}"
        return f"; reproduced if {changes}: {holds}"

    def said(self, labels: Iterable[str]) -> str:
        """Some readings in words, the first few of them."""
        labels = list(labels)
        named = "; or ".join(self.words(label) for label in labels[:_MOST_NAMED])
        more = len(labels) - _MOST_NAMED
        return f"{named}; or {more} more" if more > 0 else named


def contests(paper: Paper, study: Study | None = None) -> dict[str, Contest]:
    """All claims that were judged over readings or seeds, by id."""
    study = stored_readings(paper) if study is None else study
    found = {}
    for claim, verdicts in study.verdicts.groupby("claim", sort=False):
        by_label = verdicts.set_index("reading").drop(columns="claim")
        is_seed = by_label.index.str.startswith("seed=")
        readings, seeds = by_label[~is_seed], by_label[is_seed]
        seeds = seeds.set_axis(seeds.index.str.removeprefix("seed=").astype(int))
        if len(seeds) and 0 not in seeds.index:  # on the data sets of the readings
            seeds = pd.concat([readings.loc[[""]].set_axis([0]), seeds])
        found[claim] = Contest(paper, claim, readings, seeds.sort_index(), study.claims.loc[claim])
    return found


def headline_contests(paper: Paper, study: Study | None = None) -> dict[str, Contest]:
    """The headline claims of a paper that were judged."""
    found = contests(paper, study)
    claims = () if paper.readings is None else paper.readings.claims
    return {claim: found[claim] for claim in claims if claim in found}


def _words_of(paper: Paper) -> dict[str, str]:
    return {claim["id"]: claim["claim"] for claim in published(paper.name)["claims"]}


def readings_table(paper: Paper) -> Table:
    """What a paper leaves open: the levels of each choice, what speaks for them, and how many
    readings have them.
    """
    readings, study = paper.readings, stored_readings(paper)
    sets = study.readings["sets"]
    computed = {label for label in sets.index if not label or 0 not in sets[label].values()}
    planned = [{}, *map(readings.checked, readings.combinations)]
    rows = []
    for choice in readings.choices:
        for place, level in enumerate(choice.levels):
            having = [
                readings.label(levels)
                for levels in planned
                if levels.get(choice.name, choice.levels[0].name) == level.name
            ]
            rows.append(
                {
                    "choice": "" if place else f"{choice.name}: {choice.question}",
                    "level": f"{level.name} {SEEN}" if level.seen else level.name,
                    "evidence": level.evidence,
                    "readings": f"{len(computed.intersection(having))} of {len(having)}",
                }
            )
    frame = pd.DataFrame(rows, columns=["choice", "level", "evidence", "readings"])
    possible = int(np.prod([len(choice.levels) for choice in readings.choices]))
    caption = (
        f"What the paper does not specify; the first level is the text's. Of {possible:,} "
        f"combinations {len(planned):,} are planned and {len(computed):,} computed. {SEEN_NOTE} "
        f"{study.note}"
    )
    return show(frame.set_axis(range(1, len(frame) + 1)), caption=caption.rstrip())


#: The columns of the summary, one line per claim.
_SUMMARY = (
    "claim",
    "verdict",
    "as printed, on the same data sets",
    "data sets",
    "holds in",
    "smallest change that reverses it",
    "seeds",
)


def readings_summary(papers: Paper | Iterable[Paper]) -> Table:
    """The headline claims of a paper, or of several, a line each.

    As printed, in how many readings it holds, the smallest change of choices that reverses it, and
    what another seed does.
    """
    known = [papers] if isinstance(papers, Paper) else list(papers)
    rows, notes = {}, []
    for paper in known:
        if paper.readings is None:
            continue
        study = stored_readings(paper)
        notes.append(study.note)
        words = _words_of(paper)
        for claim, contest in headline_contests(paper, study).items():
            rows[claim] = dict(zip(_SUMMARY, _line(contest, words[claim]), strict=True))
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(_SUMMARY))
    caption = (
        "Headline claims over the readings: the verdict by the text as printed, and, on the data "
        "sets that all readings have, in how many of them the claim is reproduced and the smallest "
        f"change that reverses the verdict. {SEEN_NOTE}"
    )
    caption = " ".join([caption, *dict.fromkeys(filter(None, notes))])
    return show(frame, caption=caption)


def _line(contest: Contest, words: str) -> tuple[str, ...]:
    about, n = contest.about, len(contest.readings)
    computed = f" ({n} of {about['planned']} computed)" if n < about["planned"] else ""
    turning = contest.said(contest.turning)
    return (
        words,
        contest.verdict,
        contest.printed,
        f"{about['sets']} of {about['of']}",
        f"{int(contest.holds.sum())} of {n} readings{computed}",
        turning or ("no other reading" if n < 2 else "none"),
        _seeds_in_words(contest),
    )


def _seeds_in_words(contest: Contest) -> str:
    seeds = contest.seeds["grade"]
    others = seeds.iloc[1:]
    if others.empty:
        return "no rows"
    if set(others) == {NOT_TESTABLE}:
        return NOT_TESTABLE
    changed = others[others != seeds.iloc[0]]
    sets = f" ({contest.about['seed_sets']} data sets)"
    if changed.empty:
        return f"the same with {len(others)} more{sets}"
    return "; ".join(f"seed {seed}: {grade}" for seed, grade in changed.items()) + sets


def decisive_choices(paper: Paper) -> Table:
    """For each headline claim the choice between whose levels its mean effect differs most.

    Means and counts are over all readings that have the level, whatever their other choices are.
    Choices with a level that hardly any reading has are left out.
    """
    study, rows = stored_readings(paper), {}
    for claim, contest in headline_contests(paper, study).items():
        data = curve_data(contest)
        data = data[~data["reading"].str.startswith("seed=")]
        names = [choice.name for choice in paper.readings.choices if choice.name in data]
        names = [name for name in names if data[name].value_counts().min() >= _FEWEST]
        means = {name: data.groupby(name, sort=False)["value"].mean() for name in names}
        spread = {name: mean.max() - mean.min() for name, mean in means.items()}
        if not spread:
            continue
        name = max(spread, key=spread.get)
        holds = (data["grade"] == REPRODUCED).groupby(data[name], sort=False)
        levels = [level.name for level in paper.readings.by_name[name].levels]
        rows[claim] = {
            "effect": study.claims.loc[claim, "effect"],
            "choice": name,
            "its levels: mean effect, readings in which the claim holds": "; ".join(
                f"{level}: {means[name][level]:+.3g}, {int(holds.sum()[level])} of "
                f"{int(holds.size()[level])}"
                for level in levels
                if level in means[name]
            ),
        }
    caption = f"The choice that moves each headline claim most, over all readings. {study.note}"
    return show(pd.DataFrame.from_dict(rows, orient="index"), caption=caption.rstrip())


# Specification curves


def curve_data(contest: Contest) -> pd.DataFrame:
    """The readings of a claim by effect, ascending: grade, effect, and the level of each choice.

    Seeds are one of the choices if they were judged on the data sets of the readings. What has no
    effect, because it is not testable, is left out.
    """
    readings = contest.paper.readings
    labels = list(contest.readings.index)
    levels = {label: contest.levels(label) for label in labels}
    used = {name for one in levels.values() for name in one}
    frame = contest.readings.copy()
    frame.insert(0, "seen", [readings.is_seen(levels[label]) for label in labels])
    for choice in readings.choices:
        if choice.name in used:
            text = choice.levels[0].name
            frame[choice.name] = [levels[label].get(choice.name, text) for label in labels]
    if len(contest.seeds) and contest.about["seed_sets"] == contest.about["sets"]:
        frame["seed"] = "0"
        of_text = frame.loc[""].drop(["seed", *contest.seeds.columns])
        for seed, verdict in contest.seeds.iloc[1:].iterrows():
            frame.loc[f"seed={seed}"] = {**verdict, **of_text, "seed": str(seed)}
    frame = frame.rename_axis("reading").reset_index().dropna(subset="value")
    return frame.sort_values(["value", "reading"], kind="stable").reset_index(drop=True)


def specification_curve(paper: Paper, claim: str):
    """Draw the effect of a headline claim over all readings, above the matrix of their choices.

    Effects with 95 % intervals are sorted and have the colour of the grade; a diamond is the text's
    reading, and hollow is what was named after results had been seen.

    Returns
    -------
    figure : Figure
    data : DataFrame
        What is drawn, a row for each reading.
    """
    if paper.readings is None or claim not in paper.readings.claims:
        raise ValueError(f"{claim} is no headline claim of {paper.name}.")
    study = stored_readings(paper)
    contest = headline_contests(paper, study).get(claim)
    if contest is None:
        text = study.note or f"No reading of {claim} can be judged: its rows are not complete."
        return empty_figure(text), pd.DataFrame(columns=["reading", "grade", "value"])
    data = curve_data(contest)
    if data.empty:
        return empty_figure(f"{claim} is not testable in any reading."), data
    rows = _matrix_rows(contest, data)
    figure, (above, below) = _panels(rows)
    _draw_effects(above, data, contest.about["effect"])
    _draw_matrix(below, data, rows)
    for place in np.flatnonzero(data["reading"] == ""):
        for axes in (above, below):
            axes.axvline(place, color="#333333", linewidth=0.8, linestyle=":", zorder=0)
    legend_below(figure, _legend(data))
    title = filled(f"{claim}: {_words_of(paper)[claim]}")
    if study.note:
        title += f"\n{study.note}"
    figure.suptitle(title, x=0.01, ha="left", parse_math=False)
    return figure, data


def _matrix_rows(contest: Contest, data: pd.DataFrame) -> list[tuple[str, str]]:
    """The lines of the matrix: each choice, with no level, above its levels."""
    levels = {
        choice.name: [level.name for level in choice.levels]
        for choice in contest.paper.readings.choices
    }
    levels["seed"] = sorted(data.get("seed", pd.Series(dtype=str)).unique())
    return [
        (choice, level)
        for choice, names in levels.items()
        if choice in data
        for level in ["", *(name for name in names if name in set(data[choice]))]
    ]


def _panels(rows: list):
    above, below = 15, 1 + 1.1 * len(rows)
    figure, axes = canvas(
        2, shape=0, lines=above + below, sharex=True, height_ratios=(above, below)
    )
    return figure, axes


def _size(data: pd.DataFrame) -> float:
    """The diameter of a mark, in points, that lets neighbours be told apart."""
    return float(np.clip(340 / len(data), 0.7, 7))


def _draw_effects(axes, data: pd.DataFrame, effect: str) -> None:
    size, places = _size(data), np.arange(len(data))
    axes.axhline(0, color="#666666", linewidth=0.8)
    is_text = (data["reading"] == "").to_numpy()
    for grade in GRADES:
        chosen = (data["grade"] == grade).to_numpy()
        if not chosen.any():
            continue
        colour, part, x = GRADE_COLOURS[grade], data[chosen], places[chosen]
        axes.vlines(x, part["low"], part["high"], color=colour, linewidth=max(0.4, size / 4))
        for shown, shape, front in ((~is_text, "o", 3), (is_text, "D", 6)):
            of_kind = shown[chosen]
            x_kind, y_kind = x[of_kind], part["value"][of_kind]
            area = (max(size, 4) + 1.5 if shape == "D" else size) ** 2
            seen = part["seen"][of_kind].to_numpy(bool)
            looks = {"marker": shape, "linewidth": 0}
            # a dark rim, for yellow on white
            axes.scatter(x_kind, y_kind, s=1.5 * area, c="#333333", zorder=front, **looks)
            axes.scatter(x_kind, y_kind, s=area, c=colour, zorder=front + 1, **looks)
            inner = (x_kind[seen], y_kind[seen])
            axes.scatter(*inner, s=area / 4, c="white", zorder=front + 2, **looks)
    axes.set_ylabel(textwrap.fill(effect, 30), fontsize="small")
    axes.tick_params(bottom=False)
    axes.grid(visible=False, axis="x")


def _legend(data: pd.DataFrame) -> list:
    """What the marks mean."""
    from matplotlib.lines import Line2D

    def mark(shape, label, colour, rim="#333333"):
        return Line2D([], [], ls="", marker=shape, mfc=colour, mec=rim, ms=6, label=label)

    shown = [grade for grade in GRADES if (data["grade"] == grade).any()]
    marks = [mark("o", grade, GRADE_COLOURS[grade]) for grade in shown]
    marks.append(mark("D", "as printed", "#999999"))
    if data["seen"].any():
        marks.append(mark("o", "named after results were seen", "white"))
    return marks


def _draw_matrix(axes, data: pd.DataFrame, rows: list[tuple[str, str]]) -> None:
    size, places = _size(data), np.arange(len(data))
    for y, (choice, level) in enumerate(rows):
        if not level:
            continue
        axes.axhline(y, color="#eeeeee", linewidth=0.8, zorder=0)
        chosen = (data[choice] == level).to_numpy()
        colours = data.loc[chosen, "grade"].map(GRADE_COLOURS)
        axes.vlines(places[chosen], y - 0.3, y + 0.3, color=list(colours), linewidth=size)
    axes.set_yticks(range(len(rows)), [level or choice for choice, level in rows])
    for label, (_, level) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("normal" if level else "bold")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    margin = max(0.6, len(data) / 80)
    axes.set(xlim=(-margin, len(data) - 1 + margin), xticks=[])
    n_seeds = int(data["reading"].str.startswith("seed=").sum())
    more = f" and {n_seeds} more seeds" if n_seeds else ""
    axes.set_xlabel(f"{len(data) - n_seeds} readings{more}, by effect")
    axes.tick_params(axis="y", length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.grid(visible=False)


def curve_caption(paper: Paper, claim: str) -> str:
    """What a specification curve shows, in words, for its figure's caption."""
    study = stored_readings(paper)
    contest = headline_contests(paper, study).get(claim)
    if contest is None:
        return f"Readings of {claim}. {study.note}".rstrip()
    return (
        f"{claim} over the paper's readings: it is reproduced in {int(contest.holds.sum())} of "
        f"{len(contest.readings)}, all on the same {contest.about['sets']} of "
        f"{contest.about['of']} data sets. {study.note}"
    ).rstrip()
