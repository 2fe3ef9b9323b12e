"""The tables of Box Drawings, from result rows."""

import functools
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from minority import FastBoxesClassifier
from minority.metrics import area_under_hull
from minority_reports import datasets
from minority_reports.experiments import Results, corrected_gaps, kept
from minority_reports.papers.box_drawings.protocol import (
    FACES,
    PAPER_METHODS,
    weight_setting,
)
from minority_reports.papers.box_drawings.steps import CHAINS, CONFIRMATION, DESIGN
from minority_reports.papers.box_drawings.studies import slopes
from minority_reports.papers.showdown.recommendations import mean_and_interval
from minority_reports.report import Bullets, Table, show, unfinished, unfinished_note
from minority_reports.report.printed import number_of
from minority_reports.report.tables import with_mean
from minority_reports.statistics import bootstrap_interval, excludes_zero, sign_test

#: The way to place faces that claims are judged by, whatever a classifier does by default.
STATED_FACES = "midgap"
#: AUH that counts as equal.
EQUAL = 0.02
#: Level of the paper's sign test.
_ALPHA = 0.05
PLAIN, WITH_MARGIN = "exact-boxes", "exact-boxes-margin"
_EXACT_LABELS = {
    "tight": "Exact, tight faces",
    "midgap": "Exact, faces in mid-gap",
    "expand": "Exact, expanded faces",
    "margin": "Exact, margin 0.05",
}
_MARGINS = {PLAIN: "no margin", WITH_MARGIN: "margin 0.05"}
_FACES_LABELS = {
    "tight": "tight",
    "midgap": "mid-gap",
    "expand": "expanded",
    "largest": "largest",
}
_FOLD = ["dataset", "repeat", "fold"]
_PRUNING_MEASURES = {
    "recall": "recall",
    "specificity": "specificity",
    "auh": "AUH",
    "size": "leaves",
}


def compared(results: Results) -> tuple[str, ...]:
    """What the tables of comparisons show: the paper's methods, then those of a user's own."""
    return (*PAPER_METHODS, *results.experiment.extra)


@kept
def auh(results: Results) -> Results:
    """The results of Table 5 with the measure `auh`: one row in place of the ten weights.

    Only folds with all weights have one.
    """
    rows = results.rows
    fpr, tpr = rows["fp"] / (rows["fp"] + rows["tn"]), rows["tp"] / (rows["tp"] + rows["fn"])
    areas = _areas(results, rows, ["method", *_FOLD], {"auh": (fpr, tpr)})
    plan = replace(results.experiment, settings=("all",), measures=("auh",))
    found = areas.reset_index().assign(setting="all")
    return replace(results, experiment=plan, rows=found, _kept={})


def _areas(results, rows, by, rates) -> pd.DataFrame:
    """Areas under the hulls of the points of each group that has all settings.

    `rates` are pairs of false and true positive rates, by the name of the area.
    """
    points = {name: [rate.to_numpy(float) for rate in pair] for name, pair in rates.items()}
    groups = rows.groupby(by, sort=False).indices
    found = {
        key: [_area(tuple(fpr[places]), tuple(tpr[places])) for fpr, tpr in points.values()]
        for key, places in sorted(groups.items(), key=lambda group: group[1][0])
        if len(places) == len(results.experiment.settings)
    }
    index = pd.MultiIndex.from_tuples(list(found), names=by)
    return pd.DataFrame(list(found.values()), index=index, columns=list(points), dtype=float)


#: The same points come in every selection of data sets and methods.
_area = functools.cache(area_under_hull)


def auh_matrix(results: Results) -> pd.DataFrame:
    """AUH: a row for each data set, repeat and fold, a column for each method of Table 5."""
    return auh(results).matrix("auh")


def imbalance(results: Results) -> pd.Series:
    """Negatives per positive of every data set, counted in the test parts."""
    counts = results.class_counts()
    return counts["negatives"] / counts["positives"]


def best_methods(scores: np.ndarray, alpha: float) -> np.ndarray:
    """Which methods are not significantly worse than the best, by the paper's sign test.

    ``scores`` are methods x folds without gaps: a method that lacks folds is no part of the
    comparison.
    """
    # equal means: the smaller deviation is the better, as in the paper
    best = np.lexsort((scores.std(axis=1, ddof=1), -scores.mean(axis=1).round(12)))[0]
    level = [sign_test(scores[best], others) >= alpha for others in scores]
    return np.array(level) | (np.arange(len(scores)) == best)


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
    return _shares(results, (rows["tp"] + rows["fp"] == 0) | (rows["fn"] + rows["tn"] == 0))


def majority_only_shares(results: Results) -> pd.DataFrame:
    """Share of unweighted models (c = 1) that find no positive at all: data sets x methods."""
    rows = results.rows[results.rows["setting"] == weight_setting(1.0)]
    return _shares(replace(results, rows=rows, _kept={}), rows["tp"] + rows["fp"] == 0)


def _shares(results, is_one):
    shares = results.rows.assign(share=is_one).pivot_table(
        index="dataset", columns="method", values="share", observed=True
    )
    order = [m for m in results.experiment.methods if m in shares]
    return shares.loc[results.datasets, order]


def table3(results: Results, methods=None) -> Table:
    """The share of trivial models; bold above one half, as in the paper."""
    shares = trivial_shares(results)
    shares = shares[[m for m in methods or compared(results) if m in shares]]
    ratio = imbalance(results).reindex(shares.index)
    shares = shares.loc[ratio.sort_values(kind="stable").index]
    marks = unfinished(results, list(shares), shares.index)

    def arranged(frame):
        return frame.rename(columns=results.labels).rename_axis(index="data set", columns=None)

    return show(
        arranged(shares),
        bold=arranged((shares > 0.5) & (marks == "")),
        marks=arranged(marks),
        digits=2,
        caption=(
            f"Table 3: share of trivial models over folds and weights{results.shortfall}, data "
            "sets by rising imbalance. Bold: above one half. Published values are lost."
            f"{unfinished_note(marks)}"
        ),
    )


def table5(results: Results, methods=None, alpha: float = _ALPHA) -> Table:
    """AUH: mean and standard deviation over folds; bold as in the paper."""
    matrix = auh_matrix(results)
    order = [m for m in methods or compared(results) if m in matrix]
    marks = unfinished(results, order, matrix.index.unique("dataset"))
    folds = results.rows[["repeat", "fold"]].drop_duplicates().shape[0]
    what = "Table 5" if methods is None else "Chosen methods of Table 5"
    caption = (
        f"{what}: AUH, mean ± sd over {folds} folds{results.shortfall}. Bold: not different "
        f"from the best by a matched-pairs sign test at {alpha:g}. Published values are lost."
        f"{unfinished_note(marks)}"
    )
    bold = bold_cells(auh_matrix(results.complete()), order, alpha)
    return _over_folds(matrix[order], bold, marks, results.labels, caption)


def _over_folds(matrix, bold, marks, labels, caption) -> Table:
    """Mean and standard deviation over folds, data sets x methods."""
    groups = matrix.groupby(level="dataset", sort=False)
    mean, spread = groups.mean(), groups.std()

    def arranged(frame, **gap):
        frame = frame.reindex(index=mean.index, columns=mean.columns, **gap)
        return frame.rename(columns=labels).rename_axis(index="data set", columns=None)

    return show(
        arranged(mean),
        spread=arranged(spread),
        bold=arranged(bold, fill_value=False),
        marks=arranged(marks),
        digits=2,
        caption=caption,
    )


def bold_cells(matrix: pd.DataFrame, methods, alpha: float = _ALPHA) -> pd.DataFrame:
    """Data sets x methods: what is not different from the best of those complete on the set.

    ``matrix`` has folds as rows, and only complete cells: a method has all folds of a set or none.
    """
    matrix = matrix.reindex(columns=list(methods))
    folds, sets = matrix.to_numpy(dtype=float), matrix.index.get_level_values("dataset")
    found = {}
    for name in sets.unique():
        scores = folds[sets == name].T
        known = ~np.isnan(scores).all(axis=1)
        if known.any():
            found[name] = np.zeros(len(scores), dtype=bool)
            found[name][known] = best_methods(scores[known], alpha)
    return pd.DataFrame(list(found.values()), index=list(found), columns=matrix.columns, dtype=bool)


def among_the_best(folds: pd.DataFrame) -> pd.DataFrame:
    """Data sets x methods: what is among the best, of complete folds x methods.

    It is bold in the paper's sense, and its mean AUH is at most :data:`EQUAL` below the best: ten
    folds are few, so that the test alone calls large differences none.
    """
    means = folds.groupby(level="dataset", sort=False).mean()
    close = means.ge(means.max(axis="columns") - EQUAL, axis="index")
    return bold_cells(folds, list(folds)) & close


@kept
def exact_auh(results: Results, method: str = PLAIN) -> pd.DataFrame:
    """AUH of every fold whose ten weights are there: folds x (ways to place faces, Fast Boxes)."""
    rows = results.rows_of(method=method)
    counted = [name for name in results.experiment.measures if name.startswith("tp_")]
    rates = {
        name: (rows[f"fp_{name}"] / rows["negatives"], rows[f"tp_{name}"] / rows["positives"])
        for name in (count.removeprefix("tp_") for count in counted)
    }
    return _areas(results, rows, _FOLD, rates)


def with_exact(table4: Results, table5: Results) -> pd.DataFrame:
    """AUH of the ten methods of Table 5 and of Exact Boxes, on the folds that all have."""
    exact = exact_auh(table4)[STATED_FACES].rename(PLAIN)
    return auh_matrix(table5).join(exact, how="inner")


def exact_rows(results: Results) -> pd.DataFrame:
    """The solves of Exact Boxes, with and without a margin, on complete data sets."""
    rows = results.complete().rows
    return rows[rows["method"].isin([PLAIN, WITH_MARGIN])]


def exact_matrix(exact: Results, others: Results, methods) -> pd.DataFrame:
    """AUH of the folds of every set of Table 4: Exact Boxes in all ways, and methods of Table 5."""
    ours = exact_auh(exact)[list(FACES)]
    ours = ours.join(exact_auh(exact, WITH_MARGIN)[STATED_FACES].rename("margin"), how="outer")
    theirs = auh_matrix(others).reindex(columns=list(methods))
    names = [name for name in exact.experiment.datasets if name in ours.index.unique("dataset")]
    names += [name for name in ours.index.unique("dataset") if name not in names]
    matrix = ours.join(theirs, how="outer")
    return pd.concat([matrix.loc[[name]] for name in names] or [matrix.iloc[:0]])


def table4(exact: Results, others: Results, alpha: float = _ALPHA) -> Table:
    """AUH of Exact Boxes with both ends of its faces, beside the methods of Table 5."""
    methods = compared(others)
    matrix = exact_matrix(exact, others, methods)
    names = matrix.index.unique("dataset")
    bold = bold_cells(exact_matrix(exact.complete(), others.complete(), methods), matrix, alpha)
    of_exact = dict.fromkeys(FACES, (PLAIN,)) | {"margin": (WITH_MARGIN,)}
    marks = [unfinished(exact, of_exact, names), unfinished(others, methods, names)]
    marks = pd.concat(marks, axis="columns")
    proven = (exact.rows["status"] == "ok").sum()
    caption = (
        f"Table 4: AUH of Exact Boxes, mean ± sd over folds ({exact.coverage()}; {proven:,} of "
        f"{len(exact.rows):,} solves proven optimal). Bold: not different from the best of the row "
        f"by a matched-pairs sign test at {alpha:g}. Published values are lost."
        f"{unfinished_note(marks)}"
    )
    return _over_folds(matrix, bold, marks, _EXACT_LABELS | others.labels, caption)


def exact_gains(results: Results, method: str = PLAIN) -> pd.DataFrame:
    """Test AUH of Exact Boxes minus that of Fast Boxes by data set, with corrected intervals."""
    areas = exact_auh(results, method)
    return corrected_gaps(areas[STATED_FACES] - areas["fast"], results.experiment)


def faces_means(results: Results) -> pd.DataFrame:
    """Mean AUH by data set: (margin, way to place the faces), and Fast Boxes.

    Only data sets with all folds with and without a margin, for which Fast Boxes is the same.
    """
    whole = results.complete(_MARGINS)
    areas = {
        margin: exact_auh(whole, method).groupby(level="dataset", sort=False).mean()
        for method, margin in _MARGINS.items()
    }
    frame = pd.concat(areas, axis="columns").rename(columns=_FACES_LABELS, level=1)
    frame["", "Fast Boxes"] = frame["no margin", "fast"]
    order = [name for name in results.experiment.datasets if name in frame.index]
    return frame.drop(columns="fast", level=1).loc[order].rename_axis("data set")


def faces_table(results: Results) -> Table:
    """AUH of the same solves with their faces placed in four ways, beside Fast Boxes."""
    frame = faces_means(results)
    folds = results.cells().groupby(level="dataset", sort=False).sum()
    absent = folds[folds["there"] < folds["of"]]
    marks = "; ".join(f"{name} {row.there} of {row.of}" for name, row in absent.iterrows())
    caption = (
        "AUH of Exact Boxes by where the faces are placed, and of Fast Boxes: means over folds of "
        f"the solves of Table 4{results.shortfall}."
    )
    caption += f" Left out, with the folds that are there: {marks}." if marks else ""
    return show(with_mean(frame), caption=caption, rule_above="mean")


def faces_summary(results: Results) -> str:
    """What the largest faces bring, and what is left of the gap to Fast Boxes."""
    frame = faces_means(results)
    if len(frame) < 2:
        return "Fewer than two data sets have all rows."
    lines = []
    for margin in _MARGINS.values():
        largest, fast = frame[margin, "largest"], frame["", "Fast Boxes"]
        for other, values in {"mid-gap": frame[margin, "mid-gap"], "Fast Boxes": fast}.items():
            gap = largest - values
            lines.append(
                f"{margin}: AUH of the largest faces {largest.mean():.3f}, of {other} "
                f"{values.mean():.3f} ({mean_and_interval(gap)}); higher on {(gap > 0).sum()} and "
                f"lower on {(gap < 0).sum()} of {len(gap)} data sets."
            )
    return "\n".join(lines)


def proofs(results: Results, method: str = PLAIN) -> pd.DataFrame:
    """How many solves of each data set are proven, the worst gap, and the gain over Fast Boxes.

    The gain in test AUH is that of data sets with all folds.
    """
    rows = results.rows_of(method=method)
    relative_gap = (rows["bound"] - rows["objective"]) / rows["objective"].abs()
    gain = rows["objective"] - rows["fast_objective"]
    groups = rows.assign(proven=rows["status"] == "ok", gap=100 * relative_gap, gain=gain).groupby(
        "dataset", sort=False
    )
    gains = exact_gains(results.complete(), method)
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
    test = gains.drop(columns="splits").rename(columns={"difference": "test AUH, gain"})
    return frame.join(test).rename_axis("data set")


def summary_of_exact(results: Results) -> str:
    """What the proofs say about Fast Boxes, in a few lines."""
    lines = []
    for method in (PLAIN, WITH_MARGIN):
        rows, table = results.rows_of(method=method), proofs(results, method)
        if rows.empty:
            continue
        proven = rows["status"] == "ok"
        gap = ((rows["bound"] - rows["objective"]) / rows["objective"].abs()).max()
        short = rows["objective"] - rows["fast_objective"]
        gain = table["test AUH, gain"]
        above, below = (table["low"] > 0).sum(), (table["high"] < 0).sum()
        lines += [
            f"{results.labels[method]}: {proven.sum():,} of {len(rows):,} solves "
            f"proven optimal, worst gap {100 * gap:.2f} %.",
            f"  Training: Fast Boxes is below the optimum in {(short > 1e-9).sum():,} solves, by "
            f"{short.mean():.1f} positives on average and {short.max():.1f} at most.",
            f"  Test AUH (faces in mid-gap) minus that of Fast Boxes: {gain.mean():+.3f} on "
            f"average over {gain.count()} data sets, from {gain.min():+.3f} to {gain.max():+.3f}; "
            f"the interval is above 0 on {above} and below 0 on {below}.",
        ]
    return "\n".join(lines) or "No rows of this selection are stored."


def differences(results: Results, against: str, method: str = "fast-boxes") -> pd.DataFrame:
    """Mean AUH difference of two methods per data set that both have, with corrected interval."""
    gaps = auh(results).complete([method, against]).gaps("auh", method, against)
    return gaps[["difference", "low", "high"]].astype(float)


def mean_auh(results: Results, methods=None) -> pd.DataFrame:
    """Mean AUH over folds, data sets x methods, for ranks.

    The data sets are those on which the paper's methods are complete; another method takes part if
    it is complete on all of them.
    """
    methods = list(methods or compared(results))
    of_paper = [name for name in methods if name in PAPER_METHODS]
    areas = auh(results)
    return areas.means("auh", areas.comparable(of_paper or methods, methods))


def summary_of_table5(results: Results) -> str:
    """How often each of the paper's methods is among the best; what the grid of beta is worth."""
    table = table5(results, PAPER_METHODS)
    best = [f"{name} {count}" for name, count in table.bold.sum().items()]
    where = f"of {len(table.bold)} data sets"
    lines = [f"Best or not different from the best, {where}: {', '.join(best)}."]
    change = differences(results, "fast-boxes-first-grid")
    if len(change):
        gain, clear = change["difference"], excludes_zero(change)
        lines.append(
            f"Fast Boxes against its first grid: {gain.mean():+.3f} AUH on average, from "
            f"{gain.min():+.3f} to {gain.max():+.3f}; the interval excludes 0 on {clear.sum()} of "
            f"{len(change)} data sets."
        )
    return "\n".join(lines)


def expansion_effect(results: Results) -> pd.DataFrame:
    """Recall, specificity and AUH with and without the final expansion, means over folds."""
    frame = pd.DataFrame(
        {
            (measure, text): results.means(measure, setting=setting)["fast-boxes"]
            for measure in ("recall", "specificity", "auh")
            for setting, text in [("expand=yes", "expanded"), ("expand=no", "not expanded")]
        }
    )
    return frame.rename_axis("data set")


def pruning_effect(results: Results) -> pd.DataFrame:
    """Unpruned trees against pruned ones: means over data sets, and tests over them.

    Index: tree and measure. `higher` and `lower` count the data sets on which the unpruned tree's
    mean over folds is, with the p-value of the sign test; `clearly` the corrected intervals over
    folds that exclude 0 on either side.
    """
    found = {}
    results = results.complete()
    for method in dict.fromkeys(results.rows["method"]):
        for measure, text in _PRUNING_MEASURES.items():
            settings = results.experiment.settings
            folds = {s: results.matrix(measure, setting=s)[method] for s in settings}
            folds = pd.DataFrame(folds).dropna()
            gaps = (folds["pruned=no"] - folds["pruned=yes"]).round(12)
            bounds = corrected_gaps(gaps, results.experiment)
            gap = gaps.groupby(level="dataset").mean().round(12)
            means = folds.groupby(level="dataset").mean()
            found[results.labels[method], text] = {
                "pruned": means["pruned=yes"].mean(),
                "unpruned": means["pruned=no"].mean(),
                "difference": gap.mean(),
                "higher": int((gap > 0).sum()),
                "lower": int((gap < 0).sum()),
                "p": sign_test(gap, 0 * gap),
                "clearly higher": int((bounds["low"] > 0).sum()),
                "clearly lower": int((bounds["high"] < 0).sum()),
            }
    frame = pd.DataFrame.from_dict(found, orient="index")
    return frame.rename_axis(["tree", "measure"]) if len(frame) else frame


def pruning_table(results: Results) -> Table:
    """What pruning does to the trees of Table 5."""
    return show(
        pruning_effect(results),
        caption=(
            f"Trees with and without pruning{results.shortfall}: means over the real data "
            "sets; on how many of them the unpruned tree is higher or lower, with the sign test's "
            "p; and on how many the corrected interval over folds excludes 0"
        ),
    )


def study(results: Results, parameter: str) -> pd.DataFrame:
    """Training and test AUH of every split against one parameter of Fast Boxes."""
    results = results.complete(["fast-boxes"])
    return results.rows.assign(**{parameter: results.setting_numbers()})[
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
    names = list(model.boxes_.feature_names)
    theirs = pd.DataFrame(np.nan, index=names, columns=["at least", "at most"])
    for name, text in number_of("box_drawings", "glass2 example").items():
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


def real_clustering(table5: Results, clusters: Results) -> pd.DataFrame:
    """Of the real sets: how clustered positives are, and AUH of Fast Boxes minus that of CART.

    The difference is over folds, with its corrected interval `low` to `high`.
    """
    found = clusters.complete(["clustering"]).rows.groupby("dataset")["clustering"].mean()
    return differences(table5, "cart").join(found.astype(float), how="inner")


def growth_table(study: pd.DataFrame) -> Table:
    """Times and steps, with the exponents of growth below them."""
    exponents = slopes(study)
    shown = pd.concat(
        [
            study.set_axis([f"{grows} = {value:,}" for grows, value in study.index]),
            exponents.set_axis([f"exponent of {grows}" for grows in exponents.index]),
        ]
    )
    return show(
        shown,
        digits=2,
        rule_above=f"exponent of {exponents.index[0]}",
        caption=(
            "One fit as rows n (with 8 features) or features d (with 10,000 rows) grow: processor "
            "milliseconds (best of two) and counted steps; below the line the exponents of growth"
        ),
    )


# Boxes at their best

#: The data sets of the steps, by what they were for.
HALVES = {"design": DESIGN, "confirmation": CONFIRMATION}
#: What the steps are compared with.
TREE = "cart-3"
#: The class for readable boxes as it is by default.
DEFAULTS = "exact-simplest"
_QUALITY = {"g_mean": "G-mean", "average_precision": "AP", "f1": "F1"}
_STEP_COLUMNS = {
    **_QUALITY,
    "conditions": "conditions",
    "seconds": "seconds",
    "proven": "proven, %",
    "change": "change in G-mean",
    "low": "from",
    "high": "to",
}


def steps_of(results: Results) -> dict[str, list[str]]:
    """The steps that have rows, in order, by chain."""
    present = set(results.rows["method"])
    return {chain: [s for s in steps if s in present] for chain, steps in CHAINS.items()}


def step_scores(results: Results, half: str, measure: str = "g_mean") -> pd.DataFrame:
    """Means over folds: data sets of a half on which all steps are complete x steps."""
    names = [name for steps in steps_of(results).values() for name in steps]
    return results.on_datasets(HALVES[half]).means(measure, names)


@kept
def step_frame(results: Results, half: str) -> pd.DataFrame:
    """What each step reaches and brings on a half of the data sets.

    Means over data sets, but for the median `seconds` of a fit; `proven` is the percentage of folds
    with a proof. `change` is the G-mean minus that of the step before, with its bootstrap interval
    over data sets from `low` to `high`.
    """
    scores = {name: step_scores(results, half, name) for name in (*_QUALITY, "conditions")}
    frame = pd.DataFrame({name: means.mean() for name, means in scores.items()})
    sets = scores["g_mean"].index
    rows = results.rows[results.rows["dataset"].isin(sets) & results.rows["bound"].notna()]
    proven = 100 * rows["bound"].eq(rows["objective"])
    frame["proven"] = proven.groupby(rows["method"]).mean()
    if len(results.timings):
        timings = results.timings[results.timings["dataset"].isin(sets)]
        frame["seconds"] = timings.groupby("method")["fit_s"].median()
    for steps in steps_of(results).values():
        for before, step in pairwise(steps):
            gains = scores["g_mean"][step] - scores["g_mean"][before]
            frame.loc[step, ["change", "low", "high"]] = bootstrap_interval(gains)
    return frame.reindex(columns=list(_STEP_COLUMNS))


def steps_table(results: Results) -> Table:
    """What each step brings, on the sets that it was designed on and on the others."""
    frames = {half: step_frame(results, half) for half in HALVES}
    bold = {
        half: pd.DataFrame({"change": excludes_zero(frame)}, index=frame.index)
        .reindex(columns=frame.columns)
        .eq(True)
        for half, frame in frames.items()
    }
    sets = [f"{len(step_scores(results, half))} of {len(HALVES[half])} {half}" for half in HALVES]
    caption = (
        f"Boxes step by step: means over the data sets that all steps have complete "
        f"({' and '.join(sets)} sets; {results.coverage()}), medians of the seconds of a fit, the "
        "percentage of folds with a proof, and the change from the step before with its 95 % "
        "bootstrap interval over data sets (bold if it excludes 0). Folds cut off by a time limit: "
        f"{results.rows['status'].eq('time limit').sum():,}."
    )
    return show(_by_step(frames), caption=caption, bold=_by_step(bold))


def _by_step(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Frames of both halves as one, with steps as they are called."""
    named = {step: (chain, text) for chain in CHAINS for step, (text, *_) in CHAINS[chain].items()}
    index = [(half, *named[step]) for half, frame in frames.items() for step in frame.index]
    frame = pd.concat(frames.values()).rename(columns=_STEP_COLUMNS)
    names = ["sets", "model", "step"]
    return frame.set_axis(pd.MultiIndex.from_tuples(index, names=names)) if index else frame


def against_tree(results: Results, half: str) -> pd.DataFrame:
    """Each step less the tree: (measure, mean `difference`, `from`, `to`, sets `won`, `lost`)."""
    parts = {}
    for measure, text in _QUALITY.items():
        scores = step_scores(results, half, measure)
        if TREE not in scores:
            return pd.DataFrame()
        gaps = scores.drop(columns=TREE).sub(scores[TREE], axis="index").round(12)
        lines = {
            step: (*bootstrap_interval(gap), (gap > 0).sum(), (gap < 0).sum())
            for step, gap in gaps.items()
        }
        columns = ["difference", "from", "to", "won", "lost"]
        parts[text] = pd.DataFrame.from_dict(lines, orient="index", columns=columns)
    return pd.concat(parts, axis="columns")


def tree_table(results: Results) -> Table:
    """The steps against a balanced tree of depth 3."""
    frames = {half: against_tree(results, half) for half in HALVES}
    caption = (
        f"Each step less {results.labels[TREE]}: mean differences over data sets with 95 % "
        f"bootstrap intervals, and how many sets were won and lost{results.shortfall}"
    )
    return show(_by_step(frames), caption=caption)


def steps_in_words(results: Results) -> Bullets:
    """How the class with its defaults compares with the tree, on either half of the sets."""
    sentences = []
    for half in HALVES:
        gaps = against_tree(results, half)
        if gaps.empty or DEFAULTS not in gaps.index:
            continue
        means = step_frame(results, half)
        sets = len(step_scores(results, half))
        size, of_tree = means.loc[[DEFAULTS, TREE], "conditions"]
        parts = []
        for measure, text in _QUALITY.items():
            gap = gaps.loc[DEFAULTS, text]
            ours, theirs = means.loc[[DEFAULTS, TREE], measure]
            parts.append(
                f"{text} {ours:.3f} against {theirs:.3f} (difference {gap['difference']:+.3f} "
                f"[{gap['from']:+.3f}, {gap['to']:+.3f}], {gap['won']:.0f} sets won, "
                f"{gap['lost']:.0f} lost)"
            )
        sentences.append(
            f"On the {sets} {half} sets, ExactBoxesClassifierCV with its defaults against the "
            f"balanced tree of depth 3: {'; '.join(parts)}; {size:.1f} conditions against "
            f"{of_tree:.1f}, {size / of_tree:.0%} of them."
        )
    return Bullets(sentences or ["No data set has the rows of all steps."])


_WHOLE = "whole"


def section6_frame(results: Results) -> pd.DataFrame:
    """What the two ways of section 6 cost and reach, by way and data set.

    Only data sets that all ways have complete: `seconds` of processor time for the solves of a
    fold, the share of negatives `kept` for the first of two solves, the `proven` percentage of
    solves, how far the training objective is `below` the best that any way found, in positives,
    and the test AUH.
    """
    results = results.of_protocol()
    whole = results.complete(results.experiment.methods)
    rows = whole.rows
    best = rows.groupby([*_FOLD, "setting"])["objective"].transform("max")
    groups = rows.assign(
        proven=100.0 * rows["bound"].eq(rows["objective"]), below=best - rows["objective"]
    ).groupby(["method", "dataset"], sort=False)
    frame = groups[["kept", "proven", "below"]].mean()
    frame.insert(0, "seconds", whole.timings.groupby(["method", "dataset"])["solve_s"].mean())
    frame["AUH"] = auh(whole).rows.groupby(["method", "dataset"])["auh"].mean()
    order = pd.MultiIndex.from_product([results.experiment.methods, whole.datasets])
    return frame.reindex(order).rename_axis(["way", "data set"])


def section6_table(results: Results) -> Table:
    """Means over data sets of what the ways of section 6 cost and reach."""
    frame = section6_frame(results)
    sets = len(frame.index.unique("data set"))
    total = frame["seconds"].groupby(level="way", sort=False).sum()
    means = frame.groupby(level="way", sort=False).mean()
    means["seconds"] = total
    means.insert(1, "of all at once", total / total.get(_WHOLE))
    means.columns = [
        *("seconds", "share of all at once", "negatives kept", "proven, %"),
        *("objective below the best", "AUH"),
    ]
    return show(
        means.rename(index=results.labels),
        digits=3,
        caption=(
            f"Section 6: two ways to larger data on {sets} of {len(results.experiment.datasets)} "
            "data sets of Table 4: processor seconds for the ten weights of a fold, summed over "
            "data sets; means of the rest. Faces in mid-gap."
        ),
    )
