"""Pictures of Box Drawings beyond its own, and Figure 3. Each returns a figure and its data."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from minority import datasets
from minority.boxes import (
    BoxSet,
    exact_boxes_path,
    fast_boxes_path,
    plot_boxes,
    plot_boxes_3d,
    select_fast_boxes,
)
from minority.papers.box_drawings._protocol import WEIGHTS
from minority.report import COLOURS


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
    shown is 1 by construction; only exact models give positives up.

    Parameters
    ----------
    name : str, default="flooded"
        A data set with two features.
    weights : sequence of float
        The paper's c, a panel for each.
    n_clusters, expansion
        The paper's K and beta, the same in all panels.
    exact : mapping from weight to BoxSet, default=None
        Exact models for a second row; a weight that it lacks leaves a gap there.
    seed : int, default=0
        Seed of the clustering.

    Returns
    -------
    figure : matplotlib Figure
    frame : DataFrame
        A row for each box of each panel: `model`, `c`, its bounds, and the panel's `precision`
        and `recall` on the points shown.
    """
    import matplotlib.pyplot as plt

    data = datasets.load(name)
    positive = data.y == 1
    path = fast_boxes_path(
        data.X,
        positive,
        majority_weights=weights,
        n_clusters=n_clusters,
        expansion=expansion,
        random_state=seed,
        feature_names=data.X.columns,
    )
    rows = {"Fast Boxes": dict(zip(weights, path, strict=True))}
    if exact is not None:
        rows["Exact Boxes"] = exact
    figure, panels = plt.subplots(
        len(rows),
        len(weights),
        figsize=(2.2 * len(weights), 0.8 + 2.7 * len(rows)),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    frames = []
    for line, (model, by_weight) in zip(panels, rows.items(), strict=True):
        for axes, weight in zip(line, weights, strict=True):
            if weight not in by_weight:
                axes.set_axis_off()
                continue
            boxes = by_weight[weight]
            precision, recall = precision_recall(boxes, data.X, positive)
            plot_boxes(boxes, data.X, positive, ax=axes, region=True)
            small_marks(axes)
            shown = f"{precision:.2f}" if precision == precision else "–"  # nothing is covered
            axes.set_title(f"c = {weight:g}\nprecision {shown}, recall {recall:.2f}", fontsize=10)
            facts = {"model": model, "c": weight, "precision": precision, "recall": recall}
            frames.append(bounds(boxes, data.X.columns).assign(**facts))
        first = next((axes for axes in line if axes.axison), line[0])
        first.set_ylabel(f"{model}\n{data.X.columns[1]}" if len(rows) > 1 else data.X.columns[1])
    for axes in panels[-1]:
        axes.set_xlabel(data.X.columns[0])
    handles, names = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), markerscale=3)
    figure.suptitle(f"{name}: what a false alarm costs decides how far the boxes reach")
    return figure, pd.concat(frames, ignore_index=True)


def exact_story(
    name: str, weights: Sequence[float], max_boxes: int, *, box_cost: float = 0.1, seed: int = 0
) -> dict[float, BoxSet]:
    """The best boxes for each weight, for `weight_story`; those without a proof are left out."""
    data = datasets.load(name)
    path = exact_boxes_path(
        data.X,
        data.y == 1,
        majority_weights=weights,
        max_boxes=max_boxes,
        box_cost=box_cost,
        random_state=seed,
    )
    proven = [model.status_ == "optimal" for model in path]
    return {w: m.boxes_ for w, m, sure in zip(weights, path, proven, strict=True) if sure}


def bounds(boxes, columns) -> pd.DataFrame:
    """The faces of each box; a model without boxes has a row of gaps."""
    faces = {
        f"{side} {column}": bound[:, j]
        for j, column in enumerate(columns)
        for side, bound in (("lower", boxes.lower), ("upper", boxes.upper))
    }
    return pd.DataFrame(faces).reindex(range(max(1, len(boxes))))


def precision_recall(boxes, X, positive):
    """Precision, not a number if nothing is covered, and recall."""
    covered = boxes.covers(X)
    hits = int((covered & positive).sum())
    precision = hits / covered.sum() if covered.any() else float("nan")
    return precision, hits / int(positive.sum())


def small_marks(axes):
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
    import matplotlib.pyplot as plt

    data = datasets.load(name)
    positive = data.y == 1
    k, expansion, _ = select_fast_boxes(
        data.X,
        positive,
        majority_weights=WEIGHTS,
        n_clusters=range(1, 11) if n_clusters is None else [n_clusters],
        random_state=seed,
    )
    (boxes,) = fast_boxes_path(
        data.X,
        positive,
        majority_weights=[1.0],
        n_clusters=k,
        expansion=expansion,
        random_state=seed,
        feature_names=data.X.columns,
    )
    figure = plt.figure(figsize=(6.8, 5.8))
    axes = figure.add_subplot(projection="3d")
    plot_boxes_3d(boxes, data.X, positive, ax=axes)
    precision, recall = precision_recall(boxes, data.X, positive)
    how = "by cross validation" if n_clusters is None else "given"
    axes.set_title(
        f"Fast Boxes on {name}: K = {k} {how}, beta = {expansion:g}, c = 1\n"
        f"precision {precision:.2f}, recall {recall:.2f}"
    )
    covered = boxes.covers(data.X)
    return figure, data.X.assign(positive=positive.astype(int), covered=covered.astype(int))


def rank_by_imbalance(
    auh: pd.DataFrame,
    imbalance: pd.Series,
    method: str = "fast-boxes",
    label: str = "Fast Boxes",
):
    """Figure 3: the rank of a method among all methods against the imbalance of the data set.

    Parameters
    ----------
    auh : DataFrame of shape (n_sets, n_methods)
        Mean AUH; ties share the mean of their ranks. Data sets with a gap are left out, and the
        title counts them.
    imbalance : Series
        Negatives per positive of each data set.
    method : str, default="fast-boxes"
    label : str, default="Fast Boxes"
        Its name in the title.

    Returns
    -------
    figure : matplotlib Figure
    frame : DataFrame
        `dataset`, `imbalance`, `rank` (1 is the best) and `methods`, how many were ranked.
    """
    import matplotlib.pyplot as plt
    from scipy.stats import spearmanr

    complete = auh.dropna()
    rank = complete.round(12).rank(axis=1, ascending=False)[method]
    frame = pd.DataFrame(
        {"dataset": complete.index, "imbalance": imbalance.loc[complete.index].to_numpy()}
    ).assign(rank=rank.to_numpy(), methods=auh.shape[1])
    frame = frame.sort_values(["imbalance", "rank"], ignore_index=True)
    figure, axes = plt.subplots(figsize=(8.4, 5), layout="constrained")
    # Simulated sets share their imbalance: one mark, larger, stands for all in the same place.
    places = frame.round({"imbalance": 6}).groupby(["imbalance", "rank"])["dataset"].agg(list)
    x, y = places.index.get_level_values(0), places.index.get_level_values(1)
    sizes = 30 * places.str.len()
    axes.scatter(x, y, s=sizes, color=COLOURS["positive"], zorder=3)
    axes.set_xscale("log")
    low, high = frame["imbalance"].min(), frame["imbalance"].max()
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if low / 2 < t < high * 2]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set_xticks([], minor=True)
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
        f"Rank of {label} by imbalance ({sets})\n"
        f"Spearman's correlation {test.statistic:.2f}, p = {test.pvalue:.2g}"
    )
    names = [textwrap.fill(", ".join(sets), 26) for sets in places]
    _label_where_legible(axes, x, y, sizes, names)
    return figure, frame


def cluster_picture(simulated: pd.DataFrame, real: pd.DataFrame):
    """What Fast Boxes does without clusters: simulated scenes, and real sets by their clustering.

    Parameters
    ----------
    simulated : DataFrame
        From `cluster_study`.
    real : DataFrame
        From `real_clustering`.

    Returns
    -------
    figure : matplotlib Figure
    frame : DataFrame
        The points of both panels.
    """
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    lines = {"fast-boxes": ("Fast Boxes", COLOURS["positive"]), "cart": ("CART", "#0072B2")}
    kinds = list(dict.fromkeys(simulated["arrangement"]))
    counts = [kind.isdigit() for kind in kinds]
    places = np.arange(len(kinds))
    for (d, part), marker, dash in zip(simulated.groupby("features"), "os", "-:", strict=False):
        draws = part.groupby("arrangement", sort=False)
        for method, (label, colour) in lines.items():
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
    left.set(xlabel="clusters, or region without any", ylabel="AUH", title="Simulated scenes")
    left.legend(loc="lower left")
    clear = (real["high"] < 0) | (real["low"] > 0)
    for chosen, colour, text in [
        (clear, COLOURS["positive"], "interval excludes 0"),
        (~clear, COLOURS["grey"], "interval includes 0"),
    ]:
        right.scatter(*real.loc[chosen, ["clustering", "difference"]].T.to_numpy(), c=colour, s=28)
        right.scatter([], [], c=colour, s=28, label=text)
    right.axhline(0, color="black", linewidth=1)
    right.axvline(0.5, color=COLOURS["grey"], linewidth=1, linestyle=":")
    right.set(
        xlabel="clustering of positives (½: they lie as negatives do)",
        ylabel="AUH of Fast Boxes less that of CART",
        title=f"Real data ({len(real)} sets)",
    )
    right.legend(loc="upper right")
    extremes = real[real["difference"].abs() > 0.15]
    _label_where_legible(
        right,
        extremes["clustering"],
        extremes["difference"],
        np.full(len(extremes), 28),
        list(extremes.index),
    )
    frames = {"simulated": simulated, "real": real.reset_index()}
    return figure, pd.concat(frames, names=["panel"]).reset_index(level="panel")


def _label_where_legible(axes, x, y, sizes, names):
    """Name the marks, each beside its own where no other name or mark is in the way."""
    from matplotlib.transforms import Bbox

    figure = axes.figure
    figure.draw_without_rendering()  # places are only known after the layout
    inside = axes.get_window_extent()
    centres = axes.transData.transform(np.column_stack([x, y]))
    radii = np.sqrt(np.asarray(sizes)) / 2  # in points, as sizes are
    marks = [
        Bbox([centre - radius, centre + radius])
        for centre, radius in zip(centres, radii * figure.dpi / 72, strict=True)
    ]
    directions = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
    taken = []
    for i, (point, radius, name) in enumerate(
        zip(zip(x, y, strict=True), radii, names, strict=True)
    ):
        others = marks[:i] + marks[i + 1 :] + taken
        for across, along in directions:
            gap = radius + 3 if across == 0 or along == 0 else radius
            text = axes.annotate(
                name,
                point,
                (gap * across, gap * along),
                textcoords="offset points",
                ha={1: "left", 0: "center", -1: "right"}[across],
                va={1: "bottom", 0: "center", -1: "top"}[along],
                fontsize=8,
            )
            box = text.get_window_extent().padded(1.5)
            within = (box.min > inside.min).all() and (box.max < inside.max).all()
            if within and box.count_overlaps(others) == 0:
                taken.append(box)
                break
            text.remove()
