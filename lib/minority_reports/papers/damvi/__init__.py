"""Goyal and Khiari, Diversity-Aware Weighted Majority Vote Classifier (IJCNN 2020)."""

from minority_reports.experiments import Paper
from minority_reports.papers.damvi.claims import INVESTIGATIONS, RULES
from minority_reports.papers.damvi.numbers import published_numbers
from minority_reports.papers.damvi.protocol import EXPERIMENTS
from minority_reports.papers.damvi.readings import READINGS
from minority_reports.papers.damvi.readings_protocol import EXPERIMENTS as BY_LEVEL
from minority_reports.papers.damvi.result import HEADLINE

PAPER = Paper(
    name="damvi",
    title="Diversity-Aware Weighted Majority Vote Classifier for Imbalanced Data",
    notebook="02_damvi",
    experiments=EXPERIMENTS | BY_LEVEL,
    rules=RULES,
    main="table23",
    readings=READINGS,
    numbers=published_numbers,
    headline=HEADLINE,
    investigations=INVESTIGATIONS,
)
