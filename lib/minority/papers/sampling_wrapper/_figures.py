"""The figures with numbers. Each function returns a figure and the data that it plots."""

import numpy as np
import pandas as pd

from minority.costs import plot_cost_curve
from minority.experiments import Results
from minority.papers.sampling_wrapper._numbers import costs, envelopes, label_of, levels, of_learner
from minority.papers.sampling_wrapper._schemes import RATIOS, SCHEMES
from minority.papers.sampling_wrapper._tables import A1_RATIOS
from minority.report import COLOURS

#: The paper's seven schemes: colour and mark.
_LOOKS = {
    "base": (COLOURS["grey"], "x"),
    "wrapper-f": ("#E69F00", "^"),
    "wrapper-auroc": ("#D55E00", "o"),
    "wrapper-cost": ("#CC79A7", "v"),
    "wrapper-beta": ("#F0E442", "D"),
    "metacost": ("#0072B2", "s"),
    "csc": ("#009E73", "P"),
}
#: Those of the two schemes beyond the paper too.
LOOKS = _LOOKS | {"costing": ("#56B4E9", "*"), "weighting": ("black", "+")}
#: What Figures 8 and 9 show.
_CURVES = ("wrapper-f", "wrapper-auroc", "csc", "metacost")
_TRENDS = A1_RATIOS[1:]


def empty_figure():
    """A figure for a selection without rows."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 2))
    axes.text(0.5, 0.5, "no rows yet", ha="center", va="center")
    axes.set_axis_off()
    return figure


def cost_trends(results: Results, learner: str):
    """Figures 6 and 7: costs at 2:1 to 20:1 as shares of the highest of seven schemes."""
    import matplotlib.pyplot as plt

    parts = {}
    for ratio in _TRENDS:
        frame = of_learner(costs(results, ratio)[list(_LOOKS)], learner)
        parts[ratio] = frame.div(frame.max(axis=1), axis=0)
    data = pd.concat(parts, names=["ratio", "dataset"])
    if data.empty:
        return empty_figure(), data.reset_index()
    figure, panels = plt.subplots(2, 2, figsize=(11, 7), sharex=True, sharey=True)
    for axes, ratio in zip(panels.ravel(), _TRENDS, strict=True):
        frame = data.loc[ratio]
        places = np.arange(len(frame))
        for scheme, (colour, mark) in _LOOKS.items():
            axes.plot(
                places,
                frame[scheme],
                marker=mark,
                color=colour,
                linewidth=1,
                markeredgecolor="black" if scheme == "wrapper-beta" else colour,
                markeredgewidth=0.5 if scheme == "wrapper-beta" else 1.5,
                label=SCHEMES[scheme],
            )
        axes.set_xticks(places, [label_of(name) for name in frame.index], rotation=30)
        axes.set_title(f"{ratio}:1")
        axes.set_ylim(0, 1.05)
    for axes in panels[:, 0]:
        axes.set_ylabel("cost, highest = 1")
    panels[0, 1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    learner_text = results.experiment.methods[learner].label
    figure.suptitle(f"{learner_text}: cost by data set at four ratios ({results.coverage()})")
    return figure, data.reset_index()


def cost_curves(results: Results, learner: str):
    """Figures 8 and 9: lower envelopes from 13 ratios, one panel a data set."""
    import matplotlib.pyplot as plt

    curves = {
        (dataset, scheme): curve
        for (method, dataset, scheme), curve in results.once(envelopes).items()
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
    present = [name for name in results.experiment.datasets if name in set(data["dataset"])]
    present += [name for name in data["dataset"].unique() if name not in present]
    n_rows = -(-(len(present) + 1) // 4)
    figure, panels = plt.subplots(n_rows, 4, figsize=(12, 3.2 * n_rows), squeeze=False)
    for axes, name in zip(panels.ravel(), present, strict=False):
        shown = {SCHEMES[s]: curves[name, s] for s in _CURVES if (name, s) in curves}
        plot_cost_curve(shown, axes)
        handles, texts = axes.get_legend_handles_labels()
        axes.get_legend().remove()
        highest = max(curve.cost.max() for curve in shown.values())
        axes.set(title=label_of(name), xlabel="PCF(+)", ylabel="", ylim=(0, 1.15 * highest))
    for axes in panels[:, 0]:
        axes.set_ylabel("normalised cost")
    for axes in panels.ravel()[len(present) :]:
        axes.set_axis_off()
    panels.ravel()[len(present)].legend(handles, texts, loc="center")
    learner_text = results.experiment.methods[learner].label
    figure.suptitle(f"{learner_text}: lower envelopes of cost curves ({results.coverage()})")
    return figure, data


def cost_by_ratio(results: Results, learner: str):
    """Cost of each scheme from 1:1 to 100:1 as a share of the base's at p*; not in the paper."""
    import matplotlib.pyplot as plt

    schemes = [scheme for scheme in SCHEMES if scheme != "base"]
    parts = {}
    for ratio in RATIOS:
        frame = of_learner(costs(results, ratio), learner)
        parts[ratio] = np.exp(np.log(frame[schemes].div(frame["base"], axis=0)).mean())
    data = pd.DataFrame(parts).T.rename_axis("ratio")
    if results.rows.empty:
        return empty_figure(), data.reset_index()
    figure, axes = plt.subplots(figsize=(8.5, 4.4))
    for scheme in schemes:
        colour, mark = LOOKS[scheme]
        style = "-" if scheme in _LOOKS else ":"
        axes.plot(data.index, data[scheme], style, marker=mark, color=colour, label=SCHEMES[scheme])
    axes.axhline(1, color=COLOURS["grey"], linewidth=1)
    axes.set_xscale("log")
    shown = (*A1_RATIOS, 50, 100)
    axes.set_xticks(shown, [f"{ratio}:1" for ratio in shown])
    axes.set_xticks([], minor=True)
    axes.set(xlabel="cost ratio", ylabel="cost, base at p* = 1")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    learner_text = results.experiment.methods[learner].label
    axes.set_title(f"{learner_text}: geometric mean over the data sets ({results.coverage()})")
    return figure, data.reset_index()


def levels_by_skew(results: Results):
    """What the searches found against the imbalance of the data sets."""
    import matplotlib.pyplot as plt

    from minority import datasets

    data = levels(results).reset_index()
    if data.empty:
        return empty_figure(), data
    facts = datasets.describe().set_index("name")
    data["imbalance"] = facts["imbalance"].reindex(data["dataset"]).astype(float).to_numpy()
    figure, panels = plt.subplots(1, 2, figsize=(11, 4))
    texts = {"smote": "SMOTE, %", "removed": "majority removed, %"}
    for axes, (kind, text) in zip(panels, texts.items(), strict=True):
        for (method, scheme), group in data.groupby(["method", "setting"], observed=True):
            colour, mark = _LOOKS[scheme]
            axes.scatter(
                group["imbalance"],
                group[kind],
                marker=mark,
                edgecolors=colour,
                facecolors=colour if method == "c45" else "white",
                label=f"{results.experiment.methods[method].label}, {SCHEMES[scheme]}",
            )
        top = data.groupby(["dataset", "imbalance"])[kind].max().reset_index()
        for name, place, height in top.itertuples(index=False):
            axes.annotate(
                label_of(name),
                (place, height),
                (0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        axes.set_xscale("log")
        axes.set_xticks((2, 5, 10, 20, 40), ("2", "5", "10", "20", "40"))
        axes.set_xticks([], minor=True)
        axes.set(xlabel="negatives for each positive", ylabel=text)
        axes.margins(x=0.12, y=0.15)
    panels[1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.suptitle(f"Levels found by the searches without costs ({results.coverage()})")
    return figure, data
