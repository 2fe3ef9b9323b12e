"""Votes of many classifiers for imbalanced data: DAMVI, boosted SVMs and other boosting methods."""

from minority.ensembles._adacost import AdaCostClassifier
from minority.ensembles._boosting_svm import BoostingSVMClassifier
from minority.ensembles._cbound import VoteWeights, weigh_votes
from minority.ensembles._damvi import DAMVIClassifier
from minority.ensembles._databoost import DataBoostIMClassifier
from minority.ensembles._pseudo_labels import pseudo_labels
from minority.ensembles._smote_boost import SMOTEBoostClassifier
from minority.ensembles._svm import linear_svm

__all__ = [
    "AdaCostClassifier",
    "BoostingSVMClassifier",
    "DAMVIClassifier",
    "DataBoostIMClassifier",
    "SMOTEBoostClassifier",
    "VoteWeights",
    "linear_svm",
    "pseudo_labels",
    "weigh_votes",
]
