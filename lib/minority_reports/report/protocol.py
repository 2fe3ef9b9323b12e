"""An experiment's protocol as a table, made of the objects that run."""

import pandas as pd

from minority_reports.experiments import Experiment, Method
from minority_reports.report.tables import Table, show


def protocol_table(experiment: Experiment) -> Table:
    """Data sets, splits, settings, measures, and every method with what it fits."""
    splitter = (experiment.split.__doc__ or "").split("\n")[0].rstrip(".")
    parts = {
        "data sets": (f"{len(experiment.datasets)}", ", ".join(experiment.datasets)),
        "splits": (f"{experiment.repeats} x {experiment.folds}", splitter),
        "settings": (f"{len(experiment.settings)}", ", ".join(experiment.settings)),
        "measures": (f"{len(experiment.measures)}", ", ".join(experiment.measures)),
    }
    rows = {(name, value): text for name, (value, text) in parts.items()}
    rows |= {("method", m.label): _in_words(m) for m in experiment.methods.values()}
    index = pd.MultiIndex.from_tuples(rows, names=["part", "which"])
    frame = pd.DataFrame({"what it is": list(rows.values())}, index=index)
    return show(frame, caption=f"The protocol of {experiment.name}, as it is run")


def _in_words(method: Method) -> str:
    """The estimator as Python prints it, then what it does not say."""
    if method.estimator is None:
        return method.about
    # one line, with all that differs from the defaults: the repr cuts off beyond 700 characters
    code = " ".join(method.estimator.__repr__(N_CHAR_MAX=10_000).split())
    return f"{code}: {method.about}" if method.about else code
