"""What a reader should choose when, in words that follow from the rows."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.questions import readability_answer
from minority_reports.papers.showdown.tables import (
    EQUIVALENT,
    against_best,
    basis,
    contestants,
    count,
    fold_rows,
    mean_ranks,
    pareto_front,
    scores,
    sizes,
    trade_off,
    tuning_gains,
)
from minority_reports.report.tables import facts
from minority_reports.statistics import bootstrap_interval

#: With fewer data sets Wilcoxon's test, corrected for that many others, can show no difference.
ENOUGH_SETS = 10
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
            f"**Too few rows for advice.** It needs two methods and {ENOUGH_SETS} data sets "
            f"with folds that all have; there are {count(values.shape[1], 'method')} and "
            f"{count(len(values), 'such data set')} ({results['defaults'].coverage()})."
        )
    blocks = [
        f"**With defaults** ({basis(results, 'defaults')}):",
        _best_by_metric(results),
        "\n".join(
            f"- {sentence}"
            for sentence in (
                _by_imbalance(values),
                readability_answer(results),
                _speed(results),
                _tuning(results),
            )
        ),
        _limits(values, results),
    ]
    return "\n\n".join(blocks)


def _best_and_level(values: pd.DataFrame, metric: str) -> tuple[str, str, str]:
    """The best by mean rank, those not significantly different, those probably equivalent."""
    frame = against_best(values, metric)
    level = frame.index[frame["p (Holm)"] >= _ALPHA]
    others = frame.iloc[1:]
    chances = others[["P(worse)", "P(equivalent)", "P(better)"]]
    equivalent = others[chances.idxmax(axis=1) == "P(equivalent)"]["P(equivalent)"]
    same = [f"{label} ({chance:.2f})" for label, chance in equivalent.items()]
    return frame.index[0], "; ".join(level) or "none", "; ".join(same) or "none"


def _verdict(values: pd.DataFrame, metric: str = "g_mean") -> str:
    best, level, same = _best_and_level(values, metric)
    rank = mean_ranks(values, metric)[best]
    return (
        f"**{best}** (mean rank {rank:.1f} of {values.shape[1]}; not significantly different: "
        f"{level}; practically equivalent with probability: {same})"
    )


def _best_by_metric(results) -> str:
    lines = [
        "| best in | by mean rank | mean rank | not significantly different | practically "
        "equivalent (probability) |",
        "|---|---|---:|---|---|",
    ]
    for metric, text in METRICS.items():
        values = scores(results, "defaults", metric)
        if values.shape[1] < 2 or values.empty:
            lines.append(f"| {text} | – | – | fewer than two methods have it | – |")
            continue
        best, level, same = _best_and_level(values, metric)
        rank = f"{mean_ranks(values, metric)[best]:.1f} of {values.shape[1]}"
        lines.append(f"| {text} | **{best}** | {rank} | {level} | {same} |")
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


def _speed(results) -> str:
    costs = trade_off(results, ["defaults"], "fit_s").set_index("contestant")
    if costs.empty:
        return "Which one is fast cannot be said: there are no timings."
    # a model that something at least as short beats is never recommended
    conditions = sizes(results, "defaults").reindex(costs.index).fillna(np.inf)
    costs = costs[pareto_front(conditions, costs["g_mean"])]
    best = costs["g_mean"].idxmax()
    near = costs[costs["g_mean"] >= costs.loc[best, "g_mean"] - SMALL_LOSS]
    fastest = near["fit_s"].idxmin()
    if fastest == best:
        return (
            f"If time counts: no method within {SMALL_LOSS} of the highest mean G-mean is faster "
            f"than **{best}**, which has it ({_seconds(costs, best)})."
        )
    loss = costs.loc[best, "g_mean"] - costs.loc[fastest, "g_mean"]
    return (
        f"If time counts: **{fastest}** ({_seconds(costs, fastest)}) has a mean G-mean only "
        f"{loss:.3f} below the highest, that of {best} ({_seconds(costs, best)})."
    )


def _seconds(costs: pd.DataFrame, label: str) -> str:
    return f"{costs.loc[label, 'fit_s']:.2g} s per fit in the median"


def _tuning(results) -> str:
    gains = tuning_gains(results)
    if len(gains) < ENOUGH_SETS:
        there = f"{count(len(gains), 'data set')} with tuned folds that all methods have"
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
        f"{size}Not significantly different is not the same as equal; practically equivalent is a "
        f"difference of at most {EQUIVALENT:g}. A rank depends on who else takes "
        f"part ({len(contestants(results, 'defaults'))} here), seconds on the machine. Folds that "
        f"failed and count as predicting the majority: {failed}; cut off by a time limit: "
        f"{cut_off}."
    )
