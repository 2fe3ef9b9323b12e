"""Methods of a user's own, from a Python file: ``my.py:METHODS``."""

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from minority_reports.experiments.plan import Experiment, Method


@dataclass(frozen=True)
class ExtraMethods:
    """What a file adds to experiments: estimators or methods by name.

    The version of each is made of the file's content: once it changes, rows are computed again.
    """

    methods: Mapping[str, object] = field(default_factory=dict)
    version: int = 0

    def added_to(self, experiment: Experiment) -> Experiment:
        """An experiment with these methods, if it says how an estimator becomes one."""
        if experiment.adapt is None:
            return experiment
        for name, given in self.methods.items():
            method = given if isinstance(given, Method) else Method(name, experiment.adapt(given))
            experiment = experiment.with_method(name, replace(method, version=self.version))
        return experiment


def load_methods(text: str) -> ExtraMethods:
    """Run a file and take the methods that it defines.

    Parameters
    ----------
    text : str
        A path and the name of a dictionary in that file, such as ``my.py:METHODS``; nothing for no
        methods. Its values are classifiers, or a :class:`Method` for what an estimator cannot say.
    """
    if not text:
        return ExtraMethods()
    place, _, name = text.rpartition(":")
    path = Path(place).expanduser().resolve()
    if not place or not name.isidentifier():
        raise ValueError(f"extra_methods must be a file and a name, my.py:METHODS, not {text!r}.")
    if not path.is_file():
        raise ValueError(f"extra_methods: there is no file {path}.")
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    methods = getattr(_module(path, content), name, None)
    if not isinstance(methods, Mapping) or not methods:
        raise ValueError(f"extra_methods: {path.name} has no dictionary {name!r} with methods.")
    for label, method in methods.items():
        if not isinstance(label, str) or not (isinstance(method, Method) or hasattr(method, "fit")):
            raise ValueError(
                f"extra_methods: {label!r} in {path.name} must be a name with a classifier or a "
                f"Method, not {type(method).__name__}."
            )
    return ExtraMethods(methods, int(content[:8], 16))


def _module(path: Path, content: str):
    """The module of a file. Its classes travel to other processes with their code."""
    import cloudpickle

    called = f"minority_extra_{content[:16]}"
    if called not in sys.modules:
        plan = importlib.util.spec_from_file_location(called, path)
        module = importlib.util.module_from_spec(plan)
        sys.modules[called] = module
        try:
            plan.loader.exec_module(module)
        except Exception:
            del sys.modules[called]
            raise
        cloudpickle.register_pickle_by_value(module)
    return sys.modules[called]
