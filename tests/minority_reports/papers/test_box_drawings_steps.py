"""Boxes at their best: each step is one change, on the folds of the showdown and of Table 4."""

import numpy as np
import pandas as pd
import pytest

from minority.boxes import ExactBoxesClassifierCV, FastBoxesClassifier, FastBoxesClassifierCV
from minority.metrics import area_under_hull
from minority_reports import datasets
from minority_reports.experiments import Settings, Task, run
from minority_reports.papers.box_drawings import PAPER, figures, tables
from minority_reports.papers.box_drawings.protocol import ALL_FACES, BY_FACES, FACES, TABLE4
from minority_reports.papers.box_drawings.steps import (
    CHAINS,
    CONFIRMATION,
    DESIGN,
    PRICE,
    STEPS,
    TOLERANCE,
)
from minority_reports.papers.showdown import PAPER as SHOWDOWN
from minority_reports.papers.showdown.protocol import KEEL, model_scores, model_size

FOLD = ["dataset", "repeat", "fold"]
MEASURES = ["g_mean", "f1", "average_precision", "auroc", "rules", "conditions"]


def stored(experiment, paper=PAPER, **selection):
    return run(experiment, Settings(paper, compute="none", **selection))


@pytest.fixture(scope="module")
def steps():
    return stored(STEPS)


@pytest.fixture(scope="module")
def faces():
    return stored(BY_FACES)


# Where the faces stop


def test_the_same_solves_as_in_table_4(faces):
    """Without a margin: same folds, same K, same boxes, one more way to place their faces."""
    measures = [f"{count}_{name}" for name in (*FACES, "fast") for count in ("tp", "fp")]
    measures += ["max_boxes", "size", "objective", "bound", "fast_objective"]
    keys = [*FOLD, "setting"]
    ours = faces.rows_of(method="exact-boxes").set_index(keys)[measures]
    theirs = stored(TABLE4).rows_of(method="exact-boxes").set_index(keys)[measures]
    shared = ours.index.intersection(theirs.index)
    assert len(shared) >= 1_300
    pd.testing.assert_frame_equal(ours.loc[shared], theirs.loc[shared])


def test_both_margins_have_the_same_number_of_boxes(faces):
    rows = faces.rows.set_index([*FOLD, "setting"])
    plain, margin = (rows[rows["method"] == m]["max_boxes"] for m in BY_FACES.methods)
    shared = plain.index.intersection(margin.index)
    assert len(shared) and (plain[shared] == margin[shared]).all()


def test_faces_differ_on_test_rows_alone():
    """One solve of a fold: larger faces catch no fewer test rows, and no other training row."""
    data = datasets.load("glass4")
    fold = BY_FACES.fold_of(Task("glass4", "exact-boxes", 0, 1, 0), data.X, data.y)
    for row in BY_FACES.methods["exact-boxes"].run(fold).values():
        for count in ("tp", "fp"):
            assert row[f"{count}_tight"] <= row[f"{count}_midgap"] <= row[f"{count}_expand"]
            assert row[f"{count}_tight"] <= row[f"{count}_largest"]


def test_table_of_faces(faces):
    frame, rows = tables.faces_means(faces), faces.rows
    rows = rows[(rows["dataset"] == "glass2") & (rows["method"] == "exact-boxes-margin")]
    areas = [
        area_under_hull(
            (part["fp_largest"] / part["negatives"]).to_numpy(),
            (part["tp_largest"] / part["positives"]).to_numpy(),
        )
        for _, part in rows.groupby("fold")
    ]
    assert len(areas) == 10
    assert frame.loc["glass2", ("margin 0.05", "largest")] == pytest.approx(np.mean(areas))
    shown = tables.faces_table(faces)
    assert shown.frame.shape == (len(frame) + 1, 2 * len(ALL_FACES) + 1)
    whole = faces.cells().groupby("dataset").apply(lambda part: (part.there == part.of).all())
    assert set(frame.index) == set(whole.index[whole])
    for name in whole.index[~whole]:
        assert name in shown.caption
    gap = (frame["no margin", "largest"] - frame["no margin", "mid-gap"]).mean()
    assert f"({gap:+.3f}, 95 % interval" in tables.faces_summary(faces)


# Step by step


def test_halves_of_the_sets():
    assert len(DESIGN) == 19 and len(CONFIRMATION) == 38
    assert set(DESIGN) | set(CONFIRMATION) == set(KEEL) == set(STEPS.datasets)


def changes(before, after):
    old, new = (STEPS.methods[name].estimator.get_params() for name in (before, after))
    assert set(old) == set(new)
    return {name: (old[name], new[name]) for name in old if old[name] != new[name]}


def test_every_step_is_one_change():
    assert changes("exact-published", "exact-one-box") == {"max_boxes": (3, 1)}
    assert changes("exact-one-box", "exact-balanced") == {"majority_weight": (0.5, "balanced")}
    assert changes("exact-balanced", "exact-largest") == {"faces": ("midgap", "largest")}
    assert changes("exact-largest", "exact-priced") == {"condition_cost": (0.0, PRICE)}
    assert changes("exact-priced", "exact-several") == {"max_boxes": (1, 3)}
    assert changes("exact-cv", "exact-simplest") == {"tolerance": (0.0, TOLERANCE)}
    assert changes("exact-simplest", "exact-path") == {"ranking": ("depth", "path")}
    assert changes("fast-published", "fast-balanced") == {"majority_weight": (0.5, "balanced")}
    assert changes("fast-cv", "fast-largest") == {"expand": (True, "largest")}
    weights = ("0.3*balanced", "balanced", "3*balanced")
    assert changes("fast-largest", "fast-weight") == {"majority_weights": ("balanced", weights)}


@pytest.mark.parametrize("kind", ["exact", "fast"])
def test_first_steps_are_those_of_the_showdown(kind):
    """But for the limits of a solve, which only matter where nothing is proven."""
    theirs = SHOWDOWN.experiments["defaults"].methods[f"{kind}-boxes"].estimator.get_params()
    ours = STEPS.methods[f"{kind}-published"].estimator.get_params()
    limits = {"max_nodes", "time_limit"} if kind == "exact" else set()
    assert {name for name in ours if ours[name] != theirs[name]} == limits


@pytest.mark.parametrize("kind", ["exact", "fast"])
def test_first_steps_have_the_rows_of_the_showdown(kind, steps):
    """Where the best boxes are proven: the folds and the random numbers are the same.

    Of equally good boxes, which ones are found may depend on the limit, on a fold in a hundred.
    """
    theirs = stored(SHOWDOWN.experiments["defaults"], SHOWDOWN).rows_of(method=f"{kind}-boxes")
    ours = steps.rows_of(method=f"{kind}-published")
    if kind == "exact":
        theirs, ours = (rows[rows["bound"] == rows["objective"]] for rows in (theirs, ours))
    theirs, ours = (rows.set_index(FOLD) for rows in (theirs, ours))
    shared = ours.index.intersection(theirs.index)
    assert len(shared) > 300
    theirs, ours = (rows.loc[shared] for rows in (theirs, ours))
    if kind == "exact":
        pd.testing.assert_series_equal(ours["objective"], theirs["objective"])
        alike = (ours[MEASURES] == theirs[MEASURES]).all(axis=1)
        assert alike.mean() > 0.99
        theirs, ours = theirs[alike], ours[alike]
    pd.testing.assert_frame_equal(ours[MEASURES], theirs[MEASURES])


@pytest.fixture(scope="module")
def fold():
    data = datasets.load("glass6")
    return STEPS.fold_of(Task("glass6", "fast-cv", 0, 0, 0), data.X, data.y)


def test_grown_boxes_bring_in_no_training_negative(fold):
    """The same clusters, expansion and weight, with both kinds of the final expansion."""
    X, negative = fold.X_train, fold.y_train == 0
    options = {"majority_weight": "balanced", "n_clusters": 3, "random_state": 0}
    before, after = (
        FastBoxesClassifier(expand=expand, **options).fit(X, fold.y_train)
        for expand in (True, "largest")
    )
    covered = [model.boxes_.covers(X) for model in (before, after)]
    np.testing.assert_array_equal(*(rows[negative] for rows in covered))
    assert not (covered[0] & ~covered[1]).any()
    assert model_size(after)[1] < model_size(before)[1]


def test_boxes_by_cv_are_scored_by_depth(fold, monkeypatch):
    model = FastBoxesClassifierCV(random_state=0).fit(fold.X_train, fold.y_train)
    offered = lambda self, X: np.full((len(X), 2), 0.5)  # noqa: E731
    monkeypatch.setattr(FastBoxesClassifierCV, "predict_proba", offered, raising=False)
    score, probability = model_scores(model, fold.X_test)
    assert probability is None
    np.testing.assert_array_equal(score, model.decision_function(fold.X_test).round(12))


def test_committed_rows_come_out_again(fold, steps):
    rows = steps.rows_of(dataset="glass6").set_index(["method", "repeat", "fold"])
    for name in ("exact-priced", "exact-several", "fast-largest", "cart-3"):
        again = STEPS.methods[name].run(fold)["all"]
        for measure in MEASURES:
            assert rows.loc[(name, 0, 0), measure] == pytest.approx(again[measure], abs=1e-9)


def test_step_frame_by_hand(steps):
    rows = steps.rows[steps.rows["dataset"].isin(CONFIRMATION)]
    means = rows.pivot_table(index="dataset", columns="method", values="g_mean").dropna()
    frame = tables.step_frame(steps, "confirmation")
    np.testing.assert_allclose(frame["g_mean"], means.mean()[frame.index])
    gain = means["exact-largest"] - means["exact-balanced"]
    assert frame.loc["exact-largest", "change"] == pytest.approx(gain.mean())
    assert frame.loc["exact-largest", "low"] < gain.mean() < frame.loc["exact-largest", "high"]
    assert frame.loc[["fast-published", "cart-3"], "change"].isna().all()
    # the same solves with other faces
    assert frame.loc["exact-largest", "proven"] == frame.loc["exact-balanced", "proven"] > 90
    gaps = tables.against_tree(steps, "confirmation")
    gap = (means["exact-several"] - means["cart-3"]).round(12)
    assert gaps.loc["exact-several", ("G-mean", "won")] == (gap > 0).sum()
    assert gaps.loc["exact-several", ("G-mean", "lost")] == (gap < 0).sum()


def test_the_sentences_say_what_the_table_says(steps):
    sentences = tables.steps_in_words(steps).sentences
    assert len(sentences) == 2 and "38 confirmation sets" in sentences[1]
    scores = tables.step_scores(steps, "confirmation")
    gap = (scores[tables.DEFAULTS] - scores[tables.TREE]).round(12)
    assert f"difference {gap.mean():+.3f}" in sentences[1]
    assert f"{(gap > 0).sum()} sets won, {(gap < 0).sum()} lost" in sentences[1]
    sizes = tables.step_scores(steps, "confirmation", "conditions").mean()
    share = sizes[tables.DEFAULTS] / sizes[tables.TREE]
    assert sentences[1].endswith(f"{share:.0%} of them.")
    defaults = STEPS.methods[tables.DEFAULTS].estimator.get_params()
    own = ExactBoxesClassifierCV().get_params()
    assert {name for name in own if own[name] != defaults[name]} <= {"random_state"}


def test_halves_are_shown_apart(steps):
    table = tables.steps_table(steps)
    named = [(chain, step) for chain, steps in CHAINS.items() for step, *_ in steps.values()]
    for half in ("design", "confirmation"):
        assert list(table.frame.loc[half].index) == named
    bold, shown = table.bold["change in G-mean"], table.frame
    assert (bold == ((shown["from"] > 0) | (shown["to"] < 0))).all()
    assert len(tables.tree_table(steps).frame) == 2 * (len(named) - 1)


def test_the_picture_of_steps_plots_the_table(steps):
    _, data = figures.steps_picture(steps)
    for half, part in data.groupby("half"):
        frame = tables.step_frame(steps, half)
        np.testing.assert_allclose(part["g_mean"], frame["g_mean"])
        np.testing.assert_allclose(part["conditions"], frame["conditions"])


def test_a_selection_without_rows_is_shown_as_such():
    nothing = stored(STEPS, datasets=("glass2",))
    assert "0 of 38 confirmation" in tables.steps_table(nothing).caption
    assert tables.tree_table(nothing).frame.empty
    assert tables.steps_in_words(nothing).sentences == ["No data set has the rows of all steps."]
    assert figures.steps_picture(nothing)[1].empty
    few = stored(BY_FACES, datasets=("glass2",))
    assert tables.faces_summary(few) == "Fewer than two data sets have all rows."
