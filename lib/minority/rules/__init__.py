"""Classifiers that describe the minority class by rules, and the rules themselves."""

from minority._condition import Interval, NoneOf, OneOf, OrMissing
from minority.rules._chimerge import ChiMerge
from minority.rules._ripper import RIPPERClassifier
from minority.rules._rlsd import RLSDClassifier
from minority.rules._rule import Rule, RuleSet

__all__ = [
    "ChiMerge",
    "Interval",
    "NoneOf",
    "OneOf",
    "OrMissing",
    "RIPPERClassifier",
    "RLSDClassifier",
    "Rule",
    "RuleSet",
]
