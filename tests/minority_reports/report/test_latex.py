"""Tables as LaTeX: what it says, and that TeX sets all of them within a page."""

import re
import shutil
import subprocess

import pandas as pd
import pytest

from minority_reports import paths
from minority_reports.report import read_index, show
from minority_reports.report.latex import PACKAGES, escape, figure_to_latex, to_latex
from minority_reports.report.tables import split_caption

OURS = pd.DataFrame({"F1": [0.62, 0.5], "p (Holm)": [0.0001, 0.8]}, index=["oil_1", "mean"])


def test_a_table_has_rules_bold_spreads_and_notes():
    bold = OURS.max() == OURS
    caption = "F1 of C4.5 & others. Bold: the best."
    text = to_latex(
        show(OURS, caption=caption, spread=OURS[["F1"]] / 10, bold=bold, rule_above="mean"), "t1"
    )
    for part in (
        r"\toprule",
        r"\caption{F1 of C4.5 \& others.}\label{tab:t1}",
        r"oil\_\allowbreak{}1 & \textbf{0.620 $\pm$ 0.062} & \textless{} 0.001 \\",
        "\\midrule\nmean & 0.500 $\\pm$ 0.050 & \\textbf{0.800} \\\\\n\\bottomrule",
        r"{\linewidth}Bold: the best.\end{minipage}",
    ):
        assert part in text, part
    assert "longtable" not in text.partition("\n")[2]


def test_long_tables_go_over_pages_and_wide_ones_have_smaller_letters():
    frame = pd.DataFrame({f"method {j}": [0.5] * 60 for j in range(3)})
    assert r"\begin{longtable}" in to_latex(show(frame, spread=frame), "long")
    wide = pd.DataFrame({f"method {j}": [0.5] * 5 for j in range(12)})
    assert r"\small" in to_latex(show(frame.head(5)), "narrow")
    assert r"\shortstack[r]{0.500\\$\pm$ 0.500}" in to_latex(show(wide, spread=wide), "wide")
    assert r"\tiny" in to_latex(show(pd.concat([wide] * 2, axis=1)), "wider")
    assert r"\resizebox{\linewidth}" in to_latex(show(pd.concat([wide] * 4, axis=1)), "widest")


def test_groups_of_columns_have_a_heading_of_their_own():
    frame = show(OURS[["F1"]], OURS[["F1"]] / 2).frame
    text = to_latex(show(frame), "groups")
    assert r" & \multicolumn{3}{c}{F1} \\" in text
    assert r"\cmidrule(lr){2-4}" in text


def test_captions_are_a_sentence_and_notes():
    assert split_caption("Only this.") == ("Only this.", "")
    assert split_caption("C4.5 vs. trees on 5.0. Gaps: –.") == (
        "C4.5 vs. trees on 5.0.",
        "Gaps: –.",
    )


def committed_tables():
    """Tables as the notebooks showed them, but for bold, from the committed files."""
    folder = paths.root() / "figures"
    for stem, entry in read_index(folder).items():
        if entry["kind"] != "table":
            continue
        head = (folder / f"{stem}.html").read_text(encoding="utf-8").partition("</thead>")[0]
        levels = max(1, head.count("<tr>"))
        frame = pd.read_csv(folder / f"{stem}.csv", header=list(range(levels)), index_col=0)
        last = [str(n[-1] if levels > 1 else n) for n in frame.columns]
        spread = frame.loc[:, [name.endswith(" sd") for name in last]]
        frame = frame.drop(columns=spread.columns)
        if levels > 1:
            names = [(*n[:-1], n[-1].removesuffix(" sd")) for n in spread.columns]
            spread.columns = pd.MultiIndex.from_tuples(names) if names else spread.columns
        else:
            spread.columns = spread.columns.str.removesuffix(" sd")
        looks = {"spread": spread} if spread.shape[1] else {}
        yield stem, show(frame, caption=entry["caption"], **looks)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here")
def test_all_tables_are_set_by_tex_within_a_page(tmp_path):
    """In one document, so that it takes seconds. The widest may reach a little into the margin."""
    tables = {stem: to_latex(table, stem) for stem, table in committed_tables()}
    assert len(tables) > 100
    figure = figure_to_latex("a_figure", "p < 0.05: 100 % of β", 3.3)
    lines = [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[T1]{fontenc}\usepackage{textcomp}\PassOptionsToPackage{demo}{graphicx}",
        rf"\usepackage{{{','.join(PACKAGES)}}}",
        r"\usepackage[text={7in,9.5in}]{geometry}",
        r"\begin{document}",
        figure,
        *(rf"\typeout{{== {s}}}{text}\clearpage" for s, text in tables.items()),
        r"\end{document}",
    ]
    (tmp_path / "all.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = answer.stdout.decode("utf-8", errors="replace")
    assert answer.returncode == 0, log[-2000:]
    assert "Missing character" not in log
    for part in log.split("\n== ")[1:]:
        stem = part.split()[0]
        for width in re.findall(r"Overfull \\hbox \((\d+)", part):
            assert int(width) < 20, f"{stem} is {width} pt too wide"


def test_letters_that_tex_reads_otherwise():
    assert escape("a_b & 5 % {x} ~ ^ \\") == (
        r"a\_b \& 5 \% \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )
    assert escape("β ≥ ½, p ± 2") == r"$\beta$ $\ge$ \textonehalf{}, p $\pm$ 2"
