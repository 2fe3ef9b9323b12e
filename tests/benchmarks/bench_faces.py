"""Where the faces of proven best boxes stop: test AUH and G-mean of each choice.

    python tests/benchmarks/bench_faces.py [--sets glass4 ...] [--boxes 1] [--seconds 10]

The boxes of each fold are solved for once (box_cost 0.1, stratified 5 folds) and their faces placed
in each way. "exact" is the largest box by branch and bound, box by box: the greatest sum of
distances that faces move, in scaled units; "fewest" the one with the fewest faces, and among these
the largest. Where the branch and bound does not finish within its nodes it is the best found. AUH
is over c = 0.1, 0.2, ..., 1, G-mean is that of c = positives / negatives, and "conditions" counts
the faces of the latter. "room" is the sum of distances of "largest" over that of "exact", "open"
the share of boxes that are not proven largest.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from available import load_available
from sklearn.model_selection import StratifiedKFold

from minority.boxes import BoxSet, exact_boxes_path
from minority.boxes._boxset import covers_union
from minority.boxes._faces import grow_faces
from minority.metrics import area_under_hull
from minority_reports.experiments import Fold, numeric_parts

sys.path.insert(0, str(Path(__file__).parents[1] / "minority" / "boxes"))
from largest import largest_faces, room

SETS = ["glass2", "glass4", "glass5", "ecoli3", "ecoli4", "yeast-2_vs_8", "new-thyroid1"]
SETS += ["winequality-red-8_vs_6", "cleveland-0_vs_4", "abalone-21_vs_8", "vowel0", "yeast6"]
FACES = ("tight", "midgap", "expand", "largest")
PER_FACE = {"exact": 0.0, "fewest": 1000.0}
WEIGHTS = [round(0.1 * i, 1) for i in range(1, 11)]


def exactly_largest(model, X, positive, per_face, rooms):
    tight = model.with_faces("tight", X, positive)
    rows = np.flatnonzero(~positive & ~covers_union(X, tight.lower, tight.upper))
    grown = grow_faces(X, ~positive, tight.lower, tight.upper, model._unit)
    boxes = []
    for low, high, *greedy in zip(tight.lower, tight.upper, *grown, strict=True):
        faces, greedy = np.hstack([low, -high]), np.hstack([greedy[0], -greedy[1]])
        box, most, proven = largest_faces(X, rows, faces, model._unit, per_face=per_face)
        if not per_face:
            rooms.append((room(X, rows, faces, greedy, model._unit), most, proven))
        boxes.append(box)
    lower, upper = np.split(np.reshape(boxes, (len(boxes), 2 * X.shape[1])), 2, axis=1)
    return BoxSet(lower, -upper)


def rates(boxes, X, positive):
    covered = boxes.covers(X)
    return covered[~positive].mean(), covered[positive].mean()


def fold_scores(X, positive, train, test, parameters, rooms):
    def fit(weights):
        return exact_boxes_path(X[train], positive[train], majority_weights=weights, **parameters)

    def place(model, faces):
        if faces in PER_FACE:
            return exactly_largest(model, X[train], positive[train], PER_FACE[faces], rooms)
        return model.with_faces(faces, X[train], positive[train])

    path = fit(WEIGHTS)
    (balanced,) = fit([positive[train].sum() / (~positive[train]).sum()])
    scores = {}
    for faces in (*FACES, *PER_FACE):
        points = [rates(place(model, faces), X[test], positive[test]) for model in path]
        boxes = place(balanced, faces)
        fpr, tpr = rates(boxes, X[test], positive[test])
        scores[f"AUH {faces}"] = area_under_hull(*np.transpose(points))
        scores[f"G-mean {faces}"] = np.sqrt(tpr * (1 - fpr))
        scores[f"conditions {faces}"] = np.isfinite([boxes.lower, boxes.upper]).sum()
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--boxes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    args = parser.parse_args()
    parameters = {"max_boxes": args.boxes, "time_limit": args.seconds, "random_state": 0}
    means = {}
    for name, data in load_available(args.sets):
        fold = Fold(data.X, data.y, data.X, data.y, settings=(), random_state=0)
        X, y, *_ = numeric_parts(fold)
        X, positive = np.asarray(X, dtype=float), np.asarray(y) == 1
        folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, positive)
        rooms = []
        scores = [fold_scores(X, positive, *fold, parameters, rooms) for fold in folds]
        means[name] = pd.DataFrame(scores).mean()
        greedy, exact, proven = np.transpose(rooms)
        means[name]["room"] = (greedy / exact).mean()
        means[name]["open"] = 1 - proven.mean()
        print(f"{name} {len(X)} x {X.shape[1]}", flush=True)
    frame = pd.DataFrame(means).T
    frame.loc["mean"] = frame.mean()
    for kind in ("AUH", "G-mean", "conditions", "room|open"):
        print(frame.filter(regex=kind).round(3).to_string(), end="\n\n")


if __name__ == "__main__":
    main()
