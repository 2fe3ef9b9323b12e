"""Goh and Rudin, Box Drawings for Learning with Imbalanced Data (KDD 2014)."""

from minority_reports.experiments import Paper
from minority_reports.papers.box_drawings.claims import INVESTIGATIONS, RULES
from minority_reports.papers.box_drawings.figures import (
    BOX_CHOICES,
    box_drawing,
    box_settings,
    boxes_at,
    boxes_in_3d,
    cluster_picture,
    exact_story,
    expansion_picture,
    gains,
    local_data,
    parameter_study,
    rank_by_imbalance,
    weight_story,
)
from minority_reports.papers.box_drawings.protocol import EXPERIMENTS, PAPER_METHODS
from minority_reports.papers.box_drawings.readings import READINGS
from minority_reports.papers.box_drawings.studies import cluster_study, growth_study
from minority_reports.papers.box_drawings.tables import (
    expansion_effect,
    glass2_bounds,
    glass2_model,
    growth_table,
    imbalance,
    mean_auh,
    proofs,
    pruning_table,
    real_clustering,
    summary_of_exact,
    summary_of_table5,
    table2,
    table3,
    table4,
    table5,
)
from minority_reports.papers.box_drawings.theory import bound_table

PAPER = Paper(
    name="box_drawings",
    title="Box Drawings for Learning with Imbalanced Data",
    notebook="01_box_drawings",
    experiments=EXPERIMENTS,
    rules=RULES,
    main="table5",
    readings=READINGS,
    investigations=INVESTIGATIONS,
)

__all__ = [
    "BOX_CHOICES",
    "PAPER",
    "PAPER_METHODS",
    "bound_table",
    "box_drawing",
    "box_settings",
    "boxes_at",
    "boxes_in_3d",
    "cluster_picture",
    "cluster_study",
    "exact_story",
    "expansion_effect",
    "expansion_picture",
    "gains",
    "glass2_bounds",
    "glass2_model",
    "growth_study",
    "growth_table",
    "imbalance",
    "local_data",
    "mean_auh",
    "parameter_study",
    "proofs",
    "pruning_table",
    "rank_by_imbalance",
    "real_clustering",
    "summary_of_exact",
    "summary_of_table5",
    "table2",
    "table3",
    "table4",
    "table5",
    "weight_story",
]
