"""Numbers from the rows, the tables of the paper beside ours, and those that it lacks."""

import functools
import time
from dataclasses import replace

import numpy as np
import pandas as pd

from minority.costs import CostCurve, cost_envelope
from minority_reports.datasets import KDDCUP99_COSTS, loader
from minority_reports.experiments import (
    Results,
    Task,
    compute,
    jobs_of,
    kept,
    stratified_folds,
)
from minority_reports.experiments.settings import Source
from minority_reports.experiments.studies import stored
from minority_reports.papers.sampling_wrapper.protocol import (
    LABELS,
    LEVEL_LINES,
    LEVEL_TABLES,
    MARGINS,
    MINORITY,
    NAMES,
    OBJECTIVES,
    RIVALS,
    SEARCHES,
    STABILITY_RATIOS,
    TIMING,
    published_table,
)
from minority_reports.papers.sampling_wrapper.schemes import (
    COST_FREE,
    COST_RATIOS,
    RATIOS,
    SCHEMES,
)
from minority_reports.report import Table, show, unfinished, unfinished_note
from minority_reports.report.claims import published
from minority_reports.report.printed import number_of
from minority_reports.report.tables import facts, whole_numbers

#: Passes through a data set whose costs Table A1 adds up.
PASSES = 5
#: The three lines of a data set in Tables 2 and 3.
LINES = {"base": "Base", **LEVEL_LINES}
#: The two kinds of line in Table A1.
CUTS = {"thresholded": True, "unthresholded": False}
A1_SCHEMES = {"wrapper-auroc": "AUROC", "wrapper-f": "f-measure"}
A1_RATIOS = (1, *COST_RATIOS)
_COLUMNS = {
    "SMOTE_percent": "SMOTE, %",
    "undersample_percent": "removed, %",
    "cost_1to1": "errors of 50 folds / 10",
    "f_measure": "F",
    "AUROC": "AUROC",
}


# Numbers that tables, figures and claims share.


def label_of(dataset: str) -> str:
    """A data set's name as the paper has it, else its own."""
    return NAMES.get(dataset, dataset)


def unsure_cells(label: str) -> set[tuple[str, str]]:
    """Rows and columns of the published cells whose place in the table is not certain."""
    (table,) = [t for t in published("sampling_wrapper")["tables"] if t["label"] == label]
    return {(cell["row"], cell["col"]) for cell in table["cells"] if cell["sure"] is not True}


def means(results: Results, measure: str) -> pd.DataFrame:
    """Means over the folds that are there: (learner, data set) x schemes."""
    return _by_scheme(results, results.rows[measure])


def _by_scheme(results, values):
    """Means of one value a row: (learner, data set) x schemes."""
    frame = results.averaged(values, ("method", "dataset"), "setting")
    schemes = list(results.experiment.settings)
    return frame.reindex(index=_lines(results, frame.index), columns=schemes)


def _lines(results, there) -> pd.MultiIndex:
    """Learners and data sets as planned, those that are not there left out."""
    planned = pd.MultiIndex.from_product(
        [
            results.experiment.methods,
            dict.fromkeys([*results.experiment.datasets, *results.datasets]),
        ],
        names=["method", "dataset"],
    )
    return planned[planned.isin(there)]


@kept
def costs(results: Results, ratio: int, *, cut: bool = True) -> pd.DataFrame:
    """Cost of one pass through each data set, the mean of all: (learner, data set) x schemes.

    A pass tests every row once. Without `cut`, by the uncut predictions of the models for 1:1.
    """
    end = f"_{ratio}" if cut else ""
    cost = results.rows[f"fp{end}"] + ratio * results.rows[f"fn{end}"]
    return _by_scheme(results, cost) * results.experiment.folds


@kept
def envelopes(results: Results) -> dict[tuple[str, str, str], CostCurve]:
    """Lower envelope of each scheme's 13 points and the trivial classifiers."""
    rows = results.rows
    fpr = {ratio: rows[f"fp_{ratio}"] / rows["negatives"] for ratio in RATIOS}
    tpr = {ratio: 1 - rows[f"fn_{ratio}"] / rows["positives"] for ratio in RATIOS}
    cells = [rows[name] for name in ("method", "dataset", "setting")]
    means = (pd.DataFrame(r).groupby(cells, observed=True).mean() for r in (fpr, tpr))
    points = zip(*(frame.itertuples(name=None) for frame in means), strict=True)
    return {of_fpr[0]: _envelope(of_fpr[1:], of_tpr[1:]) for of_fpr, of_tpr in points}


#: The same points come in every selection of data sets and learners.
_envelope = functools.cache(cost_envelope)


@kept
def envelope_areas(results: Results, low: float = 0.0, high: float = 1.0) -> pd.DataFrame:
    """Mean normalised cost between two values of PCF(+): (learner, data set) x schemes."""
    grid = np.linspace(low, high, 501)
    found = {}
    for (method, dataset, scheme), curve in envelopes(results).items():
        found.setdefault((method, dataset), {})[scheme] = float(curve.at(grid).mean())
    frame = pd.DataFrame.from_dict(found, orient="index")
    schemes = list(results.experiment.settings)
    return frame.reindex(index=_lines(results, frame.index), columns=schemes)


def positive_calls(smote: Results, main: Results) -> pd.DataFrame:
    """More test rows called positive with SMOTE than without, in per cent of all.

    C4.5 and SMOTE as published on the first run of ten folds: data sets x amounts.
    """
    base = main.rows.query("method == 'c45' and setting == 'base' and repeat == 0")
    base = base.groupby("dataset", observed=True)[["fp", "fn", "positives", "negatives"]].sum()
    rows = smote.rows[smote.rows["method"] == "original"]
    called = rows.assign(called=rows["fp"] - rows["fn"]).pivot_table(
        index="dataset", columns="setting", values="called", aggfunc="sum", observed=True
    )
    more = called.sub(base["fp"] - base["fn"], axis=0)
    return 100 * more.div(base["positives"] + base["negatives"], axis=0).dropna()


def levels(results: Results) -> pd.DataFrame:
    """What the searches without costs found: mean SMOTE and majority removed, in per cent."""
    rows = results.rows[results.rows["setting"].isin(list(COST_FREE))]
    rows = rows.assign(smote=rows["smote_1"], removed=100 - rows["kept_1"])
    return rows.groupby(["method", "dataset", "setting"], observed=True)[
        ["smote", "removed"]
    ].mean()


def of_learner(frame: pd.DataFrame, learner: str) -> pd.DataFrame:
    """The lines of one learner, by data set; none if there are none."""
    return frame[frame.index.get_level_values("method") == learner].droplevel("method")


def rank_correlation(first: pd.Series, second: pd.Series) -> float:
    """Spearman's; not a number if a side is constant."""
    first, second = (pd.Series(part.to_numpy(dtype=float)).rank() for part in (first, second))
    if first.nunique() < 2 or second.nunique() < 2:
        return float("nan")
    return float(first.corr(second))


# The tables of the paper.


def table1() -> Table:
    """The data sets beside the published counts; Compustat has none of ours."""
    theirs = published_table("Table 1").rename(
        index={"Mammography": "Mammo.", "E-state": "E-State"}
    )
    columns = {"n": "examples", "d": "features", "positives": "minority"}
    known = facts(NAMES).rename(index=NAMES, columns=columns)
    ours = known[list(columns.values())].astype(int)
    ours["class balance"] = [f"{100 - share:.0f}:{share:.0f}" for share in known["percent"]]
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


def _level_lines(results: Results, learner: str) -> pd.DataFrame:
    """Levels, errors at 1:1, F and AUROC of a learner: three lines for each data set."""
    found, errors = levels(results), costs(results, 1, cut=False)
    scores = {name: means(results, measure) for name, measure in [("F", "f1"), ("AUROC", "auroc")]}
    lines = {}
    for dataset in of_learner(errors, learner).index:
        for scheme, line in LINES.items():
            chosen = (learner, dataset, scheme)
            lines[f"{label_of(dataset)} / {line}"] = {
                "SMOTE, %": found["smote"].get(chosen),
                "removed, %": found["removed"].get(chosen),
                _COLUMNS["cost_1to1"]: errors.loc[chosen[:2], scheme] * PASSES / 10,
                **{name: frame.loc[chosen[:2], scheme] for name, frame in scores.items()},
            }
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float)
    return frame.reindex(columns=list(_COLUMNS.values()))


def table23(results: Results, learner: str) -> Table:
    """Table 2 (C4.5) or 3 (RIPPER): levels, errors at 1:1, F and AUROC, ours and published.

    Learners that were added to the protocol stand beside those of the paper.
    """
    label = LEVEL_TABLES[learner]
    computed = {"ours": learner} | {results.labels[name]: name for name in results.experiment.extra}
    ours = {who: _level_lines(results, name) for who, name in computed.items()}
    theirs = published_table(label).reindex(columns=list(_COLUMNS)).rename(columns=_COLUMNS)
    rows = dict.fromkeys([*theirs.index, *(row for part in ours.values() for row in part.index)])
    parts = {"ours": ours.pop("ours"), "published": theirs.astype(float), **ours}
    frame = pd.DataFrame(
        {
            (column, who): part[column].reindex(list(rows))
            for column in theirs.columns
            for who, part in parts.items()
        }
    )
    marks = pd.DataFrame("", index=frame.index, columns=frame.columns)
    gaps = unfinished(results, list(computed.values())).rename(index=label_of)
    for who, name in computed.items():
        for row in parts[who].index:
            marks.loc[row, (slice(None), who)] = gaps.loc[row.partition(" / ")[0], name]
    for row, column in unsure_cells(label):
        marks.loc[row, (_COLUMNS[column], "published")] = "?"
    frame = whole_numbers(frame, [c for c in frame if c[0] not in ("F", "AUROC")])
    caption = (
        f"{label}: {results.labels[learner]}, costs 1:1 ({_of_learners(results)}). The published "
        "costs fit the errors of all 50 folds divided by ten, so ours are counted in this way. ?: "
        f"the place of the published number is not certain.{unfinished_note(gaps)}"
    )
    return show(frame, caption=caption, digits=3, marks=marks)


def table_a1(results: Results) -> Table:
    """Table A1: costs of C4.5 in the wrappers without costs, thresholded at p* and not."""
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
    frame = show(ours, theirs).frame.drop(columns="difference", level=1)
    gaps = unfinished(results, ["c45"])["c45"].rename(index=label_of)
    marks = pd.DataFrame("", index=frame.index, columns=frame.columns)
    for row in lines:
        marks.loc[row, (slice(None), "ours")] = gaps[row.partition(" / ")[0]]
    caption = (
        f"Table A1: total cost of five passes with C4.5 ({_of_learners(results)}), "
        f"thresholded at p* and not. Compustat is proprietary.{unfinished_note(marks)}"
    )
    return show(frame, caption=caption, digits=0, marks=marks)


def cost_table(results: Results, learner: str, ratio: int) -> Table:
    """Cost of one pass with every scheme; bold is the least of the paper's seven."""
    frame = (
        of_learner(costs(results, ratio), learner).rename(index=label_of).rename(columns=SCHEMES)
    )
    ours = list(SCHEMES.values())[:7]
    gaps = unfinished(results, [learner])[learner].rename(index=label_of)
    gaps = gaps.reindex(frame.index, fill_value="")
    marks = pd.DataFrame(dict.fromkeys(frame, gaps), index=frame.index)
    least = frame.eq(frame[ours].min(axis=1), axis=0) & (marks == "")
    caption = (
        f"Cost of one pass at {ratio}:1 with {results.labels[learner]} "
        f"({_of_learners(results)}). Costing and Weighting are not in the paper."
        f"{unfinished_note(marks)}"
    )
    return show(frame, caption=caption, digits=0, bold=least, marks=marks)


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
    seconds = {"ours": results.seconds(), "ours, all schemes": main.seconds()}
    frame = {}
    for learner, label in LABELS.items():
        for title, part in seconds.items():
            column = part.get(learner, pd.Series(dtype=float))
            column = column.rename(index=lambda name: names.get(name, label_of(name)))
            column["Average"] = column.mean()
            frame[label, title] = column.reindex(theirs.index)
        for kind in ("published", "distributed"):
            frame[label, kind] = theirs[label, kind]
    caption = (
        f"Table 4: seconds of one fold. Ours: wrapper-AUROC by itself on one core"
        f"{results.shortfall}, and all nine schemes at all ratios together; published: "
        "wrapper-AUROC in turn and on a Condor pool."
    )
    return show(pd.DataFrame(frame), caption=caption, digits=1)


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
        by = {None: "no sampling", "f1": "wrapper-f", "cost": "wrapper-cost"}[criterion]
        name = f"{results.labels[row.method]}, Training Data {training}, {by}"
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
        f"Table 6: KDD Cup 1999, corrected test set{results.shortfall}. Ours start from the "
        "10 % file and are NOT comparable with the published ones."
    )
    return show(frame, caption=caption, digits=4)


def kdd_confusion(results: Results, learner: str, setting: str) -> Table:
    """Test rows of KDD Cup 1999 by true and predicted class."""
    rows = results.rows_of(method=learner, setting=setting)
    classes = list(KDDCUP99_COSTS.index)
    frame = pd.DataFrame(index=classes, columns=[f"as {name}" for name in classes], dtype="Int64")
    for row in rows.to_dict("records"):
        for true in classes:
            frame.loc[true] = [int(row[f"{true}_as_{name}"]) for name in classes]
    training, criterion = SEARCHES[setting]
    caption = (
        f"KDD Cup 1999: test rows by true and predicted class, "
        f"{results.labels[learner]} on Training Data {training} (10 % file), "
        f"levels by {criterion or 'nothing'}."
    )
    return show(frame, caption=caption)


# Tables that the paper lacks: all learners and schemes, other searches, margins, SMOTE, learners.


def _of_learners(results: Results) -> str:
    """How many rows are there, of which learners."""
    return f"{results.coverage()} of {'all' if results.experiment.extra else 'both'} learners"


def schemes_table(results: Results) -> Table:
    """Every learner in every scheme, added learners too: AUROC, F and costs."""
    there = set(results.rows["method"])
    labels = {name: label for name, label in results.labels.items() if name in there}
    whole = results.complete(labels)
    lines = {}
    for learner, label in labels.items():
        scores = {
            text: of_learner(means(whole, measure), learner).mean()
            for text, measure in (("AUROC", "auroc"), ("F", "f1"))
        }
        for ratio in COST_RATIOS:
            cost = of_learner(costs(whole, ratio), learner)
            # what costs nothing without sampling is a share of nothing
            shares = cost.div(cost["base"].where(cost["base"] > 0), axis=0)
            scores[f"cost at {ratio}:1"] = np.exp(np.log(shares).mean())
        lines[label] = pd.DataFrame(scores).rename(index=SCHEMES)
    frame = pd.concat(lines, names=["learner", "scheme"]) if lines else pd.DataFrame()
    caption = (
        f"All learners in all schemes ({_of_learners(results)}), means over the "
        f"{len(whole.datasets)} of {len(results.experiment.datasets)} data sets that are complete "
        "with all of them: AUROC and F at 1:1, and the cost as a share of that of the same learner "
        "alone at p* (geometric mean)."
    )
    return show(frame, caption=caption)


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
        for learner, label in LABELS.items():
            for scheme in (*LINES, "metacost", "csc"):
                line = {
                    name: means(results, measure)[scheme].get((learner, dataset))
                    for name, measure in [("AUROC", "auroc"), ("F", "f1")]
                }
                cost = {
                    f"cost at {r}:1": costs(results, r)[scheme].get((learner, dataset))
                    for r in (1, 5, 20)
                }
                lines[f"{label}, {SCHEMES[scheme]}, {text}"] = line | cost
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float).sort_index(kind="stable")
    return show(whole_numbers(frame, [n for n in frame if n.startswith("cost")]), caption=caption)


def rivals_table(results: Results) -> Table:
    """The wrapper against a grid search and thresholds: what each reaches, and its models."""
    whole = results.complete(RIVALS)
    rows = whole.rows
    ratio = rows["setting"].map({name: ratio for name, (_, ratio) in OBJECTIVES.items()})
    rows = rows.assign(cost=rows["fp"] + ratio.astype(float) * rows["fn"])
    seconds = whole.seconds()
    lines = {}
    for name, method in RIVALS.items():
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
        f"C4.5, means over {len(whole.datasets)} of {len(results.experiment.datasets)} data sets, "
        f"those that are complete, and one run of ten folds{results.shortfall}: AUROC and F "
        "where these are the objective, cost by counts as a share of that of C4.5 at p*, inner "
        "models for one objective, seconds for all ten."
    )
    frame = pd.DataFrame.from_dict(lines, orient="index", dtype=float)
    return show(whole_numbers(frame, ["inner models"]), caption=caption)


def rival_costs(results: Results, kind: str = "counts", methods=tuple(RIVALS)) -> pd.DataFrame:
    """Mean cost of a fold by data set and objective x method, where all methods have all folds."""
    rows = results.complete(methods).rows
    rows = rows[rows["setting"].str.startswith(kind)]
    ratio = [OBJECTIVES[setting][1] for setting in rows["setting"]]
    frame = rows.assign(cost=rows["fp"] + ratio * rows["fn"]).pivot_table(
        index=["dataset", "setting"], columns="method", values="cost"
    )
    return frame.reindex(columns=list(methods))


def _relative_cost(rows, method, setting):
    """Mean over the data sets of a method's cost as a share of the base's."""
    chosen = rows[(rows["setting"] == setting) & rows["method"].isin([method, "base"])]
    frame = chosen.pivot_table(index="dataset", columns="method", values="cost")
    return (frame[method] / frame["base"]).mean() if {method, "base"} <= set(frame) else None


def margin_table(results: Results) -> Table:
    """What smaller margins of the search lead to."""
    columns = {"smote": "SMOTE, %", "kept": "removed, %", "auroc": "AUROC", "f1": "F"}
    columns["n_fits"] = "inner models"
    means = results.setting_means(columns)
    means["kept"] = 100 - means["kept"]
    names = {"f1": "wrapper-f", "auroc": "wrapper-AUROC"}
    frame = means.rename(columns=columns)
    frame.index = [
        f"{results.labels[learner]}, {names[criterion]}, {100 * margin:g} %"
        for learner, setting in means.index
        for criterion, margin in [MARGINS[setting]]
    ]
    caption = (
        "The margin that a level must gain (the paper's is 5 %): means over the data sets and ten "
        f"folds{results.shortfall}."
    )
    return show(whole_numbers(frame, ["SMOTE, %", "removed, %", "inner models"]), caption=caption)


def smote_table(results: Results) -> Table:
    """SMOTE as published against other ways to draw the same number of points."""
    frame = results.complete().rows.pivot_table(
        index="dataset", columns="method", values=["auroc", "f1"], sort=False
    )
    order = [(m, k) for m in ("auroc", "f1") for k in results.experiment.methods]
    frame = frame.reindex(
        index=[n for n in results.experiment.datasets if n in frame.index],
        columns=pd.MultiIndex.from_tuples(order),
    )
    frame = frame.rename(index=label_of).rename(columns=results.labels, level=1)
    frame = frame.rename(columns={"auroc": "AUROC", "f1": "F"}, level=0)
    caption = (
        "C4.5 with 100 to 500 % SMOTE, no undersampling: means over five levels and ten folds"
        f"{results.shortfall}."
    )
    return show(frame, caption=caption)


def stability_table(results: Results) -> Table:
    """How unstable each learner is, and what MetaCost saves with it."""
    frame = stability(results.complete(results.experiment.methods))
    frame = frame.groupby(level="method")[["disagreement", "saving", "saving_cut"]].mean()
    frame = frame.reindex([name for name in results.labels if name in frame.index])
    frame = frame.mul(100).rename(
        index=results.labels,
        columns={
            "disagreement": "bags that disagree, %",
            "saving": "MetaCost saves, %",
            "saving_cut": "of the cost at p*, %",
        },
    )
    caption = (
        "MetaCost with stable and unstable learners: pairs of bagged models that differ on a test "
        "row, and what MetaCost saves of the learner's own cost, thresholded at p* and not; means "
        f"over the data sets and ratios 2 to 20{results.shortfall}."
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


def levels_table(results: Results, main: Results, learner: str) -> Table:
    """F and AUROC by the rule of the text, at any gain, at the published levels, and published."""
    theirs = published_table(LEVEL_TABLES[learner])
    first = main.first(results.experiment.folds)
    lines = {}
    for dataset in results.experiment.datasets:
        for scheme, line in LEVEL_LINES.items():
            name = f"{label_of(dataset)} / {line}"
            cell = {"method": learner, "dataset": dataset}
            stated = first.rows_of(**cell, setting=scheme)
            found = {
                how: results.rows_of(**cell, setting=f"{scheme},{how}")
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
    frame = whole_numbers(frame, frame.columns[:3])
    caption = (
        f"{results.labels[learner]}: levels by the rule of the text (as stated), "
        f"by any gain, and those that the paper reports; first run of ten folds "
        f"({results.coverage()})."
    )
    return show(frame, caption=caption)


def level_costs(results: Results, main: Results, learner: str) -> Table:
    """Costs at 2:1 to 20:1 of cost-insensitive searches at three kinds of levels, and others."""
    first = main.first(results.experiment.folds)
    lines = {}
    for ratio in COST_RATIOS:
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
        f"Cost with {results.labels[learner]} as a share of the base's at p*: "
        f"geometric mean over the data sets, first run ({results.coverage()})."
    )
    return show(pd.DataFrame.from_dict(lines, orient="index"), caption=caption)


# Where the paper's numbers do not agree with each other or with its rules, computed from them.

_MARGIN = 1.05
_CRITERIA = {"f-meas": "f_measure", "AUROC": "AUROC"}


def _base_is_not_cheapest():
    found = []
    for learner, label in LEVEL_TABLES.items():
        cost = published_table(label)["cost_1to1"]
        names = dict.fromkeys(name.partition(" / ")[0] for name in cost.index)
        found += [
            f"{name} ({LABELS[learner]})"
            for name in names
            if cost[f"{name} / Base"] > min(cost[f"{name} / {line}"] for line in _CRITERIA)
        ]
    return found


def impossible_levels() -> list[str]:
    """Lines of Tables 2 and 3 with SMOTE though 1.05 times the base's own value is above 1."""
    found = []
    for learner, label in LEVEL_TABLES.items():
        table = published_table(label)
        for row, line in table.iterrows():
            name, _, wrapper = row.partition(" / ")
            if wrapper not in _CRITERIA or not line["SMOTE_percent"] > 0:
                continue
            if _MARGIN * table.loc[f"{name} / Base", _CRITERIA[wrapper]] > 1:
                found.append(f"{name} {wrapper} ({LABELS[learner]}: {line['SMOTE_percent']:.0f} %)")
    return found


def _cuts_that_should_coincide():
    costs = published_table("Table A1")["1:1"]
    first = costs[costs.index.str.endswith(" thresholded")]
    second = costs[first.index.str.replace(" thresholded", " unthresholded")]
    return int((first.to_numpy() != second.to_numpy()).sum()), len(first)


def _tables_that_should_agree():
    costs, a1 = published_table("Table 2")["cost_1to1"], published_table("Table A1")["1:1"]
    names = {"f-meas": "f-measure", "AUROC": "AUROC"}
    differ = {
        row.partition(" / ")[0]
        for row, cost in costs.items()
        for dataset, _, line in [row.partition(" / ")]
        if line in names and abs(10 * cost - a1[f"{dataset} / {names[line]} thresholded"]) > 5
    }
    return sorted(differ)


def findings() -> Table:
    """The inconsistencies, each with what shows it."""
    counts = number_of("sampling_wrapper", "data-set counts")["Phoneme"]
    balance = published_table("Table 1").loc["Phoneme", "class_balance"]
    impossible, (differ, pairs) = impossible_levels(), _cuts_that_should_coincide()
    seconds = published_table("Table 4")["DIST_Ripper"].astype(float)
    cheaper, other = _base_is_not_cheapest(), _tables_that_should_agree()
    lines = {
        "Amounts of SMOTE": (
            "a level is accepted if it reaches 1.05 times the last accepted value",
            f"from the base's value that is above 1, which is impossible, in {len(impossible)} "
            f"lines that have SMOTE all the same: {', '.join(impossible)}",
        ),
        "Costs of Tables 2 and 3": (
            "total number of errors, averaged over 50 folds",
            "a tenth of Table A1's totals, which are of five passes: half of one pass",
        ),
        "Tables 2 and A1": (
            "the same models at 1:1",
            f"ten times the first is not the second for {' and '.join(other)}",
        ),
        "Base has the lowest cost at 1:1": (
            "as expected",
            f"not by its own tables for {', '.join(cheaper)}",
        ),
        "Table A1 at 1:1": (
            "p* is 0.5 there, so cut and uncut costs are the same",
            f"they differ in {differ} of {pairs} lines",
        ),
        "Table 1, Phoneme": (
            f"class balance {balance}",
            f"{counts[0]:,} and {counts[1]:,} rows are "
            f"{100 * counts[0] / sum(counts):.0f}:{100 * counts[1] / sum(counts):.0f}",
        ),
        "Table 4, RIPPER distributed": (
            f"average {seconds['Average']:.0f}",
            f"the mean of its column is {seconds.drop('Average').mean():.2f}",
        ),
        "Segment": ("six classes of equal size", "330 of 2,310 rows are one of seven"),
        "Figure 3": (
            "until at least one class has stopped",
            "Table 6 has u2r 200 and r2l 300: one class went on after the other had stopped",
        ),
        "Figure 2": ("a refused step is subtracted once more", "it must be added back"),
    }
    frame = pd.DataFrame.from_dict(lines, orient="index", columns=["the paper says", "but"])
    return show(frame, caption="Where the paper disagrees with itself, from its own numbers.")


# The wrapper on a Dask cluster beside the same tasks in turn.


@stored("sampling_wrapper-cluster")
def cluster_study(name: str = "segment", n_workers: int = 2) -> pd.DataFrame:
    """Seconds for ten folds of wrapper-AUROC with both learners, in turn and on a local cluster.

    A task is a whole outer fold. The cluster is started and given a first task beforehand, so
    that loading programs does not count.
    """
    from distributed import LocalCluster

    experiment = replace(TIMING, folds=10, split=stratified_folds)
    tasks = experiment.tasks(datasets=[name])
    first = [Task(name, method, 0, 0, 0) for method in experiment.methods]
    sources = {name: Source(name, loader(name))}

    def seconds(chosen, **where):
        started = time.perf_counter()
        done = list(compute(jobs_of(experiment, chosen, sources), progress=False, **where))
        failed = [row["message"] for _, rows, _ in done for row in rows if row["status"] != "ok"]
        if failed:
            raise RuntimeError(failed[0])
        return time.perf_counter() - started

    seconds(first)
    in_turn = seconds(tasks)
    with LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        seconds(first * n_workers, cluster=cluster.scheduler_address)
        spread = seconds(tasks, cluster=cluster.scheduler_address)
    lines = {"in turn": in_turn, f"Dask, {n_workers} workers": spread}
    study = pd.DataFrame({"seconds": lines}).rename_axis("way")
    return study.assign(dataset=name, tasks=len(tasks))


def cluster_table(study: pd.DataFrame) -> Table:
    """What `cluster_study` measured."""
    frame = study[["seconds"]].rename_axis(None)
    frame["times faster"] = frame["seconds"].iloc[0] / frame["seconds"]
    tasks, name = study["tasks"].iloc[0], study["dataset"].iloc[0]
    caption = (
        f"{tasks} folds of wrapper-AUROC on {name}, measured once, on a machine with two cores. "
        "The paper's pool was about 30 times faster than one machine; how many it had is not said."
    )
    return show(frame, caption=caption, digits=2)
