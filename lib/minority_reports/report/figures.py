"""One style sheet, one way to write figures and tables to ``figures/``."""

import contextlib
import fcntl
import io
import json
import os
from importlib import resources
from pathlib import Path

import pandas as pd

from minority_reports import paths
from minority_reports.experiments import Settings
from minority_reports.files import read_entries, replace_file
from minority_reports.report.tables import Table

#: Okabe and Ito's colours, and what they stand for here.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
YELLOW, SKY = "#E69F00", "#56B4E9"
COLOURS = {"positive": ORANGE, "negative": SKY, "model": "#000000", "grey": "#999999"}


def use_style() -> None:
    """Give matplotlib the project's look."""
    import matplotlib.pyplot as plt

    with resources.as_file(
        resources.files("minority_reports.report") / "minority.mplstyle"
    ) as sheet:
        plt.style.use(sheet)


def empty_figure(text: str = "No rows of this selection are stored."):
    """A figure that says why there is nothing to draw."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 1))
    axes.set_axis_off()
    axes.text(0, 0.5, text, parse_math=False)
    return figure


def legend_beside(axes, **looks) -> None:
    """A legend on the right of a panel, where it covers nothing."""
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), **looks)


def log_ticks(axes, ticks, labels=None) -> None:
    """Make the horizontal axis logarithmic, with these ticks, as people write them, and no others.

    `labels` are the numbers themselves by default.
    """
    axes.set_xscale("log")
    axes.set_xticks(ticks, labels or [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)


class Report:
    """Shows a notebook's tables and figures and writes them where they belong.

    The whole protocol of a paper goes to ``figures/``; a run on a selection (other data sets,
    fewer folds, another seed) is shown all the same but written to ``data/runs/figures``, so
    that it never replaces the published picture. That the folder can be written to and its index
    be read is found out before anything is computed.
    """

    def __init__(self, prefix: str, notebook: str, *, complete: bool = True):
        self.prefix = prefix
        self.notebook = notebook
        folder = paths.figures() if complete else paths.runs() / "figures"
        self._variable = "MINORITY_FIGURES" if complete else "MINORITY_RUNS"
        self.folder = paths.writable(folder, f"Set {self._variable} to a folder that can be.")
        read_index(self.folder)
        use_style()

    @classmethod
    def of(cls, settings: Settings) -> "Report":
        """The report of a paper's notebook."""
        paper = settings.paper
        return cls(paper.name, paper.notebook, complete=settings.is_complete)

    def table(self, table: Table, slug: str) -> Table:
        """Write a table as CSV and HTML and return it for display."""
        stem = self._note(slug, table.caption, "table")
        self._write(f"{stem}.csv", _tidy(table).to_csv(float_format=_shared_digits))
        self._write(f"{stem}.html", table.to_html() + "\n")
        return table

    def figure(self, figure, slug: str, data: pd.DataFrame, caption: str):
        """Write a figure as PNG and SVG with the data it plots and return it for display."""
        import matplotlib.pyplot as plt

        stem = self._note(slug, caption, "figure")
        drawn = {}
        # Without dates and versions the same figure is the same file.
        for kind, absent in {"png": ["Software"], "svg": ["Date", "Creator"]}.items():
            file = io.BytesIO()
            figure.savefig(file, format=kind, metadata=dict.fromkeys(absent))
            drawn[kind] = file.getvalue()
            self._write(f"{stem}.{kind}", drawn[kind])
        self._write(f"{stem}.csv", data.to_csv(index=False, float_format=_shared_digits))
        plt.close(figure)  # or a notebook would draw it a second time
        return Picture(figure, drawn["png"], caption)

    def _write(self, name: str, content: str | bytes) -> None:
        replace_file(self.folder / name, content, self._variable)

    def _note(self, slug: str, caption: str, kind: str) -> str:
        stem = f"{self.prefix}_{slug}"
        with _held(self.folder):
            index = read_index(self.folder)
            index[stem] = {"kind": kind, "notebook": self.notebook, "caption": caption}
            text = json.dumps(dict(sorted(index.items())), indent=1)
            self._write("index.json", f"{text}\n")
            self._write("INDEX.md", _index_page(index))
        return stem


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
        "Generated by the notebooks; do not edit. Every figure is there as PNG, SVG and the data",
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
