"""DAMVI with other base learners than trees, against equal weights of the same voters."""

from collections.abc import Callable

import numpy as np

from minority.ensembles import DAMVIClassifier
from minority.experiments import Fold, Method
from minority.papers.damvi._rivals import BAG_SHARE, N_LEARNERS, arrays, score_measures

WEIGHTS = ("weights=damvi", "weights=uniform")


class Voters:
    """100 classifiers on bootstraps of 20 % of the rows; ``make()`` returns an unfitted one."""

    def __init__(self, make: Callable):
        self.make = make

    def __call__(self, fold: Fold) -> dict:
        X_train, y_train, X_test, y_test = arrays(fold)
        model = DAMVIClassifier(
            self.make(),
            n_estimators=N_LEARNERS,
            max_samples=BAG_SHARE,
            n_jobs=1,
            random_state=fold.random_state,
        ).fit(X_train, y_train)
        votes = [2 * voter.predict(X_test) - 1 for voter in model.voters_]
        bound = {
            "n_voters": int(np.count_nonzero(model.weights_)),
            "c_bound": model.c_bound_,
            "gibbs_risk": model.gibbs_risk_,
            "disagreement": model.disagreement_,
        }
        return {
            "weights=damvi": score_measures(y_test, model.decision_function(X_test)) | bound,
            "weights=uniform": score_measures(y_test, np.mean(votes, axis=0).round(12)),
        }


def _tree(max_depth=None):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=max_depth)


def _shallow_tree():
    return _tree(3)


def _stump():
    return _tree(1)


def _logistic_regression():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _naive_bayes():
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


LEARNERS = {
    "tree": Method("Tree", Voters(_tree), about="scikit-learn's, unpruned"),
    "shallow-tree": Method("Tree of depth 3", Voters(_shallow_tree), about="at most 8 leaves"),
    "stump": Method("Stump", Voters(_stump), about="one split"),
    "logistic-regression": Method(
        "Logistic regression",
        Voters(_logistic_regression),
        about="features standardised on each bootstrap, C = 1",
    ),
    "naive-bayes": Method("Naive Bayes", Voters(_naive_bayes), about="Gaussian"),
}
