"""Decision trees on columns that are sorted once: C4.5, Hellinger distance trees, bagged trees."""

from minority.trees._bagged import BaggedTreesClassifier
from minority.trees._c45 import C45Classifier
from minority.trees._hellinger import HellingerTreeClassifier
from minority.trees._text import parse_tree

__all__ = ["BaggedTreesClassifier", "C45Classifier", "HellingerTreeClassifier", "parse_tree"]
