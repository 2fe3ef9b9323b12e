"""A paper small enough to run hundreds of times; imported by tests and by processes they start."""

import os
import time
from pathlib import Path

from minority_reports.experiments import Experiment, Method, Paper

LAST = "glass2"


def count_rows(fold):
    """Deterministic numbers that depend on everything a row may depend on."""
    return {
        setting: {
            "mean": float(fold.X_train.iloc[:, 0].mean()),
            "share": float(fold.y_test.mean()),
            "draw": fold.random_state / 7,
        }
        for setting in fold.settings
    }


def slow(fold):
    """The same, long enough for a kill to hit it.

    With a ``TOY_GATE`` the last data set waits until there is such a file: then no run ends before
    something was done to it, however busy the machine is.
    """
    time.sleep(float(os.environ.get("TOY_SECONDS", "0.05")))
    if (gate := os.environ.get("TOY_GATE")) and fold.dataset == LAST:
        while not Path(gate).exists():
            time.sleep(0.02)
    return count_rows(fold)


def broken(fold):
    """A method that fails on every fold."""
    raise ArithmeticError("this method\nalways fails")


METHODS = {
    "count": Method("Counting", count_rows),
    "slow": Method("Counting slowly", slow),
}


def experiment(methods=METHODS, **changes):
    """The toy experiment, with changes."""
    defaults = {
        "name": "toy-table1",
        "datasets": ("iris0", LAST),
        "methods": methods,
        "settings": ("a=1", "a=2"),
        "measures": ("mean", "share", "draw"),
        "repeats": 2,
        "folds": 3,
        "quick": ("iris0",),
        "any_dataset": True,
    }
    return Experiment(**defaults | changes)


def paper(**changes):
    """The toy paper: one experiment."""
    return Paper("toy", "A toy paper", "99_toy", {"table1": experiment(**changes)})
