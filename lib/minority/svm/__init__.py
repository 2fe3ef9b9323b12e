"""Boosted support vector machines for imbalanced data, and the boosting methods next to them."""

from minority.svm._adacost import AdaCostClassifier
from minority.svm._boosting_svm import BoostingSVMClassifier
from minority.svm._databoost import DataBoostIMClassifier
from minority.svm._smote_boost import SMOTEBoostClassifier
from minority.svm._solver import linear_svm

__all__ = [
    "AdaCostClassifier",
    "BoostingSVMClassifier",
    "DataBoostIMClassifier",
    "SMOTEBoostClassifier",
    "linear_svm",
]
