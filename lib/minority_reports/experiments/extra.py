"""Methods of a user's own, from a Python file: ``my.py:METHODS``."""

import functools
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

    @property
    def labels(self) -> dict[str, str]:
        """What the methods are called in tables and figures, by name."""
        return {
            name: given.label if isinstance(given, Method) else name
            for name, given in self.methods.items()
        }

    def check_that_they_travel(self) -> None:
        """Refuse methods that cannot be sent to other processes, before anything is computed."""
        import cloudpickle

        for name, given in self.methods.items():
            try:
                cloudpickle.dumps(given)
            except Exception as error:  # whatever an object's own code raises
                raise ValueError(
                    f"extra_methods: {name!r} cannot be sent to other processes ({error}). Compute "
                    "it in this one, with n_jobs=1 and no cluster, or keep such parts out of it."
                ) from error

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
        if not isinstance(label, str) or not (isinstance(method, Method) or _is_classifier(method)):
            kind = (
                f"the class {method.__name__}"
                if isinstance(method, type)
                else type(method).__name__
            )
            raise ValueError(
                f"extra_methods: {label!r} in {path.name} must be a name with a classifier that "
                f"follows scikit-learn's conventions, such as {{'mine': SVC()}}, or a Method, not "
                f"{kind}."
            )
    return ExtraMethods(methods, int(content[:8], 16))


def _is_classifier(given) -> bool:
    """Whether it can be copied with other parameters and says that it is a classifier."""
    from sklearn.base import is_classifier

    # a class has what its instances have, but cannot be asked
    has = not isinstance(given, type) and hasattr(given, "get_params")
    return has and hasattr(given, "__sklearn_tags__") and is_classifier(given)


@functools.cache
def _module(path: Path, content: str):
    """The module of a file with that content.

    It cannot be imported by its name, here or elsewhere, so that what it defines travels to other
    processes and machines with its code: workers need not have the file.
    """
    plan = importlib.util.spec_from_file_location(f"minority_extra_{content[:16]}", path)
    module = importlib.util.module_from_spec(plan)
    sys.modules[module.__name__] = module  # dataclasses look there for the module of a class
    try:
        plan.loader.exec_module(module)
    finally:
        del sys.modules[module.__name__]
    return module
