"""What a paper leaves open: choices, readings, and the claims judged over all of them.

A choice is a dimension with levels, the text's own first; a reading is one level of each. Readings
never replace the verdict by the text as printed: they stand beside it. Rows by level are those of
ordinary experiments, whose methods and settings are named after the levels, such as
``b-svm:C=0.01,scaling=minmax``; under a reading they take the place of the text's rows, and the
claims are judged by their own rules.

Of the packages for this, specification_curve fits regressions of its own by formulas and draws only
these, and multiversum executes a notebook for each universe with a store without keys or folds.
Neither takes effects that rows give, so neither is used.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports.experiments import Experiment, Paper, Results, near
from minority_reports.report.claims import AnyRule, Both, Rule

#: Stands between the parts of a name, so that none of the parts may have it.
_SIGNS = ",:="
#: Marks what was named after results had been seen, and what says so.
SEEN = "†"
SEEN_NOTE = f"{SEEN}: named after results had been seen."

#: The name, in front of its levels, of a setting that stands for all of the target's.
ALL = "all"

Levels = Mapping[str, str]


class Level(NamedTuple):
    """One way to read a choice, and what speaks for it.

    ``seen`` says that it was named after results had been seen.
    """

    name: str
    evidence: str
    seen: bool = False


class Choice(NamedTuple):
    """A question that a paper leaves open, with its levels: the text's own is the first.

    ``datasets`` names the data sets that it is about; without names it is about all.
    """

    name: str
    question: str
    levels: tuple[Level, ...]
    datasets: tuple[str, ...] = ()


class Derived(NamedTuple):
    """A source that is no experiment: its rows are made of those of some.

    As where rows of a reading have other columns, or are the text's with more settings. The `plan`
    has its methods and settings by level; ``rows(results)`` makes its rows.
    """

    plan: Experiment
    rows: Callable[[Mapping[str, Results]], pd.DataFrame]


@dataclass(frozen=True)
class Readings:
    """The choices of a paper, which readings of it are planned, and what is judged over them.

    Parameters
    ----------
    choices : tuple of Choice
    claims : tuple of str
        The headline claims: judged over all planned readings, other claims over single levels.
    sources : mapping of str to str
        By the short name of each experiment with rows by level, that of the experiment whose rows
        these replace.
    combinations : tuple of mappings
        The planned readings as ``{choice: level}`` of what differs from the text, which is always
        the first of them.
    renamed : mapping of str to mappings, optional
        For sources that are older than their choice: by source, ``{method there: the name that it
        would have}``, or ``{(method, setting): both names}``. Their other rows are not read.
    derived : mapping of str to Derived, optional
        Sources that are made of the rows of experiments. These may have settings that their target
        lacks: a reading adds them to the target's, and is complete where all methods have them.
    rules : mapping of str to rule, optional
        Judge claims by these over the readings: claims that are not testable on the paper's data,
        by other data. They give no verdict.
    """

    choices: tuple[Choice, ...]
    claims: tuple[str, ...]
    sources: Mapping[str, str]
    combinations: tuple[Levels, ...]
    renamed: Mapping[str, Mapping] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)
    rules: Mapping[str, AnyRule] = field(default_factory=dict)

    def __post_init__(self):
        _refuse_twice("choice", [choice.name for choice in self.choices])
        for choice in self.choices:
            levels = [level.name for level in choice.levels]
            _refuse_twice(f"level of {choice.name}", levels)
            if len(levels) < 2:
                raise ValueError(f"{choice.name} leaves nothing open: it needs two levels or more.")
            for name in (choice.name, *levels):
                if not name or name != name.strip() or set(name) & set(_SIGNS):
                    raise ValueError(f"{name!r} of {choice.name}: no empty names and no , : or =.")
        planned = [self.label(self.checked(levels)) for levels in self.combinations]
        _refuse_twice("reading", ["", *planned])
        if strangers := set(self.renamed) - set(self.sources):
            raise ValueError(f"renamed methods of what is no source: {sorted(strangers)}")

    @cached_property
    def by_name(self) -> dict[str, Choice]:
        """The choices by name."""
        return {choice.name: choice for choice in self.choices}

    def checked(self, levels: Levels) -> dict[str, str]:
        """Levels in the order of the choices, all of them known and other than the text's."""
        for name, level in levels.items():
            if name not in self.by_name:
                raise ValueError(f"unknown choice {name!r}. {near(name, self.by_name)}")
            known = [one.name for one in self.by_name[name].levels]
            if level not in known:
                raise ValueError(f"unknown level {level!r} of {name}. {near(level, known)}")
            if level == known[0]:
                raise ValueError(f"{name}={level} is the text's own level: leave it out.")
        return {name: levels[name] for name in self.by_name if name in levels}

    def parsed(self, name: str) -> tuple[str, dict[str, str]]:
        """The name of a method or setting without its levels, and these.

        >>> scaling = Choice("scaling", "?", (Level("none", ""), Level("minmax", "")))
        >>> Readings((scaling,), (), {}, ()).parsed("b-svm:scaling=minmax")
        ('b-svm', {'scaling': 'minmax'})
        """
        base, colon, suffix = name.partition(":")
        parts = [part.partition("=") for part in suffix.split(",")] if colon else []
        try:
            _refuse_twice("level of", [choice for choice, _, _ in parts])
            return base, self.checked({choice: level for choice, _, level in parts})
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    def label(self, levels: Levels) -> str:
        """A reading as the text that follows a name: ``faces=largest,margin=0.05``."""
        return ",".join(f"{choice}={levels[choice]}" for choice in self.by_name if choice in levels)

    def words(self, levels: Levels) -> str:
        """A reading in words, marked if it was named after results had been seen."""
        changed = ", ".join(f"{c} = {levels[c]}" for c in self.by_name if c in levels)
        return f"{changed} {SEEN}" if self.is_seen(levels) else changed or "as printed"

    def is_seen(self, levels: Levels) -> bool:
        """Whether one of its levels was named after results had been seen."""
        return any(
            level.seen and level.name == levels.get(choice.name)
            for choice in self.choices
            for level in choice.levels
        )


def _refuse_twice(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is there twice.")


def named(base: str, levels: Levels) -> str:
    """The name of a method or a setting under some levels, in their order.

    >>> named("exact-boxes", {"faces": "largest", "K": "1"})
    'exact-boxes:faces=largest,K=1'
    """
    suffix = ",".join(f"{choice}={level}" for choice, level in levels.items())
    return f"{base}:{suffix}" if suffix else base


def one_at_a_time(choices: Iterable[Choice]) -> tuple[dict[str, str], ...]:
    """Each level that is not the text's, alone."""
    return tuple({c.name: level.name} for c in choices for level in c.levels[1:])


def factorial(choices: Iterable[Choice]) -> tuple[dict[str, str], ...]:
    """All combinations of levels but the text's."""
    choices = tuple(choices)
    return tuple(_combination(choices, i) for i in range(1, _count(choices)))


def sampled(choices: Iterable[Choice], n: int, seed: int = 0) -> tuple[dict[str, str], ...]:
    """A sample of the combinations of at least two levels that are not the text's.

    With those of :func:`one_at_a_time` it makes a plan for a grid that is too large.
    """
    choices = tuple(choices)
    found, rng = {}, np.random.default_rng(seed)
    possible = _count(choices) - 1 - sum(len(c.levels) - 1 for c in choices)
    if n > possible:
        raise ValueError(f"{n} combinations of {possible}: take `factorial` for all of them.")
    while len(found) < n:
        place = int(rng.integers(1, _count(choices)))
        if len(levels := _combination(choices, place)) > 1:
            found[place] = levels
    return tuple(found[place] for place in sorted(found))


def _count(choices: tuple[Choice, ...]) -> int:
    return math.prod(len(choice.levels) for choice in choices)


def _combination(choices: tuple[Choice, ...], place: int) -> dict[str, str]:
    """One of all combinations by its place, without the levels that are the text's."""
    at = np.unravel_index(place, [len(choice.levels) for choice in choices])
    chosen = zip(choices, at, strict=True)
    return {choice.name: choice.levels[i].name for choice, i in chosen if i}


class Variant(NamedTuple):
    """Rows of a source, and those of the target whose place they take under some levels."""

    source: str
    method: str
    setting: str
    target: str
    base: str
    base_setting: str
    levels: dict[str, str]


def plans_of(paper: Paper) -> dict[str, Experiment]:
    """The plans of a paper's experiments, and of sources that are made of them, by short name."""
    return {**paper.experiments} | {n: made.plan for n, made in paper.readings.derived.items()}


def variants_of(readings: Readings, plans: Mapping[str, Experiment]) -> list[Variant]:
    """All rows by level that the sources plan."""
    found = {}
    for source, target in readings.sources.items():
        for method, setting, name, setting_name in _names_in(readings, source, plans[source]):
            (base, levels), (base_setting, more) = map(readings.parsed, (name, setting_name))
            if both := sorted(set(levels) & set(more)):
                raise ValueError(f"{source}: {name!r} and {setting!r} both have a level of {both}.")
            levels = readings.checked(levels | more)
            if not levels:
                continue  # the text's reading is the target's own rows
            stands_for = plans[target].settings if base_setting == ALL else (base_setting,)
            for one in stands_for:
                place = (target, base, one, readings.label(levels))
                if place in found:
                    other = found[place].source
                    raise ValueError(f"{source} and {other} both have rows of {place}.")
                found[place] = Variant(source, method, setting, target, base, one, levels)
    return list(found.values())


def _names_in(readings: Readings, source: str, plan: Experiment) -> Iterable[tuple[str, ...]]:
    """The methods and settings of a source that are read, and their names with levels."""
    renamed = readings.renamed.get(source)
    for method, setting in itertools.product(plan.methods, plan.settings):
        if renamed is None:
            yield method, setting, method, setting
        elif method in renamed:
            yield method, setting, renamed[method], setting
        elif (method, setting) in renamed:
            yield method, setting, *renamed[method, setting]


def rule_of(paper: Paper, claim: str) -> AnyRule | None:
    """The rule that judges a claim over the readings."""
    return paper.readings.rules.get(claim, paper.rules.get(claim))


def check(paper: Paper) -> Readings:
    """The readings of a paper, if they fit its experiments and rules; else an error says why."""
    readings, plans = paper.readings, plans_of(paper)
    for source, target in readings.sources.items():
        for name in (source, target):
            if name not in plans:
                raise ValueError(f"{paper.name} has no experiment {name!r}. {near(name, plans)}")
        of, to = plans[source], plans[target]
        if (of.folds, of.split) != (to.folds, to.split):
            raise ValueError(f"{of.name} has other folds than {to.name}.")
        if lacking := sorted(set(to.measures) - set(of.measures)):
            raise ValueError(f"{of.name} lacks measures of {to.name}: {', '.join(lacking)}.")
        for name in readings.renamed.get(source, ()):
            method, setting = name if isinstance(name, tuple) else (name, of.settings[0])
            if setting not in of.settings:
                raise ValueError(f"{of.name} has no {setting!r}. {near(setting, of.settings)}")
            if method not in of.methods:
                raise ValueError(f"{of.name} has no {method!r}. {near(method, of.methods)}")
    for variant in variants_of(readings, plans):
        to = plans[variant.target]
        adds = variant.source in readings.derived
        if variant.base not in to.methods or (variant.base_setting not in to.settings and not adds):
            raise ValueError(
                f"{variant.source}: {to.name} has no {variant.base!r} with "
                f"{variant.base_setting!r} that {variant.method!r} with {variant.setting!r} "
                "could stand for."
            )
    targets = set(readings.sources.values()) | {paper.main}
    for claim in readings.claims:
        rule = rule_of(paper, claim)
        if rule is None:
            raise ValueError(f"{claim} is a headline claim without a rule.")
        if not isinstance(rule, Rule | Both):
            raise ValueError(f"{claim} cannot be judged over readings: {rule.text}.")
        if not rule.experiments & targets:
            raise ValueError(f"{claim} rests on no rows that a reading replaces.")
    return readings
