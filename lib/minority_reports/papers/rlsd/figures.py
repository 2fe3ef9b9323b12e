"""The figures of RLSD. Each function returns a figure and the data that it plots."""

from itertools import pairwise

import numpy as np
import pandas as pd

from minority.rules import ChiMerge
from minority_reports.datasets.transactions import PAIRS
from minority_reports.experiments import Results
from minority_reports.papers.fixed import fixed
from minority_reports.papers.rlsd.protocol import BUDGET
from minority_reports.papers.rlsd.studies import SHOWN
from minority_reports.papers.rlsd.tables import (
    cut_points,
    on_shared_sets,
    published_grid,
    simulated_grid,
    step_scores,
)
from minority_reports.report.style import (
    BLUE,
    COLOURS,
    GREEN,
    ORANGE,
    beside,
    canvas,
    empty_figure,
    legend_below,
    look,
)
from minority_reports.report.tables import facts

#: RLSD's colour by its minimum recall.
SHADES = {0.01: "#99D8C9", 0.05: "#41AE76", 0.1: "#00773F", 0.2: "#00331A"}


def discretisation(parts, attributes=("moves_60", "unrelated_6"), levels=(0.05, 0.001)):
    """Share of bad examples in each interval of two attributes, before and after merging."""
    X, y, _, _ = parts
    texts = {"before": "one for each value of a bad example"} | {
        level: f"merged at level {level:g}" for level in levels
    }
    rows = []
    for attribute in attributes:
        column = X[attribute].to_numpy()
        values = np.unique(column[y == 1])
        stages = {"before": (values[:-1] + values[1:]) / 2}
        for level in levels:
            model = fixed(ChiMerge, significance=level, pos_label=1).fit(column[:, None], y)
            stages[level] = model.cut_points_[0]
        for stage, cuts in stages.items():
            place = np.searchsorted(cuts, column, side="right")
            counts = [np.bincount(place[y == label], minlength=len(cuts) + 1) for label in (0, 1)]
            ends = [column.min(), *cuts, column.max()]
            for (low, high), good, bad in zip(pairwise(ends), *counts, strict=True):
                rows.append((attribute, str(stage), low, high, int(good), int(bad)))
    data = pd.DataFrame(rows, columns=["attribute", "stage", "from", "to", "good", "bad"])
    figure, panels = canvas(2, len(attributes), shape=0.55, lines=6, sharex="col")
    looks = {  # the last on top, thin enough to show the one below where both are equal
        "before": (COLOURS["grey"], 1, "-"),
        levels[1]: (ORANGE, 3.2, "-"),
        levels[0]: (BLUE, 1.6, "--"),
    }
    for (share_axes, count_axes), attribute in zip(panels.T, attributes, strict=True):
        for stage, (colour, width, style) in looks.items():
            part = data[(data["attribute"] == attribute) & (data["stage"] == str(stage))]
            edges = [*part["from"], part["to"].iloc[-1]]
            share = 1000 * part["bad"] / (part["bad"] + part["good"])
            look = {"color": colour, "linewidth": width, "linestyle": style}
            share_axes.stairs(share, edges, baseline=None, label=texts[stage], **look)
            count_axes.stairs(part["bad"], edges, baseline=None, **look)
        counted = data[data["attribute"] == attribute].groupby("stage", sort=False).size()
        share_axes.set_title(f"{attribute}\n{' → '.join(map(str, counted))} intervals")
        share_axes.set_ylim(bottom=0)
        count_axes.set(xlabel=attribute, yscale="log")
    panels[0, 0].set_ylabel("positives\nper 1,000 rows")
    panels[1, 0].set_ylabel("positives in\nthe interval")
    legend_below(figure, panels[0, 0])
    figure.suptitle(f"Before and after merging ({SHOWN})")
    return figure, data


def figure1(table3: Results, c50: Results, cut: Results):
    """Precision against recall on the test parts: as published, and on simulated data.

    While rows are missing, only the simulated sets count that all three have.
    """
    parts = {"Table 3": table3, "costs": c50, "cut majority": cut}
    names = zip(("table3", "c50", "cut"), parts.values(), strict=True)
    covered = ", ".join(f"{name} {part.coverage()}" for name, part in names)
    table3, c50, cut = on_shared_sets(table3, c50, cut)
    shared = [name for name in PAIRS if name in set(table3.rows["dataset"])]
    columns = beside(2, 2.5)
    figure, panels = canvas(2 // columns, columns, shape=0.85, lines=4, sharey=True, sharex=True)
    rows = []
    grids = {"published": published_grid(), "simulated": simulated_grid(table3)}
    for axes, (source, grid) in zip(panels, grids.items(), strict=True):
        for least, colour in SHADES.items():
            points = grid.loc[least, ["recall", "precision"]].dropna()
            points = points[points["recall"] > 0]
            axes.plot(
                points["recall"],
                points["precision"],
                "o-",
                color=colour,
                label=f"RLSD, minimum recall {least:g}",
            )
            rows += [(source, f"RLSD {least:g}", f"{p:g}", *v) for p, v in points.iterrows()]
    for method, points in cut_points(cut).dropna().groupby(level="method", sort=False):
        label = f"{cut.labels[method]}, cut majority"
        values = points[["recall", "precision"]].droplevel("method")
        thin = {"markersize": 4, "linewidth": 1, "linestyle": "--"}
        panels[1].plot(*values.T.to_numpy(), label=label, **look(method), **thin)
        rows += [("simulated", label, setting, *v) for setting, v in values.iterrows()]
    for method, mark in zip(c50.experiment.methods, "P*", strict=True):
        part = c50.rows_of(method=method).groupby("setting", sort=False)
        values = part[["recall", "precision"]].mean().dropna()
        label = f"{c50.labels[method]}, costs"
        if len(values):
            hollow = {"color": "black", "markersize": 8, "markerfacecolor": "white"}
            panels[1].plot(*values.T.to_numpy(), mark, label=label, clip_on=False, **hollow)
        rows += [("simulated", label, setting, *v) for setting, v in values.iterrows()]
    titles = {
        "published": "published (C5.0's points are lost)",
        "simulated": f"SIMULATED: means over {len(shared)} of {len(PAIRS)} sets",
    }
    for axes, title, names in zip(panels, titles.values(), (PAIRS, shared or PAIRS), strict=True):
        total, bad = np.sum([PAIRS[name][2] for name in names], axis=0)
        axes.axhline(bad / total, color=COLOURS["grey"], linestyle=":", label="random selection")
        axes.set(xlabel="recall", xlim=(-0.02, 1.02))
        axes.set_ylim(bottom=0)
        axes.set_title(title)
    for axes in panels:
        axes.set_ylabel("precision")
        axes.label_outer()
    legend_below(figure, panels[1], columns=3)
    data = pd.DataFrame(rows, columns=["source", "method", "setting", "recall", "precision"])
    data.attrs["caption"] = (
        "Figure 1: precision against recall of all selected rules in the test month. Left as "
        f"published; right means over SIMULATED sets ({covered})."
    )
    return figure, data


def steps(steps: Results, real: Results):
    """Average precision of each step on each of the real sets, and that of the baselines."""
    ap = step_scores(steps, real, "ap").drop(columns="rlsd")
    named = ap.rename_axis(index="data set", columns=None).reset_index()
    data = named.melt("data set", var_name="method", value_name="AP")
    data.attrs["caption"] = (
        "Average precision of RLSD on real rare events, step by step from the published version to "
        "the defaults, beside the baselines on the same splits. Data sets by share of positives, "
        "the rarest above."
    )
    if ap.empty:
        return empty_figure(), data
    ap = ap.loc[facts(ap.index)["percent"].sort_values(ascending=False, kind="stable").index]
    # The large ones below: rules that are joined score as before, and would hide what is there.
    looks = {
        "as-published": ("o", COLOURS["grey"], 8),
        "corrected-level": ("o", "#7FCBB3", 8),
        "qualified-scores": ("o", GREEN, 10),
        "joined": ("o", "white", 4),
        "edges-values": ("D", "black", 4),
        "c4.5": ("|", look("c4.5")["color"], 14),
        "ripper": ("|", look("ripper")["color"], 14),
    }
    figure, axes = canvas(shape=0, lines=1.8 * len(ap) + 6)
    height = np.arange(len(ap))
    labels = steps.labels | real.labels
    for method, (mark, colour, size) in looks.items():
        edge = {"markeredgecolor": GREEN} if method == "joined" else {}
        edge |= {"markeredgewidth": 2.5} if mark == "|" else {}
        style = {"color": colour, "markersize": size, "linestyle": "none", "label": labels[method]}
        axes.plot(ap[method], height, mark, **style, **edge)
    axes.set_yticks(height, ap.index)
    axes.set(xlabel="average precision", xlim=(-0.02, 1.02))
    axes.set_ylabel("data set, the rarest positives above")
    legend_below(figure, axes, columns=3)
    return figure, data


def inspection(parts, models: dict):
    """Frauds found against the share of a test month that is looked at, highest scores first."""
    _, _, X, y = parts
    figure, axes = canvas(shape=0.5)
    rows = []
    for (text, model), colour in zip(models.items(), (ORANGE, BLUE, GREEN), strict=False):
        shares, found = _found_by_share(model.predict_proba(X)[:, 1], y)
        axes.plot(100 * shares, 100 * found, color=colour, label=text)
        rows += [(text, *pair) for pair in zip(shares, found, strict=True)]
    axes.axvline(100 * BUDGET, color="black", linewidth=1)
    axes.annotate("budget of 2 %", (100 * BUDGET, 76), xytext=(4, 0), textcoords="offset points")
    axes.plot([0, 100], [0, 100], color=COLOURS["grey"], linestyle=":", label="random selection")
    axes.set(
        xlabel="examples looked at, %", ylabel="bad examples found, %", xlim=(0, 40), ylim=(0, 80)
    )
    axes.set_title(f"Test month of {SHOWN}")
    legend_below(figure, axes, columns=2, title="RLSD with minimum recall, minimum precision")
    return figure, pd.DataFrame(rows, columns=["model", "share inspected", "share found"])


def _found_by_share(score, y):
    """Corners of the curve; within equal scores the order is random, so it is a straight line."""
    levels = np.unique(score)[::-1]
    above = np.array([(score >= level).sum() for level in levels])
    hits = np.array([(y[score >= level] == 1).sum() for level in levels])
    return np.r_[0, above / len(y)], np.r_[0, hits / y.sum()]
