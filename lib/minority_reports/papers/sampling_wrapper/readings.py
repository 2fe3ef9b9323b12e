"""What the sampling wrapper's paper leaves open, with what speaks for each way to read it."""

from minority_reports.report import Choice, Level, Readings, one_at_a_time

CHOICES = (
    Choice(
        "gain",
        "Which gain is enough for more SMOTE?",
        (
            Level("5 %", "the printed rule"),
            Level("any", "the published amounts cannot come from the printed rule", seen=True),
        ),
    ),
    Choice(
        "Mammography",
        "Are rows that are there several times kept?",
        (Level("all rows", "nothing is said"), Level("distinct rows", "the data", seen=True)),
        datasets=("mammography",),
    ),
    Choice(
        "Oil",
        "Is the patch number an attribute?",
        (
            Level("with patch number", "nothing is said"),
            Level("without patch number", "the data", seen=True),
        ),
        datasets=("oil",),
    ),
)
_WHERE = {"any-gain": "gain=any", "distinct": "Mammography=distinct rows"}
_WHERE["oil"] = "Oil=without patch number"

READINGS = Readings(
    choices=CHOICES,
    claims=(),
    sources=dict.fromkeys(_WHERE, "main"),
    combinations=one_at_a_time(CHOICES),
    renamed={
        source: {name: f"{name}:{levels}" for name in ("c45", "ripper")}
        for source, levels in _WHERE.items()
    },
)
