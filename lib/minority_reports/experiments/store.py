"""Result rows as text files that diff well and survive being killed.

One file an experiment. While a run is under way, finished rows are appended and flushed to disk;
when it ends, in whatever way it can still act on, the file is sorted and replaced atomically. A
process killed at any moment therefore leaves whole rows and at most one torn line at the end,
which reading ignores and the next writer removes. A file with any other damage is refused and never
written over: also one without a whole first line, which comes at once with the file, and one with
two rows of the same key that differ, unless a run was killed that was replacing the first by the
second. Nothing else marks work as done: a key is done if its row is there.
"""

import contextlib
import csv
import fcntl
import io
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from minority_reports.experiments.parsed import kept_frame
from minority_reports.experiments.plan import Experiment
from minority_reports.files import (
    DamagedFileError,
    StoreWriteError,
    content_of,
    decode,
    replace_file,
)

#: What a row is about. The last row written for the same identity counts.
IDENTITY = ("dataset", "method", "setting", "repeat", "fold", "seed")
#: What it was computed with: a row of another version or other data does not count as done.
PROVENANCE = ("version", "data")
KEY = IDENTITY + PROVENANCE
OUTCOME = ("status", "message")
OK, CUT_OFF, ERROR = STATUSES = ("ok", "time limit", "error")

TASK = ("dataset", "method", "repeat", "fold", "seed")
COST = ("seconds", "peak_mb", "machine", "run")

_INTEGERS = ("repeat", "fold", "seed", "version")
_TEXT = ("dataset", "method", "setting", "data", *OUTCOME, "machine", "run")

#: Integers are stored in 64 bits.
MOST = 2**63 - 1

_CONFLICT = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
#: A byte-order mark belongs at the beginning of a file, and nowhere else.
_MARK = "\ufeff"
#: What a column that is no number and no name holds.
_FORMS = {
    "data": ("a hash of hex digits", re.compile("[0-9a-f]*")),
    "status": (f"one of {', '.join(STATUSES)}", re.compile("|".join(STATUSES))),
}

_FIELD = r'(?:"(?:[^"]|"")*"|[^",]*)'
_LINE = re.compile(rf"{_FIELD}(?:,{_FIELD})*")
_FIELDS = re.compile(rf"({_FIELD}),")


class StoreLockedError(RuntimeError):
    """Raised when another run is already writing to the same results."""


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
    # A row is one line that can be read again, whatever a message contains.
    text = str(value).replace("\0", " ").encode(errors="replace").decode()
    return " ".join(text.split())


class RowFile:
    """A CSV file with an identity: appended to row by row, compacted when a run ends.

    An older file may lack some of the ``measures``, which are then empty; all other columns must
    be there, and none that is unknown. Measures named in ``text`` need not be numbers.
    ``is_settled`` tells whether no run is about to replace rows, or was killed while it did.
    """

    #: Files as last read, by path: a notebook asks for the same rows several times.
    _latest: ClassVar[dict[Path, tuple]] = {}

    def __init__(
        self,
        path: Path,
        identity: Iterable[str],
        columns: Iterable[str],
        measures: Iterable[str] = (),
        text: Iterable[str] = (),
        is_settled: Callable[[], bool] = lambda: False,
    ):
        self.path = path
        self.identity = tuple(identity)
        self.is_settled = is_settled
        self.columns = tuple(columns)
        self.measures = tuple(measures)
        self.text = (*_TEXT, *text)

    def read(self) -> pd.DataFrame:
        """All rows that are whole, the last one for each identity, sorted."""
        key = self.columns, self.text, self._state()
        if self._latest.get(self.path, (None,))[0] != key:
            self._latest[self.path] = key, self.read_afresh(parsed_before=True)
        return self._latest[self.path][1].copy()

    def read_afresh(self, *, parsed_before: bool = False) -> pd.DataFrame:
        """The same, from the file whatever was read before.

        With `parsed_before` it need not be parsed again if the same content was.
        """
        settled = self.is_settled()  # asked first: a run may end while its file is being read
        content = content_of(self.path)
        if content is None:
            content = self.text_of([]).encode()
        if not parsed_before:
            return self.parse(content, settled)
        made_with = self.columns, self.identity, self.measures, self.text, settled
        return kept_frame(self.path, content, made_with, lambda: self.parse(content, settled))

    def _state(self) -> tuple | None:
        """What changes with a file's content; None if there is no file."""
        try:
            state = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return state.st_ino, state.st_size, state.st_mtime_ns

    def parse(self, content: bytes, settled: bool = False) -> pd.DataFrame:
        """A file's content as a frame; of one that is settled, a key has one result."""
        names, cells = self._fields(content)
        fields = {name: cells[place :: len(names)] for place, name in enumerate(names)}
        columns, places = {}, {}
        for column in self.columns:
            texts = fields.get(column) or [""] * (len(cells) // len(names))
            if column in _INTEGERS or column in _TEXT:
                columns[column], places[column] = self._words(column, texts)
            else:
                columns[column] = self._numbers(column, texts)
        frame = pd.DataFrame(columns)
        identity = list(self.identity)
        keys = pd.DataFrame({column: places[column] for column in identity})
        last = keys.drop_duplicates(keep="last").sort_values(identity, kind="stable").index
        if settled and len(last) < len(frame):
            self._refuse_contradictions(frame)
        if len(last) == len(frame) and last.is_monotonic_increasing:
            return frame
        return frame.take(last).reset_index(drop=True)

    def _words(self, column: str, texts: list[str]) -> tuple[pd.Series, np.ndarray]:
        """A column of names or whole numbers, of which each is checked and converted once.

        Behind it the place that the value of each row has when they are sorted.
        """
        codes, values = pd.factorize(np.array(texts, dtype=object))
        if column in _INTEGERS:
            self._refuse(column, texts, filter(_is_no_integer, values), "a whole number")
            values = [int(value) for value in values]
        elif column in self.identity:
            self._refuse(column, texts, filter(is_no_name, values), "a name")
        elif column in _FORMS:
            wanted, form = _FORMS[column]
            self._refuse(column, texts, (v for v in values if not form.fullmatch(v)), wanted)
        else:  # as it would be written again
            values = [format_value(value) for value in values]
        places = np.empty(len(values), dtype=int)
        places[sorted(range(len(values)), key=values.__getitem__)] = range(len(values))
        known = pd.Series(values, dtype="int64" if column in _INTEGERS else str)
        return known.take(codes).reset_index(drop=True), places[codes]

    def _numbers(self, column: str, texts: list[str]) -> pd.Series:
        """A column of numbers; of texts if it may hold them and has any."""
        numbers = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
        empty = numbers.isna().to_numpy()
        wrong = {text for text, is_empty in zip(texts, empty, strict=True) if is_empty} - {""}
        if not wrong:
            return numbers.astype("float64")
        if column not in self.text:
            self._refuse(column, texts, wrong, "a number")
        return pd.Series(texts, dtype=str)

    def _refuse(self, column: str, texts: list[str], wrong: Iterable[str], wanted: str) -> None:
        """Raise an error for the first line of which the value is wrong, if any is."""
        if lines := [texts.index(value) for value in wrong]:
            problem = f"{column} should be {wanted}, not {texts[min(lines)]!r}"
            raise DamagedFileError(self.path, min(lines) + 2, problem)

    def _refuse_contradictions(self, frame: pd.DataFrame) -> None:
        """Raise an error for two results of the same key, as of files that were merged."""
        results = frame[frame["status"] == OK].drop_duplicates()
        again = results.index[results.duplicated(list(KEY))]
        if len(again):
            key = " ".join(map(str, frame.loc[again[0], list(IDENTITY)]))
            problem = f"a second result of {key}, which differs from the first"
            raise DamagedFileError(self.path, int(again[0]) + 2, problem)

    def _fields(self, content: bytes) -> tuple[list[str], list[str]]:
        """The columns that a file names, and the fields of all whole lines, one after the other."""
        # What follows the last line break was torn by a kill, perhaps within a character.
        whole, broken, torn = content.rpartition(b"\n")
        if not broken:
            whole, torn = torn, b""  # the first line comes with the file and is never torn
        lines = [line.removesuffix("\r") for line in decode(self.path, whole).split("\n")]
        names = self._names(lines[0])
        if not broken:
            raise DamagedFileError(self.path, 1, "no rows, and the first line has no end")
        if _is_plain(whole) and all(line.count(",") == len(names) - 1 for line in lines):
            cells = ",".join(lines).split(",")[len(names) :]
        else:
            cells = []
            for number, line in enumerate(lines[1:], 2):
                fields = self._split(number, line)
                if len(fields) != len(names):
                    problem = f"{len(fields)} fields where the first line has {len(names)}"
                    raise DamagedFileError(self.path, number, problem)
                cells += fields
        # A kill leaves the beginning of one row, perhaps within quotes: no other torn line is its.
        last = torn.decode("latin-1").removesuffix("\r")
        last += "" if _LINE.fullmatch(last) else '"'
        most = len(_FIELDS.findall(f"{last},"))
        if (
            "\r" in last
            or last.startswith(_CONFLICT)
            or not _LINE.fullmatch(last)
            or most > len(names)
        ):
            raise DamagedFileError(self.path, len(lines) + 1, "not the beginning of a row")
        return names, cells

    def _names(self, line: str) -> list[str]:
        """The columns that the first line names."""
        names = self._split(1, line)
        required = [column for column in self.columns if column not in self.measures]
        for wrong, problem in (
            ([name for name in names if name not in self.columns], "unknown"),
            ([name for name in names if names.count(name) > 1], "there twice"),
            ([name for name in required if name not in names], "not there"),
        ):
            if wrong:
                raise DamagedFileError(self.path, 1, f"the column {wrong[0]!r} is {problem}")
        return names

    def _split(self, number: int, line: str) -> list[str]:
        """The fields of a line."""
        if line.startswith(_CONFLICT):
            problem = "a merge conflict that was not resolved"
        elif not line.strip():
            problem = "an empty line"
        elif "\0" in line or "\r" in line:
            problem = "a control character"
        elif '"' not in line:
            return line.split(",")
        elif _LINE.fullmatch(line):
            fields = _FIELDS.findall(f"{line},")
            return [f[1:-1].replace('""', '"') if f.startswith('"') else f for f in fields]
        else:
            problem = "a stray quote"
        raise DamagedFileError(self.path, number, problem)

    def append(self, rows: Iterable[Mapping]) -> None:
        """Add rows and see them on disk before returning."""
        if not self.path.exists():
            replace_file(self.path, self.text_of([]))
        try:
            with open(self.path, "ab") as file:
                file.write(self._format(rows).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreWriteError(self.path.parent, error) from error

    def text_of(self, rows: Iterable[Mapping]) -> str:
        """A whole file with these rows."""
        return ",".join(self.columns) + "\n" + self._format(rows)

    def text_of_frame(self, frame: pd.DataFrame) -> str:
        """The same with the rows of a frame, of which each value of a column is written once."""
        columns = []
        for name in self.columns:
            values = frame[name].to_numpy()
            # bits tell the two zeros apart, and gaps are alike
            is_float = values.dtype.kind == "f"
            codes, known = pd.factorize(values.view(np.int64) if is_float else values)
            known = known.view(values.dtype) if is_float else known
            texts = np.array([*map(format_value, known), ""], dtype=object)  # gaps are last, at -1
            columns.append(texts[codes])
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(zip(*columns, strict=True))
        return ",".join(self.columns) + "\n" + buffer.getvalue()

    def _format(self, rows: Iterable[Mapping]) -> str:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([format_value(row.get(c)) for c in self.columns] for row in rows)
        return buffer.getvalue()


def _is_no_integer(text: str) -> bool:
    return not re.fullmatch(r"0|[1-9][0-9]{0,18}", text) or int(text) > MOST


def is_no_name(text: str) -> bool:
    """Whether a name is empty or would not come back from a file as it is."""
    return not text or text != format_value(text) or text.startswith(_MARK)


def _is_plain(content: bytes) -> bool:
    """Whether nothing but commas and line breaks has a meaning in a file: most are so."""
    signs = (b'"', b"\r", b"\0", *(f"\n{sign}".encode() for sign in _CONFLICT))
    return not any(sign in content for sign in signs)


class Store:
    """The rows of one experiment and, apart from them, what they cost to compute.

    Rows hold what is deterministic, so runs that were resumed or parallel are byte-identical;
    seconds, memory, machine and the run that computed them go to ``timings/``.
    """

    def __init__(
        self,
        folder: Path,
        experiment: str,
        measures: Iterable[str],
        costs: Iterable[str] = (),
        text: Iterable[str] = (),
    ):
        self.folder = Path(folder)
        self.experiment = experiment
        self._rows = RowFile(
            self.folder / f"{experiment}.csv",
            IDENTITY,
            (*KEY, *measures, *OUTCOME),
            measures,
            text,
            is_settled=lambda: not self.unfinished,
        )
        self._timings = RowFile(
            self.folder / "timings" / f"{experiment}.csv",
            TASK,
            (*TASK, *COST, *costs),
            (*costs, "run"),  # files of before runs were named lack it
        )

    @classmethod
    def of(cls, experiment: Experiment, folder: Path) -> "Store":
        """The store of an experiment in a folder."""
        measures, costs, text = experiment.measures, experiment.costs, experiment.text
        return cls(folder, experiment.name, measures, costs, text)

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
        return self._rows.parse(self._rows.text_of(rows).encode())

    def timings(self) -> pd.DataFrame:
        """Seconds, memory, machine and run of every computed task."""
        return self._timings.read()

    @contextlib.contextmanager
    def writing(self):
        """Hold the store for writing; rows added are kept even if the block fails."""
        with contextlib.ExitStack() as held:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                # not buffered: what a full disk refused must not be tried again on closing
                lock = held.enter_context(open(self._lock, "ab", buffering=0))
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
            try:
                lock.write(b"unfinished\n")
            except OSError as error:
                raise StoreWriteError(self.folder, error) from error
            try:
                yield self
            except BaseException:
                # Rows are on disk already; that they cannot be sorted now must not hide why.
                with contextlib.suppress(StoreWriteError, DamagedFileError):
                    self._compact()
                raise
            self._compact()
            lock.truncate(0)

    def _compact(self) -> None:
        """Sort the files and drop torn lines and superseded rows, each in one atomic step."""
        # Read afresh, and both before either is written: if one is damaged, nothing is.
        frames = [(file, file.read_afresh()) for file in (self._rows, self._timings)]
        for file, frame in frames:
            if file.path.exists():
                replace_file(file.path, file.text_of_frame(frame))

    def add(self, rows: Iterable[Mapping], cost: Mapping) -> None:
        """Append one finished task; call inside :meth:`writing`."""
        self._rows.append(rows)
        self._timings.append([cost])
