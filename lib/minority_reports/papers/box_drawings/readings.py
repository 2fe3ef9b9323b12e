"""What Box Drawings leaves open, or its code does otherwise than its text.

All levels were named after results had been seen: of a few folds, before any rows here.
"""

from functools import partial
from itertools import product

from minority_reports.report import Choice, Level, Readings

_seen = partial(Level, seen=True)

CHOICES = (
    Choice(
        "faces",
        "Where do the faces of Exact Boxes lie, of all places that are as good in training?",
        (
            Level("midgap", "not stated; half way to the nearest negative of the feature"),
            _seen("tight", "“smallest enclosing parallel axes rectangle” (section 3.2)"),
            _seen("expand", "“further expands the box to ε away from the nearest negative”"),
            _seen("largest", "“to prefer fewer boxes and larger boxes” (section 1)"),
            _seen("solved", "released code: where a reward for long sides puts them"),
        ),
    ),
    Choice(
        "margin",
        "What is the margin v of Exact Boxes?",
        (
            Level("0", "not stated; none"),
            _seen("0.05", "released code: v = 0.05"),
            _seen("cv", "inner cross-validation, as for K and beta (section 4)"),
        ),
    ),
    Choice(
        "range",
        "Which weights c of the majority class are tried?",
        (
            Level("0.1 to 1", "ten options up to 1 (section 4)"),
            _seen("0.001 to 1", "four more weights, which balance up to 1,000 negatives each"),
        ),
    ),
    Choice(
        "objective",
        "What regularises Exact Boxes?",
        (
            Level("count", "“regularized by the number of boxes” (section 3.1)"),
            _seen("size", "released code: a reward of 0.01 for the length of all sides"),
        ),
    ),
    Choice(
        "boxes",
        "How many boxes has Exact Boxes at most?",
        (
            Level(
                "fast",
                "“the cluster number that we found using cross-validation for Fast Boxes"
                " was used” (section 4.5)",
            ),
            _seen("1", "released code: K is fixed"),
            _seen("2", "released code: K is fixed"),
        ),
    ),
    Choice(
        "fast",
        "Which Fast Boxes?",
        (
            Level("text", "features scaled to [-1, 1]; a grid of beta of our own, up to 1000"),
            _seen("first grid", "no grid of beta is stated: the one tried first, up to 100"),
            _seen(
                "released",
                "released code: scaled by the largest absolute value; faces stop at "
                "the nearest point of any class",
            ),
            _seen("unexpanded", "“This expansion step can be omitted if desired” (section 3.2)"),
        ),
    ),
)
_CHOICES = {choice.name: choice for choice in CHOICES}

#: The claims that are judged over all readings: those that rest on Tables 4 and 5 and on Figure 3.
CLAIMS = tuple(f"box_drawings-{number}" for number in ("03", "04", "27", "35", "43"))


def _levels(choice: str, *, text: bool = True, leave_out=()) -> list[dict[str, str]]:
    """Each level of a choice as {choice: level}; the text's is no word about it."""
    found = [{choice: level.name} for level in _CHOICES[choice].levels[1:]]
    return text * [{}] + [levels for levels in found if levels[choice] not in leave_out]


def _combinations() -> tuple[dict[str, str], ...]:
    """Exact Boxes over all that is open but the objective; the released one; each Fast Boxes."""
    counted = product(
        _levels("faces", leave_out=["solved"]), *map(_levels, ("margin", "range", "boxes"))
    )
    released = {"faces": "solved", "margin": "0.05", "objective": "size", "boxes": "1"}
    sized = product([released], _levels("range"))
    fast = product(_levels("fast", text=False), _levels("range"))
    parts = (*counted, *sized, *fast)
    return tuple(filter(None, ({c: v for p in several for c, v in p.items()} for several in parts)))


READINGS = Readings(
    choices=CHOICES,
    claims=(),
    sources={"table5": "table5"},
    combinations=_combinations(),
    renamed={
        "table5": {
            "fast-boxes-first-grid": "fast-boxes:fast=first grid",
            "fast-boxes-released": "fast-boxes:fast=released",
            "fast-boxes-tight": "fast-boxes:fast=unexpanded",
        }
    },
)
