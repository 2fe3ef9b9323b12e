"""Table 4 of Box Drawings and what else Exact Boxes shows, from result rows."""

import pandas as pd

from minority.experiments import Results
from minority.metrics import area_under_hull
from minority.papers.box_drawings._exact_protocol import FACES
from minority.papers.box_drawings._tables import auh_by_fold, best_methods, fold_matrix
from minority.report import Table, show
from minority.statistics import corrected_interval

#: The way to place faces that claims are judged by: the classifier's default.
STATED_FACES = "midgap"
PLAIN, WITH_MARGIN = "exact-boxes", "exact-boxes-margin"
_FOLD = ["dataset", "repeat", "fold"]
LABELS = {
    "tight": "Exact, tight faces",
    "midgap": "Exact, faces in mid-gap",
    "expand": "Exact, expanded faces",
    "margin": "Exact, margin 0.05",
    "fast": "Fast Boxes, same K",
}


def exact_auh(results: Results, method: str = PLAIN) -> pd.DataFrame:
    """AUH of every fold whose ten weights are there: folds x (three ways to place faces, Fast)."""
    return results.once(_exact_auh, method)


def _exact_auh(results, method):
    rows = results.rows[results.rows["method"] == method]
    groups = rows.groupby(_FOLD, sort=False)
    complete = groups["size"].transform("size") == len(results.experiment.settings)
    found = {}
    for key, points in rows[complete].groupby(_FOLD, sort=False):
        found[key] = {
            name: area_under_hull(
                points[f"fp_{name}"] / points["negatives"],
                points[f"tp_{name}"] / points["positives"],
            )
            for name in (*FACES, "fast")
        }
    index = pd.MultiIndex.from_tuples(list(found), names=_FOLD)
    return pd.DataFrame(list(found.values()), index=index, columns=[*FACES, "fast"])


def table4(exact: Results, others: Results, methods, alpha: float = 0.05) -> Table:
    """AUH of Exact Boxes with both ends of its faces, beside the methods of Table 5."""
    ours = exact_auh(exact)[list(FACES)]
    ours = ours.join(exact_auh(exact, WITH_MARGIN)[STATED_FACES].rename("margin"))
    theirs = fold_matrix(auh_by_fold(others))
    methods = [m for m in methods if m in theirs]
    matrix = ours.dropna(axis=1, how="all").join(theirs[methods], how="inner")
    by_set = matrix.groupby(level="dataset", sort=False)
    labels = LABELS | {m: others.experiment.methods[m].label for m in methods}
    mean, spread = by_set.mean(), by_set.std()
    bold = pd.DataFrame({name: best_methods(folds, alpha) for name, folds in by_set}).T

    def arranged(frame):
        frame = frame.reindex(index=mean.index, columns=matrix.columns)
        return frame.rename(columns=labels).rename_axis(index="data set", columns=None)

    proven = (exact.rows["status"] == "ok").sum()
    return show(
        arranged(mean),
        spread=arranged(spread),
        bold=arranged(bold),
        digits=2,
        caption=(
            f"Table 4: AUH of Exact Boxes, mean ± sd over folds ({exact.coverage()}; "
            f"{proven:,} of {len(exact.rows):,} solves proven optimal). Bold: not different from "
            f"the best of the row by a matched-pairs sign test at {alpha:g}. Published values are "
            "lost."
        ),
    )


def proofs(results: Results, method: str = PLAIN) -> pd.DataFrame:
    """How many solves of each data set are proven, the worst gap, and the gain over Fast Boxes."""
    rows = results.rows[results.rows["method"] == method]
    relative_gap = (rows["bound"] - rows["objective"]) / rows["objective"].abs()
    gain = rows["objective"] - rows["fast_objective"]
    groups = rows.assign(proven=rows["status"] == "ok", gap=100 * relative_gap, gain=gain).groupby(
        "dataset", sort=False
    )
    auh = exact_auh(results, method)
    share = 1 / results.experiment.folds
    difference = {
        name: corrected_interval(folds[STATED_FACES] - folds["fast"], test_share=share)
        for name, folds in auh.groupby(level="dataset", sort=False)
    }
    frame = pd.DataFrame(
        {
            "proven": groups["proven"].sum().astype(int),
            "of": groups.size(),
            "worst gap, %": groups["gap"].max(),
            "K": groups["max_boxes"].median(),
            "boxes used": groups["size"].mean(),
            "training objective, gain": groups["gain"].mean(),
        }
    )
    test = pd.DataFrame.from_dict(
        difference, orient="index", columns=["test AUH, gain", "low", "high"]
    )
    return frame.join(test).rename_axis("data set")


def summary_of_exact(results: Results) -> str:
    """What the proofs say about Fast Boxes, in a few lines."""
    lines = []
    for method in (PLAIN, WITH_MARGIN):
        rows, table = results.rows[results.rows["method"] == method], proofs(results, method)
        if rows.empty:
            continue
        proven = rows["status"] == "ok"
        gap = ((rows["bound"] - rows["objective"]) / rows["objective"].abs()).max()
        short = rows["objective"] - rows["fast_objective"]
        gain = table["test AUH, gain"]
        above, below = (table["low"] > 0).sum(), (table["high"] < 0).sum()
        lines += [
            f"{results.experiment.methods[method].label}: {proven.sum():,} of {len(rows):,} solves "
            f"proven optimal, worst gap {100 * gap:.2f} %.",
            f"  Training: Fast Boxes is below the optimum in {(short > 1e-9).sum():,} solves, by "
            f"{short.mean():.1f} positives on average and {short.max():.1f} at most.",
            f"  Test AUH (faces in mid-gap) less that of Fast Boxes: {gain.mean():+.3f} on average "
            f"over {len(table)} data sets, from {gain.min():+.3f} to {gain.max():+.3f}; the "
            f"interval is above 0 on {above} and below 0 on {below}.",
        ]
    return "\n".join(lines) or "No rows of this selection are stored."
