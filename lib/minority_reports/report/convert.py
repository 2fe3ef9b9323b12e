"""Notebooks as HTML that needs nothing from elsewhere.

Formulas are turned into MathML, which browsers draw themselves; nothing in a page needs a script.
What cells show may come from a user's file, so only harmless elements of it are kept.
"""

import re
from itertools import count
from pathlib import Path

from minority_reports.report.formulas import formula

#: Pygments' styles for a light and a dark page.
CODE_STYLES = ("xcode", "github-dark")

#: What controls are saved as, which need JupyterLab and a kernel.
CONTROLS = "application/vnd.jupyter.widget-view+json"

_FORMULAS = """math mrow mi mn mo mtext mspace ms msup msub msubsup mfrac msqrt mroot munder mover
munderover mtable mtr mtd mpadded mphantom menclose mstyle"""
_TEXTS = """a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption
figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre s samp small span strong sub summary sup table
tbody td tfoot th thead tr u ul"""
_LOOKS = """accent align alt border class colspan columnalign display displaystyle height id
linethickness mathvariant movablelimits open role rowspan scope start stretchy style title width
xmlns"""
_TAGS, _ATTRIBUTES = {*_FORMULAS.split(), *_TEXTS.split()}, set(_LOOKS.split())
#: Styles of tables; one with a tag or an address in it is none of ours.
_STYLE = re.compile(r'(<style(?: type="text/css"| scoped)?>[^<]*</style>)')
#: Of no alphabet, so that no text has it.
_MARK = "\ue000"
_ADDRESS = re.compile(r"url\s*\(|@import|\\", re.IGNORECASE)


def _is_allowed(tag: str, name: str, value: str) -> bool:
    """Whether bleach keeps an attribute; it has looked at the protocol of addresses by then."""
    if name == "src":
        return tag == "img"
    if name == "href":
        return tag == "a" and not re.match(r"[\s\0]*data:", value, re.IGNORECASE)
    return name in _ATTRIBUTES or name.startswith("aria-")


def harmless(html: str) -> str:
    """HTML without anything that runs, loads or asks: other elements are shown as text."""
    from bleach import clean
    from bleach.css_sanitizer import CSSSanitizer

    # bleach would take the text of a style for HTML, so that a mark holds its place; a mark that
    # ends up in a tag was in an attribute and goes
    styles = [style for style in _STYLE.findall(html) if not _ADDRESS.search(style)]
    places = iter(range(len(styles)))
    marked = _STYLE.sub(
        lambda style: "" if _ADDRESS.search(style[0]) else f"{_MARK}{next(places)}{_MARK}",
        html.replace(_MARK, ""),
    )
    cleaned = clean(
        marked,
        tags=_TAGS,
        attributes=_is_allowed,
        protocols={"http", "https", "mailto", "data"},
        css_sanitizer=CSSSanitizer(),
    )

    def put_back(found: re.Match) -> str:
        if found[1] is None:
            return re.sub(f"{_MARK}\\d+{_MARK}", "", found[0])
        return styles[int(found[1])]

    return re.sub(f'<(?:[^<>"]|"[^"]*")*>|{_MARK}(\\d+){_MARK}', put_back, cleaned)


#: Code that JupyterLab hides is folded on a page.
_FOLDED_CODE = """{% extends 'basic/index.html.j2' %}
{% block input %}
{%- if cell.metadata.get('jupyter', {}).get('source_hidden') -%}
<details class="code"><summary>{{ 'Parameters' if 'parameters' in cell.metadata.get('tags', [])
 else 'Code' }}</summary>
{{ super() }}
</details>
{%- else -%}
{{ super() }}
{%- endif -%}
{% endblock input %}
"""


def _exporter():
    """An nbconvert exporter for the inside of a page, with formulas as MathML."""
    from jinja2 import pass_context
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def block_math(self, body):
            return formula(body.strip().strip("$"), "block")

        def inline_math(self, body):
            return formula(body.strip().strip("$"))

    class Exporter(HTMLExporter):
        @pass_context
        def markdown2html(self, context, source):
            renderer = Renderer(escape=False, anchor_link_text="¶")
            return MarkdownWithMath(renderer=renderer).render(source)

    return Exporter(
        template_name="basic",
        raw_template=_FOLDED_CODE,
        embed_images=True,
        sanitize_html=True,
        filters={"clean_html": harmless},
    )


def _describe_images(notebook) -> None:
    """Give images without an alternative text of their own the heading that they are under."""
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (re.findall(r"^#+\s+(.+)", cell.source, re.MULTILINE) or [heading])[-1]
            continue
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                about = output.metadata.get("image/png", {})
                output.metadata["image/png"] = {"alt": heading} | about


def _drop_controls(notebook) -> None:
    """Leave out the controls of a notebook saved in JupyterLab: a page could only name them."""
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = [o for o in cell.outputs if CONTROLS not in o.get("data", {})]


def notebook_body(path: Path) -> str:
    """An executed notebook as HTML."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    _describe_images(notebook)
    _drop_controls(notebook)
    html, _ = _exporter().from_notebook_node(notebook)
    html = re.sub(r"<script\b.*?</script>", "", html, flags=re.DOTALL)  # nbconvert's own
    html = re.sub(r'(?<=href=")(\d\d_\w+)\.ipynb', r"\1.html", html)
    # nbconvert quotes the identifiers of headings; links to them have the plain sign.
    html = re.sub(r'(?<=id=")[^"]*%25[^"]*', lambda name: name[0].replace("%25", "%"), html)
    wide = r'<div class="wide">\g<0></div>'  # a table of the text, which scrolls by itself
    return re.sub(r"<table>.*?</table>", wide, html, flags=re.DOTALL)


def notebook_title(path: Path) -> str:
    """The first heading of a notebook."""
    import nbformat

    for cell in nbformat.read(path, as_version=4).cells:
        heading = re.match(r"#\s+(.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading:
            return heading.group(1).strip()
    return path.stem


_STYLED_TABLE = re.compile(
    r'(?:<style type="text/css">(?:(?!</style>).)*</style>\s*)?'
    r'<table\b[^>]*\bid="(T_[^"]*)".*?</table>',
    re.DOTALL,
)


def number_tables(html: str) -> str:
    """Number the tables of a page: identifiers made of captions are long and may be equal."""
    numbers = count(1)
    return _STYLED_TABLE.sub(lambda found: found[0].replace(found[1], f"T{next(numbers)}"), html)


def code_style() -> str:
    """Style of highlighted code, each colour with its like on a dark page."""
    from pygments.styles import get_style_by_name
    from pygments.token import STANDARD_TYPES, Generic, Whitespace

    light, dark = map(get_style_by_name, CODE_STYLES)
    rules = []
    for token, name in STANDARD_TYPES.items():
        colours = [style.style_for_token(token)["color"] for style in (light, dark)]
        if any(colours) and name and token not in Generic and token != Whitespace:
            pair = ", ".join(f"#{colour}" if colour else "currentcolor" for colour in colours)
            rules.append(f".highlight .{name} {{ color: light-dark({pair}); }}")
    return "\n".join(rules)
