"""C4.5 as a classifier."""

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from minority._sklearn import LARGEST, Interval, StrOptions, _fit_context, check_is_fitted
from minority.trees._base import BaseTreeClassifier
from minority.trees._grower import grow, snap_thresholds, sorted_orders
from minority.trees._pruning import collapse, compact, confidence_limit, prune
from minority.trees._rules import rule_list
from minority.trees._splits import GAIN_RATIO, xlogx_table
from minority.trees._text import Path, rule_set


class C45Classifier(BaseTreeClassifier):
    r"""Decision tree of C4.5, release 8.

    Splits are chosen by gain ratio, numeric ones in two and nominal ones by category, and the tree
    is pruned by the errors to expect. It builds the trees of Weka's J48 with the same options.

    Use it when you want one readable tree that takes categories and missing values as they are, or
    results to compare with C4.5 or Weka's J48. `class_weight` and `costs` adapt it to rare classes,
    and it is the default classifier inside the sampling and cost-sensitive estimators of this
    library. Data: hundreds to hundreds of thousands of rows.

    Not for the highest accuracy: random forests and gradient boosting are more accurate. Without
    class weights or costs, pruning may leave nothing of a rare class. To rank rare positives
    without weights use `HellingerTreeClassifier`, or better an ensemble.

    Parameters
    ----------
    min_samples_leaf : float, default=2
        Smallest weight of cases in at least two branches of a split (``-m`` of C4.5, ``-M`` of
        J48). Numeric splits need a tenth of the mean class size, at most 25, if that is more.

    pruning : {"error"} or None, default="error"
        Error-based pruning or none.

    confidence_factor : float, default=0.25
        Of error-based pruning and of `ruleset`; smaller prunes more (``-c`` of C4.5).

    subtree_raising : bool, default=True
        Whether pruning may replace a node by its largest branch.

    collapse : bool, default=True
        Whether to remove, before pruning, subtrees that err as often on the training rows as a
        leaf. Without pruning nothing is collapsed.

    laplace : bool, default=True
        Whether one case is added to each class of a leaf before probabilities are taken.

    ruleset : bool, default=False
        Whether to turn the tree into an ordered list of rules: conditions are dropped from each
        path to a leaf while the pessimistic share of errors does not rise, and the first rule that
        applies decides. A stand-in for the rule sets of C5.0, which is another program: its rules
        vote, and it has a subset selection of its own.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with the sample weights.

    costs : dict or array-like of shape (2, 2), default=None
        Costs of misclassification, for two classes: {class: cost of missing it}, or a matrix with
        true classes as rows and predicted ones as columns. Cases are weighted by the cost of
        missing them, with the total weight unchanged, which is how a tree learner without costs of
        its own is made to mind them.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    tol : float, default=1e-5
        Values that lie no further apart are not separated, as in C4.5. Decrease it for features
        of tiny scale.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    tree_ : Tree
        The nodes as arrays: `feature` (-1 in leaves), `threshold` (NaN in nominal splits),
        `first_child`, `n_children` and `counts`, the weights of the classes.

    categories_ : dict of {int: pandas.Index}
        Categories of each nominal column, by position.

    rules_ : RuleSet
        The ordered rules, if `ruleset`.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    HellingerTreeClassifier : A criterion that does not mind the class sizes.

    Notes
    -----
    Let a split divide :math:`n` cases, of which :math:`u` have no value, into branches of
    :math:`n_k` cases. Its gain is the decrease of entropy over the cases with a value, times
    :math:`1 - u/n`; a numeric split is charged :math:`\log_2(t) / n` for the choice among
    :math:`t` thresholds [2]_. The gain ratio is the gain over the entropy of the shares
    :math:`n_k / n` and :math:`u / n`. Only splits whose gain is at least average compete.
    Thresholds are values of the training data.

    A case without the value goes down every branch with a share of its weight. Weights are numbers
    of cases: a weight of 2 is the same as a repeated row, and multiplying all weights changes the
    model. The columns are sorted once, so the time grows as :math:`O(d n \log n)` with the depth
    of the tree as a factor. Infinite values are rejected.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.
    .. [2] J. R. Quinlan, "Improved use of continuous attributes in C4.5", Journal of Artificial
       Intelligence Research 4, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import C45Classifier
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> X["sex"] = X["sex"].map({1: "female", 2: "male"})
    >>> X.loc[::10, "bmi"] = None
    >>> y = (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = C45Classifier(min_samples_leaf=15, class_weight="balanced").fit(X, y)
    >>> print(model.to_text())
    s5 <= 4.64: slow (101.69/10.13)
    s5 > 4.64
    |   bp <= 111.4
    |   |   s6 <= 101
    |   |   |   s2 <= 112.4
    |   |   |   |   sex = female: fast (32.89/5.87)
    |   |   |   |   sex = male: slow (17.32/6.76)
    |   |   |   s2 > 112.4: slow (39.76/3.38)
    |   |   s6 > 101: fast (52.86/12.32)
    |   bp > 111.4: fast (86.49/8.8)

    >>> round(balanced_accuracy_score(y_test, model.predict(X_test)), 2)
    0.76
    """

    _parameter_constraints: ClassVar[dict] = {
        "min_samples_leaf": [Interval(Real, 0, LARGEST, closed="right")],
        "pruning": [StrOptions({"error"}), None],
        "confidence_factor": [Interval(Real, 0, 0.5, closed="right")],
        "subtree_raising": ["boolean"],
        "collapse": ["boolean"],
        "laplace": ["boolean"],
        "ruleset": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": [dict, "array-like", None],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "tol": [Interval(Real, 0, LARGEST, closed="both")],
    }

    def __init__(
        self,
        *,
        min_samples_leaf=2,
        pruning="error",
        confidence_factor=0.25,
        subtree_raising=True,
        collapse=True,
        laplace=True,
        ruleset=False,
        class_weight=None,
        costs=None,
        categorical_features="from_dtype",
        tol=1e-5,
    ):
        self.min_samples_leaf = min_samples_leaf
        self.pruning = pruning
        self.confidence_factor = confidence_factor
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.laplace = laplace
        self.ruleset = ruleset
        self.class_weight = class_weight
        self.costs = costs
        self.categorical_features = categorical_features
        self.tol = tol

    def _cost_of_missing(self):
        """The cost of missing each class."""
        classes = self.classes_.tolist()
        if len(classes) != 2:
            raise ValueError(f"costs are for two classes, but there are {len(classes)} classes.")
        if isinstance(self.costs, dict):
            if set(self.costs) != set(classes):
                raise ValueError(f"costs must name exactly the classes {classes}.")
            costs = np.array([self.costs[label] for label in classes], dtype=np.float64)
        else:
            matrix = np.asarray(self.costs, dtype=np.float64)
            if matrix.shape != (2, 2) or matrix.diagonal().any():
                raise ValueError("costs must be a matrix of shape (2, 2) with a zero diagonal.")
            costs = matrix[[0, 1], [1, 0]]
        if not (np.isfinite(costs).all() and (costs > 0).all()):
            raise ValueError(f"costs must be positive, got {costs.tolist()}.")
        return costs

    def _reweight(self, y, codes, weight):
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        if self.costs is not None:
            costly = weight * self._cost_of_missing()[codes]
            weight = costly * (weight.sum() / costly.sum())
        return weight

    def _build(self, columns, codes, weight, n_categories):
        """Grow and prune the tree of validated arrays."""
        orders = sorted_orders(columns, n_categories)
        table = xlogx_table(len(codes))
        self._grow(columns, orders, codes, weight, len(self.classes_), n_categories, table)
        self._tell(columns, orders, n_categories)

    def _grow(self, columns, orders, codes, weight, n_classes, n_categories, table):
        """Grow and prune the tree of the rows that the orders name."""
        tree = grow(
            columns,
            orders,
            codes,
            weight,
            n_classes,
            n_categories,
            GAIN_RATIO,
            float(self.min_samples_leaf),
            float(self.tol),
            table,
        )
        snap_thresholds(tree, columns, orders, n_categories)
        if self.pruning is not None:
            if self.collapse:
                collapse(tree)
            factor = float(self.confidence_factor)
            z = confidence_limit(factor)
            prune(tree, columns, codes, weight, orders[0], factor, z, self.subtree_raising)
        self.tree_ = compact(tree)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Grow and prune the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples; NaN is missing.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Numbers of cases that the examples stand for.

        Returns
        -------
        self : C45Classifier
            The fitted classifier.
        """
        columns, codes, weight, n_categories = self._validate_fit(X, y, sample_weight)
        self._build(columns, codes, weight, n_categories)
        if self.ruleset:
            self._paths, self._default_counts = rule_list(
                self.tree_,
                columns.T,
                codes,
                weight,
                self.min_samples_leaf,
                float(self.confidence_factor),
                confidence_limit(self.confidence_factor),
            )
            paths = [*self._paths, Path((), 0, self._default_counts)]
            labels = self._most_probable(self._rule_values())
            paths = [path._replace(label=k) for path, k in zip(paths, labels, strict=True)]
            self.rules_ = rule_set(paths[:-1], paths[-1], self._words())
        return self

    def _retell(self, X, y):
        super()._retell(X, y)
        if self.ruleset:
            self.rules_ = self.rules_.shorten(X).recount(X, y, overlap=True)

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            The shares of the classes in the leaf of each row, Laplace-smoothed if `laplace`. A row
            that misses a value, or has a category never seen, takes every branch of that split
            in proportion to its training cases. With `ruleset`, the shares among the training rows
            of the first rule that applies; a missing value meets no condition.
        """
        if not self.ruleset:
            return super().predict_proba(X)
        X = self._validate_predict(X)
        decider = np.full(len(X), len(self._paths))
        for k in reversed(range(len(self._paths))):
            decider[self._paths[k].covers(X)] = k
        return self._rule_values()[decider]

    def _rule_values(self):
        """Probabilities of the classes in each rule of `ruleset`, then in the default."""
        counts = np.array([*(path.counts for path in self._paths), self._default_counts])
        counts += self.laplace
        return counts / counts.sum(axis=1, keepdims=True)

    def _decisions(self):
        return (self.rules_, self._rule_values()) if self.ruleset else super()._decisions()

    def to_rules(self):
        """The paths to the leaves as rules, or `rules_` with `ruleset`.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        return self.rules_ if self.ruleset else super().to_rules()

    def to_text(self, digits=None, write=None):
        """The model as text over the names of the features.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by `parse_tree` (or by
            `RuleSet.parse` with `ruleset`), predicts every training example as the model does; a
            tree only those without missing values. A number of significant digits is for reading
            only.
        write : callable, default=None
            See `Rule.to_text`.

        Returns
        -------
        text : str
            One line per branch, or per rule with `ruleset`. Leaves show the weight of their
            training cases and, behind a slash, the weight of those of other classes.
        """
        check_is_fitted(self)
        if self.ruleset:
            return self.rules_.to_text(digits, write)
        return super().to_text(digits, write)
