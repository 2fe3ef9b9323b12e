"""Figures of the page on a user's own file: drawn into it, in its colours, light or dark."""

import io
import re
from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from minority_reports.papers.showdown.own.comparison import Comparison
from minority_reports.papers.showdown.own.evidence import (
    inspection_curve,
    own_decision,
    threshold_curve,
)
from minority_reports.papers.showdown.own.ranking import called
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.report.style import BLUE, GREEN, ORANGE

#: Stands for the colour of the page's text.
_INK = "#010203"
_LOOK = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), _INK),
    **dict.fromkeys(("axes.facecolor", "figure.facecolor"), "none"),
    **{"font.size": 9.5, "legend.frameon": False, "savefig.bbox": "tight", "axes.grid": True},
    **{"grid.color": "#808080", "grid.alpha": 0.25, "grid.linewidth": 0.6},
    **{"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10},
    "axes.titlelocation": "left",
}
#: Inches: as wide as a telephone shows without making letters small.
_WIDTH = 4.6
_LINES = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."))
#: Points of a curve that has one for each row.
_MOST_POINTS = 400


def inspection_svg(comparison: Comparison, entrants: Iterable[pd.Series]) -> str:
    """Which share of the positives is found by looking at a share of the rows."""
    with plt.rc_context(_LOOK):
        figure, axes = plt.subplots(figsize=(_WIDTH, 3.1))
        for (colour, dash), entrant in zip(_LINES, entrants, strict=False):
            curve = inspection_curve(comparison, entrant["method"], entrant["setting"])
            axes.plot(
                100 * curve.index, 100 * curve, dash, color=colour, lw=2, label=_label(entrant)
            )
        axes.plot([0, 100], [0, 100], ":", color=_INK, lw=1, label="in random order")
        most = _shown_share(comparison)
        axes.set(xlim=(0, 100 * most), ylim=(0, 102), xlabel="rows inspected, %")
        axes.set_title("positives found, %")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=1)
        return _svg(figure, "inspection")


def _label(entrant: pd.Series) -> str:
    """What an entrant is called, which is no formula."""
    return called(entrant).replace("$", r"\$")


def _shown_share(comparison: Comparison) -> float:
    """As far as the interesting part goes: five times the share of positives, at least a tenth."""
    share = float(comparison.plan.data.y.mean())
    return min(1.0, max(0.1, np.ceil(50 * share) / 10))


def threshold_svg(comparison: Comparison, entrant: pd.Series) -> str:
    """Precision, recall and G-mean by the threshold on the score."""
    key = entrant["method"], entrant["setting"]
    curve = threshold_curve(comparison, *key)
    if len(curve) > _MOST_POINTS:
        curve = curve.iloc[np.linspace(0, len(curve) - 1, _MOST_POINTS).astype(int)]
    with plt.rc_context(_LOOK):
        figure, axes = plt.subplots(figsize=(_WIDTH, 3.1))
        for (colour, dash), name in zip(_LINES, ("recall", "precision", "G-mean"), strict=True):
            axes.step(
                curve["threshold"], curve[name], dash, where="pre", color=colour, lw=2, label=name
            )
        own = own_decision(comparison, *key)
        axes.set(ylim=(-0.02, 1.04), xlabel="positive from this score on")
        axes.set_title(
            f"Own decision: recall {own['recall']:.2f}, precision {own['precision']:.2f}"
        )
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3)
        return _svg(figure, "threshold")


def ranking_svg(comparison: Comparison, entrants: Iterable[pd.Series]) -> str:
    """The metric of every entrant against the size of its model; some by their names."""
    metric, ranking = comparison.plan.metric, comparison.ranking
    shown = ranking[ranking["complete"]].dropna(subset=["conditions", metric])
    with plt.rc_context(_LOOK):
        figure, axes = plt.subplots(figsize=(_WIDTH, 3.4))
        size = shown["conditions"].clip(lower=1)
        axes.plot(size, shown[metric], "o", color=_INK, ms=5, alpha=0.45, label="other methods")
        for (colour, _), entrant in zip(_LINES, entrants, strict=False):
            place = max(1, entrant["conditions"]), entrant[metric]
            axes.plot(*place, "o", color=colour, ms=9, label=_label(entrant))
        if len(shown):
            axes.set_xscale("log")
        axes.set(xlabel="conditions in the model")
        axes.set_title(f"{METRICS[metric]}, mean over folds")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=1)
        return _svg(figure, "ranking")


def _svg(figure, salt: str) -> str:
    """A figure as part of a page: its ink is that of the page, its names are its own."""
    file = io.StringIO()
    with plt.rc_context({"svg.hashsalt": salt}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    plt.close(figure)
    text = file.getvalue()
    text = text[text.index("<svg") :].replace(_INK, "currentColor")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{salt}-", text)
