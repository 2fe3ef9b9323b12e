"""Zhang, Bloedorn, Rosen and Venese, Learning Rules from Highly Unbalanced Data Sets (2004)."""

from minority_reports.experiments import Paper
from minority_reports.papers.rlsd.claims import RULES
from minority_reports.papers.rlsd.numbers import published_numbers
from minority_reports.papers.rlsd.protocol import EXPERIMENTS
from minority_reports.papers.rlsd.public_protocol import PUBLIC_EXPERIMENTS
from minority_reports.papers.rlsd.readings import READINGS
from minority_reports.papers.rlsd.readings_protocol import READING_EXPERIMENTS
from minority_reports.papers.rlsd.result import HEADLINE

PAPER = Paper(
    name="rlsd",
    title="Learning Rules from Highly Unbalanced Data Sets",
    notebook="03_rlsd",
    experiments=EXPERIMENTS | PUBLIC_EXPERIMENTS | READING_EXPERIMENTS,
    rules=RULES,
    main="table3",
    readings=READINGS,
    numbers=published_numbers,
    headline=HEADLINE,
)
