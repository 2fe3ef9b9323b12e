"""Stand-ins for data that nobody but the papers' authors has: the same shape, invented values.

They have the published numbers of rows, features and positives, and a moderate class overlap, so
that an experiment can run. Nothing else about them is true, and no verdict counts them. All
arithmetic is on whole numbers, so that the data are equal on every machine.
"""

import numpy as np
import pandas as pd

FACTORS = 4  # what makes columns correlate
INFORMATIVE = 6  # columns that tell the classes apart
SPREAD = 1000  # half the range of one uniform draw
SHIFT = 600  # of positives in those: a logistic regression reaches an AUROC of 0.75 to 0.85


def _bell(rng, size):
    """Whole numbers, bell-shaped around 0: the sum of three uniform draws, deviation about 1000."""
    return rng.integers(-SPREAD, SPREAD, size=(3, *size), endpoint=True).sum(axis=0)


def _stand_in(seed, parts, d):
    """Draw a data set of numeric, ordinal and binary columns, about in the ratio 3 : 1 : 1.

    Parameters
    ----------
    seed : int
    parts : list of (int, int)
        Rows and positives of each part. Parts follow each other, a part's rows are mixed.
    d : int
        Number of columns.
    """
    rng = np.random.default_rng(seed)
    y = np.concatenate([rng.permutation(np.arange(rows) < positives) for rows, positives in parts])
    factors = _bell(rng, (len(y), FACTORS))
    loadings = rng.integers(5, 10, size=d, endpoint=True) * (2 * rng.integers(0, 2, size=d) - 1)
    informative = rng.permutation(np.arange(d) < INFORMATIVE)
    signs = 2 * rng.integers(0, 2, size=d) - 1
    columns = {}
    for j in range(d):
        latent = loadings[j] * factors[:, j % FACTORS] + 10 * _bell(rng, (len(y),))
        latent += informative[j] * signs[j] * 10 * SHIFT * y
        kind = j % 5
        if kind == 3:
            values = np.searchsorted([-12_000, -4_000, 4_000, 12_000], latent)  # five grades
        elif kind == 4:
            values = latent > 6_000
        else:
            values = latent // 10 / 100  # two decimals
        columns[f"x{j + 1}"] = values.astype(np.float64)
    return pd.DataFrame(columns), y


# Compustat: the paper prints 96:4, so 4 % of either part; training rows come first, then test.
STANDINS = {
    "simulated-lupus-1": (101, [(3839, 109)], 58),
    "simulated-lupus-2": (102, [(3077, 170)], 59),
    "simulated-stroke-1": (103, [(1869, 98)], 43),
    "simulated-stroke-2": (104, [(1805, 107)], 38),
    "simulated-pct": (105, [(816_099, 163)], 17),
    "simulated-compustat": (106, [(10_358, 414), (3_258, 130)], 20),
}


def stand_in(name):
    """The features and the 0/1 target of one of `STANDINS`."""
    return _stand_in(*STANDINS[name])
