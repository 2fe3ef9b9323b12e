"""Chawla, Cieslak, Hall and Joshi, Automatically countering imbalance (DMKD 2008)."""

from minority_reports.experiments import Paper
from minority_reports.papers.sampling_wrapper.claims import INVESTIGATIONS, RULES
from minority_reports.papers.sampling_wrapper.protocol import EXPERIMENTS
from minority_reports.papers.sampling_wrapper.readings import READINGS

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
