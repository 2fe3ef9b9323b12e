"""Readers of data files: a frame and its labels as text, whatever the format. Nothing is unpickled.

Formats go by the ending of the name: NumPy archives, parquet, and text, gzipped or not, with
commas or blanks, with a header line or without, or in KEEL's form.
"""

import gzip
import io
import re
import zipfile
import zlib

import numpy as np
import pandas as pd

from minority_reports.datasets.dataset import DatasetUnavailableError
from minority_reports.datasets.keel import read_keel
from minority_reports.datasets.own import _EXACT

MISSING = ["?", "na", "NA", ""]

# What a damaged or misnamed file makes the libraries below raise.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    gzip.BadGzipFile,
    KeyError,
    ValueError,  # also undecodable text, pandas' parser errors and pyarrow's
)


def read_table(path, columns=(), target="y"):
    """Read a data file.

    Parameters
    ----------
    path : pathlib.Path
    columns : sequence of str
        Names of all columns of a file that has none, in its order; those with a leading "-" are
        left out. Names of an archive's array: those that are neither left out nor the target.
    target : str
        The column, or the archive's array, with the labels.

    Returns
    -------
    X : pandas.DataFrame
    labels : numpy.ndarray of str
    """
    try:
        if path.suffix == ".npz":
            X, labels = _read_archive(path, columns, target)
        else:
            X, labels = _read_columns(path, columns, target)
    except _UNREADABLE as error:
        cause = str(error).strip() or type(error).__name__
        raise ValueError(f"{path.name} is not what its name says: {cause}") from error
    return X, labels.astype(str)


def feature_names(columns, target, d):
    """The names of d features: those of `columns` that are features, by default x1 to xd."""
    names = [name for name in columns if name != target and not name.startswith("-")]
    names = names or [f"x{j}" for j in range(1, d + 1)]
    if len(names) != d:
        raise ValueError(f"{d} features, but {len(names)} names for them")
    return names


def _read_archive(path, columns, target):
    if not zipfile.is_zipfile(path):
        raise ValueError("not a NumPy archive")
    with np.load(path, allow_pickle=False) as arrays:
        X, labels = arrays["X"], arrays[target]
        own = arrays["columns"].tolist() if "columns" in arrays else ()
    names = feature_names(own or columns, target, X.shape[1])
    return pd.DataFrame(X, columns=names), labels


def _read_columns(path, columns, target):
    with open(path, "rb") as file:
        is_keel = file.read(1) in (b"@", b"%")
    if is_keel:
        X, labels = read_keel(path)
        return X, labels.to_numpy()
    if ".parquet" in path.suffixes:
        table = _read_parquet(path)
    else:
        table = _read_text(_text(path), columns, target)
    if columns:
        if table.shape[1] != len(columns):
            raise ValueError(f"it has {table.shape[1]} columns, not {len(columns)}")
        table.columns = list(columns)
    if target not in table:
        raise ValueError(f"it has no column {target!r}")
    labels = table.pop(target)
    if labels.isna().any():
        raise ValueError(f"it has a row without a label in {target!r}")
    return table[[name for name in table if not name.startswith("-")]], labels.to_numpy()


def _read_parquet(path):
    try:
        return pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise DatasetUnavailableError(
            f"reading {path.name} needs pyarrow: run `pip install pyarrow`"
        ) from error


def _text(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return file.read()


def _read_text(text, columns, target):
    if text.lstrip().startswith("<"):
        raise ValueError("it is a web page, not a table")
    last = text.rstrip().rpartition("\n")[2]
    labels = target
    if columns:
        labels = columns.index(target)
    else:  # a licence may precede the header: the table starts where lines are as long as the last
        text = text[_start(text, last.count(",")) :]
    return pd.read_csv(
        io.StringIO(text),
        header=None if columns else 0,
        sep="," if "," in last else r"\s+",
        skipinitialspace=True,
        na_values=MISSING,
        keep_default_na=False,
        dtype={labels: str},
        low_memory=False,  # a column's type is found from all of it
        **_EXACT,
    )


def _start(text, commas):
    position = 0
    for line in io.StringIO(text):
        if line.count(",") == commas:
            break
        position += len(line)
    return position


def _round2(X, labels):
    return X.astype(np.float64).round(2), labels


def _float32(X, labels):
    return X.astype(np.float32), labels


# The intrusions of KDD Cup 1999, training and test. The categories are those of its cost matrix.
_ATTACKS = {
    "normal": "normal",
    "dos": "apache2 back land mailbomb neptune pod processtable smurf teardrop udpstorm",
    "probe": "ipsweep mscan nmap portsweep saint satan",
    "r2l": "ftp_write guess_passwd imap multihop named phf sendmail snmpgetattack snmpguess spy "
    "warezclient warezmaster worm xlock xsnoop",
    "u2r": "buffer_overflow httptunnel loadmodule perl ps rootkit sqlattack xterm",
}
ATTACK_CATEGORY = {attack: kind for kind, attacks in _ATTACKS.items() for attack in attacks.split()}


def _attack_names(X, labels):
    """The labels as they are, less the full stop behind each."""
    attacks = pd.Series(labels).str.removesuffix(".")
    unknown = set(attacks) - set(ATTACK_CATEGORY)
    if unknown:
        raise ValueError(f"unknown attacks: {sorted(unknown)}")
    return X, attacks.to_numpy().astype(str)


def _attack_categories(X, labels):
    X, attacks = _attack_names(X, labels)
    return X, pd.Series(attacks).map(ATTACK_CATEGORY).to_numpy().astype(str)


# What the registry may ask to be done to a file's values, so that all sources agree to the bit.
STEPS = {
    "round2": _round2,
    "float32": _float32,
    "attack-names": _attack_names,
    "attack-categories": _attack_categories,
}


def spell_out(columns):
    """Split a registry's list of columns, where ``V1..V28`` stands for 28 names."""
    names = []
    for part in filter(None, columns.split(";")):
        match = re.fullmatch(r"(\D+)(\d+)\.\.\1(\d+)", part)
        names += (
            [f"{match[1]}{j}" for j in range(int(match[2]), int(match[3]) + 1)] if match else [part]
        )
    return tuple(names)
