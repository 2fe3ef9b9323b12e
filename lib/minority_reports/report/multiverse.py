"""The claims of a paper over all of its readings: rows replaced, claims judged, the study kept."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd

from minority_reports.experiments import Paper, Results
from minority_reports.report.readings import Levels, check, variants_of


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
        variants = variants_of(self.readings, paper.experiments)
        plans = paper.experiments
        self.repeats = {v.target: plans[v.target].repeats for v in variants}
        for v in variants:
            self.repeats[v.target] = min(self.repeats[v.target], plans[v.source].repeats)
        for target, most in self.repeats.items():
            self.text[target] = first_repeats(self.text[target], most)
        groups = {
            source: dict(list(results[source].rows.groupby(["method", "setting"], sort=False)))
            for source in {v.source for v in variants}
        }
        self.relevant, rows = {}, {}
        for v in variants:
            self.relevant.setdefault((v.target, v.base), set()).update(v.levels)
            found = groups[v.source].get((v.method, v.setting))
            if found is not None:
                found = found[found["repeat"] < self.repeats[v.target]]
                found = found.assign(method=v.base, setting=v.base_setting)
                key = v.target, v.base, self.readings.label(v.levels)
                rows.setdefault(key, []).append(found[list(self.text[v.target].rows.columns)])
        self._rows = {key: pd.concat(parts) for key, parts in rows.items()}

    def projected(self, levels: Levels, cells: Iterable[tuple[str, str]]) -> dict[str, str]:
        """What of a reading concerns some methods, given as (target, method)."""
        seen = set().union(*(self.relevant.get(cell, ()) for cell in cells))
        return {choice: level for choice, level in levels.items() if choice in seen}

    def under(self, levels: Levels) -> dict[str, Results]:
        """The results under a reading: where it has no rows of a method there are none."""
        found = dict(self.text)
        levels = self.readings.checked(levels)
        for target in self.repeats:
            rows = self.text[target].rows
            parts = {
                method: self._rows_of(target, method, concerning)
                for of, method in self.relevant
                if of == target and (concerning := self.projected(levels, [(of, method)]))
            }
            if parts:
                parts = [rows[~rows["method"].isin(list(parts))], *parts.values()]
                rows = pd.concat(parts, ignore_index=True)
                found[target] = replace(self.text[target], rows=rows, _kept={})
        return found

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
            rows = self._rows.get((target, method, label), none) if label else of_text
            parts.append(rows[rows["dataset"].isin(names)])
        return pd.concat(parts)


def first_repeats(results: Results, most: int) -> Results:
    """The results of the first repeats, as if the protocol had no others."""
    plan = results.experiment
    if plan.repeats <= most:
        return results
    plan = replace(plan, repeats=most)
    rows = results.rows[results.rows["repeat"] < most].reset_index(drop=True)
    return replace(results, experiment=plan, rows=rows, planned=plan.n_keys, _kept={})


def under_reading(paper: Paper, results: Mapping[str, Results], levels: Levels):
    """The results of a paper under a reading, for its tables and figures.

    >>> under_reading(paper, results, {"faces": "largest"})  # doctest: +SKIP
    """
    return RowsByLevel(paper, results).under(levels)
