"""Data sets from the user's own files: reading, checking, pointing out what looks wrong."""

import difflib
import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from minority_reports.datasets.dataset import Entry, build

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")

# Since pandas 3.1 the default converter keeps every bit, and the option that asks for it warns.
_pandas = tuple(map(int, pd.__version__.split(".")[:2]))
_EXACT = {} if _pandas >= (3, 1) else {"float_precision": "round_trip"}

# How files begin that are often mistaken for tables, the longest beginnings first.
_BEGINNINGS = {
    b"SQLite format 3": "an SQLite database",
    b"<!doctype html": "a web page",
    b"\x89PNG": "a PNG image",
    b"\x89HDF": "an HDF5 file",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstandard archive",
    b"ARROW1": "an Arrow or Feather file",
    b"PAR1": "a parquet file",
    b"PK\x03\x04": "a zip archive (as are Excel workbooks)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
    b"GIF8": "a GIF image",
    b"<html": "a web page",
    b"\xff\xd8\xff": "a JPEG image",
    b"BZh": "a bzip2 archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
_LATIN = "if it was written as Latin-1, convert it: iconv -f latin1 -t utf-8 OLD > NEW"
_NOT_A_TABLE = f"save the table as one of {', '.join(ENDINGS)}"
_ADVICE = {
    "text": "rename it to end in .csv or .tsv",
    "a parquet file": "rename it to end in .parquet",
    "a gzip archive": "rename it to end in .csv.gz or .tsv.gz",
    "text in UTF-16": "convert it: iconv -f utf-16 -t utf-8 OLD > NEW",
}

_COPY = "equal to the target (a copy)"
_SEVERAL = 5  # rows of a value, before it is said to determine the target
_NEARLY = 0.999  # share of rows
_MOST_CLASSES = 20  # of a target that are listed
_OTHERS = "another value"


def load_file(path, target, positive=None):
    """Load a table as a data set named after its file.

    Parameters
    ----------
    path : path-like
        A table with a header: .csv or .tsv (UTF-8, also gzipped as .csv.gz or .tsv.gz) or .parquet.
    target : str
        The column to predict. None of its values may be missing.
    positive : label, default=None
        The value of the target that counts as the minority, against all others; at least two rows
        have it and two do not. By default the rarer one of two.

    Returns
    -------
    Dataset
        Its columns are read by :class:`ColumnTypes`: numbers as float64, dates as days since
        1970-01-01, all else as categories. Nothing is imputed or dropped.

    See Also
    --------
    ColumnTypes : Reads other rows of such a table in the same way.
    examine : Point out ids, copies of the target and other columns that deserve a look.
    """
    path = Path(path)
    X, y, positive = read_file(path, target, positive)
    ending = _ending(path)
    entry = Entry(
        name=file_name(path),
        source=ending.split(".")[1],
        file=path.name,
        target=f"{target}={positive}",
    )
    data = build(entry, X, y, origin=path.name)
    data.X.attrs.update(X.attrs)
    return data


def file_name(path):
    """The name of the data set in a file, None for a path that does not end like a table."""
    ending = _ending(path)
    return None if ending is None else Path(path).name[: -len(ending)]


def read_file(path, target, positive=None):
    """The features, the 0/1 target and the positive label of a table."""
    from minority_reports.datasets.types import ColumnTypes  # scikit-learn is slow to import

    path = Path(path)
    table, labels, positive = _read_labelled(path, str(target), positive)
    types = ColumnTypes()
    try:
        X = types.fit_transform(table)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    X.attrs["notes"] = {name: kind.note for name, kind in types.kinds_.items() if kind.note}
    return X, (labels == positive).to_numpy(dtype=bool), positive


def _read_labelled(path, target, positive):
    """The other columns of a table, its target and the positive label."""
    table = _read_table(path)
    if target not in table.columns:
        raise ValueError(f"{path} has no column {target!r}; {_hint(target, table.columns)}")
    if table.shape[1] == 1:
        raise ValueError(
            f"{path} has no column besides the target {target!r}; there is nothing to learn from"
        )
    labels = table.pop(target)
    return table, labels, _positive_label(labels, positive, f"column {target!r} of {path}")


def reading_code(path, target, positive=None):
    """Python code that reads such tables with pandas alone, as `load_file` does.

    It defines ``read(path)`` and ``features(table)``, and makes ``table``, ``X`` and ``y`` (0 and
    1) from the file.
    """
    from minority_reports.datasets.types import Category, ColumnTypes

    path, target = Path(path), str(target)
    table, labels, positive = _read_labelled(path, target, positive)
    kinds = ColumnTypes().fit(table).kinds_
    categories = [name for name, kind in kinds.items() if isinstance(kind, Category)]
    if _ending(path) == ".parquet":
        read = "pd.read_parquet(path)"
        if any(name is not None for name in pd.read_parquet(path).index.names):
            read += ".reset_index()"
    else:
        options = {"sep": "\t"} if _ending(path).startswith(".tsv") else {}
        options |= {"dtype": dict.fromkeys(categories, "str")} if categories else {}
        options = "".join(f", {name}={value!r}" for name, value in (options | _EXACT).items())
        read = f"pd.read_csv(path{options})"
    lines = [f"X = table.drop(columns={target!r}, errors='ignore')"]
    if categories:
        lines += [
            f"for name in {categories!r}:",
            "    X[name] = X[name].map(str, na_action='ignore').astype('category')",
        ]
    for name, kind in kinds.items():
        if name not in categories and (code := kind.code(f"X[{name!r}]", table[name])):
            lines.append(f"X[{name!r}] = {code}")
    column = f"table[{target!r}]"
    if not isinstance(positive, str | bool | int | float):  # a date, say
        column, positive = f"{column}.astype(str)", labels[labels == positive].astype(str).iloc[0]
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f"def read(path):\n    return {read}\n\n\n"
        f"def features(table):\n{body}    return X\n\n\n"
        f"table = read({str(path)!r})\n"
        f"X = features(table)\n"
        f"y = ({column} == {positive!r}).astype(int)\n"
    )


def _ending(path):
    name = Path(path).name.lower()
    fitting = [ending for ending in ENDINGS if name.endswith(ending) and name != ending]
    return fitting[0] if fitting else None


def _read_table(path):
    """The whole table, with names that are text and rows that are counted."""
    ending = _check_file(path)
    if ending == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise ImportError(
            f"reading {path} needs pyarrow; run `pip install pyarrow`, or save the table as CSV"
        )
    try:
        table = _read_parquet(path) if ending == ".parquet" else _read_text(path, ending)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error.reason}); {_LATIN}") from error
    # Damaged files make pandas, zlib and pyarrow raise nearly everything, a KeyError included.
    except Exception as error:
        cause = (str(error).strip() or type(error).__name__).splitlines()[0]
        advice = _separated_otherwise(_header(path, ending)) or "mend the file or write it again"
        raise ValueError(f"{path} cannot be read as {ending}: {cause}; {advice}") from error
    if not len(table):
        raise ValueError(f"{path} has a header but no rows; give a file with rows")
    table.columns = table.columns.map(str)
    return table


def _check_file(path):
    """The ending, if there is a file and it begins as files of that ending do."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the path of a file in it")
    if not path.is_file():
        names = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, names)
        raise FileNotFoundError(f"no file {path}{f'; did you mean one of {near}?' if near else ''}")
    ending = _ending(path)
    if ending is None:
        raise ValueError(f"{path} does not end in {', '.join(ENDINGS)}; {_NOT_A_TABLE}")
    try:
        with open(path, "rb") as file:
            head = file.read(2**16)
    except PermissionError as error:
        raise PermissionError(
            f"{path} may not be read; allow it, for instance with `chmod u+r`"
        ) from error
    if not head.strip():
        raise ValueError(f"{path} is empty; give a file with a header and rows")
    found = _content(head)
    expected = {".parquet": "a parquet file", ".csv": "text", ".tsv": "text"}
    if found != expected.get(ending, "a gzip archive"):
        advice = _ADVICE.get(found, _NOT_A_TABLE)
        raise ValueError(f"{path} is {found}, not what the ending {ending} says; {advice}")
    return ending


def _content(head):
    """What a file holds, told from its first bytes."""
    for beginning, what in _BEGINNINGS.items():
        if head[: len(beginning)].lower() == beginning.lower():
            return what
    return "binary data" if b"\0" in head else "text"


def _read_text(path, ending, **options):
    with warnings.catch_warnings():
        # Rows longer than the header: pandas would warn and cut them off.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(
            path,
            sep="\t" if ending.startswith(".tsv") else ",",
            compression="gzip" if ending.endswith(".gz") else None,
            index_col=False,
            low_memory=False,  # a column's type is found from all of it: no mixtures
            **_EXACT,
            **options,
        )


def _header(path, ending):
    """The columns of a table whose rows cannot be read, none if that fails as well."""
    try:
        first = _read_text(path, ending, header=None, nrows=1)
    except Exception:  # not text, or as damaged as the rest
        return []
    return first.iloc[0].astype(str).tolist()


def _read_parquet(path):
    table = pd.read_parquet(path, engine="pyarrow")
    # An index with a name was a column to whoever wrote the file; one without only counts rows.
    return table.reset_index(drop=all(name is None for name in table.index.names))


def _separated_otherwise(columns):
    """Advice if the header is one column with a usual separator in its name, else ""."""
    marks = [mark for mark in ",;\t|" if mark in columns[0]] if len(columns) == 1 else []
    if not marks:
        return ""
    return (
        f"its values seem to be separated by {marks[0]!r}: save it with commas (and decimal "
        "points) as .csv or with tabs as .tsv"
    )


def _hint(target, columns):
    if advice := _separated_otherwise(columns):
        return advice
    near = difflib.get_close_matches(target, columns) or [*columns[:20]]
    return f"did you mean one of {near}?"


def _positive_label(labels, positive, where):
    missing = int(labels.isna().sum())
    if missing:
        raise ValueError(f"{where} has {missing} missing values; fill them in or drop those rows")
    if labels.dtype == object and not labels.map(pd.api.types.is_scalar).all():
        raise ValueError(f"{where} holds lists or tables; give a column of plain values")
    counts = labels.value_counts()
    counts = counts[counts > 0]  # a category may be declared and not used
    counts = dict(zip(counts.index.tolist(), counts.tolist(), strict=True))
    if len(counts) < 2:
        raise ValueError(
            f"{where} must have two values, it has {len(counts)}: "
            f"{', '.join(map(repr, counts))}; choose another column"
        )
    if len(counts) > 2 and positive is None:
        first = list(counts.items())[:_MOST_CLASSES]
        shown = [f"{value!r} ({n:,} row{'s' * (n > 1)})" for value, n in first]
        shown += ["..."] if len(counts) > _MOST_CLASSES else []
        raise ValueError(
            f"{where} has {len(counts)} classes: {', '.join(shown)}; say which of them counts as "
            "positive, against all others (--positive, or the parameter positive)"
        )
    if positive is not None:
        counts = _against_the_rest(counts, positive, where)
    (more, n_more), (fewer, n_fewer) = sorted(counts.items(), key=lambda item: -item[1])
    if n_fewer < 2:
        raise ValueError(
            f"{where} has a single row of {fewer!r}; at least two of each value are needed, one "
            "to learn from and one to test on"
        )
    if positive is not None:
        return next(label for label in counts if label is not _OTHERS)
    if n_more == n_fewer:
        raise ValueError(
            f"{where} has {n_more} rows of each value; say which is the minority with "
            f"positive={more!r} or positive={fewer!r}"
        )
    return fewer


def _against_the_rest(counts, positive, where):
    """Rows of the positive label and of all others."""
    n = sum(counts.values())
    # A parameter may come from a command line, where 1 is "1".
    for label in counts:
        if label == positive or str(label) == str(positive):
            return {label: counts[label], _OTHERS: n - counts[label]}
    known = ", ".join(map(repr, list(counts)[:_MOST_CLASSES]))
    more = f" and {len(counts) - _MOST_CLASSES} more" if len(counts) > _MOST_CLASSES else ""
    raise ValueError(f"{where} has no value {positive!r}, only {known}{more}")


def examine(dataset):
    """Point out the columns of a data set that deserve a look before anything is learned.

    Nothing is dropped: an id, a copy of the target or a constant is for the user to judge.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    frame : pandas.DataFrame
        One row per column of the data set: its `kind` (number, date, category, constant, id or
        copy of the target), the number of `distinct` values, the share of `missing` ones, a
        `remark` in words, empty for most columns, and a `note` on how dates and numbers that are
        written as text were read, or why they were not. The number of repeated rows is in
        ``frame.attrs["repeated_rows"]``.
    """
    dates, notes = dataset.X.attrs.get("dates", ()), dataset.X.attrs.get("notes", {})
    rows = {}
    for name, column in dataset.X.items():
        is_date, note = name in dates, notes.get(name, "")
        known_id = name in dataset.facts.ids
        rows[name] = *_examine_column(column, dataset.y, is_date, note, known_id), note
    frame = pd.DataFrame.from_dict(
        rows, orient="index", columns=["kind", "distinct", "missing", "remark", "note"]
    ).rename_axis("column")
    frame.attrs["repeated_rows"] = dataset.facts.repeated_rows
    return frame


def _examine_column(column, y, is_date, note, known_id):
    codes, values = pd.factorize(column)
    n, distinct, missing = len(codes), len(values), float(np.mean(codes < 0))
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    kind, remarks = "category" if is_category else "date" if is_date else "number", []
    if is_date:
        remarks.append("as days since 1970-01-01")
    if distinct == 0:
        kind, remarks = "constant", ["nothing but missing values"]
    elif distinct == 1 and not missing:
        kind, remarks = "constant", ["constant"]
    elif leak := _leak(codes, y):
        kind = "copy of the target" if leak == _COPY else kind
        remarks.append(leak)
    elif known_id:
        kind = "id"
        remarks.append("known to be an id")
    # dates and sums of money differ in every row as well
    elif distinct == n and not (is_date or note) and (is_category or _whole(values)):
        kind = "id"
        remarks.append("looks like an id: different in every row")
    if 0.5 < missing < 1:
        remarks.append("more than 50 % missing")
    if not is_category and np.isinf(values).any():
        remarks.append("has infinite values")
    return kind, distinct, missing, "; ".join(remarks)


def _whole(values):
    """Whether all are whole numbers, which measurements rarely are and ids usually."""
    return bool((values == np.rint(values)).all())


def _leak(codes, y):
    """How the values of a column give the target away, "" if they do not.

    A missing value counts as one more value: what is missing may tell as much as what is there.
    """
    rows = np.bincount(codes + 1)
    positives = np.bincount(codes + 1, weights=y)[rows > 0]
    rows = rows[rows > 0]
    # The rows that the more frequent class of each value gets wrong.
    wrong = np.minimum(positives, rows - positives).sum()
    if wrong == 0 and len(rows) == 2 and codes.min() == 0:
        return _COPY
    if wrong == 0 and rows.min() >= _SEVERAL:
        return "determines the target"
    # With a rare class a constant agrees in nearly all rows too: most of that class must be found.
    agreement = 1 - wrong / len(y)
    found = wrong <= 0.1 * min(y.sum(), len(y) - y.sum())
    if found and agreement >= _NEARLY and rows.mean() >= _SEVERAL:
        return f"near-copy: agrees with the target in {100 * agreement:.4g} % of rows"
    return ""
