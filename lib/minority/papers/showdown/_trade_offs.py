"""What quality costs: G-mean against the size of models and against time.

Each function returns a figure and the data that it plots.
"""

from collections.abc import Mapping
from itertools import pairwise, product

import numpy as np

from minority.experiments import Results
from minority.papers.showdown._figures import BLUE, ORANGE, in_words, plain_log
from minority.papers.showdown._tables import READABLE, count, trade_off
from minority.report import COLOURS


def readability_figure(results: Mapping[str, Results], *settings: str):
    """What readable models cost: mean G-mean against the number of conditions of a model.

    With several settings, all of `results` if none is named, on the folds that they share.
    """
    title = "Quality against size"
    return _trade_off_figure(
        results, settings, "conditions", "conditions of a model, median", title
    )


def time_figure(results: Mapping[str, Results], *settings: str):
    """What quality costs in time: mean G-mean against the median seconds of a fit.

    With several settings, all of `results` if none is named, on the folds that they share.
    """
    title = "Quality against time"
    return _trade_off_figure(results, settings, "fit_s", "seconds of a fit, median", title)


def _trade_off_figure(results, settings, cost, text, title):
    import matplotlib.pyplot as plt

    data = trade_off(results, settings or tuple(results), cost)
    if data.empty:
        return in_words(f"This needs folds that all contestants have, with {text}."), data
    figure, axes = plt.subplots(figsize=(9.6, 6.4))
    axes.set(xlabel=f"{text} (log scale)", ylabel="G-mean, mean over data sets")
    # a model without any condition, one that always says the same, has no place on a log scale
    points = data.assign(cost=data[cost].clip(lower=1) if cost == "conditions" else data[cost])
    plain_log(axes, points["cost"])
    front = points[points["on_front"]].sort_values(["cost", "g_mean"])
    steps = np.repeat(front[["cost", "g_mean"]].to_numpy(), 2, axis=0)
    corners = np.column_stack([steps[1:, 0], steps[:-1, 1]])
    axes.plot(*corners.T, color="#D9D9D9", linewidth=5, solid_joinstyle="round", zorder=1)
    shown = list(data["setting"].unique())
    ends = []
    for who, of in points.groupby("contestant", sort=False):
        colour, marker = _look(who in READABLE)
        for place, (setting, x, y) in enumerate(of[["setting", "cost", "g_mean"]].to_numpy()):
            face = colour if setting == shown[-1] else "white"
            axes.plot(x, y, marker, color=colour, mfc=face, ms=9, mew=1.6, zorder=3 + place)
        ends.append(of[["cost", "g_mean"]].to_numpy(float))
        if len(of) > 1:
            axes.annotate(
                "",
                ends[-1][-1],
                xytext=ends[-1][0],
                arrowprops={"arrowstyle": "->", "color": colour, "lw": 0.9, "alpha": 0.7}
                | {"shrinkA": 6, "shrinkB": 6},
            )
    names = list(dict.fromkeys(points["contestant"]))
    axes.margins(0.09, 0.13)
    _trade_off_legend(axes, shown)
    axes.set_title(
        f"{title}: {', '.join(shown)} ({count(int(data['sets'].iloc[0]), 'data set')}, "
        f"{count(int(data['folds'].iloc[0]), 'fold')})",
        loc="left",
    )
    _write_labels(axes, names, ends, corners)
    return figure, data


def _look(readable: bool) -> tuple[str, str]:
    return (BLUE, "o") if readable else (ORANGE, "s")


def _trade_off_legend(axes, settings):
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="", ms=8, label=label)
        for label, readable in (("rules or boxes", True), ("other models", False))
        for colour, marker in [_look(readable)]
    ]
    if len(settings) > 1:
        for setting in settings:
            face = "#666666" if setting == settings[-1] else "white"
            look = {"color": "#666666", "mfc": face, "mew": 1.6, "marker": "o", "ms": 8}
            handles.append(Line2D([], [], linestyle="", label=setting, **look))
    handles.append(Line2D([], [], color="#D9D9D9", linewidth=5, label="Pareto front"))
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=5)


def _write_labels(axes, names, paths, line):
    """Write each name beside the last point of its path, where it covers as little as possible."""
    figure = axes.figure
    figure.draw_without_rendering()  # the layout has to be settled before anything is measured
    pixel = figure.dpi / 72
    leader = {"arrowstyle": "-", "color": COLOURS["grey"], "lw": 0.7, "shrinkA": 0, "shrinkB": 5}
    texts = [
        axes.annotate(
            name,
            path[-1],
            xytext=(0, 0),
            textcoords="offset points",
            color=_look(name in READABLE)[0],
            weight="bold" if name in READABLE else "normal",
            ha="center",
            va="center",
            arrowprops=leader,
            zorder=6,
            gid="label",
            in_layout=False,
        )
        for name, path in zip(names, paths, strict=True)
    ]
    sizes = np.array([text.get_window_extent().size for text in texts])
    halves = sizes / 2 + 1.5 * pixel
    paths = [axes.transData.transform(path) for path in paths]
    anchors = np.array([path[-1] for path in paths])
    drawn = [axes.transData.transform(line), *paths]
    between = [a + _ALONG * (b - a) for piece in drawn for a, b in pairwise(piece)]
    frame = axes.get_window_extent().get_points()
    lines = np.concatenate([*between, np.empty((0, 2))])
    places = _best_places(anchors, halves, lines, np.concatenate(paths), frame, pixel)
    for text, place, anchor, half in zip(texts, places, anchors, halves, strict=True):
        text.xyann = (place - anchor) / pixel
        beyond = np.maximum(np.abs(place - anchor) - half, 0)
        text.arrow_patch.set_visible(bool(np.hypot(*beyond) > 12 * pixel))


_ALONG = np.linspace(0, 1, 30)[:, None]
_AROUND = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(24) * np.pi / 12])
_GAPS = np.array([8, 14, 22, 32, 44, 58, 74])


def _best_places(anchors, halves, lines, marks, frame, pixel):
    """Centres for labels around their anchors, by what each place would cover.

    Labels are placed in turn, and again with the others where they are now. To cover another label
    or leave the frame is worst, then marks, then lines; of what is left the nearest place counts.
    """
    places = np.full_like(anchors, np.nan)

    def hits(points, centres, half):
        return (np.abs(points[None] - centres[:, None]) < half).all(axis=2)

    for _, k in product(range(4), range(len(anchors))):
        half, others = halves[k], np.delete(np.arange(len(anchors)), k)
        # as far out as the text itself reaches in that direction, and a gap
        reach = (half / np.maximum(np.abs(_AROUND), 1e-9)).min(axis=1)
        out = (reach + _GAPS[:, None] * pixel)[..., None] * _AROUND
        centres = anchors[k] + out.reshape(-1, 2)
        rating = np.repeat(_GAPS / 30, len(_AROUND))
        rating += 50 * ((centres - half < frame[0]) | (centres + half > frame[1])).any(axis=1)
        rating += hits(lines, centres, half).sum(axis=1)
        rating += 20 * hits(marks, centres, half + 6 * pixel).sum(axis=1)
        rating += 40 * hits(places[others], centres, half + halves[others]).sum(axis=1)
        leaders = anchors[k] + _ALONG * (centres[:, None] - anchors[k])
        foreign = marks[np.abs(marks - anchors[k]).max(axis=1) > pixel]
        in_the_way = np.concatenate([places[others], foreign])
        reaches = np.concatenate([halves[others], np.full_like(foreign, 6 * pixel)])
        for place, reach in zip(in_the_way, reaches, strict=True):
            rating += 5 * (np.abs(leaders - place) < reach).all(axis=2).any(axis=1)
        places[k] = centres[rating.argmin()]
    return places
