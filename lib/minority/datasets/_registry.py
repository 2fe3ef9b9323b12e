"""The registry of data sets, and loading by name."""

import contextlib
import difflib
import functools
from dataclasses import asdict

import pandas as pd

from .. import paths
from ._dataset import DatasetUnavailableError, Entry, UnknownDatasetError, build
from ._sources import SOURCES, Source

_registered = {}  # what `register` added: name -> (entry, source)


def load(name):
    """Load a data set by its name or by a paper's name for it.

    Parameters
    ----------
    name : str
        One of `names`, or an alias; case does not matter.

    Returns
    -------
    Dataset
        Checked against the registry: a data set that changed is an error, not a result.

    Examples
    --------
    >>> from minority.datasets import load
    >>> load("glass2")
    Dataset('glass2': 214 rows, 9 features, 17 positives, 1 to 11.6, keel)
    """
    return _read_from(*_find(name))


def entry(name):
    """The registry's entry of a data set, by its name or a paper's name for it."""
    return _find(name)[0]


def loader(name):
    """A call without arguments that loads a data set in any process, registered ones included."""
    found, source = _find(name)
    if found.name in _registered:
        return functools.partial(_read_from, found, source)
    return functools.partial(load, found.name)


def available(name):
    """Whether a data set can be loaded here and now."""
    return _reachable(*_find(name))


def names(source=None, paper=None):
    """Names of the data sets, all or those of one source or paper, in the registry's order."""
    return [
        entry.name
        for entry, _ in _all()
        if source in (None, entry.source) and (paper is None or paper in entry.papers)
    ]


def describe(name=None):
    """A table of all data sets, or all facts about one.

    Parameters
    ----------
    name : str, default=None
        With a name, the facts of that data set, among them those that need the data: they are
        left out where the data set is unavailable.

    Returns
    -------
    pandas.DataFrame or pandas.Series
    """
    if name is not None:
        reachable = available(name)
        facts = load(name).facts if reachable else _find(name)[0]
        series = pd.Series({**asdict(facts), "available": reachable}, dtype=object)
        return series.rename(facts.name)
    columns = ["name", "n", "d", "positives", "imbalance", "source", "licence", "papers"]
    columns += ["simulated", "available"]
    rows = []
    for entry, source in _all():
        row = asdict(entry)
        row["imbalance"] = entry.n / entry.positives - 1 if entry.n and entry.positives else None
        row["papers"] = ", ".join(entry.papers)
        row["available"] = _reachable(entry, source)
        rows.append(row)
    # A registered data set need not state its counts, hence the nullable integers.
    return pd.DataFrame(rows)[columns].astype(dict.fromkeys(["n", "d", "positives"], "Int64"))


def register(entry, loader):
    """Add a data set for the rest of this session.

    Parameters
    ----------
    entry : Entry
        Only the name is required; counts and hash are checked where they are given.
    loader : callable
        Takes nothing and returns the features, a frame or an array, and a 0/1 target with 1 for
        the minority. It runs anew at each `load`.

    Examples
    --------
    >>> from minority.datasets import Entry, load, register
    >>> register(Entry(name="toy"), lambda: ([[1.0], [2.0], [3.0]], [0, 0, 1]))
    >>> load("toy").positives
    1
    """
    taken = {}
    with contextlib.suppress(paths.CheckoutNotFoundError):  # an installed wheel has no registry
        taken = _by_name(_from_file())
    for name in (entry.name, *entry.aliases):
        if name.casefold() in taken:
            raise ValueError(f"{name!r} is the name of a data set in the registry")
    # Registering a name again replaces it, so that a notebook's cell can be run twice.
    _registered[entry.name] = entry, Source("loader", lambda _: loader())


def _all():
    return [*_from_file(), *_registered.values()]


def _from_file():
    return _read(paths.registry_file())


def _by_name(items):
    return {
        name.casefold(): (entry, source)
        for entry, source in items
        for name in (entry.name, *entry.aliases)
    }


def _find(name):
    key = str(name).casefold()
    # Registered data sets first: they need no checkout.
    found = _by_name(_registered.values()).get(key) or _by_name(_from_file()).get(key)
    if found:
        return found
    spellings = [spelling for entry, _ in _all() for spelling in (entry.name, *entry.aliases)]
    near = difflib.get_close_matches(str(name), spellings, n=4, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "minority.datasets.names() lists all"
    raise UnknownDatasetError(f"no data set is called {name!r}; {hint}")


def _read_from(entry, source):
    X, y = source.read(entry)
    return build(entry, X, y, origin=source.about)


def _reachable(entry, source):
    try:
        source.check(entry)
    except DatasetUnavailableError:
        return False
    return True


@functools.cache
def _read(path):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return tuple((entry, SOURCES[entry.source]) for entry in map(_entry, table.to_dict("records")))


def _entry(row):
    for key in ("aliases", "papers"):
        row[key] = tuple(filter(None, row[key].split(";")))
    for key in ("n", "d", "positives"):
        row[key] = int(row[key])
    return Entry(**{**row, "simulated": row["simulated"] == "yes"})
