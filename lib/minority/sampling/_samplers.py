"""Undersampling and SMOTE in per cent, as samplers for imbalanced-learn's pipelines."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import pandas as pd
from imblearn.base import BaseSampler
from imblearn.utils import check_target_type
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state

from minority._columns import as_pandas
from minority._sklearn import Interval, StrOptions, validate_data
from minority.sampling._pool import Pool, Table, class_position, find_minority

#: Per cent that undersampling may keep and that SMOTE may add.
KEPT, ADDED = Interval(Real, 0, 100, closed="right"), Interval(Real, 0, 10_000, closed="both")


class _BasePercentSampler(BaseSampler):
    """Rows of majority classes taken out, synthetic rows of minority classes put in."""

    _sampling_type = "bypass"  # the levels are ours, not imbalanced-learn's strategies
    sampling_strategy = "auto"

    @abstractmethod
    def _levels(self, labels, counts):
        """Per cent kept and per cent added, by the position of the class."""

    def _by_class(self, name, labels, counts, allowed):
        """A parameter in per cent, a number or a dict, by the position of the class."""
        percent = getattr(self, name)
        if isinstance(percent, dict):
            levels = {class_position(c, labels, name): level for c, level in percent.items()}
        else:
            minority = find_minority(counts, labels)
            chosen = [c for c in range(len(labels)) if (c in minority) == (allowed is ADDED)]
            levels = dict.fromkeys(chosen, percent)
        for level in levels.values():
            if not allowed.is_satisfied_by(level):
                raise ValueError(f"{name} must be per cent in {allowed}, got {level!r}.")
        return levels

    def fit_resample(self, X, y, **params):
        """Sample.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        X_resampled, y_resampled
            Of the types of `X` and `y`, of pandas if those are of polars: the rows that are kept.
        """
        return super().fit_resample(as_pandas(X), as_pandas(y), **params)

    def _check_X_y(self, X, y):
        y, is_one_against_all = check_target_type(y, indicate_one_vs_all=True)
        if not hasattr(X, "iloc"):
            return *validate_data(self, X, y, **self._array_checks()), is_one_against_all
        return validate_data(self, X, skip_check_array=True), y, is_one_against_all

    @abstractmethod
    def _array_checks(self):
        """How arrays are checked."""

    def _fit_resample(self, X, y):
        check_consistent_length(X, y)
        classes, codes = np.unique(y, return_inverse=True)
        undersampling, smote = self._levels(classes.tolist(), np.bincount(codes))
        seed = int(check_random_state(self.random_state).randint(2**31))
        X, codes = self._sample(X, codes, undersampling, smote, [seed, 0])
        counts = np.bincount(codes, minlength=len(classes))
        self.sampling_strategy_ = dict(zip(classes.tolist(), counts.tolist(), strict=True))
        return X, classes[codes]

    @abstractmethod
    def _sample(self, X, codes, undersampling, smote, seed):
        """Rows and positions of their classes."""


class PercentUnderSampler(_BasePercentSampler):
    """Keep a random part of the majority classes.

    Use it when the majority class is so large that part of it trains as good a model in less time,
    and you want to give that part in per cent, for each class. It only selects rows, so they may be
    of any type. Data: any number of rows, dense or sparse.

    Not for small data, where every dropped row is missed: use class weights. A model trained on the
    sample overestimates the probability of the rare class. To give a ratio of the classes use
    imbalanced-learn's `RandomUnderSampler`; to find the amount, `SamplingWrapperClassifier`.

    Parameters
    ----------
    percent : float or dict, default=50
        Per cent of the rows that are kept, as in the lists of the wrapper's paper: 100 keeps all.
        A number is for the majority classes: the more frequent of two, of more those that are at
        least as frequent as the average. A dict has levels by class.

    random_state : int, RandomState instance or None, default=None
        Randomness of the choice. With the same integer a smaller sample is part of a larger one.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Positions of the rows that are kept, in their order.

    sampling_strategy_ : dict
        Rows of each class afterwards.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    PercentSMOTE : Synthetic rows.

    Examples
    --------
    >>> from imblearn.pipeline import make_pipeline
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import PercentUnderSampler
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> y = (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> for percent in (100, 50, 20):
    ...     sampler = PercentUnderSampler(percent, random_state=0)
    ...     model = make_pipeline(sampler, RandomForestClassifier(50, random_state=0)).fit(X, y)
    ...     score = balanced_accuracy_score(y_test, model.predict(X_test))
    ...     rows = len(sampler.sample_indices_)
    ...     print(f"{percent} % kept: {rows} rows, balanced accuracy {score:.2f}")
    100 % kept: 331 rows, balanced accuracy 0.62
    50 % kept: 190 rows, balanced accuracy 0.68
    20 % kept: 105 rows, balanced accuracy 0.85
    """

    _parameter_constraints: ClassVar[dict] = {
        "percent": [KEPT, dict],
        "random_state": ["random_state"],
    }

    def __init__(self, percent=50, *, random_state=None):
        self.percent = percent
        self.random_state = random_state

    def _levels(self, labels, counts):
        return self._by_class("percent", labels, counts, KEPT), {}

    def _array_checks(self):
        return {"dtype": None, "accept_sparse": ["csr", "csc"], "ensure_all_finite": False}

    def _sample(self, X, codes, undersampling, smote, seed):
        self.sample_indices_ = Pool(None, codes, None, seed=seed).kept(undersampling)
        return _safe_indexing(X, self.sample_indices_), codes[self.sample_indices_]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.sampler_tags.sample_indices = True
        return tags


class _BaseSMOTE(_BasePercentSampler):
    """Samplers that add synthetic rows."""

    _parameter_constraints: ClassVar[dict] = {
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
        "gap": [StrOptions({"point", "attribute"})],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "random_state": ["random_state"],
    }

    def fit_resample(self, X, y, **params):
        """Sample.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Examples. Whole numbers become floats, NaN is missing.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        X_resampled, y_resampled
            Of the types of `X` and `y`, of pandas if those are of polars: the rows that are kept,
            then the synthetic ones.
        """
        X = as_pandas(X)
        if isinstance(X, pd.DataFrame):  # imbalanced-learn would cut off the fractions
            whole = [j for j, dtype in enumerate(X.dtypes) if dtype.kind in "biu"]
            X = X.copy(deep=False)
            for j in whole:
                X.isetitem(j, X.iloc[:, j].astype(np.float64))
        return super().fit_resample(X, y, **params)

    def _array_checks(self):
        may_have_words = not isinstance(self.categorical_features, (str, type(None)))
        dtype = None if may_have_words else (np.float64, np.float32)
        return {"dtype": dtype, "ensure_all_finite": False}

    def _sample(self, X, codes, undersampling, smote, seed):
        if isinstance(X, pd.DataFrame):
            X = X.copy(deep=False)
            for j, dtype in enumerate(X.dtypes):
                if isinstance(dtype, pd.SparseDtype):
                    X.isetitem(j, X.iloc[:, j].sparse.to_dense())
        table = Table(X, self.categorical_features)
        options = {"k_neighbors": self.k_neighbors, "gap": self.gap, "seed": seed}
        pool = Pool(table.values, codes, table.nominal, **options)
        values, codes = pool.sample(undersampling, smote)
        return table.rows(values), codes

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags


class PercentSMOTE(_BaseSMOTE):
    r"""SMOTE with amounts in per cent and every minority point used in turn.

    Use it when you want synthetic positives between the real ones, in amounts as papers state them:
    200 per cent adds two for each. Every row is used equally often, and a smaller sample is part of
    a larger one. Data: a majority of any size, and up to tens of thousands of rows of the minority.

    Not for scattered positives or noisy labels: points between neighbours may belong to the other
    class. Nor for learners that accept class weights, which are simpler. Scale the features first,
    since neighbours are found by distance. To give a ratio of the classes use imbalanced-learn's
    `SMOTE`; to find the amount, `SamplingWrapperClassifier`.

    Parameters
    ----------
    percent : float or dict, default=100
        Synthetic rows in per cent of the rows of the class (the paper's :math:`N`). A number is for
        the minority classes: the rarer of two, of more those that are rarer than the average. A
        dict has levels by class.

    k_neighbors : int, default=5
        Nearest rows of the class among which a partner is drawn; all others if there are fewer. A
        class with a single row gets copies of it.

    gap : {"point", "attribute"}, default="point"
        One random number per synthetic point, which puts it on the line between the two rows, or
        one per attribute, which puts it into the box that they span.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    random_state : int, RandomState instance or None, default=None
        Randomness of partners and gaps. With the same integer a smaller sample is part of a larger
        one.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows of each class afterwards.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    imblearn.over_sampling.SMOTE : Draws base points at random, to a wanted ratio of the classes.

    Notes
    -----
    At 200 % every row of the class makes two points; at 250 % a random half of them makes a third
    one, and at 50 % a random half makes one. A point lies at a random place between its row and a
    random one of the row's nearest neighbours.

    Nominal features as in SMOTE-NC: where two rows differ in one, the median of the standard
    deviations of the numeric features is added to the sum of squares, squared; a synthetic point
    has the most frequent category of the neighbours of its row, the first of equals. Without
    numeric features the distance is the number of features that differ. A missing number counts
    as the mean of the class in distances, and a point misses it if either row does.

    References
    ----------
    .. [1] N. V. Chawla, K. W. Bowyer, L. O. Hall and W. P. Kegelmeyer, "SMOTE: synthetic minority
       over-sampling technique", Journal of Artificial Intelligence Research 16, 2002.

    Examples
    --------
    >>> from imblearn.pipeline import make_pipeline
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from minority import PercentSMOTE
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> y = (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> for percent in (0, 200, 500):
    ...     sampler = PercentSMOTE(percent, random_state=0)
    ...     model = make_pipeline(sampler, KNeighborsClassifier()).fit(X, y)
    ...     score = balanced_accuracy_score(y_test, model.predict(X_test))
    ...     rows = sampler.sampling_strategy_
    ...     print(f"{percent} % added: {rows}, balanced accuracy {score:.2f}")
    0 % added: {'fast': 49, 'slow': 282}, balanced accuracy 0.61
    200 % added: {'fast': 147, 'slow': 282}, balanced accuracy 0.75
    500 % added: {'fast': 294, 'slow': 282}, balanced accuracy 0.75
    """

    _parameter_constraints: ClassVar[dict] = {
        "percent": [ADDED, dict],
        **_BaseSMOTE._parameter_constraints,
    }

    def __init__(
        self,
        percent=100,
        *,
        k_neighbors=5,
        gap="point",
        categorical_features="from_dtype",
        random_state=None,
    ):
        self.percent = percent
        self.k_neighbors = k_neighbors
        self.gap = gap
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _levels(self, labels, counts):
        return {}, self._by_class("percent", labels, counts, ADDED)


class PercentSampler(_BaseSMOTE):
    """Undersampling, then SMOTE: `PercentUnderSampler` and `PercentSMOTE` in one step.

    Use it when you want to undersample the majority and oversample the minority in one step of a
    pipeline, and tune both amounts together. Data: a majority of any size, and up to tens of
    thousands of rows of the minority.

    Not for finding the amounts: search a grid, as below, or use `SamplingWrapperClassifier`, which
    tries fewer combinations. Learners that accept class weights seldom need it. For one of the two
    steps alone use `PercentUnderSampler` or `PercentSMOTE`.

    Parameters
    ----------
    undersampling : float or dict, default=100
        Per cent of the rows of the majority classes that are kept, see `PercentUnderSampler`.

    smote : float or dict, default=0
        Synthetic rows of the minority classes in per cent, see `PercentSMOTE`.

    k_neighbors : int, default=5
        See `PercentSMOTE`.

    gap : {"point", "attribute"}, default="point"
        See `PercentSMOTE`.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    random_state : int, RandomState instance or None, default=None
        Randomness of the choice, of partners and of gaps.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows of each class afterwards.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    SamplingWrapperClassifier : Finds the levels.

    Examples
    --------
    >>> from imblearn.pipeline import Pipeline
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.model_selection import GridSearchCV, train_test_split
    >>> from minority import C45Classifier, PercentSampler
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> y = (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> sampler, tree = PercentSampler(random_state=0), C45Classifier(min_samples_leaf=5)
    >>> model = Pipeline([("sampler", sampler), ("tree", tree)])
    >>> levels = {"sampler__undersampling": [100, 50, 25], "sampler__smote": [0, 100, 200]}
    >>> search = GridSearchCV(model, levels, scoring="balanced_accuracy", cv=3).fit(X, y)
    >>> search.best_params_
    {'sampler__smote': 200, 'sampler__undersampling': 25}
    >>> round(search.score(X_test, y_test), 2)
    0.74
    """

    _parameter_constraints: ClassVar[dict] = {
        "undersampling": [KEPT, dict],
        "smote": [ADDED, dict],
        **_BaseSMOTE._parameter_constraints,
    }

    def __init__(
        self,
        undersampling=100,
        smote=0,
        *,
        k_neighbors=5,
        gap="point",
        categorical_features="from_dtype",
        random_state=None,
    ):
        self.undersampling = undersampling
        self.smote = smote
        self.k_neighbors = k_neighbors
        self.gap = gap
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _levels(self, labels, counts):
        return (
            self._by_class("undersampling", labels, counts, KEPT),
            self._by_class("smote", labels, counts, ADDED),
        )
