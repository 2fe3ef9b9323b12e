"""What is to be computed: experiments, methods, tasks and keys, with their seeds and splits.

Splits are seeded by (seed, data set, repeat) alone, so that all methods see the same folds and
paired tests are valid; a method's own random numbers come from its key without the version. A row
is therefore the same whichever process, order or subset of keys computed it.
"""

import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

#: Share of the rows that the splits of some papers draw for testing.
TEST_SHARE = 0.3


def derive_seed(*parts) -> int:
    """Turn a seed and names into 32 random-looking bits, equal on every machine.

    >>> derive_seed(0, "glass2", 1) == derive_seed(0, "glass2", 1) != derive_seed(0, "glass2", 2)
    True
    """
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


def stratified_folds(y: np.ndarray, folds: int, random_state: int) -> list[tuple]:
    """Cut the rows into folds with the same share of positives: a list of (train, test) rows."""
    from sklearn.model_selection import StratifiedKFold

    positives = int(np.sum(y))
    if positives < folds:
        raise ValueError(
            f"{positives} positives cannot be spread over {folds} folds: every test part needs "
            "one. Use a data set with more positives or an experiment with fewer folds."
        )
    cutter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    return list(cutter.split(np.zeros(len(y)), y))


def stratified_splits(y: np.ndarray, folds: int, random_state: int) -> list[tuple]:
    """Draw 30 % of the rows of either class for testing: a list of (train, test) rows."""
    from sklearn.model_selection import StratifiedShuffleSplit

    cutter = StratifiedShuffleSplit(folds, test_size=TEST_SHARE, random_state=random_state)
    return list(cutter.split(y, y))


stratified_splits.test_share = TEST_SHARE


@dataclass(frozen=True)
class Fold:
    """One training and test part, and the random state that a method may use on it."""

    X_train: pd.DataFrame
    y_train: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    settings: tuple[str, ...]
    random_state: int
    #: Seconds for each solve of a method that may be cut off; 0 for the protocol's own limit.
    time_limit: float = 0
    dataset: str = ""


@dataclass(frozen=True)
class Method:
    """A learner in an experiment.

    ``run(fold)`` returns ``{setting: {measure: value}}`` for every setting of the fold; work that
    settings share is done once there. A setting whose work was cut off by a time limit has the
    measure ``"status": "time limit"``. Bump ``version`` by hand when its results change: rows of
    another version are computed again. What is fitted is ``run.estimator``, if the run has one,
    and ``about`` says in words what that does not. ``needs`` names a package of an extra, as it is
    imported, without which nothing can be computed; stored rows show all the same.
    """

    label: str
    run: Callable[[Fold], Mapping[str, Mapping]]
    version: int = 1
    about: str = ""
    needs: str = ""

    @property
    def not_installed(self) -> str:
        """Why it cannot be computed here: a package that it needs is absent. Empty if it can."""
        if not self.needs or importlib.util.find_spec(self.needs) is not None:
            return ""
        return f'{self.label} needs {self.needs}: pip install -e ".[showdown]"'

    @property
    def estimator(self):
        """The unfitted estimator that the method fits, or None if it is not a single one."""
        return getattr(self.run, "estimator", None)

    @property
    def has_independent_settings(self) -> bool:
        """Whether its run says that each setting can as well be computed on a fold of its own.

        The rows are the same then, and together they take about as long: where a task takes long,
        its settings are divided among the workers.
        """
        return getattr(self.run, "independent_settings", False)

    @property
    def n_shares(self) -> int:
        """In how many shares its run can compute a task whatever the settings: 1 as a rule.

        A run with more ``n_shares`` has ``of_share(fold, number)``, which returns anything that can
        be sent, and ``from_shares(settings, shares)``, which makes of these what a call returns.
        """
        return getattr(self.run, "n_shares", 1)


@dataclass(frozen=True)
class Task:
    """The unit of work: one method on one fold, all settings together."""

    dataset: str
    method: str
    repeat: int
    fold: int
    seed: int


@dataclass(frozen=True)
class Experiment:
    """One protocol: data sets x methods x settings x repeats x folds, and what is measured.

    ``quick`` names the data sets whose first fold is small enough to be recomputed on every
    machine: a selection of the same keys, not another protocol. ``any_dataset`` lets a notebook
    run the experiment on data sets that are not in its list, such as a user's own file.
    ``interval`` names the measures between which the true value lies if a time limit cuts work off.
    ``paired`` is a name that the random state of a fold is derived from in place of the experiment
    and the method: all methods, and all experiments of that name, then draw the same numbers. An
    experiment and one of its methods, as a pair, are whose numbers are drawn; with None for the
    method each method draws the numbers of the one with its name there, up to a colon.
    ``costs`` names measures that differ from run to run, such as seconds: they are kept with the
    timings, apart from the rows. ``text`` names the measures that are words, not numbers.
    ``adapt`` turns an estimator of a user's own into the run of a method; ``extra`` names the
    methods that were added to the protocol and count in no verdict.
    """

    name: str
    datasets: tuple[str, ...]
    methods: Mapping[str, Method]
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    repeats: int = 1
    folds: int = 10
    quick: tuple[str, ...] = ()
    any_dataset: bool = False
    interval: tuple[str, str] | None = None
    paired: str | tuple[str, str | None] = ""
    costs: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    split: Callable[[np.ndarray, int, int], list[tuple]] = field(default=stratified_folds)
    adapt: Callable[[object], Callable[["Fold"], Mapping]] | None = None
    extra: tuple[str, ...] = ()

    @property
    def test_share(self) -> float:
        """Share of the rows in a test part: of one fold, or of a random split."""
        return getattr(self.split, "test_share", 1 / self.folds)

    def tasks(
        self,
        *,
        datasets: Iterable[str] | None = None,
        methods: Iterable[str] | None = None,
        repeats: int | None = None,
        folds: int | None = None,
        seed: int = 0,
    ) -> list[Task]:
        """The tasks of a selection. Fewer ``folds`` means the first ones of the same splits."""
        datasets = self.datasets if datasets is None else tuple(datasets)
        methods = self.methods if methods is None else [m for m in self.methods if m in methods]
        return [
            Task(dataset, method, repeat, fold, seed)
            for dataset in datasets
            for repeat in range(repeats or self.repeats)
            for fold in range(folds or self.folds)
            for method in methods
        ]

    @property
    def n_keys(self) -> int:
        """How many keys the whole protocol has."""
        methods = len(self.methods) - len(self.extra)
        tasks = len(self.datasets) * methods * self.repeats * self.folds
        return tasks * len(self.settings)

    def is_quick(self, task: Task) -> bool:
        """Whether the task belongs to the quick selection."""
        return task.dataset in self.quick and task.repeat == 0 and task.fold == 0

    def keys(self, tasks: Iterable[Task], data_hash: Callable[[str], str]) -> pd.DataFrame:
        """One row per key, in the columns of the store."""
        tasks = list(tasks)
        hashes = {name: data_hash(name) for name in {t.dataset for t in tasks}}
        columns = {
            "dataset": [t.dataset for t in tasks],
            "method": [t.method for t in tasks],
            "repeat": [t.repeat for t in tasks],
            "fold": [t.fold for t in tasks],
            "seed": [t.seed for t in tasks],
            "version": [self.methods[t.method].version for t in tasks],
            "data": [hashes[t.dataset] for t in tasks],
        }
        places = np.repeat(np.arange(len(tasks)), len(self.settings))
        # no tasks have columns of words, too, which rows are merged by
        words = dict.fromkeys(["dataset", "method", "data"], str)
        keys = pd.DataFrame(columns).astype(words).take(places).reset_index(drop=True)
        settings = pd.Series(list(self.settings) * len(tasks), dtype=str)
        keys.insert(2, "setting", settings)
        return keys

    def fold_of(self, task: Task, X: pd.DataFrame, y: np.ndarray, time_limit: float = 0) -> Fold:
        """Cut the data for a task."""
        cut = derive_seed(task.seed, task.dataset, task.repeat)
        train, test = self.split(y, self.folds, cut)[task.fold]
        name, *method = (self.name, task.method)
        if self.paired:
            name, *method = (self.paired,) if isinstance(self.paired, str) else self.paired
            method = [task.method.partition(":")[0] if m is None else m for m in method]
        return Fold(
            X.iloc[train].reset_index(drop=True),
            y[train],
            X.iloc[test].reset_index(drop=True),
            y[test],
            self.settings,
            derive_seed(task.seed, name, task.dataset, *method, task.repeat, task.fold),
            time_limit,
            task.dataset,
        )

    def with_method(self, name: str, method: Method) -> "Experiment":
        """The same experiment with one more method, which is not part of its protocol.

        It appears in tables and ranks and in no verdict, and its rows are kept apart.
        """
        if name in self.methods:
            raise ValueError(f"{self.name} has a method {name!r} already; give it another name.")
        return replace(self, methods={**self.methods, name: method}, extra=(*self.extra, name))


@dataclass(frozen=True)
class Paper:
    """A paper: its notebook, its experiments by short name and the rules that judge its claims.

    A rule takes the results of the experiments, by short name, and returns a verdict; an
    investigation takes the same and says why a claim was not reproduced. ``main`` is the
    experiment of the paper's main table. The ``readings`` are a `Readings` of the report: what the
    paper leaves open. ``numbers`` takes the results too and puts every published number beside
    ours. The ``headline`` is a `Headline` of the report: the result in short.
    """

    name: str
    title: str
    notebook: str
    experiments: Mapping[str, Experiment]
    rules: Mapping[str, Callable[[Mapping], object]] = field(default_factory=dict)
    investigations: Mapping[str, Callable[[Mapping], object]] = field(default_factory=dict)
    main: str = ""
    readings: object | None = None
    numbers: Callable[[Mapping], pd.DataFrame] | None = None
    headline: object | None = None


def by_short_name(*experiments: Experiment) -> dict[str, Experiment]:
    """A paper's experiments by their names without its own, which these begin with."""
    return {experiment.name.partition("-")[2]: experiment for experiment in experiments}
