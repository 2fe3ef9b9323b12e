"""How the claims of the sampling wrapper are judged: a number on the rows, or a test that shows it.

Every rule was written before the rows were there. A claim about all sets is reproduced if it holds
in all cases and partly if in some; one that says "generally" if it holds in three quarters of them,
and partly if in more than one quarter. Rules over the main rows wait until all of them are there.
Compustat, one of the eight sets, is proprietary: verdicts are over the other seven. The numbers of
Figures 6 to 9 are lost, so claims about costs are judged by our rows alone.

At the end is why claims were not reproduced.
"""

import functools
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports import datasets
from minority_reports.papers.sampling_wrapper.protocol import LEARNERS, STABILITY, published_table
from minority_reports.papers.sampling_wrapper.schemes import (
    COST_FREE,
    COST_RATIOS,
    RATIOS,
    WITH_COSTS,
)
from minority_reports.papers.sampling_wrapper.tables import (
    costs,
    envelopes,
    impossible_levels,
    levels,
    means,
    rank_correlation,
    rival_costs,
    stability,
)
from minority_reports.report import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OPEN,
    PARTLY,
    REPRODUCED,
    Finding,
    Verdict,
    cannot_be_tested,
    share,
    shown_by,
)
from minority_reports.statistics import bootstrap_interval

_SEARCH = "tests/minority/sampling/test_search.py::"
_COSTS = "tests/minority/costs/"
_PROTOCOL = "tests/minority_reports/papers/test_sampling_wrapper_protocol.py::"
_CLAIMS = "tests/minority_reports/papers/test_sampling_wrapper_claims.py::"
#: The paper's learners: its claims are about both.
BOTH = tuple(LEARNERS)
FREE = tuple(COST_FREE)
WRAPPERS = (*COST_FREE, *WITH_COSTS)
COST_SENSITIVE = ("metacost", "csc")
#: The ratios that the text calls high.
HIGH = (10, 20)
#: The sets of which the text says that F falls.
_F_FALLS = ("page", "mammography")
#: An area that is larger by no more than this share is comparable.
_COMPARABLE = 0.01


def is_whole(results, methods) -> bool:
    """Whether these methods are complete on all data sets of the protocol."""
    return set(results.complete(methods).rows["dataset"]) == set(results.experiment.datasets)


def all_rows(judged, needs: str = ""):
    """A rule over the main rows, open unless they are those of the whole protocol.

    It may need a certain data set to be among them.
    """

    @functools.wraps(judged)
    def rule(results):
        main = results["main"]
        if not is_whole(main, BOTH):
            return Verdict(OPEN, f"the main rows are not those of all sets ({main.coverage()})")
        if needs and needs not in main.experiment.datasets:
            return Verdict(OPEN, f"the main rows have no {needs}")
        return judged(main.complete(BOTH))

    return rule


def generally(held: int, cases: int, evidence: str, *, enough: float = 0.75) -> Verdict:
    """Reproduced in three quarters of the cases, partly in more than one quarter."""
    if cases == 0:
        return Verdict(OPEN, "no rows yet")
    part = held / cases
    status = REPRODUCED if part >= enough else PARTLY if part > 0.25 else NOT_REPRODUCED
    return Verdict(status, f"{held} of {cases}: {evidence}")


def by_checks(checks: list, evidence: str) -> Verdict:
    """Reproduced if all checks hold, partly if some do."""
    return Verdict(share(sum(map(bool, checks)), len(checks), "").status, evidence)


def gains(results, measure: str) -> pd.DataFrame:
    """What the two searches without costs add to the base: (learner, data set) x search."""
    frame = means(results, measure)
    return frame[list(FREE)].sub(frame["base"], axis=0)


def _protocol_and_published_costs(results):
    table2, a1 = published_table("Table 2")["cost_1to1"], published_table("Table A1")["1:1"]
    names = {"f-meas": "f-measure thresholded", "AUROC": "AUROC thresholded"}
    pairs = [
        (10 * cost, a1[f"{dataset} / {names[line]}"])
        for row, cost in table2.items()
        for dataset, _, line in [row.partition(" / ")]
        if line in names
    ]
    fits = sum(abs(first - second) <= 5 for first, second in pairs)
    return Verdict(
        PARTLY,
        f"followed here (test_protocol_of_the_paper); but the published costs are no averages: "
        f"those of Table 2 are a tenth of Table A1's in {fits} of {len(pairs)} lines, and these "
        "fit five whole passes, so that they are totals over 50 folds divided by ten",
    )


def _trivial_accuracy(results):
    facts = datasets.describe().set_index("name").loc["mammography"]
    accuracy = 100 * (1 - facts["positives"] / facts["n"])
    status = REPRODUCED if round(accuracy, 2) == 97.68 else NOT_REPRODUCED
    return Verdict(status, f"{accuracy:.3f} %")


@all_rows
def _sampling_helps(main):
    parts = {name: gains(main, m) for name, m in (("AUROC", "auroc"), ("F", "f1"))}
    counts = {name: int((frame > 0).to_numpy().sum()) for name, frame in parts.items()}
    cases = sum(frame.size for frame in parts.values())
    text = ", ".join(f"{name} {count}" for name, count in counts.items())
    return generally(
        sum(counts.values()),
        cases,
        f"comparisons with the base in AUROC and F (2 learners, 2 searches) that rise ({text})",
    )


@all_rows
def _ripper_gains_more(main):
    best = gains(main, "auroc").max(axis=1)
    more = best.xs("ripper") - best.xs("c45")
    return generally(
        int((more > 0).sum()),
        len(more),
        f"sets where the best search adds more AUROC to RIPPER than to C4.5; on average "
        f"{best.xs('ripper').mean():+.3f} against {best.xs('c45').mean():+.3f}",
    )


@all_rows
def _auroc_always_rises(main):
    gain = gains(main, "auroc")
    return share(
        int((gain > 0).to_numpy().sum()),
        gain.size,
        f"comparisons in AUROC with the base that rise; by {gain.to_numpy().mean():.3f} on "
        f"average, from {gain.to_numpy().min():+.3f} to {gain.to_numpy().max():+.3f}",
    )


@all_rows
def _f_rises_but_on_two_sets(main):
    gain = gains(main, "f1")
    exempt = gain.index.get_level_values("dataset").isin(_F_FALLS)
    others = gain[~exempt]
    return share(
        int((others > 0).to_numpy().sum()),
        others.size,
        "comparisons in F that rise on the five sets that are no exception; on Page and "
        f"Mammography {int((gain[exempt] <= 0).to_numpy().sum())} of {gain[exempt].size} fall",
    )


@partial(all_rows, needs="mammography")
def _drop_on_mammography(main):
    drop = -gains(main, "f1").loc[("c45", "mammography"), "wrapper-auroc"]
    status = REPRODUCED if 0 < drop <= 0.05 else PARTLY if drop > 0 else NOT_REPRODUCED
    return Verdict(status, f"F falls by {drop:.3f}, published 0.025; up to 0.05 counts as the same")


@all_rows
def _f_criterion_is_no_warrant(main):
    f = means(main, "f1")
    other = int((f["wrapper-auroc"] >= f["wrapper-f"]).sum())
    status = REPRODUCED if 4 * other >= len(f) else PARTLY if other else NOT_REPRODUCED
    best = int((f["wrapper-f"] >= f[["base", "wrapper-auroc"]].max(axis=1)).sum())
    return Verdict(
        status,
        f"{other} of {len(f)}: sets and learners where the search by AUROC has no lower test F "
        f"than the search by F (a quarter is asked for); the search by F has the best F of "
        f"three in {best}",
    )


@all_rows
def _auroc_gives_better_f(main):
    f = means(main, "f1").xs("c45")
    better = int((f["wrapper-auroc"] > f["wrapper-f"]).sum())
    status = REPRODUCED if better >= 4 else PARTLY if better else NOT_REPRODUCED
    return Verdict(
        status, f"{better} of {len(f)} sets; four are claimed, three are in the paper's Table 2"
    )


def _free_rows(main):
    """The rows of the two searches without costs."""
    return main.rows[main.rows["setting"].isin(list(FREE))]


def _spread(main):
    """How much the chosen SMOTE and the test AUROC of these searches vary over the folds."""
    return _free_rows(main).pivot_table(
        index=["method", "dataset"],
        columns="setting",
        values=["smote_1", "auroc"],
        aggfunc="std",
    )


@all_rows
def _auroc_is_steadier(main):
    spread, mean = _spread(main), means(main, "auroc")[list(FREE)]
    wins = {
        "the chosen SMOTE varies less": spread["smote_1"],
        "test AUROC varies less": spread["auroc"],
        "mean test AUROC is higher": -mean,
    }
    counts = {
        text: int((frame["wrapper-auroc"] < frame["wrapper-f"]).sum())
        for text, frame in wins.items()
    }
    return by_checks(
        [2 * count > len(mean) for count in counts.values()],
        "by AUROC, "
        + ", ".join(f"{text} on {count}" for text, count in counts.items())
        + f" of {len(mean)} sets and learners",
    )


@all_rows
def _amounts_differ(main):
    names = ["dataset", "repeat", "fold"]
    pairs = _free_rows(main).pivot_table(
        index=names, columns=["method", "setting"], values=["kept_1", "smote_1"]
    )
    cases = [((m, "wrapper-f"), (m, "wrapper-auroc")) for m in BOTH]
    cases += [(("c45", s), ("ripper", s)) for s in FREE]
    differ = {}
    for first, second in cases:
        unequal = sum(
            (pairs[level][first] != pairs[level][second]).astype(int)
            for level in ("kept_1", "smote_1")
        ).gt(0)
        differ[first, second] = unequal.groupby(level="dataset").mean()
    shares = pd.concat(differ)
    return generally(
        int((shares > 0.5).sum()),
        len(shares),
        "sets, for each learner (two criteria) and each criterion (two learners), where the "
        f"levels differ in more than half of the folds; {shares.mean():.0%} of all folds differ",
    )


@partial(all_rows, needs="estate")
def _estate_is_sampled_most(main):
    found = levels(main)
    largest = {
        kind: [
            frame[kind].xs("estate", level="dataset").item()
            > frame[kind].drop("estate", level="dataset").max()
            for _, frame in found.groupby(level=["method", "setting"], observed=True)
        ]
        for kind in ("smote", "removed")
    }
    facts = datasets.describe().set_index("name")
    skew = facts["imbalance"].reindex(found.index.get_level_values("dataset")).astype(float)
    links = {k: rank_correlation(found[k], skew) for k in largest}
    return by_checks(
        largest["smote"] + largest["removed"],
        f"E-State has the most SMOTE in {sum(largest['smote'])} of 4 and the most undersampling in "
        f"{sum(largest['removed'])} of 4 (learner and criterion); rank correlation with the "
        f"imbalance {links['smote']:.2f} and {links['removed']:.2f}",
    )


@all_rows
def _base_is_cheapest(main):
    frame = costs(main, 1, cut=False)
    lowest = frame["base"] <= frame[list(FREE)].min(axis=1)
    theirs = {name: published_table(name)["cost_1to1"] for name in ("Table 2", "Table 3")}
    held = sum(
        row[f"{dataset} / Base"] <= min(row[f"{dataset} / {line}"] for line in ("f-meas", "AUROC"))
        for row in theirs.values()
        for dataset in {name.partition(" / ")[0] for name in row.index}
    )
    return share(
        int(lowest.sum()),
        len(lowest),
        f"sets and learners where the base errs least; in the paper's own tables {held} of 14",
    )


# Claims about costs: sections 4.3, 6 and Appendix A.


def cheaper(main, first, second, ratios, learners=BOTH) -> tuple[int, int]:
    """In how many of all comparisons a scheme of `first` costs less than one of `second`."""
    held = cases = 0
    for ratio in ratios:
        frame = costs(main, ratio).loc[list(learners)]
        for one, other in product(first, second):
            held += int((frame[one] < frame[other]).sum())
            cases += len(frame)
    return held, cases


def _compare(first, second, ratios, text, enough=0.75):
    """A rule that some schemes cost less than others."""

    @all_rows
    def rule(main):
        held, cases = cheaper(main, first, second, ratios)
        return generally(held, cases, text, enough=enough)

    return rule


@all_rows
def _hold_with_both(main):
    """Whether three claims are reproduced with either learner.

    At first the rule only asked for the same verdict with both; since the verdicts turned out to be
    the same by failing, it now asks that the claims hold, as the text says.
    """
    claims = {
        "at 2:1": (COST_SENSITIVE, WRAPPERS, (2,), 0.75),
        "at 10:1 and 20:1": (WRAPPERS, COST_SENSITIVE, HIGH, 0.75),
        "of the searches without costs there": (FREE, COST_SENSITIVE, HIGH, 0.5),
    }
    checks, texts = [], []
    for name, (first, second, ratios, enough) in claims.items():
        found = [cheaper(main, first, second, ratios, [m]) for m in BOTH]
        checks.append(all(held >= enough * cases for held, cases in found))
        texts.append(f"{name} {found[0][0]} and {found[1][0]} of {found[0][1]}")
    return by_checks(
        checks,
        "comparisons that hold with C4.5 and with RIPPER, for the claims " + "; ".join(texts),
    )


@all_rows
def _better_estimates(main):
    counts, cases = {}, 0
    for name, measure in (("Brier score", "brier"), ("log loss", "log_loss")):
        frame = means(main, measure)
        lower = frame[list(FREE)].lt(frame["base"], axis=0)
        counts[name] = int(lower.to_numpy().sum())
        cases += lower.size
    text = ", ".join(f"{name} {count}" for name, count in counts.items())
    return generally(
        sum(counts.values()),
        cases,
        f"comparisons of the searches without costs with the base that are lower ({text})",
    )


@all_rows
def _c45_is_cheaper(main):
    held = cases = 0
    for ratio in COST_RATIOS:
        frame = costs(main, ratio)[list(FREE)]
        lower = frame.xs("c45") < frame.xs("ripper")
        held, cases = held + int(lower.to_numpy().sum()), cases + lower.size
    return generally(
        held, cases, "sets, searches without costs and ratios 2 to 20 where C4.5 costs less"
    )


@all_rows
def _all_beat_the_base(main):
    others = (*WRAPPERS, *COST_SENSITIVE)
    counts = {name: cheaper(main, (name,), ("base",), (5, 10, 20)) for name in others}
    text = ", ".join(f"{name} {held}" for name, (held, _) in counts.items())
    held, cases = (sum(part) for part in zip(*counts.values(), strict=True))
    return share(
        held,
        cases,
        f"comparisons with the base at p* at 5:1, 10:1 and 20:1 that cost less ({text} of "
        f"{counts[others[0]][1]} each)",
    )


@all_rows
def _rejection_against_weights(main):
    held, cases = cheaper(main, ("csc",), ("weighting",), (100,))
    return generally(
        held,
        cases,
        "sets and learners where, at 100:1, rejection sampling costs less than weights, which "
        "stand for resampling positives many times",
    )


def envelope_areas(main, low=0.0, high=1.0):
    """Mean normalised cost between two values of PCF: {(learner, set): {scheme: area}}."""
    grid = np.linspace(low, high, 501)
    found = {}
    for (method, dataset, scheme), curve in main.once(envelopes).items():
        found.setdefault((method, dataset), {})[scheme] = float(curve.at(grid).mean())
    return found


@all_rows
def _wrappers_win_as_pcf_grows(main):
    checks, texts = [], []
    for method in BOTH:
        wins = {}
        for name, (low, high) in {"low": (0, 0.5), "high": (0.5, 1)}.items():
            areas = [a for (m, _), a in envelope_areas(main, low, high).items() if m == method]
            wins[name] = [
                min(a[s] for s in FREE) < min(a[s] for s in COST_SENSITIVE) for a in areas
            ]
        some = len(wins["low"]) - sum(wins["low"])
        checks += [some > 0, 4 * sum(wins["high"]) >= 3 * len(wins["high"])]
        texts.append(
            f"{method}: below 0.5 the cost-sensitive are as cheap or cheaper on {some}, above it "
            f"the wrappers are cheaper on {sum(wins['high'])} of {len(wins['high'])} sets"
        )
    return by_checks(checks, "; ".join(texts))


@all_rows
def _wrapper_has_least_area(main):
    areas = envelope_areas(main)
    held = sum(min(a[s] for s in FREE) < min(a[s] for s in COST_SENSITIVE) for a in areas.values())
    return generally(
        held,
        len(areas),
        "sets and learners where the least area below an envelope is that of wrapper-f or "
        "wrapper-AUROC, not of MetaCost or CSC",
    )


@all_rows
def _auroc_is_as_good(main):
    areas = envelope_areas(main)
    ratios = [a["wrapper-auroc"] / a["wrapper-f"] for a in areas.values()]
    return share(
        sum(ratio <= 1 + _COMPARABLE for ratio in ratios),
        len(ratios),
        "sets and learners where the area of wrapper-AUROC is below that of wrapper-f or no more "
        f"than 1 % above it; its area is {np.mean(ratios):.3f} of the other's on average",
    )


@all_rows
def _metacost_against_csc(main):
    areas = envelope_areas(main)
    wins = {
        (m, one): sum(a[one] < a[other] for (method, _), a in areas.items() if method == m)
        for m in BOTH
        for one, other in (COST_SENSITIVE, COST_SENSITIVE[::-1])
    }
    n = len(areas) // len(BOTH)
    return by_checks(
        [2 * wins["c45", "metacost"] > n, 2 * wins["ripper", "csc"] > n],
        f"MetaCost has the smaller area on {wins['c45', 'metacost']} of {n} sets with C4.5, CSC on "
        f"{wins['ripper', 'csc']} of {n} with RIPPER",
    )


def _savings(main, ratio):
    """Share of the cost that cutting at p* saves: C4.5 in the two searches without costs."""
    cut, uncut = (costs(main, ratio, cut=c).xs("c45")[list(FREE)].to_numpy() for c in (True, False))
    return 1 - cut / uncut


@all_rows
def _cutting_saves_at_high_ratios(main):
    saved = {ratio: _savings(main, ratio) for ratio in COST_RATIOS}
    high = np.concatenate([saved[r].ravel() for r in HIGH])
    grows = saved[20].mean() > saved[2].mean()
    text = ", ".join(f"{100 * saved[r].mean():.0f} % at {r}:1" for r in COST_RATIOS)
    return by_checks(
        [4 * (high > 0).sum() >= 3 * high.size, grows],
        f"cutting at p* saves in {(high > 0).sum()} of {high.size} cases at 10:1 and 20:1; mean "
        f"saving {text}",
    )


@all_rows
def _cutting_by_ratio(main):
    saved = {ratio: _savings(main, ratio).ravel() for ratio in (1, *COST_RATIOS)}
    text = "; ".join(
        f"{r}:1 {(s > 0).sum()}/{(s == 0).sum()}/{(s < 0).sum()}" for r, s in saved.items()
    )
    low = np.concatenate([saved[2], saved[5]])
    return by_checks(
        [4 * (saved[20] > 0).sum() >= 3 * saved[20].size, (low < 0).any()],
        f"cut at p* better/equal/worse: {text}",
    )


# Claims that are judged by the experiments around the main one, and those about KDD Cup 1999.


def _region_grows(results):
    smote, main = results["smote"], results["main"]
    chosen = smote.rows[
        (smote.rows["method"] == "original") & (smote.rows["setting"] == "smote=500")
    ]
    base = main.rows[
        (main.rows["method"] == "c45")
        & (main.rows["setting"] == "base")
        & (main.rows["repeat"] == 0)
    ]
    more = {
        name: frame.assign(found=frame["fp"] - frame["fn"]).groupby("dataset")["found"].mean()
        for name, frame in (("smote", chosen), ("base", base))
    }
    if not (is_whole(smote, ["original"]) and is_whole(main, ["c45"])):
        return Verdict(OPEN, f"SMOTE has {smote.coverage()}, the base {main.coverage()}")
    change = more["smote"] - more["base"]
    return share(
        int((change > 0).sum()),
        len(change),
        "sets where C4.5 with 500 % SMOTE calls more test rows positive than without",
    )


def _seconds_of(results):
    timing = results["timing"].complete(BOTH)
    seconds = timing.seconds()
    if not is_whole(timing, BOTH) or set(BOTH) - set(seconds):
        return None
    return seconds[list(BOTH)]


def _ripper_is_faster(results):
    seconds = _seconds_of(results)
    if seconds is None:
        return Verdict(OPEN, f"timings have {results['timing'].coverage()}")
    rows = results["timing"].rows.groupby("method")[["smote", "kept"]].mean()
    rows["removed"] = 100 - rows["kept"]
    less = [rows.loc["ripper", k] < rows.loc["c45", k] for k in ("smote", "removed")]
    mean = seconds.mean()
    return by_checks(
        [mean["ripper"] < mean["c45"], *less],
        f"RIPPER takes {mean['ripper']:.2f} s a fold, C4.5 {mean['c45']:.2f} s; SMOTE "
        f"{rows.loc['ripper', 'smote']:.0f} against {rows.loc['c45', 'smote']:.0f} %, removed "
        f"{rows.loc['ripper', 'removed']:.0f} against {rows.loc['c45', 'removed']:.0f} %",
    )


def _time_follows_positives(results):
    seconds = _seconds_of(results)
    if seconds is None:
        return Verdict(OPEN, f"timings have {results['timing'].coverage()}")
    facts = datasets.describe().set_index("name").reindex(seconds.index)
    links = {
        name: {m: rank_correlation(seconds[m], facts[column]) for m in BOTH}
        for name, column in (("positives", "positives"), ("rows", "n"))
    }
    return by_checks(
        [link > 0.5 for link in links["positives"].values()],
        "rank correlation of the seconds over the sets, C4.5 and RIPPER: "
        + "; ".join(
            f"with {name} " + ", ".join(f"{link:.2f}" for link in by.values())
            for name, by in links.items()
        ),
    )


def _searched_beats_default(results):
    compared = ["wrapper-auroc", "default"]
    frame = rival_costs(results["rivals"], methods=compared)
    if not is_whole(results["rivals"], compared):
        return Verdict(OPEN, f"the comparison has {results['rivals'].coverage()}")
    return generally(
        int((frame["wrapper-auroc"] < frame["default"]).sum()),
        len(frame),
        "sets and ratios 2 to 20 where searched levels cost less than balancing by SMOTE, both cut "
        f"at p*; on average {(frame['wrapper-auroc'] / frame['default']).mean():.2f} of its cost",
    )


def _metacost_needs_instability(results):
    part = results["stability"].complete(STABILITY.methods)
    if not is_whole(part, STABILITY.methods):
        return Verdict(OPEN, f"the comparison has {part.coverage()}")
    frame = stability(part)
    within = {
        dataset: rank_correlation(group["disagreement"], group["saving_cut"])
        for dataset, group in frame.groupby(level="dataset")
    }
    rising = sum(link > 0 for link in within.values())
    overall = rank_correlation(frame["disagreement"], frame["saving_cut"])
    return generally(
        rising,
        len(within),
        "sets where, over five learners, MetaCost saves more of the cost at p* the more its bags "
        f"disagree (rank correlation above 0; over all sets and learners {overall:.2f})",
    )


def _on_kdd(what):
    def rule(results):
        rows = results["kdd"].complete(BOTH).rows
        best = rows.groupby("method")["cost"].min()
        ours = ", ".join(f"{results['kdd'].labels[m]} {c:.4f}" for m, c in best.items())
        return Verdict(
            NOT_TESTABLE,
            f"{what}; only the 10 % file is here, of whose normal rows nearly all occur once and "
            f"are removed. Least cost per example from it: {ours or 'no rows yet'}",
        )

    return rule


_RANGE = "sets, learners and ratios 2 to 20"
RULES = {
    "sampling_wrapper-01": _compare(
        ("wrapper-auroc",),
        COST_SENSITIVE,
        COST_RATIOS,
        f"{_RANGE} where wrapper-AUROC costs less than MetaCost or CSC",
    ),
    "sampling_wrapper-02": _on_kdd("0.2049 and 0.2051 are the lowest of Table 6"),
    "sampling_wrapper-03": cannot_be_tested("a remark about fraud, without data"),
    "sampling_wrapper-04": _region_grows,
    "sampling_wrapper-05": _protocol_and_published_costs,
    "sampling_wrapper-06": shown_by(_SEARCH + "test_any_scores_as_in_the_figures"),
    "sampling_wrapper-07": shown_by(_SEARCH + "test_look_ahead"),
    "sampling_wrapper-08": shown_by(_CLAIMS + "test_as_beta_falls_precision_matters_less"),
    "sampling_wrapper-09": shown_by(_CLAIMS + "test_an_auroc_of_a_half_is_the_diagonal"),
    "sampling_wrapper-10": cannot_be_tested(
        "about a pool of machines. Table 4's averages give 28.9 (C4.5) and 32.5 (RIPPER); the "
        "notebook measures two workers"
    ),
    "sampling_wrapper-11": shown_by(
        _COSTS + "test_matrix.py::test_cheapest_of_two_is_the_threshold"
    ),
    "sampling_wrapper-12": _trivial_accuracy,
    "sampling_wrapper-13": _sampling_helps,
    "sampling_wrapper-14": _ripper_gains_more,
    "sampling_wrapper-15": _auroc_always_rises,
    "sampling_wrapper-16": _f_rises_but_on_two_sets,
    "sampling_wrapper-17": _drop_on_mammography,
    "sampling_wrapper-18": _f_criterion_is_no_warrant,
    "sampling_wrapper-19": _auroc_gives_better_f,
    "sampling_wrapper-20": _auroc_is_steadier,
    "sampling_wrapper-21": _amounts_differ,
    "sampling_wrapper-22": _estate_is_sampled_most,
    "sampling_wrapper-23": _base_is_cheapest,
    "sampling_wrapper-24": cannot_be_tested("seconds of a pool of machines of 2008"),
    "sampling_wrapper-25": _ripper_is_faster,
    "sampling_wrapper-26": _time_follows_positives,
    "sampling_wrapper-27": _rejection_against_weights,
    "sampling_wrapper-28": _compare(
        COST_SENSITIVE,
        WRAPPERS,
        (2,),
        "comparisons of MetaCost and CSC with four wrappers at 2:1 where they cost less",
    ),
    "sampling_wrapper-29": _compare(
        WRAPPERS,
        COST_SENSITIVE,
        HIGH,
        "comparisons of four wrappers with MetaCost and CSC at 10:1 and 20:1 where the wrapper "
        "costs less",
    ),
    "sampling_wrapper-30": _compare(
        FREE,
        COST_SENSITIVE,
        HIGH,
        "comparisons of wrapper-AUROC and wrapper-f with MetaCost and CSC at 10:1 and 20:1 where "
        "the wrapper costs less (often: half is enough)",
        enough=0.5,
    ),
    "sampling_wrapper-31": _hold_with_both,
    "sampling_wrapper-32": _compare(
        FREE,
        tuple(WITH_COSTS),
        COST_RATIOS,
        f"comparisons over {_RANGE} where a search without costs costs less than one with",
    ),
    "sampling_wrapper-33": _better_estimates,
    "sampling_wrapper-34": _c45_is_cheaper,
    "sampling_wrapper-35": _all_beat_the_base,
    "sampling_wrapper-36": _searched_beats_default,
    "sampling_wrapper-37": shown_by(_PROTOCOL + "test_protocol_of_the_paper"),
    "sampling_wrapper-38": shown_by(_PROTOCOL + "test_protocol_of_the_paper"),
    "sampling_wrapper-39": shown_by(
        _COSTS + "test_curves.py::test_expected_cost_is_the_curve_scaled"
    ),
    "sampling_wrapper-40": _wrappers_win_as_pcf_grows,
    "sampling_wrapper-41": _wrapper_has_least_area,
    "sampling_wrapper-42": _auroc_is_as_good,
    "sampling_wrapper-43": _metacost_against_csc,
    "sampling_wrapper-44": _metacost_needs_instability,
    "sampling_wrapper-45": _on_kdd("holds in Table 6"),
    "sampling_wrapper-46": _on_kdd("holds in Table 6"),
    "sampling_wrapper-47": _cutting_saves_at_high_ratios,
    "sampling_wrapper-48": _compare(
        FREE,
        tuple(WITH_COSTS),
        RATIOS,
        "comparisons over sets, learners and all 13 ratios where a search without costs costs less "
        "than one with",
    ),
    "sampling_wrapper-49": _cutting_by_ratio,
}


# Why claims were not reproduced. All intervals are of 95 %. Most of these compare costs. A factor
# is a cost over that of MetaCost and that of CSC, each in turn: the geometric mean over cost
# ratios, learners and data sets, with a bootstrap interval over data sets. Seven sets are few for
# that, and the intervals rather too short.

_ERROR = "the paper's error"
#: The searches without costs at the amounts of Tables 2 and 3.
_AT_PRINTED = tuple(f"{scheme},published" for scheme in FREE)


class _Compared(NamedTuple):
    """How often something is lower than its rivals, and by which factor."""

    held: int
    cases: int
    factor: tuple[float, float, float]

    def __str__(self):
        mean, low, high = self.factor
        return f"{mean:.2f} (95 % interval {low:.2f} to {high:.2f})"


def _first_run(results):
    """The main experiment's first ten folds, those of the rows at other levels."""
    return results["main"].first(results["levels"].experiment.folds)


def _compared(factors: pd.DataFrame) -> _Compared:
    """Factors by (learner, data set), one column a comparison."""
    by_set = np.log(factors).mean(axis=1).groupby(level="dataset").mean()
    held = int((factors < 1).to_numpy().sum())
    return _Compared(held, factors.size, tuple(np.exp(bootstrap_interval(by_set))))


def _against_rivals(ours, schemes, theirs, ratios, learners=BOTH) -> _Compared:
    """Costs of schemes of some rows over those of MetaCost and CSC in the same folds."""
    parts = []
    for ratio in ratios:
        cost, rivals = costs(ours, ratio), costs(theirs, ratio)
        parts += [cost[one] / rivals[other] for one in schemes for other in COST_SENSITIVE]
    return _compared(pd.concat(parts, axis=1).loc[list(learners)])


def _as_stated(results, schemes, ratios, learners=BOTH) -> _Compared:
    """By the printed rule."""
    return _against_rivals(results["main"], schemes, results["main"], ratios, learners)


def _at_printed(results, schemes, ratios, learners=BOTH) -> _Compared:
    """At the printed amounts of undersampling and SMOTE."""
    first = _first_run(results)
    return _against_rivals(results["levels"], schemes, first, ratios, learners)


def _beats_the_cost_sensitive(results):
    stated = _as_stated(results, ("wrapper-auroc",), COST_RATIOS)
    printed = _at_printed(results, ("wrapper-auroc,published",), COST_RATIOS)
    amounts = levels(results["main"])["smote"].xs("wrapper-auroc", level="setting").mean()
    at = results["levels"].rows
    amounts_printed = at.loc[at["setting"] == "wrapper-auroc,published", "smote"].mean()
    return Finding(
        _ERROR,
        f"By the printed rule wrapper-AUROC costs {stated} times as much as MetaCost and CSC: not "
        f"noise. But it adds {amounts:.0f} % of SMOTE on average, where the paper prints "
        f"{amounts_printed:.0f} %; in {len(impossible_levels())} lines of Tables 2 and 3 with "
        "SMOTE the gain of 5 % that the rule asks for would lead to a value above 1, so that it "
        f"can hardly be the rule that ran. At the printed amounts the factor is {printed}, and "
        f"{printed.held} of {printed.cases} comparisons hold. Rule and amounts contradict each "
        "other; at the amounts the wrapper is level with the two, not shown to be better.",
    )


def _high_ratios(results):
    stated = _as_stated(results, WRAPPERS, HIGH)
    printed = _at_printed(results, _AT_PRINTED, HIGH)
    search, grid = (_by_cost(results, method) for method in ("wrapper", "grid"))
    return Finding(
        _ERROR,
        f"By the printed rule the four wrappers cost {stated} times as much as MetaCost and CSC. "
        "At the printed amounts of SMOTE, which that rule does not find (claim 01), the two "
        f"without costs are at {printed}, cheaper in {printed.held} of {printed.cases}. For the "
        "two with costs no amounts are printed; with C4.5 the best of a grid by wrapper-cost's "
        f"own criterion is at {grid}, the search by the rule at {search.factor[0]:.2f}. As "
        "printed, the rule stops too early; without it the wrappers draw level, no more.",
    )


def _by_cost(results, method: str) -> _Compared:
    """C4.5 at amounts chosen by the cost of error rates, stepwise or from a grid."""
    rows, first = results["rivals"].rows, _first_run(results)
    parts = []
    for ratio in HIGH:
        chosen = rows[(rows["method"] == method) & (rows["setting"] == f"rates={ratio}")]
        cost = (chosen["fp"] + ratio * chosen["fn"]).groupby(chosen["dataset"]).sum()
        rivals = costs(first, ratio).loc["c45"]
        parts += [cost / rivals[other] for other in COST_SENSITIVE]
    return _compared(pd.concat(parts, axis=1).rename_axis("dataset"))


def _without_costs(results):
    stated, printed = _as_stated(results, FREE, HIGH), _at_printed(results, _AT_PRINTED, HIGH)
    return Finding(
        _ERROR,
        f"By the printed rule wrapper-f and wrapper-AUROC cost {stated} times as much as MetaCost "
        f"and CSC at 10:1 and 20:1. At the printed amounts of SMOTE the factor is {printed} and "
        f"they are cheaper in {printed.held} of {printed.cases} comparisons, of which half was "
        "asked for. So the claim rests on amounts that the printed rule does not find (claim 01), "
        "and the saving at these is within noise.",
    )


def _both_learners(results):
    stated = [_as_stated(results, WRAPPERS, HIGH, [m]) for m in BOTH]
    high, low = (
        [_at_printed(results, _AT_PRINTED, ratios, [m]) for m in BOTH] for ratios in (HIGH, (2,))
    )
    dearer = " and ".join(str(part.cases - part.held) for part in low)
    return Finding(
        _ERROR,
        "The learners agree, as the paper says, but by failing: at 10:1 and 20:1 the four wrappers "
        f"cost {stated[0]} times as much as MetaCost and CSC with C4.5, {stated[1]} with RIPPER. "
        "At the printed amounts of SMOTE, which the printed rule does not find (claim 01), those "
        f"without costs are cheaper there in {high[0].held} and {high[1].held} of {high[0].cases} "
        f"comparisons, and at 2:1 not cheaper in {dearer} of {low[0].cases}. Then the claim about "
        "high ratios (half is asked for) would hold with both learners, and that about 2:1 (three "
        "quarters) with neither.",
    )


def _least_areas(part, schemes) -> pd.Series:
    """The least area below an envelope of some schemes, by learner and data set."""
    found = envelope_areas(part)
    least = pd.Series({key: min(areas[s] for s in schemes) for key, areas in found.items()})
    return least.rename_axis(["method", "dataset"])


def _areas(results):
    main, first = results["main"], _first_run(results)
    stated = _least_areas(main, FREE) / _least_areas(main, COST_SENSITIVE)
    printed = _least_areas(results["levels"], _AT_PRINTED) / _least_areas(first, COST_SENSITIVE)
    stated, printed = _compared(stated.to_frame()), _compared(printed.to_frame())
    return Finding(
        _ERROR,
        f"By the printed rule the least area of the two wrappers is {stated} times that of "
        "MetaCost and CSC, over learners and sets: not noise. At the printed amounts of SMOTE, "
        f"which that rule does not find (claim 01), it is {printed} times, and smaller in "
        f"{printed.held} of {printed.cases} cases. So the amounts account for the distance, but "
        "with them, too, the wrapper is not shown to be the most effective.",
    )


def _auroc_generalises(results):
    from scipy.stats import binomtest

    main = results["main"]
    rows, spread = _free_rows(main), _spread(main)
    smote, auroc = (
        (spread[name]["wrapper-auroc"] - spread[name]["wrapper-f"]).round(12)
        for name in ("smote_1", "auroc")
    )
    mean = means(main, "auroc")
    gain = (mean["wrapper-auroc"] - mean["wrapper-f"]).round(12)
    counts = [int((smote < 0).sum()), int((auroc < 0).sum()), int((gain > 0).sum())]
    idle = rows.groupby(["method", "dataset"], observed=True)["smote_1"].max().eq(0).sum()
    bounds = [binomtest(count, len(gain)).proportion_ci() for count in counts]
    low, high = min(b.low for b in bounds), max(b.high for b in bounds)
    shift, *ends = bootstrap_interval(gain.groupby(level="dataset").mean())
    return Finding(
        "noise",
        f"By AUROC the chosen SMOTE varies less in {counts[0]}, test AUROC varies less in "
        f"{counts[1]} and is higher in {counts[2]} of {len(gain)} cases (sets and learners), where "
        "more than half was asked for. The exact 95 % intervals of these shares go from "
        f"{100 * low:.0f} to {100 * high:.0f} %: neither a majority nor its opposite is shown. In "
        f"{idle} cases no search adds any SMOTE, which counts against the claim. The mean test "
        f"AUROC is higher by {shift:.3f} (95 % interval over sets {ends[0]:.3f} to {ends[1]:.3f}), "
        f"in its favour. {len(gain)} cases are too few.",
    )


def _change(part, base, measure: str, schemes) -> _Compared:
    """A measure of some schemes as a multiple of the base's."""
    return _compared(means(part, measure)[list(schemes)].div(means(base, measure)["base"], axis=0))


def _estimates(results):
    main, at_levels = results["main"], results["levels"]
    first = _first_run(results)
    rows = _free_rows(main)
    after = rows["positives"] * (1 + rows["smote_1"] / 100)
    after = after / (after + rows["negatives"] * rows["kept_1"] / 100)
    before = rows["positives"] / (rows["positives"] + rows["negatives"])
    rise = rows.assign(rise=after - before).pivot_table(
        index=["method", "dataset"], columns="setting", values="rise", observed=True
    )
    brier = means(main, "brier")
    change = brier[list(FREE)].sub(brier["base"], axis=0)
    pairs = pd.concat([pd.DataFrame({"rise": rise[s], "change": change[s]}) for s in FREE])
    link = rank_correlation(pairs["rise"], pairs["change"])
    stated = _change(main, main, "brier", FREE)
    printed = _change(at_levels, first, "brier", _AT_PRINTED)
    auroc = _change(at_levels, first, "auroc", _AT_PRINTED)
    cost = costs(at_levels, 20)[list(_AT_PRINTED)].div(costs(first, 20)["base"], axis=0)
    return Finding(
        _ERROR,
        f"Sampling raises the share of positives in training, here from {100 * before.mean():.0f} "
        f"to {100 * after.mean():.0f} % on average, which by itself raises the probabilities. The "
        f"Brier score is {stated} times the base's, lower in {stated.held} of {stated.cases} cases "
        f"and the higher the more the share rises (rank correlation {link:.2f}). At the printed "
        f"amounts it is {printed} times, though AUROC rises in {auroc.cases - auroc.held} of "
        f"{auroc.cases} cases and the cost at 20:1 falls to {_compared(cost).factor[0]:.2f} of the "
        "base's: the order of the rows improves, not the estimates.",
    )


INVESTIGATIONS = {
    "sampling_wrapper-01": _beats_the_cost_sensitive,
    "sampling_wrapper-20": _auroc_generalises,
    "sampling_wrapper-29": _high_ratios,
    "sampling_wrapper-30": _without_costs,
    "sampling_wrapper-31": _both_learners,
    "sampling_wrapper-33": _estimates,
    "sampling_wrapper-41": _areas,
}
