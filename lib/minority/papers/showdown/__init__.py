"""All five systems and simple rivals on the same folds: what none of the papers has."""

from minority.experiments import Paper
from minority.papers.showdown._advice import advice
from minority.papers.showdown._contestants import CONTESTANTS, PAPERS, RIVALS
from minority.papers.showdown._figures import (
    landscape_figure,
    rank_diagram,
    ranks_heatmap,
    wins_matrix,
)
from minority.papers.showdown._own import data_check, own_settings, plan, remarks, spotlight
from minority.papers.showdown._own_figures import curves_figure, own_figure
from minority.papers.showdown._own_models import best_readable, snippet
from minority.papers.showdown._own_ranking import ranked_table, terminal_table
from minority.papers.showdown._protocol import EXPERIMENTS
from minority.papers.showdown._race import sample_rows
from minority.papers.showdown._tables import (
    contestants_table,
    costs_table,
    coverage_table,
    differences_table,
    exact_boxes_table,
    large_table,
    scores,
    sets_table,
    standings_table,
    tuning_table,
)
from minority.papers.showdown._trade_offs import readability_figure, time_figure

PAPER = Paper(
    name="showdown",
    title="Showdown: all five systems on all data sets",
    notebook="06_showdown",
    experiments=EXPERIMENTS,
)

__all__ = [
    "CONTESTANTS",
    "PAPER",
    "PAPERS",
    "RIVALS",
    "advice",
    "best_readable",
    "contestants_table",
    "costs_table",
    "coverage_table",
    "curves_figure",
    "data_check",
    "differences_table",
    "exact_boxes_table",
    "landscape_figure",
    "large_table",
    "own_figure",
    "own_settings",
    "plan",
    "rank_diagram",
    "ranked_table",
    "ranks_heatmap",
    "readability_figure",
    "remarks",
    "sample_rows",
    "scores",
    "sets_table",
    "snippet",
    "spotlight",
    "standings_table",
    "terminal_table",
    "time_figure",
    "tuning_table",
    "wins_matrix",
]
