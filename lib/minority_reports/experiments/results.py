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
    """Which cells a narrower selection has of the `whole` results that it is cut out of.

    Arrays are by data set and method of the grid; behind these is False, for what is in no cell.
    """

    whole: "Results"
    grid: Grid
    #: Which data sets are selected, and which cells of them have rows left.
    datasets: np.ndarray
    cells: np.ndarray
    #: Whether all cells that are left are complete.
    complete: bool = False

    def frame(self, name: str) -> pd.DataFrame:
        """The rows, or the timings, of the cells that are left."""
        frame = getattr(self.whole, name)
        if frame.empty:
            return frame
        return _chosen(frame, self.cells[tuple(self.whole.once(_places_in_grid, name))])

    def names(self) -> Grid:
        """The data sets and the methods that are left."""
        cells = self.cells[:-1, :-1]
        return Grid(self.grid.datasets[cells.any(axis=1)], self.grid.methods[cells.any(axis=0)])


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
    #: Why some could not be computed here, by data set or by method.
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
        frame = self._kept[Cut].frame(name)
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

    @property
    def shortfall(self) -> str:
        """How many of the planned runs are completed, in brackets, if it is not all of them."""
        return "" if len(self.rows) == self.planned else f" ({self.coverage()})"

    def coverage(self) -> str:
        """How many of the planned runs are completed, for a table's caption."""
        if len(self.rows) == self.planned:
            return f"all {self.planned:,} runs"
        return f"{len(self.rows):,} of {self.planned:,} runs"

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
        """Means of one number per row: a line for each of `lines`, a column for each of another's.

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
        there = set(cut.names().datasets)
        return tuple(name for name in cut.whole.datasets if name in there)
    return tuple(results.rows["dataset"].unique())


def _on_datasets(results: Results, names: tuple[str, ...]) -> Results:
    plan = replace(results.experiment, datasets=names)
    cut = results.once(_cut)
    datasets = cut.datasets & np.append(cut.grid.datasets.isin(names), False)
    selected = results.selected
    if selected is not None:
        selected = frozenset(task for task in selected if task[0] in names)
    return _cut_out(
        results,
        cut._replace(datasets=datasets, cells=cut.cells & datasets[:, None]),
        experiment=plan,
        planned=plan.n_keys,
        selected=selected,
    )


def _cut(results: Results) -> Cut:
    """Whole results as a cut of themselves."""
    cells = results.cells().index
    grid = Grid(cells.unique("dataset"), cells.unique("method"))
    datasets = np.append(np.ones(len(grid.datasets), dtype=bool), False)
    methods = np.append(np.ones(len(grid.methods), dtype=bool), False)
    return Cut(results, grid, datasets, np.outer(datasets, methods))


def _cut_out(results: Results, cut: Cut, **changes) -> Results:
    """A narrower selection. Its frames come later: many questions are answered without them."""
    part = copy.copy(results)
    for name, value in (changes | {"_kept": {(_cut,): cut, Cut: cut}}).items():
        object.__setattr__(part, name, value)
    for name in {"rows", "timings"} & set(part.__dict__):
        object.__delattr__(part, name)
    return part


def _places_in_grid(results: Results, name: str) -> np.ndarray:
    return results.once(_cut).grid.places(getattr(results, name))


def _places_of_cells(results: Results) -> tuple[np.ndarray, ...]:
    return tuple(results.once(_cut).grid.places(results.cells().index.to_frame(index=False)))


def _matrix(results: Results, measure: str, setting: str | None) -> pd.DataFrame:
    cut = results.once(_cut)
    if cut.complete and (whole := cut.whole.complete()) is not results:
        # complete cells have the same numbers in every selection
        return _part(whole.matrix(measure, setting=setting), cut.names())
    values = results.rows[measure]
    if setting is not None:
        values = values[results.rows["setting"] == setting]
    frame = results.averaged(values, ("dataset", "repeat", "fold"), "method")
    return frame[[method for method in results.experiment.methods if method in frame]]


def _part(matrix: pd.DataFrame, names: Grid) -> pd.DataFrame:
    """The part of a matrix that is about some data sets and methods."""
    lines = matrix.index.isin(names.datasets, level="dataset")
    frame = matrix.loc[lines, matrix.columns.isin(names.methods)]
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
    cut = results._kept.get(Cut)
    if cut is None:
        return count_cells(results.experiment, results.rows, results.selected)
    cells, places = cut.whole.cells(), cut.whole.once(_places_of_cells)
    # nobody needs to count these cells again: each is there as before or not at all
    there = cells["there"].where(cut.cells[places], 0)
    return cells.assign(there=there)[cut.datasets[places[0]]]


def _whole_cells(results: Results) -> np.ndarray:
    """Which cells of whole results are complete."""
    cells, chosen = results.cells(), np.zeros_like(results.once(_cut).cells)
    chosen[results.once(_places_of_cells)] = cells["there"] == cells["of"]
    return chosen


def _complete_cells(results: Results, methods: tuple[str, ...] | None) -> np.ndarray:
    """The complete cells; of methods, only those of data sets on which all are complete."""
    cut = results.once(_cut)
    cells = cut.cells & cut.whole.once(_whole_cells)
    if methods is None:
        return cells
    chosen, places = np.zeros_like(cells), cut.grid.methods.get_indexer(list(methods))
    if len(places):
        chosen[:, places] = cells[:, places].all(axis=1)[:, None]
    return chosen


def _complete_sets(results: Results, methods: Iterable[str]) -> pd.Index:
    """The data sets on which all of the methods are complete."""
    cells = results.once(_complete_cells, tuple(methods))
    return results.once(_cut).grid.datasets[cells[:-1].any(axis=1)]


def _complete(results: Results, methods: tuple[str, ...] | None) -> Results:
    cells = results.once(_complete_cells, methods)
    return _cut_out(results, results.once(_cut)._replace(cells=cells, complete=True))


def _first(results: Results, folds: int) -> Results:
    tasks = protocol_tasks(results.experiment) if results.selected is None else results.selected
    rows = results.rows[(results.rows["repeat"] == 0) & (results.rows["fold"] < folds)]
    selected = frozenset(task for task in tasks if task[2] == 0 and task[3] < folds)
    return replace(results, rows=rows.reset_index(drop=True), selected=selected, _kept={})
