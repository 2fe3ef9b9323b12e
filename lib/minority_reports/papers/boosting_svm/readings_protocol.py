"""Rows of Boosting-SVM and of its component classifier by what the paper leaves open.

Everything that one run of boosting decides at its end is a setting: the step delta and how the
round is chosen. What changes the machines is a method: their C, how features are scaled, and
whether the weights are scaled in each round.
"""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from minority.ensembles import BoostingSVMClassifier
from minority_reports.experiments import Experiment, Fold, Method, by_short_name, with_random_state
from minority_reports.papers.boosting_svm.protocol import (
    DELTAS,
    MEASURES,
    PUBLIC,
    SHARES,
    Parts,
    boosting_svm,
    class_measures,
    measures_of,
    parts_of,
    prediction_measures,
    rounds_of,
    validation_rows,
)
from minority_reports.papers.boosting_svm.readings import DELTA, ROUND, SCALING, WEIGHTS, C
from minority_reports.report import Choice, factorial, named

#: Passes of the solver after which a machine is taken as it is; those are counted. With C = 10 the
#: machines on features that are not scaled hardly converge.
MAX_PASSES = 10_000
#: Columns of their own spread, of range 1, or as they are.
SCALERS = {
    "standard": StandardScaler(),
    "none": FunctionTransformer(),
    "minmax": MinMaxScaler(),
}


class GrownWeights(BoostingSVMClassifier):
    """Boosting-SVM whose weights are used as they have grown, as Algorithm 1 has it.

    The prices of the first machine are C on average; those of later ones are higher. All examples
    have a sample weight of 1.
    """

    def _scaled(self, weight):
        return weight * len(weight) / 2  # the costs of a class add up to 1


def rescaled(level: str, C: str, fold: Fold, held_out: np.ndarray | None = None):
    """A fold whose features are scaled in one of the ways, and the C that goes with it.

    The machine is that on the features as scaled, but for the penalty on its intercept: features
    are moved and divided, all by one number, to the mean and the mean spread of standardised ones,
    where that penalty does not matter, and C makes up for the number.
    """
    parts = parts_of(fold, held_out, SCALERS[level])
    price = 1 / (parts.X**2).sum(axis=1).mean() if C == "SVMlight" else float(C)
    if level == "standard":
        return parts, price
    center = parts.X.mean(axis=0)
    spread = np.sqrt(((parts.X - center) ** 2).mean())
    moved = {name: (getattr(parts, name) - center) / spread for name in ("X", "X_val", "X_test")}
    return parts._replace(**moved), price * spread**2


@dataclass(frozen=True)
class _Variant:
    """A machine by its levels of C and scaling, and whether boosting scales the weights."""

    C: str = "1"
    scaling: str = "standard"
    weights: str = "scaled"

    def fit(self, fold: Fold, held_out: np.ndarray | None, **parameters):
        """A fitted classifier with its own C, and the parts of the fold; some rows validate."""
        parts, price = rescaled(self.scaling, self.C, fold, held_out)
        model = boosting_svm(C=price, max_iter=MAX_PASSES, **parameters)
        if self.weights == "grown":
            model = GrownWeights(**model.get_params())
        model = with_random_state(model, fold.random_state)
        validation = {} if held_out is None else {"X_val": parts.X_val, "y_val": parts.y_val}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # counted in a measure
            model.fit(parts.X, parts.y, **validation)
        return model, parts


class BoostedVariant(_Variant):
    """Boosting-SVM with each delta; settings say which is tested, and after which round."""

    def __call__(self, fold: Fold) -> dict:
        held_out = validation_rows(fold)
        runs = [_Rounds(*self.fit(fold, held_out, delta=delta)) for delta in DELTAS]
        return {setting: self._row(runs, **STEPS[setting]) for setting in fold.settings}

    def _row(self, runs, delta="validation", round="validation"):
        if delta != "validation":
            return runs[DELTAS.index(float(delta))].after(round)
        scores = [run.scores[-1] if round == "last" else run.scores.max() for run in runs]
        row = runs[int(np.argmax(scores))].after(round)
        return row | {"n_unconverged": sum(run.model.n_unconverged_ for run in runs)}


class _Rounds:
    """What a fitted Boosting-SVM predicts after each of its rounds."""

    def __init__(self, model: BoostingSVMClassifier, parts: Parts):
        self.model, self.parts = model, parts
        self.scores = model.validation_scores_
        self._trained = list(model.staged_predict(parts.X))
        self._tested = list(model.staged_predict(parts.X_test))
        errors = [(svm.predict(parts.X) != parts.y).mean() for svm in model.estimators_]
        self._least_errors = np.minimum.accumulate(errors)

    def after(self, chosen_by: str) -> dict:
        """What is measured after the round that a level of the choice says."""
        n_rounds = {"validation": self.model.n_rounds_, "last": len(self._tested)}.get(chosen_by)
        if chosen_by == "test":
            scores = [class_measures(self.parts.y_test, found)["g_mean"] for found in self._tested]
            n_rounds = int(np.argmax(scores)) + 1
        m = n_rounds - 1
        return {
            **measures_of(self.parts, self._trained[m], self._tested[m]),
            **rounds_of(self.model),
            "component_error": float(self._least_errors[m]),
            "n_rounds": n_rounds,
            "chosen": self.model.delta_,
        }


class ComponentVariant(_Variant):
    """The component classifier alone (VII), on 90 % of the rows and on the 70 %."""

    def __call__(self, fold: Fold) -> dict:
        shares = [self._row(fold, held_out) for held_out in (None, validation_rows(fold))]
        return {setting: shares[setting != SHARES[0]] for setting in fold.settings}

    def _row(self, fold, held_out):
        model, parts = self.fit(fold, held_out, n_estimators=1, delta=1, validation_fraction=None)
        return prediction_measures(model, parts) | {"n_unconverged": model.n_unconverged_}


def _variants(base: str, run: type[_Variant], *choices: Choice) -> dict[str, Method]:
    """A method for all levels of some choices together."""
    return {
        named(base, levels): Method(named(base, levels), run(**levels))
        for levels in ({}, *factorial(choices))
    }


#: What a setting changes in what is tested.
STEPS = {named("all", levels): levels for levels in ({}, *factorial((DELTA, ROUND)))}

_BOOSTED = _variants("b-svm", BoostedVariant, C, SCALING, WEIGHTS)
_COMPONENTS = _variants("asymmetric", ComponentVariant, C, SCALING)
del _COMPONENTS["asymmetric"]  # whose rows are those of the main table

#: Letter is left out, which has more rows than all other sets together.
_experiment = partial(
    Experiment,
    paired="boosting_svm",
    datasets=tuple(name for name in PUBLIC if name != "letter"),
    measures=MEASURES,
    quick=("glass7",),
)

READINGS_EXPERIMENTS = by_short_name(
    _experiment(name="boosting_svm-readings", methods=_BOOSTED, settings=tuple(STEPS)),
    _experiment(
        name="boosting_svm-readings-component",
        methods=_COMPONENTS,
        settings=(*SHARES, "all:share=70%"),
    ),
)
