"""What scores on held-out rows are worth: lift, costs, thresholds.

Scores of different folds come from different models, so the rows of each fold are put in order
among themselves, and what is found in them is added up. Rows with equal scores are taken in random
order: what is counted is the expected number.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.papers.showdown.own.comparison import Comparison

#: Shares of the rows that may be inspected, those with the highest scores first.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
#: What a missed positive costs, where looking at a row in vain costs 1.
COSTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
#: Shares that are tried in choosing how much to inspect: finer where few rows are inspected.
GRID = np.unique(np.r_[0, np.geomspace(0.001, 1, 120), 1])


def found_by_share(y: np.ndarray, score: np.ndarray, shares) -> np.ndarray:
    """How many positives are among the shares of the rows with the highest scores, expected.

    >>> found_by_share(np.array([1, 0, 1, 0]), np.array([0.9, 0.1, 0.5, 0.5]), [0.25, 0.5, 1])
    array([1. , 1.5, 2. ])
    """
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(score[order]) != 0, True)) + 1
    hits = np.cumsum(y[order])[ends - 1]
    return np.interp(np.asarray(shares) * len(y), np.r_[0, ends], np.r_[0, hits])


def _by_fold(comparison: Comparison, method: str, setting: str) -> list[tuple]:
    """Repeat, target and score of each fold that is compared."""
    y = comparison.plan.data.y
    return [
        (round[0], y[comparison.plan.test_rows(*round)], kept.score)
        for round, kept in comparison.of(method, setting).items()
    ]


def inspection_curve(comparison: Comparison, method: str, setting: str, shares=GRID):
    """Share of the positives found by the share of the rows inspected, on held-out rows."""
    parts = _by_fold(comparison, method, setting)
    found = sum(found_by_share(y, score, shares) for _, y, score in parts)
    return pd.Series(found / sum(y.sum() for _, y, _ in parts), np.asarray(shares))


def lift_table(comparison: Comparison, method: str, setting: str) -> pd.DataFrame:
    """By the share of rows inspected: rows, positives found, precision and lift.

    Rows and positives are those that there would be in the whole table.
    """
    data = comparison.plan.data
    recall = inspection_curve(comparison, method, setting, SHARES).to_numpy()
    shares = np.array(SHARES)
    rows, found = shares * data.n, recall * data.positives
    frame = pd.DataFrame(
        {
            "rows inspected": np.rint(rows).astype(int),
            "positives found": np.rint(found).astype(int),
            "share of all positives": recall,
            "precision": found / rows,
            "lift": recall / shares,
        },
        index=pd.Index([f"{share:.0%}" for share in SHARES], name="inspected"),
    )
    return frame[rows >= 1]


def cost_table(comparison: Comparison, method: str, setting: str) -> pd.DataFrame:
    """By the cost of a missed positive: what to inspect and what it costs, per 1,000 rows.

    Every row inspected costs 1 unless it is positive. How much to inspect of a fold is chosen on
    the other folds, so that the costs are those of rows that had no part in the choice.
    """
    parts = _by_fold(comparison, method, setting)
    rows = sum(len(y) for _, y, _ in parts)
    positives = sum(int(y.sum()) for _, y, _ in parts)
    found = [found_by_share(y, score, GRID) for _, y, score in parts]
    lines = {}
    for miss in COSTS:
        costs = [
            GRID * len(y) - hits + miss * (y.sum() - hits)
            for (_, y, _), hits in zip(parts, found, strict=True)
        ]
        chosen, paid, inspected = [], 0.0, 0.0
        for k, (repeat, y, _) in enumerate(parts):
            others = [c for j, c in enumerate(costs) if j != k and parts[j][0] == repeat]
            place = int(np.argmin(sum(others))) if others else int(np.argmin(costs[k]))
            chosen.append(GRID[place])
            paid += costs[k][place]
            inspected += GRID[place] * len(y)
        trivial = min(miss * positives, rows - positives)
        lines[miss] = {
            "inspect": inspected / rows,
            "cost": 1000 * paid / rows,
            "cost without a model": 1000 * trivial / rows,
            "saved": 1 - paid / trivial,
        }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("a missed positive costs")


def threshold_curve(comparison: Comparison, method: str, setting: str) -> pd.DataFrame:
    """Precision, recall and G-mean on held-out rows by the threshold on the score.

    Here the folds are put together, as one threshold is used for all.
    """
    parts = _by_fold(comparison, method, setting)
    y = np.concatenate([part[1] for part in parts])
    score = np.concatenate([part[2] for part in parts])
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    hits = np.cumsum(y[order])[ends]
    positives, negatives = y.sum(), len(y) - y.sum()
    recall = hits / positives
    specificity = 1 - (ends + 1 - hits) / negatives
    return pd.DataFrame(
        {
            "threshold": score[order][ends],
            "recall": recall,
            "precision": hits / (ends + 1),
            "G-mean": np.sqrt(recall * specificity),
        }
    )


def own_decision(comparison: Comparison, method: str, setting: str) -> Mapping[str, float]:
    """Recall and precision of what a method predicts, on held-out rows."""
    kept = comparison.of(method, setting)
    y = np.concatenate([comparison.plan.data.y[comparison.plan.test_rows(*r)] for r in kept])
    predicted = np.concatenate([part.predicted for part in kept.values()])
    hits = int(y[predicted].sum())
    return {
        "recall": hits / int(y.sum()),
        "precision": hits / int(predicted.sum()) if predicted.any() else float("nan"),
        "share": float(predicted.mean()),
    }
