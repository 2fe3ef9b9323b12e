"""How to cite the papers and this software: from CITATION.cff, the one place that has the facts."""

from collections.abc import Mapping
from functools import cache

from minority_reports import paths
from minority_reports.report.claims import published

_TYPES = {"conference-paper": "inproceedings", "article": "article", "software": "misc"}
#: Fields of CITATION.cff, and what BibTeX calls them.
_FIELDS = {
    "collection-title": "booktitle",
    "journal": "journal",
    "volume": "volume",
    "year": "year",
    "note": "note",
    "doi": "doi",
    "arxiv": "eprint",
}


@cache
def citation_file() -> Mapping:
    """What CITATION.cff says."""
    import yaml

    return yaml.safe_load((paths.root() / "CITATION.cff").read_text(encoding="utf-8"))


def reference(paper: str) -> Mapping:
    """The entry of CITATION.cff for a paper, found by its title."""
    title = published(paper)["title"]
    for entry in citation_file()["references"]:
        if title.startswith(entry["title"]):
            return entry
    raise ValueError(f"CITATION.cff has no reference called {title!r}; add one.")


def _names(entry: Mapping) -> list[tuple[str, str]]:
    """Given and family names of the authors; a group has the latter only."""
    return [
        (a.get("given-names", ""), a.get("family-names", a.get("name", "")))
        for a in entry["authors"]
    ]


def _arxiv(entry: Mapping) -> str:
    values = [one["value"] for one in entry.get("identifiers", ())]
    return next((v.removeprefix("arXiv:") for v in values if v.startswith("arXiv:")), "")


def links(entry: Mapping) -> list[tuple[str, str]]:
    """Where an entry can be read: what is shown, and its address."""
    found = []
    if doi := entry.get("doi"):
        found.append((f"doi:{doi}", f"https://doi.org/{doi}"))
    if arxiv := _arxiv(entry):
        found.append((f"arXiv:{arxiv}", f"https://arxiv.org/abs/{arxiv}"))
    return found


def in_words(entry: Mapping) -> str:
    """An entry as a list of references has it, without its addresses."""
    names = [" ".join(filter(None, name)) for name in _names(entry)]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    where = entry.get("collection-title") or entry.get("journal", "")
    volume = f" {entry['volume']}" if "volume" in entry else ""
    parts = (f"{where}{volume}", entry.get("year"), _version(entry))
    place = ", ".join(str(part) for part in parts if part)
    return f"{authors}: {entry['title']}. {place}."


def _version(entry: Mapping) -> str:
    return f"Version {entry['version']}" if "version" in entry else ""


def in_brief(entry: Mapping) -> str:
    """Authors and year as a text cites them."""
    families = [family for _, family in _names(entry)]
    who = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    return f"{who} {entry['year']}"


def bibtex(entry: Mapping) -> str:
    """An entry for a BibTeX file, with what is known of it and nothing else."""
    (given, family), *_ = names = _names(entry)
    authors = " and ".join(", ".join(filter(None, reversed(name))) for name in names)
    if not given:
        authors = f"{{{authors}}}"  # a group is one name
    key = f"{''.join(family.split())}{entry.get('year', '')}".lower()
    known = {**entry, "arxiv": _arxiv(entry), "note": _version(entry)}
    fields = {"author": authors, "title": f"{{{entry['title']}}}"}
    fields |= {name: known[field] for field, name in _FIELDS.items() if known.get(field)}
    if "eprint" in fields:
        fields["archiveprefix"] = "arXiv"
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
    return f"@{_TYPES[entry['type']]}{{{key},\n" + ",\n".join(lines) + "\n}"
