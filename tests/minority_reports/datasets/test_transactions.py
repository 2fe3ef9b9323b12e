"""The simulated transactions: the paper's counts, attributes by hand, patterns that drift."""

import functools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from minority.trees import C45Classifier
from minority_reports import datasets, paths
from minority_reports.datasets import transactions
from minority_reports.datasets.transactions import (
    ATTRIBUTES,
    BLOCK,
    DAY,
    NOMINAL,
    NOT_FOUND,
    PAIRS,
    PATTERNS,
    PRIOR,
    UNRELATED,
    WINDOWS,
    attributes_of,
    draw_history,
    follows,
    simulate_transactions,
    transaction_pair,
)

load = functools.cache(datasets.load)
RELATED = [name for name in ATTRIBUTES if name not in UNRELATED]


def part_of(name, part):
    """The training or the test part of a pair, cut as the registry's note says."""
    data = load(name)
    n_train = int(data.facts.note.partition("rows 1 to ")[2].partition(" ")[0])
    rows = slice(None, n_train) if part == "Training" else slice(n_train, None)
    return data.X.iloc[rows], data.y[rows]


def test_every_pair_is_registered_as_simulated():
    assert set(datasets.names(source="transactions")) == set(PAIRS)
    assert set(PAIRS) <= set(datasets.names(paper="rlsd"))
    for name in PAIRS:
        entry = datasets.entry(name)
        assert entry.simulated and "never counted in a verdict" in entry.note


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_counts_are_those_of_table_2(number):
    published = json.loads((paths.published() / "rlsd.json").read_text(encoding="utf-8"))
    cells = {(cell["row"], cell["col"]): cell["value"] for cell in published["tables"][0]["cells"]}
    for part in ("Training", "Test"):
        X, y = part_of(f"simulated-law-{number}", part)  # loading compares the content's hash
        assert X.shape[1] == 70
        assert y.sum() == cells[f"Data Set {number} {part}", "bad_examples"]
        assert (y == 0).sum() == cells[f"Data Set {number} {part}", "good_examples"]


def test_columns():
    X, y = transaction_pair("simulated-law-1")
    pd.testing.assert_frame_equal(X, load("simulated-law-1").X)
    np.testing.assert_array_equal(y, load("simulated-law-1").y)
    assert len(X.columns) == X.columns.nunique() == 70
    assert [name for name in X if X[name].dtype == "category"] == list(NOMINAL)
    numbers = X.drop(columns=list(NOMINAL))
    assert (numbers.min() < numbers.max()).all()
    np.testing.assert_array_equal(numbers.astype(np.float32), numbers)
    np.testing.assert_array_equal(numbers.round(), numbers)


def by_hand(past, now):
    """The attributes of one transaction, from those of the person before it."""
    values = {name: now[name] for name in ("amount", *NOMINAL)}
    values["hour"], values["weekday"] = now.time % DAY // 60, now.time // DAY % 7
    values["known_days"] = (now.time - past.time.iloc[0]) // DAY if len(past) else 0
    last = past.iloc[-1] if len(past) else None
    values["since_last"] = PRIOR if last is None else min(PRIOR, now.time - last.time)
    values["last_amount"] = 0 if last is None else last.amount
    values["hour_gap"] = 0 if last is None else abs(now.time % DAY - last.time % DAY) // 60
    known = past[past.counterpart == now.counterpart]
    values["since_counterpart"] = min([PRIOR, *(now.time - known.time.iloc[-1:])])
    for days in WINDOWS:
        window = past[past.time >= now.time - days * DAY]
        found = {
            "count": len(window),
            "sum": window.amount.sum(),
            "mean": window.amount.sum() // max(1, len(window)),
            "largest": max([0, *window.amount]),
            "night": (window.time % DAY < 360).sum(),
            "round": (window.amount % 50 == 0).sum(),
            "weekend": (window.time // DAY % 7 >= 5).sum(),
            "online": (window.channel == 0).sum(),
            "new": (~past.counterpart.duplicated()).loc[window.index].sum(),
            "moves": (past.place.shift() != past.place).iloc[1:].reindex(window.index).sum(),
        }
        for name in ("counterpart", "place", "kind", "channel"):
            found[f"same_{name}"] = (window[name] == now[name]).sum()
        values |= {f"{name}_{days}": value for name, value in found.items()}
    for name, other in [("last", "last_amount"), ("mean", "mean_60"), ("largest", "largest_60")]:
        values[f"amount_to_{name}"] = 100 * now.amount // values[other] if values[other] > 0 else 0
    return [int(values[name]) for name in RELATED]


def test_attributes_by_hand():
    history = draw_history(np.random.default_rng(5), 25)
    table = pd.DataFrame(history)
    assert len(table) > 300 and (table.groupby("person").size().max() > 40)
    found = attributes_of(history, np.arange(len(table)))
    for row, now in table.iterrows():
        past = table[(table.person == now.person) & (table.time < now.time)]
        assert found[row].tolist() == by_hand(past, now)


def test_history_is_sorted_and_within_its_ranges():
    history = draw_history(np.random.default_rng(0), 2000)
    order = np.lexsort((history["time"], history["person"]))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    sizes = np.bincount(history["person"])
    assert sizes.min() == 2 and sizes.max() <= transactions.MOST
    assert history["time"].min() >= 0 and history["time"].max() < transactions.SPAN
    assert history["amount"].min() > 0


@pytest.fixture(scope="module")
def months():
    """Attributes, labels and patterns of the first month and of the last, same persons."""
    parts = [(40_000, 800, (0,)), (40_000, 800, (3,))]
    values, y, pattern = transactions._block(np.random.default_rng(0), parts)
    return [(values[half], y[half], pattern[half]) for half in (slice(40_000), slice(40_000, None))]


def test_bad_examples_follow_their_patterns(months):
    assert len(PATTERNS) >= 5
    for month, (values, y, drawn) in zip((0, 3), months, strict=True):
        met = np.array([follows(p, values, np.full(len(y), month)) for p in PATTERNS.values()])
        np.testing.assert_array_equal(y, drawn >= 0)
        assert (met.sum(axis=0) > 1).any()  # they overlap
        for number, pattern in enumerate(PATTERNS.values()):
            assert met[number][drawn == number].all() and (drawn == number).sum() > 30
            # Moderate: most that meet a pattern are good, and each condition is common by itself.
            assert 0.01 < met[number].mean() < 0.08 and y[met[number]].mean() < 0.3
            assert y[met[number]].mean() > 2 * y.mean()
            assert 2 <= len(pattern.conditions) <= 4
            for condition in pattern.conditions:
                single = pattern._replace(conditions=(condition,))
                assert follows(single, values, np.full(len(y), month)).mean() > 0.04
        assert (drawn == len(PATTERNS)).sum() == 160  # label noise
        assert (~met.any(axis=0) & y).sum() > 100


def test_patterns_drift(months):
    shares = [np.bincount(drawn[drawn >= 0], minlength=7)[:6] / 640 for _, _, drawn in months]
    first, last = list(PATTERNS).index("burst"), list(PATTERNS).index("elsewhere")
    assert shares[0][first] > 1.4 * shares[1][first]
    assert shares[1][last] > 1.4 * shares[0][last]
    values = months[0][0]
    moved = [
        (follows(p, values, np.zeros(len(values))) != follows(p, values, np.full(len(values), 3)))
        for p in PATTERNS.values()
    ]
    assert sum(each.mean() > 0.001 for each in moved) >= 5


def test_some_frauds_are_not_found(monkeypatch):
    """That some are hidden changes which examples are bad, never how many."""
    part = [(20_000, 400, (0,))]
    _, _, drawn = transactions._block(np.random.default_rng(1), part)
    monkeypatch.setattr(transactions, "NOT_FOUND", 0)
    _, _, all_found = transactions._block(np.random.default_rng(1), part)
    assert NOT_FOUND > 0 and (drawn >= 0).sum() == (all_found >= 0).sum() == 400
    assert not np.array_equal(drawn, all_found)


def test_unrelated_attributes_tell_nothing(months):
    for values, y, _ in months:
        for name in UNRELATED:
            auroc = roc_auc_score(y, values[:, ATTRIBUTES.index(name)])
            assert abs(auroc - 0.5) < 4.5 * np.sqrt(1 / 12 / y.sum())
    values, y, _ = months[0]
    assert roc_auc_score(y, values[:, ATTRIBUTES.index("new_30")]) > 0.57


def test_difficulty_is_what_it_was_set_to():
    """Trees find something, and not much, in 0.3 % of the majority (the module's docstring)."""
    X, y = part_of("simulated-law-4", "Training")
    rng = np.random.default_rng(0)
    negatives = np.flatnonzero(y == 0)
    kept = rng.choice(negatives, round(0.003 * len(negatives)), replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(y == 1), kept]))
    model = C45Classifier(ruleset=True).fit(X.iloc[rows], y[rows])
    X_test, y_test = part_of("simulated-law-4", "Test")
    flagged = model.predict(X_test) == 1
    assert 0.45 < flagged[y_test == 1].mean() < 0.8
    assert 1.3 < y_test[flagged].mean() / y_test.mean() < 3


def test_any_number_of_rows():
    n_rows = 2 * BLOCK + 5
    X, y = simulate_transactions(n_rows, 701, seed=3)
    assert X.shape == (n_rows, 70) and X.dtype == np.float32 and y.sum() == 701
    assert X.max() < 2**24
    third = n_rows // 3
    assert all(220 < y[start : start + third].sum() < 250 for start in (0, third, 2 * third))
    assert not np.array_equal(X[:third], X[third : 2 * third])


@pytest.mark.parametrize(("n_rows", "n_positives"), [(1, 0), (1, 1), (60, 60), (997, 13)])
def test_few_rows(n_rows, n_positives):
    X, y = simulate_transactions(n_rows, n_positives)
    again, y_again = simulate_transactions(n_rows, n_positives)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    assert X.shape == (n_rows, 70) and y.sum() == n_positives
    other, _ = simulate_transactions(n_rows, n_positives, seed=1)
    assert not np.array_equal(X, other)


def test_impossible_requests():
    for counts in [(0, 0), (5, 6), (5, -1)]:
        with pytest.raises(ValueError, match="cannot be bad"):
            simulate_transactions(*counts)
    with pytest.raises(ValueError, match="months are from 0 to 3"):
        simulate_transactions(10, 1, months=(4,))


def test_work_grows_with_the_rows(monkeypatch):
    """Blocks are bounded and as many as the rows need, so that time is linear in the rows."""
    drawn = []

    def block(rng, parts):
        drawn.append(sum(n_rows for n_rows, _, _ in parts))
        return transactions_block(rng, parts)

    transactions_block = transactions._block
    monkeypatch.setattr(transactions, "_block", block)
    simulate_transactions(4 * BLOCK, BLOCK // 50)
    assert sum(drawn) == 4 * BLOCK
    assert len(drawn) >= 4 and max(drawn) <= BLOCK
