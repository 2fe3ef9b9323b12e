"""The tables of Boosting-SVM: what was measured, beside the published numbers that survive.

The paper's tables are lost but for some means and counts in its text. All numbers are in per cent.
Stand-ins for data that is not public are shown and never counted.
"""

from functools import partial

import numpy as np
import pandas as pd

from minority_reports.experiments import Results, kept
from minority_reports.papers.boosting_svm.protocol import LEVELS, MAIN, PUBLIC, SHARES, STAND_INS
from minority_reports.report import Table, show, unfinished, unfinished_note
from minority_reports.report.printed import number_of
from minority_reports.report.tables import against_each, best_of_rows, facts, with_mean


def at_levels(name):
    return tuple(f"{name}-{level}" for level in LEVELS)


#: The columns of Tables 2 to 7; results at the levels of oversampling are averaged.
ENSEMBLES = {
    "I": ("adacost",),
    "II": at_levels("smoteboost"),
    "III": ("wrf",),
    "IV": ("databoost-im",),
}
SVM_BASED = {
    "V": ("undersampling",),
    "VI": at_levels("smote"),
    "VII": ("asymmetric",),
    "VIII": at_levels("smote-asymmetric"),
    "B-SVM": ("b-svm",),
}
COLUMNS = ENSEMBLES | SVM_BASED
LABELS = {
    "I": "I AdaCost",
    "II": "II SMOTEBoost",
    "III": "III weighted forest",
    "IV": "IV DataBoost-IM",
    "V": "V undersampling",
    "VI": "VI SMOTE",
    "VII": "VII asymmetric cost",
    "VIII": "VIII SMOTE + VII",
}
_READINGS = {
    "I, asymmetric": ("adacost-asymmetric",),
    "II, asymmetric": at_levels("smoteboost-asymmetric"),
    "III, scikit-learn": ("wrf-sklearn",),
    "IV, asymmetric": ("databoost-im-asymmetric",),
}
#: Other readings of the baselines, and what else is compared.
FURTHER_COLUMNS = _READINGS | {
    "SVM": ("svm",),
    "copies": at_levels("copies"),
    "bagged": ("bagged",),
}
TREE_COLUMNS = {
    "I, C4.5": ("adacost-tree",),
    "II, C4.5": at_levels("smoteboost-tree"),
    "IV, C4.5": ("databoost-im-tree",),
}
#: The paper's names of its data sets.
PAPER_NAMES = {
    "abalone19_uci": "Abalone19",
    "breast_w": "B-cancer (?)",
    "breast_y": "B-cancer (?)",
    "car-good": "Car3",
    "glass7": "Glass7",
    "heart_cleveland1": "Heart-disease1",
    "letter": "Letter4",
    "segment": "Segment",
    "yeast_me2": "Yeast",
    "simulated-lupus-1": "Lupus-I",
    "simulated-lupus-2": "Lupus-II",
    "simulated-stroke-1": "Stroke-I",
    "simulated-stroke-2": "Stroke-II",
}
MEAN = "mean of the public sets"
number = partial(number_of, "boosting_svm")
#: How many data sets the paper has.
DOMAINS = len(number("UCI sets")) + len(STAND_INS)


def added_columns(results: Results) -> dict[str, tuple[str]]:
    """A column for each method that is not part of the protocol, by its label."""
    taken = COLUMNS | FURTHER_COLUMNS
    labels = {name: results.labels[name] for name in results.experiment.extra}
    return {f"{text} (added)" if text in taken else text: (name,) for name, text in labels.items()}


@kept
def by_fold(results: Results, measure: str, setting: str = SHARES[0]) -> pd.DataFrame:
    """A measure for each data set, repeat and fold (rows) and method (columns); complete cells."""
    matrix = results.complete().matrix(measure, setting=setting)
    return matrix.reindex(columns=list(results.experiment.methods))


def fold_scores(
    results: Results, measure: str = "g_mean", setting: str = SHARES[0], columns=COLUMNS
) -> pd.DataFrame:
    """A measure by fold, averaged over levels, in per cent: folds x columns."""
    return _grouped(by_fold(results, measure, setting), columns)


def scores(
    results: Results, measure: str = "g_mean", setting: str = SHARES[0], columns=COLUMNS
) -> pd.DataFrame:
    """Means over folds, and over levels, in per cent: data sets x columns.

    A gap where a method has not all folds.
    """
    return _grouped(_means_by_set(results, measure, setting), columns)


@kept
def _means_by_set(results, measure, setting):
    return by_fold(results, measure, setting).groupby(level="dataset", sort=False).mean()


def pooled_scores(results: Results, setting: str = SHARES[0], columns=COLUMNS) -> pd.DataFrame:
    """G-means of the counts of all folds together, in per cent, averaged over levels."""
    counts = {m: by_fold(results, m, setting).groupby(level="dataset", sort=False) for m in _COUNTS}
    tp, fp, fn, tn = (groups.sum(min_count=1) for groups in counts.values())
    return _grouped(np.sqrt(tp / (tp + fn) * tn / (tn + fp)), columns)


_COUNTS = ("tp", "fp", "fn", "tn")


def _grouped(values, columns):
    means = {
        name: values[of[0]] if len(of) == 1 else values[list(of)].mean(axis=1, skipna=False)
        for name, of in columns.items()
    }
    return 100 * pd.DataFrame(means, index=values.index)


def ranked(*parts: tuple[Results, tuple[str, ...]]) -> pd.DataFrame:
    """G-means of the paper's nine methods and of added ones, for mean ranks: data sets x columns.

    `parts` are the results of experiments, each with the data sets to take from it. An added
    method is there if it has no gap where the nine have none.
    """
    frame = pd.concat(
        [scores(r, columns=COLUMNS | added_columns(r)).reindex(list(names)) for r, names in parts]
    )
    complete = frame.dropna(subset=list(COLUMNS))
    return frame[[c for c in frame if c in COLUMNS or complete[c].notna().all()]]


def folds_text(results: Results) -> str:
    """How many folds the means are over: ten, but for a selection."""
    folds = results.rows["fold"].nunique() or results.experiment.folds
    return "one fold" if folds == 1 else f"{folds} folds"


def table1() -> Table:
    """The data sets: ours by the registry, of the paper's only the four from health care."""
    known = facts([*PUBLIC, *STAND_INS]).rename(columns={"d": "features"})
    known["negatives"] = known["n"] - known["positives"]
    ours = known[["n", "features", "positives", "negatives"]].astype("Int64")
    theirs = {}
    for name in STAND_INS:
        value = number(PAPER_NAMES[name])
        theirs[name] = [value["n"], value["d"], value["pos"], value["neg"]]
    theirs = pd.DataFrame.from_dict(theirs, orient="index", columns=list(ours), dtype="Int64")
    frame = show(ours, theirs).frame.drop(columns="difference", level=1)
    frame.insert(0, ("paper", ""), [PAPER_NAMES[name] for name in frame.index])
    frame["ratio", "ours"] = known["imbalance"]
    caption = (
        "Table 1: data sets. The counts of the public ones are lost in the paper; the last four "
        "are SIMULATED, with the published shape."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=1)


def gmean_table(
    results: Results,
    measure: str = "g_mean",
    columns=COLUMNS,
    *,
    setting: str = SHARES[0],
    names=None,
    title: str,
) -> Table:
    """One of Tables 2 to 7: a measure of some columns; bold is the best of all nine.

    Behind Boosting-SVM come methods that are not part of the protocol, never in bold.
    """
    names = list(MAIN.datasets if names is None else names)
    added = added_columns(results) if "B-SVM" in columns else {}
    everything = scores(results, measure, setting, COLUMNS | dict(columns) | added).reindex(names)
    frame = everything[[*columns, *added]]
    compared = everything[list(COLUMNS)] if set(columns) <= set(COLUMNS) else frame
    public = [name for name in names if not _is_stand_in(name)]
    frame = pd.concat([frame, _mean_row(frame, public)])
    best = pd.concat([compared, _mean_row(compared, public)]).round(9).max(axis=1)
    bold = frame.round(9).eq(best, axis=0) & frame.notna()
    bold[list(added)] = False
    whose = "of all nine methods" if set(columns) <= set(COLUMNS) else "of these"
    marks = unfinished(results, {**columns, **added}, frame.index)
    caption = (
        f"{title}, means over {folds_text(results)} in per cent{results.shortfall}; bold "
        f"is the best {whose}, italics are SIMULATED and not in the mean.{unfinished_note(marks)}"
    )
    return show(
        frame.rename_axis("data set"),
        caption=caption,
        digits=2,
        bold=bold,
        italic=_in_stand_ins(frame),
        marks=marks,
        rule_above=MEAN,
    )


def _mean_row(frame, names):
    return frame.loc[names].mean(skipna=False).to_frame(MEAN).T


def _is_stand_in(name):
    return str(name).startswith("simulated-")


def _in_stand_ins(frame):
    """Which cells of a table are of a stand-in."""
    rows = [_is_stand_in(name) for name in frame.index]
    return pd.DataFrame(dict.fromkeys(frame, rows), index=frame.index)


def disparity(results: Results, columns=COLUMNS, setting: str = SHARES[0]) -> pd.DataFrame:
    """|specificity - sensitivity| of the means over folds, in points."""
    both = [scores(results, m, setting, columns) for m in ("specificity", "sensitivity")]
    return (both[0] - both[1]).abs()


def table8(results: Results, names=None) -> Table:
    """|specificity - sensitivity| of IV, VII and B-SVM, with the published means."""
    names = list(MAIN.datasets if names is None else names)
    frame = disparity(results).reindex(names)[["IV", "VII", "B-SVM"]]
    public = [name for name in names if not _is_stand_in(name)]
    larger = frame.loc[public].gt(frame.loc[public, "B-SVM"], axis=0).sum().astype(float)
    theirs = dict(zip(frame, number("mean |spec-sens| IV, VII, B-SVM"), strict=True))
    frame.loc[MEAN] = frame.loc[public].mean(skipna=False)
    frame.loc["published mean of 12"] = theirs
    of_twelve = number("domains with larger gap than B-SVM")
    frame.loc[f"public sets, of {len(public)}, with more than B-SVM"] = larger.mask(
        frame.loc[MEAN].isna()
    )
    frame.loc["published, of 12"] = {k: float(v.split()[0]) for k, v in of_twelve.items()}
    frame.loc[frame.index[[-2, -1]], "B-SVM"] = np.nan
    return show(
        frame.rename_axis("data set"),
        caption="Table 8: |specificity - sensitivity| in points"
        f"{results.shortfall}; italics are SIMULATED and not counted.",
        digits=2,
        italic=_in_stand_ins(frame),
        rule_above=MEAN,
    )


def survivors(results: Results) -> Table:
    """Every published number of the results that survives, beside ours on the public sets."""
    table = scores(results).reindex(PUBLIC)
    baselines = table.drop(columns="B-SVM")
    means, lead = table.mean(skipna=False), (table["B-SVM"] - baselines.max(axis=1))
    gaps = disparity(results).reindex(PUBLIC)
    low, high = number("mean G-mean of the eight others, range")
    spread = number("mean |spec-sens| IV, VII, B-SVM")
    complete = table.notna().all(axis=None)

    def ours(text):
        return text if complete else "–"

    best = baselines.idxmax(axis=1) if complete else pd.Series("", index=PUBLIC)
    lines = {
        "mean G-mean of B-SVM": (ours(f"{means['B-SVM']:.2f}"), str(number("mean G-mean B-SVM"))),
        "mean G-mean of the others": (
            ours(f"{means.drop('B-SVM').min():.2f} to {means.drop('B-SVM').max():.2f}"),
            f"{low} to {high}",
        ),
        "sets where B-SVM is best": (
            ours(f"{int((lead > 0).sum())} of {len(PUBLIC)}"),
            number("domains where B-SVM is best"),
        ),
        "best baseline on Glass": (ours(f"{best['glass7']}{_ahead(lead, 'glass7')}"), "I, ahead"),
        "best baseline on Segment": (
            ours(f"{best['segment']}{_ahead(lead, 'segment')}"),
            "IV, ahead",
        ),
        "lead on Heart, points": (ours(f"{lead['heart_cleveland1']:+.2f}"), "more than 5"),
        "sets where B-SVM is above VII": (
            ours(f"{int((table['B-SVM'] > table['VII']).sum())} of {len(PUBLIC)}"),
            "12 of 12",
        ),
        "mean |specificity - sensitivity| of IV, VII, B-SVM": (
            ours(", ".join(f"{gaps[c].mean():.2f}" for c in ("IV", "VII", "B-SVM"))),
            ", ".join(map(str, spread)),
        ),
    }
    frame = pd.DataFrame.from_dict(
        lines, orient="index", columns=["ours, 9 public", "published, 12"]
    )
    caption = (
        "The published numbers that survive, beside ours on the public sets"
        f"{results.shortfall}. The means are over different sets and cannot be equal."
    )
    return show(frame.rename_axis("what"), caption=caption)


def _ahead(lead, name):
    return ", ahead" if lead[name] < 0 else ", behind B-SVM"


def averaging_table(results: Results, names=None) -> Table:
    """G-mean averaged over folds against that of the counts of all folds together."""
    names = list(PUBLIC if names is None else names)
    chosen = ["IV", "VII", "B-SVM"]
    parts = {"averaged": scores(results), "pooled": pooled_scores(results)}
    frame = pd.concat({k: v.reindex(names)[chosen] for k, v in parts.items()}, axis="columns")
    frame = frame.swaplevel(axis="columns")[chosen]
    caption = (
        "G-mean in per cent, averaged over folds and pooled over them"
        f"{results.shortfall}. A fold of abalone19 has three positives."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=2)


def nearness_table(results: Results) -> Table:
    """How far the other methods are from B-SVM, fold by fold on the public sets."""
    folds = fold_scores(results.on_datasets(PUBLIC)).dropna()
    apart = folds.drop(columns="B-SVM").sub(folds["B-SVM"], axis=0).abs().round(9)
    same = (apart == 0).sum() if len(apart) else np.nan
    frame = pd.DataFrame({"folds with the same G-mean": same, "median difference": apart.median()})
    caption = (
        f"How near each method is to B-SVM: in how many of {len(apart)} folds the G-mean is the "
        f"same, and the median of the absolute differences in points{results.shortfall}."
    )
    return show(frame.rename(LABELS).rename_axis("method"), caption=caption, digits=2)


def same_rows_table(results: Results) -> Table:
    """Means over the public sets: baselines on the 90 %, as published, and on the same 70 %."""
    columns = COLUMNS | FURTHER_COLUMNS | added_columns(results)
    lines = {}
    for setting, text in zip(SHARES, ("90 %", "70 %"), strict=True):
        for measure in ("g_mean", "sensitivity", "specificity"):
            means = scores(results, measure, setting, columns).reindex(PUBLIC).mean(skipna=False)
            lines[_MEASURE_TEXTS[measure], text] = means
    frame = pd.DataFrame(lines)
    frame = frame[[(text, share) for text in _MEASURE_TEXTS.values() for share in ("90 %", "70 %")]]
    caption = (
        "Means over the public sets in per cent, the methods without a validation part trained on "
        f"90 % as in the paper, or on the 70 % that the boosting schemes train on"
        f"{results.shortfall}."
    )
    return show(frame.rename_axis("method"), caption=caption, digits=2, rule_above="I, asymmetric")


_MEASURE_TEXTS = {"g_mean": "G-mean", "sensitivity": "sensitivity", "specificity": "specificity"}


def rivals_table(results: Results, names, *, title: str, setting: str = SHARES[0]) -> Table:
    """B-SVM against each baseline over data sets: sets won and lost, signed-rank tests.

    Sets without all of the paper's methods are left out, then further methods with gaps.
    """
    added = added_columns(results)
    table = scores(results, setting=setting, columns=COLUMNS | FURTHER_COLUMNS | added)
    table = table.reindex(list(names)).dropna(subset=list(COLUMNS)).dropna(axis="columns")
    further = [name for name in FURTHER_COLUMNS if name in table]
    # families of tests: the paper's eight baselines, what is compared beside them, added methods
    families = ([c for c in COLUMNS if c != "B-SVM"], further, [c for c in added if c in table])
    frame = pd.concat([against_each(table[["B-SVM", *of]], "B-SVM") for of in families if of])
    caption = (
        f"{title}: G-mean of B-SVM minus that of each baseline in points, over {len(table)} "
        f"complete sets{results.shortfall}; p by Wilcoxon's signed-rank test, corrected "
        "separately above and below the line."
    )
    if added:
        caption += " Methods that were added come last and are corrected apart, too."
    line = next((name for name in further if name in frame.index), None)
    return show(frame.rename_axis("baseline"), caption=caption, rule_above=line)


def rounds_table(results: Results, names=None) -> Table:
    """Rounds that were run and that vote, and what else was chosen, in the boosting schemes."""
    names = list(PUBLIC if names is None else names)
    columns = {"B-SVM": ("b-svm",), "I": ("adacost",), "IV": ("databoost-im",)}
    texts = {"n_all_rounds": "run", "n_rounds": "vote", "chosen": "chosen"}
    means = {text: scores(results, m, columns=columns) / 100 for m, text in texts.items()}
    frame = pd.concat(means, axis="columns").swaplevel(axis="columns")[list(columns)]
    frame = frame.drop(columns=("IV", "chosen")).reindex(names)
    unconverged = int(results.of_protocol().rows["n_unconverged"].sum())
    caption = (
        "Rounds until the weighted error reaches 1/2 (run), rounds kept by validation (vote), and "
        f"delta or cost (chosen), means over folds{results.shortfall}. Machines of all methods "
        f"whose solver did not converge: {unconverged}."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=2)


def components_table(results: Results, trees: Results) -> Table:
    """I, II and IV on each component classifier, and III in two readings: G-mean."""
    main = scores(results, columns=COLUMNS | FURTHER_COLUMNS).reindex(PUBLIC)
    with_trees = scores(trees, setting="default", columns=TREE_COLUMNS).reindex(PUBLIC)
    parts = {}
    for baseline in ("I", "II", "IV"):
        parts[baseline, "SVM"] = main[baseline]
        parts[baseline, "asym."] = main[f"{baseline}, asymmetric"]
        parts[baseline, "C4.5"] = with_trees[f"{baseline}, C4.5"]
    parts["III", "votes"] = main["III"]
    parts["III", "sklearn"] = main["III, scikit-learn"]
    parts["B-SVM", "asym."] = main["B-SVM"]
    frame = with_mean(pd.DataFrame(parts))
    caption = (
        "G-mean in per cent of I, II and IV on a linear SVM, the asymmetric-cost SVM and C4.5, and "
        "of III with weighted votes and as scikit-learn has it "
        f"({results.coverage()}; trees: {trees.coverage()}); bold is the best of a set."
    )
    looks = {"digits": 2, "bold": best_of_rows(frame), "rule_above": "mean"}
    return show(frame.rename_axis("data set"), caption=caption, **looks)


def kernels_table(results: Results) -> Table:
    """Boosting-SVM with other kernels and norms, against its first machine alone."""
    chosen, first = (
        scores(results, setting=setting, columns={m: (m,) for m in results.experiment.methods})
        for setting in results.experiment.settings
    )
    parts = {}
    for method, label in results.labels.items():
        parts[label, "alone"], parts[label, "boosted"] = first[method], chosen[method]
    frame = with_mean(pd.DataFrame(parts).reindex(results.experiment.datasets))
    caption = (
        "The paper's future work: G-mean in per cent of one asymmetric-cost machine and of "
        f"Boosting-SVM made of such{results.shortfall}; bold is the best of a set."
    )
    looks = {"digits": 2, "bold": best_of_rows(frame), "rule_above": "mean"}
    return show(frame.rename_axis("data set"), caption=caption, **looks)


def complete_means(results: Results, measure: str) -> pd.DataFrame:
    """Means over folds, data sets x (method, setting); gaps where folds are missing."""
    means = results.complete().rows.pivot_table(
        index="dataset", columns=["method", "setting"], values=measure
    )
    order = [(m, s) for m in results.experiment.methods for s in results.experiment.settings]
    means = means if len(means) else pd.DataFrame()
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
    frame = with_mean(pd.DataFrame(parts))
    caption = (
        "Boosting-SVM with a fixed step delta; 1 is AdaBoost's. G-mean on the test part in per "
        f"cent{results.shortfall}."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=2, rule_above="mean")


def imbalance_table(results: Results) -> Table:
    """G-mean of three learners without costs when training keeps fewer positives."""
    frame = 100 * complete_means(results, "g_mean")
    frame.columns = pd.MultiIndex.from_tuples(
        [(results.labels[m], s.partition("=")[2]) for m, s in frame.columns]
    )
    frame = with_mean(frame)
    caption = (
        "G-mean in per cent of learners without costs if training keeps all positives or only some"
        f"{results.shortfall}."
    )
    return show(frame.rename_axis("data set"), caption=caption, digits=1, rule_above="mean")
