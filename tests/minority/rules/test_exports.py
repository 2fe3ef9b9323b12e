"""What is exported says what the model says, of training rows and of others."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from minority.boxes import BoxSet, FastBoxesClassifier, PRIMClassifier
from minority.costs import (
    CostProportionateClassifier,
    CostThresholdClassifier,
    MetaCostClassifier,
)
from minority.rules import Interval, OneOf, RIPPERClassifier, RLSDClassifier, Rule, RuleSet
from minority.sampling import SamplingWrapperClassifier
from minority.trees import C45Classifier, HellingerTreeClassifier, parse_tree

# Of a column of each kind; `inf` is a name that pandas cannot quote, but SQL can.
NAMES = ["select", "a b", 'say "x"', "it's", "Größe", "x <= 3", "1st", "a\\b", "index", "class"]
WORDS = ["it's", 'say "x"', "a and b", "\\n", "two\nlines", "Köln", "12", " ", "<b>", "NULL"]
LABELS = [(0, 1), (False, True), ("no", "it's \\ a"), (-1.0, 2.0), ("select", "")]


def numbers(rng, n, kind):
    """A column of numbers that decimals do not tell apart, and one that is mostly zero."""
    values = rng.normal(size=n).round(rng.integers(1, 17)) * rng.choice([1, 1e-3, 1e9])
    if kind == "int64":
        return rng.integers(0, 9, n) + rng.choice([0, 2**55])
    if kind == "bool":
        return values > 0
    if kind == "boolean":
        return pd.array(values > 0, dtype="boolean")
    return values.astype(kind)


def words(rng, n, kind):
    if kind == "truth":
        return pd.Series(rng.choice([True, False], n), dtype=object)
    column = pd.Series(rng.choice(WORDS[:4], n), dtype=object)
    return column.astype("category") if kind == "category" else column


@st.composite
def tables(draw, plain=False):
    """Training rows with their classes, and other rows, in which nothing need be known."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = ["float64", "float32", "int64", "bool", "boolean", "text", "category", "truth"]
    kinds = draw(st.lists(st.sampled_from(kinds[: 3 if plain else None]), min_size=2, max_size=4))
    names = rng.permutation(NAMES)[: len(kinds)].tolist()
    n = 90
    table = pd.DataFrame(
        {
            name: words(rng, n, kind) if kind in ("text", "category", "truth")
            else numbers(rng, n, kind)
            for name, kind in zip(names, kinds, strict=True)
        }
    )  # fmt: skip
    score = sum(table[name].rank(pct=True).astype(float) for name in names)
    positive = ((score > score.quantile(0.7)) ^ (rng.random(n) < 0.05)).to_numpy(copy=True)
    positive[:4], positive[4:8] = True, False
    if not plain:
        for name, kind in zip(names, kinds, strict=True):
            if kind not in ("int64", "bool"):
                table.loc[rng.random(n) < draw(st.sampled_from([0, 0.15])), name] = None
            if kind == "text":
                table.loc[60 + rng.integers(0, 30, 5), name] = WORDS[-1]
    y = np.array(draw(st.sampled_from(LABELS)))[positive.astype(int)]
    return table[:60], y[:60], table[60:]


def by_sql(sql, frame):
    """What an expression is for each row, in two databases."""
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("t", connection, index=False)
        found = connection.execute(f"SELECT {sql} FROM t ORDER BY rowid").fetchall()
    connection.close()
    yield [value for (value,) in found]
    with duckdb.connect() as connection:
        connection.register("t", frame)
        yield [value for (value,) in connection.execute(f"SELECT {sql} FROM t").fetchall()]


def agrees(model, frame, predicted):
    """Query and SQL predict this, of each class."""
    frame = frame.reset_index(drop=True)
    for values in by_sql(model.to_sql(), frame):
        assert values == predicted.tolist()
    for label in model.classes_.tolist():
        rows = np.flatnonzero(predicted == label).tolist()
        assert frame.query(model.to_query(label)).index.tolist() == rows


RULES = [
    RIPPERClassifier(random_state=0),
    RLSDClassifier(random_state=0),
    C45Classifier(ruleset=True, tol=0),
    MetaCostClassifier(RIPPERClassifier(), costs=3, n_estimators=2, random_state=0),
    CostProportionateClassifier(RIPPERClassifier(), costs=3, random_state=0),
    CostThresholdClassifier(RIPPERClassifier(random_state=0), costs=9),
    CostThresholdClassifier(RLSDClassifier(random_state=0), costs=9),
    CostThresholdClassifier(C45Classifier(ruleset=True, tol=0), costs=4),
    SamplingWrapperClassifier(RLSDClassifier(), cv=2, criterion="f1", random_state=0),
]
TREES = [
    C45Classifier(tol=0, pruning=None),
    C45Classifier(tol=0, class_weight="balanced", laplace=False),
    HellingerTreeClassifier(),
    MetaCostClassifier(C45Classifier(tol=0), costs=3, n_estimators=2, random_state=0),
    CostThresholdClassifier(HellingerTreeClassifier(), costs=4),
    SamplingWrapperClassifier(C45Classifier(tol=0), cv=2, random_state=0),
]
BOXES = [
    PRIMClassifier(min_support=0.1, max_boxes=2),
    FastBoxesClassifier(n_clusters=2, random_state=0),
    CostThresholdClassifier(PRIMClassifier(min_support=0.1, max_boxes=2), costs=4),
]


@settings(deadline=None, max_examples=25)
@given(tables(), st.sampled_from(RULES))
@pytest.mark.filterwarnings("ignore:No rule reaches", "ignore:By these costs")
def test_rules(case, model):
    X, y, other = case
    model = clone(model).fit(X, y)
    parsed = RuleSet.parse(model.to_text())
    assert parsed.predict(X).tolist() == model.predict(X).tolist()
    for rows in (X, other):
        agrees(model, rows, model.predict(rows))


@settings(deadline=None, max_examples=25)
@given(tables(), st.sampled_from(TREES))
@pytest.mark.filterwarnings("ignore:By these costs")
def test_trees(case, model):
    X, y, other = case
    model = clone(model).fit(X, y)
    is_list = isinstance(model, CostThresholdClassifier)
    parsed = RuleSet.parse(model.to_text()) if is_list else parse_tree(model.to_text())
    whole = X.notna().all(axis=1).to_numpy()
    predicted = parsed.predict(X)
    assert predicted[whole].tolist() == model.predict(X)[whole].tolist()
    known = {name: set(X[name]) for name in X if not pd.api.types.is_numeric_dtype(X[name])}
    for rows in (X, other):
        agrees(model, rows, model.to_rules().predict(rows))
        is_known = np.all([rows[name].isin(values) for name, values in known.items()], axis=0)
        whole = rows.notna().all(axis=1).to_numpy() & is_known
        if whole.any():
            agrees(model, rows[whole], model.predict(rows[whole]))


@settings(deadline=None, max_examples=15)
@given(tables(plain=True), st.sampled_from(BOXES))
def test_boxes(case, model):
    X, y, other = case
    model = clone(model).fit(X, y)
    if isinstance(model, CostThresholdClassifier):
        predicted = RuleSet.parse(model.to_text()).predict(X)
        assert predicted.tolist() == model.predict(X).tolist()
    else:
        boxes = BoxSet.parse(model.to_text(), X.columns)
        np.testing.assert_array_equal(boxes.covers(X), model.predict(X) == model.pos_label_)
    for rows in (X, other):
        agrees(model, rows, model.predict(rows))


conditions = st.one_of(
    st.builds(Interval, st.sampled_from("xy"), st.integers(-1, 3), st.integers(0, 4)),
    st.builds(OneOf, st.just("c"), st.lists(st.sampled_from("abc"), min_size=1, max_size=2)),
)
rules = st.builds(Rule, st.lists(conditions, max_size=2), st.sampled_from("pqr"))


@settings(deadline=None, max_examples=40)
@given(st.lists(rules, max_size=12), st.sampled_from("pqr"))
def test_the_first_rule_decides_in_every_form(some_rules, default):
    """Rules of three classes in any order, and values that are missing in every way."""
    grid = pd.MultiIndex.from_product(
        [range(-1, 5), range(-1, 5), list("abcd")], names=["x", "y", "c"]
    )
    frame = grid.to_frame(index=False).astype({"x": "Int64", "y": "float32", "c": object})
    frame.loc[::5, "x"], frame.loc[::7, "y"], frame.loc[::9, "c"] = pd.NA, np.nan, None
    rule_set = RuleSet(some_rules, default)
    predicted = rule_set.predict(frame)
    for values in by_sql(rule_set.to_sql(), frame):
        assert values == predicted.tolist()
    for label in "pqr":
        rows = np.flatnonzero(predicted == label).tolist()
        assert frame.query(rule_set.to_query(label)).index.tolist() == rows


@pytest.mark.parametrize("labels", ["p", "pq"])
def test_five_hundred_rules(labels):
    frame = pd.DataFrame({"x": np.arange(600.0)})
    some_rules = [Rule([Interval("x", k, k + 1)], labels[k % len(labels)]) for k in range(500)]
    rule_set = RuleSet(some_rules, "r")
    predicted = rule_set.predict(frame)
    query = rule_set.to_query("p")
    assert frame.query(query).index.tolist() == np.flatnonzero(predicted == "p").tolist()
    for values in by_sql(rule_set.to_sql(), frame):
        assert values == predicted.tolist()


@pytest.mark.parametrize("name", ["inf", "a`b", "\u2028", "e\u0301", "TRUE", "rowid"])
def test_sql_takes_names_that_pandas_cannot_quote(name):
    frame = pd.DataFrame({name: [1.0, 2.0, 3.0]})
    rule_set = RuleSet([Rule([Interval(name, lower=2)], 1)], 0)
    for values in by_sql(rule_set.to_sql(), frame):
        assert values == [0, 1, 1]


@pytest.mark.parametrize("bound", [0.1, 0.30000000000000004, 1e-7, 123456.789, 2.0**53, 1e22])
def test_sql_compares_columns_of_float32_as_the_model_does(bound):
    near = np.float32(bound)
    values = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(0))]
    frame = pd.DataFrame({"x": np.array(values, dtype=np.float32)})
    for interval in (Interval("x", lower=bound), Interval("x", upper=bound)):
        for found in by_sql(interval.to_sql(), frame):
            assert list(map(bool, found)) == interval.covers(frame["x"]).tolist()
