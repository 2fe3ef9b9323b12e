"""A checkout of one's own, so that a test may have its own registry and cache."""

import csv

import pytest

REGISTRY = [
    *("name", "aliases", "source", "file", "target", "n", "d", "positives", "sha256", "licence"),
    *("papers", "known_difference", "simulated", "note", "columns", "steps", "ids"),
]
SOURCES = ["name", "source", "file", "where", "sha256", "target", "columns", "note"]


def pytest_configure(config):
    config.addinivalue_line("markers", "network: needs the package index")


def write_csv(path, fields, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fields, restval="")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Make a folder with the given registry the checkout; nothing fetched, no mirror."""
    for variable in ("MINORITY_DATA", "MINORITY_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)

    def make(registry, sources=()):
        folder = tmp_path / "checkout"
        (folder / "data").mkdir(parents=True)
        write_csv(folder / "data" / "registry.csv", REGISTRY, registry)
        write_csv(folder / "data" / "sources.csv", SOURCES, sources)
        monkeypatch.setenv("MINORITY_HOME", str(folder))
        return folder

    return make
