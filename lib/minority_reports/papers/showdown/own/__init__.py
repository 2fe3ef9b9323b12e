"""The showdown on a user's own file.

What looks wrong in it, every method on it within a budget of time, a recommendation in words with
what it rests on, rules as they do on held-out rows, code, and a page of all that.
"""

from minority_reports.papers.showdown.own.code import snippet
from minority_reports.papers.showdown.own.data import data_check, remarks
from minority_reports.papers.showdown.own.models import best_readable, parse_configuration
from minority_reports.papers.showdown.own.plan import own_settings, spotlight
from minority_reports.papers.showdown.own.ranking import entrant_rows, ranked_table, standings

__all__ = [
    "best_readable",
    "data_check",
    "entrant_rows",
    "own_settings",
    "parse_configuration",
    "ranked_table",
    "remarks",
    "snippet",
    "spotlight",
    "standings",
]
