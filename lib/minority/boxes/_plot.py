"""Drawing boxes over two or three features."""

from itertools import product

import numpy as np
import pandas as pd

from minority._columns import as_pandas
from minority._condition import NoneOf, as_floats
from minority._extras import optional

# Okabe and Ito's palette, which colour-blind readers can tell apart.
_NEGATIVE = "#56B4E9"
_POSITIVE = "#D55E00"
_BOX = "#000000"
_REGION = "#FBE9C6"  # a tint of their orange, opaque: where boxes overlap it is no darker

_MOST_NEGATIVES_3D = 1_000  # beyond it they hide the rest


def _chosen(boxes, X, features, feature_names, n_features):
    """Positions, names and values of the features to draw."""
    names = list(boxes.feature_names if feature_names is None else feature_names)
    chosen = [names.index(f) if isinstance(f, str) else f for f in features]
    if len(chosen) != n_features:
        words = {2: "Two", 3: "Three"}
        raise ValueError(f"{words[n_features]} features can be drawn, got {len(chosen)}.")
    X = as_pandas(X)
    X = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    axes = [_values(boxes, j, X.iloc[:, j]) for j in chosen]
    points = np.column_stack([values for values, _ in axes])
    return chosen, [names[j] for j in chosen], points, [words for _, words in axes]


def _values(boxes, j, column):
    """A column as numbers, and the categories that they are the positions of, None for numbers."""
    in_boxes = boxes.categories_of(j)
    if not in_boxes and pd.api.types.is_numeric_dtype(column):
        return as_floats(column), None
    words = pd.Index(pd.Categorical(column).categories, dtype=object)
    words = words.append(pd.Index(in_boxes, dtype=object).difference(words, sort=False))
    places = words.get_indexer(pd.Index(column, dtype=object))
    return np.where(places < 0, np.nan, places), words


def _limits(points, categories):
    """The ends of the axes: of numbers those of the points, of categories half a place beyond."""
    low, high = np.zeros(points.shape[1]), np.ones(points.shape[1])
    for a, (column, words) in enumerate(zip(points.T, categories, strict=True)):
        known = column[~np.isnan(column)]
        if words is not None:
            low[a], high[a] = -0.5, max(len(words), 1) - 0.5
        elif len(known):
            low[a], high[a] = known.min(), known.max()
    pad = np.where(high > low, 0.05 * (high - low), 0.5)
    return low - pad, high + pad


def _spans(boxes, k, j, words):
    """The intervals of an axis that lie in a box; neighbouring categories are one."""
    condition = boxes.subsets.get((k, j))
    if words is None:
        only_missing = condition is not None and not isinstance(condition, NoneOf)
        return [] if only_missing else [(boxes.lower[k, j], boxes.upper[k, j])]
    inside = np.ones(len(words), dtype=bool)
    if condition is not None:
        inside = words.isin(condition.categories) ^ isinstance(condition, NoneOf)
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    return [(start - 0.5, stop - 0.5) for start, stop in edges.reshape(-1, 2)]


def _visible(boxes, chosen, categories, low, high):
    """Yield the corners of each part of a box that covers anything, cut at the edge of the axes."""
    for k in np.flatnonzero(~boxes.empty()):
        axes = [_spans(boxes, k, j, words) for j, words in zip(chosen, categories, strict=True)]
        for spans in product(*axes):
            yield tuple(np.clip(np.transpose(spans), low, high))


def _name_places(ax, categories):
    """Write categories at their places on the axes."""
    for axis, words in zip("xyz", categories, strict=False):
        if words is not None:
            labels = [str(word) for word in words]
            getattr(ax, f"set_{axis}ticks")(range(len(words)), labels, parse_math=False)


def plot_boxes(boxes, X, y_positive, features=(0, 1), ax=None, feature_names=None, *, region=False):
    """Draw examples and boxes over two features.

    A box with conditions on other features too is drawn as its projection, so that it may contain
    examples that it does not cover. A boundary that does not exist is drawn at the edge of the
    axes. Categories have places on an axis, and a box a part for each run of them. Examples without
    a value on one of the axes are not drawn.

    Parameters
    ----------
    boxes : BoxSet
    X : array-like of shape (n_samples, n_features)
    y_positive : array-like of bool of shape (n_samples,)
    features : pair of int or str, default=(0, 1)
        Positions or names of the features on the horizontal and the vertical axis.
    ax : matplotlib.axes.Axes, default=None
        A new figure by default.
    feature_names : sequence of str, default=None
        Names on the axes, those of `boxes` by default.
    region : bool, default=False
        Tint what lies in a box: where the model says positive, if it has no other features.

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    plt = optional("matplotlib.pyplot", "plot")
    from matplotlib.patches import Rectangle

    pair, names, points, categories = _chosen(boxes, X, features, feature_names, 2)
    y_positive = np.asarray(y_positive, dtype=bool)
    if ax is None:
        ax = plt.subplots()[1]

    for rows, label, style in [
        (~y_positive, "negative", {"color": _NEGATIVE, "s": 8, "alpha": 0.5, "linewidths": 0}),
        (y_positive, "positive", {"color": _POSITIVE, "s": 18, "linewidths": 0}),
    ]:
        ax.scatter(*points[rows].T, label=label, rasterized=rows.sum() > 2_000, **style)

    low, high = _limits(points, categories)
    label = "box"
    for corner, opposite in _visible(boxes, pair, categories, low, high):
        size = opposite - corner
        if region:
            tint = {"facecolor": _REGION, "edgecolor": "none", "zorder": 0.6}
            ax.add_patch(Rectangle(corner, *size, **tint))
        style = {"facecolor": "none", "edgecolor": _BOX, "linewidth": 1.5, "zorder": 3}
        ax.add_patch(Rectangle(corner, *size, label=label, **style))
        label = None  # one entry in the legend stands for all boxes
    ax.set(
        xlim=(low[0], high[0]),
        ylim=(low[1], high[1]),
    )
    _name_places(ax, categories)
    ax.set_xlabel(names[0], parse_math=False)
    ax.set_ylabel(names[1], parse_math=False)
    ax.legend()
    return ax


def plot_boxes_3d(boxes, X, y_positive, features=(0, 1, 2), ax=None, feature_names=None):
    """Draw examples and translucent boxes over three features.

    As `plot_boxes`, a box with conditions on other features is drawn as its projection and a
    boundary that does not exist at the edge of the axes. Of many negatives only every second,
    third, ... row is drawn, and the legend says how many of how many.

    Parameters
    ----------
    boxes : BoxSet
    X : array-like of shape (n_samples, n_features)
    y_positive : array-like of bool of shape (n_samples,)
    features : triple of int or str, default=(0, 1, 2)
        Positions or names of the features on the three axes.
    ax : mpl_toolkits.mplot3d.Axes3D, default=None
        A new figure by default.
    feature_names : sequence of str, default=None
        Names on the axes, those of `boxes` by default.

    Returns
    -------
    ax : mpl_toolkits.mplot3d.Axes3D
    """
    plt = optional("matplotlib.pyplot", "plot")
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    triple, names, points, categories = _chosen(boxes, X, features, feature_names, 3)
    y_positive = np.asarray(y_positive, dtype=bool)
    if ax is None:
        ax = plt.figure().add_subplot(projection="3d")

    negatives = points[~y_positive]
    shown = negatives[:: -(-len(negatives) // _MOST_NEGATIVES_3D) or 1]
    thinned = f" ({len(shown):,} of {len(negatives):,})" if len(shown) < len(negatives) else ""
    for rows, label, style in [
        (shown, "negative" + thinned, {"color": _NEGATIVE, "s": 7, "alpha": 0.4}),
        (points[y_positive], "positive", {"color": _POSITIVE, "s": 22}),
    ]:
        ax.scatter(*rows.T, label=label, linewidths=0, depthshade=False, **style)

    low, high = _limits(points, categories)
    label = "box"
    for ends in _visible(boxes, triple, categories, low, high):
        corners = np.stack(np.meshgrid(*np.transpose(ends), indexing="ij"), axis=-1)
        # A face fixes one coordinate; its corners in the order of a walk around it.
        faces = [
            np.take(corners, side, axis=j)[[0, 0, 1, 1], [0, 1, 1, 0]]
            for j in range(3)
            for side in (0, 1)
        ]
        edges = [edge for j in range(3) for edge in np.moveaxis(corners, j, 2).reshape(4, 2, 3)]
        ax.add_collection3d(Poly3DCollection(faces, facecolor=_POSITIVE, alpha=0.08))
        ax.add_collection3d(Line3DCollection(edges, colors=_BOX, linewidths=1.1, label=label))
        label = None
    ax.set(
        xlim=(low[0], high[0]),
        ylim=(low[1], high[1]),
        zlim=(low[2], high[2]),
    )
    _name_places(ax, categories)
    ax.set_xlabel(names[0], parse_math=False)
    ax.set_ylabel(names[1], parse_math=False)
    ax.set_zlabel(names[2], parse_math=False)
    ax.legend()
    return ax
