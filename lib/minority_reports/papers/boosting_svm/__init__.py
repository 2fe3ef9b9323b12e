"""Wang and Japkowicz, Boosting support vector machines for imbalanced data sets (2010)."""

from minority_reports.experiments import Paper
from minority_reports.papers.boosting_svm.claims import INVESTIGATIONS, RULES
from minority_reports.papers.boosting_svm.figures import (
    costs_picture,
    rounds_picture,
    slack_picture,
    vote_picture,
    weights_picture,
)
from minority_reports.papers.boosting_svm.protocol import EXPERIMENTS, MORE, PUBLIC
from minority_reports.papers.boosting_svm.readings import READINGS
from minority_reports.papers.boosting_svm.tables import (
    COLUMNS,
    ENSEMBLES,
    FURTHER_COLUMNS,
    LABELS,
    SVM_BASED,
    averaging_table,
    components_table,
    gmean_table,
    imbalance_table,
    kernels_table,
    ranked,
    rivals_table,
    rounds_table,
    same_rows_table,
    steps_table,
    survivors,
    table1,
    table8,
)

PAPER = Paper(
    name="boosting_svm",
    title="Boosting support vector machines for imbalanced data sets",
    notebook="04_boosting_svm",
    experiments=EXPERIMENTS,
    rules=RULES,
    main="main",
    readings=READINGS,
    investigations=INVESTIGATIONS,
)

__all__ = [
    "COLUMNS",
    "ENSEMBLES",
    "FURTHER_COLUMNS",
    "LABELS",
    "MORE",
    "PAPER",
    "PUBLIC",
    "SVM_BASED",
    "averaging_table",
    "components_table",
    "costs_picture",
    "gmean_table",
    "imbalance_table",
    "kernels_table",
    "ranked",
    "rivals_table",
    "rounds_picture",
    "rounds_table",
    "same_rows_table",
    "slack_picture",
    "steps_table",
    "survivors",
    "table1",
    "table8",
    "vote_picture",
    "weights_picture",
]
