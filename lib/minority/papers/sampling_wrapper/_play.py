"""Cost curves at one cost ratio, to play with. Each figure comes with its data."""

import textwrap
from collections.abc import Sequence

import pandas as pd

from minority.costs import probability_cost
from minority.experiments import Results
from minority.papers.sampling_wrapper._figures import LOOKS, empty_figure
from minority.papers.sampling_wrapper._numbers import envelopes, label_of
from minority.papers.sampling_wrapper._schemes import RATIOS, SCHEMES
from minority.report import COLOURS

#: Of the costs in the picture.
DIGITS = 3


def cost_choices(results: Results) -> dict[str, dict]:
    """What `costs_at` can show of some results, by the names that people read."""
    methods, rows = results.experiment.methods, results.rows
    sets = [*results.experiment.datasets, *rows["dataset"].unique()]
    return {
        "data_set": {label_of(name): name for name in sets if name in set(rows["dataset"])},
        "learner": {m.label: name for name, m in methods.items() if name in set(rows["method"])},
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

    Returns
    -------
    pcf : float
        Where the ratio lies on the horizontal axis.
    costs : Series
        Normalised expected cost by scheme, the cheapest first.
    best : list of str
        The cheapest; none if one of the trivial classifiers costs as little. Costs that are shown
        as the same number, to :data:`DIGITS` digits, count as equal.
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
    found = results.once(envelopes)
    keys = {scheme: (learner, data_set, scheme) for scheme in SCHEMES}
    return {scheme: found[key] for scheme, key in keys.items() if key in found}


def _draw(results, data_set, learner, ratios):
    """A panel for each ratio; its legend lists the schemes by their cost there."""
    import matplotlib.pyplot as plt

    curves = _curves(results, data_set, learner)
    if not curves:
        frame = pd.DataFrame(columns=["scheme", "pcf", "cost", "ratio"])
        frame.attrs["caption"] = "No rows yet."
        return empty_figure(), frame
    bends = [
        pd.DataFrame({"scheme": scheme, "pcf": curve.pcf, "cost": curve.cost})
        for scheme, curve in curves.items()
    ]
    size = (3 + 3 * len(ratios), 5.6)
    figure, panels = plt.subplots(1, len(ratios), figsize=size, sharey=True, squeeze=False)
    found, told = [], []
    for axes, ratio in zip(panels[0], ratios, strict=True):
        pcf, costs, best = cheapest(results, data_set, learner, ratio)
        _draw_panel(axes, curves, pcf, costs, best)
        trivial = "always positive" if pcf > 0.5 else "always negative"
        names = ", ".join(SCHEMES[scheme] for scheme in best) or trivial
        result = f"{names}: {costs.iloc[0]:.{DIGITS}f}"
        title = textwrap.fill(f"cheapest is {result}", 36)
        axes.set_title(f"{ratio:g}:1, PCF(+) = {pcf:.2f}\n{title}")
        told.append(f"at {ratio:g}:1, a PCF(+) of {pcf:.2f}, {result}")
        here = {"scheme": costs.index, "pcf": pcf, "cost": costs.to_numpy(), "ratio": ratio}
        found.append(pd.DataFrame(here))
    panels[0, 0].set_ylabel("normalised expected cost")
    what = f"{label_of(data_set)} with {results.experiment.methods[learner].label}"
    figure.suptitle(f"{what}: lower envelopes ({results.coverage()})")
    frame = pd.concat([*bends, *found], ignore_index=True)
    frame.attrs["caption"] = (
        f"{what}: lower envelopes of the cost curves of {len(curves)} schemes, with a line where "
        f"the cost ratio lies. Cheapest there, with its normalised cost: {'; '.join(told)}."
    )
    return figure, frame


def _draw_panel(axes, curves, pcf, costs, best):
    grey = COLOURS["grey"]
    axes.plot([0, 0.5, 1], [0, 0.5, 0], "--", color=grey, linewidth=1, label="trivial")
    for scheme, cost in costs.items():
        axes.plot(
            curves[scheme].pcf,
            curves[scheme].cost,
            color=LOOKS[scheme][0],
            linewidth=3 if scheme in best else 1.2,
            label=f"{SCHEMES[scheme]}: {cost:.{DIGITS}f}",
        )
    axes.axvline(pcf, color="black", linewidth=1)
    axes.plot(pcf, costs.iloc[0], "o", color="black", markersize=6)
    highest = max(curve.cost.max() for curve in curves.values())
    axes.set(xlim=(0, 1), ylim=(0, 1.15 * highest), xlabel="PCF(+)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, fontsize=8)
