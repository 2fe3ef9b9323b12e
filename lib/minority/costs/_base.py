"""What the cost-sensitive classifiers share: input, costs, models that know fewer classes."""

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from minority._columns import as_pandas
from minority._positive import PositiveClassMixin
from minority._readable import RulesMixin, has_rules, is_rules
from minority._seeding import seeded
from minority._sklearn import Interval, check_is_fitted, validate_data
from minority.costs._matrix import LARGEST_COST, check_costs
from minority.rules import RuleSet
from minority.trees import C45Classifier

# Every model checks its input anew; of numbers near the largest float the sum overflows there.
_overflows = {"over": "ignore", "invalid": "ignore"}


def take_rows(X, rows):
    """Some rows of a frame or an array."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def fit_or_constant(estimator, X, y, rng):
    """A fitted clone; of a single class a constant, which not every classifier can learn."""
    if (y == y[0]).all():
        return DummyClassifier(strategy="most_frequent").fit(X, y)
    with np.errstate(**_overflows):
        return seeded(estimator, rng).fit(X, y)


def class_probabilities(model, X, classes, hard=False):
    """Probabilities of all classes, zero for those that a model does not know.

    Votes, one for the predicted class and zero for others, if asked for or if it has no
    probabilities.
    """
    proba = np.zeros((X.shape[0], len(classes)))
    if not np.isin(model.classes_, classes).all():
        raise ValueError(
            f"The classifier knows the classes {model.classes_.tolist()}, but there are only "
            f"{classes.tolist()}."
        )
    with np.errstate(**_overflows):
        if hard or not hasattr(model, "predict_proba"):
            predicted = np.searchsorted(classes, model.predict(X))
            proba[np.arange(len(proba)), predicted] = 1
        else:
            proba[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return proba


def rules_of(model):
    """The rules of a fitted model; a constant has none but its default."""
    constant = isinstance(model, DummyClassifier)
    return RuleSet((), model.classes_[0]) if constant else model.to_rules()


def decisions_of(model, classes):
    """The rules of a model, and the probabilities of all classes for what each of them decides."""
    if isinstance(model, DummyClassifier):
        rules, proba = rules_of(model), np.ones((1, 1))
    else:
        rules, proba = model._decisions()
    spread = np.zeros((len(proba), len(classes)))
    spread[:, np.searchsorted(classes, model.classes_)] = proba
    return rules, spread


class BaseCostClassifier(RulesMixin, PositiveClassMixin, ClassifierMixin, BaseEstimator):
    """A classifier made of others, with costs of errors.

    A subclass has `_heading`, and `_inside`: the models that it predicts by.
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": "no_validation",
        "costs": [Interval(Real, 0, LARGEST_COST, closed="both"), dict, "array-like", None],
        "pos_label": "no_validation",
    }

    def _base(self):
        return C45Classifier() if self.estimator is None else self.estimator

    def _is_rules(self):
        return has_rules(self._base())

    @available_if(is_rules)
    def to_rules(self):
        """The model inside as rules.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        (model,) = self._inside()
        return rules_of(model)

    def _decisions(self):
        (model,) = self._inside()
        return decisions_of(model, self.classes_)

    def _class_totals(self):
        (model,) = self._inside()
        return model._class_totals() if has_rules(model) else None

    def to_text(self, digits=None, write=None):
        """What was done about the costs, then the model if it can be told.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by the parser of the model
            inside, predicts every training example as the model does. A number of significant
            digits is for reading only.
        write : callable, default=None
            See `Rule.to_text`.

        Returns
        -------
        text : str
            Several models that vote are numbered.
        """
        check_is_fitted(self)
        models, texts = self._inside(), []
        for k, model in enumerate(models, 1):
            number = f"Model {k} of {len(models)}:\n" if len(models) > 1 else ""
            if has_rules(self._base()):
                told = model if has_rules(model) else rules_of(model)
                texts.append(number + told.to_text(digits, write))
            elif hasattr(model, "to_text"):
                texts.append(number + model.to_text())
        return "\n\n".join([self._heading(), *texts])

    def _validate_fit(self, X, y, needed=("fit", "predict")):
        """Set `classes_`, `pos_label_` and `costs_`; return rows and the numbers of classes."""
        base = self._base()
        lacking = [method for method in needed if not hasattr(base, method)]
        if lacking or isinstance(base, type):
            reason = f", but has no {' and no '.join(lacking)}" if lacking else ""
            raise TypeError(f"estimator must be a classifier, got {base!r}{reason}.")
        y = validate_data(self, y=y)
        check_classification_targets(y)
        X = self._validate(X, reset=True)
        check_consistent_length(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) <= 2:
            self._find_positive(y)
        else:
            self.pos_label_ = None
        self.costs_ = check_costs(self.costs, self.classes_, self.pos_label_)
        return X, codes

    def _validate(self, X, *, reset):
        """`X` as it is: the base classifier brings it to the form it needs."""
        X = as_pandas(X)
        if hasattr(X, "iloc"):  # a DataFrame, whose names and types it may need
            return validate_data(self, X, skip_check_array=True, reset=reset)
        # Checked here too, because a constant would take anything.
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        return validate_data(
            self, X, dtype=None, accept_sparse="csr", ensure_all_finite=finite, reset=reset
        )

    def _validate_predict(self, X):
        check_is_fitted(self)
        return self._validate(X, reset=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = self._base()
        if hasattr(base, "__sklearn_tags__") and not isinstance(base, type):
            tags.input_tags = get_tags(base).input_tags
            tags.classifier_tags.multi_class = get_tags(base).classifier_tags.multi_class
        return tags
