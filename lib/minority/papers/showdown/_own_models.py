"""Models for a user after the showdown: the best rules in words, and code for the winner."""

import ast
import os
import re
from collections.abc import Collection, Mapping
from itertools import takewhile
from textwrap import fill, indent

import pandas as pd

from minority.datasets import Dataset
from minority.experiments import Results, Settings
from minority.papers.showdown._contestants import CONTESTANTS, Contestant
from minority.papers.showdown._own_ranking import WIDTH, interval_text, standings
from minority.papers.showdown._race import sample_rows
from minority.papers.showdown._tables import count

#: Lines of a model that are printed; nobody reads a tree of hundreds.
MOST_LINES = 60


def parse_configuration(text: str) -> dict:
    """The parameters of a configuration that was stored as text: the inverse of ``describe``."""
    if text in ("", "defaults"):
        return {}
    call = ast.parse(f"dict({text})", mode="eval").body
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}


def best_readable(results: Mapping[str, Results], dataset: str, data: Dataset) -> str:
    """The best readable contestant, learned from all rows: its rules, and how well it did."""
    frame = standings(results, dataset)
    readable = frame[frame["readable"] & frame["learned"]] if len(frame) else frame
    if readable.empty:
        return "No readable contestant has a result."
    entrant = readable.iloc[0]
    contestant = CONTESTANTS[entrant["method"]]
    rows = sample_rows(data.y, contestant.max_rows, _seed(results))
    X, y = data.X.iloc[rows], data.y[rows]
    model = _model(contestant, entrant["configuration"], _seed(results)).fit(X, y)
    learned = f"all {data.n:,} rows" if len(y) == data.n else f"{len(y):,} of {data.n:,} rows"
    parts = [
        fill(_how_well(entrant, frame), WIDTH),
        fill(
            f"Learned from {learned} with {_parameters(entrant)} (1 stands for "
            f"{data.facts.target}):",
            WIDTH,
        ),
        _at_most_lines(_in_words(model, data.X)),
        f"Its rules on {'these' if len(y) < data.n else 'all'} rows:",
        _rules(model, X, y),
    ]
    return "\n\n".join(parts)


def _how_well(entrant: pd.Series, frame: pd.DataFrame) -> str:
    first = frame.iloc[0]
    text = (
        f"{_called(entrant)} is the best of those that can be read: G-mean "
        f"{_mean(entrant)} over {count(entrant['folds'], 'fold')}, rank {entrant.name} of "
        f"{len(frame)}."
    )
    if entrant.name == first.name:
        return text + " It is the winner."
    text += f" The winner, {_called(first)}, has {_mean(first)}; the difference is "
    text += interval_text(entrant)
    if pd.isna(entrant["low"]):
        return text + "."
    return text + (
        ", so the price of being readable is more than chance."
        if entrant["high"] < 0
        else ", which may be chance."
    )


def _called(entrant: pd.Series) -> str:
    return f"{entrant['learner']} ({entrant['setting']})"


def _mean(entrant: pd.Series) -> str:
    spread = entrant["g_mean sd"]
    return f"{entrant['g_mean']:.3f}" + ("" if pd.isna(spread) else f" ± {spread:.3f}")


def _parameters(entrant: pd.Series) -> str:
    if not parse_configuration(entrant["configuration"]):
        return "its defaults"
    return f"the parameters that most folds chose: {entrant['configuration']}"


def _in_words(model, X: pd.DataFrame) -> str:
    """The model behind a pipeline as text, with conditions as they are in the user's table."""
    text = plain_categories(model[-1].to_text(), _coded_columns(model, X))
    return plain_dates(text, X.attrs.get("dates", ()))


def plain_dates(text: str, dates: Collection[str]) -> str:
    """Conditions on dates, which are read as days since 1970, with the dates."""
    if not dates:
        return text
    name = rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(dates, key=len, reverse=True)))})"
    number = r"-?\d+(?:\.\d+)?"
    before = rf"({number})(?= (?:<=|<) {name} )"
    after = rf"({name} (?:<=|>=|<|>) )({number})"
    text = re.sub(before, lambda found: _date(found[1]), text)
    return re.sub(after, lambda found: found[1] + _date(found[2]), text)


def _date(days: str) -> str:
    return f"{pd.Timestamp(0) + pd.Timedelta(days=float(days)):%Y-%m-%d}"


def _coded_columns(model, X: pd.DataFrame) -> list[str]:
    """The columns that stand for one category each, behind the first step of a pipeline."""
    return (
        [name for name in model[0].get_feature_names_out() if name not in X]
        if len(model) > 1
        else []
    )


def plain_categories(text: str, coded: Collection[str]) -> str:
    """Conditions on coded columns in words: ``plan = basic`` or ``plan not basic or plus``.

    Boxes see a column of 0 and 1 for each category and say so: ``plan = basic <= 0.5``.
    """
    if not coded:
        return text
    names = "|".join(map(re.escape, sorted(coded, key=len, reverse=True)))
    condition = re.compile(rf"(.*?)({names}) (<=|>=|<|>) [-+.\de]+(.*)", re.DOTALL)
    return "\n".join(_plain_line(line, condition) for line in text.splitlines())


def _plain_line(line: str, condition: re.Pattern) -> str:
    parts, of_feature = [], {}
    for part in line.split(" and "):
        found = condition.fullmatch(part)
        if not found:
            parts.append(part)
            continue
        before, name, sign, after = found.groups()
        feature, _, category = name.partition(" = ")
        if feature not in of_feature:
            of_feature[feature] = {"before": before, ">": [], "<": [], "after": ""}
            parts.append(feature)
        of_feature[feature][sign[0]].append(category)
        of_feature[feature]["after"] += after
    for place, part in enumerate(parts):
        if found := of_feature.get(part):
            # one that is there says more than all that are not
            told = f"= {found['>'][0]}" if found[">"] else f"not {' or '.join(found['<'])}"
            parts[place] = f"{found['before']}{part} {told}{found['after']}"
    return " and ".join(parts)


def _rules(model, X: pd.DataFrame, y) -> str:
    """Support, precision, recall and lift of the rules of a fitted pipeline."""
    dates = X.attrs.get("dates", ())
    if len(model) > 1:
        X = model[:-1].transform(X)
    learner = getattr(model[-1], "estimator_", model[-1])  # the wrapper's learner has the rules
    frame = learner.rules_frame(X, y)
    if not hasattr(learner, "tree_"):  # rules were printed with their numbers, a tree has none
        frame = frame.drop(columns="conditions")
    else:
        frame["conditions"] = [plain_dates(text, dates) for text in frame["conditions"]]
    return _at_most_lines(frame.round(3).rename_axis(None).to_string())


def _at_most_lines(text: str) -> str:
    lines = text.splitlines()
    rest = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"... and {count(rest, 'line')} more"] * (rest > 0))])


def _model(contestant: Contestant, configuration: str, seed: int):
    """The unfitted pipeline that the snippet spells out, with one seed wherever one is taken."""
    model = contestant.make()
    model[-1].set_params(**parse_configuration(configuration))
    names = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def _seed(results: Mapping[str, Results]) -> int:
    """The seed of the rows."""
    return int(pd.concat([result.rows["seed"] for result in results.values()]).iloc[0])


def snippet(results: Mapping[str, Results], dataset: str, settings: Settings) -> str:
    """Python code that learns the winner from the same data, ready to run."""
    frame = standings(results, dataset)
    if frame.empty or not frame["learned"].iloc[0]:
        return "# No contestant has a result.\n"
    first = frame.iloc[0]
    contestant = CONTESTANTS[first["method"]]
    model = _model(contestant, first["configuration"], settings.seed)
    data = settings.source(dataset).load()
    classes = {("sklearn.pipeline", "make_pipeline"), *_classes(model)}
    if dataset in settings.own:
        classes.add(("minority.datasets", "load_file"))
        path = settings.own[dataset].load.args[0]  # absolute; as people write it from here:
        positive = f", positive={settings.positive!r}" if settings.positive else ""
        load = f"load_file({os.path.relpath(path)!r}, target={settings.target!r}{positive})"
    else:
        classes.add(("minority.datasets", "load"))
        load = f"load({dataset!r})"
    lines = [
        f"data = {load}",
        "model = make_pipeline(",
        *(indent(f"{_code(step)},", "    ") for step in model),
        f"){_PANDAS if len(model) > 1 else ''}",
    ]
    if 0 < contestant.max_rows < data.n:
        classes.add(("minority.papers.showdown", "sample_rows"))
        lines += [
            "# all rows would take long: it learns from a sample, as in the comparison",
            f"rows = sample_rows(data.y, {contestant.max_rows}, random_state={settings.seed})",
            "model.fit(data.X.iloc[rows], data.y[rows])",
        ]
    else:
        lines.append("model.fit(data.X, data.y)")
    lines += [
        "",
        "predicted = model.predict(data.X)  # or another table with the same columns",
        f"print(predicted.sum(), 'of', len(predicted), 'rows predicted:', {data.facts.target!r})",
        *(["print(model[-1].to_text())"] if contestant.readable else []),
    ]
    title = f"# {_called(first)}: first of {len(frame)} on {dataset}, G-mean {_mean(first)}"
    return "\n".join([title, *_imports(classes), "", *lines]) + "\n"


_PANDAS = '.set_output(transform="pandas")'


def _is_coder(step) -> bool:
    return type(step).__name__ == "ColumnTransformer"


def _code(step) -> str:
    """The expression that makes a step of a pipeline."""
    if _is_coder(step):
        return "numeric_coder(fill=False)" if step.remainder == "passthrough" else "numeric_coder()"
    return step.__repr__(N_CHAR_MAX=10_000)  # the default leaves out the middle of long ones


def _classes(model) -> set[tuple[str, str]]:
    """Module and name of everything in the code of a pipeline."""
    found = set()
    for step in model:
        if _is_coder(step):
            found.add(("minority.experiments", "numeric_coder"))
            continue
        for value in (step, *step.get_params().values()):
            if hasattr(value, "get_params"):
                parts = type(value).__module__.split(".")
                public = ".".join(takewhile(lambda part: not part.startswith("_"), parts))
                module = "minority" if parts[0] == "minority" else public
                found.add((module, type(value).__name__))
    return found


def _imports(classes: set[tuple[str, str]]) -> list[str]:
    """Import statements, those of this package behind a blank line."""
    names = {}
    for module, name in sorted(classes):
        names.setdefault(module, []).append(name)
    lines = {m: f"from {m} import {', '.join(found)}" for m, found in names.items()}
    ours = [line for module, line in lines.items() if module.startswith("minority")]
    return [*(line for line in lines.values() if line not in ours), "", *ours]
