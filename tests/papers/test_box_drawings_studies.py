"""The small studies of Box Drawings: pruning, clusters of positives, growth of the work."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from minority import datasets
from minority.experiments import Fold, Results, Settings, Task, run
from minority.papers import box_drawings as paper
from minority.papers.box_drawings import _studies as studies
from minority.papers.box_drawings import _study_claims as claims
from minority.papers.box_drawings._protocol import PRUNING, TABLE5, clustering
from minority.papers.box_drawings._tables import pruning_effect
from minority.trees import C45Classifier

KINDS = studies.CLUSTERED + studies.MORE_THAN_BOXES + studies.UNCLUSTERED


@pytest.fixture(scope="module")
def stored():
    settings = Settings(paper.PAPER, compute="none")
    return {name: run(e, settings) for name, e in paper.PAPER.experiments.items()}


def verdict(stored, claim, **changed):
    return paper.PAPER.rules[f"box_drawings-{claim}"](stored | changed).status


# pruning


def fold_of(name, number=0):
    data = datasets.load(name)
    return PRUNING.fold_of(Task(name, "c45", 0, number, 0), data.X, data.y)


@pytest.mark.parametrize("name", ["glass2", "pima"])
def test_pruned_c45_is_that_of_table_5_and_unpruned_grows_on(name):
    fold = fold_of(name)
    rows = PRUNING.methods["c45"].run(fold)
    (counts,) = {tuple(m.items()) for m in TABLE5.methods["c45"].run(fold).values()}
    counts, positives = dict(counts), fold.y_test.sum()
    assert rows["pruned=yes"]["recall"] == counts["tp"] / positives
    assert rows["pruned=yes"]["size"] == counts["size"]
    whole = C45Classifier(pruning=None).fit(fold.X_train, fold.y_train)
    found = whole.predict(fold.X_test) == 1
    recall, fpr = found[fold.y_test == 1].mean(), found[fold.y_test == 0].mean()
    assert rows["pruned=no"]["recall"] == pytest.approx(recall)
    assert rows["pruned=no"]["specificity"] == pytest.approx(1 - fpr)
    assert rows["pruned=no"]["auh"] == pytest.approx(max(0.5, (1 + recall - fpr) / 2))
    assert rows["pruned=no"]["size"] == whole.get_n_leaves() > rows["pruned=yes"]["size"]


def test_unpruned_cart_keeps_its_least_sizes():
    fold = fold_of("pima")
    trees = PRUNING.methods["cart"].run.trees
    grown = trees["pruned=no"].train(fold.X_train, fold.y_train, 0.5, 0)
    cut = trees["pruned=yes"].train(fold.X_train, fold.y_train, 0.5, 0)
    assert grown.ccp_alpha == 0 < cut.ccp_alpha
    assert grown.get_n_leaves() > cut.get_n_leaves()
    assert (grown.min_samples_split, grown.min_samples_leaf) == (20, 7)


def pruning_rows(gain, n_sets=12, worse_auh=0.0):
    """Rows where unpruned trees change recall by `gain` and lose AUH."""
    return Results(
        PRUNING,
        pd.DataFrame(
            {
                "dataset": f"set{i}",
                "method": method,
                "setting": setting,
                "repeat": 0,
                "fold": fold,
                "recall": 0.5 + 0.001 * fold + gain * (setting == "pruned=no"),
                "specificity": 0.9,
                "auh": 0.7 - worse_auh * (setting == "pruned=no"),
                "size": 5,
            }
            for i in range(n_sets)
            for method in PRUNING.methods
            for setting in PRUNING.settings
            for fold in range(10)
        ),
        0,
    )


def test_pruning_is_judged_by_recall_and_auh():
    better, worse = pruning_rows(0.1), pruning_rows(-0.1)
    assert verdict({}, "25", pruning=better) == "reproduced"
    assert verdict({}, "25", pruning=worse) == "not reproduced"
    assert verdict({}, "25", pruning=pruning_rows(0)) == "not reproduced"
    assert verdict({}, "25", pruning=pruning_rows(0.1, n_sets=5)) == "not reproduced"
    assert verdict({}, "25", pruning=pruning_rows(0.1, worse_auh=0.1)) == "not reproduced"
    rows = better.rows.where(better.rows["method"] == "cart", worse.rows)
    assert verdict({}, "25", pruning=Results(PRUNING, rows, 0)) == "partly"


def test_effect_of_pruning_counts_sets():
    effect = pruning_effect(pruning_rows(0.1, n_sets=12)).loc[("CART", "recall")]
    assert effect["difference"] == pytest.approx(0.1)
    assert (effect["higher"], effect["lower"]) == (12, 0)
    assert effect["p"] == pytest.approx(2 / 2**12)
    assert (effect["clearly higher"], effect["clearly lower"]) == (12, 0)


# clusters


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_scenes_are_free_of_noise(kind, d):
    positives, negatives = studies.scene(kind, d, (200, 900), np.random.default_rng(3))
    assert positives.shape == (200, d)
    assert negatives.shape == (900, d)
    if kind == "ring":
        radii = [np.hypot(*(X[:, :2] - 0.5).T) for X in (positives, negatives)]
        assert (abs(radii[0] - 0.4) <= 0.025).all()
        assert (abs(radii[1] - 0.4) > 0.025).all()
    elif kind == "checkerboard":
        colours = [np.floor(8 * X[:, :2]).sum(axis=1) % 2 for X in (positives, negatives)]
        assert (colours[0] == 0).all()
        assert (colours[1] == 1).all()
    else:
        members = [positives[k::kind] for k in range(kind)]
        spans = np.array([np.ptp(m, axis=0) for m in members])
        assert (spans <= studies._SIDE).all()
        for member in members:
            low, high = member.min(axis=0), member.max(axis=0)
            assert not ((negatives >= low) & (negatives <= high)).all(axis=1).any()
        centres = np.array([m.mean(axis=0) for m in members])
        apart = abs(centres[:, None] - centres).max(axis=2)[~np.eye(kind, dtype=bool)]
        assert (apart > studies._SIDE).all()


@given(st.integers(2, 12), st.integers(1, 12), st.integers(1, 3), st.integers(0, 999))
def test_clustering_by_brute_force(p, n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(p + n, d)) * 10.0 ** np.arange(d)
    positive = rng.permutation(p + n) < p
    Z = X / np.ptp(X, axis=0)

    def nearest(i):
        others = [j for j in range(p + n) if positive[j] and j != i]
        return min(np.linalg.norm(Z[i] - Z[j]) for j in others)

    within = np.mean([nearest(i) for i in np.flatnonzero(positive)])
    across = np.mean([nearest(i) for i in np.flatnonzero(~positive)])
    assert clustering(X, positive) == pytest.approx(across / (across + within))


def test_clustering_of_known_cases():
    rng = np.random.default_rng(0)
    X, positive = rng.random((4000, 2)), np.arange(4000) < 400
    assert clustering(X, positive) == pytest.approx(0.5, abs=0.03)
    X[positive] *= 0.05
    assert clustering(X, positive) > 0.95
    X[:, 1] = 7  # a constant feature
    assert np.isfinite(clustering(X, positive))


def test_the_study_runs_the_protocol_of_table_5():
    study = studies.cluster_study(dimensions=(2,), draws=1)
    assert study["arrangement"].tolist() == [str(kind) for kind in KINDS]
    assert study[["fast-boxes", "cart"]].to_numpy().min() >= 0.5
    one = study.set_index("arrangement").loc["1"]
    assert one["fast-boxes"] > 0.95


def made_up_study(scattered, clustered, draws=3):
    return pd.DataFrame(
        {
            "features": d,
            "arrangement": str(kind),
            "draw": draw,
            "fast-boxes": 0.9 + (scattered if kind in studies.UNCLUSTERED else clustered),
            "cart": 0.9,
        }
        for d in (2, 5)
        for kind in KINDS
        for draw in range(draws)
    )


def test_a_failure_is_clear_and_in_every_draw():
    study = made_up_study(-0.2, 0.0)
    assert claims.failures(study)[2, "ring"]
    assert not claims.failures(study)[2, "4"]
    once = study["fast-boxes"].where(study["draw"] > 0, 0.95)
    assert not claims.failures(study.assign(**{"fast-boxes": once}))[2, "ring"]
    assert not claims.failures(made_up_study(-0.04, 0.0))[2, "ring"]


@pytest.mark.parametrize(
    ("scattered", "clustered", "link", "loss", "expected"),
    [
        (-0.2, 0.0, 1, 0.0, "reproduced"),
        (-0.2, 0.0, -1, 0.0, "partly"),  # no link between clustering and the loss
        (-0.2, -0.2, 1, 0.0, "partly"),  # fails with clusters too
        (-0.2, 0.0, 1, 0.9, "partly"),  # behind on most real sets
        (0.0, 0.0, -1, 0.9, "not reproduced"),
    ],
)
def test_clusters_are_judged_by_three_parts(
    monkeypatch, stored, scattered, clustered, link, loss, expected
):
    real = pd.DataFrame({"clustering": np.linspace(0.4, 0.9, 20)})
    real["difference"] = link * np.linspace(-0.1, 0.1, 20) - loss
    real["low"], real["high"] = real["difference"] - 0.2, real["difference"] + 0.2
    monkeypatch.setattr(claims, "cluster_study", lambda: made_up_study(scattered, clustered))
    monkeypatch.setattr(claims, "real_clustering", lambda table5, clusters: real)
    assert verdict(stored, "14") == expected


def test_the_picture_shows_what_there_is(stored):
    import matplotlib.pyplot as plt

    simulated = made_up_study(-0.2, 0.0)
    real = paper.real_clustering(stored["table5"], stored["clusters"])
    for part in (real, real[:1], real[:0]):
        figure, data = paper.cluster_picture(simulated, part)
        assert (data["panel"] == "real").sum() == len(part)
        assert (data["panel"] == "simulated").sum() == len(simulated)
        plt.close(figure)


# growth of the work


def test_slopes_of_powers_are_their_exponents():
    index = pd.MultiIndex.from_tuples(
        [(g, v) for g in "nd" for v in (1, 10, 100)], names=["grows", "value"]
    )
    values = index.get_level_values("value").to_numpy(float)
    powers = np.where(index.get_level_values("grows") == "n", 2.0, 0.5)
    study = pd.DataFrame({("ms", "a"): 3 * values**powers}, index=index)
    found = studies.slopes(study)["ms", "a"]
    assert found.to_dict() == pytest.approx({"n": 2.0, "d": 0.5})


def test_steps_are_counted_by_hand():
    X = np.arange(8.0)[:, None] * [1, 0]
    y = np.array([0, 0, 0, 0, 1, 1, 0, 0])
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    # the root splits 8 rows, one of its branches the 6 that are left (or 4, then 4 and 2)
    sizes = tree.tree_.n_node_samples[tree.tree_.feature >= 0]
    assert studies._steps_of_tree(tree, 8, 2) == pytest.approx(
        2 * sum(size * np.log2(size) for size in sizes)
    )
    c45 = C45Classifier(pruning=None).fit(X[:, :1], np.repeat([0, 1], 4))
    assert studies._steps_of_c45(c45, 8, 1) == pytest.approx(8 * 3 + 8)
    boxes = studies._fast_boxes().fit(X[:, :1], y)
    assert studies._steps_of_boxes(boxes, 8, 1) == 2 * (8 + 10 * 10 * 2)


def test_growth_of_a_small_study():
    study = studies.growth_study(sizes=(500, 1_000), dimensions=(2, 4), size=1_000, dimension=2)
    assert (study > 0).all(axis=None)
    exponents = studies.slopes(study)["million steps"]
    assert exponents["Fast Boxes"].tolist() == pytest.approx([1, 1])
    shown = paper.growth_table(study).frame
    assert shown.index.tolist()[-2:] == ["exponent of n", "exponent of d"]
    assert len(shown) == 6


@pytest.mark.parametrize(
    ("in_n", "in_d", "expected"),
    [(1.5, 1.5, "reproduced"), (1.5, 1.0, "partly"), (1.05, 1.05, "partly")],
)
def test_exponents_must_be_clearly_smaller(monkeypatch, stored, in_n, in_d, expected):
    columns = pd.MultiIndex.from_product(
        [["million steps"], ["Fast Boxes", "scikit-learn's tree", "C4.5"]]
    )
    exponents = pd.DataFrame(
        [[1.0, in_n, in_n], [1.0, 2.0, in_d]], index=["n", "d"], columns=columns
    )
    monkeypatch.setattr(claims, "growth_study", lambda: None)
    monkeypatch.setattr(claims, "slopes", lambda study: exponents)
    assert verdict(stored, "07") == expected
    rows = stored["table5"].rows
    many = rows.assign(size=rows["size"].mask(rows["method"] == "fast-boxes", 1e6))
    none = {"reproduced": "partly", "partly": "not reproduced"}
    if in_n == in_d:
        complex_boxes = Results(TABLE5, many, stored["table5"].planned)
        assert verdict(stored, "07", table5=complex_boxes) == none[expected]


def test_a_fold_without_a_split_has_all_rows():
    experiment = paper.PAPER.experiments["clusters"]
    data = datasets.load("glass2")
    fold = experiment.fold_of(Task("glass2", "clustering", 0, 0, 0), data.X, data.y)
    assert isinstance(fold, Fold)
    pd.testing.assert_frame_equal(fold.X_train, data.X.reset_index(drop=True))
    (row,) = experiment.methods["clustering"].run(fold).values()
    assert row["clustering"] == clustering(data.X.to_numpy(), data.y == 1)
