"""The figures: those with numbers, the overviews and cost curves to play with.

Each function returns a figure and the data that it plots.
"""

import textwrap
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from minority.costs import probability_cost
from minority.sampling import SamplingWrapperClassifier, plot_search_path
from minority.trees import C45Classifier
from minority_reports import datasets
from minority_reports.experiments import Results
from minority_reports.papers.sampling_wrapper.schemes import COST_RATIOS, RATIOS, SCHEMES
from minority_reports.papers.sampling_wrapper.tables import (
    A1_RATIOS,
    costs,
    envelopes,
    label_of,
    levels,
    of_learner,
)
from minority_reports.report.style import (
    COLOURS,
    beside,
    canvas,
    empty_figure,
    legend_below,
    log_ticks,
    look,
)
from minority_reports.report.tables import facts

#: The paper's seven schemes; two more are in some of the pictures.
_OF_THE_PAPER = (
    "base",
    "wrapper-f",
    "wrapper-auroc",
    "wrapper-cost",
    "wrapper-beta",
    "metacost",
    "csc",
)
#: What Figures 8 and 9 show.
_CURVES = ("wrapper-f", "wrapper-auroc", "csc", "metacost")


def cost_trends(results: Results, learner: str):
    """Figures 6 and 7: costs at 2:1 to 20:1 as shares of the highest of seven schemes."""
    parts = {}
    for ratio in COST_RATIOS:
        frame = of_learner(costs(results, ratio)[list(_OF_THE_PAPER)], learner)
        parts[ratio] = frame.div(frame.max(axis=1), axis=0)
    data = pd.concat(parts, names=["ratio", "dataset"])
    if data.empty:
        return empty_figure(), data.reset_index()
    names = list(dict.fromkeys(data.index.get_level_values("dataset")))
    columns = beside(2, 2.5)
    rows = -(-len(COST_RATIOS) // columns)
    lines = rows * (1.9 * len(names) + 3)
    figure, grid = canvas(
        rows, columns, shape=0, lines=lines, sharex=True, sharey=True, squeeze=False
    )
    # Schemes with the same cost lie side by side.
    shifts = np.linspace(-0.27, 0.27, len(_OF_THE_PAPER))
    for axes, ratio in zip(grid.ravel(), COST_RATIOS, strict=True):
        frame = data.loc[ratio].reindex(names)
        for scheme, shift in zip(_OF_THE_PAPER, shifts, strict=True):
            places = np.arange(len(names)) + shift
            label = SCHEMES[scheme]
            axes.plot(frame[scheme], places, linestyle="", label=label, ms=4.5, **look(scheme))
        axes.set(title=f"cost ratio {ratio}:1", xlim=(0.4, 1.04))
        axes.set_yticks(range(len(names)), map(label_of, names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        for line in np.arange(0.5, len(names) - 1):
            axes.axhline(line, color="0.88", linewidth=0.8)
    least = data.min(axis=None)
    grid[0, 0].set_xlim(left=min(0.4, least - 0.04))
    for axes in grid[-1]:
        axes.set_xlabel("cost, highest = 1")
    legend_below(figure, grid[0, 0])
    figure.suptitle(_titled(results, learner, "cost at four ratios"))
    return figure, data.reset_index()


def _titled(results: Results, learner: str, what: str) -> str:
    """A title that names the learner, and says how many runs there are unless all are."""
    return f"{results.labels[learner]}: {what}{_of_how_many(results)}"


def _of_how_many(results: Results) -> str:
    return "" if len(results.rows) == results.planned else f" ({results.coverage()})"


def cost_curves(results: Results, learner: str):
    """Figures 8 and 9: lower envelopes from 13 ratios, one panel for each data set."""
    curves = {
        (dataset, scheme): curve
        for (method, dataset, scheme), curve in envelopes(results).items()
        if method == learner and scheme in _CURVES
    }
    lines = [
        {"dataset": dataset, "scheme": scheme, "pcf": pcf, "cost": cost}
        for (dataset, scheme), curve in curves.items()
        for pcf, cost in zip(curve.pcf, curve.cost, strict=True)
    ]
    data = pd.DataFrame(lines, columns=["dataset", "scheme", "pcf", "cost"])
    if data.empty:
        return empty_figure(), data
    present = [name for name in results.datasets if name in set(data["dataset"])]
    columns = beside(4, 1.5)
    n_rows = -(-len(present) // columns)
    figure, grid = canvas(n_rows, columns, shape=0.9, lines=n_rows + 2, squeeze=False)
    for axes, name in zip(grid.ravel(), present, strict=False):
        shown = {scheme: curves[name, scheme] for scheme in _CURVES if (name, scheme) in curves}
        _draw_curves(axes, shown)
        axes.set_title(label_of(name))
    for axes in grid.ravel()[len(present) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("normalised cost")
    for axes in grid.ravel()[max(0, len(present) - columns) : len(present)]:
        axes.set_xlabel("PCF(+)")
    legend_below(figure, grid[0, 0])
    figure.suptitle(_titled(results, learner, "lower envelopes of cost curves"))
    return figure, data


def _draw_curves(axes, curves, best=()):
    """Lower envelopes by scheme, those of the `best` thick, below the cost of a trivial answer."""
    grey = COLOURS["grey"]
    axes.plot([0, 0.5, 1], [0, 0.5, 0], "--", color=grey, linewidth=1, label="trivial")
    for scheme, curve in curves.items():
        colour = look(scheme)["color"]
        width = 3 if scheme in best else 1.2
        axes.plot(curve.pcf, curve.cost, color=colour, linewidth=width, label=SCHEMES[scheme])
    highest = max(curve.cost.max() for curve in curves.values())
    axes.set(xlim=(0, 1), ylim=(0, 1.15 * highest))
    axes.set_xticks((0, 0.5, 1), ("0", "0.5", "1"))


def cost_by_ratio(results: Results, learner: str):
    """Cost of each scheme from 1:1 to 100:1 as a share of the base's at p*; not in the paper."""
    schemes = [scheme for scheme in SCHEMES if scheme != "base"]
    parts = {}
    for ratio in RATIOS:
        frame = of_learner(costs(results, ratio), learner)
        parts[ratio] = np.exp(np.log(frame[schemes].div(frame["base"], axis=0)).mean())
    data = pd.DataFrame(parts).T.rename_axis("ratio")
    if results.rows.empty:
        return empty_figure(), data.reset_index()
    figure, axes = canvas(shape=0.55)
    for scheme in schemes:
        style = "-" if scheme in _OF_THE_PAPER else ":"
        axes.plot(data.index, data[scheme], style, label=SCHEMES[scheme], **look(scheme))
    axes.axhline(1, color=COLOURS["grey"], linewidth=1)
    shown = (*A1_RATIOS, 50, 100)
    log_ticks(axes, shown, [f"{ratio}:1" for ratio in shown])
    axes.set(xlabel="cost of a missed positive : cost of a false alarm", ylabel="cost, base = 1")
    legend_below(figure, axes)
    axes.set_title(_titled(results, learner, "geometric mean over the data sets"))
    return figure, data.reset_index()


def levels_by_skew(results: Results):
    """What the searches with the paper's learners found, on data sets by their imbalance."""
    results = results.of_protocol()
    data = levels(results).reset_index()
    if data.empty:
        return empty_figure(), data
    data["imbalance"] = facts(data["dataset"])["imbalance"].to_numpy()
    order = data.drop_duplicates("dataset").set_index("dataset").sort_values("imbalance")
    places = dict(zip(order.index, range(len(order)), strict=True))
    figure, axes = canvas(1, 2, shape=0, lines=1.8 * len(order) + 6, sharey=True)
    texts = {"smote": "SMOTE, % of the minority class", "removed": "majority removed, %"}
    groups = data.groupby(["method", "setting"], observed=True)
    shifts = np.linspace(-0.24, 0.24, len(groups))
    for panel, (kind, text) in zip(axes, texts.items(), strict=True):
        for shift, ((method, scheme), group) in zip(shifts, groups, strict=True):
            looks = look(scheme)
            panel.scatter(
                group[kind],
                group["dataset"].map(places) + shift,
                marker=looks["marker"],
                edgecolors=looks["color"],
                facecolors=looks["color"] if method == "c45" else "white",
                label=f"{results.labels[method]}, {SCHEMES[scheme]}",
                zorder=3,
            )
        panel.set_xlabel(text)
        panel.set_xlim(left=-0.04 * panel.get_xlim()[1])
    named = [f"{label_of(n)} ({order.loc[n, 'imbalance']:.0f}:1)" for n in order.index]
    axes[0].set_yticks(range(len(order)), named)
    axes[0].set_ylabel("data set (imbalance ratio)")
    legend_below(figure, axes[0], columns=2)
    figure.suptitle(f"Levels found by cost-insensitive searches{_of_how_many(results)}")
    return figure, data


# Cost curves at one cost ratio, to play with.

#: Of the costs in the picture.
DIGITS = 3


def cost_choices(results: Results) -> dict[str, dict]:
    """What `costs_at` can show of some results, by the names that people read."""
    found = set(results.rows["method"])
    return {
        "data_set": {label_of(name): name for name in results.datasets},
        "learner": {label: name for name, label in results.labels.items() if name in found},
        "ratio": {f"{ratio}:1": ratio for ratio in RATIOS},
    }


def costs_at(results: Results, data_set: str, learner: str, ratio: float = 10):
    """The lower envelopes of all schemes and the cheapest at a cost ratio, for `report.play`."""
    return _draw(results, data_set, learner, [ratio])


def cost_ratios(results: Results, ratios: Sequence[float] = (1, 10, 100)):
    """What the slider of `costs_at` does: the same curves at some cost ratios.

    They are of the first data set and the first learner with rows. A caption with the numbers of
    all panels is in ``frame.attrs``.
    """
    choices = cost_choices(results)
    data_set, learner = (next(iter(choices[k].values()), "") for k in ("data_set", "learner"))
    return _draw(results, data_set, learner, ratios)


def cheapest(
    results: Results, data_set: str, learner: str, ratio: float
) -> tuple[float, pd.Series, list[str]]:
    """Which schemes have the lowest envelope at a cost ratio, for the class shares of a data set.

    The PCF(+) at which the ratio lies; normalised expected cost by scheme, the cheapest first; and
    the cheapest, none if one of the trivial classifiers costs as little. Costs that are shown as
    the same number, to :data:`DIGITS` digits, count as equal.
    """
    rows = results.rows[results.rows["dataset"] == data_set]
    share = rows["positives"].sum() / (rows["positives"] + rows["negatives"]).sum()
    pcf = probability_cost(share, ratio)
    curves = _curves(results, data_set, learner)
    # Rounded, so that the order of a sum does not decide between equals.
    costs = pd.Series({scheme: round(float(c.at(pcf)), 12) for scheme, c in curves.items()})
    costs = costs.sort_values(kind="stable")
    shown, trivial = costs.round(DIGITS), round(min(pcf, 1 - pcf), DIGITS)
    return pcf, costs, list(shown.index[(shown == shown.min()) & (shown < trivial)])


def _curves(results, data_set, learner):
    found = envelopes(results)
    keys = {scheme: (learner, data_set, scheme) for scheme in SCHEMES}
    return {scheme: found[key] for scheme, key in keys.items() if key in found}


def _draw(results, data_set, learner, ratios):
    """A panel for each ratio; its title names the cheapest schemes there, drawn thick."""
    curves = _curves(results, data_set, learner)
    if not curves:
        frame = pd.DataFrame(columns=["scheme", "pcf", "cost", "ratio"])
        frame.attrs["caption"] = "No rows yet."
        return empty_figure(), frame
    bends = [
        pd.DataFrame({"scheme": scheme, "pcf": curve.pcf, "cost": curve.cost})
        for scheme, curve in curves.items()
    ]
    columns = beside(len(ratios), 1.9)
    rows = -(-len(ratios) // columns)
    figure, grid = canvas(rows, columns, shape=0.8, lines=4 * rows + 3, sharey=True, squeeze=False)
    found, told = [], []
    for axes, ratio in zip(grid.ravel(), ratios, strict=False):
        pcf, costs, best = cheapest(results, data_set, learner, ratio)
        _draw_curves(axes, curves, best)
        axes.axvline(pcf, color="black", linewidth=1)
        axes.plot(pcf, costs.iloc[0], "o", color="black", markersize=6)
        trivial = "always positive" if pcf > 0.5 else "always negative"
        names = ", ".join(SCHEMES[scheme] for scheme in best) or trivial
        result = f"{names}: {costs.iloc[0]:.{DIGITS}f}"
        title = textwrap.fill(f"cheapest is {result}", 30)
        axes.set_title(f"{ratio:g}:1, PCF(+) = {pcf:.2f}\n{title}", fontsize="medium")
        axes.set_xlabel("PCF(+)")
        told.append(f"at {ratio:g}:1, a PCF(+) of {pcf:.2f}, {result}")
        here = {"scheme": costs.index, "pcf": pcf, "cost": costs.to_numpy(), "ratio": ratio}
        found.append(pd.DataFrame(here))
    for axes in grid.ravel()[len(ratios) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("normalised expected cost")
    legend_below(figure, grid[0, 0])
    what = f"{label_of(data_set)} with {results.labels[learner]}"
    figure.suptitle(f"{what}: lower envelopes{_of_how_many(results)}")
    frame = pd.concat([*bends, *found], ignore_index=True)
    frame.attrs["caption"] = (
        f"{what}: lower envelopes of the cost curves of {len(curves)} schemes, with a line where "
        f"the cost ratio lies. Cheapest there, with its normalised cost: {'; '.join(told)}."
    )
    return figure, frame


# Figures 4 and 5 as drawn overviews, and a search shown step by step.


def _overview(boxes, arrows):
    """Draw boxes {name: (text, x, y)} and arrows between them, from edge to edge."""
    figure, axes = canvas(shape=0.5)
    look = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "black"}
    drawn = {
        name: axes.text(x, y, text, ha="center", va="center", fontsize="small", bbox=look)
        for name, (text, x, y) in boxes.items()
    }
    figure.canvas.draw()  # only then do the boxes have their sizes
    for start, end in arrows:
        between = {
            "arrowstyle": "->",
            "color": COLOURS["grey"],
            "patchA": drawn[start].get_bbox_patch(),
            "patchB": drawn[end].get_bbox_patch(),
        }
        axes.annotate("", boxes[end][1:], boxes[start][1:], arrowprops=between, zorder=0)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    texts = {name: text.replace("\n", " ") for name, (text, _, _) in boxes.items()}
    data = pd.DataFrame([(texts[a], texts[b]) for a, b in arrows], columns=["from", "to"])
    return figure, data


def figure4():
    """Figure 4: how the search is spread over workers."""
    boxes = {"data": ("Data", 0.5, 0.94), "end": ("Ten models, each tested on its fold", 0.5, 0.06)}
    arrows = []
    for number, place in ((1, 0.15), (2, 0.5), (10, 0.85)):
        steps = {
            f"outer {number}": (f"Worker {number}: outer fold {number},\n90 % to train", 0.71),
            f"inner {number}": ("Five inner folds judge\none level after another", 0.48),
            f"final {number}": ("Train on all of the 90 %\nat the levels found", 0.26),
        }
        boxes |= {name: (text, place, height) for name, (text, height) in steps.items()}
        chain = ["data", *steps, "end"]
        arrows += pairwise(chain)
    figure, data = _overview(boxes, arrows)
    figure.axes[0].text(0.675, 0.48, "…", ha="center", va="center", fontsize="x-large")
    return figure, data


def figure5():
    """Figure 5: the experiments."""
    boxes = {
        "sets": ("Seven data sets; C4.5 and RIPPER", 0.5, 0.93),
        "base": ("Base", 0.06, 0.68),
        "wrapper": ("Undersampling and SMOTE,\nlevels searched by", 0.42, 0.7),
        "f": ("F", 0.2, 0.46),
        "auroc": ("AUROC", 0.34, 0.46),
        "cost": ("cost", 0.5, 0.46),
        "beta": ("F with β", 0.64, 0.46),
        "metacost": ("MetaCost", 0.8, 0.68),
        "csc": ("CSC", 0.94, 0.68),
        "cut": ("one model, cut at p*", 0.2, 0.25),
        "each": ("one model for each ratio", 0.7, 0.25),
        "end": ("Costs at 2:1 to 20:1; cost curves from 1:1 to 100:1", 0.5, 0.06),
    }
    arrows = [("sets", name) for name in ("base", "wrapper", "metacost", "csc")]
    arrows += [("wrapper", name) for name in ("f", "auroc", "cost", "beta")]
    arrows += [(name, "cut") for name in ("base", "f", "auroc")]
    arrows += [(name, "each") for name in ("cost", "beta", "metacost", "csc")]
    arrows += [("cut", "end"), ("each", "end")]
    return _overview(boxes, arrows)


def shown_search(name: str, criterion: str, costs: float = 1):
    """A search with C4.5 on a whole data set: the fitted wrapper, a picture and its path."""
    data = datasets.load(name)
    model = SamplingWrapperClassifier(
        C45Classifier(), criterion=criterion, costs=costs, random_state=0
    ).fit(data.X, data.y)
    figure, axes = canvas(shape=0.5)
    # a search maximises, so that the scores of one by cost are negative
    ylabel = "negative cost" if criterion == "cost" else criterion
    plot_search_path(model.search_path_, axes, ylabel=ylabel)
    axes.set_xlabel("step: share of class 0 kept, then of SMOTE's examples of class 1")
    return model, figure, model.search_path_
