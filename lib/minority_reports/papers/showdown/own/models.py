"""Models learned from all rows of a data set, and their rules."""

import ast
from collections.abc import Mapping
from textwrap import fill

import pandas as pd

from minority_reports.datasets import Dataset
from minority_reports.experiments import Results
from minority_reports.papers.showdown.own.ranking import (
    called,
    interval_text,
    mean_text,
    standings,
)
from minority_reports.papers.showdown.own.words import Words
from minority_reports.papers.showdown.protocol import CONTESTANTS, Contestant, sample_rows
from minority_reports.papers.showdown.tables import count

#: Characters in a line of a terminal.
WIDTH = 99
#: Lines of a model that are printed; nobody reads a tree of hundreds.
MOST_LINES = 60


def parse_configuration(text: str) -> dict:
    """The parameters of a configuration that was stored as text: the inverse of ``describe``."""
    if text in ("", "defaults"):
        return {}
    call = ast.parse(f"dict({text})", mode="eval").body
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}


def best_readable(results: Mapping[str, Results], dataset: str, data: Dataset) -> str:
    """The best readable method of the protocol, learned from all rows: its rules, how well it did.

    Models that users add need not be able to print themselves as the table has it.
    """
    results = {setting: result.of_protocol() for setting, result in results.items()}
    frame = standings(results, dataset)
    readable = frame[frame["readable"] & frame["learned"]] if len(frame) else frame
    if readable.empty:
        return "No readable contestant has a result."
    entrant = readable.iloc[0]
    contestant = CONTESTANTS[entrant["method"]]
    rows = sample_rows(data.y, contestant.max_rows, _seed(results))
    X, y = data.X.iloc[rows], data.y[rows]
    model = model_of(contestant, entrant["configuration"], _seed(results)).fit(X, y)
    learned = f"all {data.n:,} rows" if len(y) == data.n else f"{len(y):,} of {data.n:,} rows"
    parts = [
        fill(_how_well(entrant, frame), WIDTH),
        fill(
            f"Learned from {learned} with {_parameters(entrant)} (1 stands for "
            f"{data.facts.target}):",
            WIDTH,
        ),
        at_most_lines(in_words(model, X)),
        f"Its rules on {'these' if len(y) < data.n else 'all'} rows:",
        _rules(model, X, y),
    ]
    return "\n\n".join(parts)


def _how_well(entrant: pd.Series, frame: pd.DataFrame) -> str:
    first = frame.iloc[0]
    text = (
        f"{called(entrant)} is the best of those that can be read: G-mean "
        f"{mean_text(entrant)} over {count(entrant['folds'], 'fold')}, rank {entrant.name} of "
        f"{len(frame)}."
    )
    if entrant.name == first.name:
        return text + " It is the winner."
    text += f" The winner, {called(first)}, has {mean_text(first)}; "
    if pd.isna(entrant["difference"]):
        return text + "they are not compared, for results are missing on some folds."
    text += f"the difference is {interval_text(entrant)}"
    if pd.isna(entrant["low"]):
        return text + "."
    return text + (
        ", so the price of being readable is more than chance."
        if entrant["high"] < 0
        else ", which may be chance."
    )


def _parameters(entrant: pd.Series) -> str:
    if not parse_configuration(entrant["configuration"]):
        return "its defaults"
    return f"the parameters that most folds chose: {entrant['configuration']}"


def in_words(model, X: pd.DataFrame) -> str:
    """The model behind a pipeline as text, with conditions as they are in the user's table."""
    return model[-1].to_text(write=Words(model, X))


def _rules(model, X: pd.DataFrame, y) -> str:
    """Support, precision, recall and lift of the rules of a fitted pipeline."""
    learner = getattr(model[-1], "estimator_", model[-1])  # the wrapper's learner has the rules
    frame = learner.rules_frame(model[:-1].transform(X) if len(model) > 1 else X, y)
    if hasattr(learner, "tree_"):  # rules were printed with their numbers, a tree has none
        texts = [rule.conditions_text(write=Words(model, X)) for rule in learner.to_rules()]
        frame["conditions"] = [*texts, *frame["conditions"].iloc[len(texts) :]]
    else:
        frame = frame.drop(columns="conditions")
    return at_most_lines(frame.round(3).rename_axis(None).to_string())


def at_most_lines(text: str) -> str:
    lines = text.splitlines()
    rest = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"... and {count(rest, 'line')} more"] * (rest > 0))])


def model_of(contestant: Contestant, configuration: str, seed: int):
    """The unfitted pipeline that the snippet spells out, with one seed wherever one is taken."""
    model = contestant.make()
    model[-1].set_params(**parse_configuration(configuration))
    names = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def _seed(results: Mapping[str, Results]) -> int:
    """The seed of the rows."""
    return int(pd.concat([result.rows["seed"] for result in results.values()]).iloc[0])
