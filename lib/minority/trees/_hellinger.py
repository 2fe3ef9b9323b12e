"""Hellinger distance trees as a classifier."""

from numbers import Real
from typing import ClassVar

from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import type_of_target

from minority._positive import not_binary
from minority._sklearn import LARGEST, Interval, StrOptions, _fit_context
from minority.trees._base import BaseTreeClassifier
from minority.trees._grower import grow, snap_thresholds, sorted_orders
from minority.trees._pruning import compact
from minority.trees._splits import HELLINGER, xlogx_table


class HellingerTreeClassifier(BaseTreeClassifier):
    r"""Decision tree that does not mind the sizes of the two classes (HDDT).

    Each split makes the classes as different as possible in how they spread over the branches,
    whatever their sizes. The tree is not pruned, and its leaves are Laplace-smoothed.

    Use it when other trees overlook the rare class and you want to tune neither weights nor
    sampling. Its splits do not depend on the class sizes, and its probabilities rank the rows. It
    takes categories and missing values as they are. Data: hundreds to hundreds of thousands of
    rows.

    Not for small trees: it is not pruned, and only `min_samples_leaf` limits its size. Class
    weights change its leaves but not its splits, so they have little effect: with costs use
    `C45Classifier`. A leaf predicts its most frequent class, which is seldom the rare one: rank by
    `predict_proba`, or choose a threshold. A tree of scikit-learn with balanced class weights is
    often more accurate.

    Parameters
    ----------
    min_samples_leaf : float, default=2
        Smallest weight of cases in both sides of a numeric split, and in at least two branches of
        a nominal one.

    laplace : bool, default=True
        Whether one case is added to each class of a leaf before probabilities are taken.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. They act on the leaves only: a class's weight cancels in the
        distance, so the splits are the same with any weights.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    tree_ : Tree
        The nodes as arrays, see `C45Classifier`.

    categories_ : dict of {int: pandas.Index}
        Categories of each nominal column, by position.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    C45Classifier : The gain ratio, and pruning.

    Notes
    -----
    With :math:`n^+_k, n^-_k` cases of the classes in branch :math:`k`, of :math:`n^+` and
    :math:`n^-` in the node, a split is worth the Hellinger distance

    .. math:: \sqrt{\sum_k \left(\sqrt{n^+_k / n^+} - \sqrt{n^-_k / n^-}\right)^2},

    times the share of the cases whose value is known, which the paper leaves open. Nominal columns
    are split by category. Sample weights are numbers of cases. Missing values are handled as in
    `C45Classifier`.

    References
    ----------
    .. [1] D. A. Cieslak and N. V. Chawla, "Learning decision trees for unbalanced data", European
       Conference on Machine Learning and Knowledge Discovery in Databases, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import HellingerTreeClassifier
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> X["sex"] = X["sex"].map({1: "female", 2: "male"})
    >>> y = (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = HellingerTreeClassifier(min_samples_leaf=30).fit(X, y)
    >>> print(model.to_text())
    s5 <= 4.31: slow (88)
    s5 > 4.31
    |   bmi <= 31.5
    |   |   s5 <= 4.58: slow (53)
    |   |   s5 > 4.58
    |   |   |   s6 <= 98
    |   |   |   |   age <= 58
    |   |   |   |   |   s2 <= 114: slow (31/8)
    |   |   |   |   |   s2 > 114: slow (41/2)
    |   |   |   |   age > 58: slow (32)
    |   |   |   s6 > 98: slow (44/14)
    |   bmi > 31.5: fast (42/17)

    >>> is_fast, scores = y_test == "fast", model.predict_proba(X_test)[:, 0]
    >>> average_precision = average_precision_score(is_fast, scores)
    >>> print(f"average precision {average_precision:.2f}, by chance {is_fast.mean():.2f}")
    average precision 0.44, by chance 0.14
    """

    _parameter_constraints: ClassVar[dict] = {
        "min_samples_leaf": [Interval(Real, 0, LARGEST, closed="right")],
        "laplace": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
    }

    def __init__(
        self,
        *,
        min_samples_leaf=2,
        laplace=True,
        class_weight=None,
        categorical_features="from_dtype",
    ):
        self.min_samples_leaf = min_samples_leaf
        self.laplace = laplace
        self.class_weight = class_weight
        self.categorical_features = categorical_features

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples; NaN is missing.
        y : array-like of shape (n_samples,)
            Their classes, of which there must be at most two.
        sample_weight : array-like of shape (n_samples,), default=None
            Numbers of cases that the examples stand for.

        Returns
        -------
        self : HellingerTreeClassifier
            The fitted classifier.
        """
        columns, codes, weight, n_categories = self._validate_fit(X, y, sample_weight)
        if len(self.classes_) > 2:
            raise not_binary(type_of_target(y))
        orders = sorted_orders(columns, n_categories)
        tree = grow(
            columns,
            orders,
            codes,
            weight,
            len(self.classes_),
            n_categories,
            HELLINGER,
            float(self.min_samples_leaf),
            0.0,
            xlogx_table(len(codes)),
        )
        snap_thresholds(tree, columns, orders, n_categories)
        if self.class_weight is not None:
            labels = self.classes_[codes]
            tree.counts[:] *= compute_class_weight(
                self.class_weight, classes=self.classes_, y=labels
            )
        self.tree_ = compact(tree)
        self._tell(columns, orders, n_categories)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
