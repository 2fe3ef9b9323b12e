"""Box Drawings, Table 4: Exact Boxes with the number of boxes that Fast Boxes chose.

Protocol of the paper (section 4.5): the number of boxes K is the one that Fast Boxes' inner cross
validation found, and the solver is stopped after a time. The paper's eight data sets are not known
any more. All weights of a fold are solved in turn, each from the boxes of those before.
"""

import numpy as np

from minority.boxes import BoxSet, exact_boxes_path, fast_boxes_path, select_fast_boxes
from minority.experiments import Experiment, Fold, Method, numeric_parts
from minority.papers.box_drawings._rivals import WEIGHTS, weight_setting

#: Real sets with at most 100 positives, small ones first, and the two diamonds.
SMALL = (
    "glass2",
    "glass4",
    "ecoli4",
    "yeast-2_vs_8",
    "glass-0-1-6_vs_2",
    "glass6",
    "new-thyroid1",
    "iris0",
    "diamond3D",
    "boxdraw_diamond3D",
    "ecoli3",
    "yeast6",
    "page-blocks-1-3_vs_4",
    "vowel0",
    "abalone9-18",
    "haberman",
)
BOX_COST = 0.1
TIME_LIMIT = 60.0
FACES = ("tight", "midgap", "expand")


def training_objective(boxes: BoxSet, X, positive, weight: float, margin) -> float:
    """The objective of Exact Boxes for any boxes; `margin` in the units of the features."""
    inside = BoxSet(boxes.lower + margin, boxes.upper - margin).covers(X)
    near = BoxSet(boxes.lower - margin, boxes.upper + margin).covers(X)
    right = (inside & positive).sum() + weight * (~near & ~positive).sum()
    return float(right - BOX_COST * len(boxes))


class ExactBoxes:
    """Solve every weight; count hits and false alarms for the three ways to place the faces."""

    def __init__(self, margin: float = 0.0):
        self.margin = margin

    def __call__(self, fold: Fold) -> dict:
        X_train, y_train, X_test, y_test = numeric_parts(fold)
        X_train, X_test = X_train.to_numpy(), X_test.to_numpy()
        positive, test_positive = y_train == 1, y_test == 1
        shared = {"majority_weights": WEIGHTS, "random_state": fold.random_state}
        k, expansion, _ = select_fast_boxes(X_train, positive, **shared)
        fast = fast_boxes_path(X_train, positive, n_clusters=k, expansion=expansion, **shared)
        limit = fold.time_limit or TIME_LIMIT
        solving = {"max_boxes": k, "box_cost": BOX_COST, "margin": self.margin}
        path = exact_boxes_path(X_train, positive, time_limit=limit, **solving, **shared)
        margin = self.margin * np.ptp(X_train, axis=0) / 2
        measured = {}
        for weight, approximate, model in zip(WEIGHTS, fast, path, strict=True):
            boxes = {faces: model.with_faces(faces, X_train, positive) for faces in FACES}
            theirs = training_objective(approximate, X_train, positive, weight, margin)
            row = {
                "positives": int(test_positive.sum()),
                "negatives": int((~test_positive).sum()),
                "max_boxes": k,
                "size": len(model.boxes_),
                "objective": round(model.objective_, 6),
                "bound": round(model.bound_, 6),
                "fast_objective": round(theirs, 6),
                "time_limit": limit,
                "status": "ok" if model.status_ == "optimal" else "time limit",
            }
            for name, drawing in (boxes | {"fast": approximate}).items():
                covered = drawing.covers(X_test)
                row[f"tp_{name}"] = int((covered & test_positive).sum())
                row[f"fp_{name}"] = int((covered & ~test_positive).sum())
            measured[weight_setting(weight)] = row
        return measured


TABLE4 = Experiment(
    name="box_drawings-table4",
    datasets=SMALL,
    methods={
        "exact-boxes": Method(
            "Exact Boxes",
            ExactBoxes(),
            version=2,
            about=f"at most K boxes, K by Fast Boxes' inner CV; c_E = {BOX_COST:g}, margin 0, "
            f"{TIME_LIMIT:g} s a solve",
        ),
        "exact-boxes-margin": Method(
            "Exact Boxes with a margin",
            ExactBoxes(margin=0.05),
            version=2,
            about="the same with the margin of the released code, 0.05, on scaled features; added "
            "after the results without a margin had been seen",
        ),
    },
    settings=tuple(map(weight_setting, WEIGHTS)),
    measures=(
        "positives",
        "negatives",
        *(f"{count}_{name}" for name in (*FACES, "fast") for count in ("tp", "fp")),
        "max_boxes",
        "size",
        "objective",
        "bound",
        "fast_objective",
        "time_limit",
    ),
    quick=("glass2", "iris0"),
    any_dataset=True,
    interval=("objective", "bound"),
)
