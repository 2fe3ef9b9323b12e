"""Goh and Rudin, Box Drawings for Learning with Imbalanced Data (KDD 2014)."""

from minority_reports.experiments import Paper, by_short_name
from minority_reports.papers.box_drawings.claims import INVESTIGATIONS, RULES
from minority_reports.papers.box_drawings.numbers import published_numbers
from minority_reports.papers.box_drawings.protocol import EXPERIMENTS
from minority_reports.papers.box_drawings.readings import READINGS
from minority_reports.papers.box_drawings.readings_protocol import BY_READING
from minority_reports.papers.box_drawings.result import HEADLINE
from minority_reports.papers.box_drawings.section6 import SECTION6

PAPER = Paper(
    name="box_drawings",
    title="Box Drawings for Learning with Imbalanced Data",
    notebook="01_box_drawings",
    experiments=EXPERIMENTS | BY_READING | by_short_name(SECTION6),
    rules=RULES,
    main="table5",
    readings=READINGS,
    numbers=published_numbers,
    headline=HEADLINE,
    investigations=INVESTIGATIONS,
)
