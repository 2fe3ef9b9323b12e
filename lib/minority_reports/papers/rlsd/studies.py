"""Small studies: public data, the limit M, the speed.

The law-enforcement data is not available, so what the paper reads off its Table 3 is looked at on
public data too. Everything but seconds follows from a fixed seed.
"""

import bisect
import heapq
import math
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import dataset

from minority.large import write_hits
from minority.rules import ChiMerge, RLSDClassifier
from minority_reports import datasets
from minority_reports.datasets.transactions import PAIRS, UNRELATED
from minority_reports.experiments import derive_seed, stratified_splits, with_random_state
from minority_reports.experiments.studies import stored
from minority_reports.papers.fixed import fixed
from minority_reports.papers.rlsd.protocol import (
    RLSD,
    best_rule,
    f_measure,
    fit_by_odds,
    fit_quietly,
    flag_measures,
)

#: The sets of the KEEL repository with mostly numeric attributes, at least 40 positives and less
#: than 5 % of them.
PUBLIC = (
    *("flare-F", "yeast4", "winequality-red-4", "kddcup-guess_passwd_vs_satan", "yeast5"),
    *("abalone-17_vs_7-8-9-10", "shuttle-2_vs_5"),
)
#: Two sets with many attributes and more than 100 positives.
WIDE = ("digits_8", "satimage")
#: The minimum recalls of Table 3, and its minimum precisions as odds against those of all examples.
RECALLS = (0.01, 0.05, 0.1, 0.2)
ODDS_RATIOS = (1.5, 3, 6, 9, 12)
#: Of the pairs, the one whose test month has most frauds, so that rates on it are least noisy.
SHOWN = "simulated-law-4"


@stored("rlsd-public-grid")
def public_grid(names=PUBLIC, splits=3, seed=0) -> pd.DataFrame:
    """The grid of Table 3 on public data: means over stratified 70/30 splits.

    By ``dataset``, ``min_recall`` and ``min_precision``; the latter is the ratio of odds that the
    minimum precision stands for. Beside the columns of Table 3, ``idle`` is the share of the rules
    that cover no positive of the test part.
    """
    rows = []
    for name in names:
        data = datasets.load(name)
        for split, (train, test) in enumerate(
            stratified_splits(data.y, splits, derive_seed(seed, name))
        ):
            X, y = data.X.iloc[train], data.y[train]
            for least in product(RECALLS, ODDS_RATIOS):
                model = fit_by_odds(RLSD, X, y, *least, derive_seed(seed, name, split, least))
                key = {"dataset": name, "min_recall": least[0], "min_precision": least[1]}
                part = data.X.iloc[test], data.y[test]
                rows.append(key | _grid_row(model, X, y, *part))
    frame = pd.DataFrame(rows)
    return frame.groupby(["dataset", "min_recall", "min_precision"], sort=False).mean()


def _grid_row(model, X, y, X_test, y_test):
    found = (model.predict(X) == 1)[y == 1]
    row = flag_measures(y_test, model.predict(X_test) == 1)
    tested = [flag_measures(y_test, flagged) for flagged in model.rules_.covers_each(X_test)]
    best = tested[best_rule(tested)] if tested else {}
    return {
        "n_rules": len(tested),
        "train_recall": found.mean(),
        "recall": row["recall"],
        "precision": row["precision"],
        "best_recall": best.get("recall", np.nan),
        "best_precision": best.get("precision", np.nan),
        "idle": np.mean([rule["recall"] == 0 for rule in tested]) if tested else np.nan,
    }


@stored("rlsd-limit")
def limit_study(
    names=("winequality-red-4", "abalone-17_vs_7-8-9-10", "digits_8"),
    limits=(150, 300, 1_000, 10_000),
    splits=3,
    seed=0,
) -> pd.DataFrame:
    """What is lost by dropping rules at random beyond the limit M.

    M must not be below the number of positives. Means over stratified 70/30 splits, each with its
    own random numbers, by ``dataset`` and ``limit``: the rules ``generated``, those ``qualified``,
    and the F-measure ``f`` of all selected rules on the test part.
    """
    rows = []
    for name in names:
        data = datasets.load(name)
        cuts = stratified_splits(data.y, splits, derive_seed(seed, name))
        for (split, (train, test)), limit in product(enumerate(cuts), limits):
            parts = data.X.iloc[train], data.y[train], data.X.iloc[test], data.y[test]
            random_state = derive_seed(seed, name, split, limit)
            model = fit_quietly(with_random_state(RLSD, random_state, max_rules=limit), *parts[:2])
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


@stored("rlsd-search")
def search_study(names=(*PUBLIC, *WIDE), limit=10_000) -> pd.Series:
    """Number of rules that the positives of whole data sets have, counted up to a limit."""
    counts = {}
    for name in names:
        data = datasets.load(name)
        model = with_random_state(RLSD, 0, max_rules=limit, min_precision=0)
        counts[name] = model.fit(data.X, data.y).n_generated_
    return pd.Series(counts, name="rules").rename_axis("dataset")


@stored("rlsd-shuffled")
def shuffled_study(names=PUBLIC, repeats=5, seed=0) -> pd.DataFrame:
    """Intervals of numeric irrelevant attributes, since the labels are shuffled.

    For each data set, shuffle and attribute with two values or more: the ``intervals`` that
    ChiMerge leaves at level 0.05.
    """
    rows = []
    for name in names:
        data = datasets.load(name)
        X = data.X.select_dtypes("number")
        X = X.loc[:, X.max() > X.min()]
        for repeat in range(repeats):
            y = np.random.default_rng(derive_seed(seed, name, repeat)).permutation(data.y)
            cuts = fixed(ChiMerge, method="minority", pos_label=1).fit(X, y).cut_points_
            rows += [
                {"dataset": name, "repeat": repeat, "attribute": a, "intervals": len(points) + 1}
                for a, points in zip(X.columns, cuts, strict=True)
            ]
    return pd.DataFrame(rows)


def shown_parts(name: str = SHOWN) -> tuple:
    """Training and test part of a simulated pair: X, y, X_test, y_test."""
    data, cut = datasets.load(name), PAIRS[name][1][0]
    return data.X.iloc[:cut], data.y[:cut], data.X.iloc[cut:], data.y[cut:]


def shown_model(parts: tuple, min_recall: float, min_precision: float, **options):
    """RLSD as in Table 3, but for `options`, on the training part of a pair."""
    least = {"min_recall": min_recall, "min_precision": min_precision}
    return fit_quietly(with_random_state(RLSD, 0, **least, **options), *parts[:2])


@stored("rlsd-limit-simulated")
def limits_on_simulated(
    parts=None, limits=(1_000, 10_000, 30_000), least=(0.05, 0.02)
) -> pd.DataFrame:
    """What the limit M changes on the simulated pair, with the columns of `limit_study`.

    ``parts`` are by default those of `shown_parts`.
    """
    parts = shown_parts() if parts is None else parts
    rows = {}
    for limit in limits:
        model = shown_model(parts, *least, max_rules=limit)
        rows[SHOWN, limit] = {
            "generated": model.n_generated_,
            "qualified": model.n_qualified_,
            "f": _tested(model, parts)["f"],
        }
    return pd.DataFrame(rows).T.rename_axis(["dataset", "limit"])


@stored("rlsd-noise-in-rules")
def noise_in_rules(parts=None, levels=(0.05, 0.01, 0.001), least=(0.05, 0.02)) -> pd.DataFrame:
    """What the significance level changes in the rules of the simulated pair.

    ``parts`` are by default those of `shown_parts`; ``unrelated`` is the share of the conditions
    that are on irrelevant attributes.
    """
    parts = shown_parts() if parts is None else parts
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


@stored("rlsd-large-hits")
def hits_of_a_million(n_rows=1_000_000, n_new=100_000, budget=0.002) -> pd.DataFrame:
    """The page of an inspector: rules from a million made-up transactions in ten files.

    Of other transactions those of `budget`, with ``score``, ``rule`` and ``reason``, and whether
    each is a ``fraud``.
    """
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        learned, new = Path(folder) / "learned", Path(folder) / "new"
        for place, n in ((learned, n_rows), (new, n_new)):
            place.mkdir()
            for number in range(10):
                make_purchases(rng, n // 10).to_parquet(place / f"{number}.parquet")
        model = RLSDClassifier(random_state=0).fit(dataset.dataset(learned), "fraud")
        write_hits(model, new, Path(folder) / "hits", budget=budget)
        hits = pd.concat(map(pd.read_parquet, sorted((Path(folder) / "hits").glob("*.parquet"))))
    return hits.sort_values("score", ascending=False, kind="stable").reset_index(drop=True)


def make_purchases(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Made-up purchases, about one in a thousand a fraud: of two kinds, or without a reason."""
    frame = pd.DataFrame(
        {"amount": rng.lognormal(4, 1, n).round(2), "hour": rng.integers(0, 24, n)}
    )
    frame["days_known"] = rng.exponential(400, n).round()
    frame["country"] = rng.choice(
        list("ABCDEFGH"), n, p=[0.3, 0.2, 0.2, 0.1, 0.08, 0.06, 0.04, 0.02]
    )
    frame["online"] = rng.random(n) < 0.4
    at_night = (frame["hour"] < 6) & frame["country"].isin(["F", "G"]) & (frame["amount"] > 200)
    unknown = frame["online"] & (frame["days_known"] < 10) & (frame["amount"] > 150)
    chance = 0.0002 + 0.3 * at_night + 0.2 * unknown
    return frame.assign(fraud=rng.random(n) < chance)


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


@stored("rlsd-chimerge-seconds")
def speed_study(
    sizes=(2_000, 4_000, 8_000, 69_261, 500_000), *, textbook_up_to=8_000, share=0.004, seed=0
) -> pd.DataFrame:
    """Milliseconds of three versions of ChiMerge for one attribute of n rows, all values different.

    The textbook version, up to a largest n, since its time grows with the square of n, the same
    with a heap (``classic``) and the minority version, best of three, and the ratios to the last.
    The `share` of positives is about that of Table 2.
    """
    from scipy.stats import chi2

    threshold = chi2.isf(0.05, df=1)
    rng = np.random.default_rng(seed)
    versions = {
        "textbook": lambda X, y: textbook_chimerge(X[:, 0], y, threshold),
        "classic": fixed(ChiMerge, method="classic", pos_label=1).fit,
        "minority": fixed(ChiMerge, method="minority", pos_label=1).fit,
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


class _Counted:
    """A value that counts how often it is compared."""

    comparisons = 0
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        _Counted.comparisons += 1
        return self.value < other.value


def _count_merging(counts: np.ndarray, threshold: float) -> tuple[int, int]:
    """Steps of merging intervals, with a heap and with all chi-squares anew after each merge.

    A step is a chi-square or a comparison. Both merge the same neighbours in the same order.
    """
    n = counts.shape[1]
    positives, negatives = (counts[k].astype(float).tolist() for k in (1, 0))
    following, previous = list(range(1, n + 1)), list(range(-1, n - 1))

    def chi_of(i, j):
        (a, b), (c, d) = (positives[i], negatives[i]), (positives[j], negatives[j])
        below = (a + b) * (c + d) * (a + c) * (b + d)
        return (a + b + c + d) * (a * d - b * c) ** 2 / below if below else 0.0

    chi = [chi_of(i, i + 1) for i in range(n - 1)] + [math.inf]
    _Counted.comparisons = 0
    heap = [_Counted((chi[i], i)) for i in range(n - 1)]
    heapq.heapify(heap)
    computed, anew, left = n - 1, n - 1, n
    while heap:
        least, i = heapq.heappop(heap).value
        if least != chi[i]:
            continue
        if least > threshold:
            break
        j = following[i]
        positives[i], negatives[i] = positives[i] + positives[j], negatives[i] + negatives[j]
        chi[j], left = -1.0, left - 1
        anew += 2 * max(left - 1, 0)  # all chi-squares, and the least of them
        following[i] = following[j]
        if following[i] < n:
            previous[following[i]] = i
        chi[i] = chi_of(i, following[i]) if following[i] < n else math.inf
        for k in (i, previous[i]):
            if k >= 0 and chi[k] != math.inf:
                chi[k] = chi_of(k, following[k])
                computed += 1
                heapq.heappush(heap, _Counted((chi[k], k)))
    return computed + _Counted.comparisons, anew


def count_chimerge(column: np.ndarray, is_minority: np.ndarray) -> dict[str, int]:
    """Steps of three versions of ChiMerge on one attribute, counted while they run.

    A step is a comparison of two numbers or a chi-square. ``textbook`` sorts all values and
    computes all chi-squares anew after each merge, ``classic`` does the same with a heap, and
    ``minority`` sorts the values of the minority only, looks the others up among them and merges
    these intervals with a heap.
    """
    from scipy.stats import chi2

    threshold = float(chi2.isf(0.05, df=1))
    present = ~np.isnan(column)
    column, is_minority = column[present], is_minority[present]

    def sorting(values):
        _Counted.comparisons = 0
        sorted(map(_Counted, values.tolist()))
        return _Counted.comparisons

    def counts_in(starts):
        place = np.searchsorted(starts, column, side="right") - 1
        return np.array(
            [
                np.bincount(place[rows], minlength=len(starts))
                for rows in (~is_minority, is_minority)
            ]
        )

    heap, anew = _count_merging(counts_in(np.unique(column)), threshold)
    sort = sorting(column)
    bounds = np.concatenate([[-np.inf], np.unique(column[is_minority])[1:]])
    least, _ = _count_merging(counts_in(bounds), threshold)
    _Counted.comparisons = 0
    known = [_Counted(value) for value in bounds[1:].tolist()]
    for value in column.tolist():
        bisect.bisect_right(known, _Counted(value))
    search = _Counted.comparisons
    return {
        "textbook": sort + anew,
        "classic": sort + heap,
        "minority": sorting(column[is_minority]) + search + least,
    }


@stored("rlsd-counted")
def counted_on_simulated(name: str = "simulated-law-1") -> pd.Series:
    """What `count_chimerge` finds on the attribute of a training part with the most values.

    The steps by version, and the numbers of different `values` and of `rows of the minority`.
    """
    X, y, _, _ = shown_parts(name)
    numeric = X.select_dtypes("number")
    column = numeric[numeric.nunique().idxmax()].to_numpy(dtype=float)
    different = len(np.unique(column[~np.isnan(column)]))
    counts = {"values": different, "rows of the minority": int((y == 1).sum())}
    return pd.Series(count_chimerge(column, y == 1) | counts, name="count").rename_axis("what")
