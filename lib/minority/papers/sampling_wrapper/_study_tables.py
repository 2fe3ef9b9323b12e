"""Tables that the paper lacks: other searches, other margins, other SMOTE, other learners."""

import pandas as pd

from minority.experiments import Results
from minority.papers.sampling_wrapper._numbers import costs, label_of, means
from minority.papers.sampling_wrapper._rivals import COST_RATIOS, OBJECTIVES
from minority.papers.sampling_wrapper._schemes import SCHEMES
from minority.papers.sampling_wrapper._tables import LINES, mean_seconds
from minority.papers.sampling_wrapper._variants import MARGINS, STABILITY_RATIOS
from minority.report import Table, show


def oil_table(main: Results, without: Results) -> Table:
    """Oil with and without the number of the image patch, which a learner should not know."""
    caption = (
        "Oil with its first feature, the number of the image patch, and without it "
        f"({without.coverage()} without)."
    )
    return _both_ways("oil", {"with it": main, "without": without}, caption)


def distinct_table(main: Results, distinct: Results) -> Table:
    """Mammography with and without its repeated rows, which may be trained on and tested on."""
    caption = (
        "Mammography with all rows and with each row once, the training part before the test "
        f"({distinct.coverage()} with each row once; costs are of fewer test rows then)."
    )
    return _both_ways("mammography", {"all rows": main, "each row once": distinct}, caption)


def _both_ways(dataset: str, ways: dict[str, Results], caption: str) -> Table:
    """Scores and costs of one data set in the main comparison, handled in two ways."""
    lines = {}
    for text, results in ways.items():
        for learner, method in results.experiment.methods.items():
            for scheme in (*LINES, "metacost", "csc"):
                line = {
                    name: means(results, measure)[scheme].get((learner, dataset))
                    for name, measure in [("AUROC", "auroc"), ("F", "f1")]
                }
                cost = {
                    f"cost at {r}:1": costs(results, r)[scheme].get((learner, dataset))
                    for r in (1, 5, 20)
                }
                lines[f"{method.label}, {SCHEMES[scheme]}, {text}"] = line | cost
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float).sort_index(kind="stable")
    return show(_whole_numbers(frame, [n for n in frame if n.startswith("cost")]), caption=caption)


def rivals_table(results: Results) -> Table:
    """The wrapper against a grid search and thresholds: what each reaches, and its models."""
    plan = results.experiment
    counts = results.rows.groupby("dataset").size()
    whole = counts.index[counts == len(plan.methods) * plan.folds * len(plan.settings)]
    rows = results.rows[results.rows["dataset"].isin(list(whole))]
    ratio = rows["setting"].map({name: ratio for name, (_, ratio) in OBJECTIVES.items()})
    rows = rows.assign(cost=rows["fp"] + ratio.astype(float) * rows["fn"])
    seconds = mean_seconds(results)
    seconds = seconds[seconds.index.isin(whole)]
    lines = {}
    for name, method in plan.methods.items():
        mine = rows[rows["method"] == name]
        line = {
            text: mine.loc[mine["setting"] == measure, measure].mean()
            for text, measure in (("AUROC", "auroc"), ("F", "f1"))
        }
        for ratio in COST_RATIOS:
            line[f"cost at {ratio}:1"] = _relative_cost(rows, name, f"counts={ratio}")
        line["inner models"] = mine["n_fits"].mean()
        line["seconds"] = seconds[name].mean() if name in seconds else None
        lines[method.label] = line
    caption = (
        f"C4.5, means over {len(whole)} of {len(plan.datasets)} data sets, those that are "
        f"complete, and one run of ten folds ({results.coverage()}): AUROC and F where these are "
        "the objective, cost by counts as a share of that of C4.5 at p*, inner models for one "
        "objective, seconds for all ten."
    )
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float)
    return show(_whole_numbers(frame, ["inner models"]), caption=caption)


def _whole_numbers(frame, columns):
    """The frame with some columns rounded, where decimals would only distract."""
    return frame.assign(**{name: frame[name].round().astype("Int64") for name in columns})


def rival_costs(results: Results, kind: str = "counts") -> pd.DataFrame:
    """Mean cost of a fold by data set and objective x method, where all methods have all folds."""
    rows = results.rows[results.rows["setting"].str.startswith(kind)]
    ratio = [OBJECTIVES[setting][1] for setting in rows["setting"]]
    frame = rows.assign(cost=rows["fp"] + ratio * rows["fn"]).pivot_table(
        index=["dataset", "setting"], columns="method", values="cost", aggfunc=["mean", "count"]
    )
    if frame.empty:
        return pd.DataFrame(columns=list(results.experiment.methods))
    frame = frame.reindex(columns=list(results.experiment.methods), level=1)
    complete = frame["count"].eq(results.experiment.folds).all(axis=1)
    return frame["mean"][complete]


def _relative_cost(rows, method, setting):
    """Mean over the data sets of a method's cost as a share of the base's."""
    chosen = rows[(rows["setting"] == setting) & rows["method"].isin([method, "base"])]
    frame = chosen.pivot_table(index="dataset", columns="method", values="cost")
    return (frame[method] / frame["base"]).mean() if {method, "base"} <= set(frame) else None


def margin_table(results: Results) -> Table:
    """What smaller margins of the search lead to."""
    lines = {}
    for learner, method in results.experiment.methods.items():
        for setting, (criterion, margin) in MARGINS.items():
            mine = results.rows[
                (results.rows["method"] == learner) & (results.rows["setting"] == setting)
            ]
            name = {"f1": "wrapper-f", "auroc": "wrapper-AUROC"}[criterion]
            lines[f"{method.label}, {name}, {100 * margin:g} %"] = {
                "SMOTE, %": mine["smote"].mean(),
                "removed, %": 100 - mine["kept"].mean(),
                "AUROC": mine["auroc"].mean(),
                "F": mine["f1"].mean(),
                "inner models": mine["n_fits"].mean(),
            }
    caption = (
        "The margin that a level must gain (the paper's is 5 %): means over the data sets and ten "
        f"folds ({results.coverage()})."
    )
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float)
    return show(_whole_numbers(frame, ["SMOTE, %", "removed, %", "inner models"]), caption=caption)


def smote_table(results: Results) -> Table:
    """SMOTE as published against other ways to draw the same number of points."""
    frame = results.rows.pivot_table(
        index="dataset", columns="method", values=["auroc", "f1"], sort=False
    )
    order = [(m, k) for m in ("auroc", "f1") for k in results.experiment.methods]
    labels = {k: method.label for k, method in results.experiment.methods.items()}
    frame = frame.reindex(
        index=[n for n in results.experiment.datasets if n in frame.index],
        columns=pd.MultiIndex.from_tuples(order),
    )
    frame = frame.rename(index=label_of).rename(columns=labels, level=1)
    frame = frame.rename(columns={"auroc": "AUROC", "f1": "F"}, level=0)
    caption = (
        "C4.5 with 100 to 500 % SMOTE, no undersampling: means over five levels and ten folds "
        f"({results.coverage()})."
    )
    return show(frame, caption=caption)


def stability_table(results: Results) -> Table:
    """How unstable each learner is, and what MetaCost saves with it."""
    frame = stability(results)
    labels = {k: method.label for k, method in results.experiment.methods.items()}
    frame = frame.groupby(level="method")[["disagreement", "saving", "saving_cut"]].mean()
    frame = frame.reindex([name for name in labels if name in frame.index])
    frame = frame.mul(100).rename(
        index=labels,
        columns={
            "disagreement": "bags that disagree, %",
            "saving": "MetaCost saves, %",
            "saving_cut": "of the cost at p*, %",
        },
    )
    caption = (
        "MetaCost with stable and unstable learners: pairs of bagged models that differ on a test "
        "row, and what MetaCost saves of the learner's own cost, uncut and cut at p*; means over "
        f"the data sets and ratios 2 to 20 ({results.coverage()})."
    )
    return show(frame.sort_values("bags that disagree, %"), caption=caption, digits=1)


def stability(results: Results) -> pd.DataFrame:
    """Disagreement of bags and what MetaCost saves, as shares, by learner and data set."""
    rows = results.rows
    ratio = rows["setting"].map(STABILITY_RATIOS).astype(float)
    costs_of = {
        name: rows[f"fp{end}"] + ratio * rows[f"fn{end}"]
        for name, end in [("alone", ""), ("cut", "_cut"), ("metacost", "_metacost")]
    }
    frame = rows.assign(**costs_of).groupby(["method", "dataset", "setting"], observed=True)
    frame = frame[["disagreement", "alone", "cut", "metacost"]].mean()
    frame["saving"] = 1 - frame["metacost"] / frame["alone"]
    frame["saving_cut"] = 1 - frame["metacost"] / frame["cut"]
    return frame.groupby(level=["method", "dataset"]).mean()
