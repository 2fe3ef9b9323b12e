"""What is varied around the main comparison: components, kernels, steps, costs, imbalance."""

from dataclasses import replace

import numpy as np

from minority.experiments import Fold, Method, derive_seed
from minority.papers.boosting_svm._rivals import (
    DELTAS,
    Boosted,
    Trained,
    boosting_rivals,
    boosting_svm,
    class_measures,
    parts_of,
    prediction_measures,
)
from minority.svm import linear_svm
from minority.trees import C45Classifier

#: I, II and IV on the learner that DataBoost-IM's paper boosts.
WITH_TREES = boosting_rivals(C45Classifier(), "-tree", "C4.5")

#: All machines that were chosen, or only the first of them.
BOOSTING = ("machines=chosen", "machines=first")
STEPS = {f"delta={delta:g}": delta for delta in DELTAS}
#: C+/C- as a multiple of n-/n+.
RATIOS = {f"ratio={ratio:g}": ratio for ratio in (0.1, 0.3, 1, 3, 10)}
#: Per cent of the positives that training keeps.
KEPT = {f"kept={per_cent}%": per_cent for per_cent in (100, 50, 25, 10)}

STEP_MEASURES = (
    *("first_g_mean", "g_mean", "last_g_mean"),
    *("first_train_g_mean", "train_g_mean", "last_train_g_mean"),
    *("n_rounds", "n_all_rounds", "n_unconverged"),
)


class AgainstFirst:
    """Boosting-SVM, and its first machine alone: the same kernel on the same rows."""

    def __init__(self, boosted: Boosted):
        self.boosted = boosted

    def __call__(self, fold: Fold) -> dict:
        model, parts = self.boosted.fit(fold)
        alone = prediction_measures(model.estimators_[0], parts)
        rows = (self.boosted.measure(model, parts), alone)
        return dict(zip(BOOSTING, rows, strict=True))


def steps(fold: Fold) -> dict:
    """Boosting-SVM with one delta: G-means after the first, the chosen and the last round."""
    return {setting: _step_row(fold, STEPS[setting]) for setting in fold.settings}


def _step_row(fold, delta):
    model, parts = boosting_svm(delta=delta).fit(fold)
    row = {
        "n_rounds": model.n_rounds_,
        "n_all_rounds": len(model.alphas_),
        "n_unconverged": model.n_unconverged_,
    }
    for kind, X, y in (("", parts.X_test, parts.y_test), ("train_", parts.X, parts.y)):
        scores = [class_measures(y, predicted)["g_mean"] for predicted in model.staged_predict(X)]
        row[f"first_{kind}g_mean"] = scores[0]
        row[f"{kind}g_mean"] = scores[model.n_rounds_ - 1]
        row[f"last_{kind}g_mean"] = scores[-1]
    return row


class WithCosts:
    """One linear SVM of a loss, with the costs of the classes that each setting names."""

    def __init__(self, loss: str):
        self.loss = loss

    def __call__(self, fold: Fold) -> dict:
        parts = parts_of(fold)
        rows = {}
        for setting in fold.settings:
            n_positive = (parts.y == 1).sum()
            cost = RATIOS[setting] * (len(parts.y) - n_positive) / n_positive
            # the prices of all rows keep a mean of 1
            scale = len(parts.y) / (len(parts.y) - n_positive + cost * n_positive)
            svm = linear_svm(
                loss=self.loss,
                class_weight={0: scale, 1: scale * cost},
                random_state=fold.random_state,
            )
            rows[setting] = prediction_measures(svm.fit(parts.X, parts.y), parts)
        return rows


def thinned(fold: Fold, per_cent: float) -> Fold:
    """The fold with a part of its training positives, drawn so that fewer are among more."""
    rng = np.random.default_rng(derive_seed(fold.random_state, "kept"))
    positives = rng.permutation(np.flatnonzero(fold.y_train == 1))
    dropped = positives[max(1, round(len(positives) * per_cent / 100)) :]
    kept = np.setdiff1d(np.arange(len(fold.y_train)), dropped)
    X_train = fold.X_train.iloc[kept].reset_index(drop=True)
    return replace(fold, X_train=X_train, y_train=fold.y_train[kept])


class WithFewerPositives:
    """A method on training parts with fewer positives; the test part stays as it is."""

    def __init__(self, train):
        self.run = Trained(train)

    def __call__(self, fold: Fold) -> dict:
        rows = {}
        for setting in fold.settings:
            changed = replace(thinned(fold, KEPT[setting]), settings=("others=90%",))
            rows[setting] = self.run(changed)["others=90%"]
        return rows


def _svm(X, y, random_state):
    return linear_svm(random_state=random_state).fit(X, y)


def _tree(X, y, random_state):
    return C45Classifier().fit(X, y)


def _network(X, y, random_state):
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(max_iter=500, random_state=random_state).fit(X, y)


KERNELS = {
    "linear": Method(
        "linear, L1", AgainstFirst(boosting_svm()), about="Boosting-SVM as in the main tables"
    ),
    "squared-hinge": Method(
        "linear, L2", AgainstFirst(boosting_svm(loss="squared_hinge")), about="squared slacks"
    ),
    "rbf": Method(
        "RBF, L1",
        AgainstFirst(boosting_svm(kernel="rbf")),
        about="gamma is 1 / (number of features x their variance)",
    ),
    "poly": Method(
        "polynomial, L1",
        AgainstFirst(boosting_svm(kernel="poly")),
        about="degree 3, (gamma x.z + 1)^3, gamma as for RBF",
    ),
}

STEP_METHODS = {
    "b-svm": Method(
        "B-SVM",
        steps,
        about="the step that the setting names; the round by validation G-mean. With delta = 1 it "
        "is AdaBoost: weights are scaled to mean 1, so that raising those of errors is the same "
        "as lowering the others",
    )
}

COST_METHODS = {
    "l1": Method("L1 norm", WithCosts("hinge"), about="linear SVM, hinge loss, C = 1 on average"),
    "l2": Method("L2 norm", WithCosts("squared_hinge"), about="the same with squared slacks"),
}

IMBALANCE_METHODS = {
    "svm": Method("SVM", WithFewerPositives(_svm), about="linear, without costs, C = 1"),
    "c4.5": Method("C4.5", WithFewerPositives(_tree), about="pruned, without costs"),
    "network": Method(
        "Neural network",
        WithFewerPositives(_network),
        about="scikit-learn's, 100 hidden units, at most 500 epochs",
    ),
}
