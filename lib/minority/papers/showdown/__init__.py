"""All five systems and simple rivals on the same folds: what none of the papers has."""

from minority.experiments import Paper
from minority.papers.showdown._contestants import CONTESTANTS, PAPERS, RIVALS
from minority.papers.showdown._protocol import EXPERIMENTS

PAPER = Paper(
    name="showdown",
    title="Showdown: all five systems on all data sets",
    notebook="06_showdown",
    experiments=EXPERIMENTS,
)

__all__ = ["CONTESTANTS", "PAPER", "PAPERS", "RIVALS"]
