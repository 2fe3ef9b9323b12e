"""The readers of data files, on files that are what they should be and on others."""

import gzip

import numpy as np
import pandas as pd
import pytest

from minority_reports.datasets.readers import STEPS, read_table, spell_out

COLUMNS = ("-id", "size", "kind", "Class")


def test_columns_spelled_out():
    assert spell_out("a;V1..V3;-id") == ("a", "V1", "V2", "V3", "-id")
    assert spell_out("") == ()


@pytest.mark.parametrize("ending", [".data", ".csv.gz", ".dat"])
def test_text_without_a_header(tmp_path, ending):
    path = tmp_path / f"file{ending}"
    text = b"1,0.30000000000000004,?,7\n2, 2,red,8\n"
    path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    X, labels = read_table(path, COLUMNS, "Class")
    assert list(X.columns) == ["size", "kind"] and labels.tolist() == ["7", "8"]
    assert X["size"].tolist() == [0.30000000000000004, 2.0]  # to the last bit
    assert X["kind"].isna().tolist() == [True, False]


def test_text_with_blanks(tmp_path):
    (tmp_path / "file.txt").write_text("  1  .400   a  2\n 2 1.5 b  1\n")
    X, labels = read_table(tmp_path / "file.txt", COLUMNS, "Class")
    assert X["size"].tolist() == [0.4, 1.5] and labels.tolist() == ["2", "1"]


def test_licence_before_the_header(tmp_path):
    licence = "This file is free, as in freedom.\n\n-----\n"
    (tmp_path / "file.csv").write_text(licence + "class,a,b\nneg,na,1\npos,2,3\n")
    X, labels = read_table(tmp_path / "file.csv", (), "class")
    assert list(X.columns) == ["a", "b"] and labels.tolist() == ["neg", "pos"]
    assert X["a"].isna().tolist() == [True, False]


def test_parquet_takes_the_given_names(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "file.parquet.brotli"
    pd.DataFrame({"0": [9, 8], "1": [0.5, 1], "2": ["a", "b"], "3": [0, 1]}).to_parquet(path)
    X, labels = read_table(path, COLUMNS, "Class")
    assert list(X.columns) == ["size", "kind"] and labels.tolist() == ["0", "1"]


def test_archive_names(tmp_path):
    path = tmp_path / "file.npz"
    np.savez(path, X=np.eye(2), y=np.array(["a", "b"]))
    assert list(read_table(path)[0].columns) == ["x1", "x2"]
    assert list(read_table(path, ("size", "-id", "age"))[0].columns) == ["size", "age"]
    np.savez(path, X=np.eye(2), y=np.array(["a", "b"]), columns=np.array(["V1", "V2"]))
    assert list(read_table(path)[0].columns) == ["V1", "V2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("file.npz", b"size,Class\n1,2\n", "not a NumPy archive"),
        ("file.npz", b"\x93NUMPY\x01\x00", "not a NumPy archive"),
        ("file.csv.gz", b"size,Class\n1,2\n", "Not a gzipped file"),
        ("file.csv.gz", gzip.compress(b"1,2,3,4\n" * 999, mtime=0)[:-20], "end-of-stream"),
        ("file.csv", b"\n <!DOCTYPE html><p>Sign in, please</p>", "a web page, not a table"),
        ("file.csv", b"\xff\xfe\x00", "can't decode"),
        ("file.csv", b"", "No columns to parse"),
        ("file.csv", b"1,2,3\n", "it has 3 columns, not 4"),
        ("file.csv", b"1,2,3,4\n1,2,3,\n", "a row without a label in 'Class'"),
        ("file.parquet", b"1,2,3,4\n", "[Pp]arquet"),
    ],
)
def test_file_that_is_not_what_its_name_says(tmp_path, name, content, message):
    if "parquet" in name:
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is not what its name says: .*{message}"):
        read_table(tmp_path / name, COLUMNS, "Class")


def test_target_that_is_not_there(tmp_path):
    (tmp_path / "file.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="it has no column 'Class'"):
        read_table(tmp_path / "file.csv", (), "Class")
    np.savez(tmp_path / "file.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"file\.npz is not what its name says: .*y"):
        read_table(tmp_path / "file.npz")


def test_pickles_are_not_loaded(tmp_path):
    np.savez(tmp_path / "file.npz", X=np.array([[{}]]), y=np.array([1]))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_table(tmp_path / "file.npz")


def test_unknown_attacks_are_refused():
    with pytest.raises(ValueError, match=r"unknown attacks: \['telepathy'\]"):
        STEPS["attack-categories"](pd.DataFrame({"a": [1]}), np.array(["telepathy."]))
