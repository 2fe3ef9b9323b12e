"""Drawing cost curves."""

import numpy as np

from minority._extras import optional
from minority.costs._curves import CostCurve

# Okabe and Ito's palette, which colour-blind readers can tell apart.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
_TRIVIAL = "#999999"


def plot_cost_curve(curves, ax=None, *, lines=False):
    """Draw lower envelopes in cost space.

    The triangle is the cost of predicting always negative or always positive, whichever is the
    cheaper: a curve above it is worse than no classifier.

    Parameters
    ----------
    curves : CostCurve or dict of {str: CostCurve}
        One curve, or several by the names in the legend.
    ax : matplotlib.axes.Axes, default=None
        A new figure by default.
    lines : bool, default=False
        Whether to draw the lines of the classifiers on the envelope too.

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    plt = optional("matplotlib.pyplot", "plot")

    if isinstance(curves, CostCurve):
        curves = {"lower envelope": curves}
    if ax is None:
        ax = plt.subplots()[1]
    ax.plot([0, 0.5, 1], [0, 0.5, 0], color=_TRIVIAL, linestyle="--", label="trivial")
    for number, (name, curve) in enumerate(curves.items()):
        # Beyond the palette, other strokes tell curves apart.
        colour = _COLOURS[number % len(_COLOURS)]
        stroke = ["-", "-.", ":"][number // len(_COLOURS) % 3]
        if lines:
            ends = np.column_stack([curve.fpr, 1 - curve.tpr]).T
            ax.plot([0, 1], ends, color=colour, linewidth=0.6, alpha=0.4)
        ax.plot(curve.pcf, curve.cost, color=colour, linestyle=stroke, label=name)
    highest = max([0.5, *(curve.cost.max() for curve in curves.values())])
    ax.set(
        xlim=(0, 1),
        ylim=(0, 1.05 * highest),
        xlabel="PCF(+), probability cost",
        ylabel="normalised expected cost",
    )
    ax.legend()
    return ax
