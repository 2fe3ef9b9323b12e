"""The tables and figures of RLSD on public data. A figure comes with the data that it plots."""

import numpy as np
import pandas as pd

from minority_reports.experiments import Results
from minority_reports.papers.rlsd.figures import SHADES
from minority_reports.papers.rlsd.protocol import BUDGETS, GRID, f_measure
from minority_reports.papers.rlsd.public_protocol import INSPECTED, PUBLIC_PAIRS
from minority_reports.papers.rlsd.tables import (
    costs_frame,
    published_grid,
    published_table,
    simulated_grids,
)
from minority_reports.report import Bullets, Table, show
from minority_reports.report.style import (
    COLOURS,
    canvas,
    empty_figure,
    legend_below,
    look,
)

#: What the pairs are called.
PAIRS_IN_WORDS = {"creditcard": "creditcard by day", "protein_homo": "protein_homo by half"}
#: The columns of Table 3 in the tables, and whether they are shares.
COLUMNS = {
    "n_rules": ("rules", False),
    "train_recall": ("training recall, %", True),
    "recall": ("test recall, %", True),
    "precision": ("test precision, %", True),
    "best_recall": ("test recall, %", True),
    "best_precision": ("test precision, %", True),
}
#: Measures of an inspection in the tables.
BUDGET_TITLES = {"ap": "AP"} | {m: f"recall at {share:.1%}" for m, share in BUDGETS.items()}
#: Of the steps on real rare events, RLSD as published and with the estimator's defaults.
_STEPS = {"as-published": "RLSD, as published", "joined": "RLSD, defaults"}
_STROKES = {
    "rlsd": "-",
    "rlsd-defaults": ":",
    "ripper": "--",
    "c4.5": "--",
    "c4.5-cost": ":",
    "boosting": "--",
    "boosting-balanced": ":",
}


def pair_grids(public: Results) -> dict[str, pd.DataFrame]:
    """Table 3 on each public pair that is complete."""
    return dict(zip(public.complete(["rlsd"]).datasets, simulated_grids(public), strict=True))


def public_table(public: Results, *, best_rule: bool = False) -> Table:
    """Table 3 on the public pairs beside the published one: all selected rules or the best."""
    chosen = list(COLUMNS)[4:] if best_rule else list(COLUMNS)[:4]
    published = published_grid()
    found = published_table("Table 3").index
    published[[setting not in found for setting in GRID]] = np.nan
    grids = {"published": published}
    grids |= {PAIRS_IN_WORDS[name]: grid for name, grid in pair_grids(public).items()}
    columns = {}
    for source, grid in grids.items():
        for column in chosen:
            title, is_share = COLUMNS[column]
            columns[source, title] = grid[column] * (100 if is_share else 1)
    frame = pd.DataFrame(columns)
    frame.index = [f"{recall:g}, {precision:g}" for recall, precision in GRID.values()]
    text = "the rule with the highest F on the test part" if best_rule else "all selected rules"
    caption = (
        f"Table 3 on public data, {text}, beside the published means over the law-enforcement "
        "data, which is other data: the shape can be compared, the numbers cannot. Least "
        "precisions are at the same ratio of odds to those of all training examples."
        f"{_gaps(public)}"
    )
    return show(frame.rename_axis("minimum recall, precision"), caption=caption, digits=2)


def _gaps(results: Results) -> str:
    """How complete results are, said only if they are not."""
    return "" if len(results.rows) == results.planned else f" Computed: {results.coverage()}."


def rlsd_curve(least_recall: float) -> str:
    """What the curve of RLSD with a minimum recall is called."""
    return f"RLSD, minimum recall {least_recall:g}"


def public_curves(public: Results, cut: Results) -> pd.DataFrame:
    """Recall, precision and F on the test part of each public pair, point by point.

    RLSD over the minimum precisions, a `curve` for each minimum recall; baselines on an
    undersampled majority over the shares that are kept, means over draws. Points where nothing is
    flagged have F 0.
    """
    parts = [pd.DataFrame(columns=["dataset", "curve", "point", "recall", "precision"])]
    for name, grid in pair_grids(public).items():
        points = grid[["recall", "precision"]].reset_index()
        points.insert(0, "curve", points.pop("min_recall").map(rlsd_curve))
        points = points.rename(columns={"min_precision": "point"})
        parts.append(points.assign(point=points["point"].map("{:g}".format), dataset=name))
    means = cut.complete().rows.groupby(["dataset", "method", "setting"], sort=False)
    points = means[["recall", "precision"]].mean().reset_index()
    points = points.rename(columns={"method": "curve", "setting": "point"})
    parts.append(points.assign(curve=points["curve"].map(cut.labels)))
    frame = pd.concat(parts[1:] or parts)[list(parts[0])].reset_index(drop=True)
    return frame.assign(f=f_measure(frame["recall"], frame["precision"].fillna(0)))


def shape(public: Results):
    """The columns of Table 3 against the minimum precision: as published, and on public pairs."""
    grids = {"published": published_grid()}
    grids |= {PAIRS_IN_WORDS[name]: grid for name, grid in pair_grids(public).items()}
    chosen = list(COLUMNS)[:4]
    figure, panels = canvas(len(chosen), len(grids), shape=0.6, lines=3, sharex=True, squeeze=False)
    rows = []
    for column_panels, (source, grid) in zip(panels.T, grids.items(), strict=True):
        for axes, column in zip(column_panels, chosen, strict=True):
            title, is_share = COLUMNS[column]
            for least, colour in SHADES.items():
                line = grid.loc[least, column] * (100 if is_share else 1)
                axes.plot(line.index, line, "o-", color=colour, label=f"{least:g}", markersize=4)
                rows += [(source, title, least, at, value) for at, value in line.items()]
            axes.set_ylim(bottom=0)
            if axes in panels[:, 0]:
                axes.set_ylabel(title)
        column_panels[0].set_title(source)
        column_panels[-1].set_xlabel("minimum precision\nin Table 3")
    figure.align_ylabels()
    legend_below(figure, panels[0, -1], title="minimum recall")
    names = ["source", "column", "minimum recall", "minimum precision", "value"]
    data = pd.DataFrame(rows, columns=names)
    data.attrs["caption"] = (
        "The columns of Table 3 against the minimum precision, a line for each minimum recall: as "
        "published, and on two public pairs, whose minimum precisions are at the same ratio of "
        "odds."
    )
    return figure, data


def precision_recall(public: Results, cut: Results):
    """Figure 1 on public pairs: RLSD over its minima, baselines on an undersampled majority."""
    data = public_curves(public, cut)
    data.attrs["caption"] = (
        "Precision against recall of all selected rules on the test part of two public pairs: RLSD "
        "over the minima of Table 3, C4.5 and RIPPER on an undersampled majority (means over five "
        "draws)."
    )
    names = list(dict.fromkeys(data["dataset"]))
    if not names:
        return empty_figure(), data
    figure, panels = canvas(1, len(names), shape=0.85, lines=3, squeeze=False)
    looks = {rlsd_curve(least): (colour, "o-") for least, colour in SHADES.items()} | {
        label: (look(method)["color"], look(method)["marker"] + "--")
        for method, label in cut.labels.items()
    }
    counts = public.class_counts()
    for axes, name in zip(panels[0], names, strict=True):
        part = data[data["dataset"] == name]
        for label, (colour, mark) in looks.items():
            points = part[(part["curve"] == label) & (part["recall"] > 0)]
            axes.plot(points["recall"], points["precision"], mark, color=colour, label=label)
        share = counts.loc[name, "positives"] / counts.loc[name].sum()
        axes.axhline(share, color=COLOURS["grey"], linestyle=":", label="random selection")
        axes.set(xlabel="recall", xlim=(-0.02, 1.02), yscale="log")
        axes.set_title(PAIRS_IN_WORDS[name])
    panels[0, 0].set_ylabel("precision")
    legend_below(figure, panels[0, -1])
    return figure, data


def costs_on_pairs(costs: Results) -> Table:
    """C4.5's rules with costs at the same ratio to negatives per positive, on each public pair."""
    rows = costs.complete().rows.set_index(["dataset", "setting"])
    frame = costs_frame(rows)
    frame.index = [f"{PAIRS_IN_WORDS[name]}, {setting}" for name, setting in frame.index]
    caption = (
        "C4.5's rules in place of C5.0 with costs on public pairs, at the same ratio of cost to "
        "negatives per positive. In the paper, recall is 0 at cost 100 and 1 at cost 400."
        f"{_gaps(costs)}"
    )
    return show(frame.rename_axis("pair, cost of a miss"), caption=caption, digits=2)


def inspection_table(inspection: Results) -> Table:
    """Ranking and recall within three budgets on the public pairs, by method."""
    part = inspection.complete()
    if part.rows.empty:
        return show(pd.DataFrame(), caption=f"Inspection on public pairs.{_gaps(inspection)}")
    means = part.rows.pivot_table(index="method", columns="dataset", values=list(BUDGET_TITLES))
    means = means.reindex(index=[m for m in part.experiment.methods if m in means.index])
    order = [(m, name) for name in part.datasets for m in BUDGET_TITLES]
    frame = means[order].rename(index=part.labels)
    frame.columns = pd.MultiIndex.from_tuples(
        [(PAIRS_IN_WORDS.get(name, name), BUDGET_TITLES[m]) for m, name in order]
    )
    caption = (
        "Inspection on public pairs: average precision, and the share of the positives of the "
        "test part that are among the 0.5, 1 and 2 % with the highest scores; bold is the best."
        f"{_gaps(inspection)}"
    )
    bold = frame == frame.max()
    return show(frame.rename_axis("method"), bold=bold, caption=caption)


def inspection_in_words(inspection: Results) -> Bullets:
    """Who finds most within each budget on the public pairs, and where RLSD stands."""
    part = inspection.complete()
    sentences = []
    for name in part.datasets:
        found = part.rows_of(dataset=name).set_index("method")[list(BUDGET_TITLES)]
        best = "; ".join(
            f"{BUDGET_TITLES[measure]} {part.labels[found[measure].idxmax()]}, "
            f"{found[measure].max():.3f}"
            for measure in BUDGET_TITLES
        )
        ranks = found.rank(ascending=False, method="min").astype(int)
        ours = "; ".join(
            f"{part.labels[method]} has ranks {', '.join(map(str, ranks.loc[method]))}"
            for method in found.index
            if method.startswith("rlsd")
        )
        sentences.append(
            f"{PAIRS_IN_WORDS[name]}: best of {len(found)} are, by {best}. In this order {ours}."
        )
    return Bullets(sentences or ["No public pair has all rows of the inspection."])


def real_inspection_table(inspection: Results, steps: Results) -> Table:
    """The same on real rare events: means over data sets, and the two that are large.

    Means are over the sets that all methods have complete; a large one has a gap where a method has
    not.
    """
    labels = _STEPS | inspection.labels
    rows = pd.concat([steps.complete().rows, inspection.complete().rows])
    rows = rows[rows["method"].isin(list(labels))]
    means = rows.groupby(["dataset", "method"], sort=False)[list(BUDGET_TITLES)].mean()
    n_methods = means.groupby(level="dataset").size()
    shared = n_methods.index[n_methods == len(labels)]
    if means.empty:
        return show(pd.DataFrame(), caption="Inspection of real rare events: no rows are complete.")
    parts = {f"mean of {len(shared)} sets": means[means.index.isin(shared, level="dataset")]}
    parts |= {
        text: means[means.index.get_level_values("dataset") == name]
        for name, text in {"creditcard": "creditcard", "kddcup99_10": "u2r of KDD-99"}.items()
    }
    columns = {source: part.groupby(level="method").mean() for source, part in parts.items()}
    frame = pd.concat(columns, axis="columns").reindex(list(labels)).rename(index=labels)
    frame = frame.rename(columns=BUDGET_TITLES, level=1)
    caption = (
        "Inspection of real rare events: means over the splits of the section before, and over the "
        f"{len(shared)} data sets that all methods have complete; bold is the best. RLSD's minima "
        f"are not chosen here.{_gaps(inspection)}"
    )
    return show(frame.rename_axis("method"), bold=frame == frame.max(), caption=caption)


def inspection_curves(inspection: Results):
    """Recall against the share that is inspected, on the public pairs."""
    part = inspection.complete()
    names = [name for name in PUBLIC_PAIRS if name in part.datasets]
    if not names:
        return empty_figure(), _captioned([])
    figure, panels = canvas(1, len(names), shape=0.85, lines=3, sharey=True, squeeze=False)
    shares = dict(sorted(INSPECTED.items(), key=lambda pair: pair[1]))
    rows = []
    for axes, name in zip(panels[0], names, strict=True):
        for method, stroke in _STROKES.items():
            found = part.rows_of(dataset=name, method=method)[list(shares)].mean()
            label = part.labels[method]
            at = np.array(list(shares.values()))
            axes.plot(100 * at, 100 * found, stroke, ms=4, label=label, **look(method))
            rows += [(name, label, *pair) for pair in zip(at, found, strict=True)]
        axes.plot(100 * at, 100 * at, color=COLOURS["grey"], linestyle=":", label="random order")
        axes.set(xlabel="rows inspected, %", xscale="log", ylim=(0, 102))
        axes.set_xticks(100 * at, labels=[f"{100 * share:g}" for share in at])
        axes.minorticks_off()
        axes.set_title(PAIRS_IN_WORDS[name])
    panels[0, 0].set_ylabel("positives found, %")
    legend_below(figure, panels[0, -1])
    return figure, _captioned(rows)


def _captioned(rows):
    data = pd.DataFrame(rows, columns=["pair", "method", "share inspected", "recall"])
    data.attrs["caption"] = (
        "Positives found against the share of the test part that is inspected, highest scores "
        "first, on two public pairs."
    )
    return data
