"""Citations: what CITATION.cff knows of a paper, as BibTeX and as a reference, and no more."""

import re

import pytest

from minority_reports.report import published_papers
from minority_reports.report.citation import bibtex, citation_file, in_words, links, reference

PAPERS = published_papers()


@pytest.mark.parametrize("paper", PAPERS)
def test_bibtex_has_every_author_and_nothing_that_is_not_in_the_file(paper):
    entry = reference(paper)
    text = bibtex(entry)
    assert text.count("{") == text.count("}")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", text, re.MULTILINE))
    assert fields["title"] == f"{{{entry['title']}}}"
    assert fields["author"].split(" and ") == [
        f"{author['family-names']}, {author['given-names']}" for author in entry["authors"]
    ]
    assert fields["year"] == str(entry["year"])
    assert set(fields) - {"author", "title", "year", "eprint", "archiveprefix"} <= {
        {"collection-title": "booktitle"}.get(name, name) for name in entry
    }
    assert "None" not in text


def test_keys_differ():
    keys = [re.match(r"@\w+\{(\w+),", bibtex(reference(paper)))[1] for paper in PAPERS]
    assert len(set(keys)) == len(PAPERS)


def test_a_group_is_one_name():
    assert "author = {{Minority Reports contributors}}" in bibtex(citation_file())
    assert in_words(citation_file()).endswith("Version 0.1.0.")


@pytest.mark.parametrize("paper", PAPERS)
def test_references_lead_to_the_paper(paper):
    assert links(reference(paper))
    for shown, address in links(reference(paper)):
        assert address.endswith(shown.partition(":")[2])


def test_a_paper_without_a_reference_is_named(monkeypatch):
    monkeypatch.setattr(
        "minority_reports.report.citation.published", lambda paper: {"title": "Another paper"}
    )
    with pytest.raises(ValueError, match=r"CITATION\.cff has no reference called 'Another paper'"):
        reference("another")
