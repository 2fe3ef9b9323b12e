"""One look for every figure: sizes from one style sheet, and a colour and mark for each method."""

import re
import textwrap
import zlib
from importlib import resources
from pathlib import Path

import numpy as np

#: Okabe and Ito's colours, and what they stand for here.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
YELLOW, SKY = "#E69F00", "#56B4E9"
COLOURS = {"positive": ORANGE, "negative": SKY, "model": "#000000", "grey": "#999999"}

#: Widths of a figure in inches: the whole text, and a column of two.
FULL, COLUMN = 7.0, 3.3
#: Below this width letters are smaller and panels below one another.
_NARROW = 4.6
_NARROW_LETTERS = 7.5

#: Colour and mark of a method in all figures of all papers, by its key or label. The papers' own
#: methods have the strong colours, a family of baselines has shades of one.
_FAMILIES = {
    "boxes": {
        "fast-boxes": (ORANGE, "o"),
        "exact-boxes": ("#7F2704", "D"),
        "fast-boxes-first-grid": ("#E8884A", "<"),
        "fast-boxes-released": ("#F2B48C", ">"),
        "fast-boxes-tight": ("#B34E00", "v"),
        "exact-boxes-margin": ("#A63603", "d"),
        "fast-boxes-cv": ("#E8884A", "h"),
        "exact-boxes-cv": ("#A63603", "h"),
        "prim": ("#F5C9A9", "p"),
    },
    "votes": {
        "damvi": (BLUE, "s"),
        "released": ("#6BAED6", "<"),
        "uniform": ("#9ECAE1", "X"),
    },
    "rules for rare positives": {
        "rlsd": (GREEN, "^"),
        "rlsd-all-rules": ("#00664B", "v"),
        "chimerge": ("#7FCBB3", "<"),
    },
    "machines with costs": {
        "b-svm": (PINK, "v"),
    },
    "sampling by a search": {
        "wrapper": (YELLOW, "P"),
        "wrapper-c45": (YELLOW, "P"),
        "wrapper-ripper": ("#B87500", "X"),
        "wrapper-auroc": (YELLOW, "o"),
        "wrapper-f": ("#B87500", "^"),
        "wrapper-cost": ("#7A4E00", "v"),
        "wrapper-beta": ("#F5D27A", "D"),
    },
    "single trees": {
        "cart": (SKY, "^"),
        "c4.5": ("#2A8CC4", "v"),
        "c5.0": ("#8ECDF0", "D"),
        "hddt": ("#1B5E85", "P"),
        "tree": (SKY, "^"),
        "shallow-tree": ("#2A8CC4", "v"),
        "stump": ("#8ECDF0", "D"),
        "s-dt": ("#8ECDF0", "v"),
        "r-dt": (SKY, "D"),
        "a-dt": ("#2A8CC4", "P"),
        "optimal-tree": ("#1B5E85", "D"),
        "figs": ("#8ECDF0", "s"),
    },
    "bagging and forests": {
        "random-forest": ("#332288", "s"),
        "balanced-forest": ("#5E4FA2", "p"),
        "brf": ("#5E4FA2", "p"),
        "bb": ("#332288", "h"),
        "wrf": ("#8073AC", "*"),
        "r-bg": ("#009E9E", "o"),
        "s-bg": ("#66C2C2", "<"),
        "a-bg": ("#00696B", ">"),
    },
    "boosting": {
        "adaboost": ("#999933", "h"),
        "gradient-boosting": ("#666622", "*"),
        "easy-ensemble": ("#A3A33A", "X"),
        "ee": ("#A3A33A", "X"),
        "rusboost": ("#C9C96B", "d"),
        "adacost": ("#999933", "h"),
        "smoteboost": ("#666622", "*"),
        "databoost-im": ("#C9C96B", "d"),
        "boosting-balanced": ("#C9C96B", "d"),
        "lightgbm": ("#666622", "<"),
        "xgboost": ("#A3A33A", ">"),
        "catboost": ("#999933", "P"),
        "ebm": ("#4D4D1A", "v"),
    },
    "linear models and single machines": {
        "logistic-regression": ("#64748B", "*"),
        "svm-rbf": ("#334155", "X"),
        "svm": ("#334155", "X"),
        "asymmetric": ("#1E3A8A", "s"),
        "undersampling": ("#475569", "<"),
        "smote": ("#94A3B8", ">"),
        "smote-asymmetric": ("#60739F", "D"),
        "naive-bayes": ("#94A3B8", "p"),
        "network": ("#CBB8A9", "p"),
    },
    "rule learners": {
        "ripper": ("#8C6D31", "s"),
    },
    "costs": {
        "base": ("#444444", "x"),
        "metacost": ("#117733", "s"),
        "csc": ("#44AA99", "P"),
        "costing": ("#88CCEE", "*"),
        "weighting": ("#332288", "+"),
    },
}
_ALIASES = {
    "boosting-svm": "b-svm",
    "linear-rlsd": "rlsd",
    "c50": "c5.0",
    "logistic": "logistic-regression",
    "balanced random forest": "balanced-forest",
    "weighted random forest": "wrf",
    "uniform weights": "uniform",
    "gradient boosting, balanced": "boosting-balanced",
    "boosting": "gradient-boosting",
    "c45-rules": "c5.0",
    "c4.5 at p*": "base",
    "asymmetric-cost svm": "asymmetric",
    "smote + asymmetric cost": "smote-asymmetric",
    "neural network": "network",
    "fast boxes, first grid": "fast-boxes-first-grid",
    "fast boxes as released": "fast-boxes-released",
    "fast boxes, not expanded": "fast-boxes-tight",
    "exact boxes with a margin": "exact-boxes-margin",
    "damvi as released": "released",
}


def _plain(name: str) -> str:
    """A name without what differs between keys and labels."""
    return re.sub(r"[^a-z0-9+*]", "", name.lower())


_LOOKS = {_plain(name): pair for family in _FAMILIES.values() for name, pair in family.items()}
_LOOKS |= {_plain(alias): _LOOKS[_plain(name)] for alias, name in _ALIASES.items()}
#: For methods that are not known here, such as a user's own.
_OWN_COLOURS = ("#000000", "#E0007A", "#00A3E0", "#6A00E0")
_OWN_MARKS = "*Phd"


def look(method: str) -> dict[str, str]:
    """`color` and `marker` of a method, by its key or label, for matplotlib.

    A variant, such as ``"smote-300"`` or ``"b-svm:C=10"``, looks like what it is a variant of. A
    method that is not known has a look of its own, the same in all figures.

    >>> look("fast-boxes") == look("Fast Boxes")
    True
    """
    name = _plain(method)
    known = max((k for k in _LOOKS if name.startswith(k)), key=len, default=None)
    if known is not None and (name == known or _is_variant(method)):
        colour, mark = _LOOKS[known]
    else:
        number = zlib.crc32(name.encode())
        colour = _OWN_COLOURS[number % len(_OWN_COLOURS)]
        mark = _OWN_MARKS[number // len(_OWN_COLOURS) % len(_OWN_MARKS)]
    return {"color": colour, "marker": mark}


def _is_variant(method: str) -> bool:
    """Whether something follows the name of a method."""
    return re.search(r"[:,(+]|-\w+$| \w", method) is not None


def use_style(width: float | None = None, sheet: str | Path | None = None) -> None:
    """Give matplotlib the project's look.

    Parameters
    ----------
    width : float, default=None
        Width of figures in inches; that of the style sheet by default.
    sheet : path, default=None
        A style sheet of one's own, on top of the project's.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with resources.as_file(resources.files("minority_reports.report") / "minority.mplstyle") as own:
        plt.style.use(own)
    theirs = {}
    if sheet is not None:
        theirs = mpl.rc_params_from_file(sheet, use_default_template=False)
        plt.rcParams.update(theirs)
    if width is not None:
        plt.rcParams["figure.figsize"] = width, 0.6 * width
    if is_narrow() and "font.size" not in theirs:
        plt.rcParams["font.size"] = _NARROW_LETTERS


def text_width() -> float:
    """The width of a figure in inches."""
    import matplotlib.pyplot as plt

    return plt.rcParams["figure.figsize"][0]


def is_narrow() -> bool:
    """Whether figures are drawn for a column."""
    return text_width() < _NARROW


def beside(n: int, least: float) -> int:
    """How many of `n` panels that need `least` inches each have room beside one another."""
    return max(1, min(n, int(text_width() / least)))


def blank(*, shape: float = 0.6, lines: float = 0, share: float = 1):
    """An empty figure of the text's width, or of a share of it where that is not narrow already.

    Parameters
    ----------
    shape : float, default=0.6
        Its height as a share of its width.
    lines : float, default=0
        Lines of text for which there is room besides.
    share : float, default=1
        Its width as a share of the text's.
    """
    import matplotlib.pyplot as plt

    width = text_width() if is_narrow() else share * text_width()
    height = shape * width + lines * 1.4 * plt.rcParams["font.size"] / 72
    return plt.figure(figsize=(width, height))


def canvas(
    rows: int = 1,
    columns: int = 1,
    *,
    shape: float = 0.6,
    lines: float = 0,
    share: float = 1,
    **subplots,
):
    """A figure of the text's width and its axes, as ``plt.subplots`` gives them.

    The one place that knows how large a figure is. `shape` is the height of a panel as a share of
    its width; the others are as in :func:`blank`, and what follows is passed to ``subplots``.
    """
    if is_narrow() and columns == 1:
        shape *= 1.2  # as high as it is among letters that are larger for its size
    figure = blank(shape=shape * rows / columns, lines=lines, share=share)
    return figure, figure.subplots(rows, columns, **subplots)


def panels(n: int, *, least: float, lines: float = 0, **looks):
    """A figure and `n` panels, as many beside one another as have `least` inches each.

    There is room for so many `lines` of text in each row of panels; ``looks`` are those of
    :func:`canvas`.
    """
    columns = beside(n, least)
    rows = -(-n // columns)
    figure, axes = canvas(rows, columns, lines=lines * rows, squeeze=False, **looks)
    for surplus in axes.ravel()[n:]:
        surplus.remove()
    return figure, list(axes.ravel()[:n])


def empty_figure(text: str = "No rows of this selection are stored."):
    """A figure that says why there is nothing to draw."""
    figure, axes = canvas(shape=0, lines=4)
    axes.set_axis_off()
    text = textwrap.fill(text, int(12 * text_width()))
    axes.text(0, 0.5, text, va="center", parse_math=False)
    return figure


def legend_beside(axes, **looks) -> None:
    """A legend on the right of a panel, where it covers nothing; below it in a column."""
    if not is_narrow():
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), **looks)
        return
    if axes.get_legend() is not None:
        axes.get_legend().remove()
    legend_below(axes.figure, axes, **looks)


def legend_below(figure, source, columns: int = 4, **looks) -> None:
    """One legend below all panels, for which the figure grows.

    `source` is a panel whose entries it has, or the entries themselves.
    """
    if hasattr(source, "get_legend_handles_labels"):
        handles, names = source.get_legend_handles_labels()
    else:
        handles, names = source, [handle.get_label() for handle in source]
    longest = max((len(line) for name in names for line in name.split("\n")), default=1)
    # a letter is about half as wide as high, and a mark needs six
    room = int(text_width() * 72 / (0.52 * font_size("small") * (longest + 6)))
    columns = max(1, min(columns, room, len(names)))
    rows = -(-len(names) // columns) * max(name.count("\n") + 1 for name in names)
    figure.set_figheight(figure.get_figheight() + (rows + 1) * 1.5 * font_size("small") / 72)
    figure.legend(handles, names, loc="outside lower center", ncols=columns, **looks)


def filled(text: str, share: float = 1, size: str = "medium") -> str:
    """A text in lines that have room in a share of the width."""
    room = int(share * text_width() * 72 / (0.56 * font_size(size)))
    return "\n".join(textwrap.fill(line, max(8, room)) for line in text.split("\n"))


def font_size(size: str) -> float:
    """A size such as "small" in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(size=size).get_size_in_points()


def log_ticks(axes, ticks, labels=None) -> None:
    """Make the horizontal axis logarithmic, with these ticks, as people write them, and no others.

    `labels` are the numbers themselves by default.
    """
    axes.set_xscale("log")
    axes.set_xticks(ticks, labels or [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)


def name_marks(axes, x, y, sizes, names) -> None:
    """Name the marks of a panel, each beside its own where no other name or mark is in the way.

    `sizes` are their areas, as for ``scatter``. Everything else must be drawn before.
    """
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
                fontsize="small",
                in_layout=False,
            )
            box = text.get_window_extent().padded(0.25 * font_size("small") * figure.dpi / 72)
            within = (box.min > inside.min).all() and (box.max < inside.max).all()
            if within and box.count_overlaps(others) == 0:
                taken.append(box)
                break
            text.remove()
