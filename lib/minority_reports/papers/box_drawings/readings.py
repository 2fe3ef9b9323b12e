"""What Box Drawings leaves open, or its code does otherwise than its text.

All levels were named after results had been seen: of a few folds, before any rows here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

import pandas as pd

from minority_reports.experiments import Experiment, Results
from minority_reports.papers.box_drawings.protocol import ALL_FACES, BY_WEIGHT, TABLE4, TABLE5
from minority_reports.papers.box_drawings.readings_protocol import (
    BELOW,
    SOLVED,
    TABLE4_BELOW,
    TABLE4_VARIANTS,
)
from minority_reports.papers.box_drawings.tables import PLAIN, STATED_FACES, WITH_MARGIN
from minority_reports.report import Choice, Derived, Level, Readings, named

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


_WIDE = {"range": "0.001 to 1"}
#: How Table 5 calls the levels of `fast`.
_FAST = {
    "fast-boxes-first-grid": "first grid",
    "fast-boxes-released": "released",
    "fast-boxes-tight": "unexpanded",
}


def _named(base: str, levels: Mapping[str, str]) -> str:
    """A name with its levels in the order of the choices, without the text's."""
    other = {c: levels[c] for c in _CHOICES if c in levels}
    return named(base, {c: v for c, v in other.items() if v != _CHOICES[c].levels[0].name})


def _levels_of(method: str) -> dict[str, str]:
    """The levels that follow a name."""
    suffix = method.partition(":")[2]
    return dict(part.split("=") for part in suffix.split(",")) if suffix else {}


#: The solves of Exact Boxes by method and, as one solve serves several, the levels of its faces.
_PLACED = {
    (method, faces): _levels_of(method) | {"faces": faces}
    for method in (*TABLE4_BELOW.methods, *TABLE4_VARIANTS.methods)
    for faces in ((SOLVED,) if SOLVED in method else ALL_FACES)
}


def _table4_rows(results: Mapping[str, Results], *, range_of: Mapping[str, str]) -> pd.DataFrame:
    """Rows of Table 4 by level: what it has of faces in mid-gap is that of the level's faces."""
    solves = [
        results["faces"].rows.replace({"method": {WITH_MARGIN: f"{PLAIN}:margin=0.05"}}),
        results["readings-table4-below"].rows,
        results["readings-table4"].rows,
    ]
    rows = pd.concat(solves, ignore_index=True)
    if not range_of:
        rows = rows[rows["setting"].isin(BY_WEIGHT)]
    of_method = dict(list(rows.groupby("method")))
    parts = []
    for (method, faces), levels in _PLACED.items():
        part = of_method.get(method, rows.iloc[:0])
        counts = {f"{n}_{STATED_FACES}": part[f"{n}_{faces}"] for n in ("tp", "fp")}
        parts.append(part.assign(method=_named(PLAIN, levels | range_of), **counts))
    return pd.concat(parts, ignore_index=True)


def _table5_rows(results: Mapping[str, Results]) -> pd.DataFrame:
    """Rows of Table 5 and those of the smaller weights, named after them."""
    rows = pd.concat([results[name].rows for name in ("table5", "readings-table5-below")])
    return rows.assign(method=rows["method"].map(_WIDE_METHODS))


_WIDE_METHODS = {
    method: _named("fast-boxes", _WIDE | {"fast": _FAST[method]})
    if method in _FAST
    else _named(method, _WIDE)
    for method in TABLE5.methods
}


def _plan(table: Experiment, names: Iterable[str], *, wide: bool) -> Experiment:
    """The plan of a table with methods by level."""
    methods = {name: table.methods[name.partition(":")[0]] for name in names}
    return replace(table, methods=methods, settings=wide * BELOW + BY_WEIGHT)


def _table4(range_of: Mapping[str, str]) -> Derived:
    names = [_named(PLAIN, levels | range_of) for levels in _PLACED.values()]
    plan = _plan(TABLE4, names, wide=bool(range_of))
    return Derived(plan, partial(_table4_rows, range_of=range_of))


READINGS = Readings(
    choices=CHOICES,
    claims=CLAIMS,
    sources={
        "table4-by-level": "table4",
        "table4-wide": "table4",
        "table5": "table5",
        "table5-wide": "table5",
    },
    combinations=_combinations(),
    renamed={"table5": {name: f"fast-boxes:fast={level}" for name, level in _FAST.items()}},
    derived={
        "table4-by-level": _table4({}),
        "table4-wide": _table4(_WIDE),
        "table5-wide": Derived(_plan(TABLE5, _WIDE_METHODS.values(), wide=True), _table5_rows),
    },
)
