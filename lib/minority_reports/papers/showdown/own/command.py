"""`minority showdown`: from a file to the page, and to what a terminal shows of it."""

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import fill, indent

from minority_reports.experiments import Settings, near
from minority_reports.papers.showdown.own.comparison import Plan, compare, seconds_of
from minority_reports.papers.showdown.own.data import data_check, remarks
from minority_reports.papers.showdown.own.findings import Findings
from minority_reports.papers.showdown.own.models import WIDTH, at_most_lines
from minority_reports.papers.showdown.own.page import (
    Sheet,
    cost_sheet,
    lift_sheet,
    model_sheet,
    write_own_page,
)
from minority_reports.papers.showdown.own.plan import check_table
from minority_reports.papers.showdown.own.ranking import ranking_table
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.tables import count

__all__ = ["run", "seconds_of"]

#: Entrants that a terminal shows; the page has all.
_MOST_ENTRANTS = 15


def run(
    settings: Settings,
    echo: Callable[[str], None],
    progress: Callable[[str], None],
    *,
    metric: str,
    few: int,
    folds: int,
    budget: float,
    started: float,
    tuned: bool,
    folder: Path,
) -> Path:
    """Compare, say what comes of it with ``echo``, and write the page into a folder."""
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}. {near(metric, METRICS)}")
    if folds == 1 or folds < 0 or few < 0:
        raise ValueError("--folds takes at least 2 folds, and --conditions no negative number.")
    (name,) = settings.own
    data = settings.own[name].load()
    echo(f"{data_check(data)}\n")
    echo(_listed(remarks(data) or ["Nothing in the data looks wrong."]))
    plan = Plan.of(
        data, settings, metric=metric, folds=folds, budget=budget, started=started, tuned=tuned
    )
    check_table(data, plan.folds)
    echo(f"What will be run\n{_listed(plan.sentences())}")
    comparison = compare(plan, progress)
    progress.done()
    findings = Findings.of(comparison, settings, few)
    echo(terminal_text(findings))
    stem = re.sub(r"[^\w.-]+", "_", name)
    return write_own_page(findings, folder / f"showdown__{stem}.html")


def terminal_text(findings: Findings) -> str:
    """The answer, the ranking, the rules, lift and costs, and the code, for a terminal."""
    comparison, advice = findings.comparison, findings.advice
    parts = [
        "\n".join([advice.headline, "=" * min(len(advice.headline), WIDTH)]),
        _listed([*advice.sentences, *filter(None, comparison.what_is_missing())]),
        _ranking(findings),
    ]
    for model in findings.models:
        notes = "\n".join(fill(note, WIDTH) for note in model.notes())
        sheet = model_sheet(model)
        told = _text(sheet) if sheet else model.text
        parts.append(f"{model.title}\n{at_most_lines(told)}\n{notes}")
    if findings.subject is not None:
        parts += [_text(lift_sheet(findings)), _text(cost_sheet(findings))]
    parts += [f"Code for {name}\n\n{indent(c, '    ')}" for name, c in findings.codes().items()]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _ranking(findings: Findings) -> str:
    comparison = findings.comparison
    frame = comparison.ranking
    if frame.empty:
        return "No method has a result."
    metric = METRICS[comparison.plan.metric]
    table = ranking_table(frame, "", comparison.plan.metric, coverage="").formatted()
    shown = table[["learner", "setting", metric, "minus the first", "conditions"]]
    lines = [shown.head(_MOST_ENTRANTS).rename_axis(None).to_string()]
    if len(shown) > _MOST_ENTRANTS:
        lines.append(f"... and {count(len(shown) - _MOST_ENTRANTS, 'more entrant')} on the page")
    notes = frame.loc[frame["note"] != "", "note"].head(_MOST_ENTRANTS)
    lines += [
        fill(f"{rank}. {note}", WIDTH, subsequent_indent="   ") for rank, note in notes.items()
    ]
    return "\n".join(lines)


def _text(sheet: Sheet) -> str:
    """A table for a terminal: every column as wide as it needs to be."""
    rows = [sheet.head, *sheet.rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(sheet.head))]
    lines = [
        "  ".join(
            cell.rjust(width) if k in sheet.numbers else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([fill(f"{sheet.caption}:", WIDTH), *lines])


def _listed(texts: list[str]) -> str:
    lines = [fill(text, WIDTH, initial_indent="- ", subsequent_indent="  ") for text in texts]
    return "\n".join(lines) + "\n"
