"""The models of the inner cross-validation, one set for all criteria."""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.validation import check_consistent_length

from minority._seeding import seeded
from minority._sklearn import check_classification_targets
from minority.sampling._criteria import CRITERIA, Validation, cost_matrix
from minority.sampling._pool import Pool, Table, find_minority
from minority.sampling._search import search_levels
from minority.sampling._trees import SortedTrees, is_sortable
from minority.trees._base import BaseTreeClassifier


def deal_folds(codes, n_folds, rng):
    """The fold of each row from 1, every class spread evenly; 0 for a class with a single row."""
    folds, dealt = np.zeros(len(codes), dtype=int), 0
    for code in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == code))
        if len(rows) > 1:
            folds[rows] = 1 + (dealt + np.arange(len(rows))) % n_folds
            dealt += len(rows)
    return folds


class _Fold:
    """A training part to sample from and the rows to predict."""

    def __init__(self, table, codes, is_validation, **sampling):
        values, nominal = table.values, table.nominal
        self.pool = Pool(values[~is_validation], codes[~is_validation], nominal, **sampling)
        self._values, self.truth = values[is_validation], codes[is_validation]
        self.X = table.rows(self._values)
        self._trees = None

    def tree_answers(self, estimator, undersampling, smote):
        """What `answers` returns, of an estimator that `is_sortable`."""
        if self._trees is None:
            self._trees = SortedTrees(estimator, self.pool)
        scores = self._trees.predict_proba(undersampling, smote, self._values)
        return estimator._most_probable(scores), scores

    def answers(self, estimator, table, classes, undersampling, smote, method):
        """Predictions and scores of a model trained at these levels."""
        estimator = seeded(estimator, self.pool.seed)
        values, codes = self.pool.sample(undersampling, smote)
        model = estimator.fit(table.rows(values), classes[codes])
        scores = None if method is None else getattr(model, method)(self.X)
        if type(model).predict is BaseTreeClassifier.predict:
            labels = model._labels_of(scores)
        else:
            labels = model.predict(self.X)
        predicted = np.searchsorted(classes, labels)
        if method == "decision_function" and np.ndim(scores) == 1:
            scores = np.column_stack([-scores, scores])
        return predicted, scores


class InnerModels:
    """Models of an inner cross-validation at any sampling levels, each trained only once.

    Criteria are computed from the stored predictions, so that searches by many criteria and at
    many cost ratios share the models.

    Parameters
    ----------
    estimator : classifier

    X : DataFrame or array-like of shape (n_samples, n_features)
        Training examples.

    y : array-like of shape (n_samples,)
        Their classes.

    minority : label, list of labels or None, default=None
        The minority classes. By default the rarer of two, the second of equals; of more, those
        with fewer rows than the average. All other classes are majority classes.

    cv : int, default=5
        Number of folds. Every class is spread evenly over them. A class with fewer rows than folds
        is absent from some of them, which are left out of its average.

    k_neighbors : int, default=5
        Of SMOTE.

    gap : {"point", "attribute"}, default="point"
        Of SMOTE.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    random_state : int, RandomState instance or None, default=None
        Randomness of folds, samples and estimators. It depends on the fold and the level only.

    n_jobs : int or None, default=None
        Folds trained at a time, in threads. The results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    minority_, majority_ : list
        Labels of the minority and of the majority classes that are searched. A class with a single
        row is in neither: it is in every training part and never sampled.

    seed : int
        Drawn from `random_state`; what all random numbers depend on.

    n_fits_ : int
        Number of models trained so far.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from minority.sampling import InnerModels
    >>> from minority.trees import C45Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> inner = InnerModels(C45Classifier(), X, y, random_state=0)
    >>> for ratio in (1, 10):
    ...     levels = inner.search("cost", costs=ratio)
    ...     print(levels.undersampling, levels.smote, inner.n_fits_)
    {1: 80} {0: 0} 35
    {1: 80} {0: 100} 40
    """

    def __init__(
        self,
        estimator,
        X,
        y,
        *,
        minority=None,
        cv=5,
        k_neighbors=5,
        gap="point",
        categorical_features="from_dtype",
        random_state=None,
        n_jobs=None,
    ):
        self._table = Table(X, categorical_features, ensure_min_samples=2)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        check_consistent_length(self._table.values, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._labels = self.classes_.tolist()
        if len(self._labels) < 2:
            raise ValueError(
                "Sampling needs two classes or more, but the data have one class: "
                f"{self._labels}. Give rows of another."
            )
        counts = np.bincount(codes)
        positions = find_minority(counts, self._labels, minority)
        self._is_minority = np.isin(np.arange(len(counts)), positions)
        self.minority_, self.majority_ = (
            [self._labels[code] for code in np.flatnonzero(chosen & (counts > 1))]
            for chosen in (self._is_minority, ~self._is_minority)
        )
        self._estimator, self._n_jobs = estimator, n_jobs
        self._is_sortable = is_sortable(estimator, self._table)
        methods = ("predict_proba", "decision_function")
        self._method = next((name for name in methods if hasattr(estimator, name)), None)
        self.seed = int(check_random_state(random_state).randint(2**31))
        fold = deal_folds(codes, cv, np.random.default_rng([self.seed]))
        options = {"k_neighbors": k_neighbors, "gap": gap}
        self._folds = [
            _Fold(self._table, codes, fold == k, seed=[self.seed, k], **options)
            for k in np.unique(fold[fold > 0]).tolist()
        ]
        self._validations = {}

    @property
    def n_fits_(self):
        """Number of models trained so far."""
        return len(self._validations) * len(self._folds)

    def validation(self, undersampling, smote):
        """Predictions for all validation rows by models trained at these levels.

        Parameters
        ----------
        undersampling, smote : dict
            Per cent kept, and per cent of synthetic points, by class.

        Returns
        -------
        validation : Validation
            By fold: `truth` and `predicted` (positions of the classes) and `scores`.
        """
        kept = {self._labels.index(name): level for name, level in undersampling.items()}
        added = {self._labels.index(name): level for name, level in smote.items()}
        sizes = [fold.pool.sizes(kept, added) for fold in self._folds]
        key = (*kept, None, *added, *sizes)
        if key not in self._validations:
            predicted, scores = zip(*self._answers(kept, added), strict=True)
            truth = [fold.truth for fold in self._folds]
            self._validations[key] = Validation(
                truth, predicted, scores, self._method, self.classes_
            )
        return self._validations[key]

    def _answers(self, kept, added):
        """Predictions and scores of each fold."""
        if self._is_sortable:
            tasks = [delayed(f.tree_answers)(self._estimator, kept, added) for f in self._folds]
        else:
            what = self._table, self.classes_, kept, added, self._method
            tasks = [delayed(fold.answers)(self._estimator, *what) for fold in self._folds]
        if effective_n_jobs(self._n_jobs) == 1:  # joblib takes as long as a small tree
            return [task(*args, **kwargs) for task, args, kwargs in tasks]
        return Parallel(n_jobs=self._n_jobs, prefer="threads")(tasks)

    def values(self, criterion, undersampling, smote, *, costs=1):
        """Value of each class by a criterion; greater is better, costs have their sign turned.

        Parameters
        ----------
        criterion : {"auroc", "f1", "cost", "fbeta"} or callable
            See `SamplingWrapperClassifier`.
        undersampling, smote : dict
            Per cent kept, and per cent of synthetic points, by class.
        costs : float or array-like of shape (n_classes, n_classes), default=1
            See `SamplingWrapperClassifier`.

        Returns
        -------
        values : dict
            Class -> mean over the folds.
        """
        return self._values_by(criterion, costs)(undersampling, smote)

    def _values_by(self, criterion, costs):
        """What `values` returns, as a function of the levels."""
        if not (callable(criterion) or criterion in CRITERIA):
            raise ValueError(f"criterion must be a scorer or one of {CRITERIA}, got {criterion!r}.")
        matrix = cost_matrix(costs, self._labels, self._is_minority)
        parts = [fold.X for fold in self._folds]

        def values(undersampling, smote):
            found = self.validation(undersampling, smote).values(criterion, matrix, parts)
            return dict(zip(self._labels, found.tolist(), strict=True))

        return values

    def search(self, criterion="auroc", *, costs=1, **options):
        """The levels that a criterion leads to.

        Parameters
        ----------
        criterion : {"auroc", "f1", "cost", "fbeta"} or callable, default="auroc"
            See `SamplingWrapperClassifier`.
        costs : float or array-like of shape (n_classes, n_classes), default=1
            See `SamplingWrapperClassifier`.
        **options
            Steps and limits, see `search_levels`.

        Returns
        -------
        levels : Levels
            Without a minority class of two rows or more nothing is sampled.
        """
        if not self.minority_:
            return search_levels(lambda undersampling, smote: ((), ()), [], [])

        values_at = self._values_by(criterion, costs)

        def score(undersampling, smote):
            values = values_at(undersampling, smote)
            return [values[c] for c in self.minority_], [values[c] for c in self.majority_]

        return search_levels(score, self.majority_, self.minority_, **options)
