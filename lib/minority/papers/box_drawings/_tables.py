"""The tables of Box Drawings, from result rows."""

import re

import numpy as np
import pandas as pd

from minority import FastBoxesClassifier, datasets
from minority.experiments import Results
from minority.metrics import area_under_hull
from minority.report import Table, published, show
from minority.statistics import corrected_interval, sign_test

_FOLD = ["dataset", "method", "repeat", "fold"]
_PRUNING_MEASURES = {
    "recall": "recall",
    "specificity": "specificity",
    "auh": "AUH",
    "size": "leaves",
}


def auh_by_fold(results: Results) -> pd.DataFrame:
    """AUH of every (data set, method, repeat, fold) whose ten weights are all there."""
    return results.once(_auh_by_fold)


def _auh_by_fold(results: Results) -> pd.DataFrame:
    rows = results.rows
    rows = rows.assign(
        fpr=rows["fp"] / (rows["fp"] + rows["tn"]), tpr=rows["tp"] / (rows["tp"] + rows["fn"])
    )
    groups = rows.groupby(_FOLD, sort=False)
    fpr, tpr = (rows[name].to_numpy() for name in ("fpr", "tpr"))
    return pd.DataFrame(
        [
            (*key, area_under_hull(fpr[places], tpr[places]))
            for key, places in groups.indices.items()
            if len(places) == len(results.experiment.settings)
        ],
        columns=[*_FOLD, "auh"],
    )


def imbalance(results: Results) -> pd.Series:
    """Negatives per positive of every data set, counted in the test parts."""
    counts = results.rows.groupby("dataset")[["tp", "fp", "fn", "tn"]].sum()
    return (counts["fp"] + counts["tn"]) / (counts["tp"] + counts["fn"])


def fold_matrix(auh: pd.DataFrame) -> pd.DataFrame:
    """Folds as rows, methods as columns."""
    return auh.pivot_table(index=["dataset", "repeat", "fold"], columns="method", values="auh")


def best_methods(folds: pd.DataFrame, alpha: float) -> pd.Series:
    """Which methods are not significantly worse than the best, by the paper's sign test."""
    mean, deviation = folds.mean(), folds.std()
    # equal means: the smaller deviation is the better, as in the paper
    order = pd.DataFrame({"mean": -mean.round(12), "sd": deviation}).sort_values(["mean", "sd"])
    best = order.index[0]
    return pd.Series(
        {m: m == best or sign_test(folds[best], folds[m]) >= alpha for m in folds.columns}
    )


def methods_table(results: Results) -> Table:
    """The methods as they were run."""
    methods = results.experiment.methods.values()
    frame = pd.DataFrame(
        {"setting": [m.about for m in methods]}, index=[m.label for m in methods]
    ).rename_axis("method")
    return show(frame, caption="The methods of Table 5")


def table2(names) -> Table:
    """The data sets: size, imbalance and where they come from."""
    chosen = datasets.describe().set_index("name").loc[list(names)]
    frame = pd.DataFrame(
        {
            "rows": chosen["n"].astype(int),
            "features": chosen["d"].astype(int),
            "positives": chosen["positives"].astype(int),
            "negatives per positive": chosen["imbalance"].astype(float),
            "source": chosen["source"],
            "simulated": chosen["simulated"],
        }
    )
    frame.index.name = "data set"
    return show(
        frame.sort_values("negatives per positive"),
        caption="Table 2: the data sets. The published table is lost.",
        digits=1,
    )


def trivial_shares(results: Results) -> pd.DataFrame:
    """Share of models that predict one class for every test row: data sets x methods."""
    rows = results.rows
    trivial = (rows["tp"] + rows["fp"] == 0) | (rows["fn"] + rows["tn"] == 0)
    shares = rows.assign(trivial=trivial).pivot_table(
        index="dataset", columns="method", values="trivial", observed=True
    )
    order = [m for m in results.experiment.methods if m in shares]
    return shares.loc[_datasets_in(results), order]


def table3(results: Results, methods=None) -> Table:
    """The share of trivial models; bold above one half, as in the paper."""
    shares = trivial_shares(results)
    shares = shares[[m for m in shares if not methods or m in methods]]
    labels = {m: results.experiment.methods[m].label for m in shares}
    shares = shares.rename(columns=labels).rename_axis(index="data set", columns=None)
    ratio = imbalance(results).reindex(shares.index)
    shares = shares.loc[ratio.sort_values(kind="stable").index]
    return show(
        shares,
        bold=shares > 0.5,
        digits=2,
        caption=(
            f"Table 3: share of trivial models over folds and weights ({results.coverage()}), data "
            "sets by rising imbalance. Bold: above one half. Published values are lost."
        ),
    )


def table5(results: Results, methods=None, alpha: float = 0.05) -> Table:
    """AUH: mean and standard deviation over folds; bold as in the paper."""
    matrix = fold_matrix(auh_by_fold(results))
    order = [m for m in results.experiment.methods if m in matrix and (not methods or m in methods)]
    matrix = matrix[order]
    by_dataset = matrix.groupby(level="dataset")
    mean, deviation = by_dataset.mean(), by_dataset.std()
    bold = pd.DataFrame({name: best_methods(folds, alpha) for name, folds in by_dataset}).T
    wanted = [name for name in _datasets_in(results) if name in mean.index]
    labels = {m: results.experiment.methods[m].label for m in order}

    folds = results.rows[["repeat", "fold"]].drop_duplicates().shape[0]

    def arranged(frame):
        frame = frame.loc[wanted, order].rename(columns=labels).rename_axis(columns=None)
        return frame.rename_axis("data set")

    return show(
        arranged(mean),
        spread=arranged(deviation),
        bold=arranged(bold),
        digits=2,
        caption=(
            f"Table 5: AUH, mean ± sd over {folds} folds ({results.coverage()}). Bold: not "
            f"different from the best by a matched-pairs sign test at {alpha:g}. Published values "
            "are lost."
        ),
    )


def _datasets_in(results: Results) -> list[str]:
    return list(dict.fromkeys(results.rows["dataset"]))


def differences(results: Results, against: str, method: str = "fast-boxes") -> pd.DataFrame:
    """Mean AUH difference of two methods per data set, with its corrected interval."""
    matrix = fold_matrix(auh_by_fold(results))
    if not {method, against} <= set(matrix):
        return pd.DataFrame(columns=["difference", "low", "high"], dtype=float)
    share = 1 / results.experiment.folds
    rows = {}
    for name, folds in matrix.groupby(level="dataset"):
        gaps = (folds[method] - folds[against]).dropna()
        rows[name] = corrected_interval(gaps, test_share=share)
    frame = pd.DataFrame(rows, index=["difference", "low", "high"]).T
    wanted = [name for name in _datasets_in(results) if name in frame.index]
    return frame.loc[wanted].rename_axis("data set")


def mean_auh(results: Results, methods) -> pd.DataFrame:
    """Mean AUH over folds, data sets x methods, for ranks; only sets that all methods have."""
    matrix = fold_matrix(auh_by_fold(results))
    present = [m for m in methods if m in matrix]
    return matrix[present].groupby(level="dataset", sort=False).mean().dropna()


def summary_of_table5(results: Results, methods) -> str:
    """How often each method is among the best, and what the second grid of beta was worth."""
    table = table5(results, methods)
    best = [f"{name} {count}" for name, count in table.bold.sum().items()]
    where = f"of {len(table.bold)} data sets"
    lines = [f"Best or not different from the best, {where}: {', '.join(best)}."]
    change = differences(results, "fast-boxes-first-grid")
    if len(change):
        gain, clear = change["difference"], (change["low"] > 0) | (change["high"] < 0)
        lines.append(
            f"Fast Boxes against its first grid: {gain.mean():+.3f} AUH on average, from "
            f"{gain.min():+.3f} to {gain.max():+.3f}; the interval excludes 0 on {clear.sum()} of "
            f"{len(change)} data sets."
        )
    return "\n".join(lines)


def expansion_effect(results: Results) -> pd.DataFrame:
    """Recall, specificity and AUH with and without the final expansion, means over folds."""
    measures = ["recall", "specificity", "auh"]
    means = results.rows.pivot_table(index="dataset", columns="setting", values=measures)
    frame = pd.DataFrame(
        {
            (measure, text): means[measure, setting]
            for measure in measures
            for setting, text in [("expand=yes", "expanded"), ("expand=no", "not expanded")]
        }
        if len(means)
        else {}
    )
    return frame.loc[[n for n in _datasets_in(results) if n in frame.index]].rename_axis("data set")


def pruning_effect(results: Results) -> pd.DataFrame:
    """Unpruned trees against pruned ones: means over data sets, and tests over them.

    Index: tree and measure. `higher` and `lower` count the data sets on which the unpruned tree's
    mean over folds is, with the p-value of the sign test; `clearly` the corrected intervals over
    folds that exclude 0 on either side.
    """
    found = {}
    share = 1 / results.experiment.folds
    for method, rows in results.rows.groupby("method", sort=False):
        label = results.experiment.methods[method].label
        for measure, text in _PRUNING_MEASURES.items():
            folds = rows.pivot_table(
                index=["dataset", "repeat", "fold"], columns="setting", values=measure
            ).dropna()
            gaps = (folds["pruned=no"] - folds["pruned=yes"]).round(12).groupby(level="dataset")
            bounds = np.array([corrected_interval(g, test_share=share) for _, g in gaps])
            means, gap = folds.groupby(level="dataset").mean(), gaps.mean().round(12)
            found[label, text] = {
                "pruned": means["pruned=yes"].mean(),
                "unpruned": means["pruned=no"].mean(),
                "difference": gap.mean(),
                "higher": int((gap > 0).sum()),
                "lower": int((gap < 0).sum()),
                "p": sign_test(gap, 0 * gap),
                "clearly higher": int((bounds[:, 1] > 0).sum()),
                "clearly lower": int((bounds[:, 2] < 0).sum()),
            }
    frame = pd.DataFrame.from_dict(found, orient="index")
    return frame.rename_axis(["tree", "measure"]) if len(frame) else frame


def pruning_table(results: Results) -> Table:
    """What pruning does to the trees of Table 5."""
    return show(
        pruning_effect(results),
        caption=(
            f"Trees with and without pruning ({results.coverage()}): means over the real data "
            "sets; on how many of them the unpruned tree is higher or lower, with the sign test's "
            "p; and on how many the corrected interval over folds excludes 0"
        ),
    )


def study(results: Results, parameter: str) -> pd.DataFrame:
    """Training and test AUH of every split against one parameter of Fast Boxes."""
    rows = results.rows
    values = rows["setting"].astype(str).str.extract(r"=(.+)", expand=False).astype(float)
    return rows.assign(**{parameter: values})[
        ["dataset", parameter, "repeat", "fold", "auh_train", "auh_test"]
    ]


def glass2_model():
    """The paper's printed model: the setting under which Fast Boxes gives it again.

    The paper does not say which weights it printed. Among the scalings, c in 0.1 ... 1 and
    beta in 0, 1, 3, 10, 30, ... only this one agrees with every printed bound that is possible.
    """
    data = datasets.load("glass2")
    model = FastBoxesClassifier(scaling="maxabs", majority_weight=1.0, expansion=30)
    target = np.where(data.y == 1, "glass2", "other glass")
    return model.fit(data.X, target), data.X, target


def glass2_bounds(model) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The bounds of a one-box model on glass2, and those that the paper prints."""
    printed = {n["what"]: n["value"] for n in published("box_drawings")["numbers"]}
    names = list(model.boxes_.feature_names)
    theirs = pd.DataFrame(np.nan, index=names, columns=["at least", "at most"])
    for name, text in printed["glass2 example"].items():
        numbers = [float(number) for number in re.findall(r"\d+\.\d+", text)]
        if text.startswith(">"):
            theirs.loc[name, "at least"] = numbers[0]
        elif text.startswith("<"):
            theirs.loc[name, "at most"] = numbers[0]
        elif text.startswith("between"):
            theirs.loc[name] = numbers
    ours = pd.DataFrame(
        {"at least": model.boxes_.lower[0], "at most": model.boxes_.upper[0]}, index=names
    )
    return ours.replace([np.inf, -np.inf], np.nan), theirs
