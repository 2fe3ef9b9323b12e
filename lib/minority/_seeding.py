"""Random numbers of estimators that are made of others."""

from numbers import Integral
from threading import local

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

_own = local()  # threads do not share a generator


def seed_from(random_state):
    """A number from 0 to 2**31 - 2 that is drawn from a random state."""
    if not isinstance(random_state, Integral):
        return int(check_random_state(random_state).randint(2**31 - 1))
    # Seeding a generator anew takes a hundredth of the time of making one, and is the same.
    if not hasattr(_own, "generator"):
        _own.generator = np.random.RandomState()
    _own.generator.seed(random_state)
    return int(_own.generator.randint(2**31 - 1))


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
