"""The tables of the showdown. Methods are compared only on data sets that all have complete.

With defaults a set is complete with all folds, tuned with the first three of the first repeat:
more are not there on every set. Sets on which somebody lacks one of them are left out,
and captions say how many. The larger sets have a table of their own and count nowhere else.
"""

import functools
import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Results, Settings
from minority_reports.papers.showdown.protocol import (
    CONTESTANTS,
    LARGE,
    METRICS,
    PAPERS,
    READABLE_BASELINES,
    contestant_of,
)
from minority_reports.report import Table, show, unfinished, unfinished_note
from minority_reports.report.tables import best_of_rows, facts, whole_numbers
from minority_reports.statistics import (
    bayesian_signed_rank,
    bootstrap_interval,
    pairwise_wilcoxon,
)

FOLD = ["dataset", "repeat", "fold"]
#: Folds of a data set, the first ones of the first repeat, that tuned contestants are compared on.
TUNED_FOLDS = 3
#: Who decides on which data sets contestants are compared: another one takes part if it is complete
#: on all of these.
DECIDING = (
    *("fast-boxes", "exact-boxes", "rlsd", "damvi", "b-svm", "wrapper-c45", "wrapper-ripper"),
    *("balanced-forest", "easy-ensemble", "rusboost", "logistic", "gradient-boosting"),
)
MEAN = "mean"
#: Differences of at most this size in any measure count as practically equivalent.
EQUIVALENT = 0.01
_LOWER_IS_BETTER = frozenset({"brier"})


def contestants_table() -> Table:
    """Who takes part, with which defaults, and what tuning may change."""
    frame = pd.DataFrame(
        {
            who.label: {
                "called": name,
                "from": _origin(name),
                "defaults": who.about,
                "tuned": ", ".join(parameter.split("__")[-1] for parameter in who.space)
                or "by itself",
                "package": who.needs,
                "most rows": f"{who.max_rows:,}" if who.max_rows else "all",
            }
            for name, who in CONTESTANTS.items()
        }
    ).T
    caption = (
        "The methods; beyond the most rows they learn from a sample of the training part. Those "
        "with a package are computed where it is installed (extra `showdown`)."
    )
    return show(frame.rename_axis("method"), caption=caption)


def _origin(name: str) -> str:
    if name in PAPERS:
        return "a paper"
    return "readable baseline" if name in READABLE_BASELINES else "baseline"


def coverage_table(results: Mapping[str, Results], settings: Settings) -> Table:
    """How much of what was asked for has been computed, of the larger sets and of all others."""
    lines = {}
    for setting, result in results.items():
        what = result.experiment
        folds = math.prod(settings.splits_for(what).values())
        for large, text in ((False, "KEEL's and own sets"), (True, "larger sets")):
            names = [name for name in settings.datasets_for(what) if (name in LARGE) == large]
            if not names:
                continue
            rows = fold_rows(results, setting, large=large)
            of_set = rows.drop_duplicates(FOLD).groupby("dataset").size().reindex(names).fillna(0)
            lines[f"{text}, {setting}"] = {
                "sets": len(names),
                "with rows": int((of_set > 0).sum()),
                "folds of a set": folds,
                "fewest": int(of_set.min()),
                "most": int(of_set.max()),
                "keys": len(names) * folds * len(settings.methods_for(what)),
                "computed": len(rows),
            }
    caption = "What has been computed: sets with any row, the folds that a set has, keys."
    return show(pd.DataFrame.from_dict(lines, orient="index"), caption=caption)


def contestants(results: Mapping[str, Results], setting: str) -> list[str]:
    """The labels of those that have rows, in the order of the protocol; of all without any row."""
    present = set(results[setting].rows["method"])
    labels = results[setting].labels
    return [label for name, label in labels.items() if name in present or not present]


def sizes(results: Mapping[str, Results], setting: str, share: float = 0.5) -> pd.Series:
    """How many conditions a share of each contestant's models has at most, on the folds compared.

    The median by default.
    """
    rows, folds = fold_rows(results, setting), compared(results, setting)
    rows = rows[rows["contestant"].isin(folds.columns)]
    rows = rows[pd.MultiIndex.from_frame(rows[FOLD]).isin(folds.index)]
    return rows.groupby("contestant")["conditions"].quantile(share)


def fold_rows(results: Mapping[str, Results], setting: str, *, large: bool = False):
    """The rows of a setting with what they cost, of the larger sets or of all others."""
    result = results[setting]
    rows = result.rows[result.rows["dataset"].isin(LARGE) == large]
    rows = rows.assign(contestant=rows["method"].map(result.labels))
    costs = list(result.experiment.costs)
    if result.timings.empty:
        return rows.assign(**dict.fromkeys(costs, np.nan))
    task = ["dataset", "method", "repeat", "fold", "seed"]
    return rows.merge(result.timings[[*task, *costs]], on=task, how="left")


def by_fold(results: Mapping[str, Results], setting: str, metric: str, *, large: bool = False):
    """A metric by fold and contestant; without contestants that it cannot be measured for."""
    result = results[setting]
    table = result.matrix(metric).rename(columns=result.labels)
    table = table[table.index.get_level_values("dataset").isin(LARGE) == large]
    return table.dropna(axis="columns", how="all")


def compared(results: Mapping[str, Results], setting: str, metric: str = "g_mean") -> pd.DataFrame:
    """A metric by fold and contestant, on the data sets on which all methods are complete."""
    part = results[setting].first(TUNED_FOLDS) if setting == "tuned" else results[setting]
    folds = by_fold({setting: part.complete()}, setting, metric)
    deciding = [part.labels[name] for name in DECIDING if part.labels[name] in folds]
    planned = part.cells().groupby(level="dataset")["of"].max()
    counts = folds.groupby(level="dataset").count()
    whole = counts.eq(planned.reindex(counts.index), axis=0)
    sets = counts.index[whole[deciding or list(folds)].all(axis=1)]
    everywhere = [label for label in folds if whole.loc[sets, label].all()]
    return folds.loc[folds.index.get_level_values("dataset").isin(sets), everywhere]


def scores(results: Mapping[str, Results], setting: str, metric: str = "g_mean") -> pd.DataFrame:
    """Means over folds, data sets on which all methods are complete x contestants."""
    return compared(results, setting, metric).groupby(level="dataset", sort=False).mean()


def higher_is_better(values: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Scores with a sign that makes a higher one better: Brier's are losses."""
    return -values if metric in _LOWER_IS_BETTER else values


def mean_ranks(values: pd.DataFrame, metric: str) -> pd.Series:
    """Mean rank of each contestant over data sets, 1 is best; ties share the mean of theirs."""
    better = higher_is_better(values, metric).round(12)
    return better.rank(axis=1, ascending=False).mean()


def basis(results: Mapping[str, Results], setting: str, metric: str = "g_mean") -> str:
    """What a comparison rests on, for a caption."""
    folds = compared(results, setting, metric)
    n_sets = folds.index.unique("dataset").size
    absent = fold_rows(results, setting)["dataset"].nunique() - n_sets
    text = f"{count(n_sets, 'data set')} on which all methods are complete"
    text += f", {count(len(folds), 'fold')}"
    if setting == "tuned":
        text += f", the first {TUNED_FOLDS} of a set"
    if absent:
        text += f", {count(absent, 'set')} left out"
    return f"{text}; {results[setting].coverage()}"


def count(number: int, what: str) -> str:
    """A number of things: 1 fold, 2 folds."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _best(values: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Whether a cell is the best of its row."""
    return best_of_rows(higher_is_better(values, metric))


def standings_table(results: Mapping[str, Results], setting: str) -> Table:
    """Every contestant by mean rank in G-mean, with the means of all metrics."""
    by_metric = {metric: scores(results, setting, metric) for metric in METRICS}
    frame = pd.DataFrame(index=pd.Index(contestants(results, setting), name="contestant"))
    frame["conditions"] = sizes(results, setting)
    frame = whole_numbers(frame, ["conditions"])
    frame["mean rank"] = mean_ranks(by_metric["g_mean"], "g_mean")
    for metric, text in METRICS.items():
        frame[text] = by_metric[metric].mean()
    frame = frame.sort_values("mean rank", kind="stable")
    bold = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    for metric, text in METRICS.items():
        bold[text] = _best(frame[[text]].T, metric).T[text]
    caption = (
        f"All methods ({setting}) by mean rank in G-mean: means over data sets "
        f"({basis(results, setting)}); conditions are medians over folds. Bold is the best; "
        "Brier's score is lower for better ones and needs probabilities. A failed fold is scored "
        "as predicting the majority class (without Brier's score); Exact Boxes cut off counts with "
        "its best boxes so far."
    )
    return show(frame, caption=caption, bold=bold)


def costs_table(results: Mapping[str, Results], setting: str) -> Table:
    """What every contestant costs, how large its models are and how often it did not finish."""
    rows = fold_rows(results, setting)
    common = compared(results, setting).index
    shared = rows[pd.MultiIndex.from_frame(rows[FOLD]).isin(common)].groupby("contestant")
    frame = pd.DataFrame(index=pd.Index(contestants(results, setting), name="contestant"))
    frame["fit, s"] = shared["fit_s"].median()
    frame["predict, s"] = shared["predict_s"].median()
    for column, text in {"fit_mb": "fit, MB", "rules": "rules", "conditions": "conditions"}.items():
        frame[text] = shared[column].median()
    frame["folds failed"] = rows.groupby("contestant")["failed"].sum()
    is_cut_off = rows["status"].eq("time limit")
    frame["folds cut off"] = is_cut_off.groupby(rows["contestant"]).sum()
    frame = whole_numbers(frame, frame.columns[2:])
    caption = (
        f"Seconds, memory and size of all methods ({setting}), medians over folds, and folds "
        f"on which they failed or were cut off ({basis(results, setting)})."
    )
    if setting == "tuned":
        caption += " Seconds of a fit include tuning."
    return show(frame, caption=caption)


def sets_table(results: Mapping[str, Results], setting: str, metric: str = "g_mean") -> Table:
    """A metric for every data set and contestant, with the mean."""
    values = scores(results, setting, metric)
    values.loc[MEAN] = values.mean()
    front = whole_numbers(facts(values.index)[["positives", "imbalance"]], ["positives"])
    caption = (
        f"{METRICS[metric]} by data set ({setting}; {basis(results, setting, metric)}). Bold is "
        "the best of a set."
    )
    frame = pd.concat([front, values], axis="columns").rename_axis("data set")
    bold = _best(values, metric)
    return show(frame, caption=caption, bold=bold, rule_above=MEAN, digits=2)


def large_table(results: Mapping[str, Results], metric: str = "g_mean") -> Table:
    """A metric on the larger sets, with defaults and where there is any after tuning.

    Most of these sets are not complete: values are means over the folds that are there.
    """
    lines, notes, missing = {}, {}, {}
    columns = contestants(results, "defaults")
    marks_of = {
        setting: unfinished(part, names=LARGE)
        .rename(columns=part.labels)
        .reindex(columns=columns, fill_value="")
        for setting, part in results.items()
    }
    for setting in results:
        rows = fold_rows(results, setting, large=True)
        folds = by_fold(results, setting, metric, large=True)
        learned = rows.groupby(["dataset", "contestant"])["train_rows"].max()
        for name in LARGE:
            if name not in set(rows["dataset"]) and setting != "defaults":
                continue
            label = name if setting == "defaults" else f"{name}, {setting}"
            of_set = folds[folds.index.get_level_values(0) == name]
            lines[label] = of_set.mean().to_dict()
            for method in results["defaults"].experiment.methods.values():
                most = contestant_of(method).max_rows
                is_sample = most and learned.get((name, method.label)) == most
                notes.setdefault(method.label, {})[label] = f"[{most:,}]" if is_sample else ""
            missing[label] = marks_of[setting].loc[name]
    frame = pd.DataFrame.from_dict(lines, orient="index").reindex(columns=columns)
    gaps = pd.DataFrame.from_dict(missing, orient="index").reindex(columns=columns)
    gaps = gaps.astype(object).fillna("")  # without any larger set all are numbers
    marks = pd.DataFrame(notes).reindex(frame.index)[columns] + " " + gaps
    keys = ", ".join(f"{setting} {result.coverage()}" for setting, result in results.items())
    caption = (
        f"{METRICS[metric]} on the larger sets; in square brackets the rows learned from, where a "
        f"sample was drawn ({keys} of all sets). Bold is the best of a complete set."
        f"{unfinished_note(gaps)}"
    )
    whole = frame[(gaps == "").all(axis=1)].reindex(frame.index)
    return show(
        frame.rename_axis("data set"),
        caption=caption,
        bold=_best(whole, metric),
        marks=marks.apply(lambda column: column.str.strip()),
        digits=2,
    )


def tuning_gains(results: Mapping[str, Results], metric: str = "g_mean") -> pd.DataFrame:
    """Tuned minus defaults on folds that all have in both, positive for better: sets x contestants.

    Brier's score counts with its sign turned.
    """
    defaults, tuned = (compared(results, s, metric) for s in ("defaults", "tuned"))
    both = [label for label in defaults if label in tuned]
    gains = (tuned[both] - defaults[both]).dropna(how="all")  # folds of only one setting
    return higher_is_better(gains.groupby(level="dataset", sort=False).mean(), metric)


def tuning_table(results: Mapping[str, Results]) -> Table:
    """What tuning brought each contestant, and how often it left the defaults alone."""
    parts, n_sets = {}, 0
    labels = contestants(results, "tuned")
    for metric in ("g_mean", "average_precision"):
        gains = tuning_gains(results, metric)
        n_sets = max(n_sets, len(gains))
        lines = {
            label: (*bootstrap_interval(gain), (gain > 0).sum(), (gain < 0).sum())
            for label, gain in gains.round(12).items()
        }
        columns = ["gain", "low", "high", "sets better", "sets worse"]
        part = pd.DataFrame.from_dict(lines, orient="index", columns=columns).reindex(labels)
        parts[METRICS[metric]] = whole_numbers(part, columns[3:])
    frame = pd.concat(parts, axis="columns")
    rows = fold_rows(results, "tuned")
    raced = rows[rows["configuration"].notna() & rows["configuration"].ne("")]
    kept = raced["configuration"].eq("defaults").groupby(raced["contestant"]).mean()
    frame["race", "defaults kept, %"] = 100 * kept.reindex(labels).astype(float)
    frame = frame.sort_values(("G-mean", "gain"), ascending=False, kind="stable")
    caption = (
        f"Tuned minus defaults on the same folds, means over {count(n_sets, 'data set')} with "
        "95 % bootstrap intervals over them, and the share of folds on which the defaults won "
        f"the race (tuned {results['tuned'].coverage()})."
    )
    return show(frame.rename_axis("contestant"), caption=caption)


def probabilities(differences) -> tuple[float, float, float]:
    """That the first is worse, practically equivalent and better, by one difference a data set."""
    return bayesian_signed_rank(differences, equivalent=EQUIVALENT)


def against_best(values: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Everyone against the best by mean rank, over data sets; positive differences are better.

    ``values`` are scores; the frame is ordered by mean rank and begins with the best itself.
    """
    columns = ["mean rank", "difference", "low", "high", "wins", "ties", "losses", "p (Holm)"]
    columns += ["P(worse)", "P(equivalent)", "P(better)"]
    if values.empty:
        return pd.DataFrame(index=values.columns, columns=columns, dtype=float)
    better = higher_is_better(values, metric)
    ranks = mean_ranks(values, metric).sort_values(kind="stable")
    best = ranks.index[0]
    pairs = pairwise_wilcoxon(better, against=best).set_index("second")
    lines = {best: (ranks[best], *[np.nan] * (len(columns) - 1))}
    for label in ranks.index[1:]:
        pair = pairs.loc[label]
        ties = len(values) - pair["wins"] - pair["losses"]
        gap = better[label] - better[best]
        record = pair["losses"], ties, pair["wins"]  # the pair is seen from the best
        tests = pair["p_holm"], *probabilities(gap)
        lines[label] = ranks[label], *bootstrap_interval(gap), *record, *tests
    frame = pd.DataFrame.from_dict(lines, orient="index", columns=columns)
    return whole_numbers(frame, ["wins", "ties", "losses"])


def differences_table(
    results: Mapping[str, Results], setting: str, metric: str = "g_mean"
) -> Table:
    """Every contestant against the best by mean rank."""
    frame = against_best(scores(results, setting, metric), metric)
    caption = (
        f"{METRICS[metric]} ({setting}) of each method against the best by mean rank, which is "
        "first: mean difference over data sets, positive where it is better than the best, with "
        "its 95 % bootstrap interval, sets won, tied and lost, and p by Wilcoxon's signed-rank "
        "test with Holm's correction for these comparisons alone, not for all pairs as in the "
        "diagrams of ranks; then the probabilities of the Bayesian signed-rank test that it is "
        f"worse, practically equivalent (a difference of at most {EQUIVALENT:g}) and better "
        f"({basis(results, setting, metric)})."
    )
    return show(frame.rename_axis("contestant"), caption=caption)


def pareto_front(costs, gains) -> np.ndarray:
    """Whether no other point costs at most as much, gains at least as much and is not the same."""
    points = np.column_stack([np.asarray(costs, float), -np.asarray(gains, float)])
    no_worse = (points[:, None] <= points).all(axis=2)
    return ~(no_worse & (points[:, None] < points).any(axis=2)).any(axis=0)


def trade_off(results: Mapping[str, Results], settings, cost: str) -> pd.DataFrame:
    """Cost and mean G-mean of every contestant and setting, and who is on the Pareto front."""
    folds = {setting: compared(results, setting) for setting in settings}
    folds = {setting: table for setting, table in folds.items() if len(table)}
    columns = ["setting", "contestant", cost, "g_mean", "sets", "folds"]
    frames = [] if folds else [pd.DataFrame(columns=columns)]
    for setting, table in folds.items():
        shared = functools.reduce(pd.Index.intersection, (t.index for t in folds.values()))
        of_sets = table.loc[shared].groupby(level="dataset").mean()
        rows = fold_rows(results, setting)
        rows = rows[pd.MultiIndex.from_frame(rows[FOLD]).isin(shared)]
        frame = pd.DataFrame({"g_mean": of_sets.mean()}).rename_axis("contestant")
        frame[cost] = rows.groupby("contestant")[cost].median()
        frame = frame.assign(setting=setting, sets=len(of_sets), folds=len(shared))
        frames.append(frame.reset_index()[columns])
    data = pd.concat(frames, ignore_index=True).dropna(subset=[cost, "g_mean"])
    return data.assign(on_front=pareto_front(data[cost], data["g_mean"]))


_POSITIVES = {"at most 50": (0, 50), "51 to 100": (50, 100), "more": (100, np.inf)}


def exact_boxes_table(results: Mapping[str, Results]) -> Table:
    """How many folds Exact Boxes proved, and how far from a proof the others are."""
    parts = {}
    for setting, result in results.items():
        rows = result.rows_of(method="exact-boxes")
        positives = facts(rows["dataset"]).set_index(rows.index)["positives"]
        gaps = (rows["bound"] - rows["objective"]) / rows["objective"].abs()
        groups = {
            name: (positives > low) & (positives <= high)
            for name, (low, high) in _POSITIVES.items()
        }
        if positives.isna().any():
            groups["not known"] = positives.isna()
        lines = {}
        groups["all"] = pd.Series(True, index=rows.index)
        for name, chosen in groups.items():
            of, open_gaps = rows[chosen], gaps[chosen & rows["status"].eq("time limit")]
            lines[name] = {
                "sets": of["dataset"].nunique(),
                "folds": len(of),
                "proved": int((of["status"].eq("ok") & of["bound"].notna()).sum()),
                "without a bound": int(of["bound"].isna().sum()),
                "median gap, %": 100 * open_gaps.median(),
                "worst gap, %": 100 * open_gaps.max(),
            }
        parts[setting] = pd.DataFrame.from_dict(lines, orient="index")
    frame = pd.concat(parts, axis="columns").reindex([*_POSITIVES, "not known", "all"])
    frame = frame.dropna(how="all")
    whole = [c for c in frame if "gap" not in c[1]]
    frame[whole] = frame[whole].astype("Int64")
    keys = ", ".join(f"{setting} {result.coverage()}" for setting, result in results.items())
    caption = (
        "Exact Boxes by the number of positives of a data set: folds whose boxes are proved to be "
        "best, folds without any bound (solves cut off while tuning, or a failure), and how far "
        f"the bound is above the objective where time ran out ({keys} of all methods)."
    )
    return show(frame.rename_axis("positives"), caption=caption, digits=1, rule_above="all")
