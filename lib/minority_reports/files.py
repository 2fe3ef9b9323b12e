"""Files that are whole or refused: read strictly, replaced in one step, never written over."""

import codecs
import json
import os
from pathlib import Path


class DamagedFileError(RuntimeError):
    """Raised when a file is not as it was written: its content is neither used nor replaced."""

    def __init__(self, path: Path, line: int, problem: str):
        super().__init__(
            f"{path}, line {line}: {problem}. The file was left as it is. Restore it, for "
            "instance with git, or delete it to have its content computed again."
        )


class StoreWriteError(RuntimeError):
    """Raised when a file cannot be written: a full disk, a folder that is read-only."""

    def __init__(self, folder: Path, error: OSError, variable: str = "MINORITY_RESULTS"):
        super().__init__(
            f"cannot write to {folder}: {error.strerror or error}. Rows written before are kept; "
            f"free some space or set {variable} to a folder that can be written to, and run "
            "again: what is there is not computed again."
        )


def replace_file(path: Path, content: str | bytes, variable: str = "MINORITY_RESULTS") -> None:
    """Write a whole file in one atomic step; ``variable`` names the way to another folder."""
    if isinstance(content, str):
        content = content.encode()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(temporary, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreWriteError(path.parent, error, variable) from error


def content_of(path: Path) -> bytes | None:
    """What is in a file; None if there is no file."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():  # what it stands for is elsewhere, and must not be taken for nothing
            raise DamagedFileError(path, 1, "a link to a file that is not there") from None
        return None


def decode(path: Path, content: bytes) -> str:
    """The text of a file, without the byte-order mark that some editors put in front."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DamagedFileError(path, line, "bytes that are not UTF-8") from None


def read_entries(path: Path, fields: tuple[str, ...] = ()) -> dict[str, dict]:
    """A JSON file of named entries that have all ``fields``; none if there is no file."""
    content = content_of(path)
    if content is None:
        return {}

    def distinct(pairs):
        if len(dict(pairs)) < len(pairs):
            raise DamagedFileError(path, 1, "the same name twice in one JSON object")
        return dict(pairs)

    text = decode(path, content)
    try:
        entries = json.loads(text, object_pairs_hook=distinct)
    except json.JSONDecodeError as error:
        raise DamagedFileError(path, error.lineno, f"not JSON ({error.msg})") from None
    if not isinstance(entries, dict):
        raise DamagedFileError(path, 1, "not a JSON object")
    for name, entry in entries.items():
        if not isinstance(entry, dict) or not set(fields) <= set(entry):
            wanted = f" with {', '.join(fields)}" if fields else ""
            line = text.count("\n", 0, text.find(json.dumps(name))) + 1
            raise DamagedFileError(path, line, f"{name!r} is not an entry{wanted}")
    return entries
