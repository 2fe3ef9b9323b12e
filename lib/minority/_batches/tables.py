"""Tables in batches: datasets of pyarrow and data frames of Dask."""

import operator
import os
from functools import partial

import numpy as np
import pandas as pd

from minority._batches.progress import progress_bar

_BATCH_CELLS = 2**22  # values of a batch of Arrow, so 32 MB as float64
_LEAST_ROWS = 1024
_FEW = 8  # partial results of Dask that one task merges


def merge_all(one, other, merges):
    """Two tuples of totals as one; None is that of no rows."""
    if one is None or other is None:
        return one if other is None else other
    return tuple(merge(a, b) for merge, a, b in zip(merges, one, other, strict=True))


class _Table:
    """What both kinds of tables have.

    Attributes
    ----------
    names : list of str
        Of the columns.
    empty : pandas.DataFrame
        No row of them, for their types.
    """

    def check_columns(self, wanted):
        absent = [name for name in wanted if name not in self.names]
        if absent:
            raise ValueError(f"{self} has no column {absent[0]!r}; it has {', '.join(self.names)}.")

    def result_of(self, columns, function):
        """The type and the shape of what a function makes of rows: an array of no row."""
        row = self.empty[columns].reindex([0])
        return np.asarray(function(row.astype(_floats_of(row))))[:0]


def _floats_of(row):
    """Types with which a row of missing values passes for a row."""
    return {name: np.float64 for name, dtype in row.dtypes.items() if dtype.kind == "O"}


class ArrowTable(_Table):
    """A dataset of pyarrow: batches are read one after the other, by as many threads as it has.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    is_checked : bool, default=False
        Whether its files are known to have its columns.
    """

    def __init__(self, dataset, is_checked=False):
        self._dataset = dataset
        self.names = list(dataset.schema.names)
        self.empty = to_pandas(dataset.schema.empty_table())
        self._is_checked = is_checked

    def __str__(self):
        files = [file for file, _ in _files_of(self._dataset)]
        if not files:
            return "The dataset"
        return f"The dataset of {len(files)} files (the first is {files[0]})"

    def count_rows(self):
        self._check_files()
        return self._dataset.count_rows()

    def _check_files(self):
        """Raise an error if a file cannot be opened, or has other columns than the dataset."""
        import pyarrow as pa

        if self._is_checked:
            return
        expected = self._dataset.schema
        files = list(_files_of(self._dataset))
        folders = {part for file, _ in files for part in file.split("/")[:-1] if "=" in part}
        said_by_folders = {part.partition("=")[0] for part in folders}
        for file, fragment in files:
            try:
                schema = fragment.physical_schema
            except (OSError, ValueError) as error:
                raise ValueError(f"{file} cannot be read: {_first_line(error)}") from error
            for field in expected:
                if field.name in said_by_folders:
                    continue
                if field.name not in schema.names:
                    raise ValueError(f"{file} has no column {field.name!r}, other files have.")
                kinds = [_value_type(part.type) for part in (schema.field(field.name), field)]
                if kinds[0] != kinds[1] and pa.null() not in kinds:
                    raise ValueError(
                        f"{file} has the column {field.name!r} as {kinds[0]}, other files have it "
                        f"as {kinds[1]}: write all files with one schema."
                    )
        self._is_checked = True

    def batches(self, columns, told=None, n_rows=None):
        """Yield each batch that has rows, as Arrow has it and as a frame, and its file.

        Parameters
        ----------
        columns : list of str
            Of the frame.
        """
        self._check_files()
        n_rows = n_rows or (self.count_rows() if told else None)
        start = 0
        with progress_bar(told, n_rows) as bar:
            read = self._read(columns)
            while True:
                try:
                    batch, file = next(read, (None, None))
                except (OSError, ValueError) as error:
                    raise self._error_of_a_file(columns, error) from error
                if batch is None:
                    return
                n = batch.num_rows
                if n:
                    frame = to_pandas(batch)
                    frame.index = pd.RangeIndex(start, start + n)
                    yield batch, frame, file
                start += n
                bar.update(n)

    def _read(self, columns):
        """Yield the batches of Arrow and their files."""
        options = {
            "columns": columns,
            "batch_size": max(_LEAST_ROWS, _BATCH_CELLS // max(1, len(columns))),
        }
        try:
            fragments = list(self._dataset.get_fragments())
        except ValueError:  # with a filter there is only the dataset as a whole
            for tagged in self._dataset.scanner(**options).scan_batches():
                yield tagged.record_batch, getattr(tagged.fragment, "path", None)
            return
        # By row groups: of more than that pyarrow reads up to a gigabyte ahead.
        for fragment in fragments:
            split = getattr(fragment, "split_by_row_group", lambda whole=fragment: [whole])
            for part in split():
                for batch in part.to_batches(schema=self._dataset.schema, **options):
                    yield batch, getattr(fragment, "path", None)

    def _error_of_a_file(self, columns, error):
        """An error of pyarrow with the name of the file, which it does not always say."""
        for file, fragment in _files_of(self._dataset):
            own = [name for name in columns if name in fragment.physical_schema.names]
            try:
                for _ in fragment.to_batches(columns=own):
                    pass
            except (OSError, ValueError):
                return ValueError(f"{file} cannot be read: {_first_line(error)}")
        return ValueError(f"{self} cannot be read: {_first_line(error)}")

    def total(self, function, merges, features, target=None, told=None, n_rows=None):
        """One pass over the rows: what a function makes of each batch, merged.

        Parameters
        ----------
        function : callable
            From the frame of some features and the column of the target, None without one, to a
            tuple.
        merges : tuple of callable
            See `minority._batches.rows.Rows.total`.
        features : list of str
        target : str, default=None
        told : str, default=None
            What the pass does, for the progress bar.
        n_rows : int, default=None
            The number of rows, if it is known.
        """
        total = None
        columns = features + [target] * (target is not None)
        for _, frame, file in self.batches(columns, told, n_rows):
            try:
                total = merge_all(total, _apply(function, frame, features, target), merges)
            except ValueError as error:
                raise ValueError(f"{file}: {error}" if file else str(error)) from error
        if total is None:
            raise ValueError(f"{self} has no rows.")
        return total

    def each(self, columns, function):
        """Yield what a function makes of the frame of each batch."""
        for _, frame, _ in self.batches(columns):
            yield function(frame)


def _files_of(dataset):
    """Yield the files of a dataset, and of each what reads it; none if it is in memory."""
    for child in getattr(dataset, "children", ()):
        yield from _files_of(child)
    for file in getattr(dataset, "files", ()):
        yield file, dataset.format.make_fragment(file, dataset.filesystem)


class DaskTable(_Table):
    """A data frame of Dask: partitions are read wherever the current scheduler has them read.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    """

    def __init__(self, frame):
        self._frame = frame
        self.names = list(map(str, frame.columns))
        self.empty = frame._meta

    def __str__(self):
        return f"The data frame of {self._frame.npartitions} partitions"

    def count_rows(self):
        return len(self._frame)

    def total(self, function, merges, features, target=None, told=None, n_rows=None):
        """See `ArrowTable.total`; partial results are merged as a tree, wherever they are."""
        import dask

        columns = features + [target] * (target is not None)
        # In the graph once, not once for each partition.
        step = dask.delayed(_Step(function, tuple(merges), features, target))
        of_part, of_some = dask.delayed(_Step.of_part), dask.delayed(_Step.of_some)
        parts = [of_part(step, part) for part in self._frame[columns].to_delayed()]
        while len(parts) > 1:
            parts = [of_some(step, parts[k : k + _FEW]) for k in range(0, len(parts), _FEW)]
        (total,) = dask.compute(*parts)
        if total is None:
            raise ValueError(f"{self} has no rows.")
        return total

    def each(self, columns, function):
        """An array of Dask of what a function makes of the frame of each partition."""
        frame = self._frame[columns]
        nothing = self.result_of(columns, function)
        return frame.map_partitions(partial(_unless_empty, function, nothing), meta=nothing)


class _Step:
    """What the tasks of a pass do."""

    def __init__(self, *parts):
        self._parts = parts

    def of_part(self, frame):
        function, _, features, target = self._parts
        return _apply(function, frame, features, target) if len(frame) else None

    def of_some(self, totals):
        total = None
        for other in totals:
            total = merge_all(total, other, self._parts[1])
        return total


def _apply(function, frame, features, target):
    column = None if target is None else frame[target]
    return function(frame if target is None else frame[features], column)


def _unless_empty(function, nothing, frame):
    return np.asarray(function(frame)) if len(frame) else nothing


def _value_type(dtype):
    """The type of the values of a column of Arrow, however they are stored."""
    import pyarrow as pa

    if pa.types.is_dictionary(dtype):
        return _value_type(dtype.value_type)
    is_text = pa.types.is_large_string(dtype) or pa.types.is_string(dtype)
    return pa.string() if is_text else dtype


def to_pandas(batch):
    """A batch or a table of Arrow as a frame; decimals and what is always missing are floats."""
    import pyarrow as pa

    before = batch.columns
    columns = list(before)
    for j, column in enumerate(columns):
        if pa.types.is_decimal(column.type):
            # By way of text: pyarrow's own way to floats may round to another than the nearest.
            columns[j] = column.cast(pa.string()).cast(pa.float64())
        elif pa.types.is_null(column.type):
            columns[j] = column.cast(pa.float64())
    is_same = all(map(operator.is_, columns, before))
    return (batch if is_same else pa.table(columns, names=batch.schema.names)).to_pandas()


def _first_line(error):
    return str(error).strip().splitlines()[0]


def check_memory(n_rows, n_columns):
    """Raise an error if that many numbers would take more than half of the memory."""
    needed = 8 * n_rows * n_columns
    memory = _memory()
    if needed > memory / 2:
        raise ValueError(
            f"The minority of {n_rows:,} rows would take {needed / 2**30:.1f} GB, more than half "
            f"of this machine's memory ({memory / 2**30:.1f} GB), in which it has to be: learn "
            "from a sample of the rows, or from fewer columns."
        )


def _memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
