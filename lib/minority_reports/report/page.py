"""The HTML report: a front page, a summary of every paper, every notebook, and the library.

It works from the file system and loads nothing from elsewhere.
"""

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from minority_reports import paths
from minority_reports.experiments import provenance
from minority_reports.report.api import PAGE, describe_api, describe_estimators
from minority_reports.report.choosing import DEPENDS
from minority_reports.report.citation import (
    bibtex,
    citation_file,
    in_brief,
    in_words,
    links,
    reference,
)
from minority_reports.report.claims import GRADES, count_verdicts, published, published_papers
from minority_reports.report.convert import code_style, notebook_body, notebook_title, number_tables
from minority_reports.report.figures import read_index
from minority_reports.report.formulas import formula_style, joined
from minority_reports.report.overview import recomputed
from minority_reports.report.summary import Summary, lost_and_slips, write_pdf


def _label(notebook: str) -> str:
    """A notebook in a word or two: the short name of its paper, or its own."""
    name = notebook[3:]
    if name in published_papers():
        return published(name)["short"]
    return name.replace("_", " ").capitalize()


def _artefacts(notebook: str) -> dict:
    """What a notebook has written to ``figures/``."""
    from markupsafe import Markup

    name, folder = notebook[3:], paths.figures()
    figures, tables = [], []
    for stem, entry in sorted(read_index(folder).items()):
        if entry["notebook"] != notebook:
            continue
        if entry["kind"] == "figure":
            figures.append(_figure(stem, entry["caption"]))
        elif stem != f"{name}_claims":  # the front page has all claims in one table
            html = Markup((folder / f"{stem}.html").read_text(encoding="utf-8"))
            tables.append({"stem": stem, **entry, "html": html, "files": _files(stem)})
    return {"name": name, "label": _label(notebook), "figures": figures, "tables": tables}


def _figure(stem: str, caption: str) -> dict:
    """A figure with its size, which keeps its place before it is loaded, and its other files."""
    header = (paths.figures() / f"{stem}.png").read_bytes()[:24]  # where a PNG has its size
    width, height = (int.from_bytes(header[i : i + 4]) for i in (16, 20))
    size = {"width": width, "height": height}
    return {"stem": stem, "caption": caption, **size, "files": _files(stem)}


def _files(stem: str) -> dict[str, str]:
    """The forms that a figure or table can be downloaded in."""
    kinds = {"PDF": "pdf", "LaTeX": "tex", "CSV": "csv"}
    return {
        label: f"figures/{stem}.{kind}"
        for label, kind in kinds.items()
        if (paths.figures() / f"{stem}.{kind}").exists()
    }


def _drawn(*stems: str) -> list[dict]:
    """Those of some figures that have been drawn."""
    index = read_index(paths.figures())
    return [_figure(stem, index[stem]["caption"]) for stem in stems if stem in index]


def write_page(file: Path, template: str, **values) -> Path:
    """Write a page: a template of this package filled in."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("minority_reports.report", "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["with_quiet_intervals"] = _with_quiet_intervals
    html = environment.get_template(template).render(file=file.name, **values)
    if "<math" in html:
        html = joined(html).replace("</head>", f"<style>\n{formula_style()}\n</style>\n</head>", 1)
    file.write_text(number_tables(html), encoding="utf-8")
    return file


def _with_quiet_intervals(sentence: str):
    """A sentence in which confidence intervals stand back."""
    from markupsafe import Markup, escape

    text = str(escape(sentence))
    return Markup(re.sub(r"\[95 % CI [^]]*\]", r'<span class="interval">\g<0></span>', text))


def notebook_page(
    notebook: Path,
    file: Path,
    *,
    pages: Iterable[Mapping[str, str]] = (),
    paper: Mapping | None = None,
) -> Path:
    """Write an executed notebook as a page of its own, with links to other ``pages`` if any.

    That of a ``paper`` leads to its summary and says how to cite it.
    """
    from markupsafe import Markup

    return write_page(
        file,
        "notebook.html.j2",
        pages=list(pages),
        title=notebook_title(notebook),
        body=Markup(notebook_body(notebook)),
        code_style=Markup(code_style()),
        paper=paper,
    )


def build_page(
    notebooks: Iterable[Path],
    summaries: Mapping[str, Summary],
    *,
    agreements: Sequence[Mapping] = (),
    folder: Path | None = None,
) -> Path:
    """Write the report from executed notebooks and summaries of papers; returns its front page."""
    from markupsafe import Markup

    if folder is None:
        folder = paths.report()
        shutil.rmtree(folder, ignore_errors=True)  # a folder of the user's is only added to
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(paths.figures(), folder / "figures", dirs_exist_ok=True)
    notebooks = list(notebooks)
    pages = [{"file": "index.html", "label": "Results"}]
    pages += [{"file": f"{n.stem}.html", "label": _label(n.stem)} for n in notebooks]
    pages.append({"file": PAGE, "label": "Library"})

    def write(file: str, template: str, **values) -> Path:
        return write_page(folder / file, template, pages=pages, **values)

    files = {notebook.stem[3:]: f"{notebook.stem}.html" for notebook in notebooks}
    rows = {name: _row(summary, files.get(name)) for name, summary in summaries.items()}
    with ProcessPoolExecutor() as pool:
        made = {name: pool.submit(write_pdf, row, folder) for name, row in rows.items()}
        written = [
            pool.submit(
                notebook_page,
                notebook,
                folder / f"{notebook.stem}.html",
                pages=pages,
                paper=rows.get(notebook.stem[3:]),
            )
            for notebook in notebooks
        ]
        for page in written:
            page.result()
        for name, pdf in made.items():
            rows[name]["pdf"] = pdf.result()
    for row in rows.values():
        part_of = row["notebook"] or "index.html"
        write(row["page"], "summary.html.j2", title=row["label"], part_of=part_of, **row)
    described = describe_estimators()
    shared = {"depends": DEPENDS, "code_style": Markup(code_style())}
    library = {"modules": describe_api(), "estimators": described}
    write(PAGE, "api.html.j2", title="Library", **library, **shared)
    for estimator in described:
        values = {"title": estimator["name"], "part_of": PAGE, "estimator": estimator}
        write(estimator["page"], "estimator.html.j2", **values, **shared)
    claims = [
        {"paper": name, "label": rows[name]["label"], "firm": "", **claim}
        for name, summary in summaries.items()
        for claim in summary.claims.reset_index().to_dict("records")
    ]
    counts = count_verdicts({name: summary.claims for name, summary in summaries.items()})
    return write(
        "index.html",
        "index.html.j2",
        rows=list(rows.values()),
        grades=GRADES[:-1],
        n_claims=counts["empirical claims"].sum(),
        pictures=_drawn("overview_published", "showdown_readability"),
        recomputed=recomputed(agreements),
        agreements=[one["text"] for one in agreements],
        verdict_counts=counts[list(GRADES)].sum().to_dict(),
        claims=claims,
        judged_by=_judged_by(claims),
        papers=[_artefacts(notebook.stem) for notebook in notebooks],
        cite_software=bibtex(citation_file()),
        provenance=provenance(),
    )


def _row(summary: Summary, notebook: str | None) -> dict:
    """A paper as the front page, its summary and its notebook's page have it."""
    name, entry = summary.paper, reference(summary.paper)
    figures = _drawn(f"{name}_result")
    lost, slips = lost_and_slips(name)
    return {
        "name": name,
        "label": published(name)["short"],
        "cited": in_brief(entry),
        "reference": in_words(entry),
        "links": links(entry),
        "bibtex": bibtex(entry),
        "software": in_words(citation_file()),
        "summary": summary,
        "main": summary.claims.loc[list(summary.main)].reset_index().to_dict("records"),
        "causes": summary.causes.reset_index(names="id").to_dict("records"),
        "figure": figures[0] if figures else None,
        "lost": lost,
        "slips": slips,
        "page": f"summary_{name}.html",
        "notebook": notebook,
        "pdf": None,
    }


def _judged_by(claims: Iterable[Mapping]) -> dict[str, list[str]]:
    """The claims that each figure or table is the evidence for."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        if claim["shown"]:
            found.setdefault(claim["shown"], []).append(claim["id"])
    return found
