"""The rows of a folder to look at first, as a folder again."""

import json
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minority._batches.progress import progress_bar
from minority._batches.rows import features_of, rows_in
from minority._batches.tables import ArrowTable, to_pandas
from minority._extras import optional
from minority.large._model import ScoredRules, replace_file

_STATE = "_inspection"  # pyarrow passes by names that begin so
_COLUMNS = ("score", "rule", "reason")


class Hits(NamedTuple):
    """What `write_hits` did: numbers of rows, and of those that are in the new folder."""

    n_rows: int
    n_hits: int


def open_folder(folder):
    """The parquet files of a folder, or a single one, as a dataset of pyarrow."""
    datasets = optional("pyarrow.dataset", "large")
    if not Path(folder).exists():
        raise FileNotFoundError(f"There is no folder {folder}.")
    try:
        dataset = datasets.dataset(folder, format="parquet", partitioning="hive")
    except (OSError, ValueError) as error:
        raise ValueError(f"{folder} cannot be read: {error}") from error
    if not dataset.files:
        raise ValueError(f"There is no parquet file in {folder}.")
    return dataset


def write_hits(rules, folder, output, *, budget=0.02):
    """Write the rows of a folder of parquet files that are to be looked at first, and why.

    The rows are those of `ScoredRules.inspect`, by the same rules. There is a file for each file of
    the folder, with the columns of the rows and `score`, `rule` and `reason`, by descending score.
    The files are read twice: to count scores, and once it is known which scores are within the
    budget, to write the rows.

    Parameters
    ----------
    rules : ScoredRules, RLSDClassifier or FastBoxesClassifier
    folder : path-like
        With parquet files, in folders too, or a single one of them.
    output : path-like
        The new folder. If a call with the same arguments was interrupted, it goes on there: files
        that were read or written are not read or written again, and none is ever there by half.
    budget : float, default=0.02
        Largest share of all rows.

    Returns
    -------
    hits : tuple
        With the numbers `n_rows` and `n_hits`.
    """
    if not 0 < budget <= 1:
        raise ValueError(f"budget must be a share of the rows above 0, got {budget!r}.")
    rules = rules if isinstance(rules, ScoredRules) else ScoredRules.of(rules)
    table = ArrowTable(dataset := open_folder(folder))
    columns = features_of(rules, table)
    taken = [name for name in _COLUMNS if name in table.names]
    if taken:
        raise ValueError(f"{folder} has a column {taken[0]!r} already: rename it.")
    n_rows = table.count_rows()  # which opens all files
    output = Path(output)
    state = output / _STATE
    _begin(state, rules, dataset.files, budget)

    parts = [
        (_name_in(fragment.path, folder), _one_file(dataset, fragment))
        for fragment in dataset.get_fragments()
    ]
    counts = []
    with progress_bar("scores", n_rows) as bar:
        for name, part in parts:
            record = state / f"{name}.json"
            if not record.exists():
                found = json.dumps(_count_levels(rules, part, columns))
                replace_file(record, partial(_write_text, found))
            found = json.loads(record.read_text())
            counts.append(found["counts"])
            bar.update(found["rows"])
    counts = np.array(counts, dtype=np.int64).reshape(len(parts), rules.n_levels)
    wanted = _share_out(counts, rows_in(budget, n_rows))
    with progress_bar("hits", int(wanted.sum())) as bar:
        for (name, part), own in zip(parts, wanted, strict=True):
            if not (output / name).exists():
                replace_file(output / name, partial(_write_hits, rules, part, columns, own))
            bar.update(int(own.sum()))
    return Hits(n_rows, int(wanted.sum()))


def _begin(state, rules, files, budget):
    """Begin a folder of hits, or make sure that what is in it is of the same rules and files."""
    facts = [(f, Path(f).stat().st_size, Path(f).stat().st_mtime_ns) for f in files]
    model = sha256(json.dumps(rules.to_dict()).encode()).hexdigest()
    text = json.dumps({"budget": budget, "rules": model, "files": facts}, indent=1)
    record = state / "inspection.json"
    if record.exists():
        if record.read_text() != text:
            raise ValueError(
                f"{state.parent} has hits of other rules, other files or another budget: give "
                "another folder, or remove it."
            )
        return
    if state.parent.exists() and any(state.parent.iterdir()):
        raise ValueError(f"{state.parent} is not empty and has no hits: give another folder.")
    state.mkdir(parents=True, exist_ok=True)
    replace_file(record, lambda part: part.write_text(text))


def _name_in(file, folder):
    """The name of a file below a folder, with slashes."""
    file, folder = Path(file).absolute(), Path(folder).absolute()
    return file.name if folder.is_file() else str(file.relative_to(folder))


def _one_file(dataset, fragment):
    """A dataset of a single file, with the columns that the names of its folders say."""
    return type(dataset)([fragment], dataset.schema, dataset.format, dataset.filesystem)


def _count_levels(rules, dataset, columns):
    counts, n_rows = np.zeros(rules.n_levels, dtype=np.int64), 0
    for levels in ArrowTable(dataset, is_checked=True).each(columns, rules.level):
        n_rows += len(levels)
        counts += np.bincount(levels[levels >= 0], minlength=len(counts))
    return {"rows": n_rows, "counts": counts.tolist()}


def _share_out(counts, n_rows):
    """How many rows of each file and score are within the budget: the best, of equals the first.

    Parameters
    ----------
    counts : int64 ndarray of shape (n_files, n_levels)
        Of the best score first.
    """
    in_order = counts.T.ravel()
    before = np.cumsum(in_order) - in_order
    return np.clip(n_rows - before, 0, in_order).reshape(counts.shape[::-1]).T


def _write_hits(rules, dataset, columns, wanted, file):
    """Write so many rows of each score to a file, the first ones that there are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    left, chosen, parts = wanted.copy(), [np.empty(0, dtype=np.int64)], []
    table = ArrowTable(dataset, is_checked=True)
    for batch, frame, _ in table.batches(table.names) if wanted.any() else ():
        levels = rules.level(frame[columns])
        rows = [np.flatnonzero(levels == level)[:n] for level, n in enumerate(left.tolist())]
        left -= np.array(list(map(len, rows)))
        rows = np.concatenate([np.empty(0, dtype=np.int64), *rows])
        parts.append(batch.take(rows))
        chosen.append(levels[rows])
    hits = pa.Table.from_batches(parts, dataset.schema)
    order = np.argsort(np.concatenate(chosen), kind="stable")
    hits = hits.take(order)
    score, number = rules._scored(to_pandas(hits.select(columns)))
    reasons = [rules._reason_text(k) for k in number.tolist()]
    values = pa.array(score), pa.array(number + 1), pa.array(reasons, pa.string())
    for name, column in zip(_COLUMNS, values, strict=True):
        hits = hits.append_column(name, column)
    pq.write_table(hits, file)


def _write_text(text, file):
    file.write_text(text)
