"""Formulas: where limits, spaces and the font go."""

import pytest
from bs4 import BeautifulSoup

from minority_reports.report.formulas import formula, joined


def tags(latex, display="inline"):
    return [element.name for element in BeautifulSoup(formula(latex, display), "html.parser")()]


def test_what_a_minimum_is_over_is_below_it():
    math = BeautifulSoup(formula(r"\min_{x \in S} f(x)", "block"), "html.parser")
    assert math.munder.mo["movablelimits"] == "true"
    assert math.munder.mo.text == "min"
    assert "munder" not in tags("x_j")


@pytest.mark.parametrize(
    ("latex", "spaces"),
    [
        (r"\ln x", 1),
        (r"n \log n", 2),
        (r"\ln\frac{a}{b}", 1),
        (r"\log_2 n", 1),
        (r"\min_x f", 1),
        (r"\ln(x)", 0),
        (r"1 + \ln(x)", 0),
        (r"\ln\left(\frac{a}{b}\right)", 0),
        ("x y", 0),
    ],
)
def test_names_of_functions_are_apart_from_what_is_beside_them(latex, spaces):
    assert tags(latex).count("mspace") == spaces


def test_texts_in_formulas_stay_texts():
    assert formula(r"\arg\min_q").count("\\") == 0
    assert "<script" not in formula(r"\text{<script>}")


def test_a_formula_and_the_sign_behind_it_stay_together():
    both = f"{formula('x')} and {formula('y')}."
    soup = BeautifulSoup(joined(both), "html.parser")
    assert [span.text for span in soup.find_all("span")] == ["y."]
