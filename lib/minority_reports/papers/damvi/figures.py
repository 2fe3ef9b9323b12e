"""The figures of DAMVI. Each function returns a figure and the data that it plots."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority.ensembles import DAMVIClassifier, weigh_votes
from minority_reports import datasets
from minority_reports.experiments import Results
from minority_reports.papers.damvi.protocol import vote_measures
from minority_reports.papers.damvi.tables import MEASURES, imbalance_rows, positive_share
from minority_reports.report.style import (
    BLUE,
    COLOURS,
    GREEN,
    ORANGE,
    PINK,
    SKY,
    YELLOW,
    canvas,
    empty_figure,
    legend_beside,
    log_ticks,
)
from minority_reports.statistics import excludes_zero

#: Colour and mark of what Figure 1 is about; the other methods stay in the background.
_OF_NOTE = {"damvi": (ORANGE, "o"), "r-bg": (BLUE, "s"), "ee": (GREEN, "^")}
_BACKGROUND_MARKS = "vDPX<>*"


def three_voters():
    """The C-bound of three voters against the weight of the first, and what it bounds.

    Of ten rows the first voter gets two wrong and the others three each; only one row is got
    wrong by two of them. The others share what weight the first leaves.
    """
    signs = np.ones(10, dtype=np.int8)
    votes = np.ones((10, 3), dtype=np.int8)
    for voter, wrong in enumerate([(0, 1), (2, 3, 4), (4, 5, 6)]):
        votes[list(wrong), voter] = -1
    best = weigh_votes(votes, signs, reweighting=None)
    weights = np.linspace(0, 1, 201)
    shares = np.column_stack([weights, (1 - weights) / 2, (1 - weights) / 2])
    frame = pd.DataFrame([vote_measures(votes, signs, q, None) for q in shares])
    frame = frame[["c_bound", "gibbs_risk", "disagreement", "weighted_risk"]]
    frame.insert(0, "weight", weights)
    figure, axes = canvas(shape=0.5)
    for values, text, colour, style in [
        (2 * frame["gibbs_risk"], "twice the Gibbs risk", BLUE, "--"),
        (frame["c_bound"], "C-bound", ORANGE, "-"),
        (frame["disagreement"], "disagreement d", PINK, "-."),
        (frame["gibbs_risk"], "Gibbs risk R", GREEN, ":"),
        (frame["weighted_risk"], "error of the vote, ties count", COLOURS["model"], "-"),
    ]:
        axes.plot(weights, values, style, color=colour, label=text)
    axes.plot(best.weights[0], best.c_bound, "o", color=ORANGE, markersize=8)
    axes.annotate(
        f"least C-bound: {best.c_bound:.2f}\nat q = {best.weights[0]:.2f}",
        (best.weights[0], best.c_bound),
        (0, 50),
        textcoords="offset points",
        ha="center",
        arrowprops={"arrowstyle": "-", "color": ORANGE, "shrinkB": 6},
    )
    axes.set(xlabel="weight q of the first voter", ylabel="error or bound", ylim=(0, 1))
    axes.set_title("Three voters who get 8, 7 and 7 of 10 rows right")
    legend_beside(axes)
    return figure, frame


def gains(results: Results, rivals: Mapping[str, str]):
    """DAMVI less each rival in F1 and AP on every set, with corrected 95 % intervals."""
    results = results.complete()
    frames = {
        (rival, label): results.gaps(measure, "damvi", rival).query("splits > 1")
        for rival in rivals
        for measure, label in MEASURES.items()
    }
    data = pd.concat(frames, names=["rival", "measure"]).reset_index()
    if data.empty:
        return empty_figure(), data
    share = 100 * positive_share(results)
    order = sorted(set(data["data set"]), key=share.get, reverse=True)
    figure, panels = canvas(
        1,
        len(rivals),
        shape=0,
        lines=6 + 1.8 * len(order),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    places = dict(zip(order, range(len(order)), strict=True))
    for axes, (rival, text) in zip(panels[0], rivals.items(), strict=True):
        for label, mark, colour, shift in (("F1", "o", ORANGE, 0.15), ("AP", "s", BLUE, -0.15)):
            frame = frames[rival, label]
            clear = excludes_zero(frame).to_numpy()
            height = np.array([places[name] for name in frame.index]) + shift
            middle = frame["difference"].to_numpy()
            spread = np.abs(frame[["low", "high"]].to_numpy().T - middle)
            axes.errorbar(
                middle, height, xerr=spread, fmt="none", color=colour, elinewidth=1, alpha=0.7
            )
            faces = np.where(clear, colour, "white")
            axes.scatter(middle, height, marker=mark, s=26, c=faces, edgecolors=colour, zorder=3)
            axes.plot([], [], mark, color=colour, label=label)
        axes.axvline(0, color="black", linewidth=1)
        axes.set_title(f"less {text}")
        axes.locator_params(axis="x", nbins=4)
    panels[0, 0].set_yticks(range(len(order)), [f"{n} ({share[n]:.1f} %)" for n in order])
    panels[0, 0].set_ylabel("data set (share of positives)")
    hollow = {"color": COLOURS["grey"], "markerfacecolor": "white"}
    panels[0, -1].plot([], [], "o", label="interval\nincludes 0", **hollow)
    legend_beside(panels[0, -1])
    figure.suptitle(f"Right of the line DAMVI is ahead ({results.coverage()})")
    return figure, data


def figure1(results: Results, thinned: str = "in both parts of a split"):
    """F1 and AP against the percentage of positives; `thinned` says where that is reached."""
    rows = imbalance_rows(results.complete())
    if rows.empty:
        return empty_figure(), rows
    means = rows.groupby(["method", "percent"], sort=False)[list(MEASURES)].mean()
    figure, panels = canvas(1, 2, shape=0.85)
    others = iter(_BACKGROUND_MARKS)
    looks = {m: _OF_NOTE.get(m) or (COLOURS["grey"], next(others)) for m in rows["method"].unique()}
    percents = sorted(rows["percent"].unique())
    for axes, (measure, label) in zip(panels, MEASURES.items(), strict=True):
        for method, (colour, mark) in looks.items():
            line = means.loc[method, measure].reindex(percents)
            noted = method in _OF_NOTE
            axes.plot(
                percents,
                line,
                marker=mark,
                color=colour,
                linewidth=2.6 if method == "damvi" else 1.8 if noted else 1,
                markersize=6 if noted else 4.5,
                zorder=4 if method == "damvi" else 3 if noted else 2,
                label=results.labels[method],
            )
        log_ticks(axes, percents)
        axes.set(xlabel="positives in per cent", ylabel=label, ylim=(0, 1))
    legend_beside(panels[1])
    names = ", ".join(dict.fromkeys(rows["dataset"]))
    splits = f"means over {results.experiment.folds} splits ({results.coverage()})"
    figure.suptitle(f"{names}, thinned {thinned}: {splits}")
    return figure, means.reset_index()


def bound_and_error(results: Results):
    """The C-bound against what it bounds, and against the error on new rows."""
    rows = results.rows_of(setting="reweighting=vote")
    data = rows[["dataset", "repeat", "fold", "c_bound", "weighted_risk", "test_risk"]]
    if data.empty:
        return empty_figure(), data
    figure, panels = canvas(1, 2, shape=0.95, sharey=True)
    looks = _looks(data["dataset"].unique())
    for axes, measure, text in [
        (panels[0], "weighted_risk", "weighted training error (what is bounded)"),
        (panels[1], "test_risk", "error on the test part"),
    ]:
        for name, (colour, mark) in looks.items():
            part = data[data["dataset"] == name]
            axes.scatter(
                part[measure],
                part["c_bound"],
                s=14,
                marker=mark,
                color=colour,
                alpha=0.6,
                label=name,
            )
        axes.plot([0, 1], [0, 1], color="black", linewidth=1)
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_yscale("symlog", linthresh=1e-3)
        ticks = [0, 0.001, 0.01, 0.1, 1]
        axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
        axes.set(xlabel=text, xlim=(-2e-4, 1), ylim=(-2e-4, 1))
    panels[0].set_ylabel("C-bound")
    legend_beside(panels[1], markerscale=1.5)
    figure.suptitle(f"Above the line the C-bound is larger than the error ({len(data):,} splits)")
    return figure, data


def _looks(names) -> dict[str, tuple[str, str]]:
    """A colour and a mark for each name, no pair twice."""
    colours = [BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, "#000000"]
    marks = "os^D"
    return {
        name: (colours[i % len(colours)], marks[i // len(colours) % len(marks)])
        for i, name in enumerate(names)
    }


def voter_weights(name: str = "yeast6", seed: int = 0):
    """The weights of 100 trees against their own error and how much they differ from the others.

    Errors and disagreements are weighted by D, as in the C-bound, and those of the training part.
    """
    from minority.ensembles._cbound import mean_rights, moments, row_weights

    data = datasets.load(name)
    X, signs = data.X.to_numpy(dtype=np.float64), 2 * data.y.astype(np.int8) - 1
    model = DAMVIClassifier(max_bins=None, pos_label=1, random_state=seed).fit(X, signs)
    votes = model.voters_.votes(X)
    right = mean_rights(votes, signs)
    first, second = moments(votes, signs, row_weights(right, signs == 1, "vote"), right)
    apart = (1 - second) / 2
    frame = pd.DataFrame(
        {
            "weight": model.weights_,
            "own_error": (1 - first) / 2,
            "mean_disagreement": apart.sum(axis=1) / (len(first) - 1),
        }
    )
    figure, axes = canvas()
    used = frame["weight"] > 0
    none = {"s": 22, "facecolors": "none", "edgecolors": COLOURS["grey"]}
    some = {"s": 12 + 2500 * frame.loc[used, "weight"], "color": ORANGE, "alpha": 0.75}
    for chosen, text, look in [
        (~used, f"no weight ({(~used).sum()})", none),
        (used, f"with weight ({used.sum()}), area by weight", some | {"edgecolors": "white"}),
    ]:
        places = frame.loc[chosen, ["own_error", "mean_disagreement"]].to_numpy().T
        axes.scatter(*places, label=text, **look)
    axes.set(xlabel="own error", ylabel="mean disagreement with the other trees")
    axes.set_title(f"{name}: which of {len(frame)} trees get weight")
    legend_beside(axes)
    return figure, frame
