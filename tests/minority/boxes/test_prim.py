"""PRIM against a plain search with exact fractions, and against its promises."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit

from minority.boxes import PRIMClassifier
from minority.boxes import _prim_kernels as kernels
from minority_reports.datasets import load

# ---------------------------------------------------------------------------------------------
# Peeling and pasting by masks, in exact arithmetic, every strip counted afresh.


@st.composite
def weighted_tables(draw):
    """Few rows of small integers, so that ties are frequent, with a class and a weight each."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    cells = draw(st.lists(st.integers(0, 7), min_size=n * d, max_size=n * d))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return np.reshape(cells, (n, d)).astype(float), np.array(y), np.array(weight)


shares = st.sampled_from(["0", "0.05", "0.1", "0.25", "0.5"])


def total(weight, mask):
    return int(weight[mask].sum())


def mean_of(y, weight, mask):
    return Fraction(total(weight, mask & y), total(weight, mask))


def strip_of(values, weight, candidates, budget, upper):
    """Mask of the whole groups of equal values within the budget, at least one, from one end."""
    strip = np.zeros(len(values), dtype=bool)
    for value in sorted(set(values[candidates]), reverse=upper):
        wider = strip | (candidates & (values == value))
        if strip.any() and total(weight, wider) > budget:
            break
        strip = wider
    return strip


def plain_peels(X, y, weight, alpha, min_weight, per_weight):
    """The masks of all boxes on the way, and their bounds."""
    inside = np.ones(len(X), dtype=bool)
    lower, upper = np.full(X.shape[1], -np.inf), np.full(X.shape[1], np.inf)
    boxes = [(inside, lower, upper)]
    while True:
        mean, in_box = mean_of(y, weight, inside), total(weight, inside)
        candidates = []
        for j in range(X.shape[1]):
            for side in (0, 1):
                strip = strip_of(X[:, j], weight, inside, alpha * in_box, upper=bool(side))
                rest = inside & ~strip
                if not rest.any() or total(weight, rest) < min_weight:
                    continue
                score = mean_of(y, weight, rest)
                if per_weight:
                    score = (score - mean) * in_box / total(weight, strip)
                candidates.append((score, total(weight, rest), -j, -side, rest))
        if not candidates:
            return boxes
        *_, j, side, inside = max(candidates, key=lambda c: c[:4])
        lower, upper = lower.copy(), upper.copy()
        if side:
            upper[-j] = X[inside, -j].max()
        else:
            lower[-j] = X[inside, -j].min()
        boxes.append((inside, lower, upper))


def in_box(X, lower, upper):
    return ((lower <= X) & (upper >= X)).all(axis=1)


def plain_pastes(X, y, weight, lower, upper, alpha):
    """The boxes after each pasting step."""
    boxes = []
    while True:
        inside = in_box(X, lower, upper)
        candidates = []
        for j in range(X.shape[1]):
            for side in (0, 1):
                open_lower, open_upper = lower.copy(), upper.copy()
                (open_upper if side else open_lower)[j] = np.inf if side else -np.inf
                beyond = in_box(X, open_lower, open_upper) & ~inside
                budget = alpha * total(weight, inside)
                strip = strip_of(X[:, j], weight, beyond, budget, upper=not side)
                if not strip.any():
                    continue
                face = X[strip, j].max() if side else X[strip, j].min()
                if not (X[:, j] > face if side else X[:, j] < face).any():
                    face = np.inf if side else -np.inf
                (open_upper if side else open_lower)[j] = face
                whole = inside | strip
                key = (mean_of(y, weight, whole), total(weight, whole), -j, -side)
                candidates.append((key, open_lower, open_upper))
        if not candidates:
            return boxes
        key, lower, upper = max(candidates, key=lambda c: c[0])
        if key[0] < mean_of(y, weight, inside):
            return boxes
        boxes.append((lower, upper))


def arrays(X, y, weight):
    """The first arguments of the kernels."""
    columns = np.ascontiguousarray(X.T)
    return columns, columns.argsort(axis=1), weight * y * 1.0, weight * ~y * 1.0


@settings(max_examples=150, deadline=None)
@given(weighted_tables(), shares, shares, st.sampled_from([0, 1, 3, 8]), st.booleans())
def test_trajectory_is_that_of_a_plain_search(table, peel_alpha, paste_alpha, least, per_weight):
    X, y, weight = table
    path = kernels.trajectory(
        arrays(X, y, weight),
        peel_alpha=float(peel_alpha),
        paste_alpha=float(paste_alpha),
        min_weight=least,
        per_weight=per_weight,
    )
    peels = plain_peels(X, y, weight, Fraction(peel_alpha), least, per_weight)
    _, lower, upper = peels[-1]
    pastes = plain_pastes(X, y, weight, lower, upper, Fraction(paste_alpha))
    assert path.n_peeled == len(peels)
    np.testing.assert_array_equal(path.lower, [b[1] for b in peels] + [b[0] for b in pastes])
    np.testing.assert_array_equal(path.upper, [b[2] for b in peels] + [b[1] for b in pastes])
    # Weights and means counted afresh from the bounds.
    masks = [in_box(X, *bounds) for bounds in zip(path.lower, path.upper, strict=True)]
    for (mask, _, _), other in zip(peels, masks, strict=False):
        np.testing.assert_array_equal(mask, other)
    np.testing.assert_array_equal(path.weight, [total(weight, m) for m in masks])
    np.testing.assert_allclose(path.mean, [float(mean_of(y, weight, m)) for m in masks])
    assert (path.weight[1:] >= least).all()


def test_paste_by_hand():
    """From [3, 5] the face passes two positives at 6 and 7, and stops before the negatives."""
    X = np.arange(12.0)[:, None]
    y = np.isin(np.arange(12), [3, 5, 6, 7])
    data = arrays(X, y, np.ones(12))
    faces, path = kernels.paste(*data, np.array([3.0]), np.array([5.0]), 0.3)
    assert faces.tolist() == [[0, 0], [1, 1]]
    assert path.tolist() == [[6, 7], [3, 4], [1, 1]]


def test_paste_drops_a_face_with_nothing_beyond():
    X, y = np.arange(4.0)[:, None], np.array([False, False, True, True])
    _, path = kernels.paste(*arrays(X, y, np.ones(4)), np.array([2.0]), np.array([2.0]), 0.0)
    assert path[0].tolist() == [np.inf]


def test_held_out_means_pair_boxes_of_nearest_support():
    rng = np.random.default_rng(0)
    X, fold = rng.normal(size=(90, 2)), np.arange(90) % 3
    y = X[:, 0] + rng.normal(size=90) > 1
    model = PRIMClassifier(cv=PredefinedSplit(fold), max_boxes=1, paste_alpha=None).fit(X, y)
    path = model.trajectories_[0]
    counts = np.zeros((len(path), 2))
    for k in range(3):
        train, test = fold != k, fold == k
        part = kernels.trajectory(
            arrays(X[train], y[train], np.ones(60)),
            peel_alpha=0.05,
            paste_alpha=None,
            min_weight=3,
            per_weight=False,
        )
        for t, support in enumerate(path["support"]):
            nearest = np.abs(part.weight / 60 - support).argmin()
            covered = test & in_box(X, part.lower[nearest], part.upper[nearest])
            counts[t] += (covered & y).sum(), covered.sum()
    np.testing.assert_allclose(path["cv_mean"], counts[:, 0] / counts[:, 1])
    assert path["cv_mean"].max() == path.loc[path["chosen"], "cv_mean"].item()


# ---------------------------------------------------------------------------------------------
# The classifier.


def two_bumps(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    first = (X[:, 0] > 0.75) & (X[:, 1] > 0.75)
    second = (X[:, 0] < 0.2) & (X[:, 2] < 0.2)
    return X, np.where(first | second, rng.uniform(size=n) < 0.9, rng.uniform(size=n) < 0.02)


def test_finds_the_square():
    data = load("square")
    model = PRIMClassifier(class_weight="balanced").fit(data.X, data.y)
    assert len(model.boxes_) == 1
    np.testing.assert_allclose(model.boxes_.lower, 45, atol=0.5)
    np.testing.assert_allclose(model.boxes_.upper, 55, atol=0.5)
    np.testing.assert_array_equal(model.predict(data.X), data.y)


def test_covering_removes_rows_and_supports_stay_above_the_minimum():
    X, y = two_bumps()
    model = PRIMClassifier(min_support=0.03).fit(X, y)
    assert len(model.boxes_) >= 2
    taken = np.zeros(len(X), dtype=bool)
    for k, covered in enumerate(model.boxes_.covers_each(X)):
        own = covered & ~taken
        assert model.box_means_[k] == pytest.approx(y[own].mean())
        assert model.box_supports_[k] == pytest.approx(own.mean())
        chosen = model.trajectories_[k].query("chosen").squeeze()
        assert (chosen["mean"], chosen["support"]) == pytest.approx((y[own].mean(), own.mean()))
        assert model.trajectories_[k]["support"].min() >= 0.03
        taken |= covered
    assert (model.box_means_ > y.mean()).all()
    np.testing.assert_array_equal(model.predict(X), taken)
    np.testing.assert_array_equal(model.decision_function(X) > 0, taken)


def test_noise_gives_no_box_or_few():
    """Held-out means keep boxes out of the model that only training data support."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 3)), rng.uniform(size=1000) < 0.2
    with_cv, without = PRIMClassifier().fit(X, y), PRIMClassifier(cv=None).fit(X, y)
    assert len(with_cv.boxes_) < len(without.boxes_) == 5


def test_affine_rescaling_moves_the_boxes_along():
    X, y = two_bumps()
    scale, shift = np.array([2.0, 0.25, 64.0]), np.array([1.0, -4.0, 0.0])
    model, moved = PRIMClassifier().fit(X, y), PRIMClassifier().fit(X * scale + shift, y)
    np.testing.assert_allclose(moved.boxes_.lower, model.boxes_.lower * scale + shift)
    np.testing.assert_allclose(moved.boxes_.upper, model.boxes_.upper * scale + shift)
    np.testing.assert_array_equal(moved.predict(X * scale + shift), model.predict(X))


@pytest.mark.parametrize("cv", [None, "folds"])
def test_weights_are_repetitions(cv):
    X, y = two_bumps(200)
    rng = np.random.default_rng(1)
    weight, fold = rng.integers(0, 4, size=200), np.arange(200) % 3
    plain, repeated = PRIMClassifier(cv=None), PRIMClassifier(cv=None)
    if cv:
        plain.cv, repeated.cv = PredefinedSplit(fold), PredefinedSplit(fold.repeat(weight))
    plain.fit(X, y, sample_weight=weight)
    repeated.fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert plain.boxes_ == repeated.boxes_
    np.testing.assert_allclose(plain.predict_proba(X), repeated.predict_proba(X))
    for a, b in zip(plain.trajectories_, repeated.trajectories_, strict=True):
        pd.testing.assert_frame_equal(a, b)


def test_class_weights_are_sample_weights():
    X, y = two_bumps()
    by_class = PRIMClassifier(class_weight={False: 0.1, True: 1}, pos_label=True).fit(X, y)
    by_row = PRIMClassifier(pos_label=True).fit(X, y, sample_weight=np.where(y, 1, 0.1))
    assert by_class.boxes_ == by_row.boxes_
    np.testing.assert_allclose(by_class.box_means_, by_row.box_means_)
    covered = by_class.boxes_.covers_each(X)[0]
    share = y[covered].mean()
    assert by_class.box_means_[0] == pytest.approx(share / (share + 0.1 * (1 - share)))


def test_gain_is_patient_where_mean_is_not():
    """Peeling the nine tenths with x1 = 0 raises the mean most, but little per row."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(size=1000), np.arange(1000) % 10 == 0])
    y = (X[:, 0] > 0.7) | ((X[:, 1] == 1) & (rng.uniform(size=1000) < 0.3))
    first_peels = [
        PRIMClassifier(criterion=criterion, cv=None).fit(X, y).trajectories_[0]["support"][1]
        for criterion in ("mean", "gain")
    ]
    assert first_peels == pytest.approx([0.1, 0.95])


def test_text_names_the_columns_and_the_class():
    X, y = two_bumps()
    frame = pd.DataFrame(X, columns=["width of it", "b", "c"])
    model = PRIMClassifier(max_boxes=1, min_support=0.03).fit(frame, np.where(y, "rare", "usual"))
    assert model.pos_label_ == "rare"
    text = model.to_text()
    assert text.startswith("rare if ") and "width of it" in text
    table = model.rules_frame(frame, np.where(y, "rare", "usual"))
    assert table["precision"].iloc[0] == pytest.approx(model.box_means_[0])
    assert len(frame.query(model.boxes_.to_query())) == table["support"].iloc[0]


def test_score_follows_pos_label_and_probabilities_are_laplace():
    X, y = two_bumps()
    model = PRIMClassifier(pos_label=True).fit(X, y)
    flipped = PRIMClassifier(pos_label="a").fit(X, np.where(y, "a", "b"))
    np.testing.assert_array_equal(flipped.decision_function(X), -model.decision_function(X))
    np.testing.assert_array_equal(flipped.predict(X) == "a", model.predict(X))
    outside = ~model.boxes_.covers(X)
    expected = (y[outside].sum() + 1) / (outside.sum() + 2)
    np.testing.assert_allclose(model.predict_proba(X)[outside, 1], expected)


def test_plots():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = two_bumps()
    model = PRIMClassifier().fit(X, y)
    assert model.plot(X, y, features=(0, 2)).get_xlabel() == "x0"
    ax = model.plot_trajectory()
    assert len(ax.get_legend().get_texts()) == len(model.trajectories_) + 1


@pytest.mark.parametrize(
    ("X", "y", "n_boxes"),
    [
        ([[1.0], [1.0], [1.0]], [0, 0, 1], 0),  # nothing to peel
        ([[0.0], [1.0]], [0, 1], 1),
        ([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]], [0, 0, 1], 1),  # one positive: chosen without cv
        ([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1], 0),  # duplicates of both classes
        ([[-1e308], [0.0], [1e308]], [0, 0, 1], 1),
    ],
)
def test_little_data(X, y, n_boxes):
    model = PRIMClassifier().fit(X, y)
    assert len(model.boxes_) == n_boxes
    np.testing.assert_array_equal(model.predict(X), np.multiply(y, n_boxes))
    assert np.isfinite(model.decision_function(X)).all()
    assert model.to_text().startswith("1 if" if n_boxes else "1: never")


@pytest.mark.parametrize(
    ("params", "fit_params", "message"),
    [
        ({"pos_label": 7}, {}, "pos_label=7 is not among"),
        ({"class_weight": {0: 0, 1: 1}}, {}, "Class weights must be positive"),
        ({}, {"sample_weight": [1, -1, 1]}, "Negative values"),
        ({}, {"sample_weight": [1, np.nan, 1]}, "contains NaN"),
        ({}, {"sample_weight": [1, 1, 0]}, "two classes with weights"),
        ({"peel_alpha": 1.0}, {}, "peel_alpha"),
    ],
)
def test_clear_errors(params, fit_params, message):
    with pytest.raises(ValueError, match=message):
        PRIMClassifier(**params).fit([[0.0], [1.0], [2.0]], [0, 0, 1], **fit_params)


def test_infinite_values_are_rejected():
    with pytest.raises(ValueError, match="infinity"):
        PRIMClassifier().fit([[0.0], [np.inf], [2.0]], [0, 0, 1])
