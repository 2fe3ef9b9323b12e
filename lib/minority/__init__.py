"""Minority Reports: five papers on learning from imbalanced data, reproduced.

The estimators are here (``from minority import FastBoxesClassifier``); the rest is in
:mod:`minority.datasets` (data sets by name), :mod:`minority.experiments` (from a plan to rows),
:mod:`minority.report` (tables, figures, claims) and :mod:`minority.papers` (the five protocols).
Names are imported when first used, so that ``import minority`` stays quick.
"""

import importlib

__version__ = "0.1.0"

_WHERE = {
    "AdaCostClassifier": "minority.svm",
    "BaggedTreesClassifier": "minority.trees",
    "BoostingSVMClassifier": "minority.svm",
    "C45Classifier": "minority.trees",
    "ChiMerge": "minority.rules",
    "CostProportionateClassifier": "minority.costs",
    "CostThresholdClassifier": "minority.costs",
    "DAMVIClassifier": "minority.ensembles",
    "DataBoostIMClassifier": "minority.svm",
    "ExactBoxesClassifier": "minority.boxes",
    "FastBoxesClassifier": "minority.boxes",
    "HellingerTreeClassifier": "minority.trees",
    "MetaCostClassifier": "minority.costs",
    "PercentSampler": "minority.sampling",
    "PercentSMOTE": "minority.sampling",
    "PercentUnderSampler": "minority.sampling",
    "PRIMClassifier": "minority.rules",
    "RIPPERClassifier": "minority.rules",
    "RLSDClassifier": "minority.rules",
    "SamplingWrapperClassifier": "minority.sampling",
    "SMOTEBoostClassifier": "minority.svm",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str):
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'minority' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_WHERE])
