"""The figures of the showdown. Each function returns a figure and the data that it plots."""

import warnings
from collections.abc import Mapping
from itertools import pairwise, product

import numpy as np
import pandas as pd

from minority_reports.datasets import Dataset
from minority_reports.experiments import Results, Task
from minority_reports.papers.showdown.own import entrant_rows, parse_configuration, standings
from minority_reports.papers.showdown.protocol import METRICS, Entrant, model_scores, sample_rows
from minority_reports.papers.showdown.tables import (
    basis,
    count,
    higher_is_better,
    mean_ranks,
    scores,
    trade_off,
)
from minority_reports.report import critical_difference
from minority_reports.report.style import (
    BLUE,
    COLOURS,
    GREEN,
    ORANGE,
    blank,
    canvas,
    empty_figure,
    is_narrow,
    legend_below,
    look,
)
from minority_reports.report.tables import facts
from minority_reports.statistics import holm

#: Characteristics of data sets and how they are called.
_TRAITS = {"imbalance": "imbalance ratio", "n": "rows", "d": "features"}
#: With fewer data sets a correlation says nothing.
_ENOUGH_SETS = 6


def _losing_to_winning():
    """From one side over white to the other, safe for colour-blind readers."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("sides", [ORANGE, "#FFFFFF", BLUE])


def plain_log(axes, values):
    """A logarithmic axis with numbers as people write them."""
    from matplotlib.ticker import LogLocator, NullLocator

    is_wide = max(values) > 30 * min(values)
    axes.set_xscale("log")
    marks = ((1,) if is_narrow() else (1, 3)) if is_wide else (1, 2, 5)
    axes.xaxis.set_major_locator(LogLocator(subs=marks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")


def _write_cells(axes, image, texts, *, size: float | str = "small", bold=None):
    """A text in every cell of an image, white on dark colours."""
    values = np.ma.masked_invalid(image.get_array())
    red, green, blue, _ = np.moveaxis(image.to_rgba(values), -1, 0)
    is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
    for (i, j), text in np.ndenumerate(np.asarray(texts, dtype=object)):
        axes.text(
            j,
            i,
            text,
            ha="center",
            va="center",
            fontsize=size,
            color="white" if is_dark[i, j] and not values.mask[i, j] else "black",
            weight="bold" if bold is not None and bold[i, j] else "normal",
        )
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def rank_diagram(results: Mapping[str, Results], setting: str, metric: str = "g_mean"):
    """Mean ranks over data sets, with bars over contestants that do not differ.

    The caption is among the attributes of the data.
    """
    values = higher_is_better(scores(results, setting, metric), metric)
    title = f"Mean ranks in {METRICS[metric]}, {setting}"
    figure, data = critical_difference(values, title=title)
    data.attrs.setdefault("caption", "Nothing to rank.")
    return figure, data


def ranks_heatmap(results: Mapping[str, Results]):
    """Mean ranks of all contestants in all metrics, for every setting that has rows."""
    tables, frames = {}, []
    for setting in results:
        by_metric = {metric: scores(results, setting, metric) for metric in METRICS}
        if by_metric["g_mean"].empty or by_metric["g_mean"].shape[1] < 2:
            continue
        ranks = {metric: mean_ranks(values, metric) for metric, values in by_metric.items()}
        tables[setting] = pd.DataFrame(ranks).rename_axis("contestant")
        long = tables[setting].melt(var_name="metric", value_name="mean rank", ignore_index=False)
        sizes = {metric: len(values) for metric, values in by_metric.items()}
        frames.append(
            long.reset_index().assign(setting=setting, sets=long["metric"].map(sizes).values)
        )
    if not tables:
        columns = ["contestant", "metric", "mean rank", "setting", "sets"]
        text = "Ranks need two methods and a data set on which both have a fold."
        return empty_figure(text), pd.DataFrame(columns=columns)
    order = next(iter(tables.values()))["g_mean"].sort_values(kind="stable").index
    stacked = len(tables) if is_narrow() else 1
    figure, panels = canvas(
        stacked,
        len(tables) // stacked,
        shape=0.1,
        lines=stacked * (5 + 1.3 * len(order)),
        sharey=True,
        squeeze=False,
    )
    for axes, (setting, table) in zip(panels.flat, tables.items(), strict=True):
        table = table.reindex(order)
        ranked = table.notna().sum()
        # of fewer contestants a rank is worth less: those with probabilities have Brier's score
        relative = (table - 1) / (ranked - 1)
        image = axes.imshow(relative, cmap="Blues_r", vmin=-0.1, vmax=1, aspect="auto")
        texts = table.map(lambda rank: "–" if np.isnan(rank) else f"{rank:.1f}")
        best = table.round(9).eq(table.round(9).min()).to_numpy()
        _write_cells(axes, image, texts, bold=best)
        labels = [
            text + (f" (of {ranked[metric]})" if ranked[metric] < ranked.max() else "")
            for metric, text in METRICS.items()
        ]
        axes.set_xticks(range(len(METRICS)), labels, rotation=40, ha="left", rotation_mode="anchor")
        axes.set_yticks(range(len(order)), order)
        axes.xaxis.tick_top()
        sets = basis(results, setting).partition(" on which")[0]
        axes.set_xlabel(f"{setting}, {sets}, {ranked.max()} methods")
    return figure, pd.concat(frames, ignore_index=True)


def wins_matrix(results: Mapping[str, Results], setting: str, metric: str = "g_mean"):
    """On how many data sets the contestant of a row is better than that of a column.

    Ties and losses are in the data, and so is what has no room in a narrow picture.
    """
    values = higher_is_better(scores(results, setting, metric), metric).round(12)
    order = mean_ranks(values, "").sort_values(kind="stable").index
    data = pd.DataFrame(
        [
            (row, column, (gaps > 0).sum(), (gaps == 0).sum(), (gaps < 0).sum())
            for row in order
            for column in order
            for gaps in [values[row] - values[column]]
            if row != column
        ],
        columns=["contestant", "against", "wins", "ties", "losses"],
    )
    if values.empty or data.empty:
        text = "Wins need two methods and a data set on which both have a fold."
        return empty_figure(text), data.iloc[:0]
    lead = pd.DataFrame(np.nan, index=order, columns=order)
    texts = pd.DataFrame("", index=order, columns=order)
    for who, other, wins, _, losses in data.itertuples(index=False):
        lead.loc[who, other] = wins - losses
        texts.loc[who, other] = f"{wins}"
    figure, axes = canvas(shape=0.3, lines=1.2 * len(order))
    image = axes.imshow(
        lead, cmap=_losing_to_winning(), vmin=-len(values), vmax=len(values), aspect="auto"
    )
    _write_cells(axes, image, texts.map(lambda _: "") if is_narrow() else texts, size=6.5)
    axes.set_xticks(range(len(order)), order, rotation=60, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), order)
    axes.xaxis.tick_top()
    axes.set_xlabel(
        f"data sets of {len(values)} on which the row has\nthe better {METRICS[metric]} ({setting})"
    )
    return figure, data


def landscape_figure(results: Mapping[str, Results], setting: str, metric: str = "g_mean"):
    """Who is ahead on which data sets: advantage over the mean of all, by traits of the sets.

    On the left rank correlations of the advantage with every trait, on the right for each trait
    the contestants with the highest and the lowest one.
    """
    values = higher_is_better(scores(results, setting, metric), metric)
    traits = facts(values.index)[list(_TRAITS)].dropna()
    advantage = values.sub(values.mean(axis=1), axis=0).loc[traits.index]
    data = advantage.melt(var_name="contestant", value_name="advantage", ignore_index=False)
    data = data.join(traits).rename_axis("dataset").reset_index()
    if len(traits) < _ENOUGH_SETS or advantage.shape[1] < 2:
        text = (
            f"Trends need two methods and {_ENOUGH_SETS} registered data sets with folds that "
            "all have."
        )
        return empty_figure(text), data
    order = mean_ranks(values, "").sort_values(kind="stable").index
    correlations, p_values = _correlations(advantage[order], traits)
    figure = blank(shape=0.1, lines=(2.2 if is_narrow() else 1) * (4 + 1.3 * max(len(order), 8)))
    if is_narrow():
        left, right = figure.subfigures(2, 1, height_ratios=[3, 2])
    else:
        left, right = figure.subfigures(1, 2, width_ratios=[3, 4])
    axes = left.subplots()
    image = axes.imshow(correlations, cmap=_losing_to_winning(), vmin=-1, vmax=1, aspect="auto")
    _write_cells(axes, image, correlations.map("{:+.2f}".format), bold=p_values.to_numpy() < 0.05)
    axes.set_xticks(range(len(_TRAITS)), [text.replace(" ", "\n") for text in _TRAITS.values()])
    axes.set_yticks(range(len(order)), order)
    axes.xaxis.tick_top()
    axes.set_xlabel("Spearman's correlation\n(bold: p < 0.05 after Holm)")
    panels = right.subplots(1, len(_TRAITS), sharey=True)
    for axes, (trait, text) in zip(panels, _TRAITS.items(), strict=True):
        ends = {correlations[trait].idxmax(): BLUE, correlations[trait].idxmin(): ORANGE}
        axes.axhline(0, color=COLOURS["grey"], linewidth=1)
        for (who, colour), marker in zip(ends.items(), "os", strict=False):
            axes.scatter(traits[trait], advantage[who], s=8, color=colour, marker=marker, alpha=0.5)
            trend = _binned(traits[trait], advantage[who])
            axes.plot(*trend, color=colour, marker=marker, linewidth=2.2, label=who)
        axes.set_xlabel(text)
        plain_log(axes, traits[trait])
        axes.tick_params(axis="x", labelsize=6.5)  # three panels have little room
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1))
    panels[0].set_ylabel(f"{METRICS[metric]} minus the mean of all, {setting}")
    return figure, data


def _correlations(advantage, traits):
    """Spearman's correlations, contestants x traits, and their p-values, all corrected together."""
    from scipy.stats import ConstantInputWarning, spearmanr

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantInputWarning)  # a constant follows nothing
        found = [[spearmanr(advantage[who], traits[t]) for t in traits] for who in advantage]
    values = np.nan_to_num([[r.statistic for r in row] for row in found])
    p_values = np.nan_to_num([[r.pvalue for r in row] for row in found], nan=1.0)
    p_values = holm(p_values.ravel()).reshape(p_values.shape)
    looks = {"index": advantage.columns, "columns": traits.columns}
    return pd.DataFrame(values, **looks), pd.DataFrame(p_values, **looks)


def _binned(trait, values, n_bins: int = 5):
    """Means within equally large groups of neighbours, to see a trend among points."""
    order = np.argsort(trait.to_numpy(), kind="stable")
    groups = [g for g in np.array_split(order, n_bins) if len(g)]
    middles = [np.exp(np.log(trait.to_numpy()[g]).mean()) for g in groups]
    return middles, [values.to_numpy()[g].mean() for g in groups]


# What quality costs: the size of models and time.


def readability_figure(results: Mapping[str, Results], *settings: str):
    """What readable models cost: mean G-mean against the number of conditions of a model.

    With several settings, all of `results` if none is named, on the folds that they share.
    """
    return _trade_off_figure(results, settings, "conditions", "conditions of a model, median")


def time_figure(results: Mapping[str, Results], *settings: str):
    """What quality costs in time: mean G-mean against the median seconds of a fit.

    With several settings, all of `results` if none is named, on the folds that they share.
    """
    return _trade_off_figure(results, settings, "fit_s", "seconds per fit, median")


def _trade_off_figure(results, settings, cost, text):
    data = trade_off(results, settings or tuple(results), cost)
    if data.empty:
        return empty_figure(f"This needs folds that all methods have, with {text}."), data
    figure, axes = canvas(shape=1 if is_narrow() else 0.75, lines=3)
    axes.set(xlabel=f"{text} (log scale)", ylabel="G-mean, mean over data sets")
    # a model without any condition, one that always says the same, has no place on a log scale
    points = data.assign(cost=data[cost].clip(lower=1) if cost == "conditions" else data[cost])
    plain_log(axes, points["cost"])
    front = points[points["on_front"]].sort_values(["cost", "g_mean"])
    steps = np.repeat(front[["cost", "g_mean"]].to_numpy(), 2, axis=0)
    corners = np.column_stack([steps[1:, 0], steps[:-1, 1]])
    axes.plot(*corners.T, color="#D9D9D9", linewidth=5, solid_joinstyle="round", zorder=1)
    shown = list(data["setting"].unique())
    ends = []
    for label, of in points.groupby("contestant", sort=False):
        style = look(label)
        for place, (setting, x, y) in enumerate(of[["setting", "cost", "g_mean"]].to_numpy()):
            face = style["color"] if setting == shown[-1] else "white"
            axes.plot(x, y, **style, mfc=face, ms=6, mew=1.2, zorder=3 + place)
        ends.append(of[["cost", "g_mean"]].to_numpy(float))
        if len(of) > 1:
            axes.annotate(
                "",
                ends[-1][-1],
                xytext=ends[-1][0],
                arrowprops={"arrowstyle": "->", "color": style["color"], "lw": 0.9, "alpha": 0.7}
                | {"shrinkA": 6, "shrinkB": 6},
            )
    axes.margins(0.09, 0.13)
    _trade_off_legend(axes, shown)
    _write_labels(axes, list(points["contestant"].unique()), ends, corners)
    return figure, data


def _trade_off_legend(axes, settings):
    axes.plot([], [], color="#D9D9D9", linewidth=5, label="Pareto front")
    for setting in settings if len(settings) > 1 else ():
        face = "#666666" if setting == settings[-1] else "white"
        axes.plot([], [], "o", color="#666666", mfc=face, mew=1.2, ms=6, label=setting)
    legend_below(axes.figure, axes)


def _write_labels(axes, names, paths, line):
    """Write each name beside the last point of its path, where it covers as little as possible."""
    figure = axes.figure
    figure.draw_without_rendering()  # the layout has to be settled before anything is measured
    pixel = figure.dpi / 72
    leader = {"arrowstyle": "-", "color": COLOURS["grey"], "lw": 0.7, "shrinkA": 0, "shrinkB": 5}
    texts = [
        axes.annotate(
            name,
            path[-1],
            xytext=(0, 0),
            textcoords="offset points",
            color=look(name)["color"],
            fontsize="small",
            ha="center",
            va="center",
            arrowprops=leader,
            zorder=6,
            gid="label",
            in_layout=False,
        )
        for name, path in zip(names, paths, strict=True)
    ]
    sizes = np.array([text.get_window_extent().size for text in texts])
    halves = sizes / 2 + 1.5 * pixel
    paths = [axes.transData.transform(path) for path in paths]
    anchors = np.array([path[-1] for path in paths])
    drawn = [axes.transData.transform(line), *paths]
    between = [a + _ALONG * (b - a) for piece in drawn for a, b in pairwise(piece)]
    frame = axes.get_window_extent().get_points()
    lines = np.concatenate([*between, np.empty((0, 2))])
    places = _best_places(anchors, halves, lines, np.concatenate(paths), frame, pixel)
    for text, place, anchor, half in zip(texts, places, anchors, halves, strict=True):
        text.xyann = (place - anchor) / pixel
        beyond = np.maximum(np.abs(place - anchor) - half, 0)
        text.arrow_patch.set_visible(bool(np.hypot(*beyond) > 12 * pixel))


_ALONG = np.linspace(0, 1, 30)[:, None]
_AROUND = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(24) * np.pi / 12])
_GAPS = np.array([8, 14, 22, 32, 44, 58, 74])


def _best_places(anchors, halves, lines, marks, frame, pixel):
    """Centres for labels around their anchors, by what each place would cover.

    Labels are placed in turn, and again with the others where they are now. To cover another label
    or leave the frame is worst, then marks, then lines; of what is left the nearest place counts.
    """
    places = np.full_like(anchors, np.nan)

    def hits(points, centres, half):
        return (np.abs(points[None] - centres[:, None]) < half).all(axis=2)

    for _, k in product(range(4), range(len(anchors))):
        half, others = halves[k], np.delete(np.arange(len(anchors)), k)
        # as far out as the text itself reaches in that direction, and a gap
        reach = (half / np.maximum(np.abs(_AROUND), 1e-9)).min(axis=1)
        out = (reach + _GAPS[:, None] * pixel)[..., None] * _AROUND
        centres = anchors[k] + out.reshape(-1, 2)
        rating = np.repeat(_GAPS / 30, len(_AROUND))
        rating += 50 * ((centres - half < frame[0]) | (centres + half > frame[1])).any(axis=1)
        rating += hits(lines, centres, half).sum(axis=1)
        rating += 20 * hits(marks, centres, half + 6 * pixel).sum(axis=1)
        rating += 40 * hits(places[others], centres, half + halves[others]).sum(axis=1)
        leaders = anchors[k] + _ALONG * (centres[:, None] - anchors[k])
        foreign = marks[np.abs(marks - anchors[k]).max(axis=1) > pixel]
        in_the_way = np.concatenate([places[others], foreign])
        reaches = np.concatenate([halves[others], np.full_like(foreign, 6 * pixel)])
        for place, reach in zip(in_the_way, reaches, strict=True):
            rating += 5 * (np.abs(leaders - place) < reach).all(axis=2).any(axis=1)
        places[k] = centres[rating.argmin()]
    return places


# A user's own file.

#: Hollow for the defaults, filled for those that were tuned.
_MARKS = {"defaults": "o", "tuned": "D"}
_CURVES = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."))
_SHOWN = ("g_mean", "average_precision")


def own_figure(results: Mapping[str, Results], dataset: str):
    """G-mean and average precision of all entrants: means, and lines from worst to best fold."""
    frame = standings(results, dataset)
    if frame.empty or frame["g_mean"].isna().all():
        return empty_figure(f"{dataset}: no entrant has a result."), pd.DataFrame()
    data = frame[["method", "setting", "learner", "folds", *_SHOWN]]
    folds = entrant_rows(results, dataset).groupby(["method", "setting"])[[*_SHOWN]]
    for end, values in {"worst": folds.min(), "best": folds.max()}.items():
        data = data.join(values.add_suffix(f" {end}"), on=["method", "setting"])
    labels = list(dict.fromkeys(frame["learner"]))[::-1]  # each where its better entry is
    figure, panels = canvas(1, 2, shape=0.1, lines=5 + 1.4 * len(labels), sharey=True)
    # of two entries the tuned one is above
    shift = {"defaults": -0.17, "tuned": 0.17} if len(results) > 1 else {}
    for axes, metric in zip(panels, _SHOWN, strict=True):
        for row in data.dropna(subset=metric).to_dict("records"):
            height = labels.index(row["learner"]) + shift.get(row["setting"], 0)
            colour = look(row["learner"])["color"]
            ends = row[f"{metric} worst"], row[f"{metric} best"]
            axes.plot(ends, (height, height), color=colour, linewidth=1.1, alpha=0.6)
            axes.plot(
                row[metric],
                height,
                _MARKS[row["setting"]],
                color=colour,
                markerfacecolor="white" if row["setting"] == "defaults" else colour,
                zorder=3,
            )
        axes.set(xlabel=METRICS[metric], ylim=(-0.6, len(labels) - 0.4))
        axes.grid(axis="y", visible=False)
    panels[0].set_yticks(range(len(labels)), labels)
    _legend(panels[1], results)
    title = f"{dataset}: means and range over {_folds(frame['folds'])}"
    figure.suptitle(title, parse_math=False)  # a file may be called anything
    return figure, data


def _folds(numbers: pd.Series) -> str:
    """How many folds entrants have, such as "10 folds" or "4 to 10 folds"."""
    fewest, most = numbers[numbers > 0].min(), numbers.max()
    return f"{fewest} to {most} folds" if fewest < most else count(most, "fold")


def _legend(axes, results: Mapping[str, Results]) -> None:
    for setting, mark in _MARKS.items():
        if setting in results:
            face = {"markerfacecolor": "white"} if setting == "defaults" else {}
            axes.plot([], [], mark, color="black", label=setting, **face)
    legend_below(axes.figure, axes)


def curves_figure(results: Mapping[str, Results], dataset: str, data: Dataset):
    """ROC and precision-recall curves of the best three contestants on the first fold's test part.

    They are learned again from its training part, with the configuration that they had there.
    """
    from sklearn.metrics import precision_recall_curve, roc_curve

    chosen = _best_on_first_fold(results, dataset)
    if chosen.empty:
        text = f"{dataset}: no entrant has a result on the first fold."
        return empty_figure(text), pd.DataFrame()
    figure, (roc, precision) = canvas(1, 2, shape=1, lines=6)
    parts = []
    for (colour, line), row in zip(_CURVES, chosen.itertuples(), strict=False):
        y, score = _scores_on_fold(results[row.setting], row, data)
        text = f"{results[row.setting].labels[row.method]} ({row.setting})"
        fall_out, recall, _ = roc_curve(y, score)
        style = {"color": colour, "linestyle": line}
        roc.plot(fall_out, recall, label=f"{text}: AUROC {row.auroc:.3f}", **style)
        parts.append(_curve(row, "roc", fall_out, recall))
        precise, recall, _ = precision_recall_curve(y, score)
        # between two thresholds precision is not on a straight line, so a step is drawn
        precision.plot(
            recall,
            precise,
            drawstyle="steps-post",
            label=f"{text}: AP {row.average_precision:.3f}",
            **style,
        )
        parts.append(_curve(row, "precision-recall", recall, precise))
    chance = {"color": COLOURS["grey"], "linewidth": 1, "linestyle": ":"}
    roc.plot([0, 1], [0, 1], **chance)
    precision.axhline(y.mean(), **chance, label=f"chance: {y.mean():.3f}")
    roc.set(xlabel="negatives found positive", ylabel="recall", title="ROC")
    precision.set(xlabel="recall", ylabel="precision", title="Precision and recall")
    for axes in (roc, precision):
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14))
    title = f"{dataset}, first fold: {int(y.sum()):,} of {len(y):,} test rows are positive"
    figure.suptitle(title, parse_math=False)
    return figure, pd.concat(parts, ignore_index=True)


def _best_on_first_fold(results: Mapping[str, Results], dataset: str) -> pd.DataFrame:
    """The rows on the first fold of the best three methods, each with its better entry.

    A `Method` that a user wrote has no model to ask for a curve. Methods of further packages are
    left out, so that the picture does not depend on what is installed.
    """
    frame = standings(results, dataset)
    if frame.empty:
        return frame
    rows = entrant_rows(results, dataset).query("repeat == 0 and fold == 0 and failed == 0")
    rows = rows.dropna(subset="g_mean")
    order = frame.drop_duplicates("method")[["method", "setting"]]
    methods = [results[s].experiment.methods[m] for m, s in order.to_numpy()]
    order = order[[isinstance(m.run, Entrant) and not m.needs for m in methods]]
    return order.merge(rows, on=["method", "setting"]).head(len(_CURVES))


def _scores_on_fold(result: Results, row, data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The target of a fold's test part and how positive an entrant finds its rows."""
    from threadpoolctl import threadpool_limits

    entrant = result.experiment.methods[row.method].run
    task = Task(row.dataset, row.method, row.repeat, row.fold, row.seed)
    fold = result.experiment.fold_of(task, data.X, data.y)
    rows = sample_rows(fold.y_train, entrant.contestant.max_rows, fold.random_state)
    configuration = row.configuration if row.setting == "tuned" else ""
    model = entrant.model(parse_configuration(configuration), fold.random_state)
    with threadpool_limits(1):  # as in the run, so that it is the same model
        model.fit(fold.X_train.iloc[rows], fold.y_train[rows])
    return fold.y_test, model_scores(model, fold.X_test)[0]


def _curve(row, kind: str, x, y) -> pd.DataFrame:
    return pd.DataFrame(
        {"curve": kind, "method": row.method, "setting": row.setting, "x": x, "y": y}
    )
