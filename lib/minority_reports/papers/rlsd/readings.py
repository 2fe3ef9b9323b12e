"""The claims of RLSD that are judged over its readings, and where these have their rows."""

from minority_reports.papers.rlsd.claims import RULES
from minority_reports.papers.rlsd.readings_protocol import CHOICES, COMBINATIONS
from minority_reports.report import NotTestable, Readings

#: That RLSD transfers, and of the claims that are graded on public data what Table 3 is about, the
#: trade of recall for precision by either minimum, and the comparison with a decision tree.
HEADLINES = ("rlsd-33", "rlsd-20", "rlsd-21", "rlsd-31")

READINGS = Readings(
    choices=CHOICES,
    claims=HEADLINES,
    sources={"readings-real": "real", "readings-public": "public"},
    combinations=COMBINATIONS,
    rules={
        claim: rule.on_public
        for claim, rule in RULES.items()
        if isinstance(rule, NotTestable) and rule.on_public
    },
)
