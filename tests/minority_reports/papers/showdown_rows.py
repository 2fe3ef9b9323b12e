"""Rows of the showdown that are made up so that the answers are known."""

from dataclasses import replace

import numpy as np

from minority_reports import datasets
from minority_reports.experiments import Results
from minority_reports.experiments.results import without_seed
from minority_reports.papers.showdown.protocol import CONTESTANTS, EXPERIMENTS, KEEL, METRICS
from minority_reports.papers.showdown.tables import DECIDING

#: Balanced and rare ones, enough of both for advice: with at most 13 the signed-rank test tries out
#: all signs if there are ties, which takes long.
SETS = (*KEEL[:14], *KEEL[-14:])
FACTS = datasets.describe().set_index("name")
#: Those that decide on which sets methods are compared; the others are left out here.
METHODS = [name for name in CONTESTANTS if name in DECIDING]
LABELS = {name: CONTESTANTS[name].label for name in METHODS}
WITHOUT_PROBABILITIES = ("fast-boxes", "exact-boxes", "damvi", "b-svm")


def order_with(*first):
    """Methods from the best to the worst."""
    return [*first, *(name for name in METHODS if name not in first)]


def made(
    order=None,
    setting="defaults",
    sets=SETS,
    methods=None,
    folds=(0, 1),
    lift=None,
    experiment=None,
):
    """Results in which methods follow an order on every data set, 0.02 of all apart.

    The selected folds are all there is: every data set is complete.
    """
    experiment = experiment or EXPERIMENTS[setting]
    order = order or order_with("gradient-boosting", "wrapper-c45", "logistic")
    order = [*order, *experiment.extra]
    methods = methods or [*METHODS, *experiment.extra]
    tasks = experiment.tasks(datasets=sets, methods=methods, repeats=1)
    tasks = [t for t in tasks if t.fold in folds]
    keys = experiment.keys(tasks, lambda _: "")
    place = keys["method"].map({name: i for i, name in enumerate(order)})
    number = keys["dataset"].map({name: i for i, name in enumerate(sets)})
    level = 0.9 - 0.02 * place - 0.002 * (number % 7) + 0.01 * keys["fold"]
    level += keys["method"].map(lift or {}).fillna(0)
    brier = (1 - level).mask(keys["method"].isin(WITHOUT_PROBABILITIES))
    rows = keys.assign(
        **dict.fromkeys(METRICS, level) | {"brier": brier},
        rules=10.0 + place,
        conditions=20.0 * (1 + place),
        train_rows=1000.0,
        configuration="" if setting == "defaults" else "C=1",
        objective=np.nan,
        bound=np.nan,
        failed=0.0,
        status="ok",
        message="",
    )
    timings = keys[["dataset", "method", "repeat", "fold", "seed"]].assign(
        fit_s=1.0 / (1 + place), predict_s=0.01, fit_mb=5.0 + place
    )
    return Results(
        experiment,
        rows,
        planned=2 * len(keys),
        timings=timings,
        selected=without_seed(tasks),
        n_extra=2 * int(keys["method"].isin(experiment.extra).sum()),
    )


def with_rows(result, rows):
    return replace(result, rows=rows, _kept={})


def nothing(setting):
    some = made(setting=setting)
    return Results(some.experiment, some.rows.iloc[:0], len(some.rows), selected=some.selected)


def changed(results, chosen, setting="defaults", **values):
    """Results with other values in the rows that ``chosen(rows)`` picks."""
    rows = results[setting].rows.copy()
    where = chosen(rows)
    assert where.any()
    for column, value in values.items():
        rows[column] = rows[column].astype(object).mask(where, value).infer_objects()
    return dict(results) | {setting: with_rows(results[setting], rows)}


def without(results, chosen, setting="defaults"):
    rows = results[setting].rows
    assert chosen(rows).any()
    return dict(results) | {setting: with_rows(results[setting], rows[~chosen(rows)])}


def both():
    return {"defaults": made(), "tuned": made(setting="tuned", folds=(1,))}


def untuned():
    return {"defaults": made(), "tuned": nothing("tuned")}
