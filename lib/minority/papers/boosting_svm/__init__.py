"""Wang and Japkowicz, Boosting support vector machines for imbalanced data sets (2010)."""

from minority.experiments import Paper
from minority.papers.boosting_svm._claims import READINGS, RULES
from minority.papers.boosting_svm._figures import (
    costs_picture,
    rounds_picture,
    slack_picture,
    vote_picture,
    weights_picture,
)
from minority.papers.boosting_svm._investigations import INVESTIGATIONS
from minority.papers.boosting_svm._protocol import EXPERIMENTS, MORE, PUBLIC
from minority.papers.boosting_svm._rivals import SHARES
from minority.papers.boosting_svm._side_tables import (
    components_table,
    imbalance_table,
    kernels_table,
    steps_table,
)
from minority.papers.boosting_svm._tables import (
    COLUMNS,
    ENSEMBLES,
    FURTHER_COLUMNS,
    LABELS,
    SVM_BASED,
    averaging_table,
    gmean_table,
    rivals_table,
    rounds_table,
    same_rows_table,
    scores,
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
    "SHARES",
    "SVM_BASED",
    "averaging_table",
    "components_table",
    "costs_picture",
    "gmean_table",
    "imbalance_table",
    "kernels_table",
    "rivals_table",
    "rounds_picture",
    "rounds_table",
    "same_rows_table",
    "scores",
    "slack_picture",
    "steps_table",
    "survivors",
    "table1",
    "table8",
    "vote_picture",
    "weights_picture",
]
