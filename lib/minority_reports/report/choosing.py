"""Which estimator for which problem: read from docstrings, tags and signatures, never told twice.

The docstring of an estimator has, between its summary and its parameters, a paragraph that begins
with "Use it when", whose last sentence "Data: ..." says how many rows and positives suit it, and
one that begins with "Not for". Everything else in the table follows from the class itself.
"""

import importlib
import inspect
import re
from collections.abc import Callable
from typing import NamedTuple

from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils import get_tags

from minority_reports.report.docstrings import split_docstring

YES, NO, BY_ESTIMATOR, NOT_ASKED = "yes", "no", "if its estimator does", "–"
#: Parameters that say what errors, classes or rows of a class cost.
COSTS = ("class_weight", "costs", "cost", "majority_weight")


class Guidance(NamedTuple):
    """What the first paragraphs of an estimator's docstring say."""

    summary: str
    about: str  # how it works: any further paragraphs
    use: str  # from "Use it when" on
    data: str  # how many rows and positives
    avoid: str  # from "Not for" on

    @property
    def purpose(self) -> str:
        """The end of the sentence "Use it when ..."."""
        sentence = re.split(r"(?<=[.:]) ", self.use, maxsplit=1)[0]
        return sentence.removeprefix("Use it when ").rstrip(".:")


def estimators() -> dict[str, type]:
    """The estimators that `minority` offers, by name, those of a module together."""
    minority = importlib.import_module("minority")
    found = {name: getattr(minority, name) for name in minority.__all__ if name[0] != "_"}
    return dict(sorted(found.items(), key=lambda item: (home(item[1]), item[0].lower())))


def home(estimator: type) -> str:
    """The module that users import an estimator from."""
    return estimator.__module__.rpartition("._")[0]


def guidance(estimator: type) -> Guidance:
    """When to use an estimator and when not, as its docstring has it; what lacks is empty."""
    text, _ = split_docstring(inspect.getdoc(estimator) or "")
    summary, *paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    use = next((part for part in paragraphs if part.startswith("Use it when ")), "")
    avoid = next((part for part in paragraphs if part.startswith("Not for ")), "")
    about = [part for part in paragraphs if part not in (use, avoid)]
    use, _, data = use.partition(" Data: ")
    return Guidance(summary, "\n\n".join(about), use, data.rstrip("."), avoid)


class _Plain(ClassifierMixin, BaseEstimator):
    """The least that a classifier can do: two classes, whole numeric data, no probabilities."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _answer(estimator: type, ask: Callable[[object], bool]) -> str:
    """Whether instances of an estimator do something, or only around an estimator that does."""
    if "estimator" in inspect.signature(estimator).parameters:
        able, plain = (
            ask(estimator(inner)) for inner in (HistGradientBoostingClassifier(), _Plain())
        )
        if able and not plain:
            return BY_ESTIMATOR
    return YES if ask(estimator()) else NO


def _readable(estimator: type) -> str:
    if hasattr(estimator, "rules_frame"):
        return YES
    if not hasattr(estimator, "to_text"):
        return NO
    inside = "estimator" in inspect.signature(estimator).parameters
    return BY_ESTIMATOR if inside else "its weights"


def abilities(estimator: type) -> dict[str, str]:
    """What an estimator can do, in a word each; a dash where the question makes no sense."""
    parameters = inspect.signature(estimator).parameters
    missing = _answer(estimator, lambda model: get_tags(model).input_tags.allow_nan)
    if missing == BY_ESTIMATOR:
        categories = BY_ESTIMATOR  # it gets the columns as they are
    elif get_tags(estimator()).input_tags.string:
        categories = YES
    else:
        categories = YES if "categorical_features" in parameters else NO
    fit = getattr(estimator, "fit", None)
    found = {
        "readable": _readable(estimator),
        "probabilities": _answer(estimator, lambda model: hasattr(model, "predict_proba")),
        "missing values": missing,
        "categories": categories,
        "more than two classes": _answer(estimator, _takes_classes),
        "sample weights": YES
        if fit and "sample_weight" in inspect.signature(fit).parameters
        else NO,
        "costs or weights": ", ".join(f"`{name}`" for name in COSTS if name in parameters) or NO,
    }
    if not is_classifier(estimator()):
        only_classifiers = ("readable", "probabilities", "sample weights", "costs or weights")
        found |= dict.fromkeys(only_classifiers, NOT_ASKED)
    return found


def _takes_classes(model) -> bool:
    """Whether more than two classes are fine: of samplers, all are."""
    tags = get_tags(model)
    return (
        tags.classifier_tags.multi_class if tags.classifier_tags else hasattr(model, "fit_resample")
    )
