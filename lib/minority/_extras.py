"""Packages that only some features need: plots and the mixed-integer programs."""

import importlib


def optional(module: str, extra: str):
    """Import a module of an extra, once a feature needs it: learning must not."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"this needs {package}, which is not installed (extra {extra!r} of minority): "
            f"`pip install {package}`.",
            name=error.name,
        ) from error
