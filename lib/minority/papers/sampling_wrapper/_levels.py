"""The published levels, and a search without a margin: what larger amounts of SMOTE would do.

Added after the first run of the main experiment had been seen. By the rule of the text the search
adds far less SMOTE than the paper reports, so its results say little about the models that the
paper had. Here the learners are trained at the published levels themselves, and at those that a
search finds which goes on at any gain. No verdict counts these rows.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from minority.experiments import Fold, Results
from minority.papers.sampling_wrapper._numbers import NAMES, costs, label_of, published_table
from minority.papers.sampling_wrapper._schemes import (
    COST_FREE,
    RATIOS,
    SCHEMES,
    Answers,
    cut_row,
    inner_models,
    parts_of,
    trained_at,
)
from minority.report import Table, show

_TABLES = {"c45": "Table 2", "ripper": "Table 3"}
_LINES = {"wrapper-f": "f-meas", "wrapper-auroc": "AUROC"}
#: Search, and whether its levels are the published ones or found by any gain.
LEVEL_SETTINGS = {
    f"{scheme},{how}": (scheme, how) for scheme in COST_FREE for how in ("published", "any gain")
}
LEVEL_MEASURES = (
    *("positives", "negatives", "auroc", "f1", "brier", "log_loss", "fn", "fp"),
    *(f"{kind}_{ratio}" for ratio in RATIOS for kind in ("fn", "fp")),
    *("kept", "smote"),
)


def published_levels(learner: str, dataset: str, scheme: str) -> tuple[float, float]:
    """Mean per cent of the majority kept and of SMOTE in Table 2 or 3."""
    line = published_table(_TABLES[learner]).loc[f"{NAMES[dataset]} / {_LINES[scheme]}"]
    return 100 - float(line["undersample_percent"]), float(line["SMOTE_percent"])


class AtLevels:
    """One learner at the published levels and at those of a search without a margin."""

    def __init__(self, make: Callable, learner: str):
        self.make, self.learner = make, learner

    def __call__(self, fold: Fold) -> dict:
        X, y, X_test, y_test = parts_of(fold)
        inner = inner_models(self.make(), fold)
        rows = {}
        for setting in fold.settings:
            scheme, how = LEVEL_SETTINGS[setting]
            if how == "published":
                kept, smote = published_levels(self.learner, fold.dataset, scheme)
            else:
                levels = inner.search(COST_FREE[scheme], min_increment=0)
                kept, smote = levels.undersampling[0], levels.smote[1]
            model = trained_at(self.make(), X, y, kept, smote, inner.seed)
            row = cut_row(y_test == 1, Answers.of(model, X_test))
            rows[setting] = row | {"kept": kept, "smote": smote}
        return rows


def first_run(main: Results) -> Results:
    """The main experiment's first ten folds, those of the rows at other levels."""
    rows = main.rows[main.rows["repeat"] == 0]
    return Results(main.experiment, rows, planned=main.planned)


def levels_table(results: Results, main: Results, learner: str) -> Table:
    """F and AUROC by the rule of the text, at any gain, at the published levels, and published."""
    theirs = published_table(_TABLES[learner])
    first = first_run(main).rows
    lines = {}
    for dataset in results.experiment.datasets:
        for scheme, line in _LINES.items():
            name = f"{label_of(dataset)} / {line}"
            stated = _chosen(first, learner, dataset, scheme)
            found = {
                how: _chosen(results.rows, learner, dataset, f"{scheme},{how}")
                for how in ("any gain", "published")
            }
            row = {
                ("SMOTE, %", "as stated"): stated["smote_1"].mean(),
                ("SMOTE, %", "any gain"): found["any gain"]["smote"].mean(),
                ("SMOTE, %", "published"): float(theirs.loc[name, "SMOTE_percent"]),
            }
            for text, measure, column in (("F", "f1", "f_measure"), ("AUROC", "auroc", "AUROC")):
                row[text, "as stated"] = stated[measure].mean()
                row[text, "any gain"] = found["any gain"][measure].mean()
                row[text, "at published levels"] = found["published"][measure].mean()
                row[text, "published"] = float(theirs.loc[name, column])
            lines[name] = row
    frame = pd.DataFrame.from_dict(lines, orient="index")
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    for column in frame.columns[:3]:
        frame[column] = frame[column].round().astype("Int64")
    caption = (
        f"{results.experiment.methods[learner].label}: levels by the rule of the text (as stated), "
        f"by any gain, and those that the paper reports; first run of ten folds "
        f"({results.coverage()} of both learners)."
    )
    return show(frame, caption=caption)


def _chosen(rows, learner, dataset, setting):
    return rows[
        (rows["method"] == learner) & (rows["dataset"] == dataset) & (rows["setting"] == setting)
    ]


def level_costs(results: Results, main: Results, learner: str) -> Table:
    """Costs at 2:1 to 20:1 of the searches without costs at three kinds of levels, and rivals."""
    first = first_run(main)
    lines = {}
    for ratio in (2, 5, 10, 20):
        ours, others = costs(first, ratio), costs(results, ratio)
        base = ours["base"].loc[ours.index.get_level_values("method") == learner]
        texts = {SCHEMES[s]: ours[s] for s in ("metacost", "csc")}
        for scheme in COST_FREE:
            texts[f"{SCHEMES[scheme]}, as stated"] = ours[scheme]
            texts[f"{SCHEMES[scheme]}, any gain"] = others[f"{scheme},any gain"]
            texts[f"{SCHEMES[scheme]}, published levels"] = others[f"{scheme},published"]
        for text, cost in texts.items():
            share = np.log((cost.reindex(base.index) / base).astype(float))
            lines.setdefault(text, {})[f"{ratio}:1"] = float(np.exp(share.mean()))
    caption = (
        f"Cost with {results.experiment.methods[learner].label} as a share of the base's at p*: "
        f"geometric mean over the data sets, first run ({results.coverage()} of both learners)."
    )
    return show(pd.DataFrame.from_dict(lines, orient="index"), caption=caption)
