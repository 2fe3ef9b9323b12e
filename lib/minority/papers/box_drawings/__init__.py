"""Goh and Rudin, Box Drawings for Learning with Imbalanced Data (KDD 2014)."""

from minority.experiments import Paper
from minority.papers.box_drawings._claims import RULES
from minority.papers.box_drawings._figures import (
    box_drawing,
    expansion_picture,
    gains,
    local_data,
    parameter_study,
)
from minority.papers.box_drawings._protocol import EXPERIMENTS
from minority.papers.box_drawings._tables import (
    auh_by_fold,
    differences,
    expansion_effect,
    glass2_bounds,
    glass2_model,
    methods_table,
    study,
    summary_of_table5,
    table2,
    table5,
)

PAPER = Paper(
    name="box_drawings",
    title="Box Drawings for Learning with Imbalanced Data",
    notebook="01_box_drawings",
    experiments=EXPERIMENTS,
    rules=RULES,
)

__all__ = [
    "PAPER",
    "auh_by_fold",
    "box_drawing",
    "differences",
    "expansion_effect",
    "expansion_picture",
    "gains",
    "glass2_bounds",
    "glass2_model",
    "local_data",
    "methods_table",
    "parameter_study",
    "study",
    "summary_of_table5",
    "table2",
    "table5",
]
