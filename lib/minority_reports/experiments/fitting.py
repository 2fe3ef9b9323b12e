"""From an estimator to a method of an experiment: fit it on a fold and measure what it predicts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from minority_reports.experiments.plan import Fold
from minority_reports.experiments.prepare import numeric_parts


def confusion_counts(y_true: np.ndarray, predicted: np.ndarray) -> dict[str, int]:
    """The four counts of a confusion matrix, of 0/1 or of booleans."""
    positive, predicted = y_true.astype(bool), predicted.astype(bool)
    return {
        "tp": int((positive & predicted).sum()),
        "fp": int((~positive & predicted).sum()),
        "fn": int((positive & ~predicted).sum()),
        "tn": int((~positive & ~predicted).sum()),
    }


def with_random_state(estimator, random_state: int, **parameters):
    """An unfitted copy with other parameters and, where it takes one, this random state.

    In a pipeline every step that takes one gets it; what is inside of an estimator gets its own
    from there.
    """
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    copy = clone(estimator).set_params(**parameters)
    for step in [part for _, part in copy.steps] if isinstance(copy, Pipeline) else [copy]:
        if hasattr(step, "get_params") and "random_state" in step.get_params(deep=False):
            step.set_params(random_state=random_state)
    return copy


@dataclass(frozen=True)
class Fit:
    """The run of a method that is one estimator.

    Parameters
    ----------
    estimator : estimator
        Unfitted; every fit has a copy, see :func:`with_random_state`.
    measure : callable
        ``measure(model, X_test, y_test)`` returns the measures of a fitted model.
    varied : callable, optional
        ``varied(setting)`` returns the parameters that a setting changes. Without it one model
        stands for all settings.
    parts : callable
        ``parts(fold)`` returns ``X_train, y_train, X_test, y_test``.
    """

    estimator: object
    measure: Callable[..., Mapping]
    varied: Callable[[str], Mapping] | None = None
    parts: Callable[[Fold], tuple] = numeric_parts

    @property
    def independent_settings(self) -> bool:
        """Whether each setting has a model of its own."""
        return self.varied is not None

    def __call__(self, fold: Fold) -> dict:
        X_train, y_train, X_test, y_test = self.parts(fold)

        def measured(**parameters):
            model = with_random_state(self.estimator, fold.random_state, **parameters)
            return self.measure(model.fit(X_train, y_train), X_test, y_test)

        if self.varied is None:
            return dict.fromkeys(fold.settings, measured())
        return {setting: measured(**self.varied(setting)) for setting in fold.settings}


@dataclass(frozen=True)
class OnChangedFolds:
    """The run of a method on a fold as each setting changes it: ``change(fold, setting)``."""

    run: Callable[[Fold], Mapping[str, Mapping]]
    change: Callable[[Fold, str], Fold]
    independent_settings: ClassVar[bool] = True

    @property
    def estimator(self):
        """What the method fits on each of them."""
        return getattr(self.run, "estimator", None)

    def __call__(self, fold: Fold) -> dict:
        return {
            setting: self.run(replace(self.change(fold, setting), settings=(setting,)))[setting]
            for setting in fold.settings
        }
