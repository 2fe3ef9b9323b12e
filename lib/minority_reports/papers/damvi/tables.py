"""The tables of DAMVI, from result rows."""

from functools import partial

import numpy as np
import pandas as pd

from minority_reports import datasets
from minority_reports.experiments import Results, Settings
from minority_reports.papers.damvi.protocol import FURTHER, REPEATED, RIVALS
from minority_reports.report import Table, show, unfinished, unfinished_note
from minority_reports.report.printed import table_of
from minority_reports.report.tables import GAP, against_each, facts, whole_numbers

#: The data sets of Table I, in its order: the paper's names and ours.
PAPER_SETS = {
    "Webpage": "webpage",
    "Mammography": "mammography",
    "Scania": "scania_aps_partial",
    "Protein Homo": "protein_homo",
    "Credit Fraud": "creditcard",
    "PCT Data": "simulated-pct",
}
#: What is not the paper's data: a part of it, and a simulation that no verdict counts.
_REMARKS = {"scania_aps_partial": " (part)", "simulated-pct": " (simulated)"}
#: The methods that Tables II and III compare, DAMVI last as in the paper: who competes in claims.
COMPETITORS = (*RIVALS, "damvi")
MEASURES = {"f1": "F1", "ap": "AP"}
#: The published table of each measure.
PUBLISHED = {"f1": "TABLE II", "ap": "TABLE III"}
published_table = partial(table_of, "damvi")


def mean_scores(results: Results, measure: str, methods=None) -> pd.DataFrame:
    """Means over splits, real data sets x methods; only sets on which each has every split."""
    means = results.means(measure, methods)
    return means[~_is_simulated(means.index)]


def spreads(results: Results, measure: str, methods) -> pd.DataFrame:
    """Standard deviations over splits, data sets x methods, of what `mean_scores` is the mean."""
    splits = results.complete(methods).matrix(measure)
    frame = splits.groupby(level="dataset", sort=False).std().reindex(columns=list(methods))
    return frame[~_is_simulated(frame.index)]


def _is_simulated(names) -> np.ndarray:
    """Which of these data sets are simulated; a user's own never counts as such."""
    known = set(datasets.names())
    return np.array([n in known and datasets.entry(n).simulated for n in names], dtype=bool)


def positive_share(results: Results) -> pd.Series:
    """Share of positives of every data set, counted in the test parts."""
    counts = results.class_counts()
    return counts["positives"] / counts.sum(axis=1)


def _label(name: str) -> str:
    paper_name = {ours: theirs for theirs, ours in PAPER_SETS.items()}.get(name, name)
    return paper_name + _REMARKS.get(name, "")


def table1() -> Table:
    """The data sets of the paper: ours beside the published facts."""
    columns = {"n": "rows", "d": "attributes", "percent": "% positives"}
    ours = facts(PAPER_SETS.values())[list(columns)].rename(index=_label, columns=columns)
    theirs = published_table("TABLE I")
    theirs = theirs.rename(index=lambda name: _label(PAPER_SETS[name]))
    names = {"examples": "rows", "IR_percent_positive": "% positives"}
    whole = {"rows": int, "attributes": int}
    ours, theirs = ours.astype(whole), theirs.rename(columns=names).astype(whole)
    caption = "Table I: the data sets. PCT is proprietary; its stand-in is simulated."
    return show(ours.rename_axis("data set"), theirs[ours.columns], caption=caption, digits=2)


def rank_sum_marks(splits: pd.DataFrame, alpha: float = 0.05) -> pd.Series:
    """An arrow for each method that Wilcoxon's rank-sum test tells from DAMVI: down is worse.

    Exact for few splits without ties. With five splits each, the smallest two-sided p is 2/252.
    """
    from scipy.stats import mannwhitneyu

    marks = pd.Series("", index=splits.columns)
    if "damvi" not in splits or splits["damvi"].count() < 2:
        return marks
    damvi = splits["damvi"].dropna()
    for method in splits.columns.drop("damvi"):
        values = splits[method].dropna()
        if len(values) > 1 and mannwhitneyu(values, damvi).pvalue < alpha:
            marks[method] = "↓" if values.mean() < damvi.mean() else "↑"
    return marks


def rank_sum_arrows(results: Results, measure: str) -> pd.DataFrame:
    """The arrows of Table II or III: data sets x baselines, of those with all of them complete."""
    splits = results.complete(COMPETITORS).matrix(measure)
    marks = {
        name: rank_sum_marks(part.droplevel("dataset"))
        for name, part in splits.groupby(level="dataset", sort=False)
    }
    return pd.DataFrame(marks, index=list(RIVALS)).T


def published_arrows(measure: str) -> pd.DataFrame:
    """Where the paper prints that a baseline is significantly worse: data sets x baselines."""
    names = {method.label: name for name, method in RIVALS.items()}
    arrows = published_table(PUBLISHED[measure], "significantly_worse").rename(columns=PAPER_SETS)
    return arrows.rename(index=names).loc[list(RIVALS)].T.astype(bool)


def arrows(results: Results) -> Table:
    """Significance as the paper prints it beside ours, baseline by baseline and set by set."""
    texts, differs, counts = {}, {}, []
    for measure, label in MEASURES.items():
        ours = rank_sum_arrows(results, measure)
        ours = ours.loc[[n for n in PAPER_SETS.values() if n in ours.index]]
        ours = ours[~_is_simulated(ours.index)]
        theirs = published_arrows(measure).loc[ours.index]
        same = (ours == "↓") == theirs
        counts.append(f"{same.sum().sum()} of {same.size} in {label}")
        for name in ours.index:
            printed = np.where(theirs.loc[name], "↓", GAP)
            texts[label, _label(name)] = printed + " / " + ours.loc[name].replace("", GAP)
            differs[label, _label(name)] = ~same.loc[name]
    frame, bold = (
        pd.DataFrame(parts, index=list(RIVALS)).rename(index=results.labels)
        for parts in (texts, differs)
    )
    caption = (
        "Baselines that the rank-sum test tells from DAMVI at 0.05, published / ours: ↓ worse, "
        f"↑ better, {GAP} not told apart. Where DAMVI is significantly better they agree in "
        f"{' and '.join(counts)}; bold where they do not."
    )
    return show(frame.rename_axis("baseline"), bold=bold.astype(bool), caption=caption)


def comparison(results: Results, measure: str, names=None) -> Table:
    """Tables II and III: all methods on the paper's sets, or on those named.

    Mean and standard deviation over the splits; bold and italic are the best and the second of
    the paper's methods on each set.
    """
    of_paper = names is None
    names = list(PAPER_SETS.values()) if of_paper else list(names)
    methods = [*COMPETITORS, *FURTHER, *results.experiment.extra]

    def by_set(of, part):
        splits = part.matrix(measure).reindex(columns=methods)
        groups = {n: splits[splits.index.get_level_values("dataset") == n] for n in names}
        return pd.DataFrame({n: of(group) for n, group in groups.items()}, index=methods)

    mean, spread = (by_set(of, results) for of in (pd.DataFrame.mean, pd.DataFrame.std))
    gaps = unfinished(results, methods, names).T
    marks = (by_set(rank_sum_marks, results.complete()) + " " + gaps).apply(lambda c: c.str.strip())
    whole = results.means(measure, COMPETITORS).T.reindex(columns=names)
    rank = whole.round(12).rank(ascending=False, method="min").reindex(mean.index)
    columns = {name: (_label(name), "ours") if of_paper else name for name in names}

    def arranged(frame):
        named = pd.Index([columns[name] for name in frame])
        return frame.rename(index=results.labels).set_axis(named, axis="columns")

    shown = arranged(mean)
    if of_paper:
        shown = _beside_published(shown, PUBLISHED[measure])
    number = {"f1": "II", "ap": "III"}[measure]
    where = f"Table {number}" if of_paper else f"Table {number} on further sets"
    return show(
        shown.rename_axis("method"),
        spread=arranged(spread),
        bold=arranged(rank == 1),
        italic=arranged(rank == 2),
        marks=arranged(marks),
        rule_above=FURTHER["uniform"].label,
        digits=3,
        caption=(
            f"{where}: {MEASURES[measure]}, mean ± sd over {results.experiment.folds} splits "
            f"({_coverage(results, names)}). ↓ worse, ↑ better than DAMVI by a rank-sum test at "
            "0.05. Bold and italic: best and second of the paper's ten methods."
            f"{unfinished_note(gaps)}"
        ),
    )


def _beside_published(ours: pd.DataFrame, label: str) -> pd.DataFrame:
    """Each data set as ours and published; what they differ by is in :func:`with_reading`."""
    theirs = published_table(label)
    parts = {}
    for theirs_name, name in PAPER_SETS.items():
        shown = _label(name)
        parts[shown, "ours"] = ours[shown, "ours"]
        parts[shown, "published"] = theirs[theirs_name].reindex(ours.index)
    return pd.DataFrame(parts)


def against_published(results: Results, measure: str) -> pd.DataFrame:
    """The cells of Table II or III by data set and method, as the paper names them.

    `published` and `ours`, and `sd`, the standard error of their difference: both come with a
    standard deviation over as many splits.
    """
    splits = results.complete().matrix(measure).groupby(level="dataset", sort=False)

    def named(frame):
        frame = frame.reindex(index=list(PAPER_SETS.values()), columns=list(COMPETITORS))
        return in_cells(frame.set_axis(list(PAPER_SETS)).rename(columns=results.labels).T)

    printed = PUBLISHED[measure]
    published, spread = (in_cells(published_table(printed, what)) for what in ("value", "std"))
    both = np.hypot(named(splits.std()), spread) / np.sqrt(results.experiment.folds)
    return pd.DataFrame({"published": published, "ours": named(splits.mean()), "sd": both})


def in_cells(table: pd.DataFrame) -> pd.Series:
    """The cells of a table, one column after the other, by column and row."""
    return pd.concat(dict(table.items()))


def with_reading(printed: Results, read: Results, reading: str) -> Table:
    """Tables II and III by the protocol and under another reading, beside the published ones."""
    parts, near = {}, {}
    for measure, label in MEASURES.items():
        for name, part in {"as printed": printed, reading: read}.items():
            cells = against_published(part, measure)
            difference = cells["ours"] - cells["published"]
            parts[label, "published"] = cells["published"]
            parts[label, name], parts[label, f"{name}, difference"] = cells["ours"], difference
            near[label, f"{name}, difference"] = difference.abs() < 2 * cells["sd"]
    frame, near = pd.DataFrame(parts), pd.DataFrame(near)
    real = [name for name, ours in PAPER_SETS.items() if not _is_simulated([ours]).any()]
    frame, near = frame.loc[real], near.loc[real]
    texts = [_label(PAPER_SETS[name]) + ", " + method for name, method in frame.index]
    caption = (
        f"Tables II and III: means over {printed.experiment.folds} splits by the protocol and "
        f"under another reading, {reading}, and what they differ by from the published ones; bold "
        "where this is less than two standard errors"
    )
    frame, near = frame.set_axis(texts), near.set_axis(texts)
    return show(frame.rename_axis("data set, method"), bold=near, caption=caption)


def _coverage(results: Results, names) -> str:
    done = int(results.rows["dataset"].isin(names).sum())
    planned = len(names) * results.experiment.folds * len(results.experiment.methods)
    return f"all {planned:,} runs" if done == planned else f"{done:,} of {planned:,} runs"


def further_sets(settings: Settings) -> list[str]:
    """The data sets of a selection that are not the paper's."""
    chosen = settings.datasets_for(settings.paper.experiments["table23"])
    return [name for name in chosen if name not in PAPER_SETS.values()]


def verdict_over_sets(results: Results) -> Table:
    """DAMVI against each baseline over all real sets: wins, Wilcoxon's signed-rank test."""
    methods = results.comparable(REPEATED)
    parts, sets = [], 0
    for measure, label in MEASURES.items():
        scores = mean_scores(results, measure, methods)
        sets = max(sets, len(scores))
        part, splits = against_each(scores, "damvi"), results.complete(methods)
        gaps = [
            splits.gaps(measure, "damvi", baseline).reindex(scores.index) for baseline in part.index
        ]
        part.insert(3, "interval above 0", [int((gap["low"] > 0).sum()) for gap in gaps])
        part.insert(4, "interval below 0", [int((gap["high"] < 0).sum()) for gap in gaps])
        parts.append(
            part.set_axis([f"{label}, {results.labels[baseline]}" for baseline in part.index])
        )
    frame = pd.concat(parts)
    caption = (
        f"DAMVI against each baseline over {sets} real sets, {results.experiment.folds} splits each"
        f"{results.shortfall}; intervals corrected for overlap, p by Wilcoxon's signed-rank test"
    )
    return show(frame.rename_axis("measure, baseline"), caption=caption)


def means_over_sets(results: Results) -> Table:
    """F1, AP, recall and precision of each method: means over real sets of means over splits.

    Over the sets on which all of them are complete. Precision is 0 where nothing is predicted to
    be positive.
    """
    rows = results.complete(results.comparable(REPEATED)).rows
    rows = rows[~_is_simulated(rows["dataset"])]
    rows = rows.assign(
        recall=rows["tp"] / (rows["tp"] + rows["fn"]),
        precision=rows["tp"] / (rows["tp"] + rows["fp"]).clip(lower=1),
    )
    columns = MEASURES | {"recall": "recall", "precision": "precision"}
    means = rows.groupby(["method", "dataset"])[list(columns)].mean()
    means = means.groupby(level="method").mean().rename(columns=columns)
    frame = means.reindex([m for m in results.labels if m in means.index])
    frame = frame.rename(index=results.labels)
    caption = (
        f"Means over {rows['dataset'].nunique()} sets and {results.experiment.folds} splits"
        f"{results.shortfall}"
    )
    return show(frame.rename_axis("method"), caption=caption)


def imbalance_rows(results: Results) -> pd.DataFrame:
    """The rows of Figure 1 with the percentage of positives as a number."""
    return results.rows.assign(percent=results.setting_numbers())


def imbalance_scores(results: Results, measure: str) -> pd.DataFrame:
    """One measure of Figure 1: a row for each percentage of positives and split."""
    rows = imbalance_rows(results)
    return rows.pivot_table(index=["percent", "fold"], columns="method", values=measure)


def ablation_table(results: Results) -> Table:
    """What each part of DAMVI does: means over data sets of means over splits."""
    from scipy.stats import wilcoxon

    columns = {
        "f1": "F1",
        "ap": "AP",
        "c_bound": "C-bound",
        "gibbs_risk": "Gibbs risk",
        "disagreement": "disagreement",
        "test_risk": "test error",
        "n_voters": "voters with weight",
    }
    means = ablation_means(results)
    frame = means.groupby(level="setting").mean()[list(columns)].rename(columns=columns)
    frame = frame.reindex(list(results.experiment.settings)).rename_axis("setting")
    frame = whole_numbers(frame, ["voters with weight"])
    for measure, label in MEASURES.items():
        by_set = means.pivot_table(index="dataset", columns="setting", values=measure)
        by_set = by_set.reindex(columns=frame.index)
        for setting in frame.index.drop("reweighting=vote"):
            gaps = (by_set["reweighting=vote"] - by_set[setting]).round(12)
            gaps = gaps[gaps != 0]
            p_value = float(wilcoxon(gaps).pvalue) if len(gaps) else np.nan
            frame.loc[setting, f"p, {label}"] = p_value
    sets = means.index.get_level_values("dataset").nunique()
    caption = (
        f"The parts of DAMVI: means over {sets} sets and {results.experiment.folds} splits"
        f"{results.shortfall}; p against reweighting=vote, the paper's, by Wilcoxon's "
        "signed-rank test over the sets"
    )
    return show(frame, caption=caption)


def ablation_means(results: Results) -> pd.DataFrame:
    """Means over splits of every measure, by data set and setting, where all splits are there."""
    rows = results.complete(["damvi"]).rows.groupby(
        ["dataset", "setting"], sort=False, observed=True
    )
    return rows[list(results.experiment.measures)].mean()


def distinct_table(results: Results) -> Table:
    """F1 and AP with all rows and without those that are repeated."""
    methods = results.labels
    planned = pd.MultiIndex.from_product([results.experiment.datasets, methods])
    texts = {"rows=all": "all rows", "rows=distinct": "distinct rows"}
    parts = {}
    for measure, label in MEASURES.items():
        rows = results.complete().rows
        means = rows.groupby(["dataset", "method", "setting"])[measure].mean()
        for setting, text in texts.items():
            chosen = means[means.index.get_level_values("setting") == setting]
            parts[label, text] = chosen.droplevel("setting").reindex(planned)
        parts[label, "change"] = parts[label, "distinct rows"] - parts[label, "all rows"]
    frame = pd.DataFrame(parts)
    frame.index = [f"{_label(name)}, {methods[method]}" for name, method in planned]
    caption = (
        f"With and without repeated rows: means over {results.experiment.folds} splits"
        f"{results.shortfall}"
    )
    return show(frame.rename_axis("data set, method"), caption=caption)


def learners_table(results: Results) -> Table:
    """DAMVI's weights against equal ones on the votes of other base learners."""
    means = results.setting_means([*MEASURES, "c_bound", "n_voters"])
    weighted, equal = (means.xs(f"weights={by}", level="setting") for by in ("damvi", "uniform"))
    parts = {}
    for measure, label in MEASURES.items():
        parts[f"{label}, DAMVI"] = weighted[measure]
        parts[f"{label}, equal weights"] = equal[measure]
    frame = pd.DataFrame(parts | {"C-bound": weighted["c_bound"], "voters": weighted["n_voters"]})
    frame = whole_numbers(frame, ["voters"]).rename(index=results.labels)
    sets = len(results.complete(results.labels).datasets)
    caption = (
        f"Other base learners: means over {sets} sets and {results.experiment.folds} splits"
        f"{results.shortfall}"
    )
    return show(frame.rename_axis("base learner"), caption=caption)


def multiclass_table(study: pd.DataFrame) -> Table:
    """Means of `multiclass_study` over its splits."""
    columns = {
        "macro_f1": "macro F1",
        "balanced_accuracy": "balanced accuracy",
        "accuracy": "accuracy",
        "c_bound": "C-bound",
        "n_voters": "voters",
    }
    means = study.groupby(["dataset", "classes", "weights"], sort=False)[list(columns)].mean()
    texts = {"damvi": "DAMVI", "uniform": "equal weights"}
    frame = whole_numbers(means.rename(columns=columns), ["voters"])
    frame.index = [f"{name} ({k} classes), {texts[weights]}" for name, k, weights in means.index]
    caption = (
        "More than two classes: DAMVI's weights and equal ones on the same trees, means over "
        f"{study['split'].nunique()} splits"
    )
    return show(frame.rename_axis("data set, weights"), caption=caption)


def pseudo_label_table(study: pd.DataFrame) -> Table:
    """Means of `pseudo_label_study` over its splits."""
    columns = MEASURES | {"precision": "their precision", "recall": "their recall"}
    means = study.groupby(["dataset", "share", "trained_on"], sort=False)[list(columns)].mean()
    frame = means.rename(columns=columns)
    frame.index = [f"{name}, {share:.0%}: {rows}" for name, share, rows in means.index]
    caption = (
        "DAMVI on the labelled rows, with pseudo-labels for the others, and with all labels, means "
        f"over {study['split'].nunique()} splits; precision and recall of the pseudo-labels"
    )
    return show(frame.rename_axis("data set, share with a label: trained on"), caption=caption)


def seconds_table(results: Results) -> Table:
    """Mean seconds to train and test on one split, data sets by rising number of rows."""
    counts = results.rows.groupby("dataset", sort=False)[["tp", "fp", "fn", "tn"]].first()
    size = counts.sum(axis=1).sort_values(kind="stable")
    frame = results.seconds().reindex(size.index).rename(columns=results.labels)
    caption = f"Seconds per split on one core{results.shortfall}"
    return show(frame.rename(index=_label).rename_axis("data set"), caption=caption, digits=2)
