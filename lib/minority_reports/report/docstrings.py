"""Docstrings as HTML: numpydoc's sections, and as much of reStructuredText as is used here."""

import inspect
import re
import textwrap
from collections.abc import Collection

from markupsafe import Markup, escape

_TERMS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also")
SECTIONS = (*_TERMS, "Notes", "References", "Examples")

_HEADER = re.compile(rf"^({'|'.join(SECTIONS)})\n-{{3,}}$", re.MULTILINE)
_INLINE = re.compile(
    r"``(?P<code>.+?)``|:math:`(?P<math>.+?)`|(?::\w+:)?`(?P<name>[^`]+)`|\[(?P<reference>\d+)\]_"
    r"|\*\*(?P<strong>\S.*?)\*\*|(?<![\w*])\*(?P<emphasis>\w[^*]*)\*(?![\w*])",
    re.DOTALL,
)


def _formula(latex: str, display: str = "inline") -> Markup:
    from latex2mathml.converter import convert

    return Markup(convert(latex.strip(), display=display))


def inline_html(text: str, names: Collection[str] = ()) -> Markup:
    """Prose with code, formulas, emphasis and links to names that are on the page."""

    def replace(found: re.Match) -> Markup:
        kind, inside = found.lastgroup, found[found.lastgroup]
        if kind == "math":
            return _formula(inside)
        if kind == "name":
            last = inside.lstrip("~").split(".")[-1]
            link = Markup('<a href="#{}"><code>{}</code></a>').format(last, last)
            return link if last in names else Markup("<code>{}</code>").format(inside)
        if kind == "reference":
            return Markup("[{}]").format(inside)
        tag = Markup({"code": "code", "strong": "strong", "emphasis": "em"}[kind])
        return Markup("<{0}>{1}</{0}>").format(tag, inside)

    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[end : found.start()]), replace(found)]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _paragraph(block: str, names: Collection[str]) -> Markup:
    """One block between blank lines: a formula, an example, a list, references or prose."""
    formula = re.match(r"\.\. math::\s*(.*)", block, re.DOTALL)
    if formula:
        return _formula(formula[1], "block")
    if block.startswith(">>>"):
        return Markup("<pre><code>{}</code></pre>").format(block)
    for marker, tag in ((r"\.\. \[\d+\]", "ol"), (r"-", "ul"), (r"\d+\.", "ol")):
        if re.match(rf"{marker} ", block):
            items = re.split(rf"^{marker} ", block, flags=re.MULTILINE)[1:]
            inside = Markup("").join(
                Markup("<li>{}</li>").format(inline_html(i.strip(), names)) for i in items
            )
            return Markup("<{0}>{1}</{0}>").format(Markup(tag), inside)
    return Markup("<p>{}</p>").format(inline_html(block, names))


def _blocks(text: str) -> list[str]:
    """Blocks between blank lines; a formula's directive and what is indented below are one."""
    text = re.sub(r"(\.\. math::)\s*\n(?=\s)", r"\1\n", text)
    return [textwrap.dedent(block) for block in re.split(r"\n\s*\n", text) if block.strip()]


def _prose(text: str, names: Collection[str]) -> Markup:
    return Markup("\n").join(_paragraph(block, names) for block in _blocks(text))


def _terms(text: str, names: Collection[str]) -> Markup:
    """A list of names with what they mean: lines at the margin, and what is indented below."""
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    parts = []
    for entry in filter(str.strip, entries):
        line, _, below = entry.partition("\n")
        name, colon, kind = line.partition(" : ")
        term = inline_html(", ".join(f"`{n.strip('`')}`" for n in name.split(", ")), names)
        if colon:
            term += Markup(' <span class="kind">{}</span>').format(inline_html(kind, names))
        meaning = _prose(inspect.cleandoc(below), names)
        parts.append(Markup("<dt>{}</dt><dd>{}</dd>").format(term, meaning))
    return Markup('<dl class="terms">{}</dl>').format(Markup("").join(parts))


def docstring_html(docstring: str, *, level: int, names: Collection[str] = ()) -> Markup:
    """A docstring as HTML, its sections under headings of ``level``.

    ``names`` are the identifiers on the page that a name in backticks is linked to.

    >>> docstring_html("Count them.\\n\\nReturns\\n-------\\nn : int", level=4)
    Markup('<p>Count them.</p>\\n<h4>Returns</h4>\\n<dl class="terms"><dt><code>n</code> \
<span class="kind">int</span></dt><dd></dd></dl>')
    """
    text, *sections = _HEADER.split(inspect.cleandoc(docstring))
    parts = [_prose(text, names)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        parts.append(Markup("<h{0}>{1}</h{0}>").format(level, title))
        parts.append((_terms if title in _TERMS else _prose)(body.strip("\n"), names))
    return Markup("\n").join(parts)
