"""The figures of Boosting-SVM. Each function returns a figure and the data that it plots."""

import numpy as np
import pandas as pd

from minority.ensembles import BoostingSVMClassifier, linear_svm
from minority_reports.experiments import Results
from minority_reports.papers.boosting_svm.protocol import DELTAS, PUBLIC, RATIOS
from minority_reports.papers.boosting_svm.studies import (
    round_study,
    two_dimensions,
    weights_by_round,
)
from minority_reports.report.style import (
    BLUE,
    COLOURS,
    GREEN,
    ORANGE,
    beside,
    canvas,
    legend_below,
)

_KINDS = ((0, "negative", "o"), (1, "positive", "s"))


def slack_picture():
    """Figure 1: the margin of an asymmetric-cost SVM, and slacks of points on the wrong side."""
    X, y = two_dimensions()
    svm = linear_svm(class_weight="balanced", random_state=0).fit(X, y)
    sign = np.where(y == 1, 1, -1)
    slack = np.maximum(0, 1 - sign * svm.decision_function(X))
    data = pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "y": y, "slack": slack})
    w = svm.coef_[0]
    figure, axes = canvas(shape=1.0, share=0.62)
    _draw_lines(axes, svm, X, {-1: "--", 0: "-", 1: "--"})
    # A slack is the distance to the margin of one's own side, times the length of w.
    move = (slack * sign / (w @ w))[:, None] * w
    shown = slack > 1  # beyond the boundary
    for label, kind, marker in _KINDS:
        chosen = shown & (y == label)
        axes.plot(
            np.stack([X[chosen, 0], X[chosen, 0] + move[chosen, 0]]),
            np.stack([X[chosen, 1], X[chosen, 1] + move[chosen, 1]]),
            color=COLOURS[kind],
            linewidth=0.8,
            alpha=0.8,
        )
        n_wrong = int(chosen.sum())
        axes.scatter(
            *X[y == label].T,
            s=np.where(shown, 34, 16)[y == label],
            color=COLOURS[kind],
            marker=marker,
            edgecolor="white",
            linewidth=0.4,
            zorder=3,
            label=f"{kind}: {int((y == label).sum())}, of them {n_wrong} on the wrong side",
        )
    axes.set_aspect("equal")
    axes.set(xlabel="$x_1$", ylabel="$x_2$", title="Margin (dashed), boundary, and large slacks")
    legend_below(figure, axes, columns=1)
    data.attrs["caption"] = (
        "Figure 1: boundary and margin of an asymmetric-cost SVM on made-up points, with the "
        "slacks of those on the wrong side of the boundary."
    )
    return figure, data


def _grid(X, n: int):
    """A grid of n x n points around some points: its coordinates, and all of them as rows."""
    grid = np.meshgrid(*np.linspace(X.min(axis=0) - 0.4, X.max(axis=0) + 0.4, n).T)
    return grid, np.column_stack([g.ravel() for g in grid])


def _boosted(n_rounds: int, delta: float):
    """Boosting-SVM on points in the plane: these, the model, and their weights by round."""
    X, y = two_dimensions()
    model = BoostingSVMClassifier(
        n_estimators=n_rounds, delta=delta, validation_fraction=None, pos_label=1, random_state=0
    ).fit(X, y)
    return X, y, model, weights_by_round(model, X, y)


def _draw_lines(axes, svm, X, styles, colour=COLOURS["model"]):
    """Lines on which the machine's score has the values that `styles` names."""
    grid, points = _grid(X, 200)
    axes.contour(
        *grid,
        svm.decision_function(points).reshape(200, 200),
        levels=list(styles),
        linestyles=list(styles.values()),
        colors=colour,
        linewidths=1.3,
    )


def vote_picture(n_machines: int = 3, delta: float = 0.5):
    """Figure 2: three component classifiers with the weights they were given, and their vote."""
    X, y, model, weights = _boosted(n_machines, delta)
    grid, points = _grid(X, 300)
    voters = [*model.estimators_, model]
    columns = beside(len(voters), 1.6)
    rows = -(-len(voters) // columns)
    figure, panels = canvas(rows, columns, shape=1, lines=4 * rows, sharex=True, sharey=True)
    frames = []
    for m, (axes, voter) in enumerate(zip(panels.ravel(), voters, strict=True)):
        regions = voter.predict(points).reshape(grid[0].shape)
        axes.contourf(
            *grid,
            regions,
            levels=[-0.5, 0.5, 1.5],
            colors=[COLOURS["negative"], COLOURS["positive"]],
            alpha=0.18,
        )
        axes.contour(*grid, regions, levels=[0.5], colors=COLOURS["model"], linewidths=1.3)
        weight = weights[m] if voter is not model else np.ones(len(y))
        predicted = voter.predict(X) == 1
        for label, kind, marker in _KINDS:
            of = y == label
            axes.scatter(
                *X[of].T, s=9 * weight[of], color=COLOURS[kind], marker=marker, linewidth=0
            )
        sensitivity, specificity = predicted[y == 1].mean(), 1 - predicted[y == 0].mean()
        name = "vote" if voter is model else f"$S_{m + 1}$, $\\alpha$ = {model.alphas_[m]:.2f}"
        score = np.sqrt(sensitivity * specificity)
        rates = f"sensitivity {sensitivity:.2f}\nspecificity {specificity:.2f}"
        axes.set_title(f"{name}\n{rates}\nG-mean {score:.2f}", fontsize="medium")
        axes.set(xlabel="$x_1$", ylabel="$x_2$")
        axes.label_outer()
        frames.append(
            pd.DataFrame(
                {
                    "panel": "vote" if voter is model else f"S{m + 1}",
                    "x1": X[:, 0],
                    "x2": X[:, 1],
                    "y": y,
                    "weight": weight,
                    "predicted": predicted.astype(int),
                }
            )
        )
    data = pd.concat(frames, ignore_index=True)
    data.attrs["caption"] = (
        "Figure 2: three component classifiers of Boosting-SVM (size: weight of an example in "
        "their training) and their vote, on made-up points."
    )
    return figure, data


def rounds_picture(name: str = "yeast_me2"):
    """G-mean by round on the three parts of a fold, a panel for each delta."""
    data = round_study(name)
    looks = {"training": (BLUE, "-"), "validation": (GREEN, "--"), "test": (ORANGE, "-")}
    columns = beside(len(DELTAS), 1.6)
    rows = -(-len(DELTAS) // columns)
    figure, panels = canvas(rows, columns, shape=1.1, lines=2, sharey=True, squeeze=False)
    for axes, delta in zip(panels.ravel(), DELTAS, strict=True):
        of = data[data["delta"] == delta]
        for part, (colour, style) in looks.items():
            line = of[of["part"] == part]
            axes.plot(
                line["round"], line["g_mean"], style, color=colour, label=part, marker=".", ms=4
            )
        chosen = int(of.loc[of["chosen"], "round"].iloc[0])
        axes.axvline(chosen, color=COLOURS["grey"], linewidth=1)
        last = int(of["round"].max())
        axes.set_title(f"$\\delta$ = {delta:g}\n{chosen} of {last} vote", fontsize="medium")
        axes.set_xlabel("round")
        axes.set_xlim(0.5, max(last, 5) + 0.5)
        axes.xaxis.get_major_locator().set_params(integer=True)
    for axes in panels[:, 0]:
        axes.set_ylabel(f"G-mean on {name}")
    legend_below(figure, panels[0, 0])
    data.attrs["caption"] = (
        "G-mean of the vote after each round on the training, validation and test part of the "
        "first fold of yeast, for four steps delta; the line is the round that validation chooses."
    )
    return figure, data


def weights_picture(delta: float = 0.2, n_rounds: int = 20):
    """How the weights of examples grow, and which examples the heaviest are."""
    X, y, model, weights = _boosted(n_rounds, delta)
    weights /= weights.mean(axis=1, keepdims=True)
    columns = beside(2, 2.5)
    figure, panels = canvas(2 // columns, columns, shape=0.9, lines=1)
    left, right = panels
    for label, kind, marker in _KINDS:
        of = y == label
        left.plot(weights[:, of], color=COLOURS[kind], linewidth=0.7, alpha=0.6)
        left.plot([], [], color=COLOURS[kind], label=kind)
        right.scatter(
            *X[of].T,
            s=14 * weights[-1, of],
            color=COLOURS[kind],
            marker=marker,
            alpha=0.7,
            linewidth=0,
        )
    for machine, text, stroke in ((0, "first machine", "-"), (-1, "last machine", "--")):
        _draw_lines(right, model.estimators_[machine], X, {0: stroke})
        left.plot([], [], stroke, color=COLOURS["model"], label=text)
    left.set(
        xlabel="round",
        ylabel="weight of an example, mean 1",
        title=f"weights by round ($\\delta$ = {delta:g})",
    )
    legend_below(figure, left)
    right.set(
        xlabel="$x_1$",
        ylabel="$x_2$",
        title=f"size: weight after {len(model.alphas_)} rounds",
    )
    right.set_aspect("equal")
    rounds = range(len(weights))
    data = pd.DataFrame(weights.T, columns=[f"after {m}" for m in rounds])
    data = data.assign(y=y, x1=X[:, 0], x2=X[:, 1])
    data.attrs["caption"] = (
        "Weights of all examples over twenty rounds, and where the heaviest lie: along the "
        "boundary, most of them negatives that the costs of the first machine gave up."
    )
    return figure, data


def costs_picture(results: Results):
    """Sensitivity and specificity as C+ / C- grows, with the L1 and the L2 norm."""
    measures = {"sensitivity": ORANGE, "specificity": BLUE}
    rows = results.complete().rows
    means = rows.groupby(["dataset", "method", "setting"])[list(measures)].mean()
    data = means.reset_index().assign(ratio=lambda frame: frame["setting"].map(RATIOS))
    data = data.sort_values(["dataset", "method", "ratio"], ignore_index=True)
    figure, panels = canvas(1, 2, shape=0.8, lines=2, sharey=True)
    for axes, (method, spec) in zip(panels, results.experiment.methods.items(), strict=True):
        of = data[data["method"] == method]
        for measure, colour in measures.items():
            for name in PUBLIC:
                line = of[of["dataset"] == name]
                axes.plot(line["ratio"], line[measure], color=colour, alpha=0.3, linewidth=0.9)
            mean = of.groupby("ratio")[measure].mean()
            axes.plot(mean.index, mean, color=colour, linewidth=2.6, marker="o", label=measure)
        axes.set(xscale="log", title=spec.label)
    for axes in panels:
        axes.plot([], [], color=COLOURS["grey"], linewidth=0.9, label="a data set")
        axes.set_xlabel("C+/C−, in multiples\nof n−/n+")
    panels[0].set_ylabel("rate on the test part")
    legend_below(figure, panels[0])
    data = data[["dataset", "method", "ratio", *measures]]
    data.attrs["caption"] = (
        "Sensitivity and specificity on the test part of one linear SVM as the ratio of costs "
        f"grows, with either norm of the slacks ({results.coverage()}); thin lines are public sets."
    )
    return figure, data
