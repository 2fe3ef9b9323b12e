"""The HTML report: an index of claims, figures and tables, every notebook, and the library.

It works from the file system and loads nothing from elsewhere.
"""

import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

from minority_reports import paths
from minority_reports.experiments import provenance
from minority_reports.report.api import PAGE, describe_api, describe_estimators
from minority_reports.report.choosing import DEPENDS
from minority_reports.report.claims import GRADES, count_verdicts, published, published_papers
from minority_reports.report.convert import code_style, notebook_body, notebook_title, number_tables
from minority_reports.report.figures import read_index
from minority_reports.report.tables import show


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
            header = (folder / f"{stem}.png").read_bytes()[:24]  # where a PNG has its size
            width, height = (int.from_bytes(header[i : i + 4]) for i in (16, 20))
            figures.append({"stem": stem, **entry, "width": width, "height": height})
        elif stem != f"{name}_claims":  # the index has all claims in one table
            html = Markup((folder / f"{stem}.html").read_text(encoding="utf-8"))
            tables.append({"stem": stem, **entry, "html": html})
    return {"name": name, "label": _label(notebook), "figures": figures, "tables": tables}


def _place(stem: str) -> str:
    """Where the index page shows a figure or table."""
    return f"#{stem}" if stem else ""


def write_page(file: Path, template: str, **values) -> Path:
    """Write a page: a template of this package filled in."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("minority_reports.report", "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    html = environment.get_template(template).render(file=file.name, **values)
    file.write_text(number_tables(html), encoding="utf-8")
    return file


def notebook_page(
    notebook: Path,
    file: Path,
    *,
    pages: Iterable[Mapping[str, str]] = (),
) -> Path:
    """Write an executed notebook as a page of its own, with links to other ``pages`` if any."""
    from markupsafe import Markup

    return write_page(
        file,
        "notebook.html.j2",
        pages=list(pages),
        title=notebook_title(notebook),
        body=Markup(notebook_body(notebook)),
        code_style=Markup(code_style()),
    )


def build_page(
    notebooks: Iterable[Path],
    judged: Mapping[str, pd.DataFrame],
    *,
    agreement: Iterable[str] = (),
    folder: Path | None = None,
) -> Path:
    """Write the report from executed notebooks and judged claims; returns its index page."""
    from markupsafe import Markup

    if folder is None:
        folder = paths.report()
        shutil.rmtree(folder, ignore_errors=True)  # a folder of the user's is only added to
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(paths.figures(), folder / "figures", dirs_exist_ok=True)
    notebooks = list(notebooks)
    papers = [_artefacts(notebook.stem) for notebook in notebooks]
    pages = [{"file": "index.html", "label": "Index"}]
    pages += [
        {"file": f"{notebook.stem}.html", "label": paper["label"]}
        for notebook, paper in zip(notebooks, papers, strict=True)
    ]
    pages.append({"file": PAGE, "label": "Library"})

    def write(file: str, template: str, **values) -> Path:
        return write_page(folder / file, template, pages=pages, **values)

    titles = [notebook_title(notebook) for notebook in notebooks]
    with ProcessPoolExecutor() as pool:
        written = []
        for notebook in notebooks:
            file = folder / f"{notebook.stem}.html"
            written.append(pool.submit(notebook_page, notebook, file, pages=pages))
        for page in written:
            page.result()
    described = describe_estimators()
    shared = {"depends": DEPENDS, "code_style": Markup(code_style())}
    library = {"modules": describe_api(), "estimators": described}
    write(PAGE, "api.html.j2", title="Library", **library, **shared)
    for estimator in described:
        values = {"title": estimator["name"], "part_of": PAGE, "estimator": estimator}
        write(estimator["page"], "estimator.html.j2", **values, **shared)
    counts = count_verdicts(judged)
    return write(
        "index.html",
        "index.html.j2",
        notebooks=[
            {"file": f"{notebook.stem}.html", "title": title}
            for notebook, title in zip(notebooks, titles, strict=True)
        ],
        agreement=list(agreement),
        tally=Markup(show(counts, caption="Claims by verdict").to_html()),
        verdict_counts=counts[list(GRADES)].sum().to_dict(),
        claims=[
            {
                "paper": name,
                "label": published(name)["short"],
                "firm": "",
                "shown_at": _place(claim["shown"]),
                **claim,
            }
            for name, claims in judged.items()
            for claim in claims.reset_index().to_dict("records")
        ],
        papers=papers,
        provenance=provenance(),
    )
