"""DAMVI: a diversity-aware weighted majority vote for imbalanced data."""

from copy import copy
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets

from minority._columns import as_pandas
from minority._seeding import seeded
from minority._sklearn import (
    Interval,
    StrOptions,
    _check_sample_weight,
    _fit_context,
    check_is_fitted,
    validate_data,
)
from minority.ensembles._cbound import class_shares, weigh_votes
from minority.ensembles._voting import vote_shares
from minority.trees import BaggedTreesClassifier
from minority.trees._bagged import draw_counts


def _fit_voter(estimator, X, y, codes, n_draws, bootstrap, seed):
    """A clone, fitted to a sample that has every class: the one of BaggedTreesClassifier."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(len(y)), draw_counts(codes, n_draws, bootstrap, rng))
    return seeded(estimator, rng).fit(X.iloc[rows] if hasattr(X, "iloc") else X[rows], y[rows])


def _positions(labels, classes):
    """Position in `classes` of each label, in as few bytes as will do."""
    labels = np.asarray(labels)
    found = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    strange = classes[found] != labels
    if strange.any():
        raise ValueError(
            f"A voter predicts {labels[strange].tolist()[0]!r}, which is not among the classes "
            f"{classes.tolist()}."
        )
    return found.astype(np.min_scalar_type(-len(classes)))


class DAMVIClassifier(ClassifierMixin, BaseEstimator):
    r"""Weigh the votes of bagged classifiers by their accuracy and diversity.

    Classifiers are trained on small random samples. Then the rows of the minority class that most
    of them get wrong are given more weight, and the classifiers get those weights that minimise
    the C-bound, an upper bound on the error of their weighted majority vote. Many weights are
    zero; classifiers without weight are not asked for predictions.

    Use it when F1 or average precision on the rare class is what counts and the model need not be
    readable. It trains about as fast as bagged trees, predicts with only part of them, and needs no
    threshold. It can also weight classifiers that are fitted already. Data: hundreds of rows to
    millions, from a few dozen positives.

    Not for high recall or G-mean: it predicts few positives, and a balanced random forest or Easy
    Ensemble finds more of them. Gradient boosting is as good in F1. With very few positives, the
    small samples contain hardly any: raise `max_samples`. For readable models see the rules, boxes
    and trees.

    Parameters
    ----------
    estimator : classifier, list of fitted classifiers or None, default=None
        What votes (the paper's base learning algorithm :math:`A`). None means decision trees, grown
        by `BaggedTreesClassifier`, which sorts the columns or puts them into bins once for all of
        them. Clones of a classifier are trained on samples of the rows as they are given.
        Classifiers in a list only vote: nothing is trained, and the parameters of the samples mean
        nothing. To keep them fitted when this estimator is cloned, put them into scikit-learn's
        `FrozenEstimator`.

    n_estimators : int, default=100
        Number of voters (:math:`K`).

    max_samples : int or float, default=0.2
        Draws per voter: a number, or a share of the rows.

    bootstrap : bool, default=True
        Whether rows are drawn with replacement. A sample without all classes is drawn again.

    max_bins : int, None or "auto", default="auto"
        Of the decision trees: into how many bins the values of a feature are put at most, from 2 to
        256. None: all splits are compared. "auto": None up to 10,000 rows, and 256 beyond, where
        that makes the fit several times as fast. See `BaggedTreesClassifier`.

    reweighting : {"vote", "sign"} or None, default="vote"
        Factor on the weights of the minority's rows: :math:`e^{-y_i \bar h(x_i)}` with the mean
        vote (the paper), with its sign (the authors' released code), or none.

    solver : {"nnls", "slsqp"}, default="nnls"
        Non-negative least squares, which finds the minimum, or the paper's local search.

    pos_label : object, default=None
        The minority class. By default the rarer one; if both are equally frequent,
        ``classes_[1]``. With more than two classes, by default all but the most frequent.

    n_jobs : int or None, default=None
        Voters trained at a time. The model does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Randomness of the samples and of the voters.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    pos_label_ : object
        The minority class; None if that is several.

    voters_ : BaggedTreesClassifier or list of classifiers
        The voters, also those without weight.

    weights_ : ndarray of shape (n_voters,)
        Their weights (:math:`Q`), with sum 1.

    c_bound_ : float
        Upper bound on the weighted training error of the vote, rows with a tie included; 1 if
        `gibbs_risk_` is 1/2 or more. The voters were trained on some of these rows, so it says
        nothing about new ones. The rows are weighted by :math:`D` here and in what follows.

    gibbs_risk_ : float
        Mean training error of a voter drawn by its weight.

    disagreement_ : float
        Probability that of two such voters one is right and one wrong. With two classes these are
        the votes that differ.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    weigh_votes : The weights for a matrix of votes.
    pseudo_labels : Labels for rows that have none, to train on more rows.

    Notes
    -----
    Let :math:`r_{ik}` be 1 if voter k is right about row i and -1 if not, that is
    :math:`y_i h_k(x_i)`. All rows have the weight 1/n, or their sample weight, those of the
    minority times :math:`\exp(-\frac{1}{K} \sum_k r_{ik})`, divided by their sum: :math:`D_i`. With
    :math:`m_k = \sum_i D_i r_{ik}` and :math:`G = r^T \mathrm{diag}(D)\, r` the C-bound (eq. 3) is

    .. math:: 1 - \frac{(1 - 2 R)^2}{1 - 2 d} = 1 - \frac{(m \cdot q)^2}{q^T G q},

    with the Gibbs risk :math:`R` and the disagreement :math:`d`. It does not change with the scale
    of q, so where :math:`m \cdot q > 0` its minimum over the simplex is the one of

    .. math:: q^T G q - 2\, m \cdot q + 1 = \sum_i D_i \Big(1 - \sum_k q_k r_{ik}\Big)^2

    over :math:`q \ge 0`, divided by its sum: a convex problem without local minima. Only
    :math:`m` and :math:`G` are needed, not the rows. If no voter has :math:`m_k > 0` the bound
    holds for no weights: all become equal, with a warning.

    With more than two classes the vote is right wherever more than half of the weight is on the
    right class, though not only there. So its error is at most the probability that the margin
    :math:`\sum_k q_k [h_k(x_i) = y_i] - \omega` with :math:`\omega = 1/2` is not positive [2]_.
    Twice that margin is :math:`\sum_k q_k r_{ik}`, whose first and second moments are
    :math:`m \cdot q` and :math:`q^T G q`; Cantelli's inequality gives the same bound, which is
    minimised in the same way. It asks for voters that are right more often than not.

    Missing values are rejected unless `estimator` takes them.

    References
    ----------
    .. [1] A. Goyal and J. Khiari, "Diversity-aware weighted majority vote classifier for imbalanced
       data", International Joint Conference on Neural Networks, 2020.
    .. [2] F. Laviolette, E. Morvant, L. Ralaivola and J.-F. Roy, "On generalizing the C-bound to
       the multiclass and multi-label settings", 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.metrics import f1_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import BaggedTreesClassifier, DAMVIClassifier
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> y = (y == 8).map({True: "eight", False: "other"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> for model in (BaggedTreesClassifier(random_state=0), DAMVIClassifier(random_state=0)):
    ...     f1 = f1_score(y_test, model.fit(X, y).predict(X_test), pos_label="eight")
    ...     print(f"{type(model).__name__}: F1 {f1:.2f}")
    BaggedTreesClassifier: F1 0.77
    DAMVIClassifier: F1 0.81
    >>> print((model.weights_ > 0).sum(), "of", len(model.weights_), "voters have weight")
    32 of 100 voters have weight
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": "no_validation",
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "bootstrap": ["boolean"],
        "max_bins": BaggedTreesClassifier._parameter_constraints["max_bins"],
        "reweighting": [StrOptions({"vote", "sign"}), None],
        "solver": [StrOptions({"nnls", "slsqp"})],
        "pos_label": "no_validation",
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=100,
        max_samples=0.2,
        bootstrap=True,
        max_bins="auto",
        reweighting="vote",
        solver="nnls",
        pos_label=None,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.max_bins = max_bins
        self.reweighting = reweighting
        self.solver = solver
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Train the voters and weigh their votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows where the votes are weighed, 1 by default. The voters are trained
            without; rows of weight 0 are left out everywhere.

        Returns
        -------
        self : DAMVIClassifier
            The fitted classifier.
        """
        self._check_estimator()
        y = validate_data(self, y=y)
        check_classification_targets(y)
        X = self._validate(X, reset=True)
        check_consistent_length(X, y)
        weight = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        if not weight.all():
            used = np.flatnonzero(weight)
            if not len(used):
                raise ValueError("All sample weights are zero.")
            X, y, weight = _safe_indexing(X, used), y[used], weight[used]
        self.classes_, codes = np.unique(y, return_inverse=True)
        is_minority = self._find_minority(codes, weight)
        self.voters_ = self._train(X, y, codes)
        votes = self._votes(X)
        found = weigh_votes(
            votes,
            codes.astype(votes.dtype),
            weight,
            is_minority=is_minority,
            reweighting=self.reweighting,
            solver=self.solver,
        )
        self.weights_, self.c_bound_, self.gibbs_risk_, self.disagreement_ = found
        return self

    def _check_estimator(self):
        if self.estimator is None:
            return
        is_list = isinstance(self.estimator, list)
        voters = self.estimator if is_list else [self.estimator]
        if not voters:
            raise ValueError("estimator is an empty list: there is no voter.")
        for voter in voters:
            if isinstance(voter, type) or not (hasattr(voter, "fit") and hasattr(voter, "predict")):
                raise TypeError(
                    "estimator must be a classifier, a list of fitted classifiers or None, got "
                    f"{self.estimator!r}."
                )
            if is_list:
                check_is_fitted(voter)

    def _validate(self, X, *, reset):
        """`X` as floats for the trees; other voters check the values themselves."""
        if self.estimator is None:
            return validate_data(self, X, dtype=np.float64, reset=reset)
        X = as_pandas(X)
        if hasattr(X, "iloc"):  # a DataFrame, whose names and types they may need
            return validate_data(self, X, skip_check_array=True, reset=reset)
        return validate_data(
            self, X, dtype=None, accept_sparse="csr", ensure_all_finite=False, reset=reset
        )

    def _find_minority(self, codes, weight):
        """Set `pos_label_`; return which examples are of the minority."""
        labels, totals = self.classes_.tolist(), np.bincount(codes, weight)
        if len(labels) < 2:
            raise ValueError(
                "This classifier needs two classes or more, but the data have one class: "
                f"{labels}. Give rows of another."
            )
        if self.pos_label is None:
            most_frequent = totals.argmax()
            self.pos_label_ = self.classes_[1 - most_frequent] if len(labels) == 2 else None
            return codes != most_frequent
        if self.pos_label not in labels:
            raise ValueError(f"pos_label={self.pos_label!r} is not among the classes {labels}.")
        self.pos_label_ = self.classes_[labels.index(self.pos_label)]
        return codes == labels.index(self.pos_label)

    def _train(self, X, y, codes):
        """Steps 1 to 4 of Algorithm 1."""
        if isinstance(self.estimator, list):
            return list(self.estimator)
        if self.estimator is None:
            bag = BaggedTreesClassifier(
                n_estimators=self.n_estimators,
                max_samples=self.max_samples,
                bootstrap=self.bootstrap,
                max_bins=self.max_bins,
                n_jobs=self.n_jobs,
                random_state=self.random_state,
            )
            with config_context(assume_finite=True):  # checked already
                return bag.fit(X, codes)
        n_draws = self.max_samples
        if not isinstance(n_draws, Integral):
            n_draws = max(1, round(n_draws * len(y)))
        if n_draws > len(y) and not self.bootstrap:
            raise ValueError(f"max_samples={n_draws} of {len(y)} rows needs bootstrap=True.")
        n_draws = max(n_draws, len(self.classes_))
        seeds = check_random_state(self.random_state).randint(2**32, size=self.n_estimators)
        return Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_voter)(self.estimator, X, y, codes, n_draws, self.bootstrap, seed)
            for seed in seeds
        )

    def _votes(self, X, asked=None):
        """Positions of the classes that voters choose: all voters, or those with these numbers."""
        if self.estimator is None:
            bag = copy(self.voters_)
            if asked is not None:
                bag.trees_ = [bag.trees_[k] for k in asked]
            with config_context(assume_finite=True):
                votes = bag.votes(X)
            return (votes > 0).view(np.int8) if len(self.classes_) == 2 else votes
        voters = self.voters_ if asked is None else [self.voters_[k] for k in asked]
        # One row per voter in memory, as the votes come.
        return np.array([_positions(voter.predict(X), self.classes_) for voter in voters]).T

    def decision_function(self, X):
        """Weighted votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes the weight of the votes for ``classes_[1]`` less that for the other,
            from -1 to 1 (the paper's sum of :math:`Q(h_k) h_k(x)`). With more, the weight of the
            votes for each class. Rounded to 12 decimals, so that votes that are tied stay so.
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        asked = np.flatnonzero(self.weights_)
        shares = class_shares(self._votes(X, asked), self.weights_[asked], len(self.classes_))
        if len(self.classes_) == 2:
            shares = shares[:, 1] - shares[:, 0]
        return shares.round(12)

    def predict_proba(self, X):
        """Shares of the classes in the votes, weighted by `weights_`; not calibrated.

        They say how united the voters are, not how probable a class is: use
        `CalibratedClassifierCV` for that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. The largest share is that of the predicted class. Of two
            classes with the same weight, the share of the first is larger by a rounding unit; of
            more, the first one with the largest share is predicted.
        """
        score = self.decision_function(X)
        return score if score.ndim == 2 else vote_shares(score)

    def predict(self, X):
        """Predict the class with the most weight; the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        score = self.decision_function(X)
        return self.classes_[score.argmax(axis=1) if score.ndim == 2 else (score > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__") and not isinstance(self.estimator, type):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags
