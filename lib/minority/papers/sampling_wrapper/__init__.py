"""Chawla, Cieslak, Hall and Joshi, Automatically countering imbalance (DMKD 2008)."""

from minority.experiments import Paper
from minority.papers.sampling_wrapper._claims import READINGS, RULES
from minority.papers.sampling_wrapper._cluster import cluster_study
from minority.papers.sampling_wrapper._figures import (
    cost_by_ratio,
    cost_curves,
    cost_trends,
    levels_by_skew,
)
from minority.papers.sampling_wrapper._findings import findings
from minority.papers.sampling_wrapper._investigations import INVESTIGATIONS
from minority.papers.sampling_wrapper._levels import level_costs, levels_table
from minority.papers.sampling_wrapper._pictures import figure4, figure5, shown_search
from minority.papers.sampling_wrapper._play import cheapest, cost_choices, cost_ratios, costs_at
from minority.papers.sampling_wrapper._protocol import EXPERIMENTS
from minority.papers.sampling_wrapper._study_tables import (
    distinct_table,
    margin_table,
    oil_table,
    rivals_table,
    smote_table,
    stability_table,
)
from minority.papers.sampling_wrapper._tables import (
    cost_table,
    kdd_confusion,
    table1,
    table5,
    table6,
    table23,
    table_a1,
    timing_table,
)

PAPER = Paper(
    name="sampling_wrapper",
    title="Automatically countering imbalance and its empirical relationship to cost",
    notebook="05_sampling_wrapper",
    experiments=EXPERIMENTS,
    rules=RULES,
    main="main",
    readings=READINGS,
    investigations=INVESTIGATIONS,
)

__all__ = [
    "PAPER",
    "cheapest",
    "cluster_study",
    "cost_by_ratio",
    "cost_choices",
    "cost_curves",
    "cost_ratios",
    "cost_table",
    "cost_trends",
    "costs_at",
    "distinct_table",
    "figure4",
    "figure5",
    "findings",
    "kdd_confusion",
    "level_costs",
    "levels_by_skew",
    "levels_table",
    "margin_table",
    "oil_table",
    "rivals_table",
    "shown_search",
    "smote_table",
    "stability_table",
    "table1",
    "table5",
    "table6",
    "table23",
    "table_a1",
    "timing_table",
]
