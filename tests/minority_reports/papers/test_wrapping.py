"""A classifier that fits another one predicts as that does, and has no more methods."""

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from minority_reports.papers.wrapping import FitsAnother


class OnFirstColumn(FitsAnother):
    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.model_ = self.estimator.fit(X[:, :1], y)
        return self

    def predict(self, X):
        return super().predict(X[:, :1])


def test_a_classifier_that_fits_another_predicts_as_it_does():
    X, y = np.c_[np.arange(10.0), np.zeros(10)], np.repeat(["a", "b"], 5)
    tree = OnFirstColumn(DecisionTreeClassifier()).fit(X, y)
    assert tree.classes_.tolist() == ["a", "b"] and (tree.predict(X) == y).all()
    assert tree.predict_proba(X[:, :1])[0].tolist() == [1, 0]
    assert not hasattr(tree, "decision_function")
    machine = OnFirstColumn(LinearSVC()).fit(X, y)
    assert machine.decision_function(X[:, :1]).shape == (10,)
    assert not hasattr(machine, "predict_proba")
