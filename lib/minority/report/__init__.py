"""Tables, figures, claims and the HTML report."""

from minority.report._claims import (
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
from minority.report._fidelity import fidelity
from minority.report._figures import COLOURS, Report, read_index, use_style
from minority.report._investigations import CAUSES, Finding, investigate
from minority.report._overview import claims_figure, coverage, with_results
from minority.report._page import build_page, notebook_page
from minority.report._play import play
from minority.report._ranks import critical_difference
from minority.report._sensitivity import SEEDS, instead, over_seeds
from minority.report._tables import Table, show
from minority.report._verdicts import Verdicts

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
    "published",
    "published_papers",
    "read_index",
    "share",
    "show",
    "shown_by",
    "use_style",
    "verdicts",
    "with_results",
]
