"""What DAMVI's paper leaves open, with what speaks for each way to read it."""

from minority_reports.report import Choice, Level, Readings, one_at_a_time

CHOICES = (
    Choice(
        "DAMVI",
        "Which steps does DAMVI take?",
        (
            Level("as printed", "Algorithm 1"),
            Level("as released", "the released code", seen=True),
        ),
    ),
    Choice(
        "bags",
        "How many rows does a bag of R-BG have?",
        (
            Level("20 %", "“with 20 %”, Section IV-B"),
            Level("full", "what the published values of R-BG look like", seen=True),
        ),
    ),
)

READINGS = Readings(
    choices=CHOICES,
    claims=(),
    sources={"released": "table23", "table23": "table23"},
    combinations=one_at_a_time(CHOICES),
    renamed={
        "released": {"released": "damvi:DAMVI=as released"},
        "table23": {"r-bg-full": "r-bg:bags=full"},
    },
)
