"""What is wrong with a figure as it is drawn: letters that are too small, clipped or covered."""

from itertools import combinations
from unittest.mock import patch

import numpy as np
from matplotlib.legend import Legend
from matplotlib.text import Text

#: In points. Texts may touch by so much of a letter's height.
SMALLEST, TOUCHING = 6.0, 0.1
#: A legend beside the panels takes less than this share of the width.
WIDEST_LEGEND = 1 / 3


def faults(figure) -> list[str]:
    """What a reader would complain about."""
    texts = _drawn_texts(figure)
    boxes = [_corners(text) for text in texts]
    width, height = figure.bbox.size
    found = []
    for text, corners in zip(texts, boxes, strict=True):
        if text.get_fontsize() < SMALLEST - 0.01:
            found.append(f"{_words(text)} has letters of {text.get_fontsize():.1f} pt")
        low, high = corners.min(axis=0), corners.max(axis=0)
        if (low < -1.5).any() or high[0] > width + 1.5 or high[1] > height + 1.5:
            found.append(f"{_words(text)} is clipped")
    for (first, a), (second, b) in combinations(zip(texts, boxes, strict=True), 2):
        depth = _overlap(a, b)
        if depth > TOUCHING * min(first.get_fontsize(), second.get_fontsize()) * figure.dpi / 72:
            found.append(f"{_words(first)} and {_words(second)} overlap")
    return found + _legends(figure)


def _drawn_texts(figure) -> list[Text]:
    """Texts that are drawn: a tick outside of the axes has one too, which is not."""
    drawn = []
    draw = Text.draw

    def record(text, renderer, *rest, **more):
        drawn.append(text)
        return draw(text, renderer, *rest, **more)

    with patch.object(Text, "draw", record):
        figure.draw_without_rendering()
    seen = dict.fromkeys(drawn)
    return [text for text in seen if text.get_visible() and text.get_text().strip()]


def _corners(text) -> np.ndarray:
    """The corners of a text in pixels, turned as it is."""
    turned = text.get_window_extent()
    centre = np.array([turned.x0 + turned.x1, turned.y0 + turned.y1]) / 2
    angle = np.deg2rad(text.get_rotation())
    if np.isclose(np.sin(2 * angle), 0):
        half = np.array([turned.width, turned.height]) / 2
        angle = 0.0
    else:
        rotation = text.get_rotation()
        text.set_rotation(0)
        flat = text.get_window_extent()
        text.set_rotation(rotation)
        half = np.array([flat.width, flat.height]) / 2
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return centre + half * [[-1, -1], [1, -1], [1, 1], [-1, 1]] @ turn


def _overlap(a, b) -> float:
    """How far two rectangles reach into one another, 0 if they do not."""
    depth = np.inf
    for corners in (a, b):
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            length = np.hypot(*side)
            if length == 0:
                return 0.0
            on_a, on_b = a @ side / length, b @ side / length
            depth = min(depth, on_a.max() - on_b.min(), on_b.max() - on_a.min())
    return max(0.0, depth)


def _words(text) -> str:
    return repr(" ".join(text.get_text().split())[:40])


def _legends(figure) -> list[str]:
    found = []
    panels = [axes.get_window_extent() for axes in figure.axes]
    for legend in figure.findobj(Legend):
        box = legend.get_window_extent()
        is_beside = any(box.y1 > p.y0 and box.y0 < p.y1 and box.x0 > p.x1 - 2 for p in panels)
        is_within = any(
            box.x0 < p.x1 - 2 and box.y1 > p.y0 + 2 and box.y0 < p.y1 - 2 for p in panels
        )
        if is_beside and not is_within and box.width > WIDEST_LEGEND * figure.bbox.width:
            found.append(f"a legend takes {box.width / figure.bbox.width:.0%} of the width")
        if box.x0 < -1.5 or box.x1 > figure.bbox.width + 1.5 or box.y0 < -1.5:
            found.append("a legend is clipped")
    return found
