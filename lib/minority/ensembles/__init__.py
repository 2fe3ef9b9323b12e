"""Votes of many classifiers, weighted for the minority class."""

from minority.ensembles._cbound import VoteWeights, weigh_votes
from minority.ensembles._damvi import DAMVIClassifier
from minority.ensembles._pseudo_labels import pseudo_labels

__all__ = ["DAMVIClassifier", "VoteWeights", "pseudo_labels", "weigh_votes"]
