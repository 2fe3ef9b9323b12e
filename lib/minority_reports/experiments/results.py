"""The rows of an experiment: which are there, which cells are complete, scores as matrices.

A cell is a data set and a method. It is complete with all settings, repeats and folds of the
selection, and it counts in a comparison, a test, a rank or a mean over data sets only then. What is
not complete is shown, and marked.
"""

import copy
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports.experiments.plan import Experiment, Task
from minority_reports.statistics import corrected_interval

CELL = ["dataset", "method"]


def protocol_tasks(experiment: Experiment) -> frozenset[tuple]:
    """The tasks of the whole protocol, whatever the seed, without methods that were added to it."""
    return without_seed(t for t in experiment.tasks() if t.method not in experiment.extra)


def without_seed(tasks: Iterable[Task]) -> frozenset[tuple]:
    """Tasks as (data set, method, repeat, fold)."""
    return frozenset((t.dataset, t.method, t.repeat, t.fold) for t in tasks)


class Grid(NamedTuple):
    """The cells of a selection as a grid, and where in it things are."""

    datasets: pd.Index
    methods: pd.Index

    def places(self, frame: pd.DataFrame) -> np.ndarray:
        """The row and the column of each row's cell; -1 for what is none of the grid's."""
        columns = (self.datasets, frame["dataset"]), (self.methods, frame["method"])
        return np.array([names.get_indexer(column) for names, column in columns])


class Cut(NamedTuple):
    """Which cells a narrower selection has of the `whole` results that it is cut out of."""

    whole: "Results"
    grid: Grid
    #: By data set and method of the grid, and behind them False for what is in no cell.
    chosen: np.ndarray
    #: Whether all of these cells are complete.
    complete: bool = False

    def of(self, name: str) -> pd.DataFrame:
        """The rows, or the timings, of the chosen cells."""
        frame = getattr(self.whole, name)
        if frame.empty:
            return frame
        return _chosen(frame, self.chosen[tuple(self.whole.once(_places_in_grid, name))])


def count_cells(
    experiment: Experiment, rows: pd.DataFrame, selected: Iterable[tuple] | None = None
) -> pd.DataFrame:
    """Folds that are `there`, with all settings, `of` those planned: by data set and method.

    The whole protocol is planned unless tasks are selected.
    """
    folds = experiment.repeats * experiment.folds
    chosen = pd.DataFrame(list(selected or ()), columns=[*CELL, "repeat", "fold"])
    names = [*experiment.datasets, *sorted(chosen["dataset"].unique())]
    grid = Grid(pd.Index(dict.fromkeys(names)), pd.Index(experiment.methods))
    shape = len(grid.datasets), len(grid.methods), folds

    def in_grid(frame):
        repeat, fold = (frame[name].to_numpy(int) for name in ("repeat", "fold"))
        dataset, method = grid.places(frame)
        inside = (dataset >= 0) & (method >= 0)
        inside &= (repeat < experiment.repeats) & (fold < experiment.folds)
        split = repeat * experiment.folds + fold
        places = np.ravel_multi_index((dataset[inside], method[inside], split[inside]), shape)
        return np.bincount(places, minlength=math.prod(shape)).reshape(shape)

    planned = np.ones(shape, bool) if selected is None else in_grid(chosen) > 0
    whole = in_grid(rows) == len(experiment.settings)
    cells = pd.MultiIndex.from_product([grid.datasets, grid.methods], names=CELL)
    of = planned.sum(axis=2).ravel()
    frame = pd.DataFrame({"there": (whole & planned).sum(axis=2).ravel(), "of": of}, index=cells)
    return frame[of > 0]


@dataclass(frozen=True)
class Results:
    """The rows of one experiment for one selection, and what is missing from it."""

    experiment: Experiment = field(repr=False)
    rows: pd.DataFrame = field(repr=False)
    planned: int
    computed: int = 0
    failures: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    unavailable: Mapping[str, str] = field(default_factory=dict)
    timings: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    comparison: pd.DataFrame | None = field(default=None, repr=False)
    #: What was selected, as (data set, method, repeat, fold); None for the whole protocol.
    selected: frozenset[tuple] | None = field(default=None, repr=False)
    #: How many of the planned keys belong to methods that were added to the protocol.
    n_extra: int = 0
    _kept: dict = field(default_factory=dict, repr=False, compare=False)

    def __getattr__(self, name: str):
        """The frames of a narrower selection are cut out when they are first asked for."""
        if name not in ("rows", "timings"):
            raise AttributeError(name)
        frame = self._kept[Cut].of(name)
        object.__setattr__(self, name, frame)
        return frame

    @property
    def labels(self) -> dict[str, str]:
        """What the methods are called in tables and figures, by name."""
        return {name: method.label for name, method in self.experiment.methods.items()}

    @property
    def datasets(self) -> list[str]:
        """The data sets that have rows, in the protocol's order."""
        return list(self.once(_datasets))

    def rows_of(self, **names: str) -> pd.DataFrame:
        """The rows of a method, a setting, a data set or several of these, each by its name."""
        rows = self.rows
        for column, name in names.items():
            rows = rows[rows[column] == name]
        return rows

    def setting_numbers(self) -> pd.Series:
        """The number that each row's setting names, such as 0.5 of `imbalance=0.5`."""
        return self.rows["setting"].astype(str).str.extract(r"=(.+)", expand=False).astype(float)

    def class_counts(self) -> pd.DataFrame:
        """Positives and negatives of the data sets, in all test parts together."""
        groups = self.of_protocol().rows.groupby("dataset", sort=False)
        tp, fp, fn, tn = (groups[count].sum() for count in ("tp", "fp", "fn", "tn"))
        return pd.DataFrame({"positives": tp + fn, "negatives": fp + tn})

    def once(self, compute: Callable, *arguments, **options):
        """What a function makes of these results, computed once however often it is asked for."""
        key = compute, *arguments, *options.items()
        if key not in self._kept:
            self._kept[key] = compute(self, *arguments, **options)
        return self._kept[key]

    def coverage(self) -> str:
        """How many of the planned keys are there, for a table's caption."""
        return f"{len(self.rows):,} of {self.planned:,} keys"

    def cells(self) -> pd.DataFrame:
        """Folds that are `there` `of` those selected, by data set and method."""
        return self.once(_cells)

    def complete(self, methods: Iterable[str] | None = None) -> "Results":
        """The same results without what is not complete, for comparisons.

        Only cells with all selected folds and settings are left. With `methods`, only these are,
        on the data sets on which every one of them is complete.
        """
        return self.once(_complete, None if methods is None else tuple(methods))

    def first(self, folds: int) -> "Results":
        """The first folds of the first repeat, as if no others had been selected."""
        return self.once(_first, folds)

    def on_datasets(self, names: Iterable[str]) -> "Results":
        """The results of some data sets, as if the protocol had no others."""
        return self.once(_on_datasets, tuple(names))

    def of_protocol(self) -> "Results":
        """The same results without methods that were added to the protocol."""
        return self.once(_of_protocol) if self.experiment.extra else self

    def comparable(self, methods: Iterable[str], further: Iterable[str] | None = None) -> list[str]:
        """Methods of a comparison and, behind them, the further ones that it loses no data set to.

        `further` are those that were added to the protocol, unless others are given. One takes part
        if it is complete on every data set on which all of the methods are.
        """
        methods = list(methods)
        sets = set(_complete_sets(self, methods))
        others = self.experiment.extra if further is None else further
        joining = [m for m in others if sets <= set(_complete_sets(self, [m]))]
        return list(dict.fromkeys([*methods, *joining]))

    def matrix(self, measure: str, *, setting: str | None = None) -> pd.DataFrame:
        """One measure: a row for each data set, repeat and fold, a column for each method.

        Methods are in the protocol's order; one without rows has no column. Settings are averaged
        unless one is given.
        """
        return self.once(_matrix, measure, setting)

    def averaged(self, values: pd.Series, lines: tuple[str, ...], column: str) -> pd.DataFrame:
        """Means of one number a row: a line for each of `lines`, a column for each of another's.

        A pivot in the order of the rows, whose places are found once for all numbers. Some of the
        rows may be left out; lines and columns without numbers are.
        """
        index, names, cells = self.once(_places, lines, column)
        means = values.groupby(cells).mean()
        means = means.reindex(range(len(index) * len(names))).to_numpy(dtype=float)
        frame = pd.DataFrame(means.reshape(len(index), len(names)), index=index, columns=names)
        return frame.dropna(how="all").dropna(how="all", axis="columns")

    def means(self, measure: str, methods=None, *, setting: str | None = None) -> pd.DataFrame:
        """Means over folds, data sets x methods; only sets on which all methods are complete."""
        chosen = tuple(self.experiment.methods if methods is None else methods)
        frame = self.complete(chosen).matrix(measure, setting=setting)
        frame = frame.groupby(level="dataset", sort=False).mean()
        return frame.reindex(columns=list(chosen))

    def setting_means(
        self, measures: Iterable[str], methods: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Means over the data sets on which all methods are complete: (method, setting) x measures.

        In the protocol's order, with a gap for what has no rows.
        """
        chosen = tuple(self.experiment.methods if methods is None else methods)
        means = self.complete(chosen).rows.groupby(["method", "setting"], observed=True)
        planned = pd.MultiIndex.from_product(
            [chosen, self.experiment.settings], names=["method", "setting"]
        )
        return means[list(measures)].mean().reindex(planned)

    def gaps(self, measure: str, first: str, second: str) -> pd.DataFrame:
        """Mean paired difference on each data set, with its interval over overlapping splits.

        Columns `difference`, `low`, `high` and `splits`; see :func:`corrected_gaps`.
        """
        matrix = self.matrix(measure)
        if not {first, second} <= set(matrix):
            return corrected_gaps(pd.Series(dtype=float), self.experiment)
        return corrected_gaps(matrix[first] - matrix[second], self.experiment)

    def seconds(self) -> pd.DataFrame:
        """Mean seconds of a task, data sets x methods."""
        timings = self.timings
        if timings.empty:
            return pd.DataFrame()
        timings = timings[timings["dataset"].isin(self.datasets)]
        frame = timings.pivot_table(index="dataset", columns="method", values="seconds", sort=False)
        return frame[[method for method in self.experiment.methods if method in frame]]


def kept(compute: Callable) -> Callable:
    """A function of results, and of what else it is given, that computes the same only once."""

    @functools.wraps(compute)
    def once(results: Results, *arguments, **options):
        return results.once(compute, *arguments, **options)

    return once


def corrected_gaps(differences: pd.Series, experiment: Experiment) -> pd.DataFrame:
    """Means of paired differences with corrected intervals (Nadeau and Bengio, 2003).

    Parameters
    ----------
    differences : Series
        One for each split; the index has a level `dataset`. Missing ones are left out.
    experiment : Experiment
        Tells the share of the rows that a test part has.

    Returns
    -------
    frame : DataFrame
        `difference`, `low`, `high` and the number of `splits`, by data set.
    """
    columns = ["difference", "low", "high", "splits"]
    kept = differences.dropna()
    rows = {}
    if len(kept):
        for name, part in kept.groupby(level="dataset", sort=False):
            rows[name] = (*corrected_interval(part, test_share=experiment.test_share), len(part))
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return frame.rename_axis("data set")


def _chosen(frame: pd.DataFrame, rows) -> pd.DataFrame:
    """Some rows, numbered afresh; the frame itself if these are all, which is no work."""
    return frame if rows.all() else frame[rows].reset_index(drop=True)


def _of_protocol(results: Results) -> Results:
    plan = results.experiment
    protocol = replace(
        plan, methods={m: v for m, v in plan.methods.items() if m not in plan.extra}, extra=()
    )

    def without_extra(frame):
        if frame.empty:
            return frame
        return _chosen(frame, ~frame["method"].isin(plan.extra))

    rows = without_extra(results.rows)
    return replace(
        results,
        experiment=protocol,
        rows=rows,
        timings=without_extra(results.timings),
        planned=results.planned - results.n_extra,
        n_extra=0,
        _kept={},
    )


def _datasets(results: Results) -> tuple[str, ...]:
    cut = results.once(_cut)
    if cut.complete:
        there = set(_there(results).unique("dataset"))
        return tuple(name for name in cut.whole.datasets if name in there)
    return tuple(results.rows["dataset"].unique())


def _there(results: Results) -> pd.MultiIndex:
    """The cells that have folds."""
    cells = results.cells()
    return cells.index[cells["there"] > 0]


def _on_datasets(results: Results, names: tuple[str, ...]) -> Results:
    plan = replace(results.experiment, datasets=names)
    cells = results.cells()
    cells = cells[cells.index.isin(names, level="dataset")]
    cut = results.once(_cut)
    of_names = np.append(cut.grid.datasets.isin(names), False)[:, None]
    selected = results.selected
    if selected is not None:
        selected = frozenset(task for task in selected if task[0] in names)
    return _cut_out(
        results,
        cut._replace(chosen=cut.chosen & of_names),
        cells,
        experiment=plan,
        planned=plan.n_keys,
        selected=selected,
    )


def _cut(results: Results) -> Cut:
    """How a selection is cut out of whole results; whole ones are, of themselves."""
    cells = results.cells().index
    grid = Grid(cells.unique("dataset"), cells.unique("method"))
    chosen = np.zeros((len(grid.datasets) + 1, len(grid.methods) + 1), dtype=bool)
    chosen[:-1, :-1] = True
    return Cut(results, grid, chosen)


def _cut_out(results: Results, cut: Cut, cells: pd.DataFrame, **changes) -> Results:
    """A narrower selection. Its frames come later: many questions are answered without them."""
    part = copy.copy(results)
    for name, value in (changes | {"_kept": {(_cells,): cells, (_cut,): cut, Cut: cut}}).items():
        object.__setattr__(part, name, value)
    for name in ("rows", "timings"):
        if name in part.__dict__:
            object.__delattr__(part, name)
    return part


def _places_in_grid(results: Results, name: str) -> np.ndarray:
    return results.once(_cut).grid.places(getattr(results, name))


def _matrix(results: Results, measure: str, setting: str | None) -> pd.DataFrame:
    cut = results.once(_cut)
    if cut.complete and (whole := cut.whole.complete()) is not results:
        # complete cells have the same numbers in every selection
        return _part(whole.matrix(measure, setting=setting), _there(results))
    values = results.rows[measure]
    if setting is not None:
        values = values[results.rows["setting"] == setting]
    frame = results.averaged(values, ("dataset", "repeat", "fold"), "method")
    return frame[[method for method in results.experiment.methods if method in frame]]


def _part(matrix: pd.DataFrame, cells: pd.MultiIndex) -> pd.DataFrame:
    """The part of a matrix that is about some cells."""
    lines = matrix.index.isin(cells.unique("dataset"), level="dataset")
    frame = matrix.loc[lines, matrix.columns.isin(cells.unique("method"))]
    frame = frame.dropna(how="all").dropna(how="all", axis="columns")
    return frame.set_axis(frame.index.remove_unused_levels())


def _places(
    results: Results, lines: tuple[str, ...], column: str
) -> tuple[pd.MultiIndex, pd.Index, pd.Series]:
    """Lines and columns of a table in the order of the rows, and the cell of each row in it."""
    line, column = (results.rows.groupby(names, sort=False) for names in (list(lines), column))
    names = pd.Index([name for name, _ in column], name=column.keys)
    of_lines = pd.MultiIndex.from_frame(results.rows[list(lines)].drop_duplicates())
    return of_lines, names, line.ngroup() * len(names) + column.ngroup()


def _cells(results: Results) -> pd.DataFrame:
    return count_cells(results.experiment, results.rows, results.selected)


def _whole_cells(results: Results, methods: Iterable[str] | None) -> pd.MultiIndex:
    """The complete cells; of methods, only those of data sets on which all are complete."""
    cells = results.cells()
    whole = cells.index[cells["there"] == cells["of"]]
    if methods is None:
        return whole
    of_methods = whole[whole.get_level_values("method").isin(list(methods))]
    counts = of_methods.get_level_values("dataset").value_counts()
    shared = counts.index[counts == len(set(methods))]
    return of_methods[of_methods.get_level_values("dataset").isin(shared)]


def _complete_sets(results: Results, methods: Iterable[str]) -> pd.Index:
    """The data sets on which all of the methods are complete."""
    return results.once(_whole_cells, tuple(methods)).unique("dataset")


def _complete(results: Results, methods: tuple[str, ...] | None) -> Results:
    cells, left = results.cells(), results.once(_whole_cells, methods)
    cut = results.once(_cut)
    chosen = np.zeros_like(cut.chosen)
    chosen[tuple(cut.grid.places(left.to_frame(index=False)))] = True
    # nobody needs to count these cells again: each is there as a whole or not at all
    there = cells["there"].where(cells.index.isin(left), 0)
    return _cut_out(results, cut._replace(chosen=chosen, complete=True), cells.assign(there=there))


def _first(results: Results, folds: int) -> Results:
    tasks = protocol_tasks(results.experiment) if results.selected is None else results.selected
    rows = results.rows[(results.rows["repeat"] == 0) & (results.rows["fold"] < folds)]
    selected = frozenset(task for task in tasks if task[2] == 0 and task[3] < folds)
    return replace(results, rows=rows.reset_index(drop=True), selected=selected, _kept={})
