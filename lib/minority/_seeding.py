"""Random numbers of estimators that are made of others."""

import numpy as np
from sklearn.base import clone


def seeded(estimator, seed):
    """A clone whose random states, nested ones too, are drawn from `seed`.

    Parameters
    ----------
    estimator : estimator
    seed : int, list of int or numpy.random.Generator
        A generator goes on from where it is.

    Returns
    -------
    estimator : estimator
        Not fitted.
    """
    rng = np.random.default_rng(seed)
    estimator = clone(estimator)
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    return estimator.set_params(**{name: int(rng.integers(2**31)) for name in names})
