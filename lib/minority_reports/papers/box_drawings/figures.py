"""The figures of Box Drawings, and more. Each function returns a figure and the data it plots."""

import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from minority.boxes import (
    BoxSet,
    FastBoxesClassifier,
    exact_boxes_path,
    fast_boxes_path,
    plot_boxes,
    plot_boxes_3d,
    select_fast_boxes,
)
from minority_reports import datasets
from minority_reports.experiments import Experiment, Results, Task
from minority_reports.papers.box_drawings.protocol import WEIGHTS
from minority_reports.papers.box_drawings.steps import CHAINS
from minority_reports.papers.box_drawings.tables import (
    HALVES,
    differences,
    imbalance,
    step_frame,
    step_scores,
    steps_of,
    study,
)
from minority_reports.papers.fixed import fixed
from minority_reports.report.style import (
    BLUE,
    COLOURS,
    ORANGE,
    canvas,
    empty_figure,
    filled,
    is_narrow,
    legend_below,
    legend_beside,
    log_ticks,
    look,
    name_marks,
    panels,
)
from minority_reports.statistics import excludes_zero

#: What `boxes_at` can show: the sets in the plane, and values of the paper's c, K and beta.
BOX_CHOICES = {
    "data_set": ("flooded", "diamond", "corner", "square", "castle"),
    "c": WEIGHTS,
    "K": tuple(range(1, 11)),
    "beta": (0, 1, 3, 10, 30, 100, 300, 1000),
}


#: Attributes of iris0 with their units.
_IN_WORDS = {"SepalLength": "sepal length, cm", "PetalWidth": "petal width, cm"}


def _points(X: pd.DataFrame, y: np.ndarray) -> pd.DataFrame:
    return X.assign(positive=y)


def box_drawing(name: str = "flooded", n_clusters: int = 5, seed: int = 0):
    """Figure 1: positives scattered in a sea of negatives, and the boxes around them.

    The caption is in ``frame.attrs``.
    """
    data = datasets.load(name)
    model = fixed(FastBoxesClassifier, n_clusters=n_clusters, random_state=seed)
    model.fit(data.X, data.y)
    figure, axes = canvas(shape=0.75, share=0.85)
    model.plot(data.X, data.y, ax=axes)
    axes.set_title(f"Fast Boxes on {name}: {len(model.boxes_)} boxes")
    legend_beside(axes)
    points = _points(data.X, data.y)
    points.attrs["caption"] = (
        f"Figure 1: a box drawing. Positives in a sea of negatives (simulated set {name}, "
        f"re-created), and the boxes that Fast Boxes draws around {n_clusters} clusters of them."
    )
    return figure, points


def local_data(seed: int = 3):
    """Figure 2: the examples that decide where the right face of a box goes."""
    rng = np.random.default_rng(seed)
    positives = rng.uniform([-0.35, -0.3], [0.25, 0.3], size=(14, 2))
    negatives = rng.uniform(-1, 1, size=(90, 2))
    (left, bottom), (right, top) = positives.min(axis=0), positives.max(axis=0)
    middle = (left + right) / 2
    inside = ((negatives >= [left, bottom]) & (negatives <= [right, top])).all(axis=1)
    used = (negatives[:, 0] > right) | (inside & (negatives[:, 0] >= middle))
    figure, axes = canvas(shape=0.7, share=0.85)
    axes.axvspan(right, 1.05, color=COLOURS["grey"], alpha=0.12, linewidth=0)
    axes.fill_between([middle, right], bottom, top, color=COLOURS["grey"], alpha=0.12, linewidth=0)
    mine = positives[:, 0] >= middle
    for points, chosen, label, kind, looks in [
        (negatives, used, "other", "negative", {"s": 22}),
        (positives, mine, "cluster", "positive", {"s": 30, "marker": "D"}),
    ]:
        colour = COLOURS[kind]
        of = {"edgecolors": colour, **looks}
        axes.scatter(*points[chosen].T, facecolors=colour, label=f"{label}, used", **of)
        axes.scatter(*points[~chosen].T, facecolors="none", label=f"{label}, not used", **of)
    axes.add_patch(
        plt.Rectangle((left, bottom), right - left, top - bottom, fill=False, linewidth=1.8)
    )
    axes.plot([middle, middle], [bottom, top], color=BLUE, linestyle=":", linewidth=1.6)
    axes.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), xlabel="feature j", ylabel="feature p")
    axes.set_title("Local data of the right face")
    legend_beside(axes)
    frame = pd.DataFrame(
        np.vstack([positives, negatives]), columns=["feature_j", "feature_p"]
    ).assign(cluster=np.r_[np.ones(14), np.zeros(90)].astype(int), used=np.r_[mine, used])
    return figure, frame


def boxes_at(data_set: str = "flooded", c: float = 0.5, K: int = 5, beta: float = 300):
    """Fast Boxes on a set in the plane, for `report.play`.

    The title tells how good the boxes are on the points shown, and the AUH in cross-validation by
    which Fast Boxes would choose between values of K and beta (it is the same for every c).
    """
    figure, axes = canvas(shape=0.75, share=0.85)
    frame = _draw(axes, data_set, c, K, beta)
    legend_beside(axes, markerscale=3)
    axes.set(xlabel="x1", ylabel="x2")
    settings = f"{data_set}: c = {c:g}, K = {K}, beta = {beta:g}"
    axes.set_title(f"{settings}\n{_found(frame)} in cross-validation")
    return figure, frame


def box_settings(data_set: str = "flooded", c: float = 0.5, K: int = 5, beta: float = 300):
    """What the controls of `boxes_at` do: each of c, K and beta small and large, the others kept.

    A caption with the numbers of all panels is in ``frame.attrs``.
    """
    usual = {"c": c, "K": K, "beta": beta}
    ends = {name: (min(BOX_CHOICES[name]), max(BOX_CHOICES[name])) for name in usual}
    rows, columns = (3, 2) if is_narrow() else (2, 3)
    figure, axes = canvas(rows, columns, shape=0.95, lines=3 + 2 * rows, sharex=True, sharey=True)
    figure.set_layout_engine("compressed")  # panels are squares
    pairs = axes if is_narrow() else axes.T
    frames, told = [], []
    for pair, (name, values) in zip(pairs, ends.items(), strict=True):
        for panel, value in zip(pair, values, strict=True):
            frame = _draw(panel, data_set, **usual | {name: value})
            found = _found(frame).replace(", ", "\n") if is_narrow() else _found(frame)
            panel.set_title(f"{name} = {value:g}\n{found}", fontsize="small")
            frames.append(frame.assign(changed=name))
            told.append(f"{name} = {value:g}: {_found(frame)}")
    for panel in figure.axes:
        panel.set(xlabel="x1", ylabel="x2")
        panel.label_outer()
    legend_below(figure, figure.axes[0], markerscale=3)
    settings = ", ".join(f"{name} = {value:g}" for name, value in usual.items())
    figure.suptitle(filled(f"{data_set}: one change at a time from {settings}", 0.9))
    frame = pd.concat(frames, ignore_index=True)
    where = "left and large right" if is_narrow() else "above and large below"
    frame.attrs["caption"] = (
        f"Boxes of Fast Boxes on the simulated set {data_set} with one change at a time from "
        f"{settings}, small {where}. {'; '.join(told)}. Precision on the points "
        "shown, AUH in cross-validation."
    )
    return figure, frame


def _draw(axes, data_set, c, K, beta) -> pd.DataFrame:
    """Draw the boxes of one setting; returns their faces and how good they are."""
    data = datasets.load(data_set)
    (boxes,) = _fast_boxes(data, [c], K, beta)
    *_, scores = select_fast_boxes(
        data.X,
        data.y == 1,
        majority_weights=WEIGHTS,
        n_clusters=[K],
        expansions=[beta],
        random_state=0,
    )
    frame = _draw_boxes(axes, boxes, data, c=c, K=K, beta=beta)
    return frame.assign(auh=scores["mean_auh"].item())


def _fast_boxes(data, weights, n_clusters, expansion, seed=0) -> list[BoxSet]:
    """The boxes of Fast Boxes on a whole data set, for each weight."""
    return fast_boxes_path(
        data.X,
        data.y == 1,
        majority_weights=weights,
        n_clusters=n_clusters,
        expansion=expansion,
        random_state=seed,
        feature_names=data.X.columns,
    )


def _draw_boxes(axes, boxes, data, **facts) -> pd.DataFrame:
    """Draw boxes in a small panel; returns their faces with `facts` and how good they are."""
    precision, recall = _precision_recall(boxes, data.X, data.y == 1)
    plot_boxes(boxes, data.X, data.y == 1, ax=axes, region=True)
    _small_marks(axes)
    return _bounds(boxes, data.X.columns).assign(**facts, precision=precision, recall=recall)


def _found(frame) -> str:
    first = frame.iloc[0]
    return f"precision {first['precision']:.2f}, AUH {first['auh']:.2f}"


def weight_story(
    name: str = "flooded",
    weights: Sequence[float] = (0.1, 0.2, 0.4, 0.7, 1.0),
    n_clusters: int = 5,
    expansion: float = 300.0,
    *,
    exact: Mapping[float, BoxSet] | None = None,
    seed: int = 0,
):
    """How the boxes shrink as the weight c of the majority class grows, on a set in the plane.

    Fast Boxes never shrinks below the positives of a cluster, so that its recall on the points
    shown is 1 by construction; only exact models give positives up. Those are a second row of
    panels, by weight; one that it lacks leaves a gap. The data have a row for each box of each
    panel, with the panel's `precision` and `recall` on the points shown.
    """
    data = datasets.load(name)
    path = _fast_boxes(data, weights, n_clusters, expansion, seed)
    models = {"Fast Boxes": dict(zip(weights, path, strict=True))}
    if exact is not None:
        models["Exact Boxes"] = exact
    shape = (len(weights), len(models)) if is_narrow() else (len(models), len(weights))
    figure, grid = canvas(
        *shape, shape=0.82, lines=3 + 2.5 * shape[0], sharex=True, sharey=True, squeeze=False
    )
    figure.set_layout_engine("compressed")  # panels are squares
    by_model = grid.T if is_narrow() else grid
    frames = []
    for line, (model, by_weight) in zip(by_model, models.items(), strict=True):
        for axes, weight in zip(line, weights, strict=True):
            if weight not in by_weight:
                axes.set_axis_off()
                continue
            frame = _draw_boxes(axes, by_weight[weight], data, model=model, c=weight)
            precision, recall = frame.loc[0, ["precision", "recall"]]
            shown = f"{precision:.2f}" if precision == precision else "–"  # nothing is covered
            axes.set_title(f"precision {shown}\nrecall {recall:.2f}", fontsize="small")
            frames.append(frame)
    lower, upper = _around_a_cluster(data)
    for axes in figure.axes:
        axes.set(xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]))
        axes.set(xlabel=data.X.columns[0], ylabel=data.X.columns[1])
        axes.label_outer()
    at_side, at_top = list(models), [f"c = {weight:g}" for weight in weights]
    if is_narrow():
        at_side, at_top = at_top, at_side
    for axes, text in zip(grid[:, 0], at_side, strict=True):
        axes.set_ylabel(f"{text}\n{data.X.columns[1]}")
    for axes, text in zip(grid[0], at_top, strict=True):
        axes.set_title(f"{text}\n{axes.get_title()}", fontsize="small")
    legend_below(figure, grid[0, 0], markerscale=3)
    data = pd.concat(frames, ignore_index=True)
    first, second = ("Left", "Right") if is_narrow() else ("Above", "Below")
    data.attrs["caption"] = (
        f"Boxes on the simulated set {name} as the weight c of a negative goes from "
        f"{weights[0]:g} to {weights[-1]:g}, around one cluster of positives. {first}: Fast Boxes, "
        "which never cuts into a cluster. "
        + (f"{second}: Exact Boxes, proven optimal. " if exact is not None else "")
        + "Precision and recall are those on all points."
    )
    return figure, data


def _around_a_cluster(data, reach: float = 4.2):
    """The corners of a window around one of the clusters of positives, the farthest to the right.

    It reaches so many times as far from the middle of the cluster as the positives do.
    """
    from sklearn.cluster import DBSCAN

    positives = data.X[data.y == 1].to_numpy()
    spread = np.ptp(positives, axis=0).max()
    labels = DBSCAN(eps=spread / 8, min_samples=3).fit_predict(positives)
    last = labels[positives[:, 0].argmax()]
    cluster = positives[labels == last]
    middle = (cluster.min(axis=0) + cluster.max(axis=0)) / 2
    half = reach * np.ptp(cluster, axis=0).max() / 2
    low, high = data.X.to_numpy().min(axis=0), data.X.to_numpy().max(axis=0)
    return np.maximum(middle - half, low), np.minimum(middle + half, high)


def exact_story(
    name: str, weights: Sequence[float], max_boxes: int, *, box_cost: float = 0.1, seed: int = 0
) -> dict[float, BoxSet]:
    """The best boxes for each weight, for `weight_story`; those without a proof are left out."""
    data = datasets.load(name)
    path = fixed(
        exact_boxes_path,
        data.X,
        data.y == 1,
        majority_weights=weights,
        max_boxes=max_boxes,
        box_cost=box_cost,
        random_state=seed,
    )
    proven = [model.status_ == "optimal" for model in path]
    return {w: m.boxes_ for w, m, sure in zip(weights, path, proven, strict=True) if sure}


def _bounds(boxes, columns) -> pd.DataFrame:
    """The faces of each box; a model without boxes has a row of gaps."""
    faces = {
        f"{side} {column}": bound[:, j]
        for j, column in enumerate(columns)
        for side, bound in (("lower", boxes.lower), ("upper", boxes.upper))
    }
    return pd.DataFrame(faces).reindex(range(max(1, len(boxes))))


def _precision_recall(boxes, X, positive):
    """Precision, not a number if nothing is covered, and recall."""
    covered = boxes.covers(X)
    hits = int((covered & positive).sum())
    precision = hits / covered.sum() if covered.any() else float("nan")
    return precision, hits / int(positive.sum())


def _small_marks(axes):
    """Marks and ticks for a panel of small multiples, which share one legend."""
    axes.get_legend().remove()
    axes.set(xlabel="", ylabel="", box_aspect=1)
    axes.grid(visible=False)
    for points, size in zip(axes.collections, (1.2, 5), strict=True):
        points.set_sizes([size])
    for patch in axes.patches:
        patch.set_linewidth(1)


def boxes_in_3d(name: str = "diamond3D", n_clusters: int | None = None, seed: int = 0):
    """Fast Boxes on a set in space, c = 1.

    Without `n_clusters`, K and beta are chosen by 3-fold cross validation as in Table 5; with it,
    only beta is.
    """
    data = datasets.load(name)
    positive = data.y == 1
    k, expansion, _ = select_fast_boxes(
        data.X,
        positive,
        majority_weights=WEIGHTS,
        n_clusters=range(1, 11) if n_clusters is None else [n_clusters],
        random_state=seed,
    )
    (boxes,) = _fast_boxes(data, [1.0], k, expansion, seed)
    figure, axes = canvas(shape=0.85, share=0.9, subplot_kw={"projection": "3d"})
    plot_boxes_3d(boxes, data.X, positive, ax=axes)
    precision, recall = _precision_recall(boxes, data.X, positive)
    how = "by cross-validation" if n_clusters is None else "given"
    if is_narrow():
        axes.set_box_aspect(None, zoom=0.75)  # room for the names of the axes
    axes.set_title(
        f"{name}: K = {k} {how}, beta = {expansion:g}, c = 1\n"
        f"precision {precision:.2f}, recall {recall:.2f}"
    )
    covered = boxes.covers(data.X)
    return figure, data.X.assign(positive=positive.astype(int), covered=covered.astype(int))


def gains(results: Results, rivals: Mapping[str, str], method: str = "fast-boxes"):
    """What a method gains over its rivals in AUH, with intervals, by imbalance."""
    present = set(results.rows["method"])
    rivals = {name: label for name, label in rivals.items() if {name, method} <= present}
    if not rivals:
        return empty_figure(), pd.DataFrame()
    frames = {rival: differences(results, rival, method) for rival in rivals}
    ratio = imbalance(results)
    # each rival is compared on the sets that both have complete, which need not be the same
    names = dict.fromkeys(name for frame in frames.values() for name in frame.index)
    order = sorted(names, key=ratio.get)  # stable: sets of equal imbalance stay in one order
    figure, panels = canvas(
        1, len(rivals), shape=0, lines=7 + 1.1 * len(order), sharey=True, squeeze=False
    )
    places = pd.Series(np.arange(len(order)), index=order)
    for axes, (rival, label) in zip(panels[0], rivals.items(), strict=True):
        frame = frames[rival].loc[[name for name in order if name in frames[rival].index]]
        for chosen, face, text in _by_clarity(frame):
            part = frame[chosen]
            spread = np.abs(part[["low", "high"]].to_numpy().T - part["difference"].to_numpy())
            axes.errorbar(
                part["difference"],
                places[part.index],
                xerr=spread,
                fmt="o",
                elinewidth=1,
                color=look(method)["color"],
                markerfacecolor=face or look(method)["color"],
                label=text,
            )
        axes.axvline(0, color="black", linewidth=1)
        axes.set(title=f"minus\n{label}", xlabel="difference")
        axes.locator_params(axis="x", nbins=4)
    panels[0, 0].set_yticks(places, [f"{n} ({ratio[n]:.1f})" for n in order])
    panels[0, 0].set_ylim(-1, len(order))
    figure.supylabel("data set (negatives per positive)")
    figure.suptitle(f"AUH of {results.labels[method]}")
    legend_below(figure, panels[0, 0])
    data = pd.concat(frames, names=["rival"]).reset_index()
    return figure, data


def _by_clarity(intervals):
    """Which intervals exclude 0 and which do not, each with the face of its mark and a text."""
    clear = excludes_zero(intervals)
    return [
        (clear, None, "95 % interval excludes 0"),
        (~clear, "white", "95 % interval includes 0"),
    ]


def rank_by_imbalance(
    auh: pd.DataFrame,
    imbalance: pd.Series,
    method: str = "fast-boxes",
    label: str = "Fast Boxes",
):
    """Figure 3: the rank of a method among all methods against the imbalance of the data set.

    `auh` are means, data sets x methods; ties share the mean of their ranks. Data sets with a gap
    are left out, and the title counts them.
    """
    from scipy.stats import spearmanr

    complete = auh.dropna()
    rank = complete.round(12).rank(axis=1, ascending=False)[method]
    frame = pd.DataFrame(
        {"dataset": complete.index, "imbalance": imbalance.loc[complete.index].to_numpy()}
    ).assign(rank=rank.to_numpy(), methods=auh.shape[1])
    frame = frame.sort_values(["imbalance", "rank", "dataset"], ignore_index=True)
    figure, axes = canvas(lines=8)
    # Simulated sets share their imbalance: one mark, larger, stands for all in the same place.
    places = frame.round({"imbalance": 6}).groupby(["imbalance", "rank"])["dataset"].agg(list)
    x, y = places.index.get_level_values(0), places.index.get_level_values(1)
    sizes = 30 * places.str.len()
    axes.scatter(x, y, s=sizes, color=look(method)["color"], zorder=3)
    low, high = frame["imbalance"].min(), frame["imbalance"].max()
    ticks = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    log_ticks(axes, [tick for tick in ticks if low / 2 < tick < high * 2])
    axes.set_yticks(range(1, auh.shape[1] + 1))
    axes.set(
        xlim=(low / 1.25, high * 1.6),
        ylim=(auh.shape[1] + 0.6, 0.3),  # the best rank on top
        xlabel="negatives per positive",
        ylabel=f"rank among {auh.shape[1]} methods (1 is best)",
    )
    sets = f"{len(complete)} data sets"
    if len(complete) < len(auh):
        sets += f", {len(auh) - len(complete)} with gaps left out"
    test = spearmanr(frame["imbalance"], frame["rank"])
    axes.set_title(
        f"Rank of {label} on {sets}\n"
        f"Spearman's correlation {test.statistic:.2f}, p = {test.pvalue:.2g}"
    )
    names = [textwrap.fill(", ".join(sets), 26) for sets in places]
    name_marks(axes, x, y, sizes, names)
    return figure, frame


def cluster_picture(simulated: pd.DataFrame, real: pd.DataFrame):
    """What Fast Boxes does without clusters: simulated scenes, and real sets by their clustering.

    The data are those of `cluster_study` and of `real_clustering`.
    """
    figure, (left, right) = panels(2, least=2.6, shape=0.85)
    lines = {"fast-boxes": "Fast Boxes", "cart": "CART"}
    kinds = list(dict.fromkeys(simulated["arrangement"]))
    counts = [kind.isdigit() for kind in kinds]
    places = np.arange(len(kinds))
    for (d, part), marker, dash in zip(simulated.groupby("features"), "os", "-:", strict=False):
        draws = part.groupby("arrangement", sort=False)
        for method, label in lines.items():
            colour = look(method)["color"]
            mean, low, high = (draws[method].agg(f).to_numpy() for f in ("mean", "min", "max"))
            left.errorbar(
                places,
                mean,
                yerr=abs([low, high] - mean),  # rounding may make them negative
                fmt=marker,
                color=colour,
                markersize=5,
                label=f"{label}, {d} features",
            )
            left.plot(places[counts], mean[counts], dash, color=colour, linewidth=1.2)
    left.set_xticks(places, [kind.replace("checker", "checker-\n") for kind in kinds])
    left.set(xlabel="number of clusters, or shape", ylabel="AUH", title="Simulated scenes")
    left.legend(loc="lower left")
    for chosen, face, text in _by_clarity(real):
        colour = look("fast-boxes")["color"]
        marks = {"s": 22, "edgecolors": colour, "facecolors": face or colour, "label": text}
        right.scatter(*real.loc[chosen, ["clustering", "difference"]].T.to_numpy(), **marks)
    right.axhline(0, color="black", linewidth=1)
    right.axvline(0.5, color=COLOURS["grey"], linewidth=1, linestyle=":")
    right.set(
        xlabel="clustering of positives (½: as negatives)",
        ylabel="AUH: Fast Boxes minus CART",
        title=f"Real data ({len(real)} sets)",
    )
    right.legend(loc="upper right")
    right.margins(y=0.2)  # room for the legend
    extremes = real[real["difference"].abs() > 0.15]
    name_marks(
        right,
        extremes["clustering"],
        extremes["difference"],
        np.full(len(extremes), 22),
        list(extremes.index),
    )
    frames = {"simulated": simulated, "real": real.reset_index()}
    return figure, pd.concat(frames, names=["panel"]).reset_index(level="panel")


def parameter_study(results: Results, parameter: str, label: str, log: bool = False):
    """Figures 4 and 5: AUH on training and test parts as one parameter changes.

    The data's ``attrs`` have a caption.
    """
    data = study(results, parameter)
    number, fixed = ("5", "K 2") if log else ("4", "beta 1")
    data.attrs["caption"] = (
        f"Figure {number}: training and test AUH against the {label} on "
        f"diamond3D; means over 40 halves, bands from the 10th to the 90th percentile, {fixed}."
    )
    names = list(dict.fromkeys(data["dataset"]))
    if not names:
        return empty_figure(), data
    import seaborn as sns

    figure, drawn = panels(len(names), least=2.6, shape=0.75, sharey=True)
    parts = {"auh_train": "training", "auh_test": "test"}
    for axes, name in zip(drawn, names, strict=True):
        part = data[data["dataset"] == name].rename(columns=parts)
        sns.lineplot(
            part.melt(parameter, list(parts.values()), "part", "AUH"),
            x=parameter,
            y="AUH",
            hue="part",
            style="part",
            palette=[BLUE, ORANGE],
            markers=["o", "s"],
            dashes=False,
            markeredgewidth=0,
            errorbar=("pi", 80),  # from the 10th to the 90th percentile
            err_kws={"linewidth": 0},
            ax=axes,
        )
        values = part[parameter].unique()
        if log:  # zero has a place on the axis too
            least = min(v for v in values if v > 0)
            axes.set_xscale("symlog", linthresh=least)
            axes.set_xlim(-least / 2, 1.5 * max(values))
            shown = [v for v in values if v == 0 or np.log10(v).is_integer()]
            axes.set_xticks(shown, [f"{v:g}" for v in shown])
            axes.set_xticks([], minor=True)
        else:
            axes.set_xticks(values)
        origin = "authors' sample" if name.startswith("boxdraw_") else "our generator"
        axes.set(title=f"{name.removeprefix('boxdraw_')} ({origin})", xlabel=label)
        axes.legend().set_visible(axes is drawn[0])
    return figure, data


def expansion_picture(experiment: Experiment, name: str = "iris0"):
    """Figure 6: what the final expansion adds, on the fold where it shows most.

    Drawn are the first and the fourth feature, as in the paper, so that only positives that are
    missed in one of these count.
    """
    data = datasets.load(name)
    folds = [
        experiment.fold_of(Task(name, "fast-boxes", 0, k, 0), data.X, data.y)
        for k in range(experiment.folds)
    ]
    models = [fixed(FastBoxesClassifier).fit(f.X_train, f.y_train) for f in folds]
    drawn = [0, 3]
    first, last = data.X.columns[drawn]

    def outside(boxes, fold):
        tight = BoxSet(boxes.lower[:, drawn], boxes.upper[:, drawn])
        positives = fold.X_test.loc[fold.y_test == 1, [first, last]]
        return int((~tight.covers(positives.to_numpy())).sum())

    missed = [outside(m.start_boxes_, f) for m, f in zip(models, folds, strict=True)]
    chosen = int(np.argmax(missed))
    model, fold = models[chosen], folds[chosen]
    figure, axes = canvas(shape=0.65, share=0.9)
    plot_boxes(model.boxes_, fold.X_train, fold.y_train == 1, drawn, ax=axes)
    _outline(axes, model.start_boxes_, drawn)
    for value, colour, text in [
        (0, BLUE, "negative, test"),
        (1, COLOURS["model"], "positive, test"),
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
    axes.set_title(f"{name}: {missed[chosen]} of {fold.y_test.sum()} test positives missed")
    axes.set(xlabel=_IN_WORDS.get(first, first), ylabel=_IN_WORDS.get(last, last))
    legend_beside(axes)
    train = _points(fold.X_train, fold.y_train).assign(part="train")
    test = _points(fold.X_test, fold.y_test).assign(part="test")
    return figure, pd.concat([train, test], ignore_index=True)


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


_CHAIN_COLOURS = dict(zip(CHAINS, (BLUE, ORANGE, COLOURS["model"]), strict=True))
_MARK = 70


def steps_picture(results: Results):
    """G-mean against the number of conditions, step by step, on either half of the data sets."""
    frames = {half: step_frame(results, half) for half in HALVES if len(step_scores(results, half))}
    if not frames:
        data = pd.DataFrame()
        data.attrs["caption"] = "No data set has the rows of all steps."
        return empty_figure(data.attrs["caption"]), data
    figure, drawn = panels(len(frames), least=2.6, shape=1, sharey=True)
    chains = steps_of(results)
    for axes, (half, frame) in zip(drawn, frames.items(), strict=True):
        for chain, steps in chains.items():
            part, colour = frame.loc[steps], _CHAIN_COLOURS[chain]
            axes.plot(part["conditions"], part["g_mean"], color=colour, linewidth=1, alpha=0.5)
            axes.scatter(part["conditions"], part["g_mean"], s=_MARK, color=colour, zorder=3)
        low, high = frame["conditions"].min() / 1.4, frame["conditions"].max() * 1.4
        log_ticks(axes, [tick for tick in (1, 2, 5, 10, 20, 50, 100) if low <= tick <= high])
        axes.set(xlim=(low, high), xlabel="conditions, mean over data sets")
        axes.set_title(f"{len(step_scores(results, half))} {half} sets")
    figure.supylabel("G-mean, mean over data sets")
    names = [(chain, step) for chain, steps in chains.items() for step in steps]
    marks = [
        plt.Line2D(
            [],
            [],
            marker="o",
            linestyle="",
            color=_CHAIN_COLOURS[chain],
            label=f"{number}  {results.labels[step]}",
        )
        for number, (chain, step) in enumerate(names, start=1)
    ]
    legend_below(figure, marks, columns=3)
    numbers = [f"{i}" for i in range(1, len(names) + 1)]
    for axes, frame in zip(drawn, frames.values(), strict=True):
        sizes = [_MARK] * len(frame)
        name_marks(axes, frame["conditions"], frame["g_mean"], sizes, numbers)
    data = pd.concat(frames, names=["half", "method"]).reset_index()
    data.attrs["caption"] = (
        "G-mean against the number of conditions, means over data sets, as boxes are changed step "
        "by step, beside a balanced tree of depth 3."
    )
    return figure, data
