"""Tables as people see them."""

import re

import numpy as np
import pandas as pd
from bs4 import BeautifulSoup

from minority_reports.report import Bullets, Folded, show
from minority_reports.report.tables import LONG, facts, with_mean

OURS = pd.DataFrame({"F1": [0.62, 0.5], "AP": [0.7, 0.8]}, index=["oil", "phoneme"])
PUBLISHED = pd.DataFrame({"F1": [0.6, 0.4]}, index=["oil", "mammography"])


def test_ours_published_and_difference_side_by_side():
    table = show(OURS, PUBLISHED).frame
    assert table["F1"].columns.tolist() == ["ours", "published", "difference"]
    assert table.loc["oil", ("F1", "difference")] == np.float64(0.62) - 0.6


def test_nothing_is_dropped_and_gaps_are_shown():
    shown = show(OURS, PUBLISHED).formatted()
    assert shown.index.tolist() == ["oil", "phoneme", "mammography"]
    assert shown.loc["mammography", ("F1", "ours")] == "–"
    assert shown.loc["phoneme", ("F1", "difference")] == "–"
    assert shown.loc["oil", ("AP", "published")] == "–"


def test_numbers_are_formatted_by_kind():
    frame = pd.DataFrame({"n": [12345], "x": [0.5], "whole": [1.0], "text": ["a"], "yes": [True]})
    assert show(frame, digits=2).formatted().iloc[0].tolist() == [
        "12,345",
        "0.50",
        "1.00",
        "a",
        "yes",
    ]


def test_spread_and_bold():
    bold = OURS > 0.65
    table = show(OURS, spread=OURS / 10, bold=bold, caption="A <caption>")
    html = table.to_html()
    assert table.formatted().loc["oil", "F1"] == "0.620 ± 0.062"
    assert html.count("font-weight: bold") == 1  # one rule, shared by the two bold cells
    assert html == show(OURS, spread=OURS / 10, bold=bold, caption="A <caption>").to_html()


def test_what_follows_the_first_sentence_of_a_caption_is_below_the_table():
    table = show(OURS, caption="F1 on <two> sets. Bold: best. 3 of 4 runs.")
    html = table.to_html()
    assert "<caption>F1 on &lt;two&gt; sets.</caption>" in html
    head, _, foot = html.partition("<tfoot>")
    assert "Bold: best. 3 of 4 runs.</td></tr></tfoot>" in foot and "Bold" not in head
    assert "<tfoot>" not in show(OURS, caption="F1 on two sets").to_html()


def test_p_values_are_never_zero():
    frame = pd.DataFrame({"p": [0.0, 1e-5, 0.0006], "p (Holm)": [1.0, 0.2, 0.0]})
    shown = show(frame.assign(precision=0.0)).formatted()
    assert shown["p"].tolist() == ["< 0.001", "< 0.001", "0.001"]
    assert shown["p (Holm)"].tolist() == ["1.000", "0.200", "< 0.001"]
    assert shown["precision"].tolist() == ["0.000"] * 3


def test_text_is_escaped_in_html():
    frame = pd.DataFrame({"rule": ["x <= 3 & y > 2<script>"]}, index=["<b>"])
    html = show(frame).to_html()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


EVIL = "<img src=x onerror=alert(1)>"


def test_sentences_about_data_are_text_and_never_html():
    bullets = Bullets([f"Column {EVIL!r}: 1 < 2", "*a* & $b$"])
    assert repr(bullets) == f"- Column {EVIL!r}: 1 < 2\n- *a* & $b$"
    assert bullets._repr_html_() == (
        "<ul>\n<li>Column '&lt;img src=x onerror=alert(1)&gt;': 1 &lt; 2</li>\n"
        "<li>*a* &amp; $b$</li>\n</ul>"
    )


def test_nothing_that_a_table_shows_is_taken_for_html():
    frame = pd.DataFrame({EVIL: [EVIL, 1]}, index=[EVIL, "x"])
    spread = pd.DataFrame({EVIL: [0.1, 0.2]}, index=frame.index)
    for table in (
        show(frame, caption=f"{EVIL} & it's"),
        show(frame, frame, caption=EVIL),
        show(frame.astype(object), caption=EVIL, marks=frame.astype(str), spread=spread),
        show(pd.DataFrame({f"{EVIL} {k}": [EVIL] for k in range(20)}), caption=EVIL),
    ):
        html = table.to_html()
        assert "<img" not in html and "&lt;img src=x onerror=alert(1)&gt;" in html
    assert (
        "&lt;img src=x onerror=alert(1)&gt; &amp; it's</caption>"
        in show(frame, caption=f"{EVIL} & it's").to_html()
    ), "once"


def test_marks_italics_and_a_rule():
    arrows = pd.DataFrame({"F1": ["↓", ""]}, index=OURS.index)
    table = show(
        OURS, spread=OURS[["F1"]], marks=arrows, italic=OURS[["AP"]] > 0.75, rule_above="phoneme"
    )
    shown = table.formatted()
    assert shown.loc["oil"].tolist() == ["0.620 ± 0.620 ↓", "0.700"]
    assert shown.loc["phoneme"].tolist() == ["0.500 ± 0.500", "0.800"]
    html = table.to_html()
    assert html.count("font-style: italic") == 1
    assert "tbody tr:nth-child(2) > * {\n  border-top" in html
    assert "border-top" not in show(OURS).to_html()


def test_tables_wider_than_a_page_are_set_smaller():
    spread = pd.DataFrame(0.1, index=["oil"], columns=[f"method {j}" for j in range(12)])
    narrow, wide = (show(spread[list(spread)[:n]], spread=spread) for n in (3, 12))
    assert "nowrap" in narrow.to_html() and "font-size" not in narrow.to_html()
    assert "nowrap" not in wide.to_html() and "font-size" in wide.to_html()
    assert "0.100\n±\u00a00.100" in wide.to_html()


def test_tables_with_like_captions_have_their_own_styles():
    first, second = (show(OURS, caption=f"Table 5: AUH of all methods, {n} folds") for n in (1, 2))
    name = re.search(r'<table id="[^"]+"', first.to_html())[0]
    assert name not in second.to_html()


def test_facts_of_data_sets_have_gaps_for_what_is_not_registered():
    known = facts(["iris0", "mine"])
    assert known.loc["iris0", ["n", "d", "positives", "percent"]].tolist() == [150, 4, 50, 100 / 3]
    assert known.loc["iris0", "imbalance"] == 2
    assert known.loc["mine"].isna().all()


def test_a_column_with_a_gap_has_no_mean():
    frame = with_mean(pd.DataFrame({"a": [1.0, 2.0], ("b", "c"): [3.0, np.nan]}))
    assert frame.index[-1] == "mean" and frame.loc["mean", "a"] == 1.5
    assert np.isnan(frame.iloc[-1, 1])


def test_long_tables_are_folded_in_notebooks_only():
    frame = pd.DataFrame({"text": ["x" * 30] * (LONG + 1)})
    long, short = show(frame, caption="Long & wide"), show(frame[:3], caption="Short")
    folded = long._repr_html_()
    assert folded.startswith("<details><summary>Long &amp; wide</summary>")
    assert "<caption>" not in folded and folded.count("<tr") == LONG + 2
    assert "details" not in long.to_html() and "<caption>" in long.to_html()
    assert short._repr_html_() == short.to_html()
    assert show(frame, caption="Open", folded=False)._repr_html_().count("details") == 0
    assert show(frame[:3], caption="Shut", folded=True)._repr_html_().startswith("<details>")


def test_what_has_many_words_is_long():
    frame = pd.DataFrame({"text": ["word " * 500] * 2}, index=pd.Index(["a", "b"], name="text"))
    assert show(frame, caption="Words")._repr_html_().startswith("<details>")


def test_an_empty_table_is_not_folded():
    assert "details" not in show(pd.DataFrame(), caption="Nothing")._repr_html_()
    assert "details" not in show(OURS.iloc[:0], caption="Nothing")._repr_html_()


class Drawn:
    """Shows itself as a picture."""

    def _repr_png_(self):
        return b"png", {"width": 70, "alt": 'a "picture"'}


def test_folded_tables_pictures_and_text():
    folded = Folded("More <here>", show(OURS, caption="A table"), Drawn(), "1 < 2")
    soup = BeautifulSoup(folded._repr_html_(), "html.parser")
    assert soup.details.summary.get_text() == "More <here>"
    assert soup.details.caption.get_text() == "A table"
    assert soup.details.img["src"] == "data:image/png;base64,cG5n"
    assert soup.details.img["alt"] == 'a "picture"' and soup.details.img["width"] == "70"
    assert soup.details.pre.get_text() == "1 < 2"
    assert "A table" in repr(folded) and repr(folded).startswith("More <here>")
