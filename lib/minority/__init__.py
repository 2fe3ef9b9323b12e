"""Estimators for imbalanced data: boxes, rules, trees, ensembles, sampling and costs.

They follow scikit-learn's conventions and are imported from here (``from minority import
FastBoxesClassifier``) when first used, so that ``import minority`` stays quick.
"""

import importlib

__version__ = "0.1.0"

_WHERE = {
    "AdaCostClassifier": "minority.ensembles",
    "BaggedTreesClassifier": "minority.trees",
    "BoostingSVMClassifier": "minority.ensembles",
    "C45Classifier": "minority.trees",
    "ChiMerge": "minority.rules",
    "CostProportionateClassifier": "minority.costs",
    "CostThresholdClassifier": "minority.costs",
    "DAMVIClassifier": "minority.ensembles",
    "DataBoostIMClassifier": "minority.ensembles",
    "ExactBoxesClassifier": "minority.boxes",
    "ExactBoxesClassifierCV": "minority.boxes",
    "FastBoxesClassifier": "minority.boxes",
    "FastBoxesClassifierCV": "minority.boxes",
    "HellingerTreeClassifier": "minority.trees",
    "MetaCostClassifier": "minority.costs",
    "PercentSampler": "minority.sampling",
    "PercentSMOTE": "minority.sampling",
    "PercentUnderSampler": "minority.sampling",
    "PRIMClassifier": "minority.boxes",
    "RIPPERClassifier": "minority.rules",
    "RLSDClassifier": "minority.rules",
    "SamplingWrapperClassifier": "minority.sampling",
    "SMOTEBoostClassifier": "minority.ensembles",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str):
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'minority' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_WHERE])
