"""The registry of data sets, and loading by name."""

import contextlib
import difflib
import functools
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports import paths
from minority_reports.datasets.cache import keep, workspace
from minority_reports.datasets.dataset import (
    DatasetChangedError,
    DatasetUnavailableError,
    Entry,
    UnknownDatasetError,
    build,
)
from minority_reports.datasets.fetching import DOWNLOADS, download
from minority_reports.datasets.readers import STEPS, spell_out
from minority_reports.datasets.sources import ORDER, SOURCES, Place, Source

_registered = {}  # what `register` added: name -> (entry, places)


def load(name):
    """Load a data set by its name or by a paper's name for it.

    Nothing is downloaded: what is installed is tried first, then what `fetch` has put into the
    cache, then the folder that ``MINORITY_DATA`` names.

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
    >>> from minority_reports.datasets import load
    >>> load("glass2")
    Dataset('glass2': 214 rows, 9 features, 17 positives, 1 to 11.6, keel)
    """
    return _read_from(*_find(name))


class Fetched(NamedTuple):
    """What `fetch` did about a data set."""

    name: str
    status: str  # "got" or "already there"
    origin: str
    sha256: str  # of the content
    n: int


def fetch(name):
    """Download a data set that is not on this machine, into the cache.

    Its sources are tried in turn. Whatever does not have the registry's content is refused.

    Parameters
    ----------
    name : str
        One of `names`, or an alias.

    Returns
    -------
    Fetched
        What was done.

    Raises
    ------
    DatasetUnavailableError
        With a reason for each source that was tried.
    """
    found, places = _find(name)
    data, local = _read_first(places)
    if data is not None:
        return _outcome("already there", data)
    reasons = []
    for place in places:
        try:
            if place.source in DOWNLOADS:
                return _outcome("got", _download(place))
        except (DatasetUnavailableError, ValueError) as error:
            reasons.append(str(error))
    # Another way out than downloading, such as the mirror folder.
    reasons += [reason for place, reason in local.items() if place.source not in DOWNLOADS]
    raise _unavailable(found.name, reasons)


def _download(place):
    with workspace(place.name) as folder:
        file = download(place, folder)
        try:
            data = _build(place, *place.read_file(file))
        except DatasetChangedError as error:
            raise DatasetUnavailableError(
                f"tried {place.about}: it has other content than the registry says, so it is not "
                f"used ({error})"
            ) from error
        keep(place, file)
    return data


def _outcome(status, data):
    facts = data.facts
    return Fetched(facts.name, status, facts.origin, facts.sha256, facts.n)


def entry(name):
    """The registry's entry of a data set, by its name or a paper's name for it."""
    return _find(name)[0]


def loader(name):
    """A call without arguments that loads a data set in any process, registered ones included."""
    found, places = _find(name)
    if found.name in _registered:
        return functools.partial(_read_from, found, places)
    return functools.partial(load, found.name)


def available(name):
    """Whether a data set can be loaded here and now."""
    return _origin(_find(name)[1]) is not None


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
        return series.drop(["columns", "ids"]).rename(facts.name)
    columns = ["name", "n", "d", "positives", "imbalance", "source", "licence", "papers"]
    columns += ["simulated", "available", "origin"]
    rows = []
    for entry, places in _all():
        row = asdict(entry)
        row["imbalance"] = entry.n / entry.positives - 1 if entry.n and entry.positives else None
        row["papers"] = ", ".join(entry.papers)
        origin = _origin(places)
        row["available"] = origin is not None
        row["origin"] = origin or ("fetch" if _online(places) else "not available")
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
    >>> from minority_reports.datasets import Entry, load, register
    >>> register(Entry(name="toy"), lambda: ([[1.0], [2.0], [3.0]], [0, 0, 1]))
    >>> load("toy").positives
    1
    """
    taken = {}
    with contextlib.suppress(paths.CheckoutNotFoundError):  # an installed wheel has no registry
        taken = _named_in(paths.registry_file())
    for name in (entry.name, *entry.aliases):
        if name.casefold() in taken:
            raise ValueError(f"{name!r} is the name of a data set in the registry")
    # Registering a name again replaces it, so that a notebook's cell can be run twice.
    via = Source("loader", lambda _: loader())
    _registered[entry.name] = entry, (Place(entry=entry, via=via),)


def _all():
    return [*_from_file(), *_registered.values()]


def _from_file():
    return _read(paths.registry_file())


def _by_name(items):
    return {
        name.casefold(): (entry, places)
        for entry, places in items
        for name in (entry.name, *entry.aliases)
    }


def _find(name):
    key = str(name).casefold()
    # Registered data sets first: they need no checkout.
    found = _by_name(_registered.values()).get(key) or _named_in(paths.registry_file()).get(key)
    if found:
        return found
    # like the names themselves, near matches are found whatever their case
    spellings = {
        spelling.casefold(): spelling
        for entry, _ in _all()
        for spelling in (*entry.aliases, entry.name)
    }
    near = difflib.get_close_matches(key, spellings, n=4, cutoff=0.5)
    names = ", ".join(spellings[match] for match in near)
    hint = f"did you mean {names}?" if near else "minority_reports.datasets.names() lists all"
    raise UnknownDatasetError(f"no data set is called {name!r}; {hint}")


def _read_from(entry, places):
    data, reasons = _read_first(places)
    if data is None:
        raise _unavailable(entry.name, reasons.values())
    return data


def _read_first(places):
    """Load from the first place that can be reached; the reasons why others could not be."""
    reasons = {}
    for place in places:
        try:
            return _build(place, *place.via.read(place)), reasons
        except DatasetUnavailableError as error:
            reasons[place] = str(error)
    return None, reasons


def _unavailable(name, reasons):
    distinct = dict.fromkeys(reason[:1].upper() + reason[1:].rstrip(".") for reason in reasons)
    return DatasetUnavailableError(f"{name}: not available here. {'. '.join(distinct)}.")


def _build(place, X, labels):
    """Labels as text become the 0/1 target; they are kept as the classes."""
    labels, classes = np.asarray(labels), None
    if place.source and labels.dtype.kind in "UO":
        for step in place.entry.steps:
            X, labels = STEPS[step](X, labels)
        classes, labels = labels, np.isin(labels, place.rule[1])
    return build(place.entry, X, labels, origin=place.about, classes=classes)


def _origin(places):
    """Where a data set would be loaded from, None if from nowhere."""
    for place in places:
        with contextlib.suppress(DatasetUnavailableError):
            place.via.check(place)
            return place.about
    return None


def _online(places):
    return any(place.source in DOWNLOADS for place in places)


@functools.cache
def _named_in(path):
    return _by_name(_read(path))


@functools.cache
def _read(path):
    rows = _records(path)
    others = _records(path.with_name("sources.csv"))
    entries = [_entry(row) for row in rows]
    unknown = {row["name"] for row in others} - {entry.name for entry in entries}
    if unknown:
        raise ValueError(f"data/sources.csv has names that are not in the registry: {unknown}")
    return tuple((entry, tuple(_places(entry, others))) for entry in entries)


def _records(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")


def _entry(row):
    row = dict(row)
    for key in ("aliases", "papers", "steps", "ids"):
        row[key] = tuple(filter(None, row[key].split(";")))
    for key in ("n", "d", "positives"):
        row[key] = int(row[key])
    row["columns"] = spell_out(row["columns"])
    row["sha256"] = row["sha256"] or None
    return Entry(**{**row, "simulated": row["simulated"] == "yes"})


def _places(entry, others):
    """All ways to a data set, in the order in which they are tried."""
    rows = [row for row in others if row["name"] == entry.name]
    if entry.file or not rows:
        rows = [{"source": entry.source, "file": entry.file}, *rows]
    for row in sorted(rows, key=lambda row: ORDER[row["source"]]):
        source, file = row["source"], row["file"]
        yield Place(
            entry=entry,
            via=SOURCES[source],
            source=source,
            file=file,
            where=row.get("where", ""),
            sha256=row.get("sha256", ""),
            target=row.get("target", ""),
            columns=spell_out(row.get("columns", "")),
        )
