"""The figures of the showdown. Each function returns a figure and the data that it plots."""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority.experiments import Results
from minority.papers.showdown._protocol import METRICS
from minority.papers.showdown._tables import (
    basis,
    count,
    facts,
    higher_is_better,
    mean_ranks,
    scores,
)
from minority.report import COLOURS, critical_difference
from minority.statistics import holm

BLUE, ORANGE = "#0072B2", "#D55E00"
#: Characteristics of data sets and how they are called.
_TRAITS = {"imbalance": "imbalance ratio", "n": "rows", "d": "features"}
#: With fewer data sets a correlation says nothing.
_ENOUGH_SETS = 6


def in_words(text: str):
    """A figure that says why there is nothing to draw."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 1))
    axes.set_axis_off()
    axes.text(0, 0.5, text)
    return figure


def _losing_to_winning():
    """From one side over white to the other, safe for colour-blind readers."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("sides", [ORANGE, "#FFFFFF", BLUE])


def plain_log(axes, values):
    """A logarithmic axis with numbers as people write them."""
    from matplotlib.ticker import LogLocator, NullLocator

    is_wide = max(values) > 30 * min(values)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3) if is_wide else (1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")


def _write_cells(axes, image, texts, *, size: float = 8.5, bold=None):
    """A text in every cell of an image, white on dark colours."""
    values = np.ma.masked_invalid(image.get_array())
    red, green, blue, _ = np.moveaxis(image.to_rgba(values), -1, 0)
    is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
    for (i, j), text in np.ndenumerate(np.asarray(texts, dtype=object)):
        axes.text(
            j,
            i,
            text,
            ha="center",
            va="center",
            fontsize=size,
            color="white" if is_dark[i, j] and not values.mask[i, j] else "black",
            weight="bold" if bold is not None and bold[i, j] else "normal",
        )
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def rank_diagram(results: Mapping[str, Results], setting: str, metric: str = "g_mean"):
    """Mean ranks over data sets, with bars over contestants that do not differ.

    The caption is among the attributes of the data.
    """
    values = higher_is_better(scores(results, setting, metric), metric)
    title = f"Mean ranks in {METRICS[metric]}, {setting}"
    figure, data = critical_difference(values, title=title)
    data.attrs.setdefault("caption", "Nothing to rank.")
    return figure, data


def ranks_heatmap(results: Mapping[str, Results]):
    """Mean ranks of all contestants in all metrics, for every setting that has rows."""
    import matplotlib.pyplot as plt

    tables, frames = {}, []
    for setting in results:
        by_metric = {metric: scores(results, setting, metric) for metric in METRICS}
        if by_metric["g_mean"].empty or by_metric["g_mean"].shape[1] < 2:
            continue
        ranks = {metric: mean_ranks(values, metric) for metric, values in by_metric.items()}
        tables[setting] = pd.DataFrame(ranks).rename_axis("contestant")
        long = tables[setting].melt(var_name="metric", value_name="mean rank", ignore_index=False)
        sizes = {metric: len(values) for metric, values in by_metric.items()}
        frames.append(
            long.reset_index().assign(setting=setting, sets=long["metric"].map(sizes).values)
        )
    if not tables:
        columns = ["contestant", "metric", "mean rank", "setting", "sets"]
        text = "Ranks need two contestants and a data set on which both have a fold."
        return in_words(text), pd.DataFrame(columns=columns)
    order = next(iter(tables.values()))["g_mean"].sort_values(kind="stable").index
    height = 1.5 + 0.36 * len(order)
    figure, panels = plt.subplots(
        1, len(tables), figsize=(2.4 + 5 * len(tables), height), sharey=True, squeeze=False
    )
    for axes, (setting, table) in zip(panels[0], tables.items(), strict=True):
        table = table.reindex(order)
        ranked = table.notna().sum()
        # of fewer contestants a rank is worth less: those with probabilities have Brier's score
        relative = (table - 1) / (ranked - 1)
        image = axes.imshow(relative, cmap="Blues_r", vmin=-0.1, vmax=1, aspect="auto")
        texts = table.map(lambda rank: "–" if np.isnan(rank) else f"{rank:.1f}")
        best = table.round(9).eq(table.round(9).min()).to_numpy()
        _write_cells(axes, image, texts, bold=best)
        labels = [
            text.replace(" ", "\n")
            + (f"\n(of {ranked[metric]})" if ranked[metric] < len(order) else "")
            for metric, text in METRICS.items()
        ]
        axes.set_xticks(range(len(METRICS)), labels)
        axes.set_yticks(range(len(order)), order)
        axes.xaxis.tick_top()
        axes.set_title(f"{setting}: {basis(results, setting).partition(' that')[0]}")
    return figure, pd.concat(frames, ignore_index=True)


def wins_matrix(results: Mapping[str, Results], setting: str, metric: str = "g_mean"):
    """On how many data sets the contestant of a row is better than that of a column."""
    import matplotlib.pyplot as plt

    values = higher_is_better(scores(results, setting, metric), metric).round(12)
    order = mean_ranks(values, "").sort_values(kind="stable").index
    data = pd.DataFrame(
        [
            (row, column, (gaps > 0).sum(), (gaps == 0).sum(), (gaps < 0).sum())
            for row in order
            for column in order
            for gaps in [values[row] - values[column]]
            if row != column
        ],
        columns=["contestant", "against", "wins", "ties", "losses"],
    )
    if values.empty or data.empty:
        text = "Wins need two contestants and a data set on which both have a fold."
        return in_words(text), data.iloc[:0]
    lead = pd.DataFrame(np.nan, index=order, columns=order)
    texts = pd.DataFrame("", index=order, columns=order)
    for who, other, wins, ties, losses in data.itertuples(index=False):
        lead.loc[who, other] = wins - losses
        texts.loc[who, other] = f"{wins}/{ties}/{losses}"
    size = 2.4 + 0.62 * len(order)
    figure, axes = plt.subplots(figsize=(size + 1.4, 0.75 * size + 0.6))
    image = axes.imshow(
        lead, cmap=_losing_to_winning(), vmin=-len(values), vmax=len(values), aspect="auto"
    )
    _write_cells(axes, image, texts, size=7.5)
    axes.set_xticks(range(len(order)), order, rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), order)
    axes.xaxis.tick_top()
    axes.set_title(
        f"{METRICS[metric]}, {setting}: sets won/tied/lost by the row against the column "
        f"({count(len(values), 'data set')})",
        loc="left",
    )
    return figure, data


def landscape_figure(results: Mapping[str, Results], setting: str, metric: str = "g_mean"):
    """Who is ahead on which data sets: advantage over the mean of all, by traits of the sets.

    On the left rank correlations of the advantage with every trait, on the right for each trait
    the contestants with the highest and the lowest one.
    """
    import matplotlib.pyplot as plt

    values = higher_is_better(scores(results, setting, metric), metric)
    traits = facts(values.index)[list(_TRAITS)].dropna()
    advantage = values.sub(values.mean(axis=1), axis=0).loc[traits.index]
    data = advantage.melt(var_name="contestant", value_name="advantage", ignore_index=False)
    data = data.join(traits).rename_axis("dataset").reset_index()
    if len(traits) < _ENOUGH_SETS or advantage.shape[1] < 2:
        text = (
            f"Trends need two contestants and {_ENOUGH_SETS} registered data sets with folds that "
            "all have."
        )
        return in_words(text), data
    order = mean_ranks(values, "").sort_values(kind="stable").index
    correlations, p_values = _correlations(advantage[order], traits)
    figure = plt.figure(figsize=(12.6, 1.6 + 0.36 * max(len(order), 6)))
    left, right = figure.subfigures(1, 2, width_ratios=[4.6, 8])
    axes = left.subplots()
    image = axes.imshow(correlations, cmap=_losing_to_winning(), vmin=-1, vmax=1, aspect="auto")
    _write_cells(axes, image, correlations.map("{:+.2f}".format), bold=p_values.to_numpy() < 0.05)
    axes.set_xticks(range(len(_TRAITS)), [text.replace(" ", "\n") for text in _TRAITS.values()])
    axes.set_yticks(range(len(order)), order)
    axes.xaxis.tick_top()
    axes.set_title("Spearman's correlation\n(bold: p < 0.05 after Holm)", fontsize=10)
    panels = right.subplots(1, len(_TRAITS), sharey=True)
    for axes, (trait, text) in zip(panels, _TRAITS.items(), strict=True):
        ends = {correlations[trait].idxmax(): BLUE, correlations[trait].idxmin(): ORANGE}
        axes.axhline(0, color=COLOURS["grey"], linewidth=1)
        for (who, colour), marker in zip(ends.items(), "os", strict=False):
            axes.scatter(
                traits[trait], advantage[who], s=13, color=colour, marker=marker, alpha=0.5
            )
            trend = _binned(traits[trait], advantage[who])
            axes.plot(*trend, color=colour, marker=marker, linewidth=2.2, label=who)
        axes.set_xlabel(text)
        plain_log(axes, traits[trait])
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), fontsize=9)
    panels[0].set_ylabel(f"{METRICS[metric]} minus the mean of all")
    figure.suptitle(f"Advantage in {METRICS[metric]}, {setting} ({len(traits)} data sets)")
    return figure, data


def _correlations(advantage, traits):
    """Spearman's correlations, contestants x traits, and their p-values, all corrected together."""
    from scipy.stats import ConstantInputWarning, spearmanr

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantInputWarning)  # a constant follows nothing
        found = [[spearmanr(advantage[who], traits[t]) for t in traits] for who in advantage]
    values = np.nan_to_num([[r.statistic for r in row] for row in found])
    p_values = np.nan_to_num([[r.pvalue for r in row] for row in found], nan=1.0)
    p_values = holm(p_values.ravel()).reshape(p_values.shape)
    looks = {"index": advantage.columns, "columns": traits.columns}
    return pd.DataFrame(values, **looks), pd.DataFrame(p_values, **looks)


def _binned(trait, values, n_bins: int = 5):
    """Means within equally large groups of neighbours, to see a trend among points."""
    order = np.argsort(trait.to_numpy(), kind="stable")
    groups = [g for g in np.array_split(order, n_bins) if len(g)]
    middles = [np.exp(np.log(trait.to_numpy()[g]).mean()) for g in groups]
    return middles, [values.to_numpy()[g].mean() for g in groups]
