"""The page on a user's own file: the answer, one figure, the rules; all else folded below."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from minority_reports.papers.showdown.own.data import data_check, remarks
from minority_reports.papers.showdown.own.drawing import (
    inspection_svg,
    ranking_svg,
    threshold_svg,
)
from minority_reports.papers.showdown.own.findings import Findings, Model
from minority_reports.papers.showdown.own.ranking import called, ranking_table
from minority_reports.papers.showdown.own.rules import MOST_RULES
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.tables import count
from minority_reports.report import write_page

_PERCENT = "{:.1%}".format
_GAP = "–"


@dataclass(frozen=True)
class Sheet:
    """A table as text."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    kind: str = "sheet"
    #: Places of columns that are numbers.
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A figure with its caption."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Part:
    """What is folded under a title."""

    title: str
    texts: list[str] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)


def write_own_page(findings: Findings, file: Path) -> Path:
    """Write the page; it loads nothing from elsewhere."""
    from markupsafe import Markup

    comparison, advice = findings.comparison, findings.advice
    plan = comparison.plan
    facts = plan.data.facts
    told = remarks(plan.data)
    warnings = [text for text in told if text.startswith("WARNING")]
    missing, which = comparison.what_is_missing()
    entrants = advice.shown if findings.subject is not None else []
    figure = None
    if entrants:
        figure = Drawn(
            Markup(inspection_svg(comparison, entrants)),
            "How many positives are found by looking at the rows with the highest scores first, on "
            "held-out rows.",
        )
    subject = (
        f"{facts.target} in {facts.file or plan.data.name}: {plan.data.positives:,} of "
        f"{plan.data.n:,} rows ({plan.data.positives / plan.data.n:.2%}), "
        f"{count(plan.data.d, 'column')}. Methods are compared by {METRICS[plan.metric]}."
    )
    return write_page(
        file,
        "own.html.j2",
        pages=[],
        title=facts.file or plan.data.name,
        subject=subject,
        headline=advice.headline,
        warnings=warnings,
        sentences=[*advice.sentences, *filter(None, [missing])],
        main_figure=figure,
        models=[
            {
                "title": model.title,
                "sheet": model_sheet(model),
                "text": model.text,
                "notes": model.notes(),
            }
            for model in findings.models
        ],
        details=_details(findings, [*(t for t in told if t not in warnings), which]),
    )


def _details(findings: Findings, told: list[str]) -> list[Part]:
    from markupsafe import Markup

    comparison = findings.comparison
    parts = []
    if (subject := findings.subject) is not None:
        parts += [
            Part(
                "How much to inspect: lift and costs",
                [f"Of {called(subject)}, on held-out rows."],
                sheets=[lift_sheet(findings), cost_sheet(findings)],
            ),
            Part(
                "Which threshold",
                figures=[
                    Drawn(
                        Markup(threshold_svg(comparison, subject)),
                        f"Recall, precision and G-mean of {called(subject)} by the score from "
                        "which on a row is called positive, on held-out rows of all folds.",
                    )
                ],
            ),
            Part(
                "All methods",
                figures=[
                    Drawn(
                        Markup(ranking_svg(comparison, findings.advice.shown)),
                        f"{METRICS[comparison.plan.metric]} of all methods against the size of "
                        "their models.",
                    )
                ],
                sheets=[ranking_sheet(findings)],
            ),
        ]
    check = data_check(comparison.plan.data)
    counts = check.formatted()["value"]
    parts.append(
        Part(
            "The data, and what was run",
            [*filter(None, told), *comparison.plan.sentences()],
            sheets=[Sheet(check.caption, ["", "value"], [[k, v] for k, v in counts.items()])],
        )
    )
    if codes := findings.codes():
        parts.append(Part("Code", codes=codes))
    return parts


def model_sheet(model: Model) -> Sheet | None:
    """The rules of a model, or its weights; None if it is told otherwise."""
    if model.weights is not None:
        rows = [[str(name), f"{weight:+.2f}"] for name, weight in model.weights.items()]
        return Sheet("Weights", ["column", "weight"], rows[: 2 * MOST_RULES], numbers=(1,))
    if model.rules is None:
        return None
    head = ["", "rule", "found again", "support", "precision", "recall", "lift"]
    rows = [
        [
            str(number),
            line["rule"],
            line["found again"],
            *(_or_gap(line[name], _PERCENT) for name in ("support", "precision", "recall")),
            _or_gap(line["lift"], "{:.1f}".format),
        ]
        for number, line in model.rules.head(MOST_RULES).iterrows()
    ]
    target = "A row is called positive if one of these holds"
    return Sheet(target, head, rows, "rules", (2, 3, 4, 5, 6))


def _or_gap(value, form) -> str:
    return _GAP if pd.isna(value) else form(value)


def lift_sheet(findings: Findings) -> Sheet:
    """See `lift_table`."""
    frame = findings.lift()
    rows = [
        [
            share,
            f"{line['rows inspected']:,.0f}",
            f"{line['positives found']:,.0f}",
            _PERCENT(line["share of all positives"]),
            _PERCENT(line["precision"]),
            f"{line['lift']:.1f}",
        ]
        for share, line in frame.iterrows()
    ]
    caption = "Rows with the highest scores inspected first, in a table of this size"
    return Sheet(caption, ["inspected", *frame.columns], rows, numbers=tuple(range(6)))


def cost_sheet(findings: Findings) -> Sheet:
    """See `cost_table`."""
    frame = findings.costs()
    rows = [
        [
            f"{miss}",
            _PERCENT(line["inspect"]),
            f"{line['cost']:,.0f}",
            f"{line['cost without a model']:,.0f}",
            _PERCENT(line["saved"]),
        ]
        for miss, line in frame.iterrows()
    ]
    caption = (
        "Costs per 1,000 rows if looking at a row in vain costs 1. Without a model all rows or "
        "none are inspected, whichever is cheaper"
    )
    head = [frame.index.name, *frame.columns]
    return Sheet(caption, head, rows, numbers=tuple(range(5)))


def ranking_sheet(findings: Findings) -> Sheet:
    """See `ranking_table`."""
    comparison = findings.comparison
    plan = comparison.plan
    coverage = f"{count(len(comparison.rounds), 'fold')} of {len(plan.rounds)}"
    table = ranking_table(comparison.ranking, plan.data.name, plan.metric, coverage=coverage)
    text = table.formatted()
    rows = [[str(rank), *map(str, row)] for rank, row in zip(text.index, text.values, strict=True)]
    head = ["", *text.columns]
    numbers = tuple(
        k for k, name in enumerate(head) if name not in ("", "learner", "setting", "note")
    )
    return Sheet(table.caption, head, rows, numbers=numbers)
