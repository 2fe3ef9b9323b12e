"""The papers' numbers and claims are complete and follow one schema."""

import json

import pytest
from jsonschema import Draft202012Validator

from minority_reports import paths

PAPERS = {
    "box_drawings": {"claims": 43, "numbers": 12, "lost": 7, "slips": 4},
    "damvi": {"claims": 28, "numbers": 8, "lost": 2, "slips": 4},
    "rlsd": {"claims": 33, "numbers": 13, "lost": 1, "slips": 4},
    "boosting_svm": {"claims": 30, "numbers": 16, "lost": 7, "slips": 3},
    "sampling_wrapper": {"claims": 49, "numbers": 7, "lost": 2, "slips": 6},
}
CELLS = {
    "damvi-T1": 18,
    "damvi-T2": 60,
    "damvi-T3": 60,
    "rlsd-T2": 16,
    "rlsd-T3": 96,
    "sampling_wrapper-T1": 25,
    "sampling_wrapper-T2": 91,
    "sampling_wrapper-T3": 91,
    "sampling_wrapper-T4": 36,
    "sampling_wrapper-T5": 25,
    "sampling_wrapper-T6": 8,
    "sampling_wrapper-A1": 160,
}


def read(name):
    return json.loads((paths.published() / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def papers():
    return {paper: read(paper) for paper in PAPERS}


def files():
    """Every paper's file, a new one's too."""
    return sorted(path.stem for path in paths.published().glob("*.json") if path.stem != "schema")


@pytest.mark.parametrize("paper", files())
def test_schema(paper):
    schema = read("schema")
    Draft202012Validator.check_schema(schema)
    errors = Draft202012Validator(schema).iter_errors(read(paper))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_schema_refuses_a_misspelt_field(papers):
    broken = papers["damvi"] | {"claims": [papers["damvi"]["claims"][0] | {"tset": "x"}]}
    assert not Draft202012Validator(read("schema")).is_valid(broken)


@pytest.mark.parametrize("paper", PAPERS)
def test_nothing_was_dropped(papers, paper):
    assert papers[paper]["paper"] == paper
    assert {key: len(papers[paper][key]) for key in PAPERS[paper]} == PAPERS[paper]


def test_all_cells(papers):
    tables = {table["id"]: table for paper in papers.values() for table in paper["tables"]}
    assert {key: len(table["cells"]) for key, table in tables.items()} == CELLS
    for key, table in tables.items():
        places = [(cell["row"], cell["col"]) for cell in table["cells"]]
        assert len(places) == len(set(places)), key


def test_ids_are_unique_and_name_their_paper(papers):
    ids = []
    for paper, content in papers.items():
        for part in ("tables", "figures", "claims"):
            own = [item["id"] for item in content[part]]
            assert all(key.startswith(f"{paper}-") for key in own)
            ids += own
    assert len(ids) == len(set(ids)) == 183 + len(CELLS) + 1


def test_values_as_printed(papers):
    def cell(paper, table, row, col):
        found = next(t for t in papers[paper]["tables"] if t["id"] == table)
        return next(c for c in found["cells"] if (c["row"], c["col"]) == (row, col))

    damvi = cell("damvi", "damvi-T2", "S-DT", "Webpage")
    assert (damvi["value"], damvi["std"], damvi["significantly_worse"]) == (0.5062, 0.028, True)
    wrapper = cell("sampling_wrapper", "sampling_wrapper-T2", "Mammo. / AUROC", "AUROC")
    assert (wrapper["value"], wrapper["std"]) == (0.907, 0.038)
    unsure = cell("sampling_wrapper", "sampling_wrapper-T2", "Oil / AUROC", "undersample_percent")
    assert (unsure["value"], unsure["alternative"], unsure["sure"]) == (2, 15, False)
    means = {n["what"]: n["value"] for n in papers["boosting_svm"]["numbers"]}
    assert means["mean G-mean B-SVM"] == 77.01
