"""What Box Drawings leaves open, or its code does otherwise than its text."""

from minority_reports.report import Choice, Level, Readings, one_at_a_time

CHOICES = (
    Choice(
        "Fast Boxes",
        "Which grid and which boxes does Fast Boxes take?",
        (
            Level("as printed", "Section 4 and the text of Section 5"),
            Level("first grid", "the grid of β that was tried first", seen=True),
            Level("released", "the released code", seen=True),
        ),
    ),
)

READINGS = Readings(
    choices=CHOICES,
    claims=(),
    sources={"table5": "table5"},
    combinations=one_at_a_time(CHOICES),
    renamed={
        "table5": {
            "fast-boxes-first-grid": "fast-boxes:Fast Boxes=first grid",
            "fast-boxes-released": "fast-boxes:Fast Boxes=released",
        }
    },
)
