"""What RLSD's paper leaves open, and the rows of other readings of it.

A method's name carries the levels of the choices that differ from the text's: the threshold of
ChiMerge and its edges, the limits, and what ranks a row. The minima of Table 3 on public data are
one more, since precisions on data with another share of positives have to stand for its own.
"""

from collections.abc import Callable
from dataclasses import replace

from minority.rules import RLSDClassifier
from minority_reports.experiments import Experiment, Method
from minority_reports.papers.fixed import fixed
from minority_reports.papers.rlsd.protocol import BETA, REAL_EVENTS
from minority_reports.papers.rlsd.public_protocol import (
    PUBLIC,
    PUBLIC_PAIRS,
    GridOnPair,
    as_printed,
    at_same_odds,
    over_whole_range,
)
from minority_reports.report import Choice, Level, factorial, named, one_at_a_time

SIGNIFICANCE = Choice(
    "significance",
    "At which level do neighbouring intervals differ?",
    (
        Level("0.05", "not stated; ours, the usual level"),
        Level("0.01", "not stated; the next usual level", seen=True),
        Level("0.001", "not stated; drops most irrelevant attributes", seen=True),
        Level("corrected", "the estimator's default: 0.05 for an attribute as a whole", seen=True),
    ),
)
EDGES = Choice(
    "edges",
    "Where do intervals start?",
    (
        Level("midway", "ours: midway between values of the minority, open at both ends"),
        Level(
            "values",
            "“Each pair of neighboring values forms an initial interval” (section 3.1)",
            seen=True,
        ),
    ),
)
SCORING = Choice(
    "scoring",
    "Which rules rank an example?",
    (
        Level(
            "selected", "the rules of the model, by their precision (section 3.3 has no ranking)"
        ),
        Level("qualified", "all rules that survive the evaluation, smoothed", seen=True),
    ),
)
LIMIT = Choice(
    "M",
    "How many rules are kept during generation?",
    (
        Level("10000", "not stated; ours"),
        Level("1000", "“M: the maximum number of rules allowed” (Table 1), a tenth", seen=True),
        Level("30000", "the same, three times as many", seen=True),
    ),
)
INTERVALS = Choice(
    "intervals",
    "How many intervals may an attribute have?",
    (
        Level("255", "not stated; no limit but that of a byte"),
        Level("15", "ChiMerge [6] has a largest number of intervals; around 10 to 15"),
    ),
)
MINIMA = Choice(
    "minima",
    "What do the minimum precisions of Table 3 stand for on other data?",
    (
        Level("odds", "as many times the odds of all training examples (Tables 2 and 3)"),
        Level("printed", "the numbers of Table 3"),
        Level(
            "wide", "from the least of Table 3 to 0.95, where the paper's data had no rules left"
        ),
    ),
    tuple(PUBLIC_PAIRS),
)
CHOICES = (SIGNIFICANCE, EDGES, SCORING, LIMIT, INTERVALS, MINIMA)
_FACTORS = (SIGNIFICANCE, EDGES, SCORING)
#: All of the three choices that change most, and each other level alone.
COMBINATIONS = (*factorial(_FACTORS), *one_at_a_time((LIMIT, INTERVALS, MINIMA)))

#: What each level of a choice is to the estimator; minima are the grid's.
_VALUES: dict[str, Callable[[str], dict]] = {
    "significance": lambda level: {"significance": level if level == "corrected" else float(level)},
    "edges": lambda level: {"edges": level},
    "scoring": lambda level: {"scored_by": level},
    "M": lambda level: {"max_rules": int(level)},
    "intervals": lambda level: {"max_intervals": int(level)},
}
_LEAST = {"odds": at_same_odds, "printed": as_printed, "wide": over_whole_range}


def rlsd_with(levels: dict[str, str]) -> RLSDClassifier:
    """The paper's version under some levels."""
    parameters = {}
    for choice, level in levels.items():
        if choice in _VALUES:
            parameters |= _VALUES[choice](level)
    return fixed(RLSDClassifier, beta=BETA, pos_label=1, **parameters)


def _by_level(build: Callable, *others: Choice) -> dict[str, Method]:
    """A method for each planned reading, without levels of the `others`, about other rows."""
    methods = {}
    for reading in COMBINATIONS:
        levels = {c: level for c, level in reading.items() if c not in {o.name for o in others}}
        if levels:
            about = ", ".join(f"{choice} {level}" for choice, level in levels.items())
            methods[named("rlsd", levels)] = Method(f"RLSD, {about}", build(levels))
    return methods


def _ranker(levels):
    from sklearn.base import clone

    run = REAL_EVENTS.methods["rlsd"].run
    return replace(run, estimator=clone(run.estimator).set_params(estimator=rlsd_with(levels)))


def _grid(levels):
    return GridOnPair(rlsd_with(levels), _LEAST[levels.get("minima", "odds")])


#: On real rare events, with the splits and random numbers of the text's reading.
READINGS_REAL = Experiment(
    name="rlsd-readings-real",
    datasets=REAL_EVENTS.datasets,
    methods=_by_level(_ranker, MINIMA),
    settings=REAL_EVENTS.settings,
    measures=REAL_EVENTS.measures,
    folds=REAL_EVENTS.folds,
    split=REAL_EVENTS.split,
    paired=(REAL_EVENTS.name, "rlsd"),
)

#: The grid of Table 3 on public pairs; its columns do not ask how rows are ranked.
READINGS_PUBLIC = replace(PUBLIC, name="rlsd-readings-public", methods=_by_level(_grid, SCORING))

READING_EXPERIMENTS = {
    "readings-real": READINGS_REAL,
    "readings-public": READINGS_PUBLIC,
}
