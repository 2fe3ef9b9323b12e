"""The small studies of Box Drawings: clusters of positives, growth of the work."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from minority.trees import C45Classifier
from minority_reports.papers.box_drawings import studies, tables

KINDS = studies.CLUSTERED + studies.MORE_THAN_BOXES + studies.UNCLUSTERED


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


def test_the_study_runs_the_protocol_of_table_5():
    study = studies.cluster_study(dimensions=(2,), draws=1)
    assert study["arrangement"].tolist() == [str(kind) for kind in KINDS]
    assert study[["fast-boxes", "cart"]].to_numpy().min() >= 0.5
    one = study.set_index("arrangement").loc["1"]
    assert one["fast-boxes"] > 0.95
    again = pd.Series(studies.scene_scores(1, 2, 0, 0)).drop("arrangement")
    assert again.to_dict() == pytest.approx(study.iloc[0].drop("arrangement").to_dict(), rel=1e-9)


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
    shown = tables.growth_table(study).frame
    assert shown.index.tolist()[-2:] == ["exponent of n", "exponent of d"]
    assert len(shown) == 6
