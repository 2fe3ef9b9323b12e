"""Tables as people read them: ours, published and difference side by side."""

import contextlib
import hashlib
import html
import math
import re
from collections.abc import Iterable

import pandas as pd

from minority_reports import datasets
from minority_reports.report.folding import details
from minority_reports.statistics import pairwise_wilcoxon

GAP = "–"
_LINE = "border-top: 1px solid;"
#: A table narrower than its caption must not squeeze it into a column of single words.
_CAPTION = "caption-side: top; text-align: left; min-width: 40em; max-width: 60rem;"
_NOTES = "text-align: left; font-size: 0.85em; white-space: normal; min-width: 40em;"
#: Characters in a line from which on a table is set smaller, to fit beside JupyterLab's panels.
WIDE, WIDER = 110, 150
#: Lines of a table from which on a notebook folds it, and the characters that are taken for one.
LONG, _LINE_OF_TEXT = 24, 80
#: Characters of a text that are put beside other columns before it is broken.
_TEXT = 24
_DENSE = (
    "font-size: 0.78rem; padding: 0.2em 0.35em; white-space: pre-line;",
    "font-size: 0.68rem; padding: 0.15em 0.25em; white-space: pre-line;",
)


def _in_two_lines(cell: str) -> str:
    """A mean, and below it its spread with what is marked there."""
    mean, sign, spread = cell.partition(" ± ")
    return f"{mean}\n±\u00a0{spread.replace(' ', chr(160))}" if sign else cell


#: Headings of p-values.
_P_VALUE = re.compile(r"p( |,|-value|$)")


def _last(name) -> str:
    """A heading, or the lowest of several."""
    return str(name[-1] if isinstance(name, tuple) else name)


def _breakable(name) -> str:
    return str(name).replace("_", "_\u200b")


def split_caption(caption: str) -> tuple[str, str]:
    """What a table shows, in a sentence, and the notes that follow it.

    >>> split_caption("AUH of C4.5 on oil. Bold: best of a row. Means.")
    ('AUH of C4.5 on oil.', 'Bold: best of a row. Means.')
    """
    title, *notes = re.split(r"(?<=[^.]\.) (?=[A-Z0-9“†↓↑])", caption, maxsplit=1)
    return title, *(notes or [""])


class Table:
    """A frame with a caption that shows itself in notebooks, terminals, CSV and HTML.

    Parameters
    ----------
    frame : DataFrame
        The numbers, unrounded.
    caption : str
        One sentence: what it shows and how complete it is.
    digits : int
        Decimals shown for numbers that are not whole.
    spread : DataFrame, optional
        Standard deviations, shown behind the numbers.
        Columns that it lacks are shown without.
    bold, italic : DataFrame of bool, optional
        Cells to set in bold and in italics.
    marks : DataFrame of str, optional
        What follows a number, such as an arrow.
    rule_above : label, optional
        The row above which a line is drawn.
    folded : bool, optional
        Whether a notebook folds it; by default if it is long.
    """

    def __init__(
        self,
        frame,
        *,
        caption="",
        digits=3,
        spread=None,
        bold=None,
        italic=None,
        marks=None,
        rule_above=None,
        folded=None,
    ):
        self.frame = frame
        self.caption = caption
        self.digits = digits
        self.spread = spread
        self.bold = bold
        self.italic = italic
        self.marks = marks
        self.rule_above = rule_above
        self.folded = folded

    def _text(self, value, smallest: float = 0) -> str:
        """A value as it is shown; numbers below the `smallest` as being below it."""
        if isinstance(value, str):
            return value
        if pd.isna(value):
            return GAP
        if pd.api.types.is_bool(value):
            return "yes" if value else "no"
        if pd.api.types.is_integer(value):
            return f"{value:,}"
        if pd.api.types.is_float(value):
            if 0 <= value < smallest / 2:
                return f"< {smallest:g}"
            return f"{round(value, self.digits) + 0.0:.{self.digits}f}"  # no negative zero
        return str(value)

    def formatted(self) -> pd.DataFrame:
        """The frame as text, as it is shown."""
        text = self.frame.copy().astype(object)
        for j, name in enumerate(text.columns):
            column = self.frame.iloc[:, j]
            # of p-values, which are never 0
            smallest = 10**-self.digits if _P_VALUE.match(_last(name)) else 0
            shown = [self._text(v, smallest) for v in column]
            if self.spread is not None and name in self.spread:
                deviations = self.spread[name]
                shown = [
                    f"{mean} ± {self._text(sd)}" if mean != GAP and pd.notna(sd) else mean
                    for mean, sd in zip(shown, deviations, strict=True)
                ]
            if self.marks is not None and name in self.marks:
                marks = self.marks[name]
                shown = [f"{cell} {m}".rstrip() for cell, m in zip(shown, marks, strict=True)]
            text.isetitem(j, pd.Series(shown, index=text.index, dtype=object))
        return text

    def __repr__(self) -> str:
        with pd.option_context("display.width", 160, "display.max_colwidth", 60):
            body = self.formatted().to_string()
        return f"{self.caption}\n{body}" if self.caption else body

    def _width(self, text: pd.DataFrame) -> int:
        """Characters in a line of the table; headings and longer texts are broken at blanks."""

        def needed(cell) -> int:
            words = str(cell).split(" ")
            return max(min(len(str(cell)), _TEXT), *map(len, words))

        columns = [text.index, *(text.iloc[:, j] for j in range(text.shape[1]))]
        headings = ["", *map(_last, text.columns)]
        return sum(
            max([0, *map(needed, cells), *map(len, heading.split())])
            for cells, heading in zip(columns, headings, strict=True)
        )

    def _lines(self, text: pd.DataFrame) -> int:
        """About how many lines it takes in a notebook."""
        rows = zip(text.index, text.to_numpy(), strict=True)
        letters = (len(str(name)) + sum(map(len, map(str, cells))) for name, cells in rows)
        return sum(math.ceil(of_row / _LINE_OF_TEXT) for of_row in letters)

    def _repr_html_(self) -> str:
        """In a notebook a long table is folded, with its caption as the line that opens it."""
        folded = self._lines(self.formatted()) > LONG if self.folded is None else self.folded
        if not folded or not self.caption:
            return self.to_html()
        return details(split_caption(self.caption)[0], self.to_html(captioned=False))

    def to_html(self, *, captioned: bool = True) -> str:
        """The table as HTML that looks the same wherever it is put.

        The first sentence of its caption is above it, the others are notes below.
        """
        text = self.formatted()
        width = self._width(text)
        is_wide = width > WIDE
        if is_wide:  # there is no room for a spread beside its mean
            text = text.map(_in_two_lines)
        styler = text.style.format(escape="html")
        for axis in ("index", "columns"):
            styler.format_index(escape="html", axis=axis)
        # The identifier must not change from run to run, nor clash on a page.
        styler.set_uuid(f"table-{hashlib.sha256(self.caption.encode()).hexdigest()[:12]}")
        styler.set_table_attributes('class="minority-table"')
        title, notes = (html.escape(part, quote=False) for part in split_caption(self.caption))
        if captioned and title:
            styler.set_caption(title)
        styler.set_table_styles(
            [
                {"selector": "caption", "props": _CAPTION},
                {"selector": "th.row_heading", "props": "text-align: left;"},
            ]
        )
        if is_wide:
            # long names may be broken at their underscores
            styler.format_index(_breakable, escape="html", axis="columns")
            dense = {"selector": "th, td", "props": _DENSE[width > WIDER]}
            styler.set_table_styles([dense], overwrite=False)
        elif self.spread is not None:  # a mean and its spread belong on one line
            styler.set_properties(**{"white-space": "nowrap"})
        # names of the index would take a line of their own
        styler.hide(axis="index", names=True).hide(axis="columns", names=True)
        words = [dtype.kind not in "ifub" and self.spread is None for dtype in self.frame.dtypes]
        for align, chosen in [("left", words), ("right", [not word for word in words])]:
            columns = self.frame.columns[chosen]
            styler.set_properties(subset=columns, **{"text-align": align})
            header = [{"selector": "th.col_heading", "props": f"text-align: {align};"}]
            styler.set_table_styles(dict.fromkeys(columns, header), overwrite=False)
        for chosen, style in (
            (self.bold, "font-weight: bold;"),
            (self.italic, "font-style: italic;"),
        ):
            if chosen is not None:
                everywhere = chosen.reindex(columns=self.frame.columns, fill_value=False)
                marked = everywhere.map(lambda on, style=style: style if on else "")
                styler.apply(lambda _, marked=marked: marked, axis=None)
        if self.rule_above in self.frame.index:
            place = self.frame.index.get_loc(self.rule_above) + 1
            line = {"selector": f"tbody tr:nth-child({place}) > *", "props": _LINE}
            styler.set_table_styles([line], overwrite=False)
        shown = styler.to_html()
        if notes:
            row = f'<td colspan="{text.shape[1] + 1}" style="{_NOTES}">{notes}</td>'
            shown = shown.replace("</table>", f"<tfoot><tr>{row}</tr></tfoot>\n</table>")
        return shown


class Bullets:
    """Sentences as a list that shows itself in notebooks: text, whatever they quote from data."""

    def __init__(self, sentences):
        self.sentences = list(sentences)

    def __repr__(self) -> str:
        return "\n".join(f"- {sentence}" for sentence in self.sentences)

    def _repr_html_(self) -> str:
        items = (f"<li>{html.escape(sentence, quote=False)}</li>" for sentence in self.sentences)
        return "\n".join(["<ul>", *items, "</ul>"])


def show(
    table: pd.DataFrame,
    published: pd.DataFrame | None = None,
    *,
    caption: str = "",
    digits: int = 3,
    spread: pd.DataFrame | None = None,
    bold: pd.DataFrame | None = None,
    **looks,
) -> Table:
    """Show a table, beside the published one if there is one.

    With ``published``, each column that both have becomes three: ours | published | difference.
    Rows and columns that only one side has are shown with gaps, never dropped. Further ``looks``
    are those of :class:`Table`.

    >>> ours = pd.DataFrame({"F1": [0.62, 0.50]}, index=["oil", "phoneme"])
    >>> paper = pd.DataFrame({"F1": [0.60]}, index=["oil"])
    >>> show(ours, paper, digits=2)  # doctest: +NORMALIZE_WHITESPACE
              F1
            ours published difference
    oil     0.62      0.60       0.02
    phoneme 0.50         –          –
    """
    if published is not None:
        rows = table.index.append(published.index.difference(table.index, sort=False))
        columns = table.columns.append(published.columns.difference(table.columns, sort=False))
        parts = {}
        for column in columns:
            empty = pd.Series(float("nan"), index=rows)
            ours = table[column].reindex(rows) if column in table else empty
            theirs = published[column].reindex(rows) if column in published else empty
            parts[column, "ours"] = ours
            parts[column, "published"] = theirs
            if all(pd.api.types.is_numeric_dtype(side) for side in (ours, theirs)):
                parts[column, "difference"] = ours - theirs
        table = pd.DataFrame(parts)
        spread = bold = None
    return Table(table, caption=caption, digits=digits, spread=spread, bold=bold, **looks)


def facts(names: Iterable[str]) -> pd.DataFrame:
    """Rows `n`, features `d`, `positives`, `percent` of positives and `imbalance` of data sets.

    Gaps for what is not registered, such as users' own files.
    """
    names = list(names)
    columns = ["n", "d", "positives"]
    known = {}
    for name in dict.fromkeys(names):
        with contextlib.suppress(datasets.UnknownDatasetError):
            entry = datasets.entry(name)
            known[name] = [getattr(entry, column) for column in columns]
    frame = pd.DataFrame.from_dict(known, orient="index", columns=columns, dtype=float)
    frame["imbalance"] = frame["n"] / frame["positives"] - 1
    frame["percent"] = 100 * frame["positives"] / frame["n"]
    return frame.reindex(names)


def with_mean(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a last row of means; a column with a gap has none."""
    return pd.concat([frame, frame.mean(skipna=False).rename("mean").to_frame().T])


def whole_numbers(frame: pd.DataFrame, columns) -> pd.DataFrame:
    """The frame with some columns rounded, where decimals would only distract; gaps stay."""
    frame = frame.copy()
    for column in columns:
        frame[column] = frame[column].astype(float).round().astype("Int64")
    return frame


def best_of_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """Which cells are the highest of their rows; equal are those that agree to nine digits."""
    rounded = scores.astype(float).round(9)
    return rounded.eq(rounded.max(axis=1), axis=0) & rounded.notna()


def against_each(scores: pd.DataFrame, method: str) -> pd.DataFrame:
    """A method against each of the others over data sets: sets won and lost, signed-rank tests.

    ``scores`` are data sets x methods without gaps, higher is better. Holm's correction is for the
    number of the others.
    """
    names = {
        "difference": "mean difference",
        "wins": "sets won",
        "losses": "sets lost",
        "p_value": "p",
        "p_holm": "p (Holm)",
    }
    if scores.empty:
        return pd.DataFrame(columns=list(names.values()), dtype=float)
    pairs = pairwise_wilcoxon(scores, against=method).set_index("second")
    return pairs[list(names)].rename(columns=names)
