"""A paper small enough to run hundreds of times; imported by tests and by processes they start."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

from minority_reports.experiments import Experiment, Method, Paper, in_own_process

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


class Divided:
    """The same, whose settings can be computed each on its own."""

    independent_settings = True

    def __call__(self, fold):
        return slow(fold)


def deadly(fold):
    """Kill the worker, if it is one of a cluster."""
    if multiprocessing.current_process().daemon:
        os.kill(os.getpid(), signal.SIGKILL)
    return count_rows(fold)


def forked():
    """Work in a process of its own."""
    return in_own_process(lambda: 3, 60)


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
