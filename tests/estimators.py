"""The public estimators, for the tests that all of them must pass."""

from minority.boxes import FastBoxesClassifier

# One quick instance of each estimator, and one per option that takes another way through the code.
FAST_INSTANCES = [
    FastBoxesClassifier(),
    FastBoxesClassifier(n_clusters=2, n_init=2, scaling="maxabs", expand=False, expansion=10),
]
