"""What the library offers, from its docstrings: the report's page on the interface."""

import importlib
import inspect
import re
from types import ModuleType

from minority_reports.report.docstrings import docstring_html, inline_html

#: Modules for users, in the order of the layers.
MODULES = (
    "minority.boxes",
    "minority.rules",
    "minority.trees",
    "minority.ensembles",
    "minority.costs",
    "minority.sampling",
    "minority.metrics",
    "minority_reports.statistics",
    "minority_reports.datasets",
    "minority_reports.experiments",
)


def public_objects(module: ModuleType) -> dict[str, object]:
    """The classes and functions that a module offers, by name."""
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    found = {name: getattr(module, name) for name in names}
    return {name: value for name, value in found.items() if callable(value)}


def _signature(value) -> str:
    try:
        text = str(inspect.signature(value))
    except ValueError:  # exceptions take whatever their base takes
        return ""
    # neither where objects lie in memory, nor private modules, nor what a call gives by itself
    private = r"\bminority(?:_reports)?\.[\w.]+\.(?=\w)"
    hidden = rf" at 0x[0-9a-f]+|{private}|(?<=^\()(self|cls)(, |(?=\)))| -> None$"
    return re.sub(hidden, "", text)


def _methods(value) -> dict[str, object]:
    """Public methods and properties of a class that are documented in this project."""
    methods = {}
    for base in reversed(getattr(value, "__mro__", ())):
        if base.__module__.startswith(("minority.", "minority_reports.")):
            for name, member in vars(base).items():
                member = getattr(member, "__func__", member)  # of a class or static method
                ours = inspect.isfunction(member) or isinstance(member, property)
                if ours and not name.startswith("_") and inspect.getdoc(member):
                    methods[name] = member
    return methods


def describe_api() -> list[dict]:
    """Every module with its classes and functions, their docstrings as HTML."""
    modules = [importlib.import_module(name) for name in MODULES]
    objects = [public_objects(module) for module in modules]
    names = {name for found in objects for name in found}

    def describe(name: str, value, level: int) -> dict:
        summary, _, rest = (inspect.getdoc(value) or "").partition("\n\n")
        return {
            "name": name,
            "signature": "" if isinstance(value, property) else _signature(value),
            "summary": inline_html(summary, names),
            "rest": docstring_html(rest, level=level, names=names),
        }

    return [
        {
            "name": module.__name__,
            "summary": inspect.getdoc(module).partition("\n")[0],
            "objects": [
                describe(name, value, 4)
                | {"methods": [describe(n, m, 5) for n, m in _methods(value).items()]}
                for name, value in sorted(found.items(), key=lambda item: item[0].lower())
            ],
        }
        for module, found in zip(modules, objects, strict=True)
    ]
