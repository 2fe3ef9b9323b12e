"""Published numbers against ours, by paper: as printed and under the nearest reading."""

import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.report.claims import published
from minority_reports.report.multiverse import under_reading
from minority_reports.report.numbers import in_place_of, with_agreement
from minority_reports.report.readings import SEEN_NOTE
from minority_reports.report.readings_study import stored_readings
from minority_reports.report.style import BLUE, ORANGE, canvas, empty_figure, is_narrow
from minority_reports.report.tables import Table, show

#: What the text's reading is called.
AS_PRINTED = "as printed"
#: Differences beyond this many tolerances are drawn there.
_FARTHEST = 30


def nearest_reading(paper: Paper) -> str:
    """The label of the judged reading with most published numbers within noise.

    Of equals it is the first, which the text's is of all.
    """
    judged = stored_readings(paper).readings
    within = judged["within"].dropna().astype(int)
    return "" if within.empty else within.idxmax()


def numbers_by_reading(paper: Paper, results: Mapping[str, Results]) -> pd.DataFrame:
    """Each published number beside ours, as printed and under the nearest reading.

    A row for each number and reading, see :func:`with_agreement`.
    """
    text = paper.numbers(results)
    found = {"": text}
    if nearest := nearest_reading(paper):
        levels = paper.readings.parsed(f":{nearest}")[1]
        under = paper.numbers(under_reading(paper, results, levels))
        found[nearest] = in_place_of(under, text)
    parts = []
    for label, numbers in found.items():
        words = paper.readings.words(paper.readings.parsed(f":{label}")[1]) if label else AS_PRINTED
        parts.append(with_agreement(numbers).assign(reading=words))
    return pd.concat(parts, ignore_index=True)


def _of_papers(
    papers: Mapping[str, Paper], results: Mapping[str, Mapping[str, Results]]
) -> dict[str, pd.DataFrame]:
    """The published numbers of those papers that have any, by short name."""
    return {
        published(name)["short"]: numbers_by_reading(paper, results[name])
        for name, paper in papers.items()
        if paper.numbers is not None
    }


def published_table(
    papers: Mapping[str, Paper], results: Mapping[str, Mapping[str, Results]]
) -> Table:
    """How many published numbers ours agree with, by paper and reading."""
    rows = []
    for name, numbers in _of_papers(papers, results).items():
        for reading, part in numbers.groupby("reading", sort=False):
            compared = part["agrees"].dropna()
            rows.append(
                {
                    "paper": name,
                    "reading": reading,
                    "published numbers": len(part),
                    "compared": len(compared),
                    "within noise": int(compared.sum()),
                    "share": compared.mean(),
                }
            )
    columns = ["paper", "reading", "published numbers", "compared", "within noise", "share"]
    frame = pd.DataFrame(rows, columns=columns)
    caption = (
        "Published numbers within noise of ours: two standard errors of the difference where a "
        "spread is known, else 5 %. The second reading of a paper is the one nearest to its "
        f"numbers, found by looking for it. {SEEN_NOTE}"
    )
    return show(frame.set_axis(range(1, len(frame) + 1)), caption=caption)


def published_figure(papers: Mapping[str, Paper], results: Mapping[str, Mapping[str, Results]]):
    """Draw every published number that can be compared as a point, by paper and reading.

    Its place is our number minus the published one, in units of what counts as noise: the band in
    the middle. Papers without comparable numbers are left out.

    Parameters
    ----------
    papers : mapping of str to Paper
    results : mapping of str to mappings of str to Results
        By paper and short name of the experiment.

    Returns
    -------
    figure : Figure
    data : DataFrame
        What is drawn, a row for each number and reading.
    """
    found = _of_papers(papers, results)
    found = {name: part.dropna(subset="difference") for name, part in found.items()}
    lines = [
        (name, reading, part)
        for name, numbers in found.items()
        for reading, part in numbers.groupby("reading", sort=False)
    ]
    if not lines:
        return empty_figure("No published number can be compared."), pd.DataFrame()
    figure, axes = canvas(shape=0, lines=5 + 3.2 * len(lines))
    axes.axvspan(-1, 1, color="#e6e6e6", zorder=0, lw=0)
    axes.axvline(0, color="#666666", lw=0.8, zorder=1)
    labels, last, separator = [], None, "\n" if is_narrow() else " "
    for y, (name, reading, part) in enumerate(lines):
        if last not in (None, name):
            axes.axhline(y - 0.5, color="#cccccc", lw=0.8)
        x = part["difference"].clip(-_FARTHEST, _FARTHEST).to_numpy()
        for agrees, colour in ((1, BLUE), (0, ORANGE)):
            chosen = (part["agrees"] == agrees).to_numpy()
            axes.scatter(x[chosen], y + _spread_out(len(x))[chosen], s=9, c=colour, alpha=0.6, lw=0)
        share = f"{part['agrees'].mean():.0%} of {len(part)}"
        axes.text(
            1.01, y, share, transform=axes.get_yaxis_transform(), va="center", fontsize="small"
        )
        text = textwrap.fill(reading, 18 if is_narrow() else 30)
        labels.append(text if last == name else f"{name}:{separator}{text}")
        last = name
    axes.set_yticks(range(len(lines)), labels)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_xscale("symlog", linthresh=1, linscale=0.8)
    ends = [3, _FARTHEST] if is_narrow() else [3, 10, _FARTHEST]
    ticks = [*(-end for end in reversed(ends)), -1, 0, 1, *ends]
    axes.set_xticks(ticks, [f"{tick:+d}".replace("-", "−") if tick else "0" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(-1.15 * _FARTHEST, 1.15 * _FARTHEST)
    axes.set_xlabel("ours − published, in units of noise")
    axes.grid(visible=False, axis="y")
    axes.set_title("within noise", loc="right")
    data = pd.concat([part.assign(paper=name) for name, part in found.items()])
    return figure, data.reset_index(drop=True)


def _spread_out(n: int) -> np.ndarray:
    """Places up and down that keep points of one line apart, the same at each call."""
    return (np.arange(n) * 0.618 % 1 - 0.5) * 0.62
