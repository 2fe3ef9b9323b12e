"""What RLSD's paper leaves open, with what speaks for each way to read it."""

from minority_reports.papers.rlsd.claims import SIMULATED_RULES
from minority_reports.papers.rlsd.protocol import TABLE3_LEVELS
from minority_reports.report import Choice, Level, Readings, one_at_a_time

CHOICES = (
    Choice(
        "level",
        "At which level of significance does ChiMerge stop?",
        (
            Level("0.05", "not stated; the usual one"),
            *(
                Level(name.removeprefix("level="), "not stated", seen=True)
                for name in TABLE3_LEVELS.methods
            ),
        ),
    ),
)

READINGS = Readings(
    choices=CHOICES,
    claims=(),
    sources={"table3-levels": "table3"},
    combinations=one_at_a_time(CHOICES),
    renamed={"table3-levels": {name: f"rlsd:{name}" for name in TABLE3_LEVELS.methods}},
    rules=SIMULATED_RULES,
)
