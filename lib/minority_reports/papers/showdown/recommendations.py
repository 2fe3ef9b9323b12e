"""What a reader should choose when, in words that follow from the rows."""

import re
from collections.abc import Mapping

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.tables import (
    against_best,
    basis,
    contestants,
    count,
    fold_rows,
    mean_ranks,
    readable,
    scores,
    trade_off,
    tuning_gains,
)
from minority_reports.report.tables import facts
from minority_reports.statistics import bootstrap_interval

#: With fewer data sets Wilcoxon's test, corrected for eleven rivals, can show no difference.
ENOUGH_SETS = 9
#: Positives are called rare above this ratio of negatives to positives.
RARE = 20
#: Of mean G-mean: what a faster learner may lose.
SMALL_LOSS = 0.02
_ALPHA = 0.05


def advice(results: Mapping[str, Results]) -> str:
    """What to choose when, how sure that is, and what not to conclude, in Markdown.

    It is about the methods of the protocol alone.
    """
    results = {setting: result.of_protocol() for setting, result in results.items()}
    values = scores(results, "defaults")
    if len(values) < ENOUGH_SETS or values.shape[1] < 2:
        return (
            f"**Too few rows for advice.** It needs two contestants and {ENOUGH_SETS} data sets "
            f"with folds that all have; there are {count(values.shape[1], 'contestant')} and "
            f"{count(len(values), 'such data set')} ({results['defaults'].coverage()})."
        )
    blocks = [
        f"**With defaults** ({basis(results, 'defaults')}):",
        _best_by_metric(results),
        "\n".join(
            f"- {sentence}"
            for sentence in (
                _by_imbalance(values),
                _readability(values, results),
                _speed(results),
                _tuning(results),
            )
        ),
        _limits(values, results),
    ]
    return "\n\n".join(blocks)


def _best_and_level(values: pd.DataFrame, metric: str) -> tuple[str, str]:
    """The best by mean rank, and those whose difference from it may be chance."""
    frame = against_best(values, metric)
    level = frame.index[frame["p (Holm)"] >= _ALPHA]
    return frame.index[0], "; ".join(level) or "nobody"


def _verdict(values: pd.DataFrame, metric: str = "g_mean") -> str:
    best, level = _best_and_level(values, metric)
    rank = mean_ranks(values, metric)[best]
    return f"**{best}** (mean rank {rank:.1f} of {values.shape[1]}, not shown to differ: {level})"


def _best_by_metric(results) -> str:
    lines = ["| best in | by mean rank | mean rank | not shown to differ |", "|---|---|---:|---|"]
    for metric, text in METRICS.items():
        values = scores(results, "defaults", metric)
        if values.shape[1] < 2 or values.empty:
            lines.append(f"| {text} | – | – | fewer than two contestants have it |")
            continue
        best, level = _best_and_level(values, metric)
        rank = f"{mean_ranks(values, metric)[best]:.1f} of {values.shape[1]}"
        lines.append(f"| {text} | **{best}** | {rank} | {level} |")
    return "\n".join(lines)


def _by_imbalance(values: pd.DataFrame) -> str:
    imbalance = facts(values.index)["imbalance"]
    parts = {
        f"When positives are rare (imbalance above {RARE}": values[imbalance > RARE],
        f"When they are not (at most {RARE}": values[imbalance <= RARE],
    }
    sentences = [
        f"{when}, {count(len(part), 'set')}): "
        + (f"{_verdict(part)}." if len(part) >= ENOUGH_SETS else "too few sets to say.")
        for when, part in parts.items()
    ]
    return " ".join(sentences)


def mean_and_interval(differences) -> str:
    """A mean difference over data sets with its bootstrap interval, in words."""
    mean, low, high = bootstrap_interval(differences)
    return f"{mean:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}"


def _readability(values: pd.DataFrame, results) -> str:
    ranks = mean_ranks(values, "g_mean").sort_values(kind="stable")
    can_be_read = [label for label in ranks.index if label in readable(results, "defaults")]
    if not can_be_read:
        return "None of these contestants has a model that can be read."
    best, chosen = ranks.index[0], can_be_read[0]
    sizes = trade_off(results, ["defaults"], "conditions").set_index("contestant")["conditions"]
    size = f"{sizes[chosen]:,.0f} conditions in the median" if chosen in sizes else "size not known"
    if chosen == best:
        return (
            f"The best one in G-mean can also be read: **{chosen}** ({size}). That costs nothing."
        )
    loss = values[chosen] - values[best]
    _, _, high = bootstrap_interval(loss)
    sure = "a loss" if high < 0 else "not shown to be a loss"
    return (
        f"If the model must be read: **{chosen}** ({size}). In G-mean against {best} that is "
        f"{sure} ({mean_and_interval(loss)})."
    )


def _speed(results) -> str:
    costs = trade_off(results, ["defaults"], "fit_s").set_index("contestant")
    if costs.empty:
        return "Which one is fast cannot be said: there are no timings."
    best = costs["g_mean"].idxmax()
    near = costs[costs["g_mean"] >= costs.loc[best, "g_mean"] - SMALL_LOSS]
    fastest = near["fit_s"].idxmin()
    if fastest == best:
        return (
            f"If time counts: nobody within {SMALL_LOSS} of the highest mean G-mean is faster than "
            f"**{best}**, which has it ({_seconds(costs, best)})."
        )
    loss = costs.loc[best, "g_mean"] - costs.loc[fastest, "g_mean"]
    return (
        f"If time counts: **{fastest}** ({_seconds(costs, fastest)}) has a mean G-mean only "
        f"{loss:.3f} below the highest, that of {best} ({_seconds(costs, best)})."
    )


def _seconds(costs: pd.DataFrame, label: str) -> str:
    return f"{costs.loc[label, 'fit_s']:.2g} s a fit in the median"


def _tuning(results) -> str:
    gains = tuning_gains(results)
    if len(gains) < ENOUGH_SETS:
        there = f"{count(len(gains), 'data set')} with tuned folds that all contestants have"
        return f"Whether tuning pays is open: {there} ({results['tuned'].coverage()})."
    bounds = pd.DataFrame(
        {label: bootstrap_interval(gain) for label, gain in gains.items()},
        index=["mean", "low", "high"],
    ).T
    bounds = bounds.sort_values("mean", ascending=False, kind="stable")
    better, worse = bounds.index[bounds["low"] > 0], bounds.index[bounds["high"] < 0]
    text = f"Tuning, judged on {count(len(gains), 'set')}: "
    if len(better):
        text += (
            f"it paid in G-mean for {len(better)} of {len(bounds)}, most for **{better[0]}** "
            f"({mean_and_interval(gains[better[0]])})"
        )
    else:
        text += f"it is shown to pay in G-mean for none of {len(bounds)}"
    text += f", and it did harm to {'; '.join(worse)}." if len(worse) else "."
    return f"{text} After it the best in G-mean is {_verdict(scores(results, 'tuned'))}."


def source_of(name: str) -> str:
    """Where a KEEL set comes from: the word that its name begins with."""
    return re.match(r"[^\W\d_]*", name).group().lower() or name


def _limits(values: pd.DataFrame, results) -> str:
    known = facts(values.index).median()
    rows = fold_rows(results, "defaults")
    failed, cut_off = int(rows["failed"].sum()), int(rows["status"].eq("time limit").sum())
    sources = len({source_of(name) for name in values.index})
    size = (
        f"The median set has {known['n']:,.0f} rows and {known['positives']:,.0f} positives: "
        "nothing here speaks of large data. "
        if known.notna().all()
        else ""
    )
    return (
        f"**What not to conclude.** The {len(values)} data sets come from {sources} sources, and "
        "those of one source are alike: p-values and intervals look more certain than they are. "
        f"{size}Not shown to differ is not the same as equal. A rank depends on who else takes "
        f"part ({len(contestants(results, 'defaults'))} here), seconds on the machine. Folds that "
        f"failed and count as predicting the majority: {failed}; cut off by a time limit: "
        f"{cut_off}."
    )
