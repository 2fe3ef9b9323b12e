"""Every figure and table, shown in a notebook and written where it belongs."""

import contextlib
import fcntl
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from minority_reports import paths
from minority_reports.experiments import Settings
from minority_reports.files import read_entries, replace_file
from minority_reports.report.latex import figure_to_latex, to_latex
from minority_reports.report.style import use_style
from minority_reports.report.tables import Table

#: What a file of each kind leaves out, so that the same figure is the same file at any time.
_UNDATED = {
    "png": ["Software"],
    "pdf": ["CreationDate", "Creator", "Producer"],
    "svg": ["Date", "Creator"],
}
#: What `figures/` holds of each figure and of each table.
FIGURE_FILES, TABLE_FILES = ("png", "pdf", "csv"), ("csv", "html")
#: More points than this are a picture inside a drawing, at so many dots per inch.
_MANY_POINTS, _DOTS = 1_000, 140


class Report:
    """Shows a notebook's tables and figures and writes them where they belong.

    The whole protocol of a paper goes to ``figures/``; a run on a selection (other data sets,
    fewer folds, another seed) or for another page (`width`, `style`, `formats`, `only`) is shown
    all the same but written to ``data/runs/figures``, so that it never replaces the published
    picture. That the folder can be written to and its index be read is found out before anything
    is computed.

    Parameters
    ----------
    prefix, notebook : str
        Of the names of files, and of the index.
    complete : bool, default=True
        Whether this is the whole protocol.
    width : float, default=None
        Width of figures in inches; the style sheet's by default.
    style : path, default=None
        A style sheet of one's own.
    formats : sequence of str, default=()
        Of "png", "pdf", "svg", "tex", "csv" and "html" those to write; without any, figures are
        PNG, PDF and CSV and tables CSV and HTML, and an index tells what they show.
    only : sequence of str, default=()
        What to write, see :func:`is_meant`; everything by default.
    """

    def __init__(
        self,
        prefix: str,
        notebook: str,
        *,
        complete: bool = True,
        width: float | None = None,
        style: str | Path | None = None,
        formats: Sequence[str] = (),
        only: Sequence[str] = (),
    ):
        self.prefix = prefix
        self.notebook = notebook
        self.formats = tuple(formats)
        self.only = tuple(only)
        complete = complete and not (width or style or formats or only)
        folder = paths.figures() if complete else paths.runs() / "figures"
        self._variable = "MINORITY_FIGURES" if complete else "MINORITY_RUNS"
        self.folder = paths.writable(folder, f"Set {self._variable} to a folder that can be.")
        read_index(self.folder)
        use_style(width, style or None)

    @classmethod
    def of(cls, settings: Settings) -> "Report":
        """The report of a paper's notebook."""
        paper = settings.paper
        return cls(
            paper.name,
            paper.notebook,
            complete=settings.is_complete,
            **settings.looks,
        )

    def table(self, table: Table, slug: str) -> Table:
        """Write a table as CSV and HTML and return it for display."""
        if not self._is_chosen(slug):
            return table
        stem = self._note(slug, table.caption, "table")
        drawn = {
            "csv": lambda: _tidy(table).to_csv(float_format=_shared_digits),
            "html": lambda: table.to_html() + "\n",
            "tex": lambda: to_latex(table, stem),
        }
        self._write_all(stem, drawn, TABLE_FILES)
        return table

    def figure(self, figure, slug: str, data: pd.DataFrame, caption: str):
        """Write a figure as PNG and PDF with the data it plots and return it for display."""
        import matplotlib.pyplot as plt

        png = _drawn(figure, "png")
        if self._is_chosen(slug):
            stem = self._note(slug, caption, "figure")
            width = figure.get_figwidth()
            drawn = {
                "png": lambda: png,
                "pdf": lambda: _drawn(figure, "pdf"),
                "svg": lambda: _drawn(figure, "svg"),
                "csv": lambda: data.to_csv(index=False, float_format=_shared_digits),
                "tex": lambda: figure_to_latex(stem, caption, width),
            }
            self._write_all(stem, drawn, FIGURE_FILES)
        plt.close(figure)  # or a notebook would draw it a second time
        return Picture(figure, png, caption)

    def _is_chosen(self, slug: str) -> bool:
        return not self.only or is_meant(self.prefix, slug, self.only)

    def _write_all(self, stem: str, drawn: Mapping[str, Callable], usual: Sequence[str]) -> None:
        """Write the files that were asked for, or the usual ones."""
        for kind in self.formats or usual:
            if kind in drawn:
                self._write(f"{stem}.{kind}", drawn[kind]())

    def _write(self, name: str, content: str | bytes) -> None:
        replace_file(self.folder / name, content, self._variable)

    def _note(self, slug: str, caption: str, kind: str) -> str:
        stem = f"{self.prefix}_{slug}"
        if self.formats:  # for somebody's paper, which has an order of its own
            return stem
        with _held(self.folder):
            index = read_index(self.folder)
            index[stem] = {"kind": kind, "notebook": self.notebook, "caption": caption}
            text = json.dumps(dict(sorted(index.items())), indent=1)
            self._write("index.json", f"{text}\n")
            self._write("INDEX.md", _index_page(index))
        return stem


def is_meant(prefix: str, slug: str, words: Sequence[str]) -> bool:
    """Whether one of some words means a figure or table: it is its name, or how that begins.

    >>> [is_meant("damvi", slug, ["table2", "damvi_fig1"]) for slug in ("table2_f1", "fig1")]
    [True, True]
    """
    names = (slug, f"{prefix}_{slug}")
    return any(name == word or name.startswith(f"{word}_") for word in words for name in names)


def _drawn(figure, kind: str) -> bytes:
    """A figure as a file, without dates and versions."""
    file = io.BytesIO()
    looks = {}
    if kind != "png":
        for points in figure.findobj(_has_many_points):
            points.set_rasterized(True)
        looks["dpi"] = _DOTS
    figure.savefig(file, format=kind, metadata=dict.fromkeys(_UNDATED[kind]), **looks)
    return file.getvalue()


def _has_many_points(artist) -> bool:
    offsets = getattr(artist, "get_offsets", None)
    return offsets is not None and len(offsets()) > _MANY_POINTS


class Picture:
    """A drawn figure that shows itself in a notebook, without being drawn again.

    As large as the notebook's other figures but with the pixels of the file, for sharp screens;
    256 colours make it less than half of the file's size. Its caption is its alternative text.
    """

    def __init__(self, figure, png: bytes, caption: str):
        self._name = repr(figure)
        self._png = png
        self._caption = caption
        self._width = round(figure.get_figwidth() * figure.dpi)

    def __repr__(self) -> str:
        return self._name

    def _repr_png_(self) -> tuple[bytes, dict]:
        from PIL import Image

        small = io.BytesIO()
        Image.open(io.BytesIO(self._png)).convert("RGB").quantize().save(small, "png")
        return small.getvalue(), {"width": self._width, "alt": self._caption}


@contextlib.contextmanager
def _held(folder: Path):
    """Keep a folder for oneself: two batches at once must not lose each other's entries."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def read_index(folder: Path) -> dict[str, dict]:
    """What a folder of artefacts holds: kind, notebook and caption by stem."""
    return read_entries(folder / "index.json", ("kind", "notebook", "caption"))


def _shared_digits(value: float) -> str:
    """Six significant digits, which all machines share; whole numbers stay whole.

    Nine digits come first: then a number that ends in a 5 behind the sixth is rounded the same
    way everywhere, whichever side of it the last bits are on. What is below 1e-13 is what is
    left of a difference that should be zero.
    """
    value = float(f"{value:.9g}") if abs(value) >= 1e-13 else 0.0
    return f"{value:.0f}" if value.is_integer() else f"{value:.6g}"


def _tidy(table: Table) -> pd.DataFrame:
    """The numbers as they are, with the standard deviations as columns of their own."""
    frame = table.frame
    if table.spread is not None:
        names = pd.Index([_last_with(name, " sd") for name in table.spread])
        frame = frame.join(table.spread.set_axis(names, axis="columns"))
    return frame


def _last_with(name, suffix: str):
    """A column's name with a suffix, for one in levels at the end of its last."""
    return (*name[:-1], name[-1] + suffix) if isinstance(name, tuple) else name + suffix


def _index_page(index: dict[str, dict]) -> str:
    lines = [
        "# Figures and tables",
        "",
        "Generated by the notebooks; do not edit. Every figure is there as PNG, PDF and the data",
        "it plots (CSV), every table as CSV and HTML.",
        "",
        "| file | what it shows | notebook |",
        "|---|---|---|",
    ]
    for stem, entry in sorted(index.items()):
        suffix = "png" if entry["kind"] == "figure" else "html"
        link = f"[{stem}]({stem}.{suffix})"
        notebook = f"[{entry['notebook']}](../notebooks/{entry['notebook']}.ipynb)"
        lines.append(f"| {link} | {entry['caption'].replace('|', '/')} | {notebook} |")
    return "\n".join(lines) + "\n"
