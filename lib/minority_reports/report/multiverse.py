"""The results of a paper under each of its readings, and its claims judged on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import pandas as pd

from minority_reports.experiments import Paper, Results, Settings, run
from minority_reports.report.claims import AnyRule, Both, Need, Rule, Verdict
from minority_reports.report.readings import Levels, check, plans_of, rule_of, variants_of

#: The seeds of the splits and of all methods; tables are of the first one.
SEEDS = (0, 1, 2)


class RowsByLevel:
    """The results of a paper under each of its readings.

    Parameters
    ----------
    paper : Paper
    results : mapping of str to Results
        By the short names of the paper's experiments, of whole protocols.

    Attributes
    ----------
    text : dict of str to Results
        By the text as printed, of the repeats that all sources have.
    relevant : dict of (str, str) to set of str
        By target and method, the choices that there are rows of it for.
    """

    def __init__(self, paper: Paper, results: Mapping[str, Results]):
        self.readings = check(paper)
        self.text = {name: part.of_protocol() for name, part in results.items()}
        plans, derived = plans_of(paper), self.readings.derived
        variants = variants_of(self.readings, plans)
        self.repeats = {v.target: plans[v.target].repeats for v in variants}
        for v in variants:
            self.repeats[v.target] = min(self.repeats[v.target], plans[v.source].repeats)
        for target, most in self.repeats.items():
            self.text[target] = first_repeats(self.text[target], most)
        groups = {}
        for source in {v.source for v in variants}:
            found = derived[source].rows(results) if source in derived else results[source].rows
            groups[source] = dict(list(found.groupby(["method", "setting"], sort=False)))
        self.relevant, self._settings, self._complete, rows = {}, {}, {}, {}
        for v in variants:
            self.relevant.setdefault((v.target, v.base), set()).update(v.levels)
            key = v.target, v.base, self.readings.label(v.levels)
            self._settings.setdefault(key, []).append(v.base_setting)
            found = groups[v.source].get((v.method, v.setting))
            if found is not None:
                found = found[found["repeat"] < self.repeats[v.target]]
                found = found.assign(method=v.base, setting=v.base_setting)
                rows.setdefault(key, []).append(found[list(self.text[v.target].rows.columns)])
        self._rows = {key: pd.concat(parts) for key, parts in rows.items()}

    def projected(self, levels: Levels, cells: Iterable[tuple[str, str]]) -> dict[str, str]:
        """What of a reading concerns some methods, given as (target, method)."""
        seen = set().union(*(self.relevant.get(cell, ()) for cell in cells))
        return {choice: level for choice, level in levels.items() if choice in seen}

    def under(self, levels: Levels) -> dict[str, Results]:
        """The results under a reading: where it has no rows of a method there are none."""
        found = dict(self.text)
        for target, results in self.text.items():
            concerned = self._concerned(target, levels)
            if concerned:
                plan = replace(results.experiment, settings=self._settings_under(target, levels))
                parts = [self._rows_of(target, *one) for one in concerned.items()]
                others = results.rows[~results.rows["method"].isin(concerned)]
                rows = pd.concat([others, *parts], ignore_index=True)
                found[target] = replace(results, experiment=plan, rows=rows, _kept={})
        return found

    def _concerned(self, target: str, levels: Levels) -> dict[str, Levels]:
        """The methods that a reading changes, each with the levels that concern it."""
        found = {
            method: self.projected(levels, [(of, method)])
            for of, method in self.relevant
            if of == target
        }
        return {method: concerning for method, concerning in found.items() if concerning}

    def _settings_under(self, target: str, levels: Levels) -> tuple[str, ...]:
        """The settings of the target, and those that a reading adds to it."""
        found = list(self.text[target].experiment.settings)
        for method, concerning in self._concerned(target, levels).items():
            found += self._settings.get((target, method, self.readings.label(concerning)), [])
        return tuple(dict.fromkeys(found))

    def complete(self, target: str, method: str, levels: Levels) -> frozenset[str]:
        """The data sets on which the rows of a method are complete under a reading."""
        concerning = self.projected(levels, [(target, method)])
        settings = self._settings_under(target, levels)
        key = target, method, self.readings.label(concerning), settings
        if key not in self._complete:
            plan = self.text[target].experiment
            rows = self._rows_of(target, method, concerning)
            counts = rows.loc[rows["setting"].isin(settings), "dataset"].value_counts()
            whole = counts.index[counts == len(settings) * plan.repeats * plan.folds]
            self._complete[key] = frozenset(whole)
        return self._complete[key]

    def n_sets(self, levels: Levels) -> dict[str, int]:
        """On how many data sets a reading's rows are complete, by experiment that it changes."""
        found = {}
        for target in self.repeats:
            for method, concerning in self._concerned(target, levels).items():
                there = self.complete(target, method, levels)
                about = [self.readings.by_name[choice].datasets for choice in concerning]
                there = there.intersection(*(names for names in about if names))
                found[target] = found.get(target, there) & there
        return {target: len(names) for target, names in found.items()}

    def _rows_of(self, target: str, method: str, levels: Levels) -> pd.DataFrame:
        """The rows of a method under levels that concern it: of the text, where none does."""
        of_text = self.text[target].rows_of(method=method)
        by_label = {}
        for name in self.text[target].experiment.datasets:
            about = {c: self.readings.by_name[c].datasets or (name,) for c in levels}
            label = self.readings.label({c: levels[c] for c in levels if name in about[c]})
            by_label.setdefault(label, []).append(name)
        parts = []
        for label, names in by_label.items():
            none = of_text.iloc[:0]
            key = target, method, label
            rows = self._rows.get(key, none) if label else of_text
            parts.append(rows[rows["dataset"].isin(names)])
            if replaced := self._settings.get(key):
                # settings that the reading does not concern have no rows of their own
                kept = of_text["dataset"].isin(names) & ~of_text["setting"].isin(replaced)
                parts.append(of_text[kept])
        return pd.concat(parts)


def first_repeats(results: Results, most: int) -> Results:
    """The results of the first repeats, as if the protocol had no others."""
    plan = results.experiment
    if plan.repeats <= most:
        return results
    plan = replace(plan, repeats=most)
    rows = results.rows[results.rows["repeat"] < most].reset_index(drop=True)
    return replace(results, experiment=plan, rows=rows, planned=plan.n_keys, _kept={})


def under_reading(
    paper: Paper, results: Mapping[str, Results], levels: Levels
) -> dict[str, Results]:
    """The results of a paper under a reading, for its tables and figures.

    Of methods that the reading concerns there are rows of its own only: none where it has none.
    """
    return RowsByLevel(paper, results).under(paper.readings.checked(levels))


#: Data sets, each with the experiment whose rows of it decide.
Sets = frozenset[tuple[str, str]]


def widest(
    complete: Mapping[str, Sets], least: Mapping[str, int] = MappingProxyType({})
) -> tuple[list[str], Sets]:
    """Of readings the ones to compare, and the data sets that all of these have complete.

    The first reading is the text's. The more readings, the fewer data sets: as many cells as
    possible are compared, if that is possible on at least half of the text's data sets. Of several
    experiments the one with the fewest counts. By experiment, `least` is how many a rule needs.
    """
    text, *others = complete
    experiments = {experiment for experiment, _ in complete[text]}

    def count(sets: Sets) -> int:
        found = {one: sum(of == one for of, _ in sets) for one in experiments}
        enough = all(n >= least.get(one, 1) for one, n in found.items())
        return min(found.values(), default=0) if enough else 0

    others = sorted(others, key=lambda name: -count(complete[name] & complete[text]))
    kept, common, found = [text], complete[text], []
    for name in others:
        kept, common = [*kept, name], common & complete[name]
        if count(common):
            is_half = 2 * count(common) >= count(complete[text])
            found.append((is_half, len(kept) * count(common), len(kept), kept, common))
    if not found:
        return [text], complete[text]
    *_, kept, common = max(found, key=lambda one: one[:3])
    return [name for name in complete if name in kept], common


@dataclass
class Contested:
    """A claim with the readings that concern it.

    Attributes
    ----------
    cells : tuple of (str, str)
        The methods that it is about, each with its experiment.
    planned : dict of str to mapping
        Its readings by label, without the choices that change none of these rows.
    kept : list of str
        Those that are judged, the text's first: all on the same data sets.
    sets, seed_sets : Sets
        The data sets for the readings, and for the seeds: their own if they lack some of those.
    n_seen : int
        How many the verdict by the text rests on, whatever the readings have.
    """

    rule: Rule | Both
    needs: tuple[Need, ...]
    cells: tuple[tuple[str, str], ...]
    planned: dict[str, Levels]
    kept: list[str] = field(default_factory=list)
    sets: Sets = frozenset()
    seed_sets: Sets = frozenset()
    n_seen: int = 0

    @property
    def experiments(self) -> list[str]:
        """The experiments that the cells are of."""
        return list(dict.fromkeys(experiment for experiment, _ in self.cells))

    def complete(self, results: Mapping[str, Results]) -> Sets:
        """The data sets on which all of its cells are complete."""
        found = set()
        for experiment in self.experiments:
            methods = [method for of, method in self.cells if of == experiment]
            names = results[experiment].complete(methods).datasets
            found |= {(experiment, name) for name in names}
        return frozenset(found)

    def complete_under(self, rows: RowsByLevel, levels: Levels) -> Sets:
        """The data sets on which those of its cells are complete that readings change."""
        found = set()
        for experiment in self.experiments:
            names = set(rows.text[experiment].experiment.datasets)
            for of, method in self.cells:
                if of == experiment and (of, method) in rows.relevant:
                    names &= rows.complete(of, method, levels)
            found |= {(experiment, name) for name in names}
        return frozenset(found)

    def judged(self, results: Mapping[str, Results], sets: Sets) -> Verdict:
        """The verdict on some data sets."""
        parts = {
            name: results[name].on_datasets(
                d for d in results[name].experiment.datasets if (name, d) in sets
            )
            for name in self.experiments
        }
        return self.rule({**results, **parts})


class Multiverse:
    """The claims of a paper over all its readings and seeds.

    Headline claims are judged over all planned readings; the others that look at rows by level, or
    at the main table, over each level alone.

    Parameters
    ----------
    paper : Paper
    results : mapping of str to Results
        By the short names of the paper's experiments, of whole protocols.

    Attributes
    ----------
    planned : dict of str to mapping
        The planned readings by label, the text's first.
    claims : dict of str to Contested
    """

    def __init__(self, paper: Paper, results: Mapping[str, Results]):
        self.paper, self.results, self.readings = paper, results, paper.readings
        self.rows = RowsByLevel(paper, results)
        plan = [{}, *map(self.readings.checked, self.readings.combinations)]
        self.planned = {self.readings.label(levels): levels for levels in plan}
        targets = {*self.rows.repeats, paper.main}
        self.seeds = self._of_other_seeds([name for name in paper.experiments if name in targets])
        self.claims = {}
        for claim in {**paper.rules, **self.readings.rules}:
            rule = rule_of(paper, claim)
            needs = tuple(need for need in _needs(rule) if need.experiment in targets)
            if needs:
                self.claims[claim] = self._contested(claim, rule, needs)
        self._choose_sets()
        self.claims = {name: claim for name, claim in self.claims.items() if claim.sets}

    def _of_other_seeds(self, names: list[str]) -> dict[int, dict[str, Results]]:
        """By seed, the results of the experiments of which all seeds have rows."""
        found = {}
        for seed in SEEDS[1:]:
            settings = Settings(self.paper, seed=seed, compute="none")
            found[seed] = {name: run(self.paper.experiments[name], settings) for name in names}
        return {
            seed: {
                name: first_repeats(part.of_protocol(), self.rows.text[name].experiment.repeats)
                for name, part in parts.items()
                if all(len(other[name].rows) for other in found.values())
            }
            for seed, parts in found.items()
        }

    def _contested(self, claim: str, rule: Rule | Both, needs: tuple[Need, ...]) -> Contested:
        cells = tuple(
            (need.experiment, method)
            for need in needs
            for method in need.methods or self.rows.text[need.experiment].experiment.methods
        )
        planned = {}
        for levels in self.planned.values():
            levels = self.rows.projected(levels, cells)
            if claim in self.readings.claims or len(levels) < 2:
                planned.setdefault(self.readings.label(levels), levels)
        return Contested(rule, needs, cells, planned)

    def labels(self) -> dict[str, Levels]:
        """All readings under which something is judged, by label."""
        return {k: v for claim in self.claims.values() for k, v in claim.planned.items()}

    def _choose_sets(self) -> None:
        """Choose the readings and the data sets on which each claim is judged."""
        text = self.rows.text
        for claim in self.claims.values():
            seen = frozenset(
                (need.experiment, d) for need in claim.needs for d in need.of(text).datasets
            )
            least = {}
            for need in claim.needs:
                least[need.experiment] = max(need.sets, least.get(need.experiment, 1))
            complete = {
                label: claim.complete_under(self.rows, levels) & seen
                for label, levels in claim.planned.items()
            }
            claim.kept, claim.sets = widest(complete, least)
            of_seeds = [claim.complete({**text, **parts}) for parts in self.seeds.values()]
            of_seeds.append(claim.complete(text))
            claim.seed_sets = seen.intersection(*of_seeds)
            if claim.sets <= claim.seed_sets:
                claim.seed_sets = claim.sets
            claim.n_seen = len({name for _, name in seen})

    def worlds(self, name: str) -> dict[str, Sets]:
        """Where a claim is judged: labels of readings and seeds, each with the data sets.

        The text's reading is the first. The first seed is among the seeds, such as ``seed=1``, if
        they have other data sets than the readings.
        """
        claim = self.claims[name]
        found = dict.fromkeys(claim.kept, claim.sets)
        with_seeds = {experiment for parts in self.seeds.values() for experiment in parts}
        if claim.seed_sets and not with_seeds.isdisjoint(claim.experiments):
            seeds = SEEDS[1:] if claim.seed_sets == claim.sets else SEEDS
            found |= {f"seed={seed}": claim.seed_sets for seed in seeds}
        return found

    def judged(self, part: int = 0, of: int = 1) -> dict[tuple[str, str], Verdict]:
        """The verdicts by claim and label, of every so many of the labels.

        Of a claim of several parts all effects are those of the part that decides as printed.
        """
        text, readings = self.rows.text, self.labels()
        seeds = {f"seed={seed}": {**text, **self.seeds.get(seed, {})} for seed in SEEDS}
        worlds = {name: self.worlds(name) for name in self.claims}
        found, deciding = {}, {}
        judged = {label for labels in worlds.values() for label in labels}
        for label in [label for label in (*readings, *seeds) if label in judged][part::of]:
            results = self.rows.under(readings[label]) if label in readings else seeds[label]
            for name, claim in self.claims.items():
                if label not in worlds[name]:
                    continue
                verdict = claim.judged(results, worlds[name][label])
                if verdict.parts:
                    if name not in deciding:
                        printed = claim.judged(text, claim.sets)
                        grades = [one.grade for one in printed.parts]
                        deciding[name] = grades.index(printed.grade)
                    effect = verdict.parts[deciding[name]].effect
                    verdict = replace(verdict, effect=effect)
                found[name, label] = verdict
        return found


def _needs(rule: AnyRule) -> tuple[Need, ...]:
    """All needs of a rule, none if a part of it is not tested."""
    rules = rule.rules if isinstance(rule, Both) else (rule,)
    if not all(isinstance(one, Rule) for one in rules):
        return ()
    return tuple(need for one in rules for need in one.needs)
