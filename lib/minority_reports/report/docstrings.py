"""Docstrings as HTML: numpydoc's sections, and as much of reStructuredText as is used here."""

import inspect
import re
import textwrap
from collections.abc import Mapping

from markupsafe import Markup, escape

from minority_reports.report.formulas import formula

_TERMS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also")
SECTIONS = (*_TERMS, "Notes", "References", "Examples")

_HEADER = re.compile(rf"^({'|'.join(SECTIONS)})\n-{{3,}}$", re.MULTILINE)
_INLINE = re.compile(
    r"``(?P<code>.+?)``|:math:`(?P<math>.+?)`|(?::\w+:)?`(?P<name>[^`]+)`|\[(?P<reference>\d+)\]_"
    r"|\*\*(?P<strong>\S.*?)\*\*|(?<![\w*])\*(?P<emphasis>\w[^*]*)\*(?![\w*])",
    re.DOTALL,
)


_NONE: Mapping[str, str] = {}


def inline_html(text: str, names: Mapping[str, str] = _NONE) -> Markup:
    """Prose with code, formulas, emphasis and links to the addresses of names."""

    def replace(found: re.Match) -> Markup:
        kind, inside = found.lastgroup, found[found.lastgroup]
        if kind == "math":
            return Markup(formula(inside))
        if kind == "name":
            last = inside.lstrip("~").split(".")[-1]
            if last in names:
                return Markup('<a href="{}"><code>{}</code></a>').format(names[last], last)
            return Markup("<code>{}</code>").format(inside)
        if kind == "reference":
            return Markup("[{}]").format(inside)
        tag = Markup({"code": "code", "strong": "strong", "emphasis": "em"}[kind])
        return Markup("<{0}>{1}</{0}>").format(tag, inside)

    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[end : found.start()]), replace(found)]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _session(text: str) -> Markup:
    """What was typed and what came out; prompts and output stay behind when it is copied."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonConsoleLexer

    inside = highlight(text, PythonConsoleLexer(), HtmlFormatter(nowrap=True))
    return Markup('<pre class="highlight"><code>{}</code></pre>').format(Markup(inside.rstrip()))


def _paragraph(block: str, names: Mapping[str, str]) -> Markup:
    """One block between blank lines: a formula, an example, a list, references or prose."""
    found = re.match(r"\.\. math::\s*(.*)", block, re.DOTALL)
    if found:
        return Markup(formula(found[1], "block"))
    if block.startswith(">>>"):
        return _session(block)
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


def _prose(text: str, names: Mapping[str, str]) -> Markup:
    return Markup("\n").join(_paragraph(block, names) for block in _blocks(text))


def _terms(text: str, names: Mapping[str, str]) -> Markup:
    """A list of names with what they mean: lines at the margin, and what is indented below."""
    text = re.sub(r"(?<!\\)\\\n\s*", "", text)  # a long line that goes on in the next one
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


def split_docstring(docstring: str) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the sections by title."""
    text, *sections = _HEADER.split(inspect.cleandoc(docstring))
    bodies = (body.strip("\n") for body in sections[1::2])
    return text.strip("\n"), dict(zip(sections[::2], bodies, strict=True))


def section_html(title: str, body: str, *, level: int, names: Mapping[str, str] = _NONE) -> Markup:
    """A section of a docstring under its heading."""
    content = (_terms if title in _TERMS else _prose)(body, names)
    return Markup("<h{0}>{1}</h{0}>\n{2}").format(level, title, content)


def docstring_html(docstring: str, *, level: int, names: Mapping[str, str] = _NONE) -> Markup:
    """A docstring as HTML, its sections under headings of ``level``.

    ``names`` are identifiers that a name in backticks is linked to, with their addresses.

    >>> docstring_html("Count them.\\n\\nReturns\\n-------\\nn : int", level=4)
    Markup('<p>Count them.</p>\\n<h4>Returns</h4>\\n<dl class="terms"><dt><code>n</code> \
<span class="kind">int</span></dt><dd></dd></dl>')
    """
    text, sections = split_docstring(docstring)
    parts = [_prose(text, names)]
    parts += [section_html(*part, level=level, names=names) for part in sections.items()]
    return Markup("\n").join(parts)
