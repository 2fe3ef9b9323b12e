"""The text of a fitted model is the model: read back, it predicts every training row the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.boxes import BoxSet, ExactBoxesClassifier, FastBoxesClassifier, PRIMClassifier
from minority.rules import RIPPERClassifier, RLSDClassifier, RuleSet
from minority.sampling import SamplingWrapperClassifier
from minority.trees import C45Classifier, HellingerTreeClassifier, parse_tree

NAMES = ["a and b", "x: 1", "plain"]
KINDS = ["Trinidad and Tobago", "x, y", "12", "it is: so", "big (3)"]


@st.composite
def data(draw, nominal=True, missing=False, n=60):
    """Rows on scales that four digits do not tell apart, with a minority that can be learned."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([1.0, 1e-9, 1e12]))
    offset = draw(st.sampled_from([0.0, 1.0, -1e4]))
    X = offset + scale * rng.normal(size=(n, 3)).round(draw(st.integers(1, 17)))
    if draw(st.booleans()):
        X = X.astype(np.float32).astype(np.float64)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    X = pd.DataFrame(X, columns=NAMES)
    if nominal:
        X["kind of it"] = rng.choice(KINDS, n)
    centre = X[NAMES].rank(pct=True)
    y = ((centre - 0.5).abs().max(axis=1) < 0.35) ^ (rng.random(n) < 0.05)
    y[:4], y[4:8] = True, False
    labels = draw(st.sampled_from([(0, 1), ("no", "a if b"), (False, True)]))
    return X, np.array(labels)[y.to_numpy().astype(int)]


def agrees(model, rules, X, y, overlap=False):
    """The parsed rules predict as the model, and count what is printed."""
    assert rules.predict(X).tolist() == model.predict(X).tolist()
    counted = rules.recount(X, y, overlap=overlap)
    assert counted.to_text() == rules.to_text()
    conditions = [rule.conditions_text() for rule in rules]
    assert model.rules_frame(X, y)["conditions"].tolist()[: len(conditions)] == conditions


@settings(deadline=None, max_examples=25)
@given(data(missing=True))
def test_ripper(case):
    X, y = case
    model = RIPPERClassifier(random_state=0).fit(X, y)
    agrees(model, RuleSet.parse(model.to_text()), X, y)


@settings(deadline=None, max_examples=25)
@given(data(missing=True), st.sampled_from(["float64", "float32"]))
@pytest.mark.filterwarnings("ignore:No rule reaches")
def test_rlsd(case, dtype):
    X, y = case
    X[NAMES] = X[NAMES].astype(dtype)
    model = RLSDClassifier(random_state=0).fit(X, y)
    agrees(model, RuleSet.parse(model.to_text()), X, y, overlap=True)
    assert [rule.conditions_text() for rule in model.rules_] == list(
        model.rule_table_["conditions"]
    )
    assert (
        X.query(model.to_query()).index.tolist()
        == np.flatnonzero(model.predict(X) == model.pos_label_).tolist()
    )


@settings(deadline=None, max_examples=15)
@given(
    data(nominal=False),
    st.sampled_from(
        [
            PRIMClassifier(min_support=0.1),
            FastBoxesClassifier(n_clusters=2, random_state=0),
            FastBoxesClassifier(expand=False, random_state=0),
            ExactBoxesClassifier(max_boxes=1, time_limit=0.2),
        ]
    ),
)
def test_boxes(case, model):
    X, y = case
    model.fit(X, y)
    boxes = BoxSet.parse(model.to_text(), NAMES)
    covered = model.predict(X) == model.pos_label_
    np.testing.assert_array_equal(boxes.covers(X), covered)
    np.testing.assert_array_equal(boxes.covers_each(X), model.boxes_.covers_each(X))
    assert X.query(model.boxes_.to_query()).index.tolist() == np.flatnonzero(covered).tolist()
    told = [*boxes.frame()["conditions"], "otherwise" if len(boxes) else "every row"]
    assert model.rules_frame(X, y)["conditions"].tolist() == told


@settings(deadline=None, max_examples=25)
@given(data(), st.sampled_from([C45Classifier(tol=0), HellingerTreeClassifier()]))
def test_trees(case, model):
    X, y = case
    model.fit(X, y)
    rules = parse_tree(model.to_text(), X.columns)
    assert rules.predict(X).tolist() == model.predict(X).tolist()
    counted = rules.recount(X, y)
    assert [rule.counts_text() for rule in counted] == [rule.counts_text() for rule in rules]
    again = RuleSet.parse(model.to_rules().to_text(), X.columns)
    assert again.predict(X).tolist() == model.predict(X).tolist()


@settings(deadline=None, max_examples=15)
@given(data(missing=True))
def test_rules_of_a_tree(case):
    X, y = case
    model = C45Classifier(ruleset=True, tol=0).fit(X, y)
    agrees(model, RuleSet.parse(model.to_text()), X, y, overlap=True)


@settings(deadline=None, max_examples=10)
@given(
    data(),
    st.sampled_from(
        [C45Classifier(tol=0), HellingerTreeClassifier(), RIPPERClassifier(random_state=0)]
    ),
)
def test_the_wrapper_counts_real_rows(case, estimator):
    X, y = case
    model = SamplingWrapperClassifier(estimator, cv=2, random_state=0).fit(X, y)
    _, text = model.to_text().split("\n\n")
    rules = RuleSet.parse(text) if isinstance(estimator, RIPPERClassifier) else parse_tree(text, X)
    assert rules.predict(X).tolist() == model.predict(X).tolist()
    counted = rules.recount(X, y)
    assert [rule.counts_text() for rule in counted] == [rule.counts_text() for rule in rules]
    assert sum(rule.support for rule in counted) + counted.default.support == len(X)


class Foreign(C45Classifier):
    """A classifier that prints itself, but knows nothing of this package's texts."""

    _retell = property()  # which hasattr does not find


def test_of_another_model_the_wrapper_says_what_it_counts():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) < 12
    X[y] += 1
    foreign = SamplingWrapperClassifier(Foreign(), cv=2, random_state=0).fit(X, y)
    own = SamplingWrapperClassifier(C45Classifier(), cv=2, random_state=0).fit(X, y)
    levels, note, tree = foreign.to_text().split("\n\n")
    assert "added" in levels and "with synthetic examples" in note
    assert own.to_text() != f"{levels}\n\n{tree}" and own.to_text().startswith(levels)


@settings(deadline=None, max_examples=15)
@given(data(missing=True))
def test_the_training_rows_counted_again_are_those_of_the_tree(case):
    X, y = case
    model = C45Classifier(pruning=None, tol=0).fit(X, y)
    text = model.to_text()
    model._retell(X, y)
    assert model.to_text() == text
    np.testing.assert_allclose(model._shown_counts, model.tree_.counts, atol=1e-9)


def test_a_tree_without_a_test_and_errors():
    rules = parse_tree("a (b) (16/1)")
    assert rules.to_text() == "a (b) for every row  [15 of 16]"
    rules = parse_tree("size = big (3)\n|   x <= 1: a (2)\n|   x > 1: b (1)\nsize = small: b (4)")
    assert rules.rules[0].to_text() == "a if size = big (3) and x <= 1  [2 of 2]"
    with pytest.raises(ValueError, match="Not a leaf"):
        parse_tree("x <= 1: a")
