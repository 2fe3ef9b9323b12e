"""Exact Boxes as a classifier: what it proves, where it puts faces, what it says about itself."""

import time
import warnings
from functools import partial
from itertools import combinations_with_replacement, count, pairwise, product

import numpy as np
import pandas as pd
import pytest
from brute import (
    best_objective,
    best_sparse_objective,
    right,
    small_tables,
    sparse_objective,
    verdicts,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minority.boxes import ExactBoxesClassifier, FastBoxesClassifier, exact_boxes_path
from minority.boxes import _exact_solve as exact
from minority.boxes._exact_problem import make_problem
from minority_reports import datasets

FACES = ("tight", "midgap", "expand", "largest")
SOLVERS = [("search", "reduced"), ("highs", "reduced"), ("highs", "full"), ("cbc", "reduced")]

two_classes = small_tables(6, 8, 3).filter(lambda table: 0 < table[1].sum() < len(table[1]))
statements = st.fixed_dictionaries(
    {
        "majority_weight": st.sampled_from([0.1, 2 / 7, 0.5, 1.0]),
        "box_cost": st.sampled_from([0.0, 0.1, 1.0]),
        "max_boxes": st.integers(1, 3),
    }
)


def fit(X, positive, *, time_limit=1e6, **parameters):
    """With the positives as the class to describe, however many they are, and all time it takes."""
    parameters |= {"time_limit": time_limit, "pos_label": True, "random_state": 0}
    return ExactBoxesClassifier(**parameters).fit(X, positive)


def pairs(boxes):
    return list(zip(boxes.lower, boxes.upper, strict=True))


def objective(X, positive, boxes, *, majority_weight, box_cost, margin=0.0, **_):
    positives, negatives = right(X, positive, boxes, margin)
    return positives + majority_weight * negatives - box_cost * len(boxes)


def real(name):
    data = datasets.load(name)
    return np.asarray(data.X, dtype=float), np.asarray(data.y) == 1


def noise(n=600, n_positives=120, d=6, seed=0):
    """Nothing to find, and a long time to prove it."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, np.arange(n) < n_positives


# ---------------------------------------------------------------------------------------------
# The optimum


@settings(deadline=None, max_examples=40)
@given(two_classes, statements)
def test_objective_is_the_best_and_that_of_the_boxes(table, chosen):
    model = fit(*table, **chosen)
    assert model.status_ == "optimal" and model.gap_ == 0
    assert model.bound_ == model.objective_ == pytest.approx(best_objective(*table, **chosen))
    tight = model.with_faces("tight", *table)
    for boxes in (model.boxes_, tight):
        reached = objective(*table, pairs(boxes), **chosen)
        assert reached == pytest.approx(model.objective_)
    assert model.members_.shape == (len(model.boxes_), table[1].sum())
    np.testing.assert_array_equal(model.members_, tight.covers_each(table[0][table[1]]))


@pytest.mark.parametrize("max_boxes", [1, 2])
@pytest.mark.parametrize("name", ["glass4", "glass5", "ecoli4"])
def test_solvers_agree_on_real_data(name, max_boxes):
    X, positive = real(name)
    chosen = {"majority_weight": 0.5, "box_cost": 0.1, "max_boxes": max_boxes}
    objectives = []
    for solver, formulation in SOLVERS:
        if (name, max_boxes, solver) == ("ecoli4", 2, "cbc"):
            continue  # takes it 7 s
        model = fit(X, positive, solver=solver, formulation=formulation, **chosen)
        assert model.status_ == "optimal"
        assert model.bound_ == model.objective_
        assert objective(X, positive, pairs(model.boxes_), **chosen) == pytest.approx(
            model.objective_
        )
        objectives.append(model.objective_)
    assert len(set(objectives)) == 1


@settings(deadline=None, max_examples=25)
@given(two_classes, statements, st.integers(0, 2), st.sampled_from([0, 1, 30]))
def test_no_worse_than_fast_boxes(table, chosen, seed, expansion):
    """Claim 13: on the training examples no other boxes are better."""
    X, positive = table
    n_clusters = min(chosen["max_boxes"], int(positive.sum()))
    fast = FastBoxesClassifier(
        n_clusters=n_clusters,
        majority_weight=chosen["majority_weight"],
        expansion=expansion,
        pos_label=True,
        random_state=seed,
    ).fit(X, positive)
    model = fit(X, positive, **chosen)
    for boxes in (fast.boxes_, fast.start_boxes_):
        assert model.objective_ >= objective(X, positive, pairs(boxes), **chosen) - 1e-9


@pytest.mark.parametrize("name", ["glass2", "ecoli4"])
def test_no_worse_than_fast_boxes_on_real_data(name):
    X, positive = real(name)
    chosen = {"majority_weight": 0.3, "box_cost": 0.1, "max_boxes": 3}
    model = fit(X, positive, **chosen)
    for expansion in (0, 1, 30):
        fast = FastBoxesClassifier(
            n_clusters=3, majority_weight=0.3, expansion=expansion, random_state=0
        ).fit(X, positive)
        reached = objective(X, positive, pairs(fast.boxes_), **chosen)
        assert model.objective_ >= reached - 1e-9


# ---------------------------------------------------------------------------------------------
# Faces and margin


def check_faces(X, positive, margin, **chosen):
    models = [fit(X, positive, faces=faces, margin=margin, **chosen) for faces in FACES]
    tight = models[0]
    let_in = tight.boxes_.covers(X[~positive])
    for smaller, larger in [*pairwise(models[:3]), (models[0], models[3])]:
        assert (larger.boxes_.lower <= smaller.boxes_.lower).all()
        assert (larger.boxes_.upper >= smaller.boxes_.upper).all()
    v = margin * tight._unit
    for model in models:
        np.testing.assert_array_equal(model.members_, tight.members_)
        again = model.with_faces("tight", X, positive)
        np.testing.assert_array_equal(again.lower, tight.boxes_.lower)
        np.testing.assert_array_equal(again.upper, tight.boxes_.upper)
        np.testing.assert_array_equal(model.boxes_.covers(X[~positive]), let_in)
        assert (model.boxes_.covers_each(X[positive]) >= tight.members_).all()
        inside, failed = tight.members_, np.zeros((len(tight.boxes_), (~positive).sum()), bool)
        for k, box in enumerate(pairs(model.boxes_)):
            covered, failed[k] = verdicts(X, positive, box, v)
            assert (covered >= inside[k]).all()
        counted = inside.any(axis=0).sum() + chosen["majority_weight"] * (~failed.any(axis=0)).sum()
        assert counted - chosen["box_cost"] * len(inside) == pytest.approx(model.objective_)
    return tight


@settings(deadline=None, max_examples=15)
@given(two_classes, statements, st.sampled_from([0.0, 0.1, 0.25, 0.3]))
def test_faces_do_not_change_what_is_classified(table, chosen, margin):
    check_faces(*table, margin, **chosen)


@pytest.mark.parametrize("solver", ["search", "highs", "cbc"])
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.05])
def test_margin_is_honoured_by_every_solver(solver, margin):
    X, positive = real("glass5")
    chosen = {"majority_weight": 0.5, "box_cost": 0.1, "max_boxes": 2, "solver": solver}
    tight = check_faces(X, positive, margin, **chosen)
    assert tight.status_ == "optimal"
    reference = fit(X, positive, margin=margin, **chosen | {"solver": "search"})
    assert tight.objective_ == reference.objective_
    if margin:
        assert tight.objective_ <= fit(X, positive, **chosen).objective_
        v = margin * tight._unit
        assert (tight.boxes_.upper - tight.boxes_.lower >= 2 * v - 1e-9).all()


@settings(deadline=None, max_examples=8)
@given(two_classes, statements, st.sampled_from([0.25, 0.3]), st.sampled_from(["highs", "cbc"]))
def test_margin_of_small_tables_is_honoured_by_the_programs(table, chosen, margin, solver):
    check_faces(*table, margin, solver=solver, **chosen)


@st.composite
def rulers(draw):
    """Points on the marks 0, 1, ..., 10 of each feature, the ends among them: many ties."""
    d, n_positives = draw(st.integers(1, 2)), draw(st.integers(1, 6))
    n = n_positives + draw(st.integers(5, 20))
    marks = draw(st.lists(st.integers(0, 10), min_size=n * d, max_size=n * d))
    X = np.vstack([np.array(marks, dtype=float).reshape(n, d), np.zeros(d), np.full(d, 10.0)])
    return X, np.arange(len(X)) < n_positives


@example((np.arange(11.0)[:, None], np.arange(11) == 3), 0.1, 0.1, 0.0, 1.0, "midgap")
@settings(deadline=None, max_examples=60)
@given(
    rulers(),
    st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.15]),  # 0.5, 1, 2, 3 marks apart, and between two
    st.sampled_from([10.0, 0.1, 1 / 3, 7.0, 2.0**40, 2.0**-30]),
    st.sampled_from([0.0, 1.0, -3.0, 1024.0]),
    st.sampled_from([0.1, 0.5, 1.0]),
    st.sampled_from(FACES),
)
def test_margin_does_not_depend_on_units(table, margin, factor, shift, weight, faces):
    """Also where negatives lie at exactly one or two margins from the positives."""
    X, positive = table
    chosen = {"majority_weight": weight, "box_cost": 0.1, "max_boxes": 1, "margin": margin}
    best = best_objective(X / 5 - 1, positive, **chosen)
    model = fit(X, positive, faces=faces, **chosen)
    moved = (X + shift) * factor
    problems = [
        make_problem(data, positive, feature_unit=unit, **chosen)
        for data, unit in ((X, 5.0), (moved, 5.0 * factor))
    ]
    for name in ("positives", "below", "above", "costs"):
        np.testing.assert_array_equal(*(getattr(problem, name) for problem in problems))
    other = fit(moved, positive, faces=faces, **chosen)
    assert other.objective_ == model.objective_ == pytest.approx(best)
    np.testing.assert_array_equal(other.members_, model.members_)
    np.testing.assert_array_equal(other.predict(moved), model.predict(X))
    for data, fitted, unit in ((X, model, 5.0), (moved, other, 5.0 * factor)):
        boxes = [(low / unit, high / unit) for low, high in pairs(fitted.boxes_)]
        assert objective(data / unit, positive, boxes, **chosen) == pytest.approx(best)


@settings(deadline=None, max_examples=30)
@given(rulers(), st.sampled_from([0.1, 0.2]), st.sampled_from([10.0, 1 / 3]), st.integers(2, 3))
def test_margin_of_several_boxes_does_not_depend_on_units(table, margin, factor, max_boxes):
    X, positive = table
    chosen = {"majority_weight": 0.5, "box_cost": 0.1, "max_boxes": max_boxes, "margin": margin}
    first, second = (fit(data, positive, **chosen) for data in (X, factor * X))
    best = best_objective(X / 5 - 1, positive, **chosen)
    assert first.objective_ == second.objective_ == pytest.approx(best)


def test_a_margin_below_rounding_keeps_negatives_apart():
    X, positive = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([False, True, False, False])
    model = fit(X, positive, margin=1e-12, max_boxes=1)
    assert model.objective_ == fit(X, positive, max_boxes=1).objective_


@pytest.mark.parametrize("margin", [0.0, 0.05])
@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_faces_of_sized_boxes_at_the_ends_of_the_data_vanish(solver, margin):
    X = np.array([[1.0, 0.1], [2.0, 0.2], [3.0, 0.3], [6.0, 0.2], [9.0, 0.1]]) + 0.7
    positive = np.array([True, True, True, False, False])
    model = fit(X, positive, penalty="size", solver=solver, max_boxes=1, margin=margin)
    assert model.boxes_.lower.tolist() == [[-np.inf, -np.inf]]
    assert 3.7 < model.boxes_.upper[0, 0] < 6.7 and model.boxes_.upper[0, 1] == np.inf
    assert model.predict([[-5.0, 9.0], [12.0, 0.9]]).tolist() == [True, False]


def test_faces_where_they_are_said_to_be():
    X = np.array([[0.0], [4.0], [5.0], [8.0], [20.0]])
    positive = np.array([False, True, True, False, False])
    expected = {"tight": (4, 5), "midgap": (2, 6.5), "expand": (0.04, 7.97)}
    for faces, ends in expected.items():
        model = fit(X, positive, faces=faces, max_boxes=1, box_cost=0)
        np.testing.assert_allclose([model.boxes_.lower[0, 0], model.boxes_.upper[0, 0]], ends)
    outer = fit(X, positive, faces="midgap", max_boxes=1, margin=0.05)  # v is half a unit here
    np.testing.assert_allclose(outer.boxes_.lower, [[1.75]])
    np.testing.assert_allclose(outer.boxes_.upper, [[6.75]])
    np.testing.assert_allclose(outer.with_faces("tight", X, positive).lower, [[3.5]])


def test_largest_passes_by_what_other_faces_keep_out():
    X = np.array([[4.0, 4.0], [5.0, 5.0], [9.0, 7.0], [1.0, 0.0]])
    model = fit(X, np.arange(4) < 2, faces="largest", max_boxes=1)
    assert model.to_text() == "True if 2 <= x1 <= 6\nNot used: x0"
    assert len(model.with_faces("midgap", X, np.arange(4) < 2).conditions()[0]) == 2


def test_faces_with_no_negative_beyond_vanish():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0], [5.0, 1.0]])
    positive = np.array([True, True, False, False])
    model = fit(X, positive, max_boxes=1)
    assert (model.boxes_.lower[0] == -np.inf).all()
    assert model.boxes_.upper[0].tolist() == [2, np.inf]
    assert model.with_faces("tight", X, positive).upper[0].tolist() == [1, 1]


# ---------------------------------------------------------------------------------------------
# What is reported


@settings(deadline=None, max_examples=40)
@given(
    two_classes,
    statements,
    st.sampled_from([1e-9, 1e-4, 1e-3, 5.0]),
    st.sampled_from([None, "neighbourhood", "clusters"]),
)
def test_what_is_reported_holds(table, chosen, time_limit, decomposition):
    model = fit(*table, time_limit=time_limit, decomposition=decomposition, **chosen)
    best = best_objective(*table, **chosen)
    assert model.objective_ <= best + 1e-9
    assert model.bound_ >= best - 1e-9
    assert model.gap_ >= 0
    assert (model.status_ == "optimal") == (model.bound_ == model.objective_)
    assert (model.gap_ == 0) == (model.status_ == "optimal")
    assert len(model.boxes_) <= chosen["max_boxes"]
    reached = objective(*table, pairs(model.boxes_), **chosen)
    assert reached == pytest.approx(model.objective_)


@pytest.mark.parametrize("solver", ["search", "highs", "cbc"])
def test_no_time_returns_the_best_so_far(solver):
    X, positive = noise()
    chosen = {"majority_weight": 0.3, "box_cost": 0.1, "max_boxes": 3}
    model = fit(X, positive, solver=solver, time_limit=1e-9, **chosen)
    assert model.status_ == "time_limit"
    assert model.bound_ > model.objective_
    assert model.gap_ == (model.bound_ - model.objective_) / model.objective_
    start = FastBoxesClassifier(n_clusters=3, random_state=0).fit(X, positive).start_boxes_
    assert model.objective_ >= objective(X, positive, pairs(start), **chosen) - 1e-9
    assert model.objective_ == pytest.approx(objective(X, positive, pairs(model.boxes_), **chosen))


def test_more_time_is_no_worse(monkeypatch):
    """By a clock that goes on by a second whenever somebody looks at it."""
    X, positive = noise(seed=1)
    models = []
    for looks in (1, 20, 60):
        monkeypatch.setattr(time, "perf_counter", partial(next, count(0.0)))
        models.append(fit(X, positive, majority_weight=0.2, max_boxes=2, time_limit=looks))
    for shorter, longer in pairwise(models):
        assert shorter.status_ == longer.status_ == "time_limit"
        assert shorter.objective_ <= longer.objective_
        assert longer.bound_ <= shorter.bound_
    assert models[0].objective_ < models[-1].objective_


@settings(deadline=None, max_examples=15)
@given(two_classes, statements, st.integers(1, 3), st.sampled_from(["overall", "one_feature"]))
def test_neighbourhood_reaches_the_optimum_of_all(table, chosen, n_neighbors, closeness):
    near = {"n_neighbors": n_neighbors, "closeness": closeness}
    model = fit(*table, decomposition="neighbourhood", **near, **chosen)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(best_objective(*table, **chosen))


@settings(deadline=None, max_examples=20)
@given(two_classes, statements)
def test_clusters_are_never_above_the_optimum(table, chosen):
    model = fit(*table, decomposition="clusters", **chosen)
    best = best_objective(*table, **chosen)
    assert model.objective_ <= best + 1e-9 and model.bound_ >= best - 1e-9
    assert model.status_ in ("optimal", "decomposed")
    if model.status_ == "optimal":
        assert model.objective_ == pytest.approx(best)
    if chosen["max_boxes"] == 1:
        assert model.objective_ == pytest.approx(best)


def test_decompositions_of_real_data():
    X, positive = real("ecoli4")
    chosen = {"max_boxes": 2}
    full = fit(X, positive, **chosen)
    near = fit(X, positive, decomposition="neighbourhood", **chosen)
    parts = fit(X, positive, decomposition="clusters", **chosen)
    assert full.objective_ == near.objective_ >= parts.objective_
    assert near.status_ == "optimal"
    assert parts.bound_ >= full.objective_
    assert parts.status_ == ("optimal" if parts.bound_ == parts.objective_ else "decomposed")


def test_unproven_clusters_say_so():
    X, positive = noise()
    model = fit(X, positive, max_boxes=4, decomposition="clusters", time_limit=0.5)
    assert model.status_ == "decomposed"
    assert model.bound_ > model.objective_
    assert model.gap_ > 0


def test_threads_and_repetition_do_not_change_the_model():
    X, positive = real("glass2")
    first, *others = [
        fit(X, positive, max_boxes=3, majority_weight=0.3, n_jobs=n_jobs) for n_jobs in (1, 1, 2)
    ]
    for other in others:
        np.testing.assert_array_equal(first.boxes_.lower, other.boxes_.lower)
        np.testing.assert_array_equal(first.boxes_.upper, other.boxes_.upper)
        assert first.objective_ == other.objective_


# ---------------------------------------------------------------------------------------------
# Path


@settings(deadline=None, max_examples=8)
@given(two_classes, statements, st.lists(st.sampled_from([0.1, 0.3, 0.5, 1.0]), max_size=3))
def test_path_is_single_fits(table, chosen, weights):
    chosen.pop("majority_weight")
    path = exact_boxes_path(*table, majority_weights=weights, random_state=0, **chosen)
    assert [model.majority_weight for model in path] == weights
    for weight, model in zip(weights, path, strict=True):
        alone = fit(*table, majority_weight=weight, **chosen)
        assert model.objective_ == alone.objective_
        assert model.status_ == "optimal"
        np.testing.assert_array_equal(model.predict(table[0]), model.boxes_.covers(table[0]))


def test_path_starts_from_the_boxes_before():
    X, positive = noise()
    weights = [0.2, 0.2, 0.15]
    path = exact_boxes_path(
        X, positive, majority_weights=weights, max_boxes=2, time_limit=0.3, random_state=0
    )
    for k, (weight, model) in enumerate(zip(weights, path, strict=True)):
        for earlier in path[:k]:
            reached = objective(
                X, positive, pairs(earlier.boxes_), majority_weight=weight, box_cost=0.1
            )
            assert model.objective_ >= reached - 1e-9


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"majority_weights": [0.0]}, "above 0"),
        ({"majority_weights": [np.nan]}, "finite"),
        ({"max_boxes": 0}, "max_boxes"),
        ({"faces": "loose"}, "faces"),
        ({"solver": "search", "penalty": "size"}, "mixed-integer program"),
    ],
)
def test_path_refuses_what_the_classifier_refuses(changed, message):
    X, positive = np.arange(6.0)[:, None], np.arange(6) < 2
    with pytest.raises(ValueError, match=message):
        exact_boxes_path(X, positive, **{"majority_weights": [0.5]} | changed)


# ---------------------------------------------------------------------------------------------
# Unusual input


def test_more_boxes_than_positives_stay_unused():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    positive = np.array([True, False, True, False, False])
    model = fit(X, positive, max_boxes=50, majority_weight=1.0)
    assert len(model.boxes_) == 2
    assert model.objective_ == pytest.approx(4.8)
    assert model.status_ == "optimal"


@pytest.mark.parametrize("solver", ["search", "highs", "cbc"])
def test_duplicates_with_both_labels_count_on_both_sides(solver):
    X = np.array([[0.0, 0.0]] * 3 + [[1.0, 1.0]] * 2)
    positive = np.array([True, True, False, False, False])
    model = fit(X, positive, solver=solver, majority_weight=0.5, max_boxes=1)
    assert model.objective_ == pytest.approx(2 + 2 * 0.5 - 0.1)
    assert model.predict(X).tolist() == [True] * 3 + [False] * 2
    dear = fit(X, positive, solver=solver, majority_weight=2.5, max_boxes=1)
    assert len(dear.boxes_) == 0
    assert dear.objective_ == pytest.approx(7.5)


@pytest.mark.parametrize("solver", ["search", "highs", "cbc"])
def test_all_features_constant(solver):
    X, positive = np.full((5, 2), 7.0), np.array([True, True, False, False, False])
    model = fit(X, positive, solver=solver, majority_weight=0.5, max_boxes=2)
    assert model.objective_ == pytest.approx(2 - 0.1)
    assert model.predict(X).all()
    assert len(fit(X, positive, solver=solver, majority_weight=1.0).boxes_) == 0


def test_a_constant_feature_changes_nothing():
    X, positive = real("glass5")
    wider = np.insert(X, 3, 1.5, axis=1)
    narrow, wide = (fit(data, positive, max_boxes=1) for data in (X, wider))
    assert narrow.objective_ == wide.objective_
    assert (wide.boxes_.lower[:, 3] == -np.inf).all()


@pytest.mark.parametrize("solver", ["search", "highs", "cbc"])
def test_one_positive(solver):
    X, positive = np.array([[0.0], [1.0], [3.0]]), np.array([False, True, False])
    model = fit(X, positive, solver=solver)
    assert model.objective_ == pytest.approx(1 + 2 * 0.5 - 0.1)
    assert model.predict(X).tolist() == [False, True, False]
    assert model.members_.tolist() == [[True]]


def test_no_box_worth_its_cost():
    X, positive = np.array([[0.0], [1.0], [3.0]]), np.array([False, True, False])
    for decomposition in (None, "clusters", "neighbourhood"):
        model = fit(X, positive, box_cost=1.5, decomposition=decomposition)
        assert len(model.boxes_) == len(model.with_faces("tight", X, positive)) == 0
        assert model.members_.shape == (0, 1)
        assert (model.objective_, model.status_) == (1.0, "optimal")
        assert not model.predict(X).any()
        assert (model.decision_function(X) < 0).all()
        assert model.to_text().strip() and "nan" not in model.to_text()


def test_sized_boxes_are_left_to_the_programs():
    X, positive = np.arange(8.0)[:, None], np.isin(np.arange(8), [2, 3])
    with pytest.raises(ValueError, match='solver="highs" or solver="cbc"'):
        fit(X, positive, penalty="size")
    with pytest.raises(ValueError, match="mixed-integer program"):
        fit(X, positive, formulation="full")
    with pytest.raises(ValueError, match='decomposition is for solver="search"'):
        fit(X, positive, solver="highs", decomposition="clusters")
    for solver in ("highs", "cbc"):
        model = fit(
            X,
            positive,
            penalty="size",
            solver=solver,
            max_boxes=1,
            box_cost=0.01,
            majority_weight=0.5,
        )
        # between the negatives at 1 and 4 the sides are 3 / 3.5 long, up to the paper's epsilon
        assert model.objective_ == pytest.approx(2 + 6 * 0.5 + 0.01 * 3 / 3.5, abs=1e-5)
        assert model.status_ == "optimal"
        assert model.predict(X).tolist() == positive.tolist()


def test_rejected_data():
    X, y = np.array([[0.0], [1.0], [np.inf]]), np.array([0, 0, 1])
    with pytest.raises(ValueError, match="infinity"):
        ExactBoxesClassifier().fit(X, y)
    X[2] = 2
    with pytest.raises(ValueError, match="one class"):
        ExactBoxesClassifier().fit(X, np.zeros(3))
    with pytest.raises(ValueError, match="Only binary"):
        ExactBoxesClassifier().fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="not among the classes"):
        ExactBoxesClassifier(pos_label=3).fit(X, y)


@pytest.mark.parametrize(
    "name, most", [("majority_weight", 1000.0), ("box_cost", 1000.0), ("margin", 1.0)]
)
def test_numbers_beyond_the_arithmetic_are_refused(name, most):
    X, positive = np.arange(6.0)[:, None], np.arange(6) < 2
    for value in (1e300, 10**400, np.nextafter(most, np.inf)):
        with pytest.raises(ValueError, match=name):
            fit(X, positive, **{name: value})
    assert fit(X, positive, **{name: most}).status_ == "optimal"


def test_numbers_near_the_largest_float():
    largest = np.finfo(float).max
    X = np.array([[-largest], [0.0], [1.0], [largest]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit(X, np.array([False, True, True, False]), margin=0.3)
    assert model.predict(X).tolist() == [False, True, True, False]


def test_names_and_labels():
    X, positive = real("glass5")
    frame = pd.DataFrame(X, columns=[f"oxide {j}" for j in range(X.shape[1])])
    y = np.where(positive, "rare", "common")
    model = ExactBoxesClassifier(max_boxes=1).fit(frame, y)
    assert model.pos_label_ == "rare"
    assert model.to_text().startswith("rare if") and "oxide" in model.to_text()
    assert set(model.predict(frame)) == {"rare", "common"}


@settings(deadline=None, max_examples=12)
@given(two_classes, statements, st.permutations(range(3)), st.integers(1, 5), st.integers(-9, 9))
def test_order_and_scale_do_not_matter(table, chosen, order, factor, shift):
    X, positive = table
    order = [j for j in order if j < X.shape[1]]
    rows = np.arange(len(X))[::-1]
    moved = factor * X[rows][:, order] + shift
    model, other = fit(X, positive, **chosen), fit(moved, positive[rows], **chosen)
    assert model.objective_ == other.objective_


def test_neighbourhood_keeps_the_nearest_negatives():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [30.0]])
    positive = np.array([True, False, False, True, False, False])
    for closeness in ("overall", "one_feature"):
        kept = exact.neighbourhood(X, positive, np.array([15.0]), 1, closeness)
        assert kept.tolist() == [True, True, False, True, True, False]
        everything = exact.neighbourhood(X, positive, np.array([15.0]), 99, closeness)
        assert everything.all()


def test_close_in_one_feature_is_not_close_overall():
    X = np.array([[0.0, 0.0], [0.1, 9.0], [2.0, 2.0], [9.0, 0.1], [8.0, 8.0]])
    positive = np.array([True, False, False, False, False])
    overall = exact.neighbourhood(X, positive, np.ones(2), 1, "overall")
    assert overall.tolist() == [True, False, True, False, False]
    one_feature = exact.neighbourhood(X, positive, np.ones(2), 1, "one_feature")
    assert one_feature.tolist() == [True, True, False, True, False]


@settings(deadline=None, max_examples=60)
@given(two_classes, st.integers(1, 5))
def test_close_in_one_feature_by_brute_force(table, n_neighbors):
    X, positive = table
    kept = exact.neighbourhood(X, positive, np.ones(X.shape[1]), n_neighbors, "one_feature")
    expected = positive.copy()
    for x in X[positive]:
        distances = np.abs(X - x)
        for column in distances.T:
            farthest = np.sort(column[~positive])[:n_neighbors][-1]
            expected |= column <= farthest
    assert kept.tolist() == expected.tolist()


def test_gap_needs_no_objective():
    assert exact.Solution(np.zeros((0, 1), bool), 0.0, 0.0, "optimal").gap == 0


# ---------------------------------------------------------------------------------------------
# Weights of examples


weights = st.lists(st.integers(0, 3), min_size=14, max_size=14).map(np.array)


@settings(deadline=None, max_examples=40)
@given(two_classes, weights, statements, st.sampled_from([0.0, 0.25]))
def test_whole_weights_are_repeated_rows(table, weight, chosen, margin):
    X, positive = table
    weight = np.maximum(weight[: len(X)], np.arange(len(X)) % (len(X) - 1) == 0)
    rows = np.repeat(np.arange(len(X)), weight)
    weighted, repeated = (
        ExactBoxesClassifier(margin=margin, pos_label=True, random_state=0, **chosen).fit(*data)
        for data in ((X, positive, weight), (X[rows], positive[rows]))
    )
    assert weighted.objective_ == repeated.objective_
    if chosen["max_boxes"] == 1:  # from several clusters another of the best sets may be found
        assert weighted.boxes_ == repeated.boxes_


@settings(deadline=None, max_examples=40)
@given(
    two_classes,
    st.lists(st.sampled_from([0.1, 0.5, 1 / 3, 2.5, np.pi]), min_size=14, max_size=14),
    statements,
)
def test_objective_is_the_best_for_any_weights(table, weight, chosen):
    """Every example by itself counts as a set of one: brute force over weighted verdicts."""
    X, positive = table
    weight = np.array(weight[: len(X)])
    chosen = chosen | {"max_boxes": 1}
    model = ExactBoxesClassifier(pos_label=True, **chosen).fit(X, positive, weight)
    costs = np.where(positive, weight, chosen["majority_weight"] * weight)

    def value(box):
        covered, let_in = verdicts(X, positive, box)
        return costs[positive][covered].sum() + costs[~positive][~let_in].sum()

    members = X[positive]
    spans = [np.unique(column) for column in members.T]
    best = costs[~positive].sum()
    for ends in product(*(combinations_with_replacement(span, 2) for span in spans)):
        best = max(best, value(np.transpose(ends)) - chosen["box_cost"])
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(best)


def test_equal_weights_are_no_weights_and_those_without_weight_are_absent():
    X, positive = real("glass5")
    chosen = {"majority_weight": 0.3, "max_boxes": 2, "random_state": 0}
    plain, weighted = (
        ExactBoxesClassifier(**chosen).fit(X, positive, weight) for weight in (None, np.ones(214))
    )
    assert plain.boxes_ == weighted.boxes_ and plain.objective_ == weighted.objective_
    gone = np.r_[np.ones(len(X)), np.zeros(9)]
    padded = np.vstack([X, 100 + X[:9]]), np.r_[positive, positive[:9]]
    assert ExactBoxesClassifier(**chosen).fit(*padded, gone).boxes_ == plain.boxes_


def test_too_heavy_examples_are_refused():
    X, positive = np.arange(4.0)[:, None], np.arange(4) < 2
    with pytest.raises(ValueError, match="divide sample_weight"):
        ExactBoxesClassifier(pos_label=True).fit(X, positive, [1e18, 1, 1e18, 1])


def test_balanced_is_the_ratio_of_the_classes():
    X, positive = real("glass5")
    balanced = fit(X, positive, max_boxes=1)
    given_ratio = fit(X, positive, max_boxes=1, majority_weight=9 / 205)
    assert balanced.objective_ == given_ratio.objective_ and balanced.boxes_ == given_ratio.boxes_


# Conditions that cost something


@given(two_classes, st.sampled_from([0.02, 0.1, 0.25]), st.sampled_from(["tight", "largest"]))
@settings(max_examples=40)
def test_a_priced_box_is_the_best_that_there_is(table, price, faces):
    X, positive = table
    chosen = {"majority_weight": 0.5, "box_cost": 0.1, "condition_cost": price}
    model = ExactBoxesClassifier(max_boxes=1, faces=faces, pos_label=True, **chosen)
    model.fit(X, positive)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(best_sparse_objective(X, positive, **chosen))
    boxes = pairs(model.boxes_)
    assert sparse_objective(X, positive, boxes, **chosen) >= model.objective_ - 1e-9


def test_a_price_leaves_few_conditions():
    X, positive = real("glass5")
    free, priced = (fit(X, positive, max_boxes=1, condition_cost=price) for price in (0.0, 0.1))
    faces = [np.isfinite([m.boxes_.lower, m.boxes_.upper]).sum() for m in (free, priced)]
    assert faces[1] < faces[0]
    assert priced.status_ == "optimal"
    path = exact_boxes_path(
        X, positive, majority_weights=[0.1, 0.5], max_boxes=1, condition_cost=0.1, random_state=0
    )
    assert (
        path[1].objective_
        == fit(X, positive, max_boxes=1, majority_weight=0.5, condition_cost=0.1).objective_
    )


def test_a_limit_of_nodes_ends_a_search_alike_each_time():
    X, positive = noise()
    chosen = {"max_boxes": 2, "majority_weight": 0.2, "max_nodes": 50}
    one, other = (fit(X, positive, **chosen) for _ in range(2))
    assert one.status_ == "node_limit" and one.gap_ > 0
    assert one.boxes_ == other.boxes_ and one.bound_ == other.bound_


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"condition_cost": 0.1, "solver": "highs"}, "condition_cost needs"),
        ({"condition_cost": 0.1, "decomposition": "clusters"}, "condition_cost needs"),
        ({"max_nodes": 5, "solver": "highs"}, "max_nodes is for"),
    ],
)
def test_parameters_that_do_not_go_together(chosen, message):
    X, positive = real("glass5")
    with pytest.raises(ValueError, match=message):
        ExactBoxesClassifier(pos_label=True, **chosen).fit(X, positive)
