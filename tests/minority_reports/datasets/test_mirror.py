"""The mirror folder: found by MINORITY_DATA, never trusted without a checksum."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from minority_reports import datasets

MIRRORED = [
    *("boxdraw_corner", "boxdraw_diamond3D", "fourclass", "mammography", "oil", "phoneme_hddt"),
    *("estate", "page", "webpage", "protein_homo", "creditcard", "scania_aps_partial"),
    *("breast_w", "breast_y", "heart_cleveland1", "letter", "kddcup99_10", "kddcup99_corrected"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A mirror with one file, called oil.npz, that is not the registry's."""
    np.savez(tmp_path / "oil.npz", X=np.eye(3), y=np.array([1, 0, 0], np.int8))
    digest = hashlib.sha256((tmp_path / "oil.npz").read_bytes()).hexdigest()
    pd.DataFrame({"file": ["oil.npz"], "sha256": [digest]}).to_csv(tmp_path / "MANIFEST.csv")
    monkeypatch.setenv("MINORITY_DATA", str(tmp_path))
    return tmp_path


def test_these_come_from_the_mirror():
    assert datasets.names(source="mirror") == MIRRORED


def test_unset(monkeypatch):
    monkeypatch.delenv("MINORITY_DATA", raising=False)
    with pytest.raises(datasets.DatasetUnavailableError, match="MINORITY_DATA is not set"):
        datasets.load("oil")
    assert not datasets.available("oil")
    facts = datasets.describe("oil")
    assert not facts["available"] and facts["n"] == 937 and "repeated_rows" not in facts


def test_wrong_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("MINORITY_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(datasets.DatasetUnavailableError, match=r"nowhere.*no MANIFEST\.csv"):
        datasets.load("oil")


def test_file_not_in_folder(folder):
    with pytest.raises(datasets.DatasetUnavailableError, match=r"which has no mammography\.npz"):
        datasets.load("mammography")
    assert datasets.available("oil") and not datasets.available("mammography")


def test_corrupted_file(folder):
    with open(folder / "oil.npz", "ab") as file:
        file.write(b"\0")
    with pytest.raises(datasets.DatasetUnavailableError, match="copy it again"):
        datasets.load("oil")


def test_file_without_a_checksum(folder):
    (folder / "fourclass.npz").write_bytes((folder / "oil.npz").read_bytes())
    with pytest.raises(datasets.DatasetUnavailableError, match="copy it again"):
        datasets.load("fourclass")


def test_consistent_mirror_with_other_data(folder):
    with pytest.raises(datasets.DatasetChangedError, match="n is 3, registry says 937"):
        datasets.load("oil")


def test_pickles_are_refused(folder):
    np.savez(folder / "oil.npz", X=np.array([[object()]]), y=np.array([1]))
    digest = hashlib.sha256((folder / "oil.npz").read_bytes()).hexdigest()
    pd.DataFrame({"file": ["oil.npz"], "sha256": [digest]}).to_csv(folder / "MANIFEST.csv")
    with pytest.raises(ValueError, match="allow_pickle=False"):
        datasets.load("oil")
