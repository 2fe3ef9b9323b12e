"""What is small enough to be computed where it is shown: public data, the limit M, the speed.

The law-enforcement data is not available, so what the paper reads off its Table 3 is looked at on
public data too. Everything but seconds follows from a fixed seed.
"""

import time
import warnings
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from minority import datasets
from minority.datasets._transactions import PAIRS, UNRELATED
from minority.experiments import derive_seed, stratified_splits
from minority.papers.rlsd._real import fit_rlsd
from minority.papers.rlsd._rivals import BETA, f_measure, flag_measures
from minority.rules import ChiMerge, RLSDClassifier

#: The sets of the KEEL repository with mostly numeric attributes, at least 40 positives and less
#: than 5 % of them.
PUBLIC = (
    "flare-F",
    "yeast4",
    "winequality-red-4",
    "kddcup-guess_passwd_vs_satan",
    "yeast5",
    "abalone-17_vs_7-8-9-10",
    "shuttle-2_vs_5",
)
#: Two sets with many attributes and more than 100 positives.
WIDE = ("digits_8", "satimage")
#: The least recalls of Table 3, and its least precisions as odds against those of all examples.
RECALLS = (0.01, 0.05, 0.1, 0.2)
ODDS_RATIOS = (1.5, 3, 6, 9, 12)
#: Of the pairs, the one whose test month has most frauds, so that rates on it are least noisy.
SHOWN = "simulated-law-4"


@cache
def public_grid(names=PUBLIC, splits=3, seed=0) -> pd.DataFrame:
    """The grid of Table 3 on public data.

    Parameters
    ----------
    names : tuple of str, default=PUBLIC
        Data sets.
    splits : int, default=3
        Number of stratified 70/30 splits.
    seed : int, default=0

    Returns
    -------
    grid : DataFrame
        Means over the splits, by ``dataset``, ``min_recall`` and ``min_precision``; the latter is
        the ratio of odds that the least precision stands for. Beside the columns of Table 3,
        ``idle`` is the share of the rules that cover no positive of the test part.
    """
    rows = []
    for name in names:
        data = datasets.load(name)
        for split, (train, test) in enumerate(
            stratified_splits(data.y, splits, derive_seed(seed, name))
        ):
            X, y = data.X.iloc[train], data.y[train]
            for least in product(RECALLS, ODDS_RATIOS):
                model = fit_rlsd(X, y, *least, derive_seed(seed, name, split, least))
                key = {"dataset": name, "min_recall": least[0], "min_precision": least[1]}
                part = data.X.iloc[test], data.y[test]
                rows.append(key | _grid_row(model, X, y, *part))
    frame = pd.DataFrame(rows)
    return frame.groupby(["dataset", "min_recall", "min_precision"], sort=False).mean()


def _grid_row(model, X, y, X_test, y_test):
    found = (model.predict(X) == 1)[y == 1]
    row = flag_measures(y_test, model.predict(X_test) == 1)
    tested = [flag_measures(y_test, flagged) for flagged in model.rules_.covers_each(X_test)]
    recalls, precisions = (np.array([t[m] for t in tested]) for m in ("recall", "precision"))
    best = int(f_measure(recalls, np.nan_to_num(precisions)).argmax()) if tested else None
    return {
        "n_rules": len(tested),
        "train_recall": found.mean(),
        "recall": row["recall"],
        "precision": row["precision"],
        "best_recall": np.nan if best is None else recalls[best],
        "best_precision": np.nan if best is None else precisions[best],
        "idle": np.nan if best is None else (recalls == 0).mean(),
    }


@cache
def limit_study(
    names=("winequality-red-4", "abalone-17_vs_7-8-9-10", "digits_8"),
    limits=(150, 300, 1_000, 10_000),
    splits=3,
    seed=0,
) -> pd.DataFrame:
    """What is lost by dropping rules at random beyond the limit M.

    Parameters
    ----------
    names : tuple of str, default=("winequality-red-4", "abalone-17_vs_7-8-9-10", "digits_8")
        Data sets.
    limits : tuple of int, default=(150, 300, 1_000, 10_000)
        Values of M, which must not be below the number of positives.
    splits : int, default=3
        Number of stratified 70/30 splits, each with its own random numbers.
    seed : int, default=0

    Returns
    -------
    study : DataFrame
        Means over the splits, by ``dataset`` and ``limit``: the rules ``generated``, those
        ``qualified``, and the F-measure ``f`` of all selected rules on the test part.
    """
    rows = []
    for name in names:
        data = datasets.load(name)
        cuts = stratified_splits(data.y, splits, derive_seed(seed, name))
        for (split, (train, test)), limit in product(enumerate(cuts), limits):
            model = RLSDClassifier(
                max_rules=limit, pos_label=1, random_state=derive_seed(seed, name, split, limit)
            )
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="No rule reaches")
                model.fit(data.X.iloc[train], data.y[train])
            parts = data.X.iloc[train], data.y[train], data.X.iloc[test], data.y[test]
            rows.append(
                {
                    "dataset": name,
                    "limit": limit,
                    "generated": model.n_generated_,
                    "qualified": model.n_qualified_,
                    "f": _tested(model, parts)["f"],
                }
            )
    return pd.DataFrame(rows).groupby(["dataset", "limit"], sort=False).mean()


@cache
def search_study(names=(*PUBLIC, *WIDE), limit=10_000) -> pd.Series:
    """Number of rules that the positives of whole data sets have, counted up to a limit."""
    counts = {}
    for name in names:
        data = datasets.load(name)
        model = RLSDClassifier(max_rules=limit, min_precision=0, pos_label=1, random_state=0)
        counts[name] = model.fit(data.X, data.y).n_generated_
    return pd.Series(counts, name="rules").rename_axis("dataset")


def shown_parts(name: str = SHOWN) -> tuple:
    """Training and test part of a simulated pair: X, y, X_test, y_test."""
    data, cut = datasets.load(name), PAIRS[name][1][0]
    return data.X.iloc[:cut], data.y[:cut], data.X.iloc[cut:], data.y[cut:]


def shown_model(parts: tuple, min_recall: float, min_precision: float, **options):
    """RLSD as in Table 3, but for `options`, on the training part of a pair."""
    X, y, _, _ = parts
    model = RLSDClassifier(
        min_recall=min_recall,
        min_precision=min_precision,
        beta=BETA,
        pos_label=1,
        random_state=0,
        **options,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No rule reaches")
        return model.fit(X, y)


def limits_on_simulated(parts, limits=(1_000, 10_000, 30_000), least=(0.05, 0.02)) -> pd.DataFrame:
    """What the limit M changes on the simulated pair, with the columns of `limit_study`."""
    rows = {}
    for limit in limits:
        model = shown_model(parts, *least, max_rules=limit)
        rows[SHOWN, limit] = {
            "generated": model.n_generated_,
            "qualified": model.n_qualified_,
            "f": _tested(model, parts)["f"],
        }
    return pd.DataFrame(rows).T


def noise_in_rules(parts, levels=(0.05, 0.01, 0.001), least=(0.05, 0.02)) -> pd.DataFrame:
    """What the significance level changes in the rules of the simulated pair.

    ``unrelated`` is the share of the conditions that are on attributes that tell nothing.
    """
    rows = {}
    for level in levels:
        model = shown_model(parts, *least, significance=level)
        features = [condition.feature for rule in model.rules_ for condition in rule.conditions]
        rows[level] = {
            "rules": len(model.rules_),
            "conditions": len(features) / max(1, len(model.rules_)),
            "unrelated": float(np.isin(features, UNRELATED).mean()) if features else np.nan,
        } | _tested(model, parts)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("significance level")


def _tested(model, parts):
    _, _, X, y = parts
    flags = flag_measures(y, model.predict(X) == 1)
    found = f_measure(flags["recall"], np.nan_to_num(flags["precision"]))
    return {"recall": flags["recall"], "precision": flags["precision"], "f": float(found)}


def textbook_chimerge(column: np.ndarray, y: np.ndarray, threshold: float) -> np.ndarray:
    """Lower bounds of the intervals of Kerber's ChiMerge: all chi-squares anew after each merge."""
    lower, interval = np.unique(column, return_inverse=True)
    counts = np.array([np.bincount(interval, weights=y == label) for label in (0, 1)])
    while len(lower) > 1:
        rows, classes = counts.sum(axis=0), counts[:, :-1] + counts[:, 1:]
        margins = rows[:-1] * rows[1:] * classes.prod(axis=0)
        cross = counts[0, :-1] * counts[1, 1:] - counts[1, :-1] * counts[0, 1:]
        chi = (rows[:-1] + rows[1:]) * cross**2 / np.where(margins > 0, margins, 1)
        least = int(chi.argmin())
        if chi[least] > threshold:
            break
        counts[:, least] += counts[:, least + 1]
        counts, lower = np.delete(counts, least + 1, axis=1), np.delete(lower, least + 1)
    return lower


def speed_study(
    sizes=(2_000, 4_000, 8_000, 69_261, 500_000), *, textbook_up_to=8_000, share=0.004, seed=0
) -> pd.DataFrame:
    """Milliseconds of three versions of ChiMerge for one attribute, all values different.

    Parameters
    ----------
    sizes : sequence of int, default=(2_000, 4_000, 8_000, 69_261, 500_000)
        Numbers of rows n.
    textbook_up_to : int, default=8_000
        The largest n for the textbook version, whose time grows with the square of n.
    share : float, default=0.004
        Share of positives, about that of Table 2.
    seed : int, default=0

    Returns
    -------
    study : DataFrame
        For each n (index) the time of the textbook version, of the same with a heap
        (``classic``) and of the minority version, best of three, and the ratios to the last;
        NaN where the textbook version is left out.
    """
    from scipy.stats import chi2

    threshold = chi2.isf(0.05, df=1)
    rng = np.random.default_rng(seed)
    versions = {
        "textbook": lambda X, y: textbook_chimerge(X[:, 0], y, threshold),
        "classic": ChiMerge(method="classic", pos_label=1).fit,
        "minority": ChiMerge(method="minority", pos_label=1).fit,
    }
    rows = {}
    for n in sizes:
        X = rng.normal(size=(n, 1))
        y = (np.arange(n) < share * n).astype(np.int8)
        X[y == 1] += 1
        seconds = {
            name: min(_seconds(fit, X, y) for _ in range(3))
            for name, fit in versions.items()
            if name != "textbook" or n <= textbook_up_to
        }
        rows[n] = {f"{name}, ms": 1000 * seconds.get(name, np.nan) for name in versions} | {
            f"{name} / minority": seconds.get(name, np.nan) / seconds["minority"]
            for name in ("textbook", "classic")
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("n")


def _seconds(fit, X, y):
    started = time.perf_counter()
    fit(X, y)
    return time.perf_counter() - started


def steps_of_chimerge(n_rows: int, n_minority: int) -> dict[str, float]:
    """About how many steps each version of ChiMerge takes for an attribute of different values.

    Sorting n values takes n log n comparisons, finding the place of one among m takes log m, the
    textbook computes all chi-squares after each of about n merges, and a heap changes three of its
    entries with each.
    """
    n, m = float(n_rows), float(n_minority)
    sort = n * np.log2(n)
    return {
        "textbook": sort + n**2 / 2,
        "classic": sort + 3 * n * np.log2(n),
        "minority": n * np.log2(m) + m * np.log2(m) + 3 * m * np.log2(m),
    }
