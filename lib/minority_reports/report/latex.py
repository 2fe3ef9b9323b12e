"""Tables and captions as LaTeX, for somebody's paper."""

import copy
import re
import textwrap

import pandas as pd

from minority_reports.report.tables import Table, split_caption

#: What a document needs that holds such a table.
PACKAGES = ("array", "booktabs", "graphicx", "longtable")
#: More rows than this go over pages.
_LONG = 40
#: Sizes of letters with the width of a digit, and half the gap between columns, in points, the
#: largest first. Small letters of TeX's fonts are wider for their size.
_SIZES = (
    ("\\small", 4.62, 4),
    ("\\footnotesize", 4.25, 3),
    ("\\scriptsize", 3.98, 2.5),
    ("\\tiny", 3.4, 2),
)
#: The width of a page's text in points.
_ROOM = 505
#: How much wider numbers are, some of them bold and with a sign.
_BOLD = 1.1
#: A column of texts is at least so many letters wide where its words allow, and at most so many
#: where everything cannot fit anyway.
_NARROWEST_TEXT, _LONGEST_LINE = 8, 22

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{letter: rf"\{letter}" for letter in "&%$#_"},
    "\u00a0": "~",
    "\u200b": r"\allowbreak{}",
    "±": r"$\pm$",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "²": "$^2$",
    "³": "$^3$",
    "½": r"\textonehalf{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "†": r"$\dagger$",
    "…": r"\dots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "Δ": r"$\Delta$",
    "ε": r"$\varepsilon$",
    "θ": r"$\theta$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
}


def escape(text: str) -> str:
    """A text that LaTeX sets as it is; names may be broken at underscores.

    >>> print(escape("glass_2: 5 % of β"))
    glass\\_2: 5 \\% of $\\beta$
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def to_latex(table: Table, label: str) -> str:
    """A table for LaTeX, with rules of booktabs; over pages if it is long.

    The first sentence of its caption is above it, the others are notes below. Columns of texts are
    broken into lines, and letters as small as the width of the page's text asks for.
    """
    text, bold, italic = table.formatted(), _marked(table.bold, table), _marked(table.italic, table)
    columns = [_cells(text.index.to_series().map(_name))]
    columns += [_cells(text.iloc[:, j]) for j in range(text.shape[1])]
    headings = [_levels(name) for name in text.columns]
    depth = max((len(levels) for levels in headings), default=1)
    is_text = [True, *(_is_text(table.frame.iloc[:, j]) for j in range(text.shape[1]))]
    last = ["", *(levels[-1] for levels in headings)]
    widths = _letters(columns, last, is_text)
    size, letter, widths, gap, stacked, is_too_wide = _fitting(widths, last, is_text, columns)
    if is_too_wide and len(text) > _LONG and text.shape[1] > 1:  # no box can hold several pages
        return "".join(
            to_latex(half, f"{label}_{number}") for number, half in enumerate(_halves(table), 1)
        )
    body = []
    for i in range(len(text)):
        cells = [_cell(columns[0][i], widths[0], is_text[0], stacked)]
        for j in range(text.shape[1]):
            cell = _cell(columns[j + 1][i], widths[j + 1], is_text[j + 1], stacked)
            cell = rf"\textbf{{{cell}}}" if bold.iloc[i, j] else cell
            cells.append(rf"\emph{{{cell}}}" if italic.iloc[i, j] else cell)
        if len(text.index) and table.rule_above is not None and text.index[i] == table.rule_above:
            body.append(r"\midrule")
        body.append(" & ".join(cells) + r" \\")
    shape = "".join(_shape(w * letter, words) for w, words in zip(widths, is_text, strict=True))
    above = _heading(headings, depth, widths, is_text)
    title, notes = split_caption(table.caption)
    caption = rf"\caption{{{escape(title)}}}\label{{tab:{label}}}"
    below = rf"\par\smallskip\begin{{minipage}}{{\linewidth}}{escape(notes)}\end{{minipage}}"
    start = f"% needs \\usepackage{{{','.join(PACKAGES)}}}\n"
    look = rf"{size}\setlength{{\tabcolsep}}{{{gap}pt}}"
    if len(text) > _LONG:
        parts = [
            rf"\begin{{longtable}}{{@{{}}{shape}@{{}}}}",
            rf"{caption}\\",
            *[r"\toprule", *above, r"\midrule", r"\endfirsthead"],
            *[r"\toprule", *above, r"\midrule", r"\endhead"],
            *[r"\bottomrule", r"\endfoot"],
            *body,
            r"\end{longtable}",
        ]
        inner = [look, *parts, *([rf"\noindent {escape(notes)}\par"] if notes else [])]
        return start + "\n".join([r"\begingroup", *inner, r"\endgroup"]) + "\n"
    parts = [
        r"\begin{table}[htbp]",
        r"\centering",
        caption,
        look,
        *([r"\resizebox{\linewidth}{!}{%"] if is_too_wide else []),
        rf"\begin{{tabular}}{{@{{}}{shape}@{{}}}}",
        *[r"\toprule", *above, r"\midrule", *body, r"\bottomrule"],
        r"\end{tabular}" + ("}" if is_too_wide else ""),
        *([below] if notes else []),
        r"\end{table}",
    ]
    return start + "\n".join(parts) + "\n"


def _halves(table: Table) -> list[Table]:
    """The first and the last columns of a table, as tables with the same caption."""
    middle, names = -(-table.frame.shape[1] // 2), list(table.frame.columns)
    halves = []
    for kept in (names[:middle], names[middle:]):
        half = copy.copy(table)
        for part in ("frame", "spread", "bold", "italic", "marks"):
            whole = getattr(table, part)
            columns = None if whole is None else [name for name in kept if name in whole]
            setattr(half, part, None if whole is None else whole[columns])
        halves.append(half)
    return halves


def figure_to_latex(stem: str, caption: str, width: float) -> str:
    """A figure's environment for LaTeX, of the file beside it and in its size."""
    title = escape(caption)
    return "\n".join(
        [
            r"% needs \usepackage{graphicx}",
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width={width:g}in]{{{stem}.pdf}}",
            rf"\caption{{{title}}}\label{{fig:{stem}}}",
            r"\end{figure}",
            "",
        ]
    )


def _name(label) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _levels(name) -> list[str]:
    return [str(level) for level in name] if isinstance(name, tuple) else [str(name)]


def _marked(marks: pd.DataFrame | None, table: Table) -> pd.DataFrame:
    """Which cells are marked, for all of a table."""
    frame = table.frame
    if marks is None:
        return pd.DataFrame(False, index=range(len(frame)), columns=range(frame.shape[1]))
    marks = marks.reindex(columns=frame.columns, fill_value=False)
    return marks.set_axis(range(len(frame))).set_axis(range(frame.shape[1]), axis=1).astype(bool)


def _is_text(column: pd.Series) -> bool:
    is_number = column.map(lambda value: isinstance(value, int | float))
    return column.dtype.kind not in "ifub" and not is_number.all()


def _cells(column: pd.Series) -> list[str]:
    return [str(value).strip() for value in column]


def _letters(columns, headings, is_text) -> list[float]:
    """How many letters wide the columns would like to be; headings are broken at blanks."""
    wanted = []
    for cells, heading, words in zip(columns, headings, is_text, strict=True):
        longest = max((len(cell) for cell in cells), default=0)
        head = max((len(word) for word in heading.split()), default=0)
        wanted.append(max(longest, head) if words else max(longest, head, 3))
    return wanted


def _fitting(widths, headings, is_text, columns):
    """Look of a table that fits: its letters, their width, each column's, and so on.

    Size and width of letters, letters in each column, half the gap between columns, whether spreads
    are below their means, and whether all that is not enough.
    """
    stacked_widths = [
        w if words else max([_longest_word([heading]), *map(_stacked_width, cells)])
        for w, heading, words, cells in zip(widths, headings, is_text, columns, strict=True)
    ]
    legible, least = _SIZES[:-1], _SIZES[-1:]
    for sizes, stacked in ((legible, False), (legible, True), (least, False), (least, True)):
        tried = stacked_widths if stacked else widths
        for size, letter, gap in sizes:
            room = (_ROOM - 2 * gap * (len(widths) - 1)) / letter
            if (found := _shared(tried, is_text, room, columns)) is not None:
                return size, letter, found, gap, stacked, False
    size, letter, gap = _SIZES[-1]
    pairs = zip(stacked_widths, is_text, strict=True)
    found = [min(w, _LONGEST_LINE) if words else w for w, words in pairs]
    return size, letter, found, gap, True, True


def _stacked_width(cell: str) -> int:
    return max(map(len, re.split(r" (?=±)", cell)))


def _shared(widths, is_text, room, columns) -> list[float] | None:
    """Widths that fit into so many letters, taken from the longest texts; none if they cannot."""
    numbers = sum(w for w, words in zip(widths, is_text, strict=True) if not words)
    left = room - _BOLD * numbers
    texts = {j: w for j, (w, words) in enumerate(zip(widths, is_text, strict=True)) if words}
    found = {j: min(w, max(_NARROWEST_TEXT, _longest_word(columns[j]))) for j, w in texts.items()}
    left -= sum(found.values())
    if left < 0:
        return None
    while left > 0.5 and (growing := [j for j in texts if found[j] < texts[j]]):
        share = left / len(growing)
        for j in growing:
            more = min(share, texts[j] - found[j])
            found[j] += more
            left -= more
    return [found.get(j, w) for j, w in enumerate(widths)]


def _longest_word(cells) -> int:
    words = (word for cell in cells for word in re.split(r"[ _-]", cell))
    return max(map(len, words), default=0)


def _shape(points: float, words: bool) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{points:.0f}pt}}" if words else "r"


def _cell(cell: str, width: float, words: bool, stacked: bool) -> str:
    if words:
        return escape(cell).replace(r"\_", r"\_\allowbreak{}")
    cell = re.sub(r"^-(?=\d)", "−", cell)
    return _stack(re.split(r" (?=±)", cell) if stacked else [cell], "r")


def _stack(lines: list[str], side: str) -> str:
    """Lines below one another in a cell."""
    text = r"\\".join(map(escape, lines))
    return text if len(lines) == 1 else rf"\shortstack[{side}]{{{text}}}"


def _heading(headings, depth, widths, is_text) -> list[str]:
    """The lines of headings: groups over their columns, and names that may be broken."""
    lines = []
    for level in range(depth - 1):
        names = [levels[level] if len(levels) == depth else "" for levels in headings]
        cells, rules, start = [], [], 0
        while start < len(names):
            end = start
            while end + 1 < len(names) and names[end + 1] == names[start]:
                end += 1
            span = slice(start + 1, end + 2)
            lines_of_name = _broken(names[start], sum(widths[span]) + 2 * (end - start))
            cells.append(rf"\multicolumn{{{end - start + 1}}}{{c}}{{{_stack(lines_of_name, 'c')}}}")
            if names[start]:
                rules.append(rf"\cmidrule(lr){{{start + 2}-{end + 2}}}")
            start = end + 1
        lines += [" & ".join(["", *cells]) + r" \\", "".join(rules)]
    last = []
    for levels, width, words in zip(headings, widths[1:], is_text[1:], strict=True):
        name = levels[-1]
        if words:
            last.append(escape(name))
        else:
            last.append(_stack(_broken(name, width), "r"))
    return [*lines, " & ".join(["", *last]) + r" \\"]


def _broken(name: str, width: float) -> list[str]:
    """A name in lines no longer than a column, broken at blanks and underscores."""
    spaced = name.replace("_", "_ ")
    lines = textwrap.wrap(spaced, max(1, int(width)), break_long_words=False)
    return [line.replace("_ ", "_") for line in lines] or [""]
