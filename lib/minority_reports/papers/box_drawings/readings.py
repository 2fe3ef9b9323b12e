"""What Box Drawings leaves open, or its code does otherwise than its text: other readings of it.

All of these were named after results had been seen: those of a few folds, before any rows here.
"""

from itertools import product

from minority_reports.report import instead

#: By choice: the question, and the levels with what speaks for each. The text's own is the first.
CHOICES = {
    "faces": (
        "Where do the faces of Exact Boxes lie, of all places that are as good in training?",
        {
            "midgap": "the text does not say; half way to the next negative is the middle of them",
            "tight": "the smallest boxes of Fast Boxes' first stage: “minimal enclosing box”",
            "expand": "equations (31) and (32): “further expands the box to ε away from the "
            "nearest negative example”",
            "largest": "“to prefer fewer boxes and larger boxes” (section 1)",
            "solved": "released code: where the solver leaves them, with a reward for long sides",
        },
    ),
    "margin": (
        "What is the margin v of Exact Boxes?",
        {
            "0": "the text gives no value",
            "0.05": "released code: v = 0.05",
            "cv": "inner cross-validation, as for the number of clusters (section 4.1)",
        },
    ),
    "range": (
        "Which weights c of the majority class are tried?",
        {
            "0.1 to 1": "“[0.1, ..., 1]” (section 4.1)",
            "0.001 to 1": "c “controls the relative importance of positive and negative classes”: "
            "four smaller ones reach balance with up to 1,000 negatives per positive",
        },
    ),
    "objective": (
        "What regularises Exact Boxes?",
        {
            "count": "“regularized by the number of boxes” (section 3.1)",
            "size": "released code: a reward of 0.01 for the length of all sides",
        },
    ),
    "boxes": (
        "How many boxes has Exact Boxes at most?",
        {
            "fast": "“the cluster number that we found using cross-validation for Fast Boxes was "
            "used” (section 4.5)",
            "1": "released code: K is fixed",
            "2": "released code: K is fixed",
        },
    ),
    "fast": (
        "Which Fast Boxes?",
        {
            "text": "minimal and maximal values are scaled to -1 and 1; beta from 0 to 1000",
            "first grid": "the text gives no grid of beta: the one tried first, 0 to 100",
            "released": "released code: division by the largest absolute value, faces stop at the "
            "nearest point of any class",
            "unexpanded": "“This expansion step can be omitted if desired” (section 3.2)",
        },
    ),
}

#: The claims that are judged over all readings: those that rest on Tables 4 and 5 and on Figure 3.
CLAIMS = tuple(f"box_drawings-{number}" for number in ("03", "04", "27", "35", "43"))


def _other_levels(choice: str, leave_out=()) -> list[dict]:
    """Each level of a choice as {choice: level}; the text's is left out."""
    _, levels = CHOICES[choice]
    return [{}, *({choice: level} for level in list(levels)[1:] if level not in leave_out)]


def _combinations() -> tuple[dict[str, str], ...]:
    """Exact Boxes over all that is open but the objective; the released one; each Fast Boxes."""
    counted = product(
        _other_levels("faces", ["solved"]), *map(_other_levels, ("margin", "range", "boxes"))
    )
    released = {"faces": "solved", "margin": "0.05", "objective": "size", "boxes": "1"}
    sized = product([released], _other_levels("range"))
    fast = product(_other_levels("fast")[1:], _other_levels("range"))
    several = ({c: v for part in parts for c, v in part.items()} for parts in counted)
    others = (first | second for first, second in (*sized, *fast))
    return tuple(filter(None, (*several, *others)))


#: The planned readings, as what differs from the text.
COMBINATIONS = _combinations()

READINGS = {
    "the grid of β tried first": instead("table5", {"fast-boxes": "fast-boxes-first-grid"}),
    "boxes as released": instead("table5", {"fast-boxes": "fast-boxes-released"}),
}
