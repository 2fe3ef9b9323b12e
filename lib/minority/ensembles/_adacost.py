"""AdaCost: boosting in which the costs of errors steer the weights."""

from numbers import Real
from typing import ClassVar

import numpy as np

from minority._sklearn import Interval
from minority.ensembles._voting import BaseBoostedVote


class AdaCostClassifier(BaseBoostedVote):
    r"""Boost with weights that grow faster, and shrink slower, the more an error costs.

    Use it when a classifier that accepts sample weights overlooks the rare class and you want
    boosting to concentrate on it. The costs follow from the class sizes, so `cost` is the only one
    to choose. Data: up to a few thousand rows with the default SVM, many more with shallow trees.

    Not for costs of your own: for these use `CostProportionateClassifier` or
    `CostThresholdClassifier`. With the default SVM it is hardly better than a single SVM with
    balanced class weights. With ``cost=1`` the rounds end early, as the weight moves to the rare
    class: try several values.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is boosted; its `fit` must take `sample_weight`. None: `linear_svm`.

    n_estimators : int, default=40
        Largest number of rounds.

    cost : float or sequence of float, default=1.0
        Cost of an error on the smaller class, above 0 and at most 1; errors on the larger class
        cost less by the ratio of the sizes. Of several values the one with the highest
        validation G-mean is taken; of equals the first.

    validation_fraction : float or None, default=2/9
        Share of each class that is held out to choose the number of rounds by the G-mean, as
        Boosting-SVM does. Not used if `fit` is given validation examples. None: nothing is held
        out, and all rounds vote, as in the paper.

    pos_label : object, default=None
        The positive class. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    random_state : int, RandomState instance or None, default=None
        Randomness of the split and of the classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The positive class.

    estimators_ : list of classifiers
        Those of all rounds, trained on 1 for the positive class and 0 for the other.

    alphas_ : ndarray of shape (n_all_rounds,)
        Weights of their votes (:math:`\alpha_t`).

    errors_ : ndarray of shape (n_all_rounds,)
        Their weighted training errors.

    validation_scores_ : ndarray of shape (n_all_rounds,)
        G-mean of the vote after each round on the validation examples; empty without any.

    n_rounds_ : int
        Number of classifiers that vote, the first of those with the highest score.

    cost_ : float
        The cost that was used.

    n_unconverged_ : int
        Number of classifiers whose solver did not converge. If there are any, `fit` warns.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    BoostingSVMClassifier : Costs in the classifier, not in the weights.

    Notes
    -----
    With :math:`D_1(i) = c_i / \sum_j c_j` and the costs :math:`0 < c_i \le 1`, each round has the
    factors :math:`\beta_i = (1 + c_i)/2` for errors and :math:`(1 - c_i)/2` otherwise, and

    .. math::
       r_t = \sum_i D_t(i)\, y_i h_t(x_i)\, \beta_i, \quad
       \alpha_t = \frac{1}{2} \log \frac{1 + r_t}{1 - r_t}, \quad
       D_{t+1}(i) \propto D_t(i)\, e^{-\alpha_t y_i h_t(x_i) \beta_i}.

    :math:`r_t > 0` asks for more than an error below 1/2: :math:`1 - 2 \epsilon_t` must exceed the
    mean cost under :math:`D_t`. So the scale of the costs, which the paper leaves open, decides
    how long boosting goes on; with :math:`c_i = 1` for all, no round passes. If :math:`r_t \le 0`
    the classifier is left out and the rounds end; if it is the first, it is the model. A classifier
    without errors decides alone, and the rounds end.

    References
    ----------
    .. [1] W. Fan, S. J. Stolfo, J. Zhang and P. K. Chan, "AdaCost: misclassification cost-sensitive
       boosting", International Conference on Machine Learning, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from minority import AdaCostClassifier
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> y = (y == 8).map({True: "eight", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = AdaCostClassifier(tree, random_state=0).fit(X, y)
    >>> for name, classifier in (("one tree", tree.fit(X, y)), (f"{model.n_rounds_} trees", model)):
    ...     print(name, round(balanced_accuracy_score(y_test, classifier.predict(X_test)), 2))
    one tree 0.76
    15 trees 0.84
    """

    _tuned = "cost"

    _parameter_constraints: ClassVar[dict] = {
        **BaseBoostedVote._parameter_constraints,
        "estimator": "no_validation",
        "cost": [Interval(Real, 0, 1, closed="right"), "array-like"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=40,
        cost=1.0,
        validation_fraction=2 / 9,
        pos_label=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.cost = cost
        self.validation_fraction = validation_fraction
        self.pos_label = pos_label
        self.random_state = random_state

    def _rounds(self, X, is_positive, sample_weight, cost, rng):
        totals = sample_weight[is_positive].sum(), sample_weight[~is_positive].sum()
        rarity = np.where(is_positive, 1 / totals[0], 1 / totals[1])
        costs = cost * rarity / rarity.max()
        weight = sample_weight * rarity
        weight /= weight.sum()
        for _ in range(self.n_estimators):
            estimator = self._learn(X, is_positive, weight, rng)
            wrong = (self._vote(estimator, X) > 0) != is_positive
            step = np.where(wrong, -(1 + costs) / 2, (1 - costs) / 2)
            alpha = np.arctanh(np.round(weight @ step, 12)) if wrong.any() else np.inf
            yield estimator, alpha, weight[wrong].sum()
            weight *= np.exp(-alpha * step)
            weight /= weight.sum()
