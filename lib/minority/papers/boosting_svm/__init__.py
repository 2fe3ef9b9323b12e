"""Wang and Japkowicz, Boosting support vector machines for imbalanced data sets (2010)."""

from minority.experiments import Paper
from minority.papers.boosting_svm._protocol import EXPERIMENTS

PAPER = Paper(
    name="boosting_svm",
    title="Boosting support vector machines for imbalanced data sets",
    notebook="04_boosting_svm",
    experiments=EXPERIMENTS,
)

__all__ = ["PAPER"]
