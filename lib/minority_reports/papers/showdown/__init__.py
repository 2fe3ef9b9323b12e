"""All five systems and simple baselines on the same folds: what none of the papers has."""

from minority_reports.experiments import Paper
from minority_reports.papers.showdown.figures import (
    curves_figure,
    landscape_figure,
    own_figure,
    rank_diagram,
    ranks_heatmap,
    readability_figure,
    time_figure,
    wins_matrix,
)
from minority_reports.papers.showdown.own import (
    best_readable,
    data_check,
    own_settings,
    plan,
    ranked_table,
    remarks,
    snippet,
    spotlight,
    terminal_table,
)
from minority_reports.papers.showdown.protocol import (
    CONTESTANTS,
    EXPERIMENTS,
    PAPERS,
    RIVALS,
    sample_rows,
)
from minority_reports.papers.showdown.recommendations import advice
from minority_reports.papers.showdown.tables import (
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
