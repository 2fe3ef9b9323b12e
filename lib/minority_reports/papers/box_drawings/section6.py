"""Section 6: two ways to larger data that the paper proposes and does not try.

A program for the negatives near the positives starts the one for all examples; or each cluster of
positives has a program of its own. Both are measured with our search in place of the program,
beside the search for all examples at once, on the folds of Table 4 and with its numbers of boxes.
"""

import time

import numpy as np

from minority.boxes import ExactBoxesClassifier
from minority.boxes._exact_solve import neighbourhood
from minority_reports.experiments import (
    Experiment,
    Fold,
    Method,
    confusion_counts,
    numeric_parts,
    with_random_state,
)
from minority_reports.papers.box_drawings.protocol import (
    BOX_COST,
    BY_WEIGHT,
    SMALL,
    TABLE4,
    fast_boxes,
    weight_of,
)
from minority_reports.papers.box_drawings.steps import LIMITS
from minority_reports.papers.fixed import fixed


class Solves:
    """Exact Boxes for every weight by itself, with the seconds of all of them."""

    def __init__(self, **way):
        self.estimator = fixed(
            ExactBoxesClassifier, **LIMITS, box_cost=BOX_COST, pos_label=1, **way
        )

    def __call__(self, fold: Fold) -> dict:
        X_train, y_train, X_test, y_test = numeric_parts(fold)
        X, positive = X_train.to_numpy(), y_train == 1
        k, *_ = fast_boxes(X, positive, fold.random_state)
        kept = self._kept(X, positive)
        measured = {}
        for setting in fold.settings:
            given = {"max_boxes": k, "majority_weight": weight_of(setting)}
            model = with_random_state(self.estimator, fold.random_state, **given)
            began = time.process_time()
            model.fit(X_train, y_train)
            seconds = time.process_time() - began
            measured[setting] = confusion_counts(y_test, model.predict(X_test)) | {
                "max_boxes": k,
                "kept": kept,
                "objective": round(model.objective_, 6),
                "bound": round(model.bound_, 6),
                "solve_s": round(seconds, 4),
                "status": "time limit" if model.status_ == "time_limit" else "ok",
            }
        return measured

    def _kept(self, X, positive) -> float:
        """The share of the negatives that the first of two solves sees, or the only one."""
        given = self.estimator.get_params()
        if given["decomposition"] != "neighbourhood":
            return 1.0
        span = np.ptp(X, axis=0)
        unit = np.where(span > 0, span, 2) / 2
        near = neighbourhood(X, positive, unit, given["n_neighbors"], given["closeness"])
        return float(near[~positive].mean())


SECTION6 = Experiment(
    name="box_drawings-section6",
    datasets=SMALL,
    methods={
        "whole": Method("All at once", Solves(), about="no decomposition"),
        "near": Method(
            "Near negatives first",
            Solves(decomposition="neighbourhood"),
            about="the 10 negatives nearest to each positive, then all examples from there",
        ),
        "near-one-feature": Method(
            "Near in one feature first",
            Solves(decomposition="neighbourhood", closeness="one_feature", n_neighbors=1),
            about="as the paper has it: negatives that are nearest to a positive in at least one "
            "feature, then all examples from there",
        ),
        "clusters": Method(
            "Cluster by cluster",
            Solves(decomposition="clusters"),
            about="a box for each of K clusters of positives, with all negatives",
        ),
    },
    settings=BY_WEIGHT,
    measures=("tp", "fp", "fn", "tn", "max_boxes", "kept", "objective", "bound"),
    costs=("solve_s",),
    quick=("glass4",),
    interval=("objective", "bound"),
    paired=(TABLE4.name, "exact-boxes"),
)
