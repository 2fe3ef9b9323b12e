"""Goyal and Khiari, Diversity-Aware Weighted Majority Vote Classifier (IJCNN 2020)."""

from minority_reports.experiments import Paper
from minority_reports.papers.damvi.claims import INVESTIGATIONS, RULES
from minority_reports.papers.damvi.figures import (
    bound_and_error,
    figure1,
    gains,
    three_voters,
    voter_weights,
)
from minority_reports.papers.damvi.protocol import EXPERIMENTS
from minority_reports.papers.damvi.readings import READINGS
from minority_reports.papers.damvi.studies import multiclass_study, pseudo_label_study, solver_study
from minority_reports.papers.damvi.tables import (
    COMPETITORS,
    ablation_table,
    comparison,
    distinct_table,
    further_sets,
    learners_table,
    mean_scores,
    means_over_sets,
    multiclass_table,
    pseudo_label_table,
    seconds_table,
    table1,
    verdict_over_sets,
    with_added,
)

PAPER = Paper(
    name="damvi",
    title="Diversity-Aware Weighted Majority Vote Classifier for Imbalanced Data",
    notebook="02_damvi",
    experiments=EXPERIMENTS,
    rules=RULES,
    main="table23",
    readings=READINGS,
    investigations=INVESTIGATIONS,
)

__all__ = [
    "COMPETITORS",
    "PAPER",
    "ablation_table",
    "bound_and_error",
    "comparison",
    "distinct_table",
    "figure1",
    "further_sets",
    "gains",
    "learners_table",
    "mean_scores",
    "means_over_sets",
    "multiclass_study",
    "multiclass_table",
    "pseudo_label_study",
    "pseudo_label_table",
    "seconds_table",
    "solver_study",
    "table1",
    "three_voters",
    "verdict_over_sets",
    "voter_weights",
    "with_added",
]
