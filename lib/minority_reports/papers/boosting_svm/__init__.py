"""Wang and Japkowicz, Boosting support vector machines for imbalanced data sets (2010)."""

from minority_reports.experiments import Paper
from minority_reports.papers.boosting_svm.claims import INVESTIGATIONS, RULES
from minority_reports.papers.boosting_svm.numbers import published_numbers
from minority_reports.papers.boosting_svm.protocol import EXPERIMENTS
from minority_reports.papers.boosting_svm.readings import READINGS
from minority_reports.papers.boosting_svm.readings_protocol import READINGS_EXPERIMENTS
from minority_reports.papers.boosting_svm.result import HEADLINE

PAPER = Paper(
    name="boosting_svm",
    title="Boosting support vector machines for imbalanced data sets",
    notebook="04_boosting_svm",
    experiments=EXPERIMENTS | READINGS_EXPERIMENTS,
    rules=RULES,
    main="main",
    readings=READINGS,
    numbers=published_numbers,
    headline=HEADLINE,
    investigations=INVESTIGATIONS,
)
