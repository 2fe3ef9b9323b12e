"""The reproduced papers: their protocols, tables, figures and the rules that judge their claims.

A paper is a package here with a ``PAPER``; putting one there is all it takes to be found.
"""

import importlib
import pkgutil
from functools import cache

from minority_reports.experiments import Paper, near


@cache
def papers() -> dict[str, Paper]:
    """All papers by name, in the order of their notebooks."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]
    found = [importlib.import_module(f"{__name__}.{name}").PAPER for name in names]
    return {paper.name: paper for paper in sorted(found, key=lambda paper: paper.notebook)}


def select(names: str = "all") -> dict[str, Paper]:
    """The papers of a comma list; ``"all"`` for all of them."""
    known = papers()
    if names.strip() in ("", "all"):
        return known
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    for name in chosen:
        if name not in known:
            raise ValueError(f"unknown paper {name!r}. {near(name, known)}")
    return {name: known[name] for name in chosen}
