"""MetaCost: relabel the training data by expected cost, then learn as usual."""

import warnings
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from minority._sklearn import Interval, StrOptions, _fit_context
from minority.costs._base import (
    BaseCostClassifier,
    class_probabilities,
    fit_or_constant,
    take_rows,
)
from minority.costs._matrix import cheapest_class


def _fit_bag(estimator, X, y, classes, n_draws, hard, seed):
    """A model of a bootstrap sample, its probabilities for all rows, and which rows it saw."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(y), size=n_draws)
    model = fit_or_constant(estimator, take_rows(X, rows), y[rows], rng)
    seen = np.zeros(len(y), dtype=bool)
    seen[rows] = True
    return model, class_probabilities(model, X, classes, hard), seen


def _final_has_probabilities(self):
    return hasattr(getattr(self, "estimator_", self._base()), "predict_proba")


class MetaCostClassifier(BaseCostClassifier):
    r"""Make a classifier mind costs by relabelling its training data.

    The probabilities of the classes are estimated by bagging, each training example is given the
    class with the least expected cost, and one classifier is learned from the new labels.

    Use it when errors have known costs, for two or more classes, and you want a single model for
    them from any classifier. With a tree or rules inside, that model is readable. Data: as much as
    the classifier can fit `n_estimators` times.

    Not for classifiers with poor probabilities, such as naive Bayes, where relabelling can raise
    the costs. Trees and rules have lower costs on average with `CostProportionateClassifier` and
    several samples. If the costs may change after training, `CostThresholdClassifier` needs no new
    fit.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is bagged and learned (:math:`L`). None: `C45Classifier`.

    costs : None, number, dict, DataFrame or array-like of shape (n_classes, n_classes), \
            default=None
        Costs of errors, see `check_costs`: a number is the cost ratio :math:`C(-|+) / C(+|-)`, a
        table has true classes as rows. None: each error costs 1.

    n_estimators : int, default=10
        Number of bootstrap samples (:math:`m`). Weka's default; the paper has 50.

    max_samples : int or float, default=1.0
        Draws per sample: a number, or a share of the examples (:math:`n`).

    use_all : bool, default=True
        Whether all models judge an example (:math:`q`), as in Weka, or only those whose sample it
        is not in. One that is in every sample is judged by all.

    voting : {"soft", "hard"}, default="soft"
        Whether models give probabilities (:math:`p`), if they have them, or votes.

    pos_label : object, default=None
        The positive class, for a cost ratio. By default the rarer one; if both are equally
        frequent, ``classes_[1]``.

    n_jobs : int or None, default=None
        Models trained at a time. The result does not depend on it.

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

    probabilities_ : ndarray of shape (n_samples, n_classes)
        The estimates for the training examples.

    relabelled_ : ndarray of shape (n_samples,)
        The new labels.

    changes_ : ndarray of int of shape (n_classes, n_classes)
        How many examples of each class (rows) were given which label (columns).

    estimators_ : list of classifiers
        The models of the samples.

    estimator_ : classifier
        The model of the new labels. If only one is left, a constant, with a warning.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    CostThresholdClassifier : Minds costs in prediction, not in training.

    Notes
    -----
    The new label of x is :math:`\arg\min_j \sum_i P(i|x) C_{ij}`; of classes that cost the same,
    the most frequent one. A sample may lack a rare class, whose probability is then zero by its
    model, and the model of a sample with one class is a constant.

    References
    ----------
    .. [1] P. Domingos, "MetaCost: a general method for making classifiers cost-sensitive",
       Knowledge Discovery and Data Mining, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import MetaCostClassifier
    >>> from minority.costs import expected_cost
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> y = y.map({0: "malignant", 1: "benign"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> costs = {"malignant": 20, "benign": 1}
    >>> for used in (None, costs):
    ...     model = MetaCostClassifier(costs=used, random_state=0).fit(X, y)
    ...     cost = expected_cost(y_test, model.predict(X_test), costs)
    ...     print(f"costs={used}: {cost:.2f} per patient")
    costs=None: 0.77 per patient
    costs={'malignant': 20, 'benign': 1}: 0.29 per patient
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseCostClassifier._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "use_all": ["boolean"],
        "voting": [StrOptions({"soft", "hard"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        costs=None,
        n_estimators=10,
        max_samples=1.0,
        use_all=True,
        voting="soft",
        pos_label=None,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.costs = costs
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.use_all = use_all
        self.voting = voting
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Relabel the examples and learn from the new labels.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : MetaCostClassifier
            The fitted classifier.
        """
        X, codes = self._validate_fit(X, y)
        base, y = self._base(), self.classes_[codes]
        n_draws = self.max_samples
        if not isinstance(n_draws, Integral):
            n_draws = max(1, round(n_draws * len(y)))
        seeds = check_random_state(self.random_state).randint(2**32, size=self.n_estimators + 1)
        bags = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_bag)(base, X, y, self.classes_, n_draws, self.voting == "hard", seed)
            for seed in seeds[1:]
        )
        self.estimators_ = [model for model, _, _ in bags]
        self.probabilities_ = self._average(bags)
        chosen = cheapest_class(self.probabilities_, self.costs_, np.bincount(codes))
        self.relabelled_ = self.classes_[chosen]
        self.changes_ = np.zeros(self.costs_.shape, dtype=int)
        np.add.at(self.changes_, (codes, chosen), 1)
        if (chosen == chosen[0]).all():
            warnings.warn(
                f"By these costs all examples are relabelled {self.relabelled_.tolist()[0]!r}: the "
                "model is a constant.",
                UserWarning,
                stacklevel=2,
            )
        rng = np.random.default_rng(seeds[0])
        self.estimator_ = fit_or_constant(base, X, self.relabelled_, rng)
        return self

    def _average(self, bags):
        """Mean probabilities, over all models or over those that did not see the example."""
        total = sum(proba for _, proba, _ in bags)
        if self.use_all:
            return total / len(bags)
        unseen = sum(proba * ~seen[:, None] for _, proba, seen in bags)
        n_unseen = sum((~seen).astype(int) for _, _, seen in bags)[:, None]
        return np.where(n_unseen > 0, unseen / np.maximum(n_unseen, 1), total / len(bags))

    @available_if(_final_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of the new labels, not of the classes.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Zero for a class that no example was given.
        """
        X = self._validate_predict(X)
        return class_probabilities(self.estimator_, X, self.classes_)

    def predict(self, X):
        """Predict by the model of the new labels.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        X = self._validate_predict(X)
        return self.estimator_.predict(X)

    def _inside(self):
        return [self.estimator_]

    def _heading(self):
        changed = [
            f"{count} from {before} to {after}"
            for before, row in zip(self.classes_, self.changes_.tolist(), strict=True)
            for after, count in zip(self.classes_, row, strict=True)
            if count and before != after
        ]
        return f"Of {len(self.relabelled_)} examples relabelled: {', '.join(changed) or 'none'}"
