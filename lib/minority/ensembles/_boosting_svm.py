"""Boosting-SVM: a vote of support vector machines with asymmetric costs."""

from copy import copy, deepcopy
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from minority._seeding import seeded
from minority._sklearn import LARGEST, Interval, StrOptions, check_is_fitted
from minority.ensembles._hinge import HingeChain
from minority.ensembles._svm import MAX_ITER, TOL, kernel_svm, linear_svm
from minority.ensembles._voting import BaseBoostedVote, log_odds


def class_costs(is_positive, weight):
    """Costs of the rows that make up for the sizes of the classes."""
    return np.where(is_positive, 1 / weight[is_positive].sum(), 1 / weight[~is_positive].sum())


class BoostingSVMClassifier(BaseBoostedVote):
    r"""Boost support vector machines whose errors on the rare class cost more.

    Machine after machine is trained. The costs of the classes make up for their sizes; the weights
    of the examples that a machine gets wrong are raised for the next one, and no weight is ever
    lowered. Of all numbers of machines, the one whose vote has the highest G-mean on validation
    examples is kept. Standardise the features, for instance in a pipeline.

    Use it when both classes count equally (G-mean) and a linear boundary or a kernel suits the
    data. The number of rounds and `delta` are chosen on validation data, and `feature_weights_`
    shows what a linear model relies on. Data: up to a few thousand standardised rows, from about
    twenty positives.

    Not for large data: it trains up to `n_estimators` SVMs for each `delta`. A single SVM or
    logistic regression with balanced class weights usually has as high a G-mean, so try these
    first; boosting helps mostly where a strongly regularised SVM underfits. With known costs of
    errors use `CostProportionateClassifier` or `CostThresholdClassifier`.

    Parameters
    ----------
    n_estimators : int, default=40
        Largest number of rounds (:math:`M`).

    delta : float or sequence of float, default=(0.1, 0.2, 0.5, 1.0)
        Size of the steps (:math:`\delta`), above 0 and at most 1, which is AdaBoost's. Of several
        values the one with the highest validation G-mean is taken; of equals the first.

    C : float, default=1.0
        Price of the slacks; example i pays :math:`C\, \omega_i C_i`, which is C on average.

    kernel : {"linear", "rbf", "poly"}, default="linear"
        The paper's is linear. "poly" is :math:`(\gamma\, x \cdot z + 1)^{degree}`.

    loss : {"hinge", "squared_hinge"}, default="hinge"
        The L1 norm of the slacks, as in the paper, or the L2 norm, with the linear kernel only.

    gamma : {"scale", "auto"} or float, default="scale"
        Scale of the kernels that are not linear, as in scikit-learn's `SVC`.

    degree : int, default=3
        Degree of the polynomial kernel.

    validation_fraction : float or None, default=2/9
        Share of each class that is held out to choose the round and `delta`: 20 % of the data
        where 90 % are given and 70 % train. Not used if `fit` is given validation examples. None:
        nothing is held out, and all rounds vote.

    tol : float, default=1e-3
        Tolerance of the solver. Of a linear machine with the hinge loss it is the largest
        difference of two projected gradients of the dual objective, as for `LinearSVC`.

    max_iter : int, default=1_000_000
        Largest number of iterations of the solver; of a linear one with the hinge loss, of passes.

    pos_label : object, default=None
        The positive class. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    random_state : int, RandomState instance or None, default=None
        Randomness of the split, and of the order in which the linear solver visits the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The positive class.

    estimators_ : list of LinearSVC or SVC
        The machines (:math:`S_m`) of all rounds, trained on 1 for the positive class and 0 for
        the other. A `LinearSVC` with the hinge loss is not trained by its own `fit`, but from where
        the machine before it ended, to the same optimum within `tol`.

    alphas_ : ndarray of shape (n_all_rounds,)
        Weights of their votes (:math:`\alpha_m`).

    errors_ : ndarray of shape (n_all_rounds,)
        Their weighted training errors (:math:`\epsilon_m`).

    validation_scores_ : ndarray of shape (n_all_rounds,)
        G-mean of the vote after each round on the validation examples; empty without any.

    n_rounds_ : int
        Number of machines that vote (:math:`T`), the first of those with the highest score.

    delta_ : float
        The step that was used.

    n_unconverged_ : int
        Number of machines, over all values of `delta`, whose solver did not converge; the first,
        which all values share, counts once. If there are any, `fit` warns.

    n_iter_ : ndarray of shape (n_all_rounds,)
        Iterations of each machine's solver.

    feature_weights_ : ndarray of shape (n_features_in_,)
        With the linear kernel: the machines' weights of the features, each machine's of length 1
        and towards the positive class, averaged over those that vote.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    linear_svm : The machine alone.
    AdaCostClassifier : Boosting in which the costs steer the weights.

    Notes
    -----
    With :math:`\omega_i = 1` at first, or the sample weights, Algorithm 1 repeats: train
    :math:`S_m` with the price :math:`C\, \omega_i C_i`, where :math:`C^+ / C^- = n^- / n^+`; then

    .. math::
       \epsilon_m = \frac{\sum_i \omega_i [S_m(x_i) \ne y_i]}{\sum_i \omega_i}, \quad
       \alpha_m = \delta \log \frac{1 - \epsilon_m}{\epsilon_m}, \quad
       \omega_i \leftarrow \omega_i\, e^{\alpha_m [S_m(x_i) \ne y_i]}.

    :math:`G_m = \mathrm{sign} \sum_{j \le m} \alpha_j S_j`, with votes :math:`S_j` of 1 and -1. The
    costs are not part of the error. As the weights grow, the products :math:`\omega_i C_i` are
    scaled to mean 1 in each round, so that C keeps its meaning.

    A machine without errors decides alone: its weight is 1 more than the sum of all others, and
    the rounds end. A machine with :math:`\epsilon_m \ge 1/2` is left out and the rounds end; if it
    is the first, it is the model, with weight 1.

    All values of `delta` share the first machine. A linear machine with the hinge loss begins where
    the one of the round before ended, each multiplier scaled as the price of its example is.

    References
    ----------
    .. [1] B. X. Wang and N. Japkowicz, "Boosting support vector machines for imbalanced data sets",
       Knowledge and Information Systems 25, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from minority import BoostingSVMClassifier
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> X, y = X[["age", "sex", "bmi", "bp", "s5"]], (y > 250).map({True: "fast", False: "slow"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = make_pipeline(StandardScaler(), BoostingSVMClassifier(random_state=0))
    >>> model = model.set_output(transform="pandas").fit(X, y)
    >>> print(model[-1].to_text(digits=2))
    fast by the vote of 3 of 30 linear SVMs, delta 0.1, validation G-mean 0.83
    +0.68 s5
    +0.64 bmi
    +0.3 bp
    -0.17 sex
    +0.023 age

    >>> round(balanced_accuracy_score(y_test, model.predict(X_test)), 2)
    0.78
    """

    _tuned = "delta"

    _parameter_constraints: ClassVar[dict] = {
        **BaseBoostedVote._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="right"), "array-like"],
        "C": [Interval(Real, 1e-50, 1e50, closed="both")],  # beyond, liblinear may never return
        "kernel": [StrOptions({"linear", "rbf", "poly"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, LARGEST, closed="left")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 1e-10, 1, closed="both")],  # as for C
        "max_iter": [Interval(Integral, 1, 2**31 - 1, closed="both")],
    }

    def __init__(
        self,
        *,
        n_estimators=40,
        delta=(0.1, 0.2, 0.5, 1.0),
        C=1.0,
        kernel="linear",
        loss="hinge",
        gamma="scale",
        degree=3,
        validation_fraction=2 / 9,
        tol=TOL,
        max_iter=MAX_ITER,
        pos_label=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.delta = delta
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.gamma = gamma
        self.degree = degree
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.random_state = random_state

    def _base(self):
        if self.kernel == "linear":
            return linear_svm(self.C, loss=self.loss, tol=self.tol, max_iter=self.max_iter)
        if self.loss != "hinge":
            raise ValueError(f"loss={self.loss!r} needs kernel='linear', got {self.kernel!r}.")
        return kernel_svm(self.kernel, self.C, self.gamma, self.degree, self.tol, self.max_iter)

    def _chains(self, X, is_positive, sample_weight, settings, seed):
        """The rounds with each delta: all go on from the first machine, which is trained once."""
        rng = np.random.default_rng(seed)
        is_chain = self.kernel == "linear" and self.loss == "hinge"
        chain = HingeChain(X, is_positive) if is_chain else None
        weight = sample_weight * class_costs(is_positive, sample_weight)
        first = self._learn(X, is_positive, weight, rng, chain)
        return [
            self._rounds(X, is_positive, sample_weight, delta, deepcopy(rng), first, copy(chain))
            for delta in settings
        ]

    def _rounds(self, X, is_positive, sample_weight, delta, rng, first, chain):
        """Steps (a) to (e) of Algorithm 1."""
        weight = sample_weight.copy()
        cost = class_costs(is_positive, weight)
        for m in range(self.n_estimators):
            svm = self._learn(X, is_positive, weight * cost, rng, chain) if m else first
            wrong = (self._vote(svm, X) > 0) != is_positive
            error = weight[wrong].sum() / weight.sum()
            alpha = delta * log_odds(error)
            yield svm, alpha, error
            weight[wrong] *= np.exp(alpha)

    def _learn(self, X, is_positive, weight, rng, chain):
        """A machine on weighted rows: the next of a chain, or one on its own."""
        if chain is None:
            return super()._learn(X, is_positive, weight, rng)
        svm = seeded(self._base(), rng)
        self.n_unconverged_ += not chain.train(svm, self.C * self._scaled(weight))
        return svm

    @property
    def n_iter_(self):
        """Iterations of the solvers."""
        return np.array([np.max(svm.n_iter_) for svm in self.estimators_])

    @property
    def feature_weights_(self):
        """Mean weights of the features."""
        if self.kernel != "linear":
            raise AttributeError("Only the linear kernel has weights of features.")
        coef = np.array([svm.coef_[0] for svm in self.estimators_[: self.n_rounds_]])
        length = np.linalg.norm(coef, axis=1, keepdims=True)
        coef = np.divide(coef, length, out=np.zeros_like(coef), where=length > 0)
        return np.average(coef, axis=0, weights=self.alphas_[: self.n_rounds_])

    def to_text(self, digits=4, max_features=10):
        """The model in short: its rounds, and the heaviest features if the kernel is linear.

        Parameters
        ----------
        digits : int, default=4
            Significant digits.
        max_features : int, default=10
            Largest number of features to list.

        Returns
        -------
        text : str
        """
        check_is_fitted(self)
        head = (
            f"{self.pos_label_} by the vote of {self.n_rounds_} of {len(self.alphas_)} "
            f"{self.kernel} SVMs, delta {self.delta_:g}"
        )
        if len(self.validation_scores_):
            head += f", validation G-mean {self.validation_scores_.max():.{digits}g}"
        if self.kernel != "linear":
            return head
        weights = self.feature_weights_
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(len(weights))])
        heaviest = np.argsort(-np.abs(weights), kind="stable")[:max_features]
        return "\n".join([head, *(f"{weights[j]:+.{digits}g} {names[j]}" for j in heaviest)])
