"""Every method on one data set, the best first."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.showdown.protocol import LARGE, METRICS, Contestant, contestant_of
from minority_reports.papers.showdown.tables import fold_rows, higher_is_better
from minority_reports.report import Table, show
from minority_reports.statistics import corrected_interval


def standings(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """Every entrant on a data set by mean G-mean, the best first: one row each; see `ranked`."""
    rows = entrant_rows(results, dataset)
    known = {
        name: replace(contestant_of(method), label=result.labels[name])
        for result in results.values()
        for name, method in result.experiment.methods.items()
    }
    share = next(iter(results.values())).experiment.test_share
    return ranked(rows, known, test_share=share)


def ranked(
    rows: pd.DataFrame,
    contestants: Mapping[str, Contestant],
    metric: str = "g_mean",
    *,
    test_share: float,
) -> pd.DataFrame:
    """Entrants by a mean over folds, the best first, of equals the one with fewer conditions.

    Those without a result on some folds come after the others: a mean over other folds would not
    compare. ``difference``, ``low`` and ``high`` are the metric minus that of the first, where both
    have all folds; a metric of which less is better has its sign turned in these.
    """
    if rows.empty:
        return pd.DataFrame()
    folds = rows[["repeat", "fold"]].drop_duplicates()
    lines = [
        _entrant(contestants[method], metric, part, len(folds), rows["train_rows"].max())
        for (_, method), part in rows.groupby(["setting", "method"], sort=False)
    ]
    frame = pd.DataFrame(lines)
    frame = frame.assign(
        complete=frame["folds"] == len(folds),
        key=higher_is_better(frame[metric], metric).round(12),
        size=-frame["conditions"].fillna(np.inf),
    )
    frame = frame.sort_values(["complete", "key", "size"], ascending=False, kind="stable")
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="rank")
    names = ["method", "setting"]
    scores = rows.pivot(index=["repeat", "fold"], columns=names, values=metric)  # noqa: PD010
    scores = higher_is_better(scores, metric)
    entrants = list(frame[names].itertuples(index=False, name=None))
    gaps = scores[entrants].sub(scores[entrants[0]], axis="index")
    intervals = [
        corrected_interval(gaps[entrant].dropna(), test_share=test_share) for entrant in entrants
    ]
    # measures are from 0 to 1; few folds make intervals that reach beyond
    frame[["difference", "low", "high"]] = np.clip(intervals, -1, 1)
    is_compared = frame["complete"] & frame["complete"].iloc[0]
    frame.loc[~is_compared, ["difference", "low", "high"]] = np.nan
    return frame.drop(columns=["key", "size"])


def entrant_rows(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """Every fold of every entrant on a data set: what was measured, or why nothing was."""
    parts = []
    for setting, result in results.items():
        failures = result.failures
        if len(failures):  # also those of methods that were added and left out again
            failures = failures[failures["method"].isin(result.experiment.methods)]
        parts += [fold_rows(results, setting, large=dataset in LARGE), failures]
    parts = [part[part["dataset"] == dataset] for part in parts if len(part)]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _entrant(
    contestant: Contestant, metric: str, rows: pd.DataFrame, n_folds: int, most: float
) -> dict:
    chosen = rows["configuration"].dropna()
    chosen = chosen[chosen != ""]
    return {
        "method": rows["method"].iloc[0],
        "setting": rows["setting"].iloc[0],
        "learner": contestant.label,
        **{name: rows[name].mean() for name in METRICS},
        "sd": rows[metric].std(),
        "fit_s": rows["fit_s"].mean(),
        "rules": rows["rules"].median(),
        "conditions": rows["conditions"].median(),
        "most conditions": rows["conditions"].max(),
        "readable": contestant.readable,
        "folds": int(rows[metric].notna().sum()),
        # who failed everywhere has the scores of the majority but no model
        "learned": bool((rows[metric].notna() & ~rows["failed"].eq(1)).any()),
        # the one that most folds chose, of equals the first by name
        "configuration": chosen.mode().iloc[0] if len(chosen) else "",
        "note": "; ".join(_notes(contestant, rows, n_folds, most)),
    }


def _notes(contestant: Contestant, rows: pd.DataFrame, n_folds: int, most: float) -> Iterable[str]:
    def of_folds(chosen) -> str:
        return f"{int(chosen.sum())} of {n_folds} folds"

    learned = rows["train_rows"].max()
    if 0 < learned == contestant.max_rows < most:
        yield f"learned from {learned:,.0f} of {most:,.0f} rows"
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


def called(entrant: pd.Series) -> str:
    """An entrant by its name."""
    return f"{entrant['learner']} ({entrant['setting']})"


def mean_text(entrant: pd.Series, metric: str = "g_mean") -> str:
    """A mean with its standard deviation over folds."""
    spread = "" if pd.isna(entrant["sd"]) else f" ± {entrant['sd']:.3f}"
    return f"{entrant[metric]:.3f}{spread}"


def ranked_table(results: Mapping[str, Results], dataset: str) -> Table:
    """All entrants on a data set, defaults and tuned, by mean G-mean."""
    frame = standings(results, dataset)
    coverage = [f"{setting} {result.coverage()}" for setting, result in results.items()]
    return ranking_table(frame, dataset, coverage=", ".join(coverage))


def ranking_table(
    frame: pd.DataFrame, dataset: str, metric: str = "g_mean", *, coverage: str
) -> Table:
    """What `ranked` gives, for people."""
    if frame.empty:
        return show(pd.DataFrame(), caption=f"{dataset}: nothing has been computed.")
    first = {metric: METRICS[metric]}
    names = first | METRICS
    shown = frame[["learner", "setting", *names]].rename(columns=names)
    shown["minus the first"] = ["–", *(interval_text(row) for _, row in frame.iloc[1:].iterrows())]
    shown["fit, s"] = frame["fit_s"]
    for size in ("rules", "conditions"):
        shown[size] = frame[size].astype(float).round().astype("Int64")
    shown["note"] = frame["note"]
    bold = pd.DataFrame(False, index=shown.index, columns=shown.columns)
    bold[names[metric]] = ~(frame["high"] < 0) & frame["difference"].notna()
    caption = (
        f"{dataset}: all methods by mean {names[metric]} over folds (± standard deviation), those "
        "without a result on some folds last; the difference to the first with its 95 % interval, "
        "corrected for overlapping training parts but not for the number of methods. Bold: the "
        f"first and those not significantly different from it. {coverage}."
    )
    spread = frame[["sd"]].set_axis([names[metric]], axis="columns")
    return show(shown, caption=caption, spread=spread, bold=bold)
