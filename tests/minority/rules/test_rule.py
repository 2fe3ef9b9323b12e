"""Conditions, rules and rule sets as values: covering, text, queries, SQL, JSON, tables."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minority._condition import is_contradiction, merge_conditions
from minority.rules import Interval, OneOf, Rule, RuleSet

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
CLOSED = st.sampled_from(["both", "left", "right", "neither"])
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
AWKWARD = ["a and b", "x <= 3", "1. a", 'say "x"', "12", "", " a ", "if", "in {a, b}", "[1 of 2]"]
WORDS = st.one_of(NAMES, st.sampled_from(AWKWARD))
LABELS = st.one_of(WORDS, st.integers(), st.booleans(), NUMBERS)


@st.composite
def intervals(draw, names=WORDS):
    lower = draw(st.one_of(st.just(-np.inf), NUMBERS))
    upper = draw(NUMBERS if lower == -np.inf else st.one_of(st.just(np.inf), NUMBERS))
    return Interval(draw(names), lower, upper, draw(CLOSED))


def one_ofs(names=WORDS, values=LABELS):
    return st.builds(OneOf, names, st.lists(values, min_size=1, max_size=3).map(tuple))


def rules(names=WORDS):
    whole = st.integers(0, 10**14)
    counts = st.one_of(st.just((None, None)), st.tuples(whole, whole))
    conditions = st.lists(st.one_of(intervals(names), one_ofs(names)), max_size=4)
    return st.builds(lambda c, label, n: Rule(c, label, n[0], n[1]), conditions, LABELS, counts)


def meaning(condition):
    """What a condition says, whichever way an open end is written down."""
    if isinstance(condition, OneOf):
        return (condition.feature, condition.categories)
    if condition.lower == condition.upper and not condition.is_empty:
        return (condition.feature, (condition.lower,))
    return (condition.feature, tuple(condition._bounds()))


def frame():
    """Numbers with ties and gaps, categories with a gap."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, 60) / 3
    x[::7] = np.nan
    colour = rng.choice(["red", "o'brien", "dark green"], 60).astype(object)
    colour[::9] = None
    return pd.DataFrame({'a "x"': x, "b c": rng.normal(size=60), "colour": colour})


FRAME = frame()
frame_rules = st.builds(
    Rule,
    st.lists(
        st.one_of(
            st.builds(
                Interval,
                st.sampled_from(['a "x"', "b c"]),
                st.integers(-1, 4).map(lambda i: i / 3),
                st.integers(2, 8).map(lambda i: i / 3),
                CLOSED,
            ),
            one_ofs(st.just("colour"), st.sampled_from(["red", "o'brien", "dark green", "blue"])),
        ),
        max_size=3,
    ),
    st.just(1),
)


def covers_row(rule, row):
    """Brute force on one row."""
    for condition in rule.conditions:
        value = row[condition.feature]
        if pd.isna(value):
            return False
        if isinstance(condition, OneOf):
            if value not in condition.categories:
                return False
            continue
        has_lower = condition.closed in ("both", "left")
        has_upper = condition.closed in ("both", "right")
        inside = value >= condition.lower if has_lower else value > condition.lower
        inside &= value <= condition.upper if has_upper else value < condition.upper
        if not inside:
            return False
    return True


@settings(deadline=None, max_examples=60)
@given(frame_rules)
def test_every_form_of_a_rule_selects_the_same_rows(rule):
    expected = np.array([covers_row(rule, row) for _, row in FRAME.iterrows()])
    np.testing.assert_array_equal(rule.covers(FRAME), expected)
    np.testing.assert_array_equal(rule.covers(FRAME.to_numpy(), list(FRAME.columns)), expected)
    np.testing.assert_array_equal(Rule.parse(rule.to_text(None)).covers(FRAME), expected)
    np.testing.assert_array_equal(Rule.from_dict(rule.to_dict()).covers(FRAME), expected)
    index = FRAME.query(rule.to_query()).index
    np.testing.assert_array_equal(FRAME.index.isin(index), expected)


@settings(deadline=None, max_examples=30)
@given(frame_rules)
def test_sql_selects_the_same_rows(rule):
    with sqlite3.connect(":memory:") as connection:
        FRAME.rename_axis("id").to_sql("t", connection)
        found = connection.execute(f"SELECT id FROM t WHERE {rule.to_sql()}").fetchall()
        label = RuleSet([rule], "it's no").to_sql()
        labels = connection.execute(f"SELECT {label} FROM t ORDER BY id").fetchall()
    covered = rule.covers(FRAME)
    assert sorted(i for (i,) in found) == np.flatnonzero(covered).tolist()
    assert [value for (value,) in labels] == [1 if c else "it's no" for c in covered]


@given(rules())
@example(Rule([OneOf("a", ("b, c", "d}"))], "x  [1 of 2]", 3, 2))
@example(Rule([Interval("x > 1 and y", upper=1)], "no if"))
@example(Rule([Interval("5", lower=1e-300, upper=5e-324 + 1e300)], True))
def test_full_text_is_read_back(rule):
    parsed = Rule.parse(rule.to_text(digits=None))
    assert (parsed.prediction, parsed.support, parsed.correct) == (
        rule.prediction,
        rule.support if rule.correct is not None else None,
        rule.correct if rule.support is not None else None,
    )
    assert type(parsed.prediction) is type(rule.prediction)
    merged = merge_conditions(rule.conditions)
    assert list(map(meaning, parsed.conditions)) == list(map(meaning, merged))


@given(st.lists(rules(), max_size=3), LABELS)
def test_rule_sets_are_read_back_from_text_and_json(some_rules, default):
    rule_set = RuleSet(some_rules, default, ["a", "b"])
    assert RuleSet.from_dict(json.loads(json.dumps(rule_set.to_dict()))) == rule_set
    text = rule_set.to_text(digits=None)
    parsed = RuleSet.parse(text, ["a", "b"])
    assert parsed.to_text(digits=None) == text
    assert parsed.default.prediction == default


small_conditions = st.one_of(
    st.builds(
        Interval,
        st.sampled_from(["x", "y"]),
        st.sampled_from([-np.inf, 0, 0.5, 1, 1.5, 2]),
        st.sampled_from([0, 0.5, 1, 1.5, 2]),
        CLOSED,
    ),
    one_ofs(st.sampled_from(["x", "y"]), st.sampled_from([True, False, 0, 1, 2, 0.5, 1.5])),
    one_ofs(st.just("word"), st.sampled_from(["a", "b", "c"])),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(small_conditions, max_size=6), st.booleans())
def test_nothing_is_said_twice_and_the_same_rows_are_covered(conditions, shorten):
    """All values that the bounds tell apart, in every combination."""
    values = np.array([np.nan, -1, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3])
    words = ["a", "b", "c", "d", None]
    grid = pd.MultiIndex.from_product([values, values, words], names=["x", "y", "word"])
    frame = grid.to_frame(index=False)
    rule_set = RuleSet([Rule(conditions, 1)], 0, list(frame))
    rule_set = rule_set.shorten(frame) if shorten else rule_set
    (rule,) = rule_set.rules
    expected = Rule(conditions, 1).covers(frame)
    merged = merge_conditions(rule.conditions)
    np.testing.assert_array_equal(Rule(merged, 1).covers(frame), expected)
    assert len(rule) == len(conditions), "the model counts the conditions it was learned with"
    parsed = Rule.parse(str(rule))
    np.testing.assert_array_equal(parsed.covers(frame), expected)
    assert str(parsed) == str(rule)
    assert is_contradiction(merged) == ("is empty" in str(rule))
    if is_contradiction(merged):
        assert not expected.any() and rule.to_sql() == "1 = 0"
    else:
        assert expected.any() and len(merged) == len({c.feature for c in conditions})
    assert frame.query(rule.to_query()).index.tolist() == np.flatnonzero(expected).tolist()


def test_merged_conditions_read_as_one():
    def text(*conditions):
        return Rule(conditions, 1).conditions_text()

    above, below = Interval("x", lower=0.57), Interval("x", upper=5)
    assert text(above, Interval("x", lower=0.99)) == "x >= 0.99"
    assert text(Interval("x", lower=3), Interval("x", lower=3, closed="neither")) == "x > 3"
    assert text(above, Interval("y", lower=0), below) == "0.57 <= x <= 5 and y >= 0"
    assert text(Interval("x", lower=5), below) == "x = 5"
    assert text(Interval("x", lower=7), below) == "no row (7 <= x <= 5 is empty)"
    assert text(Interval("x", lower=5, closed="neither"), below) == "no row (5 < x <= 5 is empty)"
    ab, bc = OneOf("c", ["a", "b"]), OneOf("c", ["b", "c"])
    assert text(ab, bc) == "c = b"
    assert text(ab, OneOf("c", ["d"])) == "no row (c in {a, b} and c = d is empty)"
    assert text(OneOf("c", [])) == "no row (c in {} is empty)"
    assert text(OneOf("x", [1, 2, 3]), Interval("x", lower=2)) == "x in {2, 3}"


def test_text():
    rule = Rule([Interval("petal width (cm)", lower=1.23456, upper=1.23467)], "b", 12, 10.0)
    assert str(rule) == "b if 1.23456 <= petal width (cm) <= 1.23467  [10 of 12]"
    assert rule.to_text(digits=4) == "b if 1.2346 <= petal width (cm) <= 1.2347  [10 of 12]"
    assert str(Rule((), 1, 2.34567, 1 / 3)) == "1 for every row  [0.3333 of 2.346]"
    assert Interval("x", lower=123456.7).to_text(digits=4) == "x >= 123457"
    assert str(Interval("x", lower=123456.7)) == "x >= 123456.7"
    assert str(Interval("x", upper=0.1 + 0.2)) == "x <= 0.30000000000000004"
    assert str(Rule((), 0)) == "0 for every row"
    assert str(RuleSet((), Rule((), "no", 4, 3))) == "no for every row  [3 of 4]"
    assert str(RuleSet([rule], "no")).splitlines()[1] == "otherwise no"


@settings(deadline=None, max_examples=200)
@given(
    st.lists(NUMBERS, max_size=8),
    st.lists(st.one_of(NUMBERS, st.integers(-3, 3).map(float)), min_size=2, max_size=2),
    st.sampled_from(["lower", "upper", "both"]),
    CLOSED,
)
@example([0.0, 1.0], [0.4, 0.6], "both", "both")
def test_the_shortest_numbers_hold_for_the_same_values(values, bounds, given_bounds, closed):
    lower, upper = sorted(bounds)
    lower, upper = (
        -np.inf if given_bounds == "upper" else lower,
        np.inf if given_bounds == "lower" else upper,
    )
    with np.errstate(over="ignore"):
        values += [*bounds, *np.nextafter(bounds, np.inf), *np.nextafter(bounds, -np.inf)]
    values = np.array([value for value in values if np.isfinite(value)] + [np.nan])
    for known in (values, values[:3], values[:0]):
        interval = Interval("x", lower, upper, closed).shorten(known)
        (parsed,) = Rule.parse(f"a if {interval}").conditions
        np.testing.assert_array_equal(parsed.covers(known), interval.covers(known))
        assert not parsed.is_empty or lower == upper, "it must not look empty"


def test_shortest_numbers():
    def text(lower, upper=np.inf, closed="both", values=()):
        return str(Interval("x", lower, upper, closed).shorten(values))

    assert text(1.911, values=[1.9, 3.0]) == "x >= 2"
    assert text(1.911, values=[1.9, 1.95]) == "x >= 1.91"
    assert text(3.0, values=[2.999, 3.0]) == "x >= 3"
    assert text(2.999, closed="neither", values=[2.999, 3.0]) == "x > 2.999"
    assert text(-np.inf, 5.199, values=[5.1, 5.2]) == "x <= 5.1"
    assert text(-np.inf, 5.199, closed="neither", values=[5.1, 5.2]) == "x < 5.2"
    assert text(523456.7, values=[523400, 523500]) == "x >= 523500"
    assert text(523456.7, values=[523400, 523490]) == "x >= 523460"
    assert text(1.2, 1.3, values=[1, 2]) == "1.2 <= x <= 1.3"


def covered_by_query_and_sql(rule, frame):
    selected = frame.query(rule.to_query()).index
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("t", connection, index_label="row")
        found = connection.execute(f"SELECT row FROM t WHERE {rule.to_sql()}").fetchall()
    connection.close()
    return frame.index.isin(selected), frame.index.isin([row for (row,) in found])


ODD_NAMES = ["a and b", "it's", 'say "x"', "x <= 3", "5", "a#b", "select", "é €", "a\\b", "index"]


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(NUMBERS, st.floats(width=32, allow_nan=False, allow_infinity=False)),
    CLOSED,
    st.booleans(),
    st.sampled_from(["float64", "float32", "int64"]),
    st.sampled_from(ODD_NAMES),
)
@example(0.1, "both", True, "float32", "x")
@example(0.1, "neither", False, "float32", "x")
@example(0.7, "both", False, "float32", "x")
@example(float(2**53), "both", False, "int64", "x")
@example(-float(2**60), "neither", True, "int64", "x")
@example(1e-300, "both", True, "float64", "x")
@example(-1e-300, "neither", True, "float32", "x")
@example(1e300, "neither", True, "float32", "x")
def test_queries_and_sql_equal_the_rule_in_every_number_format(bound, closed, above, dtype, name):
    with np.errstate(over="ignore"):
        near = [bound, np.nextafter(bound, np.inf), np.nextafter(bound, -np.inf), 0.0, -1.5, 1e9]
        close = np.float32(bound)
        near += [close, np.nextafter(close, np.float32(np.inf)), np.nextafter(close, -close)]
    if dtype == "int64":
        if abs(bound) > 2**62:
            return
        column = np.array([int(bound) + k for k in range(-3, 4)], dtype=np.int64)
    else:
        with np.errstate(over="ignore"):
            column = np.array(near).astype(dtype)
        column = np.append(column[np.isfinite(column)], np.array([np.nan], dtype))
    frame = pd.DataFrame({name: column})
    bounds = {"lower": bound} if above else {"upper": bound}
    rule = Rule([Interval(name, closed=closed, **bounds)], 1)
    with np.errstate(over="ignore"):  # pandas rounds the number to float32
        selected = covered_by_query_and_sql(rule, frame)
    for covered in selected:
        np.testing.assert_array_equal(covered, rule.covers(frame))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_queries_and_sql_of_odd_categories(name):
    values = ["it's", 'say "x"', "two\nlines", "a and b", "", " ", "%", "\\n", "é", "\\", "\\'"]
    values.append(None)
    frame = pd.DataFrame({name: values})
    for value in values[:-1]:
        rule = Rule([OneOf(name, [value])], 1)
        for covered in covered_by_query_and_sql(rule, frame):
            np.testing.assert_array_equal(covered, frame[name] == value)
        assert Rule.parse(str(rule)) == rule


def test_quoted_texts_stay_readable():
    rule = Rule([OneOf("Größe", ["Köln and Umgebung"])], 1)
    assert rule.to_text() == '1 if Größe = "Köln and Umgebung"'
    assert Rule.parse(rule.to_text()) == rule


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=5))
@example("inf")
@example("\u2028")
@example("e\u0301")  # normalised, that is another name
@example("m²")
@example("A·")
@example("None")
@example("class")
@example("sin")
@example("pi")
@example("nan")
def test_a_query_is_right_or_refused_whatever_a_column_is_called(name):
    frame = pd.DataFrame({name: [1.0, 2.0, 3.0]})
    rule = Rule([Interval(name, lower=2, upper=2.5)], 1)
    try:
        query = rule.to_query()
    except ValueError as error:
        assert "rename the column" in str(error)
        return
    # numexpr, where it is installed, takes no column that is called like one of its functions
    assert frame.query(query, engine="python").index.tolist() == [1]


@settings(deadline=None, max_examples=40)
@given(st.lists(frame_rules, max_size=4), st.lists(st.sampled_from("pq"), min_size=5, max_size=5))
def test_frame_and_predictions_are_counted_row_by_row(some_rules, labels):
    some_rules = [
        Rule(rule.conditions, label) for rule, label in zip(some_rules, labels, strict=False)
    ]
    rule_set = RuleSet(some_rules, "q")
    y = np.random.default_rng(1).choice(["p", "q"], len(FRAME))
    table = rule_set.frame(FRAME, y)
    rows = [row for _, row in FRAME.iterrows()]
    covered = [[covers_row(rule, row) for row in rows] for rule in some_rules]
    covered.append([not any(c) for c in zip(*covered, strict=True)] or [True] * len(rows))
    first = [next(k for k in range(len(covered)) if covered[k][i]) for i in range(len(rows))]
    predicted = [some_rules[k].prediction if k < len(some_rules) else "q" for k in first]
    assert rule_set.predict(FRAME).tolist() == predicted
    recounted = rule_set.recount(FRAME, y)
    for k, label in enumerate([*(rule.prediction for rule in some_rules), "q"]):
        support = sum(covered[k])
        hits = sum(c and v == label for c, v in zip(covered[k], y, strict=True))
        row = table.iloc[k]
        assert row.support == support and row.decided == first.count(k)
        assert row.recall == pytest.approx(hits / np.sum(y == label))
        if support:
            assert row.precision == pytest.approx(hits / support)
            assert row.lift == pytest.approx(hits / support / np.mean(y == label))
        else:
            assert np.isnan(row.precision) and np.isnan(row.lift)
        overlapping = rule_set.recount(FRAME, y, overlap=True)
        rule = (*overlapping.rules, overlapping.default)[k]
        assert (rule.support, rule.correct) == (support, hits)
        rule = (*recounted.rules, recounted.default)[k]
        assert rule.support == first.count(k)
        assert rule.correct == sum(f == k and v == label for f, v in zip(first, y, strict=True))


def test_arrays_are_read_by_position_and_frames_by_name():
    rule_set = RuleSet([Rule([Interval("b", lower=1)], 1)], 0, ["a", "b"])
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert rule_set.predict(X).tolist() == [1, 0]
    assert rule_set.predict(pd.DataFrame(X[:, ::-1], columns=["b", "a"])).tolist() == [1, 0]
    assert rule_set.predict(pd.DataFrame(X, columns=["u", "v"])).tolist() == [1, 0]
    with pytest.raises(ValueError, match="rows of 2 features"):
        rule_set.predict(X[:, :1])


def test_nullable_columns():
    column = pd.Series([1, None, 3], dtype="Int64")
    assert Interval("a", upper=2).covers(column).tolist() == [True, False, False]
    assert OneOf("a", [3]).covers(column).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Interval("a"), "finite bound"),
        (lambda: Interval("a", lower=np.nan), "finite bound"),
        (lambda: Interval("a", lower=1, closed="up"), "closed="),
        (lambda: OneOf("a", [None]), "strings or numbers"),
        (lambda: OneOf("a", [np.nan]), "strings or numbers"),
        (lambda: RuleSet([], Rule([Interval("a", lower=1)], 1)), "no conditions"),
        (lambda: Rule.parse("nonsense"), "Not a rule"),
        (lambda: Rule.parse("a if b"), "Not a condition"),
        (lambda: Rule.parse("a if 3 <= b >= 4"), "Not a condition"),
        (lambda: Rule([Interval("a`", lower=1)], 1).to_query(), "backtick"),
        (lambda: Rule([Interval("a\nb", lower=1)], 1).to_query(), "control character"),
        (lambda: RuleSet([], 1).frame(FRAME, [1, 2]), "y has the shape"),
    ],
)
def test_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()
