"""Data sets for benchmarks: one that is not available here is named and left out."""

import sys

from minority_reports import datasets


def load_available(names):
    """Yield (name, data set) for those that can be loaded; say why of the others."""
    for name in names:
        try:
            yield name, datasets.load(name)
        except datasets.DatasetUnavailableError as error:
            print(f"{name} is left out: {error}", file=sys.stderr, flush=True)
