"""Shared by all tests."""

import os
import sys
from pathlib import Path

# Before numpy is imported, here and in the processes that tests start: those of xdist use all
# cores already, and threads of linear algebra that wait for each other take ten times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# for `import toy`
sys.path.insert(0, str(Path(__file__).parent / "minority_reports" / "experiments"))


# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty results folder in place of the committed one."""
    folder = tmp_path / "results"
    monkeypatch.setenv("MINORITY_RESULTS", str(folder))
    return folder


@pytest.fixture(autouse=True)
def figures_closed():
    """Close what a test has drawn: another test may look at which figures are open."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
