"""SMOTEBoost: boosting on new synthetic positives in each round."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn import config_context
from sklearn.tree import DecisionTreeClassifier

from minority._sklearn import Interval
from minority.ensembles._voting import BaseBoostedVote, log_odds
from minority.sampling._smote import nearest_neighbours, smote


class SMOTEBoostClassifier(BaseBoostedVote):
    r"""Boost, and add synthetic examples of the positive class in each round.

    Use it when a weak learner, such as a shallow tree, misses positives that have other positives
    nearby. Each round has synthetic positives of its own, which makes the learners differ. Data: up
    to tens of thousands of numeric rows, from about ten positives.

    Not for categorical columns, nor for scattered positives: points between them may belong to the
    other class. For linear learners, balanced class weights work better than synthetic examples.
    imbalanced-learn's `RUSBoostClassifier` and `EasyEnsembleClassifier` undersample instead, which
    suits large data. To choose the amount of SMOTE see `SamplingWrapperClassifier`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is boosted; its `fit` must take `sample_weight`. If it has `predict_proba`, it votes
        with its probabilities, otherwise with its predictions. None: a decision tree of depth 3.
        A linear classifier without costs often predicts no positives at all; a stump, too.

    n_estimators : int, default=40
        Largest number of rounds.

    oversampling : float, default=200
        Synthetic examples per round, in per cent of the positives (the paper's :math:`N`).

    k_neighbors : int, default=5
        Nearest positives among which a partner is drawn; all of them if there are fewer.

    validation_fraction : float or None, default=2/9
        Share of each class that is held out to choose the number of rounds by the G-mean, as
        Boosting-SVM does. Not used if `fit` is given validation examples. None: nothing is held
        out, and all rounds vote, as in the paper.

    pos_label : object, default=None
        The positive class. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    random_state : int, RandomState instance or None, default=None
        Randomness of the split, the synthetic examples and the classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The positive class.

    estimators_ : list of classifiers
        Those of all rounds, trained on 1 for the positive class and 0 for the other.

    alphas_ : ndarray of shape (n_all_rounds,)
        Weights of their votes (:math:`\log 1 / \beta_t`).

    errors_ : ndarray of shape (n_all_rounds,)
        Their pseudo-losses on the original examples (:math:`\epsilon_t`).

    validation_scores_ : ndarray of shape (n_all_rounds,)
        G-mean of the vote after each round on the validation examples; empty without any.

    n_rounds_ : int
        Number of classifiers that vote, the first of those with the highest score.

    n_unconverged_ : int
        Number of classifiers whose solver did not converge. If there are any, `fit` warns.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    DataBoostIMClassifier : Synthetic examples of both classes, made from hard ones.

    Notes
    -----
    AdaBoost.M2 for two classes. With the vote :math:`v_t = h_t(x, +) - h_t(x, -)` from -1 to 1,

    .. math::
       \epsilon_t = \frac{1}{2} \sum_i D_t(i)\, (1 - y_i v_t(x_i)), \quad
       \beta_t = \frac{\epsilon_t}{1 - \epsilon_t}, \quad
       D_{t+1}(i) \propto D_t(i)\, \beta_t^{(1 + y_i v_t(x_i)) / 2}.

    Synthetic examples take part in the training of one round and are then forgotten. The paper
    does not give their weight; here each has the mean weight of the original ones or, with sample
    weights, the first weight of the positive it starts from. Every positive is used in turn, with
    one gap per synthetic example.

    A classifier with :math:`\epsilon_t \ge 1/2` is left out and the rounds end; if it is the first,
    it is the model. One with :math:`\epsilon_t = 0` decides alone, and the rounds end.

    References
    ----------
    .. [1] N. V. Chawla, A. Lazarevic, L. O. Hall and K. W. Bowyer, "SMOTEBoost: improving
       prediction of the minority class in boosting", Knowledge Discovery in Databases: PKDD, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from minority import SMOTEBoostClassifier
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> y = (y == 8).map({True: "eight", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = SMOTEBoostClassifier(tree, random_state=0).fit(X, y)
    >>> for name, classifier in (("one tree", tree.fit(X, y)), (f"{model.n_rounds_} trees", model)):
    ...     print(name, round(balanced_accuracy_score(y_test, classifier.predict(X_test)), 2))
    one tree 0.76
    7 trees 0.86
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseBoostedVote._parameter_constraints,
        "estimator": "no_validation",
        "oversampling": [Interval(Real, 0, 10_000, closed="both")],
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=40,
        oversampling=200,
        k_neighbors=5,
        validation_fraction=2 / 9,
        pos_label=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.oversampling = oversampling
        self.k_neighbors = k_neighbors
        self.validation_fraction = validation_fraction
        self.pos_label = pos_label
        self.random_state = random_state

    def _base(self):
        return DecisionTreeClassifier(max_depth=3) if self.estimator is None else self.estimator

    def _rounds(self, X, is_positive, sample_weight, setting, rng):
        positives = X[is_positive]
        neighbours = nearest_neighbours(positives, self.k_neighbors)
        n_new = round(self.oversampling / 100 * len(positives))
        target = np.append(is_positive, np.ones(n_new, dtype=bool))
        weight = sample_weight / sample_weight.sum()
        new_weight = np.resize(weight[is_positive], n_new)  # that of the positive it starts from
        for _ in range(self.n_estimators):
            rows = np.vstack([X, smote(positives, neighbours, n_new, rng)])
            row_weight = np.append(weight, new_weight)
            estimator = self._learn(rows, target, row_weight, rng)
            right = (1 + self._vote(estimator, X) * np.where(is_positive, 1, -1)) / 2
            error = weight @ (1 - right)
            alpha = log_odds(error)
            yield estimator, alpha, error
            weight *= np.exp(-alpha * right)
            weight /= weight.sum()

    def _vote(self, estimator, X):
        if not hasattr(estimator, "predict_proba"):
            return super()._vote(estimator, X)
        with config_context(assume_finite=True):
            return 2 * estimator.predict_proba(X)[:, 1] - 1
