"""Zhang, Bloedorn, Rosen and Venese, Learning Rules from Highly Unbalanced Data Sets (2004)."""

from minority_reports.experiments import Paper
from minority_reports.papers.rlsd.claims import RULES, SIMULATED_RULES
from minority_reports.papers.rlsd.figures import discretisation, figure1, inspection
from minority_reports.papers.rlsd.protocol import EXPERIMENTS
from minority_reports.papers.rlsd.readings import READINGS
from minority_reports.papers.rlsd.studies import (
    limits_on_simulated,
    noise_in_rules,
    shown_model,
    shown_parts,
    speed_study,
)
from minority_reports.papers.rlsd.tables import (
    best_rules,
    costs_table,
    inspection_table,
    limit_table,
    noise_table,
    real_scores,
    real_table,
    real_verdicts,
    significance_table,
    speed_table,
    table2,
    table3,
)

PAPER = Paper(
    name="rlsd",
    title="Learning Rules from Highly Unbalanced Data Sets",
    notebook="03_rlsd",
    experiments=EXPERIMENTS,
    rules=RULES,
    main="table3",
    readings=READINGS,
)

__all__ = [
    "PAPER",
    "SIMULATED_RULES",
    "best_rules",
    "costs_table",
    "discretisation",
    "figure1",
    "inspection",
    "inspection_table",
    "limit_table",
    "limits_on_simulated",
    "noise_in_rules",
    "noise_table",
    "real_scores",
    "real_table",
    "real_verdicts",
    "shown_model",
    "shown_parts",
    "significance_table",
    "speed_study",
    "speed_table",
    "table2",
    "table3",
]
