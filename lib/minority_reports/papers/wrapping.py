"""What classifiers of the protocols share that prepare something and then fit another one."""

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if


def _as(method: str):
    """Available if the fitted classifier has a method of that name."""
    return available_if(lambda self: hasattr(self.model_, method))


class FitsAnother(ClassifierMixin, BaseEstimator):
    """A classifier whose `fit` leaves another one in `model_` and that predicts as that does."""

    @property
    def classes_(self):
        """The class labels."""
        return self.model_.classes_

    def predict(self, X):
        """The classes of rows."""
        return self.model_.predict(X)

    @_as("predict_proba")
    def predict_proba(self, X):
        """Probabilities of the classes."""
        return self.model_.predict_proba(X)

    @_as("decision_function")
    def decision_function(self, X):
        """How positive rows are."""
        return self.model_.decision_function(X)
