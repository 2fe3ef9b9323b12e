"""The tables of the paper beside ours, and those that it lacks."""

import pandas as pd

from minority import datasets
from minority.datasets import KDDCUP99_COSTS
from minority.experiments import Results
from minority.papers.sampling_wrapper._kdd import MINORITY, SEARCHES
from minority.papers.sampling_wrapper._numbers import (
    NAMES,
    PASSES,
    costs,
    label_of,
    levels,
    means,
    of_learner,
    published_table,
    unsure_cells,
)
from minority.papers.sampling_wrapper._schemes import SCHEMES
from minority.report import Table, show

#: The three lines of a data set in Tables 2 and 3.
LINES = {"base": "Base", "wrapper-f": "f-meas", "wrapper-auroc": "AUROC"}
#: The two kinds of line in Table A1.
CUTS = {"thresholded": True, "unthresholded": False}
A1_SCHEMES = {"wrapper-auroc": "AUROC", "wrapper-f": "f-measure"}
A1_RATIOS = (1, 2, 5, 10, 20)
_COLUMNS = {
    "SMOTE_percent": "SMOTE, %",
    "undersample_percent": "removed, %",
    "cost_1to1": "errors of 50 folds / 10",
    "f_measure": "F",
    "AUROC": "AUROC",
}


def table1() -> Table:
    """The data sets beside the published counts; Compustat has none of ours."""
    theirs = published_table("Table 1").rename(
        index={"Mammography": "Mammo.", "E-state": "E-State"}
    )
    facts = datasets.describe().set_index("name").loc[list(NAMES)]
    share = 100 * facts["positives"].astype(float) / facts["n"].astype(float)
    ours = pd.DataFrame(
        {
            "examples": facts["n"].astype(int),
            "features": facts["d"].astype(int),
            "minority": facts["positives"].astype(int),
            "class balance": [f"{100 - s:.0f}:{s:.0f}" for s in share],
        }
    ).rename(index=NAMES)
    examples = theirs["examples"].fillna(theirs["examples_train"] + theirs["examples_test"])
    frame = pd.DataFrame(
        {
            ("examples", "ours"): ours["examples"].reindex(theirs.index).astype("Int64"),
            ("examples", "published"): examples.astype(int),
            ("features", "ours"): ours["features"].reindex(theirs.index).astype("Int64"),
            ("features", "published"): theirs["features"].astype(int),
            ("minority", "ours"): ours["minority"].reindex(theirs.index).astype("Int64"),
            ("class balance", "ours"): ours["class balance"].reindex(theirs.index).fillna("–"),
            ("class balance", "published"): theirs["class_balance"],
        }
    )
    caption = (
        "Table 1: the data sets. Compustat is proprietary: 10,358 rows to train and 3,258 to test."
    )
    return show(frame, caption=caption)


def table23(results: Results, learner: str) -> Table:
    """Table 2 (C4.5) or 3 (RIPPER): levels, errors at 1:1, F and AUROC, ours and published."""
    label = {"c45": "Table 2", "ripper": "Table 3"}[learner]
    found, errors = levels(results), costs(results, 1, cut=False)
    scores = {name: means(results, measure) for name, measure in [("F", "f1"), ("AUROC", "auroc")]}
    lines = {}
    for method, dataset in errors.index:
        for scheme, line in LINES.items():
            if method != learner:
                continue
            chosen = (method, dataset, scheme)
            lines[f"{label_of(dataset)} / {line}"] = {
                "SMOTE, %": found["smote"].get(chosen),
                "removed, %": found["removed"].get(chosen),
                _COLUMNS["cost_1to1"]: errors.loc[chosen[:2], scheme] * PASSES / 10,
                **{name: frame.loc[chosen[:2], scheme] for name, frame in scores.items()},
            }
    columns = list(_COLUMNS.values())
    ours = pd.DataFrame.from_dict(lines, orient="index", dtype=float).reindex(columns=columns)
    theirs = published_table(label).reindex(columns=list(_COLUMNS)).rename(columns=_COLUMNS)
    table = show(ours, theirs.astype(float))
    order = [*theirs.index, *ours.index.difference(theirs.index, sort=False)]
    kept = [column for column in table.frame.columns if column[1] != "difference"]
    frame = table.frame.loc[order, kept]
    marks = pd.DataFrame("", index=frame.index, columns=frame.columns)
    for row, column in unsure_cells(label):
        marks.loc[row, (_COLUMNS[column], "published")] = "?"
    for column in kept:
        if column[0] not in ("F", "AUROC"):
            frame[column] = frame[column].round().astype("Int64")
    caption = (
        f"{label}: {results.experiment.methods[learner].label}, costs 1:1 ({results.coverage()} of "
        "both learners). The published costs fit the errors of all 50 folds divided by ten, so "
        "ours are counted in this way. ?: the place of the published number is not certain."
    )
    return show(frame, caption=caption, digits=3, marks=marks)


def table_a1(results: Results) -> Table:
    """Table A1: costs of C4.5 in the wrappers without costs, cut at p* and not."""
    lines = {}
    for text, cut in CUTS.items():
        for ratio in A1_RATIOS:
            frame = costs(results, ratio, cut=cut)
            for method, dataset in frame.index:
                if method != "c45":
                    continue
                for scheme, name in A1_SCHEMES.items():
                    row = f"{label_of(dataset)} / {name} {text}"
                    cost = frame.loc[(method, dataset), scheme]
                    lines.setdefault(row, {})[f"{ratio}:1"] = PASSES * cost
    theirs = published_table("Table A1")[[f"{ratio}:1" for ratio in A1_RATIOS]].astype(float)
    ours = pd.DataFrame.from_dict(lines, orient="index").reindex(columns=theirs.columns)
    ours = ours.reindex([*theirs.index, *(row for row in ours.index if row not in theirs.index)])
    frame = show(ours, theirs).frame
    kept = [column for column in frame.columns if column[1] != "difference"]
    caption = (
        f"Table A1: total cost of five passes with C4.5 ({results.coverage()} of both learners), "
        "cut at p* (thresholded) and not. Compustat is proprietary."
    )
    return show(frame[kept], caption=caption, digits=0)


def cost_table(results: Results, learner: str, ratio: int) -> Table:
    """Cost of one pass with every scheme; bold is the least of the paper's seven."""
    frame = (
        of_learner(costs(results, ratio), learner).rename(index=label_of).rename(columns=SCHEMES)
    )
    ours = list(SCHEMES.values())[:7]
    least = frame.eq(frame[ours].min(axis=1), axis=0)
    caption = (
        f"Cost of one pass at {ratio}:1 with {results.experiment.methods[learner].label} "
        f"({results.coverage()} of both learners). Costing and Weighting are not in the paper."
    )
    return show(frame, caption=caption, digits=0, bold=least)


def timing_table(results: Results, main: Results) -> Table:
    """Table 4: seconds of one fold of wrapper-AUROC in turn, beside those of 2008."""
    names = {"estate": "Estate", "mammography": "Mammography"}
    theirs = published_table("Table 4").astype(float)
    theirs.columns = pd.MultiIndex.from_tuples(
        [
            (name.partition("_")[2].replace("C45", "C4.5").replace("Ripper", "RIPPER"), kind)
            for name in theirs.columns
            for kind in [{"SEQ": "published", "DIST": "distributed"}[name.partition("_")[0]]]
        ]
    )
    seconds = mean_seconds(results)
    shared = mean_seconds(main)
    frame = {}
    for learner, label in (("c45", "C4.5"), ("ripper", "RIPPER")):
        for title, part in (("ours", seconds), ("ours, all schemes", shared)):
            column = part.get(learner, pd.Series(dtype=float))
            column = column.rename(index=lambda name: names.get(name, label_of(name)))
            column["Average"] = column.mean()
            frame[label, title] = column.reindex(theirs.index)
        for kind in ("published", "distributed"):
            frame[label, kind] = theirs[label, kind]
    caption = (
        f"Table 4: seconds of one fold. Ours: wrapper-AUROC by itself on one core "
        f"({results.coverage()}), and all nine schemes at all ratios together; published: "
        "wrapper-AUROC in turn and on a Condor pool."
    )
    return show(pd.DataFrame(frame), caption=caption, digits=1)


def mean_seconds(results: Results) -> pd.DataFrame:
    """Mean seconds of a task: data sets x learners."""
    if results.timings.empty:
        return pd.DataFrame()
    known = results.timings[results.timings["dataset"].isin(list(results.rows["dataset"]))]
    return known.pivot_table(index="dataset", columns="method", values="seconds")


def table5() -> Table:
    """Table 5: the costs of KDD Cup 1999 in use here, and whether they are the published ones."""
    theirs = published_table("Table 5")
    theirs.index = theirs.index.str.removeprefix("actual ").str.lower()
    theirs.columns = theirs.columns.str.removeprefix("predicted ").str.lower()
    same = theirs.loc[KDDCUP99_COSTS.index, KDDCUP99_COSTS.columns].astype(int).eq(KDDCUP99_COSTS)
    caption = (
        "Table 5: cost of taking a row's class for a column's; "
        f"{int(same.to_numpy().sum())} of 25 are the published ones."
    )
    return show(KDDCUP99_COSTS.rename_axis(None), caption=caption)


def table6(results: Results) -> Table:
    """Table 6: cost per test example of KDD Cup 1999, ours from the 10 % file."""
    theirs = published_table("Table 6")["cost_per_example"].astype(float)
    lines = {
        name: {"source": "published", "cost per example": cost} for name, cost in theirs.items()
    }
    for row in results.rows.itertuples():
        training, criterion = SEARCHES[row.setting]
        name = results.experiment.methods[row.method].label
        name += (
            f", Training Data {training}, "
            + {
                None: "no sampling",
                "f1": "wrapper-f",
                "cost": "wrapper-cost",
            }[criterion]
        )
        line = {"source": "ours, 10 % file", "cost per example": row.cost}
        if criterion:
            line["SMOTE, %"] = ", ".join(f"{c} {getattr(row, f'smote_{c}'):g}" for c in MINORITY)
            kept = [name for name in results.experiment.measures if name.startswith("kept_")]
            line["kept, %"] = ", ".join(
                f"{name.removeprefix('kept_')} {getattr(row, name):g}" for name in kept
            )
        line["training rows"] = int(row.n_train)
        lines[name] = line
    frame = pd.DataFrame.from_dict(lines, orient="index")
    for column in ("SMOTE, %", "kept, %"):
        frame[column] = frame.get(column, pd.Series(index=frame.index, dtype=object)).fillna("–")
    if "training rows" in frame:
        frame["training rows"] = frame["training rows"].astype("Int64")
    caption = (
        f"Table 6: KDD Cup 1999, corrected test set ({results.coverage()}). Ours start from the "
        "10 % file and are NOT comparable with the published ones."
    )
    return show(frame, caption=caption, digits=4)


def kdd_confusion(results: Results, learner: str, setting: str) -> Table:
    """Test rows of KDD Cup 1999 by true and predicted class."""
    rows = results.rows[(results.rows["method"] == learner) & (results.rows["setting"] == setting)]
    classes = list(KDDCUP99_COSTS.index)
    frame = pd.DataFrame(index=classes, columns=[f"as {name}" for name in classes], dtype="Int64")
    for row in rows.to_dict("records"):
        for true in classes:
            frame.loc[true] = [int(row[f"{true}_as_{name}"]) for name in classes]
    training, criterion = SEARCHES[setting]
    caption = (
        f"KDD Cup 1999: test rows by true and predicted class, "
        f"{results.experiment.methods[learner].label} on Training Data {training} (10 % file), "
        f"levels by {criterion or 'nothing'}."
    )
    return show(frame, caption=caption)
