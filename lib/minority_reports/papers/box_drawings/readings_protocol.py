"""Rows for other readings of Box Drawings: what the paper leaves open, set otherwise.

The folds are those of Tables 4 and 5, and so are the random numbers. A solve ends with a proof or
after so many nodes, never after a time that a machine could miss, but for the released objective,
which HiGHS solves.
"""

from dataclasses import replace

import numpy as np

from minority.boxes import ExactBoxesClassifier
from minority_reports.experiments import Experiment, Method, by_short_name, stratified_folds
from minority_reports.papers.box_drawings.protocol import (
    ALL_FACES,
    BY_WEIGHT,
    SMALL,
    TABLE4,
    TABLE5,
    ExactBoxes,
    exact_measures,
    path_auh,
    weight_setting,
)
from minority_reports.papers.box_drawings.steps import LIMITS
from minority_reports.papers.fixed import fixed

#: Weights of the majority class below the paper's range: the smallest balances 1,000 negatives per
#: positive.
BELOW = tuple(map(weight_setting, (0.001, 0.003, 0.01, 0.03)))
#: Among these the margin is chosen.
MARGINS = (0.0, 0.02, 0.05, 0.1)
#: As in the released code, which has one box for a start and this margin.
SIZE_REWARD, RELEASED_MARGIN = 0.01, 0.05
#: Seconds for a solve of the released objective.
HIGHS_LIMIT = 60.0
#: How faces are called that the solver placed itself.
SOLVED = "solved"


class MarginByCV(ExactBoxes):
    """Exact Boxes with the margin of the highest mean AUH in 3-fold inner cross-validation.

    It is chosen for each way to place the faces by itself; equal margins go to the smaller.
    """

    def draw(self, X, positive, weights, max_boxes, given):
        """Choose the margins, and solve with each that was chosen."""
        solved = {}
        chosen = self.choose(X, positive, weights, max_boxes, given)
        for margin in set(chosen.values()):
            solved[margin] = self.solve(X, positive, weights, max_boxes, given, margin)
        drawn = {f: self.placed(solved[m], f, X, positive) for f, m in chosen.items()}
        return chosen["midgap"], solved[chosen["midgap"]], drawn

    def choose(self, X, positive, weights, max_boxes, given) -> dict[str, float]:
        """The best margin for each way to place the faces."""
        scores = {faces: np.zeros(len(MARGINS)) for faces in self.faces}
        for train, test in stratified_folds(positive, 3, given["random_state"]):
            for i, margin in enumerate(MARGINS):
                inner = X[train], positive[train]
                path = self.solve(*inner, weights, max_boxes, given, margin)
                for faces, score in scores.items():
                    drawn = self.placed(path, faces, *inner)
                    score[i] += path_auh(drawn, X[test], positive[test])
        return {faces: MARGINS[np.argmax(score.round(9))] for faces, score in scores.items()}


class Released(ExactBoxes):
    """One box by the objective of the released code, which rewards the sides of a box."""

    def solve(self, X, positive, weights, max_boxes, given, margin):
        """Solve every weight by itself, with HiGHS."""
        given = given | {"max_boxes": max_boxes, "box_cost": SIZE_REWARD, "margin": margin}
        program = {"solver": "highs", "penalty": "size", "pos_label": True}
        return [
            fixed(ExactBoxesClassifier, majority_weight=w, **program, **given).fit(X, positive)
            for w in weights
        ]

    def placed(self, path, faces, X, positive):
        """The boxes as they were solved."""
        return [model.boxes_ for model in path]


def _variants() -> dict[str, Method]:
    """What Table 4 and `BY_FACES` do not have: other numbers of boxes, and margins by CV."""
    found = {}
    for k in (1, 2, None):
        given = {"faces": ALL_FACES, "max_boxes": k, "limits": LIMITS}
        runs = {"cv": MarginByCV(**given)}
        if k is not None:
            runs = {"": ExactBoxes(**given), "0.05": ExactBoxes(0.05, **given), **runs}
        for margin, run in runs.items():
            levels = [f"margin={margin}"] if margin else []
            levels += [f"boxes={k}"] if k else []
            found[f"exact-boxes:{','.join(levels)}"] = Method(
                f"Exact Boxes, {', '.join(levels)}",
                run,
                about=f"{'K by CV' if k is None else f'K = {k}'}, margin "
                f"{'by CV' if margin == 'cv' else margin or '0'}; faces placed in four ways",
            )
    return found


#: Table 4 with other margins, numbers of boxes and the released objective, for the paper's weights
#: and those below. Faces and the range of the weights differ in columns and settings, since one
#: solve serves all of them.
TABLE4_VARIANTS = Experiment(
    name="box_drawings-readings-table4",
    datasets=SMALL,
    methods={
        **_variants(),
        "exact-boxes:faces=solved,margin=0.05,objective=size,boxes=1": Method(
            "Exact Boxes, released objective",
            Released(RELEASED_MARGIN, (SOLVED,), max_boxes=1, limits={"time_limit": HIGHS_LIMIT}),
            about=f"sides of the box earn {SIZE_REWARD:g} a unit in place of c_E; margin "
            f"{RELEASED_MARGIN:g}, K = 1, HiGHS, {HIGHS_LIMIT:g} s a solve",
        ),
    },
    settings=BELOW + BY_WEIGHT,
    measures=exact_measures((*ALL_FACES, SOLVED)),
    interval=("objective", "bound"),
    paired=(TABLE4.name, "exact-boxes"),
)

#: The weights below the paper's for the methods of `BY_FACES`.
TABLE4_BELOW = Experiment(
    name="box_drawings-readings-table4-below",
    datasets=SMALL,
    methods={
        "exact-boxes": Method(
            "Exact Boxes", ExactBoxes(faces=ALL_FACES, limits=LIMITS), about="K by CV, margin 0"
        ),
        "exact-boxes:margin=0.05": Method(
            "Exact Boxes, margin=0.05",
            ExactBoxes(0.05, ALL_FACES, limits=LIMITS),
            about="K by CV, margin 0.05",
        ),
    },
    settings=BELOW,
    measures=exact_measures(ALL_FACES),
    quick=("glass4",),
    interval=("objective", "bound"),
    paired=(TABLE4.name, "exact-boxes"),
)

#: The weights below the paper's for all methods of Table 5, whose models for the others are there.
TABLE5_BELOW = replace(
    TABLE5,
    name="box_drawings-readings-table5-below",
    settings=BELOW,
    quick=("glass4",),
    adapt=None,
    any_dataset=False,
    paired=(TABLE5.name, None),
)

BY_READING = by_short_name(TABLE4_VARIANTS, TABLE4_BELOW, TABLE5_BELOW)
