"""The papers' claims and what became of them here: one language for all papers.

A claim is judged by a :class:`Rule` in its paper's module. The rule names the rows that it needs,
says in words what has to hold, and carries the criterion that grades what it finds; thresholds are
those of this module, the same for every paper. Grades are computed, never typed. What holds by
construction (a definition, algebra, a set-up) is shown by a test and is counted apart: it is not
reproduced, it cannot fail to hold.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports import paths
from minority_reports.experiments import Experiment, Results
from minority_reports.report.tables import Table, show
from minority_reports.statistics import bootstrap_interval, corrected_interval

REPRODUCED = "reproduced"
PARTLY = "partly"
MOSTLY_NOT = "mostly not"
NOT_REPRODUCED = "not reproduced"
NOT_TESTABLE = "not testable"
BY_CONSTRUCTION = "by construction"
#: What stands beside the verdict of a claim that cannot be tested on the paper's own data.
ON_PUBLIC = "on public data"
#: From the best to the worst, then what says nothing about the paper's results.
GRADES = (REPRODUCED, PARTLY, MOSTLY_NOT, NOT_REPRODUCED, NOT_TESTABLE, BY_CONSTRUCTION)
#: From agreement to disagreement, then what says nothing; safe for colour-blind readers.
GRADE_COLOURS = dict(
    zip(
        GRADES,
        ("#009E73", "#F0E442", "#E69F00", "#D55E00", "#999999", "#E6E6E6"),
        strict=True,
    )
)

#: The kinds of claims in data/published, as the two that matter for a verdict.
EMPIRICAL, CONSTRUCTION = "empirical", "by construction"
KINDS = {
    "empirical": EMPIRICAL,
    "numeric": EMPIRICAL,
    "cited": EMPIRICAL,
    "scaling": EMPIRICAL,
    "data": EMPIRICAL,
    "domain": EMPIRICAL,
    "example": EMPIRICAL,
    "proposal": EMPIRICAL,
    "discussion": EMPIRICAL,
    "analytic": CONSTRUCTION,
    "structural": CONSTRUCTION,
    "definition": CONSTRUCTION,
    "setup": CONSTRUCTION,
}
#: Claims of an empirical kind that cannot fail all the same, and why.
CERTAIN = {
    "box_drawings-05": "the first step is given the minority class only",
    "rlsd-04": "intervals begin at values of the minority only",
    "sampling_wrapper-38": "a count of what the protocol consists of",
}


class Effect(NamedTuple):
    """A number with its 95 % interval, signed so that more of it favours the claim."""

    name: str
    value: float
    low: float
    high: float
    digits: int = 3

    @property
    def is_opposite(self) -> bool:
        """Whether the opposite of the claim is significant."""
        return self.high < 0

    def __str__(self) -> str:
        return f"{self.name} {self.numbers()}"

    def numbers(self, interval: str = "") -> str:
        """The number and, in brackets, its interval, which may be called by name."""

        def signed(number):
            return f"{round(number, self.digits) + 0.0:+.{self.digits}f}".replace("-", "−")

        if math.isnan(self.low) or math.isnan(self.high):
            return signed(self.value)
        bounds = f"{signed(self.low)}, {signed(self.high)}"
        return f"{signed(self.value)} [{f'{interval} {bounds}'.lstrip()}]"


def mean_effect(name: str, values: Iterable[float], digits: int = 3) -> Effect:
    """The mean of one number for each data set (or other case), with its bootstrap interval."""
    return Effect(name, *bootstrap_interval(list(values)), digits)


def split_effect(name: str, differences, experiment: Experiment, digits: int = 3) -> Effect:
    """The mean of paired differences, one per split of a data set, with its corrected interval."""
    return Effect(name, *corrected_interval(differences, test_share=experiment.test_share), digits)


def correlation_effect(name: str, first, second, *, sign: int = 1) -> Effect:
    """Spearman's correlation with its bootstrap interval, times the sign that a claim gives it."""
    from scipy.stats import rankdata

    pairs = np.array([first, second], dtype=float)

    def spearman(samples):  # measures x samples x cases
        ranks = rankdata(samples, axis=-1)
        ranks -= ranks.mean(axis=-1, keepdims=True)
        spread = np.sqrt((ranks**2).sum(axis=-1)).prod(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return sign * ranks.prod(axis=0).sum(axis=-1) / spread

    value = float(spearman(pairs[:, None])[0])
    draws = np.random.default_rng(0).integers(pairs.shape[1], size=(2_000, pairs.shape[1]))
    resampled = spearman(pairs[:, draws])
    resampled = resampled[~np.isnan(resampled)]
    if pairs.shape[1] < 3 or not len(resampled):
        return Effect(name, value, math.nan, math.nan, 2)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Effect(name, value, float(low), float(high), 2)


# What a rule finds


@dataclass(frozen=True)
class Cases:
    """In which of several cases a claim held, and how large the effect is over them.

    ``text`` is a sentence in which ``{count}`` stands for how many of how many: "is ahead on
    {count} data sets".
    """

    held: Iterable[bool]
    text: str
    effect: Effect

    def __post_init__(self):
        object.__setattr__(self, "held", tuple(bool(one) for one in self.held))

    @property
    def count(self) -> str:
        """In how many of how many."""
        n, of = sum(self.held), len(self.held)
        return f"all {of}" if n == of else f"none of {of}" if not n else f"{n} of {of}"

    @property
    def sentence(self) -> str:
        """The evidence in words."""
        return f"{self.text.replace('{count}', self.count)} ({self.effect})"


@dataclass(frozen=True)
class Measured:
    """One effect, such as a mean difference or a correlation."""

    effect: Effect
    text: str = ""

    @property
    def sentence(self) -> str:
        """The evidence in words."""
        return f"{self.text}: {self.effect}" if self.text else str(self.effect)


class Number(NamedTuple):
    """A number of ours and the published one; ``sd`` is the standard error of their difference."""

    name: str
    ours: float
    published: float
    sd: float = math.nan
    digits: int = 3

    @property
    def agrees(self) -> bool:
        """Within two standard errors, or within 5 % where no spread is known."""
        gap = abs(self.ours - self.published)
        return gap < self.tolerance if self.has_spread else gap <= self.tolerance

    @property
    def tolerance(self) -> float:
        """The largest difference that is noise."""
        return 2 * self.sd if self.has_spread else 0.05 * abs(self.published)

    @property
    def has_spread(self) -> bool:
        """Whether a spread is known that is more than rounding."""
        return self.sd > 1e-12

    def __str__(self) -> str:
        noise = f" ± {self.sd:.{self.digits}f}" if self.has_spread else ""
        return (
            f"{self.name} {self.ours:.{self.digits}f}{noise} (published "
            f"{self.published:.{self.digits}f})"
        )


@dataclass(frozen=True)
class Numbers:
    """Numbers of ours beside published ones."""

    numbers: Iterable[Number]
    text: str = ""

    def __post_init__(self):
        object.__setattr__(self, "numbers", tuple(self.numbers))

    @property
    def effect(self) -> Effect:
        """The mean difference from the published numbers, as shares of these."""
        shares = [(n.ours - n.published) / abs(n.published) for n in self.numbers if n.published]
        if len(shares) == 1 and (one := self.numbers[0]).has_spread:
            half = 2 * one.sd / abs(one.published)
            return Effect("relative difference", shares[0], shares[0] - half, shares[0] + half)
        return mean_effect("mean relative difference", shares)

    @property
    def sentence(self) -> str:
        """The evidence in words."""
        listed = "; ".join(map(str, self.numbers))
        return f"{self.text}: {listed}" if self.text else listed


Evidence = Cases | Measured | Numbers


# Criteria: when what was found is what the claim says


class Quantifier(NamedTuple):
    """In how many of the cases a claim has to hold; no share means in at least one."""

    word: str
    share: float

    @property
    def words(self) -> str:
        """The criterion as it is printed."""
        if not self.share:
            return f"{self.word} (at least one)"
        wanted = "all" if self.share == 1 else f"at least {self.share:.0%}"
        return f"{self.word} ({wanted})"

    def grade(self, found: Cases) -> str:
        """Reproduced if the quantifier holds, unless the opposite is significant.

        The opposite of "some" is "none", about which a mean says nothing.
        """
        held, cases = sum(found.held), len(found.held)
        if not held or (self.share and found.effect.is_opposite):
            return NOT_REPRODUCED
        if held >= self.share * cases:
            return REPRODUCED
        return PARTLY if held >= self.share * cases / 2 else MOSTLY_NOT


ALWAYS = Quantifier("always", 1.0)
GENERALLY = Quantifier("generally", 0.75)
OFTEN = Quantifier("often", 0.5)
SOME = Quantifier("some", 0.0)


class Exceeds(NamedTuple):
    """An effect whose interval is above 0 and that is at least as large as counts."""

    least: float = 0.0

    @property
    def words(self) -> str:
        """The criterion as it is printed."""
        size = f" and the effect is at least {self.least:g}" if self.least else ""
        return f"the 95 % interval is above 0{size}"

    def grade(self, found: Measured) -> str:
        """Reproduced or not."""
        effect = found.effect
        return REPRODUCED if effect.low > 0 and effect.value >= self.least else NOT_REPRODUCED


class AsGoodAs(NamedTuple):
    """An effect whose interval is above minus the region that counts as equal."""

    region: float

    @property
    def words(self) -> str:
        """The criterion as it is printed."""
        return f"the 95 % interval is above −{self.region:g}"

    def grade(self, found: Measured) -> str:
        """Reproduced or not."""
        return REPRODUCED if found.effect.low > -self.region else NOT_REPRODUCED


class NoDifferent(NamedTuple):
    """An effect whose whole interval is inside the region that counts as equal."""

    region: float

    @property
    def words(self) -> str:
        """The criterion as it is printed."""
        return f"the 95 % interval is within ±{self.region:g}"

    def grade(self, found: Measured) -> str:
        """Reproduced or not."""
        effect = found.effect
        within = -self.region < effect.low and effect.high < self.region
        return REPRODUCED if within else NOT_REPRODUCED


class Matches(NamedTuple):
    """Numbers that agree with the published ones, all of them."""

    @property
    def words(self) -> str:
        """The criterion as it is printed."""
        return "all numbers within two standard errors of the published, else within 5 %"

    def grade(self, found: Numbers) -> str:
        """As for `always`, over the numbers."""
        return ALWAYS.grade(
            Cases([n.agrees for n in found.numbers], "", Effect("", 0.0, math.nan, math.nan))
        )


MATCHES = Matches()
Criterion = Quantifier | Exceeds | AsGoodAs | NoDifferent | Matches


# Rules


@dataclass(frozen=True)
class Need:
    """The rows that a rule is about.

    Only data sets on which all of `methods` (else all of the protocol) are complete are seen; how
    many are left out is said in the evidence. With fewer than `sets` of them a claim is not
    testable. Stand-ins and data sets re-created from a name are among them only if `stand_ins` is
    set, for what is shown and counts in no verdict.
    """

    experiment: str
    methods: tuple[str, ...] | None = None
    sets: int = 1
    datasets: tuple[str, ...] | None = None
    stand_ins: bool = False

    def of(self, results: Mapping[str, Results]) -> Results:
        """The complete cells of these methods on data sets that count."""
        return results[self.experiment].once(_needed, self)


def _needed(results: Results, need: Need) -> Results:
    part = results.of_protocol()
    plan = part.experiment
    whole = part.complete(plan.methods if need.methods is None else need.methods)
    named = plan.datasets if need.datasets is None else need.datasets
    sets = tuple(
        name
        for name in plan.datasets
        if name in named and (need.stand_ins or counts_in_verdicts(name))
    )

    return whole.on_datasets(sets)


def missing(found: Results) -> list[str]:
    """The data sets of what a rule needs that are not complete."""
    present = set(found.datasets)
    return [name for name in found.experiment.datasets if name not in present]


@cache
def counts_in_verdicts(dataset: str) -> bool:
    """Whether rows of a data set may decide about a paper: stand-ins may not.

    Nor may a set of which only the name is known; what the authors left, even if they simulated
    it, may.
    """
    from minority_reports import datasets

    try:
        entry = datasets.entry(dataset)
    except datasets.UnknownDatasetError:
        return True  # made up, in a test
    return not (entry.simulated and entry.source in _MADE_HERE)


#: Sources of data that was made here in place of something that cannot be had.
_MADE_HERE = ("simulated", "stand-in", "transactions")


@dataclass(frozen=True)
class Verdict:
    """What became of a claim: its grade, the evidence as a sentence, and the effect.

    ``count`` says in how many of how many cases the claim holds, if it is about cases. One of
    several ``parts`` has the grade and the effect of the worst of these. ``on_public`` is the grade
    of a claim that is not testable by the paper's own data and was tested in general form on public
    data. It is counted apart, never with the grades.
    """

    grade: str
    evidence: str
    effect: Effect | None = None
    parts: tuple["Verdict", ...] = ()
    on_public: str = ""
    count: str = ""

    def __post_init__(self):
        for grade in filter(None, (self.grade, self.on_public)):
            if grade not in GRADES:
                raise ValueError(f"unknown grade {grade!r}; one of {', '.join(GRADES)}")


@dataclass(frozen=True)
class Rule:
    """How a claim is judged.

    Parameters
    ----------
    words : str
        What has to hold, as printed; the criterion says how often or how clearly.
    criterion : Quantifier, Exceeds, AsGoodAs, NoDifferent or Matches
        Grades what `measure` finds.
    measure : callable
        Takes the results of each of the `needs`, in their order, and returns the evidence.
    needs : tuple of Need
        The rows that it is about; none if a stored study or a count decides.
    shown : str
        The table or figure that shows it, by its name in figures/.
    """

    words: str
    criterion: Criterion
    measure: Callable[..., Evidence]
    needs: tuple[Need, ...] = ()
    shown: str = ""

    @property
    def text(self) -> str:
        """The rule as printed."""
        return f"{self.words} — {self.criterion.words}"

    @property
    def experiments(self) -> set[str]:
        """The experiments whose rows it looks at."""
        return {need.experiment for need in self.needs}

    def __call__(self, results: Mapping[str, Results]) -> Verdict:
        found = [need.of(results) for need in self.needs]
        for need, part in zip(self.needs, found, strict=True):
            if len(part.datasets) < need.sets:
                return Verdict(
                    NOT_TESTABLE,
                    f"{len(part.datasets)} of {len(part.experiment.datasets)} data sets are "
                    f"complete in {part.experiment.name}; the rule needs {need.sets}",
                )
        evidence = self.measure(*found)
        if isinstance(evidence, Cases) and not evidence.held:
            return Verdict(NOT_TESTABLE, "there is no case that the rule is about")
        left_out = sum(len(missing(part)) for part in found)
        gaps = f"; incomplete data sets left out: {left_out}" if left_out else ""
        grade = self.criterion.grade(evidence)
        count = evidence.count if isinstance(evidence, Cases) else ""
        return Verdict(grade, f"{evidence.sentence}{gaps}", evidence.effect, count=count)


def rule(words: str, criterion: Criterion, needs: tuple[Need, ...] = (), shown: str = ""):
    """Turns the function that it decorates, the `measure`, into a :class:`Rule`."""

    def of_measure(measure: Callable[..., Evidence]) -> Rule:
        return Rule(words, criterion, measure, needs, shown)

    return of_measure


#: Of the parts of a claim.
_FROM_THE_BEST = (REPRODUCED, PARTLY, MOSTLY_NOT, NOT_TESTABLE, NOT_REPRODUCED)


@dataclass(frozen=True)
class Both:
    """A claim of several parts: each has its rule, and the worst grade is the claim's.

    A part that fails decides; else the claim is not testable if a part is not.
    """

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule):
        object.__setattr__(self, "rules", rules)

    @property
    def text(self) -> str:
        """The rules as printed."""
        return "; and ".join(rule.text for rule in self.rules)

    @property
    def shown(self) -> str:
        """The table or figure that shows the first part."""
        return self.rules[0].shown

    @property
    def experiments(self) -> set[str]:
        """The experiments whose rows it looks at."""
        return set().union(*(rule.experiments for rule in self.rules))

    def __call__(self, results: Mapping[str, Results]) -> Verdict:
        parts = [rule(results) for rule in self.rules]
        worst = max(parts, key=lambda part: _FROM_THE_BEST.index(part.grade))
        evidence = "; ".join(f"{part.evidence} ({part.grade})" for part in parts)
        return Verdict(worst.grade, evidence, worst.effect, tuple(parts))


@dataclass(frozen=True)
class ByConstruction:
    """A claim that cannot fail: the test ``file.py::name`` shows that it holds here."""

    test: str
    experiments: frozenset = field(default=frozenset(), init=False)
    shown: str = field(default="", init=False)
    text: str = field(default="holds by construction", init=False)

    def __call__(self, results: Mapping[str, Results]) -> Verdict:
        file, _, name = self.test.partition("::")
        return Verdict(BY_CONSTRUCTION, f"unit test {name} in {file}")


@dataclass(frozen=True)
class NotTestable:
    """A claim that no run of ours can decide, and why.

    Parameters
    ----------
    why : str
        What is missing.
    elsewhere : callable, optional
        Takes the results and returns a sentence about what other data show, without a grade.
    shown : str
        The table or figure that shows it, by default that of the rule on public data.
    on_public : Rule or Both, optional
        Judges the claim in general form on public data. Its grade stands beside the verdict, which
        stays "not testable", and is counted apart.
    """

    why: str
    elsewhere: Callable[[Mapping[str, Results]], str] | None = None
    shown: str = ""
    on_public: Rule | Both | None = None

    def __post_init__(self):
        if self.on_public and not self.shown:
            object.__setattr__(self, "shown", self.on_public.shown)

    @property
    def text(self) -> str:
        """The rule as printed."""
        beside = f"; {ON_PUBLIC}: {self.on_public.text}" if self.on_public else ""
        return f"not testable here{beside}"

    @property
    def experiments(self) -> set[str]:
        """None decides; those with public data are looked at for what stands beside the verdict."""
        return set()

    def __call__(self, results: Mapping[str, Results]) -> Verdict:
        parts, grade = [self.why], ""
        if self.elsewhere:
            parts.append(self.elsewhere(results))
        if self.on_public:
            found = self.on_public(results)
            grade = found.grade
            parts.append(f"{ON_PUBLIC}: {grade}, {found.evidence}")
        return Verdict(NOT_TESTABLE, "; ".join(filter(None, parts)), on_public=grade)


AnyRule = Rule | Both | ByConstruction | NotTestable

#: Said in place of verdicts on a selection.
PART = "Verdicts are about the whole protocol; only a part of it is selected, so none is given."
_NO_RULE = NotTestable("no rule has been written yet")


def is_whole(results: Mapping[str, Results]) -> bool:
    """Whether results are those of whole protocols and not of a selection."""
    return all(part.selected is None for part in results.values())


@cache
def published(paper: str) -> dict:
    """A paper's numbers and claims from ``data/published``."""
    return json.loads((paths.published() / f"{paper}.json").read_text(encoding="utf-8"))


@cache
def rule_history(paper: str) -> dict:
    """When a paper's rules were fixed, whether rows had been seen, and what was changed in them."""
    file = paths.published() / "rules" / f"{paper}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def published_papers() -> list[str]:
    """The names of all papers with published numbers, in the order of the project."""
    order = ["box_drawings", "damvi", "rlsd", "boosting_svm", "sampling_wrapper"]
    found = {path.stem for path in paths.published().glob("*.json")} - {"schema"}
    return [name for name in order if name in found] + sorted(found - set(order))


def judge(paper: str, rules: Mapping[str, AnyRule], results: Mapping[str, Results]) -> pd.DataFrame:
    """Every claim of a paper with its verdict; a claim without a rule is not testable.

    A selection of data sets, methods, repeats or folds judges nothing: there are no claims then.
    """
    claims = published(paper)["claims"]
    strangers = set(rules) - {claim["id"] for claim in claims}
    if strangers:
        raise ValueError(f"rules for claims that {paper} does not make: {sorted(strangers)}")
    claims = claims if is_whole(results) else []
    applied = [rules.get(claim["id"], _NO_RULE) for claim in claims]
    verdicts = [rule(results) for rule in applied]
    return pd.DataFrame(
        {
            "claim": [claim["claim"] for claim in claims],
            "quotation": [
                f"“{claim['anchor']}”" if claim.get("anchor") else "" for claim in claims
            ],
            "section": [claim["section"] for claim in claims],
            "kind": [
                CONSTRUCTION if verdict.grade == BY_CONSTRUCTION else EMPIRICAL
                for verdict in verdicts
            ],
            "rule": [rule.text for rule in applied],
            "verdict": [verdict.grade for verdict in verdicts],
            ON_PUBLIC: [verdict.on_public for verdict in verdicts],
            "effect": [str(v.effect) if v.effect is not None else "" for v in verdicts],
            "evidence": [verdict.evidence for verdict in verdicts],
            "shown": [rule.shown for rule in applied],
        },
        index=pd.Index([claim["id"] for claim in claims], name="id"),
    )


#: What a reader of a notebook's table of claims sees; the effect is in the evidence.
_SHOWN = ("claim", "quotation", "section", "rule", "verdict", "firm", ON_PUBLIC, "evidence")


def claims_table(paper: str, claims: pd.DataFrame) -> Table:
    """Judged empirical claims, from reproduced to not testable; then those by construction."""
    if claims.empty:
        return show(claims, caption=f"Claims of {published(paper)['short']}. {PART}")
    counts = claims["verdict"].value_counts()
    caption = ", ".join(f"{counts[grade]} {grade}" for grade in GRADES if grade in counts)
    order = claims["verdict"].map(GRADES.index).sort_values(kind="stable").index
    columns = [name for name in _SHOWN if name in claims]
    beside = grades_on_public(claims)
    if beside.empty:
        columns = [name for name in columns if name != ON_PUBLIC]
    apart = f" Counted apart, {beside.sum()} of those not testable {ON_PUBLIC} in general form: "
    apart += ", ".join(f"{count} {grade}" for grade, count in beside.items()) + "."
    return show(
        claims.loc[order, columns],
        caption=f"Claims of {published(paper)['short']}: {caption}.{apart if len(beside) else ''} "
        f"{fixed_when(paper)}",
    )


def grades_on_public(claims: pd.DataFrame) -> pd.Series:
    """How many judged claims have each grade on public data, of those not testable otherwise."""
    counts = claims[ON_PUBLIC].value_counts()
    return counts.reindex([grade for grade in GRADES if grade in counts])


def fixed_when(paper: str) -> str:
    """When a paper's rules were fixed and what had been seen by then, in a sentence."""
    fixed = rule_history(paper)
    if not fixed:
        return ""
    subjects = {"The rules": fixed, f"Those {ON_PUBLIC}": fixed.get("on_public")}
    return " ".join(
        f"{subject} were fixed on {when['fixed']}, {'after' if when['rows_seen'] else 'before'} "
        "result rows had been seen."
        for subject, when in subjects.items()
        if when
    )


def count_verdicts(judged: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The empirical claims of each paper by grade; apart, how many hold by construction."""
    counts = {
        published(name)["title"]: claims["verdict"]
        .value_counts()
        .reindex(list(GRADES), fill_value=0)
        for name, claims in judged.items()
    }
    table = pd.DataFrame(counts).T.astype(int)
    table.index.name = "paper"
    table.insert(len(GRADES) - 1, "empirical claims", table[list(GRADES[:-1])].sum(axis=1))
    return table
