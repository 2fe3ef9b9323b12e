"""How the claims of the sampling wrapper are judged, and why some were not reproduced.

Compustat, one of the eight data sets, is proprietary: the other seven decide. The numbers of
Figures 6 to 9 are lost, so claims about costs are judged by our rows alone. A claim about several
schemes is judged over all pairs of those that it names, with both learners, unless it names one.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from minority_reports import datasets
from minority_reports.papers.sampling_wrapper.protocol import (
    LABELS,
    LEARNERS,
    NAMES,
    published_table,
)
from minority_reports.papers.sampling_wrapper.schemes import (
    COST_FREE,
    COST_RATIOS,
    RATIOS,
    WITH_COSTS,
)
from minority_reports.papers.sampling_wrapper.tables import (
    costs,
    envelope_areas,
    label_of,
    levels,
    means,
    positive_calls,
    rank_correlation,
    rival_costs,
    stability,
)
from minority_reports.report import (
    ALWAYS,
    GENERALLY,
    MATCHES,
    OFTEN,
    SOME,
    AsGoodAs,
    Both,
    ByConstruction,
    Cases,
    Effect,
    Exceeds,
    Finding,
    Measured,
    Need,
    NotTestable,
    Number,
    Numbers,
    Rule,
    correlation_effect,
    mean_effect,
    rule,
    split_effect,
)
from minority_reports.statistics import bootstrap_interval

_SEARCH = "tests/minority/sampling/test_search.py::"
_COSTS = "tests/minority/costs/"
_PROTOCOL = "tests/minority_reports/papers/test_sampling_wrapper_protocol.py::"
_CLAIMS = "tests/minority_reports/papers/test_sampling_wrapper_claims.py::"
_FIGURES = "sampling_wrapper_"
#: The paper's learners: its claims are about both, unless they name one.
BOTH = tuple(LEARNERS)
FREE = tuple(COST_FREE)
COSTED = tuple(WITH_COSTS)
WRAPPERS = (*FREE, *COSTED)
COST_SENSITIVE = ("metacost", "csc")
#: The ratios that the text calls high, and those above 2:1 of the same figures.
HIGH = (10, 20)
_ABOVE_2 = (5, 10, 20)
#: The data sets on which the text says that F falls.
_F_FALLS = ("page", "mammography")

MAIN = (Need("main", BOTH),)
MAIN_C45 = (Need("main", ("c45",)),)
MAMMOGRAPHY_C45 = (Need("main", ("c45",), datasets=("mammography",)),)
#: The rows that most rules are about, with what shows them.
_TABLE_2 = MAIN, _FIGURES + "table2_c45"
_FIGURE_8 = MAIN, _FIGURES + "fig8_curves_c45"
_TABLE_A1 = MAIN_C45, _FIGURES + "table_a1"


# Frames of differences, signed so that more of them favours the claim.


def saving(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """By how much `first` is below `second`, as a share of the mean of both.

    It has the same size whichever of two is below the other, and is 0 if both are 0.
    """
    return (2 * (second - first) / (first + second)).fillna(0.0)


def gains(results, measure: str) -> pd.DataFrame:
    """What the two searches without costs add to the base: (learner, data set) x search."""
    frame = means(results, measure)
    return frame[list(FREE)].sub(frame["base"], axis=0)


def pairs(frame: pd.DataFrame, first, second) -> pd.DataFrame:
    """By how much each scheme of `first` is below each of `second`: rows of `frame` x pairs."""
    one = frame[list(first)].to_numpy().repeat(len(second), axis=1)
    other = np.tile(frame[list(second)].to_numpy(), len(first))
    axes = frame.index, pd.MultiIndex.from_product([first, second])
    return saving(pd.DataFrame(one, *axes), pd.DataFrame(other, *axes))


def cost_pairs(results, first, second, ratios) -> pd.DataFrame:
    """The same for costs at several ratios."""
    parts = {ratio: pairs(costs(results, ratio), first, second) for ratio in ratios}
    return pd.concat(parts, axis="columns")


def cut_saving(results, ratios) -> pd.DataFrame:
    """What a threshold at p* saves in the two searches without costs, at several ratios."""
    return pd.concat(
        {
            ratio: saving(
                costs(results, ratio)[list(FREE)], costs(results, ratio, cut=False)[list(FREE)]
            )
            for ratio in ratios
        },
        axis="columns",
    )


def by_set(frame: pd.DataFrame) -> pd.Series:
    """The mean of a frame's numbers on each data set: learners and comparisons are no new ones."""
    return frame.groupby(level="dataset", sort=False).mean().mean(axis="columns")


def positive(frame: pd.DataFrame) -> list[bool]:
    """Which numbers are above 0, and not by rounding alone."""
    return (frame.to_numpy(dtype=float).round(12) > 0).ravel().tolist()


def cases(frame: pd.DataFrame, text: str, effect: str) -> Cases:
    """Each number of a frame is a case, which holds if it is positive."""
    return Cases(positive(frame), text, mean_effect(effect, by_set(frame)))


def some_cases(frame: pd.DataFrame, text: str, effect: str) -> Cases:
    """The same for what is claimed of some cases: the effect is the largest on each data set.

    It is 0 where there is none: that others are the opposite does not refute what holds for some.
    """
    largest = frame.groupby(level="dataset", sort=False).max().max(axis="columns")
    return Cases(positive(frame), text, mean_effect(effect, largest.clip(lower=0)))


def counted(words, criterion, needs, shown="", *, of=cases, text, effect):
    """A rule about the numbers of the frame that the decorated function returns, by `of`."""

    def of_frame(frame) -> Rule:
        def measure(*found):
            return of(frame(*found), text, effect)

        return Rule(words, criterion, measure, needs, shown)

    return of_frame


# Tables 2 and 3: section 4.1.


@counted(
    "Wrapper-f and wrapper-AUROC have a higher test AUROC and a higher test F than the base",
    GENERALLY,
    *_TABLE_2,
    text="The two searches improve AUROC or F in {count} comparisons with the base (data sets, "
    "learners, searches, measures)",
    effect="mean gain in AUROC and F",
)
def _sampling_helps(main):
    return pd.concat({m: gains(main, m) for m in ("auroc", "f1")}, axis="columns")


@counted(
    "The gain in test AUROC over the base, of either search, is larger with RIPPER than with C4.5",
    GENERALLY,
    MAIN,
    _FIGURES + "table3_ripper",
    text="A search adds more AUROC to RIPPER than to C4.5 in {count} cases (data sets, searches)",
    effect="gain in AUROC, RIPPER minus C4.5",
)
def _ripper_gains_more(main):
    gain = gains(main, "auroc")
    return gain.xs("ripper") - gain.xs("c45")


@counted(
    "Wrapper-f and wrapper-AUROC have a higher test AUROC than the base, with both learners",
    ALWAYS,
    *_TABLE_2,
    text="A search has a higher AUROC than the base in {count} cases (data sets, learners, "
    "searches)",
    effect="gain in AUROC",
)
def _auroc_rises(main):
    return gains(main, "auroc")


@counted(
    "On all data sets but Page and Mammography, wrapper-f and wrapper-AUROC have a higher "
    "test F than the base, with both learners",
    ALWAYS,
    *_TABLE_2,
    text="On the other data sets a search has a higher F than the base in {count} cases (data "
    "sets, learners, searches)",
    effect="gain in F",
)
def _f_rises_elsewhere(main):
    return gains(main, "f1").drop(list(_F_FALLS), level="dataset", errors="ignore")


@rule(
    "On Page and on Mammography test F is lower than the base's with at least one learner "
    "and search",
    ALWAYS,
    (Need("main", BOTH, datasets=_F_FALLS),),
    _FIGURES + "table2_c45",
)
def _f_falls_on_two(main):
    fall = -gains(main, "f1")
    largest = fall.groupby(level="dataset", sort=False).max().max(axis="columns")
    return Cases(
        positive(largest.to_frame()),
        "F falls with at least one learner and search on {count} excepted data sets (Page, "
        "Mammography)",
        mean_effect("largest fall of F", largest),
    )


def _fall_on_mammography(main) -> Effect:
    f = main.rows.pivot_table(index=["dataset", "repeat", "fold"], columns="setting", values="f1")
    return split_effect("fall of F", f["base"] - f["wrapper-auroc"], main.experiment)


@rule(
    "On Mammography with C4.5, test F of wrapper-AUROC is lower than the base's",
    Exceeds(0.01),
    MAMMOGRAPHY_C45,
    _FIGURES + "table2_c45",
)
def _f_falls_on_mammography(main):
    return Measured(_fall_on_mammography(main))


@rule("The fall is the published one of 0.025", MATCHES, MAMMOGRAPHY_C45, _FIGURES + "table2_c45")
def _falls_as_far_as_published(main):
    fall = _fall_on_mammography(main)
    # the interval is two standard errors to either side
    error = (fall.high - fall.low) / 4
    return Numbers([Number("fall of F", fall.value, 0.025, sd=error)])


@rule(
    "Averaged over data sets and learners, the search by AUROC loses no more than 0.02 of "
    "test F against the search by F, so that optimising F has no distinct advantage in F",
    AsGoodAs(0.02),
    *_TABLE_2,
)
def _f_criterion_has_no_advantage(main):
    f = means(main, "f1")
    gap = (f["wrapper-auroc"] - f["wrapper-f"]).to_frame()
    return Measured(mean_effect("test F, wrapper-AUROC minus wrapper-f", by_set(gap)))


@rule(
    "With C4.5, wrapper-AUROC has a higher test F than wrapper-f (on four of the eight data "
    "sets in the text, that is half; Compustat is not available)",
    OFTEN,
    MAIN_C45,
    _FIGURES + "table2_c45",
)
def _auroc_gives_better_f(main):
    f = means(main, "f1").xs("c45")
    gap = (f["wrapper-auroc"] - f["wrapper-f"]).to_frame()
    printed = published_table("Table 2")["f_measure"]
    names = [label_of(name) for name in gap.index]
    theirs = [name for name in names if printed[f"{name} / AUROC"] > printed[f"{name} / f-meas"]]
    ahead = [name for name, one in zip(names, positive(gap), strict=True) if one]
    return cases(
        gap,
        f"With C4.5 wrapper-AUROC has the higher test F on {{count}} data sets "
        f"({', '.join(ahead) or 'none'}); in Table 2 on {len(theirs)} of the same "
        f"({', '.join(theirs) or 'none'})",
        "test F, wrapper-AUROC minus wrapper-f",
    )


def _free_rows(main):
    """The rows of the two searches without costs."""
    return main.rows[main.rows["setting"].isin(list(FREE))]


#: What is selected and what is reached.
_SELECTED_AND_REACHED = ("smote_1", "kept_1", "auroc", "f1")


def _spread(main) -> pd.DataFrame:
    """Standard deviations over the folds: (learner, data set) x (measure, search)."""
    return _free_rows(main).pivot_table(
        index=["method", "dataset"],
        columns="setting",
        values=list(_SELECTED_AND_REACHED),
        aggfunc="std",
        observed=True,
    )


@counted(
    "Over the folds, the chosen amounts of SMOTE and undersampling and the test AUROC and "
    "F of wrapper-AUROC vary less than those of wrapper-f",
    GENERALLY,
    MAIN,
    text="Over the folds the chosen SMOTE, the chosen undersampling, test AUROC and test F vary "
    "less with wrapper-AUROC in {count} cases (data sets, learners, these four)",
    effect="relative difference in standard deviation",
)
def _auroc_is_steadier(main):
    spread = _spread(main)
    return pd.concat(
        {
            name: saving(spread[name]["wrapper-auroc"], spread[name]["wrapper-f"])
            for name in _SELECTED_AND_REACHED
        },
        axis="columns",
    )


@counted(
    "Test AUROC and test F of wrapper-AUROC are higher than those of wrapper-f",
    GENERALLY,
    *_TABLE_2,
    text="Wrapper-AUROC has the higher test AUROC or test F in {count} cases (data sets, learners, "
    "the two measures)",
    effect="mean difference in AUROC and F",
)
def _auroc_generalises(main):
    scores = {name: means(main, name) for name in ("auroc", "f1")}
    more = {name: frame["wrapper-auroc"] - frame["wrapper-f"] for name, frame in scores.items()}
    return pd.concat(more, axis="columns")


def _amounts_differ(main, *, across: str):
    """Whether what is selected in a fold differs between the two levels of `across`."""
    names = {"dataset", "repeat", "fold", "method", "setting"} - {across}
    amounts = _free_rows(main).pivot_table(
        index=sorted(names), columns=across, values=["smote_1", "kept_1"], observed=True
    )
    first, second = amounts.columns.unique(across)
    differ = (
        amounts.xs(first, axis="columns", level=across)
        .ne(amounts.xs(second, axis="columns", level=across))
        .any(axis="columns")
    )
    by_data_set = 2 * differ.groupby(level="dataset", sort=False).mean() - 1
    return Cases(
        differ,
        "The amounts of SMOTE and undersampling differ in {count} pairs of searches on the same "
        "fold",
        mean_effect("share that differ minus share that do not", by_data_set),
    )


@rule(
    "E-State, which is not the most imbalanced, gets more SMOTE and more undersampling than "
    "any other data set, with both learners and both criteria (that amounts do not depend on "
    "the imbalance at all cannot be shown on seven data sets; the correlations are given)",
    ALWAYS,
    (Need("main", BOTH, datasets=("estate",)), Need("main", BOTH, sets=2)),
    _FIGURES + "levels_by_imbalance",
)
def _estate_is_sampled_most(estate, main):
    amounts = levels(main).pivot_table(
        index="dataset", columns=["method", "setting"], values=["smote", "removed"], observed=True
    )
    others = amounts.drop(index="estate", errors="ignore")
    margin = saving(others.max(), amounts.loc["estate"])
    skew = datasets.describe().set_index("name")["imbalance"].reindex(amounts.index).astype(float)
    links = ", ".join(
        str(correlation_effect(text, amounts[kind].mean(axis="columns"), skew))
        for kind, text in (("smote", "SMOTE"), ("removed", "undersampling"))
    )
    return Cases(
        positive(margin.to_frame()),
        "E-State has more SMOTE or undersampling than any other data set in {count} cases "
        f"(learners, criteria, SMOTE or undersampling); rank correlation with the imbalance "
        f"ratio: {links}",
        mean_effect("relative difference from the next", margin),
    )


@rule(
    "At 1:1 the base has no more test errors than wrapper-f and than wrapper-AUROC",
    GENERALLY,
    *_TABLE_2,
)
def _base_is_cheapest(main):
    errors = costs(main, 1, cut=False)
    frame = pairs(errors, ("base",), FREE)
    printed = {name: published_table(name)["cost_1to1"] for name in ("Table 2", "Table 3")}
    lines = [
        (column[f"{dataset} / Base"], column[f"{dataset} / f-meas"], column[f"{dataset} / AUROC"])
        for column in printed.values()
        for dataset in NAMES.values()
    ]
    theirs = sum(base <= min(others) for base, *others in lines)
    return Cases(
        (frame.round(12) >= 0).all(axis="columns"),
        "The base has no more errors than either search in {count} cases (data sets, learners); "
        f"in the paper's own tables in {theirs} of {len(lines)}",
        mean_effect("relative saving", by_set(frame)),
    )


# Seconds: section 4.2.

_NO_SECONDS = Cases([], "", Effect("", np.nan, np.nan, np.nan))


def _seconds(timing) -> pd.DataFrame:
    """Seconds of a fold by data set and learner, where they were stored."""
    return timing.seconds().reindex(columns=list(BOTH)).rename_axis("dataset").dropna()


@rule(
    "The measured seconds of wrapper-AUROC are fewer with RIPPER than with C4.5",
    GENERALLY,
    (Need("timing", BOTH),),
    _FIGURES + "table4_time",
)
def _ripper_is_faster(timing):
    seconds = _seconds(timing)
    if seconds.empty:
        return _NO_SECONDS
    mean = seconds.mean()
    return cases(
        saving(seconds["ripper"], seconds["c45"]).to_frame(),
        "Measured on one core, the search takes fewer seconds with RIPPER on {count} data sets; "
        f"on average {mean['ripper']:.2f} s per fold with RIPPER, {mean['c45']:.2f} s with C4.5",
        "relative saving",
    )


@rule(
    "Wrapper-AUROC chooses less SMOTE and less undersampling with RIPPER than with C4.5",
    GENERALLY,
    MAIN,
    _FIGURES + "table3_ripper",
)
def _ripper_samples_less(main):
    amounts = levels(main).xs("wrapper-auroc", level="setting")
    frame = saving(amounts.xs("ripper"), amounts.xs("c45"))
    mean = amounts.groupby(level="method", observed=True).mean()
    return cases(
        frame,
        "Wrapper-AUROC chooses less SMOTE or undersampling with RIPPER in {count} cases (data "
        f"sets, these two); on average {mean.loc['ripper', 'smote']:.0f} % of SMOTE with RIPPER, "
        f"{mean.loc['c45', 'smote']:.0f} % with C4.5",
        "relative difference",
    )


def _seconds_follow_positives(timing):
    seconds = _seconds(timing)
    if seconds.empty:
        return _NO_SECONDS
    facts = datasets.describe().set_index("name").reindex(seconds.index)
    both = np.log(seconds).mean(axis="columns")
    rows = correlation_effect("with the number of all examples", facts["n"], both)
    return Measured(
        correlation_effect("rank correlation", facts["positives"], both),
        f"Measured seconds of wrapper-AUROC (geometric mean of both learners) with the number of "
        f"minority examples ({rows})",
    )


# Costs: section 4.3.1.


def _cheaper(words, criterion, first, second, ratios, learners=BOTH, shown="fig6_costs_c45"):
    """A rule that the schemes of `first` cost less than those of `second`."""
    text = (
        f"With {' and '.join(LABELS[name] for name in learners)} the cost is lower in "
        "{count} comparisons (data sets, learners, ratios, pairs of methods)"
    )
    needs, looks = (Need("main", learners),), {"text": text, "effect": "relative saving"}
    rule_of = counted(words, criterion, needs, _FIGURES + shown, **looks)
    return rule_of(lambda main: cost_pairs(main, first, second, ratios))


@counted(
    "With SMOTE (100 to 500 %, no undersampling) C4.5 calls more test rows positive than "
    "without, which is taken for a more general decision region",
    GENERALLY,
    (Need("smote", ("original",)), *MAIN_C45),
    text="C4.5 with SMOTE calls more test rows positive than without in {count} cases (data sets, "
    "100 to 500 % of SMOTE)",
    effect="test rows called positive, difference in per cent",
)
def _region_grows(smote, main):
    return positive_calls(smote, main)


@counted(
    "Brier score and log loss of wrapper-f and wrapper-AUROC are lower than the base's",
    GENERALLY,
    MAIN,
    text="Brier score or log loss is lower than the base's in {count} comparisons (data sets, "
    "learners, searches, the two losses)",
    effect="relative reduction",
)
def _better_estimates(main):
    frames = {name: means(main, name) for name in ("brier", "log_loss")}
    lower = {name: pairs(frame, FREE, ("base",)) for name, frame in frames.items()}
    return pd.concat(lower, axis="columns")


@counted(
    "At 2:1 to 20:1 wrapper-AUROC and wrapper-f cost less with C4.5 than with RIPPER",
    GENERALLY,
    MAIN,
    _FIGURES + "fig6_costs_c45",
    text="The cost is lower with C4.5 in {count} comparisons (data sets, searches, ratios)",
    effect="relative saving",
)
def _c45_is_cheaper(main):
    frames = {ratio: costs(main, ratio)[list(FREE)] for ratio in COST_RATIOS}
    lower = {ratio: saving(frame.xs("c45"), frame.xs("ripper")) for ratio, frame in frames.items()}
    return pd.concat(lower, axis="columns")


@counted(
    "At 2:1 to 20:1, C4.5 at the amounts that wrapper-AUROC finds costs less than C4.5 with "
    "the classes balanced by SMOTE, both thresholded at p*",
    GENERALLY,
    (Need("rivals", ("wrapper-auroc", "default")),),
    _FIGURES + "rivals",
    text="Searched amounts cost less than balancing by SMOTE in {count} comparisons (data sets, "
    "ratios)",
    effect="relative saving",
)
def _searched_beats_default(baselines):
    methods = ("wrapper-auroc", "default")
    frame = rival_costs(baselines, methods=methods)
    return saving(frame["wrapper-auroc"], frame["default"]).to_frame()


# Cost curves: section 4.3.2.

_SMALLER_AREA = (
    "The area below the lower envelope is smaller in {count} comparisons (data sets, learners, "
    "pairs of methods)"
)


@counted(
    "For PCF(+) below 0.5 the lower envelope of MetaCost or CSC has a smaller area than "
    "that of wrapper-f or wrapper-AUROC",
    SOME,
    *_FIGURE_8,
    of=some_cases,
    text=_SMALLER_AREA,
    effect="largest relative saving",
)
def _cost_sensitive_win_below(main):
    areas = envelope_areas(main, 0.0, 0.5)
    return pairs(areas, COST_SENSITIVE, FREE)


@counted(
    "For PCF(+) above 0.5 the lower envelopes of wrapper-f and wrapper-AUROC have smaller "
    "areas than those of MetaCost and CSC",
    GENERALLY,
    *_FIGURE_8,
    text=_SMALLER_AREA,
    effect="relative saving",
)
def _wrappers_win_above(main):
    areas = envelope_areas(main, 0.5, 1.0)
    return pairs(areas, FREE, COST_SENSITIVE)


@counted(
    "Over all PCF(+) the least area below a lower envelope is that of wrapper-f or "
    "wrapper-AUROC, not that of MetaCost or CSC",
    GENERALLY,
    *_FIGURE_8,
    text="The least area below a lower envelope is a wrapper's in {count} cases (data sets, "
    "learners)",
    effect="relative saving",
)
def _wrapper_has_least_area(main):
    areas = envelope_areas(main)
    least = saving(
        areas[list(FREE)].min(axis="columns"), areas[list(COST_SENSITIVE)].min(axis="columns")
    )
    return least.to_frame()


@rule(
    "Averaged over data sets and learners, the area below the lower envelope of wrapper-AUROC "
    "is smaller than that of wrapper-f, or larger by no more than 2 % of it (areas are small "
    "numbers, of which 0.02 would be much)",
    AsGoodAs(0.02),
    *_FIGURE_8,
)
def _auroc_is_as_good(main):
    less = pairs(envelope_areas(main), ("wrapper-auroc",), ("wrapper-f",))
    return Measured(
        mean_effect("relative saving", by_set(less)),
        "Area below the lower envelope of wrapper-AUROC against that of wrapper-f",
    )


def _one_learner(learner: str, best: str, other: str, words: str, shown: str) -> Rule:
    """A rule that one cost-sensitive classifier has the smaller areas with a learner."""
    text = "The area below the lower envelope is smaller on {count} data sets"
    needs, looks = (Need("main", (learner,)),), {"text": text, "effect": "relative saving"}
    rule_of = counted(words, GENERALLY, needs, _FIGURES + shown, **looks)
    return rule_of(lambda main: pairs(envelope_areas(main), (best,), (other,)))


def _link_with_instability(frame, saved: str = "saving_cut") -> Effect:
    """Rank correlations over the learners of a data set, the mean over data sets."""
    within = {
        dataset: rank_correlation(group["disagreement"], group[saved])
        for dataset, group in frame.groupby(level="dataset")
    }
    # where nothing varies there is no link
    return mean_effect("mean rank correlation", pd.Series(within).fillna(0.0), digits=2)


@rule(
    "Over five learners on the same data set, MetaCost saves more of the learner's own cost "
    "at p* the more its bagged models disagree",
    Exceeds(0.3),
    (Need("stability"),),
    _FIGURES + "metacost_stability",
)
def _metacost_needs_instability(results):
    return Measured(
        _link_with_instability(stability(results)),
        "Over five learners on a data set, what MetaCost saves of the cost at p* with how often "
        "its bagged models disagree",
    )


# A threshold at p*: section 6 and Appendix A.


def _cutting_saves(main, *, ratios):
    return cases(
        cut_saving(main, ratios),
        "With C4.5, a threshold at p* costs less in {count} comparisons (data sets, searches, "
        "ratios)",
        "relative saving",
    )


@rule(
    "What a threshold at p* saves, as a share of the cost, rises with the cost ratio from 2:1 to "
    "20:1",
    Exceeds(0.3),
    *_TABLE_A1,
)
def _cutting_saves_more_at_high_ratios(main):
    saved = cut_saving(main, COST_RATIOS)
    ratios = pd.Series(COST_RATIOS)
    links = {
        scheme: saved.xs(scheme, axis="columns", level=1)
        .round(12)
        .apply(lambda row: rank_correlation(row, ratios), axis="columns")
        .fillna(0.0)
        for scheme in FREE
    }
    return Measured(
        mean_effect("mean rank correlation", by_set(pd.concat(links, axis="columns")), digits=2),
        "Relative saving by a threshold at p* with the cost ratio, within data sets and searches",
    )


@counted(
    "At 2:1 and 5:1 it costs more if it is thresholded at p*",
    SOME,
    *_TABLE_A1,
    of=some_cases,
    text="With C4.5, a threshold at p* costs more in {count} comparisons at 2:1 and 5:1 (data "
    "sets, searches)",
    effect="largest relative excess",
)
def _cutting_costs_at_low_ratios(main):
    return -cut_saving(main, (2, 5))


# Numbers of the text, and what cannot be run here.


@rule(
    "The share of Mammography's majority class, counted in the data with all of its 11,183 "
    "rows, rounds to the printed 97.68 %",
    MATCHES,
    shown=_FIGURES + "table1_datasets",
)
def _trivial_accuracy():
    facts = datasets.describe().set_index("name").loc["mammography"]
    accuracy = 100 * (1 - facts["positives"] / facts["n"])
    # printed to two decimals: half of the last digit is two standard errors
    return Numbers([Number("accuracy of the majority class, %", accuracy, 97.68, sd=0.0025)])


def _printed_speedup(results):
    mean = published_table("Table 4").astype(float).drop("Average").mean()
    ratios = {
        label: mean[f"SEQ_{name}"] / mean[f"DIST_{name}"]
        for name, label in (("C45", "C4.5"), ("Ripper", "RIPPER"))
    }
    printed = " and ".join(f"{ratio:.1f} ({label})" for label, ratio in ratios.items())
    return f"the means of Table 4's columns give {printed}"


def _our_seconds(results):
    seconds = _seconds(results["timing"].of_protocol().complete(BOTH))
    if seconds.empty:
        return ""
    mean = seconds.mean()
    return (
        f"measured here, one fold of wrapper-AUROC in turn takes {mean['c45']:.2f} s (C4.5) and "
        f"{mean['ripper']:.2f} s (RIPPER) on average"
    )


def _on_the_small_file(results):
    kdd = results["kdd"].of_protocol()
    best = kdd.complete(BOTH).rows.groupby("method", observed=True)["cost"].min()
    if best.empty:
        return ""
    ours = ", ".join(f"{kdd.labels[method]} {cost:.4f}" for method, cost in best.items())
    return f"from the 10 % file the least cost per test example is {ours}"


_KDD = NotTestable(
    "only the 10 % file is available here, of whose normal rows nearly all occur once and are "
    "removed, so that costs are not comparable with Table 6",
    _on_the_small_file,
    _FIGURES + "table6_kdd",
)


#: The results of section 4.3.1, which are claimed of either learner.
_LOSE_AT_2 = (
    "At 2:1 MetaCost and CSC cost less than each of the four wrappers",
    GENERALLY,
    COST_SENSITIVE,
    WRAPPERS,
    (2,),
)
_WIN_AT_HIGH_RATIOS = (
    "At 10:1 and 20:1 each of the four wrappers costs less than MetaCost and than CSC",
    GENERALLY,
    WRAPPERS,
    COST_SENSITIVE,
    HIGH,
)
_OFTEN_WIN_WITHOUT_COSTS = (
    "At 10:1 and 20:1 wrapper-AUROC and wrapper-f cost less than MetaCost and than CSC, which "
    "are trained with the costs",
    OFTEN,
    FREE,
    COST_SENSITIVE,
    HIGH,
)
_BEATS_OTHER_WRAPPERS = _cheaper(
    "At 2:1 to 20:1 wrapper-AUROC and wrapper-f cost less than wrapper-cost and than wrapper-β",
    GENERALLY,
    FREE,
    COSTED,
    COST_RATIOS,
)

RULES = {
    "sampling_wrapper-01": _cheaper(
        "At 2:1 to 20:1 wrapper-AUROC, the recommended wrapper, costs less than MetaCost and "
        "than CSC",
        GENERALLY,
        ("wrapper-auroc",),
        COST_SENSITIVE,
        COST_RATIOS,
    ),
    "sampling_wrapper-02": _KDD,
    "sampling_wrapper-03": NotTestable("a remark about fraud in general, without data"),
    "sampling_wrapper-04": _region_grows,
    "sampling_wrapper-05": ByConstruction(_PROTOCOL + "test_protocol_of_the_paper"),
    "sampling_wrapper-06": ByConstruction(_SEARCH + "test_any_scores_as_in_the_figures"),
    "sampling_wrapper-07": ByConstruction(_SEARCH + "test_look_ahead"),
    "sampling_wrapper-08": ByConstruction(_CLAIMS + "test_as_beta_falls_precision_matters_less"),
    "sampling_wrapper-09": ByConstruction(_CLAIMS + "test_an_auroc_of_a_half_is_the_diagonal"),
    "sampling_wrapper-10": NotTestable(
        "about the seconds of a pool of machines that is not available here", _printed_speedup
    ),
    "sampling_wrapper-11": ByConstruction(
        _COSTS + "test_matrix.py::test_cheapest_of_two_is_the_threshold"
    ),
    # a number about a data set, counted: no run decides it
    "sampling_wrapper-12": _trivial_accuracy,
    "sampling_wrapper-13": _sampling_helps,
    "sampling_wrapper-14": _ripper_gains_more,
    "sampling_wrapper-15": _auroc_rises,
    "sampling_wrapper-16": Both(_f_rises_elsewhere, _f_falls_on_two),
    "sampling_wrapper-17": Both(_f_falls_on_mammography, _falls_as_far_as_published),
    "sampling_wrapper-18": _f_criterion_has_no_advantage,
    "sampling_wrapper-19": _auroc_gives_better_f,
    "sampling_wrapper-20": Both(_auroc_is_steadier, _auroc_generalises),
    "sampling_wrapper-21": Both(
        Rule(
            "On the same fold, with the same learner, wrapper-f and wrapper-AUROC choose "
            "different amounts of SMOTE or undersampling",
            GENERALLY,
            partial(_amounts_differ, across="setting"),
            *_TABLE_2,
        ),
        Rule(
            "On the same fold, by the same criterion, C4.5 and RIPPER get different amounts of "
            "SMOTE or undersampling",
            GENERALLY,
            partial(_amounts_differ, across="method"),
            *_TABLE_2,
        ),
    ),
    "sampling_wrapper-22": _estate_is_sampled_most,
    "sampling_wrapper-23": _base_is_cheapest,
    "sampling_wrapper-24": NotTestable(
        "seconds of a pool of machines of 2008 that is not available here",
        _our_seconds,
        _FIGURES + "table4_time",
    ),
    "sampling_wrapper-25": Both(_ripper_is_faster, _ripper_samples_less),
    "sampling_wrapper-26": Rule(
        "Over the data sets, the measured seconds of wrapper-AUROC rise with the number of "
        "minority examples",
        Exceeds(0.3),
        _seconds_follow_positives,
        (Need("timing", BOTH, sets=3),),
        _FIGURES + "table4_time",
    ),
    "sampling_wrapper-27": _cheaper(
        "At 100:1, the most skewed costs of the paper, training by rejection sampling costs less "
        "on test rows than training with weights, which count a row as many times as it costs",
        GENERALLY,
        ("csc",),
        ("weighting",),
        (max(RATIOS),),
        shown="cost_by_ratio_c45",
    ),
    "sampling_wrapper-28": _cheaper(*_LOSE_AT_2),
    "sampling_wrapper-29": _cheaper(*_WIN_AT_HIGH_RATIOS),
    "sampling_wrapper-30": _cheaper(*_OFTEN_WIN_WITHOUT_COSTS),
    "sampling_wrapper-31": Both(
        *(
            _cheaper(f"{words}, with {label}", *rest, (learner,), f"{figure}_costs_{learner}")
            for learner, label, figure in (("c45", "C4.5", "fig6"), ("ripper", "RIPPER", "fig7"))
            for words, *rest in (_LOSE_AT_2, _WIN_AT_HIGH_RATIOS, _OFTEN_WIN_WITHOUT_COSTS)
        )
    ),
    "sampling_wrapper-32": Both(
        _cheaper(
            "At 2:1 to 20:1 wrapper-AUROC and wrapper-f cost less than the base at p*",
            GENERALLY,
            FREE,
            ("base",),
            COST_RATIOS,
        ),
        _BEATS_OTHER_WRAPPERS,
    ),
    "sampling_wrapper-33": _better_estimates,
    "sampling_wrapper-34": _c45_is_cheaper,
    "sampling_wrapper-35": _cheaper(
        "At 5:1, 10:1 and 20:1 the four wrappers, MetaCost and CSC cost less than the base at p*",
        ALWAYS,
        (*WRAPPERS, *COST_SENSITIVE),
        ("base",),
        _ABOVE_2,
    ),
    # the paper's explanation of another paper's result; that searched amounts cost less is not
    "sampling_wrapper-36": _searched_beats_default,
    "sampling_wrapper-37": ByConstruction(_PROTOCOL + "test_protocol_of_the_paper"),
    "sampling_wrapper-38": ByConstruction(_PROTOCOL + "test_protocol_of_the_paper"),
    "sampling_wrapper-39": ByConstruction(
        _COSTS + "test_curves.py::test_expected_cost_is_the_curve_scaled"
    ),
    "sampling_wrapper-40": Both(_cost_sensitive_win_below, _wrappers_win_above),
    "sampling_wrapper-41": _wrapper_has_least_area,
    "sampling_wrapper-42": _auroc_is_as_good,
    "sampling_wrapper-43": Both(
        _one_learner(
            "c45",
            *COST_SENSITIVE,
            "With C4.5 the area below the lower envelope of MetaCost is smaller than that of CSC",
            "fig8_curves_c45",
        ),
        _one_learner(
            "ripper",
            *COST_SENSITIVE[::-1],
            "With RIPPER the area below the lower envelope of CSC is smaller than that of MetaCost",
            "fig9_curves_ripper",
        ),
    ),
    "sampling_wrapper-44": _metacost_needs_instability,
    "sampling_wrapper-45": _KDD,
    "sampling_wrapper-46": _KDD,
    "sampling_wrapper-47": Both(
        Rule(
            "At 2:1 to 20:1, C4.5 in wrapper-f and wrapper-AUROC costs less if it is thresholded "
            "at p* than if it is not",
            GENERALLY,
            partial(_cutting_saves, ratios=COST_RATIOS),
            *_TABLE_A1,
        ),
        _cutting_saves_more_at_high_ratios,
    ),
    "sampling_wrapper-48": _BEATS_OTHER_WRAPPERS,
    "sampling_wrapper-49": Both(
        Rule(
            "At 10:1 and 20:1, C4.5 in wrapper-f and wrapper-AUROC costs less if it is "
            "thresholded at p*",
            GENERALLY,
            partial(_cutting_saves, ratios=HIGH),
            *_TABLE_A1,
        ),
        _cutting_costs_at_low_ratios,
    ),
}


# Why claims were not reproduced, but for headline claims, of which their readings tell. Most of
# these compare costs. A factor is a cost over that of MetaCost and that of CSC, each in turn: the
# geometric mean over cost ratios, learners and data sets, with a bootstrap interval of 95 % over
# data sets. Seven data sets are few for that, and the intervals rather too short.

_ERROR = "the paper's error"
#: The searches without costs at the amounts of Tables 2 and 3.
_AT_PRINTED = tuple(f"{scheme},published" for scheme in FREE)


class _Compared(NamedTuple):
    """How often something is lower than what it is compared with, and by which factor."""

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
    mean = np.log(factors).mean(axis=1).groupby(level="dataset").mean()
    held = int((factors < 1).to_numpy().sum())
    return _Compared(held, factors.size, tuple(np.exp(bootstrap_interval(mean))))


def _over(ours, schemes, theirs) -> pd.DataFrame:
    """Schemes of a frame over MetaCost and CSC of another, each in turn."""
    return pd.concat(
        [ours[one] / theirs[other] for one in schemes for other in COST_SENSITIVE], axis=1
    )


def _against_cost_sensitive(ours, schemes, theirs, ratios, learners=BOTH) -> _Compared:
    """Costs of schemes of some rows over those of MetaCost and CSC in the same folds."""
    parts = [_over(costs(ours, ratio), schemes, costs(theirs, ratio)) for ratio in ratios]
    return _compared(pd.concat(parts, axis=1).loc[list(learners)])


def _as_stated(results, schemes, ratios, learners=BOTH) -> _Compared:
    """By the printed rule."""
    return _against_cost_sensitive(results["main"], schemes, results["main"], ratios, learners)


def _at_printed(results, schemes, ratios, learners=BOTH) -> _Compared:
    """At the printed amounts of undersampling and SMOTE."""
    first = _first_run(results)
    return _against_cost_sensitive(results["levels"], schemes, first, ratios, learners)


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
        f"own criterion is at {grid}, the search by the rule at {search.factor[0]:.2f}. The "
        "printed rule seems to stop too early; without it the wrappers are not shown to differ.",
    )


def _by_cost(results, method: str) -> _Compared:
    """C4.5 at amounts chosen by the cost of error rates, stepwise or from a grid."""
    rows, first = results["rivals"].rows, _first_run(results)
    parts = []
    for ratio in HIGH:
        chosen = rows[(rows["method"] == method) & (rows["setting"] == f"rates={ratio}")]
        cost = (chosen["fp"] + ratio * chosen["fn"]).groupby(chosen["dataset"]).sum()
        theirs = costs(first, ratio).loc["c45"]
        parts += [cost / theirs[other] for other in COST_SENSITIVE]
    return _compared(pd.concat(parts, axis=1).rename_axis("dataset"))


def _without_costs(results):
    stated, printed = _as_stated(results, FREE, HIGH), _at_printed(results, _AT_PRINTED, HIGH)
    return Finding(
        _ERROR,
        f"By the printed rule wrapper-f and wrapper-AUROC cost {stated} times as much as MetaCost "
        f"and CSC at 10:1 and 20:1. At the printed amounts of SMOTE the factor is {printed} and "
        f"they are cheaper in {printed.held} of {printed.cases} comparisons, where half are "
        "needed. So the claim rests on amounts that the printed rule does not find (claim 01), "
        "and the saving at these is not significant.",
    )


def _both_learners(results):
    stated = [_as_stated(results, WRAPPERS, HIGH, [m]) for m in BOTH]
    high, low = (
        [_at_printed(results, _AT_PRINTED, ratios, [m]) for m in BOTH] for ratios in (HIGH, (2,))
    )
    dearer = " and ".join(str(part.cases - part.held) for part in low)
    return Finding(
        _ERROR,
        "The learners agree, as the paper says, but both against it: at 10:1 and 20:1 the four "
        f"wrappers cost {stated[0]} times as much as MetaCost and CSC with C4.5, {stated[1]} with "
        "RIPPER. At the printed amounts of SMOTE, which the printed rule does not find (claim "
        f"01), those without costs are cheaper there in {high[0].held} and {high[1].held} of "
        f"{high[0].cases} comparisons (half are needed), and at 2:1 not cheaper in {dearer} of "
        f"{low[0].cases} (three quarters are needed).",
    )


def _areas_at_high_pcf(results):
    def above(part):
        return envelope_areas(part, 0.5, 1.0)

    main = above(results["main"])
    stated = _compared(_over(main, FREE, main))
    printed = _compared(_over(above(results["levels"]), _AT_PRINTED, above(_first_run(results))))
    return Finding(
        _ERROR,
        f"For PCF(+) above 0.5 the areas of the two wrappers by the printed rule are {stated} "
        f"times those of MetaCost and CSC. At the printed amounts of SMOTE, which that rule does "
        f"not find (claim 01), they are {printed} times as large, and smaller in {printed.held} "
        f"of {printed.cases} comparisons (three quarters are needed). With more SMOTE the "
        "disadvantage disappears, but no advantage is shown.",
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
    links = pd.concat([pd.DataFrame({"rise": rise[s], "change": change[s]}) for s in FREE])
    link = rank_correlation(links["rise"], links["change"])
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


def _one_fall_is_small(results):
    needs = (*MAMMOGRAPHY_C45, Need("distinct", ("c45",)))
    fall, once = (_fall_on_mammography(need.of(results)) for need in needs)
    return Finding(
        "noise",
        f"With C4.5 there is a {fall}, which neither excludes the published 0.025 nor shows any "
        "fall. Between folds F varies far more: the paper prints standard deviations of 0.101 "
        "(base) and 0.058 (wrapper-AUROC). With each of Mammography's repeated rows once there is "
        f"a {once}. One data set of 260 positives is too small to show a difference of 0.025.",
    )


def _ripper_is_slower(results):
    timing, main = results["timing"], results["main"]
    fits = timing.rows.groupby("method", observed=True)["n_fits"].mean()
    per_model = 1000 * _seconds(timing).mean() / fits
    printed = published_table("Table 4").astype(float).drop("Average")
    faster = int((printed["SEQ_Ripper"] < printed["SEQ_C45"]).sum())
    auroc = means(main, "auroc")["base"].groupby(level="method").mean()
    return Finding(
        _ERROR,
        f"One inner model takes {per_model['ripper']:.0f} ms with RIPPER and "
        f"{per_model['c45']:.0f} ms with C4.5 in the implementations here, and searches take "
        f"{fits['ripper']:.0f} and {fits['c45']:.0f} of them. The paper's programs were others, "
        f"but in its own Table 4, too, RIPPER is the faster in turn on {faster} of {len(printed)} "
        "data sets only, though on average. By the printed rule RIPPER gets more SMOTE, not less: "
        f"its base has a mean AUROC of {auroc['ripper']:.2f} against {auroc['c45']:.2f}, which "
        "leaves more room for the required gain of 5 %.",
    )


#: Data sets of which Table 4 has another name.
_IN_TABLE_4 = {"estate": "Estate", "mammography": "Mammography"}


def _few_sets_for_seconds(results):
    facts = datasets.describe().set_index("name")["positives"]
    printed = published_table("Table 4").astype(float)[["SEQ_C45", "SEQ_Ripper"]]
    names = {name: label_of(name) for name in results["timing"].datasets}
    names |= {name: label for name, label in _IN_TABLE_4.items() if name in names}
    theirs = np.log(printed.loc[list(names.values())]).mean(axis="columns")
    link = correlation_effect("rank correlation", facts.reindex(list(names)), theirs)
    ours = _seconds_follow_positives(results["timing"]).effect
    return Finding(
        "noise",
        f"The sign is the paper's ({ours}), but {len(names)} data sets are too few for an interval "
        f"above 0. The published seconds of the same data sets give no more: {link} (geometric "
        "mean of both learners, in turn).",
    )


def _few_sets_for_instability(results):
    frame = stability(results["stability"])
    without = _link_with_instability(frame.drop(index="naive-bayes", level="method"))
    uncut = _link_with_instability(frame, "saving")
    return Finding(
        "noise",
        "The correlation has the sign of the claim, but its interval over seven data sets contains "
        f"0: {_link_with_instability(frame)}. MetaCost loses most with Naive Bayes, whose bagged "
        f"models disagree on some data sets; without it (looked at afterwards): {without}. "
        "Compared with the learner's own cost without a threshold, and not at p* as in section "
        f"4.3.1, the sign is the opposite: {uncut}. So the link depends on five learners and on "
        "what the cost is compared with.",
    )


INVESTIGATIONS = {
    "sampling_wrapper-17": _one_fall_is_small,
    "sampling_wrapper-25": _ripper_is_slower,
    "sampling_wrapper-26": _few_sets_for_seconds,
    "sampling_wrapper-29": _high_ratios,
    "sampling_wrapper-30": _without_costs,
    "sampling_wrapper-31": _both_learners,
    "sampling_wrapper-33": _estimates,
    "sampling_wrapper-40": _areas_at_high_pcf,
    "sampling_wrapper-44": _few_sets_for_instability,
}
