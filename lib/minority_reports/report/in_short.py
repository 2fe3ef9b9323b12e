"""The result of a paper in short: three sentences and one figure, generated from its results."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.report.claims import (
    BY_CONSTRUCTION,
    GRADES,
    ON_PUBLIC,
    REPRODUCED,
    Effect,
    Verdict,
    counts_in_verdicts,
    is_whole,
    mean_effect,
    published,
)
from minority_reports.report.judged import stored_results
from minority_reports.report.style import COLOURS, canvas, empty_figure, is_narrow, look

#: As an interval is called in a sentence.
_CI = "95 % CI"


@dataclass(frozen=True)
class Headline:
    """What the result of a paper is about, in its package's ``result.py``.

    Parameters
    ----------
    method : str
        The paper's method, as it is called in a sentence.
    difference : str
        What is compared, with its unit if it has one, such as "difference in G-mean, in points".
    experiment : str
        The short name of the experiment that compares the method with others.
    methods : tuple of str
        The methods of this experiment that are compared. A data set is left out if one of them that
        has rows is not complete on it.
    differences : callable
        Takes complete results and the methods that have rows, and returns a frame, data sets x
        others by their labels: the paper's method minus the other, signed so that more favours
        the paper's.
    sentences : callable
        Takes the verdicts of all claims by name and these differences, and returns the first two
        sentences about the whole protocol.
    claims : tuple of str
        The claims that the sentences are about.
    digits : int
        Decimals of a difference.
    """

    method: str
    difference: str
    experiment: str
    methods: tuple[str, ...]
    differences: Callable[[Results, list[str]], pd.DataFrame]
    sentences: Callable[[Mapping[str, Verdict], pd.DataFrame], list[str]]
    claims: tuple[str, ...]
    digits: int = 3


def in_short(paper: Paper, results: Mapping[str, Results] | None = None) -> list[str]:
    """Three sentences about the result of a paper; the first can stand alone.

    Of whole protocols they say what became of the paper's main claims, with effects and their
    intervals, and how many claims have each verdict. Of a selection of data sets, methods or folds
    they say how the paper's method compares on it, and judge nothing. `results` are by the short
    names of the paper's experiments; by default those that are stored.
    """
    if results is None:
        results = stored_results({paper.name: paper})[paper.name]
    results = {name: part.of_protocol() for name, part in results.items()}
    gaps = differences(paper, results)
    if not is_whole(results):
        return [
            *_of_selection(paper.headline, gaps, results),
            "A selection is shown, so nothing is judged: verdicts are about the whole protocol.",
        ]
    verdicts = {claim: rule(results) for claim, rule in paper.rules.items()}
    if any(verdicts[claim].effect is None for claim in paper.headline.claims):
        said = _of_selection(paper.headline, gaps, results)
    else:
        said = paper.headline.sentences(verdicts, gaps)
    return [*said, _counted(verdicts.values())]


def first_sentences(
    papers: Mapping[str, Paper], results: Mapping[str, Mapping[str, Results]]
) -> list[str]:
    """The result of each paper in a sentence, behind its name."""
    return [
        f"{published(name)['short']}: {in_short(paper, results[name])[0]}"
        for name, paper in papers.items()
        if paper.headline
    ]


def result_figure(paper: Paper, results: Mapping[str, Results]):
    """The figure that shows the headline result: the paper's method minus each other one.

    Means over data sets with their intervals, behind them a dot for each data set, from the
    strongest other method to the weakest; and the data that is drawn.
    """
    headline = paper.headline
    gaps = differences(paper, results)
    if gaps.empty:
        return empty_figure(), gaps.reset_index()
    order = gaps.mean().sort_values(ascending=False, kind="stable").index
    effects = {name: mean_effect(name, gaps[name], headline.digits) for name in order}
    figure, axes = canvas(shape=0.08, lines=1.6 * len(order))
    ours = look(headline.method)
    for place, effect in enumerate(effects.values()):
        values = gaps[effect.name]
        axes.plot(values, [place] * len(values), "o", color=COLOURS["grey"], alpha=0.4, zorder=1)
        axes.plot([effect.low, effect.high], [place, place], color=ours["color"], linewidth=3)
        axes.plot(effect.value, place, **ours, markersize=8, markeredgecolor="white", zorder=3)
    axes.axvline(0, color=COLOURS["model"], linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(order)), order)
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.grid(visible=False, axis="y")
    gap = "\n" if is_narrow() else " "
    axes.set_xlabel(f"{headline.difference}{gap}(above 0: {headline.method} is better)")
    data = gaps[order[::-1]].reset_index()
    data.attrs["caption"] = (
        f"{headline.method} against each other method, {headline.difference}: mean and 95 % "
        f"interval over {len(gaps)} data sets, and each data set as a dot."
    )
    return figure, data


def differences(paper: Paper, results: Mapping[str, Results]) -> pd.DataFrame:
    """The paper's method minus each other one on the data sets that count, or on those selected."""
    headline = paper.headline
    part = results[headline.experiment].of_protocol()
    if part.selected is None:
        part = part.on_datasets(filter(counts_in_verdicts, part.experiment.datasets))
    there = set(part.rows["method"])
    methods = [name for name in headline.methods if name in there]
    if not methods:
        return pd.DataFrame()
    gaps = headline.differences(part.complete(methods), methods)
    return gaps.dropna(axis="columns", how="all").dropna().rename_axis("data set")


def minus_others(scores: pd.DataFrame, method: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """One column of scores minus each other one, these by their labels; none if it is not there."""
    if method not in scores:
        return pd.DataFrame()
    others = scores.drop(columns=method)
    return -others.sub(scores[method], axis="index").rename(columns=labels)


def with_interval(effect: Effect) -> str:
    """An effect's number with its 95 % interval, as a sentence has it."""
    return effect.numbers(_CI)


def outcome(verdict: Verdict) -> str:
    """How a claim was graded, in a sentence's brackets."""
    end = "" if verdict.grade.endswith(REPRODUCED) else f" {REPRODUCED}"
    return f"claim {verdict.grade}{end}"


def direction(effect: Effect, up: str, down: str, neither: str) -> str:
    """The words for an effect that is significantly above 0, below 0, or neither."""
    return up if effect.low > 0 else down if effect.high < 0 else neither


def strongest(gaps: pd.DataFrame) -> str:
    """The other method with the highest mean: the one that the paper's leads by least."""
    return gaps.mean().idxmin()


def _of_selection(
    headline: Headline, gaps: pd.DataFrame, results: Mapping[str, Results]
) -> list[str]:
    part = results[headline.experiment]
    if gaps.empty:
        return [
            f"{headline.method} and another method are complete on none of the selected data sets, "
            "so that there is nothing to compare."
        ]
    where = f"{len(gaps)} data sets" if len(gaps) > 1 else gaps.index[0]
    ahead = int((gaps.mean().round(12) > 0).sum())
    other = strongest(gaps)
    effect = mean_effect("", gaps[other], headline.digits)
    return [
        f"On {where} {headline.method} is ahead of {ahead} of {gaps.shape[1]} other methods "
        f"({part.coverage()}).",
        f"The strongest of these is {other}: {headline.difference}, {with_interval(effect)}.",
    ]


def _counted(verdicts) -> str:
    verdicts = list(verdicts)
    grades = Counter(verdict.grade for verdict in verdicts)
    n_claims = len(verdicts) - grades[BY_CONSTRUCTION]
    text = f"Verdicts on {n_claims} empirical claims: {_listed(grades)}."
    beside = Counter(verdict.on_public for verdict in verdicts if verdict.on_public)
    if beside:
        text += f" Of those not testable, {sum(beside.values())} are judged in general form "
        text += f"{ON_PUBLIC} and counted apart: {_listed(beside)}."
    return text


def _listed(grades: Counter) -> str:
    return ", ".join(f"{grades[g]} {g}" for g in GRADES if grades[g] and g != BY_CONSTRUCTION)
