"""What the library offers, from its docstrings: the interface, and a page for each estimator."""

import importlib
import inspect
import re
from collections.abc import Mapping
from types import ModuleType

from minority_reports.report.choosing import abilities, estimators, guidance, home
from minority_reports.report.docstrings import (
    docstring_html,
    inline_html,
    section_html,
    split_docstring,
)

#: The page of the whole interface.
PAGE = "api.html"
#: Sections that come before the methods.
_OF_A_CLASS = ("Parameters", "Attributes")

#: Modules for users, in the order of the layers.
MODULES = (
    "minority.boxes",
    "minority.rules",
    "minority.trees",
    "minority.ensembles",
    "minority.costs",
    "minority.sampling",
    "minority.large",
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


def _describe(name: str, value, level: int, names: Mapping[str, str]) -> dict:
    """A class, function, method or property: its signature, and its docstring as HTML."""
    summary, _, rest = (inspect.getdoc(value) or "").partition("\n\n")
    return {
        "name": name,
        "signature": "" if isinstance(value, property) else _signature(value),
        "summary": inline_html(summary, names),
        "rest": docstring_html(rest, level=level, names=names),
    }


def _described_methods(value, level: int, names: Mapping[str, str]) -> list[dict]:
    return [_describe(name, method, level, names) for name, method in _methods(value).items()]


def _addresses(page: str) -> dict[str, str]:
    """Where a name is described, as seen from a page: estimators have pages of their own."""
    before = "" if page == PAGE else PAGE
    modules = map(importlib.import_module, MODULES)
    found = {name: f"{before}#{name}" for module in modules for name in public_objects(module)}
    return found | {name: f"{name}.html" for name in estimators()}


def describe_api() -> list[dict]:
    """Every module with its classes and functions, their docstrings as HTML."""
    names, pages = _addresses(PAGE), estimators()

    def describe(name: str, value) -> dict:
        if name in pages:
            summary = inline_html(guidance(value).summary, names)
            return {"name": name, "summary": summary, "page": names[name]}
        methods = _described_methods(value, 5, names)
        return _describe(name, value, 4, names) | {"methods": methods}

    return [
        {
            "name": module.__name__,
            "summary": inspect.getdoc(module).partition("\n")[0],
            "objects": [
                describe(name, value)
                for name, value in sorted(
                    public_objects(module).items(), key=lambda item: item[0].lower()
                )
            ],
        }
        for module in map(importlib.import_module, MODULES)
    ]


def _in_order(item: tuple[str, type]) -> tuple[int, str]:
    """Estimators as the page has them: by module."""
    return MODULES.index(home(item[1])), item[0].lower()


def describe_estimators() -> list[dict]:
    """Each estimator by what its page and its row in the table have: advice, example, reference."""
    return [_describe_estimator(*item) for item in sorted(estimators().items(), key=_in_order)]


def _describe_estimator(name: str, estimator: type) -> dict:
    names = _addresses(f"{name}.html")
    del names[name]  # no link to the page itself
    told = guidance(estimator)
    _, sections = split_docstring(inspect.getdoc(estimator))
    example = sections.pop("Examples", "")
    reference = {
        title: section_html(title, body, level=3, names=names) for title, body in sections.items()
    }
    return {
        "name": name,
        "page": f"{name}.html",
        "module": home(estimator),
        "signature": _signature(estimator),
        "summary": inline_html(told.summary, names),
        "about": docstring_html(told.about, level=3, names=names),
        "purpose": inline_html(told.purpose, names),
        "use": inline_html(told.use, names),
        "data": inline_html(told.data, names),
        "avoid": inline_html(told.avoid, names),
        "abilities": {q: inline_html(answer) for q, answer in abilities(estimator).items()},
        "example": docstring_html(example, level=3, names=names),
        "terms": [html for title, html in reference.items() if title in _OF_A_CLASS],
        "methods": _described_methods(estimator, 4, names),
        "rest": [html for title, html in reference.items() if title not in _OF_A_CLASS],
    }
