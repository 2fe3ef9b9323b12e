"""Chawla, Cieslak, Hall and Joshi, Automatically countering imbalance (DMKD 2008)."""

from minority_reports.experiments import Paper, by_short_name
from minority_reports.papers.sampling_wrapper.claims import INVESTIGATIONS, RULES
from minority_reports.papers.sampling_wrapper.numbers import published_numbers
from minority_reports.papers.sampling_wrapper.protocol import EXPERIMENTS
from minority_reports.papers.sampling_wrapper.readings import READINGS
from minority_reports.papers.sampling_wrapper.readings_protocol import READ_SEARCHES
from minority_reports.papers.sampling_wrapper.result import HEADLINE

PAPER = Paper(
    name="sampling_wrapper",
    title="Automatically countering imbalance and its empirical relationship to cost",
    notebook="05_sampling_wrapper",
    experiments=EXPERIMENTS | by_short_name(READ_SEARCHES),
    rules=RULES,
    main="main",
    readings=READINGS,
    investigations=INVESTIGATIONS,
    numbers=published_numbers,
    headline=HEADLINE,
)
