"""Goh and Rudin, Box Drawings for Learning with Imbalanced Data (KDD 2014)."""

from minority_reports.experiments import Paper
from minority_reports.papers.box_drawings.claims import INVESTIGATIONS, RULES
from minority_reports.papers.box_drawings.protocol import EXPERIMENTS
from minority_reports.papers.box_drawings.readings import READINGS
from minority_reports.papers.box_drawings.readings_protocol import BY_READING

PAPER = Paper(
    name="box_drawings",
    title="Box Drawings for Learning with Imbalanced Data",
    notebook="01_box_drawings",
    experiments=EXPERIMENTS | BY_READING,
    rules=RULES,
    main="table5",
    readings=READINGS,
    investigations=INVESTIGATIONS,
)
