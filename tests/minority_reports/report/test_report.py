"""Figures, index, claims and the page."""

import errno
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import toy
from minority_reports import paths
from minority_reports.experiments import DamagedFileError, Settings, StoreWriteError
from minority_reports.papers import papers
from minority_reports.report import (
    BY_CONSTRUCTION,
    CONSTRUCTION,
    GRADES,
    NOT_TESTABLE,
    NotTestable,
    Report,
    count_verdicts,
    coverage,
    fidelity,
    judge,
    published,
    published_papers,
    read_index,
    show,
    stored_results,
    with_results,
)
from minority_reports.report.claims import CERTAIN, KINDS, rule_history


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINORITY_FIGURES", str(tmp_path / "figures"))
    monkeypatch.setattr("minority_reports.paths.runs", lambda: tmp_path / "runs")
    return tmp_path / "figures"


def draw(report):
    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4])
    data = pd.DataFrame({"x": [1, 2], "y": [3, 4]})
    return report.figure(figure, "fig1_line", data, "Figure 1: a line")


def test_figures_and_tables_are_written_with_their_data(folder):
    report = Report.of(Settings(toy.paper()))
    draw(report)
    report.table(show(pd.DataFrame({"F1": [1 / 3]}, index=["oil"]), caption="Table 1"), "table1")
    files = {p.name for p in folder.iterdir()}
    assert files == {
        *(f"toy_fig1_line.{e}" for e in ("png", "pdf", "csv")),
        *(f"toy_table1.{e}" for e in ("csv", "html")),
        "index.json",
        "INDEX.md",
    }
    assert "oil,0.333333\n" in (folder / "toy_table1.csv").read_text()
    assert (
        "[toy_fig1_line](toy_fig1_line.png) | Figure 1: a line" in (folder / "INDEX.md").read_text()
    )
    assert read_index(folder)["toy_table1"]["kind"] == "table"


def test_spreads_are_columns_of_the_written_table(folder):
    report = Report.of(Settings(toy.paper()))
    frame = pd.DataFrame({("F1", "ours"): [0.5], ("F1", "published"): [0.6]}, index=["oil"])
    report.table(show(frame, spread=frame[[("F1", "ours")]] / 10), "levels")
    written = pd.read_csv(folder / "toy_levels.csv", header=[0, 1], index_col=0)
    assert written["F1"].columns.tolist() == ["ours", "published", "ours sd"]
    report.table(show(frame["F1"], spread=frame["F1"] / 10), "plain")
    written = pd.read_csv(folder / "toy_plain.csv", index_col=0)
    assert written.columns.tolist() == ["ours", "published", "ours sd", "published sd"]


def test_a_damaged_index_is_refused_and_left_as_it_is(folder):
    report = Report.of(Settings(toy.paper()))
    draw(report)
    index = folder / "index.json"
    whole = index.read_bytes()
    for damaged in (whole[:-5], b"=======\n" + whole, whole.replace(b'"caption"', b'"c"')):
        index.write_bytes(damaged)
        for call in (lambda: draw(report), lambda: Report.of(Settings(toy.paper()))):
            with pytest.raises(DamagedFileError, match=r"index\.json, line"):
                call()
        plt.close("all")
        assert index.read_bytes() == damaged


def test_a_full_disk_is_named_and_leaves_no_part_of_a_figure(folder, monkeypatch):
    report = Report.of(Settings(toy.paper()))
    draw(report)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(StoreWriteError, match=r"No space left.*set MINORITY_FIGURES"):
        draw(report)
    plt.close("all")
    assert before == {p.name: p.read_bytes() for p in folder.iterdir()}


def test_the_same_figure_is_the_same_file(folder):
    report = Report.of(Settings(toy.paper()))
    draw(report)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    draw(report)
    assert before == {p.name: p.read_bytes() for p in folder.iterdir()}


def test_numbers_are_written_with_digits_that_all_machines_share(folder):
    report = Report.of(Settings(toy.paper()))
    values = [1 / 3, 1e-12 / 3, 2 / 3e5, 0.0009765625, 0.1234565, 12.345675, 1234567.0, 0.0, 1e9]
    values += [-v for v in values] + [float("nan"), float("inf"), -float("inf")]
    written = set()
    for change in (0, 1e-15, -1e-15, 3e-11, -3e-11):
        data = pd.DataFrame({"x": values}) * (1 + change)
        report.figure(plt.figure(), "numbers", data.assign(n=1234567890), "")
        written.add((folder / "toy_numbers.csv").read_text())
        report.table(show(data, spread=data), "numbers")
        table = pd.read_csv(folder / "toy_numbers.csv", index_col=0)
        np.testing.assert_allclose(table["x"], values, rtol=6e-6)
    left = pd.DataFrame({"x": [4e-16, -1.4e-14, -0.0]})
    report.figure(plt.figure(), "zero", left, "")
    assert (folder / "toy_zero.csv").read_text() == "x\n0\n0\n0\n"
    assert len(written) == 1
    lines = written.pop().splitlines()
    assert lines[1] == "0.333333,1234567890"
    assert "1234567,1234567890" in lines and "1000000000,1234567890" in lines


def test_pdf_has_real_fonts_and_no_date_and_svg_has_text(folder, tmp_path):
    draw(Report.of(Settings(toy.paper())))
    pdf = (folder / "toy_fig1_line.pdf").read_bytes()
    assert b"/CIDFontType2" in pdf and b"/Type3" not in pdf
    assert b"CreationDate" not in pdf
    draw(Report.of(Settings(toy.paper(), formats="svg")))
    assert "<text" in (tmp_path / "runs" / "figures" / "toy_fig1_line.svg").read_text()


def test_points_by_the_thousand_are_a_picture_inside_the_drawing(folder):
    report = Report.of(Settings(toy.paper()))
    points = np.random.default_rng(0).random((20_000, 2))
    figure, axes = plt.subplots()
    axes.scatter(*points.T)
    axes.set_xlabel("share of positives")
    report.figure(figure, "many", pd.DataFrame(points, columns=["x", "y"]), "Many points")
    assert (folder / "toy_many.pdf").stat().st_size < 300_000


def test_what_is_drawn_for_another_page_never_replaces_the_published_picture(folder, tmp_path):
    settings = Settings(toy.paper(), width="84mm", formats="png,csv", only="fig1,table2")
    report = Report.of(settings)
    draw(report)
    report.table(show(pd.DataFrame({"F1": [0.5]}, index=["oil"]), caption="Table 1"), "table1")
    report.table(show(pd.DataFrame({"F1": [0.5]}, index=["oil"]), caption="Table 2"), "table2_f1")
    assert not folder.exists()
    written = tmp_path / "runs" / "figures"
    files = {p.name for p in written.iterdir() if not p.name.lower().startswith("index.")}
    assert files == {"toy_fig1_line.png", "toy_fig1_line.csv", "toy_table2_f1.csv"}
    dots = plt.rcParams["savefig.dpi"]
    with Image.open(written / "toy_fig1_line.png") as image:
        assert image.width == pytest.approx(84 / 25.4 * dots, abs=1)


def test_a_selection_never_replaces_the_published_picture(folder, tmp_path):
    draw(Report.of(Settings(toy.paper(), datasets="iris0")))
    assert not folder.exists()
    assert (tmp_path / "runs" / "figures" / "toy_fig1_line.png").exists()


def test_committed_artefacts_are_indexed():
    index = read_index(paths.figures())
    files = {p.stem for p in paths.figures().iterdir() if p.suffix in (".png", ".html")}
    assert files == set(index)
    for stem, entry in index.items():
        suffixes = ("png", "pdf", "csv") if entry["kind"] == "figure" else ("csv", "html")
        for suffix in suffixes:
            assert (paths.figures() / f"{stem}.{suffix}").stat().st_size > 0


def test_every_claim_is_judged(judged):
    assert published_papers() == [
        "box_drawings",
        "damvi",
        "rlsd",
        "boosting_svm",
        "sampling_wrapper",
    ]
    table = count_verdicts({name: case.claims for name, case in judged.items()})
    assert table[list(GRADES)].sum(axis=1).tolist() == [43, 28, 33, 30, 49]
    assert (table["empirical claims"] + table[BY_CONSTRUCTION]).sum() == 183
    for name, case in judged.items():
        assert set(case.paper.rules) == set(case.claims.index), name


@pytest.mark.parametrize("paper", published_papers())
def test_every_rule_is_dated_and_says_where_it_is_shown(judged, paper):
    case = judged[paper]
    history = rule_history(paper)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", history["fixed"])
    assert isinstance(history["rows_seen"], bool)
    assert set(history["changed"]) <= set(case.claims.index)
    shown = set(case.claims["shown"]) - {""}
    assert shown <= set(read_index(paths.figures())), shown - set(read_index(paths.figures()))


@pytest.mark.parametrize("paper", published_papers())
def test_every_empirical_verdict_has_an_effect(judged, paper):
    claims = judged[paper].claims
    decided = claims[~claims["verdict"].isin([NOT_TESTABLE, BY_CONSTRUCTION])]
    assert (decided["effect"] != "").all(), decided.index[decided["effect"] == ""]


@pytest.mark.parametrize("paper", published_papers())
def test_what_is_by_construction_is_of_such_a_kind(judged, paper):
    claims = judged[paper].claims
    kinds = pd.Series({claim["id"]: KINDS[claim["kind"]] for claim in published(paper)["claims"]})
    certain = claims.index[claims["verdict"] == BY_CONSTRUCTION]
    others = certain[kinds[certain] != CONSTRUCTION]
    assert set(others) == {claim for claim in CERTAIN if claim in claims.index}


def test_rules_must_belong_to_claims():
    with pytest.raises(ValueError, match="box_drawings-99"):
        judge("box_drawings", {"box_drawings-99": NotTestable("")}, {})


@pytest.mark.parametrize("paper", published_papers())
def test_claims_shown_by_a_test_name_one_that_exists(judged, paper):
    evidence = judged[paper].claims["evidence"]
    shown = evidence.str.extract(r"unit test (\S+) in (\S+\.py)").dropna()
    assert len(shown)
    for name, file in shown.itertuples(index=False):
        assert re.search(rf"^def {name}\(", (paths.root() / file).read_text(), re.MULTILINE)


def test_coverage_counts_keys():
    table = coverage(stored_results({"toy": toy.paper()}))
    assert table.loc["toy-table1"].tolist() == [0, 48]


def test_readme_results_are_generated(judged):
    readme = (paths.root() / "README.md").read_text(encoding="utf-8")
    made = {name: case.claims for name, case in judged.items()}, coverage(stored_results(papers()))
    assert with_results(readme, *made) == readme, "run `minority report --readme`"
    with pytest.raises(ValueError, match="results:begin"):
        with_results("no markers", *made)


def test_published_numbers_are_reachable():
    numbers = {n["what"]: n["value"] for n in published("box_drawings")["numbers"]}
    assert numbers["outer folds"] == 10


def test_fidelity_is_computed_from_the_stored_comparisons(monkeypatch, tmp_path):
    table = fidelity()
    assert table.loc["C4.5 and J48", "fits compared"] == "300"
    folder = tmp_path / "data" / "results"
    folder.mkdir(parents=True)
    for name in ("weka_j48.csv", "weka_jrip.csv"):
        rows = pd.read_csv(paths.root() / "data" / "results" / name)
        if "leaves" in rows:
            rows["leaves"] += 1
        rows.head(50).to_csv(folder / name, index=False)
    monkeypatch.setattr("minority_reports.paths.root", lambda: tmp_path)
    assert fidelity().loc["C4.5 and J48", "same model"].startswith("0.0%")


def test_a_figure_is_shown_as_it_was_written(folder):
    """The picture of the notebook is the file's with fewer colours, in the size of the figure."""
    shown = draw(Report.of(Settings(toy.paper())))
    png, looks = shown._repr_png_()
    with Image.open(io.BytesIO(png)) as small, Image.open(folder / "toy_fig1_line.png") as file:
        ours, theirs = (np.asarray(image.convert("RGB"), int) for image in (small, file))
    assert ours.shape == theirs.shape and np.abs(ours - theirs).mean() < 0.5
    assert (ours[theirs.min(axis=2) == 255] == 255).all(), "what is white stays white"
    assert len(png) < (folder / "toy_fig1_line.png").stat().st_size
    assert looks == {"width": 840, "alt": "Figure 1: a line"} and repr(shown).startswith(
        "<Figure size 840x504"
    )
