"""Drawing boxes over two or three features."""

import numpy as np

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
    points = np.asarray(X, dtype=np.float64)[:, chosen]
    return chosen, [names[j] for j in chosen], points


def _limits(points):
    low, high = points.min(axis=0), points.max(axis=0)
    pad = np.where(high > low, 0.05 * (high - low), 0.5)
    return low - pad, high + pad


def _visible(boxes, chosen, low, high):
    """Yield the corners of each box that covers anything, cut at the edge of the axes."""
    for lower, upper in zip(boxes.lower, boxes.upper, strict=True):
        if (lower <= upper).all():
            yield np.clip(lower[chosen], low, high), np.clip(upper[chosen], low, high)


def plot_boxes(boxes, X, y_positive, features=(0, 1), ax=None, feature_names=None, *, region=False):
    """Draw examples and boxes over two features.

    A box with conditions on other features too is drawn as its projection, so that it may contain
    examples that it does not cover. A boundary that does not exist is drawn at the edge of the
    axes.

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

    pair, names, points = _chosen(boxes, X, features, feature_names, 2)
    y_positive = np.asarray(y_positive, dtype=bool)
    if ax is None:
        ax = plt.subplots()[1]

    for rows, label, style in [
        (~y_positive, "negative", {"color": _NEGATIVE, "s": 8, "alpha": 0.5, "linewidths": 0}),
        (y_positive, "positive", {"color": _POSITIVE, "s": 18, "linewidths": 0}),
    ]:
        ax.scatter(*points[rows].T, label=label, rasterized=rows.sum() > 2_000, **style)

    low, high = _limits(points)
    label = "box"
    for corner, opposite in _visible(boxes, pair, low, high):
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

    triple, names, points = _chosen(boxes, X, features, feature_names, 3)
    y_positive = np.asarray(y_positive, dtype=bool)
    if ax is None:
        ax = plt.figure(figsize=(6.4, 5.6)).add_subplot(projection="3d")

    negatives = points[~y_positive]
    shown = negatives[:: -(-len(negatives) // _MOST_NEGATIVES_3D) or 1]
    thinned = f" ({len(shown):,} of {len(negatives):,})" if len(shown) < len(negatives) else ""
    for rows, label, style in [
        (shown, "negative" + thinned, {"color": _NEGATIVE, "s": 7, "alpha": 0.4}),
        (points[y_positive], "positive", {"color": _POSITIVE, "s": 22}),
    ]:
        ax.scatter(*rows.T, label=label, linewidths=0, depthshade=False, **style)

    low, high = _limits(points)
    label = "box"
    for ends in _visible(boxes, triple, low, high):
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
    ax.set_xlabel(names[0], parse_math=False)
    ax.set_ylabel(names[1], parse_math=False)
    ax.set_zlabel(names[2], parse_math=False)
    ax.legend()
    return ax
