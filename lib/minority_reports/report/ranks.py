"""The critical-difference diagram: mean ranks of methods over data sets, and what is level."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.report.style import (
    COLOURS,
    canvas,
    empty_figure,
    filled,
    is_narrow,
    look,
)
from minority_reports.statistics import friedman, nemenyi_distance, pairwise_wilcoxon

_BAR = {"color": "#0072B2", "linewidth": 4, "gid": "bar"}
_MARK = {"marker": "o", "markersize": 5, "markeredgecolor": "black", "markeredgewidth": 0.6}
_OVERHANG = 0.05  # of a bar beyond its outer ranks, so that it visibly crosses their lines


def critical_difference(
    scores: pd.DataFrame,
    labels: Mapping[str, str] | None = None,
    title: str = "Mean ranks",
    *,
    test: str = "wilcoxon",
    alpha: float = 0.05,
):
    """Draw the mean ranks of methods, the best on the right, with bars over what is level.

    The picture of Demsar (2006). A bar joins methods that are neighbours in rank and of which no
    two differ; methods that share no bar need not differ under Wilcoxon's test, whose answers
    need not follow the ranks. If Friedman's test finds no difference, one bar joins all.

    Parameters
    ----------
    scores : DataFrame of shape (n_sets, n_methods)
        One score for each data set and method, higher is better. Data sets with a gap are left
        out, and the title counts them.
    labels : mapping from method to str, default=None
        Names to show; a method that it lacks is shown by its own.
    title : str, default="Mean ranks"
    test : {"wilcoxon", "nemenyi"}, default="wilcoxon"
        Signed-rank tests of all pairs with Holm's correction, or Nemenyi's critical difference.
    alpha : float, default=0.05
        Level of all tests.

    Returns
    -------
    figure : matplotlib Figure
    frame : DataFrame
        `method`, `label`, `mean rank` and `bars` (numbers of the bars over it), best first. Its
        ``attrs["caption"]`` is the text below the picture.
    """
    if test not in ("wilcoxon", "nemenyi"):
        raise ValueError(f"test must be 'wilcoxon' or 'nemenyi', got {test!r}.")
    complete = scores.dropna()
    if len(complete) < 2 or scores.shape[1] < 3:
        text = "Ranks need at least three methods and two data sets without gaps."
        return empty_figure(text), pd.DataFrame(columns=["method", "label", "mean rank", "bars"])
    p_value, ranks = friedman(complete)
    ranks = ranks.sort_values(kind="stable")
    distance = nemenyi_distance(len(ranks), len(complete), alpha)
    if p_value >= alpha:
        groups = [(0, len(ranks) - 1)]
    elif test == "nemenyi":
        groups = _level_runs(np.abs(ranks.to_numpy()[:, None] - ranks.to_numpy()) <= distance)
    else:
        groups = _level_runs(_not_different(pairwise_wilcoxon(complete), ranks.index, alpha))
    names = [str((labels or {}).get(method, method)) for method in ranks.index]
    caption = _caption(p_value, test, alpha, distance, bool(groups))
    sets = f"{len(complete)} data sets"
    if len(complete) < len(scores):
        sets += f", {len(scores) - len(complete)} with gaps left out"
    shown = distance if test == "nemenyi" and p_value < alpha else None
    figure = _draw(ranks.to_numpy(), names, groups, shown, f"{title} ({sets})", caption)
    bars = [
        " ".join(str(n) for n, (first, last) in enumerate(groups, 1) if first <= place <= last)
        for place in range(len(ranks))
    ]
    frame = pd.DataFrame(
        {"method": ranks.index, "label": names, "mean rank": ranks.to_numpy(), "bars": bars}
    )
    frame.attrs["caption"] = caption
    return figure, frame


def _not_different(pairs, methods, alpha):
    """Symmetric matrix over `methods`: whether a pair shows no difference."""
    place = {method: i for i, method in enumerate(methods)}
    level = np.ones((len(place), len(place)), dtype=bool)
    for first, second, p_value in pairs[["first", "second", "p_holm"]].itertuples(index=False):
        i, j = place[first], place[second]
        level[i, j] = level[j, i] = p_value >= alpha
    return level


def _level_runs(level):
    """The longest runs of neighbours without a pair that differs, as (first, last) places."""
    runs, reached = [], -1
    for first in range(len(level)):
        last = first
        while last + 1 < len(level) and level[first : last + 1, last + 1].all():
            last += 1
        if last > max(first, reached):  # otherwise alone, or part of an earlier run
            runs.append((first, last))
            reached = last
    return runs


def _caption(p_value, test, alpha, distance, any_bar):
    shown = f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"
    if p_value >= alpha:
        return f"Friedman's test shows no difference among the methods ({shown}); a bar joins all."
    how = (
        f"Nemenyi's test: mean ranks within the critical difference CD = {distance:.2f}"
        if test == "nemenyi"
        else "Wilcoxon signed-rank tests of all pairs, Holm-corrected"
    )
    bars = "A bar joins neighbours of which no two differ" if any_bar else "All neighbours differ"
    return f"Friedman's test: {shown}. {bars} at {alpha:g} ({how}). Rank 1 is best."


def _draw(ranks, names, groups, distance, title, note):
    """The diagram, with names on both sides; in a column, with names on one side."""
    draw = _draw_in_a_column if is_narrow() else _draw_on_both_sides
    return draw(ranks, names, groups, distance, title, note)


def _apart(ranks, gap):
    """Ascending places of lines that are at least a gap apart, each at its rank where it can be."""
    steps = gap * np.arange(len(ranks))
    return np.maximum.accumulate(ranks - steps) + steps


def _bar_ends(lines, first, last):
    """Where a bar ends: never so far that it touches the line of a method that it does not join."""
    before = 0.4 * (lines[first] - lines[first - 1]) if first else _OVERHANG
    after = 0.4 * (lines[last + 1] - lines[last]) if last + 1 < len(lines) else _OVERHANG
    return lines[first] - min(_OVERHANG, before), lines[last] + min(_OVERHANG, after)


def _write_note(figure, note):
    """How to read the bars, below."""
    figure.supxlabel(filled(note, size="small"), x=0.01, ha="left", fontsize="small")


def _draw_on_both_sides(ranks, names, groups, distance, title, note):
    """In rows of text: the axis in row 0, bars and then names below it."""
    first_name = 1.0 + 0.55 * len(groups)
    right = (len(ranks) + 1) // 2  # the better half has its names on the right
    top = -1.2 if distance is None else -2.6
    bottom = first_name + right - 0.4
    figure, axes = canvas(shape=0, lines=4.5 + 1.6 * (bottom - top))
    low = np.floor(ranks[0])
    high = max(np.ceil(ranks[-1]), low + 1, low + (distance or 0))
    margin = 0.03 * (high - low)
    axes.set(xlim=(high + margin, low - margin), ylim=(bottom, top))  # the best on the right
    axes.set_axis_off()

    line = {"color": "black", "linewidth": 1.2, "solid_capstyle": "projecting"}
    axes.plot([low, high], [0, 0], **line)
    for tick in np.arange(low, np.floor(high) + 1):
        axes.plot([tick, tick], [-0.3, 0], **line)
        axes.text(tick, -0.4, f"{tick:g}", ha="center", va="bottom")
    if distance is not None:
        axes.plot([high, high - distance], [-1.9, -1.9], marker="|", markersize=8, **line)
        axes.text(high - distance / 2, -2.05, f"CD = {distance:.2f}", ha="center", va="bottom")

    lines = _apart(ranks, 0.012 * (high - low))
    for place, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        better = place < right
        row = first_name + (place if better else len(ranks) - 1 - place)
        end = low - margin if better else high + margin
        x = lines[place]
        path = [rank, x, x, end], [0, 0.3, row, row]
        axes.plot(*path, color=COLOURS["grey"], linewidth=1, zorder=1)
        axes.plot(rank, 0, color=look(name)["color"], **_MARK)
        axes.annotate(
            f"{rank:.2f}  {name}" if better else f"{name}  {rank:.2f}",
            (end, row),
            xytext=(4 if better else -4, 0),
            textcoords="offset points",
            ha="left" if better else "right",
            va="center",
            gid="label",
        )
    for number, (first, last) in enumerate(groups):
        ends = _bar_ends(lines, first, last)
        axes.plot(ends, [0.6 + 0.55 * number] * 2, solid_capstyle="butt", zorder=3, **_BAR)
    axes.set_title(title, loc="left")
    _write_note(figure, note)
    return figure


def _draw_in_a_column(ranks, names, groups, distance, title, note):
    """A line for each method, the best on top, and bars beside them."""
    figure, axes = canvas(shape=0, lines=7.5 + 1.15 * len(ranks))
    rows = np.arange(len(ranks))
    for row, rank, name in zip(rows, ranks, names, strict=True):
        axes.plot(rank, row, color=look(name)["color"], **_MARK)
    shown = [f"{name}  {rank:.2f}" for name, rank in zip(names, ranks, strict=True)]
    axes.set_yticks(rows, shown)
    for label in axes.get_yticklabels():
        label.set_gid("label")
    axes.set_ylim(len(ranks) - 0.4, -0.6)
    high = max(ranks[-1], ranks[0] + (distance or 0))
    step = 0.05 * (high - ranks[0])
    for number, (first, last) in enumerate(groups):
        place = high + (number + 2) * step
        axes.plot([place] * 2, [first - 0.25, last + 0.25], solid_capstyle="butt", **_BAR)
    if distance is not None:
        axes.plot([high - distance, high], [-0.45] * 2, color="black", marker="|", linewidth=1.2)
        axes.text(high - distance - step, -0.45, f"CD = {distance:.2f}", ha="right", va="center")
        axes.set_ylim(top=-1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlim(ranks[0] - step, high + (len(groups) + 2) * step)
    axes.set_xlabel("mean rank (1 is best)")
    figure.suptitle(filled(title), x=0.01, ha="left")
    _write_note(figure, note)
    return figure
