"""Two questions of the field, answered by rows: a table, a figure and sentences for each.

Does resampling raise AUROC, or does it only move the threshold, and what does it do to calibration?
What does readability cost, by the number of conditions? Beside them: what a threshold is worth.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from minority_reports.experiments import Results
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.resampling import SCHEMES
from minority_reports.papers.showdown.tables import (
    EQUIVALENT,
    basis,
    count,
    mean_ranks,
    probabilities,
    scores,
    sizes,
)
from minority_reports.report import Table, show
from minority_reports.report.style import canvas, empty_figure, is_narrow, legend_below, look
from minority_reports.statistics import bootstrap_interval

#: Conditions that a reader is willing to follow, and the share of models that keep to them.
BUDGETS = (5, 10, 20, 50)
MOST_MODELS = 0.75
#: A probability from which a sentence says what it is the probability of.
SURE = 0.9


def finished(result: Results) -> Results:
    """The methods that are complete on every data set of the selection, and these alone."""
    cells = result.cells()
    is_whole = (cells["there"] == cells["of"]).groupby(level="method").all()
    return result.complete([m for m in result.experiment.methods if is_whole.get(m, False)])


def _of_sets(result: Results, measure: str, setting: str) -> pd.DataFrame:
    """Means over folds: data sets x labels of methods."""
    matrix = finished(result).matrix(measure, setting=setting).rename(columns=result.labels)
    return matrix.groupby(level="dataset", sort=False).mean()


def _rests_on(result: Results) -> str:
    part = finished(result)
    missing = len(result.experiment.methods) - part.rows["method"].nunique()
    text = f"{count(len(part.datasets), 'data set')}, {result.experiment.folds} folds each"
    return text + (f"; {count(missing, 'method')} not complete and left out" if missing else "")


# Thresholds.


def thresholds_table(result: Results) -> Table:
    """Every method at its own threshold and at the one chosen, and what no threshold changes."""
    own, tuned = (_of_sets(result, "g_mean", setting) for setting in ("own", "tuned"))
    lines = {}
    for label in own:
        gain = tuned[label] - own[label]
        _, same, higher = probabilities(gain)
        lines[label] = {
            ("G-mean", "own"): own[label].mean(),
            ("G-mean", "chosen"): tuned[label].mean(),
            **dict(zip(_columns("gain"), bootstrap_interval(gain), strict=True)),
            ("gain", "P(equivalent)"): same,
            ("gain", "P(better)"): higher,
        }
        for measure, name in _THRESHOLD_FREE.items():
            values = _of_sets(result, measure, "own")
            lines[label]["at any threshold", name] = (
                values[label].mean() if label in values else np.nan
            )
    columns = [
        *(("G-mean", "own"), ("G-mean", "chosen"), *_columns("gain")),
        *(("gain", "P(equivalent)"), ("gain", "P(better)")),
        *(("at any threshold", name) for name in _THRESHOLD_FREE.values()),
    ]
    frame = pd.DataFrame.from_dict(lines, orient="index")
    frame = frame.reindex(columns=pd.MultiIndex.from_tuples(columns))
    frame = frame.sort_values(("G-mean", "chosen"), ascending=False, kind="stable")
    caption = (
        "G-mean at each method's own threshold and at one chosen on held-out training rows, with "
        f"measures that no threshold changes ({_rests_on(result)}). The gain has its 95 % "
        f"bootstrap interval over data sets; equivalent is a difference of at most {EQUIVALENT:g}. "
        "Overlap is the share of test rows called positive by both of two models of inner folds "
        "among those that either calls so. Boxes, DAMVI and Boosting-SVM give no probabilities."
    )
    return show(frame.rename_axis("method"), caption=caption)


_THRESHOLD_FREE = {
    "auroc": "AUROC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "calibration_error": "calibration error",
    "overlap": "overlap",
}


def _columns(name: str) -> list[tuple[str, str]]:
    return [(name, "mean"), (name, "low"), (name, "high")]


def thresholds_figure(result: Results):
    """G-mean of every method at its own threshold and at the one chosen."""
    own, tuned = (_of_sets(result, "g_mean", setting).mean() for setting in ("own", "tuned"))
    data = pd.DataFrame({"own": own, "chosen": tuned}).rename_axis("method").reset_index()
    if data.empty:
        return empty_figure("No method has all folds."), data
    data = data.sort_values("chosen", kind="stable").reset_index(drop=True)
    figure, axes = canvas(shape=0.1, lines=2 + 1.2 * len(data))
    for place, (label, first, last) in enumerate(data.itertuples(index=False)):
        style = look(label) | {"linestyle": ""}
        axes.plot([first, last], [place, place], color=style["color"], linewidth=1.2, zorder=1)
        axes.plot(first, place, **style, markerfacecolor="white")
        axes.plot(last, place, **style)
    axes.plot([], [], "o", color="#444444", markerfacecolor="white", label="own threshold")
    axes.plot([], [], "o", color="#444444", label="chosen on held-out training rows")
    axes.set_yticks(range(len(data)), data["method"])
    axes.set(xlabel="G-mean, mean over data sets", ylim=(-0.7, len(data) - 0.3))
    legend_below(figure, axes, columns=2)
    return figure, data


def thresholds_answer(result: Results) -> str:
    """How many methods a threshold helps, and what it does to their order, in a sentence."""
    own, tuned = (_of_sets(result, "g_mean", setting) for setting in ("own", "tuned"))
    if own.empty or own.shape[1] < 2:
        return "Too few methods have all folds to say what thresholds are worth."
    chances = {label: probabilities(tuned[label] - own[label]) for label in own}
    helped = [label for label, (_, _, higher) in chances.items() if higher >= SURE]
    same = [label for label, (_, equal, _) in chances.items() if equal >= SURE]
    harmed = [label for label, (lower, _, _) in chances.items() if lower >= SURE]
    spread = {
        name: values.mean().max() - values.mean().min()
        for name, values in (("own", own), ("tuned", tuned))
    }
    first, second = own.mean().idxmax(), tuned.mean().idxmax()
    lead = (
        f"**{first}** has the highest mean G-mean either way"
        if first == second
        else f"the highest mean G-mean is that of **{first}** at its own threshold and of "
        f"**{second}** at the chosen ones"
    )
    return (
        f"A threshold chosen on held-out training rows raises the G-mean of {len(helped)} of "
        f"{len(chances)} methods (probability at least {SURE:g} of more than {EQUIVALENT:g}), "
        f"lowers that of {len(harmed)} and changes nothing in practice for {len(same)}. The best "
        f"and the worst method are {spread['own']:.3f} apart at their own thresholds and "
        f"{spread['tuned']:.3f} at the chosen ones; {lead}."
    )


# Resampling.

_PANELS = {
    "auroc": "AUROC",
    "g_mean": "G-mean at 0.5",
    "g_mean_tuned": "G-mean at the chosen threshold",
    "calibration_error": "calibration error",
}


def _gaps(result: Results, measure: str, scheme: str) -> pd.DataFrame:
    """What a scheme changes against the learner alone: data sets x learners."""
    return _of_sets(result, measure, scheme) - _of_sets(result, measure, "none")


def resampling_table(result: Results) -> Table:
    """Every learner with every scheme: what it changes against the learner alone."""
    lines = {}
    labels = list(_of_sets(result, "auroc", "none"))
    for label in labels:
        for scheme, text in SCHEMES.items():
            line = {
                ("mean", _PANELS.get(measure, METRICS.get(measure))): _of_sets(
                    result, measure, scheme
                )[label].mean()
                for measure in ("auroc", "average_precision", "g_mean", "g_mean_tuned")
            }
            for measure, name in (("brier", "Brier score"), ("calibration_error", "calibration")):
                line["probabilities", name] = _of_sets(result, measure, scheme)[label].mean()
            if scheme != "none":
                for measure in ("auroc", "g_mean_tuned"):
                    gap = _gaps(result, measure, scheme)[label]
                    lower, same, higher = probabilities(gap)
                    name = f"{_PANELS[measure]} against none"
                    line |= {
                        (name, "difference"): gap.mean(),
                        (name, "P(worse)"): lower,
                        (name, "P(equivalent)"): same,
                        (name, "P(better)"): higher,
                    }
            lines[label, text] = line
    frame = pd.DataFrame.from_dict(lines, orient="index")
    if len(frame):
        frame.index = pd.MultiIndex.from_tuples(frame.index, names=["learner", "training rows"])
        frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    caption = (
        "Resampling and class weights against the learner alone, means over data sets "
        f"({_rests_on(result)}). Probabilities are those of the Bayesian signed-rank test; "
        f"equivalent is a difference of at most {EQUIVALENT:g}."
    )
    return show(frame, caption=caption)


def resampling_figure(result: Results):
    """What resampling changes: differences from the learner alone, with intervals over sets."""
    schemes = {scheme: text for scheme, text in SCHEMES.items() if scheme != "none"}
    labels = list(_of_sets(result, "auroc", "none"))
    data = pd.DataFrame(
        [
            (measure, text, label, *bootstrap_interval(gap))
            for measure in _PANELS
            for scheme, text in schemes.items()
            for label, gap in _gaps(result, measure, scheme).items()
        ],
        columns=["measure", "training rows", "learner", "difference", "low", "high"],
    )
    if data.empty:
        return empty_figure("No learner has all folds."), data
    shown = {"shape": 0.5, "lines": 12} if is_narrow() else {"shape": 0.62, "lines": 2}
    columns = 1 if is_narrow() else 2
    figure, panels = canvas(len(_PANELS) // columns, columns, **shown, sharey=True)
    places = {text: len(schemes) - 1 - i for i, text in enumerate(schemes.values())}
    for axes, (measure, name) in zip(panels.flat, _PANELS.items(), strict=True):
        axes.axvline(0, color="#999999", linewidth=1)
        for i, label in enumerate(labels):
            of = data[(data["measure"] == measure) & (data["learner"] == label)]
            heights = of["training rows"].map(places) + 0.17 * ((len(labels) - 1) / 2 - i)
            errors = of[["difference"]].to_numpy().T - of[["low", "high"]].to_numpy().T
            style = look(label) | {"linestyle": "", "label": label, "elinewidth": 1.2}
            axes.errorbar(of["difference"], heights, xerr=np.abs(errors), **style)
        axes.set(xlabel=f"change in {name}", ylim=(-0.6, len(schemes) - 0.4))
        axes.set_yticks(list(places.values()), list(places))
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter("{x:.2g}")
    legend_below(figure, panels.flat[0])
    return figure, data


def resampling_answer(result: Results) -> str:
    """Whether resampling raises AUROC or moves the threshold, in sentences."""
    labels = list(_of_sets(result, "auroc", "none"))
    if not labels or len(finished(result).datasets) < 2:
        return "Too few rows to say what resampling does."
    schemes = [scheme for scheme in SCHEMES if scheme != "none"]
    chances, means = {}, {}
    for measure in _PANELS:
        gaps = {scheme: _gaps(result, measure, scheme) for scheme in schemes}
        means[measure] = np.mean([gaps[scheme].to_numpy().mean() for scheme in schemes])
        chances[measure] = [probabilities(gaps[s][label]) for s in schemes for label in labels]
    n = len(schemes) * len(labels)

    def sure(measure, place):
        return sum(chance[place] >= SURE for chance in chances[measure])

    return (
        f"{count(len(labels), 'learner')} with {len(schemes)} ways to balance the classes, on "
        f"{count(len(finished(result).datasets), 'data set')}. **AUROC** is higher by more than "
        f"{EQUIVALENT:g} with probability at least {SURE:g} in {sure('auroc', 2)} of {n} cases, "
        f"practically equivalent in {sure('auroc', 1)} and lower in {sure('auroc', 0)} (mean "
        f"change {means['auroc']:+.3f}). **At the threshold 0.5** the G-mean is higher in "
        f"{sure('g_mean', 2)} of {n} ({means['g_mean']:+.3f}); **at a threshold chosen on held-out "
        f"training rows** it is higher in {sure('g_mean_tuned', 2)}, practically equivalent in "
        f"{sure('g_mean_tuned', 1)} and lower in {sure('g_mean_tuned', 0)} "
        f"({means['g_mean_tuned']:+.3f}). **Calibration error** is higher by more than "
        f"{EQUIVALENT:g} in {sure('calibration_error', 2)} of {n} and lower in "
        f"{sure('calibration_error', 0)} ({means['calibration_error']:+.3f})."
    )


# Readability.


def best_within(results: Mapping[str, Results], setting: str = "defaults") -> pd.DataFrame:
    """The best by mean rank in G-mean among methods whose models have at most so many conditions.

    A line for each budget that has one, the last without a limit: the method, its median number of
    conditions, its mean G-mean, and what it is worth against the best of all. A method keeps to a
    budget if three quarters of its models do. Nothing else that keeps to it has a better rank.
    """
    values = scores(results, setting)
    columns = ["method", "conditions", "mean rank", "G-mean"]
    columns += ["difference", "low", "high", "P(worse)", "P(equivalent)", "P(better)"]
    ranks = mean_ranks(values, "g_mean")
    conditions = sizes(results, setting).reindex(ranks.index)
    upper = sizes(results, setting, MOST_MODELS).reindex(ranks.index)
    lines = {}
    for budget in (*BUDGETS, np.inf):
        allowed = ranks[upper <= budget] if budget < np.inf else ranks
        if allowed.empty or values.empty:
            continue
        best = allowed.idxmin()
        gap = values[best] - values[ranks.idxmin()]
        compared_with_best = gap.abs().sum() > 0
        worth = (
            (*bootstrap_interval(gap), *probabilities(gap)) if compared_with_best else [np.nan] * 6
        )
        name = f"at most {budget}" if budget < np.inf else "any number"
        lines[name] = (best, conditions[best], ranks[best], values[best].mean(), *worth)
    return pd.DataFrame.from_dict(lines, orient="index", columns=columns)


def readability_table(results: Mapping[str, Results], setting: str = "defaults") -> Table:
    """What readability costs: the best method for each number of conditions."""
    caption = (
        "The best method by mean rank in G-mean among those of whose models three quarters have at "
        f"most so many conditions ({setting}; {basis(results, setting)}), its median number of "
        "them, and its G-mean minus that of the best of all, with a 95 % bootstrap interval over "
        "data sets and the probabilities of the Bayesian signed-rank test; equivalent is a "
        f"difference of at most {EQUIVALENT:g}."
    )
    frame = best_within(results, setting).rename_axis("conditions allowed")
    return show(frame, caption=caption)


def readability_answer(results: Mapping[str, Results], setting: str = "defaults") -> str:
    """What readability costs, in a sentence for each budget that changes the answer."""
    frame = best_within(results, setting)
    if frame.empty:
        return "Too few rows to say what readability costs."
    best = frame.iloc[-1]
    texts = [
        f"Without a limit the best by mean rank in G-mean is **{best['method']}** "
        f"({best['conditions']:,.0f} conditions, mean G-mean {best['G-mean']:.3f})."
    ]
    for allowed, line in frame.iloc[:-1].drop_duplicates("method").iloc[::-1].iterrows():
        if line["method"] == best["method"]:
            texts.append(f"It is also the best with {allowed} conditions: that costs nothing.")
            continue
        texts.append(
            f"With {allowed} conditions it is **{line['method']}** ({line['conditions']:,.0f} in "
            f"the median): {line['difference']:+.3f} G-mean (95 % interval {line['low']:+.3f} to "
            f"{line['high']:+.3f}), {likely(line)}."
        )
    return " ".join(texts)


def likely(line: Mapping[str, float]) -> str:
    """What is most probable of a difference, in words, with its probability."""
    texts = {
        "P(worse)": "worse",
        "P(equivalent)": "practically equivalent",
        "P(better)": "better",
    }
    name = max(texts, key=lambda column: line[column])
    return f"{texts[name]} with probability {line[name]:.2f}"
