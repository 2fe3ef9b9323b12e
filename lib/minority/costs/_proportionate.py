"""Learning from examples that are kept in proportion to their costs."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from minority._sklearn import Interval, _fit_context, check_is_fitted
from minority.costs._base import (
    BaseCostClassifier,
    class_probabilities,
    fit_or_constant,
    take_rows,
)
from minority.costs._matrix import cost_of_missing

# Draws of a sample that are tried until every class with a cost is in it.
_MOST_DRAWS = 100


def rejection_sample(codes, costs, rng):
    """Positions of the examples that are kept, each with probability cost / largest cost.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,)
        Numbers of the classes; all of them occur.
    costs : ndarray of shape (n_classes,)
        Cost of missing each class. One without a cost is never kept.
    rng : numpy.random.Generator

    Returns
    -------
    rows : ndarray of int
        Sorted. A sample without a class that has a cost is drawn again; after so many draws, a
        random example of each such class is added.
    """
    kept_share = costs / costs.max()
    for _ in range(_MOST_DRAWS):
        rows = np.flatnonzero(rng.random(len(codes)) < kept_share[codes])
        lacking = np.setdiff1d(np.flatnonzero(costs), codes[rows])
        if not len(lacking):
            return rows
    added = [rng.choice(np.flatnonzero(codes == code)) for code in lacking]
    return np.sort(np.r_[rows, added])


def _fit_sample(estimator, X, y, codes, costs, seed):
    rng = np.random.default_rng(seed)
    rows = rejection_sample(codes, costs, rng)
    return fit_or_constant(estimator, take_rows(X, rows), y[rows], rng), len(rows)


class CostProportionateClassifier(BaseCostClassifier):
    r"""Make a classifier mind costs by rejection sampling.

    Each training example is kept with a probability in proportion to the cost of getting it
    wrong, and the classifier is learned from what is kept.

    Use it when errors have known costs, whether or not the classifier accepts weights. With about
    ten samples (``n_estimators=10``), trees and rules had lower costs on average than with
    relabelling, thresholds or class weights. Data: any number of rows, if enough of the cheaper
    class remain in a sample.

    Not for a single sample with a high cost ratio: it keeps few examples of the cheaper class, and
    the model varies from sample to sample. Several samples make a vote, which is not readable: for
    one model use `MetaCostClassifier`, or class weights. With more than two classes it only knows
    what it costs to miss a class, not which other class is predicted.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is learned. None: `C45Classifier`.

    costs : None, number, dict, DataFrame or array-like of shape (n_classes, n_classes), \
            default=None
        Costs of errors, see `check_costs`: a number is the cost ratio :math:`C(-|+) / C(+|-)`, a
        table has true classes as rows. None: each error costs 1, and all examples are kept.

    n_estimators : int, default=1
        Number of samples, each with its classifier. One is what Chawla et al. describe; Zadrozny
        et al. average several and call that costing.

    pos_label : object, default=None
        The positive class, for a cost ratio. By default the rarer one; if both are equally
        frequent, ``classes_[1]``.

    n_jobs : int or None, default=None
        Classifiers trained at a time. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Randomness of the samples and of the classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    pos_label_ : object
        The positive class; None with more than two classes.

    costs_ : ndarray of shape (n_classes, n_classes)
        The costs, true classes as rows.

    estimators_ : list of classifiers
        The models of the samples.

    sample_sizes_ : ndarray of int of shape (n_estimators,)
        How many examples each sample kept.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    MetaCostClassifier : Relabels the examples.

    Notes
    -----
    An example of class i is kept with probability :math:`c_i / Z`, where :math:`Z` is the largest
    of the costs :math:`c_i = \frac{1}{k - 1} \sum_{j \ne i} C_{ij} - C_{ii}`. With two classes
    this is what an error costs beyond a right prediction; with more it is a mean, for the method
    knows a single cost per example, and which wrong class is predicted no longer matters.

    A sample without one of the classes is drawn again, up to 100 times, and then given an example
    of it. A class that costs nothing to miss is never kept, so never predicted. If that leaves one
    class, the model is a constant.

    References
    ----------
    .. [1] B. Zadrozny, J. Langford and N. Abe, "Cost-sensitive learning by cost-proportionate
       example weighting", International Conference on Data Mining, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import CostProportionateClassifier
    >>> from minority.costs import expected_cost
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> y = y.map({0: "malignant", 1: "benign"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> costs = {"malignant": 20, "benign": 1}
    >>> for used in (None, costs):
    ...     model = CostProportionateClassifier(costs=used, n_estimators=10, random_state=0)
    ...     cost = expected_cost(y_test, model.fit(X, y).predict(X_test), costs)
    ...     print(f"costs={used}: {cost:.2f} per patient")
    costs=None: 0.46 per patient
    costs={'malignant': 20, 'benign': 1}: 0.39 per patient
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseCostClassifier._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        costs=None,
        n_estimators=1,
        pos_label=None,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.costs = costs
        self.n_estimators = n_estimators
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Draw the samples and learn from each.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : CostProportionateClassifier
            The fitted classifier.
        """
        X, codes = self._validate_fit(X, y)
        costs = cost_of_missing(self.costs_)
        seeds = check_random_state(self.random_state).randint(2**32, size=self.n_estimators)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_sample)(self._base(), X, self.classes_[codes], codes, costs, seed)
            for seed in seeds
        )
        self.estimators_ = [model for model, _ in fitted]
        self.sample_sizes_ = np.array([size for _, size in fitted])
        return self

    def predict_proba(self, X):
        """Mean probabilities of the classes, as if they were as frequent as in the samples.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Shares of votes if the classifiers have no probabilities.
        """
        X = self._validate_predict(X)
        total = sum(class_probabilities(model, X, self.classes_) for model in self.estimators_)
        return total / len(self.estimators_)

    def predict(self, X):
        """Predict the most probable class; of several samples' equals the first.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if len(self.estimators_) == 1:  # which has its own way with ties
            return self.estimators_[0].predict(self._validate(X, reset=False))
        # Means that differ in their last bits are equal.
        return self.classes_[self.predict_proba(X).round(12).argmax(axis=1)]

    def _inside(self):
        return self.estimators_

    def _is_rules(self):
        """A vote is no rules."""
        return self.n_estimators == 1 and super()._is_rules()

    def _heading(self):
        return f"Examples kept: {', '.join(str(size) for size in self.sample_sizes_.tolist())}"
