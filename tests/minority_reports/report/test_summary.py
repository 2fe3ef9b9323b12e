"""A paper in two pages: counts from rows and claims, and a document that LaTeX sets."""

import shutil

import pandas as pd
import pytest

from minority_reports.report.overview import recomputed
from minority_reports.report.page import _row
from minority_reports.report.summary import Summary, compile_pdf, write_pdf

CLAIMS = pd.DataFrame(
    {
        "claim": ["A beats B by 5 %", "more_of_it {costs} less", "defined"],
        "section": ["1", "2 & 3", "4"],
        "verdict": ["reproduced", "not reproduced", "by construction"],
        "firm": ["fragile", "", ""],
        "effect": ["gain +0.1 [−0.1, +0.3]", "", ""],
    },
    index=pd.Index(["rlsd-01", "rlsd-02", "rlsd-03"], name="id"),
)
CAUSES = pd.DataFrame(
    {"claim": ["more"], "likeliest cause": ["noise"], "what was found": [r"\input{x} 字 β² ≥ 0.1"]},
    index=["rlsd-02"],
)

needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")


def summary(**more):
    known = {"sentences": ("It is so.",) * 3, "main": ("rlsd-01", "rlsd-02"), "causes": CAUSES}
    return Summary("rlsd", CLAIMS, **(known | more))


def test_only_empirical_claims_are_counted_from_the_best_to_the_worst():
    assert list(summary().counts.items()) == [("reproduced", 1), ("not reproduced", 1)]


@needs_latex
@pytest.mark.parametrize("more", [{}, {"sentences": (), "main": (), "causes": CAUSES[:0]}])
def test_a_summary_is_a_pdf_whatever_its_texts_are(tmp_path, more):
    row = _row(summary(done={"data": "50 % of a_b"}, left_open=("Which C?",), **more), None)
    assert write_pdf(row, tmp_path) == "summary_rlsd.pdf"
    assert (tmp_path / "summary_rlsd.pdf").read_bytes().startswith(b"%PDF")


@needs_latex
def test_an_error_of_latex_says_what_it_is(tmp_path):
    document = r"\documentclass{article}\begin{document}\nosuchthing\end{document}"
    with pytest.raises(ValueError, match=r"LaTeX refuses a\.pdf: ! Undefined control sequence"):
        compile_pdf(document, tmp_path / "a.pdf")
    assert list(tmp_path.iterdir()) == []


def test_without_latex_there_is_no_pdf(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    assert write_pdf(_row(summary(), None), tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        ((4, 4, 4), "4 rows recomputed on this machine, all identical."),
        ((4, 4, 3), "4 rows recomputed on this machine: 3 identical, 1 equal within rounding."),
        ((4, 3, 3), "4 rows recomputed on this machine: 3 identical, 1 different."),
        ((0, 0, 0), "No row was recomputed on this machine."),
    ],
)
def test_what_was_recomputed_is_one_line(counts, wanted):
    one = dict(zip(("compared", "agreeing", "identical"), counts, strict=True))
    none = dict.fromkeys(one, 0)
    assert recomputed([one, none]) == wanted
