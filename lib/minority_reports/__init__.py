"""The laboratory of Minority Reports: five papers on imbalanced learning, reproduced.

The algorithms are in :mod:`minority`. Here are data sets by name
(:mod:`minority_reports.datasets`), the way from a plan to rows
(:mod:`minority_reports.experiments`), tables, figures and claims (:mod:`minority_reports.report`)
and the papers' protocols (:mod:`minority_reports.papers`).
"""

__version__ = "0.1.0"
