"""All methods on a user's own file, within a budget of time: what is asked first comes first.

Every method with its defaults, fold by fold; then the best of them tuned, each on all folds, so
that whatever is there when time is over can be compared. What is finished is kept in the cache: the
same command goes on from there.
"""

import contextlib
import hashlib
import io
import json
import math
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from multiprocessing import connection
from pathlib import Path

import numpy as np
import pandas as pd

from minority_reports import paths
from minority_reports.datasets import Dataset
from minority_reports.experiments import Child, Experiment, Outcome, Settings, Task, derive_seed
from minority_reports.files import replace_file
from minority_reports.papers.showdown.own.ranking import ranked
from minority_reports.papers.showdown.own.rules import Rules, rules_of
from minority_reports.papers.showdown.protocol import (
    EXPERIMENTS,
    RACE_ROWS,
    Contestant,
    Entrant,
    load_code,
    measures_of,
)
from minority_reports.papers.showdown.tables import count

#: Up to so many rows the folds are cut twice: with fewer rows it matters how they are cut.
TWO_REPEATS_ROWS = 10_000
#: Beyond so many rows three folds do, where none are asked for.
THREE_FOLDS_ROWS = 50_000
#: Training rows of a fold that methods learn from at the most.
MOST_ROWS = 25_000
#: Seconds for a method and a fold at the most, where no limit is asked for.
LONGEST = 60.0
#: ... and not less than this, however small the budget.
LEAST_LIMIT = 5.0
#: Share of a budget in which every method has one fold with its defaults, however slow it is, and
#: what is kept for the final models, the figures and the page.
FIRST_SHARE, RESERVE_SHARE = 0.6, 0.15
#: Seconds that the end takes whatever the budget is.
LEAST_RESERVE = 12.0
#: Tuning makes up to twenty configurations race on a part of the rows: it takes about so many times
#: the seconds of a fit with defaults, for an estimate before anything was tuned.
_TUNING_FACTOR = 8.0
SETTINGS = ("defaults", "tuned")
#: Methods that take seconds on any table.
QUICKEST = {"cart-3", "logistic", "c45", "rlsd", "fast-boxes", "balanced-forest", "rusboost"}


@dataclass(frozen=True)
class Plan:
    """What is compared on a table, how, and for how long."""

    data: Dataset
    contestants: Mapping[str, Entrant]
    metric: str = "g_mean"
    folds: int = 5
    repeats: int = 1
    seed: int = 0
    #: Seconds for everything, from `started` on; 0 for no limit.
    budget: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    time_limit: float = LONGEST
    n_jobs: int = 1
    tuned: bool = True
    #: Why methods are left out: packages that are not installed.
    absent: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        data: Dataset,
        settings: Settings,
        *,
        metric: str = "g_mean",
        folds: int = 0,
        budget: float = 0.0,
        started: float | None = None,
        tuned: bool = True,
    ) -> "Plan":
        """The plan for a file: what is not asked for is chosen by its number of rows."""
        experiment = settings.extra.added_to(EXPERIMENTS["defaults"])
        methods = {name: experiment.methods[name] for name in settings.methods_for(experiment)}
        absent = [method.not_installed for method in methods.values() if method.not_installed]
        runs = {name: m.run for name, m in methods.items() if not m.not_installed}
        if not runs:
            raise ValueError(f"no method can be run here: {'; '.join(absent)}.")
        if other := [name for name, run in runs.items() if not isinstance(run, Entrant)]:
            raise ValueError(
                f"{', '.join(other)}: on a file of your own classifiers are compared, and a Method "
                "has none. Give the classifier itself."
            )
        jobs = _processes(settings.n_jobs)
        share = FIRST_SHARE * budget * jobs / len(runs) if budget else LONGEST
        return cls(
            data,
            runs,
            metric,
            folds or (3 if data.n > THREE_FOLDS_ROWS else experiment.folds),
            2 if data.n <= TWO_REPEATS_ROWS else 1,
            settings.seed,
            budget,
            time.perf_counter() if started is None else started,
            settings.time_limit or min(LONGEST, max(LEAST_LIMIT, float(round(share)))),
            jobs,
            tuned,
            tuple(absent),
        )

    @property
    def experiment(self) -> Experiment:
        """How folds are cut and seeded."""
        return replace(EXPERIMENTS["defaults"], folds=self.folds, repeats=self.repeats)

    @property
    def rounds(self) -> list[tuple[int, int]]:
        """Repeats and folds in their order."""
        return [(repeat, fold) for repeat in range(self.repeats) for fold in range(self.folds)]

    @property
    def reserve(self) -> float:
        """Seconds kept for what comes after the comparison."""
        least = min(LEAST_RESERVE, self.budget / 2)
        return max(least, RESERVE_SHARE * self.budget)

    @property
    def left(self) -> float:
        """Seconds left for the comparison."""
        if not self.budget:
            return math.inf
        return self.budget - self.reserve - (time.perf_counter() - self.started)

    def test_rows(self, repeat: int, fold: int) -> np.ndarray:
        """The numbers of the rows in a test part."""
        cut = derive_seed(self.seed, self.data.name, repeat)
        return self.experiment.split(self.data.y, self.folds, cut)[fold][1]

    def sentences(self) -> list[str]:
        """What will be done, in words."""
        learned = self.data.n - self.data.n // self.folds
        cut = f"{self.folds} stratified folds"
        texts = [
            f"{count(len(self.contestants), 'method')} with default parameters on "
            f"{cut if self.repeats == 1 else f'{self.repeats} x {cut}'}"
            + (", then tuned, the best first" if self.tuned else "")
            + f"; at most {self.time_limit:g} s per method and fold"
            + (f", {duration(self.budget)} in all" if self.budget else "")
            + f", in {count(self.n_jobs, 'process').replace('processs', 'processes')}."
        ]
        few = {
            entrant.contestant.label: entrant.contestant.max_rows
            for entrant in self.contestants.values()
            if 0 < entrant.contestant.max_rows < min(learned, MOST_ROWS)
        }
        if learned > MOST_ROWS:
            texts.append(
                f"Methods learn from a sample of {MOST_ROWS:,} of the {learned:,} rows in a "
                "training part, and are tested on all rows of the test part."
            )
        if few:
            sampled = ", ".join(f"{label} {most:,}" for label, most in few.items())
            texts.append(f"Some learn from fewer rows: {sampled}.")
        if self.absent:
            texts.append(f"Left out: {'; '.join(self.absent)}.")
        if self.tuned and learned > RACE_ROWS:
            texts.append(
                f"Configurations are compared on a sample of {RACE_ROWS:,} rows; the one chosen "
                "learns from the method's rows."
            )
        return texts


def _processes(n_jobs: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def _sampled(run: Entrant, tuned: bool) -> Entrant:
    most = min(run.contestant.max_rows or MOST_ROWS, MOST_ROWS)
    return replace(run, contestant=replace(run.contestant, max_rows=most), tuned=tuned)


@dataclass(frozen=True)
class _Try:
    """One method on one fold."""

    method: str
    setting: str
    repeat: int
    fold: int

    @property
    def entrant(self) -> tuple[str, str]:
        return self.method, self.setting

    @property
    def round(self) -> tuple[int, int]:
        return self.repeat, self.fold


@dataclass(frozen=True)
class Kept:
    """What a method did on a fold: how positive it finds the test rows, and its rules, if any."""

    score: np.ndarray
    predicted: np.ndarray
    rules: Rules | None


@dataclass
class Comparison:
    """What is there of a plan."""

    plan: Plan
    rows: pd.DataFrame
    kept: dict[tuple, Kept]
    #: Why it ended before all was done: "", "budget" or "interrupt".
    ended: str = ""
    _planned: list[_Try] = field(default_factory=list)

    @property
    def contestants(self) -> dict[str, Contestant]:
        """By their names."""
        return {name: run.contestant for name, run in self.plan.contestants.items()}

    @cached_property
    def rounds(self) -> list[tuple[int, int]]:
        """The folds that are compared: those that every method has gone through with its defaults.

        If there is none, the first fold with those methods that have it.
        """
        there = set(self.rows[["repeat", "fold"]].itertuples(index=False, name=None))
        absent = {t.round for t in self._planned if t.setting == "defaults"} & {
            t.round for t in self.missing if t.setting == "defaults"
        }
        return sorted(there - absent) or sorted(there)[:1]

    @cached_property
    def compared(self) -> pd.DataFrame:
        """The rows of these folds."""
        rounds = set(self.rounds)
        of_row = zip(self.rows["repeat"], self.rows["fold"], strict=True)
        return self.rows[[round in rounds for round in of_row]]

    @property
    def is_partial(self) -> bool:
        """Whether some methods have not even been tried on the folds that are compared."""
        return any(t.setting == "defaults" and t.round in self.rounds for t in self.missing)

    @cached_property
    def missing(self) -> list[_Try]:
        """What was planned and is not there."""
        done = set(self.rows[list(_KEY)].itertuples(index=False, name=None))
        return [t for t in self._planned if (t.method, t.setting, *t.round) not in done]

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """See `ranked`."""
        share = self.plan.experiment.test_share
        return ranked(self.compared, self.contestants, self.plan.metric, test_share=share)

    def of(self, method: str, setting: str) -> dict[tuple[int, int], Kept]:
        """What an entrant did on the folds that are compared."""
        found = {round: self.kept.get((method, setting, *round)) for round in self.rounds}
        return {round: kept for round, kept in found.items() if kept is not None}

    def what_is_missing(self) -> tuple[str, str]:
        """That something is missing, in a sentence, and which methods and folds; else nothing."""
        texts = [text for setting in SETTINGS for text in self._missing_of(setting)]
        if not self.ended or not texts:
            return "", ""
        why = {
            "budget": f"The budget of {duration(self.plan.budget)} was used up",
            "interrupt": "It was interrupted",
        }
        return (
            f"{why[self.ended]} before everything was computed. The comparison rests on "
            f"{len(self.rounds)} of {count(len(self.plan.rounds), 'fold')}. The same command with "
            "more time goes on from here.",
            f"Missing: {'; '.join(texts)}.",
        )

    def _missing_of(self, setting: str) -> Iterable[str]:
        """Methods by how many of their folds are missing."""
        lost = pd.Series([t.method for t in self.missing if t.setting == setting], dtype=str)
        lost = lost.value_counts(sort=False)
        planned = {t.method for t in self._planned if t.setting == setting}
        n = len(self.plan.rounds)
        for number in sorted(set(lost), reverse=True):
            methods = lost.index[lost == number]
            names = [self.contestants[name].label for name in methods]
            who = "all methods" if len(methods) == len(planned) else ", ".join(names)
            yield f"{number} of {count(n, 'fold')} of {who} ({setting})"


_KEY = ("method", "setting", "repeat", "fold")


def compare(plan: Plan, tell: Callable[[str], None] = lambda text: None) -> Comparison:
    """Carry out a plan until it is done, its time is over or Ctrl-C is pressed.

    ``tell`` is called with how far it is, in words, whenever something is finished.
    """
    load_code()
    return _Run(plan, tell).to_the_end()


class _Run:
    def __init__(self, plan: Plan, tell: Callable[[str], None]):
        self.plan, self.tell = plan, tell
        self.rows: list[dict] = []
        self.kept: dict[tuple, Kept] = {}
        self.seconds: dict[tuple[str, str], list[float]] = {}
        self.dropped: set[tuple[str, str]] = set()
        self.running: dict[connection.Connection, tuple[_Try, Child]] = {}
        # what takes least goes first, so that a run that ends early has the simple baselines
        first = sorted(plan.contestants, key=lambda m: m not in QUICKEST)
        self.todo = [_Try(m, "defaults", *r) for r in plan.rounds for m in first]
        self.planned = list(self.todo)
        self.is_tuning = not plan.tuned
        self.store = _Cache(plan)

    def to_the_end(self) -> Comparison:
        ended = ""
        try:
            while self._start() or self.running:
                if self.plan.left <= 0:
                    ended = "budget"
                    break
                self._collect()
        except KeyboardInterrupt:
            ended = "interrupt"
        finally:
            for _, child in self.running.values():
                child.stop()
        if not self.is_tuning:
            self.planned += self._tuning_of(self.plan.contestants)
        return self._so_far(ended)

    def _start(self) -> bool:
        """Start what comes next, as long as there are processes for it; whether there is work."""
        while len(self.running) < self.plan.n_jobs and self.plan.left > 0:
            if not self.todo and not self.is_tuning and not self.running:
                self._plan_tuning()
            if not self.todo:
                break
            each = self.todo.pop(0)
            if each.entrant in self.dropped:
                continue
            if (stored := self.store.load(each)) is not None:
                self._note(each, *stored)
                continue
            load_code(self.plan.contestants[each.method].contestant.needs)
            child = Child(lambda each=each: self._work(each))
            self.running[child.pipe] = each, child
        return bool(self.todo)

    def _plan_tuning(self) -> None:
        """The best first; methods without a result on some folds are left out."""
        self.is_tuning = True
        ranking = self._so_far("").ranking
        if len(ranking):
            chosen = ranking["learned"] & ranking["complete"]
            self.todo = self._tuning_of(ranking.loc[chosen, "method"])
            self.planned += self.todo

    def _tuning_of(self, methods: Iterable[str]) -> list[_Try]:
        spaces = {name: self.plan.contestants[name].contestant.space for name in methods}
        return [_Try(m, "tuned", *r) for m in spaces if spaces[m] for r in self.plan.rounds]

    def _so_far(self, ended: str) -> Comparison:
        experiment = self.plan.experiment
        columns = (*_KEY, "status", "message", *experiment.measures, *experiment.costs, "seconds")
        planned = [t for t in self.planned if t.entrant not in self.dropped]
        rows = pd.DataFrame(self.rows, columns=columns)
        return Comparison(self.plan, rows, self.kept, ended, planned)

    def _work(self, each: _Try) -> tuple[dict, Kept]:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
        entrant = _sampled(self.plan.contestants[each.method], each.setting == "tuned")
        task = Task(self.plan.data.name, each.method, *each.round, self.plan.seed)
        data = self.plan.data
        done = entrant.held_out(self.plan.experiment.fold_of(task, data.X, data.y))
        score, predicted = done.score.astype(np.float32), np.asarray(done.predicted) == 1
        return done.measures, Kept(score, predicted, rules_of(done.model, data.X))

    def _collect(self) -> None:
        """Wait for the next to finish and note it; stop those whose time is over."""
        limit = self.plan.time_limit
        left = [limit - child.seconds for _, child in self.running.values()]
        wait = max(0.0, min([*left, self.plan.left]))
        ready = connection.wait(list(self.running), timeout=wait)
        late = [pipe for pipe, (_, child) in self.running.items() if child.seconds >= limit]
        for pipe in {*ready, *late}:
            each, child = self.running.pop(pipe)
            self._finish(each, child.outcome(0))

    def _finish(self, each: _Try, outcome: Outcome) -> None:
        measures, kept = outcome.result or ({}, None)
        y = self.plan.data.y[self.plan.test_rows(*each.round)]
        measured = measures_of(replace(outcome, result=measures), y, self.plan.time_limit)
        row = {"status": "ok", "message": ""} | measured | {"seconds": outcome.seconds}
        self.store.save(each, row, kept)
        self._note(each, row, kept)
        self.tell(self._progress())

    def _note(self, each: _Try, row: dict, kept: Kept | None) -> None:
        self.rows.append({**dict(zip(_KEY, (*each.entrant, *each.round), strict=True)), **row})
        self.seconds.setdefault(each.entrant, []).append(row["seconds"])
        if kept is not None:
            self.kept[(*each.entrant, *each.round)] = kept
        else:  # on other folds it would go the same way
            self.dropped.add(each.entrant)

    def _progress(self) -> str:
        """How far it is, and how long it will take by what a method took on other folds."""
        todo = [t for t in self.todo if t.entrant not in self.dropped]
        done = len(self.rows)
        if not self.is_tuning:
            alive = [m for m in self.plan.contestants if (m, "defaults") not in self.dropped]
            todo += self._tuning_of(alive)
        work = [*todo, *(each for each, _ in self.running.values())]
        usual = float(np.mean([s for seconds in self.seconds.values() for s in seconds]))
        expected = sum(self._expected(each, usual) for each in work) / self.plan.n_jobs
        left = duration(max(0.0, min(expected, self.plan.left)))
        return f"{done} of {done + len(work)} runs, about {left} left"

    def _expected(self, each: _Try, usual: float) -> float:
        seconds = self.seconds.get(each.entrant)
        if seconds is None and each.setting == "tuned":
            untuned = self.seconds.get((each.method, "defaults"), [usual])
            seconds = [_TUNING_FACTOR * np.mean(untuned)]
        return min(float(np.mean(seconds or [usual])), self.plan.time_limit)


class _Cache:
    """What was finished before, by everything that it depends on.

    Only this program writes there; the files are those of its own cache.
    """

    def __init__(self, plan: Plan):
        self.plan = plan
        self.folder = paths.own_results() / "comparisons"
        experiment = EXPERIMENTS["defaults"]
        self.versions = {
            name: experiment.methods[name].version
            for name in plan.contestants
            if name in experiment.methods
        }

    def _file(self, each: _Try) -> Path | None:
        if each.method not in self.versions:  # a user's own, whose code may have changed
            return None
        plan = self.plan
        parts = (
            *(plan.data.name, plan.data.facts.sha256, plan.folds, plan.seed, MOST_ROWS),
            *(each.entrant, each.round, self.versions[each.method]),
        )
        return self.folder / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.npz"

    def load(self, each: _Try) -> tuple[dict, Kept | None] | None:
        file = self._file(each)
        if file is None or not file.exists():
            return None
        with contextlib.suppress(Exception):  # damaged or of another version: computed again
            with np.load(file, allow_pickle=False) as stored:
                row, texts = json.loads(str(stored["row"])), json.loads(str(stored["texts"]))
                kept = None
                if "score" in stored:
                    rules = (
                        None if texts is None else Rules(texts, stored["bits"], int(stored["n"]))
                    )
                    kept = Kept(stored["score"], stored["predicted"], rules)
            if kept is not None or row["time_limit"] >= self.plan.time_limit:
                return row, kept
        return None

    def save(self, each: _Try, row: dict, kept: Kept | None) -> None:
        file = self._file(each)
        if file is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            rules = kept.rules if kept is not None else None
            texts = None if rules is None else rules.texts
            parts = {"row": json.dumps(row, default=_plain), "texts": json.dumps(texts)}
            if kept is not None:
                parts |= {"score": kept.score, "predicted": kept.predicted}
            if rules is not None:
                parts |= {"bits": rules.bits, "n": rules.n}
            content = io.BytesIO()
            np.savez(content, **parts)
            replace_file(file, content.getvalue(), "MINORITY_RESULTS")


def _plain(number):
    """A number of NumPy's as one of Python's."""
    return number.item()


def duration(seconds: float) -> str:
    """Seconds as people say them: 40 s, 3 min, 1.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def seconds_of(text: str) -> float:
    """A budget such as ``10m``, ``90s`` or ``1.5h`` in seconds; a bare number is seconds."""
    text = text.strip().lower()
    number = text.rstrip("smhin ")
    unit = text[len(number) :].strip()
    with contextlib.suppress(ValueError):
        seconds = float(number) * _UNITS.get(unit, math.nan)
        if 0 <= seconds < math.inf:
            return seconds
    raise ValueError(f"a budget is a number with s, m or h, such as 90s, 10m or 1h, not {text!r}.")
