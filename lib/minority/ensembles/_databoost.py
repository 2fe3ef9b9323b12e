"""DataBoost-IM: boosting on synthetic examples of both classes, made from hard ones."""

from numbers import Integral
from typing import ClassVar

import numpy as np

from minority._sklearn import Interval
from minority.ensembles._voting import BaseBoostedVote, log_odds


def choose_seeds(is_minor, weight, error):
    """The hard examples from which others are made: of the larger and of the smaller class."""
    hardest = np.argsort(-weight, kind="stable")[: round(len(weight) * error)]
    major, minor = hardest[~is_minor[hardest]], hardest[is_minor[hardest]]
    ratio = (~is_minor).sum() / is_minor.sum()
    n_major = int(min(ratio, len(major)))
    return major[:n_major], minor[: int(ratio * n_major)]


def make_like(X, n_new, rng):
    """Rows whose columns are drawn from those of X, each on its own."""
    return X[rng.integers(len(X), size=(n_new, X.shape[1])), np.arange(X.shape[1])]


def add_synthetic(X, is_positive, weight, error, max_synthetic, rng):
    """The examples and new ones, with weights of equal sums in both classes."""
    is_minor = is_positive if 2 * is_positive.sum() <= len(X) else ~is_positive
    groups = [(~is_minor).nonzero()[0], is_minor.nonzero()[0]]
    seeds = choose_seeds(is_minor, weight, error)
    wanted = sum(len(group) * len(chosen) for group, chosen in zip(groups, seeds, strict=True))
    share = 1 if max_synthetic is None else min(1, max_synthetic / max(1, wanted))
    rows, target, row_weight = [X], [is_positive], [weight]
    for group, chosen in zip(groups, seeds, strict=True):
        per_seed = int(share * len(group))
        if per_seed == 0:
            continue
        rows.append(make_like(X[group], per_seed * len(chosen), rng))
        target.append(np.full(per_seed * len(chosen), is_positive[group[0]]))
        row_weight.append(np.repeat(weight[chosen] / per_seed, per_seed))
    rows, target, row_weight = map(np.concatenate, (rows, target, row_weight))
    positive, negative = row_weight[target].sum(), row_weight[~target].sum()
    return rows, target, row_weight / np.where(target, positive, negative)


class DataBoostIMClassifier(BaseBoostedVote):
    r"""Boost, and add synthetic examples of both classes where hard examples are found.

    Use it when a weak learner, such as a shallow tree, has hard examples in both classes. The
    number of synthetic examples follows from the class sizes, so there is no amount to choose.
    Data: up to a few thousand numeric rows with a moderate imbalance.

    Not for features that depend on each other: synthetic values are drawn for each feature alone,
    so their combinations may be impossible. With a high imbalance the rounds are slow: lower
    `max_synthetic`. With the default SVM it misses more positives than a single SVM with balanced
    class weights: boost trees, or use `BoostingSVMClassifier`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is boosted; its `fit` must take `sample_weight`. None: `linear_svm`.

    n_estimators : int, default=40
        Largest number of rounds.

    max_synthetic : int or None, default=5_000
        Largest number of synthetic examples in a round. The paper has no limit (None), but wants
        up to twice :math:`N_{maj}^2 / N_{min}` of them. With fewer, each weighs more: the weight
        that a seed hands on stays the same.

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
        Their weighted training errors (:math:`\epsilon_t`).

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
    SMOTEBoostClassifier : Synthetic examples between neighbours of the positive class.

    Notes
    -----
    The first classifier is trained on the original examples with equal weights, or the sample
    weights, which do not change the numbers of examples below. Its error
    :math:`\epsilon_t`, like that of all others, is weighted as its training was, synthetic examples
    included. With :math:`\beta_t = \epsilon_t / (1 - \epsilon_t)`, AdaBoost.M1 multiplies the
    weights of the correctly classified original examples by :math:`\beta_t`. Then, for the next
    round,

    1. the :math:`n \epsilon_t` heaviest examples are taken as hard. Of the :math:`N_{maj}` examples
       of the larger class and the :math:`N_{min}` of the smaller one, the heaviest hard ones
       become seeds: :math:`M_L = \min(N_{maj} / N_{min}, \text{hard ones})` and
       :math:`M_S = \min(M_L N_{maj} / N_{min}, \text{hard ones})`;
    2. each seed yields as many synthetic examples as its class has members, which share a weight
       equal to the seed's. The value of each feature is drawn from those of the class;
    3. the weights of either class, synthetic examples included, are scaled to the same sum.

    The paper asks for values that follow the range, mean and deviation, or the frequencies, of the
    seed's class; drawing from the values themselves does all that. Columns are drawn one by one,
    so columns of a one-hot coded feature need not sum to 1.

    A classifier with :math:`\epsilon_t \ge 1/2` is left out and the rounds end; if it is the first,
    it is the model. One without errors decides alone, and the rounds end.

    References
    ----------
    .. [1] H. Guo and H. L. Viktor, "Learning from imbalanced data sets with boosting and data
       generation: the DataBoost-IM approach", ACM SIGKDD Explorations 6, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from minority import DataBoostIMClassifier
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> y = (y == 8).map({True: "eight", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = DataBoostIMClassifier(tree, n_estimators=15, random_state=0).fit(X, y)
    >>> for name, classifier in (("one tree", tree.fit(X, y)), (f"{model.n_rounds_} trees", model)):
    ...     print(name, round(balanced_accuracy_score(y_test, classifier.predict(X_test)), 2))
    one tree 0.76
    12 trees 0.91
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseBoostedVote._parameter_constraints,
        "estimator": "no_validation",
        "max_synthetic": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=40,
        max_synthetic=5_000,
        validation_fraction=2 / 9,
        pos_label=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_synthetic = max_synthetic
        self.validation_fraction = validation_fraction
        self.pos_label = pos_label
        self.random_state = random_state

    def _rounds(self, X, is_positive, sample_weight, setting, rng):
        training = X, is_positive, sample_weight / sample_weight.sum()
        for _ in range(self.n_estimators):
            rows, target, weight = training
            estimator = self._learn(rows, target, weight, rng)
            wrong = (self._vote(estimator, rows) > 0) != target
            error = weight[wrong].sum() / weight.sum()
            alpha = log_odds(error)
            yield estimator, alpha, error
            weight = np.where(wrong, weight, weight * np.exp(-alpha))[: len(X)]
            training = add_synthetic(X, is_positive, weight, error, self.max_synthetic, rng)
