"""The tables of RLSD, from result rows."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from minority_reports import paths
from minority_reports.datasets.transactions import PAIRS, UNRELATED
from minority_reports.experiments import Results
from minority_reports.papers.rlsd.protocol import GRID, LEVELS, STEPS
from minority_reports.papers.rlsd.studies import limit_study
from minority_reports.report import Bullets, Table, show, unfinished, unfinished_note
from minority_reports.report.printed import table_of
from minority_reports.report.tables import against_each, best_of_rows, facts, whole_numbers

#: The columns of Table 3 by our measures and by the names in data/published.
COLUMNS = {
    "n_rules": "n_rules_selected",
    "train_recall": "train_recall",
    "recall": "test_recall_all_rules",
    "precision": "test_precision_all_rules",
    "best_recall": "test_recall_best_rule",
    "best_precision": "test_precision_best_rule",
}
#: Our names of what is measured of real rare events.
RANKING = {"ap": "AP", "recall_2": "recall at 2 %", "n_rules": "rules"}
#: Our names of what is measured of each step, and the sets of which the table shows the AP.
STEP_MEASURES = {
    "ap": "AP",
    "recall_05": "recall at 0.5 %",
    "recall_1": "recall at 1 %",
    "recall_2": "recall at 2 %",
    "n_rules": "rules",
    "conditions": "conditions",
}
LARGE = ("creditcard", "kddcup99_10", "mammography")
#: The step with the defaults of the estimator.
DEFAULTS = "joined"
published_table = partial(table_of, "rlsd")


def table2() -> Table:
    """The simulated data sets beside the counts of the law-enforcement data."""
    ours = {}
    for number, (_, *parts) in enumerate(PAIRS.values(), start=1):
        for text, (examples, bad) in zip(("Training", "Test"), parts, strict=True):
            ours[f"Data Set {number} {text}"] = {
                "bad_examples": bad,
                "good_examples": examples - bad,
            }
    ours, theirs = pd.DataFrame(ours).T, published_table("Table 2").astype(int)
    names = {"bad_examples": "bad examples", "good_examples": "good examples"}
    caption = (
        "Table 2: the four data sets. Ours are SIMULATED, with the published counts and nothing "
        "else of the law-enforcement data, which is not available."
    )
    return show(ours.rename(columns=names), theirs.rename(columns=names), caption=caption)


def published_grid() -> pd.DataFrame:
    """Table 3 as published, by minimum recall and precision; where no rule was found, 0 rules."""
    table = published_table("Table 3").rename(columns={v: k for k, v in COLUMNS.items()})
    table = table[list(COLUMNS)].reindex(list(GRID))
    nothing = table["n_rules"].isna()
    table.loc[nothing, ["n_rules", "train_recall", "recall"]] = 0.0
    return _by_limits(table)


def simulated_grid(results: Results) -> pd.DataFrame:
    """Table 3 on the simulated sets: means by minimum recall and precision; gaps stay.

    Precision and the best rule are averaged over the sets with a rule.
    """
    means = results.setting_means(results.experiment.measures, ["rlsd"])
    return _by_limits(means.loc["rlsd"].reindex(list(GRID)))


def simulated_grids(results: Results) -> list[pd.DataFrame]:
    """Table 3 on each of the simulated sets."""
    measures = list(results.experiment.measures)
    means = results.complete(["rlsd"]).rows.groupby(["dataset", "setting"])[measures].mean()
    return [
        _by_limits(part.droplevel("dataset").reindex(list(GRID)))
        for _, part in means.groupby(level="dataset", sort=False)
    ]


def _by_limits(frame):
    index = pd.MultiIndex.from_tuples(GRID.values(), names=["min_recall", "min_precision"])
    return frame.set_axis(index)


def table3(results: Results, *, best_rule: bool = False) -> Table:
    """Table 3, the numbers of all selected rules or those of the best rule, in per cent."""
    chosen = ["best_recall", "best_precision"] if best_rule else list(COLUMNS)[:4]
    names = {
        "n_rules": "rules",
        "train_recall": "training recall, %",
        "recall": "test recall, %",
        "precision": "test precision, %",
        "best_recall": "test recall, %",
        "best_precision": "test precision, %",
    }
    ours, theirs = simulated_grid(results), published_grid()
    found = published_table("Table 3").index
    theirs[[setting not in found for setting in GRID]] = np.nan  # not in the paper's table
    frames = []
    for frame in (ours, theirs):
        percent = frame[chosen].mul([1 if c == "n_rules" else 100 for c in chosen])
        frames.append(percent.rename(columns=names).set_axis(_limit_texts(), axis="index"))
    frame = show(*frames).frame
    text = "all selected rules"
    if best_rule:
        text = "the rule with the highest F on the test part, an optimistic choice"
        for kind in ("trained_recall", "trained_precision"):
            label = f"best in training: {names[kind.removeprefix('trained_')]}"
            frame[label, "ours"] = 100 * ours[kind].to_numpy()
    caption = (
        f"Table 3, {text}: means over four SIMULATED data sets{results.shortfall} beside the "
        "published means over the law-enforcement data. Dashes: no rule was found, for which the "
        "paper leaves four rows out."
    )
    return show(frame.rename_axis("minimum recall, precision"), caption=caption, digits=2)


def _limit_texts():
    return [f"{recall:g}, {precision:g}" for recall, precision in GRID.values()]


#: What is measured of C5.0's stand-ins with costs, and in which unit.
COST_COLUMNS = {
    "recall": ("recall, %", 100),
    "precision": ("precision, %", 100),
    "size": ("rules", 1),
    "minority_rules": ("for the minority", 1),
    "single_rules": ("of one positive", 1),
    "minority_default": ("default is minority", 1),
    "tp_by_rules": ("found by rules", 1),
}


def costs_frame(means: pd.DataFrame) -> pd.DataFrame:
    """Means of what is measured with costs, in the units and by the names of the tables."""
    titles, units = zip(*COST_COLUMNS.values(), strict=True)
    return means[list(COST_COLUMNS)].mul(list(units)).set_axis(list(titles), axis="columns")


def costs_table(results: Results) -> Table:
    """C5.0's stand-ins with costs: what the paper says in words about costs 100 to 400."""
    means = results.setting_means(COST_COLUMNS)
    frame = costs_frame(means)
    frame.index = [f"{results.labels[method]}, {setting}" for method, setting in means.index]
    caption = (
        f"C4.5 in place of C5.0 with costs: means over four SIMULATED sets{results.shortfall}. "
        "In the paper, recall is 0 at cost 100 and 1 at cost 400."
    )
    return show(frame.rename_axis("method, cost of a miss"), caption=caption, digits=2)


def cut_points(results: Results, methods=None) -> pd.DataFrame:
    """Mean test recall and precision of each baseline on an undersampled majority, by share."""
    return results.setting_means(["recall", "precision", "size"], methods)


def on_shared_sets(*parts: Results) -> list[Results]:
    """The same results, only on the data sets that all of them with any rows have complete."""
    parts = [part.complete() for part in parts]
    present = [set(part.rows["dataset"]) for part in parts if len(part.rows)]
    shared = set.intersection(*present) if present else set()
    return [
        replace(part, rows=part.rows[part.rows["dataset"].isin(shared)], _kept={}) for part in parts
    ]


def significance_table(results: Results) -> Table:
    """How many attributes survive the discretisation at each significance level."""
    columns = {
        "unrelated_kept": f"unrelated attributes kept, of {len(UNRELATED)}",
        "related_kept": "other attributes kept",
        "intervals": "intervals of an attribute",
    }
    means = results.setting_means(columns, ["chimerge"])
    frame = means.rename(columns=columns).set_axis([f"{level:g}" for level in LEVELS.values()])
    caption = (
        "Feature selection by ChiMerge: means over four SIMULATED training sets, of whose "
        f"attributes it is known which tell nothing{results.shortfall}."
    )
    return show(frame.rename_axis("significance level"), caption=caption, digits=2)


def real_scores(results: Results, measure: str) -> pd.DataFrame:
    """Means over splits, data sets x methods; only sets on which each method has every split.

    A method that was added to the protocol takes part if it has all of these sets too, so that it
    takes none away from the others.
    """
    return results.means(measure, results.comparable(results.of_protocol().experiment.methods))


def real_table(results: Results, names=None) -> Table:
    """Real rare events: average precision, recall within a budget of 2 % and number of rules.

    `names` are the data sets, by default all of the protocol.
    """
    labels = results.labels
    names = list(names or results.experiment.datasets)
    mean, spread = (
        results.rows.pivot_table(
            index="dataset", columns="method", values=list(RANKING), aggfunc=of
        ).reindex(index=names)
        for of in ("mean", "std")
    )
    order = [(RANKING[m], label) for m in RANKING for label in labels.values()]
    mean, spread = (
        f.rename(columns=RANKING, level=0).rename(columns=labels, level=1).reindex(columns=order)
        for f in (mean, spread)
    )
    frame = pd.concat({("positives, %", ""): facts(names)["percent"]}, axis="columns").join(mean)
    frame = frame.sort_values(("positives, %", ""), kind="stable")
    frame = whole_numbers(frame, [("rules", label) for label in labels.values()])
    gaps = unfinished(results, names=frame.index).rename(columns=labels)
    caption = (
        f"Real rare events: mean ± sd over {results.experiment.folds} splits"
        f"{results.shortfall}; bold is the best mean of a set.{unfinished_note(gaps)}"
    )
    scores = [RANKING["ap"], RANKING["recall_2"]]
    bold = {score: best_of_rows(frame[score].where(gaps == "")) for score in scores}
    return show(
        frame.rename_axis("data set"),
        spread=spread[scores].reindex(frame.index),
        bold=pd.concat(bold, axis="columns"),
        marks=pd.concat(dict.fromkeys(scores, gaps), axis="columns"),
        caption=caption,
        digits=3,
    )


def real_verdicts(results: Results) -> Table:
    """RLSD against each baseline over the real sets: sets won and lost, signed-rank tests.

    The baselines are those of the protocol.
    """
    results = results.of_protocol()
    parts = []
    for measure in ("ap", "recall_2"):
        scores = real_scores(results, measure)
        part = against_each(scores, "rlsd").rename(index=results.labels)
        parts.append(part.set_axis([f"{RANKING[measure]}, {baseline}" for baseline in part.index]))
    caption = (
        f"RLSD against each baseline over {len(scores)} complete real sets{results.shortfall}; p "
        "by Wilcoxon's signed-rank test over the sets."
    )
    return show(pd.concat(parts).rename_axis("measure, baseline"), caption=caption)


def step_scores(steps: Results, real: Results, measure: str) -> pd.DataFrame:
    """Means over splits, data sets x steps, and behind them the methods on real rare events.

    Only sets on which each of them has every split. Where the latter lack a measure, or have no
    rows, they have a gap.
    """
    steps, real = on_shared_sets(steps, real.of_protocol())
    scores = steps.means(measure)
    others = list(real.experiment.methods)
    if measure in real.experiment.measures:
        return scores.join(real.means(measure).reindex(scores.index))
    return scores.reindex(columns=[*scores, *others])


def _step_labels(steps, real):
    chosen = {"rlsd": "RLSD as published, minima chosen"}
    return steps.labels | real.of_protocol().labels | chosen


def _changes(scores: pd.DataFrame) -> pd.DataFrame:
    """Each step against the one before it."""
    rows = {
        name: against_each(scores[[name, before]], name).reindex([before]).iloc[0]
        for before, name in pairwise(STEPS)
    }
    return pd.DataFrame(rows).T


def steps_table(steps: Results, real: Results) -> Table:
    """What each step from the paper's version to the defaults, and one beyond, changes."""
    scores = {measure: step_scores(steps, real, measure) for measure in STEP_MEASURES}
    ap, changes = scores["ap"], _changes(scores["ap"])
    n = len(ap)
    columns = {
        (f"mean of {n} sets", text): scores[measure].mean()
        for measure, text in STEP_MEASURES.items()
    }
    for name, text in {
        "mean difference": "AP",
        "sets won": "sets higher",
        "sets lost": "sets lower",
        "p": "p",
    }.items():
        columns["against the row above", text] = changes[name].astype(float)
    columns |= {("AP", name): ap.loc[name] for name in LARGE if name in ap.index}
    frame = pd.DataFrame(columns, index=list(ap), dtype=float)
    counts = [("against the row above", text) for text in ("sets higher", "sets lower")]
    frame = whole_numbers(frame, counts).rename(index=_step_labels(steps, real))
    caption = (
        f"What each step brings: means over {steps.experiment.folds} splits of real rare events"
        f"{steps.shortfall}. Below the line, baselines on the same splits, and RLSD as "
        "published with minima chosen by inner cross-validation. p by Wilcoxon's signed-rank test "
        "over the sets."
    )
    first = _step_labels(steps, real)[next(iter(real.experiment.methods))]
    return show(frame.rename_axis("method"), caption=caption, digits=3, rule_above=first)


def steps_in_words(steps: Results, real: Results) -> Bullets:
    """The finding of `steps_table` in sentences."""
    ap = step_scores(steps, real, "ap")
    if ap.empty:
        return Bullets(["No data set has all rows of the steps."])
    labels, first = _step_labels(steps, real), next(iter(STEPS))
    change = (ap[DEFAULTS] - ap[first]).round(9)
    sentences = [
        f"From the published version to the defaults, AP rises on {(change > 0).sum()} of "
        f"{len(ap)} sets and falls on {(change < 0).sum()}; its mean goes from "
        f"{ap[first].mean():.3f} to {ap[DEFAULTS].mean():.3f}."
    ]
    for kind, name in (("gain", change.idxmax()), ("loss", change.idxmin())):
        if change[name] * (1 if kind == "gain" else -1) > 0:
            values = f"{ap.loc[name, first]:.3f} to {ap.loc[name, DEFAULTS]:.3f}"
            sentences.append(f"The largest {kind} is on {name}: {values}.")
    for before, name in pairwise(STEPS):
        sizes = [
            step_scores(steps, real, measure)[step].mean()
            for measure in ("n_rules", "conditions")
            for step in (before, name)
        ]
        step = (ap[name] - ap[before]).round(9)
        sentences.append(
            f"{labels[name].removeprefix('+ ')}: mean AP {step.mean():+.3f}, higher on "
            f"{(step > 0).sum()} sets, lower on {(step < 0).sum()}; {sizes[0]:.1f} rules with "
            f"{sizes[2]:.1f} conditions become {sizes[1]:.1f} with {sizes[3]:.1f}."
        )
    for name in ("c4.5", "ripper"):
        if ap[name].notna().all():
            above = [(ap[step].round(9) > ap[name].round(9)).sum() for step in (first, DEFAULTS)]
            sentences.append(
                f"The published version is above {labels[name]} on {above[0]} of {len(ap)} sets, "
                f"the defaults on {above[1]}."
            )
    return Bullets(sentences)


def levels_table(table3: Results, levels: Results) -> Table:
    """Table 3 at other levels of significance: means over its cells, and over the sets."""
    columns = {
        "n_rules": ("rules", 1),
        "train_recall": ("training recall, %", 100),
        "recall": ("test recall, %", 100),
        "precision": ("test precision, %", 100),
    }
    table3, levels = on_shared_sets(table3, levels)
    means = pd.concat([part.setting_means(columns) for part in (table3, levels)])
    has_rules = means["precision"].notna().groupby(level="setting").all()
    shown = has_rules.index[has_rules]
    means = means[means.index.isin(shown, level="setting")].groupby(level="method").mean()
    names = {"rlsd" if level == 0.05 else name: f"{level:g}" for name, level in LEVELS.items()}
    titles, units = zip(*columns.values(), strict=True)
    frame = means.reindex(list(names)).mul(list(units)).set_axis(list(titles), axis="columns")
    caption = (
        f"Table 3 at other levels of significance: means over the {len(shown)} cells in which all "
        f"levels have rules, on SIMULATED sets ({table3.coverage()}, {levels.coverage()})."
    )
    return show(frame.rename(index=names).rename_axis("level"), caption=caption, digits=2)


def noise_table(study: pd.DataFrame) -> Table:
    """What `noise_in_rules` found."""
    columns = {
        "rules": "rules",
        "conditions": "conditions a rule",
        "unrelated": "of them unrelated, %",
        "recall": "test recall, %",
        "precision": "test precision, %",
    }
    frame = study[list(columns)].mul([1, 1, 100, 100, 100]).rename(columns=columns)
    frame["rules"] = frame["rules"].astype(int)
    caption = (
        "RLSD with intervals of other significance levels on one SIMULATED set: how many "
        "conditions of its rules are on irrelevant attributes."
    )
    return show(frame.set_axis(frame.index.map("{:g}".format)), caption=caption, digits=2)


def inspection_table(model, parts, budget: float) -> Table:
    """What an inspection within a budget looks at: the rules behind it, and what they find."""
    _, _, X, y = parts
    listed = model.inspect(X, budget=budget)
    is_bad = y[X.index.get_indexer(listed.index)]
    groups = listed.assign(bad=is_bad).groupby("rule", sort=False)
    frame = pd.DataFrame(
        {
            "because": groups["conditions"].first(),
            "precision in training, %": 100 * groups["score"].first(),
            "looked at": groups.size(),
            "bad": groups["bad"].sum().astype(int),
        }
    )
    found, n = int(is_bad.sum()), len(listed)
    caption = (
        f"The {n:,} examples to inspect within {budget:.0%} of a SIMULATED test month, by rule. "
        f"{found} of them are bad, {found / n:.1%}, against {y.mean():.1%} of all; that is "
        f"{found / y.sum():.0%} of the {y.sum()} bad ones."
    )
    return show(frame.rename_axis("rule"), caption=caption, digits=2)


def speed_table(study: pd.DataFrame) -> Table:
    """What `speed_study` measured."""
    frame = study.set_axis([f"{n:,}" for n in study.index]).rename_axis("n")
    caption = (
        "Milliseconds of three versions of ChiMerge for one attribute of n different values, "
        "measured once, on a machine with two cores."
    )
    return show(frame, caption=caption, digits=1)


def large_measured() -> list:
    """What `tests/benchmarks/bench_large.py` measured of tables larger than memory, to be shown."""
    file = paths.committed_results() / "large_tables.csv"
    if not file.exists():
        command = "python tests/benchmarks/bench_large.py all --save"
        return [Bullets([f"Not measured in this checkout yet; `{command}` does it."])]
    rows = pd.read_csv(file)
    return [large_table(rows), large_rivals_table(rows), large_in_words(rows)]


def large_table(rows: pd.DataFrame) -> Table:
    """Seconds and memory of fits from files, by the number of rows, beside reading only."""
    grown = rows[rows["part"] == "growth"]
    frame = grown.set_index(["million_rows", "method"])[["seconds", "peak_gb"]]
    frame["rate"] = frame.index.get_level_values(0) / frame["seconds"]
    frame.index = [f"{n} million, {method}" for n, method in frame.index]
    columns = {"peak_gb": "peak memory, GB", "rate": "million rows per second"}
    caption = (
        "Fits from parquet files of 30 float32 columns, one positive in 10,000 rows (MADE UP), and "
        f"a loop that only reads them. Two cores, {_how_busy(grown)}."
    )
    return show(frame.rename(columns=columns).rename_axis("rows"), caption=caption, digits=2)


def large_rivals_table(rows: pd.DataFrame) -> Table:
    """The same rows given to learners that someone would take instead."""
    rivals = rows[rows["part"] == "others"]
    columns = {"seconds": "seconds", "peak_gb": "peak memory, GB"}
    columns["recall"] = "recall at 0.1 % inspected"
    frame = rivals.set_index("method")[list(columns)].rename(columns=columns)
    caption = (
        f"{rivals['million_rows'].iloc[0]} million of these rows, read in batches, and three "
        "million others to inspect. Half of the positives fulfil one of three conjunctions of four "
        "conditions, which 0.06 % of all rows fulfil each; the others are like any row. No method "
        "can expect a recall above 0.26. The generator was fixed before any method saw its rows. "
        f"{_how_busy(rivals).capitalize()}."
    )
    return show(frame, caption=caption)


def large_in_words(rows: pd.DataFrame) -> Bullets:
    """What two workers gain, and on paper the hours for a billion rows."""
    lines = []
    for method, own in rows[rows["part"] == "workers"].groupby("method"):
        seconds = own.set_index("workers")["seconds"]
        lines.append(
            f"{method}: two Dask workers take {seconds[2]:.1f} s for "
            f"{own['million_rows'].iloc[0]} million rows, one takes {seconds[1]:.1f} s "
            f"({seconds[1] / seconds[2]:.2f} times)."
        )
    for method, own in rows[rows["part"] == "on paper"].groupby("method"):
        hours = own.set_index("workers")["seconds"] / 3600
        lines.append(
            f"{method}, on paper, from the rate of the largest table: a billion rows in "
            + ", ".join(f"{hours[n]:.2g} h on {n:.0f}" for n in hours.index)
            + " such machines."
        )
    return Bullets(lines)


def _how_busy(rows: pd.DataFrame) -> str:
    return ", ".join(rows["note"].dropna().unique())


def limit_table(simulated: pd.DataFrame) -> Table:
    """What the limit M costs: on public data, and on a simulated set given as rows like these."""
    columns = {"generated": "rules generated", "qualified": "rules that qualify", "f": "test F"}
    parts = [simulated[list(columns)], limit_study()[list(columns)]]
    frame = pd.concat(parts).rename(columns=columns)
    frame.index = [f"{name}, M = {limit:,}" for name, limit in frame.index]
    for column in list(columns.values())[:2]:
        frame[column] = frame[column].round().astype(int)
    caption = (
        "What dropping rules at random beyond M costs: test F (beta = 2) of all selected rules. "
        "The first set is SIMULATED; the others are real, means over three splits."
    )
    return show(frame.rename_axis("data set, limit"), caption=caption)


def best_rules(model, parts, number: int = 8) -> Table:
    """The rules with the highest lift in training, and what became of them in the test month."""
    _, _, X, y = parts
    training = model.rule_table_
    tested = model.rules_frame(X, y).loc[training.index]
    found = (tested["support"] * tested["precision"].fillna(0)).round().astype(int)
    frame = pd.DataFrame(
        {
            ("", "bad if"): training["conditions"],
            ("training", "covers"): training["support"].astype(int),
            ("training", "precision, %"): 100 * training["precision"],
            ("training", "lift"): training["lift"],
            ("test", "covers"): tested["support"].astype(int),
            ("test", "bad"): found,
            ("test", "precision, %"): 100 * tested["precision"],
            ("test", "lift"): tested["lift"],
        }
    )
    frame = frame.sort_values(("training", "lift"), ascending=False, kind="stable").head(number)
    caption = (
        f"The {len(frame)} of {len(training)} rules with the highest lift in training, on a "
        "SIMULATED set, and the same rules in the test month."
    )
    return show(frame, caption=caption, digits=2)
