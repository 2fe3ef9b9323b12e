"""Which estimator for which problem: read from docstrings, tags and signatures, never told twice.

The docstring of an estimator has, between its summary and its parameters, a paragraph that begins
with "Use it when", whose last sentence "Data: ..." says how many rows and positives suit it, and
one that begins with "Not for". Everything else in the table follows from the class itself.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils import get_tags

from minority_reports.report.docstrings import split_docstring

YES, NO, NOT_ASKED = "yes", "no", "–"
#: On the estimator inside.
DEPENDS = "depends"
#: What is asked about each of them.
QUESTIONS = (
    *("readable", "probabilities", "missing values", "categories", "multiclass"),
    *("sample weights", "costs"),
)
#: Parameters that say what errors, classes or rows of a class cost.
COSTS = ("class_weight", "costs", "cost", "majority_weight", "majority_weights")


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
    """The estimators that `minority` offers, by name."""
    minority = importlib.import_module("minority")
    return {name: getattr(minority, name) for name in minority.__all__ if name[0] != "_"}


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
    """The least that a classifier can do: two classes, numbers without gaps, no probabilities."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _parameters(function: Callable) -> Collection[str]:
    return inspect.signature(function).parameters


def _answer(estimator: type, ask: Callable[[object], bool]) -> str:
    """Whether an estimator can do something, or only if the one inside can."""
    if "estimator" in _parameters(estimator):
        able, plain = HistGradientBoostingClassifier(), _Plain()
        if ask(estimator(estimator=able)) and not ask(estimator(estimator=plain)):
            return DEPENDS
    return YES if ask(estimator()) else NO


def _takes_missing(model) -> bool:
    return get_tags(model).input_tags.allow_nan


def _takes_classes(model) -> bool:
    """Whether more than two classes are fine: for samplers they are."""
    of_classifier = get_tags(model).classifier_tags
    return of_classifier.multi_class if of_classifier else hasattr(model, "fit_resample")


def _has_probabilities(model) -> bool:
    return hasattr(model, "predict_proba")


def _readable(estimator: type) -> str:
    if not hasattr(estimator, "to_text"):
        return NO
    if "estimator" in _parameters(estimator):
        return DEPENDS
    return YES if hasattr(estimator, "to_rules") else "its weights"


def _categories(estimator: type) -> str:
    if _answer(estimator, _takes_missing) == DEPENDS:
        return DEPENDS  # the one inside gets the columns as they are
    strings = get_tags(estimator()).input_tags.string
    return YES if strings or "categorical_features" in _parameters(estimator) else NO


def abilities(estimator: type) -> dict[str, str]:
    """What an estimator can do, in a word each; a dash where the question makes no sense."""
    found = {
        "readable": _readable(estimator),
        "probabilities": _answer(estimator, _has_probabilities),
        "missing values": _answer(estimator, _takes_missing),
        "categories": _categories(estimator),
        "multiclass": _answer(estimator, _takes_classes),
    }
    if not is_classifier(estimator()):
        asked = ("missing values", "categories", "multiclass")
        return {q: found[q] if q in asked else NOT_ASKED for q in QUESTIONS}
    found["sample weights"] = YES if "sample_weight" in _parameters(estimator.fit) else NO
    costs = [f"`{name}`" for name in COSTS if name in _parameters(estimator)]
    return found | {"costs": ", ".join(costs) or NO}
