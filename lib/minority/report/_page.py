"""The HTML report: every notebook as a page, and an index of claims, figures and tables.

It works from the file system and loads nothing from elsewhere: formulas are turned into MathML,
which browsers draw themselves.
"""

import re
import shutil
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from minority import paths
from minority.experiments import Paper, provenance
from minority.report._claims import published, published_papers, tally, verdicts
from minority.report._figures import read_index
from minority.report._tables import show


def _exporter():
    """An nbconvert exporter without scripts from elsewhere."""
    from jinja2 import pass_context
    from latex2mathml.converter import convert
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def block_math(self, body):
            return convert(body.strip().strip("$"), display="block")

        def inline_math(self, body):
            return convert(body.strip().strip("$"))

    class Exporter(HTMLExporter):
        @pass_context
        def markdown2html(self, context, source):
            renderer = Renderer(escape=False, anchor_link_text="¶")
            return MarkdownWithMath(renderer=renderer).render(source)

    return Exporter(mathjax_url="", require_js_url="", jquery_url="", embed_images=True)


def _without_scripts(html: str) -> str:
    """Drop script elements: the page is a document and nothing in it needs to run."""
    return re.sub(r"<script\b.*?</script>", "", html, flags=re.DOTALL)


def notebook_title(path: Path) -> str:
    """The first heading of a notebook."""
    import nbformat

    for cell in nbformat.read(path, as_version=4).cells:
        heading = re.match(r"#\s+(.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading:
            return heading.group(1).strip()
    return path.stem


def build_page(
    notebooks: Iterable[Path],
    known: Mapping[str, Paper],
    *,
    agreement: Iterable[str] = (),
    folder: Path | None = None,
) -> Path:
    """Write the report from executed notebooks and the papers' claims; returns its index page."""
    import jinja2
    from markupsafe import Markup

    folder = folder or paths.report()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    exporter = _exporter()
    pages = []
    for notebook in notebooks:
        html, _ = exporter.from_filename(str(notebook))
        page = folder / f"{notebook.stem}.html"
        page.write_text(_without_scripts(html), encoding="utf-8")
        pages.append({"file": page.name, "title": notebook_title(notebook)})
    shutil.copytree(paths.figures(), folder / "figures")
    index = sorted(read_index(paths.figures()).items())
    here = resources.files("minority.report")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((here / "page.html.j2").read_text(encoding="utf-8"))
    text = template.render(
        css=Markup((here / "page.css").read_text(encoding="utf-8")),
        notebooks=pages,
        agreement=list(agreement),
        tally=Markup(show(tally(known), caption="Claims by verdict").to_html()),
        papers=[
            {
                "title": published(name)["title"],
                "claims": verdicts(name, known).to_dict("records"),
            }
            for name in published_papers()
        ],
        figures=[(stem, entry) for stem, entry in index if entry["kind"] == "figure"],
        tables=[
            (
                stem,
                entry,
                Markup((paths.figures() / f"{stem}.html").read_text(encoding="utf-8")),
            )
            for stem, entry in index
            if entry["kind"] == "table"
        ],
        provenance=provenance(),
    )
    page = folder / "index.html"
    page.write_text(text, encoding="utf-8")
    return page
