"""The claims of a paper over its readings as a stored study: computed by a command, then read."""

import hashlib
import importlib.util
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from minority_reports import paths
from minority_reports.experiments import Paper, Results
from minority_reports.experiments.studies import write_entries
from minority_reports.files import content_of, read_entries
from minority_reports.report import claims as rule_language
from minority_reports.report.claims import Effect
from minority_reports.report.multiverse import Multiverse
from minority_reports.report.numbers import in_place_of, with_agreement

#: How to have what a study lacks, or what has changed since.
COMMAND = "minority readings"
#: What the study says of each reading, of each claim, and of both.
_READINGS = ["sets", "within", "of"]
_CLAIMS = ["verdict", "effect", "planned", "sets", "of", "seed_sets"]
_VERDICTS = ["claim", "reading", "grade", "value", "low", "high"]
#: Modules of a paper that no verdict comes from.
_NO_RULES = {
    "__init__",
    "figures",
    "protocol",
    "readings",
    "readings_protocol",
    "result",
    "studies",
}


def study_file(paper: Paper) -> Path:
    """Where the judged readings of a paper are."""
    return paths.results() / "studies" / f"{paper.name}-readings.json"


def digest(paper: Paper) -> str:
    """What the judged readings of a paper come from, in 16 hex digits: rows, protocol and rules."""
    readings = paper.readings
    planned = (readings.combinations, readings.claims, readings.sources, readings.renamed)
    found = hashlib.sha256(repr(planned).encode())
    for experiment in paper.experiments.values():
        methods = {name: method.version for name, method in experiment.methods.items()}
        plan = (experiment.name, experiment.datasets, methods, experiment.settings)
        found.update(repr(plan).encode())
        found.update(content_of(paths.results() / f"{experiment.name}.csv") or b"")
    package = f"minority_reports.papers.{paper.name}"
    modules = [Path(rule_language.__file__)]
    if found_package := importlib.util.find_spec(package):
        folder = Path(found_package.origin).parent
        modules += sorted(f for f in folder.glob("*.py") if f.stem not in _NO_RULES)
    for file in modules:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


# Names of the entries


def _reading(label: str) -> str:
    return f"reading {label}"


def _verdict(claim: str, label: str) -> str:
    return f"{claim} {label}"


def _short(number: float) -> float | None:
    """Six significant digits, which all machines share; nothing for what is no number."""
    return float(f"{number:.6g}") + 0.0 if math.isfinite(number) else None


def judge_part(
    paper: Paper, results: Mapping[str, Results], part: int = 0, of: int = 1
) -> dict[str, dict]:
    """The entries of a paper's study in any order, or of every so many readings.

    Several processes take a part each. Of ``results`` all experiments of whole protocols are
    needed.
    """
    multiverse = Multiverse(paper, results)
    rows, entries = multiverse.rows, {}
    text = None if paper.numbers is None else paper.numbers(results)
    for label, levels in list(multiverse.planned.items())[part::of]:
        entry = {"sets": rows.n_sets(levels)}
        if text is not None and all(entry["sets"].values()):
            numbers = in_place_of(paper.numbers(rows.under(levels)), text) if label else text
            agrees = with_agreement(numbers)["agrees"].dropna()
            entry |= {"within": int(agrees.sum()), "of": len(agrees)}
        entries[_reading(label)] = entry
    for (claim, label), verdict in multiverse.judged(part, of).items():
        effect = verdict.effect or Effect("", math.nan, math.nan, math.nan)
        entries[_verdict(claim, label)] = {
            "grade": verdict.grade,
            **{name: _short(getattr(effect, name)) for name in ("value", "low", "high")},
        }
    for claim, about in list(multiverse.claims.items())[part::of]:
        verdict = about.rule(results)
        of_text = about.judged(rows.text, about.sets)
        entries[f"claim {claim}"] = {
            "verdict": verdict.grade,
            "effect": of_text.effect.name if of_text.effect else "",
            "planned": len(about.planned),
            "sets": len({name for _, name in about.sets}),
            "of": about.n_seen,
            "seed_sets": len({name for _, name in about.seed_sets}),
        }
    return entries


def write_study(paper: Paper, parts: Iterable[Mapping[str, dict]]) -> Path:
    """Store the parts of a study in the order of readings, claims and seeds."""
    found = {name: entry for part in parts for name, entry in part.items()}
    planned = [{}, *map(paper.readings.checked, paper.readings.combinations)]
    labels = {paper.readings.label(levels): i for i, levels in enumerate(planned)}

    def place(name: str) -> tuple:
        kind, _, label = name.partition(" ")
        if kind == "reading":
            return 0, "", labels[label], label
        if kind == "claim":
            return 1, label, -1, ""
        # readings of a claim need not be planned ones: what does not concern it is left out
        return 1, kind, labels.get(label, len(labels)) + label.startswith("seed="), label

    entries = {"about": {"digest": digest(paper)}}
    entries |= {name: found[name] for name in sorted(found, key=place)}
    write_entries(study_file(paper), entries)
    return study_file(paper)


@dataclass(frozen=True)
class Study:
    """The judged readings of a paper, as they are stored.

    Attributes
    ----------
    readings : DataFrame
        By label: the number of data ``sets`` by experiment, and the published numbers ``within``
        noise ``of`` those compared.
    claims : DataFrame
        By id: the main ``verdict``, the name of the ``effect``, how many readings are ``planned``,
        on how many data ``sets`` ``of`` how many.
    verdicts : DataFrame
        A row for each ``claim`` and ``reading`` or seed: ``grade``, ``value``, ``low``, ``high``.
    note : str
        What is wrong with it, in words: it is not there, or rows or rules have changed since.
    """

    readings: pd.DataFrame
    claims: pd.DataFrame
    verdicts: pd.DataFrame
    note: str = ""


def stored_readings(paper: Paper) -> Study:
    """The judged readings of a paper; without any if they have not been computed."""
    content = content_of(study_file(paper)) if paper.readings is not None else None
    return _parsed(study_file(paper), content, "" if content is None else digest(paper))


@cache
def _parsed(file: Path, content: bytes | None, now: str) -> Study:
    entries = read_entries(file) if content is not None else {}
    made_from = entries.pop("about", {}).get("digest")
    readings, claims, verdicts = {}, {}, []
    for name, entry in entries.items():
        kind, _, label = name.partition(" ")
        if kind == "reading":
            readings[label] = entry
        elif kind == "claim":
            claims[label] = entry
        else:
            verdicts.append({"claim": kind, "reading": label, **entry})
    note = ""
    if content is None:
        note = f"No readings have been judged: run `{COMMAND}`."
    elif made_from != now:
        note = f"The readings are stale, rows or rules have changed since: run `{COMMAND}`."
    return Study(
        pd.DataFrame.from_dict(readings, orient="index", columns=_READINGS),
        pd.DataFrame.from_dict(claims, orient="index", columns=_CLAIMS),
        pd.DataFrame(verdicts, columns=_VERDICTS),
        note,
    )
