"""Reader of KEEL's .dat files: an ARFF-like header, then comma-separated rows.

Headers in the wild differ in case and blanks, and state the roles of attributes or do not.
"""

import io
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

MISSING = ["<null>", "?", ""]
_FLAGS = re.IGNORECASE | re.MULTILINE

_ATTRIBUTE = re.compile(
    r"""@attribute \s+
        (?P<name> '[^']*' | "[^"]*" | [^\s{]+ )
        (?: \s+ (?: real | integer | numeric ) \s* (?: \[ .* \] )?
          | \s* \{ (?P<values> .* ) \} ) \s* $""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class Header:
    """Attributes in file order; ``None`` for a number, else the declared values."""

    attributes: dict[str, tuple[str, ...] | None]
    inputs: tuple[str, ...]
    target: str


def parse_header(text):
    """Read the lines before ``@data``."""
    attributes, roles = {}, {"input": (), "output": ()}
    for line in map(str.strip, text.splitlines()):
        keyword, _, rest = re.sub(r"\s+", " ", line).partition(" ")
        keyword = keyword.lower()
        if keyword == "@attribute":
            match = _ATTRIBUTE.match(line)
            if match is None:
                raise ValueError(f"cannot read the header line {line!r}")
            name, values = match["name"].strip("'\""), match["values"]
            attributes[name] = None if values is None else _split(values)
        elif keyword.rstrip("s") in ("@input", "@output"):
            roles[keyword.strip("@s")] = _split(rest)
    if not attributes:
        raise ValueError("the header declares no attribute")
    target = roles["output"][0] if roles["output"] else list(attributes)[-1]
    inputs = roles["input"] or tuple(name for name in attributes if name != target)
    unknown = {target, *inputs} - set(attributes)
    if unknown:
        raise ValueError(f"the header gives a role to undeclared attributes: {sorted(unknown)}")
    return Header(attributes, inputs, target)


def read_keel(path):
    """Read a file into its features and its labels, the latter as text without blanks."""
    with open(path, encoding="utf-8") as file:  # universal newlines: some files have CRLF
        head, *body = re.split(r"^\s*@data.*\n", file.read(), maxsplit=1, flags=_FLAGS)
    if not body:
        raise ValueError(f"{path} has no @data line")
    header = parse_header(head)
    # Blanks around a value mean nothing here, but to the CSV reader they are part of a label.
    body = re.sub(r"[ \t]*([,\n])[ \t]*", r"\1", body[0]).strip()
    table = pd.read_csv(
        io.StringIO(body), header=None, dtype=object, na_values=MISSING, keep_default_na=False
    )
    if table.shape[1] != len(header.attributes):
        raise ValueError(
            f"{path} has rows of {table.shape[1]} values for {len(header.attributes)} attributes"
        )
    table.columns = list(header.attributes)
    if table[header.target].isna().any():  # a short row is filled up with missing values
        raise ValueError(f"{path} has a row without a label")
    for name in header.inputs:
        values = header.attributes[name]
        if _is_numeric(values):
            # By way of numpy, which rounds correctly: how pandas does depends on its version.
            table[name] = table[name].to_numpy(dtype=object).astype(np.float64)
        else:
            table[name] = _categorical(table[name], values)
    return table[list(header.inputs)], table[header.target]


def _split(values):
    return tuple(value.strip().strip("'\"") for value in values.split(","))


def _is_numeric(values):
    """A number by type, or a nominal attribute whose values are all numbers, such as {0, 1}."""
    return values is None or all(map(_is_number, values))


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _categorical(column, values):
    undeclared = set(column.dropna()) - set(values)
    if undeclared:  # pandas would turn them into missing values without a word
        raise ValueError(f"attribute {column.name!r} has undeclared values {sorted(undeclared)}")
    return column.astype(pd.CategoricalDtype(list(values)))
