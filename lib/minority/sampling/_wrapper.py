"""The sampling wrapper as a classifier."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from minority._columns import as_pandas
from minority._readable import RulesMixin, has_rules, is_rules
from minority._seeding import seeded
from minority._sklearn import (
    Interval,
    StrOptions,
    _fit_context,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)
from minority.costs._matrix import LARGEST_COST
from minority.sampling._criteria import CRITERIA
from minority.sampling._inner import InnerModels
from minority.sampling._pool import find_minority
from minority.sampling._samplers import PercentSampler
from minority.trees import C45Classifier


def _estimator_has(name):
    """Whether the fitted estimator, or the one to fit, has a method."""

    def check(self):
        return hasattr(getattr(self, "estimator_", None) or self._base(), name)

    return check


class SamplingWrapperClassifier(RulesMixin, ClassifierMixin, BaseEstimator):
    r"""Find amounts of undersampling and SMOTE by cross-validation, then train on such a sample.

    The majority classes are undersampled step by step while that does not hurt, then synthetic
    examples of the minority classes are added while that helps. Each step is judged by an inner
    cross-validation.

    Use it when you would otherwise try amounts of undersampling and SMOTE by hand. It finds them
    for any classifier, by AUROC, F1, costs or a scorer of your own, and `search_path_` shows what
    was tried. With a tree or rules inside, the model stays readable. Data: up to tens of thousands
    of rows, because each level is cross-validated.

    Not for classifiers that accept class weights, which are quicker to try. The gain in AUROC and
    F1 is small on average. With known costs, `CostProportionateClassifier` gives trees and rules
    lower costs on average, without a search. If the model need not be readable, a balanced random
    forest has a higher G-mean on most data.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is trained. None: `C45Classifier`, one of the paper's two.

    criterion : {"auroc", "f1", "cost", "fbeta"} or callable, default="auroc"
        What the levels are judged by, for each class and averaged over the folds: the area under
        the ROC curve of the class against the rest; the F-measure of the class; the cost of
        errors; or the F-measure with a :math:`\beta` from the costs. A scikit-learn scorer gives
        one value for all classes.

    costs : float or array-like of shape (n_classes, n_classes), default=1
        For "cost" and "fbeta". A number is the ratio :math:`C(-|+) / C(+|-)`: missing an example
        of a minority class costs so many times as much as any other error. Or a matrix with true
        classes as rows and predicted ones as columns, zero on the diagonal.

    minority : label, list of labels or None, default=None
        The minority classes, which get synthetic examples; the others are undersampled. By default
        the rarer of two classes, ``classes_[1]`` of equals; of more than two, those with fewer
        examples than the average, if there are any.

    cv : int, default=5
        Number of inner folds. A class with fewer examples than folds is absent from some of them,
        which are left out of its average.

    decrement : float, default=10
        Step of undersampling in per cent; so many are always kept.

    increment : float, default=100
        Step of SMOTE in per cent.

    min_increment : float, default=0.05
        Share by which a majority class may fall in a step of undersampling, and by which a
        minority class must rise for SMOTE to go on.

    look_ahead : int, default=3
        Levels of SMOTE in a row without such a rise that end the search.

    max_smote : float, default=5000
        Largest level of SMOTE in per cent.

    k_neighbors : int, default=5
        Of SMOTE. Fewer if a class has fewer examples.

    gap : {"point", "attribute"}, default="point"
        Of SMOTE, see `PercentSMOTE`.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features SMOTE treats as nominal. By default the columns of a data frame that are
        not numeric. The estimator gets the features as they are.

    n_jobs : int or None, default=None
        Inner folds trained at a time, in threads. The model does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Randomness of folds, samples and estimators.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    undersampling_ : dict
        Majority class -> per cent of its examples that are kept: 100 is all.

    smote_ : dict
        Minority class -> synthetic examples in per cent of its own. A class with a single example
        is in neither dict; without any other minority class both are empty.

    search_path_ : pandas.DataFrame
        Every level tried, with the scores, see `search_levels`; `plot_search_path` draws it.

    resampler_ : PercentSampler
        Draws the sample that `estimator_` was trained on; usable in imbalanced-learn's pipelines.

    estimator_ : classifier
        Trained on that sample.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    InnerModels : One set of inner models for searches by many criteria.
    search_levels : The search alone, with the rules for accepting a level.

    Notes
    -----
    With the rates of an inner fold, the cost is
    :math:`\mathrm{FN} \cdot C(-|+) + \mathrm{FP} \cdot C(+|-)` (eq. 1). Of several classes, each
    has the cost of its misses and of its false alarms.

    The F-measure with :math:`\beta = C(+|-) / C(-|+)` is the paper's (eqs. 5 and 6),
    :math:`(1 + \beta^2) P R / (\beta^2 R + P)`, which is the usual one at :math:`1 / \beta`: the
    dearer it is to miss the class, the more recall counts. The paper does not say which
    :math:`\beta` a majority class has; here it is the one that its own misses and false alarms
    lead to, so that with two classes its :math:`\beta` is one over that of the minority class.
    Of several classes the costs are summed over the others.

    Random numbers depend on the fold and the level only, and samples are nested: what is kept at
    70 % is part of what is kept at 80 %, and 200 % of SMOTE are part of 300 %. That is our choice,
    against noise between neighbouring levels.

    References
    ----------
    .. [1] N. V. Chawla, D. A. Cieslak, L. O. Hall and A. Joshi, "Automatically countering imbalance
       and its empirical relationship to cost", Data Mining and Knowledge Discovery 17, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import C45Classifier, SamplingWrapperClassifier
    >>> from minority.costs import expected_cost
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> y = (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> tree = C45Classifier()
    >>> model = SamplingWrapperClassifier(tree, criterion="cost", costs=5, random_state=0).fit(X, y)
    >>> print(f"kept, %: {model.undersampling_}; added, %: {model.smote_}")
    kept, %: {'slow': 90}; added, %: {'fast': 200}
    >>> for name, classifier in (("tree alone", tree.fit(X, y)), ("on the sample", model)):
    ...     print(name, round(expected_cost(y_test, classifier.predict(X_test), 5), 2))
    tree alone 0.59
    on the sample 0.49
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": "no_validation",
        "criterion": [StrOptions(set(CRITERIA)), callable],
        "costs": [Interval(Real, 0, LARGEST_COST, closed="right"), "array-like"],
        "minority": "no_validation",
        "cv": [Interval(Integral, 2, None, closed="left")],
        "decrement": [Interval(Real, 1, 100, closed="left")],
        "increment": [Interval(Real, 1, 10_000, closed="both")],
        "min_increment": [Interval(Real, 0, 1, closed="both")],
        "look_ahead": [Interval(Integral, 1, None, closed="left")],
        "max_smote": [Interval(Real, 0, 10_000, closed="both")],
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
        "gap": [StrOptions({"point", "attribute"})],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        criterion="auroc",
        costs=1,
        minority=None,
        cv=5,
        decrement=10,
        increment=100,
        min_increment=0.05,
        look_ahead=3,
        max_smote=5000,
        k_neighbors=5,
        gap="point",
        categorical_features="from_dtype",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.criterion = criterion
        self.costs = costs
        self.minority = minority
        self.cv = cv
        self.decrement = decrement
        self.increment = increment
        self.min_increment = min_increment
        self.look_ahead = look_ahead
        self.max_smote = max_smote
        self.k_neighbors = k_neighbors
        self.gap = gap
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _base(self):
        return C45Classifier() if self.estimator is None else self.estimator

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Search for the levels and train at them.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : SamplingWrapperClassifier
            The fitted classifier.
        """
        base = self._base()
        if isinstance(base, type) or not (hasattr(base, "fit") and hasattr(base, "predict")):
            raise TypeError(f"estimator must be a classifier or None, got {self.estimator!r}.")
        y = validate_data(self, y=y)
        check_classification_targets(y)
        X = self._validate(X, reset=True)
        sampling = {
            "k_neighbors": self.k_neighbors,
            "gap": self.gap,
            "categorical_features": self.categorical_features,
        }
        inner = InnerModels(
            base,
            X,
            y,
            minority=self.minority,
            cv=self.cv,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **sampling,
        )
        self.classes_ = inner.classes_
        if len(self.classes_) == 2:
            counts = np.unique(y, return_counts=True)[1]
            self._rarer_code = find_minority(counts, self.classes_.tolist(), self.minority)[0]
        self.undersampling_, self.smote_, self.search_path_ = inner.search(
            self.criterion,
            costs=self.costs,
            decrement=self.decrement,
            increment=self.increment,
            min_increment=self.min_increment,
            look_ahead=self.look_ahead,
            max_smote=self.max_smote,
        )
        self.resampler_ = PercentSampler(
            self.undersampling_, self.smote_, random_state=inner.seed, **sampling
        )
        self.estimator_ = seeded(base, [inner.seed, 0])
        self.estimator_.fit(*self.resampler_.fit_resample(X, y))
        self._retell(X, y)
        return self

    def _retell(self, X, y):
        """Have the text hold for other rows, and count them."""
        if hasattr(self.estimator_, "_retell"):
            self.estimator_._retell(X, y)

    def _validate(self, X, *, reset):
        """A frame as it is, whose names and types the estimator may need; else an array."""
        X = as_pandas(X)
        if hasattr(X, "iloc"):
            return validate_data(self, X, skip_check_array=True, reset=reset)
        numbers = isinstance(self.categorical_features, (str, type(None)))
        return validate_data(
            self,
            X,
            dtype=(np.float64, np.float32) if numbers else None,
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
            reset=reset,
        )

    def predict(self, X):
        """Predict the classes.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.estimator_.predict(self._validate(X, reset=False))

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X):
        """Probabilities of the classes in the sample that the estimator was trained on.

        Sampling changes the frequencies of the classes, and with them the probabilities.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(self._validate(X, reset=False))

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X):
        """Decision values of the estimator.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(self._validate(X, reset=False))

    def _is_rules(self):
        return has_rules(self._base())

    @available_if(is_rules)
    def to_rules(self):
        """The model of the sample as rules.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        return self.estimator_.to_rules()

    def _decisions(self):
        return self.estimator_._decisions()

    def _class_totals(self):
        return self.estimator_._class_totals()

    def to_text(self, digits=None, write=None):
        """The levels, then the model if it can be told.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by the parser of the model
            inside, predicts every training example as the model does. A number of significant
            digits is for reading only.
        write : callable, default=None
            See `Rule.to_text`.

        Returns
        -------
        text : str
            Models of this package count the examples given to `fit`, and no synthetic ones; of
            another model the text says that its counts, if any, are those of the sample.
        """
        check_is_fitted(self)
        parts = [self._heading()]
        if self._is_rules():
            parts.append(self.estimator_.to_text(digits, write))
        elif hasattr(self.estimator_, "to_text"):
            parts.append(self.estimator_.to_text())
        return "\n\n".join(parts)

    def _heading(self):
        levels = [f"{level:g} % of {label} kept" for label, level in self.undersampling_.items()]
        levels += [f"{level:g} % of {label} added" for label, level in self.smote_.items()]
        parts = [", ".join(levels) or "no sampling"]
        is_foreign = not hasattr(self.estimator_, "_retell")
        if levels and is_foreign and hasattr(self.estimator_, "to_text"):
            parts.append("Counts are those of the sample, with synthetic examples:")
        return "\n\n".join(parts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = self._base()
        if hasattr(base, "__sklearn_tags__") and not isinstance(base, type):
            of_base = get_tags(base)
            tags.input_tags = of_base.input_tags
            tags.input_tags.sparse = False
            if of_base.classifier_tags is not None:
                tags.classifier_tags.multi_class = of_base.classifier_tags.multi_class
        return tags
