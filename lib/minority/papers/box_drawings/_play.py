"""Fast Boxes at any setting, to play with. Each function returns a figure and its data."""

import pandas as pd

from minority import datasets
from minority.boxes import fast_boxes_path, plot_boxes, select_fast_boxes
from minority.papers.box_drawings._pictures import bounds, precision_recall, small_marks
from minority.papers.box_drawings._protocol import WEIGHTS

#: What `boxes_at` can show: the sets in the plane, and values of the paper's c, K and beta.
BOX_CHOICES = {
    "data_set": ("flooded", "diamond", "corner", "square", "castle"),
    "c": WEIGHTS,
    "K": tuple(range(1, 11)),
    "beta": (0, 1, 3, 10, 30, 100, 300, 1000),
}


def boxes_at(data_set: str = "flooded", c: float = 0.5, K: int = 5, beta: float = 300):
    """Fast Boxes on a set in the plane, for `report.play`.

    The title tells how good the boxes are on the points shown, and the AUH in cross-validation by
    which Fast Boxes would choose between values of K and beta (it is the same for every c).
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 5.6), layout="constrained")
    frame = _draw(axes, data_set, c, K, beta)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), markerscale=3)
    axes.set(xlabel="x1", ylabel="x2")
    settings = f"{data_set}: c = {c:g}, K = {K}, beta = {beta:g}"
    axes.set_title(f"{settings}\n{_found(frame)} in cross-validation")
    return figure, frame


def box_settings(data_set: str = "flooded", c: float = 0.5, K: int = 5, beta: float = 300):
    """What the controls of `boxes_at` do: each of c, K and beta small and large, the others kept.

    A caption with the numbers of all panels is in ``frame.attrs``.
    """
    import matplotlib.pyplot as plt

    usual = {"c": c, "K": K, "beta": beta}
    ends = {name: (min(BOX_CHOICES[name]), max(BOX_CHOICES[name])) for name in usual}
    figure, panels = plt.subplots(
        2, 3, figsize=(9, 7.2), sharex=True, sharey=True, layout="constrained"
    )
    figure.get_layout_engine().set(h_pad=0.08)
    frames, told = [], []
    for column, (name, values) in zip(panels.T, ends.items(), strict=True):
        for axes, value in zip(column, values, strict=True):
            frame = _draw(axes, data_set, **usual | {name: value})
            axes.set_title(f"{name} = {value:g}\n{_found(frame)}", fontsize=10)
            frames.append(frame.assign(changed=name))
            told.append(f"{name} = {value:g}: {_found(frame)}")
        column[-1].set_xlabel("x1")
    for axes in panels[:, 0]:
        axes.set_ylabel("x2")
    handles, names = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), markerscale=3)
    settings = ", ".join(f"{name} = {value:g}" for name, value in usual.items())
    figure.suptitle(f"Fast Boxes on {data_set}: one change at a time from {settings}")
    frame = pd.concat(frames, ignore_index=True)
    frame.attrs["caption"] = (
        f"Boxes of Fast Boxes on the simulated set {data_set} with one change at a time from "
        f"{settings}, small above and large below. {'; '.join(told)}. Precision on the points "
        "shown, AUH in cross-validation."
    )
    return figure, frame


def _draw(axes, data_set, c, K, beta) -> pd.DataFrame:
    """Draw the boxes of one setting; returns their faces and how good they are."""
    data = datasets.load(data_set)
    positive = data.y == 1
    (boxes,) = fast_boxes_path(
        data.X,
        positive,
        majority_weights=[c],
        n_clusters=K,
        expansion=beta,
        random_state=0,
        feature_names=data.X.columns,
    )
    *_, scores = select_fast_boxes(
        data.X,
        positive,
        majority_weights=WEIGHTS,
        n_clusters=[K],
        expansions=[beta],
        random_state=0,
    )
    precision, recall = precision_recall(boxes, data.X, positive)
    plot_boxes(boxes, data.X, positive, ax=axes, region=True)
    small_marks(axes)
    facts = {"c": c, "K": K, "beta": beta, "precision": precision, "recall": recall}
    return bounds(boxes, data.X.columns).assign(**facts, auh=scores["mean_auh"].item())


def _found(frame) -> str:
    first = frame.iloc[0]
    return f"precision {first['precision']:.2f}, AUH {first['auh']:.2f}"
