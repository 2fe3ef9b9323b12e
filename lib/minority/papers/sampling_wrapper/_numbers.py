"""Numbers from the rows that tables, figures and claims share."""

import pandas as pd

from minority.costs import CostCurve, cost_envelope
from minority.experiments import Results
from minority.papers.sampling_wrapper._schemes import COST_FREE, RATIOS
from minority.report import published

#: The names of the data sets in the paper's tables.
NAMES = {
    "phoneme": "Phoneme",
    "segment": "Segment",
    "estate": "E-State",
    "page": "Page",
    "satimage": "Satimage",
    "oil": "Oil",
    "mammography": "Mammo.",
}
#: Passes through a data set whose costs Table A1 adds up.
PASSES = 5


def label_of(dataset: str) -> str:
    """A data set's name as the paper has it, else its own."""
    return NAMES.get(dataset, dataset)


def published_table(label: str) -> pd.DataFrame:
    """The numbers of a published table, rows and columns by their names there."""
    (table,) = [t for t in published("sampling_wrapper")["tables"] if t["label"] == label]
    cells = pd.DataFrame(table["cells"])
    return cells.pivot_table(
        index="row", columns="col", values="value", aggfunc="first", sort=False
    )


def unsure_cells(label: str) -> set[tuple[str, str]]:
    """Rows and columns of the published cells whose place in the table is not certain."""
    (table,) = [t for t in published("sampling_wrapper")["tables"] if t["label"] == label]
    return {(cell["row"], cell["col"]) for cell in table["cells"] if cell["sure"] is not True}


def means(results: Results, measure: str) -> pd.DataFrame:
    """Means over the folds that are there: (learner, data set) x schemes."""
    frame = results.rows.pivot_table(
        index=["method", "dataset"], columns="setting", values=measure, observed=True
    )
    return _in_order(results, frame)


def _in_order(results, frame):
    """Learners and data sets as planned, those without rows left out; all schemes as columns."""
    datasets = [*results.experiment.datasets, *results.rows["dataset"].unique()]
    order = [
        (method, dataset)
        for method in results.experiment.methods
        for dataset in dict.fromkeys(datasets)
        if (method, dataset) in frame.index
    ]
    index = pd.MultiIndex.from_tuples(order, names=["method", "dataset"])
    return frame.reindex(index=index, columns=list(results.experiment.settings))


def costs(results: Results, ratio: int, *, cut: bool = True) -> pd.DataFrame:
    """Cost of one pass through each data set, the mean of all: (learner, data set) x schemes.

    A pass tests every row once. Without `cut`, by the uncut predictions of the models for 1:1.
    """
    end = f"_{ratio}" if cut else ""
    cost = results.rows[f"fp{end}"] + ratio * results.rows[f"fn{end}"]
    frame = (
        results.rows.assign(cost=cost)
        .pivot_table(index=["method", "dataset"], columns="setting", values="cost", observed=True)
        .mul(results.experiment.folds)
    )
    return _in_order(results, frame)


def rates(results: Results) -> pd.DataFrame:
    """Mean false and true positive rates by learner, data set, scheme and ratio."""
    rows = results.rows
    parts = {}
    for ratio in RATIOS:
        parts[ratio] = pd.DataFrame(
            {
                **{name: rows[name] for name in ("method", "dataset", "setting")},
                "fpr": rows[f"fp_{ratio}"] / rows["negatives"],
                "tpr": 1 - rows[f"fn_{ratio}"] / rows["positives"],
            }
        )
    frame = pd.concat(parts, names=["ratio"]).reset_index("ratio")
    return frame.groupby(["method", "dataset", "setting", "ratio"], observed=True).mean()


def envelopes(results: Results) -> dict[tuple[str, str, str], CostCurve]:
    """Lower envelope of each scheme's 13 points and the trivial classifiers."""
    points = results.once(rates)
    return {
        key: cost_envelope(group["fpr"], group["tpr"])
        for key, group in points.groupby(["method", "dataset", "setting"], observed=True)
    }


def levels(results: Results) -> pd.DataFrame:
    """What the searches without costs found: mean SMOTE and majority removed, in per cent."""
    rows = results.rows[results.rows["setting"].isin(list(COST_FREE))]
    rows = rows.assign(smote=rows["smote_1"], removed=100 - rows["kept_1"])
    return rows.groupby(["method", "dataset", "setting"], observed=True)[
        ["smote", "removed"]
    ].mean()


def of_learner(frame: pd.DataFrame, learner: str) -> pd.DataFrame:
    """The lines of one learner, by data set; none if there are none."""
    return frame[frame.index.get_level_values("method") == learner].droplevel("method")


def rank_correlation(first: pd.Series, second: pd.Series) -> float:
    """Spearman's; not a number if a side is constant."""
    first, second = (pd.Series(part.to_numpy(dtype=float)).rank() for part in (first, second))
    if first.nunique() < 2 or second.nunique() < 2:
        return float("nan")
    return float(first.corr(second))
