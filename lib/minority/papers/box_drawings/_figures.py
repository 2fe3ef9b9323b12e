"""The figures of Box Drawings. Each function returns a figure and the data that it plots."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority import datasets
from minority.boxes import FastBoxesClassifier, plot_boxes
from minority.experiments import Experiment, Results, Task
from minority.papers.box_drawings._tables import differences, imbalance, study
from minority.report import COLOURS


def _points(X: pd.DataFrame, y: np.ndarray) -> pd.DataFrame:
    return X.assign(positive=y)


def box_drawing(name: str = "flooded", n_clusters: int = 5, seed: int = 0):
    """Figure 1: positives scattered in a sea of negatives, and the boxes around them."""
    import matplotlib.pyplot as plt

    data = datasets.load(name)
    model = FastBoxesClassifier(n_clusters=n_clusters, random_state=seed).fit(data.X, data.y)
    figure, axes = plt.subplots(figsize=(6, 5.2))
    model.plot(data.X, data.y, ax=axes)
    axes.set_title(f"Fast Boxes on {name}: {len(model.boxes_)} boxes")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure, _points(data.X, data.y)


def local_data(seed: int = 3):
    """Figure 2: the examples that decide where the right face of a box goes."""
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(seed)
    positives = rng.uniform([-0.35, -0.3], [0.25, 0.3], size=(14, 2))
    negatives = rng.uniform(-1, 1, size=(90, 2))
    (left, bottom), (right, top) = positives.min(axis=0), positives.max(axis=0)
    middle = (left + right) / 2
    inside = ((negatives >= [left, bottom]) & (negatives <= [right, top])).all(axis=1)
    used = (negatives[:, 0] > right) | (inside & (negatives[:, 0] >= middle))
    figure, axes = plt.subplots(figsize=(6, 4.6))
    axes.axvspan(right, 1.05, color=COLOURS["grey"], alpha=0.12, linewidth=0)
    axes.fill_between([middle, right], bottom, top, color=COLOURS["grey"], alpha=0.12, linewidth=0)
    for chosen, label, face in [(used, "other, used", True), (~used, "other, not used", False)]:
        axes.scatter(
            *negatives[chosen].T,
            s=22,
            facecolors=COLOURS["negative"] if face else "none",
            edgecolors=COLOURS["negative"],
            label=label,
        )
    mine = positives[:, 0] >= middle
    for chosen, label, face in [(mine, "cluster, used", True), (~mine, "cluster, not used", False)]:
        axes.scatter(
            *positives[chosen].T,
            s=30,
            marker="D",
            facecolors=COLOURS["positive"] if face else "none",
            edgecolors=COLOURS["positive"],
            label=label,
        )
    axes.add_patch(
        plt.Rectangle((left, bottom), right - left, top - bottom, fill=False, linewidth=1.8)
    )
    axes.plot([middle, middle], [bottom, top], color="#0072B2", linestyle=":", linewidth=1.6)
    axes.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), xlabel="feature j", ylabel="feature p")
    axes.set_title("Local data of the right face")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    frame = pd.DataFrame(
        np.vstack([positives, negatives]), columns=["feature_j", "feature_p"]
    ).assign(cluster=np.r_[np.ones(14), np.zeros(90)].astype(int), used=np.r_[mine, used])
    return figure, frame


def parameter_study(results: Results, parameter: str, label: str, log: bool = False):
    """Figures 4 and 5: AUH on training and test parts as one parameter changes.

    The data's ``attrs`` have a caption.
    """
    import matplotlib.pyplot as plt

    data = study(results, parameter)
    number, fixed = ("5", "K 2") if log else ("4", "beta 1")
    data.attrs["caption"] = (
        f"Figure {number}: training (circles) and test AUH (stars) against the {label} on "
        f"diamond3D; means over 40 halves, bands from the 10th to the 90th percentile, {fixed}."
    )
    names = list(dict.fromkeys(data["dataset"]))
    if not names:
        return _empty_figure(), data
    figure, panels = plt.subplots(1, len(names), figsize=(8.4, 3.6), sharey=True, squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        part = data[data["dataset"] == name].groupby(parameter)
        for column, marker, colour, text in [
            ("auh_train", "o", "#0072B2", "training"),
            ("auh_test", "*", "#D55E00", "test"),
        ]:
            middle = part[column].mean()
            low, high = part[column].quantile(0.1), part[column].quantile(0.9)
            positions = middle.index.to_numpy()
            axes.fill_between(positions, low, high, color=colour, alpha=0.15, linewidth=0)
            size = 9 if marker == "*" else 5
            axes.plot(positions, middle, marker=marker, markersize=size, color=colour, label=text)
        if log:  # zero has a place on the axis too
            smallest = min(v for v in middle.index if v > 0)
            axes.set_xscale("symlog", linthresh=smallest)
        else:
            axes.set_xticks(middle.index)
        origin = "authors' sample" if name.startswith("boxdraw_") else "our generator"
        axes.set(title=f"{name.removeprefix('boxdraw_')} ({origin})", xlabel=label)
    panels[0, 0].set_ylabel("AUH")
    panels[0, 0].legend(loc="lower left" if log else "center right")
    return figure, data


def gains(results: Results, rivals: Mapping[str, str], method: str = "fast-boxes"):
    """What a method gains over its rivals in AUH, with intervals, by imbalance."""
    import matplotlib.pyplot as plt

    present = set(results.rows["method"])
    rivals = {name: label for name, label in rivals.items() if {name, method} <= present}
    if not rivals:
        return _empty_figure(), pd.DataFrame()
    frames = {rival: differences(results, rival, method) for rival in rivals}
    ratio = imbalance(results)
    order = sorted(next(iter(frames.values())).index, key=ratio.get)
    figure, panels = plt.subplots(
        1, len(rivals), figsize=(9, 1.8 + 0.21 * len(order)), sharey=True, squeeze=False
    )
    places = np.arange(len(order))
    for axes, (rival, label) in zip(panels[0], rivals.items(), strict=True):
        frame = frames[rival].loc[order]
        clear = (frame["low"] > 0) | (frame["high"] < 0)
        for chosen, colour, text in [
            (clear, "#D55E00", "interval excludes 0"),
            (~clear, COLOURS["grey"], "interval includes 0"),
        ]:
            part = frame[chosen]
            spread = np.abs(part[["low", "high"]].to_numpy().T - part["difference"].to_numpy())
            axes.errorbar(
                part["difference"], places[chosen], xerr=spread, fmt="o", color=colour, label=text
            )
        axes.axvline(0, color="black", linewidth=1)
        axes.set(title=f"against {label}", xlabel="difference in AUH")
    panels[0, 0].set_yticks(places, [f"{n} ({ratio[n]:.1f})" for n in order])
    panels[0, 0].set_ylabel("data set (negatives per positive)")
    panels[0, -1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.suptitle(f"{results.experiment.methods[method].label}: gain in AUH")
    data = pd.concat(frames, names=["rival"]).reset_index()
    return figure, data


def expansion_picture(experiment: Experiment, name: str = "iris0"):
    """Figure 6: what the final expansion adds, on the fold where it matters most."""
    import matplotlib.pyplot as plt

    data = datasets.load(name)
    folds = [
        experiment.fold_of(Task(name, "fast-boxes", 0, k, 0), data.X, data.y)
        for k in range(experiment.folds)
    ]
    models = [FastBoxesClassifier().fit(f.X_train, f.y_train) for f in folds]
    missed = [
        int((~m.start_boxes_.covers(f.X_test))[f.y_test == 1].sum())
        for m, f in zip(models, folds, strict=True)
    ]
    chosen = int(np.argmax(missed))
    model, fold = models[chosen], folds[chosen]
    first, last = data.X.columns[0], data.X.columns[3]
    figure, axes = plt.subplots(figsize=(6.4, 4.6))
    plot_boxes(model.boxes_, fold.X_train, fold.y_train == 1, (0, 3), ax=axes)
    _outline(axes, model.start_boxes_, (0, 3))
    for value, colour, text in [
        (0, "#0072B2", "negative, test"),
        (1, "#000000", "positive, test"),
    ]:
        rows = fold.y_test == value
        axes.scatter(
            fold.X_test.loc[rows, first],
            fold.X_test.loc[rows, last],
            marker="*",
            s=80,
            color=colour,
            label=text,
            zorder=4,
        )
    axes.set_title(
        f"{name}, fold {chosen}: the tight box misses {missed[chosen]} of "
        f"{int(fold.y_test.sum())} test positives"
    )
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    train = _points(fold.X_train, fold.y_train).assign(part="train")
    test = _points(fold.X_test, fold.y_test).assign(part="test")
    return figure, pd.concat([train, test], ignore_index=True)


def _empty_figure():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 1))
    axes.set_axis_off()
    axes.text(0, 0.5, "No rows of this selection are stored.")
    return figure


def _outline(axes, boxes, features):
    from matplotlib.patches import Rectangle

    for lower, upper in zip(boxes.lower, boxes.upper, strict=True):
        corner, size = lower[list(features)], (upper - lower)[list(features)]
        axes.add_patch(
            Rectangle(
                corner,
                *size,
                fill=False,
                linestyle="--",
                edgecolor=COLOURS["model"],
                label="tight box",
                zorder=3,
            )
        )
