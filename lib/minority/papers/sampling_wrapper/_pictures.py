"""Figures 4 and 5 as drawn overviews, and a search shown step by step."""

from itertools import pairwise

import pandas as pd

from minority import datasets
from minority.report import COLOURS
from minority.sampling import SamplingWrapperClassifier, plot_search_path
from minority.trees import C45Classifier


def _overview(boxes, arrows, size):
    """Draw boxes {name: (text, x, y)} and arrows between them, from edge to edge."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=size)
    look = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "black"}
    drawn = {
        name: axes.text(x, y, text, ha="center", va="center", fontsize=9, bbox=look)
        for name, (text, x, y) in boxes.items()
    }
    figure.canvas.draw()  # only then do the boxes have their sizes
    for start, end in arrows:
        between = {
            "arrowstyle": "->",
            "color": COLOURS["grey"],
            "patchA": drawn[start].get_bbox_patch(),
            "patchB": drawn[end].get_bbox_patch(),
        }
        axes.annotate("", boxes[end][1:], boxes[start][1:], arrowprops=between, zorder=0)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    texts = {name: text.replace("\n", " ") for name, (text, _, _) in boxes.items()}
    data = pd.DataFrame([(texts[a], texts[b]) for a, b in arrows], columns=["from", "to"])
    return figure, data


def figure4():
    """Figure 4: how the search is spread over workers."""
    boxes = {"data": ("Data", 0.5, 0.94), "end": ("Ten models, each tested on its fold", 0.5, 0.06)}
    arrows = []
    for number, place in ((1, 0.15), (2, 0.5), (10, 0.85)):
        steps = {
            f"outer {number}": (f"Worker {number}: outer fold {number},\n90 % to train", 0.71),
            f"inner {number}": ("Five inner folds judge\none level after another", 0.48),
            f"final {number}": ("Train on all of the 90 %\nat the levels found", 0.26),
        }
        boxes |= {name: (text, place, height) for name, (text, height) in steps.items()}
        chain = ["data", *steps, "end"]
        arrows += pairwise(chain)
    figure, data = _overview(boxes, arrows, (10, 4.8))
    figure.axes[0].text(0.675, 0.48, "…", ha="center", va="center", fontsize=18)
    return figure, data


def figure5():
    """Figure 5: the experiments."""
    boxes = {
        "sets": ("Seven data sets; C4.5 and RIPPER", 0.5, 0.93),
        "base": ("Base", 0.06, 0.68),
        "wrapper": ("Undersampling and SMOTE,\nlevels searched by", 0.42, 0.7),
        "f": ("F", 0.2, 0.46),
        "auroc": ("AUROC", 0.34, 0.46),
        "cost": ("cost", 0.5, 0.46),
        "beta": ("F with β", 0.64, 0.46),
        "metacost": ("MetaCost", 0.8, 0.68),
        "csc": ("CSC", 0.94, 0.68),
        "cut": ("one model, cut at p*", 0.2, 0.25),
        "each": ("one model for each ratio", 0.7, 0.25),
        "end": ("Costs at 2:1 to 20:1; cost curves from 1:1 to 100:1", 0.5, 0.06),
    }
    arrows = [("sets", name) for name in ("base", "wrapper", "metacost", "csc")]
    arrows += [("wrapper", name) for name in ("f", "auroc", "cost", "beta")]
    arrows += [(name, "cut") for name in ("base", "f", "auroc")]
    arrows += [(name, "each") for name in ("cost", "beta", "metacost", "csc")]
    arrows += [("cut", "end"), ("each", "end")]
    return _overview(boxes, arrows, (10, 4.8))


def shown_search(name: str, criterion: str, costs: float = 1):
    """A search with C4.5 on a whole data set: the fitted wrapper, a picture and its path."""
    import matplotlib.pyplot as plt

    data = datasets.load(name)
    model = SamplingWrapperClassifier(
        C45Classifier(), criterion=criterion, costs=costs, random_state=0
    ).fit(data.X, data.y)
    figure, axes = plt.subplots(figsize=(9, 4))
    plot_search_path(model.search_path_, axes, ylabel=criterion)
    return model, figure, model.search_path_
