"""All five systems and baselines on the same folds: what none of the papers has."""

from minority_reports.experiments import Paper
from minority_reports.papers.showdown.protocol import EXPERIMENTS, sample_rows
from minority_reports.papers.showdown.resampling import RESAMPLING
from minority_reports.papers.showdown.thresholds import THRESHOLDS

PAPER = Paper(
    name="showdown",
    title="Showdown: all five systems on all data sets",
    notebook="06_showdown",
    experiments={**EXPERIMENTS, "thresholds": THRESHOLDS, "resampling": RESAMPLING},
)

__all__ = ["PAPER", "sample_rows"]
