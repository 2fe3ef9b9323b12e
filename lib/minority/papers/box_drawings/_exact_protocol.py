"""Box Drawings, Table 4: Exact Boxes with the number of boxes that Fast Boxes chose.

Protocol of the paper (section 4.5): the number of boxes K is the one that Fast Boxes' inner cross
validation found, and the solver is stopped after a time. The paper's eight data sets are not known
any more. All weights of a fold are solved in turn, each from the boxes of those before.
"""

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


def training_objective(boxes: BoxSet, X, positive, weight: float) -> float:
    """The objective of Exact Boxes for any boxes."""
    covered = boxes.covers(X)
    right = (covered & positive).sum() + weight * (~covered & ~positive).sum()
    return float(right - BOX_COST * len(boxes))


def exact_boxes(fold: Fold) -> dict:
    """Solve every weight; count hits and false alarms for the three ways to place the faces."""
    X_train, y_train, X_test, y_test = numeric_parts(fold)
    X_train, X_test = X_train.to_numpy(), X_test.to_numpy()
    positive, test_positive = y_train == 1, y_test == 1
    shared = {"majority_weights": WEIGHTS, "random_state": fold.random_state}
    n_clusters, expansion, _ = select_fast_boxes(X_train, positive, **shared)
    fast = fast_boxes_path(X_train, positive, n_clusters=n_clusters, expansion=expansion, **shared)
    limit = fold.time_limit or TIME_LIMIT
    path = exact_boxes_path(
        X_train,
        positive,
        max_boxes=n_clusters,
        box_cost=BOX_COST,
        time_limit=limit,
        **shared,
    )
    measured = {}
    for weight, approximate, model in zip(WEIGHTS, fast, path, strict=True):
        boxes = {faces: model.with_faces(faces, X_train, positive) for faces in FACES}
        row = {
            "positives": int(test_positive.sum()),
            "negatives": int((~test_positive).sum()),
            "max_boxes": n_clusters,
            "size": len(model.boxes_),
            "objective": round(model.objective_, 6),
            "bound": round(model.bound_, 6),
            "fast_objective": round(training_objective(approximate, X_train, positive, weight), 6),
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
            exact_boxes,
            about=f"at most K boxes, K by Fast Boxes' inner CV; c_E = {BOX_COST:g}, margin 0, "
            f"{TIME_LIMIT:g} s a solve",
        )
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
