"""All five systems and simple baselines on the same folds: what none of the papers has."""

from minority_reports.experiments import Paper
from minority_reports.papers.showdown.protocol import EXPERIMENTS, sample_rows

PAPER = Paper(
    name="showdown",
    title="Showdown: all five systems on all data sets",
    notebook="06_showdown",
    experiments=EXPERIMENTS,
)

__all__ = ["PAPER", "sample_rows"]
