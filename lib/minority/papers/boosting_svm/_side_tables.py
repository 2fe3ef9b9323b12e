"""Tables of what is varied around the main comparison of Boosting-SVM, in per cent."""

import pandas as pd

from minority.experiments import Results
from minority.papers.boosting_svm._protocol import PUBLIC
from minority.papers.boosting_svm._tables import (
    COLUMNS,
    FURTHER_COLUMNS,
    at_levels,
    scores,
)
from minority.report import Table, show

TREE_COLUMNS = {
    "I, C4.5": ("adacost-tree",),
    "II, C4.5": at_levels("smoteboost-tree"),
    "IV, C4.5": ("databoost-im-tree",),
}


def components_table(results: Results, trees: Results) -> Table:
    """I, II and IV on each component classifier, and III in two readings: G-mean."""
    main = scores(results, columns=COLUMNS | FURTHER_COLUMNS).reindex(PUBLIC)
    with_trees = scores(trees, setting="default", columns=TREE_COLUMNS).reindex(PUBLIC)
    parts = {}
    for rival in ("I", "II", "IV"):
        parts[rival, "SVM"] = main[rival]
        parts[rival, "asym."] = main[f"{rival}, asymmetric"]
        parts[rival, "C4.5"] = with_trees[f"{rival}, C4.5"]
    parts["III", "votes"] = main["III"]
    parts["III", "sklearn"] = main["III, scikit-learn"]
    parts["B-SVM", "asym."] = main["B-SVM"]
    frame = pd.DataFrame(parts)
    frame.loc["mean"] = frame.mean(skipna=False)
    bold = frame.round(9).eq(frame.round(9).max(axis=1), axis=0) & frame.notna()
    caption = (
        "G-mean in per cent of I, II and IV on a linear SVM, the asymmetric-cost SVM and C4.5, and "
        "of III with weighted votes and as scikit-learn has it "
        f"({results.coverage()}; trees: {trees.coverage()}); bold is the best of a set."
    )
    return show(
        frame.rename_axis("data set"), caption=caption, digits=2, bold=bold, rule_above="mean"
    )


def kernels_table(results: Results) -> Table:
    """Boosting-SVM with other kernels and norms, against its first machine alone."""
    chosen, first = (
        scores(results, setting=setting, columns={m: (m,) for m in results.experiment.methods})
        for setting in results.experiment.settings
    )
    labels = {m: method.label for m, method in results.experiment.methods.items()}
    parts = {}
    for method, label in labels.items():
        parts[label, "alone"], parts[label, "boosted"] = first[method], chosen[method]
    frame = pd.DataFrame(parts).reindex(results.experiment.datasets)
    frame.loc["mean"] = frame.mean(skipna=False)
    bold = frame.round(9).eq(frame.round(9).max(axis=1), axis=0) & frame.notna()
    caption = (
        "The paper's future work: G-mean in per cent of one asymmetric-cost machine and of "
        f"Boosting-SVM made of such ({results.coverage()}); bold is the best of a set."
    )
    return show(
        frame.rename_axis("data set"), caption=caption, digits=2, bold=bold, rule_above="mean"
    )


def complete_means(results: Results, measure: str) -> pd.DataFrame:
    """Means over folds, data sets x (method, setting); gaps where folds are missing."""
    keys = {"index": "dataset", "columns": ["method", "setting"], "values": measure}
    means, counts = (results.rows.pivot_table(**keys, aggfunc=of) for of in ("mean", "count"))
    order = [(m, s) for m in results.experiment.methods for s in results.experiment.settings]
    means = means.where(counts == counts.max(axis=None)) if len(means) else pd.DataFrame()
    columns = pd.MultiIndex.from_tuples(order)
    return means.reindex(index=list(results.experiment.datasets)).reindex(columns=columns)


def step_means(results: Results, measure: str) -> pd.DataFrame:
    """A measure of Boosting-SVM with each delta: means over folds, data sets x settings."""
    return complete_means(results, measure)["b-svm"]


def steps_table(results: Results) -> Table:
    """Rounds that are run and test G-means of the first machine and the chosen ones, by delta."""
    parts = {("first machine", ""): 100 * step_means(results, "first_g_mean").iloc[:, 0]}
    for measure, text in (("g_mean", "G-mean, chosen round"), ("n_all_rounds", "rounds run")):
        values = step_means(results, measure).mul(100 if measure == "g_mean" else 1)
        for setting in values:
            parts[text, setting.partition("=")[2]] = values[setting]
    frame = pd.DataFrame(parts)
    frame.loc["mean"] = frame.mean(skipna=False)
    caption = (
        "Boosting-SVM with a fixed step delta; 1 is AdaBoost's. G-mean on the test part in per "
        f"cent ({results.coverage()})."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=2, rule_above="mean")


def imbalance_table(results: Results) -> Table:
    """G-mean of three learners without costs when training keeps fewer positives."""
    methods = results.experiment.methods
    frame = 100 * complete_means(results, "g_mean")
    frame.columns = pd.MultiIndex.from_tuples(
        [(methods[m].label, s.partition("=")[2]) for m, s in frame.columns]
    )
    frame.loc["mean"] = frame.mean(skipna=False)
    caption = (
        "G-mean in per cent of learners without costs if training keeps all positives or only some "
        f"({results.coverage()})."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=1, rule_above="mean")
