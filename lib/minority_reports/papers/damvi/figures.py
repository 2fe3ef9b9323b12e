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
    canvas,
    empty_figure,
    legend_below,
    legend_beside,
    log_ticks,
    look,
    name_marks,
    panels,
)
from minority_reports.statistics import excludes_zero


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
        (frame["weighted_risk"], "error of the vote,\nties count", COLOURS["model"], "-"),
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
    figure, drawn = panels(
        len(rivals), least=1.2, shape=0, lines=5 + 1.5 * len(order), sharex=True, sharey=True
    )
    places = dict(zip(order, range(len(order)), strict=True))
    for axes, (rival, text) in zip(drawn, rivals.items(), strict=True):
        for label, mark, colour, shift in (("F1", "o", ORANGE, 0.17), ("AP", "s", BLUE, -0.17)):
            frame = frames[rival, label]
            clear = excludes_zero(frame).to_numpy()
            height = np.array([places[name] for name in frame.index]) + shift
            middle = frame["difference"].to_numpy()
            spread = np.abs(frame[["low", "high"]].to_numpy().T - middle)
            axes.errorbar(
                middle, height, xerr=spread, fmt="none", color=colour, elinewidth=1, alpha=0.7
            )
            faces = np.where(clear, colour, "white")
            axes.scatter(middle, height, marker=mark, s=16, c=faces, edgecolors=colour, zorder=3)
            axes.plot([], [], mark, color=colour, label=label)
        axes.axvline(0, color="black", linewidth=1)
        axes.set(title="\n".join(["minus", *text.split()]), xlabel="difference")
        axes.locator_params(axis="x", nbins=4)
    for axes in figure.axes:
        axes.set_yticks(range(len(order)), [f"{n} ({share[n]:.1f} %)" for n in order])
    hollow = {"color": COLOURS["grey"], "markerfacecolor": "white"}
    drawn[0].plot([], [], "o", label="95 % interval includes 0", **hollow)
    figure.suptitle("F1 and AP of DAMVI")
    figure.supylabel("data set (share of positives)")
    legend_below(figure, drawn[0])
    return figure, data


def figure1(results: Results, thinned: str = "in both parts of a split"):
    """F1 and AP against the percentage of positives; `thinned` says where that is reached."""
    rows = imbalance_rows(results.complete())
    if rows.empty:
        return empty_figure(), rows
    means = rows.groupby(["method", "percent"], sort=False)[list(MEASURES)].mean()
    figure, drawn = panels(2, least=2.6, shape=0.85)
    percents = sorted(rows["percent"].unique())
    for axes, (measure, label) in zip(drawn, MEASURES.items(), strict=True):
        for method in rows["method"].unique():
            is_own = method == "damvi"
            line = means.loc[method, measure].reindex(percents)
            style = {"linewidth": 2.4 if is_own else 1.1, "zorder": 4 if is_own else 3}
            axes.plot(percents, line, label=results.labels[method], **look(method), **style)
        log_ticks(axes, percents)
        axes.set(xlabel="positives, %", ylabel=label, ylim=(0, 1))
    legend_below(figure, drawn[0], columns=5)
    names = ", ".join(dict.fromkeys(rows["dataset"]))
    figure.suptitle(f"{names}, thinned {thinned}")
    return figure, means.reset_index()


def bound_and_error(results: Results):
    """The C-bound against what it bounds, and against the error on new rows."""
    rows = results.rows_of(setting="reweighting=vote")
    data = rows[["dataset", "repeat", "fold", "c_bound", "weighted_risk", "test_risk"]]
    if data.empty:
        return empty_figure(), data
    figure, drawn = panels(2, least=2.6, shape=0.9, sharey=True)
    medians = data.groupby("dataset", sort=False).median(numeric_only=True)
    texts = {
        "weighted_risk": "weighted error on the training part",
        "test_risk": "error on the test part",
    }
    for axes, (measure, text) in zip(drawn, texts.items(), strict=True):
        cloud = {"s": 8, "color": COLOURS["negative"], "alpha": 0.5, "linewidth": 0}
        axes.scatter(data[measure], data["c_bound"], label="a split", **cloud)
        shown = (medians[measure], medians["c_bound"])
        axes.scatter(*shown, s=22, color=BLUE, zorder=3, label="median of a data set")
        axes.plot([0, 1], [0, 1], color="black", linewidth=1, label="bound = error")
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_yscale("symlog", linthresh=1e-3)
        ticks = [0, 0.001, 0.01, 0.1, 1]
        axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
        axes.set(xlabel=text, ylabel="C-bound", xlim=(-2e-4, 1), ylim=(-2e-4, 1))
        axes.label_outer()
    legend_below(figure, drawn[0])
    for axes, measure in zip(drawn, texts, strict=True):
        points = medians[[measure, "c_bound"]].to_numpy()
        name_marks(axes, *points.T, [22] * len(medians), list(medians.index))
    return figure, data


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
    for chosen, text, marks in [
        (~used, f"no weight ({(~used).sum()})", none),
        (used, f"with weight ({used.sum()}),\narea by weight", some | {"edgecolors": "white"}),
    ]:
        places = frame.loc[chosen, ["own_error", "mean_disagreement"]].to_numpy().T
        axes.scatter(*places, label=text, **marks)
    axes.set(xlabel="own error, weighted", ylabel="mean disagreement")
    axes.set_title(f"{name}: {len(frame)} trees")
    legend_beside(axes)
    return figure, frame
