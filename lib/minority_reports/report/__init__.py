"""Tables, figures, claims and the HTML report."""

from minority_reports.report.agreement import fidelity
from minority_reports.report.claims import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OPEN,
    PARTLY,
    REPRODUCED,
    VERDICTS,
    Verdict,
    cannot_be_tested,
    count_verdicts,
    judge,
    judge_all,
    published,
    published_papers,
    share,
    shown_by,
    verdicts,
)
from minority_reports.report.controls import play
from minority_reports.report.figures import COLOURS, Report, read_index, use_style
from minority_reports.report.investigations import CAUSES, Finding, investigate
from minority_reports.report.judged import Verdicts
from minority_reports.report.overview import claims_figure, coverage, with_results
from minority_reports.report.page import build_page, notebook_page
from minority_reports.report.protocol import protocol_table
from minority_reports.report.ranks import critical_difference
from minority_reports.report.sensitivity import SEEDS, instead, over_seeds
from minority_reports.report.tables import Bullets, Table, show
from minority_reports.report.unfinished import unfinished, unfinished_note

__all__ = [
    "CAUSES",
    "COLOURS",
    "NOT_REPRODUCED",
    "NOT_TESTABLE",
    "OPEN",
    "PARTLY",
    "REPRODUCED",
    "SEEDS",
    "VERDICTS",
    "Bullets",
    "Finding",
    "Report",
    "Table",
    "Verdict",
    "Verdicts",
    "build_page",
    "cannot_be_tested",
    "claims_figure",
    "count_verdicts",
    "coverage",
    "critical_difference",
    "fidelity",
    "instead",
    "investigate",
    "judge",
    "judge_all",
    "notebook_page",
    "over_seeds",
    "play",
    "protocol_table",
    "published",
    "published_papers",
    "read_index",
    "share",
    "show",
    "shown_by",
    "unfinished",
    "unfinished_note",
    "use_style",
    "verdicts",
    "with_results",
]
