"""Drawing boxes over two features."""

import numpy as np

# Okabe and Ito's palette, which colour-blind readers can tell apart.
_NEGATIVE = "#56B4E9"
_POSITIVE = "#D55E00"
_BOX = "#000000"


def plot_boxes(boxes, X, y_positive, features=(0, 1), ax=None, feature_names=None):
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

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    # Fitting and printing models must not need a plotting library.
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle

    names = list(boxes.feature_names if feature_names is None else feature_names)
    pair = [names.index(f) if isinstance(f, str) else f for f in features]
    if len(pair) != 2:
        raise ValueError(f"Two features can be drawn, got {len(pair)}.")
    points = np.asarray(X, dtype=np.float64)[:, pair]
    y_positive = np.asarray(y_positive, dtype=bool)
    if ax is None:
        ax = plt.subplots()[1]

    for rows, label, style in [
        (~y_positive, "negative", {"color": _NEGATIVE, "s": 8, "alpha": 0.5, "linewidths": 0}),
        (y_positive, "positive", {"color": _POSITIVE, "s": 18, "linewidths": 0}),
    ]:
        ax.scatter(*points[rows].T, label=label, rasterized=rows.sum() > 2_000, **style)

    low, high = points.min(axis=0), points.max(axis=0)
    pad = np.where(high > low, 0.05 * (high - low), 0.5)
    low, high = low - pad, high + pad
    label = "box"
    for lower, upper in zip(boxes.lower, boxes.upper, strict=True):
        if (lower > upper).any():  # covers nothing
            continue
        corner = np.clip(lower[pair], low, high)
        size = np.clip(upper[pair], low, high) - corner
        style = {"facecolor": "none", "edgecolor": _BOX, "linewidth": 1.5, "zorder": 3}
        ax.add_patch(Rectangle(corner, *size, label=label, **style))
        label = None  # one entry in the legend stands for all boxes
    ax.set(
        xlim=(low[0], high[0]),
        ylim=(low[1], high[1]),
        xlabel=names[pair[0]],
        ylabel=names[pair[1]],
    )
    ax.legend()
    return ax
