"""KDD Cup 1999 with five classes, prepared for Table 6 of the sampling wrapper's paper."""

import gzip
import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from minority_reports import datasets, paths
from minority_reports.datasets import KDDCUP99_COSTS, load_kddcup99

# n, kind, label: two normal rows are there twice, one neptune three times.
TRAINING = """\
1,tcp,normal.
1,tcp,normal.
2,tcp,normal.
2,tcp,normal.
3,udp,normal.
1,tcp,neptune.
4,tcp,neptune.
4,tcp,neptune.
4,tcp,neptune.
5,tcp,smurf.
6,udp,perl.
7,tcp,ipsweep.
8,tcp,ftp_write.
8,tcp,ftp_write.
"""
TEST = """\
1,tcp,normal.
1,tcp,normal.
2,icmp,snmpguess.
3,udp,xterm.
4,udp,neptune.
5,tcp,saint.
"""


def registered(name, text):
    """A line of a registry for such a file."""
    table = pd.DataFrame([line.split(",") for line in text.split()], columns=["n", "kind", "label"])
    y = table.pop("label").isin(["perl.", "xterm."]).to_numpy()
    X = pd.DataFrame({"n": table["n"].astype(float), "kind": table["kind"].astype("category")})
    return {
        "name": name,
        "source": "mirror",
        "file": f"{name}.gz",
        "target": "label=u2r",
        "n": len(y),
        "d": 2,
        "positives": y.sum(),
        "sha256": datasets.content_hash(X, y),
        "columns": "n;kind;label",
        "steps": "attack-categories",
    }


@pytest.fixture
def mirror(checkout, tmp_path, monkeypatch):
    """A checkout and a mirror with small files; the full one is another than the tenth."""
    files = {
        "kddcup99": TRAINING + "3,udp,normal.\n",
        "kddcup99_10": TRAINING,
        "kddcup99_corrected": TEST,
    }
    checkout([registered(name, text) for name, text in files.items()])
    digests = []
    for name, text in files.items():
        content = gzip.compress(text.encode())
        (tmp_path / f"{name}.gz").write_bytes(content)
        digests.append(hashlib.sha256(content).hexdigest())
    manifest = pd.DataFrame({"file": [f"{name}.gz" for name in files], "sha256": digests})
    manifest.to_csv(tmp_path / "MANIFEST.csv", index=False)
    monkeypatch.setenv("MINORITY_DATA", str(tmp_path))
    return tmp_path


def training_rows(data):
    return list(zip(data.X_train["n"].astype(int), data.X_train["kind"], data.y_train, strict=True))


NORMAL = [(1, "tcp", "normal"), (2, "tcp", "normal")]
OTHERS = [
    (5, "tcp", "dos"),
    (6, "udp", "u2r"),
    (7, "tcp", "probe"),
    (8, "tcp", "r2l"),
]


def test_training_data_1(mirror):
    """The normal row that was there once is removed; attacks only lose what is repeated."""
    data = load_kddcup99(1)
    assert training_rows(data) == [*NORMAL, (1, "tcp", "dos"), (4, "tcp", "dos"), *OTHERS]


def test_training_data_2(mirror):
    """So is the neptune row, but neither the smurf row nor rarer attacks."""
    data = load_kddcup99(2)
    assert training_rows(data) == [*NORMAL, (4, "tcp", "dos"), *OTHERS]


def test_the_same_connection_with_another_label_is_another_example(mirror):
    data = load_kddcup99(1)
    same = (data.X_train["n"] == 1) & (data.X_train["kind"] == "tcp")
    assert data.y_train[same].tolist() == ["normal", "dos"]


def test_test_rows_stay_and_unknown_categories_are_missing(mirror):
    data = load_kddcup99(1)
    assert data.y_test.tolist() == ["normal", "normal", "r2l", "u2r", "dos", "probe"]
    assert data.X_test["kind"].isna().tolist() == [False, False, True, False, False, False]
    assert data.X_test["kind"].dtype == data.X_train["kind"].dtype


def test_full_file(mirror):
    """There the third normal row is there twice, so it stays."""
    assert (3, "udp", "normal") in training_rows(load_kddcup99(1, full=True))


def test_counts(mirror):
    counts = load_kddcup99(2).counts
    assert counts.loc["normal"].tolist() == [5, 3, 2, 2]
    assert counts.loc["dos"].tolist() == [5, 3, 2, 1]
    assert counts.loc["r2l"].tolist() == [2, 1, 1, 1]
    assert counts.columns.tolist() == ["in the file", "distinct", "training", "test"]


def test_the_registry_is_still_asked(mirror):
    content = gzip.compress(TEST.replace("xterm", "normal").encode())
    (mirror / "kddcup99_corrected.gz").write_bytes(content)
    with pytest.raises(datasets.DatasetUnavailableError, match="copy it again"):
        load_kddcup99()
    manifest = pd.read_csv(mirror / "MANIFEST.csv", index_col="file")
    manifest.loc["kddcup99_corrected.gz", "sha256"] = hashlib.sha256(content).hexdigest()
    manifest.to_csv(mirror / "MANIFEST.csv")
    with pytest.raises(datasets.DatasetChangedError, match="positives is 0, registry says 1"):
        load_kddcup99()


def test_unknown_attack(mirror):
    content = gzip.compress(TEST.replace("saint", "gremlin").encode())
    (mirror / "kddcup99_corrected.gz").write_bytes(content)
    manifest = pd.read_csv(mirror / "MANIFEST.csv", index_col="file")
    manifest.loc["kddcup99_corrected.gz", "sha256"] = hashlib.sha256(content).hexdigest()
    manifest.to_csv(mirror / "MANIFEST.csv")
    for load in (load_kddcup99, lambda: datasets.load("kddcup99_corrected")):
        with pytest.raises(ValueError, match=r"unknown attacks: \['gremlin'\]"):
            load()


def test_out_of_reach(mirror, monkeypatch):
    monkeypatch.delenv("MINORITY_DATA")
    with pytest.raises(datasets.DatasetUnavailableError, match="MINORITY_DATA is not set"):
        load_kddcup99()
    with pytest.raises(ValueError, match="training must be 1 or 2, got 3"):
        load_kddcup99(3)


def test_costs_are_those_of_table_5():
    published = json.loads((paths.published() / "sampling_wrapper.json").read_text("utf-8"))
    (table,) = (t for t in published["tables"] if t["id"] == "sampling_wrapper-T5")
    assert len(table["cells"]) == KDDCUP99_COSTS.size
    for cell in table["cells"]:
        actual = cell["row"].removeprefix("actual ").lower()
        predicted = cell["col"].removeprefix("predicted ").lower()
        assert KDDCUP99_COSTS.loc[actual, predicted] == cell["value"]


@pytest.mark.skipif(paths.mirror() is None, reason="MINORITY_DATA is not set")
def test_counts_of_the_files():
    data = load_kddcup99(2)
    # Of 87,832 distinct normal rows 85,596 are there once.
    assert data.counts.loc["normal"].tolist() == [97_278, 87_832, 2_236, 60_593]
    assert data.counts.loc["dos"].tolist() == [391_458, 54_572, 19_023, 229_853]
    assert data.counts.loc[["u2r", "r2l", "probe"], "training"].tolist() == [52, 999, 2_131]
    assert len(data.X_train) == len(data.y_train) == data.counts["training"].sum()
    assert np.shape(data.X_test) == (311_029, 41)
