"""The reader of KEEL files, on the spellings found in the wild."""

import numpy as np
import pandas as pd
import pytest

from minority_reports.datasets.keel import parse_header, read_keel

TRICKY = """\
% a comment
@relation  tricky
@ATTRIBUTE 'body mass' REAL[0.5, 25.3]
@attribute\tcount integer [1,7]
@attribute plain numeric
@attribute flag {0, 1}
@attribute doors{2,3, 5more}
@Attribute Class  {positive, negative}\t
@inputs body mass, count, plain, flag, doors
@Outputs Class
@DATA
"""
ROWS = """\
 0.5, 1,-1e-3,0 , 2,positive
25.3 ,<null>,0.1, 1,5more, negative \r
?,7,3,1,?,negative

"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        (tmp_path / "file.dat").write_text(text, newline="")
        return read_keel(tmp_path / "file.dat")

    return read


def test_tricky_header():
    header = parse_header(TRICKY)
    assert header.attributes == {
        "body mass": None,
        "count": None,
        "plain": None,
        "flag": ("0", "1"),
        "doors": ("2", "3", "5more"),
        "Class": ("positive", "negative"),
    }
    assert header.target == "Class"
    assert header.inputs == ("body mass", "count", "plain", "flag", "doors")


def test_tricky_rows(read):
    X, labels = read(TRICKY + ROWS)
    assert list(labels) == ["positive", "negative", "negative"]
    doors = pd.Categorical(["2", "5more", None], categories=["2", "3", "5more"])
    expected = pd.DataFrame(
        {
            "body mass": [0.5, 25.3, np.nan],
            "count": [1, np.nan, 7],
            "plain": [-1e-3, 0.1, 3],
            "flag": [0.0, 1, 1],
            "doors": doors,
        }
    )
    pd.testing.assert_frame_equal(X, expected, check_categorical=False)
    assert list(X["doors"].cat.categories) == ["2", "3", "5more"]


def test_target_is_the_last_attribute_unless_declared(read):
    header = "@attribute kind {a, b}\n@attribute x real [0, 1]\n"
    assert parse_header(header).target == "x"
    X, labels = read(header + "@output kind\n@data\na,0.5\nb,1\n")
    assert list(X.columns) == ["x"] and list(labels) == ["a", "b"]


def test_inputs_may_leave_attributes_out(read):
    header = "@attribute id integer\n@attribute x real\n@attribute y {a, b}\n@inputs x\n"
    X, _ = read(header + "@data\n1,0.5,a\n")
    assert list(X.columns) == ["x"]


def test_numeric_target_stays_text(read):
    _, labels = read("@attribute x real\n@attribute y {0, 1}\n@data\n1,0\n2, 1\n")
    assert list(labels) == ["0", "1"]


def test_numbers_are_read_to_the_last_bit(read):
    text = "0.30000000000000004"
    X, _ = read(f"@attribute x real\n@attribute y {{a}}\n@data\n{text},a\n")
    assert repr(float(X["x"][0])) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@attribute x text\n@data\n1\n", "cannot read the header line '@attribute x text'"),
        ("@relation empty\n@data\n1\n", "declares no attribute"),
        ("@attribute x real\n@outputs z\n@data\n1\n", r"undeclared attributes: \['z'\]"),
        ("@attribute x real\n", "no @data line"),
        ("@attribute x {a,b}\n@attribute y {c}\n@data\nd,c\n", r"undeclared values \['d'\]"),
        ("@attribute x real\n@attribute y {c}\n@data\n1,c\n2\n", "a row without a label"),
        ("@attribute x real\n@attribute y {c}\n@data\n1,2,c\n", "3 values for 2 attributes"),
    ],
)
def test_errors(read, text, message):
    with pytest.raises(ValueError, match=message):
        read(text)
