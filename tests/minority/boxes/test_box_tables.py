"""Boxes on tables with categories and missing values."""

import itertools
import sqlite3

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from minority._condition import condition_from_dict
from minority.boxes import BoxSet, ExactBoxesClassifier, FastBoxesClassifier, PRIMClassifier
from minority.boxes._coding import make_coding
from minority.rules import Interval, NoneOf, OneOf, OrMissing, Rule

LEARNERS = [
    FastBoxesClassifier(),
    FastBoxesClassifier(n_clusters=3, n_init=1, random_state=0, expansion=0.1),
    FastBoxesClassifier(expand=False, scaling="maxabs"),
    ExactBoxesClassifier(max_boxes=2, time_limit=5, random_state=0),
    ExactBoxesClassifier(max_boxes=2, faces="tight", margin=0.1, time_limit=5, random_state=0),
    ExactBoxesClassifier(condition_cost=0.05, random_state=0),
    PRIMClassifier(cv=None, min_support=0.1),
]
each = pytest.mark.parametrize("learner", LEARNERS, ids=str)

# Words that could be taken for something else, and texts that look like numbers.
WORDS = ["red", "is missing", "a or b", "x (or missing)", "3", "not in {", "!= 1", "it's", "\\'"]
NUMBER, NUMBERS = st.integers(-2, 2).map(float), st.lists(st.integers(0, 3), min_size=1)
GAP = st.just(None)
KINDS = {
    "number": (NUMBER, "float64"),
    "number with gaps": (NUMBER | GAP, "float64"),
    "nullable": (st.integers(-2, 2) | GAP, "Int64"),
    "text": (st.sampled_from(WORDS), object),
    "text with gaps": (st.sampled_from(WORDS) | GAP, object),
    "string": (st.sampled_from(WORDS) | GAP, "string"),
    "few": (st.sampled_from(WORDS[:2]) | GAP, object),
    "category": (st.sampled_from(WORDS) | GAP, pd.CategoricalDtype(WORDS)),
    "category of numbers": (st.integers(0, 3) | GAP, pd.CategoricalDtype([3, 2, 1, 0])),
    "flags": (st.booleans() | GAP, object),
    "boolean": (st.booleans() | GAP, "boolean"),
}
FEATURES = ["age (years)", "not missing", "x"]


@st.composite
def frames(draw, kinds=None, sizes=(4, 16)):
    """A table of some kinds of columns and another one of the same kinds."""
    names = FEATURES[: draw(st.integers(1, 3))]
    if kinds is None:
        kinds = [draw(st.sampled_from(sorted(KINDS))) for _ in names]
    tables = []
    for n in (draw(st.integers(*sizes)), 8):
        columns = {}
        for name, kind in zip(names, kinds, strict=False):
            values, dtype = KINDS[kind]
            cells = draw(st.lists(values, min_size=n, max_size=n))
            columns[name] = pd.Series(cells, dtype=dtype)
        tables.append(pd.DataFrame(columns))
    return tables


def found_in_sqlite(frame, condition):
    plain = frame.astype(object).where(frame.notna(), None)
    with sqlite3.connect(":memory:") as connection:
        plain.to_sql("t", connection, index_label="row")
        rows = connection.execute(f"SELECT row FROM t WHERE {condition}").fetchall()
    connection.close()
    return sorted(row for (row,) in rows)


@each
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_the_text_is_the_model(learner, data):
    """Also as query and SQL, which hold for rows with other values, too."""
    X, other = data.draw(frames())
    y = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    y[:4] = True, False, True, True
    model = clone(learner).set_params(pos_label=True).fit(X, y)
    predicted = model.predict(X)
    parsed = BoxSet.parse(model.to_text(), X.columns)
    np.testing.assert_array_equal(parsed.covers(X), predicted)
    np.testing.assert_array_equal(parsed.covers_each(X), model.boxes_.covers_each(X))
    for boxes in (model.boxes_, model.start_boxes_ if hasattr(model, "start_boxes_") else parsed):
        assert BoxSet.from_conditions(boxes.conditions(), X.columns) == boxes
    for table in (X, other):
        covered = model.boxes_.covers(table)
        np.testing.assert_array_equal(model.predict(table), covered)
        np.testing.assert_array_equal(model.boxes_.margin(table) > 0, covered)
        rows = np.flatnonzero(covered).tolist()
        assert found_in_sqlite(table, model.boxes_.to_sql()) == rows
        assert table.query(model.boxes_.to_query()).index.tolist() == rows
        each_holds = [
            np.all([c.covers(table[c.feature]) for c in box], axis=0)
            if box
            else np.ones(len(table), dtype=bool)
            for box in model.boxes_.conditions()
        ]
        expected = model.boxes_.covers_each(table)
        np.testing.assert_array_equal(np.reshape(each_holds, expected.shape), expected)
    support = model.rules_frame(X, y)["support"]  # of each box, and of the rest
    np.testing.assert_array_equal(support[:-1], model.boxes_.covers_each(X).sum(axis=1))
    assert support.iloc[-1] == (~predicted).sum()


def domains(column, is_nominal):
    """All sets of rows that a condition on a column can select."""
    gap = column.isna().to_numpy()
    values = column.dropna().unique()
    if is_nominal:
        subsets = itertools.product([False, True], repeat=len(values))
        selected = [column.isin(values[list(kept)]).to_numpy() for kept in subsets]
    else:
        pairs = itertools.combinations_with_replacement(np.sort(values), 2)
        selected = [column.between(*pair).to_numpy() for pair in pairs] + [np.zeros_like(gap)]
    return {tuple(rows | (gap & inside)) for rows in selected for inside in (False, True)}


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_exact_boxes_are_best_by_brute_force(data):
    """Among all conditions: intervals or subsets, with or without missing values."""
    kinds = data.draw(st.permutations(["number with gaps", "text with gaps", "number"]))
    X, _ = data.draw(frames(kinds, sizes=(4, 9)))
    y = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    y[:2] = True, False
    options = {"majority_weight": 0.6, "box_cost": 0.1, "max_boxes": 1, "pos_label": True}
    faces = data.draw(st.sampled_from(["tight", "midgap", "largest"]))
    model = ExactBoxesClassifier(faces=faces, **options).fit(X, y)
    each_feature = [domains(X[name], "text" in kind) for name, kind in zip(X, kinds, strict=False)]
    best = 0.6 * (~y).sum()  # of no box at all
    for box in itertools.product(*each_feature):
        covered = np.all(box, axis=0)
        best = max(best, covered[y].sum() + 0.6 * (~covered)[~y].sum() - 0.1)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(best)
    covered = model.predict(X)
    value = covered[y].sum() + 0.6 * (~covered)[~y].sum() - 0.1 * len(model.boxes_)
    assert value == pytest.approx(best), "the boxes over the features are those over the columns"


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_the_smallest_box_around_rows_is_the_smallest_over_the_columns(data):
    X, _ = data.draw(frames(["number with gaps", "text with gaps", "number"]))
    nominal = [name == FEATURES[1] for name in X]
    categories = [pd.Index(WORDS) if is_nominal else None for is_nominal in nominal]
    coded = np.column_stack(
        [
            X[name].map({word: i for i, word in enumerate(WORDS)}) if is_nominal else X[name]
            for name, is_nominal in zip(X, nominal, strict=True)
        ]
    ).astype(float)
    rows = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    rows[0] = True
    coding = make_coding(coded, categories)
    if coding is None:
        return
    Z = coding.encode(coded)
    assert np.isfinite(Z).all()
    boxes = coding.decode_boxes(Z[rows].min(axis=0)[None], Z[rows].max(axis=0)[None], list(X))
    again = coding.decode(Z).set_axis(list(X), axis=1)
    for name in X:
        assert again[name].dropna().tolist() == X[name].dropna().tolist()
        np.testing.assert_array_equal(again[name].isna(), X[name].isna())
    np.testing.assert_array_equal(boxes.covers(again), boxes.covers(X))
    smallest = np.ones(len(X), dtype=bool)
    for name, is_nominal in zip(X, nominal, strict=True):
        smallest &= np.min(
            [d for d in domains(X[name], is_nominal) if np.array(d)[rows].all()], axis=0
        )
    np.testing.assert_array_equal(boxes.covers(X), smallest)
    low, high = Z[rows].min(axis=0), Z[rows].max(axis=0)
    np.testing.assert_array_equal(((low <= Z) & (high >= Z)).all(axis=1), smallest)


def shop():
    """Orders of which those from two countries, of some size or none, are the ones to find."""
    rng = np.random.default_rng(0)
    country = rng.choice(["DE", "FR", "IT", "ES", "PT"], size=200)
    size = rng.integers(0, 20, size=200).astype(float)
    size[rng.random(200) < 0.2] = np.nan
    X = pd.DataFrame({"country": country, "size": size, "noise": rng.normal(size=200)})
    return X, np.isin(country, ["DE", "FR"]) & ~(size < 12)


@pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[3], LEARNERS[5]], ids=str)
def test_conditions_are_found(learner):
    X, y = shop()
    model = clone(learner).fit(X, y)
    # Fast Boxes stop just before the next negative one.
    least = 11 if isinstance(learner, FastBoxesClassifier) else 12
    assert model.to_text() == (
        f"True if country in {{DE, FR}} and size >= {least} (or missing)\nNot used: noise"
    )
    size = model.decision_function(pd.DataFrame({"country": ["DE"], "size": [12.5], "noise": 0.0}))
    assert 0 < size[0] < 1
    left_out = model.decision_function(
        pd.DataFrame({"country": ["DE", "DE", "IT"], "size": [19, np.nan, 19], "noise": 0.0})
    )
    assert left_out[1] == 1, "a missing value that may be is 1 from the face"
    assert left_out[2] == -1, "as is a category that may not be"


def test_values_that_training_did_not_have():
    X, y = shop()
    model = FastBoxesClassifier().fit(X, y)
    rows = pd.DataFrame({"country": ["DE", "NL", None], "size": 15.0, "noise": 0.0})
    assert model.predict(rows).tolist() == [True, False, False], "not one of the two"
    model.fit(X, np.isin(X["country"], ["DE", "FR", "PT"]))
    assert model.to_text().startswith("False if country in {ES, IT}")
    assert model.predict(rows).tolist() == [True, True, True]
    model.set_params(pos_label=True).fit(X, np.isin(X["country"], ["DE", "FR", "PT"]))
    assert model.to_text().startswith("True if country not in {ES, IT}")
    assert model.predict(rows).tolist() == [True, True, False], "but a gap meets no condition"
    X["size"] = X["size"].fillna(0)
    model.fit(X, X["size"] >= 12)
    assert model.predict(rows.assign(size=[np.nan, 13, 11])).tolist() == [False, True, False]
    assert BoxSet.parse(model.to_text()).covers(rows.assign(size=np.nan)).tolist() == [False] * 3


def test_missing_values_alone():
    x = np.array([1.0, 2.0, np.nan, np.nan, 3.0, 1.5])[:, None]
    model = ExactBoxesClassifier().fit(x, np.isnan(x[:, 0]))
    assert model.to_text() == "True if x0 is missing"
    model = ExactBoxesClassifier(pos_label=False).fit(x, np.isnan(x[:, 0]))
    assert model.to_text() == "False if x0 is not missing"
    words = pd.DataFrame({"kind": ["a", None, "b", None, "c", None]})
    model = ExactBoxesClassifier().fit(words, words["kind"].isna())
    assert model.predict(words).tolist() == words["kind"].isna().tolist()
    assert model.to_text() == "True if kind is missing"


def test_columns_that_say_nothing():
    X = pd.DataFrame({"gap": [np.nan] * 8, "word": ["a"] * 8, "none": [None] * 8, "x": range(8)})
    for learner in LEARNERS:
        model = clone(learner).fit(X, X["x"] > 4)
        assert {c.feature for box in model.boxes_.conditions() for c in box} <= {"x"}


def test_categories_by_position_in_an_array():
    codes = np.array([[3, 0.5], [1, 0.1], [2, 0.2], [3, 0.3], [1, 0.9], [2, np.nan]])
    y = codes[:, 0] == 3
    model = ExactBoxesClassifier(categorical_features=[0]).fit(codes, y)
    assert model.to_text() == "True if x0 in {3.0}\nNot used: x1"
    assert BoxSet.parse(model.to_text()) == BoxSet.from_conditions([[OneOf("x0", [3.0])]], ["x0"])
    rows = [["b", 0.5], ["a", 0.1], ["a", 0.2]]
    model = ExactBoxesClassifier(categorical_features=[True, False]).fit(rows, [1, 0, 0])
    assert model.predict(rows).tolist() == [1, 0, 0]


def test_weights_of_zero_hide_categories_and_gaps():
    X, y = shop()
    weight = ((X["country"] != "PT") & X["size"].notna()).to_numpy(dtype=float)
    for learner in LEARNERS:
        kept = clone(learner).fit(X[weight > 0], y[weight > 0])
        model = clone(learner).fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(model.predict(X), kept.predict(X))


def test_boxes_with_other_faces():
    X, y = shop()
    model = ExactBoxesClassifier(faces="tight").fit(X, y)
    assert model.with_faces("tight", X, y) == model.boxes_
    largest = ExactBoxesClassifier(faces="largest").fit(X, y)
    assert model.with_faces("largest", X, y) == largest.boxes_


def test_boxes_from_conditions():
    conditions = [
        [Interval("a", 1, 2), OneOf("b", ["x", "y"])],
        [OrMissing(Interval("a", 3, 3)), NoneOf("b", ["x"])],
        [NoneOf("a", []), OrMissing(OneOf("b", ["x"]))],
        [OrMissing(OneOf("a", []))],
        [OneOf("b", [])],
        [],
    ]
    boxes = BoxSet.from_conditions(conditions, ["a", "b"])
    assert boxes.to_text().splitlines() == [
        "positive if at least one of these holds:",
        "  1. 1 <= a <= 2 and b in {x, y}",
        "  2. a = 3 (or missing) and b != x",
        "  3. a is not missing and b = x (or missing)",
        "  4. a is missing",
        "  5. no row (b in {} is empty)",
        "  6. every row",
    ]
    assert BoxSet.parse(str(boxes)) == boxes
    assert boxes.conditions() == conditions
    rows = pd.DataFrame({"a": [1, 3, None, None], "b": ["y", "z", "z", None]})
    for condition in (c for box in conditions for c in box):
        assert condition_from_dict(condition.to_dict()) == condition
        if not condition.is_empty:
            # "a = 3" may be read as a category, which selects the same rows
            covered = Rule.parse(f"yes if {condition}").covers(rows)
            np.testing.assert_array_equal(covered, Rule([condition], "yes").covers(rows))
    expected = [
        [True, False, False, False],
        [False, True, True, False],
        [False, False, False, False],
        [False, False, True, True],
        [False] * 4,
        [True] * 4,
    ]
    assert boxes.covers_each(rows).tolist() == expected
    assert boxes.covers_each(rows.to_numpy(dtype=object)).tolist() == expected
    for k, box in enumerate(conditions):
        (one,) = (BoxSet.from_conditions([box], ["a", "b"]),)
        selected = rows.query(one.to_query()).index.tolist()
        assert selected == np.flatnonzero(expected[k]).tolist()
        assert found_in_sqlite(rows, one.to_sql()) == selected
    with pytest.raises(ValueError, match="'a' has conditions on numbers and on categories"):
        BoxSet.from_conditions([[Interval("a", 1, 2)], [OneOf("a", ["x"])]], ["a"])


def test_boxes_without_conditions_hold_for_rows_with_gaps():
    rows = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})
    for names in (["a", "b"], ["b", "a"]):
        always, never = BoxSet.from_conditions([[]], names), BoxSet.from_conditions([], names)
        assert always.covers(rows).all() and not never.covers(rows).any()
        assert len(rows.query(always.to_query())) == 2
        assert len(rows.query(never.to_query())) == 0


def test_margin_of_categories_and_gaps():
    boxes = BoxSet.from_conditions(
        [[OrMissing(Interval("a", 0, 10)), NoneOf("b", ["x"])]], ["a", "b"]
    )
    rows = pd.DataFrame({"a": [4, 9, None, 4, 4, -8], "b": ["y", "y", "y", "x", None, "x"]})
    assert boxes.margin(rows, scale=[2, 1]).tolist() == [1, 0.5, 1, -1, -1, -4]
    plain = BoxSet([[0.0, 0.0]], [[4.0, 4.0]])
    assert plain.margin([[1.0, np.nan], [-3.0, np.nan]]).tolist() == [-1, -3]


def test_plot_of_categories_and_gaps():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from minority.boxes import plot_boxes_3d

    X, y = shop()
    boxes = BoxSet.from_conditions(
        [
            [OneOf("country", ["DE", "ES", "PT"]), OrMissing(Interval("size", lower=12))],
            [NoneOf("country", ["IT"]), OrMissing(OneOf("size", []))],
            [OneOf("country", [])],
        ],
        list(X),
    )
    model = FastBoxesClassifier().fit(X, y)
    model.boxes_ = boxes
    ax = model.plot(X, y, ["country", "size"])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["DE", "ES", "FR", "IT", "PT"]
    spans = [part.get_bbox().get_points()[:, 0].tolist() for part in ax.patches]
    assert spans == [[-0.5, 1.5], [3.5, 4.5]], "neighbours are one, and a gap has no place"
    assert {part.get_bbox().ymin for part in ax.patches} == {12}
    assert plot_boxes_3d(boxes, X, y).get_xticklabels()[4].get_text() == "PT"
    ax = model.plot(X, y, ["noise", "size"])
    assert len(ax.patches) == 1
    plt.close("all")
