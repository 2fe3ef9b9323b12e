"""Result rows as text files that diff well and survive being killed.

One file an experiment. While a run is under way, finished rows are appended and flushed to disk;
when it ends, in whatever way it can still act on, the file is sorted and replaced atomically. A
process killed at any moment therefore leaves whole rows and at most one torn line at the end,
which reading ignores and the next writer removes. Nothing else marks work as done: a key is done
if its row is there.
"""

import contextlib
import csv
import fcntl
import io
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar

import pandas as pd

from minority.experiments._plan import Experiment

#: What a row is about. The last row written for the same identity counts.
IDENTITY = ("dataset", "method", "setting", "repeat", "fold", "seed")
#: What it was computed with: a row of another version or other data does not count as done.
PROVENANCE = ("version", "data")
KEY = IDENTITY + PROVENANCE
OUTCOME = ("status", "message")

TASK = ("dataset", "method", "repeat", "fold", "seed")
COST = ("seconds", "peak_mb", "machine")

_INTEGERS = ("repeat", "fold", "seed", "version")
_TEXT = ("dataset", "method", "setting", "data", *OUTCOME, "machine")


class StoreLockedError(RuntimeError):
    """Raised when another run is already writing to the same results."""


class StoreWriteError(RuntimeError):
    """Raised when rows cannot be written: a full disk, a folder that is read-only."""

    def __init__(self, folder: Path, error: OSError):
        super().__init__(
            f"cannot write results to {folder}: {error.strerror or error}. Rows written before "
            "are kept; free some space or set MINORITY_RESULTS to a folder that can be written "
            "to, and run again: what is there is not computed again."
        )


def format_value(value) -> str:
    """Write a value the same way on every machine: ten significant digits, NaN as nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if hasattr(value, "item"):  # numpy scalars
        return format_value(value.item())
    if isinstance(value, float):
        return f"{value:.10g}"
    return " ".join(str(value).split())  # a row is one line, whatever a message contains


class RowFile:
    """A CSV file with an identity: appended to row by row, compacted when a run ends."""

    #: Files as last read, by path: a notebook asks for the same rows several times.
    _latest: ClassVar[dict[Path, tuple]] = {}

    def __init__(self, path: Path, identity: Iterable[str], columns: Iterable[str]):
        self.path = path
        self.identity = tuple(identity)
        self.columns = tuple(columns)

    def _whole_lines(self, text: str) -> list[dict[str, str]]:
        whole, _, _torn = text.rpartition("\n")
        lines = csv.reader(io.StringIO(whole))
        header = next(lines, [])
        if not set(self.identity) <= set(header):
            return []  # nothing here can be attributed to a key
        return [dict(zip(header, line, strict=True)) for line in lines if len(line) == len(header)]

    def read(self) -> pd.DataFrame:
        """All rows that are whole, the last one for each identity, sorted."""
        try:
            state = self.path.stat()
            key = (*self.columns, self.path, state.st_ino, state.st_size, state.st_mtime_ns)
            if self._latest.get(self.path, (None,))[0] != key:
                self._latest[self.path] = key, self._read()
            return self._latest[self.path][1].copy()
        except (FileNotFoundError, NotADirectoryError):
            return self.parse("")

    def _read(self) -> pd.DataFrame:
        # newline="" leaves a stray carriage return where it is: part of a damaged line
        with open(self.path, encoding="utf-8", errors="replace", newline="") as file:
            return self.parse(file.read())

    def parse(self, text: str) -> pd.DataFrame:
        """A file's text as a frame."""
        frame = pd.DataFrame(self._whole_lines(text), dtype=str)
        frame = frame.reindex(columns=list(self.columns), fill_value="")
        for column in frame.columns.difference(_TEXT):
            numbers = pd.to_numeric(frame[column], errors="coerce")
            if column in _INTEGERS:
                frame = frame[numbers.notna()]  # without a fold there is no key
                frame = frame.assign(**{column: numbers.dropna().astype("int64")})
            elif (numbers.notna() | (frame[column] == "")).all():
                frame = frame.assign(**{column: numbers.astype("float64")})
        frame = frame.drop_duplicates(list(self.identity), keep="last")
        return frame.sort_values(list(self.identity), kind="stable", ignore_index=True)

    def append(self, rows: Iterable[Mapping]) -> None:
        """Add rows and see them on disk before returning."""
        if not self.path.exists():
            self._replace([])
        with open(self.path, "a", encoding="utf-8", newline="") as file:
            file.write(self._format(rows))
            file.flush()
            os.fsync(file.fileno())

    def compact(self) -> None:
        """Sort the file and drop torn lines and superseded rows, in one atomic step."""
        frame = self.read()
        if len(frame) or self.path.exists():
            self._replace(frame.to_dict("records"))

    def text(self, rows: Iterable[Mapping]) -> str:
        """A whole file with these rows."""
        return ",".join(self.columns) + "\n" + self._format(rows)

    def _format(self, rows: Iterable[Mapping]) -> str:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([format_value(row.get(c)) for c in self.columns] for row in rows)
        return buffer.getvalue()

    def _replace(self, rows: Iterable[Mapping]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        try:
            with open(temporary, "w", encoding="utf-8", newline="") as file:
                file.write(self.text(rows))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        finally:
            temporary.unlink(missing_ok=True)


class Store:
    """The rows of one experiment and, apart from them, what they cost to compute.

    Rows hold what is deterministic, so runs that were resumed or parallel are byte-identical;
    seconds, memory and machine go to ``timings/``.
    """

    def __init__(
        self, folder: Path, experiment: str, measures: Iterable[str], costs: Iterable[str] = ()
    ):
        self.folder = Path(folder)
        self.experiment = experiment
        self._rows = RowFile(
            self.folder / f"{experiment}.csv", IDENTITY, (*KEY, *measures, *OUTCOME)
        )
        self._timings = RowFile(
            self.folder / "timings" / f"{experiment}.csv", TASK, (*TASK, *COST, *costs)
        )

    @classmethod
    def of(cls, experiment: Experiment, folder: Path) -> "Store":
        """The store of an experiment in a folder."""
        return cls(folder, experiment.name, experiment.measures, experiment.costs)

    @property
    def _lock(self) -> Path:
        return self.folder / f".{self.experiment}.lock"

    @property
    def unfinished(self) -> bool:
        """Whether the last run was killed: its rows are whole but may not be in order."""
        return self._lock.exists() and self._lock.stat().st_size > 0

    @property
    def path(self) -> Path:
        """The file that holds the rows."""
        return self._rows.path

    def rows(self) -> pd.DataFrame:
        """Every stored row, failures included."""
        return self._rows.read()

    def as_stored(self, rows: Iterable[Mapping]) -> pd.DataFrame:
        """Computed rows as they would come back from the file, without writing them."""
        return self._rows.parse(self._rows.text(rows))

    def timings(self) -> pd.DataFrame:
        """Seconds, memory and machine of every computed task."""
        return self._timings.read()

    @contextlib.contextmanager
    def writing(self):
        """Hold the store for writing; rows added are kept even if the block fails."""
        with contextlib.ExitStack() as held:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                lock = held.enter_context(open(self._lock, "a"))
            except OSError as error:
                raise StoreWriteError(self.folder, error) from error
            try:
                # The lock belongs to the process and goes with it: a killed run leaves none.
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StoreLockedError(
                    f"another run is writing the rows of {self.experiment!r} in {self.folder}. "
                    "Wait for it to end, or set MINORITY_RESULTS to another folder."
                ) from None
            self._compact()
            lock.write("unfinished\n")
            lock.flush()
            try:
                yield self
            except BaseException:
                # Rows are on disk already; that they cannot be sorted now must not hide why.
                with contextlib.suppress(StoreWriteError):
                    self._compact()
                raise
            self._compact()
            lock.truncate(0)

    def _compact(self) -> None:
        try:
            self._rows.compact()
            self._timings.compact()
        except OSError as error:
            raise StoreWriteError(self.folder, error) from error

    def add(self, rows: Iterable[Mapping], cost: Mapping) -> None:
        """Append one finished task; call inside :meth:`writing`."""
        try:
            self._rows.append(rows)
            self._timings.append([cost])
        except OSError as error:
            raise StoreWriteError(self.folder, error) from error
