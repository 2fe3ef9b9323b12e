"""Who did how well on a user's own file: all entrants, defaults and tuned, in one ranking."""

from collections.abc import Iterable, Mapping
from textwrap import fill

import numpy as np
import pandas as pd

from minority.experiments import Results
from minority.papers.showdown._contestants import CONTESTANTS, Contestant
from minority.papers.showdown._protocol import LARGE, METRICS
from minority.papers.showdown._tables import fold_rows
from minority.report import Table, show
from minority.statistics import corrected_interval

#: Characters in a line of a terminal.
WIDTH = 99


def standings(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """Every entrant on a data set by mean G-mean, the best first: one row each.

    Those without a result on some folds come after the others: a mean over other folds would not
    compare. ``difference``, ``low`` and ``high`` are G-mean less that of the first, on the folds
    that both have.
    """
    rows = entrant_rows(results, dataset)
    if rows.empty:
        return pd.DataFrame()
    folds = rows[["repeat", "fold"]].drop_duplicates()
    lines = [
        _entrant(method, setting, part, len(folds), rows["train_rows"].max())
        for (setting, method), part in rows.groupby(["setting", "method"], sort=False)
    ]
    frame = pd.DataFrame(lines)
    frame = frame.assign(complete=frame["folds"] == len(folds), key=frame["g_mean"].round(12))
    frame = frame.sort_values(["complete", "key"], ascending=False, kind="stable")
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="rank")
    scores = rows.set_index(["repeat", "fold"]).groupby(["method", "setting"])["g_mean"]
    scores = {entrant: part.dropna() for entrant, part in scores}
    best = scores[tuple(frame[["method", "setting"]].iloc[0])]
    share = 1 / next(iter(results.values())).experiment.folds
    intervals = [
        corrected_interval((scores[entrant] - best).dropna(), test_share=share)
        for entrant in frame[["method", "setting"]].itertuples(index=False, name=None)
    ]
    # G-means are from 0 to 1; few folds make intervals that reach beyond
    frame[["difference", "low", "high"]] = np.clip(intervals, -1, 1)
    return frame.drop(columns=["complete", "key"])


def entrant_rows(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """Every fold of every entrant on a data set: what was measured, or why nothing was."""
    parts = []
    for setting, result in results.items():
        parts += [fold_rows(results, setting, large=dataset in LARGE), result.failures]
    parts = [part[part["dataset"] == dataset] for part in parts if len(part)]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _entrant(method: str, setting: str, rows: pd.DataFrame, n_folds: int, most: float) -> dict:
    contestant = CONTESTANTS[method]
    chosen = rows["configuration"].dropna()
    chosen = chosen[chosen != ""]
    return {
        "method": method,
        "setting": setting,
        "learner": contestant.label,
        **{metric: rows[metric].mean() for metric in METRICS},
        "g_mean sd": rows["g_mean"].std(),
        "fit_s": rows["fit_s"].mean(),
        "rules": rows["rules"].median(),
        "conditions": rows["conditions"].median(),
        "readable": contestant.readable,
        "folds": int(rows["g_mean"].notna().sum()),
        # who failed everywhere has the scores of the majority but no model
        "learned": bool((rows["g_mean"].notna() & ~rows["failed"].eq(1)).any()),
        # the one that most folds chose, of equals the first by name
        "configuration": chosen.mode().iloc[0] if len(chosen) else "",
        "note": "; ".join(_notes(contestant, rows, n_folds, most)),
    }


def _notes(contestant: Contestant, rows: pd.DataFrame, n_folds: int, most: float) -> Iterable[str]:
    def of_folds(chosen) -> str:
        return f"{int(chosen.sum())} of {n_folds} folds"

    learned = rows["train_rows"].max()
    if contestant.max_rows and learned == contestant.max_rows:
        of = f"of {most:,.0f} rows" if most > learned else "rows at most"
        yield f"learned from {learned:,.0f} {of}"
    absent = rows["g_mean"].isna()
    stopped = absent & rows["status"].eq("time limit")
    if stopped.any():
        yield f"stopped after {rows['time_limit'].max():g} s on {of_folds(stopped)}"
    cut_off = ~absent & rows["status"].eq("time limit")
    if cut_off.any():
        yield f"best found in its time on {of_folds(cut_off)}"
    for failed, text in [(rows["failed"].eq(1), "failed"), (rows["status"].eq("error"), "no row")]:
        if failed.any():
            yield f"{text} on {of_folds(failed)}: {rows.loc[failed, 'message'].iloc[0]}"
    if len(rows) < n_folds:
        yield f"{len(rows)} of {n_folds} folds"


def interval_text(entrant: pd.Series) -> str:
    """How far an entrant is behind the first, such as ``-0.034 [-0.060, -0.008]``."""
    if pd.isna(entrant["difference"]):
        return "–"
    text = f"{entrant['difference']:+.3f}"
    return (
        text
        if pd.isna(entrant["low"])
        else f"{text} [{entrant['low']:+.3f}, {entrant['high']:+.3f}]"
    )


def ranked_table(results: Mapping[str, Results], dataset: str) -> Table:
    """All entrants on a data set, defaults and tuned, by mean G-mean."""
    frame = standings(results, dataset)
    if frame.empty:
        return show(pd.DataFrame(), caption=f"{dataset}: nothing has been computed.")
    shown = frame[["learner", "setting", *METRICS]].rename(columns=METRICS)
    shown["less the first"] = ["–", *(interval_text(row) for _, row in frame.iloc[1:].iterrows())]
    shown["fit, s"] = frame["fit_s"]
    for size in ("rules", "conditions"):
        shown[size] = frame[size].astype(float).round().astype("Int64")
    shown["readable"] = frame["readable"]
    shown["note"] = frame["note"]
    bold = pd.DataFrame(False, index=shown.index, columns=shown.columns)
    bold["G-mean"] = ~(frame["high"] < 0) & frame["g_mean"].notna()
    caption = (
        f"{dataset}: everyone by mean G-mean over folds (± its standard deviation), those without "
        "a result on some folds last. Behind it the difference to the first with its 95 % "
        "interval, corrected for training parts that overlap but not for the number of rivals; "
        "bold are the first and those that it cannot be told from. "
        + ", ".join(f"{setting} {result.coverage()}" for setting, result in results.items())
        + "."
    )
    spread = frame[["g_mean sd"]].set_axis(["G-mean"], axis="columns")
    return show(shown, caption=caption, spread=spread, bold=bold)


def terminal_table(results: Mapping[str, Results], dataset: str) -> str:
    """The ranked table for a terminal, notes below."""
    frame = standings(results, dataset)
    if frame.empty:
        return f"{dataset}: nothing has been computed."
    table = ranked_table(results, dataset).formatted()
    marked = np.where(frame["readable"], table["learner"] + " *", table["learner"])
    shown = table[
        ["setting", "G-mean", "F1", "average precision", "AUROC", "less the first", "rules"]
    ]
    shown.insert(0, "learner", marked)
    shown = shown.rename(columns={"average precision": "AP"})
    lines = [shown.rename_axis(None).to_string(), "* can be read as rules"]
    notes = frame.loc[frame["note"] != "", "note"]
    lines += [
        fill(f"{rank}. {note}", WIDTH, subsequent_indent="   ") for rank, note in notes.items()
    ]
    return "\n".join(lines)
