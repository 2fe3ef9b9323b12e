"""What the boosting methods share: validation, the choice of the round, the weighted vote."""

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import has_fit_parameter

from minority._positive import PositiveClassMixin
from minority._seeding import seeded
from minority._sklearn import (
    Interval,
    _check_sample_weight,
    _fit_context,
    check_is_fitted,
    validate_data,
)
from minority.ensembles._svm import fit_weighted, linear_svm


class _Run(NamedTuple):
    """The rounds of one run of boosting."""

    estimators: list
    alphas: np.ndarray
    errors: np.ndarray
    scores: np.ndarray


def log_odds(error):
    """log((1 - error) / error): infinite at 0, zero at 1/2, negative above.

    Rounded, because the error of a classifier that comes twice is 1/2 but for rounding.
    """
    with np.errstate(divide="ignore"):
        error = np.clip(error, 0, 1)
        return np.round(np.log1p(-error) - np.log(error), 12)


def g_mean(predicted, is_positive, weight):
    """Geometric mean of the sensitivity and the specificity on weighted rows."""
    right = weight * (predicted == is_positive)
    rates = [right[rows].sum() / weight[rows].sum() for rows in (is_positive, ~is_positive)]
    return np.sqrt(rates[0] * rates[1])


def vote_shares(score):
    """Shares of the votes for two classes, from the mean vote for the second against the first.

    Like `score > 0`, either of `share > 1/2` and `share >= 1/2` says whether the second class is
    predicted: a tie is a rounding unit away from 1/2.
    """
    share = (1 + score) / 2
    unit = np.finfo(np.float64).eps / 2
    share[share == 0.5] += np.where(score[share == 0.5] > 0, unit, -unit)
    return np.column_stack([1 - share, share])


def split_rows(is_positive, fraction, rng):
    """Mask of the rows to hold out: the same share of both classes, at least one row of each."""
    held_out = np.zeros(len(is_positive), dtype=bool)
    for rows in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        if len(rows) < 2:
            raise ValueError(
                "A class has one example only, which cannot both train and validate: give X_val "
                "and y_val, or set validation_fraction=None."
            )
        n_held_out = min(max(1, round(fraction * len(rows))), len(rows) - 1)
        held_out[rng.permutation(rows)[:n_held_out]] = True
    return held_out


class BaseBoostedVote(PositiveClassMixin, ClassifierMixin, BaseEstimator):
    """A vote of classifiers, each trained on weights that depend on the errors so far.

    A subclass says in `_rounds` how the weights change, and may name a parameter in (0, 1] that,
    like the number of rounds, is chosen on the validation part if several values are given.
    """

    _tuned = None

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "pos_label": "no_validation",
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _rounds(self, X, is_positive, sample_weight, setting, rng):
        """Yield the classifier, its weight alpha and its weighted error, round by round.

        Weights start from `sample_weight`, all above zero. An alpha that is not positive ends the
        run, an infinite one lets its classifier decide.
        """

    def _chains(self, X, is_positive, sample_weight, settings, seed):
        """The rounds with each setting."""
        return [
            self._rounds(X, is_positive, sample_weight, setting, np.random.default_rng(seed))
            for setting in settings
        ]

    def _settings(self):
        """Values of the parameter that is tuned."""
        if self._tuned is None:
            return [None]
        given = getattr(self, self._tuned)
        values = [given] if isinstance(given, Real) else list(given)
        if not values or not all(isinstance(v, Real) and 0 < v <= 1 for v in values):
            raise ValueError(f"{self._tuned} must be above 0 and at most 1, got {given!r}.")
        return [float(value) for value in values]

    def _base(self):
        """The classifier to train, not fitted."""
        return linear_svm() if self.estimator is None else self.estimator

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None):
        """Train the classifiers, and choose how many of them vote.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples, without missing values.
        y : array-like of shape (n_samples,)
            Their classes, of which there must be two.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, 1 by default, from which boosting starts; those of examples that are
            held out count in the G-mean. Examples of weight 0 are left out.
        X_val : array-like of shape (n_validation_samples, n_features), default=None
            Validation examples. By default `validation_fraction` of the training examples, which
            then are not used for training.
        y_val : array-like of shape (n_validation_samples,), default=None
            Their classes, of which there must be two.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        base = self._base()
        if not has_fit_parameter(base, "sample_weight"):
            raise ValueError(f"estimator must take sample_weight in fit, but {base!r} does not.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        is_positive = self._find_positive(y, weight)
        if not weight.all():
            used = weight > 0
            X, is_positive, weight = X[used], is_positive[used], weight[used]
        random_state = check_random_state(self.random_state)
        rng = np.random.default_rng(random_state.randint(2**31))
        validation = self._validation(X_val, y_val)
        settings = self._settings()
        if validation is None and self.validation_fraction is not None:
            held_out = split_rows(is_positive, self.validation_fraction, rng)
            validation = X[held_out], is_positive[held_out], weight[held_out]
            X, is_positive, weight = X[~held_out], is_positive[~held_out], weight[~held_out]
        elif validation is None and len(settings) > 1:
            raise ValueError(f"To choose {self._tuned} from several values, rows must validate.")

        self._mean_weight = weight.mean()
        self.n_unconverged_ = 0
        seed = rng.integers(2**31)  # one for all runs, which thus begin with the same classifier
        runs = [
            self._run(rounds, validation)
            for rounds in self._chains(X, is_positive, weight, settings, seed)
        ]
        if self.n_unconverged_:
            warnings.warn(
                f"{self.n_unconverged_} classifiers did not converge: standardise the features, "
                "or raise max_iter.",
                ConvergenceWarning,
                stacklevel=3,
            )
        best = 0 if validation is None else np.argmax([run.scores.max() for run in runs])
        self.estimators_, self.alphas_, self.errors_, self.validation_scores_ = runs[best]
        n_rounds = len(self.alphas_) if validation is None else self.validation_scores_.argmax() + 1
        self.n_rounds_ = int(n_rounds)
        if self._tuned is not None:
            setattr(self, f"{self._tuned}_", settings[best])
        return self

    def _validation(self, X_val, y_val):
        """The given validation part, if any: rows, which of them are positive, and weights."""
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val must be given together.")
        X_val = validate_data(self, X_val, dtype=np.float64, reset=False)
        y_val = column_or_1d(y_val)
        check_consistent_length(X_val, y_val)
        found = set(y_val.tolist())
        if found != set(self.classes_.tolist()):
            raise ValueError(
                f"The G-mean needs examples of both classes, {self.classes_.tolist()}, and of no "
                f"other, but y_val has {sorted(found, key=str)}."
            )
        return X_val, y_val == self.pos_label_, np.ones(len(y_val))

    def _run(self, rounds, validation):
        """Boost until the rounds are over, and score the vote after each of them."""
        estimators, alphas, errors, scores = [], [], [], []
        total = 0
        for estimator, alpha, error in rounds:
            goes_on = 0 < alpha < np.inf
            if not goes_on:
                if alpha == np.inf:
                    alpha = 1 + sum(alphas)  # outvotes all others together
                elif not estimators:
                    alpha = 1.0
                else:
                    break
            estimators.append(estimator)
            alphas.append(alpha)
            errors.append(error)
            if validation is not None:
                X, is_positive, weight = validation
                total = total + alpha * self._vote(estimator, X)
                predicted = (total / sum(alphas)).round(12) > 0
                scores.append(g_mean(predicted, is_positive, weight))
            if not goes_on:
                break
        return _Run(estimators, np.array(alphas), np.array(errors), np.array(scores))

    def _learn(self, X, is_positive, weight, rng):
        """A classifier of 1, the positive class, against 0, on weighted rows."""
        estimator = seeded(self._base(), rng)
        with config_context(assume_finite=True):  # checked already
            self.n_unconverged_ += not fit_weighted(
                estimator, X, is_positive.astype(int), self._scaled(weight)
            )
        return estimator

    def _scaled(self, weight):
        """Weights with the mean of the sample weights, 1 by default.

        Their scale is the scale of C, which is thus the same in all rounds.
        """
        return weight / weight.mean() * self._mean_weight

    def _vote(self, estimator, X):
        """1 for the positive class, -1 for the other."""
        # Of numbers near the largest float, the score may be infinite, or none: not positive.
        with config_context(assume_finite=True), np.errstate(over="ignore", invalid="ignore"):
            return 2.0 * (estimator.predict(X) == 1) - 1

    def _staged_scores(self, X, n_rounds):
        """Mean votes after each round, towards ``classes_[1]`` and never zero."""
        X = validate_data(self, X, dtype=np.float64, reset=False)
        total = np.zeros(len(X))
        for m in range(n_rounds):
            total += self.alphas_[m] * self._vote(self.estimators_[m], X)
            score = (total / sum(self.alphas_[: m + 1].tolist())).round(12)
            score[score == 0] = -np.finfo(np.float64).tiny
            yield score if self.pos_label_ == self.classes_[1] else -score

    def decision_function(self, X):
        r"""Mean vote, weighted by `alphas_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,)
            :math:`\sum_j \alpha_j S_j(x) / \sum_j \alpha_j`, from -1 to 1, positive where
            ``classes_[1]`` is predicted. A tie, which goes to the class that is not positive, gets
            a tiny score on its side, so no score is zero.
        """
        check_is_fitted(self)
        *_, score = self._staged_scores(X, self.n_rounds_)
        return score

    def predict_proba(self, X):
        r"""Shares of the classes in the votes, weighted by `alphas_`; not calibrated.

        They say how united the classifiers are, not how probable a class is: use
        `CalibratedClassifierCV` for that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, 2)
            In the order of `classes_`; that of ``classes_[1]`` is :math:`(1 + s) / 2` where s is
            the `decision_function`. The larger share is that of the predicted class: a tie is a
            rounding unit away from 1/2.
        """
        return vote_shares(self.decision_function(X))

    def predict(self, X):
        """Predict the class with more weight of votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        score = self.decision_function(X)
        return self.classes_[(score > 0).astype(int)]

    def staged_predict(self, X):
        """Predict with the first 1, 2, ... classifiers, also beyond the chosen round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        for score in self._staged_scores(X, len(self.alphas_)):
            yield self.classes_[(score > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
