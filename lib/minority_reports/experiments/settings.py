"""A notebook's parameters, checked.

papermill passes whatever the command line says (``-p datasets 123`` arrives as an integer, a list
as a string), so everything is coerced and rejected here, with a message that says what was meant.
"""

import ast
import difflib
import functools
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from minority_reports import datasets
from minority_reports.experiments.extra import ExtraMethods, load_methods
from minority_reports.experiments.plan import Experiment, Paper
from minority_reports.experiments.store import MOST, format_value

#: As what figures and tables are written on demand.
FORMATS = ("pdf", "svg", "png", "tex", "csv", "html")
COMPUTE = {
    "quick": "compute the quick keys that are missing",
    "missing": "compute every key that is missing",
    "all": "compute everything afresh and compare with what was stored",
    "none": "compute nothing, show the stored rows",
}


def near(name: str, known: Iterable[str]) -> str:
    """A hint with the names that look most like ``name``."""
    known = list(known)
    matches = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"Did you mean {' or '.join(map(repr, matches))}?" if matches else f"Known: {known}."


def _integer(name: str, value, smallest: float) -> int:
    try:
        number = int(value)
        if number != float(value):
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a whole number, not {value!r}.") from None
    if number < smallest:
        raise ValueError(f"{name} must be at least {smallest}, not {number}.")
    if number > MOST:
        raise ValueError(f"{name} must be at most {MOST}, not {number}.")
    return number


def _processes(name: str, value) -> int:
    number = _integer(name, value, -math.inf)
    if number == 0:
        raise ValueError(f"{name} must not be 0: 1 for one process, -1 for one per core.")
    return number


def _seconds(name: str, value) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ValueError(f"{name} must be a number of seconds, at least 0, not {value!r}.")
    return seconds


def _passed_by_papermill(cells: Iterable[str]) -> list[str]:
    """The names that papermill assigns in the cell that it puts behind the parameters."""
    return [
        target.id
        for source in cells
        if source.startswith("# Parameters\n")
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _names(value) -> tuple[str, ...]:
    """A comma list (or a sequence) of names; nothing and "all" both mean no restriction."""
    parts = value if isinstance(value, tuple | list) else str(value).split(",")
    names = tuple(str(part).strip() for part in parts if str(part).strip())
    return () if names == ("all",) else names


#: How long a unit of a figure's width is, in inches.
_UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
_NARROWEST, _WIDEST = 2.5, 20.0


def parse_width(value) -> float | None:
    """A width in inches, from a number or a text such as "3.3in" or "84mm"; nothing if empty."""
    text = str(value or "").strip()
    if not text:
        return None
    parts = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*([a-z]*)", text)
    if parts is None or (parts[2] or "in") not in _UNITS:
        raise ValueError(
            f"width must be a number of inches, or such as '84mm' ({', '.join(_UNITS)}), not "
            f"{value!r}."
        )
    width = float(parts[1]) * _UNITS[parts[2] or "in"]
    if not _NARROWEST <= width <= _WIDEST:
        raise ValueError(
            f"width must be between {_NARROWEST:g} and {_WIDEST:g} inches, not {value!r}: "
            f"{width:.3g} inches."
        )
    return width


def parse_formats(value) -> tuple[str, ...]:
    """Formats from a comma list such as "pdf,tex"; nothing if empty."""
    kinds = _names(value)
    for kind in kinds:
        if kind not in FORMATS:
            raise ValueError(f"unknown format {kind!r}. {near(kind, FORMATS)}")
    return kinds


@dataclass(frozen=True)
class Source:
    """How to load a data set in any process: travels to workers instead of the data."""

    key: str
    load: Callable[[], datasets.Dataset] = field(compare=False)


@dataclass(frozen=True)
class Settings:
    """Which keys of a paper's experiments to show and which of them to compute.

    Parameters
    ----------
    paper : Paper
        The paper whose experiments these are.
    datasets : str
        "all", or a comma-separated list of registered names and paths of files (CSV, parquet). A
        file is called by its name without the ending, unless a registered set is called so.
    target, positive : str
        For a file: its target column and the label that counts as positive (empty: the rarer).
    methods : str
        "all" or a comma-separated list.
    repeats, folds : int
        0 for the paper's numbers; otherwise only the first ones of the same splits. An experiment
        that has fewer takes part with all of its own.
    seed : int
        Seed of the splits and of every method.
    time_limit : float
        Seconds for each solve that may be cut off; 0 for the protocol's own limit. A longer limit
        computes again what was cut off after a shorter one.
    n_jobs : int
        Processes; -1 for one per core, -2 for one less.
    cluster : str
        Address of a Dask scheduler, such as ``"tcp://host:8786"``; empty for this machine.
    compute : {"quick", "missing", "all", "none"}
        What to compute.
    extra_methods : str
        A Python file and a dictionary of classifiers in it, such as ``"my.py:METHODS"``: they are
        run beside the methods of every experiment that says how.
    width : str
        Width of figures, such as ``"3.3in"`` or ``"84mm"``; empty for the whole text of a page.
    style : str
        A matplotlib style sheet of one's own, on top of the project's.
    formats : str
        A comma-separated list of `FORMATS`; empty for those of ``figures/``.
    only : str
        A comma-separated list of figures and tables to write, such as ``"table5,fig3"``; empty
        for all.
    """

    paper: Paper = field(repr=False)
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    target: str = ""
    positive: str = ""
    repeats: int = 0
    folds: int = 0
    seed: int = 0
    time_limit: float = 0
    n_jobs: int = -1
    cluster: str = ""
    compute: str = "quick"
    extra_methods: str = ""
    width: float | None = None
    style: str = ""
    formats: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    own: Mapping[str, Source] = field(default_factory=dict, repr=False)
    extra: ExtraMethods = field(default_factory=ExtraMethods, repr=False)

    def __post_init__(self):
        def put(name, value):
            object.__setattr__(self, name, value)

        put("datasets", _names(self.datasets))
        put("methods", _names(self.methods))
        put("target", str(self.target or ""))
        put("cluster", str(self.cluster or ""))
        put("positive", str(self.positive if self.positive is not None else ""))
        put("repeats", _integer("repeats", self.repeats, 0))
        put("folds", _integer("folds", self.folds, 0))
        put("seed", _integer("seed", self.seed, 0))
        put("time_limit", _seconds("time_limit", self.time_limit))
        put("n_jobs", _processes("n_jobs", self.n_jobs))
        if self.compute not in COMPUTE:
            raise ValueError(
                f"compute={self.compute!r} is unknown. {near(str(self.compute), COMPUTE)}"
            )
        put("extra_methods", str(self.extra_methods or ""))
        put("width", parse_width(self.width))
        put("style", str(Path(self.style).expanduser()) if self.style else "")
        put("formats", parse_formats(self.formats))
        put("only", _names(self.only))
        if self.style and not Path(self.style).is_file():
            raise ValueError(f"style={self.style!r} is not a file: name a matplotlib style sheet.")
        put("extra", load_methods(self.extra_methods))
        self._check_splits()
        self._check_methods()
        self._find_own_files()

    @classmethod
    def from_notebook(cls, paper: Paper, namespace: Mapping) -> "Settings":
        """Take the parameters from a notebook's ``globals()``.

        A name that papermill passed and the notebook does not have is an error: papermill itself
        only warns, and would compute something else than was meant.
        """
        names = [f for f in cls.__dataclass_fields__ if f not in ("paper", "own", "extra")]
        for name in _passed_by_papermill(namespace.get("In", ())):
            if name not in names:
                raise ValueError(f"{paper.notebook} has no parameter {name!r}. {near(name, names)}")
        return cls(paper, **{name: namespace[name] for name in names if name in namespace})

    def _check_splits(self):
        for name in ("repeats", "folds"):
            chosen = getattr(self, name)
            most = max(getattr(e, name) for e in self.paper.experiments.values())
            if chosen > most:
                raise ValueError(
                    f"{name}={chosen} cannot be selected: experiments of {self.paper.title} have "
                    f"at most {most} {name}, which is part of the protocol, and this chooses the "
                    "first of them."
                )

    def _check_methods(self):
        experiments = self.paper.experiments.values()
        known = {m for e in experiments for m in e.methods}
        # columns of tables are labels, so that a label in use is a name in use
        labels = {m.label for e in experiments for m in e.methods.values()}
        for name, label in self.extra.labels.items():
            if name in known or label in labels:
                raise ValueError(
                    f"extra_methods: {self.paper.title} has a method "
                    f"{(name if name in known else label)!r} already; give yours another name."
                )
            labels.add(label)
        if self.compute != "none" and (self.cluster or self.n_jobs != 1):
            self.extra.check_that_they_travel()
        known |= set(self.extra.methods)
        for method in self.methods:
            if method not in known:
                raise ValueError(f"unknown method {method!r}. {near(method, sorted(known))}")

    def _find_own_files(self):
        own, names = {}, []
        for name in self.datasets:
            if datasets.file_name(name) is None and os.sep not in name:
                names.append(datasets.entry(name).name)
                continue
            path = Path(name).expanduser().resolve()
            if not self.target:
                raise ValueError(
                    f"{name} is a file: say which of its columns is the target, such as "
                    "`-p target label`."
                )
            called = datasets.file_name(path) or path.stem
            if called in datasets.names():  # its facts would be taken for those of the file
                called = path.name
            called = format_value(called)  # rows are found by the name that is stored
            if called in own:
                raise ValueError(f"two files are called {called}: rename one of them.")
            load = functools.partial(
                datasets.load_file, path, self.target, positive=self.positive or None
            )
            # a file that changed is another source, even within one session
            changed = path.stat().st_mtime_ns if path.exists() else 0
            own[called] = Source(f"{path}|{self.target}|{self.positive}|{changed}", load)
            names.append(called)
        object.__setattr__(self, "datasets", tuple(names))
        object.__setattr__(self, "own", own)

    def frame(self) -> pd.DataFrame:
        """The settings as a table for people."""
        return pd.DataFrame(
            {
                "value": {
                    "data sets": ", ".join(self.datasets) or "all",
                    "methods": ", ".join(self.methods) or "all",
                    "repeats": str(self.repeats or "all of the protocol"),
                    "folds": str(self.folds or "all of the protocol"),
                    "seed": str(self.seed),
                    **({"extra methods": self.extra_methods} if self.extra_methods else {}),
                    "time limit": f"{self.time_limit:g} s" if self.time_limit else "the protocol's",
                    "compute": f"{self.compute}: {COMPUTE[self.compute]}",
                }
            }
        )

    @property
    def looks(self) -> dict:
        """How figures and tables are to be written, for a report."""
        return {name: getattr(self, name) for name in ("width", "style", "formats", "only")}

    @property
    def is_complete(self) -> bool:
        """Whether this is the paper's whole protocol, so that its artefacts may be published."""
        chosen = self.datasets or self.methods or self.repeats or self.folds or self.seed
        return not (chosen or self.extra_methods)

    def datasets_for(self, experiment: Experiment) -> tuple[str, ...]:
        """The data sets of an experiment under these settings."""
        if not self.datasets:
            return experiment.datasets
        if experiment.any_dataset:
            return self.datasets
        return tuple(name for name in experiment.datasets if name in self.datasets)

    def methods_for(self, experiment: Experiment) -> tuple[str, ...]:
        """The methods of an experiment under these settings."""
        return tuple(
            m
            for m in experiment.methods
            if not self.methods or m in self.methods or m in experiment.extra
        )

    def splits_for(self, experiment: Experiment) -> dict[str, int]:
        """How many repeats and folds of an experiment these settings select."""
        return {
            name: min(getattr(self, name) or most, most)
            for name, most in (("repeats", experiment.repeats), ("folds", experiment.folds))
        }

    def source(self, name: str) -> Source:
        """How to load a data set."""
        return self.own.get(name) or Source(name, datasets.loader(name))
