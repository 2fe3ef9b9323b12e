"""Classifiers that describe the minority class by rules, and the rules themselves."""

from minority.rules._chimerge import ChiMerge
from minority.rules._condition import Interval, OneOf
from minority.rules._prim import PRIMClassifier
from minority.rules._ripper import RIPPERClassifier
from minority.rules._rlsd import RLSDClassifier
from minority.rules._rule import Rule, RuleSet

__all__ = [
    "ChiMerge",
    "Interval",
    "OneOf",
    "PRIMClassifier",
    "RIPPERClassifier",
    "RLSDClassifier",
    "Rule",
    "RuleSet",
]
