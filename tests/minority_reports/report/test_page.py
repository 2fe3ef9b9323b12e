"""The HTML report as a document; how it behaves is tested in a browser (tests/browser)."""

import base64
import copy
import io
import itertools
import json
import re
from importlib import resources
from urllib.parse import parse_qs, unquote

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from minority_reports import paths
from minority_reports.report import (
    GRADES,
    Report,
    Summary,
    build_page,
    notebook_page,
    published_papers,
    read_index,
    show,
    unjudged,
)
from minority_reports.report.api import MODULES, describe_api
from minority_reports.report.choosing import QUESTIONS, abilities, estimators, guidance, home
from minority_reports.report.citation import bibtex, reference
from minority_reports.report.convert import code_style, harmless, number_tables
from minority_reports.report.formulas import formula_style

NOTEBOOKS = sorted(paths.notebooks().glob("[0-9][0-9]_*.ipynb"))
ESTIMATORS = estimators()
PARTS = {f"{name}.html": "api.html" for name in ESTIMATORS}
PARTS |= {f"summary_{path.stem[3:]}.html": f"{path.stem}.html" for path in NOTEBOOKS[1:6]}
PAGES = ["index.html", "api.html", *(f"{notebook.stem}.html" for notebook in NOTEBOOKS), *PARTS]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report from the notebooks as they are saved, with verdicts of every kind."""
    summaries = {name: unjudged(name) for name in published_papers()}
    verdicts = itertools.cycle(GRADES)
    artefacts = itertools.cycle(read_index(paths.figures()))
    for summary in summaries.values():
        summary.claims["verdict"] = [next(verdicts) for _ in summary.claims.index]
        summary.claims["shown"] = [next(artefacts) for _ in summary.claims.index]
    folder = tmp_path_factory.mktemp("report")
    (folder / "mine.txt").write_text("not of the report")
    agreement = {"compared": 4, "agreeing": 4, "identical": 4, "text": "toy: 4 of 4 rows agree"}
    build_page(NOTEBOOKS, summaries, agreements=[agreement], folder=folder)
    return folder


@pytest.fixture(scope="module")
def soups(report):
    return {
        page: BeautifulSoup((report / page).read_text(encoding="utf-8"), "html.parser")
        for page in PAGES
    }


@pytest.fixture
def index(soups):
    return soups["index.html"]


def test_a_folder_of_the_users_is_only_added_to(report):
    assert (report / "mine.txt").exists()


@pytest.mark.parametrize("page", PAGES)
def test_identifiers_are_unique(soups, page):
    found = [element["id"] for element in soups[page].find_all(id=True)]
    assert len(found) == len(set(found))


@pytest.mark.parametrize("page", PAGES)
def test_images_have_alternative_texts(soups, page):
    for image in soups[page].find_all("img"):
        assert len(image["alt"]) > 10, image["src"][:80]
        assert "description" not in image["alt"]


@pytest.mark.parametrize("page", PAGES)
def test_headings_are_in_order(soups, page):
    levels = [int(h.name[1]) for h in soups[page].find_all(re.compile("^h[1-6]$"))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_landmarks_and_a_way_past_the_links(soups, page):
    soup = soups[page]
    assert soup.html["lang"] == "en"
    assert soup.body.a["href"] == "#main"
    assert soup.main["id"] == "main"
    assert soup.header.nav["aria-label"]
    current = "true" if page in PARTS else "page"
    links = soup.header.find_all("a", attrs={"aria-current": True})
    assert [(a["href"], a["aria-current"]) for a in links] == [(PARTS.get(page, page), current)]
    for nav in soup.find_all(["nav", "section", "form"]):
        assert nav.get("aria-label") or nav.get("aria-labelledby") or nav.find("h2")


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_loaded_from_elsewhere(soups, page):
    soup = soups[page]
    assert not soup.find_all(["iframe", "object", "embed", "base"])
    assert all(not script.has_attr("src") for script in soup.find_all("script"))
    assert [link["href"] for link in soup.find_all("link")] == ["data:,"]
    for element in soup.find_all(src=True):
        assert not re.match(r"(\w+:)?//", element["src"])
    for style in soup.find_all("style"):
        assert not re.search(r"url\((?!data:font/)|@import", style.get_text())


@pytest.mark.parametrize("page", PAGES)
def test_links_within_the_report_lead_somewhere(report, soups, page):
    for link in soups[page].find_all("a", href=True):
        file, _, anchor = unquote(link["href"]).partition("#")
        if re.match(r"https?:", file):
            continue
        assert (report / (file or page)).is_file(), link
        if "=" in anchor:  # what to choose in the fields of the page
            for field, value in parse_qs(anchor).items():
                options = soups[file or page].find("select", {"name": field}).find_all("option")
                assert value[0] in {option["value"] for option in options}, link
        elif anchor:
            assert soups[file or page].find(id=anchor), link


def test_every_claim_is_in_the_table_and_can_be_filtered(index):
    wanted = {
        claim["id"]: name
        for name in published_papers()
        for claim in json.loads((paths.published() / f"{name}.json").read_text())["claims"]
    }
    rows = index.select("tr.item")
    assert {row["id"]: row["data-paper"] for row in rows} == wanted
    assert len(rows) == len(wanted)
    papers = {option["value"] for option in index.select("select[name=paper] option")}
    assert {item["data-paper"] for item in index.select(".item")} | {""} == papers
    offered = [option["value"] for option in index.select("select[name=verdict] option")]
    assert offered == ["", *GRADES]
    assert {row["data-verdict"] for row in rows} == set(GRADES)


def test_every_figure_and_table_is_there_or_among_the_claims(index):
    artefacts = read_index(paths.figures())
    figures = [image["src"] for image in index.select("#figures figure img")]
    assert sorted(figures) == sorted(
        f"figures/{stem}.png" for stem, entry in artefacts.items() if entry["kind"] == "figure"
    )
    tables = {link["href"] for link in index.select("#tables a[href$=csv]")}
    assert tables == {
        f"figures/{stem}.csv"
        for stem, entry in artefacts.items()
        if entry["kind"] == "table" and stem.removesuffix("_claims") not in published_papers()
    }
    assert len(index.select("#tables details table")) == len(tables)


def test_figures_and_tables_can_be_downloaded_in_every_form_there_is(index):
    for item in index.select("#figures .item, #tables .item"):
        offered = {link["href"] for link in item.select(".links a[href^=figures]")}
        forms = {f"figures/{item['id']}.{kind}" for kind in ("csv", "pdf", "tex")}
        assert offered == {form for form in forms if (paths.figures() / form[8:]).exists()}
        assert f"figures/{item['id']}.csv" in offered


def test_a_claim_leads_to_its_evidence_and_back(index):
    rows = {row["id"]: row for row in index.select("tr.item")}
    for row in rows.values():
        (shown,) = [a["href"] for a in row.find_all("a") if a.get_text().startswith("Shown in")]
        item = index.find(id=shown[1:])
        if item is not None:  # the claims' own tables are in the one of all papers
            assert f"#{row['id']}" in {link["href"] for link in item.select(".back a")}
    back = [link["href"] for link in index.select(".back a")]
    assert len(back) > 100
    assert {link[1:] for link in back} <= set(rows)


def test_the_front_page_has_a_row_for_each_paper_with_its_counts(index):
    for row in index.select("article.paper"):
        (grades,) = row.select(".bar")
        name = re.search("paper=([a-z_]+)&", grades.a["href"])[1]
        counts = dict.fromkeys(GRADES, 0)
        for claim in index.select(f"tr.item[data-paper={name}]"):
            counts[claim["data-verdict"]] += 1
        del counts["by construction"]
        assert [a["title"] for a in grades.select("a")] == [f"{n} {g}" for g, n in counts.items()]
        links = [a["href"] for a in row.select(".links a")]
        assert f"summary_{name}.html" in links
    assert len(index.select("article.paper")) == len(published_papers())
    assert "4 rows recomputed on this machine, all identical." in index.get_text()


@pytest.mark.parametrize("paper", published_papers())
def test_a_papers_pages_say_how_to_cite_it(soups, paper):
    (notebook,) = [path.stem for path in NOTEBOOKS if path.stem[3:] == paper]
    for page in (f"summary_{paper}.html", f"{notebook}.html"):
        assert bibtex(reference(paper)) in [pre.get_text() for pre in soups[page]("pre")]
    parts = [heading.get_text() for heading in soups[f"summary_{paper}.html"]("h2")]
    wanted = ["What was claimed", "What was done", "What came out"]
    assert [part for part in parts if part in wanted] == wanted
    assert parts[-2:] == ["What differs, and why", "How to cite"]


def test_figures_keep_their_place_before_they_are_loaded(index):
    for image in index.select("figure img"):
        assert int(image["width"]) > 100
        assert int(image["height"]) > 100


def test_without_scripts_everything_is_shown(index):
    assert {element.get("id") for element in index.select("[hidden]")} == {"theme", "filter"}


def test_formulas_are_drawn_by_the_browser(soups):
    for page, soup in copy.deepcopy(soups).items():
        for element in soup.find_all(["code", "pre", "script", "style", "annotation"]):
            element.extract()
        assert not re.search(r"\$\S[^$]*\\|:math:|\\frac|\\sum", soup.main.get_text()), page
    assert soups["01_box_drawings.html"].find("math", display="block")


def test_the_font_of_formulas_has_all_their_signs_and_is_where_they_are(soups):
    styles = {page: str(soup.head).count("@font-face") for page, soup in soups.items()}
    assert styles == {page: int(bool(soup.find("math"))) for page, soup in soups.items()}
    (data,) = re.findall(r"base64,([\w+/=]+)\)", formula_style())
    font = TTFont(io.BytesIO(base64.b64decode(data)))
    assert "MATH" in font
    formulas = [math.get_text() for soup in soups.values() for math in soup.find_all("math")]
    assert len(formulas) > 200
    signs = {sign for text in formulas for sign in text if not sign.isspace()}
    assert {hex(ord(sign)) for sign in signs if ord(sign) not in font.getBestCmap()} == set()


EVIL = "<img src=x onerror=alert(1)>"
ATTACKS = [
    EVIL,
    "<script>alert(1)</script>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\tscript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<iframe src="https://example.org"></iframe><object data="x"></object><embed src="x">',
    '<base href="https://example.org"><meta http-equiv=refresh content=0><link href=x>',
    '<form action="https://example.org"><button formaction="javascript:alert(1)">x</button></form>',
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    '<p style="background: url(https://example.org)">x</p>',
    "<style>@import 'https://example.org'; p {background: url(x)}</style>",
    '<img alt="<style>" onerror=alert(1) src=x title="</style>">',
    "<math><mi><style></mi><img src=x onerror=alert(1)></style></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!-- --><img src=x onerror=alert(1)> -->",
]


def assert_harmless(html):
    soup = BeautifulSoup(html, "html.parser")
    tags = ["script", "svg", "iframe", "object", "embed", "base", "meta", "link", "form", "button"]
    assert not soup.find_all(tags), html
    for element in soup.find_all(True):
        assert not [name for name in element.attrs if name.startswith("on") or "action" in name]
        assert not re.match(r"\W*(java\s*script|data):", element.get("href", "")), html
        assert "url" not in element.get("style", ""), html
        assert element.name != "style" or not re.search("url|@import", element.get_text()), html


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_runs_or_loads_is_not_kept(attack):
    assert_harmless(harmless(attack))
    assert_harmless(harmless(f"<table><tr><td>{attack}</td></tr></table>"))


def test_tables_and_formulas_are_kept_as_they_are():
    frame = pd.DataFrame({"a < b": [0.5, 1]}, index=["x & y", "z"])
    table = show(frame, caption="A <caption>", rule_above="z", bold=frame > 0.6).to_html()
    assert str(BeautifulSoup(harmless(table), "html.parser")) == str(
        BeautifulSoup(table, "html.parser")
    )
    formula = '<math display="block" xmlns="http://www.w3.org/1998/Math/MathML"><mrow><msup>'
    formula += '<mi>x</mi><mn>2</mn></msup><mo stretchy="false">(</mo></mrow></math>'
    assert harmless(formula) == formula
    image = '<img alt="x" src="data:image/png;base64,AAAA">'
    assert harmless(image) == image


def test_a_notebook_shows_html_from_data_as_text(tmp_path):
    """A file's name, columns, values and errors come out as text whatever they are."""
    name = f"{EVIL}.csv"
    data = {
        "text/html": show(pd.DataFrame({EVIL: [EVIL]}), caption=f"{name}: the data").to_html(),
        "text/plain": EVIL,
    }
    new = nbformat.v4.new_output
    outputs = [
        new("display_data", data),
        new("display_data", {"text/html": " ".join(ATTACKS)}),
        new("display_data", {"text/markdown": f"**{name}** {' '.join(ATTACKS)}"}),
        new("display_data", {"image/svg+xml": "<svg onload=alert(1)></svg>"}),
        new("display_data", {"application/javascript": "alert(1)"}),
        new("display_data", {"text/latex": EVIL}),
        new("display_data", {"text/plain": EVIL}),
        new("stream", text=EVIL),
        new("error", ename="ValueError", evalue=EVIL, traceback=[EVIL]),
    ]
    cells = [
        nbformat.v4.new_markdown_cell("# Title $x^2$"),
        nbformat.v4.new_code_cell(f"load({name!r})", outputs=outputs),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a.ipynb")
    page = notebook_page(tmp_path / "a.ipynb", tmp_path / "a.html").read_text()
    body = BeautifulSoup(page, "html.parser").find("div", class_="notebook")
    assert_harmless(str(body))
    assert body.caption.get_text().strip() == f"{name}: the data"
    assert body.td.get_text().strip() == EVIL and body.find("math")
    images = [image["src"][:18] for image in body.find_all("img", src=True) if image["src"] != "x"]
    assert images == ["data:image/svg+xml"], "which runs no scripts there"


def test_the_index_shows_html_in_captions_as_text(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "figures", lambda: tmp_path / "figures")
    (tmp_path / "figures").mkdir()
    report = Report("toy", "00_toy")
    report.table(show(pd.DataFrame({EVIL: [EVIL]}), caption=EVIL), "one")
    figure, data = plt.figure(), pd.DataFrame({"x": [1]})
    report.figure(figure, "two", data, caption=f'{EVIL}" onerror="alert(1)')
    claims = pd.DataFrame(
        {
            **dict.fromkeys(("claim", "quotation", "section", "rule", "evidence", "effect"), EVIL),
            "verdict": "partly",
            "shown": "",
        },
        index=pd.Index([1], name="id"),
    )
    causes = pd.DataFrame({name: [EVIL] for name in ("claim", "likeliest cause", "what was found")})
    summary = Summary(
        "rlsd",
        claims,
        sentences=(EVIL, EVIL),
        main=(1,),
        done={EVIL: EVIL},
        found=(EVIL,),
        causes=causes,
        left_open=(EVIL,),
    )
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# {EVIL}")]),
        tmp_path / "00_toy.ipynb",
    )
    agreement = {"compared": 1, "agreeing": 1, "identical": 1, "text": EVIL}
    summaries, folder = {"rlsd": summary}, tmp_path / "r"
    page = build_page([tmp_path / "00_toy.ipynb"], summaries, agreements=[agreement], folder=folder)
    soup = BeautifulSoup(page.read_text(), "html.parser")
    assert [image["src"] for image in soup.find_all("img")] == ["figures/toy_two.png"]
    assert not soup.find_all(onerror=True)
    assert page.read_text().count("&lt;img src=x onerror=alert(1)&gt;") >= 8
    pages = (folder / "summary_rlsd.html").read_text()
    assert not BeautifulSoup(pages, "html.parser").find_all(["img", "script"], onerror=True)
    assert pages.count("&lt;img src=x onerror=alert(1)&gt;") >= 10


def test_tables_with_one_caption_do_not_share_a_style():
    one = '<style type="text/css">\n#T_a_row0 {color: red}\n</style><table id="T_a"></table>'
    assert number_tables(one + one) == one.replace("T_a", "T1") + one.replace("T_a", "T2")


def test_the_library_page_has_every_public_name(soups):
    import minority

    names = {heading["id"] for heading in soups["api.html"].select("article h3")}
    assert set(minority.__all__) - {"__version__"} <= names
    assert {"corrected_interval", "area_under_hull", "load_file", "Experiment"} <= names
    assert [h["id"] for h in soups["api.html"].find_all("h2")] == ["which-one", *MODULES]
    for module in describe_api():
        for entry in module["objects"]:
            assert entry["summary"], entry["name"]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimators_page_begins_with_when_to_use_it_and_when_not(soups, name):
    soup, told = soups[f"{name}.html"], guidance(ESTIMATORS[name])
    assert soup.h1.get_text() == name
    headings = [heading.get_text() for heading in soup.find_all("h2")]
    assert headings[:3] == ["When to use it", "When not", "Example"]
    assert headings[-1] == "Reference"
    paragraphs = [paragraph.get_text() for paragraph in soup.select(".advice p")]
    assert paragraphs == [re.sub("`+", "", text) for text in (told.use, told.avoid)]
    assert soup.select_one(f'a[href="api.html#{home(ESTIMATORS[name])}"]')
    example = soup.find(id="example").find_next_sibling("pre")
    assert example.select(".gp")
    assert soup.select("pre .go"), "what comes out"
    parts = [heading.get_text() for heading in soup.find_all("h3")]
    assert parts[:2] == ["Parameters", "Attributes"]
    assert parts[2:3] == ["Methods"] or "Methods" not in parts
    assert "Examples" not in parts


def test_each_estimator_is_in_the_table_of_the_library_page(soups):
    soup = soups["api.html"]
    assert soup.find("h2")["id"] == "which-one"
    heads = [head.get_text() for head in soup.select(".choice thead th")]
    assert heads == ["Estimator", "Use it when", *(question.capitalize() for question in QUESTIONS)]
    rows = {row.th.get_text(): row for row in soup.select(".choice tbody tr")}
    assert set(rows) == set(ESTIMATORS)
    for name, row in rows.items():
        assert row.a["href"] == f"{name}.html"
        cells = [cell.get_text() for cell in row.find_all("td")]
        plain = [text.replace("`", "") for text in abilities(ESTIMATORS[name]).values()]
        assert cells[1:] == plain
        told = guidance(ESTIMATORS[name])
        assert cells[0] == f"{told.purpose}Data: {told.data}".replace("`", "")


def style_sheet():
    return (resources.files("minority_reports.report") / "pages" / "page.css").read_text(
        encoding="utf-8"
    )


def pairs(css):
    """name -> the light and the dark colour."""
    found = re.findall(r"(--[\w-]+|\.highlight \.\w+)\W[^;]*?light-dark\((\S+), (\S+)\)", css)
    return {name: (light, dark) for name, light, dark in found}


def contrast(one, other):
    """Contrast of two colours by WCAG 2."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_in_both_modes(mode):
    colours = {name: pair[mode] for name, pair in pairs(style_sheet()).items()}
    texts = {"--ink", "--quiet", "--link", "--reproduced", "--partly", "--not-reproduced"}
    bars = {f"--bar-{grade.replace(' ', '-')}" for grade in GRADES[:-1]}
    grounds = {"--paper", "--soft", "--line", "--frame"}
    assert set(colours) == texts | bars | grounds | {"--on-grade"}
    for bar in bars:
        assert contrast(colours["--on-grade"], colours[bar]) >= 4.5, bar
    for text, ground in itertools.product(texts, ("--paper", "--soft")):
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["--frame"], colours["--paper"]) >= 3, "edges of fields and buttons"
    code = {name: pair[mode] for name, pair in pairs(code_style()).items()}
    assert len(code) > 20
    for name, colour in code.items():
        if colour != "currentcolor":
            assert contrast(colour, colours["--soft"]) >= 4.5, name


def test_colours_are_named_once():
    rest = style_sheet().split("\n}\n", 1)[1]
    assert set(re.findall(r"#[0-9a-f]{3,8}\b(?!\w)", rest)) <= {"#fff"}, "the ground of figures"
