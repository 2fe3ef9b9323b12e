"""Claims that are judged by the experiments around the main one, and those about KDD Cup 1999."""

from minority import datasets
from minority.papers.sampling_wrapper._cost_claims import PAIRS, by_checks, generally, is_whole
from minority.papers.sampling_wrapper._numbers import rank_correlation
from minority.papers.sampling_wrapper._study_tables import rival_costs, stability
from minority.papers.sampling_wrapper._tables import mean_seconds
from minority.report import NOT_TESTABLE, OPEN, Verdict, share


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
    change = (more["smote"] - more["base"]).dropna()
    if not (is_whole(smote) and is_whole(main)):
        return Verdict(OPEN, f"SMOTE has {smote.coverage()}, the base {main.coverage()}")
    return share(
        int((change > 0).sum()),
        len(change),
        "sets where C4.5 with 500 % SMOTE calls more test rows positive than without",
    )


def _seconds_of(results):
    seconds = mean_seconds(results["timing"])
    if not is_whole(results["timing"]) or set(PAIRS["method"]) - set(seconds):
        return None
    return seconds


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
        name: {m: rank_correlation(seconds[m], facts[column]) for m in PAIRS["method"]}
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
    frame = rival_costs(results["rivals"])
    if not is_whole(results["rivals"]):
        return Verdict(OPEN, f"the comparison has {results['rivals'].coverage()}")
    return generally(
        int((frame["wrapper-auroc"] < frame["default"]).sum()),
        len(frame),
        "sets and ratios 2 to 20 where searched levels cost less than balancing by SMOTE, both cut "
        f"at p*; on average {(frame['wrapper-auroc'] / frame['default']).mean():.2f} of its cost",
    )


def _metacost_needs_instability(results):
    part = results["stability"]
    if not is_whole(part):
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
        rows = results["kdd"].rows
        best = rows.groupby("method")["cost"].min()
        ours = ", ".join(
            f"{results['kdd'].experiment.methods[m].label} {c:.4f}" for m, c in best.items()
        )
        return Verdict(
            NOT_TESTABLE,
            f"{what}; only the 10 % file is here, of whose normal rows nearly all occur once and "
            f"are removed. Least cost per example from it: {ours or 'no rows yet'}",
        )

    return rule


RULES = {
    "sampling_wrapper-02": _on_kdd("0.2049 and 0.2051 are the lowest of Table 6"),
    "sampling_wrapper-04": _region_grows,
    "sampling_wrapper-25": _ripper_is_faster,
    "sampling_wrapper-26": _time_follows_positives,
    "sampling_wrapper-36": _searched_beats_default,
    "sampling_wrapper-44": _metacost_needs_instability,
    "sampling_wrapper-45": _on_kdd("holds in Table 6"),
    "sampling_wrapper-46": _on_kdd("holds in Table 6"),
}
