"""How the claims of Boosting-SVM are judged, and why some were not reproduced.

The data from health care is not public: claims about it are not testable, and stand-ins for it
count nowhere. Where the paper speaks of its twelve data sets (the abstract and section 6), ours are
the nine public ones; claims about methods in general (sections 1 to 5 and 7) are judged on ten more
sets, too, wherever these were run. As in the paper, boosting schemes train on 70 % of the rows and
the other methods on 90 %, unless a rule says otherwise. Measures are in per cent: one point is the
smallest difference that counts, and two points are the region in which nothing is said to differ.
"""

from functools import partial

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.boosting_svm.numbers import (
    published_share,
    sd_of_means,
    sd_of_shares,
)
from minority_reports.papers.boosting_svm.protocol import SHARES, STAND_INS
from minority_reports.papers.boosting_svm.studies import support_study
from minority_reports.papers.boosting_svm.tables import (
    COLUMNS,
    DOMAINS,
    FURTHER_COLUMNS,
    LABELS,
    by_fold,
    complete_means,
    disparity,
    fold_scores,
    number,
    pooled_scores,
    scores,
    step_means,
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
    NoDifferent,
    NotTestable,
    Number,
    Numbers,
    Rule,
    mean_effect,
    rule,
    split_effect,
)
from minority_reports.report.tables import facts
from minority_reports.statistics import bootstrap_interval, corrected_interval

_PROTOCOL = "tests/minority_reports/papers/test_boosting_svm_protocol.py::"
_SVM = "tests/minority/ensembles/test_boosting_svm.py::"
#: With fewer complete data sets, more than half of the public ones, nothing is judged.
_ENOUGH = 5
#: The G-mean of guessing both classes equally often.
_GUESSING = 50
_HEART = "heart_cleveland1"

#: The smallest difference that counts.
_ONE_POINT = Exceeds(1.0)
#: The published lead on Heart.
_HEART_LEAD = Exceeds(float(number("Heart margin over every classifier").strip(">points ")))
#: Said of numbers over all data sets of the paper beside ours over the public ones.
_OVER_OTHERS = (
    f"over the paper's public data sets are those published for its {DOMAINS}, of which "
    f"{len(STAND_INS)} are not public; the standard error is that over data sets"
)
_PUBLISHED_BEST = number("domains where B-SVM is best")
#: The best method on the two data sets where B-SVM is not, as published.
_WINNERS = {"glass7": "I", "segment": "IV"}

_ALL = COLUMNS | FURTHER_COLUMNS
_LABELS = LABELS | {name: name for name in ("B-SVM", "SVM", "copies")}
_OTHERS = [column for column in COLUMNS if column != "B-SVM"]
_NAMES = {
    "IV": "DataBoost-IM (IV)",
    "V": "undersampling with an SVM (V)",
    "VI": "SMOTE with an SVM (VI)",
    "VII": "the asymmetric-cost SVM (VII)",
    "B-SVM": "B-SVM",
    "SVM": "the SVM without costs",
    "copies": "the SVM on copies of the positives",
}
_ON_PUBLIC = "On the paper's public data sets"
_ON_ALL = "On the paper's public data sets and ten more"


def _methods(*columns: str) -> tuple[str, ...]:
    return tuple(method for column in columns for method in _ALL[column])


def _public(*columns: str, **narrower) -> tuple[Need, ...]:
    return (Need("main", _methods(*columns), **{"sets": _ENOUGH} | narrower),)


def _all_sets(*columns: str) -> tuple[Need, ...]:
    return (*_public(*columns), Need("more", _methods(*columns), sets=_ENOUGH))


def _means(parts, *columns: str, measure="g_mean", setting=SHARES[0]) -> pd.DataFrame:
    """Means over folds in per cent, data sets x columns, of one experiment or several."""
    chosen = {column: _ALL[column] for column in columns}
    return pd.concat([scores(part, measure, setting, chosen) for part in parts]).round(9)


def _points(name: str, values) -> Effect:
    return mean_effect(f"{name}, in points", values, digits=2)


def _higher(first: str, second: str, criterion=GENERALLY, *, on=_ON_ALL, shown="") -> Rule:
    """That one method has a higher G-mean than another."""

    def measure(*parts):
        table = _means(parts, first, second)
        gaps = table[first] - table[second]
        return Cases(
            gaps > 0,
            f"On {{count}} data sets {_NAMES[first]} has the higher G-mean",
            _points(f"{_LABELS[first]} minus {_LABELS[second]}", gaps),
        )

    needs = _all_sets if on == _ON_ALL else _public
    words = f"{on}, {_NAMES[first]} has a higher mean G-mean than {_NAMES[second]}"
    return Rule(words, criterion, measure, needs(first, second), shown)


def _leads(table: pd.DataFrame) -> pd.Series:
    """G-mean of B-SVM minus that of the best of the eight others, on each data set."""
    return table["B-SVM"] - table[_OTHERS].max(axis=1)


def _falls(part: Results, column: str) -> pd.Series:
    """How far G-mean falls from training to test, in points, by fold."""
    test, sensitivity, specificity = (
        fold_scores(part, measure, columns={column: _ALL[column]})[column]
        for measure in ("g_mean", "train_sensitivity", "train_specificity")
    )
    return (np.sqrt(sensitivity * specificity) - test).round(9)


def _mean_falls(parts, column: str) -> pd.Series:
    falls = pd.concat([_falls(part, column) for part in parts])
    return falls.groupby(level="dataset", sort=False).mean()


# 01 and 29: both classes


@rule(
    f"{_ON_PUBLIC}, B-SVM has both a higher sensitivity and a higher specificity than the "
    "asymmetric-cost SVM (VII) that it boosts",
    GENERALLY,
    _public("B-SVM", "VII"),
    "boosting_svm_table5_sensitivity_svm",
)
def _both_classes(part):
    sensitivity, specificity = (
        _means([part], "B-SVM", "VII", measure=measure)
        for measure in ("sensitivity", "specificity")
    )
    gains = pd.DataFrame(
        {
            "sensitivity": sensitivity["B-SVM"] - sensitivity["VII"],
            "specificity": specificity["B-SVM"] - specificity["VII"],
        }
    ).round(9)
    means = " and ".join(f"{gain:+.2f} points of {name}" for name, gain in gains.mean().items())
    return Cases(
        (gains > 0).all(axis=1),
        f"Both are higher than those of VII on {{count}} data sets, {means} on average",
        _points("mean of the two gains", gains.mean(axis=1)),
    )


@rule(
    f"{_ON_PUBLIC}, the G-mean of B-SVM falls less from training to test than that of the "
    "asymmetric-cost SVM (VII)",
    GENERALLY,
    _public("B-SVM", "VII"),
)
def _smaller_falls(part):
    boosted, single = (_mean_falls([part], column) for column in ("B-SVM", "VII"))
    return Cases(
        boosted < single,
        "G-mean falls less from training to test for B-SVM than for VII on {count} data sets, by "
        f"{boosted.mean():.2f} and {single.mean():.2f} points on average",
        _points("fall of VII minus that of B-SVM", single - boosted),
    )


# 02: imbalance


def _loses_less(other: str, label: str) -> Rule:
    def measure(part):
        means = 100 * complete_means(part, "g_mean").loc[part.datasets]
        full, few = (
            means.xs(f"kept={share}%", axis="columns", level=1)[["svm", other]]
            for share in (100, 10)
        )
        fails = full < _GUESSING
        lost = (1 - few / full).where(~fails, 1.0).round(9)
        return Cases(
            lost["svm"] < lost[other],
            f"The SVM loses less than {label} on {{count}} data sets ({lost['svm'].mean():.0%} and "
            f"{lost[other].mean():.0%} on average; with all positives the SVM fails on "
            f"{fails['svm'].sum()} and {label} on {fails[other].sum()})",
            mean_effect(f"share of G-mean lost, {label} minus SVM", lost[other] - lost["svm"]),
        )

    return Rule(
        f"The SVM loses a smaller share of its G-mean than {label} if training keeps a tenth of "
        "the positives; a learner below the G-mean of guessing (50 %) with all positives fails on "
        "the imbalance of the data set itself and has lost everything",
        GENERALLY,
        measure,
        (Need("imbalance", ("svm", "c4.5", "network"), sets=_ENOUGH),),
        "boosting_svm_imbalance",
    )


# 03 and 16: rounds and steps

_STEPS = Need("steps", ("b-svm",), sets=_ENOUGH)


def _steps(part, *measures: str) -> list[pd.DataFrame]:
    """Measures in per cent, data sets x steps."""
    return [100 * step_means(part, measure).loc[part.datasets] for measure in measures]


@rule(
    "All rounds of Boosting-SVM together have a higher G-mean in the test than its first "
    "machine (cases are public data sets and four fixed steps)",
    GENERALLY,
    (_STEPS,),
    "boosting_svm_steps",
)
def _raised(part):
    first, last = _steps(part, "first_g_mean", "last_g_mean")
    gains = (last - first).round(9)
    return Cases(
        (gains > 0).to_numpy().ravel(),
        "All rounds together are above the first machine in {count} cases",
        _points("G-mean, all rounds minus the first machine", gains.mean(axis=1)),
    )


@rule(
    "The difference between G-mean in training and in the test is not larger after all "
    "rounds than after the first (cases are public data sets and four fixed steps)",
    OFTEN,
    (_STEPS,),
    "boosting_svm_steps",
)
def _without_overfitting(part):
    first, last, first_train, last_train = _steps(
        part, "first_g_mean", "last_g_mean", "first_train_g_mean", "last_train_g_mean"
    )
    growth = ((last_train - last) - (first_train - first)).round(9)
    return Cases(
        (growth <= 0).to_numpy().ravel(),
        "The gap between training and test G-mean does not grow in {count} cases",
        _points("decrease of the gap", -growth.mean(axis=1)),
    )


@rule(
    f"{_ON_PUBLIC}, AdaBoost with all its rounds (delta = 1) has no "
    "higher G-mean than its first machine",
    GENERALLY,
    (_STEPS,),
    "boosting_svm_steps",
)
def _adaboost_not_viable(part):
    first, last = (frame["delta=1"] for frame in _steps(part, "first_g_mean", "last_g_mean"))
    gains = (last - first).round(9)
    rounds = step_means(part, "n_all_rounds").loc[part.datasets, "delta=1"].mean()
    return Cases(
        gains <= 0,
        f"AdaBoost, which ends after {rounds:.1f} rounds on average, is not above its first "
        "machine on {count} data sets",
        _points("G-mean, first machine minus AdaBoost", -gains),
    )


@rule(
    f"{_ON_PUBLIC}, B-SVM has a higher G-mean than AdaBoost with all its rounds; that "
    "weights are not lowered changes nothing by itself, since they are scaled, so what "
    "differs is delta and the choice of the round",
    GENERALLY,
    (*_public("B-SVM"), _STEPS),
    "boosting_svm_steps",
)
def _weakened_helps(main, steps):
    boosted = _means([main], "B-SVM")["B-SVM"]
    (adaboost,) = _steps(steps, "last_g_mean")
    gaps = (boosted - adaboost["delta=1"]).dropna().round(9)
    return Cases(
        gaps > 0,
        "B-SVM is above AdaBoost on {count} data sets",
        _points("G-mean, B-SVM minus AdaBoost", gaps),
    )


# 06, 08, 09, 12: what costs, and bagging, do


def _clear_falls(parts) -> tuple[np.ndarray, pd.Series]:
    """Whether VII falls from training to test on each data set, corrected for their number."""
    falls = [
        (name, fall, part.experiment.test_share)
        for part in parts
        for name, fall in _falls(part, "VII").groupby(level="dataset", sort=False)
    ]
    confidence = 1 - 0.05 / len(falls)
    lows = [corrected_interval(f, test_share=s, confidence=confidence)[1] for _, f, s in falls]
    return np.array(lows) > 0, pd.Series({name: fall.mean() for name, fall, _ in falls})


@rule(
    f"{_ON_ALL}, the G-mean of the asymmetric-cost SVM (VII) falls from training to test; a data "
    "set counts if the corrected interval, at 5 % over all data sets together, is above 0",
    SOME,
    _all_sets("VII"),
)
def _may_overfit(*parts):
    clear, falls = _clear_falls(parts)
    return Cases(
        clear,
        "On {count} data sets the G-mean in training is clearly above that in the test",
        _points("fall from training to test", falls),
    )


@rule(
    f"{_ON_ALL}, the G-mean of the asymmetric-cost SVM (VII) falls from training to test on "
    "average",
    _ONE_POINT,
    _all_sets("VII"),
)
def _overfits(*parts):
    falls = _mean_falls(parts, "VII")
    return Measured(
        _points("fall of G-mean from training to test", falls),
        f"VII on {len(falls)} data sets",
    )


@rule(
    f"{_ON_ALL}, the asymmetric-cost SVM alone (VII) and with SMOTE (VIII) gain in one of "
    "sensitivity and specificity and lose in the other against the SVM without costs",
    GENERALLY,
    _all_sets("SVM", "VII", "VIII"),
    "boosting_svm_same_rows",
)
def _trade_off(*parts):
    sensitivity, specificity = (
        _means(parts, "SVM", "VII", "VIII", measure=measure)
        for measure in ("sensitivity", "specificity")
    )
    gains, losses = (
        (table[["VII", "VIII"]].sub(table["SVM"], axis=0) * sign).round(9)
        for table, sign in ((sensitivity, 1), (specificity, -1))
    )
    # the smaller of what one gains and the other loses; below 0 if both gain or both lose
    traded = np.maximum(np.minimum(gains, losses), np.minimum(-gains, -losses))
    return Cases(
        (traded > 0).to_numpy().ravel(),
        "One of the two rises and the other falls in {count} cases; on average sensitivity rises "
        f"by {gains.mean(axis=None):.1f} points and specificity falls by "
        f"{losses.mean(axis=None):.1f}",
        _points("traded", traded.mean(axis=1)),
    )


@rule(
    f"{_ON_ALL}, boosting the asymmetric-cost SVM has a higher mean G-mean than bagging it, "
    "both on the same 70 % of the rows",
    GENERALLY,
    _all_sets("B-SVM", "bagged", "VII"),
    "boosting_svm_same_rows",
)
def _boosting_above_bagging(*parts):
    table = _means(parts, "B-SVM", "bagged", "VII", setting=SHARES[1])
    boosted, bagged = (table[column] - table["VII"] for column in ("B-SVM", "bagged"))
    gaps = (boosted - bagged).round(9)
    return Cases(
        gaps > 0,
        f"Boosting gains more on {{count}} data sets; over VII it gains {boosted.mean():+.2f} and "
        f"bagging {bagged.mean():+.2f} points on average",
        _points("G-mean, boosted minus bagged", gaps),
    )


# 10: support vectors


@rule(
    "On the public data sets that come with the project, most of the five support vectors "
    "nearest to the tenth of the test rows at the boundary of an SVM without costs are "
    "negative (first fold)",
    GENERALLY,
)
def _support_vectors():
    study = support_study()
    return Cases(
        study["negative_near"] > 0.5,
        "Most of the nearest support vectors are negative on {count} data sets "
        f"({study['negative_near'].mean():.0%} on average; of all support vectors "
        f"{study['negative'].mean():.0%})",
        mean_effect("share of negatives above one half", study["negative_near"] - 0.5),
    )


# 12, 13 and 14: the ratio of the costs


def _by_ratio(part, norm: str, measure: str) -> pd.DataFrame:
    """A measure in per cent, data sets x ratios of the costs in ascending order."""
    return 100 * complete_means(part, measure).loc[part.datasets, norm]


def _range(frame: pd.DataFrame) -> pd.Series:
    return (frame.max(axis=1) - frame.min(axis=1)).round(9)


def _cost_rule(words: str, criterion, norm: str, name: str, of) -> Rule:
    """What ``of(rates)`` returns for each data set while the costs grow; ``rates(measure)``."""

    def measure(part):
        return Measured(_points(name, of(partial(_by_ratio, part, norm))), f"{norm.upper()} norm")

    return Rule(
        f"{words} as C+/C- grows from a tenth of n-/n+ to ten times that",
        criterion,
        measure,
        (Need("costs", (norm,), sets=_ENOUGH),),
        "boosting_svm_costs",
    )


_BALANCE_STAYS = _cost_rule(
    "With the L1 norm the balance, specificity minus sensitivity in the test, stays where it is",
    NoDifferent(2.0),
    "l1",
    "range of specificity minus sensitivity",
    lambda rates: _range(rates("specificity") - rates("sensitivity")),
)
_COSTS_NULLIFIED = _cost_rule(
    "That the costs bound the multipliers only from above is algebra (unit test "
    "test_costs_are_upper_bounds_only) and is not graded; that their effect is nullified is: with "
    "the L1 norm the sensitivity in training stays where it is",
    NoDifferent(2.0),
    "l1",
    "range of the training sensitivity",
    lambda rates: _range(rates("train_sensitivity")),
)
_L2_SENSITIVITY = _cost_rule(
    "With the L2 norm the sensitivity in the test rises",
    _ONE_POINT,
    "l2",
    "sensitivity at the highest ratio minus at the lowest",
    lambda rates: rates("sensitivity").iloc[:, -1] - rates("sensitivity").iloc[:, 0],
)
_L2_SPECIFICITY = _cost_rule(
    "With the L2 norm the specificity in the test stays where it is",
    NoDifferent(2.0),
    "l2",
    "range of specificity",
    lambda rates: _range(rates("specificity")),
)


# 17: training error


def _training_errors(parts) -> pd.DataFrame:
    """In per cent, on the 70 % that boosting schemes train on."""
    error = _means(parts, "B-SVM", "SVM", measure="train_error", setting=SHARES[1])
    least = _means(parts, "B-SVM", measure="component_error", setting=SHARES[1])
    return error.assign(component=least["B-SVM"])


def _lower_error(against: str, label: str) -> Rule:
    def measure(*parts):
        errors = _training_errors(parts)
        gaps = (errors[against] - errors["B-SVM"]).round(9)
        return Cases(
            gaps > 0,
            f"The ensemble has the lower training error on {{count}} data sets, "
            f"{errors['B-SVM'].mean():.2f} % against {errors[against].mean():.2f} % on average",
            _points(f"training error of {label} minus that of the ensemble", gaps),
        )

    return Rule(
        f"{_ON_ALL}, the ensemble has a lower training error than {label}, both on the same 70 % "
        "of the rows",
        ALWAYS,
        measure,
        _all_sets("B-SVM", "SVM"),
    )


# 18: the levels of SMOTE


def _levels(part) -> dict[str, pd.DataFrame]:
    """G-mean of II, VI and VIII, data sets x levels."""
    return {
        column: scores(part, columns={method: (method,) for method in _ALL[column]})
        for column in ("II", "VI", "VIII")
    }


@rule(
    f"{_ON_PUBLIC}, G-mean of SMOTEBoost (II), SMOTE (VI) and SMOTE with costs (VIII) is "
    "the same at rates of 200 to 500 % (range over the four rates)",
    NoDifferent(2.0),
    _public("II", "VI", "VIII"),
)
def _small_fluctuation(part):
    ranges = pd.DataFrame({column: _range(frame) for column, frame in _levels(part).items()})
    return Measured(
        _points("range of G-mean over the four rates", ranges.mean(axis=1)),
        f"The median over methods and data sets is {np.median(ranges):.1f} points, the largest "
        f"range {ranges.max(axis=None):.1f}",
    )


@rule(
    f"{_ON_PUBLIC}, G-mean of II, VI and VIII neither only rises nor only falls from 200 "
    "to 500 % (cases are data sets and methods)",
    GENERALLY,
    _public("II", "VI", "VIII"),
)
def _unstable_fluctuation(part):
    steps = {column: frame.diff(axis=1).iloc[:, 1:] for column, frame in _levels(part).items()}
    # what G-mean moves up and down in all, without what that brings it forward
    back = pd.DataFrame(
        {c: (s.abs().sum(axis=1) - s.sum(axis=1).abs()).round(9) for c, s in steps.items()}
    )
    return Cases(
        (back > 0).to_numpy().ravel(),
        "G-mean both rises and falls in {count} cases",
        _points("movement to and fro", back.mean(axis=1)),
    )


# 21 to 25: G-means of all methods


def _beside(name: str, values: pd.Series, published: float) -> Number:
    """A mean over our data sets beside one over the paper's; the noise is that over data sets."""
    return Number(name, values.mean(), published, sd_of_means(values), digits=2)


@rule(
    f"{_ON_PUBLIC}, B-SVM has a higher mean G-mean than the best of the eight others",
    _ONE_POINT,
    _public(*COLUMNS),
    "boosting_svm_survivors",
)
def _highest_mean(part):
    table = _means([part], *COLUMNS)
    others = table[_OTHERS].mean()
    best = others.idxmax()
    theirs = number("mean G-mean B-SVM") - number("mean G-mean of the eight others, range")[1]
    return Measured(
        _points(f"B-SVM minus {LABELS[best]}", table["B-SVM"] - table[best]),
        f"Mean G-mean over {len(table)} data sets of B-SVM {table['B-SVM'].mean():.2f}, of the "
        f"others {others.min():.2f} to {others.max():.2f}; lead (published: {theirs:.2f})",
    )


@rule(f"Mean G-means {_OVER_OTHERS}", MATCHES, _public(*COLUMNS), "boosting_svm_survivors")
def _mean_numbers(part):
    table = _means([part], *COLUMNS)
    others = table[_OTHERS].mean()
    low, high = number("mean G-mean of the eight others, range")
    return Numbers(
        [
            _beside("B-SVM", table["B-SVM"], number("mean G-mean B-SVM")),
            _beside("lowest of the others", table[others.idxmin()], low),
            _beside("highest of the others", table[others.idxmax()], high),
        ],
        "Mean G-mean",
    )


@rule(
    f"{_ON_PUBLIC}, B-SVM has the highest mean G-mean of the nine methods",
    GENERALLY,
    _public(*COLUMNS),
    "boosting_svm_survivors",
)
def _best_on_most(part):
    table = _means([part], *COLUMNS)
    leads = _leads(table)
    without = table["B-SVM"] > table[_OTHERS].drop(columns="I").max(axis=1)
    return Cases(
        leads > 0,
        f"B-SVM is best of nine on {{count}} data sets (published: {_PUBLISHED_BEST}); without "
        f"AdaCost, whose first machine is VII and which is close to B-SVM, on {without.sum()}",
        _points("G-mean, B-SVM minus the best of the others", leads),
    )


@rule(
    "AdaCost (I) has the highest mean G-mean of the nine on Glass, DataBoost-IM (IV) on Segment",
    ALWAYS,
    _public(*COLUMNS, datasets=tuple(_WINNERS), sets=len(_WINNERS)),
    "boosting_svm_survivors",
)
def _named_winners(part):
    table = _means([part], *COLUMNS)
    leads = {
        name: table.loc[name, column] - table.loc[name].drop(column).max()
        for name, column in _WINNERS.items()
    }
    best = ", ".join(f"{_LABELS[table.loc[name].idxmax()]} on {name}" for name in _WINNERS)
    return Cases(
        [lead > 0 for lead in leads.values()],
        f"The named method is best on {{count}} data sets; best is {best}",
        _points("G-mean, named method minus the best of the others", leads.values()),
    )


def second_places(table: pd.DataFrame) -> pd.DataFrame:
    """Which methods are second on each data set; all that are level are."""
    table = table.round(9)
    ranks = table.rank(axis=1, ascending=False, method="min")
    return table.where(ranks > 1).rank(axis=1, ascending=False, method="min").eq(1)


def _leading_two(table: pd.DataFrame) -> pd.Series:
    """The better of IV and VII minus the best of the other six, on each data set."""
    return table[["IV", "VII"]].max(axis=1) - table[_OTHERS].drop(columns=["IV", "VII"]).max(axis=1)


@rule(
    f"{_ON_PUBLIC}, DataBoost-IM (IV) or the asymmetric-cost SVM (VII) has the second highest "
    "mean G-mean of the nine methods",
    GENERALLY,
    _public(*COLUMNS),
    "boosting_svm_table3_gmean_svm",
)
def _second_places(part):
    table = _means([part], *COLUMNS)
    second = second_places(table)
    counts = second.sum()
    listed = ", ".join(f"{_LABELS[c]} {n}" for c, n in counts[counts > 0].items())
    return Cases(
        second[["IV", "VII"]].any(axis=1),
        f"DataBoost-IM (IV) or asymmetric cost (VII) is second on {{count}} data sets (second "
        f"places: {listed})",
        _points(
            "G-mean, the better of IV and VII minus the best of the other six", _leading_two(table)
        ),
    )


def _heart_lead(part):
    folds = fold_scores(part)
    best = folds[_OTHERS].mean().idxmax()
    name, gap = f"B-SVM minus {LABELS[best]}, in points", folds["B-SVM"] - folds[best]
    return Measured(
        split_effect(name, gap, part.experiment, digits=2),
        "G-mean on Heart",
    )


def _heart_rule(words: str, criterion) -> Rule:
    needs = _public(*COLUMNS, datasets=(_HEART,), sets=1)
    return Rule(words, criterion, _heart_lead, needs, "boosting_svm_survivors")


@rule(
    "The lead of B-SVM over the best of the eight others is larger on Heart than on each "
    "other public data set",
    ALWAYS,
    (*_public(*COLUMNS, datasets=(_HEART,), sets=1), *_public(*COLUMNS)),
    "boosting_svm_survivors",
)
def _heart_largest(_, part):
    leads = _leads(_means([part], *COLUMNS))
    gaps = leads[_HEART] - leads.drop(_HEART)
    return Cases(
        gaps > 0,
        f"The lead on Heart, {leads[_HEART]:+.2f} points, is larger than on {{count}} other data "
        f"sets; the largest is {leads.max():+.2f} ({leads.idxmax()})",
        _points("lead on Heart minus that on the other sets", gaps),
    )


def _left_out_errors(facts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """By how much a regression misses each value if it is fitted to all others."""
    terms = np.column_stack([np.ones(len(values)), facts])
    hat = terms @ np.linalg.pinv(terms)
    return np.abs(values - hat @ values) / (1 - np.diag(hat))


@rule(
    f"{_ON_ALL}, the number of features and the imbalance ratio (their logarithms) do not "
    "help a linear regression to predict the lead of B-SVM over the best of the others on "
    "a data set that is left out",
    AsGoodAs(2.0),
    _all_sets(*COLUMNS),
    "boosting_svm_more_gmean",
)
def _lead_unexplained(*parts):
    leads = _leads(_means(parts, *COLUMNS))
    traits = np.log(facts(leads.index)[["d", "imbalance"]].to_numpy())
    with_facts, without = (
        _left_out_errors(known, leads.to_numpy()) for known in (traits, traits[:, :0])
    )
    return Measured(
        _points("error with both facts minus error without them", with_facts - without),
        f"Leads on {len(leads)} data sets are missed by {with_facts.mean():.2f} points on average "
        f"with both facts and by {without.mean():.2f} without",
    )


# 26 and 27: sensitivity against specificity


def _gaps(part, *columns: str) -> pd.DataFrame:
    return disparity(part, {column: _ALL[column] for column in columns}).round(9)


def _larger_gap(column: str) -> Rule:
    def measure(part):
        gaps = _gaps(part, column, "B-SVM")
        more = gaps[column] - gaps["B-SVM"]
        return Cases(
            more > 0,
            f"On {{count}} data sets {_NAMES[column]} has the larger difference, "
            f"{gaps[column].mean():.2f} against {gaps['B-SVM'].mean():.2f} points on average",
            _points(f"|specificity - sensitivity|, {_LABELS[column]} minus B-SVM", more),
        )

    return Rule(
        f"{_ON_PUBLIC}, sensitivity and specificity differ more for {_NAMES[column]} than for "
        "B-SVM",
        GENERALLY,
        measure,
        _public(column, "B-SVM"),
        "boosting_svm_table8_disparity",
    )


@rule(
    f"The shares of data sets with a larger difference {_OVER_OTHERS}",
    MATCHES,
    _public("IV", "VII", "B-SVM"),
    "boosting_svm_table8_disparity",
)
def _larger_gap_shares(part):
    gaps = _gaps(part, "IV", "VII", "B-SVM")
    shares = []
    for column, text in number("domains with larger gap than B-SVM").items():
        theirs = published_share(text)
        sd = sd_of_shares(theirs, len(gaps))
        ours = (gaps[column] > gaps["B-SVM"]).mean()
        shares.append(Number(LABELS[column], ours, theirs, sd, digits=2))
    return Numbers(shares, "Share of data sets with a larger difference than B-SVM's")


@rule(
    f"The mean differences {_OVER_OTHERS}",
    MATCHES,
    _public("IV", "VII", "B-SVM"),
    "boosting_svm_table8_disparity",
)
def _gap_means(part):
    gaps = _gaps(part, "IV", "VII", "B-SVM")
    theirs = number("mean |spec-sens| IV, VII, B-SVM")
    return Numbers(
        [_beside(_LABELS[c], gaps[c], value) for c, value in zip(gaps, theirs, strict=True)],
        "Mean |specificity - sensitivity| in points",
    )


RULES = {
    "boosting_svm-01": _both_classes,
    "boosting_svm-02": Both(_loses_less("c4.5", "C4.5"), _loses_less("network", "the network")),
    "boosting_svm-03": Both(_raised, _without_overfitting),
    # copies: with SMOTE, oversampling is the next sentence's
    "boosting_svm-04": _higher("V", "copies", OFTEN, shown="boosting_svm_same_rows"),
    "boosting_svm-05": _higher("VI", "copies", shown="boosting_svm_same_rows"),
    "boosting_svm-06": Both(
        _higher("VII", "SVM", shown="boosting_svm_same_rows"),
        _may_overfit,
    ),
    "boosting_svm-07": ByConstruction(_PROTOCOL + "test_class_measures"),
    "boosting_svm-08": _trade_off,
    "boosting_svm-09": _boosting_above_bagging,
    # analytic in the paper, but whether positives or negatives are near is a fact about data
    "boosting_svm-10": _support_vectors,
    "boosting_svm-11": ByConstruction(_SVM + "test_costs_make_up_for_the_sizes_of_the_classes"),
    "boosting_svm-12": Both(_BALANCE_STAYS, _overfits),
    # analytic in the paper; that the effect is nullified says something measurable
    "boosting_svm-13": _COSTS_NULLIFIED,
    "boosting_svm-14": Both(_L2_SENSITIVITY, _L2_SPECIFICITY),
    "boosting_svm-15": ByConstruction(_SVM + "test_weights_follow_algorithm_1"),
    "boosting_svm-16": Both(_adaboost_not_viable, _weakened_helps),
    # the machine of the first round is VII itself, so the single linear classifier is another one
    "boosting_svm-17": Both(
        _lower_error("component", "the best of its components"),
        _lower_error("SVM", "a single SVM without costs"),
    ),
    # a setting in the paper, but how far results move is measured
    "boosting_svm-18": Both(_small_fluctuation, _unstable_fluctuation),
    "boosting_svm-19": ByConstruction(_PROTOCOL + "test_settings_that_the_paper_states"),
    "boosting_svm-20": NotTestable(
        "the health data is not public; the printed counts of both classes add up to the printed "
        "numbers of rows",
        shown="boosting_svm_table1_datasets",
    ),
    "boosting_svm-21": Both(_highest_mean, _mean_numbers),
    "boosting_svm-22": Both(_best_on_most, _named_winners),
    "boosting_svm-23": _second_places,
    "boosting_svm-24": Both(
        _heart_rule(
            "On Heart, B-SVM has a higher G-mean than the best of the eight others, by more than "
            "the published 5 points; Lupus is not public",
            _HEART_LEAD,
        ),
        _heart_largest,
    ),
    "boosting_svm-25": Both(
        _heart_rule(
            "On Heart, with few features and a moderate imbalance, B-SVM has a higher G-mean than "
            "the best of the eight others; without a gain there is nothing to explain",
            _ONE_POINT,
        ),
        _lead_unexplained,
    ),
    "boosting_svm-26": Both(_larger_gap("IV"), _larger_gap("VII")),
    "boosting_svm-27": Both(_larger_gap_shares, _gap_means),
    "boosting_svm-28": _higher(
        "B-SVM", "VII", ALWAYS, on=_ON_PUBLIC, shown="boosting_svm_table3_gmean_svm"
    ),
    "boosting_svm-29": Both(_both_classes, _smaller_falls),
    # "the SVM" may be the one without costs or the one that is boosted: both have to be improved
    "boosting_svm-30": Both(
        _higher("B-SVM", "SVM", shown="boosting_svm_rivals_public"),
        _higher("B-SVM", "VII", shown="boosting_svm_rivals_public"),
    ),
}

# Why some were not reproduced

#: I, II and IV boost what the paper calls "the same component classifier for all methods".
_BOOSTED = ("I", "II", "IV")
_DRAWS = 10_000


def _part(results, *columns: str, **narrower) -> Results:
    """What a rule about these columns sees on the paper's public data sets."""
    (need,) = _public(*columns, **narrower)
    return need.of(results)


def _interval(values) -> str:
    mean, low, high = values
    return f"{mean:+.2f} points (95 % interval {low:+.2f} to {high:+.2f})"


def _mean_lead(table: pd.DataFrame) -> float:
    """Mean of B-SVM minus the highest mean of another method."""
    means = table[list(COLUMNS)].mean()
    return means["B-SVM"] - means[_OTHERS].max()


def _why_no_clear_fall(results):
    parts = [need.of(results) for need in _all_sets("VII")]
    clear, falls = _clear_falls(parts)
    mean, low, high = bootstrap_interval(falls)
    return Finding(
        "noise",
        f"The G-mean of the asymmetric-cost SVM falls from training to test on {(falls > 0).sum()} "
        f"of {len(falls)} data sets and by {mean:+.2f} points on average (95 % interval "
        f"{low:+.2f} to {high:+.2f}), so it does overfit over the data sets together. On a single "
        f"one ten folds are too few to show it: after correction for {len(falls)} data sets the "
        f"interval is above 0 on {clear.sum()}; the largest mean fall is {falls.max():.1f} points "
        f"({falls.idxmax()}).",
    )


def _why_not_raised(results):
    part = _STEPS.of(results)
    first, last, chosen = _steps(part, "first_g_mean", "last_g_mean", "g_mean")
    all_rounds, by_validation = (last - first).mean(), (chosen - first).mean()
    return Finding(
        "unexplained",
        "The claim is cited from studies of boosting in general. Here all rounds change the "
        f"G-mean of the first machine by {all_rounds['delta=1']:+.2f} points on average with "
        f"AdaBoost's step and by {all_rounds['delta=0.1']:+.2f} with the smallest; with the round "
        f"that validation chooses, by {by_validation['delta=1']:+.2f} and "
        f"{by_validation['delta=0.1']:+.2f}. A linear SVM with costs is already a strong learner, "
        "with which AdaBoost is not viable by the paper's own section 5.",
    )


def _ratio_moves(results, norm: str) -> dict[str, float]:
    """Mean ranges over the ratios of the costs, in points."""
    part = Need("costs", (norm,)).of(results)
    measures = ("sensitivity", "specificity", "train_sensitivity")
    return {measure: _range(_by_ratio(part, norm, measure)).mean() for measure in measures}


def _why_costs_act(results):
    trained = _by_ratio(Need("costs", ("l1",)).of(results), "l1", "train_sensitivity")
    moves, ranges = _ratio_moves(results, "l1"), _range(trained)
    least = ranges.idxmin()
    return Finding(
        "the paper's error",
        "That costs bound the multipliers from above matters only where no multiplier is at its "
        "bound. Positives on the wrong side of the margin are at it, and a higher cost raises "
        f"them: from the lowest to the highest cost training sensitivity goes from "
        f"{trained.iloc[:, 0].mean():.0f} to {trained.iloc[:, -1].mean():.0f} % on average, test "
        f"sensitivity moves by {moves['sensitivity']:.0f} points and specificity by "
        f"{moves['specificity']:.0f}. Least moves on {least} ({ranges[least]:.1f} points of "
        f"training sensitivity), where the lowest cost has {trained.loc[least].iloc[0]:.0f} % "
        "already. That both classes keep an equal influence does not keep the boundary in place.",
    )


def _why_specificity_moves(results):
    part = Need("costs", ("l2",)).of(results)
    sensitivity, specificity = (_by_ratio(part, "l2", m) for m in ("sensitivity", "specificity"))
    equal = np.sqrt(sensitivity["ratio=1"] * specificity["ratio=1"])
    separable, ranges = equal > 90, _range(specificity)
    moves = {norm: _ratio_moves(results, norm) for norm in ("l1", "l2")}
    return Finding(
        "data",
        f"With the L2 norm sensitivity moves by {moves['l2']['sensitivity']:.1f} points and "
        f"specificity by {moves['l2']['specificity']:.1f}, with L1 by "
        f"{moves['l1']['sensitivity']:.1f} and {moves['l1']['specificity']:.1f}: the norm makes no "
        "difference. How much specificity moves depends on the data: where the costs n-/n+ give a "
        f"G-mean above 90 % ({separable.sum()} data sets) by {ranges[separable].mean():.1f} "
        f"points, elsewhere by {ranges[~separable].mean():.1f}. The experiments that the paper "
        "cites were on other data, and the range of their costs is not stated.",
    )


def _why_higher_error(results):
    columns = ("B-SVM", "VII", "SVM")
    parts = [need.of(results) for need in _all_sets(*columns)]
    errors = _training_errors(parts)
    vii = _means(parts, "VII", measure="train_error", setting=SHARES[1])["VII"]
    return Finding(
        "the paper's error",
        f"Training errors on {len(errors)} data sets are {errors['B-SVM'].mean():.2f} % for the "
        f"vote, {errors['component'].mean():.2f} % for its best component, {vii.mean():.2f} % for "
        f"the asymmetric-cost SVM and {errors['SVM'].mean():.2f} % for the SVM without costs. The "
        f"vote is below the asymmetric-cost SVM on {(errors['B-SVM'] < vii).sum()} of them. Costs "
        "trade errors on many negatives for few positives, and the round is chosen by G-mean on "
        "validation rows, so nothing minimises the error; a weighted vote need not err less than "
        "its best component either.",
    )


def _why_rates_matter(results):
    ranges = {c: _range(f).mean() for c, f in _levels(_part(results, "II", "VI", "VIII")).items()}
    part = _part(results, "II, asymmetric")
    by_level = {method: (method,) for method in _ALL["II, asymmetric"]}
    with_costs = _range(scores(part, columns=by_level)).mean()
    return Finding(
        "unstated setting",
        "The mean range over the four rates is "
        f"{ranges['II']:.1f} points for SMOTEBoost and {ranges['VI']:.1f} for SMOTE, both on an "
        f"SVM without costs, but {ranges['VIII']:.1f} for SMOTE with costs; SMOTEBoost on the "
        f"asymmetric-cost SVM has {with_costs:.1f} ({len(part.datasets)} data sets). Without "
        "costs the rate decides how balanced training is, with costs it does not. Which SVM is "
        "meant by the same component classifier for all methods is not stated.",
    )


def _leading_places(table: pd.DataFrame) -> tuple[float, str, int]:
    """IV's mean rank; second places of IV and VII; sets where one of them leads the other six."""
    second = second_places(table).sum()
    rank = table.rank(axis=1, ascending=False)["IV"].mean()
    first = int((_leading_two(table).round(9) >= 0).sum())
    return rank, f"{second[['IV', 'VII']].sum()} of {second.sum()}", first


def _redrawn_seconds(part) -> tuple[float, float]:
    """How often IV and VII have some second place, and most, if folds are drawn anew."""
    folds = fold_scores(part)
    rng = np.random.default_rng(0)
    held, places = 0, 0
    for _, drawn_from in folds.groupby(level="dataset", sort=False):
        drawn = rng.integers(len(drawn_from), size=(_DRAWS, len(drawn_from)))
        means = drawn_from.to_numpy()[drawn].mean(axis=1).round(9)
        below = np.where(means < means.max(axis=1, keepdims=True), means, -1)
        second = below == below.max(axis=1, keepdims=True)
        held = held + second[:, folds.columns.isin(["IV", "VII"])].sum(axis=1)
        places = places + second.sum(axis=1)
    return float((held > 0).mean()), float((2 * held > places).mean())


def _why_second_places(results):
    other_reading = {c: f"{c}, asymmetric" for c in _BOOSTED}
    part = _part(results, *COLUMNS, *other_reading.values())
    table = _means([part], *COLUMNS, *other_reading.values())
    rank, places, first = _leading_places(table[list(COLUMNS)])
    asymmetric = table.assign(**{c: table[name] for c, name in other_reading.items()})
    other_rank, other_places, other_first = _leading_places(asymmetric[list(COLUMNS)])
    some, most = _redrawn_seconds(_part(results, *COLUMNS))
    return Finding(
        "unstated setting",
        f"IV boosts an SVM without costs here and has a mean rank of {rank:.1f} of {len(COLUMNS)} "
        f"on the {len(table)} public sets with both versions; on the asymmetric-cost SVM, which "
        f'"the same component classifier for all methods" may mean as well, {other_rank:.1f}. IV '
        f"and VII then have {other_places} second places instead of {places}, and one of them is "
        f"the best method besides B-SVM on {other_first} sets instead of {first}. With folds drawn "
        f"anew they have some second place in {100 * some:.0f} % of {_DRAWS:,} draws and most of "
        f"them in {100 * most:.0f} %: chance alone is no explanation. The component, which the "
        "paper leaves open, explains IV's place, but not the whole claim.",
    )


def _why_heart(results):
    part = _part(results, *COLUMNS, datasets=(_HEART,), sets=1)
    folds = fold_scores(part)
    leads = folds[_OTHERS].rsub(folds["B-SVM"], axis=0)
    best = leads.mean().idxmin()
    intervals = {
        c: corrected_interval(leads[c], test_share=part.experiment.test_share) for c in leads
    }
    claimed = _HEART_LEAD.least
    within = sum(low < claimed < high for _, low, high in intervals.values())
    positives = sum(by_fold(part, measure)["b-svm"] for measure in ("tp", "fn"))
    missed = int((folds["B-SVM"] == 0).sum())
    return Finding(
        "noise",
        f"Over {len(folds)} folds, each with {positives.min():.0f} or {positives.max():.0f} of "
        f"{positives.sum():.0f} positives, B-SVM minus the best other method ({LABELS[best]}) is "
        f"{_interval(intervals[best])}; the intervals against {within} of {len(intervals)} methods "
        f"contain a lead of {claimed:.0f}. In {missed} of the folds B-SVM finds no positive, which "
        "counts as 0; with the counts of all folds pooled its lead is "
        f"{_mean_lead(pooled_scores(part)):+.2f}. Which of UCI's heart sets was taken is not known "
        "either (Table 1 is lost; here Cleveland, class 1). So few positives can neither show nor "
        f"rule out {claimed:.0f} points.",
    )


INVESTIGATIONS = {
    "boosting_svm-03": _why_not_raised,
    "boosting_svm-06": _why_no_clear_fall,
    "boosting_svm-12": _why_costs_act,
    "boosting_svm-13": _why_costs_act,
    "boosting_svm-14": _why_specificity_moves,
    "boosting_svm-17": _why_higher_error,
    "boosting_svm-18": _why_rates_matter,
    "boosting_svm-23": _why_second_places,
    "boosting_svm-24": _why_heart,
    "boosting_svm-25": _why_heart,
}
