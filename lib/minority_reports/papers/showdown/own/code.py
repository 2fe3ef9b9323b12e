"""Python code for a model, ready to run."""

import inspect
import re
from collections.abc import Mapping
from itertools import takewhile
from textwrap import indent

import numpy as np
import pandas as pd

from minority_reports.datasets.own import reading_code
from minority_reports.experiments import Results, Settings
from minority_reports.papers.showdown import packages
from minority_reports.papers.showdown.own.models import model_of
from minority_reports.papers.showdown.own.ranking import called, mean_text, standings
from minority_reports.papers.showdown.protocol import CONTESTANTS, Contestant, sample_rows


def snippet(results: Mapping[str, Results], dataset: str, settings: Settings) -> str:
    """Python code that learns the winner from the same data, ready to run.

    The winner among the methods of the protocol: a user's own are code already.
    """
    results = {setting: result.of_protocol() for setting, result in results.items()}
    frame = standings(results, dataset)
    if frame.empty or not frame["learned"].iloc[0]:
        return "# No contestant has a result.\n"
    first = frame.iloc[0]
    title = f"{called(first)}: first of {len(frame)} on {dataset}, G-mean {mean_text(first)}"
    return code_for(first, CONTESTANTS[first["method"]], title, dataset, settings)


def code_for(
    entrant: pd.Series, contestant: Contestant, title: str, dataset: str, settings: Settings
) -> str:
    """Python code that learns a model from the data set, ready to run wherever its packages are.

    For a user's file these are pandas, scikit-learn, `minority` and those of the method.
    """
    model = model_of(contestant, entrant["configuration"], settings.seed)
    data = settings.source(dataset).load()
    classes = {("sklearn.pipeline", "make_pipeline"), *_classes(model)}
    if dataset in settings.own:
        load = settings.own[dataset].load
        lines = ["", *reading_code(*load.args, **load.keywords).splitlines()]
        classes.add(("", "pandas as pd"))
        others = "or features(read(path)) of another table with the same columns, labelled or not"
        kind = "y.to_numpy()"
    else:
        classes.add(("minority_reports.datasets", "load"))
        lines = [f"data = load({dataset!r})", "X, y = data.X, data.y"]
        others = "or other rows with the same columns"
        kind = "y"
    steps = [_code(step) for step in model]
    lines += [
        "model = make_pipeline(",
        *(indent(f"{step},", "    ") for step in steps),
        f"){_PANDAS if len(model) > 1 else ''}",
    ]
    if 0 < contestant.max_rows < data.n:
        classes.add(("", "numpy as np"))
        few = np.bincount(data.y[sample_rows(data.y, contestant.max_rows, settings.seed)])
        lines += [
            "# all rows would take long: it learns from a sample, as in the comparison",
            f"rng = np.random.default_rng({settings.seed})",
            f"positives = rng.choice(np.flatnonzero({kind} == 1), {few[1]}, replace=False)",
            f"others = rng.choice(np.flatnonzero({kind} != 1), {few[0]}, replace=False)",
            "rows = np.sort(np.concatenate([positives, others]))",
            f"model.fit(X.iloc[rows], {kind}[rows])",
        ]
    else:
        lines.append("model.fit(X, y)")
    lines += [
        "",
        f"# {others}",
        "predicted = model.predict(X)",
        f"print(predicted.sum(), 'of', len(predicted), 'rows predicted:', {data.facts.target!r})",
    ]
    if hasattr(model[-1], "to_text"):
        lines.append("print(model[-1].to_text())")
    imported, defined = _definitions(model)
    classes = {(m, n) for m, n in classes if m != packages.__name__} | imported
    modules = {m.split(".")[0] for m, _ in classes if m} | ({contestant.needs} - {""})
    needs = sorted(_PACKAGES.get(module, module) for module in modules)
    head = [f"# {title}", f"# needs: pip install pandas {' '.join(needs)}"]
    return "\n".join([*map(_one_line, head), *_imports(classes), *defined, "", *lines]) + "\n"


def _definitions(model) -> tuple[set[tuple[str, str]], list[str]]:
    """Imports and source of the classes that are this laboratory's own, which no package has."""
    steps = [value for step in model for value in (step, *step.get_params().values())]
    kinds = {type(step) for step in steps if type(step).__module__ == packages.__name__}
    parts = [packages._seeded_globally] if packages.Imported in kinds else []
    parts += sorted(kinds, key=lambda kind: kind.__name__)
    return _NEEDED if parts else set(), ["\n\n" + inspect.getsource(part) for part in parts]


#: What the source of the classes in `packages` uses.
_NEEDED = {
    *(("", module) for module in ("contextlib", "importlib", "numpy as np")),
    *(("sklearn.base", name) for name in ("BaseEstimator", "ClassifierMixin")),
    ("sklearn.utils.class_weight", "compute_sample_weight"),
    ("sklearn.utils.validation", "check_is_fitted"),
}


#: What packages are called where they are installed from, if not as they are imported.
_PACKAGES = {
    "sklearn": "scikit-learn",
    "imblearn": "imbalanced-learn",
    "interpret": "interpret-core",
    "xgboost": "xgboost-cpu",
}


def _one_line(comment: str) -> str:
    """A comment that stays one whatever a file is called."""
    return " ".join(comment.split())


_PANDAS = '.set_output(transform="pandas")'


def _is_coder(step) -> bool:
    return type(step).__name__ == "ColumnTransformer"


def _code(step) -> str:
    """The expression that makes a step of a pipeline."""
    if _is_coder(step):
        return _code_of_coder(step)
    return step.__repr__(N_CHAR_MAX=10_000)  # the default leaves out the middle of long ones


def _code_of_coder(step) -> str:
    """The coder of columns in scikit-learn's own words: what `numeric_coder` makes."""
    ((_, one_column_each, _),) = step.transformers
    columns = one_column_each.__repr__(N_CHAR_MAX=10_000)
    combine = "feature_name_combiner='{} = {}'.format"
    named = re.sub("feature_name_combiner=<.*?>", combine, columns)
    lines = [
        f"({named}, make_column_selector(dtype_exclude='number')),",
        f"remainder={step.remainder!r},",
        f"verbose_feature_names_out={step.verbose_feature_names_out},",
    ]
    return "\n".join(["make_column_transformer(", *(indent(line, "    ") for line in lines), ")"])


def _classes(model) -> set[tuple[str, str]]:
    """Module and name of everything in the code of a pipeline."""
    found = set()
    for step in model:
        parts = [step, *step.get_params().values()]
        if _is_coder(step):
            made = ("make_column_selector", "make_column_transformer")
            found |= {("sklearn.compose", name) for name in made}
            parts = [step.transformers[0][1], step.remainder]
        for value in parts:
            if hasattr(value, "get_params"):
                names = type(value).__module__.split(".")
                public = ".".join(takewhile(lambda part: not part.startswith("_"), names))
                module = "minority" if names[0] == "minority" else public
                found.add((module, type(value).__name__))
    return found


def _imports(classes: set[tuple[str, str]]) -> list[str]:
    """Import statements, those of this package behind a blank line."""
    names = {}
    for module, name in sorted(classes):
        if module:
            names.setdefault(module, []).append(name)
    lines = [f"import {name}" for module, name in sorted(classes) if not module]
    lines += [f"from {module} import {', '.join(found)}" for module, found in names.items()]
    ours = [line for line in lines if line.startswith("from minority")]
    return [*(line for line in lines if line not in ours), *([""] if ours else []), *ours]
