"""Predictions of least expected cost."""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from minority._condition import format_number
from minority._readable import is_rules
from minority._sklearn import _fit_context, check_is_fitted
from minority.costs._base import BaseCostClassifier, class_probabilities
from minority.costs._matrix import cheapest_class


class CostThresholdClassifier(BaseCostClassifier):
    r"""Predict the class with the least expected cost by another classifier's probabilities.

    Costs do not enter the training: the same model serves all of them.

    Use it when the classifier has good probabilities, and the costs of errors are known or may
    change later. Costs play no part in training, so one fitted model (in scikit-learn's
    `FrozenEstimator`) serves all of them. Data: as much as the classifier can fit.

    Not for poor probabilities, such as those of unpruned trees, boosting, or models trained on
    resampled data: calibrate them first with scikit-learn's `CalibratedClassifierCV`. Trees and
    rules have few different probabilities: with `CostProportionateClassifier` their costs are lower
    on average, above all at high cost ratios.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Must have `predict_proba`. None: `C45Classifier`. One that is fitted already can be put
        into scikit-learn's `FrozenEstimator`.

    costs : None, number, dict, DataFrame or array-like of shape (n_classes, n_classes), \
            default=None
        Costs of errors, see `check_costs`: a number is the cost ratio :math:`C(-|+) / C(+|-)`, a
        table has true classes as rows. None: each error costs 1.

    pos_label : object, default=None
        The positive class, for a cost ratio. By default the rarer one; if both are equally
        frequent, ``classes_[1]``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    pos_label_ : object
        The positive class; None with more than two classes.

    costs_ : ndarray of shape (n_classes, n_classes)
        The costs, true classes as rows.

    class_counts_ : ndarray of shape (n_classes,)
        Training examples of each class.

    estimator_ : classifier
        The fitted classifier.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    cost_threshold : The threshold of two classes.
    sklearn.model_selection.FixedThresholdClassifier : A given threshold, for two classes only;
        predicts positive at the threshold itself, where this one predicts the most frequent class.

    Notes
    -----
    Predicting class j costs :math:`\sum_i P(i|x) C_{ij}`. With two classes and nothing to pay for
    right predictions, the positive class is the cheaper one where
    :math:`P(+|x) > C(+|-) / (C(+|-) + C(-|+))` (eq. 10). Of classes that cost the same, the most
    frequent one in training is predicted. A class that costs nothing to miss may still be
    predicted, where others cost more.

    References
    ----------
    .. [1] C. Elkan, "The foundations of cost-sensitive learning", International Joint Conference
       on Artificial Intelligence, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import CostThresholdClassifier
    >>> from minority.costs import expected_cost
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> y = y.map({0: "malignant", 1: "benign"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> costs = {"malignant": 20, "benign": 1}
    >>> for used in (None, costs):
    ...     model = CostThresholdClassifier(costs=used).fit(X, y)
    ...     cost = expected_cost(y_test, model.predict(X_test), costs)
    ...     print(f"costs={used}: {cost:.2f} per patient")
    costs=None: 0.46 per patient
    costs={'malignant': 20, 'benign': 1}: 0.35 per patient
    """

    def __init__(self, estimator=None, *, costs=None, pos_label=None):
        self.estimator = estimator
        self.costs = costs
        self.pos_label = pos_label

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit the classifier; the costs are only checked.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : CostThresholdClassifier
            The fitted classifier.
        """
        X, codes = self._validate_fit(X, y, needed=("fit", "predict_proba"))
        self.class_counts_ = np.bincount(codes)
        self.estimator_ = clone(self._base()).fit(X, self.classes_[codes])
        return self

    def predict_proba(self, X):
        """Probabilities of the classes, as the classifier has them.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        X = self._validate_predict(X)
        return class_probabilities(self.estimator_, X, self.classes_)

    def predict(self, X):
        """Predict the class with the least expected cost.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        chosen = cheapest_class(self.predict_proba(X), self.costs_, self.class_counts_)
        return self.classes_[chosen]

    def _inside(self):
        return [self.estimator_]

    def _is_rules(self):
        return hasattr(self._base(), "_decisions") and super()._is_rules()

    @available_if(is_rules)
    def to_rules(self):
        """The rules inside, with the class of least expected cost for what each of them decides.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        rules, proba = super()._decisions()
        labels = self.classes_[cheapest_class(proba, self.costs_, self.class_counts_)]
        told = [
            self._relabelled(rule, label)
            for rule, label in zip((*rules.rules, rules.default), labels, strict=True)
        ]
        return replace(rules, rules=told[:-1], default=told[-1])

    def _relabelled(self, rule, label):
        """The rule with another prediction, and what it decides rightly if that is known."""
        if rule.prediction == label or rule.correct is None:
            return replace(rule, prediction=label)
        is_other = len(self.classes_) == 2
        return replace(
            rule,
            prediction=label,
            support=rule.support if is_other else None,
            correct=rule.support - rule.correct if is_other else None,
        )

    def to_text(self, digits=None, write=None):
        """The threshold, or the costs of more than two classes; then the rules inside.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by `RuleSet.parse`, predicts
            every training example as the model does (of trees those without missing values). A
            number of significant digits is for reading only.
        write : callable, default=None
            See `Rule.to_text`.

        Returns
        -------
        text : str
        """
        if not self._is_rules():
            return super().to_text(digits, write)
        rules = self.to_rules().to_text(digits, write)
        return f"{self._heading(digits)}\n\n{rules}"

    def _heading(self, digits=None):
        if len(self.classes_) == 2 and not self.costs_.diagonal().any():
            positive = self.classes_.tolist().index(self.pos_label_)
            threshold = self.costs_[1 - positive, positive] / self.costs_.sum()
            return (
                f"{self.pos_label_} if its probability is above {format_number(threshold, digits)}"
            )
        table = pd.DataFrame(self.costs_, self.classes_, self.classes_).to_string()
        return f"the class with the least expected cost; costs, true classes as rows:\n{table}"
