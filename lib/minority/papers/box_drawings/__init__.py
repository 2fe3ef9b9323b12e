"""Goh and Rudin, Box Drawings for Learning with Imbalanced Data (KDD 2014)."""

from minority.experiments import Paper
from minority.papers.box_drawings._claims import READINGS, RULES
from minority.papers.box_drawings._comparison_claims import COMPETITORS
from minority.papers.box_drawings._exact_tables import proofs, summary_of_exact, table4
from minority.papers.box_drawings._figures import (
    box_drawing,
    expansion_picture,
    gains,
    local_data,
    parameter_study,
)
from minority.papers.box_drawings._investigations import INVESTIGATIONS
from minority.papers.box_drawings._pictures import (
    boxes_in_3d,
    cluster_picture,
    exact_story,
    rank_by_imbalance,
    weight_story,
)
from minority.papers.box_drawings._play import BOX_CHOICES, box_settings, boxes_at
from minority.papers.box_drawings._protocol import EXPERIMENTS
from minority.papers.box_drawings._studies import (
    cluster_study,
    growth_study,
    growth_table,
    real_clustering,
)
from minority.papers.box_drawings._tables import (
    auh_by_fold,
    differences,
    expansion_effect,
    glass2_bounds,
    glass2_model,
    imbalance,
    mean_auh,
    methods_table,
    pruning_table,
    study,
    summary_of_table5,
    table2,
    table3,
    table5,
)
from minority.papers.box_drawings._theory import bound_table

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
    "COMPETITORS",
    "PAPER",
    "auh_by_fold",
    "bound_table",
    "box_drawing",
    "box_settings",
    "boxes_at",
    "boxes_in_3d",
    "cluster_picture",
    "cluster_study",
    "differences",
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
    "methods_table",
    "parameter_study",
    "proofs",
    "pruning_table",
    "rank_by_imbalance",
    "real_clustering",
    "study",
    "summary_of_exact",
    "summary_of_table5",
    "table2",
    "table3",
    "table4",
    "table5",
    "weight_story",
]
