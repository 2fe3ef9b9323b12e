"""Shared by all tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "experiments"))  # for `import toy`


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty results folder in place of the committed one."""
    folder = tmp_path / "results"
    monkeypatch.setenv("MINORITY_RESULTS", str(folder))
    return folder
