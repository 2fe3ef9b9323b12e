"""Drawing a search for sampling levels."""

import numpy as np

from minority._extras import optional

# Okabe and Ito's palette, which colour-blind readers can tell apart.
_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def _moved(row):
    """The level that a step moved."""
    if row["stage"] == "start":
        return "start"
    name = row["class"]
    if row["stage"] == "undersampling":
        return f"{name}: {row[f'kept {name}']:g} %"
    return f"{name}: +{row[f'smote {name}']:g} %"


def plot_search_path(path, ax=None, *, ylabel="score"):
    """Draw the levels tried and the scores they gave.

    Parameters
    ----------
    path : pandas.DataFrame
        `search_path_` of a `SamplingWrapperClassifier`, or the path of `search_levels`.
    ax : matplotlib.axes.Axes, default=None
        A new figure by default.
    ylabel : str, default="score"
        What the scores are. Those of a search by cost are negative costs.

    Returns
    -------
    ax : matplotlib.axes.Axes
        One line per class over the steps in their order, through the accepted ones; refused
        steps are hollow. Classes with the same scores, as by cost or AUROC, share a line. A
        dotted line separates undersampling from SMOTE.
    """
    plt = optional("matplotlib.pyplot", "plot")

    if ax is None:
        ax = plt.subplots()[1]
    steps, accepted = np.arange(len(path)), path["accepted"].to_numpy(dtype=bool)
    scores = [name for name in path.columns if name.startswith("score ")]
    lines = {}
    for name in scores:
        lines.setdefault(tuple(path[name]), []).append(name.removeprefix("score "))
    for number, (values, names) in enumerate(lines.items()):
        colour, values = _COLOURS[number % len(_COLOURS)], np.array(values)
        label = " and ".join(names)
        ax.plot(steps[accepted], values[accepted], "-o", color=colour, ms=4, label=label)
        ax.plot(steps[~accepted], values[~accepted], "o", color=colour, ms=4, mfc="none")
    first = int((path["stage"] != "smote").sum())
    if 0 < first < len(path):
        ax.axvline(first - 0.5, color="0.6", linestyle=":", linewidth=1)
    ticks = [_moved(row) for row in path.to_dict("records")]
    ax.set_xticks(steps, ticks, rotation=90, fontsize="small")
    ax.set(ylabel=ylabel)
    if scores:
        ax.legend(title="class")
    return ax
