"""Figures of the showdown on a user's own file: a figure each, and the data that it plots."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from minority.datasets import Dataset
from minority.experiments import Results, Task
from minority.papers.showdown._contestants import CONTESTANTS
from minority.papers.showdown._figures import in_words
from minority.papers.showdown._own_models import parse_configuration
from minority.papers.showdown._own_ranking import entrant_rows, standings
from minority.papers.showdown._protocol import METRICS, Entrant, scores
from minority.papers.showdown._race import sample_rows
from minority.papers.showdown._tables import count

#: Blue for those that can be read, orange for the others.
_COLOURS = {True: "#0072B2", False: "#D55E00"}
#: Hollow for the defaults, filled for those that were tuned.
_MARKS = {"defaults": "o", "tuned": "D"}
_CURVES = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."))
_SHOWN = ("g_mean", "average_precision")


def own_figure(results: Mapping[str, Results], dataset: str):
    """G-mean and average precision of all entrants: means, and lines from worst to best fold."""
    import matplotlib.pyplot as plt

    frame = standings(results, dataset)
    if frame.empty or frame["g_mean"].isna().all():
        return in_words(f"{dataset}: no entrant has a result."), pd.DataFrame()
    data = frame[["method", "setting", "learner", "readable", "folds", *_SHOWN]]
    folds = entrant_rows(results, dataset).groupby(["method", "setting"])[[*_SHOWN]]
    for end, values in {"worst": folds.min(), "best": folds.max()}.items():
        data = data.join(values.add_suffix(f" {end}"), on=["method", "setting"])
    labels = list(dict.fromkeys(frame["learner"]))[::-1]  # each where its better entry is
    figure, panels = plt.subplots(1, 2, figsize=(10, 1.6 + 0.36 * len(labels)), sharey=True)
    # of two entries the tuned one is above
    shift = {"defaults": -0.17, "tuned": 0.17} if len(results) > 1 else {}
    for axes, metric in zip(panels, _SHOWN, strict=True):
        for row in data.dropna(subset=metric).to_dict("records"):
            height = labels.index(row["learner"]) + shift.get(row["setting"], 0)
            colour = _COLOURS[row["readable"]]
            ends = row[f"{metric} worst"], row[f"{metric} best"]
            axes.plot(ends, (height, height), color=colour, linewidth=1.1, alpha=0.6)
            axes.plot(
                row[metric],
                height,
                _MARKS[row["setting"]],
                color=colour,
                markerfacecolor="white" if row["setting"] == "defaults" else colour,
                zorder=3,
            )
        axes.set(xlabel=METRICS[metric], xlim=(-0.03, 1.03), ylim=(-0.6, len(labels) - 0.4))
        axes.grid(axis="y", visible=False)
    is_readable = dict(zip(frame["learner"], frame["readable"], strict=True))
    panels[0].set_yticks(range(len(labels)), labels)
    for tick, label in zip(panels[0].get_yticklabels(), labels, strict=True):
        tick.set_color(_COLOURS[is_readable[label]])
    _legend(panels[1], results)
    figure.suptitle(f"{dataset}: means and range over {_folds(frame['folds'])}")
    return figure, data


def _folds(numbers: pd.Series) -> str:
    """How many folds entrants have, such as "10 folds" or "4 to 10 folds"."""
    fewest, most = numbers[numbers > 0].min(), numbers.max()
    return f"{fewest} to {most} folds" if fewest < most else count(most, "fold")


def _legend(axes, results: Mapping[str, Results]) -> None:
    for setting in results:
        face = {"markerfacecolor": "white"} if setting == "defaults" else {}
        axes.plot([], [], _MARKS[setting], color="black", label=setting, **face)
    for readable, text in ((True, "can be read"), (False, "cannot be read")):
        axes.plot([], [], color=_COLOURS[readable], linewidth=5, label=text)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def curves_figure(results: Mapping[str, Results], dataset: str, data: Dataset):
    """ROC and precision-recall curves of the best three contestants on the first fold's test part.

    They are learned again from its training part, with the configuration that they had there.
    """
    import matplotlib.pyplot as plt
    from sklearn.metrics import precision_recall_curve, roc_curve

    chosen = _best_on_first_fold(results, dataset)
    if chosen.empty:
        return in_words(f"{dataset}: no entrant has a result on the first fold."), pd.DataFrame()
    figure, (roc, precision) = plt.subplots(1, 2, figsize=(10, 4.6))
    parts = []
    for look, row in zip(_CURVES, chosen.itertuples(), strict=False):
        y, score = _scores_on_fold(results[row.setting], row, data)
        text = f"{CONTESTANTS[row.method].label} ({row.setting})"
        fall_out, recall, _ = roc_curve(y, score)
        style = {"color": look[0], "linestyle": look[1]}
        roc.plot(fall_out, recall, label=f"{text}: AUROC {row.auroc:.3f}", **style)
        parts.append(_curve(row, "roc", fall_out, recall))
        precise, recall, _ = precision_recall_curve(y, score)
        # between two thresholds precision is not on a straight line, so a step is drawn
        precision.plot(
            recall,
            precise,
            drawstyle="steps-post",
            label=f"{text}: AP {row.average_precision:.3f}",
            **style,
        )
        parts.append(_curve(row, "precision-recall", recall, precise))
    chance = {"color": "#999999", "linewidth": 1, "linestyle": ":"}
    roc.plot([0, 1], [0, 1], **chance)
    precision.axhline(y.mean(), **chance, label=f"chance: {y.mean():.3f}")
    roc.set(xlabel="negatives found positive", ylabel="recall", title="ROC")
    precision.set(xlabel="recall", ylabel="precision", title="Precision and recall")
    for axes in (roc, precision):
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14))
    figure.suptitle(f"{dataset}, first fold: {int(y.sum()):,} of {len(y):,} test rows are positive")
    return figure, pd.concat(parts, ignore_index=True)


def _best_on_first_fold(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """The rows on the first fold of the best three contestants, each with its better entry."""
    frame = standings(results, dataset)
    if frame.empty:
        return frame
    rows = entrant_rows(results, dataset).query("repeat == 0 and fold == 0 and failed == 0")
    rows = rows.dropna(subset="g_mean")
    order = frame.drop_duplicates("method")[["method", "setting"]]
    return order.merge(rows, on=["method", "setting"]).head(len(_CURVES))


def _scores_on_fold(result: Results, row, data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The target of a fold's test part and how positive an entrant finds its rows."""
    from threadpoolctl import threadpool_limits

    entrant = Entrant(CONTESTANTS[row.method])
    task = Task(row.dataset, row.method, row.repeat, row.fold, row.seed)
    fold = result.experiment.fold_of(task, data.X, data.y)
    rows = sample_rows(fold.y_train, entrant.contestant.max_rows, fold.random_state)
    configuration = row.configuration if row.setting == "tuned" else ""
    model = entrant.model(parse_configuration(configuration), fold.random_state)
    with threadpool_limits(1):  # as in the run, so that it is the same model
        model.fit(fold.X_train.iloc[rows], fold.y_train[rows])
    return fold.y_test, scores(model, fold.X_test)[0]


def _curve(row, kind: str, x, y) -> pd.DataFrame:
    return pd.DataFrame(
        {"curve": kind, "method": row.method, "setting": row.setting, "x": x, "y": y}
    )
