"""Which method to take for a user's own file, in words: never one that something simpler beats."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from minority_reports.papers.showdown.own.comparison import Comparison
from minority_reports.papers.showdown.own.evidence import SHARES, inspection_curve
from minority_reports.papers.showdown.own.ranking import called, interval_text, mean_text
from minority_reports.papers.showdown.protocol import METRICS
from minority_reports.papers.showdown.tables import count, higher_is_better
from minority_reports.statistics import corrected_interval

#: Conditions that a reader follows at a glance: what "at most N conditions" means by default.
FEW_CONDITIONS = 10
#: A simpler model counts as good enough if its mean is not further behind than this, and if the
#: difference is not significant.
MARGIN = 0.02


@dataclass(frozen=True)
class Advice:
    """A recommendation, and the entrants that it speaks of: rows of the ranking."""

    headline: str
    sentences: list[str] = field(default_factory=list)
    best: pd.Series | None = None
    #: The best with few conditions.
    small: pd.Series | None = None
    #: What to take; None if nothing is worth it.
    chosen: pd.Series | None = None

    @property
    def shown(self) -> list[pd.Series]:
        """What is looked at more closely, without repeats: what to take, the best, the small."""
        told = {}
        for entrant in (self.chosen, self.best, self.small):
            if entrant is not None:
                told.setdefault((entrant["method"], entrant["setting"]), entrant)
        return list(told.values())


def advise(comparison: Comparison, few: int = FEW_CONDITIONS) -> Advice:
    """What to take, from the folds that are there."""
    metric = comparison.plan.metric
    name = METRICS[metric]
    ranking = comparison.ranking
    if len(ranking):
        ranking = ranking[ranking["learned"] & ranking["complete"] & ranking[metric].notna()]
    if ranking.empty:
        return Advice("Nothing can be recommended yet: no method has a result.")
    best = ranking.iloc[0]
    guess = chance(comparison.plan.data.y, metric)
    if not beats(comparison, best, guess):
        return Advice(
            "No method is clearly better than guessing: use none of them.",
            [
                f"The highest {name} is {mean_text(best, metric)}, of {called(best)}; a guess that "
                f"does not look at the columns has {guess:.3f}. Either the columns tell too little "
                "of the target, or there are too few rows to see it: more rows of the rare class "
                "and other columns help, another method hardly."
            ],
            best=best,
        )
    size = ranking["most conditions"]
    small = ranking[size <= few].iloc[0] if (size <= few).any() else None
    good = ranking[[_is_as_good(entrant) for _, entrant in ranking.iterrows()]]
    order = np.lexsort([good.index, good["most conditions"].fillna(np.inf)])
    chosen = good.iloc[order[0]]
    sentences = [
        f"{called(best)} has the highest {name}: {mean_text(best, metric)} over "
        f"{count(len(comparison.rounds), 'fold')}"
        + ("." if pd.isna(best["conditions"]) else f", with {_conditions(best)}.")
    ]
    sentences += _on_small(comparison, best, small, few)
    sentences += _on_tree(comparison, ranking, best, small)
    if not _same(chosen, best) and (small is None or not _same(chosen, small)):
        sentences.append(
            f"{called(chosen)}, with {_conditions(chosen)}, is as good as the best ({name} "
            f"{mean_text(chosen, metric)}; {_difference(chosen)})."
        )
    sentences.append(
        f"The best of {count(len(ranking), 'entrant')} was chosen on the same folds that it is "
        "measured on, so expect a little less on new rows."
    )
    headline = _headline(chosen, best)
    if comparison.is_partial:
        headline = f"So far: {headline[0].lower()}{headline[1:]}"
        sentences.append("Some methods were not tried at all: this is not the last word.")
    return Advice(headline, sentences, best, small, chosen)


def chance(y: np.ndarray, metric: str) -> float:
    """The best that a guess gets without looking at the columns."""
    share = float(y.mean())
    known = {
        "f1": 2 * share / (1 + share),
        "average_precision": share,
        "brier": share * (1 - share),
        "calibration_error": 1.0,  # a constant guess is calibrated; this metric tells no skill
    }
    return known.get(metric, 0.5)


def beats(comparison: Comparison, entrant: pd.Series, guess: float) -> bool:
    """Whether a metric is significantly better than a guess; by its mean alone on one fold."""
    metric, rows = comparison.plan.metric, comparison.compared
    of = (rows["method"] == entrant["method"]) & (rows["setting"] == entrant["setting"])
    gains = higher_is_better(rows.loc[of, metric] - guess, metric)
    share = comparison.plan.experiment.test_share
    mean, low, _ = corrected_interval(gains, test_share=share)
    return mean > 0 if np.isnan(low) else low > 0


def _is_as_good(entrant: pd.Series) -> bool:
    return entrant["difference"] >= -MARGIN and not entrant["high"] < 0


def _same(one: pd.Series, other: pd.Series) -> bool:
    return one.name == other.name


def _conditions(entrant: pd.Series) -> str:
    if pd.isna(entrant["conditions"]):
        return "an unknown number of conditions"
    return count(round(entrant["conditions"]), "condition")


def _difference(entrant: pd.Series) -> str:
    """The difference to the best with its interval, and what that means."""
    text = f"difference to the best {interval_text(entrant)}"
    if pd.isna(entrant["low"]):
        return f"{text}; one fold gives no interval"
    if entrant["high"] < 0:
        return f"{text}, which is significant"
    if entrant["low"] < -5 * MARGIN:
        return f"{text}: not significant, but these rows are too few to rule out a large difference"
    return f"{text}, which is not significant"


def _on_small(comparison: Comparison, best: pd.Series, small: pd.Series | None, few: int) -> list:
    metric = comparison.plan.metric
    if small is None:
        return [f"No method got by with {count(few, 'condition')} or fewer."]
    if _same(small, best):
        return [f"It is also the best with at most {few} conditions: nothing larger beats it."]
    return [
        f"With at most {few} conditions {called(small)} is the best: {METRICS[metric]} "
        f"{mean_text(small, metric)}; {_difference(small)}. {_worth(comparison, best, small)}"
    ]


def _worth(comparison: Comparison, best: pd.Series, small: pd.Series) -> str:
    """What the difference is worth to somebody who looks at the rows with the highest scores."""
    y = comparison.plan.data.y
    share = next((share for share in SHARES if share >= y.mean()), SHARES[-1])
    found = [
        inspection_curve(comparison, e["method"], e["setting"], [share]).iloc[0]
        for e in (best, small)
    ]
    one, other = (f"{100 * part:.0f}" for part in found)
    return (
        f"Who looks at the {share:.0%} of the rows with the highest scores finds {one} of 100 "
        f"positives with the best and {other} with it."
    )


def shallow_trees(comparison: Comparison) -> set[str]:
    """Methods that are a single tree of depth 3."""
    found = set()
    for name, contestant in comparison.contestants.items():
        step = contestant.pipeline[-1] if contestant.pipeline is not None else None
        step = getattr(step, "estimator", step)
        if isinstance(step, DecisionTreeClassifier) and step.max_depth == 3:
            found.add(name)
    return found


def _on_tree(comparison, ranking, best, small) -> list[str]:
    metric = comparison.plan.metric
    trees = ranking[ranking["method"].isin(shallow_trees(comparison))]
    trees = trees[trees["setting"] == "defaults"]  # tuning may make it deeper
    if trees.empty or _same(trees.iloc[0], best):
        return []
    tree = trees.iloc[0]
    if tree["high"] < 0:
        return [
            f"A tree of depth 3 is worse than the best: {METRICS[metric]} "
            f"{mean_text(tree, metric)}, {_difference(tree)}."
        ]
    known = small is not None and _same(tree, small)
    told = "" if known else f": {METRICS[metric]} {mean_text(tree, metric)}, {_difference(tree)}"
    return [f"A tree of depth 3 is not significantly worse than the best{told}."]


def _headline(chosen: pd.Series, best: pd.Series) -> str:
    if _same(chosen, best):
        return f"Use {called(best)}: nothing simpler is as good."
    if chosen["setting"] == best["setting"]:
        names = chosen["learner"], best["learner"]
    else:
        names = called(chosen), called(best)
    return f"Use {names[0]}: it is as good as {names[1]}, and simpler."
