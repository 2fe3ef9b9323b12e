"""RIPPER as a classifier."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from minority import _sklearn
from minority._columns import encode, find_categories, nominal_columns
from minority._condition import Interval, OneOf
from minority._positive import rarer
from minority._readable import RulesMixin
from minority._seeding import seed_from
from minority._sklearn import (
    LARGEST,
    StrOptions,
    _check_sample_weight,
    _fit_context,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)
from minority.rules._rule import Rule, RuleSet

_AT_MOST, _AT_LEAST = 0, 1  # operators of the kernels


class RIPPERClassifier(RulesMixin, ClassifierMixin, BaseEstimator):
    r"""Learn a short ordered list of rules, those of the rarest class first.

    Rules are grown condition by condition on two thirds of the data, pruned on the other third,
    and reconsidered one by one; what stays is decided by the length of the description of rules
    and errors. An example that no rule covers belongs to the most frequent class.

    Use it when you want a short ordered list of rules that people can read and check, for two or
    more classes. It takes categories and missing values as they are, and it is fast. Data: hundreds
    to hundreds of thousands of rows, from about ten per class.

    Not for ranking: a few rules give only a few different probabilities, and trees or ensembles
    rank better. It does nothing about imbalance by itself and easily misses rare positives: set
    ``class_weight="balanced"``, or put it into `SamplingWrapperClassifier` or
    `CostProportionateClassifier`. The rules depend on how `random_state` splits the data; a
    `C45Classifier` does not.

    Parameters
    ----------
    n_folds : int, default=3
        One of so many parts of the data prunes a rule, the others grow it. The parts are drawn
        anew for each rule, within classes.

    n_optimizations : int, default=2
        Number of times that all rules are reconsidered (the paper's :math:`k`).

    min_weight : float, default=2.0
        Least weight of the examples of the class that a new condition must leave covered.

    check_error_rate : bool, default=True
        Whether a rule that errs on half of the examples it decides is refused.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. They multiply `sample_weight`.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    random_state : int, RandomState instance or None, default=None
        Randomness of the splits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    rules_ : RuleSet
        The model. `support` and `correct` of its rules are weights of the training examples.

    class_weights_ : ndarray of shape (n_rules + 1, n_classes)
        Weight of each class among the training examples that each rule decides; the last row
        belongs to the default.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    minority.rules.RuleSet : The model, usable on its own.

    Notes
    -----
    With :math:`p` positives and :math:`n` negatives left, a condition that leaves :math:`p'` and
    :math:`n'` gains :math:`p' (\log_2 \frac{p' + 1}{p' + n' + 1} - \log_2 \frac{p + 1}{p + n + 1})`
    bits. A new rule is cut back to where :math:`\frac{p + 1}{p + n + 2}` is largest on the pruning
    part, and rules are added until the description is 64 bits longer than the shortest one so far.
    Then each rule competes with a revision (it grows on) and with a replacement (grown afresh),
    both pruned for the accuracy of the whole set; the shortest description wins.

    Where the paper leaves details open, they are those of Weka's JRip: with the same splits the
    rules are the same.

    Numeric conditions compare with training values, by "at most" or "at least". A condition on a
    missing value or on an unknown category does not hold. Splits go by examples, not by weights,
    and depend on the order of the rows: a weight of 2 need not give the same rules as an example
    that is there twice, and neither need shuffled rows. `predict_proba` has Laplace's correction.

    References
    ----------
    .. [1] W. W. Cohen, "Fast effective rule induction", Proceedings of the 12th International
       Conference on Machine Learning, 1995.
    .. [2] J. Fürnkranz and G. Widmer, "Incremental reduced error pruning", Proceedings of the 11th
       International Conference on Machine Learning, 1994.
    .. [3] J. R. Quinlan, "MDL and categorical theories (continued)", Proceedings of the 12th
       International Conference on Machine Learning, 1995.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import RIPPERClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X, y = X.filter(like="mean"), y.map({0: "malignant", 1: "benign"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = RIPPERClassifier(random_state=0).fit(X, y)
    >>> print(model.to_text())
    1. malignant if mean concave points >= 0.0741  [104 of 105]
    2. malignant if mean concave points >= 0.05 and mean texture >= 18.7  [31 of 35]
    3. malignant if mean area >= 698 and mean texture >= 16.68  [14 of 15]
    4. malignant if mean concave points >= 0.0448 and mean texture >= 21.35  [3 of 3]
    otherwise benign  [261 of 268]

    >>> round(balanced_accuracy_score(y_test, model.predict(X_test)), 2)
    0.94
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_folds": [_sklearn.Interval(Integral, 2, 2**31 - 1, closed="both")],
        "n_optimizations": [_sklearn.Interval(Integral, 0, 2**31 - 1, closed="both")],
        "min_weight": [_sklearn.Interval(Real, 0, LARGEST, closed="both")],
        "check_error_rate": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_folds=3,
        n_optimizations=2,
        min_weight=2.0,
        check_error_rate=True,
        class_weight=None,
        categorical_features="from_dtype",
        random_state=None,
    ):
        self.n_folds = n_folds
        self.n_optimizations = n_optimizations
        self.min_weight = min_weight
        self.check_error_rate = check_error_rate
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn the rules.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Training examples. NaN is missing.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights. Examples of weight 0 are left out.

        Returns
        -------
        self : RIPPERClassifier
            The fitted classifier.
        """
        # Compiled functions are loaded here: the rules themselves work without numba.
        from minority.rules._ranks import rank_columns
        from minority.rules._ripper_kernels import Options, Table
        from minority.rules._ripper_search import learn

        nominal = nominal_columns(X, self.categorical_features)
        self._categories = None if nominal is None else find_categories(X, nominal)
        X, y = validate_data(
            self, self._encode(X), y, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        rows = X
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        # A copy, because numba would compile everything again for an array that is read-only.
        weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True, copy=True)
        self._rarer_code = rarer(np.bincount(codes, weight))
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        if not weight.all():
            used = weight > 0
            if not used.any():
                raise ValueError("All sample weights are zero.")
            X, codes, weight = X[used], codes[used], weight[used]

        n_classes = len(self.classes_)
        totals = self._totals = np.bincount(codes, weight, minlength=n_classes)
        # From the rarest; of equally frequent classes the last one first.
        by_frequency = np.lexsort((-np.arange(n_classes), totals))
        nominal = np.zeros(X.shape[1], dtype=bool) if nominal is None else nominal
        ranks, order, values = rank_columns(X, nominal)
        n_possible = sum(
            len(self._categories[j]) if is_nominal else 2 * len(values[j])
            for j, is_nominal in enumerate(nominal)
        )
        table = Table(
            ranks,
            order,
            np.isnan(X).sum(axis=0),
            nominal,
            np.argsort(by_frequency)[codes],
            weight,
        )
        options = Options(
            n_classes,
            int(self.n_folds),
            int(self.n_optimizations),
            float(self.min_weight),
            bool(self.check_error_rate),
            float(max(n_possible, 1)),
        )
        conditions, lengths, weights = learn(table, options, self._seed())
        self.class_weights_ = weights[:, np.argsort(by_frequency)]
        if not self.class_weights_[-1].any():  # nothing left for the default to be judged by
            self.class_weights_[-1] = totals
        self._conditions = [
            [(j, op, code if nominal[j] else values[j][code]) for j, op, code in rule]
            for rule in np.split(conditions, np.cumsum(lengths)[:-1] if len(lengths) else [])
            if len(lengths)
        ]
        self.rules_ = self._rule_set().shorten(rows)
        return self

    def _retell(self, X, y):
        """Have the text hold for other rows, and count them."""
        self.rules_ = self.rules_.shorten(X).recount(X, y)
        self._totals = np.array([np.sum(np.asarray(y) == label) for label in self.classes_])

    def _class_totals(self):
        return dict(zip(self.classes_.tolist(), self._totals.tolist(), strict=True))

    def _seed(self):
        # Drawn, because neighbouring seeds of the kernels' generator give similar numbers.
        return seed_from(self.random_state)

    def _encode(self, X):
        return X if self._categories is None else encode(X, self._categories)

    def _rule_set(self):
        """The rules over names and categories."""
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else names
        rules = []
        for weights, coded in zip(self.class_weights_, [*self._conditions, []], strict=True):
            conditions = []
            for j, operator, value in coded:
                if operator == _AT_MOST:
                    conditions.append(Interval(names[j], upper=value))
                elif operator == _AT_LEAST:
                    conditions.append(Interval(names[j], lower=value))
                else:
                    conditions.append(OneOf(names[j], (self._categories[j][int(value)],)))
            best = weights.argmax()
            rules.append(Rule(conditions, self.classes_[best], weights.sum(), weights[best]))
        return RuleSet(rules[:-1], rules[-1], names)

    def _decide(self, X):
        """Index of the rule that decides each row."""
        check_is_fitted(self)
        X = validate_data(
            self,
            self._encode(X),
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            reset=False,
        )
        decider = np.full(len(X), len(self._conditions))
        for k in range(len(self._conditions) - 1, -1, -1):
            covered = np.ones(len(X), dtype=bool)
            for j, operator, value in self._conditions[k]:
                if operator == _AT_MOST:
                    covered &= X[:, j] <= value
                elif operator == _AT_LEAST:
                    covered &= X[:, j] >= value
                else:
                    covered &= X[:, j] == value
            decider[covered] = k
        return decider

    def predict_proba(self, X):
        """Shares of the classes among the training examples that the same rule decides.

        One is added to the weight of each class (Laplace's correction).

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        decider = self._decide(X)
        return self._decisions()[1][decider]

    def _decisions(self):
        """The rules, and the probabilities of what each of them decides."""
        smoothed = self.class_weights_ + 1
        return self.rules_, smoothed / smoothed.sum(axis=1, keepdims=True)

    def predict(self, X):
        """Predict the class of the first rule that covers an example, else the default.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        decider = self._decide(X)
        return self.classes_[self.class_weights_.argmax(axis=1)[decider]]

    def to_rules(self):
        """The model on its own: `rules_`.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        return self.rules_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
