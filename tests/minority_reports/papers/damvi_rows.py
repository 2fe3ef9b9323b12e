"""Rows of DAMVI's experiments that are made up so that the answers are known."""

from functools import cache

import numpy as np
import pandas as pd

from minority_reports import datasets
from minority_reports.experiments import Method, Results, Settings, run
from minority_reports.papers.damvi import PAPER

EXPERIMENTS = PAPER.experiments


def rows_of(name, value_of, sets=None):
    """All keys of an experiment; ``value_of(task row, rng)`` gives the measures of one."""
    experiment = EXPERIMENTS[name]
    rng = np.random.default_rng(0)
    keys = experiment.keys(experiment.tasks(datasets=sets), lambda _: "")
    values = pd.DataFrame([value_of(key, rng) for key in keys.itertuples()])
    return pd.concat([keys, values], axis="columns")


def results_of(name, value_of, sets=None, *, power=1.0):
    """Results of made-up rows; the time grows as the paper says, or to another power of that."""
    rows = rows_of(name, value_of, sets)
    timings = rows.drop_duplicates(["dataset", "method", "repeat", "fold"])
    facts = datasets.describe().set_index("name").loc[timings["dataset"], ["n", "d"]].astype(float)
    n, d = facts["n"].to_numpy(), facts["d"].to_numpy()
    return Results(
        EXPERIMENTS[name],
        rows,
        planned=len(rows),
        timings=timings[["dataset", "method"]].assign(seconds=1e-6 * (d * n * np.log(n)) ** power),
    )


def scores(best="damvi", gap=0.2):
    """One method ahead of all others by a gap, give or take, and steadier."""

    def value_of(key, rng):
        ahead = key.method == best
        score = 0.5 + gap * ahead + rng.normal(scale=0.002 if ahead else 0.01)
        counts = {"tp": 2, "fn": 1, "fp": 3, "tn": 94}
        return {"f1": score, "ap": score, "auroc": 0.9, "n_voters": 30} | counts

    return value_of


def parts(gain=0.1, error=0.0):
    """An ablation: what the weights of DAMVI gain, and an error above every bound if wanted."""

    def value_of(key, rng):
        weighted = key.setting == "reweighting=vote"
        score = 0.5 + gain * weighted + rng.normal(scale=0.001)
        return {
            "f1": score,
            "ap": score,
            "n_voters": 30 if weighted else 100,
            "c_bound": 0.2 - gain * weighted,
            "gibbs_risk": 0.1,
            "disagreement": 0.1 + 2 * error,
            "weighted_risk": 0.05 + error,
            "train_risk": 0.05,
            "test_risk": 0.1,
            "hard_positives": 3,
            "hard_disagreement_before": 0.3,
            "hard_disagreement": 0.3 + gain,
            "hard_gibbs_risk_before": 0.7,
            "hard_gibbs_risk": 0.7 - gain,
        }

    return value_of


def learned(key, rng):
    score = 0.6 if key.setting == "weights=damvi" else 0.5
    return {"f1": score, "ap": score, "n_voters": 9, "c_bound": 0.3}


@cache
def favourable():
    """Rows on which DAMVI does all that the paper says of it."""

    def thinned(key, rng):
        rarer = float(key.setting.partition("=")[2]) < 1
        by_f1 = {"damvi": 1.0, "ee": 0.1, "r-bg": 0.9}.get(key.method, 0.5)
        by_ap = {"damvi": 1.0, "ee": 0.9, "r-bg": 0.1 if rarer else 0.8}.get(key.method, 0.5)
        noise = 0 if key.method == "damvi" else rng.random() / 20
        return {"f1": by_f1 + noise, "ap": by_ap + noise}

    def table(key, rng):
        second = 0.1 * (key.method == "r-bg") + 0.03 * rng.random() * (key.method == "r-bg")
        measured = scores()(key, rng)
        return measured | {m: measured[m] + second for m in ("f1", "ap")}

    def repeated(key, rng):
        measured = scores()(key, rng)
        return measured | {"auroc": 0.9 + rng.normal(scale=0.01)}

    return {
        "table23": results_of("table23", table),
        "repeats": results_of("repeats", repeated),
        "ablation": results_of("ablation", parts()),
        "fig1": results_of("fig1", thinned),
        "distinct": results_of("distinct", scores()),
        "learners": results_of("learners", learned),
    }


@cache
def adverse():
    """Rows on which it is last, unsteady, and told apart by the ROC curve only."""
    places = {"bb": 1.0, "brf": 0.9, "r-bg": 0.8, "ee": 0.7, "damvi": 0.2}
    order = list(EXPERIMENTS["table23"].methods)

    def losing(key, rng):
        noise = rng.normal(scale=0.1 if key.method == "damvi" else 0.001)
        score = places.get(key.method, 0.5) + noise
        measured = {"f1": score, "ap": score, "auroc": 0.5 + 0.02 * order.index(key.method)}
        return measured | {"tp": 2, "fn": 1, "fp": 3, "tn": 94}

    def falling(key, rng):
        rarer = float(key.setting.partition("=")[2]) < 1
        measured = losing(key, rng)
        return measured | {"ap": measured["ap"] - 0.15 * (rarer and key.method == "damvi")}

    return {
        "table23": results_of("table23", losing, power=2),
        "repeats": results_of("repeats", losing),
        "ablation": results_of("ablation", parts(-0.1, error=0.4)),
        "fig1": results_of("fig1", falling),
        "learners": results_of("learners", learned),
    }


@cache
def nothing():
    """No rows at all: nothing is stored for this seed."""
    settings = Settings(PAPER, compute="none", seed=987654)
    return {name: run(experiment, settings) for name, experiment in EXPERIMENTS.items()}


def with_mine(results):
    """The same with one more method, which a user added: complete, and better than all others."""
    plan = results.experiment
    mine = Method("Mine", plan.methods["uniform"].run)
    extended = plan.with_method("mine", mine)
    rows = results.rows[results.rows["method"] == "uniform"].assign(method="mine")
    rows = rows.assign(f1=0.9 + rows["fold"] * 1e-5, ap=0.9 + rows["fold"] * 1e-5)
    timings = results.timings[results.timings["method"] == "uniform"].assign(method="mine")
    return Results(
        extended,
        pd.concat([results.rows, rows], ignore_index=True),
        planned=results.planned + len(rows),
        timings=pd.concat([results.timings, timings], ignore_index=True),
        n_extra=len(rows),
    )
