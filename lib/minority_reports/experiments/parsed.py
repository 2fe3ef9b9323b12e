"""Parsed rows kept in the cache: checked columns are read several times as fast as text.

What is kept carries a digest of the text that it was made of, of the code that made it and of
itself. If any of them is another, the text is parsed again: rows are never stale, nor damaged.
"""

import contextlib
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from minority_reports import files, paths
from minority_reports.files import DamagedFileError, StoreWriteError, content_of, replace_file

#: A file of fewer bytes is parsed faster than it is looked up.
WORTH_KEEPING = 100_000


def kept_frame(
    path: Path, content: bytes, made_with: tuple, parse: Callable[[], pd.DataFrame]
) -> pd.DataFrame:
    """The frame that `parse` makes of a file's content, from the cache if it is there.

    Only large files of the folder of results are kept, each under its name.

    Parameters
    ----------
    path : Path
    content : bytes
    made_with : tuple
        What else the frame depends on.
    parse : callable
        Makes the frame; it must not have an index of its own.
    """
    if len(content) < WORTH_KEEPING or paths.results() not in path.parents:
        return parse()
    source = hashlib.sha256(content).digest() + repr((made_with, _code())).encode()
    file = paths.cache() / "rows" / f"{path.stem}-{path.parent.name}.arrow"
    if (frame := _read(file, source)) is None:
        frame = parse()
        _write(file, source, frame)
    return frame


@functools.cache
def _code() -> str:
    """What changes with the code that makes frames of text."""
    import pyarrow

    modules = Path(__file__), Path(__file__).with_name("store.py"), Path(files.__file__)
    code = b"".join(module.read_bytes() for module in modules)
    return f"{hashlib.sha256(code).hexdigest()} {pd.__version__} {pyarrow.__version__}"


def _digest(source: bytes, columns: memoryview) -> bytes:
    digest = hashlib.sha256(source)
    digest.update(columns)
    return digest.digest()


def _read(file: Path, source: bytes) -> pd.DataFrame | None:
    """The frame in a file, if it was made of this and is as it was written."""
    import pyarrow as pa

    try:
        kept = memoryview(content_of(file) or b"")
    except (OSError, DamagedFileError):
        return None
    size = hashlib.sha256().digest_size
    if kept[:size] != _digest(source, kept[size:]):
        return None
    return pa.ipc.open_file(pa.py_buffer(kept[size:])).read_all().to_pandas()


def _write(file: Path, source: bytes, frame: pd.DataFrame) -> None:
    """Keep a frame, if the cache can be written to."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    columns = memoryview(sink.getvalue())
    with contextlib.suppress(StoreWriteError):  # then it is parsed again the next time
        replace_file(file, _digest(source, columns) + columns)
