"""RLSD against Table 1 of the paper in plain Python, with every count made afresh."""

import sqlite3
import tracemalloc
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_chimerge import plain_cut_points

from minority.rules import RLSDClassifier, Rule, RuleSet
from minority.rules import _rlsd_codes as matching
from minority.rules import _rlsd_kernels as kernels

NONE = 255

# ---------------------------------------------------------------------------------------------
# A rule is a frozenset of (attribute, code); an example is the rule that it is.


def rule_of(codes):
    return frozenset((a, int(code)) for a, code in enumerate(codes) if code != NONE)


def rules_of(codes):
    return {rule_of(row) for row in codes}


def plain_generation(examples):
    """Table 1 without a limit: {rule: number of positives it covers}."""
    rules = {}
    for current in map(rule_of, examples):
        if current and current not in rules:
            for rule in list(rules):
                is_general, is_specific = rule <= current, rule >= current
                if not is_general and not is_specific and rule & current:
                    rules[rule & current] = 0
            rules[current] = 0
    return {rule: sum(rule <= rule_of(example) for example in examples) for rule in rules}


def all_intersections(examples):
    examples = [rule_of(example) for example in examples]
    return {
        frozenset.intersection(*some)
        for size in range(1, len(examples) + 1)
        for some in combinations(examples, size)
    } - {frozenset()}


def plain_selection(rules, positives, beta):
    """Greedy by F on what remains; `rules` are (rule, negatives), in the order of preference."""
    remaining, selected = list(positives), []
    while remaining:
        scores = []
        for rule, negatives in rules:
            hits = sum(rule <= example for example in remaining)
            if hits:
                recall, precision = Fraction(hits, len(remaining)), Fraction(hits, hits + negatives)
                scores.append((beta**2 + 1) / (beta**2 / recall + 1 / precision))
            else:
                scores.append(0)
        if not scores or not max(scores):
            break
        best = rules[scores.index(max(scores))][0]
        selected.append(best)
        remaining = [example for example in remaining if not best <= example]
    return selected


def code_tables(max_rows=7, max_attributes=9, missing=True):
    codes = st.sampled_from([0, 1, 2, NONE] if missing else [0, 1, 2])
    return st.integers(1, max_attributes).flatmap(
        lambda d: st.lists(st.lists(codes, min_size=d, max_size=d), min_size=1, max_size=max_rows)
    )


def generate(examples, max_rules=1000, seed=0):
    examples = np.array(examples, dtype=np.uint8)
    return kernels.generate_rules(examples, max_rules, np.random.default_rng(seed))


# ---------------------------------------------------------------------------------------------
# Generation


@given(code_tables())
@settings(max_examples=150, deadline=None)
def test_generation_is_that_of_table_1(examples):
    rules = generate(examples)
    assert len(rules_of(rules)) == len(rules)
    assert rules_of(rules) == set(plain_generation(examples))


@given(code_tables(missing=False))
@settings(max_examples=50, deadline=None)
def test_without_missing_values_all_intersections_are_found(examples):
    assert rules_of(generate(examples)) == all_intersections(examples)


@pytest.mark.parametrize(
    ("examples", "expected"),
    [
        ([[1, 2], [1, 2]], ["12"]),  # is in Rules already
        ([[1, 2], [1, 3]], ["12", "13", "1-"]),  # shared conditions make a new rule
        ([[1, 2], [2, 3]], ["12", "23"]),  # nothing shared
        ([[1, NONE], [1, 2]], ["1-", "12"]),  # the old rule is more general
        ([[1, 2], [1, NONE]], ["12", "1-"]),  # the old rule is more specific
        ([[1, 2], [1, 3], [1, NONE]], ["12", "13", "1-"]),  # equals a merged rule
        ([[NONE, NONE], [1, NONE]], ["1-"]),  # an example without values is no rule
        ([[1, 2], [1, 3], [2, 3]], ["12", "13", "1-", "23", "-3"]),
        ([[1, 2, 3], [1, 2, 4], [1, 5, 3]], ["123", "124", "12-", "153", "1-3", "1--"]),
    ],
)
def test_cases_of_the_pseudo_code(examples, expected):
    texts = ["".join("-" if c == NONE else str(c) for c in rule) for rule in generate(examples)]
    assert sorted(texts) == sorted(expected)


def test_a_rule_is_the_most_specific_that_covers_its_examples():
    """Section 3.2, also if rules are dropped; and the initial rules stay."""
    rng = np.random.default_rng(0)
    examples = rng.integers(0, 3, size=(40, 13)).astype(np.uint8)
    for max_rules in (40, 41, 60, 500):
        rules = generate(examples, max_rules)
        assert len(rules) == len(rules_of(rules)) == max_rules
        assert rules_of(examples) <= rules_of(rules)
        for rule in rules_of(rules):
            covered = [rule_of(example) for example in examples if rule <= rule_of(example)]
            assert rule == frozenset.intersection(*covered)


@pytest.mark.parametrize(
    "examples",
    [
        [[1, 2, 0, 0], [1, 3, 0, 1], [1, NONE, 0, NONE], [2, 2, 0, 1], [1, 1, 1, 1]],  # as merged
        [[1, 2, 0], [1, NONE, NONE], [1, 3, 0], [2, 3, 0]],  # more general than the first
    ],
)
def test_an_example_with_missing_values_is_never_dropped(examples):
    for seed in range(30):
        assert rules_of(examples) <= rules_of(generate(examples, len(examples), seed))


def test_each_merged_rule_is_as_likely_to_be_dropped():
    """Three merged rules, the last of them new, of which two must go."""
    examples = [[1, 2, 0], [1, 3, 1], [2, 3, 0]]
    kept = [rules_of(generate(examples, 4, seed)) - rules_of(examples) for seed in range(300)]
    counts = [kept.count({frozenset({condition})}) for condition in ((0, 1), (2, 0), (1, 3))]
    assert sum(counts) == 300
    assert max(counts) < 125


def test_which_rule_is_dropped_is_random_and_follows_the_seed():
    examples = [[1, 2, 0], [1, 3, 0], [1, 3, 1], [2, 3, 0]]
    everything = rules_of(generate(examples))
    kept = [rules_of(generate(examples, 6, seed)) for seed in range(60)]
    assert set.union(*kept) == everything
    assert set.intersection(*kept) == rules_of(examples)
    assert kept == [rules_of(generate(examples, 6, seed)) for seed in range(60)]


# ---------------------------------------------------------------------------------------------
# Evaluation and selection


def identity_coder(n_attributes, n_codes):
    bounds = np.r_[-np.inf, np.arange(1, n_codes)]
    return matching.make_coder([(a, bounds, np.arange(n_codes)) for a in range(n_attributes)])


@pytest.mark.parametrize("n_jobs", [None, 3])
@pytest.mark.parametrize("block", [64, 5000, 1 << 16])
def test_counts_are_exact_within_the_limits(monkeypatch, block, n_jobs):
    monkeypatch.setattr(matching, "BLOCK", block)
    rng = np.random.default_rng(block)
    X = rng.integers(0, 3, size=(9000, 11)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    rows = rng.random(9000) < 0.8
    rules = rng.integers(0, 3, size=(300, 11)).astype(np.uint8)
    rules[rng.random(rules.shape) < rng.random((300, 1))] = NONE
    rules = rules[(rules != NONE).any(axis=1)]
    matched = ((rules[:, None] == NONE) | (rules[:, None] == X[None])).all(axis=2)
    expected = matched[:, rows].sum(axis=1)
    limits = rng.integers(0, 500, size=len(rules))
    first = np.arange(0, 34, 3)
    coder = identity_coder(11, 3)
    blocks = matching.blocks_of(matching.encode(coder, X, n_jobs), first)
    counts = matching.count_matches(rules, blocks, rows, first, limits, n_jobs)
    within = expected <= limits
    assert 0 < within.sum() < len(rules)
    np.testing.assert_array_equal(counts[within], expected[within])
    assert (counts[~within] > limits[~within]).all()
    specific = (rules != NONE).sum(axis=1) > 5
    found = matching.first_match(rules[specific], matching.encoded_blocks(coder, X, first), first)
    matched = np.vstack([matched[specific], np.ones(len(X), dtype=bool)])
    assert (found == -1).any() and len(np.unique(found)) > 20
    np.testing.assert_array_equal(found % len(matched), matched.argmax(axis=0))


@given(code_tables(10, 4), st.lists(st.integers(0, 9), min_size=60, max_size=60), st.data())
@settings(max_examples=80, deadline=None)
def test_selection_by_the_f_measure(examples, negatives, data):
    beta = data.draw(st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2)]))
    rules = generate(examples, 60)
    codes = np.array(examples, dtype=np.uint8).T
    first = np.arange(0, 3 * len(codes) + 1, 3)
    bits = matching.pack(np.ascontiguousarray(codes), first)
    covered = matching.cover(bits, *matching.conditions_of(rules, first, np.arange(first[-1])))
    negatives = np.array(negatives)[: len(rules)]
    chosen = kernels.select_rules(covered, negatives, len(examples), float(beta))
    pairs = list(zip(map(rule_of, rules), negatives.tolist(), strict=True))
    positives = [rule_of(example) for example in examples]
    assert [rule_of(rules[r]) for r in chosen] == plain_selection(pairs, positives, beta)


# ---------------------------------------------------------------------------------------------
# The classifier


@st.composite
def mixed_frames(draw):
    n = draw(st.integers(8, 40))
    number = st.one_of(st.integers(0, 8).map(float), st.just(np.nan))
    columns = {
        "a b": draw(st.lists(number, min_size=n, max_size=n)),
        "d": draw(st.lists(number, min_size=n, max_size=n)),
        "land": draw(st.lists(st.sampled_from(["x", "y's", None]), min_size=n, max_size=n)),
    }
    y = [draw(st.booleans()) for _ in range(n)]
    y[:2] = [True, False]
    frame = pd.DataFrame(columns).astype({"a b": float, "d": float, "land": object})
    return frame, np.array(y)


def plain_model(X, y, significance, min_recall, min_precision, beta):
    """All phases in plain Python: the rows that the selected rules cover, and those of all
    qualified rules with their counts of positives and of negatives."""
    codes = []
    for name in X:
        if name == "land":
            known = X[name].dropna()
            kept = sorted(set(known[y[known.index]])) if len(set(known)) > 1 else []
            codes.append([kept.index(v) if v in kept else NONE for v in X[name]])
        else:
            cuts = plain_cut_points(X[name], y, "minority", significance)
            spread = [sum(cut <= v for cut in cuts) if v == v else NONE for v in X[name]]
            codes.append(spread if cuts else [NONE] * len(X))
    rows = np.array(codes).T
    examples = [rule_of(row) for row in rows]
    positives = [example for example, p in zip(examples, y, strict=True) if p]
    negatives = [example for example, p in zip(examples, y, strict=True) if not p]
    qualified = []
    for rule, hits in plain_generation(rows[y]).items():
        wrong = sum(rule <= example for example in negatives)
        if hits / len(positives) >= min_recall and hits / (hits + wrong) >= min_precision:
            qualified.append((rule, wrong))
    width = range(len(codes))
    qualified.sort(key=lambda r: (len(r[0]), [dict(r[0]).get(a, NONE) for a in width]))
    selected = plain_selection(qualified, positives, Fraction(beta))
    covered = [[rule <= example for example in examples] for rule in selected]
    each = [
        (sum(rule <= example for example in positives), wrong, [rule <= e for e in examples])
        for rule, wrong in qualified
    ]
    return np.reshape(covered, (len(covered), len(X))).astype(bool), each


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No rule")
        return model.fit(X, y)


@given(
    mixed_frames(),
    st.sampled_from(["corrected", 0.1, 0.5]),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from([0.0, 0.25, 0.6]),
)
@settings(max_examples=80, deadline=None)
def test_the_model_is_the_one_of_plain_python(table, significance, min_recall, min_precision):
    X, y = table
    options = {
        "significance": significance,
        "min_recall": min_recall,
        "min_precision": min_precision,
        "beta": 2,
        "pos_label": True,
    }
    model = fit_quietly(RLSDClassifier(join=False, **options), X, y)
    expected, qualified = plain_model(X, y, significance, min_recall, min_precision, 2)
    np.testing.assert_array_equal(model.rules_.covers_each(X), expected)
    score = np.zeros(len(X))
    for hits, wrong, covered in qualified:
        smoothed = (hits + 2 * y.mean()) / (hits + wrong + 2)
        score = np.maximum(score, np.where(covered, smoothed, 0))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], score, rtol=1e-12)

    joined = fit_quietly(RLSDClassifier(**options), X, y)
    np.testing.assert_array_equal(joined.predict(X), expected.any(axis=0))
    covered = joined.rules_.covers_each(X)
    for rows in covered:  # of rules that have no row in common
        parts = expected[~(expected & ~rows).any(axis=1)]
        assert (parts.any(axis=0) == rows).all()
        assert y[rows].mean() >= min(y[part].mean() for part in parts if part.any()) - 1e-12
    assert (joined.rule_table_["support"] == covered.sum(axis=1)).all()
    assert (joined.rule_table_["recall"] * y.sum()).tolist() == pytest.approx(
        (covered & y).sum(axis=1).tolist()
    )
    for model in (joined, fit_quietly(RLSDClassifier(scored_by="selected", **options), X, y)):
        reasons = model.inspect(X, budget=1)
        assert len(reasons) == (model.predict_proba(X)[:, 1] > 0).sum()
        for label, row in reasons.iterrows():
            rule = Rule.parse(f"True if {row['conditions']}")
            assert rule.covers(X.loc[[label]]).all()
            rows = rule.covers(X)
            m = 2 if model is joined else 0
            assert row["score"] == pytest.approx((y[rows].sum() + m * y.mean()) / (rows.sum() + m))


def join(rules, positives, negatives, n_codes, is_nominal, threshold=3.84):
    """Codes of the joined rules, with the rules that they come from."""
    return kernels.join_rules(
        np.array(rules, dtype=np.uint8),
        np.array(positives),
        np.array(negatives),
        np.arange(0, n_codes * len(is_nominal) + 1, n_codes),
        is_nominal,
        threshold,
    )


@pytest.mark.parametrize(
    ("rules", "is_nominal", "expected"),
    [
        ([[1, 0], [2, 0]], False, {((1, 2), (0,)): [0, 1]}),
        ([[2, 0], [1, 0]], False, {((1, 2), (0,)): [0, 1]}),
        ([[1, 0], [3, 0]], False, {((1,), (0,)): [0], ((3,), (0,)): [1]}),  # a gap
        ([[1, 0], [3, 0]], True, {((1, 3), (0,)): [0, 1]}),
        ([[1, 0], [2, 1]], False, {((1,), (0,)): [0], ((2,), (1,)): [1]}),  # differ in two
        ([[1, 0], [2, NONE]], False, {((1,), (0,)): [0], ((2,), ()): [1]}),
        ([[0, NONE], [1, NONE], [2, NONE], [3, NONE]], False, None),  # would hold for all numbers
        ([[1, 0], [2, 1], [1, 1], [2, 0]], False, {((1, 2), (0, 1)): [0, 1, 2, 3]}),
    ],
)
def test_neighbouring_rules_are_joined(rules, is_nominal, expected):
    n = len(rules)
    found = join(rules, [9] * n, [1] * n, 4, [is_nominal] * 2)
    if expected is None:
        expected = {tuple((c,) if c != NONE else () for c in r): [k] for k, r in enumerate(rules)}
    assert found == expected
    assert list(found.values()) == sorted(found.values())


def test_rules_of_different_precision_are_not_joined():
    rules = [[0, 1], [1, 1], [2, 1]]
    found = join(rules, [90, 50, 48], [10, 50, 52], 4, [False] * 2)
    assert list(found.values()) == [[0], [1, 2]]
    assert len(join(rules, [50] * 3, [50] * 3, 4, [False] * 2, threshold=-1)) == 3
    # Categories are neighbours by their precision.
    assert list(join(rules, [90, 50, 88], [10, 50, 12], 4, [True] * 2).values()) == [[0, 2], [1]]


@given(code_tables(12, 4))
@settings(max_examples=80, deadline=None)
def test_rules_more_specific_than_one_before_are_dropped(codes):
    rules = np.array([rule for rule in codes if set(rule) != {NONE}], dtype=np.uint8)
    rules = rules.reshape(-1, len(codes[0]))
    stays = kernels.undominated(rules, np.arange(0, 3 * len(codes[0]) + 1, 3))
    as_sets = [rule_of(rule) for rule in rules]
    expected = [all(not before <= r for before in as_sets[:k]) for k, r in enumerate(as_sets)]
    assert stays.tolist() == expected


def planted(seed, n=20_000):
    """One rule of two conditions among twelve columns, and positives that follow none."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12))
    y = (X[:, 0] > 1.6) & (X[:, 3] < -0.5)
    y[rng.choice(np.flatnonzero(~y), 3 * n // 1000, replace=False)] = True
    return X, y


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_rule_is_found(seed):
    X, y = planted(seed)
    follow = (X[:, 0] > 1.6) & (X[:, 3] < -0.5)
    model = RLSDClassifier(random_state=0).fit(X, y)
    first = model.rules_.rules[0]
    assert {condition.feature for condition in first.conditions} == {"x0", "x3"}
    order = np.argsort(-model.predict_proba(X)[:, 1], kind="stable")
    assert y[order[:400]].sum() > 0.95 * follow.sum()
    paper = RLSDClassifier(significance=0.05, scored_by="selected", join=False, random_state=0)
    order = np.argsort(-paper.fit(X, y).predict_proba(X)[:, 1], kind="stable")
    assert y[order[:400]].sum() < 0.6 * follow.sum()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("case", ["three conditions", "a category", "20 columns", "100 columns"])
def test_a_harder_planted_rule_is_found(case, seed):
    rng = np.random.default_rng(seed)
    n, width = 20_000, int(case.split()[0]) if "columns" in case else 12
    X = pd.DataFrame(rng.normal(size=(n, width))).rename(columns="v{}".format)
    follow = (X["v0"] > 1.6) & (X["v3"] < -0.5)
    if case == "three conditions":
        follow = (X["v0"] > 1.0) & (X["v3"] < -0.5) & (X["v5"] > 0.6)
    if case == "a category":
        X["land"] = rng.choice(list("abcdefgh"), n)
        follow = (X["v0"] > 1.0) & (X["land"] == "c")
    y = follow.to_numpy().copy()
    y[rng.choice(np.flatnonzero(~y), 60, replace=False)] = True
    score = RLSDClassifier(random_state=0).fit(X, y).predict_proba(X)[:, 1]
    order = np.argsort(-score, kind="stable")
    assert follow.to_numpy()[order[: follow.sum() * 6 // 5]].sum() > 0.93 * follow.sum()


def test_a_rule_that_chance_cuts_is_whole_again():
    """A rule that plain levels cut in pieces has as few words as before."""
    X, y = planted(1, 5_000)
    X, y = X[:, [0, 3]], y
    pieces, whole = (
        RLSDClassifier(significance=0.01, min_recall=0.02, join=join).fit(X, y)
        for join in (False, True)
    )
    assert len(whole.rules_) < len(pieces.rules_)
    np.testing.assert_array_equal(whole.predict(X), pieces.predict(X))
    np.testing.assert_array_equal(whole.predict_proba(X), pieces.predict_proba(X))


def transactions(n=3000, seed=0, dtype=np.float64):
    """Rare positives in two groups, a nominal column and missing values."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n // 50
    numbers = rng.normal(size=(n, 4))
    numbers[: n // 100, :2] += 2.5
    numbers[n // 100 : n // 50, 2] -= 3
    numbers[rng.random((n, 4)) < 0.03] = np.nan
    X = pd.DataFrame(numbers.astype(dtype), columns=["amount", "net worth", "x", "select"])
    X["land"] = np.where(y & (rng.random(n) < 0.7), "it's", rng.choice(["a", "b, c", "it's"], n))
    X.loc[rng.random(n) < 0.05, "land"] = None
    X["same"] = "s"
    order = rng.permutation(n)
    return X.iloc[order].reset_index(drop=True), np.where(y, "bad", "good")[order]


@pytest.fixture(scope="module")
def fitted():
    X, y = transactions()
    model = RLSDClassifier(
        significance=0.05, min_precision=0.1, scored_by="selected", random_state=0
    )
    return model.fit(X, y), X, y


def test_reported_numbers_are_those_of_a_recount(fitted):
    model, X, y = fitted
    bad = y == "bad"
    assert len(model.rules_) > 3
    for rule, row in zip(model.rules_, model.rule_table_.itertuples(), strict=True):
        covered = rule.covers(X)
        assert row.support == rule.support == covered.sum()
        assert rule.correct == (covered & bad).sum()
        assert row.precision == (covered & bad).sum() / covered.sum() >= 0.1
        assert row.recall == (covered & bad).sum() / bad.sum() >= 0.05
        assert row.lift == pytest.approx(row.precision / bad.mean())
    uncovered = ~model.rules_.covers_each(X).any(axis=0)
    assert model.rules_.default.support == uncovered.sum()
    assert model.rules_.default.correct == (uncovered & ~bad).sum()
    assert model.n_qualified_ <= model.n_generated_ <= 10_000
    assert "same" in model.dropped_features_


def test_score_is_the_precision_of_the_best_rule(fitted):
    model = fitted[0]
    new, _ = transactions(seed=1)
    covered = model.rules_.covers_each(new)
    expected = (covered * model.rule_table_["precision"].to_numpy()[:, None]).max(axis=0)
    np.testing.assert_array_equal(model.predict_proba(new)[:, 0], expected)  # "bad" is first
    np.testing.assert_array_equal(model.predict(new) == "bad", covered.any(axis=0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_text_query_and_sql_say_the_same(dtype):
    X, y = transactions(dtype=dtype)
    model = RLSDClassifier(min_recall=0.05, min_precision=0.1, random_state=0).fit(X, y)
    positive = model.predict(X) == "bad"
    assert 0 < positive.sum() < len(X)
    parsed = RuleSet.parse(model.to_text(digits=None), X.columns)
    np.testing.assert_array_equal(parsed.predict(X) == "bad", positive)
    np.testing.assert_array_equal(parsed.covers_each(X), model.rules_.covers_each(X))
    assert X.query(model.to_query()).index.tolist() == np.flatnonzero(positive).tolist()
    with sqlite3.connect(":memory:") as connection:
        X.to_sql("t", connection, index_label="row")
        condition = f"{model.to_sql()} = 'bad'"
        found = connection.execute(f"SELECT row FROM t WHERE {condition} ORDER BY row")
        assert [row for (row,) in found] == np.flatnonzero(positive).tolist()
    connection.close()


def test_inspect_names_rows_and_rules_within_the_budget(fitted):
    model, X, _ = fitted
    X = X.set_index(np.arange(len(X)) + 1000)
    score = model.predict_proba(X)[:, 0]
    frame = model.inspect(X, budget=0.01)
    assert len(frame) == 30
    order = sorted(range(len(X)), key=lambda i: (-score[i], i))[:30]
    assert frame.index.tolist() == [i + 1000 for i in order]
    for label, row in frame.iterrows():
        rule = model.rules_.rules[row["rule"] - 1]
        assert rule.covers(X.loc[[label]]).all()
        assert row["conditions"] == rule.conditions_text()
        assert row["score"] == rule.correct / rule.support == score[label - 1000]
    everything = model.inspect(X, budget=1)
    assert len(everything) == (score > 0).sum() < len(X)
    assert len(model.inspect(X.iloc[:100], budget=0.29)) <= 29
    for budget in (0, 1.5, np.nan):
        with pytest.raises(ValueError, match="budget"):
            model.inspect(X, budget)


def test_print_shows_names_and_measures(fitted):
    model, _, _ = fitted
    assert str(RLSDClassifier(beta=3)) == "RLSDClassifier(beta=3)"
    lines = str(model).splitlines()
    assert len(lines) == len(model.rules_) + 1
    first = model.rule_table_.iloc[0]
    assert first["conditions"] in lines[0]
    assert f"precision {first['precision']:.3g}, recall {first['recall']:.3g}, lift" in lines[0]


def test_least_precision_by_default_doubles_the_odds():
    X, y = transactions()
    model = RLSDClassifier().fit(X, y)
    share = (y == "bad").mean()
    odds = model.min_precision_ / (1 - model.min_precision_)
    assert odds == pytest.approx(2 * share / (1 - share))
    assert (model.rule_table_["precision"] >= model.min_precision_).all()


def test_threads_and_row_order_change_nothing():
    X, y = transactions()
    one = RLSDClassifier().fit(X, y)
    assert one.n_generated_ < one.max_rules
    assert RLSDClassifier(n_jobs=2).fit(X, y).rules_ == one.rules_
    assert RLSDClassifier().fit(X[::-1], y[::-1]).rules_ == one.rules_


def test_one_hundred_thousand_rules_score_in_little_memory():
    """Those that cannot be the best are dropped; the others are matched as codes."""
    rng = np.random.default_rng(0)
    rules = rng.integers(0, 6, size=(100_000, 20)).astype(np.uint8)
    rules[rng.random(rules.shape) < 0.7] = NONE
    rules = rules[(rules != NONE).any(axis=1)]
    first = np.arange(0, 121, 6)
    stays = kernels.undominated(rules, first)
    assert 100 < stays.sum() < len(rules) / 2
    X = rng.integers(0, 6, size=(5000, 20)).astype(np.float64)
    tracemalloc.start()
    coder = identity_coder(20, 6)
    best = matching.first_match(rules[stays], matching.encoded_blocks(coder, X, first), first)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e8
    everything = matching.first_match(rules, matching.encoded_blocks(coder, X, first), first)
    np.testing.assert_array_equal(np.append(np.flatnonzero(stays), -1)[best], everything)


def test_float32_is_not_copied():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300_000, 20)).astype(np.float32)
    y = np.arange(len(X)) < 100
    X[y, 0] += 3
    model = RLSDClassifier(max_rules=200, random_state=0)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes


# ---------------------------------------------------------------------------------------------
# Bad input


def test_without_a_rule_the_majority_is_predicted():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.arange(200) < 20
    model = RLSDClassifier(min_precision=1, min_recall=0.9)
    with pytest.warns(UserWarning, match="No rule reaches both"):
        model.fit(X, y)
    assert len(model.rules_) == 0
    assert not model.predict(X).any()
    assert (model.predict_proba(X) == [1, 0]).all()
    assert len(model.inspect(X)) == 0
    frame = pd.DataFrame(X)
    assert len(frame.query(model.to_query())) == 0
    assert model.to_sql() == "FALSE", "the class"
    assert str(model) == model.to_text() == "False for every row  [180 of 200]"


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_equal_values_leave_no_attribute(value):
    X = np.full((30, 2), value)
    with pytest.warns(UserWarning, match="No rule"):
        model = RLSDClassifier().fit(X, np.arange(30) < 5)
    assert model.dropped_features_ == ["x0", "x1"]
    assert not model.predict(X).any()


def test_fewer_rules_than_positives_is_an_error():
    X, y = transactions()
    with pytest.raises(ValueError, match=r"number of positive examples, 60.*raise max_rules"):
        RLSDClassifier(max_rules=59).fit(X, y)
    assert RLSDClassifier(max_rules=60, min_recall=0).fit(X, y).n_generated_ <= 60


def test_a_rule_just_short_of_the_precision_is_refused():
    """The last negative that it covers is far behind the others."""
    c = np.full(9000, "b")
    c[[*range(10), *range(100, 110), 8000]] = "a"
    X, y = pd.DataFrame({"c": c}), np.arange(9000) < 10
    with pytest.warns(UserWarning, match="No rule"):
        RLSDClassifier(min_precision=0.5).fit(X, y)
    X.loc[8000, "c"] = "b"
    assert RLSDClassifier(min_precision=0.5).fit(X, y).to_text().startswith("1. True if c = a")


def test_no_positive_is_an_error():
    with pytest.raises(ValueError, match="only one class"):
        RLSDClassifier().fit(np.arange(5).reshape(-1, 1), np.zeros(5))
    with pytest.raises(ValueError, match="pos_label=2"):
        RLSDClassifier(pos_label=2).fit(np.arange(6).reshape(-1, 1), np.arange(6) % 2)


def test_unseen_categories_and_missing_values_fulfil_no_condition():
    X = pd.DataFrame({"c": ["a"] * 10 + ["b"] * 90})
    model = RLSDClassifier().fit(X, np.arange(100) < 10)
    assert model.to_text() == "1. True if c = a  [10 of 10]\notherwise False  [90 of 90]"
    new = pd.DataFrame({"c": ["a", "new", None]})
    assert model.predict(new).tolist() == [True, False, False]
    assert model.predict_proba(new)[1:, 1].tolist() == [0, 0]
    assert model.inspect(new, budget=1)["conditions"].tolist() == ["c = a"]


def test_of_many_categories_the_most_frequent_are_used():
    names = [f"c{i:03d}" for i in range(300)]
    X = pd.DataFrame({"c": names + ["c299"] * 20 + ["other"] * 500})
    y = np.arange(820) < 320
    model = RLSDClassifier(min_recall=0, join=False).fit(X, y)
    assert model.n_generated_ == 255
    assert "c = c299" in model.rules_.rules[0].conditions_text()
